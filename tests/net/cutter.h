// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "network.h"

namespace tutti::test {

/// Of the cable of a host, as Network sets it.
QString hardwareAddress(int host);

/// From now on what this host sends to others gets lost, or what they send to it, or neither. With
/// any kind of cable; multicast is not concerned.
void block(const Network& network, int host, bool fromHost, bool toHost);

/// By this much longer is waited with TUTTI_TEST_CUTS in the environment; 0 without.
int cutMilliseconds();

/// Cuts cables at random, one at a time and in one direction or both, for as long as it lives. A
/// thread of its own; afterwards all are joined.
class Cutter {
 public:
  struct Options {
    std::chrono::milliseconds shortest{100};
    std::chrono::milliseconds longest{3000};
    /// Between two cuts, at most; at least a quarter of it.
    std::chrono::milliseconds pause{1000};
    unsigned seed = 1;
    /// TUTTI_TEST_CUTS="SHORTEST LONGEST PAUSE" in milliseconds.
    static std::optional<Options> ofEnvironment();
  };
  /// `network` outlives this.
  Cutter(Network& network, const Options& options);
  ~Cutter();
  Cutter(const Cutter&) = delete;
  Cutter& operator=(const Cutter&) = delete;

  int cuts() const;
  std::chrono::milliseconds together() const;

 private:
  void run();
  /// False: it is to end.
  bool sleep(std::chrono::milliseconds time);

  Network& network_;
  Options options_;
  std::mt19937 random_;
  mutable std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  bool stops_ = false;
  int cuts_ = 0;
  std::chrono::milliseconds together_{0};
  std::thread thread_;
};

}  // namespace tutti::test
