// SPDX-License-Identifier: Apache-2.0
#include "pipes/session_pipe.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "pipes/datagram_port.h"

namespace tutti::pipes {

using fabric::Bytes;
using Kind = PipeError::Kind;

namespace {

/// A connection ends with the session, or when the session has another.
constexpr std::chrono::hours untilTheSessionEnds{1};
/// So much of the stream is in one piece; less is lost with a connection in the middle of one.
constexpr std::size_t pieceBytes = 16 * 1024;
/// So much is put into a connection before it has sent what it has.
constexpr std::size_t windowBytes = 256 * 1024;
/// So much is received before it is acknowledged at once; else with tick().
constexpr std::uint64_t acknowledgeAfter = 64 * 1024;
constexpr std::size_t pieceHead = sizeof(std::uint64_t);
/// What a session keeps without being counted.
constexpr std::size_t freeOfCharge = 64 * 1024;

}  // namespace

tl::expected<std::unique_ptr<SessionPipe>, PipeError> SessionPipe::connect(
    const Address& address, const Greeting& own, Clock::time_point deadline,
    const ConnectionRules& rules) {
  auto first = TcpPipe::connect(address, own, deadline, rules);
  if (!first) return tl::unexpected(first.error());
  return over(std::move(*first), own, rules);
}

tl::expected<std::unique_ptr<SessionPipe>, PipeError> SessionPipe::over(
    std::unique_ptr<TcpPipe> first, const Greeting& own, const ConnectionRules& rules) {
  const auto where = first->remoteAddress();
  if (!where) {
    return tl::unexpected(PipeError{Kind::Closed, "the connection to " + first->remoteName() +
                                                      " has ended before it was used"});
  }
  first->setPatience(untilTheSessionEnds);
  auto dial = [where = *where, own, rules]() -> tl::expected<std::unique_ptr<Pipe>, PipeError> {
    auto pipe = TcpPipe::begin(where, own, rules);
    if (!pipe) return tl::unexpected(pipe.error());
    (*pipe)->setPatience(untilTheSessionEnds);
    return std::unique_ptr<Pipe>(std::move(*pipe));
  };
  auto pipe = std::make_unique<SessionPipe>(std::move(first), std::move(dial), Clock::now());
  pipe->payFrom(rules.memory);
  if (auto flushed = pipe->flush(); !flushed) return tl::unexpected(flushed.error());
  return pipe;
}

SessionPipe::SessionPipe(std::unique_ptr<Pipe> first, Dial dial, Clock::time_point now)
    : events_(::epoll_create1(EPOLL_CLOEXEC)),
      dial_(std::move(dial)),
      session_(DatagramPort::randomToken()),
      secret_{DatagramPort::randomToken(), DatagramPort::randomToken()},
      peer_(first->peer()),
      remoteName_(first->remoteName()),
      remoteAddress_(first->remoteAddress()),
      now_(now),
      heard_(now),
      spoke_(now) {
  Connection& connection = add(std::move(first), ++attempts_);
  say(connection, {session_, secret_, false, connection.attempt, 0});
  use(connection);
}

SessionPipe::SessionPipe(std::unique_ptr<Pipe> first, const SessionHello& hello,
                         std::chrono::milliseconds grace, std::chrono::milliseconds longestWait,
                         Clock::time_point now)
    : events_(::epoll_create1(EPOLL_CLOEXEC)),
      session_(hello.session),
      secret_(hello.secret),
      theirs_{DatagramPort::randomToken(), DatagramPort::randomToken()},
      grace_(grace),
      longestWait_(longestWait),
      peer_(first->peer()),
      remoteName_(first->remoteName()),
      remoteAddress_(first->remoteAddress()),
      attempts_(hello.attempt),
      now_(now),
      heard_(now),
      spoke_(now) {
  Connection& connection = add(std::move(first), hello.attempt);
  answer(connection);
  // Over a further one the other side sends when it has chosen it, or never.
  if (hello.attempt == 1) use(connection);
}

SessionPipe::~SessionPipe() {
  if (ended_) ended_();
}

void SessionPipe::payFrom(MemoryAccount* memory) { charge_ = Charge(memory, freeOfCharge); }

// --- connections ---------------------------------------------------------------------------------

SessionPipe::Connection& SessionPipe::add(std::unique_ptr<Pipe> pipe, std::uint32_t attempt) {
  auto connection = std::make_unique<Connection>();
  connection->attempt = attempt;
  connection->since = now_;
  connection->pipe = std::move(pipe);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, connection->pipe->descriptor(), &event);
  return *connections_.emplace_back(std::move(connection));
}

void SessionPipe::say(Connection& connection, const SessionHello& hello) {
  connection.pipe->send(fabric::toWire(hello));
}

void SessionPipe::answer(Connection& connection) {
  connection.answered = true;
  connection.pipe->send(
      fabric::toWire(SessionAnswer{true, theirs_, static_cast<std::uint32_t>(grace_.count()),
                                   received_, static_cast<std::uint32_t>(longestWait_.count())}));
}

/// Sends over this connection from now on, beginning with what is not acknowledged.
void SessionPipe::use(Connection& connection) {
  current_ = &connection;
  if (connection.attempt != 1) ++resumptions_;
  connection.nextOut = kept_.begin();
  connection.pipe->send(fabric::toWire(SessionBegin{received_, connection.nextOut}));
  reported_ = received_;
  hasSpoken_ = true;
}

void SessionPipe::attach(std::unique_ptr<Pipe> pipe, const SessionHello& hello) {
  if (connections_.size() >= mostConnections) {
    // Of those that nothing was sent over the oldest.
    const auto oldest =
        std::find_if(connections_.begin(), connections_.end(),
                     [this](const auto& one) { return one.get() != current_ && !one->over; });
    if (oldest != connections_.end()) (*oldest)->over = true;
    closeThoseOver();
  }
  Connection& connection = add(std::move(pipe), hello.attempt);
  hasHeard_ = true;
  takeAcknowledged(hello.received);
  answer(connection);
  (void)flushOne(connection);
}

void SessionPipe::endBefore(const Connection& connection) {
  for (auto& one : connections_) {
    if (one->attempt < connection.attempt) one->over = true;
  }
}

void SessionPipe::dropUnanswered() {
  for (auto& one : connections_) {
    // L sends over the first without being told, and would take its end for the end of D.
    if (!one->answered && one.get() != current_ && one->attempt != 1) one->over = true;
  }
}

void SessionPipe::closeThoseOver() {
  std::erase_if(connections_, [this](const auto& one) {
    if (!one->over) return false;
    if (current_ == one.get()) current_ = nullptr;
    return true;
  });
}

Outcome SessionPipe::garbage() const {
  return tl::unexpected(PipeError{Kind::Foreign, "the connection to " + remoteName_ +
                                                     " is closed: it brings what no RTI node "
                                                     "sends"});
}

Outcome SessionPipe::noMemory() const {
  return tl::unexpected(PipeError{Kind::System, "the link to " + remoteName_ +
                                                    " is closed: the memory budget has no room for "
                                                    "what waits here for it or from it; set "
                                                    "TUTTI_MEMORY to more"});
}

/// False: it cannot have that yet.
bool SessionPipe::takeAcknowledged(std::uint64_t position) {
  if (position > kept_.end()) return false;
  // What is sent again over this connection while another one has still brought that it came before
  // is kept until it has been sent: a connection carries all from where it began.
  if (current_ != nullptr) position = std::min(position, current_->nextOut);
  const bool sound = kept_.acknowledge(position);
  charge_.set(kept_.storage() + reader_.storage());
  return sound;
}

Outcome SessionPipe::ended(Connection& connection, const PipeError& error) {
  connection.over = true;
  const bool hostIsAway = error.kind == Kind::Unreachable || error.kind == Kind::CutOff;
  if (&connection == current_) {
    if (!hostIsAway) return tl::unexpected(error);
    current_ = nullptr;
    return {};
  }
  if (!dials() || connection.answered) return {};
  if (error.kind == Kind::Refused) {
    return tl::unexpected(PipeError{Kind::Refused, "the RTI node at " + remoteName_ +
                                                       " has ended: nobody listens there any "
                                                       "more"});
  }
  if (error.kind == Kind::Foreign) return tl::unexpected(error);
  return {};
}

Outcome SessionPipe::dialAgain() {
  if (now_ < nextDial_ || connections_.size() >= mostConnections) return {};
  nextDial_ = now_ + dialInterval;
  auto pipe = dial_();
  if (!pipe) {
    // Without a way there is none for a while, which is what the grace is for.
    if (pipe.error().kind != Kind::Refused) return {};
    return tl::unexpected(pipe.error());
  }
  Connection& connection = add(std::move(*pipe), ++attempts_);
  say(connection, {session_, secret_, isKnown_, connection.attempt, received_});
  return {};
}

// --- what leaves ---------------------------------------------------------------------------------

void SessionPipe::send(std::span<const std::byte> message) {
  // flush() says so: a message that is not sent ends the session.
  if (overdrawn_) return;
  overdrawn_ = !charge_.set(kept_.storageFor(message.size()) + reader_.storage());
  if (overdrawn_) return;
  kept_.put(message);
  ++messagesSent_;
}

std::optional<std::chrono::microseconds> SessionPipe::roundTrip() const {
  return current_ == nullptr || suspectSince_ ? std::nullopt : current_->pipe->roundTrip();
}

void SessionPipe::feed(Connection& connection) {
  while (connection.pipe->queuedBytes() < windowBytes) {
    const auto piece = kept_.from(connection.nextOut, pieceBytes);
    if (piece.empty()) return;
    frame_.resize(pieceHead + piece.size());
    std::memcpy(frame_.data(), &received_, pieceHead);
    std::memcpy(frame_.data() + pieceHead, piece.data(), piece.size());
    connection.pipe->send(frame_);
    connection.nextOut += piece.size();
    reported_ = received_;
    hasSpoken_ = true;
  }
}

void SessionPipe::acknowledge() {
  if (current_ == nullptr) return;
  frame_.resize(pieceHead);
  std::memcpy(frame_.data(), &received_, pieceHead);
  current_->pipe->send(frame_);
  reported_ = received_;
  hasSpoken_ = true;
}

Outcome SessionPipe::flushOne(Connection& connection) {
  Outcome flushed;
  for (;;) {
    if (&connection == current_) feed(connection);
    flushed = connection.pipe->flush();
    if (!flushed || connection.pipe->queuedBytes() != 0 || &connection != current_ ||
        connection.nextOut == kept_.end()) {
      break;
    }
  }
  if (!flushed) return ended(connection, flushed.error());
  watchWrites(connection);
  return {};
}

void SessionPipe::watchWrites(Connection& connection) {
  const bool writes = connection.pipe->wantsWrite();
  if (writes == connection.writes) return;
  connection.writes = writes;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | (writes ? unsigned{EPOLLOUT} : 0u);
  ::epoll_ctl(events_.get(), EPOLL_CTL_MOD, connection.pipe->descriptor(), &event);
}

Outcome SessionPipe::flush() {
  if (overdrawn_) return noMemory();
  if (received_ - reported_ >= acknowledgeAfter) acknowledge();
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (connections_[i]->over) continue;
    if (auto flushed = flushOne(*connections_[i]); !flushed) return flushed;
  }
  return {};
}

// --- what comes ----------------------------------------------------------------------------------

Outcome SessionPipe::receive(const Take& take) {
  if (!take) return {};
  closeThoseOver();
  for (const Bytes& message : std::exchange(early_, {})) take(message);
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (connections_[i]->over) continue;
    if (auto received = read(*connections_[i], take); !received) return received;
  }
  return {};
}

Outcome SessionPipe::read(Connection& connection, const Take& take) {
  Outcome taken;
  const auto received = connection.pipe->receive([&](auto frame) {
    if (taken && !connection.over) taken = takeFrame(connection, frame, take);
  });
  if (!taken) return taken;
  if (!received && !connection.over) return ended(connection, received.error());
  return {};
}

Outcome SessionPipe::takeEarly(std::span<const Bytes> messages) {
  Outcome taken;
  for (const Bytes& message : messages) {
    if (!taken) break;
    taken = takeFrame(*connections_.back(), message, [this](auto whole) {
      early_.emplace_back(whole.begin(), whole.end());
    });
  }
  return taken;
}

Outcome SessionPipe::takeFrame(Connection& connection, std::span<const std::byte> frame,
                               const Take& take) {
  hasHeard_ = true;
  if (!connection.answered) return takeAnswer(connection, frame);
  if (!connection.begun) return takeBegin(connection, frame);
  return takePiece(connection, frame, take);
}

Outcome SessionPipe::takeAnswer(Connection& connection, std::span<const std::byte> frame) {
  SessionAnswer answer;
  if (!fabric::fromWire(frame, answer)) return garbage();
  if (!answer.accepted || (isKnown_ && !answer.secret.matches(theirs_))) {
    return tl::unexpected(PipeError{Kind::Closed,
                                    "the RTI node at " + remoteName_ +
                                        " does not know this link any more: it has given it up, or "
                                        "was started anew"});
  }
  if (!takeAcknowledged(answer.received)) return garbage();
  connection.answered = true;
  if (!isKnown_) {
    isKnown_ = true;
    theirs_ = answer.secret;
    grace_ = std::min(std::chrono::milliseconds(answer.graceMilliseconds), longestGrace);
    longestWait_ =
        std::min(std::chrono::milliseconds(answer.longestWaitMilliseconds), mostLongestWait);
  }
  if (&connection == current_) return {};  // the first: nothing was waited for
  if (!suspectSince_) {  // the one before goes on
    connection.over = true;
    return {};
  }
  use(connection);
  dropUnanswered();
  return {};
}

Outcome SessionPipe::takeBegin(Connection& connection, std::span<const std::byte> frame) {
  SessionBegin begin;
  if (!fabric::fromWire(frame, begin) || begin.first > received_ ||
      !takeAcknowledged(begin.received)) {
    return garbage();
  }
  connection.begun = true;
  connection.nextIn = begin.first;
  const bool isNewer = current_ == nullptr || current_->attempt < connection.attempt;
  if (!dials() && isNewer) use(connection);
  if (&connection == current_) endBefore(connection);
  return {};
}

Outcome SessionPipe::takePiece(Connection& connection, std::span<const std::byte> frame,
                               const Take& take) {
  if (frame.size() < pieceHead) return garbage();
  std::uint64_t acknowledged = 0;
  std::memcpy(&acknowledged, frame.data(), sizeof acknowledged);
  if (!takeAcknowledged(acknowledged)) return garbage();
  auto piece = frame.subspan(pieceHead);
  const std::uint64_t first = connection.nextIn;
  connection.nextIn += piece.size();
  if (first > received_) return garbage();
  if (connection.nextIn <= received_) return {};  // it has come over another connection
  piece = piece.subspan(received_ - first);
  received_ = connection.nextIn;
  if (!charge_.set(kept_.storage() + reader_.storageFor(piece.size()))) return noMemory();
  const bool sound = reader_.put(piece, [this, &take](auto message) {
    ++messagesReceived_;
    take(message);
  });
  charge_.set(kept_.storage() + reader_.storage());
  return sound ? Outcome() : garbage();
}

// --- time ----------------------------------------------------------------------------------------

/// Whether it is suspect no more: another connection has taken over, or the old one goes on in both
/// directions. That the kernels hear each other again is not enough: what each has to send again
/// waits for the end of a pause that may last as long as the cut did, and a new connection is there
/// at once.
bool SessionPipe::goesOn() const {
  return current_->attempt != suspectAttempt_ ||
         (heardSince_ && (kept_.bytes() == 0 || kept_.begin() > acknowledgedBefore_));
}

std::chrono::milliseconds SessionPipe::waitLonger(std::chrono::milliseconds by) {
  // The side that dials waits for the longest anyway.
  if (!suspectSince_ || dials()) return std::chrono::milliseconds(0);
  const auto added = std::clamp(by, std::chrono::milliseconds(0), longestWait_ - waited_);
  waited_ += added;
  return added;
}

Outcome SessionPipe::tick(Clock::time_point now) {
  // What came while this process itself did not run counts as heard.
  if (const auto away = now - now_; away > patience_ / 2) {
    heard_ = std::max(heard_, now - patience_ / 2);
    if (suspectSince_) *suspectSince_ += away;
  }
  now_ = now;
  if (std::exchange(hasHeard_, false)) {
    heard_ = now;
    heardSince_ = true;
  }
  if (std::exchange(hasSpoken_, false)) spoke_ = now;
  closeThoseOver();
  if (received_ != reported_ || now - spoke_ >= heartbeat) acknowledge();
  bool cutOff = false;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    Connection& connection = *connections_[i];
    if (connection.over) continue;
    if (auto ticked = connection.pipe->tick(now); !ticked) {
      if (ticked.error().kind == Kind::CutOff) {
        cutOff = cutOff || &connection == current_;
      } else if (auto over = ended(connection, ticked.error()); !over) {
        return over;
      }
    }
    if (dials() && !connection.answered && &connection != current_ &&
        now - connection.since > dialPatience) {
      connection.over = true;
    }
  }
  if (cutOff || current_ == nullptr || (suspectSince_ && !goesOn())) {
    if (!suspectSince_) {
      suspectSince_ = now;
      ++suspicions_;
      suspectAttempt_ = current_ != nullptr ? current_->attempt : 0;
      heardSince_ = false;
      acknowledgedBefore_ = kept_.begin();
    }
    if (now - *suspectSince_ >= limit()) {
      return tl::unexpected(PipeError{
          Kind::CutOff, "the link to " + remoteName_ +
                            " is given up: the other host is down, or out of reach (no answer "
                            "for " +
                            std::to_string((reach + limit()).count()) +
                            " ms; tutti-rti --listen ... --grace SECONDS waits longer)"});
    }
    if (dials()) {
      if (auto dialled = dialAgain(); !dialled) return dialled;
    }
  } else if (suspectSince_) {
    suspectSince_.reset();
    waited_ = std::chrono::milliseconds(0);
    heard_ = std::max(heard_, now - patience_ / 2);
    if (dials()) dropUnanswered();
  }
  if (!suspectSince_ && now - heard_ > patience_) {
    return tl::unexpected(PipeError{
        Kind::Silent, "the connection to " + remoteName_ + " is given up: nothing was heard for " +
                          std::to_string(patience_.count()) + " ms. The RTI node there hangs"});
  }
  return flush();
}

}  // namespace tutti::pipes
