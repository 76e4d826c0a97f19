// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/save_label_dialog.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "composer/model/command_line.h"
#include "resources/theme/format.h"
#include "resources/theme/widgets.h"

namespace tutti::app {

SaveLabelDialog::SaveLabelDialog(theme::RunStatus& run, const QString& federation, QWidget* parent)
    : QDialog(parent),
      run_(run),
      federation_(federation),
      label_(new QLineEdit(QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")),
                           this)),
      note_(theme::makeLabel({}, "secondary", this)),
      command_(theme::makeLabel({}, "muted", this)),
      save_(new QPushButton(this)) {
  setObjectName(QStringLiteral("saveLabelDialog"));
  setWindowTitle(tr("Save %1 as").arg(federation));
  label_->setObjectName(QStringLiteral("saveLabel"));
  note_->setObjectName(QStringLiteral("saveLabelNote"));
  note_->setWordWrap(true);
  command_->setObjectName(QStringLiteral("saveLabelCommand"));
  command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  command_->setWordWrap(true);
  save_->setObjectName(QStringLiteral("saveLabelAccept"));
  save_->setProperty("role", QByteArray("primary"));
  save_->setDefault(true);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  cancel->setAutoDefault(false);
  auto* caption = theme::makeLabel(tr("&Label"), "label", this);
  caption->setBuddy(label_);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 16);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->addWidget(caption);
  row->addWidget(label_, 1);
  column->addLayout(row);
  column->addWidget(note_);
  column->addWidget(command_);
  column->addStretch();
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(save_);
  buttons->addWidget(cancel);
  column->addLayout(buttons);
  resize(460, 190);

  connect(label_, &QLineEdit::textChanged, this, &SaveLabelDialog::check);
  connect(save_, &QPushButton::clicked, this, &SaveLabelDialog::save);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(&run_, &theme::RunStatus::savesChanged, this, &SaveLabelDialog::check);
  connect(&run_, &theme::RunStatus::phaseChanged, this, &SaveLabelDialog::check);
  run_.lookForSaves();
  check();
  label_->selectAll();
  label_->setFocus(Qt::OtherFocusReason);
}

void SaveLabelDialog::check() {
  const QString label = label_->text();
  const QString fault = run_.faultOfLabel(label);
  const auto saves = run_.saves();
  const auto same = std::find_if(saves.begin(), saves.end(),
                                 [&](const auto& each) { return each.label == label; });
  const bool exists = same != saves.end();
  save_->setText(exists ? tr("Replace") : tr("Save"));
  save_->setEnabled(fault.isEmpty() && run_.canSave());
  const QString note =
      !fault.isEmpty()  ? fault
      : !run_.canSave() ? tr("The federation cannot be saved now.")
      : exists          ? tr("This replaces the save of %1.")
                     .arg(theme::formatWhen(same->savedAt, QDateTime::currentDateTime()))
               : tr("All federates are asked to save; logical time stands meanwhile.");
  note_->setText(note);
  theme::setStyleProperty(note_, "role",
                          fault.isEmpty() ? QByteArray("secondary") : QByteArray("error"));
  command_->setText(fault.isEmpty()
                        ? QStringLiteral("$ tutti save %1 --as %2")
                              .arg(composer::shellQuoted(federation_), composer::shellQuoted(label))
                        : QString());
}

void SaveLabelDialog::save() {
  if (!run_.canSave() || !run_.faultOfLabel(label_->text()).isEmpty()) return;
  run_.save(label_->text());
  accept();
}

}  // namespace tutti::app
