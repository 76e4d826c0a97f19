// SPDX-License-Identifier: GPL-3.0-or-later
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextStream>
#include <QXmlStreamReader>

#include "fom-editor/model/difference_command.h"
#include "fom-editor/model/difference_report.h"
#include "test_models.h"

using namespace tutti::fomedit;

namespace {

QString content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

bool write(const QString& path, const QString& text) {
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0;
}

using Edits = QList<std::pair<QString, QString>>;

/// Two versions of AirTraffic-Base.xml in a folder.
class Versions {
 public:
  explicit Versions(const Edits& edits) {
    const QString base = content(testmodels::data("AirTraffic-Base.xml"));
    QString edited = base;
    for (const auto& [from, to] : edits) {
      if (!edited.contains(from)) qFatal("nothing to edit: %s", qPrintable(from));
      edited.replace(from, to);
    }
    if (!write(before(), base) || !write(after(), edited)) qFatal("cannot write");
  }
  QString before() const { return folder_.filePath("Air-1.xml"); }
  QString after() const { return folder_.filePath("Air-2.xml"); }
  QString file(const QString& name) const { return folder_.filePath(name); }

  DifferenceReport report(const QList<ComponentUse>* components = nullptr) const {
    return reportOf(loadModel({before()}), loadModel({after()}), {}, components);
  }

 private:
  QTemporaryDir folder_;
};

struct Ran {
  int code = 0;
  QString out;
  QString err;
};

Ran run(const QStringList& arguments, const ComponentReader& reader = {}) {
  Ran ran;
  QTextStream out(&ran.out);
  QTextStream err(&ran.err);
  ran.code = runFomDifference(arguments, reader, out, err);
  return ran;
}

QStringList reasonsOf(const DifferenceReport& report) {
  QStringList lines;
  for (const Reason& r : report.compatibility.reasons) {
    lines << (r.impact == Impact::Breaks ? "breaks: " : "check: ") + r.text;
  }
  return lines;
}

QStringList keysOf(const QJsonObject& object) { return object.keys(); }

const Edits kAltitude{
    {"<name>altitude</name><dataType>Length64", "<name>altitude</name><dataType>Speed32"}};

}  // namespace

class TestFomDifferenceCommand : public QObject {
  Q_OBJECT

 private slots:
  void federatesOfAInAFederationWithB_data() {
    QTest::addColumn<Edits>("edits");
    QTest::addColumn<int>("verdict");
    QTest::addColumn<bool>("loads");
    QTest::addColumn<QString>("reason");
    const int yes = static_cast<int>(Verdict::Yes);
    const int but = static_cast<int>(Verdict::YesBut);
    const int no = static_cast<int>(Verdict::No);
    QTest::newRow("equal") << Edits{} << yes << true << QString();
    QTest::newRow("a new class")
        << Edits{{"<objectClass>\n            <name>Glider</name>",
                  "<objectClass><name>Drone</name><sharing>Publish</sharing>"
                  "</objectClass><objectClass>\n<name>Glider</name>"}}
        << yes << true << QString();
    QTest::newRow("semantics")
        << Edits{{"As spoken", "As said"}} << but << true
        << "check: The semantics are written otherwise: Track.Flight.callsign.";
    QTest::newRow("a class is gone")
        << Edits{{content(testmodels::data("AirTraffic-Base.xml"))
                      .section("  <interactions>", 1)
                      .section("</interactions>", 0, 0),
                  "<interactionClass><name>HLAinteractionRoot</name></interactionClass>"}}
        << but << true << "check: No federate built for B uses RunwayClosed.";
    QTest::newRow("a class has another name")
        << Edits{{"<name>Glider</name>", "<name>Sailplane</name>"}} << but << true
        << "check: Track.Flight.Glider is now Track.Flight.Sailplane: federates built for A use "
           "the old name, those of B the new one.";
    QTest::newRow("a larger field")
        << Edits{{"<name>Speed32</name><representation>HLAfloat32BE",
                  "<name>Speed32</name><representation>HLAfloat64BE"}}
        << no << false << "breaks: Speed32: 4 bytes in A, 8 bytes in B, in Track.Flight.velocity.";
    QTest::newRow("another byte order")
        << Edits{{"<name>FlightPhase</name><representation>HLAinteger32BE",
                  "<name>FlightPhase</name><representation>HLAinteger32LE"}}
        << no << false
        << "breaks: FlightPhase: the byte order is big endian in A, little endian in B, in "
           "Track.Flight.phase.";
    QTest::newRow("another unit") << Edits{{"<units>m</units>", "<units>ft</units>"}} << no << false
                                  << "check: Length64: the unit is m in A, ft in B, in "
                                     "Airport.position, Track.Flight.Glider.wingspan, "
                                     "Track.Flight.position and 1 more.";
    QTest::newRow("a value that means another")
        << Edits{{"<name>Heavy</name><value>3", "<name>Heavy</name><value>5"}} << no << false
        << "breaks: WakeCategory.Heavy: the value of Heavy is 3 in A, 5 in B, in "
           "Track.Flight.wake.";
    QTest::newRow("a new enumerator")
        << Edits{{"<enumerator><name>Super</name><value>4</value></enumerator>",
                  "<enumerator><name>Super</name><value>4</value></enumerator>"
                  "<enumerator><name>Tiny</name><value>5</value></enumerator>"}}
        << no << false
        << "check: WakeCategory.Tiny: the value may be Tiny, which is new, in Track.Flight.wake.";
    QTest::newRow("fields change places")
        << Edits{{"<name>east</name>", "<name>x</name>"},
                 {"<name>north</name>", "<name>east</name>"},
                 {"<name>x</name>", "<name>north</name>"}}
        << no << false
        << "breaks: Velocity: the order of the fields is another, in Track.Flight.velocity.";
    QTest::newRow("an attribute is gone")
        << Edits{{"<name>onBoard</name><dataType>HLAinteger32BE",
                  "<name>emergency</name><dataType>HLAboolean"},
                 {"<semantics>Persons", "<semantics>Mayday"}}
        << no << false
        << "breaks: A federate that asks for Track.Flight.onBoard is told that there is none of "
           "that name.";
    QTest::newRow("another order")
        << Edits{{"<name>phase</name><dataType>FlightPhase</dataType>\n            "
                  "<updateType>Conditional</updateType>\n            "
                  "<ownership>NoTransfer</ownership><sharing>PublishSubscribe</sharing>\n          "
                  "  "
                  "<transportation>HLAreliable</transportation><order>Receive",
                  "<name>phase</name><dataType>FlightPhase</dataType><updateType>Conditional</"
                  "updateType>"
                  "<ownership>NoTransfer</ownership><sharing>PublishSubscribe</sharing>"
                  "<transportation>HLAreliable</transportation><order>TimeStamp"}}
        << no << false << "check: Track.Flight.phase: Order is Receive in A, TimeStamp in B.";
    QTest::newRow("another name of the same bytes")
        << Edits{{">Callsign<", ">FlightName<"}} << no << false
        << "check: B has no datatype Callsign.";
    QTest::newRow("a switch") << Edits{{"<autoProvide isEnabled=\"true\"/>",
                                        "<autoProvide isEnabled=\"false\"/>"}}
                              << but << true
                              << "check: Auto provide: Setting is enabled in A, disabled in B.";
    QTest::newRow("a synchronization point") << Edits{{"ReadyToRun", "GoodToGo"}} << but << true
                                             << "check: B has no synchronization point ReadyToRun.";
  }

  void federatesOfAInAFederationWithB() {
    QFETCH(Edits, edits);
    QFETCH(int, verdict);
    QFETCH(bool, loads);
    QFETCH(QString, reason);
    const DifferenceReport report = Versions(edits).report();
    const QStringList reasons = reasonsOf(report);
    const QByteArray all = reasons.join('\n').toUtf8() + toText(report).toUtf8();
    if (QByteArray(QTest::currentDataTag()) == "another name of the same bytes") {
      // The rename is found, and is no other value.
      QVERIFY2(toText(report).contains("FlightName, was Callsign"), all);
      QVERIFY2(report.compatibility.values.isEmpty(), all);
      QVERIFY2(!report.compatibility.loadsTogether, all);
      return;
    }
    QVERIFY2(reason.isEmpty() ? reasons.isEmpty() : reasons.contains(reason), all);
    QVERIFY2(static_cast<int>(report.compatibility.verdict) == verdict, all);
    QVERIFY2(report.compatibility.loadsTogether == loads, all);
    for (const Reason& r : report.compatibility.reasons) {
      QVERIFY2(!r.before.isEmpty() || !r.after.isEmpty(), qPrintable(r.text));
    }
  }

  void whatAnRtiRefusesIsToldWithBothPlaces() {
    const DifferenceReport report = Versions(kAltitude).report();
    const Reason& first = report.compatibility.reasons.front();
    QVERIFY2(first.text.startsWith("An RTI refuses the modules of both in one federation: Datatype "
                                   "GeoPosition: field 3 is altitude of Speed32 here"),
             qPrintable(first.text));
    QVERIFY(first.before.startsWith("Air-1.xml:"));
    QVERIFY(first.after.startsWith("Air-2.xml:"));
    QVERIFY(!first.text.contains("joins without modules"));
    // Where all that A knows is there and reads the same, it may join without modules of its own.
    const DifferenceReport more =
        Versions(Edits{{"<attribute>\n            <name>callsign</name>",
                        "<attribute><name>colour</name><dataType>HLAoctet</dataType></attribute>"
                        "<attribute>\n            <name>callsign</name>"}})
            .report();
    QVERIFY2(more.compatibility.reasons.front().text.endsWith(
                 "A federate that joins without modules of its own finds all that it knows."),
             qPrintable(reasonsOf(more).join('\n')));
  }

  void componentsBreakByTheClassesTheyUse() {
    Edits edits = kAltitude;
    edits << std::pair<QString, QString>{"<name>Glider</name>", "<name>Sailplane</name>"};
    using Interest = ComponentUse::Interest;
    QList<ComponentUse> components{
        {"radar 1.4", {}, {Interest{"HLAobjectRoot.Track.Flight", true, {"position"}, false}}},
        {"log 1.0", {}, {Interest{"HLAobjectRoot.Track.Flight", true, {"callsign"}, false}}},
        {"glider-club 2.0",
         {},
         {Interest{"HLAobjectRoot.Track.Flight.Glider", true, {"wingspan"}, true}}},
        {"tower 1.0", {}, {Interest{"HLAinteractionRoot.RunwayClosed", false, {}, true}}},
        {"weather 3.1", {}, {Interest{"HLAobjectRoot.WeatherCell", true, {}, true}}}};
    const DifferenceReport report = Versions(edits).report(&components);
    QStringList lines;
    for (const ComponentImpact& c : report.components) {
      lines << QString("%1 %2 %3")
                   .arg(c.name)
                   .arg(static_cast<int>(c.impact))
                   .arg(c.reasons.join("; "));
    }
    QCOMPARE(lines, (QStringList{"radar 1.4 2 subscribes Track.Flight.position (altitude: 8 bytes "
                                 "in A, 4 bytes in B)",
                                 "log 1.0 0 ",
                                 "glider-club 2.0 2 publishes Track.Flight.Glider, which is now "
                                 "Track.Flight.Sailplane",
                                 "tower 1.0 0 "}));
    const QString text = toText(report);
    QVERIFY2(text.contains("\nComponents\n  breaks  radar 1.4        subscribes "),
             qPrintable(text));
    QVERIFY2(text.contains("\n  runs    tower 1.0\n"), qPrintable(text));
    // A table without a row would be read as one that was forgotten.
    components.clear();
    const QString page = QString::fromUtf8(toHtml(Versions(edits).report(&components)));
    QVERIFY(page.contains("<p>None uses a class of A.</p>"));
    QVERIFY(!page.contains("<th>Component</th>"));
  }

  void theTerminalShowsBothSidesAligned() {
    const Versions v({{"squawk", "ssrCode"}, {"As spoken", "As said"}});
    const Ran ran = run({v.before(), v.after()});
    QCOMPARE(ran.code, 1);
    QVERIFY2(
        ran.out.startsWith("A  Air-1.xml\nB  Air-2.xml\n\nNot compatible: federates built for A do "
                           "not run in a federation with B.\n"),
        qPrintable(ran.out));
    QVERIFY2(ran.out.contains(
                 "\nAttributes\n"
                 "  ~ changed  Track.Flight.callsign             Air-1.xml:71   Air-2.xml:71\n"
                 "             Semantics: As spoken -> As said\n"
                 "  → renamed  Track.Flight.ssrCode, was squawk  Air-1.xml:106  Air-2.xml:106\n"
                 "             guessed, 65 %: same datatype, same place\n"),
             qPrintable(ran.out));
    QVERIFY(ran.out.endsWith("\n0 added, 0 removed, 1 renamed, 0 moved, 1 changed.\n"));
    const Ran apart = run({"--no-renames", v.before(), v.after()});
    QVERIFY(apart.out.endsWith("\n1 added, 1 removed, 0 renamed, 0 moved, 1 changed.\n"));
  }

  void exitCodes() {
    const Versions v({});
    QCOMPARE(run({v.before(), v.after()}).code, 0);
    QVERIFY(run({v.before(), v.after()}).out.contains("A and B define the same."));
    for (const QStringList& wrong : {QStringList{},
                                     {v.before()},
                                     {v.before(), v.after(), v.after()},
                                     {v.before(), v.after(), "--what"},
                                     {v.before(), v.after(), "--html"},
                                     {v.before(), "/nowhere.xml"}}) {
      const Ran ran = run(wrong);
      QCOMPARE(ran.code, 2);
      QVERIFY(ran.out.isEmpty());
      QVERIFY(ran.err.startsWith("tutti fom: "));
    }
    QVERIFY(write(v.file("bad.xml"), "<objectModel>"));
    const Ran bad = run({v.before(), v.file("bad.xml")});
    QCOMPARE(bad.code, 2);
    QVERIFY2(bad.err.contains("bad.xml does not load in an RTI: "), qPrintable(bad.err));
    // Half a side would have differences that nobody made.
    const Ran clash = run({testmodels::airTraffic().join(',') + ',' + testmodels::data("Clash.xml"),
                           testmodels::airTraffic().join(',')});
    QCOMPARE(clash.code, 2);
    QVERIFY(clash.err.contains("Clash.xml:"));
  }

  void aSideMayBeAFolderOrSeveralModules() {
    QTemporaryDir folder;
    for (const QString& path : testmodels::airTraffic()) {
      QVERIFY(QFile::copy(path, folder.filePath(QFileInfo(path).fileName())));
    }
    QCOMPARE(run({folder.path(), testmodels::airTraffic().join(',')}).code, 0);
    QCOMPARE(run({folder.path(), testmodels::airTraffic()[0]}).code, 1);
    QTemporaryDir empty;
    const Ran none = run({empty.path(), folder.path()});
    QCOMPARE(none.code, 2);
    QVERIFY(none.err.contains("has no .xml file"));
  }

  void componentsComeFromTheReader() {
    const Versions v(kAltitude);
    const ComponentReader reader =
        [](const QString& folder) -> tl::expected<QList<ComponentUse>, QString> {
      if (folder == "/none") return tl::unexpected(QString("there is no folder /none"));
      return QList<ComponentUse>{
          {"tower 1.0", {}, {{"HLAinteractionRoot.RunwayClosed", false, {}, true}}}};
    };
    const Ran ran = run({v.before(), v.after(), "--components", "/some"}, reader);
    QCOMPARE(ran.code, 1);
    QVERIFY(ran.out.contains("\n  runs    tower 1.0\n"));
    const Ran none = run({v.before(), v.after(), "--components=/none"}, reader);
    QCOMPARE(none.code, 2);
    QCOMPARE(none.err, QString("tutti fom: there is no folder /none\n"));
  }

  void theSchemaHasTheKeysOfTheOutput() {
    Edits edits = kAltitude;
    edits << std::pair<QString, QString>{"squawk", "ssrCode"};
    const Versions v(edits);
    const ComponentReader reader = [](const QString&) {
      return tl::expected<QList<ComponentUse>, QString>(
          QList<ComponentUse>{{"radar 1", {}, {{"HLAobjectRoot.Track.Flight", true, {}, false}}}});
    };
    const Ran ran = run({v.before(), v.after(), "--json", "--components", "x"}, reader);
    QCOMPARE(ran.code, 1);
    const QJsonObject written = QJsonDocument::fromJson(ran.out.toUtf8()).object();
    const QJsonObject schema =
        QJsonDocument::fromJson(
            content(TUTTI_SOURCE_DIR "/resources/schemas/model-difference.schema.json").toUtf8())
            .object();
    const auto keysOfKind = [&](const char* kind) {
      return keysOf(schema["$defs"][kind]["properties"].toObject());
    };
    QCOMPARE(keysOf(schema["properties"].toObject()), keysOf(written));
    QCOMPARE(keysOf(schema["properties"]["counts"]["properties"].toObject()),
             keysOf(written["counts"].toObject()));
    const QJsonArray differences = written["differences"].toArray();
    QCOMPARE(differences.size(), 2);
    QStringList kinds;
    for (const QJsonValue& kind :
         schema["$defs"]["difference"]["properties"]["kind"]["enum"].toArray()) {
      kinds << kind.toString();
    }
    QStringList all;
    for (int k = 0; k < entryKindCount; ++k) all << kindName(static_cast<EntryKind>(k));
    QCOMPARE(kinds, all);
    QCOMPARE(keysOfKind("difference"), keysOf(differences[0].toObject()));
    QCOMPARE(keysOfKind("side"), keysOf(differences[0]["before"].toObject()));
    QCOMPARE(keysOfKind("property"), keysOf(differences[0]["properties"][0].toObject()));
    QCOMPARE(keysOfKind("reason"), keysOf(written["reasons"][0].toObject()));
    QCOMPARE(keysOfKind("component"), keysOf(written["components"][0].toObject()));
    QCOMPARE(written["verdict"].toString(), QString("no"));
    QCOMPARE(differences[0]["mark"].toString(), QString("renamed"));
    QCOMPARE(differences[0]["before"]["path"].toString(),
             QString("HLAobjectRoot.Track.Flight.squawk"));
    QCOMPARE(differences[1]["onTheWire"].toBool(), true);
  }

  void thePageStandsAlone() {
    Edits edits = kAltitude;
    edits << std::pair<QString, QString>{"As spoken", "&lt;script&gt;alert(1)&lt;/script&gt;"};
    const Versions v(edits);
    const QString page = v.file("difference.html");
    const Ran ran = run({v.before(), v.after(), "--html", page});
    QCOMPARE(ran.code, 1);
    QVERIFY(ran.out.endsWith("has the report.\n"));
    const QString html = content(page);
    QXmlStreamReader xml(QString(html).replace("&rarr;", "-"));
    while (!xml.atEnd()) xml.readNext();
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    // What a model says is text and nothing else, and no other address is asked for anything.
    QVERIFY(html.contains("&lt;script&gt;alert(1)"));
    for (const char* no : {"<script", "http:", "https:", "src=", "href=", "url(", "@import"}) {
      QVERIFY2(!html.contains(no), no);
    }
    QVERIFY(html.contains("prefers-color-scheme: dark"));
    QVERIFY(html.contains(
        "Incompatible on the wire. GeoPosition.altitude: 8 bytes in A, 4 bytes in B"));
    QCOMPARE(run({v.before(), v.after(), "--html", "/nowhere/x.html"}).code, 2);
  }

  /// Where git writes the versions is nobody's business.
  void gitsNamesOfTheVersionsAreNotShown() {
    const Versions v(Edits{{"squawk", "ssrCode"}});
    QVERIFY(QFile::rename(v.before(), v.file("a1B2_Air.xml")));
    const Ran ran = run({"--git-driver", "fom/Air.xml", v.file("a1B2_Air.xml"), "0123", "100644",
                         v.after(), "4567", "100644"});
    QCOMPARE(ran.code, 0);
    QVERIFY2(ran.out.contains("was squawk  Air.xml:106  Air.xml:106"), qPrintable(ran.out));
    QVERIFY2(!ran.out.contains("a1B2") && !ran.out.contains("Air-2"), qPrintable(ran.out));
  }

  /// With git itself: .gitattributes and configuration as docs/guide/compare-models.md has them.
  void gitShowsWhatChangedInAModel() {
    if (QStandardPaths::findExecutable("git").isEmpty() &&
        !qEnvironmentVariableIsSet("TUTTI_NO_SKIP"))
      QSKIP("git is not installed.");
    QTemporaryDir folder;
    const auto git = [&](const QStringList& words) {
      QProcess process;
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      for (const char* name : {"HOME", "XDG_CONFIG_HOME"}) environment.insert(name, folder.path());
      for (const QString& name : environment.keys()) {
        if (name.startsWith("GIT_")) environment.remove(name);
      }
      environment.insert("GIT_CONFIG_NOSYSTEM", "1");
      for (const char* who : {"AUTHOR", "COMMITTER"}) {
        environment.insert(QString("GIT_%1_NAME").arg(who), "A");
        environment.insert(QString("GIT_%1_EMAIL").arg(who), "a@example.org");
      }
      process.setProcessEnvironment(environment);
      process.setWorkingDirectory(folder.path());
      process.setProcessChannelMode(QProcess::MergedChannels);
      process.start("git", words);
      if (!process.waitForFinished(60000)) return QString("git does not end");
      const QString out = QString::fromUtf8(process.readAll());
      return process.exitCode() == 0 ? out
                                     : QString("exit code %1: ").arg(process.exitCode()) + out;
    };
    QVERIFY(!git({"init", "-q", "-b", "main"}).contains("exit code"));
    git({"config", "diff.fom.command",
         QString("'%1/bin/tutti' fom diff --git-driver").arg(TUTTI_BINARY_DIR)});
    QVERIFY(write(folder.filePath(".gitattributes"), "*.xml diff=fom\n"));
    const QString base = content(testmodels::data("AirTraffic-Base.xml"));
    QVERIFY(write(folder.filePath("Air.xml"), base));
    git({"add", "."});
    const QString added = git({"diff", "--cached", "--ext-diff"});
    QVERIFY2(added.contains("object model Air.xml\n"), qPrintable(added));
    QVERIFY2(added.contains("A  /dev/null\nB  b/Air.xml\n"), qPrintable(added));
    QVERIFY2(added.contains("+ added    Track.Flight (8 attributes)"), qPrintable(added));
    git({"commit", "-qm", "one"});
    QVERIFY(write(folder.filePath("Air.xml"), QString(base).replace("squawk", "ssrCode")));
    const QString changed = git({"diff"});
    QVERIFY2(
        changed.contains("→ renamed  Track.Flight.ssrCode, was squawk  Air.xml:106  Air.xml:106"),
        qPrintable(changed));
    QVERIFY2(!changed.contains("/tmp/"), qPrintable(changed));
    // A version that is no model is no failure of git's.
    QVERIFY(write(folder.filePath("Air.xml"), "<objectModel>\n"));
    const QString broken = git({"diff"});
    QVERIFY2(broken.contains("The new version cannot be compared: "), qPrintable(broken));
    QVERIFY2(!broken.contains("died"), qPrintable(broken));
    QVERIFY(git({"diff", "--no-ext-diff"}).contains("+<objectModel>"));
    QVERIFY(QFile::remove(folder.filePath("Air.xml")));
    const QString removed = git({"diff"});
    QVERIFY2(removed.contains("− removed  Track.Flight (8 attributes)"), qPrintable(removed));
    git({"checkout", "-q", "Air.xml"});
    git({"mv", "Air.xml", "Traffic.xml"});
    QVERIFY(write(folder.filePath("Traffic.xml"), QString(base).replace("squawk", "ssrCode")));
    git({"add", "-A"});
    const QString moved = git({"diff", "--cached", "-M"});
    QVERIFY2(moved.contains("object model Air.xml -> Traffic.xml\n"), qPrintable(moved));
    QVERIFY2(moved.contains("was squawk"), qPrintable(moved));
    QCOMPARE(run({"--git-driver", "Air.xml"}).code, 2);
  }
};

QTEST_GUILESS_MAIN(TestFomDifferenceCommand)
#include "tst_fom_difference_command.moc"
