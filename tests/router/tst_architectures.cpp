// SPDX-License-Identifier: GPL-3.0-or-later
// The way that messages take: decentralized, federated, centralized. What a federate sees is the
// same; what it depends on is not, which a stopped node shows.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>

#include "recorder.h"

using namespace rti1516e;

namespace {

/// A process stands still while this lives.
class Stopped {
 public:
  explicit Stopped(qint64 pid) : pid_(static_cast<pid_t>(pid)) { ::kill(pid_, SIGSTOP); }
  ~Stopped() { ::kill(pid_, SIGCONT); }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;

 private:
  pid_t pid_;
};

/// Who connects while this lives asks for the architecture.
class Chosen {
 public:
  explicit Chosen(const QByteArray& architecture) { qputenv("TUTTI_ARCHITECTURE", architecture); }
  ~Chosen() { qunsetenv("TUTTI_ARCHITECTURE"); }
  Chosen(const Chosen&) = delete;
  Chosen& operator=(const Chosen&) = delete;
};

/// Long enough for a message to arrive that nothing holds up.
constexpr int aWhile = 300;

}  // namespace

class tst_architectures : public QObject {
  Q_OBJECT

  std::unique_ptr<LinkedNodes> nodes_;
  QString federation_;

  void enter(Recorder& recorder, int host, const QByteArray& architecture) {
    const Chosen chosen(architecture);
    nodes_->enter(recorder, host, federation_);
  }

 private slots:
  void init() {
    nodes_ = std::make_unique<LinkedNodes>(uniqueName("way"), 3);
    federation_ = uniqueName("way");
  }
  void cleanup() { nodes_.reset(); }

  void whoMayStandStill_data();
  void whoMayStandStill();
  void allTogether();
  void inTheDesignator();
  void noArchitecture();
  void aFederateIsKilled_data();
  void aFederateIsKilled();
  void destroyedAfterTheLastLeft();
};

void tst_architectures::whoMayStandStill_data() {
  QTest::addColumn<QByteArray>("architecture");
  QTest::addColumn<int>("host");     // of both federates
  QTest::addColumn<int>("stopped");  // whose node stands
  QTest::addColumn<bool>("arrives");
  QTest::newRow("decentralized: straight to the other")
      << QByteArray("decentralized") << 1 << 1 << true;
  QTest::newRow("federated: through the node") << QByteArray("federated") << 1 << 1 << false;
  QTest::newRow("federated: not through the home") << QByteArray("federated") << 1 << 0 << true;
  QTest::newRow("centralized: through the home") << QByteArray("centralized") << 1 << 0 << false;
  QTest::newRow("federated: at the home") << QByteArray("federated") << 0 << 0 << false;
  QTest::newRow("centralized: at the home") << QByteArray("centralized") << 0 << 0 << false;
}

void tst_architectures::whoMayStandStill() {
  QFETCH(QByteArray, architecture);
  QFETCH(int, host);
  QFETCH(int, stopped);
  QFETCH(bool, arrives);
  Recorder a("a"), b("b");
  enter(a, host, architecture);
  enter(b, host, architecture);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  a.send("Message", {{"text", "before"}});
  QVERIFY(b.expect("receive Message"));
  {
    const Stopped standing(OwnNode::pidOf(nodes_->nodeName(stopped)));
    a.send("Message", {{"text", "meanwhile"}});
    QCOMPARE(b.pumpUntil([&] { return b.count("receive Message") == 2; }, aWhile), arrives);
  }
  QVERIFY(b.pumpUntil([&] { return b.count("receive Message") == 2; }));
}

void tst_architectures::allTogether() {
  // Each is asked for by a federate, so one federation execution may have all of them.
  std::vector<std::unique_ptr<Recorder>> all;
  for (int host = 0; host < 3; ++host) {
    for (const char* one : {"decentralized", "federated", "centralized"}) {
      all.push_back(std::make_unique<Recorder>(QString("%1-%2").arg(one).arg(host)));
      enter(*all.back(), host, one);
    }
  }
  for (auto& one : all) {
    one->publish("Vehicle", {"position"});
    one->subscribe("Vehicle", {"position"});
  }
  for (auto& one : all) {
    const auto car = one->registerInstance("Vehicle");
    one->update(car, "Vehicle", {{"position", one->name().toUtf8()}});
  }
  const int others = static_cast<int>(all.size()) - 1;
  for (auto& one : all) {
    QVERIFY2(one->expect("reflect", others), qPrintable(one->name()));
    QCOMPARE(one->count("discover"), others);
  }
}

void tst_architectures::inTheDesignator() {
  Recorder a("a"), b("b");
  const QByteArray before = qgetenv("TUTTI_RTI");
  qputenv("TUTTI_RTI", (nodes_->designator(1) + ";architecture=centralized").toUtf8());
  a.connect();
  b.connect();
  qputenv("TUTTI_RTI", before);
  a.create(federation_, {testFom()});
  a.join(federation_);
  b.join(federation_);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  const Stopped standing(nodes_->homePid());
  a.send("Message", {{"text", "meanwhile"}});
  QVERIFY(!b.pumpUntil([&] { return b.count("receive Message") == 1; }, aWhile));
}

void tst_architectures::noArchitecture() {
  const Chosen chosen("anarchic");
  Recorder a("a");
  QVERIFY_EXCEPTION_THROWN(nodes_->connect(a, 0), InvalidLocalSettingsDesignator);
}

void tst_architectures::aFederateIsKilled_data() {
  QTest::addColumn<QByteArray>("architecture");
  QTest::addColumn<int>("host");
  for (const char* one : {"federated", "centralized"}) {
    QTest::addRow("%s, at the home", one) << QByteArray(one) << 0;
    QTest::addRow("%s, elsewhere", one) << QByteArray(one) << 1;
  }
}

void tst_architectures::aFederateIsKilled() {
  QFETCH(QByteArray, architecture);
  QFETCH(int, host);
  Recorder watcher("watcher");
  enter(watcher, 2, "decentralized");
  watcher.subscribe("Vehicle", {"position"});
  watcher.quiet = true;
  int sending[2];
  QCOMPARE(::pipe(sending), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Recorder victim("victim");
    enter(victim, host, architecture);
    victim.publish("Vehicle", {"position"});
    victim.rti().setAutomaticResignDirective(DELETE_OBJECTS_THEN_DIVEST);
    const auto car = victim.registerInstance("Vehicle");
    for (int i = 0;; ++i) {
      victim.update(car, "Vehicle", {{"position", QByteArray(1000, 'x')}});
      if (i == 1000 && ::write(sending[1], "!", 1) != 1) ::_exit(1);
    }
  }
  char byte = 0;
  QCOMPARE(::read(sending[0], &byte, 1), ssize_t{1});  // it is amid sending
  ::kill(child, SIGKILL);
  int status = 0;
  QCOMPARE(::waitpid(child, &status, 0), child);
  QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  ::close(sending[0]);
  ::close(sending[1]);
  QVERIFY(watcher.pumpUntil([&] { return watcher.count("remove") == 1; }));
  QVERIFY(watcher.reflections >= 1000);
  // The name is free, and the execution as good as before.
  Recorder again("victim");
  enter(again, host, architecture);
  again.publish("Vehicle", {"position"});
  again.update(again.registerInstance("Vehicle"), "Vehicle", {{"position", "here"}});
  const long seen = watcher.reflections;
  QVERIFY(watcher.pumpUntil([&] { return watcher.reflections > seen; }));
}

void tst_architectures::destroyedAfterTheLastLeft() {
  Recorder a("a"), b("b");
  enter(a, 1, "federated");
  enter(b, 1, "centralized");
  a.leave();
  b.rti().resignFederationExecution(NO_ACTION);
  b.rti().destroyFederationExecution(federation_.toStdWString());
  QVERIFY_EXCEPTION_THROWN(b.join(federation_), FederationExecutionDoesNotExist);
  b.create(federation_, {testFom()});
  b.join(federation_);
}

QTEST_GUILESS_MAIN(tst_architectures)
#include "tst_architectures.moc"
