// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of the Object model page that show a table of a module at a time.
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>

#include "fom-editor/model/row_editor.h"
#include "fom-editor/model/service_table.h"
#include "fom-editor/model/sharing_table.h"
#include "fom-editor/ui/cell_editors.h"
#include "fom-editor/ui/glyph_box.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/module_page.h"
#include "fom-editor/ui/notes_page.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

constexpr int kLimit = 60000;

QByteArray contentOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
  return file.readAll();
}

/// The page with copies of modules, which may be written.
struct Window {
  explicit Window(const QStringList& files = testmodels::airTraffic(),
                  const QSize& size = QSize(1368, 804)) {
    for (const QString& file : files) {
      const QString copy = folder.filePath(QFileInfo(file).fileName());
      QFile::copy(file, copy);
      QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
      paths << copy;
      before << contentOf(copy);
    }
    page = new ObjectModelWorkspace(&frame);
    QObject::connect(page, &theme::Workspace::failed, page,
                     [this](const QString&, const QString& detail) { failures << detail; });
    frame.setCentralWidget(page);
    frame.resize(size);
    frame.show();
    QSignalSpy spy(page, &ObjectModelWorkspace::modelShown);
    const bool active = QTest::qWaitForWindowActive(&frame);
    page->setModules(paths);
    ready = spy.wait(kLimit) && active;
  }

  OpenModules& modules() const { return page->editing().modules(); }
  QByteArray bytes(int module) const { return QByteArray::fromStdString(*modules().bytes(module)); }
  bool settled() const {
    return QTest::qWaitFor([this] { return !page->isLoading(); }, kLimit);
  }
  template <typename T>
  T* find(const char* name) const {
    T* widget = page->findChild<T*>(QString::fromLatin1(name));
    if (widget == nullptr) qFatal("no widget %s", name);
    return widget;
  }
  /// The row of that text in the first column, at any depth.
  static QModelIndex rowOf(const QTreeView& tree, const QString& name, const QString& above = {}) {
    const QAbstractItemModel& model = *tree.model();
    const QModelIndexList found = model.match(model.index(0, 0), Qt::DisplayRole, name, -1,
                                              Qt::MatchExactly | Qt::MatchRecursive);
    for (const QModelIndex& each : found) {
      if (above.isEmpty() || each.parent().data().toString() == above) return each;
    }
    return {};
  }
  static void click(QTreeView& tree, const QModelIndex& index,
                    Qt::KeyboardModifiers modifiers = {}) {
    tree.scrollTo(index);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, modifiers, tree.visualRect(index).center());
  }
  /// Undoes all: the modules hold what they held.
  bool undoesToTheSameBytes() const {
    while (modules().canUndo()) modules().undo();
    for (int i = 0; i < paths.size(); ++i) {
      if (bytes(i) != before[i]) return false;
    }
    return settled();
  }

  QTemporaryDir folder;
  QStringList paths;
  QList<QByteArray> before;
  QStringList failures;
  QMainWindow frame;
  ObjectModelWorkspace* page = nullptr;
  bool ready = false;
};

/// Kept where TUTTI_SCREENSHOTS names a folder, for people to look at.
void screenshot(Window& window, const QString& name) {
  const QString folder = qEnvironmentVariable("TUTTI_SCREENSHOTS");
  if (folder.isEmpty()) return;
  QTest::qWait(150);
  window.frame.grab().save(folder + '/' + name + ".png");
}

}  // namespace

class TestObjectModelTables : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    theme_.apply(qEnvironmentVariable("TUTTI_APPEARANCE") == "dark" ? theme::Appearance::Dark
                                                                    : theme::Appearance::Light);
  }

  void marksAreSetByMouseAndUndone() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("sharing:");
    auto* tree = w.find<QTreeView>("sharingTree");
    QTRY_VERIFY(tree->isVisible());
    screenshot(w, "sharing");
    const auto squawk = [&](int column) {
      return Window::rowOf(*tree, "squawk", "Track.Flight").siblingAtColumn(column);
    };
    QCOMPARE(squawk(SharingModel::WordColumn).data().toString(), QString("Subscribe"));
    Window::click(*tree, squawk(SharingModel::PublishColumn));
    QVERIFY(w.settled());
    QTRY_COMPARE(squawk(SharingModel::WordColumn).data().toString(), QString("PublishSubscribe"));
    QCOMPARE(w.modules().undoLabel(), QString("change sharing of Flight.squawk"));
    QCOMPARE(w.page->currentItem(), QString("sharing:"));
    Window::click(*tree, squawk(SharingModel::SubscribeColumn));
    QVERIFY(w.settled());
    QTRY_COMPARE(squawk(SharingModel::WordColumn).data().toString(), QString("Publish"));
    w.modules().undo();
    QVERIFY(w.settled());
    QTRY_COMPARE(squawk(SharingModel::WordColumn).data().toString(), QString("PublishSubscribe"));
    // An inherited one is set where it is defined.
    const QModelIndex inherited = Window::rowOf(*tree, "squawk", "Track.Flight.Airliner");
    Window::click(*tree, inherited.siblingAtColumn(SharingModel::PublishColumn));
    QVERIFY(!w.failures.isEmpty());
    QVERIFY2(w.failures.last().contains("Flight"), qPrintable(w.failures.last()));
    QVERIFY(w.undoesToTheSameBytes());
  }

  void keysSetSelectionsAndWholeClasses() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("sharing:");
    auto* tree = w.find<QTreeView>("sharingTree");
    tree->setFocus();
    const auto word = [&](const char* name, const char* above = "") {
      return Window::rowOf(*tree, name, above)
          .siblingAtColumn(SharingModel::WordColumn)
          .data()
          .toString();
    };
    tree->setCurrentIndex(Window::rowOf(*tree, "Track.Flight"));
    QTest::keyClick(tree, Qt::Key_N, Qt::ShiftModifier);
    QVERIFY(w.settled());
    QTRY_COMPARE(word("Track.Flight"), QString("Neither"));
    QCOMPARE(word("callsign", "Track.Flight"), QString("Neither"));
    QCOMPARE(word("phase", "Track.Flight"), QString("Neither"));
    QVERIFY(word("trackId", "Track.Flight") != "Neither");
    QCOMPARE(w.modules().edits(0), 1);
    // Two rows as one step; the selection stays.
    Window::click(*tree, Window::rowOf(*tree, "callsign", "Track.Flight"));
    Window::click(*tree, Window::rowOf(*tree, "wake", "Track.Flight"), Qt::ControlModifier);
    QTest::keyClick(tree, Qt::Key_P);
    QVERIFY(w.settled());
    QTRY_COMPARE(word("callsign", "Track.Flight"), QString("Publish"));
    QCOMPARE(word("wake", "Track.Flight"), QString("Publish"));
    QCOMPARE(w.modules().undoLabel(), QString("change sharing of 2 rows"));
    QCOMPARE(tree->selectionModel()->selectedRows().size(), 2);
    QTest::keyClick(tree, Qt::Key_B);
    QVERIFY(w.settled());
    QTRY_COMPARE(word("wake", "Track.Flight"), QString("PublishSubscribe"));
    // Turned over where all have it.
    QTest::keyClick(tree, Qt::Key_P);
    QVERIFY(w.settled());
    QTRY_COMPARE(word("wake", "Track.Flight"), QString("Subscribe"));
    QCOMPARE(w.failures, QStringList());

    auto* filter = w.find<theme::SegmentedControl>("sharingFilter");
    filter->setCurrentIndex(3);
    QVERIFY(Window::rowOf(*tree, "phase", "Track.Flight").isValid());
    QVERIFY(!Window::rowOf(*tree, "wake", "Track.Flight").isValid());
    filter->setCurrentIndex(0);
    auto* search = w.find<QLineEdit>("sharingSearch");
    tree->setFocus();
    w.page->focusFilter();
    QVERIFY(search->hasFocus());
    QTest::keyClicks(search, "wake");
    QVERIFY(Window::rowOf(*tree, "wake", "Track.Flight").isValid());
    QVERIFY(!Window::rowOf(*tree, "phase", "Track.Flight").isValid());
    QTest::keyClick(search, Qt::Key_Escape);
    QCOMPARE(search->text(), QString());
    QVERIFY(w.undoesToTheSameBytes());
  }

  void oneModuleIsShownAndItsClassOpens() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("sharing:");
    auto* tree = w.find<QTreeView>("sharingTree");
    auto* modules = w.find<QComboBox>("sharingModules");
    QCOMPARE(modules->count(), 4);
    modules->setCurrentIndex(modules->findText("Weather.xml"));
    QVERIFY(Window::rowOf(*tree, "WeatherCell").isValid());
    QVERIFY(!Window::rowOf(*tree, "Track.Flight").isValid());
    tree->setFocus();
    tree->setCurrentIndex(Window::rowOf(*tree, "WeatherCell"));
    QTest::keyClick(tree, Qt::Key_Return);
    QCOMPARE(w.page->currentItem(), QString("object:HLAobjectRoot.WeatherCell"));
    QString error;
    w.page->showItem("sharing:");
    QVERIFY2(w.page->exportTable(w.folder.filePath("sharing.csv"), &error), qPrintable(error));
    QVERIFY2(contentOf(w.folder.filePath("sharing.csv"))
                 .contains("attribute,HLAobjectRoot.WeatherCell,name,PublishSubscribe"),
             contentOf(w.folder.filePath("sharing.csv")));
    modules->setCurrentIndex(0);
    QVERIFY2(w.page->exportTable(w.folder.filePath("sharing.csv"), &error), qPrintable(error));
    QVERIFY2(contentOf(w.folder.filePath("sharing.csv"))
                 .contains("attribute,HLAobjectRoot.Track.Flight,squawk,Subscribe"),
             contentOf(w.folder.filePath("sharing.csv")));
  }

  void servicesAreMarkedAndTheTableIsAdded() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("services:");
    auto* tree = w.find<QTreeView>("servicesTree");
    auto* modules = w.find<QComboBox>("servicesModules");
    modules->setCurrentIndex(modules->findText("Weather.xml"));
    auto* add = w.find<QPushButton>("servicesAdd");
    QTRY_VERIFY(add->isVisible());
    screenshot(w, "services-none");
    QTest::mouseClick(add, Qt::LeftButton);
    QTRY_VERIFY(tree->isVisible());
    QVERIFY(w.bytes(2).contains("<connect section=\"4.2\" isCallback=\"false\""));
    const auto used = [&](const char* name) {
      return Window::rowOf(*tree, name).siblingAtColumn(ServiceModel::UsedColumn).data().toString();
    };
    QCOMPARE(used("Connect"), QString("–"));
    Window::click(*tree, Window::rowOf(*tree, "Connect").siblingAtColumn(ServiceModel::UsedColumn));
    QCOMPARE(used("Connect"), QString("used"));
    QCOMPARE(w.modules().undoLabel(), QString("use Connect"));
    // A whole group by keyboard, found by the search.
    auto* search = w.find<QLineEdit>("servicesSearch");
    search->setFocus();
    QTest::keyClicks(search, "ownership");
    QTest::keyClick(search, Qt::Key_Down);
    tree->setCurrentIndex(Window::rowOf(*tree, "Ownership management"));
    QTest::keyClick(tree, Qt::Key_Space);
    QCOMPARE(used("Ownership management"), QString("18 of 18"));
    QTest::keyClick(tree, Qt::Key_Space);
    QCOMPARE(used("Ownership management"), QString("0 of 18"));
    search->clear();
    w.find<theme::SegmentedControl>("servicesFilter")->setCurrentIndex(1);
    QCOMPARE(tree->model()->rowCount(), 1);
    w.find<theme::SegmentedControl>("servicesFilter")->setCurrentIndex(0);
    QCOMPARE(used("Connect"), QString("used"));
    screenshot(w, "services");
    QCOMPARE(w.page->currentItem(), QString("services:"));
    QCOMPARE(w.failures, QStringList());
    QVERIFY(w.settled());
    QVERIFY(w.undoesToTheSameBytes());
    QTRY_VERIFY(add->isVisible());
  }

  void notesAreAddedRenamedAndRemoved() {
    Window w({testmodels::data("Edits-2010.xml")});
    QVERIFY(w.ready);
    w.page->showItem("notes:");
    auto* tree = w.find<QTreeView>("notesTree");
    QTRY_VERIFY(Window::rowOf(*tree, "n1").isValid());
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_Insert);
    const auto prose = [] { return qobject_cast<ProseField*>(QApplication::focusWidget()); };
    QVERIFY(QTest::qWaitFor([&] { return prose() != nullptr; }, kLimit));
    QTest::keyClicks(prose(), "In metres");
    QTest::keyClick(prose(), Qt::Key_Tab);
    QTRY_COMPARE(Window::rowOf(*tree, "note").siblingAtColumn(1).data().toString(),
                 QString("In metres"));
    QVERIFY(w.bytes(0).contains("<note><label>note</label>") ||
            w.bytes(0).contains("<label>note</label>"));
    // What refers to it follows a new label.
    QVERIFY(w.settled());
    const RowRef row{RowKind::Attribute, "HLAobjectRoot.A", "y"};
    RowEditor editor(w.modules());
    QVERIFY(editor.apply(setNoteReferences(editor.changes(), row, {"note"})));
    QTRY_COMPARE(tree->model()->rowCount(Window::rowOf(*tree, "note")), 1);
    tree->setCurrentIndex(Window::rowOf(*tree, "note"));
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_F2);
    const auto field = [] { return qobject_cast<CellField*>(QApplication::focusWidget()); };
    QVERIFY(QTest::qWaitFor([&] { return field() != nullptr; }, kLimit));
    field()->selectAll();
    QTest::keyClicks(field(), "n1");
    QTest::keyClick(field(), Qt::Key_Return);
    QVERIFY(field() != nullptr && field()->isRefused());
    field()->selectAll();
    QTest::keyClicks(field(), "metres");
    QTest::keyClick(field(), Qt::Key_Return);
    QTRY_VERIFY(Window::rowOf(*tree, "metres").isValid());
    QVERIFY(w.bytes(0).contains("<attribute notes=\"metres\">"));
    screenshot(w, "notes");
    // Where it is used opens.
    QVERIFY(w.settled());
    const QModelIndex use = tree->model()->index(0, 0, Window::rowOf(*tree, "metres"));
    QCOMPARE(use.data().toString(), QString("A.y"));
    tree->setCurrentIndex(use);
    QTest::keyClick(tree, Qt::Key_Return);
    QCOMPARE(w.page->currentItem(), QString("object:HLAobjectRoot.A"));
    w.page->showItem("notes:");
    QTRY_VERIFY(tree->isVisible());
    // Removing it asks, and keeps it unless the person says otherwise.
    const auto removeAnswering = [&](const char* button) {
      QString asked;
      QTimer timer;
      connect(&timer, &QTimer::timeout, &timer, [&] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (box == nullptr) return;
        asked = box->text();
        for (QAbstractButton* each : box->buttons()) {
          if (each->objectName() == QLatin1String(button)) each->click();
        }
      });
      timer.start(20);
      // The box before it may have the window's activation still.
      if (!QTest::qWaitForWindowActive(&w.frame, kLimit)) return QString("no active window");
      tree->setCurrentIndex(Window::rowOf(*tree, "metres"));
      tree->setFocus();
      QTest::keyClick(tree, Qt::Key_Delete);
      return asked;
    };
    QCOMPARE(removeAnswering("noteKeep"), QString("Note metres is used in 1 place."));
    QVERIFY(Window::rowOf(*tree, "metres").isValid());
    QCOMPARE(removeAnswering("noteRemove"), QString("Note metres is used in 1 place."));
    QTRY_VERIFY(!Window::rowOf(*tree, "metres").isValid());
    QVERIFY(!w.bytes(0).contains("metres\""));
    QCOMPARE(w.failures, QStringList());
    QVERIFY(w.settled());
    QVERIFY(w.undoesToTheSameBytes());
    QTRY_VERIFY(Window::rowOf(*tree, "n1").isValid());
  }

  void theMenuOfARowSetsItsNotes() {
    Window w({testmodels::data("Edits-2010.xml")});
    QVERIFY(w.ready);
    RowEditor editor(w.modules());
    QMenu menu;
    addNotesMenu(menu, editor, {RowKind::Attribute, "HLAobjectRoot.A", "y"});
    auto* notes = menu.findChild<QMenu*>("rowNotes");
    QVERIFY(notes != nullptr && notes->actions().size() == 1);
    notes->actions()[0]->trigger();
    QVERIFY(w.bytes(0).contains("<attribute notes=\"n1\"><name>y</name>"));
    QMenu again;
    addNotesMenu(again, editor, {RowKind::Attribute, "HLAobjectRoot.A", "y"});
    QVERIFY(again.findChild<QMenu*>("rowNotes")->actions()[0]->isChecked());
    again.findChild<QMenu*>("rowNotes")->actions()[0]->trigger();
    QCOMPARE(w.bytes(0), w.before[0]);
    // Rows of the standard have none.
    QMenu none;
    addNotesMenu(none, editor, {RowKind::ObjectClass, {}, "HLAobjectRoot.HLAmanager"});
    QVERIFY(none.isEmpty());
    QVERIFY(w.settled());
  }

  void theButtonAddsAMemberToTheClass() {
    Window w;
    QVERIFY(w.ready);
    auto* add = w.find<QPushButton>("addMember");
    w.page->showItem("Flight");
    QTRY_VERIFY(add->isVisible());
    QCOMPARE(add->text(), QString("Attribute"));
    w.find<theme::SegmentedControl>("itemViews")->setCurrentIndex(2);
    QTest::mouseClick(add, Qt::LeftButton);
    const auto field = [] { return qobject_cast<CellField*>(QApplication::focusWidget()); };
    QVERIFY(QTest::qWaitFor([&] { return field() != nullptr; }, kLimit));
    screenshot(w, "add-attribute");
    QTest::keyClicks(field(), "altitude");
    QTest::keyClick(field(), Qt::Key_Escape);
    QTRY_VERIFY(field() == nullptr);
    QTest::mouseClick(add, Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return field() != nullptr; }, kLimit));
    QTest::keyClicks(field(), "altitude");
    QTest::keyClick(field(), Qt::Key_Return);
    QTRY_VERIFY(w.bytes(0).contains("<name>altitude</name>"));
    QVERIFY(w.settled());
    w.page->showItem("Conflict");
    QCOMPARE(add->text(), QString("Parameter"));
    QVERIFY(add->isEnabled());
    w.page->showItem("object:HLAobjectRoot");
    QVERIFY(!add->isEnabled());
    w.page->showItem("switches:");
    QVERIFY(!add->isVisible());
    QVERIFY(w.undoesToTheSameBytes());
  }

  void theTypeOfAContactIsEdited() {
    Window w({testmodels::data("Edits-2010.xml")});
    QVERIFY(w.ready);
    w.page->showItem("module:" + w.paths[0]);
    auto* table = w.find<QTreeView>("itemTable");
    QTRY_VERIFY(table->isVisible());
    const QModelIndex type = Window::rowOf(*table, "Sponsor");
    QVERIFY(type.isValid());
    table->setFocus();
    table->setCurrentIndex(type);
    QTest::keyClick(table, Qt::Key_F2);
    const auto field = [] { return qobject_cast<CellField*>(QApplication::focusWidget()); };
    QVERIFY(QTest::qWaitFor([&] { return field() != nullptr; }, kLimit));
    field()->selectAll();
    QTest::keyClicks(field(), "Technical POC");
    QTest::keyClick(field(), Qt::Key_Return);
    QTRY_VERIFY(w.bytes(0).contains("<poc><pocType>Technical POC</pocType><pocName>A. Body"));
    QCOMPARE(w.modules().undoLabel(), QString("change type of A. Body"));
    QVERIFY(w.settled());
    QTRY_COMPARE(Window::rowOf(*table, "Technical POC").siblingAtColumn(1).data().toString(),
                 QString("A. Body"));
    QVERIFY(w.undoesToTheSameBytes());
  }

  void theGlyphIsChosenDescribedSavedAndRemoved() {
    Window w({testmodels::data("Edits-2010.xml")});
    QVERIFY(w.ready);
    w.page->showItem("module:" + w.paths[0]);
    auto* box = w.find<GlyphBox>("glyphBox");
    QTRY_VERIFY(box->isVisible());
    QCOMPARE(w.find<QLabel>("glyphFacts")->text(), QString("No glyph"));
    screenshot(w, "glyph-none");
    QImage image(64, 32, QImage::Format_RGB32);
    image.fill(QColor(20, 120, 130));
    const QString path = w.folder.filePath("glyph.png");
    QVERIFY(image.save(path));
    QVERIFY(box->choose(path));
    QVERIFY2(w.find<QLabel>("glyphFacts")->text().contains("PNG, 64 × 32 pixels"),
             qPrintable(w.find<QLabel>("glyphFacts")->text()));
    auto* alt = w.find<QLineEdit>("glyphAlt");
    alt->setFocus();
    QTest::keyClicks(alt, "A radar");
    // An edit elsewhere leaves what is being written, and a save takes it.
    RowEditor editor(w.modules());
    const RowRef row{RowKind::Attribute, "HLAobjectRoot.A", "y"};
    QVERIFY(editor.setCell(row, "semantics", "Why").has_value());
    QVERIFY(w.settled());
    QCOMPARE(alt->text(), QString("A radar"));
    // The picture is decoded once, however often another row is edited, and anew when it changes.
    const auto shown = [&] { return w.find<QLabel>("glyphPicture")->pixmap().cacheKey(); };
    const qint64 decoded = shown();
    QVERIFY(editor.setCell(row, "semantics", "Why again").has_value());
    QVERIFY(w.settled());
    QCOMPARE(shown(), decoded);
    const QString other = w.folder.filePath("other.png");
    QVERIFY(image.scaled(16, 16).save(other));
    QVERIFY(box->choose(other));
    QVERIFY(shown() != decoded);
    QVERIFY(w.find<QLabel>("glyphFacts")->text().contains("16 × 16 pixels"));
    w.modules().undo();
    QVERIFY(w.find<QLabel>("glyphFacts")->text().contains("64 × 32 pixels"));
    QVERIFY(w.page->saveEdits());
    QTRY_VERIFY_WITH_TIMEOUT(contentOf(w.paths[0]).contains("alt=\"A radar\""), kLimit);
    screenshot(w, "glyph");
    QVERIFY(box->save(w.folder.filePath("saved.png")));
    QCOMPARE(contentOf(w.folder.filePath("saved.png")), contentOf(path));
    QVERIFY(!box->save(w.folder.filePath("none/saved.png")));
    const auto refused = box->choose(w.paths[0]);
    QVERIFY(!refused && refused.error().contains("no PNG"));
    QTest::mouseClick(w.find<QPushButton>("glyphRemove"), Qt::LeftButton);
    QVERIFY(!w.bytes(0).contains("<glyph"));
    QCOMPARE(w.find<QLabel>("glyphFacts")->text(), QString("No glyph"));
    QVERIFY(w.settled());
    w.modules().undo();
    QVERIFY(w.find<QLabel>("glyphFacts")->text().contains("PNG"));
    QVERIFY(w.settled());
    QVERIFY(w.undoesToTheSameBytes());
    w.page->showItem("object:HLAobjectRoot.A");
    QVERIFY(!box->isVisible());
  }

  void tablesOfNoModuleSaySo() {
    Window w;
    QVERIFY(w.ready);
    for (const char* item : {"services:", "notes:", "sharing:"}) {
      w.page->showItem(item);
      QCOMPARE(w.page->currentItem(), QString(item));
    }
    w.page->showItem("notes:");
    screenshot(w, "notes-none");
    QSignalSpy spy(w.page, &ObjectModelWorkspace::modelShown);
    w.page->setModules({});
    QVERIFY(spy.wait(kLimit));
    QCOMPARE(w.failures, QStringList());
  }

  void largeModelsAreShown() {
    if (testmodels::rpr().isEmpty()) QSKIP("the RPR FOM does not lie beside the source");
    Window w(testmodels::rpr());
    QVERIFY(w.ready);
    w.page->showItem("sharing:");
    auto* tree = w.find<QTreeView>("sharingTree");
    QTRY_VERIFY(tree->isVisible());
    QVERIFY(tree->model()->rowCount() > 100);
    screenshot(w, "sharing-rpr");
    w.page->showItem("notes:");
    auto* notes = w.find<QTreeView>("notesTree");
    auto* modules = w.find<QComboBox>("notesModules");
    modules->setCurrentIndex(modules->findText("RPR-SE_v2.0.xml"));
    QTRY_VERIFY(notes->isVisible());
    QVERIFY(notes->model()->rowCount() > 10);
    screenshot(w, "notes-rpr");
  }

 private:
  theme::Theme theme_;
};

QTEST_MAIN(TestObjectModelTables)
#include "tst_object_model_tables.moc"
