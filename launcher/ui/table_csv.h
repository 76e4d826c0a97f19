// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <tl/expected.hpp>

class QAbstractItemModel;

namespace tutti::launcher {

/// A table as comma-separated values (RFC 4180): the first line says what it is, the second names
/// the columns.
QString tableCsv(const QAbstractItemModel& model, const QString& title);

/// Replaces the file in one step; the error is a sentence for a person.
tl::expected<void, QString> saveText(const QString& text, const QString& file);

}  // namespace tutti::launcher
