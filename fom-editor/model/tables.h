// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QList>
#include <QString>
#include <QStringList>
#include <memory>

#include "fom-editor/model/item.h"
#include "fom-editor/model/loaded_model.h"
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
  bool operator==(const Fact&) const = default;
};
QList<Fact> factsOf(const omt::ObjectModel& model, const Item& item);
/// The semantics of an item, or "".
QString semanticsOf(const omt::ObjectModel& model, const Item& item);
/// Names from the root to the superclass, "Track" for Flight; empty below a root.
QStringList ancestorsOf(const omt::ObjectModel& model, const Item& item);

/// A Table in Qt's terms. Sections are rows of one cell; views span them.
class TableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Role {
    SectionRole = Qt::UserRole + 1,  ///< bool
    InheritedRole,                   ///< bool
    LinkRole,                        ///< Item, in the link column only
    DataTypeRole,                    ///< QString
    MemberRole                       ///< QString
  };
  using QAbstractTableModel::QAbstractTableModel;

  void setTable(Table table);
  const Table& table() const { return table_; }
  const TableRow* row(const QModelIndex& index) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  Table table_;
};

}  // namespace tutti::fomedit
