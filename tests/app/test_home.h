// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryDir>

namespace tutti::test {

/// A person's folder of its own for the windows of a test, with this build's programs and catalog.
class TestHome {
 public:
  /// False when there is no such folder.
  bool prepare() {
    if (!folder_.isValid()) return false;
    for (const char* name : {"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"})
      qputenv(name, path(QString::fromLatin1(name)).toUtf8());
    qputenv("TUTTI_BIN", TUTTI_BINARY_DIR "/bin");
    qputenv("TUTTI_CATALOG", TUTTI_SOURCE_DIR "/resources/components");
    return true;
  }
  QString path(const QString& name) const { return folder_.filePath(name); }
  QString settings() const { return path(QStringLiteral("settings.ini")); }

 private:
  QTemporaryDir folder_;
};

}  // namespace tutti::test
