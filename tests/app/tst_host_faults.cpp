// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong with one host, in the real window: one message each, with the name of the host,
// why and what to do; what still can run goes on.
#include <signal.h>

#include <QFile>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QTcpServer>
#include <QTest>
#include <algorithm>
#include <memory>
#include <vector>

#include "app/console.h"
#include "resources/theme/run_status.h"
#include "tests/app/test_home.h"
#include "tests/launcher/lab.h"

using namespace tutti;
using launcher::test::Lab;
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
    QTRY_VERIFY2_WITH_TIMEOUT(!said(console).isEmpty(), "nothing is said", 60000);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::NotRunning, 60000);
    const QStringList all = said(console);
    QVERIFY2(all.size() == 1, qPrintable(all.join(u'\n')));
    if (fault != QStringLiteral("port")) QVERIFY2(all[0].contains(lab.host(2)), qPrintable(all[0]));
    QVERIFY2(!all[0].contains(lab.host(1)), qPrintable(all[0]));
    QVERIFY2(all[0].contains(QStringLiteral("nothing was started")), qPrintable(all[0]));
    QVERIFY2(all[0].contains(why) && all[0].contains(next), qPrintable(all[0]));
    qInfo("%s", qPrintable(all[0]));
    QTRY_COMPARE(onScreen(console), said(console));
    if (fault != QStringLiteral("port")) QVERIFY2(hostOnScreen(console, lab.host(2)), "no host");
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
                                           << ""
                                           << "";
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
    QCOMPARE(said(console), QStringList());
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
      for (int start = 0; start < 60 && said(console).isEmpty(); ++start) {
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
      const auto all = said(console);
      return all.size() == (what.isEmpty() ? 0 : 1) &&
             (!isLost || !all.join(u'\n').contains(QStringLiteral("not answer")));
    };
    QTRY_VERIFY2_WITH_TIMEOUT(settled(), qPrintable(said(console).join(QStringLiteral("\n---\n"))),
                              40000);
    const double at = console.run().logicalTime();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > at + 3, 30000);
    QVERIFY2(settled(), qPrintable(said(console).join(QStringLiteral("\n---\n"))));
    for (QString part : {what, why}) {
      part.replace(QStringLiteral("HOST"), host);
      QVERIFY2(said(console).join(u'\n').contains(part), qPrintable(said(console).join(u'\n')));
    }
    for (const QString& one : said(console)) qInfo("%s", qPrintable(one));
    QTRY_COMPARE(onScreen(console), said(console));
    if (!what.isEmpty()) QVERIFY2(hostOnScreen(console, host), "no host");
    // What still can run does.
    QVERIFY(!lab.processes(2, "/radar ").isEmpty());
    if (!isLost) QVERIFY(!lab.processes(1, "/radar ").isEmpty());
    QCOMPARE(console.run().phase(), Phase::Running);
    console.run().stop();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().current()->isOver(), 60000);
    if (fault == QStringLiteral("cut")) QVERIFY(lab.call({QStringLiteral("mend"), host}));
  }

 private:
  /// The title, the detail and the buttons of each trouble that the window shows of the run.
  static QStringList said(app::Console& console) {
    QStringList result;
    for (const auto& one : console.run().troubles()) {
      result << one.title + u'\n' + one.detail;
      for (const auto& action : one.actions) result.back() += u'\n' + action.text;
    }
    return result;
  }
  /// The same of the cards in the pane "Problems" of the page Run.
  static QStringList onScreen(app::Console& console) {
    console.window().showPage(QStringLiteral("run"));
    QStringList result;
    for (const auto* card :
         console.window().findChildren<QWidget*>(QStringLiteral("problemCard"))) {
      if (!card->isVisible()) continue;
      const auto text = [&](const char* name) {
        return card->findChild<QLabel*>(QString::fromLatin1(name))->text();
      };
      result << text("problemTitle") + u'\n' + text("problemDetail");
      for (const auto* button : card->findChildren<QPushButton*>())
        result.back() += u'\n' + button->text();
    }
    return result;
  }
  /// Whether the line above the title of a card names that host.
  static bool hostOnScreen(app::Console& console, const QString& host) {
    for (const auto* label :
         console.window().findChildren<QLabel*>(QStringLiteral("problemCaption")))
      if (label->isVisible() && label->text().contains(QStringLiteral("  ·  %1  ·  ").arg(host)))
        return true;
    return false;
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
