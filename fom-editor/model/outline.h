// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QHash>
#include <QSet>
#include <QSortFilterProxyModel>
#include <memory>
#include <vector>

#include "fom-editor/model/item.h"
#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/tables.h"

namespace tutti::fomedit {

/// The tree of the Classes pane: object classes, interaction classes, datatypes, dimensions and the
/// other tables of a loaded model. One column. A new model replaces everything.
class OutlineModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Role {
    ItemRole = Qt::UserRole + 1,      ///< Item
    DetailRole,                       ///< QString at the right: "8", "record", "MIM"
    MutedRole,                        ///< bool: roots and what the MIM brings
    LevelRole,                        ///< int(Level) of its worst finding; absent without one
    SearchRole,                       ///< QString: names that the filter looks in, its own first
    PathRole,                         ///< QString: itemPath()
    EditedRole,                       ///< bool: it is defined otherwise than saved
    ReadOnlyRole,                     ///< QString: why it cannot be changed; empty: it can
    RefusalRole = Qt::UserRole + 900  ///< QString: why setData() refused the last name
  };
  using QAbstractItemModel::QAbstractItemModel;

  void setLoadedModel(const LoadedModel& loaded);
  /// Takes new names; not owned, null: read only.
  void setWriter(CellWriter* writer) {
    writer_ = writer;
    noteRights();
  }
  /// Files may be edited now that could not be before, or the other way round.
  void noteRights();
  /// By itemPath(): what is not saved as it is.
  void setEdited(const QSet<QString>& paths);
  /// In the place of counts: the module that each item comes from, by its short name.
  void setShowsModules(bool shows);
  /// What a change of a row is about; null for groups.
  RowRef refOf(const QModelIndex& index) const;
  /// Invalid where the outline does not show the item.
  QModelIndex indexOf(const Item& item) const;
  Item item(const QModelIndex& index) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

 private:
  struct Node {
    Item item;
    int parent = -1;
    int row = 0;
    std::vector<int> children;
    QString label;
    QString detail;
    QString toolTip;
    QString search;
    QString module;  ///< short name
    bool muted = false;
    int level = -1;
  };
  int add(int parent, const Item& item, const QString& label, const QString& detail);
  void addObjectClass(int parent, omt::ObjectClassHandle handle);
  void addInteractionClass(int parent, omt::InteractionClassHandle handle);
  void addTables();
  QString whyReadOnly(const QModelIndex& index) const;
  void addOrigins(const LoadedModel& loaded);
  const Node& node(const QModelIndex& index) const { return nodes_[index.internalId()]; }

  std::shared_ptr<const omt::ObjectModel> model_;
  CellWriter* writer_ = nullptr;
  QString refusal_;
  mutable QHash<quintptr, QString> reasons_;  ///< what the writer said of nodes that were shown
  QSet<QString> edited_;
  bool showsModules_ = false;
  std::vector<Node> nodes_;
  std::vector<int> roots_;
};

/// Shows what contains all words of the filter, with what is above it. Names of attributes,
/// parameters and fields count for their class or datatype, which then says so at its right.
class OutlineFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit OutlineFilter(QObject* parent = nullptr);
  void setFilter(const QString& text);
  QString filter() const { return words_.join(u' '); }
  /// The first row that matches by itself, in the order of the tree; a match at the start of a name
  /// comes first. Invalid where nothing matches.
  QModelIndex bestMatch() const;
  /// True when a word of the filter is in the member's name and not in its class's: the member is
  /// what was looked for.
  bool isFoundBy(const QString& member, const QString& className) const;
  QVariant data(const QModelIndex& index, int role) const override;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  bool matches(const QModelIndex& source) const;
  /// Which member is why a row is shown; empty where its own name is.
  QString whyShown(const QModelIndex& source) const;
  QStringList words_;
};

}  // namespace tutti::fomedit
