// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <QHash>
#include <memory>
#include <vector>

#include "monitor/benchmarks/compare.h"
#include "monitor/engine/run_store.h"
#include "resources/theme/exporter.h"

namespace tutti::monitor {

/// A stored result of a benchmark.
struct StoredResult {
  RowId id = 0;
  bench::Result result;
};

/// One line that can be drawn: a result of the RTI, the bare ring, or published figures.
struct ShownSeries {
  enum class What { Result, Ring, Reference };
  What what = What::Result;
  QString key;  ///< stable: "result/57", "result/57/rti/best-effort", "ring", "reference/SHM-CERTI"
  QString label;   ///< "Tutti, shared memory"
  QString detail;  ///< "today 14:20, 5 repeats"
  QString brief;   ///< at the end of its line: with `when` where results of several times are shown
  QString when;    ///< of a result: "14:20"
  QString source;  ///< tool tip
  int color = 0;   ///< series index of a result
  bool shown = false;
  /// Of results and yardsticks: points with their repeats; of references only what was published.
  const bench::Series* series = nullptr;
  std::vector<bench::Reference::Point> published;
  const StoredResult* stored = nullptr;
};

/// What the list "Shown" offers for one kind of benchmark.
class ShownModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum ExtraRole { SeriesRowRole = Qt::UserRole + 1 };
  explicit ShownModel(QObject* parent = nullptr);

  /// Results newest first; what a person had switched stays switched. By default the two newest
  /// results, the yardsticks and the first two references are shown, and all classic tables.
  void setResults(const std::vector<std::shared_ptr<const StoredResult>>& results,
                  bench::Kind kind);
  const std::vector<ShownSeries>& series() const { return series_; }
  /// Those that are switched on, in order.
  std::vector<ShownSeries> shown() const;
  bench::Kind kind() const { return kind_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 signals:
  void shownChanged();

 private:
  std::vector<ShownSeries> series_;
  std::vector<std::shared_ptr<const StoredResult>> results_;
  QHash<QString, bool> switched_;
  bench::Kind kind_ = bench::Kind::Latency;
};

/// Place by place on the kind's axis (message sizes, lookaheads), the shown series with their
/// figures. Of kinds with costs there are as many columns more as there are costs.
class BenchTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Size, Series, Median, Mean, Deviation, Tail, Ratio, Lost, ColumnCount };
  enum ExtraRole { SizeRole = Qt::UserRole + 1, NumberRole, FirstOfSizeRole, ShownRole };

  explicit BenchTableModel(QObject* parent = nullptr);
  void setSeries(std::vector<ShownSeries> series, bench::Kind kind);
  const ShownSeries* seriesOf(int row) const;
  /// What a file says of each row besides the columns: which result it is of.
  theme::CsvColumns origins() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    double at = 0;
    bool first = false;
    std::size_t series = 0;
    const bench::Point* point = nullptr;
  };
  static const bench::CostFacts& costOf(int column) {
    return bench::allCosts()[static_cast<std::size_t>(column - ColumnCount)];
  }
  QVariant costData(const Row& row, int column, int role) const;
  std::vector<ShownSeries> series_;
  std::vector<Row> rows_;
  bench::Kind kind_ = bench::Kind::Latency;
};

/// Two results of one kind against each other, with what is noise marked as such.
class CompareModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { What, Before, After, Change, Spread, ColumnCount };
  enum ExtraRole { DifferenceRole = Qt::UserRole + 1, SpreadRole, NumberRole };
  /// What the spread column draws: shares of the median before, 0 is no change.
  struct SpreadShares {
    double beforeLeast = 0, beforeMost = 0;
    double afterLeast = 0, afterMost = 0, after = 0;
  };

  explicit CompareModel(QObject* parent = nullptr);
  /// Both or none.
  void setResults(const StoredResult* before, const StoredResult* after);
  /// What is said of the two: bench::Comparison has the texts.
  const bench::Comparison& comparison() const { return comparison_; }
  /// What a file says of each row besides the columns: which results it is of.
  theme::CsvColumns origins() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString what;
    SpreadShares spread;
    std::size_t repeats = 0;
  };
  QString changeText(const bench::Change& change) const;
  QString explanationOf(const bench::Change& change, std::size_t repeats) const;
  std::vector<Row> rows_;  ///< as many as there are changes
  bench::Comparison comparison_;
  bench::Kind kind_ = bench::Kind::Latency;
  QStringList origins_;  ///< of the result before, then of the one after
  QString beforeTitle_, afterTitle_;
};

/// The value that stands for a point in the plots: its mean or its median, as the kind has it.
double figureOf(const bench::Summary& summary, bench::Kind kind);
/// "128 B"; without the word where the axis is named: "0.1", "20".
QString placeText(double at, bench::Kind kind);
/// The same with its word: "lookahead 0.1", "1 000 instances".
QString placeTitle(double at, bench::Kind kind);
/// "Message size", "Lookahead".
QString axisTitle(bench::Kind kind);

/// Three significant digits in the kind's unit: "0.60", "1.20 M".
QString figureText(double value, bench::Kind kind);
/// "18 Nov, 14:20" or "today 14:20".
QString whenText(const QDateTime& at);

}  // namespace tutti::monitor

Q_DECLARE_METATYPE(tutti::monitor::CompareModel::SpreadShares)
