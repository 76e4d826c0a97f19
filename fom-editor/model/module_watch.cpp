// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_watch.h"

#include <sys/stat.h>

#include <QFile>
#include <QMetaObject>

namespace tutti::fomedit {

namespace {
constexpr int kIntervalMilliseconds = 1000;
}

ModuleWatch::ModuleWatch(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(1);
  timer_.setInterval(kIntervalMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &ModuleWatch::lookAtAll);
}

ModuleWatch::~ModuleWatch() { pool_.waitForDone(); }

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
  pool_.start([this, round = round_, looks]() mutable {
    for (Look& at : looks) look(at);
    QMetaObject::invokeMethod(
        this, [this, round, looks] { deliver(round, looks); }, Qt::QueuedConnection);
  });
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
