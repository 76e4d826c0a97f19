// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/codegen/data_type_plan.h"

#include <algorithm>
#include <tl/expected.hpp>
#include <utility>

#include "fom-editor/codegen/identifiers.h"
#include "fom-editor/model/item.h"

namespace tutti::fomedit {

namespace {

/// A fixed array that needs more octets of memory is a std::vector: it would be too much for a
/// stack.
constexpr qint64 kMostInline = 65536;
/// Of a std::vector or std::string, which have their elements on the heap.
constexpr qint64 kHeapHeader = 32;
/// More elements than the byte layout knows.
constexpr qint64 kMostElements = 1'000'000;

bool isAbsent(const QString& text) {
  return text.isEmpty() || text == QStringLiteral("NA") || text == QStringLiteral("N/A");
}

/// "3" or "2,3"; nothing where a dimension is no whole number.
std::optional<QList<int>> fixedExtents(const QString& cardinality) {
  QList<int> extents;
  qint64 product = 1;
  for (const QString& part : cardinality.split(u',')) {
    bool ok = false;
    const int extent = part.trimmed().toInt(&ok);
    if (!ok || extent < 0) return std::nullopt;
    product *= extent;
    if (product > kMostElements) return std::nullopt;
    extents << extent;
  }
  return extents;
}

QString integerType(int octets, bool isSigned) {
  const int bits = octets <= 1 ? 8 : octets <= 2 ? 16 : octets <= 4 ? 32 : 64;
  return QStringLiteral("std::%1int%2_t").arg(isSigned ? QString() : QStringLiteral("u")).arg(bits);
}

/// The positions of the enumerators that an alternative lists, "A, [C .. E]"; an error is one
/// sentence's end.
tl::expected<QList<qsizetype>, QString> enumeratorsOf(const omt::DataType& discriminant,
                                                      const QString& listed) {
  const auto positionOf = [&](const QString& name) -> qsizetype {
    const auto& all = discriminant.enumerators;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const omt::Enumerator& e) { return text(e.name) == name; });
    return found == all.end() ? -1 : found - all.begin();
  };
  QList<qsizetype> result;
  for (const QString& part : listed.split(u',', Qt::SkipEmptyParts)) {
    QString words = part.trimmed();
    if (words == QStringLiteral("HLAother")) continue;
    QStringList ends{words, words};
    if (words.startsWith(u'[') && words.endsWith(u']')) {
      ends = words.mid(1, words.size() - 2).split(QStringLiteral(".."));
      if (ends.size() != 2) return tl::unexpected(QStringLiteral("\"%1\" is no range").arg(words));
    }
    const qsizetype first = positionOf(ends[0].trimmed());
    const qsizetype last = positionOf(ends[1].trimmed());
    if (first < 0 || last < first) {
      return tl::unexpected(
          QStringLiteral("\"%1\" is no enumerator of %2").arg(words, text(discriminant.name)));
    }
    for (qsizetype i = first; i <= last; ++i) result << i;
  }
  return result;
}

}  // namespace

std::optional<QList<qint64>> enumeratorValues(const omt::Enumerator& enumerator, int octets,
                                              bool isSigned) {
  QList<qint64> values;
  const int bits = 8 * octets;
  for (const std::string& word : enumerator.values) {
    bool ok = false;
    const QString digits = text(word).trimmed();
    const int base = digits.startsWith(QStringLiteral("0x"), Qt::CaseInsensitive) ? 16 : 10;
    qint64 value = digits.toLongLong(&ok, base);
    if (!ok && !isSigned && bits == 64) value = static_cast<qint64>(digits.toULongLong(&ok, base));
    if (!ok) return std::nullopt;
    if (isSigned && bits < 64 &&
        (value < -(qint64{1} << (bits - 1)) || value >= qint64{1} << (bits - 1))) {
      return std::nullopt;
    }
    if (!isSigned && bits < 64 && (value < 0 || value >= qint64{1} << bits)) return std::nullopt;
    values << value;
  }
  if (values.isEmpty()) return std::nullopt;
  return values;
}

DataTypePlan::DataTypePlan(const omt::ObjectModel& model, const QStringList& names)
    : model_(model) {
  for (const QString& name : names) plan(name);
  dropWhatDependsOnProblems();
  nameAll();
  measure();
  sortStructs();
  for (const PlannedType& type : std::as_const(types_)) measureMemory(type.name);
  for (PlannedType& type : types_) spell(type);
  std::sort(notes_.begin(), notes_.end());
}

qint64 PlannedType::elements() const {
  qint64 product = 1;
  for (const int extent : extents) product *= extent;
  return product;
}

const PlannedType* DataTypePlan::find(const QString& name) const {
  const auto found = positions_.constFind(name);
  return found == positions_.cend() ? nullptr : &types_[*found];
}

QStringList DataTypePlan::problems() const {
  QStringList all = problems_.values();
  std::sort(all.begin(), all.end());
  return all;
}

bool DataTypePlan::fail(const QString& name, const QString& why) {
  problems_.insert(name, QStringLiteral("%1: %2.").arg(name, why));
  return false;
}

bool DataTypePlan::plan(const QString& name) {
  if (problems_.contains(name)) return false;
  if (positions_.contains(name)) return true;
  if (const qsizetype at = open_.indexOf(name); at >= 0) {
    // It contains itself. C++ can say that where a std::vector of a struct lies in between.
    bool hasVector = false, hasStruct = false;
    for (qsizetype i = at; i < open_.size(); ++i) {
      const omt::DataType* type = model_.findDataType(open_[i].toStdString());
      hasVector = hasVector ||
                  (type->kind == omt::DataTypeKind::Array && type->encoding == "HLAvariableArray");
      hasStruct = hasStruct || type->kind == omt::DataTypeKind::FixedRecord ||
                  type->kind == omt::DataTypeKind::VariantRecord;
    }
    return (hasVector && hasStruct) || fail(name, QStringLiteral("it contains itself"));
  }
  PlannedType planned;
  planned.name = name;
  planned.type = model_.findDataType(name.toStdString());
  if (planned.type == nullptr) return fail(name, QStringLiteral("no module defines this datatype"));
  open_ << name;
  bool ok = false;
  switch (planned.type->kind) {
    case omt::DataTypeKind::Basic:
    case omt::DataTypeKind::Simple:
      ok = planLeaf(planned);
      break;
    case omt::DataTypeKind::Enumerated:
      ok = planEnumeration(planned);
      break;
    case omt::DataTypeKind::Array:
      ok = planArray(planned);
      break;
    case omt::DataTypeKind::FixedRecord:
      ok = planRecord(planned);
      break;
    case omt::DataTypeKind::VariantRecord:
      ok = planVariant(planned);
      break;
  }
  open_.removeLast();
  if (!ok || problems_.contains(name)) return false;
  positions_.insert(name, types_.size());
  types_ << planned;
  return true;
}

bool DataTypePlan::planPart(const PlannedType& whole, const QString& place,
                            const QString& typeName) {
  if (isAbsent(typeName)) return fail(whole.name, QStringLiteral("%1 has no datatype").arg(place));
  if (plan(typeName)) return true;
  return fail(whole.name, QStringLiteral("%1 is of %2").arg(place, withoutStop(problem(typeName))));
}

QString DataTypePlan::withoutStop(QString sentence) {
  if (sentence.endsWith(u'.')) sentence.chop(1);
  return sentence;
}

bool DataTypePlan::planLeaf(PlannedType& planned) {
  const bool isBasic = planned.type->kind == omt::DataTypeKind::Basic;
  const QString representation = isBasic ? planned.name : text(planned.type->representation);
  const omt::DataType* basic = model_.findDataType(representation.toStdString());
  if (basic == nullptr || basic->kind != omt::DataTypeKind::Basic) {
    return fail(planned.name,
                isAbsent(representation)
                    ? QStringLiteral("it has no representation")
                    : QStringLiteral("its representation %1 is no basic representation "
                                     "that a module defines")
                          .arg(representation));
  }
  const DataLayout layout = layoutOf(model_, representation);
  const LeafKind kind = layout.leaves.isEmpty() ? LeafKind::None : layout.leaves.front().leaf;
  if (!layout.size || kind == LeafKind::None) {
    return fail(planned.name,
                QStringLiteral("its representation %1 has no size").arg(representation));
  }
  planned.octets = *layout.size;
  planned.boundary = layout.boundary;
  planned.bigEndian = basic->bigEndian;
  switch (kind) {
    case LeafKind::SignedInteger:
    case LeafKind::UnsignedInteger:
      planned.shape = CodeShape::Integer;
      planned.isSigned = kind == LeafKind::SignedInteger;
      planned.cpp = integerType(planned.octets, planned.isSigned);
      return true;
    case LeafKind::Float:
      planned.shape = CodeShape::Float;
      planned.cpp = planned.octets == 4 ? QStringLiteral("float") : QStringLiteral("double");
      return true;
    case LeafKind::Octets:
      if (planned.octets == 1) {
        planned.shape = CodeShape::Octet;
        planned.cpp = planned.name == QStringLiteral("HLAASCIIchar")
                          ? QStringLiteral("char")
                          : QStringLiteral("std::uint8_t");
      } else if (planned.octets == 2 && planned.name == QStringLiteral("HLAunicodeChar")) {
        planned.shape = CodeShape::Unit;
        planned.cpp = QStringLiteral("char16_t");
      } else {
        planned.shape = CodeShape::OctetGroup;
        planned.cpp = QStringLiteral("std::array<std::uint8_t, %1>").arg(planned.octets);
        if (!representation.startsWith(QStringLiteral("HLAoctetPair"))) {
          notes_ << QStringLiteral(
                        "%1: %2 does not say which number its %3 octets are; they stay octets.")
                        .arg(planned.name, representation)
                        .arg(planned.octets);
        }
      }
      return true;
    case LeafKind::None:
    case LeafKind::Enumerated:
      break;
  }
  return fail(planned.name,
              QStringLiteral("its representation %1 is not understood").arg(representation));
}

bool DataTypePlan::planEnumeration(PlannedType& planned) {
  if (!planLeaf(planned)) return false;
  if (planned.shape != CodeShape::Integer && planned.shape != CodeShape::Octet) {
    return fail(planned.name, QStringLiteral("its representation %1 is no integer")
                                  .arg(text(planned.type->representation)));
  }
  const auto& enumerators = planned.type->enumerators;
  if (planned.name == QStringLiteral("HLAboolean")) {
    planned.shape = CodeShape::Boolean;
    planned.cpp = QStringLiteral("bool");
    return true;
  }
  planned.cpp = integerType(planned.octets, planned.isSigned);
  planned.shape = CodeShape::Enumeration;
  if (enumerators.empty()) return fail(planned.name, QStringLiteral("it has no enumerators"));
  QStringList names;
  for (const omt::Enumerator& e : enumerators) {
    names << text(e.name);
    if (!enumeratorValues(e, planned.octets, planned.isSigned)) {
      return fail(
          planned.name,
          QStringLiteral("a value of its enumerator %1 is no number of its representation %2")
              .arg(text(e.name), text(planned.type->representation)));
    }
  }
  planned.enumerators = identifiersOf(names);
  return true;
}

bool DataTypePlan::planArray(PlannedType& planned) {
  const QString encoding = text(planned.type->encoding);
  const QString cardinality = text(planned.type->cardinality);
  planned.elementType = text(planned.type->elementType);
  if (encoding == QStringLiteral("HLAfixedArray")) {
    const auto extents = fixedExtents(cardinality);
    if (!extents) {
      return fail(planned.name,
                  QStringLiteral(
                      "its cardinality \"%1\" does not say how many elements an HLAfixedArray has")
                      .arg(cardinality));
    }
    planned.shape = CodeShape::FixedArray;
    planned.extents = *extents;
  } else if (encoding == QStringLiteral("HLAvariableArray")) {
    if (cardinality.contains(u',')) {
      return fail(planned.name,
                  QStringLiteral("the standard does not say how an HLAvariableArray of "
                                 "several dimensions is encoded"));
    }
    planned.shape = CodeShape::List;
  } else {
    return failEncoding(planned.name, encoding);
  }
  return planPart(planned, QStringLiteral("its element"), planned.elementType);
}

bool DataTypePlan::failEncoding(const QString& name, const QString& encoding) {
  if (isAbsent(encoding)) return fail(name, QStringLiteral("it has no encoding"));
  const QString words = encoding.simplified();
  return fail(name, QStringLiteral("its encoding \"%1\" is none of the standard's")
                        .arg(words.size() > 60 ? words.left(59) + u'…' : words));
}

bool DataTypePlan::planRecord(PlannedType& planned) {
  if (planned.type->encoding != "HLAfixedRecord") {
    return failEncoding(planned.name, text(planned.type->encoding));
  }
  planned.shape = CodeShape::Record;
  for (const omt::RecordField& field : planned.type->fields) {
    planned.parts << PlannedPart{text(field.name),      {}, text(field.dataType),
                                 text(field.semantics), {}, false};
  }
  return std::all_of(planned.parts.cbegin(), planned.parts.cend(), [&](const PlannedPart& part) {
    return planPart(planned, QStringLiteral("its field ") + part.name, part.typeName);
  });
}

bool DataTypePlan::planVariant(PlannedType& planned) {
  if (planned.type->encoding != "HLAvariantRecord") {
    return failEncoding(planned.name, text(planned.type->encoding));
  }
  planned.shape = CodeShape::Variant;
  planned.elementType = text(planned.type->discriminantType);
  if (!planPart(planned, QStringLiteral("its discriminant"), planned.elementType)) return false;
  const omt::DataType* discriminant = model_.findDataType(planned.elementType.toStdString());
  if (discriminant->kind != omt::DataTypeKind::Enumerated) {
    return fail(planned.name,
                QStringLiteral("its discriminant is of %1, which is no enumerated datatype")
                    .arg(planned.elementType));
  }
  return planAlternatives(planned, *discriminant);
}

bool DataTypePlan::planAlternatives(PlannedType& planned, const omt::DataType& discriminant) {
  const PlannedType* of = find(planned.elementType);
  QSet<QString> seen;
  bool hasOther = false;
  for (const omt::VariantAlternative& a : planned.type->alternatives) {
    PlannedPart part;
    part.name = text(a.name);
    part.semantics = text(a.semantics);
    if (!isAbsent(text(a.dataType))) part.typeName = text(a.dataType);
    const QString listed = text(a.enumerators);
    const auto positions = enumeratorsOf(discriminant, listed);
    if (!positions) {
      return fail(planned.name,
                  QStringLiteral("of its alternative %1 %2").arg(part.name, positions.error()));
    }
    part.isOther = listed.contains(QStringLiteral("HLAother"));
    if (positions->isEmpty() && !part.isOther) {
      return fail(planned.name,
                  QStringLiteral("its alternative %1 has no enumerator").arg(part.name));
    }
    if (part.isOther && std::exchange(hasOther, true)) {
      return fail(planned.name, QStringLiteral("it has two alternatives for HLAother"));
    }
    for (const qsizetype position : *positions) {
      const omt::Enumerator& e = discriminant.enumerators[static_cast<std::size_t>(position)];
      const auto values = enumeratorValues(e, of->octets, of->isSigned);
      if (!values) return fail(planned.name, QStringLiteral("%1 has no value").arg(text(e.name)));
      for (const qint64 value : *values) {
        if (seen.contains(QString::number(value))) {
          return fail(planned.name,
                      QStringLiteral("it has two alternatives for %1").arg(text(e.name)));
        }
        seen.insert(QString::number(value));
        part.values << QString::number(value);
      }
    }
    planned.parts << part;
  }
  return std::all_of(planned.parts.cbegin(), planned.parts.cend(), [&](const PlannedPart& part) {
    return part.typeName.isEmpty() ||
           planPart(planned, QStringLiteral("its alternative ") + part.name, part.typeName);
  });
}

/// A datatype that is part of itself may have been taken for whole before another part of it was
/// not.
void DataTypePlan::dropWhatDependsOnProblems() {
  for (bool again = true; again;) {
    again = false;
    for (qsizetype i = 0; i < types_.size(); ++i) {
      const PlannedType type = types_[i];
      QStringList needed;
      if (!type.elementType.isEmpty()) needed << type.elementType;
      for (const PlannedPart& part : type.parts) {
        if (!part.typeName.isEmpty()) needed << part.typeName;
      }
      for (const QString& name : needed) {
        if (!problems_.contains(name)) continue;
        fail(type.name, QStringLiteral("it holds %1").arg(withoutStop(problem(name))));
        types_.removeAt(i--);
        again = true;
        break;
      }
    }
  }
  positions_.clear();
  for (qsizetype i = 0; i < types_.size(); ++i) positions_.insert(types_[i].name, i);
}

/// Identifiers do not depend on which datatypes are asked for.
void DataTypePlan::nameAll() {
  QStringList names;
  for (const omt::DataType& type : model_.dataTypes()) names << text(type.name);
  std::sort(names.begin(), names.end());
  const QStringList identifiers = identifiersOf(names, Distinct::IgnoringCase);
  for (qsizetype i = 0; i < names.size(); ++i) {
    const auto found = positions_.constFind(names[i]);
    if (found != positions_.cend()) types_[*found].identifier = identifiers[i];
  }
  for (PlannedType& type : types_) nameParts(type);
}

void DataTypePlan::nameParts(PlannedType& type) {
  if (!type.isStruct()) return;
  const bool isVariant = type.shape == CodeShape::Variant;
  QStringList names;
  if (isVariant) names << text(type.type->discriminant);
  for (const PlannedPart& part : type.parts) {
    const bool isUnnamed = isVariant && isAbsent(part.name);
    names << (isUnnamed ? QStringLiteral("none") : part.name);
  }
  // Of a variant record functions are named after the alternatives.
  QStringList identifiers = isVariant ? identifiersOf(names, Distinct::IgnoringCase,
                                                      {QStringLiteral("value"), type.identifier})
                                      : identifiersOf(names, Distinct::ByCase, {type.identifier});
  if (isVariant) type.discriminantIdentifier = identifiers.takeFirst();
  for (qsizetype i = 0; i < type.parts.size(); ++i) type.parts[i].identifier = identifiers[i];
}

/// Boundaries and least sizes grow until they fit together: a datatype may be part of itself.
void DataTypePlan::measure() {
  for (PlannedType& type : types_) {
    if (type.octets > 0) type.leastOctets = type.octets;
    if (type.shape == CodeShape::List) type.leastOctets = 4;
  }
  for (bool again = true; again;) {
    again = false;
    for (PlannedType& type : types_) {
      const int boundary = boundaryOf(type);
      const qint64 least = leastOctetsOf(type);
      again = again || boundary != type.boundary || least != type.leastOctets;
      type.boundary = boundary;
      type.leastOctets = least;
    }
  }
}

int DataTypePlan::boundaryOf(const PlannedType& type) const {
  int boundary = type.boundary;
  if (type.shape == CodeShape::List) boundary = std::max(boundary, 4);
  if (!type.elementType.isEmpty()) boundary = std::max(boundary, find(type.elementType)->boundary);
  for (const PlannedPart& part : type.parts) {
    if (!part.typeName.isEmpty()) boundary = std::max(boundary, find(part.typeName)->boundary);
  }
  return boundary;
}

qint64 DataTypePlan::leastOctetsOf(const PlannedType& type) const {
  switch (type.shape) {
    case CodeShape::FixedArray:
      return std::min<qint64>(type.elements() * find(type.elementType)->leastOctets, 1LL << 40);
    case CodeShape::Record: {
      qint64 sum = 0;
      for (const PlannedPart& part : type.parts) sum += find(part.typeName)->leastOctets;
      return std::min<qint64>(sum, 1LL << 40);
    }
    case CodeShape::Variant:
      return find(type.elementType)->leastOctets;
    default:
      return type.leastOctets;
  }
}

/// What a struct holds itself comes before it; what a std::vector holds may come later.
void DataTypePlan::sortStructs() {
  QList<PlannedType> sorted;
  QSet<QString> done;
  const auto place = [&](const auto& self, const PlannedType& type) -> void {
    if (done.contains(type.name)) return;
    done.insert(type.name);
    if (type.shape == CodeShape::FixedArray) self(self, *find(type.elementType));
    for (const PlannedPart& part : type.parts) {
      if (!part.typeName.isEmpty()) self(self, *find(part.typeName));
    }
    // Of an array of arrays the inner one has to have its name first.
    if (type.shape == CodeShape::List && !find(type.elementType)->isStruct()) {
      self(self, *find(type.elementType));
    }
    sorted << type;
  };
  for (const PlannedType& type : types_) place(place, type);
  types_ = sorted;
  positions_.clear();
  for (qsizetype i = 0; i < types_.size(); ++i) positions_.insert(types_[i].name, i);
}

/// Of one datatype, and of those that it holds itself, without a std::vector in between. Also
/// decides which fixed arrays are large.
qint64 DataTypePlan::measureMemory(const QString& name) {
  PlannedType& type = types_[positions_.value(name)];
  if (type.memory > 0) return type.memory;
  qint64 memory = 0;
  switch (type.shape) {
    case CodeShape::List:
      memory = kHeapHeader;
      break;
    case CodeShape::FixedArray:
      memory = type.elements() * measureMemory(type.elementType);
      type.isLarge = memory > kMostInline || find(type.elementType)->isLarge;
      if (type.isLarge) memory = kHeapHeader;
      break;
    case CodeShape::Record:
      for (const PlannedPart& part : type.parts) memory += measureMemory(part.typeName);
      break;
    case CodeShape::Variant:
      for (const PlannedPart& part : type.parts) {
        if (!part.typeName.isEmpty()) memory = std::max(memory, measureMemory(part.typeName));
      }
      // The discriminant, and which alternative the std::variant holds.
      memory += measureMemory(type.elementType) + 8;
      break;
    default:
      memory = type.octets;
      break;
  }
  type.memory = std::clamp<qint64>(memory, 1, 1LL << 40);
  return type.memory;
}

void DataTypePlan::spell(PlannedType& type) {
  if (type.shape != CodeShape::List && type.shape != CodeShape::FixedArray) return;
  const PlannedType& element = *find(type.elementType);
  const QString name = QStringLiteral("types::") + element.identifier;
  if (type.shape == CodeShape::List) {
    const bool isText = element.shape == CodeShape::Octet && element.cpp == QStringLiteral("char");
    type.cpp = isText                             ? QStringLiteral("std::string")
               : element.shape == CodeShape::Unit ? QStringLiteral("std::u16string")
                                                  : QStringLiteral("std::vector<%1>").arg(name);
    return;
  }
  if (type.isLarge) {
    type.cpp = QStringLiteral("std::vector<%1>").arg(name);
    return;
  }
  type.cpp = name;
  for (auto extent = type.extents.crbegin(); extent != type.extents.crend(); ++extent) {
    type.cpp = QStringLiteral("std::array<%1, %2>").arg(type.cpp).arg(*extent);
  }
}

}  // namespace tutti::fomedit
