// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <tl/expected.hpp>

#include "composer/model/json_source.h"

// The shapes of values in what sinfo and squeue answer with --json, which differ between versions.
namespace tutti::launcher {

/// A whole number of at least 0, which versions from 23.02 on wrap with whether it is set; 0 when
/// there is none, or it is infinite.
double numberIn(const composer::Json& object, const char* key);
QString textIn(const composer::Json& object, const char* key);
/// The texts of a list; of a single text, that one.
QStringList textsIn(const composer::Json& object, const char* key);

/// The answer of `program`. An error when it is no object, or says itself that the program failed.
tl::expected<composer::JsonSource, composer::Error> answerOf(const QString& program,
                                                             const QByteArray& json);

}  // namespace tutti::launcher
