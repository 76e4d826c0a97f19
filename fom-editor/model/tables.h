// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>
#include <memory>

#include "fom-editor/model/item.h"
#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/model_rows.h"
#include "fom-editor/model/usage_provider.h"

namespace tutti::fomedit {

/// A line of a table: a section heading ("Inherited from Track, Base.xml:96") or an entry.
struct TableRow {
  QStringList cells;  ///< a section has one
  bool isSection = false;
  bool inherited = false;     ///< drawn muted
  Item link;                  ///< where the table's link column leads; null for none
  QString dataType;           ///< datatype of an attribute, parameter or field; may be undefined
  QString member;             ///< name of the attribute or parameter
  omt::SourceLocation where;  ///< line 0 where there is none
  QString toolTip;
  RowRef ref;               ///< what a change of it is about; null: it cannot be changed
  QString cell;             ///< of a row with a cell of its own, in the second column
  QStringList columnCells;  ///< where its columns hold something else than the table's; else empty
  QString readOnly;         ///< why it cannot be changed here; empty: it can
  bool onlyToEdit = false;  ///< nothing to read: left out where nothing can be written
  bool operator==(const TableRow&) const = default;
};

/// What the centre of the page shows, as a value.
struct Table {
  QString title;  ///< "HLAobjectRoot.Track.Flight"; names the export
  QStringList headers;
  int linkColumn = -1;
  QList<int> numberColumns;  ///< right-aligned
  QString empty;             ///< what the view says when there are no rows
  QList<TableRow> rows;
  QStringList cells;  ///< what the columns hold, see ModelChanges; empty: nothing to change
  RowRef adds;        ///< what a new row is, without its name; null: none can be added
  bool operator==(const Table&) const = default;
};

/// Attributes of a class (inherited ones first), parameters, enumerators, fields, alternatives, the
/// rows of a group, the settings of the switches, the identification of a module.
Table tableOf(const omt::ObjectModel& model, const Item& item);

/// Who uses an item: federates of the composition for a class; for a datatype the attributes,
/// parameters and datatypes that have it; for dimensions and transportation types likewise.
/// `provider` may be null.
Table usesOf(const omt::ObjectModel& model, const Item& item, const UsageProvider* provider);

/// RFC 4180, UTF-8 with byte-order mark, one header line; sections become a first column.
QByteArray toCsv(const Table& table);

/// A fact above the table: ("Sharing", "PublishSubscribe"), ("Order", "Timestamp").
struct Fact {
  QString name;
  QString value;
  QString cell;  ///< what a change of it is about, see ModelChanges; empty: it cannot be changed
  bool operator==(const Fact&) const = default;
};
QList<Fact> factsOf(const omt::ObjectModel& model, const Item& item);
/// The semantics of an item, or "".
QString semanticsOf(const omt::ObjectModel& model, const Item& item);
/// Names from the root to the superclass, "Track" for Flight; empty below a root.
QStringList ancestorsOf(const omt::ObjectModel& model, const Item& item);

/// What a change of an item is about; null for groups.
RowRef rowOf(const omt::ObjectModel& model, const Item& item);
/// Why an item cannot be changed: it is the MIM's, or of HLA 1.3. Empty: it can.
QString readOnlyReason(const omt::ObjectModel& model, const omt::SourceLocation& where);
/// What a datatype says besides its rows: representation, discriminant, encoding, semantics. Empty
/// where tableOf() has all.
Table propertiesOf(const omt::ObjectModel& model, const omt::DataType& type);

/// Takes what a person writes into a TableModel.
class CellWriter {
 public:
  virtual ~CellWriter() = default;
  virtual CellEditor editorOf(const RowRef& row, const QString& cell) const = 0;
  /// What the editor begins with.
  virtual QString cell(const RowRef& row, const QString& cell) const = 0;
  /// The error is for the person: the cell keeps what it had.
  virtual tl::expected<void, QString> setCell(const RowRef& row, const QString& cell,
                                              const QString& value) = 0;
  /// Why a cell cannot be edited, or a row without a name not be added; empty: it can.
  virtual QString readOnlyReason(const RowRef& row, const QString& cell) const = 0;
  /// Adds a row behind that one, or last.
  virtual tl::expected<void, QString> addRow(const RowRef& row, const RowRef& after) = 0;
};

/// A Table in Qt's terms. Sections are rows of one cell; views span them. With a writer cells can
/// be edited, and a last row adds one.
class TableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Role {
    SectionRole = Qt::UserRole + 1,   ///< bool
    InheritedRole,                    ///< bool
    LinkRole,                         ///< Item, in the link column only
    DataTypeRole,                     ///< QString
    MemberRole,                       ///< QString
    AddRole,                          ///< bool: the row that adds one
    ReadOnlyRole,                     ///< QString: why the row cannot be edited
    RefusalRole = Qt::UserRole + 900  ///< QString: why setData() refused the last value
  };
  using QAbstractTableModel::QAbstractTableModel;

  /// Rows that stay keep their places: an editor that is open stays open.
  void setTable(Table table);
  /// Not owned; null: read only.
  void setWriter(CellWriter* writer);
  CellWriter* writer() const { return writer_; }
  /// The row that adds one; -1: there is none.
  int addRow() const;
  /// What a cell holds, as ModelChanges calls it; empty: it cannot be edited.
  QString cellOf(const QModelIndex& index) const;
  /// Why a cell cannot be edited, also where its file cannot be written; empty: it can, or nothing
  /// is edited there.
  QString readOnlyReason(const QModelIndex& index) const;
  /// Files may be edited now that could not be before, or the other way round.
  void noteRights();
  /// What a change of a cell is about; of the row that adds one without a name.
  RowRef refOf(const QModelIndex& index) const;
  const Table& table() const { return table_; }
  const TableRow* row(const QModelIndex& index) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

 private:
  bool hasAddRow(const Table& table) const { return writer_ != nullptr && !table.adds.isNull(); }
  QString nameOfCell(const QModelIndex& index) const;

  Table table_;
  CellWriter* writer_ = nullptr;
  /// What the writer said of cells that were shown: it looks through all modules.
  mutable QHash<std::pair<int, QString>, QString> reasons_;
  QString refusal_;
};

}  // namespace tutti::fomedit
