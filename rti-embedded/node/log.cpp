// SPDX-License-Identifier: Apache-2.0
#include "node/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>

#include "fabric/printable.h"
#include "node/log_sink.h"

namespace tutti::node {
namespace {

/// The text of a record, escaped.
class PrintableText final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& record, const std::tm&,
              spdlog::memory_buf_t& line) override {
    const std::string text =
        fabric::printable(std::string_view(record.payload.data(), record.payload.size()));
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableText>();
  }
};

}  // namespace

void startLog(const std::string& detachedNode) {
  // Several threads log: that of the node, and one for each execution's MOM.
  std::shared_ptr<spdlog::sinks::sink> sink;
  if (detachedNode.empty()) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    sink = std::make_shared<LogSink>(detachedNode);
  }
  auto logger = std::make_shared<spdlog::logger>("rti", std::move(sink));
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableText>('*').set_pattern("%Y-%m-%d %H:%M:%S.%e %L [" +
                                                      std::to_string(::getpid()) + "] %*");
  logger->set_formatter(std::move(formatter));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace tutti::node
