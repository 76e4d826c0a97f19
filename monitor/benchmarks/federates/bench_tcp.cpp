// SPDX-License-Identifier: GPL-3.0-or-later
// The limit that measurements between hosts are compared with: the least that two processes must do
// to pass the same bytes over a TCP connection of the loopback device, blocking, without any RTI.
//   --mode latency      round trip; --ack BYTES answers with so many
//   --mode throughput   one way; the receiver says when it has all
//   --cpus A,B          where the two processes run
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "options.h"

namespace {

using namespace tutti::bench;

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

/// One end of the connection. Bytes are read in large pieces and written as they come, as any
/// program would that has streams of small messages.
class Wire {
 public:
  explicit Wire(int socket) : socket_(socket), in_(std::size_t{1} << 18) {
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire() { close(socket_); }

  /// Leaves at once, or with flush() when enough has gathered.
  void put(const unsigned char* bytes, std::size_t size, bool gather) {
    out_.insert(out_.end(), bytes, bytes + size);
    if (!gather || out_.size() >= std::size_t{1} << 16) flush();
  }
  void flush() {
    for (std::size_t sent = 0; sent < out_.size();) {
      const ssize_t count = ::send(socket_, out_.data() + sent, out_.size() - sent, MSG_NOSIGNAL);
      if (count < 0 && errno != EINTR) fail("the connection has ended");
      if (count > 0) sent += static_cast<std::size_t>(count);
    }
    out_.clear();
  }
  void take(unsigned char* bytes, std::size_t size) {
    for (std::size_t taken = 0; taken < size;) {
      if (read_ == filled_) {
        const ssize_t count = ::recv(socket_, in_.data(), in_.size(), 0);
        if (count == 0) throw std::runtime_error("the other process ended early");
        if (count < 0 && errno != EINTR) fail("the connection has ended");
        read_ = 0;
        filled_ = count > 0 ? static_cast<std::size_t>(count) : 0;
      }
      const std::size_t part = std::min(size - taken, filled_ - read_);
      std::memcpy(bytes + taken, in_.data() + read_, part);
      taken += part;
      read_ += part;
    }
  }

 private:
  int socket_;
  std::vector<unsigned char> in_, out_;
  std::size_t read_ = 0;
  std::size_t filled_ = 0;
};

struct Job {
  std::size_t size;
  std::size_t answer;
  std::uint64_t count;
  std::uint64_t warmUp;
  std::uint64_t cycles;
  std::vector<unsigned char> payload;
};

void latency(Wire& wire, Job& job, bool first) {
  std::vector<unsigned char> bytes(std::max(job.size, job.answer) + 8);
  std::vector<std::uint64_t> samples;
  std::uint64_t wrong = 0;
  for (std::uint64_t round = 1; round <= job.warmUp + job.count; ++round) {
    if (!first) {
      wire.take(bytes.data(), job.size);
      wire.put(bytes.data(), job.answer, false);
      continue;
    }
    const std::uint64_t start = nowNanoseconds();
    writeSequence(job.payload.data(), job.size, round);
    wire.put(job.payload.data(), job.size, false);
    wire.take(bytes.data(), job.answer);
    const std::uint64_t end = nowNanoseconds();
    if (readSequence(bytes.data(), job.answer) != truncated(round, job.answer)) ++wrong;
    if (round > job.warmUp) samples.push_back(end - start);
  }
  if (!first) return;
  std::printf("lost %llu\n", static_cast<unsigned long long>(wrong));
  printSamples("nanoseconds", samples);
}

void throughput(Wire& wire, Job& job, bool first) {
  std::vector<unsigned char> bytes(job.size + 8);
  std::vector<std::uint64_t> nanoseconds, intervals, lost;
  for (std::uint64_t cycle = 0; cycle < job.cycles; ++cycle) {
    std::uint64_t start = 0;
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 1; i <= job.count; ++i) {
      if (!first) {
        writeSequence(job.payload.data(), job.size, i);
        wire.put(job.payload.data(), job.size, true);
        continue;
      }
      wire.take(bytes.data(), job.size);
      if (i == 1) start = nowNanoseconds();
      if (readSequence(bytes.data(), job.size) != truncated(i, job.size)) ++wrong;
    }
    wire.flush();
    nanoseconds.push_back(nowNanoseconds() - start);
    intervals.push_back(job.count - 1);
    lost.push_back(wrong);
    // The next cycle begins when this one has arrived.
    if (first) {
      wire.put(bytes.data(), 1, false);
    } else {
      wire.take(bytes.data(), 1);
    }
  }
  if (!first) return;
  printSamples("lost", lost);
  printSamples("intervals", intervals);
  printSamples("receivenanoseconds", nanoseconds);
}

int listenOnLoopback(sockaddr_in& address) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || bind(listener, any, bytes) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, any, &bytes) != 0) {
    fail("no connection over the loopback device");
  }
  return listener;
}

int run(const Options& options) {
  Job job{static_cast<std::size_t>(options.number("size", 128)),
          0,
          static_cast<std::uint64_t>(options.number("count", 10'000)),
          static_cast<std::uint64_t>(options.number("warmup", 1'000)),
          static_cast<std::uint64_t>(options.number("cycles", 1)),
          {}};
  const auto ack = static_cast<std::size_t>(options.number("ack", 0));
  job.answer = ack != 0 ? ack : job.size;
  job.payload = makePayload(job.size, static_cast<std::uint64_t>(options.number("seed", 1)));
  const std::string mode = options.text("mode", "latency");
  if (mode != "latency" && mode != "throughput") {
    throw std::runtime_error("unknown --mode '" + mode + "'; there are latency, throughput");
  }
  const std::vector<long long> processors = options.numbers("cpus");
  const auto processor = [&](std::size_t i) { return i < processors.size() ? processors[i] : -1; };

  sockaddr_in address{};
  const int listener = listenOnLoopback(address);
  const pid_t other = fork();
  if (other < 0) fail("no further process");
  const bool first = other != 0;
  if (!first) prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A partner that died must not leave this one waiting for ever.
  alarm(240);
  pinTo(processor(first ? 0 : 1));
  int end = -1;
  if (first) {
    end = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  } else {
    end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(end, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) _exit(1);
  }
  if (end < 0) fail("no connection over the loopback device");
  close(listener);
  Wire wire(end);
  if (mode == "latency") {
    latency(wire, job, first);
  } else {
    throughput(wire, job, first);
  }
  std::fflush(stdout);
  if (!first) _exit(0);
  int status = 0;
  waitpid(other, &status, 0);
  if (status != 0) throw std::runtime_error("one of its processes ended early");
  return 0;
}

}  // namespace

int main(int count, char** values) {
  try {
    return run(Options(count, values));
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "bench-tcp: %s\n", exception.what());
    return 1;
  }
}
