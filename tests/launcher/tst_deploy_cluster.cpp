// SPDX-License-Identifier: GPL-3.0-or-later
// The page Deploy with a Slurm cluster: what Slurm says of it, canned for states that are hard to
// get into, and of a real one.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <QUndoStack>
#include <memory>

#include "composer/model/document.h"
#include "launcher/engine/slurm_forecast.h"
#include "launcher/ui/allocation_pane.h"
#include "launcher/ui/cluster_models.h"
#include "launcher/ui/cluster_panes.h"
#include "launcher/ui/cluster_watch.h"
#include "launcher/ui/host_watch.h"
#include "launcher/ui/hosts_model.h"
#include "launcher/ui/partition_placement.h"
#include "launcher/ui/placement_board.h"
#include "launcher/ui/placement_page.h"
#include "launcher/ui/script_pane.h"
#include "launcher/ui/start_offer_box.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "tests/launcher/deploy_window.h"
#include "tests/launcher/fake_ssh.h"
#include "tests/launcher/slurm_answers.h"
#include "tests/launcher/slurm_lab.h"

using namespace tutti;
using namespace tutti::launcher;

namespace {

/// The page in a window of the console's size.
struct Window : test::DeployWindow {
  using DeployWindow::DeployWindow;

  PlacementBoard* board() const { return page->findChild<PlacementBoard*>(); }
  /// The boxes as a person reads them: "Node 1 of sim: flow, log".
  QStringList boxes() const {
    QStringList result;
    for (const BoardBox& box : board()->content()) {
      QStringList names;
      for (const BoardCard& card : box.cards) names << card.name;
      result << box.title + ": " + names.join(", ");
    }
    return result;
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
};

QString id(const composer::Document& document, const QString& name) {
  return document.composition().findByName(name)->id;
}

/// Lets go of the selected federates there.
void drop(PlacementBoard* board, const QPoint& where) {
  const std::unique_ptr<QMimeData> mime(mimeOfFederates(board->selection()));
  QDragEnterEvent enter(where, Qt::MoveAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(board->viewport(), &enter);
  QVERIFY(enter.isAccepted());
  QDragMoveEvent move(where, Qt::MoveAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(board->viewport(), &move);
  QDropEvent event(where, Qt::MoveAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(board->viewport(), &event);
}

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
    QCOMPARE(jobs.at(4),
             "3 | 112 | huge | jsoto | sim | 99 | PartitionNodeLimit | – | – | will never start "
             "as it is");
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
    // All of it can be read, however low the pane is made.
    auto* said = window.find<QLabel>("clusterNotice");
    window.frame.resize(1000, 420);
    QTRY_VERIFY2(said->height() >= said->heightForWidth(said->width()),
                 qPrintable(QString::number(said->height())));
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

  void federatesArePlacedOnNumberedNodes() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    Window window(&document);
    window.answer("hpc", test::busyCluster());
    QCOMPARE(window.boxes(),
             QStringList("this machine: flow-north, flow-south, radar-east, radar-west, detector, "
                         "log"));
    // A chosen partition offers its first node.
    window.choose("hpc");
    window.panes()->setPartition("sim");
    QTRY_COMPARE(window.boxes().size(), 2);
    auto* board = window.board();
    const QString flow = id(document, "flow-north");
    QVERIFY(!board->titleRect("hpc/sim/1").isNull());
    // With the mouse, to its box.
    QTest::mouseClick(board->viewport(), Qt::LeftButton, {}, board->cardRect(flow).center());
    drop(board, board->titleRect("hpc/sim/1").center());
    QCOMPARE(document.federate(flow)->host, "hpc/sim/1");
    QCOMPARE(document.undoStack().undoText(), "place flow-north on hpc/sim/1");
    // Now the next one is there.
    QTRY_COMPARE(window.boxes(),
                 QStringList({"this machine: flow-south, radar-east, radar-west, detector, log",
                              "Node 1 of sim: flow-north", "Node 2 of sim: "}));
    QCOMPARE(window.board()->content().at(1).note, "Slurm chooses it when the run starts");
    QCOMPARE(window.board()->content().at(1).figure, "0.5 of 16 cores");
    // A group, to the row of the partition: to its free node, one undo step.
    const QStringList radars{id(document, "radar-east"), id(document, "radar-west")};
    board->select(radars);
    auto* partitions = window.panes()->partitions();
    const std::unique_ptr<QMimeData> mime(mimeOfFederates(radars));
    QVERIFY(
        !partitions->canDropMimeData(mime.get(), Qt::MoveAction, -1, -1, partitions->index(0, 0)));
    QVERIFY(partitions->dropMimeData(mime.get(), Qt::MoveAction, -1, -1, partitions->index(2, 0)));
    QTRY_COMPARE(window.boxes().at(2), "Node 2 of sim: radar-east, radar-west");
    document.undoStack().undo();
    QTRY_COMPARE(window.boxes().at(2), "Node 2 of sim: ");
    document.undoStack().redo();
    // By key, to the box behind.
    QTRY_COMPARE(window.boxes().size(), 4);
    board->setFocus(Qt::TabFocusReason);
    board->select({flow});
    board->setCurrent(flow);
    QTest::keyClick(board, Qt::Key_Right, Qt::ControlModifier);
    QTRY_COMPARE(document.federate(flow)->host, "hpc/sim/2");
    // By name, from the menu.
    board->select({id(document, "detector")});
    QMenu menu;
    window.page->findChild<PlacementPage*>()->fillMenu(menu);
    QStringList names;
    auto* move = menu.findChild<QMenu*>("moveMenu");
    for (const auto* action : move->actions()) names << action->text();
    QCOMPARE(names, QStringList({"this machine", "Node 1 of sim", "Node 2 of sim", "Node 3 of sim",
                                 "A node of hpc/gpu"}));
    move->actions().at(4)->trigger();
    QCOMPARE(document.federate(id(document, "detector"))->host, "hpc/gpu/1");
    // The run is not kept back by it, and the hosts' list has no rows of nodes.
    QTRY_VERIFY(!window.page->isChecking());
    QVERIFY(!window.page->whyNotRun().contains("placed"));
    QCOMPARE(window.hosts()->model()->rowCount(), 2);
  }

  void whatAPartitionCannotGiveIsRefused_data() {
    QTest::addColumn<int>("nodes");
    QTest::addColumn<double>("cores");
    QTest::addColumn<double>("memory");
    QTest::addColumn<QStringList>("labels");
    QTest::addColumn<QString>("why");
    QTest::newRow("fits") << 2 << 16.0 << 32000.0 << QStringList("net") << "";
    QTest::newRow("too many nodes")
        << 4 << 1.0 << 0.0 << QStringList()
        << "sim has 3 nodes, and 4 are named. Name fewer, or another partition.";
    QTest::newRow("a label that none has")
        << 1 << 1.0 << 0.0 << QStringList("x11")
        << "No node of sim has the label x11. Name another partition or a host.";
    QTest::newRow("a label that some have")
        << 1 << 1.0 << 0.0 << QStringList("gpu")
        << "The label gpu is needed, 1 of the 3 nodes of sim have it, and Slurm chooses which ones "
           "it gives. Name a partition whose nodes all have it.";
    QTest::newRow("cores that no node has")
        << 1 << 17.0 << 0.0 << QStringList()
        << "17 cores are needed on one node, and no node of sim has so much. Spread the federates "
           "over more nodes, or name another partition.";
    QTest::newRow("memory that one node has")
        << 2 << 2.0 << 40000.0 << QStringList()
        << "2 cores and 40000 MB are needed on one node, and only 1 node of sim has so much. "
           "Spread the federates over more nodes, or name another partition.";
  }
  void whatAPartitionCannotGiveIsRefused() {
    QFETCH(int, nodes);
    QFETCH(double, cores);
    QFETCH(double, memory);
    QFETCH(QStringList, labels);
    QFETCH(QString, why);
    Partition sim;
    sim.name = "sim";
    sim.nodes = {{"n1", "idle", 16, 64000, {"gpu", "net"}, {}},
                 {"n2", "idle", 16, 32000, {"net"}, {}},
                 {"n3", "down", 8, 32000, {"net"}, {}}};
    std::vector<NodeNeed> needs(static_cast<std::size_t>(nodes));
    needs.back() = {cores, memory, labels};
    QCOMPARE(whyNotInPartition(sim, needs), why);
    // A file that was written by hand lists no nodes: Slurm itself will say.
    sim.nodes.clear();
    QCOMPARE(whyNotInPartition(sim, needs), "");
  }

  void aRefusedFederateStaysAndIsSaid() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    document.setCount(id(document, "log"), 200);
    Window window(&document);
    window.answer("hpc", test::busyCluster());
    window.choose("hpc");
    window.panes()->setPartition("sim");
    QTRY_COMPARE(window.boxes().size(), 2);
    QSignalSpy said(window.page, &theme::Workspace::failed);
    auto* board = window.board();
    const int before = document.undoStack().index();
    board->select({id(document, "log")});
    QTest::mouseClick(board->viewport(), Qt::LeftButton, {},
                      board->cardRect(id(document, "log")).center());
    drop(board, board->titleRect("hpc/sim/1").center());
    QCOMPARE(said.size(), 1);
    QCOMPARE(said.front().at(0).toString(), "log cannot be placed on Node 1 of sim");
    QVERIFY2(said.front().at(1).toString().contains("no node of sim has so much"),
             qPrintable(said.front().at(1).toString()));
    QCOMPARE(document.federate(id(document, "log"))->host, "");
    QCOMPARE(document.undoStack().index(), before);
  }

  void automaticPlacementLeavesNodesOfClustersAlone() {
    composer::Document document(composer::Catalog::readDefault());
    open(document,
         R"({"hosts": {"far": {"destination": "far.invalid", "cores": 64, "memory": 64000}},
                       "clusters": {"hpc": {"configuration": "/nowhere/slurm.conf"}}})");
    document.setHost({id(document, "log")}, "hpc/sim/1");
    Window window(&document);
    QTRY_COMPARE(window.boxes().size(), 4);  // here, far, the node, and a free one
    QTest::mouseClick(window.find<QPushButton>("placeAutomatically"), Qt::LeftButton);
    QTRY_COMPARE(document.federate(id(document, "flow-north"))->host, "far");
    QCOMPARE(document.federate(id(document, "log"))->host, "hpc/sim/1");
  }

  void forecastsAreRead_data() {
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("start");
    QTest::addColumn<QString>("said");
    // As sbatch 22.05 wrote them.
    QTest::newRow("given")
        << QByteArray(
               "sbatch: Job 3 to start at 2026-11-24T17:40:00 using 2 processors on nodes "
               "lab[1-2] in partition lab\n")
        << 0 << "2026-11-24T17:40:00"
        << "lab[1-2]";
    QTest::newRow("too many nodes")
        << QByteArray(
               "sbatch: error: Batch job submission failed: Node count specification "
               "invalid\n")
        << 1 << ""
        << "Batch job submission failed: Node count specification invalid";
    QTest::newRow("refused")
        << QByteArray("allocation failure: Requested node configuration is not available\n") << 1
        << ""
        << "Requested node configuration is not available";
  }
  void forecastsAreRead() {
    QFETCH(QByteArray, words);
    QFETCH(int, exitCode);
    QFETCH(QString, start);
    QFETCH(QString, said);
    const JobForecast read = forecastOf(words, exitCode);
    QCOMPARE(read.isAllowed, exitCode == 0);
    QCOMPARE(read.start, QDateTime::fromString(start, Qt::ISODate));
    QCOMPARE(read.isAllowed ? read.nodes : read.words, said);
  }

  void whatIsAskedForIsEdited() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    Window window(&document);
    window.answer("hpc", test::busyCluster());
    QVERIFY(window.find<QLabel>("allocationEmpty")->isVisibleTo(window.page));
    document.setHost({id(document, "radar-east"), id(document, "radar-west"), id(document, "log"),
                      id(document, "detector")},
                     "hpc/sim/1");
    auto* nodes = window.find<QSpinBox>("allocationNodes");
    QTRY_COMPARE(nodes->value(), 1);
    QTRY_VERIFY(!window.find<QLabel>("allocationEmpty")->isVisibleTo(window.page));
    // More nodes: the same federates, spread by their cores. One undo step.
    nodes->setValue(2);
    QCOMPARE(document.undoStack().undoText(), "spread hpc/sim over 2 nodes");
    QTRY_COMPARE(window.boxes().size(), 4);
    QCOMPARE(window.board()->content().at(1).cards.size(), 2U);
    QCOMPARE(window.board()->content().at(2).cards.size(), 2U);
    // More than there are federates is refused, and said.
    nodes->setValue(5);
    auto* problem = window.find<QLabel>("allocationProblem");
    QCOMPARE(problem->text(),
             "4 federates cannot be spread over 5 nodes: a node without a "
             "federate is not asked for.");
    QCOMPARE(nodes->value(), 2);
    // Another partition: all of them, node by node.
    auto* partition = window.find<QComboBox>("allocationPartition");
    partition->setCurrentIndex(partition->findText("gpu"));
    Q_EMIT partition->activated(partition->currentIndex());
    QCOMPARE(document.undoStack().undoText(), "move hpc/sim to hpc/gpu");
    QCOMPARE(document.federate(id(document, "log"))->host.section('/', 0, 1), "hpc/gpu");
    document.undoStack().undo();
    QTRY_COMPARE(partition->currentText(), "sim");
    // What is the cluster's goes to the hosts file, and from there into the plan.
    auto* account = window.find<QLineEdit>("allocationAccount");
    account->setText("simlab");
    Q_EMIT account->editingFinished();
    window.find<QSpinBox>("allocationLimit")->setValue(90);
    QCOMPARE(window.find<QSpinBox>("allocationSave")->value(), 5);
    window.find<QSpinBox>("allocationSave")->setValue(12);
    window.find<QCheckBox>("allocationContinue")->setChecked(true);
    const auto file = Deployment::read(folder_.filePath("air.hosts.json"));
    QVERIFY(file);
    QCOMPARE(file->cluster("hpc")->account, "simlab");
    QCOMPARE(file->cluster("hpc")->timeLimit, 90);
    QCOMPARE(file->cluster("hpc")->saveBeforeLimit, 12);
    QVERIFY(file->cluster("hpc")->continues);
    QCOMPARE(file->cluster("hpc")->configuration, "/nowhere/slurm.conf");
    auto* plan = window.find<QPlainTextEdit>("planText");
    QTRY_VERIFY(plan->toPlainText().contains("\"account\": \"simlab\""));
    // A pinned federate stays where it is.
    document.setPinned({id(document, "log")}, true);
    const QString before = document.federate(id(document, "log"))->host;
    nodes->setValue(before == "hpc/sim/2" ? 1 : 3);
    if (before == "hpc/sim/2")
      QVERIFY2(problem->text().startsWith("log is pinned to node 2"), qPrintable(problem->text()));
    QCOMPARE(document.federate(id(document, "log"))->host, before);
  }

  void spareNodesAreAskedFor() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    Window window(&document);
    window.answer("hpc", test::busyCluster());
    const QStringList ids{id(document, "radar-east"), id(document, "radar-west")};
    document.setHost(ids, "hpc/sim/1");
    document.setHost({id(document, "log")}, "hpc/sim/2");
    document.setRequired(id(document, "log"), false);
    for (const QString& one : ids) document.setRequired(one, true);
    auto* note = window.find<QWidget>("allocationNoSpare");
    auto* detail = window.find<QLabel>("allocationNoSpareDetail");
    auto* ask = window.find<QPushButton>("allocationAskForSpare");
    QTRY_VERIFY(note->isVisibleTo(window.page));
    QCOMPARE(window.find<QLabel>("allocationNoSpareTitle")->text(),
             "No spare: a lost node stops the run");
    // A spare would be no use.
    QTRY_VERIFY2(detail->text().startsWith("2 required federates would not be started again"),
                 qPrintable(detail->text()));
    QVERIFY(!ask->isVisibleTo(window.page));
    composer::Restart again;
    again.when = composer::Restart::When::OnFailure;
    for (const QString& one : ids) document.setRestart(one, again);
    QTRY_COMPARE(detail->text(), "2 required federates would have no node.");
    QVERIFY(ask->isVisibleTo(window.page));
    QCOMPARE(ask->text(), "Ask for 3 nodes");
    auto* spares = window.find<QSpinBox>("allocationSpares");
    QVERIFY(!spares->isEnabled());
    ask->click();
    QVERIFY(!note->isVisibleTo(window.page));
    auto* ifNodeDies = window.find<QComboBox>("allocationIfNodeDies");
    QCOMPARE(ifNodeDies->currentText(), "Restart on a spare node");
    QVERIFY(spares->isEnabled());
    QCOMPARE(spares->value(), 1);
    spares->setValue(2);
    auto file = Deployment::read(folder_.filePath("air.hosts.json"));
    QVERIFY(file && file->restartsOnSpare);
    QCOMPARE(file->cluster("hpc")->spareNodes, 2);
    auto* script = window.page->findChild<ScriptPane*>();
    QTRY_VERIFY(window.find<QPlainTextEdit>("scriptText")->toPlainText().contains("--nodes=4"));
    QVERIFY(script->why().isEmpty());
    // One that is never started again is said beside spares too.
    document.setRestart(ids.front(), {});
    QTRY_VERIFY(note->isVisibleTo(window.page));
    QVERIFY2(detail->text().startsWith("1 required federate would not be started again"),
             qPrintable(detail->text()));
    ifNodeDies->setCurrentIndex(0);
    Q_EMIT ifNodeDies->activated(0);
    file = Deployment::read(folder_.filePath("air.hosts.json"));
    QVERIFY(file && !file->restartsOnSpare);
    QTRY_VERIFY(window.find<QPlainTextEdit>("scriptText")->toPlainText().contains("--nodes=2"));
  }

  void theScriptIsShownCopiedAndSaved() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    Window window(&document);
    auto* script = window.page->findChild<ScriptPane*>();
    QTRY_VERIFY2(script->why().startsWith("No federate is placed on a node of a cluster."),
                 qPrintable(script->why()));
    QVERIFY(!script->copyAction()->isEnabled() && !script->saveAction()->isEnabled());
    document.setHost({id(document, "log"), id(document, "detector")}, "hpc/sim/1");
    document.setHost({id(document, "radar-east")}, "hpc/sim/2");
    QTRY_VERIFY(script->why().isEmpty());
    auto* text = window.find<QPlainTextEdit>("scriptText");
    QVERIFY(text->isReadOnly());
    const QString shown = text->toPlainText();
    QVERIFY2(shown.startsWith("#!/bin/bash\n#SBATCH --job-name=tutti-air-traffic\n") &&
                 shown.contains("#SBATCH --nodes=2\n") &&
                 shown.contains("exec " TUTTI_BINARY_DIR "/bin/tutti run " + document.path() +
                                " --hosts " + folder_.filePath("air.hosts.json") +
                                " ${1:+--restore \"$1\"}\n"),
             qPrintable(shown));
    script->copyAction()->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), shown);
    const QString file = folder_.filePath("air.sbatch");
    QVERIFY(script->save(file));
    QFile saved(file);
    QVERIFY(saved.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(saved.readAll()), shown);
    const auto refused = script->save(folder_.filePath("none/air.sbatch"));
    QVERIFY(!refused && refused.error().contains("another folder"));
    // A job has nodes of one partition.
    document.setHost({id(document, "log")}, "hpc/gpu/1");
    QTRY_VERIFY2(script->why().contains("a job has nodes of one partition"),
                 qPrintable(script->why()));
    QCOMPARE(script->script(), "");
  }

  // An answer that is on its way says what was before.
  void askAgainIsNotForgottenWhileSlurmIsAsked() {
    const auto backToReal = qScopeGuard([path = qgetenv("PATH")] { qputenv("PATH", path); });
    test::makeFakeSsh(folder_.filePath("programs"));
    const QString own = folder_.filePath("programs/login");
    QVERIFY(QDir().mkpath(own));
    write("programs/sbatch", R"(#!/bin/sh
own="$(dirname "$0")/login"
if [ -e "$own/full" ]; then words="allocation failure: Nodes required for job are DOWN"; code=1
else words="sbatch: Job 3 to start at 2026-11-24T17:40:00 using 2 processors on nodes n1"; code=0; fi
echo asked >> "$own/asked"
while [ -e "$own/answer-late" ]; do sleep 0.02; done
echo "$words" >&2
exit $code
)");
    QVERIFY(QFile::setPermissions(folder_.filePath("programs/sbatch"),
                                  QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    composer::Document document(composer::Catalog::readDefault());
    open(document, R"({"clusters": {"hpc": {"destination": "login", "partitions": {
      "sim": {"nodes": {"n1": {"state": "idle", "cores": 16}}}}}}})");
    document.setHost({id(document, "log")}, "hpc/sim/1");
    write("programs/login/answer-late", "");
    Window window(&document);
    const auto asked = [&] {
      QFile file(own + "/asked");
      return file.open(QIODevice::ReadOnly) ? file.readAll().count('\n') : 0;
    };
    QTRY_COMPARE_WITH_TIMEOUT(asked(), 1, 30000);
    write("programs/login/full", "");
    window.page->checkAgain();
    QVERIFY(QFile::remove(own + "/answer-late"));
    QTRY_VERIFY_WITH_TIMEOUT(
        window.page->whyNotRun().contains("Slurm does not give 1 node of hpc/sim"), 30000);
  }

  void slurmSaysWhetherItGivesThem() {
    if (const QString why = test::noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
    test::SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    composer::Document document(composer::Catalog::readDefault());
    QVERIFY(document.load(lab.sampleAt({{"log", lab.node(1)}, {"detector", lab.node(2)}})));
    Window window(&document);
    window.page->useHostsFile(lab.hostsFile());
    const auto check = [&] {
      for (const PreflightCheck& each : window.page->preflightChecks()) {
        if (each.id.startsWith("forecast-")) return each;
      }
      return PreflightCheck{};
    };
    const QString where = "slurm/" + lab.partition();
    QTRY_COMPARE_WITH_TIMEOUT(check().title, "Slurm gives 2 nodes of " + where, test::slurmMs);
    QCOMPARE(check().level, PreflightCheck::Level::Passed);
    QVERIFY2(check().detail.startsWith("It would start now on "), qPrintable(check().detail));
    auto* pane = window.page->findChild<AllocationPane*>();
    QCOMPARE(pane->headline(), "Could start now");
    if (const auto target = qEnvironmentVariable("TUTTI_SCREENSHOTS"); !target.isEmpty()) {
      window.choose("slurm");
      window.find<QDockWidget>("allocationPane")->raise();
      window.find<QDockWidget>("scriptPane")->raise();
      for (const auto appearance : {theme::Appearance::Dark, theme::Appearance::Light}) {
        theme_->apply(appearance);
        QTest::qWait(500);  // Only for somebody to look at.
        const bool light = appearance == theme::Appearance::Light;
        window.frame.grab().save(target + "/allocation-" + (light ? "light" : "dark") + ".png");
      }
    }
    // More time than the partition's jobs get: Slurm would take the job and never start it.
    const int most = window.page->clusterWatch()->find("slurm")->partitions().front().timeLimit;
    QVERIFY(most > 0);
    window.find<QSpinBox>("allocationLimit")->setValue(most + 1);
    QTRY_VERIFY_WITH_TIMEOUT(window.page->whyNotRun().contains("cannot give what is placed there"),
                             test::slurmMs);
    QCOMPARE(pane->headline(), where + " cannot give this");
    window.find<QSpinBox>("allocationLimit")->setValue(0);
    QTRY_COMPARE_WITH_TIMEOUT(pane->headline(), "Could start now", test::slurmMs);
    // More nodes than there are: what sbatch says of it is what is shown.
    document.setHost({id(document, "radar-east")}, lab.node(3));
    QTRY_COMPARE_WITH_TIMEOUT(check().level, PreflightCheck::Level::Error, test::slurmMs);
    QCOMPARE(check().title, "Slurm does not give 3 nodes of " + where);
    QVERIFY2(check().detail.startsWith("sbatch --test-only says: ") &&
                 !check().detail.contains("says: ."),
             qPrintable(check().detail));
    QVERIFY(!window.page->mayRun());
    document.undoStack().undo();
    QTRY_COMPARE_WITH_TIMEOUT(check().level, PreflightCheck::Level::Passed, test::slurmMs);
    // Somebody else has the nodes.
    QVERIFY(lab.occupy(2, lab.partition()) > 0);
    window.page->checkAgain();
    QTRY_VERIFY_WITH_TIMEOUT(check().detail.startsWith("It would start about "), test::slurmMs);
    QVERIFY(pane->headline().startsWith("Could start about "));
    // Nothing was submitted by all this.
    QVERIFY(lab.jobs().isEmpty());
  }

  // Two of three nodes are free: what Slurm says to fewer is offered, taken and undone.
  void aSmallerJobThatStartsNowIsOffered() {
    if (const QString why = test::noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
    test::SlurmLab lab(3);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    composer::Document document(composer::Catalog::readDefault());
    QVERIFY(document.load(lab.sampleAt(
        {{"log", lab.node(1)}, {"detector", lab.node(2)}, {"radar-east", lab.node(3)}})));
    Window window(&document);
    window.page->useHostsFile(lab.hostsFile());
    auto* pane = window.page->findChild<AllocationPane*>();
    auto* box = window.find<QFrame>("startOffer");
    const auto shown = [&] { return box->isVisibleTo(pane); };
    QTRY_COMPARE_WITH_TIMEOUT(pane->headline(), "Could start now", test::slurmMs);
    QVERIFY(!shown());
    window.find<QSpinBox>("allocationLimit")->setValue(30);
    QVERIFY(lab.occupy(1, lab.partition()) > 0);
    window.page->checkAgain();
    QTRY_VERIFY_WITH_TIMEOUT(shown(), test::slurmMs);
    QVERIFY(pane->headline().startsWith("Could start about "));
    QCOMPARE(window.find<QLabel>("startOfferTitle")->text(), "2 nodes for 30 min could start now");
    const QString reason = window.find<QLabel>("startOfferReason")->text();
    QVERIFY2(reason.startsWith("They end at ") && reason.contains("The run needs "),
             qPrintable(reason));
    QSignalSpy runs(window.page, &DeployWorkspace::runRequested);
    QTest::mouseClick(window.find<QPushButton>("startOfferPlace"), Qt::LeftButton);
    QCOMPARE(document.undoStack().undoText(), "spread slurm/" + lab.partition() + " over 2 nodes");
    QVERIFY(runs.isEmpty());
    document.undoStack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(shown(), test::slurmMs);
    QTest::mouseClick(window.find<QPushButton>("startOfferStart"), Qt::LeftButton);
    QCOMPARE(runs.size(), 1);
    QTRY_COMPARE(window.find<QSpinBox>("allocationNodes")->value(), 2);
    QTRY_COMPARE_WITH_TIMEOUT(pane->headline(), "Could start now", test::slurmMs);
    QVERIFY(!shown());
    // The page submits nothing by itself.
    QVERIFY(lab.jobs().isEmpty());
  }

  void ownJobsAndTheAccountAreShown() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    Window window(&document);
    window.answer("hpc", test::busyCluster());
    auto* jobs = window.find<QListView>("ownJobs");
    QAbstractItemModelTester testJobs(jobs->model());
    const auto row = [&](int number) {
      const auto index = jobs->model()->index(number, 0);
      return index.data().toString() + ": " + index.data(theme::DetailRole).toString();
    };
    QCOMPARE(jobs->model()->rowCount(), 2);
    QVERIFY2(row(0).startsWith("range-42 102: 2 nodes since ") && row(0).contains(", ends by "),
             qPrintable(row(0)));
    QVERIFY2(row(1).startsWith("city-traffic 111: queued 2nd, 8 nodes, starts about "),
             qPrintable(row(1)));
    // To its row in the queue.
    window.panes()->setPartition("gpu");
    Q_EMIT jobs->activated(jobs->model()->index(1, 0));
    QCOMPARE(window.find<QTreeView>("queueTable")->currentIndex().siblingAtColumn(1).data(), "111");

    auto* sentence = window.find<QLabel>("accountSentence");
    const auto figure = [&](const char* name) {
      auto* label = window.find<QLabel>(name);
      return label->isVisibleTo(window.page) ? label->text() : QStringLiteral("hidden");
    };
    QCOMPARE(sentence->text(), "Not known yet");
    auto* clusters = window.page->clusterWatch();
    clusters->takeAccount("hpc", SlurmAccount{});
    QCOMPARE(sentence->text(), "hpc keeps no accounts: jobs are not charged.");
    QCOMPARE(figure("accountUsed"), "hidden");
    QCOMPARE(figure("accountJobs"), "1");
    QCOMPARE(figure("accountJob"), "–");
    SlurmAccount account;
    account.isKept = true;
    account.name = "simlab";
    account.hoursUsed = 1840;
    account.hoursLimit = 5000;
    account.jobsAtATime = 6;
    account.fairShare = 0.62;
    account.rank = 9;
    account.users = 24;
    clusters->takeAccount("hpc", account);
    QCOMPARE(figure("accountUsed"), QString("1 840 of 5 000")
                                        .replace("1 ", QString("1") + QChar(0x202f))
                                        .replace("5 ", QString("5") + QChar(0x202f)));
    QCOMPARE(figure("accountJobs"), "1 of 6");
    QCOMPARE(figure("accountShare"), "0.62, 9th of 24");
    QCOMPARE(window.title("accountPane")->caption(), "simlab");
    QVERIFY(!sentence->isVisibleTo(window.page));
    // What the composition asks for: two nodes of sim, whose jobs run eight hours at most.
    document.setHost({id(document, "log")}, "hpc/sim/1");
    document.setHost({id(document, "detector")}, "hpc/sim/2");
    QTRY_COMPARE(figure("accountJob"), "16 node hours");
    window.find<QSpinBox>("allocationLimit")->setValue(30);
    QTRY_COMPARE(figure("accountJob"), "1 node hours");
    clusters->takeAccount("hpc", tl::unexpected(composer::Error{
                                     {}, 0, {}, "sshare failed with exit code 1.", "Look."}));
    QVERIFY2(sentence->text().contains("sshare failed"), qPrintable(sentence->text()));
  }

  void aJobThatWaitsIsReplacedOnlyWhenSomethingHasChanged() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    document.setHost({id(document, "log"), id(document, "detector"), id(document, "radar-east")},
                     "hpc/sim/1");
    Window window(&document);
    window.answer("hpc", test::busyCluster());
    auto* pane = window.page->findChild<AllocationPane*>();
    auto* button = window.find<QPushButton>("replaceJob");
    auto* note = window.find<QLabel>("replaceNote");
    QVERIFY(!button->isVisibleTo(pane));
    const auto submitted = LaunchPlan::make(
        document.composition(), document.catalog(),
        {{}, document.path(), document.folder(), {}, folder_.filePath("air.hosts.json")});
    QVERIFY(submitted);
    QueuePlace place{"hpc", "sim", 48213, 1, true, 3, "Priority", {}, {}};
    place.start = QDateTime::currentDateTime().addSecs(4770);
    window.page->setSubmitted(std::make_shared<const LaunchPlan>(*submitted), {place});
    QVERIFY(button->isVisibleTo(pane));
    QCOMPARE(button->text(), "Replace job 48213");
    QVERIFY(!button->isEnabled());
    QVERIFY2(note->text().startsWith("Nothing changed since job 48213 was submitted."),
             qPrintable(note->text()));
    QVERIFY2(
        pane->headline().startsWith("Starts about ") && pane->headline().contains("1 h 19 min"),
        qPrintable(pane->headline()));
    QCOMPARE(window.find<QLabel>("allocationDetail")->text(), "3rd in the queue of sim (Priority)");
    QCOMPARE(window.title("allocationPane")->caption(), "job 48213 on hpc");
    // The queue says whose nodes it gets.
    auto answers = test::busyCluster();
    answers.waiting(48209, "mesh-opt", "jsoto", "sim", 6, "Priority", 19);
    answers.waiting(48213, "city-traffic", "me", "sim", 1, "Priority", 80);
    window.answer("hpc", answers);
    QCOMPARE(window.find<QLabel>("allocationDetail")->text(),
             "3rd in the queue of sim (Priority); probably when job 48209 ends");
    auto dependent = test::busyCluster();
    dependent.waiting(48213, "city-traffic", "me", "sim", 1, "Dependency", 80, "afterany:48209");
    window.answer("hpc", dependent);
    QCOMPARE(window.find<QLabel>("allocationDetail")->text(),
             "3rd in the queue of sim (Priority); job 48209 must end first");
    // What is asked for.
    window.find<QSpinBox>("allocationNodes")->setValue(2);
    window.find<QSpinBox>("allocationLimit")->setValue(30);
    QTRY_VERIFY2(note->text().startsWith("Changed since: nodes 2, were 1") &&
                     note->text().contains("time limit 30 min, was the partition's"),
                 qPrintable(note->text()));
    QVERIFY2(note->text().endsWith("The new job is submitted first, then 48213 is cancelled; its "
                                   "place in the queue, 3rd, is lost."),
             qPrintable(note->text()));
    QVERIFY(button->isEnabled());
    QSignalSpy runs(window.page, &DeployWorkspace::runRequested);
    button->click();
    QCOMPARE(runs.size(), 1);
    // Back to what it was.
    document.undoStack().undo();
    window.find<QSpinBox>("allocationLimit")->setValue(0);
    QTRY_VERIFY2(!button->isEnabled(), qPrintable(note->text()));
    // What Slurm is not asked for, and the run would not have.
    document.setCount(id(document, "flow-north"), 2);
    QTRY_VERIFY2(note->text().startsWith("Changed since: the composition."),
                 qPrintable(note->text()));
    window.page->setSubmitted({}, {});
    QVERIFY(!button->isVisibleTo(pane));
  }

  void startAndSharingGoToTheHostsFileAndTheScript() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    document.setHost({id(document, "log")}, "hpc/sim/1");
    Window window(&document);
    window.answer("hpc", test::busyCluster());
    auto* start = window.find<theme::SegmentedControl>("allocationStart");
    auto* exclusive = window.find<QCheckBox>("allocationExclusive");
    QTRY_VERIFY(start->isVisibleTo(window.page));
    QCOMPARE(start->currentIndex(), 0);
    QVERIFY(!exclusive->isChecked());
    window.find<QSpinBox>("allocationLimit")->setValue(60);
    QTest::keyClick(start, Qt::Key_Right);
    exclusive->click();
    const auto file = Deployment::read(folder_.filePath("air.hosts.json"));
    QVERIFY(file && file->cluster("hpc")->immediate && file->cluster("hpc")->exclusive);
    auto* script = window.find<QPlainTextEdit>("scriptText");
    QTRY_VERIFY2(script->toPlainText().contains("#SBATCH --exclusive\n") &&
                     script->toPlainText().contains("#SBATCH --deadline=now+61minutes\n"),
                 qPrintable(script->toPlainText()));
    QTest::keyClick(start, Qt::Key_Left);
    QTRY_VERIFY(!script->toPlainText().contains("--deadline"));
  }

  void manyFederatesAreSpreadOverManyNodes() {
    composer::Document document(composer::Catalog::readDefault());
    open(document);
    makeMany(document, 300);
    Window window(&document);
    window.answer("hpc", test::largeCluster());
    window.choose("hpc");
    window.panes()->setPartition("sim");
    window.find<QSpinBox>("allocationNodes")->setValue(32);
    QCOMPARE(document.undoStack().undoText(), "spread hpc/sim over 32 nodes");
    QTRY_COMPARE(window.boxes().size(), 34);  // this machine, and one that is free
    std::size_t cards = 0;
    for (const BoardBox& box : window.board()->content()) {
      if (box.title == "this machine" || box.cards.empty()) continue;
      QVERIFY2(box.figure.startsWith("4."), qPrintable(box.title + ' ' + box.figure));
      cards += box.cards.size();
    }
    QCOMPARE(cards, std::size_t{300});
    QCOMPARE(window.find<QTreeView>("queueTable")->model()->rowCount(), 151);
    // All of the nodes are in sight, as marks; a few are boxes with a name.
    auto* nodes = window.find<QListView>("nodeBoxes");
    QCOMPARE(nodes->model()->rowCount(), 300);
    QTRY_VERIFY(
        nodes->viewport()->rect().contains(nodes->visualRect(nodes->model()->index(299, 0))));
    window.answer("hpc", test::busyCluster());
    QTRY_VERIFY(nodes->visualRect(nodes->model()->index(0, 0)).width() > 80);
    window.answer("hpc", test::largeCluster());
    QCOMPARE(window.title("nodesPane")->caption(),
             "sim: 98 idle, 196 allocated, 2 of them ours, 6 down");
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
      for (const QString name : {"busy", "partition", "queued", "many", "no-spare", "spares", "silent",
                                 "none"}) {
        composer::Document document(composer::Catalog::readDefault());
        open(document, name == "none" ? "{}" : cluster);
        if (name == "many") makeMany(document, 300);
        Window window(&document);
        QTRY_VERIFY(!window.page->isChecking());
        if (name != "none") {
          QTRY_VERIFY(window.page->clusterWatch()->find("hpc")->error.has_value());
          if (name != "silent")
            window.answer("hpc", name == "many" ? test::largeCluster() : test::busyCluster());
          window.choose("hpc");
          if (name == "many") {
            window.panes()->setPartition("sim");
            window.find<QSpinBox>("allocationNodes")->setValue(32);
          }
          const bool shown = name == "no-spare" || name == "spares";
          if (shown) {
            composer::Restart again;
            again.when = composer::Restart::When::OnFailure;
            for (const char* radar : {"radar-east", "radar-west"}) {
              document.setRequired(id(document, radar), true);
              document.setRestart(id(document, radar), again);
            }
          }
          if (name == "partition" || name == "queued" || shown) {
            window.panes()->setPartition("sim");
            document.setHost({id(document, "radar-east"), id(document, "radar-west")}, "hpc/sim/1");
            document.setHost({id(document, "log")}, "hpc/sim/2");
          }
          if (name == "queued" || name == "many") {
            showQueued(window, document);
            window.find<QSpinBox>("allocationLimit")->setValue(60);
            window.find<QDockWidget>("allocationPane")->raise();
          }
          if (shown) window.find<QDockWidget>("allocationPane")->raise();
          auto* ask = window.find<QPushButton>("allocationAskForSpare");
          if (name == "spares") {
            QTRY_VERIFY(ask->isVisibleTo(window.page));
            ask->click();
          }
        }
        QTest::qWait(1200);  // The host's figures are means.
        if (name == "queued") {
          showOffer(window);
          QTest::qWait(200);
        }
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

  /// So many federates on one node of hpc/sim.
  static void makeMany(composer::Document& document, int count) {
    document.edit("sample", [count](composer::Composition& composition) {
      const auto sample = composition.federates;
      composition.federates.clear();
      auto from = sample.begin();
      for (int i = 0; i < count; ++i) {
        composer::Federate one = from->second;
        one.id = QStringLiteral("unit-%1").arg(i, 3, 10, QChar('0'));
        one.name = one.id;
        one.host = "hpc/sim/1";
        composition.federates[one.id] = one;
        if (++from == sample.end()) from = sample.begin();
      }
    });
  }

  /// A job of the composition waits, with a smaller one that could start now.
  static void showQueued(Window& window, const composer::Document& document) {
    const auto plan = LaunchPlan::make(document.composition(), document.catalog(),
                                       {{},
                                        document.path(),
                                        document.folder(),
                                        {},
                                        QFileInfo(document.path()).path() + "/air.hosts.json"});
    if (!plan) qFatal("%s", qPrintable(plan.error().front().message()));
    QueuePlace place{"hpc", "sim", 111, 8, true, 2, "Priority", {}, {}};
    place.start = QDateTime::currentDateTime().addSecs(5400);
    window.page->setSubmitted(std::make_shared<const LaunchPlan>(*plan), {place});
    SlurmAccount account;
    account.isKept = true;
    account.name = "simlab";
    account.hoursUsed = 1840;
    account.hoursLimit = 5000;
    account.jobsAtATime = 6;
    account.fairShare = 0.62;
    account.rank = 9;
    account.users = 24;
    window.page->clusterWatch()->takeAccount("hpc", account);
  }

  static void showOffer(Window& window) {
    StartOffer offer;
    offer.request.cluster.timeLimit = 30;
    offer.request.nodes = 6;
    offer.request.seconds = 1500;
    offer.forecast = {true, {}, QDateTime::currentDateTime(), "n[24-26]"};
    offer.isShorter = true;
    offer.next = NextTaker{110, QDateTime::currentDateTime().addSecs(2200)};
    window.page->findChild<StartOfferBox*>()->setOffer(offer, 87, 16);
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
