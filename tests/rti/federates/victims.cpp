// SPDX-License-Identifier: GPL-3.0-or-later
// Small federates with one purpose.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QFile>
#include <algorithm>
#include <atomic>
#include <vector>

#include "federates/board.h"
#include "federates/role.h"
#include "observe/node_client.h"

namespace federates {

using namespace rti1516e;

/// sender FEDERATION NAME [COUNT [BYTES]]: updates without end, with values of 256 or BYTES bytes,
/// a multiple of 8, and tells the board when each of them begins and ends; after COUNT of them it
/// exits without resigning.
int runSender(const QStringList& arguments) {
  Slot& own = openBoard().members[0];
  Recorder recorder(arguments.value(1));
  recorder.quiet = true;
  recorder.enter(arguments.value(0));
  recorder.publish("Vehicle", {"position"});
  const auto car = recorder.rti().registerObjectInstance(recorder.objectClass("Vehicle"));
  AttributeHandleValueMap values;
  auto& value = values[recorder.attribute("Vehicle", "position")];
  const std::uint64_t count = arguments.size() > 2 ? arguments[2].toULongLong() : ~0ULL;
  const VariableLengthData tag;
  std::vector<std::uint64_t> words((arguments.size() > 3 ? arguments[3].toULong() : 256) / 8);
  for (std::uint64_t number = 1; number <= count; ++number) {
    std::fill(words.begin(), words.end(), number);
    value.setData(words.data(), words.size() * sizeof words[0]);
    own.begun.store(number);
    recorder.rti().updateAttributeValues(car, values, tag);
    own.ended.store(number);
  }
  _exit(0);
}

/// busy: does nothing, without end and with all that the others leave of a processor.
int runBusy(const QStringList&) {
  if (::nice(19) == -1) return 1;
  for (std::atomic<unsigned> turns = 0;;) turns.fetch_add(1, std::memory_order_relaxed);
}

/// reader FEDERATION NAME: subscribes Vehicle.hint, which is best effort, and Message, and stands.
/// For each line it is told it reads what is there, and says what it has read so far: "hints N
/// newest N messages N wrong N". A hint is a number, and a letter that follows from it up to the
/// end; it is wrong when it is torn, or not newer than the one before.
int runReader(const QStringList& arguments) {
  Recorder recorder(arguments.value(1));
  recorder.quiet = true;
  int newest = -1;
  int wrong = 0;
  recorder.onReflect = [&](auto, const AttributeHandleValueMap& values) {
    const VariableLengthData& value = values.begin()->second;
    const QByteArray octets(static_cast<const char*>(value.data()), qsizetype(value.size()));
    const int number = octets.left(8).toInt();
    const auto letter = static_cast<char>('a' + number % 26);
    if (number <= newest || octets.count(letter) != octets.size() - 8) ++wrong;
    newest = number;
  };
  recorder.enter(arguments.value(0));
  recorder.subscribe("Vehicle", {"hint"});
  recorder.subscribeInteraction("Message");
  say("ready");
  Input input;
  while (input.line()) {
    recorder.pump();
    say(QString("hints %1 newest %2 messages %3 wrong %4")
            .arg(recorder.reflections)
            .arg(newest)
            .arg(recorder.interactions)
            .arg(wrong));
  }
  return 0;
}

namespace {

/// Is told of instances on the thread of the library.
class Discoverer : public NullFederateAmbassador {
 public:
  std::atomic<int> discovered{0};
  std::atomic<int> lost{0};
  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle,
                              const std::wstring&) override {
    ++discovered;
  }
  using NullFederateAmbassador::discoverObjectInstance;
  void connectionLost(const std::wstring& reason) override {
    if (reason.find(L"no memory") != std::wstring::npos) ++lost;
  }
};

/// Of /proc/self/status, in bytes.
rlim_t addressSpace() {
  QFile status("/proc/self/status");
  if (!status.open(QIODevice::ReadOnly)) _exit(4);
  for (const QByteArray& line : status.readAll().split('\n')) {
    if (line.startsWith("VmSize:")) {
      return 1024 * line.mid(7).trimmed().split(' ').first().toULongLong();
    }
  }
  _exit(4);
}

}  // namespace

/// starved FEDERATION NAME: subscribes Vehicle.position with HLA_IMMEDIATE, and says "ready". Told
/// "starve BYTES" it gets no more than so much address space more. Each answer is "discovered N", or
/// "lost" when it has lost its connection for want of memory.
int runStarved(const QStringList& arguments) {
  Discoverer discoverer;
  auto rti = RTIambassadorFactory().createRTIambassador();
  rti->connect(discoverer, HLA_IMMEDIATE);
  rti->joinFederationExecution(arguments.value(1).toStdWString(), L"test",
                               arguments.value(0).toStdWString());
  const ObjectClassHandle vehicle = rti->getObjectClassHandle(L"Vehicle");
  rti->subscribeObjectClassAttributes(vehicle, {rti->getAttributeHandle(vehicle, L"position")});
  say("ready");
  Input input;
  while (const auto line = input.line()) {
    if (line->startsWith("starve ")) {
      const rlim_t most = addressSpace() + line->mid(7).toULongLong();
      const rlimit limit{most, most};
      if (::setrlimit(RLIMIT_AS, &limit) != 0) return 1;
    }
    say(discoverer.lost == 1 ? "lost" : QString("discovered %1").arg(discoverer.discovered.load()));
  }
  return 0;
}

/// listener FEDERATION NAME CLASS...: subscribes these interaction classes, says "ready", and
/// stands. For each line it is told it reads what is there, and says "heard N newest N wrong N".
/// Events are counted; their values begin with a number of eight digits, and one is wrong when its
/// number is not the next after that of the event before.
int runListener(const QStringList& arguments) {
  Recorder recorder(arguments.value(1));
  recorder.quiet = true;
  int heard = 0;
  int newest = -1;
  int wrong = 0;
  recorder.enter(arguments.value(0));
  const auto event = recorder.interactionClass("Event");
  recorder.onReceive = [&](InteractionClassHandle received, const ParameterHandleValueMap& values) {
    if (received != event) return;
    const VariableLengthData& value = values.begin()->second;
    const int number =
        QByteArray(static_cast<const char*>(value.data()), qsizetype(value.size())).left(8).toInt();
    if (heard != 0 && number != newest + 1) ++wrong;
    newest = number;
    ++heard;
  };
  for (const QString& name : arguments.mid(2)) recorder.subscribeInteraction(name);
  say("ready");
  Input input;
  while (input.line()) {
    recorder.pump();
    say(QString("heard %1 newest %2 wrong %3").arg(heard).arg(newest).arg(wrong));
  }
  recorder.leave();
  return 0;
}

/// watcher FEDERATION NAME CLASS...: subscribes these interaction classes and HLAfederate, says
/// "ready", and stands. For each line it is told it reads what is there, and says "received N
/// members NAME,NAME...": interactions so far, and the instances of HLAfederate that it knows now.
int runWatcher(const QStringList& arguments) {
  Recorder recorder(arguments.value(1));
  recorder.quiet = true;
  recorder.enter(arguments.value(0));
  for (const QString& name : arguments.mid(2)) recorder.subscribeInteraction(name);
  recorder.subscribe("HLAmanager.HLAfederate", {"HLAfederateName"});
  say("ready");
  Input input;
  while (input.line()) {
    recorder.pump();
    say(QString("received %1 members %2")
            .arg(recorder.interactions)
            .arg(recorder.knownInstances().join(',')));
  }
  recorder.leave();
  return 0;
}

/// visitor DESIGNATOR [alone|once]: connects, says which node it is at, and waits for a line (not
/// when `once`). Alone: in a network of its own, where no other node is.
int runVisitor(const QStringList& arguments) {
  if (arguments.value(1) == "alone" && ::unshare(CLONE_NEWNET) != 0) {
    // Without the right to: then among the other nodes of this machine.
  }
  Recorder recorder("visitor");
  recorder.connect(HLA_EVOKED, arguments.value(0) == "-" ? QString() : arguments.value(0));
  recorder.create("visited", {testFom()});
  QStringList nodes;
  for (const auto& name : tutti::observe::runningNodes()) {
    auto client = tutti::observe::NodeClient::connect(name);
    if (!client) continue;
    const auto status = client->status();
    if (!status) continue;
    for (const auto& federation : status->federations) {
      if (federation.federation == "visited") {
        nodes << QString("%1 %2").arg(QString::fromStdString(name)).arg(status->pid);
      }
    }
  }
  say(nodes.join(' '));
  if (arguments.value(1) != "once") Input().line();
  recorder.rti().destroyFederationExecution(L"visited");
  recorder.rti().disconnect();
  say("gone");
  return 0;
}

}  // namespace federates
