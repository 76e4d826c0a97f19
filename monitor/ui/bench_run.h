// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <memory>
#include <vector>

#include "monitor/benchmarks/benchmark.h"

namespace tutti::monitor {

/// Runs benchmarks one behind the other, each as a process of its own: `tutti bench ... --json`,
/// the same line a person would type. Results arrive as the JSON it prints; it stores them itself.
class BenchRun : public QObject {
  Q_OBJECT

 public:
  /// `program` is the command line tool, by default the `tutti` beside this executable.
  explicit BenchRun(QString program = {}, QObject* parent = nullptr);
  ~BenchRun() override;

  void start(std::vector<bench::Settings> settings);
  /// Ends what runs, within a second, with nothing left.
  void cancel();
  bool isCancelling() const { return isRunning() && cancelled_; }
  bool isRunning() const { return process_ != nullptr; }
  /// 0 to 1 over all.
  double progress() const;
  QString text() const { return text_; }
  double elapsedSeconds() const {
    return elapsed_.isValid() ? double(elapsed_.elapsed()) / 1000 : 0;
  }
  /// "tutti bench latency ...", of the one that runs or ran last.
  QString commandLine() const { return commandLine_; }

 signals:
  void progressed();
  /// Before anything is measured: why the results will be noisy.
  void warned(const QString& warning);
  /// One of them is done and stored.
  void resultArrived(const tutti::bench::Result& result);
  /// All are done, or one failed: then the others are left out and `problem` says why.
  void finished(const QString& problem);

 private:
  void startNext();
  void readProgress();
  void onFinished();
  void giveUp(const QString& problem);

  QString program_;
  std::vector<bench::Settings> settings_;
  std::size_t next_ = 0;
  std::unique_ptr<QProcess> process_;
  QElapsedTimer elapsed_;
  double share_ = 0;  ///< of the one that runs
  QString text_;
  QString commandLine_;
  QByteArray errors_;
  bool cancelled_ = false;
};

}  // namespace tutti::monitor
