// SPDX-License-Identifier: Apache-2.0
#include <RTI/Exception.h>
#include <RTI/Handle.h>

#include <ostream>
#include <string>

#include "api1516e/handle_access.h"
#include "api1516e/octets.h"

namespace {

using tutti::api1516e::Endian;
using tutti::api1516e::load;
using tutti::api1516e::store;

constexpr std::size_t kEncodedLength = 8;

std::uint64_t decoded(const wchar_t* type, const rti1516e::VariableLengthData& encoded) {
  if (encoded.size() != kEncodedLength) {
    throw rti1516e::CouldNotDecode(
        std::wstring(type) + L": an encoded handle has 8 octets, this has " +
        std::to_wstring(encoded.size()) + L"; pass what encode() of such a handle gave");
  }
  const auto value = load<std::uint64_t>(encoded.data(), Endian::kBig);
  if (value == 0) {
    throw rti1516e::CouldNotDecode(std::wstring(type) +
                                   L": the octets are those of an invalid handle; encode a handle "
                                   L"that the RTI gave");
  }
  return value;
}

std::size_t encodeInto(const wchar_t* type, std::uint64_t value, void* buffer, std::size_t size) {
  if (buffer == nullptr || size < kEncodedLength) {
    throw rti1516e::CouldNotEncode(std::wstring(type) +
                                   L": an encoded handle needs 8 octets, the "
                                   L"buffer has " +
                                   std::to_wstring(size) + L"; ask encodedLength() first");
  }
  store(buffer, value, Endian::kBig);
  return kEncodedLength;
}

std::wstring text(const wchar_t* type, std::uint64_t value) {
  return std::wstring(type) + L"(" + (value == 0 ? L"invalid" : std::to_wstring(value)) + L")";
}

}  // namespace

namespace rti1516e {

#define TUTTI_DEFINE_HANDLE(Handle)                                                             \
  Handle::Handle() : _impl(nullptr) {}                                                          \
  Handle::~Handle() noexcept {}                                                                 \
  Handle::Handle(const Handle& rhs) : _impl(rhs._impl) {}                                       \
  Handle::Handle(Handle##Implementation* impl) : _impl(impl) {}                                 \
  Handle::Handle(const VariableLengthData& encodedValue)                                        \
      : _impl(reinterpret_cast<Handle##Implementation*>(decoded(L"" #Handle, encodedValue))) {} \
  Handle& Handle::operator=(const Handle& rhs) {                                                \
    _impl = rhs._impl;                                                                          \
    return *this;                                                                               \
  }                                                                                             \
  bool Handle::isValid() const { return _impl != nullptr; }                                     \
  bool Handle::operator==(const Handle& rhs) const { return _impl == rhs._impl; }               \
  bool Handle::operator!=(const Handle& rhs) const { return _impl != rhs._impl; }               \
  bool Handle::operator<(const Handle& rhs) const {                                             \
    return Handle##Friend::value(*this) < Handle##Friend::value(rhs);                           \
  }                                                                                             \
  long Handle::hash() const { return static_cast<long>(Handle##Friend::value(*this)); }         \
  VariableLengthData Handle::encode() const {                                                   \
    VariableLengthData result;                                                                  \
    encode(result);                                                                             \
    return result;                                                                              \
  }                                                                                             \
  void Handle::encode(VariableLengthData& buffer) const {                                       \
    char octets[kEncodedLength];                                                                \
    store(octets, Handle##Friend::value(*this), Endian::kBig);                                  \
    buffer.setData(octets, sizeof(octets));                                                     \
  }                                                                                             \
  size_t Handle::encode(void* buffer, size_t bufferSize) const {                                \
    return encodeInto(L"" #Handle, Handle##Friend::value(*this), buffer, bufferSize);           \
  }                                                                                             \
  size_t Handle::encodedLength() const { return kEncodedLength; }                               \
  std::wstring Handle::toString() const {                                                       \
    return text(L"" #Handle, Handle##Friend::value(*this));                                     \
  }                                                                                             \
  const Handle##Implementation* Handle::getImplementation() const { return _impl; }             \
  Handle##Implementation* Handle::getImplementation() { return _impl; }                         \
  std::wostream& operator<<(std::wostream& stream, const Handle& handle) {                      \
    return stream << handle.toString();                                                         \
  }

TUTTI_DEFINE_HANDLE(FederateHandle)
TUTTI_DEFINE_HANDLE(ObjectClassHandle)
TUTTI_DEFINE_HANDLE(InteractionClassHandle)
TUTTI_DEFINE_HANDLE(ObjectInstanceHandle)
TUTTI_DEFINE_HANDLE(AttributeHandle)
TUTTI_DEFINE_HANDLE(ParameterHandle)
TUTTI_DEFINE_HANDLE(DimensionHandle)
TUTTI_DEFINE_HANDLE(MessageRetractionHandle)
TUTTI_DEFINE_HANDLE(RegionHandle)

}  // namespace rti1516e
