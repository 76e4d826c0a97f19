// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "api1516e/ambassador.h"
#include "api1516e/ambassador_fault.h"
#include "api1516e/text.h"

namespace tutti::api1516e {

template <class F>
auto Ambassador::service(std::span<const Argument> supplied, F&& f, const char* name) const {
  core::Federate::Lock lock(mutex_);
  // The thread that delivers callbacks may sleep while this one brings it some.
  const struct Waker {
    core::Federate& federate;
    const core::Federate::Lock& lock;
    ~Waker() {
      if (lock.owns_lock()) federate.tellWaiter();
    }
  } waker{federate_, lock};
  // On behalf of its callers, evoking is not reported: it is no more than waiting.
  constexpr bool evokes = std::is_invocable_v<F, core::Federate::Lock&>;
  const auto problem = [&](const std::wstring& text) {
    if (!evokes && federate_.reportsAnything()) reportService(name, supplied, nullptr, &text);
  };
  try {
    if constexpr (evokes) {
      return std::forward<F>(f)(lock);
    } else if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      std::forward<F>(f)();
      if (federate_.reportsAnything()) reportService(name, supplied, nullptr, nullptr);
    } else {
      auto result = std::forward<F>(f)();
      if (federate_.reportsAnything()) {
        const Argument returned = argument(result);
        reportService(name, supplied, &returned, nullptr);
      }
      return result;
    }
  } catch (const core::ServiceFault& fault) {
    problem(fromUtf8(std::string(core::nameOf(fault.fault)) + ": " + fault.text));
    throwFault(fault);
  } catch (const rti1516e::Exception& exception) {
    problem(exception.what());
    throw;
  } catch (const std::exception& other) {
    throw rti1516e::RTIinternalError(fromUtf8(other.what()));
  }
}

}  // namespace tutti::api1516e
