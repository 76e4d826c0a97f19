// SPDX-License-Identifier: Apache-2.0
#include "executive/host_memory.h"

#include <sched.h>

#include <new>
#include <thread>
#include <utility>

#include "executive/arena_allocator.h"

namespace tutti::executive {

using fabric::HostPage;
using fabric::SpinPage;

namespace {

std::uint32_t usableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<std::uint32_t>(CPU_COUNT(&set));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

static_assert(sizeof(HostPage) <= fabric::pageBytes && sizeof(SpinPage) <= fabric::pageBytes);

/// A page, its content zero.
tl::expected<std::pair<SharedMemory, fabric::Mapping>, std::string> makePage(const char* name) {
  auto memory = SharedMemory::make(name, fabric::pageBytes);
  if (!memory) return tl::unexpected(memory.error());
  if (auto backed = memory->back(0, fabric::pageBytes); !backed) {
    return tl::unexpected(backed.error());
  }
  auto mapping = fabric::Mapping::map(memory->descriptor.get(), fabric::pageBytes,
                                      fabric::Mapping::Access::ReadWrite);
  if (!mapping) return tl::unexpected(mapping.error());
  return std::pair(std::move(*memory), std::move(*mapping));
}

}  // namespace

tl::expected<HostMemory, std::string> HostMemory::make() {
  auto host = makePage("tutti-host");
  if (!host) return tl::unexpected(host.error());
  auto spin = makePage("tutti-spin");
  if (!spin) return tl::unexpected(spin.error());
  auto* page = new (host->second.data()) HostPage{};
  page->magic = HostPage::magicValue;
  page->version = fabric::layoutVersion;
  page->processors = usableProcessors();
  new (spin->second.data()) SpinPage{};
  using Writers = SharedMemory::Writers;
  if (auto sealed = host->first.seal(Writers::Mappers); !sealed) {
    return tl::unexpected(sealed.error());
  }
  if (auto sealed = spin->first.seal(Writers::All); !sealed) {
    return tl::unexpected(sealed.error());
  }
  HostMemory made;
  made.host_ = std::move(host->first.descriptor);
  made.hostMapping_ = std::move(host->second);
  made.spin_ = std::move(spin->first.descriptor);
  made.spinMapping_ = std::move(spin->second);
  return made;
}

void HostMemory::keepSpinning(const std::set<std::uint32_t>& connections) {
  auto& page = *reinterpret_cast<SpinPage*>(spinMapping_.data());
  for (std::uint32_t word = 0; word < SpinPage::spinWords; ++word) {
    std::uint64_t kept = 0;
    for (auto it = connections.lower_bound(word * 64);
         it != connections.end() && *it < (word + 1) * 64; ++it) {
      kept |= std::uint64_t{1} << (*it % 64);
    }
    page.spinning[word].fetch_and(kept, std::memory_order_seq_cst);
  }
}

}  // namespace tutti::executive
