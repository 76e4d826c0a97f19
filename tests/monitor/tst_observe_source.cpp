// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/prctl.h>

#include <QCoreApplication>
#include <QProcess>
#include <QTest>
#include <cmath>
#include <csignal>

#include "monitor/engine/feed.h"
#include "monitor/engine/observe_source.h"
#include "observe/node_client.h"

using namespace tutti::monitor;

/// The feed on a real federation: two federates of the latency benchmark on a node of their own.
class TestObserveSource : public QObject {
  Q_OBJECT

 private:
  QString name_;

  std::unique_ptr<QProcess> federate(const char* role) {
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("TUTTI_RTI"), QStringLiteral("shm:") + name_);
    process->setProcessEnvironment(environment);
    process->setProgram(QStringLiteral(TUTTI_BINARY_DIR "/bin/bench-latency"));
    // Far more rounds than the test lasts; waiting, so that they leave the processors to others.
    process->setArguments(
        {QStringLiteral("--role"), QString::fromLatin1(role), QStringLiteral("--evoke"),
         QStringLiteral("wait"), QStringLiteral("--count"), QStringLiteral("500000000"),
         QStringLiteral("--patience"), QStringLiteral("120"), QStringLiteral("--fom"),
         QStringLiteral(TUTTI_BINARY_DIR "/bin/bench.xml"), QStringLiteral("--federation"),
         QStringLiteral("watched")});
    process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
    process->start();
    return process;
  }
  static const FederateView* find(const Feed& feed, const char* name) {
    return feed.current()->find(QString::fromLatin1(name));
  }

 private slots:
  void init() {
    static int run = 0;
    name_ = QStringLiteral("observed-%1-%2").arg(QCoreApplication::applicationPid()).arg(++run);
  }

  void cleanup() {
    // Killed federates leave an execution, which keeps their node for a minute: do not wait for it.
    if (auto node = tutti::observe::NodeClient::connect(name_.toStdString())) {
      QVERIFY(node->stop().has_value());
    }
  }

  void aRealFederationIsSeenAsTheKernelSeesIt() {
    auto first = federate("first");
    auto second = federate("second");
    QVERIFY(first->waitForStarted() && second->waitForStarted());
    Feed feed;
    feed.start([designator = QStringLiteral("shm:") + name_] {
      return makeObserveSource(designator, QStringLiteral("watched"));
    });
    QTRY_VERIFY_WITH_TIMEOUT(find(feed, "first") && find(feed, "second"), 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(find(feed, "first")->sentPerSecond > 10, 30'000);
    QCOMPARE(find(feed, "second")->pid, static_cast<std::int64_t>(second->processId()));
    QTRY_VERIFY_WITH_TIMEOUT(!feed.current()->links.empty(), 30'000);
    QCOMPARE(feed.current()->federation, QStringLiteral("watched"));

    // Both own one instance and publish the class the other waits for: the RTI itself says so.
    feed.watch(QStringLiteral("first"));
    // What was worked out first may be of a moment before the other had subscribed.
    QTRY_VERIFY_WITH_TIMEOUT(feed.watched().has_value() && feed.watched()->silent.size() == 1,
                             30'000);
    QCOMPARE(feed.watched()->unpublished, QStringList{"Ping"});
    QCOMPARE(feed.watched()->silent[0].federate, QStringLiteral("second"));
    QTRY_VERIFY_WITH_TIMEOUT(feed.watched().has_value() && feed.watched()->byClass.size() == 1,
                             30'000);
    QCOMPARE(feed.watched()->byClass[0].className, QStringLiteral("Ping"));
    QCOMPARE(feed.watched()->instances, std::uint64_t{1});

    // Stopped: said so, its rate falls to 0 and its age counts.
    QCOMPARE(::kill(static_cast<pid_t>(second->processId()), SIGSTOP), 0);
    QTRY_COMPARE_WITH_TIMEOUT(find(feed, "second")->condition, FederateCondition::Stopped, 30'000);
    QTRY_COMPARE_WITH_TIMEOUT(find(feed, "second")->sentPerSecond, 0.0, 30'000);
    const double age = find(feed, "second")->secondsSinceActivity;
    QVERIFY(age > 2);
    QTRY_VERIFY_WITH_TIMEOUT(find(feed, "second")->secondsSinceActivity > age + 1, 30'000);
    QCOMPARE(::kill(static_cast<pid_t>(second->processId()), SIGCONT), 0);
    QTRY_COMPARE_WITH_TIMEOUT(find(feed, "second")->condition, FederateCondition::Running, 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(find(feed, "second")->sentPerSecond > 10, 30'000);

    // Killed: dead, with what it took.
    second->kill();
    second->waitForFinished();
    QTRY_COMPARE_WITH_TIMEOUT(find(feed, "second")->condition, FederateCondition::Dead, 30'000);
    QCOMPARE(feed.current()->deaths.size(), std::size_t{1});
    QCOMPARE(feed.current()->deaths[0].lost.unpublished, QStringList{"Pong"});
    QCOMPARE(find(feed, "first")->condition, FederateCondition::Running);
    first->kill();
    first->waitForFinished();
    feed.stop();
  }

  void withoutANodeTheReasonIsSaid() {
    Feed feed;
    feed.start(
        [designator = QStringLiteral("shm:") + name_] { return makeObserveSource(designator); });
    QTRY_VERIFY_WITH_TIMEOUT(!feed.current()->problem.isEmpty(), 30'000);
    QVERIFY2(feed.current()->problem.contains(name_), qPrintable(feed.current()->problem));
    QVERIFY(feed.current()->federates.empty());
    feed.stop();
  }
};

QTEST_GUILESS_MAIN(TestObserveSource)
#include "tst_observe_source.moc"
