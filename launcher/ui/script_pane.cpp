// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/script_pane.h"

#include <QAction>
#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include "launcher/engine/slurm_script.h"
#include "resources/theme/exporter.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

ScriptPane::ScriptPane(QWidget* parent)
    : QWidget(parent),
      text_(new QPlainTextEdit(this)),
      empty_(theme::makeLabel({}, "caption", this)),
      copy_(new QAction(theme::icon(QStringLiteral("copy")), tr("Copy the script"), this)),
      save_(new QAction(theme::icon(QStringLiteral("document")), tr("Save the script…"), this)) {
  setObjectName(QStringLiteral("scriptPage"));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  text_->setObjectName(QStringLiteral("scriptText"));
  text_->setAccessibleName(tr("Script for sbatch"));
  text_->setReadOnly(true);
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  text_->setFont(theme::textFont(theme::TextStyle::Mono));
  text_->setFrameShape(QFrame::NoFrame);
  empty_->setObjectName(QStringLiteral("scriptEmpty"));
  empty_->setContentsMargins(12, 10, 12, 10);
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  copy_->setObjectName(QStringLiteral("copyScript"));
  save_->setObjectName(QStringLiteral("saveScript"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(text_, 1);
  column->addWidget(empty_, 1);
  connect(copy_, &QAction::triggered, this, [this] {
    QGuiApplication::clipboard()->setText(script_);
    Q_EMIT done(tr("Copied the script"));
  });
  connect(save_, &QAction::triggered, this, &ScriptPane::askWhereToSave);
  setPlan({}, {}, {});
}

void ScriptPane::setPlan(const std::optional<LaunchPlan>& plan, const QString& hostsFile,
                         const std::optional<QString>& tutti) {
  script_.clear();
  why_.clear();
  name_ = plan ? plan->federation : QString();
  if (!plan) {
    why_ = tr("There is no launch plan yet: the pre-flight says what stands in its way.");
  } else if (!tutti) {
    why_ =
        tr("The program tutti, which the script starts, is not there. Build it, or name its "
           "folder in TUTTI_BIN.");
  } else if (plan->composition.isEmpty()) {
    why_ = tr("The script names the composition's file. Save the composition first.");
  } else {
    QStringList command{*tutti, QStringLiteral("run"), plan->composition};
    if (!hostsFile.isEmpty()) command << QStringLiteral("--hosts") << hostsFile;
    if (const auto script = sbatchScript(*plan, command))
      script_ = QString::fromUtf8(*script);
    else
      why_ = script.error().what + u' ' + script.error().next;
  }
  // Its place in the text stays when nothing has changed.
  if (text_->toPlainText() != script_) text_->setPlainText(script_);
  empty_->setText(why_);
  text_->setVisible(why_.isEmpty());
  empty_->setVisible(!why_.isEmpty());
  copy_->setEnabled(why_.isEmpty());
  save_->setEnabled(why_.isEmpty());
}

tl::expected<void, QString> ScriptPane::save(const QString& file) const {
  return theme::exportText(script_, file);
}

void ScriptPane::askWhereToSave() {
  const QString file = theme::askForFile(this, name_ + QStringLiteral(".sbatch"),
                                         tr("Scripts for sbatch (*.sbatch *.sh)"));
  if (file.isEmpty()) return;
  if (const auto saved = save(file); !saved)
    Q_EMIT failed(tr("The script was not saved"), saved.error());
  else
    Q_EMIT done(
        tr("Saved %1. Submit it on the login host: sbatch %1").arg(QFileInfo(file).fileName()));
}

}  // namespace tutti::launcher
