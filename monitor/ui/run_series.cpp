// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/run_series.h"

#include <algorithm>
#include <cmath>

namespace tutti::monitor {

namespace {

constexpr double interval = 1.0;     // s between values
constexpr double longestStep = 2.5;  // s; a longer one is a gap

float sum(double user, double system) {
  if (std::isnan(user) && std::isnan(system)) return std::nanf("");
  return static_cast<float>((std::isnan(user) ? 0 : user) + (std::isnan(system) ? 0 : system));
}

}  // namespace

void RunSeries::add(const Snapshot& snapshot, double now) {
  if (now - newest_ < interval - 1e-3) return;
  const bool gap = newest_ > 0 && now - newest_ > longestStep;
  for (const FederateView& view : snapshot.federates) {
    auto& points = points_[view.name];
    const float none = std::nanf("");
    if (gap && !points.empty()) points.push_back({newest_ + interval, {none, none, none}});
    const bool known = snapshot.problem.isEmpty() && !isOver(view.condition);
    points.push_back({now,
                      {known ? static_cast<float>(view.sentPerSecond) : none,
                       known ? static_cast<float>(view.receivedPerSecond) : none,
                       known ? sum(view.cpuUser, view.cpuSystem) : none}});
    while (now - points.front().at > longest) points.pop_front();
  }
  newest_ = now;
  std::erase_if(points_, [&](const auto& entry) {
    return entry.second.empty() || now - entry.second.back().at > longest;
  });
}

void RunSeries::clear() {
  points_.clear();
  newest_ = 0;
}

const std::deque<RunSeries::Point>* RunSeries::of(const QString& federate) const {
  const auto found = points_.find(federate);
  return found == points_.end() ? nullptr : &found->second;
}

std::vector<QString> RunSeries::busiest(RunQuantity quantity, double seconds,
                                        std::size_t most) const {
  std::vector<std::pair<double, QString>> means;
  for (const auto& [name, points] : points_) {
    double total = 0;
    int count = 0;
    for (auto point = points.rbegin(); point != points.rend() && newest_ - point->at <= seconds;
         ++point) {
      const float value = point->values[static_cast<std::size_t>(quantity)];
      if (std::isnan(value)) continue;
      total += value;
      ++count;
    }
    if (count > 0) means.emplace_back(total / count, name);
  }
  std::stable_sort(means.begin(), means.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (means.size() > most) means.resize(most);
  std::vector<QString> names;
  for (const auto& [mean, name] : means) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tutti::monitor
