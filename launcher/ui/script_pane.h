// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <tl/expected.hpp>

#include "launcher/engine/launch_plan.h"

class QAction;
class QLabel;
class QPlainTextEdit;

namespace tutti::launcher {

/// The script for sbatch that runs a composition without a console, to read, copy and save.
class ScriptPane : public QWidget {
  Q_OBJECT

 public:
  explicit ScriptPane(QWidget* parent = nullptr);

  /// `tutti`: the program that the script starts. Without it or a plan, or when federates are not
  /// on the nodes of one partition, it says why there is no script.
  void setPlan(const std::optional<LaunchPlan>& plan, const QString& hostsFile,
               const std::optional<QString>& tutti);
  /// Empty: there is none.
  const QString& script() const { return script_; }
  /// Why there is none, one sentence or two; empty: there is one.
  const QString& why() const { return why_; }
  QAction* copyAction() const { return copy_; }
  QAction* saveAction() const { return save_; }
  /// The error is a sentence for a person.
  tl::expected<void, QString> save(const QString& file) const;

 Q_SIGNALS:
  void failed(const QString& title, const QString& detail);
  void done(const QString& text);

 private:
  void askWhereToSave();

  QString script_;
  QString why_;
  QString name_;
  QPlainTextEdit* text_;
  QLabel* empty_;
  QAction* copy_;
  QAction* save_;
};

}  // namespace tutti::launcher
