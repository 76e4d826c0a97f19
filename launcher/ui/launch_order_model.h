// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "composer/model/checks.h"
#include "composer/model/document.h"

namespace tutti::launcher {

class HostWatch;

/// What starts, in the order it starts: the RTI node, then the federates of a document. Edits go to
/// the document, each one undo step; rows follow it within one turn of the event loop.
class LaunchOrderModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { On, Federate, Host, Order, StartsWhen, ReadyWhen, TimeOut, IfItEnds, ColumnCount };
  enum Role {
    IdRole = Qt::UserRole + 1,  ///< QString: id of the federate; empty for the RTI node.
    HostKeysRole,               ///< QStringList: hosts to choose from, as `host` of a federate.
    HostNamesRole,              ///< QStringList: the same, for people.
  };

  LaunchOrderModel(composer::Document* document, HostWatch* watch, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

  /// Row of a federate, by id; -1 when there is none.
  int rowOf(const QString& id) const;
  QString idAt(int row) const;

 private:
  void sync();
  QVariant nodeData(int column, int role) const;
  QVariant federateData(const composer::Federate& federate, int column, int role) const;
  QString startsWhen(const composer::Federate& federate) const;
  QString needs(const composer::Federate& federate) const;
  QVariant hostData(const composer::Federate& federate, int role) const;
  /// Hosts besides this machine that something starts on.
  int otherHosts() const;

  composer::Document* document_;
  HostWatch* watch_;
  QStringList ids_;                           ///< In start order.
  QHash<QString, composer::Severity> worst_;  ///< By federate, where something was found.
  QTimer syncTimer_;
};

}  // namespace tutti::launcher
