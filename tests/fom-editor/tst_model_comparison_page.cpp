// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/stat.h>

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include "fom-editor/ui/comparison_page.h"
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

/// The page with the air traffic model, and another version of it in a file.
struct Window {
  explicit Window(const QSize& size = QSize(1368, 804)) {
    page = new ObjectModelWorkspace(&frame);
    frame.setCentralWidget(page);
    frame.resize(size);
    frame.show();
    shown = QTest::qWaitForWindowActive(&frame);
    QString text = content(testmodels::data("AirTraffic-Base.xml"));
    text.replace("squawk", "ssrCode");
    text.replace("<name>altitude</name><dataType>Length64",
                 "<name>altitude</name><dataType>Speed32");
    text.replace("As spoken", "As said");
    text.replace("<enumerator><name>Super</name><value>4</value></enumerator>", "");
    text.replace("          <objectClass>\n            <name>Glider</name>",
                 "<objectClass><name>Drone</name><sharing>PublishSubscribe</sharing><attribute>"
                 "<name>battery</name><dataType>HLAoctet</dataType></attribute></objectClass>"
                 "          <objectClass>\n            <name>Glider</name>");
    QFile file(after());
    if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0) qFatal("cannot write");
  }

  QString before() const { return testmodels::data("AirTraffic-Base.xml"); }
  QString after() const { return folder.filePath("AirTraffic-Next.xml"); }

  bool load(const QStringList& paths) {
    QSignalSpy spy(page, &ObjectModelWorkspace::modelShown);
    page->setModules(paths);
    return spy.wait(20000);
  }
  bool compare(const QStringList& paths) {
    QSignalSpy spy(page, &ObjectModelWorkspace::comparisonShown);
    page->compareWith(paths);
    return spy.wait(20000);
  }

  template <typename T>
  T* find(const char* name) const {
    T* widget = page->findChild<T*>(QString::fromLatin1(name));
    if (widget == nullptr) qFatal("no widget %s", name);
    return widget;
  }

  QString label(const char* name) const { return find<QLabel>(name)->text(); }
  QStringList lines() const {
    return testmodels::printed(*find<QTreeView>("comparisonTree")->model());
  }

  QTemporaryDir folder;
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

}  // namespace

class TestModelComparisonPage : public QObject {
  Q_OBJECT

 private slots:
  void init() { theme_.apply(theme::Appearance::Light); }

  void bothModelsStandSideBySide() {
    Window window;
    testmodels::FakeUsage usage;
    window.page->setUsageProvider(&usage);
    QVERIFY(!window.find<QAction>("compareModels")->isEnabled());
    QVERIFY(window.load({window.before()}));
    QVERIFY(window.find<QAction>("compareModels")->isEnabled());
    QVERIFY(window.compare({window.after()}));
    QVERIFY(window.page->isComparing());
    QVERIFY(window.find<QWidget>("comparisonPage")->isVisible());
    QVERIFY(!window.find<QDockWidget>("modulesPane")->isVisible());
    QCOMPARE(
        window.lines(),
        (QStringList{"HLAobjectRoot |  | HLAobjectRoot", "Track |  | Track", "Flight |  | Flight",
                     "callsign | ~ | callsign", "squawk | → | ssrCode", " | + | Drone",
                     "Datatypes |  | Datatypes", "WakeCategory |  | WakeCategory", "Super | −",
                     "GeoPosition |  | GeoPosition", "altitude | ~ | altitude"}));
    QCOMPARE(window.find<theme::StatePill>("comparisonVerdict")->text(), QString("Not compatible"));
    QCOMPARE(window.find<QTreeView>("comparisonReasons")->model()->rowCount(),
             window.find<ComparisonPage>("comparisonPage")
                 ->comparison()
                 ->report.compatibility.reasons.size());
    // The first one is chosen, with all its properties on both sides.
    QCOMPARE(window.label("comparisonName"), QString("Track.Flight.callsign"));
    QCOMPARE(window.label("comparisonPosition"), QString("1 of 5"));
    const QStringList properties =
        testmodels::printed(*window.find<QTreeView>("comparisonProperties")->model());
    QCOMPARE(properties.front(), QString("~ Semantics | As spoken | As said"));
    QVERIFY(properties.contains("Datatype | Callsign | Callsign"));
    // The components of the composition are those of the usage provider.
    QVERIFY(window.find<QLabel>("component_radar 1.4")->isVisible());
    QVERIFY(window.page->commandLine().startsWith("tutti fom diff "));
    QCOMPARE(window.page->statusNotes(), QStringList("exit code 1"));
    screenshot(window, "compare-light");
    window.page->showNextProblem(-1);
    screenshot(window, "compare-altitude-light");
    theme_.apply(theme::Appearance::Dark);
    screenshot(window, "compare-dark");
  }

  void f8GoesThroughTheDifferences() {
    Window window;
    QVERIFY(window.load({window.before()}));
    QVERIFY(window.compare({window.after()}));
    QStringList names{window.label("comparisonName")};
    for (int i = 0; i < 5; ++i) {
      window.page->showNextProblem(1);
      names << window.label("comparisonName");
    }
    QCOMPARE(names,
             (QStringList{"Track.Flight.callsign", "Track.Flight.ssrCode", "Track.Flight.Drone",
                          "WakeCategory.Super", "GeoPosition.altitude", "Track.Flight.callsign"}));
    window.page->showNextProblem(-1);
    QCOMPARE(window.label("comparisonName"), QString("GeoPosition.altitude"));
    QCOMPARE(window.label("comparisonPosition"), QString("5 of 5"));
    QVERIFY(window.label("comparisonMeaning")
                .startsWith("Incompatible on the wire. GeoPosition.altitude: 8 "
                            "bytes in A, 4 bytes in B"));
  }

  void filtersSayWhatIsShown() {
    Window window;
    QVERIFY(window.load({window.before()}));
    QVERIFY(window.compare({window.after()}));
    QAbstractItemModelTester tester(window.find<QTreeView>("comparisonTree")->model());
    for (const char* name : {"mark_added", "mark_removed", "mark_renamed", "mark_moved"}) {
      window.find<QCheckBox>(name)->setChecked(false);
    }
    QCOMPARE(window.find<QCheckBox>("mark_changed")->text(), QString("Changed  2"));
    QCOMPARE(window.label("comparisonPosition"), QString("1 of 2"));
    window.find<QCheckBox>("comparisonWire")->setChecked(true);
    QCOMPARE(window.lines(),
             (QStringList{"Datatypes |  | Datatypes", "GeoPosition |  | GeoPosition",
                          "altitude | ~ | altitude"}));
    window.find<QLineEdit>("comparisonSearch")->setText("nothing");
    QVERIFY(window.find<QWidget>("comparisonNone")->isVisible());
    QTest::mouseClick(window.find<QWidget>("comparisonNone")->findChild<QPushButton*>(),
                      Qt::LeftButton);
    QCOMPARE(window.label("comparisonPosition").section(' ', 1), QString("of 5"));
    auto* kinds = window.find<QComboBox>("comparisonKind");
    QStringList offered;
    for (int i = 0; i < kinds->count(); ++i) offered << kinds->itemText(i);
    QCOMPARE(offered, (QStringList{"All kinds", "Object classes  1", "Attributes  2", "Fields  1",
                                   "Enumerators  1"}));
    kinds->setCurrentIndex(4);
    QCOMPARE(window.lines().last(), QString("Super | −"));
    window.find<QCheckBox>("comparisonOnly")->setChecked(false);
    QVERIFY(window.lines().contains("latitude |  | latitude"));
    // A reason leads to its difference, also to one that a filter hides.
    auto* reasons = window.find<QTreeView>("comparisonReasons");
    for (int row = 0; row < reasons->model()->rowCount(); ++row) {
      const QModelIndex index = reasons->model()->index(row, 0);
      if (index.data().toString().startsWith("Track.Flight.squawk"))
        Q_EMIT reasons->activated(index);
    }
    QCOMPARE(window.label("comparisonName"), QString("Track.Flight.ssrCode"));
  }

  void aGuessMayBeRefusedAndTheSidesSwapped() {
    Window window;
    QVERIFY(window.load({window.before()}));
    QVERIFY(window.compare({window.after()}));
    window.page->showNextProblem(1);
    auto* refuse = window.find<QPushButton>("comparisonRefuse");
    QVERIFY(refuse->isVisible());
    QVERIFY(window.label("comparisonWhat").contains("Guessed, "));
    QSignalSpy spy(window.page, &ObjectModelWorkspace::comparisonShown);
    QTest::mouseClick(refuse, Qt::LeftButton);
    QVERIFY(spy.wait(20000));
    QVERIFY(window.lines().contains("squawk | −"));
    QVERIFY(window.lines().contains(" | + | ssrCode"));
    QTest::mouseClick(window.find<QPushButton>("comparisonSwap"), Qt::LeftButton);
    QVERIFY(spy.wait(20000));
    QVERIFY(window.lines().contains("Drone | −"));
    QVERIFY(window.lines().contains(" | + | squawk"));
  }

  void theReportIsExported() {
    Window window;
    QVERIFY(window.load({window.before()}));
    QVERIFY(window.compare({window.after()}));
    const QString html = window.folder.filePath("x.html");
    const QString json = window.folder.filePath("x.json");
    QVERIFY(window.page->exportComparison(html));
    QVERIFY(content(html).startsWith("<!DOCTYPE html>"));
    QVERIFY(window.page->exportComparison(json));
    QVERIFY(QJsonDocument::fromJson(content(json).toUtf8()).isObject());
    QVERIFY(!window.page->exportComparison("/nowhere/x.html"));
  }

  void closingBringsThePanesBack() {
    Window window;
    QVERIFY(window.load({window.before()}));
    auto* checks = window.find<QDockWidget>("checksPane");
    auto* modules = window.find<QDockWidget>("modulesPane");
    checks->hide();
    QVERIFY(modules->isVisible());
    QVERIFY(window.compare({window.after()}));
    QVERIFY(!modules->isVisible());
    // Who quits now finds the panes at the next start.
    QSettings settings(window.folder.filePath("layout.ini"), QSettings::IniFormat);
    window.page->saveLayout(settings);
    {
      Window next;
      next.page->restoreLayout(settings);
      QVERIFY(next.load({next.before()}));
      QTRY_VERIFY(!next.find<QDockWidget>("checksPane")->isVisible());
      QVERIFY(next.find<QDockWidget>("modulesPane")->isVisible());
    }
    QTest::keyClick(window.find<QTreeView>("comparisonTree"), Qt::Key_Escape);
    QVERIFY(!window.page->isComparing());
    QVERIFY(modules->isVisible());
    QVERIFY(!checks->isVisible());
    QVERIFY(window.page->commandLine().startsWith("tutti fom check "));
    // What Ctrl+K finds is shown instead of the comparison.
    QVERIFY(window.compare({window.after()}));
    window.page->showItem("Flight");
    QVERIFY(!window.page->isComparing());
    QCOMPARE(window.label("itemName"), QString("Flight"));
  }

  void whatCannotBeComparedIsSaid() {
    Window window;
    QVERIFY(window.load({window.before()}));
    QSignalSpy failed(window.page, &ObjectModelWorkspace::failed);
    window.page->compareWith({"/nowhere.xml"});
    QVERIFY(failed.wait(20000));
    QVERIFY2(failed[0][1].toString().contains("nowhere.xml"), qPrintable(failed[0][1].toString()));
    QVERIFY(!window.page->isComparing());
    QVERIFY(window.compare({window.before()}));
    QCOMPARE(window.find<theme::StatePill>("comparisonVerdict")->text(), QString("Equal"));
    QVERIFY(window.find<QWidget>("comparisonNone")->isVisible());
    QVERIFY(!window.find<QWidget>("comparisonNone")->findChild<QPushButton*>()->isVisible());
    QVERIFY(!window.find<QWidget>("comparisonReasons")->isVisible());
    QCOMPARE(window.page->statusNotes(), QStringList("exit code 0"));
    screenshot(window, "compare-equal");
  }

  void comparingThatHangsIsCancelled() {
    Window window;
    QVERIFY(window.load({window.before()}));
    const QByteArray pipe = window.folder.filePath("hangs.xml").toLocal8Bit();
    QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
    window.page->compareWith({QString::fromLocal8Bit(pipe)});
    auto* cancel = window.find<QAbstractButton>("modelReadingCancel");
    QTRY_VERIFY_WITH_TIMEOUT(cancel->isVisible(), 20000);
    QVERIFY(window.label("modelReading").startsWith("Comparing 1 module"));
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY(!cancel->isVisible());
    QVERIFY(!window.page->isComparing());
    // The next one does not wait for it.
    QVERIFY(window.compare({window.after()}));
    QFile writer(QString::fromLocal8Bit(pipe));
    QVERIFY(writer.open(QIODevice::WriteOnly));  // lets the worker go
  }

  void theModulesOfRprAgainstAnotherVersion() {
    const QStringList modules = testmodels::rpr();
    if (modules.isEmpty()) QSKIP("The RPR FOM is not beside the source.");
    QString text = content(QFileInfo(modules[0]).path() + "/RPR_FOM_v2.0_1516-2010.xml");
    text.replace("<name>BaseEntity</name>", "<name>RootEntity</name>");
    text.replace("<name>MarkingStruct</name>", "<name>MarkingRecord</name>");
    Window window;
    const QString other = window.folder.filePath("RPR-next.xml");
    QFile file(other);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0);
    file.close();
    QVERIFY(window.load(modules));
    QVERIFY(window.compare({other}));
    QVERIFY(window.lines().contains("BaseEntity | → | RootEntity"));
    screenshot(window, "compare-rpr");
    window.find<QCheckBox>("comparisonOnly")->setChecked(false);
    QVERIFY(window.lines().size() > 4000);
    screenshot(window, "compare-rpr-all");
  }

 private:
  theme::Theme theme_;
};

QTEST_MAIN(TestModelComparisonPage)
#include "tst_model_comparison_page.moc"
