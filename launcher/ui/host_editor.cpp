// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/host_editor.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QVBoxLayout>

#include "resources/theme/widgets.h"

namespace tutti::launcher {

namespace {

QVBoxLayout* formColumn(QFrame* frame) {
  frame->setBackgroundRole(QPalette::AlternateBase);
  frame->setAutoFillBackground(true);
  auto* column = new QVBoxLayout(frame);
  column->setContentsMargins(12, 10, 12, 10);
  column->setSpacing(8);
  return column;
}

}  // namespace

HostEditor::HostEditor(QWidget* parent)
    : QFrame(parent),
      title_(theme::makeLabel({}, "dock", this)),
      name_(new QLineEdit(this)),
      destination_(new QLineEdit(this)),
      identity_(new QLineEdit(this)),
      port_(new QSpinBox(this)),
      cores_(new QSpinBox(this)),
      memory_(new QDoubleSpinBox(this)),
      labels_(new QLineEdit(this)),
      spare_(new QCheckBox(tr("for a host that is lost"), this)),
      problem_(theme::makeLabel({}, "error", this)),
      accept_(new QPushButton(this)) {
  setObjectName(QStringLiteral("hostEditor"));
  name_->setObjectName(QStringLiteral("hostEditorName"));
  destination_->setObjectName(QStringLiteral("hostEditorDestination"));
  identity_->setObjectName(QStringLiteral("hostEditorKey"));
  port_->setObjectName(QStringLiteral("hostEditorPort"));
  cores_->setObjectName(QStringLiteral("hostEditorCores"));
  memory_->setObjectName(QStringLiteral("hostEditorMemory"));
  labels_->setObjectName(QStringLiteral("hostEditorLabels"));
  spare_->setObjectName(QStringLiteral("hostEditorSpare"));
  spare_->setToolTip(theme::wrappedTip(
      tr("Kept free: required federates of a host that is lost are started again here, unless "
         "their restart policy is \"never\".")));
  accept_->setObjectName(QStringLiteral("hostEditorAccept"));
  problem_->setObjectName(QStringLiteral("hostEditorProblem"));
  destination_->setPlaceholderText(tr("user@host, or an alias"));
  identity_->setPlaceholderText(tr("ssh's own choice"));
  labels_->setPlaceholderText(tr("gpu, net"));
  destination_->setToolTip(theme::wrappedTip(
      tr("Where ssh connects to: user@host, or a name of ~/.ssh/config. Empty: the name above.")));
  identity_->setToolTip(
      theme::wrappedTip(tr("The file of the private key (IdentityFile of ssh). Its public key must "
                           "be in the host's ~/.ssh/authorized_keys.")));
  const QString limits = theme::wrappedTip(
      tr("How much federates may be placed here for: less or more than the host itself says."));
  cores_->setToolTip(limits);
  memory_->setToolTip(limits);
  labels_->setToolTip(theme::wrappedTip(
      tr("What this host has beside cores and memory. A federate whose component needs a label is "
         "placed only where it is.")));
  port_->setRange(0, 65535);
  port_->setSpecialValueText(tr("ssh's own choice"));
  cores_->setRange(0, 1'000'000);
  cores_->setSpecialValueText(tr("as the host says"));
  memory_->setRange(0, 1'000'000);
  memory_->setDecimals(1);
  memory_->setSuffix(QStringLiteral(" GB"));
  memory_->setSpecialValueText(tr("as the host says"));
  problem_->setWordWrap(true);
  problem_->hide();

  auto* column = formColumn(this);
  column->addWidget(title_);
  auto* form = new QFormLayout;
  form->setContentsMargins(0, 0, 0, 0);
  form->setSpacing(6);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  const auto row = [&](const QString& text, QWidget* field) {
    auto* label = theme::makeLabel(text, "label", this);
    label->setBuddy(field);
    field->setProperty("dense", true);
    form->addRow(label, field);
  };
  row(tr("Name"), name_);
  row(tr("SSH"), destination_);
  row(tr("Key file"), identity_);
  row(tr("Port"), port_);
  row(tr("Cores"), cores_);
  row(tr("Memory"), memory_);
  row(tr("Labels"), labels_);
  row(tr("Spare"), spare_);
  column->addLayout(form);
  column->addWidget(problem_);
  auto* buttons = new QHBoxLayout;
  accept_->setProperty("role", QByteArray("primary"));
  accept_->setProperty("dense", true);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  cancel->setProperty("dense", true);
  buttons->addWidget(accept_);
  buttons->addWidget(cancel);
  buttons->addStretch();
  column->addLayout(buttons);
  connect(accept_, &QPushButton::clicked, this, &HostEditor::accepted);
  connect(cancel, &QPushButton::clicked, this, &HostEditor::cancelled);
}

void HostEditor::edit(const Host& host) {
  before_ = host;
  const bool isNew = host.name.isEmpty();
  title_->setText(isNew ? tr("New host") : tr("Host %1").arg(host.name));
  accept_->setText(isNew ? tr("Add host") : tr("Change host"));
  name_->setText(host.name);
  destination_->setText(host.destination);
  destination_->setEnabled(isNew || !host.isThisMachine());
  identity_->setText(host.identityFile);
  port_->setValue(host.port);
  cores_->setValue(host.cores);
  memory_->setValue(host.memoryMb / 1000);
  labels_->setText(host.labels.join(QStringLiteral(", ")));
  spare_->setChecked(host.spare);
  // The run ends with this machine.
  spare_->setEnabled(isNew || !host.isThisMachine());
  problem_->hide();
  show();
  name_->setFocus(Qt::OtherFocusReason);
}

Host HostEditor::host() const {
  static const QRegularExpression separators(QStringLiteral("[,\\s]+"));
  Host result = before_;
  result.name = name_->text().trimmed();
  result.destination = destination_->text().trimmed();
  // A new host is another machine; its name is enough for ssh.
  if (before_.name.isEmpty() && result.destination.isEmpty()) result.destination = result.name;
  result.identityFile = identity_->text().trimmed();
  result.port = port_->value();
  result.cores = cores_->value();
  result.memoryMb = memory_->value() * 1000;
  result.labels = labels_->text().split(separators, Qt::SkipEmptyParts);
  result.spare = spare_->isChecked() && !result.isThisMachine();
  return result;
}

void HostEditor::setProblem(const QString& problem) {
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
}

void HostEditor::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    Q_EMIT cancelled();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    Q_EMIT accepted();
  } else {
    QFrame::keyPressEvent(event);
  }
}

// OneQuestion

OneQuestion::OneQuestion(QWidget* parent)
    : QFrame(parent),
      title_(theme::makeLabel({}, "dock", this)),
      explanation_(theme::makeLabel({}, "caption", this)),
      text_(new QLineEdit(this)),
      number_(new QSpinBox(this)),
      offer_(new QCheckBox(this)),
      accept_(new QPushButton(this)) {
  setObjectName(QStringLiteral("hostQuestion"));
  text_->setObjectName(QStringLiteral("hostQuestionText"));
  number_->setObjectName(QStringLiteral("hostQuestionNumber"));
  offer_->setObjectName(QStringLiteral("hostQuestionOffer"));
  accept_->setObjectName(QStringLiteral("hostQuestionAccept"));
  explanation_->setWordWrap(true);
  number_->setMinimum(1);
  auto* column = formColumn(this);
  column->addWidget(title_);
  column->addWidget(explanation_);
  column->addWidget(text_);
  column->addWidget(number_);
  column->addWidget(offer_);
  auto* buttons = new QHBoxLayout;
  accept_->setProperty("role", QByteArray("primary"));
  accept_->setProperty("dense", true);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  cancel->setProperty("dense", true);
  buttons->addWidget(accept_);
  buttons->addWidget(cancel);
  buttons->addStretch();
  column->addLayout(buttons);
  connect(accept_, &QPushButton::clicked, this, &OneQuestion::accepted);
  connect(cancel, &QPushButton::clicked, this, &OneQuestion::cancelled);
}

void OneQuestion::show(const QString& title, const QString& explanation, const QString& button) {
  title_->setText(title);
  explanation_->setText(explanation);
  accept_->setText(button);
  offer_->hide();
  QFrame::show();
}

void OneQuestion::askText(const QString& title, const QString& explanation,
                          const QString& placeholder, const QString& button) {
  text_->clear();
  text_->setPlaceholderText(placeholder);
  text_->show();
  number_->hide();
  text_->setAccessibleName(title);
  show(title, explanation, button);
  text_->setFocus(Qt::OtherFocusReason);
}

void OneQuestion::askNumber(const QString& title, const QString& explanation, int value, int most,
                            const QString& button) {
  number_->setMaximum(most);
  number_->setValue(value);
  number_->show();
  text_->hide();
  number_->setAccessibleName(title);
  show(title, explanation, button);
  number_->setFocus(Qt::OtherFocusReason);
}

void OneQuestion::offer(const QString& what, bool taken) {
  offer_->setText(what);
  offer_->setChecked(taken);
  offer_->show();
}

bool OneQuestion::isOfferTaken() const { return !offer_->isHidden() && offer_->isChecked(); }

QString OneQuestion::text() const { return text_->text().trimmed(); }

int OneQuestion::number() const { return number_->value(); }

void OneQuestion::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    Q_EMIT cancelled();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    Q_EMIT accepted();
  } else {
    QFrame::keyPressEvent(event);
  }
}

}  // namespace tutti::launcher
