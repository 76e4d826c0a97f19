// SPDX-License-Identifier: Apache-2.0
// Save and restore (IEEE 1516.1-2010, 4.16 to 4.32).
#include <string>

#include "api1516e/ambassador.h"
#include "api1516e/ambassador_callback.h"
#include "api1516e/ambassador_service.h"
#include "api1516e/text.h"
#include "api1516e/time_conversion.h"

namespace tutti::api1516e {

using namespace rti1516e;

// --- services ------------------------------------------------------------------------------------

void Ambassador::requestFederationSave(const std::wstring& label) {
  service(given(label), [&] { federate_.requestSave(toUtf8(label), nullptr); });
}

void Ambassador::requestFederationSave(const std::wstring& label, const LogicalTime& theTime) {
  service(given(label, theTime), [&] {
    std::uint64_t time = 0;
    federate_.requestSave(toUtf8(label), stampOf(theTime, time));
  });
}

void Ambassador::federateSaveBegun() {
  service([&] { federate_.saveBegun(); });
}

void Ambassador::federateSaveComplete() {
  service([&] { federate_.saveCompleted(true); });
}

void Ambassador::federateSaveNotComplete() {
  service([&] { federate_.saveCompleted(false); });
}

void Ambassador::abortFederationSave() {
  service([&] { federate_.abortSave(); });
}

void Ambassador::queryFederationSaveStatus() {
  service([&] { federate_.querySaveStatus(); });
}

void Ambassador::requestFederationRestore(const std::wstring& label) {
  service(given(label), [&] { federate_.requestRestore(toUtf8(label)); });
}

void Ambassador::federateRestoreComplete() {
  service([&] { federate_.restoreCompleted(true); });
}

void Ambassador::federateRestoreNotComplete() {
  service([&] { federate_.restoreCompleted(false); });
}

void Ambassador::abortFederationRestore() {
  service([&] { federate_.abortRestore(); });
}

void Ambassador::queryFederationRestoreStatus() {
  service([&] { federate_.queryRestoreStatus(); });
}

// --- callbacks -----------------------------------------------------------------------------------

void Ambassador::saveInitiated(const std::string& label, const std::uint64_t* time) {
  callback([&](auto& federate) {
    if (time != nullptr) {
      federate.initiateFederateSave(fromUtf8(label), timeObject(*time));
    } else {
      federate.initiateFederateSave(fromUtf8(label));
    }
  });
}

void Ambassador::saveEnded(const fabric::EndedRecord& ended) {
  callback([&](auto& federate) {
    if (ended.successfully) {
      federate.federationSaved();
    } else {
      federate.federationNotSaved(static_cast<SaveFailureReason>(ended.reason));
    }
  });
}

void Ambassador::saveStatusReported(const std::vector<fabric::FederateSaveStatus>& federates) {
  FederateHandleSaveStatusPairVector list;
  for (const auto& one : federates) {
    list.emplace_back(makeHandle<FederateHandle>(one.federate),
                      static_cast<SaveStatus>(one.status));
  }
  callback([&](auto& federate) { federate.federationSaveStatusResponse(list); });
}

void Ambassador::restoreRequestAnswered(const std::string& label, bool accepted) {
  callback([&](auto& federate) {
    if (accepted) {
      federate.requestFederationRestoreSucceeded(fromUtf8(label));
    } else {
      federate.requestFederationRestoreFailed(fromUtf8(label));
    }
  });
}

void Ambassador::restoreBegun() {
  callback([&](auto& federate) { federate.federationRestoreBegun(); });
}

void Ambassador::restoreInitiated(const std::string& label, const std::string& federateName,
                                  core::FederateNumber number) {
  callback([&](auto& federate) {
    federate.initiateFederateRestore(fromUtf8(label), fromUtf8(federateName),
                                     makeHandle<FederateHandle>(number));
  });
}

void Ambassador::restoreEnded(const fabric::EndedRecord& ended) {
  callback([&](auto& federate) {
    if (ended.successfully) {
      federate.federationRestored();
    } else {
      federate.federationNotRestored(static_cast<RestoreFailureReason>(ended.reason));
    }
  });
}

void Ambassador::restoreStatusReported(
    const std::vector<fabric::FederateRestoreStatus>& federates) {
  FederateRestoreStatusVector list;
  for (const auto& one : federates) {
    list.emplace_back(makeHandle<FederateHandle>(one.before),
                      one.after != 0 ? makeHandle<FederateHandle>(one.after) : FederateHandle(),
                      static_cast<RestoreStatus>(one.status));
  }
  callback([&](auto& federate) { federate.federationRestoreStatusResponse(list); });
}

}  // namespace tutti::api1516e
