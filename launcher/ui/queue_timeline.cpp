// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/queue_timeline.h"

#include <QPainter>
#include <QPainterPath>
#include <QScopeGuard>
#include <algorithm>
#include <array>
#include <cmath>

#include "launcher/ui/cluster_models.h"
#include "resources/theme/format.h"
#include "resources/theme/theme.h"

namespace tutti::launcher {

using theme::Token;

namespace {

constexpr qint64 minute = 60;
constexpr qint64 hour = 60 * minute;
constexpr qint64 day = 24 * hour;
constexpr double pastShare = 0.1;  ///< of the axis, left of now
constexpr double room = 1.1;       ///< behind the last end that is shown
constexpr std::array<qint64, 15> steps{10 * minute, 15 * minute, 30 * minute, hour,     2 * hour,
                                       3 * hour,    6 * hour,    12 * hour,   day,      2 * day,
                                       7 * day,     14 * day,    30 * day,    90 * day, 365 * day};
constexpr int padding = 8;  ///< of a cell, as RowDelegate has it
constexpr int barHeight = 10;
constexpr int leastBars = 200;  ///< pixels
constexpr int tickGap = 14;

qint64 stepFor(qint64 seconds, int most) {
  for (const qint64 step : steps) {
    if (seconds / step <= std::max(most, 1)) return step;
  }
  return steps.back();
}

/// The first local time behind `from` that is a whole number of steps behind midnight.
QDateTime firstTick(const QDateTime& from, qint64 step) {
  const QDateTime midnight = from.toLocalTime().date().startOfDay();
  return midnight.addSecs((midnight.secsTo(from) / step + 1) * step);
}

QFont tickFont(bool strong) {
  return theme::textFont(theme::TextStyle::Caption, strong ? QFont::DemiBold : QFont::Normal);
}

QRect barsIn(const QRect& cell) { return cell.adjusted(padding, 0, -padding, 0); }

double xOf(const QueueAxis& axis, const QDateTime& time, const QRect& bars) {
  return bars.left() + axis.at(time) * bars.width();
}

}  // namespace

QDateTime endOf(const SlurmJob& job) {
  if (!job.waits()) return job.timeLimit == 0 ? QDateTime{} : job.end;
  return job.start.isValid() && job.timeLimit > 0 ? job.start.addSecs(60 * qint64(job.timeLimit))
                                                  : QDateTime{};
}

std::optional<QueueBar> barOf(const SlurmJob& job, bool own) {
  if (!job.start.isValid()) return {};
  return QueueBar{job.start, endOf(job), !job.waits(), own};
}

qint64 endsFirst(const SlurmJob& job, const std::vector<SlurmJob>& jobs) {
  if (!job.waits()) return 0;
  if (!job.after.isEmpty()) return job.after.front();
  if (!job.start.isValid()) return 0;
  // Slurm plans in steps of a minute.
  const QDateTime latest = job.start.addSecs(minute);
  QDateTime last = job.start.addSecs(-5 * minute);
  qint64 result = 0;
  for (const SlurmJob& each : jobs) {
    const QDateTime end = endOf(each);
    if (each.id == job.id || each.partition != job.partition || !end.isValid()) continue;
    if (end < last || end > latest) continue;
    last = end;
    result = each.id;
  }
  return result;
}

QString endsFirstText(const SlurmJob& job, const std::vector<SlurmJob>& jobs) {
  const qint64 first = endsFirst(job, jobs);
  if (first == 0) return {};
  // Slurm does not say which nodes it plans to give: only a dependency is certain.
  return job.after.contains(first) ? QueueModel::tr("job %1 must end first").arg(first)
                                   : QueueModel::tr("probably when job %1 ends").arg(first);
}

QString barText(const SlurmJob& job, const QDateTime& now) {
  const auto moment = [&](const QDateTime& time) { return theme::formatMoment(time, now); };
  const auto bar = barOf(job, false);
  if (bar && bar->runs)
    return bar->to.isValid()
               ? QueueModel::tr("since %1, ends by %2").arg(moment(bar->from), moment(bar->to))
               : QueueModel::tr("since %1, without a limit").arg(moment(bar->from));
  if (bar)
    return bar->to.isValid()
               ? QueueModel::tr("planned from %1 to %2").arg(moment(bar->from), moment(bar->to))
               : QueueModel::tr("planned from %1, without a limit").arg(moment(bar->from));
  if (!job.waits()) return QueueModel::tr("start not known");
  if (!neverStarts(job.reason).isEmpty()) return QueueModel::tr("will never start as it is");
  if (job.after.isEmpty()) return QueueModel::tr("no start planned");
  QStringList jobs;
  for (const qint64 each : job.after) jobs << QString::number(each);
  return QueueModel::tr("after %1, no start planned").arg(jobs.join(QStringLiteral(", ")));
}

double QueueAxis::at(const QDateTime& time) const {
  return static_cast<double>(from.msecsTo(time)) / static_cast<double>(from.msecsTo(to));
}

QueueAxis axisOf(const std::vector<QueueBar>& bars, const QDateTime& now) {
  // Whose times are looked at: ours, or else what is planned, or else what runs.
  const auto secondsOf = [&](auto counts) {
    qint64 most = 0;
    for (const QueueBar& bar : bars) {
      if (counts(bar)) most = std::max(most, now.secsTo(bar.to.isValid() ? bar.to : bar.from));
    }
    return most;
  };
  qint64 seconds = secondsOf([](const QueueBar& bar) { return bar.own; });
  if (seconds <= 0)
    seconds = std::min(day, secondsOf([](const QueueBar& bar) { return !bar.runs; }));
  if (seconds <= 0)
    seconds = std::min(day, secondsOf([](const QueueBar& bar) { return bar.runs; }));
  seconds = std::max(hour, static_cast<qint64>(static_cast<double>(seconds) * room));
  // Whole steps, so that it stays while the queue moves.
  const qint64 step = stepFor(seconds, 7);
  seconds = (seconds + step - 1) / step * step;
  const auto past = static_cast<qint64>(static_cast<double>(seconds) * pastShare);
  return {now, now.addSecs(-past), now.addSecs(seconds)};
}

std::vector<AxisTick> ticksOf(const QueueAxis& axis, int most) {
  std::vector<AxisTick> ticks;
  const qint64 step = stepFor(axis.now.secsTo(axis.to), most);
  for (QDateTime at = firstTick(axis.now, step); at < axis.to; at = at.addSecs(step)) {
    const bool isDay = step >= day || at.time() == QTime(0, 0);
    ticks.push_back(
        {at, QLocale::c().toString(at, isDay ? QStringLiteral("d MMM") : QStringLiteral("HH:mm"))});
  }
  return ticks;
}

std::vector<AxisTick> ticksIn(const QueueAxis& axis, int width) {
  const int one =
      QFontMetrics(tickFont(false)).horizontalAdvance(QStringLiteral("88:88")) + tickGap;
  return ticksOf(axis, std::max(1, width / one));
}

// QueueBarDelegate

void QueueBarDelegate::paintContent(QPainter& painter, const QRect& content,
                                    const QStyleOptionViewItem&, const QModelIndex& index,
                                    const theme::Palette& palette) const {
  const auto axis = index.data(QueueModel::AxisRole).value<QueueAxis>();
  if (!axis.now.isValid() || content.width() <= 0) return;
  painter.setRenderHint(QPainter::Antialiasing, false);
  const auto line = [&](const QDateTime& time, Token token) {
    painter.fillRect(
        QRectF(std::round(xOf(axis, time, content)), content.top(), 1, content.height() + 1),
        palette[token]);
  };
  for (const AxisTick& tick : ticksIn(axis, content.width())) line(tick.at, Token::LineGrid);
  const QVariant data = index.data(QueueModel::BarRole);
  const bool hasBar = data.isValid();
  const auto bar = hasBar ? data.value<QueueBar>() : QueueBar{};
  // In front of the bars, which it divides.
  const auto nowInFront = qScopeGuard([&] {
    painter.setRenderHint(QPainter::Antialiasing, false);
    line(axis.now, Token::TextPrimary);
  });
  painter.setRenderHint(QPainter::Antialiasing);
  if (!hasBar || bar.from >= axis.to) {
    const int left = static_cast<int>(xOf(axis, axis.now, content)) + 6;
    paintText(painter, QRect(QPoint(left, content.top()), content.bottomRight()),
              index.data().toString(), palette[Token::TextMuted],
              theme::textFont(theme::TextStyle::Caption, QFont::Normal), Qt::AlignLeft);
    return;
  }
  // A bar that goes on beyond the axis has no end there.
  const bool isOpen = !bar.to.isValid() || bar.to > axis.to;
  const double left = std::max<double>(content.left(), xOf(axis, bar.from, content));
  const double right =
      isOpen ? content.right() + 1 : std::max(left + 3, xOf(axis, bar.to, content));
  QRectF place(left, content.center().y() - barHeight / 2.0 + 0.5, right - left, barHeight);
  QPainterPath shape;
  if (isOpen && place.width() > barHeight) {
    const double tip = barHeight / 2.0;
    shape.moveTo(place.topLeft());
    shape.lineTo(place.right() - tip, place.top());
    shape.lineTo(place.right(), place.center().y());
    shape.lineTo(place.right() - tip, place.bottom());
    shape.lineTo(place.bottomLeft());
    shape.closeSubpath();
  } else {
    shape.addRoundedRect(place, 2, 2);
  }
  const QColor color = palette[bar.own ? Token::Accent : Token::TextMuted];
  if (bar.runs) {
    painter.fillPath(shape, color);
    return;
  }
  painter.setBrush(palette[bar.own ? Token::BgPanel : Token::IdleTint]);
  QPen pen(color, bar.own ? 2 : 1, Qt::SolidLine, Qt::FlatCap);
  pen.setDashPattern(bar.own ? QList<qreal>{2, 1.25} : QList<qreal>{3, 2});
  painter.setPen(pen);
  painter.drawPath(shape);
}

// QueueHeader

void QueueHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
  QHeaderView::paintSection(painter, rect, section);
  if (section != QueueModel::Times) return;
  const auto axis = model()->index(0, section).data(QueueModel::AxisRole).value<QueueAxis>();
  if (!axis.now.isValid()) return;
  const auto palette = theme::Palette::of(this);
  const QRect bars = barsIn(rect);
  painter->save();
  painter->setClipRect(rect);
  const auto label = [&](const QDateTime& time, const QString& text, bool strong) {
    const QFont font = tickFont(strong);
    const int width = QFontMetrics(font).horizontalAdvance(text) + 2;
    const int middle = static_cast<int>(std::round(xOf(axis, time, bars)));
    const int left = std::clamp(middle - width / 2, rect.left() + 2,
                                std::max(rect.left() + 2, rect.right() - width));
    painter->setFont(font);
    painter->setPen(palette[strong ? Token::TextPrimary : Token::TextSecondary]);
    painter->drawText(QRect(left, rect.top(), width, rect.height()), Qt::AlignCenter, text);
    return QRect(left, rect.top(), width, rect.height());
  };
  const QRect now = label(axis.now, tr("now"), true);
  int free = now.right() + tickGap / 2;
  for (const AxisTick& tick : ticksIn(axis, bars.width())) {
    const int width = QFontMetrics(tickFont(false)).horizontalAdvance(tick.text);
    const double middle = xOf(axis, tick.at, bars);
    if (middle - width / 2.0 < free || middle + width / 2.0 > rect.right()) continue;
    free = label(tick.at, tick.text, false).right() + tickGap / 2;
  }
  painter->restore();
}

// QueueView

void QueueView::fitBars() {
  int others = 0;
  for (int column = 0; column < QueueModel::Times; ++column)
    others += isColumnHidden(column) ? 0 : header()->sectionSize(column);
  header()->resizeSection(QueueModel::Times, std::max(leastBars, viewport()->width() - others));
}

void QueueView::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  fitBars();
}

}  // namespace tutti::launcher
