// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <QPoint>
#include <QSet>
#include <functional>
#include <optional>
#include <vector>

#include "launcher/ui/board_content.h"

namespace tutti::launcher {

/// Where the boxes and cards of a board are, for a width; pure.
struct BoardLayout {
  struct Box {
    QRect rect;
    std::vector<QRect> cards;
    struct Group {
      QString name;
      QRect rect;
      int first = 0;  ///< cards of it, in the box
      int count = 0;
    };
    std::vector<Group> groups;
  };
  std::vector<Box> boxes;
  int height = 0;
  bool compact = false;  ///< cards of one line

  /// `least`: the height that is there, which boxes fill when all are in one row.
  static BoardLayout of(const std::vector<BoardBox>& boxes, int width, int least);
};

/// Hosts as boxes with their federates as cards. Cards are selected like items of a list and
/// dragged to another box, one, several, a group by its name, or all of a host by its title. The
/// board moves nothing itself. The table of the launch order has the same for a screen reader.
class PlacementBoard : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit PlacementBoard(QWidget* parent = nullptr);

  void setContent(std::vector<BoardBox> boxes);
  const std::vector<BoardBox>& content() const { return boxes_; }
  /// The whole story of a federate, for its tool tip.
  void setTip(std::function<QString(const QString& id)> tip) { tip_ = std::move(tip); }

  /// Selected federates, in the order of the board.
  QStringList selection() const;
  QString current() const { return current_; }
  void setCurrent(const QString& id);
  void select(const QStringList& ids);
  void selectAll();
  /// The box with this key stands out.
  void setMarkedHost(const std::optional<QString>& key);

  /// Where a card, or a box's title, is on the viewport; for tests.
  QRect cardRect(const QString& id) const;
  QRect titleRect(const QString& key) const;
  /// All boxes, whatever part is on the screen.
  QSize fullSize() const;
  /// Light, and without what is selected or pointed at.
  void renderLight(QPainter& painter) const;

 Q_SIGNALS:
  void currentChanged(const QString& id);
  void selectionChanged();
  /// Federates were dropped on a host, or sent there by key.
  void moveRequested(const QStringList& ids, const QString& key);
  void pinRequested(const QStringList& ids, bool pinned);
  void menuRequested(const QPoint& globalPosition);
  /// Return or a double click.
  void activated(const QString& id);
  void hostClicked(const QString& key);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  struct Place {
    int box = -1;
    int card = -1;
    int group = -1;
    bool title = false;
    bool pin = false;
    bool operator==(const Place&) const = default;
  };
  Place at(const QPoint& onViewport) const;
  Place placeOf(const QString& id) const;
  const BoardCard* cardAt(const Place& place) const;
  /// What a press there is about: a card, a group, all of a box.
  QStringList idsAt(const Place& place) const;
  QRect rectOf(const Place& place) const;
  void relayout();
  /// What meets `shown`, from the top of the board.
  void paintBoxes(QPainter& painter, const QRect& shown, const theme::Palette& palette) const;
  void paintBox(QPainter& painter, int box, const theme::Palette& palette) const;
  void paintCard(QPainter& painter, const BoardCard& card, const QRect& rect,
                 const theme::Palette& palette) const;
  void makeCurrent(const QString& id, bool extend);
  void step(Qt::Key key, bool extend);
  /// The selected ones to the next host, or the one before.
  void sendOn(int direction);
  void startDrag();
  void makeVisible(const QString& id);
  void describe();

  std::vector<BoardBox> boxes_;
  BoardLayout layout_;
  std::function<QString(const QString&)> tip_;
  QSet<QString> selected_;
  QString current_;
  QString anchor_;
  std::optional<QString> marked_;
  std::optional<Place> pressed_;
  QPoint pressedAt_;
  bool collapseOnRelease_ = false;  ///< a press on one of several selected may begin a drag
  Place hovered_;
  int target_ = -1;  ///< the box that a drop would go to
};

}  // namespace tutti::launcher
