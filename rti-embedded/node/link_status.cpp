// SPDX-License-Identifier: Apache-2.0
#include "node/link_status.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

namespace tutti::node {

using pipes::Clock;
using std::chrono::milliseconds;

namespace {

constexpr std::chrono::minutes between{1};

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string textOf(const pipes::Pipe& pipe) {
  return linkText(pipe.peer() ? pipe.peer()->node : std::string(), pipe.remoteName());
}

}  // namespace

std::optional<LinkWatch::News> LinkWatch::look(const pipes::Pipe& pipe, Clock::time_point now) {
  const auto session = pipe.session();
  if (!session || session->suspectSince.has_value() == since_.has_value()) return std::nullopt;
  if (session->suspectSince) {
    since_ = session->suspectSince;
    isSaid_ = !said_ || now - *said_ >= between;
    if (!isSaid_) {
      ++unsaid_;
      return std::nullopt;
    }
    said_ = now;
    const auto before = std::exchange(unsaid_, 0);
    return News{true,
                fmt::format("link to {} is suspect: nothing acknowledged for {:.1f} s. What "
                            "needs it waits; it is lost in {:.0f} s{}",
                            textOf(pipe), seconds(pipes::Pipe::reach),
                            seconds(session->grace),
                            before == 0 ? ""
                                        : fmt::format(" (and was suspect {} times since the last "
                                                      "message of this kind)",
                                                      before))};
  }
  const auto since = std::exchange(since_, std::nullopt);
  if (!isSaid_) return std::nullopt;
  return News{false, fmt::format("link to {} resumed after {:.1f} s, nothing lost",
                                 textOf(pipe), seconds(now - *since + pipes::Pipe::reach))};
}

std::optional<fabric::LinkStatus> linkStatusOf(const pipes::Pipe& pipe, Clock::time_point now) {
  const auto session = pipe.session();
  if (!session) return std::nullopt;
  fabric::LinkStatus status;
  status.node = pipe.remoteName();
  if (pipe.peer()) status.peer = pipe.peer()->node;
  status.suspect = session->suspectSince.has_value();
  if (status.suspect) {
    const auto since = now - *session->suspectSince;
    const auto count = [](Clock::duration duration) {
      return static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(duration).count());
    };
    status.suspectMilliseconds = count(since + pipes::Pipe::reach);
    status.leftMilliseconds = count(std::max(session->grace - since, Clock::duration::zero()));
  }
  status.waitedMilliseconds = static_cast<std::uint64_t>(session->waited.count());
  status.longestWaitMilliseconds = static_cast<std::uint64_t>(session->longestWait.count());
  status.graceMilliseconds = static_cast<std::uint64_t>(session->grace.count());
  status.suspicions = session->suspicions;
  status.resumptions = session->resumptions;
  status.keptBytes = pipe.queuedBytes();
  status.messagesSent = session->messagesSent;
  status.messagesReceived = session->messagesReceived;
  status.bytesSent = session->bytesSent;
  status.bytesReceived = session->bytesReceived;
  if (const auto trip = pipe.roundTrip()) {
    status.roundTripMicroseconds = static_cast<std::uint64_t>(trip->count());
  }
  return status;
}

std::optional<std::pair<fabric::RequestHead, fabric::OperateLinkRequest>> operateLinkOf(
    std::span<const std::byte> datagram) {
  fabric::RequestHead head;
  fabric::OperateLinkRequest request;
  fabric::WireReader reader(datagram);
  reader(head);
  if (reader.failed() || head.request != fabric::Request::OperateLink) return std::nullopt;
  reader(request);
  // Of what cannot be read no link is meant.
  if (reader.failed()) request = {};
  return std::pair(head, request);
}

fabric::Bytes answerToOperateLink(const fabric::RequestHead& head,
                                  const fabric::OperateLinkReply& reply) {
  fabric::ReplyHead replyHead;
  replyHead.number = head.number;
  fabric::Bytes bytes = fabric::toWire(replyHead);
  fabric::WireWriter writer(bytes);
  writer(reply);
  return bytes;
}

std::string whyNotOperate(const pipes::Pipe& pipe, const fabric::OperateLinkRequest& request) {
  const auto session = pipe.session();
  if (!session || !session->suspectSince) {
    return fmt::format("the link to {} answers again; it is left as it is", textOf(pipe));
  }
  if (session->suspicions != request.suspicion) {
    return fmt::format(
        "the link to {} has answered meanwhile, and is without an answer again; "
        "decide anew",
        textOf(pipe));
  }
  const auto left = session->longestWait - session->waited;
  if (request.giveUp || left > milliseconds(0)) return {};
  return session->longestWait == milliseconds(0)
             ? fmt::format(
                   "the link to {} cannot be waited for longer than the grace: the home was "
                   "started without --longest-wait SECONDS",
                   textOf(pipe))
             : fmt::format(
                   "the link to {} is waited for as long as can be already: the nodes that "
                   "are linked keep their federates for {:.0f} s beyond the grace "
                   "(tutti-rti --listen ... --longest-wait SECONDS)",
                   textOf(pipe), seconds(session->longestWait));
}

void addTraffic(fabric::LinkStatus& status, const router::BestEffort* bestEffort,
                router::BestEffort::NodeId node) {
  const auto traffic = bestEffort == nullptr ? std::nullopt : bestEffort->trafficWith(node);
  status.lossesKnown = traffic.has_value();
  if (!traffic) return;
  status.datagrams = traffic->direct;
  status.datagramMessagesSent = traffic->messagesSent;
  status.datagramMessagesReceived = traffic->messagesReceived;
  status.datagramBytesSent = traffic->bytesSent;
  status.datagramBytesReceived = traffic->bytesReceived;
  status.lost = traffic->lost;
}

std::string linkText(const std::string& peer, const std::string& address) {
  // A node that was started for tcp:HOST:PORT is called so.
  if (peer.empty() || peer.starts_with("tcp-")) return "the node at " + address;
  return fmt::format("node '{}' at {}", peer, address);
}

std::string memberText(const fabric::StatusReply& status, const std::string& federation,
                       fabric::FederateNumber federate) {
  for (const auto& one : status.federations) {
    if (one.federation != federation) continue;
    for (const auto& member : one.federates) {
      if (member.federate == federate) return member.name + " of " + federation;
    }
  }
  return "a federate of " + federation;
}

}  // namespace tutti::node
