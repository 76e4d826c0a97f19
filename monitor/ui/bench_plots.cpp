// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/bench_plots.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "resources/theme/format.h"
#include "resources/theme/plot.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using bench::Kind;
using bench::Point;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

/// The value with its unit, as the axis has it.
QString axisText(double value, Kind kind) {
  if (kind == Kind::Latency) return theme::formatDuration(value * 1e-6);
  return theme::formatRate(value);
}

void setLogTicks(QCPAxis* axis, double from, double to, Kind kind) {
  QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
  const bool few = std::log10(to / from) < 1.3;
  for (double decade = std::pow(10.0, std::floor(std::log10(from))); decade <= to * 1.001;
       decade *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor != 1.0 && !few) continue;
      const double value = decade * factor;
      if (value < from * 0.999 || value > to * 1.001) continue;
      QString text = kind == Kind::Latency
                         ? (value < 1      ? QStringLiteral("%1\u202fµs").arg(value)
                            : value < 1000 ? QStringLiteral("%1\u202fµs").arg(value)
                            : value < 1e6  ? QStringLiteral("%1\u202fms").arg(value / 1000)
                                           : QStringLiteral("%1\u202fs").arg(value / 1e6))
                     : value >= 1e6  ? QStringLiteral("%1\u202fM").arg(value / 1e6)
                     : value >= 1000 ? QStringLiteral("%1\u202fk").arg(value / 1000)
                                     : QString::number(value);
      ticks->addTick(value, text);
    }
  }
  axis->setTicker(ticks);
}

QPen penOf(const ShownSeries& series, const theme::Palette& palette) {
  switch (series.what) {
    case ShownSeries::What::Result:
      return theme::seriesPen(series.color, palette);
    case ShownSeries::What::Ring:
      return theme::yardstickPen(palette);
    case ShownSeries::What::Reference:
      return theme::referencePen(palette);
  }
  return {};
}

QCPScatterStyle markerOf(const ShownSeries& series, const theme::Palette& palette) {
  switch (series.what) {
    case ShownSeries::What::Result:
      return theme::seriesMarker(series.color, palette, 6);
    case ShownSeries::What::Ring:
      return QCPScatterStyle(QCPScatterStyle::ssNone);
    case ShownSeries::What::Reference:
      return QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(palette[Token::SeriesReference], 1.5),
                             QBrush(palette[Token::BgPanel]), 8);
  }
  return {};
}

QCPItemText* label(QCustomPlot* plot, const QString& text, const theme::Palette& palette,
                   bool muted = false) {
  auto* item = new QCPItemText(plot);
  item->setText(text);
  item->setFont(textFont(TextStyle::Caption, muted ? QFont::Medium : QFont::DemiBold));
  item->setColor(palette[muted ? Token::TextMuted : Token::TextPrimary]);
  item->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  item->setClipToAxisRect(false);
  return item;
}

/// Heights (logarithms) of labels, moved apart to at least `distance`, downwards from the highest.
void spread(std::vector<double>& heights, double distance, double lowest) {
  std::vector<std::size_t> order(heights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return heights[a] > heights[b]; });
  double last = 1e9;
  for (const std::size_t i : order) {
    heights[i] = std::min(heights[i], last - distance);
    last = heights[i];
  }
  // What was pushed out at the bottom goes up again.
  double floor = lowest;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    heights[*i] = std::max(heights[*i], floor);
    floor = heights[*i] + distance;
  }
}

constexpr double shareTop = 1e-4;
/// The axis of shares: each further nine is as far as the one before.
double shareHeight(double share) { return -std::log10(std::max(1 - share, shareTop)); }

}  // namespace

// BenchPlot

BenchPlot::BenchPlot(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot) {
  title_ = theme::makeLabel({}, "heading");
  note_ = theme::makeLabel({}, "caption");
  note_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(14, 10, 14, 0);
  head->addWidget(title_);
  head->addWidget(note_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(plot_, 1);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  plot_->setMinimumSize(260, 180);
  plot_->setNoAntialiasingOnDrag(true);
  plot_->setFocusPolicy(Qt::StrongFocus);
  theme::followTheme(this, [this](const theme::Palette&) {
    // Not from the constructor: what is drawn belongs to the derived class.
    QMetaObject::invokeMethod(
        this, [this] { redraw(); }, Qt::QueuedConnection);
  });
}

void BenchPlot::setTitle(const QString& title, const QString& note) {
  title_->setText(title);
  note_->setText(note);
  plot_->setAccessibleName(title);
}

QString BenchPlot::title() const { return title_->text(); }

void BenchPlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  // How far names must stand apart depends on the height.
  if (event->size().height() != event->oldSize().height()) {
    QMetaObject::invokeMethod(
        this, [this] { redraw(); }, Qt::QueuedConnection);
  }
}

void BenchPlot::redraw() {
  const theme::Palette palette = theme::Palette::of(this);
  theme::applyPlotTheme(plot_, palette);
  draw(palette);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void BenchPlot::renderLight(QPainter& painter, QSize size) {
  const theme::Palette light{theme::Mode::Light};
  theme::applyPlotTheme(plot_, light);
  draw(light);
  QCPPainter own;
  QPicture picture;
  own.begin(&picture);
  own.setMode(QCPPainter::pmVectorized);
  own.setMode(QCPPainter::pmNoCaching);
  plot_->toPainter(&own, size.width(), size.height());
  own.end();
  painter.drawPicture(0, 0, picture);
  redraw();
}

// SizePlot

SizePlot::SizePlot(QWidget* parent) : BenchPlot(parent) {
  setObjectName(QStringLiteral("sizePlot"));
  connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    if (kind_ == Kind::TimeAdvance) return;
    const double wanted = plot_->xAxis->pixelToCoord(event->position().x());
    const std::vector<int> all = sizes();
    if (all.empty() || wanted <= 0) return;
    const int nearest = *std::min_element(all.begin(), all.end(), [&](int a, int b) {
      return std::abs(std::log(a / wanted)) < std::abs(std::log(b / wanted));
    });
    emit sizeSelected(nearest);
  });
}

std::vector<int> SizePlot::sizes() const {
  std::vector<int> result;
  for (const ShownSeries& each : series_) {
    if (each.series == nullptr) continue;
    for (const Point& point : each.series->points) result.push_back(point.size);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void SizePlot::setSeries(std::vector<ShownSeries> series, Kind kind) {
  series_ = std::move(series);
  kind_ = kind;
  switch (kind) {
    case Kind::Latency:
      setTitle(tr("Round trip against message size"),
               tr("median, bars are the 10th to 90th percentile"));
      break;
    case Kind::Throughput:
      setTitle(tr("Updates received against message size"), tr("median, bars are all repeats"));
      break;
    case Kind::TimeAdvance:
      setTitle(tr("Time advance grants of a federate"), tr("median, marks are the repeats"));
      break;
    default:
      setTitle(bench::kindTitle(kind), bench::factsOf(kind).means ? tr("means") : tr("medians"));
  }
  redraw();
}

void SizePlot::setSize(int size) {
  size_ = size;
  redraw();
}

void SizePlot::draw(const theme::Palette& palette) {
  plot_->clearPlottables();
  plot_->clearItems();
  plot_->xAxis->setRangeReversed(false);
  if (kind_ == Kind::TimeAdvance) {
    drawBars(palette);
  } else {
    drawLines(palette);
  }
}

void SizePlot::drawLines(const theme::Palette& palette) {
  double least = 1e300;
  double most = 0;
  double smallest = 1e300;
  double largest = 0;
  struct End {
    double x, y;
    QString text;
    bool reference;
  };
  std::vector<End> ends;
  const auto include = [&](double x, double low, double high) {
    smallest = std::min(smallest, x);
    largest = std::max(largest, x);
    if (low > 0) least = std::min(least, low);
    most = std::max(most, high);
  };
  for (const ShownSeries& each : series_) {
    QCPGraph* graph = plot_->addGraph();
    graph->setPen(penOf(each, palette));
    graph->setScatterStyle(markerOf(each, palette));
    graph->setAntialiased(true);
    QVector<double> x, y, below, above;
    if (each.series != nullptr) {
      for (const Point& point : each.series->points) {
        if (!(point.summary.median > 0)) continue;
        x << point.size;
        y << point.summary.median;
        const bool single = kind_ == Kind::Latency;
        const double low = single ? point.summary.p10 : point.summary.least;
        const double high = single ? point.summary.p90 : point.summary.greatest;
        below << point.summary.median - low;
        above << high - point.summary.median;
        include(point.size, low, high);
      }
      if (each.what == ShownSeries::What::Result) {
        auto* bars = new QCPErrorBars(plot_->xAxis, plot_->yAxis);
        bars->setDataPlottable(graph);
        bars->setPen(QPen(palette.series(each.color), 1));
        bars->setWhiskerWidth(0);
        bars->setSymbolGap(0);
        bars->setData(below, above);
      }
    } else {
      for (const auto& [size, value] : each.published) {
        x << size;
        y << value;
        include(size, value, value);
      }
    }
    graph->setData(x, y, true);
    if (!x.isEmpty()) {
      ends.push_back({x.last(), y.last(), each.brief, each.what == ShownSeries::What::Reference});
    }
  }
  if (largest == 0) {
    smallest = 8;
    largest = 1024 * 1024;
    least = 0.1;
    most = 1000;
  }
  plot_->xAxis->setScaleType(QCPAxis::stLogarithmic);
  plot_->yAxis->setScaleType(QCPAxis::stLogarithmic);
  const double widen = largest / smallest < 3 ? 3 : 1.25;
  plot_->xAxis->setRange(smallest / widen, largest * widen);
  const double from = std::pow(10.0, std::floor(std::log10(least * 0.8)));
  const double to = most * 1.8;
  plot_->yAxis->setRange(from, to);
  setLogTicks(plot_->yAxis, from, to, kind_);
  QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
  const double span = std::log2(largest / smallest);
  const int step = span > 12 ? 3 : span > 6 ? 2 : 1;
  for (int power = 0; power <= 26; ++power) {
    const double size = std::pow(2.0, power);
    if (size < smallest / widen || size > largest * widen) continue;
    ticks->addTick(size, power % step == 1 % step ? theme::formatMessageSize(size) : QString());
  }
  plot_->xAxis->setTicker(ticks);
  plot_->xAxis->setTickLabels(true);
  plot_->xAxis->setLabel(tr("Message size"));
  plot_->yAxis->setLabel(kind_ == Kind::Latency ? QString() : tr("Updates a second"));
  // Names stand to the right of their lines.
  int widest = 0;
  const QFontMetrics metrics(textFont(TextStyle::Caption, QFont::DemiBold));
  for (const End& end : ends) {
    if (!end.reference) widest = std::max(widest, metrics.horizontalAdvance(end.text));
  }
  plot_->axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom | QCP::msTop);
  plot_->axisRect()->setMargins(QMargins(0, 12, std::min(widest + 18, 190), 0));
  const double room = std::max(plot_->axisRect()->height(), 200);
  const double line = 15 * std::log(to / from) / room;
  // Names of references stand in the plot, beside their own last point.
  std::vector<double> outside;
  for (const End& end : ends) {
    if (!end.reference) outside.push_back(std::log(end.y));
  }
  spread(outside, line, std::log(from) + line / 2);
  std::size_t next = 0;
  for (const End& end : ends) {
    QCPItemText* item = label(plot_, end.text, palette, end.reference);
    item->setPadding(QMargins(10, 0, 0, 0));
    item->position->setCoords(end.x, end.reference ? end.y : std::exp(outside[next++]));
  }
  drawCursor(palette);
}

void SizePlot::drawCursor(const theme::Palette& palette) {
  struct Line {
    QString name;
    double value;
    double ratio;
  };
  std::vector<Line> lines;
  for (const ShownSeries& each : series_) {
    const Point* point = each.series != nullptr ? each.series->at(size_) : nullptr;
    if (point != nullptr) lines.push_back({each.brief, point->summary.median, point->ratioToRing});
  }
  if (lines.empty()) return;
  auto* line = new QCPItemStraightLine(plot_);
  line->setPen(QPen(palette[Token::Accent], 1));
  line->point1->setCoords(size_, 1);
  line->point2->setCoords(size_, 10);

  QString text = theme::formatMessageSize(size_);
  for (const Line& each : lines) {
    text +=
        QStringLiteral("\n%1   %2%3%4")
            .arg(each.name, figureText(each.value, kind_),
                 kind_ == Kind::Latency ? QStringLiteral("\u202fµs") : QString(),
                 std::isfinite(each.ratio) ? QStringLiteral("   ") + theme::formatRatio(each.ratio)
                                           : QString());
  }
  auto* box = new QCPItemText(plot_);
  box->setText(text);
  box->setTextAlignment(Qt::AlignLeft);
  box->setFont(textFont(TextStyle::Caption));
  box->setColor(palette[Token::TextPrimary]);
  box->setPen(QPen(palette[Token::LineStrong], 1));
  box->setBrush(palette[Token::BgRaised]);
  box->setPadding(QMargins(8, 6, 8, 6));
  // Where the lines are not: below right for times that rise, above right for rates that fall.
  const bool low = kind_ == Kind::Latency;
  box->setPositionAlignment(Qt::AlignRight | (low ? Qt::AlignBottom : Qt::AlignTop));
  box->position->setType(QCPItemPosition::ptAxisRectRatio);
  box->position->setCoords(0.985, low ? 0.97 : 0.03);
}

void SizePlot::drawBars(const theme::Palette& palette) {
  plot_->xAxis->setScaleType(QCPAxis::stLinear);
  plot_->yAxis->setScaleType(QCPAxis::stLogarithmic);
  QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
  double least = 1e300;
  double most = 0;
  int at = 0;
  for (const ShownSeries& each : series_) {
    ++at;
    double value = 0;
    QVector<double> x, y;
    if (each.series != nullptr && !each.series->points.empty()) {
      const Point& point = each.series->points.front();
      value = point.summary.median;
      for (const bench::Repeat& repeat : point.repeats) {
        x << at;
        y << repeat.summary.median;
      }
    } else if (!each.published.empty()) {
      value = each.published.front().second;
    }
    if (!(value > 0)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
    const bool result = each.what == ShownSeries::What::Result;
    auto* bar = new QCPBars(plot_->xAxis, plot_->yAxis);
    bar->setWidth(0.5);
    bar->setBaseValue(1);
    QColor fill = penOf(each, palette).color();
    bar->setPen(QPen(fill, 1.5, result ? Qt::SolidLine : Qt::DashLine));
    fill.setAlphaF(result ? 0.85F : 0.0F);
    bar->setBrush(result ? QBrush(fill) : QBrush(Qt::NoBrush));
    bar->setData({static_cast<double>(at)}, {value});
    QCPGraph* dots = plot_->addGraph();
    dots->setLineStyle(QCPGraph::lsNone);
    dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle,
                                          QPen(palette[Token::TextPrimary], 1.2),
                                          QBrush(palette[Token::BgPanel]), 6));
    dots->setData(x, y);
    QCPItemText* text = label(plot_, axisText(value, kind_), palette);
    text->setPositionAlignment(Qt::AlignHCenter | Qt::AlignBottom);
    text->position->setCoords(at, value * 1.12);
    QString name = each.brief;
    name.replace(QStringLiteral(", "), QStringLiteral(",\n"));
    ticks->addTick(at, name);
  }
  if (most == 0) {
    least = 1e3;
    most = 1e6;
  }
  const double from = std::pow(10.0, std::floor(std::log10(least)) - 0.0) / 2;
  plot_->xAxis->setTicker(ticks);
  plot_->xAxis->setRange(0.3, std::max(at, 2) + 0.7);
  plot_->xAxis->setLabel({});
  plot_->yAxis->setRange(from, most * 2.2);
  plot_->yAxis->setLabel(tr("Grants a second"));
  setLogTicks(plot_->yAxis, from, most * 2.2, kind_);
  plot_->axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom | QCP::msTop);
  plot_->axisRect()->setMargins(QMargins(0, 12, 16, 0));
}

// SpreadPlot

SpreadPlot::SpreadPlot(QWidget* parent) : BenchPlot(parent) {
  setObjectName(QStringLiteral("spreadPlot"));
}

void SpreadPlot::setSeries(std::vector<ShownSeries> series, Kind kind, int size) {
  series_ = std::move(series);
  kind_ = kind;
  size_ = size;
  if (kind == Kind::Latency) {
    std::uint64_t count = 0;
    for (const ShownSeries& each : series_) {
      if (const Point* point = each.series != nullptr ? each.series->at(size) : nullptr) {
        count = std::max(count, point->summary.count);
      }
    }
    setTitle(tr("Distribution at %1").arg(theme::formatMessageSize(size)),
             tr("share of %1 round trips at most this long")
                 .arg(theme::formatCount(static_cast<qint64>(count))));
  } else {
    setTitle(kind == Kind::Throughput ? tr("Repeats at %1").arg(theme::formatMessageSize(size))
                                      : tr("Repeats"),
             tr("each repeat has new processes; the line is the median"));
  }
  redraw();
}

void SpreadPlot::draw(const theme::Palette& palette) {
  plot_->clearPlottables();
  plot_->clearItems();
  plot_->yAxis->setRangeReversed(false);
  if (kind_ == Kind::Latency) {
    drawDistribution(palette);
  } else {
    drawRepeats(palette);
  }
}

void SpreadPlot::drawDistribution(const theme::Palette& palette) {
  double least = 1e300;
  double most = 0;
  struct Name {
    double x, y;
    QString text;
  };
  std::vector<Name> names;
  for (const ShownSeries& each : series_) {
    const Point* point = each.series != nullptr ? each.series->at(size_) : nullptr;
    if (point == nullptr || point->distribution.empty()) continue;
    auto* curve = new QCPCurve(plot_->xAxis, plot_->yAxis);
    curve->setPen(penOf(each, palette));
    QVector<double> x, y;
    for (const auto& [share, value] : point->distribution) {
      x << value;
      y << shareHeight(share);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    curve->setData(x, y);
    // The name stands where the curve passes 50 to 90 %, lower for each next one.
    const double level = 0.72 - 0.14 * static_cast<double>(names.size() % 4);
    double at = x.last();
    for (qsizetype i = 0; i < x.size(); ++i) {
      if (y[i] >= level) {
        at = x[i];
        break;
      }
    }
    names.push_back({at, level, each.brief});
  }
  plot_->xAxis->setScaleType(QCPAxis::stLogarithmic);
  plot_->yAxis->setScaleType(QCPAxis::stLinear);
  if (most == 0) {
    least = 0.1;
    most = 100;
  }
  const double from = least * 0.7;
  const double to = std::max(most * 1.3, least * 20);
  plot_->xAxis->setRange(from, to);
  setLogTicks(plot_->xAxis, from, to, kind_);
  plot_->xAxis->setLabel(tr("Round trip"));
  QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
  for (const auto& [share, text] : {std::pair(0.0, "0"),
                                    {0.5, "50"},
                                    {0.9, "90"},
                                    {0.99, "99"},
                                    {0.999, "99.9"},
                                    {0.9999, "99.99"}}) {
    ticks->addTick(shareHeight(share), QString::fromLatin1(text) + QStringLiteral("\u202f%"));
  }
  plot_->yAxis->setTicker(ticks);
  plot_->yAxis->setRange(0, 4.05);
  plot_->yAxis->setLabel({});
  plot_->axisRect()->setAutoMargins(QCP::msAll);
  auto* p99 = new QCPItemStraightLine(plot_);
  p99->setPen(QPen(palette[Token::Accent], 1));
  p99->point1->setCoords(from, 2);
  p99->point2->setCoords(to, 2);
  auto* mark = label(plot_, QStringLiteral("p99"), palette);
  mark->setColor(palette[Token::TextLink]);
  mark->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
  mark->position->setCoords(to * 0.96, 2.03);
  for (const Name& name : names) {
    QCPItemText* item = label(plot_, QStringLiteral(" ") + name.text, palette);
    item->position->setCoords(name.x, name.y);
    // On the plot's own ground, so that a curve behind it does not cross it out.
    item->setBrush(palette[Token::BgPanel]);
    item->setPadding(QMargins(4, 0, 2, 0));
  }
}

void SpreadPlot::drawRepeats(const theme::Palette& palette) {
  double least = 1e300;
  double most = 0;
  int at = 0;
  QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
  const int size = kind_ == Kind::TimeAdvance ? 0 : size_;
  for (const ShownSeries& each : series_) {
    const Point* point = each.series != nullptr ? each.series->at(size) : nullptr;
    if (point == nullptr) continue;
    ++at;
    QVector<double> x, y;
    for (const bench::Repeat& repeat : point->repeats) {
      x << repeat.summary.median;
      y << at;
      least = std::min(least, repeat.summary.median);
      most = std::max(most, repeat.summary.median);
    }
    auto* curve = new QCPCurve(plot_->xAxis, plot_->yAxis);
    curve->setLineStyle(QCPCurve::lsNone);
    const QColor color = penOf(each, palette).color();
    curve->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(color, 1.5),
                                           QBrush(palette[Token::BgPanel]), 7));
    curve->setData(x, y);
    auto* median = new QCPItemLine(plot_);
    median->setPen(QPen(color, 2));
    median->start->setCoords(point->summary.median, at - 0.32);
    median->end->setCoords(point->summary.median, at + 0.32);
    ticks->addTick(at, each.brief);
  }
  plot_->xAxis->setScaleType(QCPAxis::stLogarithmic);
  plot_->yAxis->setScaleType(QCPAxis::stLinear);
  if (most == 0) {
    least = 1e3;
    most = 1e6;
  }
  plot_->xAxis->setRange(least * 0.7, most * 1.4);
  setLogTicks(plot_->xAxis, least * 0.7, most * 1.4, kind_);
  plot_->xAxis->setLabel(kind_ == Kind::Throughput ? tr("Updates a second")
                                                   : tr("Grants a second"));
  plot_->yAxis->setTicker(ticks);
  plot_->yAxis->setRange(0.3, std::max(at, 2) + 0.7);
  plot_->yAxis->setRangeReversed(true);
  plot_->yAxis->setLabel({});
  plot_->axisRect()->setAutoMargins(QCP::msAll);
}

}  // namespace tutti::monitor
