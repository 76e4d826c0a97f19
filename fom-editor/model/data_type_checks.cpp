// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/data_type_checks.h"

#include <QSet>
#include <optional>

namespace tutti::fomedit {

namespace {

/// A file can have more to be corrected than anybody reads.
constexpr qsizetype mostFindings = 1000;

bool isGiven(const QString& cell) {
  return !cell.isEmpty() && cell != QStringLiteral("NA") && cell != QStringLiteral("N/A");
}

/// A whole number as enumerators are written: decimal or 0x.
std::optional<qlonglong> wholeNumber(const QString& word) {
  bool ok = false;
  qlonglong value = word.toLongLong(&ok, 10);
  if (!ok && word.startsWith(QStringLiteral("0x"), Qt::CaseInsensitive)) {
    value = word.toLongLong(&ok, 16);
  }
  return ok ? std::optional(value) : std::nullopt;
}

class DataTypeChecks {
 public:
  explicit DataTypeChecks(const omt::ObjectModel& model) : model_(model) {}

  QList<Finding> run() {
    for (std::size_t i = 0; i < model_.dataTypes().size(); ++i) {
      const omt::DataType& type = model_.dataTypes()[i];
      if (isMim(type.where)) continue;
      item_ = {ItemKind::DataType, static_cast<std::uint32_t>(i + 1)};
      check(type);
    }
    for (const omt::Attribute& a : model_.attributes()) {
      item_ = {ItemKind::ObjectClass, a.declaringClass};
      checkMember(a, model_.objectClass(a.declaringClass)->name);
    }
    for (const omt::Parameter& p : model_.parameters()) {
      item_ = {ItemKind::InteractionClass, p.declaringClass};
      checkMember(p, model_.interactionClass(p.declaringClass)->name);
    }
    return findings_;
  }

 private:
  bool isMim(const omt::SourceLocation& where) const {
    return model_.modules()[where.module].isMim;
  }

  bool isOf(const omt::SourceLocation& where, omt::Edition edition) const {
    return model_.modules()[where.module].edition == edition;
  }

  void found(const omt::SourceLocation& where, const QString& what, const QString& hint) {
    if (findings_.size() >= mostFindings) return;
    Finding f;
    f.level = Level::Complete;
    f.rule = QStringLiteral("dif/datatypes");
    f.text = what;
    f.hint = hint;
    f.file = text(model_.fileOf(where));
    f.line = where.line;
    f.item = itemPath(model_, item_);
    findings_.append(f);
  }

  template <typename Row>
  void checkMember(const Row& row, const std::string& className) {
    // A FED file of HLA 1.3 can name none; that is said once.
    if (!row.dataType.empty() || isMim(row.where) || isOf(row.where, omt::Edition::Hla13Fed))
      return;
    found(row.where, QStringLiteral("%1.%2 has no datatype.").arg(text(className), text(row.name)),
          QStringLiteral("Name one of a datatype table."));
  }

  void check(const omt::DataType& type) {
    switch (type.kind) {
      case omt::DataTypeKind::Basic:  // its size was looked at when it was read
        return;
      case omt::DataTypeKind::Simple:
        return checkRepresentation(type);
      case omt::DataTypeKind::Enumerated:
        checkRepresentation(type);
        return checkEnumerators(type);
      case omt::DataTypeKind::Array:
        return checkArray(type);
      case omt::DataTypeKind::FixedRecord:
        return checkFields(type);
      case omt::DataTypeKind::VariantRecord:
        return checkAlternatives(type);
    }
  }

  void checkRepresentation(const omt::DataType& type) {
    const QString name = text(type.name);
    const QString representation = text(type.representation);
    if (!isGiven(representation)) {
      if (isOf(type.where, omt::Edition::Hla13Omt)) return;  // it has no such cell
      found(type.where, QStringLiteral("%1 has no representation.").arg(name),
            QStringLiteral("Name a basic data representation, such as HLAinteger32BE."));
      return;
    }
    if (type.isReference) return;  // see reference_checks.h
    const omt::DataType* basic = model_.findDataType(type.representation);
    if (basic == nullptr || basic->kind == omt::DataTypeKind::Basic) return;  // merging says so
    found(type.where,
          QStringLiteral("%1 is represented by %2, which is no basic data representation.")
              .arg(name, representation),
          QStringLiteral("Name a basic data representation, such as HLAinteger32BE."));
  }

  void checkEnumerators(const omt::DataType& type) {
    const QString name = text(type.name);
    if (type.enumerators.empty()) {
      found(type.where, QStringLiteral("%1 has no enumerators.").arg(name),
            QStringLiteral("Write an <enumerator> for each of its values."));
    }
    QSet<QString> names;
    QSet<qlonglong> values;
    for (const omt::Enumerator& e : type.enumerators) {
      const omt::SourceLocation where{type.where.module, e.line};
      const QString own = text(e.name);
      if (own.isEmpty()) {
        found(where, QStringLiteral("An enumerator of %1 has no name.").arg(name),
              QStringLiteral("Name it or delete it."));
      } else if (names.contains(own)) {
        found(where, QStringLiteral("%1 has two enumerators %2.").arg(name, own),
              QStringLiteral("Delete or rename one."));
      }
      names.insert(own);
      if (e.values.empty()) {
        found(where, QStringLiteral("Enumerator %1 of %2 has no value.").arg(own, name),
              QStringLiteral("Write a whole number."));
      }
      for (const std::string& written : e.values) {
        const QString word = text(written);
        const std::optional<qlonglong> value = wholeNumber(word);
        if (!value) {
          found(where,
                QStringLiteral("Enumerator %1 of %2 has the value \"%3\".").arg(own, name, word),
                QStringLiteral("Write a whole number."));
        } else if (values.contains(*value)) {
          found(where,
                QStringLiteral("Enumerator %1 of %2 has the value %3, as another one has.")
                    .arg(own, name, word),
                QStringLiteral("Give each its own value."));
        } else {
          values.insert(*value);
        }
      }
    }
  }

  void checkArray(const omt::DataType& type) {
    const QString name = text(type.name);
    if (!isGiven(text(type.elementType))) {
      found(type.where, QStringLiteral("%1 has no element type.").arg(name),
            QStringLiteral("Name the datatype of its elements."));
    }
    const QString cardinality = text(type.cardinality);
    const QString hint =
        QStringLiteral("Write a number of elements, a range such as [1..10], or Dynamic.");
    if (!isGiven(cardinality)) {
      found(type.where, QStringLiteral("%1 has no cardinality.").arg(name), hint);
      return;
    }
    const QString fault = faultOfCardinality(cardinality);
    if (fault.isEmpty()) return;
    found(
        type.where,
        QStringLiteral("The cardinality of %1 is \"%2\", which %3.").arg(name, cardinality, fault),
        hint);
  }

  void checkFields(const omt::DataType& type) {
    const QString name = text(type.name);
    if (type.fields.empty()) {
      found(type.where, QStringLiteral("%1 has no fields.").arg(name),
            QStringLiteral("Write a <field> for each of its parts."));
    }
    QSet<QString> names;
    for (const omt::RecordField& field : type.fields) {
      const omt::SourceLocation where{type.where.module, field.line};
      const QString own = text(field.name);
      if (own.isEmpty()) {
        found(where, QStringLiteral("A field of %1 has no name.").arg(name),
              QStringLiteral("Name it."));
      } else if (names.contains(own)) {
        found(where, QStringLiteral("%1 has two fields %2.").arg(name, own),
              QStringLiteral("Delete or rename one."));
      }
      names.insert(own);
      if (!isGiven(text(field.dataType))) {
        found(where, QStringLiteral("Field %1 of %2 has no datatype.").arg(own, name),
              QStringLiteral("Name one."));
      }
    }
  }

  void checkAlternatives(const omt::DataType& type) {
    const QString name = text(type.name);
    if (!isGiven(text(type.discriminant))) {
      found(type.where, QStringLiteral("The discriminant of %1 has no name.").arg(name),
            QStringLiteral("Name it."));
    }
    QSet<QString> known;
    const omt::DataType* of = nullptr;
    if (!isGiven(text(type.discriminantType))) {
      found(type.where, QStringLiteral("The discriminant of %1 has no datatype.").arg(name),
            QStringLiteral("Name an enumerated datatype."));
    } else {
      of = model_.findDataType(type.discriminantType);
      if (of != nullptr && of->kind != omt::DataTypeKind::Enumerated) {
        found(type.where,
              QStringLiteral("The discriminant of %1 is of %2, which is no enumerated datatype.")
                  .arg(name, text(type.discriminantType)),
              QStringLiteral("Name an enumerated datatype."));
        of = nullptr;
      }
    }
    if (of != nullptr) {
      for (const omt::Enumerator& e : of->enumerators) known.insert(text(e.name));
    }
    for (const omt::VariantAlternative& a : type.alternatives) {
      const omt::SourceLocation where{type.where.module, a.line};
      const QString words = text(a.enumerators);
      if (!isGiven(words)) {
        found(where, QStringLiteral("An alternative of %1 has no enumerator.").arg(name),
              QStringLiteral("Name those of the discriminant that choose it, or HLAother."));
        continue;
      }
      if (of == nullptr) continue;
      for (QString word : words.split(u',')) {
        word.remove(u'[').remove(u']');
        for (const QString& part : word.split(QStringLiteral(".."))) {
          const QString enumerator = part.trimmed();
          if (enumerator == QStringLiteral("HLAother") || known.contains(enumerator)) continue;
          found(where,
                QStringLiteral("An alternative of %1 is for %2, which %3 does not have.")
                    .arg(name, enumerator, text(type.discriminantType)),
                QStringLiteral("Name enumerators of the discriminant, or HLAother."));
        }
      }
    }
  }

  const omt::ObjectModel& model_;
  Item item_;
  QList<Finding> findings_;
};

}  // namespace

QString faultOfCardinality(const QString& cardinality) {
  for (const QString& listed : cardinality.split(u',')) {
    const QString part = listed.trimmed();
    if (part.compare(QStringLiteral("Dynamic"), Qt::CaseInsensitive) == 0) continue;
    QString lower = part;
    QString upper = part;
    if (part.startsWith(u'[') && part.endsWith(u']')) {
      const QStringList bounds =
          part.mid(1, part.size() - 2).split(QStringLiteral(".."), Qt::KeepEmptyParts);
      if (bounds.size() != 2) return QStringLiteral("is no range");
      lower = bounds[0].trimmed();
      upper = bounds[1].trimmed();
    }
    bool lowerOk = false;
    bool upperOk = false;
    const qlonglong from = lower.toLongLong(&lowerOk);
    const qlonglong to = upper.toLongLong(&upperOk);
    if (!lowerOk || !upperOk) return QStringLiteral("is no number");
    if (from < 0 || to < 0) return QStringLiteral("is negative");
    if (to == 0) return QStringLiteral("holds no element");
    if (to < from) return QStringLiteral("ends before it begins");
  }
  return {};
}

bool isWholeNumber(const QString& word) { return wholeNumber(word).has_value(); }

QList<Finding> checkDataTypes(const omt::ObjectModel& model) { return DataTypeChecks(model).run(); }

}  // namespace tutti::fomedit
