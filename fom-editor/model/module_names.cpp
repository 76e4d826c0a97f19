// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_names.h"

#include <QFileInfo>
#include <QHash>
#include <QRegularExpression>
#include <QSet>
#include <algorithm>

namespace tutti::fomedit {

namespace {

bool isSeparator(QChar c) { return c == u'-' || c == u'_' || c == u' '; }

/// What all begin with, up to the last separator.
qsizetype commonBeginning(const QStringList& names) {
  QString common = names.value(0);
  for (const QString& name : names) {
    while (!name.startsWith(common)) common.chop(1);
  }
  while (!common.isEmpty() && !isSeparator(common.back())) common.chop(1);
  return common.size();
}

/// What all end with, from the first separator on.
qsizetype commonEnding(const QStringList& names) {
  QString common = names.value(0);
  for (const QString& name : names) {
    while (!name.endsWith(common)) common.remove(0, 1);
  }
  while (!common.isEmpty() && !isSeparator(common.front())) common.remove(0, 1);
  return common.size();
}

/// Whether `shorter` may stand for `names`: none is empty, and none became like another.
bool isClear(const QStringList& names, const QStringList& shorter) {
  const bool whole = std::none_of(shorter.begin(), shorter.end(),
                                  [](const QString& name) { return name.isEmpty(); });
  const auto kinds = [](const QStringList& list) {
    return QSet<QString>(list.begin(), list.end()).size();
  };
  return whole && kinds(names) == kinds(shorter);
}

}  // namespace

QStringList shortModuleNames(const QStringList& files) {
  QStringList names;
  for (const QString& file : files) names << QFileInfo(file).completeBaseName();
  if (names.size() < 2) return names;
  const auto take = [&](const QStringList& shorter) {
    const bool clear = isClear(names, shorter);
    if (clear) names = shorter;
    return clear;
  };

  QStringList shorter = names;
  const qsizetype ending = commonEnding(names);
  for (QString& name : shorter) name.chop(ending);
  if (ending == 0 || !take(shorter)) {
    static const QRegularExpression version(QStringLiteral("[-_ ][vV]?\\d+(\\.\\d+)+$"));
    shorter = names;
    for (QString& name : shorter) name.remove(version);
    take(shorter);
  }

  shorter = names;
  const qsizetype beginning = commonBeginning(names);
  for (QString& name : shorter) name.remove(0, beginning);
  if (beginning > 0 && take(shorter)) return names;
  QHash<QString, int> groups;
  const auto first = [](const QString& name) {
    const auto end = std::find_if(name.begin(), name.end(), isSeparator);
    return end == name.end() ? QString() : name.left(end - name.begin() + 1);
  };
  for (const QString& name : std::as_const(names)) ++groups[first(name)];
  shorter = names;
  for (QString& name : shorter) {
    if (groups.value(first(name)) > 1) name.remove(0, first(name).size());
  }
  take(shorter);
  return names;
}

}  // namespace tutti::fomedit
