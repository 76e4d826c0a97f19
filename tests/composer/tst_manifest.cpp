// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "composer/model/formula.h"
#include "composer/model/manifest.h"
#include "fixture.h"

using namespace tutti::composer;
using namespace tutti::composer::test;

class TestManifest : public QObject {
  Q_OBJECT

 private slots:
  void formula_data() {
    QTest::addColumn<QString>("formula");
    QTest::addColumn<double>("value");  // NaN: has none
    const double none = std::nan("");
    QTest::newRow("number") << "2.5e3" << 2500.0;
    QTest::newRow("precedence") << "1 + 2 * 3 - 4 / 2" << 5.0;
    QTest::newRow("left to right") << "8 / 4 / 2 - 1 - 1" << -1.0;
    QTest::newRow("parentheses and sign") << "-(1 + 2) * -3" << 9.0;
    QTest::newRow("parameter") << "flights / step" << 2000.0;
    QTest::newRow("min and max") << "max(min(flights, 50), 10)" << 50.0;
    QTest::newRow("unknown name") << "flights / nothing" << none;
    QTest::newRow("division by zero") << "1 / (step - step)" << none;
    QTest::newRow("overflow") << "1e308 * 1e308" << none;
    QTest::newRow("unbalanced") << "(1 + 2" << none;
    QTest::newRow("rubbish behind") << "1 2" << none;
    QTest::newRow("empty") << "" << none;
    QTest::newRow("two dots") << "1.2.3" << none;
    QTest::newRow("nested without end") << QString(100000, u'(') << none;
    QTest::newRow("signs without end") << QString(100000, u'-') << none;
  }
  void formula() {
    QFETCH(QString, formula);
    QFETCH(double, value);
    const auto result = evaluateFormula(formula, [](const QString& name) -> std::optional<double> {
      if (name == "flights") return 200.0;
      if (name == "step") return 0.1;
      return std::nullopt;
    });
    QCOMPARE(result.has_value(), !std::isnan(value));
    if (result) QCOMPARE(*result, value);
    if (!result) QVERIFY(result.error().contains("position"));
  }

  void formulaNamesInOrder() {
    QCOMPARE(formulaNames("b * a + max(b, c)"), (QStringList{"b", "a", "c"}));
  }

  void everyFieldIsRead() {
    QTemporaryDir folder;
    const QString file = folder.filePath("component.json");
    write(folder.filePath("icon.svg"), "<svg/>");
    write(file, R"({
      "id": "radar", "name": "Radar", "version": "1.4", "summary": "Sees.", "category": "Air traffic", "tags": ["sensor"],
      "icon": "icon.svg", "api": "IEEE 1516.1-2010 C++",
      "command": {"executable": "bin/radar", "arguments": ["run", ["--range", "{range}"]], "environment": {"SITE": "{site}"}},
      "parameters": [
        {"name": "range", "label": "Range", "kind": "real", "unit": "km", "min": 1, "max": 500, "required": true, "suggestion": 250},
        {"name": "site", "kind": "airport", "default": "EDDF"}],
      "fom": ["Radar.xml", "/abs/Base.xml"],
      "publishes": {"interactions": [{"class": "RadarPlot", "rate": "range / 4"}]},
      "subscribes": {"objects": [{"class": "HLAobjectRoot.Flight", "attributes": ["position"]}]},
      "time": {"regulating": true, "constrained": true, "lookahead": 0.1, "type": "HLAfloat64Time"},
      "resources": {"cores": 1, "memory": 180, "labels": ["net"]},
      "ready": {"when": "synchronized", "point": "init"}, "abilities": ["save"], "later": {"unknown": 1}})");
    const auto manifest = Manifest::read(file);
    QVERIFY2(manifest, qPrintable(manifest ? QString{} : manifest.error().message()));
    QCOMPARE(manifest->id, "radar");
    QCOMPARE(manifest->icon, folder.filePath("icon.svg"));
    QCOMPARE(manifest->command.arguments.size(), 2u);
    QCOMPARE(manifest->fomModules, (QStringList{folder.filePath("Radar.xml"), "/abs/Base.xml"}));
    QCOMPARE(manifest->publishes.front().className, "HLAinteractionRoot.RadarPlot");
    QCOMPARE(manifest->subscribes.front().shortName(), "Flight");
    QCOMPARE(manifest->flowSummary(), "Flight in, RadarPlot out");
    QCOMPARE(manifest->formula(manifest->publishes.front().rate, {{"range", 100}}),
             std::optional{25.0});
    QCOMPARE(manifest->formula(manifest->publishes.front().rate, {}), std::optional<double>{});
    QCOMPARE(manifest->effectiveValue("site", {}), Json("EDDF"));
    QCOMPARE(manifest->ready.description(), "joined, then \"init\" achieved");
    QCOMPARE(manifest->resources.labels, QStringList{"net"});
    QCOMPARE(manifest->parameter("range")->requirement(), "Needs 1 to 500 km");
  }

  void readsWhenAComponentIsReady_data() {
    QTest::addColumn<QByteArray>("ready");
    QTest::addColumn<QString>("description");
    QTest::newRow("nothing") << QByteArray{"{}"} << "joined";
    QTest::newRow("started") << QByteArray{R"({"when": "started"})"} << "started";
    QTest::newRow("output") << QByteArray{R"({"when": "output", "text": "up"})"}
                            << "it prints \"up\"";
    QTest::newRow("port") << QByteArray{R"({"when": "port", "port": 5000})"}
                          << "it accepts at port 5000";
    QTest::newRow("port by formula")
        << QByteArray{R"({"when": "port", "port": "base + 1"})"} << "it accepts at port base + 1";
    QTest::newRow("delay") << QByteArray{R"({"when": "delay", "seconds": 2.5})"}
                           << "2.5 s after its start";
  }
  void readsWhenAComponentIsReady() {
    QFETCH(QByteArray, ready);
    QFETCH(QString, description);
    const auto source = JsonSource::parse(
        "{\"id\": \"a\", \"version\": \"1\", \"command\": {\"executable\": \"a\"}, "
        "\"parameters\": [{\"name\": \"base\", \"kind\": \"int\"}], \"ready\": " +
            ready + "}",
        "/x/component.json");
    QVERIFY(source);
    const auto manifest = Manifest::fromSource(*source);
    QVERIFY2(manifest, qPrintable(manifest ? QString{} : manifest.error().message()));
    QCOMPARE(manifest->ready.description(), description);
  }

  void brokenManifestSaysWhere_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("saying");
    const QByteArray head =
        "{\"id\": \"a\", \"version\": \"1\", \"command\": {\"executable\": \"a\"},\n";
    QTest::newRow("empty") << QByteArray{} << 0 << ""
                           << "empty";
    QTest::newRow("not JSON") << QByteArray{"{\n\"id\": \"a\",\n}"} << 3 << ""
                              << "not JSON";
    QTest::newRow("cut off") << QByteArray{"{\"id\": \"a"} << 1 << ""
                             << "not JSON";
    QTest::newRow("bad UTF-8") << QByteArray{"{\"id\": \"\xff\"}"} << 1 << ""
                               << "not JSON";
    QTest::newRow("a list") << QByteArray{"[]"} << 1 << ""
                            << "JSON object";
    QTest::newRow("too deep") << QByteArray(100000, '[') << 0 << ""
                              << "200 levels";
    QTest::newRow("key twice") << QByteArray{"{\"id\": \"a\",\n \"id\": \"b\"}"} << 2 << "/id"
                               << "twice";
    QTest::newRow("no id")
        << QByteArray{"{\"version\": \"1\", \"command\": {\"executable\": \"a\"}}"} << 1 << ""
        << "\"id\" is missing";
    QTest::newRow("id with blank")
        << QByteArray{"{\n\"id\": \"a b\", \"version\": \"1\"}"} << 2 << "/id"
        << "cannot be a component's id";
    QTest::newRow("no command") << QByteArray{"{\"id\": \"a\", \"version\": \"1\"}"} << 1 << ""
                                << "\"command\" is missing";
    QTest::newRow("version is a number")
        << QByteArray{"{\"id\": \"a\",\n\"version\": 1}"} << 2 << "/version"
        << "not a text";
    QTest::newRow("unknown ready condition")
        << head + "\"ready\":\n{\"when\": \"soon\"}}" << 3 << "/ready/when"
        << "no ready condition";
    QTest::newRow("port of no parameter")
        << head + "\"ready\": {\"when\": \"port\",\n\"port\": \"base\"}}" << 3 << "/ready/port"
        << "base";
    QTest::newRow("delay without seconds")
        << head + "\"ready\": {\"when\": \"delay\"}}" << 2 << "/ready"
        << "0 to 3600";
    QTest::newRow("unknown kind")
        << head + "\"parameters\": [\n{\"name\": \"x\",\n\"kind\": \"integer\"}]}" << 4
        << "/parameters/0/kind"
        << "integer";
    QTest::newRow("default out of range") << head +
                                                 "\"parameters\": [{\"name\": \"x\", \"kind\": "
                                                 "\"int\", \"max\": 5,\n\"default\": 6}]}"
                                          << 3 << "/parameters/0/default"
                                          << "at most 5";
    QTest::newRow("parameter twice") << head +
                                            "\"parameters\": [{\"name\": \"x\", \"kind\": "
                                            "\"int\"},\n{\"name\": \"x\", \"kind\": \"int\"}]}"
                                     << 3 << "/parameters/1/name"
                                     << "declared twice";
    QTest::newRow("reserved name")
        << head + "\"parameters\": [{\"name\": \"fom\", \"kind\": \"text\"}]}" << 2
        << "/parameters/0/name"
        << "built-in";
    QTest::newRow("enum without choices")
        << head + "\"parameters\": [{\"name\": \"x\", \"kind\": \"enum\"}]}" << 2 << "/parameters/0"
        << "choices";
    QTest::newRow("unknown placeholder") << QByteArray{"{\"id\": \"a\", \"version\": \"1\", \"command\": {\"executable\": \"a\",\n\"arguments\": [[\"--x\", \"{x}\"]]}}"} << 2
                                         << "/command/arguments/0" << "{x}";
    QTest::newRow("rate of unknown name")
        << head + "\"publishes\": {\"objects\": [{\"class\": \"C\",\n\"rate\": \"n / 2\"}]}}" << 3
        << "/publishes/objects/0/rate"
        << "\"n\"";
    QTest::newRow("attributes of an interaction")
        << head +
               "\"publishes\": {\"interactions\": [{\"class\": \"C\", \"attributes\": [\"a\"]}]}}"
        << 2 << "/publishes/interactions/0/attributes"
        << "no attributes";
    QTest::newRow("class twice")
        << head + "\"publishes\": {\"objects\": [\"C\",\n\"HLAobjectRoot.C\"]}}" << 3
        << "/publishes/objects/1"
        << "twice";
    QTest::newRow("no time type") << head + "\"time\": {\"constrained\": true}}" << 2 << "/time"
                                  << "time type";
    QTest::newRow("no lookahead")
        << head + "\"time\": {\"regulating\": true, \"type\": \"HLAfloat64Time\"}}" << 2 << "/time"
        << "lookahead";
    QTest::newRow("unknown ready")
        << head + "\"ready\": {\"when\": \"soon\"}}" << 2 << "/ready/when"
        << "soon";
  }
  void brokenManifestSaysWhere() {
    QFETCH(QByteArray, json);
    QFETCH(int, line);
    QFETCH(QString, pointer);
    QFETCH(QString, saying);
    QTemporaryDir folder;
    write(folder.filePath("component.json"), json);
    const auto manifest = Manifest::read(folder.filePath("component.json"));
    QVERIFY(!manifest);
    QCOMPARE(manifest.error().file, folder.filePath("component.json"));
    QCOMPARE(manifest.error().line, line);
    QCOMPARE(manifest.error().pointer, pointer);
    QVERIFY2(manifest.error().message().contains(saying), qPrintable(manifest.error().message()));
  }

  void typedValue_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("stored");  // JSON; empty: refused
    const auto row = [](const char* name, ParameterKind kind, const char* typed,
                        const char* stored) {
      QTest::newRow(name) << static_cast<int>(kind) << typed << stored;
    };
    row("integer", ParameterKind::Integer, " 12 ", "12");
    row("integer with fraction", ParameterKind::Integer, "1.5", "");
    row("integer too great", ParameterKind::Integer, "501", "");
    row("real", ParameterKind::Real, "0.25e1", "2.5");
    row("not a number", ParameterKind::Real, "nan", "");
    row("boolean", ParameterKind::Boolean, "true", "true");
    row("not a boolean", ParameterKind::Boolean, "yes", "");
    row("airport in lower case", ParameterKind::Airport, "eddf", "\"EDDF\"");
    row("no airport", ParameterKind::Airport, "FRA", "");
    row("choice", ParameterKind::Choice, "EDDF", "\"EDDF\"");
    row("no choice", ParameterKind::Choice, "EGLL", "");
    row("text keeps blanks", ParameterKind::Text, " a ", "\" a \"");
  }
  void typedValue() {
    QFETCH(int, kind);
    QFETCH(QString, typed);
    QFETCH(QString, stored);
    Parameter parameter;
    parameter.kind = static_cast<ParameterKind>(kind);
    parameter.minimum = 1;
    parameter.maximum = 500;
    if (parameter.kind == ParameterKind::Choice) parameter.choices = {"EDDF", "EDDM"};
    const auto value = parameter.parse(typed);
    QCOMPARE(value ? QString::fromStdString(value->dump()) : QString{}, stored);
    if (value)
      QCOMPARE(Parameter::textOf(*value).trimmed().toUpper(),
               typed.trimmed() == "0.25e1" ? "2.5" : typed.trimmed().toUpper());
  }

  void versions_data() {
    QTest::addColumn<QString>("older");
    QTest::addColumn<QString>("newer");
    QTest::newRow("number not text") << "1.9"
                                     << "1.10";
    QTest::newRow("longer") << "1.2"
                            << "1.2.1";
    QTest::newRow("release candidate") << "1.2-rc1"
                                       << "1.2";
    QTest::newRow("candidates") << "2.0-rc1"
                                << "2.0-rc2";
  }
  void versions() {
    QFETCH(QString, older);
    QFETCH(QString, newer);
    QVERIFY(compareVersions(older, newer) < 0);
    QVERIFY(compareVersions(newer, older) > 0);
    QCOMPARE(compareVersions(newer, newer), 0);
  }

  void brokenComponentDoesNotHideOthers() {
    TestCatalog files;
    files.add("good");
    files.add("old", "\"unclosed\": {");
    const Catalog catalog = files.read();
    QCOMPARE(catalog.components().size(), 1u);
    QCOMPARE(catalog.components().front()->id, "good");
    QCOMPARE(catalog.problems().size(), 1u);
    QVERIFY(catalog.problems().front().message().contains("old/component.json"));
  }

  void newestVersionUnlessOneIsAskedFor() {
    TestCatalog files;
    files.add("radar", {}, "1.9");
    files.add("radar", {}, "1.10");
    const Catalog catalog = files.read();
    QCOMPARE(catalog.find("radar")->version, "1.10");
    QCOMPARE(catalog.find("radar", "1.9")->version, "1.9");
    QCOMPARE(catalog.find("radar", "0.1")->version, "1.10");
    QCOMPARE(catalog.find("sonar"), nullptr);
  }

  void firstFolderWins() {
    TestCatalog mine;
    TestCatalog theirs;
    mine.add("radar", "\"summary\": \"mine\"");
    theirs.add("radar", "\"summary\": \"theirs\"");
    const Catalog catalog = Catalog::read({mine.path(), theirs.path(), "/nowhere"});
    QCOMPARE(catalog.find("radar")->summary, "mine");
    QVERIFY(catalog.problems().empty());
    QCOMPARE(catalog.shadowed().size(), 1u);
    QVERIFY(catalog.shadowed().front().message().contains(theirs.path()));
    QCOMPARE(catalog.folders().size(), 2u);
  }

  void search_data() {
    QTest::addColumn<QString>("query");
    QTest::addColumn<QStringList>("ids");
    QTest::newRow("all") << "" << QStringList{"flow", "log", "radar"};
    QTest::newRow("name") << "RAD" << QStringList{"radar"};
    QTest::newRow("tag") << "sensor" << QStringList{"radar"};
    QTest::newRow("class, name first") << "flow" << QStringList{"flow", "radar"};
    QTest::newRow("published or subscribed")
        << "HLAobjectRoot.Flight" << QStringList{"flow", "log"};
    QTest::newRow("every word") << "flight log" << QStringList{"log"};
    QTest::newRow("nothing") << "submarine" << QStringList{};
  }
  void search() {
    QFETCH(QString, query);
    QFETCH(QStringList, ids);
    TestCatalog files;
    files.add("flow", R"("publishes": {"objects": ["Flight"]})");
    files.add("log", R"("subscribes": {"objects": ["Flight"]})");
    files.add("radar", R"("tags": ["sensor"], "summary": "Reads a flow.")");
    const Catalog catalog = files.read();
    QStringList found;
    for (const Manifest* manifest : catalog.search(query)) found.append(manifest->id);
    QCOMPARE(found, ids);
  }

  void shippedComponentsAreSound() {
    const Catalog catalog =
        Catalog::read({QStringLiteral(TUTTI_SOURCE_DIR "/resources/components")});
    QStringList ids;
    for (const auto& manifest : catalog.components()) ids.append(manifest->id);
    for (const Error& problem : catalog.problems()) qWarning() << problem.message();
    QVERIFY(catalog.problems().empty());
    for (const char* id : {"aircraft-flow", "radar", "conflict-detector", "traffic-log", "ping",
                           "pong", "clutter", "clutter-viewer"})
      QVERIFY2(ids.contains(id), id);
  }
};

QTEST_GUILESS_MAIN(TestManifest)
#include "tst_manifest.moc"
