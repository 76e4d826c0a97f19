// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/run_workspace.h"

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "monitor/ui/exporter.h"
#include "monitor/ui/federate_model.h"
#include "monitor/ui/federate_panel.h"
#include "monitor/ui/log_panel.h"
#include "monitor/ui/time_axis.h"
#include "monitor/ui/topology_view.h"
#include "monitor/ui/view_text.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using theme::State;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int ticksPerText = 5;  // 10 Hz and 2 Hz
/// From so many federates on the table has its filters in sight.
constexpr int manyFederates = 13;

/// The name takes what these leave, at least so much.
constexpr int leastNameWidth = 108;
constexpr std::pair<int, int> columnWidths[] = {
    {FederateModel::Host, 72},      {FederateModel::CpuLine, 52},
    {FederateModel::Cpu, 52},       {FederateModel::SentLine, 52},
    {FederateModel::Sent, 62},      {FederateModel::ReceivedLine, 52},
    {FederateModel::Received, 78},  {FederateModel::Queue, 80},
    {FederateModel::Time, 68},      {FederateModel::Grants, 68},
    {FederateModel::Condition, 112}};
/// What goes first where there is no room; nothing scrolls sideways.
constexpr int columnsToGo[] = {FederateModel::Condition, FederateModel::ReceivedLine,
                               FederateModel::SentLine, FederateModel::CpuLine,
                               FederateModel::Grants};

/// Explains pies and link widths, or heat cells.
class Legend : public QWidget {
 public:
  explicit Legend(QWidget* parent = nullptr) : QWidget(parent) {
    setObjectName(QStringLiteral("topologyLegend"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFixedHeight(24);
  }
  void setGrouped(bool grouped) {
    if (grouped_ == grouped) return;
    grouped_ = grouped;
    updateGeometry();
    update();
  }
  QSize sizeHint() const override { return {grouped_ ? 350 : 378, 24}; }
  QSize minimumSizeHint() const override { return {0, 24}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const theme::Palette palette = theme::Palette::of(this);
    painter.setFont(textFont(TextStyle::Table));
    const QFontMetrics metrics(painter.font());
    int x = 0;
    const auto text = [&](const QString& word) {
      painter.setPen(palette[Token::TextSecondary]);
      painter.drawText(QRect(x, 0, 400, 24), Qt::AlignVCenter | Qt::AlignLeft, word);
      x += metrics.horizontalAdvance(word) + 6;
    };
    const auto square = [&](Token token) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(palette[token]);
      painter.drawRoundedRect(QRectF(x, 8, 9, 9), 2, 2);
      x += 14;
    };
    if (grouped_) {
      text(tr("Cell: CPU of one federate, 0 to 100\u202f%"));
      x += 8;
      for (const auto& [state, word] :
           {std::pair(State::Late, tr("late")), {State::Dead, tr("dead")}}) {
        theme::paintState(painter, QRectF(x, 6, 12, 12), state, palette);
        x += 17;
        text(word);
        x += 4;
      }
      return;
    }
    text(tr("CPU"));
    square(Token::GaugeUser);
    text(tr("user"));
    square(Token::GaugeSystem);
    text(tr("system"));
    square(Token::GaugeIdle);
    text(tr("idle"));
    x += 12;
    text(tr("Links"));
    for (const auto& [rate, word] : {std::pair(10.0, "10"), {1e3, "1 k"}, {1e5, "100 k /s"}}) {
      painter.setPen(
          QPen(palette[Token::RunningFill], linkWidth(rate), Qt::SolidLine, Qt::FlatCap));
      painter.drawLine(QPointF(x, 12.5), QPointF(x + 20, 12.5));
      x += 25;
      text(QString::fromLatin1(word));
    }
  }

 private:
  bool grouped_ = false;
};

/// Explains the marks of the time axis.
class TimeLegend : public QWidget {
 public:
  explicit TimeLegend(QWidget* parent = nullptr) : QWidget(parent) { setFixedSize(430, 20); }

 protected:
  void paintEvent(QPaintEvent*) override {
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
};

/// State icon and name; struck through when the federate died, until it is dismissed.
class FederateNameDelegate : public theme::StatusNameDelegate {
 public:
  using StatusNameDelegate::StatusNameDelegate;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override {
    StatusNameDelegate::paintContent(painter, content, option, index, palette);
    const auto condition =
        static_cast<FederateCondition>(index.data(FederateModel::ConditionRole).toInt());
    if (condition != FederateCondition::Dead) return;
    const int width = std::min(QFontMetrics(textFont(TextStyle::Table, QFont::Medium))
                                   .horizontalAdvance(index.data().toString()),
                               content.width() - 20);
    painter.setPen(QPen(palette[Token::TextMuted], 1));
    painter.drawLine(QPointF(content.left() + 20, content.center().y() + 1.5),
                     QPointF(content.left() + 20 + width, content.center().y() + 1.5));
  }
};

QToolButton* tool(const QString& icon, const QString& tip, const char* name) {
  auto* button = new QToolButton;
  button->setObjectName(QString::fromLatin1(name));
  button->setIcon(theme::icon(icon));
  button->setIconSize({16, 16});
  button->setAutoRaise(true);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  return button;
}

}  // namespace

RunWorkspace::RunWorkspace(Feed* feed, Recorder* recorder, QWidget* parent)
    : Workspace(QStringLiteral("run"), tr("Run"), QStringLiteral("activity"), parent),
      feed_(feed),
      recorder_(recorder) {
  federates_ = new FederateModel(this);
  filter_ = new FederateFilter(this);
  filter_->setSourceModel(federates_);
  logModel_ = new LogModel(this);
  exportAll_ = new QAction(tr("Export all of this run…"), this);
  connect(exportAll_, &QAction::triggered, this, &RunWorkspace::exportAll);
  buildCentre();
  buildTimeDock();
  buildFederatesDock();
  buildLogDock();
  buildDetailsDock();
  splitDockWidget(timeDock_, federatesDock_, Qt::Vertical);
  splitDockWidget(federatesDock_, logDock_, Qt::Horizontal);

  if (recorder_ != nullptr) {
    connect(recorder_, &Recorder::linesRecorded, this, &RunWorkspace::log);
    connect(recorder_, &Recorder::eventsRecorded, this,
            [this](const std::vector<EventRecord>& events) {
              std::vector<LogRecord> lines;
              for (const EventRecord& each : events) {
                lines.push_back({each.at, each.level, each.subject, each.text});
              }
              log(lines);
            });
    connect(recorder_, &Recorder::problemChanged, this, &Workspace::statusNotesChanged);
    connect(recorder_, &Recorder::runStarted, this, &Workspace::statusNotesChanged);
  }
  connect(feed_, &Feed::federateDied, this, [this] { turn_ = ticksPerText - 1; });
  timer_.setInterval(1000 / Feed::samplesPerSecond);
  connect(&timer_, &QTimer::timeout, this, &RunWorkspace::tick);
  timer_.start();
  showTexts(feed_->current());
}

void RunWorkspace::buildCentre() {
  topology_ = new TopologyView;
  bigTimeAxis_ = new TimeAxis;
  bigTimeAxis_->setObjectName(QStringLiteral("bigTimeAxis"));
  viewStack_ = new QStackedWidget;
  viewStack_->addWidget(topology_);
  viewStack_->addWidget(bigTimeAxis_);

  views_ = new theme::SegmentedControl({tr("Hosts"), tr("Data flow"), tr("Time")});
  views_->setObjectName(QStringLiteral("topologyViews"));
  views_->setAccessibleName(tr("View of the topology"));
  legend_ = new Legend;
  flows_ = theme::makeLabel({}, "muted");
  zoom_ = theme::makeLabel(QStringLiteral("100\u202f%"), "table");
  zoom_->setMinimumWidth(44);
  zoom_->setAlignment(Qt::AlignCenter);
  auto* out = tool(QStringLiteral("remove"), tr("Smaller (Ctrl+wheel)"), "zoomOut");
  auto* in = tool(QStringLiteral("add"), tr("Larger (Ctrl+wheel)"), "zoomIn");
  auto* fit = tool(QStringLiteral("fit"), tr("Fit all into the view (Ctrl+9)"), "zoomFit");
  auto* save =
      tool(QStringLiteral("export"), tr("Export this view as PNG or SVG"), "exportTopology");

  auto* bar = new QFrame;
  bar->setProperty("role", QStringLiteral("bar"));
  bar->setFixedHeight(theme::height::kTool);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 0, 8, 0);
  row->setSpacing(8);
  row->addWidget(theme::makeLabel(tr("Topology"), "heading"));
  row->addWidget(views_);
  row->addSpacing(8);
  row->addWidget(legend_);
  row->addStretch(1);
  row->addWidget(flows_);
  row->addWidget(out);
  row->addWidget(zoom_);
  row->addWidget(in);
  row->addWidget(fit);
  row->addWidget(save);

  auto* live = new QWidget;
  auto* column = new QVBoxLayout(live);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar);
  column->addWidget(viewStack_, 1);

  empty_ = new theme::EmptyView(tr("Nothing runs. A running federation shows here, live."));
  empty_->setObjectName(QStringLiteral("runEmpty"));
  connect(empty_, &theme::EmptyView::buttonClicked, this, &RunWorkspace::runRequested);
  centre_ = new QStackedWidget;
  centre_->setObjectName(QStringLiteral("runCentre"));
  centre_->setMinimumSize(320, 160);
  centre_->addWidget(empty_);
  centre_->addWidget(live);
  setCentralWidget(centre_);
  setRunnable({});

  connect(views_, &theme::SegmentedControl::currentIndexChanged, this, [this](int index) {
    viewStack_->setCurrentIndex(index == 2 ? 1 : 0);
    // The same axis twice would help nobody.
    if (index == 2 && timeDock_->isVisible()) {
      hidTimeDock_ = true;
      timeDock_->hide();
    } else if (index != 2 && std::exchange(hidTimeDock_, false)) {
      timeDock_->show();
    }
    if (index < 2) {
      topology_->setMode(index == 0 ? TopologyView::Mode::Hosts : TopologyView::Mode::DataFlow);
    }
    updateLegend();
  });
  connect(out, &QToolButton::clicked, this,
          [this] { topology_->setZoom(topology_->zoom() / 1.2); });
  connect(in, &QToolButton::clicked, this, [this] { topology_->setZoom(topology_->zoom() * 1.2); });
  connect(fit, &QToolButton::clicked, topology_, &TopologyView::fit);
  connect(save, &QToolButton::clicked, this, [this] {
    exportOne(views_->currentIndex() == 2 ? QStringLiteral("time") : QStringLiteral("topology"));
  });
  connect(topology_, &TopologyView::zoomChanged, this, [this](double zoom) {
    zoom_->setText(QStringLiteral("%1\u202f%").arg(std::lround(zoom * 100)));
  });
  connect(topology_, &TopologyView::federateSelected, this, &RunWorkspace::select);
  connect(bigTimeAxis_, &TimeAxis::federateSelected, this, &RunWorkspace::select);
}

void RunWorkspace::buildTimeDock() {
  timeAxis_ = new TimeAxis;
  timeDock_ =
      addPane(QStringLiteral("runTime"), tr("Time"), timeAxis_, Qt::BottomDockWidgetArea, 186);
  titleBar(timeDock_)->addWidget(new TimeLegend);
  auto* save = new QAction(theme::icon(QStringLiteral("export")), tr("Export as PNG or SVG"), this);
  connect(save, &QAction::triggered, this, [this] { exportOne(QStringLiteral("time")); });
  titleBar(timeDock_)->addAction(save);
  connect(timeAxis_, &TimeAxis::federateSelected, this, &RunWorkspace::select);
}

void RunWorkspace::buildFederatesDock() {
  table_ = new QTreeView;
  table_->setObjectName(QStringLiteral("federatesTable"));
  table_->setAccessibleName(tr("Federates"));
  table_->setModel(filter_);
  table_->setRootIsDecorated(false);
  table_->setItemsExpandable(false);
  table_->setUniformRowHeights(true);
  table_->setAllColumnsShowFocus(true);
  table_->setMouseTracking(true);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  const int height = theme::height::kRow;
  table_->setItemDelegate(new theme::RowDelegate(table_, height));
  table_->setItemDelegateForColumn(FederateModel::Name, new FederateNameDelegate(table_, height));
  auto* cpuLine = new theme::SparklineDelegate(table_, height);
  cpuLine->setMaximum(1);
  table_->setItemDelegateForColumn(FederateModel::CpuLine, cpuLine);
  for (const int column : {FederateModel::SentLine, FederateModel::ReceivedLine}) {
    table_->setItemDelegateForColumn(column, new theme::SparklineDelegate(table_, height));
  }
  const auto number = [&](int column, const QString& widest) {
    table_->setItemDelegateForColumn(column, new theme::NumberDelegate(widest, table_, height));
  };
  number(FederateModel::Cpu, QStringLiteral("888\u202f%"));
  number(FederateModel::Sent, QStringLiteral("8.88\u202fk"));
  number(FederateModel::Received, QStringLiteral("8.88\u202fk"));
  number(FederateModel::Time, QStringLiteral("88888.88"));
  number(FederateModel::Grants, QStringLiteral("8.88\u202fk"));
  table_->setItemDelegateForColumn(
      FederateModel::Queue,
      new theme::BarNumberDelegate(QStringLiteral("100\u202f%"), table_, height));

  QHeaderView* header = table_->header();
  header->setHighlightSections(false);
  header->setSectionsClickable(true);
  header->setSortIndicatorShown(true);
  header->setMinimumSectionSize(24);
  header->setStretchLastSection(false);
  header->setSectionResizeMode(QHeaderView::Fixed);
  header->setSectionResizeMode(FederateModel::Name, QHeaderView::Stretch);
  for (const auto& [column, width] : columnWidths) header->resizeSection(column, width);
  table_->viewport()->installEventFilter(this);
  table_->setSortingEnabled(true);
  table_->sortByColumn(FederateModel::Condition, Qt::AscendingOrder);

  search_ = new theme::SearchField(tr("Name, host or component"), QStringLiteral("Ctrl+F"));
  search_->setObjectName(QStringLiteral("federateSearch"));
  search_->setFocusTarget(table_);
  search_->setFixedSize(180, 24);
  noMatch_ = theme::makeLabel({}, "muted");
  noMatch_->setObjectName(QStringLiteral("noFederateMatches"));
  noMatch_->setAlignment(Qt::AlignCenter);
  noMatch_->setTextFormat(Qt::RichText);
  noMatch_->hide();
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(table_, 1);
  layout->addWidget(noMatch_, 1);

  federatesDock_ = addPane(QStringLiteral("runFederates"), tr("Federates"), content,
                           Qt::BottomDockWidgetArea, 280);
  theme::DockTitleBar* bar = titleBar(federatesDock_);
  show_ = new theme::SegmentedControl({tr("All"), tr("Needs you"), tr("Late"), tr("Dead")});
  show_->setObjectName(QStringLiteral("federateShow"));
  for (auto& pill : pills_) {
    pill = new theme::StatePill;
    pill->hide();
    bar->addWidget(pill);
  }
  pills_[0]->setObjectName(QStringLiteral("pillRunning"));
  pills_[1]->setObjectName(QStringLiteral("pillLate"));
  pills_[2]->setObjectName(QStringLiteral("pillDead"));
  bar->addWidget(show_);
  bar->addWidget(search_);
  auto* filter = new QAction(theme::icon(QStringLiteral("filter")), tr("Filter (Ctrl+F)"), this);
  auto* save = new QAction(theme::icon(QStringLiteral("export")), tr("Export as CSV"), this);
  bar->addAction(filter);
  bar->addAction(save);
  connect(filter, &QAction::triggered, this, &RunWorkspace::focusFilter);
  connect(save, &QAction::triggered, this, [this] { exportOne(QStringLiteral("federates")); });
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    filter_->setText(text);
    updateFilters(*feed_->current());
  });
  connect(search_, &theme::SearchField::leftDownward, this, [this] { table_->setFocus(); });
  connect(show_, &theme::SegmentedControl::currentIndexChanged, this, [this](int index) {
    filter_->setShow(static_cast<FederateFilter::Show>(index));
    updateFilters(*feed_->current());
  });
  // A pill filters what it counts; once more shows all again.
  const FederateFilter::Show shows[] = {FederateFilter::Show::All, FederateFilter::Show::Late,
                                        FederateFilter::Show::Dead};
  for (std::size_t i = 0; i < 3; ++i) {
    connect(pills_[i], &QAbstractButton::clicked, this, [this, show = shows[i]] {
      const bool same = filter_->show() == show;
      show_->setCurrentIndex(same ? 0 : static_cast<int>(show));
    });
  }
  connect(noMatch_, &QLabel::linkActivated, this, [this] {
    search_->clear();
    show_->setCurrentIndex(0);
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (current.isValid()) select(current.data(FederateModel::NameRole).toString());
          });
  connect(table_, &QTreeView::activated, this, [this] { detailsDock_->raise(); });
}

void RunWorkspace::buildLogDock() {
  logPanel_ = new LogPanel(logModel_);
  logDock_ = addPane(QStringLiteral("runLog"), tr("Log"), logPanel_, Qt::BottomDockWidgetArea, 280);
  theme::DockTitleBar* bar = titleBar(logDock_);
  logPanel_->subjects()->setFixedSize(110, 22);
  logPanel_->levels()->setFixedSize(104, 22);
  bar->addWidget(logPanel_->subjects());
  bar->addWidget(logPanel_->levels());
  auto* search = new QAction(theme::icon(QStringLiteral("find")), tr("Search the log"), this);
  search->setCheckable(true);
  auto* save = new QAction(theme::icon(QStringLiteral("export")), tr("Export as CSV"), this);
  bar->addAction(search);
  bar->addAction(save);
  connect(search, &QAction::toggled, logPanel_, &LogPanel::setSearchVisible);
  connect(save, &QAction::triggered, this, [this] { exportOne(QStringLiteral("log")); });
  connect(logPanel_->view(), &LogView::subjectActivated, this, &RunWorkspace::select);
}

void RunWorkspace::buildDetailsDock() {
  panel_ = new FederatePanel(logModel_);
  needsYou_ = new NeedsYouPanel;
  details_ = new QStackedWidget;
  details_->addWidget(needsYou_);
  details_->addWidget(panel_);
  deathCard_ = new DeathCard;
  auto* content = new QWidget;
  content->setMinimumWidth(250);
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(details_, 1);
  layout->addWidget(deathCard_);
  detailsDock_ = addPane(QStringLiteral("runDetails"), tr("Needs you"), content,
                         Qt::RightDockWidgetArea, theme::width::kRight);
  auto* back = new QAction(theme::icon(QStringLiteral("undo")), tr("Back to what needs you"), this);
  back_ = titleBar(detailsDock_)->addAction(back);
  connect(back, &QAction::triggered, this, [this] { select({}); });

  connect(panel_, &FederatePanel::federateSelected, this, &RunWorkspace::select);
  connect(panel_, &FederatePanel::stopRequested, this, &RunWorkspace::stopRequested);
  connect(panel_, &FederatePanel::killRequested, this, &RunWorkspace::killRequested);
  connect(panel_, &FederatePanel::restartRequested, this, &RunWorkspace::restartRequested);
  connect(panel_, &FederatePanel::dismissRequested, this, [this](const QString& name) {
    feed_->dismiss(name);
    select({});
  });
  connect(deathCard_, &DeathCard::restartRequested, this, &RunWorkspace::restartRequested);
  connect(deathCard_, &DeathCard::logRequested, this, &RunWorkspace::showLog);
  connect(deathCard_, &DeathCard::dismissRequested, feed_, &Feed::dismiss);
  connect(deathCard_, &DeathCard::selected, this, [this](const QString& name) {
    showItem(name);
    if (panel_->federate() == name) panel_->showPage(FederatePanel::Page::IfItDies);
  });
}

void RunWorkspace::setCommandLine(const QString& line) {
  if (commandLine_ == line) return;
  commandLine_ = line;
  emit commandLineChanged();
}

void RunWorkspace::setRunnable(const QString& composition) {
  QPushButton* button =
      empty_->setButton(composition.isEmpty() ? tr("Run") : tr("Run %1").arg(composition), true);
  button->setEnabled(!composition.isEmpty());
  button->setToolTip(composition.isEmpty() ? tr("Open a composition first") : QString());
}

void RunWorkspace::setDeclarations(std::vector<Declarations> declarations) {
  declarations_ = declarations;
  feed_->setDeclarations(std::move(declarations));
}

void RunWorkspace::beginRun(const QString& title) {
  title_ = title;
  logModel_->clear();
  select({});
}

void RunWorkspace::log(const std::vector<LogRecord>& lines) { logModel_->append(lines); }

void RunWorkspace::showEvent(QShowEvent* event) {
  if (!settledSizes_) {
    settledSizes_ = true;
    // Before the base keeps the default layout: the table needs about two thirds.
    QTimer::singleShot(0, this, [this] {
      const int room = width() - theme::width::kRight;
      resizeDocks({federatesDock_, logDock_}, {room * 64 / 100, room * 36 / 100}, Qt::Horizontal);
    });
  }
  Workspace::showEvent(event);
}

void RunWorkspace::setActive(bool active) {
  active_ = active;
  if (active) {
    turn_ = ticksPerText - 1;
    tick();
  }
}

void RunWorkspace::tick() {
  const SnapshotPointer snapshot = feed_->current();
  const bool text = ++turn_ % ticksPerText == 0;
  const bool live = !snapshot->federates.empty();
  if (live && active_) {
    if (viewStack_->currentIndex() == 0) topology_->setSnapshot(snapshot, text);
    if (viewStack_->currentIndex() == 1) bigTimeAxis_->setSnapshot(snapshot);
    if (timeAxis_->isVisible()) timeAxis_->setSnapshot(snapshot);
  }
  if (text) showTexts(snapshot);
}

void RunWorkspace::showTexts(const SnapshotPointer& snapshot) {
  const bool live = !snapshot->federates.empty();
  centre_->setCurrentIndex(live ? 1 : 0);
  if (!live) timeAxis_->setSnapshot(snapshot);
  federates_->setSnapshot(snapshot);
  updateColumns();
  updateFilters(*snapshot);
  updateLegend();

  const auto show = [this](const QString& name) {
    emit workspaceRequested(id(), name);
    showItem(name);
  };
  const auto log = [this](const QString& name) {
    emit workspaceRequested(id(), {});
    showLog(name);
  };
  const auto restart = [this](const QString& name) { emit restartRequested(name); };
  troubles_ = troublesOf(*snapshot, show, log, restart);
  emit troublesChanged();
  needsYou_->setTroubles(troubles_, live);
  deathCard_->setSnapshot(snapshot);
  panel_->setSnapshot(snapshot, feed_->watched(), declarations_);

  if (!selected_.isEmpty() && snapshot->find(selected_) == nullptr) select({});
  const FederateView* view = snapshot->find(selected_);
  theme::DockTitleBar* bar = titleBar(detailsDock_);
  back_->setVisible(view != nullptr);
  if (view != nullptr) {
    bar->setTitle(view->name);
    bar->setCaption(view->component.isEmpty()
                        ? view->host
                        : view->component + QStringLiteral(", ") + view->host);
  } else {
    bar->setTitle(tr("Needs you"));
    int needing = 0;
    for (const FederateView& each : snapshot->federates) needing += needsSomeone(each.condition);
    bar->setCaption(
        needing == 0
            ? QString()
            : tr("%1, %2").arg(theme::formatNoun(troubles_.size(), tr("cause"), tr("causes")),
                               theme::formatNoun(needing, tr("federate"), tr("federates"))));
  }

  State worst = State::Idle;
  int count = 0;
  for (const FederateView& each : snapshot->federates) {
    if (!needsSomeone(each.condition)) continue;
    ++count;
    worst = count == 1 ? stateOf(each.condition) : theme::worse(worst, stateOf(each.condition));
  }
  setBadge(worst, count);
  emit statusNotesChanged();

  QStringList subjects;
  for (const FederateView& each : snapshot->federates) subjects << each.name;
  subjects.sort();
  if (live) subjects.prepend(QStringLiteral("rti"));
  logPanel_->setSubjects(subjects);
}

void RunWorkspace::updateLegend() {
  const bool topology = viewStack_->currentIndex() == 0;
  auto* legend = static_cast<Legend*>(legend_);
  legend->setVisible(topology);
  legend->setGrouped(topology_->isGrouped());
  views_->setText(0, tr("Hosts"));
  const bool flows = topology && topology_->mode() == TopologyView::Mode::DataFlow;
  flows_->setVisible(flows && topology_->linkCount() > 0);
  if (flows) {
    flows_->setText(tr("%1 flows in %2")
                        .arg(theme::formatCount(topology_->linkCount()),
                             theme::formatNoun(topology_->bundles(), tr("bundle"), tr("bundles"))));
  }
}

void RunWorkspace::updateColumns() {
  const SnapshotPointer snapshot = feed_->current();
  const bool oneHost = std::all_of(
      snapshot->federates.begin(), snapshot->federates.end(),
      [&](const FederateView& each) { return each.host == snapshot->federates.front().host; });
  int wanted = leastNameWidth;
  for (const auto& [column, width] : columnWidths) {
    if (column != FederateModel::Host || !oneHost) wanted += width;
  }
  table_->setColumnHidden(FederateModel::Host, oneHost);
  const int room = table_->viewport()->width();
  for (const int column : columnsToGo) {
    const bool hide = wanted > room;
    if (hide) {
      wanted -=
          std::find_if(std::begin(columnWidths), std::end(columnWidths), [&](const auto& each) {
            return each.first == column;
          })->second;
    }
    if (table_->isColumnHidden(column) != hide) table_->setColumnHidden(column, hide);
  }
}

bool RunWorkspace::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_->viewport() && event->type() == QEvent::Resize) updateColumns();
  return Workspace::eventFilter(watched, event);
}

void RunWorkspace::updateFilters(const Snapshot& snapshot) {
  const auto total = static_cast<int>(snapshot.federates.size());
  const int late =
      snapshot.count(FederateCondition::Late) + snapshot.count(FederateCondition::Stopped);
  const int dead = snapshot.count(FederateCondition::Dead);
  const int held = snapshot.count(FederateCondition::Held);
  const int running = snapshot.count(FederateCondition::Running) + held;
  const bool many = total >= manyFederates;
  titleBar(federatesDock_)
      ->setCaption(total == 0             ? QString()
                   : many                 ? QString()
                   : federates_->isOver() ? tr("%1, what they did in all").arg(total)
                                          : tr("%1, rates are 5 s means").arg(total));
  show_->setVisible(many);
  search_->setVisible(many || !search_->text().isEmpty() || search_->hasFocus());
  show_->setText(0, tr("All %1").arg(total));
  show_->setText(1, tr("Needs you %1").arg(late + dead));
  show_->setText(2, tr("Late %1").arg(late));
  show_->setText(3, tr("Dead %1").arg(dead));
  if (snapshot.held && held > 0)
    pills_[0]->setState(State::Paused, tr("%1 paused").arg(held));
  else
    pills_[0]->setState(State::Running, tr("%1 running").arg(running));
  pills_[1]->setState(State::Late, tr("%1 late").arg(late));
  pills_[2]->setState(State::Dead, tr("%1 dead").arg(dead));
  pills_[0]->setVisible(!many && running > 0);
  pills_[1]->setVisible(!many && late > 0);
  pills_[2]->setVisible(!many && dead > 0);

  const bool none = filter_->rowCount() == 0;
  noMatch_->setVisible(none);
  table_->setVisible(!none);
  if (!none) return;
  if (total == 0) {
    noMatch_->setText(tr("Federates show here when a run starts."));
  } else if (!search_->text().isEmpty()) {
    noMatch_->setText(tr("No federate matches “%1”. <a href=\"clear\">Clear filter</a>")
                          .arg(search_->text().toHtmlEscaped()));
  } else {
    noMatch_->setText(
        tr("No federate needs you here. <a href=\"clear\">Show all %1</a>").arg(total));
  }
}

void RunWorkspace::select(const QString& federate) {
  if (federate == selected_) return;
  // A log line may come from somebody who is no federate.
  if (!federate.isEmpty() && feed_->current()->find(federate) == nullptr) return;
  selected_ = federate;
  feed_->watch(federate);
  topology_->select(federate);
  timeAxis_->select(federate);
  bigTimeAxis_->select(federate);
  panel_->setFederate(federate);
  details_->setCurrentIndex(federate.isEmpty() ? 0 : 1);
  const int row = federates_->rowOf(federate);
  if (row >= 0) {
    const QModelIndex index = filter_->mapFromSource(federates_->index(row, 0));
    if (index.isValid() && table_->currentIndex().row() != index.row()) {
      table_->setCurrentIndex(index);
      table_->scrollTo(index);
    }
  } else {
    table_->selectionModel()->clear();
  }
  turn_ = ticksPerText - 1;
  tick();
}

void RunWorkspace::showItem(const QString& item) {
  if (item == QStringLiteral("needs:dead") || item == QStringLiteral("needs:late")) {
    show_->setCurrentIndex(static_cast<int>(item == QStringLiteral("needs:dead")
                                                ? FederateFilter::Show::Dead
                                                : FederateFilter::Show::Late));
    federatesDock_->show();
    federatesDock_->raise();
    return;
  }
  if (item.isEmpty()) return;
  select(item);
  detailsDock_->show();
  detailsDock_->raise();
}

void RunWorkspace::showLog(const QString& federate) {
  logDock_->show();
  logDock_->raise();
  logPanel_->showSubject(federate);
  logPanel_->view()->setFocus();
}

QStringList RunWorkspace::statusNotes() const {
  QStringList notes;
  if (recorder_ != nullptr && recorder_->isRecording()) {
    notes << (recorder_->problem().isEmpty()
                  ? tr("Recording, %1")
                        .arg(theme::formatBytes(static_cast<double>(recorder_->sizeBytes())))
                  : tr("Not recording"));
  }
  if (feed_->isSampling()) {
    const SnapshotPointer snapshot = feed_->current();
    notes << (snapshot->problem.isEmpty()
                  ? tr("Sampling at %1 Hz").arg(Feed::samplesPerSecond)
                  : tr("Figures %1").arg(theme::formatAge(snapshot->ageSeconds)));
  }
  return notes;
}

void RunWorkspace::provideFinds(QList<theme::FindEntry>& into) const {
  for (const FederateView& each : feed_->current()->federates) {
    into << theme::FindEntry{
        each.name,
        each.component.isEmpty() ? each.host : each.component + QStringLiteral(", ") + each.host,
        tr("Federate"),
        QStringLiteral("component"),
        {},
        [this, name = each.name] { const_cast<RunWorkspace*>(this)->showItem(name); }};
  }
}

QHash<QString, QList<QAction*>> RunWorkspace::menuActions() const {
  return {{QStringLiteral("Tools"), {exportAll_}}};
}

void RunWorkspace::focusFilter() {
  federatesDock_->show();
  federatesDock_->raise();
  search_->show();
  search_->setFocus(Qt::ShortcutFocusReason);
}

void RunWorkspace::showNextProblem(int direction) {
  QStringList needing;
  for (const FederateView& each : feed_->current()->federates) {
    if (needsSomeone(each.condition)) needing << each.name;
  }
  if (needing.isEmpty()) return;
  const qsizetype at = needing.indexOf(selected_);
  const qsizetype count = needing.size();
  const qsizetype next =
      at < 0 ? (direction > 0 ? 0 : count - 1) : (at + direction + count) % count;
  showItem(needing[next]);
}

QString RunWorkspace::exportTitle(const QString& what) const {
  const SnapshotPointer snapshot = feed_->current();
  QString title = what;
  if (!snapshot->federation.isEmpty()) title += QStringLiteral(", ") + snapshot->federation;
  if (recorder_ != nullptr && recorder_->runId() != 0) {
    title += tr(", run %1").arg(recorder_->runId());
  }
  return title + QStringLiteral(", ") + QDateTime::currentDateTime().toString(Qt::ISODate);
}

tl::expected<void, QString> RunWorkspace::exportTo(const QString& what, const QString& path) {
  if (what == QStringLiteral("topology")) {
    const QSizeF size = topology_->contentRect().size() + QSizeF(24, 24);
    return exportPicture(exportTitle(tr("Topology")), size.toSize(), path, [&](QPainter& painter) {
      topology_->renderAll(painter, QRectF({}, size));
    });
  }
  if (what == QStringLiteral("time")) {
    const QSize size = timeAxis_->fullSize();
    return exportPicture(exportTitle(tr("Logical time in s")), size, path, [&](QPainter& painter) {
      timeAxis_->renderAll(painter, size, theme::Palette(theme::Mode::Light));
    });
  }
  if (what == QStringLiteral("federates")) {
    return exportCsv(*filter_,
                     exportTitle(federates_->isOver() ? tr("Federates, what they did in all")
                                                      : tr("Federates, rates are means of 5 s")),
                     path, FederateModel::SortRole);
  }
  return exportCsv(*logPanel_->view()->filter(), exportTitle(tr("Log")), path);
}

void RunWorkspace::exportOne(const QString& what) {
  const bool picture = what == QStringLiteral("topology") || what == QStringLiteral("time");
  const QString suggestion = fileNameOf({feed_->current()->federation, what}) +
                             (picture ? QStringLiteral(".svg") : QStringLiteral(".csv"));
  const QString path =
      askForFile(this, suggestion, picture ? tr("Pictures (*.svg *.png)") : tr("Tables (*.csv)"));
  if (path.isEmpty()) return;
  const auto result = exportTo(what, path);
  if (result) {
    emit done(tr("Exported %1").arg(path));
  } else {
    emit failed(tr("The run was not exported"), result.error());
  }
}

void RunWorkspace::exportAll() {
  const QString folder = askForFolder(this);
  if (folder.isEmpty()) return;
  int files = 0;
  for (const auto& [what, ending] : {std::pair("topology", "svg"),
                                     {"topology", "png"},
                                     {"time", "svg"},
                                     {"time", "png"},
                                     {"federates", "csv"},
                                     {"log", "csv"}}) {
    const QString name = QString::fromLatin1(what);
    const QString path = QDir(folder).filePath(fileNameOf({feed_->current()->federation, name}) +
                                               u'.' + QString::fromLatin1(ending));
    const auto result = exportTo(name, path);
    if (!result) {
      emit failed(tr("The run was not exported"), result.error());
      return;
    }
    ++files;
  }
  emit done(tr("Exported %1 files to %2").arg(files).arg(folder));
}

}  // namespace tutti::monitor
