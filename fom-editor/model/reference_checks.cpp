// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/reference_checks.h"

#include <QHash>
#include <QSet>

namespace tutti::fomedit {

namespace {

/// A file can have more to be corrected than anybody reads.
constexpr qsizetype mostFindings = 1000;

bool isGiven(const std::string& cell) { return !cell.empty() && cell != "NA" && cell != "N/A"; }

class ReferenceChecks {
 public:
  explicit ReferenceChecks(const omt::ObjectModel& model) : model_(model) {
    for (const auto& c : model.objectClasses()) ++objectClasses_[text(c.name)];
    for (const auto& c : model.interactionClasses()) ++interactionClasses_[text(c.name)];
  }

  QList<Finding> run() {
    for (const omt::ObjectClass& c : model_.objectClasses()) {
      if (!c.directedInteractions.empty()) checkDirected(c);
    }
    for (std::size_t i = 0; i < model_.dataTypes().size(); ++i) {
      const omt::DataType& type = model_.dataTypes()[i];
      if (!type.isReference) continue;
      item_ = {ItemKind::DataType, static_cast<std::uint32_t>(i + 1)};
      checkReference(type);
    }
    return findings_;
  }

 private:
  void found(const omt::SourceLocation& where, const QString& what, const QString& hint) {
    if (findings_.size() >= mostFindings) return;
    Finding f;
    f.level = Level::Complete;
    f.rule = QStringLiteral("dif/references");
    f.text = what;
    f.hint = hint;
    f.file = text(model_.fileOf(where));
    f.line = where.line;
    f.item = itemPath(model_, item_);
    findings_.append(f);
  }

  void checkDirected(const omt::ObjectClass& c) {
    item_ = {ItemKind::ObjectClass, c.handle};
    QSet<std::uint32_t> known;
    for (const omt::DirectedInteraction& d : c.directedInteractions) {
      const auto* interaction = model_.findInteractionClass(d.name);
      if (interaction == nullptr && interactionClasses_.value(text(d.name)) == 1) {
        interaction = model_.referredInteractionClass(d.name);
      }
      if (interaction != nullptr) {
        if (!known.contains(interaction->handle)) {
          known.insert(interaction->handle);
          continue;
        }
        found(d.where,
              QStringLiteral("%1 is directed to instances of %2 twice, by two forms of its name.")
                  .arg(text(interaction->name), text(c.name)),
              QStringLiteral("Delete one."));
      } else if (interactionClasses_.value(text(d.name)) > 1) {
        found(d.where,
              QStringLiteral("%1, which is directed to instances of %2, may be one of %3 classes.")
                  .arg(text(d.name), text(c.name))
                  .arg(interactionClasses_.value(text(d.name))),
              QStringLiteral("Write its full name."));
      } else {
        found(d.where,
              QStringLiteral("%1 is directed to instances of %2, and no module has that "
                             "interaction class.")
                  .arg(text(d.name), text(c.name)),
              QStringLiteral("Add the module that defines it, or correct the name."));
      }
    }
  }

  void checkReference(const omt::DataType& type) {
    const QString name = text(type.name);
    const QString of = text(type.referenceClass);
    if (!isGiven(type.referenceClass)) {
      found(type.where, QStringLiteral("Reference datatype %1 has no referenced class.").arg(name),
            QStringLiteral("Name the object class whose instances it refers to."));
      return;
    }
    const omt::ObjectClass* c = model_.findObjectClass(type.referenceClass);
    if (c == nullptr && objectClasses_.value(of) == 1) {
      c = model_.referredObjectClass(type.referenceClass);
    }
    if (c == nullptr) {
      const bool several = objectClasses_.value(of) > 1;
      found(
          type.where,
          several
              ? QStringLiteral("%1, to which %2 refers, may be one of %3 classes.")
                    .arg(of, name)
                    .arg(objectClasses_.value(of))
              : QStringLiteral("%1 refers to object class %2, which no module has.").arg(name, of),
          several ? QStringLiteral("Write its full name.")
                  : QStringLiteral("Add the module that defines it, or correct the name."));
      return;
    }
    if (!isGiven(type.referencedAttribute)) {
      found(type.where,
            QStringLiteral("Reference datatype %1 has no referenced attribute.").arg(name),
            QStringLiteral("Name the attribute of %1 that tells instances apart.")
                .arg(text(c->name)));
      return;
    }
    const omt::Attribute* attribute = model_.findAttribute(c->handle, type.referencedAttribute);
    if (attribute == nullptr) {
      found(type.where,
            QStringLiteral("%1 refers to %2.%3, and the class has no such attribute.")
                .arg(name, text(c->name), text(type.referencedAttribute)),
            QStringLiteral("Name an attribute of the class."));
      return;
    }
    if (isGiven(attribute->dataType) && isGiven(type.representation) &&
        attribute->dataType != type.representation && attribute->dataType != type.name &&
        representationOf(attribute->dataType) != type.representation) {
      found(type.where,
            QStringLiteral("%1 is represented by %2, and %3.%4, to which it refers, is of %5.")
                .arg(name, text(type.representation), text(c->name), text(attribute->name),
                     text(attribute->dataType)),
            QStringLiteral("Use the datatype of the attribute, or its representation."));
    }
  }

  std::string representationOf(const std::string& name) const {
    const omt::DataType* type = model_.findDataType(name);
    return type != nullptr ? type->representation : std::string();
  }

  const omt::ObjectModel& model_;
  QHash<QString, int> objectClasses_;  ///< how many have that last part of a name
  QHash<QString, int> interactionClasses_;
  Item item_;
  QList<Finding> findings_;
};

}  // namespace

QList<Finding> checkReferences(const omt::ObjectModel& model) {
  return ReferenceChecks(model).run();
}

}  // namespace tutti::fomedit
