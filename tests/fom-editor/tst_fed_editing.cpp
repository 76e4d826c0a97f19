// SPDX-License-Identifier: GPL-3.0-or-later
// FED files of HLA 1.3, edited where they stand.
#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <optional>
#include <random>

#include "fom-editor/model/edited_items_finder.h"
#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/module_extraction.h"
#include "fom-editor/model/module_file.h"
#include "fom-editor/model/tables.h"
#include "omt/merge.h"
#include "omt/reader.h"
#include "test_models.h"

using namespace tutti::fomedit;
namespace omt = tutti::omt;

namespace {

const std::string kFed = R"(;; Harbour, for the tests
(FED
  (Federation Harbour)
  (FEDversion v1.3)
  (Federate "port" "Public")
  (spaces
    (space Map ; of the sea
      (dimension X)
      (dimension Y)
    )
  )
  (objects
    (class ObjectRoot
      (attribute privilegeToDelete reliable timestamp)
      (class RTIprivate)
      (class Ship
        (attribute speed reliable timestamp Map) ; in knots
        (attribute "name" best_effort receive)
        (class Tug)
      )
    )
  )
  (interactions
    (class InteractionRoot best_effort receive
      (class RTIprivate best_effort receive)
      (class Call reliable timestamp Map
        (sec_level "Public")
        (parameter text)
      )
    )
  )
)
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) qFatal("no %s", std::string(from).c_str());
  return text.replace(at, from.size(), to);
}

std::string content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// Modules with a history each; a text that begins with "<" is XML.
struct Edited {
  explicit Edited(const std::vector<std::string>& texts) : before(texts) {
    for (const std::string& text : texts) {
      const std::string name = "M" + std::to_string(sources.size());
      auto source = text.starts_with("<") ? ModuleSource::parse(text, name)
                                          : ModuleSource::parseFed(text, name);
      if (!source) qFatal("%s", source.error().toText().c_str());
      sources.push_back(std::make_unique<ModuleSource>(std::move(*source)));
    }
  }
  ModelChanges changes() const {
    EditableModules all;
    for (const auto& s : sources) {
      all << EditableModule{s.get(), QString::fromStdString(s->displayName()), QString()};
    }
    return ModelChanges(all);
  }
  bool apply(const ModelChanges::Result& change) {
    if (!change) {
      refused = change.error();
      return false;
    }
    for (const auto& [module, splices] : change->changes) {
      const auto done = sources[static_cast<std::size_t>(module)]->apply(splices);
      if (!done) {
        refused = QString::fromStdString(done.error().toText());
        return false;
      }
    }
    return true;
  }
  std::string text(std::size_t i = 0) const { return sources[i]->bytes(); }
  bool undone() {
    bool same = true;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      while (sources[i]->canUndo()) sources[i]->undo();
      same = same && sources[i]->bytes() == before[i];
    }
    return same;
  }

  std::vector<std::string> before;
  std::vector<std::unique_ptr<ModuleSource>> sources;
  QString refused;
};

omt::ObjectModel merged(const std::string& text) {
  auto module = omt::readModule(text, "Harbour.fed");
  if (!module) qFatal("%s", module.error().toText().c_str());
  const omt::Module modules[] = {*module};
  auto model = omt::merge(modules);
  if (!model) qFatal("%s", model.error().toText().c_str());
  return std::move(model->model);
}

const QString kShip = QStringLiteral("HLAobjectRoot.Ship");
const QString kCall = QStringLiteral("HLAinteractionRoot.Call");
RowRef attribute(const QString& name, const QString& of = kShip) {
  return {RowKind::Attribute, of, name, -1, -1};
}
RowRef row(RowKind kind, const QString& name) { return {kind, {}, name, -1, -1}; }

}  // namespace

class TestFedEditing : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aFileIsOpenedForEditing() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("Harbour.fed");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(kFed));
    file.close();
    const ModuleFile opened = readForEditing(path);
    QVERIFY(opened.source != nullptr);
    QVERIFY(opened.source->isFed());
    QCOMPARE(opened.readOnlyReason, QString());
    QCOMPARE(opened.source->bytes(), kFed);
    // One that has a fault opens as soon as that is mended.
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("(FED (objects");
    file.close();
    const ModuleFile broken = readForEditing(path);
    QVERIFY(broken.source == nullptr);
    QVERIFY2(broken.readOnlyReason.contains("line 1"), qPrintable(broken.readOnlyReason));
  }

  void cellsChangeTheirWordOnly_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("cell");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    const auto add = [](const char* of, const char* cell, const char* value, const char* from,
                        const char* to) {
      QTest::addRow("%s %s %s", of, cell, value)
          << of << cell << value << QByteArray(from) << QByteArray(to);
    };
    add("speed", "transportation", "HLAbestEffort", "speed reliable", "speed best_effort");
    add("speed", "transportation", "", "speed reliable", "speed");
    add("speed", "order", "Receive", "speed reliable timestamp", "speed reliable receive");
    add("speed", "dimensions", "", "timestamp Map) ; in knots", "timestamp) ; in knots");
    add("name", "dimensions", "Map", "best_effort receive)", "best_effort receive Map)");
    add("name", "name", "callSign", "\"name\" best_effort", "\"callSign\" best_effort");
  }
  void cellsChangeTheirWordOnly() {
    QFETCH(QString, name);
    QFETCH(QString, cell);
    QFETCH(QString, value);
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    for (const bool windows : {false, true}) {
      std::string text = kFed;
      if (windows) {
        for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
          text.replace(at, 1, "\r\n");
        }
      }
      Edited m({text});
      QVERIFY2(m.apply(m.changes().setCell(attribute(name), cell, value)), qPrintable(m.refused));
      QCOMPARE(m.text(), replaced(text, from.toStdString(), to.toStdString()));
      merged(m.text());
      QVERIFY(m.undone());
    }
  }

  void readsItsWords() {
    const Edited m({kFed});
    const ModelChanges c = m.changes();
    QCOMPARE(c.cell(attribute("speed"), "transportation"), QString("HLAreliable"));
    QCOMPARE(c.cell(attribute("speed"), "order"), QString("TimeStamp"));
    QCOMPARE(c.cell(attribute("speed"), "dimensions"), QString("Map"));
    QCOMPARE(c.editorOf(attribute("speed"), "dimensions").choices, QStringList{"Map"});
    QCOMPARE(c.editorOf(attribute("speed"), "transportation").choices,
             (QStringList{"HLAreliable", "HLAbestEffort"}));
    QCOMPARE(c.cell(row(RowKind::InteractionClass, kCall), "order"), QString("TimeStamp"));
  }

  void addsInTheStyleOfTheFile() {
    Edited m({kFed});
    QVERIFY2(m.apply(m.changes().add(attribute("heading"))), qPrintable(m.refused));
    QCOMPARE(m.text(), replaced(kFed, "best_effort receive)\n        (class Tug)",
                                "best_effort receive)\n        (attribute heading reliable receive)"
                                "\n        (class Tug)"));
    QVERIFY(m.undone());
    // Behind the first: its comment stays on its line.
    QVERIFY(m.apply(m.changes().add(attribute("heading"), {}, 0)));
    QCOMPARE(m.text(), replaced(kFed, "; in knots\n",
                                "; in knots\n        (attribute heading reliable receive)\n"));
    QVERIFY(m.undone());
    QVERIFY(m.apply(m.changes().add(attribute("power", kShip + ".Tug"))));
    QCOMPARE(m.text(), replaced(kFed, "(class Tug)",
                                "(class Tug\n          (attribute power reliable receive)\n"
                                "        )"));
    QVERIFY(m.undone());
    QVERIFY(m.apply(m.changes().addSubclass(row(RowKind::ObjectClass, kShip), "Ferry")));
    QCOMPARE(m.text(), replaced(kFed, "(class Tug)", "(class Tug)\n        (class Ferry)"));
    QVERIFY(m.undone());
    QVERIFY(m.apply(m.changes().addSubclass(row(RowKind::InteractionClass, kCall), "Dock")));
    QCOMPARE(m.text(), replaced(kFed, "(parameter text)",
                                "(parameter text)\n        (class Dock reliable receive)"));
    QVERIFY(m.undone());
    QVERIFY(m.apply(m.changes().add({RowKind::Parameter, kCall, "volume", -1, -1})));
    QCOMPARE(m.text(),
             replaced(kFed, "(parameter text)", "(parameter text)\n        (parameter volume)"));
    QVERIFY(m.undone());
  }

  void aFileInCapitalsStaysInCapitals() {
    const std::string text =
        "(Fed\n (Federation T)\n (Objects\n  (Class ObjectRoot\n\t(Class A\n\t\t(Attribute x "
        "RELIABLE TIMESTAMP)))))\n";
    Edited m({text});
    QVERIFY(m.apply(m.changes().add(attribute("y", "HLAobjectRoot.A"))));
    QCOMPARE(m.text(),
             replaced(text, "TIMESTAMP)", "TIMESTAMP)\n\t\t(Attribute y RELIABLE RECEIVE)"));
    QVERIFY(m.apply(m.changes().addSubclass(row(RowKind::ObjectClass, "HLAobjectRoot.A"), "B")));
    QVERIFY(m.text().find("\n\t\t(Class B)") != std::string::npos);
    merged(m.text());
    QVERIFY(m.undone());
  }

  void removesAndMoves() {
    Edited m({kFed});
    QVERIFY(m.apply(m.changes().remove({attribute("name")})));
    QCOMPARE(m.text(), replaced(kFed, "        (attribute \"name\" best_effort receive)\n", ""));
    QVERIFY(m.undone());
    // A comment is not the attribute's alone.
    QVERIFY(m.apply(m.changes().remove({attribute("speed")})));
    QVERIFY(m.text().find("; in knots") != std::string::npos);
    QVERIFY(m.undone());
    QVERIFY(m.apply(m.changes().move(attribute("name"), -1)));
    QCOMPARE(merged(m.text()).findObjectClass("Ship")->attributes.size(), std::size_t{2});
    QVERIFY(m.text().find("\"name\"") < m.text().find("speed"));
    QVERIFY(m.undone());
    QVERIFY(
        m.apply(m.changes().reparent(row(RowKind::ObjectClass, kShip + ".Tug"), "HLAobjectRoot")));
    QVERIFY(merged(m.text()).findObjectClass("HLAobjectRoot.Tug") != nullptr);
    QVERIFY(m.text().find("\n      (class Tug)") != std::string::npos);
    QVERIFY(m.undone());
    QVERIFY(m.apply(m.changes().remove({row(RowKind::ObjectClass, kShip)})));
    QVERIFY(merged(m.text()).findObjectClass("Ship") == nullptr);
    QVERIFY(m.undone());
  }

  void routingSpacesAndTheirDimensions() {
    Edited m({kFed});
    QVERIFY2(m.apply(m.changes().add(row(RowKind::RoutingSpace, "Air"))), qPrintable(m.refused));
    QVERIFY(m.text().find("    )\n    (space Air)\n  )\n  (objects") != std::string::npos);
    QVERIFY2(m.apply(m.changes().add(row(RowKind::Dimension, "Air_Height"))),
             qPrintable(m.refused));
    QVERIFY(m.text().find("    (space Air\n      (dimension Height)\n    )\n") !=
            std::string::npos);
    QVERIFY(m.apply(m.changes().rename(row(RowKind::Dimension, "Map_X"), "Map_East")));
    QVERIFY(m.text().find("(dimension East)") != std::string::npos);
    QVERIFY(!m.apply(m.changes().rename(row(RowKind::Dimension, "Map_Y"), "North")));
    QVERIFY2(m.refused.contains("Map_"), qPrintable(m.refused));
    QVERIFY(m.apply(m.changes().rename(row(RowKind::RoutingSpace, "Map"), "Sea")));
    QVERIFY(m.text().find("timestamp Sea) ; in knots") != std::string::npos);
    QVERIFY(m.text().find("(class Call reliable timestamp Sea") != std::string::npos);
    QVERIFY(m.text().find("(space Sea ; of the sea") != std::string::npos);
    const omt::ObjectModel model = merged(m.text());
    QCOMPARE(model.routingSpaces().size(), std::size_t{2});
    QVERIFY(model.findDimension("Sea_East") != nullptr);
    // What was bound to a space is bound to none, or the file could not be read.
    QVERIFY(m.changes().removalEffect(row(RowKind::RoutingSpace, "Sea")).contains("2 uses"));
    QVERIFY(m.apply(m.changes().remove({row(RowKind::RoutingSpace, "Sea")})));
    QVERIFY(merged(m.text()).findDimension("Sea_East") == nullptr);
    QVERIFY(m.undone());
    // A file without any gets the table before its classes.
    const std::string bare = "(FED (Federation H)\n  (objects (class ObjectRoot)))\n";
    Edited none({bare});
    QVERIFY(none.apply(none.changes().add(row(RowKind::RoutingSpace, "Map"))));
    QVERIFY(none.text().find("(spaces") < none.text().find("(objects"));
    QCOMPARE(merged(none.text()).routingSpaces().size(), std::size_t{1});
    QVERIFY(none.undone());
  }

  void whatFedCannotSayIsRefusedWithTheReason() {
    Edited m({kFed});
    for (const char* cell : {"dataType", "semantics", "update", "sharing", "ownership"}) {
      QVERIFY2(!m.apply(m.changes().setCell(attribute("speed"), cell, "Static")), cell);
      QVERIFY2(m.refused.contains("FED"), qPrintable(m.refused));
      QCOMPARE(m.changes().editorOf(attribute("speed"), cell).kind, CellEditor::Kind::None);
    }
    QVERIFY(!m.apply(m.changes().addDataType(omt::DataTypeKind::Simple, "Speed")));
    QVERIFY2(m.refused.contains("FED"), qPrintable(m.refused));
    QVERIFY(!m.apply(m.changes().add(row(RowKind::UpdateRate, "Low"))));
    QVERIFY(!m.apply(m.changes().setCell(row(RowKind::Switch, "autoProvide"), "value", "enabled")));
    QVERIFY(!m.apply(m.changes().setCell({RowKind::TypeUse, {}, "timeStamp", -1, -1}, "dataType",
                                         "HLAfloat64Time")));
    QVERIFY(!m.apply(m.changes().setCell(attribute("speed"), "transportation", "Pigeon")));
    for (const char* name : {"Manager", "RTIprivate", "ObjectRoot"}) {
      QVERIFY2(!m.apply(m.changes().addSubclass(row(RowKind::ObjectClass, kShip), name)), name);
    }
    QVERIFY(!m.apply(m.changes().add(attribute("privilegeToDelete", kShip))));
    QVERIFY(!m.apply(m.changes().add(row(RowKind::RoutingSpace, "reliable"))));
    QVERIFY(!m.apply(m.changes().add(row(RowKind::RoutingSpace, "Map"))));
    QVERIFY(!m.apply(m.changes().add(attribute("a b"))));
    QVERIFY(!m.apply(m.changes().setCell(attribute("HLAprivilegeToDeleteObject", "HLAobjectRoot"),
                                         "order", "Receive")));
    QCOMPARE(m.text(), kFed);
  }

  void theTableOffersWhatFedHas() {
    const omt::ObjectModel model = merged(kFed);
    const Table ship = tableOf(model, findItem(model, "HLAobjectRoot.Ship"));
    QCOMPARE(ship.adds.kind, RowKind::Attribute);
    const auto speed = std::find_if(ship.rows.begin(), ship.rows.end(),
                                    [](const TableRow& r) { return r.member == u"speed"; });
    QVERIFY(speed != ship.rows.end());
    QVERIFY(speed->readOnly.isEmpty());
    QCOMPARE(speed->columnCells.join(u'|'), QString("name|||order|transportation|dimensions|||"));
    QVERIFY2(speed->toolTip.contains("FED"), qPrintable(speed->toolTip));
    const Table spaces = tableOf(model, {ItemKind::Dimensions, 0});
    QVERIFY(std::any_of(spaces.rows.begin(), spaces.rows.end(), [](const TableRow& r) {
      return r.ref == row(RowKind::RoutingSpace, "Map") && r.cells.at(0) == u"Map";
    }));
    QVERIFY(std::any_of(spaces.rows.begin(), spaces.rows.end(),
                        [](const TableRow& r) { return r.onlyToEdit; }));
    for (const Fact& fact : factsOf(model, findItem(model, "HLAinteractionRoot.Call"))) {
      QCOMPARE(fact.cell.isEmpty(), fact.name == u"Sharing");
    }
  }

  void theNameOfTheFederationIsEdited() {
    Edited m({kFed});
    const RowRef id{RowKind::Identification, {}, {}, -1, 0};
    QVERIFY2(m.apply(m.changes().setCell(id, "name", "Port")), qPrintable(m.refused));
    QCOMPARE(m.text(), replaced(kFed, "Federation Harbour", "Federation Port"));
    QVERIFY(!m.apply(m.changes().setCell(id, "purpose", "None")));
    QVERIFY(m.undone());
  }

  void modulesOfBothEditionsChangeTogether() {
    const std::string xml =
        "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><objects><objectClass>"
        "<name>HLAobjectRoot</name><objectClass><name>Ship</name><objectClass><name>Barge</name>"
        "<sharing>Publish</sharing></objectClass></objectClass></objectClass></objects>"
        "</objectModel>";
    Edited m({kFed, xml});
    QVERIFY(m.apply(m.changes().rename(row(RowKind::ObjectClass, kShip), "Boat")));
    QVERIFY(m.text(0).find("(class Boat") != std::string::npos);
    QVERIFY(m.text(1).find("<name>Boat</name>") != std::string::npos);
    // A datatype can only go to the module of IEEE 1516.
    QVERIFY2(m.apply(m.changes().addDataType(omt::DataTypeKind::Simple, "Speed")),
             qPrintable(m.refused));
    QVERIFY(m.text(1).find("<name>Speed</name>") != std::string::npos);
    QVERIFY(m.undone());
  }

  /// A FED file names a routing space, IEEE 1516 the dimensions: a row of both gets both.
  void dimensionsOfBothEditionsAreTranslated() {
    const std::string fed = replaced(
        kFed, "    (space Map ;", "    (space Air\n      (dimension Z)\n    )\n    (space Map ;");
    const std::string xml =
        "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><objects><objectClass>"
        "<name>HLAobjectRoot</name><objectClass><name>Ship</name><attribute><name>speed</name>"
        "<dimensions><dimension>Map_X</dimension><dimension>Map_Y</dimension></dimensions>"
        "<transportation>HLAreliable</transportation><order>TimeStamp</order></attribute>"
        "</objectClass></objectClass></objects></objectModel>";
    for (const bool fedFirst : {true, false}) {
      Edited m(fedFirst ? std::vector{fed, xml} : std::vector{xml, fed});
      const auto textOf = [&](bool ofFed) { return m.text(ofFed == fedFirst ? 0 : 1); };
      const QString space = fedFirst ? "Air" : "Air_Z";
      QVERIFY2(m.apply(m.changes().setCell(attribute("speed"), "dimensions", space)),
               qPrintable(m.refused));
      QVERIFY(textOf(true).find("(attribute speed reliable timestamp Air)") != std::string::npos);
      QVERIFY(textOf(false).find("<dimension>Air_Z</dimension>") != std::string::npos);
      QVERIFY(textOf(false).find("Map_X") == std::string::npos);
      QVERIFY2(m.apply(m.changes().setCell(attribute("speed"), "dimensions",
                                           fedFirst ? "Map" : "Map_Y, Map_X")),
               qPrintable(m.refused));
      QVERIFY(textOf(true).find("(attribute speed reliable timestamp Map)") != std::string::npos);
      QVERIFY(textOf(false).find("<dimension>Map_X</dimension>") != std::string::npos);
      QVERIFY(textOf(false).find("<dimension>Map_Y</dimension>") != std::string::npos);
      if (!fedFirst) {
        // No routing space has only that one.
        QVERIFY(!m.apply(m.changes().setCell(attribute("speed"), "dimensions", "Map_X")));
        QVERIFY2(m.refused.contains("routing space"), qPrintable(m.refused));
      }
      QVERIFY(m.apply(m.changes().setCell(attribute("speed"), "dimensions", "")));
      QVERIFY(textOf(true).find("(attribute speed reliable timestamp)") != std::string::npos);
      QVERIFY(textOf(false).find("<dimension>") == std::string::npos);
      QVERIFY(m.undone());
    }
  }

  /// Only dimensions that a space lists are its own, whatever the names of others begin with.
  void aRenamedSpaceTakesItsOwnDimensionsOnly() {
    const std::string fed =
        replaced(kFed, "    (space Map ;",
                 "    (space Map_Sea\n      (dimension Depth)\n    )\n    (space Map ;");
    const std::string xml =
        "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><objects><objectClass>"
        "<name>HLAobjectRoot</name><objectClass><name>Ship</name><attribute><name>mass</name>"
        "<dimensions><dimension>Map_X</dimension><dimension>Map_Sea_Depth</dimension>"
        "<dimension>Map_Z</dimension></dimensions></attribute></objectClass></objectClass>"
        "</objects><dimensions><dimension><name>Map_Y</name></dimension><dimension>"
        "<name>Map_Z</name></dimension></dimensions></objectModel>";
    Edited m({fed, xml});
    QVERIFY2(m.apply(m.changes().rename(row(RowKind::RoutingSpace, "Map"), "Chart")),
             qPrintable(m.refused));
    QVERIFY(m.text(0).find("(space Map_Sea\n") != std::string::npos);
    QVERIFY(m.text(0).find("(space Chart ;") != std::string::npos);
    std::string expected = replaced(xml, "<dimension>Map_X<", "<dimension>Chart_X<");
    // Map_Y is one dimension, which both files define.
    expected = replaced(expected, "<name>Map_Y<", "<name>Chart_Y<");
    QCOMPARE(m.text(1), expected);
    QVERIFY(m.undone());
    Edited taken({kFed, replaced(xml, "<name>Map_Z<", "<name>Chart_X<")});
    QVERIFY(!taken.apply(taken.changes().rename(row(RowKind::RoutingSpace, "Map"), "Chart")));
    QVERIFY2(taken.refused.contains("Chart_X"), qPrintable(taken.refused));
  }

  /// As the RTI's reader takes it: a file that is not in UTF-8 is in Latin-1 as a whole.
  void aFileInLatin1StaysInLatin1() {
    for (const char* mark : {"", "\xEF\xBB\xBF"}) {
      const std::string text = mark + replaced(kFed, "; in knots", "; in Kn\xF6teln");
      Edited m({text});
      QCOMPARE(m.text(), text);
      QVERIFY(m.sources[0]->text().find("Kn\xC3\xB6teln") != std::string_view::npos);
      QVERIFY2(m.apply(m.changes().rename(row(RowKind::ObjectClass, kShip), "F\u00E4hre")),
               qPrintable(m.refused));
      QCOMPARE(m.text(), replaced(text, "(class Ship", "(class F\xE4hre"));
      const auto read = omt::readModule(m.text(), "x");
      QVERIFY(read.has_value());
      QCOMPARE(read->objectClasses[0].subclasses[0].name, std::string("F\xC3\xA4hre"));
      // What Latin-1 lacks; FED has no references to it.
      QVERIFY(
          !m.apply(m.changes().rename(attribute("speed", "HLAobjectRoot.F\u00E4hre"), "\u0394v")));
      QVERIFY2(m.refused.contains("Latin-1"), qPrintable(m.refused));
      QVERIFY(m.undone());
    }
    // Two letters of Latin-1 that are one of UTF-8, in a file that has no others.
    const std::string text = replaced(kFed, "class Tug", "class F\xE4hre");
    Edited m({text});
    QVERIFY(!m.apply(
        m.changes().rename(row(RowKind::ObjectClass, kShip + ".F\u00E4hre"), "A\u00C3\u00AA")));
    QVERIFY2(m.refused.contains("UTF-8"), qPrintable(m.refused));
    QVERIFY(m.apply(m.changes().rename(row(RowKind::ObjectClass, kShip + ".F\u00E4hre"), "Ferry")));
    QCOMPARE(m.text(), replaced(kFed, "class Tug", "class Ferry"));
    QVERIFY(m.undone());
  }

  void itsEditedItemsAreFound() {
    const auto bytes = [](const std::string& text) {
      return std::make_shared<const std::string>(text);
    };
    EditedItemsFinder finder;
    QSet<QString> items;
    connect(&finder, &EditedItemsFinder::found, this,
            [&](const QSet<QString>& all) { items = all; });
    finder.find({{"Harbour.fed", bytes(kFed),
                  bytes(replaced(kFed, "speed reliable", "speed best_effort"))}});
    QTRY_COMPARE_WITH_TIMEOUT(items, (QSet<QString>{"object:" + kShip}), 60000);
  }

  /// As the RTI's reader does, in UTF-8 and in Latin-1.
  void bytesThatAreNoTextAreRefused() {
    for (const char byte : {'\0', '\x01'}) {
      for (const std::string& before : {std::string(), std::string("\xE4")}) {
        std::string text(kFed);
        text.insert(text.find("Ship"), before + byte);
        const auto source = parseByContent(text, "a/Harbour.fed");
        QVERIFY(!source);
        QVERIFY2(source.error().message.find("which is no text") != std::string::npos,
                 source.error().message.c_str());
      }
    }
  }

  void itIsNotDivided() {
    const auto source = parseByContent(kFed, "a/Harbour.fed");
    QVERIFY(source.has_value());
    QVERIFY(source->isFed());
    ExtractionRequest request;
    request.classes.push_back({true, kShip.toStdString()});
    const auto made = extractionOf(*source, request);
    QVERIFY(!made);
    QVERIFY2(made.error().startsWith("Harbour.fed is of HLA 1.3"), qPrintable(made.error()));
    // By content, not by what a file is called.
    const auto xml = parseByContent("<objectModel/>", "Harbour.fed");
    QVERIFY(xml.has_value());
    QVERIFY(!xml->isFed());
  }

  /// Of several words of one kind the RTI takes the last; none that is cleared may remain.
  void wordsOfOneKindChangeTogether() {
    const std::string text =
        replaced(replaced(kFed, "    (space Map ;",
                          "    (space Air\n      (dimension Z)\n    )\n    (space Map ;"),
                 "speed reliable timestamp Map)", "speed best_effort reliable timestamp Air Map)");
    const auto speed = [](const Edited& m) {
      const std::string all = m.text();
      const std::size_t begin = all.find("(attribute speed");
      return all.substr(begin, all.find(')', begin) + 1 - begin);
    };
    Edited m({text});
    QCOMPARE(m.changes().cell(attribute("speed"), "dimensions"), QString("Map"));
    QVERIFY(m.apply(m.changes().rename(row(RowKind::RoutingSpace, "Air"), "Sky")));
    QCOMPARE(speed(m), "(attribute speed best_effort reliable timestamp Sky Map)");
    merged(m.text());
    QVERIFY(m.apply(m.changes().remove({row(RowKind::RoutingSpace, "Sky")})));
    QCOMPARE(speed(m), "(attribute speed best_effort reliable timestamp Map)");
    QVERIFY(m.undone());
    // What was bound to the space that goes is bound to none, not to the one before it.
    QVERIFY(m.apply(m.changes().remove({row(RowKind::RoutingSpace, "Map")})));
    QCOMPARE(speed(m), "(attribute speed best_effort reliable timestamp)");
    QVERIFY(m.undone());
    QVERIFY(m.apply(m.changes().remove(
        {row(RowKind::RoutingSpace, "Map"), row(RowKind::RoutingSpace, "Air")})));
    QCOMPARE(speed(m), "(attribute speed best_effort reliable timestamp)");
    QVERIFY(m.undone());
    QVERIFY(m.apply(m.changes().setCell(attribute("speed"), "dimensions", "")));
    QCOMPARE(speed(m), "(attribute speed best_effort reliable timestamp)");
    QVERIFY(m.apply(m.changes().setCell(attribute("speed"), "transportation", "")));
    QCOMPARE(speed(m), "(attribute speed timestamp)");
    QVERIFY(m.undone());
    Edited order({replaced(kFed, "speed reliable timestamp", "speed timestamp reliable receive")});
    QVERIFY(order.apply(order.changes().setCell(attribute("speed"), "order", "")));
    QCOMPARE(speed(order), "(attribute speed reliable Map)");
    QVERIFY(order.undone());
  }

  /// A quotation mark ends a word as a blank does: what goes must not join those around it.
  void wordsStayApart_data() {
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QString>("cell");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QByteArray>("after");
    QTest::newRow("added before a word")
        << QByteArray("\"speed\"timestamp") << "transportation"
        << "HLAreliable" << QByteArray("\"speed\" reliable timestamp");
    QTest::newRow("removed between words")
        << QByteArray("speed\"reliable\"timestamp") << "transportation"
        << "" << QByteArray("speed timestamp");
    QTest::newRow("several removed")
        << QByteArray("speed\"reliable\"\"best_effort\"timestamp") << "transportation"
        << "" << QByteArray("speed timestamp");
    QTest::newRow("removed before the end") << QByteArray("speed reliable\"timestamp\"") << "order"
                                            << "" << QByteArray("speed reliable");
    QTest::newRow("another word in the quotes")
        << QByteArray("speed\"reliable\"timestamp") << "transportation"
        << "HLAbestEffort" << QByteArray("speed\"best_effort\"timestamp");
  }
  void wordsStayApart() {
    QFETCH(QByteArray, before);
    QFETCH(QString, cell);
    QFETCH(QString, value);
    QFETCH(QByteArray, after);
    const std::string text = replaced(kFed, "speed reliable timestamp Map", before.toStdString());
    merged(text);
    Edited m({text});
    QVERIFY2(m.apply(m.changes().setCell(attribute("speed"), cell, value)), qPrintable(m.refused));
    QCOMPARE(m.text(), replaced(text, before.toStdString(), after.toStdString()));
    const omt::ObjectModel model = merged(m.text());
    QVERIFY(model.findObjectClass("Ship") != nullptr);
    QCOMPARE(m.changes().cell(attribute("speed"), cell), value);
    QVERIFY(m.undone());
  }

  void listsThatGoLeaveWordsApart() {
    Edited m({replaced(kFed,
                       "(class Call reliable timestamp Map\n        (sec_level \"Public\")\n"
                       "        (parameter text)",
                       "(class Call(parameter text)reliable timestamp Map")});
    QVERIFY(m.apply(m.changes().remove({{RowKind::Parameter, kCall, "text", -1, -1}})));
    QVERIFY(m.text().find("(class Call reliable timestamp Map") != std::string::npos);
    merged(m.text());
    QVERIFY(m.undone());
  }

  void anyEditsOfRealFilesAreReadAndUndone();
};

namespace {

/// What a change is to make of a member or class.
struct Expected {
  RowKind kind = RowKind::None;
  QString owner;  ///< of a member its class
  QString name;
  QString cell;  ///< empty: it is there or not
  QString value;
  bool isThere = true;
};

/// All of that name: a FED file may have several topmost classes, each below a root of its own.
template <typename Class, typename Holds>
bool anyClassAt(const std::vector<Class>& all, const QString& fullName, const Holds& holds) {
  const QString first = fullName.section(u'.', 0, 0);
  const QString rest = fullName.section(u'.', 1);
  return std::any_of(all.begin(), all.end(), [&](const Class& c) {
    if (c.name != first.toStdString()) return false;
    return rest.isEmpty() ? holds(c) : anyClassAt(c.subclasses, rest, holds);
  });
}

template <typename Row>
const Row* rowNamed(const std::vector<Row>& rows, const QString& name) {
  const auto at = std::find_if(rows.begin(), rows.end(),
                               [&](const Row& r) { return r.name == name.toStdString(); });
  return at == rows.end() ? nullptr : &*at;
}

bool saysOfDelivery(const Expected& e, const std::string& transportation, omt::OrderType order,
                    const std::vector<std::string>& dimensions) {
  if (e.cell == u"transportation") return transportation == e.value.toStdString();
  if (e.cell == u"order") return (order == omt::OrderType::TimeStamp) == (e.value == u"TimeStamp");
  return std::all_of(dimensions.begin(), dimensions.end(), [&](const std::string& d) {
    return !e.value.isEmpty() && d.starts_with(e.value.toStdString() + '_');
  });
}

/// Whether the RTI's reader finds it.
bool holds(const omt::Module& module, const Expected& e) {
  if (e.kind == RowKind::Attribute) {
    Expected usual = e;
    if (e.cell == u"transportation" && e.value.isEmpty()) usual.value = "HLAreliable";
    return e.isThere == anyClassAt(module.objectClasses, e.owner, [&](const auto& c) {
             const omt::Attribute* a = rowNamed(c.attributes, e.name);
             return a != nullptr && (e.cell.isEmpty() || saysOfDelivery(usual, a->transportation,
                                                                        a->order, a->dimensions));
           });
  }
  if (e.kind == RowKind::Parameter) {
    return e.isThere == anyClassAt(module.interactionClasses, e.owner, [&](const auto& c) {
             return rowNamed(c.parameters, e.name) != nullptr;
           });
  }
  return anyClassAt(module.interactionClasses, e.name, [&](const auto& c) {
    return saysOfDelivery(e, c.transportation, c.order.value_or(omt::OrderType::Receive),
                          c.dimensions);
  });
}

/// How many lines of a text another no longer has.
int linesGone(const std::string& before, const std::string& after) {
  QHash<QByteArray, int> lines;
  for (const QByteArray& line : QByteArray::fromStdString(after).split('\n')) ++lines[line];
  int gone = 0;
  for (const QByteArray& line : QByteArray::fromStdString(before).split('\n')) {
    if (lines[line]-- <= 0) ++gone;
  }
  return gone;
}

/// Picks rows, cells and values at random.
class Person {
 public:
  explicit Person(unsigned seed) : random_(seed) {}

  /// What the latest change is to make; of some it is not said.
  std::optional<Expected> expected;

  ModelChanges::Result anyChange(const ModelChanges& c) {
    expected.reset();
    const bool isObject = below(2) == 0;
    const RowKind classKind = isObject ? RowKind::ObjectClass : RowKind::InteractionClass;
    const RowRef cls = row(classKind, any(namesOf(c.modules(), classKind)));
    const RowRef member{isObject ? RowKind::Attribute : RowKind::Parameter, cls.name,
                        any(membersOf(c.modules(), isObject, cls.name)), -1, -1};
    const QString name = QStringLiteral("n%1").arg(below(100000));
    const QStringList spaces = namesOf(c.modules(), RowKind::RoutingSpace);
    const QString value = any(
        QStringList{"", "HLAreliable", "HLAbestEffort", "Receive", "TimeStamp", "x y"} + spaces);
    switch (below(14)) {
      case 0:
      case 1:
        expected = Expected{member.kind, cls.name, name, {}, {}};
        return c.add({member.kind, cls.name, name, -1, -1}, {}, below(4) - 1);
      case 2:
        expected = Expected{member.kind, cls.name, member.name, {}, {}, false};
        return c.remove({member});
      case 3:
        expected = Expected{member.kind, cls.name, name, {}, {}};
        return c.rename(member, name);
      case 4:
      case 5: {
        const RowRef& changed = isObject ? member : cls;
        const QString cell = any({"transportation", "order", "dimensions", "semantics"});
        expected = Expected{changed.kind, changed.owner, changed.name, cell, value};
        return c.setCell(changed, cell, value);
      }
      case 6:
        return c.move(member, below(7) - 3);
      case 7:
        return c.rename(cls, name);
      case 8:
        return c.addSubclass(cls, name);
      case 9:
        return c.reparent(cls, any(namesOf(c.modules(), classKind)));
      case 10:
        return below(4) == 0 ? c.remove({cls}) : c.move(cls, below(5) - 2);
      case 11:
        return c.add(row(RowKind::RoutingSpace, name));
      case 12:
        return below(2) == 0 ? c.add(row(RowKind::Dimension, any(spaces) + u'_' + name))
                             : c.rename(row(RowKind::RoutingSpace, any(spaces)), name);
      default:
        return c.remove({below(2) == 0 ? row(RowKind::RoutingSpace, any(spaces))
                                       : row(RowKind::Dimension,
                                             any(namesOf(c.modules(), RowKind::Dimension)))});
    }
  }

 private:
  int below(int limit) {
    return std::uniform_int_distribution<int>(0, std::max(0, limit - 1))(random_);
  }
  QString any(const QStringList& of) {
    return of.isEmpty() ? QString() : of[below(static_cast<int>(of.size()))];
  }

  std::mt19937 random_;
};

}  // namespace

void TestFedEditing::anyEditsOfRealFilesAreReadAndUndone() {
  std::vector<std::pair<QString, std::string>> files{{"Harbour", kFed}};
  const QString given = qEnvironmentVariable("TUTTI_FOMS");
  QDirIterator found(given.isEmpty() ? QStringLiteral(TUTTI_SOURCE_DIR "/../shared/foms") : given,
                     {"*.fed"}, QDir::Files, QDirIterator::Subdirectories);
  while (found.hasNext()) {
    const QString path = found.next();
    const std::string text = content(path);
    if (omt::readModule(text, "x")) files.emplace_back(path, text);
  }
  constexpr int edits = 10000;
  const int each = edits / static_cast<int>(files.size()) + 1;
  int made = 0;
  unsigned seed = 1;
  for (const auto& [path, text] : files) {
    Edited m({text});
    Person person(seed++);
    for (int i = 0, tries = 0; i < each && tries < 20 * each; ++tries) {
      const auto change = person.anyChange(m.changes());
      if (!change || change->changes.empty()) continue;
      const std::string before = m.text();
      QVERIFY2(m.apply(change), qPrintable(path + ": " + change->label + ": " + m.refused));
      ++made;
      ++i;
      const auto read = omt::readModule(m.text(), "x");
      QVERIFY2(read.has_value(),
               qPrintable(path + " after " + change->label + ": " +
                          (read ? QString() : QString::fromStdString(read.error().toText()))));
      if (!person.expected) continue;
      // What HLA 1.3 keeps for itself is not of the model.
      const QString of = person.expected->owner + u'.' + person.expected->name;
      if (of.contains("RTIprivate") || of.contains("Manager")) continue;
      QVERIFY2(holds(*read, *person.expected), qPrintable(path + ": " + change->label + ": " + of));
      const int gone = linesGone(before, m.text());
      QVERIFY2(!person.expected->isThere || gone <= 1,
               qPrintable(QStringLiteral("%1: %2: %3 lines").arg(path, change->label).arg(gone)));
    }
    QVERIFY2(m.undone(), qPrintable(path));
  }
  qInfo("%d edits of %zu files", made, files.size());
  QVERIFY(made >= edits * 9 / 10);
}

QTEST_GUILESS_MAIN(TestFedEditing)
#include "tst_fed_editing.moc"
