// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsView>
#include <QHash>
#include <QMap>
#include <QSet>

#include "monitor/engine/snapshot.h"
#include "monitor/ui/box_groups.h"
#include "monitor/ui/host_link_layer.h"
#include "monitor/ui/topology_items.h"
#include "monitor/ui/topology_layout.h"

namespace tutti::monitor {

/// What the composition says of a run's federates.
struct ComposedRun {
  /// One class of the data flow, by the names of the federates that send and receive it.
  struct FlowClass {
    QString name;  ///< as shown: "Flight"
    QSet<QString> publishers;
    QSet<QString> subscribers;
  };
  QHash<QString, QString> groups;  ///< name of the group by federate; absent: in none
  QSet<QString> collapsed;         ///< groups that the composition shows closed
  std::vector<FlowClass> classes;
};

/// The run as boxes and links: by host, or by who sends to whom. Federates of a group of the
/// composition stand in its box, which opens and closes. In a run of many, all federates stand in
/// boxes with a heat cell each, in the shape that shows them largest.
/// Keeps positions as long as the same things are there and the room for them is about the same.
class TopologyView : public QGraphicsView {
  Q_OBJECT

 public:
  enum class Mode { Hosts, DataFlow };
  explicit TopologyView(QWidget* parent = nullptr);

  /// Gauges now, texts only when `text`.
  void setSnapshot(const SnapshotPointer& snapshot, bool text);
  /// What groups and links are called; asked for when a run begins.
  void setComposed(ComposedRun composed);
  void setMode(Mode mode);
  Mode mode() const { return mode_; }
  /// Each federate stands in a group, for there are many.
  bool isGrouped() const { return groupsOf_.isMany(); }
  /// The groups, in the order of their names; none when each federate has its own box.
  QStringList groups() const;
  /// The federates of a group, or of the box with that key, in the order of the run.
  QStringList federatesOf(const QString& group) const;
  bool isGroupOpen(const QString& group) const { return groupsOf_.isOpen(group); }
  void setAllGroupsOpen(bool open);
  /// Bundles between different boxes, and links in them.
  int bundles() const { return static_cast<int>(flows_.size()); }
  int linkCount() const { return snapshot_ ? static_cast<int>(snapshot_->links.size()) : 0; }

  /// Selects a federate or a group; empty: nothing.
  void select(const QString& name);
  QString selected() const { return selected_; }

  /// Links between two other hosts that carry data and have no line here.
  qsizetype linksLeft() const { return mode_ == Mode::Hosts ? hostLinks_.pairs().left() : 0; }

  double zoom() const { return transform().m11(); }
  void setZoom(double zoom);
  void fit();
  /// All of the scene, for an export.
  void renderAll(QPainter& painter, const QRectF& target);
  QRectF contentRect() const;

 signals:
  void federateSelected(const QString& federate);
  /// The menu of a federate, or of all of a group's box, is asked for, at a place of the screen.
  void federatesMenuRequested(const QStringList& federates, const QPoint& at, const QString& group);
  /// Likewise of a host's box.
  void hostMenuRequested(const QString& host, const QPoint& at);
  void zoomChanged(double zoom);

 protected:
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Bundle {
    double rate = 0;
    double fill = unknown;
    int links = 0;
  };
  /// How groups are laid out: cells in a row of a group, groups beside each other in a host.
  struct Shape {
    int across = 17;
    std::size_t columns = 4;
    bool operator==(const Shape&) const = default;
  };
  /// Where hosts stand: so many in a row, each in its column.
  struct Grid {
    std::size_t inRow = 1;
    std::vector<double> left;     ///< of the columns
    std::vector<double> top;      ///< of the rows
    std::vector<double> heights;  ///< of the rows
    QSizeF size;
  };
  Grid gridOf(const std::vector<QSizeF>& hosts, std::size_t inRow) const;
  std::size_t bestHostsInRow(const std::vector<QSizeF>& hosts) const;
  /// In the room that there is now, boxes could be shown much larger.
  bool isWorthMoving() const;
  QString signature() const;
  /// Key of the box that a federate is in: of its group, on its host; or its name.
  QString boxKeyOf(const FederateView& view) const;
  /// Which classes go from one box to another, by name.
  QStringList classesBetween(const QString& from, const QString& to) const;
  /// Adds the links up between boxes; a federation may have as many as pairs of federates.
  void bundleLinks();
  void rebuild();
  void buildHosts();
  void buildDataFlow();
  void placeRates();
  /// The shape of groups that is largest in the view.
  Shape bestShape() const;
  /// How large all boxes are together in that shape.
  QSizeF sizeIn(const Shape& shape) const;
  QSizeF groupSize(const QString& group, qsizetype federates, const Shape& shape) const;
  /// How the boxes of one host stand in columns.
  Columns hostColumns(QList<BoxItem*>& boxes, bool alone) const;
  void placeInHost(const HostItem& host, const QList<BoxItem*>& boxes, const Columns& columns);
  QString hostTip(const HostItem& host) const;
  /// The hosts of the run, this one first.
  QStringList hostNames() const;
  std::vector<QPointF> flowPlaces(const QStringList& names, const std::vector<QSizeF>& sizes) const;
  double fittingZoom(QSizeF content) const;
  QList<BoxItem*> makeBoxes(const QStringList& federates);
  BoxItem* boxOf(const QString& federate) const;
  void refresh(bool text);
  void refreshGroup(GroupItem* group, bool text);
  void toggleGroup(const QString& group);
  void applySelection();
  void moveSelection(QPointF direction);
  QSizeF openSize(qsizetype count) const;
  void afterBuild();

  SnapshotPointer snapshot_;
  ComposedRun composed_;
  Mode mode_ = Mode::Hosts;
  BoxGroups groupsOf_;
  QString signature_;
  QStringList boxNames_;  ///< keys of boxes
  /// What a box sends and receives, as the composition says: one bit a class of composed_.
  struct BoxClasses {
    std::vector<bool> sends;
    std::vector<bool> receives;
  };
  QHash<QString, BoxClasses> boxClasses_;
  std::vector<Bundle> bundles_;  ///< boxNames_ x boxNames_, sender first
  QHash<QString, FederateItem*> federates_;
  QMap<QString, GroupItem*> groups_;  ///< by key
  QHash<QString, QString> groupOf_;   ///< key, of a federate that is shown in a group
  QMap<QString, HostItem*> hosts_;
  HostLinkLayer hostLinks_;
  QHash<QString, LinkItem*> uplinks_;               ///< to the node, by key of the box
  QMap<QPair<QString, QString>, LinkItem*> flows_;  ///< between boxes
  QMap<QPair<QString, QString>, RateItem*> rates_;  ///< of flows, where they are few
  QString selected_;                                ///< a federate, or the key of a group
  bool userZoomed_ = false;
  Shape shape_;
  std::size_t hostsInRow_ = 1;
  QSize shapedFor_;  ///< the room the shape was chosen for
};

}  // namespace tutti::monitor
