// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/host_watch.h"

#include <algorithm>

#include "monitor/engine/host_links.h"

namespace tutti::monitor {
namespace {

using State = RosterHost::State;

double secondsBetween(std::int64_t from, std::int64_t to) {
  return static_cast<double>(to - from) / 1e9;
}

const HostLinkView* linkTo(const QString& host, const std::vector<HostLinkView>& links) {
  const auto found = std::find_if(links.begin(), links.end(), [&](const HostLinkView& link) {
    return hostBehind(link) == host;
  });
  return found == links.end() ? nullptr : &*found;
}

}  // namespace

void HostWatch::set(const std::vector<RosterHost>& hosts, std::int64_t now) {
  QMap<QString, Known> known;
  for (const RosterHost& host : hosts) {
    Known one = known_.value(host.name);
    one.host = host;
    one.since = now - static_cast<std::int64_t>(host.ageSeconds * 1e9);
    known.insert(host.name, one);
  }
  known_ = std::move(known);
}

std::vector<HostView> HostWatch::look(const std::vector<HostLinkView>& links,
                                      const HostSamples& samples, std::int64_t now) {
  std::vector<HostView> views;
  for (Known& known : known_) {
    const State state = known.host.state;
    HostView view;
    view.name = known.host.name;
    view.nodeEnd = known.host.nodeEnd;
    view.fault = known.host.fault;
    const double age = std::max(0.0, secondsBetween(known.since, now));
    const HostLinkView* link = linkTo(view.name, links);
    const bool suspect = link != nullptr && link->suspect;
    const bool over = state == State::Lost || state == State::Ended;
    const bool silent = !over && (suspect || state == State::Unreachable);
    if (silent) {
      known.away =
          std::max(suspect ? link->silentSeconds : 0, state == State::Unreachable ? age : 0);
      known.backAt = 0;
    } else if (known.silent && !over) {
      known.backAt = now;
    }
    known.silent = silent;
    if (over) {
      view.reach = state == State::Lost ? HostReach::Lost : HostReach::Ended;
      view.reachSeconds = age;
    } else if (silent) {
      view.reach = HostReach::Unreachable;
      view.reachSeconds = known.away;
      if (suspect) view.leftSeconds = link->leftSeconds;
    } else if (state == State::Starting) {
      view.reach = HostReach::Starting;
    } else {
      const bool back = known.backAt != 0 && secondsBetween(known.backAt, now) < backSeconds;
      view.reach = back ? HostReach::Back : HostReach::Answers;
      if (back) view.reachSeconds = known.away;
      view.load = known.host.load;
      samples.show(view, known.host.node, now);
    }
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace tutti::monitor
