// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/Handle.h>

#include <cstdint>

// The inside of the nine handle types. A handle is its 64-bit value, kept in the bits of its
// implementation pointer, which is never followed: making, copying, comparing and destroying one
// neither allocates nor shares anything, in any thread. The value 0 is the invalid handle.

namespace rti1516e {

#define TUTTI_HANDLE_FRIEND(Handle)                                                     \
  class Handle##Friend {                                                                \
   public:                                                                              \
    static Handle make(std::uint64_t value) {                                           \
      return Handle(reinterpret_cast<Handle##Implementation*>(value));                  \
    }                                                                                   \
    static std::uint64_t value(const Handle& handle) {                                  \
      return reinterpret_cast<std::uint64_t>(handle._impl);                             \
    }                                                                                   \
    static Handle decode(const VariableLengthData& encoded) { return Handle(encoded); } \
  }

TUTTI_HANDLE_FRIEND(FederateHandle);
TUTTI_HANDLE_FRIEND(ObjectClassHandle);
TUTTI_HANDLE_FRIEND(InteractionClassHandle);
TUTTI_HANDLE_FRIEND(ObjectInstanceHandle);
TUTTI_HANDLE_FRIEND(AttributeHandle);
TUTTI_HANDLE_FRIEND(ParameterHandle);
TUTTI_HANDLE_FRIEND(DimensionHandle);
TUTTI_HANDLE_FRIEND(MessageRetractionHandle);
TUTTI_HANDLE_FRIEND(RegionHandle);
#undef TUTTI_HANDLE_FRIEND

}  // namespace rti1516e

namespace tutti::api1516e {

template <class Handle>
struct HandleFriend;
template <>
struct HandleFriend<rti1516e::FederateHandle> : rti1516e::FederateHandleFriend {};
template <>
struct HandleFriend<rti1516e::ObjectClassHandle> : rti1516e::ObjectClassHandleFriend {};
template <>
struct HandleFriend<rti1516e::InteractionClassHandle> : rti1516e::InteractionClassHandleFriend {};
template <>
struct HandleFriend<rti1516e::ObjectInstanceHandle> : rti1516e::ObjectInstanceHandleFriend {};
template <>
struct HandleFriend<rti1516e::AttributeHandle> : rti1516e::AttributeHandleFriend {};
template <>
struct HandleFriend<rti1516e::ParameterHandle> : rti1516e::ParameterHandleFriend {};
template <>
struct HandleFriend<rti1516e::DimensionHandle> : rti1516e::DimensionHandleFriend {};
template <>
struct HandleFriend<rti1516e::MessageRetractionHandle> : rti1516e::MessageRetractionHandleFriend {};
template <>
struct HandleFriend<rti1516e::RegionHandle> : rti1516e::RegionHandleFriend {};

// The handle of a value; 0 makes the invalid handle.
template <class Handle>
Handle makeHandle(std::uint64_t value) {
  return HandleFriend<Handle>::make(value);
}

// The value of a handle; 0 for the invalid one.
template <class Handle>
std::uint64_t value(const Handle& handle) {
  return HandleFriend<Handle>::value(handle);
}

// The handle that encode() wrote. Throws rti1516e::CouldNotDecode for other octets.
template <class Handle>
Handle decodeHandle(const rti1516e::VariableLengthData& encoded) {
  return HandleFriend<Handle>::decode(encoded);
}

}  // namespace tutti::api1516e
