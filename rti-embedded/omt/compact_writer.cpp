// SPDX-License-Identifier: Apache-2.0
#include "omt/compact_writer.h"

#include <array>
#include <bit>
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "omt/compact_layout.h"

namespace tutti::omt {

namespace {

using compact::Table;

/// "[a..b)" is the range a to b, "[a)" the point a; everything else is no default range (0, 0).
std::pair<std::uint32_t, std::uint32_t> defaultRange(std::string_view text) {
  if (text.empty() || text.front() != '[') return {0, 0};
  text.remove_prefix(1);
  std::uint32_t lower = 0;
  const auto [middle, code] = std::from_chars(text.data(), text.data() + text.size(), lower);
  if (code != std::errc()) return {0, 0};
  text.remove_prefix(static_cast<std::size_t>(middle - text.data()));
  if (text.substr(0, 2) != "..") {
    return lower == UINT32_MAX ? std::pair(0U, 0U) : std::pair(lower, lower + 1);
  }
  text.remove_prefix(2);
  std::uint32_t upper = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), upper);
  if (end.ec != std::errc() || upper <= lower) return {0, 0};
  return {lower, upper};
}

class Writer {
 public:
  explicit Writer(const ObjectModel& model) : model_(model) {}

  std::vector<std::byte> write() {
    for (const ObjectClass& c : model_.objectClasses()) {
      row(Table::ObjectClasses, c.fullName, {c.parent});
      list(Table::ObjectClasses, c.attributes);
    }
    for (const Attribute& a : model_.attributes()) {
      row(Table::Attributes, a.name,
          {a.declaringClass, static_cast<std::uint32_t>(a.order),
           transportation(a.transportation)});
      list(Table::Attributes, dimensions(a.dimensions));
    }
    for (const InteractionClass& c : model_.interactionClasses()) {
      row(Table::InteractionClasses, c.fullName, {c.parent});
      list(Table::InteractionClasses, c.parameters);
      words(Table::InteractionClasses,
            {static_cast<std::uint32_t>(c.order), transportation(c.transportation)});
      list(Table::InteractionClasses, dimensions(c.dimensions));
    }
    for (const Parameter& p : model_.parameters()) {
      row(Table::Parameters, p.name, {p.declaringClass});
    }
    for (const Dimension& d : model_.dimensions()) {
      const auto [lower, upper] = defaultRange(d.defaultValue);
      row(Table::Dimensions, d.name, {d.upperBound.value_or(0), lower, upper});
    }
    for (const Transportation& t : model_.transportations()) {
      row(Table::Transportations, t.name, {t.reliable ? 1U : 0U});
    }
    for (const UpdateRate& u : model_.updateRates()) {
      const auto bits = std::bit_cast<std::uint64_t>(u.rate);
      row(Table::UpdateRates, u.name,
          {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)});
    }
    row(Table::TimeTypes, model_.timeStamp().dataType, {});
    row(Table::TimeTypes, model_.lookahead().dataType, {});
    return assemble();
  }

 private:
  void words(Table table, std::initializer_list<std::uint32_t> values) {
    tables_[table].insert(tables_[table].end(), values);
  }

  void row(Table table, const std::string& name, std::initializer_list<std::uint32_t> values) {
    auto [known, isNew] = offsets_.try_emplace(name, static_cast<std::uint32_t>(strings_.size()));
    if (isNew) strings_ += name;
    words(table, {known->second, static_cast<std::uint32_t>(name.size())});
    words(table, values);
  }

  void list(Table table, const std::vector<std::uint32_t>& handles) {
    auto& lists = tables_[Table::Lists];
    words(table,
          {static_cast<std::uint32_t>(lists.size()), static_cast<std::uint32_t>(handles.size())});
    lists.insert(lists.end(), handles.begin(), handles.end());
  }

  std::uint32_t transportation(const std::string& name) const {
    const Transportation* t = model_.findTransportation(name);
    return t != nullptr ? t->handle : reliableHandle;
  }

  std::vector<std::uint32_t> dimensions(const std::vector<std::string>& names) const {
    std::vector<std::uint32_t> handles;
    for (const std::string& name : names) {
      if (const Dimension* d = model_.findDimension(name)) handles.push_back(d->handle);
    }
    return handles;
  }

  static std::uint32_t switchBits(const Switches& s) {
    const std::array<bool, 10> bits{s.autoProvide,
                                    s.conveyRegionDesignatorSets,
                                    s.conveyProducingFederate,
                                    s.attributeScopeAdvisory,
                                    s.attributeRelevanceAdvisory,
                                    s.objectClassRelevanceAdvisory,
                                    s.interactionRelevanceAdvisory,
                                    s.serviceReporting,
                                    s.exceptionReporting,
                                    s.delaySubscriptionEvaluation};
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) word |= bits[i] ? 1U << i : 0U;
    return word;
  }

  std::vector<std::byte> assemble() const {
    std::vector<std::uint32_t> header{
        compact::magic, compact::layoutVersion, 0, switchBits(model_.switches()),
        static_cast<std::uint32_t>(model_.switches().automaticResignAction)};
    // Strings go last, so that every table starts at a multiple of four.
    std::size_t offset = compact::headerWords * 4;
    std::array<std::size_t, compact::TableCount> starts{};
    for (std::uint32_t t = Table::Lists; t < compact::TableCount; ++t) {
      starts[t] = offset;
      offset += tables_[t].size() * 4;
    }
    starts[Table::Strings] = offset;
    offset += strings_.size();
    header[2] = static_cast<std::uint32_t>(offset);
    for (std::uint32_t t = 0; t < compact::TableCount; ++t) {
      header.push_back(static_cast<std::uint32_t>(starts[t]));
      header.push_back(static_cast<std::uint32_t>(
          t == Table::Strings ? strings_.size() : tables_[t].size() / compact::rowWords[t]));
    }
    std::vector<std::byte> bytes;
    bytes.reserve(offset);
    const auto put = [&](std::uint32_t word) {
      for (int shift = 0; shift < 32; shift += 8) {
        bytes.push_back(static_cast<std::byte>((word >> shift) & 0xFFU));
      }
    };
    for (const std::uint32_t word : header) put(word);
    for (std::uint32_t t = Table::Lists; t < compact::TableCount; ++t) {
      for (const std::uint32_t word : tables_[t]) put(word);
    }
    for (const char c : strings_) bytes.push_back(static_cast<std::byte>(c));
    return bytes;
  }

  const ObjectModel& model_;
  std::array<std::vector<std::uint32_t>, compact::TableCount> tables_;
  std::string strings_;
  std::unordered_map<std::string, std::uint32_t> offsets_;
};

}  // namespace

std::vector<std::byte> encode(const ObjectModel& model) { return Writer(model).write(); }

}  // namespace tutti::omt
