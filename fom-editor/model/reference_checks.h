// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

#include "fom-editor/model/loaded_model.h"

namespace tutti::fomedit {

/// What is wrong with the references of IEEE 1516.2-2025: directed interactions of classes that no
/// module defines or that several could be, and reference datatypes without class, without
/// attribute, or with another representation than the attribute has. An RTI that does not offer
/// them loads the module all the same: level Complete, rule "dif/references".
QList<Finding> checkReferences(const omt::ObjectModel& model);

}  // namespace tutti::fomedit
