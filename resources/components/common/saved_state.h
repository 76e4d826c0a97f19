// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/RTI1516.h>

#include <iosfwd>
#include <optional>
#include <string>

#include "common/air_traffic.h"

namespace samples {

/// Where a federate keeps its own part of a saved federation execution: a file of this user's state
/// directory ($XDG_STATE_HOME, else ~/.local/state) on its own host.
std::string stateFile(const std::string& federation, const std::string& label,
                      const std::string& federate);

/// Replaces the file in one step. False when it cannot be written.
bool writeStateFile(const std::string& file, const std::string& state);
/// Nothing when it cannot be read, or was not written to its end.
std::optional<std::string> readStateFile(const std::string& file);

// States are words of text. What is read as another than it was written sets the stream's failbit.

void writeText(std::ostream& to, const std::string& text);
std::string readText(std::istream& from);
/// Exactly the same number when it is read again.
void writeNumber(std::ostream& to, double number);
double readNumber(std::istream& from);
void writeHandle(std::ostream& to, const rti1516e::ObjectInstanceHandle& handle);
/// The handle of the restored federation execution, which has the value it had when it was saved.
rti1516e::ObjectInstanceHandle readHandle(std::istream& from, rti1516e::RTIambassador& rti);
void writeFlight(std::ostream& to, const FlightState& state);
FlightState readFlight(std::istream& from);

}  // namespace samples
