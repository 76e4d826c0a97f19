// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "resources/theme/run_status.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace tutti::app {

/// Asks for the label of a save and makes the save. The time of now stands there first; a label
/// that no save may have, or that one has already, is said below the field.
class SaveLabelDialog : public QDialog {
  Q_OBJECT
 public:
  /// `run` outlives it; the dialog goes when the run cannot be saved any more.
  SaveLabelDialog(theme::RunStatus& run, const QString& federation, QWidget* parent = nullptr);

 private:
  void check();
  void save();

  theme::RunStatus& run_;
  QString federation_;
  QLineEdit* label_;
  QLabel* note_;
  QLabel* command_;
  QPushButton* save_;
};

}  // namespace tutti::app
