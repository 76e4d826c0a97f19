// SPDX-License-Identifier: Apache-2.0
#include "node/home_dialer.h"

#include <algorithm>
#include <utility>

namespace tutti::node {

using pipes::Clock;
using pipes::SessionPipe;
using pipes::TcpPipe;

void HomeDialer::begin(ConnectionId connection, fabric::Bytes hello,
                       const pipes::SocketAddress& home, const pipes::Greeting& own,
                       const pipes::ConnectionRules& rules) {
  const auto now = Clock::now();
  Waiting one;
  one.hello = std::move(hello);
  one.home = home;
  one.own = own;
  one.rules = rules;
  one.until = now + patience;
  waiting_.insert_or_assign(connection, std::move(one));
  startNext(now);
}

std::size_t HomeDialer::dialling() const {
  return static_cast<std::size_t>(
      std::count_if(waiting_.begin(), waiting_.end(),
                    [](const auto& one) { return one.second.pipe != nullptr; }));
}

void HomeDialer::startNext(Clock::time_point now) {
  for (auto next = waiting_.begin(); next != waiting_.end() && dialling() < mostAtOnce;) {
    const auto item = next++;
    if (item->second.pipe == nullptr) dial(item, now);
  }
}

void HomeDialer::dial(Item item, Clock::time_point now) {
  Waiting& one = item->second;
  auto pipe = TcpPipe::begin(one.home, one.own, one.rules);
  if (!pipe) return fail(item, pipe.error().text);
  one.pipe = std::move(*pipe);
  one.writes = false;
  one.attemptUntil = now + attemptPatience;
  services_.watch(one.pipe->descriptor(), item->first);
  proceed(item);
}

void HomeDialer::ready(ConnectionId connection) {
  const auto item = waiting_.find(connection);
  if (item == waiting_.end() || item->second.pipe == nullptr) return;
  proceed(item);
  startNext(Clock::now());
}

void HomeDialer::proceed(Item item) {
  Waiting& one = item->second;
  if (auto flushed = one.pipe->flush(); !flushed) return fail(item, flushed.error().text);
  // Nothing but the greeting: what follows it is for the session.
  if (auto greeted = one.pipe->receive({}); !greeted) return fail(item, greeted.error().text);
  if (auto flushed = one.pipe->flush(); !flushed) return fail(item, flushed.error().text);
  if (one.pipe->peer()) {
    services_.unwatch(one.pipe->descriptor());
    auto session = SessionPipe::over(std::move(one.pipe), one.own, one.rules);
    if (!session) return fail(item, session.error().text);
    return finish(item, std::move(*session));
  }
  const bool writes = one.pipe->wantsWrite();
  if (writes == one.writes) return;
  one.writes = writes;
  services_.watchWrites(one.pipe->descriptor(), item->first, writes);
}

void HomeDialer::finish(Item item,
                        tl::expected<std::unique_ptr<pipes::Pipe>, std::string> link) {
  done_.push_back({item->first, std::move(item->second.hello), std::move(link)});
  waiting_.erase(item);
}

void HomeDialer::fail(Item item, const std::string& why) {
  finish(item, tl::unexpected("a federate of the centralized architecture needs a link of its own "
                              "to the RTI node at " +
                              item->second.home.address().text() + ", and " + why +
                              ". Check that this node still runs there, and that a firewall lets "
                              "the port pass; then connect again, or use the decentralized "
                              "architecture"));
}

void HomeDialer::forget(ConnectionId connection) {
  std::erase_if(done_, [&](const Dialled& one) { return one.connection == connection; });
  if (waiting_.erase(connection) != 0) startNext(Clock::now());
}

void HomeDialer::tick(Clock::time_point now) {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const auto item = next++;
    Waiting& one = item->second;
    if (now >= one.until) {
      fail(item, "it does not answer: no link was made within " +
                     std::to_string(patience.count()) + " s");
    } else if (one.pipe != nullptr && now >= one.attemptUntil) {
      dial(item, now);
    }
  }
  startNext(now);
}

std::vector<HomeDialer::Dialled> HomeDialer::take() { return std::exchange(done_, {}); }

}  // namespace tutti::node
