// SPDX-License-Identifier: GPL-3.0-or-later
// The limit that the other benchmarks are compared with: the least that two processes must do to
// pass the same bytes, without any RTI.
//   --mode latency      round trip through two single-producer rings; --ack BYTES answers with so
//                       many, --one-way 1 takes the time there only, --pairs N is for N pairs at
//                       once and prints the mean of each
//   --mode throughput   one way through a ring to each of --receivers; each says when it has all
//   --mode timeadvance  two processes in step: each publishes its bound, waits for the other's
#include "ring_job.h"

namespace {

using namespace tutti::bench;

void throughput(Team& team, Job& job, int me) {
  std::vector<unsigned char> bytes(job.size + 8);
  if (me == 0) {
    std::vector<Producer> producers;
    std::vector<Consumer> answers;
    for (std::size_t i = 0; i < job.receivers; ++i) {
      producers.push_back(team.producer(2 * i));
      answers.push_back(team.consumer(2 * i + 1));
    }
    for (std::uint64_t cycle = 0; cycle < job.cycles; ++cycle) {
      for (std::uint64_t i = 1; i <= job.count; ++i) {
        writeSequence(job.payload.data(), job.size, i);
        for (Producer& each : producers) each.put(job.payload.data(), job.size);
      }
      for (Consumer& each : answers) each.take(bytes.data());
    }
    return;
  }
  const std::size_t mine = 2 * static_cast<std::size_t>(me - 1);
  Consumer consumer = team.consumer(mine);
  Producer answer = team.producer(mine + 1);
  std::vector<std::uint64_t> nanoseconds, intervals, lost;
  for (std::uint64_t cycle = 0; cycle < job.cycles; ++cycle) {
    std::uint64_t wrong = 0;
    std::uint64_t start = 0;
    for (std::uint64_t i = 1; i <= job.count; ++i) {
      const std::uint64_t got = consumer.take(bytes.data());
      if (i == 1) start = nowNanoseconds();
      if (got != job.size || readSequence(bytes.data(), got) != truncated(i, got)) ++wrong;
    }
    nanoseconds.push_back(nowNanoseconds() - start);
    intervals.push_back(job.count - 1);
    lost.push_back(wrong);
    answer.put(bytes.data(), 8);
  }
  printSamples("lost", lost);
  printSamples("intervals", intervals);
  printSamples("receivenanoseconds", nanoseconds);
}

void timeAdvance(Team& team, Job& job, int me) {
  double time = 0;
  Patience patience(team.isShared());
  std::vector<std::uint64_t> nanoseconds;
  for (std::uint64_t cycle = 0; cycle <= job.cycles; ++cycle) {
    const std::uint64_t start = nowNanoseconds();
    const std::uint64_t grants = cycle == 0 ? job.warmUp : job.count;
    for (std::uint64_t i = 0; i < grants; ++i) {
      time += job.step;
      team.bound(me).store(time + job.lookahead, std::memory_order_release);
      while (team.bound(1 - me).load(std::memory_order_acquire) <= time) patience.pause();
    }
    if (cycle > 0) nanoseconds.push_back(nowNanoseconds() - start);
  }
  if (me != 0) return;
  std::printf("grants %llu\nlost 0\n", static_cast<unsigned long long>(job.count));
  printSamples("nanoseconds", nanoseconds);
  std::fflush(stdout);
}

struct Plain {
  static void send(Producer& producer, const unsigned char* payload, std::size_t size) {
    producer.put(payload, size);
  }
  static void deliver(const unsigned char*, std::size_t) {}
};

void run(const Options& options, Job& job) {
  const std::string mode = options.text("mode", "latency");
  const int others = job.pairs > 0 ? 2 * job.pairs - 1 : static_cast<int>(job.receivers);
  Team team(options, 1 + others, 2 * std::max(job.receivers, static_cast<std::size_t>(job.pairs)),
            std::max(job.size, job.ack));
  if (mode == "latency") {
    team.run([&](int me) { latency(team, job, me, Plain()); });
  } else if (mode == "throughput") {
    team.run([&](int me) { throughput(team, job, me); });
  } else if (mode == "timeadvance") {
    team.run([&](int me) { timeAdvance(team, job, me); });
  } else {
    throw std::runtime_error("unknown --mode '" + mode +
                             "'; there are latency, throughput, timeadvance");
  }
}

}  // namespace

int main(int count, char** values) { return runRing("bench-ring", count, values, run); }
