// SPDX-License-Identifier: Apache-2.0
#include "pipes/datagram_path.h"

#include <cstring>
#include <utility>

namespace tutti::pipes {

namespace {

constexpr std::chrono::milliseconds retryAfter{1};
constexpr std::size_t lengthBytes = sizeof(std::uint32_t);
constexpr std::size_t fragmentHeads = sizeof(DatagramHead) + sizeof(FragmentHead);

}  // namespace

DatagramPath::DatagramPath(DatagramHead head, Transmit transmit)
    : head_(head), transmit_(std::move(transmit)) {}

void DatagramPath::setReceiver(std::uint64_t receiver, std::size_t window) {
  windows_[receiver] = window;
  acknowledged_.try_emplace(receiver, sent_);
}

bool DatagramPath::hasWindow(Clock::time_point now) {
  std::uint64_t least = sent_;
  std::size_t window = ~std::size_t{0};
  for (const auto& [receiver, bytes] : acknowledged_) {
    least = std::min(least, bytes);
    window = std::min(window, windows_[receiver]);
  }
  if (sent_ - least < window) return true;
  if (!marks_.empty() && now - marks_.back().at < patience_) return false;
  // Lost, or the acknowledgements of it.
  for (auto& [receiver, bytes] : acknowledged_) bytes = sent_;
  marks_.clear();
  patience_ = std::min(2 * patience_, longestPatience);
  return true;
}

void DatagramPath::acknowledged(std::uint64_t receiver, std::uint64_t sequence) {
  const auto found = acknowledged_.find(receiver);
  if (found == acknowledged_.end()) return;
  for (const Mark& mark : marks_) {
    if (mark.sequence > sequence) break;
    found->second = std::max(found->second, mark.sent);
  }
  std::uint64_t least = sent_;
  for (const auto& [one, bytes] : acknowledged_) least = std::min(least, bytes);
  while (!marks_.empty() && marks_.front().sent <= least) marks_.pop_front();
  patience_ = firstPatience;
}

bool DatagramPath::transmit(DatagramKind kind, std::vector<std::byte>& datagram,
                            Clock::time_point now) {
  full_ = false;
  if (!hasWindow(now)) return false;
  std::size_t window = ~std::size_t{0};
  for (const auto& [receiver, bytes] : acknowledged_) window = std::min(window, windows_[receiver]);
  const bool mark = sent_ + datagram.size() - marked_ >= window / 4;
  DatagramHead head = head_;
  head.kind = kind;
  head.sequence = sequence_ + 1;
  if (mark) head.flags |= datagramFlag::wantsAck;
  std::memcpy(datagram.data(), &head, sizeof head);
  const auto sent = transmit_(datagram);
  if (sent == DatagramWire::Sent::Full) {
    full_ = true;
    retryAt_ = now + retryAfter;
    return false;
  }
  // Too long for the way: then it is lost, and the next probe finds the right size.
  ++sequence_;
  sent_ += datagram.size();
  if (mark) {
    marked_ = sent_;
    marks_.push_back({sequence_, sent_, now});
  }
  return true;
}

bool DatagramPath::sendBundle(Clock::time_point now) {
  if (bundle_.empty()) return true;
  if (!transmit(DatagramKind::Bundle, bundle_, now)) {
    stuck_ = true;
    return false;
  }
  bundle_.clear();
  stuck_ = false;
  return true;
}

void DatagramPath::divide(std::span<const std::byte> message) {
  fragments_.message.assign(message.begin(), message.end());
  ++fragments_.number;
  fragments_.piece = largest_ - fragmentHeads;
  fragments_.sent = 0;
}

bool DatagramPath::sendFragments(Clock::time_point now) {
  auto& message = fragments_.message;
  while (fragments_.sent < message.size()) {
    FragmentHead head{};
    head.message = fragments_.number;
    head.total = static_cast<std::uint32_t>(message.size());
    head.offset = static_cast<std::uint32_t>(fragments_.sent);
    head.piece = static_cast<std::uint32_t>(fragments_.piece);
    const std::size_t bytes = std::min(fragments_.piece, message.size() - fragments_.sent);
    datagram_.resize(fragmentHeads + bytes);
    std::memcpy(datagram_.data() + sizeof(DatagramHead), &head, sizeof head);
    std::memcpy(datagram_.data() + fragmentHeads, message.data() + fragments_.sent, bytes);
    if (!transmit(DatagramKind::Fragment, datagram_, now)) return false;
    fragments_.sent += bytes;
  }
  message.clear();
  fragments_.sent = 0;
  return true;
}

void DatagramPath::send(std::span<const std::byte> message, Clock::time_point now) {
  const std::size_t need = lengthBytes + message.size();
  if (sizeof(DatagramHead) + need > largest_) {
    // Behind what is in the bundle.
    sendBundle(now);
    divide(message);
    if (!stuck_) sendFragments(now);
    return;
  }
  if (!bundle_.empty() && bundle_.size() + need > largest_) sendBundle(now);
  if (stuck_) {
    // No room for the full bundle: this one becomes its own message of fragments, behind it.
    divide(message);
    return;
  }
  if (bundle_.empty()) {
    bundle_.resize(sizeof(DatagramHead));
    bundleSince_ = now;
  }
  const auto bytes = static_cast<std::uint32_t>(message.size());
  const auto* length = reinterpret_cast<const std::byte*>(&bytes);
  bundle_.insert(bundle_.end(), length, length + lengthBytes);
  bundle_.insert(bundle_.end(), message.begin(), message.end());
}

void DatagramPath::flush(Clock::time_point now) {
  if (stuck_ || !fragments_.message.empty()) return proceed(now);
  if (bundle_.empty() || now < bundleSince_ + deadline_) return;
  sendBundle(now);
}

void DatagramPath::proceed(Clock::time_point now) {
  if (stuck_ && !sendBundle(now)) return;
  if (!fragments_.message.empty() && !sendFragments(now)) return;
  if (!bundle_.empty() && now >= bundleSince_ + deadline_) sendBundle(now);
}

std::optional<Clock::time_point> DatagramPath::due() const {
  if (!hasRoom()) {
    if (full_ || marks_.empty()) return retryAt_;
    return marks_.back().at + patience_;
  }
  if (!bundle_.empty()) return bundleSince_ + deadline_;
  return std::nullopt;
}

}  // namespace tutti::pipes
