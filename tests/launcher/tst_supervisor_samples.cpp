// SPDX-License-Identifier: GPL-3.0-or-later
// What a supervisor says of its host and its processes, beside what /proc says here.
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <numeric>

#include "launcher/engine/supervisor/host_figures.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using test::SupervisorClient;

namespace {

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Of a process and those that it has waited for.
struct Counted {
  qint64 user = 0;
  qint64 system = 0;
  qint64 resident = 0;
  friend bool operator==(const Counted&, const Counted&) = default;
  Counted operator+(const Counted& other) const {
    return {user + other.user, system + other.system, resident + other.resident};
  }
};

Counted countedOf(qint64 pid) {
  const QByteArray text = contentOf(QStringLiteral("/proc/%1/stat").arg(pid));
  const QByteArrayList fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
  // proc(5) counts from 1 and has two more before these.
  const auto field = [&](int number) { return fields.value(number - 3).toLongLong(); };
  return {field(14) + field(16), field(15) + field(17), field(24) * ::sysconf(_SC_PAGESIZE)};
}

Counted countedOf(const QJsonObject& sample, const QString& id) {
  const QJsonArray row = sample["processes"][id].toArray();
  return {row[1].toInteger(-1), row[2].toInteger(-1), row[3].toInteger(-1)};
}

QList<qint64> hostTicks() {
  const QByteArrayList fields = contentOf("/proc/stat").split('\n').first().simplified().split(' ');
  const auto sum = [&](std::initializer_list<int> which) {
    return std::accumulate(which.begin(), which.end(), qint64(0), [&](qint64 all, int each) {
      return all + fields.value(each).toLongLong();
    });
  };
  return {sum({1, 2}), sum({3, 6, 7}), sum({4, 5, 8})};
}

/// One that says once a second that it is there; its client may be silent for a minute.
void start(SupervisorClient& client, const QJsonArray& processes) {
  client.send({{"version", 1},
               {"run", client.runName()},
               {"grace_s", 0.5},
               {"silence_s", 60},
               {"processes", processes}});
}

QJsonObject nextSample(SupervisorClient& client,
                       const std::function<bool(const QJsonObject&)>& wanted = {}) {
  return client.waitFor([&](const QJsonObject& event) {
    return event["event"] == "sample" && (!wanted || wanted(event));
  });
}

/// All that was sent before has been followed when this returns.
void settle(SupervisorClient& client) {
  client.send({{"do", "stop"}, {"id", "nobody"}});
  QVERIFY(!client.waitFor("error", "nobody").isEmpty());
}

}  // namespace

class SupervisorSamplesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void processesAndWhatTheyStartAgreeWithProc() {
    SupervisorClient client;
    // `a` uses 0.3 s and then, beside it, a child 0.4 s; `b` starts one that ends.
    start(client,
          {SupervisorClient::planned(
               "a", {"burn", "0.3", "beside", "burn", "0.4", "say", "burnt", "sleep"}),
           SupervisorClient::planned("b", {"say", "begun", "beside", "burn", "0.5", "exit", "0"}),
           SupervisorClient::planned("c", {"sleep"})});
    client.send({{"do", "alive"}, {"samples", true}});
    QVERIFY(!client.waitFor("output", "a").isEmpty());
    const qint64 a = client.all("started", "a").front()["pid"].toInteger();
    const qint64 b = client.all("started", "b").front()["pid"].toInteger();
    const qint64 c = client.all("started", "c").front()["pid"].toInteger();
    const auto children = livingDescendants(static_cast<pid_t>(a));
    QCOMPARE(children.size(), std::size_t(1));
    QTRY_VERIFY_WITH_TIMEOUT(livingDescendants(static_cast<pid_t>(b)).empty() &&
                                 countedOf(b).user + countedOf(b).system >= 45,
                             20000);
    settle(client);
    // All sleep now: nothing is counted between the two readings.
    const auto seen = client.all("sample").size();
    const QJsonObject sample =
        nextSample(client, [&](const auto&) { return client.all("sample").size() > seen + 1; });
    QVERIFY(!sample.isEmpty());
    const QJsonObject last = client.all("sample").last();
    const Counted both = countedOf(a) + countedOf(children.front().pid);
    const double ticks = last["ticks_per_s"].toDouble();
    QCOMPARE(ticks, static_cast<double>(::sysconf(_SC_CLK_TCK)));
    QVERIFY2(countedOf(last, "a") == both, qPrintable(QStringLiteral("%1 + %2, here %3 + %4")
                                                          .arg(countedOf(last, "a").user)
                                                          .arg(countedOf(last, "a").system)
                                                          .arg(both.user)
                                                          .arg(both.system)));
    QVERIFY(both.user + both.system >= 0.65 * ticks);
    QCOMPARE(last["processes"]["a"][0].toInteger(), a);
    QCOMPARE(last["processes"]["a"][4].toString(), QStringLiteral("S"));
    QVERIFY(countedOf(last, "b") == countedOf(b));
    QVERIFY(countedOf(last, "b").user + countedOf(last, "b").system >= 0.45 * ticks);
    QVERIFY(countedOf(last, "c") == countedOf(c));

    // It is told of a process that was started again, by its number.
    client.send({{"do", "restart"}, {"id", "c"}});
    const QJsonObject anew = nextSample(client, [&](const QJsonObject& event) {
      const qint64 pid = event["processes"]["c"][0].toInteger();
      return pid != 0 && pid != c;
    });
    QVERIFY(!anew.isEmpty());
    // And of none that has ended.
    client.send({{"do", "kill"}, {"id", "c"}});
    QVERIFY(!client.waitFor("signalled", "c").isEmpty());
    QVERIFY(!nextSample(client, [](const QJsonObject& event) {
               return !event["processes"].toObject().contains("c");
             }).isEmpty());
  }

  void theHostAgreesWithProc() {
    SupervisorClient client;
    start(client, {SupervisorClient::planned("a", {"sleep"})});
    const auto before = hostTicks();
    client.send({{"do", "alive"}, {"samples", true}});
    const QJsonObject first = nextSample(client);
    const QJsonObject second = nextSample(client, [&](const QJsonObject& event) {
      return event["at_ms"].toInteger() > first["at_ms"].toInteger();
    });
    const auto after = hostTicks();
    QVERIFY(!first.isEmpty() && !second.isEmpty());
    for (int kind = 0; kind < 3; ++kind) {
      const qint64 one = first["cpu"][kind].toInteger(-1);
      const qint64 two = second["cpu"][kind].toInteger(-1);
      // Of what waits for I/O the kernel takes some back.
      const int slack = kind == 2 ? 100 : 0;
      QVERIFY2(before[kind] <= one + slack && one <= two + slack && two <= after[kind] + slack,
               qPrintable(QStringLiteral("%1: %2 %3 %4 %5")
                              .arg(kind)
                              .arg(before[kind])
                              .arg(one)
                              .arg(two)
                              .arg(after[kind])));
    }
    const auto meminfo = contentOf("/proc/meminfo");
    const qint64 total = meminfo.split('\n').first().simplified().split(' ').value(1).toLongLong();
    QCOMPARE(second["memory"][0].toInteger(), total * 1024);
    QVERIFY(second["memory"][1].toInteger() > 0 && second["memory"][1].toInteger() < total * 1024);
    QCOMPARE(second["processors"].toInteger(), qint64(::sysconf(_SC_NPROCESSORS_ONLN)));
    // No event of the run: it is neither numbered nor kept for those who come later.
    QVERIFY(!second.contains("n"));
  }

  void whoHasNotAskedIsToldNothing() {
    SupervisorClient client;
    start(client, {SupervisorClient::planned("a", {"sleep"})});
    client.send({{"do", "alive"}});
    settle(client);
    const auto alive = [&](qsizetype count) {
      return !client
                  .waitFor([&](const QJsonObject& event) {
                    return event["event"] == "alive" && client.all("alive").size() >= count;
                  })
                  .isEmpty();
    };
    QVERIFY(alive(client.all("alive").size() + 2));
    QCOMPARE(client.all("sample").size(), 0);
    client.send({{"do", "alive"}, {"samples", true}});
    QVERIFY(!nextSample(client).isEmpty());
    // Whoever says no more that it wants them gets no more.
    client.send({{"do", "alive"}});
    settle(client);
    const auto before = client.all("sample").size();
    QVERIFY(alive(client.all("alive").size() + 3));
    QCOMPARE(client.all("sample").size(), before);
  }

  void textsOfProc() {
    const auto host = hostFiguresFrom(
        "cpu  10 2 30 400 50 6 7 8 0 0\ncpu0 1 1 1 1\n",
        "MemTotal:       16000 kB\nMemFree:  1 kB\nMemAvailable:    9000 kB\n",
        "Inter-|   Receive  |  Transmit\n face |bytes packets\n"
        "    lo: 1000 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0\n"
        " silo0: 5 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n  silo:20 1 0 0 0 0 0 0 30 1 0 0 0 0 0 0");
    QCOMPARE(host.userTicks, 12U);
    QCOMPARE(host.systemTicks, 43U);
    QCOMPARE(host.idleTicks, 458U);
    QCOMPARE(host.memoryTotal, 16000U * 1024);
    QCOMPARE(host.memoryAvailable, 9000U * 1024);
    QCOMPARE(host.networkBytes, 62U);
    const auto none = hostFiguresFrom({}, {}, {});
    QCOMPARE(none.userTicks + none.memoryTotal + none.networkBytes, 0U);
    QCOMPARE(hostFiguresFrom("cpu ", "MemTotal:", "eth0:").networkBytes, 0U);
  }
};

QTEST_GUILESS_MAIN(SupervisorSamplesTest)
#include "tst_supervisor_samples.moc"
