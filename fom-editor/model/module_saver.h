// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <functional>
#include <tl/expected.hpp>
#include <vector>

#include "fom-editor/model/open_modules.h"

namespace tutti::fomedit {

/// Saves open modules in a worker thread, so that the window goes on while a disk is slow. Modules
/// can be edited meanwhile: they keep what was edited since as unsaved edits. All calls and signals
/// on the thread it lives in. The destructor waits for what is being written: no file is left half
/// replaced.
class ModuleSaver : public QObject {
  Q_OBJECT
 public:
  /// `modules` has to live on.
  explicit ModuleSaver(OpenModules& modules, QObject* parent = nullptr);
  ~ModuleSaver() override;

  /// Begins to save these modules as they are now, and those that have content of them before:
  /// where one of those cannot be written, the one that lost it is not. Asked for while others are
  /// written, that is done as soon as those are, with what the modules have then.
  void save(const QStringList& paths);
  /// Puts a file there as replaceModuleFile() does; `done` is called as soon as it is, or is not.
  void write(const ModuleWriting& writing,
             std::function<void(const tl::expected<void, WriteFault>&)> done);
  bool isSaving() const { return under_ > 0; }
  /// The modules that are on their way or wait for it, each once.
  const QStringList& saving() const { return saving_; }

 Q_SIGNALS:
  /// saving() changed.
  void changed();
  /// Nothing is being saved any more. Each fault is a sentence with the module, why and what next.
  void finished(const QStringList& faults);

 private:
  void add(const QString& path);
  void begin();
  bool mayBegin(const QString& path);
  void note(const ModuleWriting& writing, const tl::expected<void, WriteFault>& result);
  void endOne();

  OpenModules& modules_;
  QStringList saving_;
  QStringList next_;    ///< asked for while others are written
  QStringList failed_;  ///< not written since nothing was being saved
  QStringList faults_;  ///< since nothing was being saved
  int under_ = 0;       ///< files on their way
  QThreadPool pool_;    // last: destroyed, and so waited for, first
};

}  // namespace tutti::fomedit
