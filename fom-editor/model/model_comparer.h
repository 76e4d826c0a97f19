// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <atomic>
#include <memory>
#include <optional>

#include "fom-editor/model/difference_report.h"

namespace tutti::fomedit {

/// What to compare.
struct ComparisonRequest {
  QStringList before;
  QStringList after;
  ModuleTexts beforeTexts{};  ///< edited texts in the place of files
  ModuleTexts afterTexts{};
  DifferenceOptions options{};
  std::optional<QList<ComponentUse>> components{};
};

/// Two models and their differences, or why there are none.
struct Comparison {
  ComparisonRequest request;
  std::shared_ptr<const omt::ObjectModel> before, after;  ///< as read; null with a fault
  DifferenceReport report;
  QString fault;  ///< one sentence: a side cannot be read, or does not fit together
};

/// Reads and compares. Thread-safe.
Comparison compareModels(const ComparisonRequest& request);

/// Compares in a worker thread; asking again drops what is under way. All calls and signals on the
/// thread that the comparer lives in. The destructor waits for the worker.
class ModelComparer : public QObject {
  Q_OBJECT
 public:
  explicit ModelComparer(QObject* parent = nullptr);
  ~ModelComparer() override;

  void compare(const ComparisonRequest& request);
  bool isComparing() const { return comparing_; }
  /// At once, whatever a file system does: what still reads is never reported.
  void cancel();

 Q_SIGNALS:
  void compared(const std::shared_ptr<const tutti::fomedit::Comparison>& comparison);

 private:
  std::atomic<std::uint64_t> latest_ = 0;  // read by the worker, to skip what is out of date
  bool comparing_ = false;
  QThreadPool pool_;  // last: destroyed, and so waited for, first
};

}  // namespace tutti::fomedit
