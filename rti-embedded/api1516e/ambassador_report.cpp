// SPDX-License-Identifier: Apache-2.0
// Service and exception reporting (IEEE 1516.1-2010, 11.4): HLAreportServiceInvocation and
// HLAreportException of what this federate calls and is told.
#include "api1516e/ambassador_report.h"

#include <functional>
#include <string_view>
#include <vector>

#include "api1516e/ambassador.h"
#include "api1516e/callback_relay.h"
#include "api1516e/service_groups.h"
#include "api1516e/text.h"

namespace tutti::api1516e {

using namespace rti1516e;

std::wstring describe(const VariableLengthData& data) {
  constexpr wchar_t digits[] = L"0123456789ABCDEF";
  const auto* octets = static_cast<const unsigned char*>(data.data());
  std::wstring result;
  result.reserve(2 * data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    result += digits[octets[i] >> 4];
    result += digits[octets[i] & 0xf];
  }
  return result;
}

namespace {

std::string standardName(std::string_view function) {
  // Services whose forms share one function.
  if (function == "create") return "createFederationExecution";
  if (function == "join") return "joinFederationExecution";
  return std::string(function);
}

std::vector<std::string> texts(std::span<const Argument> arguments) {
  std::vector<std::string> result;
  for (const Argument& one : arguments) result.push_back(toUtf8(one.text(one.value)));
  return result;
}

}  // namespace

void Ambassador::reportService(const char* name, std::span<const Argument> supplied,
                               const Argument* returned, const std::wstring* exception) const {
  const std::string service = standardName(name);
  const std::string problem = exception != nullptr ? toUtf8(*exception) : std::string();
  std::vector<std::string> results;
  if (returned != nullptr) results.push_back(toUtf8(returned->text(returned->value)));
  if (federate_.wantsServiceReport()) {
    federate_.reportService(service, serviceGroup(service), exception == nullptr, texts(supplied),
                            results, problem);
  }
  if (exception != nullptr) federate_.reportException(service, problem);
}

/// Stands before the federate while its services are reported: callbacks are services as well.
class Ambassador::Reporter final : public CallbackRelay<Reporter> {
 public:
  Reporter(FederateAmbassador& target, const Ambassador& ambassador)
      : target_(target), ambassador_(ambassador) {}

  void tell(const char* name, std::span<const Argument> arguments,
            const std::function<void(FederateAmbassador&)>& call) {
    // Before the call: the federate may take what is told it apart.
    std::vector<std::string> supplied;
    const bool wanted = [&] {
      const std::lock_guard lock(ambassador_.mutex_);
      return ambassador_.federate_.joined() && ambassador_.federate_.wantsServiceReport();
    }();
    if (wanted) supplied = texts(arguments);
    std::string problem;
    const auto report = [&] {
      const std::lock_guard lock(ambassador_.mutex_);
      if (wanted) {
        ambassador_.federate_.reportService(name, serviceGroup(name), problem.empty(), supplied, {},
                                            problem);
      }
      if (!problem.empty()) ambassador_.federate_.reportException(name, problem);
    };
    try {
      call(target_);
    } catch (const Exception& exception) {
      problem = "FederateInternalError: " + toUtf8(exception.what());
      report();
      throw;
    } catch (...) {
      problem = "FederateInternalError";
      report();
      throw;
    }
    report();
  }

 private:
  FederateAmbassador& target_;
  const Ambassador& ambassador_;
};

void Ambassador::callReporting(const std::function<void(FederateAmbassador&)>& call) {
  Reporter reporter(*target_, *this);
  call(reporter);
}

void Ambassador::reportingSet(bool services, bool exceptions) {
  reports_.store(services || exceptions, std::memory_order_relaxed);
}

}  // namespace tutti::api1516e
