// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/sharing_table.h"

#include <QHash>
#include <algorithm>

#include "fom-editor/model/checks/checked_module.h"
#include "fom-editor/model/edit_draft.h"
#include "fom-editor/model/module_edits.h"
#include "omt/object_model.h"
#include "omt/words.h"

namespace tutti::fomedit {

namespace {

const QString kNone = QStringLiteral("–");

bool isMim(const omt::ObjectModel& model, const omt::SourceLocation& where) {
  return where.module < model.modules().size() && model.modules()[where.module].isMim;
}

QString keyOf(const RowRef& ref) {
  return ModelChanges::itemOf(ref) + (ref.isMember() ? u'#' + ref.name : QString());
}

/// Where classes and attributes stand in a module, as placesOf() finds them, for many of them.
class Places {
 public:
  explicit Places(const ModuleSource& source) : source_(source) {
    for (const RowKind kind : {RowKind::ObjectClass, RowKind::InteractionClass}) {
      const bool isObject = kind == RowKind::ObjectClass;
      const QString root = text(isObject ? omt::objectRootName : omt::interactionRootName) + u'.';
      for (const ElementId table : source.children(ModuleSource::root())) {
        if (source.nameOf(table) != (isObject ? "objects" : "interactions")) continue;
        addClasses(kind, table, {});
        // A topmost class that is not the root is read as a subclass of it.
        addClasses(kind, table, root);
      }
    }
  }

  const std::vector<ElementId>& of(const QString& key) const {
    static const std::vector<ElementId> none;
    const auto found = places_.constFind(key);
    return found == places_.cend() ? none : *found;
  }

 private:
  void addClasses(RowKind kind, ElementId parent, const QString& above) {
    for (const ElementId c : source_.children(parent)) {
      if (source_.nameOf(c) != elementOf(kind, false)) continue;
      const QString name = above + text(rowName(source_, c));
      places_[keyOf({kind, {}, name})].push_back(c);
      if (kind == RowKind::ObjectClass) {
        for (const ElementId a : source_.children(c)) {
          if (source_.nameOf(a) != "attribute") continue;
          places_[keyOf({RowKind::Attribute, name, text(rowName(source_, a))})].push_back(a);
        }
      }
      addClasses(kind, c, name + u'.');
    }
  }

  const ModuleSource& source_;
  QHash<QString, std::vector<ElementId>> places_;  ///< by keyOf()
};

/// Without the root, which everybody knows.
QString withoutRoot(const QString& fullName) {
  const qsizetype dot = fullName.indexOf(u'.');
  return dot < 0 ? fullName : fullName.mid(dot + 1);
}

SharingRow classRow(const omt::ObjectModel& model, RowKind kind, const auto& c) {
  SharingRow row;
  row.ref = {kind, {}, text(c.fullName), -1, -1};
  row.name = withoutRoot(row.ref.name);
  row.sharing = c.sharing;
  row.readOnly = readOnlyReason(model, c.where);
  row.where = c.where;
  return row;
}

/// Classes below a class, each with what is below it.
template <typename Class, typename Add>
void eachBelow(const std::vector<Class>& classes, const Class& c, Add add) {
  for (const std::uint32_t handle : c.subclasses) {
    const Class& sub = classes[handle - 1];
    add(sub);
    eachBelow(classes, sub, add);
  }
}

/// Takes from `room` what the inherited ones need; without room the class has only its own.
SharedClass withAttributes(const omt::ObjectModel& model, const omt::ObjectClass& c,
                           qsizetype& room) {
  SharedClass shared{classRow(model, RowKind::ObjectClass, c), {}};
  std::vector<const omt::ObjectClass*> line;
  qsizetype inherited = 0;
  for (const omt::ObjectClass* at = &c; at != nullptr; at = model.objectClass(at->parent)) {
    line.push_back(at);
    if (at != &c) inherited += static_cast<qsizetype>(at->attributes.size());
  }
  shared.shortened = inherited > room;
  if (shared.shortened) {
    line.resize(1);
  } else {
    room -= inherited;
  }
  QList<SharingRow>& rows = shared.attributes;
  for (auto at = line.rbegin(); at != line.rend(); ++at) {
    const omt::ObjectClass& from = **at;
    for (const omt::AttributeHandle handle : from.attributes) {
      const omt::Attribute& a = *model.attribute(handle);
      SharingRow row;
      row.ref = {RowKind::Attribute, text(from.fullName), text(a.name), -1, -1};
      row.name = text(a.name);
      row.sharing = a.sharing;
      row.inherited = &from != &c;
      row.readOnly = row.inherited ? QStringLiteral("Inherited: set it in %1.").arg(text(from.name))
                                   : readOnlyReason(model, a.where);
      row.where = a.where;
      rows << row;
    }
  }
  return shared;
}

}  // namespace

bool SharingRow::publishes() const {
  return sharing == omt::Sharing::Publish || sharing == omt::Sharing::PublishSubscribe;
}

bool SharingRow::subscribes() const {
  return sharing == omt::Sharing::Subscribe || sharing == omt::Sharing::PublishSubscribe;
}

QString sharingWord(omt::Sharing sharing) {
  const QString word = text(omt::toText(sharing));
  return word.isEmpty() ? kNone : word;
}

omt::Sharing sharingFrom(bool publishes, bool subscribes) {
  if (publishes) return subscribes ? omt::Sharing::PublishSubscribe : omt::Sharing::Publish;
  return subscribes ? omt::Sharing::Subscribe : omt::Sharing::Neither;
}

QSet<QString> definedIn(const ModuleSource& source) {
  QSet<QString> defined;
  for (const bool isObject : {true, false}) {
    for (const ElementId c : elementsOf(source, isObject ? "objectClass" : "interactionClass")) {
      if (!definesClass(source, c)) continue;
      const QString name = text(fullNameOf(source, c));
      defined.insert(
          keyOf({isObject ? RowKind::ObjectClass : RowKind::InteractionClass, {}, name}));
      for (const ElementId a : source.children(c)) {
        if (source.nameOf(a) != "attribute" || !isObject) continue;
        defined.insert(keyOf({RowKind::Attribute, name, text(rowName(source, a))}));
      }
    }
  }
  return defined;
}

QSet<QString> definedIn(const omt::ObjectModel& model, std::uint32_t module) {
  QSet<QString> defined;
  for (const SharedClass& c : sharingOf(model)) {
    if (c.row.where.module == module) defined.insert(keyOf(c.row.ref));
    for (const SharingRow& a : c.attributes) {
      if (a.where.module == module) defined.insert(keyOf(a.ref));
    }
  }
  return defined;
}

QList<SharedClass> sharingOf(const omt::ObjectModel& model,
                             const std::optional<QSet<QString>>& defined) {
  QList<SharedClass> classes;
  qsizetype room = mostInheritedRows;
  const auto isShown = [&](const SharedClass& c) {
    if (!defined || defined->contains(keyOf(c.row.ref))) return true;
    return std::any_of(c.attributes.begin(), c.attributes.end(), [&](const SharingRow& a) {
      return !a.inherited && defined->contains(keyOf(a.ref));
    });
  };
  const auto keepDefined = [&](SharedClass& c) {
    if (!defined) return;
    c.attributes.removeIf(
        [&](const SharingRow& a) { return !a.inherited && !defined->contains(keyOf(a.ref)); });
  };
  const auto& objects = model.objectClasses();
  if (!objects.empty()) {
    eachBelow(objects, objects.front(), [&](const omt::ObjectClass& c) {
      if (isMim(model, c.where)) return;
      const qsizetype before = room;
      SharedClass shared = withAttributes(model, c, room);
      if (!isShown(shared)) {
        room = before;
        return;
      }
      keepDefined(shared);
      classes << shared;
    });
  }
  const auto& interactions = model.interactionClasses();
  if (!interactions.empty()) {
    eachBelow(interactions, interactions.front(), [&](const omt::InteractionClass& c) {
      if (isMim(model, c.where)) return;
      const SharedClass shared{classRow(model, RowKind::InteractionClass, c), {}};
      if (isShown(shared)) classes << shared;
    });
  }
  return classes;
}

Table sharingTable(const QList<SharedClass>& classes) {
  Table table;
  table.title = QStringLiteral("Publish and subscribe");
  table.headers << QStringLiteral("Kind") << QStringLiteral("Class") << QStringLiteral("Attribute")
                << QStringLiteral("Sharing");
  table.empty = QStringLiteral("No module defines a class.");
  for (const SharedClass& c : classes) {
    TableRow row;
    row.cells << wordOf(c.row.ref.kind) << c.row.ref.name << QString()
              << sharingWord(c.row.sharing);
    row.where = c.row.where;
    table.rows << row;
    for (const SharingRow& a : c.attributes) {
      TableRow own;
      own.cells << (a.inherited ? QStringLiteral("inherited attribute")
                                : QStringLiteral("attribute"))
                << c.row.ref.name << a.name << sharingWord(a.sharing);
      own.where = a.where;
      own.inherited = a.inherited;
      table.rows << own;
    }
  }
  return table;
}

ModelChanges::Result setSharing(const ModelChanges& changes, const QList<NewSharing>& rows) {
  const EditableModules& modules = changes.modules();
  std::vector<Splices> splices(static_cast<std::size_t>(modules.size()));
  const Places ofMim(mimSource());
  std::vector<std::pair<int, Places>> indexed;
  for (int m = 0; m < modules.size(); ++m) {
    if (modules[m].source != nullptr) indexed.emplace_back(m, *modules[m].source);
  }
  QSet<QString> done;
  int changedRows = 0;
  QString subject;
  for (const auto& [ref, sharing] : rows) {
    const QString key = keyOf(ref);
    if (done.contains(key)) continue;
    done.insert(key);
    std::vector<FoundRow> places;
    for (const auto& [module, index] : indexed) {
      if (ref.module >= 0 && ref.module != module) continue;
      for (const ElementId id : index.of(key)) places.push_back({module, id});
    }
    const bool isFree = !places.empty() && ofMim.of(key).empty() &&
                        std::all_of(places.begin(), places.end(), [&](const FoundRow& place) {
                          return modules[place.module].isWritable();
                        });
    if (!isFree) {
      const QString reason = changes.readOnlyReason(ref);
      if (!reason.isEmpty()) return tl::unexpected(reason);
    }
    if (ref.isClass() && places.size() > 1) {
      const auto bare =
          std::stable_partition(places.begin(), places.end(), [&](const FoundRow& place) {
            return definesClass(*modules[place.module].source, place.element);
          });
      places.erase(bare == places.begin() ? bare + 1 : bare, places.end());
    }
    const std::string word(omt::toText(sharing));
    bool changed = false;
    for (const FoundRow& place : places) {
      const ModuleSource& source = *modules[place.module].source;
      if (cellOf(source, place.element, "sharing").value_or("") == word) continue;
      const Splices own = setCell(source, place.element, "sharing", word);
      Splices& all = splices[static_cast<std::size_t>(place.module)];
      all.insert(all.end(), own.begin(), own.end());
      changed = changed || !own.empty();
    }
    if (!changed || ++changedRows > 1) continue;
    subject = ref.isClass() ? shortName(ref)
                            : shortName({RowKind::ObjectClass, {}, ref.owner}) + u'.' + ref.name;
  }
  EditDraft draft(modules);
  for (int m = 0; m < modules.size(); ++m) {
    if (!splices[static_cast<std::size_t>(m)].empty()) {
      draft.apply(m, splices[static_cast<std::size_t>(m)]);
    }
  }
  const QString label = changedRows > 1
                            ? QStringLiteral("change sharing of %1 rows").arg(changedRows)
                            : QStringLiteral("change sharing of %1").arg(subject);
  return draft.edit(label, QStringLiteral("sharing:"));
}

// SharingModel

void SharingModel::setClasses(std::shared_ptr<const omt::ObjectModel> model,
                              QList<SharedClass> classes) {
  beginResetModel();
  model_ = std::move(model);
  classes_ = std::move(classes);
  select();
  endResetModel();
}

void SharingModel::adopt(const QList<NewSharing>& rows) {
  QHash<QString, omt::Sharing> now;
  for (const auto& [ref, sharing] : rows) now.insert(keyOf(ref), sharing);
  const auto take = [&](SharingRow& row) {
    const auto found = now.constFind(keyOf(row.ref));
    if (found != now.cend()) row.sharing = *found;
  };
  for (SharedClass& c : classes_) {
    take(c.row);
    for (SharingRow& a : c.attributes) take(a);
  }
  for (int c = 0; c < rowCount(); ++c) {
    const QModelIndex top = index(c, 0);
    Q_EMIT dataChanged(top, top.siblingAtColumn(ColumnCount - 1));
    if (rowCount(top) == 0) continue;
    Q_EMIT dataChanged(index(0, 0, top), index(rowCount(top) - 1, ColumnCount - 1, top));
  }
}

void SharingModel::setFilter(SharingFilter filter, const QString& words) {
  const QStringList list = words.split(u' ', Qt::SkipEmptyParts);
  if (filter == filter_ && list == words_) return;
  beginResetModel();
  filter_ = filter;
  words_ = list;
  select();
  endResetModel();
}

void SharingModel::setInheritedShown(bool shown) {
  if (shown == inheritedShown_) return;
  beginResetModel();
  inheritedShown_ = shown;
  select();
  endResetModel();
}

bool SharingModel::fits(const SharingRow& row) const {
  switch (filter_) {
    case SharingFilter::Published:
      return row.publishes();
    case SharingFilter::Subscribed:
      return row.subscribes();
    case SharingFilter::Neither:
      return !row.publishes() && !row.subscribes();
    case SharingFilter::All:
      break;
  }
  return true;
}

void SharingModel::select() {
  shown_.clear();
  for (qsizetype at = 0; at < classes_.size(); ++at) {
    const SharedClass& c = classes_[at];
    const auto matches = [&](const QString& own) {
      return std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
        return own.contains(word, Qt::CaseInsensitive) ||
               c.row.name.contains(word, Qt::CaseInsensitive);
      });
    };
    Shown shown{at, {}};
    for (qsizetype i = 0; i < c.attributes.size(); ++i) {
      const SharingRow& a = c.attributes[i];
      if ((a.inherited && !inheritedShown_) || !fits(a) || !matches(a.name)) continue;
      shown.attributes.push_back(i);
    }
    if ((fits(c.row) && matches({})) || !shown.attributes.empty()) {
      shown_.push_back(std::move(shown));
    }
  }
}

const SharingRow* SharingModel::row(const QModelIndex& at) const {
  if (!at.isValid()) return nullptr;
  if (at.internalId() == 0) {
    return &classes_[shown_[static_cast<std::size_t>(at.row())].classAt].row;
  }
  const Shown& shown = shown_[at.internalId() - 1];
  return &classes_[shown.classAt].attributes[shown.attributes[static_cast<std::size_t>(at.row())]];
}

QList<SharingRow> SharingModel::ownAttributes(const QModelIndex& at) const {
  QList<SharingRow> own;
  if (!at.isValid() || at.internalId() != 0) return own;
  for (const SharingRow& a :
       classes_[shown_[static_cast<std::size_t>(at.row())].classAt].attributes) {
    if (!a.inherited) own << a;
  }
  return own;
}

QModelIndex SharingModel::indexOf(const QString& key) const {
  for (int c = 0; c < rowCount(); ++c) {
    const QModelIndex top = index(c, 0);
    if (top.data(KeyRole).toString() == key) return top;
    for (int a = 0; a < rowCount(top); ++a) {
      const QModelIndex below = index(a, 0, top);
      if (below.data(KeyRole).toString() == key) return below;
    }
  }
  return {};
}

SharingModel::Counts SharingModel::counts() const {
  Counts counts;
  const auto count = [&](const SharingRow& row) {
    ++counts.all;
    counts.published += row.publishes() ? 1 : 0;
    counts.subscribed += row.subscribes() ? 1 : 0;
    counts.neither += row.publishes() || row.subscribes() ? 0 : 1;
  };
  for (const SharedClass& c : classes_) {
    count(c.row);
    for (const SharingRow& a : c.attributes) {
      if (!a.inherited) count(a);
    }
  }
  return counts;
}

QModelIndex SharingModel::index(int row, int column, const QModelIndex& above) const {
  if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(above)) return {};
  return createIndex(row, column,
                     above.isValid() ? static_cast<quintptr>(above.row()) + 1 : quintptr{0});
}

QModelIndex SharingModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == 0) return {};
  return createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr{0});
}

int SharingModel::rowCount(const QModelIndex& above) const {
  if (!above.isValid()) return static_cast<int>(shown_.size());
  if (above.internalId() != 0 || above.column() != 0) return 0;
  return static_cast<int>(shown_[static_cast<std::size_t>(above.row())].attributes.size());
}

QVariant SharingModel::data(const QModelIndex& at, int role) const {
  const SharingRow* r = row(at);
  if (r == nullptr) return {};
  const bool marks = at.column() == PublishColumn || at.column() == SubscribeColumn;
  const bool shares = at.column() == PublishColumn ? r->publishes() : r->subscribes();
  switch (role) {
    case Qt::DisplayRole:
      if (at.column() == NameColumn) return r->name;
      if (marks) return shares ? QStringLiteral("yes") : kNone;
      if (at.column() == WordColumn) return sharingWord(r->sharing);
      return model_ ? placeText(*model_, r->where) : QString();
    case Qt::ToolTipRole:
      if (at.internalId() == 0 && at.column() == NameColumn &&
          classes_[shown_[static_cast<std::size_t>(at.row())].classAt].shortened) {
        return QStringLiteral(
            "Its inherited attributes are left out: there are too many in these modules.");
      }
      if (!r->readOnly.isEmpty()) return r->readOnly;
      return marks ? (at.column() == PublishColumn ? QStringLiteral("Click, or P, to change it")
                                                   : QStringLiteral("Click, or S, to change it"))
                   : QVariant();
    case Qt::AccessibleTextRole:
      return at.column() == NameColumn
                 ? QStringLiteral("%1 %2, %3")
                       .arg(wordOf(r->ref.kind), r->name, sharingWord(r->sharing))
                 : data(at, Qt::DisplayRole);
    case SharesRole:
      return marks ? QVariant(shares) : QVariant();
    case InheritedRole:
      return r->inherited;
    case ReadOnlyRole:
      return r->readOnly;
    case ItemRole:
      return ModelChanges::itemOf(r->ref);
    case KeyRole: {
      // An inherited attribute is there once for each class.
      const QModelIndex above = parent(at);
      return (above.isValid() ? keyOf(row(above)->ref) + u'>' : QString()) + keyOf(r->ref);
    }
    default:
      return {};
  }
}

QVariant SharingModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case NameColumn:
      return QStringLiteral("Class, attribute");
    case PublishColumn:
      return QStringLiteral("Publish");
    case SubscribeColumn:
      return QStringLiteral("Subscribe");
    case WordColumn:
      return QStringLiteral("Sharing");
    default:
      return QStringLiteral("Defined in");
  }
}

}  // namespace tutti::fomedit
