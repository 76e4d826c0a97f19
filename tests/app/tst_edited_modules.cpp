// SPDX-License-Identifier: GPL-3.0-or-later
// Modules edited in the whole window: what saves, undoes and asks beside the composition.
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <cstdio>
#include <memory>

#include "app/console.h"
#include "app/main_window.h"
#include "app/run_controller.h"
#include "app/status_line.h"
#include "composer/model/document.h"
#include "fom-editor/model/merge_session.h"
#include "fom-editor/model/module_edits.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "resources/theme/widgets.h"
#include "tests/app/test_home.h"

using namespace tutti;
using fomedit::OpenModules;

namespace {

constexpr int kLong = 30000;
/// With it and files this program is a window that edits a module until it is killed.
constexpr const char* editArgument = "--edit-window";

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

void write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(file.errorString()));
  QCOMPARE(file.write(bytes), bytes.size());
}

/// Gives a class of the module semantics.
bool edit(app::Console& console, const QString& path, const char* className, const char* value) {
  OpenModules& modules = console.objectModel().editing().modules();
  const int module = modules.indexOf(path);
  const fomedit::ModuleSource* source = modules.source(module);
  if (source == nullptr) return false;
  const fomedit::ElementId id = fomedit::findClass(*source, true, className);
  return modules
      .apply({"describe the class", {{module, setCell(*source, id, "semantics", value)}}, {}})
      .has_value();
}

/// The composition with its modules is shown.
bool open(app::Console& console, const QString& composition, int modules) {
  console.window().show();
  if (!QTest::qWaitForWindowActive(&console.window())) return false;
  if (!console.window().openFile(composition)) return false;
  return QTest::qWaitFor(
      [&] { return console.objectModel().editing().modules().count() == modules; }, kLong);
}

int editUntilKilled(const QStringList& arguments) {
  app::Console console({arguments[0], false});
  console.objectModel().editing().autosave().setDelay(20);
  if (!open(console, arguments[1], 2)) return 1;
  if (!edit(console, arguments[2], "HLAobjectRoot.WeatherCell", "kept")) return 2;
  console.objectModel().editing().autosave().writeNow();
  std::puts("kept");
  std::fflush(stdout);
  return QApplication::exec();
}

/// Presses a button of the question that comes next, and keeps its text.
class Answer : public QObject {
 public:
  explicit Answer(const char* button) {
    connect(&timer_, &QTimer::timeout, this, [this, name = QString::fromLatin1(button)] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (box == nullptr) return;
      text = box->text();
      for (QAbstractButton* each : box->buttons()) {
        if (each->objectName() == name) each->click();
      }
    });
    timer_.start(20);
  }
  QString text;

 private:
  QTimer timer_;
};

}  // namespace

class EditedModulesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    home_ = std::make_unique<test::TestHome>();
    QVERIFY(home_->prepare());
    base_ = home_->path(QStringLiteral("AirTraffic-Base.xml"));
    weather_ = home_->path(QStringLiteral("Weather.xml"));
    for (const QString& path : {base_, weather_}) {
      QVERIFY(QFile::copy(
          QStringLiteral(TUTTI_SOURCE_DIR "/tests/fom-editor/data/") + QFileInfo(path).fileName(),
          path));
      QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
    }
    file_ = home_->path(QStringLiteral("weather.federation.json"));
    composer::Document document{composer::Catalog::readDefault()};
    document.reset(QStringLiteral("weather"));
    document.addModule(base_);
    document.addModule(weather_);
    QVERIFY(document.saveAs(file_));
  }
  void cleanup() { home_.reset(); }

  void whileVersionsAreMergedUndoIsOfTheChoices() {
    app::Console console({home_->settings(), false});
    QVERIFY(open(console, file_, 2));
    app::MainWindow& window = console.window();
    fomedit::ObjectModelWorkspace& page = console.objectModel();
    QVERIFY(window.showPage(QStringLiteral("object-model")));
    QByteArray text = contentOf(weather_);
    const QString base = home_->path(QStringLiteral("Weather-base.xml"));
    const QString theirs = home_->path(QStringLiteral("Weather-theirs.xml"));
    write(base, QByteArray(text).replace("<name>WeatherCell</name>", "<name>Cell</name>"));
    write(theirs, text.replace("<name>WeatherCell</name>", "<name>RainCell</name>"));
    QVERIFY(edit(console, base_, "HLAobjectRoot.Track", "Seen"));
    auto* undo = window.findChild<QAction*>(QStringLiteral("editUndo"));
    QCOMPARE(undo->text(), QStringLiteral("Undo describe the class"));
    QSignalSpy shown(&page, &fomedit::ObjectModelWorkspace::mergeShown);
    page.mergeVersions(base, weather_, theirs);
    QTRY_COMPARE_WITH_TIMEOUT(shown.size(), 1, kLong);
    QVERIFY(page.merge()->open() > 0);
    QVERIFY(!undo->isEnabled());
    page.merge()->chooseAllOpen(fomedit::MergeChoice::Theirs);
    QCOMPARE(undo->text(), QStringLiteral("Undo take theirs for all left"));
    undo->trigger();
    QVERIFY(page.merge()->open() > 0);
    QCOMPARE(console.objectModel().editing().editCount(), 1);
    page.closeMerge();
    QCOMPARE(undo->text(), QStringLiteral("Undo describe the class"));
  }

  void theKeysAreThoseOfThePageThatIsShown() {
    app::Console console({home_->settings(), false});
    QVERIFY(open(console, file_, 2));
    app::MainWindow& window = console.window();
    OpenModules& modules = console.objectModel().editing().modules();
    QVERIFY(window.showPage(QStringLiteral("object-model")));
    QVERIFY(!window.isWindowModified());
    const QByteArray composition = contentOf(file_);
    const QByteArray before = contentOf(weather_);
    console.document().setFederationName(QStringLiteral("renamed"));
    QVERIFY(edit(console, weather_, "HLAobjectRoot.WeatherCell", "Rain"));
    QVERIFY(window.isWindowModified());
    auto* undo = window.findChild<QAction*>(QStringLiteral("editUndo"));
    QCOMPARE(undo->text(), QStringLiteral("Undo describe the class"));
    shot(window, "edited");

    // Ctrl+S saves the modules first, then the composition.
    QSignalSpy saved(&console.objectModel(), &fomedit::ObjectModelWorkspace::moduleSaved);
    press(window, Qt::Key_S, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, kLong);
    QVERIFY(contentOf(weather_).contains("Rain"));
    QCOMPARE(contentOf(file_), composition);
    QVERIFY(console.document().isModified());
    press(window, Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!console.document().isModified(), kLong);
    QVERIFY(contentOf(file_) != composition);
    QVERIFY(!window.isWindowModified());

    press(window, Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(modules.isModified(1), kLong);
    QCOMPARE(QByteArray::fromStdString(*modules.bytes(1)), before);
    QVERIFY(window.isWindowModified());
    QVERIFY(!console.document().isModified());
    press(window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!modules.isModified(1), kLong);

    // On another page they are the composition's.
    QVERIFY(window.showPage(QStringLiteral("compose")));
    press(window, Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(console.document().isModified(), kLong);
    QVERIFY(!modules.isModified(1));
  }

  void theBannerAsksAboutAnotherProgramsChange() {
    app::Console console({home_->settings(), false});
    console.objectModel().editing().watch().setInterval(50);
    QVERIFY(open(console, file_, 2));
    app::MainWindow& window = console.window();
    QVERIFY(window.showPage(QStringLiteral("object-model")));
    QVERIFY(edit(console, weather_, "HLAobjectRoot.WeatherCell", "mine"));
    QByteArray theirs = contentOf(weather_);
    theirs.replace("A column of weather", "theirs");
    write(weather_, theirs);
    theme::Banner* banner = window.banner();
    QTRY_VERIFY_WITH_TIMEOUT(banner->isVisible(), kLong);
    QCOMPARE(banner->title(), QStringLiteral("Another program changed Weather.xml"));
    shot(window, "changed");
    pressButton(*banner, QStringLiteral("Reload"));
    QTRY_VERIFY_WITH_TIMEOUT(!banner->isVisible(), kLong);
    QVERIFY(!window.isWindowModified());
    QCOMPARE(contentOf(weather_), theirs);
  }

  void nothingUnsavedGoesUnasked() {
    auto console = std::make_unique<app::Console>(app::Console::Options{home_->settings(), false});
    QVERIFY(open(*console, file_, 2));
    app::MainWindow& window = console->window();
    OpenModules& modules = console->objectModel().editing().modules();
    const QByteArray before = contentOf(weather_);
    QVERIFY(edit(*console, weather_, "HLAobjectRoot.WeatherCell", "mine"));
    {
      Answer stay("modulesStay");
      QVERIFY(!window.close());
      QCOMPARE(stay.text, QStringLiteral("Weather.xml has unsaved edits."));
      QVERIFY(window.isVisible());
      window.newComposition();
      QCOMPARE(console->document().path(), file_);
      QVERIFY(!window.offerFile(file_));
    }
    QVERIFY(modules.isModified(1));
    {
      Answer save("modulesSave");
      window.newComposition();
      QVERIFY(console->document().path().isEmpty());
      QVERIFY(contentOf(weather_).contains("mine"));
    }
    QTRY_COMPARE_WITH_TIMEOUT(modules.count(), 0, kLong);
    write(weather_, before);
    QVERIFY(window.openFile(file_));
    QTRY_COMPARE_WITH_TIMEOUT(modules.count(), 2, kLong);
    QVERIFY(edit(*console, weather_, "HLAobjectRoot.WeatherCell", "mine"));
    {
      Answer discard("modulesDiscard");
      QVERIFY(window.close());
    }
    console.reset();
    QCOMPARE(contentOf(weather_), before);
  }

  void editsAreGivenUpOnlyForWhatCanBeOpened() {
    app::Console console({home_->settings(), false});
    QVERIFY(open(console, file_, 2));
    app::MainWindow& window = console.window();
    OpenModules& modules = console.objectModel().editing().modules();
    QVERIFY(edit(console, weather_, "HLAobjectRoot.WeatherCell", "mine"));
    Answer discard("modulesDiscard");
    // The person looks for a file, and chooses none.
    bool asked = false;
    QTimer cancel;
    connect(&cancel, &QTimer::timeout, this, [&] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr) return;
      asked = true;
      dialog->reject();
    });
    cancel.start(20);
    window.askForFile();
    QVERIFY(asked);
    QVERIFY(modules.isModified(1));
    // What is no composition, or not there, says so and leaves all as it is.
    const QString broken = home_->path(QStringLiteral("broken.federation.json"));
    write(broken, "{");
    for (const QString& path : {broken, home_->path(QStringLiteral("none.federation.json"))}) {
      QVERIFY(!window.offerFile(path));
      QVERIFY(modules.isModified(1));
      QTRY_VERIFY_WITH_TIMEOUT(window.banner()->isVisible(), kLong);
      QCOMPARE(window.banner()->title(),
               QStringLiteral("%1 was not opened").arg(QFileInfo(path).fileName()));
    }
    QCOMPARE(discard.text, QString());
  }

  void aRunSaysThatItTakesTheSavedModules() {
    app::Console console({home_->settings(), false});
    QVERIFY(open(console, file_, 2));
    const QByteArray before = contentOf(weather_);
    QVERIFY(edit(console, weather_, "HLAobjectRoot.WeatherCell", "mine"));
    app::RunController& run = console.run();
    QTRY_VERIFY_WITH_TIMEOUT(!console.document().isChecking(), kLong);
    // Without federates it is refused, after it was asked for.
    QSignalSpy refused(&run, &app::RunController::problemsRequested);
    {
      Answer cancel("modulesDoNotRun");
      run.run();
      QCOMPARE(cancel.text, QStringLiteral("Weather.xml has unsaved edits."));
      QCOMPARE(run.phase(), theme::RunStatus::Phase::NotRunning);
      QCOMPARE(refused.size(), 0);
    }
    {
      Answer saved("modulesRunSaved");
      run.run();
      QTRY_COMPARE_WITH_TIMEOUT(refused.size(), 1, kLong);
      QCOMPARE(contentOf(weather_), before);
    }
    {
      Answer save("modulesSaveAndRun");
      run.run();
      QVERIFY(contentOf(weather_).contains("mine"));
      QTRY_COMPARE_WITH_TIMEOUT(refused.size(), 2, kLong);
    }
    // With all saved nothing is asked.
    Answer none("modulesDoNotRun");
    run.run();
    QTRY_COMPARE_WITH_TIMEOUT(refused.size(), 3, kLong);
    QCOMPARE(none.text, QString());
  }

  void aNewModuleBecomesTheCompositions() {
    app::Console console({home_->settings(), false});
    QVERIFY(open(console, file_, 2));
    const QString path = home_->path(QStringLiteral("Ships.xml"));
    QVERIFY(console.objectModel().editing().createModule(path));
    QTRY_VERIFY_WITH_TIMEOUT(
        console.document().composition().settings.fomModules.contains(QStringLiteral("Ships.xml")),
        kLong);
    QTRY_COMPARE_WITH_TIMEOUT(console.objectModel().editing().modules().count(), 3, kLong);
    // Also of a composition that has none yet.
    app::Console empty({home_->settings(), false});
    QVERIFY(empty.objectModel().editing().createModule(home_->path(QStringLiteral("First.xml"))));
    QTRY_COMPARE_WITH_TIMEOUT(empty.document().composition().settings.fomModules,
                              QStringList{home_->path(QStringLiteral("First.xml"))}, kLong);
    QTRY_COMPARE_WITH_TIMEOUT(empty.objectModel().editing().modules().count(), 1, kLong);
    // That is an edit of the composition.
    console.document().undoStack().undo();
    QTRY_COMPARE_WITH_TIMEOUT(console.objectModel().editing().modules().count(), 2, kLong);
  }

  void aKilledConsoleOffersItsEditsAgain() {
    const QByteArray before = contentOf(weather_);
    QProcess killed;
    killed.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    killed.start(QCoreApplication::applicationFilePath(),
                 {QString::fromLatin1(editArgument), home_->settings(), file_, weather_});
    QVERIFY(killed.waitForStarted(kLong));
    QByteArray said;
    QTRY_VERIFY_WITH_TIMEOUT((said += killed.readAllStandardOutput()).contains("kept"), 2 * kLong);
    killed.kill();
    QVERIFY(killed.waitForFinished(kLong));
    QCOMPARE(contentOf(weather_), before);

    app::Console console({home_->settings(), false});
    QVERIFY(open(console, file_, 2));
    app::MainWindow& window = console.window();
    theme::Banner* banner = window.banner();
    QTRY_VERIFY_WITH_TIMEOUT(banner->isVisible(), kLong);
    QCOMPARE(banner->title(), QStringLiteral("Weather.xml has an edit that was not saved"));
    QVERIFY(window.showPage(QStringLiteral("object-model")));
    shot(window, "recovered");
    pressButton(*banner, QStringLiteral("Recover Weather.xml"));
    QTRY_VERIFY_WITH_TIMEOUT(!banner->isVisible(), kLong);
    QVERIFY(window.isWindowModified());
    QVERIFY(console.objectModel().saveEdits());
    QTRY_VERIFY_WITH_TIMEOUT(!console.objectModel().hasUnsavedEdits(), kLong);
    QVERIFY(contentOf(weather_).contains("<semantics>kept</semantics>"));
    // Nothing is offered a second time.
    QVERIFY(fomedit::ModuleRecovery::list({weather_}).empty());
  }

 private:
  static void press(QWidget& window, Qt::Key key, Qt::KeyboardModifiers modifiers) {
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus != nullptr ? focus : &window, key, modifiers);
  }
  static void pressButton(theme::Banner& banner, const QString& text) {
    for (auto* button : banner.findChildren<QPushButton*>()) {
      if (button->text() == text) return button->click();
    }
    QFAIL(qPrintable(QStringLiteral("no button ") + text));
  }
  static void shot(QWidget& window, const char* name) {
    const QString folder = qEnvironmentVariable("TUTTI_SHOTS");
    if (folder.isEmpty()) return;
    QTest::qWait(200);  // hover and focus settle
    QDir().mkpath(folder);
    window.grab().save(QStringLiteral("%1/modules-%2.png").arg(folder, QLatin1String(name)));
  }

  std::unique_ptr<test::TestHome> home_;
  QString base_;
  QString weather_;
  QString file_;
};

int main(int argc, char* argv[]) {
  // Those of desktops cannot be cancelled by a test.
  QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  QApplication app(argc, argv);
  const QStringList arguments = QCoreApplication::arguments();
  if (arguments.value(1) == QLatin1String(editArgument)) return editUntilKilled(arguments.mid(2));
  EditedModulesTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "tst_edited_modules.moc"
