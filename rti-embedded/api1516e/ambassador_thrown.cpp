// SPDX-License-Identifier: Apache-2.0
// What a federate throws out of its callbacks goes no further (FederateInternalError), but the node
// is told of it: its log and those who look on show what would otherwise vanish.
#include <cxxabi.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <typeinfo>

#include "api1516e/ambassador.h"
#include "api1516e/callback_relay.h"
#include "api1516e/text.h"

namespace tutti::api1516e {
namespace {

/// Made the same callback, it knows the callback's name and does nothing.
class NamedCallback final : public CallbackRelay<NamedCallback> {
 public:
  std::string name;
  void tell(const char* callback, std::span<const Argument>,
            const std::function<void(rti1516e::FederateAmbassador&)>&) {
    name = callback;
  }
};

std::string readable(const std::type_info* type) {
  if (type == nullptr) return "an exception that is not one of C++";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
  return name != nullptr ? name.get() : type->name();
}

bool isPowerOfTen(std::uint64_t number) {
  while (number % 10 == 0) number /= 10;
  return number == 1;
}

}  // namespace

void Ambassador::noteThrown(
    const std::function<void(rti1516e::FederateAmbassador&)>& again) noexcept {
  try {
    const std::string type = readable(abi::__cxa_current_exception_type());
    std::string text;
    try {
      throw;
    } catch (const rti1516e::Exception& exception) {
      text = toUtf8(exception.what());
    } catch (const std::exception& exception) {
      text = exception.what();
    } catch (...) {
    }
    NamedCallback callback;
    again(callback);
    const std::lock_guard lock(mutex_);
    tellFault(callback.name, type, text);
  } catch (...) {
    // There is no memory, or the node has just gone: the next callback will tell of that.
  }
}

void Ambassador::tellFault(const std::string& callback, const std::string& type,
                           const std::string& text) {
  const auto kind = std::pair(callback, type);
  if (!faults_.contains(kind) && faults_.size() == fabric::CallbackFault::mostKinds) return;
  const std::uint64_t count = ++faults_[kind];
  if (!isPowerOfTen(count)) return;
  fabric::CallbackFault fault;
  fault.callback = callback;
  fault.type = type;
  fault.text = text.substr(0, fabric::CallbackFault::longestText);
  fault.count = count;
  federate_.tell(fault);
}

}  // namespace tutti::api1516e
