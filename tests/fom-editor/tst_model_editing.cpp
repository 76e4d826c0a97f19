// SPDX-License-Identifier: GPL-3.0-or-later
// The Object model page as the place where modules are edited.
#include <sys/resource.h>
#include <sys/stat.h>

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMainWindow>
#include <QMessageBox>
#include <QPointer>
#include <QProcess>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTimer>
#include <QTreeView>
#include <csignal>
#include <cstdio>
#include <functional>
#include <utility>

#include "fom-editor/model/lists.h"
#include "fom-editor/model/module_edits.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/ui/cell_editors.h"
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

constexpr int kLong = 30000;

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

void write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(file.errorString()));
  QCOMPARE(file.write(bytes), bytes.size());
}

ModelEdit semantics(const OpenModules& modules, int module, const QString& className,
                    const char* value) {
  const ModuleSource& source = *modules.source(module);
  const ElementId id = findClass(source, true, className.toStdString());
  return {"describe " + className.section('.', -1),
          {{module, setCell(source, id, "semantics", value)}},
          "object:" + className};
}

struct Window {
  explicit Window(const QSize& size = QSize(1368, 804)) {
    page = new ObjectModelWorkspace(&frame);
    page->editing().watch().setInterval(50);
    page->editing().autosave().setDelay(50);
    frame.setCentralWidget(page);
    frame.resize(size);
    frame.show();
    shown = QTest::qWaitForWindowActive(&frame);
  }

  bool load(const QStringList& paths) {
    QSignalSpy spy(page, &ObjectModelWorkspace::modelShown);
    page->setModules(paths);
    return spy.wait(kLong);
  }
  OpenModules& modules() { return page->editing().modules(); }
  /// True when there was something to save, and it was tried.
  bool save() {
    return page->saveEdits() &&
           QTest::qWaitFor([this] { return !page->editing().isSaving(); }, kLong);
  }
  /// True when the page shows the edit.
  bool apply(const ModelEdit& edit) {
    QSignalSpy spy(page, &ObjectModelWorkspace::modelShown);
    const auto applied = modules().apply(edit);
    if (!applied) qWarning("%s", qPrintable(applied.error()));
    return applied && (!spy.isEmpty() || spy.wait(kLong));
  }

  template <typename T>
  T* find(const char* name) const {
    T* widget = page->findChild<T*>(QString::fromLatin1(name));
    if (widget == nullptr) qFatal("no widget %s", name);
    return widget;
  }
  QVariant module(int row, int role) const {
    return find<QListView>("moduleList")->model()->index(row, 0).data(role);
  }
  /// Names of the outline with a dot.
  QStringList edited() const {
    const QAbstractItemModel& model = *find<QTreeView>("outlineTree")->model();
    QStringList names;
    for (const QModelIndex& each : model.match(model.index(0, 0), OutlineModel::EditedRole, true,
                                               -1, Qt::MatchExactly | Qt::MatchRecursive)) {
      names << each.data().toString();
    }
    return names;
  }
  QString detail(int row) const { return module(row, ModuleListModel::DetailRole).toString(); }
  bool press(const theme::RunTrouble& notice, const QString& button) const {
    for (const auto& action : notice.actions) {
      if (action.text != button) continue;
      action.run();
      return true;
    }
    return false;
  }

  QMainWindow frame;
  ObjectModelWorkspace* page = nullptr;
  bool shown = false;
};

/// Presses a button of the box that opens next, and keeps what it says.
class Answer : public QObject {
 public:
  explicit Answer(const char* button) : button_(QString::fromLatin1(button)) {
    connect(&timer_, &QTimer::timeout, this, [this] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (box == nullptr) return;
      text = box->text();
      if (meanwhile) std::exchange(meanwhile, nullptr)();
      for (QAbstractButton* each : box->buttons()) {
        if (each->objectName() == button_) each->click();
      }
    });
    timer_.start(20);
  }
  QString text;
  std::function<void()> meanwhile;  ///< happens while the box is open

 private:
  QTimer timer_;
  QString button_;
};

/// Kept where TUTTI_SCREENSHOTS names a folder, for people to look at.
void screenshot(Window& window, const QString& name) {
  const QString folder = qEnvironmentVariable("TUTTI_SCREENSHOTS");
  if (folder.isEmpty()) return;
  QTest::qWait(150);  // hover and focus settle
  window.frame.grab().save(folder + '/' + name + ".png");
}

/// What a console does until it is killed: edits a module and keeps that.
int editAndWait(QCoreApplication& app, const QString& path) {
  OpenModules modules;
  ModuleAutosave autosave(modules);
  autosave.setDelay(20);
  modules.open(QStringList{path});
  for (const char* value : {"one", "two"}) {
    if (!modules.apply(semantics(modules, 0, "HLAobjectRoot.WeatherCell", value))) return 1;
  }
  autosave.writeNow();
  std::puts("kept");
  std::fflush(stdout);
  return app.exec();
}

}  // namespace

class TestModelEditing : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    const QByteArray appearance = qgetenv("TUTTI_APPEARANCE");
    theme_.apply(appearance == "dark" ? theme::Appearance::Dark : theme::Appearance::Light);
    folder_ = std::make_unique<QTemporaryDir>();
    qputenv("XDG_DATA_HOME", folder_->filePath("data").toUtf8());
    for (const char* name : {"AirTraffic-Base.xml", "AirTraffic-Radar.xml", "Weather.xml"}) {
      QVERIFY(QFile::copy(testmodels::data(name), folder_->filePath(name)));
      QVERIFY(QFile::setPermissions(folder_->filePath(name), QFile::ReadOwner | QFile::WriteOwner));
      paths_ << folder_->filePath(name);
    }
  }
  void cleanup() {
    paths_.clear();
    folder_.reset();
  }

  void editsAreMarkedAndSaved() {
    Window window;
    QVERIFY(window.load(paths_));
    QVERIFY(!window.page->hasUnsavedEdits());
    QVERIFY(!window.page->saveEdits());
    QVERIFY(!window.find<QWidget>("savingBar")->isVisible());
    const QByteArray before = contentOf(paths_[2]);
    QVERIFY(window.apply(semantics(window.modules(), 2, "HLAobjectRoot.WeatherCell", "Rain")));
    QCOMPARE(window.page->currentItem(), QString("object:HLAobjectRoot.WeatherCell"));
    QVERIFY(window.page->hasUnsavedEdits());
    QCOMPARE(window.detail(3), QString("1 edit"));
    QCOMPARE(window.module(3, ModuleListModel::EditsRole).toInt(), 1);
    QCOMPARE(window.find<QPushButton>("saveButton")->text(), QString("Save Weather.xml"));
    QVERIFY(window.find<QWidget>("savingBar")->isVisible());
    QVERIFY(window.page->statusNotes().contains("1 unsaved edit in 1 module"));
    QCOMPARE(window.find<QLabel>("moduleUndoLabel")->text(), QString("Undo: describe WeatherCell"));
    QVERIFY(window.apply(semantics(window.modules(), 2, "HLAobjectRoot.WeatherCell", "Snow")));
    QVERIFY(window.apply(semantics(window.modules(), 0, "HLAobjectRoot.Track.Flight", "A flight")));
    QCOMPARE(window.detail(3), QString("2 edits"));
    QTRY_COMPARE_WITH_TIMEOUT(window.edited(), (QStringList{"Flight", "WeatherCell"}), kLong);
    QVERIFY(window.page->statusNotes().contains("3 unsaved edits in 2 modules"));
    QCOMPARE(contentOf(paths_[2]), before);
    window.page->showItem("WeatherCell");
    screenshot(window, "editing-table");

    // The source has the edits, with what was changed marked.
    window.find<theme::SegmentedControl>("itemViews")->setCurrentIndex(2);
    auto* source = window.find<SourceView>("itemSource");
    QVERIFY(source->toPlainText().contains("<semantics>Snow</semantics>"));
    QCOMPARE(source->changes().changed, 1);
    QVERIFY(source->findChild<QWidget*>("sourceChanges")->isVisible());
    source->stepChange(1);
    QVERIFY(source->textCursor().block().text().contains("Snow"));
    source->stepChange(-1);
    QVERIFY(source->textCursor().block().text().contains("Snow"));
    screenshot(window, "editing-source");

    QVERIFY(window.save());
    QVERIFY(contentOf(paths_[2]).contains("<semantics>Snow</semantics>"));
    QVERIFY(contentOf(paths_[0]).contains("A flight"));
    QVERIFY(!window.page->hasUnsavedEdits());
    QCOMPARE(window.detail(3), QString());
    QVERIFY(window.edited().isEmpty());
    QVERIFY(!window.find<QWidget>("savingBar")->isVisible());
    QCOMPARE(source->changes().changed, 0);

    // Undone, it is modified again; redone, it is not.
    QSignalSpy spy(window.page, &ObjectModelWorkspace::modelShown);
    window.page->findChild<QAction*>("moduleUndo")->trigger();
    QVERIFY(spy.wait(kLong));
    QCOMPARE(window.page->currentItem(), QString("object:HLAobjectRoot.Track.Flight"));
    QCOMPARE(window.detail(1), QString("1 edit"));
    window.page->findChild<QAction*>("moduleRedo")->trigger();
    QVERIFY(spy.wait(kLong));
    QVERIFY(!window.page->hasUnsavedEdits());
  }

  void whatIsLookedAtStaysThroughAnEdit() {
    Window window(QSize(1368, 620));
    QVERIFY(window.load(paths_));
    auto* tree = window.find<QTreeView>("outlineTree");
    tree->expandAll();
    QTest::qWait(20);
    auto* table = window.find<QTreeView>("itemTable");
    window.page->showItem("Flight");
    table->setCurrentIndex(table->model()->index(table->model()->rowCount() - 2, 1));
    const QString member = table->currentIndex().siblingAtColumn(0).data().toString();
    tree->scrollTo(tree->currentIndex(), QAbstractItemView::PositionAtTop);
    const int at = tree->verticalScrollBar()->value() - 30;
    QVERIFY(at > 0);
    tree->verticalScrollBar()->setValue(at);
    const QStringList before = testmodels::printed(*tree->model());
    ModelEdit edit = semantics(window.modules(), 2, "HLAobjectRoot.WeatherCell", "Rain");
    edit.item.clear();
    QVERIFY(window.apply(edit));
    QCOMPARE(window.page->currentItem(), QString("object:HLAobjectRoot.Track.Flight"));
    QCOMPARE(table->currentIndex().siblingAtColumn(0).data().toString(), member);
    QCOMPARE(table->currentIndex().column(), 1);
    QCOMPARE(testmodels::printed(*tree->model()), before);
    QVERIFY(tree->isExpanded(tree->model()->index(0, 0)));
    QCOMPARE(tree->verticalScrollBar()->value(), at);
    // What an edit is about is shown, wherever the tree was.
    tree->verticalScrollBar()->setValue(0);
    QVERIFY(window.apply(semantics(window.modules(), 2, "HLAobjectRoot.WeatherCell", "Snow")));
    QCOMPARE(window.page->currentItem(), QString("object:HLAobjectRoot.WeatherCell"));
    QVERIFY(tree->viewport()->rect().contains(tree->visualRect(tree->currentIndex()).center()));
  }

  void aCellThatIsEditedIsNotTakenAway() {
    Window window;
    QVERIFY(window.load(paths_));
    window.page->showItem("Flight");
    auto* table = window.find<QTreeView>("itemTable");
    table->setFocus();
    table->setCurrentIndex(table->model()->index(table->model()->rowCount() - 3, 1));
    QTest::keyClick(table, Qt::Key_F2);
    QPointer<CellField> editor = qobject_cast<CellField*>(QApplication::focusWidget());
    QVERIFY(editor);
    QTest::keyClicks(editor, "typed");
    QSignalSpy spy(window.page, &ObjectModelWorkspace::modelShown);
    ModelEdit edit = semantics(window.modules(), 2, "HLAobjectRoot.WeatherCell", "Rain");
    QVERIFY(window.modules().apply(edit));
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->isLoading(), kLong);
    QCOMPARE(spy.size(), 0);
    QVERIFY(editor && editor->hasFocus());
    QCOMPARE(editor->text(), QString("typed"));
    QTest::keyClick(editor, Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(spy.size(), 1, kLong);
    QCOMPARE(window.page->currentItem(), QString("object:HLAobjectRoot.WeatherCell"));
  }

  void whatIsWrittenInACellIsSavedAndAskedAbout() {
    Window window;
    QVERIFY(window.load(paths_));
    window.page->showItem("WeatherCell");
    const auto writeProse = [&](const char* text) {
      auto* semantics = window.find<ElidedText>("itemSemantics");
      semantics->setFocus();
      QTest::keyClick(semantics, Qt::Key_F2);
      auto* field = qobject_cast<ProseField*>(QApplication::focusWidget());
      if (field == nullptr) qFatal("no editor");
      field->selectAll();
      QTest::keyClicks(field, text);
      return QPointer<ProseField>(field);
    };
    writeProse("Rain");
    QVERIFY(window.save());
    QVERIFY(contentOf(paths_[2]).contains("<semantics>Rain</semantics>"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->isLoading(), kLong);
    writeProse("Snow");
    {
      Answer stay("modulesStay");
      QVERIFY(!window.page->mayDiscardEdits());
      QCOMPARE(stay.text, QString("Weather.xml has unsaved edits."));
    }
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->isLoading(), kLong);
    QVERIFY(window.save());
    QVERIFY(contentOf(paths_[2]).contains("<semantics>Snow</semantics>"));

    // What is refused is neither saved nor lost.
    auto* table = window.find<QTreeView>("itemTable");
    table->setFocus();
    table->setCurrentIndex(table->model()->index(table->model()->rowCount() - 2, 0));
    QTest::keyClick(table, Qt::Key_F2);
    QPointer<CellField> name = qobject_cast<CellField*>(QApplication::focusWidget());
    QVERIFY(name);
    name->setText("no name");
    QVERIFY(!window.page->mayDiscardEdits());
    QVERIFY(window.save());
    QVERIFY(name && name->isRefused());
    QCOMPARE(name->text(), QString("no name"));
    QTest::keyClick(name, Qt::Key_Escape);
    QVERIFY(window.page->mayDiscardEdits());
  }

  void aCellStaysOpenWhileAnotherWindowIsActive() {
    Window window;
    QVERIFY(window.load(paths_));
    window.page->showItem("WeatherCell");
    auto* semantics = window.find<ElidedText>("itemSemantics");
    semantics->setFocus();
    QTest::keyClick(semantics, Qt::Key_F2);
    QPointer<ProseField> field = qobject_cast<ProseField*>(QApplication::focusWidget());
    QVERIFY(field);
    field->selectAll();
    QTest::keyClicks(field, "typed");
    QWidget other;
    other.show();
    other.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&other));
    // Another program's change of a module is read meanwhile.
    QSignalSpy shown(window.page, &ObjectModelWorkspace::modelShown);
    QSignalSpy changed(&window.modules(), &OpenModules::changed);
    QByteArray theirs = contentOf(paths_[0]);
    theirs.replace("</objectModel>", "<!-- theirs --></objectModel>");
    write(paths_[0], theirs);
    QVERIFY(changed.wait(kLong));
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->isLoading(), kLong);
    QCOMPARE(shown.size(), 0);
    QVERIFY(field && field->isVisible());
    other.close();
    window.frame.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window.frame));
    QVERIFY(field && field->isVisible());
    field->setFocus();
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty(), kLong);
    QVERIFY(window.modules().bytes(2)->find("<semantics>typed</semantics>") != std::string::npos);
  }

  void anotherProgramsChangeIsAsked() {
    Window window;
    QVERIFY(window.load(paths_));
    // Without edits the page follows.
    QByteArray theirs = contentOf(paths_[2]);
    theirs.replace("WeatherCell", "Cloud");
    write(paths_[2], theirs);
    QTRY_VERIFY_WITH_TIMEOUT(
        !findItem(*window.page->loadedModel().model, "object:HLAobjectRoot.Cloud").isNull(), kLong);
    QVERIFY(window.page->notices().isEmpty());

    QVERIFY(window.apply(semantics(window.modules(), 2, "HLAobjectRoot.Cloud", "mine")));
    QByteArray again = theirs;
    again.replace("A column of weather", "theirs");
    write(paths_[2], again);
    QTRY_COMPARE_WITH_TIMEOUT(window.page->notices().size(), 1, kLong);
    theme::RunTrouble notice = window.page->notices().front();
    QCOMPARE(notice.title, QString("Another program changed Weather.xml"));
    QVERIFY(window.detail(3).contains("changed on disk"));
    screenshot(window, "changed-on-disk");
    QSignalSpy failed(window.page, &ObjectModelWorkspace::failed);
    QVERIFY(window.save());
    QCOMPARE(failed.size(), 1);
    QCOMPARE(contentOf(paths_[2]), again);

    QSignalSpy compared(window.page, &ObjectModelWorkspace::comparisonShown);
    QVERIFY(window.press(notice, "Compare"));
    QVERIFY(compared.wait(kLong));
    screenshot(window, "compared-with-disk");
    window.page->closeComparison();

    QVERIFY(window.press(notice, "Keep my edits"));
    QVERIFY(window.page->notices().isEmpty());
    QVERIFY(window.save());
    QVERIFY(contentOf(paths_[2]).contains("mine"));

    QVERIFY(window.apply(semantics(window.modules(), 2, "HLAobjectRoot.Cloud", "mine again")));
    write(paths_[2], again);
    QTRY_COMPARE_WITH_TIMEOUT(window.page->notices().size(), 1, kLong);
    QVERIFY(window.press(window.page->notices().front(), "Reload"));
    QVERIFY(window.page->notices().isEmpty());
    QVERIFY(!window.page->hasUnsavedEdits());
    QCOMPARE(QByteArray::fromStdString(*window.modules().bytes(2)), again);
  }

  void unsavedEditsAreAskedAboutBeforeTheyGo() {
    Window window;
    QVERIFY(window.load(paths_));
    QVERIFY(window.page->mayDiscardEdits());
    QVERIFY(window.apply(semantics(window.modules(), 2, "HLAobjectRoot.WeatherCell", "Rain")));
    QVERIFY(window.apply(semantics(window.modules(), 0, "HLAobjectRoot.Track", "A track")));
    const QByteArray before = contentOf(paths_[2]);
    {
      Answer stay("modulesStay");
      QVERIFY(!window.page->mayDiscardEdits());
      QCOMPARE(stay.text, QString("AirTraffic-Base.xml and Weather.xml have unsaved edits."));
      QVERIFY(window.page->hasUnsavedEdits());
    }
    {
      // Only what would be closed.
      Answer save("modulesSave");
      QVERIFY(window.page->editing().mayClose({paths_[0]}));
      QCOMPARE(save.text, QString("Weather.xml has unsaved edits."));
      QVERIFY(contentOf(paths_[2]).contains("Rain"));
      QCOMPARE(window.modules().modified(), QList<int>{0});
    }
    {
      Answer discard("modulesDiscard");
      QVERIFY(window.page->mayDiscardEdits());
      QVERIFY(!window.page->hasUnsavedEdits());
      QVERIFY(!contentOf(paths_[0]).contains("A track"));
    }
    // What cannot be saved keeps the window open.
    QVERIFY(window.apply(semantics(window.modules(), 2, "HLAobjectRoot.WeatherCell", "Snow")));
    write(paths_[2], before);
    QSignalSpy failed(window.page, &ObjectModelWorkspace::failed);
    {
      Answer save("modulesSave");
      QVERIFY(!window.page->mayDiscardEdits());
    }
    QCOMPARE(failed.size(), 1);
    QCOMPARE(contentOf(paths_[2]), before);
  }

  void whatIsAskedAboutStaysTheSameModule() {
    Window window;
    QVERIFY(window.load(paths_));
    const QByteArray base = contentOf(paths_[0]);
    const auto swap = [&](int a, int b) {
      // As a load that is delivered while the question is open.
      window.modules().open(QStringList{paths_[a], paths_[b]});
    };
    QVERIFY(window.apply(semantics(window.modules(), 2, "HLAobjectRoot.WeatherCell", "Rain")));
    {
      Answer save("modulesSave");
      save.meanwhile = [&] { swap(2, 0); };
      QVERIFY(window.page->mayDiscardEdits());
      QVERIFY(contentOf(paths_[2]).contains("Rain"));
    }
    const int weather = window.modules().indexOf(paths_[2]);
    QVERIFY(window.modules().apply(
        semantics(window.modules(), weather, "HLAobjectRoot.WeatherCell", "Snow")));
    {
      Answer discard("modulesDiscard");
      discard.meanwhile = [&] { swap(0, 2); };
      QVERIFY(window.page->mayDiscardEdits());
      QVERIFY(window.modules().modified().isEmpty());
      QVERIFY(contentOf(paths_[2]).contains("Rain"));
    }
    QCOMPARE(contentOf(paths_[0]), base);
  }

  void unsavedEditsStayWhenTheCompositionChanges() {
    Window window;
    QVERIFY(window.load(paths_));
    QVERIFY(window.apply(semantics(window.modules(), 2, "HLAobjectRoot.WeatherCell", "Rain")));
    QVERIFY(window.load({paths_[0]}));
    QCOMPARE(window.modules().paths(), (QStringList{paths_[0], paths_[2]}));
    QCOMPARE(window.detail(2), QString("1 edit"));
    QVERIFY(window.save());
    QVERIFY(window.load({paths_[0], paths_[1]}));
    QCOMPARE(window.modules().paths(), (QStringList{paths_[0], paths_[1]}));
  }

  void aLockSaysWhy() {
    QVERIFY(::chmod(qPrintable(paths_[1]), 0444) == 0);
    Window window;
    QVERIFY(window.load(paths_));
    QVERIFY(window.module(0, ModuleListModel::LockRole).toBool());
    QVERIFY(!window.module(1, ModuleListModel::LockRole).toBool());
    QVERIFY(window.module(2, ModuleListModel::LockRole).toBool());
    QVERIFY(window.module(2, Qt::ToolTipRole).toString().contains("write-protected"));
    QVERIFY(window.module(0, Qt::ToolTipRole).toString().contains("Read only"));
    screenshot(window, "locked");
  }

  void aNewModuleIsShownWithTheOthers() {
    Window window;
    QVERIFY(window.load(paths_));
    QSignalSpy created(window.page, &ObjectModelWorkspace::moduleCreated);
    QSignalSpy shown(window.page, &ObjectModelWorkspace::modelShown);
    const QString path = folder_->filePath("Ships & more.xml");
    const auto made = window.page->editing().createModule(path);
    QVERIFY2(made, qPrintable(made ? QString() : made.error()));
    QTRY_COMPARE_WITH_TIMEOUT(created.size(), 1, kLong);
    QVERIFY(!shown.isEmpty() || shown.wait(kLong));
    QCOMPARE(window.modules().paths(), paths_ + QStringList{path});
    QCOMPARE(window.page->currentItem(), "module:" + path);
    QCOMPARE(window.page->loadedModel().count(Level::Loads), 0);
    QVERIFY(window.modules().source(3) != nullptr);
    // Classes can be added at once.
    const ModuleSource& source = *window.modules().source(3);
    QVERIFY(window.apply({"add Ship",
                          {{3, addElement(source, findClass(source, true, "HLAobjectRoot"),
                                          {"objectClass", {}, {{"name", "Ship", {}, {}}}, {}})}},
                          "object:HLAobjectRoot.Ship"}));
    QCOMPARE(window.page->currentItem(), QString("object:HLAobjectRoot.Ship"));
    // Beside modules that were opened by hand it is none of the composition's.
    window.page->openModules({paths_[0]});
    QVERIFY(shown.wait(kLong));
    QVERIFY(window.page->editing().createModule(folder_->filePath("Own.xml")));
    QVERIFY(shown.wait(kLong));
    QCOMPARE(window.modules().paths(),
             (QStringList{paths_[0], path, folder_->filePath("Own.xml")}));
    QCOMPARE(created.size(), 1);
    // Not in a folder that is not there.
    QSignalSpy failed(window.page, &theme::Workspace::failed);
    QVERIFY(window.page->editing().createModule(folder_->filePath("no/such.xml")));
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kLong);
    const QString refused = failed.front().at(1).toString();
    QVERIFY2(refused.contains("is gone"), qPrintable(refused));
  }

  void aNewModuleReplacesNothingUnasked() {
    Window window;
    QVERIFY(window.load(paths_));
    const QByteArray before = contentOf(paths_[2]);
    const auto refused = window.page->editing().createModule(paths_[2]);
    QVERIFY(!refused);
    QVERIFY2(refused.error().contains("Weather.xml is there already"), qPrintable(refused.error()));
    QCOMPARE(contentOf(paths_[2]), before);
    // A name without its suffix is that of the file, too.
    QTimer typing;
    const auto type = [] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      auto* name = dialog ? dialog->findChild<QLineEdit*>("fileNameEdit") : nullptr;
      if (name == nullptr) return;
      name->setText("Weather");
      QTest::keyClick(name, Qt::Key_Return);
    };
    connect(&typing, &QTimer::timeout, this, type);
    typing.start(20);
    {
      Answer keep("moduleKeep");
      window.page->findChild<QAction*>("newModule")->trigger();
      QCOMPARE(keep.text, QString("Weather.xml is there already."));
      QCOMPARE(contentOf(paths_[2]), before);
    }
    Answer replace("moduleReplace");
    window.page->findChild<QAction*>("newModule")->trigger();
    QVERIFY(contentOf(paths_[2]).contains("<name>Weather</name>"));
    QVERIFY(!contentOf(paths_[2]).contains("WeatherCell"));
  }

  void aKilledConsoleOffersItsEditsAgain() {
    const QByteArray before = contentOf(paths_[2]);
    QProcess console;
    console.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    console.start(QCoreApplication::applicationFilePath(), {"--edit-and-wait", paths_[2]});
    QVERIFY(console.waitForStarted(kLong));
    QByteArray said;
    QTRY_VERIFY_WITH_TIMEOUT((said += console.readAllStandardOutput()).contains("kept"), kLong);
    {
      // While it lives, they are its own.
      Window window;
      QVERIFY(window.load(paths_));
      QVERIFY(window.page->notices().isEmpty());
    }
    console.kill();
    QVERIFY(console.waitForFinished(kLong));

    Window window;
    QVERIFY(window.load(paths_));
    QCOMPARE(window.page->notices().size(), 1);
    const theme::RunTrouble notice = window.page->notices().front();
    QCOMPARE(notice.title, QString("Weather.xml has 2 edits that were not saved"));
    QVERIFY(window.press(notice, "Recover Weather.xml"));
    QVERIFY(window.page->notices().isEmpty());
    QVERIFY(window.modules().isModified(2));
    QVERIFY(window.modules().bytes(2)->find("<semantics>two</semantics>") != std::string::npos);
    QCOMPARE(contentOf(paths_[2]), before);
    // A console that is killed now offers them again; one that discards them does not.
    const QDir kept(ModuleRecovery::folder());
    QCOMPARE(kept.entryList({"*.module-edits"}, QDir::Files).size(), 1);
    window.modules().undo();
    QVERIFY(kept.entryList({"*.module-edits"}, QDir::Files).isEmpty());
  }

  /// A click on the fix of a finding is an edit like any other: undone as one, saved when asked to.
  void aFixOfAFindingIsAnEdit() {
    QTemporaryDir folder;
    const QString path = folder.filePath("m.xml");
    const QByteArray before =
        "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">\n  <objects/>\n  "
        "<dataTypes>"
        "<arrayDataTypes><arrayData><name>T</name><dataType>HLAoctet</dataType><cardinality>3"
        "</cardinality></arrayData></arrayDataTypes></dataTypes>\n</objectModel>\n";
    write(path, before);
    Window window;
    QVERIFY(window.load({path}));
    auto* list = window.find<QTreeView>("findingList");
    const auto rowOf = [&](const QString& fix) {
      for (int row = 0; row < list->model()->rowCount(); ++row) {
        const QModelIndex index = list->model()->index(row, FindingModel::FixColumn);
        if (index.data().toString() == fix) return index;
      }
      return QModelIndex();
    };
    const QModelIndex fix = rowOf("Delete the empty <objects>");
    QVERIFY(fix.isValid());
    list->scrollTo(fix);
    screenshot(window, "fixes-light");
    theme_.apply(theme::Appearance::Dark);
    screenshot(window, "fixes-dark");
    theme_.apply(theme::Appearance::Light);
    QSignalSpy spy(window.page, &ObjectModelWorkspace::modelShown);
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(fix).center());
    QVERIFY(!spy.isEmpty() || spy.wait(kLong));
    QVERIFY(!rowOf("Delete the empty <objects>").isValid());
    QByteArray after = before;
    after.replace("  <objects/>\n", "");
    QCOMPARE(QByteArray::fromStdString(*window.modules().bytes(0)), after);
    QCOMPARE(contentOf(path), before);
    QCOMPARE(window.modules().undoLabel(), QString("delete the empty <objects>"));

    // Another one by the keyboard.
    const QModelIndex encoding = rowOf("Write HLAfixedArray");
    QVERIFY(encoding.isValid());
    auto* action = window.page->findChild<QAction*>("applyFix");
    list->setCurrentIndex(list->model()->index(encoding.row(), 0));
    QVERIFY(action->isEnabled());
    spy.clear();
    action->trigger();
    QVERIFY(!spy.isEmpty() || spy.wait(kLong));
    QVERIFY(
        QByteArray::fromStdString(*window.modules().bytes(0)).contains("<encoding>HLAfixedArray"));
    spy.clear();
    window.modules().undo();
    window.modules().undo();
    QVERIFY(!spy.isEmpty() || spy.wait(kLong));
    QCOMPARE(QByteArray::fromStdString(*window.modules().bytes(0)), before);
  }

  void theModelIsExportedAsPages() {
    Window window;
    QVERIFY(window.load(testmodels::airTraffic()));
    QTemporaryDir folder;
    QVERIFY(window.page->exportPages(folder.filePath("pages")).has_value());
    QVERIFY(QFile::exists(folder.filePath("pages/object-HLAobjectRoot.Track.Flight.html")));
    write(folder.filePath("mine"), "mine");
    const auto refused = window.page->exportPages(folder.path());
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().contains(folder.path()), qPrintable(refused.error()));
  }

  void recoveredEditsAreNeverWithoutAFile() {
    const QString copy = folder_->filePath("copy");
    QString file;
    {
      OpenModules modules;
      ModuleAutosave autosave(modules);
      modules.open(paths_);
      QVERIFY(modules.apply(semantics(modules, 2, "HLAobjectRoot.WeatherCell", "Rain")));
      autosave.writeNow();
      const QDir kept(ModuleRecovery::folder());
      file = kept.filePath(kept.entryList({"*.module-edits"}, QDir::Files).value(0));
      QVERIFY(QFile::copy(file, copy));
    }
    QVERIFY(QFile::copy(copy, file));
    const QByteArray edits = contentOf(file);
    Window window;
    QVERIFY(window.load(paths_));
    QCOMPARE(window.page->notices().size(), 1);
    QSignalSpy failed(window.page, &ObjectModelWorkspace::failed);
    // The home folder is full: the edits cannot be kept anew.
    rlimit unlimited{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    rlimit small = unlimited;
    small.rlim_cur = 1000;
    const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    const bool pressed = window.press(window.page->notices().front(), "Recover Weather.xml");
    setrlimit(RLIMIT_FSIZE, &unlimited);
    std::signal(SIGXFSZ, oldHandler);
    QVERIFY(pressed);
    QVERIFY(window.modules().isModified(2));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(contentOf(file), edits);
  }

 private:
  theme::Theme theme_;
  std::unique_ptr<QTemporaryDir> folder_;
  QStringList paths_;
};

int main(int argc, char* argv[]) {
  if (argc == 3 && QByteArray(argv[1]) == "--edit-and-wait") {
    QCoreApplication app(argc, argv);
    return editAndWait(app, QString::fromLocal8Bit(argv[2]));
  }
  // Those of desktops cannot be typed into by a test.
  QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  QApplication app(argc, argv);
  TestModelEditing test;
  return QTest::qExec(&test, argc, argv);
}

#include "tst_model_editing.moc"
