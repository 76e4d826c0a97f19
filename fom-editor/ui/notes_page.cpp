// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/notes_page.h"

#include <QAction>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "fom-editor/model/open_modules.h"
#include "fom-editor/model/row_editor.h"
#include "fom-editor/ui/cell_editing.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

using theme::Palette;
using theme::TextStyle;
using theme::Token;

namespace {

QString placesText(qsizetype count) {
  return count == 0 ? QObject::tr("not used")
                    : theme::formatNoun(static_cast<int>(count), QObject::tr("place"),
                                        QObject::tr("places"));
}

QString useText(const NoteUse& use) {
  return use.cell.isEmpty() ? use.subject : QObject::tr("%1 of %2").arg(use.cell, use.subject);
}

}  // namespace

// NoteModel

void NoteModel::setNotes(const QString& path, const QList<NoteEntry>& notes, bool editable) {
  const bool sameRows =
      path == path_ && editable == editable_ && words_.isEmpty() &&
      std::equal(notes.begin(), notes.end(), notes_.begin(), notes_.end(),
                 [](const NoteEntry& a, const NoteEntry& b) {
                   return a.uses.size() == b.uses.size() && a.isMissing == b.isMissing;
                 });
  if (sameRows) {
    notes_ = notes;
    for (int row = 0; row < rowCount(); ++row) {
      const QModelIndex top = index(row, 0);
      Q_EMIT dataChanged(top, top.siblingAtColumn(ColumnCount - 1));
      if (rowCount(top) == 0) continue;
      Q_EMIT dataChanged(index(0, 0, top), index(rowCount(top) - 1, ColumnCount - 1, top));
    }
    return;
  }
  beginResetModel();
  path_ = path;
  notes_ = notes;
  editable_ = editable;
  select();
  endResetModel();
}

void NoteModel::setFilter(const QString& words) {
  const QStringList list = words.split(u' ', Qt::SkipEmptyParts);
  if (list == words_) return;
  beginResetModel();
  words_ = list;
  select();
  endResetModel();
}

void NoteModel::select() {
  shown_.clear();
  for (qsizetype i = 0; i < notes_.size(); ++i) {
    QString search = notes_[i].label + u'\n' + notes_[i].semantics;
    for (const NoteUse& use : notes_[i].uses) search += u'\n' + use.subject;
    const bool matches = std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
      return search.contains(word, Qt::CaseInsensitive);
    });
    if (matches) shown_.push_back(i);
  }
}

const NoteEntry* NoteModel::note(const QModelIndex& at) const {
  if (!at.isValid() || at.internalId() != 0) return nullptr;
  return &notes_[shown_[static_cast<std::size_t>(at.row())]];
}

const NoteUse* NoteModel::use(const QModelIndex& at) const {
  if (!at.isValid() || at.internalId() == 0) return nullptr;
  return &notes_[shown_[at.internalId() - 1]].uses[at.row()];
}

RowRef NoteModel::refOf(const QModelIndex& at) const {
  const NoteEntry* entry = note(at);
  if (entry == nullptr || entry->isMissing) return {};
  return {RowKind::Note, path_, entry->label, -1, -1};
}

QString NoteModel::cellOf(const QModelIndex& at) const {
  const NoteEntry* entry = note(at);
  if (entry == nullptr || entry->isMissing || !editable_) return {};
  return at.column() == LabelColumn       ? QStringLiteral("name")
         : at.column() == SemanticsColumn ? QStringLiteral("semantics")
                                          : QString();
}

QModelIndex NoteModel::indexOf(const QString& label) const {
  for (int row = 0; row < rowCount(); ++row) {
    if (note(index(row, 0))->label == label) return index(row, 0);
  }
  return {};
}

QModelIndex NoteModel::index(int row, int column, const QModelIndex& above) const {
  if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(above)) return {};
  return createIndex(row, column,
                     above.isValid() ? static_cast<quintptr>(above.row()) + 1 : quintptr{0});
}

QModelIndex NoteModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == 0) return {};
  return createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr{0});
}

int NoteModel::rowCount(const QModelIndex& above) const {
  if (!above.isValid()) return static_cast<int>(shown_.size());
  if (above.internalId() != 0 || above.column() != 0) return 0;
  return static_cast<int>(note(above)->uses.size());
}

QVariant NoteModel::data(const QModelIndex& at, int role) const {
  if (role == RefusalRole) return refusal_;
  if (const NoteUse* where = use(at)) {
    if (role == Qt::AccessibleTextRole) return useText(*where);
    if (role != Qt::DisplayRole) return {};
    if (at.column() == LabelColumn) return where->subject;
    if (at.column() == SemanticsColumn) return where->cell.isEmpty() ? tr("the row") : where->cell;
    return tr("line %1").arg(where->line);
  }
  const NoteEntry* entry = note(at);
  if (entry == nullptr) return {};
  switch (role) {
    case Qt::DisplayRole:
      if (at.column() == LabelColumn) return entry->label;
      if (at.column() == UsedColumn) return placesText(entry->uses.size());
      return entry->isMissing ? tr("The module has no note of that label.") : entry->semantics;
    case Qt::EditRole: {
      const QString cell = cellOf(at);
      return cell.isEmpty() || writer_ == nullptr ? data(at, Qt::DisplayRole)
                                                  : QVariant(writer_->cell(refOf(at), cell));
    }
    case Qt::ToolTipRole:
      return at.column() == SemanticsColumn ? QVariant(theme::wrappedTip(entry->semantics))
                                            : QVariant();
    default:
      return {};
  }
}

QVariant NoteModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == LabelColumn       ? tr("Note")
         : section == SemanticsColumn ? tr("Semantics")
                                      : tr("Used in");
}

Qt::ItemFlags NoteModel::flags(const QModelIndex& at) const {
  const Qt::ItemFlags flags = QAbstractItemModel::flags(at);
  return cellOf(at).isEmpty() ? flags : flags | Qt::ItemIsEditable;
}

bool NoteModel::setData(const QModelIndex& at, const QVariant& value, int role) {
  const QString cell = cellOf(at);
  refusal_.clear();
  if (role != Qt::EditRole || cell.isEmpty() || writer_ == nullptr) return false;
  const auto done = writer_->setCell(refOf(at), cell, value.toString());
  if (!done) {
    refusal_ = done.error();
    return false;
  }
  return true;
}

// NoteDelegate

NoteDelegate::NoteDelegate(QObject* parent) : RowDelegate(parent, theme::height::kRowCompact) {}

QWidget* NoteDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                    const QModelIndex& index) const {
  return editing_ != nullptr ? editing_->create(parent, index) : nullptr;
}

void NoteDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                        const QModelIndex&) const {
  if (editing_ != nullptr) editing_->place(editor, option.rect);
}

void NoteDelegate::paintContent(QPainter& painter, const QRect& content,
                                const QStyleOptionViewItem&, const QModelIndex& index,
                                const Palette& palette) const {
  const auto* model = qobject_cast<const NoteModel*>(index.model());
  if (model == nullptr) return;
  QRect rest = content;
  const NoteEntry* entry = model->note(index.siblingAtColumn(0));
  if (entry == nullptr) {
    const bool link = index.column() == NoteModel::LabelColumn &&
                      !model->use(index.siblingAtColumn(0))->item.isEmpty();
    paintText(painter, rest, index.data().toString(),
              palette[link ? Token::TextLink : Token::TextSecondary], textFont(TextStyle::Table),
              Qt::AlignLeft);
    return;
  }
  if (entry->isMissing && index.column() == NoteModel::LabelColumn) {
    theme::paintState(painter, QRectF(rest.left(), rest.center().y() - 7, 14, 14),
                      theme::State::Warning, palette);
    rest.setLeft(rest.left() + 20);
  }
  const bool muted = index.column() == NoteModel::UsedColumn;
  paintText(painter, rest, index.data().toString(),
            palette[muted ? Token::TextSecondary : Token::TextPrimary],
            textFont(index.column() == 0 ? TextStyle::Label : TextStyle::Table), Qt::AlignLeft);
}

// NotesPage

NotesPage::NotesPage(RowEditor& rows, OpenModules& modules, QWidget* parent)
    : ModulePage(QStringLiteral("notes"), rows, modules, false, parent),
      model_(new NoteModel(this)) {
  search_ = new theme::SearchField(tr("Note, or where it is used"), {}, this);
  search_->setObjectName(QStringLiteral("notesSearch"));
  search_->setAccessibleName(tr("Filter notes"));
  search_->setMinimumWidth(150);
  search_->setMaximumWidth(240);
  search_->setProperty("dense", true);
  bar()->addWidget(search_, 3);
  bar()->addStretch(1);

  tree_ = new ModuleTree(QStringLiteral("notesTree"), this);
  tree_->setAccessibleName(tr("Notes"));
  auto* delegate = new NoteDelegate(tree_);
  tree_->setItemDelegate(delegate);
  tree_->setModel(model_);
  tree_->header()->setSectionResizeMode(NoteModel::SemanticsColumn, QHeaderView::Stretch);
  tree_->header()->resizeSection(NoteModel::LabelColumn, 300);
  tree_->header()->resizeSection(NoteModel::UsedColumn, 110);
  search_->setFocusTarget(tree_);
  editing_ = new CellEditing(tree_);
  delegate->setEditing(editing_);
  model_->setWriter(&rows);
  editing_->setEditor(&rows, [this](const QModelIndex& index) {
    return CellEditing::Target{model_->refOf(index), model_->cellOf(index)};
  });
  none_ = new theme::EmptyView(QString(), this);
  none_->setObjectName(QStringLiteral("notesEmpty"));
  addFirst_ = none_->setButton(tr("Add a note"));
  addFirst_->setObjectName(QStringLiteral("notesAddFirst"));
  stack_ = new QStackedWidget(this);
  stack_->addWidget(tree_);
  stack_->addWidget(none_);
  column()->addWidget(stack_, 1);

  const auto action = [&](const char* icon, const QString& text, const char* name, int key) {
    auto* made = new QAction(text, tree_);
    if (*icon != '\0') made->setIcon(theme::icon(QLatin1String(icon)));
    made->setObjectName(QLatin1String(name));
    made->setShortcut(QKeySequence(key));
    made->setShortcutContext(Qt::WidgetShortcut);
    tree_->addAction(made);
    return made;
  };
  edit_ = action("", tr("Edit the cell"), "editNote", Qt::Key_F2);
  add_ = action("add", tr("Add a note"), "addNote", Qt::Key_Insert);
  remove_ = action("remove", tr("Remove the note"), "removeNote", Qt::Key_Delete);
  remove_->setAutoRepeat(false);
  auto* add = new QPushButton(theme::icon(QStringLiteral("add")), tr("Note"), this);
  add->setObjectName(QStringLiteral("notesAdd"));
  add->setToolTip(tr("Add a note (Insert)"));
  bar()->addWidget(add);
  connect(add, &QPushButton::clicked, this, &NotesPage::addNote);
  connect(add_, &QAction::changed, add, [this, add] { add->setEnabled(add_->isEnabled()); });
  connect(none_, &theme::EmptyView::buttonClicked, this, &NotesPage::addNote);
  connect(edit_, &QAction::triggered, this, [this] { edit(tree_->currentIndex()); });
  connect(add_, &QAction::triggered, this, &NotesPage::addNote);
  connect(remove_, &QAction::triggered, this, &NotesPage::removeCurrent);
  connect(tree_, &QAbstractItemView::activated, this, &NotesPage::activate);
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &NotesPage::updateActions);
  connect(model_, &QAbstractItemModel::modelReset, tree_, &QTreeView::expandAll);
  connect(tree_, &QWidget::customContextMenuRequested, this, &NotesPage::showMenu);
  connect(search_, &QLineEdit::textChanged, this, [this] {
    model_->setFilter(search_->text());
    refresh();
  });
  connect(search_, &theme::SearchField::leftDownward, this,
          [this] { tree_->setFocus(Qt::OtherFocusReason); });
  connect(editing_, &CellEditing::left, this,
          [this] { QMetaObject::invokeMethod(this, &NotesPage::update, Qt::QueuedConnection); });
}

QWidget* NotesPage::mainView() const { return tree_; }

QWidget* NotesPage::searchField() const { return search_; }

Table NotesPage::table() const {
  Table table;
  table.title = QFileInfo(modules().path(module())).completeBaseName() + QStringLiteral(" notes");
  table.headers << tr("Note") << tr("Semantics") << tr("Used in");
  const ModuleSource* source = module() < 0 ? nullptr : modules().readableSource(module());
  if (source == nullptr) return table;
  for (const NoteEntry& note : notesOf(*source)) {
    QStringList places;
    for (const NoteUse& use : note.uses) places << useText(use);
    TableRow row;
    row.cells << note.label << note.semantics << places.join(QStringLiteral("; "));
    table.rows << row;
  }
  return table;
}

/// One that has notes, else the first.
int NotesPage::firstModule() const {
  for (int m = 0; m < modules().count(); ++m) {
    const ModuleSource* source = modules().readableSource(m);
    if (source != nullptr && !noteLabels(*source).isEmpty()) return m;
  }
  return -1;
}

void NotesPage::refresh() {
  if (editing_->isOpen()) return;  // again as soon as it is left
  const ModuleSource* source = module() < 0 ? nullptr : modules().readableSource(module());
  const QString reason = module() < 0 ? QString() : modules().readOnlyReason(module());
  const bool editable = source != nullptr && reason.isEmpty();
  const NoteEntry* before = model_->note(tree_->currentIndex());
  const QString label = before != nullptr ? before->label : QString();
  const int column = std::max(0, tree_->currentIndex().column());
  model_->setNotes(modules().path(module()),
                   source != nullptr ? notesOf(*source) : QList<NoteEntry>{}, editable);
  if (!tree_->currentIndex().isValid() && model_->rowCount() > 0) {
    QModelIndex again = model_->indexOf(label);
    if (!again.isValid()) again = model_->index(0, 0);
    tree_->setCurrentIndex(again.siblingAtColumn(column));
  }
  const QString name = QFileInfo(modules().path(module())).fileName();
  addFirst_->setVisible(model_->count() == 0);
  addFirst_->setEnabled(editable);
  none_->setSentence(module() < 0          ? tr("Open a module to see its notes.")
                     : model_->count() > 0 ? tr("No note fits. Clear the filter.")
                                           : tr("%1 has no notes.").arg(name));
  none_->setDetail(model_->count() > 0 || module() < 0 ? QString()
                   : reason.isEmpty() ? tr("A note says once what several rows have in common.")
                                      : reason);
  stack_->setCurrentWidget(model_->rowCount() == 0 ? static_cast<QWidget*>(none_) : tree_);
  add_->setEnabled(editable);
  updateActions();
  if (toEdit_.isEmpty()) return;
  const QModelIndex added = model_->indexOf(toEdit_);
  toEdit_.clear();
  if (!added.isValid()) return;
  tree_->setCurrentIndex(added.siblingAtColumn(NoteModel::SemanticsColumn));
  QMetaObject::invokeMethod(
      this, [this] { edit(tree_->currentIndex()); }, Qt::QueuedConnection);
}

void NotesPage::edit(const QModelIndex& index) {
  if (model_->cellOf(index).isEmpty()) {
    // The column that says how often a note is used has nothing to edit.
    if (model_->note(index) != nullptr) {
      editing_->open(index.siblingAtColumn(NoteModel::SemanticsColumn));
    }
    return;
  }
  editing_->open(index);
}

void NotesPage::addNote() {
  search_->clear();
  const RowRef row{RowKind::Note, modules().path(module()), {}, -1, -1};
  RowRef named = row;
  named.owner.clear();
  named.module = module();
  const QString label = rows().changes().freeName(named, QStringLiteral("note"));
  named.name = label;
  toEdit_ = label;
  tree_->setFocus(Qt::OtherFocusReason);
  const auto change = rows().changes().add(named, {{QStringLiteral("semantics"), QString()}});
  if (!rows().apply(change)) {
    toEdit_.clear();
    return;
  }
  update();
}

bool NotesPage::mayRemove(const NoteEntry& note) {
  constexpr qsizetype most = 8;
  QStringList places;
  for (const NoteUse& use : note.uses.mid(0, most)) places << useText(use);
  if (note.uses.size() > most) places << tr("and %1 more").arg(note.uses.size() - most);
  QMessageBox box(this);
  box.setObjectName(QStringLiteral("removeNoteBox"));
  box.setIcon(QMessageBox::NoIcon);
  box.setTextFormat(Qt::PlainText);
  box.setText(tr("Note %1 is used in %2.").arg(note.label, placesText(note.uses.size())));
  box.setInformativeText(places.join(u'\n'));
  QPushButton* remove = box.addButton(
      note.uses.size() == 1 ? tr("Remove with its reference")
                            : tr("Remove with its %1 references").arg(note.uses.size()),
      QMessageBox::DestructiveRole);
  QPushButton* keep = box.addButton(tr("Keep the note"), QMessageBox::RejectRole);
  remove->setObjectName(QStringLiteral("noteRemove"));
  keep->setObjectName(QStringLiteral("noteKeep"));
  box.setDefaultButton(keep);
  box.setEscapeButton(keep);
  box.exec();
  return box.clickedButton() == remove;
}

void NotesPage::removeCurrent() {
  const NoteEntry* entry = model_->note(tree_->currentIndex());
  if (entry == nullptr || entry->isMissing || editing_->isOpen()) return;
  const NoteEntry note = *entry;
  if (!note.uses.isEmpty() && !mayRemove(note)) return;
  const RowRef row{RowKind::Note, {}, note.label, -1, module()};
  rows().apply(removeNote(rows().changes(), row, true));
  update();
}

void NotesPage::activate(const QModelIndex& index) {
  if (const NoteUse* use = model_->use(index)) {
    if (use->item.isEmpty()) {
      Q_EMIT placeActivated(modules().path(module()), use->line);
    } else {
      Q_EMIT itemActivated(use->item);
    }
    return;
  }
  edit(index);
}

void NotesPage::updateActions() {
  const NoteEntry* entry = model_->note(tree_->currentIndex());
  const bool own = entry != nullptr && !entry->isMissing && add_->isEnabled();
  edit_->setEnabled(own);
  remove_->setEnabled(own);
  remove_->setText(own ? tr("Remove %1").arg(entry->label) : tr("Remove the note"));
}

void NotesPage::showMenu(const QPoint& at) {
  const QModelIndex index = tree_->currentIndex();
  QMenu menu(this);
  menu.addActions({edit_, add_, remove_});
  menu.addSeparator();
  const NoteUse* use = model_->use(index);
  const NoteEntry* note = model_->note(index);
  const int line = use != nullptr ? use->line : note != nullptr ? note->line : 0;
  if (use != nullptr && !use->item.isEmpty()) {
    QAction* go = menu.addAction(tr("Go to %1").arg(use->subject));
    connect(go, &QAction::triggered, this, [this, index] { activate(index); });
  }
  if (line > 0) {
    const QString file = modules().path(module());
    QAction* source = menu.addAction(tr("Show in %1").arg(placeText(file, line)));
    connect(source, &QAction::triggered, this,
            [this, file, line] { Q_EMIT placeActivated(file, line); });
  }
  menu.exec(tree_->viewport()->mapToGlobal(at));
}

void addNotesMenu(QMenu& menu, RowEditor& rows, const RowRef& row) {
  if (row.isNull() || row.kind == RowKind::Note || row.kind == RowKind::Switch) return;
  const ModelChanges changes = rows.changes();
  if (!row.owner.isEmpty() && !row.isMember() && !row.isPart()) return;  // of a file, by its path
  if (!changes.readOnlyReason(row).isEmpty()) return;
  const FoundRow at = noteReferrer(changes, row);
  if (at.element == noElement) return;
  const ModuleSource& source = *changes.modules()[at.module].source;
  const QStringList now = noteReferences(source, at.element);
  QStringList labels = noteLabels(source);
  for (const QString& label : now) {
    if (!labels.contains(label)) labels << label;
  }
  QMenu* notes = menu.addMenu(theme::icon(QStringLiteral("log")), QObject::tr("Notes"));
  notes->setObjectName(QStringLiteral("rowNotes"));
  if (labels.isEmpty()) {
    notes
        ->addAction(QObject::tr("%1 has no notes")
                        .arg(QFileInfo(changes.modules()[at.module].name).fileName()))
        ->setEnabled(false);
  }
  for (const QString& label : std::as_const(labels)) {
    QString text = label;
    QAction* action = notes->addAction(text.replace(u'&', QStringLiteral("&&")));
    action->setCheckable(true);
    action->setChecked(now.contains(label));
    QObject::connect(action, &QAction::toggled, &rows, [&rows, row, label, now](bool on) {
      QStringList labelsNow = now;
      labelsNow.removeAll(label);
      if (on) labelsNow << label;
      rows.apply(setNoteReferences(rows.changes(), row, labelsNow));
    });
  }
}

}  // namespace tutti::fomedit
