// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/tables.h"

#include <QFileInfo>
#include <algorithm>

#include "fom-editor/model/data_layout.h"
#include "fom-editor/model/model_fed.h"
#include "fom-editor/model/note_table.h"
#include "fom-editor/model/service_table.h"
#include "fom-editor/model/sharing_table.h"
#include "resources/csv.h"

namespace tutti::fomedit {

namespace {

const QString kNone = QStringLiteral("–");

QString orNone(const QString& value) { return value.isEmpty() ? kNone : value; }
QString orNone(std::string_view value) { return orNone(text(value)); }

QString orderText(omt::OrderType order) {
  return order == omt::OrderType::TimeStamp ? QStringLiteral("Timestamp")
                                            : QStringLiteral("Receive");
}

QString transportText(const std::string& name) {
  if (name == omt::reliableName) return QStringLiteral("Reliable");
  if (name == omt::bestEffortName) return QStringLiteral("Best effort");
  return text(name);
}

QString sharingText(omt::Sharing sharing) {
  switch (sharing) {
    case omt::Sharing::Publish:
      return QStringLiteral("P");
    case omt::Sharing::Subscribe:
      return QStringLiteral("S");
    case omt::Sharing::PublishSubscribe:
      return QStringLiteral("P S");
    default:
      return kNone;
  }
}

/// "Periodic 0.1 s": a short condition stands beside the type, a sentence does not.
QString updateText(const omt::Attribute& a) {
  const QString type = text(omt::toText(a.updateType));
  if (a.updateType == omt::UpdateType::NotApplicable) return kNone;
  const QString condition = text(a.updateCondition);
  if (a.updateType == omt::UpdateType::Periodic && !condition.isEmpty() && condition != "NA" &&
      condition.size() <= 10) {
    return type + u' ' + condition;
  }
  return type;
}

QString namesText(const std::vector<std::string>& names) {
  QStringList list;
  for (const std::string& n : names) list << text(n);
  return orNone(list.join(QStringLiteral(", ")));
}

Item typeItem(const omt::ObjectModel& model, std::string_view name) {
  return name.empty() ? Item{} : findItem(model, QStringLiteral("datatype:") + text(name));
}

TableRow section(const QString& title) {
  TableRow row;
  row.isSection = true;
  row.cells << title;
  return row;
}

TableRow entry(const QStringList& cells, const omt::SourceLocation& where = {}) {
  TableRow row;
  row.cells = cells;
  row.where = where;
  return row;
}

/// The superclasses of a class from the root down, the class itself last.
template <typename Class>
std::vector<const Class*> lineage(const std::vector<Class>& classes, std::uint32_t handle) {
  std::vector<const Class*> line;
  while (handle != 0 && handle <= classes.size()) {
    line.push_back(&classes[handle - 1]);
    handle = classes[handle - 1].parent;
  }
  std::reverse(line.begin(), line.end());
  return line;
}

template <typename Class>
QString sectionTitle(const omt::ObjectModel& model, const Class& c, bool own) {
  if (own) return QStringLiteral("Own");
  // Everybody knows the root and where it is from.
  if (c.parent == 0) return QStringLiteral("Inherited from %1").arg(text(c.name));
  return QStringLiteral("Inherited from %1, %2").arg(text(c.name), placeText(model, c.where));
}

/// Rows of a merged model that are not edited where they are shown.
template <typename Class>
QString inheritedFrom(const Class& c) {
  return QStringLiteral("Inherited: edit it in %1.").arg(text(c.name));
}

RowRef rowRef(RowKind kind, const std::string& owner, const std::string& name, int position = -1) {
  return {kind, text(owner), text(name), position, -1};
}

QString ownershipText(omt::Ownership ownership) {
  switch (ownership) {
    case omt::Ownership::Divest:
      return QStringLiteral("D");
    case omt::Ownership::Acquire:
      return QStringLiteral("A");
    case omt::Ownership::DivestAcquire:
      return QStringLiteral("D A");
    default:
      return kNone;
  }
}

QString attributeToolTip(const omt::Attribute& a) {
  QStringList lines;
  if (!a.semantics.empty()) lines << text(a.semantics);
  if (!a.updateCondition.empty() && a.updateCondition != "NA") {
    lines << QStringLiteral("Update condition: %1").arg(text(a.updateCondition));
  }
  lines << QStringLiteral("Ownership: %1").arg(text(omt::toText(a.ownership)));
  if (!a.notes.empty()) lines << QStringLiteral("Notes: %1").arg(text(a.notes));
  return lines.join(u'\n');
}

bool isOfFed(const omt::ObjectModel& model, const omt::SourceLocation& where) {
  return where.module < model.modules().size() &&
         model.modules()[where.module].edition == omt::Edition::Hla13Fed;
}

bool isOf2025(const omt::ObjectModel& model, const omt::SourceLocation& where) {
  return where.module < model.modules().size() &&
         model.modules()[where.module].edition == omt::Edition::Ieee2025;
}

/// A row of a FED file has fewer cells than the table; its tooltip says so.
void limitToFed(const omt::ObjectModel& model, const omt::SourceLocation& where,
                const QStringList& cells, TableRow& row) {
  if (!isOfFed(model, where)) return;
  row.columnCells.clear();
  for (const QString& cell : cells) {
    row.columnCells << (fedHas(row.ref.kind, cell) ? cell : QString());
  }
  if (!row.toolTip.isEmpty()) row.toolTip += u'\n';
  row.toolTip += QStringLiteral(
      "A FED file of HLA 1.3 has names, transportation, order and routing spaces; federates agree "
      "on the rest elsewhere.");
}

/// From 2025 on: what can be directed to instances of a class, behind its attributes.
void addDirectedRows(const omt::ObjectModel& model, const omt::ObjectClass& c, Table& table) {
  const auto section_ = [&](const omt::ObjectClass& from) {
    const bool own = &from == &c;
    table.rows << section(
        own ? QStringLiteral("Directed interactions")
            : QStringLiteral("Directed interactions inherited from %1").arg(text(from.name)));
  };
  const QStringList cells{QStringLiteral("name"),    {}, {}, {}, {}, {},
                          QStringLiteral("sharing"), {}, {}};
  for (const omt::ObjectClass* from : lineage(model.objectClasses(), c.handle)) {
    if (from->directedInteractions.empty()) continue;
    const bool own = from == &c;
    section_(*from);
    for (const omt::DirectedInteraction& d : from->directedInteractions) {
      // Every name begins with the root: what tells them apart would not be seen.
      const QString root = text(omt::interactionRootName) + u'.';
      const QString name = text(d.name);
      const QString shown = name.startsWith(root) ? name.mid(root.size()) : name;
      TableRow row = entry({shown, {}, {}, {}, {}, {}, sharingText(d.sharing), {}, {}}, d.where);
      row.inherited = !own;
      row.ref = rowRef(RowKind::DirectedInteraction, from->fullName, d.name);
      row.columnCells = cells;
      row.readOnly = own ? readOnlyReason(model, d.where) : inheritedFrom(*from);
      const auto* interaction = model.referredInteractionClass(d.name);
      row.toolTip = interaction != nullptr
                        ? text(interaction->fullName)
                        : QStringLiteral("No module has this interaction class.");
      table.rows << row;
    }
  }
  if (table.adds.isNull() || !isOf2025(model, c.where)) return;
  if (c.directedInteractions.empty()) {
    section_(c);
    table.rows.last().onlyToEdit = true;
  }
  TableRow add = entry({QStringLiteral("New interaction"), {}, {}, {}, {}, {}, {}, {}, {}});
  add.inherited = true;
  add.onlyToEdit = true;
  add.ref = rowRef(RowKind::DirectedInteraction, c.fullName, {});
  add.columnCells = QStringList{QStringLiteral("name")};
  table.rows << add;
}

Table attributeTable(const omt::ObjectModel& model, const omt::ObjectClass& c) {
  Table table;
  table.title = text(c.fullName);
  table.headers << QStringLiteral("Attribute") << QStringLiteral("Datatype")
                << QStringLiteral("Update") << QStringLiteral("Order")
                << QStringLiteral("Transport") << QStringLiteral("Dimensions")
                << QStringLiteral("P/S") << QStringLiteral("D/A") << QStringLiteral("Semantics");
  table.cells << QStringLiteral("name") << QStringLiteral("dataType") << QStringLiteral("update")
              << QStringLiteral("order") << QStringLiteral("transportation")
              << QStringLiteral("dimensions") << QStringLiteral("sharing")
              << QStringLiteral("ownership") << QStringLiteral("semantics");
  table.linkColumn = 1;
  if (c.parent != 0 && readOnlyReason(model, c.where).isEmpty()) {
    table.adds = rowRef(RowKind::Attribute, c.fullName, {});
  }
  const bool of2025 = isOf2025(model, c.where);
  if (of2025) {
    table.headers << QStringLiteral("Required");
    table.cells << QStringLiteral("valueRequired");
  }
  for (const omt::ObjectClass* from : lineage(model.objectClasses(), c.handle)) {
    if (from->attributes.empty()) continue;
    const bool own = from == &c;
    table.rows << section(sectionTitle(model, *from, own));
    for (const omt::AttributeHandle handle : from->attributes) {
      const omt::Attribute& a = *model.attribute(handle);
      TableRow row =
          entry({text(a.name), orNone(a.dataType), updateText(a), orderText(a.order),
                 transportText(a.transportation), namesText(a.dimensions), sharingText(a.sharing),
                 ownershipText(a.ownership), text(a.semantics).simplified()},
                a.where);
      row.inherited = !own;
      row.ref = rowRef(RowKind::Attribute, from->fullName, a.name);
      row.readOnly = own ? readOnlyReason(model, a.where) : inheritedFrom(*from);
      row.link = typeItem(model, a.dataType);
      row.dataType = text(a.dataType);
      row.member = text(a.name);
      row.toolTip = attributeToolTip(a);
      if (of2025) {
        row.cells << (a.valueRequired ? QStringLiteral("yes") : kNone);
        // Its class has them.
        row.columnCells = table.cells;
        row.columnCells[row.columnCells.indexOf(QStringLiteral("dimensions"))].clear();
      }
      limitToFed(model, a.where, table.cells, row);
      table.rows << row;
    }
  }
  addDirectedRows(model, c, table);
  table.empty = QStringLiteral("%1 has no attributes.").arg(text(c.name));
  return table;
}

Table parameterTable(const omt::ObjectModel& model, const omt::InteractionClass& c) {
  Table table;
  table.title = text(c.fullName);
  table.headers << QStringLiteral("Parameter") << QStringLiteral("Datatype")
                << QStringLiteral("Semantics");
  table.cells << QStringLiteral("name") << QStringLiteral("dataType")
              << QStringLiteral("semantics");
  table.linkColumn = 1;
  if (c.parent != 0 && readOnlyReason(model, c.where).isEmpty()) {
    table.adds = rowRef(RowKind::Parameter, c.fullName, {});
  }
  for (const omt::InteractionClass* from : lineage(model.interactionClasses(), c.handle)) {
    if (from->parameters.empty()) continue;
    const bool own = from == &c;
    table.rows << section(sectionTitle(model, *from, own));
    for (const omt::ParameterHandle handle : from->parameters) {
      const omt::Parameter& p = *model.parameter(handle);
      TableRow row =
          entry({text(p.name), orNone(p.dataType), text(p.semantics).simplified()}, p.where);
      row.inherited = !own;
      row.ref = rowRef(RowKind::Parameter, from->fullName, p.name);
      row.readOnly = own ? readOnlyReason(model, p.where) : inheritedFrom(*from);
      row.link = typeItem(model, p.dataType);
      row.dataType = text(p.dataType);
      row.member = text(p.name);
      row.toolTip = text(p.semantics);
      limitToFed(model, p.where, table.cells, row);
      table.rows << row;
    }
  }
  table.empty = QStringLiteral("%1 has no parameters.").arg(text(c.name));
  return table;
}

QString numberOrNone(const std::optional<int>& value) {
  return value ? QString::number(*value) : kNone;
}

Table dataTypeTable(const omt::ObjectModel& model, const omt::DataType& t) {
  Table table;
  table.title = text(t.name);
  const QString readOnly = readOnlyReason(model, t.where);
  const auto property = [&](const QString& name, const QString& value, const char* cell,
                            bool link = false) {
    TableRow row = entry({name, orNone(value)}, t.where);
    row.ref = rowRef(RowKind::DataType, {}, t.name);
    row.cell = QLatin1String(cell);
    row.readOnly = readOnly;
    if (link) {
      row.link = typeItem(model, value.toStdString());
      row.dataType = value;
    }
    table.rows << row;
  };
  const auto properties = [&] {
    table.headers << QStringLiteral("Property") << QStringLiteral("Value");
    table.linkColumn = 1;
  };
  /// Rows of the datatype: parts that can be edited, and added.
  const auto parts = [&](RowKind kind, const QStringList& cells) {
    table.cells = cells;
    if (readOnly.isEmpty()) table.adds = rowRef(kind, t.name, {});
  };
  const auto partRef = [&](TableRow& row, const std::string& name) {
    row.ref = rowRef(table.adds.isNull() ? RowKind::None : table.adds.kind, t.name, name,
                     static_cast<int>(table.rows.size()));
    row.readOnly = readOnly;
  };
  switch (t.kind) {
    case omt::DataTypeKind::Basic:
      properties();
      property(QStringLiteral("Size"), QStringLiteral("%1 bits").arg(t.sizeBits), "size");
      property(QStringLiteral("Byte order"),
               t.bigEndian ? QStringLiteral("big endian") : QStringLiteral("little endian"),
               "endian");
      property(QStringLiteral("Interpretation"), text(t.interpretation).simplified(),
               "interpretation");
      property(QStringLiteral("Encoding"), text(t.encoding), "encoding");
      break;
    case omt::DataTypeKind::Simple:
      properties();
      property(QStringLiteral("Representation"), text(t.representation), "representation", true);
      if (t.isReference) {
        property(QStringLiteral("Referenced class"), text(t.referenceClass), "referenceClass");
        if (const auto* c = model.referredObjectClass(t.referenceClass)) {
          table.rows.last().link = {ItemKind::ObjectClass, c->handle};
          table.rows.last().toolTip = text(c->fullName);
        }
        property(QStringLiteral("Referenced attribute"), text(t.referencedAttribute),
                 "referencedAttribute");
        break;
      }
      property(QStringLiteral("Unit"), text(t.units), "units");
      property(QStringLiteral("Resolution"), text(t.resolution), "resolution");
      property(QStringLiteral("Accuracy"), text(t.accuracy), "accuracy");
      break;
    case omt::DataTypeKind::Array:
      properties();
      property(QStringLiteral("Element"), text(t.elementType), "dataType", true);
      property(QStringLiteral("Cardinality"), text(t.cardinality), "cardinality");
      property(QStringLiteral("Encoding"), text(t.encoding), "encoding");
      break;
    case omt::DataTypeKind::Enumerated:
      table.headers << QStringLiteral("Enumerator") << QStringLiteral("Value");
      table.numberColumns << 1;
      parts(RowKind::Enumerator, {QStringLiteral("name"), QStringLiteral("value")});
      for (const omt::Enumerator& e : t.enumerators) {
        TableRow row = entry({text(e.name), namesText(e.values)}, {t.where.module, e.line});
        partRef(row, e.name);
        table.rows << row;
      }
      break;
    case omt::DataTypeKind::FixedRecord: {
      table.headers << QStringLiteral("Field") << QStringLiteral("Type") << QStringLiteral("Offset")
                    << QStringLiteral("Size") << QStringLiteral("Semantics");
      table.linkColumn = 1;
      table.numberColumns << 2 << 3;
      parts(RowKind::Field, {QStringLiteral("name"),
                             QStringLiteral("dataType"),
                             {},
                             {},
                             QStringLiteral("semantics")});
      QList<LayoutPart> laidOut = layoutOf(model, text(t.name)).fields;
      laidOut.removeIf([](const LayoutPart& p) { return p.isPadding; });
      for (std::size_t i = 0; i < t.fields.size(); ++i) {
        const omt::RecordField& f = t.fields[i];
        const LayoutPart part = laidOut.value(static_cast<qsizetype>(i));
        TableRow row = entry({text(f.name), orNone(f.dataType), numberOrNone(part.offset),
                              numberOrNone(part.size), text(f.semantics).simplified()},
                             {t.where.module, f.line});
        row.link = typeItem(model, f.dataType);
        row.dataType = text(f.dataType);
        row.toolTip = text(f.semantics);
        partRef(row, f.name);
        table.rows << row;
      }
      break;
    }
    case omt::DataTypeKind::VariantRecord: {
      table.headers << QStringLiteral("Alternative") << QStringLiteral("Type")
                    << QStringLiteral("When %1 is").arg(text(t.discriminant))
                    << QStringLiteral("Semantics");
      table.linkColumn = 1;
      parts(RowKind::Alternative, {QStringLiteral("name"), QStringLiteral("dataType"),
                                   QStringLiteral("enumerator"), QStringLiteral("semantics")});
      for (const omt::VariantAlternative& a : t.alternatives) {
        TableRow row = entry({orNone(a.name), orNone(a.dataType), text(a.enumerators),
                              text(a.semantics).simplified()},
                             {t.where.module, a.line});
        row.link = typeItem(model, a.dataType);
        row.dataType = text(a.dataType);
        row.toolTip = text(a.semantics);
        partRef(row, a.name);
        table.rows << row;
      }
      break;
    }
  }
  table.empty = QStringLiteral("%1 has no rows.").arg(text(t.name));
  return table;
}

bool isMim(const omt::ObjectModel& model, const omt::SourceLocation& where) {
  return where.module < model.modules().size() && model.modules()[where.module].isMim;
}

Table dataTypesTable(const omt::ObjectModel& model, bool ofMim) {
  Table table;
  table.title = ofMim ? QStringLiteral("HLAstandardMIM datatypes") : QStringLiteral("Datatypes");
  table.headers << QStringLiteral("Datatype") << QStringLiteral("Kind") << QStringLiteral("Size")
                << QStringLiteral("Defined in");
  table.linkColumn = 0;
  table.numberColumns << 2;
  for (const omt::DataType& t : model.dataTypes()) {
    if (isMim(model, t.where) != ofMim) continue;
    TableRow row =
        entry({text(t.name), shortKind(t), numberOrNone(layoutOf(model, text(t.name)).size),
               placeText(model, t.where)},
              t.where);
    row.link = typeItem(model, t.name);
    row.dataType = text(t.name);
    row.toolTip = text(t.semantics);
    row.ref = rowRef(RowKind::DataType, {}, t.name);
    row.readOnly = readOnlyReason(model, t.where);
    table.rows << row;
  }
  table.cells = QStringList{QStringLiteral("name"), {}, {}, {}};
  table.empty = QStringLiteral("No module defines a datatype of its own.");
  return table;
}

/// The routing spaces of FED files, before the dimensions, which begin with their names.
void addRoutingSpaces(const omt::ObjectModel& model, Table& table) {
  const auto& modules = model.modules();
  const bool any = std::any_of(modules.begin(), modules.end(), [](const omt::ModuleInfo& m) {
    return m.edition == omt::Edition::Hla13Fed;
  });
  if (!any) return;
  table.rows << section(QStringLiteral("Routing spaces of HLA 1.3"));
  for (const omt::RoutingSpace& space : model.routingSpaces()) {
    if (!isOfFed(model, space.where)) continue;
    TableRow row = entry({text(space.name), {}, {}, {}, {}}, space.where);
    row.ref = rowRef(RowKind::RoutingSpace, {}, space.name);
    row.columnCells = QStringList{QStringLiteral("name")};
    row.toolTip = QStringLiteral("Its dimensions are called %1_…").arg(text(space.name));
    table.rows << row;
  }
  TableRow add = entry({QStringLiteral("New routing space"), {}, {}, {}, {}});
  add.ref = rowRef(RowKind::RoutingSpace, {}, {});
  add.columnCells = QStringList{QStringLiteral("name")};
  add.inherited = true;
  add.onlyToEdit = true;
  table.rows << add << section(QStringLiteral("Dimensions"));
}

Table dimensionTable(const omt::ObjectModel& model, const omt::Dimension* only) {
  Table table;
  table.title = only != nullptr ? text(only->name) : QStringLiteral("Dimensions");
  table.headers << QStringLiteral("Dimension") << QStringLiteral("Datatype")
                << QStringLiteral("Upper bound") << QStringLiteral("Default")
                << QStringLiteral("Normalization");
  table.linkColumn = 1;
  table.numberColumns << 2;
  table.cells =
      QStringList{QStringLiteral("name"), QStringLiteral("dataType"), QStringLiteral("upperBound"),
                  QStringLiteral("value"), QStringLiteral("normalization")};
  if (only == nullptr) {
    table.adds = rowRef(RowKind::Dimension, {}, {});
    addRoutingSpaces(model, table);
  }
  for (const omt::Dimension& d : model.dimensions()) {
    if (only != nullptr && &d != only) continue;
    TableRow row =
        entry({text(d.name), orNone(d.dataType),
               d.upperBound ? QString::number(*d.upperBound) : QStringLiteral("set by the RTI"),
               orNone(d.defaultValue), orNone(d.normalization)},
              d.where);
    row.link = typeItem(model, d.dataType);
    row.dataType = text(d.dataType);
    row.ref = rowRef(RowKind::Dimension, {}, d.name);
    row.readOnly = readOnlyReason(model, d.where);
    limitToFed(model, d.where, table.cells, row);
    table.rows << row;
  }
  return table;
}

Table transportationTable(const omt::ObjectModel& model, const omt::Transportation* only) {
  Table table;
  table.title = only != nullptr ? text(only->name) : QStringLiteral("Transportation types");
  table.headers << QStringLiteral("Transportation type") << QStringLiteral("Reliable")
                << QStringLiteral("Semantics");
  for (const omt::Transportation& t : model.transportations()) {
    if (only != nullptr && &t != only) continue;
    TableRow row = entry({text(t.name), t.reliable ? QStringLiteral("yes") : QStringLiteral("no"),
                          text(t.semantics).simplified()},
                         t.where);
    row.ref = rowRef(RowKind::Transportation, {}, t.name);
    row.readOnly = readOnlyReason(model, t.where);
    table.rows << row;
  }
  table.cells =
      QStringList{QStringLiteral("name"), QStringLiteral("reliable"), QStringLiteral("semantics")};
  if (only == nullptr) table.adds = rowRef(RowKind::Transportation, {}, {});
  return table;
}

Table updateRateTable(const omt::ObjectModel& model, const omt::UpdateRate* only) {
  Table table;
  table.title = only != nullptr ? text(only->name) : QStringLiteral("Update rates");
  table.headers << QStringLiteral("Update rate") << QStringLiteral("Updates per second")
                << QStringLiteral("Semantics");
  table.numberColumns << 1;
  for (const omt::UpdateRate& u : model.updateRates()) {
    if (only != nullptr && &u != only) continue;
    TableRow row =
        entry({text(u.name), QString::number(u.rate), text(u.semantics).simplified()}, u.where);
    row.ref = rowRef(RowKind::UpdateRate, {}, u.name);
    row.readOnly = readOnlyReason(model, u.where);
    table.rows << row;
  }
  table.cells =
      QStringList{QStringLiteral("name"), QStringLiteral("rate"), QStringLiteral("semantics")};
  if (only == nullptr) table.adds = rowRef(RowKind::UpdateRate, {}, {});
  table.empty = QStringLiteral("No module defines an update rate.");
  return table;
}

Table synchronizationTable(const omt::ObjectModel& model, const omt::SynchronizationPoint* only) {
  Table table;
  table.title = only != nullptr ? text(only->label) : QStringLiteral("Synchronization points");
  table.headers << QStringLiteral("Label") << QStringLiteral("Tag") << QStringLiteral("Capability")
                << QStringLiteral("Semantics");
  table.linkColumn = 1;
  for (const omt::SynchronizationPoint& p : model.synchronizationPoints()) {
    if (only != nullptr && &p != only) continue;
    TableRow row = entry(
        {text(p.label), orNone(p.dataType), orNone(p.capability), text(p.semantics).simplified()},
        p.where);
    row.link = typeItem(model, p.dataType);
    row.dataType = text(p.dataType);
    row.toolTip = text(p.semantics);
    row.ref = rowRef(RowKind::SynchronizationPoint, {}, p.label);
    row.readOnly = readOnlyReason(model, p.where);
    table.rows << row;
  }
  table.cells = QStringList{QStringLiteral("name"), QStringLiteral("dataType"),
                            QStringLiteral("capability"), QStringLiteral("semantics")};
  if (only == nullptr) table.adds = rowRef(RowKind::SynchronizationPoint, {}, {});
  table.empty = QStringLiteral("No module names a synchronization point.");
  return table;
}

Table switchTable(const omt::ObjectModel& model) {
  Table table;
  table.title = QStringLiteral("Switches");
  table.headers << QStringLiteral("Switch") << QStringLiteral("At the start");
  const omt::Switches& s = model.switches();
  const omt::SourceLocation where = model.switchesWhere().value_or(omt::SourceLocation{});
  const QString readOnly = model.switchesWhere() ? readOnlyReason(model, where) : QString();
  /// "Auto provide" is the switch autoProvide.
  const auto refer = [&](TableRow& row) {
    QString name;
    for (const QString& word : row.cells.front().split(u' ')) {
      name += name.isEmpty() ? word.toLower() : word.left(1).toUpper() + word.mid(1);
    }
    row.ref = {RowKind::Switch, {}, name, -1, -1};
    row.cell = QStringLiteral("value");
    row.readOnly = readOnly;
  };
  const auto add = [&](const char* name, bool on) {
    TableRow row = entry(
        {QString::fromLatin1(name), on ? QStringLiteral("enabled") : QStringLiteral("disabled")},
        where);
    refer(row);
    table.rows << row;
  };
  if (!model.switchesWhere()) {
    table.rows << section(QStringLiteral("No module sets switches; these are the defaults"));
  }
  add("Auto provide", s.autoProvide);
  add("Convey region designator sets", s.conveyRegionDesignatorSets);
  add("Convey producing federate", s.conveyProducingFederate);
  const auto& modules = model.modules();
  const auto isOf2025 = [](const omt::ModuleInfo& m) {
    return m.isMim || m.edition == omt::Edition::Ieee2025;
  };
  if (model.switchesWhere() ? modules[where.module].edition == omt::Edition::Ieee2025
                            : std::all_of(modules.begin(), modules.end(), isOf2025) &&
                                  std::any_of(modules.begin(), modules.end(),
                                              [](const omt::ModuleInfo& m) { return !m.isMim; })) {
    table.rows.last().readOnly = QStringLiteral("IEEE 1516-2025 has no such switch.");
  }
  add("Attribute scope advisory", s.attributeScopeAdvisory);
  add("Attribute relevance advisory", s.attributeRelevanceAdvisory);
  add("Object class relevance advisory", s.objectClassRelevanceAdvisory);
  add("Interaction relevance advisory", s.interactionRelevanceAdvisory);
  add("Service reporting", s.serviceReporting);
  add("Exception reporting", s.exceptionReporting);
  add("Delay subscription evaluation", s.delaySubscriptionEvaluation);
  TableRow resign =
      entry({QStringLiteral("Automatic resign action"), text(omt::toText(s.automaticResignAction))},
            where);
  refer(resign);
  table.rows << resign;
  if (std::none_of(modules.begin(), modules.end(),
                   [](const omt::ModuleInfo& m) { return m.edition == omt::Edition::Ieee2025; })) {
    return table;
  }
  table.rows << section(QStringLiteral("Of IEEE 1516-2025; this RTI does not offer them"));
  for (const char* name : {"Non regulated grant", "Allow relaxed DDM", "Advisories use known class",
                           "Send service reports to file"}) {
    add(name, false);
    const std::string element = table.rows.last().ref.name.toStdString();
    for (const auto& [given, on] : model.switchesOf2025()) {
      if (given == element && on) table.rows.last().cells[1] = QStringLiteral("enabled");
    }
  }
  return table;
}

Table tagTable(const omt::ObjectModel& model) {
  Table table;
  table.title = QStringLiteral("Time and tags");
  table.headers << QStringLiteral("Use") << QStringLiteral("Datatype")
                << QStringLiteral("Semantics");
  table.linkColumn = 1;
  table.cells = QStringList{{}, QStringLiteral("dataType"), QStringLiteral("semantics")};
  const auto add = [&](const char* name, const char* element, const omt::TypeUse& use) {
    TableRow row =
        entry({QString::fromLatin1(name), orNone(use.dataType), text(use.semantics).simplified()},
              use.where);
    row.link = typeItem(model, use.dataType);
    row.dataType = text(use.dataType);
    row.ref = {RowKind::TypeUse, {}, QLatin1String(element), -1, -1};
    if (use.where.line > 0) row.readOnly = readOnlyReason(model, use.where);
    table.rows << row;
  };
  const auto of2025 = [&](const omt::TypeUse& use) {
    const auto& modules = model.modules();
    const auto module = use.where.line > 0 ? use.where.module : modules.size() - 1;
    return modules[module].edition == omt::Edition::Ieee2025;
  };
  table.rows << section(QStringLiteral("Time"));
  add("Time stamp", of2025(model.timeStamp()) ? "logicalTime" : "timeStamp", model.timeStamp());
  add("Lookahead", of2025(model.lookahead()) ? "logicalTimeInterval" : "lookahead",
      model.lookahead());
  table.rows << section(QStringLiteral("User-supplied tags"));
  const omt::UserTags& tags = model.userTags();
  add("Update, reflect", "updateReflectTag", tags.updateReflect);
  add("Send, receive", "sendReceiveTag", tags.sendReceive);
  add("Delete, remove", "deleteRemoveTag", tags.deleteRemove);
  add("Divestiture request", "divestitureRequestTag", tags.divestitureRequest);
  add("Divestiture completion", "divestitureCompletionTag", tags.divestitureCompletion);
  add("Acquisition request", "acquisitionRequestTag", tags.acquisitionRequest);
  add("Request update", "requestUpdateTag", tags.requestUpdate);
  return table;
}

Table moduleTable(const omt::ObjectModel& model, const omt::ModuleInfo& module) {
  Table table;
  table.title = QFileInfo(text(module.file)).fileName();
  table.headers << QStringLiteral("Identification") << QStringLiteral("Value");
  const omt::Identification& id = module.identification;
  const auto position = static_cast<std::uint32_t>(&module - model.modules().data());
  const QString readOnly = readOnlyReason(model, {position, 1});
  const bool fed = module.edition == omt::Edition::Hla13Fed;
  const auto add = [&](const QString& name, const std::string& value, const char* cell,
                       RowKind kind = RowKind::Identification, int at = -1) {
    const bool edited = readOnly.isEmpty() && *cell != '\0';
    if (value.empty() && !edited) return;
    if (fed && *cell != '\0' && !fedHas(kind, QLatin1String(cell))) {
      if (value.empty()) return;
      cell = "";
    }
    TableRow row = entry({name, orNone(text(value).simplified())});
    row.toolTip = text(value);
    if (*cell != '\0') {
      row.ref = {kind, text(module.file), {}, at, -1};
      if (row.ref.isText()) row.ref.name = text(value).simplified();
      row.cell = QLatin1String(cell);
    }
    row.readOnly = readOnly;
    row.inherited = at < 0 && kind != RowKind::Identification;
    row.onlyToEdit = value.empty();
    table.rows << row;
  };
  add(QStringLiteral("File"), module.file, "");
  add(QStringLiteral("Edition"), std::string(omt::toText(module.edition)), "");
  add(QStringLiteral("Name"), id.name, "name");
  add(QStringLiteral("Type"), id.type, "type");
  add(QStringLiteral("Version"), id.version, "version");
  add(QStringLiteral("Modified"), id.modificationDate, "modificationDate");
  const bool of2000 = module.edition == omt::Edition::Ieee2000;
  if (!of2000) {
    add(QStringLiteral("Classification"), id.securityClassification, "securityClassification");
  }
  add(QStringLiteral("Purpose"), id.purpose, "purpose");
  add(QStringLiteral("Application domain"), id.applicationDomain, "applicationDomain");
  if (!of2000) {
    add(QStringLiteral("Description"), id.description, "description");
    add(QStringLiteral("Use limitation"), id.useLimitation, "useLimitation");
  }
  int at = 0;
  for (const std::string& keyword : id.keywords) {
    add(QStringLiteral("Keyword"), keyword, "keywordValue", RowKind::Keyword, at++);
  }
  at = 0;
  if (of2000) {
    // XML attributes of the one point of contact and of the sponsor.
    omt::Contact sponsor;
    omt::Contact person;
    for (const omt::Contact& contact : id.contacts) {
      (contact.type == "Sponsor" ? sponsor : person) = contact;
    }
    const auto first = [](const std::vector<std::string>& list) {
      return list.empty() ? std::string() : list.front();
    };
    add(QStringLiteral("Sponsor"), sponsor.organization, "sponsor");
    add(QStringLiteral("Point of contact"), person.name, "pocName");
    add(QStringLiteral("Organization"), person.organization, "pocOrg");
    add(QStringLiteral("Telephone"), first(person.telephones), "pocPhone");
    add(QStringLiteral("Email"), first(person.emails), "pocEmail");
  } else {
    const bool edited = readOnly.isEmpty();
    for (const omt::Contact& contact : id.contacts) {
      const std::string all = omt::toText(contact);
      add(contact.type.empty() ? QStringLiteral("Point of contact") : text(contact.type),
          edited ? contact.name : all, "pocName", RowKind::Contact, at++);
      if (!edited) continue;
      table.rows.last().toolTip = text(all);
      table.rows.last().columnCells = {QStringLiteral("pocType"), table.rows.last().cell};
    }
  }
  at = 0;
  for (const auto& [kind, name] : id.references) {
    add(text(kind), name, of2000 ? "references" : "identification",
        of2000 ? RowKind::Identification : RowKind::Reference, of2000 ? -1 : at++);
  }
  at = 0;
  for (const std::string& use : id.useHistory) {
    add(QStringLiteral("Use history"), use, "value", RowKind::UseHistory, at++);
  }
  for (const omt::Note& note : model.notes()) {
    if (note.where.module != position) continue;
    add(QStringLiteral("Note %1").arg(text(note.label)), note.semantics, "semantics", RowKind::Note,
        0);
    if (!table.rows.isEmpty() && table.rows.last().ref.kind == RowKind::Note) {
      TableRow& row = table.rows.last();
      row.ref.name = text(note.label);
      row.ref.position = -1;
      row.where = note.where;
    }
  }
  add(QStringLiteral("New note"), {}, "semantics", RowKind::Note);
  if (!of2000) {
    // What is written into these becomes a row of its own.
    add(QStringLiteral("New keyword"), {}, "keywordValue", RowKind::Keyword);
    add(QStringLiteral("New point of contact"), {}, "pocName", RowKind::Contact);
    add(QStringLiteral("New reference"), {}, "identification", RowKind::Reference);
    add(QStringLiteral("New use history"), {}, "value", RowKind::UseHistory);
  }
  table.empty = QStringLiteral("The module says nothing about itself.");
  return table;
}

template <typename Row>
const Row* rowAt(const std::vector<Row>& rows, std::uint32_t id) {
  return id == 0 || id > rows.size() ? nullptr : &rows[id - 1];
}

/// How many classes inherit a member of that class.
template <typename Class>
QStringList subclassNames(const std::vector<Class>& classes, const Class& c) {
  QStringList names;
  for (const std::uint32_t sub : c.subclasses) {
    names << text(classes[sub - 1].name);
    names << subclassNames(classes, classes[sub - 1]);
  }
  return names;
}

QString inheritText(const QStringList& subclasses) {
  if (subclasses.isEmpty()) return {};
  if (subclasses.size() == 1) return QStringLiteral("%1 inherits it").arg(subclasses.front());
  if (subclasses.size() <= 3) {
    return QStringLiteral("%1 inherit it").arg(subclasses.join(QStringLiteral(", ")));
  }
  return QStringLiteral("%1 subclasses inherit it").arg(subclasses.size());
}

Table classUses(const omt::ObjectModel& model, const QString& className, bool isObject,
                const QString& shortName, const UsageProvider* provider) {
  Table table;
  table.title = QStringLiteral("%1, used by").arg(shortName);
  table.headers << QStringLiteral("Federate") << QStringLiteral("Component")
                << (isObject ? QStringLiteral("Attributes") : QStringLiteral("Class"))
                << QStringLiteral("By way of");
  table.empty = provider == nullptr
                    ? QStringLiteral("Open a composition to see who uses %1.").arg(shortName)
                    : QStringLiteral("No federate of the composition uses %1.").arg(shortName);
  if (provider == nullptr) return table;
  const QList<Usage> usages = provider->usages(className, isObject);
  for (const Usage::Kind kind : {Usage::Kind::Publishes, Usage::Kind::Subscribes}) {
    bool first = true;
    for (const Usage& u : usages) {
      if (u.kind != kind) continue;
      if (first) {
        table.rows << section(kind == Usage::Kind::Publishes ? QStringLiteral("Publish")
                                                             : QStringLiteral("Subscribe"));
      }
      first = false;
      const Item as =
          findItem(model, (isObject ? QStringLiteral("object:") : QStringLiteral("interaction:")) +
                              u.asClass);
      const QString way = u.asClass.isEmpty() || u.asClass == className ? QString()
                          : as.isNull()                                 ? u.asClass
                                                                        : itemName(model, as);
      TableRow row =
          entry({u.federate, orNone(u.component),
                 u.members.isEmpty() ? QStringLiteral("all") : u.members.join(QStringLiteral(", ")),
                 orNone(way)});
      row.toolTip = u.members.join(u'\n');
      table.rows << row;
    }
  }
  return table;
}

}  // namespace

Table tableOf(const omt::ObjectModel& model, const Item& item) {
  switch (item.kind) {
    case ItemKind::ObjectClass:
      if (const auto* c = model.objectClass(item.id)) return attributeTable(model, *c);
      break;
    case ItemKind::InteractionClass:
      if (const auto* c = model.interactionClass(item.id)) return parameterTable(model, *c);
      break;
    case ItemKind::DataType:
      if (const auto* t = rowAt(model.dataTypes(), item.id)) return dataTypeTable(model, *t);
      break;
    case ItemKind::Module:
      if (const auto* m = rowAt(model.modules(), item.id)) return moduleTable(model, *m);
      break;
    case ItemKind::Dimension:
      if (const auto* d = rowAt(model.dimensions(), item.id)) return dimensionTable(model, d);
      break;
    case ItemKind::Transportation:
      if (const auto* t = rowAt(model.transportations(), item.id)) {
        return transportationTable(model, t);
      }
      break;
    case ItemKind::UpdateRate:
      if (const auto* u = rowAt(model.updateRates(), item.id)) return updateRateTable(model, u);
      break;
    case ItemKind::SynchronizationPoint:
      if (const auto* p = rowAt(model.synchronizationPoints(), item.id)) {
        return synchronizationTable(model, p);
      }
      break;
    case ItemKind::DataTypes:
      return dataTypesTable(model, false);
    case ItemKind::MimDataTypes:
      return dataTypesTable(model, true);
    case ItemKind::Dimensions:
      return dimensionTable(model, nullptr);
    case ItemKind::Transportations:
      return transportationTable(model, nullptr);
    case ItemKind::UpdateRates:
      return updateRateTable(model, nullptr);
    case ItemKind::SynchronizationPoints:
      return synchronizationTable(model, nullptr);
    case ItemKind::Switches:
      return switchTable(model);
    case ItemKind::Tags:
      return tagTable(model);
    case ItemKind::Sharing:
      return sharingTable(sharingOf(model));
    case ItemKind::Services:
      return serviceTableText(QStringLiteral("Service utilization"), {});
    case ItemKind::Notes:
      return notesTable(model);
    case ItemKind::None:
      break;
  }
  return {};
}

Table usesOf(const omt::ObjectModel& model, const Item& item, const UsageProvider* provider) {
  if (item.kind == ItemKind::ObjectClass) {
    if (const auto* c = model.objectClass(item.id)) {
      return classUses(model, text(c->fullName), true, text(c->name), provider);
    }
  }
  if (item.kind == ItemKind::InteractionClass) {
    if (const auto* c = model.interactionClass(item.id)) {
      return classUses(model, text(c->fullName), false, text(c->name), provider);
    }
  }
  Table table;
  const QString name = itemName(model, item);
  table.title = QStringLiteral("%1, used by").arg(name);
  table.headers << QStringLiteral("Used by") << QStringLiteral("As")
                << QStringLiteral("Defined in");
  table.linkColumn = 0;
  table.empty = QStringLiteral("Nothing in these modules uses %1.").arg(name);
  const std::string key = name.toStdString();
  const auto add = [&](const QString& who, const QString& as, const Item& link,
                       const omt::SourceLocation& where) {
    TableRow row = entry({who, as, placeText(model, where)}, where);
    row.link = link;
    table.rows << row;
  };
  const auto hasName = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), key) != names.end();
  };
  const bool isType = item.kind == ItemKind::DataType;
  const bool isDimension = item.kind == ItemKind::Dimension;
  const bool isTransport = item.kind == ItemKind::Transportation;
  if (!isType && !isDimension && !isTransport) return table;
  for (const omt::Attribute& a : model.attributes()) {
    const omt::ObjectClass& c = *model.objectClass(a.declaringClass);
    if (isType        ? a.dataType != key
        : isDimension ? !hasName(a.dimensions)
                      : a.transportation != key) {
      continue;
    }
    const QString inherited = inheritText(subclassNames(model.objectClasses(), c));
    add(text(c.name) + u'.' + text(a.name),
        inherited.isEmpty() ? QStringLiteral("attribute")
                            : QStringLiteral("attribute, %1").arg(inherited),
        {ItemKind::ObjectClass, c.handle}, a.where);
  }
  for (const omt::Parameter& p : model.parameters()) {
    const omt::InteractionClass& c = *model.interactionClass(p.declaringClass);
    if (!isType || p.dataType != key) continue;
    add(text(c.name) + u'.' + text(p.name), QStringLiteral("parameter"),
        {ItemKind::InteractionClass, c.handle}, p.where);
  }
  for (const omt::InteractionClass& c : model.interactionClasses()) {
    if (isType || (isDimension ? !hasName(c.dimensions) : c.transportation != key)) continue;
    add(text(c.name), QStringLiteral("interaction class"), {ItemKind::InteractionClass, c.handle},
        c.where);
  }
  if (!isType) return table;
  for (const omt::DataType& t : model.dataTypes()) {
    const Item link = typeItem(model, t.name);
    if (t.representation == key) add(text(t.name), QStringLiteral("representation"), link, t.where);
    if (t.elementType == key) add(text(t.name), QStringLiteral("element"), link, t.where);
    if (t.discriminantType == key) add(text(t.name), QStringLiteral("discriminant"), link, t.where);
    for (const omt::RecordField& f : t.fields) {
      if (f.dataType != key) continue;
      add(text(t.name) + u'.' + text(f.name), QStringLiteral("field"), link,
          {t.where.module, f.line});
    }
    for (const omt::VariantAlternative& a : t.alternatives) {
      if (a.dataType != key) continue;
      add(text(t.name) + u'.' + text(a.name), QStringLiteral("alternative"), link,
          {t.where.module, a.line});
    }
  }
  for (const omt::Dimension& d : model.dimensions()) {
    if (d.dataType == key) {
      add(text(d.name), QStringLiteral("dimension"), {ItemKind::Dimension, d.handle}, d.where);
    }
  }
  return table;
}

QByteArray toCsv(const Table& table) {
  const auto quoted = [](QString cell) {
    if (cell == kNone) cell.clear();
    return csvField(std::move(cell));
  };
  const bool sections = std::any_of(table.rows.begin(), table.rows.end(),
                                    [](const TableRow& r) { return r.isSection; });
  QStringList lines;
  const auto line = [&](const QString& first, const QStringList& cells) {
    QStringList words;
    if (sections) words << quoted(first);
    for (const QString& cell : cells) words << quoted(cell);
    lines << words.join(u',');
  };
  line(QStringLiteral("Section"), table.headers);
  QString current;
  for (const TableRow& row : table.rows) {
    if (row.isSection) {
      current = row.cells.value(0);
    } else if (!row.onlyToEdit) {
      line(current, row.cells);
    }
  }
  return QByteArray("\xEF\xBB\xBF") + lines.join(QStringLiteral("\r\n")).toUtf8() + "\r\n";
}

namespace {

/// Rows without notes say nothing of it: the menu of the row sets the first.
QList<Fact> withNotes(QList<Fact> facts, const std::string& notes) {
  if (notes.empty()) return facts;
  facts << Fact{QStringLiteral("Notes"),
                text(notes).simplified().replace(u' ', QStringLiteral(", ")),
                QStringLiteral("notes")};
  return facts;
}

}  // namespace

QList<Fact> factsOf(const omt::ObjectModel& model, const Item& item) {
  if (item.kind == ItemKind::ObjectClass) {
    if (const auto* c = model.objectClass(item.id)) {
      QList<Fact> facts{{QStringLiteral("Sharing"), orNone(omt::toText(c->sharing)),
                         isOfFed(model, c->where) ? QString() : QStringLiteral("sharing")}};
      if (isOf2025(model, c->where) && c->parent != 0) {
        facts << Fact{QStringLiteral("Dimensions"), namesText(c->dimensions),
                      QStringLiteral("dimensions")};
      }
      return withNotes(std::move(facts), c->notes);
    }
  }
  if (item.kind == ItemKind::InteractionClass) {
    if (const auto* c = model.interactionClass(item.id)) {
      return withNotes(
          {{QStringLiteral("Sharing"), orNone(omt::toText(c->sharing)),
            isOfFed(model, c->where) ? QString() : QStringLiteral("sharing")},
           {QStringLiteral("Order"), orderText(c->order), QStringLiteral("order")},
           {QStringLiteral("Transport"), transportText(c->transportation),
            QStringLiteral("transportation")},
           {QStringLiteral("Dimensions"), namesText(c->dimensions), QStringLiteral("dimensions")}},
          c->notes);
    }
  }
  if (item.kind == ItemKind::DataType) {
    if (const auto* t = rowAt(model.dataTypes(), item.id)) {
      return withNotes({{QStringLiteral("Kind"), describe(model, *t), {}}}, t->notes);
    }
  }
  return {};
}

QString semanticsOf(const omt::ObjectModel& model, const Item& item) {
  switch (item.kind) {
    case ItemKind::ObjectClass:
      if (const auto* c = model.objectClass(item.id)) return text(c->semantics);
      break;
    case ItemKind::InteractionClass:
      if (const auto* c = model.interactionClass(item.id)) return text(c->semantics);
      break;
    case ItemKind::DataType:
      if (const auto* t = rowAt(model.dataTypes(), item.id)) return text(t->semantics);
      break;
    default:
      break;
  }
  return {};
}

QString readOnlyReason(const omt::ObjectModel& model, const omt::SourceLocation& where) {
  if (where.module >= model.modules().size()) return {};
  const omt::ModuleInfo& module = model.modules()[where.module];
  if (module.isMim) {
    return QStringLiteral("HLAstandardMIM is the standard's: it is read only.");
  }
  if (module.edition == omt::Edition::Hla13Omt) {
    return QStringLiteral("OMT files of HLA 1.3 are read only.");
  }
  return {};
}

RowRef rowOf(const omt::ObjectModel& model, const Item& item) {
  const QString name = itemName(model, item);
  switch (item.kind) {
    case ItemKind::ObjectClass:
      if (const auto* c = model.objectClass(item.id)) {
        return rowRef(RowKind::ObjectClass, {}, c->fullName);
      }
      return {};
    case ItemKind::InteractionClass:
      if (const auto* c = model.interactionClass(item.id)) {
        return rowRef(RowKind::InteractionClass, {}, c->fullName);
      }
      return {};
    case ItemKind::DataType:
      return {RowKind::DataType, {}, name, -1, -1};
    case ItemKind::Dimension:
      return {RowKind::Dimension, {}, name, -1, -1};
    case ItemKind::Transportation:
      return {RowKind::Transportation, {}, name, -1, -1};
    case ItemKind::UpdateRate:
      return {RowKind::UpdateRate, {}, name, -1, -1};
    case ItemKind::SynchronizationPoint:
      return {RowKind::SynchronizationPoint, {}, name, -1, -1};
    default:
      return {};
  }
}

Table propertiesOf(const omt::ObjectModel& model, const omt::DataType& type) {
  Table table;
  table.title = text(type.name);
  table.headers << QStringLiteral("Property") << QStringLiteral("Value");
  table.linkColumn = 1;
  const QString readOnly = readOnlyReason(model, type.where);
  const auto add = [&](const QString& name, const std::string& value, const char* cell) {
    TableRow row = entry({name, orNone(text(value).simplified())}, type.where);
    row.ref = rowRef(RowKind::DataType, {}, type.name);
    row.cell = QLatin1String(cell);
    row.readOnly = readOnly;
    if (row.cell == u"dataType" || row.cell == u"representation") {
      row.link = typeItem(model, value);
      row.dataType = text(value);
    }
    table.rows << row;
  };
  switch (type.kind) {
    case omt::DataTypeKind::Enumerated:
      add(QStringLiteral("Representation"), type.representation, "representation");
      break;
    case omt::DataTypeKind::FixedRecord:
      add(QStringLiteral("Encoding"), type.encoding, "encoding");
      break;
    case omt::DataTypeKind::VariantRecord:
      add(QStringLiteral("Discriminant"), type.discriminant, "discriminant");
      add(QStringLiteral("Discriminant type"), type.discriminantType, "dataType");
      add(QStringLiteral("Encoding"), type.encoding, "encoding");
      break;
    default:
      break;
  }
  return table;
}

QStringList ancestorsOf(const omt::ObjectModel& model, const Item& item) {
  QStringList names;
  if (item.kind == ItemKind::ObjectClass) {
    for (const auto* c : lineage(model.objectClasses(), item.id)) names << text(c->name);
  } else if (item.kind == ItemKind::InteractionClass) {
    for (const auto* c : lineage(model.interactionClasses(), item.id)) names << text(c->name);
  }
  if (!names.isEmpty()) names.removeLast();
  if (!names.isEmpty()) names.removeFirst();
  return names;
}

void TableModel::setTable(Table table) {
  reasons_.clear();
  if (writer_ == nullptr) table.rows.removeIf([](const TableRow& row) { return row.onlyToEdit; });
  if (table == table_) return;
  // Another table; or an own row among rows that an editor cannot stay on.
  if (table.headers != table_.headers || table.title != table_.title ||
      hasAddRow(table) != hasAddRow(table_)) {
    beginResetModel();
    table_ = std::move(table);
    endResetModel();
    return;
  }
  const QList<TableRow>& before = table_.rows;
  const QList<TableRow>& after = table.rows;
  qsizetype begin = 0;
  const qsizetype most = std::min(before.size(), after.size());
  while (begin < most && before[begin] == after[begin]) ++begin;
  qsizetype end = 0;
  while (end < most - begin &&
         before[before.size() - 1 - end].ref == after[after.size() - 1 - end].ref &&
         before[before.size() - 1 - end].isSection == after[after.size() - 1 - end].isSection) {
    ++end;
  }
  const auto changed = static_cast<int>(std::min(before.size(), after.size()) - end);
  const auto added = static_cast<int>(after.size() - before.size());
  if (added > 0) {
    beginInsertRows({}, changed, changed + added - 1);
  } else if (added < 0) {
    beginRemoveRows({}, changed, changed - added - 1);
  }
  table_ = std::move(table);
  if (added > 0) {
    endInsertRows();
  } else if (added < 0) {
    endRemoveRows();
  }
  if (!table_.rows.isEmpty()) {
    Q_EMIT dataChanged(index(static_cast<int>(std::min(begin, table_.rows.size() - 1)), 0),
                       index(static_cast<int>(table_.rows.size()) - 1, columnCount() - 1));
  }
}

void TableModel::setWriter(CellWriter* writer) {
  beginResetModel();
  writer_ = writer;
  reasons_.clear();
  endResetModel();
}

int TableModel::addRow() const {
  return hasAddRow(table_) ? static_cast<int>(table_.rows.size()) : -1;
}

QString TableModel::nameOfCell(const QModelIndex& at) const {
  if (writer_ == nullptr || !at.isValid()) return {};
  if (at.row() == addRow()) return at.column() == 0 ? QStringLiteral("name") : QString();
  const TableRow* r = row(at);
  if (r == nullptr || r->ref.isNull()) return {};
  if (!r->columnCells.isEmpty()) return r->columnCells.value(at.column());
  if (!r->cell.isEmpty()) return at.column() == 1 ? r->cell : QString();
  return table_.cells.value(at.column());
}

QString TableModel::cellOf(const QModelIndex& at) const {
  const QString cell = nameOfCell(at);
  return cell.isEmpty() || !readOnlyReason(at).isEmpty() ? QString() : cell;
}

QString TableModel::readOnlyReason(const QModelIndex& at) const {
  const TableRow* r = row(at);
  if (r != nullptr && !r->readOnly.isEmpty()) return r->readOnly;
  const QString cell = nameOfCell(at);
  if (cell.isEmpty()) return {};
  const auto key = std::make_pair(at.row(), cell);
  if (const auto known = reasons_.constFind(key); known != reasons_.cend()) return *known;
  const QString reason = writer_->readOnlyReason(refOf(at), cell);
  reasons_.insert(key, reason);
  return reason;
}

void TableModel::noteRights() {
  reasons_.clear();
  if (writer_ == nullptr || rowCount() == 0) return;
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

bool TableModel::setData(const QModelIndex& at, const QVariant& value, int role) {
  const QString cell = cellOf(at);
  refusal_.clear();
  if (role != Qt::EditRole || cell.isEmpty()) return false;
  tl::expected<void, QString> done;
  if (at.row() == addRow()) {
    RowRef added = table_.adds;
    added.name = value.toString().trimmed();
    if (added.name.isEmpty()) return true;  // nothing was written
    done = writer_->addRow(added, {});
  } else {
    TableRow& changed = table_.rows[at.row()];
    done = writer_->setCell(changed.ref, cell, value.toString());
    // Until the model is read again.
    if (done && at.column() < changed.cells.size()) {
      changed.cells[at.column()] = value.toString().simplified();
      if (cell == u"name" && !changed.ref.isClass() && !changed.onlyToEdit) {
        changed.ref.name = value.toString().trimmed();
        if (!changed.member.isEmpty()) changed.member = changed.ref.name;
      }
      if (changed.ref.isText() && changed.ref.position >= 0 && cell == changed.cell) {
        changed.ref.name = value.toString().simplified();
      }
      Q_EMIT dataChanged(at, at.siblingAtColumn(columnCount() - 1));
    }
  }
  if (!done) refusal_ = done.error();
  return done.has_value();
}

const TableRow* TableModel::row(const QModelIndex& index) const {
  return index.isValid() && index.row() < table_.rows.size() ? &table_.rows[index.row()] : nullptr;
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size()) + (hasAddRow(table_) ? 1 : 0);
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.headers.size());
}

RowRef TableModel::refOf(const QModelIndex& at) const {
  if (at.isValid() && at.row() == addRow()) return table_.adds;
  const TableRow* r = row(at);
  return r != nullptr ? r->ref : RowRef{};
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (role == RefusalRole) return refusal_;
  if (index.isValid() && index.row() == addRow()) {
    if (role == AddRole) return true;
    if (role == Qt::ToolTipRole) {
      const QString reason = readOnlyReason(index.siblingAtColumn(0));
      return reason.isEmpty() ? QVariant() : QVariant(reason);
    }
    if (index.column() != 0 || (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)) {
      return {};
    }
    return QStringLiteral("New %1").arg(wordOf(table_.adds.kind));
  }
  const TableRow* r = row(index);
  if (r == nullptr) return {};
  switch (role) {
    case Qt::DisplayRole:
      return r->cells.value(index.column());
    case Qt::EditRole: {
      const QString cell = cellOf(index);
      return cell.isEmpty() ? QVariant(r->cells.value(index.column()))
                            : QVariant(writer_->cell(r->ref, cell));
    }
    case Qt::ToolTipRole: {
      QString tip = r->toolTip;
      const QString reason = writer_ != nullptr ? readOnlyReason(index) : QString();
      if (!reason.isEmpty()) tip += (tip.isEmpty() ? QString() : QStringLiteral("\n")) + reason;
      return tip.isEmpty() ? QVariant() : QVariant(tip);
    }
    case Qt::TextAlignmentRole:
      return table_.numberColumns.contains(index.column())
                 ? QVariant(static_cast<int>(Qt::AlignRight | Qt::AlignVCenter))
                 : QVariant();
    case SectionRole:
      return r->isSection;
    case InheritedRole:
      return r->inherited;
    case LinkRole:
      return index.column() == table_.linkColumn && !r->link.isNull() ? QVariant::fromValue(r->link)
                                                                      : QVariant();
    case DataTypeRole:
      return r->dataType;
    case MemberRole:
      return r->member;
    case ReadOnlyRole:
      return writer_ != nullptr ? readOnlyReason(index) : r->readOnly;
    default:
      return {};
  }
}

QVariant TableModel::headerData(int column, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::DisplayRole) return table_.headers.value(column);
  if (role == Qt::TextAlignmentRole && table_.numberColumns.contains(column)) {
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  }
  return {};
}

Qt::ItemFlags TableModel::flags(const QModelIndex& index) const {
  const TableRow* r = row(index);
  const bool adds = index.isValid() && index.row() == addRow();
  if (r == nullptr && !adds) return Qt::NoItemFlags;
  if (r != nullptr && r->isSection) return Qt::ItemNeverHasChildren;
  const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
  return cellOf(index).isEmpty() ? flags : flags | Qt::ItemIsEditable;
}

}  // namespace tutti::fomedit
