// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <mutex>
#include <string>

namespace tutti::node {

/// Writes to standard error, which is the log file of a node in a process of its own, and begins the
/// file anew when it has grown too long. From any thread.
class LogSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LogSink(std::string nodeName) : nodeName_(std::move(nodeName)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

  std::string nodeName_;
  std::size_t sinceLook_ = 0;  ///< bytes written
};

}  // namespace tutti::node
