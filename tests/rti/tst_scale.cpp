// SPDX-License-Identifier: GPL-3.0-or-later
// Not a two-federate toy: many federates in several processes, late ones, stopped ones.
#include <signal.h>

#include <QTemporaryDir>
#include <QtTest>
#include <memory>
#include <vector>

#include "federates/process.h"
#include "recorder.h"

using namespace rti1516e;
using federates::nodeStatus;
using federates::Process;

class tst_scale : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;
  std::vector<std::unique_ptr<Process>> crowds_;

  /// `processes` crowds with `each` federates, joined; false when one failed.
  bool start(int processes, int each);
  bool tellAll(const QString& command, const QString& answer);
  std::uint64_t requests() { return nodeStatus(node_.name())->requests; }
  std::uint64_t logNumber();

 private slots:
  void init() { federation_ = uniqueName("scale"); }
  void cleanup() { crowds_.clear(); }
  void everyoneHearsEveryone_data();
  void everyoneHearsEveryone();
  void blockedSendersDoNotBlockEachOther();
  void threeHundredDiscoverEachOther();
  void lateJoinerWhileOneIsStopped_data();
  void lateJoinerWhileOneIsStopped();
  void updatesCauseNoRequest_data();
  void updatesCauseNoRequest();
  void aFastSenderCausesFewRequests();
};

bool tst_scale::start(int processes, int each) {
  for (int i = 0; i < processes; ++i) {
    crowds_.push_back(std::make_unique<Process>(QStringList{"crowd"}));
    // One after the other: the first one starts the node and makes the federation execution.
    const QString answer =
        crowds_.back()->ask(QString("join %1 %2 %3").arg(federation_).arg(i * each).arg(each));
    if (answer != "joined") {
      qWarning("%s", qPrintable(answer));
      return false;
    }
  }
  return true;
}

std::uint64_t tst_scale::logNumber() {
  const auto status = nodeStatus(node_.name());
  for (const auto& federation : status->federations) {
    if (federation.federation == federation_.toStdString()) return federation.logNumber;
  }
  return 0;
}

bool tst_scale::tellAll(const QString& command, const QString& answer) {
  for (auto& crowd : crowds_) crowd->say(command);
  bool all = true;
  for (auto& crowd : crowds_) {
    const QString got = crowd->listen(50000).value_or("(nothing)");
    if (got == answer) continue;
    qWarning("'%s' was answered with '%s', not with '%s'", qPrintable(command), qPrintable(got),
             qPrintable(answer));
    all = false;
  }
  return all;
}

void tst_scale::everyoneHearsEveryone_data() {
  QTest::addColumn<QString>("classes");
  QTest::newRow("one class") << "plain";
  QTest::newRow("two classes and an interaction") << "mixed";
}

void tst_scale::everyoneHearsEveryone() {
  QFETCH(QString, classes);
  const int processes = 6;
  const int each = 5;
  const int others = processes * each - 1;
  const int rounds = 20;
  const int batch = 8;
  QVERIFY(start(processes, each));
  QVERIFY(tellAll("declare " + classes, "declared"));
  QVERIFY(tellAll("register", "registered"));
  const int instances = others * (classes == "mixed" ? 2 : 1);
  QVERIFY(tellAll(QString("discovered %1").arg(instances),
                  QString("discovered received 0 errors 0 senders 0 discovered %1 values 0 "
                          "provided 0")
                      .arg(each * instances)));
  // Each of 30 hears each of the 29 others exactly once and in order.
  QVERIFY(tellAll(QString("exchange %1 %2 %3").arg(others).arg(rounds).arg(batch),
                  QString("exchanged received %1 errors 0 senders %2 discovered %3 values 0 "
                          "provided 0")
                      .arg(each * others * rounds * batch)
                      .arg(others)
                      .arg(each * instances)));
  QCOMPARE(federates::joinedNames(node_.name(), federation_).size(), others + 1);
  QVERIFY(tellAll("leave", "left"));
  QCOMPARE(federates::joinedNames(node_.name(), federation_).size(), 0);
}

void tst_scale::blockedSendersDoNotBlockEachOther() {
  // Far more than the rings hold, sent before anyone evokes: senders of one process must go on
  // while the others' process waits for them.
  const int processes = 3;
  const int each = 2;
  const int others = processes * each - 1;
  const int count = 12000;
  QVERIFY(start(processes, each));
  QVERIFY(tellAll("declare plain", "declared"));
  QVERIFY(tellAll("register", "registered"));
  QVERIFY(tellAll(QString("burst %1 %2").arg(count).arg(others),
                  QString("heard received %1 errors 0 senders %2 discovered %3 values 0 provided 0")
                      .arg(each * others * count)
                      .arg(others)
                      .arg(each * others)));
}

void tst_scale::threeHundredDiscoverEachOther() {
  const int processes = 6;
  const int each = 50;
  const int others = processes * each - 1;
  QVERIFY(start(processes, each));
  QVERIFY(tellAll("declare plain", "declared"));
  QVERIFY(tellAll("register", "registered"));
  QVERIFY(tellAll(QString("discovered %1").arg(others),
                  QString("discovered received 0 errors 0 senders 0 discovered %1 values 0 "
                          "provided 0")
                      .arg(each * others)));

  QProcess program;
  program.start(QString(TUTTI_BINARY_DIR) + "/bin/tutti-rti",
                {"--status", "--json", "--shm", node_.name()});
  QVERIFY(program.waitForFinished());
  const auto status =
      QJsonDocument::fromJson(program.readAllStandardOutput()).object()["nodes"][0].toObject();
  int joined = 0;
  for (const auto& federation : status["federations"].toArray()) {
    if (federation.toObject()["name"] != federation_) continue;
    for (const auto& federate : federation.toObject()["federates"].toArray()) {
      joined += federate.toObject()["state"] == "joined" ? 1 : 0;
    }
  }
  QCOMPARE(joined, others + 1);
  const double used = status["committedBytes"].toDouble();
  const double budget = status["budgetBytes"].toDouble();
  const double rings = (others + 1.0) * others;
  qInfo("300 federates, %.0f rings: %.0f MiB of a budget of %.0f MiB", rings, used / (1 << 20),
        budget / (1 << 20));
  // There is a ring from each to each, and what they take fits a machine of 2 GiB.
  QVERIFY(used >= rings * 4096);
  QVERIFY(used <= budget);
  QVERIFY(used <= 512.0 * (1 << 20));
}

void tst_scale::lateJoinerWhileOneIsStopped_data() {
  QTest::addColumn<bool>("automatic");
  QTest::newRow("values requested") << false;
  QTest::newRow("auto-provide") << true;
}

void tst_scale::lateJoinerWhileOneIsStopped() {
  QFETCH(bool, automatic);
  QTemporaryDir folder;
  QFile fom(testFom());
  QVERIFY(fom.open(QIODevice::ReadOnly));
  QByteArray model = fom.readAll();
  const QByteArray off = "<autoProvide isEnabled=\"false\"/>";
  QVERIFY(model.contains(off));
  if (automatic) model.replace(off, "<autoProvide isEnabled=\"true\"/>");
  QFile changed(folder.filePath("fom.xml"));
  QVERIFY(changed.open(QIODevice::WriteOnly));
  changed.write(model);
  changed.close();

  Recorder late("late");
  late.connect();
  late.create(federation_, {changed.fileName()});
  const int each = 3;
  QVERIFY(start(3, each));
  QVERIFY(tellAll("declare mixed", "declared"));
  QVERIFY(tellAll("register", "registered"));
  QVERIFY(tellAll("serve", "serving"));

  Process& stopped = *crowds_[1];
  stopped.signal(SIGSTOP);
  QVERIFY(federates::waitUntil([&] { return stopped.state() == 'T'; }));
  late.join(federation_);
  late.subscribe("Vehicle", {"position"});
  late.subscribe("Vehicle.Truck", {"load"});
  const int instances = 3 * each * 2;
  QVERIFY(late.expect("discover", instances));
  if (!automatic) {
    late.rti().requestAttributeValueUpdate(late.objectClass("Vehicle"),
                                           late.attributes("Vehicle", {"position"}), {});
    late.rti().requestAttributeValueUpdate(late.objectClass("Vehicle.Truck"),
                                           late.attributes("Vehicle.Truck", {"load"}), {});
  }
  const auto valued = [&] {
    QSet<QString> names;
    for (const QString& line : late.linesWith("reflect")) names << line.section(' ', 1, 1);
    return names.size();
  };
  QVERIFY(late.pumpUntil([&] { return valued() == 2 * each * 2; }));
  late.pump();
  QCOMPARE(late.count("discover"), instances);
  QCOMPARE(valued(), 2 * each * 2);
  QCOMPARE(stopped.state(), 'T');  // all of that happened without it

  stopped.signal(SIGCONT);
  QVERIFY(late.pumpUntil([&] { return valued() == instances; }));
}

void tst_scale::updatesCauseNoRequest_data() {
  QTest::addColumn<int>("processes");
  QTest::addColumn<int>("each");
  QTest::addColumn<QString>("classes");
  QTest::addColumn<int>("rounds");
  QTest::newRow("2 federates") << 2 << 1 << "plain" << 3125;
  QTest::newRow("2 federates, mixed") << 2 << 1 << "mixed" << 3125;
  QTest::newRow("8 federates, mixed") << 4 << 2 << "mixed" << 782;
  QTest::newRow("30 federates, mixed") << 6 << 5 << "mixed" << 209;
}

void tst_scale::updatesCauseNoRequest() {
  QFETCH(int, processes);
  QFETCH(int, each);
  QFETCH(QString, classes);
  QFETCH(int, rounds);
  const int others = processes * each - 1;
  const int batch = 16;
  QVERIFY((others + 1) * rounds * batch >= 100000);
  QVERIFY(start(processes, each));
  QVERIFY(tellAll("declare " + classes, "declared"));
  QVERIFY(tellAll("register", "registered"));
  const int instances = others * (classes == "mixed" ? 2 : 1);
  QVERIFY(tellAll(QString("discovered %1").arg(instances),
                  QString("discovered received 0 errors 0 senders 0 discovered %1 values 0 "
                          "provided 0")
                      .arg(each * instances)));
  const auto requestsBefore = requests();
  const auto logBefore = logNumber();
  QVERIFY(tellAll(QString("exchange %1 %2 %3").arg(others).arg(rounds).arg(batch),
                  QString("exchanged received %1 errors 0 senders %2 discovered %3 values 0 "
                          "provided 0")
                      .arg(each * others * rounds * batch)
                      .arg(others)
                      .arg(each * instances)));
  QCOMPARE(logNumber(), logBefore);
  const auto answered = requests() - requestsBefore;
  QVERIFY2(answered == 0, qPrintable(QString("%1 requests").arg(answered)));
}

void tst_scale::aFastSenderCausesFewRequests() {
  // A sender that is faster than its receiver asks for larger rings, until they are large.
  const int count = 100000;
  QVERIFY(start(2, 1));
  QVERIFY(tellAll("declare plain", "declared"));
  QVERIFY(tellAll("register", "registered"));
  const auto logBefore = logNumber();
  const auto requestsBefore = requests();
  crowds_[0]->say(QString("send %1").arg(count));
  QCOMPARE(
      crowds_[1]->ask(QString("hear %1").arg(count)),
      QString("heard received %1 errors 0 senders 1 discovered 1 values 0 provided 0").arg(count));
  QCOMPARE(crowds_[0]->listen().value_or("(nothing)"), QString("sent"));
  const auto grown = requests() - requestsBefore;
  QVERIFY2(grown <= 6, qPrintable(QString("%1 requests").arg(grown)));
  QCOMPARE(logNumber(), logBefore);
}

QTEST_GUILESS_MAIN(tst_scale)
#include "tst_scale.moc"
