// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

#include "fom-editor/model/module_edits.h"
#include "target.h"

/// Edits of a module that an input alone decides.
namespace tutti::fuzz {

using namespace fomedit;

/// Places and kinds of edits.
class Choices {
 public:
  explicit Choices(Input input, std::uint64_t more = 0) {
    state_ += more;
    for (const std::byte byte : input)
      state_ = (state_ ^ static_cast<unsigned>(byte)) * 1099511628211U;
  }
  std::size_t upTo(std::size_t end) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33U) % end;
  }

 private:
  std::uint64_t state_ = 14695981039346656037U;
};

inline Splices anyEdit(const ModuleSource& source, Choices& choices) {
  const std::size_t count = source.elements().size();
  const auto id = static_cast<ElementId>(choices.upTo(count));
  const auto other = static_cast<ElementId>(choices.upTo(count));
  constexpr std::array<std::string_view, 6> names{"name",  "semantics",   "dataType",
                                                  "notes", "objectClass", "dimension"};
  // The last has a character that XML does not allow.
  constexpr std::array<std::string_view, 5> values{"A", "a < b & \"c\"", "one\ntwo", "\xE2\x82\xAC",
                                                   "a\x01"};
  const std::string_view name = names[choices.upTo(names.size())];
  const std::string_view value = values[choices.upTo(values.size())];
  switch (choices.upTo(12)) {
    case 0:
      return setCell(source, id, name, value);
    case 1:
      return removeCell(source, id, name);
    case 2:
      return addElement(source, id,
                        {"objectClass", {}, {{"name", std::string(value), {}, {}}}, {}});
    case 3:
      return removeElement(source, id);
    case 4:
      return moveElement(source, id, other);
    case 5:
      return renameRow(source, id, value);
    case 6:
      return setAttribute(source, id, name, value);
    case 7:
      return addToTable(source, {"modelIdentification"},
                        {"glyph", std::string(value), {}, {{"alt", std::string(value)}}});
    case 8:
      return addElement(
          source, source.root(),
          {"serviceUtilization",
           {},
           {{"connect", {}, {}, {{"section", "4.2"}, {"isUsed", std::string(value)}}}},
           {}});
    case 9:
      return addElement(source, id,
                        {"directedInteraction", {}, {{"name", std::string(value), {}, {}}}, {}});
    case 10:
      return addToTable(source, {"dataTypes", "referenceDataTypes"},
                        {"referenceDataType",
                         {},
                         {{"name", std::string(value), {}, {}}, {"referenceClass", "A", {}, {}}},
                         {}});
    default:
      return addToTable(source, {"dataTypes", "simpleDataTypes"},
                        {"simpleData", {}, {{"name", std::string(value), {}, {}}}, {}});
  }
}

}  // namespace tutti::fuzz
