// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/modules_command.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTextStream>
#include <map>

#include "fom-editor/model/difference_command.h"
#include "fom-editor/model/item.h"
#include "fom-editor/model/module_dependencies.h"
#include "fom-editor/model/module_folder.h"
#include "omt/reader.h"

namespace tutti::fomedit {

namespace {

constexpr const char* kUsage = "usage: tutti fom modules [--json] FILE|FOLDER...\n";
/// Names of one kind that a line lists; the others are counted.
constexpr qsizetype kNamesShown = 4;

QString fileName(const ModuleDependencies& module) { return QFileInfo(module.file).fileName(); }

QString listed(const QStringList& names) {
  QString list = names.mid(0, kNamesShown).join(QStringLiteral(", "));
  if (names.size() > kNamesShown) {
    list += QStringLiteral(" and %1 more").arg(names.size() - kNamesShown);
  }
  return list;
}

void print(const DependencyGraph& graph, const QList<FolderModule>& others, QTextStream& out) {
  for (qsizetype i = 1; i < graph.modules.size(); ++i) {
    const ModuleDependencies& module = graph.modules[i];
    std::map<NameKind, int> offered;
    for (const ModuleOffer& offer : module.offers) ++offered[offer.kind];
    QStringList offers;
    for (const auto& [kind, count] : offered) {
      offers << QStringLiteral("%1 %2").arg(count).arg(kindName(kind, count != 1));
    }
    out << module.file << '\n';
    if (!offers.isEmpty()) out << "  offers " << offers.join(QStringLiteral(", ")) << '\n';
    for (const int provider : module.providers()) {
      QStringList names;
      for (const ModuleNeed& need : module.needs) {
        if (need.provider == provider) names << need.name;
      }
      out << "  needs  " << fileName(graph.modules[provider]) << " for " << listed(names) << '\n';
    }
    for (const ModuleNeed& need : module.needs) {
      if (need.provider != ModuleNeed::nobody) continue;
      out << "  needs  " << kindName(need.kind) << ' ' << need.name << " (line " << need.line
          << "), which none of these modules defines\n";
    }
  }
  for (const QList<int>& circle : graph.circles) {
    QStringList names;
    for (const int module : circle) names << fileName(graph.modules[module]);
    out << "Modules that need each other: " << names.join(QStringLiteral(", ")) << '\n';
  }
  QStringList order;
  for (const int module : graph.order) order << fileName(graph.modules[module]);
  out << "Each behind those that it needs: " << order.join(QStringLiteral(", ")) << '\n';
  for (const FolderModule& module : others) {
    out << "Left out: " << module.path << ": " << module.reason << '\n';
  }
}

QString kindWord(NameKind kind) {
  switch (kind) {
    case NameKind::ObjectClass:
      return QStringLiteral("objectClass");
    case NameKind::InteractionClass:
      return QStringLiteral("interactionClass");
    case NameKind::DataType:
      return QStringLiteral("dataType");
    case NameKind::Dimension:
      return QStringLiteral("dimension");
    case NameKind::Transportation:
      return QStringLiteral("transportation");
  }
  return {};
}

QByteArray toJson(const DependencyGraph& graph, const QList<FolderModule>& others) {
  const auto files = [&](const QList<int>& modules) {
    QJsonArray list;
    for (const int module : modules) list.append(graph.modules[module].file);
    return list;
  };
  QJsonArray modules;
  for (qsizetype i = 1; i < graph.modules.size(); ++i) {
    const ModuleDependencies& module = graph.modules[i];
    QJsonArray offers;
    for (const ModuleOffer& offer : module.offers) {
      offers.append(
          QJsonObject{{"kind", kindWord(offer.kind)}, {"name", offer.name}, {"line", offer.line}});
    }
    QJsonArray needs;
    for (const ModuleNeed& need : module.needs) {
      const bool isDefined = need.provider != ModuleNeed::nobody;
      needs.append(QJsonObject{
          {"kind", kindWord(need.kind)},
          {"name", need.name},
          {"line", need.line},
          {"from", isDefined ? QJsonValue(graph.modules[need.provider].file) : QJsonValue()}});
    }
    modules.append(QJsonObject{{"file", module.file}, {"offers", offers}, {"needs", needs}});
  }
  QJsonArray circles;
  for (const QList<int>& circle : graph.circles) circles.append(files(circle));
  QJsonArray leftOut;
  for (const FolderModule& module : others) {
    leftOut.append(QJsonObject{{"file", module.path}, {"why", module.reason}});
  }
  return QJsonDocument(QJsonObject{{"modules", modules},
                                   {"order", files(graph.order)},
                                   {"circles", circles},
                                   {"leftOut", leftOut}})
      .toJson();
}

}  // namespace

int runFomModules(const QStringList& arguments, QTextStream& out, QTextStream& err) {
  bool json = false;
  QStringList paths;
  QList<FolderModule> others;
  const auto fail = [&](const QString& why) {
    err << "tutti fom: " << why << '\n';
    return 2;
  };
  for (const QString& word : arguments) {
    if (word == QStringLiteral("--json")) {
      json = true;
    } else if (word.startsWith(u'-')) {
      fail(QStringLiteral("unknown option ") + word);
      err << kUsage;
      return 2;
    } else if (QFileInfo(word).isDir()) {
      const FolderContent content = contentOfFolder(word);
      if (!content.fault.isEmpty()) {
        return fail(QStringLiteral("the folder %1 cannot be listed: %2").arg(word, content.fault));
      }
      for (const QString& note : content.notes) err << word << ": " << note << '\n';
      if (content.takingPart().isEmpty()) {
        return fail(QStringLiteral("the folder %1 has no object model").arg(word));
      }
      QStringList modules = content.takingPart();
      modules.sort();
      paths += modules;
      for (const FolderModule& module : content.modules) {
        if (!module.takesPart) others << module;
      }
    } else if (const QStringList modules = modulesOfSide(word); !modules.isEmpty()) {
      paths += modules;
    } else {
      return fail(QStringLiteral("there is no file or folder %1").arg(word));
    }
  }
  if (paths.isEmpty()) {
    err << kUsage;
    return 2;
  }
  paths.removeDuplicates();
  std::vector<omt::Module> modules;
  for (const QString& path : paths) {
    auto module = omt::readModuleFile(QFile::encodeName(path).toStdString());
    if (!module) return fail(text(module.error().toText()));
    modules.push_back(std::move(*module));
  }
  const DependencyGraph graph = dependenciesOf(modules);
  if (json) {
    out << QString::fromUtf8(toJson(graph, others));
  } else {
    print(graph, others, out);
  }
  for (qsizetype i = 1; i < graph.modules.size(); ++i) {
    for (const ModuleNeed& need : graph.modules[i].needs) {
      if (need.provider == ModuleNeed::nobody) return 1;
    }
  }
  return 0;
}

}  // namespace tutti::fomedit
