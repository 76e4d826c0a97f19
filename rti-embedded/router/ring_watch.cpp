// SPDX-License-Identifier: Apache-2.0
#include "router/ring_watch.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "fabric/futex.h"

namespace tutti::router {

using fabric::FederateBlock;

tl::expected<fabric::UniqueFd, std::string> RingWatch::events() {
  fabric::UniqueFd events(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (events) return events;
  return tl::unexpected(std::string("cannot wait for routers: ") + std::strerror(errno));
}

tl::expected<std::unique_ptr<RingWatch>, std::string> RingWatch::make(
    const executive::FederationExecution& execution, int descriptor) {
  const auto& memory = execution.arena();
  auto arena = fabric::Arena::open(memory.memory());
  if (!arena) return tl::unexpected(arena.error());
  const auto* page = reinterpret_cast<const std::byte*>(execution.routerPage());
  const auto* start = reinterpret_cast<const std::byte*>(&memory.header());
  try {
    return std::unique_ptr<RingWatch>(
        new RingWatch(std::move(*arena), static_cast<fabric::Offset>(page - start), descriptor));
  } catch (const std::system_error& error) {
    return tl::unexpected(std::string("no thread for the router: ") + error.what());
  }
}

RingWatch::RingWatch(fabric::Arena arena, fabric::Offset page, int descriptor)
    : arena_(std::move(arena)),
      page_(arena_.as<FederateBlock>(page)),
      descriptor_(descriptor),
      thread_([this] { run(); }) {}

RingWatch::~RingWatch() {
  {
    const std::lock_guard guard(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  fabric::ringDoorbell(*page_);
  thread_.join();
}

std::uint32_t RingWatch::doorbell() const {
  return page_->doorbell.load(std::memory_order_acquire);
}

void RingWatch::rearm(std::uint32_t doorbell) {
  {
    const std::lock_guard guard(mutex_);
    doorbell_ = doorbell;
    armed_ = true;
  }
  changed_.notify_all();
}

void RingWatch::run() {
  constexpr std::chrono::milliseconds limit{100};
  for (;;) {
    std::uint32_t doorbell = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return armed_ || stop_; });
      if (stop_) return;
      armed_ = false;
      doorbell = doorbell_;
    }
    page_->sleeping.store(1, std::memory_order_seq_cst);
    if (page_->readySummary.load(std::memory_order_seq_cst) == 0 &&
        page_->doorbell.load(std::memory_order_seq_cst) == doorbell) {
      fabric::futexWait(page_->doorbell, doorbell, limit);
    }
    page_->sleeping.store(0, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    if (::write(descriptor_, &one, sizeof one) < 0) {
      // Full: it is readable anyway.
    }
  }
}

}  // namespace tutti::router
