// SPDX-License-Identifier: Apache-2.0
#include "pipes/tcp_listener.h"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "pipes/once_a_minute.h"
#include "pipes/tcp_socket.h"

namespace tutti::pipes {

using fabric::UniqueFd;
using Kind = PipeError::Kind;

class TcpListener::Door {
 public:
  Door(UniqueFd socket, UniqueFd epoll, UniqueFd timer, Address address, ConnectionRules rules)
      : socket_(std::move(socket)),
        epoll_(std::move(epoll)),
        timer_(std::move(timer)),
        address_(std::move(address)),
        rules_(std::move(rules)) {
    watch(EPOLL_CTL_ADD, socket_.get(), socketId, EPOLLIN);
    watch(EPOLL_CTL_ADD, timer_.get(), timerId, EPOLLIN);
  }

  const Address& address() const { return address_; }
  int descriptor() const { return epoll_.get(); }
  std::size_t waiting() const { return waiting_.size(); }
  void onRefusal(std::function<void(const std::string&)> tell) { tell_ = std::move(tell); }

  std::unique_ptr<TcpPipe> accept(const Greeting& own) {
    if (greeted_.empty()) look(own);
    if (greeted_.empty()) return nullptr;
    auto next = std::move(greeted_.front());
    greeted_.pop_front();
    return next;
  }

  bool turnAwayWaiting(const std::string& why) {
    if (waiting_.empty()) return false;
    while (!waiting_.empty()) refuse(waiting_.begin(), why);
    arm();
    return true;
  }

 private:
  static constexpr std::uint64_t socketId = 0;
  static constexpr std::uint64_t timerId = 1;
  static constexpr std::uint64_t firstId = 2;

  struct Waiting {
    std::unique_ptr<TcpPipe> pipe;
    std::string host;
    Clock::time_point since;
    bool writes = false;
  };
  using WaitingOnes = std::map<std::uint64_t, Waiting>;  ///< in order of arrival

  void watch(int operation, int descriptor, std::uint64_t id, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = id;
    ::epoll_ctl(epoll_.get(), operation, descriptor, &event);
  }

  void look(const Greeting& own) {
    std::array<epoll_event, mostWaiting> events;
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), 0);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
      if (id == socketId) {
        acceptSome(own);
      } else if (id == timerId) {
        std::uint64_t times = 0;
        [[maybe_unused]] const ssize_t got = ::read(timer_.get(), &times, sizeof times);
        armed_.reset();
      } else if (const auto found = waiting_.find(id); found != waiting_.end()) {
        proceed(found);
      }
    }
    const auto now = Clock::now();
    while (!waiting_.empty() && now - waiting_.begin()->second.since >= patience) {
      refuse(waiting_.begin(), "it has not greeted as an RTI node does within " +
                                   std::to_string(patience.count()) + " s");
    }
    if (pausedUntil_ && now >= *pausedUntil_) {
      pausedUntil_.reset();
      watch(EPOLL_CTL_MOD, socket_.get(), socketId, EPOLLIN);
    }
    arm();
  }

  void acceptSome(const Greeting& own) {
    for (std::size_t i = 0; i < mostWaiting; ++i) {
      sockaddr_storage peer{};
      socklen_t bytes = sizeof peer;
      const auto* address = reinterpret_cast<const sockaddr*>(&peer);
      UniqueFd socket(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&peer), &bytes,
                                SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket) {
        const int error = errno;
        if (error == EINTR || error == ECONNABORTED) continue;
        if (error == EAGAIN || error == EWOULDBLOCK) return;
        if (!waiting_.empty()) {
          refuse(waiting_.begin(), "this process has no descriptor left for it");
          continue;
        }
        pausedUntil_ = Clock::now() + retryAfter;
        watch(EPOLL_CTL_MOD, socket_.get(), socketId, 0);
        report("nobody", "connections of other nodes to " + address_.text() + " have to wait: " +
                             std::strerror(error) + ". Allow this process more (ulimit -n)");
        return;
      }
      if (waiting_.size() >= mostWaiting) {
        refuse(waiting_.begin(), "more than " + std::to_string(mostWaiting) +
                                     " connections wait that have not greeted");
      }
      setUpConnection(socket.get());
      std::string name = nameOf(address, bytes);
      std::string host = name.substr(0, name.rfind(':'));
      const int descriptor = socket.get();
      const std::uint64_t id = ++lastId_;
      auto pipe = std::make_unique<TcpPipe>(
          streamOver(std::move(socket), rules_.security, Security::Side::Accepts), own,
          std::move(name), rules_.memory);
      const auto added =
          waiting_
              .emplace(id, Waiting{std::move(pipe), std::move(host), Clock::now(), false})
              .first;
      watch(EPOLL_CTL_ADD, descriptor, id, EPOLLIN);
      proceed(added);
    }
  }

  void proceed(WaitingOnes::iterator one) {
    auto& [id, waiting] = *one;
    TcpPipe& pipe = *waiting.pipe;
    auto done = pipe.receive({});
    if (done) done = pipe.flush();
    if (!done) {
      report(waiting.host, done.error().text);
      waiting_.erase(one);
      return;
    }
    if (pipe.peer()) {
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, pipe.descriptor(), nullptr);
      greeted_.push_back(std::move(waiting.pipe));
      waiting_.erase(one);
    } else if (pipe.wantsWrite() != waiting.writes) {
      waiting.writes = !waiting.writes;
      watch(EPOLL_CTL_MOD, pipe.descriptor(), id,
            EPOLLIN | (waiting.writes ? std::uint32_t{EPOLLOUT} : 0u));
    }
  }

  void refuse(WaitingOnes::iterator one, const std::string& why) {
    report(one->second.host, "a connection from " + one->second.pipe->remoteName() +
                                 " to " + address_.text() + " is turned away: " + why);
    waiting_.erase(one);
  }

  void report(const std::string& host, const std::string& text) {
    if (tell_ && said_.mayTell(host)) tell_(text);
  }

  /// The timer comes when the oldest has waited long enough, or when accepting goes on.
  void arm() {
    std::optional<Clock::time_point> next = pausedUntil_;
    if (!waiting_.empty()) {
      const auto end = waiting_.begin()->second.since + patience;
      if (!next || end < *next) next = end;
    }
    if (!next || (armed_ && *armed_ <= *next)) return;
    armed_ = next;
    const auto wait = std::max(std::chrono::nanoseconds(*next - Clock::now()),
                               std::chrono::nanoseconds(1));
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(wait.count() / 1'000'000'000);
    when.it_value.tv_nsec = static_cast<long>(wait.count() % 1'000'000'000);
    ::timerfd_settime(timer_.get(), 0, &when, nullptr);
  }

  UniqueFd socket_;
  UniqueFd epoll_;
  UniqueFd timer_;
  Address address_;
  ConnectionRules rules_;
  WaitingOnes waiting_;
  std::uint64_t lastId_ = firstId;
  std::deque<std::unique_ptr<TcpPipe>> greeted_;
  std::optional<Clock::time_point> pausedUntil_;
  std::optional<Clock::time_point> armed_;
  std::function<void(const std::string&)> tell_;
  OnceAMinute said_;
};

TcpListener::TcpListener(std::unique_ptr<Door> door) : door_(std::move(door)) {}
TcpListener::TcpListener(TcpListener&&) noexcept = default;
TcpListener& TcpListener::operator=(TcpListener&&) noexcept = default;
TcpListener::~TcpListener() = default;

void TcpListener::onRefusal(std::function<void(const std::string&)> tell) {
  door_->onRefusal(std::move(tell));
}
std::unique_ptr<TcpPipe> TcpListener::accept(const Greeting& own) { return door_->accept(own); }
std::size_t TcpListener::waiting() const { return door_->waiting(); }
bool TcpListener::turnAwayWaiting(const std::string& why) { return door_->turnAwayWaiting(why); }
const Address& TcpListener::address() const { return door_->address(); }
int TcpListener::descriptor() const { return door_->descriptor(); }

tl::expected<TcpListener, PipeError> TcpListener::listen(const Address& address,
                                                         const ConnectionRules& rules) {
  auto list = resolve(address, true);
  if (!list) return tl::unexpected(list.error());
  const addrinfo& one = **list;
  const auto refuse = [&](int error) {
    const char* next = error == EADDRINUSE ? "; another program listens there, choose another port"
                       : error == EADDRNOTAVAIL ? "; it is no address of this machine"
                                                : "";
    return tl::unexpected(PipeError{
        Kind::System, "cannot listen at " + address.text() + ": " + std::strerror(error) + next});
  };
  UniqueFd socket(
      ::socket(one.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, one.ai_protocol));
  if (!socket) return refuse(errno);
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), one.ai_addr, one.ai_addrlen) != 0) return refuse(errno);
  if (::listen(socket.get(), SOMAXCONN) != 0) return refuse(errno);
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!epoll || !timer) return refuse(errno);

  Address found = address;
  sockaddr_storage bound{};
  socklen_t bytes = sizeof bound;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &bytes) == 0) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&bound);
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&bound);
    found.port = ntohs(bound.ss_family == AF_INET6 ? v6->sin6_port : v4->sin_port);
  }
  return TcpListener(std::make_unique<Door>(std::move(socket), std::move(epoll), std::move(timer),
                                            std::move(found), rules));
}

}  // namespace tutti::pipes
