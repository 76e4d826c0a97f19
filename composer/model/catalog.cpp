// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/catalog.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>
#include <algorithm>
#include <tuple>

namespace tutti::composer {

namespace {

QStringList environmentFolders(const char* variable) {
  QStringList result;
  for (const QString& folder : qEnvironmentVariable(variable).split(u':', Qt::SkipEmptyParts)) {
    result.append(QDir::cleanPath(QFileInfo{folder}.absoluteFilePath()));
  }
  return result;
}

void append(QStringList& folders, const QString& folder) {
  const QString clean = QDir::cleanPath(folder);
  if (!folders.contains(clean)) folders.append(clean);
}

/// Those of the places, relative to the folder of this program or to one above it, that are there.
QStringList foldersAbove(const QStringList& places) {
  QStringList folders;
  QDir at{QCoreApplication::applicationDirPath()};
  for (int levels = 0; levels < 5; ++levels) {
    for (const QString& place : places) {
      if (at.exists(place)) append(folders, at.absoluteFilePath(place));
    }
    if (!at.cdUp()) break;
  }
  return folders;
}

/// Folders of that name that came with this program: in the source that it was built from, or
/// installed.
QStringList shippedFolders(const QString& name) {
  return foldersAbove({QStringLiteral("resources/") + name, QStringLiteral("share/tutti/") + name});
}

/// component.json files at most two levels below `folder`, in the order of their names.
QStringList manifestsBelow(const QDir& folder, int levels = 2) {
  QStringList result;
  for (const QString& name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
    const QDir child{folder.filePath(name)};
    if (child.exists(QStringLiteral("component.json"))) {
      result.append(child.absoluteFilePath(QStringLiteral("component.json")));
    } else if (levels > 1) {
      result.append(manifestsBelow(child, levels - 1));
    }
  }
  return result;
}

bool isExecutableFile(const QString& path) {
  const QFileInfo info{path};
  return info.isFile() && info.isExecutable();
}

}  // namespace

int compareVersions(const QString& left, const QString& right) {
  static const QRegularExpression separators{QStringLiteral("[.+_-]")};
  const QStringList a = left.split(separators);
  const QStringList b = right.split(separators);
  for (qsizetype i = 0; i < std::max(a.size(), b.size()); ++i) {
    const QString x = a.value(i);
    const QString y = b.value(i);
    bool xIsNumber = false;
    bool yIsNumber = false;
    const qulonglong m = x.toULongLong(&xIsNumber);
    const qulonglong n = y.toULongLong(&yIsNumber);
    if (xIsNumber && yIsNumber) {
      if (m != n) return m < n ? -1 : 1;
    } else if (const int order = x.compare(y); order != 0) {
      // A missing part ranks below a number ("1.2" < "1.2.1") but above a word ("1.2-rc1" < "1.2").
      if (x.isEmpty()) return yIsNumber ? -1 : 1;
      if (y.isEmpty()) return xIsNumber ? 1 : -1;
      return order;
    }
  }
  return 0;
}

QStringList Catalog::searchPath() {
  QStringList folders;
  for (const QString& folder : environmentFolders("TUTTI_CATALOG")) append(folders, folder);
  for (const QString& folder : shippedFolders(QStringLiteral("components")))
    append(folders, folder);
  append(folders, QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
                      QStringLiteral("/tutti/components"));
  return folders;
}

QString Catalog::federationsFolder() {
  QStringList folders = environmentFolders("TUTTI_FEDERATIONS");
  folders << shippedFolders(QStringLiteral("federations"));
  for (const QString& folder : folders) {
    if (QFileInfo{folder}.isDir()) return folder;
  }
  return {};
}

QString Catalog::templatesFolder() {
  return shippedFolders(QStringLiteral("templates")).value(0);
}

QString Catalog::documentsFolder() {
  const QString guide =
      foldersAbove({QStringLiteral("docs/guide"), QStringLiteral("share/doc/tutti/docs/guide")})
          .value(0);
  return guide.isEmpty() ? QString{} : QFileInfo{guide}.path();
}

QStringList Catalog::binaryFolders() {
  QStringList folders;
  for (const QString& folder : environmentFolders("TUTTI_BIN")) append(folders, folder);
  const QString own = QCoreApplication::applicationDirPath();
  append(folders, own);
  append(folders, own + QStringLiteral("/../bin"));
  append(folders, own + QStringLiteral("/../lib/tutti"));
  return folders;
}

Catalog Catalog::readDefault() { return read(searchPath()); }

Catalog Catalog::of(Manifest manifest) {
  Catalog catalog;
  catalog.components_.push_back(std::make_shared<const Manifest>(std::move(manifest)));
  return catalog;
}

Catalog Catalog::read(const QStringList& folders) {
  Catalog catalog;
  for (const QString& path : folders) {
    const QDir dir{path};
    if (!dir.exists()) continue;
    CatalogFolder folder;
    folder.path = QDir::cleanPath(dir.absolutePath());
    folder.name = dir.dirName();
    folder.readOnly = !QFileInfo{folder.path}.isWritable();
    if (dir.exists(QStringLiteral("catalog.json"))) {
      const auto source = JsonSource::read(dir.absoluteFilePath(QStringLiteral("catalog.json")));
      if (!source) {
        catalog.problems_.push_back(source.error());
      } else if (source->root().is_object() && source->root().contains("name") &&
                 source->root()["name"].is_string()) {
        folder.name = text(source->root()["name"].get<std::string>());
      } else {
        catalog.problems_.push_back(source->error("",
                                                  QStringLiteral("This catalog has no \"name\"."),
                                                  QStringLiteral("Add it, a text.")));
      }
    }
    for (const QString& file : manifestsBelow(dir)) {
      auto manifest = Manifest::read(file);
      if (!manifest) {
        catalog.problems_.push_back(manifest.error());
        continue;
      }
      const Manifest* earlier = catalog.find(manifest->id, manifest->version);
      if (earlier && earlier->version == manifest->version) {
        catalog.shadowed_.push_back(
            Error{file,
                  0,
                  {},
                  QStringLiteral("%1 %2 is already in %3, which wins.")
                      .arg(manifest->id, manifest->version, earlier->folder),
                  QStringLiteral("Remove one of the two, or give this one another version.")});
        continue;
      }
      ++folder.components;
      catalog.components_.push_back(std::make_shared<const Manifest>(std::move(*manifest)));
    }
    catalog.folders_.push_back(folder);
  }
  std::stable_sort(
      catalog.components_.begin(), catalog.components_.end(), [](const auto& a, const auto& b) {
        const auto key = [](const Manifest& m) { return std::tie(m.category, m.name, m.id); };
        if (key(*a) != key(*b)) return key(*a) < key(*b);
        return compareVersions(a->version, b->version) < 0;
      });
  return catalog;
}

const Manifest* Catalog::find(const QString& id, const QString& version) const {
  const Manifest* newest = nullptr;
  for (const auto& component : components_) {
    if (component->id != id) continue;
    if (component->version == version) return component.get();
    if (!newest || compareVersions(newest->version, component->version) < 0)
      newest = component.get();
  }
  return newest;
}

std::vector<const Manifest*> Catalog::search(const QString& query) const {
  const QStringList words = query.split(u' ', Qt::SkipEmptyParts);
  std::vector<const Manifest*> inName;
  std::vector<const Manifest*> elsewhere;
  for (const auto& component : components_) {
    QStringList more{component->category, component->summary};
    more += component->tags;
    for (const auto* interests : {&component->publishes, &component->subscribes}) {
      for (const auto& interest : *interests) more.append(interest.className);
    }
    const QString name = component->name + u'\n' + component->id;
    const QString all = name + u'\n' + more.join(u'\n');
    const auto inAll = [&](const QString& haystack) {
      return std::all_of(words.begin(), words.end(), [&](const QString& w) {
        return haystack.contains(w, Qt::CaseInsensitive);
      });
    };
    if (inAll(name)) {
      inName.push_back(component.get());
    } else if (inAll(all)) {
      elsewhere.push_back(component.get());
    }
  }
  inName.insert(inName.end(), elsewhere.begin(), elsewhere.end());
  return inName;
}

std::optional<QString> findExecutable(const Manifest& manifest, const QStringList& binaryFolders) {
  const QString& executable = manifest.command.executable;
  if (executable.isEmpty()) return std::nullopt;
  if (QDir::isAbsolutePath(executable)) {
    if (isExecutableFile(executable)) return QDir::cleanPath(executable);
    return std::nullopt;
  }
  QStringList candidates{manifest.folder + u'/' + executable};
  for (const QString& folder : binaryFolders) {
    candidates.append(folder + QStringLiteral("/components/") + manifest.id + u'/' + executable);
    candidates.append(folder + u'/' + executable);
  }
  for (const QString& candidate : candidates) {
    if (isExecutableFile(candidate))
      return QDir::cleanPath(QFileInfo{candidate}.absoluteFilePath());
  }
  if (!executable.contains(u'/')) {
    if (const QString onPath = QStandardPaths::findExecutable(executable); !onPath.isEmpty())
      return onPath;
  }
  return std::nullopt;
}

}  // namespace tutti::composer
