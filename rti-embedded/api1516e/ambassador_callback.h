// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>
#include <utility>

#include "api1516e/ambassador.h"

namespace tutti::api1516e {

template <class F>
void Ambassador::callback(F&& f, bool isReported) {
  inCallback_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  try {
    if (isReported && reports_.load(std::memory_order_relaxed)) {
      callReporting(f);
    } else {
      std::forward<F>(f)(*target_);
    }
  } catch (...) {
    noteThrown([&](rti1516e::FederateAmbassador& federate) { f(federate); });
  }
  inCallback_.store(std::thread::id(), std::memory_order_relaxed);
}

}  // namespace tutti::api1516e
