// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

#include "omt/object_model.h"

namespace tutti::omt {

/// The object model of a federation as a federate needs it: names to handles and back, what is
/// inherited, order, transportation, dimensions, switches. Reads the bytes that encode() made; they
/// may lie in shared memory that another process wrote, so open() checks every offset, count and
/// handle, and nothing is read unchecked afterwards.
///
/// The bytes must outlive the model and stay unchanged: names are views into them. Const functions
/// may be called from several threads. Unknown handles and names give 0, "" or an empty list, never
/// an error; the caller throws the exception of its service. Names are UTF-8.
class CompactModel {
 public:
  /// Error: one sentence saying what does not fit.
  static tl::expected<CompactModel, std::string> open(std::span<const std::byte> bytes);

  std::size_t objectClassCount() const { return objectClasses_.size(); }
  std::size_t attributeCount() const { return attributes_.size(); }
  std::size_t interactionClassCount() const { return interactionClasses_.size(); }
  std::size_t parameterCount() const { return parameters_.size(); }
  std::size_t dimensionCount() const { return dimensions_.size(); }
  std::size_t transportationCount() const { return transportations_.size(); }

  /// "HLAobjectRoot.A.B" or "A.B" (IEEE 1516.1-2010, 10.6).
  ObjectClassHandle objectClass(std::string_view name) const;
  /// The full name (10.7).
  std::string_view objectClassName(ObjectClassHandle handle) const;
  ObjectClassHandle objectClassParent(ObjectClassHandle handle) const;
  /// True for a class itself and for everything below it.
  bool isObjectClassWithin(ObjectClassHandle handle, ObjectClassHandle ancestor) const;

  /// Own or inherited (10.11).
  AttributeHandle attribute(ObjectClassHandle objectClass, std::string_view name) const;
  std::string_view attributeName(AttributeHandle handle) const;
  /// The class that declares it; its subclasses inherit it.
  ObjectClassHandle attributeClass(AttributeHandle handle) const;
  bool hasAttribute(ObjectClassHandle objectClass, AttributeHandle handle) const;
  /// Own and inherited, ascending.
  std::span<const AttributeHandle> attributes(ObjectClassHandle objectClass) const;
  OrderType attributeOrder(AttributeHandle handle) const;
  TransportationTypeHandle attributeTransportation(AttributeHandle handle) const;
  /// Available dimensions (10.23), in the order of the FDD.
  std::span<const DimensionHandle> attributeDimensions(AttributeHandle handle) const;

  InteractionClassHandle interactionClass(std::string_view name) const;
  std::string_view interactionClassName(InteractionClassHandle handle) const;
  InteractionClassHandle interactionClassParent(InteractionClassHandle handle) const;
  bool isInteractionClassWithin(InteractionClassHandle handle,
                                InteractionClassHandle ancestor) const;
  ParameterHandle parameter(InteractionClassHandle interactionClass, std::string_view name) const;
  std::string_view parameterName(ParameterHandle handle) const;
  bool hasParameter(InteractionClassHandle interactionClass, ParameterHandle handle) const;
  /// Own and inherited, ascending.
  std::span<const ParameterHandle> parameters(InteractionClassHandle interactionClass) const;
  OrderType interactionOrder(InteractionClassHandle handle) const;
  TransportationTypeHandle interactionTransportation(InteractionClassHandle handle) const;
  std::span<const DimensionHandle> interactionDimensions(InteractionClassHandle handle) const;

  DimensionHandle dimension(std::string_view name) const;
  std::string_view dimensionName(DimensionHandle handle) const;
  /// Ranges of the dimension are within [0, bound) (9.1.1). Where the FDD leaves it to the RTI:
  /// 2^32 - 1.
  std::uint32_t dimensionUpperBound(DimensionHandle handle) const;
  /// What an unspecified range of the dimension means; {0, 0}: the dimension is then excluded.
  std::pair<std::uint32_t, std::uint32_t> dimensionDefault(DimensionHandle handle) const;

  TransportationTypeHandle transportation(std::string_view name) const;
  std::string_view transportationName(TransportationTypeHandle handle) const;
  bool isReliable(TransportationTypeHandle handle) const;

  /// Updates per second; 0 where there is no such designator (10.13).
  double updateRate(std::string_view designator) const;

  const Switches& switches() const { return switches_; }
  /// Datatype of time stamps and lookahead, "" where the FDD does not say.
  std::string_view timeStampType() const { return timeStampType_; }
  std::string_view lookaheadType() const { return lookaheadType_; }

 private:
  struct Class {
    std::string_view name;
    std::uint32_t parent = 0;
    std::uint32_t firstMember = 0;  // own and inherited, in allMembers
    std::uint32_t memberCount = 0;
    OrderType order = OrderType::Receive;       // interaction classes
    std::uint32_t transportation = 0;           // interaction classes
    std::span<const std::uint32_t> dimensions;  // interaction classes
  };
  struct Member {
    std::string_view name;
    std::uint32_t declaringClass = 0;
    OrderType order = OrderType::Receive;       // attributes
    std::uint32_t transportation = 0;           // attributes
    std::span<const std::uint32_t> dimensions;  // attributes
  };
  struct DimensionRow {
    std::string_view name;
    std::uint32_t upperBound = 0;
    std::uint32_t defaultLower = 0;
    std::uint32_t defaultUpper = 0;
  };
  struct TransportationRow {
    std::string_view name;
    bool reliable = true;
  };
  struct UpdateRateRow {
    std::string_view name;
    double rate = 0.0;
  };
  struct MemberKey {
    std::uint32_t declaringClass;
    std::string_view name;
    friend bool operator==(const MemberKey&, const MemberKey&) = default;
  };
  struct MemberKeyHash {
    std::size_t operator()(const MemberKey& key) const {
      return std::hash<std::string_view>{}(key.name) ^
             (std::size_t{key.declaringClass} * 0x9E3779B97F4A7C15ULL);
    }
  };
  using ClassIndex = std::unordered_map<std::string_view, std::uint32_t>;
  using MemberIndex = std::unordered_map<MemberKey, std::uint32_t, MemberKeyHash>;
  class Opener;

  static std::uint32_t findClass(const ClassIndex& index, std::string_view root,
                                 std::string_view name);
  static std::uint32_t findMember(const std::vector<Class>& classes, const MemberIndex& index,
                                  std::uint32_t classHandle, std::string_view name);
  static bool isWithin(const std::vector<Class>& classes, std::uint32_t handle,
                       std::uint32_t ancestor);
  static std::span<const std::uint32_t> members(const std::vector<Class>& classes,
                                                const std::vector<std::uint32_t>& all,
                                                std::uint32_t handle);

  std::vector<std::uint32_t> lists_;  // spans above point into it; never changed after open
  std::vector<Class> objectClasses_;
  std::vector<Class> interactionClasses_;
  std::vector<Member> attributes_;
  std::vector<Member> parameters_;
  std::vector<std::uint32_t> allAttributes_;
  std::vector<std::uint32_t> allParameters_;
  std::vector<DimensionRow> dimensions_;
  std::vector<TransportationRow> transportations_;
  std::vector<UpdateRateRow> updateRates_;
  ClassIndex objectClassIndex_;  // without the root's name
  ClassIndex interactionClassIndex_;
  MemberIndex attributeIndex_;
  MemberIndex parameterIndex_;
  Switches switches_;
  std::string_view timeStampType_;
  std::string_view lookaheadType_;

 public:
  // Copying would leave spans into the source's lists.
  CompactModel(const CompactModel&) = delete;
  CompactModel& operator=(const CompactModel&) = delete;
  CompactModel(CompactModel&&) = default;
  CompactModel& operator=(CompactModel&&) = default;
  ~CompactModel() = default;

 private:
  CompactModel() = default;
};

}  // namespace tutti::omt
