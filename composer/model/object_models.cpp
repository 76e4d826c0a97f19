// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/object_models.h"

#include <QDateTime>
#include <QFileInfo>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "omt/merge.h"
#include "omt/reader.h"

namespace tutti::composer {

namespace {

QString qt(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Sentences of the reader start in lower case where they follow "file:line: "; here they stand
/// alone.
QString sentence(std::string_view text) {
  QString result = qt(text).trimmed();
  if (result.isEmpty()) return result;
  result[0] = result[0].toUpper();
  if (!result.endsWith(u'.')) result += u'.';
  return result;
}

ObjectModelReport::Fault fault(const omt::Error& error) {
  ObjectModelReport::Fault result;
  result.error = {qt(error.file), error.line, {}, sentence(error.message), sentence(error.hint)};
  if (!error.otherFile.empty()) {
    result.other = error.otherLine > 0
                       ? QStringLiteral("%1:%2").arg(qt(error.otherFile)).arg(error.otherLine)
                       : qt(error.otherFile);
  }
  return result;
}

/// Modules already read, by path with size and time: editing one module of thirty rereads that one.
class ModuleCache {
 public:
  tl::expected<std::shared_ptr<const omt::Module>, omt::Error> read(const QString& path) {
    const QString key = moduleKey({path});
    {
      const std::lock_guard lock{mutex_};
      if (const auto found = modules_.find(path);
          found != modules_.end() && found->second.first == key) {
        return found->second.second;
      }
    }
    auto module = omt::readModuleFile(path.toStdString());
    if (!module) return tl::unexpected(module.error());
    auto shared = std::make_shared<const omt::Module>(std::move(*module));
    const std::lock_guard lock{mutex_};
    if (modules_.size() >= kMaximum) modules_.clear();
    modules_[path] = {key, shared};
    return shared;
  }

 private:
  static constexpr std::size_t kMaximum = 200;
  std::mutex mutex_;  // guards modules_
  std::map<QString, std::pair<QString, std::shared_ptr<const omt::Module>>> modules_;
};

ObjectModelReport examine(const QStringList& paths) {
  static ModuleCache cache;
  ObjectModelReport report;
  report.modules = paths;
  std::vector<omt::Module> modules;
  for (const QString& path : paths) {
    const auto module = cache.read(path);
    if (module) {
      modules.push_back(**module);
    } else {
      report.faults.push_back(fault(module.error()));
    }
  }
  // Modules that depend on an unreadable one would only add faults that are its consequences.
  if (!report.faults.empty()) return report;
  const auto merged = omt::merge(modules);
  if (!merged) {
    report.faults.push_back(fault(merged.error()));
    return report;
  }
  report.merged = true;
  for (const omt::Error& warning : merged->warnings) report.warnings.push_back(fault(warning));
  const omt::ObjectModel& model = merged->model;
  for (const auto& objectClass : model.objectClasses()) {
    QStringList attributes;
    for (const auto* attribute : model.allAttributes(objectClass.handle)) {
      attributes.append(qt(attribute->name));
    }
    report.objectClasses.emplace(qt(objectClass.fullName), attributes);
  }
  for (const auto& interaction : model.interactionClasses()) {
    report.interactionClasses.append(qt(interaction.fullName));
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
