// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "composer/model/error.h"
#include "composer/model/manifest.h"

namespace tutti::composer {

/// A folder that was scanned for components.
struct CatalogFolder {
  QString path;           ///< absolute
  QString name;           ///< "name" of its catalog.json, else the folder's name
  bool readOnly = false;  ///< the current user cannot add components to it
  int components = 0;     ///< readable components found in it
};

/// The components a composition can be made of, as found on disk at one moment. A value: reading
/// again makes a new one; nothing is watched. Copies share the manifests.
class Catalog {
 public:
  /// Scans `folders` two levels deep for component.json. A broken manifest becomes a problem and
  /// the rest is read; a component that an earlier folder holds in the same version is shadowed.
  /// Folders that do not exist are skipped.
  static Catalog read(const QStringList& folders);
  /// That component and no other.
  static Catalog of(Manifest manifest);
  /// read(searchPath()).
  static Catalog readDefault();

  /// Folders in order of precedence: TUTTI_CATALOG (colon-separated), resources/components of the
  /// build's source or of the installation, the user's own folder
  /// ($XDG_DATA_HOME/tutti/components).
  static QStringList searchPath();
  /// Folder of the sample compositions: TUTTI_FEDERATIONS, resources/federations of the build's
  /// source, or that of the installation; empty when there is none.
  static QString federationsFolder();
  /// Folder of what `tutti component new` writes, with the same places; empty when there is none.
  static QString templatesFolder();
  /// Folder of the documents ("guide" in it) of the build's source or of the installation; empty when
  /// there is none.
  static QString documentsFolder();
  /// Folders where executables are looked for besides a component's own: TUTTI_BIN
  /// (colon-separated), the folder of this program, and bin beside it.
  static QStringList binaryFolders();

  /// All components, ordered by category, name and version.
  [[nodiscard]] const std::vector<std::shared_ptr<const Manifest>>& components() const {
    return components_;
  }
  [[nodiscard]] const std::vector<CatalogFolder>& folders() const { return folders_; }
  /// Manifests that could not be read.
  [[nodiscard]] const std::vector<Error>& problems() const { return problems_; }
  /// Manifests of components that an earlier folder has in the same version.
  [[nodiscard]] const std::vector<Error>& shadowed() const { return shadowed_; }

  /// The component of that id and version; with another or no version, the newest one. Null when
  /// the id is unknown.
  [[nodiscard]] const Manifest* find(const QString& id, const QString& version = {}) const;

  /// Components where every word of `query` occurs in the name, id, category, summary, a tag, or a
  /// class published or subscribed; hits in the name come first. An empty query gives all.
  [[nodiscard]] std::vector<const Manifest*> search(const QString& query) const;

 private:
  std::vector<std::shared_ptr<const Manifest>> components_;
  std::vector<CatalogFolder> folders_;
  std::vector<Error> problems_;
  std::vector<Error> shadowed_;
};

/// Compares versions by their numeric parts, then as text ("1.10" is newer than "1.9"): less than,
/// equal to or greater than 0.
int compareVersions(const QString& left, const QString& right);

/// Absolute path of the executable that starts `manifest`; nothing when there is none in its
/// folder, in
/// `<bin>/components/<id>/`, in `<bin>/`, or (for a bare name) on PATH.
std::optional<QString> findExecutable(const Manifest& manifest,
                                      const QStringList& binaryFolders = Catalog::binaryFolders());

}  // namespace tutti::composer
