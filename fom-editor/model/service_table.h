// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QList>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/tables.h"

/// The service utilization table of a module (IEEE 1516.2-2010 and 2025, 4.13): which services of
/// the interface specification a federate, or a federation, uses. IEEE 1516-2000 and HLA 1.3 have
/// none in their files.
namespace tutti::fomedit {

/// A service, as the schema of an edition has it.
struct Service {
  QString element;          ///< "reflectAttributeValues"
  QString name;             ///< "Reflect Attribute Values"
  QString section;          ///< clause of IEEE 1516.1: "6.11"
  bool isCallback = false;  ///< initiated by the RTI
  /// Its group: the chapter of the clause, 4 to 10.
  int chapter() const { return section.section(u'.', 0, 0).toInt(); }
  friend bool operator==(const Service&, const Service&) = default;
};

/// By clause. Empty for editions without the table. Thread-safe.
const QList<Service>& servicesOf(omt::Edition edition);
/// "Federation management" for chapter 4; empty for chapters without services.
QString serviceGroup(int chapter);

struct ServiceUse {
  Service service;
  bool used = false;
  bool listed = false;  ///< the module has it in its table
  int line = 0;         ///< 0: it is not listed
  friend bool operator==(const ServiceUse&, const ServiceUse&) = default;
};

struct ServiceTable {
  QString none;  ///< why the edition of the module has no such table; empty: it has one
  bool exists = false;
  int line = 0;
  QList<ServiceUse> services;  ///< all of the edition
  friend bool operator==(const ServiceTable&, const ServiceTable&) = default;
};
ServiceTable servicesIn(const ModuleSource& source);
/// The same to export.
Table serviceTableText(const QString& title, const ServiceTable& table);

/// Plans that services, by their elements, are used or not. A module without the table gets it,
/// with all services of its edition, as the schema of 2010 asks for.
ModelChanges::Result setServicesUsed(const ModelChanges& changes, int module,
                                     const QStringList& elements, bool used);
/// Plans the table with all services of the edition, none of them used.
ModelChanges::Result addServiceTable(const ModelChanges& changes, int module);
ModelChanges::Result removeServiceTable(const ModelChanges& changes, int module);

enum class ServiceFilter : std::uint8_t { All, Used, NotUsed };

/// The table as a tree: service groups, and below each its services.
class ServiceModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { NameColumn, SectionColumn, InitiatorColumn, UsedColumn, ColumnCount };
  enum Role {
    UsedRole = Qt::UserRole + 1,  ///< bool, of services
    ElementsRole                  ///< QStringList: the service, or all of a group
  };
  using QAbstractItemModel::QAbstractItemModel;

  void setServices(const ServiceTable& table);
  void setFilter(ServiceFilter filter, const QString& words);
  const ServiceUse* service(const QModelIndex& index) const;
  int usedCount() const;
  int count() const { return static_cast<int>(services_.size()); }

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& = {}) const override { return ColumnCount; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Group {
    int chapter = 0;
    std::vector<qsizetype> shown;
    QStringList elements;  ///< all of the group
    int used = 0;
    bool operator==(const Group&) const = default;
  };
  void select();

  QList<ServiceUse> services_;
  std::vector<Group> groups_;
  ServiceFilter filter_ = ServiceFilter::All;
  QStringList words_;
};

}  // namespace tutti::fomedit
