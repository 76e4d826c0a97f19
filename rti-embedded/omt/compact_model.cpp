// SPDX-License-Identifier: Apache-2.0
#include "omt/compact_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "omt/compact_layout.h"

namespace tutti::omt {

namespace {

/// A damaged form could claim a chain of classes that inherit quadratically many members; a real
/// model has some ten thousand.
constexpr std::size_t maxInheritedMembers = 16'000'000;

template <typename T>
const T* at(const std::vector<T>& values, std::uint32_t handle) {
  return handle == 0 || handle > values.size() ? nullptr : &values[handle - 1];
}

}  // namespace

/// Reads and checks the tables. The first thing that does not fit ends the reading.
class CompactModel::Opener {
 public:
  explicit Opener(std::span<const std::byte> bytes) : bytes_(bytes) {}

  tl::expected<CompactModel, std::string> open() {
    if (!readHeader()) return tl::unexpected(failure_);
    const std::size_t listCount = counts_[compact::Lists];
    model_.lists_.reserve(listCount);
    for (std::uint32_t i = 0; i < listCount; ++i) {
      model_.lists_.push_back(word(compact::Lists, i, 0));
    }
    // Dimensions and transportation types first: the others refer to them.
    const bool ok =
        readDimensions() && readTransportations() && readUpdateRates() && readTimeTypes() &&
        readMembers(compact::Attributes, compact::ObjectClasses, model_.attributes_) &&
        readMembers(compact::Parameters, compact::InteractionClasses, model_.parameters_) &&
        readClasses(compact::ObjectClasses, objectRootName, model_.attributes_,
                    model_.objectClasses_, model_.objectClassIndex_, model_.attributeIndex_,
                    model_.allAttributes_) &&
        readClasses(compact::InteractionClasses, interactionRootName, model_.parameters_,
                    model_.interactionClasses_, model_.interactionClassIndex_,
                    model_.parameterIndex_, model_.allParameters_);
    if (!ok) return tl::unexpected(failure_);
    return std::move(model_);
  }

 private:
  bool fail(std::string message) {
    failure_ = "Object model: " + std::move(message) + ".";
    return false;
  }

  std::uint32_t wordAt(std::size_t offset) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value |= static_cast<std::uint32_t>(bytes_[offset + i]) << (8 * i);
    }
    return value;
  }

  /// Checked by readHeader() for every row below counts_[table].
  std::uint32_t word(compact::Table table, std::size_t row, std::size_t column) const {
    return wordAt(starts_[table] + (row * compact::rowWords[table] + column) * 4);
  }

  bool readHeader() {
    constexpr std::size_t headerBytes = compact::headerWords * 4;
    if (bytes_.size() < headerBytes) return fail("it is shorter than its header");
    if (wordAt(0) != compact::magic) return fail("it does not start with its mark");
    if (wordAt(4) != compact::layoutVersion) {
      return fail("its layout has version " + std::to_string(wordAt(4)) + ", this program reads " +
                  std::to_string(compact::layoutVersion));
    }
    const std::size_t length = wordAt(8);
    if (length < headerBytes || length > bytes_.size()) {
      return fail("it is " + std::to_string(bytes_.size()) + " bytes long and says " +
                  std::to_string(length));
    }
    bytes_ = bytes_.first(length);
    readSwitches(wordAt(12));
    const std::uint32_t action = wordAt(16);
    if (action > static_cast<std::uint32_t>(ResignAction::NoAction)) {
      return fail("the automatic resign action is unknown");
    }
    model_.switches_.automaticResignAction = static_cast<ResignAction>(action);
    for (std::uint32_t t = 0; t < compact::TableCount; ++t) {
      const std::uint64_t start = wordAt(20 + std::size_t{t} * 8);
      const std::uint64_t count = wordAt(24 + std::size_t{t} * 8);
      const std::uint64_t rowBytes = t == compact::Strings ? 1 : compact::rowWords[t] * 4U;
      if (start < headerBytes || start + count * rowBytes > length) {
        return fail("table " + std::to_string(t) + " lies outside of it");
      }
      starts_[t] = static_cast<std::size_t>(start);
      counts_[t] = static_cast<std::size_t>(count);
    }
    return true;
  }

  void readSwitches(std::uint32_t bits) {
    Switches& s = model_.switches_;
    const std::array<bool*, 10> all{&s.autoProvide,
                                    &s.conveyRegionDesignatorSets,
                                    &s.conveyProducingFederate,
                                    &s.attributeScopeAdvisory,
                                    &s.attributeRelevanceAdvisory,
                                    &s.objectClassRelevanceAdvisory,
                                    &s.interactionRelevanceAdvisory,
                                    &s.serviceReporting,
                                    &s.exceptionReporting,
                                    &s.delaySubscriptionEvaluation};
    for (std::size_t i = 0; i < all.size(); ++i) *all[i] = ((bits >> i) & 1U) != 0;
  }

  /// The name in the first two columns of a row.
  std::optional<std::string_view> name(compact::Table table, std::size_t row) {
    const std::size_t offset = word(table, row, 0);
    const std::size_t length = word(table, row, 1);
    const std::size_t available = counts_[compact::Strings];
    if (offset > available || length > available - offset) {
      fail("a name lies outside of it");
      return std::nullopt;
    }
    const void* start = bytes_.data() + starts_[compact::Strings] + offset;
    return std::string_view(static_cast<const char*>(start), length);
  }

  /// A run in the lists whose entries are 1 to `limit`.
  std::optional<std::span<const std::uint32_t>> run(compact::Table table, std::size_t row,
                                                    std::size_t column, std::size_t limit) {
    const std::size_t first = word(table, row, column);
    const std::size_t count = word(table, row, column + 1);
    const std::size_t available = model_.lists_.size();
    if (first > available || count > available - first) {
      fail("a list lies outside of it");
      return std::nullopt;
    }
    const std::span<const std::uint32_t> entries(model_.lists_.data() + first, count);
    for (const std::uint32_t handle : entries) {
      if (handle == 0 || handle > limit) {
        fail("a list holds an unknown handle");
        return std::nullopt;
      }
    }
    return entries;
  }

  bool readDimensions() {
    for (std::size_t i = 0; i < counts_[compact::Dimensions]; ++i) {
      const auto rowName = name(compact::Dimensions, i);
      if (!rowName) return false;
      model_.dimensions_.push_back({*rowName, word(compact::Dimensions, i, 2),
                                    word(compact::Dimensions, i, 3),
                                    word(compact::Dimensions, i, 4)});
    }
    return true;
  }

  bool readTransportations() {
    for (std::size_t i = 0; i < counts_[compact::Transportations]; ++i) {
      const auto rowName = name(compact::Transportations, i);
      if (!rowName) return false;
      model_.transportations_.push_back({*rowName, word(compact::Transportations, i, 2) != 0});
    }
    return true;
  }

  bool readUpdateRates() {
    for (std::size_t i = 0; i < counts_[compact::UpdateRates]; ++i) {
      const auto rowName = name(compact::UpdateRates, i);
      if (!rowName) return false;
      const double rate =
          std::bit_cast<double>((std::uint64_t{word(compact::UpdateRates, i, 3)} << 32) |
                                word(compact::UpdateRates, i, 2));
      if (!std::isfinite(rate) || rate <= 0.0) return fail("an update rate is not above 0");
      model_.updateRates_.push_back({*rowName, rate});
    }
    return true;
  }

  bool readTimeTypes() {
    if (counts_[compact::TimeTypes] != 2) return fail("its table of time types is damaged");
    const auto stamp = name(compact::TimeTypes, 0);
    const auto lookahead = name(compact::TimeTypes, 1);
    if (!stamp || !lookahead) return false;
    model_.timeStampType_ = *stamp;
    model_.lookaheadType_ = *lookahead;
    return true;
  }

  /// Order, transportation and dimensions of an attribute or interaction class.
  template <typename Row>
  bool readDelivery(compact::Table table, std::size_t row, std::size_t column, Row& target) {
    const std::uint32_t order = word(table, row, column);
    if (order > static_cast<std::uint32_t>(OrderType::TimeStamp)) {
      return fail("an order type is unknown");
    }
    target.order = static_cast<OrderType>(order);
    target.transportation = word(table, row, column + 1);
    if (at(model_.transportations_, target.transportation) == nullptr) {
      return fail("a transportation type is unknown");
    }
    const auto dimensions = run(table, row, column + 2, model_.dimensions_.size());
    if (!dimensions) return false;
    target.dimensions = *dimensions;
    return true;
  }

  bool readMembers(compact::Table table, compact::Table classes, std::vector<Member>& members) {
    members.reserve(counts_[table]);
    for (std::size_t i = 0; i < counts_[table]; ++i) {
      const auto rowName = name(table, i);
      if (!rowName) return false;
      Member& m = members.emplace_back();
      m.name = *rowName;
      m.declaringClass = word(table, i, 2);
      if (m.declaringClass == 0 || m.declaringClass > counts_[classes]) {
        return fail("an attribute or parameter is of an unknown class");
      }
      if (table == compact::Attributes && !readDelivery(table, i, 3, m)) return false;
    }
    return true;
  }

  bool readClasses(compact::Table table, std::string_view root, const std::vector<Member>& members,
                   std::vector<Class>& classes, ClassIndex& index, MemberIndex& memberIndex,
                   std::vector<std::uint32_t>& all) {
    const std::size_t count = counts_[table];
    if (count == 0) return fail("it has no root class");
    classes.reserve(count);
    index.reserve(count);
    memberIndex.reserve(members.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto rowName = name(table, i);
      if (!rowName) return false;
      Class c;
      c.name = *rowName;
      c.parent = word(table, i, 2);
      // A superclass is defined before its subclasses, which also rules out cycles.
      if (i == 0 ? (c.parent != 0 || c.name != root) : (c.parent == 0 || c.parent > i)) {
        return fail("a class stands before its superclass");
      }
      const auto own = run(table, i, 3, members.size());
      if (!own) return false;
      if (table == compact::InteractionClasses && !readDelivery(table, i, 5, c)) return false;
      if (!addMembers(static_cast<std::uint32_t>(i + 1), *own, members, classes, c, memberIndex,
                      all)) {
        return false;
      }
      std::string_view key = c.name;
      if (i > 0) {
        if (key.size() <= root.size() + 1 || key.substr(0, root.size()) != root ||
            key[root.size()] != '.') {
          return fail("a class name does not start with its root");
        }
        key.remove_prefix(root.size() + 1);
      }
      if (!index.emplace(key, static_cast<std::uint32_t>(i + 1)).second) {
        return fail("a class stands in it twice");
      }
      classes.push_back(c);
    }
    if (memberIndex.size() != members.size()) {
      return fail("an attribute or parameter is missing from its class");
    }
    return true;
  }

  bool addMembers(std::uint32_t handle, std::span<const std::uint32_t> own,
                  const std::vector<Member>& members, const std::vector<Class>& classes, Class& c,
                  MemberIndex& memberIndex, std::vector<std::uint32_t>& all) {
    std::uint32_t previous = 0;
    for (const std::uint32_t m : own) {
      if (m <= previous || members[m - 1].declaringClass != handle) {
        return fail("a class lists an attribute or parameter that is not its own");
      }
      previous = m;
      if (!memberIndex.emplace(MemberKey{handle, members[m - 1].name}, m).second) {
        return fail("a class has an attribute or parameter twice");
      }
    }
    std::size_t inheritedFirst = 0;
    std::size_t inheritedCount = 0;
    if (c.parent != 0) {
      inheritedFirst = classes[c.parent - 1].firstMember;
      inheritedCount = classes[c.parent - 1].memberCount;
    }
    if (all.size() + inheritedCount + own.size() > maxInheritedMembers) {
      return fail("its classes inherit more than 16 million attributes or parameters");
    }
    c.firstMember = static_cast<std::uint32_t>(all.size());
    c.memberCount = static_cast<std::uint32_t>(inheritedCount + own.size());
    all.resize(all.size() + c.memberCount);
    const auto inherited = all.begin() + static_cast<std::ptrdiff_t>(inheritedFirst);
    std::merge(inherited, inherited + static_cast<std::ptrdiff_t>(inheritedCount), own.begin(),
               own.end(), all.begin() + c.firstMember);
    return true;
  }

  std::span<const std::byte> bytes_;
  std::array<std::size_t, compact::TableCount> starts_{};
  std::array<std::size_t, compact::TableCount> counts_{};
  CompactModel model_;
  std::string failure_;
};

tl::expected<CompactModel, std::string> CompactModel::open(std::span<const std::byte> bytes) {
  return Opener(bytes).open();
}

std::uint32_t CompactModel::findClass(const ClassIndex& index, std::string_view root,
                                      std::string_view name) {
  if (const auto found = index.find(name); found != index.end()) return found->second;
  if (name.size() > root.size() && name.substr(0, root.size()) == root &&
      name[root.size()] == '.') {
    const auto found = index.find(name.substr(root.size() + 1));
    if (found != index.end()) return found->second;
  }
  return 0;
}

std::uint32_t CompactModel::findMember(const std::vector<Class>& classes, const MemberIndex& index,
                                       std::uint32_t classHandle, std::string_view name) {
  for (const Class* c = at(classes, classHandle); c != nullptr; c = at(classes, classHandle)) {
    if (const auto found = index.find({classHandle, name}); found != index.end()) {
      return found->second;
    }
    classHandle = c->parent;
  }
  return 0;
}

bool CompactModel::isWithin(const std::vector<Class>& classes, std::uint32_t handle,
                            std::uint32_t ancestor) {
  if (ancestor == 0) return false;
  // Superclasses have the lower handles.
  while (handle > ancestor) {
    const Class* c = at(classes, handle);
    if (c == nullptr) return false;
    handle = c->parent;
  }
  return handle == ancestor && ancestor <= classes.size();
}

std::span<const std::uint32_t> CompactModel::members(const std::vector<Class>& classes,
                                                     const std::vector<std::uint32_t>& all,
                                                     std::uint32_t handle) {
  const Class* c = at(classes, handle);
  if (c == nullptr) return {};
  return {all.data() + c->firstMember, c->memberCount};
}

ObjectClassHandle CompactModel::objectClass(std::string_view name) const {
  return findClass(objectClassIndex_, objectRootName, name);
}

std::string_view CompactModel::objectClassName(ObjectClassHandle handle) const {
  const Class* c = at(objectClasses_, handle);
  return c != nullptr ? c->name : std::string_view();
}

ObjectClassHandle CompactModel::objectClassParent(ObjectClassHandle handle) const {
  const Class* c = at(objectClasses_, handle);
  return c != nullptr ? c->parent : 0;
}

bool CompactModel::isObjectClassWithin(ObjectClassHandle handle, ObjectClassHandle ancestor) const {
  return isWithin(objectClasses_, handle, ancestor);
}

AttributeHandle CompactModel::attribute(ObjectClassHandle objectClass,
                                        std::string_view name) const {
  return findMember(objectClasses_, attributeIndex_, objectClass, name);
}

std::string_view CompactModel::attributeName(AttributeHandle handle) const {
  const Member* m = at(attributes_, handle);
  return m != nullptr ? m->name : std::string_view();
}

ObjectClassHandle CompactModel::attributeClass(AttributeHandle handle) const {
  const Member* m = at(attributes_, handle);
  return m != nullptr ? m->declaringClass : 0;
}

bool CompactModel::hasAttribute(ObjectClassHandle objectClass, AttributeHandle handle) const {
  const Member* m = at(attributes_, handle);
  return m != nullptr && isWithin(objectClasses_, objectClass, m->declaringClass);
}

std::span<const AttributeHandle> CompactModel::attributes(ObjectClassHandle objectClass) const {
  return members(objectClasses_, allAttributes_, objectClass);
}

OrderType CompactModel::attributeOrder(AttributeHandle handle) const {
  const Member* m = at(attributes_, handle);
  return m != nullptr ? m->order : OrderType::Receive;
}

TransportationTypeHandle CompactModel::attributeTransportation(AttributeHandle handle) const {
  const Member* m = at(attributes_, handle);
  return m != nullptr ? m->transportation : 0;
}

std::span<const DimensionHandle> CompactModel::attributeDimensions(AttributeHandle handle) const {
  const Member* m = at(attributes_, handle);
  return m != nullptr ? m->dimensions : std::span<const DimensionHandle>();
}

InteractionClassHandle CompactModel::interactionClass(std::string_view name) const {
  return findClass(interactionClassIndex_, interactionRootName, name);
}

std::string_view CompactModel::interactionClassName(InteractionClassHandle handle) const {
  const Class* c = at(interactionClasses_, handle);
  return c != nullptr ? c->name : std::string_view();
}

InteractionClassHandle CompactModel::interactionClassParent(InteractionClassHandle handle) const {
  const Class* c = at(interactionClasses_, handle);
  return c != nullptr ? c->parent : 0;
}

bool CompactModel::isInteractionClassWithin(InteractionClassHandle handle,
                                            InteractionClassHandle ancestor) const {
  return isWithin(interactionClasses_, handle, ancestor);
}

ParameterHandle CompactModel::parameter(InteractionClassHandle interactionClass,
                                        std::string_view name) const {
  return findMember(interactionClasses_, parameterIndex_, interactionClass, name);
}

std::string_view CompactModel::parameterName(ParameterHandle handle) const {
  const Member* m = at(parameters_, handle);
  return m != nullptr ? m->name : std::string_view();
}

bool CompactModel::hasParameter(InteractionClassHandle interactionClass,
                                ParameterHandle handle) const {
  const Member* m = at(parameters_, handle);
  return m != nullptr && isWithin(interactionClasses_, interactionClass, m->declaringClass);
}

std::span<const ParameterHandle> CompactModel::parameters(
    InteractionClassHandle interactionClass) const {
  return members(interactionClasses_, allParameters_, interactionClass);
}

OrderType CompactModel::interactionOrder(InteractionClassHandle handle) const {
  const Class* c = at(interactionClasses_, handle);
  return c != nullptr ? c->order : OrderType::Receive;
}

TransportationTypeHandle CompactModel::interactionTransportation(
    InteractionClassHandle handle) const {
  const Class* c = at(interactionClasses_, handle);
  return c != nullptr ? c->transportation : 0;
}

std::span<const DimensionHandle> CompactModel::interactionDimensions(
    InteractionClassHandle handle) const {
  const Class* c = at(interactionClasses_, handle);
  return c != nullptr ? c->dimensions : std::span<const DimensionHandle>();
}

DimensionHandle CompactModel::dimension(std::string_view name) const {
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    if (dimensions_[i].name == name) return static_cast<DimensionHandle>(i + 1);
  }
  return 0;
}

std::string_view CompactModel::dimensionName(DimensionHandle handle) const {
  const DimensionRow* d = at(dimensions_, handle);
  return d != nullptr ? d->name : std::string_view();
}

std::uint32_t CompactModel::dimensionUpperBound(DimensionHandle handle) const {
  const DimensionRow* d = at(dimensions_, handle);
  if (d == nullptr) return 0;
  return d->upperBound != 0 ? d->upperBound : UINT32_MAX;
}

std::pair<std::uint32_t, std::uint32_t> CompactModel::dimensionDefault(
    DimensionHandle handle) const {
  const DimensionRow* d = at(dimensions_, handle);
  if (d == nullptr) return {0, 0};
  return {d->defaultLower, d->defaultUpper};
}

TransportationTypeHandle CompactModel::transportation(std::string_view name) const {
  for (std::size_t i = 0; i < transportations_.size(); ++i) {
    if (transportations_[i].name == name) return static_cast<TransportationTypeHandle>(i + 1);
  }
  return 0;
}

std::string_view CompactModel::transportationName(TransportationTypeHandle handle) const {
  const TransportationRow* t = at(transportations_, handle);
  return t != nullptr ? t->name : std::string_view();
}

bool CompactModel::isReliable(TransportationTypeHandle handle) const {
  const TransportationRow* t = at(transportations_, handle);
  return t == nullptr || t->reliable;
}

double CompactModel::updateRate(std::string_view designator) const {
  for (const UpdateRateRow& u : updateRates_) {
    if (u.name == designator) return u.rate;
  }
  return 0.0;
}

}  // namespace tutti::omt
