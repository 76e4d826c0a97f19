// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <QTextStream>
#include <algorithm>

#include "fom-editor/model/checks/checks.h"
#include "fom-editor/model/checks/fixes.h"
#include "fom-editor/model/command_line.h"
#include "fom-editor/model/item.h"
#include "test_models.h"

using namespace tutti::fomedit;

namespace {

constexpr const char* kNamespace = "http://standards.ieee.org/IEEE1516-2010";

QString module(const QString& content) {
  return QStringLiteral("<objectModel xmlns=\"%1\">\n%2\n</objectModel>\n")
      .arg(kNamespace, content);
}

QString objects(const QString& classes) {
  return QStringLiteral(
             "<objects>\n<objectClass>\n<name>HLAobjectRoot</name>\n%1\n</objectClass>\n</objects>")
      .arg(classes);
}

QString objectClass(const QString& name, const QString& content) {
  return QStringLiteral(
             "<objectClass>\n<name>%1</name>\n<sharing>PublishSubscribe</sharing>\n"
             "<semantics>s</semantics>\n%2\n</objectClass>")
      .arg(name, content);
}

QString attribute(const QString& name, const QString& type, const QString& dimensions = {},
                  const QString& transportation = "HLAreliable") {
  return QStringLiteral(
             "<attribute>\n<name>%1</name>\n%2<updateType>Static</updateType>\n"
             "<ownership>NoTransfer</ownership>\n<sharing>PublishSubscribe</sharing>\n%3"
             "<transportation>%4</transportation>\n<order>Receive</order>\n"
             "<semantics>s</semantics>\n</attribute>")
      .arg(name, type.isEmpty() ? QString() : "<dataType>" + type + "</dataType>\n",
           dimensions.isEmpty()
               ? QString()
               : "<dimensions><dimension>" + dimensions + "</dimension></dimensions>\n",
           transportation);
}

QString dimension(const QString& name) {
  return QStringLiteral(
             "<dimension>\n<name>%1</name>\n<dataType>HLAcount</dataType>\n<upperBound>10</"
             "upperBound>\n"
             "<normalization>linear</normalization>\n<value>Excluded</value>\n</dimension>")
      .arg(name);
}

QString array(const QString& name, const QString& type, const QString& cardinality,
              const QString& encoding) {
  return QStringLiteral(
             "<arrayData>\n<name>%1</name>\n<dataType>%2</dataType>\n<cardinality>%3</"
             "cardinality>\n"
             "%4<semantics>s</semantics>\n</arrayData>")
      .arg(name, type, cardinality,
           encoding.isEmpty() ? QString() : "<encoding>" + encoding + "</encoding>\n");
}

QString arrays(const QString& rows) {
  return "<dataTypes>\n<arrayDataTypes>\n" + rows + "\n</arrayDataTypes>\n</dataTypes>";
}

QString records(const QString& rows) {
  return "<dataTypes>\n<fixedRecordDataTypes>\n" + rows + "\n</fixedRecordDataTypes>\n</dataTypes>";
}

QString record(const QString& name, const QString& fieldType) {
  return QStringLiteral(
             "<fixedRecordData>\n<name>%1</name>\n<encoding>HLAfixedRecord</encoding>\n"
             "<semantics>s</semantics>\n<field>\n<name>f</name>\n<dataType>%2</dataType>\n"
             "<semantics>s</semantics>\n</field>\n</fixedRecordData>")
      .arg(name, fieldType);
}

QString tags(const QString& type) {
  return "<tags>\n<updateReflectTag>\n<dataType>" + type +
         "</dataType>\n</updateReflectTag>\n</tags>";
}

void put(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  QCOMPARE(file.write(bytes), bytes.size());
}

QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

LoadedModel checked(const QStringList& paths) {
  LoadedModel loaded = loadModel(paths);
  checkModules(loaded);
  return loaded;
}

const Finding* findingOf(const LoadedModel& loaded, const QString& rule) {
  const auto found = std::find_if(loaded.findings.begin(), loaded.findings.end(),
                                  [&](const Finding& f) { return f.rule == rule; });
  return found == loaded.findings.end() ? nullptr : &*found;
}

QStringList rulesOf(const LoadedModel& loaded) {
  QStringList rules;
  for (const Finding& f : loaded.findings) rules << f.rule + ": " + f.text;
  return rules;
}

int run(const QStringList& arguments, QString* out, QString* err = nullptr) {
  out->clear();
  QString errors;
  QTextStream outStream(out);
  QTextStream errStream(&errors);
  const int code = runFomCommand(arguments, outStream, errStream);
  if (err != nullptr) *err = errors;
  return code;
}

QString fomsFolder() {
  const QString given = qEnvironmentVariable("TUTTI_FOMS");
  return given.isEmpty() ? QStringLiteral(TUTTI_SOURCE_DIR "/../shared/foms") : given;
}

}  // namespace

class TestObjectModelChecks : public QObject {
  Q_OBJECT

 private slots:
  void eachRuleFindsTheBadAndPassesTheGood_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QStringList>("bad");
    QTest::addColumn<QStringList>("good");
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("item");
    QTest::addColumn<QString>("fix");  ///< its label; empty: none
    QTest::addColumn<bool>("automatic");
    QTest::addColumn<int>("lines");  ///< that the fix removes and adds

    const auto rule = [](const char* name, const QStringList& bad, const QStringList& good,
                         const QString& says, const QString& item = {}, const QString& fix = {},
                         bool automatic = false, int lines = 0, const char* variant = "") {
      QTest::addRow("%s%s", name, variant)
          << QString(name) << bad << good << says << item << fix << automatic << lines;
    };
    const QString track = objects(objectClass("Track", attribute("id", "HLAcount")));

    // What other RTIs refuse
    rule("strict/tags", {module(track + tags("HLAcount")), module("<tags>\n</tags>")},
         {module(track + tags("HLAcount")), module(objects(""))},
         "The table of user-supplied tags names no datatype here", {},
         "Delete the empty table of tags", true, 2);
    rule("strict/tags",
         {module(track + "<tags><updateReflectTag><dataType>HLAcount</dataType>"
                         "</updateReflectTag></tags>"),
          module("<tags><sendReceiveTag><dataType>HLAcount</dataType></sendReceiveTag>"
                 "</tags>")},
         {module(track + tags("HLAcount")), module(tags("HLAcount"))}, "differs from that of", {},
         {}, false, 0, " differing");
    rule("strict/dimension-elsewhere",
         {module("<dimensions>\n" + dimension("Sector") + "\n</dimensions>"),
          module(objects(objectClass("Track", attribute("id", "HLAcount", "Sector"))))},
         {module(objects(objectClass("Track", attribute("id", "HLAcount", "Sector"))) +
                 "<dimensions>\n" + dimension("Sector") + "\n</dimensions>")},
         "Track.id uses dimension Sector, which this module does not define",
         "object:HLAobjectRoot.Track", "Repeat dimension Sector here", false, 1);
    rule("strict/named-twice",
         {module("<dimensions>\n" + dimension("A") + "\n" + dimension("A") + "\n</dimensions>")},
         {module("<dimensions>\n" + dimension("A") + "\n" + dimension("B") + "\n</dimensions>")},
         "A stands in this module twice", "dimension:A", "Delete the second A", true, 7);
    rule("strict/named-twice",
         {module(objects(objectClass("Track", attribute("id", "HLAcount")) +
                         "\n<objectClass>\n<name>Track</name>\n</objectClass>"))},
         {module(track)}, "HLAobjectRoot.Track stands in this module twice",
         "object:HLAobjectRoot.Track", {}, false, 0, " class");
    rule("strict/transportation",
         {module(objects(objectClass("Track", attribute("id", "HLAcount", {}, "Fast"))) +
                 "<transportations>\n<transportation>\n<name>Fast</name>\n<reliable>No</reliable>\n"
                 "</transportation>\n</transportations>")},
         {module(track)}, "Track.id uses transportation type Fast", "object:HLAobjectRoot.Track");
    rule("strict/root-first", {module("<objects>" + objectClass("Track", {}) + "</objects>")},
         {module(track)}, "The first <objectClass> is Track", "object:HLAobjectRoot.Track");
    rule("strict/datatype-missing",
         {module(objects(objectClass("Track", attribute("id", "Nothing"))))}, {module(track)},
         "Track.id is of datatype Nothing, which no module has", "object:HLAobjectRoot.Track");
    rule("strict/datatype-later",
         {module(objects("")), module(objects(objectClass("Track", attribute("id", "Row")))),
          module(arrays(array("Row", "HLAoctet", "3", "HLAfixedArray")))},
         {module(arrays(array("Row", "HLAoctet", "3", "HLAfixedArray"))),
          module(objects(objectClass("Track", attribute("id", "Row"))))},
         "Track.id is of datatype Row, which is in a later module", "object:HLAobjectRoot.Track");
    // The first module is what the others are merged into.
    rule("strict/datatype-later",
         {module(objects("")), module(objects(objectClass("Track", attribute("id", "Row")))),
          module(arrays(array("Row", "HLAoctet", "3", "HLAfixedArray")))},
         {module(objects(objectClass("Track", attribute("id", "Row")))),
          module(arrays(array("Row", "HLAoctet", "3", "HLAfixedArray")))},
         "which is in a later module, m2.xml", "object:HLAobjectRoot.Track", {}, false, 0,
         " first");
    const auto variant = [](const QString& type) {
      return "<dataTypes>\n<variantRecordDataTypes>\n<variantRecordData>\n<name>V</name>\n"
             "<discriminant>d</discriminant>\n<dataType>HLAboolean</dataType>\n<alternative>\n"
             "<enumerator>HLAtrue</enumerator>\n<name>NA</name>\n" +
             type +
             "<semantics>s</semantics>\n</alternative>\n<encoding>HLAvariantRecord</encoding>\n"
             "<semantics>s</semantics>\n</variantRecordData>\n</variantRecordDataTypes>\n</"
             "dataTypes>";
    };
    rule("strict/alternative-datatype", {module(variant({}))},
         {module(variant("<dataType>NA</dataType>\n"))}, "Alternative V.HLAtrue has no <dataType>",
         "datatype:V", "Add <dataType>NA</dataType>", true, 1);
    rule("strict/no-datatype", {module(objects(objectClass("Track", attribute("id", {}))))},
         {module(track)}, "Track.id has no <dataType>", "object:HLAobjectRoot.Track");
    rule("strict/empty-cell",
         {module(objects(objectClass(
             "Track",
             attribute("id", "HLAcount").replace("<order>Receive</order>", "<order></order>"))))},
         {module(track)}, "<order> of Track.id is empty; CERTI", "object:HLAobjectRoot.Track",
         "Delete the empty <order>", true, 1);
    rule("strict/prefix",
         {QString("<o:objectModel xmlns:o=\"%1\"><o:objects/></o:objectModel>").arg(kNamespace)},
         {module(track)}, "The elements have the prefix o:");
    rule("strict/circular-modules",
         {module(objects(objectClass("A", {}) + "<objectClass><name>B</name>" +
                         objectClass("C", {}) + "</objectClass>")),
          module(objects("<objectClass><name>A</name>" + objectClass("D", {}) + "</objectClass>" +
                         objectClass("B", {})))},
         {module(objects(objectClass("A", {}))),
          module(objects("<objectClass><name>A</name>" + objectClass("D", {}) + "</objectClass>"))},
         "in a circle: m0.xml > m1.xml > m0.xml", "object:HLAobjectRoot.B");

    // What the interchange format and the standard ask for
    rule("dif/namespace",
         {"<objectModel xmlns=\"http://www.sisostds.org/schemas/IEEE1516-2010\">\n" + track +
          "</objectModel>\n"},
         {module(track)}, "The namespace is http://www.sisostds.org/schemas", {},
         "Set the namespace of the edition", true, 2);
    rule("dif/namespace", {"<objectModel>\n" + track + "</objectModel>\n"}, {module(track)},
         "The module has no namespace", {}, "Set the namespace of the edition", true, 2, " none");
    rule("dif/schema", {module("<objects/>")}, {module(track)}, "The table <objects> is empty", {},
         "Delete the empty <objects>", true, 1);
    rule("dif/schema", {module("<interactions/>\n" + track)}, {module(track)},
         "<objects> in <objectModel> stands where", {},
         "Move <objects> to the front of <objectModel>", true, 2, " order");
    rule("dif/schema",
         {module(objects(
             objectClass("Track", attribute("id", "HLAcount"))
                 .replace(
                     "<sharing>PublishSubscribe</sharing>\n<semantics>s</semantics>\n<attribute>",
                     "<semantics>s</semantics>\n<sharing>PublishSubscribe</"
                     "sharing>\n<attribute>")))},
         {module(track)}, "<sharing>", "object:HLAobjectRoot.Track", "Move <sharing> behind <name>",
         true, 2, " order of cells");
    rule("dif/schema",
         {module(objects(
             objectClass("Track", attribute("id", "HLAcount").replace("Receive", "receive"))))},
         {module(track)}, "<order> of Track.id is \"receive\".", "object:HLAobjectRoot.Track",
         "Write Receive", true, 2, " value");
    rule("dif/schema",
         {module("<modelIdentification>\n<name>n</name>\n<securityClassification/>\n"
                 "</modelIdentification>")},
         {module("<modelIdentification>\n<name>n</name>\n</modelIdentification>")},
         "<securityClassification> is empty", {}, "Delete the empty <securityClassification>", true,
         1, " empty cell");
    rule("dif/schema",
         {module("<modelIdentification>\n<name>n</name>\n<reference>\n<type>t</type>\n"
                 "<identification>no URI at all "
                 "%%</identification>\n</reference>\n</modelIdentification>")},
         {module(
             "<modelIdentification>\n<name>n</name>\n<reference>\n<type>t</type>\n"
             "<identification>http://a.b</identification>\n</reference>\n</modelIdentification>")},
         "which is no URI", {}, {}, false, 0, " URI");
    rule("dif/schema", {module("text" + track)}, {module(track)}, "has text between its elements",
         {}, {}, false, 0, " text");
    rule("dif/schema",
         {module(objects(objectClass("Track", attribute("id", "HLAcount")))
                     .replace("<attribute>", "<attribute colour=\"red\">"))},
         {module(track)}, "XML attribute colour", "object:HLAobjectRoot.Track",
         "Delete the attribute colour", false, 2, " attribute");
    rule("dif/name", {module(objects(objectClass("2Seats", {})))}, {module(track)},
         "is called 2Seats, which begins with a digit", "object:HLAobjectRoot.2Seats");
    rule("dif/name", {module(objects(objectClass("Two Seats", {})))}, {module(track)},
         "which has a space", "object:HLAobjectRoot.Two Seats", {}, false, 0, " space");
    rule("dif/name", {module(objects(objectClass("hlaSeat", {})))}, {module(track)},
         "names that begin with HLA", "object:HLAobjectRoot.hlaSeat", {}, false, 0, " reserved");
    rule("dif/encoding", {module(arrays(array("T", "HLAoctet", "3", {})))},
         {module(arrays(array("T", "HLAoctet", "3", "HLAfixedArray")))}, "T has no encoding",
         "datatype:T", "Write HLAfixedArray", true, 1);
    rule("dif/encoding", {module(arrays(array("T", "HLAoctet", "3, 4", {})))},
         {module(arrays(array("T", "HLAoctet", "3, 4", "HLAfixedArray")))}, "T has no encoding",
         "datatype:T", "Write HLAfixedArray", true, 1, " two dimensions");
    // Other encodings have a number of elements of their own, or none.
    for (const char* cardinality : {"Dynamic", "[1..10]"}) {
      rule("dif/encoding", {module(arrays(array("T", "HLAoctet", cardinality, {})))},
           {module(arrays(array("T", "HLAoctet", cardinality, "HLAvariableArray")))},
           "T has no encoding", "datatype:T", "Write HLAvariableArray", false, 1,
           qPrintable(QString(" ") + cardinality));
    }
    for (const char* cardinality : {"", "many", "3,,4", "3, Dynamic"}) {
      rule("dif/encoding", {module(arrays(array("T", "HLAoctet", cardinality, {})))},
           {module(arrays(array("T", "HLAoctet", "3", "HLAfixedArray")))}, "T has no encoding",
           "datatype:T", {}, false, 0, qPrintable(QString(" cardinality ") + cardinality));
    }
    rule("dif/encoding", {module(arrays(array("T", "HLAoctet", "Dynamic", "HLAfixedArray")))},
         {module(arrays(array("T", "HLAoctet", "Dynamic", "HLAvariableArray")))},
         "T has cardinality Dynamic", "datatype:T", "Write HLAvariableArray", false, 2, " dynamic");
    rule("dif/circle", {module(records(record("A", "B") + record("B", "A")))},
         {module(records(record("A", "B") + record("B", "HLAoctet")))},
         "A contains itself (A > B > A)", "datatype:A");
    rule("dif/merging",
         {module("<dimensions>\n" + dimension("A").remove("<upperBound>10</upperBound>\n") +
                 "\n</dimensions>")},
         {module("<dimensions>\n" + dimension("A") + "\n</dimensions>")},
         "Dimension A has no upper bound", "dimension:A",
         "Write the bound that is used, 4294967295", false, 1);
    rule("dif/merging",
         {module(objects(
             objectClass("Track", attribute("id", "HLAcount") + "\n" +
                                      objectClass("Flight", attribute("id", "HLAcount")))))},
         {module(track)}, "Flight.id is inherited from", "object:HLAobjectRoot.Track.Flight",
         "Delete Flight.id here", false, 10, " inherited");

    // What complete models have
    rule("omt/schema", {module(track)}, {}, "stands where <modelIdentification> is expected");
    rule("omt/semantics",
         {module(objects(objectClass("Track", {}).remove("<semantics>s</semantics>\n")))},
         {module(track)}, "Track has no semantics", "object:HLAobjectRoot.Track");

    // Style
    rule("style/case", {module(objects(objectClass("Track", {}) + objectClass("track", {})))},
         {module(objects(objectClass("Track", {}) + objectClass("Plot", {})))},
         "HLAobjectRoot.track and HLAobjectRoot.Track differ in case only",
         "object:HLAobjectRoot.track");
    rule("style/unused-datatype", {module(arrays(array("T", "HLAoctet", "3", "HLAfixedArray")))},
         {module(objects(objectClass("Track", attribute("id", "T"))) +
                 arrays(array("T", "HLAoctet", "3", "HLAfixedArray")))},
         "Nothing uses datatype T", "datatype:T", "Delete T", false, 7);
    const QString type = module(arrays(array("T", "HLAoctet", "3", "HLAfixedArray")));
    rule("style/defined-again", {type, type + " "}, {type}, "T is defined in m0.xml:4 already",
         "datatype:T", "Delete T here", false, 7);
    rule("style/defined-again",
         {module("<dataTypes>\n<basicDataRepresentations>\n<basicData>\n<name>HLAoctet</name>\n"
                 "<size>8</size>\n</basicData>\n</basicDataRepresentations>\n</dataTypes>")},
         {type}, "HLAoctet is a datatype of the MIM", "datatype:HLAoctet",
         "Delete what the MIM defines", false, 4, " MIM");
  }

  void eachRuleFindsTheBadAndPassesTheGood() {
    QFETCH(QString, rule);
    QFETCH(QStringList, bad);
    QFETCH(QStringList, good);
    QFETCH(QString, says);
    QFETCH(QString, item);
    QFETCH(QString, fix);
    QFETCH(bool, automatic);
    QFETCH(int, lines);
    QTemporaryDir folder;
    const auto write = [&](const QStringList& texts, const QString& name) {
      QStringList paths;
      for (qsizetype i = 0; i < texts.size(); ++i) {
        paths << folder.filePath(QStringLiteral("%1%2.xml").arg(name).arg(i));
        put(paths.last(), texts[i].toUtf8());
      }
      return paths;
    };
    const QStringList paths = write(bad, "m");
    const LoadedModel loaded = checked(paths);
    QVERIFY2(loaded.count(Level::Loads) == 0, qPrintable(rulesOf(loaded).join('\n')));
    const auto found =
        std::find_if(loaded.findings.begin(), loaded.findings.end(),
                     [&](const Finding& f) { return f.rule == rule && f.text.contains(says); });
    QVERIFY2(found != loaded.findings.end(), qPrintable(rulesOf(loaded).join('\n')));
    const Finding finding = *found;
    QVERIFY(!finding.hint.isEmpty());
    QVERIFY(finding.line > 0);
    QVERIFY(finding.column > 0);
    QCOMPARE(finding.item, item);
    QCOMPARE(finding.isStyle, rule.startsWith("style/"));
    if (rule.startsWith("strict/")) {
      QCOMPARE(finding.level, Level::Strict);
      QVERIFY(!finding.source.isEmpty());
    }
    if (!good.isEmpty()) {
      const LoadedModel fine = checked(write(good, "g"));
      QVERIFY2(fine.count(Level::Loads) == 0, qPrintable(rulesOf(fine).join('\n')));
      QVERIFY2(findingOf(fine, rule) == nullptr, qPrintable(rulesOf(fine).join('\n')));
    }

    QVERIFY2(fix.isEmpty() == finding.fix.isNull(), qPrintable(finding.fix.label));
    if (fix.isEmpty()) return;
    QVERIFY2(finding.fix.label.startsWith(fix), qPrintable(finding.fix.label));
    QCOMPARE(finding.fix.automatic, automatic);
    const QByteArray before = bytesOf(finding.file);
    auto source = ModuleSource::parse(before.toStdString(), "m");
    QVERIFY(source.has_value());
    QCOMPARE(finding.fix.text, textIdOf(*source));
    QVERIFY(source->apply(finding.fix.splices).has_value());
    const std::string after = source->bytes();
    const QStringList changed = changedLines(before.toStdString(), after, 1000);
    QVERIFY2(changed.size() == lines, qPrintable(changed.join('\n')));
    put(finding.file, QByteArray::fromStdString(after));
    const LoadedModel fixedModel = checked(paths);
    QVERIFY2(fixedModel.count(Level::Loads) == 0, qPrintable(rulesOf(fixedModel).join('\n')));
    for (const Finding& f : fixedModel.findings) {
      QVERIFY2(f.rule != rule || f.text != finding.text,
               qPrintable(rulesOf(fixedModel).join('\n')));
    }
  }

  void aConflictHasBothPlaces() {
    const QStringList paths = testmodels::airTraffic() << testmodels::data("Clash.xml");
    QString out;
    QCOMPARE(run(QStringList{"check"} + paths, &out), 1);
    const QStringList lines = out.split('\n');
    const auto at = std::find_if(lines.begin(), lines.end(),
                                 [](const QString& line) { return line.contains(": error: "); });
    QVERIFY(at != lines.end());
    QVERIFY2((at + 1)->startsWith("    Clash.xml:") && (at + 1)->contains('<'),
             qPrintable(*(at + 1)));
    QVERIFY2((at + 2)->startsWith("    AirTraffic-Radar.xml:") && (at + 2)->contains('<'),
             qPrintable(*(at + 2)));
  }

  void fixesAreWrittenOnDemandOnly() {
    QTemporaryDir folder;
    const QString path = folder.filePath("m.xml");
    const QByteArray before =
        "<?xml version=\"1.0\"?>\r\n<!-- kept "
        "-->\r\n<objectModel>\r\n\t<objects/>\r\n\t<interactions/>"
        "\r\n\t<dataTypes>\r\n\t\t<arrayDataTypes>\r\n\t\t\t<arrayData><name>T</name>"
        "<dataType>HLAoctet</dataType><cardinality>3</cardinality></arrayData>\r\n\t\t"
        "</arrayDataTypes>\r\n\t</dataTypes>\r\n</objectModel>\r\n";
    put(path, before);
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup));
    QString out;
    QCOMPARE(run({"check", "--level", "dif", path}, &out), 1);
    QCOMPARE(bytesOf(path), before);
    QCOMPARE(run({"check", "--level", "dif", "--fix", "--dry-run", path}, &out), 0);
    QVERIFY2(out.contains("would fix: Delete the empty <objects>"), qPrintable(out));
    QVERIFY2(out.contains("- ") || out.contains("-     4"), qPrintable(out));
    QCOMPARE(bytesOf(path), before);
    QCOMPARE(run({"check", "--level", "dif", "--fix", path}, &out), 0);
    QByteArray expected = before;
    expected.replace("<objectModel>", QByteArray("<objectModel xmlns=\"") + kNamespace + "\">");
    expected.replace("\t<objects/>\r\n\t<interactions/>\r\n", "");
    expected.replace("</cardinality></arrayData>",
                     "</cardinality><encoding>HLAfixedArray</encoding></arrayData>");
    QCOMPARE(bytesOf(path), expected);
    QVERIFY(!(QFile::permissions(path) & QFile::ReadOther));
    QCOMPARE(run({"check", "--level", "dif", "--fix", path}, &out), 0);
    QCOMPARE(bytesOf(path), expected);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"m.xml"});
  }

  void nothingIsLostWithAnEmptyElement_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("button");

    const QString track = objects(objectClass("Track", attribute("id", "HLAcount")));
    const auto withOrder = [&](const char* order) {
      return module(QString(track).replace("<order>Receive</order>", order));
    };
    QTest::newRow("comment in a table")
        << module("<objects><!-- todo --></objects>") << "Delete the <objects> with its";
    QTest::newRow("instruction in a table")
        << module("<objects><?todo?></objects>") << "Delete the <objects> with its";
    QTest::newRow("notes of a table")
        << module("<objects notes=\"n1\"/>") << "Delete the <objects> with its";
    QTest::newRow("comment in a cell")
        << withOrder("<order><!-- agreed --></order>") << "Delete the <order> with its";
    QTest::newRow("notes of a cell")
        << withOrder("<order notes=\"n1\"></order>") << "Delete the <order> with its";
    QTest::newRow("semantics of tags without datatype")
        << module(
               "<tags><updateReflectTag><dataType>NA</dataType><semantics>kept</semantics>"
               "</updateReflectTag></tags>")
        << "Delete the table of tags with its";
    QTest::newRow("comment before a value")
        << withOrder("<order><!-- agreed --> receive</order>") << "Write Receive";
    QTest::newRow("comment in a value")
        << withOrder("<order>re<!-- agreed -->ceive</order>") << "Write Receive";
  }

  /// --fix leaves it to the person; by hand, values keep their comments.
  void nothingIsLostWithAnEmptyElement() {
    QFETCH(QString, text);
    QFETCH(QString, button);
    QTemporaryDir folder;
    const QString path = folder.filePath("m.xml");
    const QString tagged = folder.filePath("tags.xml");
    put(path, text.toUtf8());
    put(tagged, module(objects("") + tags("HLAcount")).toUtf8());
    const FixedModules fixed = fixModules({tagged, path}, Level::Described);
    QVERIFY2(std::none_of(fixed.modules.begin(), fixed.modules.end(),
                          [&](const FixedModule& m) { return m.path == path; }),
             fixed.modules.isEmpty() ? "" : fixed.modules.last().after.c_str());
    int offered = 0;
    for (const Finding& f : fixed.loaded.findings) {
      if (f.file != path || !f.fix.label.startsWith(button)) continue;
      ++offered;
      if (!button.startsWith("Write")) continue;
      auto source = ModuleSource::parse(text.toStdString(), "m");
      QVERIFY(source.has_value());
      QVERIFY(source->apply(f.fix.splices).has_value());
      const QString after = QString::fromStdString(source->bytes());
      QVERIFY2(after.contains("<!-- agreed -->"), qPrintable(after));
      put(path, after.toUtf8());
      const LoadedModel again = checked({tagged, path});
      for (const Finding& other : again.findings) QVERIFY(!other.text.startsWith("<order>"));
    }
    QVERIFY2(offered > 0, qPrintable(rulesOf(fixed.loaded).join('\n')));
  }

  /// CERTI and the schema both want the empty cell away.
  void twoFixesOfOnePlaceAreApplied() {
    QTemporaryDir folder;
    const QString path = folder.filePath("m.xml");
    const QString good = objectClass("Track", attribute("id", "HLAcount"));
    put(path, module(objects(QString(good).replace("<order>Receive</order>", "<order></order>")))
                  .toUtf8());
    const LoadedModel loaded = checked({path});
    const auto fixes = std::count_if(loaded.findings.begin(), loaded.findings.end(),
                                     [](const Finding& f) { return f.fix.automatic; });
    QVERIFY2(fixes >= 2, qPrintable(rulesOf(loaded).join('\n')));
    const FixedModules fixed = fixModules({path}, Level::Complete);
    QCOMPARE(fixed.fixes.size(), 1);
    QCOMPARE(QByteArray::fromStdString(fixed.modules.value(0).after),
             module(objects(QString(good).remove("<order>Receive</order>\n"))).toUtf8());
  }

  void aFileThatChangedMeanwhileIsNotOverwritten() {
    QTemporaryDir folder;
    const QString path = folder.filePath("m.xml");
    put(path, module("<objects/>").toUtf8());
    const FixedModules fixed = fixModules({path}, Level::Complete);
    QCOMPARE(fixed.modules.size(), 1);
    put(path, "another");
    const auto written = writeFixes(fixed.modules);
    QVERIFY(!written.has_value());
    QVERIFY2(written.error().contains(path), qPrintable(written.error()));
    QCOMPARE(bytesOf(path), QByteArray("another"));
  }

  void aFolderThatCannotBeWrittenIsSaid() {
    QTemporaryDir folder;
    const QString path = folder.filePath("gone/m.xml");
    const auto written = writeFixes({{path, "a", "b"}});
    QVERIFY(!written.has_value());
    QVERIFY(written.error().contains("m.xml"));
  }

  void theCommandLineFollowsTheLevel() {
    QTemporaryDir folder;
    const QString path = folder.filePath("m.xml");
    put(path, module(objects(objectClass("Track", attribute("id", "Nothing")))).toUtf8());
    QString out;
    QCOMPARE(run({"check", path}, &out), 0);
    QVERIFY2(out.contains("strict/datatype-missing: Portico"), qPrintable(out));
    QVERIFY(!out.contains("omt/schema"));
    QVERIFY(out.contains("see --level omt"));
    QCOMPARE(run({"check", "--level", "loads", path}, &out), 0);
    QVERIFY(!out.contains("strict/datatype-missing"));
    QCOMPARE(run({"check", "--level=strict", path}, &out), 1);
    QCOMPARE(run({"check", "--level", "omt", path}, &out), 1);
    QVERIFY(out.contains("[omt/schema: OMT schema of IEEE 1516.2-2010]"));
    QCOMPARE(run({"check", "--level", "omt", "--json", path}, &out), 1);
    const QJsonObject json = QJsonDocument::fromJson(out.toUtf8()).object();
    QCOMPARE(json["passed"].toBool(true), false);
    QCOMPARE(json["loads"].toBool(false), true);
    const QJsonObject first = json["findings"].toArray().first().toObject();
    QCOMPARE(first["level"].toString(), QString("strict"));
    QCOMPARE(first["severity"].toString(), QString("warning"));
    QCOMPARE(first["rule"].toString(), QString("strict/datatype-missing"));
    QCOMPARE(first["line"].toInt(), 9);
    QCOMPARE(first["column"].toInt(), 1);
    QVERIFY(first["fix"].isNull());
    QString err;
    QCOMPARE(run({"check", "--level", "all", path}, &out, &err), 2);
    QVERIFY(err.contains("loads, strict, dif or omt"));
    QCOMPARE(run({"check", "--dry-run", path}, &out, &err), 2);
    QCOMPARE(run({"check", "--level"}, &out, &err), 2);
  }

  void namesOfOtherModulesAreNoErrorsOfTheSchema() {
    const LoadedModel restaurant = checked({fomsFolder() + "/restaurant/RestaurantFOMmodule.xml"});
    if (restaurant.modules.value(1).edition.isEmpty())
      QSKIP("no real object models at ../shared/foms");
    int elsewhere = 0;
    for (const Finding& f : restaurant.findings) {
      elsewhere += f.rule == "omt/elsewhere" ? 1 : 0;
      QVERIFY2(!f.text.contains("which no module defines"), qPrintable(f.text));
    }
    QCOMPARE(elsewhere, 1);
  }

  /// Findings of merging have a line only.
  void aFixIsOfItsOwnRow() {
    QTemporaryDir folder;
    const QString path = folder.filePath("m.xml");
    const QString text =
        module(
            objects(objectClass("Track", attribute("id", "HLAcount") +
                                             objectClass("Flight", attribute("id", "HLAcount")))) +
            "<dimensions>" + dimension("A").remove("<upperBound>10</upperBound>\n") +
            dimension("B") + "</dimensions>")
            .remove('\n');
    put(path, text.toUtf8());
    const LoadedModel loaded = checked({path});
    QStringList fixes;
    for (const Finding& f : loaded.findings) {
      if (f.rule == "dif/merging") fixes << f.text.section(' ', 0, 1) + ": " + f.fix.label;
    }
    fixes.sort();
    QCOMPARE(fixes, (QStringList{"Dimension A: Write the bound that is used, 4294967295",
                                 "Flight.id is: "}));
  }

  void aLargeModuleIsChecked_data() {
    QTest::addColumn<bool>("lines");
    QTest::newRow("a row on each line") << true;
    QTest::newRow("all on one line") << false;
  }

  void aLargeModuleIsChecked() {
    // Worst cases of comparing names with names: many rows, each with an unknown type.
    QFETCH(bool, lines);
    QString rows;
    for (int i = 0; i < 40000; ++i) {
      rows += QStringLiteral(
                  "<simpleData><name>T%1</name><representation>R%1</representation>"
                  "</simpleData>\n")
                  .arg(i);
    }
    QString whole = module("<!-- \u00e4 --><dataTypes><simpleDataTypes>\n" + rows +
                           "</simpleDataTypes></dataTypes>");
    if (!lines) whole.remove('\n');
    QTemporaryDir folder;
    const QString path = folder.filePath("m.xml");
    put(path, whole.toUtf8());
    QElapsedTimer timer;
    timer.start();
    const LoadedModel loaded = checked({path});
    qInfo("%.1f MB: %lld ms, %d findings", static_cast<double>(QFileInfo(path).size()) / 1e6,
          timer.elapsed(), static_cast<int>(loaded.findings.size()));
    QVERIFY(loaded.findings.size() < 10000);
    int unused = 0;
    for (const Finding& f : loaded.findings) {
      if (f.rule != "style/unused-datatype") continue;
      const qsizetype at = whole.indexOf("<simpleData><name>" + f.text.section(' ', -1).chopped(1));
      QCOMPARE(f.line, 1 + static_cast<int>(whole.left(at).count('\n')));
      QCOMPARE(f.column, static_cast<int>(at - whole.lastIndexOf('\n', at)));
      ++unused;
    }
    QCOMPARE(unused, 1000);
  }

  void allKnownModelsAreChecked() {
    QStringList files;
    QDirIterator it(fomsFolder(), {"*.xml", "*.fed", "*.omt"}, QDir::Files,
                    QDirIterator::Subdirectories);
    while (it.hasNext()) files << it.next();
    files.sort();
    if (files.isEmpty()) QSKIP("no real object models at ../shared/foms or TUTTI_FOMS");
    int passedOmt = 0;
    for (const QString& file : std::as_const(files)) {
      QElapsedTimer timer;
      timer.start();
      const LoadedModel loaded = checked({file});
      qInfo("%6lld ms  loads %d, strict %d, dif %d, omt %d, style %d  %s", timer.elapsed(),
            loaded.count(Level::Loads), loaded.count(Level::Strict), loaded.count(Level::Complete),
            loaded.count(Level::Described),
            static_cast<int>(std::count_if(loaded.findings.begin(), loaded.findings.end(),
                                           [](const Finding& f) { return f.isStyle; })),
            qPrintable(file.mid(fomsFolder().size() + 1)));
      if (file.contains("/broken/")) QVERIFY(loaded.count(Level::Loads) > 0);
      for (const Finding& f : loaded.findings) {
        QVERIFY(!f.rule.isEmpty());
        QVERIFY(!f.text.isEmpty());
        QVERIFY2(f.item.isEmpty() || !findItem(*loaded.model, f.item).isNull(), qPrintable(f.item));
      }
      const bool of2010 = loaded.modules.value(1).edition == "IEEE 1516-2010";
      if (of2010 && loaded.count(Level::Described) == 0) ++passedOmt;
      // A fix of a real file never breaks it, and what is fixed stays fixed.
      const FixedModules fixed = fixModules({file}, Level::Described);
      QCOMPARE(fixed.loaded.count(Level::Loads), loaded.count(Level::Loads));
      for (const Finding& f : fixed.loaded.findings) {
        QVERIFY2(f.isStyle || f.fix.isNull() || !f.fix.automatic, qPrintable(f.text));
      }
    }
    QCOMPARE(passedOmt, 0);
    const auto all = [](const QString& folder, const QString& pattern) {
      QStringList paths;
      const QDir dir(fomsFolder() + '/' + folder);
      for (const QFileInfo& f : dir.entryInfoList({pattern}, QDir::Files, QDir::Name)) {
        paths << f.filePath();
      }
      return paths;
    };
    const QStringList rpr = all("rpr2", "RPR-*.xml");
    for (const QStringList& set : {rpr, rpr + all("netn2", "*.xml"), all("spacefom", "*.xml"),
                                   all("restaurant-modules", "*.xml")}) {
      const LoadedModel loaded = checked(set);
      QVERIFY2(loaded.count(Level::Loads) == 0, qPrintable(rulesOf(loaded).join('\n')));
      QVERIFY2(findingOf(loaded, "strict/circular-modules") == nullptr,
               qPrintable(rulesOf(loaded).join('\n')));
    }
  }
};

QTEST_GUILESS_MAIN(TestObjectModelChecks)
#include "tst_object_model_checks.moc"
