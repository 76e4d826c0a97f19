// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/watched_end.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>

namespace tutti::launcher {

namespace {

constexpr int lookMs = 20;

int openMark(const QString& folder) {
  const QString file = QDir(folder).filePath(QStringLiteral("watched"));
  return ::open(QFile::encodeName(file), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

}  // namespace

WatchedMark::WatchedMark(const QString& runFolder) : fd_(openMark(runFolder)) {
  if (fd_ >= 0) ::flock(fd_, LOCK_SH | LOCK_NB);
}

WatchedMark::~WatchedMark() {
  if (fd_ >= 0) ::close(fd_);
}

bool awaitUnwatched(const QString& runFolder, int milliseconds) {
  const int fd = openMark(runFolder);
  if (fd < 0) return true;
  QElapsedTimer clock;
  clock.start();
  bool free = false;
  for (;;) {
    free = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
    // A file system without locks has none to wait for.
    if (!free && errno != EWOULDBLOCK && errno != EINTR) free = true;
    if (free || clock.elapsed() >= milliseconds) break;
    ::usleep(lookMs * 1000);
  }
  ::close(fd);
  return free;
}

}  // namespace tutti::launcher
