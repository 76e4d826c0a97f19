// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/loaded_model.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <algorithm>
#include <functional>
#include <vector>

#include "fom-editor/model/data_type_checks.h"
#include "fom-editor/model/reference_checks.h"
#include "omt/merge.h"
#include "omt/reader.h"

namespace tutti::fomedit {

namespace {

Finding toFinding(const omt::Error& error, Level level) {
  Finding f;
  f.level = level;
  f.rule = level == Level::Loads ? QStringLiteral("loads/module") : QStringLiteral("dif/merging");
  f.text = text(error.message);
  f.hint = text(error.hint);
  f.file = text(error.file);
  f.line = error.line;
  f.otherFile = text(error.otherFile);
  f.otherLine = error.otherLine;
  return f;
}

/// The class whose definition, members included, holds that line; of several nested ones the last
/// that starts before it.
QString itemAt(const omt::ObjectModel& model, const QString& file, int line) {
  if (line <= 0) return {};
  const std::string path = file.toStdString();
  Item best;
  int bestLine = 0;
  const auto consider = [&](ItemKind kind, std::uint32_t id, const omt::SourceLocation& where) {
    if (where.line > line || where.line < bestLine || model.fileOf(where) != path) return;
    best = {kind, id};
    bestLine = where.line;
  };
  for (const auto& c : model.objectClasses()) consider(ItemKind::ObjectClass, c.handle, c.where);
  for (const auto& c : model.interactionClasses()) {
    consider(ItemKind::InteractionClass, c.handle, c.where);
  }
  for (const auto& d : model.dimensions()) consider(ItemKind::Dimension, d.handle, d.where);
  for (std::size_t i = 0; i < model.dataTypes().size(); ++i) {
    consider(ItemKind::DataType, static_cast<std::uint32_t>(i + 1), model.dataTypes()[i].where);
  }
  return itemPath(model, best);
}

/// Semantics are no condition for a run, but for people who share the model. One finding a class.
void checkDescriptions(const omt::ObjectModel& model, QList<Finding>& findings) {
  const auto isMim = [&](const omt::SourceLocation& where) {
    return model.modules()[where.module].isMim;
  };
  const auto check = [&](ItemKind kind, const auto& c, const QStringList& bare,
                         const QString& noun) {
    const bool classBare = c.semantics.empty() && !c.scaffolding;
    if (bare.isEmpty() && !classBare) return;
    QString what;
    if (bare.isEmpty()) {
      what = QStringLiteral("%1 has no semantics.").arg(text(c.name));
    } else if (bare.size() == 1) {
      what = QStringLiteral("%1.%2 has no semantics.").arg(text(c.name), bare.front());
    } else {
      what = QStringLiteral("%1 has %2 %3 without semantics: %4.")
                 .arg(text(c.name))
                 .arg(bare.size())
                 .arg(noun, bare.join(QStringLiteral(", ")));
    }
    Finding f;
    f.level = Level::Described;
    f.rule = QStringLiteral("omt/semantics");
    f.text = what;
    f.hint = QStringLiteral("Say what it means and in which unit.");
    f.file = text(model.fileOf(c.where));
    f.line = c.where.line;
    f.item = itemPath(model, {kind, c.handle});
    findings.append(f);
  };
  for (const omt::ObjectClass& c : model.objectClasses()) {
    if (isMim(c.where)) continue;
    QStringList bare;
    for (const omt::AttributeHandle a : c.attributes) {
      if (model.attribute(a)->semantics.empty()) bare << text(model.attribute(a)->name);
    }
    check(ItemKind::ObjectClass, c, bare, QStringLiteral("attributes"));
  }
  for (const omt::InteractionClass& c : model.interactionClasses()) {
    if (isMim(c.where)) continue;
    QStringList bare;
    for (const omt::ParameterHandle p : c.parameters) {
      if (model.parameter(p)->semantics.empty()) bare << text(model.parameter(p)->name);
    }
    check(ItemKind::InteractionClass, c, bare, QStringLiteral("parameters"));
  }
}

/// Reads each module by `readOne`, and merges what can be read.
LoadedModel loadModules(
    const QStringList& paths,
    const std::function<tl::expected<omt::Module, omt::Error>(const QString&)>& readOne) {
  QElapsedTimer timer;
  timer.start();
  LoadedModel loaded;
  loaded.paths = paths;
  loaded.modules.append({text(omt::standardMimDesignator), text(omt::standardMimDesignator),
                         text(omt::toText(omt::Edition::Ieee2010)), true, true, 0, 0});

  std::vector<omt::Module> modules;
  for (const QString& path : paths) {
    ModuleStatus status;
    status.path = path;
    status.name = QFileInfo(path).fileName();
    auto read = readOne(path);
    if (read) {
      status.edition = text(omt::toText(read->edition));
      modules.push_back(std::move(*read));
    } else {
      status.merged = false;
      loaded.findings.append(toFinding(read.error(), Level::Loads));
    }
    loaded.modules.append(status);
  }

  loaded.dependencies = std::make_shared<const DependencyGraph>(dependenciesOf(modules));
  // Leaves out one module after the other until the rest fits together.
  tl::expected<omt::Merged, omt::Error> merged = omt::merge(modules);
  while (!merged) {
    const omt::Error& error = merged.error();
    loaded.findings.append(toFinding(error, Level::Loads));
    auto culprit = std::find_if(modules.rbegin(), modules.rend(),
                                [&](const omt::Module& m) { return m.file == error.file; });
    if (culprit == modules.rend()) {
      modules.clear();
    } else {
      for (ModuleStatus& status : loaded.modules) {
        if (status.path == text(culprit->file)) status.merged = false;
      }
      modules.erase(std::next(culprit).base());
    }
    merged = omt::merge(modules);
  }
  for (const omt::Error& warning : merged->warnings) {
    loaded.findings.append(toFinding(warning, Level::Complete));
  }
  loaded.findings.append(checkDataTypes(merged->model));
  loaded.findings.append(checkReferences(merged->model));
  checkDescriptions(merged->model, loaded.findings);
  for (Finding& f : loaded.findings) {
    if (f.item.isEmpty()) f.item = itemAt(merged->model, f.file, f.line);
    // Of a module that was left out, the definition it contradicts is the one to show.
    if (f.item.isEmpty()) f.item = itemAt(merged->model, f.otherFile, f.otherLine);
    for (ModuleStatus& status : loaded.modules) {
      if (status.path != f.file) continue;
      if (f.level == Level::Loads) ++status.errors;
      if (f.level == Level::Complete) ++status.warnings;
    }
  }
  loaded.model = std::make_shared<const omt::ObjectModel>(std::move(merged->model));
  loaded.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
  return loaded;
}

}  // namespace

int LoadedModel::count(Level level) const {
  return static_cast<int>(std::count_if(findings.begin(), findings.end(), [&](const Finding& f) {
    return f.level == level && !f.isStyle;
  }));
}

int LoadedModel::objectClassCount() const {
  if (!model) return 0;
  return static_cast<int>(
      std::count_if(model->objectClasses().begin(), model->objectClasses().end(),
                    [&](const auto& c) { return !model->modules()[c.where.module].isMim; }));
}

int LoadedModel::interactionClassCount() const {
  if (!model) return 0;
  return static_cast<int>(
      std::count_if(model->interactionClasses().begin(), model->interactionClasses().end(),
                    [&](const auto& c) { return !model->modules()[c.where.module].isMim; }));
}

QString levelName(Level level) {
  switch (level) {
    case Level::Loads:
      return QStringLiteral("Loads in this RTI");
    case Level::Strict:
      return QStringLiteral("Loads in stricter RTIs");
    case Level::Complete:
      return QStringLiteral("Complete per DIF");
    case Level::Described:
      return QStringLiteral("Complete per OMT");
  }
  return {};
}

LoadedModel loadModel(const QStringList& paths) {
  return loadModules(paths,
                     [](const QString& path) { return omt::readModuleFile(path.toStdString()); });
}

LoadedModel loadModel(const QStringList& paths, const ModuleTexts& texts) {
  QList<ModuleFile> files;
  LoadedModel loaded = loadModules(paths, [&](const QString& path) {
    const std::string name = path.toStdString();
    if (const ModuleBytes edited = texts.value(path)) return omt::readModule(*edited, name);
    files.append(readForEditing(path));
    const ModuleBytes bytes = files.last().bytes;
    // Without bytes this says why.
    return bytes ? omt::readModule(*bytes, name) : omt::readModuleFile(name);
  });
  loaded.files = files;
  return loaded;
}

}  // namespace tutti::fomedit
