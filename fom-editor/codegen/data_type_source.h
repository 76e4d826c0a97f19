// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "fom-editor/codegen/data_type_plan.h"

namespace tutti::fomedit {

/// datatypes.h: the datatypes in `NAMESPACE::types`; in `NAMESPACE::codec` encodeX, decodeX and
/// nameOf for each.
QString dataTypeHeader(const DataTypePlan& plan, const QString& nameSpace);
/// datatypes.cpp.
QString dataTypeSource(const DataTypePlan& plan, const QString& nameSpace);

/// The identifier with a capital first letter, as in encodeX.
QString capitalized(const QString& identifier);
/// A value of that datatype that can be encoded, to begin with: "types::Colour::Red",
/// "types::Map(10000)". Empty where the type's own, `types::X{}`, is one.
QString initialValue(const DataTypePlan& plan, const PlannedType& type);
/// The identifiers of the functions by which the alternatives of a variant record are chosen: setX.
QStringList setterNames(const PlannedType& variant);

}  // namespace tutti::fomedit
