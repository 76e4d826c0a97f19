// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/proposal.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "composer/model/catalog.h"
#include "composer/model/composition.h"
#include "composer/model/data_flow.h"

namespace tutti::composer {

namespace {

QString shortName(const QString& className) {
  return className.mid(className.lastIndexOf(u'.') + 1);
}

/// A class that somebody has to publish.
struct Wanted {
  QString className;
  bool isObject;
  QString neededBy;
};

bool publishes(const Manifest& manifest, const Wanted& wanted) {
  return std::any_of(manifest.publishes.begin(), manifest.publishes.end(),
                     [&](const Interest& published) {
                       return published.isObject == wanted.isObject &&
                              isSameOrAncestor(wanted.className, published.className);
                     });
}

class Proposer {
 public:
  Proposer(const Composition& composition, const Catalog& catalog) : catalog_{catalog} {
    for (const auto& [id, federate] : composition.federates) {
      const Manifest* manifest =
          federate.enabled ? catalog.find(federate.component, federate.version) : nullptr;
      if (manifest) present_.push_back(manifest);
    }
    for (const auto& unmet : deriveDataFlow(composition, catalog).unmet) {
      const Federate* federate = composition.find(unmet.federate);
      queue_.push_back(
          {unmet.className, unmet.isObject, federate ? federate->name : unmet.federate});
    }
  }

  void want(const Need& need) {
    const QString& name = need.className;
    for (const bool isObject : {true, false}) {
      const QString root =
          isObject ? QStringLiteral("HLAobjectRoot") : QStringLiteral("HLAinteractionRoot");
      const QString otherRoot =
          isObject ? QStringLiteral("HLAinteractionRoot") : QStringLiteral("HLAobjectRoot");
      if (name == otherRoot || name.startsWith(otherRoot + u'.')) continue;
      const Wanted wanted{qualifiedClassName(name, isObject), isObject, {}};
      const bool rooted = name == root || name.startsWith(root + u'.');
      // A name without root means whichever of the two somebody publishes; an object class when
      // nobody does.
      if (rooted || isPublished(wanted) || !candidates(wanted).empty()) {
        queue_.push_back(wanted);
        return;
      }
    }
    queue_.push_back({qualifiedClassName(name, true), true, {}});
  }

  Proposal run() {
    for (; !queue_.empty(); queue_.pop_front()) {
      const Wanted wanted = queue_.front();
      if (isPublished(wanted)) continue;
      const auto found = candidates(wanted);
      if (found.empty()) {
        proposal_.unmet.push_back({wanted.className, wanted.isObject, wanted.neededBy});
        given_.push_back(wanted);
        continue;
      }
      Proposal::Item item;
      item.manifest = found.front();
      item.why = wanted.neededBy.isEmpty()
                     ? QStringLiteral("publishes %1").arg(shortName(wanted.className))
                     : QStringLiteral("publishes %1, which %2 subscribes to")
                           .arg(shortName(wanted.className), wanted.neededBy);
      for (std::size_t i = 1; i < found.size(); ++i) item.alternatives.append(found[i]->id);
      present_.push_back(item.manifest);
      for (const Interest& subscribed : item.manifest->subscribes) {
        queue_.push_back({subscribed.className, subscribed.isObject, item.manifest->id});
      }
      proposal_.items.push_back(std::move(item));
    }
    order();
    return std::move(proposal_);
  }

 private:
  bool isPublished(const Wanted& wanted) const {
    const bool givenUp = std::any_of(given_.begin(), given_.end(), [&](const Wanted& other) {
      return other.className == wanted.className && other.isObject == wanted.isObject;
    });
    return givenUp || std::any_of(present_.begin(), present_.end(), [&](const Manifest* manifest) {
             return publishes(*manifest, wanted);
           });
  }

  /// Components that publish it, the newest version of each, best first.
  std::vector<const Manifest*> candidates(const Wanted& wanted) const {
    std::vector<const Manifest*> result;
    for (const auto& component : catalog_.components()) {
      if (publishes(*component, wanted) && catalog_.find(component->id) == component.get())
        result.push_back(component.get());
    }
    const auto furtherNeeds = [&](const Manifest* manifest) {
      return std::count_if(manifest->subscribes.begin(), manifest->subscribes.end(),
                           [&](const Interest& subscribed) {
                             return !isPublished({subscribed.className, subscribed.isObject, {}}) &&
                                    !publishes(*manifest,
                                               {subscribed.className, subscribed.isObject, {}});
                           });
    };
    std::stable_sort(result.begin(), result.end(), [&](const Manifest* a, const Manifest* b) {
      return std::pair{furtherNeeds(a), a->id} < std::pair{furtherNeeds(b), b->id};
    });
    return result;
  }

  /// Gives every item its depth in the data flow among the proposed ones, and puts sources first.
  void order() {
    auto& items = proposal_.items;
    // A cycle (each subscribes what the other publishes) ends after as many rounds as there are
    // items.
    for (std::size_t round = 0; round < items.size(); ++round) {
      for (auto& item : items) {
        for (const Interest& subscribed : item.manifest->subscribes) {
          for (const auto& other : items) {
            if (other.manifest == item.manifest ||
                !publishes(*other.manifest, {subscribed.className, subscribed.isObject, {}}))
              continue;
            item.depth =
                std::min(std::max(item.depth, other.depth + 1), static_cast<int>(items.size()));
          }
        }
      }
    }
    std::stable_sort(
        items.begin(), items.end(),
        [](const Proposal::Item& a, const Proposal::Item& b) { return a.depth < b.depth; });
  }

  const Catalog& catalog_;
  std::vector<const Manifest*> present_;  // in the composition or proposed
  std::vector<Wanted> given_;             // nobody publishes them; said once
  std::deque<Wanted> queue_;
  Proposal proposal_;
};

}  // namespace

Proposal propose(const Composition& composition, const Catalog& catalog,
                 const std::vector<Need>& needs) {
  Proposer proposer{composition, catalog};
  for (const Need& need : needs) proposer.want(need);
  return proposer.run();
}

}  // namespace tutti::composer
