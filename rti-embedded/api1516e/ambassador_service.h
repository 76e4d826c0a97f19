// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "api1516e/ambassador.h"
#include "api1516e/ambassador_fault.h"
#include "api1516e/text.h"

namespace tutti::api1516e {

template <class F>
auto Ambassador::service(F&& f) const {
  core::Federate::Lock lock(mutex_);
  // The thread that delivers callbacks may sleep while this one brings it some.
  const struct Waker {
    core::Federate& federate;
    const core::Federate::Lock& lock;
    ~Waker() {
      if (lock.owns_lock()) federate.tellWaiter();
    }
  } waker{federate_, lock};
  try {
    if constexpr (std::is_invocable_v<F, core::Federate::Lock&>) {
      return std::forward<F>(f)(lock);
    } else {
      return std::forward<F>(f)();
    }
  } catch (const core::ServiceFault& fault) {
    throwFault(fault);
  } catch (const rti1516e::Exception&) {
    throw;
  } catch (const std::exception& other) {
    throw rti1516e::RTIinternalError(fromUtf8(other.what()));
  }
}

}  // namespace tutti::api1516e
