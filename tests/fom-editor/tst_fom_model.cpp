// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextStream>

#include "fom-editor/model/command_line.h"
#include "fom-editor/model/lists.h"
#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/model_loader.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/model/tables.h"
#include "test_models.h"

using namespace tutti::fomedit;
using testmodels::printed;

class TestFomModel : public QObject {
  Q_OBJECT

 private slots:
  void loadsModulesThatFitTogether() {
    const LoadedModel loaded = loadModel(testmodels::airTraffic());
    QCOMPARE(loaded.objectClassCount(), 8);
    QCOMPARE(loaded.interactionClassCount(), 3);
    QCOMPARE(loaded.count(Level::Loads), 0);
    QCOMPARE(loaded.count(Level::Complete), 1);
    QCOMPARE(loaded.count(Level::Described), 2);
    QCOMPARE(loaded.modules.size(), 4);
    QVERIFY(loaded.modules[0].isMim);
    QCOMPARE(loaded.modules[2].warnings, 1);
    const Finding& missing = loaded.findings.front();
    QVERIFY(missing.text.contains("RadarState"));
    QCOMPARE(QFileInfo(missing.file).fileName(), QString("AirTraffic-Radar.xml"));
    QVERIFY(missing.line > 0);
    QCOMPARE(missing.item, QString("object:HLAobjectRoot.RadarSite"));
  }

  void leavesOutWhatContradictsAndShowsTheRest() {
    QStringList paths = testmodels::airTraffic();
    paths.insert(1, testmodels::data("no-such-file.xml"));
    paths << testmodels::data("Clash.xml");
    const LoadedModel loaded = loadModel(paths);
    QCOMPARE(loaded.count(Level::Loads), 2);
    QCOMPARE(loaded.objectClassCount(), 8);
    QVERIFY(!loaded.modules[2].merged);
    QVERIFY(!loaded.modules[5].merged);
    QVERIFY(loaded.modules[1].merged && loaded.modules[3].merged && loaded.modules[4].merged);
    const Finding& clash = loaded.findings[1];
    QVERIFY2(clash.text.contains("RadarPlot.snr: datatype is HLAfloat64BE here and HLAfloat32BE"),
             qPrintable(clash.text));
    QCOMPARE(QFileInfo(clash.file).fileName(), QString("Clash.xml"));
    QCOMPARE(QFileInfo(clash.otherFile).fileName(), QString("AirTraffic-Radar.xml"));
    QVERIFY(clash.line > 0 && clash.otherLine > 0);
  }

  void noModulesIsTheMim() {
    const LoadedModel loaded = loadModel({});
    QVERIFY(loaded.model != nullptr);
    QCOMPARE(loaded.objectClassCount(), 0);
    QVERIFY(loaded.findings.isEmpty());
    QCOMPARE(loaded.modules.size(), 1);
  }

  void onlyTheLatestRequestIsReported() {
    ModelLoader loader;
    QSignalSpy spy(&loader, &ModelLoader::loaded);
    loader.load({testmodels::data("Weather.xml")});
    loader.load({testmodels::data("AirTraffic-Radar.xml")});
    loader.load(testmodels::airTraffic());
    QVERIFY(loader.isLoading());
    QVERIFY(spy.wait(20000));
    // Give a stale result the chance to arrive: one more request and its answer.
    loader.load({});
    QVERIFY(spy.wait(20000));
    QCOMPARE(spy.count(), 2);
    QCOMPARE(spy[0][0].value<LoadedModel>().paths, testmodels::airTraffic());
    QCOMPARE(spy[1][0].value<LoadedModel>().paths, QStringList());
    QVERIFY(!loader.isLoading());
  }

  void aLoaderMayGoWhileItLoads() {
    for (int i = 0; i < 5; ++i) {
      ModelLoader loader;
      loader.load(testmodels::airTraffic());
    }
  }

  void theOutlineShowsTheModel() {
    OutlineModel outline;
    QAbstractItemModelTester tester(&outline);
    outline.setLoadedModel(loadModel(testmodels::airTraffic()));
    QStringList lines = printed(outline);
    lines.removeIf([](const QString& line) { return line.trimmed().startsWith("HLA"); });
    QCOMPARE(lines, (QStringList{"  Airport",
                                 "  Track",
                                 "    Flight",
                                 "      Airliner",
                                 "      Glider",
                                 "    RadarPlot",
                                 "  RadarSite",
                                 "  WeatherCell",
                                 "  RunwayClosed",
                                 "  Conflict",
                                 "  Handover",
                                 "Datatypes",
                                 "  Angle64",
                                 "  Length64",
                                 "  Speed32",
                                 "  WakeCategory",
                                 "  FlightPhase",
                                 "  PlanKind",
                                 "  Callsign",
                                 "  Waypoints",
                                 "  GeoPosition",
                                 "  Velocity",
                                 "  FlightPlan",
                                 "Dimensions",
                                 "  Sector",
                                 "Transportation types",
                                 "Synchronization points",
                                 "  ReadyToRun",
                                 "Time and tags",
                                 "Switches",
                                 "Publish and subscribe",
                                 "Service utilization",
                                 "Notes"}));
    const auto model = loadModel(testmodels::airTraffic()).model;
    const QModelIndex flight = outline.indexOf(findItem(*model, "Flight"));
    QCOMPARE(flight.data().toString(), QString("Flight"));
    QCOMPARE(flight.data(OutlineModel::DetailRole).toString(), QString("8"));
    QVERIFY(!flight.data(OutlineModel::LevelRole).isValid());
    const QModelIndex site = outline.indexOf(findItem(*model, "RadarSite"));
    QCOMPARE(site.data(OutlineModel::LevelRole).toInt(), static_cast<int>(Level::Complete));
    outline.setLoadedModel(LoadedModel());
    QCOMPARE(outline.rowCount(), 0);
  }

  void theFilterKeepsWhatIsAbove_data() {
    QTest::addColumn<QString>("filter");
    QTest::addColumn<QStringList>("lines");
    QTest::addColumn<QString>("best");
    QTest::newRow("class") << "glider"
                           << QStringList{"HLAobjectRoot", "  Track", "    Flight", "      Glider"}
                           << "Glider";
    QTest::newRow("attribute") << "wingsp"
                               << QStringList{"HLAobjectRoot", "  Track", "    Flight",
                                              "      Glider"}
                               << "Glider";
    QTest::newRow("datatype and its field")
        << "GeoPos" << QStringList{"Datatypes", "  GeoPosition"} << "GeoPosition";
    QTest::newRow("field") << "longitude" << QStringList{"Datatypes", "  GeoPosition"}
                           << "GeoPosition";
    QTest::newRow("two words") << "radar snr"
                               << QStringList{"HLAobjectRoot", "  Track", "    RadarPlot"}
                               << "RadarPlot";
    QTest::newRow("start of a name before its middle")
        << "handover" << QStringList{"HLAinteractionRoot", "  Handover"} << "Handover";
    QTest::newRow("nothing") << "rdr" << QStringList{} << "";
  }
  void theFilterKeepsWhatIsAbove() {
    QFETCH(QString, filter);
    QFETCH(QStringList, lines);
    QFETCH(QString, best);
    OutlineModel outline;
    outline.setLoadedModel(loadModel(testmodels::airTraffic()));
    OutlineFilter proxy;
    QAbstractItemModelTester tester(&proxy);
    proxy.setSourceModel(&outline);
    proxy.setFilter(filter);
    QCOMPARE(printed(proxy), lines);
    QCOMPARE(proxy.bestMatch().data().toString(), best);
    // A row that is there for one of its members says which.
    const QString detail = proxy.bestMatch().data(OutlineModel::DetailRole).toString();
    const QMap<QString, QString> why{{"wingsp", "attribute wingspan"},
                                     {"longitude", "has longitude"},
                                     {"radar snr", "attribute snr"}};
    if (why.contains(filter)) {
      QCOMPARE(detail, why.value(filter));
      QVERIFY(proxy.bestMatch().data(Qt::AccessibleTextRole).toString().endsWith(detail));
    } else {
      QVERIFY2(!detail.contains(u' '), qPrintable(detail));
    }
    proxy.setFilter({});
    QCOMPARE(printed(proxy), printed(outline));
    QVERIFY(!proxy.bestMatch().isValid());
  }

  void aClassShowsInheritedAndOwnAttributes() {
    const auto model = loadModel(testmodels::airTraffic()).model;
    TableModel table;
    QAbstractItemModelTester tester(&table);
    table.setTable(tableOf(*model, findItem(*model, "HLAobjectRoot.Track.Flight")));
    QCOMPARE(
        printed(table),
        (QStringList{
            "Inherited from HLAobjectRoot",
            "HLAprivilegeToDeleteObject | HLAtoken | Static | Timestamp | Reliable | – | P S"
            " | D A | Its owner may delete the object instance.",
            "Inherited from Track, AirTraffic-Base.xml:44",
            "trackId | HLAinteger32BE | Static | Receive | Reliable | – | P S | – | Number within "
            "the federation",
            "source | HLAunicodeString | Static | Receive | Reliable | – | P S | – | Who reports "
            "it",
            "time | HLAfloat64BE | Periodic 0.1 s | Timestamp | Best effort | – | P S | – | "
            "Logical time of the last update",
            "Own", "callsign | Callsign | Static | Receive | Reliable | – | P S | – | As spoken",
            "position | GeoPosition | Periodic 0.1 s | Timestamp | Best effort | Sector | P S | – "
            "| WGS 84",
            "velocity | Velocity | Periodic 0.1 s | Timestamp | Best effort | Sector | P S | – | "
            "Over ground",
            "wake | WakeCategory | Static | Receive | Reliable | – | P S | – | Wake turbulence "
            "category",
            "route | FlightPlan | Conditional | Receive | Reliable | – | P S | – | Filed plan or "
            "free text",
            "squawk | HLAinteger16BE | Conditional | Receive | Reliable | – | S | –",
            "onBoard | HLAinteger32BE | Conditional | Receive | Reliable | – | P S | – | Persons",
            "phase | FlightPhase | Conditional | Receive | Reliable | – | P S | – | Phase of the "
            "flight"}));
    const QModelIndex type = table.index(8, 1);
    QCOMPARE(itemPath(*model, type.data(TableModel::LinkRole).value<Item>()),
             QString("datatype:GeoPosition"));
    QVERIFY(table.index(3, 0).data(TableModel::InheritedRole).toBool());
    QVERIFY(!table.index(8, 0).data(TableModel::InheritedRole).toBool());
  }

  void otherItemsHaveTheirTables_data() {
    QTest::addColumn<QString>("item");
    QTest::addColumn<QStringList>("lines");
    QTest::newRow("interaction") << "Conflict"
                                 << QStringList{"Own", "first | Callsign | One flight",
                                                "second | Callsign | The other",
                                                "distance | Length64 | Horizontal",
                                                "place | GeoPosition | Midpoint"};
    QTest::newRow("record") << "GeoPosition"
                            << QStringList{"latitude | Angle64 | 0 | 8 | North is positive",
                                           "longitude | Angle64 | 8 | 8 | East is positive",
                                           "altitude | Length64 | 16 | 8 | Above the ellipsoid"};
    QTest::newRow("enumeration") << "datatype:PlanKind" << QStringList{"Filed | 0", "FreeText | 1"};
    QTest::newRow("variant") << "FlightPlan"
                             << QStringList{"waypoints | Waypoints | Filed | The route",
                                            "remark | HLAunicodeString | FreeText | For people"};
    QTest::newRow("array") << "Callsign"
                           << QStringList{"Element | HLAASCIIchar", "Cardinality | Dynamic",
                                          "Encoding | HLAvariableArray"};
    QTest::newRow("simple") << "Angle64"
                            << QStringList{"Representation | HLAfloat64BE", "Unit | deg",
                                           "Resolution | 1e-9", "Accuracy | –"};
    QTest::newRow("dimension")
        << "dimension:Sector"
        << QStringList{"Sector | HLAinteger32BE | 64 | [0..64) | linear (Sector, 0, 63)"};
    QTest::newRow("synchronization points")
        << "syncpoints:"
        << QStringList{"ReadyToRun | – | RegisterAchieve | Everything is registered"};
    QTest::newRow("class without members")
        << "HLAobjectRoot.HLAmanager"
        << QStringList{"Inherited from HLAobjectRoot",
                       "HLAprivilegeToDeleteObject | HLAtoken | Static "
                       "| Timestamp | Reliable | – | P S"
                       " | D A | Its owner may delete the object instance."};
  }
  void otherItemsHaveTheirTables() {
    QFETCH(QString, item);
    QFETCH(QStringList, lines);
    const auto model = loadModel(testmodels::airTraffic()).model;
    TableModel table;
    QAbstractItemModelTester tester(&table);
    table.setTable(tableOf(*model, findItem(*model, item)));
    QCOMPARE(printed(table), lines);
  }

  void theSwitchesAreShownWithWhereTheyAreFrom() {
    const auto model = loadModel(testmodels::airTraffic()).model;
    const Table table = tableOf(*model, findItem(*model, "switches:"));
    QCOMPARE(table.rows.size(), 11);
    QCOMPARE(table.rows.first().cells, (QStringList{"Auto provide", "enabled"}));
    QCOMPARE(placeText(*model, table.rows.first().where), QString("AirTraffic-Base.xml:181"));
    const Table bare = tableOf(*loadModel({}).model, {ItemKind::Switches, 0});
    QVERIFY(bare.rows.first().isSection);
  }

  void everyItemOfTheOutlineIsFoundAgain() {
    const auto model = loadModel(testmodels::airTraffic()).model;
    OutlineModel outline;
    outline.setLoadedModel(loadModel(testmodels::airTraffic()));
    const auto visit = [&](const auto& self, const QModelIndex& at) -> void {
      for (int row = 0; row < outline.rowCount(at); ++row) {
        const QModelIndex child = outline.index(row, 0, at);
        const Item item = outline.item(child);
        QCOMPARE(findItem(*model, itemPath(*model, item)), item);
        QCOMPARE(outline.indexOf(item), child);
        QVERIFY(!tableOf(*model, item).title.isEmpty());
        self(self, child);
      }
    };
    visit(visit, {});
    QVERIFY(findItem(*model, "NoSuchThing").isNull());
    QVERIFY(findItem(*model, "object:NoSuchThing").isNull());
    QVERIFY(findItem(*model, "").isNull());
  }

  void aDatatypeKnowsWhoUsesIt() {
    const auto model = loadModel(testmodels::airTraffic()).model;
    TableModel table;
    table.setTable(usesOf(*model, findItem(*model, "GeoPosition"), nullptr));
    QCOMPARE(printed(table),
             (QStringList{"Airport.position | attribute | AirTraffic-Base.xml:22",
                          "Flight.position | attribute, Airliner, Glider inherit it | "
                          "AirTraffic-Base.xml:78",
                          "RadarSite.position | attribute | AirTraffic-Radar.xml:63",
                          "WeatherCell.position | attribute | Weather.xml:15",
                          "Conflict.place | parameter | AirTraffic-Radar.xml:104",
                          "Waypoints | element | AirTraffic-Base.xml:214"}));
    const Table uses = usesOf(*model, findItem(*model, "dimension:Sector"), nullptr);
    QCOMPARE(uses.rows.size(), 2);
  }

  void aClassKnowsWhichFederatesUseIt() {
    const auto model = loadModel(testmodels::airTraffic()).model;
    const testmodels::FakeUsage usage;
    const Item flight = findItem(*model, "Flight");
    TableModel table;
    table.setTable(usesOf(*model, flight, &usage));
    QCOMPARE(printed(table), (QStringList{"Publish", "flow-north | aircraft-flow 1.2 | all | –",
                                          "flow-south | aircraft-flow 1.2 | all | –", "Subscribe",
                                          "radar-west | radar 1.4 | position, velocity | –",
                                          "log | traffic-log 1.0 | position | Track"}));
    QVERIFY(usesOf(*model, flight, nullptr).rows.isEmpty());
    QVERIFY(usesOf(*model, flight, nullptr).empty.contains("Open a composition"));
    QVERIFY(usesOf(*model, findItem(*model, "Airport"), &usage).empty.contains("No federate"));
  }

  void aTableExportsAsCsv() {
    Table table;
    table.headers = QStringList{"Name", "Value"};
    TableRow section;
    section.isSection = true;
    section.cells = QStringList{"Own"};
    TableRow row;
    row.cells = QStringList{"a,b", "say \"x\""};
    TableRow none;
    none.cells = QStringList{"two\nlines", "–"};
    table.rows = {section, row, none};
    QCOMPARE(toCsv(table), QByteArray("\xEF\xBB\xBFSection,Name,Value\r\n"
                                      "Own,\"a,b\",\"say \"\"x\"\"\"\r\n"
                                      "Own,\"two\nlines\",\r\n"));
    table.rows = {row};
    QCOMPARE(toCsv(table), QByteArray("\xEF\xBB\xBFName,Value\r\n\"a,b\",\"say \"\"x\"\"\"\r\n"));
  }

  void theModuleListSaysWhatIsLeftOut() {
    ModuleListModel list;
    QAbstractItemModelTester tester(&list);
    list.setModules(loadModel(testmodels::airTraffic() << testmodels::data("Clash.xml")).modules);
    QCOMPARE(printed(list), (QStringList{"HLAstandardMIM", "AirTraffic-Base.xml",
                                         "AirTraffic-Radar.xml", "Weather.xml", "Clash.xml"}));
    QCOMPARE(list.index(0).data(ModuleListModel::DetailRole).toString(), QString("read only"));
    QCOMPARE(list.index(4).data(ModuleListModel::DetailRole).toString(), QString("left out"));
    QCOMPARE(list.index(4).data(ModuleListModel::LevelRole).toInt(),
             static_cast<int>(Level::Loads));
    QVERIFY(!list.index(1).data(ModuleListModel::LevelRole).isValid());
  }

  void theFindingsCanBeShownByLevel() {
    FindingModel findings;
    QAbstractItemModelTester tester(&findings);
    const LoadedModel loaded = loadModel(testmodels::airTraffic() << testmodels::data("Clash.xml"));
    findings.setFindings(loaded.findings);
    QCOMPARE(findings.rowCount(), 4);
    findings.setLevel(static_cast<int>(Level::Described));
    QCOMPARE(printed(findings),
             (QStringList{"Flight.squawk has no semantics. | AirTraffic-Base.xml:68",
                          "RadarPlot.snr has no semantics. | AirTraffic-Radar.xml:14"}));
    findings.setLevel(static_cast<int>(Level::Loads));
    QCOMPARE(findings.rowCount(), 1);
    const QString copied = findings.index(0, 0).data(FindingModel::FindingRole).toString();
    QVERIFY(copied.contains("Clash.xml:") && copied.contains("AirTraffic-Radar.xml:"));
  }

  /// Every cell of a datatype that an encoder depends on; none stops a run.
  void datatypesAreCheckedStrictly_data() {
    QTest::addColumn<QString>("row");
    QTest::addColumn<QStringList>("says");
    const auto array = [](const QString& cells) {
      return "<arrayData><name>T</name>" + cells + "</arrayData>";
    };
    const auto elements = [&](const QString& cardinality) {
      return array("<dataType>HLAbyte</dataType><cardinality>" + cardinality + "</cardinality>");
    };
    const auto enumerated = [](const QString& cells) {
      return "<enumeratedData><name>T</name><representation>HLAinteger32BE</representation>" +
             cells + "</enumeratedData>";
    };
    const auto enumerator = [](const QString& name, const QString& value) {
      return "<enumerator><name>" + name + "</name><value>" + value + "</value></enumerator>";
    };
    for (const QString good : {"3", "2,3", "Dynamic", "[1..10]", "[0..5], dynamic"}) {
      QTest::addRow("cardinality %s", qPrintable(good)) << elements(good) << QStringList();
    }
    QTest::newRow("no cardinality")
        << array("<dataType>HLAbyte</dataType>") << QStringList{"T has no cardinality."};
    QTest::newRow("empty cardinality") << elements({}) << QStringList{"T has no cardinality."};
    QTest::newRow("negative cardinality")
        << elements("-1") << QStringList{R"(The cardinality of T is "-1", which is negative.)"};
    QTest::newRow("cardinality in words")
        << elements("many")
        << QStringList{R"(The cardinality of T is "many", which is no number.)"};
    QTest::newRow("cardinality 0")
        << elements("0") << QStringList{R"(The cardinality of T is "0", which holds no element.)"};
    QTest::newRow("range backwards")
        << elements("[3..1]")
        << QStringList{R"(The cardinality of T is "[3..1]", which ends before it begins.)"};
    QTest::newRow("half a range") << elements("[3]")
                                  << QStringList{
                                         R"(The cardinality of T is "[3]", which is no range.)"};
    QTest::newRow("no element type")
        << array("<cardinality>3</cardinality>") << QStringList{"T has no element type."};
    QTest::newRow("element type NA") << array("<dataType>NA</dataType><cardinality>3</cardinality>")
                                     << QStringList{"T has no element type."};
    for (const QString size : {"-8", "many", "0"}) {
      QTest::addRow("size %s", qPrintable(size))
          << "<basicData><name>T</name><size>" + size + "</size></basicData>"
          << QStringList{"The size of T is \"" + size + "\", read as unknown."};
    }
    for (const QString size : {"", "<size/>"}) {
      QTest::addRow("no size %s", qPrintable(size))
          << "<basicData><name>T</name>" + size + "</basicData>"
          << QStringList{"Basic data representation T has no size; it is read as unknown."};
    }
    QTest::newRow("no representation")
        << "<simpleData><name>T</name></simpleData>" << QStringList{"T has no representation."};
    QTest::newRow("representation of another kind")
        << "<simpleData><name>T</name><representation>HLAASCIIstring</representation></simpleData>"
        << QStringList{
               "T is represented by HLAASCIIstring, which is no basic data representation."};
    QTest::newRow("no representation of an enumeration")
        << "<enumeratedData><name>T</name>" + enumerator("A", "0") + "</enumeratedData>"
        << QStringList{"T has no representation."};
    QTest::newRow("enumerators") << enumerated(enumerator("A", "0") + enumerator("B", "-0x2") +
                                               enumerator("C", "0x10"))
                                 << QStringList{R"(Enumerator B of T has the value "-0x2".)"};
    QTest::newRow("no enumerators") << enumerated({}) << QStringList{"T has no enumerators."};
    QTest::newRow("nameless enumerator")
        << enumerated(enumerator({}, "0")) << QStringList{"An enumerator of T has no name."};
    QTest::newRow("enumerator without value")
        << enumerated("<enumerator><name>A</name></enumerator>")
        << QStringList{"Enumerator A of T has no value."};
    QTest::newRow("enumerator with an empty value")
        << enumerated(enumerator("A", {})) << QStringList{R"(Enumerator A of T has the value "".)"};
    QTest::newRow("enumerator in words")
        << enumerated(enumerator("A", "one"))
        << QStringList{R"(Enumerator A of T has the value "one".)"};
    QTest::newRow("twice the same")
        << enumerated(enumerator("A", "1") + enumerator("A", "1"))
        << QStringList{"T has two enumerators A.",
                       "Enumerator A of T has the value 1, as another one has."};
    QTest::newRow("no fields") << "<fixedRecordData><name>T</name></fixedRecordData>"
                               << QStringList{"T has no fields."};
    QTest::newRow("fields")
        << "<fixedRecordData><name>T</name><field><name>a</name></field><field><dataType>HLAbyte"
           "</dataType></field><field><name>a</name><dataType>HLAbyte</dataType></field>"
           "</fixedRecordData>"
        << QStringList{"Field a of T has no datatype.", "A field of T has no name.",
                       "T has two fields a."};
    QTest::newRow("variant record")
        << "<variantRecordData><name>T</name><alternative><name>a</name></alternative>"
           "</variantRecordData>"
        << QStringList{"The discriminant of T has no name.",
                       "The discriminant of T has no datatype.",
                       "An alternative of T has no enumerator."};
    QTest::newRow("alternatives")
        << "<variantRecordData><name>T</name><discriminant>d</discriminant><dataType>HLAboolean"
           "</dataType><alternative><enumerator>HLAtrue, HLAperhaps</enumerator></alternative>"
           "<alternative><enumerator>HLAother</enumerator></alternative></variantRecordData>"
        << QStringList{"An alternative of T is for HLAperhaps, which HLAboolean does not have."};
    QTest::newRow("discriminant of another kind")
        << "<variantRecordData><name>T</name><discriminant>d</discriminant><dataType>HLAbyte"
           "</dataType></variantRecordData>"
        << QStringList{"The discriminant of T is of HLAbyte, which is no enumerated datatype."};
  }
  void datatypesAreCheckedStrictly() {
    QFETCH(QString, row);
    QFETCH(QStringList, says);
    QTemporaryDir folder;
    QFile file(folder.filePath("types.xml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("<objectModel><dataTypes><table>\n" + row.toUtf8() +
               "\n</table></dataTypes></objectModel>");
    file.close();
    const LoadedModel loaded = loadModel({file.fileName()});
    QCOMPARE(loaded.count(Level::Loads), 0);
    QStringList texts;
    for (const Finding& finding : loaded.findings) {
      QCOMPARE(finding.level, Level::Complete);
      QCOMPARE(finding.line, 2);
      QVERIFY(!finding.hint.isEmpty());
      QCOMPARE(finding.item, QString("datatype:T"));
      texts << finding.text;
    }
    QCOMPARE(texts, says);
  }

  void theCommandLineChecks() {
    const auto run = [](const QStringList& arguments, QString* out) {
      QString err;
      QTextStream outStream(out);
      QTextStream errStream(&err);
      return runFomCommand(arguments, outStream, errStream);
    };
    QString out;
    QCOMPARE(run(QStringList{"check"} + testmodels::airTraffic(), &out), 0);
    QVERIFY(out.contains("8 object classes, 3 interaction classes; 0 errors, 1 warning,"));
    out.clear();
    QCOMPARE(
        run(QStringList{"check"} + testmodels::airTraffic() << testmodels::data("Clash.xml"), &out),
        1);
    QVERIFY(out.contains("Clash.xml:"));
    QVERIFY(out.contains(": error: "));
    out.clear();
    QCOMPARE(run({"check", "--json", testmodels::data("missing.xml")}, &out), 2);
    const QJsonObject json = QJsonDocument::fromJson(out.toUtf8()).object();
    QCOMPARE(json["loads"].toBool(true), false);
    out.clear();
    QCOMPARE(run(QStringList{"show", "Flight"} + testmodels::airTraffic(), &out), 0);
    QVERIFY(out.startsWith("HLAobjectRoot.Track.Flight, AirTraffic-Base.xml:68\n"));
    QVERIFY(out.contains("position "));
    QCOMPARE(run(QStringList{"show", "Nothing"} + testmodels::airTraffic(), &out), 1);
    QCOMPARE(run({"show", "Flight", "/nowhere.xml"}, &out), 2);
    QCOMPARE(run({}, &out), 2);
    QCOMPARE(run({"check"}, &out), 2);
    QCOMPARE(run({"check", "--what", "a.xml"}, &out), 2);
    QCOMPARE(fomCheckCommandLine({"/a/b.xml", "/c d/e.xml"}),
             QString("tutti fom check /a/b.xml '/c d/e.xml'"));
  }

  void theEditionOfAModuleIsSaid() {
    const QTemporaryDir folder;
    const QString fed = folder.filePath("Harbour.fed");
    QFile file(fed);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "(FED (Federation Harbour) (FEDversion v1.3)\n(objects (class ObjectRoot\n"
        " (class Ship (attribute position reliable timestamp)))))\n");
    file.close();
    const QStringList paths = testmodels::airTraffic() << fed;
    const LoadedModel loaded = loadModel(paths);
    QCOMPARE(loaded.count(Level::Loads), 0);
    // One for the whole file, none for each attribute without a datatype.
    QCOMPARE(std::count_if(
                 loaded.findings.begin(), loaded.findings.end(),
                 [&](const Finding& f) { return f.file == fed && f.level != Level::Described; }),
             1);
    ModuleListModel list;
    list.setModules(loaded.modules);
    QCOMPARE(list.index(1).data(ModuleListModel::DetailRole).toString(), QString());
    QVERIFY(list.index(1).data(Qt::ToolTipRole).toString().endsWith("\nIEEE 1516-2010"));
    QCOMPARE(list.index(4).data(ModuleListModel::DetailRole).toString(), QString("HLA 1.3 FED"));
    QCOMPARE(list.index(4).data(ModuleListModel::PathRole).toString(), fed);

    const auto run = [](const QStringList& arguments) {
      QString out;
      QTextStream outStream(&out);
      QString err;
      QTextStream errStream(&err);
      runFomCommand(arguments, outStream, errStream);
      return out;
    };
    QVERIFY(run(QStringList{"check"} + paths).contains(fed + ": HLA 1.3 FED\n"));
    const QJsonArray modules =
        QJsonDocument::fromJson(run(QStringList{"check", "--json"} + paths).toUtf8())["modules"]
            .toArray();
    QCOMPARE(modules.size(), 4);
    QCOMPARE(modules[0]["edition"].toString(), QString("IEEE 1516-2010"));
    QCOMPARE(modules[3]["edition"].toString(), QString("HLA 1.3 FED"));
    QCOMPARE(modules[3]["loads"].toBool(), true);
    QVERIFY(
        run({"show", "Ship", fed}).startsWith("HLAobjectRoot.Ship, Harbour.fed:3 (HLA 1.3 FED)\n"));
    QVERIFY(run({"show", "module:" + fed, fed}).contains("Edition         HLA 1.3 FED"));
  }

  void theRprFomIsShownWhole() {
    const QStringList paths = testmodels::rpr();
    if (paths.isEmpty()) QSKIP("no real object models at ../shared/foms or TUTTI_FOMS");
    const LoadedModel loaded = loadModel(paths);
    qint64 bytes = 0;
    for (const QString& path : paths) bytes += QFileInfo(path).size();
    qInfo("%d modules, %.1f MB: read, merged and checked in %.0f ms",
          static_cast<int>(paths.size()), static_cast<double>(bytes) / 1e6, loaded.seconds * 1e3);
    QCOMPARE(loaded.count(Level::Loads), 0);
    OutlineModel outline;
    QAbstractItemModelTester tester(&outline);
    outline.setLoadedModel(loaded);
    const auto visit = [&](const auto& self, const QModelIndex& at) -> void {
      for (int row = 0; row < outline.rowCount(at); ++row) {
        const QModelIndex child = outline.index(row, 0, at);
        const Table table = tableOf(*loaded.model, outline.item(child));
        QVERIFY(!table.title.isEmpty());
        for (const TableRow& r : table.rows) {
          QVERIFY(r.isSection || r.cells.size() == table.headers.size());
        }
        self(self, child);
      }
    };
    visit(visit, {});
    OutlineFilter proxy;
    proxy.setSourceModel(&outline);
    proxy.setFilter("munition");
    QVERIFY(proxy.bestMatch().isValid());
  }
};

QTEST_GUILESS_MAIN(TestFomModel)
#include "tst_fom_model.moc"
