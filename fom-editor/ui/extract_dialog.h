// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QThreadPool>
#include <atomic>
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
/// changes neither: who asks takes result() of an accepted dialog. The modules are divided and
/// compared in a worker, for the newest choice only; the file's name is put in at the end.
class ExtractDialog : public QDialog {
  Q_OBJECT
 public:
  /// `module` as it is edited. The request has the classes and what other modules use.
  ExtractDialog(const QString& module, const ModuleBytes& bytes, ExtractionRequest request,
                QWidget* parent = nullptr);
  /// Waits for the step that the worker is at.
  ~ExtractDialog() override;

  void setFile(const QString& path);
  QString file() const;
  /// What was worked out last; null while that is not for what is chosen.
  std::shared_ptr<const Extraction> result() const { return result_; }
  const ModuleBytes& bytes() const { return bytes_; }
  /// How many choices the worker was asked about.
  int questions() const { return questions_; }

 public Q_SLOTS:
  void accept() override;

 Q_SIGNALS:
  /// result() is for what is chosen, or the note says why there is none.
  void checked();

 private:
  /// Null pointers: there is none yet, or none that can be.
  struct Answer {
    QString fault;
    std::shared_ptr<const ModuleSource> source;
    std::shared_ptr<const Extraction> extraction;
  };
  ExtractionRequest request() const;
  QString fault() const;
  void browse();
  void divide();
  void check();
  void fail(const QString& why);

  QString module_;
  ModuleBytes bytes_;
  ExtractionRequest request_;
  std::atomic<std::uint64_t> asked_ = 0;  // read by the worker, to give up what is out of date
  int questions_ = 0;
  std::shared_ptr<const Answer> answer_;  ///< null: it is on its way
  std::shared_ptr<const Extraction> result_;
  QLineEdit* file_;
  QCheckBox* subclasses_;
  QComboBox* shared_;
  QLabel* note_;
  QLabel* command_;
  QPushButton* extract_;
  QThreadPool pool_;  // last: destroyed, and so waited for, first
};

}  // namespace tutti::fomedit
