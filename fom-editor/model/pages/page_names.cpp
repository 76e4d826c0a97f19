// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/pages/page_names.h"

#include <QFileInfo>

namespace tutti::fomedit {

namespace {

/// Of the name of an item; file systems take 255 bytes, an extension and a number included.
constexpr qsizetype mostCharacters = 180;

QString plain(const QString& name) {
  QString result;
  for (const QChar c : name.left(mostCharacters)) {
    const bool kept = (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') ||
                      (c >= u'0' && c <= u'9') || c == u'.' || c == u'-' || c == u'_';
    result += kept ? c : QChar(u'_');
  }
  return result;
}

}  // namespace

PageNames::PageNames(const omt::ObjectModel& model) : model_(model) {
  for (const omt::ObjectClass& c : model.objectClasses()) {
    add({ItemKind::ObjectClass, c.handle}, QStringLiteral("object"), text(c.fullName), {});
  }
  for (const omt::InteractionClass& c : model.interactionClasses()) {
    add({ItemKind::InteractionClass, c.handle}, QStringLiteral("interaction"), text(c.fullName),
        {});
  }
  const auto position = [](std::size_t i) { return static_cast<std::uint32_t>(i + 1); };
  for (std::size_t i = 0; i < model.dataTypes().size(); ++i) {
    add({ItemKind::DataType, position(i)}, QStringLiteral("datatype"),
        text(model.dataTypes()[i].name), {});
  }
  for (std::size_t i = 0; i < model.modules().size(); ++i) {
    add({ItemKind::Module, position(i)}, QStringLiteral("module"),
        QFileInfo(text(model.modules()[i].file)).fileName(), {});
  }
  const QString tables = QStringLiteral("tables.html");
  for (const omt::Dimension& d : model.dimensions()) {
    add({ItemKind::Dimension, d.handle}, QStringLiteral("dimension"), text(d.name), tables);
  }
  for (const omt::Transportation& t : model.transportations()) {
    add({ItemKind::Transportation, t.handle}, QStringLiteral("transportation"), text(t.name),
        tables);
  }
}

void PageNames::add(const Item& item, const QString& prefix, const QString& name,
                    const QString& file) {
  const QString base = prefix + u'-' + plain(name);
  QString unique = base;
  for (int number = 2; taken_.contains(unique.toLower()); ++number) {
    unique = QStringLiteral("%1-%2").arg(base).arg(number);
  }
  taken_.insert(unique.toLower());
  names_.insert(itemPath(model_, item),
                file.isEmpty() ? unique + QStringLiteral(".html") : file + u'#' + unique);
}

}  // namespace tutti::fomedit
