// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <vector>

namespace tutti::core {

/// Memory for a queue whose blocks come and go with every message: keeps some of what was freed,
/// and gives the rest back, so that neither a steady stream allocates nor a burst stays for ever.
/// Not thread-safe.
class Recycler : public std::pmr::memory_resource {
 public:
  Recycler() { kept_.reserve(most); }
  Recycler(const Recycler&) = delete;
  Recycler& operator=(const Recycler&) = delete;
  ~Recycler() override {
    for (const Block& block : kept_) ::operator delete(block.memory, block.bytes);
  }

 private:
  static constexpr std::size_t most = 64;
  struct Block {
    void* memory;
    std::size_t bytes;
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) throw std::bad_alloc();
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                                    [bytes](const Block& block) { return block.bytes == bytes; });
    if (found == kept_.rend()) return ::operator new(bytes);
    void* memory = found->memory;
    *found = kept_.back();
    kept_.pop_back();
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t) override {
    if (kept_.size() < most) {
      kept_.push_back({memory, bytes});
    } else {
      ::operator delete(memory, bytes);
    }
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::vector<Block> kept_;
};

}  // namespace tutti::core
