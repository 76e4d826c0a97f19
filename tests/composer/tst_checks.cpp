// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/checks.h"
#include "composer/model/command_line.h"
#include "composer/model/data_flow.h"
#include "composer/model/proposal.h"
#include "fixture.h"

using namespace tutti::composer;
using namespace tutti::composer::test;

namespace {

/// "flow -> hub Flight 400", one line an edge.
QStringList edgeLines(const DataFlow& flow) {
  QStringList result;
  for (const FlowEdge& edge : flow.edges()) {
    result.append(QStringLiteral("%1 -> %2 %3 %4")
                      .arg(edge.from.isEmpty() ? QStringLiteral("hub") : edge.from,
                           edge.to.isEmpty() ? QStringLiteral("hub") : edge.to,
                           edge.className.section(u'.', -1),
                           edge.rate ? QString::number(*edge.rate) : QStringLiteral("?")));
  }
  return result;
}

}  // namespace

class TestChecks : public QObject {
  Q_OBJECT

  /// Components that the cases below are made of.
  static void fill(TestCatalog& files) {
    files.add("flow", R"("parameters": [{"name": "n", "kind": "int", "default": 100}],
      "publishes": {"objects": [{"class": "Flight", "attributes": ["position", "altitude"], "rate": "2 * n"}]})");
    files.add(
        "glider",
        R"("publishes": {"objects": [{"class": "Flight.Glider", "attributes": ["position"], "rate": 7}]})");
    files.add("log",
              R"("subscribes": {"objects": [{"class": "Flight", "attributes": ["position"]}]})");
    files.add(
        "everything",
        R"("subscribes": {"objects": ["HLAobjectRoot"], "interactions": ["HLAinteractionRoot"]})");
    files.add("gliders", R"("subscribes": {"objects": ["Flight.Glider"]})");
    files.add("heights",
              R"("subscribes": {"objects": [{"class": "Flight", "attributes": ["altitude"]}]})");
    files.add(
        "peer",
        R"("publishes": {"interactions": [{"class": "Hello", "rate": 10}]}, "subscribes": {"interactions": ["Hello"]})");
    files.add(
        "radar",
        R"("parameters": [{"name": "range", "label": "Range", "kind": "real", "unit": "km", "min": 1, "max": 500, "required": true, "suggestion": 250, "help": "It would see no flight."}])");
    files.add("regulating", R"("parameters": [{"name": "ahead", "kind": "real", "default": 1.0}],
      "time": {"regulating": true, "lookahead": "ahead", "type": "HLAfloat64Time"})");
    files.add(
        "integral",
        R"("time": {"regulating": true, "constrained": true, "lookahead": 1, "type": "HLAinteger64Time"})");
    files.add(
        "picky",
        R"("subscribes": {"objects": [{"class": "Flight", "attributes": ["position", "route", "fuel"]}]})");
    files.add("pacer");
    write(files.path() + QStringLiteral("/pacer/component.json"),
          R"({"id": "pacer", "version": "1.0", "command": {"executable": "pacer",
              "environment": {"PACE": "{pace}"}}})");
    files.add("constrained", R"("time": {"constrained": true, "type": "HLAfloat64Time"})");
    files.add("missing-executable", {}, "1.0", false);
  }

 private slots:
  void edges_data() {
    QTest::addColumn<QStringList>("components");
    QTest::addColumn<QStringList>("edges");
    QTest::newRow("one to one") << QStringList{"flow", "log"}
                                << QStringList{"flow -> log Flight 200"};
    QTest::newRow("one to two has no hub")
        << QStringList{"flow", "log", "heights"}
        << QStringList{"flow -> heights Flight 200", "flow -> log Flight 200"};
    QTest::newRow("two to two has one")
        << QStringList{"flow", "flow", "log", "heights"}
        << QStringList{"flow -> hub Flight 200", "flow-2 -> hub Flight 200",
                       "hub -> heights Flight 400", "hub -> log Flight 400"};
    QTest::newRow("ancestor receives subclass")
        << QStringList{"glider", "log"} << QStringList{"glider -> log Glider 7"};
    QTest::newRow("subclass does not receive ancestor")
        << QStringList{"flow", "gliders"} << QStringList{};
    QTest::newRow("root receives all")
        << QStringList{"flow", "glider", "peer", "everything"}
        << QStringList{"flow -> everything Flight 200", "glider -> everything Glider 7",
                       "peer -> everything Hello 10"};
    QTest::newRow("attributes must overlap") << QStringList{"glider", "heights"} << QStringList{};
    QTest::newRow("not to itself") << QStringList{"peer"} << QStringList{};
    QTest::newRow("peers") << QStringList{"peer", "peer"}
                           << QStringList{"peer -> hub Hello 10", "peer-2 -> hub Hello 10",
                                          "hub -> peer Hello 10", "hub -> peer-2 Hello 10"};
    QTest::newRow("unknown component") << QStringList{"flow", "no-such"} << QStringList{};
  }
  void edges() {
    QFETCH(QStringList, components);
    QFETCH(QStringList, edges);
    TestCatalog files;
    fill(files);
    Composition some = composition({});
    for (const QString& component : components) {
      const Federate added = federate(some.freeName(component), component);
      some.federates.emplace(added.id, added);
    }
    QCOMPARE(edgeLines(deriveDataFlow(some, files.read())), edges);
  }

  void disabledFederatesSendNothing() {
    TestCatalog files;
    fill(files);
    Composition some = composition({federate("flow", "flow"), federate("log", "log")});
    some.federates.at("flow").enabled = false;
    const DataFlow flow = deriveDataFlow(some, files.read());
    QVERIFY(flow.flows.empty());
    QCOMPARE(flow.unmet.size(), 1u);
  }

  void instancesOfOneBoxHearEachOther() {
    TestCatalog files;
    fill(files);
    Composition some = composition({federate("peer", "peer")});
    some.federates.at("peer").count = 4;
    const DataFlow flow = deriveDataFlow(some, files.read());
    QCOMPARE(edgeLines(flow), QStringList{"peer -> peer Hello 40"});
    QCOMPARE(flow.flows.front().subscribers.front().rate, std::optional{30.0});
  }

  void parametersChangeTheRate() {
    TestCatalog files;
    fill(files);
    const Composition some =
        composition({federate("flow", "flow", {{"n", 7}}), federate("log", "log")});
    QCOMPARE(edgeLines(deriveDataFlow(some, files.read())), QStringList{"flow -> log Flight 14"});
  }

  void findings_data() {
    QTest::addColumn<QByteArray>("federates");  // JSON of "federates"
    QTest::addColumn<QStringList>("expected");
    QTest::addColumn<QString>("fix");  // label of the first finding's fix
    const QString none;
    QTest::newRow("empty") << QByteArray{"{}"}
                           << QStringList{"error Components : The composition has no federate."}
                           << none;
    QTest::newRow("nothing enabled")
        << QByteArray{R"({"a": {"component": "flow", "enabled": false}})"}
        << QStringList{"error Components : Every federate is disabled: nothing would start."}
        << "Enable a";
    QTest::newRow("fine")
        << QByteArray{R"({"a": {"component": "flow", "version": "1.0"}, "b": {"component": "log", "version": "1.0"}})"}
        << QStringList{} << none;
    QTest::newRow("no such component")
        << QByteArray{R"({"a": {"component": "sonar", "version": "2"}})"}
        << QStringList{"error Components a: a needs the component sonar 2, which no catalog has."}
        << "Remove a";
    QTest::newRow("other version") << QByteArray{R"({"a": {"component": "everything", "version": "0.9"}, "b": {"component": "flow", "version": "1.0"}, "c": {"component": "peer", "version": "1.0"}})"}
                                   << QStringList{"warning Components a: a was composed with everything 0.9; the catalog has 1.0.", "warning Data flow c › Hello: c subscribes to Hello; nobody publishes it."} << "Use 1.0";
    QTest::newRow("no executable") << QByteArray{R"({"a": {"component": "missing-executable", "version": "1.0"}})"}
                                   << QStringList{"error Components a: a cannot start: its executable \"missing-executable\" is not there."} << none;
    QTest::newRow("no value")
        << QByteArray{R"({"radar-west": {"component": "radar", "version": "1.0"}})"}
        << QStringList{"error Parameters radar-west › range: radar-west has no range."}
        << "Use 250 km";
    QTest::newRow("out of range")
        << QByteArray{R"({"r": {"component": "radar", "version": "1.0", "parameters": {"range": 700}}})"}
        << QStringList{"error Parameters r › range: r cannot use 700 km as its range."}
        << "Use 250 km";
    QTest::newRow("wrong type")
        << QByteArray{R"({"r": {"component": "radar", "version": "1.0", "parameters": {"range": "far"}}})"}
        << QStringList{"error Parameters r › range: r cannot use far km as its range."}
        << "Use 250 km";
    QTest::newRow("unknown parameter") << QByteArray{R"({"r": {"component": "radar", "version": "1.0", "parameters": {"range": 7, "colour": "red"}}})"}
                                       << QStringList{"warning Parameters r › colour: r sets colour, which radar 1.0 does not have."} << "Remove colour";
    QTest::newRow("disabled is not checked")
        << QByteArray{R"({"r": {"component": "radar", "enabled": false}, "f": {"component": "flow", "version": "1.0"}, "l": {"component": "log", "version": "1.0"}})"}
        << QStringList{} << none;
    QTest::newRow("nobody publishes")
        << QByteArray{R"({"l": {"component": "log", "version": "1.0"}})"}
        << QStringList{"warning Data flow l › Flight: l subscribes to Flight; nobody publishes it."}
        << "Add flow";
    QTest::newRow("some attributes nobody publishes")
        << QByteArray{R"({"p": {"component": "picky", "version": "1.0"}, "f": {"component": "flow", "version": "1.0"}})"}
        << QStringList{"warning Data flow p › Flight: p subscribes to route and fuel of Flight; nobody publishes them."} << none;
    QTest::newRow("its publisher is disabled")
        << QByteArray{R"({"l": {"component": "log", "version": "1.0"}, "f": {"component": "flow", "enabled": false}})"}
        << QStringList{"warning Data flow l › Flight: l subscribes to Flight; nobody publishes it."}
        << "Enable f";
    QTest::newRow("nobody subscribes")
        << QByteArray{R"({"f": {"component": "flow", "version": "1.0"}})"}
        << QStringList{"info Data flow f › Flight: Flight is published; nobody subscribes to it."}
        << none;
    QTest::newRow("same name")
        << QByteArray{R"({"a": {"component": "radar", "version": "1.0", "name": "x", "parameters": {"range": 7}}, "b": {"component": "radar", "version": "1.0", "name": "x", "parameters": {"range": 7}}})"}
        << QStringList{"error Names x: Two federates are called x."} << "Call it x-2";
    QTest::newRow("same name as an instance")
        << QByteArray{R"({"a": {"component": "radar", "version": "1.0", "name": "x", "count": 2, "parameters": {"range": 7}}, "b": {"component": "radar", "version": "1.0", "name": "x-2", "parameters": {"range": 7}}})"}
        << QStringList{"error Names x-2: Two federates are called x-2."} << "Call it x-2-2";
    QTest::newRow("time types")
        << QByteArray{R"({"a": {"component": "regulating", "version": "1.0"}, "b": {"component": "integral", "version": "1.0"}})"}
        << QStringList{"error Time b: The federates do not agree on a time type."} << none;
    QTest::newRow("lookahead 0 beside others")
        << QByteArray{R"({"a": {"component": "regulating", "version": "1.0", "parameters": {"ahead": 0}}, "b": {"component": "regulating", "version": "1.0"}})"}
        << QStringList{"warning Time a: a regulates with lookahead 0, others with more."} << none;
    QTest::newRow("lookahead negative")
        << QByteArray{R"({"a": {"component": "regulating", "version": "1.0", "parameters": {"ahead": -1}}})"}
        << QStringList{"error Time a: The lookahead of a is negative."} << none;
    QTest::newRow("nobody regulates")
        << QByteArray{R"({"a": {"component": "constrained", "version": "1.0"}})"}
        << QStringList{"info Time a: Nobody regulates time, so a advances freely."} << none;
    QTest::newRow("somebody keeps the pace")
        << QByteArray{R"({"a": {"component": "regulating", "version": "1.0"}, "b": {"component": "pacer", "version": "1.0"}})"}
        << QStringList{} << none;
    QTest::newRow("waits for nobody")
        << QByteArray{R"({"a": {"component": "radar", "version": "1.0", "parameters": {"range": 7}, "waitsFor": ["gone"]}})"}
        << QStringList{"error Start a: a waits for gone, which will not start."}
        << "Stop waiting for gone";
    QTest::newRow("circle of waits")
        << QByteArray{R"({"a": {"component": "radar", "version": "1.0", "parameters": {"range": 7}, "waitsFor": ["b"]},
        "b": {"component": "radar", "version": "1.0", "parameters": {"range": 7}, "waitsFor": ["c"]}, "c": {"component": "radar", "version": "1.0", "parameters": {"range": 7}, "waitsFor": ["b"]}})"}
        << QStringList{"error Start c: b and c wait for each other."}
        << "Start c without waiting";
  }
  void findings() {
    QFETCH(QByteArray, federates);
    QFETCH(QStringList, expected);
    QFETCH(QString, fix);
    TestCatalog files;
    fill(files);
    const auto source =
        JsonSource::parse("{\"federation\": \"f\", \"federates\": " + federates + "}", {});
    QVERIFY(source);
    const auto some = Composition::fromSource(*source);
    QVERIFY2(some, qPrintable(some ? QString{} : some.error().message()));
    const auto found = checkComposition(*some, files.read(), {});
    const QStringList said = lines(found, *some);
    QVERIFY2(said == expected, qPrintable(said.join(u'\n')));
    QCOMPARE(canRun(found), !expected.join(u'\n').contains("error"));
    if (!found.empty()) QCOMPARE(found.front().fix ? found.front().fix->label : QString{}, fix);
    for (const Finding& finding : found) QVERIFY(finding.why.size() > 10);
  }

  void brokenManifestsAreFindings() {
    TestCatalog files;
    fill(files);
    write(files.path() + QStringLiteral("/torn/component.json"), "{\n\"id\": \"torn\",\n");
    const Composition some =
        composition({federate("flow", "flow"), federate("log", "log")});
    const auto found = checkComposition(some, files.read(), {});
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found.front().severity, Severity::Warning);
    QVERIFY2(found.front().text.startsWith("torn cannot be read: "),
             qPrintable(found.front().text));
    QVERIFY(found.front().where.file.endsWith("/torn/component.json"));
    QVERIFY(found.front().where.line > 0);
    // Told once, with the federate that needs it.
    const Composition needing =
        composition({federate("flow", "flow"), federate("log", "log"), federate("t", "torn")});
    const auto needed = checkComposition(needing, files.read(), {});
    QCOMPARE(needed.size(), 1u);
    QCOMPARE(needed.front().severity, Severity::Error);
    QVERIFY(needed.front().why.contains("component.json"));
  }

  void proposals_data() {
    QTest::addColumn<QStringList>("present");
    QTest::addColumn<QStringList>("needs");
    QTest::addColumn<QStringList>("proposed");  // "id depth"
    QTest::addColumn<QStringList>("unmet");
    QTest::newRow("nothing") << QStringList{} << QStringList{} << QStringList{} << QStringList{};
    QTest::newRow("a source") << QStringList{} << QStringList{"Flight.Glider"}
                              << QStringList{"glider 0"} << QStringList{};
    QTest::newRow("fewest further needs, then the first")
        << QStringList{} << QStringList{"Flight"} << QStringList{"flow 0"} << QStringList{};
    QTest::newRow("what it needs in turn") << QStringList{} << QStringList{"Plot"}
                                           << QStringList{"flow 0", "tracker 1"} << QStringList{};
    QTest::newRow("present ones are used")
        << QStringList{"flow"} << QStringList{"Plot"} << QStringList{"tracker 0"} << QStringList{};
    QTest::newRow("subscriptions without publisher")
        << QStringList{"log"} << QStringList{} << QStringList{"flow 0"} << QStringList{};
    QTest::newRow("interaction by its root")
        << QStringList{} << QStringList{"HLAinteractionRoot.Plot"}
        << QStringList{"flow 0", "tracker 1"} << QStringList{};
    QTest::newRow("two that need each other")
        << QStringList{} << QStringList{"Question"} << QStringList{"asker 2", "answerer 2"}
        << QStringList{};
    QTest::newRow("nobody has it")
        << QStringList{} << QStringList{"Submarine", "Flight"} << QStringList{"flow 0"}
        << QStringList{"HLAobjectRoot.Submarine"};
  }
  void proposals() {
    QFETCH(QStringList, present);
    QFETCH(QStringList, needs);
    QFETCH(QStringList, proposed);
    QFETCH(QStringList, unmet);
    TestCatalog files;
    fill(files);
    files.add("tracker",
              R"("subscribes": {"objects": ["Flight"]}, "publishes": {"interactions": ["Plot"]})");
    files.add(
        "asker",
        R"("publishes": {"interactions": ["Question"]}, "subscribes": {"interactions": ["Answer"]})");
    files.add(
        "answerer",
        R"("publishes": {"interactions": ["Answer"]}, "subscribes": {"interactions": ["Question"]})");
    Composition some = composition({});
    for (const QString& component : present)
      some.federates.emplace(component, federate(component, component));
    std::vector<Need> wanted;
    for (const QString& need : needs) wanted.push_back({need});
    const Catalog catalog = files.read();
    const Proposal proposal = propose(some, catalog, wanted);
    QStringList items;
    for (const auto& item : proposal.items)
      items.append(QStringLiteral("%1 %2").arg(item.manifest->id).arg(item.depth));
    QStringList missing;
    for (const auto& each : proposal.unmet) missing.append(each.className);
    QCOMPARE(items, proposed);
    QCOMPARE(missing, unmet);
    // With the proposed ones added, nothing that was asked for is missing.
    for (const auto& item : proposal.items)
      some.federates.emplace(item.manifest->id, federate(item.manifest->id, item.manifest->id));
    QVERIFY(deriveDataFlow(some, catalog).unmet.empty());
  }

  void unreadableModuleIsAFindingWithItsLine() {
    TestCatalog files;
    files.add("a", R"("fom": ["A.xml", "Missing.xml"])");
    write(files.path() + "/a/A.xml",
          "<?xml version=\"1.0\"?>\n<objectModel>\n  <objects>\n</objectModel>\n");
    const Catalog catalog = files.read();
    const Composition some = composition({federate("a", "a")});
    const auto report =
        examineModules({files.path() + "/a/A.xml", files.path() + "/a/Missing.xml"});
    CheckInput input;
    input.objectModel = &report;
    const auto found = checkComposition(some, catalog, input);
    QCOMPARE(found.size(), 2u);
    QCOMPARE(found[0].check, Check::ObjectModel);
    QCOMPARE(found[0].where.file, files.path() + "/a/A.xml");
    QVERIFY(found[0].where.line >= 3);
    QCOMPARE(found[1].where.file, files.path() + "/a/Missing.xml");
    QVERIFY(!canRun(found));
  }

  static QByteArray module(const QByteArray& name, const QByteArray& attributeType) {
    return "<?xml version=\"1.0\"?>\n<objectModel "
           "xmlns=\"http://standards.ieee.org/IEEE1516-2010\">\n"
           "<modelIdentification><name>" +
           name +
           "</name></modelIdentification>\n"
           "<objects><objectClass><name>HLAobjectRoot</name>\n"
           "<objectClass><name>Flight</name><sharing>PublishSubscribe</sharing>\n"
           "<attribute><name>position</name>\n<dataType>" +
           attributeType +
           "</dataType>\n"
           "<transportation>HLAreliable</transportation><order>TimeStamp</order></attribute>\n"
           "</objectClass></objectClass></objects>\n</objectModel>\n";
  }

  void aModuleOfHla13DefinesClasses() {
    TestCatalog files;
    files.add(
        "a",
        R"("fom": ["A.fed"], "publishes": {"objects": [{"class": "Flight", "attributes": ["position", "colour"]}], "interactions": ["Call"]})");
    const QString file = files.path() + "/a/A.fed";
    write(file,
          "(FED (Federation x) (FEDversion v1.3) (objects (class ObjectRoot\n"
          "(class Flight (attribute position reliable timestamp))))\n"
          "(interactions (class InteractionRoot reliable receive (class Call reliable receive))))");
    const Composition some = composition({federate("a", "a")});
    const Catalog catalog = files.read();
    const auto report = examineModules(effectiveModules(some, catalog, files.path()));
    QVERIFY(report.merged);
    CheckInput input;
    input.objectModel = &report;
    QStringList errors;
    for (const Finding& finding : checkComposition(some, catalog, input)) {
      if (finding.severity == Severity::Error) errors.append(finding.text);
    }
    QCOMPARE(errors, QStringList{"No FOM module defines Flight.colour, used by a."});

    write(file, "(FED (objects\n");
    const auto broken = examineModules({file});
    input.objectModel = &broken;
    const auto found = checkComposition(some, catalog, input);
    QVERIFY(!canRun(found));
    QCOMPARE(found[0].where.file, file);
    QCOMPARE(found[0].where.line, 1);
  }

  void contradictingModulesNameBothPlaces() {
    TestCatalog files;
    files.add("a", R"("fom": ["A.xml"])");
    files.add("b", R"("fom": ["B.xml"])");
    write(files.path() + "/a/A.xml", module("A", "HLAfloat32BE"));
    write(files.path() + "/b/B.xml", module("B", "HLAfloat64BE"));
    const Composition some = composition({federate("a", "a"), federate("b", "b")});
    const Catalog catalog = files.read();
    const auto report = examineModules(effectiveModules(some, catalog, files.path()));
    CheckInput input;
    input.objectModel = &report;
    const auto found = checkComposition(some, catalog, input);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].severity, Severity::Error);
    QCOMPARE(found[0].check, Check::ObjectModel);
    QVERIFY2(found[0].place(some).startsWith("B.xml:"), qPrintable(found[0].place(some)));
    QVERIFY2(found[0].text.contains("HLAfloat32BE") && found[0].text.contains("HLAfloat64BE"),
             qPrintable(found[0].text));
    QVERIFY2(found[0].why.contains(files.path() + "/a/A.xml:"), qPrintable(found[0].why));
  }

  void classesAndAttributesMustBeInTheObjectModel() {
    TestCatalog files;
    files.add(
        "a",
        R"("fom": ["A.xml"], "publishes": {"objects": [{"class": "Flight", "attributes": ["position", "colour"]}, "Ship"], "interactions": ["Collision"]})");
    write(files.path() + "/a/A.xml", module("A", "HLAfloat64BE"));
    const Composition some = composition({federate("a", "a")});
    const Catalog catalog = files.read();
    auto report = examineModules({files.path() + "/a/A.xml"});
    QVERIFY(report.merged);
    CheckInput input;
    input.objectModel = &report;
    QStringList errors;
    for (const Finding& finding : checkComposition(some, catalog, input)) {
      if (finding.severity == Severity::Error) errors.append(finding.text);
    }
    QCOMPARE(errors,
             (QStringList{"No FOM module defines Flight.colour, used by a.",
                          "No FOM module defines the interaction class Collision, used by a.",
                          "No FOM module defines the object class Ship, used by a."}));
    report.modules.clear();
    report.objectClasses.clear();
    const auto without = checkComposition(some, catalog, input);
    QCOMPARE(without.front().text, "The composition has no FOM module, so no class is known.");
  }

  void aChangedModuleIsReadAgain() {
    TestCatalog files;
    const QString file = files.path() + "/A.xml";
    write(file, module("A", "HLAfloat64BE"));
    QVERIFY(examineModules({file}).merged);
    write(file, "<objectModel>");
    QVERIFY(!examineModules({file}).merged);
  }

  void publishedObjectModelsMerge_data() {
    QTest::addColumn<QString>("folder");
    for (const char* name : {"rpr2", "restaurant-modules", "spacefom", "netn2"})
      QTest::newRow(name) << name;
  }
  void publishedObjectModelsMerge() {
    QFETCH(QString, folder);
    const QDir dir{
        qEnvironmentVariable("TUTTI_FOMS", QStringLiteral(TUTTI_SOURCE_DIR "/../shared/foms")) +
        u'/' + folder};
    if (!dir.exists())
      QSKIP("the published object models are not here; TUTTI_FOMS names their folder");
    QStringList modules;
    for (const QString& name : dir.entryList({"*.xml"})) {
      // The flat forms of RPR hold the same content as its modules, in other versions of the
      // format.
      if (!name.contains("_1516")) modules.append(dir.absoluteFilePath(name));
    }
    if (folder == "netn2") {
      const QDir rpr{dir.absoluteFilePath("../rpr2")};
      for (const QString& name : rpr.entryList({"RPR-*.xml"}))
        modules.prepend(rpr.absoluteFilePath(name));
    }
    const auto report = examineModules(modules);
    QVERIFY2(report.merged,
             qPrintable(report.faults.empty() ? QString{} : report.faults.front().error.message()));
    QVERIFY(report.objectClasses.size() > 3);
  }
};

QTEST_GUILESS_MAIN(TestChecks)
#include "tst_checks.moc"
