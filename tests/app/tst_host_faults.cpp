// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong with one host, in the real window: one message each, with the name of the host,
// why and what to do; what still can run goes on.
#include <signal.h>

#include <QAction>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QProcess>
#include <QTcpServer>
#include <QTest>
#include <algorithm>
#include <memory>
#include <vector>

#include "app/console.h"
#include "launcher/engine/launch_plan.h"
#include "resources/theme/run_status.h"
#include "tests/app/shown_problems.h"
#include "tests/app/test_home.h"
#include "tests/launcher/lab.h"

using namespace tutti;
using launcher::test::Lab;
using test::isHostOnScreen;
using test::problemsOf;
using test::problemsOnScreen;
using Phase = theme::RunStatus::Phase;

class HostFaultsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(home_.prepare()); }

  void oneMessageAndNothingStarts_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("why");   // a part of the message
    QTest::addColumn<QString>("next");  // likewise
    QTest::newRow("wrong key") << "wrong key"
                               << "accepts none of the keys"
                               << "ssh-copy-id";
    QTest::newRow("unknown host key") << "unknown"
                                      << "host key is not known here (it shows ED25519 SHA256:"
                                      << "ssh";
    QTest::newRow("changed host key") << "changed"
                                      << "host key is another one"
                                      << "ssh-keygen";
    QTest::newRow("down") << "down"
                          << "refused"
                          << "sshd";
    QTest::newRow("cut") << "cut"
                         << "it does not answer"
                         << "switched on";
    QTest::newRow("full disk") << "full"
                               << "MB are free"
                               << "Make room there";
    QTest::newRow("port taken") << "port"
                                << "15164"
                                << "Choose another address or port";
  }
  void oneMessageAndNothingStarts() {
    QFETCH(QString, fault);
    QFETCH(QString, why);
    QFETCH(QString, next);
    const bool own = fault == QStringLiteral("full");
    Lab lab(2, own ? QStringList{QStringLiteral("--own-files"), QStringLiteral("--hide"),
                                 QStringLiteral(TUTTI_BINARY_DIR)}
                   : QStringList{});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString keys = lab.folder() + QStringLiteral("/known_hosts");
    std::vector<std::unique_ptr<QTcpServer>> taken;
    if (fault == QStringLiteral("wrong key")) {
      const QString key = lab.folder() + QStringLiteral("/client_key");
      QFile hosts(lab.hostsFile());
      QVERIFY(hosts.open(QIODevice::ReadWrite));
      // Of the second host only.
      QByteArray text = hosts.readAll();
      const auto at = text.lastIndexOf("client_key");
      QVERIFY(at > 0);
      text.replace(at, 10, "other");
      hosts.resize(0);
      hosts.seek(0);
      hosts.write(text);
      QCOMPARE(QProcess::execute(QStringLiteral("ssh-keygen"),
                                 {"-q", "-t", "ed25519", "-N", "", "-f", lab.folder() + "/other"}),
               0);
    } else if (fault == QStringLiteral("unknown")) {
      write(keys, content(keys).split('\n').value(0) + '\n');
    } else if (fault == QStringLiteral("changed")) {
      auto lines = content(keys).trimmed().split('\n');
      lines[1] = lines[1].left(lines[1].lastIndexOf(' ') + 1) + lines[0].split(' ').last();
      write(keys, lines.join('\n') + '\n');
    } else if (fault == QStringLiteral("down")) {
      QVERIFY(lab.call({QStringLiteral("kill"), lab.host(2)}));
    } else if (fault == QStringLiteral("cut")) {
      QVERIFY(lab.call({QStringLiteral("cut"), lab.host(2)}));
    } else if (fault == QStringLiteral("full")) {
      const QByteArray mounted =
          lab.ask(2, QStringLiteral("mkdir -p ~/.cache/tutti && mount -t tmpfs -o size=1m none "
                                    "~/.cache/tutti && grep -c cache/tutti /proc/mounts"));
      QVERIFY2(mounted.trimmed() == "1", mounted);
    } else {
      for (quint16 port = 15164; port <= 15264; ++port) {
        taken.push_back(std::make_unique<QTcpServer>());
        taken.back()->listen(QHostAddress::AnyIPv4, port);
      }
    }
    app::Console console({home_.settings(), false});
    open(console,
         lab.sampleWith({{QStringLiteral("radar-west"), 1}, {QStringLiteral("detector"), 2}}));
    console.run().run();
    QTRY_VERIFY2_WITH_TIMEOUT(!problemsOf(console).isEmpty(), "nothing is said", 60000);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::NotRunning, 60000);
    const QStringList all = problemsOf(console);
    QVERIFY2(all.size() == 1, qPrintable(all.join(u'\n')));
    if (fault != QStringLiteral("port")) QVERIFY2(all[0].contains(lab.host(2)), qPrintable(all[0]));
    QVERIFY2(!all[0].contains(lab.host(1)), qPrintable(all[0]));
    QVERIFY2(all[0].contains(QStringLiteral("nothing was started")), qPrintable(all[0]));
    QVERIFY2(all[0].contains(why) && all[0].contains(next), qPrintable(all[0]));
    qInfo("%s", qPrintable(all[0]));
    QTRY_COMPARE(problemsOnScreen(console), problemsOf(console));
    if (fault != QStringLiteral("port")) QVERIFY2(isHostOnScreen(console, lab.host(2)), "no host");
    QVERIFY(lab.processes(1, "tutti-supervisor").isEmpty());
    QVERIFY(lab.processes(1, "/radar ").isEmpty());
  }

  void oneMessageAndTheOthersGoOn_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("why");
    QTest::newRow("cut for good") << "cut"
                                  << "HOST"
                                  << "nothing was heard from it for 15 s";
    QTest::newRow("host down") << "kill"
                               << "HOST"
                               << "the connection has ended";
    QTest::newRow("agent killed") << "tutti-supervisor"
                                  << "HOST"
                                  << "its supervisor was killed there";
    QTest::newRow("connection killed") << "sshd: root@notty"
                                       << "HOST"
                                       << "the connection has ended";
    QTest::newRow("listening sshd killed") << ".sshd"
                                           << "HOST takes no new connection"
                                           << "No SSH server listens there";
    QTest::newRow("disk for logs full") << "full"
                                        << "HOST"
                                        << "No space left";
  }
  void oneMessageAndTheOthersGoOn() {
    QFETCH(QString, fault);
    QFETCH(QString, what);
    QFETCH(QString, why);
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    app::Console console({home_.settings(), false});
    open(console,
         lab.sampleWith({{QStringLiteral("radar-west"), 1}, {QStringLiteral("radar-east"), 2}},
                        false));
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 60000);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > 1, 30000);
    QCOMPARE(problemsOf(console), QStringList());
    const QString host = lab.host(1);
    if (fault == QStringLiteral("cut") || fault == QStringLiteral("kill")) {
      QVERIFY(lab.call({fault, host}));
    } else if (fault == QStringLiteral("full")) {
      lab.ask(1, QStringLiteral("cd ~/.local/state/tutti && head -c 1G /dev/zero > filler; "
                                "mount -o remount,size=$(du -s --block-size=1k . | cut -f1)k . ; "
                                "sync"));
      QCOMPARE(
          lab.ask(1, QStringLiteral("df --output=avail ~/.local/state/tutti | tail -1")).trimmed(),
          "0");
      // The page that the log ends in has some room left: each start writes its command line.
      for (int start = 0; start < 60 && problemsOf(console).isEmpty(); ++start) {
        const int attempt = console.run().current()->process(QStringLiteral("radar-west"))->attempt;
        console.run().restartFederates({QStringLiteral("radar-west")});
        QTRY_VERIFY_WITH_TIMEOUT(
            console.run().current()->process(QStringLiteral("radar-west"))->attempt > attempt,
            20000);
      }
    } else if (fault == QStringLiteral(".sshd")) {
      const pid_t listening = listeningSshd(lab, 1);
      QVERIFY(listening > 0);
      QCOMPARE(::kill(listening, SIGKILL), 0);
      QTRY_VERIFY(lab.ask(1, QStringLiteral("hostname")).isEmpty());
      // The run does not notice: whoever asks the host next does.
      const double since = console.run().logicalTime();
      QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > since + 1, 30000);
      QCOMPARE(problemsOf(console), QStringList());
      QVERIFY(console.window().showPage(QStringLiteral("deploy")));
      console.window().findChild<QAction*>(QStringLiteral("askHosts"))->trigger();
    } else {
      const auto victims = lab.processes(1, fault.toUtf8());
      QVERIFY(!victims.isEmpty());
      // At once: of two processes of a supervisor the one that is left ends the run in order.
      for (const pid_t pid : victims) QVERIFY(::kill(pid, SIGSTOP) == 0);
      for (const pid_t pid : victims) QVERIFY(::kill(pid, SIGKILL) == 0);
    }
    const bool isLost = fault != QStringLiteral(".sshd") && fault != QStringLiteral("full");
    const auto stateOf = [&](const QString& name) {
      for (const auto& each : console.run().current()->hosts()) {
        if (each.name == name) return each.state;
      }
      return launcher::HostStatus::State::Connecting;
    };
    if (isLost) QTRY_COMPARE_WITH_TIMEOUT(stateOf(host), launcher::HostStatus::State::Lost, 60000);
    // All that is told of it is told after the RTI has seen it too.
    const auto settled = [&] {
      const auto all = problemsOf(console);
      return all.size() == (what.isEmpty() ? 0 : 1) &&
             (!isLost || !all.join(u'\n').contains(QStringLiteral("not answer")));
    };
    QTRY_VERIFY2_WITH_TIMEOUT(
        settled(), qPrintable(problemsOf(console).join(QStringLiteral("\n---\n"))), 40000);
    const double at = console.run().logicalTime();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > at + 3, 30000);
    QVERIFY2(settled(), qPrintable(problemsOf(console).join(QStringLiteral("\n---\n"))));
    for (QString part : {what, why}) {
      part.replace(QStringLiteral("HOST"), host);
      QVERIFY2(problemsOf(console).join(u'\n').contains(part),
               qPrintable(problemsOf(console).join(u'\n')));
    }
    for (const QString& one : problemsOf(console)) qInfo("%s", qPrintable(one));
    QTRY_COMPARE(problemsOnScreen(console), problemsOf(console));
    if (!what.isEmpty()) QVERIFY2(isHostOnScreen(console, host), "no host");
    if (fault == QStringLiteral(".sshd")) {
      // It is told for as long as it is so.
      QCOMPARE(console.run().troubles().front().state, theme::State::Warning);
      QVERIFY(console.window().showPage(QStringLiteral("deploy")));
      startSshd(lab, 1);
      console.window().findChild<QAction*>(QStringLiteral("askHosts"))->trigger();
      QTRY_COMPARE_WITH_TIMEOUT(problemsOf(console), QStringList(), 60000);
    }
    // What still can run does.
    QVERIFY(!lab.processes(2, "/radar ").isEmpty());
    if (!isLost) QVERIFY(!lab.processes(1, "/radar ").isEmpty());
    QCOMPARE(console.run().phase(), Phase::Running);
    console.run().stop();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().current()->isOver(), 60000);
    if (fault == QStringLiteral("cut")) QVERIFY(lab.call({QStringLiteral("mend"), host}));
  }

  /// The status bar says how far the logs of other hosts have come while they are fetched.
  void fetchingLogsIsShown() {
    Lab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    app::Console console({home_.settings(), false});
    open(console, lab.sampleWith({{QStringLiteral("radar-west"), 1}}));
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 60000);
    const auto plan = console.run().current()->plan();
    const QString log = plan.hosts.at(0).folder + QStringLiteral("/radar-west.log");
    const auto size = lab.ask(1, QStringLiteral("head -c 4000000 /dev/urandom | base64 >> %1; "
                                                "stat -c %s %1")
                                     .arg(log));
    QVERIFY2(size.toLongLong() > 5000000, size);
    QVERIFY(lab.call({QStringLiteral("slow"), lab.host(1), QStringLiteral("4")}));
    const auto shown = [&] {
      for (const auto* label : console.window().findChildren<QLabel*>()) {
        if (label->text().contains(QStringLiteral("Logs of other hosts: ")) && label->isVisible())
          return label->text();
      }
      return QString();
    };
    QCOMPARE(shown(), QString());
    console.run().stop();
    QTRY_VERIFY_WITH_TIMEOUT(!shown().isEmpty(), 60000);
    qInfo("%s", qPrintable(shown()));
    QVERIFY2(shown().contains(QStringLiteral("5.4")), qPrintable(shown()));
    QVERIFY(lab.call({QStringLiteral("slow"), lab.host(1), QStringLiteral("0")}));
    QTRY_COMPARE_WITH_TIMEOUT(shown(), QString(), 60000);
    QVERIFY2(problemsOf(console).isEmpty(), qPrintable(problemsOf(console).join(u'\n')));
    const QFileInfo here(QDir(plan.folder).filePath(QStringLiteral("radar-west.log")));
    QVERIFY(here.size() >= size.toLongLong());
  }

  /// The run is another program's, and only the way of who watches to a host of it is lost: what
  /// runs there goes on. It is told since when it is not seen, and no more once it is seen again.
  void aHostThatIsNotSeenForLongMayGoOn() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString file =
        lab.sampleWith({{QStringLiteral("radar-west"), 1}, {QStringLiteral("radar-east"), 2}});
    QProcess owner;
    owner.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"),
                {QStringLiteral("run"), file, QStringLiteral("--hosts"), lab.hostsFile(),
                 QStringLiteral("--duration"), QStringLiteral("600")});
    QByteArray out;
    QTRY_VERIFY2_WITH_TIMEOUT((out += owner.readAllStandardOutput() + owner.readAllStandardError())
                                  .contains("running  6 of 6"),
                              out, 60000);
    app::Console console({home_.settings(), false});
    open(console, file);
    const QString id = ownRun();
    QTRY_VERIFY_WITH_TIMEOUT((console.run().lookForRuns(), isOffered(console, id)), 30000);
    console.run().watchRun(id);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 60000);
    QVERIFY(console.run().isWatched());
    const auto radar = [&] { return console.run().current()->process("radar-west"); };
    QTRY_COMPARE_WITH_TIMEOUT(radar()->description(), QStringLiteral("running"), 30000);
    QCOMPARE(problemsOf(console), QStringList());

    const pid_t listening = listeningSshd(lab, 1);
    QVERIFY(listening > 0);
    QCOMPARE(::kill(listening, SIGKILL), 0);
    QList<pid_t> ways;
    for (const pid_t pid : lab.processes(1, "tutti-supervisor")) {
      if (Lab::commandOf(pid).contains(" --attach")) ways << pid;
    }
    QCOMPARE(ways.size(), 1);
    QCOMPARE(::kill(ways.front(), SIGKILL), 0);
    QTRY_VERIFY2_WITH_TIMEOUT(problemsOf(console).size() == 1,
                              qPrintable(problemsOf(console).join(u'\n')), 60000);
    const auto told = problemsOf(console).front();
    QVERIFY2(told.startsWith(lab.host(1) + QStringLiteral(" has not been seen since ")),
             qPrintable(told));
    QVERIFY2(told.contains(QStringLiteral("no SSH server listens there")) &&
                 told.contains(QStringLiteral("may go on")),
             qPrintable(told));
    qInfo("%s", qPrintable(told));
    problemsOnScreen(console);
    QTRY_VERIFY2(isHostOnScreen(console, lab.host(1)), "no host");
    QVERIFY2(radar()->description().startsWith(QStringLiteral("not seen since ")),
             qPrintable(radar()->description()));
    QCOMPARE(console.run().phase(), Phase::Running);
    // And so it does.
    const double at = console.run().logicalTime();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > at + 3, 30000);
    QCOMPARE(lab.processes(1, "/radar ").size(), 1);
    QCOMPARE(owner.state(), QProcess::Running);

    startSshd(lab, 1);
    QTRY_COMPARE_WITH_TIMEOUT(problemsOf(console), QStringList(), 60000);
    QCOMPARE(radar()->description(), QStringLiteral("running"));
    owner.terminate();
    QVERIFY(owner.waitForFinished(60000));
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 60000);
    QCOMPARE(problemsOf(console), QStringList());
  }

 private:
  /// The newest run whose folder is in this test's home.
  static QString ownRun() {
    return QDir(launcher::runsFolder())
        .entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time)
        .value(0);
  }
  static bool isOffered(app::Console& console, const QString& run) {
    const auto others = console.run().otherRuns();
    return std::any_of(others.begin(), others.end(),
                       [&](const auto& each) { return each.run == run; });
  }
  static pid_t listeningSshd(const Lab& lab, int host) {
    QProcess ip;
    ip.start(QStringLiteral("ip"),
             {QStringLiteral("netns"), QStringLiteral("pids"), lab.host(host)});
    ip.waitForFinished(10000);
    for (const QByteArray& word : ip.readAllStandardOutput().split('\n')) {
      const pid_t pid = word.toInt();
      const QByteArray command = Lab::commandOf(pid);
      if (pid > 0 && command.contains(".sshd") && !command.startsWith("slurmd")) return pid;
    }
    return 0;
  }
  /// Another one where the first was: the way to its namespaces is a process that is there still.
  static void startSshd(const Lab& lab, int host) {
    const auto radars = lab.processes(host, "/radar ");
    QVERIFY(!radars.isEmpty());
    const QString configuration = lab.folder() + QStringLiteral("/%1.sshd").arg(lab.host(host));
    QCOMPARE(QProcess::execute(
                 QStringLiteral("nsenter"),
                 {QStringLiteral("--target"), QString::number(radars.front()),
                  QStringLiteral("--net"), QStringLiteral("--mount"), QStringLiteral("--uts"),
                  QStringLiteral("/usr/sbin/sshd"), QStringLiteral("-f"), configuration}),
             0);
    QTRY_VERIFY_WITH_TIMEOUT(!lab.ask(host, QStringLiteral("hostname")).isEmpty(), 30000);
  }
  static QByteArray content(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  static void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
      qFatal("%s cannot be written", qPrintable(path));
  }
  static void open(app::Console& console, const QString& file) {
    app::MainWindow& window = console.window();
    window.resize(1440, 900);
    window.show();
    if (!QTest::qWaitForWindowExposed(&window) || !window.openFile(file))
      qFatal("%s is not opened", qPrintable(file));
  }

  test::TestHome home_;
};

QTEST_MAIN(HostFaultsTest)
#include "tst_host_faults.moc"
