// SPDX-License-Identifier: GPL-3.0-or-later
#include <QProcess>

#include "fixture.h"

using namespace tutti::composer;
using namespace tutti::composer::test;

class TestCommandLine : public QObject {
  Q_OBJECT

  struct Result {
    int code;
    QString out;
    QString err;
  };
  static Result tutti(const QStringList& arguments, const QString& catalog = {}) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    if (!catalog.isEmpty()) environment.insert("TUTTI_CATALOG", catalog);
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"), arguments);
    if (!process.waitForFinished(30000)) return {-1, {}, process.errorString()};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
  }

 private slots:
  void exitCodes_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("saying");
    QTest::newRow("no verb shows help") << QStringList{} << 0 << "usage: tutti VERB";
    QTest::newRow("help of a verb") << QStringList{"check", "--help"} << 0 << "tutti check FILE";
    QTest::newRow("unknown verb") << QStringList{"chek"} << 2 << "no verb \"chek\"";
    QTest::newRow("check without a file") << QStringList{"check"} << 2 << "usage: tutti check FILE";
    QTest::newRow("unreadable file")
        << QStringList{"check", "/nowhere"} << 2 << "/nowhere: The file cannot be read";
    QTest::newRow("fine") << QStringList{"check", "good"} << 0
                          << "test: 1 federate, 0 errors, 0 warnings, 0 infos";
    QTest::newRow("with an error")
        << QStringList{"check", "bad"} << 1 << "radar-west › range: radar-west has no range";
    QTest::newRow("catalog") << QStringList{"catalog", "rad"} << 0 << "radar ";
    QTest::newRow("catalog without a hit")
        << QStringList{"catalog", "submarine"} << 0 << "No component matches";
  }
  void exitCodes() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, saying);
    TestCatalog files;
    files.add("radar", R"("parameters": [{"name": "range", "kind": "real", "required": true}])");
    const Composition good = composition({federate("radar-west", "radar", {{"range", 5}})});
    const Composition bad = composition({federate("radar-west", "radar")});
    QVERIFY(good.save(files.path() + "/good"));
    QVERIFY(bad.save(files.path() + "/bad"));
    for (QString& argument : arguments) {
      if (argument == "good" || argument == "bad") argument = files.path() + u'/' + argument;
    }
    const Result text = tutti(arguments, files.path());
    QVERIFY2((text.out + text.err).contains(saying), qPrintable(text.out + text.err));
    QCOMPARE(text.code, code);
    // For machines: the same code and exactly one JSON value.
    const Result json = tutti(arguments + QStringList{"--json"}, files.path());
    QCOMPARE(json.code, code);
    if (!arguments.contains("--help"))
      QVERIFY2(Json::accept(json.out.toStdString()), qPrintable(json.out));
    QVERIFY2(json.err.isEmpty(), qPrintable(json.err));
  }

  void checkSaysTheSameToMachines() {
    TestCatalog files;
    files.add(
        "radar",
        R"("parameters": [{"name": "range", "kind": "real", "unit": "km", "required": true, "suggestion": 250}])");
    QVERIFY(composition({federate("radar-west", "radar")}).save(files.path() + "/bad"));
    const Json json = Json::parse(
        tutti({"--json", "check", files.path() + "/bad"}, files.path()).out.toStdString());
    QCOMPARE(json["canRun"], Json(false));
    const Json& finding = json["findings"][0];
    QCOMPARE(finding["severity"], Json("error"));
    QCOMPARE(finding["where"]["federate"], Json("radar-west"));
    QCOMPARE(finding["where"]["parameter"], Json("range"));
    QCOMPARE(finding["fix"], Json("Use 250 km"));
  }
};

QTEST_GUILESS_MAIN(TestCommandLine)
#include "tst_cli.moc"
