// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QList>
#include <QPair>
#include <QSet>
#include <QString>
#include <optional>
#include <vector>

#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/tables.h"
#include "omt/object_model.h"

/// What a module publishes and subscribes: the cells "sharing" of its object classes, attributes
/// and interaction classes (IEEE 1516.2-2010, 4.2 to 4.4) as one table. In a SOM they say what the
/// federate does, in a FOM what some federate does.
namespace tutti::fomedit {

/// A class, or an attribute that a class has.
struct SharingRow {
  RowRef ref;
  QString name;  ///< of a class without the root: "Track.Flight"
  omt::Sharing sharing = omt::Sharing::Unspecified;
  bool inherited = false;  ///< an attribute of a superclass, which ref.owner names
  QString readOnly;        ///< why it cannot be changed here; empty: it can
  omt::SourceLocation where;

  bool publishes() const;
  bool subscribes() const;
  friend bool operator==(const SharingRow&, const SharingRow&) = default;
};

struct SharedClass {
  SharingRow row;
  QList<SharingRow> attributes;  ///< inherited ones first; of interaction classes none
  bool shortened = false;        ///< there are inherited ones that are left out
  friend bool operator==(const SharedClass&, const SharedClass&) = default;
};

/// Inherited attributes that a table has at most: a root with many attributes above many classes
/// would make one row of each pair. Classes behind that have only their own.
inline constexpr qsizetype mostInheritedRows = 50'000;

/// Names the classes and attributes that a module defines; classes that it only names are none.
QSet<QString> definedIn(const ModuleSource& source);
/// The same of a module of a merged model that has no source, by its position there: what it is the
/// first to define.
QSet<QString> definedIn(const omt::ObjectModel& model, std::uint32_t module);

/// The classes of a merged model without the MIM's: object classes first, each behind its
/// superclass. `defined`: only classes of it, and those that have own attributes of it.
QList<SharedClass> sharingOf(const omt::ObjectModel& model,
                             const std::optional<QSet<QString>>& defined = {});
/// The same to export.
Table sharingTable(const QList<SharedClass>& classes);

/// "Publish", "Subscribe", "PublishSubscribe", "Neither"; "–" where nothing is said.
QString sharingWord(omt::Sharing sharing);
omt::Sharing sharingFrom(bool publishes, bool subscribes);

using NewSharing = QPair<RowRef, omt::Sharing>;
/// Plans what classes and attributes become, as one step; see ModelChanges.
ModelChanges::Result setSharing(const ModelChanges& changes, const QList<NewSharing>& rows);

enum class SharingFilter : std::uint8_t { All, Published, Subscribed, Neither };

/// The table as a tree: classes, and below each its attributes.
class SharingModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { NameColumn, PublishColumn, SubscribeColumn, WordColumn, PlaceColumn, ColumnCount };
  enum Role {
    SharesRole = Qt::UserRole + 1,  ///< bool, in the columns Publish and Subscribe
    InheritedRole,                  ///< bool: muted
    ReadOnlyRole,                   ///< QString: why it cannot be changed; empty: it can
    ItemRole,                       ///< QString: itemPath() of the class that defines it
    KeyRole                         ///< QString: names the row in every version of the model
  };
  using QAbstractItemModel::QAbstractItemModel;

  /// `model` says where rows are defined; it may be null.
  void setClasses(std::shared_ptr<const omt::ObjectModel> model, QList<SharedClass> classes);
  /// What was changed, until the model is read again; what is shown stays.
  void adopt(const QList<NewSharing>& rows);
  /// Shows attributes that fit, with their classes, and classes that fit.
  void setFilter(SharingFilter filter, const QString& words);
  void setInheritedShown(bool shown);

  const QList<SharedClass>& classes() const { return classes_; }
  const SharingRow* row(const QModelIndex& index) const;
  /// Of a class: the attributes that it has itself, whatever is shown.
  QList<SharingRow> ownAttributes(const QModelIndex& index) const;
  QModelIndex indexOf(const QString& key) const;
  /// How many classes and own attributes are published, subscribed and neither, of all.
  struct Counts {
    int published = 0;
    int subscribed = 0;
    int neither = 0;
    int all = 0;
  };
  Counts counts() const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& = {}) const override { return ColumnCount; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Shown {
    qsizetype classAt = 0;
    std::vector<qsizetype> attributes;
  };
  void select();
  bool fits(const SharingRow& row) const;

  std::shared_ptr<const omt::ObjectModel> model_;
  QList<SharedClass> classes_;
  std::vector<Shown> shown_;
  SharingFilter filter_ = SharingFilter::All;
  QStringList words_;
  bool inheritedShown_ = true;
};

}  // namespace tutti::fomedit
