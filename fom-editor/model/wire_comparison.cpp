// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/wire_comparison.h"

#include <QStringList>
#include <algorithm>

#include "fom-editor/model/data_layout.h"
#include "fom-editor/model/item.h"

namespace tutti::fomedit {

namespace {

bool isNumber(const omt::DataType& type) {
  return type.kind == omt::DataTypeKind::Basic || type.kind == omt::DataTypeKind::Simple ||
         type.kind == omt::DataTypeKind::Enumerated;
}

/// The basic representation of a simple or enumerated datatype, by way of others if need be.
const omt::DataType* basicOf(const omt::ObjectModel& model, const omt::DataType* type) {
  for (int depth = 0; type != nullptr && depth < 8; ++depth) {
    if (type->kind == omt::DataTypeKind::Basic) return type;
    type = model.findDataType(type->representation);
  }
  return nullptr;
}

LayoutPart leafOf(const omt::ObjectModel& model, const omt::DataType& basic) {
  return layoutOf(model, text(basic.name)).leaves.value(0);
}

QString bytes(int count) {
  return count == 1 ? QStringLiteral("1 byte") : QStringLiteral("%1 bytes").arg(count);
}

WireResult within(const QString& name, WireResult result) {
  if (!result.why.isEmpty()) {
    // "location.altitude: 4 bytes in A": the way down to what differs.
    const bool isPath = result.why.contains(u": ") && !result.why.startsWith(u"the ");
    result.why = name + (isPath ? QStringLiteral(".") : QStringLiteral(": ")) + result.why;
  }
  return result;
}

void keepWorst(WireResult& worst, const WireResult& result) {
  if (result.impact > worst.impact) worst = result;
}

WireResult breaks(const QString& why) { return {Impact::Breaks, why}; }
WireResult check(const QString& why) { return {Impact::Check, why}; }

QString fromTo(const QString& what, const QString& before, const QString& after) {
  const auto shown = [](const QString& value) {
    return value.isEmpty() ? QStringLiteral("not given") : value;
  };
  return QStringLiteral("the %1 is %2 in A, %3 in B").arg(what, shown(before), shown(after));
}

QString plain(const std::string& value) { return text(value).simplified(); }

}  // namespace

WireResult WireComparison::compare(const QString& before, const QString& after) {
  reachedBefore_.insert(before);
  reachedAfter_.insert(after);
  const std::pair<QString, QString> key{before, after};
  if (const auto known = known_.constFind(key); known != known_.cend()) return *known;
  known_.insert(key, {});
  const omt::DataType* x = before_.findDataType(before.toStdString());
  const omt::DataType* y = after_.findDataType(after.toStdString());
  WireResult result;
  if (x != nullptr && y != nullptr) {
    result = compareTypes(*x, *y);
  } else if (before != after) {
    result = check(fromTo(QStringLiteral("datatype"), before, after) +
                   QStringLiteral(", of which one is not defined"));
  }
  known_.insert(key, result);
  return result;
}

WireResult WireComparison::compareTypes(const omt::DataType& x, const omt::DataType& y) {
  if (isNumber(x) && isNumber(y)) return compareNumbers(x, y);
  if (x.kind != y.kind) {
    return breaks(fromTo(QStringLiteral("kind"), shortKind(x.kind), shortKind(y.kind)));
  }
  if (plain(x.encoding) != plain(y.encoding)) {
    return breaks(fromTo(QStringLiteral("encoding"), plain(x.encoding), plain(y.encoding)));
  }
  switch (x.kind) {
    case omt::DataTypeKind::Array:
      return compareArrays(x, y);
    case omt::DataTypeKind::FixedRecord:
      return compareRecords(x, y);
    default:
      return compareVariants(x, y);
  }
}

WireResult WireComparison::compareNumbers(const omt::DataType& x, const omt::DataType& y) {
  reachedBefore_.insert(text(x.representation));
  reachedAfter_.insert(text(y.representation));
  const omt::DataType* from = basicOf(before_, &x);
  const omt::DataType* to = basicOf(after_, &y);
  if (from == nullptr || to == nullptr) {
    if (x.representation == y.representation) return {};
    return check(
        fromTo(QStringLiteral("representation"), plain(x.representation), plain(y.representation)) +
        QStringLiteral(", of which one is not defined"));
  }
  const LayoutPart a = leafOf(before_, *from);
  const LayoutPart b = leafOf(after_, *to);
  if (a.size != b.size) {
    return breaks(QStringLiteral("%1 in A, %2 in B")
                      .arg(a.size ? bytes(*a.size) : QStringLiteral("of variable size"),
                           b.size ? bytes(*b.size) : QStringLiteral("of variable size")));
  }
  if (a.size.value_or(0) > 1 && a.bigEndian != b.bigEndian) {
    return breaks(
        fromTo(QStringLiteral("byte order"),
               a.bigEndian ? QStringLiteral("big endian") : QStringLiteral("little endian"),
               b.bigEndian ? QStringLiteral("big endian") : QStringLiteral("little endian")));
  }
  if (a.leaf != b.leaf) {
    const QString why = fromTo(QStringLiteral("representation"), text(from->name), text(to->name));
    const bool isFloat = a.leaf == LeafKind::Float || b.leaf == LeafKind::Float;
    return isFloat ? breaks(why) : check(why);
  }
  if (x.kind == omt::DataTypeKind::Enumerated && y.kind == omt::DataTypeKind::Enumerated) {
    return compareEnumerators(x, y);
  }
  if (x.kind != y.kind &&
      (x.kind == omt::DataTypeKind::Enumerated || y.kind == omt::DataTypeKind::Enumerated)) {
    return check(fromTo(QStringLiteral("kind"), shortKind(x.kind), shortKind(y.kind)));
  }
  if (plain(x.units) != plain(y.units)) {
    return check(fromTo(QStringLiteral("unit"), plain(x.units), plain(y.units)));
  }
  return {};
}

WireResult WireComparison::compareEnumerators(const omt::DataType& x,
                                              const omt::DataType& y) const {
  const auto byName = [](const omt::DataType& type) {
    QHash<QString, QStringList> values;
    for (const omt::Enumerator& e : type.enumerators) {
      for (const std::string& v : e.values) values[text(e.name)] << plain(v);
    }
    return values;
  };
  const auto byValue = [](const omt::DataType& type) {
    QHash<QString, QString> names;
    for (const omt::Enumerator& e : type.enumerators) {
      for (const std::string& v : e.values) names.insert(plain(v), text(e.name));
    }
    return names;
  };
  const auto before = byName(x);
  const auto after = byName(y);
  for (const omt::Enumerator& e : x.enumerators) {
    const QString name = text(e.name);
    const auto now = after.constFind(name);
    if (now != after.cend() && *now != before.value(name)) {
      return breaks(fromTo(QStringLiteral("value of ") + name,
                           before.value(name).join(QStringLiteral(", ")),
                           now->join(QStringLiteral(", "))));
    }
  }
  const auto known = byValue(y);
  const auto knew = byValue(x);
  const auto unknown = [](const omt::DataType& type, const QHash<QString, QString>& other) {
    QStringList values;
    for (const omt::Enumerator& e : type.enumerators) {
      for (const std::string& v : e.values) {
        if (!other.contains(plain(v))) values << text(e.name);
      }
    }
    values.removeDuplicates();
    return values;
  };
  const QStringList gone = unknown(x, known);
  const QStringList come = unknown(y, knew);
  const auto listed = [](const QStringList& names) {
    return names.size() > 3 ? names.mid(0, 3).join(QStringLiteral(", ")) +
                                  QStringLiteral(" and %1 more").arg(names.size() - 3)
                            : names.join(QStringLiteral(", "));
  };
  if (!gone.isEmpty()) {
    return check(QStringLiteral("the receivers do not know %1").arg(listed(gone)));
  }
  if (!come.isEmpty()) {
    return check(QStringLiteral("the value may be %1, which is new").arg(listed(come)));
  }
  return {};
}

WireResult WireComparison::compareArrays(const omt::DataType& x, const omt::DataType& y) {
  WireResult result =
      within(QStringLiteral("element"), compare(text(x.elementType), text(y.elementType)));
  if (plain(x.cardinality) == plain(y.cardinality)) return result;
  const QString why =
      fromTo(QStringLiteral("cardinality"), plain(x.cardinality), plain(y.cardinality));
  const std::optional<int> before = layoutOf(before_, text(x.name)).size;
  const std::optional<int> after = layoutOf(after_, text(y.name)).size;
  // Of an array that is sent with its count, the cardinality is a promise only.
  const bool counted = plain(x.encoding) == QStringLiteral("HLAvariableArray");
  keepWorst(result, !counted && (before != after || !before) ? breaks(why) : check(why));
  return result;
}

WireResult WireComparison::compareRecords(const omt::DataType& x, const omt::DataType& y) {
  const auto names = [](const omt::DataType& type) {
    QStringList all;
    for (const omt::RecordField& f : type.fields) all << text(f.name);
    return all;
  };
  const QStringList before = names(x);
  const QStringList after = names(y);
  QStringList sortedBefore = before;
  QStringList sortedAfter = after;
  sortedBefore.sort();
  sortedAfter.sort();
  if (before != after && sortedBefore == sortedAfter) {
    return breaks(QStringLiteral("the order of the fields is another"));
  }
  if (before.size() != after.size()) {
    QStringList gone = before;
    for (const QString& name : after) gone.removeOne(name);
    QStringList come = after;
    for (const QString& name : before) come.removeOne(name);
    QStringList words;
    if (!gone.isEmpty())
      words << QStringLiteral("%1 only in A").arg(gone.join(QStringLiteral(", ")));
    if (!come.isEmpty())
      words << QStringLiteral("%1 only in B").arg(come.join(QStringLiteral(", ")));
    return breaks(QStringLiteral("the fields are others: ") + words.join(QStringLiteral("; ")));
  }
  WireResult worst;
  for (std::size_t i = 0; i < x.fields.size(); ++i) {
    const omt::RecordField& f = x.fields[i];
    const omt::RecordField& g = y.fields[i];
    keepWorst(worst, within(text(g.name), compare(text(f.dataType), text(g.dataType))));
    if (f.name != g.name && (after.contains(text(f.name)) || before.contains(text(g.name)))) {
      return breaks(QStringLiteral("the order of the fields is another"));
    }
  }
  return worst;
}

WireResult WireComparison::compareVariants(const omt::DataType& x, const omt::DataType& y) {
  WireResult worst =
      within(text(y.discriminant), compare(text(x.discriminantType), text(y.discriminantType)));
  const auto byCase = [](const omt::DataType& type) {
    QHash<QString, const omt::VariantAlternative*> all;
    for (const omt::VariantAlternative& a : type.alternatives) all.insert(plain(a.enumerators), &a);
    return all;
  };
  const auto before = byCase(x);
  const auto after = byCase(y);
  for (const omt::VariantAlternative& a : x.alternatives) {
    const auto other = after.constFind(plain(a.enumerators));
    if (other == after.cend()) {
      keepWorst(
          worst,
          check(QStringLiteral("the alternative for %1 is only in A").arg(plain(a.enumerators))));
    } else {
      keepWorst(worst, within(plain(a.name).isEmpty() ? plain(a.enumerators) : plain(a.name),
                              compare(text(a.dataType), text((*other)->dataType))));
    }
  }
  for (const omt::VariantAlternative& a : y.alternatives) {
    if (!before.contains(plain(a.enumerators))) {
      keepWorst(
          worst,
          check(QStringLiteral("the alternative for %1 is only in B").arg(plain(a.enumerators))));
    }
  }
  return worst;
}

}  // namespace tutti::fomedit
