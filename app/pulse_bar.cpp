// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pulse_bar.h"

#include <QDir>
#include <QHBoxLayout>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <algorithm>
#include <cmath>

#include "app/pace_menu.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"

namespace tutti::app {

using theme::Palette;
using theme::RunStatus;
using theme::State;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int kRefreshMs = 500;  // text updates at 2 Hz

QString homeShortened(const QString& path) {
  const QString home = QDir::homePath();
  return path.startsWith(home + u'/') ? u'~' + path.mid(home.size()) : path;
}

}  // namespace

// PulseValue

PulseValue::PulseValue(const QString& label, const QString& widest, const QString& source,
                       QWidget* parent)
    : QWidget(parent), label_(label), value_(theme::noValue()), widest_(widest) {
  setToolTip(source);
  setAccessibleName(label);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void PulseValue::setLabel(const QString& label) {
  label_ = label;
  setAccessibleName(label);
  updateGeometry();
  update();
}

void PulseValue::setValue(const QString& value, bool stale) {
  if (value == value_ && stale == stale_) return;
  // Growing is rare (a longer run, a longer name); shrinking never happens.
  const int before = sizeHint().width();
  value_ = value;
  stale_ = stale;
  setAccessibleDescription(value);
  if (sizeHint().width() != before) updateGeometry();
  update();
}

QSize PulseValue::sizeHint() const {
  const QFontMetrics value(theme::textFont(TextStyle::Heading));
  const QFontMetrics label(theme::textFont(TextStyle::Caption, QFont::Normal));
  return QSize(std::max({label.horizontalAdvance(label_), value.horizontalAdvance(widest_),
                         value.horizontalAdvance(value_)}) +
                   2,
               34);
}

void PulseValue::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette palette = Palette::of(this);
  painter.setPen(palette[Token::TextMuted]);
  painter.setFont(theme::textFont(TextStyle::Caption, QFont::Normal));
  painter.drawText(QRect(0, 1, width(), 14), Qt::AlignLeft | Qt::AlignVCenter, label_);
  painter.setPen(palette[stale_ ? Token::TextMuted : Token::TextPrimary]);
  painter.setFont(theme::textFont(TextStyle::Heading));
  painter.drawText(QRect(0, 15, width(), 18), Qt::AlignLeft | Qt::AlignVCenter, value_);
}

// CompositionButton

CompositionButton::CompositionButton(QWidget* parent) : QAbstractButton(parent) {
  setObjectName(QStringLiteral("compositionButton"));
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void CompositionButton::setComposition(const QString& name, const QString& detail) {
  setText(name);
  detail_ = detail;
  setToolTip(detail);
  setAccessibleName(tr("Composition %1").arg(name));
  updateGeometry();
  update();
}

void CompositionButton::setMenu(QMenu* menu) {
  menu_ = menu;
  connect(this, &QAbstractButton::clicked, this,
          [this] { menu_->popup(mapToGlobal(QPoint(0, height()))); });
}

QSize CompositionButton::sizeHint() const {
  const int name = QFontMetrics(theme::textFont(TextStyle::Heading)).horizontalAdvance(text()) + 18;
  const int detail =
      QFontMetrics(theme::textFont(TextStyle::Caption, QFont::Normal)).horizontalAdvance(detail_);
  return QSize(std::clamp(std::max(name, detail) + 8, 120, 260), 36);
}

void CompositionButton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette palette = Palette::of(this);
  if (underMouse()) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette[Token::BgHover]);
    painter.drawRoundedRect(rect(), 4, 4);
  }
  const QFont nameFont = theme::textFont(TextStyle::Heading);
  const QString name = QFontMetrics(nameFont).elidedText(text(), Qt::ElideRight, width() - 24);
  painter.setFont(nameFont);
  painter.setPen(palette[Token::TextPrimary]);
  painter.drawText(QRect(4, 2, width(), 18), Qt::AlignLeft | Qt::AlignVCenter, name);
  const int end = 4 + QFontMetrics(nameFont).horizontalAdvance(name);
  theme::paintIcon(painter, QRectF(end + 4, 6, 12, 12), QStringLiteral("down"),
                   palette[Token::TextPrimary]);
  const QFont detailFont = theme::textFont(TextStyle::Caption, QFont::Normal);
  painter.setFont(detailFont);
  painter.setPen(palette[Token::TextMuted]);
  painter.drawText(QRect(4, 19, width() - 8, 14), Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(detailFont).elidedText(detail_, Qt::ElideMiddle, width() - 8));
  if (theme::hasVisibleFocus(this)) theme::paintFocusRing(painter, rect(), 4, palette);
}

// PulseBar

PulseBar::PulseBar(RunStatus* status, QWidget* parent) : QWidget(parent), status_(status) {
  setObjectName(QStringLiteral("pulseBar"));
  setFixedHeight(theme::height::kPulse);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 1, 12, 1);
  row->setSpacing(20);
  composition_ = new CompositionButton(this);
  row->addWidget(composition_);
  auto* line = new QFrame(this);
  line->setFixedSize(1, 20);
  line->setAutoFillBackground(true);
  line->setBackgroundRole(QPalette::Mid);
  row->addWidget(line);
  pill_ = new theme::StatePill(this);
  pill_->setObjectName(QStringLiteral("statePill"));
  row->addWidget(pill_);

  const auto value = [this, row](const char* name, const QString& label, const QString& widest,
                                 const QString& source) {
    auto* result = new PulseValue(label, widest, source, this);
    result->setObjectName(QString::fromLatin1(name));
    row->addWidget(result);
    return result;
  };
  job_ = value("pulseJob", tr("Job"), QStringLiteral("88888"),
               tr("Number of the Slurm job that the run waits for"));
  waiting_ = value("pulseWaiting", tr("Waiting"), QStringLiteral("88:88:88"),
                   tr("Wall clock since the job was submitted"));
  starts_ = value("pulseStarts", tr("Starts about"), QStringLiteral("88:88"),
                  tr("As Slurm plans it now, from squeue"));
  nodes_ = value("pulseNodes", tr("Nodes"), QStringLiteral("88"),
                 tr("Nodes that the job asks for, and of which cluster"));
  time_ = value("pulseTime", tr("Logical time"), QStringLiteral("88888.88 s"),
                tr("Smallest granted logical time of all federates, read from the RTI's slots"));
  pace_ = value("pulsePace", tr("Pace, 5 s"), QStringLiteral("88.88 ×"),
                tr("Logical seconds per second of wall clock, mean of the last 5 s"));
  elapsed_ = value("pulseElapsed", tr("Elapsed"), QStringLiteral("88:88:88"),
                   tr("Wall clock since the first process of this run was started"));
  joined_ = value("pulseFederates", tr("Federates"), QStringLiteral("88 of 88"),
                  tr("Joined federates of those the composition starts, from the RTI's "
                     "membership"));
  updates_ = value("pulseUpdates", tr("Updates"), QStringLiteral("888 k/s"),
                   tr("Attribute updates and interactions sent by all federates per second, mean "
                      "of 5 s, from the RTI's slots"));
  hostCount_ = value("pulseHosts", tr("Hosts"), QStringLiteral("8"),
                     tr("Hosts that federates are placed on"));
  lastRun_ = value("pulseLastRun", tr("Last run"), QString(),
                   tr("The last run of this composition in the run store"));
  row->addStretch(1);

  reason_ = new QPushButton(this);
  reason_->setObjectName(QStringLiteral("runReason"));
  reason_->setProperty("role", QByteArray("reason"));
  reason_->setIcon(theme::icon(QStringLiteral("state-error")));
  ready_ = theme::makeLabel(tr("Ready to run"), "secondary", this);
  ready_->setObjectName(QStringLiteral("readyToRun"));
  run_ = new QPushButton(tr("Run  F5"), this);
  run_->setObjectName(QStringLiteral("runButton"));
  run_->setProperty("role", QByteArray("primary"));
  pause_ = new QPushButton(theme::icon(QStringLiteral("pause")), tr("Pause"), this);
  pause_->setObjectName(QStringLiteral("pauseButton"));
  pause_->setToolTip(tr("Hold logical time; federates stay joined (F6)"));
  step_ = new QPushButton(theme::icon(QStringLiteral("step")), tr("Step"), this);
  step_->setObjectName(QStringLiteral("stepButton"));
  step_->setToolTip(tr("Let the next time advance grants pass (F10)"));
  paceButton_ = new QPushButton(theme::icon(QStringLiteral("down")), tr("Pace"), this);
  paceButton_->setObjectName(QStringLiteral("paceButton"));
  paceButton_->setLayoutDirection(Qt::RightToLeft);  // the arrow behind the text
  paceButton_->setToolTip(tr("How fast logical time may go on, from now on"));
  stop_ = new QPushButton(theme::icon(QStringLiteral("stop"), Token::DeadFg), tr("Stop  Shift+F5"),
                          this);
  stop_->setObjectName(QStringLiteral("stopButton"));
  stop_->setProperty("role", QByteArray("danger"));
  more_ = new QPushButton(theme::icon(QStringLiteral("down")), QString(), this);
  more_->setObjectName(QStringLiteral("moreButton"));
  more_->setFixedWidth(32);
  more_->setAccessibleName(tr("More for this run"));
  more_->setToolTip(tr("Save, restore, adjust, resign, keep running"));
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  for (QWidget* widget : std::initializer_list<QWidget*>{reason_, ready_, run_, pause_, step_,
                                                         paceButton_, stop_, more_}) {
    widget->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    buttons->addWidget(widget);
  }
  row->addLayout(buttons);

  connect(reason_, &QPushButton::clicked, status_, &RunStatus::showWhyNotRun);
  connect(run_, &QPushButton::clicked, status_, &RunStatus::run);
  connect(stop_, &QPushButton::clicked, this, &PulseBar::askToStop);
  connect(step_, &QPushButton::clicked, status_, &RunStatus::step);
  connect(pause_, &QPushButton::clicked, status_, [this] {
    if (status_->phase() == RunStatus::Phase::Paused)
      status_->resume();
    else
      status_->pause();
  });
  connect(pill_, &QAbstractButton::clicked, this, &PulseBar::pillClicked);
  connect(status_, &RunStatus::phaseChanged, this, &PulseBar::refresh);
  connect(status_, &RunStatus::changed, this, [this] {
    if (!refresh_.isActive()) refresh_.start();
  });
  refresh_.setSingleShot(true);
  refresh_.setInterval(kRefreshMs);
  connect(&refresh_, &QTimer::timeout, this, &PulseBar::refresh);
  // The time that a job waits grows without an event.
  waitingTicks_.setInterval(1000);
  connect(&waitingTicks_, &QTimer::timeout, this, &PulseBar::refresh);
  refresh();
}

void PulseBar::askToStop() {
  const auto queued = status_->queued();
  if (!queued) return status_->stop();
  auto* box = new QMessageBox(
      QMessageBox::NoIcon, tr("Cancel job %1").arg(queued->job),
      queued->others == 0
          ? tr("Cancel job %1 on %2?").arg(queued->job).arg(queued->cluster)
          : tr("Cancel job %1 on %2, and %3 of this run?")
                .arg(queued->job)
                .arg(queued->cluster,
                     theme::formatNoun(queued->others, tr("other job"), tr("other jobs"))),
      QMessageBox::NoButton, this);
  box->setObjectName(QStringLiteral("cancelJob"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(tr("It loses its place in the queue. Nothing has been started yet."));
  auto* cancel = box->addButton(tr("Cancel job %1").arg(queued->job), QMessageBox::DestructiveRole);
  cancel->setObjectName(QStringLiteral("cancelJobAccept"));
  box->setDefaultButton(box->addButton(tr("Keep waiting"), QMessageBox::RejectRole));
  connect(cancel, &QPushButton::clicked, status_, [this, job = queued->job] {
    // It may run by now, which is not what was asked about.
    const auto now = status_->queued();
    if (now && now->job == job) status_->stop();
  });
  box->open();
}

void PulseBar::setComposition(const QString& name, const QString& path) {
  name_ = name;
  path_ = path;
  refresh();
}

void PulseBar::setRunMenu(QMenu* menu) {
  connect(more_, &QPushButton::clicked, menu,
          [this, menu] { menu->popup(more_->mapToGlobal(QPoint(0, more_->height()))); });
}

void PulseBar::setPaceMenu(QMenu* menu) {
  connect(paceButton_, &QPushButton::clicked, menu, [this, menu] {
    menu->popup(paceButton_->mapToGlobal(QPoint(0, paceButton_->height())));
  });
}

void PulseBar::setCounts(int federates, int hosts) {
  federates_ = federates;
  hosts_ = hosts;
  refresh();
}

void PulseBar::refresh() {
  using Phase = RunStatus::Phase;
  const Phase phase = status_->phase();
  const bool active = phase != Phase::NotRunning && phase != Phase::Ended;
  const auto troubles = status_->troubles();
  const auto queued = status_->queued();
  if (queued.has_value() != waitingTicks_.isActive()) {
    if (queued)
      waitingTicks_.start();
    else
      waitingTicks_.stop();
  }
  pill_->setToolTip(!queued || queued->reason.isEmpty()
                        ? QString()
                        : tr("The run starts when Slurm gives its job the nodes; it waits for %1")
                              .arg(queued->reason));

  const QString runName = status_->runName();
  composition_->setComposition(name_, active && !runName.isEmpty() ? runName
                                      : path_.isEmpty()            ? tr("not saved yet")
                                                                   : homeShortened(path_));
  if (active && !path_.isEmpty()) composition_->setToolTip(homeShortened(path_));

  switch (phase) {
    case Phase::NotRunning:
      pill_->setState(State::Idle, tr("Not running"));
      break;
    case Phase::Starting:
      pill_->setState(State::Starting, !queued ? tr("Starting")
                                       : queued->place.isEmpty()
                                           ? tr("Queued")
                                           : tr("Queued, %1").arg(queued->place));
      break;
    case Phase::Running:
      pill_->setState(State::Running, status_->isWatched() ? tr("Watching") : tr("Running"));
      break;
    case Phase::Paused:
      pill_->setState(State::Paused, tr("Paused"));
      break;
    case Phase::Stopping:
      pill_->setState(State::Starting, tr("Stopping"));
      break;
    case Phase::Ended:
      pill_->setState(State::Idle, tr("Ended"));
      break;
  }
  if (!troubles.isEmpty() && phase != Phase::NotRunning)
    pill_->setState(troubles.first().state, troubles.first().pill);
  pill_->setLarge(active || !troubles.isEmpty());

  const QString why = status_->whyNotRun();
  reason_->setVisible(!active && !why.isEmpty());
  reason_->setText(why);
  // Red is for what is wrong, not for what is not known yet, nor for what is only to begin.
  const bool begins = federates_ == 0;
  const bool awaits = status_->isAwaitingChecks() || begins;
  if (reason_->property("awaits").toBool() != awaits)
    theme::setStyleProperty(reason_, "awaits", awaits);
  const QString icon = begins   ? QStringLiteral("state-info")
                       : awaits ? QStringLiteral("state-starting")
                                : QStringLiteral("state-error");
  if (icon != reasonIcon_) {
    reasonIcon_ = icon;
    reason_->setIcon(theme::icon(icon));
  }
  reason_->setToolTip(why + u'\n' +
                      (begins   ? tr("Show what the composition needs")
                       : awaits ? tr("Show the checks")
                                : tr("Show what has to be fixed first")));
  ready_->setVisible(!active && why.isEmpty());
  run_->setVisible(!active);
  run_->setEnabled(why.isEmpty());
  run_->setIcon(
      theme::icon(QStringLiteral("run"), why.isEmpty() ? Token::AccentOn : Token::TextMuted));
  run_->setText(why.isEmpty() ? tr("Run  F5") : tr("Run"));
  run_->setToolTip(why.isEmpty() ? tr("Start every enabled federate (F5)") : why);
  const bool pausable = active && status_->canPause();
  pause_->setVisible(pausable);
  pause_->setText(phase == Phase::Paused ? tr("Resume") : tr("Pause"));
  pause_->setIcon(
      theme::icon(phase == Phase::Paused ? QStringLiteral("run") : QStringLiteral("pause")));
  step_->setVisible(pausable);
  paceButton_->setVisible(pausable);
  const double pace = status_->wantedPace();
  paceButton_->setText(!std::isfinite(pace) ? tr("Pace")
                       : pace > 0           ? tr("Pace %1").arg(paceText(pace))
                                            : tr("Pace max"));
  stop_->setVisible(active);
  const bool watched = status_->isWatched();
  stop_->setText(queued    ? tr("Cancel job %1…").arg(queued->job)
                 : watched ? tr("Stop watching")
                           : tr("Stop  Shift+F5"));
  if ((stop_->property("role") == QByteArray("danger")) == watched) {
    theme::setStyleProperty(stop_, "role", watched ? QByteArray() : QByteArray("danger"));
    stop_->setIcon(watched ? theme::icon(QStringLiteral("close"))
                           : theme::icon(QStringLiteral("stop"), Token::DeadFg));
  }
  stop_->setToolTip(watched ? tr("The run goes on: another program has it (Shift+F5)") : QString());
  stop_->setEnabled(phase != Phase::Stopping);
  more_->setVisible(active && !queued && !watched);
  refreshValues();
  fitValues();
}

void PulseBar::refreshQueued() {
  const auto queued = status_->queued();
  if (!queued) return;
  const auto now = QDateTime::currentDateTime();
  job_->setValue(QString::number(queued->job));
  waiting_->setValue(
      queued->since.isValid()
          ? theme::formatElapsed(std::max(0.0, static_cast<double>(queued->since.secsTo(now))))
          : theme::noValue());
  starts_->setValue(theme::formatMoment(queued->start, now));
  nodes_->setValue(tr("%1 of %2").arg(queued->nodes).arg(queued->cluster));
}

void PulseBar::refreshValues() {
  refreshQueued();
  using Phase = RunStatus::Phase;
  const Phase phase = status_->phase();
  const bool shown = phase != Phase::NotRunning;
  const bool stale = phase == Phase::Ended;
  const QString gap(QChar(0x202F));
  const double time = status_->logicalTime();
  time_->setValue(std::isfinite(time)
                      ? theme::formatTime(time, status_->timeDecimals()) + gap + u's'
                      : theme::noValue(),
                  stale);
  // Beside the one wanted, for whoever has no button to set it.
  const double wanted = status_->wantedPace();
  pace_->setLabel(status_->isWatched() && wanted > 0 ? tr("Pace of %1").arg(paceText(wanted))
                                                     : tr("Pace, 5 s"));
  pace_->setValue(theme::formatRatio(status_->pace()), stale);
  elapsed_->setValue(theme::formatElapsed(status_->elapsed()), stale);
  if (shown)
    joined_->setValue(
        tr("%1 of %2").arg(status_->federatesJoined()).arg(status_->federatesExpected()), stale);
  else
    joined_->setValue(theme::formatCount(federates_));
  const double updates = status_->updatesPerSecond();
  updates_->setValue(
      std::isfinite(updates)
          ? theme::formatRate(updates) + (updates < 999.5 ? gap : QString()) + QStringLiteral("/s")
          : theme::noValue(),
      stale);
  hostCount_->setValue(theme::formatCount(hosts_));
  const QString last = status_->lastRun();
  lastRun_->setValue(last.isEmpty() ? theme::noValue() : last);
}

void PulseBar::fitValues() {
  const bool shown = status_->phase() != RunStatus::Phase::NotRunning;
  // What matters least goes first when the window is narrow: the shortcut, then values from the
  // end of this list.
  const QList<PulseValue*> byWeight = status_->queued() ? QList{starts_, waiting_, job_, nodes_}
                                      : shown ? QList{time_, joined_, updates_, pace_, elapsed_}
                                              : QList{joined_, hostCount_, lastRun_};
  constexpr int kSpacing = 20;
  int fixed = composition_->sizeHint().width() + 1 + pill_->sizeHint().width() + 3 * kSpacing + 40;
  reason_->setText(status_->whyNotRun());
  for (QWidget* button : std::initializer_list<QWidget*>{reason_, ready_, run_, pause_, step_,
                                                         paceButton_, stop_, more_})
    if (!button->isHidden()) fixed += button->sizeHint().width() + 8;
  int room = width() - fixed;
  // Then the end of the reason, which is whole in its tool tip.
  const QString why = status_->whyNotRun();
  if (room < 0)
    reason_->setText(reason_->fontMetrics().elidedText(
        why, Qt::ElideRight, std::max(80, reason_->fontMetrics().horizontalAdvance(why) + room)));
  for (PulseValue* value : {job_, waiting_, starts_, nodes_, time_, pace_, elapsed_, joined_,
                            updates_, hostCount_, lastRun_}) {
    if (!byWeight.contains(value)) value->hide();
  }
  for (PulseValue* value : byWeight) {
    room -= value->sizeHint().width() + kSpacing;
    value->setVisible(room >= 0);
  }
  // The resize that led here was laid out with the old set.
  layout()->invalidate();
  layout()->activate();
}

void PulseBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitValues();
}

void PulseBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette palette = Palette::of(this);
  painter.fillRect(rect(), palette[Token::BgPanel]);
  painter.fillRect(QRect(0, 0, width(), 1), palette[Token::LineSubtle]);
  painter.fillRect(QRect(0, height() - 1, width(), 1), palette[Token::LineStrong]);
}

}  // namespace tutti::app
