// SPDX-License-Identifier: Apache-2.0
#include "node/link_status.h"

#include <spdlog/fmt/fmt.h>

#include <utility>

namespace tutti::node {

using pipes::Clock;
using std::chrono::milliseconds;

namespace {

constexpr std::chrono::minutes between{1};

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::optional<LinkWatch::News> LinkWatch::look(const pipes::Pipe& pipe, Clock::time_point now) {
  const auto session = pipe.session();
  if (!session || session->suspectSince.has_value() == since_.has_value()) return std::nullopt;
  if (session->suspectSince) {
    since_ = session->suspectSince;
    isSaid_ = !said_ || now - *said_ >= between;
    if (!isSaid_) {
      ++unsaid_;
      return std::nullopt;
    }
    said_ = now;
    const auto before = std::exchange(unsaid_, 0);
    return News{true,
                fmt::format("the link to {} is suspect: nothing was acknowledged for {:.1f} s. "
                            "What needs it waits; it is given up in {:.0f} s{}",
                            pipe.remoteName(), seconds(pipes::Pipe::reach),
                            seconds(session->grace),
                            before == 0 ? ""
                                        : fmt::format(" (and was suspect {} times since the last "
                                                      "message of this kind)",
                                                      before))};
  }
  const auto since = std::exchange(since_, std::nullopt);
  if (!isSaid_) return std::nullopt;
  return News{false, fmt::format("the link to {} goes on after {:.1f} s, nothing is lost",
                                 pipe.remoteName(), seconds(now - *since + pipes::Pipe::reach))};
}

std::optional<fabric::LinkStatus> linkStatusOf(const pipes::Pipe& pipe, Clock::time_point now) {
  const auto session = pipe.session();
  if (!session) return std::nullopt;
  fabric::LinkStatus status;
  status.node = pipe.remoteName();
  status.suspect = session->suspectSince.has_value();
  if (status.suspect) {
    const auto since = now - *session->suspectSince + pipes::Pipe::reach;
    status.suspectMilliseconds =
        static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(since).count());
  }
  status.graceMilliseconds = static_cast<std::uint64_t>(session->grace.count());
  status.suspicions = session->suspicions;
  status.resumptions = session->resumptions;
  status.keptBytes = pipe.queuedBytes();
  return status;
}

std::string memberText(const fabric::StatusReply& status, const std::string& federation,
                       fabric::FederateNumber federate) {
  for (const auto& one : status.federations) {
    if (one.federation != federation) continue;
    for (const auto& member : one.federates) {
      if (member.federate == federate) return member.name + " of " + federation;
    }
  }
  return "a federate of " + federation;
}

}  // namespace tutti::node
