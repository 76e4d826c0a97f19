// SPDX-License-Identifier: GPL-3.0-or-later
// Reference datatypes and directed interactions of IEEE 1516.2-2025: read, shown, edited, checked.
#include <QTemporaryDir>
#include <QTest>

#include "fom-editor/model/data_layout.h"
#include "fom-editor/model/difference.h"
#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/module_conversion.h"
#include "fom-editor/model/pages/model_pages.h"
#include "fom-editor/model/reference_checks.h"
#include "fom-editor/model/tables.h"
#include "omt/merge.h"
#include "omt/reader.h"

using namespace tutti::fomedit;
namespace omt = tutti::omt;

namespace {

const std::string kModule =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2025\">"
    R"(
  <modelIdentification><name>Harbour</name><type>FOM</type><version>1</version></modelIdentification>
  <objects>
    <objectClass>
      <name>HLAobjectRoot</name>
      <objectClass>
        <name>Ship</name> <!-- what floats -->
        <sharing>PublishSubscribe</sharing>
        <directedInteraction>
          <name>HLAinteractionRoot.Call</name>
          <sharing>Publish</sharing>
        </directedInteraction>
        <attribute>
          <name>label</name>
          <dataType>Label</dataType>
        </attribute>
        <objectClass>
          <name>Tug</name>
          <sharing>PublishSubscribe</sharing>
        </objectClass>
      </objectClass>
    </objectClass>
  </objects>
  <interactions>
    <interactionClass>
      <name>HLAinteractionRoot</name>
      <interactionClass>
        <name>Call</name>
        <sharing>PublishSubscribe</sharing>
        <transportation>HLAreliable</transportation>
        <order>Receive</order>
        <interactionClass>
          <name>Dock</name>
          <sharing>PublishSubscribe</sharing>
        </interactionClass>
      </interactionClass>
    </interactionClass>
  </interactions>
  <dataTypes>
    <simpleDataTypes>
      <simpleData><name>Number</name><representation>HLAinteger32BE</representation></simpleData>
    </simpleDataTypes>
    <referenceDataTypes>
      <referenceDataType>
        <name>ShipRef</name>
        <representation>Label</representation>
        <referenceClass>HLAobjectRoot.Ship</referenceClass>
        <referencedAttribute>label</referencedAttribute>
        <semantics>A ship</semantics>
      </referenceDataType>
    </referenceDataTypes>
    <fixedRecordDataTypes>
      <fixedRecordData><name>Label</name><encoding>HLAfixedRecord</encoding><field><name>one</name><dataType>Number</dataType></field><field><name>two</name><dataType>Number</dataType></field></fixedRecordData>
    </fixedRecordDataTypes>
  </dataTypes>
</objectModel>
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) qFatal("no %s", std::string(from).c_str());
  return text.replace(at, from.size(), to);
}

struct Edited {
  explicit Edited(const std::string& text, const QString& readOnly = {})
      : before(text), source(*ModuleSource::parse(text, "Harbour.xml")), reason(readOnly) {}
  ModelChanges changes() const {
    return ModelChanges(EditableModules{{&source, QStringLiteral("Harbour.xml"), reason}});
  }
  bool apply(const ModelChanges::Result& change) {
    if (!change) {
      refused = change.error();
      return false;
    }
    for (const auto& [module, splices] : change->changes) {
      if (!source.apply(splices)) return false;
    }
    return true;
  }
  bool undone() {
    while (source.canUndo()) source.undo();
    return source.bytes() == before;
  }

  std::string before;
  ModuleSource source;
  QString reason;
  QString refused;
};

omt::ObjectModel merged(const std::string& text) {
  auto module = omt::readModule(text, "Harbour.xml");
  if (!module) qFatal("%s", module.error().toText().c_str());
  const omt::Module modules[] = {*module};
  auto model = omt::merge(modules);
  if (!model) qFatal("%s", model.error().toText().c_str());
  return std::move(model->model);
}

RowRef type(const QString& name) { return {RowKind::DataType, {}, name, -1, -1}; }
RowRef directed(const QString& name, const QString& of = QStringLiteral("HLAobjectRoot.Ship")) {
  return {RowKind::DirectedInteraction, of, name, -1, -1};
}
const QString kCall = QStringLiteral("HLAinteractionRoot.Call");
const QString kDock = QStringLiteral("HLAinteractionRoot.Call.Dock");

}  // namespace

class TestModel2025 : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void addsReferenceDatatypes() {
    Edited m(kModule);
    QVERIFY2(m.apply(m.changes().addReferenceDataType("AnyRef")), qPrintable(m.refused));
    const std::string added = R"(
      </referenceDataType>
      <referenceDataType>
        <name>AnyRef</name>
        <representation>HLAtoken</representation>
        <referenceClass>HLAobjectRoot</referenceClass>
        <referencedAttribute>HLAprivilegeToDeleteObject</referencedAttribute>
        <semantics>-</semantics>
      </referenceDataType>)";
    QCOMPARE(m.source.bytes(), replaced(kModule, "\n      </referenceDataType>", added));
    QVERIFY(checkReferences(merged(m.source.bytes())).isEmpty());
    QVERIFY(!m.changes().addReferenceDataType("Label"));
    QVERIFY(m.undone());
    // Also where the module has no such table yet.
    Edited bare(replaced(kModule,
                         kModule.substr(kModule.find("    <referenceDataTypes>"),
                                        kModule.find("    <fixedRecordDataTypes>") -
                                            kModule.find("    <referenceDataTypes>")),
                         ""));
    QVERIFY(bare.apply(bare.changes().addReferenceDataType("AnyRef")));
    QVERIFY(bare.source.text().find("</simpleDataTypes>\n    <referenceDataTypes>\n") !=
            std::string_view::npos);
    QVERIFY(merged(bare.source.bytes()).findDataType("AnyRef")->isReference);
    QVERIFY(bare.undone());
  }

  void onlyModulesOf2025HaveThem() {
    Edited m(replaced(kModule, "IEEE1516-2025", "IEEE1516-2010"));
    QVERIFY(!m.apply(m.changes().addReferenceDataType("AnyRef")));
    QVERIFY2(m.refused.contains("2025"), qPrintable(m.refused));
    QVERIFY(!m.apply(m.changes().add(directed(kDock))));
    QVERIFY2(m.refused.contains("2025"), qPrintable(m.refused));
    QCOMPARE(m.source.bytes(), m.before);
  }

  void editsReferenceDatatypes() {
    Edited m(kModule);
    const auto c = m.changes();
    QCOMPARE(c.cell(type("ShipRef"), "referenceClass"), QString("HLAobjectRoot.Ship"));
    QVERIFY(
        c.editorOf(type("ShipRef"), "referenceClass").choices.contains("HLAobjectRoot.Ship.Tug"));
    QCOMPARE(c.editorOf(type("ShipRef"), "referencedAttribute").choices,
             (QStringList{"label", "HLAprivilegeToDeleteObject"}));
    QVERIFY(m.apply(c.setCell(type("ShipRef"), "referenceClass", "HLAobjectRoot.Ship.Tug")));
    QCOMPARE(m.source.bytes(), replaced(kModule, "<referenceClass>HLAobjectRoot.Ship<",
                                        "<referenceClass>HLAobjectRoot.Ship.Tug<"));
    QVERIFY(m.apply(
        m.changes().setCell(type("ShipRef"), "referencedAttribute", "HLAprivilegeToDeleteObject")));
    QVERIFY(m.apply(m.changes().setCell(type("ShipRef"), "representation", "HLAtoken")));
    QVERIFY(m.apply(m.changes().setCell(type("ShipRef"), "semantics", "A tug")));
    const omt::DataType t = *merged(m.source.bytes()).findDataType("ShipRef");
    QCOMPARE(t.referenceClass, std::string("HLAobjectRoot.Ship.Tug"));
    QCOMPARE(t.referencedAttribute, std::string("HLAprivilegeToDeleteObject"));
    QCOMPARE(t.representation, std::string("HLAtoken"));
    QCOMPARE(t.semantics, std::string("A tug"));
    for (const auto& [cell, value] :
         {std::pair("referenceClass", "Boat"), std::pair("referencedAttribute", "colour"),
          std::pair("referenceClass", "")}) {
      QVERIFY2(!m.changes().setCell(type("ShipRef"), cell, value), cell);
    }
    QVERIFY(m.undone());
  }

  void referencesFollowRenames() {
    Edited m(kModule);
    QVERIFY(m.apply(
        m.changes().rename({RowKind::ObjectClass, {}, "HLAobjectRoot.Ship", -1, -1}, "Boat")));
    QVERIFY(m.apply(
        m.changes().rename({RowKind::Attribute, "HLAobjectRoot.Boat", "label", -1, -1}, "sign")));
    QVERIFY(m.apply(m.changes().rename({RowKind::InteractionClass, {}, kCall, -1, -1}, "Hail")));
    QVERIFY(m.apply(m.changes().rename(type("Label"), "Sign")));
    QVERIFY(m.apply(m.changes().rename(type("ShipRef"), "BoatRef")));
    const omt::ObjectModel model = merged(m.source.bytes());
    const omt::DataType& t = *model.findDataType("BoatRef");
    QCOMPARE(t.referenceClass, std::string("HLAobjectRoot.Boat"));
    QCOMPARE(t.referencedAttribute, std::string("sign"));
    QCOMPARE(t.representation, std::string("Sign"));
    QCOMPARE(model.findObjectClass("Boat")->directedInteractions.at(0).name,
             std::string("HLAinteractionRoot.Hail"));
    QVERIFY(checkReferences(model).isEmpty());
    QVERIFY(m.undone());
  }

  void removesThem() {
    Edited m(kModule);
    QVERIFY(m.apply(m.changes().remove({type("ShipRef")})));
    QVERIFY(m.apply(m.changes().remove({directed(kCall)})));
    const omt::ObjectModel model = merged(m.source.bytes());
    QVERIFY(model.findDataType("ShipRef") == nullptr);
    QVERIFY(model.findObjectClass("Ship")->directedInteractions.empty());
    QVERIFY(m.source.text().find("<!-- what floats -->") != std::string_view::npos);
    QVERIFY(m.undone());
  }

  void directsInteractionsToInstances() {
    Edited m(kModule);
    QVERIFY2(m.apply(m.changes().add(directed(kDock))), qPrintable(m.refused));
    const std::string added = R"(
        </directedInteraction>
        <directedInteraction>
          <name>HLAinteractionRoot.Call.Dock</name>
          <sharing>PublishSubscribe</sharing>
        </directedInteraction>)";
    QCOMPARE(m.source.bytes(), replaced(kModule, "\n        </directedInteraction>", added));
    QVERIFY(m.apply(m.changes().setCell(directed(kDock), "sharing", "Subscribe")));
    QVERIFY(m.apply(m.changes().move(directed(kDock), -1)));
    const auto list = merged(m.source.bytes()).findObjectClass("Ship")->directedInteractions;
    QCOMPARE(list.size(), std::size_t{2});
    QCOMPARE(list[0].name, kDock.toStdString());
    QCOMPARE(list[0].sharing, omt::Sharing::Subscribe);
    QVERIFY(m.undone());
    // A class that has none yet: behind its sharing, as the schema has it.
    QVERIFY(m.apply(m.changes().add(directed("Call", "HLAobjectRoot.Ship.Tug"))));
    QVERIFY(m.source.text().find("<sharing>PublishSubscribe</sharing>\n"
                                 "          <directedInteraction>\n") != std::string_view::npos);
    QVERIFY(m.undone());
  }

  void whatCannotBeDirectedIsRefused() {
    Edited m(kModule);
    QVERIFY(!m.apply(m.changes().add(directed("HLAinteractionRoot.Shout"))));
    QVERIFY2(m.refused.contains("no interaction class"), qPrintable(m.refused));
    QVERIFY(!m.apply(m.changes().add(directed("Call"))));
    QVERIFY2(m.refused.contains("already"), qPrintable(m.refused));
    QVERIFY(!m.apply(m.changes().setCell(directed(kCall), "sharing", "Sometimes")));
    QVERIFY(m.apply(m.changes().rename(directed(kCall), kDock)));
    QVERIFY(m.undone());
    Edited guarded(kModule, "The file is write-protected.");
    QVERIFY(!guarded.apply(guarded.changes().add(directed(kDock))));
    QVERIFY(!guarded.apply(guarded.changes().addReferenceDataType("AnyRef")));
  }

  void theTableShowsThem() {
    const omt::ObjectModel model = merged(kModule);
    const Table table = tableOf(model, findItem(model, "HLAobjectRoot.Ship"));
    const auto row = std::find_if(table.rows.begin(), table.rows.end(), [](const TableRow& r) {
      return r.ref.kind == RowKind::DirectedInteraction;
    });
    QVERIFY(row != table.rows.end());
    QCOMPARE(row->cells.at(0), QString("Call"));
    QCOMPARE(row->ref, directed(kCall));
    QCOMPARE(row->cells.at(6), QString("P"));
    QVERIFY(row->readOnly.isEmpty());
    QVERIFY(table.rows.last().onlyToEdit);
    QCOMPARE(table.rows.last().ref, directed(QString()));
    // A subclass has them too, from its superclass.
    const Table below = tableOf(model, findItem(model, "HLAobjectRoot.Ship.Tug"));
    QVERIFY(std::any_of(below.rows.begin(), below.rows.end(), [](const TableRow& r) {
      return r.ref.kind == RowKind::DirectedInteraction && r.inherited && !r.readOnly.isEmpty();
    }));
    TableModel shown;
    shown.setTable(table);
    QVERIFY(shown.cellOf(shown.index(0, 0)).isEmpty());  // nothing writes
    const Table reference = tableOf(model, findItem(model, "datatype:ShipRef"));
    QStringList lines;
    for (const TableRow& r : reference.rows) lines << r.cells.join(u'|') + u'|' + r.cell;
    QCOMPARE(lines, (QStringList{"Representation|Label|representation",
                                 "Referenced class|HLAobjectRoot.Ship|referenceClass",
                                 "Referenced attribute|label|referencedAttribute"}));
    QVERIFY(!reference.rows.at(1).link.isNull());
  }

  void valuesOfAReferenceAreThoseOfItsRepresentation() {
    const omt::ObjectModel model = merged(kModule);
    const DataLayout layout = layoutOf(model, "ShipRef");
    QCOMPARE(layout.size, std::optional<int>(8));
    QCOMPARE(layout.leaves.size(), 2);
    QCOMPARE(layout.leaves.at(1).name, QString("two"));
    QCOMPARE(layout.leaves.at(1).offset, std::optional<int>(4));
    QVERIFY(describe(model, *model.findDataType("ShipRef")).startsWith("reference, Label"));
    QCOMPARE(shortKind(*model.findDataType("ShipRef")), QString("reference"));
    // One that is represented by itself has no end.
    const omt::ObjectModel self =
        merged(replaced(kModule, "<representation>Label<", "<representation>ShipRef<"));
    QVERIFY(!layoutOf(self, "ShipRef").problem.isEmpty());
  }

  void checksSayWhatIsMissing_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("item");
    QTest::newRow("class") << QByteArray("<referenceClass>HLAobjectRoot.Ship<")
                           << QByteArray("<referenceClass>Boat<") << "which no module has"
                           << "datatype:ShipRef";
    QTest::newRow("no class") << QByteArray("<referenceClass>HLAobjectRoot.Ship<")
                              << QByteArray("<referenceClass><") << "no referenced class"
                              << "datatype:ShipRef";
    QTest::newRow("attribute") << QByteArray("<referencedAttribute>label<")
                               << QByteArray("<referencedAttribute>colour<") << "no such attribute"
                               << "datatype:ShipRef";
    QTest::newRow("no attribute") << QByteArray("<referencedAttribute>label<")
                                  << QByteArray("<referencedAttribute><")
                                  << "no referenced attribute"
                                  << "datatype:ShipRef";
    QTest::newRow("representation") << QByteArray("<representation>Label<")
                                    << QByteArray("<representation>Number<") << "is of Label"
                                    << "datatype:ShipRef";
    QTest::newRow("directed") << QByteArray("<name>HLAinteractionRoot.Call<")
                              << QByteArray("<name>Shout<") << "no module has that"
                              << "object:HLAobjectRoot.Ship";
    QTest::newRow("twice") << QByteArray("<directedInteraction>")
                           << QByteArray(
                                  "<directedInteraction><name>Call</name>"
                                  "</directedInteraction><directedInteraction>")
                           << "twice"
                           << "object:HLAobjectRoot.Ship";
  }
  void checksSayWhatIsMissing() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QString, says);
    QFETCH(QString, item);
    QVERIFY(checkReferences(merged(kModule)).isEmpty());
    const auto findings =
        checkReferences(merged(replaced(kModule, from.toStdString(), to.toStdString())));
    QCOMPARE(findings.size(), 1);
    QVERIFY2(findings[0].text.contains(says), qPrintable(findings[0].text));
    QCOMPARE(findings[0].item, item);
    QVERIFY(findings[0].line > 0);
    QVERIFY(!findings[0].hint.isEmpty());
  }

  void aDifferenceSaysThem() {
    const omt::ObjectModel before = merged(kModule);
    std::string text =
        replaced(kModule, "<sharing>Publish</sharing>", "<sharing>Subscribe</sharing>");
    text = replaced(text, "<referencedAttribute>label<",
                    "<referencedAttribute>HLAprivilegeToDeleteObject<");
    const omt::ObjectModel after = merged(text);
    const std::vector<Entry> a = entriesOf(before);
    const std::vector<Entry> b = entriesOf(after);
    const auto of = [](const std::vector<Entry>& all, const QString& path) -> const Entry* {
      for (const Entry& e : all) {
        if (e.path == path || e.name == path) return &e;
      }
      return nullptr;
    };
    QCOMPARE(of(a, "HLAobjectRoot.Ship")->value(u"Directed interactions"),
             QString("Call (Publish)"));
    QCOMPARE(of(b, "HLAobjectRoot.Ship")->value(u"Directed interactions"),
             QString("Call (Subscribe)"));
    QCOMPARE(of(a, "ShipRef")->value(u"Referenced attribute"), QString("label"));
    QCOMPARE(of(b, "ShipRef")->value(u"Referenced attribute"),
             QString("HLAprivilegeToDeleteObject"));
  }

  void thePagesShowThem() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("Harbour.xml");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(kModule));
    file.close();
    const auto pages = modelPages(loadModel({path}));
    QVERIFY(pages.has_value());
    QByteArray all;
    for (const ModelPage& page : *pages) all += page.content;
    QVERIFY(all.contains("Directed interactions"));
    QVERIFY(all.contains("HLAinteractionRoot.Call"));
    QVERIFY(all.contains("Referenced attribute"));
    QVERIFY(!all.contains("New interaction"));
  }

  void aClearedDimensionHasNoDataType() {
    Edited m(replaced(
        kModule, "  <dataTypes>",
        "  <dimensions>\n    <dimension><name>Sea</name><inputDataTypes><dataType>Number</dataType>"
        "<dataType>HLAoctet</dataType></inputDataTypes><upperBound>4</upperBound></dimension>\n"
        "  </dimensions>\n  <dataTypes>"));
    const RowRef sea{RowKind::Dimension, {}, "Sea", -1, -1};
    QCOMPARE(m.changes().cell(sea, "dataType"), QString("Number"));
    QVERIFY2(m.apply(m.changes().setCell(sea, "dataType", "")), qPrintable(m.refused));
    QCOMPARE(m.changes().cell(sea, "dataType"), QString());
    QVERIFY(m.source.text().find("<dataType>HLAoctet</dataType></inputDataTypes>") ==
            std::string_view::npos);
    QVERIFY(m.undone());
  }

  void whatElseIsOnlyOf2025IsEdited() {
    const std::string text = replaced(
        kModule, "  <dataTypes>",
        "  <dimensions>\n    <dimension><name>Sea</name><inputDataTypes><dataType>Number</dataType>"
        "</inputDataTypes><inputDataDescription>d</inputDataDescription><upperBound>4</upperBound>"
        "<normalization>n</normalization><outputDataSemantics>o</outputDataSemantics></dimension>\n"
        "  </dimensions>\n  <dataTypes>");
    Edited m(text);
    const RowRef label{RowKind::Attribute, "HLAobjectRoot.Ship", "label", -1, -1};
    const RowRef ship{RowKind::ObjectClass, {}, "HLAobjectRoot.Ship", -1, -1};
    const RowRef sea{RowKind::Dimension, {}, "Sea", -1, -1};
    QVERIFY2(m.apply(m.changes().setCell(label, "valueRequired", "true")), qPrintable(m.refused));
    QVERIFY(!m.apply(m.changes().setCell(label, "valueRequired", "perhaps")));
    QVERIFY(!m.apply(m.changes().setCell({RowKind::Switch, {}, "conveyProducingFederate", -1, -1},
                                         "value", "enabled")));
    QVERIFY(m.apply(m.changes().setCell(ship, "dimensions", "Sea")));
    QCOMPARE(m.changes().cell(sea, "dataType"), QString("Number"));
    QVERIFY(m.apply(m.changes().setCell(sea, "dataType", "HLAoctet")));
    QVERIFY(m.apply(m.changes().add({RowKind::Dimension, {}, "Air", -1, -1})));
    QVERIFY(m.apply(
        m.changes().setCell({RowKind::Switch, {}, "allowRelaxedDDM", -1, -1}, "value", "enabled")));
    QVERIFY(
        m.source.text().find("<inputDataTypes><dataType>HLAoctet</dataType></inputDataTypes>") !=
        std::string_view::npos);
    const omt::ObjectModel model = merged(m.source.bytes());
    QVERIFY(model.attributes().back().valueRequired);
    QCOMPARE(model.findObjectClass("Ship")->dimensions, std::vector<std::string>{"Sea"});
    QCOMPARE(model.findDimension("Sea")->dataType, std::string("HLAoctet"));
    QCOMPARE(model.findDimension("Air")->dataType, std::string("HLAinteger32BE"));
    QCOMPARE(model.switchesOf2025().size(), std::size_t{1});
    QVERIFY(model.switchesOf2025()[0].second);
    for (const TableRow& row : tableOf(model, {ItemKind::Switches, 0}).rows) {
      if (row.ref.kind != RowKind::Switch) continue;
      QCOMPARE(row.readOnly.isEmpty(), row.ref.name != u"conveyProducingFederate");
    }
    // Shown, and written again by a conversion.
    const Table table = tableOf(model, findItem(model, "HLAobjectRoot.Ship"));
    QCOMPARE(table.headers.last(), QString("Required"));
    const QList<Fact> facts = factsOf(model, findItem(model, "HLAobjectRoot.Ship"));
    QCOMPARE(facts.last().value, QString("Sea"));
    const auto kept = convertModule(m.source.bytes(), "Harbour.xml", omt::Edition::Ieee2025);
    QVERIFY(kept.has_value());
    for (const char* words : {"<valueRequired>true</valueRequired>", "<dimension>Sea</dimension>",
                              "<allowRelaxedDDM isEnabled=\"true\"/>"}) {
      QVERIFY2(kept->text.find(words) != std::string::npos, words);
    }
    for (const omt::Loss& loss : kept->losses) {
      QVERIFY2(loss.kind != omt::Loss::Kind::Read, loss.what.c_str());
    }
    QVERIFY(m.undone());
    Edited older(replaced(text, "IEEE1516-2025", "IEEE1516-2010"));
    QVERIFY(!older.apply(older.changes().setCell(label, "valueRequired", "true")));
    QVERIFY(!older.apply(older.changes().setCell(ship, "dimensions", "Sea")));
    QVERIFY(!older.apply(older.changes().setCell({RowKind::Switch, {}, "allowRelaxedDDM", -1, -1},
                                                 "value", "enabled")));
    QCOMPARE(older.source.bytes(), older.before);
  }

  void aConversionKeepsThemIn2025() {
    const auto kept = convertModule(kModule, "Harbour.xml", omt::Edition::Ieee2025);
    QVERIFY(kept.has_value());
    for (const omt::Loss& loss : kept->losses) {
      QVERIFY2(loss.what.find("irected") == std::string::npos &&
                   loss.what.find("eference") == std::string::npos,
               loss.what.c_str());
    }
    const omt::ObjectModel model = merged(kept->text);
    const omt::DataType& t = *model.findDataType("ShipRef");
    QVERIFY(t.isReference);
    QCOMPARE(t.referenceClass, std::string("HLAobjectRoot.Ship"));
    const auto& list = model.findObjectClass("Ship")->directedInteractions;
    QCOMPARE(list.size(), std::size_t{1});
    QCOMPARE(list[0].sharing, omt::Sharing::Publish);
    const auto older = convertModule(kModule, "Harbour.xml", omt::Edition::Ieee2010);
    QVERIFY(older.has_value());
    QVERIFY(older->text.find("Refers to HLAobjectRoot.Ship.label.") != std::string::npos);
    QVERIFY(older->text.find("directedInteraction") == std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestModel2025)
#include "tst_model_2025.moc"
