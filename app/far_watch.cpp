// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/far_watch.h"

#include <QApplication>
#include <QClipboard>

namespace tutti::app {

using launcher::RelayLink;
using theme::RunTrouble;

FarWatch::FarWatch(QObject* parent) : QObject(parent) {
  countdown_.setInterval(1000);
  connect(&countdown_, &QTimer::timeout, this, &FarWatch::changed);
}

void FarWatch::open(const launcher::Host& host, const QString& run) {
  leave();
  link_ = std::make_shared<RelayLink>(host, run);
  samples_ = std::make_shared<monitor::FarSamples>(host.name);
  connect(link_.get(), &RelayLink::sampled, this,
          [samples = samples_](const QByteArray& json) { samples->put(json); });
  connect(link_.get(), &RelayLink::stateChanged, this, &FarWatch::noteState);
  connect(link_.get(), &RelayLink::opened, this, [this](const launcher::LaunchPlan& plan) {
    opened_ = true;
    Q_EMIT opened(plan);
  });
  connect(link_.get(), &RelayLink::closed, this, [this](const launcher::Agent::Loss& loss) {
    countdown_.stop();
    // Of a run that is watched the run itself tells.
    if (!opened_) Q_EMIT failed(tr("%1: %2").arg(loss.where, loss.why), loss.next);
  });
  setSeen(seen_);
  link_->open();
}

void FarWatch::setSeen(bool seen) {
  constexpr int seenMs = 200;
  constexpr int unseenMs = 1000;
  seen_ = seen;
  if (link_) link_->sample(seen ? seenMs : unseenMs);
}

void FarWatch::leave() {
  countdown_.stop();
  opened_ = false;
  // Of its own signals one may have led here.
  if (link_) link_->disconnect(this);
  if (auto last = std::move(link_))
    QMetaObject::invokeMethod(
        this, [last = std::move(last)] {}, Qt::QueuedConnection);
  link_.reset();
  samples_.reset();
}

void FarWatch::noteState() {
  const auto state = link_->state();
  samples_->setConnected(state == RelayLink::State::Up || state == RelayLink::State::Silent);
  if (state == RelayLink::State::Lost)
    countdown_.start();
  else
    countdown_.stop();
  Q_EMIT changed();
}

QList<RunTrouble> FarWatch::troubles() const {
  if (!link_ || !opened_) return {};
  const auto state = link_->state();
  if (state != RelayLink::State::Silent && state != RelayLink::State::Lost) return {};
  const QString machine = link_->host().name;
  RunTrouble trouble;
  trouble.id = QStringLiteral("far/") + machine;
  trouble.brief = tr("%1 lost").arg(machine);
  if (state == RelayLink::State::Silent) {
    trouble.state = theme::State::Warning;
    trouble.title = tr("%1 is not heard").arg(machine);
    trouble.detail = tr("The run there does not notice. What is shown is from before.");
    trouble.pill = tr("Not heard");
    return {trouble};
  }
  trouble.state = theme::State::Error;
  trouble.title = tr("Connection to %1 lost").arg(machine);
  QString why = link_->whyLost().why;
  if (!why.isEmpty()) why[0] = why[0].toUpper();
  const int seconds = link_->secondsToRetry();
  trouble.detail =
      tr("%1. The run there does not notice. %2")
          .arg(why, seconds > 0 ? tr("Next attempt in %1 s.").arg(seconds) : tr("Connecting…"));
  trouble.pill = tr("No connection");
  // Whoever shows the trouble may keep it for longer than the connection is wanted.
  trouble.actions << RunTrouble::Action{tr("Connect now"), [link = std::weak_ptr(link_)] {
                                          if (const auto here = link.lock()) here->retryNow();
                                        }};
  trouble.actions << RunTrouble::Action{tr("Copy"),
                                        [text = trouble.title + u'\n' + trouble.detail] {
                                          QApplication::clipboard()->setText(text);
                                        }};
  return {trouble};
}

}  // namespace tutti::app
