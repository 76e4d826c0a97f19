// SPDX-License-Identifier: GPL-3.0-or-later
// The Deploy page with several hosts: what they answer, federates moved between them by mouse and
// keys, placed by themselves with reasons and refusals, connected, and checked before a run.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <memory>

#include "composer/model/document.h"
#include "launcher/engine/connection_plan.h"
#include "launcher/ui/host_preflight.h"
#include "launcher/ui/host_watch.h"
#include "launcher/ui/hosts_model.h"
#include "launcher/ui/launch_order_model.h"
#include "launcher/ui/launch_order_view.h"
#include "launcher/ui/placement_board.h"
#include "launcher/ui/placement_page.h"
#include "launcher/ui/preflight_panel.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "tests/launcher/deploy_window.h"
#include "tests/launcher/fake_ssh.h"

using namespace tutti;
using namespace tutti::launcher;

namespace {

struct Window : test::DeployWindow {
  using DeployWindow::DeployWindow;

  PlacementBoard* board() const { return find<PlacementBoard>("placementBoard"); }
  PlacementPage* placement() const { return find<PlacementPage>("placementPage"); }
  QListView* hosts() const { return find<QListView>("hostList"); }
  const PreflightCheck* check(const QString& id) const {
    for (const auto& one : page->preflightChecks()) {
      if (one.id == id) return &one;
    }
    return nullptr;
  }
  /// "atlas: a, b", a line each box.
  QStringList boxes() const {
    QStringList result;
    for (const BoardBox& box : board()->content()) {
      QStringList names;
      for (const BoardCard& card : box.cards) names << card.name;
      result << box.title + QStringLiteral(": ") + names.join(QStringLiteral(", "));
    }
    return result;
  }
  /// "atlas | SSH | Reachable | 1 of 4 cores".
  QStringList rows() const {
    QStringList result;
    const auto* model = hosts()->model();
    for (int row = 0; row < model->rowCount(); ++row) {
      const auto index = model->index(row, 0);
      result << QStringList{index.data().toString(), index.data(theme::DetailRole).toString(),
                            index.data(HostsModel::PillRole).toString().section(u',', 0, 0),
                            index.data(HostsModel::CoresRole).value<HostsModel::Bar>().text}
                    .join(QStringLiteral(" | "));
    }
    return result;
  }
};

}  // namespace

class TestDeployHosts : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    qputenv("XDG_STATE_HOME", folder_.filePath("state").toUtf8());
    for (const char* program : {"bin/tutti-rti", "bin/tutti-supervisor"})
      write(QString::fromLatin1(program), "#!/bin/sh\n", true);
    qputenv("TUTTI_BIN", folder_.filePath("bin").toUtf8());
    qputenv("TUTTI_LAB_DIR", folder_.filePath("no-lab").toUtf8());
    test::makeFakeSsh(folder_.filePath("programs"));
    component("source", "0.5", "40");
    component("sink", "1", "2000");
    component("viewer", "0.25", "100", R"(, "labels": ["gpu"])");
    theme_ = new theme::Theme(this);
    theme_->apply(theme::Appearance::Light);
  }

  void showsWhatHostsAnswer() {
    composer::Document document(catalog());
    open(document, R"({"hosts": {
      "atlas": {"destination": "atlas", "cores": 4, "memory": 8000, "labels": ["gpu"]},
      "bdown": {"destination": "bdown", "cores": 4},
      "clate": {"destination": "clate", "cores": 2}},
      "clusters": {"hpc": {"configuration": "/nowhere/slurm.conf", "partitions": {"short": {"nodes": {
        "n1": {"state": "idle", "cores": 8}, "n2": {"state": "allocated", "cores": 8}}}}}}})");
    Window window(&document);
    QVERIFY(window.shown);
    QAbstractItemModelTester tester(window.hosts()->model());
    const QString here = QStringLiteral("this machine | %1 cores | Here | 1.75 of %1")
                             .arg(QThread::idealThreadCount());
    // How far ahead the clock seems depends on how long the answer takes.
    const auto rows = [&] {
      static const QRegularExpression figures(QStringLiteral("Clock \\+\\d\\.\\d\\d.s"));
      return window.rows().replaceInStrings(figures, QStringLiteral("Clock ahead"));
    };
    QTRY_COMPARE_WITH_TIMEOUT(
        rows(),
        QStringList({here, "atlas | SSH, label gpu | Reachable | 0 of 4",
                     "bdown | SSH | No answer | 0 of 4", "clate | SSH | Clock ahead | 0 of 2",
                     "hpc | Slurm | No answer | 1 of 2 in use"}),
        20000);
    const auto* model = window.hosts()->model();
    QVERIFY2(model->index(2, 0).data(HostsModel::ReasonRole).toString().contains("timed out"),
             qPrintable(model->index(2, 0).data(HostsModel::ReasonRole).toString()));
    // What was in use is what the host has told.
    QVERIFY(window.page->hostWatch().find("atlas")->memoryInUseMb > 0);
    QVERIFY(model->index(1, 0).data(Qt::ToolTipRole).toString().contains("in use"));
    QVERIFY(model->index(1, 0).data(Qt::AccessibleTextRole).toString().contains("Reachable"));
    QVERIFY2(model->index(4, 0).data(HostsModel::ReasonRole).toString().contains("cannot be read"),
             qPrintable(model->index(4, 0).data(HostsModel::ReasonRole).toString()));
    // Federates are dropped on nodes of a partition, not on a cluster.
    QVERIFY(!model->index(4, 0).flags().testFlag(Qt::ItemIsDropEnabled));
  }

  /// Of the file that was open when it was asked, or of what the file said then.
  void theAnswerOfAnotherHostOfThatNameIsDropped() {
    write("named.hosts.json", R"({"hosts": {"atlas": {"destination": "atlas.east"}}})");
    HostWatch watch;
    watch.open(folder_.filePath("named.hosts.json"));
    QSignalSpy answered(&watch, &HostWatch::hostAnswered);
    HostReport report;
    report.host = "atlas";
    report.destination = "atlas.west";
    report.reached = true;
    watch.take(report);
    QCOMPARE(watch.find("atlas")->condition, HostView::Condition::NotAsked);
    report.destination = "atlas.east";
    report.port = 2222;
    watch.take(report);
    QCOMPARE(watch.find("atlas")->condition, HostView::Condition::NotAsked);
    QCOMPARE(answered.size(), 0);
    report.port = 0;
    watch.take(report);
    QCOMPARE(watch.find("atlas")->condition, HostView::Condition::Reachable);
    QCOMPARE(answered.size(), 1);
    QFile::remove(folder_.filePath("named.hosts.json"));
  }

  void asksInTheBackgroundAndLetsGo() {
    composer::Document document(catalog());
    open(document, R"({"hosts": {"mute": {"destination": "mute"}}})");
    Window window(&document);
    const auto& watch = window.page->hostWatch();
    QTRY_VERIFY(watch.isAsking());
    auto* busy = window.find<QLabel>("hostsBusy");
    QTRY_VERIFY_WITH_TIMEOUT(busy->isVisible(), 10000);
    QVERIFY2(busy->text().contains("1 host"), qPrintable(busy->text()));
    QTest::mouseClick(window.find<QPushButton>("hostsBusyCancel"), Qt::LeftButton);
    QVERIFY(!watch.isAsking());
    QTRY_VERIFY(!busy->isVisible());
    QCOMPARE(watch.find("mute")->condition, HostView::Condition::NotAsked);
  }

  // A click on Cancel is answered by what the window shows next, whatever the host does.
  void theChecksOfHostsShowTheirTimeAndAreCancelled() {
    composer::Document document(catalog());
    open(document, R"({"hosts": {"mute": {"destination": "mute", "cores": 4}}})");
    document.setHost({"flow"}, "mute");
    Window window(&document);
    static const QRegularExpression seconds(QStringLiteral(", [0-9]+ s$"));
    for (const char* name : {"hostsBusy", "preflightProgress"}) {
      auto* text = window.find<QLabel>(name);
      QTRY_VERIFY_WITH_TIMEOUT(text->isVisible() && seconds.match(text->text()).hasMatch(), 30'000);
    }
    for (const char* name : {"hostsBusyCancel", "preflightProgressCancel"}) {
      auto* cancel = window.find<QPushButton>(name);
      QTest::mouseClick(cancel, Qt::LeftButton);
      QVERIFY(!cancel->isVisible());
    }
    QVERIFY(!window.page->hostWatch().isAsking());
  }

  void federatesAreDraggedToHosts() {
    composer::Document document(catalog());
    open(document, twoHosts);
    Window window(&document);
    auto* board = window.board();
    QTRY_COMPARE(window.boxes(),
                 QStringList({"this machine: flow, log, spare, view", "atlas: ", "borea: "}));
    // A card, to a box.
    QTest::mouseClick(board->viewport(), Qt::LeftButton, {}, board->cardRect("flow").center());
    QCOMPARE(board->selection(), QStringList("flow"));
    QCOMPARE(window.page->selectedFederate(), "flow");
    drop(board, {"flow"}, board->titleRect("atlas").center());
    QCOMPARE(document.federate("flow")->host, "atlas");
    QCOMPARE(document.undoStack().undoText(), "place flow on atlas");
    QTRY_COMPARE(window.boxes(),
                 QStringList({"this machine: log, spare, view", "atlas: flow", "borea: "}));
    // Several, to a row of the hosts; one undo step.
    QTest::mouseClick(board->viewport(), Qt::LeftButton, {}, board->cardRect("log").center());
    QTest::mouseClick(board->viewport(), Qt::LeftButton, Qt::ControlModifier,
                      board->cardRect("view").center());
    QCOMPARE(board->selection(), QStringList({"log", "view"}));
    auto* model = window.hosts()->model();
    const std::unique_ptr<QMimeData> mime(mimeOfFederates(board->selection()));
    QVERIFY(model->canDropMimeData(mime.get(), Qt::MoveAction, -1, -1, model->index(2, 0)));
    QVERIFY(!model->canDropMimeData(mime.get(), Qt::MoveAction, 1, 0, {}));
    QVERIFY(model->dropMimeData(mime.get(), Qt::MoveAction, -1, -1, model->index(2, 0)));
    QTRY_COMPARE(window.boxes(),
                 QStringList({"this machine: spare", "atlas: flow", "borea: log, view"}));
    QCOMPARE(document.undoStack().undoText(), "place 2 federates on borea");
    document.undoStack().undo();
    QTRY_COMPARE(window.boxes(),
                 QStringList({"this machine: log, spare, view", "atlas: flow", "borea: "}));
    // All of a host, by its title.
    QTest::mouseClick(board->viewport(), Qt::LeftButton, {}, board->titleRect({}).center());
    QCOMPARE(board->selection(), QStringList({"log", "spare", "view"}));
    // A drop where there is no host moves nothing.
    drop(board, {"log"}, QPoint(2, 2));
    QCOMPARE(document.federate("log")->host, "");
    // The table says the same.
    const auto* order = window.find<LaunchOrderView>("launchOrder");
    QTRY_COMPARE(order->model()->index(0, LaunchOrderModel::Host).data().toString(), "2 hosts");
    QCOMPARE(order->model()->index(1, LaunchOrderModel::Host).data().toString(), "atlas");
  }

  void aGroupMovesTogether() {
    composer::Document document(catalog());
    open(document, twoHosts);
    document.groupFederates({"flow", "log"}, "West");
    Window window(&document);
    auto* board = window.board();
    // Its name is above its cards.
    QTRY_COMPARE(window.boxes(),
                 QStringList({"this machine: flow, log, spare, view", "atlas: ", "borea: "}));
    const QPoint name(board->cardRect("flow").left() + 30, board->cardRect("flow").top() - 8);
    QTest::mouseClick(board->viewport(), Qt::LeftButton, {}, name);
    QCOMPARE(board->selection(), QStringList({"flow", "log"}));
    QTest::keyClick(board, Qt::Key_Right, Qt::ControlModifier);
    QTRY_COMPARE(window.boxes(),
                 QStringList({"this machine: spare, view", "atlas: flow, log", "borea: "}));
    QCOMPARE(document.undoStack().undoText(), "place 2 federates on atlas");
  }

  void keysDoAllOfIt() {
    composer::Document document(catalog());
    open(document, twoHosts);
    Window window(&document);
    auto* board = window.board();
    board->setFocus(Qt::TabFocusReason);
    QTRY_COMPARE(board->current(), "flow");
    QTRY_COMPARE(window.boxes().size(), 3);
    QVERIFY2(board->accessibleDescription().contains("flow on this machine"),
             qPrintable(board->accessibleDescription()));
    QTest::keyClick(board, Qt::Key_Right, Qt::ControlModifier);
    QTRY_COMPARE(document.federate("flow")->host, "atlas");
    QTRY_VERIFY(board->accessibleDescription().contains("flow on atlas"));
    QTest::keyClick(board, Qt::Key_P);
    QVERIFY(document.federate("flow")->pinned);
    QCOMPARE(document.undoStack().undoText(), "pin flow");
    QTest::keyClick(board, Qt::Key_Left, Qt::ControlModifier);
    QTRY_COMPARE(document.federate("flow")->host, "");
    QTest::keyClick(board, Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(board->selection().size(), 4);
    QTest::keyClick(board, Qt::Key_Escape);
    QCOMPARE(board->selection(), QStringList());
    // By name, from the menu.
    board->select({"log", "view"});
    QMenu menu;
    window.placement()->fillMenu(menu);
    auto* move = menu.findChild<QMenu*>("moveMenu");
    QVERIFY(move != nullptr);
    QCOMPARE(move->title(), "Move 2 federates to");
    QStringList names;
    for (const auto* action : move->actions()) names << action->text();
    QCOMPARE(names, QStringList({"this machine", "atlas", "borea"}));
    QVERIFY(!move->actions().at(0)->isEnabled());
    move->actions().at(2)->trigger();
    QCOMPARE(document.federate("view")->host, "borea");
    // Or in the table.
    auto* order = window.find<LaunchOrderView>("launchOrder");
    QTRY_COMPARE(order->model()->rowCount(), 5);
    QVERIFY(order->model()->setData(order->model()->index(1, LaunchOrderModel::Host),
                                    QStringLiteral("borea")));
    QCOMPARE(document.federate("flow")->host, "borea");
  }

  void saysWhatIsTooMuch() {
    composer::Document document(catalog());
    open(document, twoHosts);
    Window window(&document);
    document.setHost({"log", "view"}, "borea");
    document.setCount("log", 5);
    document.keepApart({"log", "view"});
    const auto borea = [&] {
      for (const BoardBox& box : window.board()->content()) {
        if (box.key == "borea") return box;
      }
      return BoardBox{};
    };
    QTRY_COMPARE(borea().figure, "5.25 of 2 cores");
    QTRY_COMPARE(borea().note, QStringLiteral("3.25 cores too many, 6.1\u202fGB too much memory, "
                                              "log and view are to be kept apart"));
    QCOMPARE(borea().state, theme::State::Warning);
    QCOMPARE(borea().cards.at(1).detail, "no label gpu here");
    QTRY_VERIFY(window.hosts()
                    ->model()
                    ->index(2, 0)
                    .data(HostsModel::CoresRole)
                    .value<HostsModel::Bar>()
                    .over);
    // By need the same federates stand under what they ask for.
    window.find<theme::SegmentedControl>("placementOrder")->setCurrentIndex(1);
    QTRY_COMPARE(window.boxes(), QStringList({"Label gpu: view", "More than a core: log ×5",
                                              "A core: spare", "Less than a core: flow"}));
    QCOMPARE(window.board()->content().front().note, "Offered by atlas");
  }

  void placesByItselfWithReasons() {
    composer::Document document(catalog());
    open(document, twoHosts);
    Window window(&document);
    document.setHost({"flow"}, "borea");
    document.setPinned({"flow"}, true);
    auto* place = window.find<QPushButton>("placeAutomatically");
    QTRY_VERIFY2(place->isEnabled(), qPrintable(place->toolTip()));
    QTest::mouseClick(place, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(document.federate("view")->host, "atlas", 20000);
    QCOMPARE(document.federate("flow")->host, "borea");
    QCOMPARE(document.undoStack().undoText(), "place 2 federates automatically");
    auto* reason = window.find<QLabel>("placementReason");
    window.board()->setCurrent("view");
    QTRY_VERIFY2(reason->text().contains("Only atlas has what it needs"),
                 qPrintable(reason->text()));
    window.board()->setCurrent("flow");
    QTRY_VERIFY2(reason->text().contains("pinned to borea"), qPrintable(reason->text()));
    document.undoStack().undo();
    QCOMPARE(document.federate("view")->host, "");
  }

  void needsOfTheCompositionAreShownAndCount() {
    composer::Document document(catalog());
    open(document, twoHosts);
    Window window(&document);
    const auto detailOf = [&](const QString& id) {
      for (const BoardBox& box : window.board()->content()) {
        for (const BoardCard& card : box.cards) {
          if (card.id == id) return card.detail;
        }
      }
      return QString();
    };
    document.setResources("log", {3, 500, {"gpu"}});
    QTRY_COMPARE(detailOf("log"), QStringLiteral("no label gpu here"));
    QTest::mouseClick(window.find<QPushButton>("placeAutomatically"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(document.federate("log")->host, "atlas", 20000);
    QTRY_COMPARE(detailOf("log"), QStringLiteral("3 cores, 500\u202fMB, label gpu"));
    window.board()->setCurrent("log");
    auto* reason = window.find<QLabel>("placementReason");
    QTRY_VERIFY2(
        reason->text().contains("Only atlas has what it needs (as the composition says): 3 "
                                "cores, 500 MB and the label gpu."),
        qPrintable(reason->text()));
    // With other needs that reason is none any longer.
    document.setResources("log", {});
    QTRY_VERIFY2(reason->text().contains("Placed by hand"), qPrintable(reason->text()));
    QTRY_VERIFY2(!detailOf("log").contains("3 cores"), qPrintable(detailOf("log")));
    document.undoStack().undo();
    QTRY_COMPARE(detailOf("log"), QStringLiteral("3 cores, 500\u202fMB, label gpu"));
  }

  void aRefusalNamesTheNeedAndStopsTheRun() {
    composer::Document document(catalog());
    open(document, R"({"hosts": {"atlas": {"destination": "atlas", "cores": 4, "memory": 8000}}})");
    Window window(&document);
    QTRY_VERIFY(window.page->mayRun());
    auto* place = window.find<QPushButton>("placeAutomatically");
    QTest::mouseClick(place, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(window.boxes().front(), "Not placed: view", 20000);
    const BoardCard card = window.board()->content().front().cards.front();
    QVERIFY2(card.detail.contains("label gpu"), qPrintable(card.detail));
    QTRY_VERIFY(!window.page->mayRun());
    const auto* check = window.check("placement-view");
    QVERIFY(check != nullptr);
    QCOMPARE(check->title, "view is not placed");
    QVERIFY2(check->detail.contains("label gpu"), qPrintable(check->detail));
    QVERIFY(window.find<QLabel>("placementCaption")->text().startsWith("2 of 3"));
    // Placed by hand it is placed.
    drop(window.board(), {"view"}, window.board()->titleRect("atlas").center());
    QTRY_COMPARE(window.boxes(), QStringList({"this machine: spare", "atlas: flow, log, view"}));
    QTRY_VERIFY(window.check("placement-view") == nullptr);
    // Undone, the placement leaves no refusal behind.
    document.undoStack().undo();
    document.undoStack().undo();
    QTRY_COMPARE(window.boxes(), QStringList({"this machine: flow, log, spare, view", "atlas: "}));
  }

  void aHostThatIsNotDescribedIsSaid() {
    composer::Document document(catalog());
    open(document, twoHosts);
    document.setHost({"log"}, "delta");
    Window window(&document);
    QTRY_COMPARE(window.boxes().front(), "Not placed: log");
    QTRY_VERIFY(window.check("placement-log") != nullptr);
    QVERIFY(window.check("plan") == nullptr);
    QVERIFY2(window.page->whyNotRun().contains("log is placed on delta"),
             qPrintable(window.page->whyNotRun()));
    press(window, "Move it to this machine");
    QCOMPARE(document.federate("log")->host, "");
    QTRY_VERIFY(window.page->mayRun());
  }

  // An answer that is on its way says what was before.
  void checkAgainIsNotForgottenWhileHostsAreAsked() {
    composer::Document document(catalog());
    open(document,
         R"({"hosts": {"atlas": {"destination": "atlas", "cores": 8, "memory": 16000}}})");
    document.setHost({"flow"}, "atlas");
    write("programs/atlas/hold", "");
    Window window(&document);
    const auto held = [&] {
      QFile file(folder_.filePath("programs/atlas/held"));
      return file.open(QIODevice::ReadOnly) ? file.readAll().count('\n') : 0;
    };
    // The list of hosts and the pre-flight.
    QTRY_COMPARE_WITH_TIMEOUT(held(), 2, 30000);
    write("programs/atlas/cut", "");
    window.page->checkAgain();
    QVERIFY(QFile::remove(folder_.filePath("programs/atlas/hold")));
    QTRY_VERIFY_WITH_TIMEOUT(window.check("host-atlas"), 30000);
    QVERIFY(QFile::remove(folder_.filePath("programs/atlas/cut")));
  }

  void nothingStartsWhenAHostLacksSomething() {
    composer::Document document(catalog());
    open(document, R"({"hosts": {
      "abare": {"destination": "abare", "cores": 8, "memory": 16000},
      "bdown": {"destination": "bdown", "cores": 8, "memory": 16000}}})");
    document.setHost({"flow"}, "abare");
    document.setHost({"log"}, "bdown");
    Window window(&document);
    QTRY_VERIFY_WITH_TIMEOUT(window.check("host-bdown") && window.check("files-abare"), 30000);
    QVERIFY(!window.page->mayRun());
    // Tutti's programs, and the files of the components.
    QVERIFY(window.check("programs-abare"));
    QVERIFY2(window.page->whyNotRun().startsWith("Run needs 3 fixes"),
             qPrintable(window.page->whyNotRun()));
    QCOMPARE(window.check("host-bdown")->federates, QStringList("log"));
    QVERIFY(window.check("hosts") == nullptr);  // not all are reachable
    // Another host takes what is on the one that is away; undo brings it back.
    press(window, "Place elsewhere");
    QTRY_VERIFY_WITH_TIMEOUT(
        document.federate("log")->host != "bdown" || document.federate("flow")->host != "abare",
        20000);
    document.undoStack().undo();
    document.setHost({"log"}, "abare");
    QTRY_VERIFY_WITH_TIMEOUT(
        !window.check("host-bdown") && window.check("files-abare") &&
            window.check("files-abare")->federates == QStringList({"flow", "log"}),
        30000);
    const auto fixes = window.check("files-abare")->fixes;
    // The button says of what its size is: a host may lack more than this finding tells of.
    QVERIFY2(fixes.front().label.startsWith("Copy all that abare lacks, "),
             qPrintable(fixes.front().label));
    press(window, fixes.front().label);
    QTRY_VERIFY_WITH_TIMEOUT(window.page->mayRun(), 60000);
    // It was copied, as another source shows.
    QVERIFY(QFile::exists(folder_.filePath("programs/abare/cache/tutti/copies") +
                          folder_.filePath("components/sink/sink")));
    QTRY_VERIFY(window.check("files") != nullptr);
    QCOMPARE(window.check("files")->detail, "By check sum; on 1 host as copies");
  }

  /// What a person can do about one of many hosts can be done about all.
  void foldedWarningsKeepTheirFixes() {
    std::vector<PreflightCheck> checks;
    for (const QString host : {"a", "b", "c", "d"}) {
      PreflightCheck check;
      check.id = "memory-" + host;
      check.level = PreflightCheck::Level::Warning;
      check.title = "Little memory on " + host;
      check.where = host;
      check.fixes = {{"Place elsewhere", {}, {}, "elsewhere " + host},
                     {"Copy the command", {}, "ssh " + host + " ps"},
                     {"Wait until it is idle", {}, {}}};
      checks.push_back(check);
    }
    const auto one = folded(checks);
    QCOMPARE(one.size(), std::size_t{1});
    QCOMPARE(one[0].title, "Little memory on a, and likewise 3 more hosts");
    const auto& fixes = one[0].fixes;
    QCOMPARE(fixes.size(), std::size_t{3});
    QCOMPARE(fixes[0].action, "elsewhere a b c d");
    QCOMPARE(fixes[1].command, "ssh a ps\nssh b ps\nssh c ps\nssh d ps");
    QCOMPARE(fixes[2].label, "Wait until it is idle");
    checks.pop_back();
    QCOMPARE(folded(checks), checks);
  }

  /// The finding opens the form of the host, and one of this machine alone that of a new host.
  void aFindingOpensTheSettingsOfItsHost() {
    composer::Document document(catalog());
    open(document, R"({"hosts": {
      "bdown": {"destination": "bdown", "cores": 8, "memory": 16000}}})");
    document.setHost({"log"}, "bdown");
    Window window(&document);
    QTRY_VERIFY_WITH_TIMEOUT(window.check("host-bdown"), 30000);
    press(window, "Open its settings");
    auto* name = window.find<QLineEdit>("hostEditorName");
    QTRY_VERIFY(name->isVisible());
    QCOMPARE(name->text(), "bdown");
  }

  void hostsComeFromSshAndByHand() {
    composer::Document document(catalog());
    open(document, {});
    qputenv("HOME", folder_.path().toUtf8());
    write(".ssh/config", "Host alpha beta\nHost *\n");
    Window window(&document);
    QCOMPARE(window.rows().size(), 1);
    QVERIFY(window.find<QWidget>("hostsEmpty")->isVisible());
    QVERIFY(!window.find<QPushButton>("placeAutomatically")->isEnabled());
    QSignalSpy done(window.page, &theme::Workspace::done);
    QTest::mouseClick(window.find<QPushButton>("importSshButton"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(window.rows().size(), 3, 20000);
    QVERIFY(!window.find<QWidget>("hostsEmpty")->isVisible());
    const QString file = folder_.filePath("air.hosts.json");
    QCOMPARE(done.at(0).at(0).toString(), "Imported 2 hosts into air.hosts.json");
    QVERIFY(Deployment::read(file));

    window.page->findChild<QAction*>("addHost")->trigger();
    QTRY_VERIFY(window.find<QWidget>("hostEditor")->isVisible());
    window.find<QLineEdit>("hostEditorName")->setText("two words");
    auto* accept = window.find<QPushButton>("hostEditorAccept");
    QTest::mouseClick(accept, Qt::LeftButton);
    QVERIFY(!window.find<QLabel>("hostEditorProblem")->text().isEmpty());
    window.find<QLineEdit>("hostEditorName")->setText("gamma");
    window.find<QLineEdit>("hostEditorLabels")->setText("gpu, net");
    window.find<QCheckBox>("hostEditorSpare")->setChecked(true);
    QTest::keyClick(window.find<QLineEdit>("hostEditorLabels"), Qt::Key_Return);
    QVERIFY(!window.find<QWidget>("hostEditor")->isVisible());
    const auto saved = Deployment::read(file);
    QVERIFY(saved);
    QCOMPARE(saved->host("gamma")->destination, "gamma");
    QCOMPARE(saved->host("gamma")->labels, QStringList({"gpu", "net"}));
    // One that is marked is of use at once, and the list shows which ones are spares.
    QVERIFY(saved->host("gamma")->spare && saved->restartsOnSpare);
    QTRY_VERIFY2(window.rows().last().startsWith("gamma | SSH, spare, label gpu, label net | "),
                 qPrintable(window.rows().last()));
    QVERIFY(window.rows().at(1).startsWith("alpha | SSH | "));
    QTRY_VERIFY(window.find<QPushButton>("placeAutomatically")->isEnabled());
    QCOMPARE(window.page->commandLine(),
             QStringLiteral("tutti plan %1 --hosts %2").arg(document.path(), file));
    QFile::remove(file);
  }

  void anotherHostsFileIsRemembered() {
    composer::Document document(catalog());
    open(document, twoHosts);
    write("other.hosts.json", R"({"hosts": {"omega": {"destination": "omega"}}})");
    QSettings settings(folder_.filePath("settings.ini"), QSettings::IniFormat);
    {
      Window window(&document);
      window.page->setSettings(&settings);
      window.page->useHostsFile(folder_.filePath("other.hosts.json"));
      QTRY_COMPARE(window.boxes().last(), "omega: ");
      QVERIFY(window.page->commandLine().endsWith("other.hosts.json"));
    }
    Window window(&document);
    QTRY_COMPARE(window.boxes().last(), "borea: ");
    window.page->setSettings(&settings);
    QTRY_COMPARE(window.boxes().last(), "omega: ");
    // One that cannot be read says so, and nothing else is lost.
    write("broken.hosts.json", "{");
    window.page->useHostsFile(folder_.filePath("broken.hosts.json"));
    auto* problem = window.find<QLabel>("hostsProblem");
    QTRY_VERIFY(problem->isVisible());
    QVERIFY2(problem->text().contains("broken.hosts.json"), qPrintable(problem->text()));
    window.page->useHostsFile({});
    QTRY_COMPARE(window.boxes(), QStringList("this machine: flow, log, spare, view"));
  }

  void connectionsNameTheSinglePointsOfFailure() {
    composer::Document document(catalog());
    open(document, twoHosts);
    document.setHost({"log"}, "atlas");
    document.setHost({"view"}, "borea");
    document.setRequired("view", false);
    Window window(&document);
    auto* list = window.find<QListWidget>("connectionsLines");
    const auto lines = [&] {
      QStringList result;
      for (int row = 0; row < list->count(); ++row) {
        const auto* item = list->item(row);
        const auto state = item->data(theme::StateRole).value<theme::State>();
        result << (state == theme::State::Warning ? "! " : "") + item->text() + ": " +
                      item->data(theme::DetailRole).toString().section(". ", 0, 0);
      }
      return result;
    };
    QTRY_COMPARE(
        lines(),
        QStringList(
            {"! RTI node tutti-rti: The run ends: it is the home of the federation execution, and "
             "every federate loses its connection.",
             "! this machine: The run ends: the home and the launch are here, and the other hosts "
             "end what they run when they have heard nothing for 15 s.",
             "! host atlas: The run ends: log is required",
             "! RTI node tutti-rti@atlas: The run ends: log is required",
             // Also the one that is on this machine.
             "! each of 2 required federates: The run ends with any of them: flow, log.",
             "host borea: The others go on without federate view",
             "RTI node tutti-rti@borea: The others go on without federate view",
             "this machine: RTI node that coordinates, 1 federate", "atlas: RTI node, 1 federate",
             "borea: RTI node, 1 federate", "atlas to this machine: TCP and UDP 15164 to 15264",
             "borea to this machine: TCP and UDP 15164 to 15264",
             "borea to atlas: TCP and UDP, free ports"}));
    QVERIFY(list->item(0)->data(Qt::AccessibleTextRole).toString().startsWith("Single point"));
    // Why it is this machine that coordinates.
    QVERIFY(list->item(7)
                ->data(theme::DetailRole)
                .toString()
                .contains("This machine coordinates, because "));
    QVERIFY(list->item(7)->toolTip().contains("because the run ends with it in any case"));
    // The page says what the file says.
    const auto launch = LaunchPlan::make(
        document.composition(), document.catalog(),
        {"by-hand", document.path(), document.folder(), {}, window.page->hostWatch().file()});
    QVERIFY(launch);
    const auto plan = ConnectionPlan::of(*launch, {});
    for (const auto& risk : plan.risks) {
      if (!risk.federate.isEmpty()) continue;
      bool isThere = false;
      for (int row = 0; row < list->count(); ++row)
        isThere |= list->item(row)->text() == risk.part &&
                   list->item(row)->data(theme::DetailRole) == risk.consequence;
      QVERIFY2(isThere, qPrintable(risk.part));
    }
    auto* architecture = window.find<QComboBox>("architecture");
    QCOMPARE(architecture->currentText(), "decentralized");
    architecture->setCurrentIndex(2);
    Q_EMIT architecture->activated(2);
    QCOMPARE(document.composition().settings.architecture, "centralized");
    QTRY_VERIFY(
        lines().contains("atlas to this machine: TCP 15164 to 15264, and TCP for each federate"));
    QVERIFY(lines().join('\n').contains("! network of this machine: The run ends when"));
    QVERIFY(!lines().join('\n').contains("borea to atlas"));
    document.undoStack().undo();
    QTRY_COMPARE(architecture->currentText(), "decentralized");
  }

  void manyFederatesStayInTheirBoxes_data() {
    QTest::addColumn<int>("federates");
    QTest::addColumn<int>("hosts");
    QTest::addColumn<int>("width");
    QTest::newRow("one host") << 7 << 1 << 690;
    QTest::newRow("100 on 16") << 100 << 16 << 690;
    QTest::newRow("300 on 16") << 300 << 16 << 690;
    QTest::newRow("300 on 1") << 300 << 1 << 1400;
    QTest::newRow("narrow") << 100 << 16 << 200;
  }
  void manyFederatesStayInTheirBoxes() {
    QFETCH(int, federates);
    QFETCH(int, hosts);
    QFETCH(int, width);
    std::vector<BoardBox> boxes(static_cast<std::size_t>(hosts));
    for (int i = 0; i < federates; ++i) {
      BoardCard card;
      card.id = QString::number(i);
      if (i % 3 == 0) card.group = "thirds";
      boxes[static_cast<std::size_t>(i * i % hosts)].cards.push_back(card);
    }
    for (BoardBox& box : boxes)
      std::stable_sort(box.cards.begin(), box.cards.end(), [](const auto& a, const auto& b) {
        return a.group.isEmpty() < b.group.isEmpty();
      });
    const auto layout = BoardLayout::of(boxes, width, 300);
    QList<QRect> all;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const auto& box = layout.boxes[i];
      QCOMPARE(box.cards.size(), boxes[i].cards.size());
      QVERIFY(box.rect.right() < width && box.rect.bottom() < layout.height);
      for (const QRect& other : all) QVERIFY(!other.intersects(box.rect));
      all << box.rect;
      QList<QRect> inside;
      for (const auto& group : box.groups) inside << group.rect;
      for (const QRect& card : box.cards) inside << card;
      for (qsizetype a = 0; a < inside.size(); ++a) {
        QVERIFY(box.rect.contains(inside.at(a)));
        for (qsizetype b = 0; b < a; ++b) QVERIFY(!inside.at(a).intersects(inside.at(b)));
      }
    }
  }

  void manyFederatesArePlacedOnManyHosts() {
    composer::Document document(catalog());
    QByteArray hosts;
    for (int i = 1; i <= 16; ++i)
      hosts += (hosts.isEmpty() ? QByteArray() : QByteArray(",")) + "\"h" + QByteArray::number(i) +
               "\": {\"destination\": \"h" + QByteArray::number(i) + "\", \"cores\": 16}";
    open(document, "{\"hosts\": {" + hosts + "}}", 300);
    Window window(&document);
    QTRY_VERIFY(window.find<QPushButton>("placeAutomatically")->isEnabled());
    QTest::mouseClick(window.find<QPushButton>("placeAutomatically"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window.boxes().front() == "this machine: ", 60000);
    QCOMPARE(window.boxes().size(), 17);
    // As people count: h2 before h10.
    QCOMPARE(window.board()->content().at(2).title, "h2");
    auto* lines = window.find<QListWidget>("connectionsLines");
    QStringList risks;
    for (int row = 0; row < lines->count(); ++row) risks << lines->item(row)->text();
    QVERIFY2(risks.contains("host h2") && risks.indexOf("host h2") < risks.indexOf("host h10"),
             qPrintable(risks.join(", ")));
    // One line for all of them, beside the lines of the hosts.
    QCOMPARE(risks.filter("federate"), QStringList("each of 300 required federates"));
    std::size_t cards = 0;
    for (const BoardBox& box : window.board()->content()) cards += box.cards.size();
    QCOMPARE(cards, std::size_t{300});
    QCOMPARE(window.find<QLabel>("placementCaption")->text(), "300 federates on 16 hosts");
  }

  void looksRight() {
    const auto target = qEnvironmentVariable("TUTTI_SCREENSHOTS");
    if (target.isEmpty()) return;  // Only made for somebody to look at.
    qputenv("TUTTI_CATALOG", TUTTI_SOURCE_DIR "/resources/components");
    qputenv("TUTTI_BIN", TUTTI_BINARY_DIR "/bin");
    write("lab.hosts.json", R"({"hosts": {
      "atlas": {"destination": "atlas", "cores": 4, "memory": 15600},
      "borea": {"destination": "borea-bare", "cores": 4, "memory": 15600, "labels": ["net"]},
      "cirrus": {"destination": "cirrus-late", "cores": 2, "memory": 7800, "labels": ["gpu"]},
      "delta": {"destination": "delta-down", "cores": 4}},
      "clusters": {"lab": {"partitions": {"sim": {"nodes": {
        "n1": {"state": "idle", "cores": 8}, "n2": {"state": "allocated", "cores": 8},
        "n3": {"state": "idle", "cores": 8}}}}}}})");
    QByteArray hosts;
    for (int i = 1; i <= 16; ++i)
      hosts += (hosts.isEmpty() ? QByteArray() : QByteArray(",")) + "\"node" +
               QByteArray::number(i) + "\": {\"destination\": \"node" + QByteArray::number(i) +
               "\", \"cores\": 10, \"memory\": 16000}";
    write("many.hosts.json", "{\"hosts\": {" + hosts + "}}");
    write("late.hosts.json", R"({"hosts": {
      "north-1": {"destination": "late1"}, "north-2": {"destination": "late2"},
      "north-3": {"destination": "late3"}, "north-4": {"destination": "late4"},
      "north-5": {"destination": "late5"}, "north-6": {"destination": "late6"}}})");
    composer::Document sample(composer::Catalog::readDefault());
    QVERIFY(sample.load(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json"));
    const auto place = [&](const char* name, const char* host) {
      sample.setHost({sample.composition().findByName(name)->id}, host);
    };
    place("flow-north", "atlas");
    place("flow-south", "atlas");
    place("radar-east", "borea");
    place("radar-west", "borea");
    place("detector", "borea");
    place("log", "cirrus");
    sample.setPinned({sample.composition().findByName("radar-west")->id}, true);
    composer::Document own(catalog());
    open(own, {});
    own.setResources("flow", {0.5, 250, {}});
    own.setResources("log", {3, 6000, {"gpu", "large-memory", "radar-hardware"}});
    own.setResources("view", {1, 0, {"display"}});
    composer::Document folded(catalog());
    open(folded, {}, 6);
    for (int i = 0; i < 6; ++i)
      folded.setHost({QStringLiteral("unit-%1").arg(i, 3, 10, QChar('0'))},
                     QStringLiteral("north-%1").arg(i + 1));
    composer::Document hundred(catalog());
    open(hundred, {}, 100);
    composer::Document threeHundred(catalog());
    open(threeHundred, {}, 300);
    for (const auto appearance : {theme::Appearance::Light, theme::Appearance::Dark}) {
      theme_->apply(appearance);
      const QString suffix = appearance == theme::Appearance::Light ? "light" : "dark";
      for (const auto& [name, document, file] :
           {std::tuple{"hosts", &sample, "lab.hosts.json"},
            std::tuple{"need", &sample, "lab.hosts.json"},
            std::tuple{"own-needs", &own, "lab.hosts.json"},
            std::tuple{"folded", &folded, "late.hosts.json"},
            std::tuple{"hundred", &hundred, "many.hosts.json"},
            std::tuple{"three-hundred", &threeHundred, "many.hosts.json"}}) {
        Window window(document);
        window.page->useHostsFile(folder_.filePath(QString::fromLatin1(file)));
        if (document == &hundred || document == &threeHundred) {
          QTRY_VERIFY(window.find<QPushButton>("placeAutomatically")->isEnabled());
          QTest::mouseClick(window.find<QPushButton>("placeAutomatically"), Qt::LeftButton);
          if (!QTest::qWaitFor([&] { return window.boxes().front() == "this machine: "; }, 60000))
            QFAIL(qPrintable(window.boxes().join('\n').left(300) +
                             window.find<QLabel>("placementReason")->text()));
        } else {
          window.page->showItem(document == &own ? "log" : "radar-west");
        }
        if (name == QByteArray("need"))
          window.find<theme::SegmentedControl>("placementOrder")->setCurrentIndex(1);
        QTRY_VERIFY_WITH_TIMEOUT(!window.page->hostWatch().isAsking(), 60000);
        if (document == &folded)
          QTRY_VERIFY_WITH_TIMEOUT(window.check("clock-hosts") != nullptr, 60000);
        QTest::qWait(4000);
        QVERIFY(window.frame.grab().save(
            QStringLiteral("%1/deploy-%2-%3.png").arg(target, QString::fromLatin1(name), suffix)));
      }
    }
    theme_->apply(theme::Appearance::Light);
  }

 private:
  static constexpr const char* twoHosts = R"({"hosts": {
    "atlas": {"destination": "atlas", "cores": 4, "memory": 8000, "labels": ["gpu"]},
    "borea": {"destination": "borea", "cores": 2, "memory": 4000}}})";

  static void drop(PlacementBoard* board, const QStringList& ids, const QPoint& at) {
    const std::unique_ptr<QMimeData> mime(mimeOfFederates(ids));
    QDragEnterEvent enter(at, Qt::MoveAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(board->viewport(), &enter);
    QVERIFY(enter.isAccepted());
    QDragMoveEvent move(at, Qt::MoveAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(board->viewport(), &move);
    QDropEvent event(at, Qt::MoveAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(board->viewport(), &event);
  }

  /// The first fix of that label.
  static void press(const Window& window, const QString& label) {
    for (auto* button : window.page->findChildren<QPushButton*>(QStringLiteral("fix"))) {
      if (button->text() != label || !button->isVisibleTo(window.page)) continue;
      QTest::mouseClick(button, Qt::LeftButton);
      return;
    }
    QFAIL(qPrintable(QStringLiteral("no fix %1").arg(label)));
  }

  void write(const QString& path, const QByteArray& content, bool executable = false) const {
    const auto full = folder_.filePath(path);
    QDir().mkpath(QFileInfo(full).absolutePath());
    QFile output(full);
    QVERIFY(output.open(QIODevice::WriteOnly));
    output.write(content);
    output.close();
    if (executable) output.setPermissions(output.permissions() | QFile::ExeOwner | QFile::ExeUser);
  }

  void component(const QString& id, const QString& cores, const QString& memory,
                 const QString& rest = {}) const {
    write("components/" + id + "/component.json",
          QStringLiteral(R"({"id": "%1", "name": "%1", "version": "1.0", "api": "none",
            "ready": {"when": "joined"}, "resources": {"cores": %2, "memory": %3%4},
            "command": {"executable": "%1", "arguments": [["--name", "{federate}"]]}})")
              .arg(id, cores, memory, rest)
              .toUtf8());
    write("components/" + id + "/" + id, "#!/bin/sh\n", true);
  }

  composer::Catalog catalog() const {
    return composer::Catalog::read({folder_.filePath("components")});
  }

  /// A composition in a file of its own beside a hosts file of that content; empty: none. `many`:
  /// so many federates instead of four.
  void open(composer::Document& document, const QByteArray& hosts, int many = 0) const {
    QFile::remove(folder_.filePath("air.hosts.json"));
    if (!hosts.isEmpty()) write("air.hosts.json", hosts);
    // The only hosts file of a folder would be taken as well: none, or more than one.
    for (const char* other : {"one.hosts.json", "two.hosts.json"})
      write(QString::fromLatin1(other), "{}");
    document.reset("test");
    document.edit("sample", [many](composer::Composition& composition) {
      const auto add = [&](const QString& id, const QString& name, int order) {
        composer::Federate one;
        one.id = id;
        one.name = id;
        one.component = name;
        one.version = "1.0";
        one.startOrder = order;
        composition.federates[id] = one;
      };
      for (int i = 0; i < many; ++i)
        add(QStringLiteral("unit-%1").arg(i, 3, 10, QChar('0')), "source", i / 10);
      if (many > 0) return;
      add("flow", "source", 0);
      add("log", "sink", 1);
      add("spare", "sink", 1);
      add("view", "viewer", 1);
      composition.federates["spare"].enabled = false;
    });
    QVERIFY(document.saveAs(folder_.filePath("air.federation.json")));
  }

  QTemporaryDir folder_;
  theme::Theme* theme_ = nullptr;
};

QTEST_MAIN(TestDeployHosts)
#include "tst_deploy_hosts.moc"
