// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/bench_delegates.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "monitor/ui/bench_models.h"
#include "monitor/ui/bench_plots.h"
#include "resources/theme/delegates.h"
#include "resources/theme/plot.h"

namespace tutti::monitor {

using theme::State;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

/// The stroke that stands for a series: as in the plot.
void paintSample(QPainter& painter, const QRectF& rect, const ShownSeries& series,
                 const theme::Palette& palette, bool marker) {
  const QPen pen = penOf(series, palette);
  const QCPScatterStyle style = markerOf(series, palette);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(pen);
  const double y = std::round(rect.center().y()) + 0.5;
  painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
  if (!marker || style.isNone()) return;
  painter.setPen(style.pen());
  painter.setBrush(style.brush());
  const QPointF at(rect.center().x(), y);
  const double r = style.size() / 2;
  switch (style.shape()) {
    case QCPScatterStyle::ssSquare:
      painter.drawRect(QRectF(at.x() - r, at.y() - r, 2 * r, 2 * r));
      break;
    case QCPScatterStyle::ssTriangle:
      painter.drawPolygon(
          QPolygonF{at + QPointF(-r, r * 0.8), at + QPointF(r, r * 0.8), at - QPointF(0, r)});
      break;
    case QCPScatterStyle::ssTriangleInverted:
      painter.drawPolygon(
          QPolygonF{at + QPointF(-r, -r * 0.8), at + QPointF(r, -r * 0.8), at + QPointF(0, r)});
      break;
    case QCPScatterStyle::ssDiamond:
      painter.drawPolygon(QPolygonF{at + QPointF(-r, 0), at + QPointF(0, r), at + QPointF(r, 0),
                                    at - QPointF(0, r)});
      break;
    default:
      painter.drawEllipse(at, r, r);
  }
}

/// Check box, two lines, and the series' stroke at the right.
class ShownDelegate : public theme::RowDelegate {
 public:
  explicit ShownDelegate(QObject* parent) : RowDelegate(parent, 40) { setRuled(false); }

  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override {
    const bool click = event->type() == QEvent::MouseButtonRelease;
    const bool space =
        event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    if (!click && !space) return RowDelegate::editorEvent(event, model, option, index);
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
  }

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem&,
                    const QModelIndex& index, const theme::Palette& palette) const override {
    const auto* model = static_cast<const ShownModel*>(index.model());
    const ShownSeries& series = model->series()[static_cast<std::size_t>(index.row())];
    const QRectF box(content.left() + 4.5, content.center().y() - 6.5, 14, 14);
    painter.setRenderHint(QPainter::Antialiasing);
    if (series.shown) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(palette[Token::Accent]);
      painter.drawRoundedRect(box.adjusted(-0.5, -0.5, 0.5, 0.5), 3, 3);
      painter.setPen(
          QPen(palette[Token::AccentOn], 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
      painter.drawPolyline(QPolygonF{box.topLeft() + QPointF(3.2, 7.3),
                                     box.topLeft() + QPointF(6, 10),
                                     box.topLeft() + QPointF(10.8, 4.2)});
    } else {
      painter.setPen(QPen(palette[Token::LineControl], 1));
      painter.setBrush(palette[Token::BgPanel]);
      painter.drawRoundedRect(box, 3, 3);
    }
    const int left = content.left() + 30;
    const int right = content.right() - 38;
    paintText(painter, QRect(left, content.top() + 4, right - left, 16), series.label,
              palette[Token::TextPrimary], textFont(TextStyle::Label), Qt::AlignLeft);
    paintText(painter, QRect(left, content.top() + 20, right - left, 15), series.detail,
              palette[Token::TextMuted], textFont(TextStyle::Caption, QFont::Normal),
              Qt::AlignLeft);
    if (series.shown) {
      paintSample(painter, QRectF(content.right() - 32, content.center().y() - 6, 28, 12), series,
                  palette, true);
    }
  }
};

/// The stroke of the series before its name.
class SeriesDelegate : public theme::RowDelegate {
 public:
  SeriesDelegate(const BenchTableModel* model, QObject* parent)
      : RowDelegate(parent, benchTableRow), model_(model) {}

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override {
    if (const ShownSeries* series = model_->seriesOf(index.row())) {
      paintSample(painter, QRectF(content.left(), content.center().y() - 4, 16, 8), *series,
                  palette, false);
    }
    RowDelegate::paintContent(painter, content.adjusted(24, 0, 0, 0), option, index, palette);
  }

 private:
  const BenchTableModel* model_;
};

/// The spread of the repeats before as a box, that after as a bar with its median.
class SpreadDelegate : public theme::RowDelegate {
 public:
  explicit SpreadDelegate(QObject* parent) : RowDelegate(parent) {}

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem&,
                    const QModelIndex& index, const theme::Palette& palette) const override {
    const auto shares = index.data(CompareModel::SpreadRole).value<CompareModel::SpreadShares>();
    // One scale for all rows, so that lengths compare.
    double reach = 0.05;
    for (int row = 0; row < index.model()->rowCount(); ++row) {
      const auto each = index.model()
                            ->index(row, CompareModel::Spread)
                            .data(CompareModel::SpreadRole)
                            .value<CompareModel::SpreadShares>();
      for (const double value :
           {each.beforeLeast, each.beforeMost, each.afterLeast, each.afterMost}) {
        reach = std::max(reach, std::abs(value));
      }
    }
    reach = std::min(reach, 1.0);
    const double middle = content.center().x();
    const double scale = (content.width() / 2.0 - 6) / reach;
    const auto x = [&](double share) { return middle + std::clamp(share, -reach, reach) * scale; };
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette[Token::GaugeIdle]);
    const double left = x(shares.beforeLeast);
    painter.drawRoundedRect(
        QRectF(left, content.top() + 6, std::max(3.0, x(shares.beforeMost) - left),
               content.height() - 12),
        2, 2);
    painter.setPen(QPen(palette[Token::LineControl], 1));
    painter.drawLine(QPointF(middle, content.top() + 4), QPointF(middle, content.bottom() - 3));
    const auto verdict =
        static_cast<bench::Difference::Verdict>(index.data(CompareModel::DifferenceRole).toInt());
    const double y = content.center().y() + 0.5;
    const bool better = verdict == bench::Difference::Verdict::Better;
    const bool worse = verdict == bench::Difference::Verdict::Worse;
    const QColor color = better  ? theme::colors(State::Ok, palette).fill
                         : worse ? theme::colors(State::Warning, palette).fill
                                 : palette[Token::TextMuted];
    painter.setPen(QPen(color, 1.5));
    painter.drawLine(QPointF(x(shares.afterLeast), y), QPointF(x(shares.afterMost), y));
    painter.setBrush(better || worse ? QBrush(color) : QBrush(palette[Token::BgPanel]));
    painter.drawEllipse(QPointF(x(shares.after), y), 3.6, 3.6);
  }
};

/// The change in the colour of its verdict; noise is muted.
class ChangeDelegate : public theme::RowDelegate {
 public:
  explicit ChangeDelegate(QObject* parent) : RowDelegate(parent) {}

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem&,
                    const QModelIndex& index, const theme::Palette& palette) const override {
    const auto verdict =
        static_cast<bench::Difference::Verdict>(index.data(CompareModel::DifferenceRole).toInt());
    const bool better = verdict == bench::Difference::Verdict::Better;
    const bool worse = verdict == bench::Difference::Verdict::Worse;
    paintText(painter, content, index.data().toString(),
              better  ? theme::colors(State::Ok, palette).fg
              : worse ? theme::colors(State::Warning, palette).fg
                      : palette[Token::TextMuted],
              textFont(TextStyle::Table, better || worse ? QFont::DemiBold : QFont::Normal),
              Qt::AlignRight);
  }
};

/// Explains the spread column.
class CompareLegend : public QWidget {
 public:
  explicit CompareLegend(QWidget* parent = nullptr) : QWidget(parent) { setFixedHeight(28); }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const theme::Palette palette = theme::Palette::of(this);
    painter.setFont(textFont(TextStyle::Caption, QFont::Normal));
    const QFontMetrics metrics(painter.font());
    double x = 12;
    const auto word = [&](const QString& text) {
      painter.setPen(palette[Token::TextMuted]);
      painter.drawText(QRectF(x, 0, 300, 28), Qt::AlignVCenter | Qt::AlignLeft, text);
      x += metrics.horizontalAdvance(text) + 14;
    };
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette[Token::GaugeIdle]);
    painter.drawRoundedRect(QRectF(x, 8, 20, 12), 2, 2);
    x += 26;
    word(tr("repeats before"));
    painter.setPen(QPen(palette[Token::TextMuted], 1.5));
    painter.setBrush(palette[Token::BgPanel]);
    painter.drawEllipse(QPointF(x + 4, 14), 3.6, 3.6);
    x += 14;
    word(tr("noise"));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme::colors(State::Ok, palette).fill);
    painter.drawEllipse(QPointF(x + 4, 14), 4, 4);
    x += 14;
    word(tr("significant (95\u202f%)"));
  }
};

}  // namespace

QAbstractItemDelegate* makeShownDelegate(QObject* parent) { return new ShownDelegate(parent); }

QAbstractItemDelegate* makeSeriesDelegate(const BenchTableModel* model, QObject* parent) {
  return new SeriesDelegate(model, parent);
}

QAbstractItemDelegate* makeSpreadDelegate(QObject* parent) { return new SpreadDelegate(parent); }

QAbstractItemDelegate* makeChangeDelegate(QObject* parent) { return new ChangeDelegate(parent); }

QWidget* makeCompareLegend(QWidget* parent) { return new CompareLegend(parent); }

}  // namespace tutti::monitor
