// SPDX-License-Identifier: GPL-3.0-or-later
// The practice cluster: what its hosts share and what not, its cables, and that nothing is left of
// it.
#include <signal.h>

#include <QStandardPaths>
#include <QTest>

#include "tests/launcher/lab.h"

using namespace tutti::launcher;
using test::Lab;

namespace {

QByteArray output(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.start(program, arguments);
  process.waitForFinished(30000);
  return process.readAllStandardOutput();
}

/// Namespaces, links and processes that carry the name of a lab.
QByteArray traces(const QString& name) {
  QByteArray result;
  for (const QByteArray& line :
       (output("ip", {"netns"}) + output("ip", {"-o", "link"})).split('\n')) {
    if (line.contains(name.toUtf8())) result += line + '\n';
  }
  for (const QString& entry : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    const pid_t pid = entry.toInt();
    if (pid > 0 && Lab::commandOf(pid).contains('/' + name.toUtf8() + '/'))
      result += Lab::commandOf(pid) + '\n';
  }
  return result;
}

}  // namespace

class TestLab : public QObject {
  Q_OBJECT

 private slots:
  void hostsAreApart() {
    Lab lab(3);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QVERIFY(QFile::exists(lab.hostsFile()));
    for (int host = 1; host <= 3; ++host)
      QCOMPARE(lab.ask(host, "hostname").trimmed(), lab.host(host).toUtf8());
    QCOMPARE(lab.ask(1, "echo hello > /dev/shm/greeting; cat /dev/shm/greeting").trimmed(),
             "hello");
    QCOMPARE(lab.ask(2, "cat /dev/shm/greeting || echo none").trimmed(), "none");
    QVERIFY(!QFile::exists("/dev/shm/greeting"));
    QCOMPARE(lab.ask(1, "touch ~/.cache/tutti/mine; ls ~/.cache/tutti").trimmed(), "mine");
    QCOMPARE(lab.ask(2, "ls ~/.cache/tutti").trimmed(), "");
    // All three, and each on its own.
    QVERIFY(lab.ask(3, "ip -4 -o addr show eth0").contains(".3/24"));
  }

  void aCableIsCutAndMended() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QVERIFY(lab.call({"cut", lab.host(1)}));
    QCOMPARE(lab.ask(1, "echo here").trimmed(), "");
    QCOMPARE(lab.ask(2, "echo here").trimmed(), "here");
    QVERIFY(lab.call({"status"}) && lab.said().contains("cut"));
    QVERIFY(lab.call({"mend", lab.host(1)}));
    QCOMPARE(lab.ask(1, "echo here").trimmed(), "here");
  }

  void packetsAreLost() {
    Lab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QVERIFY2(lab.call({"loss", lab.host(1), "100"}), qPrintable(lab.said()));
    QCOMPARE(lab.ask(1, "echo here").trimmed(), "");
    const QByteArray rules =
        output("nsenter", {"--net=/run/netns/" + lab.host(1), "nft", "list", "ruleset"});
    QVERIFY2(!rules.contains("packets 0 ") && rules.contains("packets"), rules);
    QVERIFY(lab.call({"loss", lab.host(1), "0"}));
    QCOMPARE(lab.ask(1, "echo here").trimmed(), "here");
  }

  void aHostIsSlow() {
    Lab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QVERIFY2(lab.call({"slow", lab.host(1), "2"}), qPrintable(lab.said()));
    QVERIFY(output("tc", {"qdisc", "show", "dev", "tl-" + lab.host(1)}).contains("rate 2Mbit"));
    QCOMPARE(lab.ask(1, "echo here").trimmed(), "here");
    QVERIFY(lab.call({"slow", lab.host(1), "0"}));
    QVERIFY(!output("tc", {"qdisc", "show", "dev", "tl-" + lab.host(1)}).contains("rate"));
  }

  void aKilledHostStartsEmpty() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    lab.ask(1, "echo kept > /dev/shm/memory; setsid sleep 1000 > /dev/null 2>&1 < /dev/null &");
    // The shell of the question ends before what it has started is that program.
    QTRY_VERIFY_WITH_TIMEOUT(!lab.processes(1, "sleep 1000").isEmpty(), 10000);
    QVERIFY(lab.call({"kill", lab.host(1)}));
    QCOMPARE(lab.ask(1, "echo here").trimmed(), "");
    for (const pid_t pid : lab.processes(1)) QVERIFY(!test::Lab::commandOf(pid).contains("sleep"));
    QVERIFY(lab.call({"start", lab.host(1)}));
    QCOMPARE(lab.ask(1, "cat /dev/shm/memory || echo gone").trimmed(), "gone");
    QVERIFY(!lab.call({"start", lab.host(1)}));
    QVERIFY2(lab.said().contains("is up"), qPrintable(lab.said()));
  }

  void nothingIsLeft() {
    QString name;
    {
      Lab lab(2);
      QVERIFY2(lab.isUp(), qPrintable(lab.said()));
      name = lab.host(1).chopped(1);
      QVERIFY(!traces(name).isEmpty());
      lab.ask(2, "setsid sleep 1000 > /dev/null 2>&1 < /dev/null &");
      QVERIFY(lab.call({"down"}));
      QVERIFY(!QFile::exists(lab.folder()));
    }
    QTRY_COMPARE(traces(name), QByteArray());
  }

  /// With jobs that run, of which slurmctld and munged are on this machine.
  void nothingIsLeftOfASlurm() {
    QString name;
    QList<pid_t> jobs;
    QProcess srun;
    {
      Lab lab(2, {"--slurm"});
      if (lab.said().contains("missing are") && !qEnvironmentVariableIsSet("TUTTI_NO_SKIP"))
        QSKIP("Slurm is not installed");
      QVERIFY2(lab.isUp(), qPrintable(lab.said()));
      name = lab.host(1).chopped(1);
      for (const char* each : {"slurmctld ", "slurmd ", "munged "})
        QVERIFY2(traces(name).contains(each), traces(name));
      auto environment = QProcessEnvironment::systemEnvironment();
      environment.insert("SLURM_CONF", lab.folder() + "/slurm/slurm.conf");
      srun.setProcessEnvironment(environment);
      srun.start("srun", {"--nodes=2", "sleep", "1000"});
      const auto running = [&] {
        jobs = lab.processes(1, "sleep 1000") + lab.processes(2, "sleep 1000");
        return jobs.size() == 2;
      };
      QTRY_VERIFY_WITH_TIMEOUT(running(), 30000);
      QVERIFY(lab.call({"down"}));
      QVERIFY(!QFile::exists(lab.folder()));
    }
    QTRY_COMPARE(traces(name), QByteArray());
    for (const pid_t job : std::as_const(jobs)) QTRY_VERIFY(::kill(job, 0) != 0);
    srun.kill();
    srun.waitForFinished(10000);
  }

  /// Both have chosen the same network before either has an address.
  void twoThatAreMadeAtOnceHaveTwoNetworks() {
    QTemporaryDir folder;
    QFile shuf(folder.filePath("shuf"));  // which the choice is made with
    QVERIFY(shuf.open(QIODevice::WriteOnly));
    shuf.write(QStringLiteral("#!/bin/sh\n"
                              "[ ! -e '%1/both' ] || exec %2 \"$@\"\n"
                              "touch '%1/chose.'$$\n"
                              "until [ $(ls '%1' | grep -c '^chose') -ge 2 ]; do [ -d '%1' ] || "
                              "exit; sleep 0.02; done\n"
                              "touch '%1/both'; echo 251\n")
                   .arg(folder.path(), QStandardPaths::findExecutable("shuf"))
                   .toUtf8());
    shuf.setPermissions(shuf.permissions() | QFileDevice::ExeOwner);
    shuf.close();
    const auto named = [&](const char* ending) {
      return 't' + QString::number(::getpid(), 36) + ending;
    };
    const auto call = [&](const QStringList& arguments, QProcess& lab) {
      auto environment = QProcessEnvironment::systemEnvironment();
      // Labs of one folder are made one after the other.
      environment.insert("TUTTI_LAB_DIR", folder.filePath(arguments.back()));
      environment.insert("PATH", folder.path() + ':' + environment.value("PATH"));
      lab.setProcessEnvironment(environment);
      lab.start(QStringLiteral(TUTTI_SOURCE_DIR "/launcher/lab/tutti-lab"), arguments);
    };
    QProcess one;
    QProcess other;
    call({"up", "1", "--no-slurm", "--name", named("x")}, one);
    call({"up", "1", "--no-slurm", "--name", named("y")}, other);
    QVERIFY(one.waitForFinished(60000) && other.waitForFinished(60000));
    QCOMPARE(one.exitCode() + other.exitCode(), 0);
    QByteArrayList networks;
    for (const char* ending : {"x", "y"}) {
      QFile network(folder.filePath(named(ending) + '/' + named(ending) + "/subnet"));
      QVERIFY(network.open(QIODevice::ReadOnly));
      networks << network.readAll().trimmed();
      QProcess down;
      call({"down", "--name", named(ending)}, down);
      QVERIFY(down.waitForFinished(60000));
    }
    QVERIFY(networks[0] != networks[1]);
    QVERIFY(QFile::exists(folder.filePath("both")));  // they did choose the same at first
  }

  void aSlurmIsMadeWhereItCanBe_data() {
    QTest::addColumn<bool>("starts");
    QTest::newRow("installed") << true;
    QTest::newRow("does not start") << false;
  }
  void aSlurmIsMadeWhereItCanBe() {
    QFETCH(bool, starts);
    Lab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString name = lab.host(1).chopped(1);
    QVERIFY(lab.call({"down"}));
    QTemporaryDir programs;
    QFile munged(programs.filePath("munged"));
    QVERIFY(munged.open(QIODevice::WriteOnly));
    munged.write("#!/bin/sh\necho no munge today\nexit 1\n");
    munged.setPermissions(munged.permissions() | QFileDevice::ExeOwner);
    munged.close();
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TUTTI_LAB_DIR", lab.root());
    if (!starts) environment.insert("PATH", programs.path() + ':' + environment.value("PATH"));
    QProcess up;
    up.setProcessEnvironment(environment);
    up.start(QStringLiteral(TUTTI_SOURCE_DIR "/launcher/lab/tutti-lab"),
             {"up", "1", "--name", name});
    QVERIFY(up.waitForFinished(60000));
    const QByteArray said = up.readAllStandardOutput();
    const QByteArray errors = up.readAllStandardError();
    QVERIFY2(up.exitCode() == 0, errors);
    QCOMPARE(said.contains("nodes of the Slurm cluster"), starts);
    QCOMPARE(errors.contains("no munge today"), !starts);
    QCOMPARE(errors.contains("made without a Slurm"), !starts);
    QFile hosts(lab.hostsFile());
    QVERIFY(hosts.open(QIODevice::ReadOnly));
    QCOMPARE(hosts.readAll().contains("\"clusters\""), starts);
    QCOMPARE(lab.ask(1, "echo here").trimmed(), "here");
    QVERIFY(lab.call({"down"}));
    QTRY_COMPARE(traces(name), QByteArray());
  }

  void oneWhoseMakingWasKilledIsTakenDown() {
    Lab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString name = lab.host(1).chopped(1);
    QVERIFY(lab.call({"down"}));
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TUTTI_LAB_DIR", lab.root());
    QProcess up;
    up.setProcessEnvironment(environment);
    up.start(QStringLiteral(TUTTI_SOURCE_DIR "/launcher/lab/tutti-lab"),
             {"up", "20", "--no-slurm", "--name", name});
    // In the middle: some hosts are there, and not all.
    QTRY_VERIFY(output("ip", {"netns"}).contains((name + '3').toUtf8()));
    QVERIFY(::kill(static_cast<pid_t>(up.processId()), SIGKILL) == 0);
    up.waitForFinished(5000);
    QVERIFY(!QFile::exists(lab.folder() + "/complete"));
    QVERIFY(!traces(name).isEmpty());
    QVERIFY2(lab.call({"up", "2", "--no-slurm"}), qPrintable(lab.said()));
    QCOMPARE(lab.ask(2, "echo here").trimmed(), "here");
    QVERIFY(!output("ip", {"netns"}).contains((name + '3').toUtf8()));
    QVERIFY(lab.call({"down"}));
    QTRY_COMPARE(traces(name), QByteArray());
  }

  /// One value of JSON, whatever becomes of it.
  void machinesAreAnswered() {
    Lab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString name = lab.host(1).chopped(1);
    const auto answer = [&](QStringList arguments, int code) {
      QProcess tutti;
      auto environment = QProcessEnvironment::systemEnvironment();
      environment.insert("TUTTI_LAB_DIR", lab.root());
      tutti.setProcessEnvironment(environment);
      arguments << "--name" << name << "--json";
      tutti.start(TUTTI_BINARY_DIR "/bin/tutti", QStringList{"lab"} + arguments);
      if (!tutti.waitForFinished(30000) || tutti.exitCode() != code) return QJsonDocument();
      return QJsonDocument::fromJson(tutti.readAllStandardOutput());
    };
    QCOMPARE(answer({"status"}, 0)[0]["name"].toString(), lab.host(1));
    const QString wrong = answer({"up", "99"}, 2)["error"].toString();
    QVERIFY2(wrong.contains("usage:"), qPrintable(wrong));
    const QString unknown = answer({"cut", "nowhere"}, 1)["error"].toString();
    QVERIFY2(unknown.contains("has no host 'nowhere'"), qPrintable(unknown));
    QVERIFY(answer({"cut", lab.host(1)}, 0).object().contains("done"));
    QCOMPARE(answer({"status"}, 0)[0]["state"].toString(), "cut");
  }

  void saysWhatIsWrong_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("said");
    QTest::newRow("no host") << QStringList{"cut", "nowhere"} << "has no host 'nowhere'";
    QTest::newRow("no command") << QStringList{} << "usage:";
    QTest::newRow("unknown command") << QStringList{"grow"} << "usage:";
    QTest::newRow("too many") << QStringList{"up", "65"} << "usage:";
    QTest::newRow("twice") << QStringList{"up", "2"} << "there is a lab";
    QTest::newRow("percent") << QStringList{"loss", "HOST", "101"} << "usage:";
  }
  void saysWhatIsWrong() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, said);
    Lab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QVERIFY(!lab.call(arguments.replaceInStrings("HOST", lab.host(1))));
    QVERIFY2(lab.said().contains(said), qPrintable(lab.said()));
  }
};

QTEST_GUILESS_MAIN(TestLab)
#include "tst_lab.moc"
