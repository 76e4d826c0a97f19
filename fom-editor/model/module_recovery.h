// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QHash>
#include <QLockFile>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>
#include <atomic>
#include <memory>
#include <tl/expected.hpp>
#include <vector>

#include "fom-editor/model/module_file.h"

namespace tutti::fomedit {

class OpenModules;

/// Edits of a module that a console left unsaved when it ended unexpectedly.
struct RecoverableModule {
  QString file;       ///< the recovery file
  QString module;     ///< absolute path of the module
  int edits = 0;      ///< how many there were
  QDateTime written;  ///< when it was last written
};

/// The recovery file of a module with unsaved edits: a line of JSON, then the module as it was
/// edited. A lock that is held while the module is open tells a console that died from one that
/// still runs.
class ModuleRecovery {
 public:
  /// Claims a recovery file for the module.
  explicit ModuleRecovery(const QString& module);
  /// Removes the recovery file: whoever closes a module properly has nothing to recover.
  ~ModuleRecovery();
  /// The recovery file stays behind: its edits are to be recovered.
  void leave() { isLeft_ = true; }
  ModuleRecovery(const ModuleRecovery&) = delete;
  ModuleRecovery& operator=(const ModuleRecovery&) = delete;

  /// `savedThen`: OpenModules::digest() of what the module's file holds. The error is text for a
  /// person.
  [[nodiscard]] tl::expected<void, QString> write(const std::string& edited, int edits,
                                                  const QByteArray& savedThen) const;

  /// Recovery files of these modules whose console is gone, newest first.
  static std::vector<RecoverableModule> list(const QStringList& modules);
  struct Edits {
    ModuleBytes bytes;
    QByteArray savedThen;
  };
  /// Both fail, with text for a person, while a console has the file: its edits are not ours.
  static tl::expected<Edits, QString> load(const QString& file);
  static tl::expected<void, QString> discard(const QString& file);
  /// $XDG_DATA_HOME/tutti/recovery, as that of compositions.
  static QString folder();

 private:
  QString module_;
  QString file_;
  std::unique_ptr<QLockFile> lock_;
  bool isLeft_ = false;
};

/// Keeps a recovery file for each module with unsaved edits: written some seconds after an edit, by
/// a worker, and removed as soon as the module is saved, undone to what is saved, or closed. The
/// destructor waits for what is being written.
class ModuleAutosave : public QObject {
  Q_OBJECT
 public:
  /// `modules` outlives this.
  explicit ModuleAutosave(OpenModules& modules, QObject* parent = nullptr);
  ~ModuleAutosave() override;

  /// Milliseconds from an edit to its recovery file; 3000 unless set.
  void setDelay(int milliseconds) { timer_.setInterval(milliseconds); }
  /// Waits for the disk.
  void writeNow();
  /// Whether a recovery file has the edits of this module as they are now.
  bool isKept(const QString& module) const;
  /// The recovery file of a module with edits that isKept() stays when the module is closed before
  /// it is saved.
  void leave(const QString& module);

 Q_SIGNALS:
  /// isKept() became true for this module.
  void kept(const QString& module);
  /// A recovery file could not be written: said once until one was.
  void failed(const QString& why);

 private:
  /// Of the worker: claiming a file waits for the disk, too.
  struct Claim {
    Claim() = default;
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    std::unique_ptr<ModuleRecovery> recovery;
    std::atomic<bool> isLeft = false;  ///< of the GUI thread
    ModuleRecovery& of(const QString& module);
  };
  struct Kept {
    /// The worker may still write what nobody needs any more: the file goes behind that.
    std::shared_ptr<Claim> claim = std::make_shared<Claim>();
    ModuleBytes asked;  ///< the worker writes them, or has
    ModuleBytes written;
  };

  void follow();
  void write();
  Kept& keptOf(const QString& module);
  void note(const QString& module, const ModuleBytes& bytes,
            const tl::expected<void, QString>& written);

  OpenModules& modules_;
  QTimer timer_;
  std::vector<std::pair<QString, Kept>> kept_;  ///< by path of the module
  bool failing_ = false;
  QThreadPool pool_;  // last: destroyed, and so waited for, first
};

}  // namespace tutti::fomedit
