// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/load.h"

#include <QFile>
#include <QThread>
#include <algorithm>
#include <limits>
#include <numeric>

namespace tutti::bench {

void LoadMeter::look() {
  QFile file(file_);
  if (!file.open(QIODevice::ReadOnly)) return;
  // "0.20 0.18 0.12 1/80 11206": of 80 processes and threads 1 is runnable, who reads this.
  const QString runnable = QString::fromLatin1(file.readLine()).section(u' ', 3, 3);
  bool good = false;
  const int count = runnable.section(u'/', 0, 0).toInt(&good);
  if (!good) return;
  counts_.push_back(std::max(0, count - 1));
  if (counts_.size() > looks_) counts_.pop_front();
}

double LoadMeter::mean() const {
  if (counts_.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(counts_.begin(), counts_.end(), 0.0) /
         static_cast<double>(counts_.size());
}

double otherLoad() {
  constexpr int looks = 25;
  constexpr int millisecondsBetween = 20;
  LoadMeter meter(looks);
  for (int i = 0; i < looks; ++i) {
    QThread::msleep(millisecondsBetween);
    meter.look();
  }
  return meter.mean();
}

QString loadWarning(double load, int processors) {
  if (!isBusy(load, processors)) return {};
  return QStringLiteral(
             "Other work keeps the processors busy: %1. Results will be noisy. Close other "
             "programs or wait, then measure.")
      .arg(loadText(load, processors));
}

}  // namespace tutti::bench
