// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/codegen/source_text.h"

namespace tutti::fomedit {

QString rawTemplate(const QString& name);

namespace {

/// Longer texts are cut: the object model has them.
constexpr qsizetype kLongest = 280;
constexpr qsizetype kColumns = 100;

QString escaped(const QString& given, bool wide) {
  QString result;
  bool afterHex = false;
  for (const char32_t point : given.toUcs4()) {
    const bool isHexDigit =
        point < 0x80 && QStringLiteral("0123456789abcdefABCDEF").contains(QChar(char16_t(point)));
    // A hexadecimal escape goes on as far as digits follow; a new literal ends it.
    if (afterHex && isHexDigit) result += wide ? QStringLiteral("\" L\"") : QStringLiteral("\"\"");
    afterHex = false;
    if (point == U'"' || point == U'\\' || point == U'?') {
      result += u'\\';
      result += QChar(static_cast<char16_t>(point));
    } else if (point >= 0x20 && point < 0x7F) {
      result += QChar(static_cast<char16_t>(point));
    } else if (wide && point >= 0xA0) {
      result += QStringLiteral("\\U%1").arg(static_cast<quint32>(point), 8, 16, QLatin1Char('0'));
    } else {
      for (const char octet : QString::fromUcs4(&point, 1).toUtf8()) {
        result += QStringLiteral("\\x%1").arg(static_cast<quint8>(octet), 2, 16, QLatin1Char('0'));
      }
      afterHex = true;
    }
  }
  return result;
}

}  // namespace

QString generatedStamp() {
  return QStringLiteral(
      "Written by `tutti component`, which writes it anew when the object model changes: "
      "do not edit it.");
}

QString templateText(const QString& name, const QList<std::pair<QString, QString>>& replacements) {
  QString result = rawTemplate(name);
  result.replace(QStringLiteral("@stamp@"), generatedStamp());
  for (const auto& [what, by] : replacements) result.replace(u'@' + what + u'@', by);
  return result;
}

QString commentOf(const QString& semantics, const QString& indent) {
  QString words;
  for (const QChar c : semantics.simplified()) {
    // Neither a character that turns the direction of writing nor one that nobody sees.
    if (c.category() != QChar::Other_Format && c.category() != QChar::Other_Control) words += c;
  }
  if (words == QStringLiteral("NA") || words == QStringLiteral("N/A")) return {};
  if (words.size() > kLongest) words = words.left(kLongest - 1) + u'…';
  QString result, line;
  const auto flush = [&] {
    // A backslash at the end would make the next line a comment as well.
    while (line.endsWith(u'\\')) line.chop(1);
    if (!line.isEmpty()) result += indent + QStringLiteral("/// ") + line + u'\n';
    line.clear();
  };
  for (const QString& word : words.split(u' ', Qt::SkipEmptyParts)) {
    if (!line.isEmpty() && indent.size() + 4 + line.size() + 1 + word.size() > kColumns) flush();
    line += (line.isEmpty() ? QString() : QStringLiteral(" ")) + word;
  }
  flush();
  return result;
}

QString literalOf(const QString& text) { return u'"' + escaped(text, false) + u'"'; }
QString wideLiteralOf(const QString& text) {
  return QStringLiteral("L\"") + escaped(text, true) + u'"';
}

}  // namespace tutti::fomedit
