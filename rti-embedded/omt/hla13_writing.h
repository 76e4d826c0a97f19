// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "omt/loss_report.h"
#include "omt/module.h"

namespace tutti::omt {

/// A module on its way to HLA 1.3, and what both of its forms have in common: roots, names that
/// IEEE 1516 has changed, and routing spaces. The way back of Hla13Reading.
class Hla13Writing {
 public:
  /// `allowsQuotes`: names may contain quotation marks (OMT), or have them replaced (FED).
  Hla13Writing(const Module& module, bool allowsQuotes, LossReport& report);

  /// Named ObjectRoot and InteractionRoot, without the MOM; of names that HLA 1.3 keeps for itself
  /// each has another. The module's own root or, without one, an empty one.
  const ModuleObjectClass& objects() const { return objects_; }
  const ModuleInteractionClass& interactions() const { return interactions_; }

  struct Space {
    std::string name;
    std::vector<std::string> dimensions;
  };
  const std::vector<Space>& spaces() const { return spaces_; }
  /// The routing space of a row with those dimensions; empty: none.
  std::string spaceOf(const std::vector<std::string>& dimensions) const;

  /// "reliable" or "best_effort".
  std::string_view transportation(const std::string& name, const std::string& of, int line);
  static std::string_view order(OrderType order) {
    return order == OrderType::TimeStamp ? "timestamp" : "receive";
  }

  /// Says what neither form has: tables besides classes and datatypes.
  void reportTables();

  LossReport& report() { return report_; }
  const Module& module() const { return module_; }
  /// A name as this form can have it.
  std::string name(const std::string& name, int line);

 private:
  void adoptObjects(ModuleObjectClass& c, int depth);
  void adoptInteractions(ModuleInteractionClass& c, int depth);
  template <typename Class>
  void adoptBelow(std::vector<Class>& below, int depth);
  void gather(const std::vector<std::string>& dimensions);
  void gatherObjects(const ModuleObjectClass& c);
  void gatherInteractions(const ModuleInteractionClass& c);
  void planSpaces();
  /// Whether a space may have that name and those dimensions.
  bool isFree(const std::string& space, const std::vector<std::string>& dimensions) const;
  void addSpace(std::string space, std::vector<std::string> dimensions);
  void placeSet(const std::vector<std::string>& names);
  const Dimension* find(const std::string& name) const;

  const Module& module_;
  const bool allowsQuotes_;
  LossReport& report_;
  ModuleObjectClass objects_;
  ModuleInteractionClass interactions_;
  std::vector<std::vector<std::string>> sets_;  ///< of dimensions that rows have
  std::vector<Space> spaces_;
  std::unordered_map<std::string, std::string> spaceOfSet_;
  std::unordered_set<std::string> takenSpaces_;
  std::unordered_set<std::string> takenDimensions_;  ///< "Space_Dimension"
  std::unordered_set<std::string> placed_;           ///< dimensions of the module
  std::unordered_map<std::string, const Dimension*> dimensions_;
};

/// Federation execution data. See writeModule().
std::string writeHla13Fed(const Module& module, LossReport& report);
/// The object model data interchange format. See writeModule().
std::string writeHla13Omt(const Module& module, LossReport& report);

}  // namespace tutti::omt
