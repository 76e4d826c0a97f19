// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/pages/model_uses.h"

namespace tutti::fomedit {

ModelUses::ModelUses(const omt::ObjectModel& model) {
  for (const omt::Attribute& a : model.attributes()) {
    const Item item{ItemKind::ObjectClass, a.declaringClass};
    const QString what = text(model.objectClass(a.declaringClass)->name) + u'.' + text(a.name);
    const QString as = QStringLiteral("attribute");
    add(ItemKind::DataType, a.dataType, what, as, item);
    add(ItemKind::Transportation, a.transportation, what, as, item);
    for (const std::string& d : a.dimensions) add(ItemKind::Dimension, d, what, as, item);
  }
  for (const omt::Parameter& p : model.parameters()) {
    add(ItemKind::DataType, p.dataType,
        text(model.interactionClass(p.declaringClass)->name) + u'.' + text(p.name),
        QStringLiteral("parameter"), {ItemKind::InteractionClass, p.declaringClass});
  }
  for (const omt::InteractionClass& c : model.interactionClasses()) {
    const Item item{ItemKind::InteractionClass, c.handle};
    const QString as = QStringLiteral("interaction class");
    add(ItemKind::Transportation, c.transportation, text(c.name), as, item);
    for (const std::string& d : c.dimensions) add(ItemKind::Dimension, d, text(c.name), as, item);
  }
  for (std::size_t i = 0; i < model.dataTypes().size(); ++i) {
    const omt::DataType& t = model.dataTypes()[i];
    const Item item{ItemKind::DataType, static_cast<std::uint32_t>(i + 1)};
    const QString name = text(t.name);
    add(ItemKind::DataType, t.representation, name, QStringLiteral("representation"), item);
    add(ItemKind::DataType, t.elementType, name, QStringLiteral("element"), item);
    add(ItemKind::DataType, t.discriminantType, name, QStringLiteral("discriminant"), item);
    for (const omt::RecordField& f : t.fields) {
      add(ItemKind::DataType, f.dataType, name + u'.' + text(f.name), QStringLiteral("field"),
          item);
    }
    for (const omt::VariantAlternative& a : t.alternatives) {
      add(ItemKind::DataType, a.dataType, name + u'.' + text(a.name), QStringLiteral("alternative"),
          item);
    }
  }
  for (const omt::Dimension& d : model.dimensions()) {
    add(ItemKind::DataType, d.dataType, text(d.name), QStringLiteral("dimension"),
        {ItemKind::Dimension, d.handle});
  }
}

const QList<ModelUse>& ModelUses::of(ItemKind kind, const QString& name) const {
  static const QList<ModelUse> none;
  const auto& uses = kind == ItemKind::DataType    ? types_
                     : kind == ItemKind::Dimension ? dimensions_
                                                   : transportations_;
  const auto found = uses.constFind(name);
  return found == uses.constEnd() ? none : *found;
}

void ModelUses::add(ItemKind kind, const std::string& name, const QString& what, const QString& as,
                    const Item& item) {
  if (name.empty()) return;
  auto& uses = kind == ItemKind::DataType    ? types_
               : kind == ItemKind::Dimension ? dimensions_
                                             : transportations_;
  uses[text(name)] << ModelUse{what, as, item};
}

}  // namespace tutti::fomedit
