// SPDX-License-Identifier: GPL-3.0-or-later
// How the Object model page is built: modules, classes, centre and checks.
#include <QAction>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "fom-editor/model/lists.h"
#include "fom-editor/model/module_project.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/model/tables.h"
#include "fom-editor/ui/data_type_panel.h"
#include "fom-editor/ui/dependency_view.h"
#include "fom-editor/ui/notes_page.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/source_view.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/icons.h"
#include "resources/theme/progress_line.h"
#include "resources/theme/rows.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

void ObjectModelWorkspace::buildCentre() {
  pageStack_ = new QStackedWidget(this);
  pageStack_->setObjectName(QStringLiteral("objectModelPages"));
  auto* centre = new QWidget(this);
  auto* centreColumn = new QVBoxLayout(centre);
  centreColumn->setContentsMargins(0, 0, 0, 0);
  centreColumn->setSpacing(0);
  reading_ = new theme::ProgressLine(QStringLiteral("modelReading"), centre);
  centreColumn->addWidget(reading_);
  centreColumn->addWidget(pageStack_, 1);
  setCentralWidget(centre);
  connect(reading_, &theme::ProgressLine::cancelRequested, this,
          &ObjectModelWorkspace::cancelReading);

  empty_ =
      new theme::EmptyView(tr("The object model of the composition appears here."), pageStack_);
  empty_->setObjectName(QStringLiteral("objectModelEmpty"));
  empty_->setDetail(tr(
      "It is merged from the FOM modules of its components. You can also look at other modules, or "
      "drop files or a folder here."));
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
  row->addWidget(buildHistory(bar));
  auto* between = new QFrame(bar);
  between->setProperty("role", QByteArray("divider"));
  between->setFixedHeight(16);
  row->addWidget(between);
  row->addWidget(back_);
  row->addWidget(forward_);
  row->addSpacing(4);
  row->addWidget(crumbs_);
  row->addWidget(name_);
  origins_ = new PlaceButton(bar);
  origins_->setObjectName(QStringLiteral("itemOrigins"));
  connect(origins_, &QAbstractButton::clicked, this, &ObjectModelWorkspace::chooseOrigin);
  row->addWidget(place_);
  row->addWidget(origins_);
  row->addStretch(1);
  row->addWidget(views_);
  row->addWidget(exportButton);
  buildAddButton(bar, row);
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
  // Filled as soon as rows can be edited.
  glyphPlace_ = new QVBoxLayout;
  column->addLayout(glyphPlace_);
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
    menu.addActions(tableView_->editActions());
    if (tableRow->readOnly.isEmpty()) addNotesMenu(menu, *rows_, tableRow->ref);
    menu.addSeparator();
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
    } else if (tableRow.link == item_ && tableRow.where.line > 0) {
      // A name that no module defines: where this one uses it.
      showSource(text(loaded_.model->fileOf(tableRow.where)), tableRow.where.line);
    } else {
      select(tableRow.link);
    }
  });
  source_ = new SourceView(stack_);
  source_->setProvider([this](const QString& file) { return sourceOf(file); });
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
  theme::followRowSize(this, [this] { fitModules(); });
  const auto choose = [this](const QModelIndex& index) {
    if (!loaded_.model || !index.isValid()) return;
    // A click on the switch is about the switch.
    if (static_cast<ModuleDelegate*>(moduleView_->itemDelegate())->tookClick()) return;
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
    for (const FolderModule& module : project_->modules()) {
      if (module.path == path && module.line > 0) line = module.line;
    }
    showSource(path, line);
  };
  connect(moduleView_, &QAbstractItemView::clicked, this, choose);
  connect(moduleView_, &QAbstractItemView::activated, this, choose);
  moduleView_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(moduleView_, &QWidget::customContextMenuRequested, this,
          &ObjectModelWorkspace::showModuleMenu);
  auto* content = new QWidget(this);
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(moduleView_);
  moduleNote_ = new ElidedText(3, content);
  moduleNote_->setObjectName(QStringLiteral("moduleNote"));
  moduleNote_->hide();
  auto* noteRow = new QHBoxLayout;
  noteRow->setContentsMargins(12, 4, 12, 4);
  noteRow->addWidget(moduleNote_);
  column->addLayout(noteRow);
  connect(moduleView_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &ObjectModelWorkspace::showModuleNote);
  column->addWidget(buildSaving(content));
  // Not higher than its rows need.
  content->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  modulesDock_ =
      addPane(QStringLiteral("modulesPane"), tr("Modules"), content, Qt::LeftDockWidgetArea, 264);
  QToolButton* close = titleBar(modulesDock_)->addAction(closeAction_);
  close->hide();
  connect(closeAction_, &QAction::changed, close,
          [this, close] { close->setVisible(closeAction_->isVisible()); });
  titleBar(modulesDock_)->addAction(compareAction_);
  auto* more = new QMenu(this);
  more->addActions({newAction_, openAction_, openFolderAction_, mergeAction_});
  QToolButton* add = titleBar(modulesDock_)->addAction(openAction_);
  add->setMenu(more);
  add->setPopupMode(QToolButton::InstantPopup);
  add->setProperty("quietMenu", true);
  add->setToolTip(tr("Write a new module, or look at other ones"));
}

void ObjectModelWorkspace::fitModules() {
  const int row = theme::rowHeight(theme::height::kRowCompact);
  const int rows = std::clamp(modules_->rowCount(), 2, 8);
  // Of a folder more are looked at, to switch them.
  moduleView_->setMinimumHeight(std::min(rows, project_->isOpen() ? 6 : 4) * row);
  moduleView_->setMaximumHeight(rows * row + 2);
}

void ObjectModelWorkspace::buildDependencies() {
  dependencies_ = new DependencyView(this);
  dependencies_->setObjectName(QStringLiteral("dependencies"));
  dependencies_->setBackgroundRole(QPalette::Base);
  dependencies_->setAutoFillBackground(true);
  dependenciesDock_ = addPane(QStringLiteral("dependenciesPane"), tr("Dependencies"), dependencies_,
                              Qt::LeftDockWidgetArea, 264);
  connect(dependencies_, &DependencyView::chosen, this, [this](const QString& file) {
    if (loaded_.model) select(findItem(*loaded_.model, QStringLiteral("module:") + file));
  });
  connect(dependencies_, &DependencyView::detailsRequested, this, &ObjectModelWorkspace::showNeeds);
}

/// What the module of the pane Dependencies needs and offers, in the centre.
void ObjectModelWorkspace::showNeeds() {
  if (!loaded_.model) return;
  select(findItem(*loaded_.model, QStringLiteral("module:") + dependencies_->module()));
  views_->setCurrentIndex(UsesView);
  tableView_->setFocus(Qt::OtherFocusReason);
}

void ObjectModelWorkspace::showDependencies() {
  const std::uint32_t module =
      item_.kind == ItemKind::Module ? item_.id - 1 : itemPlace(*loaded_.model, item_).module;
  dependencies_->setModule(text(loaded_.model->modules()[module].file));
  titleBar(dependenciesDock_)->setCaption(dependencies_->caption());
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

  titleBar(classesDock_)->addAction(showModulesAction_);
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
  for (const Level level : {Level::Loads, Level::Strict, Level::Complete, Level::Described}) {
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
  findings_->setWithFixes(true);
  findingView_->setModel(findings_);
  findingView_->setMouseTracking(true);
  findingView_->header()->setStretchLastSection(false);
  findingView_->header()->setMinimumSectionSize(40);
  findingView_->header()->setSectionResizeMode(FindingModel::TextColumn, QHeaderView::Stretch);
  findingView_->header()->setSectionResizeMode(FindingModel::PlaceColumn, QHeaderView::Fixed);
  findingView_->header()->resizeSection(FindingModel::PlaceColumn, 180);
  findingView_->header()->setSectionResizeMode(FindingModel::FixColumn, QHeaderView::Fixed);
  findingView_->header()->resizeSection(FindingModel::FixColumn, 220);
  findingView_->addAction(copyAction_);
  fixAction_ = new QAction(tr("Apply the fix"), this);
  fixAction_->setObjectName(QStringLiteral("applyFix"));
  fixAction_->setToolTip(tr("Change the module so that the finding is gone; it is not saved yet"));
  fixAction_->setEnabled(false);
  findingView_->addAction(fixAction_);
  connect(fixAction_, &QAction::triggered, this,
          [this] { applyFix(findingView_->currentIndex()); });
  connect(findingView_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& current) {
            const Finding* finding = findings_->finding(current);
            fixAction_->setEnabled(finding != nullptr && !finding->fix.isNull());
          });
  findingView_->setContextMenuPolicy(Qt::ActionsContextMenu);
  column->addWidget(findingView_, 1);
  connect(copyAction_, &QAction::triggered, this, [this] {
    const QModelIndex index = findingView_->currentIndex();
    if (index.isValid()) {
      QGuiApplication::clipboard()->setText(index.data(FindingModel::FindingRole).toString());
    }
  });
  connect(findingView_, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) {
    const Finding* finding = findings_->finding(index);
    if (index.column() == FindingModel::FixColumn && finding && !finding->fix.isNull()) {
      applyFix(index);
    } else {
      activateFinding(index, index.column() == FindingModel::PlaceColumn);
    }
  });
  connect(findingView_, &QAbstractItemView::activated, this,
          [this](const QModelIndex& index) { activateFinding(index, true); });
  checksDock_ =
      addPane(QStringLiteral("checksPane"), tr("Checks"), content, Qt::BottomDockWidgetArea, 230);
  titleBar(checksDock_)->addAction(copyAction_);
}

}  // namespace tutti::fomedit
