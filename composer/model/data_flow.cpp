// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/data_flow.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "composer/model/catalog.h"
#include "composer/model/composition.h"

namespace tutti::composer {

namespace {

/// Attributes that arrive: what both sides list; an empty list stands for all. Nothing when they do
/// not overlap.
std::optional<QStringList> overlap(const QStringList& published, const QStringList& subscribed) {
  if (subscribed.isEmpty()) return published;
  if (published.isEmpty()) return subscribed;
  QStringList both;
  for (const QString& attribute : subscribed) {
    if (published.contains(attribute)) both.append(attribute);
  }
  if (both.isEmpty()) return std::nullopt;
  return both;
}

void addRate(std::optional<double>& sum, const std::optional<double>& rate) {
  if (rate) sum = sum.value_or(0.0) + *rate;
}

/// The colour that belongs to a name: the same in all compositions and on all machines (FNV-1a, from
/// a start that gives the classes of the sample the first three).
int seriesOf(const QString& className) {
  quint32 hash = 2166138255U;
  for (const char byte : className.toUtf8()) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 16777619U;
  }
  return static_cast<int>((hash ^ (hash >> 16)) % ClassSeries::kCount);
}

}  // namespace

bool isSameOrAncestor(const QString& ancestor, const QString& className) {
  return className == ancestor ||
         (className.startsWith(ancestor) && className[ancestor.size()] == u'.');
}

QString ClassFlow::shortName() const { return className.mid(className.lastIndexOf(u'.') + 1); }

void ClassSeries::assign(std::vector<ClassFlow>& flows) {
  std::array<bool, kCount> taken{};
  std::vector<ClassFlow*> fresh;
  for (ClassFlow& flow : flows) {
    const auto known = known_.find({flow.isObject, flow.className});
    // A class that came back finds its colour taken by one that came meanwhile.
    const bool keeps = known != known_.end() &&
                       (known->second >= kCount || !taken[static_cast<std::size_t>(known->second)]);
    if (!keeps) {
      fresh.push_back(&flow);
      continue;
    }
    flow.series = known->second;
    if (flow.series < kCount) taken[static_cast<std::size_t>(flow.series)] = true;
  }
  for (ClassFlow* flow : fresh) {
    flow->series = kCount;
    const int first = seriesOf(flow->className);
    for (int step = 0; step < kCount && flow->series == kCount; ++step) {
      const int series = (first + step) % kCount;
      if (!taken[static_cast<std::size_t>(series)]) flow->series = series;
    }
    if (flow->series < kCount) taken[static_cast<std::size_t>(flow->series)] = true;
    known_[{flow->isObject, flow->className}] = flow->series;
  }
}

const ClassFlow* DataFlow::find(const QString& className, bool isObject) const {
  for (const auto& flow : flows) {
    if (flow.className == className && flow.isObject == isObject) return &flow;
  }
  return nullptr;
}

std::vector<FlowEdge> DataFlow::edges() const {
  std::vector<FlowEdge> result;
  for (const auto& flow : flows) {
    if (flow.hub) {
      for (const auto& end : flow.publishers)
        result.push_back({end.federate, {}, flow.className, flow.isObject, end.rate});
      for (const auto& end : flow.subscribers)
        result.push_back({{}, end.federate, flow.className, flow.isObject, end.rate});
      continue;
    }
    for (const auto& from : flow.publishers) {
      for (const auto& to : flow.subscribers) {
        if (from.federate == to.federate && from.count < 2) continue;
        result.push_back({from.federate, to.federate, flow.className, flow.isObject, from.rate});
      }
    }
  }
  return result;
}

DataFlow deriveDataFlow(const Composition& composition, const Catalog& catalog) {
  struct Member {
    const Federate* federate;
    const Manifest* manifest;
  };
  std::vector<Member> members;
  for (const auto& [id, federate] : composition.federates) {
    if (!federate.enabled) continue;
    if (const Manifest* manifest = catalog.find(federate.component, federate.version))
      members.push_back({&federate, manifest});
  }

  DataFlow result;
  std::map<std::pair<bool, QString>, ClassFlow> flows;  // interactions after object classes
  for (const auto& member : members) {
    for (const Interest& published : member.manifest->publishes) {
      ClassFlow& flow = flows[{!published.isObject, published.className}];
      flow.className = published.className;
      flow.isObject = published.isObject;
      FlowEnd end{member.federate->id,
                  member.federate->count,
                  member.manifest->formula(published.rate, member.federate->parameters),
                  published.attributes,
                  {}};
      if (end.rate) *end.rate *= member.federate->count;
      addRate(flow.rate, end.rate);
      flow.publishers.push_back(std::move(end));
    }
  }
  for (const auto& member : members) {
    for (const Interest& subscribed : member.manifest->subscribes) {
      bool met = false;
      for (auto& [key, flow] : flows) {
        if (flow.isObject != subscribed.isObject ||
            !isSameOrAncestor(subscribed.className, flow.className))
          continue;
        FlowEnd end{
            member.federate->id, member.federate->count, std::nullopt, {}, subscribed.className};
        bool receives = false;
        // Publishers of one component list the same attributes, so what arrives is worked out once.
        const QStringList* lastPublished = nullptr;
        std::optional<QStringList> attributes;
        for (const auto& publisher : flow.publishers) {
          const bool itself = publisher.federate == member.federate->id;
          if (itself && member.federate->count < 2) continue;
          if (lastPublished == nullptr || *lastPublished != publisher.attributes) {
            attributes = overlap(publisher.attributes, subscribed.attributes);
            for (const QString& attribute : attributes.value_or(QStringList())) {
              if (!end.attributes.contains(attribute)) end.attributes.append(attribute);
            }
            lastPublished = &publisher.attributes;
          }
          if (!attributes) continue;
          receives = true;
          std::optional<double> rate = publisher.rate;
          // Of its own box an instance receives what the others send.
          if (itself && rate) *rate *= double(member.federate->count - 1) / member.federate->count;
          addRate(end.rate, rate);
        }
        if (!receives) continue;
        met = true;
        // Members come one after the other.
        const bool known =
            !flow.subscribers.empty() && flow.subscribers.back().federate == end.federate;
        if (!known) flow.subscribers.push_back(std::move(end));
      }
      if (!met)
        result.unmet.push_back({member.federate->id, subscribed.className, subscribed.isObject});
    }
  }
  for (auto& [key, flow] : flows) {
    flow.hub = flow.publishers.size() > 1 && flow.subscribers.size() > 1;
    result.flows.push_back(std::move(flow));
  }
  ClassSeries().assign(result.flows);
  return result;
}

}  // namespace tutti::composer
