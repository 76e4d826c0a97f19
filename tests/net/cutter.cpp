// SPDX-License-Identifier: GPL-3.0-or-later
#include "cutter.h"

#include <QProcess>
#include <QStringList>

namespace tutti::test {

using std::chrono::milliseconds;

std::optional<Cutter::Options> Cutter::Options::ofEnvironment() {
  const QStringList words = qEnvironmentVariable("TUTTI_TEST_CUTS").split(' ', Qt::SkipEmptyParts);
  if (words.size() != 3) return std::nullopt;
  return Options{milliseconds(words[0].toInt()), milliseconds(words[1].toInt()),
                 milliseconds(words[2].toInt())};
}

int cutMilliseconds() {
  static const auto cuts = Cutter::Options::ofEnvironment();
  return cuts ? static_cast<int>(4 * cuts->longest.count()) : 0;
}

void block(const Network& network, int host, bool fromHost, bool toHost) {
  // Frames to a hardware address that nobody has.
  const QString nowhere = hardwareAddress(250);
  for (int from = 0; from < network.hosts(); ++from) {
    QStringList commands;
    for (int to = 0; to < network.hosts(); ++to) {
      if (from == to || (from != host && to != host)) continue;
      const bool isLost = from == host ? fromHost : toHost;
      commands << QString("neigh replace %1 lladdr %2 dev eth0 nud permanent")
                      .arg(Network::address(to), isLost ? nowhere : hardwareAddress(to));
    }
    const Network::Visit visit(network, from);
    QProcess ip;
    ip.start("ip", {"-batch", "-"});
    ip.write(commands.join('\n').toUtf8() + '\n');
    ip.closeWriteChannel();
    if (!ip.waitForFinished(20000) || ip.exitCode() != 0) {
      qFatal("ip: %s", ip.readAllStandardError().constData());
    }
  }
}

Cutter::Cutter(Network& network, const Options& options)
    : network_(network), options_(options), random_(options.seed), thread_([this] { run(); }) {}

Cutter::~Cutter() {
  {
    const std::lock_guard guard(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

int Cutter::cuts() const {
  const std::lock_guard guard(mutex_);
  return cuts_;
}

milliseconds Cutter::together() const {
  const std::lock_guard guard(mutex_);
  return together_;
}

bool Cutter::sleep(milliseconds time) {
  std::unique_lock guard(mutex_);
  return !changed_.wait_for(guard, time, [this] { return stops_; });
}

void Cutter::run() {
  const auto between = [this](milliseconds least, milliseconds most) {
    return milliseconds(
        std::uniform_int_distribution<milliseconds::rep>(least.count(), most.count())(random_));
  };
  while (sleep(between(options_.pause / 4, options_.pause))) {
    const int host = std::uniform_int_distribution<int>(0, network_.hosts() - 1)(random_);
    const int ways = std::uniform_int_distribution<int>(0, 3)(random_);  // both: two of four
    const auto length = between(options_.shortest, options_.longest);
    block(network_, host, ways != 1, ways != 2);
    const bool goesOn = sleep(length);
    block(network_, host, false, false);
    if (!goesOn) return;
    const std::lock_guard guard(mutex_);
    ++cuts_;
    together_ += length;
  }
}

}  // namespace tutti::test
