// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/data_layout.h"

#include <QHash>
#include <QLocale>
#include <algorithm>
#include <bit>

#include "fom-editor/model/item.h"

namespace tutti::fomedit {

namespace {

/// More leaves than anybody looks at.
constexpr int kMaxLeaves = 256;
/// Fixed arrays open up to so many elements.
constexpr int kMaxElements = 16;

/// Nested deeper, a record contains itself.
constexpr int kMaxDepth = 32;
/// A larger value is shown as one of variable size.
constexpr int kMaxOctets = 1 << 28;

int aligned(int offset, int boundary) { return (offset + boundary - 1) / boundary * boundary; }

/// Size and boundary of a datatype, without its parts.
struct Extent {
  std::optional<int> size;
  int boundary = 1;
};

class LayoutBuilder {
 public:
  explicit LayoutBuilder(const omt::ObjectModel& model) : model_(model) {}

  DataLayout build(const QString& typeName) {
    DataLayout layout;
    const omt::DataType* type = find(typeName);
    if (type == nullptr) {
      layout.problem = QStringLiteral("No module defines %1.").arg(typeName);
      return layout;
    }
    const Extent extent = measure(*type, 0);
    layout.size = extent.size;
    layout.boundary = extent.boundary;
    if (!problem_.isEmpty()) {
      layout.problem = problem_;
      layout.size.reset();
      return layout;
    }
    layout.fields = parts(*type, QString(), 0, false);
    layout.leaves = parts(*type, QString(), 0, true);
    return layout;
  }

 private:
  const omt::DataType* find(const QString& name) const {
    return model_.findDataType(name.toStdString());
  }

  /// Records may not contain themselves; arrays of variable size may.
  Extent measure(const omt::DataType& type, int depth) {
    if (!problem_.isEmpty()) return {};
    if (const auto known = known_.constFind(&type); known != known_.cend()) return *known;
    if (depth > kMaxDepth) {
      problem_ = QStringLiteral("%1 contains itself.").arg(text(type.name));
      return {};
    }
    Extent extent = measureParts(type, depth);
    if (extent.size && *extent.size > kMaxOctets) extent.size.reset();
    // Within an array that is still open, its element's size may be provisional.
    if (open_.empty()) known_.insert(&type, extent);
    return extent;
  }

  Extent measureParts(const omt::DataType& type, int depth) {
    switch (type.kind) {
      case omt::DataTypeKind::Basic: {
        if (type.sizeBits == 0) return {};
        const int octets = static_cast<int>((type.sizeBits + 7) / 8);
        return {octets, static_cast<int>(std::bit_ceil(static_cast<unsigned>(octets)))};
      }
      case omt::DataTypeKind::Simple:
      case omt::DataTypeKind::Enumerated:
        return measureNamed(type.representation, depth);
      case omt::DataTypeKind::Array:
        return measureArray(type, depth);
      case omt::DataTypeKind::FixedRecord: {
        Extent extent{0, 1};
        for (const omt::RecordField& field : type.fields) {
          const Extent part = measureNamed(field.dataType, depth);
          extent.boundary = std::max(extent.boundary, part.boundary);
          if (extent.size && part.size) {
            extent.size = aligned(*extent.size, part.boundary) + *part.size;
            if (*extent.size > kMaxOctets) extent.size.reset();
          } else {
            extent.size.reset();
          }
        }
        return extent;
      }
      case omt::DataTypeKind::VariantRecord: {
        Extent extent = measureNamed(type.discriminantType, depth);
        for (const omt::VariantAlternative& a : type.alternatives) {
          if (a.dataType.empty()) continue;
          extent.boundary = std::max(extent.boundary, measureNamed(a.dataType, depth).boundary);
        }
        extent.size.reset();
        return extent;
      }
    }
    return {};
  }

  Extent measureNamed(const std::string& name, int depth) {
    const omt::DataType* type = model_.findDataType(name);
    return type != nullptr ? measure(*type, depth + 1) : Extent{};
  }

  Extent measureArray(const omt::DataType& type, int depth) {
    if (type.encoding == "HLAfixedArray") {
      const Extent element = measureNamed(type.elementType, depth);
      const std::optional<int> count = fixedCount(type);
      if (!element.size || !count) return {std::nullopt, element.boundary};
      if (*count == 0) return {0, element.boundary};
      const long long stride = aligned(*element.size, element.boundary);
      const long long size = stride * (*count - 1) + *element.size;
      if (size > kMaxOctets) return {std::nullopt, element.boundary};
      return {static_cast<int>(size), element.boundary};
    }
    // The elements of an array of variable size may be of the type that holds it.
    if (std::find(open_.begin(), open_.end(), &type) != open_.end()) return {std::nullopt, 4};
    open_.push_back(&type);
    const Extent element = measureNamed(type.elementType, depth);
    open_.pop_back();
    const bool counted = type.encoding == "HLAvariableArray";
    return {std::nullopt, std::max(counted ? 4 : 1, element.boundary)};
  }

  /// "3" or "2,3" (a list of dimensions) as the number of elements.
  static std::optional<int> fixedCount(const omt::DataType& type) {
    int product = 1;
    for (const QString& part : text(type.cardinality).split(u',')) {
      bool ok = false;
      const int n = part.trimmed().toInt(&ok);
      if (!ok || n < 0 || (n > 0 && product > 1'000'000 / n)) return std::nullopt;
      product *= n;
    }
    return product;
  }

  static void add(QList<LayoutPart>& into, LayoutPart part) {
    if (into.size() < kMaxLeaves) into.append(std::move(part));
  }

  static void addPadding(QList<LayoutPart>& into, std::optional<int>& offset, int boundary) {
    if (!offset) return;
    const int next = aligned(*offset, boundary);
    if (next == *offset) return;
    LayoutPart part;
    part.name = QStringLiteral("padding");
    part.offset = offset;
    part.size = next - *offset;
    part.isPadding = true;
    add(into, part);
    offset = next;
  }

  LayoutPart partOf(const QString& name, const std::string& typeName,
                    const std::optional<int>& offset) {
    LayoutPart part;
    part.name = name;
    part.typeName = text(typeName);
    part.offset = offset;
    const omt::DataType* type = model_.findDataType(typeName);
    if (type == nullptr) return part;
    part.size = measure(*type, 0).size;
    part.unit = text(type->units);
    if (type->kind == omt::DataTypeKind::Enumerated) part.enumeration = type;
    const omt::DataType* basic = type;
    if (type->kind == omt::DataTypeKind::Simple || type->kind == omt::DataTypeKind::Enumerated) {
      basic = model_.findDataType(type->representation);
    }
    if (basic == nullptr || basic->kind != omt::DataTypeKind::Basic || !part.size) return part;
    part.bigEndian = basic->bigEndian;
    part.leaf = leafKind(*basic);
    if (part.enumeration != nullptr) part.leaf = LeafKind::Enumerated;
    return part;
  }

  static LeafKind leafKind(const omt::DataType& basic) {
    const QString name = text(basic.name).toLower();
    const QString says = (text(basic.interpretation) + u' ' + text(basic.encoding)).toLower();
    if (name.contains(QStringLiteral("float")) || says.contains(QStringLiteral("floating"))) {
      return basic.sizeBits == 32 || basic.sizeBits == 64 ? LeafKind::Float : LeafKind::Octets;
    }
    if (basic.sizeBits > 64 || basic.sizeBits % 8 != 0) return LeafKind::Octets;
    if (name.contains(QStringLiteral("unsigned")) || says.contains(QStringLiteral("unsigned"))) {
      return LeafKind::UnsignedInteger;
    }
    if (name.contains(QStringLiteral("integer")) || says.contains(QStringLiteral("integer"))) {
      return LeafKind::SignedInteger;
    }
    return LeafKind::Octets;
  }

  /// The parts of a value that starts at `offset`, nested fixed parts opened when `open`.
  QList<LayoutPart> parts(const omt::DataType& type, const QString& prefix,
                          std::optional<int> offset, bool open, int depth = 0) {
    QList<LayoutPart> result;
    const auto named = [&](const QString& name) {
      return prefix.isEmpty() ? name : prefix + u'.' + name;
    };
    const auto addValue = [&](const QString& name, const std::string& typeName) {
      if (result.size() >= kMaxLeaves) return;
      const Extent extent = measureNamed(typeName, 0);
      addPadding(result, offset, extent.boundary);
      const omt::DataType* inner = model_.findDataType(typeName);
      const bool opened = open && inner != nullptr && extent.size && depth < 8 &&
                          (inner->kind == omt::DataTypeKind::FixedRecord ||
                           (inner->kind == omt::DataTypeKind::Array &&
                            fixedCount(*inner).value_or(kMaxElements + 1) <= kMaxElements));
      if (opened) {
        for (const LayoutPart& leaf : parts(*inner, name, offset, true, depth + 1)) {
          add(result, leaf);
        }
      } else {
        add(result, partOf(name, typeName, offset));
      }
      if (offset && extent.size) {
        offset = *offset + *extent.size;
      } else {
        offset.reset();
      }
    };
    switch (type.kind) {
      case omt::DataTypeKind::Simple:
        // Values of a reference are those of its representation, which may have parts.
        if (const omt::DataType* inner = model_.findDataType(type.representation);
            type.isReference && depth < 8 && inner != nullptr &&
            inner->kind != omt::DataTypeKind::Basic) {
          return parts(*inner, prefix, offset, open, depth + 1);
        }
        [[fallthrough]];
      case omt::DataTypeKind::Basic:
      case omt::DataTypeKind::Enumerated:
        add(result, partOf(prefix.isEmpty() ? text(type.name) : prefix, type.name, offset));
        break;
      case omt::DataTypeKind::FixedRecord:
        for (const omt::RecordField& field : type.fields) {
          addValue(named(text(field.name)), field.dataType);
        }
        break;
      case omt::DataTypeKind::Array: {
        const std::optional<int> count = fixedCount(type);
        if (type.encoding == "HLAfixedArray" && count && *count <= kMaxElements) {
          for (int i = 0; i < *count; ++i) {
            addValue(QStringLiteral("%1[%2]").arg(prefix).arg(i), type.elementType);
          }
          break;
        }
        if (type.encoding == "HLAvariableArray") {
          addValue(named(QStringLiteral("count")), "HLAinteger32BE");
          addPadding(result, offset, measureNamed(type.elementType, 0).boundary);
        }
        LayoutPart elements;
        elements.name = named(QStringLiteral("elements"));
        elements.typeName = text(type.elementType);
        elements.offset = offset;
        add(result, elements);
        break;
      }
      case omt::DataTypeKind::VariantRecord: {
        addValue(named(text(type.discriminant)), type.discriminantType);
        if (offset) offset = aligned(*offset, measure(type, 0).boundary);
        for (const omt::VariantAlternative& a : type.alternatives) {
          if (a.dataType.empty()) continue;
          LayoutPart part = partOf(named(text(a.name)), a.dataType, offset);
          part.leaf = LeafKind::None;
          add(result, part);
        }
        break;
      }
    }
    return result;
  }

  const omt::ObjectModel& model_;
  std::vector<const omt::DataType*> open_;
  QHash<const omt::DataType*, Extent> known_;
  QString problem_;
};

QByteArray ordered(quint64 bits, int size, bool bigEndian) {
  QByteArray octets(size, '\0');
  for (int i = 0; i < size; ++i) {
    octets[bigEndian ? size - 1 - i : i] = static_cast<char>((bits >> (8 * i)) & 0xFFU);
  }
  return octets;
}

quint64 bitsOf(const QByteArray& octets, bool bigEndian) {
  quint64 bits = 0;
  for (qsizetype i = 0; i < octets.size(); ++i) {
    const auto octet = static_cast<quint8>(octets[bigEndian ? i : octets.size() - 1 - i]);
    bits = (bits << 8) | octet;
  }
  return bits;
}

std::optional<QByteArray> encodeInteger(const QString& value, int size, bool isSigned,
                                        bool bigEndian) {
  bool ok = false;
  QString digits = value;
  digits.remove(u' ').remove(QChar(0x202F)).replace(QChar(0x2212), u'-');
  const int bits = size * 8;
  // Decimal, or hexadecimal with 0x: a leading 0 is no octal number.
  const QString unsignedDigits = digits.startsWith(u'-') ? digits.mid(1) : digits;
  const int base = unsignedDigits.startsWith(QStringLiteral("0x"), Qt::CaseInsensitive) ? 16 : 10;
  if (isSigned) {
    const qint64 number = digits.toLongLong(&ok, base);
    if (!ok) return std::nullopt;
    if (bits < 64 && (number < -(qint64{1} << (bits - 1)) || number >= qint64{1} << (bits - 1))) {
      return std::nullopt;
    }
    return ordered(static_cast<quint64>(number), size, bigEndian);
  }
  const quint64 number = digits.toULongLong(&ok, base);
  if (!ok || (bits < 64 && number >= quint64{1} << bits)) return std::nullopt;
  return ordered(number, size, bigEndian);
}

}  // namespace

DataLayout layoutOf(const omt::ObjectModel& model, const QString& typeName) {
  return LayoutBuilder(model).build(typeName);
}

QString shortKind(const omt::DataType& type) {
  return type.isReference ? QStringLiteral("reference") : shortKind(type.kind);
}

QString shortKind(omt::DataTypeKind kind) {
  switch (kind) {
    case omt::DataTypeKind::Basic:
      return QStringLiteral("basic");
    case omt::DataTypeKind::Simple:
      return QStringLiteral("simple");
    case omt::DataTypeKind::Enumerated:
      return QStringLiteral("enum");
    case omt::DataTypeKind::Array:
      return QStringLiteral("array");
    case omt::DataTypeKind::FixedRecord:
      return QStringLiteral("record");
    case omt::DataTypeKind::VariantRecord:
      return QStringLiteral("variant");
  }
  return {};
}

QString describe(const omt::ObjectModel& model, const omt::DataType& type) {
  QStringList words;
  switch (type.kind) {
    case omt::DataTypeKind::Basic:
      words << QStringLiteral("basic")
            << (type.bigEndian ? QStringLiteral("big endian") : QStringLiteral("little endian"));
      break;
    case omt::DataTypeKind::Simple:
      words << (type.isReference ? QStringLiteral("reference") : QStringLiteral("simple"))
            << text(type.representation);
      break;
    case omt::DataTypeKind::Enumerated:
      words << QStringLiteral("enumerated") << text(type.representation);
      break;
    case omt::DataTypeKind::Array:
      words << QStringLiteral("array") << text(type.encoding);
      break;
    case omt::DataTypeKind::FixedRecord:
      words << QStringLiteral("fixed record") << text(type.encoding);
      break;
    case omt::DataTypeKind::VariantRecord:
      words << QStringLiteral("variant record") << text(type.encoding);
      break;
  }
  const DataLayout layout = layoutOf(model, text(type.name));
  if (!layout.problem.isEmpty()) {
    words << QStringLiteral("unknown size");
  } else if (!layout.size) {
    words << QStringLiteral("variable size");
  } else {
    words << (*layout.size == 1 ? QStringLiteral("1 byte")
                                : QStringLiteral("%1 bytes").arg(*layout.size));
  }
  words.removeAll(QString());
  return words.join(QStringLiteral(", "));
}

std::optional<QByteArray> parseHex(const QString& given) {
  QString digits;
  for (const QChar c : given) {
    if (c.isSpace()) continue;
    if (!((c >= u'0' && c <= u'9') || (c.toLower() >= u'a' && c.toLower() <= u'f'))) {
      return std::nullopt;
    }
    digits += c;
  }
  if (digits.size() % 2 != 0) return std::nullopt;
  return QByteArray::fromHex(digits.toLatin1());
}

std::optional<QByteArray> encodeLeaf(const LayoutPart& leaf, const QString& value, QString* error) {
  const int size = leaf.size.value_or(0);
  const QString trimmed = value.trimmed();
  const auto failed = [&](const QString& why) -> std::optional<QByteArray> {
    if (error != nullptr) *error = why;
    return std::nullopt;
  };
  switch (leaf.leaf) {
    case LeafKind::None:
      return failed(QStringLiteral("%1 has no fixed number.").arg(leaf.name));
    case LeafKind::SignedInteger:
    case LeafKind::UnsignedInteger: {
      const bool isSigned = leaf.leaf == LeafKind::SignedInteger;
      if (auto octets = encodeInteger(trimmed, size, isSigned, leaf.bigEndian)) return octets;
      return failed(QStringLiteral("%1 takes a whole number of %2 bits%3.")
                        .arg(leaf.name)
                        .arg(size * 8)
                        .arg(isSigned ? QString() : QStringLiteral(" from 0")));
    }
    case LeafKind::Enumerated: {
      QString number = trimmed;
      if (leaf.enumeration != nullptr) {
        for (const omt::Enumerator& e : leaf.enumeration->enumerators) {
          if (text(e.name) == trimmed && !e.values.empty()) number = text(e.values.front());
        }
      }
      if (auto octets = encodeInteger(number, size, number.startsWith(u'-'), leaf.bigEndian)) {
        return octets;
      }
      return failed(QStringLiteral("%1 takes an enumerator or its number.").arg(leaf.name));
    }
    case LeafKind::Float: {
      QString digits = trimmed;
      digits.remove(u' ').remove(QChar(0x202F)).replace(QChar(0x2212), u'-');
      bool ok = false;
      const double number = QLocale::c().toDouble(digits, &ok);
      if (!ok) return failed(QStringLiteral("%1 takes a number.").arg(leaf.name));
      if (size == 4) {
        return ordered(std::bit_cast<quint32>(static_cast<float>(number)), 4, leaf.bigEndian);
      }
      return ordered(std::bit_cast<quint64>(number), 8, leaf.bigEndian);
    }
    case LeafKind::Octets: {
      const auto octets = parseHex(trimmed);
      if (octets && octets->size() == size) return octets;
      return failed(QStringLiteral("%1 takes %2 hexadecimal bytes.").arg(leaf.name).arg(size));
    }
  }
  return std::nullopt;
}

QString decodeLeaf(const LayoutPart& leaf, const QByteArray& octets) {
  if (octets.size() != leaf.size.value_or(-1)) return {};
  const quint64 bits = octets.size() <= 8 ? bitsOf(octets, leaf.bigEndian) : 0;
  const int width = static_cast<int>(octets.size()) * 8;
  const auto asSigned = [&] {
    if (width >= 64) return static_cast<qint64>(bits);
    const quint64 sign = quint64{1} << (width - 1);
    return static_cast<qint64>((bits ^ sign)) - static_cast<qint64>(sign);
  };
  switch (leaf.leaf) {
    case LeafKind::None:
      return {};
    case LeafKind::SignedInteger:
      return QString::number(asSigned());
    case LeafKind::UnsignedInteger:
      return QString::number(bits);
    case LeafKind::Enumerated:
      if (leaf.enumeration != nullptr) {
        for (const omt::Enumerator& e : leaf.enumeration->enumerators) {
          for (const std::string& value : e.values) {
            const auto encoded = encodeLeaf(leaf, text(value));
            if (encoded && *encoded == octets) return text(e.name);
          }
        }
      }
      return QString::number(bits);
    case LeafKind::Float:
      if (octets.size() == 4) {
        return QLocale::c().toString(std::bit_cast<float>(static_cast<quint32>(bits)), 'g', 9);
      }
      return QLocale::c().toString(std::bit_cast<double>(bits), 'g',
                                   QLocale::FloatingPointShortest);
    case LeafKind::Octets:
      return QString::fromLatin1(octets.toHex(' '));
  }
  return {};
}

}  // namespace tutti::fomedit
