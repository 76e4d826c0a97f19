// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <atomic>

#include "fom-editor/model/loaded_model.h"

namespace tutti::fomedit {

/// Loads modules in a worker thread. Asking again before a result is there drops that result: only
/// the latest request is ever reported. All calls and signals on the thread the loader lives in.
/// The destructor waits for the worker (a module at most, well under a second).
class ModelLoader : public QObject {
  Q_OBJECT
 public:
  explicit ModelLoader(QObject* parent = nullptr);
  ~ModelLoader() override;

  void load(const QStringList& paths, const ModuleTexts& texts = {});
  bool isLoading() const { return loading_; }
  /// At once, whatever a file system does: what still reads is left alone and never reported.
  void cancel();

 Q_SIGNALS:
  void started();
  void loaded(const tutti::fomedit::LoadedModel& model);

 private:
  void deliver(std::uint64_t request, const LoadedModel& model);

  std::atomic<std::uint64_t> latest_ = 0;  // read by the worker, to skip what is out of date
  bool loading_ = false;
  QThreadPool pool_;  // last: destroyed, and so waited for, first
};

}  // namespace tutti::fomedit
