// SPDX-License-Identifier: GPL-3.0-or-later
// What the supervisor says once a second of its host and its processes, to those who have asked.
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/engine/supervisor/host_figures.h"
#include "launcher/engine/supervisor/process_tree.h"
#include "launcher/engine/supervisor/supervisor.h"

namespace tutti::launcher {

using Json = nlohmann::json;

namespace {

/// Children of one sample; of more each sample has the next ones. With long names some 60 KiB.
constexpr std::size_t mostChildren = 600;
/// Processes that are looked at for one sample: a federate that forks without end costs no more.
constexpr std::size_t mostProcesses = 4096;
/// Who leaves so much of them unread is sent none: the next ones are newer. What processes write
/// may be more, and figures go ahead of it.
constexpr std::size_t enoughUnread = 256 * 1024;

}  // namespace

void Supervisor::tellSamples() {
  std::vector<ClientChannel*> asked;
  for (auto& client : clients_) {
    if (client->wantsSamples() && client->isAttached() && client->outOpen() &&
        client->unreadOfItsOwn() < enoughUnread)
      asked.push_back(client.get());
  }
  if (asked.empty()) return;

  std::vector<const Child*> running;
  std::vector<pid_t> roots;
  const std::size_t count = children_.size();
  for (std::size_t passed = 0; passed < count && roots.size() < mostChildren; ++passed) {
    const Child& child = *children_[(nextSampled_ + passed) % count];
    if (child.state != State::Running) continue;
    running.push_back(&child);
    roots.push_back(child.pid);
    if (roots.size() == mostChildren) nextSampled_ = (nextSampled_ + passed + 1) % count;
  }
  const auto host = hostFigures();
  // Before them: a process that counts on meanwhile has its time sooner, not later.
  const auto at =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch());
  const auto trees = processTrees(roots, mostProcesses);
  Json processes = Json::object();
  for (std::size_t index = 0; index < running.size(); ++index) {
    if (trees[index].empty()) continue;
    std::uint64_t user = 0;
    std::uint64_t system = 0;
    std::uint64_t resident = 0;
    for (const auto& entry : trees[index]) {
      user += entry.userTicks;
      system += entry.systemTicks;
      resident += entry.residentBytes;
    }
    processes[running[index]->plan.id] = {roots[index], user, system, resident,
                                          std::string(1, trees[index].front().state)};
  }
  const Json event = {
      {"event", "sample"},
      {"at_ms", at.count()},
      {"ticks_per_s", ::sysconf(_SC_CLK_TCK)},
      {"processors", host.processors},
      {"cpu", {host.userTicks, host.systemTicks, host.idleTicks}},
      {"memory", {host.memoryTotal, host.memoryAvailable}},
      {"network", host.networkBytes},
      {"processes", std::move(processes)},
  };
  for (ClientChannel* client : asked) tell(*client, event);
}

}  // namespace tutti::launcher
