// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QStringList>

#include "fom-editor/model/module_conversion.h"
#include "fom-editor/model/module_file.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
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

 Q_SIGNALS:
  void written(const QString& path);

 private:
  struct Result {
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
  void show(const Result& result);

  QStringList modules_;
  ModuleTexts texts_;
  bool writing_ = false;
  QStackedWidget* pages_;
  QLineEdit* file_ = nullptr;
  QComboBox* edition_ = nullptr;
  QLabel* note_ = nullptr;
  QLabel* command_ = nullptr;
  QPushButton* write_ = nullptr;
  QLabel* title_ = nullptr;
  QLabel* where_ = nullptr;
  QTreeWidget* losses_ = nullptr;
};

}  // namespace tutti::fomedit
