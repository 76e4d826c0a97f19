// SPDX-License-Identifier: GPL-3.0-or-later
// The notes of a module, and what refers to them.
#include <QTemporaryDir>
#include <QTest>

#include "editable_modules.h"
#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/note_table.h"

using namespace tutti;
using namespace tutti::fomedit;
using testmodels::EditedModules;
using testmodels::with;

namespace {

const std::string k2010 =
    with(with(with(with(testmodels::content(testmodels::data("Edits-2010.xml")),
                        "<attribute><name>y</name>", "<attribute notes=\"n1 n2\"><name>y</name>"),
                   "<name>C</name>", "<name notes = 'n2'>C</name>"),
              "<keyword>", "<keyword notes=\"gone\">"),
         "<semantics>s</semantics></note>",
         "<semantics>s</semantics></note><note><label>n2</label></note>");

std::string of2025() {
  std::string text = with(k2010, "IEEE1516-2010", "IEEE1516-2025");
  for (const char* list : {"attribute notes=", "name notes =", "keyword notes="}) {
    std::string now = list;
    text = with(text, list, now.replace(now.find("notes"), 5, "noteReferences"));
  }
  return text;
}

const std::string k2000 =
    with(with(testmodels::content(testmodels::data("Edits-2000.xml")), "<attribute name=\"y\"",
              "<attribute name=\"y\" dataTypeNotes=\"n1 n2\""),
         "<note name=\"n1\" semantics=\"s\"/>",
         "<note name=\"n1\" semantics=\"s\"/><note name=\"n2\" semantics=\"t\"/>");

QStringList printed(const ModuleSource& source) {
  QStringList lines;
  for (const NoteEntry& note : notesOf(source)) {
    lines << note.label + (note.isMissing ? " missing" : ": " + note.semantics);
    for (const NoteUse& use : note.uses) {
      lines << ("  " + use.subject + ' ' + use.cell + ' ' + use.item).simplified().prepend("  ");
    }
  }
  return lines;
}

RowRef attribute(const QString& owner, const QString& name) {
  return {RowKind::Attribute, owner, name};
}
RowRef note(const QString& label) { return {RowKind::Note, {}, label, -1, 0}; }

}  // namespace

class TestNoteTable : public QObject {
  Q_OBJECT

 private slots:
  void notesStandWithWhereTheyAreUsed() {
    EditedModules m({k2010});
    QCOMPARE(
        printed(*m.sources[0]),
        (QStringList{"n1: s", "  A.y object:HLAobjectRoot.A", "n2:", "  A.y object:HLAobjectRoot.A",
                     "  C name object:HLAobjectRoot.C", "gone missing", "  <keyword>"})
            .replaceInStrings("n2:", "n2: "));
    EditedModules later({of2025()});
    QCOMPARE(printed(*later.sources[0]), printed(*m.sources[0]));
    EditedModules old({k2000});
    QCOMPARE(printed(*old.sources[0]),
             (QStringList{"n1: s", "  A.y dataType object:HLAobjectRoot.A", "n2: t",
                          "  A.y dataType object:HLAobjectRoot.A"}));
  }

  void referencesAreSet_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("list");
    QTest::newRow("2010") << QByteArray::fromStdString(k2010) << QByteArray("notes");
    QTest::newRow("2025") << QByteArray::fromStdString(of2025()) << QByteArray("noteReferences");
    QTest::newRow("2025 with a prefix") << QByteArray::fromStdString(testmodels::prefixed(of2025()))
                                        << QByteArray("noteReferences");
  }
  void referencesAreSet() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, list);
    const std::string name = list.toStdString();
    EditedModules m({text.toStdString()});
    const std::string prefix = m.has("<omt:attribute") ? "omt:" : "";
    const std::string opened = "<" + prefix + "attribute";
    const std::string z = "><" + prefix + "name>z</" + prefix + "name>";
    // The first of a row, one less, and none.
    QVERIFY(m.apply(setNoteReferences(m.changes(), attribute("HLAobjectRoot.A", "z"), {"n2"})));
    QCOMPARE(m.bytes(), with(m.before[0], opened + z, opened + " " + name + "=\"n2\"" + z));
    m.undoAll();
    QVERIFY(m.apply(setNoteReferences(m.changes(), attribute("HLAobjectRoot.A", "y"), {"n2"})));
    QCOMPARE(m.bytes(), with(m.before[0], name + "=\"n1 n2\"", name + "=\"n2\""));
    QVERIFY(m.apply(setNoteReferences(m.changes(), attribute("HLAobjectRoot.A", "y"), {})));
    QCOMPARE(m.bytes(), with(m.before[0], opened + " " + name + "=\"n1 n2\">", opened + ">"));
    m.undoAll();
    QVERIFY(m.isAsBefore());
    // As a cell of the tables.
    QCOMPARE(m.changes().cell(attribute("HLAobjectRoot.A", "y"), "notes"), QString("n1, n2"));
    QCOMPARE(m.changes().editorOf(attribute("HLAobjectRoot.A", "y"), "notes").choices,
             (QStringList{"n1", "n2"}));
    QVERIFY(m.apply(m.changes().setCell(attribute("HLAobjectRoot.A", "y"), "notes", "n1")));
    QCOMPARE(m.bytes(), with(m.before[0], name + "=\"n1 n2\"", name + "=\"n1\""));
    QVERIFY(!m.apply(m.changes().setCell(attribute("HLAobjectRoot.A", "y"), "notes", "n9")));
    QVERIFY2(m.refused.contains("no note n9"), qPrintable(m.refused));
  }

  void cellsOfTheOldEditionKeepTheirLists() {
    EditedModules m({k2000});
    const RowRef y = attribute("HLAobjectRoot.A", "y");
    QVERIFY(m.apply(setNoteReferences(m.changes(), y, {"n2"})));
    QCOMPARE(m.bytes(), with(k2000, "dataTypeNotes=\"n1 n2\"", "dataTypeNotes=\"n2\""));
    const RowRef z = attribute("HLAobjectRoot.A", "z");
    QVERIFY(m.apply(setNoteReferences(m.changes(), z, {"n1"})));
    QVERIFY(m.has("<attribute name=\"z\" dataType=\"Choice\" nameNotes=\"n1\"/>"));
    QVERIFY(m.isRead());
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void referencesFollowARename_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("2010") << QByteArray::fromStdString(k2010);
    QTest::newRow("2025") << QByteArray::fromStdString(of2025());
    QTest::newRow("2000") << QByteArray::fromStdString(k2000);
  }
  void referencesFollowARename() {
    QFETCH(QByteArray, text);
    EditedModules m({text.toStdString()});
    const qsizetype uses = notesOf(*m.sources[0])[1].uses.size();
    QVERIFY(m.apply(m.changes().rename(note("n2"), "units")));
    const NoteEntry renamed = notesOf(*m.sources[0])[1];
    QCOMPARE(renamed.label, QString("units"));
    QCOMPARE(renamed.uses.size(), uses);
    QVERIFY(!m.apply(m.changes().rename(note("units"), "n1")));
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void aNoteThatIsUsedIsNotRemovedSilently() {
    EditedModules m({k2010});
    QVERIFY(!m.apply(removeNote(m.changes(), note("n2"), false)));
    QVERIFY2(m.refused.contains("used in 2 places"), qPrintable(m.refused));
    QVERIFY(m.isAsBefore());
    QVERIFY(!m.apply(m.changes().remove({note("n2")})));
    QVERIFY(m.apply(removeNote(m.changes(), note("n2"), true)));
    QCOMPARE(m.label, QString("remove note n2 with 2 references"));
    std::string wanted = with(k2010, "notes=\"n1 n2\"", "notes=\"n1\"");
    wanted = with(wanted, "<name notes = 'n2'>C</name>", "<name>C</name>");
    wanted = with(wanted, "<note><label>n2</label></note>", "");
    QCOMPARE(m.bytes(), wanted);
    QVERIFY(m.apply(removeNote(m.changes(), note("n1"), true)));
    QVERIFY(m.isRead());
    m.undoAll();
    QVERIFY(m.isAsBefore());
    EditedModules bare({testmodels::content(testmodels::data("Edits-2010.xml"))});
    QVERIFY(bare.apply(removeNote(bare.changes(), note("n1"), false)));
    QCOMPARE(bare.label, QString("remove note n1"));
  }

  /// All rows of the label go, and each reference once.
  void aLabelThatStandsTwiceIsRemovedWhole_data() {
    QTest::addColumn<QByteArray>("between");
    QTest::newRow("in one line") << QByteArray();
    QTest::newRow("in lines of their own") << QByteArray("\n    ");
    QTest::newRow("apart") << QByteArray("<note><label>n3</label></note>\n");
  }
  void aLabelThatStandsTwiceIsRemovedWhole() {
    QFETCH(QByteArray, between);
    const std::string n2 = "<note><label>n2</label></note>";
    const std::string another = "<note><label>n2</label><semantics>again</semantics></note>";
    EditedModules m({with(k2010, n2, n2 + between.toStdString() + another), k2010});
    QVERIFY(!m.apply(removeNote(m.changes(), note("n2"), false)));
    QVERIFY2(m.refused.contains("used in 2 places"), qPrintable(m.refused));
    QVERIFY2(m.apply(removeNote(m.changes(), note("n2"), true)), qPrintable(m.refused));
    QCOMPARE(m.label, QString("remove note n2 with 2 references"));
    std::string wanted = with(k2010, "notes=\"n1 n2\"", "notes=\"n1\"");
    wanted = with(wanted, "<name notes = 'n2'>C</name>", "<name>C</name>");
    QCOMPARE(m.bytes(), with(wanted, n2, between.toStdString()));
    QVERIFY(m.isRead());
    QCOMPARE(m.bytes(1), k2010);
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  /// Where a class or datatype has notes, the facts above its table say so, to be edited.
  void factsSayWhichNotesARowHas() {
    QTemporaryDir folder;
    QFile file(folder.filePath("M.xml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(
        with(k2010, "<simpleData><name>Length", "<simpleData notes=\"n1  n2\"><name>Length")));
    file.close();
    const auto model = loadModel({file.fileName()}).model;
    const QList<Fact> facts = factsOf(*model, findItem(*model, "datatype:Length"));
    QCOMPARE(facts.last(), (Fact{"Notes", "n1, n2", "notes"}));
    for (const Fact& fact : factsOf(*model, findItem(*model, "object:HLAobjectRoot.A"))) {
      QVERIFY(fact.name != "Notes");
    }
  }

  /// Labels are of one module: the same label elsewhere is another note.
  void otherModulesKeepTheirs() {
    EditedModules m({k2010, k2010});
    QVERIFY(m.apply(removeNote(m.changes(), note("n2"), true)));
    QCOMPARE(m.bytes(1), k2010);
    QVERIFY(m.apply(m.changes().rename({RowKind::Note, {}, "n1", -1, 1}, "other")));
    QVERIFY(!m.has("other", 0));
  }
};

QTEST_GUILESS_MAIN(TestNoteTable)
#include "tst_note_table.moc"
