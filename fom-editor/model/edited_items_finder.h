// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QList>
#include <QObject>
#include <QSet>
#include <QString>
#include <QThreadPool>
#include <atomic>
#include <memory>

#include "fom-editor/model/edited_items.h"
#include "fom-editor/model/module_file.h"

namespace tutti::fomedit {

/// A module with unsaved edits.
struct EditedModule {
  QString path;
  ModuleBytes saved;  ///< what its file holds
  ModuleBytes now;
  bool operator==(const EditedModule&) const = default;
};

/// Finds what is edited in modules, in a worker: a large module takes longer than a frame. Asking
/// again drops what is under way. All calls and signals on the thread it lives in; the destructor
/// waits for the worker.
class EditedItemsFinder : public QObject {
  Q_OBJECT
 public:
  explicit EditedItemsFinder(QObject* parent = nullptr);
  ~EditedItemsFinder() override;

  /// found() comes later; at once where nothing is edited. The same question is asked once.
  void find(const QList<EditedModule>& modules);

 Q_SIGNALS:
  /// itemPath() of what is not saved as it is.
  void found(const QSet<QString>& items);

 private:
  QList<EditedModule> asked_;
  std::atomic<std::uint64_t> latest_ = 0;  // read by the worker, to skip what is out of date
  /// What files hold, by the bytes that it was read from. Of the worker.
  QHash<QString, std::pair<ModuleBytes, ItemDefinitions>> saved_;
  QThreadPool pool_;  // last: destroyed, and so waited for, first
};

}  // namespace tutti::fomedit
