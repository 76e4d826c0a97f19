// SPDX-License-Identifier: GPL-3.0-or-later
// Bad input and faults: each gives one clear message, the rest keeps running, nothing stays behind.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>
#include <thread>
#include <vector>

#include "fabric/endpoint.h"
#include "fabric/protocol.h"
#include "../node/ambassador.h"
#include "federates/process.h"
#include "recorder.h"

using namespace rti1516e;
using federates::nodeStatus;
using federates::Process;
namespace fabric = tutti::fabric;

namespace {

/// What an exception that `f` throws says; its kind in front.
QString thrownBy(const std::function<void()>& f) {
  const auto text = [](const char* kind, const Exception& exception) {
    return QString("%1: %2").arg(kind, QString::fromStdWString(exception.what()));
  };
  try {
    f();
  } catch (const CouldNotOpenFDD& exception) {
    return text("CouldNotOpenFDD", exception);
  } catch (const ErrorReadingFDD& exception) {
    return text("ErrorReadingFDD", exception);
  } catch (const InconsistentFDD& exception) {
    return text("InconsistentFDD", exception);
  } catch (const ConnectionFailed& exception) {
    return text("ConnectionFailed", exception);
  } catch (const InvalidLocalSettingsDesignator& exception) {
    return text("InvalidLocalSettingsDesignator", exception);
  } catch (const NotConnected& exception) {
    return text("NotConnected", exception);
  } catch (const RTIinternalError& exception) {
    return text("RTIinternalError", exception);
  } catch (const Exception& exception) {
    return text("another exception", exception);
  }
  return "nothing";
}

QString nameOfNode(const QString& stem) {
  const QString name = uniqueName(stem);
  qputenv("TUTTI_RTI", ("shm:" + name).toUtf8());
  return name;
}

Process::Options forkerOptions() {
  Process::Options options;
  // The child leaves alone what the parent's threads may have been changing: that is no leak.
  options.environment << "ASAN_OPTIONS=detect_leaks=0";
  return options;
}

/// Takes the updates of a sender process: numbers, each filling its whole value.
class Counter : public Recorder {
 public:
  explicit Counter(const QString& name) : Recorder(name) {
    quiet = true;
    onReflect = [this](auto, const AttributeHandleValueMap& values) {
      std::uint64_t words[32];
      const auto& data = values.begin()->second;
      whole = whole && data.size() == sizeof words;
      if (!whole) return;
      std::memcpy(words, data.data(), sizeof words);
      for (const auto word : words) whole = whole && word == last + 1;
      ++last;
    };
  }
  std::uint64_t last = 0;
  bool whole = true;  ///< all that came was whole and in order
};

/// Counts instances instead of writing them down.
class Tally : public Recorder {
 public:
  using Recorder::Recorder;
  int discoveries = 0;
  int removals = 0;

  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle, const std::wstring&,
                              FederateHandle) override {
    ++discoveries;
  }
  void removeObjectInstance(ObjectInstanceHandle, const VariableLengthData&, OrderType,
                            SupplementalRemoveInfo) override {
    ++removals;
  }
};

/// Writes down what it is told of saves.
class SavingRecorder : public Recorder {
 public:
  using Recorder::Recorder;
  void initiateFederateSave(const std::wstring& label) override {
    write("initiate save " + QString::fromStdWString(label));
  }
  void federationSaved() override { write("saved"); }
  void federationNotSaved(SaveFailureReason reason) override {
    write(QString("not saved %1").arg(reason));
  }
};

/// The state letter of a thread of this process.
char stateOfThread(pid_t thread) {
  QFile file(QString("/proc/self/task/%1/stat").arg(thread));
  if (!file.open(QIODevice::ReadOnly)) return 0;
  const QByteArray text = file.readAll();
  return text.mid(text.lastIndexOf(')') + 2, 1).at(0);
}

}  // namespace

class tst_faults : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;
  federates::OwnBoard board_;

  std::unique_ptr<Process> startSender(const QStringList& more = {});
  bool isBlocked();

 private slots:
  void init();
  void killedInMidUpdate_data();
  void killedInMidUpdate();
  void exitWithoutResign();
  void nodeKilled();
  void nodeKilledWhileASenderIsBlocked();
  void saverDies_data();
  void saverDies();
  void namesAreGivenBack();
  void memoryRefused();
  void ringRefusedToOneReceiver();
  void otherLayout();
  void badModules_data();
  void badModules();
  void callbackThatThrows_data();
  void callbackThatThrows();
  void designators_data();
  void designators();
  void addressWithoutPortIsRefused();
  void forkedChild_data();
  void forkedChild();
  void forkedWhileItJoins_data();
  void forkedWhileItJoins();
  void childThatExits();
  void strangeStarts_data();
  void strangeStarts();
  void oneNodeIsElected();
  void nothingIsLeft();
};

void tst_faults::init() {
  federation_ = uniqueName("faults");
  qputenv("TUTTI_RTI", ("shm:" + node_.name()).toUtf8());
  board_->members[0].begun.store(0);
  board_->members[0].ended.store(0);
}

std::unique_ptr<Process> tst_faults::startSender(const QStringList& more) {
  Process::Options options;
  options.board = board_.descriptor();
  return std::make_unique<Process>(QStringList{"sender", federation_, "sender"} + more, options);
}

/// The sender is within an update and does not get on.
bool tst_faults::isBlocked() {
  const auto& sender = board_->members[0];
  return federates::waitUntil([&] {
    const auto begun = sender.begun.load();
    if (begun == 0 || sender.ended.load() + 1 != begun) return false;
    for (int i = 0; i < 50; ++i) {
      QThread::msleep(1);
      if (sender.begun.load() != begun || sender.ended.load() + 1 != begun) return false;
    }
    return true;
  });
}

void tst_faults::killedInMidUpdate_data() {
  QTest::addColumn<bool>("blocked");
  QTest::newRow("while it writes") << false;
  QTest::newRow("while it waits for room") << true;
}

void tst_faults::killedInMidUpdate() {
  QFETCH(bool, blocked);
  const auto& sender = board_->members[0];
  bool hit = false;
  for (int tries = 0; tries < 200 && !hit; ++tries) {
    init();
    Counter survivor("survivor");
    survivor.enter(federation_);
    survivor.subscribe("Vehicle", {"position"});
    const auto victim = startSender();
    if (blocked) {
      QVERIFY(isBlocked());
    } else {
      QVERIFY(survivor.pumpUntil([&] { return sender.begun.load() > 500; }));
    }
    victim->kill();
    const auto begun = sender.begun.load();
    const auto ended = sender.ended.load();
    hit = begun == ended + 1;  // within an update
    QVERIFY(survivor.expect("remove"));
    QVERIFY(survivor.whole);
    QVERIFY2(survivor.last == ended || survivor.last == begun,
             qPrintable(QString("%1 of %2 heard").arg(survivor.last).arg(ended)));
    QCOMPARE(federates::joinedNames(node_.name(), federation_), QStringList("survivor"));
    survivor.leave();
  }
  QVERIFY(hit);
}

void tst_faults::exitWithoutResign() {
  Counter survivor("survivor");
  survivor.enter(federation_);
  survivor.subscribe("Vehicle", {"position"});
  const auto leaver = startSender({"1000"});
  QVERIFY(survivor.expect("remove"));
  QCOMPARE(leaver->wait().value_or(-1), 0);
  QCOMPARE(survivor.last, std::uint64_t{1000});
  QVERIFY(survivor.whole);
}

void tst_faults::nodeKilled() {
  Recorder evoked("evoked"), immediate("immediate");
  evoked.enter(federation_);
  immediate.enter(federation_, HLA_IMMEDIATE);
  evoked.publish("Vehicle", {"position"});
  const int former = nodeStatus(node_.name())->pid;
  QCOMPARE(::kill(former, SIGKILL), 0);
  QVERIFY(evoked.expect("lost", 1, 2000));
  QVERIFY(federates::waitUntil([&] { return immediate.count("lost") == 1; }, 2000));
  QVERIFY2(evoked.log().last().contains(node_.name()), qPrintable(evoked.log().last()));
  for (Recorder* federate : {&evoked, &immediate}) {
    const auto publish = [&] { federate->publishInteraction("Message"); };
    QVERIFY2(thrownBy(publish).startsWith("NotConnected"), qPrintable(thrownBy(publish)));
  }
  // A new connect starts a new node.
  evoked.clearLog();
  immediate.clearLog();
  evoked.enter(federation_);
  immediate.enter(federation_, HLA_IMMEDIATE);
  const int present = nodeStatus(node_.name())->pid;
  QVERIFY(present != former && present > 0);
  evoked.publishInteraction("Message");
  immediate.subscribeInteraction("Message");
  evoked.send("Message", {{"text", "again"}});
  QVERIFY(federates::waitUntil([&] { return immediate.count("receive Message text=again") == 1; }));
  QCOMPARE(evoked.count("lost") + immediate.count("lost"), 0);
}

void tst_faults::nodeKilledWhileASenderIsBlocked() {
  Counter receiver("receiver");
  receiver.enter(federation_);
  receiver.subscribe("Vehicle", {"position"});
  const auto sender = startSender();
  QVERIFY(isBlocked());
  QCOMPARE(::kill(nodeStatus(node_.name())->pid, SIGKILL), 0);
  const auto status = sender->wait(2000);
  QVERIFY(status.has_value());
  QCOMPARE(WEXITSTATUS(*status), 1);
  const QString last = sender->listen().value_or("");
  QVERIFY2(last.contains("lost"), qPrintable(last));
  QVERIFY(receiver.expect("lost", 1, 2000));
}

void tst_faults::saverDies_data() {
  QTest::addColumn<int>("step");
  QTest::newRow("before another begins") << 0;
  QTest::newRow("before another completes") << 1;
  QTest::newRow("before the state of another is sent") << 2;
}

/// The survivor cannot know: its request is answered after the node has noticed the death.
void tst_faults::saverDies() {
  QFETCH(int, step);
  SavingRecorder survivor("survivor"), victim("victim");
  survivor.enter(federation_);
  victim.enter(federation_);
  survivor.rti().requestFederationSave(L"s");
  QVERIFY(survivor.expect("initiate save s"));
  QVERIFY(victim.expect("initiate save s"));
  if (step > 0) survivor.rti().federateSaveBegun();
  if (step > 1) {
    survivor.rti().federateSaveComplete();
    victim.rti().federateSaveBegun();  // all have: the state of the survivor is due
  }
  const pid_t node = nodeStatus(node_.name())->pid;
  QCOMPARE(::kill(node, SIGSTOP), 0);
  victim.kill();
  const auto self = static_cast<pid_t>(::gettid());
  std::thread later([&] {
    // The request is on its way behind the end of the victim's connection.
    federates::waitUntil([&] { return stateOfThread(self) == 'S'; });
    ::kill(node, SIGCONT);
  });
  const QString thrown = thrownBy([&] {
    if (step == 0) survivor.rti().federateSaveBegun();
    if (step == 1) survivor.rti().federateSaveComplete();
    if (step == 2) survivor.pump();
  });
  later.join();
  QCOMPARE(thrown, "nothing");
  QVERIFY(survivor.expect("not saved"));
  // Nothing of it is left.
  survivor.rti().requestFederationSave(L"again");
  QVERIFY(survivor.expect("initiate save again"));
  survivor.rti().federateSaveBegun();
  survivor.rti().federateSaveComplete();
  QVERIFY(survivor.expect("saved"));
}

void tst_faults::namesAreGivenBack() {
  Recorder a("a");
  a.enter(federation_);
  a.publish("Vehicle", {"position"});
  const auto vehicle = a.objectClass("Vehicle");
  const auto committed = [&] {
    const auto status = nodeStatus(node_.name());
    for (const auto& one : status->federations) {
      if (one.federation == federation_.toStdString()) return one.committedBytes;
    }
    return std::uint64_t{0};
  };
  std::uint64_t before = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::wstring name = std::wstring(400, L'n') + std::to_wstring(1000 + i);
    a.rti().reserveObjectInstanceName(name);
    QVERIFY(a.expect("reserved"));
    a.clearLog();
    const auto instance = a.rti().registerObjectInstance(vehicle, name);
    a.rti().deleteObjectInstance(instance, VariableLengthData());
    if (i == 100) before = committed();
  }
  QVERIFY(before != 0);
  QCOMPARE(committed(), before);
}

void tst_faults::memoryRefused() {
  qputenv("TUTTI_MEMORY", "4M");
  const QString name = nameOfNode("small");
  Recorder a("a");
  Tally b("b");
  a.enter(federation_);
  qunsetenv("TUTTI_MEMORY");
  b.enter(federation_);
  for (Recorder* federate : std::initializer_list<Recorder*>{&a, &b}) {
    federate->publish("Vehicle", {"position"});
    federate->subscribe("Vehicle", {"position"});
    federate->registerInstance("Vehicle");
  }
  QVERIFY(a.expect("discover"));
  QVERIFY(b.pumpUntil([&] { return b.discoveries == 1; }));
  const auto first = a.registerInstance("Vehicle");
  b.quiet = true;

  // A payload that is larger than all memory.
  const auto large = [&] { a.update(first, "Vehicle", {{"position", QByteArray(8 << 20, 'x')}}); };
  QVERIFY2(thrownBy(large).startsWith("RTIinternalError"), qPrintable(thrownBy(large)));
  QVERIFY2(thrownBy(large).contains("TUTTI_MEMORY"), qPrintable(thrownBy(large)));

  // Instances until none fits any more.
  QString refusal;
  for (int i = 0; i < 200000 && refusal.isEmpty(); ++i) {
    const QString text =
        thrownBy([&] { a.rti().registerObjectInstance(a.objectClass("Vehicle")); });
    if (text != "nothing") refusal = text;
  }
  QVERIFY2(refusal.startsWith("RTIinternalError"), qPrintable(refusal));
  QVERIFY2(refusal.contains("budget of 4 MiB") && refusal.contains("TUTTI_MEMORY"),
           qPrintable(refusal));
  const auto status = nodeStatus(name);
  QVERIFY(status.has_value());
  QCOMPARE(status->budgetBytes, std::uint64_t{4} << 20);
  QVERIFY(status->committedBytes <= status->budgetBytes);
  QVERIFY(status->committedBytes > status->budgetBytes / 2);

  // Everyone keeps running with what there is.
  a.update(first, "Vehicle", {{"position", "still here"}});
  QVERIFY(b.pumpUntil([&] { return b.reflections == 1; }));
  a.leave();
  const bool allRemoved = b.pumpUntil([&] { return b.removals == b.discoveries; }, 20000);
  QVERIFY2(allRemoved, qPrintable(QString("%1 of %2").arg(b.removals).arg(b.discoveries)));
  // What it had is free again, when the node has noticed that all have read of its end.
  Recorder c("c");
  c.connect();
  QVERIFY(b.pumpUntil([&] { return thrownBy([&] { c.join(federation_); }) == "nothing"; }));
  c.leave();
  b.leave();
}

void tst_faults::ringRefusedToOneReceiver() {
  qputenv("TUTTI_MEMORY", "4M");
  const QString name = nameOfNode("refused");
  Recorder first("first"), second("second"), sender("sender");
  first.enter(federation_);
  qunsetenv("TUTTI_MEMORY");
  second.enter(federation_);
  sender.enter(federation_);
  sender.publishInteraction("Event");
  sender.publishInteraction("Message");
  first.subscribeInteraction("Event");
  second.subscribeInteraction("Event");
  second.subscribeInteraction("Message");
  sender.send("Message", {{"text", "opens a ring"}});
  QVERIFY(second.expect("receive Message"));
  {
    auto hog = tutti::test::Ambassador::connect(name.toStdString());
    QVERIFY(hog && hog->hello());
    QVERIFY(hog->join(federation_.toStdString(), "hog").ok());
    const fabric::AllocateRequest page{4096, fabric::Purpose::Chunk};
    while (hog->ask<fabric::AllocateReply>(fabric::Request::Allocate, page).ok()) {
    }
    // There is no ring to `first`, which is served before `second`, and none to be had.
    const QString said = thrownBy([&] { sender.send("Event", {{"number", "1"}}); });
    QVERIFY2(said.startsWith("RTIinternalError: A message did not reach federate"),
             qPrintable(said));
    QVERIFY2(said.contains("TUTTI_MEMORY"), qPrintable(said));
    QVERIFY(second.expect("receive Event number=1"));
    QCOMPARE(first.count("receive"), 0);
  }
  QVERIFY(second.pumpUntil([&] {
    first.pump();
    return thrownBy([&] { sender.send("Event", {{"number", "2"}}); }) == "nothing";
  }));
  QVERIFY(first.expect("receive Event number=2"));
  QVERIFY(second.expect("receive Event number=2"));
}

void tst_faults::otherLayout() {
  // A node of another version.
  const QString name = nameOfNode("other");
  auto listener = fabric::Endpoint::listen(name.toStdString());
  QVERIFY(listener.has_value());
  std::thread node([&] {
    auto client = fabric::Endpoint::accept(listener->get());
    if (!client) return;
    const auto limit = fabric::Endpoint::Clock::now() + std::chrono::seconds(10);
    const auto request = client->receive(limit);
    if (!request) return;
    fabric::RequestHead head;
    fabric::WireReader reader(request->bytes);
    reader(head);
    fabric::ReplyHead replyHead;
    replyHead.number = head.number;
    fabric::HelloReply reply;
    reply.layout = fabric::layoutVersion + 1;
    auto bytes = fabric::toWire(replyHead);
    const auto body = fabric::toWire(reply);
    bytes.insert(bytes.end(), body.begin(), body.end());
    if (client->send(bytes)) (void)client->receive(limit);
  });
  Recorder recorder("a");
  const QString text = thrownBy([&] { recorder.connect(); });
  node.join();
  QVERIFY2(text.startsWith("ConnectionFailed"), qPrintable(text));
  QVERIFY2(text.contains("version") && text.contains("shm:" + name), qPrintable(text));

  // A library of another version at our node.
  init();
  Recorder ours("ours");
  ours.enter(federation_);
  auto old = fabric::Endpoint::connect(node_.name().toStdString());
  QVERIFY(old.has_value());
  fabric::RequestHead head;
  head.request = fabric::Request::Hello;
  head.number = 1;
  auto bytes = fabric::toWire(head);
  const auto body = fabric::toWire(fabric::HelloRequest{fabric::layoutVersion + 1, "old"});
  bytes.insert(bytes.end(), body.begin(), body.end());
  QVERIFY(old->send(bytes).has_value());
  const auto answer = old->receive(fabric::Endpoint::Clock::now() + std::chrono::seconds(10));
  QVERIFY(answer.has_value());
  fabric::ReplyHead reply;
  fabric::WireReader reader(answer->bytes);
  reader(reply);
  QVERIFY(reply.refusal != fabric::Refusal::None);
  QVERIFY2(QString::fromStdString(reply.message).contains("layout version"), reply.message.c_str());
  ours.publishInteraction("Message");
}

void tst_faults::badModules_data() {
  QTest::addColumn<QByteArray>("from");
  QTest::addColumn<QByteArray>("to");
  QTest::addColumn<QString>("kind");
  QTest::addColumn<QString>("mentions");
  QTest::newRow("missing") << QByteArray() << QByteArray() << "CouldNotOpenFDD"
                           << "No such file";
  QTest::newRow("not well-formed")
      << QByteArray("</objects>") << QByteArray("</object>") << "ErrorReadingFDD"
      << "bad.xml:";
  QTest::newRow("cut off") << QByteArray("<interactions>") << QByteArray(1, '\0')
                           << "ErrorReadingFDD"
                           << "bad.xml:";
  QTest::newRow("contradicting") << QByteArray("<name>fuel</name><dataType>HLAopaqueData")
                                 << QByteArray("<name>fuel</name><dataType>HLAASCIIstring")
                                 << "InconsistentFDD"
                                 << "bad.xml:";
}

void tst_faults::badModules() {
  QFETCH(QByteArray, from);
  QFETCH(QByteArray, to);
  QFETCH(QString, kind);
  QFETCH(QString, mentions);
  QTemporaryDir folder;
  QFile good(testFom());
  QVERIFY(good.open(QIODevice::ReadOnly));
  QByteArray text = good.readAll();
  const QString path = folder.filePath("bad.xml");
  if (!from.isEmpty()) {
    QVERIFY(text.contains(from));
    if (to == QByteArray(1, '\0')) {
      text.truncate(text.indexOf(from));
    } else {
      text.replace(from, to);
    }
    QFile bad(path);
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write(text);
  }
  Recorder recorder("a");
  recorder.connect();
  const QString atCreate = thrownBy([&] { recorder.create(federation_, {testFom(), path}); });
  QVERIFY2(atCreate.startsWith(kind + ":"), qPrintable(atCreate));
  QVERIFY2(atCreate.contains(path) && atCreate.contains(mentions), qPrintable(atCreate));
  // The same at a join; the federation execution goes on.
  recorder.create(federation_, {testFom()});
  const QString atJoin = thrownBy([&] { recorder.join(federation_, {path}); });
  QVERIFY2(atJoin.startsWith(kind + ":"), qPrintable(atJoin));
  QVERIFY2(atJoin.contains(path) && atJoin.contains(mentions), qPrintable(atJoin));
  recorder.join(federation_);
}

void tst_faults::callbackThatThrows_data() {
  QTest::addColumn<bool>("immediate");
  QTest::newRow("evoked") << false;
  QTest::newRow("immediate") << true;
}

void tst_faults::callbackThatThrows() {
  QFETCH(bool, immediate);
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_, immediate ? HLA_IMMEDIATE : HLA_EVOKED);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  std::atomic<int> thrown = 0;
  b.quiet = true;
  b.onReflect = [&](auto, const auto&) {
    ++thrown;
    throw std::runtime_error("not ours");
  };
  for (int i = 0; i < 3; ++i) a.update(car, "Vehicle", {{"position", "1"}});
  const auto done = [&] { return thrown == 3; };
  QVERIFY(immediate ? federates::waitUntil(done) : b.pumpUntil(done));
  QCOMPARE(b.log().filter("lost").size(), 0);
  b.publishInteraction("Message");
}

void tst_faults::designators_data() {
  QTest::addColumn<QString>("designator");
  QTest::addColumn<bool>("variable");  ///< TUTTI_RTI is set
  QTest::addColumn<QString>("node");
  const QString own = node_.name();
  QTest::newRow("nothing") << "-" << true << own;
  QTest::newRow("another name, TUTTI_RTI wins") << "shm:elsewhere" << true << own;
  QTest::newRow("crcAddress, TUTTI_RTI wins") << "crcAddress=10.0.0.1:8989" << true << own;
  QTest::newRow("a name") << "shm:somewhere" << false << "somewhere";
  QTest::newRow("nothing, no TUTTI_RTI") << "-" << false << "default";
  QTest::newRow("crcAddress") << "crcAddress=localhost:8989" << false << "default";
  QTest::newRow("crcHost") << "crcHost=localhost\ncrcPort=8989" << false << "default";
  QTest::newRow("rti://") << "rti://localhost:14321" << false << "default";
  QTest::newRow("thread://") << "thread://" << false << "default";
  QTest::newRow("a host") << "localhost" << false << "default";
}

void tst_faults::designators() {
  QFETCH(QString, designator);
  QFETCH(bool, variable);
  QFETCH(QString, node);
  Process::Options options;
  if (!variable) options.environment << "TUTTI_RTI";
  Process visitor({"visitor", designator, "alone"}, options);
  const QString answer = visitor.listen().value_or("(nothing)");
  QCOMPARE(answer.section(' ', 0, 0), node);
  const int pid = answer.section(' ', 1, 1).toInt();
  QCOMPARE(visitor.ask("go"), QString("gone"));
  QCOMPARE(visitor.wait().value_or(-1), 0);
  // Its node leaves with it.
  QVERIFY(federates::waitUntil([&] { return !federates::isRunning(pid); }, 3000));
}

void tst_faults::addressWithoutPortIsRefused() {
  qunsetenv("TUTTI_RTI");
  Recorder recorder("a");
  const QString text = thrownBy([&] { recorder.connect(HLA_EVOKED, "tcp:somewhere"); });
  QVERIFY2(text.contains("tcp:somewhere") && text.contains("HOST:PORT"), qPrintable(text));
  QVERIFY2(!text.startsWith("another"), qPrintable(text));
}

void tst_faults::forkedChild_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<QString>("place");
  QTest::newRow("evoked") << "evoked"
                          << "anywhere";
  QTest::newRow("evoked, in a callback") << "evoked"
                                         << "callback";
  QTest::newRow("immediate") << "immediate"
                             << "anywhere";
  QTest::newRow("immediate, in a callback") << "immediate"
                                            << "callback";
}

/// A child process that does not become another program has what its parent had, but is no
/// federate.
void tst_faults::forkedChild() {
  QFETCH(QString, model);
  QFETCH(QString, place);
  Recorder survivor("survivor");
  survivor.enter(federation_);
  survivor.publishInteraction("Message");
  survivor.subscribeInteraction("Message");
  survivor.subscribe("Vehicle", {"position"});
  Process parent({"forker", federation_, model, place}, forkerOptions());
  QCOMPARE(parent.listen().value_or("(nothing)"), QString("joined"));
  QVERIFY(survivor.expect("discover"));
  survivor.send("Message", {{"text", "fork"}});
  const pid_t child = parent.listen().value_or("").section(' ', 1).toInt();
  QVERIFY(federates::isRunning(child));
  QVERIFY(child != parent.pid());

  // It says so, holds nothing, and what it does does not touch its parent's federate.
  QCOMPARE(federates::sharedMemoryOf(child), QSet<QString>());
  const QString refusal = parent.ask("publish");
  QVERIFY2(refusal.startsWith("NotConnected") && refusal.contains("forked"), qPrintable(refusal));
  QCOMPARE(parent.ask("evoke"),
           QString(place == "callback" && model == "immediate" ? "CallNotAllowedFromWithinCallback"
                                                               : "no callback"));
  survivor.send("Message", {{"text", "echo"}});
  QVERIFY(survivor.expect("receive Message text=echoed"));
  QVERIFY(!survivor.count("remove"));

  if (place != "callback") {
    // It may take part as a federate of its own.
    QCOMPARE(parent.ask("join"), QString("joined"));
    QCOMPARE(federates::joinedNames(node_.name(), federation_),
             QStringList({"child", "forker", "survivor"}));
    QCOMPARE(parent.ask("leave"), QString("left"));
    QCOMPARE(federates::joinedNames(node_.name(), federation_),
             QStringList({"forker", "survivor"}));
  }

  parent.kill();
  QVERIFY(survivor.expect("remove", 1, 2000));
  QVERIFY(federates::isRunning(child));
  QCOMPARE(federates::joinedNames(node_.name(), federation_), QStringList("survivor"));
  parent.say("exit");
  QVERIFY(federates::waitUntil([&] { return !federates::isRunning(child); }));
}

void tst_faults::forkedWhileItJoins_data() {
  QTest::addColumn<QStringList>("place");
  QTest::newRow("connecting") << QStringList{"connect", "1"};
  for (int i = 1; i <= 8; ++i) {
    QTest::addRow("question %d", i) << QStringList{"sendmsg", QString::number(i)};
  }
  QTest::newRow("given the page of the host") << QStringList{"memory", "1"};
  QTest::newRow("given the memory of the federation execution") << QStringList{"memory", "2"};
}

/// A child forked by another thread while this one connects, creates, joins or declares does not
/// hang, and keeps nothing of the federate that its parent becomes.
void tst_faults::forkedWhileItJoins() {
  QFETCH(QStringList, place);
  Recorder survivor("survivor");
  survivor.enter(federation_);
  survivor.subscribe("Vehicle", {"position"});
  Process parent(QStringList{"forker", federation_, "evoked"} + place, forkerOptions());
  const QStringList said{parent.listen().value_or("(nothing)"),
                         parent.listen().value_or("(nothing)")};
  const pid_t child = said.filter("child").value(0).section(' ', 1).toInt();
  QVERIFY2(said.contains("joined") && federates::isRunning(child), qPrintable(said.join(", ")));
  QVERIFY(survivor.expect("discover"));
  QCOMPARE(federates::sharedMemoryOf(child), QSet<QString>());
  QCOMPARE(parent.ask("evoke"), QString("no callback"));
  QCOMPARE(parent.ask("join"), QString("joined"));
  QCOMPARE(parent.ask("leave"), QString("left"));
  QVERIFY(!survivor.count("remove"));
  parent.kill();
  QVERIFY(survivor.expect("remove", 1, 2000));
  QVERIFY(federates::isRunning(child));
  parent.say("exit");
  QVERIFY(federates::waitUntil([&] { return !federates::isRunning(child); }));
}

/// One that ends as programs do takes leave of nobody in its parent's name.
void tst_faults::childThatExits() {
  Recorder survivor("survivor");
  survivor.enter(federation_);
  survivor.publishInteraction("Message");
  survivor.subscribeInteraction("Message");
  Process parent({"forker", federation_, "immediate", "anywhere"}, forkerOptions());
  QCOMPARE(parent.listen().value_or("(nothing)"), QString("joined"));
  survivor.send("Message", {{"text", "fork"}});
  const pid_t child = parent.listen().value_or("").section(' ', 1).toInt();
  parent.say("exit");
  QVERIFY(federates::waitUntil([&] { return !federates::isRunning(child); }));
  survivor.send("Message", {{"text", "echo"}});
  QVERIFY(survivor.expect("receive Message text=echoed"));
  QCOMPARE(federates::joinedNames(node_.name(), federation_), QStringList({"forker", "survivor"}));
}

void tst_faults::strangeStarts_data() {
  QTest::addColumn<bool>("closed");
  QTest::addColumn<bool>("ignoring");
  QTest::newRow("standard input closed") << true << false;
  QTest::newRow("SIGCHLD ignored") << false << true;
  QTest::newRow("both") << true << true;
}

void tst_faults::strangeStarts() {
  QFETCH(bool, closed);
  QFETCH(bool, ignoring);
  const QString name = nameOfNode("strange");
  Process::Options options;
  options.closeInput = closed;
  options.ignoreChildren = ignoring;
  Process visitor({"visitor", "-", "once"}, options);
  const QString answer = visitor.listen().value_or("(nothing)");
  QCOMPARE(answer.section(' ', 0, 0), name);
  QCOMPARE(visitor.listen().value_or("(nothing)"), QString("gone"));
  QCOMPARE(visitor.wait().value_or(-1), 0);
}

void tst_faults::oneNodeIsElected() {
  for (int round = 0; round < 5; ++round) {
    const QString name = nameOfNode("elected");
    std::vector<std::unique_ptr<Process>> crowds;
    for (int i = 0; i < 4; ++i) {
      crowds.push_back(std::make_unique<Process>(QStringList{"crowd"}));
    }
    for (int i = 0; i < 4; ++i) crowds[i]->say(QString("join %1 %2 1").arg(federation_).arg(i));
    for (auto& crowd : crowds) QCOMPARE(crowd->listen().value_or("(nothing)"), QString("joined"));
    QCOMPARE(federates::joinedNames(name, federation_), QStringList({"f0", "f1", "f2", "f3"}));
    for (auto& crowd : crowds) QCOMPARE(crowd->ask("leave"), QString("left"));
    Recorder last("last");
    last.connect();
    last.rti().destroyFederationExecution(federation_.toStdWString());
  }
}

void tst_faults::nothingIsLeft() {
  const QString name = nameOfNode("left");
  Counter survivor("survivor");
  survivor.enter(federation_);
  survivor.subscribe("Vehicle", {"position"});
  std::vector<std::unique_ptr<Process>> crowds;
  for (int i = 0; i < 3; ++i) {
    crowds.push_back(std::make_unique<Process>(QStringList{"crowd"}));
    QCOMPARE(crowds[i]->ask(QString("join %1 %2 2").arg(federation_).arg(2 * i)),
             QString("joined"));
    QCOMPARE(crowds[i]->ask("declare plain"), QString("declared"));
  }
  for (auto& crowd : crowds) QCOMPARE(crowd->ask("register"), QString("registered"));
  const int node = nodeStatus(name)->pid;
  const auto memory = federates::sharedMemoryOf(node);
  QVERIFY(memory.size() >= 2);  // the host page and the arena
  QVERIFY(!federates::holdersOf(memory).isEmpty());
  for (auto& crowd : crowds) crowd->kill();
  QVERIFY(survivor.expect("remove", 6));
  survivor.leave();
  survivor.connect();
  survivor.rti().destroyFederationExecution(federation_.toStdWString());
  survivor.rti().disconnect();
  QVERIFY(federates::waitUntil(
      [&] { return !federates::isRunning(node) && federates::holdersOf(memory).isEmpty(); }, 3000));
}

QTEST_GUILESS_MAIN(tst_faults)
#include "tst_faults.moc"
