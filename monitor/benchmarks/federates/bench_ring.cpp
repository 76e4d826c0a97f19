// SPDX-License-Identifier: GPL-3.0-or-later
// The limit that the other benchmarks are compared with: the least that two processes must do to
// pass the same bytes, without any RTI.
//   --mode latency      round trip through two single-producer rings; --ack BYTES answers with so
//                       many, --one-way 1 takes the time there only
//   --mode throughput   one way through a ring to each of --receivers; each says when it has all
//   --mode timeadvance  two processes in step: each publishes its bound, waits for the other's
#include <algorithm>

#include "ring.h"

namespace {

using namespace tutti::bench;

struct Job {
  explicit Job(const Options& options)
      : size(static_cast<std::size_t>(options.number("size", 128))),
        ack(static_cast<std::size_t>(options.number("ack", 0))),
        count(static_cast<std::uint64_t>(options.number("count", 10'000))),
        warmUp(static_cast<std::uint64_t>(options.number("warmup", 1'000))),
        cycles(static_cast<std::uint64_t>(options.number("cycles", 1))),
        receivers(static_cast<std::size_t>(options.number("receivers", 1))),
        lookahead(options.real("lookahead", 0.1)),
        step(options.real("step", 0.1)),
        oneWay(options.number("one-way", 0) != 0),
        payload(makePayload(size, static_cast<std::uint64_t>(options.number("seed", 1)))) {}

  std::size_t size;
  std::size_t ack;
  std::uint64_t count;
  std::uint64_t warmUp;
  std::uint64_t cycles;
  std::size_t receivers;
  double lookahead;
  double step;
  bool oneWay;
  std::vector<unsigned char> payload;
};

void latency(Team& team, Job& job, int me) {
  const std::size_t answerSize = job.ack != 0 ? job.ack : job.size;
  std::vector<unsigned char> bytes(std::max(job.size, answerSize) + 8);
  std::vector<std::uint64_t> samples;
  samples.reserve(job.count);
  const std::uint64_t rounds = job.warmUp + job.count;
  if (me == 0) {
    Producer producer = team.producer(0);
    Consumer consumer = team.consumer(1);
    std::uint64_t wrong = 0;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      const std::uint64_t start = nowNanoseconds();
      writeSequence(job.payload.data(), job.size, round);
      if (job.oneWay) writeStamp(job.payload.data(), job.size, start);
      producer.put(job.payload.data(), job.size);
      const std::uint64_t got = consumer.take(bytes.data());
      const std::uint64_t end = nowNanoseconds();
      if (got != answerSize || readSequence(bytes.data(), got) != truncated(round, got)) ++wrong;
      if (round > job.warmUp) samples.push_back(end - start);
    }
    std::printf("lost %llu\n", static_cast<unsigned long long>(wrong));
    if (!job.oneWay) printSamples("nanoseconds", samples);
    std::fflush(stdout);
    return;
  }
  Consumer consumer = team.consumer(0);
  Producer producer = team.producer(1);
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    const std::uint64_t got = consumer.take(bytes.data());
    const std::uint64_t end = nowNanoseconds();
    if (job.oneWay && round > job.warmUp) samples.push_back(end - readStamp(bytes.data(), got));
    producer.put(bytes.data(), answerSize);
  }
  if (job.oneWay) printSamples("nanoseconds", samples);
}

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

void run(const Options& options) {
  const std::string mode = options.text("mode", "latency");
  Job job(options);
  const auto body = mode == "latency"       ? latency
                    : mode == "throughput"  ? throughput
                    : mode == "timeadvance" ? timeAdvance
                                            : nullptr;
  if (body == nullptr) {
    throw std::runtime_error("unknown --mode '" + mode +
                             "'; there are latency, throughput, timeadvance");
  }
  Team team(options, 1 + static_cast<int>(job.receivers), 2 * job.receivers,
            std::max(job.size, job.ack));
  team.run([&](int me) { body(team, job, me); });
}

}  // namespace

int main(int count, char** values) {
  // A partner that died must not leave this one polling for ever.
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
