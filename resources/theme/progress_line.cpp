// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/progress_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "resources/theme/format.h"
#include "resources/theme/widgets.h"

namespace tutti::theme {

ProgressLine::ProgressLine(const QString& name, QWidget* parent)
    : QWidget(parent), text_(makeLabel({}, "caption", this)) {
  text_->setObjectName(name);
  text_->setWordWrap(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 6, 12, 6);
  column->setSpacing(4);
  auto* line = new QHBoxLayout;
  line->addWidget(text_, 1);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  cancel->setObjectName(name + QStringLiteral("Cancel"));
  cancel->setProperty("dense", true);
  line->addWidget(cancel);
  column->addLayout(line);
  auto* bar = new QProgressBar(this);
  bar->setRange(0, 0);
  bar->setTextVisible(false);
  bar->setFixedHeight(4);
  column->addWidget(bar);
  hide();
  timer_.setInterval(500);
  connect(&timer_, &QTimer::timeout, this, &ProgressLine::show);
  connect(cancel, &QPushButton::clicked, this, &ProgressLine::cancelRequested);
}

void ProgressLine::setProgress(const QString& what) {
  if (what == what_) return;
  if (what_.isEmpty()) {
    since_.start();
    timer_.start();
  }
  what_ = what;
  if (!what.isEmpty()) return;
  timer_.stop();
  hide();
}

void ProgressLine::show() {
  const qint64 seconds = since_.elapsed() / 1000;
  const QString passed =
      seconds < 60 ? tr("%1 s").arg(seconds) : formatElapsed(static_cast<double>(seconds));
  text_->setText(seconds == 0 ? what_ : tr("%1, %2").arg(what_, passed));
  QWidget::show();
}

}  // namespace tutti::theme
