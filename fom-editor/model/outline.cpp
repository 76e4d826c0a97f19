// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/outline.h"

#include <map>

#include "fom-editor/model/data_layout.h"
#include "fom-editor/model/module_dependencies.h"
#include "fom-editor/model/module_names.h"

namespace tutti::fomedit {

namespace {

bool isMim(const omt::ObjectModel& model, const omt::SourceLocation& where) {
  return model.modules()[where.module].isMim;
}

}  // namespace

int OutlineModel::add(int parent, const Item& item, const QString& label, const QString& detail) {
  const int id = static_cast<int>(nodes_.size());
  auto& siblings = parent < 0 ? roots_ : nodes_[static_cast<std::size_t>(parent)].children;
  Node node;
  node.item = item;
  node.parent = parent;
  node.row = static_cast<int>(siblings.size());
  node.label = label;
  node.detail = detail;
  node.search = label;
  siblings.push_back(id);  // before nodes_ grows: siblings may lie in it
  nodes_.push_back(std::move(node));
  return id;
}

void OutlineModel::addObjectClass(int parent, omt::ObjectClassHandle handle) {
  const omt::ObjectClass& c = *model_->objectClass(handle);
  const bool mim = isMim(*model_, c.where);
  QString detail;
  if (mim && c.parent == omt::objectRootHandle) {
    detail = QStringLiteral("MIM");
  } else if (c.parent != 0 && !c.attributes.empty()) {
    detail = QString::number(c.attributes.size());
  }
  const int id = add(parent, {ItemKind::ObjectClass, handle}, text(c.name), detail);
  Node& node = nodes_[static_cast<std::size_t>(id)];
  node.muted = mim || c.scaffolding;
  node.toolTip = text(c.fullName) + u'\n' + placeText(*model_, c.where);
  for (const omt::AttributeHandle a : c.attributes) {
    node.search += u'\n' + text(model_->attribute(a)->name);
  }
  for (const omt::ObjectClassHandle sub : c.subclasses) addObjectClass(id, sub);
}

void OutlineModel::addInteractionClass(int parent, omt::InteractionClassHandle handle) {
  const omt::InteractionClass& c = *model_->interactionClass(handle);
  const bool mim = isMim(*model_, c.where);
  QString detail;
  if (mim && c.parent == omt::interactionRootHandle) {
    detail = QStringLiteral("MIM");
  } else if (c.parent != 0 && !c.parameters.empty()) {
    detail = QString::number(c.parameters.size());
  }
  const int id = add(parent, {ItemKind::InteractionClass, handle}, text(c.name), detail);
  Node& node = nodes_[static_cast<std::size_t>(id)];
  node.muted = mim || c.scaffolding;
  node.toolTip = text(c.fullName) + u'\n' + placeText(*model_, c.where);
  for (const omt::ParameterHandle p : c.parameters) {
    node.search += u'\n' + text(model_->parameter(p)->name);
  }
  for (const omt::InteractionClassHandle sub : c.subclasses) addInteractionClass(id, sub);
}

void OutlineModel::addTables() {
  const auto group = [&](ItemKind kind, std::size_t count) {
    const Item item{kind, 0};
    return add(-1, item, itemName(*model_, item), count > 0 ? QString::number(count) : QString());
  };
  const auto place = [&](int id, const omt::SourceLocation& where) {
    Node& node = nodes_[static_cast<std::size_t>(id)];
    node.toolTip = placeText(*model_, where);
    node.muted = isMim(*model_, where);
  };

  std::size_t ownTypes = 0;
  for (const omt::DataType& t : model_->dataTypes()) ownTypes += isMim(*model_, t.where) ? 0 : 1;
  const int types = group(ItemKind::DataTypes, ownTypes);
  const auto addTypes = [&](int parent, bool ofMim) {
    for (std::size_t i = 0; i < model_->dataTypes().size(); ++i) {
      const omt::DataType& t = model_->dataTypes()[i];
      if (isMim(*model_, t.where) != ofMim) continue;
      const int id = add(parent, {ItemKind::DataType, static_cast<std::uint32_t>(i + 1)},
                         text(t.name), shortKind(t));
      place(id, t.where);
      Node& node = nodes_[static_cast<std::size_t>(id)];
      for (const omt::RecordField& f : t.fields) node.search += u'\n' + text(f.name);
      for (const omt::Enumerator& e : t.enumerators) node.search += u'\n' + text(e.name);
    }
  };
  addTypes(types, false);
  const int mimTypes =
      add(types, {ItemKind::MimDataTypes, 0}, itemName(*model_, {ItemKind::MimDataTypes, 0}),
          QString::number(model_->dataTypes().size() - ownTypes));
  nodes_[static_cast<std::size_t>(mimTypes)].muted = true;
  addTypes(mimTypes, true);

  const int dimensions = group(ItemKind::Dimensions, model_->dimensions().size());
  for (const omt::Dimension& d : model_->dimensions()) {
    place(add(dimensions, {ItemKind::Dimension, d.handle}, text(d.name),
              isMim(*model_, d.where) ? QStringLiteral("MIM") : QString()),
          d.where);
  }
  const int transports = group(ItemKind::Transportations, model_->transportations().size());
  for (const omt::Transportation& t : model_->transportations()) {
    place(add(transports, {ItemKind::Transportation, t.handle}, text(t.name),
              isMim(*model_, t.where) ? QStringLiteral("MIM") : QString()),
          t.where);
  }
  if (!model_->updateRates().empty()) {
    const int rates = group(ItemKind::UpdateRates, model_->updateRates().size());
    for (std::size_t i = 0; i < model_->updateRates().size(); ++i) {
      const omt::UpdateRate& u = model_->updateRates()[i];
      place(add(rates, {ItemKind::UpdateRate, static_cast<std::uint32_t>(i + 1)}, text(u.name),
                QStringLiteral("%1 /s").arg(u.rate)),
            u.where);
    }
  }
  const int points = group(ItemKind::SynchronizationPoints, model_->synchronizationPoints().size());
  for (std::size_t i = 0; i < model_->synchronizationPoints().size(); ++i) {
    const omt::SynchronizationPoint& p = model_->synchronizationPoints()[i];
    place(add(points, {ItemKind::SynchronizationPoint, static_cast<std::uint32_t>(i + 1)},
              text(p.label), QString()),
          p.where);
  }
  group(ItemKind::Tags, 0);
  group(ItemKind::Switches, 0);
  group(ItemKind::Sharing, 0);
  group(ItemKind::Services, 0);
  group(ItemKind::Notes, model_->notes().size());
}

/// Which modules the items come from; the tool tip has the first already.
void OutlineModel::addOrigins(const LoadedModel& loaded) {
  QStringList files;
  for (const omt::ModuleInfo& module : model_->modules()) {
    if (!module.isMim) files << text(module.file);
  }
  const QStringList names = shortModuleNames(files);
  // Of each name the modules that define it or, of classes, name it.
  std::map<std::pair<NameKind, QString>, QStringList> others;
  if (loaded.dependencies) {
    for (const ModuleDependencies& module : loaded.dependencies->modules) {
      for (const ModuleOffer& offer : module.offers) {
        others[{offer.kind, offer.name}] << placeText(module.file, offer.line);
      }
      for (const ModuleNeed& need : module.needs) {
        if (need.kind == NameKind::ObjectClass || need.kind == NameKind::InteractionClass) {
          others[{need.kind, need.name}]
              << QStringLiteral("%1 names it").arg(placeText(module.file, need.line));
        }
      }
    }
  }
  constexpr int kMost = 8;
  for (Node& node : nodes_) {
    const omt::SourceLocation place = itemPlace(*model_, node.item);
    if (place.line <= 0) continue;
    const QString file = text(model_->fileOf(place));
    const qsizetype at = files.indexOf(file);
    if (isMim(*model_, place)) {
      node.module = QStringLiteral("MIM");
      continue;  // all modules name its roots
    }
    if (at >= 0) node.module = names[at];
    const auto found =
        others.find({node.item.kind == ItemKind::ObjectClass        ? NameKind::ObjectClass
                     : node.item.kind == ItemKind::InteractionClass ? NameKind::InteractionClass
                     : node.item.kind == ItemKind::Dimension        ? NameKind::Dimension
                     : node.item.kind == ItemKind::Transportation   ? NameKind::Transportation
                                                                    : NameKind::DataType,
                     isClass(node.item) ? node.toolTip.section(u'\n', 0, 0) : node.label});
    if (found == others.end() || found->second.size() < 2) continue;
    const QString own = placeText(file, place.line);
    int told = 0;
    for (const QString& other : found->second) {
      if (other == own || other.startsWith(own + u' ')) continue;
      if (++told > kMost) break;
      node.toolTip += u'\n' + other;
    }
    if (told > kMost) node.toolTip += QStringLiteral("\n…");
  }
}

void OutlineModel::setShowsModules(bool shows) {
  if (shows == showsModules_) return;
  showsModules_ = shows;
  if (nodes_.empty()) return;
  // Views paint what they show anew, whichever rows are named.
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0), {DetailRole});
}

void OutlineModel::setLoadedModel(const LoadedModel& loaded) {
  beginResetModel();
  reasons_.clear();
  nodes_.clear();
  roots_.clear();
  model_ = loaded.model;
  if (model_) {
    addObjectClass(-1, omt::objectRootHandle);
    addInteractionClass(-1, omt::interactionRootHandle);
    addTables();
    addOrigins(loaded);
    QHash<QString, int> levels;
    for (const Finding& f : loaded.findings) {
      // Missing descriptions would mark nearly every class of some models; the Checks pane has
      // them.
      if (f.item.isEmpty() || f.level == Level::Described || f.isStyle) continue;
      const int level = static_cast<int>(f.level);
      const auto known = levels.constFind(f.item);
      if (known == levels.cend() || level < *known) levels.insert(f.item, level);
    }
    if (!levels.isEmpty()) {
      for (Node& node : nodes_) node.level = levels.value(itemPath(*model_, node.item), -1);
    }
  }
  endResetModel();
}

void OutlineModel::setEdited(const QSet<QString>& paths) {
  if (paths == edited_) return;
  edited_ = paths;
  if (nodes_.empty()) return;
  // Views paint what they show anew, whichever rows are named.
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0), {EditedRole});
}

QModelIndex OutlineModel::indexOf(const Item& wanted) const {
  if (wanted.isNull()) return {};
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].item == wanted) return createIndex(nodes_[i].row, 0, i);
  }
  return {};
}

Item OutlineModel::item(const QModelIndex& at) const {
  return at.isValid() && at.model() == this ? node(at).item : Item{};
}

QModelIndex OutlineModel::index(int row, int column, const QModelIndex& parent) const {
  if (row < 0 || column != 0 || (parent.isValid() && parent.column() != 0)) return {};
  const auto& rows = parent.isValid() ? node(parent).children : roots_;
  if (row >= static_cast<int>(rows.size())) return {};
  return createIndex(row, 0, static_cast<quintptr>(rows[static_cast<std::size_t>(row)]));
}

QModelIndex OutlineModel::parent(const QModelIndex& child) const {
  if (!child.isValid()) return {};
  const int up = node(child).parent;
  if (up < 0) return {};
  return createIndex(nodes_[static_cast<std::size_t>(up)].row, 0, static_cast<quintptr>(up));
}

int OutlineModel::rowCount(const QModelIndex& parent) const {
  if (parent.column() > 0) return 0;
  return static_cast<int>(parent.isValid() ? node(parent).children.size() : roots_.size());
}

int OutlineModel::columnCount(const QModelIndex&) const { return 1; }

QVariant OutlineModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid()) return {};
  const Node& n = node(at);
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
      return n.label;
    case PathRole:
      return itemPath(*model_, n.item);
    case ReadOnlyRole:
      return whyReadOnly(at);
    case RefusalRole:
      return refusal_;
    case Qt::ToolTipRole: {
      const QString reason = writer_ != nullptr ? whyReadOnly(at) : QString();
      if (reason.isEmpty() || n.toolTip.isEmpty()) {
        return n.toolTip.isEmpty() ? QVariant() : QVariant(n.toolTip);
      }
      return n.toolTip + u'\n' + reason;
    }
    case Qt::AccessibleTextRole: {
      const QString& said = showsModules_ && !n.module.isEmpty() ? n.module : n.detail;
      return said.isEmpty() ? n.label : n.label + QStringLiteral(", ") + said;
    }
    case ItemRole:
      return QVariant::fromValue(n.item);
    case DetailRole:
      return showsModules_ && !n.module.isEmpty() ? n.module : n.detail;
    case MutedRole:
      return n.muted;
    case LevelRole:
      return n.level < 0 ? QVariant() : QVariant(n.level);
    case SearchRole:
      return n.search;
    case EditedRole:
      return !edited_.isEmpty() && edited_.contains(itemPath(*model_, n.item));
    default:
      return {};
  }
}

QString OutlineModel::whyReadOnly(const QModelIndex& at) const {
  const Item& item = node(at).item;
  const QString reason = readOnlyReason(*model_, itemPlace(*model_, item));
  if (!reason.isEmpty() || writer_ == nullptr) return reason;
  const RowRef ref = rowOf(*model_, item);
  if (ref.isNull()) return {};
  const auto id = at.internalId();
  if (const auto known = reasons_.constFind(id); known != reasons_.cend()) return *known;
  return *reasons_.insert(id, writer_->readOnlyReason(ref, {}));
}

void OutlineModel::noteRights() {
  reasons_.clear();
  if (nodes_.empty()) return;
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0));
}

RowRef OutlineModel::refOf(const QModelIndex& at) const {
  return model_ && at.isValid() && at.model() == this ? rowOf(*model_, node(at).item) : RowRef{};
}

Qt::ItemFlags OutlineModel::flags(const QModelIndex& at) const {
  const Qt::ItemFlags flags = QAbstractItemModel::flags(at);
  if (writer_ == nullptr || !at.isValid()) return flags;
  const Item& item = node(at).item;
  const bool named = isClass(item) || item.kind == ItemKind::DataType ||
                     item.kind == ItemKind::Dimension || item.kind == ItemKind::Transportation ||
                     item.kind == ItemKind::UpdateRate ||
                     item.kind == ItemKind::SynchronizationPoint;
  if (!named || !whyReadOnly(at).isEmpty()) return flags;
  return flags | Qt::ItemIsEditable;
}

bool OutlineModel::setData(const QModelIndex& at, const QVariant& value, int role) {
  refusal_.clear();
  if (role != Qt::EditRole || !flags(at).testFlag(Qt::ItemIsEditable)) return false;
  const auto done = writer_->setCell(refOf(at), QStringLiteral("name"), value.toString());
  if (!done) {
    refusal_ = done.error();
    return false;
  }
  // Until the model is read again.
  nodes_[at.internalId()].label = value.toString().trimmed();
  Q_EMIT dataChanged(at, at);
  return true;
}

OutlineFilter::OutlineFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setRecursiveFilteringEnabled(true);
}

void OutlineFilter::setFilter(const QString& filterText) {
  const QStringList words = filterText.toLower().split(u' ', Qt::SkipEmptyParts);
  if (words == words_) return;
  words_ = words;
  invalidateFilter();
}

bool OutlineFilter::matches(const QModelIndex& source) const {
  const QString search = source.data(OutlineModel::SearchRole).toString();
  return std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
    return search.contains(word, Qt::CaseInsensitive);
  });
}

QString OutlineFilter::whyShown(const QModelIndex& source) const {
  if (words_.isEmpty() || !matches(source)) return {};
  const QString label = source.data().toString();
  const QStringList members = source.data(OutlineModel::SearchRole).toString().split(u'\n').mid(1);
  for (const QString& word : words_) {
    if (label.contains(word, Qt::CaseInsensitive)) continue;
    for (const QString& member : members) {
      if (!member.contains(word, Qt::CaseInsensitive)) continue;
      switch (source.data(OutlineModel::ItemRole).value<Item>().kind) {
        case ItemKind::ObjectClass:
          return tr("attribute %1").arg(member);
        case ItemKind::InteractionClass:
          return tr("parameter %1").arg(member);
        default:
          return tr("has %1").arg(member);
      }
    }
  }
  return {};
}

QVariant OutlineFilter::data(const QModelIndex& at, int role) const {
  if (role == OutlineModel::DetailRole || role == Qt::AccessibleTextRole) {
    const QString why = whyShown(mapToSource(at));
    if (!why.isEmpty()) {
      return role == OutlineModel::DetailRole ? why
                                              : at.data().toString() + QStringLiteral(", ") + why;
    }
  }
  return QSortFilterProxyModel::data(at, role);
}

bool OutlineFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  return words_.isEmpty() || matches(sourceModel()->index(row, 0, parent));
}

bool OutlineFilter::isFoundBy(const QString& member, const QString& className) const {
  return !member.isEmpty() && std::any_of(words_.begin(), words_.end(), [&](const QString& word) {
    return member.contains(word, Qt::CaseInsensitive) &&
           !className.contains(word, Qt::CaseInsensitive);
  });
}

QModelIndex OutlineFilter::bestMatch() const {
  if (words_.isEmpty()) return {};
  QModelIndex best;
  int bestRank = 3;
  const auto visit = [&](const auto& self, const QModelIndex& at) -> void {
    for (int row = 0; row < rowCount(at) && bestRank > 0; ++row) {
      const QModelIndex child = index(row, 0, at);
      if (matches(mapToSource(child))) {
        const QString label = child.data().toString().toLower();
        const int rank = label.startsWith(words_.front()) ? 0
                         : label.contains(words_.front()) ? 1
                                                          : 2;
        if (rank < bestRank) {
          best = child;
          bestRank = rank;
        }
      }
      self(self, child);
    }
  };
  visit(visit, {});
  return best;
}

}  // namespace tutti::fomedit
