// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "fom-editor/model/data_layout.h"
#include "fom-editor/model/item.h"
#include "omt/merge.h"
#include "omt/reader.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

omt::ObjectModel modelWith(const std::string& types) {
  auto module = omt::readModule(
      "<objectModel><dataTypes><g>" + types + "</g></dataTypes></objectModel>", "types.xml");
  if (!module) qFatal("%s", module.error().toText().c_str());
  auto merged = omt::merge(std::span(&*module, 1));
  if (!merged) qFatal("%s", merged.error().toText().c_str());
  return std::move(merged->model);
}

std::string record(const std::string& name, const std::vector<std::string>& types) {
  std::string text =
      "<fixedRecordData><name>" + name + "</name><encoding>HLAfixedRecord</encoding>";
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += "<field><name>f" + std::to_string(i) + "</name><dataType>" + types[i] +
            "</dataType></field>";
  }
  return text + "</fixedRecordData>";
}

std::string array(const std::string& name, const std::string& element,
                  const std::string& cardinality, const std::string& encoding) {
  return "<arrayData><name>" + name + "</name><dataType>" + element + "</dataType><cardinality>" +
         cardinality + "</cardinality><encoding>" + encoding + "</encoding></arrayData>";
}

/// "f0@0+1 padding@1+7 f1@8+8": offset and size, "?" where they vary.
QString printed(const QList<LayoutPart>& parts) {
  QStringList words;
  const auto number = [](const std::optional<int>& n) {
    return n ? QString::number(*n) : QString("?");
  };
  for (const LayoutPart& p : parts) {
    words << p.name + '@' + number(p.offset) + '+' + number(p.size);
  }
  return words.join(' ');
}

}  // namespace

class TestDataLayout : public QObject {
  Q_OBJECT

 private slots:
  void laysOutDatatypes_data() {
    QTest::addColumn<QString>("types");
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("size");  // -1: varies
    QTest::addColumn<int>("boundary");
    QTest::addColumn<QString>("leaves");
    const auto row = [](const char* tag, const std::string& types, const char* name, int size,
                        int boundary, const char* leaves) {
      QTest::newRow(tag) << QString::fromStdString(types) << name << size << boundary << leaves;
    };
    row("basic", "", "HLAinteger32BE", 4, 4, "HLAinteger32BE@0+4");
    row("simple", "", "HLAcount", 4, 4, "HLAcount@0+4");
    row("enumerated", "", "HLAboolean", 4, 4, "HLAboolean@0+4");
    row("record without padding", record("R", {"HLAfloat64BE", "HLAinteger32BE"}), "R", 12, 8,
        "f0@0+8 f1@8+4");
    // IEEE 1516.2-2010, 4.13.9: a field starts at a multiple of its octet boundary, and nothing
    // follows the last one.
    row("record with padding", record("R", {"HLAoctet", "HLAfloat64BE", "HLAinteger16BE"}), "R", 18,
        8, "f0@0+1 padding@1+7 f1@8+8 f2@16+2");
    row("nested record",
        record("P", {"HLAoctet", "HLAinteger32BE"}) + record("R", {"HLAoctet", "P"}), "R", 12, 4,
        "f0@0+1 padding@1+3 f1.f0@4+1 padding@5+3 f1.f1@8+4");
    row("fixed array", array("A", "HLAinteger16BE", "3", "HLAfixedArray"), "A", 6, 2,
        "[0]@0+2 [1]@2+2 [2]@4+2");
    // Padding between elements, none behind the last.
    row("fixed array of records",
        record("P", {"HLAinteger32BE", "HLAoctet"}) + array("A", "P", "2", "HLAfixedArray"), "A",
        13, 4, "[0].f0@0+4 [0].f1@4+1 padding@5+3 [1].f0@8+4 [1].f1@12+1");
    row("two-dimensional array", array("A", "HLAoctet", "2,2", "HLAfixedArray"), "A", 4, 1,
        "[0]@0+1 [1]@1+1 [2]@2+1 [3]@3+1");
    row("empty array", "", "HLAtoken", 0, 1, "");
    row("string", "", "HLAunicodeString", -1, 4, "count@0+4 elements@4+?");
    row("array of doubles", array("A", "HLAfloat64BE", "Dynamic", "HLAvariableArray"), "A", -1, 8,
        "count@0+4 padding@4+4 elements@8+?");
    row("behind a variable part", record("R", {"HLAoctet", "HLAASCIIstring", "HLAoctet"}), "R", -1,
        4, "f0@0+1 padding@1+3 f1@4+? f2@?+1");
    row("variant",
        "<enumeratedData><name>K</name><representation>HLAoctet</representation></enumeratedData>"
        "<variantRecordData><name>V</name><discriminant>kind</discriminant><dataType>K</dataType>"
        "<alternative><enumerator>A</enumerator><name>a</name><dataType>HLAfloat64BE</dataType>"
        "</alternative><alternative><enumerator>B</enumerator><name>b</name><dataType>HLAoctet"
        "</dataType></alternative><encoding>HLAvariantRecord</encoding></variantRecordData>",
        "V", -1, 8, "kind@0+1 a@8+8 b@8+1");
    row("foreign encoding", array("A", "HLAfloat64BE", "Dynamic", "RPRlengthlessArray"), "A", -1, 8,
        "elements@0+?");
    row("tree of arrays",
        record("Node", {"HLAinteger32BE", "Nodes"}) +
            array("Nodes", "Node", "Dynamic", "HLAvariableArray"),
        "Node", -1, 4, "f0@0+4 f1@4+?");
  }
  void laysOutDatatypes() {
    QFETCH(QString, types);
    QFETCH(QString, name);
    QFETCH(int, size);
    QFETCH(int, boundary);
    QFETCH(QString, leaves);
    const omt::ObjectModel model = modelWith(types.toStdString());
    const DataLayout layout = layoutOf(model, name);
    QVERIFY2(layout.problem.isEmpty(), qPrintable(layout.problem));
    QCOMPARE(layout.size.value_or(-1), size);
    QCOMPARE(layout.boundary, boundary);
    QCOMPARE(printed(layout.leaves), leaves);
  }

  void saysWhyThereIsNoLayout() {
    const omt::ObjectModel model =
        modelWith(record("R", {"R"}) + record("S", {"T", "T"}) + record("T", {"S", "S"}));
    QVERIFY(layoutOf(model, "Nothing").problem.contains("Nothing"));
    QVERIFY(layoutOf(model, "R").problem.contains("contains itself"));
    QVERIFY(layoutOf(model, "S").problem.contains("contains itself"));
  }

  void wideTypesStaySmallToShow() {
    std::string types = record("T0", {"HLAoctet", "HLAoctet"});
    for (int i = 1; i < 30; ++i) {
      const std::string below = "T" + std::to_string(i - 1);
      types += record("T" + std::to_string(i), {below, below});
    }
    types += array("Huge", "HLAfloat64BE", "2000000000", "HLAfixedArray");
    const omt::ObjectModel model = modelWith(types);
    QVERIFY(layoutOf(model, "T29").leaves.size() <= 256);
    QVERIFY(!layoutOf(model, "Huge").size.has_value());
  }

  void encodesAndDecodesExamples_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("hex");
    QTest::newRow("double") << "HLAfloat64BE"
                            << "50.04"
                            << "404905 1eb851eb85";
    QTest::newRow("double, little") << "HLAfloat64LE"
                                    << "1"
                                    << "000000000000f03f";
    QTest::newRow("float") << "HLAfloat32BE"
                           << "-2.5"
                           << "c0200000";
    QTest::newRow("integer") << "HLAinteger32BE"
                             << "-2"
                             << "fffffffe";
    QTest::newRow("integer, little") << "HLAinteger16LE"
                                     << "258"
                                     << "0201";
    QTest::newRow("long") << "HLAinteger64BE"
                          << "-9223372036854775808"
                          << "8000000000000000";
    QTest::newRow("enumerator") << "HLAboolean"
                                << "HLAtrue"
                                << "00000001";
    QTest::newRow("octet") << "HLAoctet"
                           << "7f"
                           << "7f";
  }
  void encodesAndDecodesExamples() {
    QFETCH(QString, type);
    QFETCH(QString, value);
    QFETCH(QString, hex);
    const omt::ObjectModel model = modelWith("");
    const DataLayout layout = layoutOf(model, type);
    QCOMPARE(layout.leaves.size(), 1);
    const auto octets = encodeLeaf(layout.leaves[0], value);
    QVERIFY(octets);
    QCOMPARE(octets->toHex(), QString(hex).remove(' ').toLatin1());
    QCOMPARE(decodeLeaf(layout.leaves[0], *octets), value);
  }

  void aLeadingZeroIsDecimal() {
    const omt::ObjectModel model = modelWith("");
    const auto hex = [&](const char* type, const char* value) {
      const auto octets = encodeLeaf(layoutOf(model, type).leaves.at(0), value);
      return octets ? octets->toHex() : QByteArray("refused");
    };
    QCOMPARE(hex("HLAinteger16BE", "010"), QByteArray("000a"));
    QCOMPARE(hex("HLAinteger16BE", "-010"), QByteArray("fff6"));
    QCOMPARE(hex("HLAinteger16BE", "09"), QByteArray("0009"));
    QCOMPARE(hex("HLAinteger16BE", "0x10"), QByteArray("0010"));
    QCOMPARE(hex("HLAinteger16BE", "-0X10"), QByteArray("fff0"));
  }

  void refusesWhatDoesNotFit_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("value");
    QTest::newRow("too large") << "HLAinteger16BE"
                               << "32768";
    QTest::newRow("too small") << "HLAinteger16BE"
                               << "-32769";
    QTest::newRow("no number") << "HLAinteger32BE"
                               << "ten";
    QTest::newRow("fraction") << "HLAinteger32BE"
                              << "1.5";
    QTest::newRow("no double") << "HLAfloat64BE"
                               << "";
    QTest::newRow("no enumerator") << "HLAboolean"
                                   << "maybe";
    QTest::newRow("two octets") << "HLAoctet"
                                << "0102";
  }
  void refusesWhatDoesNotFit() {
    QFETCH(QString, type);
    QFETCH(QString, value);
    const omt::ObjectModel model = modelWith("");
    const DataLayout layout = layoutOf(model, type);
    QString why;
    QVERIFY(!encodeLeaf(layout.leaves.at(0), value, &why));
    QVERIFY(!why.isEmpty());
  }

  void parsesHexadecimalText() {
    QCOMPARE(*parseHex("40 49\n05"), QByteArray("\x40\x49\x05"));
    QVERIFY(!parseHex("4"));
    QVERIFY(!parseHex("4g"));
    QVERIFY(parseHex("")->isEmpty());
  }
};

QTEST_GUILESS_MAIN(TestDataLayout)
#include "tst_data_layout.moc"
