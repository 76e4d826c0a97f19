// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/federate_model.h"

#include <algorithm>
#include <cmath>

#include "monitor/ui/view_text.h"

namespace tutti::monitor {

using theme::State;

namespace {

QVariant number(double value, const QString& text) {
  return std::isnan(value) ? QVariant() : QVariant(text);
}

std::uint64_t sentBy(const FederateView& view) {
  return view.counters.updatesSent + view.counters.interactionsSent;
}
std::uint64_t receivedBy(const FederateView& view) {
  return view.counters.reflectionsReceived + view.counters.interactionsReceived;
}

/// In full where the column has room for it; of one that never joined nothing is known.
QVariant total(const FederateView& view, std::uint64_t count) {
  if (view.number == 0) return {};
  return count < 100'000 ? theme::formatCount(static_cast<qint64>(count))
                         : theme::formatRate(static_cast<double>(count));
}

}  // namespace

void FederateModel::setSnapshot(const SnapshotPointer& snapshot) {
  decimals_ = snapshot->timeDecimals;
  stale_ = !snapshot->problem.isEmpty();
  age_ = snapshot->ageSeconds;
  const bool over = !snapshot->federates.empty() &&
                    std::all_of(snapshot->federates.begin(), snapshot->federates.end(),
                                [](const FederateView& each) { return monitor::isOver(each.condition); });
  if (over != over_) {
    over_ = over;
    emit headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
  }
  std::vector<const FederateView*> views;
  for (const FederateView& each : snapshot->federates) views.push_back(&each);
  updateRows(
      views, [](const FederateView& view) { return view.name; },
      [](FederateRow& row) {
        copyHistory(row.view.cpu, row.cpu);
        copyHistory(row.view.sent, row.sent);
        copyHistory(row.view.received, row.received);
      });
  std::vector<double> sent;
  std::vector<double> received;
  for (const auto& row : rows()) {
    sent.push_back(row->view.sentPerSecond);
    received.push_back(row->view.receivedPerSecond);
  }
  sentPrefix_.update(sent);
  receivedPrefix_.update(received);
  emitAllChanged();
}

int FederateModel::rowOf(const QString& federate) const {
  for (std::size_t row = 0; row < rows().size(); ++row) {
    if (rows()[row]->view.name == federate) return static_cast<int>(row);
  }
  return -1;
}

const FederateView* FederateModel::federate(int row) const {
  return row >= 0 && row < rowCount() ? &rows()[static_cast<std::size_t>(row)]->view : nullptr;
}

/// The colour of a row is not heard: the word of the state stands before what is known of it.
QString FederateModel::accessibleText(const FederateView& view) {
  const QString word = theme::stateWord(stateOf(view.condition)).toLower();
  QStringList parts{view.name};
  if (!view.detail.startsWith(word)) parts << word;
  if (!view.detail.isEmpty()) parts << view.detail;
  return parts.join(QStringLiteral(", "));
}

QVariant FederateModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const FederateRow& row = this->row(index);
  const FederateView& view = row.view;
  const double cpu = view.cpuUser + view.cpuSystem;
  switch (role) {
    case Qt::DisplayRole:
      switch (index.column()) {
        case Name:
          return view.name;
        case Host:
          return view.host;
        case Cpu:
          return number(cpu, cpuText(view.cpuUser, view.cpuSystem));
        case Sent:
          if (over_) return total(view, sentBy(view));
          return number(view.sentPerSecond, sentPrefix_.format(view.sentPerSecond));
        case Received:
          if (over_) return total(view, receivedBy(view));
          return number(view.receivedPerSecond, receivedPrefix_.format(view.receivedPerSecond));
        case Queue:
          return number(view.queueFill,
                        QStringLiteral("%1\u202f%").arg(std::lround(view.queueFill * 100)));
        case Time:
          return view.timeManaged ? QVariant(theme::formatTime(view.time.logicalTime, decimals_))
                                  : QVariant();
        case Grants:
          if (over_ && view.timeManaged) return total(view, view.counters.timeAdvanceGrants);
          return view.timeManaged
                     ? number(view.grantsPerSecond, theme::formatRate(view.grantsPerSecond))
                     : QVariant();
        case Condition:
          return view.detail.isEmpty() ? theme::stateWord(stateOf(view.condition)) : view.detail;
        default:
          return {};
      }
    case Qt::TextAlignmentRole:
      switch (index.column()) {
        case Cpu:
        case Sent:
        case Received:
        case Queue:
        case Time:
        case Grants:
          return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
        default:
          return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
      }
    case Qt::ToolTipRole:
      return toolTip(row, index.column());
    case Qt::AccessibleTextRole:
      return index.column() == Name ? QVariant(accessibleText(view)) : QVariant();
    case theme::StateRole:
      return index.column() == Name ? QVariant::fromValue(stateOf(view.condition)) : QVariant();
    case theme::TintRole:
      return needsSomeone(view.condition) ? QVariant::fromValue(stateOf(view.condition))
                                          : QVariant();
    case theme::SparklineRole:
      switch (index.column()) {
        case CpuLine:
          return QVariant::fromValue<const theme::SparkBuffer*>(&row.cpu);
        case SentLine:
          return QVariant::fromValue<const theme::SparkBuffer*>(&row.sent);
        case ReceivedLine:
          return QVariant::fromValue<const theme::SparkBuffer*>(&row.received);
        default:
          return {};
      }
    case theme::SeriesRole:
      return index.column() == CpuLine ? 0 : 2;
    case theme::FractionRole:
      return index.column() == Queue && !std::isnan(view.queueFill) ? QVariant(view.queueFill)
                                                                    : QVariant();
    case theme::BarStateRole:
      return QVariant::fromValue(view.queueFill >= 0.5 ? State::Late : State::Running);
    case theme::StaleRole:
      return stale_ || monitor::isOver(view.condition) ||
             view.condition == FederateCondition::OutOfReach;
    case SortRole:
      switch (index.column()) {
        case Name:
        case Host:
          return data(index, Qt::DisplayRole);
        case CpuLine:
        case Cpu:
          return std::isnan(cpu) ? -1 : cpu;
        case SentLine:
        case Sent:
          if (over_) return static_cast<double>(sentBy(view));
          return std::isnan(view.sentPerSecond) ? -1 : view.sentPerSecond;
        case ReceivedLine:
        case Received:
          if (over_) return static_cast<double>(receivedBy(view));
          return std::isnan(view.receivedPerSecond) ? -1 : view.receivedPerSecond;
        case Queue:
          return std::isnan(view.queueFill) ? -1 : view.queueFill;
        case Time:
          return view.timeManaged ? view.time.logicalTime : -1e300;
        case Grants:
          if (over_) return static_cast<double>(view.counters.timeAdvanceGrants);
          return std::isnan(view.grantsPerSecond) ? -1 : view.grantsPerSecond;
        default:
          return theme::severity(stateOf(view.condition));
      }
    case ConditionRole:
      return static_cast<int>(view.condition);
    case NameRole:
      return view.name;
    default:
      return {};
  }
}

QVariant FederateModel::toolTip(const FederateRow& row, int column) const {
  const FederateView& view = row.view;
  const QString old =
      stale_ ? QStringLiteral("\nRead %1; the RTI does not answer.").arg(theme::formatAge(age_))
             : QString();
  const QString how = over_ ? QStringLiteral("in all") : QStringLiteral("mean of 5 s");
  const auto count = [](std::uint64_t value) {
    return theme::formatCount(static_cast<qint64>(value));
  };
  switch (column) {
    case Name:
      return QStringLiteral("%1, %2\nProcess %3 on %4\nLast call or callback %5 (RTI counters)")
                 .arg(view.name, view.component.isEmpty() ? QStringLiteral("component not known")
                                                          : view.component)
                 .arg(view.pid)
                 .arg(view.host, std::isnan(view.secondsSinceActivity)
                                     ? theme::noValue()
                                     : theme::formatAge(view.secondsSinceActivity)) +
             old;
    case Host:
      return QStringLiteral("Host of process %1, from the launcher").arg(view.pid);
    case CpuLine:
    case Cpu:
      return QStringLiteral(
                 "Processor time of process %1 from /proc: user %2, system %3\n"
                 "100\u202f% is one processor; the line is the last 60 s")
          .arg(view.pid)
          .arg(cpuText(view.cpuUser, 0), cpuText(0, view.cpuSystem));
    case SentLine:
    case Sent:
      return QStringLiteral(
                 "Updates and interactions sent, %4\n"
                 "RTI counters of %1: %2 updates, %3 interactions since it joined")
                 .arg(view.name, count(view.counters.updatesSent),
                      count(view.counters.interactionsSent), how) +
             old;
    case ReceivedLine:
    case Received:
      return QStringLiteral(
                 "Reflections and interactions received, %4\n"
                 "RTI counters of %1: %2 reflections, %3 interactions since it joined")
                 .arg(view.name, count(view.counters.reflectionsReceived),
                      count(view.counters.interactionsReceived), how) +
             old;
    case Queue:
      return QStringLiteral(
                 "Fullest ring into %1, from the rings' positions\n"
                 "%2 messages wait in its queues, %3")
                 .arg(view.name, count(view.queued),
                      theme::formatBytes(static_cast<double>(view.counters.queuedBytes))) +
             old;
    case Time:
      return view.timeManaged
                 ? QStringLiteral("Granted logical time in s, from its time slot\n%1 grants so far")
                           .arg(count(view.counters.timeAdvanceGrants)) +
                       old
                 : QStringLiteral("%1 neither regulates nor is constrained").arg(view.name);
    case Grants:
      return QStringLiteral("Time advance grants, %1, from its RTI counter").arg(how) + old;
    case Condition:
      return theme::stateWord(stateOf(view.condition));
    default:
      return {};
  }
}

QVariant FederateModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    switch (section) {
      case Cpu:
      case Sent:
      case Received:
      case Queue:
      case Time:
      case Grants:
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
      default:
        return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
    }
  }
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case Cpu:
        return QStringLiteral("Share of one processor, from /proc");
      case Sent:
      case Received:
        return over_ ? QStringLiteral("Updates and interactions in all, until it left")
                     : QStringLiteral("Updates and interactions a second, mean of 5 s");
      case Queue:
        return QStringLiteral("How full the fullest of its receive queues is");
      case Time:
        return QStringLiteral("Granted logical time");
      case Grants:
        return over_ ? QStringLiteral("Time advance grants in all")
                     : QStringLiteral("Time advance grants a second, mean of 5 s");
      default:
        return {};
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Name:
      return QStringLiteral("Federate");
    case Host:
      return QStringLiteral("Host");
    case Cpu:
      return QStringLiteral("CPU");
    case Sent:
      return over_ ? QStringLiteral("Sent") : QStringLiteral("Sent /s");
    case Received:
      return over_ ? QStringLiteral("Received") : QStringLiteral("Received /s");
    case Queue:
      return QStringLiteral("Queue");
    case Time:
      return QStringLiteral("Time, s");
    case Grants:
      return over_ ? QStringLiteral("Grants") : QStringLiteral("Grants /s");
    case Condition:
      return QStringLiteral("State");
    default:
      return QString();
  }
}

FederateFilter::FederateFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(FederateModel::SortRole);
  setDynamicSortFilter(true);
}

void FederateFilter::setShow(Show show) {
  if (show_ == show) return;
  show_ = show;
  invalidateFilter();
}

void FederateFilter::setText(const QString& text) {
  if (text_ == text) return;
  text_ = text;
  invalidateFilter();
}

bool FederateFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex index = sourceModel()->index(row, 0, parent);
  const auto condition =
      static_cast<FederateCondition>(index.data(FederateModel::ConditionRole).toInt());
  switch (show_) {
    case Show::All:
      break;
    case Show::NeedsYou:
      if (!needsSomeone(condition)) return false;
      break;
    case Show::Late:
      if (condition != FederateCondition::Late && condition != FederateCondition::Stopped) {
        return false;
      }
      break;
    case Show::Dead:
      if (condition != FederateCondition::Dead) return false;
      break;
  }
  if (text_.isEmpty()) return true;
  const auto* model = static_cast<const FederateModel*>(sourceModel());
  const FederateView* view = model->federate(row);
  return view->name.contains(text_, Qt::CaseInsensitive) ||
         view->host.contains(text_, Qt::CaseInsensitive) ||
         view->component.contains(text_, Qt::CaseInsensitive);
}

bool FederateFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(FederateModel::SortRole);
  const QVariant b = right.data(FederateModel::SortRole);
  if (a.typeId() == QMetaType::QString) {
    return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
  }
  if (a.toDouble() != b.toDouble()) return a.toDouble() < b.toDouble();
  return left.row() < right.row();
}

}  // namespace tutti::monitor
