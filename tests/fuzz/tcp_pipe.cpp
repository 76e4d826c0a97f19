// SPDX-License-Identifier: GPL-3.0-or-later
// What a stranger can send to a node's TCP port: the greeting, lengths and messages, in any pieces.
// Parts: bytes that come, those of kind 0 with a whole greeting of this version in front when they
// are the first, and of kind 1 framed as one message. Between two parts the pipe reads, ticks and
// flushes.
#include "pipes/tcp_pipe.h"

#include <algorithm>
#include <cstring>

#include "fabric/wire.h"
#include "pipes/stream.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

Landmark greeted("a greeting was accepted");
Landmark message("a message was handed out");
Landmark several("three messages were handed out");
Landmark refused("a connection was given up");

/// Both directions of a connection, in memory.
class MemoryStream final : public pipes::Stream {
 public:
  explicit MemoryStream(Bytes& incoming) : incoming_(incoming) {}

  tl::expected<std::size_t, Error> read(std::span<std::byte> to) override {
    const std::size_t count = std::min(to.size(), incoming_.size() - at_);
    std::copy_n(incoming_.begin() + static_cast<std::ptrdiff_t>(at_), count, to.begin());
    at_ += count;
    return count;
  }
  bool holdsBytes() const override { return at_ < incoming_.size(); }
  tl::expected<std::size_t, Error> write(std::span<const std::byte> bytes) override {
    written_ += bytes.size();
    return bytes.size();
  }
  bool wantsWrite(bool hasMore) const override { return hasMore; }
  std::uint64_t written() const override { return written_; }
  int descriptor() const override { return -1; }

 private:
  Bytes& incoming_;
  std::size_t at_ = 0;
  std::uint64_t written_ = 0;
};

void append(Bytes& bytes, Input more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

void appendFramed(Bytes& bytes, Input body) {
  const auto length = static_cast<std::uint32_t>(body.size());
  append(bytes, std::as_bytes(std::span(&length, 1)));
  append(bytes, body);
}

}  // namespace

void target(Input input) {
  Bytes incoming;
  pipes::TcpPipe pipe(std::make_unique<MemoryStream>(incoming), pipes::Greeting{}, "a fuzzed host");
  std::size_t sent = 0;
  std::size_t taken = 0;
  std::size_t count = 0;
  const auto take = [&](std::span<const std::byte> bytes) {
    require(pipe.peer().has_value(), "no message is handed out in front of the greeting");
    taken += bytes.size();
    require(taken <= sent, "no more is handed out than came");
    ++count;
    message.reach();
    if (count == 3) several.reach();
    pipe.send(bytes);
  };
  bool first = true;
  for (const Part& part : parts(input)) {
    const std::size_t before = incoming.size();
    if (std::exchange(first, false) && part.kind == 0) {
      appendFramed(incoming, fabric::toWire(pipes::Greeting{}));
    }
    if (part.kind == 1) {
      appendFramed(incoming, part.bytes);
    } else {
      append(incoming, part.bytes);
    }
    sent += incoming.size() - before;
    const auto received = pipe.receive(take);
    if (pipe.peer()) greeted.reach();
    const auto flushed = pipe.flush();
    if (received && flushed) continue;
    require(!received ? !received.error().text.empty() : !flushed.error().text.empty(),
            "an error says what is wrong");
    refused.reach();
    return;
  }
}

std::vector<Bytes> seeds() {
  Bytes framed;
  appendPart(framed, 0, {});
  for (int i = 0; i < 4; ++i) appendPart(framed, 1, bytesOf("a message of some length"));
  Bytes heartbeats;
  appendPart(heartbeats, 0, Bytes(12));
  appendPart(heartbeats, 2, Bytes(3));
  appendPart(heartbeats, 2, Bytes(1));
  appendPart(heartbeats, 1, bytesOf("m"));
  Bytes own;
  pipes::Greeting greeting;
  greeting.node = "a node of another name";
  greeting.token = 7;
  appendPart(own, 1, fabric::toWire(greeting));
  appendPart(own, 1, bytesOf("one"));
  greeting.version = 1;
  Bytes old;
  appendPart(old, 1, fabric::toWire(greeting));
  Bytes foreign;
  appendPart(foreign, 2, bytesOf("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  return {framed, heartbeats, own, old, foreign};
}

}  // namespace tutti::fuzz
