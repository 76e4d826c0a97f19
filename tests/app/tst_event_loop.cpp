// SPDX-License-Identifier: GPL-3.0-or-later
// How long the whole window stays away while an operator works with it: idle, walking through the
// pages, starting, running, pausing and stopping the sample. What it finds is printed, not judged:
// scripts/window-gaps shows it, docs/performance.md has the figures.
#include <QDir>
#include <QEventLoop>
#include <QHash>
#include <QMap>
#include <QSet>
#include <QSettings>
#include <QTest>
#include <QTimer>
#include <cstdio>
#include <functional>

#include "app/console.h"
#include "tests/app/event_loop_probe.h"
#include "tests/app/test_home.h"

using namespace tutti;
using Phase = theme::RunStatus::Phase;
using Gap = test::EventLoopProbe::Gap;

class EventLoopTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(home_.prepare()); }

  /// The window's own figure and the probe's tell of the same standstill.
  void theHeartbeatSeesWhatTheProbeSees() {
    app::Console console({home_.settings(), false});
    console.window().show();
    QVERIFY(QTest::qWaitForWindowExposed(&console.window()));
    test::EventLoopProbe probe;
    QTest::qWait(200);
    console.window().heartbeat()->reset();
    probe.begin("standstill");
    QThread::msleep(150);
    QTRY_VERIFY(console.window().heartbeat()->largest() > 100);
    QTRY_VERIFY(probe.reports().back().largest(&Gap::all) > 100);
    QVERIFY(console.window().heartbeat()->countOver(100) >= 1);
    QVERIFY(console.window().heartbeat()->countOver(1e6) == 0);
  }

  void aChangeOfTheThemeStylesEachWidgetOnce_data() {
    QTest::addColumn<bool>("atOnce");
    QTest::newRow("the other pages when nothing else is to do") << false;
    QTest::newRow("the other pages as they are shown") << true;
  }
  /// What a change of the theme costs is the number of widgets times how often each is styled:
  /// once, and those out of sight not at the moment of the change. Afterwards all looks as if it
  /// had never looked otherwise.
  void aChangeOfTheThemeStylesEachWidgetOnce() {
    QFETCH(bool, atOnce);
    const Looks fresh = looks(theme::Appearance::Dark, [](app::Console& console) {
      console.window().show();
      visitPages(console, [] {});
    });
    QVERIFY(fresh.size() > 100);
    const Looks changed = looks(theme::Appearance::Light, [&](app::Console& console) {
      console.window().show();
      visitPages(console, [] {});
      /// Of the widgets there are now: others come and go with what they show.
      struct Counter : QObject {
        QHash<QObject*, int> styled;
        bool eventFilter(QObject* watched, QEvent* event) override {
          if (event->type() != QEvent::StyleChange) return false;
          if (const auto found = styled.find(watched); found != styled.end()) ++*found;
          return false;
        }
      } counter;
      QSet<QObject*> inSight;
      for (QWidget* widget : console.window().findChildren<QWidget*>()) {
        if (widget->isVisible()) inSight << widget;
        counter.styled[widget] = 0;
        connect(widget, &QObject::destroyed, &counter,
                [&counter](QObject* gone) { counter.styled.remove(gone); });
      }
      qApp->installEventFilter(&counter);
      console.theme().apply(theme::Appearance::Dark);
      for (const auto& [widget, times] : counter.styled.asKeyValueRange())
        QCOMPARE(times, inSight.contains(widget) ? 1 : 0);
      QVERIFY(!console.theme().isApplied());
      if (atOnce) {
        for (const char* page : {"deploy", "compose", "object-model", "run", "benchmarks"})
          QVERIFY(console.window().showPage(QString::fromLatin1(page)));
      }
      QVERIFY(until([&] { return console.theme().isApplied(); }));
      qApp->removeEventFilter(&counter);
      QVERIFY(counter.styled.size() > 500);
      for (const auto& [widget, times] : counter.styled.asKeyValueRange())
        QVERIFY2(times == 1, qPrintable(QStringLiteral("%1 %2 is styled %3 times")
                                            .arg(QLatin1String(widget->metaObject()->className()),
                                                 widget->objectName())
                                            .arg(times)));
    });
    // What is in sight just now (a check that goes on, a list that is read) may differ.
    int compared = 0;
    for (const auto& [widget, ways] : changed.asKeyValueRange()) {
      if (!fresh.contains(widget)) continue;
      ++compared;
      for (const QString& way : ways)
        QVERIFY2(fresh[widget].contains(way), qPrintable(widget + QStringLiteral(": ") + way));
    }
    QVERIFY2(compared > 100, qPrintable(QString::number(compared)));
  }

  /// A composition of 300 federates is opened, and each page looked at for the first time.
  void manyFederatesAreOpened() {
    const QString file = home_.path(QStringLiteral("many.federation.json"));
    QVERIFY(manyFederates().save(file).has_value());
    app::Console console({home_.settings(), false});
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    goOn(500);
    test::EventLoopProbe probe(qEnvironmentVariable("TUTTI_GAPS_TRACE").toDouble());
    probe.begin("open 300 federates");
    QVERIFY(window.openFile(file));
    QVERIFY(until([&] { return !console.document().isChecking(); }));
    goOn(1500);
    QCOMPARE(console.document().composition().federates.size(), std::size_t{300});
    for (const char* page : {"object-model", "deploy", "run", "benchmarks", "compose"}) {
      probe.begin(std::string("look at ") + page);
      QVERIFY(window.showPage(QString::fromLatin1(page)));
      goOn(600);
    }
    for (const auto& report : probe.reports())
      QVERIFY2(report.phase == "start" || !report.gaps.empty(), report.phase.c_str());
    print(probe.reports());
  }

  void anOperatorsWork() {
    const double seconds =
        qEnvironmentVariable("TUTTI_GAPS_SECONDS", QStringLiteral("2")).toDouble();
    const auto wait = [&] { goOn(static_cast<int>(seconds * 1000)); };
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    goOn(500);
    test::EventLoopProbe probe(qEnvironmentVariable("TUTTI_GAPS_TRACE").toDouble());
    probe.begin("start page");
    wait();
    probe.begin("open the composition");
    const QString sample =
        composer::Catalog::federationsFolder() + QStringLiteral("/air-traffic.federation.json");
    QVERIFY(window.openFile(qEnvironmentVariable("TUTTI_GAPS_COMPOSITION", sample)));
    QStringList names;
    for (const auto& [id, federate] : console.document().composition().federates)
      names << federate.name;
    QVERIFY(!names.isEmpty());
    QVERIFY(until([&] { return !console.document().isChecking(); }));
    wait();
    probe.begin("walk through the pages");
    for (const char* page : {"compose", "object-model", "deploy", "run", "benchmarks", "compose"}) {
      QVERIFY(window.showPage(QString::fromLatin1(page)));
      goOn(300);
    }
    probe.begin("idle on Compose");
    wait();
    QVERIFY(window.showPage(QStringLiteral("run")));
    goOn(300);
    probe.begin("start the run");
    console.run().run();
    QVERIFY(until([&] { return console.run().phase() == Phase::Running; }));
    QVERIFY(until([&] { return console.run().logicalTime() > 1; }));
    probe.begin("running, on Run");
    wait();
    probe.begin("running, other pages");
    for (const char* page : {"compose", "object-model", "deploy", "benchmarks", "run"}) {
      QVERIFY(window.showPage(QString::fromLatin1(page)));
      goOn(300);
    }
    probe.begin("select, log, zoom");
    for (const QString& name : {names.front(), names[names.size() / 2], names.back()}) {
      window.showPage(QStringLiteral("run"), name);
      goOn(300);
    }
    probe.begin("pause, step, resume");
    console.run().pause();
    QVERIFY(until([&] { return console.run().phase() == Phase::Paused; }));
    console.run().step();
    goOn(300);
    console.run().resume();
    QVERIFY(until([&] { return console.run().phase() == Phase::Running; }));
    probe.begin("a federate dies");
    console.run().killFederates({names.back()});
    goOn(1000);
    probe.begin("stop the run");
    console.run().stop();
    QVERIFY(until([&] { return console.run().phase() == Phase::Ended; }));
    goOn(1000);
    probe.begin("change the theme");
    console.theme().apply(theme::Appearance::Dark);
    QVERIFY(until([&] { return console.theme().isApplied(); }));
    goOn(500);
    const auto reports = probe.reports();
    for (const auto& report : reports)
      QVERIFY2(report.phase == "start" || !report.gaps.empty(), report.phase.c_str());
    print(reports);
  }

 private:
  /// 100 flows and 196 radars in groups, and 4 logs.
  static composer::Composition manyFederates() {
    composer::Composition result;
    result.settings.federation = QStringLiteral("many");
    result.groups[QStringLiteral("flows")].name = QStringLiteral("Flows");
    result.groups[QStringLiteral("radars")].name = QStringLiteral("Radars");
    for (int i = 0; i < 300; ++i) {
      const bool flow = i < 100;
      const bool log = i >= 296;
      composer::Federate one;
      one.id = one.name = QStringLiteral("%1-%2")
                              .arg(flow  ? QStringLiteral("flow")
                                   : log ? QStringLiteral("log")
                                         : QStringLiteral("radar"))
                              .arg(i, 3, 10, QLatin1Char('0'));
      one.component = flow  ? QStringLiteral("aircraft-flow")
                      : log ? QStringLiteral("traffic-log")
                            : QStringLiteral("radar");
      one.version = flow  ? QStringLiteral("2.1")
                    : log ? QStringLiteral("1.1")
                          : QStringLiteral("1.4");
      if (!log) one.group = flow ? QStringLiteral("flows") : QStringLiteral("radars");
      if (!flow && !log) one.parameters[QStringLiteral("range")] = 250;
      one.position = QPointF((flow ? 0 : log ? 5200 : 2400) + 180 * (i % 12), 110 * (i / 12));
      result.federates[one.id] = one;
    }
    return result;
  }

  /// Waits as the program itself does, in the event loop: QTest::qWait() sleeps 10 ms in between.
  static bool until(const std::function<bool()>& done, int limitMilliseconds = 30000) {
    QEventLoop loop;
    QTimer limit, look;
    limit.setSingleShot(true);
    QObject::connect(&limit, &QTimer::timeout, &loop, &QEventLoop::quit);
    QObject::connect(&look, &QTimer::timeout, &loop, [&] {
      if (done()) loop.quit();
    });
    limit.start(limitMilliseconds);
    look.start(20);
    loop.exec();
    return done();
  }
  static void goOn(int milliseconds) {
    until([] { return false; }, milliseconds);
  }

  template <typename Each>
  static void visitPages(app::Console& console, Each&& each) {
    for (const char* page : {"compose", "object-model", "deploy", "run", "benchmarks"}) {
      QVERIFY(console.window().showPage(QString::fromLatin1(page)));
      goOn(200);
      each();
    }
  }

  /// Font and colours of the widgets in sight, by page, class, name and role.
  using Looks = QMap<QString, QSet<QString>>;

  /// Those of a console that begins with one appearance and that `prepare` makes ready.
  template <typename Prepare>
  Looks looks(theme::Appearance first, Prepare&& prepare) {
    QSettings(home_.settings(), QSettings::IniFormat)
        .setValue(QStringLiteral("appearance"), static_cast<int>(first));
    app::Console console({home_.settings(), false});
    const auto opened = console.window().openFile(composer::Catalog::federationsFolder() +
                                                  QStringLiteral("/air-traffic.federation.json"));
    if (!opened || !until([&] { return !console.document().isChecking(); })) return {};
    console.window().setWindowState(Qt::WindowNoState);
    console.window().resize(1440, 900);
    prepare(console);
    Looks result;
    visitPages(console, [&] {
      for (const QWidget* widget : console.window().findChildren<QWidget*>()) {
        // Qt's own holders of scroll bars show nothing, and have the font of whenever they came.
        if (!widget->isVisible() ||
            widget->objectName().startsWith(QStringLiteral("qt_scrollarea_")))
          continue;
        const QStringList who{console.window().currentPage()->id(),
                              QLatin1String(widget->metaObject()->className()),
                              widget->objectName(), widget->property("role").toString()};
        QStringList parts{widget->font().toString()};
        for (const auto role :
             {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::Window,
              QPalette::Base, QPalette::Button, QPalette::PlaceholderText, QPalette::Highlight})
          for (const auto group : {QPalette::Active, QPalette::Disabled})
            parts << widget->palette().color(group, role).name(QColor::HexArgb);
        result[who.join(u' ')] << parts.join(u' ');
      }
    });
    return result;
  }

  static void print(const std::vector<test::EventLoopProbe::Report>& reports) {
    std::printf(
        "| while | asked | p99 ms | longest ms | of it its own | over 16 / 50 / 100 ms |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (const auto& report : reports) {
      if (report.phase == "start") continue;
      std::printf("| %s | %zu | %.1f | %.0f | %.0f | %d / %d / %d |\n", report.phase.c_str(),
                  report.gaps.size(), report.percentile(0.99, &Gap::all), report.largest(&Gap::all),
                  report.largest(&Gap::own), report.over(16, &Gap::own), report.over(50, &Gap::own),
                  report.over(100, &Gap::own));
    }
    std::fflush(stdout);
  }

  test::TestHome home_;
};

QTEST_MAIN(EventLoopTest)
#include "tst_event_loop.moc"
