// SPDX-License-Identifier: GPL-3.0-or-later
// tutti relay: what `tutti attach --on` and the window of another machine execute here over ssh.
#include <signal.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QEventLoop>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "app/cli/verb.h"
#include "launcher/engine/run_relay.h"
#include "launcher/engine/watched_end.h"
#include "monitor/engine/far_sample.h"
#include "monitor/engine/observe_source.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using launcher::RunRelay;

/// Figures as often as they are wanted, fewer where they are many: at most half a megabyte a
/// second. Until they are, nothing of the run's memory is looked at.
class Sampling {
 public:
  Sampling(RunRelay& relay, const launcher::LaunchPlan& plan)
      : relay_(relay), designator_(plan.designator()), federation_(plan.federation) {}

  /// 0 ms: no more.
  void setInterval(int everyMs) {
    {
      const std::lock_guard lock(mutex_);
      everyMs_ = everyMs;
    }
    wake_.notify_all();
    if (everyMs > 0 && !thread_.joinable())
      thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

 private:
  void run(const std::stop_token& stop) {
    using std::chrono::milliseconds;
    constexpr qsizetype bytesPerSecond = 500'000;
    monitor::FarSampler sampler(monitor::makeObserveSource(designator_, federation_),
                                monitor::makeProcProbe());
    while (!stop.stop_requested()) {
      {
        std::unique_lock lock(mutex_);
        if (!wake_.wait(lock, stop, [this] { return everyMs_ > 0; })) return;
      }
      milliseconds least{0};
      if (const auto sample = sampler.take()) {
        const QByteArray line = sample->toJson();
        least = milliseconds(1000 * line.size() / bytesPerSecond);
        // The relay is of the other thread, and is there as long as this one.
        if (!line.isEmpty())
          QMetaObject::invokeMethod(
              &relay_, [&relay = relay_, line] { relay.sendSample(line); }, Qt::QueuedConnection);
      }
      std::unique_lock lock(mutex_);
      const int everyMs = everyMs_;
      wake_.wait_for(lock, stop, std::max(milliseconds(everyMs), least),
                     [&] { return everyMs_ != everyMs; });
    }
  }

  RunRelay& relay_;
  QString designator_;
  QString federation_;
  std::mutex mutex_;  ///< guards everyMs_
  int everyMs_ = 0;
  std::condition_variable_any wake_;
  std::jthread thread_;  ///< last: it uses the others
};

void print(const QByteArray& line) {
  std::fwrite(line.constData(), 1, static_cast<std::size_t>(line.size()), stdout);
  std::fflush(stdout);
}

int run(Invocation& invocation) {
  const QString verb = QStringLiteral("relay");
  if (invocation.arguments.size() > 1 || invocation.arguments.value(0).startsWith(u'-'))
    return invocation.usage(verb, QStringLiteral("it takes the identifier of one run, or nothing"));
  ::signal(SIGPIPE, SIG_IGN);
  auto runs = launcher::goingRuns();
  if (invocation.arguments.isEmpty()) {
    print(RunRelay::greetingOf(runs));
    return Ok;
  }
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const auto& each) {
    return each.plan.run == invocation.arguments.front();
  });
  if (found == runs.end()) {
    print(RunRelay::greetingWithout());
    return Ok;
  }
  if (found->plan.plan.processes.empty()) {
    print(RunRelay::greetingWithout(
        QStringLiteral("The launch plan of the run %1 is not in %2 there. Where it was started "
                       "with another XDG_STATE_HOME, commands over ssh need the same.")
            .arg(found->plan.run, launcher::runsFolder())));
    return Ok;
  }
  const launcher::WatchedMark watched(found->plan.folder);
  RunRelay relay(found->plan, STDIN_FILENO, STDOUT_FILENO);
  QEventLoop loop;
  QObject::connect(&relay, &RunRelay::over, &loop, &QEventLoop::quit);
  Sampling sampling(relay, found->plan);
  QObject::connect(&relay, &RunRelay::samplesWanted, &loop,
                   [&](int everyMs) { sampling.setInterval(everyMs); });
  loop.exec();
  return Ok;
}

const RegisterVerb registered{
    {QStringLiteral("relay"), QStringLiteral("[RUN]"),
     QStringLiteral("Tell another machine of the runs here (tutti attach --on uses it)"),
     QStringLiteral(
         "What tutti attach --on and the window of another machine execute here over ssh; a person "
         "does not\n"
         "need it. Without RUN it prints one line of JSON with the active runs. With RUN it tells "
         "on standard\n"
         "output what the run's supervisors say and, if asked, figures of its federation, and "
         "reads "
         "on standard\n"
         "input what of that is wanted (launcher/engine/relay_protocol.h). Nothing changes the "
         "run. It ends "
         "with its input,\n"
         "or when nothing has come there for 15 s."),
     &run}};

}  // namespace
