// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/bench_plots.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "monitor/ui/bench_axes.h"
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

bool isTime(Kind kind) { return bench::factsOf(kind).times; }

/// What a rate counts: "Updates", "Grants".
QString axisWord(Kind kind) {
  QString word = bench::unitOf(kind).section(u'/', 0, 0);
  word[0] = word[0].toUpper();
  return word;
}

/// From where to where the bar of a point goes: the standard deviation of means, the 10th to 90th
/// percentile of times, all repeats of rates.
std::pair<double, double> barOf(const bench::Summary& summary, Kind kind) {
  if (bench::factsOf(kind).means) {
    return {summary.mean - summary.deviation, summary.mean + summary.deviation};
  }
  return isTime(kind) ? std::pair(summary.p10, summary.p90)
                      : std::pair(summary.least, summary.greatest);
}

/// The value with its unit, as the axis has it.
QString axisText(double value, Kind kind) {
  if (isTime(kind)) return theme::formatDuration(value * 1e-6);
  return theme::formatRate(value);
}

/// A round value on the axis: "10 µs", "2 M".
QString tickText(double value, Kind kind) {
  const auto text = [](double number, const char* unit) {
    return QStringLiteral("%1%2").arg(number).arg(QString::fromUtf8(unit));
  };
  if (isTime(kind)) {
    if (value < 1000) return text(value, "\u202fµs");
    return value < 1e6 ? text(value / 1000, "\u202fms") : text(value / 1e6, "\u202fs");
  }
  if (value >= 1e6) return text(value / 1e6, "\u202fM");
  return value >= 1000 ? text(value / 1000, "\u202fk") : text(value, "");
}

void setValueTicks(QCPAxis* axis, double from, double to, Kind kind) {
  setLogTicks(axis, from, to, [kind](double value) { return tickText(value, kind); });
}

constexpr double shareTop = 1e-4;
/// The axis of shares: each further nine is as far as the one before.
double shareHeight(double share) { return -std::log10(std::max(1 - share, shareTop)); }

}  // namespace

QPen penOf(const ShownSeries& series, const theme::Palette& palette) {
  switch (series.what) {
    case ShownSeries::What::Result:
      return theme::seriesPen(series.color, palette);
    case ShownSeries::What::Ring:
      if (series.key != QStringLiteral("ring")) {
        // The second yardstick: dots, where the bare ring has dashes.
        QPen pen = theme::yardstickPen(palette);
        pen.setDashPattern({1, 1.5});
        return pen;
      }
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

// BenchPlot

BenchPlot::BenchPlot(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot) {
  title_ = theme::makeLabel({}, "heading");
  note_ = new theme::ElidedLabel("caption");
  note_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
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
    if (hasBars()) return;
    const auto nearest =
        nearestPlace(placesOf(series_), plot_->xAxis->pixelToCoord(event->position().x()));
    if (nearest) emit sizeSelected(*nearest);
  });
}

bool SizePlot::hasBars() const {
  const bool single = bench::factsOf(kind_).axis == bench::Axis::Lookahead ||
                      kind_ == Kind::Rtiperf || kind_ == Kind::Fanout;
  return single && placesOf(series_).size() < 2;
}

void SizePlot::setSeries(std::vector<ShownSeries> series, Kind kind) {
  series_ = std::move(series);
  kind_ = kind;
  const bench::KindFacts& facts = bench::factsOf(kind);
  const QString against = axisTitle(kind).toLower();
  QString what = facts.times ? tr("Time of a round trip against %1")
                             : tr("%1 a second against %2").arg(axisWord(kind));
  if (kind == Kind::DmsoLatency) what = tr("One-way time against %1");
  setTitle(hasBars() ? bench::kindTitle(kind) : what.arg(against),
           hasBars()     ? facts.means ? tr("mean, marks are the repeats")
                                       : tr("median, marks are the repeats")
               : facts.means ? tr("mean, bars are the standard deviation")
           : facts.times ? tr("median, bars are the 10th to 90th percentile")
                         : tr("median, bars are all repeats"));
  redraw();
}

void SizePlot::setSize(double place) {
  place_ = place;
  redraw();
}

void SizePlot::draw(const theme::Palette& palette) {
  plot_->clearPlottables();
  plot_->clearItems();
  plot_->xAxis->setRangeReversed(false);
  if (hasBars()) {
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
  std::vector<LineEnd> ends;
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
        const double value = figureOf(point.summary, kind_);
        if (!(value > 0)) continue;
        x << point.at;
        y << value;
        const auto [low, high] = barOf(point.summary, kind_);
        // A deviation larger than the mean would leave a logarithmic axis.
        const double floor = std::max(low, value / 3);
        below << value - floor;
        above << high - value;
        include(point.at, floor, high);
      }
    } else {
      graph->setLineStyle(QCPGraph::lsNone);
      for (const bench::Reference::Point& point : each.published) {
        x << point.at;
        y << point.value;
        const double spread = std::isfinite(point.deviation) ? point.deviation : 0;
        below << std::min(spread, point.value * 2 / 3);
        above << spread;
        include(point.at, point.value - below.last(), point.value + spread);
      }
    }
    if (each.what != ShownSeries::What::Ring) {
      auto* bars = new QCPErrorBars(plot_->xAxis, plot_->yAxis);
      bars->setDataPlottable(graph);
      bars->setPen(QPen(penOf(each, palette).color(), 1));
      bars->setWhiskerWidth(0);
      bars->setSymbolGap(0);
      bars->setData(below, above);
    }
    // A yardstick has no marks, but a single place is no line.
    if (each.what == ShownSeries::What::Ring && x.size() == 1) {
      graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle,
                                             QPen(penOf(each, palette).color(), 1.5),
                                             QBrush(palette[Token::BgPanel]), 7));
    }
    graph->setData(x, y, true);
    if (!x.isEmpty()) {
      ends.push_back({x.last(), y.last(), each.brief, each.what == ShownSeries::What::Reference});
    }
  }
  if (kind_ == Kind::Clutter && largest > 0) {
    drawOneEach(smallest, largest, palette);
    ends.push_back({largest, largest, tr("one a second each"), true});
    least = std::min(least, smallest);
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
  setValueTicks(plot_->yAxis, from, to, kind_);
  setPlaceTicks(plot_->xAxis, series_, kind_);
  plot_->xAxis->setLabel(axisTitle(kind_));
  plot_->yAxis->setLabel(isTime(kind_) ? QString() : tr("%1 a second").arg(axisWord(kind_)));
  drawLineEnds(plot_, ends, largest, palette);
  drawCursor(palette);
}

/// From here on up it is enough for one update of each instance a second.
void SizePlot::drawOneEach(double smallest, double largest, const theme::Palette& palette) {
  QCPGraph* graph = plot_->addGraph();
  graph->setPen(theme::referencePen(palette));
  graph->setData({smallest, largest}, {smallest, largest}, true);
}

void SizePlot::drawCursor(const theme::Palette& palette) {
  struct Line {
    QString name;
    double value;
    double ratio;
  };
  std::vector<Line> lines;
  for (const ShownSeries& each : series_) {
    const Point* point = each.series != nullptr ? each.series->at(place_) : nullptr;
    if (point != nullptr)
      lines.push_back({each.brief, figureOf(point->summary, kind_), point->ratioToRing});
  }
  if (lines.empty()) return;
  auto* line = new QCPItemStraightLine(plot_);
  line->setPen(QPen(palette[Token::Accent], 1));
  line->point1->setCoords(place_, 1);
  line->point2->setCoords(place_, 10);
  constexpr std::size_t mostLines = 8;
  if (lines.size() > mostLines) return;
  QString text = placeTitle(place_, kind_);
  for (const Line& each : lines) {
    text +=
        QStringLiteral("\n%1   %2%3%4")
            .arg(each.name, figureText(each.value, kind_),
                 isTime(kind_) ? QStringLiteral("\u202fµs") : QString(),
                 std::isfinite(each.ratio) ? QStringLiteral("   ") + theme::formatRatio(each.ratio)
                                           : QString());
  }
  // Larger it would cover what it is about; the table has the same.
  const QSize needs =
      QFontMetrics(textFont(TextStyle::Caption)).size(0, text) + QSize(24, 16);
  const QRect room = plot_->axisRect()->rect();
  const bool known = room.width() > 100;  // else it has no layout yet
  if (known && (needs.width() > room.width() * 0.7 || needs.height() > room.height() * 0.6)) return;
  auto* box = new QCPItemText(plot_);
  box->setText(text);
  box->setTextAlignment(Qt::AlignLeft);
  box->setFont(textFont(TextStyle::Caption));
  box->setColor(palette[Token::TextPrimary]);
  box->setPen(QPen(palette[Token::LineStrong], 1));
  box->setBrush(palette[Token::BgRaised]);
  box->setPadding(QMargins(8, 6, 8, 6));
  // In the corner where most room is.
  const QPointF corner = emptiestCorner();
  box->setPositionAlignment((corner.x() > 0.5 ? Qt::AlignRight : Qt::AlignLeft) |
                            (corner.y() > 0.5 ? Qt::AlignBottom : Qt::AlignTop));
  box->position->setType(QCPItemPosition::ptAxisRectRatio);
  box->position->setCoords(corner.x() > 0.5 ? 0.985 : 0.015, corner.y() > 0.5 ? 0.97 : 0.03);
}

QPointF SizePlot::emptiestCorner() const {
  const QCPRange across = plot_->xAxis->range();
  const QCPRange up = plot_->yAxis->range();
  const auto share = [](double value, const QCPRange& range) {
    return std::log(value / range.lower) / std::log(range.upper / range.lower);
  };
  QPointF best(1, 1);
  int fewest = std::numeric_limits<int>::max();
  for (const QPointF corner : {QPointF(1, 1), QPointF(1, 0), QPointF(0, 0), QPointF(0, 1)}) {
    int covered = 0;
    const auto count = [&](double at, double value) {
      const double x = share(at, across);
      const double y = 1 - share(value, up);
      covered += std::abs(x - corner.x()) < 0.55 && std::abs(y - corner.y()) < 0.25 ? 1 : 0;
    };
    for (const ShownSeries& each : series_) {
      if (each.series != nullptr) {
        for (const Point& point : each.series->points) {
          count(point.at, figureOf(point.summary, kind_));
        }
      }
      for (const bench::Reference::Point& point : each.published) count(point.at, point.value);
    }
    if (covered < fewest) {
      fewest = covered;
      best = corner;
    }
  }
  return best;
}

void SizePlot::drawBars(const theme::Palette& palette) {
  plot_->xAxis->setScaleType(QCPAxis::stLinear);
  plot_->yAxis->setScaleType(QCPAxis::stLogarithmic);
  QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
  const auto valueOf = [&](const ShownSeries& each) {
    if (each.series != nullptr && !each.series->points.empty()) {
      return figureOf(each.series->points.front().summary, kind_);
    }
    return each.published.empty() ? 0.0 : each.published.front().value;
  };
  double least = 1e300;
  double most = 0;
  for (const ShownSeries& each : series_) {
    const double value = valueOf(each);
    if (!(value > 0)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (most == 0) {
    least = 1e3;
    most = 1e6;
  }
  const double from = std::pow(10.0, std::floor(std::log10(least))) / 2;
  int at = 0;
  for (const ShownSeries& each : series_) {
    ++at;
    const double value = valueOf(each);
    if (!(value > 0)) continue;
    QVector<double> x, y;
    if (each.series != nullptr) {
      for (const bench::Repeat& repeat : each.series->points.front().repeats) {
        x << at;
        y << figureOf(repeat.summary, kind_);
      }
    }
    const bool result = each.what == ShownSeries::What::Result;
    auto* bar = new QCPBars(plot_->xAxis, plot_->yAxis);
    bar->setWidth(0.5);
    // A bar is as high as its value is above the base.
    bar->setBaseValue(from);
    QColor fill = penOf(each, palette).color();
    bar->setPen(QPen(fill, 1.5, result ? Qt::SolidLine : Qt::DashLine));
    fill.setAlphaF(result ? 0.85F : 0.0F);
    bar->setBrush(result ? QBrush(fill) : QBrush(Qt::NoBrush));
    bar->setData({static_cast<double>(at)}, {value - from});
    QCPGraph* dots = plot_->addGraph();
    dots->setLineStyle(QCPGraph::lsNone);
    dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle,
                                          QPen(palette[Token::TextPrimary], 1.2),
                                          QBrush(palette[Token::BgPanel]), 6));
    dots->setData(x, y);
    QCPItemText* text = makePlotLabel(plot_, axisText(value, kind_), palette);
    text->setPositionAlignment(Qt::AlignHCenter | Qt::AlignBottom);
    text->position->setCoords(at, value * 1.12);
    QString name = each.brief;
    name.replace(QStringLiteral(", "), QStringLiteral(",\n"));
    ticks->addTick(at, name);
  }
  plot_->xAxis->setTicker(ticks);
  plot_->xAxis->setRange(0.3, std::max(at, 2) + 0.7);
  plot_->xAxis->setLabel({});
  plot_->yAxis->setRange(from, most * 2.2);
  plot_->yAxis->setLabel(isTime(kind_) ? QString() : tr("%1 a second").arg(axisWord(kind_)));
  setValueTicks(plot_->yAxis, from, most * 2.2, kind_);
  plot_->axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom | QCP::msTop);
  plot_->axisRect()->setMargins(QMargins(0, 12, 16, 0));
}

// SpreadPlot

SpreadPlot::SpreadPlot(QWidget* parent) : BenchPlot(parent) {
  setObjectName(QStringLiteral("spreadPlot"));
}

void SpreadPlot::setSeries(std::vector<ShownSeries> series, Kind kind, double place) {
  series_ = std::move(series);
  kind_ = kind;
  place_ = place;
  const QString where = placeTitle(place, kind);
  if (hasDistribution()) {
    std::uint64_t count = 0;
    for (const ShownSeries& each : series_) {
      if (const Point* point = each.series != nullptr ? each.series->at(place) : nullptr) {
        count = std::max(count, point->summary.count);
      }
    }
    const QString number = theme::formatCount(static_cast<qint64>(count));
    setTitle(
        tr("Distribution at %1").arg(where),
        kind == Kind::Rtiperf ? tr("share of %1 pairs with a mean at most this long").arg(number)
        : kind == Kind::DmsoLatency ? tr("share of %1 one-way times at most this long").arg(number)
                                    : tr("share of %1 round trips at most this long").arg(number));
  } else {
    setTitle(tr("Repeats at %1").arg(where),
             bench::factsOf(kind).sequence ? tr("a mark is a sample, the line the mean")
             : bench::factsOf(kind).means  ? tr("a mark is a repeat, the line the mean")
                                           : tr("a mark is a repeat, the line the median"));
  }
  redraw();
}

bool SpreadPlot::hasDistribution() const {
  return std::any_of(series_.begin(), series_.end(), [&](const ShownSeries& each) {
    const Point* point = each.series != nullptr ? each.series->at(place_) : nullptr;
    return point != nullptr && !point->distribution.empty();
  });
}

void SpreadPlot::draw(const theme::Palette& palette) {
  plot_->clearPlottables();
  plot_->clearItems();
  plot_->yAxis->setRangeReversed(false);
  if (hasDistribution()) {
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
  // Of tens of pairs there are no nines: all shares are equally far apart.
  const bool even = kind_ == Kind::Rtiperf;
  const auto heightOf = [&](double share) { return even ? share : shareHeight(share); };
  constexpr std::size_t levels = 6;
  constexpr int lineHeight = 15;  // px
  const double top = even ? 1.02 : 4.05;
  const double line = lineHeight * top / std::max(plot_->axisRect()->height(), 250);
  const double highest = std::max(even ? 0.86 : 0.82, line * (levels - 0.5));
  for (const ShownSeries& each : series_) {
    const Point* point = each.series != nullptr ? each.series->at(place_) : nullptr;
    if (point == nullptr || point->distribution.empty()) continue;
    auto* curve = new QCPCurve(plot_->xAxis, plot_->yAxis);
    curve->setPen(penOf(each, palette));
    QVector<double> x, y;
    for (const auto& [share, value] : point->distribution) {
      x << value;
      y << heightOf(share);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    curve->setData(x, y);
    // The name stands where the curve passes about 50 to 90 %, a line lower for each next one.
    const double level = highest - line * static_cast<double>(names.size() % levels);
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
  setValueTicks(plot_->xAxis, from, to, kind_);
  plot_->xAxis->setLabel(kind_ == Kind::DmsoLatency ? tr("One way")
                         : even                     ? tr("Mean round trip of a pair")
                                                    : tr("Round trip"));
  QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
  for (const auto& [share, text] : {std::pair(0.0, "0"),
                                    {0.25, even ? "25" : ""},
                                    {0.5, "50"},
                                    {0.75, even ? "75" : ""},
                                    {0.9, "90"},
                                    {0.99, "99"},
                                    {0.999, "99.9"},
                                    {0.9999, "99.99"}}) {
    if (*text == '\0' || (even && share > 0.9)) continue;
    ticks->addTick(heightOf(share), QString::fromLatin1(text) + QStringLiteral("\u202f%"));
  }
  plot_->yAxis->setTicker(ticks);
  if (even) ticks->addTick(1, QStringLiteral("100\u202f%"));
  plot_->yAxis->setRange(0, top);
  plot_->yAxis->setLabel({});
  plot_->axisRect()->setAutoMargins(QCP::msAll);
  if (!even) {
    auto* p99 = new QCPItemStraightLine(plot_);
    p99->setPen(QPen(palette[Token::Accent], 1));
    p99->point1->setCoords(from, 2);
    p99->point2->setCoords(to, 2);
    auto* mark = makePlotLabel(plot_, QStringLiteral("p99"), palette);
    mark->setColor(palette[Token::TextLink]);
    mark->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    mark->position->setCoords(to * 0.96, 2.03);
  }
  // More than these would cover each other; the list of what is shown has their colours.
  constexpr std::size_t mostNames = 5;
  constexpr int leastHeight = 250;  // px, so that lines of text stand one below the other
  const int height = plot_->axisRect()->height();
  const bool low = height > 0 && height < leastHeight;
  if (names.size() > mostNames || (low && names.size() > 1)) names.clear();
  for (const Name& name : names) {
    QCPItemText* item = makePlotLabel(plot_, QStringLiteral(" ") + name.text, palette);
    // To the left of a curve on the right side, where there is more room.
    if (std::log(name.x / from) > 0.6 * std::log(to / from)) {
      item->setText(name.text + QStringLiteral(" "));
      item->setPositionAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
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
  for (const ShownSeries& each : series_) {
    const Point* point = each.series != nullptr ? each.series->at(place_) : nullptr;
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
    const double value = figureOf(point->summary, kind_);
    median->start->setCoords(value, at - 0.32);
    median->end->setCoords(value, at + 0.32);
    ticks->addTick(at, each.brief);
  }
  plot_->xAxis->setScaleType(QCPAxis::stLogarithmic);
  plot_->yAxis->setScaleType(QCPAxis::stLinear);
  if (most == 0) {
    least = 1e3;
    most = 1e6;
  }
  plot_->xAxis->setRange(least * 0.7, most * 1.4);
  setValueTicks(plot_->xAxis, least * 0.7, most * 1.4, kind_);
  plot_->xAxis->setLabel(isTime(kind_) ? tr("Time") : tr("%1 a second").arg(axisWord(kind_)));
  plot_->yAxis->setTicker(ticks);
  plot_->yAxis->setRange(0.3, std::max(at, 2) + 0.7);
  plot_->yAxis->setRangeReversed(true);
  plot_->yAxis->setLabel({});
  plot_->axisRect()->setAutoMargins(QCP::msAll);
}

}  // namespace tutti::monitor
