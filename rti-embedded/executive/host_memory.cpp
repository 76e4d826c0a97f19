// SPDX-License-Identifier: Apache-2.0
#include "executive/host_memory.h"

#include <sched.h>

#include <new>
#include <thread>

#include "executive/arena_allocator.h"

namespace tutti::executive {

using fabric::HostPage;

namespace {

std::uint32_t usableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<std::uint32_t>(CPU_COUNT(&set));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

static_assert(sizeof(HostPage) <= fabric::pageBytes);

}  // namespace

tl::expected<HostMemory, std::string> HostMemory::make() {
  auto memory = SharedMemory::make("tutti-host", fabric::pageBytes);
  if (!memory) return tl::unexpected(memory.error());
  if (auto backed = memory->back(0, fabric::pageBytes); !backed) {
    return tl::unexpected(backed.error());
  }
  auto mapping = fabric::Mapping::map(memory->descriptor.get(), fabric::pageBytes,
                                      fabric::Mapping::Access::ReadWrite);
  if (!mapping) return tl::unexpected(mapping.error());
  auto* page = new (mapping->data()) HostPage{};
  page->magic = HostPage::magicValue;
  page->version = fabric::layoutVersion;
  page->processors = usableProcessors();
  HostMemory host;
  host.descriptor_ = std::move(memory->descriptor);
  host.mapping_ = std::move(*mapping);
  return host;
}

void HostMemory::clearSpinning(std::uint32_t connection) {
  if (connection >= HostPage::spinWords * 64) return;
  page().spinning[connection / 64].fetch_and(~(std::uint64_t{1} << (connection % 64)),
                                             std::memory_order_seq_cst);
}

}  // namespace tutti::executive
