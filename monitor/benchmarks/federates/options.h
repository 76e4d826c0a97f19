// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sched.h>
#include <time.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

/// What the measuring programs share. They print lines of "key value ..." on standard output, which
/// the runner reads, and one line of explanation on standard error when they end with code 1.
namespace tutti::bench {

/// "--name value" pairs.
class Options {
 public:
  Options(int count, char** values) {
    for (int i = 1; i < count; i += 2) {
      const std::string name = values[i];
      if (name.rfind("--", 0) != 0 || i + 1 >= count) {
        throw std::runtime_error("expected --name value, got '" + name + "'");
      }
      values_[name.substr(2)] = values[i + 1];
    }
  }
  std::string text(const std::string& name, const std::string& otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  long long number(const std::string& name, long long otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : std::atoll(found->second.c_str());
  }
  double real(const std::string& name, double otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : std::atof(found->second.c_str());
  }
  /// "3,1,2"; empty where the option was not given.
  std::vector<long long> numbers(const std::string& name) const {
    std::vector<long long> result;
    std::string list = text(name, "");
    while (!list.empty()) {
      const std::size_t comma = list.find(',');
      result.push_back(std::atoll(list.c_str()));
      list = comma == std::string::npos ? std::string() : list.substr(comma + 1);
    }
    return result;
  }

 private:
  std::map<std::string, std::string> values_;
};

/// Keeps this process on one processor; -1 leaves it to the kernel.
inline void pinTo(long long processor) {
  if (processor < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::runtime_error("processor " + std::to_string(processor) +
                             " is not available here: " + std::strerror(errno));
  }
}

inline std::uint64_t nowNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// The sequence number stands in the first 8 bytes of a payload, or in what there is of them.
inline void writeSequence(unsigned char* payload, std::size_t size, std::uint64_t number) {
  for (std::size_t i = 0; i < size && i < 8; ++i) {
    payload[i] = static_cast<unsigned char>(number >> (8 * i));
  }
}
inline std::uint64_t readSequence(const void* payload, std::size_t size) {
  const unsigned char* bytes = static_cast<const unsigned char*>(payload);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size && i < 8; ++i) number |= std::uint64_t{bytes[i]} << (8 * i);
  return number;
}
/// The time of sending stands in the second 8 bytes.
constexpr std::size_t stampedSize = 16;
inline void writeStamp(unsigned char* payload, std::size_t size, std::uint64_t nanoseconds) {
  if (size >= stampedSize) std::memcpy(payload + 8, &nanoseconds, 8);
}
inline std::uint64_t readStamp(const void* payload, std::size_t size) {
  std::uint64_t nanoseconds = 0;
  if (size >= stampedSize) {
    std::memcpy(&nanoseconds, static_cast<const unsigned char*>(payload) + 8, 8);
  }
  return nanoseconds;
}
/// The part of a number that fits in a payload of `size` bytes.
inline std::uint64_t truncated(std::uint64_t number, std::size_t size) {
  return size >= 8 ? number : number & ((std::uint64_t{1} << (8 * size)) - 1);
}

/// What a receiver knows of a numbered stream that begins at 1.
class Counter {
 public:
  void hear(const void* payload, std::size_t size, std::size_t expectedSize) {
    ++heard_;
    const std::uint64_t number = readSequence(payload, size);
    const std::uint64_t expected = heard_ + skipped_;
    // Short payloads' numbers wrap: there each gap counts once.
    if (number != truncated(expected, size)) {
      if (size >= 8 && number > expected) {
        skipped_ += number - expected;
      } else {
        ++wrong_;
      }
    }
    if (size != expectedSize) ++wrong_;
  }
  /// How far the stream has come, with what was lost on the way.
  std::uint64_t reached() const { return heard_ + skipped_; }
  /// Of a stream of `sent`: those that did not come, or came out of order or damaged.
  std::uint64_t missing(std::uint64_t sent) const {
    return (sent > heard_ ? sent - heard_ : 0) + wrong_;
  }

 private:
  std::uint64_t heard_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t wrong_ = 0;
};

/// Payload bytes of a seed: not all zero, and the same in each run.
inline std::vector<unsigned char> makePayload(std::size_t size, std::uint64_t seed) {
  std::vector<unsigned char> payload(size);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
  for (unsigned char& byte : payload) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<unsigned char>(state);
  }
  return payload;
}

inline void printSamples(const char* key, const std::vector<std::uint64_t>& samples) {
  std::printf("%s", key);
  for (const std::uint64_t sample : samples) {
    std::printf(" %llu", static_cast<unsigned long long>(sample));
  }
  std::printf("\n");
}

}  // namespace tutti::bench
