// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/toast.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::app {

Toast::Toast(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("toast"));
  setProperty("role", QByteArray("card"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 6, 8, 6);
  row->setSpacing(8);
  auto* mark = new QLabel(this);
  mark->setPixmap(theme::icon(QStringLiteral("state-ok")).pixmap(14, 14));
  text_ = theme::makeLabel(QString(), "table", this);
  link_ = new QPushButton(this);
  link_->setProperty("role", QByteArray("link"));
  link_->setProperty("dense", true);
  row->addWidget(mark);
  row->addWidget(text_);
  row->addWidget(link_);
  timer_.setSingleShot(true);
  timer_.setInterval(5000);
  connect(&timer_, &QTimer::timeout, this, &QWidget::hide);
  connect(link_, &QPushButton::clicked, this, [this] {
    hide();
    if (onLink_) onLink_();
  });
  hide();
}

void Toast::show(const QString& text, const QString& link, std::function<void()> onLink) {
  text_->setText(text);
  link_->setText(link);
  link_->setVisible(!link.isEmpty());
  onLink_ = std::move(onLink);
  setAccessibleName(text);
  QFrame::show();
  place();
  timer_.start();
}

void Toast::place() {
  adjustSize();
  move(parentWidget()->width() - width() - 16,
       parentWidget()->height() - height() - 16 - theme::height::kStatus);
  raise();
}

}  // namespace tutti::app
