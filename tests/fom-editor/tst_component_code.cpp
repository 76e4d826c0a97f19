// SPDX-License-Identifier: GPL-3.0-or-later
// Components that are generated from classes.
#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "fom-editor/codegen/component_plan.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

bool write(const QString& path, const QString& text) {
  if (!QDir().mkpath(QFileInfo(path).path())) return false;
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0;
}

/// What the compiler says of the files, as a person compiles them who minds warnings.
QString compilerOn(const QStringList& files) {
  QProcess compiler;
  compiler.setProcessChannelMode(QProcess::MergedChannels);
  compiler.start(QStringLiteral("c++"),
                 QStringList{"-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I",
                             QStringLiteral(TUTTI_SOURCE_DIR "/rti-embedded/include")} +
                     files);
  if (!compiler.waitForFinished(300'000)) return QStringLiteral("the compiler does not end");
  return QString::fromUtf8(compiler.readAll()) +
         (compiler.exitCode() == 0 ? QString() : QStringLiteral("(not compiled)"));
}

}  // namespace

class TestComponentCode : public QObject {
  Q_OBJECT

 private slots:
  void isInANamespaceThatIsNoFunctionOfC() {
    QString source;
    for (const char* header : {"cmath", "csignal", "cstdlib", "ctime", "strings.h", "sys/select.h",
                               "sys/socket.h", "unistd.h"})
      source += QStringLiteral("#include <%1>\n").arg(QLatin1String(header));
    for (const char* id : {"clock", "link", "signal", "access", "log", "time", "system", "index",
                           "select", "read", "pause", "sync", "weather-gen", "class", "3d"}) {
      ComponentPlan plan;
      plan.id = QLatin1String(id);
      source += QStringLiteral("namespace %1 {}\n").arg(plan.nameSpace());
    }
    QTemporaryDir folder;
    QVERIFY(write(folder.filePath("names.cpp"), source));
    QCOMPARE(compilerOn({folder.filePath("names.cpp")}), QString());
  }
};

QTEST_GUILESS_MAIN(TestComponentCode)
#include "tst_component_code.moc"
