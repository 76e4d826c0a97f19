// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/fault.h"
#include "fabric/endpoint.h"
#include "fabric/mapping.h"
#include "fabric/protocol.h"

namespace tutti::core {

/// Where a settings designator leads: `shm:NAME`, `tcp:HOST:PORT` (the node of this host that is
/// linked to the one at HOST:PORT; `tcp:HOST:PORT/NAME` also names it), or with an empty one
/// TUTTI_RTI, else `shm:default`. Behind each of them `;architecture=federated` or `centralized`
/// may follow, or stand in TUTTI_ARCHITECTURE. The environment wins over whatever a federate's
/// source says; forms of other RTIs mean the default.
struct Designator {
  std::string name;     ///< of the node of this host
  std::string home;     ///< HOST:PORT of the node it is linked to; empty: it is for itself
  std::string ignored;  ///< what the caller said, when it was overruled or belongs to another RTI
  fabric::Architecture architecture = fabric::Architecture::Decentralized;
};
/// Throws InvalidLocalSettingsDesignator for a form of ours that does not work.
Designator parseDesignator(const std::string& text);

/// The connection of one ambassador to the RTI node of its host. Not thread-safe.
class Connection {
 public:
  /// Connects, and starts a node by itself when there is none. Throws ConnectionFailed. The node
  /// logs a settings designator that was ignored.
  void open(const Designator& designator);
  /// For the node itself: its own end of a pair of sockets.
  void adopt(fabric::Endpoint endpoint, const std::string& nodeName);
  void close();
  /// Closes this process's copy of the socket and leaves everything else as it is.
  void closeInherited() noexcept { endpoint_.close(); }
  bool isOpen() const { return static_cast<bool>(endpoint_); }

  /// An answer is waited for so long, and longer only while the node answers something else and may
  /// have its home wait for another host.
  static constexpr std::chrono::milliseconds usualAnswerLimit{60'000};
  void setAnswerLimit(std::chrono::milliseconds limit) { answerLimit_ = limit; }

  /// Sends a request and waits for its answer. Throws the refusal as the fault of its name, and
  /// NotConnected when the node is gone.
  template <class Reply, class Body>
  Reply ask(fabric::Request request, const Body& body) {
    const fabric::Bytes bytes = exchange(request, fabric::toWire(body));
    Reply reply;
    if (!fabric::fromWire(bytes, reply)) {
      fail(Fault::RTIinternalError, "The RTI node sent a reply that cannot be read.");
    }
    return reply;
  }
  template <class Body>
  void tell(fabric::Request request, const Body& body) {
    exchange(request, fabric::toWire(body));
  }

  /// The descriptors of the last reply.
  std::vector<fabric::UniqueFd>& descriptors() { return descriptors_; }
  /// Up to where the log must be applied before the service returns; from the last reply.
  fabric::LogNumber logTail() const { return logTail_; }

  /// True once the node was found to be gone. Looks at the socket at most 20 times a second.
  bool lost();
  /// Nanoseconds of CLOCK_MONOTONIC_COARSE when lost() was last asked of an open connection.
  std::uint64_t lastAsked() const { return lastAsked_; }

  /// Looked at whenever lost() looks at the socket: what it says, if anything, is damage().
  std::function<std::string()> findDamage;
  /// What somebody has done to the shared memory, for which the connection was given up; else empty.
  const std::string& damage() const { return damage_; }
  /// Gives the connection up for it. Throws NotConnected.
  [[noreturn]] void giveUp(std::string damage);

  const std::string& nodeName() const { return nodeName_; }
  std::uint32_t number() const { return connection_; }
  const fabric::HostPage* hostPage() const {
    return reinterpret_cast<const fabric::HostPage*>(hostPages_->host.data());
  }
  fabric::SpinPage* spinPage() const {
    return reinterpret_cast<fabric::SpinPage*>(hostPages_->spin.data());
  }
  /// Keeps both pages mapped when the connection is closed.
  std::shared_ptr<const void> keepHostPages() const { return hostPages_; }

 private:
  void introduce(const std::string& nodeName, const std::string& program,
                 fabric::Architecture architecture = fabric::Architecture::Decentralized);
  fabric::Bytes exchange(fabric::Request request, fabric::Bytes body);
  /// What takes so long is another host, not a node that hangs: asks it something else.
  /// So much longer than usual an operator may have the node wait for another host, and with it
  /// who asked the node for something; nothing: it does not answer.
  std::optional<std::chrono::milliseconds> longestWaitOfNode() const;
  [[noreturn]] void loseWith(const std::string& why);

  fabric::Endpoint endpoint_;
  struct HostPages {
    fabric::Mapping host;
    fabric::Mapping spin;
  };
  std::shared_ptr<const HostPages> hostPages_;
  std::string nodeName_;
  std::uint32_t connection_ = 0;
  std::uint64_t requests_ = 0;
  std::chrono::milliseconds answerLimit_ = usualAnswerLimit;
  fabric::LogNumber logTail_ = 0;
  std::vector<fabric::UniqueFd> descriptors_;
  bool lost_ = false;
  std::string damage_;
  std::uint64_t lastAsked_ = 0;
  std::uint64_t nextLook_ = 0;  ///< on the same clock
};

}  // namespace tutti::core
