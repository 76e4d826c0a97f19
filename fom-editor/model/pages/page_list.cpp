// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/pages/page_list.h"

namespace tutti::fomedit {

namespace {

constexpr const char* kListHeading = "Pages of an object model, written by tutti fom export.";

QSet<QString> folded(const QSet<QString>& names) {
  QSet<QString> result;
  for (const QString& name : names) result << name.toCaseFolded();
  return result;
}

}  // namespace

QByteArray pageList(const QSet<QString>& names) {
  QStringList sorted(names.begin(), names.end());
  sorted.sort();
  return QByteArray(kListHeading) +
         "\nThe next export replaces and removes these files, and no others.\n" +
         sorted.join(u'\n').toUtf8() + '\n';
}

std::optional<QSet<QString>> pagesOfList(const QByteArray& list) {
  const QStringList lines = QString::fromUtf8(list).split(u'\n', Qt::SkipEmptyParts);
  if (lines.value(0) != QLatin1String(kListHeading)) return std::nullopt;
  QSet<QString> names;
  for (const QString& name : lines.mid(2)) {
    if (!name.contains(u'/') && name != QStringLiteral("..") && name != QStringLiteral(".")) {
      names << name;
    }
  }
  return names;
}

PageReplacement replacementOf(const QSet<QString>& own, const QSet<QString>& names,
                              const QStringList& present, bool ignoresCase) {
  const QSet<QString> anyCaseOwn = folded(own);
  const QSet<QString> anyCaseNames = folded(names);
  const auto isOf = [&](const QSet<QString>& exact, const QSet<QString>& anyCase,
                        const QString& name) {
    return exact.contains(name) || (ignoresCase && anyCase.contains(name.toCaseFolded()));
  };
  PageReplacement result;
  for (const QString& file : present) {
    if (!isOf(names, anyCaseNames, file) || isOf(own, anyCaseOwn, file)) continue;
    result.foreign = file;
    break;
  }
  for (const QString& name : own - names) {
    // Removed after the new page was written, it would be the new page on some file systems.
    (anyCaseNames.contains(name.toCaseFolded()) ? result.removeFirst : result.removeLast) << name;
  }
  result.removeFirst.sort();
  result.removeLast.sort();
  return result;
}

}  // namespace tutti::fomedit
