// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/link_model.h"

#include <algorithm>
#include <cmath>

#include "monitor/engine/host_links.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using theme::State;

namespace {

/// From this share of its limit on, a queue is shown to need attention.
constexpr double fullQueue = 0.4;

QString idOf(const HostLinkView& view) {
  return view.from + view.fromAddress + u' ' + view.peer + u' ' + view.address;
}

/// Of one that is silent.
double silentFor(const HostLinkView& view) {
  return view.suspect ? view.silentSeconds : view.awaySeconds;
}

bool isOld(const HostLinkView& view) {
  return isBetweenOthers(view) && view.ageSeconds > oldSeconds;
}

QVariant known(double value, const QString& text) {
  return std::isnan(value) ? QVariant() : QVariant(text);
}

QVariant known(double value) { return std::isnan(value) ? QVariant() : QVariant(value); }

QString seconds(double value) { return QStringLiteral("%1\u202fs").arg(value, 0, 'f', 1); }

/// Three digits are what such a measurement is worth.
QString roundTripText(double value) {
  const double milliseconds = value * 1000;
  const int decimals = milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0;
  return QStringLiteral("%1\u202fms").arg(theme::formatFixed(milliseconds, decimals));
}

QString transportText(const HostLinkView& view) {
  if (view.way != HostWay::Straight) return QStringLiteral("past the home");
  QString text = view.port == 0 ? QStringLiteral("TCP") : QStringLiteral("TCP %1").arg(view.port);
  if (view.datagrams) text += QStringLiteral(", UDP");
  return text;
}

}  // namespace

void LinkModel::setSnapshot(const SnapshotPointer& snapshot) {
  here_ = snapshot->host.name;
  std::vector<const HostLinkView*> views;
  std::vector<double> rates;
  for (const auto* links : {&snapshot->hostLinks, &snapshot->neighbourLinks}) {
    for (const HostLinkView& link : *links) {
      views.push_back(&link);
      rates.push_back(link.messagesPerSecond);
    }
  }
  updateRows(views, idOf, [](LinkRow& row) { copyHistory(row.view.roundTrip, row.roundTrip); });
  rates_.update(rates);
  emitAllChanged();
}

int LinkModel::count(bool silent) const {
  return static_cast<int>(std::count_if(rows().begin(), rows().end(), [&](const auto& row) {
    return isSilent(row->view) == silent;
  }));
}

QVariant LinkModel::text(const HostLinkView& view, int column) const {
  switch (column) {
    case Name: {
      const QString begin = isBetweenOthers(view) ? linkBegin(view) : here_;
      return begin.isEmpty() ? linkEnd(view)
                             : QStringLiteral("%1 \u2013 %2").arg(begin, linkEnd(view));
    }
    case Transport:
      return transportText(view);
    case Rate:
      return known(view.messagesPerSecond, rates_.format(view.messagesPerSecond));
    case Bytes:
      return known(view.bytesPerSecond,
                   theme::formatBytes(view.bytesPerSecond) + QStringLiteral("/s"));
    case Queue:
      return known(view.queueFill,
                   QStringLiteral("%1\u202f%").arg(std::lround(view.queueFill * 100)));
    case RoundTrip:
      if (isSilent(view)) return QStringLiteral("%1 ago").arg(seconds(silentFor(view)));
      return known(view.roundTripSeconds, roundTripText(view.roundTripSeconds));
    case Lost:
      return known(view.lost, theme::formatCount(std::llround(view.lost)));
    default:
      return {};
  }
}

QVariant LinkModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const LinkRow& row = this->row(index);
  const HostLinkView& view = row.view;
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      return text(view, column);
    case Qt::TextAlignmentRole:
      return headerData(column, Qt::Horizontal, role);
    case Qt::ToolTipRole:
      return theme::wrappedTip(toolTip(view, column));
    case Qt::AccessibleTextRole:
      if (column != Name) return {};
      return QStringLiteral("%1, %2").arg(
          text(view, Name).toString(),
          view.suspect     ? QStringLiteral("no answer for %1").arg(seconds(view.silentSeconds))
          : isSilent(view) ? QStringLiteral("no direct connection for %1, data goes past the home")
                                 .arg(seconds(view.awaySeconds))
          : isOld(view) ? QStringLiteral("figures are %1 old").arg(seconds(view.ageSeconds))
                        : QStringLiteral("up"));
    case theme::StateRole:
      if (column != Name) return {};
      return QVariant::fromValue(isSilent(view) ? State::Warning
                                 : isOld(view)  ? State::Idle
                                                : State::Running);
    case theme::TintRole:
      return isSilent(view) ? QVariant::fromValue(State::Warning) : QVariant();
    case theme::SparklineRole:
      if (column != RoundTripLine) return {};
      return QVariant::fromValue<const theme::SparkBuffer*>(&row.roundTrip);
    case theme::SeriesRole:
      return 0;
    case theme::FractionRole:
      return column == Queue ? known(view.queueFill) : QVariant();
    case theme::BarStateRole:
      return QVariant::fromValue(view.queueFill >= fullQueue ? State::Late : State::Running);
    case theme::StaleRole:
      return isOld(view);
    case SortRole:
      switch (column) {
        case Rate:
          return known(view.messagesPerSecond);
        case Bytes:
          return known(view.bytesPerSecond);
        case Queue:
          return known(view.queueFill);
        case RoundTrip:
        case RoundTripLine:
          return known(view.roundTripSeconds);
        case Lost:
          return known(view.lost);
        default:
          return text(view, column);
      }
    case SilentRole:
      return isSilent(view);
    case AddressRole:
      // Nothing can be decided about a link of two others: data has another way there.
      return isBetweenOthers(view) ? QString() : view.address;
    default:
      return {};
  }
}

QString LinkModel::betweenTip(const HostLinkView& view, int column) const {
  const QString begin = linkBegin(view);
  const QString end = linkEnd(view);
  const QString source =
      QStringLiteral("\nAs the RTI nodes of %1 and %2 tell that of this host once a second")
          .arg(begin, end) +
      (isOld(view) ? QStringLiteral("; the last figures of one are %1 old, it is not heard")
                         .arg(seconds(view.ageSeconds))
                   : QString());
  switch (column) {
    case Name:
      if (view.way != HostWay::Straight) {
        return QStringLiteral(
                   "%1 to %2\n%3: what is reliable goes past the home, and another "
                   "connection is tried every 2\u202fs. Nothing is lost, nobody ends.")
                   .arg(begin, linkName(view),
                        view.way == HostWay::Broken
                            ? QStringLiteral("The direct connection broke %1 ago")
                                  .arg(seconds(view.awaySeconds))
                            : QStringLiteral("There has been no direct connection so far")) +
               source;
      }
      return QStringLiteral("%1 to %2").arg(begin, linkName(view)) + source;
    case Transport:
      return QStringLiteral(
                 "Their federates send each other data over a TCP connection of the two "
                 "nodes, past the home.\n%1")
          .arg(view.datagrams ? QStringLiteral("Best effort goes in UDP datagrams.")
                              : QStringLiteral("Best effort goes over TCP too: no datagrams get "
                                               "through."));
    case Rate:
      return QStringLiteral(
                 "Messages a second in both directions, with datagrams, mean of 5 s; "
                 "what goes past the home is not among them") +
             source;
    case Bytes:
      return QStringLiteral(
                 "Bytes of messages a second in both directions, with datagrams, mean "
                 "of 5 s") +
             source;
    case Queue:
      return QStringLiteral(
                 "%1 are kept at one end until they are acknowledged, the fuller one. "
                 "At 100\u202f%, 32 MiB or its share of the memory budget, senders "
                 "there wait.")
                 .arg(theme::formatBytes(static_cast<double>(view.keptBytes))) +
             source;
    case RoundTrip:
    case RoundTripLine:
      return QStringLiteral(
                 "Round trip of TCP between the two kernels, smoothed (TCP_INFO), the "
                 "longer of what both ends have\nThe line is the last 60 s") +
             source;
    case Lost:
      return (std::isnan(view.lost)
                  ? QStringLiteral("No datagrams go between the two nodes: best effort is not "
                                   "counted for this link")
                  : QStringLiteral("Deliveries of best effort between the two nodes that failed, "
                                   "as far as one of them knows")) +
             source;
    default:
      return {};
  }
}

QString LinkModel::toolTip(const HostLinkView& view, int column) const {
  if (isBetweenOthers(view)) return betweenTip(view, column);
  switch (column) {
    case Name:
      return view.suspect
                 ? suspectTitle(view) + QStringLiteral(".\n") +
                       suspectDetail(view, mostNames, u'\n')
                 : QStringLiteral("%1 to %2\n%3")
                       .arg(here_.isEmpty() ? QStringLiteral("This host") : here_, linkName(view),
                            QStringLiteral("As the RTI node of this host has it (tutti-rti "
                                           "--status)"));
    case Transport:
      return QStringLiteral(
                 "A session over TCP, which outlives its connections; the home listens on the "
                 "port.\n%1")
          .arg(view.datagrams
                   ? QStringLiteral("Best effort goes past it in UDP datagrams.")
                   : QStringLiteral("Best effort goes over it too: no datagrams get through."));
    case Rate:
      return view.suspect ? QStringLiteral(
                                "Nothing gets through while there is no answer; what is reliable "
                                "is kept")
                          : QStringLiteral(
                                "Messages a second in both directions, with datagrams, mean of "
                                "5 s\nFrom the counters of the RTI node of this host");
    case Bytes:
      return view.suspect ? QStringLiteral(
                                "Nothing gets through while there is no answer; what is reliable "
                                "is kept")
                          : QStringLiteral(
                                "Bytes of messages a second in both directions, with datagrams, "
                                "mean of 5 s\nFrom the counters of the RTI node of this host");
    case Queue:
      return QStringLiteral(
                 "%1 are kept in the RTI node of this host until they are acknowledged. At "
                 "100\u202f%, "
                 "32 MiB or the link's share of the memory budget, senders wait.")
          .arg(theme::formatBytes(static_cast<double>(view.keptBytes)));
    case RoundTrip:
    case RoundTripLine:
      return view.suspect
                 ? QStringLiteral(
                       "Nothing was acknowledged for so long, by the RTI node of this host")
                 : QStringLiteral(
                       "Round trip of TCP between the two kernels, smoothed (TCP_INFO); a "
                       "heartbeat of the link measures it five times a second at least\nThe line "
                       "is the last 60 s");
    case Lost:
      return std::isnan(view.lost)
                 ? QStringLiteral(
                       "No datagrams go between the two nodes: best effort is not "
                       "counted for this link")
                 : QStringLiteral(
                       "Deliveries of best effort between the two nodes that failed, since the "
                       "link "
                       "began, as far as the RTI node of this host knows. What is reliable is "
                       "never lost while a link lives.");
    default:
      return {};
  }
}

QVariant LinkModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    const bool number = section == Rate || section == Bytes || section == Queue ||
                        section == RoundTrip || section == Lost;
    return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case Rate:
        return QStringLiteral("Messages a second in both directions, mean of 5 s");
      case Bytes:
        return QStringLiteral("Bytes a second in both directions, mean of 5 s");
      case Queue:
        return QStringLiteral("Kept until acknowledged, of what makes senders wait");
      case RoundTrip:
        return QStringLiteral(
            "As the kernel has it; without an answer, the time since the last one");
      case Lost:
        return QStringLiteral("Deliveries of best effort that failed");
      default:
        return {};
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Name:
      return QStringLiteral("Link");
    case Transport:
      return QStringLiteral("Transport");
    case Rate:
      return QStringLiteral("Rate /s");
    case Bytes:
      return QStringLiteral("Bytes");
    case Queue:
      return QStringLiteral("Queue");
    case RoundTrip:
      return QStringLiteral("Round trip");
    case Lost:
      return QStringLiteral("Lost");
    default:
      return QString();
  }
}

LinkFilter::LinkFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(LinkModel::SortRole);
  setDynamicSortFilter(true);
}

void LinkFilter::setShow(Show show) {
  if (show_ == show) return;
  show_ = show;
  invalidateFilter();
}

void LinkFilter::setText(const QString& text) {
  if (text_ == text) return;
  text_ = text;
  invalidateFilter();
}

bool LinkFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex name = sourceModel()->index(row, LinkModel::Name, parent);
  const bool suspect = name.data(LinkModel::SilentRole).toBool();
  if ((show_ == Show::Up && suspect) || (show_ == Show::NoAnswer && !suspect)) return false;
  return text_.isEmpty() || name.data().toString().contains(text_, Qt::CaseInsensitive) ||
         name.siblingAtColumn(LinkModel::Transport)
             .data()
             .toString()
             .contains(text_, Qt::CaseInsensitive);
}

bool LinkFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const bool suspect = left.data(LinkModel::SilentRole).toBool();
  if (suspect != right.data(LinkModel::SilentRole).toBool()) {
    return suspect == (sortOrder() == Qt::AscendingOrder);
  }
  const QVariant a = left.data(LinkModel::SortRole);
  const QVariant b = right.data(LinkModel::SortRole);
  // What is not known is less than all that is.
  if (a.isValid() != b.isValid()) return b.isValid();
  if (a.typeId() == QMetaType::QString) {
    const int order = QString::localeAwareCompare(a.toString(), b.toString());
    if (order != 0) return order < 0;
  } else if (a.toDouble() != b.toDouble()) {
    return a.toDouble() < b.toDouble();
  }
  return left.row() < right.row();
}

}  // namespace tutti::monitor
