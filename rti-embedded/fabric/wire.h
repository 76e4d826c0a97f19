// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// Control messages as bytes: little-endian integers, strings and lists with a 32-bit length.
///
/// A message names its fields once, `template <class A> void fields(A& a) { a(x, y); }`, and is
/// written by WireWriter and read by WireReader. Reading never passes the end of the bytes: a short
/// or implausible message sets `failed()`.
namespace tutti::fabric {

static_assert(std::endian::native == std::endian::little);

using Bytes = std::vector<std::byte>;

template <class T>
concept WireNumber = std::integral<T> || std::is_enum_v<T>;

class WireWriter {
 public:
  explicit WireWriter(Bytes& out) : out_(out) {}

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }

 private:
  template <WireNumber T>
  void put(const T& value) {
    append(&value, sizeof value);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    append(text.data(), text.size());
  }
  void put(const Bytes& bytes) {
    put(static_cast<std::uint32_t>(bytes.size()));
    append(bytes.data(), bytes.size());
  }
  template <class T>
    requires(!std::same_as<T, std::byte>)
  void put(const std::vector<T>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const T& value : list) put(value);
  }
  template <class T>
    requires requires(T& t, WireWriter& w) { t.fields(w); }
  void put(const T& message) {
    const_cast<T&>(message).fields(*this);  // fields() only reads when it is given a writer
  }
  void append(const void* data, std::size_t count) {
    const auto* first = static_cast<const std::byte*>(data);
    out_.insert(out_.end(), first, first + count);
  }

  Bytes& out_;
};

class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> in) : in_(in) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }

  bool failed() const { return failed_; }

 private:
  template <WireNumber T>
  void get(T& value) {
    if constexpr (std::same_as<T, bool>) {
      std::uint8_t byte = 0;
      take(&byte, 1);
      value = byte != 0;
    } else {
      take(&value, sizeof value);
    }
  }
  void get(std::string& text) {
    text.resize(length(1));
    take(text.data(), text.size());
  }
  void get(Bytes& bytes) {
    bytes.resize(length(1));
    take(bytes.data(), bytes.size());
  }
  template <class T>
    requires(!std::same_as<T, std::byte>)
  void get(std::vector<T>& list) {
    // Grows as elements are read: a false length costs no memory.
    list.clear();
    const std::size_t count = length(1);
    for (std::size_t i = 0; i < count && !failed_; ++i) get(list.emplace_back());
  }
  template <class T>
    requires requires(T& t, WireReader& r) { t.fields(r); }
  void get(T& message) {
    message.fields(*this);
  }
  std::size_t length(std::size_t least) {
    std::uint32_t count = 0;
    get(count);
    if (failed_ || count * least > in_.size() - at_) {
      failed_ = true;
      return 0;
    }
    return count;
  }
  void take(void* data, std::size_t count) {
    if (failed_ || count > in_.size() - at_) {
      failed_ = true;
      if (count != 0) std::memset(data, 0, count);
      return;
    }
    if (count != 0) std::memcpy(data, in_.data() + at_, count);
    at_ += count;
  }

  std::span<const std::byte> in_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

template <class T>
Bytes toWire(const T& message) {
  Bytes out;
  WireWriter writer(out);
  writer(message);
  return out;
}

/// False when the bytes are not a whole message of this type.
template <class T>
bool fromWire(std::span<const std::byte> bytes, T& message) {
  WireReader reader(bytes);
  reader(message);
  return !reader.failed();
}

}  // namespace tutti::fabric
