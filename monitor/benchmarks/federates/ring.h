// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <new>

#include "options.h"

/// The least that two processes must do to pass bytes: a ring in shared memory with one producer
/// and one consumer.
namespace tutti::bench {

inline constexpr std::size_t line = 64;

/// Positions only grow and are masked on use.
///   | length 8 | payload, padded to 8 |
/// A record never wraps: the rest at the end is skipped.
struct Ring {
  alignas(line) std::atomic<std::uint64_t> tail;  ///< written by the producer
  alignas(line) std::atomic<std::uint64_t> head;  ///< written by the consumer
  alignas(line) std::uint64_t mask;
};

/// Polls, and yields now and then: on processors of their own nearly always the poll wins; on one
/// processor the yield lets the other run.
class Patience {
 public:
  explicit Patience(bool shared) : every_(shared ? 1 : 16) {}
  void pause() {
    if (++polls_ % every_ == 0) sched_yield();
  }

 private:
  unsigned every_;
  unsigned polls_ = 0;
};

inline std::uint64_t recordBytes(std::uint64_t size) {
  return 8 + ((size + 7) & ~std::uint64_t{7});
}

class Producer {
 public:
  Producer(Ring& ring, unsigned char* bytes, bool shared)
      : ring_(ring), bytes_(bytes), patience_(shared) {}
  void put(const unsigned char* payload, std::uint64_t size) {
    const std::uint64_t capacity = ring_.mask + 1;
    const std::uint64_t need = recordBytes(size);
    const std::uint64_t left = capacity - (tail_ & ring_.mask);
    const std::uint64_t skip = left < need ? left : 0;
    while (tail_ + skip + need - head_ > capacity) {
      head_ = ring_.head.load(std::memory_order_acquire);
      if (tail_ + skip + need - head_ <= capacity) break;
      patience_.pause();
    }
    if (skip != 0) {
      const std::uint64_t marker = ~std::uint64_t{0};
      std::memcpy(bytes_ + (tail_ & ring_.mask), &marker, 8);
      tail_ += skip;
    }
    unsigned char* const at = bytes_ + (tail_ & ring_.mask);
    std::memcpy(at, &size, 8);
    std::memcpy(at + 8, payload, size);
    tail_ += need;
    ring_.tail.store(tail_, std::memory_order_release);
  }

 private:
  Ring& ring_;
  unsigned char* bytes_;
  Patience patience_;
  std::uint64_t tail_ = 0;
  std::uint64_t head_ = 0;  ///< the consumer's position as last seen
};

class Consumer {
 public:
  Consumer(Ring& ring, const unsigned char* bytes, bool shared)
      : ring_(ring), bytes_(bytes), patience_(shared) {}
  /// Copies the next record out, as a receiver has to that keeps it.
  std::uint64_t take(unsigned char* payload) {
    for (;;) {
      while (head_ == tail_) {
        tail_ = ring_.tail.load(std::memory_order_acquire);
        if (head_ != tail_) break;
        patience_.pause();
      }
      const unsigned char* const at = bytes_ + (head_ & ring_.mask);
      std::uint64_t size = 0;
      std::memcpy(&size, at, 8);
      if (size == ~std::uint64_t{0}) {
        head_ += ring_.mask + 1 - (head_ & ring_.mask);
        continue;
      }
      std::memcpy(payload, at + 8, size);
      head_ += recordBytes(size);
      ring_.head.store(head_, std::memory_order_release);
      return size;
    }
  }

 private:
  Ring& ring_;
  const unsigned char* bytes_;
  Patience patience_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;  ///< the producer's position as last seen
};

/// Rings in memory that this process shares with those it forks, and those processes.
class Team {
 public:
  /// `members` processes in all, of which this is number 0, and `rings` rings, each with room for
  /// some records of `size` bytes.
  Team(const Options& options, int members, std::size_t rings, std::size_t size)
      : options_(options), members_(members), rings_(rings) {
    while (capacity_ < 4 * recordBytes(size)) capacity_ *= 2;
    head_ = (sizeof(Head) + rings * sizeof(Ring) + 4095) & ~std::size_t{4095};
    memory_ = mmap(nullptr, head_ + rings * capacity_, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory_ == MAP_FAILED) {
      throw std::runtime_error(std::string("no shared memory: ") + std::strerror(errno));
    }
    new (memory_) Head();
    for (std::size_t i = 0; i < rings; ++i) (new (&ring(i)) Ring())->mask = capacity_ - 1;
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    if (me_ == 0) munmap(memory_, head_ + rings_ * capacity_);
  }

  /// Forks the others, and lets body(team, number) run in each process once all are there. In the
  /// others it never returns.
  template <class Body>
  void run(Body&& body) {
    const pid_t parent = getpid();
    std::vector<pid_t> others;
    for (int number = 1; number < members_ && me_ == 0; ++number) {
      const pid_t other = fork();
      if (other < 0) {
        throw std::runtime_error(std::string("no further process: ") + std::strerror(errno));
      }
      if (other != 0) {
        others.push_back(other);
        continue;
      }
      me_ = number;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      // A partner that died must not leave this one polling for ever.
      alarm(240);
    }
    pinTo(cpu(me_));
    head().ready.fetch_add(1);
    while (head().ready.load() < members_) sched_yield();
    body(me_);
    if (me_ != 0) {
      std::fflush(stdout);
      _exit(0);
    }
    for (const pid_t other : others) {
      int status = 0;
      waitpid(other, &status, 0);
      if (status != 0) throw std::runtime_error("one of its processes ended early");
    }
  }

  Producer producer(std::size_t i) { return {ring(i), bytes(i), isShared()}; }
  Consumer consumer(std::size_t i) { return {ring(i), bytes(i), isShared()}; }
  std::atomic<double>& bound(int member) { return head().bound[member]; }
  /// Processes have to yield to each other.
  bool isShared() const { return members_ > 2 || (cpu(0) >= 0 && cpu(0) == cpu(1)); }

 private:
  struct Head {
    alignas(line) std::atomic<double> bound[2];
    alignas(line) std::atomic<int> ready;
  };
  Head& head() const { return *static_cast<Head*>(memory_); }
  Ring& ring(std::size_t i) const {
    return reinterpret_cast<Ring*>(static_cast<unsigned char*>(memory_) + sizeof(Head))[i];
  }
  unsigned char* bytes(std::size_t i) const {
    return static_cast<unsigned char*>(memory_) + head_ + i * capacity_;
  }
  long long cpu(int member) const {
    const std::vector<long long> cpus = options_.numbers("cpus");
    return static_cast<std::size_t>(member) < cpus.size() ? cpus[static_cast<std::size_t>(member)]
                                                          : -1;
  }

  const Options& options_;
  int members_;
  std::size_t rings_;
  std::size_t head_ = 0;
  std::uint64_t capacity_ = 1U << 20;
  void* memory_ = nullptr;
  int me_ = 0;
};

}  // namespace tutti::bench
