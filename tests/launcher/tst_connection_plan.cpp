// SPDX-License-Identifier: GPL-3.0-or-later
// The connection plan: what follows from a launch plan, what a person may change in it, and what
// contradicts.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <set>

#include "composer/model/catalog.h"
#include "composer/model/composition.h"
#include "composer/model/json_source.h"
#include "launcher/engine/connection_plan.h"
#include "launcher/engine/plan_folder.h"
#include "launcher/engine/run_script.h"

using namespace tutti;
using composer::Json;
using launcher::ConnectionPlan;
using launcher::LaunchPlan;

namespace {

const QString architecturePath = QStringLiteral("/architecture");

QByteArray bytes(const Json& json) { return QByteArray::fromStdString(json.dump(2)); }

std::set<std::string> keysOf(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

}  // namespace

class TestConnectionPlan : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    qputenv("XDG_STATE_HOME", folder_.filePath("state").toUtf8());
    write("bin/tutti-rti", "#!/bin/sh\n", true);
    write("bin/tutti-supervisor", "#!/bin/sh\n", true);
    qputenv("TUTTI_BIN", folder_.filePath("bin").toUtf8());
    write("components/one/one", "#!/bin/sh\n", true);
    write("components/one/component.json",
          R"({"id": "one", "name": "one", "version": "1.0", "api": "IEEE 1516.1-2010 C++",
              "ready": {"when": "joined"}, "command": {"executable": "one", "arguments": []}})",
          false);
    write("hosts.json",
          R"({"hosts": {"alpha": {"destination": "me@alpha"}, "beta": {"destination": "beta"}}})",
          false);
  }

  void namesNodesLinksAndFederates() {
    const auto plan = made();
    QVERIFY(plan);
    const auto connections = ConnectionPlan::of(*plan, {});
    QCOMPARE(connections.architecture, "decentralized");
    QCOMPARE(connections.home, "tutti-rti");
    QCOMPARE(connections.coordination(),
             "This machine coordinates, because the run ends with it in any case: a home on "
             "another host would be a second one that the run cannot do without.");
    QCOMPARE(connections.nodes.size(), 3U);
    QCOMPARE(connections.nodes[0], (ConnectionPlan::Node{"tutti-rti", "run-plan", {}}));
    QCOMPARE(connections.nodes[1],
             (ConnectionPlan::Node{"tutti-rti@alpha", "run-plan.alpha", "alpha"}));
    QVERIFY(connections.listen && *connections.listen == launcher::ListenAddress());
    QStringList links;
    for (const auto& link : connections.links) {
      QVERIFY(link.key);
      links << link.from + '>' + link.to +
                   (link.transport == ConnectionPlan::Transport::Tcp ? " TCP" : " UDP") +
                   (link.grace ? QString(" %1").arg(*link.grace) : QString());
    }
    QCOMPARE(
        links,
        (QStringList{"tutti-rti@alpha>tutti-rti TCP 15", "tutti-rti@alpha>tutti-rti UDP",
                     "tutti-rti@beta>tutti-rti TCP 15", "tutti-rti@beta>tutti-rti UDP",
                     "tutti-rti@alpha>tutti-rti@beta TCP", "tutti-rti@alpha>tutti-rti@beta UDP"}));
    QStringList members;
    for (const auto& one : connections.federates)
      members << one.name + ' ' + one.node + ' ' + one.host + ' ' + one.designator;
    QCOMPARE(members,
             (QStringList{"a tutti-rti  shm:run-plan", "b tutti-rti@alpha alpha shm:run-plan.alpha",
                          "c tutti-rti@beta beta shm:run-plan.beta"}));
  }

  void centralizedFederatesHaveLinksOfTheirOwn() {
    const auto plan = made();
    QVERIFY(plan);
    QStringList links;
    for (const auto& link : ConnectionPlan::of(*plan, "centralized").links) {
      QVERIFY(link.transport == ConnectionPlan::Transport::Tcp);
      QCOMPARE(link.to, "tutti-rti");
      links << link.from;
    }
    QCOMPARE(links, (QStringList{"tutti-rti@alpha", "tutti-rti@beta", "b", "c"}));
  }

  void saysWhatEndsWithWhich() {
    auto plan = made();
    QVERIFY(plan);
    const auto consequence = [&](const QString& part) {
      for (const auto& risk : ConnectionPlan::of(*plan, {}).risks) {
        if (risk.part == part) return risk.consequence;
      }
      return QString();
    };
    QVERIFY(consequence("RTI node tutti-rti").contains("The run ends"));
    QVERIFY(consequence("this machine").contains("15 s"));
    QVERIFY(consequence("host alpha").contains("The run ends: b is required."));
    QVERIFY(consequence("federate b").contains("required"));
    QVERIFY(consequence("RTI node tutti-rti@alpha").contains("The run ends: b is required."));
    QVERIFY(consequence("RTI node tutti-rti@alpha").contains("Federate b there loses its"));
    // One of this machine, where there are other hosts too.
    QVERIFY(consequence("federate a").contains("The run ends with it"));
    for (auto& one : plan->federates) one.required = false;
    QVERIFY(consequence("host alpha").startsWith("The others go on without federate b."));
    QVERIFY(consequence("federate b").isEmpty());
  }

  void slurmMayTakeAllNodesOfAJob() {
    auto plan = made();
    QVERIFY(plan);
    for (int index = 0; index < 2; ++index) {
      auto& host = plan->hosts[static_cast<std::size_t>(index)].host;
      host.destination = "me@login";
      host.jobNode = launcher::JobNode();
      host.jobNode->cluster = "hpc";
      host.jobNode->partition = "sim";
      host.jobNode->timeLimit = 30;
    }
    const auto found = [&](const QString& part) {
      for (const auto& risk : ConnectionPlan::of(*plan, {}).risks) {
        if (risk.part == part) return risk;
      }
      return ConnectionPlan::Risk();
    };
    const auto job = found("Slurm job in hpc/sim");
    QVERIFY(job.endsRun);
    QCOMPARE(job.consequence,
             "The run ends: b and c are required. alpha and beta go together when the job reaches "
             "its time limit (30 min), is preempted or is cancelled.");
    QVERIFY(found("login host me@login").endsRun);
    QVERIFY(found("login host me@login").consequence.contains("nodes of hpc"));
    for (auto& one : plan->federates) one.required = one.host != "beta";
    plan->hosts[0].host.jobNode->continues = true;
    QVERIFY(found("Slurm job in hpc/sim").consequence.startsWith("The run ends: b is required."));
    QVERIFY(found("Slurm job in hpc/sim")
                .consequence.endsWith("another job goes on from a save of 5 min before."));
    QVERIFY(!found("host beta").endsRun && found("host alpha").endsRun);
    // One whose login host is this machine has none to lose.
    for (auto& host : plan->hosts) host.host.destination.clear();
    for (const auto& risk : ConnectionPlan::of(*plan, {}).risks)
      QVERIFY(!risk.part.startsWith("login host"));
  }

  void oneMachineHasNoLinks() {
    auto composition = sample();
    for (auto& [id, one] : composition.federates) one.host.clear();
    const auto plan = made(composition);
    QVERIFY(plan);
    const auto connections = ConnectionPlan::of(*plan, "federated");
    QVERIFY(connections.links.empty() && !connections.listen);
    QCOMPARE(connections.nodes.size(), 1U);
  }

  void readsWhatItWrites() {
    const auto plan = made();
    QVERIFY(plan);
    for (const char* architecture : {"decentralized", "federated", "centralized"}) {
      const auto connections = ConnectionPlan::of(*plan, architecture);
      const auto source = composer::JsonSource::parse(connections.toBytes(), "/x/connections.json");
      QVERIFY(source);
      const auto again = ConnectionPlan::fromSource(*source);
      QVERIFY2(again, qPrintable(again ? QString() : again.error().message()));
      QVERIFY(again->nodes == connections.nodes && again->listen == connections.listen);
      QCOMPARE(again->links.size(), connections.links.size());
      QVERIFY(again->federates == connections.federates);
      // Two plans of one composition are the same bytes.
      QCOMPARE(ConnectionPlan::of(*made(), architecture).toBytes(), connections.toBytes());
    }
  }

  void theSchemaHasTheKeysOfTheFile() {
    QFile file(TUTTI_SOURCE_DIR "/resources/schemas/connections.schema.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const Json schema = Json::parse(file.readAll().toStdString());
    auto connections = ConnectionPlan::of(*made(), {});
    connections.listen->keyFile = "/k";
    const Json written = Json::parse(connections.toBytes().toStdString());
    const Json& kinds = schema.at("$defs");
    const auto keysOfKind = [&](const char* kind) {
      return keysOf(kinds.at(kind).at("properties"));
    };
    QCOMPARE(keysOf(schema.at("properties")), keysOf(written));
    QCOMPARE(keysOfKind("node"), keysOf(written.at("nodes").at("tutti-rti")));
    QCOMPARE(keysOf(kinds.at("node").at("properties").at("listen").at("properties")),
             keysOf(written.at("nodes").at("tutti-rti").at("listen")));
    QCOMPARE(keysOfKind("link"), keysOf(written.at("links").at(0)));
    QCOMPARE(keysOfKind("federate"), keysOf(written.at("federates").at("a")));
  }

  /// What may be changed by hand holds in the plan that is started, and in the script.
  void whatAPersonChangesHolds() {
    auto connections = connectionsOf(sample());
    connections["architecture"] = "federated";
    auto& listen = connections["nodes"]["tutti-rti"]["listen"];
    listen = {{"address", "10.1.2.3"}, {"port", 4711}};
    for (auto& link : connections["links"]) {
      if (link.contains("grace")) link["grace"] = 7;
    }
    auto read = readWith(connections);
    QVERIFY2(read, qPrintable(read ? QString() : read.error().message()));
    auto& plan = read->plan;
    QCOMPARE(plan.process("b")->env.at("TUTTI_ARCHITECTURE"), "federated");
    QCOMPARE(plan.listen.address, "10.1.2.3");
    QCOMPARE(plan.listen.firstPort, 4711);
    QCOMPARE(plan.listen.lastPort, 4711);
    // The host stays while this one may be told to wait for it, and until it hears this one again.
    QCOMPARE(plan.silenceOfHosts(), 7.0);
    QCOMPARE(plan.planOf("alpha").silenceSeconds, 7.0);
    plan.longestWait = 60;
    QCOMPARE(plan.planOf("alpha").silenceSeconds, 127.0);
    plan.listenAt("10.1.2.3:4711");
    const auto& home = plan.plan.processes.front().command;
    const std::vector<std::string> last(home.end() - 6, home.end());
    QCOMPARE(last, (std::vector<std::string>{"--longest-wait", "60", "--listen", "10.1.2.3:4711",
                                             "--grace", "7"}));
    const QByteArray script = launcher::runScript(read->plan);
    for (const char* words : {"home_address='10.1.2.3'\n", "first_port='4711'\n",
                              "last_port='4711'\n", "--grace 7", "TUTTI_ARCHITECTURE='federated'"})
      QVERIFY2(script.contains(words), words);
    // A run of the plan keeps the grace.
    const auto again = LaunchPlan::fromBytes(read->plan.toBytes());
    QVERIFY(again);
    QCOMPARE(again->grace, 7.0);
  }

  void federatesOfOtherHostsCanBeStartedByHand() {
    auto composition = sample();
    for (auto& [id, one] : composition.federates) one.host.clear();
    auto connections = connectionsOf(composition);
    QVERIFY(connections["nodes"]["tutti-rti"]["listen"].is_null());
    connections["nodes"]["tutti-rti"]["listen"] = {
        {"address", "10.1.2.3"}, {"port", 4711}, {"keyFile", "/home/me/fed.key"}};
    auto read = readWith(connections, composition);
    QVERIFY2(read, qPrintable(read ? QString() : read.error().message()));
    QVERIFY(launcher::runScript(read->plan)
                .contains("--listen '10.1.2.3:4711' --key-file '/home/me/fed.key'"));
    read->plan.listenByHand();
    const auto& home = read->plan.plan.processes.front().command;
    const std::vector<std::string> last(home.end() - 4, home.end());
    QCOMPARE(last, (std::vector<std::string>{"--listen", "10.1.2.3:4711", "--key-file",
                                             "/home/me/fed.key"}));
  }

  void refusesContradictions_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QStringList>("said");
    const auto row = [](const char* pointer, const char* value, const QStringList& said) {
      QTest::newRow(qPrintable(QString(pointer) + ' ' + value))
          << pointer << QByteArray(value) << said;
    };
    row("/federates/b/node", "\"tutti-rti\"",
        {"contradict", "connections.json:", "launch.json:", "tutti-rti@alpha"});
    row("/federates/b/host", "\"beta\"", {"contradict", "launch.json:"});
    row("/federates/z", R"({"node": "tutti-rti", "host": "this machine", "designator": ""})",
        {"contradict", "nothing"});
    row("/nodes/tutti-rti@alpha/host", "\"beta\"", {"contradict"});
    row("/nodes/tutti-rti@alpha/listen/port", "4712", {"contradict", "any that is free"});
    row("/links/0/to", "\"tutti-rti@beta\"", {"contradict"});
    row("/links/0/key", "false", {"contradict"});
    row("/links/0/grace", "3", {"different graces"});
    row("/links/0/grace", "46", {"from 0 to 45"});
    row("/links/0/transport", "\"SCTP\"", {"SCTP", "TCP or UDP"});
    row("/home", "\"tutti-rti@beta\"", {"contradict"});
    row("/federation", "\"other\"", {"contradict", "\"test\""});
    row("/architecture", "\"flat\"", {"flat", "centralized"});
    row("/architecture", "7", {"/architecture is not a text"});
    row("/nodes/tutti-rti/listen", "null", {"listens nowhere", "alpha"});
    row("/nodes/tutti-rti/listen/port", "70000", {"no port", "65535"});
    row("/nodes/tutti-rti/listen/port", "\"9-3\"", {"no range"});
    row("/nodes/tutti-rti/listen/keyFile", "\"/k\"", {"a key of its own"});
    row("/nodes/tutti-rti/listen/adress", "\"x\"", {"no key \"adress\""});
    row("/graces", "3", {"no key \"graces\""});
    row("/format", "2", {"has format 2"});
  }
  void refusesContradictions() {
    QFETCH(QString, pointer);
    QFETCH(QByteArray, value);
    QFETCH(QStringList, said);
    auto connections = connectionsOf(sample());
    connections[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    const auto read = readWith(connections);
    QVERIFY(!read);
    const QString message = read.error().message();
    for (const QString& part : std::as_const(said))
      QVERIFY2(message.contains(part), qPrintable(message));
    QVERIFY2(read.error().line > 0 && read.error().file.endsWith("connections.json"),
             qPrintable(message));
    QVERIFY(!read.error().next.isEmpty());
  }

  /// The launch plan says nothing of what the connection plan decides.
  void refusesALaunchPlanThatDecidesConnections_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("line");
    QTest::newRow("architecture") << architecturePath << "\"TUTTI_ARCHITECTURE\"";
    QTest::newRow("listen") << "--listen"
                            << "\"--listen\"";
    QTest::newRow("grace") << "--grace"
                           << "\"--grace\"";
  }
  void refusesALaunchPlanThatDecidesConnections() {
    QFETCH(QString, what);
    QFETCH(QString, line);
    auto plan = made();
    QVERIFY(plan);
    const auto connections = ConnectionPlan::of(*plan, {});
    if (what == architecturePath)
      plan->setArchitecture("centralized");
    else
      plan->plan.processes.front().command.insert(plan->plan.processes.front().command.end(),
                                                  {what.toStdString(), "1"});
    write("plans/launch.json", plan->toBytes(), false);
    write("plans/connections.json", connections.toBytes(), false);
    const auto read = launcher::readPlanFolder(folder_.filePath("plans"));
    QVERIFY(!read);
    QVERIFY2(read.error().file.endsWith("launch.json"), qPrintable(read.error().message()));
    QVERIFY(read.error().message().contains("connections.json"));
    const auto lines = plan->toBytes().split('\n');
    QVERIFY2(lines.value(read.error().line - 1).contains(line.toUtf8()),
             qPrintable(read.error().message()));
  }

  void theSameCompositionGivesTheSameFiles() {
    const auto files = launcher::filesOfPlan(*made(), "centralized");
    QCOMPARE(launcher::filesOfPlan(*made(), "centralized"), files);
    QStringList names;
    for (const auto& [name, content] : files) names << name;
    QCOMPARE(names, (QStringList{"README.txt", "connections.json", "job.sbatch", "launch.json",
                                 "run.sh"}));
    // Written to a folder and read again they are the same as well.
    QVERIFY(launcher::writePlanFolder(folder_.filePath("same"), files));
    const auto read = launcher::readPlanFolder(folder_.filePath("same"));
    QVERIFY2(read, qPrintable(read ? QString() : read.error().message()));
    QCOMPARE(launcher::filesOfPlan(read->plan, read->architecture), files);
  }

 private:
  void write(const QString& path, const QByteArray& content, bool executable) {
    const auto full = folder_.filePath(path);
    QDir().mkpath(QFileInfo(full).absolutePath());
    QFile file(full);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(content);
    file.close();
    if (executable) file.setPermissions(file.permissions() | QFile::ExeOwner | QFile::ExeUser);
  }

  /// a on this machine, b on alpha, c on beta.
  static composer::Composition sample() {
    composer::Composition composition;
    composition.settings.federation = "test";
    int order = 0;
    for (const auto& [name, host] :
         std::map<QString, QString>{{"a", ""}, {"b", "alpha"}, {"c", "beta"}}) {
      composer::Federate one;
      one.id = one.name = name;
      one.component = "one";
      one.version = "1.0";
      one.host = host;
      one.startOrder = order++;
      composition.federates[name] = one;
    }
    return composition;
  }

  tl::expected<LaunchPlan, std::vector<composer::Error>> made(
      const composer::Composition& composition = sample()) const {
    return LaunchPlan::make(composition, composer::Catalog::read({folder_.filePath("components")}),
                            {launcher::runOfFiles, {}, {}, {}, folder_.filePath("hosts.json")});
  }

  Json connectionsOf(const composer::Composition& composition) const {
    return Json::parse(ConnectionPlan::of(*made(composition), {}).toBytes().toStdString());
  }

  /// A folder with the launch plan of the sample and those connections.
  tl::expected<launcher::PlanOfFolder, composer::Error> readWith(
      const Json& connections, const composer::Composition& composition = sample()) {
    write("plans/launch.json", made(composition)->toBytes(), false);
    write("plans/connections.json", bytes(connections), false);
    return launcher::readPlanFolder(folder_.filePath("plans"));
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestConnectionPlan)
#include "tst_connection_plan.moc"
