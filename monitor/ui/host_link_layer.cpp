// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/host_link_layer.h"

#include <QGraphicsScene>
#include <algorithm>
#include <cmath>

#include "monitor/engine/host_links.h"
#include "monitor/ui/host_item.h"
#include "monitor/ui/topology_items.h"
#include "monitor/ui/topology_layout.h"
#include "resources/theme/format.h"

namespace tutti::monitor {

namespace {

/// Ends of several links at one bar stand so far apart.
constexpr double laneGap = 9;
/// How far a link between hosts of one column bends out of it.
constexpr double bend = 90;

const HostView* hostOf(const Snapshot& snapshot, const QString& name) {
  for (const HostView& host : snapshot.otherHosts) {
    if (host.name == name) return &host;
  }
  return nullptr;
}

QRectF rectOf(const HostItem& host) { return {host.pos(), host.size()}; }

/// 0, 1, -1, ...: the way of a lane beside the middle of the bar.
double laneOffset(int lane) { return (lane % 2 == 0 ? -1 : 1) * ((lane + 1) / 2) * laneGap; }

}  // namespace

void HostLinkLayer::clear() {
  links_.clear();
  labels_.clear();
}

void HostLinkLayer::build(QGraphicsScene& scene, const QMap<QString, HostItem*>& hosts,
                          const QMap<QString, int>& columnOf, const Snapshot& snapshot,
                          double growth) {
  QList<HostPair> pairs(pairs_.drawn().begin(), pairs_.drawn().end());
  std::sort(pairs.begin(), pairs.end());
  QMap<QPair<QString, bool>, int> lanes;  // used at each bar's left (false) and right edge
  const auto end = [&](const HostItem& host, bool right) {
    const QRectF bar = host.barRect().translated(host.pos());
    return QPointF(right ? bar.right() : bar.left(),
                   bar.center().y() + laneOffset(lanes[{host.name(), right}]++));
  };
  for (const HostPair& pair : std::as_const(pairs)) {
    const HostItem* from = hosts.value(pair.first);
    const HostItem* to = hosts.value(pair.second);
    if (from == nullptr || to == nullptr) continue;
    const int fromColumn = columnOf.value(pair.first);
    const int toColumn = columnOf.value(pair.second);
    QPainterPath path;
    if (fromColumn == toColumn) {
      // Beside the column, where there are others.
      const bool right = fromColumn == 0;
      const QPointF start = end(*from, right);
      const QPointF stop = end(*to, right);
      const QPointF out(right ? bend : -bend, 0);
      path.moveTo(start);
      path.cubicTo(start + out, stop + out, stop);
    } else {
      const HostItem* left = fromColumn < toColumn ? from : to;
      const HostItem* right = fromColumn < toColumn ? to : from;
      std::vector<QRectF> between;
      for (const HostItem* other : hosts) {
        if (other != left && other != right) between.push_back(rectOf(*other));
      }
      path = wayAround(end(*left, true), end(*right, false), between);
    }
    auto* link = new LinkItem;
    link->setZValue(-1.5);  // above the hosts, below what stands in them
    link->setEnds(pair.first, pair.second);
    link->setPath(path);
    scene.addItem(link);
    links_.insert(pair, link);
    auto* label = new RateItem;
    scene.addItem(label);
    labels_.insert(pair, label);
  }
  refresh(snapshot);
  placeLabels(hosts, growth);
}

void HostLinkLayer::placeLabels(const QMap<QString, HostItem*>& hosts, double growth) {
  std::vector<QRectF> taken;
  for (const HostItem* host : hosts) taken.push_back(rectOf(*host));
  for (auto label = labels_.cbegin(); label != labels_.cend(); ++label) {
    const QRectF room = label.value()->room(growth);
    const QPointF place = placeOnWay(links_.value(label.key())->path(), room, taken);
    label.value()->setPos(place);
    taken.push_back(room.translated(place));
  }
}

void HostLinkLayer::refresh(const Snapshot& snapshot) {
  const QMap<HostPair, double> rates = HostPairs::rates(snapshot);
  const QMap<HostPair, double> broken = HostPairs::broken(snapshot);
  for (auto link = links_.cbegin(); link != links_.cend(); ++link) {
    HostReach reach = HostReach::Answers;
    double silent = 0;
    for (const QString& end : {link.key().first, link.key().second}) {
      const HostView* host = hostOf(snapshot, end);
      if (host == nullptr) continue;
      if (host->reach == HostReach::Lost || host->reach == HostReach::Ended) {
        reach = host->reach;
      } else if (host->reach == HostReach::Unreachable && reach == HostReach::Answers) {
        reach = host->reach;
        silent = host->reachSeconds;
      }
    }
    QStringList warning;
    if (reach == HostReach::Unreachable) {
      warning << QStringLiteral("no answer %1\u202fs").arg(std::floor(silent));
      // What waits is known of the links of this host.
      for (const HostLinkView& known : snapshot.hostLinks) {
        if (link.key().first == snapshot.host.name && hostBehind(known) == link.key().second &&
            known.keptBytes > 0)
          warning << QStringLiteral("%1 kept").arg(
              theme::formatBytes(static_cast<double>(known.keptBytes)));
      }
    }
    const bool isBroken = reach == HostReach::Answers && broken.contains(link.key());
    if (isBroken) {
      warning
          << QStringLiteral("past the home %1\u202fs").arg(std::floor(broken.value(link.key())));
    }
    const double rate = rates.value(link.key(), 0);
    link.value()->setView(rate, unknown,
                          isBroken                          ? LinkItem::Style::Silent
                          : reach == HostReach::Answers     ? LinkItem::Style::Flow
                          : reach == HostReach::Unreachable ? LinkItem::Style::Silent
                                                            : LinkItem::Style::Dead,
                          true);
    RateItem* label = labels_.value(link.key());
    label->setView(reach == HostReach::Answers ? rate : 0);
    label->setWarning(warning);
  }
}

}  // namespace tutti::monitor
