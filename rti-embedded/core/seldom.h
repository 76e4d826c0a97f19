// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace tutti::core {

/// A value that most of many objects do without: one pointer in each of them, null when there is
/// none. Copied with its value.
template <class T>
class Seldom {
 public:
  Seldom() = default;
  Seldom(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Seldom(const Seldom& other) : value_(other.value_ ? std::make_unique<T>(*other) : nullptr) {}
  Seldom(Seldom&&) noexcept = default;
  Seldom& operator=(Seldom other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Seldom() = default;

  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    value_ = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    return *value_;
  }
  explicit operator bool() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace tutti::core
