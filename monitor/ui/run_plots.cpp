// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/run_plots.h"

#include <QDateTime>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "resources/csv.h"
#include "resources/theme/format.h"
#include "resources/theme/plot.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using theme::TextStyle;
using theme::Token;

namespace {

constexpr std::size_t kMostLines = 8;
constexpr std::array kWindows{60.0, 600.0, 1800.0};  // s
constexpr int kLeftMargin = 60;
constexpr int kPaperWidth = 900;
constexpr int kPaperHeight = 220;  // of one plot

QString titleOf(RunQuantity quantity) {
  switch (quantity) {
    case RunQuantity::Sent:
      return QuantityPlot::tr("Sent, per second");
    case RunQuantity::Received:
      return QuantityPlot::tr("Received, per second");
    case RunQuantity::Processor:
      return QuantityPlot::tr("Processor, share of one");
  }
  return {};
}

QString valueText(RunQuantity quantity, double value) {
  if (std::isnan(value)) return theme::noValue();
  return quantity == RunQuantity::Processor ? theme::formatPercent(value)
                                            : theme::formatRate(value);
}

float valueOf(const RunSeries::Point& point, RunQuantity quantity) {
  return point.values[static_cast<std::size_t>(quantity)];
}

/// Names of the lines, each behind a piece of its line.
class LineKey : public QWidget {
 public:
  using QWidget::QWidget;
  void setNames(std::vector<std::pair<QString, int>> names) {
    if (names == names_) return;
    names_ = std::move(names);
    QStringList all;
    for (const auto& [name, color] : names_) all << name;
    setToolTip(all.join(u'\n'));
    setAccessibleName(all.join(QStringLiteral(", ")));
    update();
  }
  QSize sizeHint() const override { return {200, 20}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const theme::Palette palette = theme::Palette::of(this);
    const QFont font = theme::textFont(TextStyle::Caption);
    const QFontMetrics metrics(font);
    painter.setFont(font);
    int x = 0;
    for (const auto& [name, color] : names_) {
      const int width = metrics.horizontalAdvance(name);
      if (x + 24 + width > this->width()) {
        painter.setPen(palette[Token::TextMuted]);
        painter.drawText(x, 0, this->width() - x, height(), Qt::AlignVCenter, QStringLiteral("…"));
        break;
      }
      painter.setPen(theme::seriesPen(color, palette));
      painter.drawLine(x, height() / 2, x + 18, height() / 2);
      painter.setPen(palette[Token::TextPrimary]);
      painter.drawText(x + 24, 0, width + 4, height(), Qt::AlignVCenter, name);
      x += 24 + width + 16;
    }
  }

 private:
  std::vector<std::pair<QString, int>> names_;
};

}  // namespace

// QuantityPlot

QuantityPlot::QuantityPlot(RunQuantity quantity, QWidget* parent)
    : BenchPlot(parent), quantity_(quantity) {
  static constexpr std::array kNames{"sentPlot", "receivedPlot", "processorPlot"};
  setObjectName(QString::fromLatin1(kNames[static_cast<std::size_t>(quantity)]));
  setTitle(titleOf(quantity), {});
  plot_->setMinimumHeight(90);
  // One below the other, their time axes end at the same places.
  plot_->axisRect()->setAutoMargins(QCP::msTop | QCP::msBottom | QCP::msRight);
  plot_->axisRect()->setMargins(QMargins(kLeftMargin, 0, 0, 0));
  plot_->xAxis->setTicker(QSharedPointer<QCPAxisTickerDateTime>(new QCPAxisTickerDateTime));
  qSharedPointerCast<QCPAxisTickerDateTime>(plot_->xAxis->ticker())
      ->setDateTimeFormat(QStringLiteral("HH:mm:ss"));
  plot_->installEventFilter(this);
  plot_->setMouseTracking(true);
}

void QuantityPlot::setLines(std::vector<Line> lines, double from, double to) {
  lines_ = std::move(lines);
  from_ = from;
  to_ = to;
  note();
  redraw();
}

void QuantityPlot::setCursor(std::optional<double> at) {
  if (cursor_ == at) return;
  cursor_ = at;
  note();
  redraw();
}

QString QuantityPlot::valuesAtCursor() const {
  if (!cursor_) return {};
  QStringList texts;
  for (const Line& line : lines_) {
    const auto next =
        std::lower_bound(line.points.begin(), line.points.end(), *cursor_,
                         [](const RunSeries::Point& point, double at) { return point.at < at; });
    auto nearest = next;
    if (next == line.points.end() ||
        (next != line.points.begin() && *cursor_ - std::prev(next)->at < next->at - *cursor_)) {
      if (next == line.points.begin()) continue;
      nearest = std::prev(next);
    }
    texts << line.federate + u' ' + valueText(quantity_, valueOf(*nearest, quantity_));
  }
  return texts.join(QStringLiteral(", "));
}

void QuantityPlot::note() {
  const QString values = valuesAtCursor();
  setTitle(titleOf(quantity_),
           values.isEmpty() ? QString()
                            : QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(*cursor_ * 1000))
                                      .toString(QStringLiteral("HH:mm:ss")) +
                                  QStringLiteral(": ") + values);
}

void QuantityPlot::draw(const theme::Palette& palette) {
  plot_->clearPlottables();
  plot_->clearItems();
  double most = 0;
  for (const Line& line : lines_) {
    QCPGraph* graph = plot_->addGraph();
    graph->setPen(theme::seriesPen(line.color, palette));
    QVector<double> x, y;
    for (const RunSeries::Point& point : line.points) {
      const float value = valueOf(point, quantity_);
      x << point.at;
      y << static_cast<double>(value);  // not a number is a gap in the line
      if (!std::isnan(value) && point.at >= from_)
        most = std::max(most, static_cast<double>(value));
    }
    graph->setData(x, y, true);
  }
  plot_->xAxis->setRange(from_, to_);
  plot_->yAxis->setRange(0, most > 0 ? most * 1.1 : 1);
  if (cursor_ && *cursor_ >= from_ && *cursor_ <= to_) {
    auto* line = new QCPItemStraightLine(plot_);
    line->setPen(QPen(palette[Token::TextSecondary], 1));
    line->point1->setCoords(*cursor_, 0);
    line->point2->setCoords(*cursor_, 1);
  }
}

bool QuantityPlot::eventFilter(QObject* watched, QEvent* event) {
  if (watched == plot_ && event->type() == QEvent::MouseMove)
    emit pointed(plot_->xAxis->pixelToCoord(static_cast<QMouseEvent*>(event)->position().x()));
  if (watched == plot_ && event->type() == QEvent::Leave) emit pointed(std::nullopt);
  return BenchPlot::eventFilter(watched, event);
}

// RunPlots

RunPlots::RunPlots(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("runPlots"));
  setFocusPolicy(Qt::StrongFocus);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  window_ = new theme::SegmentedControl({tr("1 min"), tr("10 min"), tr("30 min")});
  window_->setObjectName(QStringLiteral("plotWindow"));
  window_->setAccessibleName(tr("Time that the plots show"));
  pause_ = new QPushButton(tr("Pause plots"));
  pause_->setObjectName(QStringLiteral("pausePlots"));
  pause_->setProperty("dense", true);
  pause_->setCheckable(true);
  pause_->setToolTip(tr("Hold the picture (Space). The run and its recording go on."));
  what_ = theme::makeLabel({}, "muted");
  what_->setObjectName(QStringLiteral("plotsOf"));
  key_ = new LineKey;
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(12, 4, 12, 0);
  bar->setSpacing(8);
  bar->addWidget(window_);
  bar->addWidget(pause_);
  bar->addWidget(what_);
  bar->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  auto* keyRow = new QHBoxLayout;
  keyRow->setContentsMargins(12, 4, 12, 0);
  keyRow->addWidget(key_);
  column->addLayout(keyRow);
  for (const RunQuantity quantity : runQuantities) {
    auto* plot = new QuantityPlot(quantity);
    plots_.push_back(plot);
    column->addWidget(plot, 1);
    connect(plot, &QuantityPlot::pointed, this, &RunPlots::moveCursor);
  }
  connect(window_, &theme::SegmentedControl::currentIndexChanged, this, [this] { showLines(); });
  connect(pause_, &QPushButton::toggled, this, &RunPlots::setPaused);
}

void RunPlots::setSnapshot(const Snapshot& snapshot, double now) {
  series_.add(snapshot, now);
  if (!paused_ && isVisible()) showLines();
}

void RunPlots::clear() {
  series_.clear();
  colors_.clear();
  setPaused(false);
  showLines();
}

void RunPlots::setFederate(const QString& federate) {
  if (federate_ == federate) return;
  federate_ = federate;
  showLines();
}

void RunPlots::setPaused(bool paused) {
  if (paused_ == paused) return;
  paused_ = paused;
  pausedAt_ = series_.newest();
  pause_->setChecked(paused);
  pause_->setText(paused ? tr("Resume plots") : tr("Pause plots"));
  showLines();
}

double RunPlots::seconds() const {
  return kWindows[static_cast<std::size_t>(std::clamp(window_->currentIndex(), 0, 2))];
}

int RunPlots::colorOf(const QString& federate, const std::vector<QString>& shown) {
  if (const auto known = colors_.find(federate); known != colors_.end()) return known->second;
  std::array<bool, kMostLines> taken{};
  for (const QString& name : shown) {
    if (const auto other = colors_.find(name); other != colors_.end())
      taken[static_cast<std::size_t>(other->second)] = true;
  }
  const auto unused = std::find(taken.begin(), taken.end(), false);
  const int color =
      unused == taken.end() ? 0 : static_cast<int>(std::distance(taken.begin(), unused));
  colors_[federate] = color;
  return color;
}

void RunPlots::showLines() {
  const double to = paused_ ? pausedAt_ : series_.newest();
  const double from = to - seconds();
  std::vector<QString> names;
  if (!federate_.isEmpty() && series_.of(federate_) != nullptr)
    names = {federate_};
  else
    names = series_.busiest(RunQuantity::Sent, seconds(), kMostLines);
  std::erase_if(colors_, [&](const auto& entry) {
    return std::find(names.begin(), names.end(), entry.first) == names.end();
  });
  std::vector<std::pair<QString, int>> key;
  for (const QString& name : names) key.emplace_back(name, colorOf(name, names));
  static_cast<LineKey*>(key_)->setNames(key);
  QString text = names.size() == 1 && names.front() == federate_
                     ? tr("%1, select nothing for the busiest").arg(federate_)
                     : tr("The %1 that send most; select one to see it alone").arg(names.size());
  if (names.empty()) text = tr("Nothing has been measured yet.");
  if (paused_)
    text = tr("Held at %1; the run and its recording go on")
               .arg(QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(pausedAt_ * 1000))
                        .toString(QStringLiteral("HH:mm:ss")));
  what_->setText(text);
  for (QuantityPlot* plot : plots_) {
    std::vector<QuantityPlot::Line> lines;
    for (const auto& [name, color] : key) {
      QuantityPlot::Line line{name, color, {}};
      for (const RunSeries::Point& point : *series_.of(name))
        if (point.at >= from - 2 && point.at <= to) line.points.push_back(point);
      lines.push_back(std::move(line));
    }
    plot->setLines(std::move(lines), from, std::max(to, from + 1));
  }
}

void RunPlots::moveCursor(std::optional<double> at) {
  cursor_ = at;
  for (QuantityPlot* plot : plots_) plot->setCursor(at);
}

void RunPlots::keyPressEvent(QKeyEvent* event) {
  const double step = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
  const double to = paused_ ? pausedAt_ : series_.newest();
  switch (event->key()) {
    case Qt::Key_Space:
      setPaused(!paused_);
      return;
    case Qt::Key_Left:
      moveCursor(std::max(cursor_.value_or(to) - step, to - seconds()));
      return;
    case Qt::Key_Right:
      moveCursor(std::min(cursor_.value_or(to) + step, to));
      return;
    case Qt::Key_Escape:
      moveCursor(std::nullopt);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

void RunPlots::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  showLines();
}

QSize RunPlots::fullSize() const {
  return {kPaperWidth, kPaperHeight * static_cast<int>(plots_.size())};
}

void RunPlots::renderLight(QPainter& painter, QSize size) {
  const int height = size.height() / static_cast<int>(plots_.size());
  for (QuantityPlot* plot : plots_) {
    painter.save();
    // The title is a label beside the plot.
    plot->plot()->yAxis->setLabel(plot->title());
    plot->renderLight(painter, QSize(size.width(), height));
    plot->plot()->yAxis->setLabel({});
    painter.restore();
    painter.translate(0, height);
  }
}

QString RunPlots::csv() const {
  QString text = QStringLiteral("time,federate,sent_per_s,received_per_s,processor\n");
  const auto number = [](float value) {
    return std::isnan(value) ? QString() : QString::number(static_cast<double>(value), 'g', 9);
  };
  for (const QString& name : series_.busiest(RunQuantity::Sent, RunSeries::longest,
                                             std::numeric_limits<std::size_t>::max())) {
    for (const RunSeries::Point& point : *series_.of(name)) {
      QStringList fields{QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(point.at * 1000))
                             .toString(Qt::ISODateWithMs),
                         csvField(name)};
      for (const float value : point.values) fields << number(value);
      text += fields.join(u',') + u'\n';
    }
  }
  return text;
}

}  // namespace tutti::monitor
