// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interruption.h"

#include <signal.h>

#include <atomic>
#include <chrono>

namespace tutti::app {

namespace {

std::atomic<bool> interrupted = false;

}  // namespace

Interruption::Interruption() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  watcher_ = std::jthread([this](const std::stop_token& over) {
    while (!over.stop_requested() && !interrupted)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (interrupted) source_.request_stop();
  });
}

}  // namespace tutti::app
