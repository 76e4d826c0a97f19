// SPDX-License-Identifier: Apache-2.0
#include "omt/hla13_reading.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "omt/text.h"

namespace tutti::omt {

namespace {

/// Dimensions of a routing space: a class attribute has all of its space.
constexpr std::size_t maxSpaceDimensions = 100;

std::vector<Attribute>& membersOf(ModuleObjectClass& c) { return c.attributes; }
std::vector<Parameter>& membersOf(ModuleInteractionClass& c) { return c.parameters; }

}  // namespace

Hla13Reading::Hla13Reading(std::string file, Edition edition) {
  module_.file = std::move(file);
  module_.edition = edition;
}

void Hla13Reading::fail(int line, std::string message, std::string hint) {
  if (failure_) return;
  failure_ = Error{ErrorKind::ErrorReading, module_.file, line, std::move(message),
                   std::move(hint),         {},           0};
}

void Hla13Reading::warn(int line, std::string message, std::string hint) {
  addWarning(
      module_.warnings,
      {ErrorKind::ErrorReading, module_.file, line, std::move(message), std::move(hint), {}, 0});
}

bool Hla13Reading::checkClass(std::string_view kind, const std::string& name, int line, int depth) {
  if (depth > maxClassDepth) {
    fail(line, "Classes are nested more than " + std::to_string(maxClassDepth) + " deep.");
  } else if (name.empty()) {
    fail(line, "An " + std::string(kind) + " has no name.", "Give it a name.");
  } else if (name.size() > maxNameBytes) {
    fail(line,
         "An " + std::string(kind) + " has a name of " + std::to_string(name.size()) + " bytes; " +
             std::to_string(maxNameBytes) + " are read.",
         "Shorten it.");
  } else if (name.find('.') != std::string::npos) {
    fail(line, "The class name " + shortened(name) + " contains a dot.",
         "Nest the classes instead: a dot separates a class from its superclass.");
  }
  return !failed();
}

bool Hla13Reading::checkRow(std::string_view kind, const std::string& name, int line) {
  if (name.empty()) {
    warn(line, "A row without a name is passed over: " + std::string(kind) + ".",
         "Give it a name or delete it.");
    return false;
  }
  if (name.size() <= maxNameBytes) return true;
  fail(line,
       "A name of " + std::to_string(name.size()) + " bytes stands here (" + std::string(kind) +
           "); " + std::to_string(maxNameBytes) + " are read.",
       "Shorten it.");
  return false;
}

void Hla13Reading::adopt(Attribute& attribute) {
  if (!sameIgnoringCase(attribute.name, "privilegeToDelete")) return;
  attribute.name = "HLAprivilegeToDeleteObject";
  attribute.dataType = "HLAtoken";
  attribute.updateType = UpdateType::Static;
  attribute.ownership = Ownership::DivestAcquire;
  attribute.sharing = Sharing::PublishSubscribe;
}

template <typename Class>
void Hla13Reading::leaveOut(std::vector<Class>& below) {
  std::erase_if(below, [&](Class& c) {
    const bool manager = sameIgnoringCase(c.name, "Manager");
    if (!manager && !sameIgnoringCase(c.name, "RTIprivate")) return false;
    if (!c.subclasses.empty() || !membersOf(c).empty()) {
      warn(c.line,
           manager ? "Class Manager, the MOM of HLA 1.3, and those below it are left out."
                   : "What stands in class RTIprivate, which is the RTI's own, is left out.",
           manager ? "Federates use HLAmanager of the standard MIM." : "Use another class.");
    }
    return true;
  });
}

template <typename Class>
void Hla13Reading::place(Class c, std::vector<Class>& topmost) {
  constexpr bool object = std::is_same_v<Class, ModuleObjectClass>;
  const std::string rootName{object ? objectRootName : interactionRootName};
  const std::string oldName = object ? "ObjectRoot" : "InteractionRoot";
  if (sameIgnoringCase(c.name, oldName) || c.name == rootName) {
    c.name = rootName;
    c.defined = false;
    if constexpr (!object) {
      // What HLA 1.3 writes there differs from the standard MIM, and nobody sends the root.
      c.transportation.clear();
      c.order.reset();
      c.dimensions.clear();
    }
    leaveOut(c.subclasses);
    topmost.push_back(std::move(c));
    return;
  }
  // The interchange format does not write the roots.
  if (module_.edition == Edition::Hla13Fed) {
    warn(
        c.line,
        "The topmost class is " + c.name + ", not " + oldName + "; it is read as a subclass of it.",
        "Put it below " + oldName + ".");
  }
  std::vector<Class> one;
  const int line = c.line;
  one.push_back(std::move(c));
  leaveOut(one);
  if (one.empty()) return;
  const auto root = std::find_if(topmost.begin(), topmost.end(),
                                 [&](const Class& other) { return other.name == rootName; });
  if (root != topmost.end()) {
    root->subclasses.push_back(std::move(one.front()));
    return;
  }
  Class& top = topmost.emplace_back();
  top.name = rootName;
  top.line = line;
  top.subclasses.push_back(std::move(one.front()));
}

void Hla13Reading::addTopmost(ModuleObjectClass c) { place(std::move(c), module_.objectClasses); }
void Hla13Reading::addTopmost(ModuleInteractionClass c) {
  place(std::move(c), module_.interactionClasses);
}

void Hla13Reading::addSpace(const std::string& name, const std::vector<std::string>& dimensions,
                            int line) {
  if (!checkRow("routing space", name, line)) return;
  if (spaces_.contains(name)) {
    fail(line, "Routing space " + shortened(name) + " stands twice.", "Delete or rename one.");
    return;
  }
  if (dimensions.size() > maxSpaceDimensions) {
    fail(line,
         "Routing space " + shortened(name) + " has more than " +
             std::to_string(maxSpaceDimensions) + " dimensions.",
         "Leave out those that no federate needs.");
    return;
  }
  module_.routingSpaces.push_back({name, {0, line}});
  std::vector<std::string>& all = spaces_[name];
  for (const std::string& part : dimensions) {
    if (!checkRow("dimension", part, line)) continue;
    // The name of the space stands before that of each dimension.
    if (!countDimensions(1, name.size() + 1 + part.size(), line)) return;
    Dimension d;
    d.where.line = line;
    d.name = name + '_' + part;
    d.upperBound = 4294967295U;
    d.defaultValue = "[0..4294967295)";
    if (const auto [known, isNew] = dimensionLines_.try_emplace(d.name, line); !isNew) {
      fail(line,
           "The dimension " + shortened(d.name) + " stands twice, also in line " +
               std::to_string(known->second) + ".",
           "Delete or rename one.");
      return;
    }
    all.push_back(d.name);
    module_.dimensions.push_back(std::move(d));
  }
}

bool Hla13Reading::countDimensions(std::size_t uses, std::size_t bytes, int line) {
  if (uses <= maxDimensionUses - dimensionUses_ && bytes <= maxDimensionBytes - dimensionBytes_) {
    dimensionUses_ += uses;
    dimensionBytes_ += bytes;
    return true;
  }
  fail(line,
       "Dimensions of routing spaces are written or used too often: " +
           std::to_string(maxDimensionUses) + " in all are read, and " +
           std::to_string(maxDimensionBytes >> 20) + " MiB of their names.",
       "Leave out what no federate needs, or shorten the names.");
  return false;
}

std::vector<std::string> Hla13Reading::dimensionsOf(const std::string& space, int line) {
  const auto found = spaces_.find(space);
  if (found == spaces_.end()) {
    fail(line, "There is no routing space " + shortened(space) + ".",
         "Add it to the spaces, or delete it here.");
    return {};
  }
  std::size_t bytes = 0;
  for (const std::string& name : found->second) bytes += name.size();
  if (!countDimensions(found->second.size(), bytes, line)) return {};
  return found->second;
}

}  // namespace tutti::omt
