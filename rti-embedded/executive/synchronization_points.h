// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fabric/protocol.h"

namespace tutti::executive {

/// The open synchronization points of a federation execution (IEEE 1516.1-2010, 4.11 to 4.15). A
/// point is open from its announcement until every federate of its set that is still joined has
/// achieved it; then its label may be used again.
class SynchronizationPoints {
 public:
  /// Values of rti1516e::SynchronizationPointFailureReason.
  enum class Failure : std::uint32_t { LabelNotUnique = 0, SetMemberNotJoined = 1 };

  struct Point {
    fabric::Bytes tag;
    bool everyone = true;  ///< federates that join while it is open belong to its set
    std::set<fabric::FederateNumber> members;
    std::map<fabric::FederateNumber, bool> achieved;  ///< and whether successfully

    std::vector<fabric::FederateNumber> waitingFor() const;
    std::vector<fabric::FederateNumber> succeeded() const;
  };

  /// How many points are remembered after they were synchronized: whoever watches asks now and
  /// then, and would miss the moment.
  static constexpr std::size_t closedKept = 16;

  /// Whether the point may be registered with the federates `joined`.
  std::optional<Failure> check(const fabric::RegisterSynchronizationPointRequest& request,
                               const std::set<fabric::FederateNumber>& joined) const;
  /// Opens a point that was checked. An empty set means everyone (4.11).
  fabric::SynchronizationPointAnnouncedRecord announce(
      const fabric::RegisterSynchronizationPointRequest& request,
      const std::set<fabric::FederateNumber>& joined);

  /// True when `federate` is in the set of this open point.
  bool isAnnouncedTo(const std::string& label, fabric::FederateNumber federate) const;
  /// What is to be told if `federate` achieves the point now: nothing while others are awaited.
  /// Changes nothing.
  std::optional<fabric::FederationSynchronizedRecord> completedBy(const std::string& label,
                                                                  fabric::FederateNumber federate,
                                                                  bool successfully) const;
  /// Notes it, and closes the point when it is complete. A second time changes nothing.
  void achieve(const std::string& label, fabric::FederateNumber federate, bool successfully);

  /// A federate that has joined belongs to the points for everyone.
  void joined(fabric::FederateNumber federate);
  /// A federate that has left is no longer waited for, nor counted as failed. Closes what that
  /// completes; the sets hold those that are still joined.
  std::vector<fabric::FederationSynchronizedRecord> left(fabric::FederateNumber federate);

  const std::map<std::string, Point>& open() const { return points_; }
  /// The last synchronized ones, newest last, with those that achieved them; each label once. A
  /// point that all of its set have left was not synchronized by anybody and is not among them.
  const std::vector<fabric::SynchronizationPointStatus>& closed() const { return closed_; }
  /// The points of a federation execution that was saved.
  void restore(std::map<std::string, Point> points) { points_ = std::move(points); }

 private:
  static std::optional<fabric::FederationSynchronizedRecord> completion(const std::string& label,
                                                                        const Point& point);
  std::map<std::string, Point>::iterator close(std::map<std::string, Point>::iterator point);

  std::map<std::string, Point> points_;
  std::vector<fabric::SynchronizationPointStatus> closed_;
};

}  // namespace tutti::executive
