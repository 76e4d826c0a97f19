// SPDX-License-Identifier: Apache-2.0
#include "core/connection.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "core/node_starter.h"
#include "fabric/link_status.h"
#include "fabric/printable.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;
using fabric::EndpointError;
using fabric::Refusal;
using Clock = fabric::Endpoint::Clock;

/// Whatever a node says of its own.
constexpr std::chrono::milliseconds mostLongestWait = 120s;
constexpr auto statusLimit = 5s;
constexpr auto startLimit = 10s;

Fault faultOf(Refusal refusal) {
  switch (refusal) {
    case Refusal::FederationExecutionAlreadyExists:
      return Fault::FederationExecutionAlreadyExists;
    case Refusal::FederationExecutionDoesNotExist:
      return Fault::FederationExecutionDoesNotExist;
    case Refusal::FederatesCurrentlyJoined:
      return Fault::FederatesCurrentlyJoined;
    case Refusal::FederateNameAlreadyInUse:
      return Fault::FederateNameAlreadyInUse;
    case Refusal::FederateAlreadyExecutionMember:
      return Fault::FederateAlreadyExecutionMember;
    case Refusal::FederateNotExecutionMember:
      return Fault::FederateNotExecutionMember;
    case Refusal::CouldNotOpenFDD:
      return Fault::CouldNotOpenFDD;
    case Refusal::ErrorReadingFDD:
      return Fault::ErrorReadingFDD;
    case Refusal::InconsistentFDD:
      return Fault::InconsistentFDD;
    case Refusal::CouldNotOpenMIM:
      return Fault::CouldNotOpenMIM;
    case Refusal::ErrorReadingMIM:
      return Fault::ErrorReadingMIM;
    case Refusal::DesignatorIsHLAstandardMIM:
      return Fault::DesignatorIsHLAstandardMIM;
    case Refusal::CouldNotCreateLogicalTimeFactory:
      return Fault::CouldNotCreateLogicalTimeFactory;
    case Refusal::SynchronizationPointLabelNotAnnounced:
      return Fault::SynchronizationPointLabelNotAnnounced;
    case Refusal::ObjectInstanceNotKnown:
      return Fault::ObjectInstanceNotKnown;
    case Refusal::ObjectInstanceNameNotReserved:
      return Fault::ObjectInstanceNameNotReserved;
    case Refusal::NameNotFound:
      return Fault::NameNotFound;
    case Refusal::SaveInProgress:
      return Fault::SaveInProgress;
    case Refusal::SaveNotInProgress:
      return Fault::SaveNotInProgress;
    case Refusal::SaveNotInitiated:
      return Fault::SaveNotInitiated;
    case Refusal::FederateHasNotBegunSave:
      return Fault::FederateHasNotBegunSave;
    case Refusal::RestoreInProgress:
      return Fault::RestoreInProgress;
    case Refusal::RestoreNotInProgress:
      return Fault::RestoreNotInProgress;
    case Refusal::RestoreNotRequested:
      return Fault::RestoreNotRequested;
    case Refusal::AttributeNotOwned:
      return Fault::AttributeNotOwned;
    case Refusal::AttributeAlreadyBeingDivested:
      return Fault::AttributeAlreadyBeingDivested;
    case Refusal::AttributeDivestitureWasNotRequested:
      return Fault::AttributeDivestitureWasNotRequested;
    case Refusal::NoAcquisitionPending:
      return Fault::NoAcquisitionPending;
    case Refusal::DeletePrivilegeNotHeld:
      return Fault::DeletePrivilegeNotHeld;
    case Refusal::None:
    case Refusal::OutOfMemory:
    case Refusal::Internal:
      break;
  }
  return Fault::RTIinternalError;
}

bool isPlainName(const std::string& name) {
  return !name.empty() && name.size() <= 64 && name.find_first_of("/; \t\n") == std::string::npos;
}

/// `source`: where the text comes from, "TUTTI_ARCHITECTURE is ".
fabric::Architecture parseArchitecture(const std::string& source, const std::string& text) {
  if (text == "decentralized") return fabric::Architecture::Decentralized;
  if (text == "federated") return fabric::Architecture::Federated;
  if (text == "centralized") return fabric::Architecture::Centralized;
  fail(Fault::InvalidLocalSettingsDesignator,
       source + "'" + text +
           "', which is no architecture: there are decentralized, federated and centralized.");
}

/// Takes `;architecture=...` off the end.
void takeArchitecture(std::string& chosen, Designator& result) {
  constexpr std::string_view key = ";architecture=";
  if (const auto at = chosen.find(key); at != std::string::npos) {
    result.architecture =
        parseArchitecture("the settings designator asks for ", chosen.substr(at + key.size()));
    chosen.resize(at);
  }
  const char* variable = std::getenv("TUTTI_ARCHITECTURE");
  if (variable != nullptr && *variable != '\0') {
    result.architecture = parseArchitecture("TUTTI_ARCHITECTURE is ", variable);
  }
}

}  // namespace

Designator parseDesignator(const std::string& text) {
  const char* variable = std::getenv("TUTTI_RTI");
  const std::string fromEnvironment = variable != nullptr ? variable : "";
  Designator result;
  std::string chosen = text;
  if (!fromEnvironment.empty()) {
    if (!text.empty() && text != fromEnvironment) result.ignored = text;
    chosen = fromEnvironment;
  }
  takeArchitecture(chosen, result);
  constexpr std::string_view memory = "shm:";
  // Programs hand over what other RTIs want to be told; the variable is for this one alone.
  if (!fromEnvironment.empty() && !chosen.empty() && !chosen.starts_with(memory) &&
      !chosen.starts_with("tcp:")) {
    fail(Fault::InvalidLocalSettingsDesignator,
         "TUTTI_RTI is '" + fromEnvironment +
             "', which names no RTI. It may be shm:NAME for an RTI node of this host, such as "
             "shm:default, or tcp:HOST:PORT for one that was started with tutti-rti --listen; "
             "without the variable the federate uses the RTI of this host.");
  }
  if (chosen.empty()) {
    result.name = "default";
  } else if (chosen.starts_with(memory)) {
    result.name = chosen.substr(memory.size());
    if (!isPlainName(result.name)) {
      fail(Fault::InvalidLocalSettingsDesignator,
           "'" + chosen +
               "' names no RTI: after shm: comes a name of 1 to 64 characters without "
               "spaces, slashes and semicolons, such as shm:default.");
    }
  } else if (chosen.starts_with("tcp:")) {
    result.home = chosen.substr(4);
    if (const auto slash = result.home.find('/'); slash != std::string::npos) {
      result.name = result.home.substr(slash + 1);
      result.home.resize(slash);
    } else {
      result.name = "tcp-" + result.home;
    }
    const auto colon = result.home.rfind(':');
    const std::string port = colon == std::string::npos ? "" : result.home.substr(colon + 1);
    const bool isPort = !port.empty() && port.size() <= 5 &&
                        port.find_first_not_of("0123456789") == std::string::npos;
    if (!isPort || colon == 0 || !isPlainName(result.name)) {
      fail(Fault::InvalidLocalSettingsDesignator,
           "'" + chosen +
               "' names no RTI: after tcp: comes HOST:PORT of an RTI node that was started with "
               "tutti-rti --listen, such as tcp:192.168.1.10:7400.");
    }
  } else {
    result.ignored = chosen;
    result.name = "default";
  }
  return result;
}

void Connection::open(const Designator& designator) {
  const auto& [nodeName, home, ignored, architecture] = designator;
  std::string program = program_invocation_short_name;
  if (!ignored.empty()) program += " (settings designator '" + ignored + "' ignored)";
  const auto deadline = Clock::now() + startLimit;
  bool started = false;
  std::string why;
  while (!endpoint_) {
    // The endpoint is ours while it connects: a child that is forked meanwhile closes its copy.
    const auto connected = endpoint_.open(nodeName);
    if (connected) {
      lost_ = false;
      damage_.clear();
      requests_ = 0;
      try {
        introduce(nodeName, program, architecture);
        return;
      } catch (const ServiceFault& fault) {
        // A node that was just about to leave drops the connection: another one is started.
        endpoint_.close();
        why = fault.text;
        if (fault.fault != Fault::NotConnected) throw ServiceFault{Fault::ConnectionFailed, why};
      }
    } else {
      why = connected.error().text;
      if (connected.error().kind == EndpointError::Kind::Denied) {
        fail(Fault::ConnectionFailed, why);
      }
      if (!started && connected.error().kind == EndpointError::Kind::Refused) {
        if (auto problem = startNode(nodeName, home)) fail(Fault::ConnectionFailed, *problem);
        started = true;
        continue;
      }
    }
    if (Clock::now() > deadline) {
      fail(Fault::ConnectionFailed,
           "No connection to the RTI node shm:" + nodeName + " within 10 s: " + why +
               " Look into its log, or start tutti-rti --shm " + nodeName + " by hand.");
    }
    started = false;
    std::this_thread::sleep_for(5ms);
  }
}

void Connection::introduce(const std::string& nodeName, const std::string& program,
                           fabric::Architecture architecture) {
  const auto reply = ask<fabric::HelloReply>(
      fabric::Request::Hello, fabric::HelloRequest{fabric::layoutVersion, program, architecture});
  if (reply.layout != fabric::layoutVersion) {
    close();
    fail(Fault::ConnectionFailed,
         "The RTI node shm:" + nodeName + " is of another version (memory layout " +
             std::to_string(reply.layout) + ", this library has " +
             std::to_string(fabric::layoutVersion) +
             "). Stop it with tutti-rti --stop, or use the library that belongs to it.");
  }
  connection_ = reply.connection;
  nodeName_ = nodeName;
  if (descriptors_.size() != 2) fail(Fault::ConnectionFailed, "The RTI node sent no host page.");
  using Access = fabric::Mapping::Access;
  auto host = fabric::Mapping::map(descriptors_[0].get(), fabric::pageBytes, Access::ReadOnly);
  auto spin = fabric::Mapping::map(descriptors_[1].get(), fabric::pageBytes, Access::ReadWrite);
  descriptors_.clear();
  if (!host) fail(Fault::ConnectionFailed, host.error());
  if (!spin) fail(Fault::ConnectionFailed, spin.error());
  hostPages_ = std::make_shared<const HostPages>(HostPages{std::move(*host), std::move(*spin)});
  if (hostPage()->magic != fabric::HostPage::magicValue) {
    fail(Fault::ConnectionFailed, "The RTI node's host page cannot be read.");
  }
}

void Connection::adopt(fabric::Endpoint endpoint, const std::string& nodeName) {
  endpoint_ = std::move(endpoint);
  lost_ = false;
  requests_ = 0;
  introduce(nodeName, program_invocation_short_name);
}

void Connection::close() {
  damage_.clear();
  endpoint_.close();
  descriptors_.clear();
  hostPages_.reset();
}

void Connection::giveUp(std::string damage) {
  lost_ = true;
  damage_ = std::move(damage);
  fail(Fault::NotConnected, "The connection to the RTI node shm:" + nodeName_ +
                                " is given up: the shared memory is damaged: " + damage_ + ".");
}

void Connection::loseWith(const std::string& why) {
  lost_ = true;
  fail(Fault::NotConnected, "The connection to the RTI node shm:" + nodeName_ + " is lost: " + why);
}

std::optional<std::chrono::milliseconds> Connection::longestWaitOfNode() const {
  auto other = fabric::Endpoint::connect(nodeName_);
  if (!other) return std::nullopt;
  fabric::RequestHead head;
  head.request = fabric::Request::Status;
  head.number = 1;
  if (!other->send(fabric::toWire(head))) return std::nullopt;
  const auto answer = other->receive(Clock::now() + statusLimit);
  if (!answer) return std::nullopt;
  fabric::ReplyHead reply;
  fabric::StatusReply status;
  std::vector<fabric::LinkStatus> links;
  fabric::WireReader reader(answer->bytes);
  reader(reply, status, links);
  if (reader.failed() || reply.version != fabric::protocolVersion) return std::nullopt;
  std::uint64_t longest = 0;
  for (const fabric::LinkStatus& link : links)
    longest = std::max(longest, link.longestWaitMilliseconds);
  return std::min(std::chrono::milliseconds(std::min<std::uint64_t>(longest, 1'000'000)),
                  mostLongestWait);
}

fabric::Bytes Connection::exchange(fabric::Request request, fabric::Bytes body) {
  if (!endpoint_) fail(Fault::NotConnected, "This federate is not connected to an RTI.");
  if (lost_) loseWith("the node is gone.");
  descriptors_.clear();
  fabric::RequestHead head;
  head.request = request;
  head.number = ++requests_;
  fabric::Bytes datagram = fabric::toWire(head);
  datagram.insert(datagram.end(), body.begin(), body.end());
  if (auto sent = endpoint_.send(datagram); !sent) loseWith(sent.error().text);

  const auto usual = Clock::now() + answerLimit_;
  auto deadline = usual;
  for (;;) {
    auto answer = endpoint_.receive(deadline);
    if (!answer && answer.error().kind == EndpointError::Kind::TimedOut) {
      const auto longer = longestWaitOfNode();
      if (longer && deadline < usual + *longer) {
        deadline = std::min(Clock::now() + answerLimit_, usual + *longer);
        continue;
      }
    }
    if (!answer) loseWith(answer.error().text);
    fabric::ReplyHead reply;
    fabric::WireReader reader(answer->bytes);
    reader(reply);
    if (reader.failed() || reply.version != fabric::protocolVersion) {
      loseWith("it sent a reply that cannot be read.");
    }
    if (reply.number != head.number) continue;  // the answer to a request that was given up
    logTail_ = reply.logTail;
    if (reply.refusal != Refusal::None) {
      // It may quote names and object models of others, and federates print what they catch.
      fail(faultOf(reply.refusal), fabric::printable(reply.message, fabric::Lines::Kept));
    }
    descriptors_ = std::move(answer->descriptors);
    const std::size_t headBytes = fabric::toWire(reply).size();
    return {answer->bytes.begin() + static_cast<std::ptrdiff_t>(headBytes), answer->bytes.end()};
  }
}

bool Connection::lost() {
  if (lost_ || !endpoint_) return lost_;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);  // this is called with every service
  lastAsked_ = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
               static_cast<std::uint64_t>(now.tv_nsec);
  if (lastAsked_ < nextLook_) return false;
  nextLook_ = lastAsked_ + 50'000'000;
  if (endpoint_.closedByPeer()) lost_ = true;
  if (!lost_ && findDamage) {
    damage_ = findDamage();
    lost_ = !damage_.empty();
  }
  return lost_;
}

}  // namespace tutti::core
