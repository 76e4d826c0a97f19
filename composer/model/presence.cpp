// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/presence.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QSysInfo>

namespace tutti::composer {

QString Presence::Holder::text() const {
  return QStringLiteral("process %1 on %2").arg(process).arg(host);
}

QString Presence::folder() {
  QString state = qEnvironmentVariable("XDG_STATE_HOME");
  // As the XDG specification wants it, a relative path counts as not set.
  if (!QDir::isAbsolutePath(state)) state = QDir::homePath() + QStringLiteral("/.local/state");
  return QDir::cleanPath(state + QStringLiteral("/tutti/open"));
}

Presence::Presence(const QString& document) {
  const QFileInfo file{document};
  QString key = file.canonicalFilePath();
  if (key.isEmpty()) key = QDir::cleanPath(file.absoluteFilePath());
  QDir{}.mkpath(folder());
  const QString name = QString::fromLatin1(
      QCryptographicHash::hash(key.toUtf8(), QCryptographicHash::Sha1).toHex().left(16));
  lock_ = std::make_unique<QLockFile>(QStringLiteral("%1/%2.lock").arg(folder(), name));
  // Stale as soon as its process is gone, however young or old it is.
  lock_->setStaleLockTime(0);
  lock_->tryLock(0);
}

std::optional<Presence::Holder> Presence::other() {
  if (lock_->isLocked() || lock_->tryLock(0)) return std::nullopt;
  if (lock_->error() != QLockFile::LockFailedError) return std::nullopt;
  Holder holder;
  if (!lock_->getLockInfo(&holder.process, &holder.host, &holder.program)) return std::nullopt;
  if (holder.process == QCoreApplication::applicationPid() &&
      holder.host == QSysInfo::machineHostName())
    return std::nullopt;
  return holder;
}

}  // namespace tutti::composer
