// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tutti::pipes {

/// What the two sides of a session say over each of its connections, in messages of the connection
/// behind its greetings. D is the side that dials, L the one that listens.
///
///   the first connection             a further one
///
///   D: SessionHello (new)            D: SessionHello (the same session, next attempt)
///   D: SessionBegin, pieces ...      L: SessionAnswer
///   L: SessionAnswer                 D: SessionBegin, pieces ...   D sends over this one from now on
///   L: SessionBegin, pieces ...      L: SessionBegin, pieces ...   L too, and closes those before it
///                                    D: closes those before it
///
///   piece: | received 8 | bytes of the stream ... |
///
/// `received` acknowledges the stream of the other direction up to that position. A piece without
/// bytes does nothing else. The pieces of a connection follow each other in the stream without a
/// gap, from SessionBegin::first on; what was received over another connection is passed over.
///
/// A side takes the end of the connection over which it sends for the death of the other's process
/// (Kind::Closed). This is never an end because of a new connection: L sends over a new one before
/// it closes the old, when D has done so already; D closes the old one when L has sent over the new.
struct SessionSecret {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  template <class A>
  void fields(A& a) {
    a(high, low);
  }
  /// Takes as long whatever differs.
  bool matches(const SessionSecret& other) const {
    return ((high ^ other.high) | (low ^ other.low)) == 0;
  }
};

struct SessionHello {
  std::uint64_t session = 0;  ///< drawn by D
  SessionSecret secret;       ///< likewise: who resumes the session has to know it
  bool known = false;         ///< L has answered D once: it has to know the session
  std::uint32_t attempt = 0;  ///< counts the connections of the session, from 1
  std::uint64_t received = 0;
  template <class A>
  void fields(A& a) {
    a(session, secret, known, attempt, received);
  }
};

struct SessionAnswer {
  bool accepted = false;  ///< else L does not know the session, and that is its end
  SessionSecret secret;   ///< drawn by L, the same for all connections of the session
  std::uint32_t graceMilliseconds = 0;
  std::uint64_t received = 0;
  /// So much longer than the grace L may wait for D, if an operator has it do so; D, which nobody can
  /// tell then, waits that long in any case.
  std::uint32_t longestWaitMilliseconds = 0;
  template <class A>
  void fields(A& a) {
    a(accepted, secret, graceMilliseconds, received, longestWaitMilliseconds);
  }
};

struct SessionBegin {
  std::uint64_t received = 0;
  std::uint64_t first = 0;
  template <class A>
  void fields(A& a) {
    a(received, first);
  }
};

}  // namespace tutti::pipes
