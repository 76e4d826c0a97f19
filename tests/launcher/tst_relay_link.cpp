// SPDX-License-Identifier: GPL-3.0-or-later
// The connection to a run on another machine against machines that do not do as they should:
// without Tutti, with another one, that say too much or what is not understood. `ssh` is a script
// here.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "launcher/engine/host_key.h"
#include "launcher/engine/relay_link.h"
#include "launcher/engine/relay_protocol.h"
#include "launcher/engine/run.h"

using namespace tutti::launcher;

namespace {

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

QByteArray greeting(const QByteArray& rest, int protocol = relay::protocol) {
  return "{\"relay\":" + QByteArray::number(protocol) +
         ",\"machine\":\"borea\",\"version\":\"0\"," + rest + "}\n";
}

QByteArray greetingOfRun() {
  return greeting("\"plan\":" +
                  QJsonDocument::fromJson(planOf("r1").toBytes()).toJson(QJsonDocument::Compact));
}

QByteArray output(int number, const QByteArray& line) {
  return "{\"part\":\"\",\"event\":{\"event\":\"output\",\"id\":\"a\",\"stream\":\"stdout\","
         "\"n\":" +
         QByteArray::number(number) + ",\"line\":\"" + line + "\"}}\n";
}

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
    QTest::newRow("Tutti is not there")
        << QByteArray("echo 'tutti-relay: no program tutti' >&2; exit 127")
        << "Tutti is not found there"
        << "in a hosts file";
    QTest::newRow("an older one")
        << QByteArray("echo 'tutti: there is no verb \"relay\"; there are a, b' >&2; exit 2")
        << "older"
        << "Install the version of this machine";
    QTest::newRow("another one") << say(greeting("\"runs\":[]", 7)) << "relay 7 and 1"
                                 << "the same version on both";
    QTest::newRow("something else") << say("Welcome to borea!\n") << "exit code 0"
                                    << "login shell";
    QTest::newRow("keys") << QByteArray(
                                 "echo 'me@borea: Permission denied (publickey).' >&2; "
                                 "exit 255")
                          << "none of the keys"
                          << "ssh-copy-id";
  }
  void whatIsWrongIsSaid() {
    QFETCH(QByteArray, script);
    QFETCH(QString, why);
    QFETCH(QString, next);
    makeSsh(script);
    const auto runs = runsOn(borea());
    if (why != "exit code 0") {
      QVERIFY(!runs);
      QVERIFY2(runs.error().why.contains(why), qPrintable(runs.error().why));
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

  void aListWithoutEndIsCutOff() {
    makeSsh("yes '{\"relay\":1,\"runs\":[]}'");
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
            "; exit 255; fi; " + say(output(3, "three") + output(4, "four")) + "; exec sleep 60");
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
    QVERIFY(link->secondsToRetry() >= 0 && !run->isOver());
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
    // What would change the run is not even sent.
    run->stop();
    run->killProcess("a");
    run.reset();
  }

  /// While it was away the run has ended.
  void aRunThatEndedMeanwhileIsOver() {
    const QByteArray count = folder_->filePath("n").toUtf8();
    makeSsh("if [ -e '" + count + "' ]; then " + say(greeting("\"gone\":true")) +
            "; exit 0; fi; touch '" + count + "'; " + say(greetingOfRun()) +
            "; read -r line; exit 255");
    const auto link = std::make_shared<RelayLink>(borea(), "r1");
    std::unique_ptr<Run> run;
    connect(link.get(), &RelayLink::opened, this, [&](const LaunchPlan& plan) {
      run = std::make_unique<Run>(plan);
      run->watchThrough(link);
    });
    link->open();
    QTRY_VERIFY_WITH_TIMEOUT(run && run->isOver(), longestMs);
    QVERIFY(link->isGone());
    QCOMPARE(run->troubles().size(), std::size_t(1));
    QVERIFY2(run->troubles().front().message().contains("active there no longer"),
             qPrintable(run->troubles().front().message()));
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
  }

  void theFingerprintIsRead() {
    QCOMPARE(hostKeyIn("debug1: Server host key: ssh-ed25519 SHA256:abc+/9\r\nNo key\n"),
             "ED25519 SHA256:abc+/9");
    QCOMPARE(hostKeyIn("debug1: kex: algorithm\n"), "");
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
