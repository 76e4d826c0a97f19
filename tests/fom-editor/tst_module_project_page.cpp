// SPDX-License-Identifier: GPL-3.0-or-later
// The modules of a folder on the Object model page.
#include <QAction>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QListView>
#include <QMainWindow>
#include <QMimeData>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <QUrl>

#include "fom-editor/model/lists.h"
#include "fom-editor/model/module_project.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/source_view.h"
#include "resources/theme/theme.h"
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
    screenshot(window, "project-rpr-below");
  }

 private:
  theme::Theme theme_;
};

QTEST_MAIN(TestModuleProjectPage)
#include "tst_module_project_page.moc"
