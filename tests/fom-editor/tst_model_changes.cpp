// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDirIterator>
#include <QFile>
#include <QTest>
#include <random>

#include "fom-editor/model/glyph.h"
#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/module_edits.h"
#include "fom-editor/model/note_table.h"
#include "fom-editor/model/service_table.h"
#include "fom-editor/model/sharing_table.h"
#include "omt/merge.h"
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

/// Modules with a history each, as the page has them.
struct Modules {
  explicit Modules(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const std::string name = "M" + std::to_string(sources.size()) + ".xml";
      auto parsed = ModuleSource::parse(text, name);
      if (!parsed) qFatal("%s", parsed.error().toText().c_str());
      before.push_back(parsed->bytes());
      sources.push_back(std::make_unique<ModuleSource>(std::move(*parsed)));
    }
  }

  ModelChanges changes() const {
    EditableModules all;
    for (const auto& s : sources) {
      const QString name = QString::fromStdString(s->displayName());
      all << EditableModule{s.get(), name,
                            name == writeProtected ? "The file is write-protected." : QString()};
    }
    if (withHla13) all << EditableModule{nullptr, "Old.fed", "HLA 1.3 is read only."};
    return ModelChanges(all);
  }

  bool apply(const ModelChanges::Result& change) {
    if (!change) {
      refused = change.error();
      return false;
    }
    label = change->label;
    item = change->item;
    for (const auto& [module, splices] : change->changes) {
      auto done = sources[static_cast<std::size_t>(module)]->apply(splices);
      if (!done) {
        refused = QString::fromStdString(done.error().toText());
        return false;
      }
    }
    return true;
  }

  void undoAll() {
    for (auto& s : sources) {
      while (s->canUndo()) s->undo();
    }
  }
  bool isAsBefore() const {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i]->bytes() != before[i]) return false;
    }
    return true;
  }

  omt::Module read(std::size_t i = 0) const {
    auto module = omt::readModule(sources[i]->bytes(), sources[i]->displayName());
    if (!module) qFatal("%s", module.error().toText().c_str());
    return std::move(*module);
  }
  QString text(std::size_t i = 0) const {
    return QString::fromUtf8(sources[i]->text().data(),
                             static_cast<qsizetype>(sources[i]->text().size()));
  }

  std::vector<std::unique_ptr<ModuleSource>> sources;
  std::vector<std::string> before;
  QString refused;
  QString label;
  QString item;
  bool withHla13 = false;
  QString writeProtected{};
};

const std::string k2010 = content(testmodels::data("Edits-2010.xml"));

const std::string k2000 = content(testmodels::data("Edits-2000.xml"));

std::string k2025() {
  std::string text = k2010;
  const auto replace = [&](std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) qFatal("no %s", std::string(from).c_str());
    text.replace(at, from.size(), to);
  };
  replace("IEEE1516-2010", "IEEE1516-2025");
  replace("<dataTypes>",
          "<dataTypes>\n    <referenceDataTypes>\n      <referenceDataType><name>RefA</name>"
          "<representation>HLAunicodeString</representation><referenceClass>HLAobjectRoot.A.B"
          "</referenceClass><referencedAttribute>b</referencedAttribute></referenceDataType>\n"
          "    </referenceDataTypes>");
  replace("<name>C</name><sharing>Publish</sharing>",
          "<name>C</name><sharing>Publish</sharing><directedInteraction><name>I</name>"
          "<sharing>Publish</sharing></directedInteraction>");
  return text;
}

const std::string kOther = content(testmodels::data("Edits-Other.xml"));

const std::string kBelowB = content(testmodels::data("Edits-BelowB.xml"));

RowRef objectClass(const QString& name) { return {RowKind::ObjectClass, {}, name, -1, -1}; }
RowRef attribute(const QString& of, const QString& name) {
  return {RowKind::Attribute, of, name, -1, -1};
}
const QString kA = "HLAobjectRoot.A";

struct Case {
  RowRef row;
  QString cell;
  QString before;
  QString after;
};

QList<Case> cases() {
  const RowRef x = attribute(kA, "x");
  const auto type = [](const char* name) { return RowRef{RowKind::DataType, {}, name, -1, -1}; };
  const RowRef i{RowKind::InteractionClass, {}, "HLAinteractionRoot.I", -1, -1};
  return {
      {x, "dataType", "Length", "Pair"},
      {x, "update", "Periodic 0.1 s", "Conditional on change"},
      {x, "ownership", "*", "DivestAcquire"},
      {x, "sharing", "*", "Subscribe"},
      {x, "dimensions", "", "Sector"},
      {x, "transportation", "*", "Fast"},
      {x, "order", "Receive", "TimeStamp"},
      {x, "semantics", "", "how long & <wide>"},
      {attribute(kA, "y"), "update", "", "Periodic 2 s"},
      {attribute(kA, "y"), "ownership", "", "Divest"},
      {{RowKind::Parameter, "HLAinteractionRoot.I", "p", -1, -1}, "dataType", "Length", "Kind"},
      {{RowKind::Parameter, "HLAinteractionRoot.I", "p", -1, -1}, "semantics", "", "meaning"},
      {objectClass(kA), "sharing", "PublishSubscribe", "Neither"},
      {objectClass(kA), "semantics", "*", "another"},
      {i, "transportation", "HLAreliable", "HLAbestEffort"},
      {i, "order", "Receive", "TimeStamp"},
      {i, "dimensions", "", "Sector"},
      {type("Kind"), "representation", "HLAoctet", "HLAinteger16BE"},
      {type("Length"), "units", "m", "km"},
      {type("Length"), "accuracy", "", "0.5"},
      {type("Basic24"), "size", "24", "48"},
      {type("Basic24"), "endian", "Big", "Little"},
      {type("Lengths"), "dataType", "Length", "Pair"},
      {type("Lengths"), "cardinality", "Dynamic", "[1..4]"},
      {type("Lengths"), "encoding", "HLAvariableArray", "HLAfixedArray"},
      {type("Choice"), "discriminant", "kind", "which"},
      {type("Choice"), "semantics", "", "one of two"},
      {{RowKind::Enumerator, "Kind", "Two", 1, -1}, "value", "2", "2, 7"},
      {{RowKind::Enumerator, "Kind", "One", 0, -1}, "value", "1", "0x10"},
      {{RowKind::Field, "Pair", "k", 1, -1}, "dataType", "Kind", "Length"},
      {{RowKind::Field, "Pair", "k", 1, -1}, "semantics", "", "what"},
      {{RowKind::Alternative, "Choice", "one", 0, -1}, "enumerator", "One", "Two"},
      {{RowKind::Alternative, "Choice", "two", 1, -1}, "dataType", "Pair", "Length"},
      {{RowKind::Dimension, {}, "Sector", -1, -1}, "upperBound", "4", "8"},
      {{RowKind::Dimension, {}, "Sector", -1, -1}, "normalization", "", "linear"},
      {{RowKind::TypeUse, {}, "sendReceiveTag", -1, -1}, "dataType", "Length", "Pair"},
      {{RowKind::TypeUse, {}, "timeStamp", -1, -1}, "dataType", "", "HLAfloat64BE"},
      {{RowKind::TypeUse, {}, "deleteRemoveTag", -1, -1}, "semantics", "", "why"},
      {{RowKind::SynchronizationPoint, {}, "Ready", -1, -1}, "capability", "Achieve", "Register"},
      {{RowKind::SynchronizationPoint, {}, "Ready", -1, -1}, "semantics", "", "all there"},
      {{RowKind::Transportation, {}, "Fast", -1, -1}, "semantics", "s", "quick"},
      {{RowKind::Switch, {}, "autoProvide", -1, -1}, "value", "*", "disabled"},
      {{RowKind::Switch, {}, "conveyProducingFederate", -1, -1}, "value", "", "enabled"},
      {{RowKind::Switch, {}, "automaticResignAction", -1, -1}, "value", "", "NoAction"},
      {{RowKind::Identification, {}, {}, -1, 0}, "name", "*", "*"},
      {{RowKind::Identification, {}, {}, -1, 0}, "purpose", "", "tests"},
      {{RowKind::Identification, {}, {}, -1, 0}, "modificationDate", "*", "2030-01-02"},
      {{RowKind::Note, {}, "n1", -1, 0}, "semantics", "s", "text"},
  };
}

}  // namespace

class TestModelChanges : public QObject {
  Q_OBJECT

 private slots:
  void setsEveryCell_data() {
    QTest::addColumn<QString>("edition");
    QTest::addColumn<int>("index");
    for (const char* edition : {"2000", "2010", "2025"}) {
      const QList<Case> all = cases();
      for (int i = 0; i < all.size(); ++i) {
        const Case& c = all[i];
        // 2025 has no such switch.
        if (c.row.name == "conveyProducingFederate" && QLatin1String(edition) == "2025") continue;
        QTest::addRow("%s %s%s.%s", edition, qPrintable(c.row.owner), qPrintable(c.row.name),
                      qPrintable(c.cell))
            << edition << i;
      }
    }
  }

  void setsEveryCell() {
    QFETCH(QString, edition);
    QFETCH(int, index);
    Case c = cases()[index];
    Modules m({edition == "2000" ? k2000 : edition == "2025" ? k2025() : k2010});
    if (c.after == "*") return;
    if (c.row.name == "timeStamp" && edition == "2025") c.row.name = "logicalTime";
    if (c.before != "*") QCOMPARE(m.changes().cell(c.row, c.cell), c.before);
    QVERIFY2(m.apply(m.changes().setCell(c.row, c.cell, c.after)), qPrintable(m.refused));
    QVERIFY(!m.label.isEmpty());
    const QString now = m.changes().cell(c.row, c.cell);
    if (c.row.kind == RowKind::Switch) {
      QVERIFY2(QStringList({c.after, c.after == "enabled" ? "true" : "false"})
                   .contains(now, Qt::CaseInsensitive),
               qPrintable(now));
    } else {
      QCOMPARE(now, c.after);
    }
    // The RTI reads it, and nothing else has changed of the module.
    const omt::Module after = m.read();
    QCOMPARE(after.warnings.size(), omt::readModule(m.before[0], "x")->warnings.size());
    // The same again changes nothing.
    const auto again = m.changes().setCell(c.row, c.cell, c.after);
    QVERIFY(again && again->changes.empty());
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void readsWhatItWrites_data() {
    QTest::addColumn<QString>("edition");
    for (const char* edition : {"2000", "2010", "2025"}) QTest::newRow(edition) << edition;
  }

  /// Not only this library: what an RTI reads is what was written.
  void readsWhatItWrites() {
    QFETCH(QString, edition);
    Modules m({edition == "2000" ? k2000 : edition == "2025" ? k2025() : k2010});
    const RowRef x = attribute(kA, "x");
    QVERIFY(m.apply(m.changes().setCell(x, "dimensions", "Sector")));
    QVERIFY(m.apply(m.changes().setCell(x, "update", "Conditional on change")));
    QVERIFY(
        m.apply(m.changes().setCell({RowKind::Enumerator, "Kind", "Two", 1, -1}, "value", "2, 7")));
    QVERIFY(m.apply(
        m.changes().setCell({RowKind::Switch, {}, "autoProvide", -1, -1}, "value", "disabled")));
    const omt::Module read = m.read();
    const omt::Attribute& a = read.objectClasses[0].subclasses[0].attributes[0];
    QCOMPARE(a.dimensions, std::vector<std::string>{"Sector"});
    QCOMPARE(a.updateType, omt::UpdateType::Conditional);
    QCOMPARE(a.updateCondition, std::string("on change"));
    for (const omt::DataType& t : read.dataTypes) {
      if (t.name == "Kind") QCOMPARE(t.enumerators[1].values, (std::vector<std::string>{"2", "7"}));
    }
    QCOMPARE(read.switches->autoProvide, std::optional(false));
    QVERIFY(m.apply(m.changes().setCell(x, "dimensions", "")));
    QVERIFY(m.read().objectClasses[0].subclasses[0].attributes[0].dimensions.empty() ||
            m.read().objectClasses[0].subclasses[0].attributes[0].dimensions[0] == "NA");
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void addsRows_data() { readsWhatItWrites_data(); }
  void addsRows() {
    QFETCH(QString, edition);
    Modules m({edition == "2000" ? k2000 : edition == "2025" ? k2025() : k2010});
    const omt::Module before = m.read();
    QVERIFY2(m.apply(m.changes().add(attribute(kA, "w"), {{"dataType", "Kind"}}, 0)),
             qPrintable(m.refused));
    QCOMPARE(m.label, QString("add attribute w"));
    QCOMPARE(m.item, QString("object:HLAobjectRoot.A"));
    QVERIFY(m.apply(m.changes().add({RowKind::Parameter, "HLAinteractionRoot.I", "r", -1, -1})));
    QVERIFY(m.apply(m.changes().add({RowKind::Enumerator, "Kind", "Three", -1, -1})));
    QVERIFY(m.apply(m.changes().add({RowKind::Field, "Pair", "f", -1, -1}, {}, 0)));
    QVERIFY(m.apply(m.changes().add({RowKind::Alternative, "Choice", "rest", -1, -1})));
    QVERIFY(m.apply(m.changes().add({RowKind::Dimension, {}, "Height", -1, -1})));
    QVERIFY(m.apply(m.changes().add({RowKind::Transportation, {}, "Slow", -1, -1})));
    QVERIFY(m.apply(m.changes().add({RowKind::SynchronizationPoint, {}, "Done", -1, -1})));
    QVERIFY(m.apply(m.changes().add({RowKind::UpdateRate, {}, "Low", -1, -1})));
    QVERIFY(m.apply(m.changes().add({RowKind::Note, {}, "n2", -1, 0})));
    if (edition != "2000") {
      QVERIFY(m.apply(m.changes().add({RowKind::Keyword, {}, "sea", -1, 0})));
      QVERIFY(m.apply(m.changes().add({RowKind::Contact, {}, "B. Body", -1, 0})));
      QVERIFY(m.apply(m.changes().add({RowKind::Reference, {}, "https://example.org", -1, 0})));
      QVERIFY(m.apply(m.changes().add({RowKind::UseHistory, {}, "Used in tests", -1, 0})));
    }
    const omt::Module after = m.read();
    const auto& attributes = after.objectClasses[0].subclasses[0].attributes;
    QCOMPARE(attributes.size(), std::size_t{4});
    QCOMPARE(attributes[1].name, std::string("w"));
    QCOMPARE(attributes[1].dataType, std::string("Kind"));
    QCOMPARE(attributes[1].sharing, omt::Sharing::PublishSubscribe);
    QCOMPARE(after.interactionClasses[0].subclasses[0].parameters[2].name, std::string("r"));
    for (const omt::DataType& t : after.dataTypes) {
      if (t.name == "Kind") {
        QCOMPARE(t.enumerators.size(), std::size_t{3});
        QCOMPARE(t.enumerators[2].name, std::string("Three"));
        QCOMPARE(t.enumerators[2].values, std::vector<std::string>{"3"});
      }
      if (t.name == "Pair") QCOMPARE(t.fields[1].name, std::string("f"));
      if (t.name == "Choice") QCOMPARE(t.alternatives[2].name, std::string("rest"));
    }
    QCOMPARE(after.dimensions.size(), std::size_t{2});
    QCOMPARE(after.transportations.size(), std::size_t{2});
    QCOMPARE(after.synchronizationPoints.size(), std::size_t{2});
    QCOMPARE(after.updateRates.size(), before.updateRates.size() + 1);
    QCOMPARE(after.notes.size(), std::size_t{2});
    QCOMPARE(after.warnings.size(), before.warnings.size());
    // And away again, each of them.
    QVERIFY(m.apply(m.changes().remove({attribute(kA, "w")})));
    QVERIFY(m.apply(m.changes().remove({{RowKind::Enumerator, "Kind", "Three", 2, -1}})));
    QVERIFY(m.apply(m.changes().remove({{RowKind::Field, "Pair", "f", 1, -1}})));
    QVERIFY(m.apply(m.changes().remove({{RowKind::Dimension, {}, "Height", -1, -1}})));
    QCOMPARE(m.read().dimensions.size(), std::size_t{1});
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void addsDataTypesOfEachKind_data() { readsWhatItWrites_data(); }
  void addsDataTypesOfEachKind() {
    QFETCH(QString, edition);
    Modules m({edition == "2000" ? k2000 : edition == "2025" ? k2025() : k2010});
    const std::size_t before = m.read().dataTypes.size();
    const QList<omt::DataTypeKind> kinds{
        omt::DataTypeKind::Basic, omt::DataTypeKind::Simple,      omt::DataTypeKind::Enumerated,
        omt::DataTypeKind::Array, omt::DataTypeKind::FixedRecord, omt::DataTypeKind::VariantRecord};
    for (int i = 0; i < kinds.size(); ++i) {
      QVERIFY2(m.apply(m.changes().addDataType(kinds[i], QString("New%1").arg(i))),
               qPrintable(m.refused));
    }
    const omt::Module after = m.read();
    QCOMPARE(after.dataTypes.size(), before + 6);
    for (const omt::DataType& t : after.dataTypes) {
      for (int i = 0; i < kinds.size(); ++i) {
        if (t.name == "New" + std::to_string(i)) QCOMPARE(t.kind, kinds[i]);
      }
    }
    // They are complete: nothing is to be said about them.
    const omt::Module modules[] = {after};
    const auto merged = omt::merge(modules);
    QVERIFY2(merged.has_value(), merged ? "" : merged.error().toText().c_str());
    QVERIFY(m.apply(m.changes().setNewDataType(attribute(kA, "x"), "dataType",
                                               omt::DataTypeKind::Enumerated, "Phase")));
    QCOMPARE(m.changes().cell(attribute(kA, "x"), "dataType"), QString("Phase"));
    QVERIFY(!m.changes().addDataType(omt::DataTypeKind::Simple, "Phase"));
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void movesRows_data() { readsWhatItWrites_data(); }
  void movesRows() {
    QFETCH(QString, edition);
    Modules m({edition == "2000" ? k2000 : edition == "2025" ? k2025() : k2010});
    const auto order = [&] {
      QStringList names;
      const omt::Module read = m.read();
      for (const auto& a : read.objectClasses[0].subclasses[0].attributes) {
        names << QString::fromStdString(a.name);
      }
      return names.join("");
    };
    QVERIFY(m.apply(m.changes().move(attribute(kA, "z"), -1)));
    QCOMPARE(order(), QString("xzy"));
    QVERIFY(m.apply(m.changes().move(attribute(kA, "x"), 2)));
    QCOMPARE(order(), QString("zyx"));
    QVERIFY(m.apply(m.changes().move(attribute(kA, "x"), -5)));
    QCOMPARE(order(), QString("xzy"));
    const auto none = m.changes().move(attribute(kA, "x"), -1);
    QVERIFY(none && none->changes.empty());
    // The first of a table that begins with its rows.
    QVERIFY(m.apply(m.changes().add({RowKind::Dimension, {}, "Height", -1, -1})));
    QVERIFY(m.apply(m.changes().move({RowKind::Dimension, {}, "Height", -1, -1}, -1)));
    QCOMPARE(m.read().dimensions[0].name, std::string("Height"));
    QVERIFY(m.apply(m.changes().move({RowKind::Enumerator, "Kind", "Two", 1, -1}, -1)));
    QVERIFY(m.apply(m.changes().move(objectClass("HLAobjectRoot.C"), -1)));
    QCOMPARE(m.read().objectClasses[0].subclasses[0].name, std::string("C"));
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void renamesAcrossModules() {
    const std::string other = kOther;
    Modules m({k2025(), other});
    const auto rename = [&](const RowRef& row, const char* to) {
      const bool done = m.apply(m.changes().rename(row, to));
      if (!done) qWarning("%s", qPrintable(m.refused));
      return done;
    };
    QVERIFY(rename(objectClass(kA), "Aircraft"));
    QCOMPARE(m.label, QString("rename A to Aircraft"));
    QCOMPARE(m.item, QString("object:HLAobjectRoot.Aircraft"));
    QVERIFY(m.text(0).contains("<referenceClass>HLAobjectRoot.Aircraft.B</referenceClass>"));
    QVERIFY(m.text(1).contains("<name>Aircraft</name>"));
    QCOMPARE(m.sources[0]->text().find("<name>A</name>"), std::string_view::npos);

    QVERIFY(rename({RowKind::InteractionClass, {}, "HLAinteractionRoot.I", -1, -1}, "Told"));
    QVERIFY(m.text(0).contains("<directedInteraction><name>Told</name>"));

    QVERIFY(rename(attribute("HLAobjectRoot.Aircraft.B", "b"), "bb"));
    QVERIFY(m.text(0).contains("<referencedAttribute>bb</referencedAttribute>"));

    QVERIFY(rename({RowKind::DataType, {}, "Length", -1, -1}, "Distance"));
    QVERIFY(!m.text(0).contains(">Length<"));
    QVERIFY(!m.text(1).contains(">Length<"));
    QVERIFY(rename({RowKind::DataType, {}, "Basic24", -1, -1}, "Base24"));
    QVERIFY(m.text(1).contains("<representation>Base24</representation>"));
    QVERIFY(rename({RowKind::DataType, {}, "Kind", -1, -1}, "Sort"));
    QVERIFY(rename({RowKind::Enumerator, "Sort", "One", 0, -1}, "First"));
    QVERIFY(m.text(0).contains("<enumerator>[First..Two]</enumerator>"));
    QVERIFY(m.text(1).contains("<enumerator>First, Two</enumerator>"));
    QVERIFY(rename({RowKind::Transportation, {}, "Fast", -1, -1}, "Quick"));
    QVERIFY(m.text(1).contains("<transportation>Quick</transportation>"));
    QVERIFY(rename({RowKind::Dimension, {}, "Sector", -1, -1}, "Zone"));
    QVERIFY(m.text(1).contains("<dimension>Zone</dimension>"));

    const omt::Module modules[] = {m.read(0), m.read(1)};
    const auto merged = omt::merge(modules);
    QVERIFY2(merged.has_value(), merged ? "" : merged.error().toText().c_str());
    QVERIFY(merged->model.findObjectClass("HLAobjectRoot.Aircraft.E") != nullptr);
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void renamesNotesInTheirModule() {
    std::string text = k2000;
    text.replace(text.find("name=\"y\""), 8, "name=\"y\" nameNotes=\"n1\"");
    Modules m({text, text});
    QVERIFY(m.apply(m.changes().rename({RowKind::Note, {}, "n1", -1, 1}, "why")));
    QVERIFY(m.text(1).contains("nameNotes=\"why\""));
    QVERIFY(m.text(1).contains("<note name=\"why\""));
    QCOMPARE(m.sources[0]->bytes(), m.before[0]);
  }

  void whatSeveralModulesDefineChangesInAll() {
    Modules m({k2010, k2010});
    QVERIFY(m.apply(m.changes().setCell(attribute(kA, "x"), "dataType", "Pair")));
    QVERIFY(m.apply(m.changes().add(attribute(kA, "w"))));
    QVERIFY(m.apply(m.changes().setCell({RowKind::DataType, {}, "Length", -1, -1}, "units", "ft")));
    QVERIFY(m.apply(m.changes().remove({{RowKind::Field, "Pair", "k", 1, -1}})));
    const omt::Module modules[] = {m.read(0), m.read(1)};
    const auto merged = omt::merge(modules);
    QVERIFY2(merged.has_value(), merged ? "" : merged.error().toText().c_str());
    // Prose: the first counts.
    QVERIFY(m.apply(m.changes().setCell(objectClass(kA), "semantics", "only here")));
    QVERIFY(m.text(0).contains("only here"));
    QVERIFY(!m.text(1).contains("only here"));
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  /// Modules of others are often installed read only.
  void writeProtectedModulesCount() {
    const std::string mine =
        "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">\n"
        "<objects><objectClass><name>HLAobjectRoot</name><objectClass><name>A</name>"
        "<objectClass><name>Own</name><sharing>Publish</sharing>"
        "<attribute><name>own</name><dataType>Length</dataType></attribute></objectClass>"
        "</objectClass></objectClass></objects></objectModel>\n";
    Modules m({mine, k2010});
    m.writeProtected = "M1.xml";
    const ModelChanges c = m.changes();
    const RowRef own = objectClass(kA + ".Own");
    const RowRef length{RowKind::DataType, {}, "Length", -1, -1};
    const QString refusal = "M1.xml would have to change as well. The file is write-protected.";
    const auto says = [](const ModelChanges::Result& result) {
      return result ? QString("not refused") : result.error();
    };
    // Mine only names A: it is of the other.
    QCOMPARE(says(c.add(attribute(kA, "w"))), refusal);
    QCOMPARE(says(c.rename(objectClass(kA), "Aircraft")), refusal);
    QCOMPARE(says(c.remove({objectClass(kA)})), refusal);
    QCOMPARE(says(c.reparent(objectClass(kA), "HLAobjectRoot.C")), refusal);
    QCOMPARE(says(c.setCell(attribute(kA, "x"), "order", "TimeStamp")), refusal);
    QCOMPARE(says(c.rename(length, "Distance")), refusal);
    // What is there is seen.
    QCOMPARE(says(c.add(attribute(own.name, "x"))),
             QString("Own inherits the attribute x already."));
    QVERIFY(!c.addDataType(omt::DataTypeKind::Simple, "Kind"));
    QCOMPARE(c.cell(length, "units"), QString("m"));
    // What is mine changes, with the other's rows.
    QVERIFY2(m.apply(c.setCell(attribute(own.name, "own"), "dimensions", "Sector")),
             qPrintable(m.refused));
    QVERIFY2(m.apply(m.changes().setCell(attribute(own.name, "own"), "transportation", "Fast")),
             qPrintable(m.refused));
    QVERIFY2(m.apply(m.changes().addSubclass(objectClass(kA + ".B"), "Below")),
             qPrintable(m.refused));
    QVERIFY2(m.apply(m.changes().rename(own, "Mine")), qPrintable(m.refused));
    QVERIFY2(m.apply(m.changes().reparent(objectClass(kA + ".Mine"), "HLAobjectRoot.C")),
             qPrintable(m.refused));
    QVERIFY2(m.apply(m.changes().addDataType(omt::DataTypeKind::Simple, "New")),
             qPrintable(m.refused));
    QCOMPARE(m.sources[1]->bytes(), m.before[1]);
    const omt::Module modules[] = {m.read(1), m.read(0)};
    const auto merged = omt::merge(modules);
    QVERIFY2(merged.has_value(), merged ? "" : merged.error().toText().c_str());
    QVERIFY(merged->model.findObjectClass("HLAobjectRoot.A.B.Below") != nullptr);
    QVERIFY(merged->model.findObjectClass("HLAobjectRoot.C.Mine") != nullptr);
  }

  void aTextThatTookThePlaceOfAnotherStays() {
    Modules m({k2010});
    QVERIFY(m.apply(m.changes().add({RowKind::Keyword, {}, "sea", -1, 0})));
    QVERIFY(m.apply(m.changes().add({RowKind::Contact, {}, "B. Body", -1, 0})));
    QVERIFY(m.apply(m.changes().add({RowKind::Reference, {}, "https://example.org", -1, 0})));
    QVERIFY(m.apply(m.changes().add({RowKind::UseHistory, {}, "Used in\n   tests", -1, 0})));
    struct Text {
      RowRef row;
      QString cell;
      QString shown;
    };
    const QList<Text> texts{
        {{RowKind::Keyword, {}, {}, 1, 0}, "keywordValue", "sea"},
        {{RowKind::Contact, {}, {}, 1, 0}, "pocName", "B. Body"},
        {{RowKind::Reference, {}, {}, 0, 0}, "identification", "https://example.org"},
        {{RowKind::UseHistory, {}, {}, 0, 0}, "value", "Used in tests"}};
    for (const Text& text : texts) {
      const std::string before = m.sources[0]->bytes();
      RowRef row = text.row;
      row.name = "another";
      QVERIFY(!m.apply(m.changes().setCell(row, text.cell, "written")));
      QCOMPARE(m.refused,
               QString("No open module has the %1 another any more.").arg(wordOf(row.kind)));
      QVERIFY(!m.apply(m.changes().remove({row})));
      QVERIFY(!m.apply(m.changes().move(row, -1)));
      QCOMPARE(m.sources[0]->bytes(), before);
      row.name = text.shown;
      QVERIFY2(m.apply(m.changes().setCell(row, text.cell, "written")), qPrintable(m.refused));
      row.name = "written";
      QVERIFY2(m.apply(m.changes().remove({row})), qPrintable(m.refused));
      QCOMPARE(m.label, QString("remove %1 written").arg(wordOf(row.kind)));
    }
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void newRowsGoToThePreferredModule() {
    Modules m({k2010, kOther, k2000});
    ModelChanges c = m.changes();
    QVERIFY2(m.apply(c.add({RowKind::Dimension, {}, "First", -1, -1})), qPrintable(m.refused));
    QCOMPARE(m.label, QString("add dimension First in M0.xml"));
    c = m.changes();
    c.prefer(1);
    const std::string before = m.sources[0]->bytes();
    QVERIFY(m.apply(c.add({RowKind::Dimension, {}, "Second", -1, -1})));
    QCOMPARE(m.label, QString("add dimension Second in M1.xml"));
    QVERIFY(m.apply(c.addDataType(omt::DataTypeKind::Simple, "NewType")));
    QCOMPARE(m.label, QString("add datatype NewType in M1.xml"));
    QVERIFY2(m.apply(c.addSubclass(objectClass(kA + ".B"), "New")), qPrintable(m.refused));
    QCOMPARE(m.label, QString("add class New in M1.xml"));
    QCOMPARE(m.sources[0]->bytes(), before);
    QCOMPARE(m.read(1).dimensions.back().name, std::string("Second"));
    // Where it cannot go there, it goes on as before.
    m.writeProtected = "M1.xml";
    c = m.changes();
    c.prefer(1);
    QVERIFY(m.apply(c.add({RowKind::Dimension, {}, "Third", -1, -1})));
    QCOMPARE(m.label, QString("add dimension Third in M0.xml"));
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void labelsSayWhatADatatypeIsOf() {
    Modules m({k2010});
    const RowRef tag{RowKind::TypeUse, {}, "sendReceiveTag", -1, -1};
    const RowRef time{RowKind::TypeUse, {}, "lookahead", -1, -1};
    QVERIFY(m.apply(m.changes().setCell(tag, "dataType", "Pair")));
    QCOMPARE(m.label, QString("change datatype of user-supplied tag"));
    QVERIFY(m.apply(m.changes().setCell(time, "dataType", "HLAfloat64BE")));
    QCOMPARE(m.label, QString("change datatype of time representation"));
  }

  void timeIsNamedByTheEditionOfItsModule() {
    const auto empty = [](const char* edition) {
      return std::string("<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-") + edition +
             "\">\n</objectModel>\n";
    };
    Modules m({empty("2010"), empty("2025")});
    for (const int module : {0, 1}) {
      ModelChanges c = m.changes();
      c.prefer(module);
      // As a table names it that was made for the other module.
      const RowRef stamp{RowKind::TypeUse, {}, module == 0 ? "logicalTime" : "timeStamp", -1, -1};
      QVERIFY2(m.apply(c.setCell(stamp, "dataType", "HLAfloat64BE")), qPrintable(m.refused));
      const auto at = static_cast<std::size_t>(module);
      QVERIFY2(m.text(at).contains(module == 0 ? "<timeStamp>" : "<logicalTime>"),
               qPrintable(m.text(at)));
      // The next cell is of the same row.
      QVERIFY2(m.apply(m.changes().setCell(stamp, "semantics", "how late")), qPrintable(m.refused));
      QCOMPARE(m.text(at).count("<semantics>"), 1);
      QCOMPARE(m.text(at).count("<dataType>"), 1);
      QCOMPARE(m.read(at).timeStamp.dataType, std::string("HLAfloat64BE"));
      m.undoAll();
    }
    QVERIFY(m.isAsBefore());
  }

  void addsSubclasses_data() { readsWhatItWrites_data(); }
  void addsSubclasses() {
    QFETCH(QString, edition);
    const std::string empty =
        "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">\n</objectModel>\n";
    Modules m({edition == "2000" ? k2000 : edition == "2025" ? k2025() : k2010, empty});
    QVERIFY2(m.apply(m.changes().addSubclass(objectClass(kA + ".B"), "New")),
             qPrintable(m.refused));
    QCOMPARE(m.item, QString("object:HLAobjectRoot.A.B.New"));
    QCOMPARE(m.sources[1]->bytes(), m.before[1]);
    QVERIFY(m.apply(m.changes().addSubclass(objectClass("HLAobjectRoot"), "Top")));
    // In a module that knows nothing of the superclass.
    QVERIFY(m.apply(m.changes().addSubclass(objectClass(kA + ".B"), "There", 1)));
    const RowRef root{RowKind::InteractionClass, {}, "HLAinteractionRoot", -1, -1};
    QVERIFY(m.apply(m.changes().addSubclass(root, "Told", 1)));
    QVERIFY(m.apply(m.changes().addSubclass(objectClass("HLAobjectRoot.HLAmanager"), "More", 1)));
    const omt::Module modules[] = {m.read(0), m.read(1)};
    const auto merged = omt::merge(modules);
    QVERIFY2(merged.has_value(), merged ? "" : merged.error().toText().c_str());
    for (const char* name : {"HLAobjectRoot.A.B.New", "HLAobjectRoot.Top",
                             "HLAobjectRoot.A.B.There", "HLAobjectRoot.HLAmanager.More"}) {
      QVERIFY2(merged->model.findObjectClass(name) != nullptr, name);
    }
    QVERIFY(merged->model.findInteractionClass("HLAinteractionRoot.Told") != nullptr);
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void removesClasses() {
    Modules m({k2010});
    QCOMPARE(m.changes().removalEffect(objectClass(kA)), QString("2 subclasses and 4 attributes"));
    QVERIFY(m.apply(m.changes().remove({objectClass(kA), attribute(kA, "x")})));
    QCOMPARE(m.read().objectClasses[0].subclasses.size(), std::size_t{1});
    QVERIFY(m.apply(m.changes().remove({objectClass("HLAobjectRoot.C")})));
    QCOMPARE(m.label, QString("remove object class C with 1 attribute"));
    m.undoAll();
    QVERIFY(m.isAsBefore());
    QVERIFY(m.apply(m.changes().remove({{RowKind::DataType, {}, "Pair", -1, -1}})));
    QCOMPARE(m.label, QString("remove datatype Pair, which has 2 uses"));
    QVERIFY(!m.apply(m.changes().remove({objectClass("HLAobjectRoot")})));
  }

  void reparents_data() { readsWhatItWrites_data(); }
  void reparents() {
    QFETCH(QString, edition);
    Modules m({edition == "2000" ? k2000 : edition == "2025" ? k2025() : k2010});
    const RowRef b = objectClass(kA + ".B");
    QCOMPARE(m.changes().reparentEffect(b, "HLAobjectRoot"), QString("loses 3 attributes"));
    QCOMPARE(m.changes().reparentEffect(b, "HLAobjectRoot.C"),
             QString("loses 3 attributes, gains 1"));
    QCOMPARE(m.changes().inheritanceChange(b, "HLAobjectRoot.C").lost,
             (QStringList{"x", "y", "z"}));
    QVERIFY2(m.apply(m.changes().reparent(b, "HLAobjectRoot.C")), qPrintable(m.refused));
    QCOMPARE(m.label, QString("move B below C: loses 3 attributes, gains 1"));
    QCOMPARE(m.item, QString("object:HLAobjectRoot.C.B"));
    const omt::Module after = m.read();
    QCOMPARE(after.objectClasses[0].subclasses[1].subclasses[0].name, std::string("B"));
    QCOMPARE(after.objectClasses[0].subclasses[1].subclasses[0].subclasses[0].name,
             std::string("D"));
    if (edition == "2025") {
      QVERIFY(m.text().contains("<referenceClass>HLAobjectRoot.C.B</referenceClass>"));
    }
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void reparentsInAllModules() {
    const std::string other = kBelowB;
    Modules m({k2010, other});
    QVERIFY2(m.apply(m.changes().reparent(objectClass(kA + ".B"), "HLAobjectRoot.C")),
             qPrintable(m.refused));
    const omt::Module modules[] = {m.read(0), m.read(1)};
    const auto merged = omt::merge(modules);
    QVERIFY2(merged.has_value(), merged ? "" : merged.error().toText().c_str());
    QVERIFY(merged->model.findObjectClass("HLAobjectRoot.C.B.E") != nullptr);
    QVERIFY(merged->model.findObjectClass("HLAobjectRoot.A.B") == nullptr);
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void refusesWhatMakesNoSense() {
    Modules m({k2010});
    m.withHla13 = true;
    const ModelChanges c = m.changes();
    const auto says = [](const ModelChanges::Result& result, const char* what) {
      if (result) return QByteArray("not refused");
      return result.error().contains(QLatin1String(what)) ? QByteArray() : result.error().toUtf8();
    };
    QCOMPARE(says(c.rename(objectClass(kA), ""), "name is needed"), QByteArray());
    QCOMPARE(says(c.rename(objectClass(kA), "C"), "has a subclass C already"), QByteArray());
    QCOMPARE(says(c.rename(objectClass(kA), "HLAmanager"), "begin with HLA"), QByteArray());
    QCOMPARE(says(c.rename(objectClass(kA), "A.B"), "dot"), QByteArray());
    QCOMPARE(says(c.rename(objectClass(kA), "two words"), "cannot stand in the name"),
             QByteArray());
    QCOMPARE(says(c.rename(objectClass(kA), "1st"), "begins with a letter"), QByteArray());
    QCOMPARE(says(c.rename(attribute(kA, "x"), "y"), "has the attribute y already"), QByteArray());
    QCOMPARE(says(c.rename(attribute(kA + ".B", "b"), "x"), "inherits the attribute x"),
             QByteArray());
    QCOMPARE(says(c.rename(attribute(kA, "x"), "b"), "subclass B has the attribute b"),
             QByteArray());
    QCOMPARE(says(c.rename({RowKind::DataType, {}, "Kind", -1, -1}, "Length"), "already"),
             QByteArray());
    QCOMPARE(says(c.rename({RowKind::Enumerator, "Kind", "One", 0, -1}, "Two"), "already"),
             QByteArray());
    QCOMPARE(says(c.setCell(attribute("HLAobjectRoot", "HLAprivilegeToDeleteObject"), "order",
                            "Receive"),
                  "HLAstandardMIM"),
             QByteArray());
    QCOMPARE(says(c.setCell({RowKind::DataType, {}, "HLAboolean", -1, -1}, "semantics", "x"),
                  "HLAstandardMIM"),
             QByteArray());
    QCOMPARE(says(c.setCell(attribute("HLAobjectRoot.Gone", "x"), "order", "Receive"), "1.3"),
             QByteArray());
    QCOMPARE(says(c.setCell(attribute(kA, "x"), "order", "Soon"), "none of Receive"), QByteArray());
    QCOMPARE(says(c.setCell(attribute(kA, "x"), "transportation", "Pigeon"), "none of"),
             QByteArray());
    QCOMPARE(says(c.setCell(attribute(kA, "x"), "dimensions", "Time"), "no dimension Time"),
             QByteArray());
    QCOMPARE(says(c.setCell(attribute(kA, "x"), "update", "Often"), "no update type"),
             QByteArray());
    QCOMPARE(says(c.setCell(attribute(kA, "x"), "semantics", QString("a") + QChar(1)), "control"),
             QByteArray());
    QCOMPARE(says(c.setCell({RowKind::DataType, {}, "Basic24", -1, -1}, "size", "-8"), "whole"),
             QByteArray());
    QCOMPARE(says(c.setCell({RowKind::DataType, {}, "Lengths", -1, -1}, "cardinality", "many"),
                  "cardinality"),
             QByteArray());
    QCOMPARE(says(c.setCell({RowKind::DataType, {}, "Lengths", -1, -1}, "dataType", "Lengths"),
                  "itself"),
             QByteArray());
    QCOMPARE(says(c.setCell({RowKind::UpdateRate, {}, "High", -1, -1}, "rate", "0"), "rate"),
             QByteArray());
    QCOMPARE(says(c.setCell({RowKind::Dimension, {}, "Sector", -1, -1}, "upperBound", "0"),
                  "upper bound"),
             QByteArray());
    QCOMPARE(says(c.setCell({RowKind::Enumerator, "Kind", "One", 0, -1}, "value", "x"), "number"),
             QByteArray());
    QCOMPARE(says(c.reparent(objectClass(kA), kA + ".B.D"), "below itself"), QByteArray());
    QCOMPARE(says(c.reparent(objectClass("HLAobjectRoot"), kA), "HLAstandardMIM"), QByteArray());
    QCOMPARE(says(c.add(attribute("HLAobjectRoot.HLAmanager", "x")), "HLAstandardMIM"),
             QByteArray());
    QCOMPARE(says(c.addSubclass(objectClass(kA), "B"), "already"), QByteArray());
    QVERIFY(m.isAsBefore());
  }

  void aFileInAnotherEncodingKeepsIt() {
    std::string text = k2010;
    text.replace(text.find("UTF-8"), 5, "ISO-8859-1");
    Modules m({text});
    // Neither letter of the second is in Latin-1; and a change of several steps.
    QVERIFY(m.apply(m.changes().setCell(objectClass(kA), "semantics", "Größe Δλ")));
    QVERIFY(m.apply(
        m.changes().setCell({RowKind::Enumerator, "Kind", "Two", 1, -1}, "value", "2, 3, 4")));
    QCOMPARE(m.read().objectClasses[0].subclasses[0].semantics, std::string("Größe Δλ"));
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void anyEditsOfRealModulesAreReadAndUndone();
};

namespace {

QStringList realModules() {
  const QString given = qEnvironmentVariable("TUTTI_FOMS");
  QStringList paths;
  for (const QString& folder :
       {given.isEmpty() ? QStringLiteral(TUTTI_SOURCE_DIR "/../shared/foms") : given,
        QStringLiteral(TUTTI_SOURCE_DIR "/tests/fom-editor/data"),
        QStringLiteral(TUTTI_SOURCE_DIR "/resources/templates")}) {
    QDirIterator files(folder, {"*.xml"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      const QString path = files.next();
      if (!path.contains("/broken/")) paths << path;
    }
  }
  paths.sort();
  return paths;
}

/// Picks rows, cells and values at random.
class Person {
 public:
  explicit Person(unsigned seed) : random_(seed) {}

  ModelChanges::Result anyChange(const ModelChanges& c) {
    const bool isObject = below(2) == 0;
    const RowKind classKind = isObject ? RowKind::ObjectClass : RowKind::InteractionClass;
    const RowRef cls{classKind, {}, any(namesOf(c.modules(), classKind)), -1, -1};
    const RowKind memberKind = isObject ? RowKind::Attribute : RowKind::Parameter;
    const RowRef member{memberKind, cls.name, any(membersOf(c.modules(), isObject, cls.name)), -1,
                        -1};
    const RowRef type{RowKind::DataType, {}, any(namesOf(c.modules(), RowKind::DataType)), -1, -1};
    const RowRef part{
        QList<RowKind>{RowKind::Enumerator, RowKind::Field, RowKind::Alternative}[below(3)],
        type.name,
        {},
        below(3),
        -1};
    const RowKind table =
        QList<RowKind>{RowKind::Dimension, RowKind::Transportation, RowKind::UpdateRate,
                       RowKind::SynchronizationPoint}[below(4)];
    const RowRef row{table, {}, any(namesOf(c.modules(), table)), -1, -1};
    const QString name = QStringLiteral("n%1").arg(below(100000));
    switch (below(23)) {
      case 21: {
        const RowRef list{RowKind::DirectedInteraction,
                          any(namesOf(c.modules(), RowKind::ObjectClass)),
                          any(namesOf(c.modules(), RowKind::InteractionClass)), -1, -1};
        switch (below(4)) {
          case 0:
            return c.remove({list});
          case 1:
            return c.setCell(list, "sharing", value(c));
          case 2:
            return c.rename(list, any(namesOf(c.modules(), RowKind::InteractionClass)));
          default:
            return c.add(list);
        }
      }
      case 22:
        if (below(3) == 0) {
          return below(2) == 0
                     ? c.setCell(member, "valueRequired", any({"true", "false", ""}))
                     : c.setCell(cls, "dimensions", any(namesOf(c.modules(), RowKind::Dimension)));
        }
        return below(2) == 0
                   ? c.addReferenceDataType(name)
                   : c.setCell(type, any({"referenceClass", "referencedAttribute"}),
                               any(below(2) == 0 ? namesOf(c.modules(), RowKind::ObjectClass)
                                                 : membersOf(c.modules(), true, cls.name)));
      case 0:
        return c.add({memberKind, cls.name, name, -1, -1}, {}, below(3) - 1);
      case 1:
        return c.remove({member});
      case 2:
        return c.rename(member, name);
      case 3:
      case 4:
        return c.setCell(member,
                         any({"dataType", "update", "ownership", "sharing", "dimensions",
                              "transportation", "order", "semantics"}),
                         value(c));
      case 5:
        return c.move(member, below(7) - 3);
      case 6:
        return c.rename(below(2) == 0 ? cls : type, name);
      case 7:
        return c.addSubclass(cls, name);
      case 8:
        return c.reparent(cls, any(namesOf(c.modules(), classKind)));
      case 9:
        return below(4) == 0 ? c.remove({below(2) == 0 ? cls : type}) : c.move(cls, below(5) - 2);
      case 10:
        return c.addDataType(static_cast<omt::DataTypeKind>(below(6)), name);
      case 11:
        return c.setCell(type,
                         any({"dataType", "representation", "units", "semantics", "encoding",
                              "size", "discriminant", "cardinality"}),
                         value(c));
      case 12:
        return below(2) == 0 ? c.add({part.kind, part.owner, name, -1, -1}, {}, below(4) - 1)
                             : c.remove({part});
      case 13:
        return below(2) == 0
                   ? c.setCell(part, any({"value", "dataType", "enumerator", "semantics"}),
                               value(c))
                   : c.move(part, below(5) - 2);
      case 14:
        return below(2) == 0 ? c.add({table, {}, name, -1, -1})
                             : c.setCell(row,
                                         any({"rate", "semantics", "dataType", "upperBound",
                                              "reliable", "capability"}),
                                         value(c));
      case 15:
        return setSharing(c, {{cls, anySharing()}, {member, anySharing()}});
      case 16:
        return setNoteReferences(c,
                                 below(2) == 0   ? cls
                                 : below(2) == 0 ? member
                                                 : type,
                                 below(3) == 0 ? QStringList() : QStringList{anyNote(c)});
      case 17: {
        const RowRef note{RowKind::Note, {}, anyNote(c), -1, 0};
        const RowRef added{RowKind::Note, {}, name, -1, 0};
        return below(3) == 0   ? removeNote(c, note, below(2) == 0)
               : below(2) == 0 ? c.rename(note, name)
                               : c.add(added);
      }
      case 18: {
        const QList<Service>& services = servicesOf(omt::Edition::Ieee2010);
        const qsizetype at = below(static_cast<int>(services.size()));
        return below(20) == 0
                   ? removeServiceTable(c, 0)
                   : setServicesUsed(
                         c, 0, {services[at].element, services[(at * 7) % services.size()].element},
                         below(2) == 0);
      }
      case 19: {
        Glyph glyph;
        glyph.format = any({"PNG", "GIF"});
        glyph.picture = QByteArray(below(200), 'x');
        glyph.size = below(2) == 0 ? QSize(below(90), below(90)) : QSize();
        return below(3) == 0   ? removeGlyph(c, 0)
               : below(2) == 0 ? setGlyphAlt(c, 0, value(c))
                               : setGlyph(c, 0, glyph);
      }
      default:
        return below(2) == 0
                   ? c.setCell({RowKind::Switch,
                                {},
                                any({"autoProvide", "automaticResignAction", "serviceReporting"}),
                                -1,
                                -1},
                               "value", any({"enabled", "disabled", "NoAction"}))
                   : c.setCell({RowKind::Identification, {}, {}, -1, 0},
                               any({"version", "purpose", "modificationDate"}), value(c));
    }
  }

 private:
  int below(int limit) {
    return std::uniform_int_distribution<int>(0, std::max(0, limit - 1))(random_);
  }
  omt::Sharing anySharing() { return sharingFrom(below(2) == 0, below(2) == 0); }
  QString anyNote(const ModelChanges& c) { return any(noteLabels(*c.modules().front().source)); }
  QString any(const QStringList& of) {
    return of.isEmpty() ? QString() : of[below(int(of.size()))];
  }
  QString value(const ModelChanges& c) {
    return any({"NA",
                "",
                "Periodic 0.2 s",
                "Static",
                "HLAreliable",
                "HLAbestEffort",
                "Receive",
                "TimeStamp",
                "Publish",
                "Neither",
                "DivestAcquire",
                "12",
                "3",
                "Yes",
                "Dynamic",
                "[1..7]",
                "a & b < c\nsecond line \"quoted\"",
                "HLAfixedRecord",
                "HLAother",
                any(namesOf(c.modules(), RowKind::DataType)),
                any(namesOf(c.modules(), RowKind::Dimension))});
  }

  std::mt19937 random_;
};

}  // namespace

void TestModelChanges::anyEditsOfRealModulesAreReadAndUndone() {
  QStringList paths = realModules();
  QVERIFY(paths.size() > 4);
  paths << QString();  // one of 2025, which nobody has published
  constexpr int edits = 10000;
  const int each = edits / static_cast<int>(paths.size()) + 1;
  int made = 0;
  int refused = 0;
  unsigned seed = 1;
  int of2025 = 0;
  for (const QString& path : paths) {
    const std::string bytes = path.isEmpty() ? k2025() : content(path);
    auto parsed = ModuleSource::parse(bytes, path.toStdString());
    if (!parsed) continue;
    Modules m({bytes});
    if (!omt::readModule(bytes, "x")) continue;
    of2025 += m.sources[0]->isOf2025() ? 1 : 0;
    Person person(seed++);
    for (int i = 0, tries = 0; i < each && tries < 20 * each; ++tries) {
      const auto change = person.anyChange(m.changes());
      if (!change) ++refused;
      if (!change || change->changes.empty()) continue;
      QVERIFY2(m.apply(change), qPrintable(path + ": " + m.refused));
      ++made;
      ++i;
      // Reading takes longer than the edits: not after each.
      if (i % 16 != 0 && i != each) continue;
      const auto read = omt::readModule(m.sources[0]->bytes(), "x");
      QVERIFY2(read.has_value(),
               qPrintable(path + " after " + m.label + ": " +
                          (read ? QString() : QString::fromStdString(read.error().toText()))));
    }
    m.undoAll();
    QVERIFY2(m.isAsBefore(), qPrintable(path));
  }
  qInfo("%d edits, %d refused", made, refused);
  QVERIFY(of2025 > 0);
  QVERIFY(made >= edits * 9 / 10);
}

QTEST_GUILESS_MAIN(TestModelChanges)
#include "tst_model_changes.moc"
