// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/replace_line.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "resources/theme/widgets.h"

namespace tutti::launcher {

ReplaceLine::ReplaceLine(QWidget* parent)
    : QWidget(parent),
      button_(new QPushButton(this)),
      note_(theme::makeLabel({}, "caption", this)) {
  button_->setObjectName(QStringLiteral("replaceJob"));
  note_->setObjectName(QStringLiteral("replaceNote"));
  note_->setWordWrap(true);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  column->addWidget(button_);
  column->addWidget(note_);
  connect(button_, &QPushButton::clicked, this, &ReplaceLine::replaceRequested);
  setJob({});
}

void ReplaceLine::setJob(const std::optional<SubmittedJob>& job) {
  setVisible(job.has_value());
  if (!job) return;
  const QueuePlace& place = job->place;
  button_->setText(tr("Replace job %1").arg(place.job));
  button_->setEnabled(!job->changes.isEmpty());
  if (job->changes.isEmpty()) {
    note_->setText(tr("Nothing changed since job %1 was submitted. A replaced job loses its place "
                      "in the queue.")
                       .arg(place.job));
    return;
  }
  const QString lost = place.place > 0
                           ? tr("its place in the queue, %1, is lost").arg(ordinal(place.place))
                           : tr("its place in the queue is lost");
  note_->setText(tr("Changed since: %1. The new job is submitted first, then %2 is cancelled; %3.")
                     .arg(job->changes.join(QStringLiteral("; ")))
                     .arg(place.job)
                     .arg(lost));
}

}  // namespace tutti::launcher
