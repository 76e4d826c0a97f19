// SPDX-License-Identifier: Apache-2.0
#include "router/message_streams.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace tutti::router {

namespace {

/// In front of each message of a frame.
struct MessageHead {
  std::uint64_t tableChanges = 0;
  std::uint32_t bytes = 0;
};
constexpr std::size_t messageHeadBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);

/// False: there is no whole message at `at`.
bool readMessage(std::span<const std::byte> frame, std::size_t at, MessageHead& head) {
  if (frame.size() - at < messageHeadBytes) return false;
  std::memcpy(&head.tableChanges, frame.data() + at, sizeof head.tableChanges);
  std::memcpy(&head.bytes, frame.data() + at + sizeof head.tableChanges, sizeof head.bytes);
  return frame.size() - at - messageHeadBytes >= head.bytes;
}

bool isWhole(std::span<const std::byte> frame, const FrameHead& head) {
  std::size_t at = head.bytes();
  for (std::uint32_t i = 0; i < head.messages; ++i) {
    MessageHead message;
    if (!readMessage(frame, at, message)) return false;
    at += messageHeadBytes + message.bytes;
  }
  return head.messages != 0 && at == frame.size();
}

}  // namespace

// --- what leaves ---------------------------------------------------------------------------------

void MessageStreams::put(NodeId to, std::uint64_t tableChanges,
                         std::span<const std::byte> message) {
  Outgoing& stream = outgoing_[to];
  ++stream.put;
  ++stream.openMessages;
  fabric::WireWriter writer(stream.open);
  writer(tableChanges, static_cast<std::uint32_t>(message.size()));
  stream.open.insert(stream.open.end(), message.begin(), message.end());
  if (stream.open.size() >= fullFrame) sealAll();
}

/// What this node has sent itself. Messages count from when they are put: what comes of them can be
/// on its way before they are.
void MessageStreams::noteOwn() {
  for (const auto& [to, stream] : outgoing_) known_.raise(own_, to, stream.put);
  known_.raise(own_, home, toHome_);
}

void MessageStreams::seal(NodeId to, Outgoing& stream) {
  if (stream.openMessages == 0) return;
  FrameHead head;
  head.first = stream.sealed + 1;
  head.taken = taken(to);
  head.messages = std::exchange(stream.openMessages, 0);
  // Of what the receiver has sent himself, and of this stream, he knows.
  head.known = known_.since(stream.told, [&](const MessageCount& count) {
    return count.from != to && !(count.from == own_ && count.to == to);
  });
  stream.sealed += head.messages;
  Frame frame{stream.sealed, head.messages, fabric::toWire(head)};
  frame.bytes.insert(frame.bytes.end(), stream.open.begin(), stream.open.end());
  stream.open.clear();
  stream.frames.push_back(std::move(frame));
}

/// All at once, and before anything is learned: what a frame says to come before it has come before
/// all that is in it, and two frames never wait for each other.
void MessageStreams::sealAll() {
  noteOwn();
  for (auto& [to, stream] : outgoing_) seal(to, stream);
}

std::optional<MessageStreams::Frame> MessageStreams::nextFrame(NodeId to) {
  const auto found = outgoing_.find(to);
  if (found == outgoing_.end()) return std::nullopt;
  Outgoing& stream = found->second;
  if (stream.openMessages != 0) sealAll();
  if (stream.frames.empty()) return std::nullopt;
  Frame frame = std::move(stream.frames.front());
  stream.frames.pop_front();
  return frame;
}

bool MessageStreams::hasUnsent() const {
  return std::any_of(outgoing_.begin(), outgoing_.end(), [](const auto& item) {
    return item.second.openMessages != 0 || !item.second.frames.empty();
  });
}

std::vector<MessageCount> MessageStreams::newsForHome() {
  noteOwn();
  return known_.since(toldHome_, [&](const MessageCount& count) {
    return !(count.from == own_ && count.to == home);
  });
}

// --- what comes ----------------------------------------------------------------------------------

std::optional<std::uint64_t> MessageStreams::arrived(NodeId from,
                                                     std::span<const std::byte> frame) {
  Arrived one;
  if (!fabric::fromWire(frame, one.head) || !isWhole(frame, one.head)) return std::nullopt;
  const std::uint64_t acknowledged = one.head.taken;
  if (ended_.contains(from)) return acknowledged;
  Incoming& stream = incoming_[from];
  // It came the other way as well: frames are sent again as they were.
  if (one.head.first <= stream.inOrder || stream.behind.contains(one.head.first)) {
    return acknowledged;
  }
  if (!charge_.add(frame.size())) throw std::bad_alloc();
  one.bytes.assign(frame.begin(), frame.end());
  one.at = one.head.bytes();
  stream.behind.emplace(one.head.first, std::move(one));
  for (auto next = stream.behind.begin();
       next != stream.behind.end() && next->first == stream.inOrder + 1;
       next = stream.behind.erase(next)) {
    stream.inOrder += next->second.head.messages;
    stream.waiting.push_back(std::move(next->second));
  }
  return acknowledged;
}

bool MessageStreams::take(NodeId from, Incoming& stream) {
  bool any = false;
  while (!stream.waiting.empty()) {
    Arrived& frame = stream.waiting.front();
    if (frame.taken == 0) {
      if (!has(frame.head.known)) return any;
      if (!frame.head.known.empty()) sealAll();
      for (const MessageCount& count : frame.head.known) {
        // What was sent to this node has been taken: whoever hears of this node need not wait.
        const bool isOver = ended_.contains(count.from) || ended_.contains(count.to);
        if (count.to != own_ && !isOver) known_.raise(count.from, count.to, count.number);
      }
      frame.head.known.clear();
    }
    while (frame.taken < frame.head.messages) {
      MessageHead head;
      readMessage(frame.bytes, frame.at, head);
      const auto message =
          std::span<const std::byte>(frame.bytes).subspan(frame.at + messageHeadBytes, head.bytes);
      const Arrival arrival = judge_(message, head.tableChanges);
      if (arrival == Arrival::Early) return any;
      if (arrival == Arrival::Ready) take_(from, message);
      frame.at += messageHeadBytes + head.bytes;
      ++frame.taken;
      ++stream.taken;
      any = true;
    }
    charge_.remove(frame.bytes.size());
    stream.waiting.pop_front();
  }
  return any;
}

bool MessageStreams::proceed() {
  bool any = false;
  for (bool more = true; more;) {
    more = false;
    for (auto& [from, stream] : incoming_) more = take(from, stream) || more;
    any = any || more;
  }
  return any;
}

bool MessageStreams::has(const std::vector<MessageCount>& counts) const {
  return std::all_of(counts.begin(), counts.end(), [&](const MessageCount& count) {
    return count.to != own_ || count.number <= taken(count.from) || ended_.contains(count.from);
  });
}

std::uint64_t MessageStreams::taken(NodeId from) const {
  const auto found = incoming_.find(from);
  return found == incoming_.end() ? 0 : found->second.taken;
}

void MessageStreams::end(NodeId node) {
  ended_.insert(node);
  outgoing_.erase(node);
  // The gap in front of these will not be closed.
  if (const auto found = incoming_.find(node); found != incoming_.end()) {
    for (const auto& [first, frame] : found->second.behind) charge_.remove(frame.bytes.size());
    found->second.behind.clear();
  }
  known_.forget(node);
}

}  // namespace tutti::router
