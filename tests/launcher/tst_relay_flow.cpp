// SPDX-License-Identifier: GPL-3.0-or-later
// A relay whose reader is slower than what a run's federates write: it takes no more from the
// supervisors than it can pass on, and goes on where it was with one that has dropped it for that.
// `ssh` is a script that executes here.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDeadlineTimer>
#include <QLocalSocket>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include "launcher/engine/kept_runs.h"
#include "launcher/engine/run_relay.h"
#include "launcher/engine/supervisor/event_history.h"
#include "launcher/engine/supervisor/run_socket.h"
#include "tests/launcher/fake_ssh.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using test::SupervisorClient;

namespace {

constexpr int longestMs = 60000;
/// What a slow reader may cost, however much is written: what waits in the relay, and twice over.
constexpr qsizetype mostBytes = 3 * 1024 * 1024;

/// Below what a supervisor tells of one process at once, and below what it calls a line.
constexpr int linesEach = 400;
constexpr int lineBytes = 15000;

/// A run that nobody attends, whose processes "a0", "a1" ... write linesEach lines when they are
/// told to.
class Writer {
 public:
  explicit Writer(int processes) : processes_(processes) {
    const QString script = "until [ -e '" + folder_.filePath("go") +
                           "' ]; do sleep 0.05; done; exec seq -f '%08.0f-" +
                           QString(lineBytes, 'x') + "' 1 " + QString::number(linesEach);
    QJsonArray planned{SupervisorClient::planned("b", {"sleep"})};
    for (int at = 0; at < processes; ++at)
      planned << QJsonObject{{"id", "a" + QString::number(at)},
                             {"command", QJsonArray{"/bin/sh", "-c", script}}};
    client_.sendPlan(planned);
    supervisor_ = client_.worker();
    client_.send({{"do", "keep"}, {"on", true}, {"folder", folder_.path()}});
    if (client_.waitFor("kept").isEmpty()) qFatal("it is not kept");
    // An owner that reads too slowly would have lines left out.
    client_.process.closeWriteChannel();
    socket_.setSocketOptions(QLocalSocket::AbstractNamespaceOption);
    socket_.connectToServer(QString::fromStdString(runSocketName(name().toStdString())));
    socket_.waitForConnected(longestMs);
    socket_.write("{\"do\":\"attach\",\"output\":false}\n");
  }
  ~Writer() {
    if (supervisor_ > 0) ::kill(supervisor_, SIGTERM);
  }

  QString name() const { return client_.runName(); }
  void begin() const { QFile(folder_.filePath("go")).open(QIODevice::WriteOnly); }
  /// Events about the processes, and about who reads too slowly.
  bool hears(const QByteArray& event, int times = 1) {
    return QTest::qWaitFor(
        [&] {
          heard_ += socket_.readAll();
          return heard_.count("\"event\":\"" + event + '"') >= times;
        },
        longestMs);
  }
  /// Number of the newest event that is about no output.
  qint64 lastEvent() {
    heard_ += socket_.readAll();
    const qsizetype at = heard_.lastIndexOf("\"n\":");
    return heard_.mid(at + 4, heard_.indexOf(',', at) - at - 4).toLongLong();
  }
  bool hearsTheirEnd() { return hears("exited", processes_); }
  /// What "a0" writes, as Reader has it.
  static QStringList lines() {
    QStringList result;
    for (int at = 1; at <= linesEach; ++at)
      result << "a0 " + QString::number(at).rightJustified(8, QLatin1Char('0'));
    return result;
  }

  /// It has a host as well, whose supervisor is this one, through ssh.
  LaunchPlan plan() const {
    LaunchPlan plan;
    plan.run = name();
    plan.federation = "test";
    plan.node = "run-" + name();
    plan.folder = folder_.path();
    plan.plan.run = name().toStdString();
    PlannedHost host;
    host.host.name = host.host.destination = "h2";
    host.node = host.nodeProcess = "node-h2";
    host.folder = folder_.path();
    host.supervisor = test::supervisorProgram;
    plan.hosts = {host};
    for (const char* id : {"a0", "b", "node-h2"}) {
      PlannedProcess process;
      process.id = id;
      process.command = {"/bin/true"};
      plan.plan.processes.push_back(process);
    }
    PlannedFederate federate;
    federate.name = federate.federate = "a0";
    plan.federates = {federate};
    return plan;
  }

 private:
  int processes_;
  QTemporaryDir folder_;
  SupervisorClient client_;
  pid_t supervisor_ = 0;
  QLocalSocket socket_;
  QByteArray heard_;
};

/// What a relay has said of a part, read a little at a time.
class Reader {
 public:
  Reader(int out, QString part) : out_(out), part_(std::move(part)) {}

  /// Takes at most so many bytes; false at the end.
  bool take(qsizetype most = 4096) {
    QByteArray chunk(most, Qt::Uninitialized);
    const auto got = ::read(out_, chunk.data(), static_cast<std::size_t>(most));
    if (got == 0) return false;
    if (got < 0) return true;
    buffer_ += chunk.left(got);
    qsizetype begin = 0;
    for (qsizetype end; (end = buffer_.indexOf('\n', begin)) >= 0; begin = end + 1)
      note(QJsonDocument::fromJson(buffer_.mid(begin, end - begin)).object());
    buffer_.remove(0, begin);
    return true;
  }

  qint64 last() const { return last_; }

  QStringList lines;  ///< "a0 00000001"
  int twice = 0;      ///< events that came again
  int jumps = 0;      ///< between numbers of events, unless it was said that they are missed
  qint64 missed = 0;  ///< events
  int attached = 0;   ///< times
  int ended = 0;      ///< processes
  bool partEnded = false;

 private:
  void note(const QJsonObject& frame) {
    if (frame.contains("ended") || frame.contains("failed")) partEnded = true;
    if (frame["part"].toString() != part_) return;
    const auto event = frame["event"].toObject();
    const QString kind = event["event"].toString();
    if (kind == "hello") replays_ = true;
    if (kind == "attached") {
      ++attached;
      replays_ = false;
    }
    if (kind == "attached" && event.contains("next")) {
      // From here on it is told all; before, lines only.
      last_ = std::max(last_, event["next"].toInteger() - 1);
    }
    if (kind == "missed") {
      missed += event["to"].toInteger() - event["from"].toInteger() + 1;
      last_ = std::max(last_, event["to"].toInteger());
    }
    if (kind == "exited") ++ended;
    if (const qint64 number = event["n"].toInteger(); number > 0) {
      if (number <= last_)
        ++twice;
      else if (number != last_ + 1 && !replays_)
        ++jumps;
      last_ = std::max(last_, number);
    }
    if (kind == "output") lines << event["id"].toString() + ' ' + event["line"].toString().left(8);
  }

  int out_;
  QString part_;
  QByteArray buffer_;
  qint64 last_ = 0;
  bool replays_ = false;  ///< Of what was before it came it is told lines only, then the state.
};

/// Bytes; VmRSS or VmHWM.
qsizetype memoryOf(qint64 pid, const QByteArray& what) {
  QFile status(QStringLiteral("/proc/%1/status").arg(pid));
  if (!status.open(QIODevice::ReadOnly)) return 0;
  for (const QByteArray& line : status.readAll().split('\n'))
    if (line.startsWith(what + ':')) return line.simplified().split(' ')[1].toLongLong() * 1024;
  return 0;
}

}  // namespace

class TestRelayFlow : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    test::makeFakeSsh(folder_.filePath("bin"));
    qputenv("XDG_STATE_HOME", folder_.filePath("state").toUtf8());
  }

  void aSlowReaderGetsAll_data() { parts(); }
  /// All of it is kept by the supervisor: nothing is missed.
  void aSlowReaderGetsAll() {
    QFETCH(QString, part);
    Writer run(1);
    int in[2];
    int out[2];
    QVERIFY(::pipe2(in, O_CLOEXEC) == 0 && ::pipe2(out, O_CLOEXEC | O_NONBLOCK) == 0);
    auto relay = std::make_unique<RunRelay>(run.plan(), in[0], out[1]);
    QSignalSpy over(relay.get(), &RunRelay::over);
    Reader reader(out[0], part);
    tell(in[1], {{"do", "attach"}, {"part", part}, {"after", 0}});
    QTRY_VERIFY_WITH_TIMEOUT(reader.take() && reader.attached == 1, longestMs);
    run.begin();
    QTimer alive;
    connect(&alive, &QTimer::timeout, this, [&] { tell(in[1], {{"do", "alive"}}); });
    alive.start(500);
    // Nobody reads meanwhile.
    QVERIFY(run.hearsTheirEnd());
    QTRY_VERIFY_WITH_TIMEOUT(relay->isHolding(), longestMs);
    QVERIFY2(relay->waiting() < mostBytes, qPrintable(QString::number(relay->waiting())));
    qsizetype most = 0;
    QVERIFY(readUntil(reader, 4096, [&] {
      most = std::max(most, relay->waiting());
      return over.count() > 0 || reader.ended == 1;
    }));
    QCOMPARE(over.count(), 0);
    QCOMPARE(reader.lines, Writer::lines());
    QCOMPARE(reader.twice + reader.jumps, 0);
    QCOMPARE(reader.missed, 0);
    QCOMPARE(reader.attached, 1);
    QVERIFY2(most < mostBytes, qPrintable(QString::number(most)));
    alive.stop();
    relay.reset();
    for (const int each : {in[0], in[1], out[0], out[1]}) ::close(each);
  }

  void whatIsKeptNoLongerIsMissed_data() { parts(); }
  /// The supervisor drops who does not read 8 MiB; the program goes on after that by itself.
  void whatIsKeptNoLongerIsMissed() {
    QFETCH(QString, part);
    // Several times what a supervisor keeps, and what a relay once ended at.
    Writer run(9);
    const auto plan = run.plan();
    const QString runs = QDir(runsFolder()).filePath(plan.run);
    QVERIFY(QDir().mkpath(runs));
    QFile file(runs + "/plan.json");
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(plan.toBytes());
    file.close();
    const QString fifo = folder_.filePath("out" + plan.run);
    QVERIFY(::mkfifo(fifo.toUtf8().constData(), 0600) == 0);
    const int out = ::open(fifo.toUtf8().constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    QProcess relay;
    relay.setStandardOutputFile(fifo);
    relay.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"), {"relay", plan.run});
    QVERIFY(relay.waitForStarted());
    Reader reader(out, part);
    relay.write(line({{"do", "attach"}, {"part", part}, {"after", 0}}));
    QTRY_VERIFY_WITH_TIMEOUT(reader.take() && reader.attached == 1, longestMs);
    const qsizetype before = memoryOf(relay.processId(), "VmHWM");
    QVERIFY(before > 0);
    run.begin();
    QTimer alive;
    connect(&alive, &QTimer::timeout, this, [&] { relay.write(line({{"do", "alive"}})); });
    alive.start(500);
    QVERIFY2(run.hears("client_dropped"), "the limit was never reached");
    QVERIFY(run.hearsTheirEnd());
    QCOMPARE(relay.state(), QProcess::Running);
    QVERIFY(readUntil(reader, 4096, [&] { return reader.partEnded || reader.attached == 2; }));
    // The end of all of them has been told, by whichever event.
    QVERIFY(readUntil(reader, 4096, [&] { return reader.last() >= run.lastEvent(); }));
    QCOMPARE(relay.state(), QProcess::Running);
    QVERIFY(!reader.partEnded);
    QCOMPARE(reader.twice + reader.jumps, 0);
    QVERIFY(reader.missed > 0);
    QCOMPARE(reader.lines.size(),
             qsizetype(std::set(reader.lines.begin(), reader.lines.end()).size()));
    QVERIFY2(reader.lines.size() * lineBytes > qint64(EventHistory::mostBytes) * 9 / 10,
             qPrintable(QString::number(reader.lines.size())));
    const qsizetype grown = memoryOf(relay.processId(), "VmHWM") - before;
    qInfo("the relay's memory grew by %lld KiB", static_cast<long long>(grown / 1024));
    QVERIFY2(grown < 2 * mostBytes, qPrintable(QString::number(grown)));
    alive.stop();
    relay.closeWriteChannel();
    QVERIFY(relay.waitForFinished(longestMs));
    ::close(out);
  }

 private:
  static void parts() {
    QTest::addColumn<QString>("part");
    QTest::newRow("of its machine") << "";
    QTest::newRow("of another host") << "h2";
  }
  /// A little at a time, as the loop has nothing else to do.
  static bool readUntil(Reader& reader, qsizetype most, const std::function<bool()>& done) {
    const QDeadlineTimer limit(longestMs);
    while (!done()) {
      if (limit.hasExpired() || !reader.take(most)) return false;
      QCoreApplication::processEvents();
    }
    return true;
  }
  static QByteArray line(const QJsonObject& command) {
    return QJsonDocument(command).toJson(QJsonDocument::Compact) + '\n';
  }
  static void tell(int in, const QJsonObject& command) {
    const QByteArray text = line(command);
    if (::write(in, text.constData(), static_cast<std::size_t>(text.size())) != text.size())
      qWarning("the relay does not read");
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestRelayFlow)
#include "tst_relay_flow.moc"
