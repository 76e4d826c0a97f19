// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/run_legends.h"

#include <QPainter>
#include <QPainterPath>

#include "monitor/ui/view_text.h"
#include "resources/theme/state.h"
#include "resources/theme/theme.h"

namespace tutti::monitor {

using theme::State;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int legendHeight = 24;

/// Words and marks one after the other; draws them where there is a painter and room for them.
class Line {
 public:
  Line(QPainter* painter, const QWidget* on)
      : painter_(painter),
        room_(painter != nullptr ? on->width() : 1 << 20),
        palette_(theme::Palette::of(on)),
        font_(textFont(TextStyle::Table)),
        metrics_(font_) {
    if (painter_ == nullptr) return;
    painter_->setRenderHint(QPainter::Antialiasing);
    painter_->setFont(font_);
  }
  int width() const { return x_; }
  void gap(int width) { x_ += width; }
  void word(const QString& text) {
    marked(0, text, [](QPainter&) {});
  }
  void square(const QColor& color, const QString& text = {}) {
    marked(text.isEmpty() ? 9 : 14, text, [&](QPainter& painter) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(color);
      painter.drawRoundedRect(QRectF(x_, 8, 9, 9), theme::radius::kCell, theme::radius::kCell);
    });
  }
  void state(State state, const QString& text) {
    marked(17, text, [&](QPainter& painter) {
      theme::paintState(painter, QRectF(x_, 6, 12, 12), state, palette_);
    });
  }
  void ring(const QString& text) {
    marked(14, text, [&](QPainter& painter) {
      painter.setPen(QPen(theme::colors(State::Warning, palette_).fg, 1.5));
      painter.setBrush(Qt::NoBrush);
      painter.drawEllipse(QRectF(x_ + 0.5, 8.5, 8, 8));
    });
  }
  void link(double rate, const QString& text) {
    marked(25, text, [&](QPainter& painter) {
      painter.setPen(
          QPen(palette_[Token::RunningFill], linkWidth(rate), Qt::SolidLine, Qt::FlatCap));
      painter.drawLine(QPointF(x_, 12.5), QPointF(x_ + 20, 12.5));
    });
  }
  const theme::Palette& palette() const { return palette_; }

 private:
  /// A mark of that width and the word for it: both, or none of what follows either.
  template <typename Draw>
  void marked(int mark, const QString& text, Draw&& draw) {
    const int length = text.isEmpty() ? 0 : metrics_.horizontalAdvance(text) + 6;
    if (x_ + mark + length > room_) painter_ = nullptr;
    if (painter_ != nullptr) {
      draw(*painter_);
      painter_->setPen(palette_[Token::TextSecondary]);
      painter_->drawText(QRect(x_ + mark, 0, length, legendHeight),
                         Qt::AlignVCenter | Qt::AlignLeft, text);
    }
    x_ += mark + length;
  }

  QPainter* painter_;
  int room_;
  theme::Palette palette_;
  QFont font_;
  QFontMetrics metrics_;
  int x_ = 0;
};

}  // namespace

// TopologyLegend

TopologyLegend::TopologyLegend(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("topologyLegend"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  setFixedHeight(legendHeight);
}

void TopologyLegend::setGrouped(bool grouped) {
  if (grouped_ == grouped) return;
  grouped_ = grouped;
  updateGeometry();
  update();
}

void TopologyLegend::setOutOfReach(bool any) {
  if (outOfReach_ == any) return;
  outOfReach_ = any;
  updateGeometry();
  update();
}

void TopologyLegend::setLinksLeft(qsizetype links) {
  if (linksLeft_ == links) return;
  linksLeft_ = links;
  setToolTip(links == 0 ? QString()
                        : tr("Between two other hosts only the busiest links have a line. Those "
                             "and %1 more are in the table Links.")
                              .arg(links));
  updateGeometry();
  update();
}

QSize TopologyLegend::sizeHint() const {
  return {grouped_ ? explainCells(nullptr) : explainLinks(nullptr), legendHeight};
}

/// The table Links has those too for which there is no line.
template <class Line>
void TopologyLegend::explainLeft(Line& line) const {
  if (linksLeft_ == 0) return;
  line.gap(12);
  line.word(linksLeft_ == 1 ? tr("1 more link") : tr("%1 more links").arg(linksLeft_));
}

int TopologyLegend::explainCells(QPainter* painter) const {
  Line line(painter, this);
  line.word(tr("Cells: CPU of each"));
  for (const double cpu : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    line.square(heatColor(cpu, line.palette()));
    line.gap(3);
  }
  line.gap(3);
  line.word(tr("0 to 100\u202f%"));
  for (const auto& [state, word] : {std::pair(State::Late, tr("late")),
                                    {State::Dead, tr("dead")},
                                    {State::Paused, tr("stopped")}}) {
    line.gap(6);
    line.state(state, word);
  }
  if (outOfReach_) {
    line.gap(6);
    line.ring(tr("no answer"));
  }
  explainLeft(line);
  return line.width();
}

int TopologyLegend::explainLinks(QPainter* painter) const {
  Line line(painter, this);
  line.word(tr("CPU"));
  for (const auto& [token, word] : {std::pair(Token::GaugeUser, tr("user")),
                                    {Token::GaugeSystem, tr("system")},
                                    {Token::GaugeIdle, tr("idle")}}) {
    line.square(line.palette()[token], word);
  }
  line.gap(12);
  line.word(tr("Links"));
  for (const auto& [rate, word] : {std::pair(10.0, "10"), {1e3, "1 k"}, {1e5, "100 k /s"}}) {
    line.link(rate, QString::fromLatin1(word));
  }
  explainLeft(line);
  return line.width();
}

void TopologyLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (grouped_) {
    explainCells(&painter);
  } else {
    explainLinks(&painter);
  }
}

// TimeLegend

TimeLegend::TimeLegend(QWidget* parent) : QWidget(parent) { setFixedSize(430, 20); }

void TimeLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const theme::Palette palette = theme::Palette::of(this);
  painter.setFont(textFont(TextStyle::Caption, QFont::Normal));
  const QFontMetrics metrics(painter.font());
  double x = 0;
  const auto word = [&](const QString& text) {
    painter.setPen(palette[Token::TextSecondary]);
    painter.drawText(QRectF(x, 0, 200, 20), Qt::AlignVCenter | Qt::AlignLeft, text);
    x += metrics.horizontalAdvance(text) + 14;
  };
  painter.fillRect(QRectF(x, 6, 8, 8), palette[Token::TextPrimary]);
  x += 13;
  word(tr("granted"));
  painter.setPen(QPen(palette[Token::TextPrimary], 1.2));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolygon(QPolygonF{QPointF(x, 5), QPointF(x + 7, 10), QPointF(x, 15)});
  x += 12;
  word(tr("requested"));
  QColor bar = palette[Token::Series1];
  bar.setAlphaF(static_cast<float>(theme::opacity::kLookahead));
  painter.fillRect(QRectF(x, 6, 18, 7), bar);
  painter.setPen(QPen(palette[Token::Series1], 1.5));
  painter.drawLine(QPointF(x + 18, 4), QPointF(x + 18, 15));
  x += 24;
  word(tr("lookahead"));
  painter.setPen(QPen(theme::colors(State::Paused, palette).fg, 1.6));
  painter.drawLine(QPointF(x + 2, 4), QPointF(x + 2, 16));
  x += 8;
  word(tr("GALT"));
  QPainterPath mark;
  mark.addPolygon(QPolygonF{QPointF(x, 14), QPointF(x + 4, 7), QPointF(x + 8, 14)});
  painter.fillPath(mark, palette[Token::Series3]);
  x += 13;
  word(tr("least stamp queued"));
}

}  // namespace tutti::monitor
