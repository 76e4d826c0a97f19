// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

namespace tutti::monitor {

/// A link that is suspect, as a person has seen it and decides about it.
struct SuspectLink {
  QString host;     ///< that does not answer; where the launcher did not name it, its node or address
  QString address;  ///< as the RTI node has it
  std::uint64_t suspicion = 0;  ///< counts them: what is decided holds for this one
  QStringList federates;        ///< that are lost with it
  double leftSeconds = 0;
  bool toHome = false;  ///< the federates are those of this host
};

/// What has come of it.
struct LinkDecision {
  double addedSeconds = 0;  ///< less than was asked for, where the longest wait allows no more
  double leftSeconds = 0;   ///< until it is lost
};

/// The links of `node` that are suspect and that `host` is behind: the name of a host of the run, or
/// of a node, or an address; "home" for the one to the home. Federates of a centralized federation
/// have links of their own. The error says which there are, or that it answers. Blocks; any thread.
tl::expected<std::vector<SuspectLink>, QString> findSuspectLinks(const QString& node,
                                                                 const QString& host);

/// `node` waits `seconds` longer for the other host, or without them takes it for lost now: its
/// federates are lost, and the others go on. The error says why nothing was done: the host answers
/// again, it is lost already, or is waited for as long as can be. Blocks; any thread.
tl::expected<LinkDecision, QString> decideLink(const QString& node, const SuspectLink& link,
                                               std::optional<double> seconds);

}  // namespace tutti::monitor
