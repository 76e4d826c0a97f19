// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QTreeView>

#include "composer/model/document.h"
#include "resources/theme/delegates.h"

class QListWidget;

namespace tutti::theme {
class SearchField;
}

namespace tutti::launcher {

/// A check box in a row: click or Space.
class CheckDelegate : public theme::RowDelegate {
  Q_OBJECT
 public:
  using RowDelegate::RowDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;
};

/// A row that shows text and edits a whole number (spin box) or yes and no (combo box).
class LaunchEditDelegate : public theme::RowDelegate {
  Q_OBJECT
 public:
  using RowDelegate::RowDelegate;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;
  void setModelData(QWidget* editor, QAbstractItemModel* model,
                    const QModelIndex& index) const override;
};

/// Which federates one waits for: a list with check boxes and a filter, under the cell it belongs
/// to. Those that wait for this one, directly or not, cannot be chosen and say so. Applied as one
/// undo step when it closes; Escape leaves all as it was.
class WaitsPopup : public QFrame {
  Q_OBJECT
 public:
  WaitsPopup(composer::Document* document, const QString& federate, QWidget* parent);

  QStringList chosen() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  composer::Document* document_;
  QString federate_;
  theme::SearchField* filter_;
  QListWidget* list_;
  bool cancelled_ = false;
};

/// The table of the launch order.
class LaunchOrderView : public QTreeView {
  Q_OBJECT
 public:
  LaunchOrderView(composer::Document* document, QWidget* parent = nullptr);

  void setModel(QAbstractItemModel* model) override;
  /// Opens the list of waits of the row.
  void editWaits(const QModelIndex& index);

 protected:
  bool edit(const QModelIndex& index, EditTrigger trigger, QEvent* event) override;

 private:
  composer::Document* document_;
};

}  // namespace tutti::launcher
