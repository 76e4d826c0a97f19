// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <numeric>

#include "ring.h"

namespace tutti::bench {

/// What a yardstick is asked for.
struct Job {
  explicit Job(const Options& options)
      : size(static_cast<std::size_t>(options.number("size", 128))),
        ack(static_cast<std::size_t>(options.number("ack", 0))),
        count(static_cast<std::uint64_t>(options.number("count", 10'000))),
        warmUp(static_cast<std::uint64_t>(options.number("warmup", 1'000))),
        cycles(static_cast<std::uint64_t>(options.number("cycles", 1))),
        pairs(static_cast<int>(options.number("pairs", 0))),
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
  int pairs;
  std::size_t receivers;
  double lookahead;
  double step;
  bool oneWay;
  std::vector<unsigned char> payload;
};

/// Round trips of the pair that this process belongs to; `carrier` is what stands between the
/// payload and the ring on either side.
template <class Carrier>
void latency(Team& team, Job& job, int me, Carrier&& carrier) {
  const std::size_t ring = 2 * static_cast<std::size_t>(me / 2);
  const std::size_t answerSize = job.ack != 0 ? job.ack : job.size;
  std::vector<unsigned char> bytes(std::max(job.size, answerSize) + 8);
  std::vector<std::uint64_t> samples;
  samples.reserve(job.count);
  const std::uint64_t rounds = job.warmUp + job.count;
  if (me % 2 == 0) {
    Producer producer = team.producer(ring);
    Consumer consumer = team.consumer(ring + 1);
    std::uint64_t wrong = 0;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      const std::uint64_t start = nowNanoseconds();
      writeSequence(job.payload.data(), job.size, round);
      if (job.oneWay) writeStamp(job.payload.data(), job.size, start);
      carrier.send(producer, job.payload.data(), job.size);
      const std::uint64_t got = consumer.take(bytes.data());
      carrier.deliver(bytes.data(), got);
      const std::uint64_t end = nowNanoseconds();
      if (got != answerSize || readSequence(bytes.data(), got) != truncated(round, got)) ++wrong;
      if (round > job.warmUp) samples.push_back(end - start);
    }
    std::printf("lost %llu\n", static_cast<unsigned long long>(wrong));
    if (job.pairs > 0) {
      samples = {std::accumulate(samples.begin(), samples.end(), std::uint64_t{0}) / job.count};
    }
    if (!job.oneWay) printSamples("nanoseconds", samples);
    std::fflush(stdout);
    return;
  }
  Consumer consumer = team.consumer(ring);
  Producer producer = team.producer(ring + 1);
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    const std::uint64_t got = consumer.take(bytes.data());
    carrier.deliver(bytes.data(), got);
    const std::uint64_t end = nowNanoseconds();
    if (job.oneWay && round > job.warmUp) samples.push_back(end - readStamp(bytes.data(), got));
    carrier.send(producer, bytes.data(), answerSize);
  }
  if (job.oneWay) printSamples("nanoseconds", samples);
}

/// Runs a yardstick's body and says why when it cannot go on.
template <class Body>
int runRing(const char* program, int count, char** values, Body&& body) {
  // A partner that died must not leave this one polling for ever.
  std::signal(SIGCHLD, SIG_DFL);
  alarm(240);
  try {
    const Options options(count, values);
    Job job(options);
    body(options, job);
    return 0;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "%s: %s\n", program, exception.what());
    return 1;
  }
}

}  // namespace tutti::bench
