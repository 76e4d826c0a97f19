// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <QSysInfo>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "monitor/engine/sample_source.h"

namespace tutti::monitor {
namespace {

/// The start of a file of /proc: one open, one read, no allocation.
template <std::size_t N>
std::string_view slurp(const char* path, std::array<char, N>& buffer) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::size_t used = 0;
  while (used < buffer.size() - 1) {
    const ssize_t got = ::read(file, buffer.data() + used, buffer.size() - 1 - used);
    if (got <= 0) break;
    used += static_cast<std::size_t>(got);
  }
  ::close(file);
  buffer[used] = '\0';
  return {buffer.data(), used};
}

/// The number behind `key` in lines of the form "key   123 kB".
std::uint64_t valueOf(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  return at == std::string_view::npos ? 0
                                      : std::strtoull(text.data() + at + key.size(), nullptr, 10);
}

class ProcProbe final : public ProcessProbe {
 public:
  std::int64_t monotonicNanoseconds() const override {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }

  long ticksPerSecond() const override { return sysconf(_SC_CLK_TCK); }

  std::optional<ProcessReading> process(std::int64_t pid) const override {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/%lld/stat", static_cast<long long>(pid));
    std::array<char, 1024> buffer{};
    const std::string_view text = slurp(path.data(), buffer);
    // The name stands in parentheses and may itself hold some: fields count from the last one.
    const std::size_t close = text.rfind(')');
    if (close == std::string_view::npos || close + 2 >= text.size()) return std::nullopt;
    ProcessReading result;
    result.state = text[close + 2];
    const char* at = text.data() + close + 3;
    char* end = nullptr;
    for (int field = 4; field <= 24; ++field) {  // proc(5) counts fields from 1
      const long long value = std::strtoll(at, &end, 10);
      if (end == at) return std::nullopt;
      at = end;
      if (field == 14) result.userTicks = static_cast<std::uint64_t>(value);
      if (field == 15) result.systemTicks = static_cast<std::uint64_t>(value);
      if (field == 24) {
        result.residentBytes =
            static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
      }
    }
    return result;
  }

  HostReading host() const override {
    HostReading result;
    result.processors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    std::array<char, 4096> buffer{};
    std::string_view text = slurp("/proc/stat", buffer);
    if (text.starts_with("cpu ")) {
      std::array<std::uint64_t, 8> field{};
      const char* at = text.data() + 4;
      char* end = nullptr;
      for (auto& value : field) {
        value = std::strtoull(at, &end, 10);
        at = end;
      }
      result.userTicks = field[0] + field[1];
      result.systemTicks = field[2] + field[5] + field[6];
      result.idleTicks = field[3] + field[4] + field[7];
    }
    text = slurp("/proc/meminfo", buffer);
    result.memoryTotal = valueOf(text, "MemTotal:") * 1024;
    result.memoryAvailable = valueOf(text, "MemAvailable:") * 1024;
    text = slurp("/proc/net/dev", buffer);
    for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
         colon = text.find(':', colon + 1)) {
      if (colon >= 2 && text.substr(colon - 2, 2) == "lo") continue;
      const char* at = text.data() + colon + 1;
      char* end = nullptr;
      for (int column = 0; column < 9; ++column) {
        const std::uint64_t value = std::strtoull(at, &end, 10);
        at = end;
        if (column == 0 || column == 8) result.networkBytes += value;
      }
    }
    return result;
  }

  QString hostName() const override { return QSysInfo::machineHostName(); }
};

}  // namespace

std::unique_ptr<ProcessProbe> makeProcProbe() { return std::make_unique<ProcProbe>(); }

}  // namespace tutti::monitor
