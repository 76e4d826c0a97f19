// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tl/expected.hpp>

#include "executive/federation_execution.h"
#include "fabric/endpoint.h"
#include "fabric/mapping.h"

namespace tutti::router {

/// Sleeps on the page of a router, as a federate does on its own, and makes a descriptor readable
/// when there is news: a node waits for descriptors. One thread of its own.
class RingWatch {
 public:
  /// A descriptor to be made readable.
  static tl::expected<fabric::UniqueFd, std::string> events();
  /// `descriptor`: one of events(), which outlives this.
  static tl::expected<std::unique_ptr<RingWatch>, std::string> make(
      const executive::FederationExecution& execution, int descriptor);
  ~RingWatch();
  RingWatch(const RingWatch&) = delete;
  RingWatch& operator=(const RingWatch&) = delete;

  /// To be taken before looking for news, and given to rearm() after: what has changed since is
  /// news.
  std::uint32_t doorbell() const;
  void rearm(std::uint32_t doorbell);

 private:
  RingWatch(fabric::Arena arena, fabric::Offset page, int descriptor);
  void run();

  fabric::Arena arena_;  ///< a mapping of its own: the execution may end first
  fabric::FederateBlock* page_;
  int descriptor_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  bool armed_ = false;
  bool stop_ = false;
  std::uint32_t doorbell_ = 0;
  std::thread thread_;
};

}  // namespace tutti::router
