// SPDX-License-Identifier: Apache-2.0
#include "router/router.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/records.h"
#include "fabric/futex.h"
#include "fabric/inbound_rings.h"
#include "router/best_effort_protocol.h"

namespace tutti::router {

using executive::FederationExecution;
using fabric::FederateBlock;
using fabric::FederateNumber;
using fabric::LogNumber;
using fabric::RecordHead;
using fabric::RecordType;

namespace {

/// Records taken in one go, before anything else has its turn.
constexpr std::size_t mostRecords = 4096;
/// A receiver that has so much to read holds up those who send to it; below the other, no longer.
constexpr std::uint64_t congestedAbove = std::uint64_t{16} << 20;
constexpr std::uint64_t freeBelow = std::uint64_t{4} << 20;
/// No federate that runs for years sends so many messages.
constexpr std::uint64_t mostCounted = std::uint64_t{1} << 56;

bool isTableChange(RecordType type) {
  return type == RecordType::TableRow || type == RecordType::TableRegion ||
         type == RecordType::TableUpdateRegion;
}

constexpr std::uint32_t takesPart = fabric::timeFlag::regulating | fabric::timeFlag::constrained |
                                    fabric::timeFlag::regulationPending |
                                    fabric::timeFlag::constrainedPending;

}  // namespace

Router::Router(FederationExecution& execution, std::uint64_t number, Send send)
    : execution_(execution), number_(number), send_(std::move(send)) {
  inbox_.open(execution_.arena().arena(), *execution_.routerPage());
  // It never watches a ring: its page is what wakes it (RingWatch).
  inbox_.prepareSleep();
}

// --- pages ---------------------------------------------------------------------------------------

void Router::refreshPages() {
  if (membership_ == execution_.membership()) return;
  membership_ = execution_.membership();
  pages_ = execution_.pages();
  std::sort(pages_.begin(), pages_.end(),
            [](const Page& a, const Page& b) { return a.federate < b.federate; });
}

const Router::Page* Router::page(FederateNumber federate) const {
  const auto found = std::lower_bound(
      pages_.begin(), pages_.end(), federate,
      [](const Page& one, FederateNumber number) { return one.federate < number; });
  return found != pages_.end() && found->federate == federate ? &*found : nullptr;
}

StandIn* Router::standIn(FederateNumber federate) {
  refreshPages();
  const Page* found = page(federate);
  if (found == nullptr || !found->remote()) return nullptr;
  auto& place = standIns_[federate];
  if (!place) place = std::make_unique<StandIn>(execution_, federate, *found->block);
  return place.get();
}

PageState Router::stateOf(const Page& page, std::uint64_t& sequence) const {
  PageState state;
  state.federate = page.federate;
  // First: whatever this log has done to the rings shows in the time slot.
  state.appliedLog = page.block->appliedLog.load(std::memory_order_acquire);
  const fabric::TimeSlot& slot = page.block->time;
  for (;;) {
    sequence = slot.sequence.load(std::memory_order_seq_cst);
    state.time.clear();
    fabric::TimeState::eachWord(slot.states[sequence & 1], [&](const auto& word) {
      state.time.push_back(word.load(std::memory_order_relaxed));
    });
    std::atomic_thread_fence(std::memory_order_acquire);
    if (slot.sequence.load(std::memory_order_relaxed) == sequence) break;
  }
  state.automaticResignAction = page.block->automaticResignAction.load(std::memory_order_acquire);
  state.switches = page.block->switches.load(std::memory_order_relaxed);
  return state;
}

bool Router::isAsShown(const Page& page, const Shown& shown) {
  const FederateBlock& block = *page.block;
  return block.time.sequence.load(std::memory_order_seq_cst) == shown.sequence &&
         block.appliedLog.load(std::memory_order_acquire) == shown.state.appliedLog &&
         block.automaticResignAction.load(std::memory_order_acquire) ==
             shown.state.automaticResignAction &&
         block.switches.load(std::memory_order_relaxed) == shown.state.switches;
}

void Router::show(const Page& page, const PageState& state) {
  FederateBlock& block = *page.block;
  fabric::TimeSlot& slot = block.time;
  const std::uint64_t sequence = slot.sequence.load(std::memory_order_relaxed);
  std::size_t i = 0;
  fabric::TimeState::eachWord(slot.states[(sequence + 1) & 1], [&](auto& word) {
    using Word = std::remove_reference_t<decltype(word)>::value_type;
    const std::uint64_t value = i < state.time.size() ? state.time[i] : 0;
    word.store(static_cast<Word>(value), std::memory_order_relaxed);
    ++i;
  });
  // Sequentially consistent: afterwards the slots of this host are read, for those who ask whether
  // this one has been seen.
  slot.sequence.store(sequence + 1, std::memory_order_seq_cst);
  block.automaticResignAction.store(state.automaticResignAction, std::memory_order_relaxed);
  block.switches.store(state.switches, std::memory_order_relaxed);
  block.appliedLog.store(state.appliedLog, std::memory_order_release);
  if (!state.time.empty() && (state.time[0] & takesPart) != 0) anyTime_ = true;
}

void Router::ringWaiters() {
  for (const Page& one : pages_) {
    if (!one.remote() && one.block->waitsForTime.load(std::memory_order_seq_cst) != 0) {
      fabric::ringDoorbell(*one.block);
    }
  }
}

// --- links ---------------------------------------------------------------------------------------

void Router::addLink(LinkId link) {
  refreshPages();
  links_.insert(link);
  for (const Page& one : pages_) sendTables(link, one);
  TableCounts tables;
  for (const auto& [federate, changes] : tableChanges_) {
    tables.federates.push_back(federate);
    tables.counts.push_back(changes);
  }
  send_(link, linkMessage(LinkMessage::TableCountsShown, number_, tables));
  // What was told to others, not what is true by now: counts and pages belong together.
  States states;
  for (const auto& [channel, counts] : channels_) {
    const auto from = static_cast<FederateNumber>(channel >> 32);
    const auto to = static_cast<FederateNumber>(channel);
    states.sent.push_back({from, to, counts.sent});
    states.taken.push_back({from, to, counts.taken});
  }
  for (const auto& [federate, shown] : shown_) {
    const bool told = !shown.state.time.empty();
    if (told && page(federate) != nullptr) states.pages.push_back(shown.state);
  }
  send_(link, linkMessage(LinkMessage::States, number_, states));
}

void Router::removeLink(LinkId link) {
  links_.erase(link);
  std::erase_if(home_, [link](const auto& item) { return item.second == link; });
}

void Router::left(FederateNumber federate, LogNumber ended) {
  home_.erase(federate);
  standIns_.erase(federate);
  for (const auto& [sender, one] : standIns_) one->forget(federate);
  shown_.erase(federate);
  figures_.erase(federate);
  for (auto* flows : {&flows_, &flowsTold_}) {
    std::erase_if(*flows, [federate](const auto& item) {
      return static_cast<FederateNumber>(item.first) == federate ||
             static_cast<FederateNumber>(item.first >> 32) == federate;
    });
  }
  congested_.erase(federate);
  open_.erase(federate);
  tableChanges_.erase(federate);
  // What the leaver has sent may still be on its way, until its receiver has read of its end.
  for (auto& [channel, counts] : channels_) {
    if (static_cast<FederateNumber>(channel >> 32) == federate) counts.ends = ended;
  }
  std::erase_if(channels_, [federate](const auto& item) {
    return static_cast<FederateNumber>(item.first) == federate;
  });
  refreshPages();
  endChannels();
}

void Router::passOn(LinkId from, std::span<const std::byte> message) {
  for (const LinkId link : links_) {
    if (link != from) send_(link, message);
  }
}

// --- what leaves ---------------------------------------------------------------------------------

bool Router::pump(std::size_t mostBytes) {
  refreshPages();
  States states;
  std::vector<ChannelCount> taken;
  if (anyTime_) scanCounts(false, taken);
  std::vector<std::pair<Shown*, Shown>> fresh;
  for (const Page& one : pages_) {
    if (one.remote()) continue;
    Shown& last = shown_[one.federate];
    if (isAsShown(one, last)) continue;
    Shown now;
    now.state = stateOf(one, now.sequence);
    if ((now.state.time[0] & takesPart) != 0) anyTime_ = true;
    fresh.emplace_back(&last, std::move(now));
  }
  // All that was sent before what the pages show.
  if (!drain(mostBytes)) return false;
  if (anyTime_) scanCounts(true, states.sent);
  for (const std::uint64_t channel : sentElsewhere_) {
    const auto found = channels_.find(channel);
    if (found == channels_.end()) continue;
    states.sent.push_back({static_cast<FederateNumber>(channel >> 32),
                           static_cast<FederateNumber>(channel), found->second.sent});
  }
  sentElsewhere_.clear();
  for (const ChannelCount& one : states.sent) setChannel(one.from, one.to, &one.count, nullptr);
  for (const ChannelCount& one : taken) setChannel(one.from, one.to, nullptr, &one.count);
  for (auto& [last, now] : fresh) {
    *last = std::move(now);
    states.pages.push_back(last->state);
  }
  states.taken = std::move(taken);
  if (states.sent.empty() && states.pages.empty() && states.taken.empty()) return true;
  passOn(~LinkId{0}, linkMessage(LinkMessage::States, number_, states));
  endChannels();
  return true;
}

void Router::scanCounts(bool sent, std::vector<ChannelCount>& changed) {
  for (const Page& one : pages_) {
    if (one.remote()) continue;
    fabric::anyInbound(execution_.arena().arena(), *one.block,
                       [&](FederateNumber from, std::uint64_t sentCount, std::uint64_t takenCount) {
                         const std::uint64_t count = sent ? sentCount : takenCount;
                         if (count == 0) return false;
                         const auto found = channels_.find(key(from, one.federate));
                         if (sent) {
                           // Of one who lives elsewhere its own host tells.
                           const Page* sender = page(from);
                           if (sender == nullptr || sender->remote()) return false;
                         }
                         if (found == channels_.end() ||
                             count > (sent ? found->second.sent : found->second.taken)) {
                           changed.push_back({from, one.federate, count});
                         }
                         return false;
                       });
  }
}

bool Router::drain(std::size_t mostBytes) {
  FederateNumber sender = 0;
  core::Inbox::Source* source = nullptr;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < mostRecords && bytes < mostBytes; ++i) {
    if (!inbox_.nextInPlace(record_, sender, source)) return true;
    RecordHead head;
    std::memcpy(&head, record_.data(), sizeof head);
    route(sender, record_);
    bytes += whole_.size();
    inbox_.release();
    // Only now: until then the ring itself says that something is on its way.
    if ((head.flags & fabric::recordFlag::timestampOrder) != 0) inbox_.countTaken(source);
  }
  return false;
}

void Router::route(FederateNumber sender, std::span<const std::byte> record) {
  // The receivers and their count stand behind the body, or behind the reference to it.
  std::uint32_t count = 0;
  if (record.size() < sizeof(RecordHead) + sizeof count) return;
  std::memcpy(&count, record.last(sizeof count).data(), sizeof count);
  const std::size_t trailer = sizeof count + std::size_t{count} * sizeof(FederateNumber);
  if (record.size() - sizeof(RecordHead) < trailer) return;
  receivers_.resize(count);
  if (count != 0) {
    std::memcpy(receivers_.data(), record.last(trailer).data(), count * sizeof(FederateNumber));
  }
  const auto own = record.first(record.size() - trailer);
  const auto body = inbox_.bodyOf(own);
  if (body.size() > fabric::largestBody) return;  // no sender wrote that reference
  RecordHead head;
  std::memcpy(&head, own.data(), sizeof head);
  head.bytes = static_cast<std::uint32_t>(sizeof head + body.size());
  head.flags = static_cast<std::uint8_t>(head.flags & ~fabric::recordFlag::chunk);
  whole_.resize(head.bytes);
  std::memcpy(whole_.data(), &head, sizeof head);
  if (!body.empty()) std::memcpy(whole_.data() + sizeof head, body.data(), body.size());

  if (isTableChange(head.type)) {
    head.stamp = ++tableChanges_[sender];
    std::memcpy(whole_.data(), &head, sizeof head);
    for (const LinkId link : links_) sendData(link, sender, {}, whole_);
    return;
  }
  constexpr std::uint8_t both = fabric::recordFlag::bestEffort | fabric::recordFlag::timestampOrder;
  // In timestamp order nothing may be lost, however it is to be sent: its number is counted.
  if (directly_ && (head.flags & both) == fabric::recordFlag::bestEffort) {
    directly_(sender, whole_, receivers_);
  }
  if ((head.flags & fabric::recordFlag::timestampOrder) != 0) {
    for (const FederateNumber receiver : receivers_) {
      const std::uint64_t channel = key(sender, receiver);
      const auto found = channels_.find(channel);
      const std::uint64_t sent = (found == channels_.end() ? 0 : found->second.sent) + 1;
      setChannel(sender, receiver, &sent, nullptr);
      sentElsewhere_.insert(channel);
    }
  }
  for (const LinkId link : links_) {
    part_.clear();
    for (const FederateNumber receiver : receivers_) {
      const auto found = home_.find(receiver);
      if (found != home_.end() && found->second == link) part_.push_back(receiver);
    }
    if (!part_.empty()) sendData(link, sender, part_, whole_);
  }
}

void Router::sendData(LinkId link, FederateNumber sender, std::span<const FederateNumber> receivers,
                      std::span<const std::byte> record) {
  if (straight_ && link == 0 && !receivers.empty()) {
    rest_.assign(receivers.begin(), receivers.end());
    straight_(sender, record, rest_);
    if (rest_.empty()) return;
    receivers = rest_;
  }
  message_.clear();
  writeData(message_, number_, sender, receivers, record);
  send_(link, message_);
}

void Router::sendFigures() {
  refreshPages();
  Figures figures;
  for (const Page& one : pages_) {
    if (one.remote()) continue;
    FederateFigures now{one.federate, {}};
    fabric::Counters::eachWord(one.block->counters, [&](const auto& word) {
      now.words.push_back(word.load(std::memory_order_relaxed));
    });
    if (one.block->dropped.all.load(std::memory_order_relaxed) != 0) {
      fabric::ClassCounts::eachWord(one.block->dropped, [&](const auto& word) {
        now.words.push_back(word.load(std::memory_order_relaxed));
      });
    }
    auto& last = figures_[one.federate];
    if (last == now.words) continue;
    last = now.words;
    figures.federates.push_back(std::move(now));
  }
  if (!figures.federates.empty()) {
    passOn(~LinkId{0}, linkMessage(LinkMessage::Figures, number_, figures));
  }
}

void Router::tellFlows() {
  if (!links_.contains(0)) return;
  refreshPages();
  std::vector<FlowCount> changed;
  for (const Page& one : pages_) {
    if (one.remote()) continue;
    fabric::eachInbound(execution_.arena().arena(), *one.block,
                        [&](FederateNumber sender, std::uint64_t messages) {
                          if (page(sender) == nullptr) return;
                          const auto told = flowsTold_.find(key(sender, one.federate));
                          if (messages > (told == flowsTold_.end() ? 0 : told->second))
                            changed.push_back({sender, one.federate, messages});
                        });
  }
  if (changed.empty()) return;
  const auto keyOf = [](const FlowCount& one) { return key(one.sender, one.receiver); };
  std::sort(changed.begin(), changed.end(),
            [&](const auto& a, const auto& b) { return keyOf(a) < keyOf(b); });
  const auto next = std::find_if(changed.begin(), changed.end(),
                                 [&](const FlowCount& one) { return keyOf(one) > lastFlow_; });
  std::rotate(changed.begin(), next, changed.end());
  if (changed.size() > FlowsTold::mostTold) changed.resize(FlowsTold::mostTold);
  lastFlow_ = keyOf(changed.back());
  for (const FlowCount& one : changed) flowsTold_[keyOf(one)] = one.messages;
  send_(0, linkMessage(LinkMessage::FlowsTold, number_, FlowsTold{std::move(changed)}));
}

bool Router::lookForCongestion() {
  refreshPages();
  // One who has left while its end was not passed on yet has no memory any more.
  for (const auto& [federate, one] : standIns_) {
    if (page(federate) != nullptr) one->giveBackRead();
  }
  for (const Page& one : pages_) {
    if (one.remote()) continue;
    std::uint64_t unread = 0;
    for (const auto& [federate, sender] : standIns_) {
      if (page(federate) != nullptr) unread += sender->unread(one.federate);
    }
    const bool was = congested_.contains(one.federate);
    const bool is = unread > (was ? freeBelow : congestedAbove);
    if (was == is) continue;
    if (is) {
      congested_.insert(one.federate);
    } else {
      congested_.erase(one.federate);
    }
    passOn(~LinkId{0}, linkMessage(LinkMessage::Congestion, number_, Congestion{one.federate, is}));
  }
  return !congested_.empty();
}

// --- what comes ----------------------------------------------------------------------------------

/// A node speaks for those who live behind it; the home for all. Of one who has just left what was
/// said before may still come, and does nothing.
bool Router::maySpeak(LinkId from, FederateNumber federate) {
  if (from == 0 || page(federate) == nullptr || placeOf(federate) == from) return true;
  pretence_ = "it speaks for federate " + std::to_string(federate) + " of '" + execution_.name() +
              "', which does not live behind it";
  return false;
}

bool Router::take(LinkId from, const LinkHead& head, std::span<const std::byte> message) {
  pretence_.clear();
  refreshPages();
  const auto body = message.subspan(linkHeadBytes);
  switch (head.kind) {
    case LinkMessage::Data:
      return takeData(from, body);
    case LinkMessage::States:
      if (!takeStates(from, body)) return false;
      passOn(from, message);
      endChannels();
      ringWaiters();
      return true;
    case LinkMessage::Figures: {
      Figures figures;
      if (!fabric::fromWire(body, figures)) return false;
      for (const FederateFigures& one : figures.federates) {
        if (!maySpeak(from, one.federate)) return false;
        const Page* shown = page(one.federate);
        if (shown == nullptr || !shown->remote()) continue;
        std::size_t i = 0;
        const auto store = [&](auto& word) {
          using Word = std::remove_reference_t<decltype(word)>::value_type;
          if (i < one.words.size()) {
            word.store(static_cast<Word>(one.words[i]), std::memory_order_relaxed);
          }
          ++i;
        };
        fabric::Counters::eachWord(shown->block->counters, store);
        fabric::ClassCounts::eachWord(shown->block->dropped, store);
      }
      passOn(from, message);
      return true;
    }
    case LinkMessage::FlowsTold:
      if (!takeFlows(from, body)) return false;
      if (from != 0 && links_.contains(0)) send_(0, message);
      return true;
    case LinkMessage::TableCountsShown: {
      TableCounts tables;
      if (!fabric::fromWire(body, tables) || tables.federates.size() != tables.counts.size()) {
        return false;
      }
      for (std::size_t i = 0; i < tables.counts.size(); ++i) {
        if (!maySpeak(from, tables.federates[i])) return false;
        std::uint64_t& changes = tableChanges_[tables.federates[i]];
        changes = std::max(changes, tables.counts[i]);
      }
      return true;
    }
    case LinkMessage::Congestion: {
      Congestion congestion;
      if (!fabric::fromWire(body, congestion)) return false;
      if (!maySpeak(from, congestion.federate)) return false;
      const Page* shown = page(congestion.federate);
      if (shown != nullptr && shown->remote()) {
        shown->block->congested.store(congestion.congested ? 1 : 0, std::memory_order_release);
      }
      passOn(from, message);
      return true;
    }
    default:
      return false;
  }
}

bool Router::takeFlows(LinkId from, std::span<const std::byte> body) {
  FlowsTold told;
  if (!fabric::fromWire(body, told) || told.flows.size() > FlowsTold::mostTold) return false;
  for (const FlowCount& one : told.flows) {
    if (one.messages > mostCounted || !maySpeak(from, one.receiver)) return false;
  }
  for (const FlowCount& one : told.flows) {
    // One of the two may just have left.
    if (page(one.sender) == nullptr || page(one.receiver) == nullptr) continue;
    std::uint64_t& messages = flows_[key(one.sender, one.receiver)];
    messages = std::max(messages, one.messages);
  }
  return true;
}

std::string Router::damage() const {
  if (!damage_.empty()) return damage_;
  for (const auto& [federate, one] : standIns_) {
    if (one->isDamaged()) {
      return "somebody has written a ring of federate " + std::to_string(federate);
    }
  }
  return inbox_.damage();
}

bool Router::takeData(LinkId from, std::span<const std::byte> body) {
  FederateNumber sender = 0;
  std::vector<FederateNumber> receivers;
  std::span<const std::byte> record;
  if (!readData(body, sender, &receivers, record) || !maySpeak(from, sender)) return false;
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  if (isTableChange(head.type)) {
    if (!applyTable(sender, record)) {
      // Its federate wrote that, the node behind the link only passed it on.
      if (damage_.empty()) {
        damage_ = "federate " + std::to_string(sender) + " shows a table that cannot be";
      }
      return true;
    }
    std::uint64_t& changes = tableChanges_[sender];
    changes = std::max(changes, head.stamp);
    for (const LinkId link : links_) {
      if (link != from) sendData(link, sender, {}, record);
    }
    return true;
  }
  StandIn* own = standIn(sender);
  if (own == nullptr) return true;  // it has just left
  std::map<LinkId, std::vector<FederateNumber>> further;
  for (const FederateNumber receiver : receivers) {
    const Page* to = page(receiver);
    if (to == nullptr) continue;
    if (!to->remote()) {
      own->deliver(*to, record);
    } else if (const auto found = home_.find(receiver);
               found != home_.end() && found->second != from) {
      further[found->second].push_back(receiver);
    }
  }
  for (const auto& [link, those] : further) sendData(link, sender, those, record);
  return true;
}

bool Router::takeStates(LinkId from, std::span<const std::byte> body) {
  States states;
  if (!fabric::fromWire(body, states)) return false;
  // All of it or nothing. What is sent is told by the sender's node, what is taken by the
  // receiver's.
  const auto mayBeSaid = [&] {
    for (const ChannelCount& one : states.sent) {
      if (!maySpeak(from, one.from)) return false;
    }
    for (const ChannelCount& one : states.taken) {
      if (!maySpeak(from, one.to)) return false;
    }
    for (const PageState& one : states.pages) {
      if (!maySpeak(from, one.federate)) return false;
    }
    return true;
  };
  if (from != 0 && !mayBeSaid()) return false;
  for (const ChannelCount& one : states.sent) setChannel(one.from, one.to, &one.count, nullptr);
  for (PageState& state : states.pages) {
    const Page* shown = page(state.federate);
    if (shown == nullptr || !shown->remote()) continue;
    show(*shown, state);
    shown_[state.federate].state = std::move(state);
  }
  for (const ChannelCount& one : states.taken) setChannel(one.from, one.to, nullptr, &one.count);
  return true;
}

// --- messages on their way -----------------------------------------------------------------------

void Router::setChannel(FederateNumber from, FederateNumber to, const std::uint64_t* sent,
                        const std::uint64_t* taken) {
  const Page* receiver = page(to);
  if (receiver == nullptr) return;
  Channel& channel = channels_[key(from, to)];
  const bool was = channel.isOpen();
  if (sent != nullptr) channel.sent = std::max(channel.sent, *sent);
  if (taken != nullptr) channel.taken = std::max(channel.taken, *taken);
  if (was != channel.isOpen()) showOpen(to, was ? -1 : 1);
}

void Router::showOpen(FederateNumber to, int change) {
  const Page* receiver = page(to);
  if (receiver == nullptr || !receiver->remote()) return;
  int& open = open_[to];
  open += change;
  auto* ring = reinterpret_cast<fabric::RingHeader*>(reinterpret_cast<std::byte*>(receiver->block) +
                                                     fabric::standInRing);
  ring->timestampedSent.store(open > 0 ? 1 : 0, std::memory_order_seq_cst);
}

void Router::endChannels() {
  std::erase_if(channels_, [&](const auto& item) {
    const Channel& channel = item.second;
    if (channel.ends == 0) return false;
    const auto to = static_cast<FederateNumber>(item.first);
    const Page* receiver = page(to);
    if (receiver != nullptr &&
        receiver->block->appliedLog.load(std::memory_order_acquire) < channel.ends) {
      return false;
    }
    if (channel.isOpen()) showOpen(to, -1);
    return true;
  });
}

}  // namespace tutti::router
