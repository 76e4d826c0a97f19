// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include "launcher/engine/batch_queue.h"

class QAction;
class QWidget;

namespace tutti::launcher {

/// Runs as batch jobs of Slurm, for the page Deploy: submits the composition, and watches or ends a
/// job. Slurm and nodes are asked in Qt's pool; one question at a time. What cannot be chosen now
/// says why in its tip.
class BatchJobs : public QObject {
  Q_OBJECT

 public:
  explicit BatchJobs(QWidget* page);
  ~BatchJobs() override;

  QAction* submitAction() const { return submit_; }
  QAction* watchAction() const { return watch_; }
  QAction* endAction() const { return end_; }

  /// What would be submitted; `why`: why it cannot be, empty when it can.
  void setRequest(const std::optional<BatchRequest>& request, const QString& why);
  /// What else stands in its way; empty: nothing. Asked again by update(), and at the submission.
  void setLastCheck(std::function<QString()> whyNot) { lastCheck_ = std::move(whyNot); }
  void update();
  /// The job that is selected in a list; nothing: none is.
  void setJob(const Cluster& cluster, const std::optional<SlurmJob>& job);
  bool isBusy() const { return busy_; }

 Q_SIGNALS:
  void watchRequested(const tutti::launcher::Host& host, const QString& run);
  /// The queue of that cluster is another.
  void queueChanged(const QString& cluster);
  void failed(const QString& title, const QString& detail);
  void done(const QString& text);

 private:
  void askToSubmit();
  void submit();
  void watch();
  void askToEnd();
  void end(bool now);
  void setBusy(bool busy);

  QWidget* page_;
  QAction* submit_;
  QAction* watch_;
  QAction* end_;
  std::optional<BatchRequest> request_;
  QString why_;
  std::function<QString()> lastCheck_;
  Cluster cluster_;
  std::optional<SlurmJob> job_;
  bool busy_ = false;
  std::stop_source stop_;
};

}  // namespace tutti::launcher
