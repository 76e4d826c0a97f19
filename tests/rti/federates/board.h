// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <atomic>
#include <cstddef>
#include <cstdint>

/// Memory that a test shares with the federate processes it starts. It outlives them: what a
/// federate wrote last is what it was doing when it was killed.
namespace federates {

enum class Phase : std::uint32_t {
  Starting,
  Joining,
  Idle,
  Sending,
  Receiving,
  Granting,  ///< between the request of a time advance and its grant
  Resigning,
  Left,
};
inline constexpr std::size_t phaseCount = 8;

inline const char* nameOf(Phase phase) {
  constexpr const char* names[phaseCount] = {"starting",  "joining",  "idle",      "sending",
                                             "receiving", "granting", "resigning", "left"};
  return names[static_cast<std::size_t>(phase) % phaseCount];
}

inline constexpr std::size_t slotCount = 8;

/// What one federate tells; it is the only writer but for what its comments name.
struct Slot {
  std::atomic<std::uint32_t> phase;
  std::atomic<std::uint32_t> generation;   ///< test: which of the federates in this slot is meant
  std::atomic<std::uint64_t> begun;        ///< sending services called
  std::atomic<std::uint64_t> ended;        ///< of them returned
  std::atomic<std::uint64_t> joinedRound;  ///< the first round it takes part in; 0: not ready
  std::atomic<std::uint64_t> known;  ///< bit per slot: its federate of this generation is joined
  std::atomic<std::uint64_t> knownRound;             ///< the round of `known`
  std::atomic<std::uint64_t> updateFrom[slotCount];  ///< newest round heard by an update of a slot
  std::atomic<std::uint64_t> eventFrom[slotCount];   ///< ... by an event in timestamp order
  std::atomic<std::uint64_t> errors;                 ///< things that must not happen; text below
  std::atomic<std::uint64_t> grants;
  char text[256];
};

struct Board {
  std::atomic<std::uint64_t> round;  ///< test: each member sends and advances once per round
  std::atomic<std::uint32_t> stop;   ///< test: resign and end
  std::atomic<std::uint32_t> leave[slotCount];  ///< test: this generation of the slot resigns now
  Slot members[slotCount];
};

/// Name of a federate that a Slot is about.
inline QString memberName(std::uint32_t slot, std::uint32_t generation) {
  return QString("m%1.%2").arg(slot).arg(generation);
}

/// Descriptor under which a federate process finds the board.
inline constexpr int boardDescriptor = 9;

/// Maps `bytes` of the board of this federate process; ends the process when there is none.
void* openBoard(std::size_t bytes);
/// The same, of a test that has a board of its own kind.
template <class Content>
Content& openBoardOf() {
  return *static_cast<Content*>(openBoard(sizeof(Content)));
}
inline Board& openBoard() { return openBoardOf<Board>(); }

}  // namespace federates
