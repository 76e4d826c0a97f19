// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/model_loader.h"

#include <QMetaObject>
#include <optional>
#include <string>
#include <utility>

#include "fom-editor/model/checks/checks.h"

namespace tutti::fomedit {

ModelLoader::ModelLoader(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(1); }

ModelLoader::~ModelLoader() {
  ++latest_;  // what still waits is skipped
  pool_.waitForDone();
}

void ModelLoader::load(const QStringList& paths, const ModuleTexts& texts) {
  const std::uint64_t request = ++latest_;
  loading_ = true;
  Q_EMIT started();
  pool_.start([this, request, paths, texts] {
    if (request != latest_) return;
    LoadedModel model = loadModel(paths, texts);
    if (request != latest_) return;
    checkModules(model, [&](const QString& path) -> std::optional<std::string> {
      ModuleBytes bytes = texts.value(path);
      for (const ModuleFile& file : std::as_const(model.files)) {
        if (!bytes && file.path == path) bytes = file.bytes;
      }
      return bytes ? std::optional(*bytes) : std::nullopt;
    });
    QMetaObject::invokeMethod(
        this, [this, request, model] { deliver(request, model); }, Qt::QueuedConnection);
  });
}

void ModelLoader::cancel() {
  if (!loading_) return;
  ++latest_;
  loading_ = false;
  // The next request does not wait for a file that cannot be read on.
  pool_.setMaxThreadCount(pool_.maxThreadCount() + 1);
}

void ModelLoader::deliver(std::uint64_t request, const LoadedModel& model) {
  if (request != latest_) return;
  loading_ = false;
  Q_EMIT loaded(model);
}

}  // namespace tutti::fomedit
