// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/awaited_hosts.h"

#include "launcher/engine/run.h"
#include "monitor/engine/host_links.h"

namespace tutti::app {

void AwaitedHosts::look(const monitor::Snapshot& snapshot, launcher::Run& run) {
  if (!snapshot.problem.isEmpty()) return;
  QSet<QString> linked;
  for (const monitor::HostLinkView& link : snapshot.hostLinks) {
    const QString host = monitor::hostBehind(link);
    if (host.isEmpty()) continue;
    linked << host;
    if (!link.suspect || link.waitedSeconds <= 0) continue;
    // Its supervisor may be heard so much later than its RTI node: the SSH connection goes on when
    // TCP tries again, which is after a pause of up to the length of the cut.
    run.awaitHost(host, link.leftSeconds + link.silentSeconds);
    awaited_ << host;
  }
  // Given up, or lost after all.
  const QSet<QString> over = awaited_ - linked;
  for (const QString& host : over) {
    run.awaitHost(host, 0);
    awaited_.remove(host);
  }
}

}  // namespace tutti::app
