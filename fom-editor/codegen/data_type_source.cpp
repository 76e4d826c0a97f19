// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/codegen/data_type_source.h"

#include <algorithm>
#include <limits>

#include "fom-editor/codegen/identifiers.h"
#include "fom-editor/codegen/source_text.h"
#include "fom-editor/model/item.h"

namespace tutti::fomedit {

namespace {

QString flag(bool value) { return value ? QStringLiteral("true") : QStringLiteral("false"); }

/// A 64-bit number that C++ reads without a warning.
QString numberLiteral(qint64 value, const PlannedType& type) {
  if (type.octets > 4 && !type.isSigned)
    return QString::number(static_cast<quint64>(value)) + QStringLiteral("ULL");
  if (value == std::numeric_limits<qint64>::min())
    return QStringLiteral("(-9223372036854775807LL - 1)");
  return QString::number(value) + (type.octets >= 4 ? QStringLiteral("LL") : QString());
}

class Source {
 public:
  Source(const DataTypePlan& plan, QString nameSpace)
      : plan_(plan), nameSpace_(std::move(nameSpace)) {}

  QString header() {
    text_ =
        QStringLiteral(
            "// %1\n"
            "// The datatypes of the object model, and their encoding (IEEE 1516.2-2010, 4.13).\n"
            "#pragma once\n\n"
            "#include <array>\n#include <cstddef>\n#include <cstdint>\n#include <string>\n"
            "#include <variant>\n#include <vector>\n\n"
            "#include \"octets.h\"\n\n"
            "namespace %2 {\n\nnamespace types {\n\n")
            .arg(generatedStamp(), nameSpace_);
    for (const PlannedType& type : plan_.types()) {
      if (type.shape == CodeShape::Enumeration) enumeration(type);
    }
    QString forward;
    for (const PlannedType& type : plan_.types()) {
      if (type.isStruct()) forward += QStringLiteral("struct %1;\n").arg(type.identifier);
    }
    if (!forward.isEmpty()) text_ += forward + u'\n';
    for (const PlannedType& type : plan_.types()) {
      if (!type.isStruct() && type.shape != CodeShape::Enumeration) alias(type);
    }
    text_ += u'\n';
    for (const PlannedType& type : plan_.types()) {
      if (type.shape == CodeShape::Record) record(type);
      if (type.shape == CodeShape::Variant) variant(type);
    }
    text_ += QStringLiteral(
        "}  // namespace types\n\n"
        "/// Each encodeX throws EncodingError for a value that X cannot encode, each decodeX for "
        "octets that are "
        "no\n/// value of X: too few, too many, or contradicting themselves.\n"
        "namespace codec {\n\n");
    for (const PlannedType& type : plan_.types()) {
      const QString name = capitalized(type.identifier);
      text_ += QStringLiteral(
                   "Octets encode%1(const types::%2& value);\n"
                   "types::%2 decode%1(const void* data, std::size_t size);\n")
                   .arg(name, type.identifier);
      if (type.shape == CodeShape::Enumeration) {
        text_ += QStringLiteral(
                     "/// As the object model calls it; empty for a value that it does not have.\n"
                     "const char* nameOf(types::%1 value);\n")
                     .arg(type.identifier);
      }
    }
    text_ += QStringLiteral("\n}  // namespace codec\n\n}  // namespace %1\n").arg(nameSpace_);
    return text_;
  }

  QString source() {
    text_ = QStringLiteral(
                "// %1\n#include \"datatypes.h\"\n\n#include <utility>\n\nnamespace %2 {\n\n")
                .arg(generatedStamp(), nameSpace_);
    text_ += QStringLiteral("using detail::Reader;\nusing detail::Writer;\n\nnamespace {\n\n");
    for (const PlannedType& type : plan_.types()) {
      text_ += QStringLiteral(
                   "void write%1(Writer& to, const types::%2& value);\n"
                   "void read%1(Reader& from, types::%2& value);\n")
                   .arg(capitalized(type.identifier), type.identifier);
    }
    text_ += u'\n';
    for (const PlannedType& type : plan_.types()) {
      writer(type);
      reader(type);
    }
    text_ += QStringLiteral("}  // namespace\n\nnamespace types {\n\n");
    for (const PlannedType& type : plan_.types()) equality(type);
    text_ += QStringLiteral("}  // namespace types\n\nnamespace codec {\n\n");
    for (const PlannedType& type : plan_.types()) {
      text_ += QStringLiteral(
                   "Octets encode%1(const types::%2& value) {\n"
                   "  Writer to;\n  write%1(to, value);\n  return to.take();\n}\n\n"
                   "types::%2 decode%1(const void* data, std::size_t size) {\n"
                   "  Reader from(data, size);\n  types::%2 value{};\n"
                   "  read%1(from, value);\n  from.end();\n  return value;\n}\n\n")
                   .arg(capitalized(type.identifier), type.identifier);
      if (type.shape == CodeShape::Enumeration) names(type);
    }
    text_ += QStringLiteral("}  // namespace codec\n\n}  // namespace %1\n").arg(nameSpace_);
    return text_;
  }

 private:
  const PlannedType& typeOf(const QString& name) const { return *plan_.find(name); }

  void describe(const PlannedType& type) {
    const QString comment = commentOf(text(type.type->semantics), QString());
    text_ += comment.isEmpty() && type.identifier != type.name ? commentOf(type.name, QString())
                                                               : comment;
  }

  /// Behind a member of that datatype.
  QString initializerOf(const PlannedType& type) const {
    const QString value = initialValue(plan_, type);
    return value.isEmpty() ? QStringLiteral("{}") : QStringLiteral(" = ") + value;
  }

  // --- the header

  void enumeration(const PlannedType& type) {
    describe(type);
    text_ += QStringLiteral("enum class %1 : %2 {\n").arg(type.identifier, type.cpp);
    for (qsizetype i = 0; i < type.enumerators.size(); ++i) {
      const auto values = enumeratorValues(type.type->enumerators[static_cast<std::size_t>(i)],
                                           type.octets, type.isSigned);
      text_ += QStringLiteral("  %1 = %2,\n")
                   .arg(type.enumerators[i], numberLiteral(values->front(), type));
    }
    text_ += QStringLiteral("};\n\n");
  }

  void alias(const PlannedType& type) {
    const QString units = commentOf(text(type.type->units), QString()).trimmed().mid(4);
    text_ += QStringLiteral("using %1 = %2;").arg(type.identifier, type.cpp);
    if (!units.isEmpty() && !units.contains(u'\n')) text_ += QStringLiteral("  // ") + units;
    if (type.isLarge) {
      text_ += QStringLiteral("  // %1 elements, always").arg(type.elements());
    }
    text_ += u'\n';
  }

  void equalities(const PlannedType& type) {
    text_ += QStringLiteral(
                 "\n  friend bool operator==(const %1& a, const %1& b);\n"
                 "  friend bool operator!=(const %1& a, const %1& b) { return !(a == b); }\n"
                 "};\n\n")
                 .arg(type.identifier);
  }

  void record(const PlannedType& type) {
    describe(type);
    text_ += QStringLiteral("struct %1 {\n").arg(type.identifier);
    for (const PlannedPart& part : type.parts) {
      const PlannedType& of = typeOf(part.typeName);
      text_ += commentOf(part.semantics, QStringLiteral("  "));
      text_ += QStringLiteral("  types::%1 %2%3;\n")
                   .arg(of.identifier, part.identifier, initializerOf(of));
    }
    equalities(type);
  }

  /// The number of an alternative in the std::variant: 0 for one without data.
  static int indexOf(const PlannedType& type, qsizetype alternative) {
    if (type.parts[alternative].typeName.isEmpty()) return 0;
    int index = 0;
    for (qsizetype i = 0; i <= alternative; ++i) {
      if (!type.parts[i].typeName.isEmpty()) ++index;
    }
    return index;
  }

  /// The alternative for that value of the discriminant; -1 where the model names none.
  static qsizetype alternativeFor(const PlannedType& type, qint64 value) {
    qsizetype other = -1;
    for (qsizetype i = 0; i < type.parts.size(); ++i) {
      if (type.parts[i].values.contains(QString::number(value))) return i;
      if (type.parts[i].isOther) other = i;
    }
    return other;
  }

  QString enumeratorFor(const PlannedType& discriminant, const QString& value) const {
    if (discriminant.shape == CodeShape::Boolean) {
      return flag(value != QStringLiteral("0"));
    }
    for (qsizetype i = 0; i < discriminant.enumerators.size(); ++i) {
      const auto values =
          enumeratorValues(discriminant.type->enumerators[static_cast<std::size_t>(i)],
                           discriminant.octets, discriminant.isSigned);
      if (values->contains(value.toLongLong())) {
        return QStringLiteral("types::%1::%2")
            .arg(discriminant.identifier, discriminant.enumerators[i]);
      }
    }
    return {};
  }

  void variant(const PlannedType& type) {
    describe(type);
    const PlannedType& discriminant = typeOf(type.elementType);
    QString alternatives = QStringLiteral("std::monostate");
    for (const PlannedPart& part : type.parts) {
      if (!part.typeName.isEmpty())
        alternatives += QStringLiteral(", types::") + typeOf(part.typeName).identifier;
    }
    const qsizetype first = alternativeFor(type, firstValue(discriminant));
    const QString initial = first < 0 || type.parts[first].typeName.isEmpty()
                                ? QString()
                                : initialValue(plan_, typeOf(type.parts[first].typeName));
    text_ += QStringLiteral(
                 "struct %1 {\n"
                 "  types::%2 %3%4;\n"
                 "  /// What goes with it; std::monostate is no data.\n"
                 "  std::variant<%5> value{std::in_place_index<%6>%7};\n")
                 .arg(type.identifier, discriminant.identifier, type.discriminantIdentifier,
                      initializerOf(discriminant), alternatives)
                 .arg(first < 0 ? 0 : indexOf(type, first))
                 .arg(initial.isEmpty() ? QString() : QStringLiteral(", ") + initial);
    const QStringList setters = setterNames(type);
    for (qsizetype i = 0; i < type.parts.size(); ++i) {
      const PlannedPart& part = type.parts[i];
      text_ += u'\n' + commentOf(part.semantics, QStringLiteral("  "));
      QString which = QStringLiteral("types::%1 which").arg(discriminant.identifier);
      if (!part.values.isEmpty())
        which += QStringLiteral(" = ") + enumeratorFor(discriminant, part.values[0]);
      if (part.typeName.isEmpty()) {
        text_ += QStringLiteral("  void %1(%2) {\n    %3 = which;\n    value.emplace<0>();\n  }\n")
                     .arg(setters[i], which, type.discriminantIdentifier);
        continue;
      }
      const int index = indexOf(type, i);
      text_ +=
          QStringLiteral(
              "  /// Nullptr where `value` is another alternative.\n"
              "  const types::%1* %2() const { return std::get_if<%3>(&value); }\n"
              "  types::%1& %4(%5) {\n    %6 = which;\n    return value.emplace<%3>(%7);\n  }\n")
              .arg(typeOf(part.typeName).identifier, part.identifier)
              .arg(index)
              .arg(setters[i], which, type.discriminantIdentifier,
                   initialValue(plan_, typeOf(part.typeName)));
    }
    equalities(type);
  }

  static qint64 firstValue(const PlannedType& discriminant) {
    if (discriminant.shape == CodeShape::Boolean) return 0;
    return enumeratorValues(discriminant.type->enumerators.front(), discriminant.octets,
                            discriminant.isSigned)
        ->front();
  }

  // --- the source

  void line(int depth, const QString& words) { text_ += QString(2 * depth, u' ') + words + u'\n'; }

  QString call(const char* what, const PlannedType& type, const QString& stream,
               const QString& value) const {
    return QStringLiteral("%1%2(%3, %4);")
        .arg(QLatin1String(what), capitalized(type.identifier), stream, value);
  }

  void writer(const PlannedType& type) {
    text_ += QStringLiteral("void write%1(Writer& to, const types::%2& value) {\n")
                 .arg(capitalized(type.identifier), type.identifier);
    switch (type.shape) {
      case CodeShape::Integer:
        line(1, QStringLiteral("detail::writeInteger(to, value, %1, %2);")
                    .arg(type.octets)
                    .arg(flag(type.bigEndian)));
        break;
      case CodeShape::Enumeration:
        line(1, QStringLiteral("detail::writeInteger(to, static_cast<%1>(value), %2, %3);")
                    .arg(type.cpp)
                    .arg(type.octets)
                    .arg(flag(type.bigEndian)));
        break;
      case CodeShape::Float:
        line(1, QStringLiteral("detail::writeFloat<std::uint%1_t>(to, value, %2);")
                    .arg(8 * type.octets)
                    .arg(flag(type.bigEndian)));
        break;
      case CodeShape::Boolean:
        line(1, QStringLiteral("to.bits(value ? 1 : 0, %1, %2);")
                    .arg(type.octets)
                    .arg(flag(type.bigEndian)));
        break;
      case CodeShape::Octet:
        line(1, QStringLiteral("to.bits(static_cast<std::uint8_t>(value), 1, true);"));
        break;
      case CodeShape::Unit:
        line(1, QStringLiteral("to.bits(value, 2, %1);").arg(flag(type.bigEndian)));
        break;
      case CodeShape::OctetGroup:
        line(1, QStringLiteral("to.raw(value.data(), value.size());"));
        break;
      case CodeShape::List:
        line(1, QStringLiteral("to.count(value.size());"));
        writeElements(type, 1, QStringLiteral("value"));
        break;
      case CodeShape::FixedArray:
        writeFixedArray(type);
        break;
      case CodeShape::Record:
        for (const PlannedPart& part : type.parts)
          writePart(part.typeName, QStringLiteral("value.") + part.identifier);
        if (type.parts.isEmpty())
          line(1, QStringLiteral("static_cast<void>(to);\n  static_cast<void>(value);"));
        break;
      case CodeShape::Variant:
        writeVariant(type);
        break;
    }
    text_ += QStringLiteral("}\n\n");
  }

  void align(int depth, const char* stream, int boundary) {
    if (boundary > 1)
      line(depth, QStringLiteral("%1.align(%2);").arg(QLatin1String(stream)).arg(boundary));
  }

  void writePart(const QString& typeName, const QString& value) {
    const PlannedType& of = typeOf(typeName);
    align(1, "to", of.boundary);
    line(1, call("write", of, QStringLiteral("to"), value));
  }

  void writeElements(const PlannedType& type, int depth, const QString& array) {
    const PlannedType& element = typeOf(type.elementType);
    if (element.shape == CodeShape::Octet && type.extents.size() < 2) {
      line(depth, QStringLiteral("to.raw(%1.data(), %1.size());").arg(array));
      return;
    }
    // By value, as a std::vector<bool> has no elements to refer to.
    line(depth, QStringLiteral("for (%1 element : %2) {")
                    .arg(element.shape == CodeShape::Boolean ? QStringLiteral("const bool")
                                                             : QStringLiteral("const auto&"),
                         array));
    align(depth + 1, "to", element.boundary);
    line(depth + 1, call("write", element, QStringLiteral("to"), QStringLiteral("element")));
    line(depth, QStringLiteral("}"));
  }

  void writeFixedArray(const PlannedType& type) {
    if (type.isLarge) {
      const qint64 elements = type.elements();
      line(1, QStringLiteral("if (value.size() != %1) throw EncodingError(%2);")
                  .arg(elements)
                  .arg(literalOf(
                      QStringLiteral("%1 has always %2 elements").arg(type.name).arg(elements))));
      writeElements(type, 1, QStringLiteral("value"));
      return;
    }
    nested(type, [&](int depth, const QString& row) { writeElements(type, depth, row); });
    if (type.leastOctets == 0)
      line(1, QStringLiteral("static_cast<void>(to);\n  static_cast<void>(value);"));
  }

  /// Opens a loop for each dimension but the last, whose rows `body` handles.
  template <typename Body>
  void nested(const PlannedType& type, Body body) {
    QString array = QStringLiteral("value");
    const int depth = static_cast<int>(type.extents.size());
    for (int d = 0; d + 1 < depth; ++d) {
      const QString row = QStringLiteral("row%1").arg(d);
      line(1 + d, QStringLiteral("for (auto& %1 : %2) {").arg(row, array));
      array = row;
    }
    body(depth, array);
    for (int d = depth - 2; d >= 0; --d) line(1 + d, QStringLiteral("}"));
  }

  /// The cases of a discriminant, and what is done for each.
  template <typename Body>
  void cases(const PlannedType& type, Body body) {
    const PlannedType& discriminant = typeOf(type.elementType);
    line(1, QStringLiteral("switch (static_cast<std::int64_t>(value.%1)) {")
                .arg(type.discriminantIdentifier));
    const auto label = [&](const QString& value) {
      const qint64 number = value.toLongLong();
      line(2, QStringLiteral("case %1:")
                  .arg(number == std::numeric_limits<qint64>::min()
                           ? QStringLiteral("(-9223372036854775807LL - 1)")
                           : value + QStringLiteral("LL")));
    };
    qsizetype other = -1;
    QStringList listed;
    for (qsizetype i = 0; i < type.parts.size(); ++i) {
      if (type.parts[i].isOther) other = i;
      if (type.parts[i].values.isEmpty()) continue;
      for (const QString& value : type.parts[i].values) label(value);
      listed << type.parts[i].values;
      body(i);
      line(3, QStringLiteral("break;"));
    }
    if (other < 0) {
      QStringList silent = valuesOf(discriminant);
      for (const QString& value : listed) silent.removeAll(value);
      // Enumerators that the record has no alternative for: the discriminant alone.
      for (const QString& value : silent) label(value);
      if (!silent.isEmpty()) {
        body(-1);
        line(3, QStringLiteral("break;"));
      }
    }
    line(2, QStringLiteral("default:"));
    if (other >= 0) {
      body(other);
      line(3, QStringLiteral("break;"));
    } else {
      line(3, QStringLiteral("throw EncodingError(%1);")
                  .arg(literalOf(
                      QStringLiteral("%1: the value of %2 is no enumerator of %3")
                          .arg(type.name, text(type.type->discriminant), discriminant.name))));
    }
    line(1, QStringLiteral("}"));
  }

  static QStringList valuesOf(const PlannedType& enumeration) {
    QStringList all;
    for (const omt::Enumerator& e : enumeration.type->enumerators) {
      for (const qint64 value : enumeratorValues(e, enumeration.octets, enumeration.isSigned)
                                    .value_or(QList<qint64>())) {
        if (!all.contains(QString::number(value))) all << QString::number(value);
      }
    }
    return all;
  }

  /// Alternatives start at a multiple of the largest of their boundaries.
  int alternativesBoundary(const PlannedType& type) const {
    int boundary = 1;
    for (const PlannedPart& part : type.parts) {
      if (!part.typeName.isEmpty()) boundary = std::max(boundary, typeOf(part.typeName).boundary);
    }
    return boundary;
  }

  void writeVariant(const PlannedType& type) {
    line(1, call("write", typeOf(type.elementType), QStringLiteral("to"),
                 QStringLiteral("value.") + type.discriminantIdentifier));
    const QString contradiction =
        literalOf(QStringLiteral("%1: its value is another alternative than %2 says")
                      .arg(type.name, text(type.type->discriminant)));
    cases(type, [&](qsizetype alternative) {
      const int index = alternative < 0 ? 0 : indexOf(type, alternative);
      line(3, QStringLiteral("if (value.value.index() != %1) throw EncodingError(%2);")
                  .arg(index)
                  .arg(contradiction));
      if (index == 0) return;
      align(3, "to", alternativesBoundary(type));
      line(3, call("write", typeOf(type.parts[alternative].typeName), QStringLiteral("to"),
                   QStringLiteral("*std::get_if<%1>(&value.value)").arg(index)));
    });
  }

  void reader(const PlannedType& type) {
    text_ += QStringLiteral("void read%1(Reader& from, types::%2& value) {\n")
                 .arg(capitalized(type.identifier), type.identifier);
    switch (type.shape) {
      case CodeShape::Integer:
        line(1, QStringLiteral("value = detail::readInteger<%1>(from, %2, %3);")
                    .arg(type.cpp)
                    .arg(type.octets)
                    .arg(flag(type.bigEndian)));
        break;
      case CodeShape::Enumeration:
        line(1, QStringLiteral(
                    "value = static_cast<types::%4>(detail::readInteger<%1>(from, %2, %3));")
                    .arg(type.cpp)
                    .arg(type.octets)
                    .arg(flag(type.bigEndian), type.identifier));
        break;
      case CodeShape::Float:
        line(1, QStringLiteral("value = detail::readFloat<std::uint%1_t, %2>(from, %3);")
                    .arg(8 * type.octets)
                    .arg(type.cpp, flag(type.bigEndian)));
        break;
      case CodeShape::Boolean:
        line(1, QStringLiteral("const std::uint64_t bits = from.bits(%1, %2);")
                    .arg(type.octets)
                    .arg(flag(type.bigEndian)));
        line(1, QStringLiteral("if (bits > 1) throw EncodingError(\"HLAboolean: neither HLAfalse "
                               "nor HLAtrue\");"));
        line(1, QStringLiteral("value = bits == 1;"));
        break;
      case CodeShape::Octet:
        line(1, QStringLiteral("value = static_cast<%1>(from.bits(1, true));").arg(type.cpp));
        break;
      case CodeShape::Unit:
        line(1, QStringLiteral("value = static_cast<char16_t>(from.bits(2, %1));")
                    .arg(flag(type.bigEndian)));
        break;
      case CodeShape::OctetGroup:
        line(1, QStringLiteral("std::memcpy(value.data(), from.raw(value.size()), value.size());"));
        break;
      case CodeShape::List:
        readList(type);
        break;
      case CodeShape::FixedArray:
        readFixedArray(type);
        break;
      case CodeShape::Record:
        for (const PlannedPart& part : type.parts)
          readPart(part.typeName, QStringLiteral("value.") + part.identifier);
        if (type.parts.isEmpty())
          line(1, QStringLiteral("static_cast<void>(from);\n  static_cast<void>(value);"));
        break;
      case CodeShape::Variant:
        readVariant(type);
        break;
    }
    text_ += QStringLiteral("}\n\n");
  }

  void readPart(const QString& typeName, const QString& value) {
    const PlannedType& of = typeOf(typeName);
    align(1, "from", of.boundary);
    line(1, call("read", of, QStringLiteral("from"), value));
  }

  static bool isComposed(const PlannedType& type) {
    return type.isStruct() || type.shape == CodeShape::List || type.shape == CodeShape::FixedArray;
  }

  void readList(const PlannedType& type) {
    const PlannedType& element = typeOf(type.elementType);
    line(1, QStringLiteral("const std::size_t count = from.count(%1, sizeof(types::%2));")
                .arg(element.leastOctets)
                .arg(element.identifier));
    if (element.shape == CodeShape::Octet) {
      line(1, QStringLiteral("const std::uint8_t* octets = from.raw(count);"));
      line(1, QStringLiteral("value.assign(octets, octets + count);"));
      return;
    }
    // A value can contain itself through any element that is made of others.
    if (isComposed(element)) line(1, QStringLiteral("const Reader::Level level(from);"));
    readElements(element, QStringLiteral("count"));
  }

  /// Reads so many elements into `value`, which is a vector or a string.
  void readElements(const PlannedType& element, const QString& count) {
    line(1, QStringLiteral("value.clear();"));
    line(1, QStringLiteral("value.reserve(%1);").arg(count));
    line(1, QStringLiteral("for (std::size_t i = 0; i < %1; ++i) {").arg(count));
    align(2, "from", element.boundary);
    if (isComposed(element)) {
      // In its place at once: it may be too much for a stack.
      line(2, QStringLiteral("value.emplace_back();"));
      line(2, call("read", element, QStringLiteral("from"), QStringLiteral("value.back()")));
    } else {
      line(2, QStringLiteral("types::%1 element{};").arg(element.identifier));
      line(2, call("read", element, QStringLiteral("from"), QStringLiteral("element")));
      line(2, QStringLiteral("value.push_back(std::move(element));"));
    }
    line(1, QStringLiteral("}"));
  }

  void readFixedArray(const PlannedType& type) {
    const PlannedType& element = typeOf(type.elementType);
    const auto elements = [&](int depth, const QString& array) {
      line(depth, QStringLiteral("for (auto& element : %1) {").arg(array));
      align(depth + 1, "from", element.boundary);
      line(depth + 1, call("read", element, QStringLiteral("from"), QStringLiteral("element")));
      line(depth, QStringLiteral("}"));
    };
    if (type.isLarge) {
      readLarge(type, element);
      return;
    }
    nested(type, elements);
    if (type.leastOctets == 0)
      line(1, QStringLiteral("static_cast<void>(from);\n  static_cast<void>(value);"));
  }

  void readLarge(const PlannedType& type, const PlannedType& element) {
    const QString count = QString::number(type.elements());
    line(1, QStringLiteral("from.makeRoom(%1, sizeof(types::%2));").arg(count, element.identifier));
    readElements(element, count);
  }

  void readVariant(const PlannedType& type) {
    line(1, call("read", typeOf(type.elementType), QStringLiteral("from"),
                 QStringLiteral("value.") + type.discriminantIdentifier));
    cases(type, [&](qsizetype alternative) {
      const int index = alternative < 0 ? 0 : indexOf(type, alternative);
      if (index == 0) {
        line(3, QStringLiteral("value.value.emplace<0>();"));
        return;
      }
      align(3, "from", alternativesBoundary(type));
      line(3, call("read", typeOf(type.parts[alternative].typeName), QStringLiteral("from"),
                   QStringLiteral("value.value.emplace<%1>()").arg(index)));
    });
  }

  void equality(const PlannedType& type) {
    if (!type.isStruct()) return;
    QStringList members;
    if (type.shape == CodeShape::Variant) {
      members << type.discriminantIdentifier << QStringLiteral("value");
    } else {
      for (const PlannedPart& part : type.parts) members << part.identifier;
    }
    if (members.isEmpty()) {
      text_ += QStringLiteral("bool operator==(const %1&, const %1&) { return true; }\n\n")
                   .arg(type.identifier);
      return;
    }
    for (QString& member : members) member = QStringLiteral("a.%1 == b.%1").arg(member);
    text_ += QStringLiteral("bool operator==(const %1& a, const %1& b) {\n  return %2;\n}\n\n")
                 .arg(type.identifier, members.join(QStringLiteral(" &&\n         ")));
  }

  void names(const PlannedType& type) {
    text_ += QStringLiteral(
                 "const char* nameOf(types::%1 value) {\n  switch (static_cast<%2>(value)) {\n")
                 .arg(type.identifier, type.cpp);
    QList<qint64> named;
    for (const omt::Enumerator& e : type.type->enumerators) {
      const auto values = enumeratorValues(e, type.octets, type.isSigned);
      QString labels;
      for (const qint64 value : *values) {
        if (named.contains(value)) continue;
        named << value;
        labels += QStringLiteral("    case %1:\n").arg(numberLiteral(value, type));
      }
      if (!labels.isEmpty())
        text_ += labels + QStringLiteral("      return %1;\n").arg(literalOf(text(e.name)));
    }
    text_ += QStringLiteral("    default:\n      return \"\";\n  }\n}\n\n");
  }

  const DataTypePlan& plan_;
  QString nameSpace_;
  QString text_;
};

}  // namespace

QString capitalized(const QString& identifier) {
  return identifier.left(1).toUpper() + identifier.mid(1);
}

QString initialValue(const DataTypePlan& plan, const PlannedType& type) {
  if (type.shape == CodeShape::Enumeration)
    return QStringLiteral("types::%1::%2").arg(type.identifier, type.enumerators.front());
  if (type.shape != CodeShape::FixedArray) return {};
  const QString element = initialValue(plan, *plan.find(type.elementType));
  if (type.isLarge) {
    return QStringLiteral("types::%1(%2%3)")
        .arg(type.identifier)
        .arg(type.elements())
        .arg(element.isEmpty() ? QString() : QStringLiteral(", ") + element);
  }
  if (element.isEmpty()) return {};
  return QStringLiteral("detail::filled<types::%1>(%2)").arg(type.identifier, element);
}

QStringList setterNames(const PlannedType& variant) {
  QStringList taken{variant.identifier, variant.discriminantIdentifier, QStringLiteral("value")};
  QStringList setters;
  for (const PlannedPart& part : variant.parts) {
    taken << part.identifier;
    setters << QStringLiteral("set") + capitalized(part.identifier);
  }
  return identifiersOf(setters, Distinct::ByCase, taken);
}

QString dataTypeHeader(const DataTypePlan& plan, const QString& nameSpace) {
  return Source(plan, nameSpace).header();
}

QString dataTypeSource(const DataTypePlan& plan, const QString& nameSpace) {
  return Source(plan, nameSpace).source();
}

}  // namespace tutti::fomedit
