// SPDX-License-Identifier: Apache-2.0
#include "executive/synchronization_points.h"

#include <algorithm>

namespace tutti::executive {

using fabric::FederateNumber;
using fabric::FederationSynchronizedRecord;
using fabric::RegisterSynchronizationPointRequest;
using fabric::SynchronizationPointAnnouncedRecord;

std::vector<FederateNumber> SynchronizationPoints::Point::waitingFor() const {
  std::vector<FederateNumber> waiting;
  for (const FederateNumber member : members) {
    if (!achieved.contains(member)) waiting.push_back(member);
  }
  return waiting;
}

std::vector<FederateNumber> SynchronizationPoints::Point::succeeded() const {
  std::vector<FederateNumber> result;
  for (const auto& [member, successfully] : achieved) {
    if (successfully) result.push_back(member);
  }
  return result;
}

std::optional<SynchronizationPoints::Failure> SynchronizationPoints::check(
    const RegisterSynchronizationPointRequest& request,
    const std::set<FederateNumber>& joined) const {
  if (points_.contains(request.label)) return Failure::LabelNotUnique;
  const bool present = std::all_of(request.set.begin(), request.set.end(),
                                   [&](FederateNumber member) { return joined.contains(member); });
  if (!request.everyone && !present) return Failure::SetMemberNotJoined;
  return std::nullopt;
}

SynchronizationPointAnnouncedRecord SynchronizationPoints::announce(
    const RegisterSynchronizationPointRequest& request, const std::set<FederateNumber>& joined) {
  Point point;
  point.tag = request.tag;
  point.everyone = request.everyone || request.set.empty();
  if (point.everyone) {
    point.members = joined;
  } else {
    point.members.insert(request.set.begin(), request.set.end());
  }
  SynchronizationPointAnnouncedRecord record{
      request.label, request.tag, {point.members.begin(), point.members.end()}};
  points_.emplace(request.label, std::move(point));
  return record;
}

bool SynchronizationPoints::isAnnouncedTo(const std::string& label, FederateNumber federate) const {
  const auto found = points_.find(label);
  return found != points_.end() && found->second.members.contains(federate);
}

std::optional<FederationSynchronizedRecord> SynchronizationPoints::completion(
    const std::string& label, const Point& point) {
  // An achievement is kept for members only, so equal sizes mean that all have achieved.
  if (point.achieved.size() != point.members.size()) return std::nullopt;
  FederationSynchronizedRecord record;
  record.label = label;
  record.set.assign(point.members.begin(), point.members.end());
  for (const auto& [member, successfully] : point.achieved) {
    if (!successfully) record.failed.push_back(member);
  }
  return record;
}

std::optional<FederationSynchronizedRecord> SynchronizationPoints::completedBy(
    const std::string& label, FederateNumber federate, bool successfully) const {
  Point point = points_.at(label);
  point.achieved.emplace(federate, successfully);
  return completion(label, point);
}

void SynchronizationPoints::achieve(const std::string& label, FederateNumber federate,
                                    bool successfully) {
  const auto point = points_.find(label);
  point->second.achieved.emplace(federate, successfully);
  if (completion(label, point->second)) close(point);
}

std::map<std::string, SynchronizationPoints::Point>::iterator SynchronizationPoints::close(
    std::map<std::string, Point>::iterator point) {
  std::erase_if(closed_, [&](const auto& one) { return one.label == point->first; });
  if (auto succeeded = point->second.succeeded(); !succeeded.empty()) {
    if (closed_.size() == closedKept) closed_.erase(closed_.begin());
    closed_.push_back({point->first, {}, std::move(succeeded)});
  }
  return points_.erase(point);
}

void SynchronizationPoints::joined(FederateNumber federate) {
  for (auto& [label, point] : points_) {
    if (point.everyone) point.members.insert(federate);
  }
}

std::vector<FederationSynchronizedRecord> SynchronizationPoints::left(FederateNumber federate) {
  std::vector<FederationSynchronizedRecord> completed;
  for (auto it = points_.begin(); it != points_.end();) {
    auto& [label, point] = *it;
    point.achieved.erase(federate);
    std::optional<FederationSynchronizedRecord> record;
    if (point.members.erase(federate) != 0) record = completion(label, point);
    if (record) {
      completed.push_back(std::move(*record));
      it = close(it);
    } else {
      ++it;
    }
  }
  return completed;
}

}  // namespace tutti::executive
