// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <tl/expected.hpp>

#include "composer/model/composition.h"
#include "composer/model/error.h"
#include "composer/model/manifest.h"

namespace tutti::composer {

class Catalog;

/// A process to start.
struct Command {
  QString program;  ///< absolute path
  QStringList arguments;
  std::map<QString, QString> environment;  ///< to add to the environment of the starter
  QString workingFolder;                   ///< absolute; the component's folder

  /// As one would type it in a POSIX shell, quoted where needed, environment first.
  [[nodiscard]] QString shellLine() const;
};

/// Absolute paths of all FOM modules of a composition, each once: its own ones, then those of the
/// components of its enabled federates in start order. `folder` is where relative paths of the
/// composition start.
QStringList effectiveModules(const Composition& composition, const Catalog& catalog,
                             const QString& folder);

/// What starts one instance (`instanceName` is one of federate.instanceNames()) of a federate.
/// Fails when the executable is nowhere or a required parameter has no value.
tl::expected<Command, Error> commandFor(const Composition& composition, const Federate& federate,
                                        const QString& instanceName, const Manifest& manifest,
                                        const QStringList& modules,
                                        const QStringList& binaryFolders);

/// `word` quoted for a POSIX shell where it must be.
QString shellQuoted(const QString& word);

}  // namespace tutti::composer
