// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/attribute_state_box.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <chrono>

#include "app/in_pool.h"

namespace tutti::app {

using monitor::InstanceAttribute;
using monitor::ModifiedAttribute;

namespace {

constexpr std::chrono::seconds kPatience{10};

}  // namespace

AttributeStateBox::AttributeStateBox(const QString& node, const QString& federation,
                                     QWidget* parent)
    : QWidget(parent), node_(node), federation_(federation) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  which_ = new QLineEdit(this);
  which_->setObjectName(QStringLiteral("adjustAttribute"));
  which_->setPlaceholderText(tr("INSTANCE.ATTRIBUTE"));
  which_->setAccessibleName(tr("Instance attribute"));
  state_ = new QComboBox(this);
  state_->setObjectName(QStringLiteral("adjustAttributeState"));
  state_->setAccessibleName(tr("State of the attribute"));
  state_->addItems({tr("Owned"), tr("Unowned")});
  modify_ = new QPushButton(tr("&Modify"), this);
  modify_->setObjectName(QStringLiteral("adjustModify"));
  modify_->setAutoDefault(false);
  row->addWidget(which_, 1);
  row->addWidget(state_);
  row->addWidget(modify_);
  setFocusProxy(which_);
  connect(which_, &QLineEdit::textChanged, this, &AttributeStateBox::showState);
  connect(modify_, &QPushButton::clicked, this, &AttributeStateBox::modify);
  showState();
}

AttributeStateBox::~AttributeStateBox() { stop_.request_stop(); }

void AttributeStateBox::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    modify();
  else
    QWidget::keyPressEvent(event);
}

void AttributeStateBox::setFederate(const QString& federate) {
  federate_ = federate;
  showState();
}

void AttributeStateBox::modify() {
  const auto which = InstanceAttribute::parsed(which_->text().trimmed());
  if (!which || busy_) return;
  busy_ = true;
  showState();
  Q_EMIT busyChanged();
  inPool(
      this,
      [node = node_, federation = federation_, federate = federate_, which = *which,
       owned = state_->currentIndex() == 0, stop = stop_.get_token()] {
        return monitor::modifyAttributeState(node, federation, federate, which, owned, kPatience,
                                             stop);
      },
      [this, federate = federate_,
       which = *which](const tl::expected<ModifiedAttribute, QString>& result) {
        take(federate, result, which);
      });
}

void AttributeStateBox::take(const QString& federate,
                             const tl::expected<ModifiedAttribute, QString>& result,
                             const InstanceAttribute& which) {
  busy_ = false;
  showState();
  Q_EMIT busyChanged();
  if (!result) {
    Q_EMIT told(result.error(), false);
  } else if (result->isDone) {
    Q_EMIT told(tr("%1 is owned by %2, before by %3.")
                    .arg(which.text(), result->now.text(), result->before.text()),
                true);
  } else {
    Q_EMIT told(result->whyNot(federate), false);
  }
}

void AttributeStateBox::showState() {
  const bool isOne = !federate_.isEmpty();
  setEnabled(isOne && !busy_);
  modify_->setEnabled(isOne && !busy_ &&
                      InstanceAttribute::parsed(which_->text().trimmed()).has_value());
  which_->setToolTip(
      isOne ? tr("Name of an object instance, a dot, name of an attribute: HLA2-1.altitude. No "
                 "callback tells a federate of the change (HLAmodifyAttributeState).")
            : tr("Choose one federate: it is the one that owns the attribute, or does not."));
}

}  // namespace tutti::app
