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

  void aFileThatIsNotThereEndsEveryVerbWith2_data() {
    QTest::addColumn<QStringList>("arguments");
    const QString none = QStringLiteral("/nowhere/x.json");
    const QString sample =
        QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations/ping-pong.federation.json");
    for (const char* verb : {"check", "run", "plan", "open", "launch", "hosts"})
      QTest::newRow(verb) << QStringList{QString::fromLatin1(verb), none};
    QTest::newRow("run, hosts") << QStringList{"run", sample, "--hosts", none};
    QTest::newRow("plan, hosts") << QStringList{"plan", sample, "--hosts", none};
    QTest::newRow("place") << QStringList{"place", none, "--hosts", none};
    QTest::newRow("place, hosts") << QStringList{"place", sample, "--hosts", none};
    QTest::newRow("fom check") << QStringList{"fom", "check", none};
    QTest::newRow("fom show") << QStringList{"fom", "show", "Flight", none};
    QTest::newRow("compose") << QStringList{"compose", none, "add", "ping"};
    QTest::newRow("component check") << QStringList{"component", "check", none};
    QTest::newRow("clusters") << QStringList{"clusters", "--hosts", none};
    QTest::newRow("clusters script")
        << QStringList{"clusters", "script", none, "-o", "/nowhere/x.sbatch"};
    QTest::newRow("hosts import") << QStringList{"hosts", "import", "--ssh-config",
                                                 none,    "-o",     "/nowhere/x.hosts.json"};
    QTest::newRow("rerun") << QStringList{"rerun", none};
    QTest::newRow("bench") << QStringList{"bench", "rtibm", "--sequence", none, "--no-store"};
  }
  void aFileThatIsNotThereEndsEveryVerbWith2() {
    QFETCH(QStringList, arguments);
    const Result result = tutti(arguments);
    QVERIFY2(result.code == 2, qPrintable(QString::number(result.code) + u' ' + result.err));
    QVERIFY2((result.err + result.out).contains("/nowhere/x.json"), qPrintable(result.err));
  }

  void aCompositionIsMadeStepByStep() {
    TestCatalog files;
    files.add("vessels", R"("publishes": {"objects": ["Vessel"]})");
    files.add(
        "sonar",
        R"("parameters": [{"name": "range", "kind": "real", "min": 1, "max": 500, "required": true}], "subscribes": {"objects": ["Vessel"]}, "publishes": {"interactions": ["Echo"]})");
    const QString file = files.path() + "/mine.federation.json";
    const auto compose = [&](const QStringList& action) {
      return tutti(QStringList{"compose", file} + action, files.path());
    };
    QCOMPARE(compose({"add", "sonar"}).code, 2);  // there is no file yet
    QCOMPARE(compose({"new", "mine"}).code, 0);
    QCOMPARE(compose({"new", "mine"}).code, 2);  // and now there is one
    const Result needed = compose({"need", "Echo"});
    QCOMPARE(needed.code, 0);
    QCOMPARE(needed.out.trimmed(),
             "added vessels: it publishes Vessel, which sonar subscribes to\nadded sonar: it "
             "publishes Echo");
    QCOMPARE(compose({"set", "sonar", "range=250"}).code, 0);
    QCOMPARE(compose({"add", "sonar", "--name", "sonar-west", "--count", "2", "--set", "range=100"})
                 .code,
             0);
    QCOMPARE(compose({"rename", "sonar", "sonar-east"}).code, 0);
    QCOMPARE(compose({"disable", "vessels"}).code, 0);
    const auto composition = Composition::load(file);
    QVERIFY(composition);
    QCOMPARE(composition->federates.size(), 3u);
    QCOMPARE(composition->findByName("sonar-west")->count, 2);
    QCOMPARE(composition->findByName("sonar-east")->parameters.at("range"), Json(250.0));
    QVERIFY(!composition->findByName("vessels")->enabled);

    QFile before{file};
    QVERIFY(before.open(QIODevice::ReadOnly));
    const QByteArray bytes = before.readAll();
    QCOMPARE(compose({"set", "sonar-east", "range=900"}).code, 2);
    QCOMPARE(compose({"add", "sonar", "--name", "sonar-west"}).code, 2);
    QCOMPARE(compose({"add", "sonar", "--set", "range=5", "--set", "colour=red"}).code, 2);
    QCOMPARE(compose({"remove", "nobody"}).code, 2);
    QCOMPARE(compose({"fly"}).code, 2);
    const Result unmet = compose({"need", "Submarine"});
    QCOMPARE(unmet.code, 1);
    QVERIFY2(unmet.err.contains("no component of the catalog publishes Submarine"),
             qPrintable(unmet.err));
    QFile after{file};
    QVERIFY(after.open(QIODevice::ReadOnly));
    QCOMPARE(after.readAll(), bytes);
    const Result unknown = compose({"add", "submarine"});
    QCOMPARE(unknown.code, 2);
    QVERIFY2(unknown.err.contains("there are sonar, vessels"), qPrintable(unknown.err));
    QCOMPARE(compose({"remove", "vessels"}).code, 0);
  }

  void aModuleIsNamedAsTheShellDoesIt() {
    TestCatalog files;
    const QString file = files.path() + "/mine.federation.json";
    const auto compose = [&](const QStringList& action) {
      return tutti(QStringList{"compose", file} + action, files.path());
    };
    QCOMPARE(compose({"new", "mine"}).code, 0);
    const Result missing = compose({"module", files.path() + "/none.xml"});
    QCOMPARE(missing.code, 2);
    QVERIFY2(missing.err.contains("there is no file"), qPrintable(missing.err));
    QFile module{files.path() + "/Mine.xml"};
    QVERIFY(module.open(QIODevice::WriteOnly));
    QCOMPARE(compose({"module", module.fileName()}).code, 0);
    QCOMPARE(Composition::load(file)->settings.fomModules, QStringList{"Mine.xml"});
  }

  /// Lines end as a shell expects, and nothing stands there that moves a cursor.
  void whatIsPrintedIsPlain() {
    const Result table = tutti({"fom", "show", "--csv", "Flight",
                                TUTTI_SOURCE_DIR
                                "/resources/components/aircraft-flow/AirTraffic-Flight.xml"});
    QCOMPARE(table.code, 0);
    QVERIFY2(!table.out.contains("\\u") && !table.out.contains('\r'), qPrintable(table.out));
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
