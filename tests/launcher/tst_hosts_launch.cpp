// SPDX-License-Identifier: GPL-3.0-or-later
// Plans of a folder over several hosts, each with an sshd and nothing else of ours: what a person
// has changed in the connection plan, and the script that needs no console.
#include <QElapsedTimer>
#include <QHostAddress>
#include <QJsonArray>
#include <QTcpServer>
#include <QTest>

#include "launcher/engine/host_check.h"
#include "launcher/engine/plan_folder.h"
#include "launcher/engine/run_record.h"
#include "tests/launcher/lab_plans.h"

using namespace tutti::launcher;
using namespace tutti::launcher::test;

namespace {

void write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
    qFatal("%s cannot be written", qPrintable(path));
}

}  // namespace

class TestHostsLaunch : public QObject {
  Q_OBJECT

 private slots:
  void whatAPersonChangesHoldsOnAllHosts() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString folder = planOn(lab);
    QVERIFY(!folder.isEmpty());
    auto connections = content(folder + "/connections.json");
    QVERIFY(connections.contains("\"15164-15264\"") && connections.contains("\"grace\": 15"));
    connections.replace("\"15164-15264\"", "\"15700-15799\"");
    connections.replace("\"grace\": 15", "\"grace\": 9");
    connections.replace("\"decentralized\"", "\"federated\"");
    write(folder + "/connections.json", connections);
    QProcess run;
    run.setProcessEnvironment(environmentOf(lab));
    run.start(tuttiProgram, {"launch", folder, "--duration", "300"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    // The home is on this machine, in none of the lab's namespaces.
    QByteArray home;
    for (const auto& entry : livingDescendants(static_cast<pid_t>(run.processId()))) {
      if (Lab::commandOf(entry.pid).contains("tutti-rti ")) home = Lab::commandOf(entry.pid);
    }
    QVERIFY2(home.contains(":157") && home.contains("--grace 9"), home);
    const auto federates = lab.processes(1, "/radar ");
    QCOMPARE(federates.size(), 1);
    QVERIFY(content(QStringLiteral("/proc/%1/environ").arg(federates.front()))
                .contains("TUTTI_ARCHITECTURE=federated"));
    run.terminate();
    QVERIFY(run.waitForFinished(endMs));
    QVERIFY2(run.exitCode() == 0, run.readAllStandardError());
    QTRY_VERIFY2_WITH_TIMEOUT(leftOn(lab).isEmpty(), leftOn(lab), 30000);
  }

  void placesAtLaunchWhatNamesNoHost() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const auto tutti = [&](QProcess& process, const QStringList& arguments) {
      process.setProcessEnvironment(environmentOf(lab));
      process.setProcessChannelMode(QProcess::MergedChannels);
      process.start(tuttiProgram, arguments + QStringList{"--hosts", lab.hostsFile(), "--place"});
    };
    QProcess refused;
    tutti(refused, {"run", lab.sampleToPlace(1000)});
    QVERIFY(refused.waitForFinished(endMs));
    const QByteArray why = refused.readAll();
    QVERIFY2(refused.exitCode() == 2, why);
    QVERIFY2(why.contains("radar-west cannot be placed. It needs 1000 cores and 40 MB (as the "
                          "composition says); ") &&
                 why.contains("Nothing was started."),
             why);
    QVERIFY2(leftOn(lab).isEmpty(), leftOn(lab));

    const QString file = lab.sampleToPlace(0.25);
    const QByteArray before = content(file);
    QProcess run;
    tutti(run, {"run", file, "--duration", "300"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    QVERIFY2(out.contains("6 federates on 2 hosts, 0 refused; "), out);
    QVERIFY2(out.contains("radar-west  " + lab.host(1).toUtf8()) ||
                 out.contains("radar-west  " + lab.host(2).toUtf8()),
             out);
    for (const int host : {1, 2}) QCOMPARE(lab.processes(host, "/radar ").size(), 1);
    QCOMPARE(content(file), before);
    // The run's plan says where each is, and why.
    const QDir runs(lab.root() + "/state/tutti/runs");
    const QStringList folders = runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QCOMPARE(folders.size(), 1);
    const auto plan = LaunchPlan::load(runs.filePath(folders.front() + "/plan.json"));
    QVERIFY2(plan, qPrintable(plan ? QString() : plan.error().message()));
    QCOMPARE(plan->federates.size(), 6u);
    for (const auto& one : plan->federates) {
      QVERIFY2(one.host == lab.host(1) || one.host == lab.host(2), qPrintable(one.name));
      QVERIFY2(!one.placedBecause.isEmpty(), qPrintable(one.name));
    }
    QVERIFY(plan->federate("radar-west")->host != plan->federate("radar-east")->host);
    run.terminate();
    QVERIFY(run.waitForFinished(endMs));
    QVERIFY2(run.exitCode() == 0, run.readAll());
    QTRY_VERIFY2_WITH_TIMEOUT(leftOn(lab).isEmpty(), leftOn(lab), 30000);
  }

  /// All hosts are asked before anything starts, and each finding says what to do.
  void asksAllHostsBeforehand() {
    Lab lab(2, {"--own-files", "--hide", TUTTI_BINARY_DIR});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString folder = planOn(lab);
    QVERIFY(!folder.isEmpty());
    auto found = findings(lab, folder, 0);
    for (const int host : {1, 2}) {
      for (const char* id : {"machine", "home", "cores", "clock"}) {
        const auto check = found.value(QLatin1String(id) + '-' + lab.host(host));
        QVERIFY2(check["level"].toString() == "passed", qPrintable(lab.host(host) + id));
      }
      QVERIFY(found["clock-" + lab.host(host)]["detail"].toString().contains("known to within"));
      QVERIFY(found["memory-" + lab.host(host)]["detail"].toString().contains("are available"));
      // They have nothing yet: a run copies it.
      for (const char* id : {"programs", "files"}) {
        const auto check = found.value(QLatin1String(id) + '-' + lab.host(host));
        QCOMPARE(check["level"].toString(), "warning");
        QVERIFY(check["detail"].toString().contains("SHA-256"));
        QVERIFY(!check["fixes"].toArray().isEmpty());
      }
      QVERIFY(found["programs-" + lab.host(host)]["detail"].toString().contains("tutti-"));
    }
    QCOMPARE(found["port"]["level"].toString(), "passed");
    // A firewall that lets nobody out.
    lab.ask(1,
            "nft add table inet wall; nft add chain inet wall out '{ type filter hook output "
            "priority 0; }'; nft add rule inet wall out tcp dport 15164-15264 reject");
    found = findings(lab, folder, 1);
    const auto wall = found["home-" + lab.host(1)];
    QVERIFY2(wall["level"].toString() == "error" &&
                 wall["detail"].toString().contains("Connection refused. A firewall") &&
                 !wall["fixes"].toArray().isEmpty(),
             qPrintable(wall["detail"].toString()));
    QCOMPARE(found["home-" + lab.host(2)]["level"].toString(), "passed");
    lab.ask(1, "nft delete table inet wall");
    // No room for the copies.
    lab.ask(2, "mkdir -p ~/.cache/tutti; mount -t tmpfs -o size=1m none ~/.cache/tutti");
    found = findings(lab, folder, 1);
    const auto disk = found["disk-" + lab.host(2)];
    QVERIFY2(disk["level"].toString() == "error" && !disk["fixes"].toArray().isEmpty(),
             qPrintable(disk["detail"].toString()));
    // An address that is none of this machine, and a port that is taken.
    const auto connections = content(folder + "/connections.json");
    auto other = connections;
    const auto home = other.indexOf("\"auto\"", other.indexOf("\"tutti-rti\": {"));
    QVERIFY(home > 0);
    write(folder + "/connections.json", other.replace(home, 6, "\"203.0.113.7\""));
    found = findings(lab, folder, 1);
    QVERIFY(found["port"]["title"].toString().contains("no address of this machine"));
    QTcpServer taken;
    QVERIFY(taken.listen(QHostAddress::Any, 0));
    other = connections;
    write(folder + "/connections.json",
          other.replace("\"15164-15264\"", QByteArray::number(taken.serverPort())));
    found = findings(lab, folder, 1);
    QVERIFY(found["port"]["detail"].toString().contains(QString::number(taken.serverPort())));
    QVERIFY(!found["port"]["fixes"].toArray().isEmpty());
  }

  /// Two runs are checked at the same moment, and both start.
  void twoRunsThatStartTogetherListenAtTwoPorts() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const auto read = readPlanFolder(planOn(lab));
    QVERIFY2(read, qPrintable(read ? QString() : read.error().message()));
    QStringList addresses;
    std::vector<LaunchPlan> prepared;
    for (int run = 0; run < 2; ++run) {
      LaunchPlan plan = read->plan.renewed(newRunIdentifier());
      const auto result = prepareHosts(plan, true);
      QVERIFY(mayRun(result.checks));
      const auto& command = plan.process(plan.nodeProcess)->command;
      const auto option = std::find(command.begin(), command.end(), "--listen");
      QVERIFY(option != command.end());
      addresses << QString::fromStdString(*std::next(option));
      prepared.push_back(std::move(plan));
    }
    QVERIFY2(addresses[0] != addresses[1], qPrintable(addresses.join(u' ')));
  }

  /// The folder of a run has the logs of all hosts, and the run can be started again from it.
  void aRunCollectsTheLogsOfItsHosts() {
    Lab lab(2, {"--own-files"});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString folder = planOn(lab);
    QVERIFY(!folder.isEmpty());
    QJsonObject first;
    for (const QStringList& arguments :
         {QStringList{"launch", folder, "--duration", "1"}, QStringList{"rerun"}}) {
      QProcess run;
      run.setProcessEnvironment(environmentOf(lab));
      run.start(tuttiProgram, arguments + QStringList{"--json"});
      QVERIFY(run.waitForFinished(endMs));
      const auto out = run.readAllStandardOutput();
      QVERIFY2(run.exitCode() == 0, out + run.readAllStandardError());
      const auto result = QJsonDocument::fromJson(out).object();
      const QString place = result["folder"].toString();
      for (const char* name : {"radar-west", "radar-east", "log", "tutti-rti"})
        QVERIFY2(!content(place + '/' + name + ".log").isEmpty(), name);
      const auto record = RunRecord::read(place + "/record.json");
      QVERIFY(record);
      QCOMPARE(record->hosts.size(), 3U);
      QVERIFY(record->host(lab.host(1))->logsFetched && record->host(lab.host(2))->logsFetched);
      QVERIFY(record->host(lab.host(1))->cores > 0);
      QCOMPARE(lab.ask(1, "cat " + record->host(lab.host(1))->folder + "/radar-west.log"),
               content(place + "/radar-west.log"));
      if (first.isEmpty()) {
        first = result;
        continue;
      }
      QCOMPARE(record->rerunOf, first["run"].toString());
      QVERIFY2(result["changes"].toArray().isEmpty(), out);
    }
    // The host is gone: that is a change, and nothing is started.
    QVERIFY(lab.call({"kill", lab.host(2)}));
    QProcess run;
    run.setProcessEnvironment(environmentOf(lab));
    run.start(tuttiProgram, {"rerun"});
    QVERIFY(run.waitForFinished(endMs));
    QCOMPARE(run.exitCode(), 2);
    const auto out = run.readAllStandardOutput();
    QVERIFY2(out.contains("host     " + lab.host(2).toUtf8() + ": cannot be reached"), out);
  }

 private:
  /// The findings of `tutti plan FOLDER --ask-hosts` by their id; empty when it ended otherwise.
  QHash<QString, QJsonObject> findings(const Lab& lab, const QString& folder, int code) const {
    QProcess process;
    process.setProcessEnvironment(environmentOf(lab));
    process.start(tuttiProgram, {"plan", folder, "--ask-hosts", "--json"});
    const bool ended = process.waitForFinished(endMs);
    const auto out = process.readAllStandardOutput();
    QHash<QString, QJsonObject> result;
    if (!ended || process.exitCode() != code) {
      qWarning("exit code %d: %s", process.exitCode(), out.constData());
      return result;
    }
    for (const auto& value : QJsonDocument::fromJson(out).object()["preflight"].toArray())
      result[value.toObject()["check"].toString()] = value.toObject();
    return result;
  }

  /// Whether `text` is in what a run prints, before it ends.
  static bool awaitSaid(QProcess& run, QByteArray& out, const QByteArray& text) {
    QElapsedTimer timer;
    timer.start();
    while (!out.contains(text) && timer.elapsed() < endMs) {
      const bool over = run.state() == QProcess::NotRunning;
      run.waitForReadyRead(200);
      out += run.readAllStandardOutput() + run.readAllStandardError();
      if (over) break;
    }
    return out.contains(text);
  }
};

QTEST_GUILESS_MAIN(TestHostsLaunch)
#include "tst_hosts_launch.moc"
