// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/protocol.h"

/// Requests of the MOM (IEEE 1516.1-2010, 11), which a node serves as a hidden member of the
/// federation execution, and the records that follow. Only the node's own connections may ask them.
namespace tutti::fabric {

/// MomAttach: the hidden member's library begins. The body is empty, the reply a JoinReply.
struct MomAttachRequest {
  template <class A>
  void fields(A&) {}
};

/// MomInformation: what the executive knows and no log record tells. The body is empty.
using MomInformationRequest = MomAttachRequest;

/// Progress of one federate to a synchronization point; values of HLAsynchPointStatus.
struct MomSynchronizationProgress {
  FederateNumber federate = 0;
  std::uint32_t status = 0;
  template <class A>
  void fields(A& a) {
    a(federate, status);
  }
};
struct MomSynchronizationPoint {
  std::string label;
  std::vector<MomSynchronizationProgress> federates;
  template <class A>
  void fields(A& a) {
    a(label, federates);
  }
};
struct MomFederate {
  FederateNumber federate = 0;
  std::string name;
  std::string type;
  std::uint32_t reportPeriod = 0;  ///< seconds, as HLAsetTiming set it; 0: none
  std::string host;                ///< that it runs on; empty: the node's
  template <class A>
  void fields(A& a) {
    a(federate, name, type, reportPeriod, host);
  }
};
struct MomInformation {
  std::string timeImplementation;
  std::string mim;  ///< its designator
  std::vector<std::string> modules;
  std::vector<MomFederate> federates;
  std::vector<MomSynchronizationPoint> synchronizationPoints;
  /// HLAfederateState of everybody: 1 active, 3 saving, 5 restoring.
  std::uint32_t federateState = 1;
  std::string lastSave;
  bool lastSaveHasTime = false;
  std::uint64_t lastSaveTime = 0;  ///< bits
  std::string nextSave;
  bool nextSaveHasTime = false;
  std::uint64_t nextSaveTime = 0;
  template <class A>
  void fields(A& a) {
    a(timeImplementation, mim, modules, federates, synchronizationPoints, federateState, lastSave,
      lastSaveHasTime, lastSaveTime, nextSave, nextSaveHasTime, nextSaveTime);
  }
};

/// MomText: a long text of the object model.
enum class MomTextKind : std::uint32_t { Fdd = 0, Mim = 1, FomModule = 2 };
struct MomTextRequest {
  MomTextKind kind{};
  FederateNumber federate = 0;  ///< FomModule: of the list of this federate; 0: of the execution
  std::uint32_t index = 0;      ///< FomModule: in that list, from 0
  template <class A>
  void fields(A& a) {
    a(kind, federate, index);
  }
};
struct MomTextReply {
  bool found = false;
  Bytes text;  ///< UTF-8, as it was read
  template <class A>
  void fields(A& a) {
    a(found, text);
  }
};

struct MomValue {
  std::uint32_t handle = 0;
  Bytes bytes;
  template <class A>
  void fields(A& a) {
    a(handle, bytes);
  }
};

/// MomCommand: an interaction of the MOM that a federate's library has to act on; the record of the
/// log is the same. Federates but the one addressed pass it over.
struct MomCommand {
  FederateNumber federate = 0;
  std::uint32_t interactionClass = 0;
  std::vector<MomValue> values;
  template <class A>
  void fields(A& a) {
    a(federate, interactionClass, values);
  }
};

/// MomTiming: HLAmanager.HLAfederate.HLAadjust.HLAsetTiming, for a save to keep; the record of the
/// log is the same, for the member that serves the MOM.
struct MomTiming {
  FederateNumber federate = 0;
  std::uint32_t reportPeriod = 0;  ///< seconds
  template <class A>
  void fields(A& a) {
    a(federate, reportPeriod);
  }
};

/// MomSwitches: HLAmanager.HLAfederation.HLAadjust.HLAsetSwitches; the record of the log is the
/// same, in snapshots too.
struct MomSwitches {
  bool autoProvide = false;
  template <class A>
  void fields(A& a) {
    a(autoProvide);
  }
};

// --- operators --------------------------------------------------------------------------

/// A process of the node's host that has joined nothing has federates resign, as a federate would
/// that sends HLAmanager.HLAfederate.HLAservice.HLAresignFederationExecution for each of them. The
/// answer comes when all have been told; ListResigns says who has done it.
struct OperateResignRequest {
  std::string federation;
  std::vector<std::string> federates;  ///< names; empty: all
  bool hasAction = false;              ///< else each one's automatic resign directive (10.3)
  std::uint32_t action = 0;            ///< rti1516e::ResignAction
  template <class A>
  void fields(A& a) {
    a(federation, federates, hasAction, action);
  }
};

enum class ResignState : std::uint8_t {
  Awaited,  ///< its library has not got to it: it evokes no callbacks, hangs, or is out of reach
  Resigned,
  Lost,     ///< it died meanwhile
  Refused,  ///< the resign action does not suit what it owns or seeks (4.10.4)
};

struct ResignPart {
  FederateNumber federate = 0;
  std::string name;
  ResignState state{};
  std::string why;  ///< of Refused, as its library said it
  template <class A>
  void fields(A& a) {
    a(federate, name, state, why);
  }
};

/// What came of the last OperateResign of a federation execution, also of one that has ended since.
struct ResignsReply {
  std::uint64_t number = 0;  ///< counts them; 0: there was none
  std::vector<ResignPart> parts;
  template <class A>
  void fields(A& a) {
    a(number, parts);
  }
};

/// Of the federate that was told to resign by the MOM and cannot.
struct ResignRefused {
  static constexpr std::size_t longestText = 512;
  std::string why;
  template <class A>
  void fields(A& a) {
    a(why);
  }
};

/// What an operator adjusts: bits of OperateAdjustRequest. Those of a federate are federateSwitch.
namespace adjustment {
inline constexpr std::uint32_t conveyRegionDesignatorSets =
    federateSwitch::conveyRegionDesignatorSets;
inline constexpr std::uint32_t conveyProducingFederate = federateSwitch::conveyProducingFederate;
inline constexpr std::uint32_t serviceReporting = federateSwitch::serviceReporting;
inline constexpr std::uint32_t exceptionReporting = federateSwitch::exceptionReporting;
inline constexpr std::uint32_t autoProvide = 1u << 16;   ///< of the federation execution
inline constexpr std::uint32_t reportPeriod = 1u << 17;  ///< a number of seconds
inline constexpr std::uint32_t ofFederates = conveyRegionDesignatorSets | conveyProducingFederate |
                                             serviceReporting | exceptionReporting | reportPeriod;
inline constexpr std::uint32_t all = ofFederates | autoProvide;
}  // namespace adjustment

/// A process of the node's host that has joined nothing adjusts the MOM, as a federate would that
/// sends HLAfederation.HLAadjust.HLAsetSwitches, and HLAsetSwitches, HLAsetServiceReporting,
/// HLAsetExceptionReporting and HLAsetTiming of HLAmanager.HLAfederate.HLAadjust for each federate.
/// The answer comes when all have been told; ListAdjustments says who has done it.
struct OperateAdjustRequest {
  std::string federation;
  std::vector<std::string> federates;  ///< names, for what is of federates; empty: all
  std::uint32_t which = 0;             ///< bits of adjustment that are set; the others stay
  std::uint32_t on = 0;                ///< those of them that are switched on
  std::int32_t reportPeriod = 0;       ///< seconds; 0: no periodic updates
  template <class A>
  void fields(A& a) {
    a(federation, federates, which, on, reportPeriod);
  }
};

struct AdjustmentPart {
  FederateNumber federate = 0;
  std::string name;
  std::uint32_t on = 0;  ///< bits of adjustment, as its library has them now
  std::uint32_t reportPeriod = 0;
  std::string refused;  ///< why it did not do the last thing it was told; empty: it did, or may yet
  template <class A>
  void fields(A& a) {
    a(federate, name, on, reportPeriod, refused);
  }
};

struct AdjustmentsReply {
  bool autoProvide = false;
  std::vector<AdjustmentPart> federates;
  template <class A>
  void fields(A& a) {
    a(autoProvide, federates);
  }
};

/// Of the federate that was told by the MOM to report its services, or to own an instance attribute
/// or no longer, and cannot.
using AdjustRefused = ResignRefused;

/// Where an instance was found by its name: who asks again brings it, so that the node need not
/// walk the tables of all federates, which takes milliseconds for a million instances. It is a
/// hint: the node looks whether the instance of that name is there, and else walks them.
struct InstancePlace {
  std::uint64_t instance = 0;  ///< handle; 0: not known yet
  std::uint32_t row = 0;       ///< number of its row in the tables of its registrant
  template <class A>
  void fields(A& a) {
    a(instance, row);
  }
};

/// A process of the node's host that has joined nothing changes whether a federate owns an instance
/// attribute, as a federate would that sends
/// HLAmanager.HLAfederate.HLAadjust.HLAmodifyAttributeState. The answer comes when that federate
/// has been told; FindOwner says when it has done it, ListAdjustments why it has not.
struct ModifyAttributeStateRequest {
  std::string federation;
  std::string federate;   ///< name
  std::string instance;   ///< name
  std::string attribute;  ///< name, of the class that the instance was registered as
  bool owned = false;     ///< it is to own it; else it is to own it no longer
  InstancePlace place{};  ///< as FindOwner has told it
  template <class A>
  void fields(A& a) {
    a(federation, federate, instance, attribute, owned, place);
  }
};

struct FindOwnerRequest {
  std::string federation;
  std::string instance;
  std::string attribute;
  InstancePlace place{};  ///< as FindOwner has told it before
  template <class A>
  void fields(A& a) {
    a(federation, instance, attribute, place);
  }
};

struct FindOwnerReply {
  bool isOwned = false;
  std::string federate;  ///< name; empty: nobody, or the RTI itself
  InstancePlace place{};
  template <class A>
  void fields(A& a) {
    a(isOwned, federate, place);
  }
};

}  // namespace tutti::fabric
