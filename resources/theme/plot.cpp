// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/plot.h"

#include <array>

namespace tutti::theme {

void applyPlotTheme(QCustomPlot* plot, const Palette& palette) {
  const QPen axisPen(palette[Token::LineStrong], 1);
  const QPen gridPen(palette[Token::LineGrid], 1);
  plot->setBackground(QBrush(palette[Token::BgPanel]));
  for (QCPAxisRect* rect : plot->axisRects()) {
    rect->setBackground(QBrush(palette[Token::BgPanel]));
    for (QCPAxis* axis : rect->axes()) {
      axis->setBasePen(axisPen);
      axis->setTickPen(axisPen);
      axis->setSubTickPen(QPen(Qt::NoPen));
      axis->setTickLengthIn(0);
      axis->setTickLengthOut(3);
      axis->setSubTickLength(0);
      axis->setTickLabelFont(textFont(TextStyle::Caption, QFont::Normal));
      axis->setTickLabelColor(palette[Token::TextMuted]);
      axis->setLabelFont(textFont(TextStyle::Caption));
      axis->setLabelColor(palette[Token::TextSecondary]);
      axis->grid()->setPen(gridPen);
      axis->grid()->setSubGridVisible(false);
      axis->grid()->setZeroLinePen(gridPen);
      axis->setSelectedBasePen(axisPen);
      axis->setSelectedTickPen(axisPen);
      axis->setSelectedTickLabelColor(palette[Token::TextLink]);
    }
  }
  for (int i = 0; i < plot->itemCount(); ++i)
    if (auto* text = qobject_cast<QCPItemText*>(plot->item(i)))
      text->setColor(palette[Token::TextPrimary]);
  plot->legend->setVisible(false);
  plot->replot(QCustomPlot::rpQueuedReplot);
}

void applyPlotTheme(QCustomPlot* plot) {
  followTheme(plot, [plot](const Palette& palette) { applyPlotTheme(plot, palette); });
}

QPen seriesPen(int index, const Palette& palette, double width) {
  QPen pen(palette.series(index), width);
  pen.setCapStyle(Qt::FlatCap);
  if (index >= 6)
    pen.setDashPattern({5, 2, 1, 2});
  else if (index >= 3)
    pen.setDashPattern({6, 2});
  return pen;
}

QPen yardstickPen(const Palette& palette) {
  QPen pen(palette[Token::SeriesYardstick], 2);
  pen.setCapStyle(Qt::FlatCap);
  pen.setDashPattern({3, 1.5});  // in pen widths: 6 and 3 px
  return pen;
}

QPen referencePen(const Palette& palette) {
  QPen pen(palette[Token::SeriesReference], 1.5);
  pen.setCapStyle(Qt::FlatCap);
  pen.setDashPattern({4.0 / 3, 2});  // 2 and 3 px
  return pen;
}

QCPScatterStyle seriesMarker(int index, const Palette& palette, double size) {
  static constexpr std::array kShapes{QCPScatterStyle::ssDisc,
                                      QCPScatterStyle::ssSquare,
                                      QCPScatterStyle::ssTriangle,
                                      QCPScatterStyle::ssDiamond,
                                      QCPScatterStyle::ssTriangleInverted,
                                      QCPScatterStyle::ssPlus,
                                      QCPScatterStyle::ssCross,
                                      QCPScatterStyle::ssStar};
  const auto shape = kShapes[static_cast<std::size_t>(std::clamp(index, 0, 7))];
  const QColor color = palette.series(index);
  return QCPScatterStyle(shape, QPen(color, 1.5), QBrush(color), size);
}

}  // namespace tutti::theme
