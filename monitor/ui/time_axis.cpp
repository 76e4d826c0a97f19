// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/time_axis.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "monitor/engine/time_holder.h"
#include "monitor/ui/view_text.h"
#include "resources/theme/format.h"
#include "resources/theme/rows.h"

namespace tutti::monitor {

using theme::State;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int nameWidth = 150;
constexpr int rightMargin = 28;
constexpr int denseRow = 19;
constexpr int noteMargin = 8;  // right of a sentence

/// 1, 2 or 5 times a power of ten that is at least `wanted`.
double niceStep(double wanted) {
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (factor * power >= wanted * 0.999) return factor * power;
  }
  return 10 * power;
}

}  // namespace

TimeAxis::TimeAxis(QWidget* parent) : QAbstractScrollArea(parent) {
  setObjectName(QStringLiteral("timeAxis"));
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setAutoFillBackground(false);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  theme::followRowSize(this, [this] {
    verticalScrollBar()->setSingleStep(rowHeight());
    updateScroll();
    viewport()->update();
  });
  setAccessibleName(tr("Logical time of the federates"));
}

int TimeAxis::rowHeight() { return theme::rowHeight(denseRow); }

void TimeAxis::setSnapshot(const SnapshotPointer& snapshot) {
  stale_ = !snapshot->problem.isEmpty();
  decimals_ = snapshot->timeDecimals;
  std::vector<Row> rows;
  for (const FederateView& view : snapshot->federates) {
    if (!view.timeManaged && view.condition != FederateCondition::Dead) continue;
    Row row{view.name, view.condition, view.time, view.galt, false, {}};
    if (view.condition == FederateCondition::Dead) {
      row.note = view.timeManaged ? tr("died at %1 s and no longer holds time")
                                        .arg(theme::formatTime(view.time.logicalTime, decimals_))
                                  : tr("died");
    } else if (view.condition == FederateCondition::Resigned) {
      row.note = tr("resigned at %1 s").arg(theme::formatTime(view.time.logicalTime, decimals_));
    } else if (view.condition == FederateCondition::LostRti) {
      row.note =
          tr("lost the RTI at %1 s").arg(theme::formatTime(view.time.logicalTime, decimals_));
    } else if (snapshot->standing && snapshot->standing->holder == view.name) {
      row.holds = true;
      row.note = tr("may still send at %1 s, so no federate is granted a later time")
                     .arg(theme::formatTime(snapshot->standing->bound, decimals_));
    }
    rows.push_back(std::move(row));
  }
  if (static_cast<int>(rows.size()) * rowHeight() > viewport()->height() - axisHeight) {
    // Where not all are in sight, those that need someone are.
    const auto rank = [](const Row& row) {
      if (row.holds) return 0;
      return needsSomeone(row.condition) ? 1 + theme::severity(stateOf(row.condition)) : 100;
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row& a, const Row& b) { return rank(a) < rank(b); });
  }
  const bool grown = rows.size() != rows_.size();
  rows_ = std::move(rows);
  updateRange();
  if (grown) updateScroll();
  viewport()->update();
}

void TimeAxis::updateRange() {
  double least = 1e300;
  double most = -1e300;
  for (const Row& row : rows_) {
    if (isOver(row.condition)) continue;
    least = std::min(least, row.time.logicalTime);
    most = std::max(most, row.time.logicalTime);
    if (row.time.advance != TimeReading::Advance::None && row.time.requestedTime < 1e15) {
      most =
          std::max(most, row.time.requestedTime + (row.time.regulating ? row.time.lookahead : 0.0));
    } else if (row.time.regulating) {
      most = std::max(most, row.time.logicalTime + row.time.lookahead);
    }
  }
  if (least > most) return;
  if (most - least < 1e-9) most = least + 1;
  const double span = most - least;
  // The axis stays while all of it fits and fills a third at least; then it moves by whole steps.
  const bool fits = least >= from_ && most <= to_;
  if (fits && span > (to_ - from_) / 4) return;
  step_ = niceStep(span * 1.6 / 7);
  from_ = std::floor((least - span * 0.25) / step_) * step_;
  to_ = std::ceil((most + span * 0.35) / step_) * step_;
}

void TimeAxis::updateScroll() {
  const int content = static_cast<int>(rows_.size()) * rowHeight();
  const int room = viewport()->height() - axisHeight;
  verticalScrollBar()->setPageStep(room);
  verticalScrollBar()->setRange(0, std::max(0, content - room));
}

void TimeAxis::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  updateScroll();
}

double TimeAxis::xOf(double time, int width) const {
  const double share = (time - from_) / (to_ - from_);
  return nameWidth + std::clamp(share, -0.05, 1.05) * (width - nameWidth - rightMargin);
}

void TimeAxis::paintRow(QPainter& painter, const Row& row, int top, int width,
                        const theme::Palette& palette) const {
  const State state = stateOf(row.condition);
  const QRectF band(0, top, width, rowHeight());
  const bool over = isOver(row.condition);
  if (row.holds) {
    painter.fillRect(band, theme::colors(State::Late, palette).tint);
  } else if (row.name == selected_) {
    painter.fillRect(band, palette[Token::BgSelected]);
  }
  theme::paintState(painter, QRectF(16, top + (rowHeight() - 12) / 2.0, 12, 12), state, palette);
  QFont font = textFont(TextStyle::Table, row.holds ? QFont::DemiBold : QFont::Normal);
  painter.setFont(font);
  painter.setPen(over || stale_ ? palette[Token::TextMuted] : palette[Token::TextPrimary]);
  painter.drawText(QRectF(36, top, nameWidth - 44, rowHeight()), Qt::AlignVCenter | Qt::AlignLeft,
                   QFontMetricsF(font).elidedText(row.name, Qt::ElideRight, nameWidth - 44));
  const double middle = top + rowHeight() / 2.0;
  const double granted = xOf(row.time.logicalTime, width);
  painter.setFont(textFont(TextStyle::Caption, row.holds ? QFont::DemiBold : QFont::Normal));
  const QFont noteFont = painter.font();
  const auto writeNote = [&](const std::vector<Span>& marks, double from) {
    const QFontMetricsF metrics(noteFont);
    const Span place =
        notePlace(marks, metrics.horizontalAdvance(row.note) + 2, from, width - noteMargin);
    painter.setFont(noteFont);
    painter.drawText(QRectF(place.from, top, place.length(), rowHeight()),
                     Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(row.note, Qt::ElideRight, place.length()));
  };
  if (over) {
    painter.setPen(palette[Token::TextMuted]);
    const double length = QFontMetricsF(noteFont).horizontalAdvance(row.note) + 2;
    writeNote({}, std::max<double>(nameWidth, std::min(granted, width - noteMargin - length)));
    return;
  }
  const bool asked = row.time.advance != TimeReading::Advance::None;
  const double reached = asked ? row.time.requestedTime : row.time.logicalTime;
  std::vector<Span> marks{{granted - 4, granted + 4}};
  if (row.time.regulating && row.time.lookahead > 0) {
    // What it may still send begins where the bar ends.
    const double from = xOf(reached, width);
    const double to = xOf(reached + row.time.lookahead, width);
    const QRectF bar(from, middle - 3.5, std::max(to - from, 1.0), 7);
    if (row.holds) {
      painter.setPen(QPen(palette[Token::LateFg], 1));
      painter.setBrush(palette[Token::LateFill]);
      painter.drawRect(bar);
    } else {
      QColor fill = palette[Token::Series1];
      fill.setAlphaF(static_cast<float>(theme::opacity::kLookahead));
      painter.fillRect(bar, fill);
    }
    painter.setPen(QPen(row.holds ? palette[Token::LateFg] : palette[Token::Series1], 1.5));
    painter.drawLine(QPointF(to, middle - 5.5), QPointF(to, middle + 5.5));
    marks.push_back({from, to + 1});
  }
  if (asked) {
    const double x = xOf(row.time.requestedTime, width);
    QPen dots(palette[Token::TextSecondary], 1);
    dots.setDashPattern({2, 2});
    painter.setPen(dots);
    painter.drawLine(QPointF(granted + 5, middle), QPointF(x - 7, middle));
    QPainterPath triangle;
    triangle.moveTo(x - 7, middle - 5);
    triangle.lineTo(x, middle);
    triangle.lineTo(x - 7, middle + 5);
    triangle.closeSubpath();
    painter.setPen(QPen(palette[Token::TextPrimary], 1.2));
    painter.setBrush(palette[Token::BgCanvas]);
    painter.drawPath(triangle);
    marks.push_back({std::min(granted, x - 7), x});
  }
  if (row.galt) {
    const double x = xOf(*row.galt, width);
    painter.setPen(QPen(theme::colors(State::Paused, palette).fg, 1.6));
    painter.drawLine(QPointF(x, middle - 7), QPointF(x, middle + 5));
    marks.push_back({x - 1, x + 1});
  }
  if (row.time.leastStamp) {
    const double x = xOf(*row.time.leastStamp, width);
    QPainterPath mark;
    mark.moveTo(x - 4, middle + 8);
    mark.lineTo(x, middle + 2);
    mark.lineTo(x + 4, middle + 8);
    mark.closeSubpath();
    painter.fillPath(mark, palette[Token::Series3]);
    marks.push_back({x - 4, x + 4});
  }
  painter.fillRect(QRectF(granted - 4, middle - 4, 8, 8), palette[Token::TextPrimary]);
  if (!row.note.isEmpty()) {
    painter.setPen(theme::colors(State::Late, palette).fg);
    writeNote(marks, nameWidth);
  }
}

TimeAxis::Span TimeAxis::notePlace(std::vector<Span> marks, double length, double left,
                                   double right) {
  constexpr double gap = 8;
  std::sort(marks.begin(), marks.end(),
            [](const Span& a, const Span& b) { return a.from < b.from; });
  std::vector<Span> free;
  double at = left;
  for (const Span& mark : marks) {
    if (mark.from - gap > at) free.push_back({at, mark.from - gap});
    at = std::max(at, mark.to + gap);
  }
  if (at < right) free.push_back({at, right});
  if (free.empty()) return {left, left};
  if (free.back().to == right && free.back().length() >= length) {
    return {free.back().from, free.back().from + length};
  }
  // Next to the marks, not at the name.
  if (free.front().from == left && free.front().length() >= length) {
    return {free.front().to - length, free.front().to};
  }
  return *std::max_element(free.begin(), free.end(), [](const Span& a, const Span& b) {
    return a.length() < b.length();
  });
}

void TimeAxis::paintAxis(QPainter& painter, int top, int width, int gridTop,
                         const theme::Palette& palette) const {
  painter.fillRect(QRect(0, top, width, axisHeight), palette[Token::BgPanel]);
  painter.setPen(QPen(palette[Token::LineSubtle], 1));
  painter.drawLine(0, top, width, top);
  const QFont font = textFont(TextStyle::Caption, QFont::Normal);
  painter.setFont(font);
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step_) - 1e-9)));
  const auto count = static_cast<int>(std::lround((to_ - from_) / step_));
  for (int i = 0; i <= count; ++i) {
    const double time = from_ + i * step_;
    const double x = xOf(time, width);
    if (gridTop >= 0) {
      painter.setPen(QPen(palette[Token::LineGrid], 1));
      painter.drawLine(QPointF(x, gridTop), QPointF(x, top));
    }
    painter.setPen(palette[Token::TextMuted]);
    QString text = theme::formatFixed(time, decimals);
    if (i == count) text += QStringLiteral(" s");
    painter.drawText(QRectF(x - 50, top + 1, 100, axisHeight - 1), Qt::AlignCenter, text);
  }
}

void TimeAxis::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const theme::Palette palette = theme::Palette::of(this);
  const int width = viewport()->width();
  const int height = viewport()->height();
  painter.fillRect(viewport()->rect(), palette[Token::BgCanvas]);
  if (rows_.empty()) {
    painter.setFont(textFont(TextStyle::Body));
    painter.setPen(palette[Token::TextMuted]);
    painter.drawText(viewport()->rect(), Qt::AlignCenter,
                     tr("Federates that regulate time or are constrained appear here when they "
                        "join."));
    return;
  }
  painter.setRenderHint(QPainter::Antialiasing);
  const int offset = verticalScrollBar()->value();
  const int bottom = height - axisHeight;
  paintAxis(painter, bottom, width, 0, palette);
  painter.setClipRect(0, 0, width, bottom);
  const int first = offset / rowHeight();
  const int last = std::min(static_cast<int>(rows_.size()) - 1, (offset + bottom) / rowHeight());
  for (int row = first; row <= last; ++row) {
    painter.setPen(QPen(palette[Token::LineSubtle], 1));
    painter.drawLine(0, (row + 1) * rowHeight() - offset, width, (row + 1) * rowHeight() - offset);
    paintRow(painter, rows_[static_cast<std::size_t>(row)], row * rowHeight() - offset, width,
             palette);
  }
}

QSize TimeAxis::fullSize() const {
  return {std::max(viewport()->width(), 800),
          static_cast<int>(rows_.size()) * rowHeight() + axisHeight};
}

void TimeAxis::renderAll(QPainter& painter, const QSize& size,
                         const theme::Palette& palette) const {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(QRect({}, size), palette[Token::BgCanvas]);
  paintAxis(painter, size.height() - axisHeight, size.width(), 0, palette);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    paintRow(painter, rows_[row], static_cast<int>(row) * rowHeight(), size.width(), palette);
  }
}

void TimeAxis::select(const QString& federate) {
  if (selected_ == federate) return;
  selected_ = federate;
  viewport()->update();
}

void TimeAxis::mousePressEvent(QMouseEvent* event) {
  const auto row = static_cast<std::size_t>(
      (static_cast<int>(event->position().y()) + verticalScrollBar()->value()) / rowHeight());
  if (row < rows_.size() && event->position().y() < viewport()->height() - axisHeight) {
    emit federateSelected(rows_[row].name);
  }
}

bool TimeAxis::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto index =
      static_cast<std::size_t>((help->pos().y() + verticalScrollBar()->value()) / rowHeight());
  QString text;
  if (index < rows_.size() && help->pos().y() < viewport()->height() - axisHeight) {
    const Row& row = rows_[index];
    const auto time = [&](std::optional<double> value) {
      return value ? theme::formatTime(*value, decimals_) + QStringLiteral(" s") : theme::noValue();
    };
    text = tr("%1, from its time slot\ngranted %2, requested %3, lookahead %4\n"
              "GALT %5, from the others' slots; least stamp in its queue %6")
               .arg(row.name, time(row.time.logicalTime),
                    time(row.time.advance == TimeReading::Advance::None
                             ? std::nullopt
                             : std::optional(row.time.requestedTime)),
                    time(row.time.regulating ? std::optional(row.time.lookahead) : std::nullopt),
                    time(row.galt), time(row.time.leastStamp));
    if (!row.note.isEmpty()) text.prepend(QStringLiteral("%1 %2\n").arg(row.name, row.note));
  }
  QToolTip::showText(help->globalPos(), text, viewport());
  return true;
}

}  // namespace tutti::monitor
