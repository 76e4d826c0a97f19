// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What a fuzz target consists of. Each target is one source file that defines `target` and `seeds`;
/// fuzzed.cpp makes it a libFuzzer program, replay.cpp a test that takes its corpus once.
namespace tutti::fuzz {

using Input = std::span<const std::byte>;
using Bytes = std::vector<std::byte>;

/// Takes one input. Any input is allowed; what is wrong ends the process.
void target(Input input);

/// Inputs that the target makes itself with Tutti's own encoders, so that they follow every change
/// of a format. Those of the corpus come beside them.
std::vector<Bytes> seeds();

/// A point far behind the first checks of the code under test. A replay of the corpus fails when no
/// input comes to it: then the target has become one that rejects everything at once.
class Landmark {
 public:
  explicit Landmark(const char* name);
  void reach() { ++count_; }
  const char* name() const { return name_; }
  std::uint64_t count() const { return count_; }
  static std::vector<Landmark*>& all();

 private:
  const char* name_;
  std::uint64_t count_ = 0;
};

/// Ends the process with a message when `holds` is false.
void require(bool holds, const char* what);
void require(bool holds, const std::string& what);

inline Bytes bytesOf(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}
inline std::string_view textOf(Input bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
/// The bytes of values, one behind the other.
template <class... T>
Bytes valueBytes(const T&... values) {
  Bytes bytes;
  const auto append = [&](Input more) { bytes.insert(bytes.end(), more.begin(), more.end()); };
  (append(std::as_bytes(std::span(&values, 1))), ...);
  return bytes;
}
/// The content of a file below the source folder; for seeds.
Bytes fileContent(const std::string& path);

/// An input of several parts, in this order each: | kind 1 | length 2 | bytes |. A last part that is
/// shorter than its length ends there. parts_mutator.cpp changes such inputs part by part.
struct Part {
  std::uint8_t kind = 0;
  Input bytes;
};
std::vector<Part> parts(Input input);
void appendPart(Bytes& input, std::uint8_t kind, Input bytes);

}  // namespace tutti::fuzz
