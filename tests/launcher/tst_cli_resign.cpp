// SPDX-License-Identifier: GPL-3.0-or-later
// `tutti resign` in a run of the sample: everybody, some, one that hangs, and federates of no run.
#include <signal.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "observe/node_client.h"
#include "tests/launcher/supervisor_client.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti;
using namespace tutti::launcher;

namespace {

constexpr int longMs = 60000;

}  // namespace

class TestCliResign : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(folder_->isValid());
    tutti_ = std::make_unique<test::TuttiCall>(folder_->filePath("state"));
    shown_.clear();
  }
  void cleanup() {
    // Whatever a test that failed has left.
    if (tutti_->isGoing()) tutti_->call({"kill", tutti_->id()});
    QTRY_VERIFY_WITH_TIMEOUT(!tutti_->isGoing(), longMs);
  }

  void everybodyResignsAndTheRunEnds() {
    QProcess owner;
    QVERIFY(start(owner));
    QVERIFY2(call({"resign", run_, "--timeout", "60"}) == 0, out_ + err_);
    QVERIFY2(out_.startsWith("6 of 6 federates of air-traffic have resigned: "), out_);
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, longMs);
    shown_ += owner.readAllStandardOutput();
    // It was asked for: no death, and no failure.
    QVERIFY2(owner.exitCode() == 0, shown_);
    QVERIFY2(!shown_.contains("died"), shown_);
    QVERIFY2(shown_.contains("its federates were made to resign"), shown_);
    QVERIFY2(shown_.contains("resigned, exit code 3"), shown_);
  }

  void someResignAndTheOthersGoOn() {
    QProcess owner;
    QVERIFY(start(owner));
    QCOMPARE(call({"resign", run_, "radar-west", "log", "--json", "--timeout", "60"}), 0);
    const auto said = QJsonDocument::fromJson(out_).object();
    QCOMPARE(namesOf(said["resigned"]), (QStringList{"log", "radar-west"}));
    QCOMPARE(said["awaited"].toArray().size(), 0);
    QCOMPARE(said["federation"].toString(), "air-traffic");
    QTRY_COMPARE_WITH_TIMEOUT(joined(), 4, longMs);
    QCOMPARE(owner.state(), QProcess::Running);
    // One that was made to resign is started again like any other that has ended.
    QCOMPARE(call({"start", run_, "radar-west"}), 0);
    QVERIFY2(out_.startsWith("radar-west: "), out_);
    QTRY_COMPARE_WITH_TIMEOUT(joined(), 5, longMs);
    QCOMPARE(call({"stop", run_}), 0);
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, longMs);
    shown_ += owner.readAllStandardOutput();
    QVERIFY2(owner.exitCode() == 0 && !shown_.contains("died"), shown_);
  }

  void oneThatHangsIsNamedAndResignsLater() {
    QProcess owner;
    QVERIFY(start(owner));
    const pid_t radar = processOf("radar-west");
    QVERIFY(radar > 0);
    QVERIFY(::kill(radar, SIGSTOP) == 0);
    QCOMPARE(call({"resign", run_, "--timeout", "5"}), 1);
    QVERIFY2(err_.contains("1 of 6 federates has not resigned: radar-west. It has been told"),
             err_);
    QVERIFY2(out_.contains("5 of 6 federates of air-traffic have resigned: "), out_);
    QTRY_COMPARE_WITH_TIMEOUT(joined(), 1, longMs);
    QCOMPARE(owner.state(), QProcess::Running);
    QVERIFY(::kill(radar, SIGCONT) == 0);
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, longMs);
    shown_ += owner.readAllStandardOutput();
    QVERIFY2(owner.exitCode() == 0 && !shown_.contains("died"), shown_);
  }

  void ofNoRunToo() {
    const QString node = QStringLiteral("resign-%1").arg(::getpid());
    QProcess pong;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TUTTI_RTI", "shm:" + node);
    environment.insert("XDG_STATE_HOME", folder_->filePath("state"));
    pong.setProcessEnvironment(environment);
    pong.setProcessChannelMode(QProcess::MergedChannels);
    pong.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/components/pong/pong"),
               {"--federate", "pong", "--federation", "far", "--fom",
                QStringLiteral(TUTTI_SOURCE_DIR "/resources/components/ping/PingPong.xml")});
    QByteArray said;
    QTRY_VERIFY2_WITH_TIMEOUT((said += pong.readAll()).contains("pong: ready"), said, longMs);
    const QStringList there{"--rti", "shm:" + node};
    QCOMPARE(call(QStringList{"resign", "far", "nobody"} + there), 2);
    QVERIFY2(err_.contains("'nobody' is not joined to 'far'"), err_);
    QCOMPARE(call(QStringList{"resign", "far", "--action", "Whatever"} + there), 2);
    QVERIFY2(err_.contains("--action is one of UnconditionallyDivestAttributes, "), err_);
    QCOMPARE(
        call(QStringList{"resign", "far", "--action", "delete-objects", "--timeout", "60"} + there),
        0);
    QCOMPARE(out_, "1 of 1 federates of far has resigned: pong\n");
    QTRY_COMPARE_WITH_TIMEOUT(pong.state(), QProcess::NotRunning, longMs);
    QCOMPARE(call(QStringList{"resign", "far"} + there), 2);
  }

 private:
  bool start(QProcess& owner) {
    owner.setProcessChannelMode(QProcess::MergedChannels);
    tutti_->begin(owner, {"run",
                          QStringLiteral(TUTTI_SOURCE_DIR
                                         "/resources/federations/air-traffic.federation.json"),
                          "--duration", "600"});
    if (!QTest::qWaitFor([&] { return says(owner, "running  6 of 6"); }, longMs)) {
      qWarning("%s", shown_.constData());
      return false;
    }
    run_ = tutti_->id();
    return !run_.isEmpty();
  }
  bool says(QProcess& owner, const QByteArray& text) {
    shown_ += owner.readAllStandardOutput();
    return shown_.contains(text);
  }
  int call(const QStringList& arguments) {
    QProcess process;
    tutti_->begin(process, arguments);
    if (!process.waitForFinished(longMs * 2)) return -1;
    out_ = process.readAllStandardOutput();
    err_ = process.readAllStandardError();
    return process.exitCode();
  }
  static QStringList namesOf(const QJsonValue& list) {
    QStringList names;
    for (const auto& one : list.toArray()) names << one.toString();
    names.sort();
    return names;
  }
  std::optional<fabric::FederationStatus> federation() const {
    const auto plan = QJsonDocument::fromJson(
        content(tutti_->run()["folder"].toString() + "/plan.json"))["launch"];
    auto client = observe::NodeClient::connect(plan["node"].toString().toStdString());
    if (!client) return {};
    const auto status = client->status();
    if (!status || status->federations.size() != 1) return {};
    return status->federations.front();
  }
  static bool isJoined(const fabric::FederateStatus& one) {
    return one.state == static_cast<std::uint32_t>(fabric::FederateState::Joined);
  }
  int joined() const {
    const auto all = federation();
    if (!all) return 0;
    return static_cast<int>(std::count_if(all->federates.begin(), all->federates.end(), &isJoined));
  }
  pid_t processOf(const std::string& name) const {
    const auto all = federation();
    if (!all) return 0;
    for (const auto& one : all->federates) {
      if (one.name == name && isJoined(one)) return one.pid;
    }
    return 0;
  }
  static QByteArray content(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<test::TuttiCall> tutti_;
  QString run_;
  QByteArray shown_;
  QByteArray out_;
  QByteArray err_;
};

QTEST_GUILESS_MAIN(TestCliResign)
#include "tst_cli_resign.moc"
