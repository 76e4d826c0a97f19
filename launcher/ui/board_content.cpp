// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/board_content.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "launcher/engine/partition_spread.h"
#include "launcher/ui/auto_placement.h"
#include "launcher/ui/host_watch.h"
#include "resources/theme/format.h"

namespace tutti::launcher {

using theme::State;

namespace {

QString figure(double value) { return QString::number(value, 'g', 4); }

QString coresText(double cores) {
  return cores == 1 ? HostsModel::tr("1 core") : HostsModel::tr("%1 cores").arg(figure(cores));
}

NodeNeed needsOf(const composer::Document& document, const composer::Federate& federate) {
  return nodeNeedOf(federate, document.manifestOf(federate.id));
}

BoardCard cardOf(const composer::Document& document, const composer::Federate& federate) {
  BoardCard card;
  const auto* manifest = document.manifestOf(federate.id);
  card.id = federate.id;
  card.name = federate.count == 1 ? federate.name
                                  : HostsModel::tr("%1 ×%2").arg(federate.name).arg(federate.count);
  card.icon = manifest == nullptr || manifest->icon.isEmpty() ? QStringLiteral("component")
                                                              : manifest->icon;
  card.enabled = federate.enabled;
  card.pinned = federate.pinned;
  card.apart = !federate.apart.isEmpty();
  const auto group = document.composition().groups.find(federate.group);
  if (group != document.composition().groups.end()) card.group = group->second.name;
  if (!federate.enabled) {
    card.state = State::Disabled;
    card.detail = HostsModel::tr("disabled");
    return card;
  }
  const NodeNeed needs = needsOf(document, federate);
  if (manifest == nullptr) {
    card.detail = HostsModel::tr("unknown component");
    card.state = State::Warning;
    return card;
  }
  QStringList parts{coresText(needs.cores)};
  if (needs.memoryMb > 0) parts << theme::formatBytes(needs.memoryMb * 1e6);
  for (const QString& label : needs.labels) parts << HostsModel::tr("label %1").arg(label);
  card.detail = parts.join(QStringLiteral(", "));
  return card;
}

/// Marks what the host lacks for this federate.
void judge(BoardCard& card, const NodeNeed& needs, const HostView& host) {
  if (card.state != State::Idle || !card.enabled) return;
  QStringList missing;
  for (const QString& label : needs.labels) {
    if (!host.host.labels.contains(label)) missing << label;
  }
  if (missing.isEmpty()) return;
  card.state = State::Warning;
  card.detail = missing.size() == 1
                    ? HostsModel::tr("no label %1 here").arg(missing.front())
                    : HostsModel::tr("no labels %1 here").arg(missing.join(QStringLiteral(", ")));
}

void judge(BoardBox& box, const HostView& host, const HostNeeds& needs,
           const QStringList& together) {
  box.figure = host.cores > 0
                   ? HostsModel::tr("%1 of %2").arg(figure(needs.cores), coresText(host.cores))
                   : coresText(needs.cores);
  QStringList over;
  if (host.cores > 0 && needs.cores > host.cores + 1e-9)
    over << HostsModel::tr("%1 too many").arg(coresText(needs.cores - host.cores));
  if (host.memoryMb > 0 && needs.memoryMb > host.memoryMb)
    over << HostsModel::tr("%1 too much memory")
                .arg(theme::formatBytes((needs.memoryMb - host.memoryMb) * 1e6));
  if (!together.isEmpty())
    over << HostsModel::tr("%1 are to be kept apart").arg(together.join(HostsModel::tr(" and ")));
  if (host.condition == HostView::Condition::Silent && needs.federates > 0)
    over.prepend(HostsModel::tr("No answer"));
  box.note = over.join(QStringLiteral(", "));
  if (host.isJobNode() && over.isEmpty())
    box.note = HostsModel::tr("Slurm chooses it when the run starts");
  box.state = over.isEmpty()                                  ? State::Idle
              : host.condition == HostView::Condition::Silent ? State::Error
                                                              : State::Warning;
}

void sort(std::vector<BoardCard>& cards) {
  std::sort(cards.begin(), cards.end(), [](const BoardCard& a, const BoardCard& b) {
    // Groups first, each together.
    return std::make_tuple(a.group.isEmpty(), a.group, a.name, a.id) <
           std::make_tuple(b.group.isEmpty(), b.group, b.name, b.id);
  });
}

/// Two enabled federates of one host that have a set in common; empty: there are none.
QStringList apartOn(const composer::Document& document, const std::vector<BoardCard>& cards) {
  std::map<QString, QString> first;
  for (const BoardCard& card : cards) {
    const auto* federate = document.federate(card.id);
    if (federate == nullptr || !federate->enabled) continue;
    for (const QString& set : federate->apart) {
      const auto [known, isNew] = first.emplace(set, federate->name);
      if (!isNew) return {known->second, federate->name};
    }
  }
  return {};
}

std::vector<BoardBox> byHost(const composer::Document& document, const HostWatch& watch,
                             const AutoPlacement& placement) {
  const auto needs = needsByHost(document, watch);
  BoardBox none;
  none.title = HostsModel::tr("Not placed");
  none.icon = QStringLiteral("state-idle");
  std::map<QString, std::vector<BoardCard>> cards;
  for (const auto& [id, federate] : document.composition().federates) {
    BoardCard card = cardOf(document, federate);
    const HostView* host = watch.find(federate.host);
    const auto refused = placement.refused().find(id);
    if (refused != placement.refused().end()) {
      card.state = State::Error;
      card.detail = refused->second.reason;
      none.cards.push_back(std::move(card));
    } else if (host == nullptr) {
      card.state = State::Error;
      const auto node = watch.deployment().jobNode(federate.host);
      card.detail =
          node && !*node
              ? HostsModel::tr("on %1: %2").arg(federate.host, node->error().what)
              : HostsModel::tr("on %1, which the hosts file does not describe").arg(federate.host);
      none.cards.push_back(std::move(card));
    } else {
      judge(card, needsOf(document, federate), *host);
      cards[host->key].push_back(std::move(card));
    }
  }
  std::vector<BoardBox> result;
  if (!none.cards.empty()) {
    none.figure = theme::formatNoun(static_cast<qint64>(none.cards.size()),
                                    HostsModel::tr("federate"), HostsModel::tr("federates"));
    none.state = State::Error;
    sort(none.cards);
    result.push_back(std::move(none));
  }
  for (const HostView& host : watch.hosts()) {
    BoardBox box;
    box.key = host.key;
    box.isHost = true;
    box.title = host.name;
    box.icon = host.isJobNode() ? QStringLiteral("cluster") : QStringLiteral("computer");
    box.cards = std::move(cards[host.key]);
    sort(box.cards);
    judge(box, host, needs.value(host.key), apartOn(document, box.cards));
    result.push_back(std::move(box));
  }
  return result;
}

std::vector<BoardBox> byNeed(const composer::Document& document, const HostWatch& watch) {
  // In this order: labels by name, then by cores.
  std::map<std::pair<int, QString>, BoardBox> boxes;
  for (const auto& [id, federate] : document.composition().federates) {
    const NodeNeed needs = needsOf(document, federate);
    BoardCard card = cardOf(document, federate);
    const HostView* host = watch.find(federate.host);
    card.detail = host == nullptr ? HostsModel::tr("%1, not described").arg(federate.host)
                                  : HostsModel::tr("%1, on %2").arg(card.detail, host->name);
    QString title;
    int rank = 0;
    if (!needs.labels.isEmpty()) {
      QStringList labels = needs.labels;
      labels.sort();
      title = labels.size() == 1
                  ? HostsModel::tr("Label %1").arg(labels.front())
                  : HostsModel::tr("Labels %1").arg(labels.join(QStringLiteral(", ")));
    } else if (needs.cores > 1) {
      rank = 1;
      title = HostsModel::tr("More than a core");
    } else if (needs.cores == 1) {
      rank = 2;
      title = HostsModel::tr("A core");
    } else {
      rank = 3;
      title = HostsModel::tr("Less than a core");
    }
    BoardBox& box = boxes[{rank, title}];
    if (box.title.isEmpty()) {
      box.title = title;
      box.icon = QStringLiteral("component");
      if (rank == 0) {
        QStringList offering;
        for (const HostView& one : watch.hosts()) {
          const bool all =
              std::all_of(needs.labels.begin(), needs.labels.end(),
                          [&](const QString& label) { return one.host.labels.contains(label); });
          if (all) offering << one.name;
        }
        box.note = offering.isEmpty()
                       ? HostsModel::tr("No host offers it")
                       : HostsModel::tr("Offered by %1").arg(offering.join(QStringLiteral(", ")));
        box.state = offering.isEmpty() ? State::Warning : State::Idle;
      }
    }
    box.cards.push_back(std::move(card));
  }
  std::vector<BoardBox> result;
  for (auto& [key, box] : boxes) {
    sort(box.cards);
    box.figure = theme::formatNoun(static_cast<qint64>(box.cards.size()),
                                   HostsModel::tr("federate"), HostsModel::tr("federates"));
    result.push_back(std::move(box));
  }
  return result;
}

}  // namespace

QHash<QString, HostNeeds> needsByHost(const composer::Document& document, const HostWatch& watch) {
  QHash<QString, HostNeeds> result;
  for (const auto& [id, federate] : document.composition().federates) {
    const HostView* host = federate.enabled ? watch.find(federate.host) : nullptr;
    if (host == nullptr) continue;
    const NodeNeed needs = needsOf(document, federate);
    HostNeeds& there = result[host->key];
    there.cores += needs.cores;
    there.memoryMb += needs.memoryMb;
    there.federates += federate.count;
  }
  return result;
}

std::vector<BoardBox> boardContent(const composer::Document& document, const HostWatch& watch,
                                   const AutoPlacement& placement, BoardOrder order) {
  return order == BoardOrder::ByHost ? byHost(document, watch, placement) : byNeed(document, watch);
}

QString boardText(const std::vector<BoardBox>& boxes) {
  QStringList lines;
  for (const BoardBox& box : boxes) {
    QStringList parts{box.title, box.figure, box.note};
    parts.removeAll(QString());
    lines << parts.join(QStringLiteral(", "));
    for (const BoardCard& card : box.cards) {
      QStringList said{card.name, card.detail};
      if (card.pinned) said << HostsModel::tr("pinned");
      if (card.apart) said << HostsModel::tr("kept apart");
      lines << QStringLiteral("  ") + said.join(QStringLiteral(", "));
    }
  }
  return lines.join(u'\n');
}

}  // namespace tutti::launcher
