// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/resource.h>

#include <csignal>
#include <random>

#include "composer/model/command_line.h"
#include "composer/model/composition.h"
#include "fixture.h"

using namespace tutti::composer;
using namespace tutti::composer::test;

namespace {

QByteArray read(const QString& path) {
  QFile file{path};
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

/// Lines of `after` that are not at the same place in `before`.
QStringList changedLines(const QByteArray& before, const QByteArray& after) {
  const QList<QByteArray> a = before.split('\n');
  const QList<QByteArray> b = after.split('\n');
  QStringList result;
  if (a.size() != b.size()) return {"another number of lines"};
  for (qsizetype i = 0; i < b.size(); ++i) {
    if (a[i] != b[i]) result.append(QString::fromUtf8(b[i].trimmed()));
  }
  return result;
}

}  // namespace

class TestComposition : public QObject {
  Q_OBJECT

 private slots:
  void shippedFilesAreCanonical_data() {
    QTest::addColumn<QString>("file");
    const QDir folder{QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations")};
    for (const QString& name : folder.entryList({"*.federation.json"}))
      QTest::newRow(qPrintable(name)) << folder.filePath(name);
  }
  void shippedFilesAreCanonical() {
    QFETCH(QString, file);
    const auto composition = Composition::load(file);
    QVERIFY2(composition, qPrintable(composition ? QString{} : composition.error().message()));
    QCOMPARE(composition->toBytes(), read(file));
  }

  void saveAndReopenKeepsEverything() {
    Composition original = composition(
        {federate("radar-west", "radar",
                  {{"range", 250}, {"sweep", 4.5}, {"label", "Köln \"West\""}, {"on", true}})});
    Federate& radar = original.federates.at("radar-west");
    radar.count = 3;
    radar.enabled = false;
    radar.required = false;
    radar.startOrder = -2;
    radar.restart = {Restart::When::OnFailure, 3, 0.5};
    radar.waitsFor = {"b", "a"};
    radar.host = "borea";
    radar.pinned = true;
    radar.apart = QStringList{"radars", "north"};
    radar.resources = {2.5, 4000, {"gpu", "fast disk"}};
    radar.group = "site";
    radar.position = {-120, 7};
    original.groups.emplace("site", Group{"site", "Radar site", true, Json::object()});
    original.settings.fomModules = {"../fom/Base.xml"};
    original.settings.pace = 0.0;
    original.settings.stopAfter = 20.5;
    original.settings.architecture = "federated";
    original.settings.stopAtLogicalTime = 3600;
    original.settings.hubPositions = {{"HLAobjectRoot.Flight", {1, 2}}};
    QTemporaryDir folder;
    const QString file = folder.filePath("x.federation.json");
    QVERIFY(original.save(file));
    const auto loaded = Composition::load(file);
    QVERIFY(loaded);
    QVERIFY(*loaded == original);
    QCOMPARE(loaded->toBytes(), read(file));
  }

  void ownNeedsGoBeforeThoseOfTheComponent_data() {
    QTest::addColumn<QByteArray>("own");
    QTest::addColumn<double>("cores");
    QTest::addColumn<double>("memory");
    QTest::addColumn<QStringList>("labels");
    QTest::newRow("none") << QByteArray("{}") << 1.5 << 300.0 << QStringList{"gpu"};
    QTest::newRow("cores") << QByteArray(R"({"cores": 4})") << 4.0 << 300.0 << QStringList{"gpu"};
    QTest::newRow("nothing of it")
        << QByteArray(R"({"cores": 0, "memory": 0})") << 0.0 << 0.0 << QStringList{"gpu"};
    QTest::newRow("null says nothing")
        << QByteArray(R"({"cores": null, "memory": 9})") << 1.5 << 9.0 << QStringList{"gpu"};
    QTest::newRow("labels add up") << QByteArray(R"({"labels": ["disk", "gpu"]})") << 1.5 << 300.0
                                   << QStringList{"gpu", "disk"};
  }
  void ownNeedsGoBeforeThoseOfTheComponent() {
    QFETCH(QByteArray, own);
    const auto source = JsonSource::parse(
        R"({"federation": "f", "federates": {"a": {"component": "c", "resources": )" + own + "}}}",
        {});
    const auto read = source.and_then(&Composition::fromSource);
    QVERIFY2(read, qPrintable(read ? QString() : read.error().message()));
    Manifest manifest;
    manifest.resources = {1.5, 300, {"gpu"}};
    const Resources needs = read->federates.at("a").needs(&manifest);
    QTEST(needs.cores, "cores");
    QTEST(needs.memory, "memory");
    QTEST(needs.labels, "labels");
    // A component that is not known counts as one that says nothing.
    QCOMPARE(read->federates.at("a").needs(nullptr).cores,
             read->federates.at("a").resources.cores.value_or(1));
  }

  void movingABoxChangesItsTwoLines() {
    auto loaded = Composition::load(
        QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json"));
    QVERIFY(loaded);
    const QByteArray before = loaded->toBytes();
    loaded->federates.at("radar-west").position = {1234, 5678};
    QCOMPARE(changedLines(before, loaded->toBytes()), (QStringList{"\"x\": 1234,", "\"y\": 5678"}));
  }

  void unknownKeysSurvive() {
    const QByteArray bytes = R"({
  "federates": {
    "a": {
      "colour": "red",
      "component": "radar",
      "name": "a",
      "position": {
        "x": 0,
        "y": 0
      },
      "resources": {
        "cores": 2,
        "memory": 0.5,
        "network": "10G"
      },
      "restart": {
        "jitter": 0.1,
        "when": "always"
      }
    }
  },
  "federation": "f",
  "format": 1,
  "groups": {
    "g": {
      "icon": [
        1,
        2
      ],
      "name": "G"
    }
  },
  "stop": {
    "elapsed": 5.0,
    "whenQuiet": true
  },
  "weather": {
    "wind": 3
  }
}
)";
    const auto source = JsonSource::parse(bytes, {});
    QVERIFY(source);
    const auto composition = Composition::fromSource(*source);
    QVERIFY2(composition, qPrintable(composition ? QString{} : composition.error().message()));
    QCOMPARE(composition->toBytes(), bytes);
  }

  void brokenFileSaysWhere_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("saying");
    QTest::newRow("no name") << QByteArray{"{}"} << 1 << "\"federation\" is missing";
    QTest::newRow("newer format") << QByteArray{"{\"federation\": \"f\",\n\"format\": 9}"} << 2
                                  << "newer version";
    QTest::newRow("federates as a list")
        << QByteArray{"{\"federation\": \"f\",\n\"federates\": []}"} << 2 << "not an object";
    QTest::newRow("federate as a text")
        << QByteArray{"{\"federation\": \"f\", \"federates\": {\n\"a\": \"radar\"}}"} << 2
        << "not an object";
    QTest::newRow("no component")
        << QByteArray{"{\"federation\": \"f\", \"federates\": {\n\"a\": {}}}"} << 2
        << "names no component";
    QTest::newRow("count 0") << QByteArray{"{\"federation\": \"f\", \"federates\": {\"a\": {\"component\": \"c\",\n\"count\": 0}}}"} << 2 << "from 1 to 1000";
    QTest::newRow("count without end") << QByteArray{"{\"federation\": \"f\", \"federates\": {\"a\": {\"component\": \"c\",\n\"count\": 1e99}}}"} << 2 << "from 1 to 1000";
    QTest::newRow("position is a text") << QByteArray{"{\"federation\": \"f\", \"federates\": {\"a\": {\"component\": \"c\",\n\"position\": \"left\"}}}"} << 2 << "x and y";
    QTest::newRow("parameter is a list") << QByteArray{"{\"federation\": \"f\", \"federates\": {\"a\": {\"component\": \"c\", \"parameters\": {\n\"p\": [1]}}}}"} << 2 << "list or an object";
    QTest::newRow("unknown restart policy") << QByteArray{"{\"federation\": \"f\", \"federates\": {\"a\": {\"component\": \"c\", \"restart\":\n{\"when\": \"sometimes\"}}}}"} << 2 << "no restart policy";
    QTest::newRow("restart without limit") << QByteArray{"{\"federation\": \"f\", \"federates\": {\"a\": {\"component\": \"c\", \"restart\":\n{\"when\": \"always\", \"limit\": 0}}}}"} << 2 << "from 1 to 1000";
    const auto needs = [](const char* name, const QByteArray& resources, const char* saying) {
      QTest::newRow(name)
          << "{\"federation\": \"f\", \"federates\": {\"a\": {\"component\": \"c\",\n"
             "\"resources\": " +
                 resources + "}}}"
          << 2 << saying;
    };
    needs("needs as a list", "[2]", "(/federates/a/resources): \"resources\" is not an object");
    needs("negative cores", R"({"cores": -1})",
          "(/federates/a/resources/cores): \"cores\" is not a number of at least 0");
    needs("memory as a text", R"({"memory": "4 GB"})",
          "(/federates/a/resources/memory): \"memory\" is not a number of at least 0");
    needs("labels as a text", R"({"labels": "gpu"})", "\"labels\" is not a list of texts");
    needs("an empty label", R"({"labels": [" "]})", "A label is empty");
    QTest::newRow("no architecture")
        << QByteArray{"{\"federation\": \"f\",\n\"architecture\": \"flat\"}"} << 2
        << "no architecture";
    QTest::newRow("negative pace")
        << QByteArray{"{\"federation\": \"f\",\n\"pace\": -1}"} << 2 << "at least 0";
  }
  void brokenFileSaysWhere() {
    QFETCH(QByteArray, json);
    QFETCH(int, line);
    QFETCH(QString, saying);
    const auto source = JsonSource::parse(json, "/x/a.federation.json");
    QVERIFY(source);
    const auto composition = Composition::fromSource(*source);
    QVERIFY(!composition);
    QCOMPARE(composition.error().line, line);
    QVERIFY2(composition.error().message().contains(saying),
             qPrintable(composition.error().message()));
  }

  void mutilatedFilesAreReadOrRefusedButNeverCrash_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<bool>("isManifest");
    QTest::newRow("composition") << QStringLiteral(
                                        TUTTI_SOURCE_DIR
                                        "/resources/federations/air-traffic.federation.json")
                                 << false;
    QTest::newRow("manifest") << QStringLiteral(TUTTI_SOURCE_DIR
                                                "/resources/components/radar/component.json")
                              << true;
  }
  void mutilatedFilesAreReadOrRefusedButNeverCrash() {
    QFETCH(QString, file);
    QFETCH(bool, isManifest);
    const QByteArray whole = read(file);
    QVERIFY(whole.size() > 500);
    std::mt19937 random{42};
    const auto below = [&](qsizetype n) {
      return static_cast<qsizetype>(random() % static_cast<unsigned>(n));
    };
    static const QByteArrayList kWords{
        "null", "-1", "1e400", "\"\"", "[]",   "{}",          "true",
        "\\",   "\"", "{",     "]",    "\xff", "\"\\ud800\"", "99999999999999999999"};
    int readable = 0;
    for (int i = 0; i < 3000; ++i) {
      QByteArray bytes = whole;
      for (qsizetype changes = 1 + below(3); changes > 0; --changes) {
        const qsizetype at = below(bytes.size());
        switch (below(4)) {
          case 0:
            bytes[at] = static_cast<char>(random());
            break;
          case 1:
            bytes.remove(at, 1 + below(20));
            break;
          case 2:
            bytes.insert(at, kWords[below(kWords.size())]);
            break;
          case 3: {
            // A value in place of another keeps the syntax right and reaches the checks behind it.
            const qsizetype colon = bytes.indexOf(": ", at);
            const qsizetype end = colon < 0 ? -1 : bytes.indexOf('\n', colon);
            if (end > 0)
              bytes.replace(colon + 2, end - colon - 2, kWords[below(kWords.size())] + ",");
            break;
          }
        }
        if (bytes.isEmpty()) bytes = whole;
      }
      const auto source = JsonSource::parse(bytes, "/x/component.json");
      if (!source) {
        QVERIFY(!source.error().what.isEmpty());
        continue;
      }
      if (isManifest) {
        const auto manifest = Manifest::fromSource(*source);
        if (manifest) {
          ++readable;
        } else {
          QVERIFY(manifest.error().line > 0);
        }
        continue;
      }
      const auto composition = Composition::fromSource(*source);
      if (!composition) {
        QVERIFY(composition.error().line > 0);
        continue;
      }
      ++readable;
      // What can be read is written in a form that reads the same.
      const auto again =
          JsonSource::parse(composition->toBytes(), {}).and_then(&Composition::fromSource);
      QVERIFY(again);
      QCOMPARE(again->toBytes(), composition->toBytes());
    }
    QVERIFY2(readable > 50, qPrintable(QString::number(readable)));
  }

  void missingFileIsOneClearSentence() {
    const auto composition = Composition::load("/nowhere/at.all");
    QVERIFY(!composition);
    QVERIFY(composition.error().message().startsWith("/nowhere/at.all: The file cannot be read"));
  }

  void fullDiskKeepsTheOldFile_data() {
    QTest::addColumn<int>("more");
    QTest::addColumn<int>("room");
    QTest::newRow("written in parts") << 500 << 4096;
    QTest::newRow("written at once") << 1 << 64;
  }
  void fullDiskKeepsTheOldFile() {
    QFETCH(int, more);
    QFETCH(int, room);
    QTemporaryDir folder;
    const QString file = folder.filePath("x.federation.json");
    Composition original = composition({federate("a", "radar")});
    QVERIFY(original.save(file));
    const QByteArray before = read(file);
    for (int i = 0; i < more; ++i) {
      const Federate added = federate(QStringLiteral("f%1").arg(i), "radar");
      original.federates.emplace(added.id, added);
    }
    // A limit on the size of files makes the kernel refuse the write as a full disk does.
    rlimit unlimited{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    rlimit small = unlimited;
    small.rlim_cur = static_cast<rlim_t>(room);
    const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto saved = original.save(file);
    setrlimit(RLIMIT_FSIZE, &unlimited);
    std::signal(SIGXFSZ, oldHandler);
    QVERIFY(!saved);
    QVERIFY2(saved.error().message().contains("was not saved"),
             qPrintable(saved.error().message()));
    QCOMPARE(read(file), before);
    QCOMPARE(QDir{folder.path()}.entryList(QDir::Files | QDir::Hidden).size(), 1);
  }

  void freeNamesAndIds() {
    Composition some = composition({federate("radar", "radar"), federate("radar-2", "radar")});
    QCOMPARE(some.freeName("radar"), "radar-3");
    QCOMPARE(some.freeName("sonar"), "sonar");
    QCOMPARE(some.freeFederateId("Radar"), "radar-3");
    QCOMPARE(some.freeFederateId("Köln & Süd"), "k-ln-s-d");
    QCOMPARE(some.freeFederateId("日本"), "federate");
    some.federates.at("radar").count = 4;
    QCOMPARE(some.freeName("radar"), "radar-5");
  }

  void commandFollowsTheTemplate() {
    TestCatalog files;
    files.add(
        "radar",
        R"("parameters": [{"name": "range", "kind": "real", "required": true}, {"name": "site", "kind": "text"}, {"name": "sweep", "kind": "real", "default": 4.0}])");
    Catalog catalog = files.read();
    Manifest manifest = *catalog.find("radar");
    manifest.command.arguments = {
        {"--federate", "{federate}"}, {"--fom", "{fom}"},     {"--site={site}"},
        {"--range", "{range}"},       {"--sweep", "{sweep}"}, {"-v"},
        {"{pace}@{federation}"}};
    manifest.command.environment = {{"FOMS", "{fom}"}};
    Composition some = composition({federate("radar west", "radar", {{"range", 250}})});
    some.settings.pace = 2.5;
    const Federate& radar = some.federates.at("radar west");
    const auto command =
        commandFor(some, radar, "radar west", manifest, {"/a/A.xml", "/b/B.xml"}, {});
    QVERIFY(command);
    QCOMPARE(command->program, files.path() + "/radar/radar");
    QCOMPARE(command->arguments,
             (QStringList{"--federate", "radar west", "--fom", "/a/A.xml", "--fom", "/b/B.xml",
                          "--range", "250", "--sweep", "4.0", "-v", "2.5@test"}));
    QCOMPARE(command->environment.at("FOMS"), "/a/A.xml:/b/B.xml");
    QVERIFY(command->shellLine().contains("--federate 'radar west' --fom /a/A.xml"));
    // The RTI keeps the pace of one that takes part in logical time.
    manifest.time.constrained = true;
    const auto managed = commandFor(some, radar, "radar west", manifest, {}, {});
    QVERIFY(managed);
    QCOMPARE(managed->arguments.last(), "0@test");
    manifest.time.constrained = false;

    some.federates.at("radar west").parameters.clear();
    const auto lacking = commandFor(some, radar, "radar west", manifest, {}, {});
    QVERIFY(!lacking);
    QVERIFY(lacking.error().message().contains("radar west has no range"));
  }

  void quoting() {
    QCOMPARE(shellQuoted("plain-1.0/x"), "plain-1.0/x");
    QCOMPARE(shellQuoted("it's"), "'it'\\''s'");
    QCOMPARE(shellQuoted(""), "''");
  }

  void instancesOfABox() {
    Federate one = federate("radar", "radar");
    QCOMPARE(one.instanceNames(), QStringList{"radar"});
    one.count = 3;
    QCOMPARE(one.instanceNames(), (QStringList{"radar-1", "radar-2", "radar-3"}));
  }

  void modulesOfEnabledFederatesEachOnce() {
    TestCatalog files;
    files.add("a", R"("fom": ["../Base.xml", "A.xml"])");
    files.add("b", R"("fom": ["../a/../Base.xml", "B.xml"])");
    files.add("c", R"("fom": ["C.xml"])");
    Composition some = composition({federate("fa", "a"), federate("fb", "b"), federate("fc", "c")});
    some.settings.fomModules = {"Own.xml"};
    some.federates.at("fc").enabled = false;
    QCOMPARE(effectiveModules(some, files.read(), "/docs"),
             (QStringList{"/docs/Own.xml", files.path() + "/Base.xml", files.path() + "/a/A.xml",
                          files.path() + "/b/B.xml"}));
  }
};

QTEST_GUILESS_MAIN(TestComposition)
#include "tst_composition.moc"
