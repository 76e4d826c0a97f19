// SPDX-License-Identifier: Apache-2.0
#include "observe/node_client.h"

#include <unistd.h>

#include <bit>
#include <fstream>
#include <set>
#include <span>
#include <sstream>

namespace tutti::observe {

using fabric::Datagram;
using fabric::Endpoint;
using fabric::EndpointError;
using fabric::ReplyHead;
using fabric::Request;
using fabric::RequestHead;
using fabric::toWire;

namespace {

struct NoBody {
  template <class A>
  void fields(A&) {}
};

}  // namespace

tl::expected<std::string, std::string> nodeNameOf(std::string_view designator) {
  constexpr std::string_view scheme = "shm:";
  if (designator.starts_with(scheme)) designator.remove_prefix(scheme.size());
  if (designator.empty()) return std::string("default");
  if (designator.find(':') != std::string_view::npos) {
    return tl::unexpected("'" + std::string(designator) +
                          "' names no RTI node of this machine: use shm:NAME");
  }
  return std::string(designator);
}

std::vector<std::string> runningNodes() {
  // Num RefCount Protocol Flags Type St Inode Path; a listening socket has this flag.
  constexpr unsigned long listening = 0x10000;
  const std::string prefix = "@tutti/" + std::to_string(::getuid()) + "/";
  std::set<std::string> names;
  std::ifstream file("/proc/net/unix");
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find(prefix);
    if (at == std::string::npos) continue;
    std::istringstream fields(line);
    std::string number, references, protocol;
    unsigned long flags = 0;
    fields >> number >> references >> protocol >> std::hex >> flags;
    if ((flags & listening) != 0) names.insert(line.substr(at + prefix.size()));
  }
  return {names.begin(), names.end()};
}

tl::expected<NodeClient, std::string> NodeClient::connect(const std::string& nodeName) {
  auto endpoint = Endpoint::connect(nodeName);
  if (!endpoint) {
    if (endpoint.error().kind == EndpointError::Kind::Refused) {
      return tl::unexpected("no RTI node '" + nodeName +
                            "' is running on this machine; it starts with the first federate that "
                            "connects, or with: tutti-rti --shm " +
                            nodeName);
    }
    return tl::unexpected(endpoint.error().text);
  }
  NodeClient client;
  client.endpoint_ = std::move(*endpoint);
  client.nodeName_ = nodeName;
  return client;
}

tl::unexpected<std::string> NodeClient::lost(const std::string& why) {
  // An answer that comes late would be taken for the next one.
  endpoint_.close();
  return tl::unexpected("the RTI node '" + nodeName_ + "' does not answer: " + why);
}

template <class Message>
tl::expected<void, std::string> NodeClient::send(Request request, const Message& message) {
  RequestHead head;
  head.request = request;
  head.number = ++lastNumber_;
  fabric::Bytes bytes = toWire(head);
  const fabric::Bytes body = toWire(message);
  bytes.insert(bytes.end(), body.begin(), body.end());
  if (auto sent = endpoint_.send(bytes); !sent) return lost(sent.error().text);
  return {};
}

tl::expected<Datagram, std::string> NodeClient::check(Datagram answer, std::size_t& bodyAt) {
  ReplyHead reply;
  fabric::WireReader reader(answer.bytes);
  reader(reply);
  if (reader.failed() || reply.number != lastNumber_) return lost("it sent something else");
  if (reply.refusal != fabric::Refusal::None) return tl::unexpected(reply.message);
  bodyAt = toWire(reply).size();
  return answer;
}

template <class Message>
tl::expected<Datagram, std::string> NodeClient::ask(Request request, const Message& message,
                                                    std::size_t& bodyAt) {
  // The answer to a status that nobody took up stands before the one to this.
  if (statusAsked_) {
    statusAsked_.reset();
    if (auto old = endpoint_.receive(Endpoint::Clock::now() + patience); !old) {
      return lost(old.error().text);
    }
  }
  if (auto sent = send(request, message); !sent) return tl::unexpected(sent.error());
  auto answer = endpoint_.receive(Endpoint::Clock::now() + patience);
  if (!answer) return lost(answer.error().text);
  return check(std::move(*answer), bodyAt);
}

tl::expected<void, std::string> NodeClient::hello(const std::string& program) {
  fabric::HelloRequest request;
  request.program = program;
  std::size_t bodyAt = 0;
  auto answer = ask(Request::Hello, request, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

tl::expected<fabric::StatusReply, std::string> NodeClient::status() {
  return statusAndLinks().map([](NodeStatus&& node) { return std::move(node.status); });
}

tl::expected<NodeStatus, std::string> NodeClient::statusAndLinks() {
  std::size_t bodyAt = 0;
  auto answer = ask(Request::Status, NoBody{}, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  return readStatus(*answer, bodyAt);
}

tl::expected<std::optional<NodeStatus>, std::string> NodeClient::statusWithin(
    std::chrono::milliseconds wait) {
  const auto now = Endpoint::Clock::now();
  if (!statusAsked_) {
    if (auto sent = send(Request::Status, NoBody{}); !sent) return tl::unexpected(sent.error());
    statusAsked_ = now;
  }
  auto answer = endpoint_.receive(now + wait);
  if (!answer && answer.error().kind == EndpointError::Kind::TimedOut) return std::nullopt;
  statusAsked_.reset();
  if (!answer) return lost(answer.error().text);
  std::size_t bodyAt = 0;
  auto checked = check(std::move(*answer), bodyAt);
  if (!checked) return tl::unexpected(checked.error());
  return readStatus(*checked, bodyAt).map([](NodeStatus&& node) {
    return std::optional(std::move(node));
  });
}

std::optional<Endpoint::Clock::time_point> NodeClient::askedSince() const { return statusAsked_; }

tl::expected<NodeStatus, std::string> NodeClient::readStatus(const Datagram& answer,
                                                             std::size_t bodyAt) const {
  NodeStatus node;
  fabric::WireReader reader(std::span(answer.bytes).subspan(bodyAt));
  reader(node.status);
  if (reader.failed()) {
    return tl::unexpected("the RTI node '" + nodeName_ + "' sent a status that cannot be read");
  }
  reader(node.links);
  if (reader.failed()) node.links.clear();
  reader(node.neighbours);
  if (reader.failed()) node.neighbours.clear();
  reader(node.flows);
  if (reader.failed()) node.flows.clear();
  return node;
}

tl::expected<ObservedMemory, std::string> NodeClient::observe(const std::string& federation) {
  fabric::FederationNameRequest request;
  request.federation = federation;
  std::size_t bodyAt = 0;
  auto answer = ask(Request::Observe, request, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  fabric::ObserveReply reply;
  if (!fabric::fromWire(std::span(answer->bytes).subspan(bodyAt), reply) ||
      answer->descriptors.size() != 2) {
    return tl::unexpected("the RTI node '" + nodeName_ + "' did not hand out the memory of '" +
                          federation + "'");
  }
  return ObservedMemory{std::move(answer->descriptors[0]), std::move(answer->descriptors[1]),
                        reply.publishedBytes, reply.arenaBytes};
}

tl::expected<void, std::string> NodeClient::holdTime(const std::string& federation,
                                                     std::optional<std::uint64_t> ceiling) {
  fabric::HoldTimeRequest request;
  request.federation = federation;
  request.held = ceiling.has_value();
  request.ceiling = ceiling.value_or(0);
  std::size_t bodyAt = 0;
  auto answer = ask(Request::HoldTime, request, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

tl::expected<void, std::string> NodeClient::setPace(const std::string& federation,
                                                    double perSecond) {
  std::size_t bodyAt = 0;
  auto answer = ask(
      Request::SetPace,
      fabric::SetPaceRequest{federation, std::bit_cast<std::uint64_t>(perSecond + 0.0)}, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

tl::expected<void, std::string> NodeClient::operateSave(const std::string& federation,
                                                        fabric::SaveAction action,
                                                        const std::string& label) {
  std::size_t bodyAt = 0;
  auto answer =
      ask(Request::OperateSave, fabric::OperateSaveRequest{federation, action, label}, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

tl::expected<fabric::SavesReply, std::string> NodeClient::saves(const std::string& federation) {
  fabric::FederationNameRequest request;
  request.federation = federation;
  std::size_t bodyAt = 0;
  auto answer = ask(Request::ListSaves, request, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  fabric::SavesReply reply;
  if (!fabric::fromWire(std::span(answer->bytes).subspan(bodyAt), reply)) {
    return tl::unexpected("the RTI node '" + nodeName_ +
                          "' sent a list of saves that cannot be read");
  }
  return reply;
}

tl::expected<void, std::string> NodeClient::operateResign(
    const fabric::OperateResignRequest& request) {
  std::size_t bodyAt = 0;
  auto answer = ask(Request::OperateResign, request, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

tl::expected<fabric::ResignsReply, std::string> NodeClient::resigns(const std::string& federation) {
  std::size_t bodyAt = 0;
  auto answer = ask(Request::ListResigns, fabric::FederationNameRequest{federation}, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  fabric::ResignsReply reply;
  if (!fabric::fromWire(std::span(answer->bytes).subspan(bodyAt), reply)) {
    return tl::unexpected("the RTI node '" + nodeName_ +
                          "' sent a list of resignations that cannot be read");
  }
  return reply;
}

tl::expected<void, std::string> NodeClient::operateAdjust(
    const fabric::OperateAdjustRequest& request) {
  std::size_t bodyAt = 0;
  auto answer = ask(Request::OperateAdjust, request, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

tl::expected<fabric::AdjustmentsReply, std::string> NodeClient::adjustments(
    const std::string& federation) {
  std::size_t bodyAt = 0;
  auto answer = ask(Request::ListAdjustments, fabric::FederationNameRequest{federation}, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  fabric::AdjustmentsReply reply;
  if (!fabric::fromWire(std::span(answer->bytes).subspan(bodyAt), reply)) {
    return tl::unexpected("the RTI node '" + nodeName_ +
                          "' sent what cannot be read about adjustments");
  }
  return reply;
}

tl::expected<void, std::string> NodeClient::modifyAttributeState(
    const fabric::ModifyAttributeStateRequest& request) {
  std::size_t bodyAt = 0;
  auto answer = ask(Request::ModifyAttributeState, request, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

tl::expected<fabric::FindOwnerReply, std::string> NodeClient::findOwner(
    const fabric::FindOwnerRequest& request) {
  std::size_t bodyAt = 0;
  auto answer = ask(Request::FindOwner, request, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  fabric::FindOwnerReply reply;
  if (!fabric::fromWire(std::span(answer->bytes).subspan(bodyAt), reply)) {
    return tl::unexpected("the RTI node '" + nodeName_ +
                          "' sent what cannot be read about an owner");
  }
  return reply;
}

tl::expected<fabric::OperateLinkReply, std::string> NodeClient::operateLink(
    const fabric::OperateLinkRequest& request) {
  std::size_t bodyAt = 0;
  auto answer = ask(Request::OperateLink, request, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  fabric::OperateLinkReply reply;
  if (!fabric::fromWire(std::span(answer->bytes).subspan(bodyAt), reply)) {
    return tl::unexpected("the RTI node '" + nodeName_ + "' sent what cannot be read about a link");
  }
  return reply;
}

tl::expected<void, std::string> NodeClient::confirm(const std::string& federation) {
  fabric::FederationNameRequest request;
  request.federation = federation;
  std::size_t bodyAt = 0;
  auto answer = ask(Request::Confirm, request, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

tl::expected<void, std::string> NodeClient::stop() {
  std::size_t bodyAt = 0;
  auto answer = ask(Request::Stop, NoBody{}, bodyAt);
  if (!answer) return tl::unexpected(answer.error());
  // Nothing more comes: this waits for the end of the connection.
  const auto end = endpoint_.receive(Endpoint::Clock::now() + patience);
  if (!end && end.error().kind == EndpointError::Kind::Closed) return {};
  return tl::unexpected("the RTI node '" + nodeName_ + "' was asked to stop and is still there");
}

}  // namespace tutti::observe
