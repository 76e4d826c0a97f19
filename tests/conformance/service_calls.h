// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <RTI/RTI1516.h>

#include <QString>
#include <functional>
#include <vector>

/// One way to call a service.
struct ServiceCall {
  const char* service;
  int slot;  ///< of RTIambassador's virtual function table: tells overloads apart
  std::function<void(rti1516e::RTIambassador&)> call;
};

/// A call of each function of RTIambassador, with handles that name nothing: it is well formed, but
/// what it asks for is not there. `callbacks` is what connect() is given.
std::vector<ServiceCall> serviceCalls(rti1516e::FederateAmbassador& callbacks);
