// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

#include "fom-editor/model/loaded_model.h"

namespace tutti::fomedit {

/// What the tables of IEEE 1516.2-2010, 4.13 ask of datatypes and an RTI does not look at, but a
/// federate's encoder or a code generator trips over: representations, sizes, enumerators,
/// cardinalities, element types, fields, alternatives; and attributes and parameters without a
/// datatype. The MIM's are left out.
QList<Finding> checkDataTypes(const omt::ObjectModel& model);

/// What is wrong with "3", "[1..10]", "Dynamic" or a list of them, as "is no range"; empty:
/// nothing.
QString faultOfCardinality(const QString& cardinality);
/// A whole number as enumerators are written: decimal or 0x.
bool isWholeNumber(const QString& word);

}  // namespace tutti::fomedit
