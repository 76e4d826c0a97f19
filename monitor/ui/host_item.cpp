// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/host_item.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "monitor/ui/view_text.h"
#include "resources/theme/format.h"

namespace tutti::monitor {

using theme::State;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

/// "4 s": whole seconds, as ages are everywhere.
QString whole(double seconds) { return QStringLiteral("%1\u202fs").arg(std::floor(seconds)); }

double widthOf(const QString& text, const QFont& font) {
  return QFontMetricsF(font).horizontalAdvance(text) + 1;
}

/// The first of `texts` that fits into `room`; the last of them in any case.
QString fitting(const QStringList& texts, const QFont& font, double room) {
  for (const QString& text : texts) {
    if (widthOf(text, font) <= room) return text;
  }
  return texts.isEmpty() ? QString() : texts.back();
}

bool isAway(HostReach reach) { return reach == HostReach::Unreachable || reach == HostReach::Lost; }

}  // namespace

State stateOf(HostReach reach) {
  switch (reach) {
    case HostReach::Unreachable:
      return State::Warning;
    case HostReach::Lost:
      return State::Dead;
    case HostReach::Starting:
      return State::Starting;
    case HostReach::Ended:
      return State::Idle;
    case HostReach::Back:
      return State::Info;
    case HostReach::Here:
    case HostReach::Answers:
      return State::Running;
  }
  return State::Running;
}

void HostItem::setView(const HostView& view, Federates federates, bool isExecutive, bool text) {
  const auto differ = [](double a, double b) {
    return std::isnan(a) != std::isnan(b) || std::abs(a - b) > 0.004;
  };
  if (differ(user_, view.cpuUser) || differ(system_, view.cpuSystem) ||
      differ(nodeCpu_, view.nodeCpu)) {
    user_ = view.cpuUser;
    system_ = view.cpuSystem;
    nodeCpu_ = view.nodeCpu;
    update(QRectF(0, 0, 60, barTop + barHeight));
  }
  if (!text) return;
  reach_ = view.reach;
  executive_ = isExecutive;
  setTexts(view, federates);
  update();
}

void HostItem::setFigures(const HostView& view) {
  caption_ = QStringLiteral("%1, %2").arg(
      theme::formatNoun(view.processors, QStringLiteral("core"), QStringLiteral("cores")),
      cpuText(view.cpuUser, view.cpuSystem));
  // In the unit of what there is, which formatBytes() chooses.
  const double unit = view.memoryTotal >= 999.5e9 ? 1e12 : view.memoryTotal >= 999.5e6 ? 1e9 : 1e6;
  memory_ = std::isnan(view.memoryTotal) ? theme::noValue()
                                         : QStringLiteral("%1 of %2")
                                               .arg(QString::number(view.memoryUsed / unit, 'f', 1),
                                                    theme::formatBytes(view.memoryTotal));
}

void HostItem::setTexts(const HostView& view, Federates federates) {
  caption_.clear();
  status_.clear();
  second_.clear();
  memory_.clear();
  foot_.clear();
  nodeEnded_ = !view.nodeEnd.isEmpty();
  const QString load =
      std::isnan(view.load) ? QString() : QStringLiteral("load %1").arg(view.load, 0, 'f', 2);
  switch (reach_) {
    case HostReach::Here:
      setFigures(view);
      if (!std::isnan(view.networkPerSecond))
        foot_ << QStringLiteral("Network %1/s, shared memory of the federation %2")
                     .arg(theme::formatBytes(view.networkPerSecond),
                          theme::formatBytes(view.sharedBytes))
              << QStringLiteral("Network %1/s").arg(theme::formatBytes(view.networkPerSecond));
      break;
    case HostReach::Answers:
      if (std::isnan(view.load)) {
        caption_ = QStringLiteral("cannot be watched");
        foot_ << QStringLiteral("What its federates write and how they end is not known here.")
              << QStringLiteral("Logs and ends are not known here");
        break;
      }
      [[fallthrough]];
    case HostReach::Back:
      caption_ = load;
      if (!std::isnan(view.memoryTotal)) setFigures(view);
      if (!std::isnan(view.networkPerSecond)) {
        const QString network =
            QStringLiteral("Network %1/s").arg(theme::formatBytes(view.networkPerSecond));
        foot_ << network + QStringLiteral(", ") + load << network;
      }
      if (reach_ == HostReach::Back)
        status_ = QStringLiteral("back after %1").arg(whole(view.reachSeconds));
      break;
    case HostReach::Starting:
      caption_ = QStringLiteral("has not answered yet");
      status_ = QStringLiteral("starting");
      break;
    case HostReach::Unreachable:
      caption_ = QStringLiteral("values are %1 old").arg(whole(view.reachSeconds));
      status_ = QStringLiteral("unreachable %1").arg(whole(view.reachSeconds));
      if (!std::isnan(view.leftSeconds))
        second_ = QStringLiteral("lost in %1").arg(whole(view.leftSeconds));
      foot_ << QStringLiteral("Their state is not known until %1 answers.").arg(name())
            << QStringLiteral("Not known until %1 answers").arg(name());
      break;
    case HostReach::Lost:
      caption_ = QStringLiteral("given up");
      status_ = QStringLiteral("lost %1 ago").arg(whole(view.reachSeconds));
      foot_ << QStringLiteral("What ran there ends by itself; how it ends is not known.");
      break;
    case HostReach::Ended:
      caption_ = QStringLiteral("ended");
      foot_ << QStringLiteral("All that ran there has ended.");
      break;
  }
  // Known to be made, it says more than what is guessed from a silence.
  if (!view.fault.isEmpty())
    foot_ = {QStringLiteral("Practice fault: %1").arg(view.fault), view.fault};
  const QString joined =
      federates.joined == federates.expected
          ? QStringLiteral("%1 joined").arg(federates.joined)
          : QStringLiteral("%1 of %2 joined").arg(federates.joined).arg(federates.expected);
  bar_.clear();
  if (nodeEnded_) {
    bar_ << view.nodeEnd;
    return;
  }
  if (reach_ == HostReach::Unreachable) {
    bar_ << QStringLiteral("%1, %2 ago").arg(joined, whole(view.reachSeconds));
  } else if (!std::isnan(view.nodeCpu)) {
    bar_ << cpuText(view.nodeCpu, 0) + QStringLiteral(", ") + joined;
  }
  bar_ << joined;
}

QStringList HostItem::texts() const {
  QStringList all{name(), caption_, status_, second_, memory_, bar_.value(0), foot_.value(0)};
  if (executive_) all << QStringLiteral("executive");
  all.removeAll(QString());
  return all;
}

void HostItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget* widget) {
  const theme::Palette palette = paletteFor(widget);
  painter->setRenderHint(QPainter::Antialiasing);
  const QRectF box = body();
  QPen frame(palette[Token::LineStrong], 1);
  if (isAway(reach_)) {
    frame = QPen(theme::colors(stateOf(reach_), palette).fg, 1.5);
    frame.setDashPattern({4, 3});
  }
  painter->setPen(frame);
  painter->setBrush(palette[Token::BgPanel]);
  painter->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), theme::radius::kPopup,
                           theme::radius::kPopup);
  painter->setPen(QPen(palette[Token::LineSubtle], 1));
  painter->drawLine(QPointF(1, headerHeight - 0.5), QPointF(box.width() - 1, headerHeight - 0.5));
  const double growth = textGrowth(detailOf(*painter));
  paintHeader(*painter, growth, palette);
  paintBar(*painter, growth, palette);
  if (!foot_.isEmpty()) {
    const QFont font = grown(textFont(TextStyle::Table), growth);
    const QRectF line(16, box.height() - 34, box.width() - 32, 26);
    drawText(*painter, line, fitting(foot_, font, line.width()), font,
             palette[isAway(reach_) ? Token::TextSecondary : Token::TextMuted]);
  }
}

void HostItem::paintHeader(QPainter& painter, double growth, const theme::Palette& palette) const {
  const double width = size().width();
  paintPie(painter, QRectF(14, 9, 26, 26), user_, system_, palette);
  const QFont label = grown(textFont(TextStyle::Label, QFont::DemiBold), growth);
  const QFont caption = grown(textFont(TextStyle::Table), growth);
  const QFont figure = grown(textFont(TextStyle::Label), growth);
  const bool oneLine = growth > oneLineGrowth;
  const QRectF first =
      oneLine ? QRectF(50, 0, width - 64, headerHeight) : QRectF(50, 5, width - 64, 17);
  const QRectF second = oneLine ? first : QRectF(50, 22, width - 64, 16);

  // On the right: what is wrong, or else how much memory is used.
  double right = first.right();
  if (!status_.isEmpty()) {
    const State state = stateOf(reach_);
    const double length = QFontMetricsF(label).horizontalAdvance(status_) + 1;
    const double side = 13 * growth;
    drawText(painter, QRectF(right - length, first.top(), length, first.height()), status_, label,
             theme::colors(state, palette).fg);
    right -= length + side + 4;
    theme::paintState(painter, QRectF(right, first.center().y() - side / 2, side, side), state,
                      palette);
    if (!oneLine)
      drawText(painter, second, second_, caption, palette[Token::TextSecondary], Qt::AlignRight);
  } else if (!memory_.isEmpty()) {
    const double room = first.width() - widthOf(name(), label) - 14;
    const QString text =
        oneLine ? fitting({QStringLiteral("Memory ") + memory_, memory_, QString()}, figure, room)
                : memory_;
    drawText(painter, second, text, figure, palette[Token::TextPrimary], Qt::AlignRight);
    if (!oneLine)
      drawText(painter, first, QStringLiteral("Memory"), caption, palette[Token::TextMuted],
               Qt::AlignRight);
    right -= widthOf(text, figure);
  }
  const double room = right - first.left() - 8;
  drawText(painter, QRectF(first.left(), first.top(), room, first.height()), name(), label,
           palette[Token::TextPrimary]);
  // In one line only where there is room for all of it.
  const double used = oneLine ? widthOf(name(), label) + 14 : 0;
  const double left = oneLine ? room - used : second.width() * 0.6;
  if (!oneLine || widthOf(caption_, caption) <= left)
    drawText(painter, QRectF(second.left() + used, second.top(), left, second.height()), caption_,
             caption, palette[Token::TextSecondary]);
}

void HostItem::paintBar(QPainter& painter, double growth, const theme::Palette& palette) const {
  const QRectF bar = barRect();
  QPen frame(palette[Token::LineStrong], 1);
  if (isAway(reach_)) frame.setDashPattern({4, 3});
  painter.setPen(frame);
  painter.setBrush(palette[Token::BgSunken]);
  painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), theme::radius::kNode,
                          theme::radius::kNode);
  if (nodeEnded_) {
    theme::paintState(painter, QRectF(bar.left() + 12, bar.top() + 8, 14, 14), State::Dead,
                      palette);
  } else {
    paintPie(painter, QRectF(bar.left() + 10, bar.top() + 6, 18, 18), nodeCpu_,
             std::isnan(nodeCpu_) ? unknown : 0, palette);
  }
  const QFont label = grown(textFont(TextStyle::Label, QFont::DemiBold), growth);
  const QFont caption = grown(textFont(TextStyle::Table), growth);
  const QString node = QStringLiteral("RTI node");
  double left = bar.left() + 38;
  const double nodeWidth = QFontMetricsF(label).horizontalAdvance(node) + 1;
  drawText(painter, QRectF(left, bar.top(), nodeWidth, bar.height()), node, label,
           palette[isAway(reach_) ? Token::TextMuted : Token::TextPrimary]);
  left += nodeWidth + 8;
  const double end = bar.right() - 10;
  const QString tag = QStringLiteral("executive");
  const double tagWidth = widthOf(tag, caption) + 12;
  if (executive_ && left + tagWidth + 8 + widthOf(bar_.value(bar_.size() - 1), caption) <= end) {
    const double height = std::min(bar.height() - 6, 18 * growth);
    const QRectF chip(left, bar.center().y() - height / 2, tagWidth, height);
    painter.setPen(QPen(palette[Token::LineStrong], 1));
    painter.setBrush(palette[Token::BgPanel]);
    painter.drawRoundedRect(chip, theme::radius::kControl, theme::radius::kControl);
    drawText(painter, chip.adjusted(6, 0, 0, 0), tag, caption, palette[Token::TextSecondary]);
    left = chip.right() + 8;
  }
  drawText(painter, QRectF(left, bar.top(), end - left, bar.height()),
           fitting(bar_, caption, end - left), caption, palette[Token::TextSecondary],
           Qt::AlignRight);
}

}  // namespace tutti::monitor
