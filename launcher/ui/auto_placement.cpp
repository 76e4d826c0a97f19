// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/auto_placement.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QPointer>
#include <QSet>
#include <QThreadPool>
#include <QUndoStack>
#include <algorithm>

#include "launcher/ui/host_watch.h"
#include "resources/theme/format.h"

namespace tutti::launcher {

namespace {

constexpr qsizetype namesShown = 3;

QString listed(QStringList names) {
  names.sort();
  if (names.size() <= namesShown) return names.join(QStringLiteral(", "));
  return AutoPlacement::tr("%1 and %2 more")
      .arg(names.mid(0, namesShown).join(QStringLiteral(", ")))
      .arg(names.size() - namesShown);
}

QString number(double value) { return QString::number(value, 'g', 6); }

/// What is on nodes of clusters stays there, and is left out: which nodes they are, nobody knows.
composer::Composition withoutJobNodes(composer::Composition composition, const HostWatch& watch) {
  for (auto& [id, federate] : composition.federates) {
    if (watch.deployment().jobNode(federate.host)) federate.enabled = false;
  }
  return composition;
}

}  // namespace

AutoPlacement::AutoPlacement(composer::Document* document, HostWatch* watch, QObject* parent)
    : QObject(parent), document_(document), watch_(watch) {
  using composer::Document;
  connect(document, &Document::wasReset, this, &AutoPlacement::forget);
  connect(watch, &HostWatch::hostsChanged, this, &AutoPlacement::forget);
  connect(document, &Document::federateChanged, this,
          [this](const QString& id, composer::FederateChanges changes) {
            using composer::FederateChange;
            const bool isOtherNeed = changes.testFlag(FederateChange::Needs);
            if (applying_ || !(isOtherNeed || changes.testFlag(FederateChange::Placement))) return;
            // What was said of the host went by the need that was.
            const bool wasSaid = isOtherNeed && reasons_.erase(id) > 0;
            if (refused_.erase(id) > 0 || wasSaid) Q_EMIT changed();
          });
  connect(&document->undoStack(), &QUndoStack::indexChanged, this, [this](int index) {
    // Undone: then nobody was refused either.
    if (applying_ || refused_.empty() || index >= undoIndex_) return;
    refused_.clear();
    summary_.clear();
    Q_EMIT changed();
  });
}

void AutoPlacement::forget() {
  reasons_.clear();
  refused_.clear();
  summary_.clear();
  Q_EMIT changed();
}

QString AutoPlacement::whyNot() const {
  if (busy_) return tr("Hosts are being chosen");
  if (!watch_->problem().isEmpty()) return tr("The hosts file cannot be read");
  if (watch_->deployment().hosts.empty())
    return watch_->deployment().clusters.empty()
               ? tr("There are no other hosts: add some at the left")
               : tr("There are no hosts; Slurm chooses the nodes of clusters");
  return {};
}

void AutoPlacement::place() {
  if (!whyNot().isEmpty()) return;
  const auto composition = withoutJobNodes(document_->composition(), *watch_);
  QStringList ids;
  for (const auto& [id, federate] : composition.federates) {
    if (federate.enabled && !federate.pinned) ids << id;
  }
  search(placementInput(composition, document_->catalog(), watch_->known()),
         tr("place %1 automatically")
             .arg(theme::formatNoun(ids.size(), tr("federate"), tr("federates"))),
         ids);
}

void AutoPlacement::placeElsewhere(const QStringList& keys) {
  std::vector<const HostView*> left;
  QStringList names;
  for (const QString& key : keys) {
    const HostView* host = watch_->find(key);
    if (host == nullptr) continue;
    left.push_back(host);
    names << host->name;
  }
  if (left.empty() || busy_) return;
  Deployment others = watch_->known();
  // This machine is a host too, described or not.
  if (others.host({}) == nullptr) {
    Host here;
    here.name = QStringLiteral("this-machine");
    while (others.host(here.name) != nullptr) here.name += u'+';
    here.cores = watch_->machine().cores;
    here.memoryMb = watch_->machine().memoryTotalMb;
    others.hosts.push_back(here);
  }
  const QString hereName = others.host({})->name;
  std::erase_if(others.hosts, [&](const Host& one) {
    return std::any_of(left.begin(), left.end(), [&](const HostView* host) {
      return host->isHere() ? one.isThisMachine() : one.name == host->host.name;
    });
  });
  // Who is on another host stays there; pins to this one are what cannot be.
  composer::Composition composition = withoutJobNodes(document_->composition(), *watch_);
  PlacementWishes wishes;
  QStringList ids;
  for (auto& [id, federate] : composition.federates) {
    const HostView* now = watch_->find(federate.host);
    if (std::find(left.begin(), left.end(), now) != left.end()) {
      federate.pinned = false;
      if (federate.enabled) ids << id;
    } else if (now != nullptr) {
      wishes.pins[federate.name] = now->isHere() ? hereName : now->host.name;
    }
  }
  search(placementInput(composition, document_->catalog(), others, wishes),
         tr("place %1 elsewhere than on %2")
             .arg(theme::formatNoun(ids.size(), tr("federate"), tr("federates")),
                  names.join(QStringLiteral(", "))),
         ids);
}

void AutoPlacement::search(const PlacementInput& input, const QString& text,
                           const QStringList& ids) {
  busy_ = true;
  asked_ = document_->composition();
  Q_EMIT changed();
  QThreadPool::globalInstance()->start([input = input, text, ids, asked = asked_,
                                        file = document_->path(), measured = measured_,
                                        self = QPointer<AutoPlacement>(this)]() mutable {
    Found result;
    if (measured) {
      const MeasuredExchanges last = measured(file, asked);
      result.measuredRun = last.run;
      result.measuredPairs = useMeasured(input, last.exchanges);
    }
    QElapsedTimer timer;
    timer.start();
    result.placement = launcher::place(input);
    result.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    result.unit = input.weightUnit;
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, result = std::move(result), text, ids] {
          if (self) self->found(result, text, ids);
        },
        Qt::QueuedConnection);
  });
}

void AutoPlacement::found(const Found& result, const QString& text, const QStringList& ids) {
  const Placement& placement = result.placement;
  busy_ = false;
  const composer::Composition& now = document_->composition();
  if (!(asked_ == now)) {
    Q_EMIT changed();
    Q_EMIT failed(tr("No hosts were chosen"),
                  tr("The composition was edited meanwhile. Place its federates again."));
    return;
  }
  const QSet<QString> wanted(ids.begin(), ids.end());
  std::map<QString, QString> hosts;
  std::map<QString, Reason> reasons;
  std::map<QString, RefusedFederate> refused;
  QSet<QString> used;
  for (const PlacedFederate& each : placement.placed) {
    const composer::Federate* federate = now.findByName(each.federate);
    if (federate == nullptr) continue;
    const HostView* host = watch_->find(each.host);
    const QString key = host == nullptr ? QString() : host->key;
    used << key;
    if (wanted.contains(federate->id)) hosts[federate->id] = key;
    if (wanted.contains(federate->id) || reasons_.count(federate->id) == 0)
      reasons[federate->id] = {key, each.reason};
  }
  for (const RefusedFederate& each : placement.refused) {
    const composer::Federate* federate = now.findByName(each.federate);
    if (federate != nullptr) refused[federate->id] = each;
  }
  applying_ = true;
  document_->setHosts(hosts, text);
  applying_ = false;
  undoIndex_ = document_->undoStack().index();
  for (auto& [id, reason] : reasons) reasons_[id] = reason;
  refused_ = std::move(refused);
  summary_ =
      tr("%1 on %2, chosen in %3; %4 of %5 %6 between hosts%7%8")
          .arg(theme::formatNoun(static_cast<qint64>(placement.placed.size()), tr("federate"),
                                 tr("federates")),
               theme::formatNoun(used.size(), tr("host"), tr("hosts")),
               theme::formatDuration(result.seconds), number(placement.between),
               number(placement.total), result.unit,
               placement.exact ? tr(", as few as can be") : QString(),
               result.measuredPairs > 0
                   ? tr("; %1 as measured in run %2")
                         .arg(theme::formatNoun(result.measuredPairs, tr("rate"), tr("rates")))
                         .arg(result.measuredRun)
                   : QString());
  Q_EMIT changed();
}

void AutoPlacement::accept(const QString& id) {
  if (refused_.erase(id) > 0) Q_EMIT changed();
}

QString AutoPlacement::reasonOf(const QString& id) const {
  const composer::Federate* federate = document_->federate(id);
  if (federate == nullptr) return {};
  const HostView* host = watch_->find(federate->host);
  const auto known = reasons_.find(id);
  if (known != reasons_.end() && host != nullptr && known->second.host == host->key)
    return known->second.text;
  return exchangesOf(*federate);
}

QString AutoPlacement::exchangesOf(const composer::Federate& federate) const {
  const composer::Composition& composition = document_->composition();
  struct Side {
    double rate = 0;
    QStringList names;
  };
  Side here;
  Side elsewhere;
  const auto count = [&](const QString& id, double rate) {
    const composer::Federate* other = composition.find(id);
    if (other == nullptr || id == federate.id) return;
    Side& side = watch_->find(other->host) == watch_->find(federate.host) ? here : elsewhere;
    side.rate += rate;
    if (!side.names.contains(other->name)) side.names << other->name;
  };
  for (const composer::ClassFlow& flow : document_->dataFlow().flows) {
    const auto isMe = [&](const composer::FlowEnd& end) { return end.federate == federate.id; };
    for (const composer::FlowEnd& publisher : flow.publishers) {
      if (isMe(publisher)) {
        for (const composer::FlowEnd& subscriber : flow.subscribers)
          count(subscriber.federate, publisher.rate.value_or(1.0));
      } else if (std::any_of(flow.subscribers.begin(), flow.subscribers.end(), isMe)) {
        count(publisher.federate, publisher.rate.value_or(1.0));
      }
    }
  }
  QStringList parts;
  if (!here.names.isEmpty())
    parts << tr("exchanges %1 messages/s with %2 on its host")
                 .arg(number(here.rate), listed(here.names));
  if (!elsewhere.names.isEmpty())
    parts << tr("%1 messages/s with %2 on other hosts")
                 .arg(number(elsewhere.rate), listed(elsewhere.names));
  const QString how = federate.pinned ? tr("Pinned by hand") : tr("Placed by hand");
  if (parts.isEmpty()) return how + QStringLiteral(".");
  if (here.names.isEmpty()) parts.front().prepend(tr("exchanges "));
  return how + QStringLiteral("; ") + parts.join(QStringLiteral(", ")) + QStringLiteral(".");
}

}  // namespace tutti::launcher
