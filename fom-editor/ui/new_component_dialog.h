// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <memory>

#include "fom-editor/codegen/component_folder.h"
#include "fom-editor/model/item.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTreeWidget;
class QTreeWidgetItem;

namespace tutti::theme {
class SearchField;
}

namespace tutti::fomedit {

/// Asks which classes a new component publishes and subscribes, and writes it: what `tutti
/// component new` does. Its last page says where it is, what stays octets, and how it is built.
class NewComponentDialog : public QDialog {
  Q_OBJECT
 public:
  /// The modules that the model was read from; `item`, where it is a class, is subscribed at first.
  NewComponentDialog(std::shared_ptr<const omt::ObjectModel> model, const QStringList& modules,
                     const Item& item, QWidget* parent = nullptr);
  ~NewComponentDialog() override;

  /// The folder in which the component gets a folder of its name; at first that of one's own
  /// components.
  void setCatalog(const QString& folder);

 Q_SIGNALS:
  void written(const QString& folder);

 private:
  enum Column { ClassColumn, PublishColumn, SubscribeColumn };

  QWidget* makeQuestions();
  QWidget* makeResult();
  void fillClasses(const Item& item);
  void filter(const QString& text);
  void check();
  void write();
  void showResult(const tl::expected<GeneratedComponent, QString>& made);
  ComponentRequest request() const;
  QString folder() const;
  QString fault() const;

  std::shared_ptr<const omt::ObjectModel> model_;
  QStringList modules_;
  QString catalog_;
  bool writing_ = false;
  QStackedWidget* pages_;
  QLineEdit* name_ = nullptr;
  QComboBox* time_ = nullptr;
  theme::SearchField* search_ = nullptr;
  QTreeWidget* classes_ = nullptr;
  QLabel* note_ = nullptr;
  QLabel* command_ = nullptr;
  QLabel* resultTitle_ = nullptr;
  QLabel* resultWhere_ = nullptr;
  QLabel* resultNotes_ = nullptr;
  QLabel* resultBuild_ = nullptr;
  QPushButton* write_ = nullptr;
};

}  // namespace tutti::fomedit
