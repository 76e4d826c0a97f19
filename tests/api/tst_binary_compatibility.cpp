// SPDX-License-Identifier: GPL-3.0-or-later
#include <QProcess>
#include <QtTest>

#include "recorder.h"

// Federates that never saw our headers, linked with our libraries.
class BinaryCompatibilityTest : public QObject {
  Q_OBJECT

  OwnNode node_;

 private slots:
  void foreignFederate_data() {
    QTest::addColumn<QString>("program");
    QTest::newRow("C++11, with exception lists") << "foreign_federate_cxx11";
    QTest::newRow("C++20, without") << "foreign_federate_cxx20";
  }

  void foreignFederate() {
    QFETCH(QString, program);
    QProcess process;
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/tests/") + program,
                  {uniqueName("foreign"), testFom()});
    QVERIFY(process.waitForFinished(60000));
    const QByteArray output = process.readAllStandardOutput();
    const QByteArray problems = output + process.readAllStandardError();
    QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
             problems.constData());
    QVERIFY2(output.endsWith("left\n"), problems.constData());
  }
};

QTEST_GUILESS_MAIN(BinaryCompatibilityTest)
#include "tst_binary_compatibility.moc"
