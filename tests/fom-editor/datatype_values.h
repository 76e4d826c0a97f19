// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QRandomGenerator>
#include <QStringList>

#include "fom-editor/codegen/data_type_plan.h"
#include "fom-editor/codegen/data_type_source.h"
#include "fom-editor/codegen/source_text.h"
#include "fom-editor/model/data_layout.h"
#include "fom-editor/model/item.h"

/// Values of datatypes: the octets by the byte layout of the object model's page, and beside them
/// the C++ statements that give the same value to a variable of generated code.
class DatatypeValues {
 public:
  DatatypeValues(const tutti::omt::ObjectModel& model, const tutti::fomedit::DataTypePlan& plan,
                 quint32 seed)
      : model_(model), plan_(plan), random_(seed) {}

  struct Value {
    QByteArray octets;
    QStringList statements;  ///< for a variable `v`
    QStringList leaves;      ///< "8+4:40490fdb" of each basic part, in the order of the octets
  };

  Value make(const QString& typeName) {
    value_ = {};
    variables_ = 0;
    add(typeName, QStringLiteral("v"), 0);
    return value_;
  }

 private:
  using Shape = tutti::fomedit::CodeShape;

  int pick(int below) { return static_cast<int>(random_.bounded(static_cast<quint32>(below))); }
  void say(const QString& statement) { value_.statements << statement; }
  void align(int boundary) {
    while (value_.octets.size() % boundary != 0) value_.octets.append('\0');
  }
  int boundary(const QString& name) const {
    return tutti::fomedit::layoutOf(model_, name).boundary;
  }

  void leaf(const tutti::fomedit::LayoutPart& part, const QString& value) {
    QString error;
    const auto octets = tutti::fomedit::encodeLeaf(part, value, &error);
    if (!octets)
      qFatal("%s of %s: %s", qPrintable(value), qPrintable(part.typeName), qPrintable(error));
    value_.leaves << QStringLiteral("%1+%2:%3")
                         .arg(value_.octets.size())
                         .arg(octets->size())
                         .arg(QString::fromLatin1(octets->toHex()));
    value_.octets += *octets;
  }

  static QString element(const QString& path, int index) {
    return QStringLiteral("%1[%2]").arg(path).arg(index);
  }

  void add(const QString& name, const QString& path, int depth) {
    const tutti::fomedit::PlannedType& type = *plan_.find(name);
    align(boundary(name));
    const tutti::fomedit::DataLayout layout = tutti::fomedit::layoutOf(model_, name);
    switch (type.shape) {
      case Shape::Integer:
        integer(type, layout, path);
        break;
      case Shape::Float: {
        const double number = (pick(200000) - 100000) / 64.0;
        leaf(layout.leaves[0], QString::number(number, 'g', 17));
        say(QStringLiteral("%1 = %2;").arg(path).arg(number, 0, 'f', 6));
        break;
      }
      case Shape::Boolean: {
        const bool yes = pick(2) == 1;
        leaf(layout.leaves[0], yes ? QStringLiteral("HLAtrue") : QStringLiteral("HLAfalse"));
        say(QStringLiteral("%1 = %2;")
                .arg(path, yes ? QStringLiteral("true") : QStringLiteral("false")));
        break;
      }
      case Shape::Octet: {
        const int octet = pick(256);
        leaf(layout.leaves[0], QString::number(octet, 16).rightJustified(2, u'0'));
        say(QStringLiteral("%1 = static_cast<%2>(%3);").arg(path, type.cpp).arg(octet));
        break;
      }
      case Shape::Unit: {
        const int unit = pick(65536);
        leaf(layout.leaves[0], QString::number(unit, 16).rightJustified(4, u'0'));
        say(QStringLiteral("%1 = char16_t(%2);").arg(path).arg(unit));
        break;
      }
      case Shape::OctetGroup: {
        QStringList numbers;
        QString hex;
        for (int i = 0; i < type.octets; ++i) {
          const int octet = pick(256);
          numbers << QString::number(octet);
          hex += QString::number(octet, 16).rightJustified(2, u'0');
        }
        leaf(layout.leaves[0], hex);
        say(QStringLiteral("%1 = {{%2}};").arg(path, numbers.join(u',')));
        break;
      }
      case Shape::Enumeration: {
        const int at = pick(static_cast<int>(type.enumerators.size()));
        enumerator(type, layout, at);
        say(QStringLiteral("%1 = types::%2::%3;").arg(path, type.identifier, type.enumerators[at]));
        break;
      }
      case Shape::List:
        list(type, path, depth);
        break;
      case Shape::FixedArray:
        fixedArray(type, path, depth);
        break;
      case Shape::Record:
        for (const tutti::fomedit::PlannedPart& part : type.parts) {
          add(part.typeName, path + u'.' + part.identifier, depth + 1);
        }
        break;
      case Shape::Variant:
        variant(type, path, depth);
        break;
    }
  }

  void integer(const tutti::fomedit::PlannedType& type, const tutti::fomedit::DataLayout& layout,
               const QString& path) {
    const int bits = 8 * type.octets;
    quint64 raw = random_.generate64() >> (64 - bits);
    if (pick(4) == 0) raw = type.isSigned ? quint64{1} << (bits - 1) : ~quint64{0} >> (64 - bits);
    if (type.isSigned) {
      const quint64 sign = quint64{1} << (bits - 1);
      const auto number = static_cast<qint64>((raw ^ sign) - sign);
      leaf(layout.leaves[0], QString::number(number));
      say(QStringLiteral("%1 = static_cast<%2>(%3ULL);")
              .arg(path, type.cpp)
              .arg(static_cast<quint64>(number)));
    } else {
      leaf(layout.leaves[0], QString::number(raw));
      say(QStringLiteral("%1 = static_cast<%2>(%3ULL);").arg(path, type.cpp).arg(raw));
    }
  }

  /// Decimal, as the byte layout takes a leading zero for an octal number.
  void enumerator(const tutti::fomedit::PlannedType& type, const tutti::fomedit::DataLayout& layout,
                  int at) {
    const auto values = tutti::fomedit::enumeratorValues(
        type.type->enumerators[static_cast<std::size_t>(at)], type.octets, type.isSigned);
    const qint64 number = values->front();
    leaf(layout.leaves[0],
         type.isSigned ? QString::number(number) : QString::number(static_cast<quint64>(number)));
  }

  void list(const tutti::fomedit::PlannedType& type, const QString& path, int depth) {
    const int count = depth > 6 ? 0 : pick(4);
    const tutti::fomedit::DataLayout counter =
        tutti::fomedit::layoutOf(model_, QStringLiteral("HLAinteger32BE"));
    leaf(counter.leaves[0], QString::number(count));
    say(QStringLiteral("%1.resize(%2);").arg(path).arg(count));
    for (int i = 0; i < count; ++i) add(type.elementType, element(path, i), depth + 1);
  }

  void fixedArray(const tutti::fomedit::PlannedType& type, const QString& path, int depth) {
    qint64 elements = 1;
    for (const int extent : type.extents) elements *= extent;
    if (type.isLarge) say(QStringLiteral("%1.resize(%2);").arg(path).arg(elements));
    // Of many elements all but the last few keep their zeros.
    for (qint64 i = 0; i < elements; ++i) {
      if (elements > 64 && i < elements - 3) {
        align(boundary(type.elementType));
        value_.octets.append(*tutti::fomedit::layoutOf(model_, type.elementType).size, '\0');
        continue;
      }
      QString at;
      qint64 rest = i;
      for (auto extent = type.extents.crbegin(); extent != type.extents.crend() && !type.isLarge;
           ++extent) {
        at.prepend(QStringLiteral("[%1]").arg(rest % *extent));
        rest /= *extent;
      }
      if (type.isLarge) at = QStringLiteral("[%1]").arg(i);
      add(type.elementType, path + at, depth + 1);
    }
  }

  void variant(const tutti::fomedit::PlannedType& type, const QString& path, int depth) {
    const int alternative = pick(static_cast<int>(type.parts.size()));
    const tutti::fomedit::PlannedPart& part = type.parts[alternative];
    const tutti::fomedit::PlannedType& discriminant = *plan_.find(type.elementType);
    const tutti::fomedit::DataLayout layout = tutti::fomedit::layoutOf(model_, type.elementType);
    // An enumerator that no other alternative has chooses HLAother.
    int chosen = -1;
    for (int i = 0; i < static_cast<int>(discriminant.type->enumerators.size()); ++i) {
      const QString value =
          QString::number(tutti::fomedit::enumeratorValues(
                              discriminant.type->enumerators[static_cast<std::size_t>(i)],
                              discriminant.octets, discriminant.isSigned)
                              ->front());
      bool elsewhere = false;
      for (const tutti::fomedit::PlannedPart& other : type.parts)
        elsewhere = elsewhere || other.values.contains(value);
      if (part.values.contains(value) || (part.isOther && !elsewhere)) chosen = i;
    }
    if (chosen < 0) qFatal("no enumerator for %s", qPrintable(part.name));
    enumerator(discriminant, layout, chosen);
    const QString which = discriminant.shape == Shape::Boolean
                              ? QString::fromLatin1(chosen == 0 ? "false" : "true")
                              : QStringLiteral("types::%1::%2")
                                    .arg(discriminant.identifier, discriminant.enumerators[chosen]);
    const QString setter = tutti::fomedit::setterNames(type)[alternative];
    if (part.typeName.isEmpty()) {
      say(QStringLiteral("%1.%2(%3);").arg(path, setter, which));
      return;
    }
    int largest = 1;
    for (const auto& other : type.type->alternatives) {
      if (!other.dataType.empty())
        largest = std::max(largest, boundary(tutti::fomedit::text(other.dataType)));
    }
    align(largest);
    const QString variable = QStringLiteral("a%1").arg(variables_++);
    say(QStringLiteral("auto& %1 = %2.%3(%4);").arg(variable, path, setter, which));
    say(QStringLiteral("static_cast<void>(%1);").arg(variable));
    add(part.typeName, variable, depth + 1);
  }

  const tutti::omt::ObjectModel& model_;
  const tutti::fomedit::DataTypePlan& plan_;
  QRandomGenerator random_;
  Value value_;
  int variables_ = 0;
};
