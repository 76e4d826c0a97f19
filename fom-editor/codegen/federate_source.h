// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "fom-editor/codegen/component_plan.h"

namespace tutti::fomedit {

/// federate.h: a struct for each class, and FederateBase with what it sends and what arrives.
QString federateHeader(const ComponentPlan& plan);
/// federate.cpp.
QString federateSource(const ComponentPlan& plan);
/// main.cpp, the hand-written part's beginning: it registers an instance of each class that it
/// publishes, updates it every step, and prints what arrives.
QString mainSource(const ComponentPlan& plan);

}  // namespace tutti::fomedit
