// SPDX-License-Identifier: GPL-3.0-or-later
// Where federates are placed: needs are respected, nothing better exists in small cases (all
// placements are tried), and each choice and refusal has its reason.
#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "launcher/engine/placement.h"

using namespace tutti::launcher;

namespace {

PlacementFederate federate(const QString& name, double cores = 1, double memoryMb = 0) {
  PlacementFederate result;
  result.name = name;
  result.cores = cores;
  result.memoryMb = memoryMb;
  return result;
}

PlacementHost host(const QString& name, int cores, double memoryMb = 0,
                   const QStringList& labels = {}) {
  return {name, cores, memoryMb, labels};
}

/// What an assignment (host by federate, -1: none) costs, worked out from the definition in
/// placement.h; nothing when it breaks a rule.
std::optional<PlacementCost> costOf(const PlacementInput& input, const std::vector<int>& hosts) {
  PlacementCost cost;
  std::map<QString, std::set<int>> groups;
  std::map<QString, int> places;
  for (std::size_t h = 0; h < input.hosts.size(); ++h) {
    const PlacementHost& host = input.hosts[h];
    double cores = host.coresInUse;
    double memory = host.memoryInUseMb;
    double coresPlaced = 0;
    double memoryPlaced = 0;
    std::set<QString> sets;
    for (std::size_t f = 0; f < hosts.size(); ++f) {
      if (hosts[f] != int(h)) continue;
      const PlacementFederate& federate = input.federates[f];
      places[federate.name] = hosts[f];
      coresPlaced += federate.cores;
      memoryPlaced += federate.memoryMb;
      if (federate.pin && *federate.pin != host.name) return {};
      for (const QString& label : federate.labels) {
        if (!host.labels.contains(label)) return {};
      }
      for (const QString& set : federate.apart) {
        if (!sets.insert(set).second) return {};
      }
      if (!federate.group.isEmpty()) groups[federate.group].insert(hosts[f]);
    }
    // A host that others have overfilled can still take what needs nothing.
    cores += coresPlaced;
    memory += memoryPlaced;
    if (host.cores > 0 && coresPlaced > 0 && cores > host.cores + 1e-9) return {};
    if (host.memoryMb > 0 && memoryPlaced > 0 && memory > host.memoryMb + 1e-9) return {};
    const auto used = qint64(std::llround(cores * 1000));
    cost.unevenness += used * used / std::max<qint64>(host.cores * 1000, 1000);
  }
  for (const Exchange& exchange : input.exchanges) {
    const auto one = places.find(exchange.one);
    const auto other = places.find(exchange.other);
    if (one != places.end() && other != places.end() && one->second != other->second)
      cost.between += qint64(std::llround(exchange.weight * 1000));
  }
  for (const auto& [name, where] : groups) cost.splits += int(where.size()) - 1;
  cost.refused = int(input.federates.size() - places.size());
  return cost;
}

std::vector<int> assignmentOf(const PlacementInput& input, const Placement& placement) {
  std::vector<int> hosts;
  for (const PlacementFederate& federate : input.federates) {
    const QString name = placement.hostOf(federate.name);
    int at = -1;
    for (std::size_t h = 0; h < input.hosts.size(); ++h) {
      if (!name.isEmpty() && input.hosts[h].name == name) at = int(h);
    }
    hosts.push_back(at);
  }
  return hosts;
}

/// The least cost of all assignments.
PlacementCost leastCost(const PlacementInput& input) {
  std::optional<PlacementCost> least;
  std::vector<int> hosts(input.federates.size(), -1);
  for (;;) {
    if (const auto cost = costOf(input, hosts); cost && (!least || *cost < *least)) least = cost;
    std::size_t at = 0;
    while (at < hosts.size() && ++hosts[at] == int(input.hosts.size())) hosts[at++] = -1;
    if (at == hosts.size()) return *least;
  }
}

/// `most` federates or fewer on up to three hosts, with all kinds of needs, often too many.
PlacementInput randomInput(std::mt19937& random, int most) {
  const auto upTo = [&](unsigned last) { return random() % (last + 1); };
  PlacementInput input;
  const unsigned hosts = upTo(4) ? 3 : 1 + upTo(1);
  for (unsigned h = 0; h < hosts; ++h) {
    PlacementHost each = host(QStringLiteral("h%1").arg(h), int(upTo(5)), 500.0 * upTo(5));
    if (upTo(3)) each.labels << "gpu";
    if (upTo(3) == 0) each.coresInUse = 0.5 * upTo(3);
    if (upTo(3) == 0) each.memoryInUseMb = 100.0 * upTo(5);
    input.hosts.push_back(each);
  }
  const auto federates = int(1 + upTo(unsigned(most) - 1));
  for (int f = 0; f < federates; ++f) {
    PlacementFederate each =
        federate(QStringLiteral("f%1").arg(f), 0.5 * upTo(3), upTo(1) ? 100.0 * upTo(6) : 0);
    if (upTo(4) == 0) each.labels << "gpu";
    if (upTo(3) == 0) each.group = QStringLiteral("g%1").arg(upTo(1));
    if (upTo(9) == 0) each.pin = QStringLiteral("h%1").arg(upTo(2));
    if (upTo(3) == 0) each.apart << QStringLiteral("s%1").arg(upTo(1));
    input.federates.push_back(each);
  }
  const unsigned exchanges = upTo(unsigned(federates) * 2);
  for (unsigned e = 0; e < exchanges; ++e) {
    input.exchanges.push_back({QStringLiteral("f%1").arg(upTo(unsigned(federates))),
                               QStringLiteral("f%1").arg(upTo(unsigned(federates))),
                               0.25 * upTo(40)});
  }
  return input;
}

QStringList lines(const Placement& placement) {
  QStringList result;
  for (const PlacedFederate& each : placement.placed)
    result << QStringLiteral("%1 on %2: %3").arg(each.federate, each.host, each.reason);
  for (const RefusedFederate& each : placement.refused)
    result << QStringLiteral("%1 refused: %2").arg(each.federate, each.reason);
  return result;
}

/// 100 federates in 20 chains of five with some exchange between chains, on 16 hosts that they
/// nearly fill.
PlacementInput largeInput() {
  std::mt19937 random{7};
  PlacementInput input;
  for (int h = 0; h < 16; ++h)
    input.hosts.push_back(host(QStringLiteral("host-%1").arg(h), 8, 16000,
                               h % 4 == 0 ? QStringList{"gpu"} : QStringList{}));
  for (int f = 0; f < 100; ++f) {
    PlacementFederate each =
        federate(QStringLiteral("federate-%1").arg(f), 0.5 * double(1 + random() % 3), 1500);
    if (f % 25 == 0) each.labels << "gpu";
    if (f % 10 == 0) each.apart << "sensors";
    each.group = QStringLiteral("chain-%1").arg(f / 5);
    input.federates.push_back(each);
    if (f % 5 != 0)
      input.exchanges.push_back(
          {input.federates[std::size_t(f) - 1].name, each.name, double(50 + random() % 50)});
    if (f % 3 == 0)
      input.exchanges.push_back(
          {QStringLiteral("federate-%1").arg(random() % 100), each.name, double(random() % 20)});
  }
  return input;
}

}  // namespace

class TestPlacement : public QObject {
  Q_OBJECT

 private slots:
  void whatExchangesMuchStaysTogether() {
    PlacementInput input;
    input.hosts = {host("alpha", 2), host("beta", 2)};
    input.federates = {federate("a"), federate("b"), federate("c"), federate("d")};
    input.exchanges = {{"a", "c", 100}, {"b", "d", 40}, {"a", "b", 5}};
    const Placement placement = place(input);
    QCOMPARE(lines(placement),
             (QStringList{"a on alpha: It exchanges 100 messages/s with c there.",
                          "b on beta: It exchanges 40 messages/s with d there.",
                          "c on alpha: It exchanges 100 messages/s with a there.",
                          "d on beta: It exchanges 40 messages/s with b there."}));
    QCOMPARE(placement.between, 5.0);
    QCOMPARE(placement.total, 145.0);
    QVERIFY(placement.exact);
  }

  void whatExchangesNothingIsSpread() {
    PlacementInput input;
    input.hosts = {host("alpha", 8), host("beta", 4)};
    for (const char* name : {"a", "b", "c"}) input.federates.push_back(federate(name, 2));
    const Placement placement = place(input);
    int onAlpha = 0;
    for (const PlacedFederate& each : placement.placed) onAlpha += each.host == "alpha";
    QCOMPARE(onAlpha, 2);
    QVERIFY2(placement.placed[0].reason.startsWith("It exchanges nothing with others, and "),
             qPrintable(placement.placed[0].reason));
  }

  void eachRuleHasItsReason() {
    PlacementInput input;
    input.hosts = {host("alpha", 4, 8000, {"gpu"}), host("beta", 4, 8000), host("gamma", 2)};
    PlacementFederate pinned = federate("pinned");
    pinned.pin = "beta";
    PlacementFederate render = federate("render", 2);
    render.labels = QStringList{"gpu"};
    PlacementFederate one = federate("one");
    PlacementFederate two = federate("two");
    one.apart = two.apart = QStringList{"twins"};
    one.group = pinned.group = "west";
    input.federates = {pinned, render, one, two};
    input.exchanges = {{"one", "two", 10}, {"one", "pinned", 3}};
    const Placement placement = place(input);
    QCOMPARE(placement.hostOf("one"), "beta");
    QVERIFY(placement.hostOf("two") != "beta");
    QCOMPARE(lines(placement).mid(0, 3),
             (QStringList{"pinned on beta: It is pinned to beta.",
                          "render on alpha: Only alpha has what it needs: 2 cores and the label "
                          "gpu.",
                          "one on beta: It exchanges 3 messages/s with pinned there; with two on " +
                              placement.hostOf("two") +
                              " it exchanges 10, but that host has two (to be kept apart)."}));
  }

  void groupsStayTogetherWhenNothingElseDecides() {
    PlacementInput input;
    input.hosts = {host("alpha", 8), host("beta", 8)};
    for (const char* name : {"a", "b", "c", "d"}) {
      PlacementFederate each = federate(name);
      each.group = QString(name) < "c" ? "one" : "two";
      input.federates.push_back(each);
    }
    const Placement placement = place(input);
    QCOMPARE(placement.hostOf("a"), placement.hostOf("b"));
    QCOMPARE(placement.hostOf("c"), placement.hostOf("d"));
    QVERIFY(placement.hostOf("a") != placement.hostOf("c"));
    QCOMPARE(placement.placed[0].reason,
             "It is in the group one with b, and exchanges nothing with others.");
  }

  void refusalsSayWhatIsMissing_data() {
    QTest::addColumn<QString>("which");
    QTest::addColumn<int>("need");
    QTest::addColumn<QString>("best");
    QTest::addColumn<double>("lacking");
    QTest::addColumn<QString>("reason");
    QTest::newRow("cores") << "cores" << int(PlacementNeed::Cores) << "beta" << 2.0
                           << "It needs 8 cores; beta comes closest and has 2 cores too few (6 of "
                              "its 6 cores left).";
    QTest::newRow("memory") << "memory" << int(PlacementNeed::Memory) << "alpha" << 500.0
                            << "It needs 1 core and 4500 MB; alpha comes closest and has 500 MB "
                               "too few (4000 MB of its 4000 MB left).";
    QTest::newRow("labels") << "labels" << int(PlacementNeed::Labels) << "alpha" << 0.0
                            << "It needs 1 core and the labels gpu and fpga; alpha comes closest "
                               "and lacks the label fpga.";
    QTest::newRow("both") << "both" << int(PlacementNeed::Labels) << "alpha" << 0.0
                          << "It needs 5 cores and the labels gpu and fpga; alpha comes closest "
                             "and lacks the label fpga and has 1 core too few (4 of its 4 cores "
                             "left).";
    QTest::newRow("unknown pin") << "unknown pin" << int(PlacementNeed::Pin) << "" << 0.0
                                 << "It is pinned to gamma, which is not among the hosts.";
    QTest::newRow("pin") << "pin" << int(PlacementNeed::Cores) << "alpha" << 1.0
                         << "It needs 5 cores and is pinned to alpha, which has 1 core too few (4 "
                            "of its 4 cores left).";
  }
  void refusalsSayWhatIsMissing() {
    QFETCH(QString, which);
    QFETCH(int, need);
    QFETCH(QString, best);
    QFETCH(double, lacking);
    QFETCH(QString, reason);
    PlacementFederate each = federate("a");
    if (which == "cores") each.cores = 8;
    if (which == "memory") each.memoryMb = 4500;
    if (which == "labels" || which == "both") each.labels = QStringList{"gpu", "fpga"};
    if (which == "both" || which == "pin") each.cores = 5;
    if (which == "unknown pin") each.pin = "gamma";
    if (which == "pin") each.pin = "alpha";
    PlacementInput input;
    input.hosts = {host("alpha", 4, 4000, {"gpu"}), host("beta", 6, 2000)};
    input.federates = {each};
    const Placement placement = place(input);
    QVERIFY(placement.placed.empty());
    QCOMPARE(placement.refused.size(), 1u);
    QCOMPARE(placement.refused[0].reason, reason);
    QCOMPARE(int(placement.refused[0].need), need);
    QCOMPARE(placement.refused[0].bestHost, best);
    QCOMPARE(placement.refused[0].lacking, lacking);
  }

  void whatIsInUseIsNotGivenAgain() {
    PlacementInput input;
    input.hosts = {host("alpha", 4)};
    input.hosts[0].coresInUse = 3;
    input.federates = {federate("a"), federate("b")};
    const Placement placement = place(input);
    QCOMPARE(placement.placed.size(), 1u);
    QCOMPARE(placement.refused.size(), 1u);
    QVERIFY2(placement.refused[0].reason.contains("has 1 core too few (0 of its 4 cores left)"),
             qPrintable(placement.refused[0].reason));
  }

  void nothingToPlaceOrNowhereToGo() {
    QVERIFY(place({}).placed.empty());
    PlacementInput nobody;
    nobody.hosts = {host("alpha", 4)};
    QVERIFY(place(nobody).refused.empty());
    PlacementInput nowhere;
    nowhere.federates = {federate("a")};
    QCOMPARE(place(nowhere).refused[0].reason, "There is no host to place it on.");
  }

  void figuresThatMakeNoSenseDoNoHarm() {
    PlacementInput input;
    input.hosts = {host("alpha", 4, qQNaN()), host("beta", -1, -5)};
    input.federates = {federate("a", qQNaN(), -1), federate("b", 1e300, qInf()),
                       federate("c", -qInf())};
    input.exchanges = {
        {"a", "c", qQNaN()}, {"a", "c", -1}, {"a", "a", 5}, {"x", "a", 5}, {"a", "b", qInf()}};
    const Placement placement = place(input);
    QCOMPARE(placement.placed.size() + placement.refused.size(), 3u);
  }

  /// For few federates the result costs as little as the best of all assignments.
  void smallCasesAreAsGoodAsAllPlacementsTried_data() {
    QTest::addColumn<int>("seed");
    QTest::addColumn<int>("federates");
    QTest::addColumn<int>("cases");
    QTest::newRow("up to 5") << 1 << 5 << 400;
    QTest::newRow("up to 7") << 2 << 7 << 60;
    QTest::newRow("up to 8") << 3 << 8 << 25;
  }
  void smallCasesAreAsGoodAsAllPlacementsTried() {
    QFETCH(int, seed);
    QFETCH(int, federates);
    QFETCH(int, cases);
    std::mt19937 random{unsigned(seed)};
    int refusing = 0;
    int cutting = 0;
    int alsoByNeighbours = 0;
    for (int round = 0; round < cases; ++round) {
      PlacementInput input = randomInput(random, federates);
      const PlacementCost least = leastCost(input);
      const Placement placement = place(input);
      const auto cost = costOf(input, assignmentOf(input, placement));
      QVERIFY2(cost, qPrintable(QStringLiteral("case %1 breaks a rule").arg(round)));
      QVERIFY(placement.exact);
      QVERIFY2(*cost == least, qPrintable(QStringLiteral("case %1: %2 refused, %3 between; best "
                                                         "%4, %5")
                                              .arg(round)
                                              .arg(cost->refused)
                                              .arg(cost->between)
                                              .arg(least.refused)
                                              .arg(least.between)));
      QVERIFY(placement.cost == *cost);
      for (const RefusedFederate& each : placement.refused) QVERIFY(!each.reason.isEmpty());
      refusing += least.refused > 0;
      cutting += least.between > 0;
      input.exactSteps = 0;
      alsoByNeighbours += place(input).cost == least;
    }
    QVERIFY(refusing > 0 && cutting > 0);
    qInfo(
        "%d cases, %d with refusals, %d with exchange between hosts; the search by neighbours "
        "alone finds the best of %d",
        cases, refusing, cutting, alsoByNeighbours);
  }

  /// No exhaustive search there, but rules hold, and no single move or swap makes it better.
  void largeCasesKeepTheRules() {
    const PlacementInput input = largeInput();
    const Placement placement = place(input);
    QVERIFY2(placement.refused.empty(), qPrintable(lines(placement).last()));
    std::vector<int> hosts = assignmentOf(input, placement);
    const auto cost = costOf(input, hosts);
    QVERIFY(cost);
    QVERIFY(*cost == placement.cost);
    for (std::size_t f = 0; f < hosts.size(); ++f) {
      const int was = hosts[f];
      for (int h = 0; h < int(input.hosts.size()); ++h) {
        hosts[f] = h;
        const auto moved = costOf(input, hosts);
        QVERIFY2(!moved || !(*moved < *cost), qPrintable(input.federates[f].name));
      }
      hosts[f] = was;
    }
    QCOMPARE(lines(place(input)), lines(placement));
  }

  void hundredFederatesOnSixteenHosts() {
    const PlacementInput input = largeInput();
    QElapsedTimer clock;
    clock.start();
    const Placement placement = place(input);
    qInfo("100 federates on 16 hosts: %lld ms, %g of %g messages/s between hosts, %d refused",
          clock.elapsed(), placement.between, placement.total, placement.cost.refused);
    QCOMPARE(placement.placed.size(), 100u);
    // It is what the definition says of it, and far better than one host after the other.
    std::vector<int> hosts;
    std::map<QString, std::size_t> inTurn;  // without a look at what they need
    for (const auto& federate : input.federates) {
      const auto found = std::find_if(
          input.hosts.begin(), input.hosts.end(),
          [&](const auto& each) { return each.name == placement.hostOf(federate.name); });
      QVERIFY(found != input.hosts.end());
      hosts.push_back(int(found - input.hosts.begin()));
      inTurn.emplace(federate.name, inTurn.size() % input.hosts.size());
    }
    const auto cost = costOf(input, hosts);
    QVERIFY(cost && *cost == placement.cost);
    double control = 0;
    for (const Exchange& exchange : input.exchanges) {
      if (inTurn[exchange.one] != inTurn[exchange.other]) control += exchange.weight;
    }
    qInfo("one host after the other: %g messages/s between hosts", control);
    QVERIFY(placement.between * 5 < control);
  }
};

QTEST_GUILESS_MAIN(TestPlacement)
#include "tst_placement.moc"
