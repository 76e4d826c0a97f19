// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/rows.h"

#include <algorithm>

#include "resources/theme/tokens.h"

namespace tutti::theme {

namespace {

RowSize g_rowSize = RowSize::Dense;

/// Only there to tell.
class Announcer : public QObject {
  Q_OBJECT
 Q_SIGNALS:
  void changed();
};

Announcer& announcer() {
  static Announcer instance;
  return instance;
}

}  // namespace

RowSize rowSize() { return g_rowSize; }

void setRowSize(RowSize size) {
  if (size == g_rowSize) return;
  g_rowSize = size;
  Q_EMIT announcer().changed();
}

int rowHeight(int dense) {
  return g_rowSize == RowSize::Large ? std::max(dense, height::kRowTouch) : dense;
}

void followRowSize(QObject* context, std::function<void()> update) {
  update();
  QObject::connect(&announcer(), &Announcer::changed, context, std::move(update));
}

PlainRowDelegate::PlainRowDelegate(QObject* parent) : QStyledItemDelegate(parent) {
  QObject::connect(&announcer(), &Announcer::changed, this,
                   [this] { Q_EMIT sizeHintChanged(QModelIndex()); });
}

QSize PlainRowDelegate::sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const {
  const QSize own = QStyledItemDelegate::sizeHint(option, index);
  return QSize(own.width(), std::max(own.height(), rowHeight(height::kRowCompact)));
}

}  // namespace tutti::theme

#include "rows.moc"
