// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QStringList>
#include <atomic>
#include <cstdint>
#include <memory>

#include "fom-editor/model/module_conversion.h"
#include "fom-editor/model/module_file.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QToolButton;
class QTreeWidget;

namespace tutti::fomedit {

/// Merges modules to one file, as `tutti fom join` does, with their edits; its last page says what
/// is lost or said in another way.
class JoinDialog : public QDialog {
  Q_OBJECT
 public:
  /// The modules that take part, and the edited ones of them.
  JoinDialog(const QStringList& modules, const ModuleTexts& texts, QWidget* parent = nullptr);

  /// Where the file is to be written.
  void setFile(const QString& path);

 public Q_SLOTS:
  /// While modules are merged nothing is written then. A file that is being written is waited for.
  void reject() override;

 Q_SIGNALS:
  void written(const QString& path);

 private:
  /// Who of the two is first decides whether the file is written.
  enum class Stage : std::uint8_t { Merging, Writing, Cancelled };
  struct Result {
    std::atomic<Stage> stage = Stage::Merging;
    QString path;
    QString fault;  ///< empty: it is written
    Conversion conversion;
  };
  QWidget* makeQuestions();
  QWidget* makeResult();
  QString fault() const;
  omt::Edition edition() const;
  void check();
  void browse();
  void write();
  void setInputsEnabled(bool enabled);
  void show(const Result& result);

  QStringList modules_;
  ModuleTexts texts_;
  std::shared_ptr<Result> result_;  ///< of the worker; null: nothing is merged
  QStackedWidget* pages_;
  QLineEdit* file_ = nullptr;
  QToolButton* browse_ = nullptr;
  QComboBox* edition_ = nullptr;
  QLabel* note_ = nullptr;
  QLabel* command_ = nullptr;
  QPushButton* write_ = nullptr;
  QLabel* title_ = nullptr;
  QLabel* where_ = nullptr;
  QTreeWidget* losses_ = nullptr;
};

}  // namespace tutti::fomedit
