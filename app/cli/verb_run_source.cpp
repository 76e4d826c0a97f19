// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verb_run_source.h"

#include <optional>
#include <string>

#include "observe/observer.h"

namespace tutti::app {

namespace {

class RunSource : public monitor::SampleSource {
 public:
  RunSource(std::string designator, std::string federation)
      : designator_(std::move(designator)), federation_(std::move(federation)) {}

  void refresh() override {
    if (observer_ && observer_->refresh()) return;
    observer_.reset();
    auto connected = observe::Observer::connect(designator_, "tutti run");
    if (!connected) {
      problem_ = QString::fromStdString(connected.error());
      return;
    }
    observer_.emplace(std::move(*connected));
    observer_->refresh();
  }

  tl::expected<monitor::Reading, QString> read() override {
    if (!observer_) return tl::unexpected(problem_);
    const auto sample = observer_->sample();
    if (!sample.connected) return tl::unexpected(QString::fromStdString(sample.problem));
    monitor::Reading reading;
    reading.monotonicNanoseconds = sample.monotonicNanoseconds;
    reading.federation = QString::fromStdString(federation_);
    reading.nodePid = sample.nodePid;
    for (const auto& execution : sample.federations) {
      if (execution.name != federation_) continue;
      reading.committedBytes = execution.committedBytes;
      reading.held = execution.held;
      for (const auto& one : execution.federates) reading.federates.push_back(readingOf(one));
    }
    return reading;
  }

 private:
  static monitor::FederateReading readingOf(const observe::FederateSample& one) {
    monitor::FederateReading to;
    to.number = one.number;
    to.name = QString::fromStdString(one.name);
    to.type = QString::fromStdString(one.type);
    to.pid = one.pid;
    to.membership = one.state == fabric::FederateState::Joined ? monitor::Membership::Joined
                    : one.state == fabric::FederateState::Lost ? monitor::Membership::Lost
                                                               : monitor::Membership::Resigned;
    to.counters.updatesSent = one.counters.updatesSent;
    to.counters.reflectionsReceived = one.counters.reflectionsReceived;
    to.counters.interactionsSent = one.counters.interactionsSent;
    to.counters.interactionsReceived = one.counters.interactionsReceived;
    to.counters.instancesRegistered = one.counters.instancesRegistered;
    to.counters.instancesDeleted = one.counters.instancesDeleted;
    to.counters.instancesDiscovered = one.counters.instancesDiscovered;
    to.counters.timeAdvanceGrants = one.counters.timeAdvanceGrants;
    to.counters.bytesSent = one.counters.bytesSent;
    to.counters.bytesReceived = one.counters.bytesReceived;
    to.counters.receiveOrderQueued = one.counters.receiveOrderQueued;
    to.counters.timestampOrderQueued = one.counters.timestampOrderQueued;
    to.counters.queuedBytes = one.counters.queuedBytes;
    to.counters.lastCallNanoseconds = one.counters.lastCallNanoseconds;
    to.time.regulating = one.time.regulating;
    to.time.constrained = one.time.constrained;
    to.time.advance = static_cast<monitor::TimeReading::Advance>(one.time.advance);
    to.time.logicalTime = one.time.logicalTime;
    to.time.requestedTime = one.time.requestedTime.value_or(one.time.logicalTime);
    to.time.lookahead = one.time.lookahead.value_or(0);
    to.time.exclusive = one.time.exclusive;
    to.time.galt = one.time.galt;
    to.time.leastStamp = one.time.leastStamp;
    return to;
  }

  std::string designator_;
  std::string federation_;
  std::optional<observe::Observer> observer_;
  QString problem_ = QStringLiteral("The RTI node has not been asked yet.");
};

}  // namespace

std::shared_ptr<monitor::SampleSource> makeRunSource(const QString& designator,
                                                     const QString& federation) {
  return std::make_shared<RunSource>(designator.toStdString(), federation.toStdString());
}

}  // namespace tutti::app
