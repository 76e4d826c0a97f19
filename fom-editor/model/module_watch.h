// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>
#include <array>
#include <cstdint>
#include <optional>

#include "fom-editor/model/module_file.h"

namespace tutti::fomedit {

/// Looks every second, in a worker, whether other programs changed files: by their status, which
/// works on every file system and for editors that put a new file in the place of the old one. A
/// file is read when its status was the same at two looks, so that not half of it is taken. All
/// calls and signals on the thread the watch lives in; the destructor waits for the worker.
class ModuleWatch : public QObject {
  Q_OBJECT
 public:
  explicit ModuleWatch(QObject* parent = nullptr);
  ~ModuleWatch() override;

  /// Each is reported once at the beginning.
  void setPaths(const QStringList& paths);
  /// This program has written it: what was read before that is not reported any more.
  void forget(const QString& path);
  /// Milliseconds; 1000 unless set.
  void setInterval(int milliseconds) { timer_.setInterval(milliseconds); }

 Q_SIGNALS:
  /// A file at one moment; also when it holds the same as before.
  void seen(const tutti::fomedit::ModuleFile& file);

 private:
  /// Device, inode, size, time of the last change in seconds and nanoseconds, mode; all 0: there is
  /// none.
  using Status = std::array<std::int64_t, 6>;
  struct Known {
    std::optional<Status> last;      ///< at the last look
    std::optional<Status> reported;  ///< of what was reported last
  };
  struct Look {
    QString path;
    Known known;
    std::optional<ModuleFile> file;
  };

  static Status statusOf(const QString& path);
  static void look(Look& at);
  void lookAtAll();
  void deliver(std::uint64_t round, const QList<Look>& looks);

  QTimer timer_;
  QHash<QString, Known> known_;
  std::uint64_t round_ = 0;  ///< what a worker brings of an earlier one is out of date
  bool looking_ = false;
  QThreadPool pool_;  // last: destroyed, and so waited for, first
};

}  // namespace tutti::fomedit
