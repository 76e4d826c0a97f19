// SPDX-License-Identifier: GPL-3.0-or-later
// `tutti attach --on HOST`: a run of another machine is found and followed from this one over a
// real sshd, through cuts and broken connections, and notices nothing of it.
#include <signal.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <memory>

#include "tests/launcher/lab.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using test::alive;
using test::Lab;

namespace {

constexpr int longestMs = 60000;
const QString program = QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti");

/// What `tutti attach --json` has printed of the machine's own supervisor, by the events' numbers.
struct Told {
  QMap<qint64, QJsonObject> events;
  int twice = 0;    ///< events that came again
  qint64 next = 0;  ///< from this one on all are told: before it only what processes wrote
  QList<bool> connections;

  explicit Told(const QByteArray& printed) {
    for (const QByteArray& line : printed.split('\n')) {
      const auto event = QJsonDocument::fromJson(line).object();
      if (event["event"] == "connection") connections << event["up"].toBool();
      if (event["event"] == "attached" && next == 0) next = event["next"].toInteger();
      const qint64 number = event["n"].toInteger();
      if (number == 0 || !event["host"].toString().isEmpty()) continue;
      twice += events.contains(number) ? 1 : 0;
      events[number] = event;
    }
  }
  /// Whether every event since it was attached is there once.
  bool isWhole() const {
    if (next == 0 || events.isEmpty() || twice > 0) return false;
    for (qint64 number = next; number <= events.lastKey(); ++number) {
      if (!events.contains(number)) return false;
    }
    return true;
  }
  QStringList linesOf(const QString& id) const {
    QStringList result;
    for (const auto& event : events) {
      if (event["event"] == "output" && event["id"] == id) result << event["line"].toString();
    }
    return result;
  }
};

}  // namespace

class TestHostsAttach : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    lab_ = std::make_unique<Lab>(2);
    QVERIFY2(lab_->isUp(), qPrintable(lab_->said()));
  }
  void cleanupTestCase() { lab_.reset(); }
  void init() {
    // The first of the lab has the run; nobody of this machine knows of it.
    file_ = lab_->sampleWith({});
    remote_ = std::make_unique<QProcess>();
    startOn(*remote_, 1, program + " run " + file_ + " --keep --duration 600");
    QTRY_VERIFY2_WITH_TIMEOUT(
        [&] {
          ran_ += remote_->readAllStandardOutput() + remote_->readAllStandardError();
          return ran_.contains("running  6 of 6");
        }(),
        ran_, longestMs);
    const auto runs = listed();
    QCOMPARE(runs.size(), 1);
    run_ = runs[0].toObject()["run"].toString();
  }
  void cleanup() {
    lab_->call({"mend", lab_->host(1)});
    lab_->ask(1, program + " stop " + run_);
    remote_.reset();
    ran_.clear();
    QTRY_VERIFY2_WITH_TIMEOUT(lab_->processes(1).isEmpty(), left(), 30000);
  }

  void itsRunsAreListed() {
    const auto run = listed()[0].toObject();
    QCOMPARE(run["on"].toString(), lab_->host(1));
    QCOMPARE(run["federation"].toString(), "air-traffic");
    QCOMPARE(run["federates"].toInt(), 6);
    QVERIFY(run["attended"].toBool() && run["kept"].toBool());
    QCOMPARE(attach({}), 0);
    QVERIFY2(out_.contains(run_.toUtf8() + "  air-traffic  6 federates, 1 host  attended"), out_);
    // The other one has none, and neither does this machine.
    QProcess other;
    start(other, {"attach", "--on", lab_->host(2), "--hosts", lab_->hostsFile()});
    QVERIFY(other.waitForFinished(longestMs));
    QCOMPARE(other.readAllStandardOutput(),
             "No run of this account is active on " + lab_->host(2).toUtf8() + ".\n");
    QCOMPARE(attach({"nobody"}), 2);
    QVERIFY2(err_.contains("There is no run \"nobody\" on " + lab_->host(1).toUtf8()), err_);
  }

  void stateAndLogAreComplete() {
    QProcess attached;
    QByteArray out;
    QVERIFY(follow(attached, out));
    const pid_t relay = theRelay();
    QVERIFY(alive(relay));
    // A death is seen, and the rest of what is written until the end.
    const auto logs = lab_->processes(1, "/traffic-log ");
    QVERIFY(!logs.isEmpty());
    QCOMPARE(::kill(logs.front(), SIGKILL), 0);
    QTRY_VERIFY_WITH_TIMEOUT((out += attached.readAllStandardOutput()).contains("\"signalled\""),
                             longestMs);
    lab_->ask(1, program + " stop " + run_);
    QVERIFY(attached.waitForFinished(longestMs));
    out += attached.readAllStandardOutput();
    QCOMPARE(attached.exitCode(), 1);  // one died
    const Told told(out);
    QVERIFY(told.isWhole());
    QCOMPARE(told.events.last()["event"].toString(), "ended");
    // Each line that the file there has was told, in its order.
    const QStringList lines = told.linesOf("detector");
    QVERIFY(!lines.isEmpty());
    QStringList written;
    const QByteArray file = lab_->ask(1, "cat ~/.local/state/tutti/runs/" + run_ + "/detector.log");
    for (const QByteArray& line : file.split('\n')) {
      const QList<QByteArray> words = line.split(' ');
      if (words.size() > 1 && (words[1] == "out" || words[1] == "err"))
        written << QString::fromUtf8(line.mid(words[0].size() + 5));
    }
    QCOMPARE(lines, written);
    QTRY_VERIFY(!alive(relay));
  }

  /// Ctrl+C leaves the run alone, and nothing of the relay there.
  void leavingLeavesNothing() {
    QProcess attached;
    QByteArray out;
    QVERIFY(follow(attached, out));
    const pid_t relay = theRelay();
    QCOMPARE(::kill(static_cast<pid_t>(attached.processId()), SIGINT), 0);
    QVERIFY(attached.waitForFinished(longestMs));
    QCOMPARE(attached.exitCode(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(!alive(relay), 10000);
    QCOMPARE(listed().size(), 1);
    QCOMPARE(remote_->state(), QProcess::Running);
    // The same when it is killed.
    QVERIFY(follow(attached, out));
    const pid_t next = theRelay();
    attached.kill();
    QVERIFY(attached.waitForFinished(longestMs));
    QTRY_VERIFY_WITH_TIMEOUT(!alive(next), 10000);
    QCOMPARE(remote_->state(), QProcess::Running);
  }

  void noLineIsLostOrToldTwice_data() {
    QTest::addColumn<QString>("how");
    QTest::newRow("the cable is out for some seconds") << "cut";
    QTest::newRow("the cable is out until the connection is given up") << "long cut";
    QTest::newRow("ssh is killed here") << "ssh";
    QTest::newRow("its sshd is killed there") << "sshd";
    QTest::newRow("the relay is killed there") << "relay";
  }
  void noLineIsLostOrToldTwice() {
    QFETCH(QString, how);
    QProcess attached;
    QByteArray out;
    QVERIFY(follow(attached, out));
    const pid_t relay = theRelay();
    const auto more = [&] { return out += attached.readAllStandardOutput(); };
    if (how.endsWith("cut")) {
      QVERIFY(lab_->call({"cut", lab_->host(1)}));
      // It is said that nothing is heard.
      QTRY_VERIFY_WITH_TIMEOUT(Told(more()).connections == QList<bool>{false}, longestMs);
      if (how == "long cut") {
        // Until its ssh is ended, as lost; those that come next get no connection.
        const auto before = sshOf(attached);
        QCOMPARE(before.size(), 1);
        QTRY_VERIFY_WITH_TIMEOUT(!alive(before.front()), longestMs);
      }
      QVERIFY(lab_->call({"mend", lab_->host(1)}));
    } else if (how == "ssh") {
      const auto ssh = sshOf(attached);
      QCOMPARE(ssh.size(), 1);
      QCOMPARE(::kill(ssh.front(), SIGKILL), 0);
    } else if (how == "sshd") {
      // Between them is the shell that found the program.
      QCOMPARE(::kill(Lab::parentOf(Lab::parentOf(relay)), SIGKILL), 0);
    } else {
      QCOMPARE(::kill(relay, SIGKILL), 0);
    }
    QTRY_VERIFY2_WITH_TIMEOUT((Told(more()).connections == QList<bool>{false, true}),
                              out.right(2000), longestMs);
    const qint64 then = Told(out).events.lastKey();
    QTRY_VERIFY_WITH_TIMEOUT(Told(more()).events.lastKey() > then + 5, longestMs);
    const Told told(out);
    QVERIFY2(told.isWhole(), qPrintable(QStringLiteral("%1 events of %2 to %3, %4 twice")
                                            .arg(told.events.size())
                                            .arg(told.events.firstKey())
                                            .arg(told.events.lastKey())
                                            .arg(told.twice)));
    if (how != "cut") QTRY_VERIFY_WITH_TIMEOUT(!alive(relay), longestMs);
    QCOMPARE(remote_->state(), QProcess::Running);
  }

  void theEndOfItsSupervisorIsSaid() {
    QProcess attached;
    QByteArray out;
    QVERIFY(follow(attached, out, false));
    const pid_t relay = theRelay();
    for (const pid_t pid : lab_->processes(1, "tutti-supervisor")) ::kill(pid, SIGKILL);
    QVERIFY(attached.waitForFinished(longestMs));
    const QByteArray err = attached.readAllStandardError();
    QCOMPARE(attached.exitCode(), 2);
    QVERIFY2(err.contains("The supervisor of " + run_.toUtf8() + " has ended"), err);
    QTRY_VERIFY_WITH_TIMEOUT(!alive(relay), 10000);
    QTRY_COMPARE_WITH_TIMEOUT(remote_->state(), QProcess::NotRunning, longestMs);
  }

  /// Neither is accepted, and a person is told what to compare.
  void aHostKeyIsNeverAcceptedUnasked_data() {
    QTest::addColumn<bool>("known");
    QTest::newRow("an unknown one") << false;
    QTest::newRow("another one than is known") << true;
  }
  void aHostKeyIsNeverAcceptedUnasked() {
    QFETCH(bool, known);
    const QString keys = lab_->root() + "/keys";
    QFile file(keys);
    QVERIFY(file.open(QIODevice::WriteOnly));
    if (known) {
      QFile all(lab_->folder() + "/known_hosts");
      QVERIFY(all.open(QIODevice::ReadOnly));
      // The key of the second host as that of the first.
      const auto lines = all.readAll().split('\n');
      file.write(lines[0].split(' ')[0] + lines[1].mid(lines[1].indexOf(' ')) + '\n');
    }
    file.close();
    QFile from(lab_->hostsFile());
    QFile to(lab_->root() + "/other.hosts.json");
    QVERIFY(from.open(QIODevice::ReadOnly) && to.open(QIODevice::WriteOnly));
    to.write(from.readAll().replace((lab_->folder() + "/known_hosts").toUtf8(), keys.toUtf8()));
    to.close();
    QProcess process;
    start(process, {"attach", "--on", lab_->host(1), "--hosts", to.fileName()});
    QVERIFY(process.waitForFinished(longestMs));
    QCOMPARE(process.exitCode(), 2);
    const QByteArray err = process.readAllStandardError();
    QProcess keygen;
    keygen.start("ssh-keygen", {"-lf", lab_->folder() + '/' + lab_->host(1) + ".key.pub"});
    QVERIFY(keygen.waitForFinished(longestMs));
    const QByteArray fingerprint = keygen.readAllStandardOutput().split(' ')[1];
    QVERIFY2(err.contains(fingerprint), err);
    QVERIFY2(err.contains(known ? "is another one than the known one" : "is not known here"), err);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(known || file.readAll().isEmpty());
  }

 private:
  void start(QProcess& process, const QStringList& arguments) const {
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_STATE_HOME", lab_->root() + "/state");
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
  }
  /// A command on a host that goes on.
  void startOn(QProcess& process, int host, const QString& command) const {
    QFile subnet(lab_->folder() + "/subnet");
    QVERIFY(subnet.open(QIODevice::ReadOnly));
    const QString address = subnet.readAll().trimmed() + '.' + QString::number(host);
    process.start("ssh", {"-T", "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-o",
                          "UserKnownHostsFile=" + lab_->folder() + "/known_hosts", "-i",
                          lab_->folder() + "/client_key", address, "exec " + command});
    QVERIFY(process.waitForStarted());
  }
  int attach(const QStringList& words) {
    QProcess process;
    start(process,
          QStringList{"attach", "--on", lab_->host(1), "--hosts", lab_->hostsFile()} + words);
    if (!process.waitForFinished(longestMs)) return -1;
    out_ = process.readAllStandardOutput();
    err_ = process.readAllStandardError();
    return process.exitCode();
  }
  QJsonArray listed() {
    if (attach({"--json"}) != 0) qWarning("%s", err_.constData());
    return QJsonDocument::fromJson(out_).array();
  }
  /// Follows the run; true once what was before it came is told.
  bool follow(QProcess& process, QByteArray& out, bool json = true) const {
    QStringList arguments{"attach", "--on", lab_->host(1), "--hosts", lab_->hostsFile(), run_};
    if (json) arguments << "--json";
    start(process, arguments);
    out.clear();
    const QByteArray sign = json ? "\"event\":\"attached\"" : "detector";
    return QTest::qWaitFor([&] { return (out += process.readAllStandardOutput()).contains(sign); },
                           longestMs);
  }
  pid_t theRelay() const {
    const auto all = lab_->processes(1, "tutti relay ");
    return all.isEmpty() ? 0 : all.front();
  }
  static QList<pid_t> sshOf(const QProcess& process) {
    QList<pid_t> result;
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
      const pid_t pid = name.toInt();
      if (pid > 0 && Lab::parentOf(pid) == process.processId() &&
          Lab::commandOf(pid).contains("ssh -C "))
        result << pid;
    }
    return result;
  }
  QByteArray left() const {
    QByteArray result;
    for (const pid_t pid : lab_->processes(1)) result += Lab::commandOf(pid) + '\n';
    return result;
  }

  std::unique_ptr<Lab> lab_;
  std::unique_ptr<QProcess> remote_;
  QByteArray ran_;
  QString file_;
  QString run_;
  QByteArray out_;
  QByteArray err_;
};

QTEST_GUILESS_MAIN(TestHostsAttach)
#include "tst_hosts_attach.moc"
