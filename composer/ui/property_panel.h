// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QLineEdit>
#include <QScrollArea>

#include "composer/model/document.h"
#include "composer/ui/selection.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace tutti::composer {

class RestartField;

/// A line edit with its unit at the right end, inside the frame.
class UnitEdit : public QLineEdit {
  Q_OBJECT
 public:
  explicit UnitEdit(const QString& unit, QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QString unit_;
};

/// One parameter of a component: editor of its kind and, under it, what is wrong with the value.
/// Commits on Return, on leaving the field, and at once where there is nothing to type.
class ParameterEdit : public QWidget {
  Q_OBJECT
 public:
  ParameterEdit(const Parameter& parameter, QWidget* parent = nullptr);

  /// `value` null: the default is used, which is shown as placeholder.
  void setValue(const Json& value);
  bool isInvalid() const { return !fault_.isEmpty(); }
  QString fault() const { return fault_; }
  QWidget* field() const;

 Q_SIGNALS:
  /// Nothing: use the default again.
  void committed(const std::optional<tutti::composer::Json>& value);

 private:
  /// What may be chosen is offered while it is typed, and all of it by a button in the field.
  void complete();
  void validate();
  void commit();
  void showFault(const QString& fault);
  QString typed() const;

  Parameter parameter_;
  Json value_;
  QString fault_;
  UnitEdit* line_ = nullptr;
  QComboBox* choice_ = nullptr;
  QCheckBox* check_ = nullptr;
  QWidget* faultRow_;
  QLabel* faultText_;
};

/// The dock at the right: what is selected, and everything that can be set about it. Shows a
/// federate, several, a class, a group or, with nothing selected, the composition.
class PropertyPanel : public QScrollArea {
  Q_OBJECT
 public:
  PropertyPanel(Document& document, Selection& selection, QWidget* parent = nullptr);

  /// Puts the focus into a parameter's editor, or into the first field.
  void focusParameter(const QString& parameter);
  void focusName();
  /// Asks for the file of a FOM module and adds it to the composition.
  void askForModule();
  ParameterEdit* parameterEdit(const QString& parameter) const {
    return parameters_.value(parameter);
  }

 Q_SIGNALS:
  /// A class link was clicked.
  void classRequested(const QString& className);
  void federateRequested(const QString& id);

 private:
  void rebuild();
  void refresh();
  void buildFederate(const QString& id);
  void buildNeeds(const QString& id);
  void showNeeds(const Federate& federate);
  void buildSeveral();
  void buildClass(const QString& className);
  void buildGroup(const QString& id);
  void buildComposition();
  void refreshFlow();

  void header(const QString& icon, const QString& title, const QString& caption);
  void group(const QString& title, QPushButton* link = nullptr);
  void row(const QString& label, QWidget* field, const QString& toolTip = {});
  void fact(const QString& label, const QString& value, const QString& toolTip = {});
  UnitEdit* textField(const char* name, const QString& unit = {});

  Document& document_;
  Selection& selection_;
  QWidget* page_ = nullptr;
  QVBoxLayout* column_ = nullptr;
  QTimer timer_;
  QString shownId_;
  QString shownKind_;
  QString shownComponent_;
  QHash<QString, ParameterEdit*> parameters_;
  UnitEdit* name_ = nullptr;
  QSpinBox* count_ = nullptr;
  QCheckBox* enabled_ = nullptr;
  QCheckBox* required_ = nullptr;
  RestartField* restart_ = nullptr;
  ParameterEdit* cores_ = nullptr;
  ParameterEdit* memory_ = nullptr;
  QLabel* title_ = nullptr;
  QLabel* caption_ = nullptr;
  QVBoxLayout* flow_ = nullptr;
};

}  // namespace tutti::composer
