// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/merge_page.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "fom-editor/model/item.h"
#include "fom-editor/model/lists.h"
#include "fom-editor/model/tables.h"
#include "fom-editor/ui/conflict_view.h"
#include "fom-editor/ui/declaration_view.h"
#include "fom-editor/ui/merge_files.h"
#include "fom-editor/ui/source_view.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

namespace {

QWidget* panel(QWidget* parent) {
  auto* widget = new QWidget(parent);
  widget->setBackgroundRole(QPalette::Base);
  widget->setAutoFillBackground(true);
  return widget;
}

QString nameOf(const QString& path) { return QFileInfo(path).fileName(); }

QString conflicts(int count) {
  return theme::formatNoun(count, MergePage::tr("conflict"), MergePage::tr("conflicts"));
}

QString changes(std::size_t count) {
  return theme::formatNoun(static_cast<int>(count), MergePage::tr("change"),
                           MergePage::tr("changes"));
}

/// What a version is called beside the others: with the folders that tell its file apart.
QString calledAmong(const QString& path, const MergeRequest& request) {
  const QString name = nameOf(path);
  int alike = 0;
  for (const QString& each : {request.base, request.ours, request.theirs}) {
    alike += nameOf(each) == name ? 1 : 0;
  }
  return alike > 1 ? QFileInfo(QFileInfo(path).path()).fileName() + u'/' + name : name;
}

/// A file name that leaves room for the other buttons.
QString inButton(QString name) {
  constexpr qsizetype most = 28;
  if (name.size() > most) name = name.left(most / 2 - 1) + u'…' + name.right(most / 2);
  return name.replace(u'&', QStringLiteral("&&"));
}

}  // namespace

MergePage::MergePage(MergeSession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      rows_(new MergeRows(session, this)),
      changes_(new TableModel(this)),
      findings_(new FindingModel(this)) {
  setObjectName(QStringLiteral("mergePage"));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(buildBar());
  pages_ = new QStackedWidget(this);
  files_ = new MergeFiles(pages_);
  connect(files_, &MergeFiles::mergeRequested, this, &MergePage::mergeRequested);
  pages_->addWidget(files_);
  auto* merge = new QWidget(pages_);
  auto* mergeColumn = new QVBoxLayout(merge);
  mergeColumn->setContentsMargins(0, 0, 0, 0);
  mergeColumn->setSpacing(0);
  auto* parts = new QSplitter(Qt::Vertical, merge);
  parts->setChildrenCollapsible(false);
  stack_ = new QStackedWidget(parts);
  stack_->addWidget(buildConflicts());
  changeView_ = new TableView(stack_);
  changeView_->setObjectName(QStringLiteral("mergeChanges"));
  changeView_->setAccessibleName(tr("Changes without a conflict"));
  changeView_->setTableModel(changes_);
  stack_->addWidget(changeView_);
  result_ = new SourceView(stack_);
  result_->setObjectName(QStringLiteral("mergeResult"));
  result_->setAccessibleName(tr("The result"));
  result_->setProvider([this](const QString&) {
    SourceText source;
    if (session_.state()) {
      source.text = session_.state()->text;
      source.changes = session_.state()->changes;
    }
    return source;
  });
  stack_->addWidget(result_);
  parts->addWidget(stack_);
  parts->addWidget(buildFindings());
  parts->setStretchFactor(0, 1);
  parts->setSizes({600, 120});
  mergeColumn->addWidget(parts, 1);
  mergeColumn->addWidget(buildFooter());
  pages_->addWidget(merge);
  column->addWidget(pages_, 1);
  connect(&session_, &MergeSession::merged, this, &MergePage::adopt);
  connect(&session_, &MergeSession::cancelled, this, &MergePage::refresh);
  connect(&session_, &MergeSession::choicesChanged, this, [this] {
    saved_.clear();
    refresh();
  });
  refresh();
}

QWidget* MergePage::buildBar() {
  auto* bar = new QFrame(this);
  bar->setObjectName(QStringLiteral("mergeBar"));
  bar->setProperty("role", QByteArray("bar"));
  bar->setFixedHeight(theme::height::kTool);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(8, 0, 12, 0);
  row->setSpacing(8);
  auto* close = theme::smallButton(QStringLiteral("close"),
                                   tr("Back to the object model; choices stay (Esc)"), bar);
  close->setObjectName(QStringLiteral("mergeClose"));
  connect(close, &QToolButton::clicked, this, &MergePage::closed);
  verdict_ = new theme::StatePill(bar);
  verdict_->setObjectName(QStringLiteral("mergeVerdict"));
  verdict_->setFocusPolicy(Qt::NoFocus);
  sentence_ = new theme::ElidedLabel("secondary", bar);
  sentence_->setObjectName(QStringLiteral("mergeSentence"));
  QUndoStack& history = session_.undoStack();
  undo_ = theme::smallButton(QStringLiteral("undo"), tr("Undo (Ctrl+Z)"), bar);
  undo_->setObjectName(QStringLiteral("mergeUndo"));
  redo_ = theme::smallButton(QStringLiteral("redo"), tr("Redo (Ctrl+Shift+Z)"), bar);
  redo_->setObjectName(QStringLiteral("mergeRedo"));
  // A button that has nothing left to do gives the focus away.
  connect(undo_, &QToolButton::clicked, this, [this, &history] {
    history.undo();
    focusConflicts();
  });
  connect(redo_, &QToolButton::clicked, this, [this, &history] {
    history.redo();
    focusConflicts();
  });
  connect(&history, &QUndoStack::indexChanged, this, &MergePage::refresh);
  previous_ =
      theme::smallButton(QStringLiteral("up"), tr("Previous open conflict (Shift+F8)"), bar);
  previous_->setObjectName(QStringLiteral("mergePrevious"));
  next_ = theme::smallButton(QStringLiteral("down"), tr("Next open conflict (F8)"), bar);
  next_->setObjectName(QStringLiteral("mergeNext"));
  connect(previous_, &QToolButton::clicked, this, [this] { step(-1); });
  connect(next_, &QToolButton::clicked, this, [this] { step(1); });
  position_ = theme::makeLabel(QString(), "secondary", bar);
  position_->setObjectName(QStringLiteral("mergePosition"));
  views_ =
      new theme::SegmentedControl({tr("Conflicts"), tr("Without conflict"), tr("Result")}, bar);
  views_->setObjectName(QStringLiteral("mergeViews"));
  views_->setAccessibleName(tr("What to show"));
  connect(views_, &theme::SegmentedControl::currentIndexChanged, this, &MergePage::showView);
  otherFiles_ = new QPushButton(tr("Other files…"), bar);
  otherFiles_->setObjectName(QStringLiteral("mergeOtherFiles"));
  connect(otherFiles_, &QPushButton::clicked, this, [this] {
    if (!isAsking()) return askForFiles();
    pages_->setCurrentIndex(1);
    refresh();
    focusConflicts();
  });
  row->addWidget(close);
  row->addWidget(verdict_);
  row->addWidget(sentence_, 1);
  row->addWidget(undo_);
  row->addWidget(redo_);
  row->addWidget(previous_);
  row->addWidget(next_);
  row->addWidget(position_);
  row->addWidget(views_);
  row->addWidget(otherFiles_);
  return bar;
}

QWidget* MergePage::buildConflicts() {
  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->setChildrenCollapsible(false);
  conflicts_ = new ConflictView(parts);
  conflicts_->setObjectName(QStringLiteral("mergeConflicts"));
  conflicts_->setAccessibleName(tr("Conflicts"));
  conflicts_->setRows(rows_);
  connect(conflicts_, &ConflictView::currentRowChanged, this, &MergePage::fillDetail);
  connect(conflicts_, &ConflictView::chosen, this, [this](int row, MergeChoice choice) {
    choose(row, MergeDecision{choice, {}});
  });
  connect(conflicts_, &ConflictView::reopened, this,
          [this](int row) { choose(row, std::nullopt); });
  connect(conflicts_, &ConflictView::editRequested, this, [this] {
    ownValue_->setFocus(Qt::ShortcutFocusReason);
    ownValue_->selectAll();
  });
  parts->addWidget(conflicts_);
  parts->addWidget(buildDetail());
  parts->setSizes({300, 260});
  parts->setStretchFactor(0, 1);
  return parts;
}

QWidget* MergePage::buildDetail() {
  QWidget* detail = panel(this);
  detail->setObjectName(QStringLiteral("mergeDetail"));
  auto* column = new QVBoxLayout(detail);
  column->setContentsMargins(0, 8, 0, 8);
  column->setSpacing(6);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(12, 0, 12, 0);
  head->setSpacing(8);
  auto* names = new QVBoxLayout;
  names->setSpacing(2);
  place_ = theme::makeLabel(QString(), "heading", detail);
  place_->setObjectName(QStringLiteral("mergePlace"));
  reason_ = theme::makeLabel(QString(), "secondary", detail);
  reason_->setObjectName(QStringLiteral("mergeReason"));
  for (QLabel* label : {place_, reason_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    names->addWidget(label);
  }
  head->addLayout(names, 1);
  both_ = new QPushButton(tr("Take both"), detail);
  both_->setObjectName(QStringLiteral("mergeTakeBoth"));
  both_->setToolTip(tr("A in the list"));
  connect(both_, &QPushButton::clicked, this, [this] {
    choose(conflicts_->currentIndex().row(), MergeDecision{MergeChoice::Both, {}});
  });
  reopen_ = new QPushButton(tr("Open it again"), detail);
  reopen_->setObjectName(QStringLiteral("mergeReopen"));
  reopen_->setToolTip(tr("Del in the list"));
  connect(reopen_, &QPushButton::clicked, this,
          [this] { choose(conflicts_->currentIndex().row(), std::nullopt); });
  head->addWidget(both_);
  head->addWidget(reopen_);
  column->addLayout(head);
  auto* sides = new QHBoxLayout;
  sides->setSpacing(1);
  const std::array names3{std::pair{MergeChoice::Base, "mergeBase"},
                          std::pair{MergeChoice::Ours, "mergeOurs"},
                          std::pair{MergeChoice::Theirs, "mergeTheirs"}};
  for (std::size_t i = 0; i < names3.size(); ++i) {
    auto* view =
        new DeclarationView(names3[i].first, QString::fromLatin1(names3[i].second), detail);
    declarations_[i] = view;
    connect(view, &DeclarationView::taken, this, [this](MergeChoice side) {
      choose(conflicts_->currentIndex().row(), MergeDecision{side, {}});
    });
    sides->addWidget(view, 1);
  }
  column->addLayout(sides, 1);
  own_ = new QWidget(detail);
  auto* row = new QHBoxLayout(own_);
  row->setContentsMargins(12, 0, 12, 0);
  row->setSpacing(8);
  QLabel* label = theme::makeLabel(tr("Own value (E)"), "label", own_);
  ownValue_ = new QLineEdit(own_);
  ownValue_->setObjectName(QStringLiteral("mergeOwnValue"));
  label->setBuddy(ownValue_);
  connect(ownValue_, &QLineEdit::returnPressed, this, &MergePage::takeOwnValue);
  auto* take = new QPushButton(tr("Take this value"), own_);
  take->setObjectName(QStringLiteral("mergeTakeOwn"));
  connect(take, &QPushButton::clicked, this, &MergePage::takeOwnValue);
  row->addWidget(label);
  row->addWidget(ownValue_, 1);
  row->addWidget(take);
  column->addWidget(own_);
  return detail;
}

QWidget* MergePage::buildFindings() {
  findingBox_ = panel(this);
  auto* column = new QVBoxLayout(findingBox_);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(4);
  findingTitle_ = theme::makeLabel(QString(), "group", findingBox_);
  findingTitle_->setObjectName(QStringLiteral("mergeFindingTitle"));
  findingTitle_->setContentsMargins(12, 0, 12, 0);
  column->addWidget(findingTitle_);
  auto* list = new QTreeView(findingBox_);
  list->setObjectName(QStringLiteral("mergeFindings"));
  list->setAccessibleName(tr("What the checks say about the result"));
  list->setRootIsDecorated(false);
  list->setIndentation(0);
  list->setUniformRowHeights(true);
  list->setHeaderHidden(true);
  list->setFrameShape(QFrame::NoFrame);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list->setItemDelegate(new FindingDelegate(list));
  list->setModel(findings_);
  list->header()->setStretchLastSection(false);
  list->header()->setMinimumSectionSize(40);
  list->header()->setSectionResizeMode(FindingModel::TextColumn, QHeaderView::Stretch);
  list->header()->setSectionResizeMode(FindingModel::PlaceColumn, QHeaderView::Fixed);
  list->header()->resizeSection(FindingModel::PlaceColumn, 190);
  list->setColumnHidden(FindingModel::FixColumn, true);
  const auto choose = [this](const QModelIndex& index) {
    const Finding* finding = findings_->finding(index);
    if (finding == nullptr || !session_.state()) return;
    const bool here = finding->file == session_.state()->request.ours;
    views_->setCurrentIndex(ResultView);
    showView(ResultView);
    result_->showPlace(session_.state()->request.ours,
                       std::max(1, here ? finding->line : finding->otherLine));
  };
  connect(list, &QAbstractItemView::clicked, this, choose);
  connect(list, &QAbstractItemView::activated, this, choose);
  column->addWidget(list, 1);
  return findingBox_;
}

QWidget* MergePage::buildFooter() {
  auto* bar = new QFrame(this);
  bar->setObjectName(QStringLiteral("mergeFooter"));
  auto* column = new QVBoxLayout(bar);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(theme::rule(bar));
  auto* row = new QHBoxLayout;
  row->setContentsMargins(12, 8, 12, 8);
  row->setSpacing(8);
  column->addLayout(row);
  left_ = theme::makeLabel(QString(), "label-strong", bar);
  left_->setObjectName(QStringLiteral("mergeLeft"));
  outcome_ = new theme::ElidedLabel("secondary", bar);
  outcome_->setObjectName(QStringLiteral("mergeOutcome"));
  allOurs_ = new QPushButton(tr("All left: ours"), bar);
  allOurs_->setObjectName(QStringLiteral("mergeAllOurs"));
  allTheirs_ = new QPushButton(tr("All left: theirs"), bar);
  allTheirs_->setObjectName(QStringLiteral("mergeAllTheirs"));
  connect(allOurs_, &QPushButton::clicked, this, [this] {
    session_.chooseAllOpen(MergeChoice::Ours);
    focusConflicts();
  });
  connect(allTheirs_, &QPushButton::clicked, this, [this] {
    session_.chooseAllOpen(MergeChoice::Theirs);
    focusConflicts();
  });
  saveAs_ = new QPushButton(tr("Save as…"), bar);
  saveAs_->setObjectName(QStringLiteral("mergeSaveAs"));
  connect(saveAs_, &QPushButton::clicked, this, &MergePage::saveAsRequested);
  save_ = new QPushButton(bar);
  save_->setObjectName(QStringLiteral("mergeSave"));
  save_->setProperty("role", QByteArray("primary"));
  connect(save_, &QPushButton::clicked, this, &MergePage::saveRequested);
  row->addWidget(left_);
  row->addWidget(outcome_, 1);
  row->addWidget(allOurs_);
  row->addWidget(allTheirs_);
  row->addWidget(saveAs_);
  row->addWidget(save_);
  return bar;
}

void MergePage::askForFiles() {
  files_->setFault({});
  pages_->setCurrentIndex(0);
  refresh();
  files_->focusFirst();
}

bool MergePage::isAsking() const { return pages_->currentIndex() == 0; }

void MergePage::adopt(const std::shared_ptr<const MergeState>& state) {
  if (!state->fault.isEmpty()) {
    if (state->isNew) {
      files_->setFault(state->fault);
      pages_->setCurrentIndex(0);
      files_->focusFirst();
    }
    refresh();
    if (!state->isNew) outcome_->setText(tr("These choices give no module: %1").arg(state->fault));
    return;
  }
  const bool first = state->isNew;
  // Who looks at other files stays there.
  if (first) {
    saved_.clear();
    pages_->setCurrentIndex(1);
  }
  fillChanges();
  fillFindings();
  if (first) {
    const bool any = rows_->rowCount() > 0;
    views_->setCurrentIndex(any ? ConflictsView : ChangesView);
    showView(any ? ConflictsView : ChangesView);
    if (any) conflicts_->setCurrentIndex(rows_->index(0, 0));
    focusConflicts();
  } else if (!conflicts_->currentIndex().isValid() && rows_->rowCount() > 0) {
    conflicts_->setCurrentIndex(rows_->index(std::max(0, rows_->next(-1, 1)), 0));
  }
  refresh();
  if (stack_->currentIndex() == ResultView) showView(ResultView);
}

void MergePage::refresh() {
  const bool asking = isAsking();
  for (QWidget* each : std::initializer_list<QWidget*>{undo_, redo_, previous_, next_, position_,
                                                       views_, verdict_}) {
    each->setVisible(!asking);
  }
  otherFiles_->setVisible(session_.state() != nullptr);
  otherFiles_->setText(asking ? tr("Back to the merge") : tr("Other files…"));
  if (asking) {
    sentence_->setText(tr("Three-way merge"));
    return;
  }
  const QUndoStack& history = session_.undoStack();
  undo_->setEnabled(history.canUndo());
  undo_->setToolTip(history.canUndo() ? tr("Undo: %1 (Ctrl+Z)").arg(history.undoText())
                                      : tr("Undo (Ctrl+Z)"));
  redo_->setEnabled(history.canRedo());
  redo_->setToolTip(history.canRedo() ? tr("Redo: %1 (Ctrl+Shift+Z)").arg(history.redoText())
                                      : tr("Redo (Ctrl+Shift+Z)"));
  fillVerdict();
  fillDetail();
}

void MergePage::fillVerdict() {
  const auto& state = session_.state();
  if (!state) return;
  const ModuleMerge& merge = state->merge;
  const int open = session_.open();
  const int all = rows_->rowCount();
  const MergeRequest& request = state->request;
  if (open > 0) {
    verdict_->setState(theme::State::Warning,
                       tr("%1 of %2 open").arg(open).arg(std::max(all, open)));
  } else if (all > 0) {
    verdict_->setState(theme::State::Ok, tr("All decided"));
  } else {
    verdict_->setState(theme::State::Ok, tr("No conflict"));
  }
  QString sentence =
      tr("Base %1, ours %2, theirs %3")
          .arg(calledAmong(request.base, request), calledAmong(request.ours, request),
               calledAmong(request.theirs, request));
  sentence_->setText(sentence);
  sentence_->setToolTip(
      tr("Base %1\nOurs %2\nTheirs %3").arg(request.base, request.ours, request.theirs));
  views_->setText(ConflictsView, all > 0 ? tr("Conflicts %1").arg(all) : tr("Conflicts"));
  const std::size_t quiet = state->fromOurs.size() + state->fromTheirs.size();
  views_->setText(ChangesView, tr("Without conflict %1").arg(quiet));
  left_->setText(open > 0  ? tr("%1 left").arg(conflicts(open))
                 : all > 0 ? tr("No conflict left")
                           : tr("No conflict"));
  const QString from = tr("%1 of theirs taken, %2 of ours kept")
                           .arg(changes(state->fromTheirs.size()), changes(state->fromOurs.size()));
  const auto stops = std::count_if(state->findings.begin(), state->findings.end(),
                                   [](const Finding& f) { return f.level == Level::Loads; });
  const QString checked = stops > 0                   ? tr("an RTI refuses the result so far")
                          : state->findings.isEmpty() ? tr("the checks find nothing in the result")
                                                      : tr("the result loads in an RTI");
  QString outcome = from + QStringLiteral("; ") + checked;
  if (!merge.commentsLeft.empty()) {
    outcome += tr("; %1 of theirs not taken")
                   .arg(theme::formatNoun(static_cast<int>(merge.commentsLeft.size()),
                                          tr("new comment"), tr("new comments")));
  }
  if (!saved_.isEmpty()) outcome = tr("Saved as %1").arg(saved_);
  if (!session_.isCurrent()) {
    outcome = session_.isMerging() ? tr("Merging with your choices…")
                                   : tr("The result does not have your last choice yet.");
  }
  outcome_->setText(outcome);
  const QString why = whyNotSaved();
  save_->setText(tr("Save over %1").arg(inButton(nameOf(request.ours))));
  for (QPushButton* button : {save_, saveAs_}) {
    button->setEnabled(why.isEmpty());
    button->setToolTip(why);
  }
  if (why.isEmpty()) {
    save_->setToolTip(tr("Replace %1 by the result (Ctrl+S)").arg(request.ours));
    saveAs_->setToolTip(tr("Write the result into another file"));
  }
  for (const auto& [button, choice] :
       {std::pair{allOurs_, MergeChoice::Ours}, std::pair{allTheirs_, MergeChoice::Theirs}}) {
    const int count = session_.openThatOffer(choice);
    button->setVisible(all > 0);
    button->setEnabled(count > 0);
    button->setToolTip(count > 0 ? tr("Decides %1 at once; can be undone").arg(conflicts(count))
                                 : tr("No open conflict offers it"));
  }
}

bool MergePage::canSave() const { return whyNotSaved().isEmpty(); }

QString MergePage::whyNotSaved() const {
  if (isAsking() || !session_.state()) return tr("Choose three versions and merge them first.");
  if (const int open = session_.open(); open > 0) {
    return open == 1
               ? tr("1 conflict is open. Choose what to take; F8 goes to it.")
               : tr("%1 conflicts are open. Choose what to take; F8 goes to the next.").arg(open);
  }
  if (session_.isSaving()) return tr("It is being saved.");
  if (!session_.isCurrent()) {
    return session_.isMerging() ? tr("The result is being made.")
                                : tr("The choices give no module. Undo the last one.");
  }
  return {};
}

void MergePage::showSaved(const QString& path) {
  saved_ = path;
  refresh();
}

void MergePage::fillChanges() {
  const auto& state = session_.state();
  Table table;
  table.title = tr("Changes without a conflict");
  table.headers << tr("From") << tr("Where") << tr("Change") << tr("Line");
  table.numberColumns << 3;
  table.empty = tr("Neither version has changes beside the conflicts.");
  const auto add = [&](const std::vector<MergeChange>& all, const QString& side) {
    for (const MergeChange& c : all) {
      TableRow row;
      row.cells << side << text(c.place) << text(c.text)
                << (c.line > 0 ? QString::number(c.line) : QStringLiteral("–"));
      row.toolTip = QStringLiteral("%1: %2").arg(text(c.place), text(c.text));
      table.rows << row;
    }
  };
  add(state->fromTheirs, tr("Theirs"));
  add(state->fromOurs, tr("Ours"));
  changes_->setTable(table);
}

void MergePage::fillFindings() {
  const auto& state = session_.state();
  findings_->setFindings(state->findings);
  const bool alone = !state->request.context.contains(state->request.ours);
  const int count = static_cast<int>(state->findings.size());
  findingTitle_->setText(
      (count == 1 ? tr("The checks say one thing about the result")
                  : tr("The checks say %1 things about the result").arg(count)) +
      (alone ? tr(", looked at without other modules") : tr(", among the modules of this page")));
  findingBox_->setVisible(count > 0);
}

void MergePage::fillDetail() {
  const int row = conflicts_->currentIndex().isValid() ? conflicts_->currentIndex().row() : -1;
  const MergeConflict* conflict = rows_->conflict(row);
  const int all = rows_->rowCount();
  previous_->setEnabled(all > 0);
  next_->setEnabled(all > 0);
  position_->setText(all == 0              ? QString()
                     : conflict == nullptr ? conflicts(all)
                                           : tr("%1 of %2").arg(row + 1).arg(all));
  const auto& state = session_.state();
  if (conflict == nullptr || !state) {
    shownKey_.clear();
    place_->setText(all == 0 ? tr("The versions merge without a conflict.") : QString());
    reason_->clear();
    own_->hide();
    both_->hide();
    reopen_->hide();
    for (DeclarationView* view : declarations_) {
      view->setSide({}, {}, {});
      view->setChoice(false, false);
    }
    return;
  }
  const auto chosen = session_.chosen(*conflict);
  place_->setText(text(conflict->place));
  QString reason = text(conflict->reason);
  if (conflict->offered.empty()) {
    reason += tr(" They are listed as soon as others are decided.");
  } else if (conflict->offered == std::vector{MergeChoice::Both}) {
    reason +=
        tr(" Neither side alone is the cause: take both to keep it so, or decide other "
           "conflicts otherwise.");
  }
  reason_->setText(reason);
  const std::array sides{&conflict->base, &conflict->ours, &conflict->theirs};
  const std::array choices{MergeChoice::Base, MergeChoice::Ours, MergeChoice::Theirs};
  // What a person reads stays where it is when the result changes.
  const bool isShown = shownKey_ == conflict->key && shownOf_ == state->sources[0];
  shownKey_ = conflict->key;
  shownOf_ = state->sources[0];
  for (std::size_t i = 0; i < declarations_.size(); ++i) {
    declarations_[i]->setChoice(conflict->offers(choices[i]),
                                chosen && chosen->choice == choices[i]);
    if (isShown) continue;
    const MergeExcerpt excerpt = excerptOf(*state->sources[i], *sides[i]);
    declarations_[i]->setSide(excerpt, *sides[i],
                              calledAmong(state->path(static_cast<int>(i)), state->request));
  }
  both_->setVisible(conflict->offers(MergeChoice::Both));
  both_->setText(chosen && chosen->choice == MergeChoice::Both ? tr("Both taken")
                                                               : tr("Take both"));
  reopen_->setVisible(chosen.has_value());
  own_->setVisible(conflict->offers(MergeChoice::Edited));
  const bool edited = chosen && chosen->choice == MergeChoice::Edited;
  if (!ownValue_->hasFocus()) {
    // A long value is listed in short, which is none to start from.
    const QString mine = text(conflict->ours.text);
    const bool whole = !mine.endsWith(QStringLiteral("...")) && mine != QStringLiteral("not there");
    ownValue_->setText(edited ? text(chosen->text) : whole ? mine : QString());
  }
}

void MergePage::showView(int view) {
  stack_->setCurrentIndex(view);
  if (view != ResultView || !session_.state()) return;
  const QString path = session_.state()->request.ours;
  const int line = result_->file() == path ? result_->markedLine() : 0;
  result_->forget();
  result_->showPlace(path, std::max(1, line));
  // What the merge has changed is what one looks for.
  if (line == 0 && result_->changes().changed + result_->changes().removed > 0) {
    result_->stepChange(1);
  }
}

void MergePage::choose(int row, const std::optional<MergeDecision>& decision) {
  const MergeConflict* conflict = rows_->conflict(row);
  if (conflict == nullptr || (decision && !conflict->offers(decision->choice))) return;
  session_.choose(*conflict, decision);
}

void MergePage::takeOwnValue() {
  const QString value = ownValue_->text().simplified();
  conflicts_->setFocus(Qt::OtherFocusReason);
  choose(conflicts_->currentIndex().row(), MergeDecision{MergeChoice::Edited, value.toStdString()});
}

void MergePage::step(int direction) {
  if (isAsking()) return;
  const QModelIndex current = conflicts_->currentIndex();
  const int row = rows_->next(current.isValid() ? current.row() : -1, direction);
  if (row < 0) return;
  views_->setCurrentIndex(ConflictsView);
  showView(ConflictsView);
  conflicts_->setCurrentIndex(rows_->index(row, 0));
  conflicts_->scrollTo(rows_->index(row, 0));
  conflicts_->setFocus(Qt::ShortcutFocusReason);
}

void MergePage::keyPressEvent(QKeyEvent* event) {
  // Leaves the field, not the page.
  if (event->key() == Qt::Key_Escape && ownValue_->hasFocus()) {
    conflicts_->setFocus(Qt::OtherFocusReason);
    fillDetail();
    return;
  }
  QWidget::keyPressEvent(event);
}

void MergePage::focusConflicts() {
  if (isAsking()) {
    files_->focusFirst();
  } else if (stack_->currentIndex() == ConflictsView) {
    conflicts_->setFocus(Qt::OtherFocusReason);
  } else {
    stack_->currentWidget()->setFocus(Qt::OtherFocusReason);
  }
}

}  // namespace tutti::fomedit
