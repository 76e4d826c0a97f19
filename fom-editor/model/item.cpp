// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/item.h"

#include <QFileInfo>
#include <array>

namespace tutti::fomedit {

namespace {

struct KindName {
  ItemKind kind;
  const char* prefix;
  const char* title;  ///< of a group; null for kinds with a name each
};

constexpr std::array<KindName, 19> kKinds{{
    {ItemKind::ObjectClass, "object", nullptr},
    {ItemKind::InteractionClass, "interaction", nullptr},
    {ItemKind::DataType, "datatype", nullptr},
    {ItemKind::Dimension, "dimension", nullptr},
    {ItemKind::Transportation, "transportation", nullptr},
    {ItemKind::UpdateRate, "updaterate", nullptr},
    {ItemKind::SynchronizationPoint, "syncpoint", nullptr},
    {ItemKind::Module, "module", nullptr},
    {ItemKind::DataTypes, "datatypes", "Datatypes"},
    {ItemKind::MimDataTypes, "mimdatatypes", "HLAstandardMIM"},
    {ItemKind::Dimensions, "dimensions", "Dimensions"},
    {ItemKind::Transportations, "transportations", "Transportation types"},
    {ItemKind::UpdateRates, "updaterates", "Update rates"},
    {ItemKind::SynchronizationPoints, "syncpoints", "Synchronization points"},
    {ItemKind::Switches, "switches", "Switches"},
    {ItemKind::Tags, "tags", "Time and tags"},
    {ItemKind::Sharing, "sharing", "Publish and subscribe"},
    {ItemKind::Services, "services", "Service utilization"},
    {ItemKind::Notes, "notes", "Notes"},
}};

const KindName* kindName(ItemKind kind) {
  for (const KindName& k : kKinds) {
    if (k.kind == kind) return &k;
  }
  return nullptr;
}

template <typename Row>
std::uint32_t positionOf(const std::vector<Row>& rows, const Row* row) {
  return row == nullptr ? 0 : static_cast<std::uint32_t>(row - rows.data() + 1);
}

template <typename Row>
const Row* rowAt(const std::vector<Row>& rows, std::uint32_t id) {
  return id == 0 || id > rows.size() ? nullptr : &rows[id - 1];
}

Item itemOf(ItemKind kind, std::uint32_t id) { return id == 0 ? Item{} : Item{kind, id}; }

/// The only class with that last part of its name, or the first of several.
template <typename Class>
std::uint32_t byShortName(const std::vector<Class>& classes, const std::string& name) {
  const auto found =
      std::find_if(classes.begin(), classes.end(), [&](const Class& c) { return c.name == name; });
  return found == classes.end() ? 0 : found->handle;
}

Item findNamed(const omt::ObjectModel& m, ItemKind kind, const std::string& name) {
  switch (kind) {
    case ItemKind::ObjectClass: {
      const omt::ObjectClass* c = m.findObjectClass(name);
      return itemOf(kind, c != nullptr ? c->handle : byShortName(m.objectClasses(), name));
    }
    case ItemKind::InteractionClass: {
      const omt::InteractionClass* c = m.findInteractionClass(name);
      return itemOf(kind, c != nullptr ? c->handle : byShortName(m.interactionClasses(), name));
    }
    case ItemKind::DataType:
      return itemOf(kind, positionOf(m.dataTypes(), m.findDataType(name)));
    case ItemKind::Dimension:
      return itemOf(kind, positionOf(m.dimensions(), m.findDimension(name)));
    case ItemKind::Transportation:
      return itemOf(kind, positionOf(m.transportations(), m.findTransportation(name)));
    case ItemKind::UpdateRate:
      return itemOf(kind, positionOf(m.updateRates(), m.findUpdateRate(name)));
    case ItemKind::SynchronizationPoint:
      for (const omt::SynchronizationPoint& p : m.synchronizationPoints()) {
        if (p.label == name) return itemOf(kind, positionOf(m.synchronizationPoints(), &p));
      }
      return {};
    case ItemKind::Module:
      for (const omt::ModuleInfo& module : m.modules()) {
        if (module.file == name) return itemOf(kind, positionOf(m.modules(), &module));
      }
      return {};
    default:
      return Item{kind, 0};
  }
}

}  // namespace

QString itemPath(const omt::ObjectModel& model, const Item& item) {
  const KindName* kind = kindName(item.kind);
  if (kind == nullptr) return {};
  QString name;
  if (item.kind == ItemKind::ObjectClass) {
    if (const auto* c = model.objectClass(item.id)) name = text(c->fullName);
  } else if (item.kind == ItemKind::InteractionClass) {
    if (const auto* c = model.interactionClass(item.id)) name = text(c->fullName);
  } else if (kind->title == nullptr) {
    name = itemName(model, item);
    if (item.kind == ItemKind::Module) {
      if (const auto* m = rowAt(model.modules(), item.id)) name = text(m->file);
    }
  }
  return QString::fromLatin1(kind->prefix) + u':' + name;
}

Item findItem(const omt::ObjectModel& model, const QString& path) {
  const qsizetype colon = path.indexOf(u':');
  if (colon > 0) {
    for (const KindName& k : kKinds) {
      if (path.left(colon) == QLatin1String(k.prefix)) {
        return findNamed(model, k.kind, path.mid(colon + 1).toStdString());
      }
    }
  }
  const std::string name = path.toStdString();
  if (name.empty()) return {};
  for (const ItemKind kind : {ItemKind::ObjectClass, ItemKind::InteractionClass, ItemKind::DataType,
                              ItemKind::Dimension, ItemKind::SynchronizationPoint}) {
    if (const Item item = findNamed(model, kind, name); !item.isNull()) return item;
  }
  return {};
}

QString itemName(const omt::ObjectModel& model, const Item& item) {
  switch (item.kind) {
    case ItemKind::ObjectClass:
      if (const auto* c = model.objectClass(item.id)) return text(c->name);
      return {};
    case ItemKind::InteractionClass:
      if (const auto* c = model.interactionClass(item.id)) return text(c->name);
      return {};
    case ItemKind::DataType:
      if (const auto* t = rowAt(model.dataTypes(), item.id)) return text(t->name);
      return {};
    case ItemKind::Dimension:
      if (const auto* d = rowAt(model.dimensions(), item.id)) return text(d->name);
      return {};
    case ItemKind::Transportation:
      if (const auto* t = rowAt(model.transportations(), item.id)) return text(t->name);
      return {};
    case ItemKind::UpdateRate:
      if (const auto* u = rowAt(model.updateRates(), item.id)) return text(u->name);
      return {};
    case ItemKind::SynchronizationPoint:
      if (const auto* p = rowAt(model.synchronizationPoints(), item.id)) return text(p->label);
      return {};
    case ItemKind::Module:
      if (const auto* m = rowAt(model.modules(), item.id)) {
        return QFileInfo(text(m->file)).fileName();
      }
      return {};
    default: {
      const KindName* kind = kindName(item.kind);
      return kind != nullptr && kind->title != nullptr ? QString::fromLatin1(kind->title)
                                                       : QString();
    }
  }
}

omt::SourceLocation itemPlace(const omt::ObjectModel& model, const Item& item) {
  const auto of = [](const auto* row) {
    return row != nullptr ? row->where : omt::SourceLocation{};
  };
  switch (item.kind) {
    case ItemKind::ObjectClass:
      return of(model.objectClass(item.id));
    case ItemKind::InteractionClass:
      return of(model.interactionClass(item.id));
    case ItemKind::DataType:
      return of(rowAt(model.dataTypes(), item.id));
    case ItemKind::Dimension:
      return of(rowAt(model.dimensions(), item.id));
    case ItemKind::Transportation:
      return of(rowAt(model.transportations(), item.id));
    case ItemKind::UpdateRate:
      return of(rowAt(model.updateRates(), item.id));
    case ItemKind::SynchronizationPoint:
      return of(rowAt(model.synchronizationPoints(), item.id));
    case ItemKind::Module:
      return item.id == 0 ? omt::SourceLocation{} : omt::SourceLocation{item.id - 1, 1};
    case ItemKind::Switches:
      return model.switchesWhere().value_or(omt::SourceLocation{});
    default:
      return {};
  }
}

QString placeText(const QString& file, int line) {
  const QString name = QFileInfo(file).fileName();
  return line > 0 ? QStringLiteral("%1:%2").arg(name).arg(line) : name;
}

QString placeText(const omt::ObjectModel& model, const omt::SourceLocation& where) {
  return placeText(text(model.fileOf(where)), where.line);
}

}  // namespace tutti::fomedit
