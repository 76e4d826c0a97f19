// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/LogicalTimeFactory.h>

#include <memory>
#include <string>

namespace tutti::api1516e {

// The factory of a time implementation by name; empty means HLAfloat64Time. A libfedtime1516e in
// the process (the federate may bring its own) is asked first, then the two of the standard. Null
// when nobody knows the name (CouldNotCreateLogicalTimeFactory; IEEE 1516.1-2010, 4.5 and 4.9).
std::unique_ptr<rti1516e::LogicalTimeFactory> makeTimeFactory(const std::wstring& name);

}  // namespace tutti::api1516e
