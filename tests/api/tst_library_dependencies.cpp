// SPDX-License-Identifier: GPL-3.0-or-later
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

// A federate brings its own versions of everything else into the process, so the libraries may
// need libc and libstdc++ only (libgcc_s and libm belong to those two).
class LibraryDependenciesTest : public QObject {
  Q_OBJECT

  static QByteArray output(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForFinished()) return {};
    return process.readAllStandardOutput();
  }

 private slots:
  void needsOnlyTheLanguageRuntime_data() {
    QTest::addColumn<QString>("path");
    QTest::newRow("rti") << QString(TUTTI_RTI_LIBRARY);
    QTest::newRow("fedtime") << QString(TUTTI_FEDTIME_LIBRARY);
  }

  void needsOnlyTheLanguageRuntime() {
    QFETCH(QString, path);
    const QString dynamic = QString::fromLocal8Bit(output("readelf", {"-d", "-W", path}));
    QVERIFY2(dynamic.contains("SYMTAB"), "readelf (package binutils) gave no dynamic section");

    QSet<QString> needed;
    static const QRegularExpression line("\\(NEEDED\\)[^\\[]*\\[([^\\]]+)\\]");
    for (const auto& match : line.globalMatch(dynamic)) needed.insert(match.captured(1));
    QVERIFY(!needed.isEmpty());
    needed -= {"libc.so.6", "libstdc++.so.6", "libgcc_s.so.1",
               "libm.so.6", "librti1516e.so.1", "ld-linux-x86-64.so.2"};
    for (const QString& library : std::as_const(needed)) {
      // The sanitizer presets add their own runtimes.
      QVERIFY2(QRegularExpression("^lib(asan|ubsan|tsan)\\.so").match(library).hasMatch(),
               qPrintable("needs " + library));
    }
  }

  // The first lookup of the loader: whatever the libraries need in turn is there as well.
  void loads() {
    const QByteArray found = output("ldd", {TUTTI_FEDTIME_LIBRARY});
    QVERIFY2(found.contains("librti1516e.so"), found.constData());
    QVERIFY2(!found.contains("not found"), found.constData());
    QVERIFY2(!found.contains("Qt"), found.constData());
  }
};

QTEST_GUILESS_MAIN(LibraryDependenciesTest)
#include "tst_library_dependencies.moc"
