// SPDX-License-Identifier: GPL-3.0-or-later
// Rows, datatypes and classes that a person adds.
#include <algorithm>

#include "fom-editor/model/edit_draft.h"
#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/module_edits.h"

namespace tutti::fomedit {

namespace {

NewElement cellElement(const char* name, const QString& text) {
  return {name, text.toStdString(), {}, {}};
}

/// A new row with the cells that a row of its kind has, in the order of the schemas.
NewElement usualRow(const RowRef& row, std::string_view element) {
  NewElement e{std::string(element), {}, {}, {}};
  const auto add = [&](const char* name, const QString& text) {
    e.children.push_back(cellElement(name, text));
  };
  switch (row.kind) {
    case RowKind::Attribute:
      add("name", row.name);
      add("dataType", QStringLiteral("HLAinteger32BE"));
      add("updateType", QStringLiteral("Conditional"));
      add("ownership", QStringLiteral("NoTransfer"));
      add("sharing", QStringLiteral("PublishSubscribe"));
      add("transportation", QStringLiteral("HLAreliable"));
      add("order", QStringLiteral("Receive"));
      break;
    case RowKind::DirectedInteraction:
      add("name", row.name);
      add("sharing", QStringLiteral("PublishSubscribe"));
      break;
    case RowKind::Parameter:
    case RowKind::Field:
      add("name", row.name);
      add("dataType", QStringLiteral("HLAinteger32BE"));
      break;
    case RowKind::Enumerator:
      add("name", row.name);
      add("value", QStringLiteral("0"));
      break;
    case RowKind::Alternative:
      add("enumerator", QStringLiteral("HLAother"));
      add("name", row.name);
      add("dataType", QStringLiteral("HLAinteger32BE"));
      break;
    case RowKind::Dimension:
      add("name", row.name);
      add("dataType", QStringLiteral("HLAinteger32BE"));
      add("upperBound", QStringLiteral("100"));
      add("normalization", QStringLiteral("linear"));
      add("value", QStringLiteral("Excluded"));
      break;
    case RowKind::Transportation:
      add("name", row.name);
      add("reliable", QStringLiteral("Yes"));
      break;
    case RowKind::UpdateRate:
      add("name", row.name);
      add("rate", QStringLiteral("1"));
      break;
    case RowKind::SynchronizationPoint:
      add("label", row.name);
      add("dataType", QStringLiteral("NA"));
      add("capability", QStringLiteral("RegisterAchieve"));
      break;
    case RowKind::Keyword:
      add("keywordValue", row.name);
      break;
    case RowKind::Contact:
      add("pocType", QStringLiteral("Sponsor"));
      add("pocName", row.name);
      break;
    case RowKind::Reference:
      add("type", QStringLiteral("Text Document"));
      add("identification", row.name);
      break;
    case RowKind::UseHistory:
      e.text = row.name.toStdString();
      break;
    case RowKind::Note:
      add("label", row.name);
      add("semantics", QStringLiteral("–"));
      break;
    default:  // a routing space too
      add("name", row.name);
  }
  return e;
}

void setCells(NewElement& element, const QList<NewCell>& cells) {
  for (const NewCell& cell : cells) {
    const std::string name = cell.first.toStdString();
    const auto found = std::find_if(element.children.begin(), element.children.end(),
                                    [&](const NewElement& child) { return child.name == name; });
    if (found != element.children.end()) {
      found->text = cell.second.toStdString();
    } else {
      element.children.push_back({name, cell.second.toStdString(), {}, {}});
    }
  }
}

/// A dimension of 2025 lists what its normalization takes, and describes what goes in and comes
/// out.
void becomeOf2025(NewElement& dimension) {
  std::vector<NewElement> cells;
  for (NewElement& cell : dimension.children) {
    if (cell.name == "value") cells.push_back({"outputDataSemantics", "-", {}, {}});
    if (cell.name == "dataType") {
      cells.push_back({"inputDataTypes", {}, {std::move(cell)}, {}});
      cells.push_back({"inputDataDescription", "-", {}, {}});
    } else {
      cells.push_back(std::move(cell));
    }
  }
  dimension.children = std::move(cells);
}

/// The whole number behind the last that an enumeration has.
QString nextValue(const ModuleSource& source, const std::vector<ElementId>& enumerators) {
  qlonglong next = 0;
  for (const ElementId e : enumerators) {
    const auto cell = cellOf(source, e, "value");
    if (!cell) continue;
    bool ok = false;
    const QString value = QString::fromStdString(*cell).split(u',').last().trimmed();
    const qlonglong number = value.toLongLong(
        &ok, value.startsWith(QStringLiteral("0x"), Qt::CaseInsensitive) ? 16 : 10);
    if (ok && number >= next && number < 0x7FFF'FFFF'FFFF'FFFE) next = number + 1;
  }
  return QString::number(next);
}

struct DataTypeTable {
  const char* table;
  const char* row;
};

DataTypeTable tableOf(omt::DataTypeKind kind) {
  switch (kind) {
    case omt::DataTypeKind::Basic:
      return {"basicDataRepresentations", "basicData"};
    case omt::DataTypeKind::Simple:
      return {"simpleDataTypes", "simpleData"};
    case omt::DataTypeKind::Enumerated:
      return {"enumeratedDataTypes", "enumeratedData"};
    case omt::DataTypeKind::Array:
      return {"arrayDataTypes", "arrayData"};
    case omt::DataTypeKind::FixedRecord:
      return {"fixedRecordDataTypes", "fixedRecordData"};
    case omt::DataTypeKind::VariantRecord:
      return {"variantRecordDataTypes", "variantRecordData"};
  }
  return {"simpleDataTypes", "simpleData"};
}

/// A datatype that is complete: its values can be encoded.
NewElement usualDataType(omt::DataTypeKind kind, const QString& name) {
  NewElement e{tableOf(kind).row, {}, {}, {}};
  const auto add = [](NewElement& to, const char* cell, const char* text) {
    to.children.push_back({cell, text, {}, {}});
  };
  e.children.push_back(cellElement("name", name));
  switch (kind) {
    case omt::DataTypeKind::Basic:
      add(e, "size", "32");
      add(e, "interpretation", "Integer in the range [-2^31, 2^31 - 1]");
      add(e, "endian", "Big");
      add(e, "encoding",
          "32-bit two's complement signed integer. The most significant bit contains "
          "the sign.");
      break;
    case omt::DataTypeKind::Simple:
      add(e, "representation", "HLAinteger32BE");
      add(e, "units", "NA");
      add(e, "resolution", "1");
      add(e, "accuracy", "NA");
      break;
    case omt::DataTypeKind::Enumerated: {
      add(e, "representation", "HLAinteger32BE");
      NewElement enumerator{"enumerator", {}, {}, {}};
      add(enumerator, "name", "Other");
      add(enumerator, "value", "0");
      e.children.push_back(enumerator);
      break;
    }
    case omt::DataTypeKind::Array:
      add(e, "dataType", "HLAinteger32BE");
      add(e, "cardinality", "Dynamic");
      add(e, "encoding", "HLAvariableArray");
      break;
    case omt::DataTypeKind::FixedRecord: {
      add(e, "encoding", "HLAfixedRecord");
      NewElement field{"field", {}, {}, {}};
      add(field, "name", "value");
      add(field, "dataType", "HLAinteger32BE");
      e.children.push_back(field);
      break;
    }
    case omt::DataTypeKind::VariantRecord: {
      add(e, "discriminant", "isGiven");
      add(e, "dataType", "HLAboolean");
      NewElement alternative{"alternative", {}, {}, {}};
      add(alternative, "enumerator", "HLAtrue");
      add(alternative, "name", "value");
      add(alternative, "dataType", "HLAinteger32BE");
      e.children.push_back(alternative);
      add(e, "encoding", "HLAvariantRecord");
      break;
    }
  }
  return e;
}

}  // namespace

QString ModelChanges::freeName(const RowRef& row, const QString& stem) const {
  for (int number = 1;; ++number) {
    QString name = number == 1 ? stem : stem + QString::number(number);
    RowRef taken = row;
    if (row.isClass()) {
      taken.name = superclassOf(row.name) + u'.' + name;
    }
    if (faultOfName(taken, name).isEmpty() || number > 10000) return name;
  }
}

ModelChanges::Result ModelChanges::add(const RowRef& row, const QList<NewCell>& cells,
                                       int after) const {
  const bool isText = row.isText();
  if (row.isNull() || row.isClass() || row.kind == RowKind::DataType ||
      row.kind == RowKind::TypeUse || row.kind == RowKind::Switch ||
      row.kind == RowKind::Identification) {
    return tl::unexpected(QStringLiteral("No row can be added here."));
  }
  if (isText) {
    if (row.name.isEmpty()) return tl::unexpected(QStringLiteral("Some text is needed."));
  } else if (const QString fault = faultOfName(row, row.name);
             !fault.isEmpty() && !(row.kind == RowKind::Alternative && row.name.isEmpty())) {
    return tl::unexpected(fault);
  }
  for (const NewCell& cell : cells) {
    const QString fault = faultOfValue(row, cell.first, cell.second);
    if (!fault.isEmpty()) return tl::unexpected(fault);
  }
  EditDraft draft(modules_);
  const QString label = QStringLiteral("add %1 %2").arg(wordOf(row.kind), row.name.left(40));
  if (row.kind == RowKind::DirectedInteraction) return addDirected(row, cells, after);
  if (row.isMember() || row.isPart()) {
    RowRef owner;
    owner.kind = row.kind == RowKind::Attribute   ? RowKind::ObjectClass
                 : row.kind == RowKind::Parameter ? RowKind::InteractionClass
                                                  : RowKind::DataType;
    owner.name = row.owner;
    const auto owners = targets(owner);
    if (!owners) return tl::unexpected(owners.error());
    for (auto at = owners->rbegin(); at != owners->rend(); ++at) {
      const ModuleSource& source = draft.source(at->module);
      const std::string_view element = elementOf(row.kind, source.isOf2000());
      std::vector<ElementId> alike;
      for (const ElementId c : source.children(at->element)) {
        if (source.nameOf(c) == element) alike.push_back(c);
      }
      NewElement added = usualRow(row, element);
      if (row.kind == RowKind::Enumerator) {
        setCells(added, {{QStringLiteral("value"), nextValue(source, alike)}});
      }
      setCells(added, cells);
      const ElementId behind = after >= 0 && after < static_cast<int>(alike.size())
                                   ? alike[static_cast<std::size_t>(after)]
                                   : noElement;
      draft.apply(at->module, addElement(source, at->element, added, behind));
    }
    return draft.edit(label, itemOf(row));
  }
  const auto module = moduleFor(row);
  if (!module) return tl::unexpected(module.error());
  const ModuleSource& source = draft.source(*module);
  if (source.isFed() && row.kind == RowKind::Dimension) {
    if (const QString fault = addFedDimension(draft, *module, row.name); !fault.isEmpty()) {
      return tl::unexpected(fault);
    }
    return draft.edit(label + inFile(*module));
  }
  if (isText && source.isOf2000()) {
    return tl::unexpected(
        QStringLiteral("IEEE 1516-2000 has no such rows: a module has one of each."));
  }
  NewElement added = usualRow(row, elementOf(row.kind, source.isOf2000()));
  setCells(added, cells);
  if (row.kind == RowKind::Dimension && source.isOf2025()) becomeOf2025(added);
  draft.apply(*module, addToTable(source, tablePath(row.kind), added));
  return draft.edit(row.module < 0 ? label + inFile(*module) : label);
}

void ModelChanges::addNewDataType(EditDraft& draft, omt::DataTypeKind kind, const QString& name,
                                  int module) const {
  draft.apply(module, addToTable(draft.source(module), {"dataTypes", tableOf(kind).table},
                                 usualDataType(kind, name)));
}

ModelChanges::Result ModelChanges::addDataType(omt::DataTypeKind kind, const QString& name,
                                               int module) const {
  const RowRef row{RowKind::DataType, {}, name, -1, module};
  if (const QString fault = faultOfName(row, name); !fault.isEmpty()) {
    return tl::unexpected(fault);
  }
  const auto to = moduleFor(row);
  if (!to) return tl::unexpected(to.error());
  EditDraft draft(modules_);
  addNewDataType(draft, kind, name, *to);
  return draft.edit(QStringLiteral("add datatype %1").arg(name) + inFile(*to), itemOf(row));
}

ModelChanges::Result ModelChanges::setNewDataType(const RowRef& row, const QString& cell,
                                                  omt::DataTypeKind kind,
                                                  const QString& name) const {
  const RowRef type{RowKind::DataType, {}, name};
  if (const QString fault = faultOfName(type, name); !fault.isEmpty()) {
    return tl::unexpected(fault);
  }
  const auto found = targets(row);
  if (!found) return tl::unexpected(found.error());
  if (const QString fault = faultOfValue(row, cell, name); !fault.isEmpty()) {
    return tl::unexpected(fault);
  }
  EditDraft draft(modules_);
  for (auto at = found->rbegin(); at != found->rend(); ++at) {
    if (at->element == noElement) {
      writeTypeUse(draft, row, cell, name);
    } else {
      writeCell(draft, *at, row, cell, name);
    }
  }
  // Beside what uses it: a module brings what it needs.
  addNewDataType(draft, kind, name, found->front().module);
  return draft.edit(QStringLiteral("add datatype %1").arg(name), itemOf(row));
}

ModelChanges::Result ModelChanges::addSubclass(const RowRef& superclass, const QString& name,
                                               int module) const {
  const bool isObject = superclass.kind == RowKind::ObjectClass;
  RowRef row{superclass.kind, {}, superclass.name + u'.' + name, -1, -1};
  if (const QString fault = faultOfName(row, name); !fault.isEmpty()) {
    return tl::unexpected(fault);
  }
  if (module < 0 && isWritable(preferred_)) {
    // In editions without modules a file cannot only name the superclass.
    const ModuleSource& source = sourceOf(preferred_);
    const RowRef above{superclass.kind, {}, superclass.name, -1, -1};
    if (!definesByNaming(source) || !placesOf(source, above).empty()) module = preferred_;
  }
  if (module < 0) {
    // Where the superclass is defined, else where it is named, of those that can be written.
    RowRef above{superclass.kind, {}, superclass.name, -1, -1};
    const std::vector<FoundRow> found = placesOf(modules_, above);
    for (const FoundRow& f : found) {
      if (!modules_[f.module].isWritable()) continue;
      if (module < 0 || definesClass(sourceOf(f.module), f.element)) {
        module = f.module;
        if (definesClass(sourceOf(f.module), f.element)) break;
      }
    }
  }
  row.module = module;
  const auto to = moduleFor(row);
  if (!to) return tl::unexpected(to.error());
  NewElement added{isObject ? "objectClass" : "interactionClass", {}, {}, {}};
  added.children.push_back(cellElement("name", name));
  added.children.push_back(cellElement("sharing", QStringLiteral("PublishSubscribe")));
  if (!isObject) {
    added.children.push_back(cellElement("transportation", QStringLiteral("HLAreliable")));
    added.children.push_back(cellElement("order", QStringLiteral("Receive")));
  }
  EditDraft draft(modules_);
  if (const QString fault = addClassElement(draft, *to, superclass, std::move(added));
      !fault.isEmpty()) {
    return tl::unexpected(fault);
  }
  row.module = -1;
  return draft.edit(QStringLiteral("add class %1").arg(name) + inFile(*to), itemOf(row));
}

QString ModelChanges::addClassElement(EditDraft& draft, int module, const RowRef& superclass,
                                      NewElement added) const {
  const ModuleSource& source = draft.source(module);
  RowRef above{superclass.kind, {}, superclass.name, -1, -1};
  const std::string_view table =
      superclass.kind == RowKind::ObjectClass ? "objects" : "interactions";
  if (above.name.isEmpty()) {
    draft.apply(module, addToTable(source, {table}, added));
    return draft.error();
  }
  std::vector<ElementId> places = placesOf(source, above);
  while (places.empty()) {
    const QString up = superclassOf(above.name);
    if (definesByNaming(source) && !up.isEmpty()) {
      return QStringLiteral(
                 "%1 has no class %2, and in its edition naming a class defines it. Choose a "
                 "class of that module.")
          .arg(modules_[module].name, shortName(above));
    }
    // Named only to say where its subclasses belong.
    NewElement named{added.name, {}, {cellElement("name", shortName(above)), std::move(added)}, {}};
    added = std::move(named);
    if (up.isEmpty()) {
      draft.apply(module, addToTable(source, {table}, added));
      return draft.error();
    }
    above.name = up;
    places = placesOf(source, above);
  }
  draft.apply(module, addElement(source, places.front(), added));
  return draft.error();
}

}  // namespace tutti::fomedit
