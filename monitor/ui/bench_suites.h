// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QString>
#include <vector>

#include "monitor/benchmarks/benchmark.h"
#include "resources/theme/state.h"

namespace tutti::monitor {

/// Benchmarks that are run together.
struct BenchSuite {
  QString title;
  QString detail;
  std::vector<bench::Settings> settings;
};

/// Those that the page offers.
std::vector<BenchSuite> benchSuites();

/// The suites with whether they have been run.
class SuiteModel : public QAbstractListModel {
 public:
  struct Entry {
    QString title;
    QString detail;
    bool done = false;
  };
  using QAbstractListModel::QAbstractListModel;
  void setEntries(std::vector<Entry> entries) {
    beginResetModel();
    entries_ = std::move(entries);
    endResetModel();
  }
  void setDone(int row, bool done) {
    auto& entry = entries_[static_cast<std::size_t>(row)];
    if (entry.done == done) return;
    entry.done = done;
    emit dataChanged(index(row), index(row));
  }
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(entries_.size());
  }
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<Entry> entries_;
};

}  // namespace tutti::monitor
