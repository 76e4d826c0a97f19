// SPDX-License-Identifier: GPL-3.0-or-later
// The modules of a folder on the Object model page.
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMainWindow>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <QTreeWidget>
#include <QUrl>

#include "fom-editor/model/difference.h"
#include "fom-editor/model/lists.h"
#include "fom-editor/model/module_project.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/ui/declaration_pair.h"
#include "fom-editor/ui/dependency_view.h"
#include "fom-editor/ui/extract_dialog.h"
#include "fom-editor/ui/join_dialog.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/source_view.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

constexpr int kLimit = 60000;

/// The page with a folder of copies.
struct Window {
  explicit Window(const QStringList& files) {
    for (const QString& file : files) {
      const QString copy = folder.filePath(QFileInfo(file).fileName());
      QFile::copy(file, copy);
      QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
    }
    page = new ObjectModelWorkspace(&frame);
    QObject::connect(page, &theme::Workspace::failed, page,
                     [this](const QString& title, const QString&) { failures << title; });
    page->project().setInterval(50);
    frame.setCentralWidget(page);
    frame.resize(1368, 804);
    frame.show();
    modules = page->findChild<QListView*>("moduleList");
    ready = QTest::qWaitForWindowActive(&frame);
  }

  bool open() {
    QSignalSpy spy(page, &ObjectModelWorkspace::modelShown);
    page->openFolder(folder.path());
    return spy.wait(kLimit);
  }
  bool settled() const {
    return QTest::qWaitFor([this] { return !page->isLoading(); }, kLimit);
  }
  QString path(const QString& name) const { return folder.filePath(name); }
  QModelIndex row(const QString& name) const {
    for (int i = 0; i < modules->model()->rowCount(); ++i) {
      const QModelIndex index = modules->model()->index(i, 0);
      if (index.data().toString() == name) return index;
    }
    return {};
  }
  bool isOn(const QString& name) const {
    return row(name).data(Qt::CheckStateRole).toInt() == Qt::Checked;
  }
  QStringList names() const { return testmodels::printed(*modules->model()); }
  bool has(const QString& item) const {
    return page->loadedModel().model && !findItem(*page->loadedModel().model, item).isNull();
  }

  QTemporaryDir folder;
  QStringList failures;
  QMainWindow frame;
  ObjectModelWorkspace* page = nullptr;
  QListView* modules = nullptr;
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

class TestModuleProjectPage : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    theme_.apply(qEnvironmentVariable("TUTTI_APPEARANCE") == "dark" ? theme::Appearance::Dark
                                                                    : theme::Appearance::Light);
  }

  void aFolderIsOneModel() {
    Window window(testmodels::airTraffic() << testmodels::data("Clash.xml"));
    QVERIFY(window.ready && window.open());
    QCOMPARE(window.modules->model()->rowCount(), 5);
    QVERIFY(window.has("Flight"));
    // The row of Clash.xml says that it is left out, and why.
    const QModelIndex clash = window.row("Clash.xml");
    QCOMPARE(clash.data(ModuleListModel::DetailRole).toString(), QString("left out"));
    QVERIFY2(clash.data(Qt::ToolTipRole).toString().contains("ssr") ||
                 clash.data(Qt::ToolTipRole).toString().count('\n') >= 2,
             qPrintable(clash.data(Qt::ToolTipRole).toString()));
    screenshot(window, "project");

    // By mouse: out, by keyboard: in again.
    const QRect area = window.modules->visualRect(window.row("Weather.xml"));
    QTest::mouseClick(window.modules->viewport(), Qt::LeftButton, {},
                      QPoint(area.left() + 16, area.center().y()));
    QVERIFY(QTest::qWaitFor([&] { return !window.has("WeatherCell"); }, kLimit));
    QVERIFY(!window.isOn("Weather.xml"));
    QVERIFY(window.has("Flight"));
    QVERIFY(!window.page->currentItem().startsWith("module:"));
    QVERIFY(window.settled());
    screenshot(window, "project-switched-off");
    window.modules->setFocus();
    window.modules->setCurrentIndex(window.row("Weather.xml"));
    QTest::keyClick(window.modules, Qt::Key_Space);
    QVERIFY(QTest::qWaitFor([&] { return window.has("WeatherCell"); }, kLimit));
    QVERIFY(window.isOn("Weather.xml"));
    QVERIFY(window.settled());

    // A click beside the switch shows the module; of one that does not take part its text.
    const QRect base = window.modules->visualRect(window.row("AirTraffic-Base.xml"));
    QTest::mouseClick(window.modules->viewport(), Qt::LeftButton, {}, base.center());
    QCOMPARE(window.page->currentItem(), "module:" + window.path("AirTraffic-Base.xml"));
    QVERIFY(window.isOn("AirTraffic-Base.xml"));
  }

  void filesThatComeAndGoAreNoticed() {
    Window window(testmodels::airTraffic());
    QVERIFY(window.ready && window.open());
    window.page->showItem("Flight");
    QVERIFY(QFile::copy(testmodels::data("Clash.xml"), window.path("sub.xml")));
    QVERIFY(QTest::qWaitFor([&] { return window.row("sub.xml").isValid(); }, kLimit));
    QVERIFY(window.settled());
    QCOMPARE(window.page->currentItem(), QString("object:HLAobjectRoot.Track.Flight"));
    QVERIFY(QFile::remove(window.path("sub.xml")));
    // It took part, so its last copy stays until it is switched off.
    QVERIFY(QTest::qWaitFor(
        [&] {
          return window.row("sub.xml")
              .data(ModuleListModel::DetailRole)
              .toString()
              .contains("not on disk");
        },
        kLimit));
    window.page->project().setTakesPart(window.path("sub.xml"), false);
    QVERIFY(QTest::qWaitFor([&] { return !window.row("sub.xml").isValid(); }, kLimit));
  }

  void editsOfAModuleStayWhenOthersAreSwitched() {
    Window window(testmodels::airTraffic());
    QVERIFY(window.ready && window.open());
    OpenModules& modules = window.page->editing().modules();
    const int base = modules.indexOf(window.path("AirTraffic-Base.xml"));
    QVERIFY(base >= 0);
    const ModuleSource* source = modules.source(base);
    const std::string_view text = source->text();
    const std::size_t at = text.find("<name>Flight</name>");
    QVERIFY(at != std::string_view::npos);
    QVERIFY(modules.apply({"rename", {{base, {{at + 6, 6, "Voyage"}}}}}).has_value());
    QVERIFY(QTest::qWaitFor([&] { return window.has("Voyage"); }, kLimit));
    QVERIFY(window.settled());
    window.page->project().setTakesPart(window.path("Weather.xml"), false);
    QVERIFY(QTest::qWaitFor([&] { return !window.has("WeatherCell"); }, kLimit));
    QVERIFY(window.has("Voyage"));
    QVERIFY(modules.canUndo());
    modules.undo();
    QVERIFY(QTest::qWaitFor([&] { return window.has("Flight"); }, kLimit));
  }

  void whereItemsComeFromIsShownAndALinkAway() {
    Window window(testmodels::airTraffic());
    QVERIFY(window.ready && window.open());
    window.page->showItem("Flight");
    auto* origins = window.page->findChild<QAbstractButton*>("itemOrigins");
    QVERIFY(origins->isVisible() == !origins->text().isEmpty());
    window.page->showItem("Track");
    QVERIFY(origins->isVisible());
    QCOMPARE(origins->text(), QString("in 2 modules"));
    QVERIFY2(origins->toolTip().contains("AirTraffic-Base.xml:") &&
                 origins->toolTip().contains(" defines it\nAirTraffic-Radar.xml:") &&
                 origins->toolTip().endsWith(" names it"),
             qPrintable(origins->toolTip()));
    // The second entry of the menu leads to the other file, by keyboard.
    origins->setFocus();
    bool opened = false;
    QTimer watch;
    QObject::connect(&watch, &QTimer::timeout, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (menu == nullptr || opened) return;
      opened = true;
      QTest::keyClick(menu, Qt::Key_Down);
      QTest::keyClick(menu, Qt::Key_Down);
      QTest::keyClick(menu, Qt::Key_Return);
    });
    watch.start(50);
    QTest::keyClick(origins, Qt::Key_Space);
    QVERIFY(opened);
    auto* source = window.page->findChild<SourceView*>("itemSource");
    QVERIFY(source->isVisible());
    QCOMPARE(source->file(), window.path("AirTraffic-Radar.xml"));

    // The tree can say it of all.
    auto* tree = window.page->findChild<QTreeView*>("outlineTree");
    const auto details = [&](const QString& name) {
      const QModelIndexList found =
          tree->model()->match(tree->model()->index(0, 0), Qt::DisplayRole, name, 1,
                               Qt::MatchExactly | Qt::MatchRecursive);
      return found.isEmpty() ? QString() : found.front().data(OutlineModel::DetailRole).toString();
    };
    QCOMPARE(details("Flight"), QString("8"));
    window.page->findChild<QAction*>("showModulesInTree")->trigger();
    QCOMPARE(details("Flight"), QString("Base"));
    QCOMPARE(details("WeatherCell"), QString("Weather"));
    screenshot(window, "project-origins");
  }

  void aContradictionShowsBothDeclarations() {
    Window window(testmodels::airTraffic() << testmodels::data("Clash.xml"));
    QVERIFY(window.ready && window.open());
    window.page->showNextProblem(1);
    auto* pair = window.page->findChild<DeclarationPair*>("declarations");
    QVERIFY(pair != nullptr && pair->isVisible());
    const auto source = [&](int i) {
      return pair->findChild<SourceView*>(QString("declarationSource%1").arg(i));
    };
    QCOMPARE(QFileInfo(source(0)->file()).fileName(), QString("Clash.xml"));
    QCOMPARE(QFileInfo(source(1)->file()).fileName(), QString("AirTraffic-Radar.xml"));
    QVERIFY(source(0)->toPlainText().contains("HLAfloat64BE"));
    screenshot(window, "project-contradiction");
    QTest::mouseClick(pair->findChild<QAbstractButton*>("declarationPlace1"), Qt::LeftButton);
    auto* shown = window.page->findChild<SourceView*>("itemSource");
    QVERIFY(shown->isVisible() && !pair->isVisible());
    QCOMPARE(QFileInfo(shown->file()).fileName(), QString("AirTraffic-Radar.xml"));
    // Another item takes its place.
    window.page->showNextProblem(1);
    window.page->showNextProblem(-1);
    QVERIFY(pair->isVisible());
    window.page->showItem("Flight");
    QVERIFY(!pair->isVisible());
  }

  void aModuleShowsWhatItNeedsAndOffers() {
    Window window(testmodels::airTraffic());
    QVERIFY(window.ready && window.open());
    window.page->showItem("RadarSite");
    auto* view = window.page->findChild<DependencyView*>("dependencies");
    auto* views = window.page->findChild<theme::SegmentedControl*>("itemViews");
    auto* table = window.page->findChild<TableView*>("itemTable");
    // By keyboard: the module's own box.
    view->setFocus();
    QTest::keyClick(view, Qt::Key_Up);
    QTest::keyClick(view, Qt::Key_Return);
    QCOMPARE(window.page->currentItem(), "module:" + window.path("AirTraffic-Radar.xml"));
    QCOMPARE(views->text(1), QString("Needs and offers"));
    QStringList rows = testmodels::printed(*table->model());
    QCOMPARE(rows.value(0), QString("Needs 1 name that no module defines"));
    QCOMPARE(rows.value(1), QString("RadarState | datatype | line 84"));
    QVERIFY2(rows.filter("Needs ").size() == 3, qPrintable(rows.join('\n')));
    screenshot(window, "project-needs");
    // What no module defines leads to the line, the rest to its definition.
    QVERIFY(table->hasFocus());
    table->setCurrentIndex(table->model()->index(1, 0));
    QTest::keyClick(table, Qt::Key_Return);
    auto* source = window.page->findChild<SourceView*>("itemSource");
    QVERIFY(source->isVisible());
    QCOMPARE(source->markedLine(), 84);
    views->setCurrentIndex(1);
    rows = testmodels::printed(*table->model());
    const int track = static_cast<int>(rows.indexOf("Track | object class | line 12"));
    QVERIFY2(track > 0, qPrintable(rows.join('\n')));
    table->setCurrentIndex(table->model()->index(track, 0));
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(window.page->currentItem(), QString("object:HLAobjectRoot.Track"));
    // By mouse: the words below the boxes.
    QTest::mouseClick(view, Qt::LeftButton, {}, QPoint(30, view->sizeHint().height() - 24));
    QCOMPARE(window.page->currentItem(), "module:" + window.path("AirTraffic-Base.xml"));
    QVERIFY(
        testmodels::printed(*table->model()).join('\n').contains("Track | object class | Radar"));
  }

  void classesGoToAModuleOfTheirOwn() {
    Window window(testmodels::airTraffic());
    QVERIFY(window.ready && window.open());
    OpenModules& modules = window.page->editing().modules();
    const auto before = window.page->loadedModel().model;
    auto* tree = window.page->findChild<QTreeView*>("outlineTree");
    window.page->showItem("Airliner");
    // Two by keyboard: Airliner and the one below it, Glider.
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(window.page->currentItem(), QString("object:HLAobjectRoot.Track.Flight.Glider"));
    auto* action = window.page->findChild<QAction*>("extractClasses");
    QVERIFY(action->isEnabled() && tree->actions().contains(action));
    action->trigger();
    auto* dialog = window.page->findChild<ExtractDialog*>("extractDialog");
    QVERIFY(dialog != nullptr);
    const auto isReady = [&] { return dialog->result() != nullptr; };
    QVERIFY(QTest::qWaitFor(isReady, kLimit));
    auto* note = dialog->findChild<QLabel*>("extractNote");
    QVERIFY2(note->text().startsWith("Moves: Airliner, Glider"), qPrintable(note->text()));
    QVERIFY2(note->text().contains("Needed of AirTraffic-Base.xml: Track, Flight, "),
             qPrintable(note->text()));
    // A name that is taken is said; another one is free.
    auto* file = dialog->findChild<QLineEdit*>("extractFile");
    QCOMPARE(file->text(), window.path("Airliner.xml"));
    dialog->setFile(window.path("Weather.xml"));
    QVERIFY(!dialog->findChild<QPushButton*>("extractAccept")->isEnabled());
    QVERIFY(note->text().contains("is there already"));
    QCOMPARE(dialog->questions(), 1);
    file->selectAll();
    QTest::keyClicks(file, window.path("Kinds.xml"));
    // The name is put in at the end: nothing is divided for it.
    QVERIFY(isReady());
    QCOMPARE(dialog->questions(), 1);
    auto* subclasses = dialog->findChild<QCheckBox*>("extractSubclasses");
    subclasses->toggle();
    subclasses->toggle();
    QVERIFY(!isReady());
    QCOMPARE(dialog->questions(), 3);
    QVERIFY(QTest::qWaitFor(isReady, kLimit));
    QVERIFY(dialog->findChild<QLabel*>("extractCommand")->toolTip().endsWith("Kinds.xml"));
    if (const QString folder = qEnvironmentVariable("TUTTI_SCREENSHOTS"); !folder.isEmpty()) {
      QTest::qWait(150);
      dialog->grab().save(folder + "/extract.png");
    }
    QTest::keyClick(file, Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return modules.modified().size() == 2; }, kLimit));
    QVERIFY(window.settled());
    QVERIFY2(window.failures.isEmpty(), qPrintable(window.failures.join(' ')));
    const auto same = [&] {
      DifferenceOptions options;
      options.matching.guess = false;
      QStringList paths;
      const ModelDifference difference =
          differenceOf(*before, *window.page->loadedModel().model, options);
      for (const Difference& each : difference.differences) {
        if (each.kind != EntryKind::Module) paths << difference.pathOf(each);
      }
      return paths;
    };
    QVERIFY(QTest::qWaitFor(
        [&] {
          const LoadedModel& now = window.page->loadedModel();
          const Item item = findItem(*now.model, "Glider");
          return !item.isNull() &&
                 text(now.model->fileOf(itemPlace(*now.model, item))) == window.path("Kinds.xml");
        },
        kLimit));
    QCOMPARE(same(), QStringList());
    QCOMPARE(window.page->currentItem(), QString("object:HLAobjectRoot.Track.Flight.Airliner"));
    screenshot(window, "project-extracted");

    // One step back: the old module has them again, the new one is empty.
    QCOMPARE(modules.undoLabel(), QString("extract Airliner into Kinds.xml"));
    modules.undo();
    QVERIFY(modules.modified().isEmpty());
    QVERIFY(window.settled());
    QCOMPARE(same(), QStringList());
    modules.redo();
    QVERIFY(window.settled());
    QVERIFY(window.page->saveEdits());
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->editing().isSaving(), kLimit);
    QVERIFY(modules.modified().isEmpty());
    const LoadedModel saved = loadModel(window.page->project().takingPart());
    QVERIFY(findItem(*saved.model, "Glider").kind == ItemKind::ObjectClass);
    QCOMPARE(saved.count(Level::Loads), 0);
    QVERIFY(window.isOn("Kinds.xml"));
    QFile kinds(window.path("Kinds.xml"));
    QVERIFY(kinds.open(QIODevice::ReadOnly) && kinds.readAll().contains("<name>Kinds</name>"));
  }

  void newModulesLieWhereTheyLike() {
    Window window(testmodels::airTraffic());
    QVERIFY(window.ready && window.open());
    window.page->project().setTakesPart(window.path("Weather.xml"), false);
    QVERIFY(QTest::qWaitFor([&] { return !window.has("WeatherCell"); }, kLimit));
    const OpenModules& modules = window.page->editing().modules();
    QTemporaryDir elsewhere;
    // In another folder, in the open one, and in one below it that is not looked into.
    const QString deep = window.path(".hidden");
    QVERIFY(QDir().mkdir(deep));
    for (const QString& path :
         {elsewhere.filePath("New.xml"), window.path("Own.xml"), deep + "/Deep.xml"}) {
      QVERIFY(window.page->editing().createModule(path));
      QVERIFY(QTest::qWaitFor([&] { return modules.indexOf(path) >= 0; }, kLimit));
      QVERIFY(window.settled());
      QCOMPARE(window.page->currentItem(), "module:" + path);
      QCOMPARE(window.page->project().folder(), window.folder.path());
    }
    QVERIFY(QTest::qWaitFor([&] { return window.isOn("Own.xml"); }, kLimit));
    QVERIFY(window.settled());
    // The switches are as they were, and of use.
    QVERIFY(window.row("Weather.xml").isValid() && !window.isOn("Weather.xml"));
    window.page->project().setTakesPart(window.path("Weather.xml"), true);
    QVERIFY(QTest::qWaitFor([&] { return window.has("WeatherCell"); }, kLimit));
    QVERIFY(window.settled());
    QCOMPARE(modules.count(), 6);
    window.page->project().setTakesPart(window.path("Own.xml"), false);
    QVERIFY(QTest::qWaitFor([&] { return modules.count() == 5; }, kLimit));
    QVERIFY(modules.indexOf(elsewhere.filePath("New.xml")) >= 0);
    QVERIFY2(window.failures.isEmpty(), qPrintable(window.failures.join(' ')));
  }

  void whatCannotBeExtractedIsSaid() {
    Window window(testmodels::airTraffic());
    QVERIFY(window.ready && window.open());
    auto* action = window.page->findChild<QAction*>("extractClasses");
    window.page->showItem("HLAmanager");
    action->trigger();
    QCOMPARE(window.failures, QStringList{"Nothing was extracted"});
    // Classes of two modules.
    auto* tree = window.page->findChild<QTreeView*>("outlineTree");
    window.page->showItem("RadarPlot");
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_Up, Qt::ShiftModifier);
    action->trigger();
    QCOMPARE(window.failures.size(), 2);
    QVERIFY(window.page->findChild<ExtractDialog*>("extractDialog") == nullptr);
    // What the module only names is said in the dialog.
    window.page->showItem("Flight");
    QVERIFY(window.page->editing().modules().modified().isEmpty());
  }

  void modulesBecomeOneFile() {
    Window window(testmodels::airTraffic());
    QVERIFY(window.ready && window.open());
    window.page->findChild<QAction*>("joinModules")->trigger();
    auto* dialog = window.page->findChild<JoinDialog*>("joinDialog");
    QVERIFY(dialog != nullptr);
    auto* file = dialog->findChild<QLineEdit*>("joinFile");
    auto* write = dialog->findChild<QPushButton*>("joinWrite");
    QVERIFY(write->isEnabled());
    QTest::keyClick(file, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(file, window.path("Weather.xml"));
    QVERIFY(!write->isEnabled());
    QVERIFY(dialog->findChild<QLabel*>("joinNote")->text().contains("is there already"));
    dialog->setFile(window.folder.filePath("none/all.xml"));
    QVERIFY(!write->isEnabled());
    QTemporaryDir elsewhere;
    const QString all = elsewhere.filePath("all.xml");
    dialog->setFile(all);
    QVERIFY(dialog->findChild<QLabel*>("joinCommand")->toolTip().contains("tutti fom join "));
    QSignalSpy written(dialog, &JoinDialog::written);
    QTest::keyClick(file, Qt::Key_Return);
    QVERIFY(written.wait(kLimit));
    QVERIFY(dialog->findChild<QLabel*>("joinResult")->text() == "all.xml is written");
    QVERIFY(dialog->findChild<QTreeWidget*>("joinLosses")->topLevelItemCount() > 0);
    if (const QString folder = qEnvironmentVariable("TUTTI_SCREENSHOTS"); !folder.isEmpty()) {
      QTest::qWait(150);
      dialog->grab().save(folder + "/join-result.png");
    }
    const LoadedModel one = loadModel({all});
    QVERIFY(!findItem(*one.model, "Flight").isNull() &&
            !findItem(*one.model, "WeatherCell").isNull());
    QTest::mouseClick(dialog->findChild<QPushButton*>("joinClose"), Qt::LeftButton);
  }

  void manyModulesHaveRoom_data() {
    QTest::addColumn<int>("count");
    QTest::newRow("4") << 4;
    QTest::newRow("300") << 300;
  }
  void manyModulesHaveRoom() {
    QFETCH(int, count);
    Window window({});
    for (int i = 0; i < count; ++i) {
      const QByteArray name = "Track" + QByteArray::number(i);
      const QByteArray own =
          "<objectClass><name>" + name + "</name><sharing>Publish</sharing></objectClass>";
      const QByteArray below =
          i == 0 ? own : "<objectClass><name>Track0</name>" + own + "</objectClass>";
      QFile file(window.path(QString("Exercise-Module%1_v1.2.xml").arg(i, 3, 10, QChar(u'0'))));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(
          "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><modelIdentification>"
          "<name>" +
          name +
          "</name></modelIdentification><objects><objectClass>"
          "<name>HLAobjectRoot</name>" +
          below + "</objectClass></objects></objectModel>");
    }
    QVERIFY(window.ready && window.open());
    QCOMPARE(window.page->project().takingPart().size(), count);
    window.page->showItem("Track0");
    auto* view = window.page->findChild<DependencyView*>("dependencies");
    QVERIFY2(view->accessibleName().contains("needs Exercise-Module000_v1.2.xml for "),
             qPrintable(view->accessibleName().left(200)));
    QVERIFY(view->height() < 250);
    screenshot(window, QString("dependencies-%1").arg(count));
  }

  void aDropOpensAFolder() {
    Window window(testmodels::airTraffic());
    QVERIFY(window.ready);
    screenshot(window, "project-empty");
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(window.folder.path())});
    QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window.page, &enter);
    QVERIFY(enter.isAccepted());
    QSignalSpy spy(window.page, &ObjectModelWorkspace::modelShown);
    QDropEvent drop(QPointF(400, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window.page, &drop);
    QVERIFY(spy.wait(kLimit));
    QVERIFY(window.has("Flight"));
    QVERIFY(window.page->project().isOpen());
    // Back to the composition's modules the folder is closed.
    window.page->closeOpenedModules();
    QVERIFY(!window.page->project().isOpen());
    QMimeData words;
    words.setText("words");
    QDragEnterEvent other(QPoint(400, 300), Qt::CopyAction, &words, Qt::LeftButton, {});
    other.ignore();
    QApplication::sendEvent(window.page, &other);
    QVERIFY(!other.isAccepted());
  }

  void whatCannotBeOpenedIsSaid() {
    Window window({});
    QVERIFY(window.ready);
    QVERIFY(window.page->findChild<QAction*>("openFolder") != nullptr);
    bool inMenu = false;
    for (QAction* action : window.page->menuActions().value("Tools")) {
      inMenu = inMenu || action->objectName() == "openFolder";
    }
    QVERIFY(inMenu);
    window.page->openFolder(window.folder.path());
    QVERIFY(QTest::qWaitFor([&] { return !window.failures.isEmpty(); }, kLimit));
    QCOMPARE(window.failures, QStringList{"There is no object model in " + window.folder.path()});
    QVERIFY(!window.page->project().isOpen());
  }

  void openingIsGivenUp() {
    Window window(testmodels::airTraffic());
    QVERIFY(window.ready);
    QSignalSpy shown(window.page, &ObjectModelWorkspace::modelShown);
    window.page->openFolder(window.folder.path());
    QVERIFY(window.page->isLoading());
    window.page->findChild<QPushButton*>("modelReadingCancel")->click();
    QVERIFY(!window.page->isLoading() && !window.page->project().isOpen());
    // The page can be used at once.
    window.page->setModules(testmodels::airTraffic());
    QVERIFY(shown.wait(kLimit));
    QVERIFY(window.has("Flight") && !window.page->project().isOpen());
  }

  void rprIsOneModel() {
    const QStringList rpr = testmodels::rpr();
    if (rpr.isEmpty()) QSKIP("the collection of object models is not here");
    QStringList files;
    for (const QFileInfo& each :
         QFileInfo(rpr.front()).dir().entryInfoList(QDir::Files, QDir::Name)) {
      files << each.filePath();
    }
    Window window(files);
    QVERIFY(window.ready && window.open());
    QVERIFY(window.has("BaseEntity.PhysicalEntity.Platform.Aircraft"));
    QVERIFY(!window.isOn("RPR_FOM_v2.0_1.3.fed"));
    window.page->showItem("Aircraft");
    screenshot(window, "project-rpr");
    window.modules->scrollToBottom();
    // Why a module is left out is said below the list.
    const QRect row = window.modules->visualRect(window.row("RPR_FOM_v2.0_1.3.fed"));
    QTest::mouseClick(window.modules->viewport(), Qt::LeftButton, {}, row.center());
    auto* note = window.page->findChild<ElidedText*>("moduleNote");
    QVERIFY(note->isVisible());
    QVERIFY2(note->text().startsWith("RPR_FOM_v2.0_1.3.fed: All that it defines is in "),
             qPrintable(note->text()));
    QVERIFY(QTest::qWaitFor(
        [&] { return note->geometry().top() > window.modules->geometry().bottom(); }, kLimit));
    screenshot(window, "project-rpr-below");
  }

 private:
  theme::Theme theme_;
};

QTEST_MAIN(TestModuleProjectPage)
#include "tst_module_project_page.moc"
