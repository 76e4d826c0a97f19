// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/object_models.h"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QXmlStreamReader>
#include <deque>
#include <mutex>

namespace tutti::composer {

namespace {

ObjectModelReport examine(const QStringList& modules) {
  ObjectModelReport report;
  report.modules = modules;
  for (const QString& module : modules) {
    QFile file{module};
    if (!file.open(QIODevice::ReadOnly)) {
      report.faults.push_back(
          {Error{module,
                 0,
                 {},
                 QStringLiteral("The FOM module cannot be read: %1.").arg(file.errorString()),
                 QStringLiteral("Check its name, or remove it from the composition.")},
           {}});
      continue;
    }
    QXmlStreamReader xml{&file};
    while (!xml.atEnd()) xml.readNext();
    if (xml.hasError()) {
      report.faults.push_back(
          {Error{
               module,
               static_cast<int>(xml.lineNumber()),
               {},
               QStringLiteral("The FOM module is not well-formed XML: %1.").arg(xml.errorString()),
               QStringLiteral("Correct the file at this line.")},
           {}});
    }
  }
  return report;
}

}  // namespace

QString moduleKey(const QStringList& modules) {
  QString key;
  for (const QString& module : modules) {
    const QFileInfo info{module};
    key += QStringLiteral("%1|%2|%3\n")
               .arg(module)
               .arg(info.size())
               .arg(info.lastModified().toMSecsSinceEpoch());
  }
  return key;
}

ObjectModelReport examineModules(const QStringList& modules) {
  constexpr std::size_t kKept = 8;
  static std::mutex mutex;  // guards kept
  static std::deque<ObjectModelReport> kept;
  const QString key = moduleKey(modules);
  {
    const std::lock_guard lock{mutex};
    for (const auto& report : kept) {
      if (report.key == key) return report;
    }
  }
  ObjectModelReport report = examine(modules);
  report.key = key;
  const std::lock_guard lock{mutex};
  kept.push_front(report);
  if (kept.size() > kKept) kept.pop_back();
  return report;
}

}  // namespace tutti::composer
