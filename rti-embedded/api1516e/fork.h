// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <utility>

namespace tutti::api1516e {

// Something that must not be used by both processes after a fork().
class ForkListener {
 public:
  // In the child, before fork() returns there. Only the thread that called fork() exists: others
  // may have been anywhere, so whatever they change can be half changed and their locks are held
  // for ever.
  virtual void forked() noexcept = 0;

 protected:
  ~ForkListener() = default;
};

// Thread-safe. A listener is removed before it goes.
void addForkListener(ForkListener& listener);
void removeForkListener(ForkListener& listener);

// Makes an object anew where it stands. What it held stays allocated: nothing in it can be trusted.
template <class T, class... Arguments>
void renew(T& object, Arguments&&... arguments) {
  ::new (static_cast<void*>(&object)) T(std::forward<Arguments>(arguments)...);
}

}  // namespace tutti::api1516e
