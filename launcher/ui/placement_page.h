// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

#include "composer/model/document.h"
#include "launcher/ui/board_content.h"

class QComboBox;
class QLabel;
class QMenu;
class QPushButton;
class QStackedWidget;

namespace tutti::theme {
class SegmentedControl;
}

namespace tutti::launcher {

class AutoPlacement;
class HostWatch;
class MatrixView;
class PartitionPlacement;
class PlacementBoard;
struct PartitionName;

/// The centre of the page: which federate is on which host, and why. What a person moves, pins or
/// keeps apart is an edit of the document. By host and by need it is a board; on the nodes of a
/// cluster it is a matrix of groups and nodes, which is what comes first when most are there.
class PlacementPage : public QWidget {
  Q_OBJECT

 public:
  PlacementPage(composer::Document* document, HostWatch* watch, AutoPlacement* placement,
                PartitionPlacement* partitions, QWidget* parent = nullptr);

  PlacementBoard* board() const { return board_; }
  MatrixView* matrix() const { return matrix_; }
  /// What has the focus of the page: the board, or the matrix.
  QWidget* shownView() const;
  /// Selected federates, of the board or the matrix.
  QStringList selection() const;
  void setCurrent(const QString& id);
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
  void showCaption();
  void showMatrix();
  bool isMatrix() const;
  /// Those that are not pinned to these nodes; that all are pinned is said.
  void moveTo(const QStringList& ids, const std::vector<int>& nodes);
  /// Puts federates on numbered nodes of the matrix's partition, one undo step.
  void moveInMatrix(const std::map<QString, int>& numbers);
  void setCount(const QString& rowKey, const std::vector<int>& nodes, int count);
  void showReason();
  void showMenu(const QPoint& globalPosition);
  BoardOrder order() const;

  composer::Document* document_;
  HostWatch* watch_;
  AutoPlacement* placement_;
  PartitionPlacement* partitions_;
  PlacementBoard* board_;
  MatrixView* matrix_;
  QStackedWidget* views_;
  QComboBox* partition_;
  QLabel* caption_;
  theme::SegmentedControl* order_;
  QPushButton* place_;
  QLabel* reason_;
  QTimer refresh_;
  bool isOrderChosen_ = false;  ///< by a person; else it follows where the federates are
};

}  // namespace tutti::launcher
