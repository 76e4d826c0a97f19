// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/hosts_model.h"

#include <QMimeData>
#include <QPainter>
#include <algorithm>

#include "launcher/ui/cluster_models.h"
#include "launcher/ui/cluster_watch.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using Condition = HostView::Condition;
using theme::State;
using theme::Token;

namespace {

const QString federatesMime = QStringLiteral("application/x-tutti-federates");

/// Amounts that people wrote; measured ones have one decimal.
QString figure(double value) { return QString::number(value, 'g', 4); }
QString measured(double value) { return QString::number(value, 'f', 1); }

QString gigabytes(double megabytes) { return QString::number(megabytes / 1000, 'g', 3); }

State stateOf(const HostView& host) {
  switch (host.condition) {
    case Condition::Here:
    case Condition::Reachable:
      return State::Ok;
    case Condition::AtStart:
    case Condition::NotAsked:
      return State::Idle;
    case Condition::Asking:
      return State::Starting;
    case Condition::ClockOff:
      return State::Warning;
    case Condition::Silent:
      return State::Dead;
  }
  return State::Idle;
}

QString pillOf(const HostView& host) {
  const auto age = host.asked.isValid()
                       ? static_cast<double>(host.asked.secsTo(QDateTime::currentDateTime()))
                       : 0;
  const bool old = age >= HostWatch::staleSeconds;
  switch (host.condition) {
    case Condition::Here:
      return HostsModel::tr("Here");
    case Condition::NotAsked:
      return HostsModel::tr("Not asked");
    case Condition::Asking:
      return HostsModel::tr("Asking");
    case Condition::Reachable:
      return old ? HostsModel::tr("Reachable %1").arg(theme::formatAge(age))
                 : HostsModel::tr("Reachable, %1").arg(theme::formatDuration(host.report.seconds));
    case Condition::ClockOff:
      return HostsModel::tr("Clock %1")
          .arg(theme::formatFixed(host.report.clockAheadSeconds, 2, true) +
               QStringLiteral("\u202fs"));
    case Condition::AtStart:
      return HostsModel::tr("At the start");
    case Condition::Silent:
      return old ? HostsModel::tr("No answer %1").arg(theme::formatAge(age))
                 : HostsModel::tr("No answer");
  }
  return {};
}

QString subtitleOf(const HostView& host, bool isSpare) {
  QStringList parts;
  if (host.isHere())
    parts << (host.host.name.isEmpty() ? HostsModel::tr("%1 cores").arg(figure(host.cores))
                                       : host.host.name);
  else
    parts << QStringLiteral("SSH");
  if (isSpare) parts << HostsModel::tr("spare");
  for (const QString& label : host.host.labels) parts << HostsModel::tr("label %1").arg(label);
  return parts.join(QStringLiteral(", "));
}

QString tipOf(const HostView& host, const HostNeeds& needs, bool isSpare) {
  QStringList lines;
  if (host.isHere()) {
    lines << HostsModel::tr("This machine, where the RTI's home is");
  } else {
    lines << HostsModel::tr("ssh %1").arg(host.host.destination);
    if (host.report.reached)
      lines << HostsModel::tr("Its whole answer over SSH took %1, at %2")
                   .arg(theme::formatDuration(host.report.seconds),
                        theme::formatClock(host.asked).left(8));
  }
  if (isSpare)
    lines << HostsModel::tr(
        "A spare: required federates of a host that is lost are started again "
        "here");
  if (host.cores > 0)
    lines << HostsModel::tr("Cores: %1 in use, %2 needed by this composition, %3 in all")
                 .arg(measured(host.coresInUse), figure(needs.cores), figure(host.cores));
  if (host.memoryMb > 0)
    lines << HostsModel::tr("Memory: %1 in use, %2 needed by this composition, %3 in all")
                 .arg(theme::formatBytes(host.memoryInUseMb * 1e6),
                      theme::formatBytes(needs.memoryMb * 1e6),
                      theme::formatBytes(host.memoryMb * 1e6));
  lines << (host.isHere() ? HostsModel::tr("In use: /proc/stat and /proc/meminfo.")
                          : HostsModel::tr("In use: the load and memory that it reported."))
        << HostsModel::tr("Needed: what the components' manifests say.");
  return lines.join(u'\n');
}

HostsModel::Bar coresOf(const HostView& host, const HostNeeds& needs) {
  HostsModel::Bar bar{HostsModel::tr("Cores"), host.coresInUse, needs.cores, host.cores, {}, {}};
  bar.over = host.cores > 0 && needs.cores > host.cores;
  bar.text = host.cores > 0
                 ? HostsModel::tr("%1 of %2").arg(figure(needs.cores), figure(host.cores))
                 : HostsModel::tr("%1 of unknown").arg(figure(needs.cores));
  return bar;
}

HostsModel::Bar memoryOf(const HostView& host, const HostNeeds& needs) {
  HostsModel::Bar bar{
      HostsModel::tr("Memory"), host.memoryInUseMb, needs.memoryMb, host.memoryMb, {}, {}};
  bar.over = host.memoryMb > 0 && needs.memoryMb > host.memoryMb;
  bar.text =
      host.memoryMb > 0
          ? HostsModel::tr("%1 of %2 GB").arg(gigabytes(needs.memoryMb), gigabytes(host.memoryMb))
          : HostsModel::tr("%1 GB of unknown").arg(gigabytes(needs.memoryMb));
  return bar;
}

void paintBar(QPainter& painter, const QRectF& rect, const HostsModel::Bar& bar,
              const theme::Palette& palette) {
  painter.fillRect(rect, palette[Token::GaugeIdle]);
  const double total = bar.total > 0 ? bar.total : std::max(bar.wanted * 2, 1.0);
  // What is wanted always has its length; on a full machine it lies over what is in use.
  const double wanted = rect.width() * std::clamp(bar.wanted / total, 0.0, 1.0);
  const double used =
      std::min(rect.width() * std::clamp(bar.used / total, 0.0, 1.0), rect.width() - wanted);
  painter.fillRect(QRectF(rect.left(), rect.top(), used, rect.height()), palette[Token::TextMuted]);
  if (wanted > 1)
    painter.fillRect(QRectF(rect.left() + used + 1, rect.top(), wanted - 1, rect.height()),
                     palette[bar.over ? Token::WarningFill : Token::Accent]);
}

/// Paints a pill that ends at `right`; returns where it begins.
int paintPill(QPainter& painter, int right, int top, State state, const QString& text,
              const theme::Palette& palette) {
  const QFont font = theme::textFont(theme::TextStyle::Caption);
  const int width = QFontMetrics(font).horizontalAdvance(text) + 28;
  const QRectF pill(right - width, top, width, 18);
  const auto colors = theme::colors(state, palette);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colors.tint);
  painter.drawRoundedRect(pill, 9, 9);
  theme::paintState(painter, QRectF(pill.left() + 6, pill.top() + 3.5, 11, 11), state, palette);
  painter.setFont(font);
  painter.setPen(colors.fg);
  painter.drawText(pill.adjusted(21, 0, -6, 0), Qt::AlignVCenter | Qt::AlignLeft, text);
  return static_cast<int>(pill.left());
}

}  // namespace

QMimeData* mimeOfFederates(const QStringList& ids) {
  auto* mime = new QMimeData;
  mime->setData(federatesMime, ids.join(u'\n').toUtf8());
  return mime;
}

QStringList federatesOfMime(const QMimeData* mime) {
  if (mime == nullptr || !mime->hasFormat(federatesMime)) return {};
  return QString::fromUtf8(mime->data(federatesMime)).split(u'\n', Qt::SkipEmptyParts);
}

QStringList mimeTypesOfFederates() { return {federatesMime}; }

HostsModel::HostsModel(HostWatch* watch, ClusterWatch* clusters, QObject* parent)
    : QAbstractListModel(parent), watch_(watch), watchedClusters_(clusters) {
  connect(watch, &HostWatch::hostsChanged, this, &HostsModel::rebuild);
  connect(watch, &HostWatch::hostChanged, this, [this](const QString& key) {
    const auto row = index(rowOf(key));
    if (row.isValid()) Q_EMIT dataChanged(row, row);
  });
  connect(clusters, &ClusterWatch::clustersChanged, this, &HostsModel::rebuild);
  connect(clusters, &ClusterWatch::clusterChanged, this, [this] {
    if (clusters_ > 0) Q_EMIT dataChanged(index(hosts_), index(rowCount() - 1));
  });
  rebuild();
}

void HostsModel::rebuild() {
  beginResetModel();
  const auto& hosts = watch_->hosts();
  // Nodes of clusters are on the board only.
  hosts_ = static_cast<int>(std::count_if(hosts.begin(), hosts.end(),
                                          [](const HostView& one) { return !one.isJobNode(); }));
  clusters_ = static_cast<int>(watchedClusters_->clusters().size());
  endResetModel();
}

void HostsModel::setNeeds(const QHash<QString, HostNeeds>& needs) {
  if (needs == needs_) return;
  needs_ = needs;
  if (rowCount() == 0) return;
  Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

int HostsModel::rowOf(const QString& key) const {
  const auto& hosts = watch_->hosts();
  const auto found =
      std::find_if(hosts.begin(), hosts.end(), [&](const HostView& one) { return one.key == key; });
  const auto row = static_cast<int>(found - hosts.begin());
  return row < hosts_ ? row : -1;
}

int HostsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : hosts_ + clusters_;
}

QVariant HostsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  if (index.row() < hosts_) {
    const auto row = static_cast<std::size_t>(index.row());
    // Another file was opened; rebuild() follows.
    if (row >= watch_->hosts().size()) return {};
    return hostData(watch_->hosts()[row], role);
  }
  const auto cluster = static_cast<std::size_t>(index.row() - hosts_);
  if (cluster >= watchedClusters_->clusters().size()) return {};
  return clusterData(watchedClusters_->clusters()[cluster], role);
}

bool HostsModel::isSpare(const HostView& host) const {
  return watch_->deployment().isSpare(host.host) && needs_.value(host.key).federates == 0;
}

QVariant HostsModel::hostData(const HostView& host, int role) const {
  const HostNeeds needs = needs_.value(host.key);
  switch (role) {
    case Qt::DisplayRole:
      return host.name;
    case theme::DetailRole:
      return subtitleOf(host, isSpare(host));
    case theme::IconNameRole:
      return QStringLiteral("computer");
    case theme::StateRole:
      return QVariant::fromValue(host.asking && host.condition != Condition::Silent &&
                                         host.condition == Condition::Asking
                                     ? State::Starting
                                     : stateOf(host));
    case PillRole:
      return pillOf(host);
    case KeyRole:
      return host.key;
    case IsHostRole:
      return true;
    case ReasonRole:
      return host.condition == Condition::Silent
                 ? tr("%1, %2").arg(host.report.loss.why, theme::formatClock(host.asked).left(5))
                 : QString();
    case CoresRole:
      return QVariant::fromValue(coresOf(host, needs));
    case MemoryRole:
      return QVariant::fromValue(memoryOf(host, needs));
    case Qt::ToolTipRole:
      return host.condition == Condition::Silent
                 ? theme::wrappedTip(host.report.loss.why + QStringLiteral(". ") +
                                     host.report.loss.next)
                 : tipOf(host, needs, isSpare(host));
    case Qt::AccessibleTextRole: {
      QStringList parts{host.name, subtitleOf(host, isSpare(host)), pillOf(host)};
      if (host.condition == Condition::Silent) parts << host.report.loss.why;
      parts << tr("cores %1").arg(coresOf(host, needs).text)
            << tr("memory %1").arg(memoryOf(host, needs).text);
      return parts.join(QStringLiteral(", "));
    }
    default:
      return {};
  }
}

QVariant HostsModel::clusterData(const ClusterView& view, int role) const {
  ClusterState described;
  described.cluster = view.cluster;
  const NodeCounts counts = countNodes(view.state.value_or(described), {});
  const bool silent = view.error.has_value();
  const auto pill = [&] {
    if (silent) return tr("No answer");
    if (view.state) return tr("%1 of %2 idle").arg(counts.idle).arg(counts.all());
    return view.asking ? tr("Asking") : tr("Not asked");
  };
  const auto state = [&] {
    if (silent) return State::Dead;
    if (view.state) return counts.idle > 0 ? State::Ok : State::Late;
    return view.asking ? State::Starting : State::Idle;
  };
  switch (role) {
    case Qt::DisplayRole:
    case KeyRole:
    case ClusterRole:
      return view.cluster.name;
    case theme::DetailRole:
      return QStringLiteral("Slurm");
    case theme::IconNameRole:
      return QStringLiteral("cluster");
    case theme::StateRole:
      return QVariant::fromValue(state());
    case PillRole:
      return pill();
    case IsHostRole:
      return false;
    case ReasonRole:
      return silent ? tr("%1 %2").arg(view.error->what, theme::formatClock(view.failed).left(5))
                    : QString();
    case CoresRole: {
      if (counts.all() == 0) return {};
      Bar bar{tr("Nodes"),
              double(counts.allocated - counts.ours),
              double(counts.ours),
              double(counts.all()),
              tr("%1 of %2 in use").arg(counts.allocated).arg(counts.all()),
              false};
      return QVariant::fromValue(bar);
    }
    case Qt::ToolTipRole:
      if (silent) return theme::wrappedTip(view.error->message());
      return theme::wrappedTip(
          tr("A Slurm cluster%1. Its partitions, nodes and queue are beside it: federates are "
             "placed on the nodes of a partition by their number, and Slurm chooses the real ones "
             "when the run starts.")
              .arg(counts.all() == 0 ? QString()
                                     : QStringLiteral(" (%1)").arg(nodeCountsText(counts))));
    case Qt::AccessibleTextRole:
      return tr("%1, Slurm cluster, %2, %3")
          .arg(view.cluster.name, pill(), silent ? view.error->what : nodeCountsText(counts));
    default:
      return {};
  }
}

Qt::ItemFlags HostsModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  auto result = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
  if (index.row() < hosts_) result |= Qt::ItemIsDropEnabled;
  return result;
}

QStringList HostsModel::mimeTypes() const { return mimeTypesOfFederates(); }

bool HostsModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int row, int,
                                 const QModelIndex& parent) const {
  // On a row, not between two.
  return row < 0 && parent.isValid() && parent.row() < hosts_ && !federatesOfMime(data).isEmpty();
}

bool HostsModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                              const QModelIndex& parent) {
  if (!canDropMimeData(data, action, row, column, parent)) return false;
  Q_EMIT dropped(federatesOfMime(data), parent.data(KeyRole).toString());
  return true;
}

// HostRowDelegate

namespace {

constexpr int highRow = 64;
constexpr int lowRow = 44;
constexpr int shortestBar = 30;
constexpr int reasonSlack = 40;  ///< what breaking two lines at words may cost

bool isLow(const QModelIndex& index) {
  return index.model()->rowCount() > HostRowDelegate::manyHosts;
}

}  // namespace

HostRowDelegate::HostRowDelegate(QObject* parent) : RowDelegate(parent, highRow) {}

QSize HostRowDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  return {240, isLow(index) ? lowRow : highRow};
}

void HostRowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  const auto palette = theme::Palette::of(option.palette);
  paintBackground(*painter, option, index, palette);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const QRect row = option.rect.adjusted(12, 6, -12, -4);
  const QFont caption = theme::textFont(theme::TextStyle::Caption);
  theme::paintIcon(*painter, QRectF(row.left(), row.top() + 1, 16, 16),
                   index.data(theme::IconNameRole).toString(), palette[Token::TextSecondary]);
  const int pill =
      paintPill(*painter, row.right() + 1, row.top(), index.data(theme::StateRole).value<State>(),
                index.data(HostsModel::PillRole).toString(), palette);
  const QFont name = theme::textFont(theme::TextStyle::Label, QFont::DemiBold);
  const QFontMetrics metrics(name);
  const QString text = index.data().toString();
  QRect line(row.left() + 24, row.top(), pill - row.left() - 30, 18);
  paintText(*painter, line, text, palette[Token::TextPrimary], name, Qt::AlignLeft);
  line.setLeft(line.left() + metrics.horizontalAdvance(text) + 6);
  if (line.width() > 24)
    paintText(*painter, line, index.data(theme::DetailRole).toString(), palette[Token::TextMuted],
              caption, Qt::AlignLeft);

  const QString reason = index.data(HostsModel::ReasonRole).toString();
  const int top = row.top() + 20;
  const int left = row.left() + 24;
  if (!reason.isEmpty()) {
    painter->setFont(caption);
    painter->setPen(palette[Token::TextSecondary]);
    const QRect place(left, top, row.right() - left, row.bottom() - top);
    if (isLow(index))
      paintText(*painter, place, reason, palette[Token::TextSecondary], caption, Qt::AlignLeft);
    else
      painter->drawText(place, Qt::TextWordWrap,
                        QFontMetrics(caption).elidedText(reason, Qt::ElideRight,
                                                         2 * place.width() - reasonSlack));
    painter->restore();
    return;
  }
  std::vector<HostsModel::Bar> bars;
  for (const int role : {HostsModel::CoresRole, HostsModel::MemoryRole}) {
    const QVariant value = index.data(role);
    if (value.isValid()) bars.push_back(value.value<HostsModel::Bar>());
  }
  const auto barIn = [&](const QRect& place, const HostsModel::Bar& bar, bool labelled) {
    const int label = labelled ? 52 : 0;
    const QString said = bar.over ? HostsModel::tr("%1, over").arg(bar.text) : bar.text;
    const int figures = labelled ? 100
                                 : std::min(place.width() - shortestBar,
                                            QFontMetrics(caption).horizontalAdvance(said));
    if (labelled)
      paintText(*painter, place, bar.label, palette[Token::TextSecondary], caption, Qt::AlignLeft);
    paintBar(*painter,
             QRectF(place.left() + label, place.center().y() - 2,
                    place.width() - label - figures - 6, 6),
             bar, palette);
    paintText(*painter, QRect(place.right() - figures, place.top(), figures + 1, place.height()),
              said, palette[bar.over ? Token::WarningFg : Token::TextSecondary], caption,
              Qt::AlignRight);
  };
  if (isLow(index) && bars.size() == 2) {
    const int half = (row.right() - left - 8) / 2;
    barIn(QRect(left, top, half, 15), bars[0], false);
    barIn(QRect(left + half + 8, top, half, 15), bars[1], false);
  } else {
    for (std::size_t i = 0; i < bars.size(); ++i)
      barIn(QRect(left, top + static_cast<int>(i) * 16, row.right() - left + 1, 15), bars[i], true);
  }
  painter->restore();
}

}  // namespace tutti::launcher
