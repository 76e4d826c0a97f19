// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/status_line.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QTimer>
#include <QToolButton>

#include "app/heartbeat.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::app {

StatusLine::StatusLine(Heartbeat* heartbeat, QWidget* parent) : QStatusBar(parent) {
  setObjectName(QStringLiteral("statusLine"));
  setSizeGripEnabled(false);
  setFixedHeight(theme::height::kStatus);
  auto* content = new QWidget(this);
  auto* row = new QHBoxLayout(content);
  row->setContentsMargins(12, 0, 12, 0);
  row->setSpacing(8);
  prompt_ = theme::makeLabel(QStringLiteral("$"), "mono", content);
  line_ = theme::makeLabel(QString(), "mono", content);
  line_->setObjectName(QStringLiteral("commandLine"));
  line_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  line_->setAccessibleName(tr("Equivalent command line"));
  copy_ = new QToolButton(content);
  copy_->setObjectName(QStringLiteral("copyCommandLine"));
  copy_->setProperty("dense", true);
  copy_->setIcon(theme::icon(QStringLiteral("copy")));
  copy_->setIconSize(QSize(13, 13));
  copy_->setToolTip(tr("Copy the command line that does the same"));
  copy_->setAccessibleName(copy_->toolTip());
  copy_->setFocusPolicy(Qt::TabFocus);
  connect(copy_, &QToolButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(commandLine_);
    copy_->setIcon(theme::icon(QStringLiteral("state-ok")));
    QTimer::singleShot(1500, copy_,
                       [this] { copy_->setIcon(theme::icon(QStringLiteral("copy"))); });
  });
  row->addWidget(prompt_);
  row->addWidget(line_);
  row->addWidget(copy_);
  row->addStretch(1);
  notes_ = theme::makeLabel(QString(), "caption", content);
  notes_->setObjectName(QStringLiteral("statusNotes"));
  saved_ = theme::makeLabel(QString(), "caption", content);
  saved_->setObjectName(QStringLiteral("saveState"));
  gap_ = theme::makeLabel(QString(), "caption", content);
  gap_->setObjectName(QStringLiteral("eventLoopGap"));
  gap_->setMinimumWidth(QFontMetrics(theme::textFont(theme::TextStyle::Caption, QFont::Normal))
                            .horizontalAdvance(QStringLiteral("Window lag 8888 ms")));
  gap_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row->addWidget(notes_);
  row->addSpacing(8);
  row->addWidget(saved_);
  row->addSpacing(8);
  row->addWidget(gap_);
  addWidget(content, 1);
  connect(heartbeat, &Heartbeat::reported, this, [this, heartbeat](double worst) {
    gap_->setText(tr("Window lag %1 ms").arg(qRound(worst)));
    gap_->setToolTip(tr("Longest gap of the event loop in the last 0.5 s, by a 16 ms timer.\n"
                        "99 % of all gaps were under %1 ms, the longest was %2 ms; "
                        "%3 were above 16 ms, %4 above 50 ms, %5 above 100 ms.")
                         .arg(heartbeat->percentile(0.99), 0, 'f', 1)
                         .arg(heartbeat->largest(), 0, 'f', 1)
                         .arg(heartbeat->countOver(16))
                         .arg(heartbeat->countOver(50))
                         .arg(heartbeat->countOver(100)));
  });
  setCommandLine({});
}

void StatusLine::setCommandLine(const QString& line) {
  commandLine_ = line;
  const bool shown = !line.isEmpty();
  prompt_->setVisible(shown);
  line_->setVisible(shown);
  copy_->setVisible(shown);
  elide();
}

void StatusLine::elide() {
  const QFontMetrics metrics(theme::textFont(theme::TextStyle::Mono));
  // What the notes on the right leave.
  int taken = 40;  // edges and the gaps round the line
  for (const QWidget* other :
       {static_cast<QWidget*>(prompt_), static_cast<QWidget*>(copy_), static_cast<QWidget*>(notes_),
        static_cast<QWidget*>(saved_), static_cast<QWidget*>(gap_)}) {
    if (!other->isHidden())
      taken += std::max(other->sizeHint().width(), other->minimumWidth()) + 16;
  }
  line_->setText(metrics.elidedText(commandLine_, Qt::ElideMiddle, std::max(60, width() - taken)));
  line_->setToolTip(commandLine_);
}

void StatusLine::setNotes(const QStringList& notes) {
  notes_->setText(notes.join(QStringLiteral("     ")));
  notes_->setVisible(!notes.isEmpty());
  elide();
}

void StatusLine::setSaveState(const QString& text) {
  saved_->setText(text);
  saved_->setVisible(!text.isEmpty());
  elide();
}

void StatusLine::resizeEvent(QResizeEvent* event) {
  QStatusBar::resizeEvent(event);
  elide();
}

}  // namespace tutti::app
