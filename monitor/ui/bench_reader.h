// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QThreadPool>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "monitor/ui/bench_models.h"

namespace tutti::monitor {

/// Reads the stored results of benchmarks in a thread of its own: the file may be large, its disk
/// slow, and another program may have locked it. Used by one thread.
class BenchReader : public QObject {
  Q_OBJECT

 public:
  struct Stored {
    std::vector<std::shared_ptr<const StoredResult>> results;  ///< newest first
    RowId newest = 0;                                          ///< 0: there is none
    std::optional<StoreError> problem;                         ///< then nothing else is known
  };
  /// How long a lock of another program is waited for.
  static constexpr std::chrono::milliseconds patience{1500};

  explicit BenchReader(const QString& path, QObject* parent = nullptr);
  /// Waits for what is being read, at most about `patience`.
  ~BenchReader() override;

  /// Reads now, or once more behind what is being read.
  void read();
  bool isReading() const { return reading_; }
  /// Seconds since what is being read was begun.
  double elapsedSeconds() const { return static_cast<double>(clock_.elapsed()) / 1000; }

 signals:
  void arrived(const tutti::monitor::BenchReader::Stored& stored);

 private:
  void begin();

  QString path_;
  QThreadPool pool_;
  QElapsedTimer clock_;
  bool reading_ = false;
  bool again_ = false;
};

}  // namespace tutti::monitor
