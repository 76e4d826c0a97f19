// SPDX-License-Identifier: GPL-3.0-or-later
// The page Deploy with a Slurm cluster: what Slurm says of it, canned for states that are hard to
// get into, and of a real one.
#include <QAbstractItemModelTester>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QListView>
#include <QMainWindow>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include "composer/model/document.h"
#include "launcher/ui/cluster_models.h"
#include "launcher/ui/cluster_panes.h"
#include "launcher/ui/cluster_watch.h"
#include "launcher/ui/deploy_workspace.h"
#include "launcher/ui/host_watch.h"
#include "launcher/ui/hosts_model.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "tests/launcher/slurm_answers.h"
#include "tests/launcher/slurm_lab.h"

using namespace tutti;
using namespace tutti::launcher;

namespace {

/// The page in a window of the console's size.
struct Window {
  explicit Window(composer::Document* document, const QSize& size = QSize(1368, 804)) {
    page = new DeployWorkspace(document, &frame);
    frame.setCentralWidget(page);
    frame.resize(size);
    frame.show();
    page->setActive(true);
    shown = QTest::qWaitForWindowExposed(&frame, 20000);
  }

  template <typename T>
  T* find(const char* name) const {
    T* widget = page->findChild<T*>(QString::fromLatin1(name));
    if (widget == nullptr) qFatal("no widget %s", name);
    return widget;
  }
  QListView* hosts() const { return find<QListView>("hostList"); }
  ClusterPanes* panes() const { return page->findChild<ClusterPanes*>(); }
  theme::DockTitleBar* title(const char* dock) const {
    return page->titleBar(find<QDockWidget>(dock));
  }
  /// The answers of a cluster, as if Slurm had given them now; it is not asked any more.
  void answer(const QString& cluster, const test::SlurmAnswers& answers) const {
    page->clusterWatch()->setActive(false);
    page->clusterWatch()->cancel();
    auto state = clusterStateOf(page->clusterWatch()->find(cluster)->cluster, answers.sinfo(),
                                "sim|up|8:00:00\ngpu|drain|infinite\n", answers.squeue());
    if (state) state->user = "me";
    page->clusterWatch()->take(cluster, state, 0.04);
  }
  /// Clicks the cluster in the list of hosts.
  void choose(const QString& cluster) const {
    const auto* model = hosts()->model();
    for (int row = 0; row < model->rowCount(); ++row) {
      const auto index = model->index(row, 0);
      if (index.data(HostsModel::ClusterRole).toString() != cluster) continue;
      hosts()->scrollTo(index);
      QTest::mouseClick(hosts()->viewport(), Qt::LeftButton, {},
                        hosts()->visualRect(index).center());
      return;
    }
    qFatal("no cluster %s", qPrintable(cluster));
  }

  QMainWindow frame;
  DeployWorkspace* page = nullptr;
  bool shown = false;
};

QStringList rowsOf(const QAbstractItemModel* model) {
  QStringList result;
  for (int row = 0; row < model->rowCount(); ++row) {
    QStringList cells;
    for (int column = 0; column < model->columnCount(); ++column)
      cells << model->index(row, column).data().toString();
    result << cells.join(" | ");
  }
  return result;
}

}  // namespace

class TestDeployCluster : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    qputenv("XDG_STATE_HOME", folder_.filePath("state").toUtf8());
    qputenv("TUTTI_BIN", TUTTI_BINARY_DIR "/bin");
    theme_ = new theme::Theme(this);
    theme_->apply(theme::Appearance::Light);
  }

  void statesOfNodes_data() {
    QTest::addColumn<QString>("state");
    QTest::addColumn<QString>("use");
    QTest::newRow("idle") << "idle"
                          << "idle";
    QTest::newRow("planned for a job that waits") << "idle+planned"
                                                  << "idle";
    QTest::newRow("in part") << "mixed"
                             << "allocated";
    QTest::newRow("ends a job") << "allocated+completing"
                                << "allocated";
    QTest::newRow("does not answer") << "idle+not_responding"
                                     << "down";
    QTest::newRow("down and drained") << "down+drain"
                                      << "down";
    QTest::newRow("drained") << "idle+drain"
                             << "drained";
    QTest::newRow("still has a job") << "allocated+drain"
                                     << "drained";
    QTest::newRow("reserved") << "idle+reserved"
                              << "not available";
    QTest::newRow("never seen") << "unknown"
                                << "not available";
    QTest::newRow("nothing") << ""
                             << "not available";
  }
  void statesOfNodes() {
    QFETCH(QString, state);
    QFETCH(QString, use);
    QCOMPARE(nodeUseText(nodeUse(state)), use);
  }

  void reasonsOfLaterVersionsAreRead() {
    const auto state = clusterStateOf({}, R"({"sinfo":[
      {"node":{"state":["DOWN"]},"nodes":{"nodes":["n1","n2"]},"partition":{"name":"sim"},
       "reason":{"description":"power","user":"ops","time":{"set":true,"number":1700000000}}}]})",
                                      "sim|up|1:00:00\n", R"({"jobs":[]})");
    QVERIFY2(state, qPrintable(state ? QString() : state.error().message()));
    const NodeReason expected{"power", "ops", QDateTime::fromSecsSinceEpoch(1700000000)};
    QCOMPARE(state->reasons.at("n2"), expected);
  }

  void showsWhatSlurmSays() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    Window window(&document);
    QVERIFY(window.shown);
    window.answer("hpc", test::busyCluster());
    const auto* hosts = window.hosts()->model();
    QCOMPARE(hosts->index(1, 0).data(HostsModel::PillRole).toString(), "9 of 30 idle");
    window.choose("hpc");

    auto* partitions = window.find<QTreeView>("partitionTable");
    QAbstractItemModelTester testPartitions(partitions->model());
    QCOMPARE(rowsOf(partitions->model()),
             QStringList({"all | 18 of 30 | 9 | ", "gpu | 1 of 4 | drain | none",
                          "sim | 17 of 26 | 6 | 8 h"}));
    // Their sum, and what is known of the answer.
    QCOMPARE(window.title("nodesPane")->caption(),
             "all partitions: 9 idle, 18 allocated, 2 of them ours, 1 down, 2 drained");
    QVERIFY2(window.panes()->notice().startsWith("Slurm of hpc answered in "),
             qPrintable(window.panes()->notice()));

    partitions->setCurrentIndex(partitions->model()->index(2, 0));
    QCOMPARE(window.panes()->partition(), "sim");
    QCOMPARE(window.title("nodesPane")->caption(),
             "sim: 6 idle, 17 allocated, 2 of them ours, 1 down, 2 drained");
    auto* nodes = window.find<QListView>("nodeBoxes")->model();
    QAbstractItemModelTester testNodes(nodes);
    QCOMPARE(nodes->rowCount(), 26);
    QVERIFY2(rowsOf(nodes).at(13).startsWith("n14 | sim | down | Not responding (root) | "),
             qPrintable(rowsOf(nodes).at(13)));
    QVERIFY2(rowsOf(nodes).at(6).contains("allocated, ours") &&
                 rowsOf(nodes).at(6).contains("102 range-42"),
             qPrintable(rowsOf(nodes).at(6)));
    const QString why = window.find<QLabel>("nodeReasons")->text();
    QVERIFY2(why.contains("n14 is down since") && why.contains("Not responding (root)") &&
                 why.contains("n21 is drained since") && why.contains("disk"),
             qPrintable(why));

    auto* queue = window.find<QTreeView>("queueTable")->model();
    QAbstractItemModelTester testQueue(queue);
    const QStringList jobs = rowsOf(queue);
    QCOMPARE(jobs.size(), 35);  // 2 run in sim, 33 wait
    QVERIFY2(jobs.at(0).startsWith("– | 101 | cfd-mesh | mlee | sim | 10 | running | "),
             qPrintable(jobs.at(0)));
    QVERIFY2(jobs.at(2).startsWith("1 | 110 | wx-ens | akrol | sim | 14 | Resources | about "),
             qPrintable(jobs.at(2)));
    QVERIFY2(jobs.at(3).startsWith("2 | 111 | city-traffic | you | sim | 8 | Priority | about "),
             qPrintable(jobs.at(3)));
    QCOMPARE(jobs.at(4), "3 | 112 | huge | jsoto | sim | 99 | PartitionNodeLimit | – | –");
    QVERIFY(queue->index(4, 0).data(Qt::ToolTipRole).toString().contains("never start"));
    QVERIFY2(window.title("queuePane")->caption().startsWith("sim: 2 running, 33 waiting"),
             qPrintable(window.title("queuePane")->caption()));

    // A later answer changes what is there and keeps what is chosen.
    test::SlurmAnswers later;
    later.node("n01", "sim", "idle");
    later.node("g1", "gpu", "idle");
    window.answer("hpc", later);
    QCOMPARE(window.panes()->partition(), "sim");
    QCOMPARE(rowsOf(nodes).size(), 1);
    QCOMPARE(queue->rowCount(), 0);
    QVERIFY(window.find<QLabel>("queueEmpty")->isVisible());
  }

  void tablesLeaveAsCsv() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    Window window(&document);
    auto answers = test::busyCluster();
    answers.waiting(200, "a \"b\", c", "me", "gpu", 1, "Resources", -1);
    window.answer("hpc", answers);
    window.choose("hpc");
    const QString file = folder_.filePath("queue.csv");
    QString why;
    QVERIFY2(window.panes()->exportTable(*window.find<QTreeView>("queueTable")->model(), "Queue",
                                         file, &why),
             qPrintable(why));
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QStringList lines = QString::fromUtf8(written.readAll()).split('\n', Qt::SkipEmptyParts);
    QVERIFY2(lines.at(0).startsWith("# Queue, hpc, "), qPrintable(lines.at(0)));
    QCOMPARE(lines.at(1), "Pos.,Job,Name,User,Partition,Nodes,\"State, reason\",Starts,Ends");
    QCOMPARE(lines.size(), 2 + 37);
    QVERIFY(lines.contains("34,200,\"a \"\"b\"\", c\",you,gpu,1,Resources,,"));
    QVERIFY(!window.panes()->exportTable(*window.find<QTreeView>("queueTable")->model(), "Queue",
                                         folder_.filePath("none/queue.csv"), &why));
    QVERIFY2(why.contains("none/queue.csv") && why.contains("another folder"), qPrintable(why));
  }

  void aControllerThatDoesNotAnswerIsSaid() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    Window window(&document);
    // The file names a configuration that is not there.
    QTRY_VERIFY(window.page->clusterWatch()->find("hpc")->error.has_value());
    window.choose("hpc");
    QVERIFY2(window.panes()->notice().startsWith(
                 "hpc does not answer. The configuration of hpc, /nowhere/slurm.conf, cannot be "
                 "read."),
             qPrintable(window.panes()->notice()));
    QVERIFY2(window.panes()->notice().contains("Correct \"configuration\""),
             qPrintable(window.panes()->notice()));
    auto* again = window.find<QPushButton>("askClusterAgain");
    QVERIFY(again->isVisible());
    QCOMPARE(window.title("queuePane")->caption(), "no answer");
    // What it said before stays, with its age.
    window.answer("hpc", test::busyCluster());
    QVERIFY(!again->isVisible());
    QTest::mouseMove(window.hosts());
    window.page->clusterWatch()->ask("hpc");
    QTRY_VERIFY(window.page->clusterWatch()->find("hpc")->error.has_value());
    QVERIFY2(window.panes()->notice().contains("What is shown is what it said "),
             qPrintable(window.panes()->notice()));
    QCOMPARE(window.find<QListView>("nodeBoxes")->model()->rowCount(), 30);
    QCOMPARE(window.hosts()->model()->index(1, 0).data(HostsModel::PillRole).toString(),
             "No answer");
  }

  void panesAreThereWithAClusterOnly() {
    composer::Document document(composer::Catalog::readDefault());
    open(document, "{}");
    Window window(&document);
    const auto hidden = [&](const char* dock) {
      return window.find<QDockWidget>(dock)->isHidden();
    };
    QVERIFY(hidden("partitionsPane") && hidden("nodesPane") && hidden("queuePane"));
    QVERIFY(!window.find<QDockWidget>("nodesPane")->toggleViewAction()->isVisible());
    write("other.hosts.json", cluster);
    window.page->useHostsFile(folder_.filePath("other.hosts.json"));
    QVERIFY(!hidden("partitionsPane") && !hidden("nodesPane") && !hidden("queuePane"));
    QCOMPARE(window.panes()->cluster(), "hpc");
  }

  void aRealClusterIsShown() {
    if (const QString why = test::noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
    test::SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const int other = lab.occupy(2, lab.partition());
    QVERIFY(other > 0);
    composer::Document document(composer::Catalog::readDefault());
    QVERIFY(document.load(lab.sampleAt({})));
    Window window(&document);
    window.page->useHostsFile(lab.hostsFile());
    window.choose("slurm");
    const auto* queue = window.find<QTreeView>("queueTable")->model();
    QTRY_COMPARE_WITH_TIMEOUT(queue->rowCount(), 1, test::slurmMs);
    QVERIFY2(
        rowsOf(queue).front().startsWith(QStringLiteral("– | %1 | other | you | %2 | 2 | running")
                                             .arg(other)
                                             .arg(lab.partition())),
        qPrintable(rowsOf(queue).front()));
    QCOMPARE(window.title("nodesPane")->caption(), "all partitions: 2 allocated, 2 of them ours");
    // It is asked again without being told.
    lab.slurm({"scontrol", "update", "nodename=" + lab.host(2), "state=drain", "reason=disk"});
    lab.slurm({"scancel", QString::number(other)});
    QTRY_COMPARE_WITH_TIMEOUT(window.title("nodesPane")->caption(),
                              "all partitions: 1 idle, 1 drained", test::slurmMs);
    QTRY_VERIFY_WITH_TIMEOUT(
        window.find<QLabel>("nodeReasons")->text().contains(lab.host(2) + " is drained"),
        test::slurmMs);
    // The page goes while Slurm is being asked.
    window.page->clusterWatch()->ask("slurm");
  }

  void looksRight() {
    const auto target = qEnvironmentVariable("TUTTI_SCREENSHOTS");
    if (target.isEmpty()) return;  // Only made for somebody to look at.
    for (const auto appearance : {theme::Appearance::Light, theme::Appearance::Dark}) {
      theme_->apply(appearance);
      const QString suffix = appearance == theme::Appearance::Light ? "light" : "dark";
      for (const QString name : {"busy", "partition", "silent", "none"}) {
        composer::Document document(composer::Catalog::readDefault());
        open(document, name == "none" ? "{}" : cluster);
        Window window(&document);
        QTRY_VERIFY(!window.page->isChecking());
        if (name != "none") {
          QTRY_VERIFY(window.page->clusterWatch()->find("hpc")->error.has_value());
          if (name != "silent") window.answer("hpc", test::busyCluster());
          window.choose("hpc");
          if (name == "partition") window.panes()->setPartition("sim");
        }
        QTest::qWait(1200);  // The host's figures are means.
        QVERIFY(window.frame.grab().save(
            QStringLiteral("%1/cluster-%2-%3.png").arg(target, name, suffix)));
      }
    }
    theme_->apply(theme::Appearance::Light);
  }

 private:
  static constexpr const char* cluster =
      R"({"clusters": {"hpc": {"configuration": "/nowhere/slurm.conf", "partitions": {
        "sim": {"nodes": {"n01": {"state": "idle", "cores": 16}}},
        "gpu": {"nodes": {"g1": {"state": "idle", "cores": 16, "labels": ["gpu"]}}}}}}})";

  void write(const QString& name, const QByteArray& content) const {
    QFile output(folder_.filePath(name));
    QVERIFY(output.open(QIODevice::WriteOnly));
    output.write(content);
  }

  /// The sample in a file of its own with that hosts file beside it.
  void open(composer::Document& document, const char* hosts = cluster) const {
    const QString file = folder_.filePath("air.federation.json");
    QFile::remove(file);
    QVERIFY(
        QFile::copy(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json", file));
    write("air.hosts.json", hosts);
    QVERIFY(document.load(file));
  }

  QTemporaryDir folder_;
  theme::Theme* theme_ = nullptr;
};

QTEST_MAIN(TestDeployCluster)
#include "tst_deploy_cluster.moc"
