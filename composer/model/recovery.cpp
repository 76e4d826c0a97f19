// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/recovery.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>

namespace tutti::composer {

namespace {

const QString kSuffix = QStringLiteral(".recovery.json");

/// A lock that is stale as soon as its process is gone, however young it is.
std::unique_ptr<QLockFile> lockFor(const QString& file) {
  auto lock = std::make_unique<QLockFile>(file + QStringLiteral(".lock"));
  lock->setStaleLockTime(0);
  return lock;
}

}  // namespace

QString Recovery::folder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
         QStringLiteral("/tutti/recovery");
}

Recovery::Recovery(const QString& document) : document_{document} {
  QDir{}.mkpath(folder());
  const QByteArray seed = document.isEmpty() ? QByteArrayLiteral("untitled") : document.toUtf8();
  const QString name = QString::fromLatin1(
      QCryptographicHash::hash(seed, QCryptographicHash::Sha1).toHex().left(16));
  // Another console may have the same document open, and an unclaimed file may still wait to be
  // recovered.
  constexpr int kMaximumConsoles = 100;
  for (int i = 0; i < kMaximumConsoles; ++i) {
    file_ = QStringLiteral("%1/%2-%3%4").arg(folder(), name).arg(i).arg(kSuffix);
    if (QFile::exists(file_)) continue;
    lock_ = lockFor(file_);
    if (lock_->tryLock(0)) return;
  }
  lock_.reset();
}

Recovery::~Recovery() { remove(); }

tl::expected<void, Error> Recovery::write(const Composition& composition) const {
  if (!lock_) {
    return tl::unexpected(
        Error{folder(),
              0,
              {},
              QStringLiteral(
                  "No recovery file could be claimed, so unsaved edits would be lost in a crash."),
              QStringLiteral("Check your right to write there, or discard old recovery files.")});
  }
  Json json;
  json["document"] = document_.toStdString();
  json["composition"] = Json::parse(composition.toBytes().toStdString());
  return replaceFile(file_, canonicalBytes(json));
}

void Recovery::remove() const {
  if (lock_) QFile::remove(file_);
}

std::vector<Recoverable> Recovery::list() {
  std::vector<Recoverable> result;
  const QDir dir{folder()};
  for (const QFileInfo& info :
       dir.entryInfoList({QStringLiteral("*") + kSuffix}, QDir::Files, QDir::Time)) {
    if (const auto lock = lockFor(info.absoluteFilePath()); !lock->tryLock(0)) continue;
    const auto source = JsonSource::read(info.absoluteFilePath());
    if (!source || !source->root().is_object()) continue;
    Recoverable entry{info.absoluteFilePath(), {}, {}, info.lastModified()};
    entry.document = text(source->root().value("document", std::string{}));
    if (const auto composition = load(entry.file)) {
      entry.federation = composition->settings.federation;
      result.push_back(std::move(entry));
    }
  }
  return result;
}

tl::expected<Composition, Error> Recovery::load(const QString& file) {
  auto source = JsonSource::read(file);
  if (!source) return tl::unexpected(source.error());
  if (!source->root().is_object() || !source->root().contains("composition")) {
    return tl::unexpected(source->error("", QStringLiteral("This is not a recovery file.")));
  }
  return JsonSource::parse(canonicalBytes(source->root()["composition"]), file)
      .and_then(&Composition::fromSource);
}

void Recovery::discard(const QString& file) { QFile::remove(file); }

}  // namespace tutti::composer
