// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "fom-editor/model/merge_matching.h"
#include "fom-editor/model/module_edits.h"
#include "fom-editor/model/module_merge.h"
#include "omt/merge.h"
#include "omt/reader.h"
#include "omt/text.h"

using namespace tutti::fomedit;
namespace omt = tutti::omt;

namespace {

std::string content(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
  return file.readAll().toStdString();
}

using Edits = QList<std::pair<QString, QString>>;

QString base() {
  static const QString text = QString::fromStdString(
      content(QStringLiteral(TUTTI_SOURCE_DIR "/tests/fom-editor/data/Tracks.xml")));
  return text;
}

QString edited(QString text, const Edits& edits) {
  for (const auto& [from, to] : edits) {
    if (text.count(from) != 1) qFatal("%lld times: %s", text.count(from), qPrintable(from));
    text.replace(from, to);
  }
  return text;
}

ModuleSource parsed(const std::string& bytes) {
  auto source = ModuleSource::parse(bytes, "Test.xml");
  if (!source) qFatal("%s", source.error().toText().c_str());
  return std::move(*source);
}

ModuleMerge merged(const std::string& base, const std::string& ours, const std::string& theirs) {
  auto merge = mergeModules(parsed(base), parsed(ours), parsed(theirs));
  if (!merge) qFatal("%s", merge.error().toText().c_str());
  return std::move(*merge);
}
ModuleMerge chosen(const QString& base, const QString& ours, const QString& theirs,
                   const MergeChoices& choices) {
  auto merge = mergeModules(parsed(base.toStdString()), parsed(ours.toStdString()),
                            parsed(theirs.toStdString()), choices);
  if (!merge) qFatal("%s", merge.error().toText().c_str());
  return std::move(*merge);
}
/// Whether two modules mean the same: white space and the order of rows aside.
bool meanTheSame(const std::string& one, const std::string& other) {
  Meanings meanings;
  return meanings.of(parsed(one)).front() == meanings.of(parsed(other)).front();
}

ModuleMerge merged(const QString& base, const QString& ours, const QString& theirs) {
  return merged(base.toStdString(), ours.toStdString(), theirs.toStdString());
}

QStringList conflictsOf(const ModuleMerge& merge) {
  QStringList list;
  for (const MergeConflict& c : merge.conflicts) {
    list << QString::fromStdString(c.place + " | " + c.reason + " | " + c.base.text + " | " +
                                   c.ours.text + " | " + c.theirs.text);
  }
  return list;
}

/// Places and reasons, with the sides in a fixed order: equal for exchanged sides.
QStringList verdictOf(const ModuleMerge& merge) {
  QStringList list;
  for (const MergeConflict& c : merge.conflicts) {
    const auto [first, second] = std::minmax(c.ours.text, c.theirs.text);
    list << QString::fromStdString(c.reason + '|' + first + '|' + second);
  }
  list.sort();
  return list;
}

const QString kSpeed = "<name>speed</name>\n          <dataType>Length</dataType>";
const QString kPosition = "<name>position</name>\n          <dataType>Length</dataType>";
const QString kShip =
    "      <objectClass>\n        <name>Ship</name>\n        <sharing>Publish</sharing>\n"
    "      </objectClass>\n";
const QString kFlight =
    "        <objectClass>\n          <name>Flight</name>\n          <sharing>Publish</sharing>\n"
    "        </objectClass>\n";
const QString kSpare =
    "      <simpleData>\n        <name>Spare</name>\n"
    "        <representation>HLAfloat64BE</representation>\n      </simpleData>\n";
const QString kX = "<field><name>x</name><dataType>Length</dataType></field>";
const QString kY = "<field><name>y</name><dataType>Length</dataType></field>";

QString typed(const QString& member, const QString& type) {
  return QString(member).replace("Length", type);
}

QStringList realModules(const QStringList& names) {
  const QString given = qEnvironmentVariable("TUTTI_FOMS");
  QDirIterator files(given.isEmpty() ? QStringLiteral(TUTTI_SOURCE_DIR "/../shared/foms") : given,
                     {"*.xml"}, QDir::Files, QDirIterator::Subdirectories);
  QStringList paths;
  while (files.hasNext()) {
    const QString path = files.next();
    for (const QString& name : names) {
      if (QFileInfo(path).fileName().startsWith(name)) paths << path;
    }
  }
  paths.sort();
  return paths;
}

/// Texts of elements without child elements and of XML attributes, by their place; of all other
/// elements the place alone.
std::multimap<std::string, std::string> valuesOf(const ModuleSource& source) {
  std::multimap<std::string, std::string> values;
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    const std::string place = mergePlace(source, id);
    values.emplace(place, omt::shortened(omt::collapsed(source.rawText(id))));
    for (const SourceAttribute& a : source.attributes(id)) {
      values.emplace(place + ", " + std::string(source.text(a.name)),
                     omt::shortened(omt::collapsed(source.resolved(a.value))));
    }
  }
  return values;
}

/// Names of datatypes that a module defines, and those that it uses without defining them.
struct DataTypes {
  explicit DataTypes(const ModuleSource& source) {
    for (ElementId id = 1; id < source.elements().size(); ++id) {
      const ElementId table = source.at(id).parent;
      const ElementId above = source.at(table).parent;
      if (above != noElement && source.nameOf(above) == "dataTypes") {
        defined.insert(rowName(source, id));
      }
      const std::string_view name = source.nameOf(id);
      if (name == "dataType" || name == "representation") {
        dangling.insert(omt::collapsed(source.rawText(id)));
      }
    }
    for (const std::string& name : defined) dangling.erase(name);
  }
  std::set<std::string> defined;
  std::set<std::string> dangling;
};

const MergeSide* sideOf(const MergeConflict& conflict, MergeChoice choice) {
  return choice == MergeChoice::Ours     ? &conflict.ours
         : choice == MergeChoice::Theirs ? &conflict.theirs
         : choice == MergeChoice::Base   ? &conflict.base
                                         : nullptr;
}

/// Where a result is not as was chosen; empty: nowhere.
QStringList brokenChoices(const std::string& ours, const std::string& theirs,
                          const ModuleMerge& merge) {
  QStringList broken;
  const ModuleSource result = parsed(merge.bytes);
  const auto values = valuesOf(result);
  const DataTypes x(parsed(ours));
  const DataTypes y(parsed(theirs));
  const DataTypes all(result);
  std::map<std::string, int> told;
  for (const MergeConflict& c : merge.conflicts) ++told[c.place];
  std::set<std::string> decided;
  for (const MergeConflict& c : merge.conflicts) {
    if (!c.chosen) continue;
    const MergeSide* side = sideOf(c, c.chosen->choice);
    const bool isThere = values.contains(c.place);
    const auto tell = [&](const char* what) {
      broken << QString::fromStdString(c.key + ": " + c.reason + ' ' +
                                       mergeChoiceName(c.chosen->choice) + ", " + what);
    };
    if (c.reason.starts_with("One has removed it, the other uses it anew.")) {
      if (side != nullptr && side->text == "defined" && !isThere) tell("not there");
      decided.insert(c.place);
    } else if (c.key.ends_with(" (moved)")) {
      if (c.chosen->choice == MergeChoice::Ours && values.contains(c.theirs.text)) tell("twice");
      if (c.chosen->choice == MergeChoice::Theirs && values.contains(c.ours.text)) tell("twice");
    } else if (told[c.place] == 1 && c.reason == "One has removed it, the other has changed it.") {
      if (side->text != "not there" && !isThere) tell("not there");
      if (side->text == "not there" && isThere) tell("still there");
    } else if (told[c.place] == 1 && c.reason.ends_with("different values.") &&
               values.count(c.place) == 1) {
      const std::string& text = side != nullptr ? side->text : c.chosen->text;
      if (values.find(c.place)->second != text) tell("another value");
    }
  }
  for (const std::string& name : all.dangling) {
    if (x.dangling.contains(name) || y.dangling.contains(name)) continue;
    if (!x.defined.contains(name) && !y.defined.contains(name)) continue;
    if (!decided.contains("datatype " + omt::shortened(name))) {
      broken << QString::fromStdString("datatype " + name + " is used and not defined");
    }
  }
  return broken;
}

/// Edits of all kinds anywhere, also of what others edit.
std::string wildEdits(const std::string& bytes, std::mt19937& random, const std::string& mark,
                      int count) {
  ModuleSource source = parsed(bytes);
  for (int i = 0; i < count; ++i) {
    std::vector<ElementId> rows;
    std::vector<ElementId> classes;
    for (ElementId id = 1; id < source.elements().size(); ++id) {
      const std::string_view name = source.nameOf(id);
      const bool isRow = name == "attribute" || name == "parameter" || name == "field" ||
                         name == "enumerator" || name.ends_with("Data");
      if (isRow && !rowName(source, id).empty()) rows.push_back(id);
      const std::string_view above = source.nameOf(source.at(id).parent);
      if (name == "objectClass" && above == "objectClass") classes.push_back(id);
    }
    if (rows.empty() || classes.empty()) break;
    const ElementId row = rows[random() % rows.size()];
    const ElementId one = classes[random() % classes.size()];
    const ElementId other = classes[random() % classes.size()];
    Splices splices;
    switch (random() % 8) {
      case 0:
        splices = setCell(source, row, "semantics", mark + std::to_string(i));
        break;
      case 1:
        splices = renameRow(source, row, "New" + mark + std::to_string(i));
        break;
      case 2:
        splices = removeElement(source, row);
        break;
      case 3:
        splices = moveElement(source, one, other);
        break;
      case 4:
        splices =
            addElement(source, one,
                       {"attribute", {}, {{"name", "New" + mark + std::to_string(i), {}, {}}}, {}});
        break;
      case 5:
        splices = renameRow(source, one, "New" + mark + std::to_string(i));
        break;
      case 6:
        // To another place among its siblings.
        splices = moveElement(source, row, source.at(row).parent,
                              source.child(source.at(row).parent, source.nameOf(row)));
        break;
      default:
        splices = setAttribute(source, row, "notes", mark + std::to_string(i));
    }
    const auto applied = source.apply(splices);
    if (!applied) qFatal("%s", applied.error().toText().c_str());
  }
  return source.bytes();
}

/// Some edits at places that `random` chooses among elements for which `mine` says so.
std::string someEdits(const std::string& bytes, std::mt19937& random, const std::string& mark,
                      const std::function<bool(std::size_t)>& mine, int count) {
  ModuleSource source = parsed(bytes);
  for (int i = 0; i < count; ++i) {
    std::vector<ElementId> rows;
    std::size_t number = 0;
    for (ElementId id = 1; id < source.elements().size(); ++id) {
      const std::string_view name = source.nameOf(id);
      if (name != "attribute" && name != "parameter" && name != "simpleData") continue;
      // What an edit has added is no place of the base.
      if (rowName(source, id).starts_with("New")) continue;
      if (mine(number++)) rows.push_back(id);
    }
    if (rows.empty()) break;
    const ElementId row = rows[random() % rows.size()];
    Splices splices;
    switch (random() % 4) {
      case 0:
        splices = setCell(source, row, "semantics", mark + std::to_string(i));
        break;
      case 1:
        splices = setAttribute(source, row, "notes", mark + std::to_string(i));
        break;
      case 2: {
        const NewElement added{std::string(source.nameOf(row)),
                               {},
                               {{"name", "New" + mark + std::to_string(i), {}, {}},
                                {"dataType", "HLAboolean", {}, {}},
                                {"representation", "HLAoctet", {}, {}}},
                               {}};
        splices = addElement(source, source.at(row).parent, added, row);
        break;
      }
      default:
        splices = removeCell(source, row, "semantics");
    }
    const auto applied = source.apply(splices);
    if (!applied) qFatal("%s", applied.error().toText().c_str());
  }
  return source.bytes();
}

}  // namespace

class TestModuleMerge : public QObject {
  Q_OBJECT

 private slots:
  void changesOfBothAreJoined_data() {
    QTest::addColumn<Edits>("ours");
    QTest::addColumn<Edits>("theirs");
    QTest::addColumn<Edits>("result");
    const auto row = [](const char* name, const Edits& ours, const Edits& theirs) {
      QTest::newRow(name) << ours << theirs << ours + theirs;
    };
    const QString glider =
        "        <objectClass>\n          <name>Glider</name>\n        </objectClass>\n";
    row("other cells of one row", {{kPosition, typed(kPosition, "Point")}},
        {{"Where it is", "Where it was"}});
    row("a cell and an XML attribute", {{kPosition, typed(kPosition, "Point")}},
        {{"notes=\"n1\"", "notes=\"n1 n2\""}});
    row("the same in both and something else", {{"Where it is", "Where it was"}},
        {{"<units>m</units>", "<units>ft</units>"}});
    row("a class is added, another removed", {{kFlight, kFlight + glider}}, {{kShip, ""}});
    row("an attribute is added beside one that is changed", {{"Where it is", "Where it was"}},
        {{"        <attribute>\n          <name>speed",
          "        <attribute>\n          <name>heading</name>\n        </attribute>\n"
          "        <attribute>\n          <name>speed"}});
    row("a datatype that nothing uses is removed", {{"Where it is", "Where it was"}},
        {{kSpare, ""}});
    row("fields are added", {{"<units>m</units>", "<units>ft</units>"}},
        {{kY, kY + "\n        <field><name>z</name></field>"}});
    row("fields are exchanged, one of them is changed by the other", {{kX, kX}},
        {{kX, "<field/>"}, {kY, kX}, {"<field/>", kY}});
    row("an enumerator", {{"<value>1<", "<value>7<"}}, {{"<value>2<", "<value>8<"}});
    row("a table", {{"Where it is", "Where it was"}},
        {{"  <dataTypes>\n",
          "  <dimensions>\n    <dimension>\n      <name>D</name>\n    </dimension>\n"
          "  </dimensions>\n  <dataTypes>\n"}});
  }
  void changesOfBothAreJoined() {
    QFETCH(Edits, ours);
    QFETCH(Edits, theirs);
    QFETCH(Edits, result);
    // A blank more, so that not only the bytes of the base are recognized.
    const QString mine =
        edited(base(), ours + Edits{{"<objectModel xmlns", "<objectModel  xmlns"}});
    const QString other = edited(base(), theirs);
    const QString expected =
        edited(base(), result + Edits{{"<objectModel xmlns", "<objectModel  xmlns"}});
    const ModuleMerge merge = merged(base(), mine, other);
    QCOMPARE(conflictsOf(merge), QStringList());
    QCOMPARE(QString::fromStdString(merge.bytes).split('\n'), expected.split('\n'));
    QVERIFY(merge.marked == merge.bytes);
    QVERIFY(merge.taken > 0);
  }

  void fieldsInAnotherOrderKeepWhatOursChanged() {
    const QString mine = edited(base(), {{kX, typed(kX, "Spare")}});
    const QString other = edited(base(), {{kX, "<field/>"}, {kY, kX}, {"<field/>", kY}});
    const ModuleMerge merge = merged(base(), mine, other);
    QCOMPARE(conflictsOf(merge), QStringList());
    QCOMPARE(QString::fromStdString(merge.bytes), edited(mine, {{typed(kX, "Spare"), "<field/>"},
                                                                {kY, typed(kX, "Spare")},
                                                                {"<field/>", kY}}));
  }

  void whatCannotBeJoinedIsNamed_data() {
    QTest::addColumn<Edits>("ours");
    QTest::addColumn<Edits>("theirs");
    QTest::addColumn<QStringList>("conflicts");
    const auto row = [](const char* name, const Edits& ours, const Edits& theirs,
                        const QString& conflict) {
      QTest::newRow(name) << ours << theirs << QStringList{conflict};
    };
    const QString track = "object class HLAobjectRoot.Track";
    row("two values", {{kSpeed, typed(kSpeed, "Spare")}}, {{kSpeed, typed(kSpeed, "Point")}},
        track +
            ", attribute speed, dataType | Both have changed it, to different values. | Length "
            "| Spare | Point");
    row("two values of an XML attribute", {{"\"n1\"", "\"n2\""}}, {{"\"n1\"", "\"n3\""}},
        track +
            ", attribute position, notes | Both have changed it, to different values. | n1 | "
            "n2 | n3");
    row("removed and changed", {{kShip, ""}},
        {{kShip, QString(kShip).replace("Publish<", "Subscribe<")}},
        "object class HLAobjectRoot.Ship | One has removed it, the other has changed it. | object "
        "class Ship | not there | sharing: Publish -> Subscribe");
    row("changed and removed, below",
        {{"<name>Flight</name>", "<name>Flight</name><semantics>a</semantics>"}}, {{kFlight, ""}},
        track +
            ".Flight | One has removed it, the other has changed it. | object class Flight | "
            "added semantics | not there");
    row("a cell removed and changed", {{"        <units>m</units>\n", ""}},
        {{"<units>m<", "<units>ft<"}},
        "datatype Length, units | One has removed it, the other has changed it. | units | not "
        "there | units: m -> ft");
    row("added otherwise",
        {{kSpare, kSpare + "<simpleData><name>T</name><units>s</units></simpleData>\n"}},
        {{kSpare, kSpare + "<simpleData><name>T</name><units>ms</units></simpleData>\n"}},
        "datatype T, units | Both have added it, with different values. | not there | s | ms");
    row("renamed otherwise", {{"<name>Ship<", "<name>Boat<"}}, {{"<name>Ship<", "<name>Vessel<"}},
        "object class HLAobjectRoot | Both have removed the same, and each has added something "
        "else. | object class Ship | object class Boat | object class Vessel");
    row("moved and changed", {{kFlight, ""}, {kShip, kShip + QString(kFlight)}},
        {{"<name>Flight</name>", "<name>Flight</name><semantics>a</semantics>"}},
        track +
            ".Flight | One has removed it, the other has changed it. | object class Flight | "
            "not there | added semantics");
    row("moved to two places", {{kFlight, ""}, {kShip, kShip + QString(kFlight)}},
        {{kFlight, ""},
         {kShip, QString(kShip).replace("      </objectClass>", kFlight + "      </objectClass>")}},
        track +
            ".Flight | Both have moved it, to different places. | object class "
            "HLAobjectRoot.Track.Flight | object class HLAobjectRoot.Flight | object class "
            "HLAobjectRoot.Ship.Flight");
    row("fields in two orders", {{kY, kY + "<field><name>z</name></field>"}},
        {{kY, kY + "<field><name>w</name></field>"}},
        "datatype Point, fields | Both have changed which fields there are, or their order. | x, y "
        "| x, y, z | x, y, w");
    row("a cell removed and repeated", {{"        <units>m</units>\n", ""}},
        {{"<units>m</units>", "<units>m</units><units>m</units>"}},
        "datatype Length, units | Both have changed it, and one of the versions has it more than "
        "once. | units | not there | units, 2 times");
    row("a name changed and repeated",
        {{"<name>Length</name>", "<name notes=\"n1\">Length</name>"}},
        {{"<name>Length</name>", "<name>Length</name><name>Width</name>"}},
        "datatype Length, name | Both have changed it, and one of the versions has it more than "
        "once. | name | name | name, 2 times");
    row("a datatype removed and used anew", {{kSpare, ""}}, {{kSpeed, typed(kSpeed, "Spare")}},
        "datatype Spare | One has removed it, the other uses it anew. | defined | not there | "
        "defined");
    row("one value for two enumerators",
        {{"<name>Taxi</name><value>1", "<name>Taxi</name><value>9"}},
        {{"<enumerator><name>Climb",
          "<enumerator><name>Land</name><value>9</value></enumerator><enumerator><name>Climb"}},
        "datatype Phase, value 9 | Enumerators of both get the same value: Land, Taxi. | not there "
        "| one of them | one of them");
  }
  void whatCannotBeJoinedIsNamed() {
    QFETCH(Edits, ours);
    QFETCH(Edits, theirs);
    QFETCH(QStringList, conflicts);
    const QString mine = edited(base(), ours);
    const QString other = edited(base(), theirs);
    const ModuleMerge merge = merged(base(), mine, other);
    QCOMPARE(conflictsOf(merge), conflicts);
    QCOMPARE(verdictOf(merged(base(), other, mine)), verdictOf(merge));
    // Without markers it is a module; with them it is none, and has both versions in it.
    QVERIFY(omt::readModule(merge.bytes, "Test.xml"));
    const QString marked = QString::fromStdString(merge.marked);
    QVERIFY(!omt::readModule(merge.marked, "Test.xml"));
    QStringList sides[2];
    int in = 2;
    for (const QString& line : marked.split('\n')) {
      if (line.startsWith("<<<<<<< ")) {
        in = 0;
      } else if (line == "=======") {
        in = 1;
      } else if (line.startsWith(">>>>>>> ")) {
        in = 2;
      } else if (in < 2) {
        sides[in] << line;
      } else {
        sides[0] << line;
        sides[1] << line;
      }
    }
    QCOMPARE(sides[0].join('\n'), QString::fromStdString(merge.bytes));
    const auto chosen = ModuleSource::parse(sides[1].join('\n').toStdString(), "Test.xml");
    QVERIFY2(chosen, chosen ? "" : chosen.error().toText().c_str());
    if (merge.toldAtEnd > 0) {
      // One has no place of two texts: it is told.
      QCOMPARE(merge.toldAtEnd, 1);
      const QString told =
          sides[1].mid(sides[1].indexOf(QRegularExpression("<!-- Conf.*"))).join(' ');
      for (const QString& part : conflicts.front().split(" | ")) {
        QVERIFY2(told.contains(part), qPrintable(told));
      }
      return;
    }
    // The other side is what merging the other way round gives.
    QCOMPARE(
        sides[1].join('\n').remove(' ').remove('\n').size(),
        QString::fromStdString(merged(base(), other, mine).bytes).remove(' ').remove('\n').size());
  }

  void eachChoiceGivesWhatItSays_data() {
    QTest::addColumn<Edits>("ours");
    QTest::addColumn<Edits>("theirs");
    QTest::addColumn<MergeChoice>("choice");
    QTest::addColumn<QString>("text");
    QTest::addColumn<Edits>("result");  ///< edits of the base that give it
    const auto row = [](const char* name, const Edits& ours, const Edits& theirs,
                        MergeChoice choice, const Edits& result, const QString& text = {}) {
      QTest::addRow("%s, %s", name, mergeChoiceName(choice))
          << ours << theirs << choice << text << result;
    };
    using enum MergeChoice;
    const auto value = [](const QString& type) { return Edits{{kSpeed, typed(kSpeed, type)}}; };
    row("value", value("Spare"), value("Point"), Ours, value("Spare"));
    row("value", value("Spare"), value("Point"), Theirs, value("Point"));
    row("value", value("Spare"), value("Point"), Base, {});
    row("value", value("Spare"), value("Point"), Edited, value("HLAoctet"), "HLAoctet");
    row("value", value("Spare"), value("Point"), Edited, value("a &lt; b &amp; c"), "a < b & c");
    const auto notes = [](const QString& labels) { return Edits{{"\"n1\"", '"' + labels + '"'}}; };
    row("XML attribute", notes("n2"), notes("n3"), Theirs, notes("n3"));
    row("XML attribute", notes("n2"), notes("n3"), Base, {});
    row("XML attribute", notes("n2"), notes("n3"), Edited, notes("n4 n5"), "n4 n5");
    row("XML attribute gone", {{" notes=\"n1\"", ""}}, notes("n3"), Base, {});
    row("XML attribute gone", {{" notes=\"n1\"", ""}}, notes("n3"), Theirs, notes("n3"));
    row("XML attribute gone", notes("n3"), {{" notes=\"n1\"", ""}}, Theirs,
        {{" notes=\"n1\"", ""}});
    const Edits shipGone{{kShip, ""}};
    const Edits shipChanged{{kShip, QString(kShip).replace("Publish<", "Subscribe<")}};
    row("removed by ours", shipGone, shipChanged, Ours, shipGone);
    row("removed by ours", shipGone, shipChanged, Theirs, shipChanged);
    row("removed by ours", shipGone, shipChanged, Base, {});
    row("removed by theirs", shipChanged, shipGone, Ours, shipChanged);
    row("removed by theirs", shipChanged, shipGone, Theirs, shipGone);
    row("removed by theirs", shipChanged, shipGone, Base, {});
    const Edits boat{{"<name>Ship<", "<name>Boat<"}};
    const Edits vessel{{"<name>Ship<", "<name>Vessel<"}};
    row("renamed", boat, vessel, Ours, boat);
    row("renamed", boat, vessel, Theirs, vessel);
    row("renamed", boat, vessel, Base, {});
    row("renamed", boat, vessel, Both,
        {{kShip,
          QString(kShip).replace("Ship", "Boat") + QString(kShip).replace("Ship", "Vessel")}});
    const QString below =
        QString(kShip).replace("      </objectClass>", kFlight + "      </objectClass>");
    const Edits moved{{kFlight, ""}, {kShip, kShip + QString(kFlight)}};
    const Edits elsewhere{{kFlight, ""}, {kShip, below}};
    row("moved", moved, elsewhere, Ours, moved);
    row("moved", moved, elsewhere, Theirs, elsewhere);
    row("moved", moved, elsewhere, Both, {{kFlight, ""}, {kShip, below + QString(kFlight)}});
    row("moved below an unchanged class", elsewhere, moved, Ours, elsewhere);
    row("moved below an unchanged class", elsewhere, moved, Theirs, moved);
    row("moved below an unchanged class", elsewhere, moved, Both,
        {{kFlight, ""}, {kShip, below + QString(kFlight)}});
    const QString z = "<field><name>z</name></field>";
    const QString w = "<field><name>w</name></field>";
    row("fields", {{kY, kY + z}}, {{kY, kY + w}}, Ours, {{kY, kY + z}});
    row("fields", {{kY, kY + z}}, {{kY, kY + w}}, Theirs, {{kY, kY + w}});
    row("fields", {{kY, kY + z}}, {{kY, kY + w}}, Both, {{kY, kY + w + z}});
    row("fields removed", {{kX, ""}, {kY, ""}}, {{kY, kY + w}}, Theirs, {{kY, kY + w}});
    row("fields renamed", {{kX, QString(kX).replace("x<", "u<")}},
        {{kX, QString(kX).replace("x<", "v<")}}, Theirs, {{kX, QString(kX).replace("x<", "v<")}});
    const Edits spareGone{{kSpare, ""}};
    row("datatype gone", spareGone, value("Spare"), Ours, spareGone + value("Spare"));
    row("datatype gone", spareGone, value("Spare"), Theirs, value("Spare"));
    row("datatype gone in theirs", value("Spare"), spareGone, Ours, value("Spare"));
    row("datatype gone in theirs", value("Spare"), spareGone, Theirs, spareGone + value("Spare"));
    const auto landing = [](const QString& name) {
      return Edits{{"<enumerator><name>Climb", "<enumerator><name>" + name +
                                                   "</name><value>9</value></enumerator>"
                                                   "<enumerator><name>Climb"}};
    };
    row("enumerators", landing("Land"), landing("Rest"), Ours, landing("Land"));
    row("enumerators", landing("Land"), landing("Rest"), Theirs, landing("Rest"));
    row("enumerators", landing("Land"), landing("Rest"), Both,
        {{"<enumerator><name>Climb",
          "<enumerator><name>Land</name><value>9</value></enumerator><enumerator><name>Rest</name>"
          "<value>9</value></enumerator><enumerator><name>Climb"}});
  }
  void eachChoiceGivesWhatItSays() {
    QFETCH(Edits, ours);
    QFETCH(Edits, theirs);
    QFETCH(MergeChoice, choice);
    QFETCH(QString, text);
    QFETCH(Edits, result);
    const QString mine = edited(base(), ours);
    const QString other = edited(base(), theirs);
    const ModuleMerge open = merged(base(), mine, other);
    QCOMPARE(open.conflicts.size(), std::size_t{1});
    QCOMPARE(open.open, 1);
    QVERIFY(open.conflicts.front().offers(choice));
    MergeChoices choices;
    choices.byKey[open.conflicts.front().key] = {choice, text.toStdString()};
    const ModuleMerge merge = chosen(base(), mine, other, choices);
    QCOMPARE(conflictsOf(merge), conflictsOf(open));
    QCOMPARE(merge.open, 0);
    QVERIFY(merge.conflicts.front().chosen == choices.byKey.begin()->second);
    QCOMPARE(merge.marked, merge.bytes);
    QVERIFY2(meanTheSame(merge.bytes, edited(base(), result).toStdString()), merge.bytes.c_str());
  }

  /// One has removed a whole table, the other uses a row of it anew.
  void aTableStaysForTheRowsThatAreChosen_data() {
    QTest::addColumn<Edits>("before");
    QTest::addColumn<QString>("table");
    QTest::addColumn<QString>("reduced");  ///< the table with the row that is used
    QTest::addColumn<Edits>("uses");
    const QString sector = "    <dimension><name>Sector</name></dimension>\n";
    const QString other = "    <dimension><name>Other</name></dimension>\n";
    const auto dimensions = [](const QString& rows) {
      return "  <dimensions>\n" + rows + "  </dimensions>\n";
    };
    const Edits uses{{kSpeed, kSpeed + "<dimensions><dimension>Sector</dimension></dimensions>"}};
    const auto with = [&](const QString& rows) {
      return Edits{{"  <dataTypes>\n", dimensions(rows) + "  <dataTypes>\n"}};
    };
    QTest::newRow("with its only row")
        << with(sector) << dimensions(sector) << dimensions(sector) << uses;
    QTest::newRow("with other rows")
        << with(other + sector) << dimensions(other + sector) << dimensions(sector) << uses;
    const qsizetype begin = base().indexOf("  <dataTypes>");
    const QString types = base().mid(begin, base().indexOf("</objectModel>") - begin);
    const QString length = types.left(types.indexOf("      <simpleData>\n        <name>Spare")) +
                           "    </simpleDataTypes>\n  </dataTypes>\n";
    QTest::newRow("with the tables beside it")
        << Edits{{kSpeed, typed(kSpeed, "HLAfloat64BE")},
                 {kPosition, typed(kPosition, "HLAfloat64BE")}}
        << types << length << Edits{{typed(kSpeed, "HLAfloat64BE"), kSpeed}};
  }
  void aTableStaysForTheRowsThatAreChosen() {
    QFETCH(Edits, before);
    QFETCH(QString, table);
    QFETCH(QString, reduced);
    QFETCH(Edits, uses);
    const QString was = edited(base(), before);
    const QString gone = edited(was, {{table, ""}});
    const QString used = edited(was, uses);
    const QString back = edited(used, {{table, reduced}});
    for (const bool oursRemoved : {true, false}) {
      const QString& mine = oursRemoved ? gone : used;
      const QString& other = oursRemoved ? used : gone;
      const ModuleMerge open = merged(was, mine, other);
      QCOMPARE(open.conflicts.size(), std::size_t{1});
      for (const MergeChoice choice : {MergeChoice::Ours, MergeChoice::Theirs}) {
        MergeChoices choices;
        choices.byKey[open.conflicts.front().key] = {choice, {}};
        const ModuleMerge merge = chosen(was, mine, other, choices);
        QCOMPARE(merge.open, 0);
        const bool isBack = oursRemoved == (choice == MergeChoice::Theirs);
        const QString expected = isBack ? back : edited(used, {{table, ""}});
        QVERIFY2(meanTheSame(merge.bytes, expected.toStdString()), merge.bytes.c_str());
      }
    }
  }

  /// The table has a conflict of its own; it is as base has it, and so the row is missing.
  void aTableAsBaseHasItGetsTheRowsThatAreChosen() {
    const auto table = [](const QString& rows) {
      return "  <dimensions>\n" + rows + "  </dimensions>\n";
    };
    const QString sector = "    <dimension><name>Sector</name></dimension>\n";
    const QString fresh = "    <dimension><name>Fresh</name></dimension>\n";
    const QString was = edited(base(), {{"  <dataTypes>\n", table(sector) + "  <dataTypes>\n"}});
    const QString gone = edited(was, {{table(sector), ""}});
    const QString used = edited(
        was, {{sector, QString(sector).replace("</name>", "</name><value>RTI</value>") + fresh},
              {kSpeed, kSpeed + "<dimensions><dimension>Fresh</dimension></dimensions>"}});
    for (const bool oursRemoved : {true, false}) {
      const QString& mine = oursRemoved ? gone : used;
      const QString& other = oursRemoved ? used : gone;
      const MergeChoice side = oursRemoved ? MergeChoice::Theirs : MergeChoice::Ours;
      const MergeChoice without = oursRemoved ? MergeChoice::Ours : MergeChoice::Theirs;
      for (const MergeChoice ofTable : {MergeChoice::Base, without}) {
        MergeChoices choices;
        choices.byKey["dimensions"] = {ofTable, {}};
        const ModuleMerge open = chosen(was, mine, other, choices);
        QVERIFY2(open.conflicts.front().chosen, open.conflicts.front().key.c_str());
        QCOMPARE(open.open, 1);
        choices.byKey[open.conflicts.back().key] = {side, {}};
        const ModuleMerge merge = chosen(was, mine, other, choices);
        QCOMPARE(merge.open, 0);
        const QString rows = ofTable == MergeChoice::Base ? sector + fresh : fresh;
        const QString expected = edited(
            used,
            {{QString(sector).replace("</name>", "</name><value>RTI</value>") + fresh, rows}});
        QVERIFY2(meanTheSame(merge.bytes, expected.toStdString()), merge.bytes.c_str());
      }
    }
  }

  /// Each record that comes back needs the next.
  void decisionsThatFollowFromEachOtherAreAllInTheResult() {
    constexpr int count = 12;
    QString records;
    for (int i = 1; i <= count; ++i) {
      const QString next = i < count ? QStringLiteral("T%1").arg(i + 1) : QStringLiteral("Length");
      records += QStringLiteral(
                     "      <fixedRecordData><name>T%1</name><field><name>x</name><dataType>%2"
                     "</dataType></field></fixedRecordData>\n")
                     .arg(i)
                     .arg(next);
    }
    const QString begin = "    <fixedRecordDataTypes>\n";
    const QString was = edited(base(), {{begin, begin + records}});
    const QString used = edited(was, {{kSpeed, typed(kSpeed, "T1")}});
    MergeChoices choices;
    choices.rest = MergeChoice::Theirs;
    ModuleMerge merge = chosen(was, edited(was, {{records, ""}}), used, choices);
    QCOMPARE(merge.open, 0);
    QCOMPARE(merge.conflicts.size(), std::size_t{count});
    QVERIFY2(meanTheSame(merge.bytes, used.toStdString()), merge.bytes.c_str());
    choices.rest = MergeChoice::Ours;
    merge = chosen(was, used, edited(was, {{records, ""}}), choices);
    QCOMPARE(merge.open, 0);
    QVERIFY2(meanTheSame(merge.bytes, used.toStdString()), merge.bytes.c_str());
  }

  void aChoiceThatIsNotOfferedLeavesAConflictOpen() {
    const QString mine = edited(base(), {{kSpeed, typed(kSpeed, "Spare")}});
    const QString other = edited(base(), {{kSpeed, typed(kSpeed, "Point")}});
    MergeChoices choices;
    choices.rest = MergeChoice::Both;
    const ModuleMerge merge = chosen(base(), mine, other, choices);
    QCOMPARE(merge.open, 1);
    QVERIFY(!merge.conflicts.front().chosen);
    QVERIFY(merge.marked != merge.bytes);
  }

  /// Two conflicts about one field: whether it is there, and the order of all.
  void aFieldIsDecidedByItsOwnConflict() {
    const QString w = "<field><name>w</name></field>";
    const QString changed = typed(kX, "Spare");
    const QString mine = edited(base(), {{kX, changed}, {kY, kY + w}});
    const QString other = edited(base(), {{kX, ""}});
    const ModuleMerge open = merged(base(), mine, other);
    QCOMPARE(open.conflicts.size(), std::size_t{2});
    MergeChoices choices;
    choices.byKey[open.conflicts[0].key] = {MergeChoice::Ours, {}};
    choices.byKey[open.conflicts[1].key] = {MergeChoice::Theirs, {}};
    ModuleMerge merge = chosen(base(), mine, other, choices);
    QVERIFY2(meanTheSame(merge.bytes, edited(base(), {{kX, ""}, {kY, kY + changed}}).toStdString()),
             merge.bytes.c_str());
    choices.byKey[open.conflicts[0].key] = {MergeChoice::Theirs, {}};
    choices.byKey[open.conflicts[1].key] = {MergeChoice::Ours, {}};
    merge = chosen(base(), mine, other, choices);
    QVERIFY2(meanTheSame(merge.bytes, edited(base(), {{kX, ""}, {kY, kY + w}}).toStdString()),
             merge.bytes.c_str());
  }

  void changesWithoutAConflictAreToldForBothSides() {
    const QString mine = edited(base(), {{kSpeed, typed(kSpeed, "Spare")}});
    const QString other = edited(base(), {{kShip, ""}, {"\"n1\"", "\"n3\""}});
    const auto told = [](const QString& first, const QString& second) {
      QStringList list;
      for (const MergeChange& c :
           changesTaken(parsed(base().toStdString()), parsed(first.toStdString()),
                        parsed(second.toStdString()))) {
        list << QString::fromStdString(c.place + ": " + c.text);
      }
      return list;
    };
    QCOMPARE(
        told(mine, other),
        (QStringList{"object class HLAobjectRoot.Ship: removed",
                     "object class HLAobjectRoot.Track, attribute position, notes: n1 -> n3"}));
    QCOMPARE(told(other, mine),
             QStringList{"object class HLAobjectRoot.Track, attribute speed, dataType: Length -> "
                         "Spare"});
  }

  /// Whatever is chosen, in any order: nothing stays open, and the result is a module that has it.
  void anyChoicesGiveAModule_data() { mergingWithTheBaseGivesTheOther_data(); }
  void anyChoicesGiveAModule() {
    QFETCH(QString, path);
    const std::string base = content(path);
    std::mt19937 random(2010);
    int decided = 0;
    for (int i = 0; i < 40; ++i) {
      const auto few = [](std::size_t number) { return number < 3; };
      const bool wild = i % 2 == 0;
      const std::string x =
          wild ? wildEdits(base, random, "x", 6) : someEdits(base, random, "x", few, 4);
      const std::string y =
          wild ? wildEdits(base, random, "y", 6) : someEdits(base, random, "y", few, 4);
      MergeChoices choices;
      ModuleMerge merge = merged(base, x, y);
      for (int round = 0; merge.open > 0; ++round) {
        QVERIFY(round < 20);
        for (const MergeConflict& c : merge.conflicts) {
          if (c.chosen) continue;
          QVERIFY2(!c.offered.empty(), c.place.c_str());
          const MergeChoice choice = c.offered[random() % c.offered.size()];
          choices.byKey[c.key] = {choice, choice == MergeChoice::Edited ? "HLAoctet" : ""};
          ++decided;
        }
        auto next = mergeModules(parsed(base), parsed(x), parsed(y), choices);
        QVERIFY2(next, next ? "" : next.error().toText().c_str());
        merge = std::move(*next);
      }
      QVERIFY(ModuleSource::parse(merge.bytes, "Test.xml"));
      QCOMPARE(merge.marked, merge.bytes);
      QCOMPARE(brokenChoices(x, y, merge), QStringList());
    }
    QVERIFY(decided > 0);
  }

  void textBesideElementsIsTold() {
    const auto with = [](const char* inner) {
      return edited(
          base(), {{"  <dataTypes>\n", QString("  <tags>%1</tags>\n  <dataTypes>\n").arg(inner)}});
    };
    const ModuleMerge merge = merged(with(""), with("words"), with("<lookahead/>"));
    QCOMPARE(conflictsOf(merge),
             QStringList{"tags | One has added text, the other elements. |  |  | "});
    QCOMPARE(merge.toldAtEnd, 1);
    QVERIFY2(merge.marked.ends_with("\ntags: One has added text, the other elements.\n-->\n"
                                    ">>>>>>> theirs\n"),
             merge.marked.c_str());
  }

  /// A comment ends at the first "-->", and has no "--".
  void conflictsAreToldInAComment() {
    const QString twice = QString(kSpare).replace("Spare", "Spare--->--");
    const QString before = edited(base(), {{kSpare, kSpare + twice}});
    const ModuleMerge merge =
        merged(before, edited(before, {{twice, ""}}),
               edited(before, {{kSpeed, QString(kSpeed).replace("Length", "Spare--->--")}}));
    QCOMPARE(merge.toldAtEnd, 1);
    const QString theirs = QString::fromStdString(merge.marked)
                               .remove("<<<<<<< ours\n=======\n")
                               .remove(">>>>>>> theirs\n");
    const auto chosen = ModuleSource::parse(theirs.toStdString(), "Test.xml");
    QVERIFY2(chosen, chosen ? "" : chosen.error().toText().c_str());
    QVERIFY2(theirs.contains("\ndatatype Spare- - ->- -: One has removed it"), qPrintable(theirs));
  }

  void aVersionOfAnotherKindIsRefused() {
    const QString old = "<objectModel DTDversion=\"1516.2\"><objects/></objectModel>";
    const auto other = mergeModules(parsed(base().toStdString()),
                                    parsed(base().toStdString() + " "), parsed(old.toStdString()));
    QVERIFY(!other);
    QVERIFY(other.error().message.find("another edition") != std::string::npos);
    const auto prefixed =
        mergeModules(parsed(base().toStdString()), parsed(base().toStdString() + " "),
                     parsed("<m:objectModel xmlns:m=\"urn:m\"/>"));
    QVERIFY(!prefixed);
    QVERIFY(prefixed.error().message.find("another prefix") != std::string::npos);
    const auto fed = ModuleSource::parseFed("(FED (Federation x) (FEDversion v1.3))", "x.fed");
    QVERIFY2(fed, fed ? "" : fed.error().toText().c_str());
    const ModuleSource xml = parsed(base().toStdString());
    for (const auto& [one, two, three] :
         {std::tuple(&xml, &xml, &*fed), std::tuple(&*fed, &xml, &xml),
          std::tuple(&*fed, &*fed, &*fed)}) {
      const auto merge = mergeModules(*one, *two, *three);
      QVERIFY(!merge);
      QVERIFY(merge.error().message.find("of HLA 1.3") != std::string::npos);
      QCOMPARE(merge.error().file, std::string("x.fed"));
    }
    const QString mixed = edited(base(), {{"<name>Flight</name>", "text <name>Flight</name>"}});
    for (const auto& [ours, theirs] :
         {std::pair(base() + ' ', mixed), std::pair(mixed, base() + ' ')}) {
      const auto merge = mergeModules(parsed(base().toStdString()), parsed(ours.toStdString()),
                                      parsed(theirs.toStdString()));
      QVERIFY(!merge);
      QCOMPARE(merge.error().line, 19);
      QVERIFY(merge.error().message.find("beside the elements of <objectClass>") !=
              std::string::npos);
    }
  }

  /// A class that one has moved, and the other has one of its name elsewhere.
  void aClassOfTheSameNameElsewhereIsNoMove() {
    const QString below =
        QString(kShip).replace("      </objectClass>", kFlight + "      </objectClass>");
    const QString mine = edited(base(), {{kShip, kShip + QString(kFlight)}});
    const QString other = edited(base(), {{kFlight, ""}, {kShip, below}});
    const ModuleMerge merge = merged(base(), mine, other);
    QCOMPARE(conflictsOf(merge), QStringList());
    QCOMPARE(conflictsOf(merged(base().toStdString(), merge.bytes, other.toStdString())),
             QStringList());
  }

  /// A class that both have renamed is one conflict, not one for each of its members.
  void ofARenamedClassItsMembersAreNotTold() {
    const QString before = edited(base(), {{"<name>Flight</name>",
                                            "<name>Flight</name><attribute><name>level</name>"
                                            "</attribute><objectClass><name>Glider</name>"
                                            "<attribute><name>span</name></attribute>"
                                            "</objectClass>"}});
    const ModuleMerge merge = merged(before, edited(before, {{"<name>Track<", "<name>Contact<"}}),
                                     edited(before, {{"<name>Track<", "<name>Plot<"}}));
    QCOMPARE(conflictsOf(merge),
             QStringList{"object class HLAobjectRoot | Both have removed the same, and each has "
                         "added something else. | object class Track | object class Contact | "
                         "object class Plot"});
  }

  void conflictsAreCountedUpToABound() {
    QString rows[3];
    for (int i = 0; i < 1200; ++i) {
      for (int side = 0; side < 3; ++side) {
        rows[side] += QString("      <simpleData><name>T%1</name><units>u%2</units></simpleData>\n")
                          .arg(i)
                          .arg(side);
      }
    }
    const auto with = [&](int side) { return edited(base(), {{kSpare, rows[side]}}); };
    const ModuleMerge merge = merged(with(0), with(1), with(2));
    QCOMPARE(merge.conflicts.size(), std::size_t{1001});
    QCOMPARE(merge.conflicts.back().reason, std::string("There are more conflicts."));
    QCOMPARE(QString::fromStdString(merge.marked).count("<<<<<<< ours"), 1200);
    QCOMPARE(merge.open, 1200);
    // What is not listed is decided with the rest, or listed when others are decided.
    MergeChoices choices;
    choices.byKey[merge.conflicts.front().key] = {MergeChoice::Base, {}};
    const ModuleMerge next = chosen(with(0), with(1), with(2), choices);
    QCOMPARE(next.open, 1199);
    QCOMPARE(next.conflicts.size(), std::size_t{1002});
    choices.rest = MergeChoice::Theirs;
    const ModuleMerge all = chosen(with(0), with(1), with(2), choices);
    QCOMPARE(all.open, 0);
    QString expected = with(2);
    expected.replace(expected.indexOf("<units>u2"), 9, "<units>u0");
    QVERIFY(meanTheSame(all.bytes, expected.toStdString()));
  }

  void oursKeepsItsLineEndsAndEncoding() {
    const QByteArray mine = base()
                                .toUtf8()
                                .replace("UTF-8", "ISO-8859-1")
                                .replace("Where it is", "Wo es ist: \xFC")
                                .replace("\n", "\r\n");
    const QString before = edited(base(), {{"UTF-8", "ISO-8859-1"}, {"Where it is", "Wo es ist"}});
    const QString other =
        edited(before, {{kFlight, kFlight + QString(kFlight).replace("Flight", "Boat €")}})
            .replace("ISO-8859-1", "UTF-8");
    const ModuleMerge merge = merged(before.toStdString(), mine.toStdString(), other.toStdString());
    QCOMPARE(conflictsOf(merge), QStringList());
    const QByteArray expected = QByteArray(mine).replace(
        QString(kFlight).replace("\n", "\r\n").toUtf8(),
        QString(kFlight + QString(kFlight).replace("Flight", "Boat &#8364;"))
            .replace("\n", "\r\n")
            .toUtf8());
    QCOMPARE(QByteArray::fromStdString(merge.bytes), expected);
  }

  void whatStandsOutsideTheFirstElementIsMerged_data() {
    QTest::addColumn<QString>("ours");
    QTest::addColumn<QString>("theirs");
    QTest::addColumn<QString>("result");
    QTest::addColumn<QString>("conflict");
    const QString mine = edited(base(), {{"<units>m<", "<units>km<"}});
    const QString licence = "<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n";
    const auto row = [&](const char* name, const Edits& edits) {
      const QString ours = QString(mine).replace("\n", "\r\n");
      const QString result = edited(mine, edits).replace("\n", "\r\n");
      QTest::newRow(name) << ours << edited(base(), edits) << result << QString();
    };
    const Edits both{{licence, "<!-- Copyright -->\n" + licence},
                     {"</objectModel>\n", "</objectModel>\n<!-- 2026: first -->\n"}};
    row("a licence is changed", {{"GPL-3.0", "GPL-2.0"}});
    row("a licence is removed", {{licence, ""}});
    row("comments before and behind", both);
    row("an instruction and a document type",
        {{licence, "<?xml-model href=\"a.rnc\"?>\n<!DOCTYPE objectModel SYSTEM \"hla.dtd\">\n"}});
    const QString kept = edited(mine, both);
    QTest::newRow("ours has changed them") << kept << edited(base(), {{"Where it is", "Where"}})
                                           << edited(kept, {{"Where it is", "Where"}}) << QString();
    QTest::newRow("both, to the same") << kept << edited(base(), both) << kept << QString();
    QTest::newRow("both, before")
        << edited(base(), {{"GPL-3.0", "GPL-1.0"}}) << edited(base(), {{"GPL-3.0", "GPL-2.0"}})
        << edited(base(), {{"GPL-3.0", "GPL-1.0"}})
        << "before the first element | Both have changed it, to different values. | "
           "<!-- SPDX-License-Identifier: GPL-3.0-or... | <!-- SPDX-License-Identifier: "
           "GPL-1.0-or... | <!-- SPDX-License-Identifier: GPL-2.0-or...";
    QTest::newRow("both, behind")
        << base() + "<!-- a -->\n"
        << base() + "<!-- b -->\n"
        << base() + "<!-- a -->\n"
        << "behind the last element | Both have changed it, to different values. | not there | "
           "<!-- a --> | <!-- b -->";
  }
  void whatStandsOutsideTheFirstElementIsMerged() {
    QFETCH(QString, ours);
    QFETCH(QString, theirs);
    QFETCH(QString, result);
    QFETCH(QString, conflict);
    const ModuleMerge merge = merged(base(), ours, theirs);
    QCOMPARE(conflictsOf(merge).join('\n'), conflict);
    QCOMPARE(QString::fromStdString(merge.bytes).split('\n'), result.split('\n'));
    QCOMPARE(merge.commentsLeft.size(), std::size_t{0});
    QCOMPARE(merge.marked.find("<<<<<<< ours") != std::string::npos, !conflict.isEmpty());
    QCOMPARE(verdictOf(merged(base(), theirs, ours)), verdictOf(merge));
    if (!conflict.isEmpty()) return;
    // Nothing of either side is left.
    QCOMPARE(merged(base(), result, theirs).taken, 0);
  }

  void anXmlDeclarationThatIsNotTakenIsTold() {
    const ModuleMerge merge = merged(base(), edited(base(), {{"<units>m<", "<units>km<"}}),
                                     edited(base(), {{"?>", " standalone=\"yes\"?>"}}));
    QCOMPARE(merge.commentsLeft, std::vector<int>{1});
  }

  /// An attribute that both add, to a class and to its subclass.
  void whatTheRtiRefusesIsAConflict_data() {
    QTest::addColumn<QString>("before");
    const QString uses = QString(kSpeed) + "\n          <transportation>Radio</transportation>";
    QTest::newRow("a module on its own") << base();
    QTest::newRow("a module that takes a transportation type from another")
        << edited(base(), {{kSpeed, uses}});
    QTest::newRow("a module that takes a dimension from another") << edited(
        base(), {{kSpeed, kSpeed + "<dimensions><dimension>Sector</dimension></dimensions>"}});
  }
  void whatTheRtiRefusesIsAConflict() {
    QFETCH(QString, before);
    const auto attribute = [](const char* type) {
      return QString("<attribute><name>heading</name><dataType>%1</dataType></attribute>\n")
          .arg(type);
    };
    const QString mine =
        edited(before, {{"        <attribute>\n          <name>speed",
                         attribute("Length") + "        <attribute>\n          <name>speed"}});
    const QString other = edited(
        before,
        {{"<name>Flight</name>\n          <sharing>Publish</sharing>\n",
          "<name>Flight</name>\n          <sharing>Publish</sharing>\n" + attribute("Spare")}});
    const ModuleMerge merge = merged(before, mine, other);
    QCOMPARE(merge.conflicts.size(), std::size_t{1});
    QVERIFY2(merge.conflicts.front().reason.starts_with("The RTI refuses both together: "),
             merge.conflicts.front().reason.c_str());
    QVERIFY2(merge.conflicts.front().reason.find("heading") != std::string::npos,
             merge.conflicts.front().reason.c_str());
    QCOMPARE(verdictOf(merged(before, other, mine)), verdictOf(merge));
  }

  /// What an RTI refuses in each version already is for its editor to mend, not for who merges.
  void whatTheRtiRefusesInASideIsNoConflict() {
    const QString twice = kSpare + QString(kSpare).replace("float64", "float32");
    const QString before = edited(base(), {{kSpare, twice}});
    const omt::Module modules[] = {*omt::readModule(before.toStdString(), "Test.xml")};
    QVERIFY(!omt::merge(omt::standardMim(), modules));
    const QString mine = edited(before, {{"    <objectClass>\n      <name>HLAobjectRoot",
                                          "\n    <objectClass>\n      <name>HLAobjectRoot"},
                                         {"<units>m<", "<units>km<"}});
    const QString other = edited(before, {{"Where it is", "Where it was"}});
    QCOMPARE(conflictsOf(merged(before, mine, other)), QStringList());
  }

  /// Of several faults the first is told, which the order of rows decides.
  void whatTheRtiRefusesInASideGivesTheSameVerdictBothWays() {
    const auto model = [](const char* first, const char* last) {
      return QString(R"(<objectModel><objects><objectClass>
<objectClass>%1<attribute><name>x</name></attribute></objectClass>%2
</objectClass></objects></objectModel>)")
          .arg(first, last);
    };
    const QString before = model("", "");
    const QString mine = model("", "\n<objectClass><name>A</name></objectClass>");
    const QString other = model("<name>B</name>", "");
    QCOMPARE(verdictOf(merged(before, mine, other)), verdictOf(merged(before, other, mine)));
  }

  /// What theirs writes in CDATA means the same in the encoding of ours, also in markers.
  void charactersThatOursLacksKeepTheirMeaning() {
    const QString before = edited(base(), {{"UTF-8", "ISO-8859-1"}});
    const auto with = [&](const char* text) {
      return edited(before, {{"Where it is", text}}).replace("ISO-8859-1", "UTF-8").toStdString();
    };
    const std::string other = with("<![CDATA[cost in €]]>");
    const std::string spaced = edited(before, {{"<units>m<", "<units>km<"}}).toStdString();
    const ModuleMerge merge = merged(before.toStdString(), spaced, other);
    QCOMPARE(conflictsOf(merge), QStringList());
    const auto semantics = [](const std::string& bytes) {
      const ModuleSource source = parsed(bytes);
      const ElementId track = findClass(source, true, "HLAobjectRoot.Track");
      const ElementId row = findRow(source, track, "attribute", "position");
      return QString::fromStdString(cellOf(source, row, "semantics").value_or("none"));
    };
    QCOMPARE(semantics(merge.bytes), QString("cost in €"));
    const std::string mine = edited(before, {{"Where it is", "Where"}}).toStdString();
    const ModuleMerge both = merged(before.toStdString(), mine, other);
    QCOMPARE(both.conflicts.size(), std::size_t{1});
    QVERIFY2(both.marked.find("<![CDATA[cost in ]]>&#8364;<![CDATA[]]>") != std::string::npos,
             both.marked.c_str());
  }

  void mergingWithTheBaseGivesTheOther_data() {
    QTest::addColumn<QString>("path");
    for (const QString& path : paths())
      QTest::newRow(qPrintable(QFileInfo(path).fileName())) << path;
  }
  void mergingWithTheBaseGivesTheOther() {
    QFETCH(QString, path);
    const std::string base = content(path);
    std::mt19937 random(1516);
    for (int i = 0; i < 10; ++i) {
      const std::string x = someEdits(
          base, random, "x", [](std::size_t) { return true; }, 5);
      QVERIFY(merged(base, base, x).bytes == x);
      QVERIFY(merged(base, x, base).bytes == x);
      QVERIFY(merged(base, x, x).bytes == x);
      // The same by meaning, where blanks differ.
      const std::string spaced =
          QByteArray::fromStdString(base).replace("<objectModel ", "<objectModel  ").toStdString();
      if (spaced == base) continue;
      const ModuleMerge merge = merged(base, spaced, x);
      QCOMPARE(conflictsOf(merge), QStringList());
      QCOMPARE(QByteArray::fromStdString(merge.bytes).replace("<objectModel  ", "<objectModel "),
               QByteArray::fromStdString(x));
    }
  }

  void randomEditsInOtherRowsAreJoined_data() { mergingWithTheBaseGivesTheOther_data(); }
  void randomEditsInOtherRowsAreJoined() {
    QFETCH(QString, path);
    const std::string base = content(path);
    std::mt19937 random(2010);
    for (int i = 0; i < 20; ++i) {
      const auto even = [](std::size_t number) { return number % 2 == 0; };
      const auto odd = [](std::size_t number) { return number % 2 == 1; };
      const unsigned seed = random();
      std::mt19937 first(seed);
      const std::string x = someEdits(base, random, "x", even, 5);
      const std::string y = someEdits(base, first, "y", odd, 5);
      // One after the other, with the same choices.
      std::mt19937 second(seed);
      const std::string both = someEdits(x, second, "y", odd, 5);
      const ModuleMerge merge = merged(base, x, y);
      QCOMPARE(conflictsOf(merge), QStringList());
      // Rows that both have added behind one row may be in another order, and a cell that was
      // removed and added again on another line.
      const auto sorted = [](const std::string& bytes) {
        QStringList tags =
            QString::fromStdString(bytes).remove(' ').remove('\n').remove('\r').split('<');
        tags.sort();
        return tags;
      };
      QCOMPARE(sorted(merge.bytes), sorted(both));
      QCOMPARE(conflictsOf(merged(base, y, x)), QStringList());
    }
  }

  /// What merges without a conflict has the changes of both: merging either again takes nothing.
  void nothingOfEitherSideIsLost_data() { mergingWithTheBaseGivesTheOther_data(); }
  void nothingOfEitherSideIsLost() {
    QFETCH(QString, path);
    const std::string base = content(path);
    std::mt19937 random(1516);
    int clean = 0;
    int conflicts = 0;
    for (int i = 0; i < 60; ++i) {
      const int edits = 1 + static_cast<int>(random() % 5);
      const std::string x = wildEdits(base, random, "x", edits);
      const std::string y = wildEdits(base, random, "y", edits);
      const ModuleMerge merge = merged(base, x, y);
      const ModuleMerge back = merged(base, y, x);
      QCOMPARE(verdictOf(back), verdictOf(merge));
      if (!merge.conflicts.empty()) {
        ++conflicts;
        QVERIFY(!omt::readModule(merge.marked, "Test.xml"));
        continue;
      }
      ++clean;
      QVERIFY(omt::readModule(merge.bytes, "Test.xml"));
      for (const std::string& side : {x, y}) {
        const ModuleMerge again = merged(base, merge.bytes, side);
        QVERIFY2(again.conflicts.empty(), qPrintable(conflictsOf(again).join('\n')));
        // Bytes of the base or of the side itself are told without a comparison.
        if (merge.bytes != base) QCOMPARE(again.taken, 0);
      }
    }
    QVERIFY(clean > 0 && conflicts > 0);
  }

  void theVerdictIsTheSameForExchangedSides_data() { mergingWithTheBaseGivesTheOther_data(); }
  void theVerdictIsTheSameForExchangedSides() {
    QFETCH(QString, path);
    const std::string base = content(path);
    std::mt19937 random(2025);
    int conflicts = 0;
    for (int i = 0; i < 20; ++i) {
      // Few rows, so that both meet.
      const auto few = [](std::size_t number) { return number < 3; };
      const std::string x = someEdits(base, random, "x", few, 4);
      const std::string y = someEdits(base, random, "y", few, 4);
      const ModuleMerge there = merged(base, x, y);
      const ModuleMerge back = merged(base, y, x);
      QCOMPARE(verdictOf(there), verdictOf(back));
      QVERIFY(omt::readModule(there.bytes, "Test.xml"));
      conflicts += static_cast<int>(there.conflicts.size());
    }
    QVERIFY(conflicts > 0);
  }

 private:
  static QStringList paths() {
    return QStringList{
               QStringLiteral(TUTTI_SOURCE_DIR "/tests/fom-editor/data/AirTraffic-Base.xml"),
               QStringLiteral(TUTTI_SOURCE_DIR
                              "/resources/components/aircraft-flow/AirTraffic-Flight.xml")} +
           realModules({"RestaurantFOMmodule", "SISO_SpaceFOM_entity", "RPR-Physical"});
  }
};

QTEST_GUILESS_MAIN(TestModuleMerge)
#include "tst_module_merge.moc"
