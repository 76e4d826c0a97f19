// SPDX-License-Identifier: GPL-3.0-or-later
// The smaller job that could start now: which one is found, and what is said of it.
#include <QTest>

#include "launcher/engine/start_offer.h"

using namespace tutti::launcher;

namespace {

const QDateTime now(QDate(2026, 11, 25), QTime(14, 16));

Allocation::Request request(int nodes, int limit = 60, double seconds = 0) {
  Allocation::Request result;
  result.cluster.name = "hpc";
  result.cluster.timeLimit = limit;
  result.partition = "sim";
  result.nodes = nodes;
  result.seconds = seconds;
  return result;
}

std::vector<Allocation::Request> below(int nodes, int limit = 60, double seconds = 0) {
  std::vector<Allocation::Request> result;
  for (int each = nodes - 1; each > 0; --each) result.push_back(request(each, limit, seconds));
  return result;
}

/// A Slurm that starts at once what needs at most so many nodes for at most so many minutes.
struct Slurm {
  int nodes = 0;
  int minutes = 0;
  int asked = 0;
  bool answers = true;
  AskForecast ask() {
    return [this](const Allocation::Request& request) -> std::optional<JobForecast> {
      ++asked;
      if (!answers) return {};
      const bool fits = request.nodes <= nodes && minutesOf(request) <= minutes;
      return JobForecast{true, {}, now.addSecs(fits ? 1 : 3600), "n[1-6]"};
    };
  }
};

NodeFederate federate(const QString& name, double cores, int number, bool pinned = false) {
  return {name, name, {cores, 0, {}}, {}, pinned, true, number};
}

}  // namespace

class TestStartOffer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLargestThatStartsNowIsFound_data() {
    QTest::addColumn<int>("wanted");
    QTest::addColumn<double>("seconds");
    QTest::addColumn<int>("idle");
    QTest::addColumn<int>("free");  // minutes
    QTest::addColumn<int>("nodes");
    QTest::addColumn<int>("minutes");
    QTest::newRow("none") << 8 << 0.0 << 0 << 600 << 0 << 0;
    QTest::newRow("six of eight") << 8 << 0.0 << 6 << 600 << 6 << 60;
    QTest::newRow("one of two") << 2 << 0.0 << 1 << 600 << 1 << 60;
    QTest::newRow("none of one") << 1 << 0.0 << 0 << 600 << 0 << 0;
    QTest::newRow("23 of 32") << 32 << 0.0 << 23 << 600 << 23 << 60;
    QTest::newRow("22 of 32") << 32 << 0.0 << 22 << 600 << 22 << 60;
    QTest::newRow("7 of 300") << 300 << 0.0 << 7 << 600 << 7 << 60;
    QTest::newRow("299 of 300") << 300 << 0.0 << 299 << 600 << 299 << 60;
    QTest::newRow("too long a time") << 8 << 0.0 << 6 << 59 << 0 << 0;
    // 25 minutes, and five to start and stop.
    QTest::newRow("the run needs less time") << 8 << 1500.0 << 8 << 30 << 8 << 30;
    QTest::newRow("fewer nodes and less time") << 8 << 1500.0 << 6 << 45 << 6 << 30;
    QTest::newRow("fewer nodes, and all the time") << 8 << 1500.0 << 6 << 60 << 6 << 60;
  }
  void theLargestThatStartsNowIsFound() {
    QFETCH(int, wanted);
    QFETCH(double, seconds);
    QFETCH(int, idle);
    QFETCH(int, free);
    QFETCH(int, nodes);
    QFETCH(int, minutes);
    Slurm slurm{idle, free};
    const auto offer =
        findOffer(request(wanted, 60, seconds), below(wanted, 60, seconds), slurm.ask(), now);
    QCOMPARE(offer.has_value(), nodes > 0);
    QVERIFY(slurm.asked <= 16);
    if (!offer) return;
    QCOMPARE(offer->request.nodes, nodes);
    QCOMPARE(minutesOf(offer->request), minutes);
    QCOMPARE(offer->isShorter, minutes < 60);
  }

  void aSlurmThatDoesNotAnswerIsAskedOnce() {
    Slurm slurm{6, 600};
    slurm.answers = false;
    QVERIFY(!findOffer(request(8), below(8), slurm.ask(), now));
    QCOMPARE(slurm.asked, 1);
  }

  void onlyPlacementsThatFitAreAskedFor() {
    Partition sim;
    sim.name = "sim";
    for (const char* name : {"n1", "n2", "n3", "n4"})
      sim.nodes.push_back({name, "idle", 16, 64000, {}, {}});
    std::vector<NodeFederate> federates;
    for (int i = 1; i <= 8; ++i)
      federates.push_back(federate(QString("f%1").arg(i), 5, (i + 1) / 2));
    // Three of five cores fit on 16: eight need three nodes.
    auto fewer = withFewerNodes(request(4), federates, sim);
    QCOMPARE(fewer.size(), 1U);
    QCOMPARE(fewer[0].nodes, 3);
    QCOMPARE(fewer[0].cores, 15.0);
    // One that is pinned to the last node keeps all of them.
    federates[7].pinned = true;
    QVERIFY(withFewerNodes(request(4), federates, sim).empty());
    federates[7].pinned = false;
    // Nothing is known of the nodes: Slurm says it.
    sim.nodes.clear();
    fewer = withFewerNodes(request(4), federates, sim);
    QCOMPARE(fewer.size(), 3U);
    QCOMPARE(fewer[2].nodes, 1);
    QCOMPARE(fewer[2].cores, 40.0);
  }

  void whoTakesTheNodesNextIsRead() {
    const QByteArray squeue =
        "48209|2026-11-25T15:20:00|n[4-5]\n48201_[1-9]|2026-11-25T14:52:00|n[02-03],n4\n"
        "48216|N/A|(null)\n48190|2026-11-25T14:20:00|g1\n48000|2026-11-25T14:00:00|n4\n";
    const NextTaker expected{48201, QDateTime(QDate(2026, 11, 25), QTime(14, 52))};
    QCOMPARE(nextOn("n[4-6]", squeue, now), std::optional(expected));
    QVERIFY(!nextOn("n9", squeue, now));
    QVERIFY(!nextOn("", squeue, now));
  }

  void theReasonIsSaid() {
    StartOffer offer;
    offer.request = request(6, 30, 1500);
    offer.forecast = {true, {}, now, "n[1-6]"};
    offer.isShorter = true;
    offer.next = NextTaker{48201, now.addSecs(36 * 60)};
    QCOMPARE(offerTitle(offer), "6 nodes for 30 min could start now");
    QCOMPARE(offerReason(offer, 87, 16, now),
             "They end at 14:46, before job 48201 takes them at 14:52. The run needs 87 of their "
             "96 cores and stops after 25 min.");
    // Nobody comes behind them; a partition of which nothing is known; one node without a limit.
    offer.next.reset();
    QCOMPARE(offerReason(offer, 87, 0, now), "They end at 14:46. The run stops after 25 min.");
    offer.request = request(1, 0);
    QCOMPARE(offerTitle(offer), "1 node could start now");
    QCOMPARE(offerReason(offer, 7.5, 16, now), "The run needs 7.5 of its 16 cores.");
  }
};

QTEST_GUILESS_MAIN(TestStartOffer)
#include "tst_start_offer.moc"
