// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts of a run that take no new connection: told for as long as it is so, and of those that the
// run is on only.
#include <QSignalSpy>
#include <QTest>
#include <map>
#include <mutex>

#include "app/host_troubles.h"

using namespace tutti;
using app::RefusingHosts;
using launcher::Host;
using launcher::HostReport;
using launcher::HostStatus;
using launcher::PlannedHost;

namespace {

/// Hosts as far as these tests need them: what they answer is said by the test.
class Hosts {
 public:
  RefusingHosts::Ask ask() {
    return [this](const Host& host, const std::stop_token&) {
      const std::lock_guard guard(mutex_);
      ++asked_[host.destination];
      return answer(host.name, host.destination, host.port, answers_);
    };
  }
  void setAnswers(bool answers) {
    const std::lock_guard guard(mutex_);
    answers_ = answers;
  }
  int asked(const QString& destination) {
    const std::lock_guard guard(mutex_);
    return asked_[destination];
  }
  static HostReport answer(const QString& name, const QString& destination, int port,
                           bool answers) {
    HostReport report;
    report.host = name;
    report.destination = destination;
    report.port = port;
    report.reached = answers;
    if (!answers) report.loss.why = QStringLiteral("no SSH server listens there");
    return report;
  }

 private:
  std::mutex mutex_;  ///< guards all below
  std::map<QString, int> asked_;
  bool answers_ = false;
};

PlannedHost planned(const QString& name, const QString& destination, int port) {
  PlannedHost result;
  result.host.name = name;
  result.host.destination = destination;
  result.host.port = port;
  return result;
}

QStringList titles(const RefusingHosts& hosts) {
  HostStatus up;
  up.name = QStringLiteral("lab1");
  up.state = HostStatus::State::Up;
  HostStatus other = up;
  other.name = QStringLiteral("lab2");
  QStringList result;
  for (const auto& trouble : hosts.troubles({up, other})) result << trouble.title;
  return result;
}

}  // namespace

class TestHostTroubles : public QObject {
  Q_OBJECT

  const std::vector<PlannedHost> run_{
      planned(QStringLiteral("lab1"), QStringLiteral("op@10.0.0.1"), 22),
      planned(QStringLiteral("lab2"), QStringLiteral("op@10.0.0.2"), 0)};

 private Q_SLOTS:
  void anAnswerOfAnotherMachineIsNotTheHosts_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("destination");
    QTest::addColumn<int>("port");
    QTest::addColumn<bool>("counts");
    QTest::newRow("the host") << "lab1"
                              << "op@10.0.0.1" << 22 << true;
    QTest::newRow("another machine of that name") << "lab1"
                                                  << "op@10.0.0.9" << 22 << false;
    QTest::newRow("another port") << "lab1"
                                  << "op@10.0.0.1" << 2222 << false;
    QTest::newRow("no host of the run") << "lab3"
                                        << "op@10.0.0.1" << 22 << false;
  }
  void anAnswerOfAnotherMachineIsNotTheHosts() {
    QFETCH(QString, name);
    QFETCH(QString, destination);
    QFETCH(int, port);
    QFETCH(bool, counts);
    Hosts hosts;
    RefusingHosts refusing(hosts.ask());
    const QStringList told{QStringLiteral("lab1 takes no new connection")};
    refusing.note(Hosts::answer(name, destination, port, false), run_);
    QCOMPARE(titles(refusing), counts ? told : QStringList());
    // Nor does it take back what the host itself has refused.
    refusing.note(Hosts::answer("lab1", "op@10.0.0.1", 22, false), run_);
    QCOMPARE(titles(refusing), told);
    refusing.note(Hosts::answer(name, destination, port, true), run_);
    QCOMPARE(titles(refusing), counts ? QStringList() : told);
  }

  void aHostThatHasRefusedIsAskedUntilItAnswers() {
    Hosts hosts;
    RefusingHosts refusing(hosts.ask());
    QSignalSpy changed(&refusing, &RefusingHosts::changed);
    refusing.askAgain();
    refusing.note(Hosts::answer("lab1", "op@10.0.0.1", 22, false), run_);
    QCOMPARE(changed.size(), 1);
    // It refuses again.
    refusing.askAgain();
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 2, 30000);
    QCOMPARE(titles(refusing), QStringList{QStringLiteral("lab1 takes no new connection")});
    hosts.setAnswers(true);
    refusing.askAgain();
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 3, 30000);
    QCOMPARE(titles(refusing), QStringList());
    QCOMPARE(hosts.asked("op@10.0.0.1"), 2);
    // Nobody is asked without need.
    refusing.askAgain();
    QCOMPARE(hosts.asked("op@10.0.0.1"), 2);
    QCOMPARE(hosts.asked("op@10.0.0.2"), 0);
  }

  void theNextRunBeginsWithoutRefusals() {
    Hosts hosts;
    RefusingHosts refusing(hosts.ask());
    refusing.note(Hosts::answer("lab1", "op@10.0.0.1", 22, false), run_);
    refusing.askAgain();
    refusing.clear();
    QCOMPARE(titles(refusing), QStringList());
    refusing.note(Hosts::answer("lab2", "op@10.0.0.2", 0, false), run_);
    refusing.askAgain();
    QTRY_COMPARE_WITH_TIMEOUT(hosts.asked("op@10.0.0.2"), 1, 30000);
    QCOMPARE(titles(refusing), QStringList{QStringLiteral("lab2 takes no new connection")});
  }
};

QTEST_MAIN(TestHostTroubles)
#include "tst_host_troubles.moc"
