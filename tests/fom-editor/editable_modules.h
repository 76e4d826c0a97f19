// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <cctype>
#include <memory>
#include <vector>

#include "fom-editor/model/model_changes.h"
#include "omt/reader.h"
#include "test_models.h"

namespace testmodels {

inline std::string content(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
  return file.readAll().toStdString();
}

/// A text with one passage replaced, which it has to have.
inline std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) qFatal("no %s", std::string(from).c_str());
  return text.replace(at, from.size(), to);
}

/// The same module with a prefix for the namespace of IEEE 1516.
inline std::string prefixed(std::string text) {
  for (const char* opening : {"<", "</"}) {
    const std::string mark = opening;
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
      const std::size_t name = at + mark.size();
      if (name < text.size() && std::isalpha(static_cast<unsigned char>(text[name])) != 0) {
        text.insert(name, "omt:");
      }
    }
  }
  return with(text, " xmlns=", " xmlns:omt=");
}

/// Modules in memory, with a history each.
struct EditedModules {
  explicit EditedModules(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const std::string name = "M" + std::to_string(sources.size()) + ".xml";
      auto parsed = tutti::fomedit::ModuleSource::parse(text, name);
      if (!parsed) qFatal("%s", parsed.error().toText().c_str());
      before.push_back(parsed->bytes());
      sources.push_back(std::make_unique<tutti::fomedit::ModuleSource>(std::move(*parsed)));
    }
  }

  tutti::fomedit::ModelChanges changes() const {
    tutti::fomedit::EditableModules all;
    for (const auto& s : sources) {
      const QString name = QString::fromStdString(s->displayName());
      all << tutti::fomedit::EditableModule{
          s.get(), name,
          name == writeProtected ? QStringLiteral("The file is write-protected.") : QString()};
    }
    return tutti::fomedit::ModelChanges(all);
  }
  /// False: refused() says why.
  bool apply(const tutti::fomedit::ModelChanges::Result& change) {
    refused = change ? QString() : change.error();
    if (!change) return false;
    label = change->label;
    for (const auto& [module, splices] : change->changes) {
      const auto done = sources[static_cast<std::size_t>(module)]->apply(splices);
      if (!done) {
        refused = QString::fromStdString(done.error().toText());
        return false;
      }
    }
    return true;
  }
  void undoAll() {
    for (auto& s : sources) {
      while (s->canUndo()) s->undo();
    }
  }
  bool isAsBefore() const {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i]->bytes() != before[i]) return false;
    }
    return true;
  }
  std::string bytes(std::size_t i = 0) const { return sources[i]->bytes(); }
  bool has(std::string_view text, std::size_t i = 0) const {
    return sources[i]->text().find(text) != std::string_view::npos;
  }
  bool isRead() const {
    for (const auto& s : sources) {
      if (!tutti::omt::readModule(s->bytes(), s->displayName())) return false;
    }
    return true;
  }

  std::vector<std::unique_ptr<tutti::fomedit::ModuleSource>> sources;
  std::vector<std::string> before;
  QString refused;
  QString label;
  QString writeProtected{};
};

}  // namespace testmodels
