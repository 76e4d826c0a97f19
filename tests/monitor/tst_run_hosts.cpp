// SPDX-License-Identifier: GPL-3.0-or-later
// The page Run of a run over 4 and 16 hosts, which all say what they and their processes use.
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <memory>

#include "monitor/engine/feed.h"
#include "monitor/ui/host_item.h"
#include "monitor/ui/link_facts.h"
#include "monitor/ui/run_workspace.h"
#include "monitor/ui/topology_view.h"
#include "resources/theme/theme.h"
#include "tests/monitor/pictures.h"
#include "tests/monitor/scene.h"

using namespace tutti;
using namespace tutti::monitor;
using namespace tutti::monitor::test;

namespace {

constexpr int federatesOfHost = 3;

/// Federates f1 ... on hosts, of which the first is this one. The clock goes slowly: figures are
/// not known after 3 s of it, however long a page takes to be painted.
struct Cluster {
  explicit Cluster(int count)
      : clock(std::make_shared<SceneClock>(0.2)),
        scene(std::make_shared<Scene>(clock, QStringLiteral("air-traffic"), actorsOf(count))),
        page(&feed, nullptr) {
    std::vector<RosterHost> roster;
    std::vector<RosterEntry> entries;
    for (int host = 0; host < count; ++host) {
      const QString name = nameOf(host);
      QStringList there;
      for (int i = 0; i < federatesOfHost; ++i) {
        there << QStringLiteral("f%1").arg(host * federatesOfHost + i + 1);
        entries.push_back({there.back(), QStringLiteral("radar 1.4"), name, 0});
      }
      if (host == 0) continue;
      HostLinkReading link;
      link.peer = QStringLiteral("run-7.") + name;
      link.address = QStringLiteral("10.0.0.%1:15165").arg(host + 1);
      link.federates = there;
      scene->hostLinks.push_back(link);
      RosterHost one;
      one.name = name;
      one.state = RosterHost::State::Up;
      one.load = 0.42;
      one.node = QStringLiteral("rti-") + name;
      roster.push_back(one);
      hosts << name;
    }
    page.resize(1368, 804);
    page.show();
    feed.start([source = scene] { return source; }, clock);
    feed.setRoster(entries);
    feed.setHosts(roster);
    QObject::connect(&agents, &QTimer::timeout, [this] { say(); });
    agents.start(600);
  }

  static QString nameOf(int host) {
    return host == 0 ? QStringLiteral("atlas")
                     : QStringLiteral("node%1").arg(host + 1, 2, 10, QChar(u'0'));
  }
  static std::vector<Actor> actorsOf(int count) {
    std::vector<Actor> actors(static_cast<std::size_t>(count * federatesOfHost));
    for (std::size_t i = 0; i < actors.size(); ++i) {
      actors[i].name = QStringLiteral("f%1").arg(i + 1);
      actors[i].component = QStringLiteral("radar 1.4");
      actors[i].sent = 300;
      actors[i].to = {{(i + federatesOfHost) % actors.size(), 300}};
    }
    return actors;
  }
  /// What every host says once in a while: 8 cores, half of them used, a quarter of that for the
  /// system.
  void say() {
    const double t = clock->seconds();
    const auto ticks = [&](double share) {
      return static_cast<std::uint64_t>(share * t * 100'000);
    };
    for (const QString& host : hosts) {
      HostSample sample;
      sample.host = host;
      sample.ticksPerSecond = 100'000;
      sample.nanoseconds = clock->monotonicNanoseconds();
      sample.reading = {ticks(3), ticks(1), ticks(4), 64'000'000'000, 40'000'000'000, 0, 8};
      sample.reading.networkBytes = static_cast<std::uint64_t>(1.4e6 * t);
      sample.processes[QStringLiteral("rti-") + host] = {
          70, {ticks(0.05), ticks(0.01), 9'000'000, 'S'}};
      for (std::size_t i = 0; i < feed.current()->federates.size(); ++i) {
        const FederateView& view = feed.current()->federates[i];
        const double share = 0.1 + 0.05 * static_cast<double>(i % 17);
        if (view.host == host)
          sample.processes[view.name] = {80 + static_cast<std::int64_t>(i),
                                         {ticks(share), ticks(0.05), 41'000'000, 'S'}};
      }
      feed.noteSample(sample);
    }
  }
  QString texts(const QString& host) const {
    for (QGraphicsItem* item : page.topology()->scene()->items())
      if (auto* box = dynamic_cast<HostItem*>(item); box && box->name() == host)
        return box->texts().join(u'|').replace(QChar(0x202f), u' ');
    return {};
  }
  void shoot(const QString& name) { monitor::test::keepPicture(page, name); }

  std::shared_ptr<SceneClock> clock;
  std::shared_ptr<Scene> scene;
  QStringList hosts;  ///< besides this one
  Feed feed;
  RunWorkspace page;
  QTimer agents;
};

}  // namespace

class TestRunHosts : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<theme::Theme> theme_;

 private Q_SLOTS:
  void initTestCase() { theme_ = monitor::test::makeTheme(); }

  void figuresOfOtherHosts_data() {
    QTest::addColumn<int>("count");
    QTest::newRow("4 hosts") << 4;
    QTest::newRow("16 hosts") << 16;
  }
  void figuresOfOtherHosts() {
    QFETCH(int, count);
    Cluster cluster(count);
    const QString last = cluster.hosts.back();
    const QString figures = QStringLiteral("8 cores, 50 %|24.0 of 64.0 GB|6 %, 3 joined");
    QTRY_VERIFY2_WITH_TIMEOUT(cluster.texts(last).contains(figures),
                              qPrintable(cluster.texts(last)), 30'000);
    QVERIFY2(cluster.texts(last).contains("Network 1.4 MB/s, load 0.42"),
             qPrintable(cluster.texts(last)));
    QTRY_VERIFY(std::all_of(cluster.feed.current()->federates.begin(),
                            cluster.feed.current()->federates.end(), [](const FederateView& each) {
                              return each.host == QStringLiteral("atlas") ||
                                     (each.cpuUser > 0.05 && each.residentBytes == 41e6);
                            }));
    cluster.shoot(QStringLiteral("run-%1-hosts").arg(count));
    cluster.page.topology()->setZoom(1);
    cluster.shoot(QStringLiteral("run-%1-hosts-near").arg(count));
  }

  /// Those that need somebody first.
  void linksStandAsPeopleCountHosts() {
    std::vector<HostLinkView> links;
    for (const char* host : {"node10", "node2", "node11", "node1"}) {
      HostLinkView link;
      link.peer = QStringLiteral("run-7.") + QLatin1String(host);
      link.address = QStringLiteral("10.0.0.7:15165");
      link.suspect = link.peer.endsWith(QStringLiteral("11"));
      links.push_back(link);
    }
    QStringList hosts;
    for (const Fact& fact : linkFacts(links)) {
      if (fact.kind == Fact::Kind::Section) hosts << fact.label.section(u' ', 1, 1);
    }
    QCOMPARE(hosts, (QStringList{"node11", "node1", "node2", "node10"}));
  }
};

QTEST_MAIN(TestRunHosts)
#include "tst_run_hosts.moc"
