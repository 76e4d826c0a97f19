// SPDX-License-Identifier: GPL-3.0-or-later
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QStringList>
#include <array>
#include <memory>
#include <tl/expected.hpp>

#include "app/cli/running_federation.h"
#include "app/cli/verb.h"
#include "monitor/engine/observe_source.h"
#include "monitor/engine/time_control.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using monitor::SampleSource;

/// Holds the time of one federation as long as it lives.
class Pause {
 public:
  explicit Pause(const RunningFederation& target)
      : source_(monitor::makeObserveSource(target.designator(), target.federation)) {
    source_->refresh();
  }

  tl::expected<double, QString> begin() {
    const auto reading = source_->read();
    if (!reading) return tl::unexpected(reading.error());
    const auto ceiling = monitor::pauseCeiling(*reading);
    if (!ceiling) {
      return tl::unexpected(
          QStringLiteral("No federate takes part in logical time, so there is nothing to hold."));
    }
    return hold(*ceiling);
  }

  /// The time up to which it let grants pass; that of before when nobody waits yet.
  tl::expected<double, QString> step() {
    const auto reading = source_->read();
    if (!reading) return tl::unexpected(reading.error());
    if (!reading->held) {
      return tl::unexpected(
          QStringLiteral("Somebody else has let time go on; it is not held now."));
    }
    const auto next = monitor::stepCeiling(*reading);
    return next ? hold(*next) : tl::expected<double, QString>(reading->ceiling);
  }

  void resume() { [[maybe_unused]] const auto told = source_->releaseTime(); }

 private:
  tl::expected<double, QString> hold(double ceiling) {
    if (auto held = source_->holdTime(ceiling); !held) return tl::unexpected(held.error());
    return ceiling;
  }

  std::shared_ptr<SampleSource> source_;
};

int run(Invocation& invocation) {
  const auto verb = QStringLiteral("pause");
  const QString designator = invocation.takeOption(QStringLiteral("--rti")).value_or(QString());
  const auto duration = invocation.takeOption(QStringLiteral("--duration"));
  double seconds = -1;
  if (duration) {
    bool valid = false;
    seconds = duration->toDouble(&valid);
    if (!valid || !(seconds > 0 && seconds <= 1e6))
      return invocation.usage(
          verb, QStringLiteral("--duration needs seconds, above 0 and at most 1000000"));
  }
  if (invocation.arguments.size() > 1)
    return invocation.usage(verb, QStringLiteral("name at most one federation"));
  const QString wanted = invocation.arguments.value(0);
  if (wanted.startsWith(u'-'))
    return invocation.usage(verb, QStringLiteral("there is no option %1").arg(wanted));

  const auto target = findFederation(wanted, designator);
  if (!target) return invocation.fail(target.error());

  sigset_t handled;
  ::sigemptyset(&handled);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&handled, signal);
  ::sigprocmask(SIG_BLOCK, &handled, nullptr);
  const int ends = ::signalfd(-1, &handled, SFD_CLOEXEC);

  Pause pause(*target);
  auto at = pause.begin();
  if (!at) {
    ::close(ends);
    return invocation.fail(at.error());
  }
  QElapsedTimer clock;
  clock.start();
  int steps = 0;
  QString problem;
  if (!invocation.json) {
    invocation.out << QStringLiteral(
                          "%1 is held at %2. Enter lets one step pass, Ctrl+C lets time "
                          "go on.")
                          .arg(target->federation)
                          .arg(*at)
                   << Qt::endl;
  }
  std::array<pollfd, 2> polled{{{ends, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
  for (;;) {
    const auto left =
        seconds < 0 ? -1 : static_cast<int>(seconds * 1000) - static_cast<int>(clock.elapsed());
    if (seconds >= 0 && left <= 0) break;
    if (::poll(polled.data(), polled.size(), left) < 0) break;
    if (polled[0].revents != 0) break;
    if (polled[1].revents == 0) continue;
    std::array<char, 256> keys{};
    const auto got = ::read(STDIN_FILENO, keys.data(), keys.size());
    if (got <= 0) {
      polled[1].fd = -1;  // no keys from there; a signal or the duration ends it
      continue;
    }
    for (ssize_t i = 0; i < got; ++i) {
      if (keys[static_cast<std::size_t>(i)] != '\n') continue;
      const auto next = pause.step();
      if (!next) {
        problem = next.error();
        break;
      }
      at = next;
      ++steps;
      if (!invocation.json) invocation.out << QStringLiteral("up to %1").arg(*at) << Qt::endl;
    }
    if (!problem.isEmpty()) break;
  }
  ::close(ends);
  if (!problem.isEmpty()) {
    invocation.fail(problem);
    return Findings;
  }
  pause.resume();
  if (invocation.json) {
    invocation.print({{"federation", target->federation.toStdString()},
                      {"rti", target->designator().toStdString()},
                      {"heldAt", *at},
                      {"steps", steps}});
  } else {
    invocation.out << QStringLiteral("%1 goes on.").arg(target->federation) << Qt::endl;
  }
  return Ok;
}

const RegisterVerb registered{
    {QStringLiteral("pause"), QStringLiteral("[FEDERATION] [--rti shm:NAME] [--duration SECONDS]"),
     QStringLiteral("Hold the time of a running federation, step it"),
     QStringLiteral(
         "Grants no federate a time beyond the least of all, as long as this command runs. Enter "
         "lets the\n"
         "next grants pass: up to the least time that a federate waits for. Ctrl+C, the end of "
         "--duration, or\n"
         "the end of this process, however it comes, lets time go on. Federates that take no part "
         "in logical\n"
         "time are not held.\n"
         "Exit code 0: it was held and goes on; 1: it came to an end meanwhile; 2: there is "
         "nothing "
         "to hold."),
     &run}};

}  // namespace
