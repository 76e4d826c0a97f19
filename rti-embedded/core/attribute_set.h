// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/seldom.h"

namespace tutti::core {

/// Set of attributes of one object class, by their index in it.
class AttributeSet {
 public:
  void set(std::size_t index) {
    if (index < 64) {
      first_ |= std::uint64_t{1} << index;
    } else {
      if (!more_) more_.emplace();
      if (more_->size() < index / 64) more_->resize(index / 64);
      (*more_)[index / 64 - 1] |= std::uint64_t{1} << (index % 64);
    }
  }
  void reset(std::size_t index) {
    if (index < 64) {
      first_ &= ~(std::uint64_t{1} << index);
    } else if (index / 64 <= words()) {
      (*more_)[index / 64 - 1] &= ~(std::uint64_t{1} << (index % 64));
    }
  }
  bool test(std::size_t index) const {
    if (index < 64) return ((first_ >> index) & 1) != 0;
    return index / 64 <= words() && ((word(index / 64 - 1) >> (index % 64)) & 1) != 0;
  }
  /// Keeps its memory.
  void clear() {
    first_ = 0;
    if (more_) more_->assign(more_->size(), 0);
  }
  bool empty() const {
    if (first_ != 0) return false;
    for (std::size_t i = 0; i < words(); ++i) {
      if (word(i) != 0) return false;
    }
    return true;
  }
  bool intersects(const AttributeSet& other) const {
    if ((first_ & other.first_) != 0) return true;
    for (std::size_t i = 0; i < words(); ++i) {
      if ((word(i) & other.word(i)) != 0) return true;
    }
    return false;
  }
  /// True when every member is in `other`.
  bool within(const AttributeSet& other) const {
    if ((first_ & ~other.first_) != 0) return false;
    for (std::size_t i = 0; i < words(); ++i) {
      if ((word(i) & ~other.word(i)) != 0) return false;
    }
    return true;
  }
  friend bool operator==(const AttributeSet& a, const AttributeSet& b) {
    return a.within(b) && b.within(a);
  }

 private:
  std::size_t words() const { return more_ ? more_->size() : 0; }
  std::uint64_t word(std::size_t i) const { return i < words() ? (*more_)[i] : 0; }

  std::uint64_t first_ = 0;                  ///< most classes need no more
  Seldom<std::vector<std::uint64_t>> more_;  ///< from index 64 on
};

}  // namespace tutti::core
