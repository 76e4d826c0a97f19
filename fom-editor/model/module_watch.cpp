// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_watch.h"

#include <sys/stat.h>

#include <QFile>
#include <QMetaObject>
#include <chrono>
#include <system_error>
#include <thread>

namespace tutti::fomedit {

namespace {
constexpr int kIntervalMilliseconds = 1000;
/// For a look that is under way at the end; a file system that answers is done long before.
constexpr std::chrono::seconds kLongestWait{2};
}  // namespace

ModuleWatch::ModuleWatch(QObject* parent) : QObject(parent) {
  mailbox_->owner = this;
  timer_.setInterval(kIntervalMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &ModuleWatch::lookAtAll);
}

ModuleWatch::~ModuleWatch() {
  std::unique_lock lock(mailbox_->mutex);
  mailbox_->owner = nullptr;
  mailbox_->free.wait_for(lock, kLongestWait, [this] { return !mailbox_->isLooking; });
}

void ModuleWatch::setPaths(const QStringList& paths) {
  QHash<QString, Known> known;
  for (const QString& path : paths) known.insert(path, known_.value(path));
  known_ = known;
  ++round_;
  if (known_.isEmpty()) {
    timer_.stop();
  } else if (!timer_.isActive()) {
    timer_.start();
  }
}

void ModuleWatch::forget(const QString& path) {
  if (known_.contains(path)) known_[path] = {};
  ++round_;
}

ModuleWatch::Status ModuleWatch::statusOf(const QString& path) {
  struct stat s {};
  if (::stat(QFile::encodeName(path).constData(), &s) != 0) return {};
  return {static_cast<std::int64_t>(s.st_dev),
          static_cast<std::int64_t>(s.st_ino),
          s.st_size,
          s.st_mtim.tv_sec,
          s.st_mtim.tv_nsec,
          s.st_mode};
}

void ModuleWatch::look(Look& at) {
  const Status now = statusOf(at.path);
  const bool settled = at.known.last == now;
  at.known.last = now;
  if (!settled || at.known.reported == now) return;
  // Opening a pipe or a device would wait, or do something.
  const bool isFile = now == Status{} || S_ISREG(static_cast<mode_t>(now.back()));
  if (!isFile) return;
  at.file = readForEditing(at.path);
  // Written while it was read: the next look takes it.
  if (statusOf(at.path) != now) {
    at.file.reset();
  } else {
    at.known.reported = now;
  }
}

void ModuleWatch::lookAtAll() {
  if (looking_) return;
  looking_ = true;
  QList<Look> looks;
  for (auto it = known_.cbegin(); it != known_.cend(); ++it) looks.append({it.key(), *it, {}});
  const auto setLooking = [this](bool looking) {
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->isLooking = looking;
  };
  setLooking(true);
  const auto work = [mailbox = mailbox_, round = round_, looks]() mutable {
    for (Look& at : looks) look(at);
    const std::lock_guard lock(mailbox->mutex);
    if (ModuleWatch* owner = mailbox->owner; owner != nullptr) {
      QMetaObject::invokeMethod(
          owner, [owner, round, looks] { owner->deliver(round, looks); }, Qt::QueuedConnection);
    }
    mailbox->isLooking = false;
    mailbox->free.notify_all();
  };
  try {
    std::thread(work).detach();
  } catch (const std::system_error&) {
    // No thread is to be had at the moment; the next look may find one.
    setLooking(false);
    looking_ = false;
  }
}

void ModuleWatch::deliver(std::uint64_t round, const QList<Look>& looks) {
  looking_ = false;
  if (round != round_) return;
  for (const Look& at : looks) known_[at.path] = at.known;
  for (const Look& at : looks) {
    // Who hears of one may have written another, or closed it.
    if (at.file && round == round_) Q_EMIT seen(*at.file);
  }
}

}  // namespace tutti::fomedit
