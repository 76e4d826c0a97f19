// SPDX-License-Identifier: GPL-3.0-or-later
// The limit that the other benchmarks are compared with: the least that two processes must do to
// pass the same bytes, without any RTI.
//   --mode latency      round trip through two single-producer rings
//   --mode throughput   one way through one ring
//   --mode timeadvance  two processes in step: each publishes its bound, waits for the other's
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <new>

#include "options.h"

namespace {

using namespace tutti::bench;

constexpr std::size_t line = 64;

/// Positions only grow and are masked on use.
///   | length 8 | payload, padded to 8 |
/// A record never wraps: the rest at the end is skipped.
struct Ring {
  alignas(line) std::atomic<std::uint64_t> tail;  ///< written by the producer
  alignas(line) std::atomic<std::uint64_t> head;  ///< written by the consumer
  alignas(line) std::uint64_t mask;
};

struct Shared {
  Ring there;
  Ring back;
  alignas(line) std::atomic<double> bound[2];
  alignas(line) std::atomic<int> ready;
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

std::uint64_t recordBytes(std::uint64_t size) { return 8 + ((size + 7) & ~std::uint64_t{7}); }

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

void run(const Options& options) {
  const std::string mode = options.text("mode", "latency");
  const std::size_t size = static_cast<std::size_t>(options.number("size", 128));
  const std::uint64_t count = static_cast<std::uint64_t>(options.number("count", 10'000));
  const std::uint64_t warmUp = static_cast<std::uint64_t>(options.number("warmup", 1'000));
  const double lookahead = options.real("lookahead", 0.1);
  const double step = options.real("step", 0.1);
  const long long cpuFirst = options.number("cpu", -1);
  const long long cpuSecond = options.number("cpu2", cpuFirst);
  const bool shared = cpuFirst >= 0 && cpuFirst == cpuSecond;

  std::uint64_t capacity = 1U << 20;
  while (capacity < 4 * recordBytes(size)) capacity *= 2;
  const std::size_t total = 4096 + 2 * capacity;
  void* const memory = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error(std::string("no shared memory: ") + std::strerror(errno));
  }
  static_assert(sizeof(Shared) <= 4096);
  Shared* const all = new (memory) Shared();
  all->there.mask = all->back.mask = capacity - 1;
  unsigned char* const thereBytes = static_cast<unsigned char*>(memory) + 4096;
  unsigned char* const backBytes = thereBytes + capacity;
  std::vector<unsigned char> payload =
      makePayload(size, static_cast<std::uint64_t>(options.number("seed", 1)));

  const pid_t parent = getpid();
  const pid_t other = fork();
  if (other < 0)
    throw std::runtime_error(std::string("no second process: ") + std::strerror(errno));
  const bool first = other != 0;
  if (!first) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
  }
  pinTo(first ? cpuFirst : cpuSecond);
  all->ready.fetch_add(1);
  while (all->ready.load() < 2) sched_yield();

  if (mode == "timeadvance") {
    Patience patience(shared);
    const std::size_t me = first ? 0 : 1;
    double time = 0;
    std::uint64_t start = 0;
    for (std::uint64_t i = 0; i < warmUp + count; ++i) {
      if (i == warmUp) start = nowNanoseconds();
      time += step;
      all->bound[me].store(time + lookahead, std::memory_order_release);
      while (all->bound[1 - me].load(std::memory_order_acquire) <= time) patience.pause();
    }
    if (first) {
      std::printf("grants %llu\nnanoseconds %llu\nlost 0\n", static_cast<unsigned long long>(count),
                  static_cast<unsigned long long>(nowNanoseconds() - start));
    }
  } else if (mode == "throughput") {
    if (first) {
      Producer producer(all->there, thereBytes, shared);
      for (std::uint64_t i = 1; i <= count; ++i) {
        writeSequence(payload.data(), size, i);
        producer.put(payload.data(), size);
      }
    } else {
      Consumer consumer(all->there, thereBytes, shared);
      std::uint64_t wrong = 0;
      std::uint64_t start = 0;
      for (std::uint64_t i = 1; i <= count; ++i) {
        const std::uint64_t got = consumer.take(payload.data());
        if (i == 1) start = nowNanoseconds();
        if (got != size || readSequence(payload.data(), size) != truncated(i, size)) ++wrong;
      }
      const std::uint64_t end = nowNanoseconds();
      std::printf("received %llu\nlost %llu\nintervals %llu\nreceivenanoseconds %llu\n",
                  static_cast<unsigned long long>(count), static_cast<unsigned long long>(wrong),
                  static_cast<unsigned long long>(count - 1),
                  static_cast<unsigned long long>(end - start));
      std::fflush(stdout);
    }
  } else if (mode == "latency") {
    if (first) {
      Producer producer(all->there, thereBytes, shared);
      Consumer consumer(all->back, backBytes, shared);
      std::vector<unsigned char> answer(size + 8);
      std::vector<std::uint64_t> samples;
      samples.reserve(count);
      std::uint64_t wrong = 0;
      for (std::uint64_t round = 1; round <= warmUp + count; ++round) {
        const std::uint64_t start = nowNanoseconds();
        writeSequence(payload.data(), size, round);
        producer.put(payload.data(), size);
        const std::uint64_t got = consumer.take(answer.data());
        const std::uint64_t end = nowNanoseconds();
        if (got != size || readSequence(answer.data(), size) != truncated(round, size)) ++wrong;
        if (round > warmUp) samples.push_back(end - start);
      }
      std::printf("lost %llu\n", static_cast<unsigned long long>(wrong));
      printSamples("nanoseconds", samples);
    } else {
      Consumer consumer(all->there, thereBytes, shared);
      Producer producer(all->back, backBytes, shared);
      for (std::uint64_t round = 1; round <= warmUp + count; ++round) {
        const std::uint64_t got = consumer.take(payload.data());
        producer.put(payload.data(), got);
      }
    }
  } else {
    throw std::runtime_error("unknown --mode '" + mode +
                             "'; there are latency, throughput, timeadvance");
  }

  if (!first) {
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(other, &status, 0);
  if (status != 0) throw std::runtime_error("the second process ended early");
}

}  // namespace

int main(int count, char** values) {
  // A partner that died must not leave the other polling for ever.
  std::signal(SIGCHLD, SIG_DFL);
  alarm(120);
  try {
    run(Options(count, values));
    return 0;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "bench-ring: %s\n", exception.what());
    return 1;
  }
}
