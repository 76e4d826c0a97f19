// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QPainterPath>
#include <vector>

#include "monitor/engine/snapshot.h"
#include "resources/theme/theme.h"

/// What the topology canvas draws: one item a box or bundle, no child items. They hold values, not
/// pointers into a snapshot, and change only by their set functions.
namespace tutti::monitor {

/// How much larger texts of groups, hosts and links are drawn at a zoom, and from how much on there
/// is no room for two lines.
double textGrowth(double zoom);
inline constexpr double oneLineGrowth = 1.1;
QFont grown(QFont font, double growth);
/// The zoom of a painter; its device's pixel ratio is no part of it.
double detailOf(const QPainter& painter);
/// Elided where it does not fit.
void drawText(QPainter& painter, const QRectF& rect, const QString& text, const QFont& font,
              const QColor& color, Qt::Alignment alignment = Qt::AlignLeft);
theme::Palette paletteFor(const QWidget* widget);

/// Anything with a name that can be selected.
class BoxItem : public QGraphicsItem {
 public:
  /// Of two boxes with one name `key` tells which is which; empty: the name is enough.
  explicit BoxItem(QString name, QSizeF size, const QString& key = {})
      : name_(std::move(name)), key_(key.isEmpty() ? name_ : key), size_(size) {
    setFlag(ItemIsSelectable);
  }
  const QString& name() const { return name_; }
  const QString& key() const { return key_; }
  QSizeF size() const { return size_; }
  void setSize(QSizeF size) {
    if (size == size_) return;
    prepareGeometryChange();
    size_ = size;
  }
  QRectF boundingRect() const override { return QRectF({}, size_).adjusted(-4, -4, 4, 4); }

 protected:
  QRectF body() const { return {{}, size_}; }

 private:
  QString name_;
  QString key_;
  QSizeF size_;
};

class FederateItem : public BoxItem {
 public:
  static constexpr QSizeF fullSize{148, 48};
  explicit FederateItem(const QString& name) : BoxItem(name, fullSize) {}

  /// Gauges now, texts only when `text`; repaints what changed.
  void setView(const FederateView& view, bool text, bool stale);
  int type() const override { return UserType + 1; }

 protected:
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  QRectF pieRect() const { return {10, 12, 24, 24}; }
  FederateCondition condition_ = FederateCondition::Starting;
  double user_ = unknown;
  double system_ = unknown;
  QString cpu_;
  QString second_;
  bool stale_ = false;
};

/// Federates of a group, or of one component, as heat cells; opens in place.
class GroupItem : public BoxItem {
 public:
  static constexpr double cell = 11;
  static constexpr double pitch = 15;
  static constexpr double headerHeight = 44;
  struct Cell {
    QString federate;
    FederateCondition condition = FederateCondition::Running;
    double cpu = unknown;
  };
  /// `across`: so many cells stand in a row.
  GroupItem(const QString& name, const QString& key, int across)
      : BoxItem(name, {217, 80}, key), across_(across) {}
  /// Sets the size for that many cells.
  void setCells(std::vector<Cell> cells, double out, double in, bool text);
  void setOpen(bool open, QSizeF openSize);
  bool isOpen() const { return open_; }
  /// The federate under a point of the item; empty: none.
  QString federateAt(QPointF position) const;
  int type() const override { return UserType + 3; }
  static QSizeF sizeFor(std::size_t cells, int across);

 protected:
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  static int columnsFor(std::size_t cells, int across);
  void paintHeader(QPainter& painter, double growth, const theme::Palette& palette) const;
  void paintSpread(QPainter& painter, double growth, const theme::Palette& palette) const;
  int across_;
  std::vector<Cell> cells_;
  QString count_;
  QString rate_;
  QString spread_;
  std::vector<int> histogram_;
  bool open_ = false;
};

/// One bundle of data between two boxes (or a box and its node).
class LinkItem : public QGraphicsItem {
 public:
  enum class Style {
    Flow,
    Dead,
    Silent,  ///< what is at its other end does not answer
  };
  LinkItem() { setZValue(-1); }
  void setPath(const QPainterPath& path);
  const QPainterPath& path() const { return path_; }
  /// Where the hollow queue segment lies, along the way; empty: none.
  void setQueueRect(QRectF rect, QPointF labelAt);
  void setView(double perSecond, double fill, Style style, bool text);
  void setDimmed(bool dimmed);
  void setEnds(QString from, QString to) {
    from_ = std::move(from);
    to_ = std::move(to);
  }
  const QString& from() const { return from_; }
  const QString& to() const { return to_; }
  /// The classes it carries, as the composition says; to be set before the first setView().
  void setClasses(const QStringList& classes) { classes_ = classes; }
  const QStringList& classes() const { return classes_; }
  QRectF boundingRect() const override { return bounds_; }
  QPainterPath shape() const override;
  int type() const override { return UserType + 4; }

 protected:
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  void updateBounds();
  QRectF queueLabelRect() const { return {queueLabelAt_ - QPointF(0, 13), QSizeF(140, 26)}; }
  QPainterPath path_;
  QRectF bounds_;
  QRectF queue_;
  QPointF queueLabelAt_;
  double width_ = 1.5;
  double fill_ = unknown;
  Style style_ = Style::Flow;
  bool dimmed_ = false;
  QString rate_;
  QString queueLabel_;
  QString from_;
  QString to_;
  QStringList classes_;
};

/// What a bundle carries as a chip on its way, above all links: its classes and, below them, how
/// many messages a second.
class RateItem : public QGraphicsItem {
 public:
  RateItem() {
    setZValue(2);
    setAcceptedMouseButtons(Qt::NoButton);
  }
  /// The first of them by name, the others as a number; none leaves the rate alone.
  void setClasses(const QStringList& classes);
  void setView(double perSecond);
  /// Instead of classes and rate: what is wrong with it; empty: nothing is.
  void setWarning(const QStringList& lines);
  void setDimmed(bool dimmed) { setVisible(!dimmed); }
  /// What stands on the chip, line by line.
  QStringList lines() const;
  /// Room for the widest rate where texts are drawn larger by `growth`.
  QRectF room(double growth) const;
  QRectF boundingRect() const override;
  int type() const override { return UserType + 5; }

 protected:
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  QString classes_;
  QString text_;
  QStringList warning_;
};

}  // namespace tutti::monitor
