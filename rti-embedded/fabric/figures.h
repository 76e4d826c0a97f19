// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "fabric/layout.h"

/// What a federate counted and how it stood to time, as words: its page goes when it leaves, and
/// whoever watched it wants to know what became of it.
namespace tutti::fabric {

namespace detail {

template <class Visit>
void eachFigure(Counters& counters, TimeState& state, Visit&& visit) {
  Counters::eachWord(counters, visit);
  TimeState::eachWord(state, visit);
}

}  // namespace detail

/// The figures of a page whose federate writes no more.
inline std::vector<std::uint64_t> figuresOf(FederateBlock& block) {
  std::vector<std::uint64_t> words;
  TimeState& state = block.time.states[block.time.sequence.load(std::memory_order_acquire) & 1];
  detail::eachFigure(block.counters, state, [&](const auto& word) {
    words.push_back(word.load(std::memory_order_relaxed));
  });
  return words;
}

/// Puts them where they can be read as if the federate were still there. False when they are of
/// another number than this version's.
inline bool placeFigures(std::span<const std::uint64_t> words, Counters& counters, TimeSlot& slot) {
  std::size_t count = 0;
  slot.sequence.store(0, std::memory_order_relaxed);
  detail::eachFigure(counters, slot.states[0], [&](auto& word) {
    using Word = std::remove_reference_t<decltype(word)>::value_type;
    if (count < words.size()) {
      word.store(static_cast<Word>(words[count]), std::memory_order_relaxed);
    }
    ++count;
  });
  return count == words.size();
}

}  // namespace tutti::fabric
