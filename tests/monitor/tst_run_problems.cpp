// SPDX-License-Identifier: GPL-3.0-or-later
// The pane "Problems" of the page Run: every problem of the run as a card, whoever told it.
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "monitor/ui/federate_panel.h"
#include "monitor/ui/run_problems.h"
#include "monitor/ui/run_workspace.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "tests/app/fakes.h"
#include "tests/monitor/fake_run.h"
#include "tests/monitor/pictures.h"
#include "tests/monitor/scene.h"

using namespace tutti;
using namespace tutti::monitor;
using namespace tutti::monitor::test;
using theme::RunTrouble;
using theme::State;

namespace {

RunTrouble lostHost(int number, const QString& host) {
  RunTrouble trouble;
  trouble.state = State::Error;
  trouble.id = QStringLiteral("run/%1").arg(number);
  trouble.title = QStringLiteral("The host %1 is lost").arg(host);
  trouble.detail =
      QStringLiteral("Nothing was heard from %1 for 15 s. Look whether it is on.").arg(host);
  trouble.where = host;
  trouble.brief = trouble.title;
  return trouble;
}

RunTrouble other(int number, State state, const QString& title) {
  RunTrouble trouble;
  trouble.state = state;
  trouble.id = QStringLiteral("run/%1").arg(number);
  trouble.title = title;
  trouble.detail = QStringLiteral("No space is left in ~/.local/state/tutti.");
  return trouble;
}

/// Texts of all labels with that name that are to be seen, from above.
QStringList shown(QWidget& pane, const char* name) {
  QList<QLabel*> labels;
  for (QLabel* each : pane.findChildren<QLabel*>(QString::fromLatin1(name)))
    if (each->isVisible()) labels << each;
  std::sort(labels.begin(), labels.end(), [&](const QLabel* a, const QLabel* b) {
    return a->mapTo(&pane, QPoint()).y() < b->mapTo(&pane, QPoint()).y();
  });
  QStringList texts;
  for (const QLabel* each : labels) texts << each->text();
  return texts;
}

struct Desk {
  Desk() : page(&feed, nullptr) {
    page.setRunStatus(&run);
    page.resize(1368, 804);
    page.show();
  }
  QWidget& pane() { return *page.findChild<QWidget*>(QStringLiteral("runProblems")); }
  QStringList titles() { return shown(pane(), "problemTitle"); }
  void shoot(const QString& name) { monitor::test::keepPicture(page, name); }

  tutti::test::FakeRun run;
  Feed feed;
  RunWorkspace page;
};

}  // namespace

class TestRunProblems : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<theme::Theme> theme_;

 private slots:
  void initTestCase() { theme_ = monitor::test::makeTheme(); }

  void allAreShownNewestFirstWithHostAndActions() {
    Desk desk;
    QTRY_VERIFY(desk.pane().findChild<QLabel*>(QStringLiteral("noProblems"))->isVisible());
    int pressed = 0;
    RunTrouble first = lostHost(1, QStringLiteral("borea"));
    first.actions = {{QStringLiteral("Start on a spare"), [&] { ++pressed; }}};
    desk.run.troubles_ = {first};
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles(), QStringList{first.title}, 10'000);
    const RunTrouble second = other(2, State::Warning, QStringLiteral("The run is not recorded"));
    desk.run.troubles_ = {first, second};
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles(), (QStringList{second.title, first.title}), 10'000);
    // By icon and word, with the host and the time.
    const QStringList captions = shown(desk.pane(), "problemCaption");
    QVERIFY2(captions[0].startsWith("Warning  ·  "), qPrintable(captions[0]));
    QVERIFY2(captions[1].startsWith("Error  ·  borea  ·  "), qPrintable(captions[1]));
    QCOMPARE(shown(desk.pane(), "problemDetail").value(1), first.detail);
    QPushButton* button = nullptr;
    for (auto* each : desk.pane().findChildren<QPushButton*>())
      if (each->text() == QStringLiteral("Start on a spare")) button = each;
    QVERIFY(button && button->isVisible());
    desk.shoot(QStringLiteral("problems-2"));
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(pressed, 1);
    desk.page.findChild<QAction*>(QStringLiteral("copyProblems"))->trigger();
    const QString copied = QApplication::clipboard()->text();
    QVERIFY2(copied.contains(first.title + u'\n' + first.detail), qPrintable(copied));
    QVERIFY2(copied.contains(QStringLiteral("Warning: ") + second.title), qPrintable(copied));
    // One that is over goes.
    desk.run.troubles_ = {first};
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles(), QStringList{first.title}, 10'000);
  }

  /// However long their texts are, none is cut by the edge of the pane.
  void buttonsStayInThePane() {
    Desk desk;
    RunTrouble trouble = lostHost(1, QStringLiteral("borea"));
    const QStringList texts{QStringLiteral("Copy the command that shows its nodes"),
                            QStringLiteral("Copy"), QStringLiteral("Its log"),
                            QStringLiteral("Show it")};
    for (const QString& text : texts) trouble.actions << RunTrouble::Action{text, [] {}};
    desk.run.troubles_ = {trouble};
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles(), QStringList{trouble.title}, 10'000);
    desk.shoot(QStringLiteral("problem-buttons"));
    QStringList inPane;
    for (const auto* each : desk.pane().findChildren<QPushButton*>()) {
      if (!texts.contains(each->text())) continue;
      const QRect place(each->mapTo(&desk.pane(), QPoint()), each->size());
      QVERIFY2(place.right() < desk.pane().width(), qPrintable(each->text()));
      inPane << each->text();
    }
    QCOMPARE(inPane, texts);
  }

  void oneIsDismissedHereAndInTheBanner() {
    Desk desk;
    const RunTrouble a = other(1, State::Error, QStringLiteral("a"));
    const RunTrouble b = other(2, State::Error, QStringLiteral("b"));
    desk.run.troubles_ = {a, b};
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles().size(), 2, 10'000);
    // As the banner does.
    desk.run.dismiss({b.id});
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles(), QStringList{a.title}, 10'000);
    for (auto* each : desk.pane().findChildren<QToolButton*>(QStringLiteral("dismissProblem")))
      if (each->isVisible()) QTest::mouseClick(each, Qt::LeftButton);
    QCOMPARE(desk.titles(), QStringList());
    QVERIFY(desk.run.isDismissed(a.id));
    auto* again = desk.pane().findChild<QPushButton*>(QStringLiteral("showDismissed"));
    QVERIFY(again->isVisible());
    QCOMPARE(again->text(), QStringLiteral("2 dismissed: show again"));
    QTest::mouseClick(again, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles().size(), 2, 10'000);
  }

  // One that shows again is no news: it keeps its time and with it its place.
  void whatIsShownAgainIsNotNew() {
    Desk desk;
    const RunTrouble a = other(1, State::Error, QStringLiteral("a"));
    const RunTrouble b = other(2, State::Error, QStringLiteral("b"));
    desk.run.troubles_ = {a};
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles(), QStringList{a.title}, 10'000);
    desk.run.troubles_ = {a, b};
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles(), (QStringList{b.title, a.title}), 10'000);
    desk.run.dismiss({a.id});
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles(), QStringList{b.title}, 10'000);
    desk.run.showDismissed();
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles().size(), 2, 10'000);
    QCOMPARE(desk.titles(), (QStringList{b.title, a.title}));
  }

  // A button serves all that its card shows, and what is there now.
  void buttonsActOnAllThatTheirCardShows() {
    Desk desk;
    QStringList pressed;
    const auto add = [&](int number, const QString& host, const QString& button) {
      RunTrouble trouble = lostHost(number, host);
      trouble.actions = {{button, [&pressed, host, button] { pressed << button + u' ' + host; }}};
      desk.run.troubles_ << trouble;
    };
    const auto press = [&](const QString& text, int number) {
      QList<QPushButton*> buttons;
      for (auto* each : desk.pane().findChildren<QPushButton*>())
        if (each->isVisible() && each->text() == text) buttons << each;
      if (number < buttons.size()) buttons[number]->click();
      return buttons.size();
    };
    const QString copy = QStringLiteral("Copy");
    add(1, QStringLiteral("borea"), copy);
    add(2, QStringLiteral("corvus"), copy);
    QTRY_COMPARE_WITH_TIMEOUT(shown(desk.pane(), "problemHosts"),
                              QStringList{QStringLiteral("On borea, corvus")}, 10'000);
    QApplication::clipboard()->clear();
    QCOMPARE(press(copy, 0), 1);
    const QString copied = QApplication::clipboard()->text();
    QVERIFY2(copied.contains("On borea, corvus"), qPrintable(copied));
    QCOMPARE(pressed, QStringList());
    // The card was made for the one that is gone.
    desk.run.troubles_.removeFirst();
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles(), QStringList{desk.run.troubles_[0].title}, 10'000);
    QCOMPARE(press(copy, 0), 1);
    QCOMPARE(pressed, QStringList{QStringLiteral("Copy corvus")});

    // What is done to one host cannot stand for all.
    const QString start = QStringLiteral("Start on a spare");
    pressed.clear();
    desk.run.troubles_.clear();
    add(3, QStringLiteral("borea"), start);
    add(4, QStringLiteral("corvus"), start);
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles().size(), 2, 10'000);
    QCOMPARE(press(start, 0), 2);
    press(start, 1);
    pressed.sort();
    QCOMPARE(pressed, (QStringList{QStringLiteral("Start on a spare borea"),
                                   QStringLiteral("Start on a spare corvus")}));
  }

  // Whatever differs in the host only is one card with all hosts; 300 others are shown by and by.
  void threeHundredStayUsable() {
    Desk desk;
    QStringList hosts;
    for (int i = 0; i < 300; ++i) {
      hosts << QStringLiteral("node-%1").arg(i + 1, 3, 10, QLatin1Char('0'));
      desk.run.troubles_ << lostHost(i, hosts.back());
    }
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles().size(), 1, 10'000);
    QVERIFY2(shown(desk.pane(), "problemCaption")[0].startsWith("Error  ·  300 hosts  ·  "),
             qPrintable(shown(desk.pane(), "problemCaption")[0]));
    QCOMPARE(shown(desk.pane(), "problemHosts").value(0),
             QStringLiteral("On node-001, node-002, node-003, node-004 and 296 more"));
    desk.shoot(QStringLiteral("problems-300-equal"));
    desk.page.findChild<QAction*>(QStringLiteral("copyProblems"))->trigger();
    for (const QString& host : hosts) QVERIFY(QApplication::clipboard()->text().contains(host));

    desk.run.troubles_.clear();
    for (int i = 0; i < 300; ++i)
      desk.run.troubles_ << other(1000 + i, State::Error, QStringLiteral("Problem %1").arg(i));
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles().size(), RunProblems::cardsAtOnce, 10'000);
    auto* more = desk.pane().findChild<QPushButton*>(QStringLiteral("moreProblems"));
    QCOMPARE(more->text(), QStringLiteral("250 more"));
    desk.shoot(QStringLiteral("problems-300-other"));
    more->click();
    QTRY_COMPARE(desk.titles().size(), 2 * RunProblems::cardsAtOnce);
    // The keyboard goes to all of them.
    desk.page.showNextProblem(-1);
    QTRY_COMPARE(desk.titles().size(), 300);
    QTRY_VERIFY(QApplication::focusWidget() &&
                QApplication::focusWidget()->objectName() == QStringLiteral("problemCard"));
    QVERIFY(QApplication::focusWidget()->accessibleName().contains("Problem 299"));
    auto* area = desk.pane().findChild<QScrollArea*>();
    const QWidget* last = QApplication::focusWidget();
    QTRY_VERIFY(area->viewport()->rect().intersects(
        QRect(last->mapTo(area->viewport(), QPoint()), last->size())));
  }

  void f8GoesThroughThemAndDelDismisses() {
    Desk desk;
    const RunTrouble a = other(1, State::Error, QStringLiteral("a"));
    const RunTrouble b = other(2, State::Error, QStringLiteral("b"));
    desk.run.troubles_ = {a, b};
    QTRY_COMPARE_WITH_TIMEOUT(desk.titles(), (QStringList{a.title, b.title}), 10'000);
    const auto at = [] {
      const auto* focus = QApplication::focusWidget();
      return focus ? focus->accessibleName() : QString();
    };
    desk.page.showNextProblem(1);
    QTRY_VERIFY2(at().contains("Error: a\n"), qPrintable(at()));
    desk.page.showNextProblem(1);
    QVERIFY2(at().contains("Error: b\n"), qPrintable(at()));
    desk.page.showNextProblem(1);
    QVERIFY2(at().contains("Error: a\n"), qPrintable(at()));
    desk.page.showNextProblem(-1);
    QVERIFY2(at().contains("Error: b\n"), qPrintable(at()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("Error: b\n")));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Delete);
    QCOMPARE(desk.titles(), QStringList{a.title});
    QVERIFY(desk.run.isDismissed(b.id));
  }

  // What a federate wrote last stands on the card of its death, cut where it is too long, and is
  // copied whole.
  void aDeathShowsTheLastLines() {
    auto clock = std::make_shared<SceneClock>(10);
    auto scene = std::make_shared<Scene>(clock, QStringLiteral("air-traffic"), airTraffic());
    Feed feed;
    RunWorkspace page(&feed, nullptr);
    const QString last = QStringLiteral(
        "terminate called after throwing an instance of "
        "'rti1516e::RTIinternalError' in the sector north-west");
    QStringList lines;
    for (int i = 1; i <= 19; ++i) lines << QStringLiteral("line %1").arg(i);
    lines << last;
    page.setLastLines([&](const QString& federate) {
      return federate == QStringLiteral("detector") ? lines : QStringList();
    });
    page.resize(1368, 904);
    page.show();
    feed.start([scene] { return scene; }, clock);
    QTRY_VERIFY_WITH_TIMEOUT(feed.current()->find(QStringLiteral("detector")), 30'000);
    scene->dead = 4;
    scene->deadFrom = clock->seconds();
    auto* label = page.findChild<QLabel*>(QStringLiteral("deathLines"));
    QVERIFY(label);
    QTRY_VERIFY_WITH_TIMEOUT(label->isVisible() && !label->text().isEmpty(), 30'000);
    const QStringList text = label->text().split(u'\n');
    QCOMPARE(text.size(), 5);
    QCOMPARE(text.front(), QStringLiteral("line 16"));
    QVERIFY2(text.back().startsWith("terminate called after") && text.back().endsWith(u'…'),
             qPrintable(text.back()));
    QVERIFY(label->toolTip().contains("sector north-west"));
    QVERIFY(label->textInteractionFlags().testFlag(Qt::TextSelectableByMouse));
    QVERIFY(QFontInfo(label->font()).fixedPitch());
    if (!qEnvironmentVariable("TUTTI_SHOTS").isEmpty()) {
      QDir().mkpath(qEnvironmentVariable("TUTTI_SHOTS"));
      page.grab().save(qEnvironmentVariable("TUTTI_SHOTS") + QStringLiteral("/death-lines.png"));
    }
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("deathCopy")), Qt::LeftButton);
    const QString copied = QApplication::clipboard()->text();
    QVERIFY2(copied.startsWith("detector died at ") && copied.contains("line 1\n") &&
                 copied.endsWith(last),
             qPrintable(copied));
  }

  /// In a pane as wide as it is by default, and in a narrow one, no button of the card of a death
  /// is cut.
  void theButtonsOfADeathStayInThePane_data() {
    QTest::addColumn<int>("width");
    QTest::newRow("narrow") << 220;
    QTest::newRow("usual") << theme::width::kRight;
    QTest::newRow("wide") << 500;
  }
  void theButtonsOfADeathStayInThePane() {
    QFETCH(int, width);
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->deaths.push_back({});
    snapshot->deaths.back().federate = QStringLiteral("detector");
    QWidget pane;
    auto* layout = new QVBoxLayout(&pane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSizeConstraint(QLayout::SetNoConstraint);
    auto* card = new DeathCard(&pane);
    layout->addWidget(card);
    pane.resize(width, 600);
    pane.show();
    card->setSnapshot(snapshot);
    QVERIFY(QTest::qWaitForWindowExposed(&pane));
    QSet<int> rows;
    for (const char* name : {"deathRestart", "deathLog", "deathCopy", "deathShow"}) {
      auto* each = card->findChild<QPushButton*>(QString::fromLatin1(name));
      const auto right = [&] { return each->mapTo(&pane, QPoint()).x() + each->width(); };
      QTRY_VERIFY2(each->width() >= each->sizeHint().width() && right() <= width, name);
      rows << each->mapTo(&pane, QPoint()).y();
    }
    QCOMPARE(pane.width(), width);
    if (width == 220) QCOMPARE(rows.size(), 2);
    if (width == 500) QCOMPARE(rows.size(), 1);
    monitor::test::keepPicture(pane, QStringLiteral("death-buttons-%1").arg(width));
  }
};

QTEST_MAIN(TestRunProblems)
#include "tst_run_problems.moc"
