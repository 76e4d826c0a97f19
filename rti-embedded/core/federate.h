// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/callbacks.h"
#include "core/connection.h"
#include "core/declarations.h"
#include "core/fault.h"
#include "core/galt.h"
#include "core/inbox.h"
#include "core/instance_table.h"
#include "core/known_instance.h"
#include "core/local_federates.h"
#include "core/model.h"
#include "core/mom_encoding.h"
#include "core/outbox.h"
#include "core/recycler.h"
#include "core/regions.h"
#include "core/saved_federate.h"
#include "core/sent_regions.h"
#include "core/time_kind.h"
#include "core/watched_slots.h"
#include "fabric/protocol_mom.h"
#include "fabric/protocol_order.h"
#include "fabric/protocol_ownership.h"
#include "fabric/waiter.h"

namespace tutti::core {

class RecordReader;
class RecordWriter;
enum class Described : std::uint32_t;

/// One ambassador's side of the RTI: connection, membership and all services, in terms of numbers
/// and bytes. The API adapters above it (api1516e) turn those into the types of their standard.
///
/// Not thread-safe: the caller holds its lock around every call. deliverOne() and wait() give that
/// lock up while the federate's callbacks run and while nothing happens. Services throw
/// ServiceFault.
class Federate {
 public:
  using Lock = std::unique_lock<std::mutex>;
  using Clock = std::chrono::steady_clock;

  explicit Federate(Callbacks& callbacks) : callbacks_(callbacks) {}
  ~Federate();

  /// What a service has to refuse before it looks at its arguments.
  void requireConnected();
  void requireNotConnected();
  void requireNotJoined();
  void requireNoFederation(const std::string& federation);  ///< FederationExecutionAlreadyExists
  void requireMember();                                     ///< joined
  void requireJoined();  ///< and neither a save nor a restore is going on
  void checkNoSaveNorRestore() const;

  // Federation management (4.2 - 4.15)
  void connect(const std::string& designator);
  void disconnect();
  /// In a process that fork() made: closes its copy of the connection. This object may have been in
  /// any state and is not to be used or destroyed any more.
  void closeInherited() noexcept;
  /// For an object that takes the place of such a one.
  void noteForked() noexcept { forked_ = true; }
  bool connected() const { return connection_.isOpen(); }
  bool joined() const { return block_ != nullptr; }
  void createFederation(const fabric::CreateFederationRequest& request);
  void destroyFederation(const std::string& federation);
  void listFederations();  ///< answered by callback
  FederateNumber join(const fabric::JoinRequest& request);
  /// For the node itself: joins as the hidden member that serves the MOM (core/federate_mom.cpp).
  void joinAsManagement(fabric::Endpoint endpoint, const std::string& nodeName,
                        const std::string& federation);
  void resign(std::uint32_t action);
  void registerSynchronizationPoint(const std::string& label, std::span<const std::byte> tag,
                                    const std::vector<FederateNumber>* set);
  void synchronizationPointAchieved(const std::string& label, bool successfully);
  void requestSave(const std::string& label, const std::uint64_t* time);
  void saveBegun();
  void saveCompleted(bool successfully);
  void abortSave();
  void querySaveStatus();  ///< answered by callback
  void requestRestore(const std::string& label);
  void restoreCompleted(bool successfully);
  void abortRestore();
  void queryRestoreStatus();  ///< answered by callback

  // Declaration management (5.2 - 5.9). An empty optional: all attributes.
  void publishObjectClass(ObjectClass objectClass, const std::vector<Attribute>& attributes);
  void unpublishObjectClass(ObjectClass objectClass, const std::vector<Attribute>* attributes);
  void subscribeObjectClass(ObjectClass objectClass, const std::vector<Attribute>& attributes,
                            bool active, const std::string& updateRate);
  void unsubscribeObjectClass(ObjectClass objectClass, const std::vector<Attribute>* attributes);
  void publishInteractionClass(InteractionClass interactionClass, bool publish);
  void subscribeInteractionClass(InteractionClass interactionClass, bool subscribe, bool active);

  /// For a time that is not of the federation execution's representation: the services that take a
  /// time refuse it when nothing else is wrong.
  static const std::uint64_t* wrongTime() {
    static constexpr std::uint64_t wrong = 0;
    return &wrong;
  }

  // Object management (6.2 - 6.19)
  void reserveNames(const std::vector<std::string>& names, bool single);
  void releaseNames(const std::vector<std::string>& names);
  ObjectInstance registerInstance(ObjectClass objectClass, const std::string* name,
                                  const std::vector<AttributesWithRegions>* regions = nullptr);
  // The result names the message when at least a part of it is in timestamp order: that can be
  // retracted (8.21). 0: none is.
  std::uint64_t update(ObjectInstance instance, std::span<const Value> values,
                       std::span<const std::byte> tag, const std::uint64_t* time);
  std::uint64_t send(InteractionClass interactionClass, std::span<const Value> values,
                     std::span<const std::byte> tag, const std::uint64_t* time,
                     const std::vector<Region>* regions = nullptr);
  std::uint64_t deleteInstance(ObjectInstance instance, std::span<const std::byte> tag,
                               const std::uint64_t* time);
  void localDelete(ObjectInstance instance);
  void requestUpdate(ObjectInstance instance, const std::vector<Attribute>& attributes,
                     std::span<const std::byte> tag);
  void requestClassUpdate(ObjectClass objectClass, const std::vector<Attribute>& attributes,
                          std::span<const std::byte> tag,
                          const std::vector<Region>* regions = nullptr);

  // Data distribution management (9.2 - 9.13). Interactions are sent with send().
  Region createRegion(std::vector<Dimension> dimensions);
  void commitRegions(const std::vector<Region>& regions);
  void deleteRegion(Region region);
  ObjectInstance registerInstanceWithRegions(ObjectClass objectClass,
                                             const std::vector<AttributesWithRegions>& regions,
                                             const std::string* name);
  void associateRegions(ObjectInstance instance, const std::vector<AttributesWithRegions>& regions);
  void unassociateRegions(ObjectInstance instance,
                          const std::vector<AttributesWithRegions>& regions);
  void subscribeWithRegions(ObjectClass objectClass,
                            const std::vector<AttributesWithRegions>& regions, bool active,
                            const std::string& updateRate);
  void unsubscribeWithRegions(ObjectClass objectClass,
                              const std::vector<AttributesWithRegions>& regions);
  void subscribeInteractionWithRegions(InteractionClass interactionClass,
                                       const std::vector<Region>& regions, bool active);
  void unsubscribeInteractionWithRegions(InteractionClass interactionClass,
                                         const std::vector<Region>& regions);
  void requestClassUpdateWithRegions(ObjectClass objectClass,
                                     const std::vector<AttributesWithRegions>& regions,
                                     std::span<const std::byte> tag);

  // Ownership management (7.2 - 7.18)
  void unconditionalDivestiture(ObjectInstance instance, const std::vector<Attribute>& attributes);
  void negotiatedDivestiture(ObjectInstance instance, const std::vector<Attribute>& attributes,
                             std::span<const std::byte> tag);
  void confirmDivestiture(ObjectInstance instance, const std::vector<Attribute>& attributes,
                          std::span<const std::byte> tag);
  void acquire(ObjectInstance instance, const std::vector<Attribute>& attributes,
               std::span<const std::byte> tag);
  void acquireIfAvailable(ObjectInstance instance, const std::vector<Attribute>& attributes);
  void denyRelease(ObjectInstance instance, const std::vector<Attribute>& attributes);
  std::vector<Attribute> divestIfWanted(ObjectInstance instance,
                                        const std::vector<Attribute>& attributes);
  void cancelNegotiatedDivestiture(ObjectInstance instance,
                                   const std::vector<Attribute>& attributes);
  void cancelAcquisition(ObjectInstance instance, const std::vector<Attribute>& attributes);
  void queryOwnership(ObjectInstance instance, Attribute attribute);  ///< answered by callback
  bool owns(ObjectInstance instance, Attribute attribute);
  /// HLAmodifyAttributeState (11.4.1): as it says from here on, and nobody is told.
  void setOwnership(ObjectInstance instance, Attribute attribute, bool owned);

  // Time management (8.2 - 8.18); times and intervals are bits as in TimeKind
  TimeKind timeKind() const { return time_.kind; }
  const std::string& timeImplementation() const { return timeImplementation_; }
  void enableTimeRegulation(std::uint64_t lookahead);
  void disableTimeRegulation();
  void enableTimeConstrained();
  void disableTimeConstrained();
  /// What a request for an advance has to refuse before it looks at its time, which follows.
  void requireTimeGranted();
  void requestTime(fabric::TimeAdvance how, std::uint64_t time);
  void setAsynchronousDelivery(bool enabled);
  std::optional<std::uint64_t> queryGALT();
  std::optional<std::uint64_t> queryLITS();
  std::uint64_t queryLogicalTime();
  std::uint64_t queryLookahead();
  void modifyLookahead(std::uint64_t lookahead);
  /// What those two have to refuse before they look at their lookahead.
  void requireCanRegulate();
  void requireCanModifyLookahead();

  // Transportation (6.23 - 6.30); the answers come by callback
  void changeAttributeTransportation(ObjectInstance instance,
                                     const std::vector<Attribute>& attributes, bool bestEffort);
  void queryAttributeTransportation(ObjectInstance instance, Attribute attribute);
  void changeInteractionTransportation(InteractionClass interactionClass, bool bestEffort);
  void queryInteractionTransportation(FederateNumber federate, InteractionClass interactionClass);

  // Retraction and order (8.21, 8.23, 8.24)
  void retract(std::uint64_t message);
  void changeAttributeOrder(ObjectInstance instance, const std::vector<Attribute>& attributes,
                            bool timestampOrder);
  void changeInteractionOrder(InteractionClass interactionClass, bool timestampOrder);

  // Support (10)
  void setAutomaticResignAction(std::uint32_t action);
  std::uint32_t automaticResignAction();
  const Model& model();
  std::optional<FederateNumber> federateByName(const std::string& name);
  /// Empty: nobody of this number is joined, or was while this federate was.
  std::string federateName(FederateNumber federate);
  /// Whether the number was ever given to a federate of this federation execution, also to one that
  /// has resigned since: its handle stays valid, and is never given again.
  bool wasJoined(FederateNumber federate);
  ObjectInstance instanceByName(const std::string& name);
  std::string instanceName(ObjectInstance instance);
  ObjectClass knownClass(ObjectInstance instance);
  FederateNumber self() const { return self_; }
  /// 10.2 of the FDD's switches, and what HLAsetSwitches made of them.
  bool autoProvide() const { return mom_.autoProvide; }
  /// 10.14: updates per second that are asked for; 0: each update, or none.
  double updateRate(ObjectInstance instance, Attribute attribute);
  std::vector<Dimension> regionDimensions(Region region);
  Range rangeBounds(Region region, Dimension dimension);
  void setRangeBounds(Region region, Dimension dimension, std::uint64_t lower, std::uint64_t upper);
  void switchScopeAdvisory(bool on);
  void switchUpdateAdvisory(bool on);
  bool isAdvisoryOn(bool object) const { return object ? objectAdvisory_ : interactionAdvisory_; }
  void setAdvisory(bool object, bool on);

  // Management (11), in federate_mom.cpp
  /// A parameter of a report by its name.
  struct ReportValue {
    std::string_view parameter;
    mom::Octets value;
  };
  /// Sends an interaction of the MOM for the RTI, to this federate too when it subscribes. The
  /// class is named without HLAinteractionRoot.HLAmanager. `about`: the federate that is reported
  /// on; it becomes the parameter HLAfederate and, as far as the class has these dimensions, the
  /// region that the report is sent with, together with the service group (11.5.1). 0: none.
  void report(std::string_view interactionClass, FederateNumber about,
              std::span<const ReportValue> values, std::optional<std::uint32_t> serviceGroup = {});
  bool isReported(std::string_view interactionClass);
  /// For the node's log and those who look on; nothing while there is no node to be told.
  void tell(const fabric::CallbackFault& fault);
  bool reportsAnything() const { return mom_.serviceReporting || mom_.exceptionReporting; }
  /// Service reporting is on and somebody subscribes the reports.
  bool wantsServiceReport();
  /// `group`: as normalizeServiceGroup() gives it (10.32).
  void reportService(std::string_view service, std::uint32_t group, bool success,
                     const std::vector<std::string>& supplied,
                     const std::vector<std::string>& returned, const std::string& exception);
  void reportException(std::string_view service, const std::string& exception);
  /// For the node's own member: an instance with this number of its own, not used before.
  ObjectInstance registerInstanceAs(std::uint64_t number, ObjectClass objectClass,
                                    const std::vector<AttributesWithRegions>& regions);
  /// What the node's own member looks at; it reads, and asks nobody.
  Connection& connection() { return connection_; }
  const Declarations& declarations() const { return declarations_; }
  std::vector<FederateNumber> joinedFederates() const;
  const fabric::FederateBlock* page(FederateNumber federate) const;
  bool flush() { return outbox_.flush(); }  ///< Outbox::flush()
  fabric::LogNumber appliedLog() const { return log_.applied; }
  std::uint64_t modelGeneration() const { return modelGeneration_; }  ///< counts up from 1
  TimeView timeOf(FederateNumber federate) const;
  std::uint32_t timeFlags(FederateNumber federate) const;  ///< fabric::timeFlag
  std::optional<std::uint64_t> galtOf(FederateNumber federate);
  /// Called for each federate as the log tells of it, those that are there already too, and for
  /// each that leaves, while its page can still be read; null: nobody asks. They call no service.
  std::function<void(const fabric::FederateJoinedRecord&)> onMemberJoined;
  std::function<void(FederateNumber, const fabric::FederateBlock&, bool lost)> onMemberLeft;
  /// Called when HLAsetTiming or an operator has set the report period of a federate.
  std::function<void(const fabric::MomTiming&)> onReportPeriod;

  /// Delivers at most one callback. False: there was none to deliver.
  bool deliverOne(Lock& lock);
  /// True when a callback is likely to be ready now.
  bool hasPending() const;
  /// Waits for news until `deadline` at most, with the lock given up. One thread at a time.
  void wait(Lock& lock, Clock::time_point deadline);
  /// Instead of wait() by a caller that does not want to wait: may give the processor away.
  void glance(Lock& lock);
  /// Ends a wait() of another thread.
  void interruptWait();
  /// The same when this thread's service has left it something to deliver or to grant.
  void tellWaiter() {
    if (waiting_) tellWaiterOfNews();
  }
  /// Ends it and returns when that thread no longer touches this federate's page, which the node
  /// gives to somebody else after a resignation. `lock` is held again from then on.
  void endWait(Lock& lock);

 private:
  using Call = std::function<void(Callbacks&)>;

  struct Member {
    std::string name;
    std::string type;
    fabric::FederateBlock* block = nullptr;
    bool hidden = false;  ///< the node's own, which serves the MOM
  };

  /// Something that waits for its delivery, in order.
  struct Queued {
    std::vector<std::byte> record;  ///< a data record, or
    FederateNumber sender = 0;
    bool granted = false;        ///< in timestamp order, part of a grant
    Call call;                   ///< a callback that is ready, or
    bool initiatesSave = false;  ///< waits until nothing but records is behind it
    bool beginsRestore = false;
    std::function<void()> effect;  ///< something to be done in this place of the order
  };

  /// Bytes that are in held_ and timestamped_ no longer.
  void uncountQueued(std::uint64_t bytes);

  using Known = KnownInstance;

  /// How an attribute or interaction is sent: bits of its order and transportation.
  struct MessageKind {
    static constexpr std::uint8_t timestampOrder = 1;
    static constexpr std::uint8_t bestEffort = 2;
  };

  /// A message of this federate in timestamp order that it may still retract.
  struct Retractable {
    std::uint64_t serial;
    TimeKey key;
  };
  /// What a deletion took away, while it may still be retracted.
  struct Deleted {
    std::uint64_t serial;
    TimeKey key;
    ObjectInstance instance;
    Known known;
    std::vector<FederateNumber> told;  ///< who was sent its removal
  };
  /// A message of another federate that was delivered although it may still be retracted.
  struct Delivered {
    FederateNumber sender;
    std::uint64_t serial;
    TimeKey key;
  };

  /// Where this federate stands in a save or a restore of its federation execution.
  struct SaveRestore {
    enum class Stage {
      None,
      SaveInitiated,  ///< told; from here on nothing but the save goes on
      Saving,
      SaveComplete,
      Restoring,
      RestoreComplete,
    };
    Stage stage = Stage::None;
    bool begunByAll = false;  ///< nobody sends any more: what was sent is in the rings
    bool stateSent = false;
    bool leaveForRestored = false;  ///< the restored execution waits to be entered
    /// Where this federate stood in a save that has ended, until it is told of the end.
    Stage stageAtEnd = Stage::None;
    /// A save at a time that is waited for.
    std::optional<fabric::SaveScheduledRecord> scheduled;
    bool reachedTold = false;
    std::deque<Call> calls;           ///< the only callbacks until the end
    std::vector<std::byte> deferred;  ///< records of the log that act after the end
    bool frozen() const { return stage != Stage::None; }
  };
  /// A region that this federate created.
  struct OwnRegion {
    Ranges pending;               ///< as set
    Ranges committed;             ///< as the others see it
    std::set<RegionSet*> sets{};  ///< with members, which are updated with it
  };
  using RangesOfAttributes = std::map<Attribute, std::vector<Ranges>>;
  using SendPart =
      std::function<void(std::span<const Value>, unsigned kind, const SentRegions* regions)>;

  /// What is told of an interaction class in the MOM.
  struct InteractionCounts {
    MessageCounts sent{};
    MessageCounts received{};
  };

  /// This federate's part in the management of the execution.
  struct Management {
    bool serving = false;         ///< this is the node's own member
    FederateNumber endpoint = 0;  ///< that member's number; 0: nobody has needed it so far
    bool autoProvide = false;
    bool serviceReporting = false;
    bool exceptionReporting = false;
    std::uint32_t serviceReports = 0;  ///< sent so far
    std::uint32_t switches = 0;        ///< federateSwitch
    /// Asked for during a save or restore: the only ones that can be performed then are its own.
    std::deque<fabric::MomCommand> commands;
    /// Of instances that are no longer known, by their registered class.
    std::map<ObjectClass, MessageCounts> formerUpdates, formerReflections;
    std::map<ObjectClass, std::uint64_t> formerlyUpdated, formerlyReflected;
  };

  /// Who owns what of an instance, once the log says so.
  struct Traded {
    struct State {
      FederateNumber owner = 0;
      bool available = false;
      fabric::Bytes tag;
    };
    std::uint32_t row = 0;
    std::map<Attribute, State> attributes;  ///< what is not in here is unowned
    bool ended = false;                     ///< deleted; its removal is on the way
  };

  /// What this federate has asked for, until the answer is delivered.
  struct Sought {
    std::uint64_t serial = 0;  ///< of the newest request
    bool willing = false;      ///< by 7.9, else by 7.8
  };

  struct TimestampedMessage {
    TimeKey key;
    FederateNumber sender;
    std::uint64_t sequence;
    std::vector<std::byte> record;
    bool operator>(const TimestampedMessage& other) const {
      if (key != other.key) return key > other.key;
      if (sender != other.sender) return sender > other.sender;
      return sequence > other.sequence;
    }
  };

  /// This federate's part in time management; `slot` of its page tells the others.
  struct Time {
    TimeKind kind;
    bool regulating = false;
    bool constrained = false;
    bool regulationPending = false;
    bool constrainedPending = false;
    bool regulationConfirmed = false;  ///< while pending: the other hosts know
    bool regulationTold = false;       ///< the callback was delivered
    bool constrainedTold = false;
    bool advancing = false;  ///< between a request and its grant's delivery
    fabric::TimeAdvance requestedHow = fabric::TimeAdvance::None;
    std::uint64_t regulationFrom = 0;  ///< while pending: where regulation will begin
    fabric::TimeAdvance advance = fabric::TimeAdvance::None;
    bool exclusive = false;
    bool strict = false;  ///< granted by TAR or NMR
    std::uint64_t logical = 0;
    std::uint64_t told =
        0;  ///< logical time as the federate knows it: it advances with the callback
    std::uint64_t requested = 0;
    std::uint64_t lookahead = 0;  ///< as last asked for; the actual one may still be longer:
    TimeBound floor;              ///< nothing earlier is sent, as was promised before
    TimeBound galt = TimeBound::none();
    TimeBound publishedGalt = TimeBound::none();  ///< as the slot says
    bool asynchronousDelivery = false;
  };

  // federate.cpp
  /// `restored`: what was saved of this federate; null for one that joins.
  void enter(const fabric::JoinReply& reply, const fabric::Bytes* restored);
  void leave();
  void touch();

  // federate_log.cpp
  void applyLog();
  void tellAppliedLog();
  void applyRecords(std::span<const std::byte> records);
  void applyRecord(fabric::LogRecordType type, std::span<const std::byte> body);
  void memberLeft(const fabric::FederateResignedRecord& record);
  /// The part of it that cannot wait for the end of a save; once more, it does nothing.
  void memoryLeft(const fabric::FederateResignedRecord& record);
  void removeInstances(FederateNumber federate, std::vector<ObjectInstance> gone);
  void refreshAdvisories();
  void loadModel(fabric::Offset offset, std::uint64_t bytes);

  // federate_objects.cpp
  void declareObjects(ObjectClass objectClass, bool publish, bool passive,
                      std::vector<Attribute> attributes);
  void declareSubscription(ObjectClass objectClass, Declarations::ClassDeclaration declaration);
  void checkObjectClass(ObjectClass objectClass, const std::vector<Attribute>& attributes) const;
  void discoverExisting(ObjectClass objectClass);
  Known& knownInstance(ObjectInstance instance);
  bool ownsPrivilegeToDelete(const Known& known) const;
  const Known* knownByName(const std::string& name) const;
  Known& keep(Known known);
  void forgetName(const Known& known);
  fabric::Offset tableOf(FederateNumber registrant) const;
  void discoverFound(FederateNumber producer, const InstanceEntry& entry,
                     std::span<const AttributeRegion> regions);
  void discoverInTables(bool alsoWithoutRegions);
  static void putEntry(RecordWriter& writer, const InstanceEntry& entry);
  static InstanceEntry takeEntry(RecordReader& reader);
  void visitDeletedLater(
      const std::function<void(const InstanceEntry&, FederateNumber, Described)>& visit) const;
  std::optional<InstanceEntry> entryOf(ObjectInstance instance, std::uint32_t row) const;
  std::uint8_t orderFlags(std::uint8_t kind, const std::uint64_t* time) const;
  void sendRecord(std::span<const FederateNumber> receivers);
  // federate_save.cpp
  void applySaveRecord(fabric::LogRecordType type, std::span<const std::byte> body);
  bool defers(fabric::LogRecordType type) const;
  void scheduledSaveDue();
  bool holdsForSave(TimeKey target, TimeBound bound);
  bool initiateSave(Queued& item);
  void sendStateWhenDue();
  fabric::SavedStateRequest ownState();
  SavedKnownInstance savedInstance(ObjectInstance instance, const Known& known) const;
  Known knownInstanceOf(const SavedKnownInstance& saved) const;
  fabric::Bytes takeState(const fabric::Bytes& state);
  void thaw(Call last, bool endsSave);
  bool isLateFor(SaveRestore::Stage from, SaveRestore::Stage to);
  bool deliverFrozen(Lock& lock);
  void enterRestored();
  void announceOwnInstances();
  void endInstance(ObjectInstance instance, std::uint32_t row);
  void forgetInstance(ObjectInstance instance);

  // federate_ownership.cpp
  Known& checkInstanceAttributes(ObjectInstance instance, const std::vector<Attribute>& attributes);
  void checkOwned(const Known& known, const std::vector<Attribute>& attributes) const;
  void checkAcquirable(const Known& known, const std::vector<Attribute>& attributes) const;
  std::vector<Attribute> askOwnership(fabric::OwnershipOperation operation, ObjectInstance instance,
                                      const std::vector<Attribute>& attributes,
                                      std::span<const std::byte> tag = {});
  void seek(fabric::OwnershipOperation operation, ObjectInstance instance,
            const std::vector<Attribute>& attributes, std::span<const std::byte> tag);
  std::vector<Attribute> listOf(ObjectClass objectClass, const AttributeSet& set) const;
  AttributeSet setOf(ObjectClass objectClass, const std::vector<Attribute>& list) const;
  FederateNumber ownerOf(ObjectInstance instance, const Known& known, Attribute attribute) const;
  bool isDiscoverable(const InstanceEntry& entry, FederateNumber registrant, bool now,
                      std::span<const AttributeRegion> regions);
  bool isDeletedHere(ObjectInstance instance) const;
  void setOwned(ObjectInstance instance, Known& known, Attribute attribute, bool owned);
  void takeOwnership(ObjectInstance instance, Known& known, Attribute attribute);
  void unpublishInstances(ObjectClass objectClass, const std::vector<Attribute>& attributes);
  void checkNotSought(ObjectClass objectClass, const std::vector<Attribute>& attributes) const;
  void checkResign(std::uint32_t action) const;
  // federate_relevance.cpp
  void refreshUpdateAdvisories();
  void refreshUpdateAdvisories(std::vector<ObjectInstance> instances);
  bool refreshMovedUpdateAdvisories();
  std::vector<Declarations::Wanted> activelyWanted(const Known& known);
  void refreshUpdateAdvisory(ObjectInstance instance, const Known& known);
  void refreshUpdateAdvisory(ObjectInstance instance, const Known& known,
                             const std::vector<Declarations::Wanted>& wanted);
  SavedUpdateAdvisories savedUpdateAdvisories() const;
  void takeUpdateAdvisories(const SavedUpdateAdvisories& saved);

  void offerAvailable(ObjectInstance instance);
  void offerAvailableWhere(const std::function<bool(ObjectInstance, const Known&)>& concerned);
  const Traded::State* availableState(ObjectInstance instance, const Known& known,
                                      Attribute attribute) const;
  void applyOwnershipBegun(const fabric::OwnershipBegunRecord& record);
  void applyOwnershipChanged(fabric::OwnershipChangedRecord record);
  void applyOwnershipEnded(const fabric::OwnershipEndedRecord& record);
  std::vector<ObjectInstance> ownerLeft(FederateNumber federate, bool deletesObjects);
  void deliverNotice(ObjectInstance instance, fabric::OwnershipNotice notice);

  // federate_regions.cpp
  Region requireRegion(Region region);
  void requireOwnRegion(Region region);
  void requireOwnRegions(const std::vector<AttributesWithRegions>& regions);
  void checkRegionContext(ObjectClass objectClass,
                          const std::vector<AttributesWithRegions>& regions) const;
  void checkRegionContext(InteractionClass interactionClass,
                          const std::vector<Region>& regions) const;
  void changeAssociations(ObjectInstance instance,
                          const std::vector<AttributesWithRegions>& regions, bool associate);
  static AttributeRegions regionsOf(const Known& known);
  AttributeRegions ofOwned(const Known& known, const AttributeRegions& regions) const;
  void associate(Known& known, const AttributeRegions& regions);
  void join(RegionSet& set, Known& known);
  void leave(RegionSet& set, const Known& known);
  Known* associated(ObjectInstance instance);
  SavedRegions savedRegions() const;
  void takeRegions(const SavedRegions& saved);
  void dropAssociations(Known& known);
  RangesOfAttributes updateRanges(const RegionSet* set) const;
  void declareRegions(ObjectClass objectClass,
                      const std::map<Attribute, Declarations::Regions>& regions);
  void declareInteractionRegions(InteractionClass interactionClass,
                                 const Declarations::Regions& regions);
  void checkInteractionClass(InteractionClass interactionClass) const;

  // federate_shown.cpp
  void showRow(std::uint32_t row, ObjectInstance instance, ObjectClass objectClass,
               std::string_view name, const std::vector<Attribute>& owned);
  /// Tells the other hosts of unshown_.
  void showRegionTables();
  /// After a table has changed: tells the other hosts of it, of regions and what else `show` does,
  /// and reads the log after that. So of this federate and one that subscribes meanwhile, on
  /// whatever host, one finds the other: the node of the subscriber answers it when everything is
  /// there that was told before the subscription came into the log.
  template <class Show>
  void tellThenApplyLog(const Show& show);
  void tellThenApplyLog();
  void showRegion(Region region);
  void showUpdateRegion(std::uint32_t row);
  /// Returns when every other host has what was shown, and this one what was sent there before.
  void confirmTables();

  // federate_scopes.cpp
  /// Whether updates of the instance need more than objectRoutes().
  bool needsDetail(const Known& known) {
    return (declarations_.anyDetail() && declarations_.needsDetail(known.registeredClass, self_)) ||
           known.regions.set != nullptr;
  }
  const ScopedRoutes& scopedRoutes(const Known& known) {
    return scopedRoutes(known.regions.shown, known.registeredClass);
  }
  const ScopedRoutes& scopedRoutes(RegionSet* set, ObjectClass objectClass);
  void lookAtRegions();
  void workOut(const RegionSet& set, ScopedRoutes& routes);
  const SentRegions* sentWith(RegionSet* set, std::span<const Value> values);
  const Ranges* boundsOf(Region region);
  bool overlaps(Attribute attribute, const std::vector<Ranges>& updates,
                const Ranges* subscribed) const;
  bool wants(const Declarations::DetailedRoute& route, int index, Attribute attribute,
             const std::vector<Ranges>& updates, double& updateRate);
  bool isDue(ObjectInstance instance, FederateNumber receiver, Attribute attribute,
             double updateRate);
  void sendDetailed(const Known& known, std::span<const Value> values, unsigned kind,
                    bool reducible, const SendPart& sendPart);
  void tellScopeChange(const Known& known, const std::vector<ScopedRoutes::Route>& before);
  void announce(ObjectInstance instance, const Known& known);
  void sendDiscover(ObjectInstance instance, const Known& known);
  void takeEveryone(const std::vector<FederateNumber>& routes);
  void interactionReceivers(InteractionClass interactionClass, const SentRegions& sent);
  SentRegions sentWith(const std::vector<Region>& regions) const;
  bool isSubscribedInScope(ObjectClass objectClass, Attribute attribute,
                           const std::vector<Ranges>& updates);
  std::optional<std::vector<Ranges>> rangesOf(std::span<const AttributeRegion> regions,
                                              Attribute attribute);
  static std::vector<Ranges> rangesOf(const SentRegions& sent, std::uint32_t set);
  bool isAnyInScope(ObjectClass objectClass, std::span<const AttributeRegion> regions);
  bool isAnyInScope(ObjectClass objectClass, std::span<const Value> values,
                    const SentRegions& sent);
  void keepInScope(ObjectClass objectClass);
  void divideByRegions(ObjectInstance instance, ObjectClass objectClass, MessageInfo& info);
  bool conveysRegions() const {
    return (block_->switches.load(std::memory_order_relaxed) &
            fabric::federateSwitch::conveyRegionDesignatorSets) != 0;
  }
  void queueReflect(ObjectInstance instance, ObjectClass objectClass,
                    const std::vector<Value>& values, const MessageInfo& info, std::uint32_t set);
  bool isInteractionInScope(InteractionClass sentClass, InteractionClass as,
                            const SentRegions& sent) const;
  bool isRequestInScope(ObjectInstance instance, Attribute attribute,
                        const SentRegions& sent) const;
  std::span<const Region> convey(const SentRegions& sent, std::uint32_t set);
  UpdateRegionsByInstance collectUpdateRegions(
      const std::function<bool(ObjectInstance)>& concerned) const;
  void discoverInRegions();
  void refreshScopes();

  // federate_receive.cpp
  bool deliver(Queued item, Lock& lock);
  bool deliverRecord(std::vector<std::byte>& record, FederateNumber sender, bool granted,
                     Lock& lock);
  bool deliverUpdate(std::vector<std::byte>& record, FederateNumber sender, bool granted,
                     Lock& lock);
  bool deliverInteraction(std::vector<std::byte>& record, FederateNumber sender, bool granted,
                          Lock& lock);
  bool deliverDiscover(const InstanceEntry& entry, FederateNumber producer, Lock& lock);
  bool deliverDiscover(std::vector<std::byte>& record, FederateNumber sender, Lock& lock);
  bool deliverRemove(std::vector<std::byte>& record, FederateNumber sender, bool granted,
                     Lock& lock);
  bool deliverRequest(std::vector<std::byte>& record, Lock& lock);
  bool deliverRetraction(const std::vector<std::byte>& record, FederateNumber sender, Lock& lock);
  bool mustHold(const std::vector<std::byte>& record, bool granted) const;
  bool queueTimestamped(std::vector<std::byte>& record, FederateNumber sender,
                        Inbox::Source* source);
  template <class Put>
  void sendRecord(fabric::RecordType type, std::uint8_t flags, std::size_t count,
                  const std::uint64_t* time, std::uint64_t serial, std::size_t bytes,
                  const Put& put);
  bool mayReadInPlace();
  bool deliverInPlace(FederateNumber sender, Lock& lock);
  bool tellConnectionLost(Lock& lock);
  /// What somebody has written into shared memory that only this federate writes; else empty. Others
  /// would wait for ever for what these words no longer say.
  std::string findDamage();
  void drainAll();
  void queueCall(Call call);
  /// A callback that the record of the log which is being applied brings: behind the data that was
  /// sent before that record, in front of the data whose senders had applied it.
  void queueFromLog(Call call);
  void tellWaiterOfNews();
  /// Calls the federate with the lock given up.
  template <class F>
  void callOut(Lock& lock, F&& f) {
    if (block_ != nullptr) {
      auto& counter = block_->counters.callbacks;
      counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    lock.unlock();
    f();
    lock.lock();
  }

  // federate_order.cpp
  std::uint64_t nextMessage(std::uint64_t time);
  void forgetPassedMessages();
  void forgetDeletions(bool all);
  void forgetOwnMessages();
  void restoreDeleted(std::uint64_t serial);
  void endTradedDeletion(const Deleted& deletion);
  void noteDelivered(const RecordReader& reader, FederateNumber sender, bool granted);
  void takeRetraction(std::span<const std::byte> record, FederateNumber sender);
  bool isNameOfDeleted(const std::string& name) const;
  bool isNameInUse(const std::string& name) const;
  std::uint8_t kindOf(const Known& known, std::size_t index, Attribute attribute) const {
    if (known.kinds) return (*known.kinds)[index];
    return modelKindOf(attribute);
  }
  std::uint8_t modelKindOf(Attribute attribute) const {
    const auto& info = model_->attribute(attribute);
    return static_cast<std::uint8_t>((info.timestampOrder ? MessageKind::timestampOrder : 0) |
                                     (info.bestEffort ? MessageKind::bestEffort : 0));
  }
  std::uint8_t interactionKindOf(InteractionClass interactionClass) const;
  Known& ownedAttributes(ObjectInstance instance, const std::vector<Attribute>& attributes);
  void endTransportation(ObjectInstance instance, const Known& known);
  void endInteractionKind(InteractionClass interactionClass);
  void requireInteractionClass(InteractionClass interactionClass) const;
  void requirePublished(InteractionClass interactionClass) const;
  void setKinds(Known& known, const std::vector<Attribute>& attributes, std::uint8_t mask,
                std::uint8_t value);

  // federate_mom.cpp
  friend struct MomActions;
  void performCommand(const fabric::MomCommand& command);
  void reportProblem(std::string_view service, const std::string& what, bool parameterError);
  SentRegions reportRegions(InteractionClass interactionClass, FederateNumber about,
                            std::optional<std::uint32_t> serviceGroup) const;
  InteractionClass serviceReports() const;
  void checkServicesNotReported(InteractionClass interactionClass) const;
  void keepCounts(const Known& known);
  void setSwitch(std::uint32_t which, bool on);
  void setReporting(bool services, bool exceptions);
  void countDeletable();
  SavedManagement savedManagement() const;
  void takeManagement(const SavedManagement& saved);
  void endAdvancing();

  // federate_time.cpp
  void publishTime();
  void tellTimeWaiters();
  /// Into views_ and sequences_.
  void readSlots();
  TimeView readSlot(const fabric::TimeSlot& slot, std::uint64_t& sequence) const;
  /// Since readSlots().
  bool slotsUnchanged();
  struct Other {
    FederateNumber federate;
    fabric::FederateBlock* block;
  };
  /// The other members, by number.
  const std::vector<Other>& others() {
    if (othersStale_) listOthers();
    return others_;
  }
  void listOthers();
  WatchedSlots watchedSlots();
  bool askForDoorbell();
  void stopAskingForDoorbell() {
    auto& asked = block_->waitsForTime;
    if (asked.load(std::memory_order_relaxed) != 0) asked.store(0, std::memory_order_relaxed);
  }
  bool messagesInFlightTo(const fabric::FederateBlock& block) const;
  TimeBound computeBound();
  TimeView ownView() const;
  bool advanceTime();
  bool covers(TimeBound bound, TimeKey target, bool available) const;
  TimeKey ceiling() const;
  bool commitGrant(TimeKey target);
  /// With the callback of a grant.
  void endAdvance(std::uint64_t time) {
    time_.advancing = false;
    time_.told = time;
  }
  void releaseTimestamped(TimeKey upTo, bool granted);
  void releaseHeld();
  bool finishRegulation();
  TimeBound sendBound() const;
  void checkStamp(const std::uint64_t* time) const;
  void checkNotAdvancing() const;
  void checkRegulationNotPending() const;
  void checkConstrainedNotPending() const;

  Callbacks& callbacks_;
  Connection connection_;

  // Of the federation execution this federate is joined to:
  std::shared_ptr<const fabric::Arena> arena_;  ///< shared with a thread that waits
  fabric::FederateBlock* block_ = nullptr;
  FederateNumber self_ = 0;
  std::string federation_;
  std::string timeImplementation_;
  fabric::LogPosition log_;
  std::unique_ptr<const Model> model_;
  std::map<FederateNumber, Member> members_;
  std::vector<Other> others_;  ///< of members_, unless stale
  bool othersStale_ = true;
  FederateNumber router_ = 0;     ///< takes what is for other hosts; 0: there are none
  std::vector<std::byte> shown_;  ///< the last record of a table for them
  std::map<FederateNumber, std::string> formerNames_;
  std::map<FederateNumber, fabric::Offset> adoptedTables_;
  Declarations declarations_;
  Inbox inbox_;
  Outbox outbox_;
  LocalFederates neighbours_;
  InstanceTable table_;
  fabric::Waiter waiter_;
  /// What this federate's time slot has to say; of the words as findDamage() found them.
  struct {
    std::uint64_t sequence = 0;
    std::uint64_t seenSequence = 0;
    std::vector<std::uint64_t> seen;
  } slot_;
  std::uint32_t doorbell_ = 0;
  bool waiting_ = false;     ///< a thread is in wait()
  bool endingWait_ = false;  ///< and is to leave it
  bool objectAdvisory_ = false;
  bool interactionAdvisory_ = false;
  std::uint32_t automaticResignAction_ = 0;
  bool readsInPlace_ = false;  ///< a callback reads a chunk
  bool forked_ = false;        ///< the connection stayed with the parent process
  std::map<ObjectClass, bool> registrationTold_;
  std::map<InteractionClass, bool> interactionsTold_;

  std::unordered_map<ObjectInstance, Known> instances_;
  /// Those with a name of their own, which lies in instances_.
  std::unordered_map<std::string_view, ObjectInstance> instanceByName_;
  std::unordered_map<ObjectInstance, Traded> traded_;
  std::unordered_map<ObjectInstance, std::map<Attribute, Sought>> sought_;
  std::uint64_t soughtSerial_ = 0;
  std::unordered_map<ObjectInstance, AttributeSet> offered_;  ///< told to this federate (7.4)
  // Deleted by another than their registrant, whose records may still say that they exist:
  std::set<ObjectInstance> removed_;  ///< told to this federate
  std::set<ObjectInstance> awaited_;  ///< not known yet; their removal is in the queue
  bool forgotOwn_ = false;            ///< an instance that it registered is perhaps deleted locally
  std::set<std::string> reservedNames_;
  std::uint64_t instanceCounter_ = 0;

  // Regions. What is not said to be shown or worked out again is lasting.
  std::map<Region, OwnRegion> regions_;
  std::map<Region, Ranges> conveyed_;  ///< regions of others that were handed to the federate
  bool scopeAdvisory_ = false;
  bool updateAdvisory_ = false;  ///< attribute relevance
  std::uint64_t advisedEpoch_ = 0;
  std::uint64_t advisedGeneration_ = 0;  ///< of scopeGeneration_
  /// Attributes that were turned on, with the update rate told.
  std::unordered_map<ObjectInstance, std::map<Attribute, std::string>> turnedOn_;
  std::unordered_map<ObjectInstance, std::set<Attribute>> inScope_;  ///< as told
  RegionTable regionTable_;                                          ///< shows regions_
  RegionSets regionSets_;  ///< of the instances that this federate updates with regions
  RegionSet noRegions_;    ///< of the others
  RegionWatch regionWatch_;
  std::uint64_t watchedEpoch_ = 0;      ///< of the declarations that regionWatch_ is of
  std::uint64_t scopeGeneration_ = 1;   ///< of all bounds and declarations, as known
  std::uint64_t boundsGeneration_ = 1;  ///< of the own bounds
  struct Unshown {
    Region region = 0;      ///< one of regionTable_, or ...
    std::uint32_t row = 0;  ///< ... a row of the table of regionSets_
  };
  std::vector<Unshown> unshown_;  ///< changes of them that other hosts do not know of
  bool regionsMoved_ = false;     ///< own ones, with which something is subscribed
  bool scopesChanged_ = false;    ///< perhaps
  /// When an attribute with an update rate was last sent, in ns: by receiver and attribute.
  std::unordered_map<ObjectInstance, std::map<std::pair<FederateNumber, Attribute>, std::int64_t>>
      lastSent_;

  Recycler queueMemory_;
  std::pmr::deque<Queued> queue_{&queueMemory_};
  std::pmr::deque<Queued> held_{&queueMemory_};
  std::vector<TimestampedMessage> timestamped_;  ///< heap, least first
  std::uint64_t timestampedSequence_ = 0;
  Time time_;
  Management mom_;
  std::uint64_t modelGeneration_ = 0;
  std::vector<InteractionCounts> interactionCounts_;  ///< by class
  std::uint64_t messageSerial_ = 0;       ///< of the last message sent in timestamp order
  std::uint64_t restoredSerial_ = 0;      ///< of the last one sent before a restore
  std::vector<Retractable> retractable_;  ///< ascending serials; and some that have passed
  std::size_t retractableSweep_ = 1024;
  std::vector<Deleted> deleted_;      ///< by deletions of retractable_
  std::vector<Delivered> delivered_;  ///< and some that have passed
  std::size_t deliveredSweep_ = 1024;
  std::map<InteractionClass, std::uint8_t> interactionKinds_;  ///< where not the object model's
  SaveRestore save_;
  fabric::Transportations transportations_;  ///< everybody's, as the log tells
  std::set<std::pair<ObjectInstance, Attribute>> changingAttributes_;  ///< until it is confirmed
  std::set<InteractionClass> changingInteractions_;
  std::uint32_t advanceDoorbell_ = 0;  ///< doorbell when a grant was last looked for
  bool starved_ = false;        ///< there was no memory for something that others have sent
  bool grantNow_ = false;       ///< commitGrant() found nothing that comes before the callback
  bool advanceAgain_ = false;   ///< look again whatever the doorbell
  unsigned advanceRests_ = 0;   ///< times it was left out since
  bool boundIsSettled_ = true;  ///< the last bound computed was not the conservative one
  unsigned flushLooks_ = 0;     ///< times a flush of the queue has looked

  // Buffers that keep their memory.
  std::vector<std::byte> outgoing_;
  std::vector<std::byte> incoming_;
  std::vector<FederateNumber> receivers_;
  std::vector<Value> values_;
  AttributeSet updated_;
  SentRegions sent_;
  std::vector<std::uint32_t> sets_;                 ///< of values_, in sent_
  std::map<Region, std::optional<Ranges>> bounds_;  ///< as read since the last change
  std::vector<Region> conveyedNow_;
  std::vector<TimeView> views_;
  std::vector<std::vector<std::byte>> spareBuffers_;
  std::vector<std::uint64_t> sequences_;
  std::vector<FederateNumber> regulators_;  ///< whose bounds a grant was computed with
};

template <class Show>
void Federate::tellThenApplyLog(const Show& show) {
  FederateNumber told = 0;
  do {
    told = router_;
    if (told != 0) {
      showRegionTables();
      show();
    }
    applyLog();
  } while (router_ != told);  // a router has come that may have read the tables before the change
  // One that comes after the log was read finds the tables as they are.
  if (router_ == 0) unshown_.clear();
}

}  // namespace tutti::core
