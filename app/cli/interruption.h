// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <thread>

namespace tutti::app {

/// Ends what a verb waits for when the user interrupts it (SIGINT, SIGTERM, SIGHUP). One at a time.
class Interruption {
 public:
  Interruption();
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;
};

}  // namespace tutti::app
