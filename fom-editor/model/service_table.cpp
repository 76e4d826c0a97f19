// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/service_table.h"

#include <QHash>
#include <QXmlStreamReader>
#include <algorithm>

#include "fom-editor/model/checks/embedded_schemas.h"
#include "fom-editor/model/edit_draft.h"
#include "fom-editor/model/module_edits.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

/// "reflectAttributeValues" as the standard writes it; "queryGALT" keeps its letters.
QString nameOf(const QString& element) {
  // The schema of 2010 has this one without capitals.
  QString name =
      element == u"removeobjectinstance" ? QStringLiteral("removeObjectInstance") : element;
  name[0] = name[0].toUpper();
  QString words;
  for (qsizetype i = 0; i < name.size(); ++i) {
    const bool begins = i > 0 && name[i].isUpper() &&
                        (name[i - 1].isLower() || (i + 1 < name.size() && name[i + 1].isLower()));
    if (begins) words += u' ';
    words += name[i];
  }
  return words;
}

QList<Service> readServices(Schema schema) {
  const std::string_view text = embeddedSchema(schema);
  QXmlStreamReader xml(QByteArray::fromRawData(text.data(), static_cast<qsizetype>(text.size())));
  QList<Service> services;
  bool inTable = false;
  while (!xml.atEnd()) {
    const auto token = xml.readNext();
    if (token == QXmlStreamReader::EndElement && inTable && xml.name() == u"all") break;
    if (token != QXmlStreamReader::StartElement) continue;
    const auto named = xml.attributes().value(QStringLiteral("name"));
    if (xml.name() == u"complexType" && named == u"serviceUtilizationType") inTable = true;
    if (!inTable) continue;
    if (xml.name() == u"element") {
      services << Service{named.toString(), nameOf(named.toString()), {}, false};
    } else if (xml.name() == u"attribute" && !services.isEmpty()) {
      const auto fixed = xml.attributes().value(QStringLiteral("fixed"));
      if (named == u"section") services.last().section = fixed.toString();
      if (named == u"isCallback") services.last().isCallback = fixed == u"true";
    }
  }
  return services;
}

std::optional<omt::Edition> editionOf(const ModuleSource& source) {
  if (source.isOf2000()) return std::nullopt;
  return source.isOf2025() ? omt::Edition::Ieee2025 : omt::Edition::Ieee2010;
}

bool isTrue(const ModuleSource& source, ElementId id, std::string_view name) {
  const auto a = source.attribute(id, name);
  if (!a) return false;
  const std::string value = omt::collapsed(source.resolved(a->value));
  return value == "true" || value == "1";
}

ElementId tableOf(const ModuleSource& source) {
  return source.child(ModuleSource::root(), "serviceUtilization");
}

/// Elements of a table by their names, without regard to capitals.
QHash<QString, ElementId> rowsOf(const ModuleSource& source) {
  QHash<QString, ElementId> rows;
  const ElementId table = tableOf(source);
  if (table == noElement) return rows;
  for (const ElementId row : source.children(table)) {
    const QString name = text(source.nameOf(row)).toLower();
    if (!rows.contains(name)) rows.insert(name, row);
  }
  return rows;
}

std::vector<std::pair<std::string, std::string>> attributesOf(const Service& service, bool used) {
  return {{"section", service.section.toStdString()},
          {"isCallback", service.isCallback ? "true" : "false"},
          {"isUsed", used ? "true" : "false"}};
}

tl::expected<const ModuleSource*, QString> sourceFor(const ModelChanges& changes, int module) {
  const EditableModules& modules = changes.modules();
  if (module < 0 || module >= modules.size()) {
    return tl::unexpected(QStringLiteral("The module is closed."));
  }
  if (!modules[module].isWritable()) return tl::unexpected(modules[module].readOnlyReason);
  const QString none = servicesIn(*modules[module].source).none;
  if (!none.isEmpty()) return tl::unexpected(none);
  return modules[module].source;
}

Splices wholeTable(const ModuleSource& source, const QStringList& used) {
  NewElement table{"serviceUtilization", {}, {}, {}};
  for (const Service& service : servicesOf(*editionOf(source))) {
    table.children.push_back({service.element.toStdString(),
                              {},
                              {},
                              attributesOf(service, used.contains(service.element))});
  }
  return addElement(source, ModuleSource::root(), table);
}

}  // namespace

const QList<Service>& servicesOf(omt::Edition edition) {
  static const QList<Service> of2010 = readServices(Schema::Omt2010);
  static const QList<Service> of2025 = readServices(Schema::Omt2025);
  static const QList<Service> none;
  return edition == omt::Edition::Ieee2010   ? of2010
         : edition == omt::Edition::Ieee2025 ? of2025
                                             : none;
}

QString serviceGroup(int chapter) {
  switch (chapter) {
    case 4:
      return QStringLiteral("Federation management");
    case 5:
      return QStringLiteral("Declaration management");
    case 6:
      return QStringLiteral("Object management");
    case 7:
      return QStringLiteral("Ownership management");
    case 8:
      return QStringLiteral("Time management");
    case 9:
      return QStringLiteral("Data distribution management");
    case 10:
      return QStringLiteral("Support services");
    default:
      return {};
  }
}

ServiceTable servicesIn(const ModuleSource& source) {
  ServiceTable table;
  const auto edition = editionOf(source);
  if (!edition) {
    table.none = QStringLiteral(
        "IEEE 1516-2000 has no service utilization table in its files. Convert the module to a "
        "later edition to have one.");
    return table;
  }
  const ElementId at = tableOf(source);
  table.exists = at != noElement;
  if (table.exists) table.line = source.lineOf(at);
  const QHash<QString, ElementId> rows = rowsOf(source);
  for (const Service& service : servicesOf(*edition)) {
    ServiceUse use{service, false, false, 0};
    const auto row = rows.constFind(service.element.toLower());
    if (row != rows.cend()) {
      use.listed = true;
      use.used = isTrue(source, *row, "isUsed");
      use.line = source.lineOf(*row);
    }
    table.services << use;
  }
  return table;
}

Table serviceTableText(const QString& title, const ServiceTable& services) {
  Table table;
  table.title = title;
  table.headers << QStringLiteral("Service") << QStringLiteral("Clause")
                << QStringLiteral("Initiated by") << QStringLiteral("Used");
  table.empty = services.none.isEmpty()
                    ? QStringLiteral("The table is of one module at a time: see it in the window.")
                    : services.none;
  int chapter = 0;
  for (const ServiceUse& use : services.services) {
    if (use.service.chapter() != chapter) {
      chapter = use.service.chapter();
      TableRow group;
      group.isSection = true;
      group.cells << serviceGroup(chapter);
      table.rows << group;
    }
    TableRow row;
    row.cells << use.service.name << use.service.section
              << (use.service.isCallback ? QStringLiteral("RTI") : QStringLiteral("federate"))
              << (use.used ? QStringLiteral("yes") : QStringLiteral("no"));
    table.rows << row;
  }
  return table;
}

ModelChanges::Result setServicesUsed(const ModelChanges& changes, int module,
                                     const QStringList& elements, bool used) {
  const auto found = sourceFor(changes, module);
  if (!found) return tl::unexpected(found.error());
  const ModuleSource& source = **found;
  const QList<Service>& all = servicesOf(*editionOf(source));
  Splices splices;
  const ElementId table = tableOf(source);
  QString subject;
  if (table == noElement) {
    if (used) splices = wholeTable(source, elements);
  } else {
    const QHash<QString, ElementId> rows = rowsOf(source);
    std::vector<Addition> missing;
    ElementId before = noElement;
    const std::string prefix = prefixOf(source, table);
    for (const Service& service : all) {
      const ElementId row = rows.value(service.element.toLower(), noElement);
      if (elements.contains(service.element)) {
        if (row == noElement && used) {
          std::string xml = '<' + prefix + service.element.toStdString();
          for (const auto& [name, value] : attributesOf(service, true)) {
            xml += ' ' + name + "=\"" + value + '"';
          }
          xml += "/>";
          missing.push_back({before, service.element.toStdString(), true,
                             [xml](const std::optional<std::string>&) { return xml; }});
        } else if (row != noElement && isTrue(source, row, "isUsed") != used) {
          const Splices own = setAttribute(source, row, "isUsed", used ? "true" : "false");
          splices.insert(splices.end(), own.begin(), own.end());
        }
      }
      if (row != noElement) before = row;
    }
    if (!missing.empty()) {
      const Splices added = addChildren(source, table, missing);
      splices.insert(splices.end(), added.begin(), added.end());
    }
  }
  for (const Service& service : all) {
    if (elements.size() == 1 && service.element == elements.front()) subject = service.name;
  }
  EditDraft draft(changes.modules());
  if (!splices.empty()) draft.apply(module, splices);
  const QString what =
      subject.isEmpty() ? QStringLiteral("%1 services").arg(elements.size()) : subject;
  return draft.edit(
      used ? QStringLiteral("use %1").arg(what) : QStringLiteral("do not use %1").arg(what),
      QStringLiteral("services:"));
}

ModelChanges::Result addServiceTable(const ModelChanges& changes, int module) {
  const auto source = sourceFor(changes, module);
  if (!source) return tl::unexpected(source.error());
  EditDraft draft(changes.modules());
  if (tableOf(**source) == noElement) draft.apply(module, wholeTable(**source, {}));
  return draft.edit(QStringLiteral("add the service utilization table"),
                    QStringLiteral("services:"));
}

ModelChanges::Result removeServiceTable(const ModelChanges& changes, int module) {
  const auto source = sourceFor(changes, module);
  if (!source) return tl::unexpected(source.error());
  EditDraft draft(changes.modules());
  const ElementId table = tableOf(**source);
  if (table != noElement) draft.apply(module, removeElement(**source, table));
  return draft.edit(QStringLiteral("remove the service utilization table"),
                    QStringLiteral("services:"));
}

// ServiceModel

void ServiceModel::setServices(const ServiceTable& table) {
  if (table.services == services_) return;
  const bool sameRows =
      std::equal(table.services.begin(), table.services.end(), services_.begin(), services_.end(),
                 [](const ServiceUse& a, const ServiceUse& b) { return a.service == b.service; });
  if (sameRows && filter_ == ServiceFilter::All) {
    // What is shown keeps its place.
    services_ = table.services;
    select();
    for (int g = 0; g < rowCount(); ++g) {
      const QModelIndex group = index(g, 0);
      Q_EMIT dataChanged(group, group.siblingAtColumn(ColumnCount - 1));
      Q_EMIT dataChanged(index(0, 0, group), index(rowCount(group) - 1, ColumnCount - 1, group));
    }
    return;
  }
  beginResetModel();
  services_ = table.services;
  select();
  endResetModel();
}

void ServiceModel::setFilter(ServiceFilter filter, const QString& words) {
  const QStringList list = words.split(u' ', Qt::SkipEmptyParts);
  if (filter == filter_ && list == words_) return;
  beginResetModel();
  filter_ = filter;
  words_ = list;
  select();
  endResetModel();
}

void ServiceModel::select() {
  groups_.clear();
  std::vector<Group> all;
  for (qsizetype i = 0; i < services_.size(); ++i) {
    const ServiceUse& use = services_[i];
    if (all.empty() || all.back().chapter != use.service.chapter()) {
      all.push_back({use.service.chapter(), {}, {}, 0});
    }
    Group& group = all.back();
    group.elements << use.service.element;
    group.used += use.used ? 1 : 0;
    const bool fits = filter_ == ServiceFilter::All || (filter_ == ServiceFilter::Used) == use.used;
    const bool matches = std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
      return use.service.name.contains(word, Qt::CaseInsensitive) ||
             use.service.element.contains(word, Qt::CaseInsensitive) ||
             use.service.section.startsWith(word) ||
             serviceGroup(use.service.chapter()).contains(word, Qt::CaseInsensitive);
    });
    if (fits && matches) group.shown.push_back(i);
  }
  for (Group& group : all) {
    if (!group.shown.empty()) groups_.push_back(std::move(group));
  }
}

const ServiceUse* ServiceModel::service(const QModelIndex& at) const {
  if (!at.isValid() || at.internalId() == 0) return nullptr;
  return &services_[groups_[at.internalId() - 1].shown[static_cast<std::size_t>(at.row())]];
}

int ServiceModel::usedCount() const {
  return static_cast<int>(std::count_if(services_.begin(), services_.end(),
                                        [](const ServiceUse& use) { return use.used; }));
}

QModelIndex ServiceModel::index(int row, int column, const QModelIndex& above) const {
  if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(above)) return {};
  return createIndex(row, column,
                     above.isValid() ? static_cast<quintptr>(above.row()) + 1 : quintptr{0});
}

QModelIndex ServiceModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == 0) return {};
  return createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr{0});
}

int ServiceModel::rowCount(const QModelIndex& above) const {
  if (!above.isValid()) return static_cast<int>(groups_.size());
  if (above.internalId() != 0 || above.column() != 0) return 0;
  return static_cast<int>(groups_[static_cast<std::size_t>(above.row())].shown.size());
}

QVariant ServiceModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid()) return {};
  const ServiceUse* use = service(at);
  if (use == nullptr) {
    const Group& group = groups_[static_cast<std::size_t>(at.row())];
    if (role == ElementsRole) return group.elements;
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
    if (at.column() == NameColumn) return serviceGroup(group.chapter);
    if (at.column() == SectionColumn) return QString::number(group.chapter);
    if (at.column() == UsedColumn) {
      return QStringLiteral("%1 of %2").arg(group.used).arg(group.elements.size());
    }
    return {};
  }
  switch (role) {
    case Qt::DisplayRole:
      switch (at.column()) {
        case NameColumn:
          return use->service.name;
        case SectionColumn:
          return use->service.section;
        case InitiatorColumn:
          return use->service.isCallback ? QStringLiteral("RTI, callback †")
                                         : QStringLiteral("federate");
        default:
          return use->used ? QStringLiteral("used") : QStringLiteral("–");
      }
    case Qt::AccessibleTextRole:
      return at.column() == NameColumn
                 ? QStringLiteral("%1, %2").arg(use->service.name, use->used
                                                                       ? QStringLiteral("used")
                                                                       : QStringLiteral("not used"))
                 : data(at, Qt::DisplayRole);
    case Qt::ToolTipRole:
      return use->listed ? QStringLiteral("<%1>, line %2").arg(use->service.element).arg(use->line)
                         : QStringLiteral("<%1> is not in the table of the module")
                               .arg(use->service.element);
    case UsedRole:
      return use->used;
    case ElementsRole:
      return QStringList{use->service.element};
    default:
      return {};
  }
}

QVariant ServiceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case NameColumn:
      return QStringLiteral("Service");
    case SectionColumn:
      return QStringLiteral("Clause");
    case InitiatorColumn:
      return QStringLiteral("Initiated by");
    default:
      return QStringLiteral("Used");
  }
}

}  // namespace tutti::fomedit
