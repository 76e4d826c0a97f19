// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/checks/checks.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QSet>
#include <algorithm>
#include <array>
#include <vector>

#include "fom-editor/model/checks/checked_module.h"
#include "fom-editor/model/checks/model_checks.h"
#include "fom-editor/model/checks/schema_findings.h"
#include "fom-editor/model/checks/stricter_rtis.h"
#include "fom-editor/model/glyph.h"
#include "omt/reader.h"

namespace tutti::fomedit {

namespace {

constexpr std::array<std::pair<Level, const char*>, 4> kLevels{{{Level::Loads, "loads"},
                                                                {Level::Strict, "strict"},
                                                                {Level::Complete, "dif"},
                                                                {Level::Described, "omt"}}};

std::optional<omt::Edition> editionOf(const ModuleStatus& status) {
  for (const omt::Edition edition :
       {omt::Edition::Ieee2000, omt::Edition::Ieee2010, omt::Edition::Ieee2025}) {
    if (status.edition == text(omt::toText(edition))) return edition;
  }
  return std::nullopt;
}

QSet<QString> namesOf(const omt::ObjectModel& model) {
  QSet<QString> names;
  for (const omt::DataType& t : model.dataTypes()) names << text(t.name);
  for (const omt::Dimension& d : model.dimensions()) names << text(d.name);
  for (const omt::Transportation& t : model.transportations()) names << text(t.name);
  return names;
}

/// The column of the first element that begins on the line of a finding.
void addColumn(const CheckedModule& module, Finding& f) {
  if (f.line <= 0 || f.column > 0) return;
  const auto& all = module.source.elements();
  const auto at = std::lower_bound(
      all.begin(), all.end(), f.line,
      [&](const SourceElement& e, int line) { return module.source.lineOf(e.whole.begin) < line; });
  if (at == all.end() || module.source.lineOf(at->whole.begin) != f.line) return;
  f.column = module.source.columnOf(at->whole.begin);
}

/// Of a module that loads, and whose text cannot be looked at.
Finding notChecked(const QString& path, const omt::Error& error) {
  Finding f;
  f.level = Level::Strict;
  f.rule = QStringLiteral("strict/unchecked");
  f.text = QStringLiteral("The module loads, and is not checked any further: %1")
               .arg(text(error.message));
  f.hint = text(error.hint);
  f.file = path;
  f.line = error.line;
  return f;
}

/// That an attribute or parameter has no datatype, or one that no module has.
bool isOfDataTypeUse(const Finding& f) {
  return f.rule == QStringLiteral("strict/datatype-missing") ||
         f.rule == QStringLiteral("strict/no-datatype");
}

}  // namespace

std::optional<std::string> moduleBytes(const QString& path) {
  // A pipe gives what it has only once, and that was read before.
  if (!QFileInfo(path).isFile()) return std::nullopt;
  auto bytes = omt::readModuleBytes(path.toStdString());
  return bytes ? std::optional(std::move(*bytes)) : std::nullopt;
}

void checkModules(LoadedModel& loaded, const ModuleReader& read) {
  QElapsedTimer timer;
  timer.start();
  std::vector<CheckedModule> modules;
  modules.reserve(static_cast<std::size_t>(loaded.modules.size()));
  for (const ModuleStatus& status : loaded.modules) {
    const auto edition = editionOf(status);
    if (status.isMim || !edition) continue;
    auto bytes = read(status.path);
    if (!bytes) continue;
    auto source = ModuleSource::parse(std::move(*bytes), status.path.toStdString());
    if (source) {
      modules.push_back({status.path, *edition, std::move(*source)});
    } else {
      loaded.findings.append(notChecked(status.path, source.error()));
    }
  }
  const omt::ObjectModel& model = *loaded.model;
  QList<Finding> more = stricterRtiFindings(modules, model);
  const QSet<QString> names = namesOf(model);
  for (const CheckedModule& module : modules) {
    more << schemaFindings(module, names) << glyphFindings(module);
  }
  more << modelFindings(modules, model);

  for (const CheckedModule& module : modules) {
    const std::size_t textId = textIdOf(module.source);
    for (Finding& f : loaded.findings) {
      if (f.file != module.path) continue;
      addColumn(module, f);
    }
    addFixesOfMerging(module, loaded.findings);
    for (Finding& f : loaded.findings) {
      if (f.file == module.path) f.fix.text = textId;
    }
    for (Finding& f : more) {
      if (f.file != module.path) continue;
      addColumn(module, f);
      f.fix.text = textId;
    }
  }
  // A stricter RTI refuses what merging only warns of: said once, by the rule that names it.
  loaded.findings.removeIf([&](const Finding& f) {
    return f.level == Level::Complete &&
           std::any_of(more.begin(), more.end(), [&](const Finding& s) {
             return isOfDataTypeUse(s) && s.file == f.file && s.line == f.line &&
                    s.text.section(u' ', 0, 0) == f.text.section(u' ', 0, 0);
           });
  });
  loaded.findings.append(more);
  for (Finding& f : loaded.findings) {
    if (!f.item.isEmpty() && findItem(model, f.item).isNull()) f.item.clear();
  }
  std::stable_sort(loaded.findings.begin(), loaded.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.level < b.level; });
  for (ModuleStatus& status : loaded.modules) {
    const auto count = [&](Level level) {
      return static_cast<int>(
          std::count_if(loaded.findings.begin(), loaded.findings.end(), [&](const Finding& f) {
            return f.level == level && !f.isStyle && f.file == status.path;
          }));
    };
    status.errors = count(Level::Loads);
    status.warnings = count(Level::Strict) + count(Level::Complete);
  }
  loaded.seconds += static_cast<double>(timer.nsecsElapsed()) / 1e9;
}

QString levelWord(Level level) {
  for (const auto& [known, word] : kLevels) {
    if (known == level) return QLatin1String(word);
  }
  return {};
}

std::optional<Level> levelOfWord(const QString& word) {
  for (const auto& [level, known] : kLevels) {
    if (word == QLatin1String(known)) return level;
  }
  return std::nullopt;
}

}  // namespace tutti::fomedit
