// SPDX-License-Identifier: GPL-3.0-or-later
// One federation execution on three hosts that share no memory, with cables that delay and lose,
// and are cut; hosts and nodes that die.
#include <signal.h>
#include <sys/stat.h>

#include <QDir>
#include <QFileInfo>
#include <QtTest>
#include <array>
#include <memory>
#include <set>

#include "federates/process.h"
#include "recorder.h"

using namespace rti1516e;
using federates::memberName;
using federates::Process;
using tutti::test::Cable;
using tutti::test::Network;

namespace {

/// 20 ms and 6 % from host to host.
constexpr Cable longCable{std::chrono::milliseconds(10), 30};
constexpr Cable shortCable{std::chrono::microseconds(100), 0};
constexpr int hosts = 3;
/// What the RTI promises after a death.
constexpr int knownAfter = 2000;

/// Names of processes and what of memory they have that others could have too.
QSet<QString> memoryOf(const std::vector<pid_t>& pids) {
  QSet<QString> found;
  for (const pid_t pid : pids) found += federates::sharedMemoryOf(pid);
  return found;
}

}  // namespace

class tst_hosts : public QObject {
  Q_OBJECT

  std::unique_ptr<LinkedNodes> nodes_;
  QString federation_;

  void makeHosts(Cable cable, const char* homeOptions = "") {
    qputenv("TUTTI_TEST_HOME", homeOptions);
    nodes_ = std::make_unique<LinkedNodes>(uniqueName("host"), hosts, cable);
    qunsetenv("TUTTI_TEST_HOME");
    federation_ = uniqueName("far");
  }
  std::unique_ptr<Process> start(int host, const QStringList& role, int board) {
    const auto visit = nodes_->visit(host);
    Process::Options options;
    options.board = board;
    options.environment = {"TUTTI_RTI=" + nodes_->designator(host)};
    return std::make_unique<Process>(role, options);
  }
  void enter(Recorder& recorder, int host) { nodes_->enter(recorder, host, federation_); }

 private slots:
  void cleanup() { nodes_.reset(); }

  void nothingIsShared();
  void exchangeOverLossyCables();
  void shortCut();
  void separatedLinkedHosts();
  void whatFollowsASeparation();
  void cutCable();
  void whatNobodyWantsDoesNotTravel();
  void theSenderWaitsForAReaderThatStands();
  void nodeKilledWhileItsFederateSends();
};

// What keeps the tests below honest.
void tst_hosts::nothingIsShared() {
  Network network(2);
  const auto write = [](const char* path) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly);
  };
  {
    const Network::Visit visit(network, 0);
    for (const char* path : {"/dev/shm/tutti-test-here", "/tmp/tutti-test-here"}) {
      QVERIFY(write(path));
    }
  }
  const auto nobodyElseHas = [] {
    return !QFileInfo::exists("/dev/shm/tutti-test-here") &&
           !QFileInfo::exists("/tmp/tutti-test-here");
  };
  QVERIFY(nobodyElseHas());
  {
    const Network::Visit visit(network, 1);
    QVERIFY(nobodyElseHas());
  }
  const Network::Visit visit(network, 0);
  QVERIFY(!nobodyElseHas());
}

void tst_hosts::exchangeOverLossyCables() {
  makeHosts(longCable);
  federates::OwnBoard board;
  board->round.store(1);
  std::vector<std::unique_ptr<Process>> members;
  for (int host = 0; host < hosts; ++host) {
    board->members[host].generation.store(1);
    members.push_back(
        start(host, {"member", federation_, QString::number(host), "1"}, board.descriptor()));
  }
  for (int host = 0; host < hosts; ++host) {
    const auto& own = board->members[host];
    QVERIFY2(federates::waitUntil([&] { return own.joinedRound.load() != 0; }, 30000), own.text);
  }
  // Of the processes of a host none has memory of another's.
  std::vector<QSet<QString>> memory;
  for (int host = 0; host < hosts; ++host) {
    memory.push_back(memoryOf({members[host]->pid(), nodes_->nodePid(host)}));
    QVERIFY(!memory[host].isEmpty());
    QVERIFY(federates::sharedMemoryOf(members[host]->pid())
                .intersects(federates::sharedMemoryOf(nodes_->nodePid(host))));
    for (int other = 0; other < host; ++other) QVERIFY(!memory[host].intersects(memory[other]));
  }
  // Each hears an update and, through a grant, an event of each other, three times over. That
  // nothing was lost, doubled or late, they find themselves.
  for (std::uint64_t round = 2; round < 5; ++round) {
    board->round.store(round);
    const auto missing = [&] {
      for (int to = 0; to < hosts; ++to) {
        const auto& own = board->members[to];
        if (own.errors.load() != 0) return QString(own.text);
        for (int from = 0; from < hosts; ++from) {
          if (from == to) continue;
          if (own.updateFrom[from].load() < round || own.eventFrom[from].load() < round) {
            return QString("%1 has not heard of %2").arg(to).arg(from);
          }
        }
      }
      return QString();
    };
    QVERIFY2(federates::waitUntil([&] { return missing().isEmpty(); }, 20000),
             qPrintable(missing()));
  }
  board->stop.store(1);
  for (const auto& member : members) QCOMPARE(member->wait(20000).value_or(-1), 0);
  for (const auto& place : board->members) QVERIFY2(place.errors.load() == 0, place.text);
  QVERIFY(nodes_->network()->counts().dropped > 0);
}

void tst_hosts::shortCut() {
  makeHosts(shortCable);
  Recorder a("a"), b("b");
  enter(a, 0);
  enter(b, 1);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  b.publishInteraction("Event");
  a.subscribeInteraction("Event");
  int sent = 0;
  const auto exchange = [&](int milliseconds) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < milliseconds) {
      ++sent;
      a.send("Message", {{"text", QByteArray::number(sent)}});
      b.send("Event", {{"number", QByteArray::number(sent)}});
      a.pumpUntil([] { return false; }, 2);
      b.pumpUntil([] { return false; }, 2);
    }
  };
  exchange(100);
  nodes_->network()->cut(1);
  const int heard = b.count("receive Message");
  exchange(400);
  QVERIFY(b.count("receive Message") <= heard + 50);  // really cut
  nodes_->network()->join(1);
  exchange(100);
  QVERIFY(b.expect("receive Message", sent));
  QVERIFY(a.expect("receive Event", sent));
  const QStringList lines = b.linesWith("receive Message");
  for (int i = 0; i < sent; ++i) QCOMPARE(lines[i], QString("receive Message text=%1").arg(i + 1));
  QCOMPARE(a.count("lost") + b.count("lost"), 0);
}

// Two linked hosts that no longer reach each other, only the home.
void tst_hosts::separatedLinkedHosts() {
  makeHosts(shortCable);
  Recorder a("a"), b("b");
  enter(a, 1);
  enter(b, 2);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  QVERIFY(nodes_->untilStraight(a, b));
  int sent = 0;
  const auto send = [&](int count) {
    for (int i = 0; i < count; ++i) a.send("Message", {{"text", QByteArray::number(++sent)}});
  };
  const auto inOrder = [&] {
    const QStringList lines = b.linesWith("receive Message");
    for (int i = 0; i < lines.size(); ++i) {
      if (lines[i] != QString("receive Message text=%1").arg(i + 1)) return lines[i];
    }
    return QString();
  };
  send(2000);
  nodes_->network()->separate(1, 2);
  send(2000);
  b.pumpUntil([] { return false; }, 300);
  QVERIFY(b.count("receive Message") < sent);  // they are on the way that there is no more
  // What follows them goes through the home, at once, and still comes behind.
  a.rti().registerFederationSynchronizationPoint(L"behind", VariableLengthData());
  QVERIFY(b.expect("announce behind"));
  QVERIFY2(b.linesWith("receive Message").size() == sent, qPrintable(QString::number(sent)));
  QVERIFY(b.log().last().startsWith("announce"));
  QCOMPARE(inOrder(), QString());
  send(1000);
  QVERIFY(b.expect("receive Message", sent));
  // Straight again when there is a way again; and then without one once more, in the middle.
  nodes_->network()->unite(1, 2);
  QVERIFY(nodes_->untilStraight(a, b));
  sent = 0;
  send(1000);
  nodes_->network()->separate(1, 2);
  send(1000);
  QVERIFY(b.expect("receive Message", sent));
  b.pumpUntil([] { return false; }, 200);
  QCOMPARE(b.count("receive Message"), sent);
  QCOMPARE(inOrder(), QString());
  QCOMPARE(a.count("lost") + b.count("lost"), 0);
}

// What goes through the home does not overtake what it has come of: the next owner's value, and the
// end.
void tst_hosts::whatFollowsASeparation() {
  makeHosts(shortCable);
  Recorder a("a"), b("b"), c("c");
  enter(a, 1);
  enter(b, 2);
  enter(c, 0);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  for (Recorder* r : {&a, &c}) r->publish("Vehicle", {"position"});
  for (Recorder* r : {&b, &c}) r->subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  const auto bus = a.registerInstance("Vehicle");
  QVERIFY(c.expect("discover", 2));
  QVERIFY(nodes_->untilStraight(a, b));
  const auto position = a.attributes("Vehicle", {"position"});
  const auto updates = [&](ObjectInstanceHandle instance) {
    for (int i = 0; i < 500; ++i) {
      a.update(instance, "Vehicle", {{"position", QByteArray::number(i)}});
    }
  };
  nodes_->network()->separate(1, 2);
  updates(car);
  a.rti().unconditionalAttributeOwnershipDivestiture(car, position);
  c.rti().attributeOwnershipAcquisitionIfAvailable(car, position);
  QVERIFY(c.pumpUntil([&] { return c.rti().isAttributeOwnedByFederate(car, *position.begin()); }));
  c.update(car, "Vehicle", {{"position", "of the next"}});
  QVERIFY(b.expect("reflect", 501));
  QVERIFY(b.log().last().contains("of the next"));
  b.clearLog();
  nodes_->network()->unite(1, 2);
  QVERIFY(nodes_->untilStraight(a, b));
  nodes_->network()->separate(1, 2);
  updates(bus);
  a.leave(DELETE_OBJECTS);
  QVERIFY(b.expect("remove"));
  QCOMPARE(b.count("reflect"), 500);
  QVERIFY(b.log().last().startsWith("remove"));
}

// Without a grace a link is lost as soon as nothing is acknowledged any more.
void tst_hosts::cutCable() {
  makeHosts(shortCable, "--grace 0");
  Recorder a("a"), b("b"), c("c"), d("d");
  enter(a, 0);
  enter(b, 1);
  enter(c, 2);
  enter(d, 2);
  c.publish("Vehicle", {"position"});
  for (Recorder* r : {&a, &b, &d}) r->subscribe("Vehicle", {"position"});
  c.rti().setAutomaticResignDirective(DELETE_OBJECTS_THEN_DIVEST);
  c.registerInstance("Vehicle");
  for (Recorder* r : {&a, &b, &d}) QVERIFY(r->expect("discover"));
  const InteractionClassHandle report =
      a.rti().getInteractionClassHandle(L"HLAmanager.HLAfederate.HLAreport.HLAreportFederateLost");
  a.rti().subscribeInteractionClass(report);
  a.rti().enableAsynchronousDelivery();
  a.rti().enableTimeConstrained();
  c.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
  QVERIFY(c.expect("regulating"));
  QVERIFY(a.expect("constrained"));
  a.rti().timeAdvanceRequest(HLAfloat64Time(5));
  a.pumpUntil([] { return false; }, 50);
  QCOMPARE(a.count("granted"), 0);

  QElapsedTimer timer;
  timer.start();
  nodes_->network()->cut(2);
  // There: within 2 s, and no call hangs.
  QVERIFY(c.expect("lost", 1, knownAfter));
  QVERIFY(d.expect("lost", 1, 500));
  QVERIFY_EXCEPTION_THROWN(c.publishInteraction("Message"), NotConnected);
  // Here: the object goes, time goes on, the loss is reported.
  QVERIFY(a.expect("remove", 1, knownAfter));
  QVERIFY(b.expect("remove", 1, knownAfter));
  qInfo("all knew of the cut after %lld ms", static_cast<long long>(timer.elapsed()));
  QVERIFY(a.expect("granted 5"));
  QVERIFY(a.expect("receive HLAreportFederateLost", 2));
  b.publishInteraction("Message");
  a.subscribeInteraction("Message");
  b.send("Message", {{"text", "still here"}});
  QVERIFY(a.expect("receive Message"));
  // The cable is joined: a new node links, and the federate is back.
  nodes_->network()->join(2);
  c.kill();
  Recorder again("c");
  enter(again, 2);
  again.subscribeInteraction("Message");
  b.send("Message", {{"text", "welcome back"}});
  QVERIFY(again.expect("receive Message text=welcome back"));
}

// Counted on the cables: what no federate there is subscribed to, or is not within its region.
void tst_hosts::whatNobodyWantsDoesNotTravel() {
  makeHosts(shortCable);
  Recorder a("a"), b("b"), c("c");
  for (Recorder* r : {&a, &b, &c}) {
    nodes_->connect(*r, r == &a ? 0 : r == &b ? 1 : 2);
    try {
      r->create(federation_, {QString(TUTTI_SOURCE_DIR) + "/tests/conformance/regions.xml"});
    } catch (const FederationExecutionAlreadyExists&) {
    }
    r->join(federation_);
  }
  a.publish("Thing", {"track"});
  const auto track = a.attributes("Thing", {"track"});
  const auto regionAt = [](Recorder& r, unsigned long lower) {
    const DimensionHandle x = r.rti().getDimensionHandle(L"X");
    const RegionHandle region = r.rti().createRegion({x});
    r.rti().setRangeBounds(region, x, RangeBounds(lower, lower + 10));
    r.rti().commitRegionModifications({region});
    return region;
  };
  const auto thing = a.rti().registerObjectInstanceWithRegions(a.objectClass("Thing"),
                                                               {{track, {regionAt(a, 100)}}});
  const auto view = [&](Recorder& r, unsigned long lower) {
    r.rti().subscribeObjectClassAttributesWithRegions(r.objectClass("Thing"),
                                                      {{track, {regionAt(r, lower)}}});
  };
  view(b, 0);
  const QByteArray value(1000, 'x');
  constexpr int count = 2000;  // two in a frame at most: three would not fit
  const auto frames = [&] {
    const auto before = nodes_->network()->counts().passed;
    for (int i = 0; i < count; ++i) a.update(thing, "Thing", {{"track", value}});
    b.pumpUntil([&] { return b.count("reflect") != 0; }, 200);
    return nodes_->network()->counts().passed - before;
  };
  // Beside those that hosts exchange anyway in the time that this takes.
  QElapsedTimer timer;
  timer.start();
  const auto unwanted = frames();
  const auto duration = timer.elapsed();
  const auto idleBefore = nodes_->network()->counts().passed;
  b.pumpFor(static_cast<int>(duration));
  const auto idle = nodes_->network()->counts().passed - idleBefore;
  QVERIFY2(unwanted < idle + 200,
           qPrintable(QString("%1, and %2 without any update").arg(unwanted).arg(idle)));
  view(c, 95);
  const auto received = [&] { return c.count("reflect") == count; };
  const auto before = nodes_->network()->counts().passed;
  for (int i = 0; i < count; ++i) a.update(thing, "Thing", {{"track", value}});
  QVERIFY(c.pumpUntil(received));
  const auto wanted = nodes_->network()->counts().passed - before;
  QVERIFY2(wanted > count, qPrintable(QString::number(wanted)));  // each passes two cables
  QCOMPARE(b.count("reflect"), 0);
}

// Reliable means that nothing is dropped: what finds no room is waited for where it is sent, and
// memory does not grow meanwhile.
void tst_hosts::theSenderWaitsForAReaderThatStands() {
  makeHosts({});
  Recorder reader("reader");
  enter(reader, 2);
  reader.subscribe("Vehicle", {"position"});
  reader.quiet = true;
  std::uint64_t heard = 0;
  bool inOrder = true;
  reader.onReflect = [&](auto, const AttributeHandleValueMap& values) {
    std::uint64_t number = 0;
    std::memcpy(&number, values.begin()->second.data(), sizeof number);
    inOrder = inOrder && number == ++heard;
  };
  constexpr std::uint64_t count = 3000;  // of 100 kB
  federates::OwnBoard board;
  auto& own = board->members[0];
  const auto sender =
      start(1, {"sender", federation_, "s", QString::number(count), "100000"}, board.descriptor());
  // It stands when it is in the middle of an update for a while.
  std::uint64_t last = 0;
  QElapsedTimer standing;
  const bool stands = federates::waitUntil([&] {
    if (const std::uint64_t now = own.begun.load(); now != last || now == 0) {
      last = now;
      standing.start();
    }
    return standing.isValid() && standing.elapsed() > 1000;
  });
  QVERIFY(stands);
  QVERIFY2(own.begun.load() < count, qPrintable(QString::number(own.begun.load())));
  QCOMPARE(own.ended.load(), own.begun.load() - 1);
  {
    const auto visit = nodes_->visit(2);
    const auto status = federates::nodeStatus(nodes_->nodeName(2));
    QVERIFY(status && !status->federations.empty());
    const auto committed = status->federations.front().committedBytes;
    QVERIFY2(committed < 150'000'000, qPrintable(QString::number(committed)));
  }
  // It goes on with the reader, and all arrives.
  QVERIFY2(reader.pumpUntil([&] { return heard == count; }, 30000),
           qPrintable(QString("%1 of %2 sent").arg(heard).arg(own.ended.load())));
  QVERIFY(inOrder);
}

void tst_hosts::nodeKilledWhileItsFederateSends() {
  makeHosts(shortCable);
  Recorder a("a"), b("b");
  enter(a, 0);
  enter(b, 1);
  std::vector<std::uint64_t> heard[2];
  Recorder* const receivers[] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    receivers[i]->quiet = true;
    receivers[i]->onReflect = [&, i](auto, const AttributeHandleValueMap& values) {
      std::uint64_t number = 0;
      std::memcpy(&number, values.begin()->second.data(), sizeof number);
      heard[i].push_back(number);
    };
    receivers[i]->subscribe("Vehicle", {"position"});
  }
  federates::OwnBoard board;
  auto& own = board->members[0];
  const auto sender = start(2, {"sender", federation_, "s"}, board.descriptor());
  QVERIFY(a.pumpUntil([&] { return heard[0].size() > 1000; }));
  const int node = nodes_->nodePid(2);
  ::kill(node, SIGKILL);
  const std::uint64_t sent = own.ended.load();
  // In the middle of it: the federate went on sending, and knows only then.
  QVERIFY(sent > 1000);
  const auto status = sender->wait(knownAfter);
  QVERIFY(status.has_value());
  QVERIFY(WIFEXITED(*status) && WEXITSTATUS(*status) == 1);
  QVERIFY(own.begun.load() > sent);
  // The others know of the end, and have all up to some point, without a gap.
  const auto gone = [&](Recorder& r) {
    return r.pumpUntil(
        [&] {
          try {
            r.rti().getFederateHandle(L"s");
            return false;
          } catch (const NameNotFound&) {
            return true;
          }
        },
        knownAfter);
  };
  QVERIFY(gone(a));
  QVERIFY(gone(b));
  for (Recorder* r : receivers) r->pump();
  for (const auto& numbers : heard) {
    QVERIFY(!numbers.empty());
    for (std::size_t i = 1; i < numbers.size(); ++i) QCOMPARE(numbers[i], numbers[i - 1] + 1);
    QVERIFY(numbers.back() <= own.begun.load());
  }
}

QTEST_GUILESS_MAIN(tst_hosts)
#include "tst_hosts.moc"
