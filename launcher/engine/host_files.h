// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <map>
#include <tl/expected.hpp>
#include <vector>

#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

/// The files of this machine that a host needs for its part of a run: programs with their shared
/// libraries, the folders of components, FOM modules, Tutti's own programs. Where a host has not
/// the same, they are copied below one folder there with the paths that they have here.
struct HostFiles {
  struct File {
    QByteArray sha256;  ///< hexadecimal
    qint64 size = 0;    ///< bytes
    friend bool operator==(const File&, const File&) = default;
  };
  std::map<QString, File> files;  ///< by absolute path
  /// Those of `files` that a host may have of its own in other versions: shared libraries of the
  /// system. They are copied with the others, and not compared by themselves.
  QStringList ofSystem;
  QStringList roots;      ///< files and folders that a command may name
  QStringList libraries;  ///< folders with shared libraries
  QString supervisor;     ///< tutti-supervisor
  QStringList modules;    ///< FOM modules
  /// Who needs a file, by its path; FOM modules and Tutti's programs are needed by all, and by
  /// nobody here.
  struct Use {
    QString federate;   ///< its name
    QString component;  ///< "radar 1.2"; empty: a shared library, or a program of no component
    friend bool operator==(const Use&, const Use&) = default;
  };
  std::map<QString, std::vector<Use>> uses;

  /// A file as it is now; the error says why it cannot be read. One that has not changed since is
  /// not read again.
  static tl::expected<File, QString> look(const QString& path);
  /// Looks at the files of a plan that is not settled for that host. The error names what cannot be
  /// read. Blocks for the time that reading takes; any thread.
  static tl::expected<HostFiles, composer::Error> of(const LaunchPlan& plan, const QString& host);

  /// A word of a command with each path that it names moved below `folder`.
  QString moved(const QString& word, const QString& folder) const;
};

/// A shared library that comes with the operating system.
bool isOfSystem(const QString& library);

}  // namespace tutti::launcher
