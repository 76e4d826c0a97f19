// SPDX-License-Identifier: GPL-3.0-or-later
// How one moves in an object model: filter, selection, history, problems, and what Ctrl+K finds.
#include <QAction>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QMouseEvent>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>

#include "fom-editor/model/command_line.h"
#include "fom-editor/model/lists.h"
#include "fom-editor/model/merge_session.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/model/row_editor.h"
#include "fom-editor/ui/comparison_page.h"
#include "fom-editor/ui/data_type_panel.h"
#include "fom-editor/ui/declaration_pair.h"
#include "fom-editor/ui/merge_page.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/module_page.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/source_view.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

namespace {

/// Lists of more rows stay closed until somebody opens them.
constexpr int kOpenUpTo = 12;

}  // namespace

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
    beforeFilter_ = currentItem();
    previewing_ = true;
  }
  // The model may have been read again meanwhile.
  const Item before =
      previewing_ && loaded_.model ? findItem(*loaded_.model, beforeFilter_) : Item{};
  const Item keep = !filtering_ && !before.isNull() ? before : item_;
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
  if (!item_.isNull()) {
    // What is written belongs to what is shown until now; a cell that refuses it stays open.
    if (!commitCell()) return;
    // Where the person goes counts, not what was edited before.
    itemToShow_.clear();
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
    if (!mine) continue;
    moduleView_->setCurrentIndex(modules_->index(row));
    rows_->prefer(modules_->index(row).data(ModuleListModel::PathRole).toString());
  }
  if (item.kind != ItemKind::Module) moduleView_->selectionModel()->clear();
  showDependencies();
  if (item.kind == ItemKind::DataType) dataType_->showDataType(itemName(*loaded_.model, item));
  if (views_->currentIndex() == UsesView && !hasUses(item) && item.kind != ItemKind::Module) {
    filling_ = true;
    views_->setCurrentIndex(MembersView);
    filling_ = false;
  }
  fillCentre();
}

void ObjectModelWorkspace::showSource(const QString& file, int line) {
  filling_ = true;
  views_->setCurrentIndex(SourceTab);
  filling_ = false;
  pageStack_->setCurrentIndex(1);
  source_->showPlace(file, line);
  place_->setPlace(placeText(file, line));
  place_->show();
  stack_->setCurrentWidget(source_);
}

void ObjectModelWorkspace::activateFinding(const QModelIndex& index, bool source) {
  const Finding* found = findings_->finding(index);
  if (found == nullptr || !loaded_.model) return;
  const Finding finding = *found;
  const Item item = findItem(*loaded_.model, finding.item);
  if (!item.isNull()) select(item);
  if (!source && DeclarationPair::isFor(finding)) {
    showDeclarations(finding);
    return;
  }
  // What is not part of the model can only be shown as text.
  if ((source || item.isNull()) && finding.line > 0) showSource(finding.file, finding.line);
}

void ObjectModelWorkspace::showNextProblem(int direction) {
  if (merging_) {
    mergePage_->step(direction);
    return;
  }
  if (comparing_) {
    comparison_->step(direction);
    return;
  }
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
  if (!commitCell()) return;
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
  if (isAside() && event->key() == Qt::Key_Escape) {
    closeMerge();
    closeComparison();
    return;
  }
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

QString ObjectModelWorkspace::commandLine() const {
  if (merging_) return mergeCommandLine();
  if (!comparing_) return fomCheckCommandLine(loaded_.paths);
  const ComparisonRequest& request = comparison_->comparison()->request;
  return fomDiffCommandLine(request.before, request.after);
}

QStringList ObjectModelWorkspace::statusNotes() const {
  if (merging_) {
    if (!merge_->state() || mergePage_->isAsking()) return {};
    return {tr("exit code %1").arg(merge_->open() > 0 ? 1 : 0)};
  }
  if (comparing_) {
    return {tr("exit code %1").arg(comparison_->comparison()->report.difference.isEmpty() ? 0 : 1)};
  }
  if (loaded_.paths.isEmpty()) return {};
  QStringList notes{tr("exit code %1").arg(loaded_.count(Level::Loads) > 0 ? 1 : 0)};
  if (const QString unsaved = editing_->note(); !unsaved.isEmpty()) notes.prepend(unsaved);
  return notes;
}

void ObjectModelWorkspace::provideFinds(QList<theme::FindEntry>& into) const {
  provideMergeFinds(into);
  if (!loaded_.model) return;
  const omt::ObjectModel& m = *loaded_.model;
  auto* self = const_cast<ObjectModelWorkspace*>(this);
  if (isClass(item_) && addMember_->isEnabled()) {
    theme::FindEntry entry;
    entry.title = addMember_->accessibleName();
    entry.detail = itemName(m, item_);
    entry.kind = tr("Action");
    entry.iconName = QStringLiteral("add");
    entry.activate = [self] { self->addMember_->click(); };
    into << entry;
  }
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
  for (const ItemKind kind : {ItemKind::Sharing, ItemKind::Services, ItemKind::Notes}) {
    add({kind, 0}, tr("table of the object model"), tr("Table"), QStringLiteral("object-model"));
  }
}

QHash<QString, QList<QAction*>> ObjectModelWorkspace::menuActions() const {
  return {{QStringLiteral("Tools"),
           {newAction_, openAction_, openFolderAction_, closeAction_, exportAction_, pagesAction_,
            compareAction_, mergeAction_, editing_->showEditsAction(), newComponentAction_,
            joinAction_, extractAction_, showModulesAction_}}};
}

void ObjectModelWorkspace::focusFilter() {
  if (merging_) {
    mergePage_->focusConflicts();
    return;
  }
  if (comparing_) {
    comparison_->focusFilter();
    return;
  }
  // Within a table that can be filtered, that table.
  ModulePage* page = modulePage();
  QWidget* field = page != nullptr && page->isVisible() ? page->searchField() : nullptr;
  QWidget* focused = window()->focusWidget();
  if (field != nullptr && focused != nullptr && page->isAncestorOf(focused)) {
    field->setFocus(Qt::ShortcutFocusReason);
    return;
  }
  classesDock_->show();
  classesDock_->raise();
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void ObjectModelWorkspace::showItem(const QString& path) {
  if (!loaded_.model) return;
  const Item item = findItem(*loaded_.model, path);
  if (item.isNull()) return;
  closeMerge();
  closeComparison();
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
