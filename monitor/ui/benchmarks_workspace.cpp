// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/benchmarks_workspace.h"

#include <QAbstractListModel>
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QMouseEvent>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QThread>
#include <QTreeView>
#include <QVBoxLayout>
#include <cmath>

#include "monitor/ui/bench_plots.h"
#include "monitor/ui/exporter.h"
#include "monitor/ui/fact_list.h"
#include "resources/theme/delegates.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/plot.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using bench::Kind;
using theme::State;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int tableRow = 26;

/// The stroke that stands for a series: as in the plot.
void paintSample(QPainter& painter, const QRectF& rect, const ShownSeries& series,
                 const theme::Palette& palette, bool marker) {
  QPen pen;
  QCPScatterStyle style(QCPScatterStyle::ssNone);
  switch (series.what) {
    case ShownSeries::What::Result:
      pen = theme::seriesPen(series.color, palette);
      style = theme::seriesMarker(series.color, palette, 6);
      break;
    case ShownSeries::What::Ring:
      pen = theme::yardstickPen(palette);
      break;
    case ShownSeries::What::Reference:
      pen = theme::referencePen(palette);
      style =
          QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(palette[Token::SeriesReference], 1.5),
                          QBrush(palette[Token::BgPanel]), 8);
      break;
  }
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
      : RowDelegate(parent, tableRow), model_(model) {}

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
  explicit SpreadDelegate(QObject* parent) : RowDelegate(parent, 28) {}

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
  explicit ChangeDelegate(QObject* parent) : RowDelegate(parent, 28) {}

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
    word(tr("inside the noise"));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme::colors(State::Ok, palette).fill);
    painter.drawEllipse(QPointF(x + 4, 14), 4, 4);
    x += 14;
    word(tr("real (95\u202f%)"));
  }
};

}  // namespace

/// The suites with whether they have been run.
class SuiteModel : public QAbstractListModel {
 public:
  struct Entry {
    QString title;
    QString detail;
    bool done = false;
  };
  using QAbstractListModel::QAbstractListModel;
  void setEntries(std::vector<Entry> entries) {
    beginResetModel();
    entries_ = std::move(entries);
    endResetModel();
  }
  void setDone(int row, bool done) {
    auto& entry = entries_[static_cast<std::size_t>(row)];
    if (entry.done == done) return;
    entry.done = done;
    emit dataChanged(index(row), index(row));
  }
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(entries_.size());
  }
  QVariant data(const QModelIndex& index, int role) const override {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Entry& entry = entries_[static_cast<std::size_t>(index.row())];
    switch (role) {
      case Qt::DisplayRole:
        return entry.title;
      case theme::DetailRole:
        return entry.detail;
      case theme::IconNameRole:
        return QStringLiteral("benchmarks");
      case theme::StateRole:
        return QVariant::fromValue(entry.done ? State::Ok : State::Idle);
      case Qt::ToolTipRole:
        return entry.done ? QStringLiteral("Has results") : QStringLiteral("Has not been run here");
      default:
        return {};
    }
  }

 private:
  std::vector<Entry> entries_;
};

BenchmarksWorkspace::BenchmarksWorkspace(const QString& storePath, const QString& tool,
                                         QWidget* parent)
    : Workspace(QStringLiteral("benchmarks"), tr("Benchmarks"), QStringLiteral("benchmarks"),
                parent),
      storePath_(storePath.isEmpty() ? RunStore::defaultPath() : storePath),
      run_(new BenchRun(tool, this)) {
  const auto settings = [](Kind kind, std::vector<int> sizes,
                           bench::Pinning pinning = bench::Pinning::OwnCores) {
    bench::Settings result;
    result.kind = kind;
    if (!sizes.empty()) result.sizes = std::move(sizes);
    result.pinning = pinning;
    // On one core a poll would take the other's turn.
    result.wait = pinning == bench::Pinning::OneCore;
    return result;
  };
  const std::vector<int> sweep{8, 32, 128, 512, 2048, 8192, 32'768, 131'072, 524'288, 1'048'576};
  bench::Settings longSweep = settings(Kind::Latency, sweep);
  longSweep.count = 2000;
  bench::Settings rates = settings(Kind::Throughput, {8, 32, 128, 512, 2048, 8192, 32'768});
  rates.count = 100'000;
  suites_ = {
      {tr("DMSO"),
       tr("latency, throughput, grants"),
       {settings(Kind::Latency, {128, 512, 1024, 2048}),
        settings(Kind::Throughput, {128, 512, 1024, 2048}), settings(Kind::TimeAdvance, {})}},
      {tr("Round-trip sweep"), tr("8 B to 1 MiB"), {longSweep}},
      {tr("Throughput sweep"), tr("8 B to 32 KiB"), {rates}},
      {tr("One core"),
       tr("both federates on one processor"),
       {settings(Kind::Latency, {128, 1024}, bench::Pinning::OneCore),
        settings(Kind::Throughput, {128, 1024}, bench::Pinning::OneCore),
        settings(Kind::TimeAdvance, {}, bench::Pinning::OneCore)}},
      {tr("Time advance"), tr("two federates, lookahead 0.1"), {settings(Kind::TimeAdvance, {})}},
  };
  exportAction_ = new QAction(tr("Export all benchmarks…"), this);
  connect(exportAction_, &QAction::triggered, this, &BenchmarksWorkspace::exportAll);

  buildCentre();
  buildSuites();
  buildShown();
  buildTable();
  buildCompare();
  splitDockWidget(suitesDock_, shownDock_, Qt::Vertical);
  splitDockWidget(tableDock_, compareDock_, Qt::Horizontal);

  connect(run_, &BenchRun::progressed, this, &BenchmarksWorkspace::updateRun);
  connect(run_, &BenchRun::resultArrived, this, [this](const bench::Result& result) {
    reload();
    showKind(result.settings.kind);
  });
  connect(run_, &BenchRun::finished, this, [this](const QString& problem) {
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty() && problem != tr("Cancelled."));
    updateRun();
  });
  clock_.setInterval(500);
  connect(&clock_, &QTimer::timeout, this, &BenchmarksWorkspace::updateRun);
  reload();
  updateRun();
}

void BenchmarksWorkspace::buildCentre() {
  title_ = theme::makeLabel({}, "heading");
  subtitle_ = theme::makeLabel({}, "caption");
  subtitle_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  kinds_ = new theme::SegmentedControl({tr("Latency"), tr("Throughput"), tr("Time advance")});
  kinds_->setObjectName(QStringLiteral("benchKinds"));
  exportButton_ = new QPushButton(theme::icon(QStringLiteral("export")), tr("Export all"));
  exportButton_->setObjectName(QStringLiteral("benchExport"));
  exportButton_->setProperty("dense", true);
  runButton_ =
      new QPushButton(theme::icon(QStringLiteral("run"), Token::AccentOn), tr("Run suite"));
  runButton_->setObjectName(QStringLiteral("benchRun"));
  runButton_->setProperty("role", QStringLiteral("primary"));
  runButton_->setProperty("dense", true);
  auto* bar = new QFrame;
  bar->setProperty("role", QStringLiteral("bar"));
  bar->setFixedHeight(theme::height::kTool);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 0, 8, 0);
  row->setSpacing(10);
  row->addWidget(title_);
  row->addWidget(subtitle_, 1);
  row->addWidget(kinds_);
  row->addWidget(exportButton_);
  row->addWidget(runButton_);

  progressBar_ = new QWidget;
  progressBar_->setObjectName(QStringLiteral("benchProgress"));
  progressBar_->setAutoFillBackground(true);
  progressBar_->setBackgroundRole(QPalette::Base);
  progress_ = new QProgressBar;
  progress_->setRange(0, 1000);
  progress_->setTextVisible(false);
  progress_->setFixedSize(180, 6);
  progressText_ = theme::makeLabel({}, "table");
  progressCommand_ = theme::makeLabel({}, "mono");
  progressCommand_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  progressCommand_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* cancel = new QPushButton(tr("Cancel"));
  cancel->setObjectName(QStringLiteral("benchCancel"));
  cancel->setProperty("dense", true);
  auto* progressRow = new QHBoxLayout(progressBar_);
  progressRow->setContentsMargins(12, 4, 8, 4);
  progressRow->setSpacing(12);
  progressRow->addWidget(progress_);
  progressRow->addWidget(progressText_);
  progressRow->addWidget(progressCommand_, 1);
  progressRow->addWidget(cancel);
  progressBar_->hide();
  problem_ = theme::makeLabel({}, "error");
  problem_->setObjectName(QStringLiteral("benchProblem"));
  problem_->setWordWrap(true);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  problem_->setContentsMargins(12, 6, 12, 6);
  problem_->hide();

  sizePlot_ = new SizePlot;
  spreadPlot_ = new SpreadPlot;
  auto* plots = new QSplitter;
  plots->setObjectName(QStringLiteral("benchPlots"));
  plots->setHandleWidth(1);
  plots->setChildrenCollapsible(false);
  plots->addWidget(sizePlot_);
  plots->addWidget(spreadPlot_);
  plots->setStretchFactor(0, 56);
  plots->setStretchFactor(1, 44);
  empty_ = new theme::EmptyView({});
  empty_->setObjectName(QStringLiteral("benchEmpty"));
  centre_ = new QStackedWidget;
  centre_->addWidget(empty_);
  centre_->addWidget(plots);
  auto* whole = new QWidget;
  auto* column = new QVBoxLayout(whole);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar);
  column->addWidget(progressBar_);
  column->addWidget(problem_);
  column->addWidget(centre_, 1);
  setCentralWidget(whole);

  connect(kinds_, &theme::SegmentedControl::currentIndexChanged, this, [this](int index) {
    kind_ = static_cast<Kind>(index);
    showResults();
  });
  connect(runButton_, &QPushButton::clicked, this, &BenchmarksWorkspace::runSuite);
  connect(empty_, &theme::EmptyView::buttonClicked, this, &BenchmarksWorkspace::runSuite);
  connect(cancel, &QPushButton::clicked, run_, &BenchRun::cancel);
  connect(exportButton_, &QPushButton::clicked, this, &BenchmarksWorkspace::exportAll);
  connect(sizePlot_, &SizePlot::sizeSelected, this, &BenchmarksWorkspace::showSize);
}

void BenchmarksWorkspace::buildSuites() {
  suiteModel_ = new SuiteModel(this);
  std::vector<SuiteModel::Entry> entries;
  for (const Suite& suite : suites_) entries.push_back({suite.title, suite.detail, false});
  suiteModel_->setEntries(std::move(entries));
  suiteList_ = new QListView;
  suiteList_->setObjectName(QStringLiteral("suites"));
  suiteList_->setAccessibleName(tr("Suites"));
  suiteList_->setModel(suiteModel_);
  suiteList_->setItemDelegate(new theme::TwoLineDelegate(suiteList_));
  suiteList_->setUniformItemSizes(true);
  suiteList_->setMouseTracking(true);
  suiteList_->setCurrentIndex(suiteModel_->index(0));
  repeats_ = new QSpinBox;
  repeats_->setObjectName(QStringLiteral("benchRepeats"));
  repeats_->setRange(1, 100);
  repeats_->setValue(5);
  repeats_->setToolTip(tr("Each repeat starts new processes. Comparisons need at least 4."));
  seed_ = new QSpinBox;
  seed_->setObjectName(QStringLiteral("benchSeed"));
  seed_->setRange(0, 1'000'000'000);
  seed_->setValue(1207);
  seed_->setToolTip(tr("Decides the order of the measurements and the bytes that are sent."));
  pinning_ = new QComboBox;
  pinning_->setObjectName(QStringLiteral("benchPinning"));
  pinning_->addItem(tr("as the suite says"));
  pinning_->addItem(tr("each its own core"));
  pinning_->addItem(tr("both on one core"));
  pinning_->addItem(tr("not pinned"));
  suiteList_->setMinimumHeight(static_cast<int>(suites_.size()) * 40);
  auto* form = new QGridLayout;
  form->setContentsMargins(12, 8, 12, 10);
  form->setHorizontalSpacing(6);
  repeats_->setFixedWidth(54);
  seed_->setFixedWidth(84);
  pinning_->setMinimumWidth(80);
  form->setVerticalSpacing(6);
  form->addWidget(theme::makeLabel(tr("Repeats"), "label"), 0, 0);
  form->addWidget(repeats_, 0, 1);
  form->addWidget(theme::makeLabel(tr("Seed"), "label"), 0, 2);
  form->addWidget(seed_, 0, 3);
  form->addWidget(theme::makeLabel(tr("Pinned"), "label"), 1, 0);
  form->addWidget(pinning_, 1, 1, 1, 3);
  form->setColumnStretch(1, 1);
  form->setColumnStretch(3, 1);
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(suiteList_, 1);
  layout->addLayout(form);
  suitesDock_ = addPane(QStringLiteral("benchSuites"), tr("Suites"), content,
                        Qt::LeftDockWidgetArea, theme::width::kLeft);
  titleBar(suitesDock_)->setCaption(QString::number(suites_.size()));
  connect(suiteList_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this] { emit commandLineChanged(); });
  connect(suiteList_, &QListView::activated, this, &BenchmarksWorkspace::runSuite);
  connect(repeats_, &QSpinBox::valueChanged, this, &Workspace::commandLineChanged);
  connect(seed_, &QSpinBox::valueChanged, this, &Workspace::commandLineChanged);
  connect(pinning_, &QComboBox::currentIndexChanged, this, &Workspace::commandLineChanged);
}

void BenchmarksWorkspace::buildShown() {
  shown_ = new ShownModel(this);
  shownList_ = new QListView;
  shownList_->setObjectName(QStringLiteral("shownSeries"));
  shownList_->setAccessibleName(tr("Shown results"));
  shownList_->setModel(shown_);
  shownList_->setItemDelegate(new ShownDelegate(shownList_));
  shownList_->setUniformItemSizes(true);
  shownList_->setMouseTracking(true);
  facts_ = new FactList;
  facts_->setObjectName(QStringLiteral("benchFacts"));
  auto* area = new QScrollArea;
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* holder = new QWidget;
  holder->setBackgroundRole(QPalette::Base);
  auto* holderLayout = new QVBoxLayout(holder);
  holderLayout->setContentsMargins(0, 0, 0, 0);
  holderLayout->addWidget(facts_);
  holderLayout->addStretch();
  area->setWidget(holder);
  area->viewport()->setBackgroundRole(QPalette::Base);
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(shownList_, 3);
  layout->addWidget(area, 2);
  shownDock_ = addPane(QStringLiteral("benchShown"), tr("Shown"), content, Qt::LeftDockWidgetArea,
                       theme::width::kLeft);
  connect(shown_, &ShownModel::shownChanged, this, [this] {
    const std::vector<ShownSeries> series = shown_->shown();
    titleBar(shownDock_)
        ->setCaption(tr("%1 of %2").arg(series.size()).arg(shown_->series().size()));
    tableModel_->setSeries(series, kind_);
    sizePlot_->setSeries(series, kind_);
    spreadPlot_->setSeries(series, kind_, size_);
  });
  connect(shownList_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &BenchmarksWorkspace::updateFacts);
}

void BenchmarksWorkspace::buildTable() {
  tableModel_ = new BenchTableModel(this);
  table_ = new QTreeView;
  table_->setObjectName(QStringLiteral("benchTable"));
  table_->setAccessibleName(tr("Measured values"));
  table_->setModel(tableModel_);
  table_->setRootIsDecorated(false);
  table_->setItemsExpandable(false);
  table_->setUniformRowHeights(true);
  table_->setMouseTracking(true);
  table_->setItemDelegate(new theme::RowDelegate(table_, tableRow));
  table_->setItemDelegateForColumn(BenchTableModel::Series,
                                   new SeriesDelegate(tableModel_, table_));
  for (int column = BenchTableModel::Median; column < BenchTableModel::ColumnCount; ++column) {
    table_->setItemDelegateForColumn(
        column, new theme::NumberDelegate(QStringLiteral("888.88\u202fk"), table_, tableRow));
  }
  QHeaderView* header = table_->header();
  header->setStretchLastSection(false);
  header->setSectionResizeMode(QHeaderView::Fixed);
  header->setSectionResizeMode(BenchTableModel::Series, QHeaderView::Stretch);
  header->setMinimumSectionSize(40);
  header->resizeSection(BenchTableModel::Size, 68);
  for (int column = BenchTableModel::Median; column <= BenchTableModel::Ratio; ++column) {
    header->resizeSection(column, 66);
  }
  header->resizeSection(BenchTableModel::Lost, 46);
  tableDock_ =
      addPane(QStringLiteral("benchTableDock"), tr("Table"), table_, Qt::BottomDockWidgetArea, 300);
  auto* save = new QAction(theme::icon(QStringLiteral("export")), tr("Export as CSV"), this);
  titleBar(tableDock_)->addAction(save);
  connect(save, &QAction::triggered, this, [this] {
    const QString path = askForFile(
        this,
        fileNameOf({QStringLiteral("tutti"), bench::kindName(kind_)}) + QStringLiteral(".csv"),
        tr("Tables (*.csv)"));
    if (path.isEmpty()) return;
    const auto result = exportCsv(*tableModel_, exportTitle(bench::kindTitle(kind_)), path,
                                  BenchTableModel::NumberRole);
    result ? emit done(tr("Exported %1").arg(path)) : emit failed(result.error());
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) {
            if (index.isValid()) showSize(index.data(BenchTableModel::SizeRole).toInt());
          });
}

void BenchmarksWorkspace::buildCompare() {
  compareModel_ = new CompareModel(this);
  compareTable_ = new QTreeView;
  compareTable_->setObjectName(QStringLiteral("compareTable"));
  compareTable_->setAccessibleName(tr("Comparison of two results"));
  compareTable_->setModel(compareModel_);
  compareTable_->setRootIsDecorated(false);
  compareTable_->setItemsExpandable(false);
  compareTable_->setUniformRowHeights(true);
  compareTable_->setSelectionMode(QAbstractItemView::NoSelection);
  compareTable_->setItemDelegate(new theme::RowDelegate(compareTable_, 28));
  compareTable_->setItemDelegateForColumn(CompareModel::Change, new ChangeDelegate(compareTable_));
  compareTable_->setItemDelegateForColumn(CompareModel::Spread, new SpreadDelegate(compareTable_));
  QHeaderView* header = compareTable_->header();
  header->setStretchLastSection(false);
  header->setSectionResizeMode(QHeaderView::Fixed);
  header->setSectionResizeMode(CompareModel::What, QHeaderView::Stretch);
  header->resizeSection(CompareModel::Before, 70);
  header->resizeSection(CompareModel::After, 70);
  header->resizeSection(CompareModel::Change, 76);
  header->resizeSection(CompareModel::Spread, 140);
  compareHeadline_ = theme::makeLabel({}, "label-strong");
  compareHeadline_->setObjectName(QStringLiteral("compareHeadline"));
  compareHeadline_->setWordWrap(true);
  compareHeadline_->setContentsMargins(12, 8, 12, 0);
  compareNote_ = theme::makeLabel({}, "secondary");
  compareNote_->setWordWrap(true);
  compareNote_->setContentsMargins(12, 0, 12, 8);
  before_ = new QComboBox;
  before_->setObjectName(QStringLiteral("compareBefore"));
  before_->setAccessibleName(tr("Result before"));
  after_ = new QComboBox;
  after_->setObjectName(QStringLiteral("compareAfter"));
  after_->setAccessibleName(tr("Result after"));
  for (QComboBox* box : {before_, after_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box->setStyleSheet(QStringLiteral(
        "QComboBox { min-height: 20px; max-height: 20px; border: none; background: transparent; "
        "padding: 0 4px; } QComboBox:focus { min-height: 20px; padding: 0 4px; }"));
  }
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(compareHeadline_);
  layout->addWidget(compareNote_);
  layout->addWidget(compareTable_, 100);
  compareLegend_ = new CompareLegend;
  layout->addWidget(compareLegend_);
  layout->addStretch();
  compareDock_ = addPane(QStringLiteral("benchCompare"), tr("Compare"), content,
                         Qt::BottomDockWidgetArea, 300);
  theme::DockTitleBar* bar = titleBar(compareDock_);
  bar->addWidget(after_);
  against_ = theme::makeLabel(tr("against"), "caption");
  bar->addWidget(against_);
  bar->addWidget(before_);
  auto* save = new QAction(theme::icon(QStringLiteral("export")), tr("Export as CSV"), this);
  bar->addAction(save);
  connect(save, &QAction::triggered, this, [this] {
    const QString path =
        askForFile(this, QStringLiteral("tutti-comparison.csv"), tr("Tables (*.csv)"));
    if (path.isEmpty()) return;
    const auto result =
        exportCsv(*compareModel_, exportTitle(tr("Comparison")), path, CompareModel::NumberRole);
    result ? emit done(tr("Exported %1").arg(path)) : emit failed(result.error());
  });
  connect(before_, &QComboBox::activated, this, &BenchmarksWorkspace::updateCompare);
  connect(after_, &QComboBox::activated, this, &BenchmarksWorkspace::updateCompare);
}

void BenchmarksWorkspace::showEvent(QShowEvent* event) {
  if (!settledSizes_) {
    settledSizes_ = true;
    QTimer::singleShot(0, this, [this] {
      const int room = width() - theme::width::kLeft;
      resizeDocks({tableDock_, compareDock_}, {room * 56 / 100, room * 44 / 100}, Qt::Horizontal);
      resizeDocks({suitesDock_, shownDock_}, {height() * 40 / 100, height() * 60 / 100},
                  Qt::Vertical);
    });
  }
  Workspace::showEvent(event);
}

void BenchmarksWorkspace::reload() {
  results_.clear();
  storeProblem_.clear();
  const auto store = RunStore::open(storePath_);
  if (!store) {
    storeProblem_ = store.error().message;
  } else {
    const auto records = (*store)->benchmarks();
    if (!records) {
      storeProblem_ = records.error().message;
    } else {
      for (const BenchmarkRecord& record : *records) {
        auto result = bench::resultFromJson(record.document);
        // A result of a newer Tutti is left alone; it is still in the file.
        if (!result) continue;
        results_.push_back(
            std::make_shared<StoredResult>(StoredResult{record.id, std::move(*result)}));
      }
      if (!records->empty()) lastStored_ = records->front().id;
    }
  }
  for (std::size_t i = 0; i < suites_.size(); ++i) {
    bool all = true;
    for (const bench::Settings& wanted : suites_[i].settings) {
      all = all && std::any_of(results_.begin(), results_.end(), [&](const auto& each) {
              const bench::Settings& had = each->result.settings;
              return had.kind == wanted.kind && had.pinning == wanted.pinning &&
                     (wanted.kind == Kind::TimeAdvance || had.sizes == wanted.sizes);
            });
    }
    suiteModel_->setDone(static_cast<int>(i), all);
  }
  showResults();
  emit statusNotesChanged();
}

void BenchmarksWorkspace::showKind(Kind kind) {
  kinds_->setCurrentIndex(static_cast<int>(kind));
  kind_ = kind;
  showResults();
}

void BenchmarksWorkspace::showResults() {
  title_->setText(bench::kindTitle(kind_));
  subtitle_->setText(kind_ == Kind::TimeAdvance ? tr("two federates in step, lookahead 0.1")
                                                : tr("reliable, receive order, two processes"));
  const QString before = before_->currentText();
  const QString after = after_->currentText();
  const QSignalBlocker blockBefore(before_);
  const QSignalBlocker blockAfter(after_);
  before_->clear();
  after_->clear();
  for (const auto& each : results_) {
    if (each->result.settings.kind != kind_) continue;
    const QString text = tr("%1, %2").arg(whenText(each->result.at)).arg(each->id);
    for (QComboBox* box : {before_, after_}) box->addItem(text, static_cast<qlonglong>(each->id));
  }
  // The newest against the one before it that was measured the same way.
  if (after_->count() > 0) after_->setCurrentIndex(std::max(0, after_->findText(after)));
  int against = before_->findText(before);
  if (against < 0 || against == after_->currentIndex()) {
    against = before_->count() > 1 ? 1 : 0;
    int index = -1;
    const bench::Settings* newest = nullptr;
    for (const auto& each : results_) {
      if (each->result.settings.kind != kind_) continue;
      ++index;
      if (index == after_->currentIndex()) {
        newest = &each->result.settings;
      } else if (newest != nullptr && index > after_->currentIndex() &&
                 each->result.settings.pinning == newest->pinning &&
                 each->result.settings.sizes == newest->sizes) {
        against = index;
        break;
      }
    }
  }
  before_->setCurrentIndex(against);

  shown_->setResults(results_, kind_);
  bool any = false;
  std::vector<int> sizes;
  for (const auto& each : results_) {
    if (each->result.settings.kind != kind_) continue;
    any = true;
    for (const int size : each->result.settings.sizes) sizes.push_back(size);
  }
  if (any && std::find(sizes.begin(), sizes.end(), size_) == sizes.end() &&
      kind_ != Kind::TimeAdvance) {
    showSize(sizes.front());
  }
  centre_->setCurrentIndex(any ? 1 : 0);
  empty_->setSentence(storeProblem_.isEmpty()
                          ? tr("Nothing of this kind has been measured here yet.")
                          : storeProblem_);
  empty_->setDetail(tr("A suite takes about a minute. Close what else keeps the processors busy."));
  empty_->setButton(tr("Run suite"), false)->setEnabled(!run_->isRunning());
  exportButton_->setEnabled(!results_.empty());
  updateCompare();
  updateFacts();
}

void BenchmarksWorkspace::showSize(int size) {
  if (kind_ == Kind::TimeAdvance || size == size_) return;
  size_ = size;
  sizePlot_->setSize(size);
  spreadPlot_->setSeries(shown_->shown(), kind_, size);
}

void BenchmarksWorkspace::updateCompare() {
  const auto chosen = [&](const QComboBox* box) -> const bench::Result* {
    for (const auto& each : results_) {
      if (each->id == box->currentData().toLongLong()) return &each->result;
    }
    return nullptr;
  };
  const bench::Result* before = before_->count() > 1 ? chosen(before_) : nullptr;
  const bench::Result* after = after_->count() > 1 ? chosen(after_) : nullptr;
  compareModel_->setResults(before, after);
  const bool any = compareModel_->rowCount() > 0;
  compareHeadline_->setText(any ? compareModel_->headline()
                            : before_->count() < 2
                                ? tr("Two results of this kind show here what has changed.")
                                : tr("These two results have no message size in common."));
  compareNote_->setText(compareModel_->circumstances());
  compareNote_->setVisible(any);
  for (QWidget* each : std::initializer_list<QWidget*>{before_, after_, against_}) {
    each->setVisible(before_->count() > 1);
  }
  compareTable_->setVisible(any);
  compareLegend_->setVisible(any);
}

void BenchmarksWorkspace::updateFacts() {
  const QModelIndex current = shownList_->currentIndex();
  const StoredResult* stored = nullptr;
  const std::vector<ShownSeries>& all = shown_->series();
  QString published;
  if (current.isValid() && current.row() < static_cast<int>(all.size())) {
    const ShownSeries& series = all[static_cast<std::size_t>(current.row())];
    stored = series.stored;
    if (series.what == ShownSeries::What::Reference) published = series.source;
  } else if (!all.empty()) {
    stored = all.front().stored;
  }
  std::vector<Fact> facts;
  const auto row = [&](const QString& label, const QString& value) {
    facts.push_back({Fact::Kind::Row, label, value, value, {}, {}, -1});
  };
  if (!published.isEmpty()) {
    facts.push_back({Fact::Kind::Headline, tr("Published figures"), {}, {}, {}, {}, -1});
    facts.push_back({Fact::Kind::Note, published, {}, {}, {}, {}, -1});
  } else if (stored != nullptr) {
    const bench::Result& result = stored->result;
    facts.push_back(
        {Fact::Kind::Headline, tr("Settings of result %1").arg(stored->id), {}, {}, {}, {}, -1});
    row(tr("Machine"), tr("%1, %2 cores").arg(result.machine.host).arg(result.machine.processors));
    row(tr("Processor"), result.machine.processor);
    row(tr("Governor"), result.machine.governor);
    row(tr("Load before"), QString::number(result.machine.load, 'f', 2) +
                               (result.machine.isQuiet() ? QString() : tr(", busy")));
    row(tr("Kernel"), result.machine.kernel);
    row(tr("Build"), QStringLiteral("%1 %2, %3")
                         .arg(result.build.version, result.build.type, result.build.compiler));
    row(tr("Seed"), QString::number(result.settings.seed));
    row(kind_ == Kind::TimeAdvance ? tr("Grants") : tr("Updates"),
        tr("%1 + %2 warm-up")
            .arg(theme::formatCount(static_cast<qint64>(result.settings.countOrDefault())),
                 theme::formatCount(static_cast<qint64>(result.settings.warmUp))));
    row(tr("Repeats"), QString::number(result.settings.repeats));
    row(tr("Pinned"), result.settings.pinning == bench::Pinning::OwnCores  ? tr("each its own core")
                      : result.settings.pinning == bench::Pinning::OneCore ? tr("both on one core")
                                                                           : tr("no"));
    row(tr("Federates"), result.settings.wait ? tr("wait for callbacks") : tr("poll"));
  }
  facts_->setFacts(std::move(facts));
}

std::vector<bench::Settings> BenchmarksWorkspace::chosenSettings() const {
  const int row = suiteList_->currentIndex().isValid() ? suiteList_->currentIndex().row() : 0;
  std::vector<bench::Settings> result = suites_[static_cast<std::size_t>(row)].settings;
  for (bench::Settings& each : result) {
    each.repeats = repeats_->value();
    each.seed = static_cast<std::uint64_t>(seed_->value());
    if (pinning_->currentIndex() > 0) {
      each.pinning = static_cast<bench::Pinning>(pinning_->currentIndex() - 1);
      each.wait = each.pinning == bench::Pinning::OneCore;
    } else if (QThread::idealThreadCount() < 2) {
      each.pinning = bench::Pinning::OneCore;
      each.wait = true;
    }
  }
  return result;
}

void BenchmarksWorkspace::runSuite() {
  if (run_->isRunning()) return;
  problem_->hide();
  run_->start(chosenSettings());
  updateRun();
}

void BenchmarksWorkspace::updateRun() {
  const bool running = run_->isRunning();
  if (running && !clock_.isActive()) clock_.start();
  if (!running) clock_.stop();
  progressBar_->setVisible(running);
  runButton_->setEnabled(!running);
  runButton_->setToolTip(running ? tr("A suite is running") : tr("Measures the chosen suite"));
  if (running) {
    progress_->setValue(static_cast<int>(run_->progress() * 1000));
    progressText_->setText(
        tr("%1, %2").arg(run_->text(), theme::formatElapsed(run_->elapsedSeconds())));
    progressCommand_->setText(QStringLiteral("$ ") + run_->commandLine());
  }
  emit commandLineChanged();
}

QString BenchmarksWorkspace::commandLine() const {
  if (run_->isRunning()) return run_->commandLine();
  QStringList lines;
  for (const bench::Settings& each : chosenSettings()) {
    lines << QStringLiteral("tutti ") + bench::commandLine(each).join(u' ');
  }
  return lines.join(QStringLiteral(" && "));
}

QStringList BenchmarksWorkspace::statusNotes() const {
  if (!storeProblem_.isEmpty()) return {tr("Results cannot be read")};
  return lastStored_ > 0 ? QStringList{tr("Stored as result %1").arg(lastStored_)} : QStringList{};
}

QHash<QString, QList<QAction*>> BenchmarksWorkspace::menuActions() const {
  return {{QStringLiteral("Tools"), {exportAction_}}};
}

QString BenchmarksWorkspace::exportTitle(const QString& what) const {
  QString title = QStringLiteral("%1, %2").arg(what, bench::unitOf(kind_));
  for (const auto& each : results_) {
    if (each->result.settings.kind != kind_) continue;
    title += tr(", result %1, %2").arg(each->id).arg(each->result.machine.line());
    break;
  }
  return title;
}

tl::expected<int, QString> BenchmarksWorkspace::exportInto(const QString& folder) {
  const Kind before = kind_;
  int files = 0;
  for (const Kind kind : {Kind::Latency, Kind::Throughput, Kind::TimeAdvance}) {
    const bool any = std::any_of(results_.begin(), results_.end(), [&](const auto& each) {
      return each->result.settings.kind == kind;
    });
    if (!any) continue;
    showKind(kind);
    const QString base = QDir(folder).filePath(QStringLiteral("tutti-") + bench::kindName(kind));
    auto result = exportCsv(*tableModel_, exportTitle(bench::kindTitle(kind)),
                            base + QStringLiteral(".csv"), BenchTableModel::NumberRole);
    ++files;
    for (BenchPlot* plot : std::initializer_list<BenchPlot*>{sizePlot_, spreadPlot_}) {
      for (const char* ending : {".svg", ".png"}) {
        if (!result) break;
        const QSize size(820, 520);
        result = exportPicture(exportTitle(plot->title()), size,
                               base + (plot == sizePlot_ ? QString() : QStringLiteral("-spread")) +
                                   QString::fromLatin1(ending),
                               [&](QPainter& painter) { plot->renderLight(painter, size); });
        ++files;
      }
    }
    if (!result) {
      showKind(before);
      return tl::unexpected(result.error());
    }
  }
  showKind(before);
  return files;
}

void BenchmarksWorkspace::exportAll() {
  const QString folder = askForFolder(this);
  if (folder.isEmpty()) return;
  const auto files = exportInto(folder);
  if (files) {
    emit done(tr("Exported %1 files to %2").arg(*files).arg(folder));
  } else {
    emit failed(files.error());
  }
}

}  // namespace tutti::monitor
