// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/object_model_workspace.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QSaveFile>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "fom-editor/model/lists.h"
#include "fom-editor/model/merge_session.h"
#include "fom-editor/model/model_loader.h"
#include "fom-editor/model/module_needs.h"
#include "fom-editor/model/module_project.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/model/row_editor.h"
#include "fom-editor/model/tables.h"
#include "fom-editor/ui/cell_editors.h"
#include "fom-editor/ui/data_type_panel.h"
#include "fom-editor/ui/dependency_view.h"
#include "fom-editor/ui/glyph_box.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/module_page.h"
#include "fom-editor/ui/source_view.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/progress_line.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

using theme::Token;

ObjectModelWorkspace::ObjectModelWorkspace(QWidget* parent)
    : Workspace(QStringLiteral("object-model"), tr("Object model"), QStringLiteral("object-model"),
                parent),
      editing_(new ModuleEditing(this)),
      loader_(new ModelLoader(this)),
      comparer_(new ModelComparer(this)),
      modules_(new ModuleListModel(this)),
      outline_(new OutlineModel(this)),
      filter_(new OutlineFilter(this)),
      table_(new TableModel(this)),
      findings_(new FindingModel(this)) {
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
  connect(closeAction_, &QAction::triggered, this, [this] {
    if (commitCell() && editing_->mayClose(compositionPaths_)) closeOpenedModules();
  });
  exportAction_ =
      new QAction(theme::icon(QStringLiteral("export")), tr("Export the table as CSV…"), this);
  exportAction_->setObjectName(QStringLiteral("exportTable"));
  exportAction_->setToolTip(tr("Export the table as CSV"));
  connect(exportAction_, &QAction::triggered, this, &ObjectModelWorkspace::chooseExport);
  pagesAction_ = new QAction(theme::icon(QStringLiteral("export")), tr("Export as pages…"), this);
  pagesAction_->setObjectName(QStringLiteral("exportPages"));
  pagesAction_->setToolTip(tr("Write the object model as pages for a browser"));
  connect(pagesAction_, &QAction::triggered, this, &ObjectModelWorkspace::choosePages);
  copyAction_ = new QAction(theme::icon(QStringLiteral("copy")), tr("Copy the finding"), this);
  copyAction_->setObjectName(QStringLiteral("copyFinding"));
  copyAction_->setToolTip(tr("Copy the selected finding with its places"));
  copyAction_->setShortcut(QKeySequence::Copy);
  copyAction_->setShortcutContext(Qt::WidgetWithChildrenShortcut);

  buildEditing();
  buildProject();
  buildOrigins();
  buildDivision();
  buildComparison();
  buildMerge();
  buildCentre();
  buildModules();
  buildDependencies();
  buildClasses();
  buildNewComponent();
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
  buildRowEditing();
  buildModulePages();

  connect(loader_, &ModelLoader::loaded, this, &ObjectModelWorkspace::show);
  // What was loaded while a cell was edited.
  connect(qApp, &QApplication::focusChanged, this, [this] {
    if (isCellEdited()) return;
    const bool usage = std::exchange(usageWaits_, false);
    if (waiting_) {
      fill(*std::exchange(waiting_, std::nullopt));
    } else if (usage) {
      fillCentre();
    }
  });
  fillCentre();
}

ObjectModelWorkspace::~ObjectModelWorkspace() { editing_->disconnect(this); }

void ObjectModelWorkspace::setModules(const QStringList& paths) {
  compositionPaths_ = paths;
  if (!openedByHand_) load(paths);
}

void ObjectModelWorkspace::openModules(const QStringList& paths) {
  project_->close();
  beside_.clear();
  openedByHand_ = true;
  closeAction_->setVisible(true);
  load(paths);
}

void ObjectModelWorkspace::closeOpenedModules() {
  project_->close();
  beside_.clear();
  openedByHand_ = false;
  closeAction_->setVisible(false);
  load(compositionPaths_);
}

void ObjectModelWorkspace::load(const QStringList& asked) {
  QStringList paths = asked;
  const OpenModules& modules = editing_->modules();
  requestedTexts_.clear();
  requestedOnDisk_.clear();
  for (int i = 0; i < modules.count(); ++i) {
    requestedOnDisk_.insert(modules.path(i), modules.onDisk(i));
    // Of a file that is gone this page has the last copy.
    if (!modules.isModified(i) && !modules.isGone(i)) continue;
    // What is not saved stays open, whoever does not ask for it any more.
    if (modules.isModified(i) && !paths.contains(modules.path(i))) paths << modules.path(i);
    requestedTexts_.insert(modules.path(i), modules.bytes(i));
  }
  requestedPaths_ = paths;
  reading_->setProgress(
      tr("Reading %1")
          .arg(theme::formatNoun(static_cast<int>(paths.size()), tr("module"), tr("modules"))));
  loader_->load(paths, requestedTexts_);
}

void ObjectModelWorkspace::cancelReading() {
  if (comparer_->isComparing()) {
    comparer_->cancel();
    reading_->setProgress({});
    return;
  }
  if (project_->isOpening()) {
    project_->cancelOpening();
    reading_->setProgress({});
    return;
  }
  if (merge_ != nullptr && merge_->isMerging() && !loader_->isLoading()) {
    merge_->cancel();
    reading_->setProgress({});
    return;
  }
  loader_->cancel();
  reading_->setProgress({});
  // The page is about what it shows.
  openedByHand_ = shownByHand_;
  closeAction_->setVisible(openedByHand_);
  titleBar(modulesDock_)->setCaption(tr("as before: reading was cancelled"));
  // Its new module may not come any more.
  if (extraction_.created) dropExtraction(tr("Reading was cancelled."));
  // An edit that was made meanwhile was to be read with the rest.
  requestedTexts_.clear();
  if (hasUnsavedEdits()) checkEdited();
}

bool ObjectModelWorkspace::isLoading() const {
  return loader_->isLoading() || project_->isOpening();
}

void ObjectModelWorkspace::setUsageProvider(UsageProvider* provider) {
  if (usage_) disconnect(usage_, nullptr, this, nullptr);
  usage_ = provider;
  if (provider != nullptr) {
    connect(provider, &UsageProvider::changed, this, [this] {
      usageWaits_ = isCellEdited();
      if (!usageWaits_) fillCentre();
    });
  }
  fillCentre();
}

void ObjectModelWorkspace::show(const LoadedModel& loaded) {
  reading_->setProgress({});
  const OpenModules& modules = editing_->modules();
  for (const int module : modules.modified()) {
    // An edit of a module that was about to be closed.
    if (!loaded.paths.contains(modules.path(module))) return load(loaded.paths);
  }
  adopt(loaded);
  shownByHand_ = openedByHand_;
  if (isCellEdited() && loaded_.paths == loaded.paths) {
    waiting_ = loaded;
  } else {
    waiting_.reset();
    fill(loaded);
  }
  continueExtraction();
}

/// Whether a cell is edited; its editor would close when the page is filled. Not the focus tells:
/// the window may have none at the moment.
bool ObjectModelWorkspace::isCellEdited() const {
  // The editors of labels are children of the window.
  const auto anyOpen = [](const auto& fields) {
    return std::any_of(fields.begin(), fields.end(),
                       [](const auto* each) { return each->isOpen() && !each->isHidden(); });
  };
  return anyOpen(window()->findChildren<CellField*>()) ||
         anyOpen(window()->findChildren<ProseField*>());
}

/// Takes what is written in a cell. False: it is refused, and the cell says why.
bool ObjectModelWorkspace::commitCell() {
  for (CellField* field : window()->findChildren<CellField*>()) {
    if (!field->isHidden()) field->commit();
  }
  for (ProseField* field : window()->findChildren<ProseField*>()) {
    if (!field->isHidden()) field->commit();
  }
  glyph_->commit();
  return !isCellEdited();
}

/// What to select: what an edit is about, what was selected, or what is left of where it was.
Item ObjectModelWorkspace::itemAfter(const LoadedModel& loaded, const QString& before) const {
  Item item = findItem(*loaded.model, itemToShow_);
  QString path = before;
  while (item.isNull() && !path.isEmpty()) {
    item = findItem(*loaded.model, path);
    path = path.left(std::max(0, static_cast<int>(path.lastIndexOf(u'.'))));
  }
  if (!item.isNull() || loaded.paths.isEmpty()) return item;
  // The first class of the modules themselves says more than the root.
  for (const omt::ObjectClass& c : loaded.model->objectClasses()) {
    if (!loaded.model->modules()[c.where.module].isMim && !c.attributes.empty()) {
      return {ItemKind::ObjectClass, c.handle};
    }
  }
  return {ItemKind::ObjectClass, omt::objectRootHandle};
}

void ObjectModelWorkspace::fill(const LoadedModel& loaded) {
  const QString before = currentItem();
  const bool first = !loaded_.model || loaded_.paths.isEmpty();
  const bool sameFiles = loaded_.paths == loaded.paths;
  const Item next = itemAfter(loaded, before);
  // Modules of a folder were switched, or came and went.
  const bool sameProject =
      sameFiles || (project_->isOpen() && std::any_of(loaded.paths.cbegin(), loaded.paths.cend(),
                                                      [this](const QString& path) {
                                                        return loaded_.paths.contains(path);
                                                      }));
  const bool sameItem = sameFiles && itemPath(*loaded.model, next) == before;
  itemToShow_.clear();
  // What is looked at stays where it is.
  QList<std::pair<QAbstractItemView*, int>> places;
  if (sameFiles) {
    for (QAbstractItemView* area :
         std::initializer_list<QAbstractItemView*>{outlineView_, findingView_, tableView_}) {
      if (area == tableView_ && !sameItem) continue;
      places.append({area, area->verticalScrollBar()->value()});
    }
  }
  const int column = tableView_->currentIndex().column();
  setUpdatesEnabled(false);
  filling_ = true;
  loaded_ = loaded;
  if (!sameFiles) source_->forget();
  listModules();
  outline_->setLoadedModel(loaded);
  findings_->setFindings(loaded.findings);
  rows_->setModel(loaded.model);
  dataType_->setModel(loaded.model);
  dependencies_->setGraph(loaded.dependencies);
  filling_ = false;

  showEdits();
  titleBar(classesDock_)
      ->setCaption(loaded.paths.isEmpty() ? tr("only the standard's")
                                          : tr("%1 object, %2 interaction")
                                                .arg(loaded.objectClassCount())
                                                .arg(loaded.interactionClassCount()));
  titleBar(checksDock_)
      ->setCaption(loaded.paths.isEmpty()
                       ? QString()
                       : tr("read and checked in %1").arg(theme::formatDuration(loaded.seconds)));
  if (first || !sameProject) expandDefaults();
  restoreExpanded();
  if (filtering_) applyFilter(search_->text());
  fillChecks();

  compareAction_->setEnabled(!loaded.paths.isEmpty());
  newComponentAction_->setEnabled(!loaded.paths.isEmpty());
  joinAction_->setEnabled(!loaded.paths.isEmpty());
  extractAction_->setEnabled(!loaded.paths.isEmpty());
  if (!isAside()) pageStack_->setCurrentIndex(loaded.paths.isEmpty() ? 0 : 1);
  if (!sameProject) {
    history_.clear();
    historyAt_ = -1;
  }
  item_ = {};
  refreshing_ = sameItem;
  select(next);
  refreshing_ = false;
  if (sameItem && column > 0 && tableView_->currentIndex().isValid()) {
    tableView_->setCurrentIndex(tableView_->currentIndex().siblingAtColumn(column));
  }
  for (const auto& [area, value] : std::as_const(places)) {
    area->doItemsLayout();
    area->verticalScrollBar()->setValue(value);
  }
  const QModelIndex current = outlineView_->currentIndex();
  if (sameFiles &&
      !outlineView_->viewport()->rect().intersects(outlineView_->visualRect(current))) {
    outlineView_->scrollTo(current);
  }
  setUpdatesEnabled(true);

  const int errors = loaded.count(Level::Loads);
  const int warnings = loaded.count(Level::Strict) + loaded.count(Level::Complete);
  setBadge(errors > 0 ? theme::State::Error : theme::State::Warning,
           errors > 0 ? errors : warnings);
  Q_EMIT commandLineChanged();
  Q_EMIT statusNotesChanged();
  Q_EMIT modelShown();
}

QString ObjectModelWorkspace::currentItem() const {
  return loaded_.model ? itemPath(*loaded_.model, item_) : QString();
}

QString ObjectModelWorkspace::viewTitle(int view) const {
  if (view == SourceTab) return tr("Source");
  if (view == UsesView) {
    if (item_.kind == ItemKind::Module) return tr("Needs and offers");
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
  place_->setPlace(placeText(m, where));
  place_->setVisible(where.line > 0);
  showOriginCount();
  tableView_->setAccent(item_.kind == ItemKind::InteractionClass ? Token::Series2 : Token::Series1);
  fillFacts();
  showAddButton();
  showGlyph();

  const int view = views_->currentIndex();
  if (view == SourceTab) {
    const QString file = text(m.fileOf(where));
    const QString shown = where.line > 0 ? file : text(m.modules().back().file);
    if (refreshing_ && source_->file() == shown) {
      source_->refresh();
    } else {
      source_->showPlace(shown, std::max(1, where.line));
    }
    stack_->setCurrentWidget(source_);
  } else if (ModulePage* page = modulePage()) {
    showModulePage(page);
  } else {
    Table table = shownTable();
    for (TableRow& row : table.rows) {
      if (row.isSection || row.where.line <= 0) continue;
      row.toolTip +=
          (row.toolTip.isEmpty() ? QString() : QStringLiteral("\n")) + placeText(m, row.where);
    }
    const QString member = table_->table().title == table.title ? currentMember() : QString();
    table_->setTable(table);
    chooseRow(member);
    if (table_->rowCount() == 0) {
      tableEmpty_->setSentence(table.empty);
      stack_->setCurrentWidget(tableEmpty_);
    } else {
      stack_->setCurrentWidget(tableView_);
    }
  }
  filling_ = false;
}

/// What the view that is chosen says of the item.
Table ObjectModelWorkspace::shownTable() const {
  const omt::ObjectModel& m = *loaded_.model;
  if (views_->currentIndex() != UsesView) return tableOf(m, item_);
  if (item_.kind != ItemKind::Module) return usesOf(m, item_, usage_);
  return needsAndOffers(m, *loaded_.dependencies, text(m.modules()[item_.id - 1].file));
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
    makeFactEditable(value, fact);
    column->addWidget(value);
    column->addStretch(1);
    facts_->addWidget(box);
  }
  const QString semantics = semanticsOf(*loaded_.model, item_);
  const bool described = isClass(item_) || item_.kind == ItemKind::DataType;
  semantics_->setText(semantics.isEmpty() ? tr("–") : semantics);
  const RowRef row = described ? rowOf(*loaded_.model, item_) : RowRef{};
  QString reason = readOnlyReason(*loaded_.model, itemPlace(*loaded_.model, item_));
  if (reason.isEmpty() && !row.isNull()) {
    reason = rows_->readOnlyReason(row, QStringLiteral("semantics"));
  }
  semantics_->setCell(rows_, reason.isEmpty() ? row : RowRef{}, QStringLiteral("semantics"));
  semantics_->setToolTip(reason);
  semanticsBox_->setVisible(described);
  factsBar_->setVisible(described || !facts.isEmpty());
}

void ObjectModelWorkspace::fillChecks() {
  const int errors = loaded_.count(Level::Loads);
  const int refused = loaded_.count(Level::Strict);
  const int missing = loaded_.count(Level::Complete);
  const int bare = loaded_.count(Level::Described);
  const auto findings = [](int count) {
    return count == 1 ? tr("1 finding") : tr("%1 findings").arg(count);
  };
  cards_[0]->setResult(errors > 0 ? theme::State::Error : theme::State::Ok,
                       errors == 1  ? tr("1 finding stops a run")
                       : errors > 0 ? tr("%1 stop a run").arg(findings(errors))
                                    : tr("nothing stops a run"));
  cards_[1]->setResult(refused > 0 ? theme::State::Warning : theme::State::Ok,
                       refused > 0 ? findings(refused) : tr("no known rule is broken"));
  cards_[2]->setResult(missing > 0 ? theme::State::Warning : theme::State::Ok,
                       missing > 0 ? findings(missing) : tr("nothing is missing"));
  cards_[3]->setResult(bare > 0 ? theme::State::Info : theme::State::Ok,
                       bare > 0 ? findings(bare) : tr("everything is there"));
  if (loaded_.paths.isEmpty()) {
    for (LevelCard* card : std::as_const(cards_)) {
      card->setResult(theme::State::Idle, tr("no modules to check"));
    }
  }
  bool fixes = false;
  for (int row = 0; row < findings_->rowCount() && !fixes; ++row) {
    fixes = !findings_->finding(findings_->index(row, 0))->fix.isNull();
  }
  findingView_->setColumnHidden(FindingModel::FixColumn, !fixes);
  const bool none = findings_->rowCount() == 0;
  noFinding_->setVisible(none);
  noFinding_->setText(loaded_.paths.isEmpty() ? tr("Findings about the modules appear here.")
                      : findings_->level() < 0
                          ? tr("The modules fit together; there is nothing to say about them.")
                          : tr("There is nothing to say here."));
  findingView_->setVisible(!none);
  copyAction_->setEnabled(!none);
}

void ObjectModelWorkspace::chooseModules() {
  const QStringList files = QFileDialog::getOpenFileNames(
      this, tr("Open FOM modules"),
      loaded_.paths.isEmpty() ? QString() : QFileInfo(loaded_.paths.front()).path(),
      tr("FOM modules (*.xml *.fdd *.fed *.omt *.omd);;All files (*)"));
  if (!files.isEmpty() && commitCell() && editing_->mayClose(files)) openModules(files);
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
  const ModulePage* page = modulePage();
  const Table table =
      views_->currentIndex() != UsesView && page != nullptr ? page->table() : shownTable();
  QSaveFile file(path);
  const bool written = file.open(QIODevice::WriteOnly) && file.write(toCsv(table)) >= 0 &&
                       file.flush() && file.commit();
  if (!written && error != nullptr) *error = file.errorString();
  return written;
}

}  // namespace tutti::fomedit
