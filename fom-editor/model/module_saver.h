// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QSet>
#include <QStringList>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <tl/expected.hpp>

#include "fom-editor/model/open_modules.h"

namespace tutti::fomedit {

/// Saves open modules in threads, one per file, so that the window and other files go on while a
/// disk is slow or does not answer. Modules can be edited meanwhile: they keep what was edited
/// since as unsaved edits. All calls and signals on the thread it lives in. The destructor waits
/// for what is being written, but not for a disk that does not answer: a file is replaced as a
/// whole or not at all, whenever that is.
class ModuleSaver : public QObject {
  Q_OBJECT
 public:
  using Written = tl::expected<void, WriteFault>;

  /// `modules` has to live on.
  explicit ModuleSaver(OpenModules& modules, QObject* parent = nullptr);
  ~ModuleSaver() override;

  /// Begins to save these modules as they are now, and those that have content of them before:
  /// where one of those cannot be written, the one that lost it is not. For a file that is being
  /// written, that is done as soon as it is, with what the module has then.
  void save(const QStringList& paths);
  /// Puts a file there as replaceModuleFile() does; `done` is called as soon as it is, or is not.
  void write(const ModuleWriting& writing, std::function<void(const Written&)> done);
  /// Whether any file is on its way.
  bool isSaving() const { return !queues_.isEmpty(); }
  /// The modules that are on their way or wait for it, each once.
  const QStringList& saving() const { return saving_; }

 Q_SIGNALS:
  /// isSaving() or saving() changed.
  void changed();
  /// What could not be saved, some at a time: each fault is a sentence with the module, why and
  /// what next. Faults of some files do not wait for others for long.
  void failed(const QStringList& faults);

 private:
  struct Job {
    ModuleWriting writing;
    std::function<void(const Written&)> done;
  };
  /// What is to be done with one file, in this order.
  struct Queue {
    std::deque<Job> jobs;
    bool saves = false;   ///< then, with what the module has by that time
    bool isBusy = false;  ///< its thread is at work
  };
  /// What the threads share with the saver, which may be gone before a disk answers.
  struct Mailbox {
    std::mutex mutex;  ///< guards the others
    std::condition_variable free;
    ModuleSaver* owner = nullptr;  ///< null: nobody waits for results
    int busy = 0;                  ///< threads at work
  };

  void proceed(const QString& path);
  void start(const QString& path, const Job& job);
  void end(const QString& path, const Job& job, const Written& written);
  bool waits(const QString& path);
  void noteIdle();
  void noteFault(const QString& path, const QString& fault);
  void tellFaults();

  OpenModules& modules_;
  QHash<QString, Queue> queues_;  ///< by path; of files that are on their way
  QStringList saving_;
  QSet<QString> waiting_;  ///< for files that have content of theirs
  QSet<QString> failed_;   ///< not written since nothing was being saved
  QStringList faults_;     ///< that nobody was told
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
};

}  // namespace tutti::fomedit
