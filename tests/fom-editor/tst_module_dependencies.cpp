// SPDX-License-Identifier: GPL-3.0-or-later
// What modules offer and need of each other, and `tutti fom modules`.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <QTextStream>

#include "fom-editor/model/item_origins.h"
#include "fom-editor/model/module_dependencies.h"
#include "fom-editor/model/module_names.h"
#include "fom-editor/model/module_needs.h"
#include "fom-editor/model/modules_command.h"
#include "omt/merge.h"
#include "omt/reader.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

/// A module with so much in its tables.
std::string module(const QString& objects, const QString& dataTypes = {},
                   const QString& interactions = {}, const QString& more = {}) {
  return QString(
             "<objectModel>\n<objects><objectClass><name>HLAobjectRoot</name>%1</objectClass>"
             "</objects>\n<interactions><interactionClass><name>HLAinteractionRoot</name>%2"
             "</interactionClass></interactions>\n%3<dataTypes>%4</dataTypes></objectModel>\n")
      .arg(objects, interactions, more, dataTypes)
      .toStdString();
}

QString simple(const char* name, const char* representation) {
  return QString(
             "<simpleDataTypes><simpleData><name>%1</name><representation>%2</representation>"
             "</simpleData></simpleDataTypes>")
      .arg(name, representation);
}

QString attribute(const char* name, const char* type) {
  return QString("<attribute><name>%1</name><dataType>%2</dataType></attribute>").arg(name, type);
}

const QString kTrack = "<objectClass><name>Track</name><sharing>Publish</sharing>" +
                       attribute("place", "Length") + "</objectClass>";
const QString kFlight =
    "<objectClass><name>Track</name><objectClass><name>Flight</name><sharing>Publish</sharing>" +
    attribute("speed", "Speed") + "</objectClass></objectClass>";

omt::Module read(const std::string& text, const char* name) {
  auto result = omt::readModule(text, name);
  if (!result) qFatal("%s", result.error().toText().c_str());
  return std::move(*result);
}

QStringList needsOf(const DependencyGraph& graph, int module) {
  QStringList list;
  for (const ModuleNeed& need : graph.modules[module].needs) {
    list << QString("%1 %2 of %3")
                .arg(kindName(need.kind), need.name)
                .arg(need.provider == ModuleNeed::nobody ? QString("nobody")
                                                         : graph.modules[need.provider].file);
  }
  return list;
}

}  // namespace

class TestModuleDependencies : public QObject {
  Q_OBJECT

 private slots:
  void superclassesAndDatatypesAreNeeded() {
    const DependencyGraph graph =
        dependenciesOf({read(module(kFlight, simple("Speed", "Length")), "Flight.xml"),
                        read(module(kTrack, simple("Length", "HLAfloat64BE")), "Track.xml")});
    QCOMPARE(graph.modules.size(), 3);
    QCOMPARE(graph.modules[1].file, "Flight.xml");
    QCOMPARE(needsOf(graph, 1),
             QStringList({"object class HLAobjectRoot of HLAstandardMIM",
                          "object class HLAobjectRoot.Track of Track.xml",
                          "interaction class HLAinteractionRoot of HLAstandardMIM",
                          "datatype Length of Track.xml",
                          "transportation type HLAreliable of HLAstandardMIM"}));
    QCOMPARE(
        graph.modules[1].offers,
        QList<ModuleOffer>({{NameKind::ObjectClass, "HLAobjectRoot.Track.Flight",
                             graph.modules[1].offers.value(0).line},
                            {NameKind::DataType, "Speed", graph.modules[1].offers.value(1).line}}));
    QCOMPARE(graph.modules[1].providers(), QList<int>{2});
    QCOMPARE(graph.modules[2].providers(), QList<int>{});
    QCOMPARE(graph.order, QList<int>({2, 1}));
    QVERIFY(graph.circles.isEmpty());
  }

  void interactionsDimensionsAndTagsAreNeeded() {
    const QString send =
        "<interactionClass><name>Send</name><sharing>Publish</sharing><dimensions>"
        "<dimension>Sector</dimension></dimensions><transportation>Radio</transportation>"
        "<order>Receive</order><parameter><name>text</name><dataType>Words</dataType></parameter>"
        "</interactionClass>";
    const DependencyGraph graph = dependenciesOf(
        {read(module({}, {}, send,
                     "<tags><updateReflectTag><dataType>Mark</dataType></updateReflectTag></tags>"),
              "Send.xml"),
         read(module({}, simple("Mark", "HLAoctet"), {},
                     "<dimensions><dimension><name>Sector</name><dataType>Mark</dataType>"
                     "<upperBound>4</upperBound></dimension></dimensions><transportations>"
                     "<transportation><name>Radio</name><reliable>No</reliable></transportation>"
                     "</transportations>"),
              "Radio.xml")});
    const QStringList needs = needsOf(graph, 1);
    for (const char* need :
         {"datatype Mark of Radio.xml", "datatype Words of nobody", "dimension Sector of Radio.xml",
          "transportation type Radio of Radio.xml"}) {
      QVERIFY2(needs.contains(need), qPrintable(needs.join('\n')));
    }
  }

  void modulesThatNeedEachOtherAreTold() {
    const auto a = read(module({}, simple("A", "B")), "A.xml");
    const auto b = read(module({}, simple("B", "C")), "B.xml");
    const auto c = read(module({}, simple("C", "A")), "C.xml");
    const auto d = read(module({}, simple("D", "A")), "D.xml");
    const DependencyGraph graph = dependenciesOf({d, a, b, c});
    QCOMPARE(graph.circles, QList<QList<int>>({{2, 3, 4}}));
    QCOMPARE(graph.order, QList<int>({2, 3, 4, 1}));
  }

  /// A name that several define is taken from the first, and from none by a module of its own.
  void ownDefinitionsAreNotNeeded() {
    const auto a = read(module({}, simple("A", "HLAoctet") + simple("B", "A")), "A.xml");
    const DependencyGraph graph =
        dependenciesOf({a, a, read(module({}, simple("C", "A")), "C.xml")});
    QCOMPARE(graph.modules[1].providers(), QList<int>{});
    QCOMPARE(graph.modules[2].providers(), QList<int>{});
    QCOMPARE(graph.modules[3].providers(), QList<int>{1});
  }

  void theCommandSaysWhatIsMissing() {
    QTemporaryDir folder;
    const auto write = [&](const char* name, const std::string& bytes) {
      QFile file(folder.filePath(name));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(bytes.data(), static_cast<qint64>(bytes.size()));
    };
    write("B-Track.xml", module(kTrack, simple("Length", "HLAfloat64BE")));
    write("A-Flight.xml", module(kFlight));
    const auto run = [](const QStringList& arguments, QString& said) {
      QTextStream stream(&said);
      return runFomModules(arguments, stream, stream);
    };
    QString said;
    QCOMPARE(run({folder.path()}, said), 1);
    for (const char* line :
         {"  needs  B-Track.xml for HLAobjectRoot.Track\n",
          "  needs  datatype Speed (line 2), which none of these modules defines\n",
          "Each behind those that it needs: B-Track.xml, A-Flight.xml\n"}) {
      QVERIFY2(said.contains(line), qPrintable(said));
    }
    said.clear();
    QCOMPARE(run({folder.filePath("B-Track.xml")}, said), 0);
    said.clear();
    QCOMPARE(run({"--json", folder.path()}, said), 1);
    const QJsonObject all = QJsonDocument::fromJson(said.toUtf8()).object();
    const QJsonArray needs = all["modules"].toArray().at(0).toObject()["needs"].toArray();
    const auto found = std::find_if(needs.begin(), needs.end(), [](const QJsonValue& need) {
      return need.toObject()["name"] == "Speed";
    });
    QVERIFY(found != needs.end());
    QVERIFY((*found).toObject()["from"].isNull());
    QCOMPARE(all["order"].toArray().first().toString(), folder.filePath("B-Track.xml"));
  }

  void namesAreShortAndClear_data() {
    QTest::addColumn<QStringList>("files");
    QTest::addColumn<QStringList>("names");
    QTest::newRow("none") << QStringList() << QStringList();
    QTest::newRow("one") << QStringList{"/a/RPR-Base_v2.0.xml"} << QStringList{"RPR-Base_v2.0"};
    QTest::newRow("beginning and ending")
        << QStringList{"/a/RPR-Base_v2.0.xml", "/a/RPR-SE_v2.0.xml", "/b/RPR-UA_v2.0.xml"}
        << QStringList{"Base", "SE", "UA"};
    QTest::newRow("versions") << QStringList{"NETN-Base_v1.0.2.xml", "NETN-SCP-Base_v1.1.3.xml",
                                             "MRM_v1.1.1.xml"}
                              << QStringList{"Base", "SCP-Base", "MRM"};
    QTest::newRow("two versions of one")
        << QStringList{"Base_v1.0.xml", "Base_v1.1.xml"} << QStringList{"v1.0", "v1.1"};
    QTest::newRow("several begin so")
        << QStringList{"AirTraffic-Base.xml", "AirTraffic-Radar.xml", "Weather.xml"}
        << QStringList{"Base", "Radar", "Weather"};
    QTest::newRow("not two alike") << QStringList{"A-Base.xml", "A-Radar.xml", "Base.xml"}
                                   << QStringList{"A-Base", "A-Radar", "Base"};
    QTest::newRow("nothing in common")
        << QStringList{"Alpha.xml", "Alps.xml"} << QStringList{"Alpha", "Alps"};
    QTest::newRow("one is the beginning")
        << QStringList{"RPR_.xml", "RPR_Base.xml"} << QStringList{"RPR_", "RPR_Base"};
  }
  void namesAreShortAndClear() {
    QFETCH(QStringList, files);
    QFETCH(QStringList, names);
    QCOMPARE(shortModuleNames(files), names);
  }

  void aModuleTellsWhatItNeedsAndOffers() {
    const std::vector<omt::Module> modules{
        read(module(kFlight, simple("Speed", "Length")), "Sim-Flight.xml"),
        read(module(kTrack, simple("Length", "HLAfloat64BE")), "Sim-Track.xml"),
        read(module({}, simple("Depth", "Fathom") + simple("Range", "Length")), "Sim-Sea.xml")};
    const DependencyGraph graph = dependenciesOf(modules);
    const auto merged = omt::merge(modules);
    QVERIFY2(merged.has_value(), merged ? "" : merged.error().toText().c_str());
    const auto lines = [&](const char* file) {
      QStringList list;
      for (const TableRow& row : needsAndOffers(merged->model, graph, file).rows) {
        list << (row.isSection ? row.cells[0] : "  " + row.cells.join(" | "));
      }
      return list;
    };
    const QStringList flight = lines("Sim-Flight.xml");
    QVERIFY2(flight.contains("Needs 2 of Sim-Track.xml"), qPrintable(flight.join('\n')));
    QVERIFY2(flight.contains("  Track | object class | line 2"), qPrintable(flight.join('\n')));
    QVERIFY(flight.contains("Offers 2 that no other module uses"));
    const QStringList track = lines("Sim-Track.xml");
    QVERIFY2(track.contains("  Length | datatype | Flight, Sea"), qPrintable(track.join('\n')));
    QVERIFY(track.contains("Offers 2 that other modules use"));
    const Table sea = needsAndOffers(merged->model, graph, "Sim-Sea.xml");
    QCOMPARE(sea.rows[0].cells[0], QString("Needs 1 name that no module defines"));
    QCOMPARE(sea.rows[1].cells[0], QString("Fathom"));
    QCOMPARE(sea.rows[1].link.kind, ItemKind::Module);
    QVERIFY(sea.rows[1].where.line > 0);
    for (const TableRow& row : sea.rows) QVERIFY(row.isSection || !row.link.isNull());
  }

  void anItemTellsTheModulesItComesFrom() {
    const std::vector<omt::Module> modules{
        read(module(kFlight, simple("Speed", "Length")), "Flight.xml"),
        read(module(kTrack, simple("Length", "HLAfloat64BE")), "Track.xml"),
        read(module(kTrack, simple("Length", "HLAfloat64BE")), "Copy.xml")};
    const DependencyGraph graph = dependenciesOf(modules);
    const auto merged = omt::merge(modules);
    QVERIFY(merged.has_value());
    const omt::ObjectModel& model = merged->model;
    const auto of = [&](const char* item) {
      QStringList list;
      for (const Origin& o : originsOf(model, graph, findItem(model, item))) {
        list << o.file + (o.defines ? " defines" : " names");
      }
      return list;
    };
    QCOMPARE(of("object:HLAobjectRoot.Track.Flight"), QStringList{"Flight.xml defines"});
    QStringList track = of("object:HLAobjectRoot.Track");
    QCOMPARE(track.size(), 3);
    QCOMPARE(track.takeLast(), QString("Flight.xml names"));
    QVERIFY(track.contains("Track.xml defines") && track.contains("Copy.xml defines"));
    QCOMPARE(of("datatype:Length"), (QStringList{"Track.xml defines", "Copy.xml defines"}));
    QCOMPARE(of("switches:"), QStringList());
  }

  void wrongArgumentsAreTold_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("why");
    QTest::newRow("none") << QStringList() << "usage:";
    QTest::newRow("option") << QStringList{"--html"} << "unknown option --html";
    QTest::newRow("no file") << QStringList{"/none/a.xml"} << "there is no file or folder";
    QTest::newRow("no module") << QStringList{"/dev"} << "has no object model";
    QTest::newRow("not a model") << QStringList{QStringLiteral(TUTTI_SOURCE_DIR "/mkdocs.yml")}
                                 << "mkdocs.yml";
  }
  void wrongArgumentsAreTold() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, why);
    QString said;
    QTextStream stream(&said);
    QCOMPARE(runFomModules(arguments, stream, stream), 2);
    QVERIFY2(said.contains(why), qPrintable(said));
  }
};

QTEST_GUILESS_MAIN(TestModuleDependencies)
#include "tst_module_dependencies.moc"
