// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMainWindow>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include "fom-editor/model/outline.h"
#include "fom-editor/ui/cell_editing.h"
#include "fom-editor/ui/data_type_panel.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/theme.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

constexpr int kLimit = 30000;

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
    ready = QTest::qWaitForWindowActive(&frame) && load();
    table = page->findChild<TableView*>("itemTable");
    outline = page->findChild<OutlineView*>("outlineTree");
  }

  bool load() {
    QSignalSpy spy(page, &ObjectModelWorkspace::modelShown);
    page->setModules(paths);
    return spy.wait(kLimit);
  }

  QByteArray bytes(int module) { return QByteArray::fromStdString(*modules().bytes(module)); }
  OpenModules& modules() { return page->editing().modules(); }

  /// The page shows all edits, and nothing is read any more.
  bool settled() {
    return QTest::qWaitFor([this] { return !page->isLoading(); }, kLimit);
  }

  QModelIndex cell(const QString& name, int column = 0) const {
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      const QModelIndex index = table->model()->index(row, 0);
      if (index.data().toString() == name) return index.siblingAtColumn(column);
    }
    return {};
  }
  QStringList rows() const { return testmodels::printed(*table->model()); }
  QString valueAt(const QString& name, int column) const {
    return cell(name, column).data().toString();
  }

  QModelIndex node(const QString& path) const {
    const QModelIndexList found =
        outline->model()->match(outline->model()->index(0, 0), OutlineModel::PathRole, path, 1,
                                Qt::MatchExactly | Qt::MatchCaseSensitive | Qt::MatchRecursive);
    return found.isEmpty() ? QModelIndex() : found.front();
  }
  bool has(const QString& path) const { return node(path).isValid(); }
  void choose(const QString& path) {
    outline->setFocus();
    outline->setCurrentIndex(node(path));
  }

  CellField* field() const {
    auto* focused = qobject_cast<CellField*>(QApplication::focusWidget());
    return focused;
  }
  bool fieldOpens() const {
    return QTest::qWaitFor([this] { return field() != nullptr; }, kLimit);
  }
  void doubleClick(const QModelIndex& index) {
    const QPoint at = table->visualRect(index).center();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, at);
  }

  /// Undoes all, and saves: the files hold what they held.
  bool undoesToTheSameBytes() {
    while (modules().canUndo()) modules().undo();
    for (int i = 0; i < paths.size(); ++i) {
      if (bytes(i) != before[i]) return false;
    }
    if (!modules().save(modules().modified())) return false;
    for (int i = 0; i < paths.size(); ++i) {
      if (contentOf(paths[i]) != before[i]) return false;
    }
    return settled();
  }

  QTemporaryDir folder;
  QStringList paths;
  QList<QByteArray> before;
  QStringList failures;
  QMainWindow frame;
  ObjectModelWorkspace* page = nullptr;
  TableView* table = nullptr;
  OutlineView* outline = nullptr;
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

class TestObjectModelEditing : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    theme_.apply(qEnvironmentVariable("TUTTI_APPEARANCE") == "dark" ? theme::Appearance::Dark
                                                                    : theme::Appearance::Light);
  }

  void cellsAreEditedByKeyboard() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("Flight");
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("squawk"));
    QTest::keyClick(w.table, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTRY_COMPARE(w.field()->selectedText(), QString("squawk"));
    QTest::keyClicks(w.field(), "ssrCode");
    // Tab goes on to the datatype.
    QTest::keyClick(w.field(), Qt::Key_Tab);
    QVERIFY(w.fieldOpens());
    QTRY_COMPARE(w.field()->text(), QString("HLAinteger16BE"));
    QTest::keyClicks(w.field(), "Flight");
    QTRY_VERIFY(w.field()->list() != nullptr);
    const QModelIndex first = w.field()->list()->model()->index(0, 0);
    QCOMPARE(first.data().toString(), QString("FlightPhase"));
    QVERIFY(first.data(Qt::UserRole + 1).toString().startsWith("enum, "));
    screenshot(w, "edit-datatype");
    QTest::keyClick(w.field(), Qt::Key_Down);
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_COMPARE(w.valueAt("ssrCode", 1), QString("FlightPlan"));
    QCOMPARE(w.cell("squawk"), QModelIndex());
    QCOMPARE(w.modules().edits(0), 2);

    // Typing begins, Escape leaves as it was.
    w.table->setCurrentIndex(w.cell("ssrCode", 3));
    QTest::keyClick(w.table, Qt::Key_T);
    QVERIFY(w.fieldOpens());
    QTRY_COMPARE(w.field()->text(), QString("t"));
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_COMPARE(w.valueAt("ssrCode", 3), QString("Timestamp"));
    w.table->setCurrentIndex(w.cell("ssrCode", 0));
    QTest::keyClick(w.table, Qt::Key_X);
    QVERIFY(w.fieldOpens());
    QTest::keyClick(w.field(), Qt::Key_Escape);
    QTRY_VERIFY(w.field() == nullptr);
    QVERIFY(w.cell("ssrCode").isValid());
    QVERIFY(w.undoesToTheSameBytes());
    QTRY_VERIFY(w.cell("squawk").isValid());
    QCOMPARE(w.failures, QStringList());
  }

  void cellsAreEditedByMouse() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("Flight");
    w.doubleClick(w.cell("phase", 6));
    QVERIFY(w.fieldOpens());
    QTRY_VERIFY(w.field()->list() != nullptr);
    auto* list = w.field()->list();
    QCOMPARE(list->model()->rowCount(), 4);
    screenshot(w, "edit-choice");
    const QModelIndex neither = list->model()->index(3, 0);
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(neither).center());
    QVERIFY(w.settled());
    QTRY_COMPARE(w.valueAt("phase", 6), QString("–"));
    QVERIFY(w.undoesToTheSameBytes());
  }

  void whatMakesNoSenseIsRefusedInPlace() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("Flight");
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("phase"));
    QTest::keyClick(w.table, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "route");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QTRY_VERIFY(w.field() != nullptr && w.field()->isRefused());
    QCOMPARE(w.frame.findChild<RefusalBubble*>("cellRefusal")->reason(),
             QString("Flight has the attribute route already."));
    screenshot(w, "refused");
    QTest::keyClicks(w.field(), "Leg");
    QVERIFY(!w.field()->isRefused());
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_VERIFY(w.cell("routeLeg").isValid());

    // Inherited rows say where they are edited.
    QVERIFY(!w.cell("trackId").flags().testFlag(Qt::ItemIsEditable));
    QVERIFY(w.cell("trackId").data(Qt::ToolTipRole).toString().contains("edit it in Track"));
    w.page->showItem("datatype:HLAboolean");
    QVERIFY(!w.cell("HLAtrue").flags().testFlag(Qt::ItemIsEditable));
    QVERIFY(w.undoesToTheSameBytes());
  }

  void anAttributeIsAddedWithANewDatatype() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("Flight");
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("phase"));
    QTest::keyClick(w.table, Qt::Key_Insert);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "emergency");
    QTest::keyClick(w.field(), Qt::Key_Tab);
    // The row is there, and its datatype is edited.
    QVERIFY(QTest::qWaitFor([&] { return w.cell("emergency").isValid(); }, kLimit));
    QVERIFY(w.fieldOpens());
    QTRY_COMPARE(w.field()->text(), QString("HLAinteger32BE"));
    QTest::keyClicks(w.field(), "Emergency");
    QTRY_VERIFY(w.field()->list() != nullptr);
    screenshot(w, "new-datatype");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QTRY_VERIFY(qobject_cast<QMenu*>(QApplication::activePopupWidget()) != nullptr);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QCOMPARE(menu->objectName(), QString("dataTypeKinds"));
    QTest::keyClick(menu, Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return w.has("datatype:Emergency"); }, kLimit));
    w.page->showItem("Flight");
    QVERIFY(w.settled());
    QTRY_COMPARE(w.valueAt("emergency", 1), QString("Emergency"));
    QVERIFY(w.bytes(0).contains("<name>Emergency</name>"));
    QVERIFY(w.undoesToTheSameBytes());
    QVERIFY(QTest::qWaitFor([&] { return !w.has("datatype:Emergency"); }, kLimit));
    QCOMPARE(w.failures, QStringList());
  }

  void theLastRowAddsByMouse() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("Conflict");
    const QModelIndex add = w.cell("New parameter");
    QVERIFY(add.isValid());
    QTest::mouseClick(w.table->viewport(), Qt::LeftButton, {},
                      w.table->visualRect(add).center() - QPoint(20, 0));
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "severity");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return w.cell("severity").isValid(); }, kLimit));
    QVERIFY(w.undoesToTheSameBytes());
  }

  void rowsAreRemovedAndMoved() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("Flight");
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("wake"));
    QTest::keyClick(w.table, Qt::Key_Up, Qt::AltModifier);
    QVERIFY(w.settled());
    QTRY_COMPARE(w.cell("wake").row() + 1, w.cell("velocity").row());
    QTRY_COMPARE(w.table->currentIndex().siblingAtColumn(0).data().toString(), QString("wake"));
    QTest::keyClick(w.table, Qt::Key_Down, Qt::AltModifier);
    QVERIFY(w.settled());
    QTRY_COMPARE(w.cell("wake").row() - 1, w.cell("velocity").row());
    // By mouse, to the end.
    const QPoint from = w.table->visualRect(w.cell("callsign")).center();
    const QRect last = w.table->visualRect(w.cell("phase"));
    QTest::mousePress(w.table->viewport(), Qt::LeftButton, {}, from);
    for (int i = 1; i <= 4; ++i) {
      QTest::mouseMove(w.table->viewport(),
                       from + (last.bottomLeft() + QPoint(60, -3) - from) * i / 4);
      QTest::qWait(10);
    }
    screenshot(w, "drag-row");
    QTest::mouseRelease(w.table->viewport(), Qt::LeftButton, {},
                        last.bottomLeft() + QPoint(60, -3));
    QVERIFY(w.settled());
    QTRY_COMPARE(w.cell("callsign").row() - 1, w.cell("phase").row());
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("onBoard"));
    QTest::keyClick(w.table, Qt::Key_Delete);
    QVERIFY(w.settled());
    QTRY_VERIFY(!w.cell("onBoard").isValid());
    QVERIFY(w.undoesToTheSameBytes());
    QTRY_VERIFY(w.cell("onBoard").isValid());
  }

  void aRowIsMovedAgainBeforeItIsShown_data() {
    QTest::addColumn<QString>("item");
    QTest::newRow("by name") << "Flight";
    QTest::newRow("by place") << "datatype:FlightPhase";
  }
  void aRowIsMovedAgainBeforeItIsShown() {
    QFETCH(QString, item);
    Window w;
    QVERIFY(w.ready);
    w.page->showItem(item);
    int first = 0;
    while (w.table->model()->index(first, 0).flags().testFlag(Qt::ItemIsEditable) == false) ++first;
    const auto nameAt = [&](int row) { return w.table->model()->index(row, 0).data().toString(); };
    const QStringList names{nameAt(first), nameAt(first + 1), nameAt(first + 2)};
    w.table->setFocus();
    w.table->setCurrentIndex(w.table->model()->index(first, 0));
    QTest::keyClick(w.table, Qt::Key_Down, Qt::AltModifier);
    QTest::keyClick(w.table, Qt::Key_Down, Qt::AltModifier);
    QTRY_COMPARE_WITH_TIMEOUT(nameAt(first + 2), names[0], kLimit);
    QCOMPARE(nameAt(first), names[1]);
    QCOMPARE(nameAt(first + 1), names[2]);
    QCOMPARE(w.table->currentIndex().row(), first + 2);
    // And from where it is now.
    QVERIFY(w.settled());
    QTest::keyClick(w.table, Qt::Key_Up, Qt::AltModifier);
    QTRY_COMPARE_WITH_TIMEOUT(nameAt(first + 1), names[0], kLimit);
    QTRY_COMPARE(w.table->currentIndex().row(), first + 1);
    QVERIFY(w.undoesToTheSameBytes());
    QCOMPARE(w.failures, QStringList());
  }

  void newRowsGoToTheModuleThatWasChosen() {
    Window w;
    QVERIFY(w.ready);
    for (int i = w.modules().count() - 1; i >= 0; --i) {
      QList<QByteArray> expected;
      for (int m = 0; m < w.modules().count(); ++m) expected << w.bytes(m);
      w.page->showItem("module:" + w.paths[i]);
      w.page->showItem("dimensions:");
      w.choose("dimensions:");
      QTest::keyClick(w.outline, Qt::Key_Insert);
      QCOMPARE(w.modules().undoLabel().section(" in ", 1), QFileInfo(w.paths[i]).fileName());
      for (int m = 0; m < w.modules().count(); ++m) QCOMPARE(w.bytes(m) != expected[m], m == i);
      QVERIFY(w.settled());
    }
    QVERIFY(w.undoesToTheSameBytes());
    QCOMPARE(w.failures, QStringList());
  }

  void leavingTheFilterGoesBackInAModelThatWasReadAgain() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("Flight");
    const QString before = w.page->currentItem();
    auto* search = w.page->findChild<QLineEdit*>("outlineSearch");
    QVERIFY(search != nullptr);
    search->setFocus();
    QTest::keyClicks(search, "snr");
    QTRY_VERIFY(w.page->currentItem() != before);
    // A class before it: all that follow have other handles.
    const ModelChanges changes(w.modules());
    auto edit = changes.addSubclass({RowKind::ObjectClass, {}, "HLAobjectRoot", -1, -1}, "New", 0);
    QVERIFY(edit.has_value());
    edit->item.clear();
    QVERIFY(w.modules().apply(*edit));
    auto first = ModelChanges(w.modules())
                     .move({RowKind::ObjectClass, {}, "HLAobjectRoot.New", -1, -1}, -100);
    QVERIFY(first.has_value());
    first->item.clear();
    QVERIFY(w.modules().apply(*first));
    QVERIFY(w.settled());
    search->selectAll();
    QTest::keyClick(search, Qt::Key_Backspace);
    QTRY_COMPARE(w.page->currentItem(), before);
  }

  void aHeldKeyRemovesNothing() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("Flight");
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("wake"));
    QTest::simulateEvent(w.table, true, Qt::Key_Delete, Qt::NoModifier, {}, true);
    QVERIFY(!w.modules().canUndo());
    w.choose("object:HLAobjectRoot.Track.Flight");
    QTest::simulateEvent(w.outline, true, Qt::Key_Delete, Qt::NoModifier, {}, true);
    QVERIFY(!w.modules().canUndo());
    QTest::keyClick(w.outline, Qt::Key_Delete);
    QVERIFY(w.modules().canUndo());
    QVERIFY(w.settled());
    QCOMPARE(w.failures, QStringList());
  }

  void aClassIsRenamedInTheTree() {
    Window w;
    QVERIFY(w.ready);
    w.choose("object:HLAobjectRoot.Track");
    QTest::keyClick(w.outline, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    screenshot(w, "rename-class");
    QTest::keyClicks(w.field(), "Trace");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return w.has("object:HLAobjectRoot.Trace.Flight.Airliner"); },
                            kLimit));
    QVERIFY(!w.has("object:HLAobjectRoot.Track"));
    // The module that only names it follows.
    QVERIFY(w.has("object:HLAobjectRoot.Trace.RadarPlot"));
    QVERIFY(w.bytes(1).contains("<name>Trace</name>"));
    QTRY_COMPARE(w.page->currentItem(), QString("object:HLAobjectRoot.Trace"));
    QCOMPARE(w.page->loadedModel().count(Level::Loads), 0);
    QVERIFY(w.undoesToTheSameBytes());
    QVERIFY(QTest::qWaitFor([&] { return w.has("object:HLAobjectRoot.Track.RadarPlot"); }, kLimit));
  }

  void classesAreAddedAndRemovedInTheTree() {
    Window w;
    QVERIFY(w.ready);
    w.choose("object:HLAobjectRoot.Track.Flight");
    QTest::keyClick(w.outline, Qt::Key_Insert);
    QVERIFY(w.fieldOpens());
    QTRY_COMPARE(w.field()->selectedText(), QString("NewClass"));
    QTest::keyClicks(w.field(), "Helicopter");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return w.has("object:HLAobjectRoot.Track.Flight.Helicopter"); },
                            kLimit));
    QVERIFY(w.settled());
    w.choose("object:HLAobjectRoot.Track.Flight");
    QTest::keyClick(w.outline, Qt::Key_Delete);
    QVERIFY(QTest::qWaitFor([&] { return !w.has("object:HLAobjectRoot.Track.Flight"); }, kLimit));
    QVERIFY2(w.modules().undoLabel().contains("with 3 subclasses and"),
             qPrintable(w.modules().undoLabel()));
    QVERIFY(w.undoesToTheSameBytes());
    QVERIFY(
        QTest::qWaitFor([&] { return w.has("object:HLAobjectRoot.Track.Flight.Glider"); }, kLimit));
    QCOMPARE(w.failures, QStringList());
  }

  void aClassIsDraggedBelowAnother() {
    Window w;
    QVERIFY(w.ready);
    w.outline->scrollTo(w.node("object:HLAobjectRoot.Track.Flight.Glider"));
    const QPoint from =
        w.outline->visualRect(w.node("object:HLAobjectRoot.Track.Flight.Glider")).center();
    const QPoint to = w.outline->visualRect(w.node("object:HLAobjectRoot.Track")).center();
    QTest::mousePress(w.outline->viewport(), Qt::LeftButton, {}, from);
    for (int i = 1; i <= 4; ++i) {
      QTest::mouseMove(w.outline->viewport(), from + (to - from) * i / 4);
      QTest::qWait(10);
    }
    auto* hint = w.outline->findChild<QLabel*>("dragHint");
    QVERIFY(hint->isVisible());
    QCOMPARE(hint->text(), QString("Glider\nbelow Track: loses 8 attributes"));
    screenshot(w, "drag-class");
    QTest::mouseRelease(w.outline->viewport(), Qt::LeftButton, {}, to);
    QVERIFY(QTest::qWaitFor([&] { return w.has("object:HLAobjectRoot.Track.Glider"); }, kLimit));
    QVERIFY(!hint->isVisible());
    QVERIFY(!w.has("object:HLAobjectRoot.Track.Flight.Glider"));
    QTRY_COMPARE(w.page->currentItem(), QString("object:HLAobjectRoot.Track.Glider"));
    QVERIFY(w.undoesToTheSameBytes());
  }

  void aClassIsPutBelowAnotherByKeyboard() {
    Window w;
    QVERIFY(w.ready);
    w.choose("object:HLAobjectRoot.Track.Flight.Glider");
    QTest::keyClick(w.outline, Qt::Key_M, Qt::ControlModifier);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "HLAobjectRoot.WeatherCell");
    QTRY_VERIFY(w.field()->list() != nullptr);
    QCOMPARE(w.field()->list()->model()->index(0, 0).data(Qt::UserRole + 1).toString(),
             QString("loses 10 attributes, gains 5"));
    screenshot(w, "reparent-by-keyboard");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(
        QTest::qWaitFor([&] { return w.has("object:HLAobjectRoot.WeatherCell.Glider"); }, kLimit));
    QCOMPARE(w.page->loadedModel().count(Level::Loads), 0);
    QVERIFY(w.undoesToTheSameBytes());
    QCOMPARE(w.failures, QStringList());
  }

  void theDatatypePanelIsEdited() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("datatype:GeoPosition");
    auto* panel = w.page->findChild<DataTypePanel*>("dataTypePanel");
    auto* fields = panel->findChild<TableView*>("dataTypeFields");
    QTRY_COMPARE(panel->exampleOctets().size(), 24);
    fields->setFocus();
    fields->setCurrentIndex(fields->model()->index(2, 1));
    QTest::keyClick(fields, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "HLAinteger16BE");
    screenshot(w, "panel");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    // The bytes follow.
    QTRY_COMPARE(panel->exampleOctets().size(), 18);
    w.page->showItem("datatype:FlightPlan");
    auto* properties = panel->findChild<TableView*>("dataTypeProperties");
    QTRY_VERIFY(properties->isVisible());
    QCOMPARE(properties->model()->index(0, 0).data().toString(), QString("Discriminant"));
    properties->setFocus();
    properties->setCurrentIndex(properties->model()->index(0, 1));
    QTest::keyClick(properties, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    screenshot(w, "panel-variant");
    QTest::keyClicks(w.field(), "sort");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_COMPARE(properties->model()->index(0, 1).data().toString(), QString("sort"));
    QVERIFY(w.bytes(0).contains("<discriminant>sort</discriminant>"));
    QVERIFY(w.undoesToTheSameBytes());
    QCOMPARE(w.failures, QStringList());
  }

  void semanticsAndFactsAreEditedInPlace() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("Flight");
    auto* semantics = w.page->findChild<ElidedText*>("itemSemantics");
    // Beside the facts, which are laid out when the event loop runs next.
    const auto* facts = w.page->findChild<QWidget*>("itemFacts");
    QTRY_VERIFY(semantics->mapTo(facts, QPoint()).x() > 80);
    QTest::mouseClick(semantics, Qt::LeftButton);
    QTRY_VERIFY(qobject_cast<ProseField*>(QApplication::focusWidget()) != nullptr);
    auto* prose = qobject_cast<ProseField*>(QApplication::focusWidget());
    QTest::keyClicks(prose, "A leg & its aircraft");
    screenshot(w, "semantics");
    QTest::keyClick(prose, Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_COMPARE(semantics->text(), QString("A leg & its aircraft"));
    QVERIFY(w.bytes(0).contains("A leg &amp; its aircraft"));
    auto* sharing = w.page->findChild<QLabel*>("fact_Sharing");
    sharing->setFocus();
    QTest::keyClick(sharing, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "Publish");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_COMPARE(w.page->findChild<QLabel*>("fact_Sharing")->text(), QString("Publish"));
    QVERIFY(w.undoesToTheSameBytes());
  }

  void whatIsWrittenGoesWhereItWasOpened() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("Track");
    w.page->showItem("Flight");
    const QString track = "object:HLAobjectRoot.Track";
    auto* semantics = w.page->findChild<ElidedText*>("itemSemantics");
    w.page->showItem(track);
    const QString ofTrack = semantics->text();
    w.page->showItem("Flight");
    semantics->setFocus();
    QTest::keyClick(semantics, Qt::Key_F2);
    QTRY_VERIFY(qobject_cast<ProseField*>(QApplication::focusWidget()) != nullptr);
    QTest::keyClicks(QApplication::focusWidget(), "of a flight");
    // The button goes back without taking the focus.
    QTest::mouseClick(w.page, Qt::BackButton);
    QCOMPARE(w.page->currentItem(), track);
    QVERIFY(qobject_cast<ProseField*>(QApplication::focusWidget()) == nullptr);
    QCOMPARE(w.modules().edits(0), 1);
    QVERIFY(w.settled());
    QTRY_COMPARE(semantics->text(), ofTrack);
    QCOMPARE(w.page->currentItem(), track);
    QTest::mouseClick(w.page, Qt::ForwardButton);
    QCOMPARE(semantics->text(), QString("of a flight"));

    // A cell of the table as well; what is refused keeps the page where it is.
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("squawk"));
    QTest::keyClick(w.table, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "phase");
    QTest::mouseClick(w.page, Qt::BackButton);
    QVERIFY(w.field() != nullptr && w.field()->isRefused());
    QVERIFY(w.cell("squawk").isValid());
    QTest::keyClicks(w.field(), "Code");
    QTest::mouseClick(w.page, Qt::BackButton);
    QCOMPARE(w.page->currentItem(), track);
    QVERIFY(w.bytes(0).contains("<name>phaseCode</name>"));
    QVERIFY(w.undoesToTheSameBytes());
    QCOMPARE(w.failures, QStringList());
  }

  void fedFilesAreEdited() {
    Window w({testmodels::data("Harbour.fed")});
    QVERIFY(w.ready);
    w.page->showItem("object:HLAobjectRoot.Ship");
    w.table->setFocus();
    // What a FED file cannot say does not open, and says why.
    const QModelIndex type = w.cell("speed", 1);
    QVERIFY(!type.flags().testFlag(Qt::ItemIsEditable));
    QVERIFY2(type.data(Qt::ToolTipRole).toString().contains("FED file"),
             qPrintable(type.data(Qt::ToolTipRole).toString()));
    w.doubleClick(w.cell("speed", 3));
    QVERIFY(w.fieldOpens());
    QTRY_VERIFY(w.field()->list() != nullptr);
    QTest::keyClicks(w.field(), "Rec");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_COMPARE(w.valueAt("speed", 3), QString("Receive"));
    QVERIFY(w.bytes(0).contains("(attribute speed reliable receive Map) ; in knots"));
    w.table->setCurrentIndex(w.cell("speed"));
    QTest::keyClick(w.table, Qt::Key_Insert);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "heading");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return w.cell("heading").isValid(); }, kLimit));
    QVERIFY(w.bytes(0).contains("(attribute heading reliable receive)"));
    screenshot(w, "fed-class");
    w.page->showItem("dimensions:");
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("New routing space"));
    QTest::keyClick(w.table, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "Air");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return w.cell("Air").isValid(); }, kLimit));
    screenshot(w, "fed-spaces");
    // In the tree.
    w.page->showItem("object:HLAobjectRoot.Ship.Tug");
    w.choose("object:HLAobjectRoot.Ship.Tug");
    QTest::keyClick(w.outline, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "Towboat");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_VERIFY(w.has("object:HLAobjectRoot.Ship.Towboat"));
    QVERIFY(w.undoesToTheSameBytes());
    QCOMPARE(w.failures, QStringList());
  }

  void interactionsAreDirectedInTheTable() {
    Window w({testmodels::data("Harbour-2025.xml")});
    QVERIFY(w.ready);
    w.page->showItem("object:HLAobjectRoot.Ship");
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("New interaction"));
    QTest::keyClick(w.table, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "HLAinteractionRoot.Call.Dock");
    QTest::keyClick(w.field(), Qt::Key_Return);
    // Until the model is read again the row that was written into shows the name.
    QVERIFY(w.settled());
    QTRY_VERIFY(w.cell("New interaction").isValid());
    QVERIFY(w.cell("Call.Dock").isValid());
    // It is shown without the root, and edited as it is written.
    w.table->setCurrentIndex(w.cell("Call.Dock"));
    QTest::keyClick(w.table, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTRY_COMPARE(w.field()->text(), QString("HLAinteractionRoot.Call.Dock"));
    QTest::keyClick(w.field(), Qt::Key_Escape);
    w.doubleClick(w.cell("Call.Dock", 6));
    QVERIFY(w.fieldOpens());
    QTRY_VERIFY(w.field()->list() != nullptr);
    QTest::keyClicks(w.field(), "Subscribe");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_COMPARE(w.valueAt("Call.Dock", 6), QString("S"));
    screenshot(w, "directed");
    w.table->setCurrentIndex(w.cell("Call.Dock"));
    QTest::keyClick(w.table, Qt::Key_Delete);
    QVERIFY(w.settled());
    QTRY_VERIFY(!w.cell("Call.Dock").isValid());
    w.page->showItem("datatype:ShipRef");
    w.table->setFocus();
    w.doubleClick(w.cell("Referenced attribute", 1));
    QVERIFY(w.fieldOpens());
    QTRY_VERIFY(w.field()->list() != nullptr);
    screenshot(w, "reference");
    QTest::keyClick(w.field(), Qt::Key_Escape);
    w.choose("datatypes:");
    QTest::keyClick(w.outline, Qt::Key_Insert);
    QTRY_VERIFY(qobject_cast<QMenu*>(QApplication::activePopupWidget()) != nullptr);
    auto* kinds = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(kinds->actions().last()->text().startsWith("Reference"));
    kinds->setActiveAction(kinds->actions().last());
    QTest::keyClick(kinds, Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return w.has("datatype:NewReference"); }, kLimit));
    // The tree lets it be named at once.
    QVERIFY(w.fieldOpens());
    QTest::keyClick(w.field(), Qt::Key_Escape);
    QVERIFY(w.undoesToTheSameBytes());
    QCOMPARE(w.failures, QStringList());
  }

  void otherTablesAreEdited() {
    Window w;
    QVERIFY(w.ready);
    w.page->showItem("switches:");
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("Auto provide", 1));
    const bool was = w.valueAt("Auto provide", 1) == "enabled";
    QTest::keyClick(w.table, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), was ? "dis" : "en");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_COMPARE(w.valueAt("Auto provide", 1), QString(was ? "disabled" : "enabled"));
    w.page->showItem("dimensions:");
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("Sector"));
    QTest::keyClick(w.table, Qt::Key_Insert);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "Height");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return w.cell("Height").isValid(); }, kLimit));
    screenshot(w, "dimensions");
    w.page->showItem("module:" + w.paths[0]);
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("Version", 1));
    QTest::keyClick(w.table, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "2.0");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_COMPARE(w.valueAt("Version", 1), QString("2.0"));
    screenshot(w, "module");
    w.table->setCurrentIndex(w.cell("New note", 1));
    QTest::keyClick(w.table, Qt::Key_F2);
    QTRY_VERIFY(qobject_cast<ProseField*>(QApplication::focusWidget()) != nullptr);
    QTest::keyClicks(QApplication::focusWidget(), "as agreed");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_COMPARE(w.valueAt("Note note", 1), QString("as agreed"));
    w.table->setCurrentIndex(w.cell("New keyword", 1));
    QTest::keyClick(w.table, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "airspace");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(w.settled());
    QTRY_COMPARE(w.valueAt("Keyword", 1), QString("airspace"));
    w.table->setCurrentIndex(w.cell("Keyword", 1));
    QTest::keyClick(w.table, Qt::Key_Delete);
    QVERIFY(w.settled());
    QTRY_VERIFY(!w.cell("Keyword").isValid());
    QVERIFY(w.undoesToTheSameBytes());
    QCOMPARE(w.failures, QStringList());
  }

  void aLargeModelIsEdited() {
    const QStringList rpr = testmodels::rpr();
    if (rpr.isEmpty()) return;
    Window w(rpr);
    QVERIFY(w.ready);
    w.page->showItem("BaseEntity");
    w.table->setFocus();
    w.table->setCurrentIndex(w.cell("New attribute"));
    QTest::keyClick(w.table, Qt::Key_Insert);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "Mood");
    QTest::keyClick(w.field(), Qt::Key_Tab);
    QVERIFY(QTest::qWaitFor([&] { return w.cell("Mood").isValid(); }, kLimit));
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "Entity");
    QTRY_VERIFY(w.field()->list() != nullptr);
    screenshot(w, "crowded");
    QTest::keyClick(w.field(), Qt::Key_Escape);
    w.choose("object:HLAobjectRoot.BaseEntity");
    QTest::keyClick(w.outline, Qt::Key_F2);
    QVERIFY(w.fieldOpens());
    QTest::keyClicks(w.field(), "Thing");
    QTest::keyClick(w.field(), Qt::Key_Return);
    QVERIFY(QTest::qWaitFor(
        [&] { return w.has("object:HLAobjectRoot.Thing.PhysicalEntity.Platform.Aircraft"); },
        kLimit));
    QCOMPARE(w.page->loadedModel().count(Level::Loads), 0);
    QVERIFY(w.undoesToTheSameBytes());
  }

 private:
  theme::Theme theme_;
};

QTEST_MAIN(TestObjectModelEditing)
#include "tst_object_model_editing.moc"
