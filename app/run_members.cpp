// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_members.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>
#include <utility>

#include "composer/model/document.h"
#include "launcher/engine/run.h"
#include "launcher/engine/run_additions.h"
#include "resources/theme/format.h"

namespace tutti::app {

using launcher::Run;
using theme::RunTrouble;

RunMembers::RunMembers(composer::Document& document, monitor::Feed& feed, QObject* parent)
    : QObject(parent), document_(document), feed_(feed) {}

RunMembers::~RunMembers() { preparing_.request_stop(); }

void RunMembers::setRun(Run* run) {
  preparing_.request_stop();
  preparing_ = std::stop_source();
  adding_.clear();
  leaving_.clear();
  run_ = run;
  if (!run) return;
  connect(run, &Run::federateAdded, this, [this](const QString& name) {
    adding_.remove(name);
    leaving_.remove(name);
    feed_.dismiss(name);
    Q_EMIT said(tr("%1 was added to the run").arg(name));
    Q_EMIT membersChanged();
    Q_EMIT changed();
  });
  connect(run, &Run::federateRemoved, this, [this](const QString& name) {
    leaving_ << name;
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
  result.removeIf([&](const QString& name) { return adding_.contains(name); });
  return result;
}

QList<RunTrouble> RunMembers::troubles() const {
  const QStringList names = missing();
  if (names.isEmpty()) return {};
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
  return {trouble};
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

void RunMembers::remove(const QString& name) {
  if (run_) run_->removeProcesses({name});
}

void RunMembers::look() {
  leaving_.removeIf([&](const QString& name) {
    const monitor::FederateView* view = feed_.current()->find(name);
    if (view && monitor::isOver(view->condition)) feed_.dismiss(name);
    return view == nullptr;
  });
}

}  // namespace tutti::app
