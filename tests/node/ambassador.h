// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/endpoint.h"
#include "fabric/futex.h"
#include "fabric/mapping.h"
#include "fabric/protocol.h"
#include "log_reader.h"

/// A federate written straight against the fabric: just enough to talk to a node and to write what
/// the federate's library writes.
namespace tutti::test {

struct NoBody {
  template <class A>
  void fields(A&) {}
};

/// A request as bytes.
template <class Message>
fabric::Bytes requestBytes(fabric::Request request, std::uint64_t number, const Message& message) {
  fabric::RequestHead head;
  head.request = request;
  head.number = number;
  fabric::Bytes bytes = fabric::toWire(head);
  const fabric::Bytes body = fabric::toWire(message);
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

/// A reply taken apart.
template <class Body>
struct Outcome {
  bool answered = false;
  fabric::ReplyHead head;
  Body body;
  std::vector<fabric::UniqueFd> descriptors;

  bool ok() const { return answered && head.refusal == fabric::Refusal::None; }
};

template <class Body>
Outcome<Body> takeApart(const fabric::Bytes& bytes) {
  Outcome<Body> outcome;
  fabric::WireReader reader(bytes);
  reader(outcome.head);
  outcome.answered = !reader.failed();
  if (outcome.ok()) {
    reader(outcome.body);
    outcome.answered = !reader.failed();
  }
  return outcome;
}

class Ambassador {
 public:
  static constexpr std::chrono::seconds patience{10};

  Ambassador() = default;

  static std::optional<Ambassador> connect(const std::string& node) {
    auto endpoint = fabric::Endpoint::connect(node);
    if (!endpoint) return std::nullopt;
    Ambassador ambassador;
    ambassador.endpoint_ = std::move(*endpoint);
    return ambassador;
  }

  template <class Body = NoBody, class Message = NoBody>
  Outcome<Body> ask(fabric::Request request, const Message& message = {}) {
    if (!send(request, message)) return {};
    return answer<Body>();
  }

  template <class Message = NoBody>
  bool send(fabric::Request request, const Message& message = {}) {
    return endpoint_.send(requestBytes(request, ++number_, message)).has_value();
  }
  template <class Body = NoBody>
  Outcome<Body> answer() {
    auto datagram = endpoint_.receive(fabric::Endpoint::Clock::now() + patience);
    if (!datagram) return {};
    auto outcome = takeApart<Body>(datagram->bytes);
    outcome.descriptors = std::move(datagram->descriptors);
    return outcome;
  }

  bool hello(const std::string& program = "test") {
    fabric::HelloRequest request;
    request.program = program;
    auto outcome = ask<fabric::HelloReply>(fabric::Request::Hello, request);
    if (!outcome.ok() || outcome.descriptors.size() != 2) return false;
    connection_ = outcome.body.connection;
    using Access = fabric::Mapping::Access;
    auto host =
        fabric::Mapping::map(outcome.descriptors[0].get(), fabric::pageBytes, Access::ReadOnly);
    auto spin =
        fabric::Mapping::map(outcome.descriptors[1].get(), fabric::pageBytes, Access::ReadWrite);
    if (!host || !spin) return false;
    hostPage_ = std::move(*host);
    spinPage_ = std::move(*spin);
    return true;
  }

  Outcome<NoBody> create(const std::string& federation,
                         const std::vector<fabric::ModuleBytes>& modules = {},
                         const std::string& time = {}) {
    fabric::CreateFederationRequest request;
    request.federation = federation;
    request.modules = modules;
    request.timeImplementation = time;
    return ask(fabric::Request::CreateFederation, request);
  }
  Outcome<NoBody> destroy(const std::string& federation) {
    return ask(fabric::Request::DestroyFederation, fabric::FederationNameRequest{federation});
  }

  /// Joins and maps the arena.
  Outcome<fabric::JoinReply> join(const std::string& federation, const std::string& name,
                                  const std::string& type = "test") {
    fabric::JoinRequest request;
    request.federation = federation;
    request.federateName = name;
    request.federateType = type;
    auto outcome = ask<fabric::JoinReply>(fabric::Request::Join, request);
    if (!outcome.ok()) return outcome;
    joined = outcome.body;
    auto mapped = fabric::Arena::open({outcome.descriptors.at(0).get(),
                                       outcome.descriptors.at(1).get(), joined.publishedBytes,
                                       joined.arenaBytes});
    if (!mapped) throw std::runtime_error(mapped.error());
    arena = std::move(*mapped);
    block = arena.as<fabric::FederateBlock>(joined.block);
    position_ = {joined.logBlock, joined.logAt, joined.logNumber};
    block->appliedLog.store(joined.logNumber);
    return outcome;
  }

  std::vector<ReadRecord> readLog() {
    LogReader reader(arena, position_);
    auto records = reader.read(block);
    position_ = reader.position();
    return records;
  }

  /// Waits for a record of this type.
  std::optional<ReadRecord> waitFor(fabric::LogRecordType type) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < end) {
      const auto rung = block->doorbell.load();
      for (ReadRecord& record : readLog()) {
        if (record.type == type) return std::move(record);
      }
      block->sleeping.store(1);
      if (arena.header().logTail.load() != position_.applied) continue;
      fabric::futexWait(block->doorbell, rung, std::chrono::milliseconds(100));
    }
    return std::nullopt;
  }

  fabric::Endpoint& endpoint() { return endpoint_; }
  std::uint32_t connection() const { return connection_; }
  const fabric::HostPage& hostPage() {
    return *reinterpret_cast<fabric::HostPage*>(hostPage_.data());
  }
  fabric::SpinPage& spinPage() { return *reinterpret_cast<fabric::SpinPage*>(spinPage_.data()); }

  fabric::JoinReply joined;
  fabric::Arena arena;
  fabric::FederateBlock* block = nullptr;

 private:
  fabric::Endpoint endpoint_;
  std::uint64_t number_ = 0;
  std::uint32_t connection_ = 0;
  fabric::Mapping hostPage_;
  fabric::Mapping spinPage_;
  fabric::LogPosition position_;
};

}  // namespace tutti::test
