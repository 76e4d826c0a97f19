// SPDX-License-Identifier: GPL-3.0-or-later
// Datagrams from other nodes, or from anybody: probes, bundles, fragments, acknowledgements, directly
// and through a group. Parts: a datagram each. Its tokens are put right unless bit 3 of the kind is
// set; bit 0: it comes from the second peer, bit 1: through the group, bit 2: this node sends
// something first.
#include <algorithm>
#include <cstring>
#include <deque>

#include "pipes/datagram_port.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

Landmark bundled("a message of a bundle was handed out");
Landmark assembled("a message was put together from fragments");
Landmark probed("a probe was answered");
Landmark reached("an answer to a probe opened a way");
Landmark strange("a datagram was refused");
Landmark repeated("a datagram that came twice was dropped");

/// Holds the datagrams that are to be received.
class MemoryWire final : public pipes::DatagramWire {
 public:
  struct Box {
    std::deque<Bytes> incoming;
    std::size_t sent = 0;
  };
  explicit MemoryWire(Box& box) : box_(box) {
    if (const auto any = pipes::SocketAddress::of({"127.0.0.1", 4000})) address_ = *any;
  }
  Sent send(const pipes::SocketAddress&, Input datagram) override {
    require(datagram.size() >= sizeof(pipes::DatagramHead), "a datagram has a head");
    ++box_.sent;
    return Sent::Yes;
  }
  std::optional<Input> receive() override {
    if (box_.incoming.empty()) return std::nullopt;
    current_ = std::move(box_.incoming.front());
    box_.incoming.pop_front();
    return current_;
  }
  int descriptor() const override { return -1; }
  std::size_t largestTo(const pipes::SocketAddress&) const override {
    return pipes::usualDatagram;
  }
  std::size_t receiveBuffer() const override { return std::size_t{1} << 20; }
  const pipes::SocketAddress& address() const override { return address_; }

 private:
  Box& box_;
  Bytes current_;
  pipes::SocketAddress address_;
};

constexpr std::uint64_t peerTokens[] = {0x1111, 0x2222};
constexpr std::uint64_t groupToken = 0x3333;
constexpr std::uint8_t fromSecond = 1, throughGroup = 2, sendsFirst = 4, keepsTokens = 8;

void putTokensRight(Bytes& datagram, std::uint8_t kind, std::uint64_t own) {
  if (datagram.size() < sizeof(pipes::DatagramHead) || (kind & keepsTokens) != 0) return;
  pipes::DatagramHead head;
  std::memcpy(&head, datagram.data(), sizeof head);
  head.magic = pipes::DatagramHead::magicValue;
  head.version = pipes::DatagramHead{}.version;
  head.token = (kind & throughGroup) != 0 ? groupToken : own;
  head.from = peerTokens[kind & fromSecond];
  std::memcpy(datagram.data(), &head, sizeof head);
}

template <class... Parts>
Bytes datagram(pipes::DatagramKind kind, std::uint64_t sequence, std::uint8_t flags,
               const Parts&... rest) {
  pipes::DatagramHead head;
  head.kind = kind;
  head.flags = flags;
  head.sequence = sequence;
  Bytes bytes;
  const auto append = [&](Input more) { bytes.insert(bytes.end(), more.begin(), more.end()); };
  append(std::as_bytes(std::span(&head, 1)));
  (append(rest), ...);
  return bytes;
}

template <class T>
Bytes raw(const T& value) {
  const Input bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

Bytes bundle(std::uint64_t sequence, std::uint8_t flags) {
  const Bytes text = bytesOf("a message");
  const Bytes length = raw(static_cast<std::uint32_t>(text.size()));
  return datagram(pipes::DatagramKind::Bundle, sequence, flags, length, text, length, text);
}

Bytes fragment(std::uint64_t sequence, std::uint32_t offset, std::uint32_t total,
               std::uint32_t piece) {
  const pipes::FragmentHead head{1, total, offset, piece, 0};
  return datagram(pipes::DatagramKind::Fragment, sequence, pipes::datagramFlag::wantsAck, raw(head),
                  Bytes(std::min(piece, total - offset), std::byte{7}));
}

}  // namespace

void target(Input input) {
  MemoryWire::Box box;
  MemoryWire::Box groupBox;
  auto made = pipes::DatagramPort::make(std::make_unique<MemoryWire>(box), {});
  require(made.has_value(), "a port can be made");
  pipes::DatagramPort& port = **made;
  const pipes::SocketAddress where = port.address();
  port.addPeer(0, where, peerTokens[0]);
  port.addPeer(1, where, peerTokens[1]);
  port.openGroup(std::make_unique<MemoryWire>(groupBox), where, groupToken);
  bool inFragment = false;
  const auto take = [&](pipes::DatagramPort::PeerId peer, Input message) {
    require(peer < 2, "a message comes from a peer");
    require(message.size() <= pipes::largestDatagramMessage, "a message has at most its limit");
    (inFragment ? assembled : bundled).reach();
  };
  pipes::Clock::time_point now = pipes::Clock::now();
  port.tick(now);
  for (const Part& part : parts(input)) {
    Bytes bytes(part.bytes.begin(), part.bytes.end());
    putTokensRight(bytes, part.kind, port.token());
    if ((part.kind & sendsFirst) != 0 && port.hasRoom(0)) {
      port.send(0, Bytes(5000));
      if (port.groupHasRoom()) port.sendToGroup(Bytes(100));
      port.flush();
    }
    pipes::DatagramHead head;
    if (bytes.size() >= sizeof head) {
      std::memcpy(&head, bytes.data(), sizeof head);
      inFragment = head.kind == pipes::DatagramKind::Fragment;
    }
    const auto before = port.figures();
    const std::size_t sent = box.sent;
    ((part.kind & throughGroup) != 0 ? groupBox : box).incoming.push_back(std::move(bytes));
    require(port.receive(take), "one datagram is read in one go");
    if (head.kind == pipes::DatagramKind::Probe && box.sent > sent) probed.reach();
    const auto after = port.figures();
    if (after.strange > before.strange) strange.reach();
    if (after.duplicates > before.duplicates) repeated.reach();
    if (port.reaches(0) || port.groupReaches(1)) reached.reach();
    now += std::chrono::milliseconds(100);
    port.tick(now);
    port.timeout();
  }
  port.removePeer(1);
}

std::vector<Bytes> seeds() {
  using pipes::DatagramKind;
  const pipes::ProbeReport report{pipes::usualDatagram, 1 << 20};
  Bytes usual;
  appendPart(usual, 0, datagram(DatagramKind::Probe, 1200, 0, Bytes(1168)));
  appendPart(usual, 0, datagram(DatagramKind::ProbeAnswer, 1200, 0, raw(report)));
  appendPart(usual, sendsFirst, bundle(1, pipes::datagramFlag::wantsAck));
  appendPart(usual, 0, datagram(DatagramKind::Ack, 4, 0));
  appendPart(usual, 0, bundle(1, 0));
  appendPart(usual, sendsFirst, bundle(3, 0));
  appendPart(usual, 0, bundle(2, 0));
  Bytes group;
  appendPart(group, throughGroup,
             datagram(DatagramKind::Probe, 1200, pipes::datagramFlag::group, Bytes(1168)));
  appendPart(group, fromSecond, datagram(DatagramKind::ProbeAnswer, 1200,
                                         pipes::datagramFlag::group, raw(report)));
  appendPart(group, throughGroup | fromSecond, bundle(1, pipes::datagramFlag::group));
  appendPart(group, sendsFirst | fromSecond,
             datagram(DatagramKind::Ack, 1, pipes::datagramFlag::group));
  Bytes fragments;
  for (std::uint32_t i = 0; i < 3; ++i) {
    appendPart(fragments, 0, fragment(i + 1, i * 100, 250, 100));
  }
  Bytes interleaved;
  appendPart(interleaved, 0, fragment(2, 100, 150, 100));
  appendPart(interleaved, fromSecond, fragment(1, 0, 150, 100));
  appendPart(interleaved, 0, fragment(1, 0, 150, 100));
  appendPart(interleaved, keepsTokens, bundle(1, 0));
  appendPart(interleaved, 0, bytesOf("short"));
  return {usual, group, fragments, interleaved};
}

}  // namespace tutti::fuzz
