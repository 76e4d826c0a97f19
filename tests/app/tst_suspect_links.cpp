// SPDX-License-Identifier: GPL-3.0-or-later
// A suspect link with another host, in the window: who waits for it is named while it lasts.
// TUTTI_SHOTS=FOLDER keeps pictures, TUTTI_APPEARANCE=dark in dark.
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <memory>

#include "app/main_window.h"
#include "composer/model/document.h"
#include "monitor/ui/federate_panel.h"
#include "monitor/ui/log_panel.h"
#include "monitor/ui/run_workspace.h"
#include "monitor/ui/view_text.h"
#include "resources/theme/widgets.h"
#include "tests/app/fakes.h"
#include "tests/monitor/scene.h"

using namespace tutti;
using namespace tutti::monitor;
using namespace tutti::monitor::test;

namespace {

HostLinkReading linkTo(const QString& peer, const QString& address, const QStringList& federates,
                       const QStringList& waiting = {}) {
  HostLinkReading link;
  link.peer = peer;
  link.address = address;
  link.federates = federates;
  link.waiting = waiting;
  return link;
}

/// The window over a scene with links.
struct Desk {
  Desk(std::vector<Actor> actors, const QString& federation, std::vector<HostLinkReading> links)
      : clock(std::make_shared<SceneClock>(1)),
        scene(std::make_shared<Scene>(clock, federation, std::move(actors))),
        recorder(folder.filePath(QStringLiteral("runs.sqlite"))) {
    theme.apply(qEnvironmentVariable("TUTTI_APPEARANCE") == QStringLiteral("dark")
                    ? theme::Appearance::Dark
                    : theme::Appearance::Light);
    scene->hostLinks = std::move(links);
    page = new RunWorkspace(&feed, &recorder);
    recorder.attach(&feed);
    window = std::make_unique<app::MainWindow>(
        app::MainWindow::Parts{&theme, &document, &run, &settings, {page}, {}});
    run.phase_ = theme::RunStatus::Phase::Running;
    QObject::connect(page, &RunWorkspace::troublesChanged, &run, [this] {
      run.troubles_ = page->troubles();
      run.time_ = feed.current()->logicalTime;
      run.updates_ = feed.current()->updatesPerSecond;
      run.expected_ = static_cast<int>(feed.current()->federates.size());
      run.joined_ = run.expected_;
      run.say();
    });
    window->setWindowState(Qt::WindowNoState);
    window->resize(1440, 900);
    window->show();
    window->showPage(QStringLiteral("run"));
    recorder.beginRun({});
    feed.start([source = scene] { return source; }, clock);
  }
  ~Desk() {
    recorder.endRun(QStringLiteral("stopped"));
    recorder.attach(nullptr);
    feed.stop();
    window.reset();
  }
  void cut() { scene->suspectFrom = clock->seconds(); }
  void mend() { scene->suspectUntil = clock->seconds(); }
  theme::Banner& banner() { return *window->banner(); }
  QString facts() const {
    return page->findChild<QWidget*>(QStringLiteral("factsLinks"))->accessibleDescription();
  }
  QString log() const {
    const QAbstractItemModel* model = page->findChild<LogView*>()->model();
    QStringList lines;
    for (int row = 0; row < model->rowCount(); ++row) {
      lines << model->index(row, LogModel::Text).data().toString();
    }
    return lines.join(u'\n');
  }
  void shoot(const QString& name, double after = 0) {
    const QString into = qEnvironmentVariable("TUTTI_SHOTS");
    if (into.isEmpty()) return;
    QDir().mkpath(into);
    QTest::qWait(static_cast<int>(after * 1000));
    window->grab().save(into + u'/' + name + QStringLiteral(".png"));
  }

  QTemporaryDir folder;
  QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
  theme::Theme theme;
  composer::Document document{
      composer::Catalog::read({QStringLiteral(TUTTI_SOURCE_DIR "/resources/components")})};
  tutti::test::FakeRun run;
  std::shared_ptr<SceneClock> clock;
  std::shared_ptr<Scene> scene;
  Feed feed;
  Recorder recorder;
  RunWorkspace* page = nullptr;
  std::unique_ptr<app::MainWindow> window;
};

}  // namespace

class TestSuspectLinks : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    theme::setReducedMotion(true);
  }

  void theBannerNamesWhoWaitsAndGoesWithTheSuspicion() {
    const QString address = QStringLiteral("10.0.0.2:15165");
    Desk desk(airTraffic(), QStringLiteral("air-traffic"),
              {linkTo(QStringLiteral("borea"), address,
                      {QStringLiteral("radar-east"), QStringLiteral("radar-west")},
                      {QStringLiteral("display")}),
               linkTo(QStringLiteral("cirrus"), QStringLiteral("10.0.0.3:40112"),
                      {QStringLiteral("recorder")})});
    QTRY_VERIFY_WITH_TIMEOUT(desk.facts().contains("Node 'borea' at 10.0.0.2:15165: up"), 30'000);
    QVERIFY(!desk.banner().isVisible());
    desk.shoot(QStringLiteral("links-up"), 6);

    desk.cut();
    QTRY_VERIFY_WITH_TIMEOUT(desk.banner().isVisible(), 30'000);
    QCOMPARE(desk.banner().state(), theme::State::Warning);
    QVERIFY2(desk.banner().title().startsWith(
                 "Link to node 'borea' at 10.0.0.2:15165 is suspect: nothing acknowledged for "),
             qPrintable(desk.banner().title()));
    // Those that need its answer, and those that wait for the time of its federates.
    QTRY_VERIFY_WITH_TIMEOUT(
        desk.banner().detail().startsWith("Waiting for the link: display, flow-north, "), 30'000);
    QVERIFY(desk.banner().detail().endsWith(
        " s the federates behind it are resigned: radar-east, radar-west."));
    QCOMPARE(desk.banner().accessibleDescription().count("are resigned"), 1);
    QTRY_VERIFY_WITH_TIMEOUT(desk.facts().contains("Wait for an answer: display"), 30'000);
    QVERIFY(desk.facts().contains("Node 'borea' at 10.0.0.2:15165: suspect"));
    QVERIFY(desk.facts().contains("Node 'cirrus' at 10.0.0.3:40112: up"));
    QCOMPARE(desk.feed.current()->find("radar-west")->condition, FederateCondition::OutOfReach);
    QCOMPARE(desk.page->badge().state, theme::State::Warning);
    QCOMPARE(desk.page->badge().count, 1);
    // The link is the cause: nobody is said to hold time.
    QTRY_VERIFY_WITH_TIMEOUT(desk.clock->seconds() > desk.scene->suspectFrom + 2.5, 30'000);
    QCOMPARE(desk.page->troubles().size(), 1);
    desk.shoot(QStringLiteral("link-suspect"), 0.6);

    // By the button and by the keyboard to the list.
    desk.page->select(QStringLiteral("flow-north"));
    desk.shoot(QStringLiteral("link-suspect-selected"), 0.6);
    auto* list = desk.page->findChild<QWidget*>(QStringLiteral("factsLinks"));
    QVERIFY(!list->isVisible());
    QPushButton* show = nullptr;
    for (auto* button : desk.banner().findChildren<QPushButton*>()) {
      if (button->text() == QStringLiteral("Show link")) show = button;
    }
    QVERIFY(show);
    QTest::mouseClick(show, Qt::LeftButton);
    QVERIFY(list->isVisible());
    desk.page->select(QStringLiteral("flow-north"));
    desk.page->showNextProblem(1);
    QVERIFY(list->isVisible());
    QCOMPARE(desk.page->selected(), QString());

    desk.mend();
    QTRY_VERIFY_WITH_TIMEOUT(!desk.banner().isVisible(), 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(desk.log().contains("resumed after"), 30'000);
    QVERIFY(desk.log().contains("link suspect, nothing acknowledged for "));
    QVERIFY(desk.log().contains("nothing lost"));
    QTRY_VERIFY_WITH_TIMEOUT(desk.facts().contains("Suspect so far: 1 time, 1 new connection"),
                             30'000);
    QTRY_COMPARE_WITH_TIMEOUT(desk.feed.current()->find("radar-west")->condition,
                              FederateCondition::Running, 30'000);
    desk.shoot(QStringLiteral("link-resumed"), 0.6);
  }

  // What can be decided about a host that does not answer: more time at once, its end after a
  // question that lists what is lost. The page asks for what was seen; the command line says the
  // same.
  void aHostIsWaitedForOrGivenUp() {
    HostLinkReading link = linkTo(QStringLiteral("run-7.borea"), QStringLiteral("10.0.0.2:15165"),
                                  {QStringLiteral("radar-east"), QStringLiteral("radar-west")},
                                  {QStringLiteral("display")});
    link.longestWaitSeconds = 60;
    link.suspicions = 3;
    Desk desk(airTraffic(), QStringLiteral("air-traffic"), {link});
    desk.page->setDeclarations(airTrafficDeclarations());
    desk.page->setCommandLine(QStringLiteral("tutti run air-traffic"));
    QSignalSpy waits(desk.page, &RunWorkspace::waitRequested);
    QSignalSpy givesUp(desk.page, &RunWorkspace::giveUpRequested);
    const auto button = [&](const QString& text) -> QPushButton* {
      for (auto* each : desk.banner().findChildren<QPushButton*>())
        if (each->text() == text && each->isVisible()) return each;
      return nullptr;
    };
    const QString wait = QStringLiteral("Wait 60 s");
    const QString giveUp = QString::fromUtf8("Give up borea…");
    QTRY_COMPARE_WITH_TIMEOUT(desk.feed.current()->hostLinks.size(), std::size_t(1), 30'000);
    QVERIFY(!button(wait) && !button(giveUp));
    desk.page->waitForHost(link.address);
    desk.page->askToGiveUp(link.address);
    QVERIFY(waits.isEmpty());  // it answers
    QVERIFY(!desk.page->findChild<QMessageBox*>());

    desk.cut();
    QTRY_VERIFY_WITH_TIMEOUT(button(wait) && button(giveUp), 30'000);
    // The card has room for its buttons.
    auto* cards =
        desk.page->findChild<QWidget*>(QStringLiteral("runProblems"))->findChild<QScrollArea*>();
    QVERIFY(cards && cards->isVisible());
    QVERIFY2(cards->widget()->width() <= cards->viewport()->width(),
             qPrintable(QStringLiteral("%1 of %2")
                            .arg(cards->widget()->width())
                            .arg(cards->viewport()->width())));
    desk.shoot(QStringLiteral("host-no-answer"), 0.6);
    QTest::mouseClick(button(wait), Qt::LeftButton);
    QCOMPARE(waits.size(), 1);
    const auto meant = waits.front().front().value<SuspectLink>();
    QCOMPARE(meant.address, link.address);
    QCOMPARE(meant.host, QStringLiteral("borea"));
    QCOMPARE(meant.suspicion, std::uint64_t(4));
    QCOMPARE(waits.front().back().toDouble(), 60.0);
    QCOMPARE(desk.page->commandLine(), QStringLiteral("tutti wait 7 borea 60"));

    QTest::mouseClick(button(giveUp), Qt::LeftButton);
    auto* box = desk.page->findChild<QMessageBox*>(QStringLiteral("giveUpBox"));
    QVERIFY(box && box->isVisible());
    QVERIFY(givesUp.isEmpty());
    QVERIFY2(box->text().startsWith(QStringLiteral("Take borea for lost now?")),
             qPrintable(box->text()));
    const QString lost = box->informativeText();
    for (const char* part : {"2 federates are lost: radar-east, radar-west.",
                             "24 object instances that they have registered",
                             "Without a publisher then: RadarPlot.", "Go on at once: display"})
      QVERIFY2(lost.contains(QLatin1String(part)), qPrintable(lost));
    desk.shoot(QStringLiteral("host-give-up"), 0.3);
    if (const QString into = qEnvironmentVariable("TUTTI_SHOTS"); !into.isEmpty())
      box->grab().save(into + QStringLiteral("/host-give-up-box.png"));
    // Asked twice there is one question; Return lets the host go on.
    desk.page->askToGiveUp(link.address);
    QCOMPARE(desk.page->findChildren<QMessageBox*>().size(), 1);
    QTest::keyClick(box->defaultButton(), Qt::Key_Return);
    QTRY_VERIFY(!desk.page->findChild<QMessageBox*>());
    QVERIFY(givesUp.isEmpty());

    // The host comes back while the question stands: what is asked for is what was seen, which the
    // node refuses.
    desk.page->askToGiveUp(link.address);
    box = desk.page->findChild<QMessageBox*>(QStringLiteral("giveUpBox"));
    QVERIFY(box);
    desk.mend();
    QTRY_VERIFY_WITH_TIMEOUT(!desk.feed.current()->hostLinks.at(0).suspect, 30'000);
    QTest::mouseClick(box->findChild<QPushButton*>(QStringLiteral("giveUpAccept")), Qt::LeftButton);
    QCOMPARE(givesUp.size(), 1);
    QCOMPARE(givesUp.front().front().value<SuspectLink>().suspicion, std::uint64_t(4));
    QTRY_COMPARE_WITH_TIMEOUT(desk.page->commandLine(), QStringLiteral("tutti run air-traffic"),
                              30'000);
  }

  // A home that waits for nobody longer (tutti-rti without --longest-wait) does not offer it.
  void withoutALongestWaitOnlyTheEndIsOffered() {
    Desk desk(airTraffic(), QStringLiteral("air-traffic"),
              {linkTo(QStringLiteral("run-7.borea"), QStringLiteral("10.0.0.2:15165"),
                      {QStringLiteral("radar-east")})});
    desk.cut();
    QTRY_COMPARE_WITH_TIMEOUT(desk.page->troubles().size(), 1, 30'000);
    QStringList texts;
    const theme::RunTrouble trouble = desk.page->troubles().front();
    for (const auto& action : trouble.actions) texts << action.text;
    QCOMPARE(texts,
             QStringList({QStringLiteral("Show link"), QString::fromUtf8("Give up borea…")}));
  }

  void withoutLinksNothingIsListed() {
    Desk desk(airTraffic(), QStringLiteral("air-traffic"), {});
    QTRY_VERIFY_WITH_TIMEOUT(desk.feed.current()->federates.size() == 7, 30'000);
    const auto seen = desk.feed.current()->sequence;
    QTRY_VERIFY_WITH_TIMEOUT(desk.feed.current()->sequence > seen + 12, 30'000);
    QVERIFY(!desk.page->findChild<QWidget*>(QStringLiteral("factsLinks"))->isVisible());
    QVERIFY(desk.page->troubles().isEmpty());
  }

  void manyNamesAreElidedAndAllAreInTheToolTip() {
    QStringList behind;
    for (int i = 1; i <= 120; ++i) {
      behind << QStringLiteral("vehicle-%1").arg(i, 3, 10, QLatin1Char('0'));
    }
    Desk desk(
        cityTraffic(), QStringLiteral("city-traffic"),
        {linkTo(QStringLiteral("tcp-10.0.0.1:15165"), QStringLiteral("10.0.0.2:52344"), behind)});
    QTRY_VERIFY_WITH_TIMEOUT(desk.feed.current()->federates.size() == 300, 30'000);
    if (qEnvironmentVariableIsSet("TUTTI_SHOTS")) QTest::qWait(6000);
    desk.cut();
    QTRY_VERIFY_WITH_TIMEOUT(desk.banner().isVisible(), 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(desk.feed.current()->hostLinks.at(0).waitForTime.size() > 10, 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(desk.banner().detail().count("more") == 2, 30'000);
    // The node is named only by its address: its name is that of the way to its home.
    QVERIFY(desk.banner().title().startsWith("Link to the node at 10.0.0.2:52344 is suspect"));
    QVERIFY(desk.banner().detail().contains("vehicle-003 and 117 more."));
    const QString tip = desk.banner().findChild<QLabel*>(QStringLiteral("bannerDetail"))->toolTip();
    QVERIFY2(tip.contains("vehicle-120."), qPrintable(tip));
    QVERIFY(!tip.contains("more"));
    desk.shoot(QStringLiteral("link-suspect-300"), 2.5);
  }
};

QTEST_MAIN(TestSuspectLinks)
#include "tst_suspect_links.moc"
