// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "executive/executive.h"
#include "fabric/endpoint.h"
#include "pipes/memory_account.h"

namespace tutti::node {

/// Requests that wait until an object model has been read: creations, and joins with modules that
/// their federation execution does not have. Threads of this class read and merge; the node's
/// thread answers everybody else meanwhile.
///
/// Order: what creates, destroys or joins an execution of some name is answered in the order in
/// which it came, also what needs no reading. All other requests go past.
///
/// A request whose connection has ended is forgotten. When the execution has changed while its
/// model was being read (somebody destroyed or restored it), the executive decides again what is to
/// be read.
///
/// All functions are called by the node's thread.
class ModelDesk {
 public:
  using ConnectionId = executive::Executive::ConnectionId;
  /// Answers a request with what was read for it; null: nothing had to be.
  using Resume = std::function<void(const fabric::Bytes& datagram, const executive::ModelRead*)>;

  /// Models that are read at the same time; each may take a gigabyte of memory for a moment.
  static constexpr std::size_t mostReaders = 2;

  /// Both outlive this. The destructor waits for what is being read.
  ModelDesk(executive::Executive& executive, executive::ModelSource& models);
  ~ModelDesk();
  ModelDesk(const ModelDesk&) = delete;
  ModelDesk& operator=(const ModelDesk&) = delete;

  /// Readable when ready() is to be called.
  int descriptor() const { return events_.get(); }
  /// Resumes those for whom all has been read.
  void ready();

  /// Who pays for requests that wait, and outlives this.
  void payFrom(pipes::MemoryAccount* memory) { memory_ = memory; }

  /// True: the request waits, and is resumed later, by ready() or this. Throws std::bad_alloc when
  /// nobody pays for it.
  bool takes(ConnectionId connection, std::span<const std::byte> datagram, Resume resume);
  /// A connection whose request waits may not make another one.
  bool isWaiting(ConnectionId connection) const;
  std::size_t waitingCount() const;

 private:
  struct Waiting {
    ConnectionId connection = 0;
    fabric::Bytes datagram;
    Resume resume;
    pipes::Charge charge;
  };
  struct Reader {
    executive::ModelWanted wanted;
    std::optional<executive::ModelRead> read;
    std::atomic<bool> done{false};
    std::thread thread;
  };
  /// The requests that concern executions of one name, first come first.
  struct Line {
    std::deque<Waiting> waiting;
    std::unique_ptr<Reader> reader;  ///< for the first of them
  };

  /// Resumes one request, or starts to read for one; false: nothing can be done now.
  bool proceed();
  bool proceed(const std::string& federation);
  void start(Line& line, executive::ModelWanted wanted);
  std::size_t readers() const;

  executive::Executive& executive_;
  executive::ModelSource& models_;
  pipes::MemoryAccount* memory_ = nullptr;
  fabric::UniqueFd events_;
  std::map<std::string, Line> lines_;
  bool proceeding_ = false;
};

}  // namespace tutti::node
