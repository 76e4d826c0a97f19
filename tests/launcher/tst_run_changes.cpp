// SPDX-License-Identifier: GPL-3.0-or-later
// Federates that come to a running federation, and leave it: with real federates, commanded by
// several clients.
#include <signal.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "launcher/engine/run_record.h"
#include "observe/observer.h"
#include "tests/launcher/supervisor_client.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti;
using namespace tutti::launcher;
using test::alive;

namespace {

constexpr int longMs = 60000;

QJsonObject sample() {
  QFile file(QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json"));
  return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object()
                                        : QJsonObject();
}

}  // namespace

class TestRunChanges : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(folder_->isValid());
    tutti_ = std::make_unique<test::TuttiCall>(folder_->filePath("state"));
    observer_.reset();
    watched_.clear();
  }
  void cleanup() {
    // Whatever a test that failed has left.
    observer_.reset();
    if (tutti_->isGoing()) tutti_->call({"stop", tutti_->id()});
    QTRY_VERIFY_WITH_TIMEOUT(!tutti_->isGoing(), longMs);
  }

  void oneThatIsAddedJoinsAndIsReceived() {
    QProcess owner;
    QVERIFY(start(owner, {"detector"}));
    QProcess watcher;
    tutti_->begin(watcher, {"attach", run_, "--json"});
    QVERIFY(watcher.waitForReadyRead(longMs));
    QTRY_VERIFY_WITH_TIMEOUT(federate("detector") != nullptr && live("detector"), longMs);
    QCOMPARE(federate("detector")->counters.reflectionsReceived, 0u);
    compose({"detector", "flow-north"});
    QCOMPARE(call({"start", run_, "flow-north"}), 0);
    QVERIFY2(out_.startsWith("flow-north: "), out_);
    QTRY_VERIFY_WITH_TIMEOUT(live("flow-north"), longMs);
    // In the federation of the run: what it sends comes to one that was there before.
    QTRY_VERIFY_WITH_TIMEOUT(federate("detector")->counters.reflectionsReceived > 0, longMs);
    // Whoever follows the run hears of it, sooner or later.
    QTRY_VERIFY2_WITH_TIMEOUT(hasSaid(watcher, "\"event\":\"added\""), watched_, longMs);
    QVERIFY2(tutti_->call({"attach", run_, "flow-south"}).contains("no federate or group"), "");
    QProcess later;
    tutti_->begin(later, {"attach", run_, "flow-north"});
    QByteArray shown;
    QTRY_VERIFY2_WITH_TIMEOUT(
        (shown += later.readAllStandardOutput()).contains("flow-north * started as process"), shown,
        longMs);
    later.terminate();
    QVERIFY(later.waitForFinished(longMs));
    // Its owner has it as one of its own: it is stopped, started, and ends with the run.
    QCOMPARE(call({"stop", run_, "flow-north"}), 0);
    QTRY_VERIFY_WITH_TIMEOUT(!live("flow-north"), longMs);
    QCOMPARE(call({"start", run_, "flow-north"}), 0);
    QTRY_VERIFY_WITH_TIMEOUT(live("flow-north"), longMs);
    QCOMPARE(call({"stop", run_}), 0);
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, longMs);
    const QByteArray said = owner.readAll();
    QVERIFY2(said.contains("flow-north was added to the run"), said);
    QCOMPARE(owner.exitCode(), 0);
    const auto record = RunRecord::read(runFolder() + "/record.json");
    QVERIFY(record.has_value());
    QCOMPARE(record->changes.size(), 1u);
    QCOMPARE(record->changes.front().federate, "flow-north");
    QVERIFY(record->changes.front().kind == RunChange::Kind::Added);
    QVERIFY(record->changes.front().time >= record->started);
    QCOMPARE(std::count_if(record->processes.begin(), record->processes.end(),
                           [](const auto& one) { return one.id == "flow-north"; }),
             1);
    QTRY_COMPARE_WITH_TIMEOUT(watcher.state(), QProcess::NotRunning, longMs);
  }

  /// The record of the run is one of all that came to it: their files have check sums, and they are
  /// started again.
  void whatWasAddedIsRunAgain() {
    QProcess owner;
    QVERIFY(start(owner, {"detector", "radar-west"}));
    compose({"detector", "radar-west", "flow-north"});
    QCOMPARE(call({"start", run_, "flow-north"}), 0);
    QTRY_VERIFY_WITH_TIMEOUT(live("flow-north"), longMs);
    QTRY_COMPARE_WITH_TIMEOUT(tutti_->run()["federates"].toInt(), 3, longMs);
    QCOMPARE(call({"stop", run_, "radar-west", "--remove"}), 0);
    QTRY_COMPARE_WITH_TIMEOUT(tutti_->run()["federates"].toInt(), 2, longMs);
    endInOrder(owner);
    const auto record = RunRecord::read(runFolder() + "/record.json");
    QVERIFY(record.has_value());
    const auto used = [&](const QString& program) {
      QStringList users;
      for (const auto& file : record->files) {
        if (file.role == RecordedFile::Role::Executable && file.path.endsWith('/' + program))
          users += file.sha256.size() == 64 ? file.processes : QStringList{"no check sum"};
      }
      return users;
    };
    QCOMPARE(used("aircraft-flow"), QStringList{"flow-north"});
    QCOMPARE(used("conflict-detector"), QStringList{"detector"});
    QCOMPARE(used("radar"), QStringList());
    QCOMPARE(call({"rerun", run_, "--changes"}), 0);
    QVERIFY2(out_.contains("flow-north was added to the run") &&
                 out_.contains("radar-west was removed from the run") &&
                 out_.contains("Nothing has changed since"),
             out_);
    QProcess again;
    tutti_->begin(again, {"rerun", run_, "--duration", "600"});
    QByteArray shown;
    QTRY_VERIFY2_WITH_TIMEOUT((shown += again.readAllStandardOutput()).contains("running  2 of 2"),
                              shown + again.readAllStandardError(), longMs);
    run_ = tutti_->id();
    observer_.reset();
    QTRY_VERIFY_WITH_TIMEOUT(live("flow-north") && live("detector"), longMs);
    QCOMPARE(membersCalled("radar-west"), 0);
    endInOrder(again);
  }

  void whatCannotBeAddedIsSaid() {
    QProcess owner;
    QVERIFY(start(owner, {"detector"}));
    compose({"detector", "log"});
    QCOMPARE(call({"start", run_, "radar-west"}), 2);
    QVERIFY2(err_.contains("no federate or group \"radar-west\"; it has detector") &&
                 err_.contains("what it has and the run has not: log"),
             err_);
    compose({"detector", "log"}, {{"log", QJsonObject{{"host", "elsewhere"}}}});
    QCOMPARE(call({"start", run_, "log"}), 1);
    QVERIFY2(err_.contains("log is placed on elsewhere, which is no host of the run: it uses this "
                           "machine") &&
                 err_.contains("Nothing was started"),
             err_);
    compose({"detector", "log"}, {{"log", QJsonObject{{"component", "nowhere"}}}});
    QCOMPARE(call({"start", run_, "log"}), 1);
    QVERIFY2(err_.contains("nowhere"), err_);
    QCOMPARE(owner.state(), QProcess::Running);
    QVERIFY(live("detector"));
    endInOrder(owner);
  }

  /// Two clients add the same one at the same time: it is there once.
  void oneIsAddedTwice() {
    QProcess owner;
    QVERIFY(start(owner, {"detector"}));
    compose({"detector", "flow-north"});
    QProcess one;
    QProcess other;
    tutti_->begin(one, {"start", run_, "flow-north"});
    tutti_->begin(other, {"start", run_, "flow-north"});
    QTRY_VERIFY_WITH_TIMEOUT(one.state() == QProcess::NotRunning, longMs);
    QTRY_VERIFY_WITH_TIMEOUT(other.state() == QProcess::NotRunning, longMs);
    QVERIFY(one.exitCode() == 0 || other.exitCode() == 0);
    QTRY_VERIFY_WITH_TIMEOUT(live("flow-north"), longMs);
    QCOMPARE(membersCalled("flow-north"), 1);
    // It is there now, so that there is nothing left to do.
    QCOMPARE(call({"start", run_, "flow-north"}), 0);
    QCOMPARE(membersCalled("flow-north"), 1);
    QCOMPARE(owner.state(), QProcess::Running);
    endInOrder(owner);
  }

  /// Whoever adds one is killed meanwhile: it is in the run, or it is not, and can be added.
  void whoAddsIsKilled() {
    QProcess owner;
    QVERIFY(start(owner, {"detector"}));
    compose({"detector", "flow-north"});
    for (const int afterMs : {5, 20, 40, 60, 90, 150}) {
      QProcess adder;
      tutti_->begin(adder, {"start", run_, "flow-north"});
      adder.waitForFinished(afterMs);
      adder.kill();
      QTRY_COMPARE_WITH_TIMEOUT(adder.state(), QProcess::NotRunning, longMs);
      QCOMPARE(owner.state(), QProcess::Running);
      QCOMPARE(call({"start", run_, "flow-north"}), 0);
      QTRY_VERIFY_WITH_TIMEOUT(live("flow-north"), longMs);
      QCOMPARE(membersCalled("flow-north"), 1);
      QCOMPARE(call({"stop", run_, "flow-north", "--remove"}), 0);
      QTRY_VERIFY_WITH_TIMEOUT(!live("flow-north"), longMs);
    }
    endInOrder(owner);
  }

  /// The one that is added is killed while it starts; its policy starts it again.
  void oneIsKilledWhileItIsAdded() {
    QProcess owner;
    QVERIFY(start(owner, {"detector"}));
    compose({"detector", "flow-north"}, {{"flow-north", restarting("on-failure")}});
    QCOMPARE(call({"start", run_, "flow-north", "--json"}), 0);
    const pid_t pid = pidIn(out_, "flow-north");
    QVERIFY(pid > 0);
    QCOMPARE(::kill(pid, SIGKILL), 0);
    QTRY_VERIFY_WITH_TIMEOUT(live("flow-north") && pidOf("flow-north") != pid, longMs);
    QCOMPARE(owner.state(), QProcess::Running);
    QCOMPARE(call({"stop", run_}), 0);
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, longMs);
    // A death is one, though it was started again.
    QCOMPARE(owner.exitCode(), 1);
  }

  void oneThatIsRemovedDoesNotComeBack_data() {
    QTest::addColumn<bool>("added");
    QTest::newRow("one of the beginning") << false;
    QTest::newRow("one that was added") << true;
  }
  void oneThatIsRemovedDoesNotComeBack() {
    QFETCH(bool, added);
    QProcess owner;
    const Changes policy{{"flow-north", restarting("always")}};
    QVERIFY(start(owner, added ? QStringList{"detector"} : QStringList{"detector", "flow-north"},
                  policy));
    if (added) {
      compose({"detector", "flow-north"}, policy);
      QCOMPARE(call({"start", run_, "flow-north"}), 0);
    }
    QTRY_VERIFY_WITH_TIMEOUT(live("flow-north"), longMs);
    // As long as it is in the run its policy does bring it back.
    const pid_t first = pidOf("flow-north");
    QCOMPARE(::kill(first, SIGKILL), 0);
    QTRY_VERIFY_WITH_TIMEOUT(live("flow-north") && pidOf("flow-north") != first, longMs);
    const pid_t second = pidOf("flow-north");
    QCOMPARE(call({"stop", run_, "flow-north", "--remove"}), 0);
    QVERIFY2(out_.startsWith("flow-north: removed, "), out_);
    QTRY_VERIFY_WITH_TIMEOUT(!live("flow-north"), longMs);
    QVERIFY(!alive(second));
    // Who comes now does not find it; nobody starts it with all the others.
    QCOMPARE(call({"stop", run_, "flow-north"}), 2);
    QCOMPARE(call({"start", run_}), 0);
    QCOMPARE(out_, "detector: running\n");
    QVERIFY(!live("flow-north"));
    // Only as a new one.
    compose({"detector", "flow-north"}, policy);
    QCOMPARE(call({"start", run_, "flow-north"}), 0);
    QTRY_VERIFY_WITH_TIMEOUT(live("flow-north"), longMs);
    QCOMPARE(call({"stop", run_}), 0);
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, longMs);
    const auto record = RunRecord::read(runFolder() + "/record.json");
    QVERIFY(record.has_value());
    QStringList kinds;
    for (const auto& change : record->changes)
      kinds << (change.kind == RunChange::Kind::Added ? "added " : "removed ") + change.federate;
    QStringList expected{"removed flow-north", "added flow-north"};
    if (added) expected.prepend("added flow-north");
    QCOMPARE(kinds, expected);
  }

  /// Nobody has the run: one joins it all the same, and who takes it over later has it.
  void oneIsAddedToARunThatWasLeftAlone() {
    QProcess owner;
    QVERIFY(start(owner, {"detector"}, {}, {"--keep"}));
    QTRY_VERIFY_WITH_TIMEOUT(tutti_->isKept(), longMs);
    owner.kill();
    QVERIFY(owner.waitForFinished(longMs));
    QTRY_VERIFY_WITH_TIMEOUT(tutti_->isLeftAlone(), longMs);
    compose({"detector", "flow-north"});
    QCOMPARE(call({"start", run_, "flow-north"}), 0);
    QTRY_VERIFY_WITH_TIMEOUT(live("flow-north"), longMs);
    auto record = RunRecord::read(runFolder() + "/record.json");
    QVERIFY(record.has_value());
    QCOMPARE(record->changes.size(), 1u);
    QProcess next;
    tutti_->begin(next, {"attach", run_, "--own", "--json"});
    QByteArray shown;
    QTRY_VERIFY2_WITH_TIMEOUT((shown += next.readAllStandardOutput()).contains("\"attached\""),
                              shown, longMs);
    QVERIFY2(shown.contains("\"event\":\"added\""), shown);
    const pid_t pid = pidOf("flow-north");
    next.terminate();
    QVERIFY(next.waitForFinished(longMs));
    QTRY_VERIFY_WITH_TIMEOUT(!tutti_->isGoing(), longMs);
    QTRY_VERIFY_WITH_TIMEOUT(!alive(pid), longMs);
  }

  /// The supervisor dies while one is added: nothing of the run is left, the new one included.
  void theHomeDiesMeanwhile() {
    QProcess owner;
    QVERIFY(start(owner, {"detector"}));
    compose({"detector", "flow-north"});
    const pid_t supervisor = supervisorOf(run_);
    QVERIFY(supervisor > 0);
    QProcess adder;
    tutti_->begin(adder, {"start", run_, "flow-north"});
    QTRY_VERIFY_WITH_TIMEOUT(live("flow-north") || adder.state() == QProcess::NotRunning, longMs);
    const pid_t pid = pidOf("flow-north");
    QCOMPARE(::kill(supervisor, SIGKILL), 0);
    QTRY_COMPARE_WITH_TIMEOUT(adder.state(), QProcess::NotRunning, longMs);
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, longMs);
    QCOMPARE(owner.exitCode(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(!alive(pid), longMs);
    observer_.reset();
    QCOMPARE(call({"start", run_, "flow-north"}), 2);
  }

 private:
  using Changes = QHash<QString, QJsonObject>;

  static QJsonObject restarting(const QString& when) {
    return {{"restart", QJsonObject{{"when", when}, {"limit", 5}, {"backoff", 0.1}}}};
  }

  QString file() const { return folder_->filePath("air.federation.json"); }
  QString runFolder() const { return folder_->filePath("state/tutti/runs/" + run_); }

  /// Writes the composition with these federates of the sample.
  void compose(const QStringList& names, const Changes& changes = {}) const {
    auto document = sample();
    QJsonObject federates;
    for (const QString& name : names) {
      auto one = document["federates"].toObject()[name].toObject();
      const auto more = changes.value(name);
      for (auto key = more.begin(); key != more.end(); ++key) one[key.key()] = key.value();
      federates[name] = one;
    }
    document["federates"] = federates;
    QFile out(file());
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(QJsonDocument(document).toJson());
  }

  bool start(QProcess& owner, const QStringList& names, const Changes& changes = {},
             const QStringList& options = {}) {
    compose(names, changes);
    tutti_->begin(owner, QStringList{"run", file(), "--duration", "600"} + options);
    QByteArray shown;
    const QByteArray all = QStringLiteral("running  %1 of %1").arg(names.size()).toUtf8();
    const bool runs = QTest::qWaitFor(
        [&] {
          shown += owner.readAllStandardOutput();
          return shown.contains(all) || owner.state() == QProcess::NotRunning;
        },
        longMs);
    run_ = tutti_->id();
    if (!runs || !shown.contains(all)) qWarning("%s", shown.constData());
    return shown.contains(all);
  }

  void endInOrder(QProcess& owner) {
    QCOMPARE(call({"stop", run_}), 0);
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, longMs);
    QCOMPARE(owner.exitCode(), 0);
  }

  int call(const QStringList& arguments) {
    QProcess process;
    tutti_->begin(process, arguments);
    if (!process.waitForFinished(longMs)) return -1;
    out_ = process.readAllStandardOutput();
    err_ = process.readAllStandardError();
    return process.exitCode();
  }

  bool hasSaid(QProcess& process, const QByteArray& text) {
    return (watched_ += process.readAllStandardOutput()).contains(text);
  }

  /// What the RTI says of the federates of the run, itself asked.
  bool look() {
    if (!observer_) {
      auto connected = observe::Observer::connect("run-" + run_.toStdString());
      if (!connected) return false;
      observer_ = std::make_unique<observe::Observer>(std::move(*connected));
    }
    if (!observer_->refresh()) return false;
    seen_ = observer_->sample();
    return !seen_.federations.empty();
  }
  const observe::FederateSample* federate(const std::string& name) {
    if (!look()) return nullptr;
    const observe::FederateSample* result = nullptr;
    for (const auto& one : seen_.federations.front().federates) {
      if (one.name == name && (result == nullptr || one.live)) result = &one;
    }
    return result;
  }
  bool live(const std::string& name) {
    const auto* one = federate(name);
    return one != nullptr && one->live;
  }
  pid_t pidOf(const std::string& name) {
    const auto* one = federate(name);
    return one == nullptr ? 0 : static_cast<pid_t>(one->pid);
  }
  int membersCalled(const std::string& name) {
    if (!look()) return 0;
    const auto& all = seen_.federations.front().federates;
    return static_cast<int>(std::count_if(
        all.begin(), all.end(), [&](const auto& one) { return one.live && one.name == name; }));
  }
  static pid_t pidIn(const QByteArray& printed, const QString& name) {
    for (const auto& value : QJsonDocument::fromJson(printed)["federates"].toArray()) {
      if (value.toObject()["name"] == name) return value.toObject()["pid"].toInt();
    }
    return 0;
  }

  static pid_t supervisorOf(const QString& run) {
    QProcess relay;
    relay.start(test::supervisorProgram, {"--attach", run});
    relay.write("{\"do\":\"attach\"}\n");
    if (!relay.waitForReadyRead(10000)) return 0;
    const auto hello = QJsonDocument::fromJson(relay.readLine()).object();
    relay.kill();
    relay.waitForFinished(10000);
    return hello["pid"].toInt();
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<test::TuttiCall> tutti_;
  std::unique_ptr<observe::Observer> observer_;
  observe::Snapshot seen_;
  QString run_;
  QByteArray out_;
  QByteArray err_;
  QByteArray watched_;
};

QTEST_GUILESS_MAIN(TestRunChanges)
#include "tst_run_changes.moc"
