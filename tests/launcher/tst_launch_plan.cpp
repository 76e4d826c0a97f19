// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/file.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "composer/model/catalog.h"
#include "composer/model/composition.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/engine/preflight.h"
#include "launcher/engine/spare_restart.h"

using namespace tutti;
using launcher::LaunchPlan;
using launcher::PreflightCheck;

class TestLaunchPlan : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    qputenv("XDG_STATE_HOME", folder_.filePath("state").toUtf8());
    write("bin/tutti-rti", "#!/bin/sh\necho ready\n", true);
    write("bin/tutti-supervisor", "#!/bin/sh\n", true);
    qputenv("TUTTI_BIN", folder_.filePath("bin").toUtf8());
    addComponent("source", R"("ready": {"when": "joined"})");
    addComponent("server", R"("ready": {"when": "output", "text": "listening"})");
    addComponent("tool", R"("ready": {"when": "started"})");
  }

  void expandsCountsOrderAndWaits() {
    auto composition = sample();
    composition.federates["sink"].count = 3;
    const auto plan = make(composition);
    QVERIFY(plan);
    QStringList order;
    for (const auto& one : plan->plan.processes) order << QString::fromStdString(one.id);
    QCOMPARE(order, QStringList({"tutti-rti", "source", "server", "sink-1", "sink-2", "sink-3"}));
    const auto* sink = plan->process("sink-2");
    QCOMPARE(sink->command,
             (std::vector<std::string>{folder_.filePath("components/source/source").toStdString(),
                                       "--name", "sink-2", "--rate", "5"}));
    QCOMPARE(sink->waitFor, (std::vector<std::string>{"tutti-rti", "source", "server"}));
    QCOMPARE(sink->env.at("TUTTI_RTI"), plan->designator().toStdString());
    QVERIFY(!sink->env.contains("TUTTI_ARCHITECTURE"));
    QCOMPARE(sink->nice, 5);
    QCOMPARE(sink->cwd, folder_.filePath("components/source").toStdString());
    QCOMPARE(plan->federate("sink-2")->federate, "sink");
    QCOMPARE(plan->cores, 5 * 0.5);
    QCOMPARE(plan->memoryMb, 5 * 40.0);
  }

  void knowsWhenEachIsReady() {
    const auto plan = make(sample());
    QVERIFY(plan);
    QVERIFY(plan->process("source")->ready.when == launcher::ReadyWhen::Told);
    QVERIFY(plan->federate("source")->joins);
    QVERIFY(plan->process("server")->ready.when == launcher::ReadyWhen::Output);
    QCOMPARE(plan->process("server")->ready.text, "listening");
    QVERIFY(!plan->federate("server")->joins);
  }

  void knowsPortsDelaysAndPoints() {
    addComponent("listener", R"("parameters": [{"name": "rate", "kind": "int"},
                                               {"name": "base", "kind": "int", "default": 5000}],
                                "ready": {"when": "port", "port": "base + 1"})");
    addComponent("late", R"("ready": {"when": "delay", "seconds": 2})");
    addComponent("together", R"("ready": {"when": "synchronized", "point": "init"})");
    auto composition = sample();
    composition.federates["server"].component = "listener";
    composition.federates["source"].component = "late";
    composition.federates["sink"].component = "together";
    for (auto& [id, federate] : composition.federates) federate.parameters.clear();
    const auto plan = make(composition);
    QVERIFY2(plan, qPrintable(plan ? QString() : plan.error().front().message()));
    QVERIFY(plan->process("server")->ready.when == launcher::ReadyWhen::Port);
    QCOMPARE(plan->process("server")->ready.text, "5001");
    QVERIFY(plan->process("source")->ready.when == launcher::ReadyWhen::Delay);
    QCOMPARE(plan->process("source")->ready.delaySeconds, 2.0);
    QVERIFY(plan->process("sink")->ready.when == launcher::ReadyWhen::Told);
    QVERIFY(plan->federate("sink")->joins);
    QCOMPARE(plan->federate("sink")->point, "init");
    const auto again = LaunchPlan::fromBytes(plan->toBytes());
    QVERIFY2(again, qPrintable(again ? QString() : again.error().message()));
    QVERIFY(again->plan == plan->plan);
    QVERIFY(again->federates == plan->federates);

    composition.federates["server"].parameters["base"] = 70000;
    const auto none = make(composition);
    QVERIFY(!none);
    QVERIFY2(none.error().front().message().contains("server is ready when it accepts at port"),
             qPrintable(none.error().front().message()));
  }

  void knowsWhoIsStartedAgain() {
    auto composition = sample();
    composition.federates["source"].restart = {composer::Restart::When::OnFailure, 3, 0.5};
    const auto plan = make(composition);
    QVERIFY(plan);
    const launcher::RestartPolicy expected{launcher::RestartWhen::OnFailure, 3, 0.5};
    QVERIFY(plan->process("source")->restart == expected);
    QVERIFY(plan->process("server")->restart == launcher::RestartPolicy{});
    const auto again = LaunchPlan::fromBytes(plan->toBytes());
    QVERIFY(again && again->plan == plan->plan);
  }

  void givesEachRunItsOwnNode() {
    const auto plan = make(sample());
    QVERIFY(plan);
    const auto& node = plan->plan.processes.front();
    QCOMPARE(node.command,
             (std::vector<std::string>{folder_.filePath("bin/tutti-rti").toStdString(), "--shm",
                                       plan->node.toStdString(), "--stay", "--pace", "1"}));
    QVERIFY(node.ready.when == launcher::ReadyWhen::Line);
    QCOMPARE(node.ready.text, "ready");
    QVERIFY(node.stopLast);
    QVERIFY(plan->node.endsWith(plan->run));
    const auto other = make(sample());
    QVERIFY(other->node != plan->node);
    QVERIFY(other->folder != plan->folder);
    QVERIFY(plan->folder.startsWith(folder_.filePath("state/tutti/runs/")));
  }

  void findsTheNodeOfAPlanThatDoesNotNameIt() {
    const auto plan = make(sample());
    QVERIFY(plan);
    auto json = QJsonDocument::fromJson(plan->toBytes()).object();
    auto launch = json["launch"].toObject();
    launch.remove("node_process");
    json["launch"] = launch;
    auto read = launcher::LaunchPlan::fromBytes(QJsonDocument(json).toJson());
    QVERIFY(read);
    QCOMPARE(read->nodeProcess, "tutti-rti");
    QCOMPARE(read->renewed("again").process("tutti-rti")->command[2], "run-again");

    // Without a node of that name each process is a federate, listed or not.
    launch["node"] = "another";
    json["launch"] = launch;
    read = launcher::LaunchPlan::fromBytes(QJsonDocument(json).toJson());
    QVERIFY(read);
    QCOMPARE(read->nodeProcess, QString());
    for (const auto& one : read->plan.processes)
      QVERIFY(read->federate(QString::fromStdString(one.id)) != nullptr);

    launch["node_process"] = "nobody";
    json["launch"] = launch;
    read = launcher::LaunchPlan::fromBytes(QJsonDocument(json).toJson());
    QVERIFY(!read);
    QVERIFY2(read.error().what.contains("nobody"), qPrintable(read.error().message()));
  }

  void keepsTheRunFolderPrivate() {
    const auto plan = make(sample());
    QVERIFY(plan && plan->save());
    QCOMPARE(QFileInfo(plan->folder).permissions() & ~QFile::Permissions(0x0700),
             QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QVERIFY(QFile::setPermissions(plan->folder, QFile::Permissions(0x7055)));
    QVERIFY(plan->save());
    QVERIFY((QFileInfo(plan->folder).permissions() & QFile::Permissions(0x0077)) == 0);
  }

  void leavesDisabledOnesOut() {
    auto composition = sample();
    composition.federates["server"].enabled = false;
    auto plan = make(composition);
    QVERIFY(plan);
    QVERIFY(plan->process("server") == nullptr);
    // What waited for it now waits for what it would have waited for.
    QCOMPARE(plan->process("sink")->waitFor, (std::vector<std::string>{"tutti-rti", "source"}));
    for (auto& [id, federate] : composition.federates) federate.enabled = false;
    plan = make(composition);
    QVERIFY(!plan);
    QVERIFY(plan.error().front().what.contains("nothing to run"));
  }

  void toleratesAFederateCalledLikeTheNode() {
    auto composition = sample();
    composition.federates["sink"].name = "tutti-rti";
    const auto plan = make(composition);
    QVERIFY(plan);
    QCOMPARE(plan->nodeProcess, "tutti-rti+");
    QCOMPARE(plan->process("tutti-rti")->waitFor.front(), "tutti-rti+");
  }

  void keepsLogsApartWhateverTheNames() {
    auto composition = sample();
    composition.federates["sink"].name = "../a/b c";
    composition.federates["server"].name = "..";
    const auto plan = make(composition);
    QVERIFY(plan);
    QSet<QString> logs;
    for (const auto& one : plan->plan.processes) {
      const QFileInfo log(QString::fromStdString(one.logFile));
      QCOMPARE(log.absolutePath(), plan->folder);
      logs << log.fileName();
    }
    QCOMPARE(logs.size(), static_cast<qsizetype>(plan->plan.processes.size()));
  }

  void saysWhyAFederateCannotBePlanned_data() {
    QTest::addColumn<QString>("component");
    QTest::addColumn<QString>("what");
    QTest::newRow("unknown component") << "nowhere"
                                       << "sink needs the component nowhere";
    QTest::newRow("no executable") << "unbuilt"
                                   << "\"unbuilt\"";
    QTest::newRow("no value") << "demanding"
                              << "sink has no";
  }
  void saysWhyAFederateCannotBePlanned() {
    QFETCH(QString, component);
    QFETCH(QString, what);
    addComponent("unbuilt", "", false);
    addComponent("demanding",
                 R"("parameters": [{"name": "rate", "kind": "int", "required": true}])");
    auto composition = sample();
    composition.federates["sink"].component = component;
    const auto plan = make(composition);
    QVERIFY(!plan);
    QVERIFY2(plan.error().front().what.contains(what), qPrintable(plan.error().front().what));
    QVERIFY(!plan.error().front().next.isEmpty());
  }

  void refusesCirclesOfWaits() {
    auto composition = sample();
    composition.federates["source"].waitsFor = QStringList{"sink"};
    const auto plan = make(composition);
    QVERIFY(!plan);
    QVERIFY2(plan.error().front().what.contains("waits for"),
             qPrintable(plan.error().front().what));
  }

  void readsWhatItWrites() {
    auto composition = sample();
    composition.settings.stopAfter = 12.5;
    const auto plan = make(composition);
    QVERIFY(plan);
    QVERIFY(plan->save());
    const auto again = LaunchPlan::load(plan->planFile());
    QVERIFY(again);
    QCOMPARE(again->toBytes(), plan->toBytes());
    QVERIFY(again->plan == plan->plan);
    QVERIFY(again->federates == plan->federates);
    QCOMPARE(again->stopAfter.value_or(0), 12.5);
    QVERIFY(plan->toBytes().contains("\n  \"processes\": [\n"));  // A person can read it.
    QVERIFY(plan->shellLine("sink").contains("TUTTI_RTI=shm:run-"));
  }

  void keepsWhyAFederateWasPlaced() {
    auto plan = make(sample());
    QVERIFY(plan);
    plan->federates.front().placedBecause = "It exchanges nothing with others.";
    const auto again = LaunchPlan::fromBytes(plan->toBytes());
    QVERIFY(again);
    QCOMPARE(again->federates, plan->federates);
  }

  void tellsTheFederatesTheArchitecture() {
    auto composition = sample();
    composition.settings.architecture = "federated";
    auto plan = make(composition);
    QVERIFY(plan);
    QCOMPARE(plan->process("sink")->env.at("TUTTI_ARCHITECTURE"), "federated");
    QVERIFY(!plan->plan.processes.front().env.contains("TUTTI_ARCHITECTURE"));  // the node
    plan->setArchitecture("centralized");
    QCOMPARE(plan->process("source")->env.at("TUTTI_ARCHITECTURE"), "centralized");
  }

  /// An executable that is linked to librti1516e.so.1 and knows no folder of it starts.
  void everyFederateFindsTheLibrariesOfTheRti() {
    const auto plan = make(sample());
    QVERIFY(plan);
    for (const char* name : {"source", "server", "sink"}) {
      const auto folders =
          QString::fromStdString(plan->process(name)->env.at("LD_LIBRARY_PATH")).split(u':');
      QVERIFY2(QFile::exists(folders.first() + "/librti1516e.so.1") &&
                   QFile::exists(folders.first() + "/libfedtime1516e.so.1"),
               qPrintable(folders.join(u':')));
    }
  }

  void startsThePlanOfAnEarlierRunAgain() {
    const auto plan = make(sample());
    QVERIFY(plan);
    const auto next = plan->renewed("20300101-000000-0001");
    const auto bytes = next.toBytes();
    QVERIFY(!bytes.contains(plan->run.toUtf8()));
    QCOMPARE(next.process("source")->env.at("TUTTI_RTI"), "shm:run-20300101-000000-0001");
    QCOMPARE(next.plan.processes.front().command.at(2), "run-20300101-000000-0001");
    QVERIFY(next.process("source")->logFile.ends_with("20300101-000000-0001/source.log"));
  }

  void refusesFilesThatAreNoPlan_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("what");
    QTest::newRow("not JSON") << QByteArray("{") << "not JSON";
    QTest::newRow("a composition")
        << QByteArray(R"({"format":1,"federation":"x","federates":{}})") << "unknown key";
    QTest::newRow("wrong types") << QByteArray(
                                        R"({"version":1,"processes":[],"launch":{"federation":7}})")
                                 << "/launch";
  }
  void refusesFilesThatAreNoPlan() {
    QFETCH(QByteArray, content);
    QFETCH(QString, what);
    const auto plan = LaunchPlan::fromBytes(content, "/some/plan.json");
    QVERIFY(!plan);
    QVERIFY2(plan.error().message().contains(what), qPrintable(plan.error().message()));
    QVERIFY(plan.error().message().contains("/some/plan.json"));
  }

  void removesOldRunsButNotRunningOnes() {
    const auto runs = folder_.filePath("old-runs");
    for (const char* run : {"20200101-1", "20200102-2", "20200103-3", "20200104-4"})
      write("old-runs/" + QString(run) + "/plan.json", "{}", false);
    QDir(runs).mkdir("20190101-not-a-run");
    QFile held(runs + "/20200102-2/plan.json");
    QVERIFY(held.open(QIODevice::ReadOnly));
    QCOMPARE(::flock(held.handle(), LOCK_SH | LOCK_NB), 0);
    QCOMPARE(launcher::removeOldRuns(2, runs), 1);
    QCOMPARE(QDir(runs).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name),
             QStringList({"20190101-not-a-run", "20200102-2", "20200103-3", "20200104-4"}));
  }

  /// Required federates of other hosts that are started again have their spares in the plan.
  void plansSpares() {
    const auto plan = makeWithHosts(onHosts(), R"("c": {"destination": "c", "spare": true},
        "d": {"destination": "d"})");
    QVERIFY(plan);
    QStringList hosts;
    for (const auto& one : plan->hosts) hosts << one.host.name + (one.spare ? " spare" : "");
    // Where one is marked the others are none.
    QCOMPARE(hosts, (QStringList{"a", "b", "c spare"}));
    QVERIFY(plan->process("tutti-rti@c") != nullptr && plan->isNode("tutti-rti@c"));
    const auto* source = plan->federate("source");
    QVERIFY(source->spareNeeds);
    QCOMPARE(source->spareNeeds->cores, 0.5);
    QCOMPARE(source->spareNeeds->memoryMb, 40);
    QCOMPARE(source->spareNeeds->apart, QStringList{"set"});
    // One is never started again, the other not required.
    QVERIFY(!plan->federate("server")->spareNeeds && !plan->federate("sink")->spareNeeds);
    const auto again = LaunchPlan::fromBytes(plan->toBytes());
    QVERIFY(again && again->federates == plan->federates && again->hosts == plan->hosts);
    QCOMPARE(again->toBytes(), plan->toBytes());
    const auto without = plan->withoutSpares();
    QVERIFY(without.host("c") == nullptr && without.process("tutti-rti@c") == nullptr);
    QCOMPARE(sparesCheck(*plan),
             "warning Not all required federates are started again on a spare host");
    // Each host that carries nobody is one where none is marked.
    const auto unmarked = makeWithHosts(onHosts(), R"("c": {"destination": "c"})");
    QVERIFY(unmarked && unmarked->host("c")->spare);
    // Nor where a cluster has some.
    const auto nodes = makeWithHosts(onHosts(), R"("c": {"destination": "c"}}, "clusters": {
        "hpc": {"spareNodes": 1})");
    QVERIFY(nodes && !nodes->hasSpares());
    // Nobody would come there.
    auto never = onHosts();
    never.federates["source"].restart.when = composer::Restart::When::Never;
    const auto useless = makeWithHosts(never, R"("c": {"destination": "c"})");
    QVERIFY(useless && !useless->hasSpares());
    QCOMPARE(sparesCheck(*useless), "warning No federate is started again when its host is lost");
    const auto none = makeWithHosts(onHosts(), {});
    QVERIFY(none && !none->hasSpares());
    QCOMPARE(sparesCheck(*none), "warning No spare: a lost host ends the run");
    auto all = onHosts();
    all.federates["server"].restart = all.federates["source"].restart;
    const auto fine = makeWithHosts(all, R"("c": {"destination": "c"})");
    QVERIFY(fine);
    QCOMPARE(sparesCheck(*fine), "passed Spare hosts: c");
    // Without the policy there is nothing to say.
    const auto usual = makeWithHosts(all, R"("c": {"destination": "c", "spare": true})", "go-on");
    QVERIFY(usual && !usual->hasSpares() && !usual->federate("source")->spareNeeds);
    QCOMPARE(sparesCheck(*usual), QString());
  }

  void choosesSparesByWhatIsNeeded() {
    auto composition = onHosts();
    composition.federates["server"].restart = composition.federates["source"].restart;
    composition.federates["server"].apart = {"set"};
    const auto plan = makeWithHosts(composition, R"("c": {"destination": "c", "cores": 1},
        "d": {"destination": "d", "memory": 30})");
    QVERIFY(plan);
    const auto on = [&](const QStringList& federates, const QStringList& spares,
                        const std::vector<launcher::PlacedFederate>& taken = {}) {
      const auto placement = launcher::chooseSpares(*plan, federates, spares, taken);
      QStringList result;
      for (const auto& one : placement.placed) result << one.federate + " on " + one.host;
      for (const auto& one : placement.refused) result << one.federate + ": " + one.reason;
      return result.join(u'\n');
    };
    QCOMPARE(on({"source"}, {"c", "d"}), "source on c");
    QCOMPARE(
        on({"source"}, {"d"}),
        "source: It needs 0.5 cores and 40 MB; d comes closest and has 10 MB too few (30 MB of its "
        "30 MB left).");
    // The two are kept apart, wherever the first one came from.
    const QString beside = on({"server"}, {"c"}, {{"source", "c", {}}});
    QVERIFY2(beside.contains("(to be kept apart)"), qPrintable(beside));
    QCOMPARE(on({"source"}, {}), "source: There is no host to place it on.");
  }

  void preflightPassesWhatIsFine() {
    const auto composition = sample();
    const auto checks = launcher::preflight(composition, catalog(), {}, {}, plentiful());
    for (const auto& check : checks)
      QVERIFY2(check.level == PreflightCheck::Level::Passed,
               qPrintable(check.title + check.detail));
    QStringList ids;
    for (const auto& check : checks) ids << check.id;
    for (const char* id : {"executables", "fom", "node", "memory", "disk", "supervisor"})
      QVERIFY2(ids.contains(id), id);
  }

  void whatAFederateNeedsItselfCounts() {
    auto composition = onHosts();
    composition.federates["source"].resources = {3, 500, {"gpu"}};
    composition.federates["sink"].resources.cores = 2;
    composition.federates["sink"].count = 2;
    auto plan = makeWithHosts(composition, R"("c": {"destination": "c", "cores": 1})");
    QVERIFY(plan);
    const auto* source = plan->federate("source");
    QVERIFY(source != nullptr && source->spareNeeds.has_value());
    QCOMPARE(source->spareNeeds->cores, 3.0);
    QCOMPARE(source->spareNeeds->memoryMb, 500.0);
    QCOMPARE(source->spareNeeds->labels, QStringList("gpu"));
    // What hosts are asked for, and Slurm is.
    double cores = plan->cores;
    for (const auto& host : plan->hosts) cores += host.cores;
    QCOMPARE(cores, 3 + 0.5 + 2 * 2);
  }

  void preflightSaysWhatIsMissing_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("id");
    QTest::addColumn<bool>("stops");
    QTest::newRow("program") << "program"
                             << "executables" << true;
    QTest::newRow("program of one that is not required") << "optional"
                                                         << "executables" << false;
    QTest::newRow("memory") << "memory"
                            << "memory" << false;
    QTest::newRow("shared memory") << "budget"
                                   << "memory" << true;
    QTest::newRow("cores") << "cores"
                           << "cores" << false;
    QTest::newRow("log folder") << "disk"
                                << "disk" << true;
    QTest::newRow("no log folder") << "no folder"
                                   << "disk" << true;
    QTest::newRow("room for logs") << "room"
                                   << "disk" << false;
    QTest::newRow("port") << "port"
                          << "ports" << true;
    QTest::newRow("port of one that is not required") << "optional port"
                                                      << "ports" << false;
  }
  void preflightSaysWhatIsMissing() {
    QFETCH(QString, what);
    QFETCH(QString, id);
    QFETCH(bool, stops);
    auto plan = make(sample());
    QVERIFY(plan);
    auto machine = plentiful();
    if (what == "program" || what == "optional") {
      for (auto& process : plan->plan.processes) {
        if (process.id == "sink") process.command.front() = "/nowhere/sink";
      }
      for (auto& federate : plan->federates) {
        if (federate.name == "sink") federate.required = what == "program";
      }
    }
    if (what == "memory") plan->memoryMb = 1e9;
    if (what == "budget") machine.memoryAvailableMb = 100;
    if (what == "cores") machine.cores = 1;
    if (what == "disk") {
      write("blocked", "a file", false);
      plan->folder = folder_.filePath("blocked/runs/x");
    }
    if (what == "no folder") plan->folder.clear();
    if (what == "room") {
      // No file system that has any room: its folders say 0 free.
      if (::geteuid() != 0) QSKIP("only root may write to a file system without room");
      plan->folder = "/proc/x";
    }
    QTcpServer listener;
    if (id == "ports") {
      QVERIFY(listener.listen(QHostAddress::LocalHost));
      for (auto& process : plan->plan.processes) {
        if (process.id != "server") continue;
        process.ready.when = launcher::ReadyWhen::Port;
        process.ready.text = std::to_string(listener.serverPort());
      }
      for (auto& federate : plan->federates) {
        if (federate.name == "server") federate.required = what == "port";
      }
    }
    const auto checks = launcher::preflightOfPlan(*plan, machine);
    QCOMPARE(checks.front().id, id);
    QVERIFY(checks.front().level != PreflightCheck::Level::Passed);
    QCOMPARE(launcher::mayRun(checks), !stops);
    QVERIFY(!checks.front().detail.isEmpty());
    for (const auto& check : checks)
      QVERIFY2(check.level == PreflightCheck::Level::Passed || !check.fixes.empty(),
               qPrintable(check.title));
    if (id == "ports") {
      QCOMPARE(
          checks.front().title,
          QStringLiteral("Port %1 of server is taken on this machine").arg(listener.serverPort()));
      const QString holder = QStringLiteral("tst_launch_plan (%1) listens").arg(::getpid());
      QVERIFY2(checks.front().detail.contains(holder), qPrintable(checks.front().detail));
      listener.close();
      QCOMPARE(launcher::preflightOfPlan(*plan, machine).front().level,
               PreflightCheck::Level::Passed);
    }
    if (id == "executables") {
      QCOMPARE(checks.front().federates, QStringList("sink"));
      QVERIFY(checks.front().fixes.front().edit.has_value());
    }
  }

  /// One check for a program that lacks a library, with each federate that is made of it; as grave
  /// as for the gravest of them.
  void preflightNamesEveryFederateOfAProgramWithoutItsLibrary() {
    QProcess build;
    build.setWorkingDirectory(folder_.path());
    build.start("bash", {"-ec",
                         "echo 'int needed() { return 1; }' | c++ -x c++ -shared -fPIC -o "
                         "libneeded.so - && echo 'int main() {}' | c++ -x c++ -o lacking - "
                         "-Wl,--no-as-needed -L. -lneeded && rm libneeded.so"});
    QVERIFY(build.waitForFinished(60000));
    QVERIFY2(build.exitCode() == 0, build.readAllStandardError());
    auto plan = make(sample());
    QVERIFY(plan);
    for (auto& process : plan->plan.processes) {
      if (process.id == "source" || process.id == "sink")
        process.command.front() = folder_.filePath("lacking").toStdString();
    }
    for (auto& federate : plan->federates) federate.required = federate.name != "source";
    const auto checks = launcher::preflightOfPlan(*plan, plentiful());
    QCOMPARE(std::count_if(checks.begin(), checks.end(),
                           [](const auto& check) { return check.id == "libraries"; }),
             1);
    QCOMPARE(checks.front().id, QStringLiteral("libraries"));
    QCOMPARE(checks.front().level, PreflightCheck::Level::Error);
    QVERIFY2(checks.front().detail.contains("libneeded.so"), qPrintable(checks.front().detail));
    auto federates = checks.front().federates;
    federates.sort();
    QCOMPARE(federates, (QStringList{"sink", "source"}));
    QVERIFY(!launcher::mayRun(checks));
  }

  /// Whoever asks for most is named, and fewer of it are offered where that is enough.
  void tooManyInstancesAreOfferedFewer() {
    auto composition = sample();
    composition.federates["sink"].count = 10;  // of half a core each
    auto machine = plentiful();
    machine.cores = 3;
    const auto checks = launcher::preflight(composition, catalog(), {}, {}, machine);
    const auto found = std::find_if(checks.begin(), checks.end(),
                                    [](const auto& check) { return check.id == "cores"; });
    QVERIFY(found != checks.end());
    QCOMPARE(found->level, PreflightCheck::Level::Warning);
    QCOMPARE(found->federates, QStringList("sink"));
    QCOMPARE(found->fixes.back().label, "Run 4 of sink instead of 10");
    const auto& edit = found->fixes.back().edit;
    QVERIFY(edit && edit->kind == composer::Fix::Kind::SetCount && edit->value == 4);
  }

  /// Also what nobody can correct by a click says what to do: the words of the composer's checks,
  /// what cannot be planned, missing programs of Tutti, and spares.
  void everyFindingHasAFix() {
    composer::Finding ofFederate;
    ofFederate.severity = composer::Severity::Warning;
    ofFederate.check = composer::Check::DataFlow;
    ofFederate.text = "Nobody publishes what sink subscribes to.";
    ofFederate.where.federate = "sink";
    composer::Finding ofFile;
    ofFile.severity = composer::Severity::Error;
    ofFile.check = composer::Check::ObjectModel;
    ofFile.text = "A module is broken.";
    ofFile.where.file = "/fom/a b.xml";
    ofFile.where.line = 7;
    auto checks = launcher::preflight(sample(), catalog(), {ofFederate, ofFile}, {}, plentiful());
    const auto fixOf = [&](const QString& id) {
      for (const auto& check : checks) {
        if (check.id == id && !check.fixes.empty()) return check.fixes.front();
      }
      return launcher::PreflightFix{};
    };
    QCOMPARE(fixOf("flow").action, "show sink");
    QCOMPARE(fixOf("fom").command, "${EDITOR:-nano} +7 '/fom/a b.xml'");

    auto unplanned = sample();
    unplanned.federates["sink"].host = "nowhere";
    for (auto& check : launcher::preflight(unplanned, catalog(), {}, {}, plentiful()))
      checks.push_back(check);
    QVERIFY(!fixOf("plan").label.isEmpty());

    const auto none = makeWithHosts(onHosts(), {});
    QVERIFY(none);
    auto never = onHosts();
    never.federates["source"].restart = {};
    const auto nobody = makeWithHosts(never, {});
    QVERIFY(nobody);
    for (const auto* plan : {&*none, &*nobody}) {
      for (auto& check : launcher::preflightOfPlan(*plan, plentiful())) checks.push_back(check);
    }
    for (const auto& check : checks)
      QVERIFY2(check.level == PreflightCheck::Level::Passed || !check.fixes.empty(),
               qPrintable(check.title));
    QVERIFY(!launcher::fixesOfMissingSupervisor().front().command.isEmpty());
  }

  void preflightShowsTheComposersFindingsWithTheirFixes() {
    composer::Finding finding;
    finding.severity = composer::Severity::Error;
    finding.check = composer::Check::ObjectModel;
    finding.text = "Two modules contradict each other.";
    finding.where.federate = "sink";
    finding.fix = composer::Fix{composer::Fix::Kind::SetEnabled, "Disable sink", "sink", {}, false};
    const auto checks = launcher::preflight(sample(), catalog(), {finding}, {}, plentiful());
    QCOMPARE(checks.front().id, "fom");
    QCOMPARE(checks.front().title, "Two modules contradict each other");
    QCOMPARE(checks.front().federates, QStringList("sink"));
    QCOMPARE(checks.front().fixes.front().label, "Disable sink");
    QVERIFY(!launcher::mayRun(checks));
  }

 private:
  static launcher::MachineState plentiful() { return {64, 0.1, 64000, 60000, "test"}; }

  void write(const QString& path, const QByteArray& content, bool executable) {
    const auto full = folder_.filePath(path);
    QDir().mkpath(QFileInfo(full).absolutePath());
    QFile file(full);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(content);
    file.close();
    if (executable)
      file.setPermissions(file.permissions() | QFile::ExeOwner | QFile::ExeUser | QFile::ExeGroup);
  }

  void addComponent(const QString& id, const QByteArray& more, bool built = true) {
    QByteArray json = R"({"id": "@", "name": "@", "version": "1.0", "api": "IEEE 1516.1-2010 C++",
      "resources": {"cores": 0.5, "memory": 40},
      "command": {"executable": "@", "arguments": [["--name", "{federate}"], ["--rate", "{rate}"]]})";
    if (!more.contains("\"parameters\""))
      json += R"(, "parameters": [{"name": "rate", "kind": "int", "default": 5}])";
    if (!more.isEmpty()) json += ", " + more;
    json.replace("@", id.toUtf8());
    write("components/" + id + "/component.json", json + "}", false);
    if (built) write("components/" + id + "/" + id, "#!/bin/sh\n", true);
  }

  composer::Catalog catalog() const {
    return composer::Catalog::read({folder_.filePath("components")});
  }

  static composer::Federate federate(const QString& id, const QString& component, int order,
                                     const QStringList& waits = {}) {
    composer::Federate one;
    one.id = id;
    one.name = id;
    one.component = component;
    one.version = "1.0";
    one.startOrder = order;
    one.waitsFor = waits;
    return one;
  }

  static composer::Composition sample() {
    composer::Composition composition;
    composition.settings.federation = "test";
    composition.federates["source"] = federate("source", "source", 0);
    composition.federates["server"] = federate("server", "server", 1, {"source"});
    composition.federates["sink"] = federate("sink", "source", 2, {"source", "server"});
    return composition;
  }

  /// The sample on the hosts a and b; `source` is required and started again when it fails.
  static composer::Composition onHosts() {
    auto composition = sample();
    composition.federates["source"].host = "a";
    composition.federates["source"].apart = {"set"};
    composition.federates["source"].restart.when = composer::Restart::When::OnFailure;
    composition.federates["server"].host = "b";
    composition.federates["sink"].host = "b";
    composition.federates["sink"].required = false;
    composition.federates["sink"].restart.when = composer::Restart::When::Always;
    return composition;
  }

  tl::expected<LaunchPlan, std::vector<composer::Error>> makeWithHosts(
      const composer::Composition& composition, const QByteArray& more,
      const QByteArray& ifHostLost = "restart") {
    write("spares.hosts.json",
          R"({"ifHostLost": ")" + ifHostLost +
              R"(", "hosts": {"a": {"destination": "a"}, "b": {"destination": "b"})" +
              (more.isEmpty() ? QByteArray() : ", " + more) + "}}",
          false);
    LaunchPlan::Options options;
    options.run = "20250131-140228-00000001";
    options.hostsFile = folder_.filePath("spares.hosts.json");
    return LaunchPlan::make(composition, catalog(), options);
  }

  /// Level and title of what is said of spares; empty: nothing.
  static QString sparesCheck(const LaunchPlan& plan) {
    for (const auto& check : launcher::preflightOfPlan(plan, plentiful())) {
      if (check.id == "spares")
        return (check.level == PreflightCheck::Level::Passed ? "passed " : "warning ") +
               check.title;
    }
    return {};
  }

  tl::expected<LaunchPlan, std::vector<composer::Error>> make(
      const composer::Composition& composition) const {
    return LaunchPlan::make(composition, catalog(), {});
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestLaunchPlan)
#include "tst_launch_plan.moc"
