// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/stat.h>

#include <QAbstractButton>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMainWindow>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>

#include "fom-editor/model/lists.h"
#include "fom-editor/ui/byte_layout_view.h"
#include "fom-editor/ui/data_type_panel.h"
#include "fom-editor/ui/dependency_view.h"
#include "fom-editor/ui/new_component_dialog.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/source_view.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

/// The page in a window of the console's size, with the key that the console's menu has.
struct Window {
  explicit Window(const QSize& size = QSize(1368, 804)) {
    page = new ObjectModelWorkspace(&frame);
    frame.setCentralWidget(page);
    auto* find = new QAction(&frame);
    find->setShortcut(QKeySequence::Find);
    QObject::connect(find, &QAction::triggered, page, [this] { page->focusFilter(); });
    frame.addAction(find);
    frame.resize(size);
    frame.show();
    shown = QTest::qWaitForWindowActive(&frame);
  }

  bool load(const QStringList& paths) {
    QSignalSpy spy(page, &ObjectModelWorkspace::modelShown);
    page->setModules(paths);
    return spy.wait(20000);
  }

  template <typename T>
  T* find(const char* name) const {
    T* widget = page->findChild<T*>(QString::fromLatin1(name));
    if (widget == nullptr) qFatal("no widget %s", name);
    return widget;
  }

  QStringList outline() const {
    auto* tree = find<QTreeView>("outlineTree");
    return testmodels::printed(*tree->model());
  }

  QString shownName() const { return find<QLabel>("itemName")->text(); }

  QMainWindow frame;
  ObjectModelWorkspace* page = nullptr;
  bool shown = false;
};

/// Kept where TUTTI_SCREENSHOTS names a folder, for people to look at.
void screenshot(Window& window, const QString& name) {
  const QString folder = qEnvironmentVariable("TUTTI_SCREENSHOTS");
  if (folder.isEmpty()) return;
  QTest::qWait(120);  // hover and focus settle
  window.frame.grab().save(folder + '/' + name + ".png");
}

void screenshotOf(QWidget& widget, const QString& name) {
  const QString folder = qEnvironmentVariable("TUTTI_SCREENSHOTS");
  if (folder.isEmpty()) return;
  QTest::qWait(120);
  widget.grab().save(folder + '/' + name + ".png");
}

}  // namespace

class TestObjectModelPage : public QObject {
  Q_OBJECT

 private slots:
  void init() { theme_.apply(theme::Appearance::Light); }

  void withoutModulesThePageSaysWhatItIsFor() {
    Window window;
    QVERIFY(window.load({}));
    QVERIFY(window.find<QWidget>("objectModelEmpty")->isVisible());
    QVERIFY(window.find<QPushButton>("emptyViewButton")->isVisible());
    QVERIFY(window.page->commandLine().isEmpty());
    screenshot(window, "empty");
  }

  void theModulesAroundTheShownOneAreALinkAway() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    auto* view = window.find<DependencyView>("dependencies");
    window.page->showItem("Flight");
    const QString base = view->accessibleName();
    QVERIFY2(base.startsWith("Dependencies of AirTraffic-Base.xml: "), qPrintable(base));
    QVERIFY2(base.contains("AirTraffic-Radar.xml needs AirTraffic-Base.xml for "),
             qPrintable(base));
    // RadarState is in none of them.
    QCOMPARE(view->caption(), QString("1 undefined"));
    // The first box at the left is the first module that needs it.
    view->setFocus();
    QSignalSpy chosen(view, &DependencyView::chosen);
    for (int key = 0; key < 6 && chosen.isEmpty(); ++key) {
      QTest::keyClick(view, Qt::Key_Down);
      QTest::keyClick(view, Qt::Key_Return);
    }
    QVERIFY(!chosen.isEmpty());
    QVERIFY2(window.page->currentItem().startsWith("module:"),
             qPrintable(window.page->currentItem()));
    QVERIFY(!view->accessibleName().startsWith("Dependencies of AirTraffic-Base.xml: "));
    screenshot(window, "dependencies");
    if (const QStringList many = testmodels::rpr(); !many.isEmpty()) {
      QVERIFY(window.load(many));
      window.page->showItem("BaseEntity");
      QVERIFY(view->accessibleName().contains("RPR-Aggregate_v2.0.xml needs RPR-Base_v2.0.xml"));
      screenshot(window, "dependencies-many");
    }
  }

  void writesAComponentForClasses() {
    QTemporaryDir own;
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    window.page->showItem("Flight");
    auto* action = window.find<QAction>("newComponent");
    QVERIFY(action->isEnabled());
    QVERIFY(window.find<QTreeView>("outlineTree")->actions().contains(action));
    action->trigger();
    auto* dialog = window.find<NewComponentDialog>("newComponentDialog");
    dialog->setCatalog(own.path());
    auto* name = window.find<QLineEdit>("componentName");
    auto* write = window.find<QPushButton>("componentWrite");
    auto* note = window.find<QLabel>("componentNote");
    auto* classes = window.find<QTreeWidget>("componentClasses");
    QVERIFY(!write->isEnabled());
    QTest::keyClicks(name, "Flight Watch");
    QVERIFY2(note->text().startsWith("Lower case letters"), qPrintable(note->text()));
    name->clear();
    QTest::keyClicks(name, "flight-watch");
    QVERIFY(write->isEnabled());

    // The class that the page shows is subscribed; another one is found and published.
    const auto row = [classes](const QString& text) {
      const auto found = classes->findItems(text, Qt::MatchExactly);
      return found.isEmpty() ? nullptr : found.front();
    };
    QVERIFY(row("Track.Flight") != nullptr);
    QCOMPARE(row("Track.Flight")->checkState(2), Qt::Checked);
    QTest::keyClicks(window.find<QLineEdit>("componentSearch"), "weathercell");
    QVERIFY(row("Track.Flight")->isHidden());
    QVERIFY(row("WeatherCell") != nullptr && !row("WeatherCell")->isHidden());
    QTest::keyClicks(window.find<QLineEdit>("componentSearch"), "x");
    QVERIFY2(note->text().startsWith("No class has"), qPrintable(note->text()));
    QTest::keyClick(window.find<QLineEdit>("componentSearch"), Qt::Key_Backspace);
    const QRect box = classes->visualRect(classes->indexFromItem(row("WeatherCell"), 1));
    QTest::mouseClick(classes->viewport(), Qt::LeftButton, {},
                      QPoint(box.left() + 12, box.center().y()));
    QCOMPARE(row("WeatherCell")->checkState(1), Qt::Checked);
    window.find<QComboBox>("componentTime")->setCurrentIndex(3);
    const QString command = window.find<QLabel>("componentCommand")->toolTip();
    QVERIFY2(command.endsWith("--subscribe HLAobjectRoot.Track.Flight --publish "
                              "HLAobjectRoot.WeatherCell --time both") ||
                 command.endsWith("--publish HLAobjectRoot.WeatherCell --subscribe "
                                  "HLAobjectRoot.Track.Flight --time both"),
             qPrintable(command));
    screenshotOf(*dialog, "new-component");

    QSignalSpy written(dialog, &NewComponentDialog::written);
    QTest::mouseClick(write, Qt::LeftButton);
    QVERIFY2(written.wait(60000), qPrintable(note->text()));
    QCOMPARE(written.front().front().toString(), own.filePath("flight-watch"));
    QFile manifest(own.filePath("flight-watch/component.json"));
    QVERIFY(manifest.open(QIODevice::ReadOnly));
    const QByteArray says = manifest.readAll();
    QVERIFY(says.contains("\"WeatherCell\"") && says.contains("\"Track.Flight\""));
    QVERIFY(QFile::exists(own.filePath("flight-watch/generated/datatypes.h")));
    QVERIFY(window.find<QLabel>("componentResultBuild")->text().startsWith("cmake -S "));
    QVERIFY(window.find<QLabel>("componentResultWhere")->text().contains(own.path()));
    theme_.apply(theme::Appearance::Dark);
    screenshotOf(*dialog, "new-component-written");

    // A name that is taken is said before anything is written.
    NewComponentDialog again(window.page->loadedModel().model, window.page->loadedModel().paths,
                             {});
    again.setCatalog(own.path());
    again.findChild<QLineEdit*>("componentName")->setText("flight-watch");
    QVERIFY(again.findChild<QLabel*>("componentNote")->text().contains("is there already"));
    QVERIFY(!again.findChild<QPushButton*>("componentWrite")->isEnabled());
    QTest::mouseClick(window.find<QPushButton>("componentClose"), Qt::LeftButton);
  }

  void showsAClassWithItsAttributes() {
    Window window;
    testmodels::FakeUsage usage;
    window.page->setUsageProvider(&usage);
    QVERIFY(window.load(testmodels::airTraffic()));
    window.page->showItem("Flight");
    QCOMPARE(window.shownName(), QString("Flight"));
    QCOMPARE(window.find<QLabel>("itemCrumbs")->text(), QString("Track ›"));
    QCOMPARE(window.find<PlaceButton>("itemPlace")->text(), QString("AirTraffic-Base.xml:68"));
    QCOMPARE(window.find<QLabel>("fact_Sharing")->text(), QString("PublishSubscribe"));
    auto* table = window.find<QTreeView>("itemTable");
    QVERIFY(testmodels::printed(*table->model())
                .contains("position | GeoPosition | Periodic 0.1 s | Timestamp | Best effort | "
                          "Sector | P S | – | WGS 84"));
    auto* views = window.find<theme::SegmentedControl>("itemViews");
    QCOMPARE(views->text(0), QString("Attributes"));
    QCOMPARE(views->text(1), QString("Used by 4"));
    QVERIFY(window.page->commandLine().startsWith("tutti fom check "));
    QCOMPARE(window.page->badge().count, 1);

    // Choosing a row shows how its values are encoded.
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      const QModelIndex index = table->model()->index(row, 0);
      if (index.data().toString() == "position") table->setCurrentIndex(index);
    }
    QCOMPARE(window.find<DataTypePanel>("dataTypePanel")->dataType(), QString("GeoPosition"));
    QCOMPARE(window.find<QLabel>("dataTypeKind")->text(),
             QString("fixed record, HLAfixedRecord, 24 bytes"));
    screenshot(window, "flight-light");
    theme_.apply(theme::Appearance::Dark);
    screenshot(window, "flight-dark");
  }

  void theKeyboardFindsAClass() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    QVERIFY(window.shown);
    QTest::keyClick(&window.frame, Qt::Key_F, Qt::ControlModifier);
    auto* search = window.find<QLineEdit>("outlineSearch");
    QTRY_VERIFY(search->hasFocus());
    QTest::keyClicks(search, "snr");
    QCOMPARE(window.outline(), (QStringList{"HLAobjectRoot", "  Track", "    RadarPlot"}));
    QCOMPARE(window.shownName(), QString("RadarPlot"));
    QCOMPARE(
        window.find<QTreeView>("itemTable")->currentIndex().siblingAtColumn(0).data().toString(),
        QString("snr"));
    screenshot(window, "search");
    QTest::keyClick(search, Qt::Key_Down);
    QTRY_VERIFY(window.find<QTreeView>("outlineTree")->hasFocus());
    QTest::keyClick(window.find<QTreeView>("outlineTree"), Qt::Key_Up);
    QCOMPARE(window.shownName(), QString("Track"));

    QTest::keyClick(&window.frame, Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(search->hasFocus());
    QTest::keyClicks(search, "no such thing");
    QVERIFY(window.find<QLabel>("outlineNoMatch")->isVisible());
    screenshot(window, "no-match");
    QTest::keyClick(search, Qt::Key_Escape);
    QVERIFY(search->text().isEmpty());
    QVERIFY(!window.find<QLabel>("outlineNoMatch")->isVisible());
    QVERIFY(window.outline().size() > 40);
    QCOMPARE(window.shownName(), QString("Track"));
  }

  void backAndForwardFollowTheSelection() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    window.page->showItem("Flight");
    window.page->showItem("Conflict");
    window.page->showItem("datatype:GeoPosition");
    QTest::mouseClick(window.find<QToolButton>("itemBack"), Qt::LeftButton);
    QCOMPARE(window.shownName(), QString("Conflict"));
    QTest::keyClick(window.find<QTreeView>("itemTable"), Qt::Key_Backspace);
    QCOMPARE(window.shownName(), QString("Flight"));
    QTest::mouseClick(window.find<QToolButton>("itemForward"), Qt::LeftButton);
    QCOMPARE(window.shownName(), QString("Conflict"));
  }

  void theOutlineKeepsItsShapeWhenFilesAreReadAgain() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    window.page->showItem("Glider");
    auto* tree = window.find<QTreeView>("outlineTree");
    const auto expandedNames = [&] {
      QStringList names;
      const auto visit = [&](const auto& self, const QModelIndex& at) -> void {
        for (int row = 0; row < tree->model()->rowCount(at); ++row) {
          const QModelIndex child = tree->model()->index(row, 0, at);
          if (tree->isExpanded(child)) names << child.data().toString();
          self(self, child);
        }
      };
      visit(visit, {});
      return names;
    };
    tree->collapse(tree->model()->index(1, 0));
    const QStringList before = expandedNames();
    QVERIFY(before.contains("Track") && !before.contains("HLAinteractionRoot"));
    QVERIFY(window.load(testmodels::airTraffic()));
    QCOMPARE(expandedNames(), before);
    QCOMPARE(window.shownName(), QString("Glider"));
  }

  void aContradictionIsShownWithBothPlacesAndLeadsToTheFile() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic() << testmodels::data("Clash.xml")));
    QCOMPARE(window.page->badge().state, theme::State::Error);
    QCOMPARE(window.page->statusNotes(), QStringList{"exit code 1"});
    QVERIFY(window.find<LevelCard>("card_0")->detail().contains("1 finding stops a run"));
    auto* list = window.find<QTreeView>("findingList");
    const QModelIndex place = list->model()->index(0, 1);
    QCOMPARE(place.data().toString(), QString("Clash.xml:31"));
    screenshot(window, "contradiction");
    window.page->showNextProblem(1);
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(place).center());
    auto* source = window.find<SourceView>("itemSource");
    QVERIFY(source->isVisible());
    QCOMPARE(QFileInfo(source->file()).fileName(), QString("Clash.xml"));
    QCOMPARE(source->markedLine(), 31);
    QVERIFY(source->toPlainText().contains("HLAfloat64BE"));
    screenshot(window, "source");

    // The card of a level shows its findings only.
    QTest::mouseClick(window.find<LevelCard>("card_3"), Qt::LeftButton);
    const QList<Finding>& findings = window.page->loadedModel().findings;
    const auto described = std::count_if(findings.begin(), findings.end(), [](const Finding& f) {
      return f.level == Level::Described;
    });
    QVERIFY(described > 2 && described < findings.size());
    QCOMPARE(list->model()->rowCount(), static_cast<int>(described));
    QTest::mouseClick(window.find<LevelCard>("card_3"), Qt::LeftButton);
    QCOMPARE(list->model()->rowCount(), static_cast<int>(findings.size()));

    list->setCurrentIndex(list->model()->index(0, 0));
    window.page->findChild<QAction*>("copyFinding")->trigger();
    QVERIFY(QGuiApplication::clipboard()->text().contains("AirTraffic-Radar.xml:"));
  }

  void f8GoesThroughTheFindings() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    window.page->showNextProblem(1);
    QCOMPARE(window.shownName(), QString("RadarSite"));
    window.page->showNextProblem(1);
    QCOMPARE(window.shownName(), QString("Flight"));
    window.page->showNextProblem(-1);
    QCOMPARE(window.shownName(), QString("RadarSite"));
    window.page->showNextProblem(1);
    window.page->showNextProblem(1);
    QCOMPARE(window.shownName(), QString("RadarPlot"));
  }

  void anExampleValueBecomesOctetsAndBack() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    window.page->showItem("datatype:GeoPosition");
    auto* panel = window.find<DataTypePanel>("dataTypePanel");
    auto* latitude = window.find<QLineEdit>("example_latitude");
    latitude->selectAll();
    QTest::keyClicks(latitude, "50.04");
    QCOMPARE(panel->exampleOctets().left(8).toHex(), QByteArray("4049051eb851eb85"));
    QTest::mouseClick(window.find<QPushButton>("copyHex"), Qt::LeftButton);
    QVERIFY(QGuiApplication::clipboard()->text().startsWith("40 49 05 1E B8 51 EB 85 "));

    latitude->selectAll();
    QTest::keyClicks(latitude, "north");
    QVERIFY(window.find<QLabel>("exampleError")->isVisible());
    QVERIFY(panel->exampleOctets().isEmpty());

    QVERIFY(
        panel->decodeExample(QByteArray::fromHex("4049051eb851eb85"
                                                 "40212 3f141205bc0"
                                                 "40c57c0000000000")));
    QCOMPARE(latitude->text(), QString("50.04"));
    QCOMPARE(window.find<QLineEdit>("example_altitude")->text(), QString("11000"));
    QVERIFY(!panel->decodeExample("short"));
    screenshot(window, "datatype");
  }

  void aDatatypeLeadsToWhoUsesIt() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    window.page->showItem("datatype:GeoPosition");
    QTest::mouseClick(window.find<QAbstractButton>("use_Conflict.place"), Qt::LeftButton);
    QCOMPARE(window.shownName(), QString("Conflict"));
    window.find<theme::SegmentedControl>("itemViews")->setCurrentIndex(1);
    QVERIFY(window.find<QWidget>("itemEmpty")->isVisible());
  }

  void changedUsageIsShown() {
    class Changing : public UsageProvider {
     public:
      QList<Usage> usages(const QString&, bool) const override { return list; }
      QList<Usage> list;
    } usage;
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    window.page->setUsageProvider(&usage);
    window.page->showItem("Flight");
    auto* views = window.find<theme::SegmentedControl>("itemViews");
    QCOMPARE(views->text(1), QString("Used by 0"));
    usage.list << Usage{Usage::Kind::Publishes, "flow", "aircraft-flow 1.2", {}, {}};
    Q_EMIT usage.changed();
    QCOMPARE(views->text(1), QString("Used by 1"));
    views->setCurrentIndex(1);
    QCOMPARE(testmodels::printed(*window.find<QTreeView>("itemTable")->model()),
             (QStringList{"Publish", "flow | aircraft-flow 1.2 | all | –"}));
    screenshot(window, "used-by");
  }

  void theShownTableIsExported() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    window.page->showItem("Conflict");
    QTemporaryDir folder;
    const QString path = folder.filePath("Conflict.csv");
    QVERIFY(window.page->exportTable(path));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains("Own,place,GeoPosition,Midpoint\r\n"));
    QString error;
    QVERIFY(!window.page->exportTable(folder.filePath("none/Conflict.csv"), &error));
    QVERIFY(!error.isEmpty());
  }

  void modulesOpenedByHandStayUntilTheyAreClosed() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    QSignalSpy spy(window.page, &ObjectModelWorkspace::modelShown);
    window.page->openModules({testmodels::data("Weather.xml")});
    QVERIFY(spy.wait(20000));
    QCOMPARE(window.page->loadedModel().paths.size(), 1);
    window.page->setModules(testmodels::airTraffic());
    QVERIFY(!window.page->isLoading());
    window.page->findChild<QAction*>("closeModules")->trigger();
    QVERIFY(spy.wait(20000));
    QCOMPARE(window.page->loadedModel().paths, testmodels::airTraffic());
  }

  void findAnythingKnowsTheClasses() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    QList<theme::FindEntry> entries;
    window.page->provideFinds(entries);
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [](const auto& e) { return e.title == "RadarPlot"; });
    QVERIFY(entry != entries.end());
    entry->activate();
    QCOMPARE(window.shownName(), QString("RadarPlot"));
  }

  // A module on a file system that does not answer: a pipe that nobody writes into.
  void readingThatHangsIsCancelled() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    const QString shown = window.shownName();
    QTemporaryDir folder;
    const QString hung = folder.filePath("hung.xml");
    QCOMPARE(::mkfifo(hung.toUtf8().constData(), 0600), 0);
    window.page->openModules({hung});
    auto* text = window.find<QLabel>("modelReading");
    auto* cancel = window.find<QPushButton>("modelReadingCancel");
    QTRY_VERIFY_WITH_TIMEOUT(text->isVisible() && text->text().startsWith("Reading 1 module, 1"),
                             30'000);
    screenshot(window, "reading");
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY(!text->isVisible());
    QVERIFY(!window.page->isLoading());
    QCOMPARE(window.shownName(), shown);
    QVERIFY(!window.find<QAction>("closeModules")->isVisible());
    // Others can be read meanwhile.
    QVERIFY(window.load(testmodels::airTraffic()));
    QVERIFY(!text->isVisible());
    // What was given up is never shown, however it ends; the window waits for it when it closes.
    QFile writer(hung);
    QVERIFY(writer.open(QIODevice::WriteOnly));
    writer.close();
    QCOMPARE(window.page->loadedModel().paths, testmodels::airTraffic());
  }

  /// All but those of 2010 say which edition they are of, whole.
  void modulesOfOtherEditionsSayWhich() {
    QTemporaryDir folder;
    const auto write = [&](const QString& name, const QByteArray& text) {
      QFile file(folder.filePath(name));
      if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("cannot write %s", qPrintable(file.fileName()));
      return file.fileName();
    };
    const auto xml = [](const QByteArray& attributes, const QByteArray& tables) {
      return "<objectModel " + attributes + ">" + tables + "</objectModel>\n";
    };
    const QStringList paths{
        testmodels::data("Weather.xml"),
        write("Harbour.fed",
              "(FED (Federation Harbour) (FEDversion v1.3) (objects (class ObjectRoot (attribute "
              "privilegeToDelete reliable timestamp) (class Ship (attribute name reliable "
              "receive)))) (interactions (class InteractionRoot best_effort receive)))\n"),
        write("Harbour.omd",
              "(DIF HLA-OMT v1.3 (TYPE Single))\n(ObjectModel (Name \"Harbour\") (VersionNumber "
              "\"1.0\") (Type FOM) (Class (ID 1) (Name \"Pier\") (PSCapabilities PS)))\n"),
        write("AirportGroundVehicles.xml",
              xml("DTDversion=\"1516.2\" name=\"Ground\" type=\"FOM\"",
                  "<objects><objectClass name=\"HLAobjectRoot\" sharing=\"Neither\"><objectClass "
                  "name=\"Truck\" sharing=\"PublishSubscribe\"/></objectClass></objects>")),
        write(
            "Satellites.xml",
            xml("xmlns=\"http://standards.ieee.org/IEEE1516-2025\"",
                "<objects><objectClass><name>HLAobjectRoot</name><objectClass><name>Satellite</"
                "name><sharing>PublishSubscribe</sharing></objectClass></objectClass></objects>"))};
    Window window;
    QVERIFY(window.load(paths));
    auto* list = window.find<QListView>("moduleList");
    QStringList shown;
    for (int row = 0; row < list->model()->rowCount(); ++row) {
      const QModelIndex index = list->model()->index(row, 0);
      shown << index.data().toString() + ": " + index.data(ModuleListModel::DetailRole).toString();
    }
    QCOMPARE(shown,
             (QStringList{"HLAstandardMIM: read only", "Weather.xml: ", "Harbour.fed: HLA 1.3 FED",
                          "Harbour.omd: HLA 1.3 OMT", "AirportGroundVehicles.xml: IEEE 1516-2000",
                          "Satellites.xml: IEEE 1516-2025"}));
    screenshot(window, "editions-light");
    theme_.apply(theme::Appearance::Dark);
    screenshot(window, "editions-dark");
  }

  void theRprFomIsShown() {
    const QStringList paths = testmodels::rpr();
    if (paths.isEmpty()) QSKIP("no real object models at ../shared/foms or TUTTI_FOMS");
    Window window;
    QVERIFY(window.load(paths));
    window.page->showItem("Aircraft");
    screenshot(window, "rpr-light");
    theme_.apply(theme::Appearance::Dark);
    window.page->showItem("datatype:SpatialVariantStruct");
    screenshot(window, "rpr-dark");
    window.page->focusFilter();
    QTest::keyClicks(window.find<QLineEdit>("outlineSearch"), "munition");
    QVERIFY(window.outline().size() > 3);
    screenshot(window, "rpr-search");
    window.frame.resize(1100, 760);
    screenshot(window, "rpr-narrow");
  }

 private:
  theme::Theme theme_;
};

QTEST_MAIN(TestObjectModelPage)
#include "tst_object_model_page.moc"
