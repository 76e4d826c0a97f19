// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QSet>
#include <QStandardItemModel>
#include <QTimer>
#include <QTreeView>

#include "composer/model/document.h"
#include "composer/ui/selection.h"

namespace tutti::composer {

/// The canvas as a tree, in step with its selection: what screen readers and the keyboard use.
class OutlinePane : public QTreeView {
  Q_OBJECT
 public:
  OutlinePane(Document& document, Selection& selection, QWidget* parent = nullptr);

  /// Shows federates whose name or component holds `text`.
  void setFilter(const QString& text);
  /// Brings the tree up to date at once.
  void sync();
  /// Opens the editor of the selected federate's or group's name.
  void renameSelected();

 Q_SIGNALS:
  /// Click or Return on a federate: show it on the canvas.
  void revealRequested(const QString& federateId);
  void deleteRequested();
  void enableRequested();
  void menuRequested(const QPoint& globalPosition);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;
  void selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) override;

 private:
  void fillItem(QStandardItem& item, const QString& id) const;
  void readSelection();
  void applySelection();

  Document& document_;
  Selection& selection_;
  QStandardItemModel model_;
  QTimer timer_;
  QString filter_;
  QHash<QString, QStandardItem*> items_;
  bool selecting_ = false;
};

}  // namespace tutti::composer
