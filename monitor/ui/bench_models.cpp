// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/bench_models.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "monitor/benchmarks/csv.h"
#include "monitor/benchmarks/runner.h"
#include "resources/theme/delegates.h"
#include "resources/theme/format.h"

namespace tutti::monitor {

using bench::Kind;
using bench::Point;

namespace {

QString pinningText(bench::Pinning pinning) {
  switch (pinning) {
    case bench::Pinning::OwnCores:
      return QStringLiteral("each its own core");
    case bench::Pinning::OneCore:
      return QStringLiteral("both on one core");
    case bench::Pinning::Free:
      return QStringLiteral("not pinned");
  }
  return {};
}

/// What sets a result apart from the usual one, for labels.
QString variant(const bench::Settings& settings) {
  const bench::Settings usual = bench::usualSettings(settings.kind);
  QString result;
  if (settings.pinning != usual.pinning) {
    result += settings.pinning == bench::Pinning::OneCore ? QStringLiteral(", one core")
              : settings.pinning == bench::Pinning::Free  ? QStringLiteral(", not pinned")
                                                          : QStringLiteral(", own cores");
  }
  if (settings.wait != usual.wait) {
    result += settings.wait ? QStringLiteral(", waiting") : QStringLiteral(", polling");
  }
  if (settings.fresh) result += QStringLiteral(", fresh");
  return result;
}

/// What the line is called at its end: "Tutti, best effort, one core". Of several ways of messages
/// only Tutti has lines: there the way says it all.
QString briefOf(const bench::Series& series, const bench::Result& result) {
  QString text = series.label;
  text.remove(QStringLiteral(", shared memory"));
  if (result.settings.architectures.size() > 1) text.remove(QStringLiteral("Tutti, "));
  return text + variant(result.settings);
}

/// For a column's head: "14:20" of today, else "18 Nov".
QString headText(const QDateTime& at) {
  const QDateTime local = at.toLocalTime();
  return local.toString(local.date() == QDate::currentDate() ? QStringLiteral("HH:mm")
                                                             : QStringLiteral("d MMM"));
}

}  // namespace

double figureOf(const bench::Summary& summary, Kind kind) {
  return bench::factsOf(kind).means ? summary.mean : summary.median;
}

QString placeText(double at, Kind kind) {
  return bench::factsOf(kind).axis == bench::Axis::Size
             ? theme::formatMessageSize(static_cast<qint64>(at))
         : bench::factsOf(kind).axis == bench::Axis::Instances
             ? theme::formatCount(static_cast<qint64>(at))
             : QString::number(at);
}

QString placeTitle(double at, Kind kind) {
  return bench::factsOf(kind).axis == bench::Axis::Instances
             ? theme::formatNoun(static_cast<qint64>(at), QStringLiteral("instance"),
                                 QStringLiteral("instances"))
             : bench::axisText(kind, at);
}

QString axisTitle(Kind kind) {
  switch (bench::factsOf(kind).axis) {
    case bench::Axis::Size:
      return QStringLiteral("Message size");
    case bench::Axis::Lookahead:
      return QStringLiteral("Lookahead");
    case bench::Axis::Federates:
      return QStringLiteral("Federates");
    case bench::Axis::Instances:
      return QStringLiteral("Object instances");
  }
  return {};
}

QString figureText(double value, Kind kind) {
  if (!std::isfinite(value)) return theme::noValue();
  if (!bench::factsOf(kind).times) return theme::formatRate(value);
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return theme::formatFixed(value, decimals);
}

QString whenText(const QDateTime& at) {
  const QDateTime local = at.toLocalTime();
  const QDateTime now = QDateTime::currentDateTime();
  if (local.date() == now.date()) {
    return QStringLiteral("today %1").arg(local.toString(QStringLiteral("HH:mm")));
  }
  return theme::formatWhen(local, now);
}

// ShownModel

ShownModel::ShownModel(QObject* parent) : QAbstractListModel(parent) {}

void ShownModel::setResults(const std::vector<std::shared_ptr<const StoredResult>>& results,
                            Kind kind) {
  beginResetModel();
  kind_ = kind;
  results_.clear();
  series_.clear();
  for (const auto& each : results) {
    if (each->result.settings.kind == kind) results_.push_back(each);
  }
  int color = 0;
  for (const auto& each : results_) {
    const bench::Result& result = each->result;
    const bool recent = each == results_.front() || (results_.size() > 1 && each == results_[1]);
    bool first = true;
    for (const bench::Series& line : result.series) {
      if (line.isYardstick()) continue;
      ShownSeries entry;
      entry.what = ShownSeries::What::Result;
      entry.key = QStringLiteral("result/%1").arg(each->id);
      if (!first) entry.key += u'/' + line.id;
      first = false;
      entry.label = line.label + variant(result.settings);
      // The samples of a test-sequence file are what repeats are elsewhere.
      const bool samples = bench::factsOf(kind).sequence;
      const QString repeats =
          samples ? theme::formatNoun(result.settings.cycles, QStringLiteral("sample"),
                                      QStringLiteral("samples"))
                  : theme::formatNoun(result.settings.repeats, QStringLiteral("repeat"),
                                      QStringLiteral("repeats"));
      entry.detail = QStringLiteral("%1, %2").arg(whenText(result.at), repeats);
      entry.brief = briefOf(line, result);
      entry.when = headText(result.at);
      entry.source =
          QStringLiteral("Result %1, %2 %3\n%4\nload %5\nbuild %6 %7, %8, seed %9")
              .arg(each->id)
              .arg(result.rti.name, result.rti.version, result.machine.line(),
                   result.machine.loadLine(), result.build.version,
                   result.build.type, pinningText(result.settings.pinning))
              .arg(result.settings.seed);
      entry.color = color;
      entry.series = &line;
      entry.stored = each.get();
      entry.shown = switched_.value(entry.key, recent && color < 6);
      ++color;
      series_.push_back(std::move(entry));
    }
  }
  if (!results_.empty()) {
    for (const bench::Series& ring : results_.front()->result.series) {
      if (!ring.isYardstick()) continue;
      ShownSeries entry;
      entry.what = ShownSeries::What::Ring;
      entry.key = ring.id;
      entry.label = ring.label;
      entry.detail = QStringLiteral("the limit, in each run");
      entry.brief = ring.label;
      entry.source = QStringLiteral(
          "Two processes that pass the same bytes through a ring in shared memory, without any "
          "RTI, measured in turn with the newest result");
      if (ring.id == QStringLiteral("tcp")) {
        entry.source = QStringLiteral(
            "Two processes that pass the same bytes over a TCP connection of the loopback device, "
            "blocking, without any RTI, measured in turn with the newest result: the limit of what "
            "is between hosts");
      } else if (ring.id != QStringLiteral("ring")) {
        entry.source += QStringLiteral(", and build the arguments that the standard API demands");
      }
      entry.series = &ring;
      entry.stored = results_.front().get();
      entry.shown = switched_.value(entry.key, true);
      series_.push_back(std::move(entry));
    }
  }
  int references = 0;
  for (const bench::Reference& reference : bench::publishedReferences()) {
    if (reference.kind != kind) continue;
    ShownSeries entry;
    entry.what = ShownSeries::What::Reference;
    entry.key = QStringLiteral("reference/") + reference.label;
    entry.label = reference.label;
    entry.detail = QStringLiteral("other hardware");
    entry.brief = reference.label + QStringLiteral(", other hardware");
    entry.source = reference.source;
    entry.published = reference.points;
    entry.shown = switched_.value(entry.key, references < 3);
    ++references;
    series_.push_back(std::move(entry));
  }
  endResetModel();
  emit shownChanged();
}

std::vector<ShownSeries> ShownModel::shown() const {
  std::vector<ShownSeries> result;
  std::set<const StoredResult*> results;
  for (const ShownSeries& each : series_) {
    if (!each.shown) continue;
    result.push_back(each);
    if (each.what == ShownSeries::What::Result) results.insert(each.stored);
  }
  // Of one result only, when it was would be the same behind each name.
  if (results.size() > 1) {
    for (ShownSeries& each : result) {
      if (each.what != ShownSeries::What::Result) continue;
      const bool sameMinute = std::any_of(results.begin(), results.end(), [&](const auto* other) {
        return other != each.stored && headText(other->result.at) == each.when;
      });
      each.brief += u' ' + each.when;
      if (sameMinute) each.brief += QStringLiteral(", %1").arg(each.stored->id);
    }
  }
  return result;
}

int ShownModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(series_.size());
}

QVariant ShownModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const ShownSeries& each = series_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return each.label;
    case theme::DetailRole:
      return each.detail;
    case Qt::CheckStateRole:
      return each.shown ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
      return each.source;
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1, %2").arg(each.label, each.detail);
    case SeriesRowRole:
      return index.row();
    default:
      return {};
  }
}

bool ShownModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::CheckStateRole || !checkIndex(index, CheckIndexOption::IndexIsValid))
    return false;
  ShownSeries& each = series_[static_cast<std::size_t>(index.row())];
  each.shown = value.toInt() == Qt::Checked;
  switched_[each.key] = each.shown;
  emit dataChanged(index, index);
  emit shownChanged();
  return true;
}

Qt::ItemFlags ShownModel::flags(const QModelIndex& index) const {
  return index.isValid() ? QAbstractListModel::flags(index) | Qt::ItemIsUserCheckable
                         : Qt::NoItemFlags;
}

// BenchTableModel

BenchTableModel::BenchTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void BenchTableModel::setSeries(std::vector<ShownSeries> series, Kind kind) {
  beginResetModel();
  series_ = std::move(series);
  kind_ = kind;
  rows_.clear();
  std::set<double> places;
  for (const ShownSeries& each : series_) {
    if (each.series == nullptr) continue;
    for (const Point& point : each.series->points) places.insert(point.at);
  }
  for (const double place : places) {
    bool first = true;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const Point* point = series_[i].series != nullptr ? series_[i].series->at(place) : nullptr;
      if (point == nullptr) continue;
      rows_.push_back({place, first, i, point});
      first = false;
    }
  }
  endResetModel();
}

const ShownSeries* BenchTableModel::seriesOf(int row) const {
  return row >= 0 && row < rowCount() ? &series_[rows_[static_cast<std::size_t>(row)].series]
                                      : nullptr;
}

theme::CsvColumns BenchTableModel::origins() const {
  return {bench::originHeads(), [this](int row) {
            const StoredResult* stored = seriesOf(row)->stored;
            return bench::originOf(stored->result, stored->id);
          }};
}

int BenchTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int BenchTableModel::columnCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  return ColumnCount + (bench::hasCosts(kind_) ? static_cast<int>(bench::allCosts().size()) : 0);
}

QVariant BenchTableModel::costData(const Row& row, int column, int role) const {
  const bench::CostFacts& cost = costOf(column);
  const auto found = row.point->costs.find(QString::fromLatin1(cost.name));
  const bool any = found != row.point->costs.end();
  switch (role) {
    case Qt::DisplayRole:
      return any ? theme::formatCount(std::llround(found->second)) : theme::noValue();
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ToolTipRole:
      return QStringLiteral("%1.\nMean of %2").arg(
          QString::fromLatin1(cost.what),
          theme::formatNoun(static_cast<qint64>(row.point->repeats.size()),
                            QStringLiteral("repeat"), QStringLiteral("repeats")));
    case SizeRole:
      return row.at;
    case FirstOfSizeRole:
      return row.first;
    case NumberRole:
      return any ? QVariant(found->second) : QVariant();
    case theme::TintRole:
      return row.point->lost > 0 ? QVariant::fromValue(theme::State::Warning) : QVariant();
    default:
      return {};
  }
}

QVariant BenchTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  if (index.column() >= ColumnCount) return costData(row, index.column(), role);
  const ShownSeries& series = series_[row.series];
  const bench::Summary& summary = row.point->summary;
  const bench::KindFacts& facts = bench::factsOf(kind_);
  // The ratio of an old ring's point says nothing about another run: each point has its own.
  const double ratio = row.point->ratioToRing;
  double number = std::numeric_limits<double>::quiet_NaN();
  switch (index.column()) {
    case Median:
      number = summary.median;
      break;
    case Mean:
      number = summary.mean;
      break;
    case Deviation:
      number = summary.deviation;
      break;
    case Tail:
      number = facts.sequence ? row.point->mode : facts.times ? summary.p99 : summary.least;
      break;
    case Ratio:
      number = facts.sequence ? row.point->frequency : ratio;
      break;
    case Lost:
      number = static_cast<double>(row.point->lost);
      break;
    default:
      break;
  }
  switch (role) {
    case Qt::DisplayRole:
      switch (index.column()) {
        case Size:
          return row.first ? placeText(row.at, kind_) : QString();
        case Series:
          return series.what == ShownSeries::What::Ring ? series.label : series.brief;
        case Ratio:
          if (facts.sequence) return theme::formatCount(static_cast<qint64>(number));
          return std::isfinite(ratio) ? theme::formatRatio(ratio) : theme::noValue();
        case Lost:
          return theme::formatCount(static_cast<qint64>(row.point->lost));
        default:
          return figureText(number, kind_);
      }
    case Qt::TextAlignmentRole:
      return static_cast<int>((index.column() > Series ? Qt::AlignRight : Qt::AlignLeft) |
                              Qt::AlignVCenter);
    case Qt::ToolTipRole:
      switch (index.column()) {
        case Ratio:
          if (facts.sequence) {
            return QStringLiteral("How many of %1 samples are nearly as large as the mode")
                .arg(summary.count);
          }
          return std::isfinite(row.point->ratioToArguments)
                     ? QStringLiteral(
                           "How far from the bare ring of the same run, same size and pinning; "
                           "%1 of a ring with the standard API's arguments")
                           .arg(theme::formatRatio(row.point->ratioToArguments))
                     : QStringLiteral(
                           "How far from the bare ring of the same run, same size and pinning");
        case Lost:
          return QStringLiteral("Updates missing or out of order, told by their sequence numbers");
        default:
          return QStringLiteral("%1: %2 measurements in %3\n%4")
              .arg(series.label, theme::formatCount(static_cast<qint64>(summary.count)),
                   theme::formatNoun(static_cast<qint64>(row.point->repeats.size()),
                                     QStringLiteral("repeat"), QStringLiteral("repeats")),
                   series.source);
      }
    case theme::EmphasisRole:
      return index.column() == (facts.means ? Mean : Median) || index.column() == Size;
    case theme::TintRole:
      return row.point->lost > 0 ? QVariant::fromValue(theme::State::Warning) : QVariant();
    case SizeRole:
      return row.at;
    case NumberRole:
      return index.column() > Series && std::isfinite(number) ? QVariant(number) : QVariant();
    case FirstOfSizeRole:
      return row.first && index.row() > 0;
    case ShownRole:
      return static_cast<int>(row.series);
    default:
      return {};
  }
}

QVariant BenchTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return static_cast<int>((section > Series ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (section >= ColumnCount) {
    if (section >= columnCount()) return {};
    return role == Qt::DisplayRole   ? QString::fromLatin1(costOf(section).column)
           : role == Qt::ToolTipRole ? QString::fromLatin1(costOf(section).what)
                                     : QVariant();
  }
  if (role != Qt::DisplayRole) return {};
  const bench::KindFacts& facts = bench::factsOf(kind_);
  switch (section) {
    case Size:
      return facts.axis == bench::Axis::Size        ? QStringLiteral("Size")
             : facts.axis == bench::Axis::Instances ? QStringLiteral("Instances")
                                                    : axisTitle(kind_);
    case Series:
      return QStringLiteral("Series");
    case Median:
      return QStringLiteral("Median");
    case Mean:
      return QStringLiteral("Mean");
    case Deviation:
      return QStringLiteral("SD");
    case Tail:
      return facts.sequence ? QStringLiteral("Mode")
             : facts.times  ? QStringLiteral("p99")
                            : QStringLiteral("Least");
    case Ratio:
      return facts.sequence                         ? QStringLiteral("Freq.")
             : facts.axis == bench::Axis::Federates ? QStringLiteral("To first")
                                                    : QStringLiteral("To ring");
    case Lost:
      return QStringLiteral("Lost");
    default:
      return {};
  }
}

// CompareModel

CompareModel::CompareModel(QObject* parent) : QAbstractTableModel(parent) {}

void CompareModel::setResults(const StoredResult* before, const StoredResult* after) {
  beginResetModel();
  rows_.clear();
  comparison_ = {};
  origins_.clear();
  beforeTitle_ = afterTitle_ = QString();
  if (before != nullptr && after != nullptr) {
    kind_ = after->result.settings.kind;
    beforeTitle_ = headText(before->result.at);
    afterTitle_ = headText(after->result.at);
    if (beforeTitle_ == afterTitle_) {
      beforeTitle_ += QStringLiteral(", %1").arg(before->id);
      afterTitle_ += QStringLiteral(", %1").arg(after->id);
    }
    comparison_ = bench::compareResults(before->result, after->result);
    origins_ = bench::originOf(before->result, before->id) +
               bench::originOf(after->result, after->id);
    for (const bench::Change& each : comparison_.changes) {
      Row row;
      row.what = placeText(each.at, kind_) + QStringLiteral(", ") + each.line;
      row.repeats = std::min(each.before.size(), each.after.size());
      const double base = each.difference.before;
      if (row.repeats > 0 && base > 0) {
        const auto [oldLeast, oldMost] =
            std::minmax_element(each.before.begin(), each.before.end());
        const auto [nowLeast, nowMost] = std::minmax_element(each.after.begin(), each.after.end());
        row.spread = {*oldLeast / base - 1, *oldMost / base - 1, *nowLeast / base - 1,
                      *nowMost / base - 1, each.difference.change};
      }
      rows_.push_back(row);
    }
  }
  endResetModel();
}

theme::CsvColumns CompareModel::origins() const {
  QStringList heads{QStringLiteral("judged")};
  for (const char* which : {"before", "after"}) {
    for (const QString& each : bench::originHeads()) {
      heads << each + u'_' + QString::fromLatin1(which);
    }
  }
  return {heads, [this](int row) {
            const bench::Change& change = comparison_.changes[static_cast<std::size_t>(row)];
            return QStringList{QString::fromLatin1(bench::basisName(change.basis))} + origins_;
          }};
}

int CompareModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int CompareModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const bench::Change& change = comparison_.changes[static_cast<std::size_t>(index.row())];
  using Basis = bench::Change::Basis;
  const auto figure = [&](double value) {
    return change.basis == Basis::Ratio ? theme::formatRatio(value) : figureText(value, kind_);
  };
  switch (role) {
    case Qt::DisplayRole:
      switch (index.column()) {
        case What:
          return row.what;
        case Before:
          return figure(change.difference.before);
        case After:
          return figure(change.difference.after);
        case Change:
          return changeText(change);
        default:
          return {};
      }
    case Qt::TextAlignmentRole:
      return static_cast<int>(
          (index.column() == What || index.column() == Spread ? Qt::AlignLeft : Qt::AlignRight) |
          Qt::AlignVCenter);
    case Qt::ToolTipRole:
      return explanationOf(change, row.repeats);
    case theme::StaleRole:
      return index.column() == Before || !change.isJudged() ||
             (index.column() == Change && !change.isSignificant());
    case theme::EmphasisRole:
      return index.column() == Change && change.isSignificant();
    case DifferenceRole:
      // The limit is neither good nor bad news of the RTI.
      return static_cast<int>(change.isJudged() ? change.difference.verdict
                                                : bench::Difference::Verdict::Noise);
    case SpreadRole:
      return QVariant::fromValue(row.spread);
    case NumberRole:
      switch (index.column()) {
        case Before:
          return change.difference.before;
        case After:
          return change.difference.after;
        default:
          return {};
      }
    default:
      return {};
  }
}

QString CompareModel::changeText(const bench::Change& change) const {
  using Verdict = bench::Difference::Verdict;
  const bench::Difference& difference = change.difference;
  if (change.basis == bench::Change::Basis::NotJudged) return theme::noValue();
  if (difference.verdict == Verdict::TooFew) return QStringLiteral("few");
  if (difference.verdict == Verdict::Noise) return QStringLiteral("noise");
  // From tenfold on percents say nothing.
  if (difference.change > 9) return theme::formatRatio(difference.change + 1);
  return theme::formatFixed(difference.change * 100, 1, true) + QStringLiteral("\u202f%");
}

QString CompareModel::explanationOf(const bench::Change& change, std::size_t repeats) const {
  using Basis = bench::Change::Basis;
  using Verdict = bench::Difference::Verdict;
  const QString medians =
      QStringLiteral("%1 before, %2 after (%3)")
          .arg(figureText(change.values.before, kind_), figureText(change.values.after, kind_),
               bench::unitOf(kind_));
  if (change.basis == Basis::NotJudged) {
    return QStringLiteral("Not judged: the machine changed, and one of the results has no bare "
                          "limit here\n%1")
        .arg(medians);
  }
  QString text;
  if (change.difference.verdict == Verdict::TooFew) {
    text = QStringLiteral(
               "With %1 repeats even values that do not overlap can be chance; "
               "4 of each are needed")
               .arg(repeats);
  } else if (isBeyondNoise(change.difference)) {
    text = QStringLiteral(
        "No repeat of one lies among those of the other: chance in under "
        "5\u202f% of cases");
  } else {
    text = QStringLiteral("The repeats of both overlap: %1 may be chance")
               .arg(theme::formatFixed(change.difference.change * 100, 1, true) +
                    QStringLiteral("\u202f%"));
  }
  if (change.basis == Basis::Ratio) {
    text += QStringLiteral("\nHow many times the bare limit, repeat by repeat: less is better\n%1")
                .arg(medians);
  }
  if (change.basis == Basis::Limit) {
    text += QStringLiteral(
        "\nA bare limit: it shows whether the machine changed, and is not counted");
  }
  return text;
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return static_cast<int>(
        (section == What || section == Spread ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case What:
      return comparison_.machineChanged
                 ? QStringLiteral("Ratio to limit, or %1").arg(bench::unitOf(kind_))
                 : QStringLiteral("Median, %1").arg(bench::unitOf(kind_));
    case Before:
      return beforeTitle_.isEmpty() ? QStringLiteral("Before") : beforeTitle_;
    case After:
      return afterTitle_.isEmpty() ? QStringLiteral("After") : afterTitle_;
    case Change:
      return QStringLiteral("Change");
    default:
      return QString();
  }
}

}  // namespace tutti::monitor
