// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "executive/answer.h"
#include "executive/arena_allocator.h"
#include "executive/budget.h"
#include "executive/control_log.h"
#include "executive/inbound_directory.h"
#include "executive/instance_names.h"
#include "executive/model_source.h"
#include "executive/ownership.h"
#include "executive/pace.h"
#include "executive/region_subscriptions.h"
#include "executive/save_restore.h"
#include "executive/saved_execution.h"
#include "executive/synchronization_points.h"
#include "fabric/layout.h"
#include "fabric/protocol.h"
#include "fabric/protocol_mom.h"
#include "fabric/protocol_order.h"
#include "fabric/protocol_save.h"

namespace tutti::executive {

/// A name in shared memory that says that it is longer is none: anyone may have written the number.
inline constexpr std::size_t mostNameBytes = std::size_t{1} << 20;

/// Who joins: the process behind the connection.
struct Joiner {
  std::int32_t pid = 0;          ///< for display only
  std::uint32_t connection = 0;  ///< its bit in the spin page
  bool remote = false;           ///< it lives on another host; its page here stands in for it
  std::string host = {};         ///< which; for display only
};

/// A federate of this host that was there before a restore, and its connection by this node's
/// count.
struct ReturningFederate {
  fabric::FederateNumber federate = 0;
  std::uint64_t connection = 0;
  template <class A>
  void fields(A& a) {
    a(federate, connection);
  }
};
/// What the page of a restored federate shows before it has returned.
struct RestoredPage {
  fabric::FederateNumber federate = 0;
  std::uint32_t automaticResignAction = 0;
  std::vector<std::uint64_t> time;  ///< TimeState::eachWord
  template <class A>
  void fields(A& a) {
    a(federate, automaticResignAction, time);
  }
};

/// A federation execution of another node as it begins here.
struct ReplicaStart {
  std::string name;
  std::string timeImplementation;
  fabric::Bytes model;                                ///< compact
  fabric::LogNumber logNumber = 0;                    ///< what follows is the record after it
  std::vector<fabric::FederateJoinedRecord> members;  ///< by then, the router among them
  std::vector<SavedTable> adopted;
  // Of one that was restored, while nobody has returned to it.
  std::vector<RestoredPage> pages;
  std::vector<ReturningFederate> returning;  ///< of this host
  fabric::Bytes snapshot;                    ///< what they find
  template <class A>
  void fields(A& a) {
    a(name, timeImplementation, model, logNumber, members, adopted, pages, returning, snapshot);
  }
};

/// One federation execution: members, declarations, names, synchronization points, and the shared
/// memory through which its federates meet (IEEE 1516.1-2010, 4 to 6). What it decides stands in
/// the control log before a method returns. A refused request changes nothing. Not thread-safe.
class FederationExecution {
  struct Made {};  // only create() can call the constructor

 public:
  /// `budget` outlives the execution.
  static Answer<std::unique_ptr<FederationExecution>> create(
      std::string name, std::string timeImplementation,
      std::shared_ptr<const FederationModel> model, Budget& budget);
  /// The execution that was saved; `joiners` by their numbers in it (4.29). Each of them has still
  /// to enter with enterRestored().
  static Answer<std::unique_ptr<FederationExecution>> restore(
      const SavedExecution& saved, std::shared_ptr<const FederationModel> model,
      const std::map<fabric::FederateNumber, Joiner>& joiners, Budget& budget);
  FederationExecution(Made, std::string name, std::string timeImplementation,
                      std::shared_ptr<const FederationModel> model,
                      std::unique_ptr<ArenaAllocator> arena, ControlLog log);
  FederationExecution(const FederationExecution&) = delete;
  FederationExecution& operator=(const FederationExecution&) = delete;

  const std::string& name() const { return name_; }
  const std::string& timeImplementation() const { return timeImplementation_; }
  const ArenaAllocator& arena() const { return *arena_; }
  const std::shared_ptr<const FederationModel>& model() const { return model_; }
  fabric::LogNumber logTail() const { return log_.tail(); }
  bool hasMembers() const { return !members_.empty(); }
  std::vector<std::string> memberNames() const;

  /// 4.9.
  /// `read`: the model with the modules of the request; without it they are read here.
  Answer<fabric::JoinReply> join(const fabric::JoinRequest& request, const Joiner& joiner,
                                 const ModelRead* read = nullptr);
  /// 4.10. The other federates find what is left in the leaver's rings and act on its record after.
  Answer<void> resign(fabric::FederateNumber federate, const fabric::ResignRequest& request);
  /// The federate died: resigned by its automatic resign action (4.1.5). Tells whether everybody
  /// could be told; false means that the execution has no memory for one more record.
  bool lose(fabric::FederateNumber federate);

  /// 5.2 to 5.9: what holds from here on for one federate and class.
  Answer<void> declare(fabric::FederateNumber federate,
                       const fabric::DeclareObjectClassRequest& request);
  Answer<void> declare(fabric::FederateNumber federate,
                       const fabric::DeclareInteractionClassRequest& request);
  /// 9.8 to 9.11.
  Answer<void> declare(fabric::FederateNumber federate,
                       const fabric::SubscribeObjectClassWithRegionsRequest& request);
  Answer<void> declare(fabric::FederateNumber federate,
                       const fabric::SubscribeInteractionClassWithRegionsRequest& request);

  /// 6.23, 6.27: what holds from here on for what one federate sends.
  Answer<void> changeTransportation(fabric::FederateNumber federate,
                                    const fabric::AttributeTransportationRequest& request);
  Answer<void> changeTransportation(fabric::FederateNumber federate,
                                    const fabric::InteractionTransportationRequest& request);

  /// 4.11.
  Answer<fabric::RegisterSynchronizationPointReply> registerSynchronizationPoint(
      fabric::FederateNumber federate, const fabric::RegisterSynchronizationPointRequest& request);
  /// 4.14.
  Answer<void> synchronizationPointAchieved(
      fabric::FederateNumber federate, const fabric::SynchronizationPointAchievedRequest& request);

  /// 6.2, 6.5: all names or none.
  fabric::ReserveNamesReply reserveNames(fabric::FederateNumber federate,
                                         const fabric::NamesRequest& request);
  /// 6.4, 6.7.
  Answer<void> releaseNames(fabric::FederateNumber federate, const fabric::NamesRequest& request);

  /// 7.2 to 7.15, the services that change something.
  Answer<fabric::OwnershipReply> ownership(fabric::FederateNumber federate,
                                           const fabric::OwnershipRequest& request);
  /// 5.3, what follows from it for instances.
  Answer<void> unpublishInstances(fabric::FederateNumber federate,
                                  const fabric::UnpublishInstancesRequest& request);
  /// 6.14, of an instance whose ownership is kept here.
  Answer<void> deleteInstance(fabric::FederateNumber federate,
                              const fabric::DeleteInstanceRequest& request);

  /// The hidden member that serves the MOM (11); 0: nobody's declaration has concerned it so far.
  /// It is no joined federate: members, sets and counts do not hold it. It leaves with the last
  /// federate.
  fabric::FederateNumber management() const;
  /// Whether its library has still to begin.
  bool managementWaits() const { return managementReply_.has_value(); }
  /// The library of the hidden member begins.
  Answer<fabric::JoinReply> attachManagement();
  fabric::MomInformation momInformation() const;
  fabric::MomTextReply momText(const fabric::MomTextRequest& request) const;
  Answer<void> momCommand(const fabric::MomCommand& command);
  /// Tells federates to resign, as HLAresignFederationExecution does: all that were named, or none.
  Answer<std::vector<fabric::ResignPart>> resignByMom(const fabric::OperateResignRequest& request);
  Answer<void> momSwitches(const fabric::MomSwitches& switches);
  Answer<void> momTiming(const fabric::MomTiming& timing);
  // federation_adjust.cpp
  /// Does for an operator what the interactions of HLAadjust do: all that is asked for, or nothing.
  Answer<void> adjustByMom(const fabric::OperateAdjustRequest& request);
  fabric::AdjustmentsReply adjustments() const;
  Answer<void> adjustRefused(fabric::FederateNumber federate, const fabric::AdjustRefused& refused);
  Answer<void> modifyAttributeState(const fabric::ModifyAttributeStateRequest& request);
  Answer<fabric::FindOwnerReply> findOwner(const fabric::FindOwnerRequest& request) const;

  Answer<fabric::OpenRingReply> openRing(fabric::FederateNumber federate,
                                         const fabric::OpenRingRequest& request);
  Answer<fabric::AllocateReply> allocate(fabric::FederateNumber federate,
                                         const fabric::AllocateRequest& request);
  /// Done as well when there is nothing to be freed any more, the receiver of a ring having died.
  Answer<void> free(fabric::FederateNumber federate, const fabric::FreeRequest& request);

  /// No federate is granted beyond `ceiling`, bits of the execution's time type, or of a double
  /// where that is a federate's own.
  void holdTime(std::uint64_t ceiling, Pace::Clock::time_point now = Pace::Clock::now());
  void releaseTime(Pace::Clock::time_point now = Pace::Clock::now());
  const std::optional<std::uint64_t>& heldAt() const { return hold_; }
  /// Federates are granted at most so many units of logical time per second (0: as fast as they
  /// can), as long as nobody holds time.
  void keepPace(double perSecond, Pace::Clock::time_point now);
  double pace() const { return pace_ ? pace_->perSecond() : 0; }
  struct PaceLook {
    std::optional<Pace::Clock::time_point> next;  ///< nothing: not before something changes
    bool moved = false;                           ///< the ceiling is another now
  };
  /// Moves the ceiling of the pace.
  PaceLook followPace(Pace::Clock::time_point now);
  /// No federate is ever granted beyond `limit`, the stop time of the run, held or not.
  void limitTime(double limit);
  /// Nobody can be granted any more before or at the limit: each federate that takes part in time
  /// has come to it, or asks for more. False while nobody takes part. What it reads changes
  /// meanwhile: to be believed when it has been so for a while.
  bool isAtTimeLimit() const;

  // Save (4.16 to 4.23)
  Answer<void> requestSave(fabric::FederateNumber federate,
                           const fabric::RequestSaveRequest& request);
  Answer<void> saveTimeReached(fabric::FederateNumber federate,
                               const fabric::SaveTimeReachedRequest& request);
  Answer<void> saveBegun(fabric::FederateNumber federate);
  Answer<void> saveCompleted(fabric::FederateNumber federate,
                             const fabric::CompletedRequest& request);
  /// True: the execution can be saved as takeSaved(), and endSave() is to be called.
  Answer<bool> savedState(fabric::FederateNumber federate,
                          const fabric::SavedStateRequest& request);
  SavedExecution takeSaved();
  /// Without a failure: saved.
  Answer<void> endSave(std::optional<SaveRestore::SaveFailure> failure,
                       const std::string& federate = {});
  Answer<void> abortSave();
  fabric::SaveStatusReply saveStatus() const;

  // Restore (4.24 to 4.32)
  Answer<void> checkIdle() const { return saveRestore_.checkIdle(); }
  /// False: the joined federates are not as many of each type as were saved; nothing is done.
  Answer<bool> beginRestore(const SavedExecution& saved);
  /// True: every federate has completed; endRestore() is to be called.
  Answer<bool> restoreCompleted(fabric::FederateNumber federate,
                                const fabric::CompletedRequest& request);
  /// What the joined federates become.
  const std::vector<fabric::RestoredIdentity>& identities() const {
    return saveRestore_.identities();
  }
  const std::string& restoredLabel() const { return saveRestore_.label(); }
  /// Without a failure: restored; the federates enter the other execution.
  Answer<void> endRestore(std::optional<SaveRestore::RestoreFailure> failure,
                          const std::string& federate = {});
  Answer<void> abortRestore();
  fabric::RestoreStatusReply restoreStatus() const;
  Answer<fabric::EnterRestoredReply> enterRestored(fabric::FederateNumber federate);

  /// For operators: what is going on and what came of the last one, but not what is kept.
  fabric::SavesReply saves() const;
  /// This takes the place of `before`, which was restored: its count of outcomes goes on.
  void continueOutcomes(const FederationExecution& before) { lastOutcome_ = before.lastOutcome_; }

  // Other hosts (federation_replica.cpp)
  /// A federate's page, or one that stands in for it.
  struct Page {
    fabric::FederateNumber federate = 0;
    fabric::FederateBlock* block = nullptr;
    bool remote() const { return block->via != 0; }
  };
  /// From here on federates of other hosts can be members: there is a router for what is sent to
  /// them, a hidden member without a library.
  Answer<void> openRouter();
  fabric::FederateNumber router() const { return routers_.empty() ? 0 : routers_.begin()->first; }
  fabric::FederateBlock* routerPage() const;
  /// Of joined federates and the hidden member that serves the MOM.
  std::vector<Page> pages() const;
  /// Grows with each member that comes or goes.
  std::uint64_t membership() const { return membership_; }
  /// What another node needs to begin a replica.
  ReplicaStart replicaStart() const;
  /// The same of an execution that has just been restored; without `returning`.
  ReplicaStart restoredStart() const;
  /// The live rows in the table of a member.
  std::vector<SavedInstance> rowsOf(fabric::FederateNumber registrant) const {
    return savedInstances(tableOf(registrant));
  }
  /// Where the record after logTail() will be.
  fabric::LogPosition logEnd() const { return log_.end(); }
  /// Called for each row that is freed here and not by its registrant.
  void onRowFreed(std::function<void(std::uint64_t instance, std::uint32_t row)> freed) {
    rowFreed_ = std::move(freed);
  }
  /// Called for the table that is made here for one who leaves before it has returned to a restored
  /// execution; before the record of its end.
  void onTablePlaced(
      std::function<void(fabric::FederateNumber, const std::vector<SavedInstance>&)> placed) {
    tablePlaced_ = std::move(placed);
  }
  /// A sender has died: whatever it wrote is looked for.
  void announce(fabric::FederateNumber sender);

  /// A replica decides nothing: it holds what federates of this host need of an execution that
  /// another node decides on, and its log has the same records with the same numbers.
  static Answer<std::unique_ptr<FederationExecution>> replica(const ReplicaStart& start,
                                                              Budget& budget);
  /// `joiner` is null for a federate of another host, whose page says the rest by itself.
  Answer<void> replicateJoined(const fabric::FederateJoinedRecord& record, const Joiner* joiner,
                               std::uint32_t automaticResignAction);
  Answer<void> replicateResigned(const fabric::FederateResignedRecord& record);
  Answer<void> replicateModel(const fabric::Bytes& compact);
  Answer<void> replicateRecord(fabric::LogRecordType type, const fabric::Bytes& body);
  void replicateFreedRow(std::uint64_t instance, std::uint32_t row);
  Answer<void> replicateTable(fabric::FederateNumber federate,
                              const std::vector<SavedInstance>& instances);
  void replicateCeiling(std::uint64_t ceiling, std::uint32_t active, std::uint64_t pace);
  /// What a federate of this host is told whose joining has just been replicated: `reply` and
  /// `snapshot` are the deciding node's.
  Answer<fabric::JoinReply> replicatedJoin(fabric::JoinReply reply, const fabric::Bytes& snapshot);
  /// The same of one who returns after a restore.
  Answer<fabric::JoinReply> replicatedReturn(const fabric::JoinReply& reply) const;

  /// Frees the memory that nobody can be reading any more.
  void reclaim();
  /// Whether reclaim() may have something to free later.
  bool hasLeftovers() const;

  fabric::FederationStatus status() const;
  /// Keeps it for status(). True: the first of its callback and type, so worth a line in the log.
  bool note(fabric::FederateNumber federate, const fabric::CallbackFault& fault);
  /// Empty: no such joined federate.
  std::string nameOf(fabric::FederateNumber federate) const;

 private:
  struct OwnExtent {
    std::uint64_t bytes = 0;
    fabric::Purpose purpose{};
  };

  struct Member {
    Member(ArenaAllocator& arena, fabric::FederateNumber federate, fabric::Offset block_)
        : block(block_), inbound(arena, federate, block_) {}

    std::string name;
    std::string type;
    Joiner process;
    fabric::Offset block = 0;
    InboundDirectory inbound;
    std::map<fabric::Offset, OwnExtent> extents;  ///< those it asked for, without its rings
    /// By class and whether it is a publication; the whole set that holds.
    std::map<std::pair<std::uint32_t, bool>, fabric::ObjectClassDeclaredRecord> objectClasses;
    std::map<std::pair<std::uint32_t, bool>, fabric::InteractionClassDeclaredRecord> interactions;
    /// Object classes: it may know instances of them still, and has to hear of their removal.
    std::set<std::uint32_t> onceSubscribed;
    /// What its library knew; until the federate has entered the restored execution.
    std::optional<fabric::Bytes> restoredState;
    /// Its table as it was saved, until its library has come back with it; by instance.
    std::map<std::uint64_t, SavedInstance> restoredInstances;
    RegionSubscriptions regions;
    std::vector<ModuleText> modules;  ///< it came with them
    std::uint32_t reportPeriod = 0;   ///< HLAsetTiming, in seconds
    std::string adjustRefused;        ///< since an operator adjusted it last; empty: nothing
    std::vector<fabric::CallbackFault> faults;
  };

  struct AdoptedTable {
    fabric::FederateNumber federate = 0;
    fabric::Offset instances = 0;
    std::string name;
  };

  // federation_ownership.cpp
  fabric::Offset tableOf(fabric::FederateNumber registrant) const;
  /// The row of an instance while it is alive; else null.
  fabric::InstanceRow* rowOf(std::uint64_t instance, std::uint32_t number) const;
  std::string nameIn(const fabric::InstanceRow& row) const;
  /// Calls visit(row, its number) for the rows of instances that are alive, until it returns true.
  template <class F>
  void visitRows(fabric::Offset table, F&& visit) const;
  struct NamedAttribute {
    std::uint64_t instance = 0;
    std::uint32_t row = 0;
    std::uint32_t attribute = 0;
  };
  /// In O(1) when the instance is at `place`; else walks the tables where it may be.
  Answer<NamedAttribute> findAttribute(const std::string& instance, const std::string& attribute,
                                       const fabric::InstancePlace& place) const;
  std::vector<std::uint32_t> ownedIn(const fabric::InstanceRow& row) const;
  /// Ends the instance and its name. Only once its registrant no longer does it itself.
  void freeRow(fabric::InstanceRow& row, std::uint32_t number);
  void freeUntradedRows(fabric::FederateNumber registrant);
  Ownership::Instance asRegistered(const fabric::InstanceRow& row,
                                   fabric::FederateNumber registrant, std::uint32_t number) const;
  /// It is restored, and its library has not come back with its table.
  bool isAway(const Member& member) const;
  /// What was saved of it; null once its registrant has come back to the restored execution.
  const SavedInstance* awayInstance(std::uint64_t instance);
  /// The instance ends while its registrant is away.
  void endAway(std::uint64_t instance);
  /// The table of one that leaves before it has come back; 0: nothing of it lives on. `deletes`: of
  /// its instances only those that are others' to delete.
  Answer<fabric::Offset> placeAwayTable(fabric::FederateNumber federate, bool deletes,
                                        std::set<std::string>& names);
  /// Has `decide` decide on the instance as it is, writes what follows to the log and keeps it.
  template <class Decide>
  Answer<Ownership::Decision> decideOwnership(std::uint64_t instance, std::uint32_t number,
                                              Decide&& decide);
  void endTransportations(std::uint64_t instance, const fabric::OwnershipChangedRecord& record);
  void endOwnership(std::uint64_t instance, std::uint32_t row);
  /// Before the record of a resignation. False: not everything could be told.
  bool leaveOwnership(fabric::FederateNumber federate, bool deletes);
  std::vector<SavedOwnership> savedOwnership() const;
  void restoreOwnership(const std::vector<SavedOwnership>& saved);

  Answer<fabric::JoinReply> admit(const fabric::JoinRequest& request, const Joiner& joiner,
                                  std::shared_ptr<const FederationModel> extended, bool hidden,
                                  fabric::FederateNumber federate);
  /// Has the hidden member ready before the declaration that concerns it is told. `federate`: its
  /// number in the execution that was saved, so that its objects keep their handles; 0: a new one.
  Answer<void> openManagement(fabric::FederateNumber federate = 0);
  /// The modules that a federate came with; their bytes are the model's where it has them.
  std::vector<ModuleText> textsOf(const std::vector<fabric::ModuleBytes>& modules) const;
  Member& memberOf(fabric::FederateNumber federate);
  /// Of joined federates and the hidden member.
  template <class F>
  void forEachMember(F&& f) {
    for (auto& item : members_) f(item.first, item.second);
    for (auto& item : management_) f(item.first, item.second);
    for (auto& item : routers_) f(item.first, item.second);
  }
  void standIn(fabric::FederateBlock& block, fabric::Offset page) const;
  Answer<void> placeRouter(fabric::FederateNumber federate, fabric::Offset page);
  /// The rings of one who leaves, and what else was its own, go with the record `ended`.
  void retireMember(fabric::FederateNumber federate, Member& member, fabric::LogNumber ended);
  void adoptTable(fabric::FederateNumber federate, const Member& member, fabric::Offset table,
                  bool givesExtents);
  fabric::FederateBlock& blockOf(const Member& member) const;
  template <class Request>
  Answer<void> declareRegions(fabric::FederateNumber federate, fabric::LogRecordType type,
                              const Request& request);
  void placeCeiling();
  /// Without telling anybody. Whether it is another's than before.
  bool setCeiling();
  std::uint64_t timeAt(double time) const;
  Pace::Standing standingForPace() const;
  /// The ceiling has moved on: wakes those that wait for a time that it has passed, nobody else.
  void tellTimeWaiters(std::uint64_t from, std::uint64_t to) const;
  bool hasOwnTimes() const;
  bool isLater(std::uint64_t a, std::uint64_t b) const;
  void tellTimeWaiters() const;
  std::set<fabric::FederateNumber> joinedSet() const;
  std::string freeName(const std::string& type, fabric::FederateNumber federate) const;
  /// The records that lead to the present state, for `joiner`, which is not a member yet, or for a
  /// member that is restored.
  fabric::Bytes snapshotFor(const fabric::FederateJoinedRecord* joiner);
  fabric::FederateBlock& setUpBlock(const ArenaAllocator::Extent& extent,
                                    fabric::FederateNumber federate, const Joiner& joiner,
                                    std::uint32_t automaticResignAction);
  fabric::JoinReply replyFor(fabric::FederateNumber federate,
                             const ArenaAllocator::Extent& snapshot,
                             const fabric::LogPosition& end) const;

  // federation_execution_save.cpp
  Answer<void> tell(fabric::LogRecordType type, const auto& record);
  Answer<void> initiateSave(const fabric::SaveInitiatedRecord& record);
  Answer<void> initiateScheduledSave();
  /// The live rows of the table that starts there.
  std::vector<SavedInstance> savedInstances(fabric::Offset table) const;
  std::optional<std::vector<fabric::RestoredIdentity>> identitiesFor(
      const SavedExecution& saved) const;
  /// Where it lies; 0: it is empty.
  Answer<fabric::Offset> placeTable(const std::vector<SavedInstance>& instances);
  Answer<void> placeMember(const SavedMember& saved, const Joiner& joiner);
  /// Everybody who is restored finds the same when it returns, and then what the log tells since.
  Answer<void> openForReturns();
  Answer<void> openForReturns(const fabric::Bytes& snapshot);
  fabric::Bytes ownSnapshot(const fabric::Bytes& snapshot) const;
  Answer<void> checkOpenForJoin() const;

  bool leave(fabric::FederateNumber federate, fabric::FederateState state, bool deletesObjects);
  /// Names of the live rows in the table of one who left; nothing when no row lives.
  std::optional<std::set<std::string>> liveInstances(const Member& member,
                                                     fabric::Offset table) const;

  std::string name_;
  std::string timeImplementation_;
  std::optional<std::uint64_t> hold_, limit_;  ///< bits of the time type
  std::optional<Pace> pace_;
  std::shared_ptr<const FederationModel> model_;
  std::unique_ptr<ArenaAllocator> arena_;
  ControlLog log_;
  fabric::Offset modelExtent_ = 0;

  std::map<fabric::FederateNumber, Member> members_;
  std::map<fabric::FederateNumber, Member> management_;  ///< none or one
  std::map<fabric::FederateNumber, Member> routers_;     ///< none or one
  std::uint64_t membership_ = 0;
  std::function<void(std::uint64_t, std::uint32_t)> rowFreed_;
  std::function<void(fabric::FederateNumber, const std::vector<SavedInstance>&)> tablePlaced_;
  std::optional<fabric::JoinReply> managementReply_;  ///< until its library begins
  std::optional<bool> autoProvide_;                   ///< once set by HLAsetSwitches
  std::string lastSave_;                              ///< label of the last save that succeeded
  std::optional<std::uint64_t> lastSaveTime_, savingAt_;
  fabric::FederateNumber lastFederate_ = 0;
  std::deque<fabric::FederateStatus> left_;  ///< newest last, for display
  std::uint64_t leftEarlier_ = 0;            ///< those no longer in left_
  SynchronizationPoints points_;
  fabric::Transportations transportations_;
  InstanceNames names_;
  Ownership ownership_;
  SaveRestore saveRestore_;
  fabric::SaveOutcome lastOutcome_;
  bool declarationsChanged_ = false;  ///< since the restore
  /// What those who are restored find when they return, and where they go on in the log.
  ArenaAllocator::Extent returnSnapshot_;
  fabric::LogPosition returnAt_;
  std::vector<AdoptedTable> adopted_;
};

template <class F>
void FederationExecution::visitRows(fabric::Offset table, F&& visit) const {
  using namespace fabric;
  std::set<Offset> seen;
  std::uint32_t first = 0;
  for (Offset at = table; at != 0 && seen.insert(at).second;) {
    const auto* block = arena_->as<InstanceBlock>(at);
    if (block == nullptr) return;
    const std::size_t rows = std::min(block->capacity, block->used.load(std::memory_order_acquire));
    const std::byte* bytes = arena_->at(at, sizeof(InstanceBlock) + rows * sizeof(InstanceRow));
    if (bytes == nullptr) return;
    const auto* row = reinterpret_cast<const InstanceRow*>(bytes + sizeof(InstanceBlock));
    for (std::uint32_t i = 0; i < rows; ++i, ++row) {
      const std::uint64_t phase =
          row->state.load(std::memory_order_acquire) & InstanceRow::phaseMask;
      if (phase == InstanceRow::alive && visit(*row, first + i)) return;
    }
    first += block->capacity;
    at = block->next.load(std::memory_order_acquire);
  }
}

}  // namespace tutti::executive
