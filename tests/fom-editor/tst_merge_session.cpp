// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QAbstractItemModelTester>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "fom-editor/model/item.h"
#include "fom-editor/model/merge_rows.h"
#include "fom-editor/model/merge_session.h"

using namespace tutti::fomedit;

namespace {

QString content(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
  return QString::fromUtf8(file.readAll());
}

void write(const QString& path, const QString& text) {
  QFile file(path);
  const QByteArray bytes = text.toUtf8();
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("cannot write");
}

using Edits = QList<std::pair<QString, QString>>;

/// Three versions of a module in files.
struct Versions {
  Versions(const Edits& ours, const Edits& theirs) {
    const QString text =
        content(QStringLiteral(TUTTI_SOURCE_DIR "/tests/fom-editor/data/Tracks.xml"));
    const auto edited = [&](const Edits& edits) {
      QString result = text;
      for (const auto& [from, to] : edits) {
        if (result.count(from) != 1) qFatal("%s", qPrintable(from));
        result.replace(from, to);
      }
      return result;
    };
    write(base(), text);
    write(this->ours(), edited(ours));
    write(this->theirs(), edited(theirs));
  }
  QString base() const { return folder.filePath("base.xml"); }
  QString ours() const { return folder.filePath("ours.xml"); }
  QString theirs() const { return folder.filePath("theirs.xml"); }
  MergeRequest request() const { return {base(), ours(), theirs()}; }

  QTemporaryDir folder;
};

const QString kSpeed = "<name>speed</name>\n          <dataType>Length</dataType>";
const QString kUnits = "<units>m</units>";

/// Two conflicts, and a change of each side.
Versions twoConflicts() {
  return {{{kSpeed, QString(kSpeed).replace("Length", "Spare")},
           {kUnits, "<units>km</units>"},
           {"Where it is", "Where it was"}},
          {{kSpeed, QString(kSpeed).replace("Length", "Point")},
           {kUnits, "<units>ft</units>"},
           {"\"n1\"", "\"n2\""}}};
}

bool wait(MergeSession& session) {
  QElapsedTimer timer;
  timer.start();
  while (session.isMerging() && timer.elapsed() < 60000) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
  }
  return !session.isMerging();
}

QStringList choicesOf(const MergeRows& rows) {
  QStringList list;
  for (int row = 0; row < rows.rowCount(); ++row) {
    list << rows.index(row, MergeRows::WhereColumn).data().toString() + ": " +
                rows.index(row, MergeRows::TakeColumn).data().toString();
  }
  return list;
}

const QString kSpeedPlace = "object class HLAobjectRoot.Track, attribute speed, dataType";
const QString kUnitsPlace = "datatype Length, units";

}  // namespace

class TestMergeSession : public QObject {
  Q_OBJECT

 private slots:
  void conflictsAreDecidedOneByOne() {
    const Versions v = twoConflicts();
    MergeSession session;
    MergeRows rows(session);
    QAbstractItemModelTester tester(&rows);
    session.begin(v.request());
    QVERIFY(wait(session));
    QVERIFY(session.state());
    QCOMPARE(choicesOf(rows), (QStringList{kSpeedPlace + ": open", kUnitsPlace + ": open"}));
    QCOMPARE(session.open(), 2);
    QCOMPARE(session.state()->fromOurs.size(), std::size_t{1});
    QCOMPARE(session.state()->fromTheirs.size(), std::size_t{1});
    QCOMPARE(rows.next(-1, 1), 0);
    QCOMPARE(rows.next(0, 1), 1);
    QCOMPARE(rows.next(0, -1), 1);

    session.choose(*rows.conflict(0), MergeDecision{MergeChoice::Theirs, {}});
    // The row says so at once; the result follows.
    QCOMPARE(choicesOf(rows), (QStringList{kSpeedPlace + ": Theirs", kUnitsPlace + ": open"}));
    QCOMPARE(session.open(), 1);
    QVERIFY(!session.isCurrent());
    QCOMPARE(rows.next(0, 1), 1);
    QCOMPARE(rows.next(1, 1), 1);
    session.choose(*rows.conflict(1), MergeDecision{MergeChoice::Edited, "yd"});
    QVERIFY(wait(session));
    QVERIFY(session.isCurrent());
    QCOMPARE(choicesOf(rows),
             (QStringList{kSpeedPlace + ": Theirs", kUnitsPlace + ": Own value: yd"}));
    QCOMPARE(session.open(), 0);
    const QString result = text(session.state()->merge.bytes);
    QVERIFY(result.contains(QString(kSpeed).replace("Length", "Point")));
    QVERIFY(result.contains("<units>yd</units>"));
    QVERIFY(result.contains("Where it was"));
    QVERIFY(result.contains("\"n2\""));

    QCOMPARE(session.undoStack().undoText(), "take own value for " + kUnitsPlace);
    session.undoStack().undo();
    QCOMPARE(session.open(), 1);
    session.undoStack().undo();
    QCOMPARE(choicesOf(rows), (QStringList{kSpeedPlace + ": open", kUnitsPlace + ": open"}));
    session.undoStack().redo();
    session.undoStack().redo();
    QVERIFY(wait(session));
    QCOMPARE(text(session.state()->merge.bytes), result);
    // Open again.
    session.choose(*rows.conflict(0), std::nullopt);
    QCOMPARE(session.open(), 1);
  }

  /// The key of one that is not found by its place alone is nothing to read.
  void theHistoryNamesThePlaceOfAConflict() {
    const QString spare =
        "      <simpleData>\n        <name>Spare</name>\n"
        "        <representation>HLAfloat64BE</representation>\n      </simpleData>\n";
    const Versions v({{spare, ""}}, {{kSpeed, QString(kSpeed).replace("Length", "Spare")}});
    MergeSession session;
    session.begin(v.request());
    QVERIFY(wait(session));
    QCOMPARE(session.open(), 1);
    session.choose(session.state()->merge.conflicts.front(), MergeDecision{MergeChoice::Ours, {}});
    QCOMPARE(session.undoStack().undoText(), QString("take ours for datatype Spare"));
  }

  void allThatAreLeftAreDecidedAsOneStep() {
    const Versions v = twoConflicts();
    MergeSession session;
    MergeRows rows(session);
    session.begin(v.request());
    QVERIFY(wait(session));
    session.choose(*rows.conflict(1), MergeDecision{MergeChoice::Base, {}});
    QCOMPARE(session.openThatOffer(MergeChoice::Theirs), 1);
    QCOMPARE(session.openThatOffer(MergeChoice::Both), 0);
    session.chooseAllOpen(MergeChoice::Theirs);
    // What was chosen before stays.
    QCOMPARE(choicesOf(rows), (QStringList{kSpeedPlace + ": Theirs", kUnitsPlace + ": Base"}));
    session.chooseAllOpen(MergeChoice::Ours);
    QCOMPARE(choicesOf(rows), (QStringList{kSpeedPlace + ": Theirs", kUnitsPlace + ": Base"}));
    QCOMPARE(session.undoStack().count(), 2);
    session.undoStack().undo();
    QCOMPARE(choicesOf(rows), (QStringList{kSpeedPlace + ": open", kUnitsPlace + ": Base"}));
  }

  /// More conflicts than are listed: all of them are decided, and none by itself.
  void conflictsThatAreNotListedAreDecidedToo() {
    const QString spare = "      <simpleData>\n        <name>Spare</name>\n";
    QString sides[3];
    for (int i = 0; i < 1100; ++i) {
      for (int side = 0; side < 3; ++side) {
        sides[side] +=
            QString("      <simpleData><name>T%1</name><units>u%2</units></simpleData>\n")
                .arg(i)
                .arg(side);
      }
    }
    Versions v({}, {});
    const QString before = content(v.base());
    for (int side = 0; side < 3; ++side) {
      QString text = before;
      write(side == 0   ? v.base()
            : side == 1 ? v.ours()
                        : v.theirs(),
            text.replace(spare, sides[side] + spare));
    }
    MergeSession session;
    MergeRows rows(session);
    session.begin(v.request());
    QVERIFY(wait(session));
    QCOMPARE(session.open(), 1100);
    QCOMPARE(rows.rowCount(), 1001);
    session.chooseAllOpen(MergeChoice::Theirs);
    QVERIFY(wait(session));
    QCOMPARE(session.open(), 0);
    QCOMPARE(text(session.state()->merge.bytes).count("<units>u2<"), 1100);
    // Each is listed now, and can be opened again.
    QCOMPARE(rows.rowCount(), 1100);
    for (const QString& place : {QString("datatype T0, units"), QString("datatype T1099, units")}) {
      const int row = rows.rowOf(place);
      QVERIFY2(row >= 0, qPrintable(place));
      session.choose(*rows.conflict(row), std::nullopt);
      QVERIFY(rows.isOpen(row));
      QVERIFY(wait(session));
    }
    QCOMPARE(session.open(), 2);
    QCOMPARE(text(session.state()->merge.bytes).count("<units>u1<"), 2);
    session.undoStack().undo();
    session.undoStack().undo();
    session.undoStack().undo();
    QVERIFY(wait(session));
    QCOMPARE(session.open(), 1100);
  }

  void whatTheChecksSayAboutTheResultIsTold() {
    const Versions v({{"<units>m</units>", "<units>km</units>"}},
                     {{kSpeed, QString(kSpeed).replace("Length", "Nowhere")}});
    MergeSession session;
    session.begin(v.request());
    QVERIFY(wait(session));
    QStringList findings;
    for (const Finding& f : session.state()->findings) findings << f.text;
    QVERIFY2(findings.join('\n').contains("Nowhere"), qPrintable(findings.join('\n')));
  }

  void versionsThatCannotBeMergedAreNamed() {
    const Versions v = twoConflicts();
    MergeSession session;
    session.begin(v.request());
    QVERIFY(wait(session));
    const auto before = session.state();
    QSignalSpy merged(&session, &MergeSession::merged);
    const auto fault = [&](const MergeRequest& request) {
      merged.clear();
      session.begin(request);
      if (!wait(session) || merged.size() != 1) return QString();
      return merged[0][0].value<std::shared_ptr<const MergeState>>()->fault;
    };
    MergeRequest request = v.request();
    request.theirs = "/nowhere/x.xml";
    QVERIFY(fault(request).startsWith("/nowhere/x.xml: "));
    request.theirs = v.folder.filePath("broken.xml");
    write(request.theirs, "<objectModel>\n<a>");
    QVERIFY2(fault(request).contains("line 2"), qPrintable(fault(request)));
    write(request.theirs, "(FED (Federation x))");
    QVERIFY2(fault(request).contains("HLA 1.3"), qPrintable(fault(request)));
    request.theirs = v.folder.path();
    QVERIFY(!fault(request).isEmpty());
    // The merge before them is still there.
    QCOMPARE(session.state(), before);
  }

  void aFileThatNeverEndsIsGivenUp() {
    const Versions v = twoConflicts();
    MergeRequest request = v.request();
    request.base = v.folder.filePath("pipe.xml");
    const QByteArray pipe = request.base.toLocal8Bit();
    QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
    MergeSession session;
    QSignalSpy cancelled(&session, &MergeSession::cancelled);
    QSignalSpy merged(&session, &MergeSession::merged);
    session.begin(request);
    // There is a writer only as soon as the worker has opened the pipe.
    int writer = -1;
    QTRY_VERIFY_WITH_TIMEOUT((writer = ::open(pipe.constData(), O_WRONLY | O_NONBLOCK)) >= 0,
                             60000);
    QVERIFY(session.isMerging());
    session.cancel();
    QCOMPARE(cancelled.size(), 1);
    QVERIFY(!session.isMerging());
    session.begin(v.request());
    QVERIFY(wait(session));
    QVERIFY(session.state());
    QCOMPARE(merged.size(), 1);
    ::close(writer);  // lets the worker go
  }

  /// A new merge that fails or is given up takes nothing from the one before it.
  void choicesAreMergedWhateverBecomesOfANewMerge_data() {
    QTest::addColumn<bool>("cancels");
    QTest::newRow("it fails") << false;
    QTest::newRow("it is cancelled") << true;
  }
  void choicesAreMergedWhateverBecomesOfANewMerge() {
    QFETCH(bool, cancels);
    const Versions v = twoConflicts();
    MergeSession session;
    MergeRows rows(session);
    session.begin(v.request());
    QVERIFY(wait(session));
    MergeRequest missing = v.request();
    missing.theirs = "/nowhere/x.xml";
    const auto give = [&] {
      if (cancels) {
        session.cancel();
      }
      return wait(session) && session.isCurrent();
    };
    session.choose(*rows.conflict(1), MergeDecision{MergeChoice::Theirs, {}});
    session.begin(missing);
    QVERIFY(give());
    QVERIFY(text(session.state()->merge.bytes).contains("<units>ft<"));
    // An undo meanwhile is merged, too; choices are not taken.
    session.begin(missing);
    session.undoStack().undo();
    session.choose(*rows.conflict(0), MergeDecision{MergeChoice::Theirs, {}});
    session.chooseAllOpen(MergeChoice::Ours);
    QVERIFY(session.isMerging());
    QVERIFY(give());
    QVERIFY(session.choices() == MergeChoices{});
    QCOMPARE(session.open(), 2);
    // Choices that were to be merged when the person gave up.
    session.choose(*rows.conflict(1), MergeDecision{MergeChoice::Base, {}});
    session.cancel();
    QVERIFY(wait(session));
    QVERIFY(session.isCurrent());
  }

  void anUndoDropsNoNewMerge() {
    const Versions v = twoConflicts();
    const Versions other({{"Where it is", "Where it was"}}, {{kUnits, "<units>ft</units>"}});
    MergeSession session;
    MergeRows rows(session);
    session.begin(v.request());
    QVERIFY(wait(session));
    session.choose(*rows.conflict(1), MergeDecision{MergeChoice::Theirs, {}});
    QVERIFY(wait(session));
    session.begin(other.request());
    session.undoStack().undo();
    QVERIFY(wait(session));
    QCOMPARE(session.state()->request.ours, other.ours());
    QVERIFY(session.isCurrent());
    QCOMPARE(session.undoStack().count(), 0);
  }

  void whatCannotBeSavedIsTold() {
    const Versions v = twoConflicts();
    MergeSession session;
    MergeRows rows(session);
    QSignalSpy saved(&session, &MergeSession::saved);
    QSignalSpy notSaved(&session, &MergeSession::notSaved);
    const QString path = v.folder.filePath("new.xml");
    const auto why = [&] {
      session.save(path, nullptr);
      return notSaved.isEmpty() ? QString() : notSaved.takeLast()[1].toString();
    };
    QCOMPARE(why(), path + " is not written. Nothing is merged yet. Merge three versions first.");
    session.begin(v.request());
    QVERIFY(wait(session));
    session.choose(*rows.conflict(0), MergeDecision{MergeChoice::Theirs, {}});
    QCOMPARE(why(), path +
                        " is not written. The result is still being made. Save again when it "
                        "is there.");
    QVERIFY(wait(session));
    QCOMPARE(why(), QString());
    QCOMPARE(why(), path +
                        " is not written. Another file is being saved. Save again when that "
                        "is done.");
    QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, 60000);
    QCOMPARE(content(path), text(session.state()->merge.bytes));
  }

  void editedTextsStandForTheirFiles() {
    const Versions v = twoConflicts();
    MergeRequest request = v.request();
    request.texts.insert(v.ours(),
                         std::make_shared<const std::string>(content(v.base()).toStdString()));
    MergeSession session;
    session.begin(request);
    QVERIFY(wait(session));
    QCOMPARE(session.open(), 0);
    QCOMPARE(text(session.state()->merge.bytes), content(v.theirs()));
  }

  void aChangedFileIsNotOverwritten() {
    const Versions v = twoConflicts();
    MergeSession session;
    session.begin(v.request());
    QVERIFY(wait(session));
    session.chooseAllOpen(MergeChoice::Ours);
    QVERIFY(wait(session));
    QSignalSpy saved(&session, &MergeSession::saved);
    QSignalSpy notSaved(&session, &MergeSession::notSaved);
    write(v.ours(), "<other/>");
    session.save(v.ours(), session.state()->bytes[MergeState::Ours]);
    QVERIFY(notSaved.wait(30000));
    QVERIFY(notSaved[0][1].toString().contains("another program has changed the file"));
    QCOMPARE(content(v.ours()), QString("<other/>"));
    const QString fresh = v.folder.filePath("new.xml");
    session.save(fresh, nullptr);
    QVERIFY(saved.wait(30000));
    QCOMPARE(content(fresh), text(session.state()->merge.bytes));
    // One that appeared meanwhile is nobody's to overwrite.
    const QString other = v.folder.filePath("other.xml");
    write(other, "mine");
    session.save(other, nullptr);
    QVERIFY(notSaved.wait(30000));
    QCOMPARE(content(other), QString("mine"));
  }

  void aDeclarationIsShownWithItsRow() {
    const Versions v = twoConflicts();
    MergeSession session;
    session.begin(v.request());
    QVERIFY(wait(session));
    const MergeConflict& c = session.state()->merge.conflicts.front();
    const MergeExcerpt excerpt = excerptOf(*session.state()->sources[MergeState::Theirs], c.theirs);
    QCOMPARE(excerpt.text,
             QString("<attribute>\n  <name>speed</name>\n  <dataType>Point</dataType>\n"
                     "</attribute>"));
    QCOMPARE(excerpt.marked, 2);
    QCOMPARE(excerpt.firstLine + excerpt.marked, c.theirs.line);
    const MergeExcerpt part = excerptOf(*session.state()->sources[MergeState::Theirs], c.theirs, 2);
    QCOMPARE(part.text.count('\n'), 1);
    QCOMPARE(part.text.split('\n').value(part.marked).trimmed(),
             QString("<dataType>Point</dataType>"));
  }

  /// What one has removed is shown as the other has changed it, and the other way round.
  void aRowThatOnlyOneHasIsShown() {
    const QString name = "<name>Ship</name>";
    const QString ship =
        "      <objectClass>\n        <name>Ship</name>\n        <sharing>Publish</sharing>\n"
        "      </objectClass>\n";
    const Edits gone{{ship, ""}};
    const Edits changed{{name, name + "<semantics>a</semantics>"}};
    for (const bool inTheirs : {true, false}) {
      const Versions v(inTheirs ? gone : changed, inTheirs ? changed : gone);
      MergeSession session;
      session.begin(v.request());
      QVERIFY(wait(session));
      QCOMPARE(session.state()->merge.conflicts.size(), std::size_t{1});
      const MergeConflict& c = session.state()->merge.conflicts.front();
      const auto& sources = session.state()->sources;
      const MergeExcerpt shown = inTheirs ? excerptOf(*sources[MergeState::Theirs], c.theirs)
                                          : excerptOf(*sources[MergeState::Ours], c.ours);
      QVERIFY2(shown.text.contains("<semantics>a</semantics>"), qPrintable(shown.text));
      QCOMPARE(shown.marked, 0);
      const MergeExcerpt none = inTheirs ? excerptOf(*sources[MergeState::Ours], c.ours)
                                         : excerptOf(*sources[MergeState::Theirs], c.theirs);
      QCOMPARE(none.text, QString());
    }
  }
};

QTEST_GUILESS_MAIN(TestMergeSession)
#include "tst_merge_session.moc"
