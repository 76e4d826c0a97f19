// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/problems_pane.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "composer/ui/looks.h"
#include "resources/theme/delegates.h"
#include "resources/theme/format.h"

namespace tutti::composer {

using theme::State;

ProblemsModel::ProblemsModel(Document& document, QObject* parent)
    : QAbstractTableModel(parent), document_(document) {
  connect(&document_, &Document::findingsChanged, this, &ProblemsModel::refresh);
  connect(&document_, &Document::wasReset, this, &ProblemsModel::refresh);
  refresh();
}

void ProblemsModel::refresh() {
  if (document_.findings() == findings_) return;
  beginResetModel();
  findings_ = document_.findings();
  endResetModel();
}

const Finding* ProblemsModel::finding(int row) const {
  return row >= 0 && row < rowCount() ? &findings_[static_cast<std::size_t>(row)] : nullptr;
}

int ProblemsModel::count(Severity severity) const {
  return static_cast<int>(
      std::count_if(findings_.begin(), findings_.end(),
                    [severity](const Finding& finding) { return finding.severity == severity; }));
}

int ProblemsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(findings_.size());
}

int ProblemsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
  const Finding* one = finding(index.row());
  if (!one) return {};
  if (role == Qt::ToolTipRole) return one->why.isEmpty() ? one->text : one->text + u'\n' + one->why;
  switch (index.column()) {
    case WhatColumn:
      if (role == Qt::DisplayRole) return one->text;
      if (role == theme::StateRole) {
        // An empty composition is a beginning, not a fault.
        return QVariant::fromValue(stateOf(
            document_.composition().federates.empty() ? Severity::Info : one->severity));
      }
      if (role == Qt::AccessibleTextRole)
        return QStringLiteral("%1: %2 %3").arg(severityName(one->severity), one->text, one->why);
      break;
    case WhereColumn:
      if (role == Qt::DisplayRole) return one->place(document_.composition());
      if (role == theme::LinkRole)
        return one->where == Where{} ? QString() : QStringLiteral("place");
      break;
    case CheckColumn:
      if (role == Qt::DisplayRole) return checkName(one->check);
      if (role == theme::StaleRole) return true;
      break;
    case FixColumn:
      if (one->fix && (role == theme::FixRole || role == Qt::DisplayRole)) return one->fix->label;
      break;
    default:
      break;
  }
  return {};
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case WhatColumn:
      return tr("What and why");
    case WhereColumn:
      return tr("Where");
    case CheckColumn:
      return tr("Check");
    case FixColumn:
      return tr("Fix");
    default:
      return {};
  }
}

ProblemsPane::ProblemsPane(Document& document, Selection& selection, QWidget* parent)
    : QWidget(parent),
      document_(document),
      selection_(selection),
      model_(new ProblemsModel(document, this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  stack_ = new QStackedWidget(this);
  column->addWidget(stack_);
  view_ = new QTreeView(stack_);
  view_->setObjectName(QStringLiteral("problemsView"));
  view_->setAccessibleName(tr("Problems"));
  view_->setModel(model_);
  view_->setRootIsDecorated(false);
  view_->setUniformRowHeights(true);
  view_->setMouseTracking(true);
  view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  QHeaderView* header = view_->header();
  header->setHighlightSections(false);
  header->setSectionsMovable(false);
  header->setStretchLastSection(false);
  header->setSectionResizeMode(ProblemsModel::WhatColumn, QHeaderView::Stretch);
  header->resizeSection(ProblemsModel::WhereColumn, 158);
  header->resizeSection(ProblemsModel::CheckColumn, 100);
  header->resizeSection(ProblemsModel::FixColumn, 160);
  header->setMinimumSectionSize(60);
  auto* what = new theme::StatusNameDelegate(view_, theme::height::kRow);
  what->setWeight(QFont::Normal);
  view_->setItemDelegateForColumn(ProblemsModel::WhatColumn, what);
  auto* link = new theme::LinkDelegate(view_, theme::height::kRow);
  view_->setItemDelegateForColumn(ProblemsModel::WhereColumn, link);
  view_->setItemDelegateForColumn(ProblemsModel::CheckColumn,
                                  new theme::RowDelegate(view_, theme::height::kRow));
  auto* fix = new theme::FixButtonDelegate(view_, theme::height::kRow);
  view_->setItemDelegateForColumn(ProblemsModel::FixColumn, fix);
  stack_->addWidget(view_);
  empty_ = new theme::EmptyView(QString(), stack_);
  stack_->addWidget(empty_);

  connect(link, &theme::LinkDelegate::activated, this, &ProblemsPane::showPlace);
  connect(view_, &QTreeView::activated, this, &ProblemsPane::showPlace);
  connect(fix, &theme::FixButtonDelegate::clicked, this, [this](const QModelIndex& index) {
    const Finding* one = model_->finding(index.row());
    if (one && one->fix) document_.apply(Fix(*one->fix));
  });
  connect(model_, &QAbstractItemModel::modelReset, this, &ProblemsPane::refresh);
  connect(&document_, &Document::findingsChanged, this, &ProblemsPane::refresh);
  auto* copy = new QAction(tr("Copy"), this);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(copy, &QAction::triggered, this, &ProblemsPane::copySelected);
  view_->addAction(copy);
  view_->setContextMenuPolicy(Qt::ActionsContextMenu);
  refresh();
}

void ProblemsPane::refresh() {
  const auto federates = static_cast<qint64>(document_.composition().federates.size());
  const auto classes = static_cast<qint64>(document_.dataFlow().flows.size());
  empty_->setSentence(
      federates == 0 ? tr("Add a federate: what does not fit together then appears here.")
                     : tr("Nothing to fix: %1 and %2 fit together.")
                           .arg(theme::formatNoun(federates, tr("federate"), tr("federates")),
                                theme::formatNoun(classes, tr("class"), tr("classes"))));
  if (model_->rowCount() > 0)
    stack_->setCurrentWidget(view_);
  else
    stack_->setCurrentWidget(empty_);
}

void ProblemsPane::showPlace(const QModelIndex& index) {
  const Finding* one = model_->finding(index.row());
  if (!one) return;
  if (!one->where.federate.isEmpty() || !one->where.className.isEmpty())
    Q_EMIT placeRequested(one->where.federate, one->where.parameter, one->where.className);
  else if (!one->where.file.isEmpty())
    Q_EMIT fileRequested(one->where.file, one->where.line);
}

void ProblemsPane::go(int direction) {
  const int rows = model_->rowCount();
  if (rows == 0) return;
  const int now = view_->currentIndex().isValid() ? view_->currentIndex().row()
                  : direction > 0                 ? -1
                                                  : 0;
  const int row = ((now + direction) % rows + rows) % rows;
  view_->setCurrentIndex(model_->index(row, 0));
  showPlace(model_->index(row, 0));
}

void ProblemsPane::copySelected() {
  const Finding* one = model_->finding(view_->currentIndex().row());
  if (!one) return;
  QStringList lines{QStringLiteral("%1: %2").arg(severityName(one->severity), one->text)};
  if (!one->why.isEmpty()) lines << one->why;
  lines << one->place(document_.composition());
  if (!one->where.file.isEmpty())
    lines << QStringLiteral("%1:%2").arg(one->where.file).arg(one->where.line);
  lines << document_.path();
  QApplication::clipboard()->setText(lines.join(u'\n'));
}

}  // namespace tutti::composer
