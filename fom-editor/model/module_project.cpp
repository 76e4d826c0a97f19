// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_project.h"

#include <QDir>
#include <QElapsedTimer>
#include <QMetaObject>
#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

namespace tutti::fomedit {

namespace {
/// For a look that is under way at the end.
constexpr std::chrono::seconds kLongestWait{2};
constexpr int kFilesPerReport = 256;
/// A look takes at most this part of the time: a tenth.
constexpr qint64 kRest = 10;
}  // namespace

ModuleProject::ModuleProject(QObject* parent) : QObject(parent) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &ModuleProject::lookAgain);
}

ModuleProject::~ModuleProject() {
  const std::shared_ptr<Look> last = look_;
  dropLook();
  if (!last) return;
  std::unique_lock lock(last->mutex);
  last->ended.wait_for(lock, kLongestWait, [&] { return !last->isRunning; });
}

void ModuleProject::open(const QString& folder) {
  opening_ = folder;
  look(folder, {});
}

void ModuleProject::cancelOpening() {
  if (!isOpening()) return;
  opening_.clear();
  dropLook();
  if (isOpen()) timer_.start(interval_);
}

void ModuleProject::close() {
  opening_.clear();
  dropLook();
  timer_.stop();
  content_ = {};
  decided_.clear();
  kept_.clear();
  removed_.clear();
}

void ModuleProject::setTakesPart(const QString& path, bool takesPart) {
  for (FolderModule& module : content_.modules) {
    if (module.path != path || module.takesPart == takesPart) continue;
    module.takesPart = takesPart;
    decided_.insert(path, takesPart);
    Q_EMIT changed();
    return;
  }
  decided_.insert(path, takesPart);
}

/// What the next look compares with.
FolderContent ModuleProject::known() const {
  FolderContent content = content_;
  content.modules.removeIf(
      [this](const FolderModule& module) { return removed_.contains(module.path); });
  return content;
}

void ModuleProject::dropLook() {
  if (!look_) return;
  look_->cancelled = true;
  const std::lock_guard lock(look_->mutex);
  look_->owner = nullptr;
  look_.reset();
}

void ModuleProject::look(const QString& folder, const FolderContent& known) {
  dropLook();
  timer_.stop();
  look_ = std::make_shared<Look>();
  look_->owner = this;
  look_->isRunning = true;
  // Calls that wait keep their look: a later one is never at its address.
  const auto post = [](const std::shared_ptr<Look>& look, auto call) {
    if (ModuleProject* owner = look->owner; owner != nullptr) {
      QMetaObject::invokeMethod(
          owner, [owner, call] { call(owner); }, Qt::QueuedConnection);
    }
  };
  const auto work = [look = look_, folder, known, post] {
    QElapsedTimer timer;
    timer.start();
    int reported = 0;
    const FolderContent content = contentOfFolder(folder, {}, known, [&](int files) {
      if (files >= reported + kFilesPerReport) {
        reported = files;
        const std::lock_guard lock(look->mutex);
        post(look, [look, files](ModuleProject* owner) {
          if (owner->look_ == look && owner->isOpening()) Q_EMIT owner->progressed(files);
        });
      }
      return !look->cancelled;
    });
    const std::lock_guard lock(look->mutex);
    post(look, [look, content, took = timer.elapsed()](ModuleProject* owner) {
      owner->deliver(look.get(), content, took);
    });
    look->isRunning = false;
    look->ended.notify_all();
  };
  try {
    std::thread(work).detach();
  } catch (const std::system_error&) {
    // No thread is to be had at the moment.
    look_.reset();
    if (isOpening()) {
      Q_EMIT failed(tr("%1 was not opened").arg(QDir::toNativeSeparators(folder)),
                    tr("No thread could be started for it. Close other programs and try again."));
      opening_.clear();
    }
    if (isOpen()) timer_.start(interval_);
  }
}

void ModuleProject::lookNow() {
  if (isOpen() && !isOpening()) look(content_.folder, known());
}

void ModuleProject::lookAgain() {
  if (isOpen() && !look_) look(content_.folder, known());
}

void ModuleProject::deliver(const Look* look, const FolderContent& content, qint64 milliseconds) {
  if (look_.get() != look) return;
  look_.reset();
  const bool opens = isOpening();
  opening_.clear();
  const auto waiting = std::max<qint64>(interval_, milliseconds * kRest);
  const QString shown = QDir::toNativeSeparators(content.folder);
  if (opens && !content.fault.isEmpty()) {
    Q_EMIT failed(tr("%1 was not opened").arg(shown),
                  tr("The folder cannot be listed: %1. Choose another one.").arg(content.fault));
  } else if (opens && content.modules.isEmpty()) {
    QStringList detail{tr("Of %1 files none begins as an object model of HLA 1.3 or IEEE 1516. "
                          "Choose the folder with your FOM modules.")
                           .arg(content.files)};
    Q_EMIT failed(tr("There is no object model in %1").arg(shown),
                  (detail + content.notes).join(u' '));
  } else if (opens) {
    content_ = content;
    decided_.clear();
    kept_.clear();
    removed_.clear();
    Q_EMIT opened();
  } else if (content.fault.isEmpty()) {
    adopt(content);
  }
  // A folder that cannot be listed now may come back.
  if (isOpen() && !look_) timer_.start(static_cast<int>(std::min<qint64>(waiting, 600000)));
}

void ModuleProject::adopt(FolderContent content) {
  QHash<QString, const FolderModule*> before;
  for (const FolderModule& module : std::as_const(content_.modules)) {
    before.insert(module.path, &module);
  }
  QSet<QString> there;
  for (FolderModule& module : content.modules) {
    there.insert(module.path);
    const FolderModule* known = before.value(module.path);
    // A person works with what was edited, and in a folder of SOM modules with these.
    const bool stays = known != nullptr && known->takesPart && !module.takesPart &&
                       (kept_.contains(module.path) || module.kind == QStringLiteral("SOM"));
    if (stays) {
      module.takesPart = true;
      module.reason.clear();
    }
    module.takesPart = decided_.value(module.path, module.takesPart);
  }
  // What takes part and is removed stays: its last copy is here, and can be saved again.
  removed_.clear();
  for (const FolderModule& module : std::as_const(content_.modules)) {
    if (!module.takesPart || there.contains(module.path)) continue;
    removed_.insert(module.path);
    content.modules.append(module);
  }
  const bool differs = !(content.modules == content_.modules && content.notes == content_.notes);
  content_ = std::move(content);
  if (differs) Q_EMIT changed();
}

}  // namespace tutti::fomedit
