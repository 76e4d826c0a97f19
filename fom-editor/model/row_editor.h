// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/tables.h"

namespace tutti::fomedit {

/// A datatype to choose from.
struct DataTypeChoice {
  QString name;
  QString detail;  ///< "enum, 4 values, 4 B"
};

/// Makes what a person changes in the views a step of the open modules. GUI thread only.
class RowEditor : public QObject, public CellWriter {
  Q_OBJECT
 public:
  explicit RowEditor(OpenModules& modules, QObject* parent = nullptr);

  /// The model that the views show; it says what datatypes there are and how large they are.
  void setModel(std::shared_ptr<const omt::ObjectModel> model);

  ModelChanges changes() const;
  /// The module that new rows go to, by its path, until an edit of another; see
  /// ModelChanges::prefer().
  void prefer(const QString& path) { preferred_ = path; }
  /// Datatypes that fit what is typed, those that begin with it first.
  QList<DataTypeChoice> dataTypes(const QString& typed) const;

  CellEditor editorOf(const RowRef& row, const QString& cell) const override;
  QString cell(const RowRef& row, const QString& cell) const override;
  QString readOnlyReason(const RowRef& row, const QString& cell) const override;
  tl::expected<void, QString> setCell(const RowRef& row, const QString& cell,
                                      const QString& value) override;
  tl::expected<void, QString> addRow(const RowRef& row, const RowRef& after) override;

  // Each says by refused() what makes no sense. False: nothing was changed.
  bool apply(const ModelChanges::Result& change);
  bool setNewDataType(const RowRef& row, const QString& cell, omt::DataTypeKind kind,
                      const QString& name);
  bool remove(const RowRef& row);
  bool move(const RowRef& row, int by);
  bool reparent(const RowRef& row, const QString& superclass);
  /// Adds with a name that is free; added() tells it.
  bool addSubclass(const RowRef& superclass);
  bool addDataType(omt::DataTypeKind kind);
  bool addReferenceDataType();
  /// Whether a module that can be edited has reference datatypes.
  bool offersReferenceDataTypes() const;
  bool addNamed(RowRef row, const QString& stem);

 Q_SIGNALS:
  void refused(const QString& reason);
  /// A row was added: the views may let it be named as soon as they show it.
  void added(const tutti::fomedit::RowRef& row);

 private:
  /// With the module of rows that belong to one file.
  RowRef resolved(RowRef row) const;
  tl::expected<void, QString> made(const ModelEdit& edit);

  OpenModules& modules_;
  std::shared_ptr<const omt::ObjectModel> model_;
  QString preferred_;
};

}  // namespace tutti::fomedit

Q_DECLARE_METATYPE(tutti::fomedit::RowRef)
