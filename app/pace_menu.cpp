// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pace_menu.h"

#include <QInputDialog>
#include <cmath>

#include "fabric/pace_range.h"

namespace tutti::app {

using theme::RunStatus;

namespace {

constexpr int kDecimals = 6;

}  // namespace

QString paceText(double perSecond) {
  return QString::number(perSecond, 'g', 6) + QStringLiteral("×");
}

PaceMenu::PaceMenu(RunStatus* run, QWidget* parent) : QMenu(parent), run_(run) {
  setObjectName(QStringLiteral("paceMenu"));
  setTitle(tr("Pa&ce"));
  setToolTipsVisible(true);
  why_ = addAction(QString());
  why_->setObjectName(QStringLiteral("paceWhy"));
  why_->setEnabled(false);
  choices_ = new QActionGroup(this);
  for (const double pace : {0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0})
    add(pace, pace == 1 ? tr("Pace 1×, real time") : tr("Pace %1").arg(paceText(pace)));
  add(0, tr("Pace max, as fast as possible"));
  other_ = addAction(tr("Other pace…"));
  other_->setObjectName(QStringLiteral("paceOther"));
  other_->setCheckable(true);
  connect(other_, &QAction::triggered, this, &PaceMenu::ask);
  connect(this, &QMenu::aboutToShow, this, &PaceMenu::refresh);
  refresh();
}

void PaceMenu::add(double perSecond, const QString& text) {
  QAction* one = addAction(text);
  one->setObjectName(QStringLiteral("pace%1").arg(perSecond));
  one->setCheckable(true);
  one->setData(perSecond);
  choices_->addAction(one);
  connect(one, &QAction::triggered, this, [this, perSecond] {
    run_->setPace(perSecond);
    refresh();  // it holds when the RTI has said so
  });
}

void PaceMenu::refresh() {
  const auto phase = run_->phase();
  const bool active = phase != RunStatus::Phase::NotRunning && phase != RunStatus::Phase::Ended;
  const bool can = active && run_->canPause();
  why_->setVisible(!can);
  why_->setText(!active             ? tr("No run: the composition has the pace of the next one")
                : run_->isWatched() ? tr("Another program has this run")
                                    : tr("No federate takes part in logical time: components keep "
                                         "the pace, until the next start"));
  const double wanted = run_->wantedPace();
  bool listed = !std::isfinite(wanted);
  choices_->setExclusionPolicy(QActionGroup::ExclusionPolicy::None);
  for (QAction* one : choices_->actions()) {
    const bool holds = active && one->data().toDouble() == wanted;
    one->setChecked(holds);
    one->setEnabled(can);
    listed = listed || holds;
  }
  other_->setEnabled(can);
  other_->setChecked(active && !listed);
  other_->setText(active && !listed ? tr("Other pace (%1)…").arg(paceText(wanted))
                                    : tr("Other pace…"));
}

void PaceMenu::ask() {
  refresh();
  const double wanted = run_->wantedPace();
  auto* dialog = new QInputDialog(parentWidget()->window());
  dialog->setObjectName(QStringLiteral("paceDialog"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Pace"));
  dialog->setLabelText(tr("Units of logical time (mostly seconds) per second of wall clock"));
  dialog->setInputMode(QInputDialog::DoubleInput);
  dialog->setDoubleRange(fabric::slowestPace, fabric::fastestPace);
  dialog->setDoubleDecimals(kDecimals);
  dialog->setDoubleValue(wanted > 0 ? wanted : 1);
  dialog->setOkButtonText(tr("Set pace"));
  connect(dialog, &QInputDialog::doubleValueSelected, run_, &RunStatus::setPace);
  dialog->open();
}

}  // namespace tutti::app
