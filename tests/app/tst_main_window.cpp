// SPDX-License-Identifier: GPL-3.0-or-later
// The window with stand-in pages and a stand-in run: what the frame itself promises.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QInputDialog>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <memory>

#include "app/document_files.h"
#include "app/finder.h"
#include "app/guide_window.h"
#include "app/main_window.h"
#include "app/pulse_bar.h"
#include "app/rail.h"
#include "app/status_line.h"
#include "composer/model/document.h"
#include "resources/theme/widgets.h"
#include "tests/app/fakes.h"

using namespace tutti;
using test::FakePage;
using test::FakeRun;
using Phase = theme::RunStatus::Phase;

namespace {

QString samples() { return QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations"); }
QString airTraffic() { return samples() + QStringLiteral("/air-traffic.federation.json"); }

/// A run that can be acted upon as a whole while it has a federation.
class WholeRun : public FakeRun {
 public:
  QString federation_;
  int kills_ = 0;

  QString federation() const override { return federation_; }
  bool canKillAll() const override { return !federation_.isEmpty(); }
  bool canRestartAll() const override { return !federation_.isEmpty(); }
  bool canResign() const override { return !federation_.isEmpty(); }
  bool canSave() const override { return !federation_.isEmpty(); }
  void killAll() override { ++kills_; }
};

/// Everything a window needs, alive as long as it.
struct Desk {
  QTemporaryDir folder;
  std::unique_ptr<QSettings> settings = std::make_unique<QSettings>(
      folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
  theme::Theme theme;
  composer::Document document{
      composer::Catalog::read({QStringLiteral(TUTTI_SOURCE_DIR "/resources/components")})};
  WholeRun run;
  QList<FakePage*> pages;
  std::unique_ptr<app::MainWindow> window;

  /// TUTTI_APPEARANCE=dark for pictures in dark.
  Desk() {
    theme.apply(qEnvironmentVariable("TUTTI_APPEARANCE") == QStringLiteral("dark")
                    ? theme::Appearance::Dark
                    : theme::Appearance::Light);
  }
  ~Desk() { window.reset(); }

  app::MainWindow& open(QSize size = {1440, 900}) {
    window.reset();
    pages.clear();
    const char* const ids[][3]{{"compose", "Compose", "compose"},
                               {"object-model", "Object model", "object-model"},
                               {"deploy", "Deploy", "deploy"},
                               {"run", "Run", "activity"},
                               {"benchmarks", "Benchmarks", "benchmarks"}};
    QList<theme::Workspace*> list;
    for (const auto& [id, title, icon] : ids) {
      pages << new FakePage(QString::fromLatin1(id), QString::fromLatin1(title),
                            QString::fromLatin1(icon));
      list << pages.last();
    }
    window = std::make_unique<app::MainWindow>(
        app::MainWindow::Parts{&theme, &document, &run, settings.get(), list, samples(),
                               QStringLiteral(TUTTI_SOURCE_DIR "/docs/guide")});
    window->setWindowState(Qt::WindowNoState);
    window->resize(size);
    window->show();
    if (!QTest::qWaitForWindowActive(window.get())) qWarning("the window did not get active");
    return *window;
  }

  void key(int key, Qt::KeyboardModifiers modifiers = {}) {
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus ? focus : window.get(), static_cast<Qt::Key>(key), modifiers);
  }
  template <typename Widget>
  Widget* find(const char* name) const {
    return window->findChild<Widget*>(QString::fromLatin1(name));
  }
  void shot(const char* name) const { shot(*window, name); }
  static void shot(QWidget& shown, const char* name) {
    const QString path =
        qEnvironmentVariable("TUTTI_SHOTS", QStringLiteral(TUTTI_BINARY_DIR "/screenshots"));
    QDir().mkpath(path);
    shown.grab().save(QStringLiteral("%1/frame-%2.png").arg(path, QLatin1String(name)));
  }
};

}  // namespace

class MainWindowTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    // Other tests open the same sample.
    QVERIFY(home_.isValid());
    for (const char* name : {"XDG_DATA_HOME", "XDG_STATE_HOME"})
      qputenv(name, home_.filePath(QString::fromLatin1(name)).toUtf8());
  }

  void startPageOffersTheSampleAndRunsItWithOneClick() {
    Desk desk;
    app::MainWindow& window = desk.open();
    QVERIFY(window.isStartPageShown());
    desk.shot("start");
    auto* run = desk.find<QPushButton>("runSample");
    QVERIFY(run);
    QTest::mouseClick(run, Qt::LeftButton);
    QTRY_COMPARE(desk.run.runs_, 1);
    QVERIFY(!window.isStartPageShown());
    QCOMPARE(window.currentPage()->id(), QStringLiteral("run"));
    QCOMPARE(desk.document.path(), airTraffic());
  }

  void lessonsLeadToTheirPageAndTheGuide_data() {
    QTest::addColumn<QString>("lesson");
    QTest::addColumn<QString>("page");
    QTest::addColumn<int>("runs");
    QTest::addColumn<QString>("guide");
    const QString none;
    QTest::newRow("sample") << "run"
                            << "run" << 1 << none;
    QTest::newRow("kill") << "kill"
                          << "run" << 1 << "when-something-dies.md";
    QTest::newRow("own federate") << "own"
                                  << "compose" << 0 << "first-federate.md";
    QTest::newRow("hosts") << "hosts"
                           << "deploy" << 0 << "several-hosts.md";
    QTest::newRow("two RTIs") << "benchmarks"
                              << "benchmarks" << 0 << "benchmarks.md";
    QTest::newRow("own FOM") << "fom"
                             << "object-model" << 0 << "questions.md";
  }
  void lessonsLeadToTheirPageAndTheGuide() {
    QFETCH(QString, lesson);
    QFETCH(QString, page);
    QFETCH(int, runs);
    QFETCH(QString, guide);
    Desk desk;
    app::MainWindow& window = desk.open();
    auto* row = desk.find<QAbstractButton>(qPrintable("learn-" + lesson));
    QVERIFY(row);
    QTest::mouseClick(row, Qt::LeftButton);
    QTRY_COMPARE(desk.run.runs_, runs);
    QCOMPARE(window.currentPage()->id(), page);
    QCOMPARE(window.guide() ? window.guide()->page() : QString(), guide);
    if (window.guide()) QVERIFY(window.guide()->isVisible());
  }

  void theBannerTakesTheColoursOfEachTheme() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.showPage(QStringLiteral("run"));
    window.showError(QStringLiteral("It failed"), QStringLiteral("and this is why"));
    auto* title = desk.find<QLabel>("bannerTitle");
    auto* detail = desk.find<QLabel>("bannerDetail");
    QVERIFY(title && detail);
    for (const auto appearance :
         {theme::Appearance::Dark, theme::Appearance::Light, theme::Appearance::Dark}) {
      desk.theme.apply(appearance);
      QTest::qWait(50);
      const theme::Palette palette = theme::Palette::of(window.banner());
      QCOMPARE(title->palette().color(QPalette::WindowText),
               theme::colors(theme::State::Error, palette).fg);
      QCOMPARE(detail->palette().color(QPalette::WindowText), palette[theme::Token::TextSecondary]);
    }
  }

  void f1ShowsThePageOfTheGuideThatFits() {
    Desk desk;
    app::MainWindow& window = desk.open();
    desk.key(Qt::Key_F1);
    QVERIFY(window.guide());
    QCOMPARE(window.guide()->page(), QStringLiteral("first-run.md"));
    QVERIFY(window.showPage(QStringLiteral("benchmarks")));
    window.activateWindow();
    desk.key(Qt::Key_F1);
    QTRY_COMPARE(window.guide()->page(), QStringLiteral("benchmarks.md"));
    QVERIFY(!window.banner()->isVisible());
  }

  void aFileIsOpenedAndRemembered() {
    Desk desk;
    QVERIFY(desk.open().openFile(airTraffic()));
    QCOMPARE(desk.window->windowTitle(), QStringLiteral("air-traffic[*] – Tutti"));
    QCOMPARE(desk.find<app::PulseValue>("pulseFederates")->value(), QStringLiteral("6"));
    desk.window->close();
    app::MainWindow& again = desk.open();
    auto* recent = again.findChild<QAbstractButton*>(QStringLiteral("recent-0"));
    QVERIFY(recent);
    QCOMPARE(recent->accessibleName(), airTraffic());
  }

  void anUnreadableFileSaysWhatWhereAndWhy() {
    Desk desk;
    const QString path = desk.folder.filePath(QStringLiteral("broken.federation.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\n  \"federates\": [\n");
    file.close();
    app::MainWindow& window = desk.open();
    QVERIFY(!window.openFile(path));
    QVERIFY(window.banner()->isVisible());
    QCOMPARE(window.banner()->title(), QStringLiteral("broken.federation.json was not opened"));
    QVERIFY2(window.banner()->detail().contains(path), qPrintable(window.banner()->detail()));
    auto* copy = window.banner()->findChild<QPushButton*>(QString(), Qt::FindDirectChildrenOnly);
    QVERIFY(copy);
    desk.shot("error");
    QTest::mouseClick(window.banner()->findChild<QAbstractButton*>(QStringLiteral("bannerClose")),
                      Qt::LeftButton);
    QVERIFY(!window.banner()->isVisible());
  }

  void workspacesChangeByKeyAndRail() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.openFile(airTraffic());
    for (int i = 0; i < 5; ++i) {
      desk.key(Qt::Key_1 + i, Qt::ControlModifier);
      QCOMPARE(window.currentPage(), desk.pages[i]);
      QVERIFY(desk.pages[i]->active_);
    }
    QVERIFY(!desk.pages[0]->active_);
    QTest::mouseClick(desk.find<app::RailButton>("rail-deploy"), Qt::LeftButton);
    QCOMPARE(window.currentPage(), desk.pages[2]);
    desk.key(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(window.currentPage(), desk.pages[4]);
    desk.key(Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(window.currentPage(), desk.pages[2]);
    Q_EMIT desk.pages[2]->workspaceRequested(QStringLiteral("run"), QStringLiteral("radar-west"));
    QCOMPARE(window.currentPage(), desk.pages[3]);
    QCOMPARE(desk.pages[3]->item_, QStringLiteral("radar-west"));
  }

  void runIsDisabledWithTheReasonShown() {
    Desk desk;
    desk.run.why_ = QStringLiteral("Run needs 1 fix: radar-west › range");
    app::MainWindow& window = desk.open();
    window.openFile(airTraffic());
    auto* run = desk.find<QPushButton>("runButton");
    auto* reason = desk.find<QPushButton>("runReason");
    QVERIFY(!run->isEnabled());
    QVERIFY(reason->isVisible());
    QCOMPARE(reason->text(), desk.run.why_);
    desk.shot("not-ready");
    QTest::mouseClick(reason, Qt::LeftButton);
    QCOMPARE(desk.run.explanations_, 1);
    desk.key(Qt::Key_F5);
    QCOMPARE(desk.run.explanations_, 2);
    QCOMPARE(desk.run.runs_, 0);
    // Red is for what is wrong; what is still looked at is not known to be.
    const QColor wrong = reason->palette().color(QPalette::ButtonText);
    desk.run.why_ = QStringLiteral("Run waits for the pre-flight checks");
    desk.run.awaits_ = true;
    desk.run.say();
    QTRY_COMPARE(reason->text(), desk.run.why_);
    QVERIFY(reason->isVisible() && !run->isEnabled());
    QVERIFY(reason->palette().color(QPalette::ButtonText) != wrong);
    desk.run.awaits_ = false;
    desk.run.say();
    QTRY_COMPARE(reason->palette().color(QPalette::ButtonText), wrong);
    desk.run.why_.clear();
    desk.run.say();
    QTRY_VERIFY(run->isEnabled());
    QVERIFY(!reason->isVisible());
  }

  void runStopPauseByKey() {
    Desk desk;
    desk.open().openFile(airTraffic());
    desk.key(Qt::Key_F5);
    QCOMPARE(desk.run.phase_, Phase::Running);
    QVERIFY(desk.find<QPushButton>("stopButton")->isVisible());
    desk.key(Qt::Key_F6);
    QCOMPARE(desk.run.phase_, Phase::Paused);
    QCOMPARE(desk.window->pulseBar()->pill()->text(), QStringLiteral("Paused"));
    desk.key(Qt::Key_F6);
    QCOMPARE(desk.run.phase_, Phase::Running);
    desk.key(Qt::Key_F5, Qt::ShiftModifier);
    QCOMPARE(desk.run.stops_, 1);
    QVERIFY(desk.find<QPushButton>("runButton")->isVisible());
  }

  // While a run goes on another composition can be opened: what is asked names the run's.
  void questionsNameTheFederationOfTheRun() {
    Desk desk;
    desk.run.federation_ = QStringLiteral("harbour");
    desk.run.joined_ = 4;
    desk.run.expected_ = 5;
    desk.open().openFile(airTraffic());
    desk.run.setPhase(Phase::Running);
    const auto asked = [&](const char* action, const char* box) {
      desk.find<QAction>(action)->trigger();
      auto* shown = desk.find<QMessageBox>(box);
      if (shown) Desk::shot(*shown, action);
      return shown ? shown->text() : QString();
    };
    QTRY_VERIFY(desk.find<QAction>("killAll")->isEnabled());
    QCOMPARE(asked("restartAll", "restartAllBox"),
             QStringLiteral("Restart all 5 federates of harbour?"));
    desk.find<QMessageBox>("restartAllBox")->reject();
    QCOMPARE(asked("resignAll", "resignAllBox"),
             QStringLiteral("Have 4 federates of harbour resign?"));
    desk.find<QMessageBox>("resignAllBox")->reject();
    desk.find<QAction>("saveFederationAs")->trigger();
    auto* label = desk.find<QDialog>("saveLabelDialog");
    QVERIFY(label);
    QCOMPARE(label->windowTitle(), QStringLiteral("Save harbour as"));
    label->reject();
    QCOMPARE(asked("killAll", "killAllBox"), QStringLiteral("Kill all 5 federates of harbour?"));
    // What ends federates stands out, and the reasons are no narrow column.
    QCOMPARE(desk.find<QPushButton>("killAllAccept")->property("role").toString(),
             QStringLiteral("danger"));
    const auto* reasons = desk.find<QLabel>("qt_msgbox_informativelabel");
    QVERIFY(reasons);
    QTRY_VERIFY2(reasons->width() >= 360, qPrintable(QString::number(reasons->width())));
    desk.find<QPushButton>("killAllAccept")->click();
    QCOMPARE(desk.run.kills_, 1);
  }

  void thePaceOfARunByMouseAndKey() {
    Desk desk;
    desk.open().openFile(airTraffic());
    auto* button = desk.find<QPushButton>("paceButton");
    auto* menu = desk.find<QMenu>("paceMenu");
    QVERIFY(!button->isVisible());
    QVERIFY(!desk.find<QAction>("pace2")->isEnabled());
    desk.run.wanted_ = 1;
    desk.run.setPhase(Phase::Running);
    QTRY_VERIFY(button->isVisible());
    QCOMPARE(button->text(), QStringLiteral("Pace 1×"));

    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(menu->isVisible());
    QVERIFY(desk.find<QAction>("pace1")->isChecked());
    Desk::shot(*menu, "pace");
    QTest::mouseClick(menu, Qt::LeftButton, {},
                      menu->actionGeometry(desk.find<QAction>("pace2")).center());
    QCOMPARE(desk.run.wanted_, 2.0);
    QTRY_COMPARE(button->text(), QStringLiteral("Pace 2×"));
    QVERIFY(desk.find<QAction>("pace2")->isChecked());
    QVERIFY(!desk.find<QAction>("pace1")->isChecked());

    desk.key(Qt::Key_K, Qt::ControlModifier);
    QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(desk.window->findField()));
    QTest::keyClicks(desk.window->findField(), QStringLiteral("pace max"));
    desk.key(Qt::Key_Return);
    QCOMPARE(desk.run.wanted_, 0.0);
    QTRY_COMPARE(button->text(), QStringLiteral("Pace max"));

    // Any other, by its number.
    desk.find<QAction>("paceOther")->trigger();
    auto* dialog = desk.find<QInputDialog>("paceDialog");
    QVERIFY(dialog);
    dialog->findChild<QDoubleSpinBox*>()->setValue(0.25);
    Desk::shot(*dialog, "pace-other");
    QTest::keyClick(dialog, Qt::Key_Return);
    QCOMPARE(desk.run.wanted_, 0.25);
    QTRY_COMPARE(button->text(), QStringLiteral("Pace 0.25×"));
    QVERIFY(desk.find<QAction>("paceOther")->isChecked());
    // Somebody else sets one.
    desk.run.setPace(10);
    QTRY_COMPARE(button->text(), QStringLiteral("Pace 10×"));
    QVERIFY(desk.find<QAction>("pace10")->isChecked());

    // Where nobody takes part in logical time the components keep it.
    desk.run.pausable_ = false;
    desk.run.setPhase(Phase::Running);
    QVERIFY(!button->isVisible());
    QVERIFY(!desk.find<QAction>("pace2")->isEnabled());
    QVERIFY(desk.find<QAction>("paceWhy")->isVisible());
    QVERIFY(desk.find<QAction>("paceWhy")->text().contains("components keep"));
  }

  void pulseBarShowsTheRunAndKeepsItsPlace() {
    Desk desk;
    desk.open().openFile(airTraffic());
    desk.run.time_ = 128.4;
    desk.run.pace_ = 0.72;
    desk.run.elapsed_ = 761;
    desk.run.updates_ = 3480;
    desk.run.joined_ = 5;
    desk.run.expected_ = 7;
    desk.run.name_ = QStringLiteral("run 42, this machine");
    desk.run.setPhase(Phase::Running);
    auto* time = desk.find<app::PulseValue>("pulseTime");
    auto* federates = desk.find<app::PulseValue>("pulseFederates");
    QCOMPARE(time->value(), QStringLiteral(u"128.40\u202Fs"));
    QCOMPARE(federates->value(), QStringLiteral("5 of 7"));
    QCOMPARE(desk.find<app::PulseValue>("pulseElapsed")->value(), QStringLiteral("00:12:41"));
    QCOMPARE(desk.find<app::PulseValue>("pulseUpdates")->value(), QStringLiteral(u"3.48\u202Fk/s"));
    QCoreApplication::processEvents();
    const int before = federates->x();
    desk.run.time_ = 9999.99;
    desk.run.updates_ = 118000;
    desk.run.say();
    QTRY_COMPARE(time->value(), QStringLiteral(u"9999.99\u202Fs"));
    QCOMPARE(federates->x(), before);
    desk.shot("running");
  }

  void pulseBarShowsThePlaceInTheQueue() {
    Desk desk;
    desk.open().openFile(airTraffic());
    theme::RunStatus::QueuedJob job;
    job.cluster = QStringLiteral("hpc");
    job.job = 48213;
    job.nodes = 8;
    job.place = QStringLiteral("3rd");
    job.reason = QStringLiteral("Priority");
    job.since = QDateTime::currentDateTime().addSecs(-372);
    job.start = QDateTime::currentDateTime().addDays(2);
    desk.run.queued_ = job;
    desk.run.setPhase(Phase::Starting);
    auto* pill = desk.window->pulseBar()->pill();
    QCOMPARE(pill->text(), QStringLiteral("Queued, 3rd"));
    QVERIFY2(pill->toolTip().contains(QStringLiteral("Priority")), qPrintable(pill->toolTip()));
    QCOMPARE(desk.find<app::PulseValue>("pulseJob")->value(), QStringLiteral("48213"));
    QCOMPARE(desk.find<app::PulseValue>("pulseNodes")->value(), QStringLiteral("8 of hpc"));
    QCOMPARE(desk.find<app::PulseValue>("pulseStarts")->value(),
             job.start.toString(QStringLiteral("d MMM HH:mm")));
    auto* waiting = desk.find<app::PulseValue>("pulseWaiting");
    QVERIFY2(waiting->value() >= QStringLiteral("00:06:12") &&
                 waiting->value() < QStringLiteral("00:10:00"),
             qPrintable(waiting->value()));
    const QString before = waiting->value();
    // It grows without being told.
    QTRY_VERIFY(waiting->value() > before);
    QVERIFY(!desk.find<app::PulseValue>("pulseTime")->isVisible());
    desk.shot("queued");

    // Cancelling is asked about first.
    auto* stop = desk.find<QPushButton>("stopButton");
    QCOMPARE(stop->text(), QStringLiteral("Cancel job 48213…"));
    const auto answer = [&](const QString& text) {
      QTest::mouseClick(stop, Qt::LeftButton);
      auto* box = desk.window->findChild<QMessageBox*>(QStringLiteral("cancelJob"));
      QVERIFY(box != nullptr);
      QVERIFY2(box->informativeText().contains(QStringLiteral("loses its place")),
               qPrintable(box->informativeText()));
      for (auto* button : box->buttons())
        if (button->text() == text) button->click();
      QTRY_VERIFY(desk.window->findChild<QMessageBox*>(QStringLiteral("cancelJob")) == nullptr);
    };
    answer(QStringLiteral("Keep waiting"));
    QCOMPARE(desk.run.stops_, 0);
    answer(QStringLiteral("Cancel job 48213"));
    QCOMPARE(desk.run.stops_, 1);

    // The job has its nodes: Stop is what it was.
    desk.run.queued_.reset();
    desk.run.setPhase(Phase::Starting);
    QCOMPARE(pill->text(), QStringLiteral("Starting"));
    QVERIFY(stop->text().startsWith(QStringLiteral("Stop")));
    QVERIFY(!desk.find<app::PulseValue>("pulseJob")->isVisible());
  }

  void bannerShowsTheWorstAndLeadsToTheNext() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.openFile(airTraffic());
    bool shown = false;
    desk.run.troubles_ = {
        {theme::State::Late,
         QStringLiteral("late:radar-west"),
         QStringLiteral("Time stands at 128.40 s: radar-west has held it for 1.4 s"),
         QStringLiteral("It computes and has not asked to advance; lookahead 0.10 s."),
         QStringLiteral("time stands"),
         QStringLiteral("Time stands"),
         {{QStringLiteral("Show radar-west"), [&shown] { shown = true; }}}},
        {theme::State::Dead,
         QStringLiteral("dead:detector"),
         QStringLiteral("detector died 12 s ago, signal 9"),
         QStringLiteral("Nobody publishes."),
         QStringLiteral("detector died"),
         QStringLiteral("1 dead"),
         {}}};
    desk.run.setPhase(Phase::Running);
    QVERIFY(window.banner()->isVisible());
    QCOMPARE(desk.window->pulseBar()->pill()->text(), QStringLiteral("Time stands"));
    auto* more = desk.find<QPushButton>("bannerMore");
    QCOMPARE(more->text(), QStringLiteral("1 more: detector died"));
    desk.shot("banner");
    for (auto* button : window.banner()->findChildren<QPushButton*>())
      if (button->text() == QStringLiteral("Show radar-west"))
        QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(shown);
    QTest::mouseClick(more, Qt::LeftButton);
    QCOMPARE(window.banner()->title(), QStringLiteral("detector died 12 s ago, signal 9"));
    // What it says is copied whole, with what stands in the second line.
    window.banner()->findChild<QAction*>(QStringLiteral("bannerCopy"))->trigger();
    QVERIFY2(QApplication::clipboard()->text().contains(
                 QStringLiteral("detector died 12 s ago, signal 9")) &&
                 QApplication::clipboard()->text().contains(QStringLiteral("Nobody publishes.")),
             qPrintable(QApplication::clipboard()->text()));
    auto* close = desk.find<QAbstractButton>("bannerClose");
    QTest::mouseClick(close, Qt::LeftButton);
    QTest::mouseClick(close, Qt::LeftButton);
    QVERIFY(!window.banner()->isVisible());
    desk.run.say();
    QCoreApplication::processEvents();
    QVERIFY2(!window.banner()->isVisible(), "a dismissed trouble came back");
    // Gone and back again is news.
    const auto troubles = desk.run.troubles_;
    desk.run.troubles_.clear();
    desk.run.say();
    desk.run.troubles_ = troubles;
    desk.run.say();
    QVERIFY(window.banner()->isVisible());
  }

  // Every action of the menus, of all pages and every pane is found by its name, on any page.
  void everyActionIsFound() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.openFile(airTraffic());
    QStringList missing;
    const auto find = [&](const QString& title) {
      window.findField()->open();
      window.findField()->setText(title);
      const QAbstractItemModel* model = window.findField()->model();
      for (int row = 0; row < model->rowCount(); ++row)
        if (model->index(row, 0).data().toString() == title) return;
      missing << title;
    };
    const std::function<void(const QList<QAction*>&)> walk = [&](const QList<QAction*>& actions) {
      for (QAction* one : actions) {
        if (one->menu() && !one->menu()->title().contains(QStringLiteral("recent")) &&
            !one->menu()->title().contains(QStringLiteral("Panes")))
          walk(one->menu()->actions());
        else if (!one->menu() && !one->isSeparator() && one->isEnabled() && one->isVisible())
          find(one->text().remove(u'&'));
      }
    };
    walk(window.menuBar()->actions());
    for (const FakePage* page : desk.pages) {
      find(page->action_->text());
      for (const QDockWidget* pane : page->panes())
        find(QStringLiteral("Show ") + pane->windowTitle());
    }
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QStringLiteral(", "))));
    // What is of another page shows that page first.
    QCOMPARE(window.currentPage()->id(), QStringLiteral("compose"));
    window.findField()->open();
    window.findField()->setText(desk.pages[2]->action_->text());
    desk.key(Qt::Key_Return);
    QCOMPARE(desk.pages[2]->acted_, 1);
    QCOMPARE(window.currentPage(), desk.pages[2]);
  }

  void openingLeadsToCompose() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.openFile(airTraffic());
    QVERIFY(window.showPage(QStringLiteral("benchmarks")));
    window.openFile(airTraffic());
    QCOMPARE(window.currentPage()->id(), QStringLiteral("compose"));
  }

  void savingBeginsInTheHomeFolderWithTheFederationsName() {
    Desk desk;
    desk.open();
    desk.document.reset(QStringLiteral("harbour/north"));
    QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
    app::DocumentFiles files(desk.document, settings, {}, desk.window.get());
    QCOMPARE(files.suggestedPath(),
             QDir::home().filePath(QStringLiteral("harbour-north.federation.json")));
    QVERIFY(desk.document.load(airTraffic()));
    QCOMPARE(files.suggestedPath(), desk.document.path());
  }

  // A new composition has no fault: nothing in the frame is red.
  void aNewCompositionIsCalm() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.newComposition();
    desk.run.why_ = QStringLiteral("Run needs a federate");
    desk.run.say();
    auto* reason = desk.find<QPushButton>("runReason");
    QVERIFY(reason);
    QTRY_COMPARE(reason->text(), desk.run.why_);
    QVERIFY(reason->property("awaits").toBool());
    desk.shot("new");
    window.openFile(airTraffic());
    desk.run.why_ = QStringLiteral("Run needs 1 fix");
    desk.run.say();
    QTRY_COMPARE(reason->text(), desk.run.why_);
    QVERIFY(!reason->property("awaits").toBool());
  }

  // Whatever goes wrong, what is under the hand stays there.
  void nothingMovesWhenTheBannerComes() {
    Desk desk;
    app::MainWindow& window = desk.open();
    const auto places = [&] {
      QStringList all;
      for (QWidget* widget : {desk.find<QWidget>("pages"), desk.find<QWidget>("startPage"),
                              static_cast<QWidget*>(desk.pages[0]->list_)}) {
        if (!widget || !widget->isVisible()) continue;
        const QRect at(widget->mapTo(&window, QPoint()), widget->size());
        all << QStringLiteral("%1 %2,%3 %4x%5")
                   .arg(widget->objectName())
                   .arg(at.x())
                   .arg(at.y())
                   .arg(at.width())
                   .arg(at.height());
      }
      return all;
    };
    const QList<theme::RunTrouble> troubles{{theme::State::Dead,
                                             QStringLiteral("dead:detector"),
                                             QStringLiteral("detector died 12 s ago, signal 9"),
                                             QStringLiteral("Nobody publishes."),
                                             QStringLiteral("detector died"),
                                             QStringLiteral("1 dead"),
                                             {}}};
    for (const bool start : {true, false}) {
      if (!start) window.openFile(airTraffic());
      desk.run.troubles_.clear();
      desk.run.say();
      QCoreApplication::processEvents();
      QVERIFY(!window.banner()->isVisible());
      // Docks take their sizes after they were shown.
      QStringList before;
      QTRY_VERIFY_WITH_TIMEOUT(
          [&] {
            const QStringList now = places();
            const bool settled = !now.isEmpty() && now == before;
            before = now;
            QTest::qWait(50);
            return settled && places() == before;
          }(),
          5000);
      desk.shot(start ? "quiet-start" : "quiet");
      desk.run.troubles_ = troubles;
      desk.run.say();
      QTRY_VERIFY(window.banner()->isVisible());
      QCoreApplication::processEvents();
      QCOMPARE(places(), before);
    }
  }

  void findFieldFindsActionsAndThings() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.openFile(airTraffic());
    desk.pages[3]->list_->setFocus();
    desk.key(Qt::Key_K, Qt::ControlModifier);
    QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(window.findField()));
    QTest::keyClicks(window.findField(), QStringLiteral("thing-2 deploy"));
    desk.shot("find");
    QCOMPARE(window.findField()->model()->rowCount(), 1);
    desk.key(Qt::Key_Return);
    QCOMPARE(desk.pages[2]->found_, 2);
    QCOMPARE(window.currentPage(), desk.pages[2]);
    desk.key(Qt::Key_K, Qt::ControlModifier);
    QTest::keyClicks(window.findField(), QStringLiteral("dark"));
    desk.key(Qt::Key_Return);
    QCOMPARE(desk.theme.mode(), theme::Mode::Dark);
    desk.shot("dark");
    desk.key(Qt::Key_K, Qt::ControlModifier);
    QTest::keyClicks(window.findField(), QStringLiteral("rdr"));
    QCOMPARE(window.findField()->model()->rowCount(), 0);
    desk.key(Qt::Key_Escape);
    QVERIFY(!window.findField()->hasFocus());
    QVERIFY(window.findField()->text().isEmpty());
  }

  void findFieldGoesThroughTenThousandEntries() {
    app::FindModel model;
    QList<theme::FindEntry> entries;
    for (int i = 0; i < 10000; ++i)
      entries << theme::FindEntry{QStringLiteral("vehicle-%1").arg(i),
                                  QStringLiteral("n07"),
                                  QStringLiteral("Federate"),
                                  {},
                                  {},
                                  {}};
    model.setEntries(std::move(entries));
    model.filter(QStringLiteral("vehicle-77"));
    QCOMPARE(model.rowCount(), app::FindModel::kShown);
    QCOMPARE(model.matches(), 111);
    // Each key that is typed filters anew; how long that takes is printed.
    double longest = 0;
    const QString typed = QStringLiteral("vehicle-77");
    for (int length = 1; length <= typed.size(); ++length) {
      QElapsedTimer since;
      since.start();
      model.filter(typed.left(length));
      longest = std::max(longest, static_cast<double>(since.nsecsElapsed()) / 1e6);
    }
    qInfo("longest of %d keys among 10 000 entries: %.1f ms", int(typed.size()), longest);
    QCOMPARE(model.matches(), 111);
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("vehicle-77"));
  }

  void undoNamesTheObject() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.openFile(airTraffic());
    auto* undo = window.findChild<QAction*>(QStringLiteral("editUndo"));
    QVERIFY(!undo->isEnabled());
    desk.document.renameFederate(QStringLiteral("detector"), QStringLiteral("watch"));
    QVERIFY(undo->isEnabled());
    QVERIFY2(undo->text().startsWith(QStringLiteral("Undo ")) &&
                 undo->text().contains(QStringLiteral("detector")),
             qPrintable(undo->text()));
    QVERIFY(window.isWindowModified());
    QCOMPARE(desk.find<QLabel>("saveState")->text(), QStringLiteral("Unsaved: 1 edit"));
    desk.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(desk.document.federate(QStringLiteral("detector"))->name, QStringLiteral("detector"));
    QVERIFY(!window.isWindowModified());
    QCOMPARE(desk.find<QLabel>("saveState")->text(), QStringLiteral("Saved"));
  }

  void pagesBringTheirMenusAndTakeThemAlong() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.openFile(airTraffic());
    const auto texts = [&window] {
      QStringList list;
      for (QAction* menu : window.menuBar()->actions())
        if (menu->text() == QStringLiteral("&Composition"))
          for (QAction* choice : menu->menu()->actions()) list << choice->text();
      return list;
    };
    desk.key(Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(texts(), QStringList{QStringLiteral("Do the thing of Compose")});
    desk.key(Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(texts(), QStringList{QStringLiteral("Do the thing of Deploy")});
  }

  void keysReachThePage() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.openFile(airTraffic());
    desk.key(Qt::Key_F8);
    desk.key(Qt::Key_F8);
    desk.key(Qt::Key_F8, Qt::ShiftModifier);
    QCOMPARE(desk.pages[0]->problem_, 1);
    desk.key(Qt::Key_F, Qt::ControlModifier);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(desk.pages[0]->filter_));
    desk.key(Qt::Key_Tab, Qt::ControlModifier);
    QVERIFY(QApplication::focusWidget() != desk.pages[0]->filter_);
    QVERIFY(desk.pages[0]->bottom_->isAncestorOf(QApplication::focusWidget()));
  }

  void commandLineIsShownAndCopied() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.openFile(airTraffic());
    desk.key(Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(window.statusLine()->commandLine(), QStringLiteral("tutti check deploy"));
    QTest::mouseClick(desk.find<QAbstractButton>("copyCommandLine"), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("tutti check deploy"));
  }

  void layoutThemeAndPagePersist() {
    Desk desk;
    desk.open().openFile(airTraffic());
    desk.key(Qt::Key_3, Qt::ControlModifier);
    QTRY_COMPARE(desk.pages[2]->left_->width(), 248);
    desk.pages[2]->bottom_->close();
    desk.window->findChild<QAction*>(QStringLiteral("themeDark"))->trigger();
    desk.window->close();
    app::MainWindow& window = desk.open();
    QCOMPARE(desk.settings->value(QStringLiteral("appearance")).toInt(),
             static_cast<int>(theme::Appearance::Dark));
    // The page is that of the last time until something is opened.
    QCOMPARE(window.currentPage(), desk.pages[2]);
    window.openFile(airTraffic());
    QCOMPARE(window.currentPage(), desk.pages[0]);
    desk.key(Qt::Key_3, Qt::ControlModifier);
    QTRY_VERIFY(desk.pages[2]->bottom_->isHidden());
    desk.shot("persisted-dark");
    window.findChild<QAction*>(QStringLiteral("viewReset"))->trigger();
    QTRY_VERIFY(!desk.pages[2]->bottom_->isHidden());
    desk.theme.apply(theme::Appearance::Light);
  }

  void badgesShowOnTheRail() {
    Desk desk;
    desk.open().openFile(airTraffic());
    desk.pages[3]->setBadge(theme::State::Dead, 1);
    QCOMPARE(desk.find<app::RailButton>("rail-run")->accessibleDescription(),
             QStringLiteral("dead: 1"));
  }

  // 99 % of the gaps are measured; here only that the measuring works.
  void heartbeatNoticesAGap() {
    Desk desk;
    app::MainWindow& window = desk.open();
    window.heartbeat()->reset();
    QTRY_VERIFY(window.heartbeat()->ticks() > 5);
    QElapsedTimer busy;
    busy.start();
    while (busy.elapsed() < 120) {
    }
    QTRY_VERIFY(window.heartbeat()->largest() > 80);
    QTRY_VERIFY(desk.find<QLabel>("eventLoopGap")->text().startsWith(QStringLiteral("Window ")));
  }

  void narrowWindowClipsNothing() {
    Desk desk;
    app::MainWindow& window = desk.open({1000, 640});
    window.openFile(airTraffic());
    desk.run.time_ = 128.4;
    desk.run.setPhase(Phase::Running);
    QCoreApplication::processEvents();
    desk.shot("narrow");
    auto* stop = desk.find<QPushButton>("stopButton");
    QVERIFY(stop->mapTo(&window, QPoint(stop->width(), 0)).x() <= window.width());
    QVERIFY(stop->width() >= stop->sizeHint().width());
  }

 private:
  QTemporaryDir home_;
};

QTEST_MAIN(MainWindowTest)
#include "tst_main_window.moc"
