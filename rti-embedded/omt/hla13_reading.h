// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "omt/module.h"
#include "omt/s_expressions.h"

namespace tutti::omt {

/// A module of HLA 1.3 while it is read, and what both of its forms have in common: names that
/// IEEE 1516 has changed, and routing spaces. Later errors than the first are dropped.
class Hla13Reading {
 public:
  Hla13Reading(std::string file, Edition edition);

  Module& module() { return module_; }
  bool failed() const { return failure_.has_value(); }
  const std::optional<Error>& failure() const { return failure_; }
  void fail(int line, std::string message, std::string hint = {});
  void warn(int line, std::string message, std::string hint = {});

  /// False: a class cannot have that name, or is nested too deep; said as a failure.
  bool checkClass(std::string_view kind, const std::string& name, int line, int depth);
  /// False: a row is passed over, with a warning, because it has no name, or fails for one that is
  /// too long.
  bool checkRow(std::string_view kind, const std::string& name, int line);

  /// "privilegeToDelete" becomes the attribute of the standard MIM, with its datatype.
  static void adopt(Attribute& attribute);

  /// The topmost classes: ObjectRoot and InteractionRoot become the roots of IEEE 1516, others are
  /// put below them with a warning. Of those below a root, RTIprivate (the RTI's own) and Manager
  /// (the MOM of HLA 1.3, which the standard MIM replaces) are left out; if they are more than a
  /// name, with a warning. How the root of interactions is delivered is as in the standard MIM.
  void addTopmost(ModuleObjectClass c);
  void addTopmost(ModuleInteractionClass c);

  /// IEEE 1516 has no routing spaces. A dimension of one becomes a dimension of its own,
  /// "Space_Dimension", from 0 to the largest bound; what is bound to a space has all of them.
  void addSpace(const std::string& name, const std::vector<std::string>& dimensions, int line);
  bool hasSpace(const std::string& name) const { return spaces_.contains(name); }
  /// The dimensions of a space for a row at that line; a failure where there is none of that name.
  std::vector<std::string> dimensionsOf(const std::string& space, int line);

 private:
  template <typename Class>
  void place(Class c, std::vector<Class>& topmost);
  template <typename Class>
  void leaveOut(std::vector<Class>& below);
  /// Before dimensions whose names have that many bytes are kept; false: a failure, too many.
  bool countDimensions(std::size_t uses, std::size_t bytes, int line);

  Module module_;
  std::optional<Error> failure_;
  std::unordered_map<std::string, std::vector<std::string>> spaces_;
  std::unordered_map<std::string, int> dimensionLines_;
  std::size_t dimensionUses_ = 0;
  std::size_t dimensionBytes_ = 0;
};

/// Reads a document that begins as a list with the head FED: federation execution data.
tl::expected<Module, Error> readHla13Fed(std::string_view utf8, const std::string& displayName);
/// Reads a document of lists with the heads DIF and ObjectModel: the interchange format.
tl::expected<Module, Error> readHla13Omt(std::string_view utf8, const std::string& displayName);

}  // namespace tutti::omt
