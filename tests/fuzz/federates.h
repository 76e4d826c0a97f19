// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/federate.h"
#include "executive_parts.h"
#include "target.h"

/// Federates of one process and an executive that answers them over their sockets, without a node
/// process. No MOM: nobody serves it.
namespace tutti::fuzz {

inline constexpr std::uint64_t federatesBudget = std::uint64_t{16} << 20;

/// Answers whoever connects, on a thread of its own.
class Rti {
 public:
  Rti();
  ~Rti();
  Rti(const Rti&) = delete;
  Rti& operator=(const Rti&) = delete;

  /// For core::Federate::connect().
  const std::string& designator() const { return designator_; }
  /// Appends a record to the control log of the execution "w". False: there is none, or no room.
  bool appendToLog(std::uint16_t type, Input body);
  /// With all federates gone: nothing may be left.
  void requireEmpty();

 private:
  void run();
  bool serve(executive::Executive::ConnectionId id, fabric::Endpoint& endpoint);

  std::string designator_;
  MemoryStore saves_;
  std::mutex mutex_;  ///< guards the executive
  std::unique_ptr<executive::Executive> executive_;
  std::uint64_t used_ = 0;
  std::map<executive::Executive::ConnectionId, fabric::Endpoint> endpoints_;  ///< of the thread
  fabric::UniqueFd listener_, stop_;
  std::thread thread_;
};

/// A federate, and what must hold of the callbacks that it gets.
class Member final : private core::QuietCallbacks {
 public:
  explicit Member(const Rti& rti);
  ~Member();

  /// Calls a service: `call` gets the federate. True: it returned; else it ended with one of the
  /// standard's exceptions.
  template <class Call>
  bool service(Call&& call) {
    const std::unique_lock lock(mutex_);
    try {
      call(federate);
      return true;
    } catch (const core::ServiceFault& fault) {
      checkFault(fault);
      return false;
    }
  }
  /// Delivers what is there, at most so many callbacks.
  void evoke(std::size_t most);
  /// What was known of instances is no more: it has left the execution, or it was restored.
  void forget() { known_.clear(); }
  void forget(core::ObjectInstance instance) { known_.erase(instance); }

  std::uint64_t callbacks = 0, reflections = 0, grants = 0, releases = 0, restores = 0, saves = 0;
  std::vector<core::ObjectInstance> instances;  ///< discovered so far
  /// What is in the log was not written by an RTI.
  bool damaged = false;
  core::Federate federate;

 private:
  void checkFault(const core::ServiceFault& fault) const;

  void connectionLost(const std::string& reason) override;
  void discovered(core::ObjectInstance instance, core::ObjectClass objectClass,
                  const std::string& name, core::FederateNumber producer) override;
  void reflected(core::ObjectInstance instance, core::ObjectClass objectClass,
                 std::span<const core::Value> values, const core::MessageInfo& info) override;
  void removed(core::ObjectInstance instance, const core::MessageInfo& info) override;
  void ownershipReleaseRequested(core::ObjectInstance instance,
                                 std::span<const core::Attribute> attributes,
                                 std::span<const std::byte> tag) override;
  void timeAdvanceGranted(std::uint64_t time) override;
  void saveInitiated(const std::string& label, const std::uint64_t* time) override;
  void restoreBegun() override;

  std::mutex mutex_;
  std::map<core::ObjectInstance, core::ObjectClass> known_;  ///< discovered
};

}  // namespace tutti::fuzz
