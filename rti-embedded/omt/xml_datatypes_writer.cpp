// SPDX-License-Identifier: Apache-2.0
#include "omt/xml_datatypes_writer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "omt/hla13_datatypes.h"
#include "omt/written_names.h"

namespace tutti::omt {

XmlDataTypesWriter::XmlDataTypesWriter(const Module& module, XmlRows& rows)
    : module_(module), rows_(rows) {
  if (module.edition == Edition::Hla13Omt) renameBaseTypes();
}

/// A module of HLA 1.3 uses types of IDL; those of IEEE 1516 are the nearest.
void XmlDataTypesWriter::renameBaseTypes() {
  for (const DataType& t : module_.dataTypes) {
    if (!isHla13BaseType(t)) continue;
    for (const Hla13BaseType& base : hla13BaseTypes) {
      if (base.name != t.name) continue;
      renamed_.emplace(t.name, base.ieeeName);
      rows_.report().guessed("Base types of HLA 1.3, which gives no encoding of values",
                             "datatypes of IEEE 1516, big-endian",
                             t.name + " as " + std::string(base.ieeeName), t.where.line);
    }
  }
}
std::string XmlDataTypesWriter::typeName(const std::string& name) const {
  const auto found = renamed_.find(name);
  return found == renamed_.end() ? name : found->second;
}

std::vector<DataType> XmlDataTypesWriter::written() const {
  std::vector<DataType> types;
  for (const DataType& t : module_.dataTypes) {
    if (!renamed_.contains(t.name)) {
      types.push_back(t);
    } else if (const auto own =
                   std::find_if(hla13BaseTypes.begin(), hla13BaseTypes.end(),
                                [&](const Hla13BaseType& base) { return base.name == t.name; });
               !own->inMim) {
      DataType& base = types.emplace_back(t);
      base.name = own->ieeeName;
      base.interpretation = "Unsigned integer, " + std::string(own->name) + " of HLA 1.3";
      base.encoding = "Most significant octet first";
    }
  }
  return types;
}

void XmlDataTypesWriter::write() {
  struct Table {
    std::string_view table;
    std::string_view row;
    DataTypeKind kind;
    bool isReference;
  };
  constexpr std::array<Table, 7> tables{
      {{"basicDataRepresentations", "basicData", DataTypeKind::Basic, false},
       {"simpleDataTypes", "simpleData", DataTypeKind::Simple, false},
       {"referenceDataTypes", "referenceDataType", DataTypeKind::Simple, true},
       {"enumeratedDataTypes", "enumeratedData", DataTypeKind::Enumerated, false},
       {"arrayDataTypes", "arrayData", DataTypeKind::Array, false},
       {"fixedRecordDataTypes", "fixedRecordData", DataTypeKind::FixedRecord, false},
       {"variantRecordDataTypes", "variantRecordData", DataTypeKind::VariantRecord, false}}};
  const std::vector<DataType> types = written();
  if (types.empty()) return;
  rows_.table("dataTypes", [&] {
    for (const Table& table : tables) {
      const auto isOf = [&](const DataType& t) {
        return t.kind == table.kind && (t.isReference && rows_.of2025()) == table.isReference;
      };
      if (std::none_of(types.begin(), types.end(), isOf)) continue;
      rows_.table(table.table, [&] {
        for (const DataType& t : types) {
          if (isOf(t)) dataType(table.row, t);
        }
      });
    }
  });
}

/// From 2025 on a row of a table of their own; before, a simple datatype can only say it in words.
void XmlDataTypesWriter::reference(const DataType& t) {
  const int line = t.where.line;
  if (rows_.of2025()) {
    rows_.row("referenceDataType", t.notes, line,
              {{"name", t.name},
               {"representation", typeName(t.representation)},
               {"referenceClass", t.referenceClass},
               {"referencedAttribute", t.referencedAttribute},
               {"semantics", t.semantics}});
    return;
  }
  rows_.report().guessed("Reference datatypes", "simple datatypes that say it in their semantics",
                         t.name, line);
  std::string semantics = t.semantics.empty() ? std::string() : t.semantics + ' ';
  semantics += "Refers to " + t.referenceClass +
               (t.referencedAttribute.empty() ? std::string() : '.' + t.referencedAttribute) + '.';
  rows_.row("simpleData", t.notes, line,
            {{"name", t.name},
             {"representation", typeName(t.representation)},
             {"units", {}},
             {"resolution", {}},
             {"accuracy", {}},
             {"semantics", semantics}});
}

void XmlDataTypesWriter::dataType(std::string_view name, const DataType& t) {
  const int line = t.where.line;
  if (!rows_.of2025() && t.encoding == "HLAextendableVariantRecord") {
    rows_.report().guessed("Encodings that the edition does not have", "kept as a name", t.name,
                           line);
  }
  switch (t.kind) {
    case DataTypeKind::Basic:
      rows_.row(name, t.notes, line,
                {{"name", t.name},
                 {"size", t.sizeBits > 0 ? std::to_string(t.sizeBits) : std::string()},
                 {"interpretation", t.interpretation},
                 {"endian", t.bigEndian ? "Big" : "Little"},
                 {"encoding", t.encoding}});
      if (!t.semantics.empty()) {
        rows_.report().lost("Semantics of basic data representations", "left out", t.name, line);
      }
      return;
    case DataTypeKind::Simple:
      if (t.isReference) return reference(t);
      rows_.row(name, t.notes, line,
                {{"name", t.name},
                 {"representation", typeName(t.representation)},
                 {"units", t.units},
                 {"resolution", t.resolution},
                 {"accuracy", t.accuracy},
                 {"semantics", t.semantics}});
      return;
    case DataTypeKind::Enumerated:
      rows_.row(name, t.notes, line,
                {{"name", t.name},
                 {"representation", typeName(t.representation)},
                 {"semantics", t.semantics}},
                !t.enumerators.empty(), [&] {
                  for (const Enumerator& e : t.enumerators) enumerator(t, e);
                });
      return;
    case DataTypeKind::Array:
      rows_.row(name, t.notes, line,
                {{"name", t.name},
                 {"dataType", typeName(t.elementType)},
                 {"cardinality", t.cardinality},
                 {"encoding", t.encoding},
                 {"semantics", t.semantics}});
      return;
    case DataTypeKind::FixedRecord:
      rows_.row(name, t.notes, line,
                {{"name", t.name}, {"encoding", t.encoding}, {"semantics", t.semantics}},
                !t.fields.empty(), [&] {
                  for (const RecordField& f : t.fields) {
                    rows_.row("field", {}, f.line,
                              {{"name", f.name},
                               {"dataType", typeName(f.dataType)},
                               {"semantics", f.semantics}});
                  }
                });
      return;
    case DataTypeKind::VariantRecord:
      rows_.row(name, t.notes, line,
                {{"name", t.name},
                 {"discriminant", t.discriminant},
                 {"dataType", typeName(t.discriminantType)}},
                !t.alternatives.empty(),
                [&] {
                  for (const VariantAlternative& v : t.alternatives) {
                    rows_.row("alternative", {}, v.line,
                              {{"enumerator", v.enumerators},
                               {"name", v.name.empty() ? "NA" : v.name},
                               {"dataType", v.dataType.empty() ? "NA" : typeName(v.dataType)},
                               {"semantics", v.semantics}});
                  }
                },
                {{"encoding", t.encoding}, {"semantics", t.semantics}});
      return;
  }
}

void XmlDataTypesWriter::enumerator(const DataType& t, const Enumerator& e) {
  XmlRows::Cells cells{{"name", e.name}};
  if (!rows_.of2000()) {
    for (const std::string& value : e.values) cells.push_back({"value", value});
    rows_.row("enumerator", {}, e.line, cells);
    return;
  }
  std::string values;
  for (const std::string& value : e.values) {
    if (value.find_first_of(" ,") != std::string::npos) {
      rows_.report().guessed("Values of enumerators with blanks or commas",
                             "several values: the edition writes them in one list",
                             memberName(t.name, e.name), e.line);
    }
    if (!values.empty()) values += ", ";
    values += value;
  }
  cells.push_back({"value", values});
  rows_.row("enumerator", {}, e.line, cells);
}

}  // namespace tutti::omt
