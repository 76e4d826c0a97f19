// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of the build that goes on beside it.
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "app/source_build.h"

using tutti::app::SourceBuild;

class tst_source_build : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString log(const QByteArray& content) const {
    const QString path = folder_.filePath(QStringLiteral("log"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
      qFatal("%s cannot be written", qPrintable(path));
    return path;
  }

 private slots:
  void nothingIsBuilt() {
    const SourceBuild none(QString{});
    QVERIFY(!none.isGoingOn());
    QCOMPARE(none.note(), QString());
  }

  void theLastStepIsShown() {
    const SourceBuild build(log("[1/80] Building CXX object a\n[12/80] Building CXX object b\nnote"));
    QVERIFY(build.isGoingOn());
    QCOMPARE(build.note(), QStringLiteral("building samples and benchmarks: 12 of 80"));
  }

  void theEndIsTold() {
    SourceBuild build(log("[1/2] Building\n"));
    QSignalSpy built(&build, &SourceBuild::built);
    log("[1/2] Building\n[2/2] Linking\n[built]\n");
    QTRY_COMPARE(built.size(), 1);
    QVERIFY(!build.isGoingOn());
    QCOMPARE(build.note(), QString());
  }

  void aFailureStays() {
    SourceBuild build(log("[1/2] Building\n"));
    QSignalSpy built(&build, &SourceBuild::built);
    log("[1/2] Building\nFAILED: b.o\n[failed]\n");
    QTRY_VERIFY(build.note().contains("could not be built"));
    QVERIFY(!build.isGoingOn());
    QCOMPARE(built.size(), 0);
  }

  void aLogThatIsGoneMeansNothing() {
    SourceBuild build(log("[1/2] Building\n"));
    QFile::remove(folder_.filePath(QStringLiteral("log")));
    QTRY_VERIFY(!build.isGoingOn());
    QCOMPARE(build.note(), QString());
  }
};

QTEST_GUILESS_MAIN(tst_source_build)
#include "tst_source_build.moc"
