// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/supervisor/host_figures.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace tutti::launcher {
namespace {

/// The first 64 KiB: hundreds of network interfaces. Of /proc/stat the first line is enough.
std::string beginningOf(const char* path, std::size_t most) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string text(most, '\0');
  std::size_t used = 0;
  while (used < most) {
    const auto got = ::read(file, text.data() + used, most - used);
    if (got <= 0) break;
    used += static_cast<std::size_t>(got);
  }
  ::close(file);
  text.resize(used);
  return text;
}

/// The number that stands next; what was before it is taken away.
std::uint64_t takeNumber(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() ? value : 0;
}

/// Of a line "Key:   123 kB".
std::uint64_t bytesOf(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + key.size());
  return takeNumber(text) * 1024;
}

}  // namespace

HostFigures hostFiguresFrom(std::string_view stat, std::string_view meminfo,
                            std::string_view netDev) {
  HostFigures result;
  if (stat.starts_with("cpu ")) {
    stat.remove_prefix(4);
    enum { User, Nice, System, Idle, IoWait, Irq, SoftIrq, Steal, Count };
    std::array<std::uint64_t, Count> ticks{};
    for (auto& each : ticks) each = takeNumber(stat);
    result.userTicks = ticks[User] + ticks[Nice];
    result.systemTicks = ticks[System] + ticks[Irq] + ticks[SoftIrq];
    result.idleTicks = ticks[Idle] + ticks[IoWait] + ticks[Steal];
  }
  result.memoryTotal = bytesOf(meminfo, "MemTotal:");
  result.memoryAvailable = bytesOf(meminfo, "MemAvailable:");
  while (!netDev.empty()) {
    const auto end = std::min(netDev.find('\n'), netDev.size());
    std::string_view line = netDev.substr(0, end);
    netDev.remove_prefix(std::min(end + 1, netDev.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || line.substr(0, colon) == "lo") continue;
    line.remove_prefix(colon + 1);
    constexpr int received = 0;
    constexpr int sent = 8;
    for (int column = 0; column <= sent; ++column) {
      const auto value = takeNumber(line);
      if (column == received || column == sent) result.networkBytes += value;
    }
  }
  return result;
}

HostFigures hostFigures() {
  auto result = hostFiguresFrom(beginningOf("/proc/stat", 256), beginningOf("/proc/meminfo", 4096),
                                beginningOf("/proc/net/dev", 65536));
  result.processors = std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
  return result;
}

}  // namespace tutti::launcher
