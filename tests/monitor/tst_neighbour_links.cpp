// SPDX-License-Identifier: GPL-3.0-or-later
// Links between two other hosts: from what their RTI nodes tell to rows, lines and events.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QDockWidget>
#include <QGraphicsScene>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QTreeView>
#include <memory>

#include "monitor/engine/host_links.h"
#include "monitor/engine/run_analysis.h"
#include "monitor/ui/host_pairs.h"
#include "monitor/ui/link_model.h"
#include "monitor/ui/run_workspace.h"
#include "monitor/ui/topology_items.h"
#include "monitor/ui/topology_view.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "tests/monitor/fake_run.h"
#include "tests/monitor/pictures.h"
#include "tests/monitor/scene.h"

using namespace tutti;
using namespace tutti::monitor;
using namespace tutti::monitor::test;

namespace {

constexpr int patience = 30'000;

QString nodeOf(const QString& host) { return QStringLiteral("run-7.") + host; }
QString addressOf(int host) { return QStringLiteral("10.0.0.%1:15165").arg(host + 1); }

NeighbourReading between(const QString& host, int first, const QString& other, int second) {
  NeighbourReading link;
  link.ends[0] = {nodeOf(host), addressOf(first), true};
  link.ends[1] = {nodeOf(other), addressOf(second), true};
  link.keptLimitBytes = 100'000;
  return link;
}

HostLinkReading linkTo(const QString& host, int number) {
  HostLinkReading link;
  link.peer = nodeOf(host);
  link.address = addressOf(number);
  link.port = 15164;
  link.keptLimitBytes = 100'000;
  return link;
}

QStringList texts(const std::vector<EventRecord>& events) {
  QStringList result;
  for (const EventRecord& each : events) result << each.text;
  return result;
}

/// A scene over several hosts, each two of which but this one have a link of their own.
class Hosts final : public Scene {
 public:
  using Scene::Scene;

  /// Messages a second in each direction, by the links between others; set before the feed starts.
  std::vector<double> rates;
  std::vector<NeighbourReading> between;
  std::uint32_t hosts = 1;
  std::atomic<double> brokenFrom = 1e18;  ///< the first of them
  std::atomic<double> untoldFrom = 1e18;  ///< the second, by one end

  tl::expected<Reading, QString> read() override {
    auto reading = Scene::read();
    const auto now = reading->monotonicNanoseconds;
    const double t = static_cast<double>(now - start_) / 1e9;
    reading->neighbourLinks = between;
    // Federate i is on host (i - 1) % hosts; rings of two others are not in the memory of this one.
    std::erase_if(reading->flows, [this](const FlowReading& flow) {
      return (flow.sender - 1) % hosts != 0 && (flow.receiver - 1) % hosts != 0;
    });
    for (std::size_t i = 0; i < between.size(); ++i) {
      NeighbourReading& link = reading->neighbourLinks[i];
      for (std::size_t which = 0; which < 2; ++which) {
        const double told = i == 1 && which == 0 ? std::min(t, untoldFrom.load()) : t;
        link.ends[which].asOfNanoseconds = start_ + static_cast<std::int64_t>(told * 1e9);
        link.ends[which].messages = static_cast<std::uint64_t>(rates[i] * told);
        link.ends[which].bytes = link.ends[which].messages * 180;
      }
      link.roundTripSeconds = 0.0004 + 0.00002 * static_cast<double>(i);
      if (i == 0 && t >= brokenFrom) {
        link.way = HostWay::Broken;
        link.awaySeconds = t - brokenFrom;
        link.roundTripSeconds.reset();
      }
    }
    return reading;
  }

  void startAt(std::int64_t start) { start_ = start; }
  double secondsAt(std::int64_t now) const { return static_cast<double>(now - start_) / 1e9; }

 private:
  std::int64_t start_ = 0;
};

QString hostName(int number) {
  static const char* const names[] = {"atlas",  "borea", "cirrus", "delta", "elara",  "fornax",
                                      "gemini", "hydra", "ikaros", "juno",  "kepler", "lyra",
                                      "mensa",  "norma", "orion",  "puppis"};
  return QString::fromLatin1(names[number]);
}

bool isOtherHost(const QString& name) {
  for (int i = 1; i < 16; ++i)
    if (name == hostName(i)) return true;
  return false;
}

/// The page with a run over `hosts` hosts, of which the first is this one.
struct Stage {
  Stage(const std::vector<Actor>& actors, int hosts, double speed, bool busy)
      : clock(std::make_shared<SceneClock>(speed)),
        scene(std::make_shared<Hosts>(clock, QStringLiteral("air-traffic"), actors)),
        page(&feed, nullptr) {
    scene->startAt(clock->monotonicNanoseconds());
    scene->hosts = static_cast<std::uint32_t>(hosts);
    std::vector<RosterEntry> roster;
    std::vector<RosterHost> others;
    for (int host = 1; host < hosts; ++host) {
      scene->hostLinks.push_back(linkTo(hostName(host), host));
      RosterHost up;
      up.name = hostName(host);
      up.state = RosterHost::State::Up;
      up.load = 0.42;
      others.push_back(up);
      for (int other = host + 1; other < hosts; ++other) {
        scene->between.push_back(between(hostName(host), host, hostName(other), other));
        const auto number = static_cast<int>(scene->rates.size());
        scene->rates.push_back(busy ? 40.0 * (number % 29) : number == 0 ? 1440 : 0);
        if (number % 4 == 0) scene->between.back().datagrams = true;
        if (number % 4 == 0) scene->between.back().lost = number;
      }
    }
    int number = 0;
    for (const Actor& actor : actors) {
      const int host = number++ % hosts;
      roster.push_back({actor.name, actor.component, hostName(host), 0});
      if (host > 0) scene->hostLinks[static_cast<std::size_t>(host - 1)].federates << actor.name;
    }
    scene->linkRate = 2880;
    feed.setRoster(roster);
    feed.setHosts(others);
    page.resize(1368, 804);
    page.show();
    feed.start([source = scene] { return source; }, clock);
    table = page.findChild<QTreeView*>(QStringLiteral("linksTable"));
    page.findChild<QDockWidget*>(QStringLiteral("runLinks"))->raise();
  }
  void shoot(const QString& name) {
    if (!monitor::test::keepsPictures()) return;
    page.findChild<QDockWidget*>(QStringLiteral("runLinks"))->raise();
    QTest::qWait(1500);
    monitor::test::keepPicture(page, name);
  }
  QModelIndex find(const QString& name) const {
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      const auto index = table->model()->index(row, LinkModel::Name);
      if (index.data().toString() == name) return index;
    }
    return {};
  }
  QString text(const QString& name, int column) const {
    return find(name).siblingAtColumn(column).data().toString().replace(QChar(0x202f), u' ');
  }
  double now() const { return scene->secondsAt(clock->monotonicNanoseconds()); }
  /// Lines on the canvas between two hosts of which neither is this one.
  QStringList lines() const {
    QStringList result;
    for (QGraphicsItem* item : page.topology()->scene()->items()) {
      const auto* link = dynamic_cast<LinkItem*>(item);
      if (link != nullptr && isOtherHost(link->from()) && isOtherHost(link->to()))
        result << link->from() + u' ' + link->to();
    }
    result.sort();
    return result;
  }
  QStringList chips() const {
    QStringList all;
    for (QGraphicsItem* item : page.topology()->scene()->items()) {
      if (auto* label = dynamic_cast<RateItem*>(item))
        all << label->lines().join(u'|').replace(QChar(0x202f), u' ');
    }
    return all;
  }

  std::shared_ptr<SceneClock> clock;
  std::shared_ptr<Hosts> scene;
  Feed feed;
  RunWorkspace page;
  QTreeView* table = nullptr;
};

HostLinkView someLink(const QString& from, const QString& to, double rate) {
  HostLinkView link;
  link.from = nodeOf(from);
  link.fromAddress = from;
  link.peer = nodeOf(to);
  link.address = to;
  link.messagesPerSecond = rate;
  return link;
}

}  // namespace

class TestNeighbourLinks : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<theme::Theme> theme_;

 private slots:
  void initTestCase() { theme_ = monitor::test::makeTheme(); }

  // Each end tells what it sends, in its own time; the link carries both.
  void ratesAreThoseOfBothDirections() {
    auto probe = std::make_shared<FakeProbe>();
    auto source = std::make_shared<FakeSource>(probe);
    RunAnalysis analysis(source, probe);
    source->add(QStringLiteral("flow"));
    auto& links = source->reading.neighbourLinks;
    links = {between(QStringLiteral("borea"), 1, QStringLiteral("cirrus"), 2)};
    for (auto& end : links[0].ends) end.told = false;
    links[0].keptBytes = 19'000;
    links[0].roundTripSeconds = 0.02;
    links[0].lost = 3;
    Snapshot now;
    const auto step = [&](int tenths) {
      for (int i = 0; i < tenths; ++i) {
        probe->advance(0.1);
        now = analysis.step();
      }
      return now.neighbourLinks.at(0);
    };
    QVERIFY(std::isnan(step(10).messagesPerSecond));
    const auto second = [&](std::uint64_t messages, std::uint64_t back) {
      const auto tell = [&](NeighbourReading::End& end, std::uint64_t more) {
        end.told = true;
        end.messages += more;
        end.bytes += more * 10;
        end.asOfNanoseconds = probe->now;
      };
      tell(links[0].ends[0], messages);
      step(3);
      tell(links[0].ends[1], back);
      return step(7);
    };
    for (int i = 0; i < 8; ++i) second(200, 50);
    HostLinkView link = second(200, 50);
    QCOMPARE(link.messagesPerSecond, 250.0);
    QCOMPARE(link.bytesPerSecond, 2500.0);
    QCOMPARE(link.roundTripSeconds, 0.02);
    QCOMPARE(link.queueFill, 0.19);
    QCOMPARE(link.lost, 3.0);
    QVERIFY(isBetweenOthers(link) && !isSilent(link));
    QCOMPARE(linkBegin(link), QStringLiteral("borea"));
    QCOMPARE(linkEnd(link), QStringLiteral("cirrus"));
    QVERIFY(link.ageSeconds < 1.1);
    // One end is not heard any more: its figures stay, with their age.
    for (int i = 0; i < 70; ++i) {
      links[0].ends[0].asOfNanoseconds = probe->now;
      step(1);
    }
    QVERIFY(step(1).ageSeconds > oldSeconds);
    QCOMPARE(now.neighbourLinks[0].lost, 3.0);
    // It counts anew: another node of that name.
    links[0].ends[0].messages = 7;
    QVERIFY(!(second(1, 0).messagesPerSecond > 1000));
    QVERIFY(now.hostLinks.empty());
    links.clear();
    probe->advance(0.1);
    QVERIFY(analysis.step().neighbourLinks.empty());
  }

  // That data takes another way is told once, when it lasts, and not beside what is its cause.
  void aBrokenConnectionIsToldOnce() {
    Snapshot snapshot;
    snapshot.neighbourLinks = {someLink(QStringLiteral("borea"), QStringLiteral("cirrus"), 100)};
    HostLinkView& link = snapshot.neighbourLinks[0];
    HostLinkWatch watch;
    QCOMPARE(texts(watch.look(snapshot)), QStringList());
    link.way = HostWay::Broken;
    link.awaySeconds = 0.5;
    QCOMPARE(texts(watch.look(snapshot)), QStringList());
    HostLinkView home;
    home.peer = nodeOf(QStringLiteral("cirrus"));
    home.address = link.address;
    home.suspect = true;
    snapshot.hostLinks = {home};
    link.awaySeconds = 2.5;
    QCOMPARE(texts(watch.look(snapshot)).filter(QStringLiteral("direct")), QStringList());
    snapshot.hostLinks[0].suspect = false;
    auto events = watch.look(snapshot);
    QCOMPARE(texts(events).filter(QStringLiteral("direct")),
             QStringList{QStringLiteral(
                 "borea and cirrus have lost their direct connection; what they send each other "
                 "goes past the home, nothing is lost")});
    link.awaySeconds = 7.5;
    QCOMPARE(texts(watch.look(snapshot)), QStringList());
    link.way = HostWay::Straight;
    link.awaySeconds = 0;
    events = watch.look(snapshot);
    QCOMPARE(
        texts(events),
        QStringList{QStringLiteral("borea and cirrus have a direct connection again after 7.5 s")});
    QCOMPARE(texts(watch.look(snapshot)), QStringList());
  }

  void onlyTheBusiestAreDrawnAndTheyStay() {
    Snapshot snapshot;
    snapshot.host.name = QStringLiteral("atlas");
    for (int i = 1; i < 16; ++i) {
      HostView& host = snapshot.otherHosts.emplace_back();
      host.name = hostName(i);
      host.reach = HostReach::Answers;
    }
    for (int i = 1; i < 16; ++i)
      for (int j = i + 1; j < 16; ++j)
        snapshot.neighbourLinks.push_back(someLink(hostName(i), hostName(j), 0));
    HostPairs pairs;
    const auto drawn = [&](std::size_t link) {
      const HostLinkView& view = snapshot.neighbourLinks[link];
      return pairs.drawn().contains({linkBegin(view), linkEnd(view)});
    };
    pairs.look(snapshot);
    // This host with each other; between those nothing goes.
    QCOMPARE(pairs.drawn().size(), 15);
    QCOMPARE(pairs.left(), 0);
    for (std::size_t i = 0; i < 20; ++i)
      snapshot.neighbourLinks[i].messagesPerSecond = 100 + static_cast<double>(i);
    pairs.look(snapshot);
    QCOMPARE(pairs.drawn().size(), 15 + HostPairs::mostBetweenOthers);
    QCOMPARE(pairs.left(), 12);
    QVERIFY(drawn(19) && drawn(12) && !drawn(11));
    // A little more does not change the picture, twice as much does, a broken one at any rate.
    snapshot.neighbourLinks[11].messagesPerSecond = 130;
    pairs.look(snapshot);
    QVERIFY(drawn(12) && !drawn(11));
    snapshot.neighbourLinks[11].messagesPerSecond = 230;
    snapshot.neighbourLinks[50].way = HostWay::Broken;
    pairs.look(snapshot);
    QVERIFY(drawn(11) && drawn(50) && !drawn(12) && !drawn(13));
    // With room one stays that rests.
    for (HostLinkView& link : snapshot.neighbourLinks) {
      link.messagesPerSecond = 0;
      link.way = HostWay::Straight;
    }
    pairs.look(snapshot);
    QCOMPARE(pairs.drawn().size(), 15 + HostPairs::mostBetweenOthers);
    QCOMPARE(pairs.left(), 0);
    // A host that has ended takes its lines with it.
    snapshot.otherHosts[1].reach = HostReach::Ended;
    pairs.look(snapshot);
    for (const HostPair& pair : pairs.drawn())
      QVERIFY(pair.first != hostName(2) && pair.second != hostName(2));
  }

  // The table has them beside those of this host, and what is broken first; the canvas has a line.
  void theyAreRowsAndLines() {
    Stage stage(airTraffic(), 4, 1, false);
    auto* model = qobject_cast<QSortFilterProxyModel*>(stage.table->model());
    QAbstractItemModelTester tester(model->sourceModel(),
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), 6, patience);
    const QString link = QString::fromUtf8("borea – cirrus");
    const QString second = QString::fromUtf8("borea – delta");
    QTRY_COMPARE_WITH_TIMEOUT(stage.text(link, LinkModel::Rate), QStringLiteral("2.88 k"),
                              patience);
    QCOMPARE(stage.text(second, LinkModel::Rate), QStringLiteral("0.00 k"));
    QCOMPARE(stage.text(link, LinkModel::Transport), QStringLiteral("TCP, UDP"));
    QCOMPARE(stage.text(second, LinkModel::Transport), QStringLiteral("TCP"));
    QCOMPARE(stage.text(link, LinkModel::RoundTrip), QStringLiteral("0.40 ms"));
    QCOMPARE(stage.text(link, LinkModel::Lost), QStringLiteral("0"));
    QVERIFY(!stage.find(second).siblingAtColumn(LinkModel::Lost).data().isValid());
    for (int column = 0; column < LinkModel::ColumnCount; ++column) {
      const QString tip = stage.find(link).siblingAtColumn(column).data(Qt::ToolTipRole).toString();
      QVERIFY2(column == LinkModel::Transport || tip.contains(QStringLiteral("borea and cirrus")),
               qPrintable(tip));
    }
    // Nothing goes between the others, so there is one line; nothing is to be decided about it.
    QTRY_COMPARE_WITH_TIMEOUT(stage.lines(), QStringList{QStringLiteral("borea cirrus")}, patience);
    QTRY_VERIFY_WITH_TIMEOUT(stage.chips().contains(QStringLiteral("2.88 k/s")), patience);
    stage.table->setCurrentIndex(stage.find(link));
    emit stage.table->customContextMenuRequested({});
    QVERIFY(stage.page.findChild<QMenu*>(QStringLiteral("linkMenu")) == nullptr);
    stage.shoot(QStringLiteral("neighbours-4"));

    // One end of a link is not heard: its figures are old, and the link is up as far as is known.
    stage.scene->untoldFrom = stage.now();
    QTRY_VERIFY_WITH_TIMEOUT(stage.find(second).data(theme::StaleRole).toBool(), patience);
    QVERIFY(!stage.find(link).data(theme::StaleRole).toBool());
    QVERIFY(stage.find(second)
                .data(Qt::AccessibleTextRole)
                .toString()
                .contains(QStringLiteral("figures are ")));

    stage.scene->brokenFrom = stage.now();
    QTRY_COMPARE_WITH_TIMEOUT(model->index(0, LinkModel::Name).data().toString(), link, patience);
    QCOMPARE(stage.text(link, LinkModel::Transport), QStringLiteral("past the home"));
    QVERIFY(stage.text(link, LinkModel::RoundTrip).endsWith(QStringLiteral(" s ago")));
    QVERIFY(stage.find(link)
                .data(Qt::AccessibleTextRole)
                .toString()
                .contains(QStringLiteral("no direct connection for ")));
    QTRY_VERIFY_WITH_TIMEOUT(!stage.chips().filter(QStringLiteral("past the home")).isEmpty(),
                             patience);
    auto* silent = stage.page.findChild<theme::StatePill*>(QStringLiteral("pillLinksNoAnswer"));
    QCOMPARE(silent->text(), QStringLiteral("1 no answer"));
    // A run that goes on with all its data needs nobody.
    QVERIFY(stage.page.troubles().isEmpty());
    stage.shoot(QStringLiteral("neighbours-4-broken"));
  }

  void sixteenHostsStayReadable() {
    Stage stage(cityTraffic(), 16, 1, true);
    QAbstractItemModel* model = stage.table->model();
    QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), 120, patience);
    QTRY_COMPARE_WITH_TIMEOUT(stage.lines().size(), HostPairs::mostBetweenOthers, patience);
    const auto picture = stage.lines();
    QTRY_VERIFY_WITH_TIMEOUT(stage.page.topology()->linksLeft() > 50, patience);
    const auto* legend = stage.page.findChild<QWidget*>(QStringLiteral("topologyLegend"));
    QTRY_VERIFY_WITH_TIMEOUT(
        legend->toolTip().contains(QString::number(stage.page.topology()->linksLeft())), patience);
    stage.table->sortByColumn(LinkModel::Rate, Qt::DescendingOrder);
    const auto rate = [&](int row) {
      return model->index(row, LinkModel::Rate).data(LinkModel::SortRole).toDouble();
    };
    for (int row = 1; row < model->rowCount(); ++row) QVERIFY(rate(row - 1) >= rate(row));
    stage.shoot(QStringLiteral("neighbours-16"));
    QCOMPARE(stage.lines(), picture);
    auto* search = stage.page.findChild<QLineEdit*>(QStringLiteral("linkSearch"));
    search->setText(QStringLiteral("cirrus"));
    QCOMPARE(model->rowCount(), 15);
  }
};

QTEST_MAIN(TestNeighbourLinks)
#include "tst_neighbour_links.moc"
