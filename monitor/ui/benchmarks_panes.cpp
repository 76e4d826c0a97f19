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
#include <QListView>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include "monitor/ui/bench_delegates.h"
#include "monitor/ui/bench_plots.h"
#include "monitor/ui/benchmarks_workspace.h"
#include "monitor/ui/exporter.h"
#include "monitor/ui/fact_list.h"
#include "resources/theme/delegates.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using bench::Kind;
using theme::State;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

void BenchmarksWorkspace::buildCentre() {
  subtitle_ = theme::makeLabel({}, "caption");
  subtitle_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
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

  connect(kinds_, &QComboBox::activated, this,
          [this] { showKind(static_cast<Kind>(kinds_->currentData().toInt())); });
  connect(runButton_, &QPushButton::clicked, this, &BenchmarksWorkspace::runSuite);
  connect(empty_, &theme::EmptyView::buttonClicked, this,
          [this] { storeProblem_ ? reload() : runSuite(); });
  connect(cancel, &QPushButton::clicked, run_, &BenchRun::cancel);
  connect(exportButton_, &QPushButton::clicked, this, &BenchmarksWorkspace::exportAll);
  connect(sizePlot_, &SizePlot::sizeSelected, this, &BenchmarksWorkspace::showPlace);
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
    emit commandLineChanged();
  });
  return box;
}

void BenchmarksWorkspace::updateSequence() {
  const int row = std::max(suiteList_->currentIndex().row(), 0);
  const auto& settings = suites_[static_cast<std::size_t>(row)].settings;
  const bool any = bench::factsOf(settings.front().kind).sequence;
  sequence_->setVisible(any);
  sequenceLabel_->setVisible(any);
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
  sequenceLabel_ = theme::makeLabel(tr("Tests"), "label");
  suiteList_->setMinimumHeight(6 * 40);
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
  form->addWidget(theme::makeLabel(tr("RTI"), "label"), 2, 0);
  form->addWidget(rti_, 2, 1, 1, 3);
  form->addWidget(sequenceLabel_, 3, 0);
  form->addWidget(sequence_, 3, 1, 1, 3);
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
          [this](const QModelIndex& index) {
            if (index.isValid()) {
              showKind(suites_[static_cast<std::size_t>(index.row())].settings.front().kind);
            }
            updateSequence();
            emit commandLineChanged();
          });
  updateSequence();
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
    spreadPlot_->setSeries(series, kind_, place_);
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
  for (int column = BenchTableModel::Median; column < BenchTableModel::ColumnCount; ++column) {
    table_->setItemDelegateForColumn(
        column, new theme::NumberDelegate(QStringLiteral("888.88\u202fk"), table_, benchTableRow));
  }
  QHeaderView* header = table_->header();
  header->setStretchLastSection(false);
  header->setSectionResizeMode(QHeaderView::Fixed);
  header->setSectionResizeMode(BenchTableModel::Series, QHeaderView::Stretch);
  header->setMinimumSectionSize(40);
  header->resizeSection(BenchTableModel::Size, 64);
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
    result ? emit done(tr("Exported %1").arg(path))
           : emit failed(tr("%1 was not written").arg(path), result.error());
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) {
            if (index.isValid()) showPlace(index.data(BenchTableModel::SizeRole).toDouble());
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
  compareTable_->setItemDelegate(new theme::RowDelegate(compareTable_));
  compareTable_->setItemDelegateForColumn(CompareModel::Change, makeChangeDelegate(compareTable_));
  compareTable_->setItemDelegateForColumn(CompareModel::Spread, makeSpreadDelegate(compareTable_));
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
    box->setProperty("role", QByteArray("bar"));
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
  compareLegend_ = makeCompareLegend();
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
    result ? emit done(tr("Exported %1").arg(path))
           : emit failed(tr("%1 was not written").arg(path), result.error());
  });
  connect(before_, &QComboBox::activated, this, &BenchmarksWorkspace::updateCompare);
  connect(after_, &QComboBox::activated, this, &BenchmarksWorkspace::updateCompare);
}

}  // namespace tutti::monitor
