// SPDX-License-Identifier: Apache-2.0
#include "node/log_sink.h"

#include <unistd.h>

#include <cerrno>

#include "node/daemon.h"

namespace tutti::node {

void LogSink::sink_it_(const spdlog::details::log_msg& message) {
  constexpr std::size_t lookAfter = 64 * 1024;
  spdlog::memory_buf_t text;
  formatter_->format(message, text);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;  // the disk is full: there is nobody to tell
    done += static_cast<std::size_t>(count);
  }
  sinceLook_ += text.size();
  if (sinceLook_ < lookAfter) return;
  sinceLook_ = 0;
  renewLongLog(nodeName_);
}

}  // namespace tutti::node
