// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QListView>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QToolButton>
#include <algorithm>
#include <memory>

#include "composer/model/document.h"
#include "launcher/engine/plan_folder.h"
#include "launcher/ui/connections_view.h"
#include "launcher/ui/deploy_export.h"
#include "launcher/ui/host_watch.h"
#include "launcher/ui/hosts_model.h"
#include "launcher/ui/launch_order_model.h"
#include "launcher/ui/launch_order_view.h"
#include "launcher/ui/placement_board.h"
#include "launcher/ui/preflight_panel.h"
#include "resources/theme/delegates.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "tests/launcher/deploy_window.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti;
using namespace tutti::launcher;
using Column = LaunchOrderModel::Column;

namespace {

QString textOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// The page in a window of the console's size.
struct Window : test::DeployWindow {
  using DeployWindow::DeployWindow;

  LaunchOrderView* order() const { return find<LaunchOrderView>("launchOrder"); }
  bool checked() const { return !page->isChecking() && !page->preflightChecks().empty(); }

  /// The rows as a person reads them: "on flow 0 RTI node ready".
  QStringList rows() const {
    QStringList result;
    const auto* model = order()->model();
    for (int row = 0; row < model->rowCount(); ++row) {
      const auto cell = [&](int column) { return model->index(row, column); };
      result << QStringLiteral("%1 %2 | %3 | %4 | %5")
                    .arg(cell(Column::On).data(Qt::CheckStateRole).toInt() == Qt::Checked ? "on"
                                                                                          : "off",
                         cell(Column::Federate).data().toString(),
                         cell(Column::Order).data().toString(),
                         cell(Column::StartsWhen).data().toString(),
                         cell(Column::ReadyWhen).data().toString());
    }
    return result;
  }
};

}  // namespace

class TestDeployPage : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    qputenv("XDG_STATE_HOME", folder_.filePath("state").toUtf8());
    file("bin/tutti-rti", "#!/bin/sh\n", true);
    file("bin/tutti-supervisor", "#!/bin/sh\n", true);
    qputenv("TUTTI_BIN", folder_.filePath("bin").toUtf8());
    component("source");
    component("sink");
    component("unbuilt", false);
    theme_ = new theme::Theme(this);
    theme_->apply(theme::Appearance::Light);
  }

  void showsWhatStartsInWhichOrder() {
    composer::Document document(catalog());
    load(document);
    Window window(&document);
    QVERIFY(window.shown);
    QAbstractItemModelTester tester(window.order()->model());
    QTRY_COMPARE(window.rows(), QStringList({"on RTI node | first | at once | says so",
                                             "on flow | 0 | RTI node ready | joined",
                                             "on log ×3 | 1 | flow ready | joined",
                                             "off spare | 1 | disabled | joined"}));
    QCOMPARE(window.find<QLabel>("placementCaption")->text(),
             "4 of 5 federates, all on this machine");
  }

  // The window's own run holds a port of the composition: that is no obstacle, as it ends before
  // another one starts; the run of another program is one. What is said ends with the run.
  void theOwnRunIsNoObstacle() {
    file("components/viewer/component.json",
         R"({"id": "viewer", "name": "viewer", "version": "1.0", "api": "none",
             "parameters": [{"name": "port", "kind": "int", "default": 5000}],
             "ready": {"when": "port", "port": "port"},
             "command": {"executable": "viewer", "arguments": [["--name", "{federate}"]]}})");
    file("components/viewer/viewer", "#!/bin/sh\n", true);
    composer::Document document(catalog());
    load(document);
    auto supervisor = std::make_unique<test::SupervisorClient>();
    const QString run = supervisor->runName();
    supervisor->sendPlan({test::SupervisorClient::planned("viewer", {"listen"})});
    const auto line = supervisor->waitFor("output", "viewer")["line"].toString();
    QVERIFY2(line.startsWith("port "), qPrintable(line));
    document.edit("view", [&](composer::Composition& composition) {
      composition.federates["spare"].component = "viewer";
      composition.federates["spare"].enabled = true;
      composition.federates["spare"].parameters["port"] = line.mid(5).toInt();
    });
    Window window(&document);
    const auto held = [&]() -> const PreflightCheck* {
      const auto& checks = window.page->preflightChecks();
      const auto found = std::find_if(checks.begin(), checks.end(),
                                      [&](const auto& check) { return check.title.contains(run); });
      return found == checks.end() ? nullptr : &*found;
    };
    QTRY_VERIFY_WITH_TIMEOUT(held() != nullptr, 30000);
    QVERIFY2(held()->title.contains("held by the run " + run), qPrintable(held()->title));
    QVERIFY(!window.page->mayRun());
    QCOMPARE(window.page->badge().count, 1);
    window.page->setOwnRun(run);
    QVERIFY(held() != nullptr);
    QCOMPARE(held()->level, PreflightCheck::Level::Passed);
    QVERIFY2(held()->detail.contains("run of this window"), qPrintable(held()->detail));
    QVERIFY2(window.page->mayRun(), qPrintable(window.page->whyNotRun()));
    QCOMPARE(window.page->badge().count, 0);
    // The window has left it to itself: it does not end before the next one.
    window.page->setOwnRun({});
    QTRY_VERIFY_WITH_TIMEOUT(held() != nullptr && held()->level == PreflightCheck::Level::Error,
                             30000);
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->isChecking(), 30000);
    QVERIFY(!window.page->mayRun());
    window.page->setOwnRun(run);
    QVERIFY2(window.page->mayRun(), qPrintable(window.page->whyNotRun()));
    supervisor.reset();
    window.page->setOwnRun({});
    QVERIFY2(window.page->mayRun(), qPrintable(window.page->whyNotRun()));
    QTRY_VERIFY_WITH_TIMEOUT(held() == nullptr && !window.page->isChecking(), 30000);
    QVERIFY(window.page->mayRun());
  }

  // Order as a table, placement and connections as pictures: with title, and light in a dark
  // window.
  void whatThePageShowsIsExported() {
    composer::Document document(catalog());
    load(document);
    Window window(&document);
    QVERIFY(window.shown);
    QTRY_COMPARE(window.order()->model()->rowCount(), 4);
    QTRY_COMPARE(window.find<QLabel>("placementCaption")->text(),
                 "4 of 5 federates, all on this machine");
    QTemporaryDir folder;
    const QString table = folder.filePath("order.csv");
    QVERIFY(exportLaunchOrder(document, *window.order()->model(), table));
    QStringList lines = textOf(table).split(u'\n', Qt::SkipEmptyParts);
    QVERIFY2(lines[0].startsWith(QStringLiteral("# %1, launch order, 2")
                                     .arg(document.composition().settings.federation)),
             qPrintable(lines[0]));
    lines.removeFirst();
    QCOMPARE(lines,
             QStringList({"On,Federate,Host,Order,Starts when,Ready when,Time-out,If it dies",
                          "yes,RTI node,this machine,first,at once,says so,5 s,stops the run",
                          "yes,flow,this machine,0,RTI node ready,joined,10 s,stops the run",
                          "yes,log ×3,this machine,1,flow ready,joined,10 s,stops the run",
                          "no,spare,this machine,1,disabled,joined,10 s,stops the run"}));

    auto* board = window.find<PlacementBoard>("placementBoard");
    board->selectAll();
    const auto* graph = window.find<ConnectionsView>("connectionsView")->graph();
    const QString places = folder.filePath("placement.svg");
    const QString links = folder.filePath("connections.svg");
    QVERIFY(exportPlacement(document, *board, places));
    QVERIFY(exportConnections(document, *graph, links));
    for (const auto& [id, federate] : document.composition().federates)
      QVERIFY2(textOf(places).contains(u'>' + federate.name), qPrintable(federate.name));
    QVERIFY(textOf(places).contains(", placement, 2"));
    QVERIFY(textOf(links).contains(", connections, 2"));
    QVERIFY(textOf(links).contains(">this machine<"));

    const auto pictures = [&] {
      QList<QImage> result;
      const QString path = folder.filePath("picture.png");
      if (exportPlacement(document, *board, path)) result << QImage(path);
      if (exportConnections(document, *graph, path)) result << QImage(path);
      for (QImage& image : result) image = image.copy(0, 80, image.width(), image.height() - 80);
      return result;
    };
    const QList<QImage> light = pictures();
    QCOMPARE(light.size(), 2);
    theme_->apply(theme::Appearance::Dark);
    const QList<QImage> dark = pictures();
    theme_->apply(theme::Appearance::Light);
    QCOMPARE(dark, light);
    const auto refused = exportPlacement(document, *board, "/nowhere/p.png");
    QVERIFY(!refused);
    QVERIFY2(refused.error().contains("/nowhere/p.png cannot be written"),
             qPrintable(refused.error()));
    // Each is found by its name.
    for (const char* name : {"exportLaunchOrder", "exportPlacement", "exportConnections"})
      QVERIFY(window.page->menuActions().value("Tools").contains(window.find<QAction>(name)));
  }

  void editsAreUndoable() {
    composer::Document document(catalog());
    load(document);
    Window window(&document);
    auto* order = window.order();
    QTRY_COMPARE(order->model()->rowCount(), 4);
    const auto before = window.rows();
    // The check box, with the mouse.
    const auto box = order->visualRect(order->model()->index(1, Column::On));
    QTest::mouseClick(order->viewport(), Qt::LeftButton, {}, box.center());
    QTRY_VERIFY(window.rows().at(1).startsWith("off flow"));
    QVERIFY(document.undoStack().undoText().contains("flow"));
    document.undoStack().undo();
    QTRY_COMPARE(window.rows(), before);
    // The start order, with the keyboard; the row moves and stays selected.
    order->setFocus();
    order->setCurrentIndex(order->model()->index(1, Column::Order));
    QTest::keyClick(order, Qt::Key_F2);
    auto* editor = order->findChild<QSpinBox*>("startOrderEditor");
    QVERIFY(editor != nullptr);
    editor->setValue(7);
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(window.rows().last().section(" | ", 0, 1), "on flow | 7");
    QCOMPARE(window.page->selectedFederate(), "flow");
    document.undoStack().undo();
    QTRY_COMPARE(window.rows(), before);
    // Enable and disable by Ctrl+E.
    window.page->selectFederate("spare");
    QTest::keyClick(order, Qt::Key_E, Qt::ControlModifier);
    QTRY_VERIFY(window.rows().last().startsWith("on spare"));
    document.undoStack().undo();
    QTRY_COMPARE(window.rows(), before);
  }

  void choosesWhatOneWaitsFor() {
    composer::Document document(catalog());
    load(document);
    Window window(&document);
    auto* order = window.order();
    QTRY_COMPARE(order->model()->rowCount(), 4);
    window.page->selectFederate("flow");
    order->editWaits(order->currentIndex());
    auto* list = QApplication::activePopupWidget()->findChild<QListWidget*>("waitsList");
    QVERIFY(list != nullptr);
    QMap<QString, QListWidgetItem*> items;
    for (int row = 0; row < list->count(); ++row)
      items[list->item(row)->data(Qt::UserRole).toString()] = list->item(row);
    QCOMPARE(items.keys(), QStringList({"log", "spare"}));
    // log waits for flow: choosing it would make a circle.
    QCOMPARE(items["log"]->flags(), Qt::NoItemFlags);
    items["spare"]->setCheckState(Qt::Checked);
    QApplication::activePopupWidget()->close();
    QCOMPARE(document.federate("flow")->waitsFor, QStringList("spare"));
    document.undoStack().undo();
    QCOMPARE(document.federate("flow")->waitsFor, QStringList());
    // Escape changes nothing.
    order->editWaits(order->currentIndex());
    auto* popup = QApplication::activePopupWidget();
    for (auto* one : popup->findChildren<QListWidget*>()) one->item(1)->setCheckState(Qt::Checked);
    QTest::keyClick(popup, Qt::Key_Escape);
    QCOMPARE(document.federate("flow")->waitsFor, QStringList());
  }

  void showsTheCommandAndThePlan() {
    composer::Document document(catalog());
    load(document);
    Window window(&document);
    QTRY_COMPARE(window.order()->model()->rowCount(), 4);
    window.page->selectFederate("log");
    const auto command = window.find<QLabel>("federateCommand")->toolTip();
    QVERIFY2(command.contains("components/sink/sink --name log-1"), qPrintable(command));
    QVERIFY(command.contains("TUTTI_RTI=shm:run-"));
    QTest::mouseClick(window.find<QToolButton>("copyCommand"), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), command);
    QVERIFY(window.find<QPlainTextEdit>("planText")->toPlainText().contains("\"log-3\""));
  }

  /// All that `tutti plan FILE -o FOLDER` writes, which the status line says.
  void thePlansAndScriptsAreWritten() {
    composer::Document document(catalog());
    load(document);
    QVERIFY(document.saveAs(folder_.filePath("written.federation.json")));
    Window window(&document);
    QTRY_COMPARE(window.order()->model()->rowCount(), 4);
    const QString command = window.page->commandLine();
    const auto path = folder_.filePath("written plans");
    QString why;
    QVERIFY2(window.page->writePlan(path, &why), qPrintable(why));
    QCOMPARE(window.page->commandLine(), command + " -o '" + path + "'");
    QCOMPARE(
        QDir(path).entryList(QDir::Files, QDir::Name),
        QStringList({"README.txt", "connections.json", "job.sbatch", "launch.json", "run.sh"}));
    const auto read = readPlanFolder(path);
    QVERIFY2(read, qPrintable(read ? QString() : read.error().message()));
    QCOMPARE(read->plan.federates.size(), std::size_t{4});
    // The same bytes again, and none of the run that the page plans.
    for (const auto& [name, bytes] : filesOfPlan(read->plan, read->architecture))
      QCOMPARE(textOf(path + '/' + name).toUtf8(), bytes);
    QVERIFY(!textOf(path + "/launch.json").contains("by-hand"));
    QVERIFY(!window.page->writePlan("/proc/nowhere", &why));
    QVERIFY2(why.contains("/proc/nowhere"), qPrintable(why));
    document.setCount("log", 2);
    QTRY_COMPARE(window.page->commandLine(), command);
  }

  /// Files of somebody's own with such names are never replaced; the folder that is suggested is
  /// one of its own.
  void ownFilesAreNotReplaced() {
    composer::Document document(catalog());
    load(document);
    QTemporaryDir place;
    QVERIFY(document.saveAs(place.filePath("mine.federation.json")));
    QFile own(place.filePath("run.sh"));
    QVERIFY(own.open(QIODevice::WriteOnly));
    own.write("my own script");
    own.close();
    Window window(&document);
    QTRY_COMPARE(window.order()->model()->rowCount(), 4);
    const auto before = QDir(place.path()).entryList(QDir::Files, QDir::Name);
    QString why;
    QVERIFY(!window.page->writePlan(place.path(), &why));
    QVERIFY2(why.contains(place.path()) && why.contains("run.sh"), qPrintable(why));
    QCOMPARE(textOf(own.fileName()), "my own script");
    QCOMPARE(QDir(place.path()).entryList(QDir::Files, QDir::Name), before);

    const QString suggested = place.filePath("mine.plan");
    QString shown;
    QTimer look;
    connect(&look, &QTimer::timeout, this, [&] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr) return;
      look.stop();
      shown = dialog->directory().absolutePath();
      dialog->reject();
    });
    look.start(20);
    window.find<QAction>("writePlanAction")->trigger();
    QCOMPARE(shown, suggested);
    QVERIFY(!QFileInfo::exists(suggested));  // it was not taken
    // Where Tutti's are they are written again.
    QVERIFY2(window.page->writePlan(suggested, &why), qPrintable(why));
    QVERIFY2(window.page->writePlan(suggested, &why), qPrintable(why));
  }

  // An empty composition is a beginning, not a fault.
  void anEmptyCompositionHasNoBadge() {
    composer::Document document(catalog());
    Window window(&document);
    QTRY_VERIFY(window.checked());
    QTRY_VERIFY(!window.page->mayRun());
    QCOMPARE(window.page->badge().count, 0);
  }

  void saysWhatStopsTheRunAndFixesIt() {
    composer::Document document(catalog());
    load(document);
    Window window(&document);
    QSignalSpy changed(window.page, &DeployWorkspace::preflightChanged);
    QTRY_VERIFY(window.checked());
    QTRY_VERIFY2(window.page->mayRun(), qPrintable(window.page->whyNotRun()));
    QCOMPARE(window.find<PreflightPanel>("preflightPanel")->headline(), "Ready to run");
    QCOMPARE(window.page->badge().count, 0);
    QCOMPARE(window.page->statusNotes(), QStringList("exit code 0"));
    const auto* connections = window.find<ConnectionsView>("connectionsView");
    QVERIFY(!connections->connections().nodes.empty());
    QVERIFY(!window.find<QListWidget>("connectionsLines")->isHidden());

    document.setEnabled({"spare"}, true);
    document.edit("break it", [](composer::Composition& composition) {
      composition.federates["spare"].component = "unbuilt";
    });
    QTRY_VERIFY(!window.page->mayRun() && window.checked());
    // Where there is nothing to draw the page says why.
    QVERIFY(connections->connections().nodes.empty());
    QVERIFY2(connections->connections().whyNone.contains("Pre-flight says what it lacks"),
             qPrintable(connections->connections().whyNone));
    QVERIFY(window.find<QListWidget>("connectionsLines")->isHidden());
    QVERIFY2(window.page->whyNotRun().contains("unbuilt"), qPrintable(window.page->whyNotRun()));
    QVERIFY(window.page->badge().count >= 1);
    QTRY_COMPARE(window.page->statusNotes(), QStringList("exit code 1"));
    // Its text can be marked and copied, from when the pointer is on it; the row stays as it is.
    auto* title = window.find<QLabel>("checkTitle");
    const QSize size = title->size();
    QEnterEvent enter(QPointF(1, 1), QPointF(1, 1), title->mapToGlobal(QPointF(1, 1)));
    QApplication::sendEvent(title, &enter);
    QTest::mouseDClick(title, Qt::LeftButton, {}, QPoint(6, title->height() / 2));
    QVERIFY2(!title->selectedText().isEmpty() && title->text().contains(title->selectedText()),
             qPrintable(title->selectedText()));
    QTest::qWait(0);
    QCOMPARE(title->size(), size);
    // The fix beside it is an edit that can be undone.
    auto* fix = window.find<QPushButton>("fix");
    QVERIFY2(fix->text().contains("spare"), qPrintable(fix->text()));
    QTest::mouseClick(fix, Qt::LeftButton);
    QVERIFY(!document.federate("spare")->enabled);
    QTRY_VERIFY(window.page->mayRun());
    // In the colours of another theme it still says what is true now.
    theme_->apply(theme::Appearance::Dark);
    auto* icon = window.find<QLabel>("preflightIcon");
    const auto expected = theme::statePixmap(theme::State::Ok, 20, theme::Palette::of(icon),
                                             icon->devicePixelRatioF());
    QTRY_COMPARE(icon->pixmap(Qt::ReturnByValue).toImage(), expected.toImage());
    theme_->apply(theme::Appearance::Light);
    document.undoStack().undo();
    QVERIFY(document.federate("spare")->enabled);
    QTRY_VERIFY(!window.page->mayRun());
    // F8 goes there.
    window.page->selectFederate("flow");
    window.page->showNextProblem(1);
    QCOMPARE(window.page->selectedFederate(), "spare");
  }

  void agreesWithTheMachine() {
    composer::Document document(catalog());
    load(document);
    Window window(&document);
    // The figures are checked against another source than the page reads them from.
    const HostView& here = window.page->hostWatch().hosts().front();
    QCOMPARE(static_cast<int>(here.cores), QThread::idealThreadCount());
    const auto total = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e9;
    const auto row = window.find<QListView>("hostList")->model()->index(0, 0);
    const auto memory = row.data(HostsModel::MemoryRole).value<HostsModel::Bar>();
    QVERIFY2(memory.text.endsWith(QStringLiteral("of %1 GB").arg(total, 0, 'g', 3)),
             qPrintable(memory.text));
    const QString tip = row.data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains("/proc/meminfo") && tip.contains("manifests"), qPrintable(tip));
    QCOMPARE(row.data(HostsModel::PillRole).toString(), "Here");
  }

  void saysWhatAnEmptyPageIsFor() {
    composer::Document document(catalog());
    document.reset();
    Window window(&document);
    QVERIFY(window.find<theme::EmptyView>("deployEmpty")->isVisible());
    QSignalSpy requested(window.page, &theme::Workspace::workspaceRequested);
    QTest::mouseClick(window.find<theme::EmptyView>("deployEmpty")->findChild<QPushButton*>(),
                      Qt::LeftButton);
    QCOMPARE(requested.size(), 1);
    document.addFederate("source", {});
    QTRY_VERIFY(!window.find<theme::EmptyView>("deployEmpty")->isVisible());
  }

  void filtersManyFederates() {
    composer::Document document(catalog());
    document.reset();
    document.edit("many", [](composer::Composition& composition) {
      for (int index = 0; index < 300; ++index) {
        composer::Federate one;
        one.id = one.name = QStringLiteral("radar-%1").arg(index, 3, 10, QChar('0'));
        one.component = "source";
        one.version = "1.0";
        one.startOrder = index / 10;
        composition.federates[one.id] = one;
      }
    });
    Window window(&document);
    QTRY_COMPARE(window.order()->model()->rowCount(), 301);
    window.page->focusFilter();
    auto* filter = window.find<theme::SearchField>("launchOrderFilter");
    QCOMPARE(window.frame.focusWidget(), filter);
    QTest::keyClicks(filter, "-29");
    QTRY_COMPARE(window.order()->model()->rowCount(), 10);
    // Showing something that the filter hides takes the filter away.
    window.page->showItem("radar-007");
    QCOMPARE(window.page->selectedFederate(), "radar-007");
    QCOMPARE(window.order()->model()->rowCount(), 301);
  }

  void looksRight() {
    const auto target = qEnvironmentVariable("TUTTI_SCREENSHOTS");
    if (target.isEmpty()) return;  // Only made for somebody to look at.
    composer::Document sample(composer::Catalog::readDefault());
    QVERIFY(sample.load(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json"));
    composer::Document broken(catalog());
    load(broken);
    broken.setEnabled({"spare"}, true);
    broken.edit("break it", [](composer::Composition& composition) {
      composition.federates["spare"].component = "unbuilt";
    });
    composer::Document empty(catalog());
    composer::Document many(composer::Catalog::readDefault());
    many.reset("many");
    many.edit("many", [](composer::Composition& composition) {
      for (int index = 0; index < 300; ++index) {
        composer::Federate one;
        one.id = one.name = QStringLiteral("radar-%1").arg(index, 3, 10, QChar('0'));
        one.component = index % 3 == 0 ? "aircraft-flow" : "radar";
        one.version = "1.4";
        one.startOrder = index / 10;
        if (index % 7 == 0) one.enabled = false;
        composition.federates[one.id] = one;
      }
    });
    for (const auto appearance : {theme::Appearance::Light, theme::Appearance::Dark}) {
      theme_->apply(appearance);
      const QString suffix = appearance == theme::Appearance::Light ? "light" : "dark";
      for (const auto& [name, document] :
           {std::pair<QString, composer::Document*>{"sample", &sample},
            {"broken", &broken},
            {"empty", &empty},
            {"many", &many}}) {
        Window window(document);
        QTRY_VERIFY(window.checked());
        window.page->selectFederate(name == "sample" ? "radar-west" : "log");
        QTest::qWait(1200);  // The host's figures are means.
        QVERIFY(window.frame.grab().save(
            QStringLiteral("%1/deploy-%2-%3.png").arg(target, name, suffix)));
      }
    }
    theme_->apply(theme::Appearance::Light);
  }

 private:
  void file(const QString& path, const QByteArray& content, bool executable = false) const {
    const auto full = folder_.filePath(path);
    QDir().mkpath(QFileInfo(full).absolutePath());
    QFile output(full);
    QVERIFY(output.open(QIODevice::WriteOnly));
    output.write(content);
    output.close();
    if (executable) output.setPermissions(output.permissions() | QFile::ExeOwner | QFile::ExeUser);
  }

  void component(const QString& id, bool built = true) const {
    file("components/" + id + "/component.json",
         QStringLiteral(R"({"id": "%1", "name": "%1", "version": "1.0", "api": "none",
           "ready": {"when": "joined"}, "resources": {"cores": 0.25, "memory": 20},
           "command": {"executable": "%1", "arguments": [["--name", "{federate}"]]}})")
             .arg(id)
             .toUtf8());
    if (built) file("components/" + id + "/" + id, "#!/bin/sh\n", true);
  }

  composer::Catalog catalog() const {
    return composer::Catalog::read({folder_.filePath("components")});
  }

  static void load(composer::Document& document) {
    document.reset("test");
    document.edit("sample", [](composer::Composition& composition) {
      const auto add = [&](const QString& id, const QString& name, int order) {
        composer::Federate one;
        one.id = id;
        one.name = id;
        one.component = name;
        one.version = "1.0";
        one.startOrder = order;
        composition.federates[id] = one;
      };
      add("flow", "source", 0);
      add("log", "sink", 1);
      add("spare", "sink", 1);
      composition.federates["log"].count = 3;
      composition.federates["log"].waitsFor = QStringList("flow");
      composition.federates["spare"].enabled = false;
    });
  }

  QTemporaryDir folder_;
  theme::Theme* theme_ = nullptr;
};

QTEST_MAIN(TestDeployPage)
#include "tst_deploy_page.moc"
