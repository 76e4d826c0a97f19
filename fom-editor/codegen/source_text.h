// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <utility>

namespace tutti::fomedit {

/// The first line of every generated file.
QString generatedStamp();

/// One of the texts of templates/ ("octets.h"), with @stamp@ and each @name@ replaced.
QString templateText(const QString& name, const QList<std::pair<QString, QString>>& replacements);

/// "/// ..." lines that C++ reads as a comment and nothing else, from a text of an object model:
/// one sentence, at most `width` columns, empty for an empty text.
QString commentOf(const QString& semantics, const QString& indent);
/// A C++ literal, with quotes, for octets of UTF-8.
QString literalOf(const QString& text);
/// The same as a wide literal, for names that the HLA API takes.
QString wideLiteralOf(const QString& text);

}  // namespace tutti::fomedit
