// SPDX-License-Identifier: GPL-3.0-or-later
// A run with a host at a slow line: 100 ms each way and 1 Mbit/s. It starts, says what it does and
// what it uses, ends in order, and its logs are whole; nobody takes the host for lost.
#include <QCryptographicHash>
#include <QDir>
#include <QTest>
#include <memory>

#include "launcher/engine/host_check.h"
#include "launcher/engine/plan_folder.h"
#include "launcher/engine/run.h"
#include "launcher/engine/run_recording.h"
#include "network.h"
#include "tests/launcher/lab_plans.h"

using namespace tutti::launcher;
using test::endMs;
using test::Lab;

namespace {

constexpr int slowMs = 120000;  ///< for what needs the line of a machine that does other work too

/// The cable of a host of a lab with a delay each way, for kernels without netem: its end here
/// becomes a port of a bridge of its own, and frames go from that to the bridge of the lab later.
class LongCable {
 public:
  LongCable(const Lab& lab, int host, std::chrono::milliseconds delay)
      : name_(lab.host(host)), lab_("tutti-" + lab.host(host).chopped(1)) {
    std::vector<tutti::test::Relay::Ends> ends(1);
    ends[0].host = tutti::test::tap(("th-" + name_).toUtf8());
    ends[0].bridge = tutti::test::tap(("tb-" + name_).toUtf8());
    isUp_ = ip({"link", "add", "br-" + name_, "type", "bridge", "mcast_snooping", "0"}) &&
            ip({"link", "set", "tb-" + name_, "master", lab_, "up"}) &&
            ip({"link", "set", "th-" + name_, "master", "br-" + name_, "up"}) &&
            ip({"link", "set", "tl-" + name_, "master", "br-" + name_}) &&
            ip({"link", "set", "br-" + name_, "up"});
    relay_ = std::make_unique<tutti::test::Relay>(std::move(ends), tutti::test::Cable{delay, 0}, 1);
  }
  ~LongCable() { ip({"link", "del", "br-" + name_}); }
  bool isUp() const { return isUp_; }

 private:
  static bool ip(const QStringList& words) { return QProcess::execute("ip", words) == 0; }

  QString name_;
  QString lab_;
  bool isUp_ = false;
  std::unique_ptr<tutti::test::Relay> relay_;
};

}  // namespace

class TestHostsSlow : public QObject {
  Q_OBJECT

 private slots:
  void aSlowLineIsNoFault() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    qputenv("XDG_STATE_HOME", (lab.root() + "/state").toUtf8());
    const LongCable cable(lab, 1, std::chrono::milliseconds(100));
    QVERIFY(cable.isUp());
    QVERIFY(lab.call({"slow", lab.host(1), "1"}));
    qint64 tripMs = 0;
    const auto answers = [&] {
      QElapsedTimer trip;
      trip.start();
      const bool right = lab.ask(1, "hostname").trimmed() == lab.host(1).toUtf8();
      tripMs = trip.elapsed();
      return right;
    };
    QTRY_VERIFY_WITH_TIMEOUT(answers(), endMs);
    QVERIFY2(tripMs > 600, "an ssh connection has more than three round trips");

    const QString folder = test::planOn(lab);
    QVERIFY(!folder.isEmpty());
    const auto read = readPlanFolder(folder);
    QVERIFY2(read, qPrintable(read ? QString() : read.error().message()));
    LaunchPlan plan = read->plan.renewed(newRunIdentifier());
    // The line is what is slow here, and a machine that does other work is not looked at.
    for (auto& process : plan.plan.processes) process.ready.timeoutSeconds = slowMs / 1000.0;
    const auto prepared = prepareHosts(plan, true, {});
    for (const auto& check : prepared.checks)
      QVERIFY2(check.level != PreflightCheck::Level::Error, qPrintable(check.title));
    Run run(plan);
    RunRecording recording(run);
    int samples = 0;
    QStringList lost;
    connect(&run, &Run::eventArrived, this, [&](const QString& host, const QJsonObject& event) {
      samples += host == lab.host(1) && event["event"] == "sample" ? 1 : 0;
    });
    connect(&run, &Run::hostChanged, this, [&](const QString& name) {
      for (const HostStatus& one : run.hosts()) {
        if (one.name == name && one.state == HostStatus::State::Lost) lost << name;
      }
    });
    run.wantSamples();
    run.start();
    QTRY_VERIFY2_WITH_TIMEOUT(run.phase() == Run::Phase::Running || run.isOver(), troubles(run),
                              slowMs);
    QVERIFY2(run.phase() == Run::Phase::Running, troubles(run));
    const auto written = run.lines("radar-west").size();
    QTRY_VERIFY_WITH_TIMEOUT(samples > 5, slowMs);
    QTRY_VERIFY2_WITH_TIMEOUT(run.lines("radar-west").size() > written, troubles(run), slowMs);
    const QString west = QDir(run.plan().host(lab.host(1))->folder).filePath("radar-west.log");
    // Enough to need some seconds.
    QTRY_VERIFY_WITH_TIMEOUT(
        lab.ask(1, "head -c 300000 /dev/urandom | base64 >> " + west + "; echo done")
            .contains("done"),
        endMs);
    run.stop();
    QTRY_VERIFY2_WITH_TIMEOUT(run.isOver(), troubles(run), slowMs);
    QVERIFY2(run.troubles().empty() && run.deaths().empty(), troubles(run));
    QCOMPARE(lost, QStringList());
    QTRY_VERIFY_WITH_TIMEOUT(recording.isOver(), slowMs);
    QVERIFY2(recording.problem().isEmpty(), qPrintable(recording.problem()));
    for (const RecordedHost& host : recording.record().hosts)
      QVERIFY2(host.name.isEmpty() || host.logsFetched, qPrintable(host.logProblem));
    const QByteArray here = test::content(run.plan().folder + "/radar-west.log");
    QVERIFY(here.size() > 400000);
    QTRY_COMPARE_WITH_TIMEOUT(lab.ask(1, "sha256sum < " + west).left(64),
                              QCryptographicHash::hash(here, QCryptographicHash::Sha256).toHex(),
                              endMs);
    QTRY_VERIFY2_WITH_TIMEOUT(test::leftOn(lab).isEmpty(), test::leftOn(lab), endMs);
  }

 private:
  static const char* troubles(const Run& run) {
    static QByteArray text;
    text.clear();
    for (const Trouble& one : run.troubles()) text += one.message().toUtf8() + '\n';
    for (const ProcessStatus& one : run.processes())
      text += one.id.toUtf8() + ": " + one.description().toUtf8() + '\n';
    return text.constData();
  }
};

QTEST_GUILESS_MAIN(TestHostsSlow)
#include "tst_hosts_slow.moc"
