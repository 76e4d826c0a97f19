// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of federates against the numbered nodes of a partition: how counts become moves, and the
// page Deploy with many of both.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDropEvent>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPointer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <set>

#include "composer/model/document.h"
#include "launcher/ui/cluster_watch.h"
#include "launcher/ui/connections_view.h"
#include "launcher/ui/hosts_model.h"
#include "launcher/ui/matrix_view.h"
#include "launcher/ui/placement_page.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "tests/launcher/deploy_window.h"

using namespace tutti;
using namespace tutti::launcher;

namespace {

/// Groups as "flow: 1 1 2" are rows; each figure is the node of a federate, 0 elsewhere; a figure
/// with "!" is pinned.
PlacementMatrix matrix(const QStringList& groups, std::vector<int> nodes, int free = 0) {
  PlacementMatrix result;
  result.partition = {"hpc", "sim"};
  result.nodes = std::move(nodes);
  result.free = free;
  result.coresOfNode = 16;
  for (const QString& group : groups) {
    MatrixRow row;
    row.name = row.key = group.section(':', 0, 0);
    for (const QString& word : group.section(':', 1).split(' ', Qt::SkipEmptyParts)) {
      MatrixFederate one;
      one.id = one.name = QStringLiteral("%1-%2").arg(row.name).arg(row.federates.size() + 1);
      one.cores = 1;
      one.pinned = word.endsWith('!');
      one.node = word.left(word.size() - (one.pinned ? 1 : 0)).toInt();
      row.federates.push_back(one);
    }
    result.rows.push_back(row);
  }
  return result;
}

QString text(const MatrixMoves& moves) {
  QStringList parts;
  for (const auto& [id, node] : moves) parts << QStringLiteral("%1>%2").arg(id).arg(node);
  return parts.join(' ');
}

QStringList titles(const PlacementMatrix& matrix, int most, int open) {
  QStringList result;
  for (const MatrixColumn& column : columnsOf(matrix, most, open))
    result << titleOf(column, matrix);
  return result;
}

}  // namespace

class TestPlacementMatrix : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    theme_ = new theme::Theme(this);
    theme_->apply(theme::Appearance::Light);
  }

  void countsBecomeMoves_data() {
    QTest::addColumn<QString>("row");
    QTest::addColumn<QList<int>>("nodes");
    QTest::addColumn<int>("count");
    QTest::addColumn<QString>("moves");
    QTest::newRow("from the fullest") << "f: 1 1 1 2" << QList{3} << 1 << "f-1>3";
    QTest::newRow("from elsewhere first") << "f: 1 1 1 0" << QList{3} << 1 << "f-4>3";
    QTest::newRow("to where the fewest cores are")
        << "f: 1 1 1 2" << QList{1} << 1 << "f-1>3 f-2>2";
    QTest::newRow("all of a node") << "f: 1 1 2" << QList{1} << 0 << "f-1>3 f-2>2";
    QTest::newRow("pinned ones stay") << "f: 1! 1 1 2" << QList{1} << 1 << "f-2>3 f-3>2";
    QTest::newRow("each of a range")
        << "f: 1 1 1 1 1 1" << QList{2, 3} << 2 << "f-1>2 f-2>2 f-3>3 f-4>3";
    QTest::newRow("within a range") << "f: 2 2 2" << QList{1, 2, 3} << 1 << "f-1>1 f-2>3";
    QTest::newRow("nothing to do") << "f: 1 2" << QList{1} << 1 << "";
    QTest::newRow("more than there are") << "f: 1 2" << QList{1} << 3 << "f has 2 federates.";
    QTest::newRow("more than there are, one pinned")
        << "f: 1! 2" << QList{1} << 3 << "f has 2 federates.";
    QTest::newRow("more than there are on each of a range")
        << "f: 1 1 1" << QList{2, 3} << 2
        << "2 of f cannot be on each of 2 nodes. That needs 4. f has 3 federates.";
    QTest::newRow("pinned on all nodes")
        << "f: 1! 1! 2" << QList{1, 2, 3} << 1 << "Pinned federates stay";
    QTest::newRow("pinned elsewhere") << "f: 1 2!" << QList{1} << 2 << "Pinned federates stay";
    QTest::newRow("no other node") << "f: 1 2 3" << QList{1, 2, 3} << 0 << "There is no other node";
  }
  void countsBecomeMoves() {
    QFETCH(QString, row);
    QFETCH(QList<int>, nodes);
    QFETCH(int, count);
    QFETCH(QString, moves);
    const auto all = matrix({row}, {1, 2, 3});
    const auto is = withCount(all, all.rows.front(), {nodes.begin(), nodes.end()}, count);
    const bool isRefused = !moves.isEmpty() && !moves.contains('>');
    const QString said = is ? text(*is) : is.error();
    QVERIFY2(is.has_value() != isRefused, qPrintable(said));
    if (isRefused)
      QVERIFY2(said.contains(moves), qPrintable(said));
    else
      QCOMPARE(said, moves);
  }

  void pinnedFederatesStayWhenDragged() {
    const auto all = matrix({"f: 1! 1 2", "log: 1!"}, {1, 2, 3});
    QCOMPARE(text(movedTo(all, {"f-1", "f-2", "f-3", "log-1"}, {3})), "f-2>3 f-3>3");
    QCOMPARE(text(movedTo(all, {"log-1"}, {3})), "");
  }

  void severalInstancesStayTogether() {
    auto all = matrix({"f: 1 2"}, {1, 2});
    all.rows.front().federates.front().count = 3;
    const auto is = withCount(all, all.rows.front(), {1}, 2);
    QVERIFY(!is);
    QCOMPARE(is.error(),
             "2 of f cannot be on node 1. Federates with several instances stay together.");
    // That another one is pinned does not matter.
    all = matrix({"f: 1 2 3!"}, {1, 2, 3});
    all.rows.front().federates.front().count = 3;
    const auto beside = withCount(all, all.rows.front(), {1}, 2);
    QVERIFY(!beside);
    QCOMPARE(beside.error(), is.error());
  }

  void ofManyNodesAColumnIsARange() {
    std::vector<int> nodes;
    for (int node = 1; node <= 64; ++node) nodes.push_back(node);
    const auto many = matrix({"f: 1 0"}, nodes, 65);
    QCOMPARE(titles(many, 8, 0).join(' '),
             "Else 1–8 9–16 17–24 25–32 33–40 41–48 49–56 57–64 + 65");
    QCOMPARE(titles(many, 8, 9).join(' '), "Else 1–8 9 10 11 12 13 14 15 16 17–64 + 65");
    QCOMPARE(titles(matrix({"f: 1 3"}, {1, 3}, 2), 8, 0).join(' '), "Node 1 Node 3 + 2");
  }

  void theModelIsOne() {
    MatrixModel model;
    const QAbstractItemModelTester tester(&model);
    const auto some = matrix({"f: 1 1 2", "log: 2"}, {1, 2}, 3);
    model.setMatrix(some, columnsOf(some, 8, 0));
    QCOMPARE(model.rowCount(), 3);  // with the RTI nodes
    QCOMPARE(model.rowCount(model.index(0, 0)), 3);
    QCOMPARE(model.rowCount(model.index(1, 0)), 0);
    const auto other = matrix({"f: 1 2 2", "log: 2"}, {1, 2}, 3);
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    model.setMatrix(other, columnsOf(other, 8, 0));
    QCOMPARE(reset.size(), 0);  // a selection stays
    QCOMPARE(model.index(0, 4).data().toString(), "2");
    model.setMatrix({}, {});
    QCOMPARE(model.rowCount(), 0);
  }

  void cellsAreRead() {
    MatrixModel model;
    const auto some = matrix({"f: 1 1 0", "log: 2"}, {1, 2}, 3);
    model.setMatrix(some, columnsOf(some, 8, 0));
    const int first = MatrixModel::Heads;  // elsewhere
    const QModelIndex group = model.index(0, 0);
    const auto read = [](const QModelIndex& cell) {
      return cell.data(Qt::AccessibleTextRole).toString();
    };
    QCOMPARE(read(model.index(0, first + 1)), "f on node 1: 2");
    QCOMPARE(read(model.index(0, first)), "f elsewhere: 1");
    QCOMPARE(read(model.index(1, first + 1, group)), "f-2 on node 1: 1");
    QCOMPARE(read(model.index(1, first + 2, group)), "f-2 on node 2: none");
    QCOMPARE(read(model.index(2, first + 2)), "RTI node on node 2: 1");
    QCOMPARE(read(model.index(2, first + 3)), "RTI node on node 3: none");
    // An opened federate of a range.
    std::vector<int> nodes;
    for (int node = 1; node <= 64; ++node) nodes.push_back(node);
    const auto many = matrix({"f: 1 2"}, nodes);
    model.setMatrix(many, columnsOf(many, 8, 0));
    QCOMPARE(read(model.index(1, first, model.index(0, 0))), "f-2 on nodes 1 to 8: on 2");
  }

  void countsAreTypedAndSentOnByKey() {
    composer::Document document(composer::Catalog::readDefault());
    open(document, 12, 4);
    DeployWindowWith window(&document);
    auto* view = window.matrix();
    QTRY_VERIFY(view->isVisibleTo(window.page));
    // 12 federates are in order on the nodes 1 to 4; what is a row of each follows the groups.
    auto* tree = view->view();
    const int first = MatrixModel::Heads;
    const QModelIndex cell = tree->model()->index(0, first);
    const int before = cell.data().toInt();
    const int there = tree->model()->index(0, first + 1).data().toInt();
    QVERIFY(before > 0);
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(cell).center());
    const int undos = document.undoStack().count();
    // To the right and on: one of it follows.
    QTest::keyClick(tree, Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(document.undoStack().count(), undos + 1);
    QTRY_COMPARE(cell.data().toInt(), before - 1);
    QCOMPARE(tree->model()->index(0, first + 1).data().toInt(), there + 1);
    QCOMPARE(tree->currentIndex(), cell);
    // A figure begins to type; others do not.
    QTest::keyClick(tree, Qt::Key_X);
    QVERIFY(view->findChild<QLineEdit*>("matrixCount") == nullptr);
    QTest::keyClick(tree, Qt::Key_0);
    auto* edit = view->findChild<QLineEdit*>("matrixCount");
    QVERIFY(edit != nullptr);
    QTest::keyClick(edit, Qt::Key_Return);
    QTRY_COMPARE(cell.data().toInt(), 0);
    QCOMPARE(document.undoStack().count(), undos + 2);
    document.undoStack().undo();
    QTRY_COMPARE(tree->model()->index(0, first).data().toInt(), before - 1);
    // More than there are is refused and said.
    QSignalSpy refused(window.page->findChild<PlacementPage*>(), &PlacementPage::refused);
    tree->setCurrentIndex(tree->model()->index(0, first));
    QTest::keyClick(tree, Qt::Key_9);
    edit = view->findChild<QLineEdit*>("matrixCount");
    QVERIFY(edit != nullptr);
    QTest::keyClick(edit, Qt::Key_9);
    QTest::keyClick(edit, Qt::Key_Return);
    QTRY_COMPARE(refused.size(), 1);
    QCOMPARE(document.undoStack().index(), undos + 1);
  }

  /// A cell's row becomes the one of the launch order; the cell stays the current one.
  void aCellOfOneFederateStaysCurrent() {
    composer::Document document(composer::Catalog::readDefault());
    open(document, 12, 4);
    DeployWindowWith window(&document);
    auto* view = window.matrix();
    QTRY_VERIFY(view->isVisibleTo(window.page));
    auto* tree = view->view();
    const auto* model = view->model();
    // By mouse in a row of one federate, which the launch order has not selected.
    int alone = 0;
    for (int row = 1; row + 1 < model->rowCount(); ++row) {
      if (model->rowCount(model->index(row, 0)) > 0) alone = row;
    }
    QVERIFY(alone > 0);
    const auto federates = view->matrix().rows[static_cast<std::size_t>(alone)].federates;
    document.edit("one alone", [&](composer::Composition& composition) {
      for (std::size_t i = 1; i < federates.size(); ++i)
        composition.federates[federates[i].id].enabled = false;
    });
    QTRY_COMPARE(model->rowCount(model->index(alone, 0)), 0);
    QModelIndex empty;
    for (int section = MatrixModel::Heads; section < model->columnCount(); ++section) {
      if (model->index(alone, section).data() == "0") empty = model->index(alone, section);
    }
    QVERIFY(empty.isValid());
    QSignalSpy current(view, &MatrixView::currentChanged);
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(empty).center());
    QCOMPARE(current.size(), 1);
    QCOMPARE(tree->currentIndex(), empty);
    QTest::keyClick(tree, Qt::Key_1);
    auto* edit = view->findChild<QLineEdit*>("matrixCount");
    QVERIFY(edit != nullptr);
    QTest::keyClick(edit, Qt::Key_Escape);
    // By key down a column that the federates of an opened row are not in.
    const QModelIndex group = model->index(0, 0);
    QVERIFY(model->rowCount(group) > 2);
    tree->expand(group);
    const int free = model->columnCount() - 1;
    tree->setCurrentIndex(model->index(0, free));
    for (int row = 0; row < 3; ++row) {
      QTest::keyClick(tree, Qt::Key_Down);
      QCOMPARE(tree->currentIndex(), model->index(row, free, group));
    }
    // Another federate of the launch order is shown here.
    view->setCurrent(model->federateAt(model->index(alone, 0))->id);
    QCOMPARE(tree->currentIndex(), model->index(alone, 0));
  }

  void leavingAnEditorMovesNothing() {
    composer::Document document(composer::Catalog::readDefault());
    open(document, 300, 64);
    DeployWindowWith window(&document);
    auto* view = window.matrix();
    QTRY_VERIFY(view->isVisibleTo(window.page));
    auto* tree = view->view();
    QModelIndex range;
    for (int row = 0; row + 1 < view->model()->rowCount() && !range.isValid(); ++row) {
      for (int section = MatrixModel::Heads; section < view->model()->columnCount(); ++section) {
        const QModelIndex each = view->model()->index(row, section);
        if (each.data().toString().contains(u'–')) range = each;
      }
    }
    QVERIFY(range.isValid());
    tree->setFocus();
    tree->setCurrentIndex(range);
    const int undos = document.undoStack().count();
    QSignalSpy entered(view, &MatrixView::countEntered);
    const auto editor = [&]() -> QLineEdit* {
      QTest::keyClick(tree, Qt::Key_F2);
      return view->findChild<QLineEdit*>("matrixCount");
    };
    // Return, and a click elsewhere, with nothing typed.
    QPointer<QLineEdit> edit = editor();
    QVERIFY(edit != nullptr);
    QCOMPARE(edit->text(), "");
    QTest::keyClick(edit, Qt::Key_Return);
    QTRY_VERIFY(edit == nullptr);
    edit = editor();
    QVERIFY(edit != nullptr);
    tree->setCurrentIndex(range.siblingAtColumn(MatrixModel::Group));
    QTRY_VERIFY(edit == nullptr);
    // What was typed is gone again.
    tree->setCurrentIndex(range);
    edit = editor();
    QVERIFY(edit != nullptr);
    QTest::keyClick(edit, Qt::Key_7);
    QTest::keyClick(edit, Qt::Key_Backspace);
    QTest::keyClick(edit, Qt::Key_Return);
    QTRY_VERIFY(edit == nullptr);
    QCOMPARE(entered.size(), 0);
    QCOMPARE(document.undoStack().count(), undos);
    // Typed, it counts.
    edit = editor();
    QVERIFY(edit != nullptr);
    QTest::keyClick(edit, Qt::Key_1);
    QTest::keyClick(edit, Qt::Key_Return);
    QTRY_COMPARE(entered.size(), 1);
  }

  void rowsOpenAndCellsAreDropped() {
    composer::Document document(composer::Catalog::readDefault());
    open(document, 12, 4);
    DeployWindowWith window(&document);
    auto* view = window.matrix();
    QTRY_VERIFY(view->isVisibleTo(window.page));
    auto* tree = view->view();
    tree->setCurrentIndex(tree->model()->index(0, 0));
    QTest::keyClick(tree, Qt::Key_Space);
    QVERIFY(tree->isExpanded(tree->model()->index(0, 0)));
    const QModelIndex child = tree->model()->index(0, 0, tree->model()->index(0, 0));
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(child).center());
    const QStringList ids = view->selection();
    QCOMPARE(ids.size(), 1);
    // On the free node.
    const QModelIndex target = tree->model()->index(1, tree->model()->columnCount() - 1);
    const QPoint where = tree->visualRect(target).center();
    const std::unique_ptr<QMimeData> mime(tree->model()->mimeData({child}));
    QCOMPARE(federatesOfMime(mime.get()), ids);
    QDragEnterEvent enter(where, Qt::MoveAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(tree->viewport(), &enter);
    QDragMoveEvent move(where, Qt::MoveAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(tree->viewport(), &move);
    QVERIFY(move.isAccepted());
    QDropEvent drop(where, Qt::MoveAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(tree->viewport(), &drop);
    QCOMPARE(document.federate(ids.front())->host, "hpc/sim/5");
    QTRY_COMPARE(view->matrix().nodes.size(), std::size_t{5});
    // The rows are open as they were, though there is another column.
    QVERIFY(tree->isExpanded(tree->model()->index(0, 0)));
    // Pinned, it stays, however it is moved, and that is said.
    document.setPinned(ids, true);
    QTRY_VERIFY(view->model()->federateAt(view->model()->indexOf(ids.front()))->pinned);
    const int undos = document.undoStack().count();
    QSignalSpy refused(window.page->findChild<PlacementPage*>(), &PlacementPage::refused);
    Q_EMIT view->moveRequested(ids, {1});
    QCOMPARE(refused.size(), 1);
    QCOMPARE(refused.front().at(0).toString(), "The federates stay where they are");
    QCOMPARE(refused.front().at(1).toString(),
             "They are pinned. Press P to unpin what is selected.");
    const QModelIndex pinned = view->model()->indexOf(ids.front());
    for (int section = MatrixModel::Heads; section < view->model()->columnCount(); ++section) {
      if (pinned.siblingAtColumn(section).data(MatrixModel::IdsRole).toStringList() == ids)
        tree->setCurrentIndex(pinned.siblingAtColumn(section));
    }
    QTest::keyClick(tree, Qt::Key_Left, Qt::ControlModifier);
    QCOMPARE(refused.size(), 2);
    QCOMPARE(document.undoStack().count(), undos);
  }

  /// The box names the partition whose nodes are shown.
  void eachPartitionIsShown() {
    composer::Document document(composer::Catalog::readDefault());
    open(document, 12, 4);
    QFile hosts(folder_.filePath("air.hosts.json"));
    QVERIFY(hosts.open(QIODevice::WriteOnly));
    hosts.write(R"({"clusters": {"hpc": {"configuration": "/nowhere/slurm.conf", "partitions": {
      "gpu": {"nodes": {"g1": {"state": "idle", "cores": 16}}},
      "long": {"nodes": {"l1": {"state": "idle", "cores": 16}}},
      "post": {"nodes": {"p1": {"state": "idle", "cores": 16}}},
      "sim": {"nodes": {"s1": {"state": "idle", "cores": 16}}}}}}})");
    hosts.close();
    const auto put = [&](const QString& partition, int from, int to) {
      document.edit("move", [&](composer::Composition& composition) {
        int i = 0;
        for (auto& [id, federate] : composition.federates) {
          if (i >= from && i < to) federate.host = partition + QStringLiteral("/1");
          ++i;
        }
      });
    };
    put("hpc/post", 0, 6);
    put("hpc/sim", 6, 12);
    DeployWindowWith window(&document);
    auto* view = window.matrix();
    QTRY_VERIFY(view->isVisibleTo(window.page));
    auto* box = window.find<QComboBox>("placementPartition");
    const auto names = [&] {
      QStringList result;
      for (int i = 0; i < box->count(); ++i) result << box->itemText(i);
      return result.join(' ');
    };
    QCOMPARE(names(), "hpc/post hpc/sim");
    // Others are used, as many of them, and the one that is shown is another item.
    put("hpc/gpu", 6, 12);
    QTRY_COMPARE(names(), "hpc/gpu hpc/post");
    QCOMPARE(box->currentText(), "hpc/post");
    QCOMPARE(view->matrix().partition.text(), box->currentText());
    // One that nothing is on yet is there once it is chosen.
    window.page->findChild<PartitionPlacement*>()->setChosen({"hpc", "long"});
    QTRY_COMPARE(names(), "hpc/gpu hpc/long hpc/post");
    QCOMPARE(box->currentText(), "hpc/post");
    box->setCurrentText("hpc/long");
    Q_EMIT box->activated(box->currentIndex());
    QCOMPARE(view->matrix().partition.text(), "hpc/long");
    QCOMPARE(view->matrix().free, 1);
  }

  void threeHundredFederatesOnSixtyFourNodes() {
    composer::Document document(composer::Catalog::readDefault());
    open(document, 300, 64);
    DeployWindowWith window(&document);
    auto* view = window.matrix();
    QTRY_VERIFY(view->isVisibleTo(window.page));
    auto* tree = view->view();
    QCOMPARE(window.find<QLabel>("placementCaption")->text(),
             "300 of 300 federates on 64 nodes, bound to real ones at the start");
    // In its small boxes each node of the graph has a name of its own.
    const auto& connected = window.find<ConnectionsView>("connectionsView")->connections();
    std::set<QString> names;
    for (const auto& node : connected.nodes) names.insert(node.shortName);
    QCOMPARE(names.size(), connected.nodes.size());
    QVERIFY(names.contains("Node 12"));
    // All of it is in sight.
    QTRY_VERIFY(tree->header()->length() <= tree->viewport()->width());
    QVERIFY(view->foot()->text().startsWith(QStringLiteral("135 of 1024 cores, node 1: ")));
    const int columns = tree->model()->columnCount();
    // Space in a range shows its nodes, and the ranges again.
    tree->setCurrentIndex(tree->model()->index(0, MatrixModel::Heads + 1));
    QVERIFY(view->model()->columnAt(MatrixModel::Heads + 1)->isRange());
    QTest::keyClick(tree, Qt::Key_Space);
    QVERIFY(!view->model()->columnAt(tree->currentIndex().column())->isRange());
    QTest::keyClick(tree, Qt::Key_Space);
    QCOMPARE(tree->model()->columnCount(), columns);
    // So does a click on its head.
    const int section = MatrixModel::Heads + 2;
    const auto opened = view->model()->columnAt(section)->nodes;
    QVERIFY(opened.size() > 1);
    QTest::mouseClick(tree->header()->viewport(), Qt::LeftButton, {},
                      QPoint(tree->header()->sectionViewportPosition(section) + 10, 8));
    const auto& shown = view->model()->columns();
    for (const int node : opened)
      QVERIFY(std::find(shown.begin(), shown.end(), MatrixColumn{{node}}) != shown.end());
    // One count for each of its nodes.
    view->toggleRange(section);
    const QModelIndex range = tree->model()->index(0, MatrixModel::Heads);
    const auto nodes = view->model()->columnAt(range.column())->nodes;
    QVERIFY(nodes.size() > 1);
    QVERIFY(tree->model()->setData(range, 3));
    for (const int node : nodes) QTRY_COMPARE(view->matrix().rows.front().countOn(node), 3);
  }

  void looksRight() {
    const auto target = qEnvironmentVariable("TUTTI_SCREENSHOTS");
    if (target.isEmpty()) return;  // Only made for somebody to look at.
    for (const auto appearance : {theme::Appearance::Light, theme::Appearance::Dark}) {
      theme_->apply(appearance);
      const QString suffix = appearance == theme::Appearance::Light ? "light" : "dark";
      for (const auto& [federates, nodes] :
           {std::pair(12, 4), std::pair(100, 8), std::pair(300, 64)}) {
        composer::Document document(composer::Catalog::readDefault());
        open(document, federates, nodes);
        DeployWindowWith window(&document);
        QTRY_VERIFY(window.matrix()->isVisibleTo(window.page));
        QTRY_VERIFY(!window.page->isChecking());
        auto* tree = window.matrix()->view();
        tree->setCurrentIndex(tree->model()->index(1, MatrixModel::Heads + 1));
        if (nodes == 64) tree->expand(tree->model()->index(0, 0));
        QTest::qWait(1000);
        QVERIFY(window.frame.grab().save(
            QStringLiteral("%1/matrix-%2-%3.png").arg(target).arg(nodes).arg(suffix)));
      }
    }
    theme_->apply(theme::Appearance::Light);
  }

 private:
  struct DeployWindowWith : test::DeployWindow {
    using DeployWindow::DeployWindow;
    MatrixView* matrix() const { return page->findChild<MatrixView*>(); }
  };

  /// So many federates of the sample, in turn on the nodes of hpc/sim.
  void open(composer::Document& document, int federates, int nodes) const {
    const QString file = folder_.filePath("air.federation.json");
    QFile::remove(file);
    QVERIFY(
        QFile::copy(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json", file));
    QFile hosts(folder_.filePath("air.hosts.json"));
    QVERIFY(hosts.open(QIODevice::WriteOnly));
    QStringList names;
    for (int node = 1; node <= 100; ++node)
      names << QStringLiteral(R"("n%1": {"state": "idle", "cores": 16})").arg(node);
    hosts.write(QStringLiteral(R"({"clusters": {"hpc": {"configuration": "/nowhere/slurm.conf",
      "partitions": {"sim": {"nodes": {%1}}}}}})")
                    .arg(names.join(", "))
                    .toUtf8());
    hosts.close();
    QVERIFY(document.load(file));
    document.edit("sample", [&](composer::Composition& composition) {
      const auto sample = composition.federates;
      composition.federates.clear();
      auto from = sample.begin();
      for (int i = 0; i < federates; ++i) {
        composer::Federate one = from->second;
        one.id = one.name = QStringLiteral("unit-%1").arg(i, 3, 10, QChar('0'));
        one.host = QStringLiteral("hpc/sim/%1").arg(i * nodes / federates + 1);
        composition.federates[one.id] = one;
        if (++from == sample.end()) from = sample.begin();
      }
    });
  }

  QTemporaryDir folder_;
  theme::Theme* theme_ = nullptr;
};

QTEST_MAIN(TestPlacementMatrix)
#include "tst_placement_matrix.moc"
