// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fom-editor/model/module_merge.h"

/// What belongs together in versions of a module, and how messages call it.
namespace tutti::fomedit {

/// Numbers for what elements say: two elements of any version have the same number when they mean
/// the same. White space, comments and the order of rows other than fields do not count.
class Meanings {
 public:
  std::vector<int> of(const ModuleSource& source);

 private:
  std::unordered_map<std::string, int> known_;
};

/// Whether such an element is one of many that are told apart by a name or label.
bool isNamedRow(const ModuleSource& source, ElementId id);
/// What an element is called in a message: its kind and name, "datatype Length".
std::string mergeWords(const ModuleSource& source, ElementId id);
/// Where an element is in the model.
std::string mergePlace(const ModuleSource& source, ElementId id);

/// A version with what is asked of it often.
struct Version {
  const ModuleSource& source;
  std::vector<int> meanings;

  int meaning(ElementId id) const { return meanings[id]; }
};

/// Children by what tells them apart, in document order.
struct Keyed {
  std::vector<std::pair<std::string, ElementId>> rows;
  std::map<std::string, ElementId> byKey;

  ElementId find(const std::string& key) const {
    const auto it = byKey.find(key);
    return it == byKey.end() ? noElement : it->second;
  }
};

/// The children of one place in three versions, each with its key.
std::array<Keyed, 3> keyed(const std::array<const Version*, 3>& versions,
                           const std::array<ElementId, 3>& parents);

/// Changes that a message tells of one element; more are "and more".
inline constexpr std::size_t mostDescribed = 3;
/// What was changed from one version of an element to another.
MergeSide changeSide(const Version& base, ElementId a, const Version& version, ElementId b);

}  // namespace tutti::fomedit
