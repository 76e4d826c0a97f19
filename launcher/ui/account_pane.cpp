// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/account_pane.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <algorithm>

#include "resources/theme/format.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using theme::Token;

AccountPane::AccountPane(QWidget* parent)
    : QWidget(parent), grid_(new QGridLayout(this)), bar_(new QWidget(this)) {
  setObjectName(QStringLiteral("accountPage"));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  grid_->setContentsMargins(12, 8, 12, 8);
  grid_->setHorizontalSpacing(8);
  grid_->setVerticalSpacing(6);
  grid_->setColumnStretch(0, 1);
  sentence_ = theme::makeLabel({}, "caption", this);
  sentence_->setObjectName(QStringLiteral("accountSentence"));
  sentence_->setWordWrap(true);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  grid_->addWidget(sentence_, 0, 0, 1, 2);
  used_ = add("accountUsed", {});
  usedLabel_ = static_cast<QLabel*>(grid_->itemAtPosition(grid_->rowCount() - 1, 0)->widget());
  bar_->setFixedHeight(6);
  grid_->addWidget(bar_, grid_->rowCount(), 0, 1, 2);
  job_ = add("accountJob", tr("This job, at most"));
  jobs_ = add("accountJobs", tr("Jobs at a time"));
  share_ = add("accountShare", tr("Fair share"));
  shareLabel_ = static_cast<QLabel*>(grid_->itemAtPosition(grid_->rowCount() - 1, 0)->widget());
  shareLabel_->setToolTip(theme::wrappedTip(
      tr("How much less than its share the user has used lately: 1 is most. Slurm puts jobs with "
         "more in front.")));
  grid_->setRowStretch(grid_->rowCount(), 1);
  setFigures({});
}

QLabel* AccountPane::add(const char* name, const QString& text) {
  const int row = grid_->rowCount();
  grid_->addWidget(theme::makeLabel(text, "secondary", this), row, 0);
  auto* value = theme::makeLabel({}, "label", this);
  value->setObjectName(QLatin1String(name));
  value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  grid_->addWidget(value, row, 1);
  return value;
}

void AccountPane::setFigures(const Figures& figures) {
  figures_ = figures;
  const auto& account = figures_.account;
  const bool isKept = account && account->isKept;
  QString said;
  if (!account)
    said = figures_.problem.isEmpty() ? tr("Not known yet") : figures_.problem;
  else if (!account->isKept)
    said = tr("%1 keeps no accounts: jobs are not charged.").arg(figures_.cluster);
  else if (account->name.isEmpty())
    said = tr("You have no account on %1. Name one in the pane Allocation.").arg(figures_.cluster);
  sentence_->setText(said);
  sentence_->setVisible(!said.isEmpty());
  const bool hasUse = isKept && account->hoursUsed;
  used_->setVisible(hasUse);
  usedLabel_->setVisible(hasUse);
  bar_->setVisible(hasUse && account->hoursLimit);
  if (hasUse) {
    usedLabel_->setText(account->areCoreHours ? tr("Core hours used") : tr("Node hours used"));
    const QString used = hoursText(*account->hoursUsed);
    used_->setText(account->hoursLimit ? tr("%1 of %2").arg(used, hoursText(*account->hoursLimit))
                                       : tr("%1, no limit").arg(used));
  }
  job_->setText(!figures_.isAskedFor ? theme::noValue()
                : figures_.jobHours  ? tr("%1 node hours").arg(hoursText(*figures_.jobHours))
                                     : tr("no limit"));
  jobs_->setText(isKept && account->jobsAtATime
                     ? tr("%1 of %2").arg(figures_.jobs).arg(*account->jobsAtATime)
                 : isKept ? tr("%1, no limit").arg(figures_.jobs)
                          : QString::number(figures_.jobs));
  share_->setVisible(isKept);
  shareLabel_->setVisible(isKept);
  if (isKept) share_->setText(account->fairShare ? fairShareText(*account) : theme::noValue());
  update();
}

void AccountPane::paintEvent(QPaintEvent* event) {
  QWidget::paintEvent(event);
  if (bar_->isHidden() || !figures_.account || !figures_.account->hoursLimit) return;
  const auto palette = theme::Palette::of(this);
  QPainter painter(this);
  const QRectF whole(bar_->geometry());
  const double limit = std::max(*figures_.account->hoursLimit, 1e-9);
  const double used = std::min(figures_.account->hoursUsed.value_or(0) / limit, 1.0);
  painter.fillRect(whole, palette[Token::GaugeIdle]);
  painter.fillRect(QRectF(whole.left(), whole.top(), whole.width() * used, whole.height()),
                   palette[Token::TextMuted]);
  // What the job could take behind it; core hours are not known of it.
  if (!figures_.jobHours || figures_.account->areCoreHours) return;
  const double job = std::min(*figures_.jobHours / limit, 1.0 - used);
  painter.fillRect(
      QRectF(whole.left() + whole.width() * used, whole.top(), whole.width() * job, whole.height()),
      palette[Token::Accent]);
}

}  // namespace tutti::launcher
