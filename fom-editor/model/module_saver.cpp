// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_saver.h"

#include <QFileInfo>
#include <QMetaObject>
#include <algorithm>
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
  for (const QString& path : paths) add(path);
  if (under_ == 0) begin();
  Q_EMIT changed();
}

/// Those that have content of it come before it.
void ModuleSaver::add(const QString& path) {
  if (!saving_.contains(path)) saving_ << path;
  if (next_.contains(path)) return;
  next_ << path;
  for (const QString& before : modules_.savedBefore(modules_.indexOf(path))) {
    if (!failed_.contains(before)) add(before);
  }
  next_.removeAll(path);
  next_ << path;
}

/// False: what has content of it was not written.
bool ModuleSaver::mayBegin(const QString& path) {
  for (const QString& before : modules_.savedBefore(modules_.indexOf(path))) {
    if (!failed_.contains(before)) continue;
    faults_ << tr("%1 was not saved: %2 has content of it and was not saved. The file and your "
                  "edits are as they were. Save both when %2 can be written.")
                   .arg(QFileInfo(path).fileName(), QFileInfo(before).fileName());
    failed_ << path;
    saving_.removeAll(path);
    next_.removeAll(path);
    return false;
  }
  return true;
}

void ModuleSaver::begin() {
  // What was edited since they were asked for may say more.
  for (const QString& path : std::exchange(next_, {})) add(path);
  QStringList begun;
  for (const QString& path : QStringList(next_)) {
    if (!mayBegin(path)) continue;
    const QStringList before = modules_.savedBefore(modules_.indexOf(path));
    const bool waits = std::any_of(begun.cbegin(), begun.cend(),
                                   [&](const QString& each) { return before.contains(each); });
    // All behind it wait as well: one after the other is right for each of them.
    if (waits) break;
    next_.removeAll(path);
    const auto writing = modules_.beginWriting(modules_.indexOf(path));
    if (!writing) {
      if (!writing.error().isEmpty()) {
        faults_ << writing.error();
        failed_ << path;
      }
      saving_.removeAll(path);
      continue;
    }
    begun << path;
    write(*writing, [this, writing = *writing](const auto& result) { note(writing, result); });
  }
  if (under_ > 0) return;
  saving_.clear();
  failed_.clear();
  Q_EMIT finished(std::exchange(faults_, {}));
}

void ModuleSaver::note(const ModuleWriting& writing, const tl::expected<void, WriteFault>& result) {
  if (!next_.contains(writing.path)) saving_.removeAll(writing.path);
  if (const auto noted = modules_.noteWritten(writing, result); !noted) {
    faults_ << noted.error();
    failed_ << writing.path;
  }
}

void ModuleSaver::endOne() {
  --under_;
  Q_EMIT changed();
  if (under_ == 0) begin();
}

}  // namespace tutti::fomedit
