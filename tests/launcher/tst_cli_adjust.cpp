// SPDX-License-Identifier: GPL-3.0-or-later
// `tutti adjust` of a federation at an RTI node and of a run: what is shown, what is set, and what
// cannot be.
#include <signal.h>
#include <unistd.h>

#include <QDeadlineTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "tests/launcher/tutti_call.h"

using namespace tutti;
using namespace tutti::launcher;

namespace {

constexpr int longMs = 60000;

}  // namespace

class TestCliAdjust : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(folder_->isValid());
    tutti_ = std::make_unique<test::TuttiCall>(folder_->filePath("state"));
  }
  void cleanup() {
    // Whatever a test that failed has left.
    if (tutti_->isGoing()) tutti_->call({"kill", tutti_->id()});
    QTRY_VERIFY_WITH_TIMEOUT(!tutti_->isGoing(), longMs);
  }

  void ofARun() {
    QProcess owner;
    owner.setProcessChannelMode(QProcess::MergedChannels);
    tutti_->begin(owner, {"run",
                          QStringLiteral(TUTTI_SOURCE_DIR
                                         "/resources/federations/air-traffic.federation.json"),
                          "--duration", "600"});
    QByteArray shown;
    QTRY_VERIFY2_WITH_TIMEOUT((shown += owner.readAll()).contains("running  6 of 6"), shown,
                              longMs);
    const QString run = tutti_->id();
    QCOMPARE(call({"adjust", run}), 0);
    QVERIFY2(out_.startsWith("auto provide: o"), out_);
    QVERIFY2(
        out_.contains("\nfederate    services  exceptions  regions  producer  report period\n"),
        out_);
    const bool before = state()["autoProvide"].toBool();

    // Of two of them, the others stay.
    QCOMPARE(call({"adjust", run, "radar-west", "log", "--report-period", "2",
                   "--exception-reporting", "on", "--convey-producer=off", "--timeout", "60"}),
             0);
    QVERIFY2(row("radar-west").endsWith(" on  off  off  2 s"), out_);
    QVERIFY2(row("radar-east").isEmpty(), out_);
    const auto of = [&](const QString& name) {
      for (const auto& one : state()["federates"].toArray())
        if (one.toObject()["name"] == name) return one.toObject();
      return QJsonObject();
    };
    QCOMPARE(of("radar-west")["reportPeriod"].toInt(), 2);
    QVERIFY(of("radar-west")["exceptionReporting"].toBool());
    QVERIFY(!of("radar-west")["serviceReporting"].toBool());
    QVERIFY(!of("log")["conveyProducingFederate"].toBool());
    QCOMPARE(of("radar-east")["reportPeriod"].toInt(), 0);

    // Of all, and of the federation.
    QCOMPARE(call({"adjust", run, "--service-reporting", "on", "--auto-provide",
                   before ? "off" : "on", "--timeout", "60"}),
             0);
    const auto now = state();
    QCOMPARE(now["autoProvide"].toBool(), !before);
    QCOMPARE(now["federation"].toString(), "air-traffic");
    QCOMPARE(now["federates"].toArray().size(), 6);
    for (const auto& one : now["federates"].toArray())
      QVERIFY(one.toObject()["serviceReporting"].toBool());
    // The altitude of a flight that flow-north has registered is its own already.
    QString flight;
    const QDeadlineTimer limit(longMs);
    for (int number = 0; flight.isEmpty() && !limit.hasExpired(); ++number) {
      const QString name = QStringLiteral("HLA%1-2").arg(1 + number % 12);
      if (call({"adjust", run, "flow-north", "--owned", name + ".altitude", "--timeout", "60"}) ==
          0)
        flight = name;
    }
    QVERIFY2(!flight.isEmpty(), err_);
    QCOMPARE(out_, flight.toUtf8() + ".altitude is owned by flow-north, before by flow-north\n");
    QCOMPARE(call({"adjust", run, "radar-west", "--owned", flight + ".altitude", "--json",
                   "--timeout", "60"}),
             1);
    const auto kept = QJsonDocument::fromJson(out_).object();
    QCOMPARE(kept["owner"].toString(), "flow-north");
    QCOMPARE(kept["done"].toBool(), false);
    QVERIFY2(kept["refused"].toString().contains("ObjectClassNotPublished"), out_);
    QCOMPARE(call({"adjust", run, "radar-west", "--unowned", flight + ".wings"}), 2);
    QVERIFY2(err_.contains("has no attribute 'wings'"), err_);
    QCOMPARE(call({"stop", run}), 0);
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, longMs);
  }

  void ofNoRunAndWhatCannotBe() {
    const QString node = QStringLiteral("adjust-%1").arg(::getpid());
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
    const auto there = [&](const QStringList& words) {
      return call(QStringList{"adjust", "far"} + words + QStringList{"--rti", "shm:" + node});
    };
    QCOMPARE(there({"--report-period", "7"}), 0);
    QVERIFY2(row("pong").endsWith(" 7 s"), out_);
    QCOMPARE(there({"nobody", "--report-period", "3"}), 2);
    QVERIFY2(err_.contains("'nobody' is not joined to 'far'"), err_);
    QCOMPARE(there({"nobody"}), 2);
    QVERIFY2(err_.contains("'nobody' is not joined to 'far'"), err_);
    for (const char* period : {"-1", "soon", "99999999999", "1.5"}) {
      QCOMPARE(there({"--report-period", period}), 2);
      QVERIFY2(err_.contains("--report-period needs whole seconds"), err_);
    }
    QCOMPARE(there({"--service-reporting", "maybe"}), 2);
    QVERIFY2(err_.contains("--service-reporting is on or off"), err_);
    QCOMPARE(there({"pong", "--auto-provide", "on"}), 2);
    QVERIFY2(err_.contains("name no federate"), err_);
    for (const QStringList& words : {QStringList{"pong", "--owned", "car"},
                                     {"pong", "--owned", "car."},
                                     {"pong", "--unowned", ".fuel"}}) {
      QCOMPARE(there(words), 2);
      QVERIFY2(err_.contains("needs INSTANCE.ATTRIBUTE"), err_);
    }
    QCOMPARE(there({"--owned", "car.fuel"}), 2);
    QVERIFY2(err_.contains("name the federation and the federate"), err_);
    QCOMPARE(there({"pong", "--owned", "car.fuel", "--auto-provide", "on"}), 2);
    QVERIFY2(err_.contains("without other settings"), err_);
    QCOMPARE(there({"pong", "--unowned", "car.fuel"}), 2);
    QVERIFY2(err_.contains("there is no object instance 'car' in 'far'"), err_);
    QCOMPARE(there({"--what"}), 2);
    QVERIFY2(err_.contains("there is no option --what"), err_);
    QCOMPARE(there({}), 0);
    QVERIFY2(row("pong").endsWith(" 7 s"), out_);

    // One that hangs is named, and does it when it goes on.
    QVERIFY(::kill(static_cast<pid_t>(pong.processId()), SIGSTOP) == 0);
    QCOMPARE(there({"--exception-reporting", "on", "--timeout", "1"}), 1);
    QVERIFY2(err_.contains("Told, and not done yet: pong."), err_);
    QVERIFY(::kill(static_cast<pid_t>(pong.processId()), SIGCONT) == 0);
    QCOMPARE(there({"--exception-reporting", "on", "--timeout", "60"}), 0);
    pong.terminate();
    QTRY_COMPARE_WITH_TIMEOUT(pong.state(), QProcess::NotRunning, longMs);
    QCOMPARE(there({}), 2);
  }

 private:
  int call(const QStringList& arguments) {
    QProcess process;
    tutti_->begin(process, arguments);
    if (!process.waitForFinished(longMs * 2)) return -1;
    out_ = process.readAllStandardOutput();
    err_ = process.readAllStandardError();
    return process.exitCode();
  }
  QJsonObject state() {
    if (call({"adjust", tutti_->id(), "--json"}) != 0) return {};
    return QJsonDocument::fromJson(out_).object();
  }
  /// That of a federate, with two blanks between the columns.
  QByteArray row(const QByteArray& federate) const {
    for (const QByteArray& line : out_.split('\n')) {
      if (!line.startsWith(federate + ' ')) continue;
      QList<QByteArray> words;
      for (const QByteArray& word : line.simplified().replace(" s", "\ts").split(' '))
        words << QByteArray(word).replace("\ts", " s");
      return words.join("  ");
    }
    return {};
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<test::TuttiCall> tutti_;
  QByteArray out_;
  QByteArray err_;
};

QTEST_GUILESS_MAIN(TestCliAdjust)
#include "tst_cli_adjust.moc"
