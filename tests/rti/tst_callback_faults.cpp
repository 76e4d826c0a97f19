// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong in callbacks is told to the node: exceptions that a federate throws out of them.
// A federate that cannot take what is sent to it loses its connection.
#include <sys/mman.h>
#include <unistd.h>

#include <QRegularExpression>
#include <QtTest>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>

#include "../node/node_process.h"
#include "federates/process.h"
#include "fabric/layout.h"
#include "observe/observer.h"
#include "recorder.h"

using namespace rti1516e;
using tutti::test::NodeProcess;
using tutti::test::uniqueNode;

namespace {

/// Throws in receiveInteraction.
class Thrower : public NullFederateAmbassador {
 public:
  std::function<void()> thrower;
  int thrown = 0;

  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                          const VariableLengthData&, OrderType, TransportationType,
                          SupplementalReceiveInfo) override {
    ++thrown;
    thrower();
  }
  using NullFederateAmbassador::receiveInteraction;
};

struct Alone : NullFederateAmbassador {
  void connectionLost(const std::wstring&) override { ++lost; }
  std::atomic<int> lost{0};
};

/// What this process has mapped of the federation execution that it alone is in: its control log is
/// said to be longer than it is, for this process only, so that reading it fails each time.
bool breakControlLog() {
  QFile maps("/proc/self/maps");
  if (!maps.open(QIODevice::ReadOnly)) return false;
  const auto pageBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const QByteArray& line : maps.readAll().split('\n')) {
    if (!line.contains("memfd:")) continue;
    void* const start = reinterpret_cast<void*>(line.left(line.indexOf('-')).toULongLong(nullptr, 16));
    tutti::fabric::ArenaHeader header;
    std::memcpy(static_cast<void*>(&header), start, sizeof header);
    if (header.magic != tutti::fabric::ArenaHeader::magicValue) continue;
    std::vector<std::byte> page(pageBytes);
    std::memcpy(page.data(), start, pageBytes);
    if (::mmap(start, pageBytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != start) {
      return false;
    }
    reinterpret_cast<tutti::fabric::ArenaHeader*>(page.data())->logTail += 1000;
    std::memcpy(start, page.data(), pageBytes);
    return true;
  }
  return false;
}

}  // namespace

class tst_callback_faults : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    node_ = std::make_unique<NodeProcess>();
    name_ = uniqueNode("callbacks");
    QVERIFY(node_->start(name_));
    qputenv("TUTTI_RTI", QByteArray("shm:") + name_.c_str());
  }
  void cleanup() { node_.reset(); }

  void anExceptionIsLoggedOnceAndCounted_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("text");
    QTest::newRow("of the library") << "out_of_range"
                                    << "std::out_of_range"
                                    << "map::at \\u001b[2J";
    QTest::newRow("of the standard") << "internal"
                                     << "rti1516e::FederateInternalError"
                                     << "no fuel";
    QTest::newRow("no class") << "int"
                              << "int"
                              << "";
  }
  void anExceptionIsLoggedOnceAndCounted() {
    QFETCH(QString, kind);
    QFETCH(QString, type);
    QFETCH(QString, text);
    Thrower thrower;
    thrower.thrower = [&] {
      if (kind == "int") throw 42;
      if (kind == "internal") throw FederateInternalError(L"no fuel");
      throw std::out_of_range("map::at \x1b[2J");
    };
    const QString federation = uniqueName("throwing");
    Recorder a("a");
    a.enter(federation);
    a.publishInteraction("Message");
    std::unique_ptr<RTIambassador> b(RTIambassadorFactory().createRTIambassador().release());
    b->connect(thrower, HLA_EVOKED);
    for (int membership = 1; membership <= 2; ++membership) {
      b->joinFederationExecution(L"radar", L"sensor", federation.toStdWString());
      b->subscribeInteractionClass(b->getInteractionClassHandle(L"Message"));
      for (int i = 0; i < 12; ++i) a.send("Message", {{"text", "now"}});
      QVERIFY(a.pumpUntil([&] {
        b->evokeCallback(0.0);
        return thrower.thrown == 12 * membership;
      }));
      const auto faults = faultsOf("radar");
      QCOMPARE(faults.size(), std::size_t{1});
      QCOMPARE(faults[0].callback, std::string("receiveInteraction"));
      QCOMPARE(faults[0].type, type.toStdString());
      QCOMPARE(faults[0].count, std::uint64_t{10});
      b->resignFederationExecution(NO_ACTION);
      // It is another member that joins, of which the node knows nothing yet.
      QTRY_COMPARE_WITH_TIMEOUT(node_->log().count("threw out of its callback"), membership, 10'000);
    }
    b->disconnect();
    const QString line = node_->log().split('\n').filter("threw out of its callback").value(0);
    QVERIFY2(line.contains("'radar'") && line.contains("receiveInteraction: " + type),
             qPrintable(line));
    QVERIFY2(line.contains(text), qPrintable(line));
    const auto shown =
        node_->run({"--status", "--shm", QString::fromStdString(name_)}).out;
    QVERIFY2(shown.contains("exceptions out of its callback receiveInteraction (at least 10): " +
                            type),
             qPrintable(shown));
  }

  void kindsHaveALimit() {
    // A federate that invents a new text each time is of one kind all the same.
    Thrower thrower;
    thrower.thrower = [&] { throw std::runtime_error("value " + std::to_string(thrower.thrown)); };
    const QString federation = uniqueName("throwing");
    Recorder a("a");
    a.enter(federation);
    a.publishInteraction("Message");
    std::unique_ptr<RTIambassador> b(RTIambassadorFactory().createRTIambassador().release());
    b->connect(thrower, HLA_EVOKED);
    b->joinFederationExecution(L"radar", L"sensor", federation.toStdWString());
    b->subscribeInteractionClass(b->getInteractionClassHandle(L"Message"));
    for (int i = 0; i < 100; ++i) a.send("Message", {{"text", "now"}});
    QVERIFY(a.pumpUntil([&] {
      b->evokeCallback(0.0);
      return thrower.thrown == 100;
    }));
    const auto faults = faultsOf("radar");
    QCOMPARE(faults.size(), std::size_t{1});
    QCOMPARE(faults[0].text, std::string("value 1"));
    QCOMPARE(faults[0].count, std::uint64_t{100});
    b->resignFederationExecution(NO_ACTION);
    b->disconnect();
  }

  void aDamagedLogEndsTheConnection() {
    Alone alone;
    std::unique_ptr<RTIambassador> rti(RTIambassadorFactory().createRTIambassador().release());
    rti->connect(alone, HLA_IMMEDIATE);
    const std::wstring federation = uniqueName("broken").toStdWString();
    rti->createFederationExecution(federation,
                                   std::wstring(L"" TUTTI_SOURCE_DIR "/tests/rti/test_fom.xml"));
    rti->joinFederationExecution(L"radar", L"sensor", federation);
    QVERIFY(breakControlLog());
    QTRY_COMPARE_WITH_TIMEOUT(alone.lost.load(), 1, 30'000);
    QVERIFY_THROWS_EXCEPTION(NotConnected, rti->resignFederationExecution(NO_ACTION));
    rti.reset();
    QCOMPARE(alone.lost.load(), 1);
  }

  /// The process of a receiver gets no memory for what it discovers: it hears that it has lost its
  /// connection, and holds nobody up.
  void whoGetsNoMemoryLosesItsConnection() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("a sanitizer ends a process that gets no memory; ./check runs this without");
#endif
    const QString federation = uniqueName("starved");
    Recorder a("a"), b("b");
    a.enter(federation);
    a.publish("Vehicle", {"position"});
    b.enter(federation);
    b.subscribe("Vehicle", {"position"});
    a.publishInteraction("Message");
    b.subscribeInteraction("Message");
    b.quiet = true;
    federates::Process starved({"starved", federation, "radar"});
    QCOMPARE(starved.listen().value_or(""), QString("ready"));
    QCOMPARE(starved.ask(QString("starve %1").arg(8 << 20)), QString("discovered 0"));
    constexpr int instances = 200'000;
    for (int i = 0; i < instances; ++i) {
      a.registerInstance("Vehicle");
      if (i % 100 == 0) b.pump();
    }
    QTRY_COMPARE_WITH_TIMEOUT(starved.ask("how"), QString("lost"), 10'000);
    QTRY_VERIFY(node_->log().contains("'radar'") && node_->log().contains("is lost"));
    a.send("Message", {{"text", "after them"}});
    QVERIFY(b.pumpUntil([&] { return b.interactions == 1; }));
    a.leave();
  }

 private:
  std::vector<tutti::observe::CallbackFaultSample> faultsOf(const std::string& federate) const {
    auto observer = tutti::observe::Observer::connect(name_);
    if (!observer) return {};
    const auto sample = observer->sample();
    for (const auto& federation : sample.federations) {
      for (const auto& one : federation.federates) {
        if (one.name == federate && one.state == tutti::fabric::FederateState::Joined) {
          return one.faults;
        }
      }
    }
    return {};
  }

  std::unique_ptr<NodeProcess> node_;
  std::string name_;
};

QTEST_GUILESS_MAIN(tst_callback_faults)
#include "tst_callback_faults.moc"
