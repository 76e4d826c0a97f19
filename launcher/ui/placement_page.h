// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

#include "composer/model/document.h"
#include "launcher/ui/board_content.h"

class QLabel;
class QMenu;
class QPushButton;

namespace tutti::theme {
class SegmentedControl;
}

namespace tutti::launcher {

class AutoPlacement;
class HostWatch;
class PartitionPlacement;
class PlacementBoard;
struct PartitionName;

/// The centre of the page: which federate is on which host, and why. What a person moves, pins or
/// keeps apart is an edit of the document.
class PlacementPage : public QWidget {
  Q_OBJECT

 public:
  PlacementPage(composer::Document* document, HostWatch* watch, AutoPlacement* placement,
                PartitionPlacement* partitions, QWidget* parent = nullptr);

  PlacementBoard* board() const { return board_; }
  /// Puts federates on a host, one undo step; those that are there already are left alone. What a
  /// node of a cluster cannot be given for is refused.
  void move(const QStringList& ids, const QString& key);
  /// Puts federates on the first free node of a partition.
  void moveToFreeNode(const QStringList& ids, const PartitionName& partition);
  /// What can be done with the selected federates.
  void fillMenu(QMenu& menu);
  /// All that is shown is looked at again, soon.
  void refresh() { refresh_.start(); }

 Q_SIGNALS:
  void currentChanged(const QString& id);
  void showOnComposeRequested(const QString& id);
  void hostClicked(const QString& key);
  /// Federates stay where they are, and why.
  void refused(const QString& title, const QString& detail);

 private:
  void addMoves(QMenu& menu, const QStringList& ids);
  void show();
  void showReason();
  void showMenu(const QPoint& globalPosition);
  BoardOrder order() const;

  composer::Document* document_;
  HostWatch* watch_;
  AutoPlacement* placement_;
  PartitionPlacement* partitions_;
  PlacementBoard* board_;
  QLabel* caption_;
  theme::SegmentedControl* order_;
  QPushButton* place_;
  QLabel* reason_;
  QTimer refresh_;
};

}  // namespace tutti::launcher
