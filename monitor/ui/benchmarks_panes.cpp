// SPDX-License-Identifier: GPL-3.0-or-later
// How the Benchmarks page is built: suites, what is shown, plots, table and comparison.
#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "monitor/ui/bench_cost_plot.h"
#include "monitor/ui/bench_delegates.h"
#include "monitor/ui/bench_plots.h"
#include "monitor/ui/benchmarks_workspace.h"
#include "monitor/ui/fact_list.h"
#include "resources/theme/delegates.h"
#include "resources/theme/exporter.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using bench::Kind;
using theme::State;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

/// Width of a column of figures, px: with it the longest names of lines fit beside them. Times
/// have no prefix.
int numberColumn(Kind kind) { return bench::factsOf(kind).times ? 56 : 60; }

/// What the names of lines need at least, with the stroke before them.
constexpr int leastNameWidth = 150;
constexpr int narrowTable = 420;
constexpr int leastCompareName = 140;
constexpr int changeColumn = 72;
constexpr int spreadColumn = 66;

/// A choice of what a suite has set; the first keeps it.
QComboBox* makeOverride(const QString& name, const QString& accessible, const QStringList& others) {
  auto* box = new QComboBox;
  box->setObjectName(name);
  box->setAccessibleName(accessible);
  box->setMinimumWidth(80);
  box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  box->addItem(QObject::tr("as the suite says"));
  box->addItems(others);
  return box;
}

}  // namespace

void BenchmarksWorkspace::buildCentre() {
  subtitle_ = new theme::ElidedLabel("caption");
  kinds_ = new QComboBox;
  kinds_->setObjectName(QStringLiteral("benchKinds"));
  kinds_->setAccessibleName(tr("What was measured"));
  kinds_->setToolTip(tr("What was measured"));
  kinds_->setMaxVisibleItems(20);
  for (const bench::KindFacts& each : bench::allKinds()) {
    kinds_->addItem(bench::kindTitle(each.kind), static_cast<int>(each.kind));
  }
  exportButton_ = new QPushButton(theme::icon(QStringLiteral("export")), tr("Export all"));
  exportButton_->setObjectName(QStringLiteral("benchExport"));
  exportButton_->setProperty("dense", true);
  // The window's one filled button is Run in the pulse bar.
  runButton_ = new QPushButton(theme::icon(QStringLiteral("run")), tr("Run suite"));
  runButton_->setObjectName(QStringLiteral("benchRun"));
  runButton_->setProperty("dense", true);
  auto* bar = new QFrame;
  bar->setProperty("role", QStringLiteral("bar"));
  bar->setFixedHeight(theme::height::kTool);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 0, 8, 0);
  row->setSpacing(10);
  row->addWidget(kinds_);
  row->addWidget(subtitle_, 1);
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
  progressText_->setObjectName(QStringLiteral("benchProgressText"));
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
  warning_ = theme::makeLabel({}, "warning");
  warning_->setObjectName(QStringLiteral("benchWarning"));
  warning_->setWordWrap(true);
  warning_->setContentsMargins(12, 6, 12, 6);
  warning_->hide();

  sizePlot_ = new SizePlot;
  spreadPlot_ = new SpreadPlot;
  processorPlot_ = new CostPlot(false);
  memoryPlot_ = new CostPlot(true);
  // What it takes stands in the place of the repeats, which the bars show as well.
  auto* right = new QSplitter(Qt::Vertical);
  right->setObjectName(QStringLiteral("benchRightPlots"));
  right->setHandleWidth(1);
  right->setChildrenCollapsible(false);
  for (QWidget* each : std::initializer_list<QWidget*>{spreadPlot_, processorPlot_, memoryPlot_}) {
    right->addWidget(each);
  }
  auto* plots = new QSplitter;
  plots->setObjectName(QStringLiteral("benchPlots"));
  plots->setHandleWidth(1);
  plots->setChildrenCollapsible(false);
  plots->addWidget(sizePlot_);
  plots->addWidget(right);
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
  column->addWidget(warning_);
  column->addWidget(centre_, 1);
  setCentralWidget(whole);

  connect(kinds_, &QComboBox::activated, this,
          [this] { showKind(static_cast<Kind>(kinds_->currentData().toInt())); });
  connect(runButton_, &QPushButton::clicked, this, &BenchmarksWorkspace::runSuite);
  connect(empty_, &theme::EmptyView::buttonClicked, this,
          [this] { storeProblem_ ? reload() : runSuite(); });
  connect(cancel, &QPushButton::clicked, run_, &BenchRun::cancel);
  connect(run_, &BenchRun::progressed, cancel,
          [this, cancel] { cancel->setEnabled(!run_->isCancelling()); });
  connect(exportButton_, &QPushButton::clicked, this, &BenchmarksWorkspace::exportAll);
  connect(sizePlot_, &SizePlot::sizeSelected, this, &BenchmarksWorkspace::showPlace);
  for (CostPlot* each : {processorPlot_, memoryPlot_}) {
    connect(each, &CostPlot::placeSelected, this, &BenchmarksWorkspace::showPlace);
  }
}

QComboBox* BenchmarksWorkspace::makeChoice(const QString& name, const QString& usual,
                                           const QString& key,
                                           const std::function<QString()>& ask) {
  auto* box = new QComboBox;
  box->setObjectName(name);
  box->setMinimumWidth(80);
  box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  box->addItem(usual, QString());
  const QString setting = QStringLiteral("benchmarks/") + key;
  const auto add = [box](const QString& path) {
    box->insertItem(box->count() - 1, QFileInfo(path).fileName(), path);
    box->setItemData(box->count() - 2, path, Qt::ToolTipRole);
  };
  box->addItem(tr("Choose…"));
  const QStringList known = QSettings().value(setting).toStringList();
  for (const QString& each : known) {
    if (QFileInfo::exists(each)) add(each);
  }
  connect(box, &QComboBox::activated, this, [this, box, add, ask, setting](int index) {
    if (index == box->count() - 1) {
      const QString path = ask();
      int place = path.isEmpty() ? 0 : box->findData(path);
      if (place < 0) {
        add(path);
        place = box->count() - 2;
        QStringList paths;
        for (int i = 1; i < box->count() - 1; ++i) paths << box->itemData(i).toString();
        QSettings().setValue(setting, paths);
      }
      box->setCurrentIndex(place);
    }
    box->setToolTip(box->currentData().toString());
    updateChoice();
  });
  return box;
}

void BenchmarksWorkspace::updateParts() {
  part_->clear();
  part_->addItem(tr("all of it"));
  for (const bench::Settings& each : chosenSuite()) part_->addItem(bench::kindTitle(each.kind));
  updateForm();
}

void BenchmarksWorkspace::updateForm() {
  const std::vector<bench::Settings>& suite = chosenSuite();
  const bool sequence = bench::factsOf(suite.front().kind).sequence;
  for (QWidget* each : std::initializer_list<QWidget*>{sequence_, sequenceLabel_}) {
    each->setVisible(sequence);
  }
  more_->setIcon(theme::icon(more_->isChecked() ? QStringLiteral("up") : QStringLiteral("down")));
  for (QWidget* each : std::as_const(moreFields_)) each->setVisible(more_->isChecked());
  // A test sequence says in its file on how many hosts it runs.
  hosts_->setEnabled(!sequence);
  for (QWidget* each : std::initializer_list<QWidget*>{part_, partLabel_}) {
    each->setVisible(suite.size() > 1);
  }
  updateChoice();
}

QGridLayout* BenchmarksWorkspace::buildForm() {
  repeats_ = new QSpinBox;
  repeats_->setObjectName(QStringLiteral("benchRepeats"));
  repeats_->setRange(1, 100);
  repeats_->setValue(5);
  repeats_->setFixedWidth(54);
  repeats_->setToolTip(tr("Each repeat starts new processes. Comparisons need at least 4."));
  seed_ = new QSpinBox;
  seed_->setObjectName(QStringLiteral("benchSeed"));
  seed_->setRange(0, 1'000'000'000);
  seed_->setValue(1207);
  seed_->setFixedWidth(84);
  seed_->setToolTip(tr("Decides the order of the measurements and the bytes that are sent."));
  part_ = new QComboBox;
  part_->setObjectName(QStringLiteral("benchPart"));
  part_->setAccessibleName(tr("Which part of the suite is measured"));
  part_->setMinimumWidth(80);
  part_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  pinning_ = makeOverride(QStringLiteral("benchPinning"), tr("Pinned"),
                          {tr("each its own core"), tr("both on one core"), tr("not pinned")});
  architecture_ = makeOverride(QStringLiteral("benchArchitecture"), tr("Architecture"),
                               bench::allArchitectures());
  architecture_->addItem(tr("all three"));
  architecture_->setToolTip(tr("The way that Tutti's messages take; one line each"));
  hosts_ = makeOverride(QStringLiteral("benchHosts"), tr("Hosts"), {tr("1"), tr("2"), tr("1, 2")});
  hosts_->setToolTip(
      tr("Nodes of this machine that are linked by TCP as those of so many hosts; one line each. "
         "Other numbers go into Options: --hosts 1,2,4"));
  rti_ = makeChoice(QStringLiteral("benchRti"), QStringLiteral("Tutti"), QStringLiteral("programs"),
                    [this] {
                      return QFileDialog::getExistingDirectory(
                          this, tr("Folder of measuring programs built for another RTI"));
                    });
  rti_->setAccessibleName(tr("RTI"));
  rti_->setItemData(0, tr("The measuring programs of Tutti"), Qt::ToolTipRole);
  rti_->setItemData(rti_->count() - 1,
                    tr("A folder of measuring programs that were built for another RTI, as "
                       "monitor/benchmarks/README.md says"),
                    Qt::ToolTipRole);
  sequence_ = makeChoice(
      QStringLiteral("benchSequence"), tr("as shipped"), QStringLiteral("sequences"), [this] {
        return QFileDialog::getOpenFileName(this, tr("Test-sequence file"), {},
                                            tr("Test sequences (*.tsf);;All files (*)"));
      });
  sequence_->setAccessibleName(tr("Test-sequence file"));
  options_ = new QLineEdit;
  options_->setObjectName(QStringLiteral("benchOptions"));
  options_->setAccessibleName(tr("Options"));
  options_->setPlaceholderText(tr("--size 128,4k --wait"));
  options_->setClearButtonEnabled(true);
  options_->setToolTip(
      tr("Any other option that \"tutti help bench\" lists; options here override the fields "
         "above"));
  choiceProblem_ = theme::makeLabel({}, "error");
  choiceProblem_->setObjectName(QStringLiteral("benchChoiceProblem"));
  choiceProblem_->setWordWrap(true);
  partLabel_ = theme::makeLabel(tr("Measure"), "label");
  sequenceLabel_ = theme::makeLabel(tr("Tests"), "label");

  more_ = new QToolButton;
  more_->setObjectName(QStringLiteral("benchMore"));
  more_->setText(tr("More settings"));
  more_->setToolTip(tr("Pinning, architecture, hosts, another RTI, and all options there are"));
  more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  more_->setCheckable(true);
  const QString opened = QStringLiteral("benchmarks/moreSettings");
  more_->setChecked(QSettings().value(opened).toBool());
  connect(more_, &QToolButton::toggled, this, [this, opened](bool on) {
    QSettings().setValue(opened, on);
    updateForm();
  });

  auto* form = new QGridLayout;
  form->setContentsMargins(12, 8, 12, 10);
  form->setHorizontalSpacing(6);
  form->setVerticalSpacing(6);
  form->setColumnStretch(1, 1);
  form->setColumnStretch(3, 1);
  form->addWidget(theme::makeLabel(tr("Repeats"), "label"), 0, 0);
  form->addWidget(repeats_, 0, 1);
  form->addWidget(theme::makeLabel(tr("Seed"), "label"), 0, 2);
  form->addWidget(seed_, 0, 3);
  int row = 0;
  const auto add = [&](QLabel* label, QWidget* field) {
    form->addWidget(label, ++row, 0);
    form->addWidget(field, row, 1, 1, 3);
  };
  const auto addMore = [&](const QString& text, QWidget* field) {
    auto* label = theme::makeLabel(text, "label");
    add(label, field);
    moreFields_ << label << field;
  };
  add(partLabel_, part_);
  add(sequenceLabel_, sequence_);
  form->addWidget(more_, ++row, 0, 1, 4, Qt::AlignLeft);
  addMore(tr("Pinned"), pinning_);
  addMore(tr("Architecture"), architecture_);
  addMore(tr("Hosts"), hosts_);
  addMore(tr("RTI"), rti_);
  addMore(tr("Options"), options_);
  form->addWidget(choiceProblem_, ++row, 0, 1, 4);
  choiceProblem_->hide();
  return form;
}

void BenchmarksWorkspace::buildSuites() {
  suiteModel_ = new SuiteModel(this);
  std::vector<SuiteModel::Entry> entries;
  for (const BenchSuite& suite : suites_) entries.push_back({suite.title, suite.detail, false});
  suiteModel_->setEntries(std::move(entries));
  suiteList_ = new QListView;
  suiteList_->setObjectName(QStringLiteral("suites"));
  suiteList_->setAccessibleName(tr("Suites"));
  suiteList_->setModel(suiteModel_);
  suiteList_->setItemDelegate(new theme::TwoLineDelegate(suiteList_));
  suiteList_->setUniformItemSizes(true);
  suiteList_->setMouseTracking(true);
  suiteList_->setCurrentIndex(suiteModel_->index(0));
  suiteList_->setMinimumHeight(3 * 40);
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(suiteList_, 1);
  layout->addWidget(theme::rule(content));
  layout->addLayout(buildForm());
  suitesDock_ = addPane(QStringLiteral("benchSuites"), tr("Suites"), content,
                        Qt::LeftDockWidgetArea, theme::width::kLeft);
  titleBar(suitesDock_)->setCaption(QString::number(suites_.size()));
  connect(suiteList_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& index) {
            if (index.isValid()) {
              showKind(suites_[static_cast<std::size_t>(index.row())].settings.front().kind);
            }
            updateParts();
          });
  connect(suiteList_, &QListView::activated, this, &BenchmarksWorkspace::runSuite);
  for (QSpinBox* each : {repeats_, seed_}) {
    connect(each, &QSpinBox::valueChanged, this, &BenchmarksWorkspace::updateChoice);
  }
  for (QComboBox* each : {pinning_, architecture_, hosts_}) {
    connect(each, &QComboBox::currentIndexChanged, this, &BenchmarksWorkspace::updateChoice);
  }
  connect(part_, &QComboBox::activated, this, [this](int index) {
    if (index > 0) showKind(chosenSuite()[static_cast<std::size_t>(index - 1)].kind);
    updateChoice();
  });
  connect(options_, &QLineEdit::textChanged, this, &BenchmarksWorkspace::updateChoice);
  updateParts();
}

void BenchmarksWorkspace::buildShown() {
  shown_ = new ShownModel(this);
  shownList_ = new QListView;
  shownList_->setObjectName(QStringLiteral("shownSeries"));
  shownList_->setAccessibleName(tr("Shown results"));
  shownList_->setModel(shown_);
  shownList_->setItemDelegate(makeShownDelegate(shownList_));
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
    const bool costs = bench::hasCosts(kind_);
    spreadPlot_->setVisible(!costs);
    spreadPlot_->setSeries(series, kind_, place_);
    for (CostPlot* each : {processorPlot_, memoryPlot_}) {
      each->setVisible(costs);
      if (costs) each->setSeries(series, kind_);
    }
    fitTable();
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
  table_->setItemDelegate(new theme::RowDelegate(table_, benchTableRow));
  table_->setItemDelegateForColumn(BenchTableModel::Series,
                                   makeSeriesDelegate(tableModel_, table_));
  const int last = BenchTableModel::ColumnCount + static_cast<int>(bench::allCosts().size());
  for (int column = BenchTableModel::Median; column < last; ++column) {
    table_->setItemDelegateForColumn(
        column, new theme::NumberDelegate(QStringLiteral("888.88\u202fk"), table_, benchTableRow));
  }
  QHeaderView* header = table_->header();
  header->setStretchLastSection(false);
  header->setSectionResizeMode(QHeaderView::Fixed);
  header->setSectionResizeMode(BenchTableModel::Series, QHeaderView::Stretch);
  header->setMinimumSectionSize(40);
  table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table_->viewport()->installEventFilter(this);
  tableDock_ =
      addPane(QStringLiteral("benchTableDock"), tr("Table"), table_, Qt::BottomDockWidgetArea, 300);
  auto* save = new QAction(theme::icon(QStringLiteral("export")), tr("Export as CSV"), this);
  titleBar(tableDock_)->addAction(save);
  connect(save, &QAction::triggered, this, [this] {
    const QString path =
        theme::askForFile(this,
                          theme::fileNameOf({QStringLiteral("tutti"), bench::kindName(kind_)}) +
                              QStringLiteral(".csv"),
                          tr("Tables (*.csv)"));
    if (path.isEmpty()) return;
    const auto result = theme::exportCsv(*tableModel_, exportTitle(bench::kindTitle(kind_)), path,
                                         BenchTableModel::NumberRole, tableModel_->origins());
    result ? emit done(tr("Exported %1").arg(path))
           : emit failed(tr("%1 was not written").arg(path), result.error());
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) {
            if (index.isValid()) showPlace(index.data(BenchTableModel::SizeRole).toDouble());
          });
}

void BenchmarksWorkspace::fitTable() {
  QHeaderView* header = table_->header();
  const bool costs = bench::hasCosts(kind_);
  const bool means = bench::factsOf(kind_).means;
  const auto widthOf = [&](int column) {
    // What was varied has the longest title: "Lookahead", "Object instances".
    if (column == BenchTableModel::Size) {
      return std::max(costs ? 78 : numberColumn(kind_), header->sectionSizeHint(column));
    }
    if (column == BenchTableModel::Lost) return 44;
    if (column == BenchTableModel::ColumnCount) return 74;
    return column > BenchTableModel::ColumnCount ? 66 : numberColumn(kind_);
  };
  // Where there are costs the bars of the plot show the spread, and the columns are theirs.
  QList<int> hidden;
  if (costs) hidden = {BenchTableModel::Mean, BenchTableModel::Deviation, BenchTableModel::Tail};
  int wanted = leastNameWidth;
  for (int column = 0; column < header->count(); ++column) {
    if (column != BenchTableModel::Series && !hidden.contains(column)) wanted += widthOf(column);
  }
  // What goes first where there is no room; nothing scrolls sideways.
  const int other = means ? BenchTableModel::Median : BenchTableModel::Mean;
  for (const int column : {int{BenchTableModel::Deviation}, other, int{BenchTableModel::Tail},
                           int{BenchTableModel::Lost}}) {
    if (wanted <= table_->viewport()->width() || hidden.contains(column)) continue;
    hidden << column;
    wanted -= widthOf(column);
  }
  // In a narrow pane the names come before the comparison with the bare ring.
  if (table_->viewport()->width() < narrowTable) hidden << int{BenchTableModel::Ratio};
  for (int column = 0; column < header->count(); ++column) {
    if (column == BenchTableModel::Series) continue;
    header->setSectionHidden(column, hidden.contains(column));
    if (!hidden.contains(column)) header->resizeSection(column, widthOf(column));
  }
  fitCompare();
}

void BenchmarksWorkspace::fitCompare() {
  if (compareTable_ == nullptr) return;  // not built yet
  QHeaderView* header = compareTable_->header();
  const auto widthOf = [&](int column) {
    header->setSectionHidden(column, false);  // else it wants no width
    return column == CompareModel::Spread
               ? spreadColumn
               : std::max(numberColumn(kind_), header->sectionSizeHint(column));
  };
  int room = compareTable_->viewport()->width() - leastCompareName - changeColumn;
  for (const int column : {CompareModel::Spread, CompareModel::Before, CompareModel::After}) {
    room -= widthOf(column);
  }
  // What is compared and how it has changed stay; the two figures go before their change does.
  for (const int column : {CompareModel::Spread, CompareModel::Before, CompareModel::After}) {
    const int width = widthOf(column);
    header->resizeSection(column, width);
    header->setSectionHidden(column, room < 0);
    if (room < 0) room += width;
  }
}

bool BenchmarksWorkspace::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    if (watched == table_->viewport()) fitTable();
    if (compareTable_ != nullptr && watched == compareTable_->viewport()) fitCompare();
  }
  return Workspace::eventFilter(watched, event);
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
  compareTable_->setItemDelegate(new theme::RowDelegate(compareTable_));
  compareTable_->setItemDelegateForColumn(CompareModel::Change, makeChangeDelegate(compareTable_));
  compareTable_->setItemDelegateForColumn(CompareModel::Spread, makeSpreadDelegate(compareTable_));
  QHeaderView* header = compareTable_->header();
  header->setStretchLastSection(false);
  header->setSectionResizeMode(QHeaderView::Fixed);
  header->setSectionResizeMode(CompareModel::What, QHeaderView::Stretch);
  header->resizeSection(CompareModel::Change, changeColumn);
  header->resizeSection(CompareModel::Spread, spreadColumn);
  compareTable_->viewport()->installEventFilter(this);
  compareHeadline_ = theme::makeLabel({}, "label-strong");
  compareHeadline_->setObjectName(QStringLiteral("compareHeadline"));
  compareHeadline_->setWordWrap(true);
  compareHeadline_->setContentsMargins(12, 8, 12, 0);
  compareWarning_ = theme::makeLabel({}, "warning");
  compareWarning_->setObjectName(QStringLiteral("compareWarning"));
  compareWarning_->setWordWrap(true);
  compareWarning_->setContentsMargins(12, 2, 12, 2);
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
    box->setMinimumWidth(72);  // as narrow as that in a narrow pane
    box->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    box->setProperty("role", QByteArray("bar"));
  }
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  against_ = theme::makeLabel(tr("against"), "caption");
  auto* which = new QHBoxLayout;
  which->setContentsMargins(8, 4, 12, 0);
  which->setSpacing(4);
  which->addWidget(after_);
  which->addWidget(against_);
  which->addWidget(before_);
  which->addStretch(1);
  layout->addLayout(which);
  layout->addWidget(compareHeadline_);
  layout->addWidget(compareWarning_);
  layout->addWidget(compareNote_);
  layout->addWidget(compareTable_, 100);
  compareLegend_ = makeCompareLegend();
  layout->addWidget(compareLegend_);
  layout->addStretch();
  compareDock_ = addPane(QStringLiteral("benchCompare"), tr("Compare"), content,
                         Qt::BottomDockWidgetArea, 300);
  theme::DockTitleBar* bar = titleBar(compareDock_);
  auto* save = new QAction(theme::icon(QStringLiteral("export")), tr("Export as CSV"), this);
  bar->addAction(save);
  connect(save, &QAction::triggered, this, [this] {
    const QString path =
        theme::askForFile(this, QStringLiteral("tutti-comparison.csv"), tr("Tables (*.csv)"));
    if (path.isEmpty()) return;
    const auto result = theme::exportCsv(*compareModel_, exportTitle(tr("Comparison")), path,
                                         CompareModel::NumberRole, compareModel_->origins());
    result ? emit done(tr("Exported %1").arg(path))
           : emit failed(tr("%1 was not written").arg(path), result.error());
  });
  for (QComboBox* box : {before_, after_}) {
    connect(box, &QComboBox::activated, this, [this] {
      chosenBefore_ = before_->currentData().toLongLong();
      chosenAfter_ = after_->currentData().toLongLong();
      updateCompare();
    });
  }
}

}  // namespace tutti::monitor
