// SPDX-License-Identifier: GPL-3.0-or-later
// The connection to a run on another machine against machines that do not do as they should:
// without Tutti, with another one, that say too much or what is not understood. `ssh` is a script
// here.
#include <signal.h>
#include <unistd.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "launcher/engine/host_key.h"
#include "launcher/engine/relay_link.h"
#include "launcher/engine/relay_protocol.h"
#include "launcher/engine/run.h"
#include "launcher/engine/run_relay.h"

using namespace tutti::launcher;

namespace {

using Reason = Agent::Loss::Reason;

constexpr int longestMs = 20000;

LaunchPlan planOf(const QString& run) {
  LaunchPlan plan;
  plan.run = run;
  plan.federation = "test";
  plan.node = "run-" + run;
  plan.folder = "/nowhere/" + run;
  plan.plan.run = run.toStdString();
  PlannedProcess process;
  process.id = "a";
  process.command = {"/bin/true"};
  plan.plan.processes = {process};
  PlannedFederate federate;
  federate.name = federate.federate = "a";
  plan.federates = {federate};
  return plan;
}

/// Of run "r1", with a federate "b" on the host "h2".
LaunchPlan planWithHost() {
  LaunchPlan plan = planOf("r1");
  PlannedHost host;
  host.host.name = host.host.destination = "h2";
  host.node = host.nodeProcess = "node-h2";
  host.folder = "/nowhere/h2";
  host.supervisor = "/nowhere/tutti-supervisor";
  plan.hosts = {host};
  PlannedProcess process;
  process.id = "b";
  process.command = {"/bin/true"};
  PlannedProcess node = process;
  node.id = "node-h2";
  plan.plan.processes.push_back(node);
  plan.plan.processes.push_back(process);
  PlannedFederate federate;
  federate.name = federate.federate = "b";
  federate.host = "h2";
  plan.federates.push_back(federate);
  return plan;
}

QByteArray greeting(const QByteArray& rest, int protocol = relay::protocol) {
  return "{\"relay\":" + QByteArray::number(protocol) +
         ",\"machine\":\"borea\",\"version\":\"0\"," + rest + "}\n";
}

QByteArray greetingOfRun(const QString& run = "r1") {
  return greeting("\"plan\":" +
                  QJsonDocument::fromJson(planOf(run).toBytes()).toJson(QJsonDocument::Compact));
}

QByteArray output(int number, const QByteArray& line) {
  return "{\"part\":\"\",\"event\":{\"event\":\"output\",\"id\":\"a\",\"stream\":\"stdout\","
         "\"n\":" +
         QByteArray::number(number) + ",\"line\":\"" + line + "\"}}\n";
}

/// That a supervisor is there, and all told.
const QByteArray hello =
    "{\"part\":\"\",\"event\":{\"event\":\"hello\",\"pid\":7}}\n"
    "{\"part\":\"\",\"event\":{\"event\":\"attached\",\"next\":1}}\n";

}  // namespace

class TestRelayLink : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(folder_->isValid());
    if (path_.isEmpty()) path_ = qgetenv("PATH");
    qputenv("PATH", folder_->path().toUtf8() + ':' + path_);
  }
  void cleanup() { qputenv("PATH", path_); }

  void whatIsWrongIsSaid_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("why");
    QTest::addColumn<QString>("next");
    QTest::addColumn<Reason>("reason");
    QTest::newRow("Tutti is not there")
        << QByteArray("echo 'tutti-relay: end no-program tutti'; exit 127")
        << "Tutti is not found there"
        << "in a hosts file" << Reason::NoTutti;
    QTest::newRow("an older one")
        << QByteArray(
               "echo tutti-relay: at /opt/old/tutti; "
               "echo 'tutti: there is no verb \"relay\"; there are a, b' >&2; "
               "echo tutti-relay: end no-relay tutti 0.0.7; exit 2")
        << "its Tutti 0.0.7 (/opt/old/tutti) is older than this one ("
        << "Install the version of this machine" << Reason::OldTutti;
    QTest::newRow("an older one that says no more")
        << QByteArray("echo tutti-relay: end no-relay usage: tutti VERB; exit 2")
        << "its Tutti is older than this one ("
        << "as \"tutti\" of borea in a hosts file" << Reason::OldTutti;
    // What programs say elsewhere, and a reason that is not known, decide nothing.
    QTest::newRow("words of another program")
        << QByteArray(
               "echo 'there is no verb; Tutti is not found; tutti-relay: no program' >&2; "
               "echo tutti-relay: end no-such-reason; exit 3")
        << "exit code 3"
        << "login shell" << Reason::Other;
    QTest::newRow("another one") << say("tutti-relay: at /usr/bin/tutti\n" +
                                        greeting("\"runs\":[]", 7))
                                 << "its Tutti 0 (/usr/bin/tutti) and this one"
                                 << "the same version on both" << Reason::OtherProtocol;
    QTest::newRow("another one that says no more")
        << say(greeting("\"runs\":[]", 7)) << "relay 7 and 2"
        << "the same version on both" << Reason::OtherProtocol;
    QTest::newRow("something else") << say("Welcome to borea!\n") << "exit code 0"
                                    << "login shell" << Reason::Other;
    QTest::newRow("keys") << QByteArray(
                                 "echo 'me@borea: Permission denied (publickey).' >&2; "
                                 "exit 255")
                          << "none of the keys"
                          << "ssh-copy-id" << Reason::NotLetIn;
  }
  void whatIsWrongIsSaid() {
    QFETCH(QByteArray, script);
    QFETCH(QString, why);
    QFETCH(QString, next);
    QFETCH(Reason, reason);
    makeSsh(script);
    const auto runs = runsOn(borea());
    if (why != "exit code 0") {
      QVERIFY(!runs);
      QVERIFY2(runs.error().why.contains(why), qPrintable(runs.error().why));
      QCOMPARE(runs.error().reason, reason);
      QCOMPARE(needsInstallation(runs.error()),
               reason != Reason::Other && reason != Reason::NotLetIn);
      QVERIFY2(runs.error().next.contains(next), qPrintable(runs.error().next));
    } else {
      QVERIFY(!runs);
      QVERIFY2(runs.error().why.contains("not understood"), qPrintable(runs.error().why));
    }
    RelayLink link(borea(), "r1");
    QSignalSpy closed(&link, &RelayLink::closed);
    link.open();
    QTRY_COMPARE_WITH_TIMEOUT(closed.count(), 1, longestMs);
    QCOMPARE(link.state(), RelayLink::State::Over);
    QVERIFY2(link.whyLost().why.contains(why), qPrintable(link.whyLost().why));
    QCOMPARE(link.whyLost().reason, reason);
  }

  /// Whatever a login shell prints before.
  void runsAreListed() {
    makeSsh(say("Welcome\n{\"x\":1}\n" +
                greeting("\"runs\":[{\"run\":\"r1\",\"federation\":\"air\",\"federates\":6,"
                         "\"hosts\":-3,\"attended\":true},{\"federation\":\"nameless\"}]")));
    const auto runs = runsOn(borea());
    QVERIFY(runs);
    QCOMPARE(runs->size(), std::size_t(1));
    QCOMPARE(runs->front().federates, 6);
    QCOMPARE(runs->front().hosts, 1);
    QVERIFY(findFarRun(*runs, "air", "borea"));
    QCOMPARE(findFarRun(*runs, "sea", "borea").error(),
             "There is no run \"sea\" on borea; there are r1 (air).");
  }

  void aHostileRelayIsCutOff_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::newRow("a line without end") << QByteArray(
        say(greetingOfRun()) + "; head -c 40000000 /dev/zero | tr '\\0' x; exec sleep 60");
    QTest::newRow("a greeting without end") << QByteArray(
        "printf '{\"relay\":'; head -c 40000000 /dev/zero | tr '\\0' 1; exec sleep 60");
    QTest::newRow("no greeting, without end") << QByteArray("yes | tr -d '\\n'");
    QTest::newRow("lines without end and no greeting") << QByteArray("exec yes");
    QTest::newRow("no JSON") << QByteArray(say(greetingOfRun() + "{\"part\":\n") +
                                           "; exec sleep 60");
    QTest::newRow("an unknown frame") << QByteArray(
        say(greetingOfRun() + "{\"part\":\"\",\"do\":\"stop\"}\n") + "; exec sleep 60");
    QTest::newRow("no plan") << QByteArray(say(greeting("\"plan\":{}")) + "; exec sleep 60");
    QTest::newRow("the plan of another run")
        << QByteArray(say(greeting("\"plan\":" + QJsonDocument::fromJson(planOf("r2").toBytes())
                                                     .toJson(QJsonDocument::Compact))) +
                      "; exec sleep 60");
  }
  void aHostileRelayIsCutOff() {
    QFETCH(QByteArray, script);
    makeSsh(script);
    RelayLink link(borea(), "r1");
    QSignalSpy closed(&link, &RelayLink::closed);
    link.open();
    QTRY_COMPARE_WITH_TIMEOUT(closed.count(), 1, longestMs);
    QVERIFY2(link.whyLost().why.contains("not understood"), qPrintable(link.whyLost().why));
    QCOMPARE(link.state(), RelayLink::State::Over);
    const QJsonArray endless = {1};  // a list that names nobody, as an answer
    QVERIFY(!readGreeting("borea", QJsonDocument(endless).toJson()));
  }

  /// It says something all the time, and never what it is asked for.
  void talkIsNoAnswer() {
    makeSsh("while :; do echo wait; sleep 1; done");
    RelayLink link(borea(), "r1");
    QSignalSpy closed(&link, &RelayLink::closed);
    link.open();
    QTRY_COMPARE_WITH_TIMEOUT(closed.count(), 1, 3 * longestMs);
    QVERIFY2(link.whyLost().why.contains("did not answer"), qPrintable(link.whyLost().why));
  }

  /// What a shell prints last may have no end of a line.
  void aTitleDoesNotHideTheGreeting() {
    makeSsh(say("\033]0;borea\007" + RunRelay::greetingOf(std::vector<GoingRun>())));
    const auto runs = runsOn(borea());
    QVERIFY2(runs, qPrintable(runs ? QString() : runs.error().why));
    makeSsh(say("\033]0;borea\007" + RunRelay::greetingOf(planOf("r1"))) + "; exec sleep 60");
    RelayLink link(borea(), "r1");
    link.open();
    QTRY_COMPARE_WITH_TIMEOUT(link.state(), RelayLink::State::Up, longestMs);
  }

  void aListWithoutEndIsCutOff() {
    makeSsh("yes '{\"relay\":2,\"runs\":[]}'");
    const auto runs = runsOn(borea());
    QVERIFY(!runs);
    QVERIFY2(runs.error().why.contains("more than 4 MiB"), qPrintable(runs.error().why));
  }

  /// The connection ends after event 2, in the middle of a line; over the next one comes what is
  /// asked for.
  void aLostConnectionGoesOnWhereItWas() {
    const QString asked = folder_->filePath("asked");
    makeSsh("n=$(cat '" + asked.toUtf8() + ".n' 2>/dev/null || echo 0); echo $((n + 1)) > '" +
            asked.toUtf8() + ".n'; " + say(greetingOfRun()) +
            "; read -r line; while case $line in *alive*) true;; *) false;; esac; do read -r line; "
            "done; echo \"$line\" >> '" +
            asked.toUtf8() + "'; if [ $n = 0 ]; then " +
            say(output(1, "one") + output(2, "two") + output(3, "three").left(40)) +
            "; exit 255; fi; " + say(output(3, "three") + output(4, "four")) + "; exec cat > '" +
            asked.toUtf8() + ".rest'");
    const auto link = std::make_shared<RelayLink>(borea(), "r1");
    std::unique_ptr<Run> run;
    QStringList lines;
    connect(link.get(), &RelayLink::opened, this, [&](const LaunchPlan& plan) {
      run = std::make_unique<Run>(plan);
      connect(run.get(), &Run::lineArrived, this, [&](const LogLine& line) { lines << line.text; });
      run->watchThrough(link);
    });
    QSignalSpy changed(link.get(), &RelayLink::stateChanged);
    QSignalSpy reopened(link.get(), &RelayLink::reopened);
    link->open();
    QTRY_COMPARE_WITH_TIMEOUT(link->state(), RelayLink::State::Lost, longestMs);
    QVERIFY(!run->isOver());
    link->retryNow();
    QTRY_COMPARE_WITH_TIMEOUT(lines, (QStringList{"one", "two", "three", "four"}), longestMs);
    QCOMPARE(reopened.count(), 1);
    QCOMPARE(link->state(), RelayLink::State::Up);
    QFile file(asked);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto wanted = file.readAll().trimmed().split('\n');
    QCOMPARE(wanted.size(), 2);
    QCOMPARE(QJsonDocument::fromJson(wanted[0]).object()["after"].toInt(), 0);
    QCOMPARE(QJsonDocument::fromJson(wanted[1]).object()["after"].toInt(), 2);
    // It broke off before the state had been told.
    QCOMPARE(QJsonDocument::fromJson(wanted[1]).object()["state"].toBool(), true);
    // What would change the run is not even sent.
    const auto told = [&] {
      QFile rest(asked + ".rest");
      return rest.open(QIODevice::ReadOnly) ? rest.readAll() : QByteArray();
    };
    run->stop();
    run->killProcess("a");
    run->restartProcess("a");
    const auto before = told().count("alive");
    QTRY_VERIFY_WITH_TIMEOUT(told().count("alive") > before + 1, longestMs);
    QCOMPARE(told().count('\n'), told().count("{\"do\":\"alive\"}\n"));
    run.reset();
  }

  /// The command line asks for none; who does asks again over each connection.
  void figuresAreAskedFor() {
    const QByteArray asked = folder_->filePath("asked").toUtf8();
    makeSsh("echo $$ > '" + asked + ".pid'; " + say(greetingOfRun()) + "; exec cat >> '" + asked +
            "'");
    const auto told = [&](const QByteArray& text) {
      QFile file(asked);
      return file.open(QIODevice::ReadOnly) ? file.readAll().count(text) : qsizetype(0);
    };
    RelayLink link(borea(), "r1");
    link.open();
    QTRY_VERIFY_WITH_TIMEOUT(told("alive") > 1, longestMs);
    QCOMPARE(told("sample"), 0);
    link.sample(200);
    link.sample(200);
    QTRY_COMPARE_WITH_TIMEOUT(told("{\"do\":\"sample\",\"every_ms\":200}\n"), 1, longestMs);
    QFile its(asked + ".pid");
    QVERIFY(its.open(QIODevice::ReadOnly));
    QCOMPARE(::kill(its.readAll().trimmed().toInt(), SIGKILL), 0);
    QTRY_COMPARE_WITH_TIMEOUT(link.state(), RelayLink::State::Lost, longestMs);
    link.retryNow();
    QTRY_COMPARE_WITH_TIMEOUT(told("{\"do\":\"sample\",\"every_ms\":200}\n"), 2, longestMs);
    link.sample(0);
    QTRY_COMPARE_WITH_TIMEOUT(told("{\"do\":\"sample\",\"every_ms\":0}\n"), 1, longestMs);
  }

  /// Asked for twice, and on the way twice.
  void nothingIsToldTwice() {
    makeSsh(say(greetingOfRun()) + "; read -r line; " +
            say(hello + output(1, "one") + output(2, "two") + output(1, "one") + output(2, "two") +
                output(3, "three") +
                // The state covers what has happened before it.
                "{\"part\":\"\",\"event\":{\"event\":\"attached\",\"next\":6}}\n" +
                output(5, "five") + output(6, "six")) +
            "; exec sleep 60");
    const auto link = std::make_shared<RelayLink>(borea(), "r1");
    std::unique_ptr<Run> run;
    QStringList lines;
    connect(link.get(), &RelayLink::opened, this, [&](const LaunchPlan& plan) {
      run = std::make_unique<Run>(plan);
      connect(run.get(), &Run::lineArrived, this, [&](const LogLine& line) { lines << line.text; });
      run->watchThrough(link);
    });
    link->open();
    QTRY_VERIFY_WITH_TIMEOUT(lines.contains("six"), longestMs);
    QCOMPARE(lines, (QStringList{"one", "two", "three", "six"}));
  }

  /// The machine of the run has no way to one of its hosts, which is well for all it knows; or the
  /// supervisor there takes no more of those that watch.
  void aHostThatCannotBeWatchedIsNotLost_data() {
    QTest::addColumn<QByteArray>("said");
    QTest::addColumn<QString>("why");
    QTest::newRow("it is not reached")
        << QByteArray(
               "{\"part\":\"h2\",\"ended\":{\"where\":\"h2\",\"why\":\"none of the keys is "
               "taken there\",\"next\":\"See its keys.\"}}\n")
        << "none of the keys is taken there. See its keys.";
    QTest::newRow("its program is not there")
        << QByteArray(
               "{\"part\":\"h2\",\"failed\":{\"where\":\"ssh\",\"why\":\"it is not there\","
               "\"next\":\"Install it.\"}}\n")
        << "it is not there. Install it.";
    QTest::newRow("it refuses")
        << QByteArray(
               "{\"part\":\"h2\",\"event\":{\"event\":\"busy\",\"why\":\"too many programs "
               "watch this run\"}}\n"
               "{\"part\":\"h2\",\"ended\":{\"where\":\"h2\",\"why\":\"exit code "
               "0\",\"next\":\"\"}}\n")
        << "too many programs watch this run. End others that watch it";
  }
  void aHostThatCannotBeWatchedIsNotLost() {
    QFETCH(QByteArray, said);
    QFETCH(QString, why);
    makeSsh(say(greeting(
                "\"plan\":" +
                QJsonDocument::fromJson(planWithHost().toBytes()).toJson(QJsonDocument::Compact))) +
            "; read -r line; " +
            say("{\"part\":\"\",\"event\":{\"event\":\"hello\",\"pid\":7}}\n"
                "{\"part\":\"\",\"event\":{\"event\":\"started\",\"id\":\"a\",\"pid\":8,"
                "\"attempt\":1}}\n"
                "{\"part\":\"\",\"event\":{\"event\":\"ready\",\"id\":\"a\"}}\n"
                "{\"part\":\"\",\"event\":{\"event\":\"attached\",\"next\":1}}\n" +
                said) +
            "; exec sleep 60");
    const auto link = std::make_shared<RelayLink>(borea(), "r1");
    std::unique_ptr<Run> run;
    connect(link.get(), &RelayLink::opened, this, [&](const LaunchPlan& its) {
      run = std::make_unique<Run>(its);
      run->watchThrough(link);
    });
    link->open();
    QTRY_VERIFY2_WITH_TIMEOUT(run && !run->troubles().empty(), qPrintable(link->whyLost().why),
                              longestMs);
    QCOMPARE(run->troubles().size(), std::size_t(1));
    const QString told = run->troubles().front().message();
    QVERIFY2(told.contains("What runs on h2 cannot be watched") && told.contains(why),
             qPrintable(told));
    QTRY_COMPARE_WITH_TIMEOUT(run->phase(), Run::Phase::Running, longestMs);
    QCOMPARE(run->outcome(), Run::Outcome::Clean);
    QCOMPARE(run->process("b")->description(), "not known");
    QCOMPARE(run->process("a")->description(), "running");
    QCOMPARE(run->hosts().back().state, HostStatus::State::Unreachable);
  }

  /// The machine of the run loses its way to a host that was heard: for all it knows, what runs
  /// there goes on. So it is told for as long as it is not known, and what it was when it is.
  void aHostThatIsNotSeenForLongMayGoOn() {
    const auto of = [](const QByteArray& part, const QByteArray& event) {
      return "{\"part\":\"" + part + "\",\"event\":{\"event\":" + event + "}}\n";
    };
    const auto heard = [&](const QByteArray& part, const QByteArray& id) {
      return say(of(part, "\"hello\",\"pid\":7") +
                 of(part, "\"started\",\"id\":\"" + id + "\",\"pid\":8,\"attempt\":1") +
                 of(part, "\"ready\",\"id\":\"" + id + "\"") + of(part, "\"attached\",\"next\":1"));
    };
    const QByteArray lost =
        say("{\"part\":\"h2\",\"ended\":{\"where\":\"h2\",\"why\":\"it does not "
            "answer\",\"next\":\"\"}}\n");
    const auto file = [&](const char* name) { return folder_->filePath(name).toUtf8(); };
    const auto isThere = [&](const char* name) { return "[ -e '" + file(name) + "' ]"; };
    // It hears a line of the other side twice a second, and breaks off h2 when there is "cut".
    makeSsh(say(greeting(
                "\"plan\":" +
                QJsonDocument::fromJson(planWithHost().toBytes()).toJson(QJsonDocument::Compact))) +
            "; up=; while read -r line; do case \"$line\" in "
            "*attach*h2*) if " +
            isThere("cut") + "; then up=; " + lost + "; elif " + isThere("gone") + "; then " +
            say(of("h2", "\"gone\"")) + "; " + lost + "; else up=1; " + heard("h2", "b") +
            "; fi;; "
            "*attach*) " +
            heard("", "a") +
            ";; esac; "
            "if [ -n \"$up\" ] && " +
            isThere("cut") + "; then up=; " + lost + "; fi; done");
    const auto link = std::make_shared<RelayLink>(borea(), "r1");
    std::unique_ptr<Run> run;
    connect(link.get(), &RelayLink::opened, this, [&](const LaunchPlan& its) {
      run = std::make_unique<Run>(its);
      run->watchThrough(link);
    });
    link->open();
    QTRY_VERIFY_WITH_TIMEOUT(run && run->process("b")->description() == "running", 3 * longestMs);
    for (const bool isGone : {false, true}) {
      QVERIFY(QFile(file("cut")).open(QIODevice::WriteOnly));
      const QDateTime cut = QDateTime::currentDateTime();
      QTRY_VERIFY_WITH_TIMEOUT(run->hosts().back().unseen, 3 * longestMs);
      QVERIFY(run->hosts().back().seen.isValid());
      QVERIFY(run->hosts().back().seen < cut.addSecs(3));
      QCOMPARE(run->hosts().back().whyUnseen, "it does not answer");
      QCOMPARE(run->hosts().back().state, HostStatus::State::Unreachable);
      const QString told = run->process("b")->description();
      QVERIFY2(told.startsWith("not seen since ") && told.contains(", for "), qPrintable(told));
      QCOMPARE(run->process("a")->description(), "running");
      QCOMPARE(run->phase(), Run::Phase::Running);
      QCOMPARE(run->outcome(), Run::Outcome::Clean);
      QCOMPARE(run->troubles().size(), std::size_t(0));
      if (isGone) QVERIFY(QFile(file("gone")).open(QIODevice::WriteOnly));
      QVERIFY(QFile::remove(file("cut")));
      if (isGone) break;
      QTRY_COMPARE_WITH_TIMEOUT(run->process("b")->description(), "running", 3 * longestMs);
      QVERIFY(!run->hosts().back().unseen);
      QCOMPARE(run->hosts().back().state, HostStatus::State::Up);
    }
    QTRY_COMPARE_WITH_TIMEOUT(run->process("b")->description(), "lost with its host",
                              3 * longestMs);
    QVERIFY(!run->hosts().back().unseen);
    QCOMPARE(run->troubles().size(), std::size_t(1));
    QVERIFY2(run->troubles().front().message().startsWith("What ran on h2 has ended"),
             qPrintable(run->troubles().front().message()));
  }

  /// Each of them would be shown, and kept.
  void errorsWithoutEndAreCutOff() {
    const QByteArray error =
        "{\"part\":\"\",\"event\":{\"event\":\"error\",\"what\":\"x\",\"why\":\"y\"}}";
    makeSsh(say(greetingOfRun()) + "; read -r line; " + say(hello) + "; exec yes '" + error + "'");
    const auto link = std::make_shared<RelayLink>(borea(), "r1");
    std::unique_ptr<Run> run;
    connect(link.get(), &RelayLink::opened, this, [&](const LaunchPlan& its) {
      run = std::make_unique<Run>(its);
      run->watchThrough(link);
    });
    link->open();
    QTRY_VERIFY_WITH_TIMEOUT(run && run->isOver(), longestMs);
    QVERIFY(run->troubles().size() < 3000);
    QVERIFY2(run->troubles().back().message().contains("than a run can have"),
             qPrintable(run->troubles().back().message()));
  }

  /// The run's own supervisor has too many of them.
  void aRunThatRefusesIsSaidNotToBeWatched() {
    makeSsh(
        say(greetingOfRun()) + "; read -r line; " +
        say("{\"part\":\"\",\"event\":{\"event\":\"busy\",\"why\":\"too many programs watch this "
            "run\"}}\n{\"part\":\"\",\"ended\":{\"where\":\"\",\"why\":\"its connection has "
            "ended\",\"next\":\"\"}}\n") +
        "; exec sleep 60");
    const auto link = std::make_shared<RelayLink>(borea(), "r1");
    std::unique_ptr<Run> run;
    connect(link.get(), &RelayLink::opened, this, [&](const LaunchPlan& its) {
      run = std::make_unique<Run>(its);
      run->watchThrough(link);
    });
    link->open();
    QTRY_VERIFY_WITH_TIMEOUT(run && run->isOver(), longestMs);
    QCOMPARE(run->troubles().size(), std::size_t(1));
    const QString told = run->troubles().front().message();
    QVERIFY2(told.contains("The run r1 cannot be watched") &&
                 told.contains("too many programs watch this run"),
             qPrintable(told));
  }

  /// A supervisor was heard; then the connection ends for good.
  void aLinkThatIsClosedEndsTheRun_data() {
    QTest::addColumn<QByteArray>("first");  ///< after what the supervisor said
    QTest::addColumn<QByteArray>("second");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("why");
    const QByteArray never = "exec sleep 60";
    QTest::newRow("the run has ended meanwhile")
        << QByteArray("exit 255") << say(greeting("\"gone\":true"))
        << "The run r1 has ended, and nobody saw how"
        << "active there no longer";
    QTest::newRow("not understood")
        << say("{\"part\":\n") + "; " + never << never << "can no longer be watched"
        << "not understood";
    QTest::newRow("the keys are refused now")
        << QByteArray("exit 255")
        << QByteArray("echo 'me@borea: Permission denied (publickey).' >&2; exit 255")
        << "can no longer be watched"
        << "none of the keys";
    QTest::newRow("another Tutti now")
        << QByteArray("exit 255") << say(greeting("\"runs\":[]", 7)) << "can no longer be watched"
        << "relay 7 and 2";
    QTest::newRow("another run now")
        << QByteArray("exit 255") << say(greetingOfRun("r2")) << "can no longer be watched"
        << "not understood";
  }
  void aLinkThatIsClosedEndsTheRun() {
    QFETCH(QByteArray, first);
    QFETCH(QByteArray, second);
    QFETCH(QString, what);
    QFETCH(QString, why);
    const QByteArray count = folder_->filePath("n").toUtf8();
    makeSsh("if [ -e '" + count + "' ]; then " + second + "; exit 0; fi; touch '" + count + "'; " +
            say(greetingOfRun()) + "; read -r line; " + say(hello) + "; " + first);
    const auto link = std::make_shared<RelayLink>(borea(), "r1");
    std::unique_ptr<Run> run;
    bool heard = false;
    connect(link.get(), &RelayLink::opened, this, [&](const LaunchPlan& plan) {
      run = std::make_unique<Run>(plan);
      connect(run.get(), &Run::eventArrived, this, [&] { heard = true; });
      run->watchThrough(link);
    });
    link->open();
    QTRY_VERIFY_WITH_TIMEOUT(run && run->isOver(), longestMs);
    QVERIFY(heard);
    QCOMPARE(run->phase(), Run::Phase::Failed);
    QCOMPARE(link->isGone(), what.contains("has ended"));
    QCOMPARE(run->troubles().size(), std::size_t(1));
    const QString said = run->troubles().front().message();
    QVERIFY2(said.contains(what) && said.contains(why), qPrintable(said));
  }

  /// Whatever it is told, a relay only reads.
  void aRelayRefusesWhatWouldChangeTheRun() {
    int in[2];
    int out[2];
    QVERIFY(::pipe(in) == 0 && ::pipe(out) == 0);
    QByteArray said;
    {
      RunRelay relay(planOf("r1"), in[0], out[1]);
      QSignalSpy over(&relay, &RunRelay::over);
      QSignalSpy samples(&relay, &RunRelay::samplesWanted);
      const QByteArray told =
          "{\"do\":\"stop\"}\n{\"do\":\"kill\",\"id\":\"a\"}\n"
          "{\"do\":\"attach\",\"part\":\"nowhere\",\"after\":1e300}\n"
          "{\"do\":\"sample\",\"every_ms\":1}\n{\"do\":\"sample\",\"every_ms\":1e300}\n"
          "{\"do\":\"sample\",\"every_ms\":900000}\n{\"do\":\"sample\"}\n";
      QCOMPARE(::write(in[1], told.constData(), static_cast<std::size_t>(told.size())),
               ssize_t(told.size()));
      ::close(in[1]);
      QTRY_COMPARE_WITH_TIMEOUT(over.count(), 1, longestMs);
      char buffer[65536];
      const auto got = ::read(out[0], buffer, sizeof buffer);
      QVERIFY(got > 0);
      said = QByteArray(buffer, got);
      QList<int> every;
      for (const auto& one : samples) every << one.front().toInt();
      QCOMPARE(every, (QList<int>{200, 0, 60000, 0}));
    }
    for (const int each : {in[0], out[0], out[1]}) ::close(each);
    const auto lines = said.trimmed().split('\n');
    QCOMPARE(lines.size(), 4);
    for (int at = 0; at < 2; ++at)
      QCOMPARE(QJsonDocument::fromJson(lines[at + 1]).object(),
               (QJsonObject{{"refused", QStringList{"stop", "kill"}[at]}}));
    // Whoever asks for a host is told of it.
    const auto refused = QJsonDocument::fromJson(lines[3]).object();
    QCOMPARE(refused["part"].toString(), "nowhere");
    QVERIFY(refused["failed"].toObject()["why"].toString().contains("no host of this run"));
  }

  /// Ctrl+C while nothing is there yet.
  void theVerbEndsWhileItConnects() {
    const QByteArray count = folder_->filePath("n").toUtf8();
    const QByteArray here = folder_->filePath("here").toUtf8();
    makeSsh("if [ -e '" + count + "' ]; then touch '" + here + "'; exec sleep 600; fi; touch '" +
            count + "'; " + say(greeting("\"runs\":[{\"run\":\"r1\"}]")));
    QProcess verb;
    verb.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"), {"attach", "--on", "borea", "r1"});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(here), longestMs);
    QCOMPARE(::kill(static_cast<pid_t>(verb.processId()), SIGINT), 0);
    QVERIFY(verb.waitForFinished(2 * longestMs));
    QCOMPARE(verb.exitStatus(), QProcess::NormalExit);
    QCOMPARE(verb.exitCode(), 2);
    const QByteArray said = verb.readAllStandardError();
    QVERIFY2(said.contains("Ended before borea had answered"), said);
  }

  /// The program that the hosts file names is taken, and no other; else the one of PATH.
  void tuttiIsFoundThere() {
    makeSsh("while [ \"$1\" != -- ]; do shift; done; shift 2; HOME='" + folder_->path().toUtf8() +
            "' exec sh -c \"$*\"");
    for (const char* name : {"tutti", "mine"}) {
      QFile file(folder_->filePath(name));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write("#!/bin/sh\n" +
                 say(greeting(QByteArray("\"runs\":[{\"run\":\"") + name + "\"}]")) + "\n");
      file.close();
      file.setPermissions(file.permissions() | QFile::ExeOwner | QFile::ExeUser);
    }
    Host host = borea();
    const auto its = [&] {
      const auto runs = runsOn(host);
      return runs ? runs->front().run : runs.error().why;
    };
    host.extra["tutti"] = folder_->filePath("mine").toStdString();
    QCOMPARE(its(), "mine");
    host.extra["tutti"] = "~/mine";
    QCOMPARE(its(), "mine");
    host.extra["tutti"] = "/nowhere/tutti";
    QCOMPARE(its(), "Tutti is not found there");
    // One of PATH that knows no relay: its version and its place are told.
    QFile old(folder_->filePath("tutti"));
    QVERIFY(old.open(QIODevice::WriteOnly));
    old.write(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo tutti 0.0.7; exit; fi\n"
        "echo \"tutti: there is no verb \\\"$1\\\"; there are a, b\" >&2; exit 2\n");
    old.close();
    host.extra["tutti"] = folder_->filePath("tutti").toStdString();
    const QString older = "its Tutti 0.0.7 (" + folder_->filePath("tutti") + ") is older";
    QVERIFY2(its().startsWith(older), qPrintable(its()));
    RelayLink link(host, "r1");
    QSignalSpy closed(&link, &RelayLink::closed);
    link.open();
    QTRY_COMPARE_WITH_TIMEOUT(closed.count(), 1, longestMs);
    QVERIFY2(link.whyLost().why.startsWith(older), qPrintable(link.whyLost().why));
  }

  void theFingerprintIsRead() {
    QCOMPARE(hostKeyIn("debug1: Server host key: ssh-ed25519 SHA256:abc+/9\r\nNo key\n"),
             "ED25519 SHA256:abc+/9");
    QCOMPARE(hostKeyIn("debug1: kex: algorithm\n"), "");
    // That of a jump host comes before.
    QCOMPARE(hostKeyIn("debug1: Server host key: ssh-rsa SHA256:jump\r\n"
                       "debug1: Server host key: ssh-ed25519 SHA256:abc+/9\r\n"),
             "ED25519 SHA256:abc+/9");
  }

  void hostsAreFoundByName() {
    QFile file(folder_->filePath("a.hosts.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "{\"format\":1,\"hosts\":{\"borea\":{\"destination\":\"me@10.0.0.1\"},"
        "\"here\":{}}}");
    file.close();
    QCOMPARE(hostNamed("borea", file.fileName())->destination, "me@10.0.0.1");
    QCOMPARE(hostNamed("other", file.fileName())->destination, "other");
    QCOMPARE(hostNamed("borea", {})->destination, "borea");
    QVERIFY(hostNamed("here", file.fileName()).error().contains("is this machine"));
    for (const char* wrong : {"-oProxyCommand=x", "a b", ""})
      QVERIFY2(!hostNamed(wrong, {}), wrong);
    QVERIFY(!hostNamed("borea", folder_->filePath("none")));
  }

 private:
  static Host borea() {
    Host host;
    host.name = host.destination = "borea";
    return host;
  }
  /// A command of a shell that prints it.
  static QByteArray say(const QByteArray& text) {
    QByteArray quoted = text;
    return "printf '%s' '" + quoted.replace('\'', "'\\''") + "'";
  }
  void makeSsh(const QByteArray& script) const {
    QFile file(folder_->filePath("ssh"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\n" + script + "\n");
    file.close();
    file.setPermissions(file.permissions() | QFile::ExeOwner | QFile::ExeUser);
  }

  std::unique_ptr<QTemporaryDir> folder_;
  QByteArray path_;
};

QTEST_GUILESS_MAIN(TestRelayLink)
#include "tst_relay_link.moc"
