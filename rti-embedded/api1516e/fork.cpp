// SPDX-License-Identifier: Apache-2.0
#include "api1516e/fork.h"

#include <pthread.h>

#include <mutex>
#include <vector>

namespace tutti::api1516e {
namespace {

// Never destroyed: federates may outlive static destructors.
struct Listeners {
  std::mutex mutex;  // guards all; held over a fork(), so that the child finds it whole
  std::vector<ForkListener*> all;

  Listeners() {
    pthread_atfork([] { get().mutex.lock(); }, [] { get().mutex.unlock(); },
                   [] {
                     for (ForkListener* listener : get().all) listener->forked();
                     get().mutex.unlock();
                   });
  }
  static Listeners& get() {
    static auto* const instance = new Listeners;
    return *instance;
  }
};

}  // namespace

void addForkListener(ForkListener& listener) {
  Listeners& listeners = Listeners::get();
  const std::lock_guard guard(listeners.mutex);
  listeners.all.push_back(&listener);
}

void removeForkListener(ForkListener& listener) {
  Listeners& listeners = Listeners::get();
  const std::lock_guard guard(listeners.mutex);
  std::erase(listeners.all, &listener);
}

}  // namespace tutti::api1516e
