// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/stat.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <thread>

#include "fom_files.h"
#include "omt/merge.h"
#include "omt/reader.h"
#include "omt/xml_limits.h"

using namespace tutti::omt;

namespace {

tl::expected<Module, Error> read(const QByteArray& text) {
  return readModule(std::string_view(text.constData(), static_cast<std::size_t>(text.size())),
                    "module.xml");
}

QByteArray model(const QByteArray& tables) {
  return "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">\n" + tables +
         "\n</objectModel>\n";
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

constexpr char flight[] = R"(<objects><objectClass><name>HLAobjectRoot</name>
<objectClass>
  <name>Flight</name><sharing>PublishSubscribe</sharing><semantics> An aircraft. </semantics>
  <attribute notes="N1 N2">
    <name>position</name><dataType>GeoPosition</dataType><updateType>Periodic</updateType>
    <updateCondition>10 Hz</updateCondition><ownership>DivestAcquire</ownership>
    <sharing>Publish</sharing><dimensions><dimension>Sector</dimension></dimensions>
    <transportation>HLAbestEffort</transportation><order>TimeStamp</order>
    <semantics>Where it is.</semantics>
  </attribute>
</objectClass></objectClass></objects>)";

}  // namespace

class TestOmtReader : public QObject {
  Q_OBJECT

 private slots:
  void readsEveryColumnOfAnAttribute() {
    const auto module = read(model(flight));
    QVERIFY(module);
    QCOMPARE(module->objectClasses.size(), std::size_t{1});
    QVERIFY(module->objectClasses[0].isScaffolding());
    const ModuleObjectClass& c = module->objectClasses[0].subclasses.at(0);
    QCOMPARE(c.name, std::string("Flight"));
    QCOMPARE(c.semantics, std::string("An aircraft."));
    QCOMPARE(c.sharing, Sharing::PublishSubscribe);
    QCOMPARE(c.line, 3);
    const Attribute& a = c.attributes.at(0);
    QCOMPARE(a.name, std::string("position"));
    QCOMPARE(a.dataType, std::string("GeoPosition"));
    QCOMPARE(a.updateType, UpdateType::Periodic);
    QCOMPARE(a.updateCondition, std::string("10 Hz"));
    QCOMPARE(a.ownership, Ownership::DivestAcquire);
    QCOMPARE(a.sharing, Sharing::Publish);
    QCOMPARE(a.dimensions, std::vector<std::string>{"Sector"});
    QCOMPARE(a.transportation, std::string("HLAbestEffort"));
    QCOMPARE(a.order, OrderType::TimeStamp);
    QCOMPARE(a.notes, std::string("N1 N2"));
    QCOMPARE(a.where.line, 5);
  }

  void readsTheOtherTables() {
    const auto module = read(model(R"(
<interactions><interactionClass><name>HLAinteractionRoot</name>
 <interactionClass><name>Conflict</name><sharing>Publish</sharing><transportation>HLAreliable</transportation>
  <order>Receive</order><parameter><name>first</name><dataType>HLAhandle</dataType></parameter></interactionClass>
</interactionClass></interactions>
<dimensions><dimension><name>Sector</name><upperBound>64</upperBound><value>[0..64)</value></dimension></dimensions>
<transportations><transportation><name>Fast</name><reliable>No</reliable></transportation></transportations>
<updateRates><updateRate><name>Low</name><rate>0.5</rate></updateRate></updateRates>
<switches><autoProvide isEnabled="true"/><automaticResignAction resignAction="DeleteObjects"/></switches>
<time><timeStamp><dataType>HLAfloat64Time</dataType></timeStamp><lookahead><dataType>NA</dataType></lookahead></time>
<synchronizations><synchronizationPoint><label>Ready</label><capability>RegisterAchieve</capability></synchronizationPoint></synchronizations>
<dataTypes><fixedRecordDataTypes><fixedRecordData><name>Point</name><encoding>HLAfixedRecord</encoding>
 <field><name>x</name><dataType>HLAfloat64BE</dataType></field></fixedRecordData></fixedRecordDataTypes>
 <variantRecordDataTypes><variantRecordData><name>V</name><discriminant>kind</discriminant><dataType>Kind</dataType>
 <alternative><enumerator>A, B</enumerator><name>a</name><dataType>Point</dataType></alternative></variantRecordData></variantRecordDataTypes>
</dataTypes>
<notes><note><label>N1</label><semantics>Text</semantics></note></notes>)"));
    QVERIFY(module);
    const ModuleInteractionClass& c = module->interactionClasses.at(0).subclasses.at(0);
    QCOMPARE(c.parameters.at(0).dataType, std::string("HLAhandle"));
    QVERIFY(c.order == OrderType::Receive);
    QCOMPARE(module->dimensions.at(0).upperBound.value(), 64U);
    QVERIFY(!module->transportations.at(0).reliable);
    QCOMPARE(module->updateRates.at(0).rate, 0.5);
    QVERIFY(module->switches->autoProvide.value());
    QVERIFY(!module->switches->serviceReporting.has_value());
    QVERIFY(module->switches->automaticResignAction == ResignAction::DeleteObjects);
    QCOMPARE(module->timeStamp.dataType, std::string("HLAfloat64Time"));
    QVERIFY(module->lookahead.dataType.empty());
    QCOMPARE(module->synchronizationPoints.at(0).label, std::string("Ready"));
    QCOMPARE(module->dataTypes.at(0).fields.at(0).dataType, std::string("HLAfloat64BE"));
    QCOMPARE(module->dataTypes.at(1).discriminantType, std::string("Kind"));
    QCOMPARE(module->dataTypes.at(1).alternatives.at(0).enumerators, std::string("A, B"));
    QCOMPARE(module->notes.at(0).semantics, std::string("Text"));
  }

  void acceptsWhatOtherRtisLoad_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("warnings");
    QTest::newRow("no namespace") << QByteArray("<objectModel></objectModel>") << 0;
    QTest::newRow("foreign namespace")
        << QByteArray("<objectModel xmlns=\"http://www.sisostds.org/schemas/IEEE1516-2010\"/>")
        << 1;
    QTest::newRow("prefix") << QByteArray(
                                   "<h:objectModel xmlns:h=\"urn:x\"><h:objects/>"
                                   "</h:objectModel>")
                            << 1;
    QTest::newRow("unknown attributes")
        << QByteArray(
               "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\" colour=\"red\""
               " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"false\""
               " notes=\"N1\" owner=\"me\"/>")
        << 1;
    QTest::newRow("document type")
        << QByteArray("<!DOCTYPE objectModel SYSTEM 'HLA.dtd'><objectModel></objectModel>") << 0;
    QTest::newRow("empty tables") << model(
                                         "<objects/><interactions/><dimensions/><dataTypes/>"
                                         "<switches/><time/><notes/>")
                                  << 0;
    QTest::newRow("nameless rows") << model(
                                          "<objects><objectClass><name/></objectClass></objects>"
                                          "<dimensions><dimension><name/></dimension></dimensions>"
                                          "<transportations><transportation/></transportations>")
                                   << 3;
    QTest::newRow("elements out of order")
        << model(
               "<notes/><dataTypes/><objects><objectClass><attribute><order>Receive</"
               "order><name>a</name>"
               "</attribute><name>HLAobjectRoot</name></objectClass></objects>")
        << 0;
    QTest::newRow("unknown elements") << model("<futureTable><row/></futureTable>") << 0;
    QTest::newRow("byte-order mark") << QByteArray("\xEF\xBB\xBF" + model("")) << 0;
    QTest::newRow("Latin-1")
        << QByteArray(
               "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><objectModel><notes><note>"
               "<label>caf\xE9</label></note></notes></objectModel>")
        << 0;
  }
  /// Whatever 8 or 16 bits a character takes, the same is read.
  void readsOtherEncodings_data() {
    QTest::addColumn<QByteArray>("text");
    const QString text =
        "<?xml version=\"1.0\" encoding=\"%1\"?>\n<objectModel><notes><note>"
        "<label>caf\u00E9</label></note></notes></objectModel>";
    QTest::newRow("UTF-8") << text.arg("UTF-8").toUtf8();
    QTest::newRow("Latin-1") << text.arg("ISO-8859-1").toLatin1();
    QTest::newRow("UTF-8 that says it is US-ASCII") << text.arg("US-ASCII").toUtf8();
    QTest::newRow("Windows") << text.arg("windows-1252").toLatin1();
    for (const bool bigEndian : {false, true}) {
      for (const bool mark : {false, true}) {
        QByteArray wide;
        const QString whole = (mark ? QString(QChar(0xFEFF)) : QString()) + text.arg("UTF-16");
        for (const QChar c : whole) {
          const char high = static_cast<char>(c.unicode() >> 8);
          const char low = static_cast<char>(c.unicode() & 0xFF);
          wide.append(bigEndian ? high : low).append(bigEndian ? low : high);
        }
        QTest::addRow("UTF-16 %s %s", bigEndian ? "big" : "little", mark ? "marked" : "bare")
            << wide;
      }
    }
  }
  void readsOtherEncodings() {
    QFETCH(QByteArray, text);
    const auto module = read(text);
    QVERIFY2(module, module ? "" : module.error().toText().c_str());
    QCOMPARE(module->notes.at(0).label, std::string("caf\xC3\xA9"));
    QCOMPARE(module->notes.at(0).where.line, 2);
  }

  /// Stricter readers refuse it, so it is said where the first such byte is.
  void warnsOfWhatIsNoAscii() {
    const QByteArray text =
        "<?xml version=\"1.0\" encoding=\"US-ASCII\"?>\n<objectModel><notes><note>\n"
        "<label>caf\xC3\xA9</label></note></notes></objectModel>";
    const auto module = read(text);
    QVERIFY(module);
    QCOMPARE(module->warnings.size(), 1U);
    QCOMPARE(module->warnings[0].line, 3);
    QCOMPARE(module->warnings[0].message,
             std::string("The file says that it is in US-ASCII, but its byte ") +
                 std::to_string(text.indexOf('\xC3') + 1) +
                 " is 0xC3. It is read as UTF-8; stricter RTIs refuse it.");
    QVERIFY(read(QByteArray(text).replace("\xC3\xA9", "e"))->warnings.empty());
    QVERIFY(read(QByteArray(text).replace("US-ASCII", "UTF-8"))->warnings.empty());
    // No encoding at all: what XML does not allow.
    QVERIFY(!read(QByteArray(text).replace("\xC3\xA9", "\xE9")));
  }

  void acceptsWhatOtherRtisLoad() {
    QFETCH(QByteArray, text);
    QFETCH(int, warnings);
    const auto module = read(text);
    QVERIFY2(module, module ? "" : module.error().toText().c_str());
    QCOMPARE(static_cast<int>(module->warnings.size()), warnings);
  }

  void readsEdition2000() {
    const auto module = read(
        "<objectModel DTDversion=\"1516.2\" name=\"Old\">"
        "<objects><objectClass name=\"HLAobjectRoot\" sharing=\"Neither\">"
        "<objectClass name=\"Car\" sharing=\"Publish\" sharingNotes=\"*1\">\n"
        "<attribute name=\"speed\" dataType=\"HLAfloat64BE\" updateType=\"Periodic\""
        " ownership=\"Divest\" transportation=\"HLAbestEffort\" order=\"TimeStamp\""
        " dimensions=\"X, Y\"/>"
        "<attribute name=\"owner\" dataType=\"NA\" dimensions=\"NA\" ownership=\"NA\"/>"
        // Some write both editions in one file.
        "</objectClass><objectClass name=\"Boat\"><attribute><name>depth</name></attribute>"
        "</objectClass></objectClass></objects>"
        "<interactions><interactionClass name=\"HLAinteractionRoot\"><interactionClass"
        " name=\"Crash\" transportation=\"HLAreliable\" order=\"TimeStamp\" dimensions=\"X\">"
        "<parameter name=\"where\" dataType=\"HLAfloat64BE\"/></interactionClass>"
        "</interactionClass></interactions>"
        "<dimensions><dimension name=\"X\" upperBound=\"7\"/><dimension name=\"Y\"/></dimensions>"
        "<switches autoProvide=\"Enabled\" serviceReporting=\"Disabled\"/>"
        "<dataTypes><enumeratedDataTypes><enumeratedData name=\"Side\""
        " representation=\"HLAinteger32BE\"><enumerator name=\"Left\" values=\"3\"/>"
        "</enumeratedData></enumeratedDataTypes></dataTypes></objectModel>");
    QVERIFY2(module, module ? "" : module.error().toText().c_str());
    QCOMPARE(module->identification.name, std::string("Old"));
    QCOMPARE(module->warnings.size(), std::size_t{1});
    QVERIFY(module->warnings[0].message.find("1516-2000") != std::string::npos);
    const ModuleObjectClass& root = module->objectClasses.at(0);
    QCOMPARE(root.name, std::string("HLAobjectRoot"));
    const ModuleObjectClass& car = root.subclasses.at(0);
    QCOMPARE(car.sharing, Sharing::Publish);
    const Attribute& speed = car.attributes.at(0);
    QCOMPARE(speed.name, std::string("speed"));
    QCOMPARE(speed.where.line, 2);
    QCOMPARE(speed.dataType, std::string("HLAfloat64BE"));
    QCOMPARE(speed.ownership, Ownership::Divest);
    QCOMPARE(speed.order, OrderType::TimeStamp);
    QCOMPARE(speed.transportation, std::string("HLAbestEffort"));
    QCOMPARE(speed.dimensions, (std::vector<std::string>{"X", "Y"}));
    QVERIFY(car.attributes.at(1).dimensions.empty());
    QCOMPARE(root.subclasses.at(1).attributes.at(0).name, std::string("depth"));
    const ModuleInteractionClass& crash = module->interactionClasses.at(0).subclasses.at(0);
    QCOMPARE(crash.order, std::optional(OrderType::TimeStamp));
    QCOMPARE(crash.dimensions, std::vector<std::string>{"X"});
    QCOMPARE(crash.parameters.at(0).name, std::string("where"));
    QCOMPARE(module->dimensions.at(0).upperBound, std::optional<std::uint32_t>(7));
    QCOMPARE(module->switches->autoProvide, std::optional(true));
    QCOMPARE(module->switches->serviceReporting, std::optional(false));
    QCOMPARE(module->dataTypes.at(0).enumerators.at(0).values, std::vector<std::string>{"3"});
  }

  void putsTopmostClassesBelowTheRoot() {
    const auto module = read(
        model("<objects>\n<objectClass><name>Car</name><attribute><name>speed</name></attribute>"
              "</objectClass><objectClass><name>Boat</name></objectClass></objects>"
              "<interactions><interactionClass><name>Crash</name></interactionClass>"
              "</interactions>"));
    QVERIFY2(module, module ? "" : module.error().toText().c_str());
    QCOMPARE(module->warnings.size(), std::size_t{3});
    QCOMPARE(module->warnings[0].line, 3);
    QVERIFY(module->warnings[0].message.find("HLAobjectRoot") != std::string::npos);
    QCOMPARE(module->objectClasses.size(), std::size_t{2});
    const ModuleObjectClass& root = module->objectClasses[0];
    QCOMPARE(root.name, std::string("HLAobjectRoot"));
    QVERIFY(root.isScaffolding());
    QCOMPARE(root.subclasses.at(0).name, std::string("Car"));
    QCOMPARE(root.subclasses[0].attributes.at(0).name, std::string("speed"));
    QCOMPARE(module->interactionClasses.at(0).name, std::string("HLAinteractionRoot"));
    QCOMPARE(module->interactionClasses[0].subclasses.at(0).name, std::string("Crash"));
  }

  void saysWhereAFileIsWrong_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << QByteArray() << 0 << "empty";
    QTest::newRow("not XML") << QByteArray("hello") << 1 << "Not well-formed";
    QTest::newRow("mismatched tags")
        << QByteArray("<objectModel>\n<objects>\n</interactions>\n</objectModel>") << 3
        << "mismatch";
    QTest::newRow("cut off") << model(flight).left(400) << 7 << "Not well-formed";
    QTest::newRow("another document") << QByteArray("<html/>") << 1 << "<html>";
    QTest::newRow("order")
        << model(
               "<objects><objectClass><name>HLAobjectRoot</name><attribute>\n<name>a</name>\n"
               "<order>Sometimes</order></attribute></objectClass></objects>")
        << 4 << "Sometimes";
    QTest::newRow("upper bound") << model(
                                        "<dimensions><dimension><name>D</name>\n"
                                        "<upperBound>-1</upperBound></dimension></dimensions>")
                                 << 3 << "-1";
    QTest::newRow("upper bound too large")
        << model(
               "<dimensions><dimension><name>D</name><upperBound>4294967296</upperBound>"
               "</dimension></dimensions>")
        << 2 << "4294967296";
    QTest::newRow("rate") << model(
                                 "<updateRates><updateRate><name>R</name><rate>fast</rate>"
                                 "</updateRate></updateRates>")
                          << 2 << "fast";
    QTest::newRow("switch") << model("<switches>\n<autoProvide isEnabled=\"perhaps\"/></switches>")
                            << 3 << "perhaps";
    QTest::newRow("resign action")
        << model("<switches><automaticResignAction resignAction=\"Panic\"/></switches>") << 2
        << "Panic";
    QTest::newRow("nameless class")
        << model(
               "<objects><objectClass><name>HLAobjectRoot</name>\n<objectClass/></objectClass>"
               "</objects>")
        << 3 << "no name";
    QTest::newRow("dotted name")
        << model(
               "<objects><objectClass><name>HLAobjectRoot</name>\n<objectClass><name>A.B</name>"
               "</objectClass></objectClass></objects>")
        << 3 << "dot";
    QTest::newRow("entities")
        << QByteArray(
               "<!DOCTYPE objectModel [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b "
               "\"&a;&a;&a;&a;\">]><objectModel><notes><note><label>&b;</label></note>"
               "</notes></objectModel>")
        << 1 << "entities";
    QTest::newRow("declarations")
        << QByteArray("<!DOCTYPE objectModel [<!ATTLIST name a CDATA \"b\">]><objectModel/>") << 1
        << "declarations of its own";
    QTest::newRow("unknown encoding")
        << QByteArray("<?xml version=\"1.0\" encoding=\"pigeon\"?><objectModel/>") << 1 << "pigeon";
    QTest::newRow("another encoding")
        << QByteArray("<?xml version=\"1.0\" encoding=\"UTF-16\"?><objectModel/>") << 1
        << "UTF-16, but it is not";
    QTest::newRow("nameless class of 2000")
        << QByteArray(
               "<objectModel DTDversion=\"1516.2\"><objects><objectClass name=\"HLAobjectRoot\">"
               "\n<objectClass name=\"\" sharing=\"Publish\"/></objectClass></objects>"
               "</objectModel>")
        << 2 << "no name";
    QTest::newRow("nameless root class of 2000")
        << QByteArray(
               "<objectModel><objects>\n<objectClass sharing=\"Neither\"><objectClass name=\"Car\">"
               "<attribute name=\"speed\"/></objectClass></objectClass></objects></objectModel>")
        << 2 << "no name, but contains Car";
    QTest::newRow("long name")
        << model("<objects><objectClass><name>HLAobjectRoot</name>\n<objectClass><name>" +
                 QByteArray(1001, 'a') + "</name></objectClass></objectClass></objects>")
        << 3 << "name of 1001 bytes";
    QTest::newRow("long row name")
        << model("<dimensions>\n<dimension><name>" + QByteArray(1001, 'a') +
                 "</name></dimension></dimensions>")
        << 3 << "name of 1001 bytes";
    QByteArray deep = "<objects>";
    for (int i = 0; i < 101; ++i) deep += "<objectClass><name>HLAobjectRoot</name>";
    for (int i = 0; i < 101; ++i) deep += "</objectClass>";
    QTest::newRow("too deep") << model(deep + "</objects>") << 2 << "nested";
  }
  void saysWhereAFileIsWrong() {
    QFETCH(QByteArray, text);
    QFETCH(int, line);
    QFETCH(QString, says);
    const auto module = read(text);
    QVERIFY(!module);
    const Error& e = module.error();
    QCOMPARE(e.kind, ErrorKind::ErrorReading);
    QCOMPARE(e.file, std::string("module.xml"));
    QCOMPARE(e.line, line);
    QVERIFY2(QString::fromStdString(e.message).contains(says), e.message.c_str());
  }

  /// What is far from any object model is refused before anything is compared with anything else:
  /// each of these kept the parser busy for minutes, or took gigabytes.
  void whatIsTooMuchIsRefusedBeforeItIsParsed_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("says");
    QByteArray many = "\n<objectClass";
    for (int i = 0; i < 200'000; ++i) many += " a" + QByteArray::number(i) + "='1'";
    many += "><name>HLAobjectRoot</name></objectClass>";
    QTest::newRow("attributes") << model("<objects>" + many + "</objects>") << 3
                                << "<objectClass> has more than 100 XML attributes";
    QByteArray wide =
        "<?xml version='1.0' encoding='UTF-16'?><objectModel>" + many + "</objectModel>";
    QByteArray utf16("\xFF\xFE");
    for (const char c : wide) utf16.append(c).append('\0');
    QTest::newRow("attributes in UTF-16") << utf16 << 2 << "more than 100 XML attributes";
    QByteArray spaces;
    for (int level = 0; level < 10; ++level) {
      spaces += "<objects";
      for (int i = 0; i < 50; ++i) {
        spaces += " xmlns:n" + QByteArray::number(level * 50 + i) + "='urn:x'";
      }
      spaces += ">\n";
    }
    QTest::newRow("namespaces") << model(spaces) << 3 << "100 XML namespaces";
    QTest::newRow("levels") << model(QByteArray("<objects>").repeated(260)) << 2
                            << "nested more than 250 deep";
    QTest::newRow("elements") << model(QByteArray("<a/>").repeated(1'000'001)) << 2
                              << "more than 1000000 elements";
    QTest::newRow("name of an element")
        << model("<" + QByteArray(2000, 'a') + "/>") << 2 << "A name of 2000 bytes";
    QTest::newRow("value of an attribute")
        << model("<objects a='" + QByteArray(2 << 20, 'a') + "'/>") << 2 << "longer than 1 MiB";
    QTest::newRow("text") << model("<objects>" + QByteArray(9 << 20, 'a') + "</objects>") << 2
                          << "more than 8 MiB of text";
    QTest::newRow("comment") << model("<!--" + QByteArray(11 << 20, 'a') + "-->" + many) << 2
                             << "longer than 8 MiB";
  }
  void whatIsTooMuchIsRefusedBeforeItIsParsed() { saysWhereAFileIsWrong(); }

  /// A parser that goes on behind an error does not read there what the count has passed over.
  void nothingIsHiddenFromTheCount_data() {
    QTest::addColumn<QByteArray>("before");
    QTest::newRow("declaration") << QByteArray("<?xml >");
    QTest::newRow("instruction") << QByteArray("<objectModel><? ");
    QTest::newRow("control character in an instruction") << QByteArray("<objectModel><?a \x01 ");
    QTest::newRow("control character in a comment") << QByteArray("<objectModel><!-- \x01 ");
    QTest::newRow("no character in a section")
        << QByteArray("<objectModel><![CDATA[ \xEF\xBF\xBF ");
    QTest::newRow("end tag") << QByteArray("<objectModel></objectModel ");
    QTest::newRow("document type") << QByteArray("<!DOCTYPE a \" ");
    QTest::newRow("attribute") << QByteArray("<objectModel a b='");
    QTest::newRow("value") << QByteArray("<objectModel a=\"\x01");
    QTest::newRow("section outside") << QByteArray("<![CDATA[ ");
    QTest::newRow("cut character") << QByteArray("<objectModel>\xC3 <!-- \xC3 ");
  }
  void nothingIsHiddenFromTheCount() {
    QFETCH(QByteArray, before);
    QByteArray many = before + "<b ";
    for (int i = 0; i < 200'000; ++i) many += " a" + QByteArray::number(i) + "='1'";
    const XmlScan scan = scanXml({many.constData(), static_cast<std::size_t>(many.size())});
    QVERIFY(scan.excess || scan.bytes < 2000);
    QVERIFY(!read(many));
  }

  void doesNotOpenOtherFiles() {
    QTemporaryDir folder;
    QFile secret(folder.filePath("secret"));
    QVERIFY(secret.open(QIODevice::WriteOnly));
    secret.write("secret text");
    secret.close();
    const auto module =
        read("<!DOCTYPE objectModel [<!ENTITY e SYSTEM \"file://" + secret.fileName().toUtf8() +
             "\">]><objectModel><notes><note><label>n</label><semantics>&e;</semantics></note>"
             "</notes></objectModel>");
    QVERIFY(!module);
  }

  void saysThatAFileCannotBeOpened() {
    QTemporaryDir folder;
    for (const QString& path : {folder.filePath("missing.xml"), folder.path()}) {
      const auto module = readModuleFile(path.toStdString());
      QVERIFY(!module);
      QCOMPARE(module.error().kind, ErrorKind::CouldNotOpen);
      QCOMPARE(module.error().file, path.toStdString());
    }
  }

  /// Pipes and devices keep nobody waiting.
  void readsOnlyFilesAndPipesThatGiveSomething() {
    QTemporaryDir folder;
    const auto error = [](const QString& path) {
      const auto module = readModuleFile(path.toStdString());
      return module ? std::string("none") : module.error().message;
    };
    QCOMPARE(error("/dev/zero"), std::string("This is a device, not a file."));
    const QString pipe = folder.filePath("pipe");
    QCOMPARE(::mkfifo(qPrintable(pipe), 0600), 0);
    QCOMPARE(error(pipe), std::string("Nothing has come through this pipe for 5 s."));
    // The writer opens it when it is read.
    std::thread writer([&] {
      QFile file(pipe);
      if (!file.open(QIODevice::WriteOnly)) return;
      file.write("<objectModel>");
      file.flush();
      file.write("</objectModel>");
    });
    const auto module = readModuleFile(pipe.toStdString());
    writer.join();
    QVERIFY2(module, module ? "" : module.error().toText().c_str());
  }

  void countsLinesBeyond65535() {
    const auto module =
        read(model(QByteArray(70000, '\n') + "<notes><note><label>n</label></note></notes>"));
    QVERIFY(module);
    QCOMPARE(module->notes.at(0).where.line, 70002);
  }

  void survivesEveryTruncation() {
    const QByteArray whole = model(flight);
    for (int length = 0; length < whole.size(); ++length) {
      const auto module = read(whole.left(length));
      // Only blanks after the end may be missing.
      QCOMPARE(module.has_value(), whole.mid(length).trimmed().isEmpty());
    }
  }

  void survivesChangedBytes() {
    const QByteArray whole = model(flight);
    quint32 random = 12345;
    const auto next = [&] { return random = random * 1664525U + 1013904223U; };
    for (int round = 0; round < 3000; ++round) {
      QByteArray text = whole;
      for (int i = 0; i < 3; ++i) {
        text[static_cast<int>((next() >> 8) % static_cast<quint32>(text.size()))] =
            static_cast<char>(next() >> 16);
      }
      // Whatever it says, the result is a module or an error with the file's name.
      const auto module = read(text);
      if (!module) QCOMPARE(module.error().file, std::string("module.xml"));
    }
  }

  void readsRealModules_data() {
    SKIP_WITHOUT_FOMS();
    QTest::addColumn<QString>("path");
    for (const QString& set : fomfiles::sets()) {
      for (const QString& path : fomfiles::set(set)) {
        QTest::addRow("%s/%s", qPrintable(set), qPrintable(QFileInfo(path).fileName())) << path;
      }
    }
  }
  void readsRealModules() {
    QFETCH(QString, path);
    const auto module = readModuleFile(path.toStdString());
    QVERIFY2(module, module ? "" : module.error().toText().c_str());
    QVERIFY(!module->identification.name.empty());
  }

  void realFilesOfOtherKindsGetAnError_data() {
    SKIP_WITHOUT_FOMS();
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("says");
    QTest::newRow("malformed") << "broken/testFederation1516-2010-malformed.xml" << 61
                               << "Not well-formed";
  }
  void realFilesOfOtherKindsGetAnError() {
    QFETCH(QString, name);
    QFETCH(int, line);
    QFETCH(QString, says);
    const auto module = readModuleFile(fomfiles::path(name).toStdString());
    QVERIFY(!module);
    QCOMPARE(module.error().line, line);
    QVERIFY2(QString::fromStdString(module.error().message).contains(says),
             module.error().message.c_str());
    QVERIFY(!module.error().hint.empty());
  }

  void realFilesOfOtherHabitsGetAWarning_data() {
    SKIP_WITHOUT_FOMS();
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("says");
    QTest::newRow("1516-2000") << "rpr2/RPR_FOM_v2.0_1516-2000.xml" << 3 << "1516-2000";
    QTest::newRow("1516-2000, too") << "billard/testFederation.xml" << 10 << "1516-2000";
    QTest::newRow("no root class") << "billard/BillardTest2010.xml" << 4 << "HLAobjectRoot";
  }
  void realFilesOfOtherHabitsGetAWarning() {
    QFETCH(QString, name);
    QFETCH(int, line);
    QFETCH(QString, says);
    const auto module = readModuleFile(fomfiles::path(name).toStdString());
    QVERIFY2(module, module ? "" : module.error().toText().c_str());
    QVERIFY(!module->objectClasses.at(0).subclasses.empty());
    QCOMPARE(module->warnings.at(0).line, line);
    QVERIFY(QString::fromStdString(module->warnings[0].message).contains(says));
  }

  void realModulesSurviveTruncation() {
    SKIP_WITHOUT_FOMS();
    const QByteArray whole = contentOf(fomfiles::path("spacefom/SISO_SpaceFOM_entity.xml"));
    QVERIFY(!whole.isEmpty());
    for (int length = 0; length < whole.trimmed().size(); length += 97) {
      QVERIFY(!read(whole.left(length)));
    }
  }
};

QTEST_GUILESS_MAIN(TestOmtReader)
#include "tst_omt_reader.moc"
