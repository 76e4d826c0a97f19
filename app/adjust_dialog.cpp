// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/adjust_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>

#include "app/attribute_state_box.h"
#include "app/in_pool.h"
#include "resources/theme/format.h"
#include "resources/theme/widgets.h"

namespace tutti::app {

using monitor::Adjustment;
using monitor::FederateAdjustments;
using monitor::FederationAdjustments;

namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr int kLongestPeriod = 86400;  // s
constexpr int kDiffers = -1;           // of the period, between federates

/// Seconds, "none", and "differs" where federates have several.
class PeriodBox final : public QSpinBox {
 public:
  using QSpinBox::QSpinBox;

 protected:
  QString textFromValue(int value) const override {
    if (value == kDiffers) return AdjustDialog::tr("differs");
    if (value == 0) return AdjustDialog::tr("none");
    return AdjustDialog::tr("%1 s").arg(value);
  }
  int valueFromText(const QString& text) const override {
    if (text == AdjustDialog::tr("differs")) return kDiffers;
    QString digits = text;
    digits.remove(u's');
    return digits.trimmed().toInt();
  }
  QValidator::State validate(QString& text, int&) const override {
    if (text == textFromValue(0) || text == textFromValue(kDiffers)) return QValidator::Acceptable;
    QString digits = text;
    digits.remove(u's');
    digits = digits.trimmed();
    bool isNumber = false;
    const int value = digits.toInt(&isNumber);
    if (digits.isEmpty()) return QValidator::Intermediate;
    return isNumber && value >= 0 && value <= maximum() ? QValidator::Acceptable
                                                        : QValidator::Invalid;
  }
};

}  // namespace

AdjustDialog::AdjustDialog(const QString& node, const QString& federation, const QString& federate,
                           QWidget* parent)
    : QDialog(parent), node_(node), federation_(federation), first_(federate) {
  setObjectName(QStringLiteral("adjustDialog"));
  setWindowTitle(tr("Adjust switches"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 16, 24, 16);
  column->setSpacing(8);
  auto* title = theme::makeLabel(tr("Switches and reports of %1").arg(federation), "title", this);
  title->setTextFormat(Qt::PlainText);
  column->addWidget(title);
  autoProvide_ =
      addSwitch(QStringLiteral("adjustAutoProvide"), tr("&Auto provide"),
                tr("Owners are asked for values when an instance is discovered (HLAautoProvide)"));
  column->addWidget(autoProvide_);
  column->addSpacing(8);

  federates_ = new QComboBox(this);
  federates_->setObjectName(QStringLiteral("adjustFederates"));
  federates_->setMaxVisibleItems(20);
  federates_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  federates_->setMinimumContentsLength(24);
  auto* form = new QFormLayout;
  form->setContentsMargins(0, 0, 0, 0);
  form->addRow(tr("&Federates"), federates_);
  column->addLayout(form);
  const auto add = [&](const QString& name, const QString& text, const QString& tip,
                       bool FederateAdjustments::*holds, std::optional<bool> Adjustment::*wanted) {
    switches_ << Switch{addSwitch(name, text, tip), text, holds, wanted};
    column->addWidget(switches_.back().box);
  };
  add(QStringLiteral("adjustServices"), tr("Report &service calls"),
      tr("Each call is told by HLAreportServiceInvocation (HLAsetServiceReporting)"),
      &FederateAdjustments::serviceReporting, &Adjustment::serviceReporting);
  add(QStringLiteral("adjustExceptions"), tr("Report &exceptions"),
      tr("Each exception is told by HLAreportException (HLAsetExceptionReporting)"),
      &FederateAdjustments::exceptionReporting, &Adjustment::exceptionReporting);
  add(QStringLiteral("adjustRegions"), tr("Convey &region designator sets"),
      tr("Callbacks tell the sent regions (HLAconveyRegionDesignatorSets)"),
      &FederateAdjustments::conveyRegionDesignatorSets, &Adjustment::conveyRegionDesignatorSets);
  add(QStringLiteral("adjustProducer"), tr("Convey &producing federate"),
      tr("Callbacks tell who sent it (HLAconveyProducingFederate)"),
      &FederateAdjustments::conveyProducingFederate, &Adjustment::conveyProducingFederate);
  period_ = new PeriodBox(this);
  period_->setObjectName(QStringLiteral("adjustPeriod"));
  period_->setRange(0, kLongestPeriod);
  period_->setToolTip(
      tr("How often the periodic attributes of HLAfederate are updated (HLAsetTiming)"));
  auto* periodForm = new QFormLayout;
  periodForm->setContentsMargins(0, 0, 0, 0);
  periodForm->addRow(tr("Report peri&od"), period_);
  column->addLayout(periodForm);
  column->addSpacing(8);
  attribute_ = new AttributeStateBox(node, federation, this);
  auto* attributeLabel = new QLabel(tr("Object &instance attribute of this federate"), this);
  attributeLabel->setBuddy(attribute_);
  column->addWidget(attributeLabel);
  column->addWidget(attribute_);

  state_ = theme::makeLabel({}, "secondary", this);
  state_->setObjectName(QStringLiteral("adjustState"));
  state_->setTextFormat(Qt::PlainText);
  state_->setWordWrap(true);
  state_->setMinimumWidth(400);
  state_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(state_, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  apply_ = buttons->addButton(tr("Set"), QDialogButtonBox::ApplyRole);
  apply_->setObjectName(QStringLiteral("adjustApply"));
  apply_->setDefault(true);
  column->addWidget(buttons);

  connect(apply_, &QPushButton::clicked, this, &AdjustDialog::apply);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(federates_, &QComboBox::currentIndexChanged, this, &AdjustDialog::showValues);
  connect(period_, &QSpinBox::valueChanged, this, &AdjustDialog::showState);
  connect(attribute_, &AttributeStateBox::busyChanged, this, &AdjustDialog::showState);
  connect(attribute_, &AttributeStateBox::told, this, [this](const QString& what, bool isDone) {
    problem_ = what;
    showState();
    if (isDone) Q_EMIT wasSet(what);
  });
  read();
}

AdjustDialog::~AdjustDialog() { stop_.request_stop(); }

bool AdjustDialog::isBusy() const { return busy_ || attribute_->isBusy(); }

QCheckBox* AdjustDialog::addSwitch(const QString& name, const QString& text, const QString& tip) {
  auto* box = new QCheckBox(text, this);
  box->setObjectName(name);
  box->setToolTip(tip);
  connect(box, &QCheckBox::stateChanged, this, &AdjustDialog::showState);
  return box;
}

void AdjustDialog::read() {
  setBusy(true);
  inPool(
      this,
      [node = node_, federation = federation_] { return monitor::adjustmentsOf(node, federation); },
      [this](const tl::expected<FederationAdjustments, QString>& result) { take(result, false); });
}

void AdjustDialog::apply() {
  const Adjustment wanted = changes();
  if (isBusy() || wanted.isEmpty()) return;
  setBusy(true);
  QStringList names;
  if (federates_->currentIndex() > 0) names << federates_->currentText();
  inPool(
      this,
      [node = node_, federation = federation_, names, wanted, stop = stop_.get_token()] {
        return monitor::operateAdjust(node, federation, names, wanted, kPatience, stop);
      },
      [this](const tl::expected<FederationAdjustments, QString>& result) { take(result, true); });
}

void AdjustDialog::take(const tl::expected<FederationAdjustments, QString>& result, bool set) {
  problem_ = result ? result->whyNotAll() : result.error();
  if (result) {
    const QString chosen =
        first_.isEmpty() && federates_->currentIndex() > 0 ? federates_->currentText() : first_;
    first_.clear();
    now_ = *result;
    const QSignalBlocker quiet(federates_);
    federates_->clear();
    federates_->addItem(tr("All %1").arg(theme::formatNoun(static_cast<int>(now_->federates.size()),
                                                           tr("federate"), tr("federates"))));
    for (const FederateAdjustments& one : now_->federates) federates_->addItem(one.name);
    const int index = chosen.isEmpty() ? 0 : federates_->findText(chosen, Qt::MatchExactly);
    federates_->setCurrentIndex(std::max(0, index));
  }
  setBusy(false);
  showValues();
  if (!set) federates_->setFocus(Qt::OtherFocusReason);
  if (set && result && problem_.isEmpty())
    Q_EMIT wasSet(tr("The switches of %1 are set.").arg(federation_));
}

std::vector<const FederateAdjustments*> AdjustDialog::meant() const {
  std::vector<const FederateAdjustments*> result;
  if (!now_) return result;
  const int index = federates_->currentIndex();
  for (const FederateAdjustments& one : now_->federates) {
    if (index <= 0 || one.name == federates_->currentText()) result.push_back(&one);
  }
  return result;
}

void AdjustDialog::showValues() {
  if (!now_) return showState();
  {
    const QSignalBlocker quiet(autoProvide_);
    autoProvide_->setChecked(now_->autoProvide);
  }
  const auto federates = meant();
  for (const Switch& one : switches_) {
    const QSignalBlocker quiet(one.box);
    const auto on = std::count_if(federates.begin(), federates.end(),
                                  [&](const auto* federate) { return federate->*one.holds; });
    const bool differs = on != 0 && on != std::ssize(federates);
    // Where they differ the third state leaves it so.
    one.box->setText(differs ? tr("%1 (%2 of %3 do)").arg(one.text).arg(on).arg(federates.size())
                             : one.text);
    one.box->setTristate(false);
    one.box->setCheckState(differs ? Qt::PartiallyChecked : on != 0 ? Qt::Checked : Qt::Unchecked);
  }
  const bool differs = std::any_of(federates.begin(), federates.end(), [&](const auto* federate) {
    return federate->reportPeriod != federates.front()->reportPeriod;
  });
  {
    const QSignalBlocker quiet(period_);
    period_->setMinimum(differs ? kDiffers : 0);
    period_->setValue(differs || federates.empty() ? period_->minimum()
                                                   : federates.front()->reportPeriod);
  }
  showState();
}

Adjustment AdjustDialog::changes() const {
  Adjustment wanted;
  if (!now_) return wanted;
  if (autoProvide_->isChecked() != now_->autoProvide)
    wanted.autoProvide = autoProvide_->isChecked();
  const auto federates = meant();
  for (const Switch& one : switches_) {
    if (one.box->checkState() == Qt::PartiallyChecked) continue;
    const bool on = one.box->isChecked();
    if (std::any_of(federates.begin(), federates.end(),
                    [&](const auto* federate) { return federate->*one.holds != on; }))
      wanted.*one.wanted = on;
  }
  const int period = period_->value();
  if (period != kDiffers &&
      std::any_of(federates.begin(), federates.end(),
                  [&](const auto* federate) { return federate->reportPeriod != period; }))
    wanted.reportPeriod = period;
  return wanted;
}

void AdjustDialog::showState() {
  const bool known = now_ && !isBusy();
  autoProvide_->setEnabled(known);
  federates_->setEnabled(known);
  const bool some = known && !now_->federates.empty();
  for (const Switch& one : std::as_const(switches_)) one.box->setEnabled(some);
  period_->setEnabled(some);
  attribute_->setFederate(
      now_ && !busy_ && federates_->currentIndex() > 0 ? federates_->currentText() : QString());
  apply_->setEnabled(known && !changes().isEmpty());
  state_->setText(isBusy() ? (now_ ? tr("Waiting for the federates…") : tr("Asking the RTI…"))
                           : problem_);
  // A dialog does not follow a text that needs more lines by itself.
  if (const int needed = layout()->totalHeightForWidth(width()); needed > height())
    resize(width(), needed);
}

void AdjustDialog::setBusy(bool busy) {
  busy_ = busy;
  showState();
}

}  // namespace tutti::app
