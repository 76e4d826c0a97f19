// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fabric/endpoint.h"

namespace tutti::node {

/// The threads that serve the MOM, one for each federation execution that uses it. Whatever goes
/// wrong in one ends that thread only, and with it its connection to the node. Used by the node's
/// thread.
class MomServices {
 public:
  MomServices() = default;
  ~MomServices();
  MomServices(const MomServices&) = delete;
  MomServices& operator=(const MomServices&) = delete;

  /// Begins to serve `federation`; the thread talks to the node over `socket`. Throws
  /// std::system_error when there can be no thread.
  void start(const std::string& nodeName, const std::string& federation, fabric::Endpoint socket);
  /// Joins the threads that have ended.
  void reap();
  bool empty() const { return services_.empty(); }

 private:
  struct Service {
    std::atomic<bool> stop{false};
    std::atomic<bool> ended{false};
    std::thread thread;
  };

  std::vector<std::unique_ptr<Service>> services_;
};

}  // namespace tutti::node
