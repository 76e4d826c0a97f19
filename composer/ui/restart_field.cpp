// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/restart_field.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include "resources/theme/widgets.h"

namespace tutti::composer {

namespace {

// As composition.cpp reads them.
constexpr int mostRestarts = 1000;
constexpr double longestBackoff = 60;

}  // namespace

RestartField::RestartField(QWidget* parent)
    : QWidget(parent),
      when_(new QComboBox(this)),
      limit_(new QSpinBox(this)),
      backoff_(new QDoubleSpinBox(this)) {
  when_->setObjectName(QStringLiteral("field-restart"));
  when_->setAccessibleName(tr("Restart"));
  when_->addItem(tr("Never"), Restart{}.word());
  when_->addItem(tr("When it fails"), Restart{Restart::When::OnFailure}.word());
  when_->addItem(tr("Whenever it ends"), Restart{Restart::When::Always}.word());
  limit_->setObjectName(QStringLiteral("field-restart-limit"));
  limit_->setAccessibleName(tr("Restarts in a row"));
  limit_->setRange(1, mostRestarts);
  limit_->setPrefix(tr("at most "));
  limit_->setSuffix(tr(" in a row"));
  limit_->setKeyboardTracking(false);
  limit_->setToolTip(tr("After so many restarts in a row it is given up"));
  backoff_->setObjectName(QStringLiteral("field-restart-backoff"));
  backoff_->setAccessibleName(tr("Seconds before the first restart"));
  backoff_->setRange(0, longestBackoff);
  backoff_->setDecimals(1);
  backoff_->setPrefix(tr("first after "));
  backoff_->setSuffix(tr(" s"));
  backoff_->setKeyboardTracking(false);
  backoff_->setToolTip(tr("Each further restart in a row waits twice as long, up to 60 s"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  for (QWidget* field : {static_cast<QWidget*>(when_), static_cast<QWidget*>(limit_),
                         static_cast<QWidget*>(backoff_)}) {
    field->setMinimumHeight(theme::height::kControl);
    field->installEventFilter(this);
    column->addWidget(field);
  }
  connect(when_, &QComboBox::activated, this, [this] {
    restart_.when = Restart::whenOf(when_->currentData().toString()).value_or(restart_.when);
    changed();
  });
  connect(limit_, &QSpinBox::valueChanged, this, [this](int limit) {
    restart_.limit = limit;
    changed();
  });
  connect(backoff_, &QDoubleSpinBox::valueChanged, this, [this](double seconds) {
    restart_.backoff = seconds;
    changed();
  });
  showUsed();
}

void RestartField::setRestart(const Restart& restart) {
  restart_ = restart;
  const QSignalBlocker quietLimit(limit_);
  const QSignalBlocker quietBackoff(backoff_);
  when_->setCurrentIndex(when_->findData(restart.word()));
  limit_->setValue(restart.limit);
  backoff_->setValue(restart.backoff);
  showUsed();
}

bool RestartField::eventFilter(QObject* watched, QEvent* event) {
  // The wheel scrolls the panel, unless a field is being edited.
  const auto* field = qobject_cast<QWidget*>(watched);
  if (event->type() == QEvent::Wheel && (field == when_ || !field->hasFocus())) {
    event->ignore();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

void RestartField::changed() {
  showUsed();
  Q_EMIT edited(restart_);
}

void RestartField::showUsed() {
  const bool isUsed = restart_.when != Restart::When::Never;
  limit_->setVisible(isUsed);
  backoff_->setVisible(isUsed);
}

}  // namespace tutti::composer
