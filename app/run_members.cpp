// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_members.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>
#include <utility>

#include "app/operate_saves.h"
#include "composer/model/document.h"
#include "launcher/engine/run.h"
#include "launcher/engine/run_additions.h"
#include "resources/theme/format.h"

namespace tutti::app {

using launcher::FederateMove;
using launcher::Run;
using theme::RunTrouble;

RunMembers::RunMembers(composer::Document& document, monitor::Feed& feed, QObject* parent)
    : QObject(parent), document_(document), feed_(feed) {
  moved_.setInterval(1000);
  connect(&moved_, &QTimer::timeout, this, &RunMembers::changed);
}

// Of FederateMove the header knows the name only.
RunMembers::~RunMembers() { preparing_.request_stop(); }

void RunMembers::setRun(Run* run) {
  preparing_.request_stop();
  preparing_ = std::stop_source();
  adding_.clear();
  leaving_.clear();
  move_.reset();
  moved_.stop();
  run_ = run;
  if (!run) return;
  connect(run, &Run::federateAdded, this, [this](const QString& name) {
    adding_.remove(name);
    leaving_.remove(name);
    feed_.dismiss(name);
    // One that comes back on a spare is told of as what has become of its host.
    const auto* arrival = run_->arrivalOf(name);
    const bool isTold = arrival->kind == launcher::RunChange::Kind::Restarted;
    if (!isTold && (!isMoving() || move_->federate() != name)) Q_EMIT said(arrival->text());
    Q_EMIT membersChanged();
    Q_EMIT changed();
  });
  connect(run, &Run::federateRemoved, this, [this](const QString& name) {
    leaving_ << name;
    if (!isMoving() || move_->federate() != name)
      Q_EMIT said(tr("%1 was removed from the run").arg(name));
    Q_EMIT membersChanged();
    Q_EMIT changed();
  });
  // A supervisor that refuses them says why, and they may be tried again.
  connect(run, &Run::troubled, this, [this] {
    adding_.clear();
    Q_EMIT changed();
  });
}

QStringList RunMembers::missing() const {
  if (!run_) return {};
  if (run_->phase() != Run::Phase::Starting && run_->phase() != Run::Phase::Running) return {};
  // Another composition was opened meanwhile: its federates are none of this run's.
  if (document_.path() != run_->plan().composition) return {};
  QStringList result = launcher::federatesNotIn(run_->plan(), document_.composition());
  result.removeIf([&](const QString& name) {
    return adding_.contains(name) || (isMoving() && move_->federate() == name);
  });
  return result;
}

QList<RunTrouble> RunMembers::troubles() const {
  QList<RunTrouble> result;
  if (isMoving()) result << moveTrouble();
  const QStringList names = missing();
  if (names.isEmpty()) return result;
  auto* self = const_cast<RunMembers*>(this);
  const QString first = names.front();
  const bool one = names.size() == 1;
  RunTrouble trouble;
  trouble.state = theme::State::Info;
  trouble.id = QStringLiteral("missing/") + names.join(u',');
  trouble.title = one ? tr("%1 is not in this run yet").arg(first)
                      : tr("%1 federates are not in this run yet").arg(names.size());
  constexpr qsizetype kMost = 4;
  trouble.detail = one ? tr("It was added to the composition after the run began.")
                   : names.size() <= kMost
                       ? names.join(QStringLiteral(", "))
                       : tr("%1 and %2 more")
                             .arg(names.mid(0, kMost).join(QStringLiteral(", ")))
                             .arg(names.size() - kMost);
  if (names.size() > kMost) trouble.tip = names.join(u'\n');
  trouble.brief =
      one ? tr("%1 not in this run").arg(first) : tr("%1 not in this run").arg(names.size());
  trouble.pill = tr("Running");
  trouble.actions = {{one ? tr("Start %1 in this run").arg(first) : tr("Start all in this run"),
                      [self, names] { self->add(names); }}};
  return result << trouble;
}

QString RunMembers::whatIsWrong(const QStringList& names) const {
  QStringList sentences;
  for (const composer::Finding& finding : document_.findings()) {
    if (finding.severity != composer::Severity::Error) continue;
    if (const auto* federate = document_.federate(finding.where.federate)) {
      const QStringList instances = federate->instanceNames();
      if (std::none_of(instances.begin(), instances.end(),
                       [&](const QString& name) { return names.contains(name); }))
        continue;
    }
    sentences << finding.text;
  }
  return sentences.join(u' ');
}

void RunMembers::add(const QStringList& names) {
  const QStringList there = missing();
  QStringList wanted = names;
  wanted.removeIf([&](const QString& name) { return !there.contains(name); });
  if (wanted.isEmpty()) return;
  const QString title = wanted.size() == 1
                            ? tr("%1 was not started in this run").arg(wanted.front())
                            : tr("Nobody was added to this run");
  QString why = whatIsWrong(wanted);
  auto planned = launcher::planAdditions(
      run_->plan(), document_.composition(), document_.catalog(),
      {{}, document_.path(), document_.folder(), {}, hostsFile_ ? hostsFile_() : QString()},
      wanted);
  if (why.isEmpty() && !planned) {
    for (const composer::Error& error : planned.error()) why += error.message() + u' ';
  }
  if (why.isEmpty()) {
    for (const launcher::Addition& one : *planned) {
      why = run_->whyNotAdd(one.federate.host);
      if (!why.isEmpty()) break;
    }
  }
  if (!why.isEmpty()) {
    Q_EMIT failed(title, why.trimmed());
    return;
  }
  for (const QString& name : std::as_const(wanted)) adding_ << name;
  Q_EMIT changed();
  prepare(std::move(*planned), wanted);
}

void RunMembers::prepare(std::vector<launcher::Addition> additions, const QStringList& names) {
  QThreadPool::globalInstance()->start([plan = run_->plan(), additions = std::move(additions),
                                        names, stop = preparing_.get_token(),
                                        self = QPointer<RunMembers>(this)]() mutable {
    auto prepared = launcher::prepareAdditions(plan, std::move(additions), {}, stop);
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, stop, names, prepared = std::move(prepared)] {
          if (self && !stop.stop_requested()) self->addPrepared(prepared, names);
        },
        Qt::QueuedConnection);
  });
}

void RunMembers::addPrepared(const launcher::PreparedAdditions& prepared,
                             const QStringList& names) {
  if (prepared.additions.empty()) {
    for (const QString& name : names) adding_.remove(name);
    for (const launcher::PreflightCheck& check : prepared.checks) {
      if (check.level == launcher::PreflightCheck::Level::Error)
        Q_EMIT failed(tr("%1, so nobody was added to this run").arg(check.title), check.detail);
    }
  } else if (run_ && !run_->isOver()) {
    run_->add(prepared.additions);
  }
  Q_EMIT changed();
}

void RunMembers::remove(const QStringList& names) {
  if (run_) run_->removeProcesses(names);
}

QStringList RunMembers::moveTargets(const QString& name) const {
  if (!run_ || run_->phase() != Run::Phase::Running || isMoving()) return {};
  const auto* process = run_->process(name);
  if (!process || process->isNode) return {};
  QStringList hosts;
  if (!process->host.isEmpty()) hosts << QString();
  for (const launcher::HostStatus& host : run_->hosts()) {
    if (host.name != process->host) hosts << host.name;
  }
  return hosts;
}

void RunMembers::move(const QString& name, const QString& host) {
  if (!run_) return;
  const QString where = host.isEmpty() ? tr("this machine") : host;
  QString why = isMoving()
                    ? tr("%1 is being moved. Wait until that is done.").arg(move_->federate())
                    : FederateMove::whyNot(*run_, name, host, document_.catalog());
  if (!why.isEmpty()) {
    Q_EMIT failed(tr("%1 was not moved to %2").arg(name, where), why);
    return;
  }
  move_ = std::make_unique<FederateMove>(*run_, name, host, operateSavesOf(run_->plan()));
  connect(move_.get(), &FederateMove::stepBegan, this, &RunMembers::changed);
  connect(move_.get(), &FederateMove::finished, this, &RunMembers::endMove);
  moving_.start();
  moved_.start();
  move_->start();
  Q_EMIT changed();
}

bool RunMembers::isMoving() const { return move_ && !move_->isOver(); }

void RunMembers::endMove() {
  moved_.stop();
  const QString where = move_->host().isEmpty() ? tr("this machine") : move_->host();
  if (move_->outcome() == FederateMove::Outcome::Moved)
    Q_EMIT said(move_->message());
  else
    Q_EMIT failed(tr("%1 was not moved to %2").arg(move_->federate(), where), move_->message());
  Q_EMIT changed();
}

RunTrouble RunMembers::moveTrouble() const {
  const QString& name = move_->federate();
  const QString where = move_->host().isEmpty() ? tr("this machine") : move_->host();
  const int now = static_cast<int>(move_->step());
  const int steps = static_cast<int>(FederateMove::Step::Restore) + 1;
  RunTrouble trouble;
  trouble.state = theme::State::Info;
  trouble.id = QStringLiteral("move/") + name;
  trouble.title = move_->isReturning() ? tr("%1 goes back to where it was").arg(name)
                                       : tr("%1 is being moved to %2").arg(name, where);
  trouble.detail = tr("%1. Step %2 of %3: %4")
                       .arg(theme::formatElapsed(static_cast<double>(moving_.elapsed()) / 1000))
                       .arg(now + 1)
                       .arg(steps)
                       .arg(FederateMove::stepText(move_->step(), name, move_->place()));
  QStringList all;
  for (int step = 0; step < steps; ++step) {
    const QString text =
        FederateMove::stepText(static_cast<FederateMove::Step>(step), name, move_->place());
    all << (step < now ? tr("Done: %1") : step == now ? tr("Now: %1") : tr("Then: %1")).arg(text);
  }
  trouble.tip = all.join(u'\n');
  trouble.brief = tr("%1 is being moved").arg(name);
  trouble.pill = tr("Moving");
  if (!move_->isReturning() && move_->step() < FederateMove::Step::Stop) {
    auto* self = const_cast<RunMembers*>(this);
    trouble.actions = {{tr("Cancel"), [self] {
                          if (self->move_) self->move_->cancel();
                        }}};
  }
  return trouble;
}

void RunMembers::look() {
  leaving_.removeIf([&](const QString& name) {
    const monitor::FederateView* view = feed_.current()->find(name);
    if (view && monitor::isOver(view->condition)) feed_.dismiss(name);
    return view == nullptr;
  });
}

}  // namespace tutti::app
