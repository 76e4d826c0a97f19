// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <cstdint>
#include <memory>
#include <vector>

#include "fom-editor/model/module_extraction.h"
#include "fom-editor/model/module_file.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace tutti::fomedit {

/// Asks what goes with classes into a new module, and says what that means for both modules. It
/// changes neither: who asks takes result() of an accepted dialog.
class ExtractDialog : public QDialog {
  Q_OBJECT
 public:
  /// `module` as it is edited. The request has the classes and what other modules use.
  ExtractDialog(const QString& module, const ModuleBytes& bytes, ExtractionRequest request,
                QWidget* parent = nullptr);

  void setFile(const QString& path);
  QString file() const;
  /// What was worked out last; null while that is not for what is chosen.
  std::shared_ptr<const Extraction> result() const { return result_; }
  const ModuleBytes& bytes() const { return bytes_; }

 Q_SIGNALS:
  /// result() is for what is chosen, or the note says why there is none.
  void checked();

 private:
  struct Answer {
    QString fault;
    std::shared_ptr<const Extraction> extraction;
  };
  ExtractionRequest request() const;
  QString fault() const;
  void browse();
  void check();
  void show(const Answer& answer);

  QString module_;
  ModuleBytes bytes_;
  ExtractionRequest request_;
  std::uint64_t asked_ = 0;  ///< what an earlier worker finds is out of date
  std::shared_ptr<const Extraction> result_;
  QLineEdit* file_;
  QCheckBox* subclasses_;
  QComboBox* shared_;
  QLabel* note_;
  QLabel* command_;
  QPushButton* extract_;
};

}  // namespace tutti::fomedit
