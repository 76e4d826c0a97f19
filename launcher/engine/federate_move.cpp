// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/federate_move.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>
#include <utility>

#include "composer/model/catalog.h"
#include "launcher/engine/run_additions.h"
#include "launcher/engine/saved_parts.h"

namespace tutti::launcher {

namespace {

constexpr int pollMs = 50;
constexpr qint64 longestLeaveMs = 60000;
constexpr qint64 longestJoinMs = 60000;
constexpr qsizetype longestLabel = 200;

QString named(const QString& host) {
  return host.isEmpty() ? QStringLiteral("this machine") : host;
}

const Host* hostOf(const LaunchPlan& plan, const QString& name) {
  const auto* planned = plan.host(name);
  return planned == nullptr ? nullptr : &planned->host;
}

/// Does `work` in a thread of the pool and hands what it returns to `then` on this thread, if
/// `owner` is there still.
template <class Work, class Then>
void inThread(QObject* owner, Work work, Then then) {
  QThreadPool::globalInstance()->start(
      [owner = QPointer<QObject>(owner), work = std::move(work), then = std::move(then)]() mutable {
        auto result = work();
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [owner, then = std::move(then), result = std::move(result)]() mutable {
              if (owner) then(std::move(result));
            },
            Qt::QueuedConnection);
      });
}

/// Sentences of what keeps a federate from being started; empty: nothing.
QString errorsOf(const std::vector<PreflightCheck>& checks) {
  QStringList sentences;
  for (const auto& check : checks) {
    if (check.level != PreflightCheck::Level::Error) continue;
    sentences << (check.detail.isEmpty() ? check.title
                                         : check.title + QStringLiteral(": ") + check.detail);
    if (!sentences.back().endsWith(u'.')) sentences.back() += u'.';
  }
  return sentences.join(u' ');
}

}  // namespace

QString FederateMove::whyNot(const Run& run, const QString& federate, const QString& host,
                             const composer::Catalog& catalog) {
  const auto* process = run.process(federate);
  const QString& id = run.plan().run;
  if (process == nullptr || process->isNode)
    return QStringLiteral("The run %1 has no federate %2.").arg(id, federate);
  if (run.isOver() || run.phase() == Run::Phase::Stopping)
    return QStringLiteral("The run %1 is being stopped, or has ended.").arg(id);
  if (run.phase() != Run::Phase::Running)
    return QStringLiteral("The run %1 is still starting. Wait until all its federates are ready.")
        .arg(id);
  if (process->host == host)
    return QStringLiteral("%1 is on %2 already.").arg(federate, named(host));
  if (QString why = run.whyNotAdd(host); !why.isEmpty()) return why;
  if (!process->alive())
    return QStringLiteral(
               "%1 does not run (%2), so there is no state of it to be moved. Start it "
               "first.")
        .arg(federate, process->description());
  bool alone = true;
  // A save is one of all federates: one that cannot take part in it fails it.
  for (const auto& one : run.processes()) {
    if (one.isNode || !one.alive()) continue;
    alone = alone && one.id == federate;
    const auto* planned = run.plan().federate(one.id);
    const auto* manifest =
        planned == nullptr ? nullptr : catalog.find(planned->component, planned->version);
    const QString whose =
        one.id == federate
            ? federate
            : QStringLiteral("%1, which would be saved with %2,").arg(one.id, federate);
    if (manifest == nullptr)
      return QStringLiteral(
                 "%1 cannot be moved: nothing says whether the component of %2 can "
                 "save and restore, as its manifest is in no catalog.")
          .arg(federate, whose);
    QStringList missing;
    for (const auto& ability : {QStringLiteral("save"), QStringLiteral("restore")}) {
      if (!manifest->abilities.contains(ability)) missing << ability;
    }
    if (missing.isEmpty()) continue;
    return QStringLiteral(
               "%1 cannot be moved: the component of %2 cannot %3. Its manifest, %4, "
               "does not name that among its abilities.")
        .arg(federate, whose, missing.join(QStringLiteral(" and ")), manifest->file);
  }
  if (alone)
    return QStringLiteral("%1 is the only federate that runs: the run would end when it leaves.")
        .arg(federate);
  return {};
}

FederateMove::FederateMove(Run& run, QString federate, QString host, Operate operate,
                           QObject* parent)
    : QObject(parent),
      run_(run),
      federate_(std::move(federate)),
      operate_(std::move(operate)),
      joined_(joinedAtNode(run.plan().designator(), run.plan().federation)),
      label_((QStringLiteral("move-") + federate_).left(longestLabel)) {
  to_.host = std::move(host);
  poll_.setInterval(pollMs);
  connect(&poll_, &QTimer::timeout, this, &FederateMove::watch);
}

FederateMove::~FederateMove() { stop_.request_stop(); }

QString FederateMove::stepText(Step step, const QString& federate, const QString& host) {
  switch (step) {
    case Step::Look:
      return QStringLiteral("Look at %1, and copy what it lacks").arg(named(host));
    case Step::Save:
      return QStringLiteral("Save the federation");
    case Step::Carry:
      return QStringLiteral("Bring the state of %1 to %2").arg(federate, named(host));
    case Step::Stop:
      return QStringLiteral("Stop %1").arg(federate);
    case Step::Start:
      return QStringLiteral("Start %1 on %2").arg(federate, named(host));
    case Step::Join:
      return QStringLiteral("Wait until %1 has joined").arg(federate);
    case Step::Restore:
      return QStringLiteral("Restore the federation");
  }
  return {};
}

void FederateMove::start() {
  const auto* federate = run_.plan().federate(federate_);
  const auto* process = run_.plan().process(federate_);
  if (federate == nullptr || process == nullptr) {
    end(Outcome::NotStopped, QStringLiteral("%1 has left the run meanwhile.").arg(federate_));
    return;
  }
  required_ = federate->required;
  from_.host = federate->host;
  from_.addition = {*federate, *process, {}, to_.host};
  // Whoever has the run would stop it when one that has just been moved fails to start.
  from_.addition.federate.required = false;
  begin(Step::Look);
}

void FederateMove::begin(Step step) {
  step_ = step;
  since_.start();
  Q_EMIT stepBegan();
  switch (step) {
    case Step::Look:
      return look();
    case Step::Save:
      return save();
    case Step::Carry:
      return carry();
    case Step::Stop:
      return leave();
    case Step::Start:
      return enter();
    case Step::Join:
      poll_.start();
      return;
    case Step::Restore:
      return restore();
  }
}

void FederateMove::look() {
  struct Looked {
    tl::expected<Addition, QString> addition;
    QString error;
  };
  inThread(
      this,
      [plan = run_.plan(), additions = run_.plannedAdditions(), id = federate_, host = to_.host,
       stop = stop_.get_token()] {
        Looked result{planMove(plan, additions, id, host), {}};
        if (!result.addition) return result;
        auto prepared = prepareAdditions(plan, {*result.addition}, {}, stop);
        result.error = errorsOf(prepared.checks);
        if (!prepared.additions.empty()) *result.addition = std::move(prepared.additions.front());
        return result;
      },
      [this](Looked looked) {
        const QString why = looked.addition ? looked.error : looked.addition.error();
        if (stop_.stop_requested() || !why.isEmpty()) {
          end(Outcome::NotStopped,
              stop_.stop_requested() ? QStringLiteral("It was given up.") : why);
          return;
        }
        to_.addition = std::move(*looked.addition);
        to_.addition.federate.required = false;
        to_.addition.movedFrom = from_.host;
        from_.addition.planned = to_.addition.planned;
        from_.addition.planned.env["TUTTI_RTI"] = from_.addition.process.env["TUTTI_RTI"];
        from_.addition.planned.waitFor = from_.addition.process.waitFor;
        begin(Step::Save);
      });
}

void FederateMove::save() {
  inThread(
      this,
      [operate = operate_, label = label_, stop = stop_.get_token()] {
        return operate(false, label, stop);
      },
      [this](const tl::expected<void, QString>& saved) {
        if (saved)
          begin(Step::Carry);
        else
          end(Outcome::NotStopped, saved.error());
      });
}

void FederateMove::carry() {
  inThread(
      this,
      [plan = run_.plan(), id = federate_, label = label_, from = from_.host, to = to_.host,
       stop = stop_.get_token()]() -> tl::expected<void, QString> {
        const auto part = readSavedPart(hostOf(plan, from), plan.federation, label, id, stop);
        if (!part) return tl::unexpected(part.error());
        return writeSavedPart(hostOf(plan, to), plan.federation, label, id, *part, stop);
      },
      [this](const tl::expected<void, QString>& carried) {
        const QString why = stop_.stop_requested() ? QStringLiteral("It was given up.")
                            : carried              ? run_.whyNotAdd(to_.host)
                                                   : carried.error();
        if (why.isEmpty())
          begin(Step::Stop);
        else
          end(Outcome::NotStopped, why);
      });
}

void FederateMove::leave() {
  if (run_.process(federate_) != nullptr) run_.removeProcesses({federate_});
  poll_.start();
}

void FederateMove::enter() {
  if (const QString why = run_.whyNotAdd(place()); !why.isEmpty()) {
    fail(why);
    return;
  }
  troubles_ = run_.troubles().size();
  run_.add({target().addition});
  poll_.start();
}

void FederateMove::restore() {
  inThread(
      this, [operate = operate_, label = label_] { return operate(true, label, {}); },
      [this](const tl::expected<void, QString>& restored) {
        if (!restored) {
          fail(restored.error());
          return;
        }
        const QString& federation = run_.plan().federation;
        if (returning_)
          end(Outcome::Back,
              QStringLiteral("%1 It is on %2 again, and %3 goes on from where it was saved.")
                  .arg(failure_, named(from_.host), federation));
        else
          end(Outcome::Moved,
              QStringLiteral("%1 runs on %2 now, and on %3 no more. %4 goes on from where it was "
                             "saved.")
                  .arg(federate_, named(to_.host), named(from_.host), federation));
      });
}

QString FederateMove::whyNeverJoined() const {
  using State = ProcessStatus::State;
  const auto* process = run_.process(federate_);
  const QString host = named(place());
  if (process == nullptr) return QStringLiteral("Somebody has removed it from the run meanwhile.");
  if (process->state == State::Lost) return QStringLiteral("The host %1 is lost.").arg(host);
  const bool ended = process->state == State::Exited || process->state == State::Signalled;
  if (process->state == State::NotStarted || (ended && !process->restartAt)) {
    const QString log = run_.logFile(federate_);
    return QStringLiteral("It did not start on %1: %2. Its log there is %3.")
        .arg(host, process->detail.isEmpty() ? process->description() : process->detail, log);
  }
  if (since_.elapsed() > longestJoinMs)
    return QStringLiteral("It has not joined within %1 s on %2.")
        .arg(longestJoinMs / 1000)
        .arg(host);
  return {};
}

void FederateMove::askWhoJoined(std::function<void(bool)> then) {
  if (std::exchange(asking_, true)) return;
  inThread(
      this, [source = joined_] { return source(); },
      [this, step = step_,
       then = std::move(then)](const std::optional<std::vector<JoinedFederate>>& joined) {
        asking_ = false;
        // The run has ended, or the step has, while it was asked.
        if (!joined || isOver() || step != step_ || !poll_.isActive()) return;
        then(std::any_of(joined->begin(), joined->end(), [&](const JoinedFederate& one) {
          return one.now && one.name == federate_;
        }));
      });
}

void FederateMove::watch() {
  using State = ProcessStatus::State;
  if (run_.isOver() || run_.phase() == Run::Phase::Stopping) {
    end(Outcome::Gone, QStringLiteral("The run is being stopped, or has ended, meanwhile: %1.")
                           .arg(run_.stopReason()));
    return;
  }
  const auto* process = run_.process(federate_);
  if (step_ == Step::Stop) {
    // On the way back nobody waits for a host that is not seen: the RTI node says whether it has
    // left.
    const bool left =
        process == nullptr || process->state == State::Lost || (returning_ && process->unseen);
    if (!left && since_.elapsed() > longestLeaveMs) {
      end(Outcome::Gone, QStringLiteral("It was told to leave %1, and has not within %2 s.")
                             .arg(named(process->host))
                             .arg(longestLeaveMs / 1000));
    } else if (left && since_.elapsed() > 2 * longestLeaveMs) {
      end(Outcome::Gone,
          QStringLiteral(
              "The RTI node has not said within %1 s whether it has left the federation.")
              .arg(2 * longestLeaveMs / 1000));
    } else if (left) {
      // Under a name that is still taken nobody joins.
      askWhoJoined([this](bool joined) {
        if (joined && since_.elapsed() < longestLeaveMs) return;
        poll_.stop();
        begin(Step::Start);
      });
    }
  } else if (step_ == Step::Start) {
    if (process != nullptr && process->host == place()) {
      poll_.stop();
      begin(Step::Join);
      return;
    }
    for (std::size_t index = troubles_; index < run_.troubles().size(); ++index) {
      const auto& trouble = run_.troubles()[index];
      if (trouble.what != QStringLiteral("no federate was added") && trouble.process != federate_)
        continue;
      fail(trouble.message());
      return;
    }
    if (since_.elapsed() > longestJoinMs)
      fail(QStringLiteral("%1 has not answered within %2 s.")
               .arg(named(place()))
               .arg(longestJoinMs / 1000));
  } else if (step_ == Step::Join) {
    if (const QString why = whyNeverJoined(); !why.isEmpty()) {
      fail(why);
      return;
    }
    // Until whoever has the run has seen it too. The synchronization point that makes one ready may
    // be one of those that the restore brings back.
    const auto* planned = run_.plan().federate(federate_);
    const bool byPoint = planned != nullptr && !planned->point.isEmpty();
    if (process->state != State::Running && !(byPoint && process->alive())) return;
    askWhoJoined([this](bool joined) {
      if (!joined) return;
      poll_.stop();
      begin(Step::Restore);
    });
  }
}

void FederateMove::fail(const QString& why) {
  poll_.stop();
  if (!returning_) {
    failure_ =
        QStringLiteral("%1 could not be moved to %2. %3").arg(federate_, named(to_.host), why);
    returning_ = true;
    begin(Step::Stop);
    return;
  }
  const LaunchPlan& plan = run_.plan();
  const auto* process = run_.process(federate_);
  const QString back = QStringLiteral("%1 It could not go back to %2 either. %3")
                           .arg(failure_, named(from_.host), why);
  const QString restoring =
      QStringLiteral("tutti restore %1 --from %2").arg(plan.federation, label_);
  if (process != nullptr && process->alive())
    end(Outcome::NotRestored,
        QStringLiteral("%1 It runs there without what it knew; the others go on. Its state is "
                       "saved: %2")
            .arg(back, restoring));
  else
    end(Outcome::Gone,
        QStringLiteral("%1 The run goes on without it. Its state is saved: start it again, then %2")
            .arg(back, restoring));
}

void FederateMove::end(Outcome outcome, const QString& message) {
  poll_.stop();
  if (isOver()) return;
  const bool wasStopped = outcome != Outcome::NotStopped;
  if (wasStopped && required_ && run_.process(federate_) != nullptr)
    run_.setRequired(federate_, true);
  message_ =
      outcome == Outcome::NotStopped
          ? QStringLiteral("%1 was not moved, and goes on where it was. %2").arg(federate_, message)
          : message;
  outcome_ = outcome;
  operate_ = {};  // what it holds for the move ends too
  Q_EMIT finished();
}

}  // namespace tutti::launcher
