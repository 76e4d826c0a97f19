// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_saver.h"

#include <QFileInfo>
#include <QMetaObject>
#include <QTimer>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

namespace tutti::fomedit {

namespace {
/// For files that are being written at the end; a disk that answers has them long before.
constexpr std::chrono::seconds kLongestWait{2};
/// Faults within this time are told together.
constexpr std::chrono::milliseconds kTogether{300};
}  // namespace

ModuleSaver::ModuleSaver(OpenModules& modules, QObject* parent)
    : QObject(parent), modules_(modules) {
  mailbox_->owner = this;
}

ModuleSaver::~ModuleSaver() {
  std::unique_lock lock(mailbox_->mutex);
  mailbox_->owner = nullptr;
  mailbox_->free.wait_for(lock, kLongestWait, [this] { return mailbox_->busy == 0; });
}

void ModuleSaver::save(const QStringList& paths) {
  for (const QString& path : paths) {
    queues_[path].saves = true;
    failed_.remove(path);  // Another attempt.
    if (!saving_.contains(path)) saving_ << path;
  }
  for (const QString& path : paths) proceed(path);
  noteIdle();
  Q_EMIT changed();
}

void ModuleSaver::write(const ModuleWriting& writing, std::function<void(const Written&)> done) {
  queues_[writing.path].jobs.push_back({writing, std::move(done)});
  proceed(writing.path);
  Q_EMIT changed();
}

/// Begins what comes next with a file, if nothing is under way.
void ModuleSaver::proceed(const QString& path) {
  const auto found = queues_.find(path);
  if (found == queues_.end() || found->isBusy) return;
  if (!found->jobs.empty()) {
    const Job job = std::move(found->jobs.front());
    found->jobs.pop_front();
    return start(path, job);
  }
  if (found->saves) {
    if (waits(path)) return;
    queues_[path].saves = false;
    if (!failed_.contains(path)) {
      const auto writing = modules_.beginWriting(modules_.indexOf(path));
      if (writing) {
        return start(path, {*writing, [this, writing = *writing](const Written& written) {
                              const auto noted = modules_.noteWritten(writing, written);
                              if (!noted) noteFault(writing.path, noted.error());
                            }});
      }
      if (!writing.error().isEmpty()) noteFault(path, writing.error());
    }
  }
  saving_.removeAll(path);
  queues_.remove(path);
}

/// Whether a file waits for those that have content of it, which are saved before.
bool ModuleSaver::waits(const QString& path) {
  waiting_ << path;
  bool result = false;
  for (const QString& before : modules_.savedBefore(modules_.indexOf(path))) {
    if (waiting_.contains(before)) continue;  // Each has content of the other: one is the first.
    if (!queues_.contains(before) && !failed_.contains(before)) {
      queues_[before].saves = true;
      saving_ << before;
      proceed(before);
    }
    if (failed_.contains(before)) {
      noteFault(path,
                tr("%1 was not saved: %2 has content of it and was not saved. The file and your "
                   "edits are as they were. Save both when %2 can be written.")
                    .arg(QFileInfo(path).fileName(), QFileInfo(before).fileName()));
      result = false;
      break;
    }
    result = result || queues_.contains(before);
  }
  if (!result) waiting_.remove(path);
  return result;
}

void ModuleSaver::start(const QString& path, const Job& job) {
  queues_[path].isBusy = true;
  {
    const std::lock_guard lock(mailbox_->mutex);
    ++mailbox_->busy;
  }
  const auto work = [mailbox = mailbox_, path, job] {
    const Written written =
        replaceModuleFile(job.writing.path, *job.writing.bytes, job.writing.expected);
    const std::lock_guard lock(mailbox->mutex);
    --mailbox->busy;
    if (ModuleSaver* owner = mailbox->owner; owner != nullptr) {
      QMetaObject::invokeMethod(
          owner, [owner, path, job, written] { owner->end(path, job, written); },
          Qt::QueuedConnection);
    }
    mailbox->free.notify_all();
  };
  try {
    std::thread(work).detach();
  } catch (const std::system_error&) {
    {
      const std::lock_guard lock(mailbox_->mutex);
      --mailbox_->busy;
    }
    WriteFault fault;
    fault.text =
        tr("%1 was not saved: the system has no thread for it. The file and your edits are "
           "as they were. End other programs, then save again.")
            .arg(QFileInfo(path).fileName());
    QMetaObject::invokeMethod(
        this, [this, path, job, fault] { end(path, job, tl::unexpected(fault)); },
        Qt::QueuedConnection);
  }
}

void ModuleSaver::end(const QString& path, const Job& job, const Written& written) {
  queues_[path].isBusy = false;
  // Before others hear of the result: the module is on its way no more, unless it is asked for
  // again.
  if (!queues_[path].saves) saving_.removeAll(path);
  job.done(written);
  proceed(path);
  for (const QString& other : QSet<QString>(waiting_)) {
    waiting_.remove(other);
    proceed(other);
  }
  noteIdle();
  Q_EMIT changed();
}

void ModuleSaver::noteIdle() {
  if (isSaving()) return;
  failed_.clear();
  tellFaults();
}

void ModuleSaver::noteFault(const QString& path, const QString& fault) {
  failed_ << path;
  if (faults_.isEmpty()) QTimer::singleShot(kTogether, this, &ModuleSaver::tellFaults);
  faults_ << fault;
}

void ModuleSaver::tellFaults() {
  if (!faults_.isEmpty()) Q_EMIT failed(std::exchange(faults_, {}));
}

}  // namespace tutti::fomedit
