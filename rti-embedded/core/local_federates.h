// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/callbacks.h"
#include "fabric/ring.h"

namespace tutti::core {

class Inbox;

/// The federates of one federation execution that live in this process. A sender never waits for
/// one of them, which may well be driven by the same thread: it hands over the record directly.
/// Thread-safe. Process-wide state, because federates of one process know nothing of each other.
class LocalFederates {
 public:
  ~LocalFederates() { leave(); }

  /// `execution` identifies the federation execution: node and name.
  void join(const std::string& execution, FederateNumber self, Inbox& inbox);
  void leave();
  /// The execution that it was in before leave().
  void rejoin(FederateNumber self, Inbox& inbox) { join(std::string(execution_), self, inbox); }

  /// In a process that fork() made: none of them lives here.
  static void forget() noexcept;

  /// Moves what has arrived for any federate of this process into its private queue. One that waits
  /// for room does this: the federate it waits for may itself wait for one of these, which this
  /// thread drives.
  static void makeRoom();

  /// Empties the ring from `sender` to `receiver`. False: the receiver is not in this process.
  bool empty(FederateNumber receiver, FederateNumber sender);
  /// Puts a record behind all that is in that ring. False: the receiver is not in this process.
  bool append(FederateNumber receiver, FederateNumber sender, fabric::RingWriter& ring,
              std::span<const std::byte> record, bool timestamped);

 private:
  std::string execution_;
  FederateNumber self_ = 0;
};

}  // namespace tutti::core
