// SPDX-License-Identifier: GPL-3.0-or-later
// `tutti open` where a window can be opened, where none can, and what it refuses.
#include <QElapsedTimer>
#include <QProcess>
#include <QtTest>

#include "test_home.h"

class tst_open : public QObject {
  Q_OBJECT

  tutti::test::TestHome home_;
  struct Result {
    int code;
    QString out;
    QString err;
  };
  static QProcessEnvironment environment(const QString& display) {
    auto result = QProcessEnvironment::systemEnvironment();
    for (const auto* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
      result.remove(QLatin1String(name));
    if (!display.isEmpty()) result.insert(QStringLiteral("DISPLAY"), display);
    return result;
  }
  static Result tutti(const QStringList& arguments, const QProcessEnvironment& environment) {
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"), arguments);
    if (!process.waitForFinished(60000)) return {-1, {}, process.errorString()};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
  }
  static QString sample() {
    return QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations/ping-pong.federation.json");
  }

 private slots:
  void initTestCase() { QVERIFY(home_.prepare()); }

  void withoutADisplayItRunsHere_data() {
    QTest::addColumn<QString>("display");
    QTest::addColumn<QString>("saying");
    QTest::newRow("none") << QString() << "tutti: there is no display, so the federation runs here";
    QTest::newRow("one that is gone")
        << ":987" << "tutti: no window can be opened on display :987, so the federation runs here";
  }
  void withoutADisplayItRunsHere() {
    QFETCH(QString, display);
    QFETCH(QString, saying);
    const Result result = tutti({sample()}, environment(display));
    QVERIFY2(result.err.contains(saying), qPrintable(result.err));
    QVERIFY2(result.out.contains("ping"), qPrintable(result.out));
    QCOMPARE(result.code, 0);
  }

  void aFolderOfModulesIsListed() {
    const QString folder = QStringLiteral(TUTTI_SOURCE_DIR "/tests/fom-editor/data/extraction");
    const Result result = tutti({folder}, environment({}));
    QVERIFY2(result.err.startsWith("tutti: there is no display, so the modules of the folder are "
                                   "listed here\n"),
             qPrintable(result.err));
    QVERIFY2(result.out.contains("Harbour.xml\n  offers 4 object classes"), qPrintable(result.out));
    QVERIFY(result.out.contains("HLAobjectRoot.Outer (line 39), which none of these modules"));
    QCOMPARE(result.code, 1);
  }

  void whatIsNotThereIsRefused() {
    const Result result = tutti({"open", "/nowhere.federation.json"}, environment({}));
    QCOMPARE(result.code, 2);
    QVERIFY2(result.err.contains("there is no file /nowhere.federation.json"),
             qPrintable(result.err));
    const Result two = tutti({sample(), sample()}, environment({}));
    QCOMPARE(two.code, 2);
  }

  void theVersionIsSaid() {
    const Result result = tutti({"--version"}, environment({}));
    QCOMPARE(result.code, 0);
    QVERIFY(QRegularExpression("^tutti \\d+\\.\\d+\\.\\d+\n$").match(result.out).hasMatch());
  }

  /// The process becomes the console: one process, with the composition in its title.
  void withADisplayTheWindowOpens() {
    QVERIFY(!qEnvironmentVariableIsEmpty("DISPLAY"));
    QProcess process;
    auto surroundings = QProcessEnvironment::systemEnvironment();
    process.setProcessEnvironment(surroundings);
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"), {sample()});
    QVERIFY(process.waitForStarted());
    QString window;
    const auto named = [&] {
      QProcess search;
      search.start(QStringLiteral("xdotool"), {"search", "--onlyvisible", "--name", "ping-pong"});
      search.waitForFinished(5000);
      window = QString::fromUtf8(search.readAllStandardOutput()).trimmed();
      return !window.isEmpty();
    };
    QTRY_VERIFY_WITH_TIMEOUT(named(), 30000);
    process.terminate();
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), 0);
  }
};

QTEST_GUILESS_MAIN(tst_open)
#include "tst_open.moc"
