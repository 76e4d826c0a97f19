// SPDX-License-Identifier: Apache-2.0
#include "executive/budget.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace tutti::executive {

namespace {

/// Less holds neither the control log nor a federate.
constexpr std::uint64_t least = 1 << 20;

/// MemAvailable of /proc/meminfo in bytes, 0 when it cannot be read.
std::uint64_t availableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return 0;
}

std::string contentOf(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The number in a file of a control group; nothing for "max" or no such file.
std::optional<std::uint64_t> numberIn(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

}  // namespace

std::uint64_t controlGroupMemory(std::string_view groups, const std::string& root) {
  std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
  constexpr std::string_view unified = "0::";
  while (!groups.empty()) {
    std::string_view line = groups.substr(0, groups.find('\n'));
    groups.remove_prefix(std::min(groups.size(), line.size() + 1));
    if (!line.starts_with(unified)) continue;
    // Each group above sets a limit for all below it.
    for (std::string path(line.substr(unified.size()));;) {
      const std::string folder = root + (path == "/" ? "" : path);
      const auto most = numberIn(folder + "/memory.max");
      const auto used = numberIn(folder + "/memory.current");
      if (most && used) left = std::min(left, *most - std::min(*most, *used));
      const auto slash = path.rfind('/');
      if (path.size() <= 1 || slash == std::string::npos) break;
      path.resize(std::max<std::size_t>(slash, 1));
    }
  }
  return left;
}

std::string bytesText(std::uint64_t bytes) {
  static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  double value = static_cast<double>(bytes);
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  char text[64];
  const bool whole = value == static_cast<double>(static_cast<std::uint64_t>(value));
  std::snprintf(text, sizeof text, whole ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

tl::expected<std::uint64_t, std::string> Budget::parse(std::string_view text) {
  const auto refuse = [&] {
    return tl::unexpected("TUTTI_MEMORY is '" + std::string(text) +
                          "': give a number of bytes of at least 1M, such as 512M or 2G");
  };
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return refuse();
  unsigned shift = 0;
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  if (suffix == "K" || suffix == "k") {
    shift = 10;
  } else if (suffix == "M" || suffix == "m") {
    shift = 20;
  } else if (suffix == "G" || suffix == "g") {
    shift = 30;
  } else if (!suffix.empty()) {
    return refuse();
  }
  // Arenas are mapped whole: what no address space holds is no budget.
  constexpr std::uint64_t most = std::uint64_t{1} << 44;
  if (number > (most >> shift) || (number << shift) < least) return refuse();
  return number << shift;
}

tl::expected<Budget, std::string> Budget::fromEnvironment() {
  if (const char* text = std::getenv("TUTTI_MEMORY"); text != nullptr && *text != '\0') {
    auto bytes = parse(text);
    if (!bytes) return tl::unexpected(bytes.error());
    return Budget(*bytes);
  }
  const std::uint64_t available = availableMemory();
  if (available == 0) {
    return tl::unexpected(std::string(
        "cannot read MemAvailable from /proc/meminfo: set TUTTI_MEMORY, for example to 512M"));
  }
  const std::uint64_t allowed =
      controlGroupMemory(contentOf("/proc/self/cgroup"), "/sys/fs/cgroup");
  return Budget(std::max(least, std::min(available, allowed) / 4));
}

tl::expected<void, std::string> Budget::take(std::uint64_t bytes, std::string_view purpose) {
  if (bytes > left()) {
    return tl::unexpected("no memory for " + std::string(purpose) + ": " + bytesText(bytes) +
                          " more do not fit the RTI's budget of " + bytesText(total_) +
                          ", of which " + bytesText(used_) +
                          " are used; set TUTTI_MEMORY to more (such as 2G) before the RTI node "
                          "starts, or run fewer federates");
  }
  used_ += bytes;
  return {};
}

void Budget::giveBack(std::uint64_t bytes) { used_ -= std::min(bytes, used_); }

}  // namespace tutti::executive
