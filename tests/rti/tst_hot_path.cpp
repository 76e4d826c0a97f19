// SPDX-License-Identifier: GPL-3.0-or-later
// What a message costs besides its bytes, once it goes on and on: no memory is allocated and no
// system call made, from the service of the sender to the callback of the receiver.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <atomic>
#include <cstddef>
#include <functional>

#include "recorder.h"

using namespace rti1516e;

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
}

namespace {

constinit std::atomic<long> allocations{0};
/// By their number.
struct SystemCalls {
  std::atomic<long> polls, others;
};
constinit SystemCalls* systemCalls = nullptr;

}  // namespace

// Instead of the C library's, in the libraries that this program loads too.
extern "C" void* malloc(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}
extern "C" void* calloc(std::size_t count, std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, bytes);
}
extern "C" void* realloc(void* memory, std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, bytes);
}

namespace {

void countSystemCall(int, siginfo_t* info, void*) {
  (info->si_syscall == SYS_poll ? systemCalls->polls : systemCalls->others).fetch_add(1);
}

/// From now on no system call of this thread is done, but counted, save the end of the process.
void catchSystemCalls() {
  struct sigaction action = {};
  action.sa_sigaction = countSystemCall;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, nullptr);
  const auto number = offsetof(seccomp_data, nr);
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
  };
  sock_fprog filter{std::size(program), program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    _exit(40);
  }
}

/// What the federates of a row do again and again.
class Play {
 public:
  explicit Play(const QString& federation) : a_("a"), b_("b") {
    for (Recorder* one : {&a_, &b_}) {
      one->quiet = true;
      one->enter(federation);
    }
    b_.onReflect = [this](auto, const auto&) { ++heard_; };
    b_.onReceive = [this](auto, const auto&) { ++heard_; };
    for (Recorder* one : {&a_, &b_}) one->onGrant = [this](double) { ++granted_; };
    a_.publish("Vehicle", {"position", "fuel"});
    b_.subscribe("Vehicle", {"position", "fuel"});
    a_.publishInteraction("Message");
    b_.subscribeInteraction("Message");
    a_.publishInteraction("Event");
    b_.subscribeInteraction("Event");
    car_ = a_.registerInstance("Vehicle");
    b_.expect("discover");
  }

  void carries(int bytes) {
    const QByteArray value(bytes, 'v');
    const VariableLengthData data(value.constData(), static_cast<std::size_t>(bytes));
    attributes_[a_.attribute("Vehicle", "position")] = data;
    attributes_[a_.attribute("Vehicle", "fuel")] = data;
    parameters_[a_.parameter("Message", "text")] = data;
    event_[a_.parameter("Event", "number")] = data;
    message_ = a_.interactionClass("Message");
    eventClass_ = a_.interactionClass("Event");
  }
  void managesTime() {
    a_.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
    b_.rti().enableTimeConstrained();
    a_.expect("regulating");
    b_.expect("constrained");
  }
  bool update() {
    a_.rti().updateAttributeValues(car_, attributes_, tag_);
    return hear();
  }
  bool interaction() {
    a_.rti().sendInteraction(message_, parameters_, tag_);
    return hear();
  }
  bool advance() {
    time_.setTime(time_.getTime() + 1.0);
    a_.rti().sendInteraction(eventClass_, event_, tag_, time_);
    b_.rti().timeAdvanceRequest(time_);
    a_.rti().timeAdvanceRequest(time_);
    // A federate that has nothing to hear yields now and then, so each is asked only for its own.
    const long granted = granted_ + 2;
    for (Recorder* one : {&a_, &b_}) {
      const long before = granted_;
      for (int i = 0; granted_ == before && i < 3; ++i) one->rti().evokeMultipleCallbacks(0.0, 0.0);
    }
    return granted_ == granted;
  }

 private:
  bool hear() {
    const long heard = heard_;
    b_.rti().evokeMultipleCallbacks(0.0, 0.0);
    return heard_ == heard + 1;
  }

  Recorder a_, b_;
  ObjectInstanceHandle car_;
  AttributeHandleValueMap attributes_;
  ParameterHandleValueMap parameters_, event_;
  InteractionClassHandle message_, eventClass_;
  VariableLengthData tag_;
  HLAfloat64Time time_;
  long heard_ = 0, granted_ = 0;
};

using Setting = std::function<void(Play&)>;
using Step = bool (Play::*)();

}  // namespace
Q_DECLARE_METATYPE(Setting)
Q_DECLARE_METATYPE(Step)

class tst_hot_path : public QObject {
  Q_OBJECT

  OwnNode node_;

 private slots:
  void theCountersCount();
  void nothingBesides_data();
  void nothingBesides();
};

namespace {

struct Counts {
  std::atomic<long> allocations, done;
  SystemCalls systemCalls;
  std::atomic<qint64> milliseconds;
};

/// Runs `warmUp` and then `counted` in a process of its own, and counts in the second. The exit
/// code of that process, or -1.
int counting(Counts& counts, const std::function<void()>& warmUp,
             const std::function<void()>& counted) {
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    systemCalls = &counts.systemCalls;
    warmUp();
    catchSystemCalls();
    QElapsedTimer timer;
    timer.start();
    const long before = allocations.load();
    counted();
    counts.allocations.store(allocations.load() - before);
    counts.milliseconds.store(timer.elapsed());
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Counts& sharedCounts() {
  void* place =
      mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) qFatal("no shared memory to count in");
  return *new (place) Counts{};
}

}  // namespace

void tst_hot_path::theCountersCount() {
  Counts& counts = sharedCounts();
  QCOMPARE(counting(
               counts, [] {},
               [] {
                 for (int i = 0; i < 3; ++i) delete new (std::nothrow) QByteArray(100, 'x');
                 for (int i = 0; i < 5; ++i) getppid();
               }),
           0);
  QCOMPARE(counts.allocations.load(), 6);
  QCOMPARE(counts.systemCalls.others.load(), 5);
}

void tst_hot_path::nothingBesides_data() {
  QTest::addColumn<int>("bytes");
  QTest::addColumn<bool>("timeManaged");
  QTest::addColumn<Step>("step");
  for (const int bytes : {8, 128, 4096, 1 << 20}) {
    const auto row = [bytes](const char* what) {
      return QString("%1, %2 bytes").arg(what).arg(bytes).toUtf8();
    };
    QTest::newRow(row("update")) << bytes << false << Step(&Play::update);
    QTest::newRow(row("interaction")) << bytes << false << Step(&Play::interaction);
  }
  QTest::newRow("time advance with an event") << 128 << true << Step(&Play::advance);
}

void tst_hot_path::nothingBesides() {
  QFETCH(int, bytes);
  QFETCH(bool, timeManaged);
  QFETCH(Step, step);
  constexpr int rounds = 1000;
  Counts& counts = sharedCounts();
  std::unique_ptr<Play> play;
  const QString federation = uniqueName("hot path");
  const int code = counting(
      counts,
      [&] {
        play = std::make_unique<Play>(federation);
        play->carries(bytes);
        if (timeManaged) play->managesTime();
        for (int i = 0; i < 3000; ++i) (play.get()->*step)();
      },
      [&] {
        for (int i = 0; i < rounds; ++i) counts.done += (play.get()->*step)();
      });
  QCOMPARE(code, 0);
  QCOMPARE(counts.done.load(), rounds);
  QCOMPARE(counts.allocations.load(), 0);
  QCOMPARE(counts.systemCalls.others.load(), 0);
  // Each of the two looks every 50 ms whether its node is still there.
  QVERIFY(counts.systemCalls.polls.load() <= 2 * (1 + counts.milliseconds.load() / 50));
}

QTEST_GUILESS_MAIN(tst_hot_path)
#include "tst_hot_path.moc"
