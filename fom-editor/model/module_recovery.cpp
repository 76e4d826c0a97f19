// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_recovery.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMetaObject>
#include <QSaveFile>
#include <QStandardPaths>
#include <algorithm>

#include "fom-editor/model/open_modules.h"
#include "omt/reader.h"

namespace tutti::fomedit {

namespace {

constexpr int kDelayMilliseconds = 3000;
/// Of the line before the module's bytes.
constexpr qint64 kLongestHeader = 64 * 1024;
// Not that of compositions (".recovery.json"), which look in the same folder.
const QString kSuffix = QStringLiteral(".module-edits");

/// A lock that is stale as soon as its process is gone, however young it is.
std::unique_ptr<QLockFile> lockFor(const QString& file) {
  auto lock = std::make_unique<QLockFile>(file + QStringLiteral(".lock"));
  lock->setStaleLockTime(0);
  return lock;
}

/// Whether another console holds the lock; else this has it, unless the folder is full or read
/// only.
bool isHeld(QLockFile& lock) {
  return !lock.tryLock(0) && lock.error() == QLockFile::LockFailedError;
}

QString inUse(const QString& file) {
  return QObject::tr("Another console has the edits in %1 open. Save or discard them there.")
      .arg(QDir::toNativeSeparators(file));
}

QString absolute(const QString& path) {
  return QDir::cleanPath(QFileInfo(path).absoluteFilePath());
}

QString nameOf(const QString& module) {
  return QString::fromLatin1(
      QCryptographicHash::hash(module.toUtf8(), QCryptographicHash::Sha1).toHex().left(16));
}

struct Header {
  QString module;
  int edits = 0;
  QByteArray savedThen;
};

tl::expected<Header, QString> readHeader(QFile& file) {
  const auto failed = [&](const QString& why) {
    return tl::unexpected(QObject::tr("The unsaved edits in %1 cannot be read: %2")
                              .arg(QDir::toNativeSeparators(file.fileName()), why));
  };
  if (!file.open(QIODevice::ReadOnly)) return failed(file.errorString());
  const QByteArray line = file.readLine(kLongestHeader);
  const QJsonObject object = QJsonDocument::fromJson(line).object();
  Header header;
  header.module = object.value(QStringLiteral("module")).toString();
  header.edits = object.value(QStringLiteral("edits")).toInt();
  header.savedThen =
      QByteArray::fromHex(object.value(QStringLiteral("saved")).toString().toLatin1());
  if (!line.endsWith('\n') || header.module.isEmpty()) {
    return failed(QObject::tr("this is not a recovery file."));
  }
  return header;
}

}  // namespace

QString ModuleRecovery::folder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
         QStringLiteral("/tutti/recovery");
}

ModuleRecovery::ModuleRecovery(const QString& module) : module_(absolute(module)) {
  QDir{}.mkpath(folder());
  // Another console may have the same module open, and an unclaimed file may still wait to be
  // recovered.
  constexpr int kMaximumConsoles = 100;
  for (int i = 0; i < kMaximumConsoles; ++i) {
    file_ = QStringLiteral("%1/%2-%3%4").arg(folder(), nameOf(module_)).arg(i).arg(kSuffix);
    if (QFile::exists(file_)) continue;
    lock_ = lockFor(file_);
    if (lock_->tryLock(0)) return;
  }
  lock_.reset();
}

ModuleRecovery::~ModuleRecovery() {
  if (lock_ && !isLeft_) QFile::remove(file_);
}

tl::expected<void, QString> ModuleRecovery::write(const std::string& edited, int edits,
                                                  const QByteArray& savedThen) const {
  const auto failed = [&](const QString& why, const QString& next) {
    return tl::unexpected(
        QObject::tr("The edits of %1 would be lost if the console ended now: %2 %3 Or save them.")
            .arg(QFileInfo(module_).fileName(), why, next));
  };
  if (!lock_) {
    return failed(QObject::tr("no file can be claimed in %1.").arg(folder()),
                  QObject::tr("Check your right to write there."));
  }
  QSaveFile output(file_);
  const QByteArray header =
      QJsonDocument(QJsonObject{{QStringLiteral("module"), module_},
                                {QStringLiteral("edits"), edits},
                                {QStringLiteral("saved"), QString::fromLatin1(savedThen.toHex())}})
          .toJson(QJsonDocument::Compact) +
      '\n';
  const auto size = static_cast<qint64>(edited.size());
  const bool written = output.open(QIODevice::WriteOnly) &&
                       output.setPermissions(QFile::ReadOwner | QFile::WriteOwner) &&
                       output.write(header) == header.size() &&
                       output.write(edited.data(), size) == size && output.flush() &&
                       output.commit();
  if (!written) {
    return failed(QObject::tr("%1 cannot be written: %2.").arg(file_, output.errorString()),
                  QObject::tr("Free space there."));
  }
  return {};
}

std::vector<RecoverableModule> ModuleRecovery::list(const QStringList& modules) {
  std::vector<RecoverableModule> result;
  const QDir dir{folder()};
  for (const QString& module : modules) {
    const QString path = absolute(module);
    const QString pattern = nameOf(path) + QStringLiteral("-*") + kSuffix;
    for (const QFileInfo& info : dir.entryInfoList({pattern}, QDir::Files)) {
      const auto lock = lockFor(info.absoluteFilePath());
      if (isHeld(*lock)) continue;
      QFile file(info.absoluteFilePath());
      const auto header = readHeader(file);
      if (!header || header->module != path) continue;
      result.push_back({info.absoluteFilePath(), module, header->edits, info.lastModified()});
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.written > b.written; });
  return result;
}

tl::expected<ModuleRecovery::Edits, QString> ModuleRecovery::load(const QString& path) {
  // The list of them may be old: since then another console may have claimed the name.
  const auto lock = lockFor(path);
  if (isHeld(*lock)) return tl::unexpected(inUse(path));
  QFile file(path);
  const auto header = readHeader(file);
  if (!header) return tl::unexpected(header.error());
  const QByteArray bytes = file.read(static_cast<qint64>(omt::maxModuleBytes) + 1);
  return Edits{std::make_shared<const std::string>(bytes.toStdString()), header->savedThen};
}

tl::expected<void, QString> ModuleRecovery::discard(const QString& path) {
  const auto lock = lockFor(path);
  if (isHeld(*lock)) return tl::unexpected(inUse(path));
  QFile file(path);
  if (file.exists() && !file.remove()) {
    return tl::unexpected(QObject::tr("%1 cannot be removed: %2.")
                              .arg(QDir::toNativeSeparators(path), file.errorString()));
  }
  return {};
}

// ModuleAutosave

ModuleAutosave::ModuleAutosave(OpenModules& modules, QObject* parent)
    : QObject(parent), modules_(modules) {
  pool_.setMaxThreadCount(1);  // in order
  timer_.setSingleShot(true);
  timer_.setInterval(kDelayMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &ModuleAutosave::write);
  connect(&modules_, &OpenModules::changed, this, &ModuleAutosave::follow);
}

ModuleAutosave::~ModuleAutosave() { pool_.waitForDone(); }

ModuleAutosave::Claim::~Claim() {
  if (recovery && isLeft) recovery->leave();
}

void ModuleAutosave::follow() {
  std::erase_if(kept_, [&](const auto& each) {
    const int module = modules_.indexOf(each.first);
    if (modules_.isModified(module)) return false;
    // What is saved needs no recovery, whatever was thought of it before.
    if (module >= 0) each.second.claim->isLeft = false;
    return true;
  });
  // From the first of several edits, so that it is kept however long one goes on typing.
  if (!timer_.isActive() && !modules_.modified().isEmpty()) timer_.start();
}

ModuleRecovery& ModuleAutosave::Claim::of(const QString& module) {
  if (!recovery) recovery = std::make_unique<ModuleRecovery>(module);
  return *recovery;
}

ModuleAutosave::Kept& ModuleAutosave::keptOf(const QString& module) {
  auto found = std::find_if(kept_.begin(), kept_.end(),
                            [&](const auto& each) { return each.first == module; });
  if (found == kept_.end()) {
    kept_.emplace_back(module, Kept{});
    found = std::prev(kept_.end());
  }
  return found->second;
}

/// In the worker, in the order of the edits.
void ModuleAutosave::write() {
  for (const int module : modules_.modified()) {
    const QString path = modules_.path(module);
    Kept& kept = keptOf(path);
    const ModuleBytes bytes = modules_.bytes(module);
    if (kept.asked == bytes) continue;
    kept.asked = bytes;
    pool_.start([this, claim = kept.claim, path, bytes, edits = modules_.edits(module),
                 saved = modules_.savedDigest(module)] {
      const auto written = claim->of(path).write(*bytes, edits, saved);
      QMetaObject::invokeMethod(
          this, [this, path, bytes, written] { note(path, bytes, written); }, Qt::QueuedConnection);
    });
  }
}

void ModuleAutosave::writeNow() {
  pool_.waitForDone();
  for (const int module : modules_.modified()) {
    const QString path = modules_.path(module);
    Kept& kept = keptOf(path);
    const ModuleBytes bytes = modules_.bytes(module);
    if (kept.written == bytes) continue;
    kept.asked = bytes;
    note(path, bytes,
         kept.claim->of(path).write(*bytes, modules_.edits(module), modules_.savedDigest(module)));
  }
}

void ModuleAutosave::note(const QString& module, const ModuleBytes& bytes,
                          const tl::expected<void, QString>& written) {
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const auto& each) { return each.first == module; });
  // What is edited, undone or saved by now is of no interest.
  const bool isLatest = found != kept_.end() && found->second.asked == bytes;
  if (written) {
    failing_ = false;
    if (!isLatest) return;
    found->second.written = bytes;
    Q_EMIT kept(module);
    return;
  }
  // The next edit tries again.
  if (isLatest) found->second.asked.reset();
  if (!std::exchange(failing_, true)) Q_EMIT failed(written.error());
}

void ModuleAutosave::leave(const QString& module) {
  for (auto& [path, kept] : kept_) {
    if (path == module) kept.claim->isLeft = true;
  }
}

bool ModuleAutosave::isKept(const QString& module) const {
  const ModuleBytes bytes = modules_.bytes(modules_.indexOf(module));
  return std::any_of(kept_.begin(), kept_.end(), [&](const auto& each) {
    return each.first == module && bytes && each.second.written == bytes;
  });
}

}  // namespace tutti::fomedit
