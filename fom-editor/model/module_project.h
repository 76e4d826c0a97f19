// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QSet>
#include <QStringList>
#include <QTimer>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "fom-editor/model/module_folder.h"

namespace tutti::fomedit {

/// A folder whose modules are shown together: what is in it, looked up again and again, and which
/// of them take part in the merged model. All calls and signals on the thread it lives in; looking
/// is done in a thread that may wait for the file system as long as it likes.
class ModuleProject : public QObject {
  Q_OBJECT
 public:
  explicit ModuleProject(QObject* parent = nullptr);
  /// Waits for a look that is under way, but not for a file system that does not answer.
  ~ModuleProject() override;

  /// Looks into a folder; opened() or failed() follows. Until then, and after failed(), it is the
  /// project of before.
  void open(const QString& folder);
  bool isOpening() const { return !opening_.isEmpty(); }
  /// Gives an open() up, at once.
  void cancelOpening();
  void close();
  /// Looks at the open folder again, at once: something was written into it.
  void lookNow();

  /// As it was given; empty: no folder is open.
  const QString& folder() const { return content_.folder; }
  bool isOpen() const { return !content_.folder.isEmpty(); }
  const QList<FolderModule>& modules() const { return content_.modules; }
  /// What was not looked at, and why.
  const QStringList& notes() const { return content_.notes; }
  QStringList takingPart() const { return content_.takingPart(); }
  /// A person's decision, which stays while the folder is open; also of a module that is not listed
  /// yet.
  void setTakesPart(const QString& path, bool takesPart);
  /// Modules that a person has edited: what takes part of them goes on doing so while the folder is
  /// open, whatever appears beside it.
  void keep(const QStringList& paths) { kept_ += QSet<QString>(paths.begin(), paths.end()); }
  /// Milliseconds between two looks, at least; 2000 unless set. A slow folder is looked at less
  /// often.
  void setInterval(int milliseconds) { interval_ = milliseconds; }

 Q_SIGNALS:
  /// So many files of the folder that is being opened were looked at.
  void progressed(int files);
  void opened();
  /// What is not opened, and why.
  void failed(const QString& title, const QString& detail);
  /// Modules appeared, vanished or changed, or take part or not.
  void changed();

 private:
  /// What the thread of a look shares with the project, which may be gone before it ends.
  struct Look {
    std::mutex mutex;  ///< guards the others
    std::condition_variable ended;
    ModuleProject* owner = nullptr;  ///< null: nobody waits for the result
    bool isRunning = false;
    std::atomic<bool> cancelled = false;
  };
  void look(const QString& folder, const FolderContent& known);
  FolderContent known() const;
  void dropLook();
  void lookAgain();
  void deliver(const Look* look, const FolderContent& content, qint64 milliseconds);
  void adopt(FolderContent content);

  FolderContent content_;
  QHash<QString, bool> decided_;  ///< by path
  QSet<QString> kept_;
  QSet<QString> removed_;       ///< modules of content_ whose files are gone
  QString opening_;             ///< the folder of open(); empty: none
  std::shared_ptr<Look> look_;  ///< null: none is under way
  QTimer timer_;
  int interval_ = 2000;
};

}  // namespace tutti::fomedit
