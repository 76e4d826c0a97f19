// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>
#include <functional>

#include "monitor/engine/snapshot.h"
#include "monitor/ui/federate_model.h"

class QLabel;
class QTreeView;

namespace tutti::theme {
class DockTitleBar;
class SearchField;
class SegmentedControl;
class StatePill;
}  // namespace tutti::theme

namespace tutti::monitor {

/// The federates of a run as a table, with its filters: few federates have pills that count them by
/// state, many have segments and a text field. What needs a person stands first. Names are never
/// cut; columns go where there is no room, and nothing scrolls sideways.
class FederateTable : public QWidget {
  Q_OBJECT

 public:
  explicit FederateTable(QWidget* parent = nullptr);

  /// Puts the filters into the title bar of the pane; before the first snapshot.
  void placeFilters(theme::DockTitleBar* bar);
  /// At most twice a second.
  void setSnapshot(const SnapshotPointer& snapshot);
  /// Selects these, makes the first of them current and scrolls to it; empty: none. Where just
  /// these are selected nothing moves.
  void select(const QStringList& federates);
  void setShow(FederateFilter::Show show);
  void focusFilter();

  const FederateModel& model() const { return *model_; }
  /// The rows in sight, in their order.
  const FederateFilter& rows() const { return *filter_; }

 signals:
  /// A person has selected these, in the order of the rows.
  void selected(const QStringList& federates);
  void activated();
  /// The menu of what is selected is asked for, by the mouse or by a key; a place on the screen.
  void menuRequested(const QStringList& federates, const QPoint& at);
  /// Del: these federates shall end.
  void endRequested(const QStringList& federates);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void buildTable();
  void buildFilters();
  QStringList selection() const;
  void applyFilter(const std::function<void()>& change);
  void measureNames();
  void updateColumns();
  void updateFilters();

  SnapshotPointer snapshot_;
  FederateModel* model_;
  FederateFilter* filter_;
  QTreeView* table_;
  QLabel* noMatch_;
  theme::DockTitleBar* bar_ = nullptr;
  theme::SegmentedControl* show_;
  theme::SearchField* search_;
  theme::StatePill* pills_[4];
  int nameWidth_ = 0;
  bool taking_ = false;  ///< rows change, and with them the selection, by nobody's hand
};

}  // namespace tutti::monitor
