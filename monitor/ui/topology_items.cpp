// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/topology_items.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <QWidget>
#include <algorithm>
#include <cmath>

#include "monitor/ui/view_text.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"

namespace tutti::monitor {

using theme::State;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

/// Zoom from which a federate shows all, and from which its name at least.
constexpr double fullDetail = 0.7;
constexpr double nameDetail = 0.35;
/// Where the view is small, texts of groups and hosts are drawn larger, up to so much.
constexpr double largestGrowth = 1.6;
/// Groups of more show how their processor time spreads.
constexpr std::size_t spreadFrom = 40;

QString rateText(double perSecond) { return theme::formatRate(perSecond); }

}  // namespace

double textGrowth(double zoom) { return std::clamp(1 / zoom, 1.0, largestGrowth); }

double detailOf(const QPainter& painter) {
  return QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter.worldTransform());
}

QFont grown(QFont font, double growth) {
  font.setPixelSize(static_cast<int>(std::lround(font.pixelSize() * growth)));
  return font;
}

void drawText(QPainter& painter, const QRectF& rect, const QString& text, const QFont& font,
              const QColor& color, Qt::Alignment alignment) {
  painter.setFont(font);
  painter.setPen(color);
  painter.drawText(rect, static_cast<int>(alignment | Qt::AlignVCenter),
                   QFontMetricsF(font).elidedText(text, Qt::ElideRight, rect.width()));
}

theme::Palette paletteFor(const QWidget* widget) {
  return widget != nullptr ? theme::Palette::of(widget) : theme::Palette(theme::Mode::Light);
}

// FederateItem

void FederateItem::setView(const FederateView& view, bool text, bool stale) {
  const bool changed = view.condition != condition_ || stale != stale_;
  if (text || changed) {
    condition_ = view.condition;
    stale_ = stale;
    cpu_ = cpuText(view.cpuUser, view.cpuSystem);
    switch (view.condition) {
      case FederateCondition::Running: {
        const bool sends = !(view.receivedPerSecond > view.sentPerSecond);
        second_ = (sends ? QStringLiteral("↑ ") : QStringLiteral("↓ ")) +
                  rateText(sends ? view.sentPerSecond : view.receivedPerSecond);
        break;
      }
      case FederateCondition::Stopped:
        second_ = QStringLiteral("stopped %1 s").arg(std::floor(view.secondsSinceActivity));
        break;
      default:
        second_ = view.detail;
    }
    update();
  }
  const auto differ = [](double a, double b) {
    return std::isnan(a) != std::isnan(b) || std::abs(a - b) > 0.004;
  };
  if (differ(user_, view.cpuUser) || differ(system_, view.cpuSystem)) {
    user_ = view.cpuUser;
    system_ = view.cpuSystem;
    update(pieRect().adjusted(-1, -1, 1, 1));
  }
}

void FederateItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget* widget) {
  const theme::Palette palette = paletteFor(widget);
  const double detail = detailOf(*painter);
  const State state = stateOf(condition_);
  const bool loud = needsSomeone(condition_);
  const theme::StateColors colors = theme::colors(state, palette);
  painter->setRenderHint(QPainter::Antialiasing);
  const QRectF box = body();

  QPen border(loud ? colors.fg : palette[Token::LineStrong], loud ? 1.5 : 1);
  const bool silent = condition_ == FederateCondition::OutOfReach;
  if (silent) border.setColor(colors.fg);
  if (silent || condition_ == FederateCondition::Dead) border.setDashPattern({3, 2});
  const QColor fill = loud ? colors.tint : palette[Token::BgRaised];
  painter->setPen(Qt::NoPen);
  painter->setBrush(fill);
  painter->drawRoundedRect(box, theme::radius::kNode, theme::radius::kNode);
  if (loud) {
    painter->save();
    QPainterPath clip;
    clip.addRoundedRect(box, theme::radius::kNode, theme::radius::kNode);
    painter->setClipPath(clip, Qt::IntersectClip);
    painter->fillRect(QRectF(box.left(), box.top(), 5, box.height()), colors.fill);
    painter->restore();
  }
  painter->setBrush(Qt::NoBrush);
  painter->setPen(border);
  painter->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), theme::radius::kNode,
                           theme::radius::kNode);
  if (isSelected()) {
    painter->setPen(QPen(palette[Token::Accent], 2));
    painter->drawRoundedRect(box, theme::radius::kNode, theme::radius::kNode);
  }

  if (detail < nameDetail) {
    theme::paintState(*painter, QRectF(box.center() - QPointF(12, 12), QSizeF(24, 24)), state,
                      palette);
    return;
  }
  const QColor strong =
      condition_ == FederateCondition::Dead || stale_ || silent
          ? palette[condition_ == FederateCondition::Dead ? Token::TextPrimary : Token::TextMuted]
          : palette[Token::TextPrimary];
// Out of reach is a hollow ring: neither late nor dead.
  theme::paintState(*painter, QRectF(box.right() - 21, box.top() + 8, 13, 13),
                    silent ? State::Idle : state, palette);
  if (detail < fullDetail) {
    QFont font = textFont(TextStyle::Heading);
    font.setPixelSize(16);
    drawText(*painter, box.adjusted(10, 6, -24, -6), name(), font, strong);
    return;
  }
  paintPie(*painter, pieRect(), user_, system_, palette);
  QFont nameFont = textFont(TextStyle::Label, QFont::DemiBold);
  drawText(*painter, QRectF(42, 6, box.width() - 66, 18), name(), nameFont, strong);
  const QFont second = textFont(TextStyle::Table);
  const QRectF line(42, 25, box.width() - 50, 16);
  if (condition_ == FederateCondition::Running) {
    const QColor muted = palette[Token::TextMuted];
    drawText(*painter, QRectF(line.left(), line.top(), 38, line.height()), cpu_, second,
             stale_ ? muted : palette[Token::TextPrimary]);
    drawText(*painter, QRectF(line.left() + 36, line.top(), line.width() - 36, line.height()),
             second_, second, stale_ ? muted : palette[Token::TextSecondary], Qt::AlignRight);
  } else {
    drawText(*painter, line, second_, second,
             loud || silent ? colors.fg : palette[Token::TextMuted]);
  }
}

// GroupItem

int GroupItem::columnsFor(std::size_t cells, int across) {
  constexpr int least = 12;  // the header needs their width
  return std::clamp(static_cast<int>(cells), least, std::max(across, least));
}

QSizeF GroupItem::sizeFor(std::size_t cells, int across) {
  const int columns = columnsFor(cells, across);
  const auto rows = static_cast<double>((cells + static_cast<std::size_t>(columns) - 1) /
                                        static_cast<std::size_t>(columns));
  const double chart = cells > spreadFrom ? 78 : 0;
  return {24 + columns * pitch - (pitch - cell), headerHeight + rows * pitch + 10 + chart};
}

void GroupItem::setCells(std::vector<Cell> cells, double out, double in, bool text) {
  bool changed = text || cells.size() != cells_.size();
  for (std::size_t i = 0; !changed && i < cells.size(); ++i) {
    changed =
        cells[i].condition != cells_[i].condition || std::abs(cells[i].cpu - cells_[i].cpu) > 0.02;
  }
  if (!changed) return;
  cells_ = std::move(cells);
  if (!open_) setSize(sizeFor(cells_.size(), across_));
  if (text) {
    count_ = theme::formatNoun(static_cast<qint64>(cells_.size()), QStringLiteral("federate"),
                               QStringLiteral("federates"));
    const bool sends = !(in > out);
    rate_ =
        rateText(sends ? out : in) + (sends ? QStringLiteral("/s out") : QStringLiteral("/s in"));
    histogram_.assign(10, 0);
    std::vector<double> known;
    for (const Cell& each : cells_) {
      if (std::isnan(each.cpu)) continue;
      known.push_back(each.cpu);
      ++histogram_[static_cast<std::size_t>(std::clamp(each.cpu * 10, 0.0, 9.0))];
    }
    spread_.clear();
    if (!known.empty()) {
      std::sort(known.begin(), known.end());
      spread_ = QStringLiteral("median %1, highest %2")
                    .arg(cpuText(known[known.size() / 2], 0), cpuText(known.back(), 0));
    }
  }
  update();
}

void GroupItem::setOpen(bool open, QSizeF openSize) {
  open_ = open;
  setSize(open ? openSize : sizeFor(cells_.size(), across_));
  update();
}

QString GroupItem::federateAt(QPointF position) const {
  if (open_) return {};
  const double x = position.x() - 12;
  const double y = position.y() - headerHeight;
  if (x < 0 || y < 0) return {};
  const int columns = columnsFor(cells_.size(), across_);
  const int column = static_cast<int>(x / pitch);
  const int row = static_cast<int>(y / pitch);
  if (column >= columns) return {};
  const auto at = static_cast<std::size_t>(row * columns + column);
  return at < cells_.size() ? cells_[at].federate : QString();
}

void GroupItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget* widget) {
  const theme::Palette palette = paletteFor(widget);
  painter->setRenderHint(QPainter::Antialiasing);
  const QRectF box = body();
  State worst = State::Running;
  for (const Cell& each : cells_) {
    if (needsSomeone(each.condition)) worst = theme::worse(worst, stateOf(each.condition));
  }
  const bool loud = worst != State::Running;
  QPen pen(loud ? theme::colors(worst, palette).fg : palette[Token::LineStrong], loud ? 1.5 : 1);
  if (open_) pen.setDashPattern({4, 3});
  painter->setPen(pen);
  painter->setBrush(open_ ? palette[Token::BgCanvas] : palette[Token::BgRaised]);
  painter->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), theme::radius::kPopup,
                           theme::radius::kPopup);
  if (isSelected()) {
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(palette[Token::Accent], 2));
    painter->drawRoundedRect(box, theme::radius::kPopup, theme::radius::kPopup);
  }
  const double growth = textGrowth(detailOf(*painter));
  paintHeader(*painter, growth, palette);
  if (open_) return;

  const int columns = columnsFor(cells_.size(), across_);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const int column = static_cast<int>(i) % columns;
    const int row = static_cast<int>(i) / columns;
    const QRectF rect(12 + column * pitch, headerHeight + row * pitch, cell, cell);
    const Cell& each = cells_[i];
    if (needsSomeone(each.condition) || each.condition == FederateCondition::Starting ||
        each.condition == FederateCondition::Held ||
        each.condition == FederateCondition::Resigned ||
        each.condition == FederateCondition::LostRti) {
      theme::paintState(*painter, rect.adjusted(-0.5, -0.5, 0.5, 0.5), stateOf(each.condition),
                        palette);
      continue;
    }
    if (each.condition == FederateCondition::OutOfReach) {
      painter->setPen(QPen(theme::colors(State::Warning, palette).fg, 1.5));
      painter->setBrush(Qt::NoBrush);
      painter->drawEllipse(rect.adjusted(1.5, 1.5, -1.5, -1.5));
      continue;
    }
    painter->setPen(Qt::NoPen);
    painter->setBrush(heatColor(each.cpu, palette));
    painter->drawRoundedRect(rect, theme::radius::kCell, theme::radius::kCell);
  }
  if (cells_.size() > spreadFrom) paintSpread(*painter, growth, palette);
}

void GroupItem::paintHeader(QPainter& painter, double growth, const theme::Palette& palette) const {
  const double width = size().width();
  const bool oneLine = growth > oneLineGrowth;
  const QRectF first =
      oneLine ? QRectF(26, 0, width - 38, headerHeight) : QRectF(26, 5, width - 38, 18);
  const QRectF second = oneLine ? first : QRectF(26, 22, width - 38, 16);
  // An arrow: closed, or open.
  painter.setPen(QPen(palette[Token::TextSecondary], 1.4 * growth, Qt::SolidLine, Qt::RoundCap,
                      Qt::RoundJoin));
  const QPointF arrow(15, first.center().y());
  if (open_) {
    painter.drawPolyline(
        QPolygonF{arrow + QPointF(-4, -2), arrow + QPointF(0, 2), arrow + QPointF(4, -2)});
  } else {
    painter.drawPolyline(
        QPolygonF{arrow + QPointF(-2, -4), arrow + QPointF(2, 0), arrow + QPointF(-2, 4)});
  }

  const QFont label = grown(textFont(TextStyle::Label, QFont::DemiBold), growth);
  const QFont caption = grown(textFont(TextStyle::Table), growth);
  double right = first.right();
  const auto badge = [&](FederateCondition condition) {
    const auto number = std::count_if(cells_.begin(), cells_.end(), [&](const Cell& each) {
      return each.condition == condition;
    });
    if (number == 0) return;
    const State state = stateOf(condition);
    const QString text = QString::number(number);
    const double textWidth = QFontMetricsF(label).horizontalAdvance(text);
    const double side = 12 * growth;
    drawText(painter, QRectF(right - textWidth, first.top(), textWidth + 1, first.height()), text,
             label, theme::colors(state, palette).fg);
    right -= textWidth + side + 4;
    theme::paintState(painter, QRectF(right, first.center().y() - side / 2, side, side), state,
                      palette);
    right -= 8 * growth;
  };
  for (const FederateCondition condition : {FederateCondition::Dead, FederateCondition::OutOfReach,
                                            FederateCondition::Late, FederateCondition::Stopped}) {
    badge(condition);
  }
  const double nameWidth = QFontMetricsF(label).horizontalAdvance(name()) + 1;
  drawText(painter, QRectF(first.left(), first.top(), right - first.left(), first.height()), name(),
           label, palette[Token::TextPrimary]);
  const QFontMetricsF metrics(caption);
  const double rateWidth = metrics.horizontalAdvance(rate_) + 1;
  const double rateRight = oneLine ? right : second.right();
  // By the widest rate, so that it does not come and go with its digits.
  const double widest = metrics.horizontalAdvance(QStringLiteral("8.88\u202fk/s out"));
  if (!oneLine || first.left() + nameWidth + 12 + widest <= rateRight) {
    drawText(painter, QRectF(rateRight - rateWidth, second.top(), rateWidth, second.height()),
             rate_, caption, palette[Token::TextSecondary], Qt::AlignRight);
  }
  if (!oneLine) {
    drawText(painter, second.adjusted(0, 0, -rateWidth - 6, 0), count_, caption,
             palette[Token::TextMuted]);
  }
}

void GroupItem::paintSpread(QPainter& painter, double growth, const theme::Palette& palette) const {
  // How processor time spreads over the group, in tenths of a processor.
  const QFont caption = grown(textFont(TextStyle::Table), growth);
  const double bottom = size().height() - 14;
  const QRectF line(12, size().height() - 78, size().width() - 24, 18 * growth);
  const QString title = QStringLiteral("CPU, all %1").arg(cells_.size());
  const QFontMetricsF metrics(caption);
  const double titleWidth = metrics.horizontalAdvance(title) + 12;
  if (titleWidth + metrics.horizontalAdvance(spread_) <= line.width()) {
    drawText(painter, line, title, caption, palette[Token::TextMuted]);
  }
  drawText(painter, line, spread_, caption, palette[Token::TextPrimary], Qt::AlignRight);
  const int most = std::max(1, *std::max_element(histogram_.begin(), histogram_.end()));
  const double width = line.width() / static_cast<double>(histogram_.size());
  const double room = bottom - line.bottom() - 2;
  for (std::size_t i = 0; i < histogram_.size(); ++i) {
    const double height = std::max(room * histogram_[i] / most, 1.0);
    painter.fillRect(QRectF(line.left() + static_cast<double>(i) * width + 1, bottom - height,
                            width - 2, height),
                     heatColor((static_cast<double>(i) + 0.5) / 10, palette));
  }
}

// LinkItem

void LinkItem::setPath(const QPainterPath& path) {
  prepareGeometryChange();
  path_ = path;
  updateBounds();
}

void LinkItem::setQueueRect(QRectF rect, QPointF labelAt) {
  prepareGeometryChange();
  queue_ = rect;
  queueLabelAt_ = labelAt;
  updateBounds();
}

void LinkItem::updateBounds() {
  bounds_ = path_.boundingRect().adjusted(-8, -8, 8, 8);
  if (!queue_.isEmpty()) {
    bounds_ |= queue_.adjusted(-2, -2, 2, 2);
    bounds_ |= queueLabelRect();
  }
}

void LinkItem::setView(double perSecond, double fill, Style style, bool text) {
  if (text || style != style_) {
    const double width = linkWidth(perSecond);
    const QString rate = rateText(perSecond);
    const QString queueLabel = queueText(fill);
    if (std::abs(width - width_) > 0.05 || rate != rate_ || queueLabel != queueLabel_ ||
        style != style_) {
      width_ = width;
      rate_ = rate;
      queueLabel_ = queueLabel;
      style_ = style;
      setToolTip(
          from_.isEmpty()
              ? QString()
              : QStringLiteral("%1%2 to %3: %4 messages/s, mean of 5 s, from the ring's "
                               "counter%5")
                    .arg(classes_.isEmpty()
                             ? QString()
                             : classes_.join(QStringLiteral(", ")) + QStringLiteral("\n"),
                         from_, to_, rate_,
                         queueLabel_.isEmpty() ? QString() : QStringLiteral("\n") + queueLabel_));
      update();
    }
  }
  if (std::isnan(fill) != std::isnan(fill_) || std::abs(fill - fill_) > 0.01) {
    fill_ = fill;
    if (!queue_.isEmpty()) update(queue_.adjusted(-2, -2, 2, 2));
  }
}

void LinkItem::setDimmed(bool dimmed) {
  if (dimmed_ == dimmed) return;
  dimmed_ = dimmed;
  update();
}

QPainterPath LinkItem::shape() const {
  QPainterPathStroker stroker;
  stroker.setWidth(std::max(width_, 8.0));
  return stroker.createStroke(path_);
}

void LinkItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget* widget) {
  const theme::Palette palette = paletteFor(widget);
  painter->setRenderHint(QPainter::Antialiasing);
  if (dimmed_) painter->setOpacity(theme::opacity::kEdgeDimmed);
  // A cosmetic pen counts pixels of the device.
  const double ratio = painter->device()->devicePixelRatioF();
  QPen pen(theme::colors(State::Running, palette).fill, width_ * ratio);
  pen.setCapStyle(Qt::FlatCap);
  pen.setJoinStyle(Qt::RoundJoin);
  pen.setCosmetic(true);
  if (style_ == Style::Dead) {
    pen.setColor(theme::colors(State::Dead, palette).fill);
    pen.setWidthF(1.5 * ratio);
    pen.setDashPattern({2, 2});
  } else if (style_ == Style::Silent) {
    pen.setColor(theme::colors(State::Warning, palette).fg);
    pen.setWidthF(1.5 * ratio);
    pen.setDashPattern({4, 3});
  }
  painter->setPen(pen);
  painter->setBrush(Qt::NoBrush);
  painter->drawPath(path_);
  if (!queueLabel_.isEmpty() && !queue_.isEmpty()) {
    const bool full = fill_ >= 0.5;
    painter->setPen(QPen(palette[full ? Token::LateFg : Token::LineControl], 1));
    painter->setBrush(palette[Token::BgPanel]);
    painter->drawRect(queue_);
    QRectF level = queue_.adjusted(0.5, 0.5, -0.5, -0.5);
    level.setTop(level.bottom() - level.height() * std::clamp(fill_, 0.0, 1.0));
    painter->fillRect(level, full ? palette[Token::LateFill] : palette[Token::RunningFill]);
    drawText(*painter, queueLabelRect(), queueLabel_,
             grown(textFont(TextStyle::Caption), textGrowth(detailOf(*painter))),
             palette[full ? Token::LateFg : Token::TextMuted]);
  }
}

// RateItem

namespace {

constexpr double chipPadding = 6;
constexpr double chipLine = 16;
constexpr double widestClasses = 96;
constexpr double widestRate = 54;

QFont chipFont(double growth) {
  return grown(textFont(TextStyle::Caption, QFont::DemiBold), growth);
}

}  // namespace

void RateItem::setClasses(const QStringList& classes) {
  prepareGeometryChange();
  classes_ = classes.value(0);
  if (classes.size() > 1) classes_ += QStringLiteral(" +%1").arg(classes.size() - 1);
}

void RateItem::setView(double perSecond) {
  const QString text = perSecond > 0 ? rateText(perSecond) + QStringLiteral("/s") : QString();
  if (text == text_) return;
  text_ = text;
  update();
}

void RateItem::setWarning(const QStringList& lines) {
  if (lines == warning_) return;
  prepareGeometryChange();
  warning_ = lines;
  update();
}

QStringList RateItem::lines() const {
  if (!warning_.isEmpty()) return warning_;
  QStringList lines;
  if (!classes_.isEmpty()) lines << classes_;
  if (!text_.isEmpty()) lines << text_;
  return lines;
}

QRectF RateItem::room(double growth) const {
  double widest = widestRate;
  for (const QString& line : warning_.isEmpty() ? QStringList{classes_} : warning_) {
    widest = std::max(
        widest, std::min(QFontMetricsF(chipFont(1)).horizontalAdvance(line) + 1, widestClasses));
  }
  const double width = growth * (widest + 2 * chipPadding) + 2;
  const auto count =
      static_cast<double>(warning_.isEmpty() ? (classes_.isEmpty() ? 1 : 2) : warning_.size());
  const double height = growth * (chipLine * count + 2) + 2;
  return {-width / 2, -height / 2, width, height};
}

QRectF RateItem::boundingRect() const { return room(largestGrowth); }

void RateItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget* widget) {
  const QStringList shown = lines();
  if (shown.isEmpty()) return;
  const theme::Palette palette = paletteFor(widget);
  painter->setRenderHint(QPainter::Antialiasing);
  const double growth = textGrowth(detailOf(*painter));
  const QFont font = chipFont(growth);
  const QFontMetricsF metrics(font);
  double width = 0;
  for (const QString& line : shown) width = std::max(width, metrics.horizontalAdvance(line));
  width = std::min(width, widestClasses * growth) + 2 * chipPadding * growth;
  const double line = chipLine * growth;
  const double height = line * static_cast<double>(shown.size()) + 2 * growth;
  const QRectF chip(-width / 2, -height / 2, width, height);
  const bool warns = !warning_.isEmpty();
  const theme::StateColors warning = theme::colors(State::Warning, palette);
  painter->setPen(QPen(warns ? warning.fg : palette[Token::RunningFill], 1));
  painter->setBrush(warns ? warning.tint : palette[Token::BgPanel]);
  const double radius = std::min(height / 2, 9 * growth);
  painter->drawRoundedRect(chip, radius, radius);
  QRectF row(chip.left() + chipPadding * growth, chip.top() + growth,
             chip.width() - 2 * chipPadding * growth, line);
  for (const QString& text : shown) {
    const bool isRate = text == text_;
    drawText(*painter, row.adjusted(-1, 0, 1, 0), text, font,
             warns
                 ? warning.fg
                 : palette[isRate && shown.size() > 1 ? Token::TextSecondary : Token::TextPrimary],
             Qt::AlignHCenter);
    row.translate(0, line);
  }
}

}  // namespace tutti::monitor
