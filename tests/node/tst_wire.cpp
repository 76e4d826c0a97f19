// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <random>
#include <tuple>

#include "fabric/protocol.h"
#include "fabric/wire.h"
#include "fake_models.h"

using namespace tutti::fabric;

namespace {

/// One filled message of each type that travels or stands in the log.
auto samples() {
  const ModuleBytes module{"a.xml", tutti::test::bytesOf("<objectModel/>")};
  StatusReply status;
  status.nodeName = "default";
  FederationStatus federation;
  federation.federation = "world";
  federation.modules = {"a.xml", "b.xml"};
  federation.federates = {{1, "radar", "sensor", 4711, 3, 4096, {7, 8}, {{}}}};
  federation.synchronizationPoints = {{"ready", {1, 2}}};
  federation.declarations = {{1, 7, false, true}};
  status.federations = {federation};
  status.ended = {federation};
  RequestHead head;
  head.request = Request::Join;
  head.number = 7;
  ReplyHead reply;
  reply.refusal = Refusal::OutOfMemory;
  reply.message = "no memory";
  HelloRequest hello;
  hello.program = "radar";
  CreateFederationRequest create{"world", {module, module}, {module}, "HLAinteger64Time"};
  JoinRequest join{"world", "radar", "sensor", {module}};
  JoinReply joined;
  joined.federate = 3;
  joined.federateName = "radar";
  ObjectClassDeclaredRecord declared{1, 2, true, false, {3, 4, 5}};
  RegisterSynchronizationPointRequest point{"ready", module.content, false, {1, 2, 3}};
  return std::tuple(head, reply, hello, HelloReply{}, create, FederationNameRequest{"world"},
                    ListFederationsReply{{{"world", "HLAfloat64Time"}}}, join, joined,
                    ResignRequest{1, true},
                    DeclareObjectClassRequest{1, true, false, {1, 2}, {2}, {"fast", ""}},
                    DeclareInteractionClassRequest{1, true, true, false}, point,
                    RegisterSynchronizationPointReply{true, 0},
                    SynchronizationPointAchievedRequest{"ready", false}, NamesRequest{{"a", "b"}},
                    ReserveNamesReply{false, {"a"}}, OpenRingRequest{1, 4096, 0}, OpenRingReply{},
                    AllocateRequest{4096, Purpose::Names}, AllocateReply{}, FreeRequest{8}, status,
                    ObserveReply{4096}, FederateJoinedRecord{1, 4096, "radar", "sensor"},
                    FederateResignedRecord{1, true, true}, declared,
                    InteractionClassDeclaredRecord{1, 2, true, true, false},
                    SynchronizationPointAnnouncedRecord{"ready", module.content, {1, 2}},
                    FederationSynchronizedRecord{"ready", {1, 2}, {2}}, ModelExtendedRecord{8, 9},
                    InstancesAdoptedRecord{1, 8, "radar"});
}

template <class F>
void forEachSample(F&& function) {
  std::apply([&](const auto&... message) { (function(message), ...); }, samples());
}

}  // namespace

class TestWire : public QObject {
  Q_OBJECT

 private slots:
  void whatIsWrittenIsRead() {
    forEachSample([](const auto& message) {
      const Bytes bytes = toWire(message);
      std::decay_t<decltype(message)> read;
      QVERIFY(fromWire(bytes, read));
      QCOMPARE(toWire(read), bytes);
    });
  }

  void aShortMessageIsNoMessage() {
    forEachSample([](const auto& message) {
      const Bytes bytes = toWire(message);
      for (std::size_t length = 0; length < bytes.size(); ++length) {
        std::decay_t<decltype(message)> read;
        QVERIFY(!fromWire(std::span(bytes).first(length), read));
      }
    });
  }

  void changedBytesNeverReadOutside() {
    std::mt19937 random(4711);
    forEachSample([&](const auto& message) {
      for (int round = 0; round < 300; ++round) {
        Bytes bytes = toWire(message);
        for (int change = 0; change < 4 && !bytes.empty(); ++change) {
          bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        }
        std::decay_t<decltype(message)> read;
        fromWire(bytes, read);  // true or false; address checkers watch the rest
      }
    });
  }

  void aFalseLengthCostsNoMemory() {
    // A list that says to have four thousand million strings, in 64 bytes.
    Bytes bytes(64, std::byte{0});
    for (std::size_t i = 0; i < 4; ++i) bytes[i] = std::byte{0xff};
    NamesRequest names;
    QVERIFY(!fromWire(bytes, names));
    QVERIFY(names.names.capacity() < 1000);
    JoinRequest join;
    QVERIFY(!fromWire(bytes, join));
  }

  void numbersAreLittleEndian() {
    const Bytes bytes = toWire(OpenRingRequest{0x01020304, 0x0a, 0});
    QCOMPARE(bytes.size(), std::size_t{20});
    QCOMPARE(static_cast<int>(bytes[0]), 4);
    QCOMPARE(static_cast<int>(bytes[3]), 1);
    QCOMPARE(static_cast<int>(bytes[4]), 10);
  }
};

QTEST_GUILESS_MAIN(TestWire)
#include "tst_wire.moc"
