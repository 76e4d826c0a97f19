// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts for the federates of a composition that name none, at a launch: on hosts, and on nodes of a
// Slurm partition or job.
#include <QTest>

#include "launcher/engine/launch_placement.h"
#include "tests/composer/fixture.h"

using namespace tutti::composer;
using namespace tutti::composer::test;
using namespace tutti::launcher;

namespace {

const QByteArray lab = R"({"hosts": {
  "alpha": {"destination": "me@alpha", "cores": 4, "labels": ["gpu"]},
  "beta": {"destination": "me@beta", "cores": 4},
  "desk": {"cores": 2}}, "clusters": {"hpc": {"partitions": {"sim": {"nodes": {
    "n1": {"cores": 8, "memory": 32000, "labels": ["fast", "gpu"]},
    "n2": {"cores": 4, "memory": 16000, "labels": ["fast"]},
    "n3": {"cores": 4, "memory": 16000, "labels": ["fast"]}}}}}}})";

Deployment hosts() {
  const auto read = JsonSource::parse(lab, "/x/lab.hosts.json").and_then(&Deployment::fromSource);
  if (!read) qFatal("%s", qPrintable(read.error().message()));
  return *read;
}

Federate needing(const QString& name, double cores, const QString& host = {}) {
  Federate one = federate(name, "any");
  one.resources.cores = cores;
  one.host = host;
  return one;
}

/// "a on alpha", or why not, one line each.
QStringList linesOf(const LaunchPlacement& found) {
  QStringList lines;
  for (const auto& each : found.placement.placed)
    lines << QStringLiteral("%1 on %2").arg(each.federate, each.host);
  for (const auto& each : found.placement.refused)
    lines << QStringLiteral("%1: %2").arg(each.federate, each.reason);
  return lines;
}

}  // namespace

class TestLaunchPlacement : public QObject {
  Q_OBJECT

  static tl::expected<LaunchPlacement, QString> on(
      const Composition& composition, const std::optional<PlacementNodes>& nodes = {}) {
    return placeForLaunch(composition, Catalog(), hosts(), nodes, {});
  }

 private Q_SLOTS:
  void init() {
    for (const char* name : {"SLURM_JOB_ID", "SLURM_JOB_PARTITION", "SLURM_CLUSTER_NAME",
                             "SLURM_JOB_NODELIST", "SLURM_JOB_CPUS_PER_NODE", "SLURM_MEM_PER_NODE"})
      qunsetenv(name);
  }

  void onlyWhoHasNoHostIsPlaced() {
    Composition given = composition({needing("big", 4), needing("placed", 1, "beta"),
                                     needing("here", 1), needing("off", 9), needing("free", 2)});
    given.federates.at("here").pinned = true;
    given.federates.at("off").enabled = false;
    const auto found = on(given);
    QVERIFY2(found, qPrintable(found ? QString() : found.error()));
    QCOMPARE(linesOf(*found),
             (QStringList{"big on alpha", "free on beta", "here on desk", "placed on beta"}));
    QCOMPARE(found->placement.placed[0].reason,
             "Only alpha has what it needs (as the composition says): 4 cores.");
    QCOMPARE(found->placement.placed[3].reason, "The composition places it there.");
    Composition expected = given;
    expected.federates.at("big").host = "alpha";
    expected.federates.at("free").host = "beta";
    QVERIFY(found->composition == expected);
    QCOMPARE(found->chosen.size(), 2u);
    QVERIFY(found->chosen.contains("big") && found->chosen.contains("free"));
  }

  void whatIsTooMuchAndPlacedByHandIsNotRefused() {
    // Nine cores and two that are to be kept apart are on beta, as somebody wanted.
    Composition given = composition(
        {needing("a", 5, "beta"), needing("b", 4, "beta"), needing("c", 1), needing("d", 3)});
    for (const char* id : {"a", "b", "c"}) given.federates.at(id).apart = QStringList("set");
    given.federates.at("a").resources.labels = QStringList("gpu");
    const auto found = on(given);
    QVERIFY2(found, qPrintable(found ? QString() : found.error()));
    // beta takes no more; who is to be kept apart from these is elsewhere.
    QCOMPARE(linesOf(*found), (QStringList{"a on beta", "b on beta", "c on desk", "d on alpha"}));
  }

  void aNeedThatNoHostMeetsIsRefused() {
    const Composition given = composition({needing("small", 1), needing("huge", 6)});
    const auto found = on(given);
    QVERIFY(found);
    QCOMPARE(found->placement.refused.size(), 1u);
    QVERIFY2(found->placement.refused[0].reason.startsWith(
                 "It needs 6 cores (as the composition says); "),
             qPrintable(found->placement.refused[0].reason));
    QVERIFY(found->composition == given);
    QVERIFY(found->chosen.empty());
  }

  void twoOfOneNameCannotBePlaced() {
    Composition given = composition({needing("a", 1), needing("b", 1)});
    given.federates.at("b").name = "a";
    const auto found = on(given);
    QVERIFY(!found);
    QVERIFY2(found.error().contains("Two federates are called \"a\""), qPrintable(found.error()));
  }

  void asFewNodesAsAreEnough_data() {
    QTest::addColumn<QList<double>>("cores");
    QTest::addColumn<int>("nodes");
    QTest::addColumn<int>("used");
    QTest::newRow("one node of eight cores") << QList<double>{4, 4} << 0 << 1;
    // Of two nodes Slurm may give those of four cores.
    QTest::newRow("two") << QList<double>{4, 3, 1, 1} << 0 << 3;
    QTest::newRow("three") << QList<double>{3, 3, 3} << 0 << 3;
    QTest::newRow("as many as are wanted") << QList<double>{4, 4, 4} << 3 << 3;
  }
  void asFewNodesAsAreEnough() {
    QFETCH(QList<double>, cores);
    QFETCH(int, nodes);
    QFETCH(int, used);
    Composition given = composition({needing("elsewhere", 9, "alpha")});
    for (int i = 0; i < cores.size(); ++i) {
      const Federate one = needing(QStringLiteral("f%1").arg(i), cores[i]);
      given.federates.emplace(one.id, one);
    }
    const auto found = on(given, PlacementNodes{"hpc", "sim", nodes});
    QVERIFY2(found, qPrintable(found ? QString() : found.error()));
    QVERIFY2(found->placement.refused.empty(), qPrintable(linesOf(*found).join(u'\n')));
    QSet<QString> names;
    for (const auto& [id, federate] : found->composition.federates) {
      if (id != "elsewhere") names << federate.host;
    }
    QCOMPARE(names.size(), used);
    for (const QString& name : names) QVERIFY2(name.startsWith("hpc/sim/"), qPrintable(name));
    QCOMPARE(found->composition.federates.at("elsewhere").host, "alpha");
  }

  void partitionsRefuse_data() {
    QTest::addColumn<Federate>("federate");
    QTest::addColumn<QString>("partition");
    QTest::addColumn<int>("nodes");
    QTest::addColumn<QString>("saying");
    const auto row = [](const char* name, const Federate& one, const QString& partition, int nodes,
                        const char* saying) {
      QTest::newRow(name) << one << partition << nodes << QString(saying);
    };
    Federate gpu = needing("a", 1);
    gpu.resources.labels = QStringList("gpu");
    row("a label of some nodes only", gpu, "sim", 0, "lacks the label gpu");
    row("too many cores", needing("a", 9), "sim", 0, "has 1 core too few");
    row("more nodes than there are", needing("a", 1), "sim", 4, "hpc/sim has 3 nodes, and 4 are");
    row("another partition", needing("a", 1), "debug", 0, "no partition \"debug\"");
    row("placed beyond", needing("a", 1, "hpc/sim/3"), "sim", 2,
        "a is placed on node 3 of hpc/sim");
  }
  void partitionsRefuse() {
    QFETCH(Federate, federate);
    QFETCH(QString, partition);
    QFETCH(int, nodes);
    QFETCH(QString, saying);
    const auto found = on(composition({federate}), PlacementNodes{"hpc", partition, nodes});
    const QString said = found ? linesOf(*found).join(u'\n') : found.error();
    QVERIFY2(said.contains(saying), qPrintable(said));
  }

  void theNodesOfTheJobAreTheHosts() {
    QVERIFY(!*nodesOfJob(hosts()));
    qputenv("SLURM_JOB_ID", "77");
    qputenv("SLURM_JOB_PARTITION", "sim");
    qputenv("SLURM_CLUSTER_NAME", "called-otherwise");
    qputenv("SLURM_JOB_NODELIST", "n[2-3]");
    qputenv("SLURM_JOB_CPUS_PER_NODE", "4,2");
    qputenv("SLURM_MEM_PER_NODE", "1000");
    const auto nodes = nodesOfJob(hosts());
    QVERIFY2(nodes && *nodes, qPrintable(nodes ? QString() : nodes.error()));
    QCOMPARE((*nodes)->cluster, "hpc");  // the only one
    QCOMPARE((*nodes)->nodes, 2);
    QCOMPARE((*nodes)->of->cores, 2.0);
    QCOMPARE((*nodes)->of->memoryMb, 1048.576);
    QCOMPARE((*nodes)->of->labels, QStringList("fast"));
    Federate fast = needing("a", 2);
    fast.resources.labels = QStringList("fast");
    const auto found = on(composition({fast, needing("b", 1)}), *nodes);
    QVERIFY2(found, qPrintable(found ? QString() : found.error()));
    QVERIFY(found->composition.federates.at("a").host != found->composition.federates.at("b").host);
    QVERIFY(found->composition.federates.at("a").host.startsWith("hpc/sim/"));
    // A job has no more nodes than it has.
    const auto full = on(composition({fast, needing("b", 2), needing("c", 1)}), *nodes);
    QVERIFY(full);
    QCOMPARE(full->placement.refused.size(), 1u);

    qputenv("SLURM_JOB_PARTITION", "debug");
    const auto other = nodesOfJob(hosts());
    QVERIFY(!other);
    QVERIFY2(other.error().contains("no partition \"debug\""), qPrintable(other.error()));
    qputenv("SLURM_JOB_PARTITION", "sim");
    qputenv("SLURM_JOB_NODELIST", "n[");
    QVERIFY(!nodesOfJob(hosts()));
    Deployment none = hosts();
    none.clusters.clear();
    QVERIFY(!*nodesOfJob(none));
  }
};

QTEST_GUILESS_MAIN(TestLaunchPlacement)
#include "tst_launch_placement.moc"
