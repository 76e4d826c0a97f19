// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/object_model_workspace.h"

#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMouseEvent>
#include <QSaveFile>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "fom-editor/model/command_line.h"
#include "fom-editor/model/lists.h"
#include "fom-editor/model/model_loader.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/model/tables.h"
#include "fom-editor/ui/data_type_panel.h"
#include "fom-editor/ui/source_view.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

using theme::Token;

namespace {

/// Lists of more rows stay closed until somebody opens them.
constexpr int kOpenUpTo = 12;

bool isClass(const Item& item) {
  return item.kind == ItemKind::ObjectClass || item.kind == ItemKind::InteractionClass;
}

bool hasUses(const Item& item) {
  return isClass(item) || item.kind == ItemKind::DataType || item.kind == ItemKind::Dimension ||
         item.kind == ItemKind::Transportation;
}

}  // namespace

ObjectModelWorkspace::ObjectModelWorkspace(QWidget* parent)
    : Workspace(QStringLiteral("object-model"), tr("Object model"), QStringLiteral("object-model"),
                parent),
      loader_(new ModelLoader(this)),
      modules_(new ModuleListModel(this)),
      outline_(new OutlineModel(this)),
      filter_(new OutlineFilter(this)),
      table_(new TableModel(this)),
      findings_(new FindingModel(this)),
      slow_(new QTimer(this)) {
  filter_->setSourceModel(outline_);

  openAction_ = new QAction(theme::icon(QStringLiteral("add")), tr("Open FOM modules…"), this);
  openAction_->setObjectName(QStringLiteral("openModules"));
  openAction_->setToolTip(tr("Look at other FOM modules"));
  connect(openAction_, &QAction::triggered, this, &ObjectModelWorkspace::chooseModules);
  closeAction_ =
      new QAction(theme::icon(QStringLiteral("undo")), tr("Show the composition's modules"), this);
  closeAction_->setObjectName(QStringLiteral("closeModules"));
  closeAction_->setToolTip(closeAction_->text());
  closeAction_->setVisible(false);
  connect(closeAction_, &QAction::triggered, this, &ObjectModelWorkspace::closeOpenedModules);
  exportAction_ =
      new QAction(theme::icon(QStringLiteral("export")), tr("Export the table as CSV…"), this);
  exportAction_->setObjectName(QStringLiteral("exportTable"));
  exportAction_->setToolTip(tr("Export the table as CSV"));
  connect(exportAction_, &QAction::triggered, this, &ObjectModelWorkspace::chooseExport);
  copyAction_ = new QAction(theme::icon(QStringLiteral("copy")), tr("Copy the finding"), this);
  copyAction_->setObjectName(QStringLiteral("copyFinding"));
  copyAction_->setToolTip(tr("Copy the selected finding with its places"));
  copyAction_->setShortcut(QKeySequence::Copy);
  copyAction_->setShortcutContext(Qt::WidgetWithChildrenShortcut);

  buildCentre();
  buildModules();
  buildClasses();
  dataType_ = new DataTypePanel(this);
  dataType_->setObjectName(QStringLiteral("dataTypePanel"));
  typeDock_ = addPane(QStringLiteral("dataTypePane"), tr("Datatype"), dataType_,
                      Qt::RightDockWidgetArea, 356);
  connect(dataType_, &DataTypePanel::itemActivated, this,
          [this](const Item& item) { select(item); });
  connect(dataType_, &DataTypePanel::dataTypeActivated, this, [this](const QString& name) {
    if (loaded_.model) select(findItem(*loaded_.model, QStringLiteral("datatype:") + name));
  });
  buildChecks();

  slow_->setSingleShot(true);
  slow_->setInterval(500);
  connect(slow_, &QTimer::timeout, this,
          [this] { titleBar(modulesDock_)->setCaption(tr("reading…")); });
  connect(loader_, &ModelLoader::loaded, this, &ObjectModelWorkspace::show);
  fillCentre();
}

ObjectModelWorkspace::~ObjectModelWorkspace() = default;

void ObjectModelWorkspace::buildCentre() {
  pageStack_ = new QStackedWidget(this);
  pageStack_->setObjectName(QStringLiteral("objectModelPages"));
  setCentralWidget(pageStack_);

  empty_ =
      new theme::EmptyView(tr("The object model of the composition appears here."), pageStack_);
  empty_->setObjectName(QStringLiteral("objectModelEmpty"));
  empty_->setDetail(tr(
      "It is merged from the FOM modules of its components. You can also look at other modules."));
  empty_->setButton(tr("Open FOM modules…"));
  empty_->setBackgroundRole(QPalette::Base);
  empty_->setAutoFillBackground(true);
  connect(empty_, &theme::EmptyView::buttonClicked, openAction_, &QAction::trigger);
  pageStack_->addWidget(empty_);

  auto* page = new QWidget(pageStack_);
  page->setBackgroundRole(QPalette::Base);
  page->setAutoFillBackground(true);
  pageStack_->addWidget(page);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);

  auto* bar = new QFrame(page);
  bar->setObjectName(QStringLiteral("itemBar"));
  bar->setProperty("role", QByteArray("bar"));
  bar->setFixedHeight(theme::height::kTool);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(8, 0, 8, 0);
  row->setSpacing(6);
  back_ = theme::smallButton(QStringLiteral("previous"), tr("Back (Backspace)"), bar);
  back_->setObjectName(QStringLiteral("itemBack"));
  forward_ = theme::smallButton(QStringLiteral("next"), tr("Forward (Shift+Backspace)"), bar);
  forward_->setObjectName(QStringLiteral("itemForward"));
  connect(back_, &QToolButton::clicked, this, [this] { goHistory(-1); });
  connect(forward_, &QToolButton::clicked, this, [this] { goHistory(1); });
  crumbs_ = theme::makeLabel(QString(), "caption", bar);
  crumbs_->setObjectName(QStringLiteral("itemCrumbs"));
  name_ = theme::makeLabel(QString(), "heading", bar);
  name_->setObjectName(QStringLiteral("itemName"));
  name_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  place_ = new PlaceButton(bar);
  place_->setObjectName(QStringLiteral("itemPlace"));
  place_->setToolTip(tr("Show the definition in its file"));
  connect(place_, &QAbstractButton::clicked, this, [this] { views_->setCurrentIndex(SourceTab); });
  views_ = new theme::SegmentedControl({viewTitle(MembersView), tr("Used by"), tr("Source")}, bar);
  views_->setObjectName(QStringLiteral("itemViews"));
  views_->setAccessibleName(tr("What to show"));
  connect(views_, &theme::SegmentedControl::currentIndexChanged, this, [this] {
    if (!filling_) fillCentre();
  });
  auto* exportButton = theme::smallButton(QStringLiteral("export"), exportAction_->toolTip(), bar);
  exportButton->setObjectName(QStringLiteral("exportButton"));
  connect(exportButton, &QToolButton::clicked, exportAction_, &QAction::trigger);
  row->addWidget(back_);
  row->addWidget(forward_);
  row->addSpacing(4);
  row->addWidget(crumbs_);
  row->addWidget(name_);
  row->addWidget(place_);
  row->addStretch(1);
  row->addWidget(views_);
  row->addWidget(exportButton);
  column->addWidget(bar);

  factsBar_ = new QWidget(page);
  factsBar_->setObjectName(QStringLiteral("itemFacts"));
  auto* factsRow = new QHBoxLayout(factsBar_);
  factsRow->setContentsMargins(12, 8, 12, 8);
  factsRow->setSpacing(24);
  facts_ = new QHBoxLayout;
  facts_->setSpacing(24);
  factsRow->addLayout(facts_);
  semanticsBox_ = new QWidget(factsBar_);
  auto* semanticsColumn = new QVBoxLayout(semanticsBox_);
  semanticsColumn->setContentsMargins(0, 0, 0, 0);
  semanticsColumn->setSpacing(2);
  semanticsColumn->addWidget(theme::makeLabel(tr("Semantics"), "caption", semanticsBox_));
  semantics_ = new ElidedText(3, semanticsBox_);
  semantics_->setObjectName(QStringLiteral("itemSemantics"));
  semanticsColumn->addWidget(semantics_);
  semanticsColumn->addStretch(1);
  factsRow->addWidget(semanticsBox_, 1);
  column->addWidget(factsBar_);
  column->addWidget(theme::rule(page));

  stack_ = new QStackedWidget(page);
  stack_->setObjectName(QStringLiteral("itemStack"));
  tableView_ = new TableView(stack_);
  tableView_->setObjectName(QStringLiteral("itemTable"));
  tableView_->setTableModel(table_);
  tableView_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(tableView_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    const TableRow* tableRow = table_->row(tableView_->currentIndex());
    if (tableRow == nullptr || !loaded_.model) return;
    QMenu menu(this);
    const QString file = text(loaded_.model->fileOf(tableRow->where));
    const int line = tableRow->where.line;
    QAction* source = menu.addAction(tr("Show in %1").arg(placeText(file, line)));
    source->setEnabled(line > 0);
    connect(source, &QAction::triggered, this, [this, file, line] { showSource(file, line); });
    if (!tableRow->link.isNull()) {
      QAction* open = menu.addAction(tr("Go to %1").arg(itemName(*loaded_.model, tableRow->link)));
      connect(open, &QAction::triggered, this, [this, link = tableRow->link] { select(link); });
    }
    QAction* copy = menu.addAction(theme::icon(QStringLiteral("copy")), tr("Copy the row"));
    connect(copy, &QAction::triggered, this, [cells = tableRow->cells] {
      QGuiApplication::clipboard()->setText(cells.join(u'\t'));
    });
    menu.addAction(exportAction_);
    menu.exec(tableView_->viewport()->mapToGlobal(at));
  });
  connect(tableView_, &TableView::currentRowChanged, this, [this](const TableRow* tableRow) {
    // A class without a chosen row keeps what the pane shows until something is chosen.
    if (tableRow != nullptr && !tableRow->dataType.isEmpty()) {
      dataType_->showDataType(tableRow->dataType);
    }
  });
  connect(tableView_, &TableView::linkActivated, this, [this](const TableRow& tableRow) {
    // The datatype of a member opens beside the class; Ctrl goes there, as does what uses an item.
    const bool beside = !tableRow.member.isEmpty() && views_->currentIndex() == MembersView &&
                        !QGuiApplication::keyboardModifiers().testFlag(Qt::ControlModifier);
    if (beside) {
      dataType_->showDataType(tableRow.dataType);
      typeDock_->show();
      typeDock_->raise();
    } else {
      select(tableRow.link);
    }
  });
  source_ = new SourceView(stack_);
  source_->setObjectName(QStringLiteral("itemSource"));
  tableEmpty_ = new theme::EmptyView(QString(), stack_);
  tableEmpty_->setObjectName(QStringLiteral("itemEmpty"));
  stack_->addWidget(tableView_);
  stack_->addWidget(source_);
  stack_->addWidget(tableEmpty_);
  column->addWidget(stack_, 1);
}

void ObjectModelWorkspace::buildModules() {
  moduleView_ = new QListView(this);
  moduleView_->setObjectName(QStringLiteral("moduleList"));
  moduleView_->setAccessibleName(tr("FOM modules"));
  moduleView_->setFrameShape(QFrame::NoFrame);
  moduleView_->setUniformItemSizes(true);
  moduleView_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  moduleView_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  moduleView_->setItemDelegate(new ModuleDelegate(moduleView_));
  moduleView_->setModel(modules_);
  const auto choose = [this](const QModelIndex& index) {
    if (!loaded_.model || !index.isValid()) return;
    const QString path = index.data(ModuleListModel::PathRole).toString();
    const Item item = findItem(*loaded_.model, QStringLiteral("module:") + path);
    if (!item.isNull()) {
      select(item);
      return;
    }
    // Left out of the model: its text, at its first finding, is what helps.
    int line = 1;
    for (const Finding& f : loaded_.findings) {
      if (f.file == path && f.level == Level::Loads) {
        line = std::max(1, f.line);
        break;
      }
    }
    showSource(path, line);
  };
  connect(moduleView_, &QAbstractItemView::clicked, this, choose);
  connect(moduleView_, &QAbstractItemView::activated, this, choose);
  modulesDock_ = addPane(QStringLiteral("modulesPane"), tr("Modules"), moduleView_,
                         Qt::LeftDockWidgetArea, 264);
  QToolButton* close = titleBar(modulesDock_)->addAction(closeAction_);
  close->hide();
  connect(closeAction_, &QAction::changed, close,
          [this, close] { close->setVisible(closeAction_->isVisible()); });
  titleBar(modulesDock_)->addAction(openAction_);
}

void ObjectModelWorkspace::buildClasses() {
  auto* content = new QWidget(this);
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(6);
  search_ =
      new theme::SearchField(tr("Class, attribute or datatype"), QStringLiteral("Ctrl+F"), content);
  search_->setObjectName(QStringLiteral("outlineSearch"));
  search_->setAccessibleName(tr("Filter classes, attributes and datatypes"));
  auto* searchRow = new QHBoxLayout;
  searchRow->setContentsMargins(8, 0, 8, 0);
  searchRow->addWidget(search_);
  column->addLayout(searchRow);
  noMatch_ = theme::makeLabel(QString(), "secondary", content);
  noMatch_->setObjectName(QStringLiteral("outlineNoMatch"));
  noMatch_->setWordWrap(true);

  noMatch_->hide();
  auto* noMatchRow = new QHBoxLayout;
  noMatchRow->setContentsMargins(12, 0, 12, 0);
  noMatchRow->addWidget(noMatch_);
  column->addLayout(noMatchRow);
  outlineView_ = new OutlineView(content);
  outlineView_->setObjectName(QStringLiteral("outlineTree"));
  outlineView_->setAccessibleName(tr("Classes and datatypes"));
  outlineView_->setModel(filter_);
  search_->setFocusTarget(outlineView_);
  column->addWidget(outlineView_, 1);
  classesDock_ =
      addPane(QStringLiteral("classesPane"), tr("Classes"), content, Qt::LeftDockWidgetArea, 264);

  connect(search_, &QLineEdit::textChanged, this, &ObjectModelWorkspace::applyFilter);
  connect(search_, &theme::SearchField::leftDownward, this, [this] {
    outlineView_->setFocus(Qt::OtherFocusReason);
    chooseMatch();
  });
  connect(outlineView_, &QAbstractItemView::clicked, this, [this] { chooseMatch(); });
  connect(outlineView_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& current) {
            if (filling_) return;
            const Item item = outline_->item(filter_->mapToSource(current));
            if (!item.isNull()) select(item, !previewing_);
          });
  const auto remember = [this](const QModelIndex& index, bool open) {
    if (filtering_ || filling_ || !loaded_.model) return;
    const QString path = itemPath(*loaded_.model, outline_->item(filter_->mapToSource(index)));
    if (open) {
      expanded_.insert(path);
    } else {
      expanded_.remove(path);
    }
  };
  connect(outlineView_, &QTreeView::expanded, this,
          [remember](const QModelIndex& index) { remember(index, true); });
  connect(outlineView_, &QTreeView::collapsed, this,
          [remember](const QModelIndex& index) { remember(index, false); });
}

void ObjectModelWorkspace::buildChecks() {
  auto* content = new QWidget(this);
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 10, 0, 0);
  column->setSpacing(8);
  auto* cardRow = new QHBoxLayout;
  cardRow->setContentsMargins(12, 0, 12, 0);
  cardRow->setSpacing(8);
  for (const Level level : {Level::Loads, Level::Complete, Level::Described}) {
    auto* card = new LevelCard(level, content);
    card->setObjectName(QStringLiteral("card_%1").arg(static_cast<int>(level)));
    connect(card, &QAbstractButton::clicked, this, [this, level](bool checked) {
      for (LevelCard* other : std::as_const(cards_)) {
        if (other != sender()) other->setChecked(false);
      }
      findings_->setLevel(checked ? static_cast<int>(level) : -1);
      fillChecks();
    });
    cards_ << card;
    cardRow->addWidget(card);
  }
  column->addLayout(cardRow);
  noFinding_ = theme::makeLabel(QString(), "secondary", content);
  noFinding_->setObjectName(QStringLiteral("noFinding"));
  noFinding_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  auto* noFindingRow = new QHBoxLayout;
  noFindingRow->setContentsMargins(12, 0, 12, 0);
  noFindingRow->addWidget(noFinding_);
  column->addLayout(noFindingRow);
  findingView_ = new QTreeView(content);
  findingView_->setObjectName(QStringLiteral("findingList"));
  findingView_->setAccessibleName(tr("Findings"));
  findingView_->setRootIsDecorated(false);
  findingView_->setIndentation(0);
  findingView_->setUniformRowHeights(true);

  findingView_->setHeaderHidden(true);
  findingView_->setFrameShape(QFrame::NoFrame);
  findingView_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  findingView_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  findingView_->setItemDelegate(new FindingDelegate(findingView_));
  findingView_->setModel(findings_);
  findingView_->setMouseTracking(true);
  findingView_->header()->setStretchLastSection(false);
  findingView_->header()->setMinimumSectionSize(40);
  findingView_->header()->setSectionResizeMode(FindingModel::TextColumn, QHeaderView::Stretch);
  findingView_->header()->setSectionResizeMode(FindingModel::PlaceColumn, QHeaderView::Fixed);
  findingView_->header()->resizeSection(FindingModel::PlaceColumn, 210);
  findingView_->addAction(copyAction_);
  findingView_->setContextMenuPolicy(Qt::ActionsContextMenu);
  column->addWidget(findingView_, 1);
  connect(copyAction_, &QAction::triggered, this, [this] {
    const QModelIndex index = findingView_->currentIndex();
    if (index.isValid()) {
      QGuiApplication::clipboard()->setText(index.data(FindingModel::FindingRole).toString());
    }
  });
  connect(findingView_, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) {
    activateFinding(index, index.column() == FindingModel::PlaceColumn);
  });
  connect(findingView_, &QAbstractItemView::activated, this,
          [this](const QModelIndex& index) { activateFinding(index, true); });
  checksDock_ =
      addPane(QStringLiteral("checksPane"), tr("Checks"), content, Qt::BottomDockWidgetArea, 230);
  titleBar(checksDock_)->addAction(copyAction_);
}

void ObjectModelWorkspace::setModules(const QStringList& paths) {
  compositionPaths_ = paths;
  if (!openedByHand_) load(paths);
}

void ObjectModelWorkspace::openModules(const QStringList& paths) {
  openedByHand_ = true;
  closeAction_->setVisible(true);
  load(paths);
}

void ObjectModelWorkspace::closeOpenedModules() {
  openedByHand_ = false;
  closeAction_->setVisible(false);
  load(compositionPaths_);
}

void ObjectModelWorkspace::load(const QStringList& paths) {
  slow_->start();
  loader_->load(paths);
}

bool ObjectModelWorkspace::isLoading() const { return loader_->isLoading(); }

void ObjectModelWorkspace::setUsageProvider(UsageProvider* provider) {
  if (usage_) disconnect(usage_, nullptr, this, nullptr);
  usage_ = provider;
  if (provider != nullptr) {
    connect(provider, &UsageProvider::changed, this, [this] { fillCentre(); });
  }
  fillCentre();
}

void ObjectModelWorkspace::show(const LoadedModel& loaded) {
  slow_->stop();
  const QString before = currentItem();
  const bool first = !loaded_.model || loaded_.paths.isEmpty();
  const bool sameFiles = loaded_.paths == loaded.paths;
  filling_ = true;
  loaded_ = loaded;
  source_->forget();
  modules_->setModules(loaded.modules);
  outline_->setLoadedModel(loaded);
  findings_->setFindings(loaded.findings);
  dataType_->setModel(loaded.model);
  filling_ = false;

  const int rows = std::clamp(static_cast<int>(loaded.modules.size()), 2, 8);
  moduleView_->setMinimumHeight(2 * theme::height::kRowCompact);
  moduleView_->setMaximumHeight(rows * theme::height::kRowCompact + 2);
  titleBar(modulesDock_)
      ->setCaption(openedByHand_            ? tr("%1, opened by hand").arg(loaded.paths.size())
                   : loaded.paths.isEmpty() ? tr("none yet")
                                            : tr("%1, merged").arg(loaded.modules.size()));
  titleBar(classesDock_)
      ->setCaption(loaded.paths.isEmpty() ? tr("only the standard's")
                                          : tr("%1 object, %2 interaction")
                                                .arg(loaded.objectClassCount())
                                                .arg(loaded.interactionClassCount()));
  titleBar(checksDock_)
      ->setCaption(loaded.paths.isEmpty()
                       ? QString()
                       : tr("read and checked in %1").arg(theme::formatDuration(loaded.seconds)));
  if (first || !sameFiles) expandDefaults();
  restoreExpanded();
  if (filtering_) applyFilter(search_->text());
  fillChecks();

  pageStack_->setCurrentIndex(loaded.paths.isEmpty() ? 0 : 1);
  if (!sameFiles) {
    history_.clear();
    historyAt_ = -1;
  }
  Item item = findItem(*loaded.model, before);
  if (item.isNull() && !loaded.paths.isEmpty()) {
    // The first class of the modules themselves says more than the root.
    for (const omt::ObjectClass& c : loaded.model->objectClasses()) {
      if (!loaded.model->modules()[c.where.module].isMim && !c.attributes.empty()) {
        item = {ItemKind::ObjectClass, c.handle};
        break;
      }
    }
    if (item.isNull()) item = {ItemKind::ObjectClass, omt::objectRootHandle};
  }
  item_ = {};
  select(item);

  const int errors = loaded.count(Level::Loads);
  const int warnings = loaded.count(Level::Complete);
  setBadge(errors > 0 ? theme::State::Error : theme::State::Warning,
           errors > 0 ? errors : warnings);
  Q_EMIT commandLineChanged();
  Q_EMIT statusNotesChanged();
  Q_EMIT modelShown();
}

void ObjectModelWorkspace::expandDefaults() {
  expanded_.clear();
  if (!loaded_.model) return;
  const omt::ObjectModel& m = *loaded_.model;
  const auto add = [&](const Item& item) { expanded_.insert(itemPath(m, item)); };
  for (const omt::ObjectClass& c : m.objectClasses()) {
    if (c.parent == 0 || !m.modules()[c.where.module].isMim) {
      add({ItemKind::ObjectClass, c.handle});
    }
  }
  add({ItemKind::InteractionClass, omt::interactionRootHandle});
  std::size_t types = 0;
  for (const omt::DataType& t : m.dataTypes()) types += m.modules()[t.where.module].isMim ? 0 : 1;
  if (types <= kOpenUpTo) add({ItemKind::DataTypes, 0});
}

void ObjectModelWorkspace::restoreExpanded() {
  if (filtering_ || !loaded_.model) return;
  filling_ = true;
  outlineView_->setUpdatesEnabled(false);
  outlineView_->collapseAll();
  for (const QString& path : std::as_const(expanded_)) {
    const QModelIndex index = outline_->indexOf(findItem(*loaded_.model, path));
    if (index.isValid()) outlineView_->setExpanded(filter_->mapFromSource(index), true);
  }
  outlineView_->setUpdatesEnabled(true);
  filling_ = false;
}

void ObjectModelWorkspace::applyFilter(const QString& filterText) {
  const bool was = filtering_;
  filtering_ = !filterText.trimmed().isEmpty();
  // While typing the page shows the best match; leaving without choosing one goes back.
  if (filtering_ && !previewing_) {
    beforeFilter_ = item_;
    previewing_ = true;
  }
  const Item keep = previewing_ && !filtering_ && !beforeFilter_.isNull() ? beforeFilter_ : item_;
  filling_ = true;
  filter_->setFilter(filterText);
  filling_ = false;
  if (!filtering_) {
    noMatch_->hide();
    if (was) restoreExpanded();
    previewing_ = false;
    select(keep, false);
    selectInOutline(keep);
    return;
  }
  filling_ = true;
  outlineView_->expandAll();
  filling_ = false;
  const QModelIndex best = filter_->bestMatch();
  noMatch_->setVisible(!best.isValid());
  noMatch_->setText(tr("No class, attribute or datatype matches \"%1\". Esc clears the filter.")
                        .arg(filterText.trimmed()));
  if (best.isValid()) {
    outlineView_->setCurrentIndex(best);
    outlineView_->scrollTo(best);
  }
}

void ObjectModelWorkspace::chooseMatch() {
  if (!previewing_) return;
  previewing_ = false;
  rememberItem();
  updateHistoryButtons();
}

void ObjectModelWorkspace::rememberItem() {
  const QString path = currentItem();
  if (path.isEmpty() || (historyAt_ >= 0 && history_[historyAt_] == path)) return;
  history_ = history_.mid(0, historyAt_ + 1);
  history_ << path;
  historyAt_ = static_cast<int>(history_.size()) - 1;
}

void ObjectModelWorkspace::selectInOutline(const Item& item) {
  const QModelIndex source = outline_->indexOf(item);
  const QModelIndex index = filter_->mapFromSource(source);
  filling_ = true;
  if (index.isValid()) {
    outlineView_->setCurrentIndex(index);
    outlineView_->scrollTo(index);
    if (!filtering_ && loaded_.model) {
      // scrollTo opened what is above.
      for (QModelIndex up = source.parent(); up.isValid(); up = up.parent()) {
        expanded_.insert(itemPath(*loaded_.model, outline_->item(up)));
      }
    }
  } else {
    outlineView_->selectionModel()->clear();
  }
  filling_ = false;
}

void ObjectModelWorkspace::select(const Item& item, bool remember) {
  if (item.isNull() || !loaded_.model) return;
  if (item == item_) {
    if (views_->currentIndex() == SourceTab) fillCentre();
    return;
  }
  item_ = item;
  if (remember) rememberItem();
  updateHistoryButtons();
  const QModelIndex shown = filter_->mapToSource(outlineView_->currentIndex());
  if (outline_->item(shown) != item) selectInOutline(item);
  for (int row = 0; row < modules_->rowCount(); ++row) {
    const bool mine = item.kind == ItemKind::Module &&
                      modules_->index(row).data(ModuleListModel::PathRole).toString() ==
                          text(loaded_.model->modules()[item.id - 1].file);
    if (mine) moduleView_->setCurrentIndex(modules_->index(row));
  }
  if (item.kind != ItemKind::Module) moduleView_->selectionModel()->clear();
  if (item.kind == ItemKind::DataType) dataType_->showDataType(itemName(*loaded_.model, item));
  if (views_->currentIndex() == UsesView && !hasUses(item)) {
    filling_ = true;
    views_->setCurrentIndex(MembersView);
    filling_ = false;
  }
  fillCentre();
}

QString ObjectModelWorkspace::currentItem() const {
  return loaded_.model ? itemPath(*loaded_.model, item_) : QString();
}

QString ObjectModelWorkspace::viewTitle(int view) const {
  if (view == SourceTab) return tr("Source");
  if (view == UsesView) {
    if (!loaded_.model || !hasUses(item_)) return tr("Used by");
    const Table uses = usesOf(*loaded_.model, item_, usage_);
    const auto count = std::count_if(uses.rows.begin(), uses.rows.end(),
                                     [](const TableRow& row) { return !row.isSection; });
    if (isClass(item_) && !usage_) return tr("Used by");
    return tr("Used by %1").arg(count);
  }
  switch (item_.kind) {
    case ItemKind::InteractionClass:
      return tr("Parameters");
    case ItemKind::ObjectClass:
    case ItemKind::None:
      return tr("Attributes");
    default:
      return tr("Definition");
  }
}

void ObjectModelWorkspace::fillCentre() {
  exportAction_->setEnabled(loaded_.model && !item_.isNull());
  if (!loaded_.model || item_.isNull()) return;
  const omt::ObjectModel& m = *loaded_.model;
  filling_ = true;
  for (int view = 0; view < views_->count(); ++view) views_->setText(view, viewTitle(view));
  const QStringList above = ancestorsOf(m, item_);
  crumbs_->setText(above.isEmpty() ? QString()
                                   : above.join(QStringLiteral(" › ")) + QStringLiteral(" ›"));
  crumbs_->setVisible(!above.isEmpty());
  name_->setText(itemName(m, item_));
  const omt::SourceLocation where = itemPlace(m, item_);
  place_->setText(placeText(m, where));
  place_->setVisible(where.line > 0);
  place_->updateGeometry();
  tableView_->setAccent(item_.kind == ItemKind::InteractionClass ? Token::Series2 : Token::Series1);
  fillFacts();

  const int view = views_->currentIndex();
  if (view == SourceTab) {
    const QString file = text(m.fileOf(where));
    source_->showPlace(where.line > 0 ? file : text(m.modules().back().file),
                       std::max(1, where.line));
    stack_->setCurrentWidget(source_);
  } else {
    const Table table = view == UsesView ? usesOf(m, item_, usage_) : tableOf(m, item_);
    const QString member = table_->table().title == table.title ? currentMember() : QString();
    table_->setTable(table);
    chooseRow(member);
    if (table.rows.isEmpty()) {
      tableEmpty_->setSentence(table.empty);
      stack_->setCurrentWidget(tableEmpty_);
    } else {
      stack_->setCurrentWidget(tableView_);
    }
  }
  filling_ = false;
}

QString ObjectModelWorkspace::currentMember() const {
  const TableRow* row = table_->row(tableView_->currentIndex());
  return row != nullptr ? row->member : QString();
}

void ObjectModelWorkspace::chooseRow(const QString& member) {
  // The parts of a datatype are chosen by hand: until then the Datatype pane shows the whole.
  if (tableView_->currentIndex().isValid() || item_.kind == ItemKind::DataType) return;
  // The member that was chosen before, else the one that the filter is about, else the first own
  // one, else the first below the root's.
  const QList<TableRow>& rows = table_->table().rows;
  int before = -1;
  int found = -1;
  int own = -1;
  int first = -1;
  int sections = 0;
  for (int i = 0; i < rows.size(); ++i) {
    if (rows[i].isSection) {
      ++sections;
      continue;
    }
    if (first < 0 || (sections == 2 && rows[i - 1].isSection)) first = i;
    if (own < 0 && !rows[i].inherited) own = i;
    if (before < 0 && !member.isEmpty() && rows[i].member == member) before = i;
    if (found < 0 && filter_->isFoundBy(rows[i].member, itemName(*loaded_.model, item_))) found = i;
  }
  const int chosen = before >= 0 ? before : found >= 0 ? found : own >= 0 ? own : first;
  if (chosen < 0) return;
  tableView_->setCurrentIndex(table_->index(chosen, 0));
  // As many of the own ones as there is room for, with their heading.
  if (chosen == own && own > 0) {
    tableView_->scrollTo(table_->index(static_cast<int>(rows.size()) - 1, 0));
    const QModelIndex heading = table_->index(own - 1, 0);
    if (tableView_->visualRect(heading).top() < 0) {
      tableView_->scrollTo(heading, QAbstractItemView::PositionAtTop);
    }
  }
}

void ObjectModelWorkspace::fillFacts() {
  while (QLayoutItem* old = facts_->takeAt(0)) {
    old->widget()->hide();
    old->widget()->deleteLater();
    delete old;
  }
  const QList<Fact> facts = factsOf(*loaded_.model, item_);
  for (const Fact& fact : facts) {
    auto* box = new QWidget(factsBar_);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(theme::makeLabel(fact.name, "caption", box));
    auto* value = theme::makeLabel(fact.value, "table", box);
    value->setObjectName(QStringLiteral("fact_%1").arg(fact.name));
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(value);
    column->addStretch(1);
    facts_->addWidget(box);
  }
  const QString semantics = semanticsOf(*loaded_.model, item_);
  const bool described = isClass(item_) || item_.kind == ItemKind::DataType;
  semantics_->setText(semantics.isEmpty() ? tr("–") : semantics);
  semanticsBox_->setVisible(described);
  factsBar_->setVisible(described || !facts.isEmpty());
}

void ObjectModelWorkspace::fillChecks() {
  const int errors = loaded_.count(Level::Loads);
  const int missing = loaded_.count(Level::Complete);
  const int bare = loaded_.count(Level::Described);
  const auto findings = [](int count) {
    return count == 1 ? tr("1 finding") : tr("%1 findings").arg(count);
  };
  cards_[0]->setResult(errors > 0 ? theme::State::Error : theme::State::Ok,
                       errors == 1  ? tr("1 finding stops a run")
                       : errors > 0 ? tr("%1 stop a run").arg(findings(errors))
                                    : tr("nothing stops a run"));
  cards_[1]->setResult(
      missing > 0 ? theme::State::Warning : theme::State::Ok,
      missing > 0 ? tr("%1, none stops a run").arg(findings(missing)) : tr("nothing is missing"));
  cards_[2]->setResult(
      bare > 0 ? theme::State::Info : theme::State::Ok,
      bare > 0 ? tr("%1, none stops a run").arg(findings(bare)) : tr("everything has semantics"));
  if (loaded_.paths.isEmpty()) {
    for (LevelCard* card : std::as_const(cards_)) {
      card->setResult(theme::State::Idle, tr("no modules to check"));
    }
  }
  const bool none = findings_->rowCount() == 0;
  noFinding_->setVisible(none);
  noFinding_->setText(loaded_.paths.isEmpty() ? tr("Findings about the modules appear here.")
                      : findings_->level() < 0
                          ? tr("The modules fit together; there is nothing to say about them.")
                          : tr("There is nothing to say here."));
  findingView_->setVisible(!none);
  copyAction_->setEnabled(!none);
}

void ObjectModelWorkspace::showSource(const QString& file, int line) {
  filling_ = true;
  views_->setCurrentIndex(SourceTab);
  filling_ = false;
  pageStack_->setCurrentIndex(1);
  source_->showPlace(file, line);
  place_->setText(placeText(file, line));
  place_->show();
  stack_->setCurrentWidget(source_);
}

void ObjectModelWorkspace::activateFinding(const QModelIndex& index, bool source) {
  const Finding* found = findings_->finding(index);
  if (found == nullptr || !loaded_.model) return;
  const Finding finding = *found;
  const Item item = findItem(*loaded_.model, finding.item);
  if (!item.isNull()) select(item);
  // What is not part of the model can only be shown as text.
  if ((source || item.isNull()) && finding.line > 0) showSource(finding.file, finding.line);
}

void ObjectModelWorkspace::showNextProblem(int direction) {
  const int rows = findings_->rowCount();
  if (rows == 0) return;
  checksDock_->show();
  checksDock_->raise();
  const int at = findingView_->currentIndex().isValid() ? findingView_->currentIndex().row()
                 : direction > 0                        ? -1
                                                        : 0;
  const QModelIndex next = findings_->index((at + direction + rows) % rows, 0);
  findingView_->setCurrentIndex(next);
  activateFinding(next, false);
}

void ObjectModelWorkspace::goHistory(int direction) {
  const int next = historyAt_ + direction;
  if (next < 0 || next >= history_.size() || !loaded_.model) return;
  historyAt_ = next;
  select(findItem(*loaded_.model, history_[next]), false);
  updateHistoryButtons();
}

void ObjectModelWorkspace::updateHistoryButtons() {
  back_->setEnabled(historyAt_ > 0);
  forward_->setEnabled(historyAt_ >= 0 && historyAt_ + 1 < history_.size());
}

void ObjectModelWorkspace::showEvent(QShowEvent* event) {
  Workspace::showEvent(event);
  if (window()->focusWidget() == nullptr) outlineView_->setFocus(Qt::OtherFocusReason);
}

void ObjectModelWorkspace::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Backspace) {
    goHistory(event->modifiers().testFlag(Qt::ShiftModifier) ? 1 : -1);
    return;
  }
  Workspace::keyPressEvent(event);
}

void ObjectModelWorkspace::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::BackButton) goHistory(-1);
  if (event->button() == Qt::ForwardButton) goHistory(1);
  Workspace::mousePressEvent(event);
}

void ObjectModelWorkspace::chooseModules() {
  const QStringList files = QFileDialog::getOpenFileNames(
      this, tr("Open FOM modules"),
      loaded_.paths.isEmpty() ? QString() : QFileInfo(loaded_.paths.front()).path(),
      tr("FOM modules (*.xml);;All files (*)"));
  if (!files.isEmpty()) openModules(files);
}

void ObjectModelWorkspace::chooseExport() {
  if (item_.isNull()) return;
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export the table"), itemName(*loaded_.model, item_) + QStringLiteral(".csv"),
      tr("Comma-separated values (*.csv)"));
  if (path.isEmpty()) return;
  QString error;
  if (!exportTable(path, &error)) {
    tableEmpty_->setSentence(tr("%1 was not written.").arg(QDir::toNativeSeparators(path)));
    tableEmpty_->setDetail(error);
    stack_->setCurrentWidget(tableEmpty_);
  }
}

bool ObjectModelWorkspace::exportTable(const QString& path, QString* error) const {
  if (!loaded_.model || item_.isNull()) return false;
  const Table table = views_->currentIndex() == UsesView ? usesOf(*loaded_.model, item_, usage_)
                                                         : tableOf(*loaded_.model, item_);
  QSaveFile file(path);
  const bool written =
      file.open(QIODevice::WriteOnly) && file.write(toCsv(table)) >= 0 && file.commit();
  if (!written && error != nullptr) *error = file.errorString();
  return written;
}

QString ObjectModelWorkspace::commandLine() const { return fomCheckCommandLine(loaded_.paths); }

QStringList ObjectModelWorkspace::statusNotes() const {
  if (loaded_.paths.isEmpty()) return {};
  return {tr("exit code %1").arg(loaded_.count(Level::Loads) > 0 ? 1 : 0)};
}

void ObjectModelWorkspace::provideFinds(QList<theme::FindEntry>& into) const {
  if (!loaded_.model) return;
  const omt::ObjectModel& m = *loaded_.model;
  auto* self = const_cast<ObjectModelWorkspace*>(this);
  const auto add = [&](const Item& item, const QString& detail, const QString& kind,
                       const QString& iconName) {
    theme::FindEntry entry;
    entry.title = itemName(m, item);
    entry.detail = detail;
    entry.kind = kind;
    entry.iconName = iconName;
    entry.activate = [self, path = itemPath(m, item)] { self->showItem(path); };
    into << entry;
  };
  for (const omt::ObjectClass& c : m.objectClasses()) {
    if (c.parent == 0) continue;
    add({ItemKind::ObjectClass, c.handle}, text(c.fullName), tr("Class"),
        QStringLiteral("object-class"));
  }
  for (const omt::InteractionClass& c : m.interactionClasses()) {
    if (c.parent == 0) continue;
    add({ItemKind::InteractionClass, c.handle}, text(c.fullName), tr("Class"),
        QStringLiteral("interaction-class"));
  }
  for (std::size_t i = 0; i < m.dataTypes().size(); ++i) {
    add({ItemKind::DataType, static_cast<std::uint32_t>(i + 1)},
        placeText(m, m.dataTypes()[i].where), tr("Datatype"), QStringLiteral("datatype"));
  }
}

QHash<QString, QList<QAction*>> ObjectModelWorkspace::menuActions() const {
  return {{QStringLiteral("Tools"), {openAction_, closeAction_, exportAction_}}};
}

void ObjectModelWorkspace::focusFilter() {
  classesDock_->show();
  classesDock_->raise();
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void ObjectModelWorkspace::showItem(const QString& path) {
  if (!loaded_.model) return;
  const Item item = findItem(*loaded_.model, path);
  if (item.isNull()) return;
  if (filtering_) {
    chooseMatch();
    search_->clear();
  }
  filling_ = true;
  if (views_->currentIndex() == SourceTab) views_->setCurrentIndex(MembersView);
  filling_ = false;
  select(item);
}

}  // namespace tutti::fomedit
