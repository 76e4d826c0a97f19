// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_saver.h"

#include <QMetaObject>
#include <utility>

namespace tutti::fomedit {

ModuleSaver::ModuleSaver(OpenModules& modules, QObject* parent)
    : QObject(parent), modules_(modules) {
  pool_.setMaxThreadCount(1);
  pool_.setExpiryTimeout(-1);
}

ModuleSaver::~ModuleSaver() { pool_.waitForDone(); }

void ModuleSaver::write(const ModuleWriting& writing,
                        std::function<void(const tl::expected<void, WriteFault>&)> done) {
  ++under_;
  pool_.start([this, writing, done = std::move(done)] {
    const auto result = replaceModuleFile(writing.path, *writing.bytes, writing.expected);
    QMetaObject::invokeMethod(
        this,
        [this, done, result] {
          done(result);
          endOne();
        },
        Qt::QueuedConnection);
  });
}

void ModuleSaver::save(const QStringList& paths) {
  for (const QString& path : paths) {
    if (!next_.contains(path)) next_ << path;
    if (!saving_.contains(path)) saving_ << path;
  }
  if (under_ == 0) begin();
  Q_EMIT changed();
}

void ModuleSaver::begin() {
  for (const QString& path : std::exchange(next_, {})) {
    const auto writing = modules_.beginWriting(modules_.indexOf(path));
    if (!writing) {
      if (!writing.error().isEmpty()) faults_ << writing.error();
      saving_.removeAll(path);
      continue;
    }
    write(*writing, [this, writing = *writing](const auto& result) { note(writing, result); });
  }
  if (under_ > 0) return;
  saving_.clear();
  Q_EMIT finished(std::exchange(faults_, {}));
}

void ModuleSaver::note(const ModuleWriting& writing, const tl::expected<void, WriteFault>& result) {
  if (!next_.contains(writing.path)) saving_.removeAll(writing.path);
  if (const auto noted = modules_.noteWritten(writing, result); !noted) faults_ << noted.error();
}

void ModuleSaver::endOne() {
  --under_;
  Q_EMIT changed();
  if (under_ == 0) begin();
}

}  // namespace tutti::fomedit
