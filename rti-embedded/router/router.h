// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/inbox.h"
#include "core/records.h"
#include "executive/federation_execution.h"
#include "router/link_protocol.h"
#include "router/stand_in.h"

namespace tutti::router {

/// One federation execution between hosts, seen from one of them: takes what federates of this host
/// send to others, once for each other host, and does here what federates there do.
///
/// The order in which things leave is what the rules of time rest on (docs/decisions/0016): data
/// before the page of its sender, and counts as States says. One thread.
class Router {
 public:
  /// A pipe to another node; a linked node has one, to its home.
  using LinkId = std::uint64_t;
  using Send = std::function<void(LinkId, std::span<const std::byte>)>;

  /// The execution has a router page and outlives this.
  Router(executive::FederationExecution& execution, std::uint64_t number, Send send);

  executive::FederationExecution& execution() const { return execution_; }
  std::uint64_t number() const { return number_; }

  /// From now on everything goes there as well; first all there is to know. After pump().
  void addLink(LinkId link);
  void removeLink(LinkId link);
  const std::set<LinkId>& links() const { return links_; }

  /// A federate of another host, and through which link it is reached.
  void place(fabric::FederateNumber federate, LinkId link) { home_[federate] = link; }
  /// Of one of this host: 0.
  LinkId placeOf(fabric::FederateNumber federate) const {
    const auto found = home_.find(federate);
    return found == home_.end() ? 0 : found->second;
  }
  /// The record of its end is the last in the log.
  void left(fabric::FederateNumber federate, fabric::LogNumber ended);

  /// Sends all that federates of this host have sent and shown since. False: there is more, such as
  /// what was not begun after so many bytes of records.
  bool pump(std::size_t mostBytes = ~std::size_t{0});
  /// Sends what the monitor shows of them; for a few times a second.
  void sendFigures();
  /// Tells the home how many messages federates of this host have got from whom; once a second.
  void tellFlows();
  /// What linked nodes, or cells, have told of those behind them: calls `visit` with each
  /// FlowCount, in no order.
  template <class Visit>
  void eachFlow(Visit&& visit) const {
    for (const auto& [way, messages] : flows_) {
      visit(FlowCount{static_cast<fabric::FederateNumber>(way >> 32),
                      static_cast<fabric::FederateNumber>(way), messages});
    }
  }
  /// Looks where a reader has fallen behind or caught up. True: to be looked at again soon.
  bool lookForCongestion();

  /// Has best effort records sent another way: `way` takes those of `receivers` away to whom it
  /// does; the others get it over the links.
  using Directly =
      std::function<void(fabric::FederateNumber sender, std::span<const std::byte> record,
                         std::vector<fabric::FederateNumber>& receivers)>;
  void sendDirectly(Directly way) { directly_ = std::move(way); }
  /// What came such a way, for receivers of this host. Returns how many of them do not get it
  /// because they have too much to read.
  std::size_t takeDirectly(fabric::FederateNumber sender,
                           std::span<const fabric::FederateNumber> receivers,
                           std::span<const std::byte> record);
  /// The same for all that would go to link 0, the home.
  void sendStraight(Directly way) { straight_ = std::move(way); }
  bool isMember(fabric::FederateNumber federate);
  /// Whether the log or the sender's table is not here yet as it was where the record was sent, so
  /// that nobody here could tell what it is about.
  bool isTooEarly(fabric::FederateNumber sender, std::uint64_t tableChanges,
                  std::span<const std::byte> record);
  /// So many changes of its table the federate has told of, as known here.
  std::uint64_t tableChanges(fabric::FederateNumber federate) const;
  /// More of what a federate has sent was lost between hosts.
  bool showLost(fabric::FederateNumber sender, fabric::ClassKey classKey, std::uint64_t more);

  /// What was found to be wrong in the shared memory of the execution; empty: nothing.
  std::string damage() const;

  /// A message of another node: Data, States, Figures or Congestion. False: it cannot be read, or
  /// is not for that node to say, which pretence() tells of.
  bool take(LinkId from, const LinkHead& head, std::span<const std::byte> message);
  /// What the last message that was refused claimed; empty: it could not be read.
  const std::string& pretence() const { return pretence_; }

 private:
  using Page = executive::FederationExecution::Page;
  struct Channel {
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    fabric::LogNumber ends = 0;  ///< the sender left with this record; 0: it has not
    bool isOpen() const { return sent > taken; }
  };
  static std::uint64_t key(fabric::FederateNumber from, fabric::FederateNumber to) {
    return (std::uint64_t{from} << 32) | to;
  }

  void refreshPages();
  const Page* page(fabric::FederateNumber federate) const;
  StandIn* standIn(fabric::FederateNumber federate);
  PageState stateOf(const Page& page, std::uint64_t& sequence) const;
  struct Shown {
    std::uint64_t sequence = ~std::uint64_t{0};
    PageState state;
  };
  static bool isAsShown(const Page& page, const Shown& shown);
  void show(const Page& page, const PageState& state);

  bool drain(std::size_t mostBytes);
  void route(fabric::FederateNumber sender, std::span<const std::byte> record);
  void sendData(LinkId link, fabric::FederateNumber sender,
                std::span<const fabric::FederateNumber> receivers,
                std::span<const std::byte> record);
  bool takeData(LinkId from, std::span<const std::byte> body);
  bool applyTable(fabric::FederateNumber sender, std::span<const std::byte> record);
  static bool applyRow(StandIn& own, core::RecordReader& reader);
  static bool applyRegion(StandIn& own, core::RecordReader& reader);
  static bool applyUpdateRegion(StandIn& own, core::RecordReader& reader);
  void sendTables(LinkId link, const Page& page);
  bool takeStates(LinkId from, std::span<const std::byte> body);
  bool maySpeak(LinkId from, fabric::FederateNumber federate);
  bool takeFlows(LinkId from, std::span<const std::byte> body);
  void passOn(LinkId from, std::span<const std::byte> message);

  void scanCounts(bool sent, std::vector<ChannelCount>& changed);
  /// Changes a channel and what its receiver's page says about messages on their way.
  void setChannel(fabric::FederateNumber from, fabric::FederateNumber to, const std::uint64_t* sent,
                  const std::uint64_t* taken);
  void showOpen(fabric::FederateNumber to, int change);
  void endChannels();
  void ringWaiters();

  executive::FederationExecution& execution_;
  std::uint64_t number_;
  Send send_;
  std::set<LinkId> links_;
  core::Inbox inbox_;
  std::map<fabric::FederateNumber, LinkId> home_;
  std::map<fabric::FederateNumber, std::unique_ptr<StandIn>> standIns_;
  std::string damage_;
  std::string pretence_;

  std::uint64_t membership_ = ~std::uint64_t{0};
  std::vector<Page> pages_;  ///< ascending by federate, but for the hidden member
  std::map<fabric::FederateNumber, Shown> shown_;  ///< what was told of whom last
  bool anyTime_ = false;                           ///< somebody takes part in time
  std::unordered_map<std::uint64_t, Channel> channels_;
  std::set<std::uint64_t> sentElsewhere_;  ///< channels whose count of messages sent has changed
  std::map<fabric::FederateNumber, int> open_;  ///< channels to it that are open
  std::set<fabric::FederateNumber> congested_;  ///< of this host, as told
  std::map<fabric::FederateNumber, std::vector<std::uint64_t>> figures_;
  std::unordered_map<std::uint64_t, std::uint64_t>
      flows_;  ///< messages by way, as others have told
  std::unordered_map<std::uint64_t, std::uint64_t> flowsTold_;  ///< likewise, as told to the home
  std::uint64_t lastFlow_ = 0;                                  ///< the last one told of

  Directly directly_, straight_;
  std::map<fabric::FederateNumber, std::uint64_t> tableChanges_;

  std::vector<std::byte> record_, whole_, message_;
  std::vector<fabric::FederateNumber> receivers_, part_, rest_;
};

}  // namespace tutti::router
