// SPDX-License-Identifier: GPL-3.0-or-later
#include <QProcess>
#include <QTest>

// Federates compiled as C++11, 14, 17 and 20 (with -Wall -Wextra -Werror, see CMakeLists.txt) run
// with the same libraries.
class CompileStandardsTest : public QObject {
  Q_OBJECT

 private slots:
  void runs_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QByteArray>("output");
    QTest::newRow("C++11") << "federate_cxx11" << QByteArray("C++ 201103\n");
    QTest::newRow("C++14") << "federate_cxx14" << QByteArray("C++ 201402\n");
    QTest::newRow("C++17") << "federate_cxx17" << QByteArray("C++ 201703\n");
    QTest::newRow("C++20") << "federate_cxx20" << QByteArray("C++ 202002\n");
    QTest::newRow("without libfedtime1516e")
        << "federate_without_fedtime" << QByteArray("C++ 202002\n");
    QTest::newRow("C++11, the fewest includes")
        << "fewest_includes_cxx11" << QByteArray("1.5 7 1\n");
    QTest::newRow("C++20, the fewest includes")
        << "fewest_includes_cxx20" << QByteArray("1.5 7 1\n");
  }

  void runs() {
    QFETCH(QString, program);
    QFETCH(QByteArray, output);
    QProcess process;
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/tests/") + program, {});
    QVERIFY(process.waitForFinished());
    const QByteArray problems = process.readAllStandardError();
    QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
             problems.constData());
    QCOMPARE(process.readAllStandardOutput(), output);
  }
};

QTEST_GUILESS_MAIN(CompileStandardsTest)
#include "tst_compile_standards.moc"
