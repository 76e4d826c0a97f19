// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/resign_control.h"

#include <QApplication>
#include <QClipboard>
#include <QPointer>
#include <utility>

#include "app/in_pool.h"
#include "launcher/engine/run.h"
#include "resources/theme/format.h"

namespace tutti::app {

using monitor::ResignProgress;
using theme::RunTrouble;
using theme::State;

namespace {

constexpr int kShownAfterMs = 500;
constexpr int kSupervisorsMs = 3000;
constexpr std::chrono::seconds kPatience{10};

}  // namespace

ResignControl::ResignControl(QObject* parent) : QObject(parent) {
  late_.setSingleShot(true);
  late_.setInterval(kShownAfterMs);
  connect(&late_, &QTimer::timeout, this, &ResignControl::changed);
  supervisors_.setSingleShot(true);
  supervisors_.setInterval(kSupervisorsMs);
  connect(&supervisors_, &QTimer::timeout, this, &ResignControl::tellFederates);
}

ResignControl::~ResignControl() { stop_.request_stop(); }

void ResignControl::setRun(launcher::Run* run) {
  stop_.request_stop();
  supervisors_.stop();
  if (run_) disconnect(run_, nullptr, this, nullptr);
  run_ = run;
  if (run_) connect(run_, &launcher::Run::processChanged, this, &ResignControl::tellWhenAwaited);
  ++number_;
  busy_ = false;
  late_.stop();
  progress_ = {};
  failure_.clear();
  Q_EMIT changed();
}

void ResignControl::begin() {
  if (busy_ || !run_) return;
  busy_ = true;
  ++number_;
  progress_ = {};
  failure_.clear();
  processes_.clear();
  stop_ = {};
  since_.start();
  late_.start();
  // Who is joined is asked first: a process may end the moment its federate has resigned.
  inPool(
      this,
      [joined = launcher::joinedAtNode(run_->plan().designator(), run_->plan().federation)] {
        return joined().value_or(std::vector<launcher::JoinedFederate>());
      },
      [this, number = number_](const std::vector<launcher::JoinedFederate>& joined) {
        if (number == number_) expect(joined);
      });
  Q_EMIT changed();
}

void ResignControl::expect(const std::vector<launcher::JoinedFederate>& joined) {
  processes_ = run_->processesOf(joined, {});
  processOf_ = run_->processByFederate(joined);
  run_->expectResign(processes_);
  // A host that is out of reach does not hold the others up.
  supervisors_.start();
  tellWhenAwaited();
}

void ResignControl::tellWhenAwaited() {
  if (!supervisors_.isActive() || !run_->isAwaitingResign(processes_)) return;
  supervisors_.stop();
  tellFederates();
}

void ResignControl::tellFederates() {
  const auto tell = [self = QPointer<ResignControl>(this),
                     number = number_](const ResignProgress& progress) {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, number, progress] {
          if (!self || number != self->number_) return;
          self->progress_ = progress;
          if (!self->late_.isActive()) Q_EMIT self->changed();
        },
        Qt::QueuedConnection);
  };
  inPool(
      this,
      [node = run_->plan().node, federation = run_->plan().federation, tell,
       stop = stop_.get_token()] {
        return monitor::operateResign(node, federation, {}, {}, kPatience, tell, stop);
      },
      [this, number = number_](const tl::expected<ResignProgress, QString>& result) {
        if (number == number_) end(result);
      });
}

void ResignControl::end(const tl::expected<ResignProgress, QString>& result) {
  busy_ = false;
  late_.stop();
  if (!result) {
    failure_ = result.error();
    run_->noteResigned({}, processes_);
    Q_EMIT changed();
    return;
  }
  progress_ = *result;
  QStringList resigned;
  QStringList refused;
  for (const QString& federate : std::as_const(progress_.resigned)) {
    if (const auto one = processOf_.constFind(federate); one != processOf_.cend()) resigned << *one;
  }
  for (const ResignProgress::Refusal& refusal : progress_.refused) {
    if (const auto one = processOf_.constFind(refusal.federate); one != processOf_.cend())
      refused << *one;
  }
  run_->noteResigned(resigned, refused);
  // Who had been told when the run's node ended is spoken for by the end of the run.
  if (progress_.isDone() && progress_.left.isEmpty())
    Q_EMIT done(tr("All %1 of %2 have resigned.")
                    .arg(theme::formatNoun(progress_.federates(), tr("federate"), tr("federates")),
                         run_->plan().federation));
  Q_EMIT changed();
}

QList<RunTrouble> ResignControl::troubles() const {
  if (!run_ || (busy_ && late_.isActive())) return {};
  RunTrouble trouble;
  const QString federation = run_->plan().federation;
  if (busy_) {
    trouble.state = State::Info;
    trouble.id = QStringLiteral("resign-goes-on/%1").arg(number_);
    trouble.title = tr("The federates of %1 resign").arg(federation);
    trouble.detail = tr("%1. %2 of %3 have not resigned yet: %4")
                         .arg(theme::formatElapsed(static_cast<double>(since_.elapsed()) / 1000))
                         .arg(progress_.awaited.size())
                         .arg(progress_.federates())
                         .arg(progress_.awaited.join(QStringLiteral(", ")));
    trouble.tip = progress_.awaited.join(u'\n');
    trouble.brief = tr("resigning");
    trouble.pill = tr("Resigning");
    return {trouble};
  }
  const QString why = failure_.isEmpty() ? progress_.whyNotAll() : failure_;
  if (why.isEmpty()) return {};
  trouble.state = State::Warning;
  trouble.id = QStringLiteral("not-resigned/%1").arg(number_);
  trouble.title = failure_.isEmpty() ? tr("Not all federates of %1 have resigned").arg(federation)
                                     : tr("No federate of %1 was told to resign").arg(federation);
  trouble.detail = why;
  trouble.tip = why;
  trouble.brief = tr("not all resigned");
  trouble.pill = tr("Not resigned");
  auto* run = run_;
  for (const QString& federate : progress_.awaited) {
    if (trouble.actions.size() == 2) break;
    const QString id = processOf_.value(federate, federate);
    if (run->process(id) != nullptr)
      trouble.actions << RunTrouble::Action{tr("Kill %1").arg(id), [run = QPointer(run), id] {
                                              if (run) run->killProcess(id);
                                            }};
  }
  trouble.actions << RunTrouble::Action{tr("Copy"),
                                        [why] { QApplication::clipboard()->setText(why); }};
  return {trouble};
}

}  // namespace tutti::app
