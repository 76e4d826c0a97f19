// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <QUndoStack>
#include <QUrl>

#include "fom-editor/model/merge_session.h"
#include "fom-editor/ui/conflict_view.h"
#include "fom-editor/ui/merge_files.h"
#include "fom-editor/ui/merge_page.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

QString content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

void write(const QString& path, const QString& text) {
  QFile file(path);
  const QByteArray bytes = text.toUtf8();
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("cannot write");
}

QString replaced(QString text, const QString& from, const QString& to) {
  if (!text.contains(from)) qFatal("not there: %s", qPrintable(from));
  return text.replace(from, to);
}

/// The page, and three versions of the air traffic model in files: a datatype and semantics that
/// both changed, a class that both renamed, and a change of each alone.
struct Window {
  explicit Window(const QSize& size = QSize(1368, 804)) {
    page = new ObjectModelWorkspace(&frame);
    frame.setCentralWidget(page);
    frame.resize(size);
    const QString text = content(testmodels::data("AirTraffic-Base.xml"));
    write(base(), text);
    QString mine = replaced(text, "As spoken", "As spoken by the pilot");
    mine = replaced(mine, "<name>altitude</name><dataType>Length64",
                    "<name>altitude</name><dataType>Speed32");
    mine = replaced(mine, "<name>Glider</name>", "<name>Sailplane</name>");
    write(ours(), mine);
    QString other = replaced(text, "As spoken", "As said");
    other = replaced(other, "<name>altitude</name><dataType>Length64",
                     "<name>altitude</name><dataType>HLAfloat32BE");
    other = replaced(other, "<name>Glider</name>", "<name>Paraglider</name>");
    other = replaced(other, "<enumerator><name>Super</name><value>4</value></enumerator>", "");
    write(theirs(), other);
    frame.show();
    if (!QTest::qWaitForWindowActive(&frame)) qFatal("the window is not active");
  }

  QString base() const { return folder.filePath("base.xml"); }
  QString ours() const { return folder.filePath("ours.xml"); }
  QString theirs() const { return folder.filePath("theirs.xml"); }

  bool load(const QStringList& paths) {
    QSignalSpy spy(page, &ObjectModelWorkspace::modelShown);
    page->setModules(paths);
    return spy.wait(60000);
  }
  bool merge() { return merge(base(), ours(), theirs()); }
  bool merge(const QString& b, const QString& o, const QString& t) {
    QSignalSpy spy(page, &ObjectModelWorkspace::mergeShown);
    page->mergeVersions(b, o, t);
    return spy.wait(60000);
  }
  /// Until the result is of what was chosen.
  bool settle() {
    return QTest::qWaitFor([this] { return page->merge()->isCurrent(); }, 60000);
  }

  template <typename T>
  T* find(const char* name) const {
    T* widget = page->findChild<T*>(QString::fromLatin1(name));
    if (widget == nullptr) qFatal("no widget %s", name);
    return widget;
  }
  ConflictView* conflicts() const { return find<ConflictView>("mergeConflicts"); }
  QString label(const char* name) const { return find<QLabel>(name)->text(); }
  QString verdict() const { return find<theme::StatePill>("mergeVerdict")->text(); }
  void click(const char* name) const {
    QTest::mouseClick(find<QAbstractButton>(name), Qt::LeftButton);
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) const {
    QTest::keyClick(QApplication::focusWidget(), key, modifiers);
  }
  /// On the button of a row.
  void click(int row, MergeChoice choice) const {
    const QModelIndex index = conflicts()->model()->index(row, MergeRows::TakeColumn);
    conflicts()->scrollTo(index);
    const QRect button =
        ConflictDelegate::buttonRect(conflicts()->visualRect(index), index, choice);
    if (button.isEmpty()) qFatal("not offered");
    QTest::mouseClick(conflicts()->viewport(), Qt::LeftButton, {}, button.center());
  }
  /// What is taken, row by row.
  QStringList taken() const {
    QStringList list;
    for (int row = 0; row < conflicts()->model()->rowCount(); ++row) {
      list << conflicts()->model()->index(row, MergeRows::TakeColumn).data().toString();
    }
    return list;
  }

  QTemporaryDir folder;
  QMainWindow frame;
  ObjectModelWorkspace* page = nullptr;
};

/// Kept where TUTTI_SCREENSHOTS names a folder, for people to look at.
void screenshot(Window& window, const QString& name) {
  const QString folder = qEnvironmentVariable("TUTTI_SCREENSHOTS");
  if (folder.isEmpty()) return;
  QTest::qWait(150);  // hover and focus settle
  window.frame.grab().save(folder + '/' + name + ".png");
}

void drop(QWidget* on, const QStringList& paths) {
  QMimeData data;
  QList<QUrl> urls;
  for (const QString& path : paths) urls << QUrl::fromLocalFile(path);
  data.setUrls(urls);
  QDragEnterEvent enter(on->rect().center(), Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(on, &enter);
  if (!enter.isAccepted()) qFatal("files are not taken");
  QDropEvent dropped(on->rect().center(), Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(on, &dropped);
}

}  // namespace

class TestModelMergePage : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QApplication::setAttribute(Qt::AA_DontUseNativeDialogs); }
  void init() {
    const QString asked = qEnvironmentVariable("TUTTI_APPEARANCE");
    theme_.apply(asked == "dark" ? theme::Appearance::Dark : theme::Appearance::Light);
  }

  void threeVersionsAreChosenDroppedAndMerged() {
    Window window;
    QVERIFY(window.load({window.ours()}));
    window.find<QAction>("mergeVersions")->trigger();
    QVERIFY(window.page->isMerging());
    QVERIFY(!window.find<QDockWidget>("modulesPane")->isVisible());
    auto* start = window.find<QPushButton>("mergeStart");
    QVERIFY(!start->isEnabled());
    QCOMPARE(window.label("mergeWhyNot"), QString("Still to choose: base, ours, theirs"));
    screenshot(window, "merge-files");
    // The open module is offered; the others are dropped.
    auto* ours = window.find<FileField>("mergeOursFile");
    QCOMPARE(ours->count(), 1);
    QCOMPARE(ours->itemText(0), window.ours());
    ours->setFocus();
    ours->setEditText({});
    QTest::keyClick(ours, Qt::Key_Down);
    QCOMPARE(ours->path(), window.ours());
    drop(window.find<FileField>("mergeTheirsFile"), {window.ours()});
    drop(window.find<FileField>("mergeBaseFile"), {window.base()});
    QCOMPARE(window.label("mergeWhyNot"), QString("Ours and theirs are the same file."));
    drop(window.find<FileField>("mergeTheirsFile"), {window.theirs()});
    QVERIFY(start->isEnabled());
    QSignalSpy shown(window.page, &ObjectModelWorkspace::mergeShown);
    QTest::mouseClick(start, Qt::LeftButton);
    QVERIFY(shown.wait(60000));
    QCOMPARE(window.taken(), (QStringList{"open", "open", "open"}));
    QCOMPARE(window.verdict(), QString("3 of 3 open"));
    QCOMPARE(window.label("mergeLeft"), QString("3 conflicts left"));
    QVERIFY2(window.label("mergeOutcome").startsWith("1 change of theirs taken, 0 changes of ours"),
             qPrintable(window.label("mergeOutcome")));
    screenshot(window, "merge-conflicts");
  }

  void aConflictIsShownWithAllThreeDeclarations() {
    Window window;
    QVERIFY(window.load({window.ours()}));
    QVERIFY(window.merge());
    window.page->showNextProblem(1);
    QCOMPARE(window.label("mergePlace"),
             QString("object class HLAobjectRoot.Track.Flight, attribute callsign, semantics"));
    QCOMPARE(window.label("mergeReason"), QString("Both have changed it, to different values."));
    QVERIFY(window.find<QPlainTextEdit>("mergeBaseText")->toPlainText().contains("As spoken<"));
    QVERIFY(window.find<QPlainTextEdit>("mergeOursText")
                ->toPlainText()
                .contains("As spoken by the pilot<"));
    QVERIFY(window.find<QPlainTextEdit>("mergeTheirsText")->toPlainText().contains("As said<"));
    QVERIFY(window.find<QPlainTextEdit>("mergeTheirsText")
                ->toPlainText()
                .contains("<name>callsign</name>"));
    const QString place = window.label("mergeTheirsPlace");
    QVERIFY2(place.startsWith("theirs.xml:"), qPrintable(place));
    const int line = place.section(':', 1).toInt();
    QVERIFY(content(window.theirs()).split('\n').value(line - 1).contains("As said"));
  }

  void conflictsAreDecidedByMouse() {
    Window window;
    QVERIFY(window.load({window.ours()}));
    QVERIFY(window.merge());
    window.click(1, MergeChoice::Theirs);
    QCOMPARE(window.taken(), (QStringList{"open", "Theirs", "open"}));
    QCOMPARE(window.verdict(), QString("2 of 3 open"));
    QVERIFY(!window.find<QPushButton>("mergeSave")->isEnabled());
    QVERIFY(window.find<QPushButton>("mergeSave")->toolTip().contains("2 conflicts are open"));
    window.conflicts()->setCurrentIndex(window.conflicts()->model()->index(0, 0));
    window.click("mergeBaseTake");
    QCOMPARE(window.taken().front(), QString("Base"));
    window.click("mergeUndo");
    QCOMPARE(window.taken(), (QStringList{"open", "Theirs", "open"}));
    window.click("mergeRedo");
    QCOMPARE(window.taken(), (QStringList{"Base", "Theirs", "open"}));
    window.click("mergeAllOurs");
    QCOMPARE(window.taken(), (QStringList{"Base", "Theirs", "Ours"}));
    QVERIFY(window.settle());
    QCOMPARE(window.verdict(), QString("All decided"));
    QVERIFY(window.find<QPushButton>("mergeSave")->isEnabled());
    screenshot(window, "merge-decided");
    // The result is looked at before it is saved.
    window.find<theme::SegmentedControl>("mergeViews")->setCurrentIndex(2);
    Q_EMIT window.find<theme::SegmentedControl>("mergeViews")->currentIndexChanged(2);
    const QString result = window.find<QPlainTextEdit>("mergeResult")->toPlainText();
    QCOMPARE(result, QString::fromStdString(window.page->merge()->state()->merge.bytes));
    screenshot(window, "merge-result");
    QSignalSpy saved(window.page, &ObjectModelWorkspace::mergeSaved);
    window.click("mergeSave");
    QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, 60000);
    QCOMPARE(content(window.ours()), result);
    QVERIFY(window.label("mergeOutcome").startsWith("Saved as "));
    // It is an edit of the open module, which can be undone there.
    window.page->closeMerge();
    QCOMPARE(window.page->undoStack()->undoText(), QString("merge theirs.xml"));
    QVERIFY(!window.page->hasUnsavedEdits());
  }

  void conflictsAreDecidedByKeyboard() {
    Window window;
    QVERIFY(window.load({window.ours()}));
    QVERIFY(window.merge());
    QCOMPARE(QApplication::focusWidget(), window.conflicts());
    window.key(Qt::Key_O);
    QCOMPARE(window.taken(), (QStringList{"Ours", "open", "open"}));
    window.page->showNextProblem(1);
    QCOMPARE(window.conflicts()->currentIndex().row(), 1);
    window.key(Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(window.taken(), (QStringList{"Ours", "Theirs", "open"}));
    window.page->showNextProblem(1);
    QCOMPARE(window.conflicts()->currentIndex().row(), 2);
    window.page->showNextProblem(1);  // the only one that is open
    QCOMPARE(window.conflicts()->currentIndex().row(), 2);
    window.key(Qt::Key_Up);
    window.key(Qt::Key_Delete);
    QCOMPARE(window.taken(), (QStringList{"Ours", "open", "open"}));
    window.page->showNextProblem(-1);
    QCOMPARE(window.conflicts()->currentIndex().row(), 2);
    // Keys of what a conflict does not offer do nothing.
    window.key(Qt::Key_A);
    QCOMPARE(window.taken(), (QStringList{"Ours", "open", "open"}));
    window.key(Qt::Key_E);
    window.key(Qt::Key_Escape);
    QVERIFY(window.page->isMerging());
    QCOMPARE(QApplication::focusWidget(), window.conflicts());
    window.key(Qt::Key_E);
    QVERIFY(window.find<QLineEdit>("mergeOwnValue")->hasFocus());
    window.key(Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(QApplication::focusWidget(), "HLAfloat64BE");
    window.key(Qt::Key_Return);
    QCOMPARE(window.taken().last(), QString("Own value: HLAfloat64BE"));
    QCOMPARE(QApplication::focusWidget(), window.conflicts());
    window.key(Qt::Key_Up);
    window.key(Qt::Key_T);
    window.key(Qt::Key_Up);
    window.key(Qt::Key_A);
    QCOMPARE(window.taken(), (QStringList{"Both", "Theirs", "Own value: HLAfloat64BE"}));
    QVERIFY(window.settle());
    QCOMPARE(window.page->merge()->open(), 0);
    QCOMPARE(window.page->undoStack(), &window.page->merge()->undoStack());
    // Ctrl+S.
    QSignalSpy saved(window.page, &ObjectModelWorkspace::mergeSaved);
    QVERIFY(window.page->saveEdits());
    QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, 60000);
    const QString result = content(window.ours());
    QVERIFY(result.contains("<name>Sailplane</name>") &&
            result.contains("<name>Paraglider</name>"));
    QVERIFY(result.contains("As said"));
    QVERIFY(result.contains("<name>altitude</name><dataType>HLAfloat64BE"));
    QVERIFY(!result.contains("<name>Super</name>"));
    window.key(Qt::Key_Escape);
    QVERIFY(!window.page->isMerging());
    QVERIFY(window.find<QDockWidget>("modulesPane")->isVisible());
    // The merge is still there.
    window.find<QAction>("mergeVersions")->trigger();
    QCOMPARE(window.page->merge()->open(), 0);
    QCOMPARE(window.taken().size(), 3);
  }

  void aMergeWithoutConflictsSaysWhatCameFromWhere() {
    Window window;
    QVERIFY(window.load({window.base()}));
    const QString text = content(window.base());
    write(window.ours(), replaced(text, "As spoken", "As said"));
    write(window.theirs(),
          replaced(text, "<enumerator><name>Super</name><value>4</value></enumerator>", ""));
    QVERIFY(window.merge());
    QCOMPARE(window.verdict(), QString("No conflict"));
    QCOMPARE(window.label("mergeLeft"), QString("No conflict"));
    QCOMPARE(testmodels::printed(*window.find<QTreeView>("mergeChanges")->model()).size(), 2);
    const QStringList changes =
        testmodels::printed(*window.find<QTreeView>("mergeChanges")->model());
    QVERIFY2(changes[0].startsWith("Theirs | datatype WakeCategory, enumerator Super | removed"),
             qPrintable(changes[0]));
    QVERIFY2(changes[1].startsWith("Ours | object class HLAobjectRoot.Track.Flight, attribute "
                                   "callsign, semantics | As spoken -> As said"),
             qPrintable(changes[1]));
    QVERIFY(window.find<QTreeView>("mergeChanges")->isVisible());
    screenshot(window, "merge-no-conflict");
    // Saved as another file.
    const QString path = window.folder.filePath("merged.xml");
    QSignalSpy saved(window.page, &ObjectModelWorkspace::mergeSaved);
    QTimer::singleShot(0, [&] {
      auto* dialog = window.page->findChild<QFileDialog*>("saveMergeDialog");
      dialog->selectFile(path);
      dialog->findChild<QLineEdit*>()->setText(path);
      QMetaObject::invokeMethod(dialog, "accept");
    });
    window.click("mergeSaveAs");
    QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, 60000);
    QVERIFY(content(path).contains("As said"));
    QVERIFY(!content(path).contains("<name>Super</name>"));
    QVERIFY(content(window.ours()).contains("<name>Super</name>"));
  }

  void aFileThatChangedMeanwhileIsNotOverwritten() {
    Window window;
    QVERIFY(window.load({window.base()}));
    QVERIFY(window.merge());
    window.click("mergeAllTheirs");
    QVERIFY(window.settle());
    write(window.ours(), "<other/>");
    QSignalSpy failed(window.page, &ObjectModelWorkspace::failed);
    window.click("mergeSave");
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 60000);
    QVERIFY2(failed[0][1].toString().contains("another program has changed the file"),
             qPrintable(failed[0][1].toString()));
    QCOMPARE(content(window.ours()), QString("<other/>"));
    // The choices are not lost.
    QCOMPARE(window.page->merge()->open(), 0);
    QVERIFY(window.find<QPushButton>("mergeSaveAs")->isEnabled());
  }

  /// The same for a module that the page has open: the result is kept as an edit of it.
  void anOpenModuleThatChangedOnDiskIsNotOverwritten() {
    Window window;
    QVERIFY(window.load({window.ours()}));
    window.page->editing().watch().setInterval(1000000);
    QVERIFY(window.merge());
    window.click("mergeAllTheirs");
    QVERIFY(window.settle());
    write(window.ours(), "<other/>");
    QSignalSpy failed(window.page, &ObjectModelWorkspace::failed);
    window.click("mergeSave");
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 60000);
    QCOMPARE(content(window.ours()), QString("<other/>"));
  }

  void editsOfOursSinceTheMergeAreNotOverwritten() {
    Window window;
    QVERIFY(window.load({window.ours()}));
    QVERIFY(window.merge());
    window.click("mergeAllTheirs");
    QVERIFY(window.settle());
    OpenModules& modules = window.page->editing().modules();
    QVERIFY(modules.apply({"edit", {{0, {{modules.source(0)->text().size(), 0, "<!-- x -->"}}}}}));
    QSignalSpy failed(window.page, &ObjectModelWorkspace::failed);
    window.click("mergeSave");
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 60000);
    QVERIFY2(failed[0][1].toString().contains("has changed here since the merge began"),
             qPrintable(failed[0][1].toString()));
    QVERIFY(!content(window.ours()).contains("Paraglider"));
  }

  void savingSaysWhatIsOpen() {
    Window window;
    QVERIFY(window.load({window.ours()}));
    QVERIFY(window.merge());
    QSignalSpy failed(window.page, &ObjectModelWorkspace::failed);
    QVERIFY(window.page->saveEdits());
    QCOMPARE(failed.size(), 1);
    QVERIFY(failed[0][1].toString().startsWith("3 conflicts are open."));
    QVERIFY(!content(window.ours()).contains("Paraglider"));
    QCOMPARE(window.page->statusNotes(), QStringList("exit code 1"));
    QVERIFY(window.page->commandLine().startsWith("tutti fom merge "));
    window.click("mergeAllTheirs");
    QVERIFY(window.settle());
    QCOMPARE(window.page->statusNotes(), QStringList("exit code 0"));
    QVERIFY(window.page->commandLine().endsWith(" --choose theirs"));
    QList<theme::FindEntry> finds;
    window.page->provideFinds(finds);
    QVERIFY(std::any_of(finds.begin(), finds.end(), [](const theme::FindEntry& entry) {
      return entry.title == "Save the merge over ours.xml";
    }));
  }

  void aFileThatCannotBeMergedIsNamedWhereItWasChosen() {
    Window window;
    QVERIFY(window.load({window.ours()}));
    QVERIFY(window.merge(window.base(), window.ours(), "/nowhere/x.xml"));
    QVERIFY(window.find<QWidget>("mergeFault")->isVisible());
    QVERIFY(window.label("mergeFault").startsWith("/nowhere/x.xml: "));
    QVERIFY(window.find<QWidget>("mergeFiles")->isVisible());
    screenshot(window, "merge-fault");
    // A merge that was begun before is not lost by looking for other files.
    QVERIFY(window.merge());
    window.click(0, MergeChoice::Ours);
    window.click("mergeOtherFiles");
    QVERIFY(window.find<QWidget>("mergeFiles")->isVisible());
    QVERIFY(window.merge(window.base(), window.ours(), "/nowhere/x.xml"));
    QVERIFY(window.find<QWidget>("mergeFiles")->isVisible());
    window.click("mergeOtherFiles");
    QCOMPARE(window.taken(), (QStringList{"Ours", "open", "open"}));
  }

  void narrowWindowsShowAllOfIt() {
    Window window(QSize(1000, 640));
    QVERIFY(window.load({window.ours()}));
    QVERIFY(window.merge());
    screenshot(window, "merge-narrow");
    for (const char* name : {"mergeSave", "mergeSaveAs", "mergeAllOurs", "mergeAllTheirs",
                             "mergeOtherFiles", "mergeBaseTake", "mergeTheirsTake"}) {
      auto* button = window.find<QPushButton>(name);
      QTRY_VERIFY2_WITH_TIMEOUT(button->width() >= button->sizeHint().width(), name, 30000);
      const QRect inPage(button->mapTo(window.page, QPoint(0, 0)), button->size());
      QVERIFY2(window.page->rect().contains(inPage), name);
    }
    const QModelIndex index = window.conflicts()->model()->index(0, MergeRows::TakeColumn);
    QVERIFY(window.conflicts()->viewport()->rect().contains(ConflictDelegate::buttonRect(
        window.conflicts()->visualRect(index), index, MergeChoice::Both)));
  }

  void hundredsOfConflictsStayFluid() {
    Window window;
    QVERIFY(window.load({window.base()}));
    const QString text = content(window.base());
    QString sides[3];
    for (int side = 0; side < 3; ++side) {
      QString rows;
      for (int i = 0; i < 300; ++i) {
        rows += QString(
                    "<simpleData><name>Quantity%1</name><representation>HLAfloat64BE"
                    "</representation><units>u%2</units></simpleData>\n")
                    .arg(i)
                    .arg(side);
      }
      sides[side] = replaced(text, "</simpleDataTypes>", rows + "</simpleDataTypes>");
    }
    write(window.base(), sides[0]);
    write(window.ours(), sides[1]);
    write(window.theirs(), sides[2]);
    QVERIFY(window.merge());
    QCOMPARE(window.verdict(), QString("300 of 300 open"));
    screenshot(window, "merge-300");
    for (int i = 0; i < 5; ++i) {
      window.key(i % 2 == 0 ? Qt::Key_T : Qt::Key_O);
      window.page->showNextProblem(1);
    }
    QCOMPARE(window.verdict(), QString("295 of 300 open"));
    window.click("mergeAllOurs");
    QVERIFY(window.settle());
    QCOMPARE(window.page->merge()->open(), 0);
    window.page->undoStack()->undo();
    QCOMPARE(window.page->merge()->open(), 295);
  }

  /// The event loop goes on while two models of a megabyte are merged.
  /// What was chosen just before is merged, and takes nobody away from the fault.
  void aFaultStaysWhileAChoiceIsMerged() {
    Window window;
    QVERIFY(window.merge());
    window.click(0, MergeChoice::Theirs);
    QVERIFY(window.merge(window.base(), window.ours(), "/nowhere/x.xml"));
    QVERIFY(window.settle());
    QVERIFY(window.find<QWidget>("mergeFault")->isVisible());
    window.click("mergeOtherFiles");
    QVERIFY(window.conflicts()->isVisible());
    QCOMPARE(window.taken()[0], QString("Theirs"));
    QVERIFY(window.page->merge()->state()->choices == window.page->merge()->choices());
  }

  void largeModelsAreMergedBesideTheWindow() {
    const QStringList modules = testmodels::rpr();
    if (modules.isEmpty()) QSKIP("The RPR FOM is not beside the source.");
    const QString model = QFileInfo(modules[0]).path() + "/RPR_FOM_v2.0_1516-2010.xml";
    const QString text = content(model);
    Window window;
    QString mine = text;
    write(window.ours(), mine.replace("<name>BaseEntity</name>", "<name>RootEntity</name>"));
    QString other = text;
    write(window.theirs(), other.replace("<name>MarkingStruct</name>", "<name>MarkingRecord</name>")
                               .replace("<name>BaseEntity</name>", "<name>FirstEntity</name>"));
    int turns = 0;
    QTimer beat;
    connect(&beat, &QTimer::timeout, this, [&] { ++turns; });
    beat.start(5);
    QSignalSpy shown(window.page, &ObjectModelWorkspace::mergeShown);
    window.page->mergeVersions(model, window.ours(), window.theirs());
    QVERIFY(window.page->merge()->isMerging());
    QVERIFY(shown.wait(120000));
    QVERIFY(turns > 1);
    QVERIFY(window.page->merge()->open() > 0);
    screenshot(window, "merge-rpr");
    // The result and its changed lines come from the worker, too.
    Q_EMIT window.find<theme::SegmentedControl>("mergeViews")->currentIndexChanged(2);
    const QString result = QString(window.page->merge()->state()->text)
                               .replace("\r\n", "\n")
                               .replace(QChar::Nbsp, QChar::Space);
    // Long texts are shown in turns.
    QTRY_COMPARE_WITH_TIMEOUT(window.find<QPlainTextEdit>("mergeResult")->toPlainText(), result,
                              60000);
    QVERIFY(window.page->merge()->state()->changes.changed > 0);
    window.click("mergeAllTheirs");
    QVERIFY(window.settle());
    QCOMPARE(window.page->merge()->open(), 0);
  }

 private:
  theme::Theme theme_;
};

QTEST_MAIN(TestModelMergePage)
#include "tst_model_merge_page.moc"
