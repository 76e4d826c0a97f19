// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace tutti::launcher {

/// Folder that holds librti1516e.so of this Tutti, beside one of the folders of its programs; empty
/// when there is none.
QString rtiLibraryFolder(const QStringList& binaryFolders);

/// What LD_LIBRARY_PATH has to be for a federate: the folders that its component asks for (colon-
/// separated, may be empty), that of the RTI, then those inherited. The RTI comes behind the
/// component's own, so that a component can bring another one.
QString libraryPathWith(const QString& wanted, const QString& rtiFolder);

/// Files of the shared libraries that the dynamic loader finds for a program under that
/// LD_LIBRARY_PATH, without those of the C library, which belong to a host. Empty for what is no
/// dynamically linked program. Waits up to 5 s. Thread-safe.
QStringList loadedLibraries(const QString& program, const QString& libraryPath);

/// What the dynamic loader does not find for a program under that LD_LIBRARY_PATH: names of shared
/// libraries ("libfoo.so.1"), and its messages for versions of symbols that are missing. Empty for
/// what is no dynamically linked program, such as a script. Asks the program's own loader, as ldd
/// does, which runs nothing of it; waits up to 5 s. Thread-safe.
QStringList missingLibraries(const QString& program, const QString& libraryPath);

}  // namespace tutti::launcher
