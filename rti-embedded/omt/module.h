// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "omt/error.h"
#include "omt/object_model.h"

namespace tutti::omt {

/// An object class as one module states it. Handles in it are 0.
struct ModuleObjectClass {
  std::string name;
  Sharing sharing = Sharing::Unspecified;
  std::string semantics;
  std::string notes;
  std::vector<Attribute> attributes;
  std::vector<DirectedInteraction> directedInteractions;
  std::vector<std::string> dimensions;  ///< of 2025; readers give them to its attributes too
  std::vector<ModuleObjectClass> subclasses;
  int line = 0;
  bool defined = false;  ///< of an edition without modules: naming a class defines it

  /// Named only to say where its subclasses belong (IEEE 1516.2-2010, Annex C).
  bool isScaffolding() const {
    return !defined && sharing == Sharing::Unspecified && attributes.empty();
  }
};

/// An interaction class as one module states it.
struct ModuleInteractionClass {
  std::string name;
  Sharing sharing = Sharing::Unspecified;
  std::vector<std::string> dimensions;
  std::string transportation;      ///< empty where not given
  std::optional<OrderType> order;  ///< absent where not given
  std::string semantics;
  std::string notes;
  std::vector<Parameter> parameters;
  std::vector<ModuleInteractionClass> subclasses;
  int line = 0;
  bool defined = false;  ///< of an edition without modules: naming a class defines it

  bool isScaffolding() const {
    return !defined && sharing == Sharing::Unspecified && transportation.empty() && !order &&
           parameters.empty();
  }
};

/// One switch as a module states it; absent ones keep the value of other modules.
struct ModuleSwitches {
  std::optional<bool> autoProvide, conveyRegionDesignatorSets, conveyProducingFederate,
      attributeScopeAdvisory, attributeRelevanceAdvisory, objectClassRelevanceAdvisory,
      interactionRelevanceAdvisory, serviceReporting, exceptionReporting,
      delaySubscriptionEvaluation;
  std::optional<ResignAction> automaticResignAction;
  std::vector<std::pair<std::string, bool>> of2025;  ///< those that only 2025 has, by name
  int line = 0;
};

/// A FOM or SOM module, or a MIM, as its file states it.
struct Module {
  std::string file;              ///< display name
  Edition edition = Edition::Ieee2010;
  bool allowsAdditions = false;  ///< an IEEE 1516.2-2025 module: may add attributes and parameters
  Identification identification;
  std::vector<ModuleObjectClass> objectClasses;            ///< HLAobjectRoot, where present
  std::vector<ModuleInteractionClass> interactionClasses;  ///< HLAinteractionRoot, where present
  std::vector<Dimension> dimensions;
  std::vector<RoutingSpace> routingSpaces;
  std::vector<Transportation> transportations;
  std::vector<UpdateRate> updateRates;
  std::vector<DataType> dataTypes;
  std::vector<SynchronizationPoint> synchronizationPoints;
  std::vector<Note> notes;
  std::optional<ModuleSwitches> switches;
  UserTags userTags;
  TypeUse timeStamp;
  TypeUse lookahead;
  std::vector<Error> warnings;  ///< what was passed over while reading
};

}  // namespace tutti::omt
