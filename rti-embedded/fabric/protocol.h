// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/layout.h"
#include "fabric/protocol_regions.h"
#include "fabric/wire.h"

/// What an ambassador and the RTI node say to each other, and what the node writes to the log.
///
/// Requests and replies are datagrams of a SOCK_SEQPACKET socket `@tutti/<uid>/<NAME>`: a head,
/// then a body. The node answers each request once, after its record is in the control log. Text is
/// UTF-8. Handles of classes and attributes are those of the federation's compact object model.
namespace tutti::fabric {

inline constexpr std::uint16_t protocolVersion = 5;

enum class Request : std::uint16_t {
  Hello = 1,
  CreateFederation = 2,
  DestroyFederation = 3,
  ListFederations = 4,
  Join = 5,
  Resign = 6,
  DeclareObjectClass = 7,
  DeclareInteractionClass = 8,
  RegisterSynchronizationPoint = 9,
  SynchronizationPointAchieved = 10,
  ReserveNames = 11,
  ReleaseNames = 12,
  OpenRing = 13,
  Allocate = 14,
  Free = 15,
  Status = 16,
  Observe = 17,
  Stop = 18,  ///< the node answers and leaves; federates see the connection close
  // protocol_save.h
  RequestSave = 50,
  SaveTimeReached = 51,
  SaveBegun = 52,
  SaveCompleted = 53,
  SavedState = 54,
  AbortSave = 55,
  QuerySaveStatus = 56,
  RequestRestore = 57,
  RestoreCompleted = 58,
  AbortRestore = 59,
  QueryRestoreStatus = 60,
  EnterRestored = 61,
  SubscribeObjectClassWithRegions = 40,
  SubscribeInteractionClassWithRegions = 41,
  /// Holds time, or lets it go on. A hold ends with the connection that asked for it last, so that
  /// nobody stands still for an observer that has gone.
  HoldTime = 19,
  OperateSave = 20,    ///< this and the next: protocol_save.h
  ListSaves = 21,      ///< FederationNameRequest
  OperateResign = 22,  ///< this and the next: protocol_mom.h
  ListResigns = 23,    ///< FederationNameRequest
  OperateLink = 24,    ///< link_status.h
  /// Sets the pace of a federation execution. Unlike a hold it belongs to nobody and stays.
  SetPace = 25,
  Ownership = 30,  // 30 to 32: protocol_ownership.h
  UnpublishInstances = 31,
  DeleteInstance = 32,
  MomAttach = 70,  ///< this and the next: protocol_mom.h
  MomInformation = 71,
  MomText = 72,
  MomCommand = 73,
  MomSwitches = 74,
  MomTiming = 75,
  ChangeAttributeTransportation = 90,  ///< protocol_order.h
  ChangeInteractionTransportation = 91,
  /// Answered when every host of the federation execution has seen what the asker last published of
  /// its time, and what their federates had announced by then has come here.
  Confirm = 100,
  CallbackFault = 110,  ///< for the log and for those who look on
  ResignRefused = 111,  ///< protocol_mom.h
  // Of operators, and what a federate says to the first: protocol_mom.h
  OperateAdjust = 120,
  ListAdjustments = 121,  ///< FederationNameRequest
  AdjustRefused = 122,
  ModifyAttributeState = 123,
  FindOwner = 124,
};

/// Why a request was refused; each but the first and the last two is the exception of that name.
enum class Refusal : std::uint16_t {
  None = 0,
  FederationExecutionAlreadyExists,
  FederationExecutionDoesNotExist,
  FederatesCurrentlyJoined,
  FederateNameAlreadyInUse,
  FederateAlreadyExecutionMember,
  FederateNotExecutionMember,
  CouldNotOpenFDD,
  ErrorReadingFDD,
  InconsistentFDD,
  CouldNotOpenMIM,
  ErrorReadingMIM,
  DesignatorIsHLAstandardMIM,
  CouldNotCreateLogicalTimeFactory,
  SynchronizationPointLabelNotAnnounced,
  ObjectInstanceNotKnown,
  ObjectInstanceNameNotReserved,
  NameNotFound,
  SaveInProgress,
  SaveNotInProgress,
  SaveNotInitiated,
  FederateHasNotBegunSave,
  RestoreInProgress,
  RestoreNotInProgress,
  RestoreNotRequested,
  AttributeNotOwned,
  AttributeAlreadyBeingDivested,
  AttributeDivestitureWasNotRequested,
  NoAcquisitionPending,
  DeletePrivilegeNotHeld,
  OutOfMemory,  ///< the memory budget does not allow it; RTIinternalError
  Internal,     ///< RTIinternalError
};

struct RequestHead {
  std::uint16_t version = protocolVersion;
  Request request{};
  std::uint32_t reserved = 0;
  std::uint64_t number = 0;  ///< counts up per connection
  template <class A>
  void fields(A& a) {
    a(version, request, reserved, number);
  }
};

struct ReplyHead {
  std::uint16_t version = protocolVersion;
  Refusal refusal = Refusal::None;
  std::uint32_t reserved = 0;
  std::uint64_t number = 0;  ///< of the request
  LogNumber logTail = 0;     ///< apply the log up to here before the service returns (0: nothing)
  std::string message;       ///< what, where, why, what next; only with a refusal
  template <class A>
  void fields(A& a) {
    a(version, refusal, reserved, number, logTail, message);
  }
};

/// First request of a connection. The reply carries the descriptors of the host page and the spin
/// page. Which way the messages of a federate take to others (docs/decisions/0018).
enum class Architecture : std::uint8_t {
  Decentralized,  ///< on its host straight into the memory of the others, between hosts by the
                  ///< nodes
  Federated,      ///< all through the node of its host
  Centralized,    ///< all through the home node
};
struct HelloRequest {
  std::uint32_t layout = layoutVersion;
  std::string program;
  Architecture architecture = Architecture::Decentralized;
  template <class A>
  void fields(A& a) {
    a(layout, program, architecture);
  }
};
struct HelloReply {
  std::uint32_t layout = layoutVersion;
  std::uint32_t connection = 0;
  std::string nodeName;
  template <class A>
  void fields(A& a) {
    a(layout, connection, nodeName);
  }
};

/// An object model module as the caller's library read it.
struct ModuleBytes {
  std::string name;  ///< as designated by the caller, for messages and for the module list
  Bytes content;
  template <class A>
  void fields(A& a) {
    a(name, content);
  }
};

struct CreateFederationRequest {
  std::string federation;
  std::vector<ModuleBytes> modules;
  std::vector<ModuleBytes> mim;    ///< none or one
  std::string timeImplementation;  ///< empty: HLAfloat64Time
  bool timeKnown = false;          ///< the caller's library has a factory of it
  template <class A>
  void fields(A& a) {
    a(federation, modules, mim, timeImplementation, timeKnown);
  }
};

struct FederationNameRequest {  // DestroyFederation, Observe
  std::string federation;
  template <class A>
  void fields(A& a) {
    a(federation);
  }
};

/// No federate is granted a time beyond `ceiling` (8.13). One whose grant was being announced when
/// the request came may still be granted that time.
struct HoldTimeRequest {
  std::string federation;
  bool held = false;          ///< else time goes on
  std::uint64_t ceiling = 0;  ///< ArenaHeader::ceiling
  template <class A>
  void fields(A& a) {
    a(federation, held, ceiling);
  }
};

/// Units of logical time per second of wall clock; 0: as fast as possible.
struct SetPaceRequest {
  std::string federation;
  std::uint64_t pace = 0;  ///< bits of a double
  template <class A>
  void fields(A& a) {
    a(federation, pace);
  }
};

struct FederationInformation {
  std::string federation;
  std::string timeImplementation;
  template <class A>
  void fields(A& a) {
    a(federation, timeImplementation);
  }
};
struct ListFederationsReply {
  std::vector<FederationInformation> federations;
  template <class A>
  void fields(A& a) {
    a(federations);
  }
};

struct JoinRequest {
  std::string federation;
  std::string federateName;  ///< empty: the node makes one
  std::string federateType;
  std::vector<ModuleBytes> modules;
  template <class A>
  void fields(A& a) {
    a(federation, federateName, federateType, modules);
  }
};

/// The reply carries the descriptors of the arena's published and its shared part.
struct JoinReply {
  std::uint64_t execution = 0;  ///< counts the executions of a node, restored ones too
  FederateNumber federate = 0;
  std::string federateName;
  std::string timeImplementation;
  std::uint64_t arenaBytes = 0;
  std::uint64_t publishedBytes = 0;  ///< of these: the published part
  Offset block = 0;                  ///< FederateBlock
  Offset model = 0;                  ///< compact object model
  std::uint64_t modelBytes = 0;
  Offset snapshot = 0;  ///< log records that lead to the state at `logNumber`, this join included
  std::uint64_t snapshotBytes = 0;
  Offset logBlock = 0;  ///< where the record after `logNumber` will be
  std::uint64_t logAt = 0;
  LogNumber logNumber = 0;
  template <class A>
  void fields(A& a) {
    a(execution, federate, federateName, timeImplementation, arenaBytes, publishedBytes, block,
      model, modelBytes, snapshot, snapshotBytes, logBlock, logAt, logNumber);
  }
};

/// What becomes of the leaver's object instances is decided by its library, which sends removals
/// before it resigns; the node needs to know what is left.
struct ResignRequest {
  std::uint32_t action = 0;  ///< rti1516e::ResignAction
  bool deletesObjects = false;
  template <class A>
  void fields(A& a) {
    a(action, deletesObjects);
  }
};

/// The whole set that holds after the call, for this class.
struct DeclareObjectClassRequest {
  std::uint32_t objectClass = 0;
  bool publish = false;  ///< else subscribe
  bool passive = false;
  std::vector<std::uint32_t> attributes;
  std::vector<std::uint32_t> passiveAttributes{};  ///< when only some of them are
  std::vector<std::string> updateRates{};          ///< designators, one for each; empty: none
  template <class A>
  void fields(A& a) {
    a(objectClass, publish, passive, attributes, passiveAttributes, updateRates);
  }
};

struct DeclareInteractionClassRequest {
  std::uint32_t interactionClass = 0;
  bool publish = false;  ///< else subscribe
  bool active = false;   ///< what holds after the call
  bool passive = false;
  template <class A>
  void fields(A& a) {
    a(interactionClass, publish, active, passive);
  }
};

struct RegisterSynchronizationPointRequest {
  std::string label;
  Bytes tag;
  bool everyone = true;  ///< else the federates of `set`
  std::vector<FederateNumber> set;
  template <class A>
  void fields(A& a) {
    a(label, tag, everyone, set);
  }
};
/// 4.12: a failure is told by callback, not by an exception.
struct RegisterSynchronizationPointReply {
  bool registered = false;
  std::uint32_t reason = 0;  ///< rti1516e::SynchronizationPointFailureReason
  template <class A>
  void fields(A& a) {
    a(registered, reason);
  }
};

struct SynchronizationPointAchievedRequest {
  std::string label;
  bool successfully = true;
  template <class A>
  void fields(A& a) {
    a(label, successfully);
  }
};

struct NamesRequest {  // ReserveNames (all or none), ReleaseNames
  std::vector<std::string> names;
  template <class A>
  void fields(A& a) {
    a(names);
  }
};
struct ReserveNamesReply {
  bool reserved = false;
  std::vector<std::string> taken;
  template <class A>
  void fields(A& a) {
    a(reserved, taken);
  }
};

/// A ring from the caller to `receiver`; `replaces` is the one that became too small.
struct OpenRingRequest {
  FederateNumber receiver = 0;
  std::uint64_t bytes = 0;  ///< extent with header; rounded up to a power of two
  Offset replaces = 0;      ///< keeps its place in the inbound directory; the entry is not changed
  template <class A>
  void fields(A& a) {
    a(receiver, bytes, replaces);
  }
};
struct OpenRingReply {
  Offset ring = 0;
  Offset inboundBlock = 0;       ///< where the ready bit is
  std::uint32_t entry = 0;       ///< its index in that block
  std::uint32_t blockIndex = 0;  ///< of the block in the chain, for readySummary
  template <class A>
  void fields(A& a) {
    a(ring, inboundBlock, entry, blockIndex);
  }
};

enum class Purpose : std::uint8_t { Instances = 1, Names = 2, Chunk = 3, Regions = 4 };

struct AllocateRequest {
  std::uint64_t bytes = 0;
  Purpose purpose = Purpose::Chunk;
  template <class A>
  void fields(A& a) {
    a(bytes, purpose);
  }
};
struct AllocateReply {
  Offset extent = 0;
  std::uint64_t bytes = 0;
  template <class A>
  void fields(A& a) {
    a(extent, bytes);
  }
};
struct FreeRequest {
  Offset extent = 0;
  template <class A>
  void fields(A& a) {
    a(extent);
  }
};

/// Best effort of a federate that never arrived, once per receiver.
struct DropStatus {
  std::string className;  ///< empty: of classes that are not told apart
  bool interaction = false;
  std::uint64_t dropped = 0;  ///< by the federate itself
  std::uint64_t lost = 0;     ///< between hosts
  template <class A>
  void fields(A& a) {
    a(className, interaction, dropped, lost);
  }
};
/// What went wrong in a federate's callbacks, one for each callback and type of exception.
struct CallbackFault {
  static constexpr std::size_t mostKinds = 16;  ///< of one federate that a node keeps
  static constexpr std::size_t longestText = 512;
  std::string callback;     ///< "reflectAttributeValues"; empty: the RTI could not deliver
  std::string type;         ///< of the exception: "std::out_of_range"
  std::string text;         ///< what it said the first time
  std::uint64_t count = 0;  ///< how often so far; told the 1st, 10th, 100th ... time
  template <class A>
  void fields(A& a) {
    a(callback, type, text, count);
  }
};
struct FederateStatus {
  FederateNumber federate = 0;
  std::string name;
  std::string type;
  std::int32_t pid = 0;
  std::uint32_t state = 0;  ///< FederateState
  Offset block = 0;
  std::vector<std::uint64_t> figures;  ///< of one that has left: what figures.h makes of its page
  std::vector<DropStatus> drops;       ///< by class, with nothing dropped left out
  std::vector<CallbackFault> faults{};
  template <class A>
  void fields(A& a) {
    a(federate, name, type, pid, state, block, figures, drops, faults);
  }
};
struct SynchronizationPointStatus {
  std::string label;
  std::vector<FederateNumber> waitingFor;
  std::vector<FederateNumber> achieved{};  ///< successfully
  template <class A>
  void fields(A& a) {
    a(label, waitingFor, achieved);
  }
};
/// Something published or subscribed.
struct DeclarationStatus {
  FederateNumber federate = 0;
  std::uint32_t classHandle = 0;  ///< of an object or interaction class
  bool interaction = false;
  bool publish = false;  ///< else subscribe
  template <class A>
  void fields(A& a) {
    a(federate, classHandle, interaction, publish);
  }
};
struct FederationStatus {
  std::uint64_t execution = 0;  ///< counts the executions of a node: a new one of the name differs
  std::string federation;
  std::string timeImplementation;
  std::vector<std::string> modules;
  std::vector<FederateStatus> federates;  ///< joined ones, then the last 512 that left
  std::uint64_t leftEarlier = 0;          ///< that have left, and are in the list no longer
  std::vector<SynchronizationPointStatus> synchronizationPoints;
  std::vector<SynchronizationPointStatus> synchronized{};  ///< the last ones, each label once
  std::vector<DeclarationStatus> declarations;
  std::uint64_t logNumber = 0;
  std::uint64_t committedBytes = 0;
  Offset model = 0;  ///< compact object model, as it is now
  std::uint64_t modelBytes = 0;
  template <class A>
  void fields(A& a) {
    a(execution, federation, timeImplementation, modules, federates, leftEarlier,
      synchronizationPoints, synchronized, declarations, logNumber, committedBytes, model,
      modelBytes);
  }
};
/// How another node is reached with best effort.
struct WayStatus {
  std::string node;         ///< its address
  bool direct = false;      ///< by datagrams; else over the links
  bool multicast = false;   ///< by those of the group as well
  std::uint64_t bytes = 0;  ///< of a datagram, at most
  template <class A>
  void fields(A& a) {
    a(node, direct, multicast, bytes);
  }
};
struct StatusReply {
  std::string nodeName;
  std::int32_t pid = 0;
  std::uint64_t requests = 0;  ///< answered since the start; without those for status and memory
  std::uint64_t budgetBytes = 0;
  std::uint64_t committedBytes = 0;
  std::uint32_t connections = 0;
  std::vector<FederationStatus> federations;
  /// The last executions that were destroyed, oldest first: who was in them, and their figures.
  std::vector<FederationStatus> ended;
  std::vector<WayStatus> ways;
  template <class A>
  void fields(A& a) {
    a(nodeName, pid, requests, budgetBytes, committedBytes, connections, federations, ended, ways);
  }
};
/// The reply to Observe carries the arena's descriptors, both to be mapped read-only.
struct ObserveReply {
  std::uint64_t arenaBytes = 0;
  std::uint64_t publishedBytes = 0;
  template <class A>
  void fields(A& a) {
    a(arenaBytes, publishedBytes);
  }
};

// --- control log ---------------------------------------------------------------------------------

enum class LogRecordType : std::uint16_t {
  EndOfBlock = 0,  ///< continue at the start of LogBlock::next; has no number of its own
  FederateJoined = 1,
  FederateResigned = 2,
  ObjectClassDeclared = 3,
  InteractionClassDeclared = 4,
  SynchronizationPointAnnounced = 5,
  FederationSynchronized = 6,
  ModelExtended = 7,
  InstancesAdopted = 8,
  OwnershipBegun = 20,  // 20 to 22: protocol_ownership.h
  OwnershipChanged = 21,
  OwnershipEnded = 22,
  // protocol_save.h
  SaveScheduled = 40,
  SaveInitiated = 41,
  SaveBegunByAll = 42,  ///< no body
  SaveEnded = 43,
  RestoreBegun = 44,
  RestoreEnded = 45,
  AttributeTransportationChanged = 60,  ///< protocol_order.h
  InteractionTransportationChanged = 61,
  ObjectClassRegions = 30,
  InteractionClassRegions = 31,
  MomCommand = 50,   ///< protocol_mom.h
  MomSwitches = 51,  ///< protocol_mom.h
  MomTiming = 52,    ///< protocol_mom.h
};

struct FederateJoinedRecord {
  FederateNumber federate = 0;
  Offset block = 0;
  std::string name;
  std::string type;
  bool hidden = false;                 ///< a member of the RTI's own: no joined federate
  std::vector<std::string> modules{};  ///< FOM modules it came with, as it designated them
  bool router = false;  ///< it takes what is for other hosts; else a hidden one serves the MOM
  template <class A>
  void fields(A& a) {
    a(federate, block, name, type, hidden, modules, router);
  }
};

/// Follows the leaver's last data: a receiver drains its ring first.
struct FederateResignedRecord {
  FederateNumber federate = 0;
  bool lost = false;            ///< killed or crashed; resigned by the automatic resign action
  bool deletesObjects = false;  ///< those are removed whose privilege to delete it owns
  bool keepsTable = false;      ///< instances that it registered live on, so their table stays
  template <class A>
  void fields(A& a) {
    a(federate, lost, deletesObjects, keepsTable);
  }
};

struct ObjectClassDeclaredRecord {
  FederateNumber federate = 0;
  std::uint32_t objectClass = 0;
  bool publish = false;
  bool passive = false;
  std::vector<std::uint32_t> attributes;           ///< what holds from here on; empty: nothing
  std::vector<std::uint32_t> passiveAttributes{};  ///< when only some of them are
  std::vector<std::string> updateRates{};          ///< designators, one for each; empty: none
  template <class A>
  void fields(A& a) {
    a(federate, objectClass, publish, passive, attributes, passiveAttributes, updateRates);
  }
};

struct InteractionClassDeclaredRecord {
  FederateNumber federate = 0;
  std::uint32_t interactionClass = 0;
  bool publish = false;
  bool active = false;
  bool passive = false;
  template <class A>
  void fields(A& a) {
    a(federate, interactionClass, publish, active, passive);
  }
};

/// For the federates of `set`. A federate that joins while a point for everyone is open finds it
/// announced in its snapshot and is in its set from then on (4.11).
struct SynchronizationPointAnnouncedRecord {
  std::string label;
  Bytes tag;
  std::vector<FederateNumber> set;
  template <class A>
  void fields(A& a) {
    a(label, tag, set);
  }
};

struct FederationSynchronizedRecord {
  std::string label;
  std::vector<FederateNumber> set;
  std::vector<FederateNumber> failed;
  template <class A>
  void fields(A& a) {
    a(label, set, failed);
  }
};

/// A join brought modules: this model replaces the one before; handles are kept.
struct ModelExtendedRecord {
  Offset model = 0;
  std::uint64_t bytes = 0;
  template <class A>
  void fields(A& a) {
    a(model, bytes);
  }
};

/// The table of one who left instances behind; in snapshots for late joiners.
struct InstancesAdoptedRecord {
  FederateNumber federate = 0;
  Offset instances = 0;
  std::string name;  ///< of the federate
  template <class A>
  void fields(A& a) {
    a(federate, instances, name);
  }
};

}  // namespace tutti::fabric
