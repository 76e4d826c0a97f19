// SPDX-License-Identifier: Apache-2.0
#include "api1516e/fork.h"

#include <pthread.h>

#include <mutex>
#include <vector>

#include "fabric/fork_guard.h"

namespace tutti::api1516e {
namespace {

// Never destroyed: federates may outlive static destructors.
struct Listeners {
  std::mutex mutex;  // guards all; held over a fork(), so that the child finds it whole
  std::vector<ForkListener*> all;

  Listeners() {
    fabric::forkGuard();  // made here, so that no fork() finds it half made
    pthread_atfork([] { get().lock(); }, [] { get().unlock(); },
                   [] {
                     fabric::closeGuardedDescriptors();
                     for (ForkListener* listener : get().all) listener->forked();
                     get().unlock();
                   });
  }
  void lock() {
    mutex.lock();
    fabric::forkGuard().lock();
  }
  void unlock() {
    fabric::forkGuard().unlock();
    mutex.unlock();
  }
  static Listeners& get() {
    static auto* const instance = new Listeners;
    return *instance;
  }
};

[[maybe_unused]] const Listeners& madeWithTheLibrary = Listeners::get();

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
