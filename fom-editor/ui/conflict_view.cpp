// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/conflict_view.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>
#include <utility>

#include "resources/theme/icons.h"
#include "resources/theme/theme.h"

namespace tutti::fomedit {

using theme::Palette;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int kRowHeight = 40;
constexpr int kButtonHeight = 24;
/// In the order in which the buttons stand.
constexpr std::array kButtons{MergeChoice::Ours, MergeChoice::Theirs, MergeChoice::Base,
                              MergeChoice::Both};

int buttonWidth(MergeChoice choice) {
  return QFontMetrics(textFont(TextStyle::Label)).horizontalAdvance(mergeChoiceTitle(choice)) + 18;
}

bool isOffered(const QModelIndex& index, MergeChoice choice) {
  return index.data(MergeRows::OfferedRole).value<QList<int>>().contains(static_cast<int>(choice));
}

struct Key {
  Qt::Key key;
  MergeChoice choice;
};
constexpr std::array kKeys{Key{Qt::Key_O, MergeChoice::Ours}, Key{Qt::Key_T, MergeChoice::Theirs},
                           Key{Qt::Key_B, MergeChoice::Base}, Key{Qt::Key_A, MergeChoice::Both}};

}  // namespace

ConflictDelegate::ConflictDelegate(QObject* parent) : RowDelegate(parent, kRowHeight) {}

QSize ConflictDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  return {100, kRowHeight};
}

int ConflictDelegate::takeWidth() {
  int width = 16;
  for (const MergeChoice choice : kButtons) width += buttonWidth(choice) - 1;
  return width + 8;
}

QRect ConflictDelegate::buttonRect(const QRect& cell, const QModelIndex& index,
                                   MergeChoice choice) {
  int x = cell.left() + 8;
  for (const MergeChoice each : kButtons) {
    if (!isOffered(index, each)) continue;
    const int width = buttonWidth(each);
    if (each == choice) {
      return {x, cell.top() + (cell.height() - kButtonHeight) / 2, width, kButtonHeight};
    }
    x += width - 1;
  }
  return {};
}

void ConflictDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
  RowDelegate::paint(painter, option, index);
  // What is left to decide has a tint; chosen rows lose it.
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  if (selected || index.data(MergeRows::ChoiceRole).toInt() >= 0) return;
  const Palette palette = Palette::of(option.palette);
  painter->fillRect(option.rect.adjusted(0, 0, 0, -1),
                    theme::colors(theme::State::Warning, palette).tint);
  paintContent(*painter, option.rect.adjusted(8, 0, -8, 0), option, index, palette);
}

void ConflictDelegate::paintContent(QPainter& painter, const QRect& content,
                                    const QStyleOptionViewItem& option, const QModelIndex& index,
                                    const Palette& palette) const {
  const bool open = index.data(MergeRows::ChoiceRole).toInt() < 0;
  if (index.column() == MergeRows::TakeColumn) {
    paintButtons(painter, option.rect, index, palette);
    return;
  }
  if (index.column() == MergeRows::WhereColumn) {
    theme::paintState(painter, QRectF(content.left(), content.center().y() - 6, 14, 14),
                      open ? theme::State::Warning : theme::State::Ok, palette);
    const QRect lines = content.adjusted(22, 3, 0, -4);
    const int half = lines.height() / 2;
    // The end of a place says more than its beginning.
    const QFont font = textFont(TextStyle::Table, QFont::Medium);
    const QString place =
        QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideLeft, lines.width());
    paintText(painter, QRect(lines.left(), lines.top(), lines.width(), half), place,
              palette[Token::TextPrimary], font, Qt::AlignLeft);
    paintText(painter, QRect(lines.left(), lines.top() + half, lines.width(), half),
              index.data(MergeRows::ReasonRole).toString(), palette[Token::TextSecondary],
              textFont(TextStyle::Caption), Qt::AlignLeft);
    return;
  }
  QRect rest = content;
  const bool taken = index.data(MergeRows::TakenRole).toBool();
  if (taken) {
    theme::paintIcon(painter, QRect(rest.left(), rest.center().y() - 6, 14, 14),
                     QStringLiteral("check"), theme::colors(theme::State::Ok, palette).fg);
    rest.setLeft(rest.left() + 18);
  }
  paintText(painter, rest, index.data().toString(),
            palette[open || taken ? Token::TextPrimary : Token::TextSecondary],
            textFont(TextStyle::Table, taken ? QFont::Medium : QFont::Normal), Qt::AlignLeft);
}

void ConflictDelegate::paintButtons(QPainter& painter, const QRect& cell, const QModelIndex& index,
                                    const Palette& palette) {
  const int chosen = index.data(MergeRows::ChoiceRole).toInt();
  const QFont font = textFont(TextStyle::Label);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(font);
  bool any = false;
  for (const MergeChoice choice : kButtons) {
    const QRect button = buttonRect(cell, index, choice);
    if (button.isEmpty()) continue;
    any = true;
    const bool on = chosen == static_cast<int>(choice);
    painter.setPen(palette[on ? Token::Accent : Token::LineControl]);
    painter.setBrush(palette[on ? Token::BgSelected : Token::BgRaised]);
    painter.drawRoundedRect(QRectF(button).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter.setPen(palette[Token::TextPrimary]);
    painter.drawText(button, Qt::AlignCenter, mergeChoiceTitle(choice));
  }
  if (!any) {
    painter.setPen(palette[Token::TextMuted]);
    painter.drawText(cell.adjusted(8, 0, -8, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     index.data().toString());
  }
  painter.restore();
}

bool ConflictDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                                   const QStyleOptionViewItem& option, const QModelIndex& index) {
  const bool released = event->type() == QEvent::MouseButtonRelease;
  if (released && index.column() == MergeRows::TakeColumn) {
    const QPoint at = static_cast<QMouseEvent*>(event)->pos();
    for (const MergeChoice choice : kButtons) {
      if (!buttonRect(option.rect, index, choice).contains(at)) continue;
      Q_EMIT chosen(index, choice);
      return true;
    }
  }
  return RowDelegate::editorEvent(event, model, option, index);
}

ConflictView::ConflictView(QWidget* parent) : QTreeView(parent) {
  setRootIsDecorated(false);
  setIndentation(0);
  setUniformRowHeights(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setAllColumnsShowFocus(true);
  auto* delegate = new ConflictDelegate(this);
  setItemDelegate(delegate);
  connect(
      delegate, &ConflictDelegate::chosen, this,
      [this](const QModelIndex& index, MergeChoice choice) { Q_EMIT chosen(index.row(), choice); });
}

void ConflictView::setRows(MergeRows* rows) {
  setModel(rows);
  header()->setStretchLastSection(false);
  header()->setHighlightSections(false);
  header()->setSectionsMovable(false);
  header()->setMinimumSectionSize(60);
  header()->setSectionResizeMode(QHeaderView::Fixed);
}

/// Places are longer than values.
void ConflictView::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  const int take = ConflictDelegate::takeWidth();
  const int room = std::max(0, viewport()->width() - take);
  const int where = room * 38 / 100;
  header()->resizeSection(MergeRows::WhereColumn, where);
  for (const int side : {MergeRows::BaseColumn, MergeRows::OursColumn, MergeRows::TheirsColumn}) {
    header()->resizeSection(side, (room - where) / 3);
  }
  header()->resizeSection(MergeRows::TakeColumn, take);
}

bool ConflictView::take(MergeChoice choice) {
  const QModelIndex at = currentIndex();
  if (!at.isValid() || !isOffered(at, choice)) return false;
  Q_EMIT chosen(at.row(), choice);
  return true;
}

void ConflictView::keyPressEvent(QKeyEvent* event) {
  if (event->modifiers() == Qt::NoModifier && currentIndex().isValid()) {
    for (const Key& key : kKeys) {
      if (event->key() != key.key) continue;
      take(key.choice);
      return;
    }
    if (event->key() == Qt::Key_E && isOffered(currentIndex(), MergeChoice::Edited)) {
      Q_EMIT editRequested(currentIndex().row());
      return;
    }
    if (event->key() == Qt::Key_Delete) {
      Q_EMIT reopened(currentIndex().row());
      return;
    }
  }
  if (event->modifiers() == Qt::ControlModifier &&
      (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)) {
    take(event->key() == Qt::Key_Left ? MergeChoice::Ours : MergeChoice::Theirs);
    return;
  }
  QTreeView::keyPressEvent(event);
}

void ConflictView::contextMenuEvent(QContextMenuEvent* event) {
  const QModelIndex at = currentIndex();
  if (!at.isValid()) return;
  QMenu menu(this);
  const QPersistentModelIndex kept(at);
  for (const Key& key : kKeys) {
    QAction* action = menu.addAction(
        tr("Take %1\t%2")
            .arg(mergeChoiceTitle(key.choice).toLower(), QKeySequence(key.key).toString()));
    action->setEnabled(isOffered(at, key.choice));
    connect(action, &QAction::triggered, this, [this, kept, choice = key.choice] {
      if (kept.isValid()) Q_EMIT chosen(kept.row(), choice);
    });
  }
  QAction* edit = menu.addAction(tr("Own value…\tE"));
  edit->setEnabled(isOffered(at, MergeChoice::Edited));
  connect(edit, &QAction::triggered, this, [this, kept] {
    if (kept.isValid()) Q_EMIT editRequested(kept.row());
  });
  QAction* reopen = menu.addAction(tr("Open it again\tDel"));
  reopen->setEnabled(at.data(MergeRows::ChoiceRole).toInt() >= 0);
  connect(reopen, &QAction::triggered, this, [this, kept] {
    if (kept.isValid()) Q_EMIT reopened(kept.row());
  });
  menu.exec(event->reason() == QContextMenuEvent::Keyboard
                ? viewport()->mapToGlobal(visualRect(at).bottomLeft())
                : event->globalPos());
}

void ConflictView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTreeView::currentChanged(current, previous);
  Q_EMIT currentRowChanged(current.isValid() ? current.row() : -1);
}

}  // namespace tutti::fomedit
