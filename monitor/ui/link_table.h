// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "monitor/ui/link_model.h"

class QLabel;
class QTreeView;

namespace tutti::theme {
class DockTitleBar;
class SearchField;
class StatePill;
}  // namespace tutti::theme

namespace tutti::monitor {

/// The links with other hosts as a table, with its filters: pills that count those that are up and
/// those without an answer, and a text field. Columns go where there is no room.
class LinkTable : public QWidget {
  Q_OBJECT

 public:
  explicit LinkTable(QWidget* parent = nullptr);

  /// Puts the filters into the title bar of the pane.
  void placeFilters(theme::DockTitleBar* bar);
  void setSnapshot(const SnapshotPointer& snapshot);
  /// The rows in sight, in their order.
  const LinkFilter& rows() const { return *filter_; }
  void setSearchVisible(bool visible);

 signals:
  /// The menu of a link is asked for, by the mouse or by a key; a place on the screen.
  void menuRequested(const QString& address, const QPoint& at);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildTable();
  void updateColumns();
  void updateFilters();
  void setShow(LinkFilter::Show show);

  LinkModel* model_;
  LinkFilter* filter_;
  QTreeView* table_;
  QLabel* noMatch_;
  theme::DockTitleBar* bar_ = nullptr;
  theme::StatePill* up_;
  theme::StatePill* noAnswer_;
  theme::SearchField* search_;
};

}  // namespace tutti::monitor
