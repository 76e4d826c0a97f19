// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDirIterator>
#include <QFile>
#include <QStringConverter>
#include <QTest>
#include <functional>
#include <random>

#include "fom-editor/model/element_order.h"
#include "fom-editor/model/module_edits.h"
#include "omt/reader.h"
#include "test_models.h"

using namespace tutti::fomedit;
namespace omt = tutti::omt;

namespace {

std::string content(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
  return file.readAll().toStdString();
}

ModuleSource parsed(const std::string& bytes) {
  auto source = ModuleSource::parse(bytes, "Test.xml");
  if (!source) qFatal("%s", source.error().toText().c_str());
  return std::move(*source);
}

QStringList lines(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).split('\n');
}

/// The lines between the first and the last that differ, "-" of the one and "+" of the other.
QStringList changed(std::string_view before, std::string_view after) {
  QStringList a = lines(before);
  QStringList b = lines(after);
  while (!a.isEmpty() && !b.isEmpty() && a.first() == b.first()) a.removeFirst(), b.removeFirst();
  while (!a.isEmpty() && !b.isEmpty() && a.last() == b.last()) a.removeLast(), b.removeLast();
  QStringList all;
  for (const QString& line : a) all << "-" + line;
  for (const QString& line : b) all << "+" + line;
  return all;
}

QStringList modulesOfTheSource() {
  QStringList paths;
  for (const char* folder :
       {"/resources/components", "/resources/templates", "/tests/fom-editor/data", "/tests/rti",
        "/tests/conformance", "/rti-embedded/omt"}) {
    QDirIterator files(QStringLiteral(TUTTI_SOURCE_DIR) + folder, {"*.xml"}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) paths << files.next();
  }
  paths.sort();
  return paths;
}

QStringList realModules() {
  const QString given = qEnvironmentVariable("TUTTI_FOMS");
  QDirIterator files(given.isEmpty() ? QStringLiteral(TUTTI_SOURCE_DIR "/../shared/foms") : given,
                     {"*.xml"}, QDir::Files, QDirIterator::Subdirectories);
  QStringList paths;
  while (files.hasNext()) {
    const QString path = files.next();
    if (!path.contains("/broken/")) paths << path;
  }
  paths.sort();
  return paths;
}

constexpr const char* k2010 = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- kept -->
<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010">
    <modelIdentification>
        <name>Test</name> <!-- a name -->
        <type>FOM</type>
    </modelIdentification>
    <objects>
        <objectClass>
            <name>HLAobjectRoot</name>
            <objectClass>
                <name>A</name>
                <sharing>PublishSubscribe</sharing>
                <!-- about x -->
                <attribute notes="n1">
                    <name>x</name>
                    <dataType>Length</dataType>
                    <order>Receive</order>
                </attribute> <!-- behind x -->
                <objectClass>
                    <name>B</name>
                    <sharing>Publish</sharing>
                    <semantics>first
  second</semantics>
                    <more xmlns="urn:other">&amp;</more>
                </objectClass>
            </objectClass>
            <objectClass>
                <name>C</name>
            </objectClass>
        </objectClass>
    </objects>
    <interactions/>
    <dimensions></dimensions>
    <dataTypes>
        <simpleDataTypes>
            <simpleData><name>Length</name><representation>HLAfloat64BE</representation></simpleData>
        </simpleDataTypes>
    </dataTypes>
    <notes><note><label>n1</label><semantics>s</semantics></note></notes>
</objectModel>
)";

constexpr const char* k2000 = R"(<?xml version="1.0"?>
<objectModel DTDversion="1516.2" name="Old" type="FOM">
  <objects>
    <objectClass name="HLAobjectRoot" sharing="Neither">
      <objectClass name='A' sharing="Publish">
        <attribute name="x" dataType="Length"
                   dimensions="D E"/>
      </objectClass>
    </objectClass>
  </objects>
  <interactions/>
  <dimensions>
    <dimension name="D" dataType="Length"/>
  </dimensions>
  <dataTypes>
    <simpleDataTypes>
      <simpleData name="Length" representation="HLAfloat64BE"/>
    </simpleDataTypes>
  </dataTypes>
</objectModel>
)";

constexpr const char* kOneLine =
    "<m:objectModel xmlns:m=\"http://standards.ieee.org/IEEE1516-2010\"><m:objects><m:objectClass>"
    "<m:name>HLAobjectRoot</m:name></m:objectClass></m:objects></m:objectModel>";

using Operation = std::function<Splices(const ModuleSource&)>;

ElementId classNamed(const ModuleSource& s, const char* name) { return findClass(s, true, name); }
ElementId attributeX(const ModuleSource& s) {
  return findRow(s, classNamed(s, "HLAobjectRoot.A"), "attribute", "x");
}
ElementId dataTypeLength(const ModuleSource& s) {
  return findRow(s, findTable(s, {"dataTypes", "simpleDataTypes"}), "simpleData", "Length");
}

NewElement cell(const char* name, std::string text) { return {name, std::move(text), {}, {}}; }

/// Edits of every kind, at random places of a module.
class RandomEdits {
 public:
  RandomEdits(ModuleSource& source, unsigned seed) : source_(source), random_(seed) {}

  /// Lines of the module before and after that may differ at most; nothing: not to be told.
  struct Edit {
    Splices splices;
    QString what;
    std::optional<int> linesBefore;
    std::optional<int> linesAfter;
  };

  Edit next() {
    for (;;) {
      Edit edit = one();
      if (!edit.splices.empty()) return edit;
    }
  }

 private:
  std::size_t upTo(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  bool often() { return upTo(4) != 0; }

  std::vector<ElementId> all(const std::vector<std::string_view>& names) const {
    std::vector<ElementId> ids;
    for (ElementId id = 1; id < source_.elements().size(); ++id) {
      const std::string_view name = source_.nameOf(id);
      const std::string_view parent = source_.nameOf(source_.at(id).parent);
      if (name == "dimension" && source_.at(source_.at(id).parent).parent != ModuleSource::root()) {
        continue;
      }
      if (name == "attribute" && parent != "objectClass") continue;
      if (std::find(names.begin(), names.end(), name) != names.end()) ids.push_back(id);
    }
    return ids;
  }
  ElementId any(const std::vector<std::string_view>& names) {
    const std::vector<ElementId> ids = all(names);
    return ids.empty() ? noElement : ids[upTo(ids.size())];
  }
  std::string newName() { return "New" + std::to_string(++names_); }
  std::string prose() {
    static const std::array<std::string, 6> words{
        "plain", "a < b && c > d", "line one\nline two", "\"quoted\" 'text'", "größer – €", "]]>"};
    return words[upTo(words.size())];
  }
  int linesOf(ElementId id) const {
    return static_cast<int>(lines(source_.text(source_.at(id).whole)).size());
  }
  int depthOf(ElementId id) const {
    int depth = 0;
    for (; id != noElement; id = source_.at(id).parent) ++depth;
    return depth;
  }
  bool isRoot(ElementId id) const {
    const std::string_view above = source_.nameOf(source_.at(id).parent);
    return above == "objects" || above == "interactions";
  }

  Edit added(ElementId parent, const NewElement& row) {
    if (parent == noElement || depthOf(parent) > 40) return {};
    // An empty tag or a pair of tags becomes several lines.
    const int before = source_.at(parent).firstChild == noElement ? linesOf(parent) : 1;
    return {addElement(source_, parent, row), "add", before, 100};
  }

  Edit one() {
    const std::vector<std::string_view> rows{"objectClass", "interactionClass", "attribute",
                                             "parameter",   "simpleData",       "arrayData",
                                             "field",       "fixedRecordData"};
    switch (upTo(14)) {
      case 0:
      case 1: {
        const ElementId row = any(rows);
        if (row == noElement) return {};
        const ElementId old = source_.child(row, "semantics");
        return {setCell(source_, row, "semantics", prose()), "set semantics",
                old == noElement ? 1 : linesOf(old) + 1, 4};
      }
      case 2: {
        const ElementId row = any(rows);
        if (row == noElement) return {};
        const ElementId old = source_.child(row, "semantics");
        return {removeCell(source_, row, "semantics"), "remove semantics",
                old == noElement ? 2 : linesOf(old) + 1, 1};
      }
      case 3:
        return added(any({"objectClass"}),
                     {"attribute",
                      {},
                      {cell("name", newName()), cell("dataType", "HLAboolean"),
                       cell("order", "TimeStamp"), cell("semantics", prose())},
                      {}});
      case 4:
        return added(
            any({"interactionClass"}),
            {"parameter", {}, {cell("name", newName()), cell("dataType", "HLAboolean")}, {}});
      case 5: {
        const bool object = often();
        return added(
            any({object ? "objectClass" : "interactionClass"}),
            {object ? "objectClass" : "interactionClass",
             {},
             {cell("name", newName()), cell("sharing", "Neither"), cell("semantics", prose())},
             {}});
      }
      case 6: {
        const ElementId row = any({"attribute", "parameter", "enumerator", "field"});
        if (row == noElement) return {};
        return {removeElement(source_, row), "remove member", linesOf(row) + 1, 1};
      }
      case 7: {
        const ElementId row = any({"objectClass", "interactionClass"});
        if (row == noElement || isRoot(row) || linesOf(row) > 60) return {};
        return {removeElement(source_, row), "remove class", linesOf(row) + 1, 1};
      }
      case 8: {
        const ElementId row = any({"objectClass", "interactionClass", "attribute", "parameter",
                                   "simpleData", "enumeratedData", "fixedRecordData", "dimension"});
        if (row == noElement || isRoot(row)) return {};
        return {renameRow(source_, row, newName()), "rename", {}, {}};
      }
      case 9: {
        const bool object = often();
        const char* name = object ? "objectClass" : "interactionClass";
        const ElementId row = any({name});
        const ElementId to = any({name});
        if (row == noElement || isRoot(row) || depthOf(to) > 30 || linesOf(row) > 200) return {};
        return {moveElement(source_, row, to), "move class", {}, {}};
      }
      case 10: {
        const ElementId row = any({"attribute"});
        const ElementId to = any({"objectClass"});
        if (row == noElement || to == noElement) return {};
        return {moveElement(source_, row, to), "move attribute", {}, {}};
      }
      case 11: {
        const NewElement record{
            "fixedRecordData",
            {},
            {cell("name", newName()),
             cell("encoding", "HLAfixedRecord"),
             {"field", {}, {cell("name", newName()), cell("dataType", "HLAboolean")}, {}}},
            {}};
        return {addToTable(source_, {"dataTypes", "fixedRecordDataTypes"}, record),
                "add datatype",
                {},
                {}};
      }
      case 12: {
        if (often()) {
          return {
              addToTable(source_, {"dimensions"},
                         {"dimension", {}, {cell("name", newName()), cell("upperBound", "7")}, {}}),
              "add dimension",
              {},
              {}};
        }
        const ElementId row = any({"dimension", "simpleData", "fixedRecordData", "arrayData"});
        if (row == noElement) return {};
        return {removeElement(source_, row), "remove datatype", linesOf(row) + 1, 1};
      }
      default: {
        const ElementId row = any(rows);
        if (row == noElement) return {};
        return {source_.attribute(row, "notes") ? removeAttribute(source_, row, "notes")
                                                : setAttribute(source_, row, "notes", "n1 n2"),
                "notes",
                {},
                {}};
      }
    }
  }

  ModuleSource& source_;
  std::mt19937 random_;
  int names_ = 0;
};

}  // namespace

class TestModuleSource : public QObject {
  Q_OBJECT

 private slots:
  void aModuleWithoutChangesIsTheSameBytes_data() {
    QTest::addColumn<QByteArray>("bytes");
    for (const QString& path : modulesOfTheSource() + realModules()) {
      QTest::newRow(qPrintable(path)) << QByteArray::fromStdString(content(path));
    }
    QTest::newRow("2010") << QByteArray(k2010);
    QTest::newRow("2000") << QByteArray(k2000);
    QTest::newRow("one line, prefixes") << QByteArray(kOneLine);
    QTest::newRow("no line end at the end") << QByteArray(k2010).trimmed();
    QTest::newRow("CR LF") << QByteArray(k2010).replace("\n", "\r\n");
    QTest::newRow("CR") << QByteArray(k2010).replace("\n", "\r");
    QTest::newRow("byte-order mark") << QByteArray("\xEF\xBB\xBF") + k2010;
    QByteArray latin1 = QByteArray(k2010).replace("UTF-8", "ISO-8859-1").replace("first", "\xFC");
    QTest::newRow("Latin-1") << latin1;
    QTest::newRow("US-ASCII, which it is not")
        << QByteArray(k2010).replace("UTF-8", "US-ASCII").replace("first", "\xC3\xBC");
    QTest::newRow("Windows-1252")
        << latin1.replace("ISO-8859-1", "windows-1252").replace("second", "\x93quoted\x94 \x80");
    const QString text = QString(k2010).replace("UTF-8", "UTF-16").replace("first", "😀 ü");
    for (const bool little : {true, false}) {
      QStringEncoder encoder(little ? QStringConverter::Utf16LE : QStringConverter::Utf16BE,
                             QStringConverter::Flag::WriteBom);
      QTest::addRow("UTF-16 %s", little ? "little endian" : "big endian")
          << QByteArray(encoder.encode(text));
    }
  }
  void aModuleWithoutChangesIsTheSameBytes() {
    QFETCH(QByteArray, bytes);
    const auto source = ModuleSource::parse(bytes.toStdString(), "Test.xml");
    if (!source) {
      // Only what an RTI cannot read either, and what is no object model.
      const auto module = omt::readModule(bytes.toStdString(), "Test.xml");
      QVERIFY2(!module, source.error().toText().c_str());
      QVERIFY(source.error().line > 0);
      return;
    }
    QVERIFY(source->bytes() == bytes.toStdString());
    // Every byte within the first element belongs to a tag or stands between tags.
    for (ElementId id = 0; id < source->elements().size(); ++id) {
      const SourceElement& e = source->at(id);
      QVERIFY(e.whole.begin == e.startTag.begin && e.startTag.end <= e.content.begin);
      QVERIFY(e.content.end <= e.whole.end && e.name.begin == e.startTag.begin + 1);
      QCOMPARE(source->text()[e.whole.begin], '<');
      QCOMPARE(source->text()[e.whole.end - 1], '>');
      if (id % 50 == 0) {
        const std::string_view before = source->text().substr(0, e.whole.begin);
        QCOMPARE(source->lineOf(id), 1 + std::count(before.begin(), before.end(), '\n'));
      }
      QVERIFY(e.isEmptyTag() || source->text({e.content.end, e.whole.end}).starts_with("</"));
      for (const SourceAttribute& a : source->attributes(id)) {
        QVERIFY(a.whole.begin > e.name.end && a.whole.end < e.startTag.end);
        QCOMPARE(source->text()[a.value.end], source->text()[a.value.begin - 1]);
      }
    }
  }

  void theRealModulesAreThere() {
    if (realModules().isEmpty()) QSKIP("no real object models at ../shared/foms or TUTTI_FOMS");
    QVERIFY(realModules().size() > 40);
  }

  void anOperationChangesItsLinesOnly_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<Operation>("operation");
    QTest::addColumn<QStringList>("difference");
    const QString text = k2010;
    const auto row = [&](const char* name, const QString& before, Operation operation,
                         const QStringList& difference) {
      QTest::newRow(name) << before << std::move(operation) << difference;
    };
    row("set a cell", text,
        [](const ModuleSource& s) { return setCell(s, attributeX(s), "dataType", "A < B"); },
        {"-                    <dataType>Length</dataType>",
         "+                    <dataType>A &lt; B</dataType>"});
    row("set a cell to what it is", text,
        [](const ModuleSource& s) { return setCell(s, attributeX(s), "dataType", "Length"); }, {});
    row("a cell in its place by the schema", text,
        [](const ModuleSource& s) { return setCell(s, attributeX(s), "ownership", "Divest"); },
        {"+                    <ownership>Divest</ownership>"});
    row("the last cell", text,
        [](const ModuleSource& s) { return setCell(s, attributeX(s), "semantics", "s"); },
        {"+                    <semantics>s</semantics>"});
    row("a cell with a comment behind it", text,
        [](const ModuleSource& s) {
          return setCell(s, findTable(s, {"modelIdentification"}), "name", "Other");
        },
        {"-        <name>Test</name> <!-- a name -->",
         "+        <name>Other</name> <!-- a name -->"});
    row("a cell of a row on one line", text,
        [](const ModuleSource& s) { return setCell(s, dataTypeLength(s), "units", "m"); },
        {"-            <simpleData><name>Length</name><representation>HLAfloat64BE</representation>"
         "</simpleData>",
         "+            <simpleData><name>Length</name><representation>HLAfloat64BE</representation>"
         "<units>m</units></simpleData>"});
    row("remove a cell", text,
        [](const ModuleSource& s) { return removeCell(s, attributeX(s), "order"); },
        {"-                    <order>Receive</order>"});
    row("an XML attribute", text,
        [](const ModuleSource& s) { return setAttribute(s, attributeX(s), "notes", "n1 \"2\""); },
        {"-                <attribute notes=\"n1\">",
         "+                <attribute notes=\"n1 &quot;2&quot;\">"});
    row("remove an XML attribute", text,
        [](const ModuleSource& s) { return removeAttribute(s, attributeX(s), "notes"); },
        {"-                <attribute notes=\"n1\">", "+                <attribute>"});
    row("add an attribute", text,
        [](const ModuleSource& s) {
          return addElement(s, classNamed(s, "HLAobjectRoot.A"),
                            {"attribute", {}, {cell("name", "y"), cell("dataType", "Length")}, {}});
        },
        {"+                <attribute>", "+                    <name>y</name>",
         "+                    <dataType>Length</dataType>", "+                </attribute>"});
    row("add a class below one that has none", text,
        [](const ModuleSource& s) {
          return addElement(s, classNamed(s, "HLAobjectRoot.C"),
                            {"objectClass", {}, {cell("name", "D")}, {}});
        },
        {"+                <objectClass>", "+                    <name>D</name>",
         "+                </objectClass>"});
    row("before what the schemas do not know", text,
        [](const ModuleSource& s) {
          return addElement(s, classNamed(s, "HLAobjectRoot.A.B"),
                            {"attribute", {}, {cell("name", "y")}, {}});
        },
        {"+                    <attribute>", "+                        <name>y</name>",
         "+                    </attribute>"});
    row("the first interaction class", text,
        [](const ModuleSource& s) {
          return addElement(s, findTable(s, {"interactions"}),
                            {"interactionClass", {}, {cell("name", "HLAinteractionRoot")}, {}});
        },
        {"-    <interactions/>", "+    <interactions>", "+        <interactionClass>",
         "+            <name>HLAinteractionRoot</name>", "+        </interactionClass>",
         "+    </interactions>"});
    row("the first dimension", text,
        [](const ModuleSource& s) {
          return addToTable(s, {"dimensions"}, {"dimension", {}, {cell("name", "D")}, {}});
        },
        {"-    <dimensions></dimensions>", "+    <dimensions>", "+        <dimension>",
         "+            <name>D</name>", "+        </dimension>", "+    </dimensions>"});
    row("a table that is not there", text,
        [](const ModuleSource& s) {
          return addToTable(s, {"dataTypes", "enumeratedDataTypes"},
                            {"enumeratedData", {}, {cell("name", "E")}, {}});
        },
        {"+        <enumeratedDataTypes>", "+            <enumeratedData>",
         "+                <name>E</name>", "+            </enumeratedData>",
         "+        </enumeratedDataTypes>"});
    row("remove a class; comments beside it stay", text,
        [](const ModuleSource& s) { return removeElement(s, attributeX(s)); },
        {"-                <attribute notes=\"n1\">", "-                    <name>x</name>",
         "-                    <dataType>Length</dataType>",
         "-                    <order>Receive</order>",
         "-                </attribute> <!-- behind x -->", "+                 <!-- behind x -->"});
    row("move a class out; prose stays as it is", text,
        [](const ModuleSource& s) {
          return moveElement(s, classNamed(s, "HLAobjectRoot.A.B"), classNamed(s, "HLAobjectRoot"),
                             classNamed(s, "HLAobjectRoot.A"));
        },
        {"-                <objectClass>", "-                    <name>B</name>",
         "-                    <sharing>Publish</sharing>", "-                    <semantics>first",
         "-  second</semantics>", "-                    <more xmlns=\"urn:other\">&amp;</more>",
         "-                </objectClass>", "+            </objectClass>",
         "+            <objectClass>", "+                <name>B</name>",
         "+                <sharing>Publish</sharing>", "+                <semantics>first",
         "+  second</semantics>", "+                <more xmlns=\"urn:other\">&amp;</more>"});
    row("rename a class", text,
        [](const ModuleSource& s) { return renameRow(s, classNamed(s, "HLAobjectRoot.C"), "D"); },
        {"-                <name>C</name>", "+                <name>D</name>"});
    const QString old = k2000;
    row("2000: set a cell", old,
        [](const ModuleSource& s) { return setCell(s, attributeX(s), "dataType", "A\"B"); },
        {"-        <attribute name=\"x\" dataType=\"Length\"",
         "+        <attribute name=\"x\" dataType=\"A&quot;B\""});
    row("2000: add a cell", old,
        [](const ModuleSource& s) {
          return setCell(s, classNamed(s, "HLAobjectRoot.A"), "semantics", "x\ny");
        },
        {"-      <objectClass name='A' sharing=\"Publish\">",
         "+      <objectClass name='A' sharing=\"Publish\" semantics=\"x&#10;y\">"});
    row("2000: remove a cell", old,
        [](const ModuleSource& s) { return removeCell(s, attributeX(s), "dimensions"); },
        {"-        <attribute name=\"x\" dataType=\"Length\"",
         "-                   dimensions=\"D E\"/>",
         "+        <attribute name=\"x\" dataType=\"Length\"/>"});
    row("2000: add a class", old,
        [](const ModuleSource& s) {
          return addElement(
              s, classNamed(s, "HLAobjectRoot.A"),
              {"objectClass",
               {},
               {cell("name", "B"),
                {"attribute",
                 {},
                 {cell("name", "y"), {"dimensions", {}, {cell("dimension", "D")}, {}}},
                 {}}},
               {}});
        },
        {"+        <objectClass name=\"B\">", "+          <attribute name=\"y\" dimensions=\"D\"/>",
         "+        </objectClass>"});
    row("2000: rename a dimension", old,
        [](const ModuleSource& s) {
          return renameRow(s, findRow(s, findTable(s, {"dimensions"}), "dimension", "D"), "F");
        },
        {"-                   dimensions=\"D E\"/>", "-      </objectClass>", "-    </objectClass>",
         "-  </objects>", "-  <interactions/>", "-  <dimensions>",
         "-    <dimension name=\"D\" dataType=\"Length\"/>",
         "+                   dimensions=\"F E\"/>", "+      </objectClass>", "+    </objectClass>",
         "+  </objects>", "+  <interactions/>", "+  <dimensions>",
         "+    <dimension name=\"F\" dataType=\"Length\"/>"});
    const QString line = kOneLine;
    row("on one line, with the prefix", line,
        [](const ModuleSource& s) {
          return addElement(s, classNamed(s, "HLAobjectRoot"),
                            {"objectClass", {}, {cell("name", "A")}, {}});
        },
        {"-" + line,
         "+" + QString(line).replace(
                   "</m:objectClass>",
                   "<m:objectClass><m:name>A</m:name></m:objectClass></m:objectClass>")});
  }
  void anOperationChangesItsLinesOnly() {
    QFETCH(QString, before);
    QFETCH(Operation, operation);
    QFETCH(QStringList, difference);
    for (const QString& lineEnd : {QStringLiteral("\n"), QStringLiteral("\r\n")}) {
      const std::string bytes = QString(before).replace("\n", lineEnd).toStdString();
      ModuleSource source = parsed(bytes);
      const auto applied = source.apply(operation(source));
      QVERIFY2(applied, applied ? "" : applied.error().toText().c_str());
      const std::string after = source.bytes();
      QCOMPARE(changed(bytes, after).replaceInStrings("\r", ""), difference);
      if (lineEnd == "\r\n") {
        QCOMPARE(std::count(after.begin(), after.end(), '\r'),
                 std::count(after.begin(), after.end(), '\n'));
      }
      const auto module = omt::readModule(after, "Test.xml");
      QVERIFY2(module, module ? "" : module.error().toText().c_str());
      QCOMPARE(source.canUndo(), !difference.isEmpty());
      const int last = static_cast<int>(std::count(after.begin(), after.end(), '\n'));
      QCOMPARE(source.lineOf(source.text().size()), last + 1);
      source.undo();
      QVERIFY(source.bytes() == bytes);
      source.redo();
      QVERIFY(source.bytes() == after);
    }
  }

  void cellsStandInTheOrderOfTheSchemas() {
    std::mt19937 random(2010);
    const std::array<const char*, 10> attribute{
        "name",    "dataType",   "updateType",     "updateCondition", "ownership",
        "sharing", "dimensions", "transportation", "order",           "semantics"};
    for (int i = 0; i < 20; ++i) {
      // What the schemas do not know stays last.
      ModuleSource source = parsed(
          "<objectModel>\n  <objects>\n    <objectClass>\n      <name>HLAobjectRoot</name>\n"
          "      <attribute>\n        <more/>\n      </attribute>\n    </objectClass>\n"
          "  </objects>\n</objectModel>\n");
      const ElementId row = source.child(classNamed(source, "HLAobjectRoot"), "attribute");
      std::array<const char*, 10> cells = attribute;
      std::shuffle(cells.begin(), cells.end(), random);
      for (const char* name : cells) QVERIFY(source.apply(setCell(source, row, name, "x")));
      QStringList found;
      for (const ElementId c : source.children(row)) {
        found << QString::fromStdString(std::string(source.nameOf(c)));
        QCOMPARE(source.text()[source.at(c).whole.begin - 9], '\n');
      }
      QStringList expected(attribute.begin(), attribute.end());
      QCOMPARE(found, expected << "more");
    }
    // A row goes behind the others of its name, a table to its place in the module.
    ModuleSource source = parsed(k2010);
    QVERIFY(source.apply(addElement(source, classNamed(source, "HLAobjectRoot.A"),
                                    {"attribute", {}, {cell("name", "y")}, {}})));
    const ElementId x = attributeX(source);
    QCOMPARE(rowName(source, source.at(x).next), std::string("y"));
    QCOMPARE(source.nameOf(source.at(source.at(x).next).next), std::string_view("objectClass"));
    QVERIFY(
        source.apply(addToTable(source, {"updateRates"},
                                {"updateRate", {}, {cell("name", "Low"), cell("rate", "1")}, {}})));
    const ElementId table = findTable(source, {"updateRates"});
    QCOMPARE(source.nameOf(source.at(table).previous), std::string_view("dimensions"));
    QCOMPARE(source.nameOf(source.at(table).next), std::string_view("dataTypes"));
  }

  void whatRefersToARowFollowsItsName() {
    std::string text = k2010;
    ModuleSource source = parsed(text);
    QVERIFY(source.apply(renameRow(source, dataTypeLength(source), "Metres")));
    const ElementId note = findRow(source, findTable(source, {"notes"}), "note", "n1");
    QVERIFY(source.apply(renameRow(source, note, "first")));
    for (const auto& [from, to] :
         {std::pair("<dataType>Length<", "<dataType>Metres<"),
          std::pair("<simpleData><name>Length<", "<simpleData><name>Metres<"),
          std::pair("notes=\"n1\"", "notes=\"first\""), std::pair("<label>n1<", "<label>first<")}) {
      text.replace(text.find(from), std::string_view(from).size(), to);
    }
    QCOMPARE(source.bytes(), text);
  }

  void whatTheFilesEncodingLacksBecomesAReference() {
    const std::string bytes =
        QByteArray(k2010).replace("UTF-8", "ISO-8859-1").replace("first", "\xFC").toStdString();
    ModuleSource source = parsed(bytes);
    QVERIFY(source.apply(setCell(source, attributeX(source), "semantics", "ä €")));
    QVERIFY(source.bytes().find("<semantics>\xE4 &#8364;</semantics>") != std::string::npos);
    QVERIFY(source.bytes().find("\xFC\n") != std::string::npos);
    QCOMPARE(cellOf(source, attributeX(source), "semantics").value_or(""), std::string("ä €"));
  }

  /// A reference is none in a CDATA section, so the section is split.
  void whatCDataLacksStaysTheSameText() {
    const std::string bytes = QByteArray(k2010)
                                  .replace("UTF-8", "ISO-8859-1")
                                  .replace("<name>C</name>", "<name>C</name><!-- \xFC -->")
                                  .toStdString();
    ModuleSource source = parsed(bytes);
    const ElementId b = classNamed(source, "HLAobjectRoot.A.B");
    QVERIFY(source.apply(replaceContent(source, source.child(b, "semantics"),
                                        "ü €<!-- < € --><![CDATA[<ü> €‚]]]]><![CDATA[>€]]>")));
    QVERIFY2(
        source.bytes().find(
            "\xFC &#8364;<!-- < &#8364; --><![CDATA[<\xFC> ]]>&#8364;<![CDATA[]]>&#8218;<![CDATA["
            "]]]]><![CDATA[>]]>&#8364;<![CDATA[]]>") != std::string::npos,
        source.bytes().c_str());
    const ModuleSource again = parsed(source.bytes());
    QCOMPARE(cellOf(again, classNamed(again, "HLAobjectRoot.A.B"), "semantics").value_or(""),
             std::string("ü €<ü> €‚]]>€"));
    source.undo();
    QCOMPARE(source.bytes(), bytes);
  }

  void usAsciiEndsAt7F() {
    const QByteArray bytes = QByteArray(k2010).replace("UTF-8", "US-ASCII");
    ModuleSource source = parsed(bytes.toStdString());
    QCOMPARE(source.bytes(), bytes.toStdString());
    QVERIFY(source.apply(setCell(source, attributeX(source), "semantics", "\x7F ü")));
    QVERIFY(source.bytes().find("<semantics>\x7F &#252;</semantics>") != std::string::npos);
    QCOMPARE(cellOf(source, attributeX(source), "semantics").value_or(""), std::string("\x7F ü"));
  }

  /// A file that says so wrongly is edited as what it is, and its bytes stay.
  void whatIsNoUsAsciiIsUtf8() {
    const QByteArray bytes =
        QByteArray(k2010).replace("UTF-8", "US-ASCII").replace("first", "\xC3\xBC");
    ModuleSource source = parsed(bytes.toStdString());
    QVERIFY(source.apply(setCell(source, attributeX(source), "semantics", "\xE2\x82\xAC")));
    const std::string edited = source.bytes();
    QVERIFY(edited.find("<semantics>\xE2\x82\xAC</semantics>") != std::string::npos);
    QVERIFY(edited.find("US-ASCII") != std::string::npos);
    source.undo();
    QCOMPARE(source.bytes(), bytes.toStdString());
  }

  void aChangeThatCannotBeIsRefused() {
    ModuleSource source = parsed(k2010);
    const auto refused = [&](Splices splices) {
      const auto applied = source.apply(std::move(splices));
      return !applied && !applied.error().message.empty() && source.bytes() == k2010 &&
             !source.canUndo();
    };
    QVERIFY(refused({{10, 5, "x"}, {12, 1, "y"}}));
    QVERIFY(refused({{source.text().size(), 1, ""}}));
    QVERIFY(refused({{source.at(0).content.begin, 0, "<open>"}}));
    QVERIFY(refused(setCell(source, attributeX(source), "semantics", "a\x01")));
    QVERIFY(refused({{0, source.at(0).whole.end, "<other/>"}}));
    std::string deep;
    for (int i = 0; i < 300; ++i) deep += "<a>";
    for (int i = 0; i < 300; ++i) deep += "</a>";
    QVERIFY(refused({{source.at(0).content.begin, 0, deep}}));
    // A class goes nowhere below itself; the first element stays.
    QVERIFY(moveElement(source, classNamed(source, "HLAobjectRoot.A"),
                        classNamed(source, "HLAobjectRoot.A.B"))
                .empty());
    QVERIFY(removeElement(source, ModuleSource::root()).empty());
  }

  void whatIsNoModuleIsSaid_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("error");
    const QByteArray text = k2010;
    QTest::newRow("empty") << QByteArray() << "Test.xml:1: Not well-formed XML: no element found. ";
    QTest::newRow("another root") << QByteArray("\n<a/>")
                                  << "Test.xml:2: The root element is <a>, not <objectModel>. ";
    QTest::newRow("cut") << text.left(text.indexOf("<order>"))
                         << "Test.xml:18: Not well-formed XML: no element found. ";
    QTest::newRow("a NUL") << QByteArray(text).replace("first", QByteArray("a\0b", 3))
                           << "Test.xml:23: Not well-formed XML: ";
    QTest::newRow("tags do not match") << QByteArray(text).replace("</order>", "</ordre>")
                                       << "Test.xml:18: Not well-formed XML: mismatched tag. ";
    QTest::newRow("entities")
        << QByteArray("<!DOCTYPE objectModel [<!ENTITY a \"b\">]>\n<objectModel/>")
        << "Test.xml:1: The file declares XML entities, which are not expanded. ";
    QTest::newRow("another encoding") << QByteArray(text).replace("UTF-8", "KOI8-R")
                                      << "Test.xml:1: The file is in KOI8-R, which is not edited. ";
    QTest::newRow("neither US-ASCII nor UTF-8")
        << QByteArray(text).replace("UTF-8", "US-ASCII").replace("first", "\xFC")
        << "Test.xml:23: Not well-formed XML: ";
    QTest::newRow("half a character of UTF-16")
        << QByteArray("\xFF\xFE<\0a", 5) << "Test.xml:1: The file is not in UTF-16 to its end. ";
  }
  void whatIsNoModuleIsSaid() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, error);
    const auto source = ModuleSource::parse(bytes.toStdString(), "Test.xml");
    QVERIFY(!source);
    const QString text = QString::fromStdString(source.error().toText());
    QVERIFY2(text.startsWith(error.trimmed()), qPrintable(text));
  }

  void tenThousandRandomEditsAreUndone_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("edits");
    const QString data = testmodels::data("AirTraffic-Base.xml");
    QStringList paths{data};
    for (const QString& path : realModules()) {
      for (const char* name :
           {"RestaurantFOMmodule", "RestaurantSoup", "NETN-Repair", "SISO_SpaceFOM_entity",
            "RPR-Physical", "testFederation.xml", "NETN-Physical"}) {
        if (path.contains(QLatin1String(name))) paths << path;
      }
    }
    // As many in all also where the real modules are not there.
    for (const QString& path : paths) {
      QTest::newRow(qPrintable(QFileInfo(path).fileName()))
          << path << static_cast<int>((10'000 + paths.size() - 1) / paths.size());
    }
  }
  void tenThousandRandomEditsAreUndone() {
    QFETCH(QString, path);
    QFETCH(int, edits);
    const std::string first = content(path);
    ModuleSource source = parsed(first);
    RandomEdits random(source, 1516);
    std::string before = first;
    for (int i = 0; i < edits; ++i) {
      const RandomEdits::Edit edit = random.next();
      const auto where = [&] {
        return (QStringLiteral("edit %1, %2\n").arg(i).arg(edit.what) +
                changed(before, source.bytes()).mid(0, 40).join('\n'))
            .toUtf8();
      };
      const auto applied = source.apply(edit.splices);
      QVERIFY2(applied, where() + (applied ? "" : applied.error().toText().c_str()));
      const std::string after = source.bytes();
      const auto module = omt::readModule(after, "Test.xml");
      QVERIFY2(module, where() + (module ? "" : module.error().toText().c_str()));
      if (edit.linesBefore) {
        int removed = 0;
        int added = 0;
        for (const QString& line : changed(before, after)) ++(line[0] == '-' ? removed : added);
        QVERIFY2(removed <= *edit.linesBefore && added <= *edit.linesAfter, where());
      }
      before = after;
    }
    const std::string last = source.bytes();
    while (source.canUndo()) source.undo();
    QVERIFY(source.bytes() == first);
    while (source.canRedo()) source.redo();
    QVERIFY(source.bytes() == last);
  }
};

QTEST_GUILESS_MAIN(TestModuleSource)
#include "tst_module_source.moc"
