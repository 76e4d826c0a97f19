// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/layout.h"
#include "fabric/protocol.h"
#include "fabric/wire.h"

/// Save and restore of a federation execution (IEEE 1516.1-2010, 4.16 to 4.32): requests of the
/// federates, and what the node writes to the log.
///
/// A save: SaveInitiated; each federate begins (from then on it sends nothing); SaveBegunByAll,
/// after which whatever was sent lies in the rings; each library takes that out, and when its
/// federate has completed, gives its state to the node; SaveEnded. A restore leads to another
/// execution in an arena of its own, so that nothing from before can arrive after it: RestoreBegun;
/// each federate completes; RestoreEnded; each library leaves the old arena and enters the new one.
namespace tutti::fabric {

/// For requests that say everything by their kind: SaveBegun, AbortSave, QuerySaveStatus,
/// AbortRestore, QueryRestoreStatus, EnterRestored.
struct NoArguments {
  template <class A>
  void fields(A&) {}
};

struct RequestSaveRequest {
  std::string label;
  bool hasTime = false;
  std::uint64_t time = 0;  ///< bits
  template <class A>
  void fields(A& a) {
    a(label, hasTime, time);
  }
};

/// The federate has got everything up to the time of the scheduled save and stays there.
struct SaveTimeReachedRequest {
  std::uint64_t save = 0;
  template <class A>
  void fields(A& a) {
    a(save);
  }
};

/// SaveCompleted, RestoreCompleted.
struct CompletedRequest {
  bool successfully = true;
  template <class A>
  void fields(A& a) {
    a(successfully);
  }
};

/// What a library knows of its federate. The node keeps `state` as it is; it sets up the federate's
/// time slot before anyone of a restored execution can look at it.
struct SavedStateRequest {
  Bytes state;
  Bytes timeState;  ///< the TimeState that was valid
  template <class A>
  void fields(A& a) {
    a(state, timeState);
  }
};

struct FederateSaveStatus {
  FederateNumber federate = 0;
  std::uint32_t status = 0;  ///< rti1516e::SaveStatus
  template <class A>
  void fields(A& a) {
    a(federate, status);
  }
};
struct SaveStatusReply {
  std::vector<FederateSaveStatus> federates;
  template <class A>
  void fields(A& a) {
    a(federates);
  }
};

struct RequestRestoreRequest {
  std::string label;
  template <class A>
  void fields(A& a) {
    a(label);
  }
};
/// 4.25: a failure is told by callback, not by an exception.
struct RequestRestoreReply {
  bool accepted = false;
  template <class A>
  void fields(A& a) {
    a(accepted);
  }
};

struct FederateRestoreStatus {
  FederateNumber before = 0;
  FederateNumber after = 0;  ///< 0: not known yet
  std::uint32_t status = 0;  ///< rti1516e::RestoreStatus
  template <class A>
  void fields(A& a) {
    a(before, after, status);
  }
};
struct RestoreStatusReply {
  std::vector<FederateRestoreStatus> federates;
  template <class A>
  void fields(A& a) {
    a(federates);
  }
};

/// The reply carries the descriptor of the restored execution's arena.
struct EnterRestoredReply {
  JoinReply join;
  Bytes state;
  bool declarationsChanged = false;  ///< by those who entered before
  template <class A>
  void fields(A& a) {
    a(join, state, declarationsChanged);
  }
};

// --- operators
// -------------------------------------------------------------------------------------

enum class SaveAction : std::uint8_t { Save, AbortSave, Restore, AbortRestore };

/// A process of the node's host that has joined nothing asks for a save or a restore of a
/// federation execution, or for the end of one. The federates hear what they would hear had a
/// federate asked; nobody gets the confirmation of 4.25, whose place the answer takes.
struct OperateSaveRequest {
  std::string federation;
  SaveAction action{};
  std::string label;  ///< for Save and Restore
  template <class A>
  void fields(A& a) {
    a(federation, action, label);
  }
};

/// A save that can be restored.
struct KeptSave {
  std::string label;
  std::uint64_t bytes = 0;
  std::int64_t savedAt = 0;  ///< seconds since 1970, UTC
  template <class A>
  void fields(A& a) {
    a(label, bytes, savedAt);
  }
};

/// What came of a save or a restore.
struct SaveOutcome {
  std::uint64_t number = 0;  ///< counts the ends of saves and restores of an execution; 0: none yet
  bool restore = false;
  std::string label;
  bool successfully = false;
  std::uint32_t reason = 0;  ///< rti1516e::SaveFailureReason or RestoreFailureReason
  std::string federate;      ///< whose report or end the reason is; may be empty
  template <class A>
  void fields(A& a) {
    a(number, restore, label, successfully, reason, federate);
  }
};

enum class SaveActivity : std::uint8_t { None, Saving, Restoring };

struct SavePart {
  std::string federate;
  std::uint32_t status = 0;  ///< rti1516e::SaveStatus or RestoreStatus
  template <class A>
  void fields(A& a) {
    a(federate, status);
  }
};

struct SavesReply {
  std::vector<KeptSave> saves;  ///< the newest first
  SaveActivity activity{};
  std::string label;            ///< of the activity
  std::vector<SavePart> parts;  ///< of the activity, one for each federate
  SaveOutcome last;
  template <class A>
  void fields(A& a) {
    a(saves, activity, label, parts, last);
  }
};

// --- control log ---------------------------------------------------------------------------------

/// A save at a time is awaited; replaces one that was awaited before (4.16).
struct SaveScheduledRecord {
  std::uint64_t save = 0;
  std::uint64_t time = 0;  ///< bits
  template <class A>
  void fields(A& a) {
    a(save, time);
  }
};

struct SaveInitiatedRecord {
  std::string label;
  bool hasTime = false;
  std::uint64_t time = 0;  ///< bits
  template <class A>
  void fields(A& a) {
    a(label, hasTime, time);
  }
};

/// SaveEnded, RestoreEnded.
struct EndedRecord {
  bool successfully = true;
  std::uint32_t reason = 0;  ///< rti1516e::SaveFailureReason or RestoreFailureReason
  template <class A>
  void fields(A& a) {
    a(successfully, reason);
  }
};

/// What a federate that is joined now becomes.
struct RestoredIdentity {
  FederateNumber before = 0;
  FederateNumber after = 0;
  std::string name;
  template <class A>
  void fields(A& a) {
    a(before, after, name);
  }
};
struct RestoreBegunRecord {
  std::string label;
  std::vector<RestoredIdentity> federates;
  template <class A>
  void fields(A& a) {
    a(label, federates);
  }
};

}  // namespace tutti::fabric
