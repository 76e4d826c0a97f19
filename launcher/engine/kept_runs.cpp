// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/kept_runs.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "launcher/engine/supervisor/keep.h"

namespace tutti::launcher {

std::vector<KeptRun> keptRuns(const QString& folder) {
  std::vector<KeptRun> result;
  const QDir runs(folder);
  for (const QString& name :
       runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed)) {
    const QDir run(runs.filePath(name));
    const QString mark = run.filePath(QString::fromLatin1(keptMark));
    const int fd = ::open(QFile::encodeName(mark), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) continue;
    const bool held = ::flock(fd, LOCK_SH | LOCK_NB) != 0;
    ::close(fd);
    if (!held) {
      QFile::remove(mark);
      continue;
    }
    if (auto plan = LaunchPlan::load(run.filePath(QStringLiteral("plan.json"))))
      result.push_back({std::move(*plan), QFileInfo(mark).lastModified()});
  }
  return result;
}

}  // namespace tutti::launcher
