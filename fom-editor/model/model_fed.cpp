// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/model_fed.h"

#include <algorithm>

#include "fom-editor/model/fed_source.h"

namespace tutti::fomedit {

namespace {

QString qt(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

}  // namespace

bool fedHas(RowKind kind) {
  switch (kind) {
    case RowKind::ObjectClass:
    case RowKind::InteractionClass:
    case RowKind::Attribute:
    case RowKind::Parameter:
    case RowKind::Dimension:
    case RowKind::RoutingSpace:
    case RowKind::Identification:
      return true;
    default:
      return false;
  }
}

bool fedHas(RowKind kind, const QString& cell) {
  if (!fedHas(kind)) return false;
  if (cell == u"name") return true;
  const bool delivered = kind == RowKind::Attribute || kind == RowKind::InteractionClass;
  return delivered && (cell == u"transportation" || cell == u"order" || cell == u"dimensions");
}

QString whyNotInFed(RowKind kind) {
  return QStringLiteral("A FED file of HLA 1.3 has no %1: put it into a module of IEEE 1516.")
      .arg(kind == RowKind::Switch    ? QStringLiteral("switches")
           : kind == RowKind::TypeUse ? QStringLiteral("time or tag datatypes")
                                      : wordOf(kind) + u's');
}

QString whyNotInFed(RowKind kind, const QString& cell) {
  if (!fedHas(kind)) return whyNotInFed(kind);
  static const QList<QPair<QString, QString>> words{
      {QStringLiteral("dataType"), QStringLiteral("datatypes")},
      {QStringLiteral("semantics"), QStringLiteral("semantics")},
      {QStringLiteral("update"), QStringLiteral("update types")},
      {QStringLiteral("updateType"), QStringLiteral("update types")},
      {QStringLiteral("updateCondition"), QStringLiteral("update conditions")},
      {QStringLiteral("sharing"), QStringLiteral("publishing and subscribing")},
      {QStringLiteral("ownership"), QStringLiteral("ownership")},
      {QStringLiteral("upperBound"), QStringLiteral("bounds of dimensions")},
      {QStringLiteral("normalization"), QStringLiteral("normalization")},
      {QStringLiteral("value"), QStringLiteral("default values")}};
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const auto& word) { return word.first == cell; });
  return QStringLiteral(
             "A FED file of HLA 1.3 says nothing of %1: federates agree on it elsewhere.")
      .arg(found != words.end() ? found->second : cell);
}

QString faultOfNameInFed(RowKind kind, const QString& name) {
  const auto is = [&](const char* word) {
    return name.compare(QLatin1String(word), Qt::CaseInsensitive) == 0;
  };
  if (kind == RowKind::ObjectClass || kind == RowKind::InteractionClass) {
    for (const char* own : {"ObjectRoot", "InteractionRoot", "RTIprivate", "Manager"}) {
      if (is(own)) return QStringLiteral("HLA 1.3 keeps the class name %1 for itself.").arg(name);
    }
  }
  if (kind == RowKind::Attribute && is("privilegeToDelete")) {
    return QStringLiteral("privilegeToDelete is the standard's, which every class inherits.");
  }
  if (kind == RowKind::RoutingSpace) {
    for (const char* own : {"reliable", "best_effort", "timestamp", "receive"}) {
      if (!is(own)) continue;
      return QStringLiteral(
                 "\"%1\" says in a FED file how something is delivered: it cannot name a "
                 "routing space.")
          .arg(name);
    }
  }
  return {};
}

QStringList routingSpacesOf(const ModuleSource& source) {
  QStringList names;
  if (!source.isFed()) return names;
  for (const ElementId table : source.children(ModuleSource::root())) {
    if (source.nameOf(table) != "spaces") continue;
    for (const ElementId space : source.children(table)) {
      const QString name = qt(rowName(source, space));
      if (!name.isEmpty()) names << name;
    }
  }
  return names;
}

QString spaceOfDimension(const QStringList& spaces, const QString& dimension) {
  QString longest;
  for (const QString& space : spaces) {
    const bool within = dimension.startsWith(space + u'_') && dimension.size() > space.size() + 1;
    if (within && space.size() > longest.size()) longest = space;
  }
  return longest;
}

QStringList dimensionsOfSpace(const ModuleSource& source, const QString& space) {
  QStringList names;
  if (!source.isFed()) return names;
  for (const ElementId at : placesOf(source, {RowKind::RoutingSpace, {}, space, -1, -1})) {
    for (const ElementId part : source.children(at)) {
      if (source.nameOf(part) == "dimension") names << qt(fedDimensionName(source, part));
    }
  }
  return names;
}

QString spaceWithDimensions(const ModuleSource& source, const QStringList& dimensions) {
  const auto ordered = [](QStringList names) {
    names.sort();
    names.removeDuplicates();
    return names;
  };
  const QStringList wanted = ordered(dimensions);
  for (const QString& space : routingSpacesOf(source)) {
    if (ordered(dimensionsOfSpace(source, space)) == wanted) return space;
  }
  return {};
}

std::vector<ElementId> usesOfSpace(const ModuleSource& source, const QString& space) {
  std::vector<ElementId> found;
  if (!source.isFed()) return found;
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    const std::string_view cell = source.nameOf(id);
    if ((cell != "dimensions" && cell != earlierCell("dimensions")) ||
        source.at(id).firstChild != noElement)
      continue;
    if (qt(source.rawText(id)).simplified() == space) found.push_back(id);
  }
  return found;
}

}  // namespace tutti::fomedit
