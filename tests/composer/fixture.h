// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "composer/model/catalog.h"
#include "composer/model/checks.h"
#include "composer/model/composition.h"

namespace tutti::composer::test {

inline void write(const QString& path, const QByteArray& bytes) {
  QDir{}.mkpath(QFileInfo{path}.absolutePath());
  QFile file{path};
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
    qFatal("cannot write %s", qPrintable(path));
}

/// A catalog in a folder of its own, of components that are as small as the check in question
/// allows.
class TestCatalog {
 public:
  TestCatalog() { QVERIFY(folder_.isValid()); }

  /// `rest` is spliced into the manifest after id, version and command; an executable of that name
  /// is made.
  void add(const QString& id, const QByteArray& rest = {}, const QByteArray& version = "1.0",
           bool executable = true) {
    const QString place =
        path() + u'/' + id + (version == "1.0" ? QString{} : QString::fromLatin1("-" + version));
    write(place + QStringLiteral("/component.json"),
          "{\"id\": \"" + id.toUtf8() + "\", \"version\": \"" + version +
              "\",\n\"command\": {\"executable\": \"" + id.toUtf8() +
              "\", \"arguments\": [[\"--federate\", \"{federate}\"]]}" +
              (rest.isEmpty() ? QByteArray{} : ",\n" + rest) + "}\n");
    if (!executable) return;
    write(place + u'/' + id, "#!/bin/sh\n");
    QFile::setPermissions(place + u'/' + id,
                          QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  }

  [[nodiscard]] QString path() const { return folder_.path(); }
  [[nodiscard]] Catalog read() const { return Catalog::read({path()}); }

 private:
  QTemporaryDir folder_;
};

inline Federate federate(const QString& name, const QString& component,
                         ParameterValues parameters = {}) {
  Federate result;
  result.id = name;
  result.name = name;
  result.component = component;
  result.version = QStringLiteral("1.0");
  result.parameters = std::move(parameters);
  return result;
}

inline Composition composition(std::initializer_list<Federate> federates) {
  Composition result;
  result.settings.federation = QStringLiteral("test");
  for (const Federate& each : federates) result.federates.emplace(each.id, each);
  return result;
}

/// "error Parameters radar-west › range: text", one line a finding.
inline QStringList lines(const std::vector<Finding>& findings, const Composition& of) {
  QStringList result;
  for (const Finding& finding : findings) {
    result.append(QStringLiteral("%1 %2 %3: %4")
                      .arg(severityName(finding.severity), checkName(finding.check),
                           finding.place(of), finding.text));
  }
  return result;
}

}  // namespace tutti::composer::test
