// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace tutti::launcher {

/// What the kernel has counted on this host since it started. Processor time in clock ticks.
struct HostFigures {
  std::uint64_t userTicks = 0;  ///< With nice.
  std::uint64_t systemTicks = 0;
  std::uint64_t idleTicks = 0;        ///< With I/O wait.
  std::uint64_t memoryTotal = 0;      ///< Bytes.
  std::uint64_t memoryAvailable = 0;  ///< Bytes.
  std::uint64_t networkBytes = 0;     ///< Received and sent by all interfaces but lo.
  int processors = 1;
};

/// Reads /proc/stat, /proc/meminfo and /proc/net/dev; 0 where one cannot be read.
HostFigures hostFigures();
/// Likewise of texts that stand in them (proc(5)).
HostFigures hostFiguresFrom(std::string_view stat, std::string_view meminfo,
                            std::string_view netDev);

}  // namespace tutti::launcher
