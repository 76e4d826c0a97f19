// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "executive/answer.h"
#include "fabric/protocol.h"
#include "fabric/wire.h"

namespace tutti::executive {

/// The modules a model was merged from, in the order that gave it its handles.
struct ModelHistory {
  std::vector<fabric::ModuleBytes> mim;                 ///< none or one
  std::vector<fabric::ModuleBytes> modules;             ///< of the creation
  std::vector<std::vector<fabric::ModuleBytes>> joins;  ///< what each join added
  template <class A>
  void fields(A& a) {
    a(mim, modules, joins);
  }
};

/// A module as it was designated, and its bytes.
struct ModuleText {
  std::string designator;
  std::shared_ptr<const fabric::Bytes> content;
};

/// The part that the RTI itself has in an object model: the MOM (IEEE 1516.1-2010, 11).
struct ManagementClasses {
  struct Published {
    std::uint32_t objectClass = 0;
    std::vector<std::uint32_t> attributes;
  };
  std::vector<Published> published;       ///< object classes whose instances the RTI registers
  std::vector<std::uint32_t> subscribed;  ///< interaction classes that the RTI acts on
  /// Classes of the MOM and those above them: whoever subscribes one may get something of the MOM.
  std::set<std::uint32_t> objectClasses;
  std::set<std::uint32_t> interactionClasses;
  /// HLAfederate.HLAservice.HLAresignFederationExecution, and its HLAresignAction; 0: none.
  struct Resign {
    std::uint32_t interactionClass = 0;
    std::uint32_t action = 0;
  };
  Resign resign{};
  /// Of HLAfederate.HLAadjust, a class and its parameter; 0: none.
  struct Switch {
    std::uint32_t interactionClass = 0;
    std::uint32_t parameter = 0;
  };
  Switch conveyRegionDesignatorSets{}, conveyProducingFederate{}, serviceReporting{},
      exceptionReporting{};
  /// HLAfederate.HLAadjust.HLAmodifyAttributeState, and its parameters; 0: none.
  struct AttributeState {
    std::uint32_t interactionClass = 0;
    std::uint32_t instance = 0;
    std::uint32_t attribute = 0;
    std::uint32_t state = 0;
  };
  AttributeState attributeState{};
};

/// The object model of a federation execution (the FDD), as far as the executive needs it.
/// Immutable.
class FederationModel {
 public:
  virtual ~FederationModel() = default;

  /// What joined federates map.
  virtual const fabric::Bytes& compact() const = 0;
  /// The modules it was merged from, as they were designated.
  virtual std::vector<std::string> modules() const = 0;
  /// Whoever follows it makes this model again, with the same handles.
  virtual ModelHistory history() const = 0;
  /// rti1516e::ResignAction that is taken for a federate that is lost.
  virtual std::uint32_t automaticResignAction() const = 0;
  /// The switch, before HLAsetSwitches.
  virtual bool autoProvide() const { return false; }
  /// Handle of the attribute of that name that instances of the class have; 0: none.
  virtual std::uint32_t attribute(std::uint32_t /*objectClass*/,
                                  const std::string& /*name*/) const {
    return 0;
  }
  /// Handle of HLAprivilegeToDeleteObject.
  virtual std::uint32_t privilegeToDelete() const = 0;
  /// This model with more modules (IEEE 1516.1-2010, 4.9); null when they bring nothing new.
  /// Refused with CouldNotOpenFDD, ErrorReadingFDD or InconsistentFDD, naming file and line.
  virtual Answer<std::shared_ptr<const FederationModel>> extended(
      const std::vector<fabric::ModuleBytes>& modules) const = 0;

  /// True: extended() would have nothing to read.
  virtual bool contains(const std::vector<fabric::ModuleBytes>& /*modules*/) const { return false; }

  /// Empty: a model without a MOM.
  virtual const ManagementClasses& management() const {
    static const ManagementClasses none;
    return none;
  }
  /// The modules but the MIM, in the order they came.
  virtual std::vector<ModuleText> moduleTexts() const { return {}; }
  virtual ModuleText mim() const { return {}; }
  /// The model as one FOM document (HLAcurrentFDD).
  virtual std::string fdd() const { return {}; }
};

/// Makes the model of a new federation execution (IEEE 1516.1-2010, 4.5). Its functions, and
/// extended() of a model, may be called by several threads at a time.
class ModelSource {
 public:
  virtual ~ModelSource() = default;
  virtual Answer<std::shared_ptr<const FederationModel>> create(
      const std::vector<fabric::ModuleBytes>& modules,
      const std::vector<fabric::ModuleBytes>& mim) = 0;
};

/// What has to be read before a request can be answered: a value, for another thread.
struct ModelWanted {
  std::shared_ptr<const FederationModel> base;  ///< to be extended; null: a new model
  std::vector<fabric::ModuleBytes> modules;
  std::vector<fabric::ModuleBytes> mim;
};

/// What was read, and from what.
struct ModelRead {
  std::shared_ptr<const FederationModel> base;
  Answer<std::shared_ptr<const FederationModel>> model;
};

/// On any thread.
inline ModelRead readModel(const ModelWanted& wanted, ModelSource& models) {
  return {wanted.base, wanted.base ? wanted.base->extended(wanted.modules)
                                   : models.create(wanted.modules, wanted.mim)};
}

}  // namespace tutti::executive
