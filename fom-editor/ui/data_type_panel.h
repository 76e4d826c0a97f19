// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QScrollArea>
#include <QStringList>
#include <memory>

#include "fom-editor/model/data_layout.h"
#include "fom-editor/model/tables.h"

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace tutti::fomedit {

class ByteLayoutView;
class ElidedText;
class RowEditor;
class TableView;

/// The Datatype pane: what a datatype is, its fields, how a value lies in memory, with example
/// values that turn into octets and back, and who uses it.
class DataTypePanel : public QScrollArea {
  Q_OBJECT
 public:
  explicit DataTypePanel(QWidget* parent = nullptr);

  /// The same datatype stays shown, with its example.
  void setModel(std::shared_ptr<const omt::ObjectModel> model);
  /// Lets the datatype be edited; not owned, null: it is only read.
  void setEditor(RowEditor* editor);
  /// Shows a datatype; an empty name shows what the pane is for, an undefined one says so.
  void showDataType(const QString& name);
  QString dataType() const { return name_; }

  /// The example's octets, all parts one after the other; empty where a part varies in size.
  QByteArray exampleOctets() const;
  /// Fills the example from octets; false where they do not fit.
  bool decodeExample(const QByteArray& octets);

 Q_SIGNALS:
  /// A class or datatype that uses this one was chosen.
  void itemActivated(const tutti::fomedit::Item& item);
  /// The title was chosen: show this datatype in the centre.
  void dataTypeActivated(const QString& name);

 private:
  void fill();
  void fillExample(const DataLayout& layout);
  void fillUses();
  void updateOctets();
  void go(const QString& name, bool remember);
  struct Example {
    int part = 0;  ///< position in the layout's leaves
    QLineEdit* field = nullptr;
  };

  std::shared_ptr<const omt::ObjectModel> model_;
  QString name_;
  QStringList back_;

  QLabel* hint_;
  QWidget* hintBox_;
  QWidget* body_;
  QToolButton* backButton_;
  QPushButton* title_;
  QLabel* kind_;
  ElidedText* semantics_;
  RowEditor* editor_ = nullptr;
  TableModel* properties_;
  TableView* propertyView_;
  TableModel* fields_;
  TableView* fieldView_;
  QLabel* layoutTitle_;
  ByteLayoutView* bytes_;
  QWidget* example_;
  QGridLayout* exampleGrid_;
  QLabel* exampleError_;
  QPushButton* copyHex_;
  QPushButton* decodeHex_;
  QLineEdit* hexField_;
  QLabel* usesTitle_;
  QVBoxLayout* uses_;
  DataLayout layout_;
  QList<Example> examples_;
  QList<QByteArray> octets_;
};

}  // namespace tutti::fomedit
