// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <signal.h>

#include <QDirIterator>
#include <QMap>
#include <QRandomGenerator>
#include <QSet>
#include <QTest>
#include <QUrl>
#include <algorithm>
#include <climits>
#include <numeric>
#include <optional>
#include <random>

#include "tests/launcher/lab.h"
#include "tests/launcher/supervisor_client.h"

// What the storms of kills share: victims by kind, what a run has shown, and what it leaves.
namespace tutti::launcher::test {

constexpr int stormMs = 60000;
/// After a kill that ends a run, or after it was told to end, nothing may be left.
constexpr int leftMs = 15000;

inline QProcessEnvironment stormEnvironment(const Lab& lab) {
  auto result = QProcessEnvironment::systemEnvironment();
  result.insert("XDG_STATE_HOME", lab.root() + "/state");
  result.insert("XDG_DATA_HOME", lab.root() + "/data");
  result.insert("XDG_CONFIG_HOME", lab.root() + "/config");
  return result;
}

/// Where a symbolic link of /proc leads, which is no path.
inline QByteArray linkOf(const QString& path) {
  char target[64];
  const auto size = ::readlink(QFile::encodeName(path).constData(), target, sizeof target);
  return {target, std::max<qsizetype>(size, 0)};
}

/// Processes of this machine that have the lab's state folder, and so are of this test's runs: of
/// consoles, too, and what they have started. Those of hosts are not among them.
inline QList<pid_t> processesHere(const Lab& lab) {
  QList<pid_t> result;
  const QByteArray state = "XDG_STATE_HOME=" + lab.root().toUtf8();
  const QByteArray network = linkOf("/proc/self/ns/net");
  for (const QString& name : QDir("/proc").entryList({"[0-9]*"}, QDir::Dirs)) {
    QFile environment("/proc/" + name + "/environ");
    const pid_t pid = name.toInt();
    if (environment.open(QIODevice::ReadOnly) && environment.readAll().contains(state) &&
        alive(pid) && linkOf("/proc/" + name + "/ns/net") == network)
      result << pid;
  }
  return result;
}
/// Those of them whose program has this in its path, or that name.
inline QList<pid_t> processesHere(const Lab& lab, const QByteArray& program) {
  QList<pid_t> result;
  for (const pid_t pid : processesHere(lab)) {
    const QByteArray words = Lab::commandOf(pid);
    if (words.left(words.indexOf(' ') + 1).contains(program)) result << pid;
  }
  return result;
}

// ---- victims -----------------------------------------------------------------------------------

struct Victim {
  QString kind;
  QList<pid_t> pids;  ///< All of them are killed; none: the host loses its power.
  int host = 0;       ///< 0: this machine
};

/// One of that kind, of which there has to be one.
template <class Random>
Victim anyOf(const QList<Victim>& there, const QString& kind, Random& random) {
  QList<Victim> those;
  std::copy_if(there.begin(), there.end(), std::back_inserter(those),
               [&](const auto& one) { return one.kind == kind; });
  if (those.isEmpty()) qFatal("no %s is there to be killed", qPrintable(kind));
  return those[static_cast<qsizetype>(random() % those.size())];
}

/// How often each kind was killed. Victims are drawn at random, half of them among the kinds that
/// were killed least.
class Kinds {
 public:
  explicit Kinds(const QStringList& all) {
    for (const QString& kind : all) counts_[kind] = 0;
  }
  template <class Random>
  Victim draw(const QList<Victim>& there, Random& random) const {
    const bool rare = random() % 2 == 0;
    int least = INT_MAX;
    for (const auto& one : there) least = std::min(least, counts_[one.kind]);
    QStringList kinds;
    for (const auto& one : there) {
      if ((!rare || counts_[one.kind] == least) && !kinds.contains(one.kind)) kinds << one.kind;
    }
    return anyOf(there, kinds[static_cast<qsizetype>(random() % kinds.size())], random);
  }
  void count(const QString& kind) { ++counts_[kind]; }
  int of(const QString& kind) const { return counts_[kind]; }
  int total() const { return std::accumulate(counts_.begin(), counts_.end(), 0); }
  bool allOccurred() const { return !counts_.values().contains(0); }
  QByteArray text() const {
    QStringList result;
    for (auto one = counts_.begin(); one != counts_.end(); ++one)
      result << QStringLiteral("%1 %2").arg(one.key()).arg(*one);
    return result.join(", ").toUtf8();
  }

 private:
  QMap<QString, int> counts_;
};

/// Kills processes, and returns once none of them lives. Not empty: one still does.
inline QByteArray strike(const QList<pid_t>& pids) {
  for (const pid_t pid : pids) {
    if (::kill(pid, SIGKILL) != 0) return "it had ended already: " + QByteArray::number(pid);
  }
  for (const pid_t pid : pids) {
    if (!QTest::qWaitFor([&] { return !alive(pid); }, stormMs))
      return "it does not die: " + Lab::commandOf(pid);
  }
  return {};
}

// ---- what was shown ----------------------------------------------------------------------------

struct ShownLine {
  QString process;
  QString text;
  bool operator==(const ShownLine&) const = default;
};
/// Lines of federates and RTI nodes by host and number.
using Lines = QMap<QString, QMap<qint64, ShownLine>>;

/// A console that prints the events of a run: `tutti attach --json`.
class Watcher {
 public:
  Watcher(const Lab& lab, const QString& run, const QStringList& options = {}) {
    process.setProcessEnvironment(stormEnvironment(lab));
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"),
                  QStringList{"attach", run, "--json"} + options);
    process.waitForStarted();
  }
  ~Watcher() {
    process.kill();
    process.waitForFinished(stormMs);
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void take() {
    unread_ += process.readAllStandardOutput();
    for (;;) {
      const auto end = unread_.indexOf('\n');
      if (end < 0) return;
      takeEvent(QJsonDocument::fromJson(unread_.left(end)).object());
      if (!unread_.left(end).contains("\"event\":\"output\"")) others += unread_.left(end + 1);
      unread_.remove(0, end + 1);
    }
  }
  bool isOver() const { return process.state() == QProcess::NotRunning; }
  /// For the message of a test that fails: the last that it has told, and what it complains of.
  QByteArray told() {
    take();
    return "the watching console: " + QByteArray(isOver() ? "over" : "there") + "; " +
           others.right(3000) + process.readAllStandardError().right(1000);
  }
  /// Those that have said to be ready.
  bool areReady(const QStringList& processes) {
    take();
    return std::all_of(processes.begin(), processes.end(),
                       [&](const auto& one) { return ready_.contains(one); });
  }

  QProcess process;
  Lines lines;
  QStringList faults;  ///< Events that were left out.
  QByteArray others;   ///< Events that are no output.

 private:
  void takeEvent(const QJsonObject& event) {
    const QString host = event["host"].toString();
    const QString kind = event["event"].toString();
    const qint64 number = event["n"].toInteger();
    if (kind == "ready") ready_ << event["id"].toString();
    if (kind == "missed") faults << "events of '" + host + "' are kept no longer";
    if (kind == "output") lines[host][number] = {event["id"].toString(), event["line"].toString()};
    // What was written before comes without what else has happened, and then the state.
    if (kind == "attached" && event.contains("next"))
      next_[host] = event["next"].toInteger();
    else if (number > 0 && next_.contains(host)) {
      if (number != next_[host])
        faults << QStringLiteral("'%1': event %2 follows %3")
                      .arg(host)
                      .arg(number)
                      .arg(next_[host] - 1);
      next_[host] = number + 1;
    }
  }

  QByteArray unread_;
  QSet<QString> ready_;
  QHash<QString, qint64> next_;  ///< By host, once it tells what happens.
};

/// All that was shown of one run, by whichever console.
class Shown {
 public:
  /// Takes over what a console has printed. What it does not agree in is a fault.
  void add(Watcher& from) {
    from.take();
    faults += from.faults;
    from.faults.clear();
    for (auto host = from.lines.begin(); host != from.lines.end(); ++host) {
      auto& known = lines[host.key()];
      for (auto line = host->begin(); line != host->end(); ++line) {
        if (known.contains(line.key()) && known[line.key()] != *line)
          faults << QStringLiteral("line %1 of '%2' was \"%3\" and is \"%4\"")
                        .arg(line.key())
                        .arg(host.key(), known[line.key()].text, line->text);
        known[line.key()] = *line;
      }
    }
  }
  /// Hosts of which a new console has not shown as much as was shown before.
  QStringList behind(Watcher& now) const {
    now.take();
    QStringList result;
    for (auto host = lines.begin(); host != lines.end(); ++host) {
      const auto& those = now.lines[host.key()];
      if (!host->isEmpty() && (those.isEmpty() || those.lastKey() < host->lastKey()))
        result << host.key();
    }
    return result;
  }
  /// The first line of a host that was shown before, and is not by a new console.
  QString missing(const Watcher& now, const QString& host) const {
    const auto those = now.lines[host];
    const auto& known = lines.find(host).value();
    for (auto line = known.begin(); line != known.end(); ++line) {
      if (those.value(line.key()) != *line)
        return QStringLiteral("line %1 of '%2' is not shown again: %3")
            .arg(line.key())
            .arg(host, line->text);
    }
    return {};
  }
  /// The first line of a host that is not in its log files, of which there is a folder.
  QString missingIn(const QString& folder, const QString& host) const {
    QHash<QString, QByteArrayList> files;
    QHash<QString, qsizetype> at;
    const auto known = lines.value(host);
    for (auto line = known.begin(); line != known.end(); ++line) {
      if (!files.contains(line->process)) {
        const QByteArray name = QUrl::toPercentEncoding(line->process, " ", ".");
        QFile file(folder + '/' + QString::fromLatin1(name) + ".log");
        if (file.open(QIODevice::ReadOnly)) files[line->process] = file.readAll().split('\n');
      }
      const auto& all = files[line->process];
      auto& next = at[line->process];
      while (next < all.size() && !all[next].endsWith(' ' + line->text.toUtf8())) ++next;
      if (next++ >= all.size())
        return QStringLiteral("line %1 of '%2' is not in the log of %3 in %4: %5\nIt has:\n%6")
            .arg(line.key())
            .arg(host, line->process, folder, line->text,
                 QString::fromUtf8(all.join('\n').right(3000)));
    }
    return {};
  }
  qsizetype count() const {
    qsizetype result = 0;
    for (const auto& host : lines) result += host.size();
    return result;
  }

  Lines lines;
  QStringList faults;
};

/// Waits until a new console has shown what was shown before of each host whose supervisor `there`
/// says to live, and compares all of it.
template <class There>
void attach(Shown& shown, Watcher& watcher, There&& there) {
  QStringList behind;
  const bool caughtUp = QTest::qWaitFor(
      [&] {
        behind = shown.behind(watcher);
        behind.removeIf([&](const QString& host) { return !there(host); });
        return behind.isEmpty();
      },
      stormMs);
  QVERIFY2(caughtUp, "not all was shown again of '" + behind.join("', '").toUtf8() + "':\n" +
                         watcher.process.readAllStandardError() + watcher.others);
  const auto still = shown.behind(watcher);
  for (const QString& host : shown.lines.keys()) {
    if (still.contains(host)) continue;
    const QString why = shown.missing(watcher, host);
    QVERIFY2(why.isEmpty(), qPrintable(why));
  }
  shown.add(watcher);
}

// ---- what is left ------------------------------------------------------------------------------

/// Memory and sockets that processes of a run have on this machine, which other tests use, too.
class HeldHere {
 public:
  void note(const Lab& lab) {
    QSet<QByteArray> ours;
    sockets(QStringLiteral("self"), ours);
    for (const pid_t pid : processesHere(lab)) {
      sockets(QString::number(pid), sockets_);
      QFile maps(QStringLiteral("/proc/%1/maps").arg(pid));
      if (!maps.open(QIODevice::ReadOnly)) continue;
      for (const QByteArray& line : maps.readAll().split('\n')) {
        const auto at = line.indexOf("/dev/shm/");
        if (at >= 0 && !line.endsWith(" (deleted)")) memory_ << line.mid(at);
      }
    }
    sockets_ -= ours;
  }
  qsizetype socketCount() const { return sockets_.size(); }
  QByteArray left() const {
    QByteArray result;
    for (const QByteArray& path : memory_) {
      if (QFile::exists(QString::fromUtf8(path))) result += path + '\n';
    }
    for (const char* kind : {"unix", "tcp", "tcp6", "udp", "udp6"}) {
      QFile file(QStringLiteral("/proc/self/net/") + QLatin1String(kind));
      if (!file.open(QIODevice::ReadOnly)) continue;
      for (const QByteArray& line : file.readAll().split('\n')) {
        const auto words = line.simplified().split(' ');
        if (sockets_.contains(words.value(kind == QByteArray("unix") ? 6 : 9)))
          result += kind + (' ' + line) + '\n';
      }
    }
    return result;
  }

 private:
  /// Their numbers.
  static void sockets(const QString& process, QSet<QByteArray>& to) {
    const QString folder = "/proc/" + process + "/fd/";
    for (const QString& name : QDir(folder).entryList(QDir::System | QDir::Files)) {
      const QByteArray text = linkOf(folder + name);
      if (text.startsWith("socket:[")) to << text.mid(8).chopped(1);
    }
  }

  QSet<QByteArray> sockets_;
  QSet<QByteArray> memory_;
};

inline QByteArray commandsHere(const Lab& lab) {
  QByteArray result;
  for (const pid_t pid : processesHere(lab))
    result += QByteArray::number(pid) + ' ' + Lab::commandOf(pid) + '\n';
  return result;
}

/// When a process was started, in ticks since the machine was; nothing: it is there no more.
inline std::optional<qulonglong> startOf(pid_t pid) {
  QFile file(QStringLiteral("/proc/%1/stat").arg(pid));
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  const QByteArray text = file.readAll();
  // The 22nd field, the second of which is a name in parentheses.
  return text.mid(text.lastIndexOf(')') + 2).split(' ').value(19).toULongLong();
}

/// The process of a host that has been there longest, its sshd mostly, as one that has just come
/// may go at once; 0: there is none.
inline pid_t anyProcessOf(const Lab& lab, int host) {
  QProcess ip;
  ip.start("ip", {"netns", "pids", lab.host(host)});
  ip.waitForFinished(10000);
  pid_t oldest = 0;
  std::optional<qulonglong> first;
  for (const QByteArray& word : ip.readAllStandardOutput().split('\n')) {
    const pid_t pid = word.toInt();
    const auto start = pid > 0 ? startOf(pid) : std::nullopt;
    if (!start || (first && *start >= *first)) continue;
    first = start;
    oldest = pid;
  }
  return oldest;
}

/// A supervisor that passes on what another one says to a console elsewhere.
inline bool isRelay(pid_t pid) { return Lab::commandOf(pid).contains(" --attach "); }
inline QList<pid_t> supervisorsOf(const Lab& lab, int host) {
  auto result = lab.processes(host, "tutti-supervisor");
  result.removeIf(isRelay);
  return result;
}

/// What is left of runs on hosts: processes, shared memory, and sockets but those of sshd and
/// slurmd.
inline QByteArray leftOnHosts(const Lab& lab, int hosts) {
  QByteArray result;
  for (int host = 1; host <= hosts; ++host) {
    const QByteArray name = lab.host(host).toUtf8() + ": ";
    for (const pid_t pid : lab.processes(host)) {
      if (alive(pid)) result += name + Lab::commandOf(pid) + '\n';
    }
    const QString there = QStringLiteral("/proc/%1/").arg(anyProcessOf(lab, host));
    if (!QFile::exists(there)) {
      result += name + "nothing runs there\n";
      continue;
    }
    for (const QString& one :
         QDir(there + "root/dev/shm")
             .entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot))
      result += name + "/dev/shm/" + one.toUtf8() + '\n';
    QFile local(there + "net/unix");
    if (local.open(QIODevice::ReadOnly)) {
      for (const QByteArray& line : local.readAll().split('\n')) {
        if (line.contains("@tutti")) result += name + line + '\n';
      }
    }
    for (const char* kind : {"tcp", "udp"}) {
      QFile file(there + "net/" + kind);
      if (!file.open(QIODevice::ReadOnly)) continue;
      for (const QByteArray& line : file.readAll().split('\n').mid(1)) {
        const auto words = line.simplified().split(' ');
        const int port = words.value(1).split(':').value(1).toInt(nullptr, 16);
        const bool waits = kind == QByteArray("udp") || words.value(3) == "0A";
        if (words.size() > 9 && waits && port != 22 && port != 6818)
          result += name + kind + (' ' + line) + '\n';
      }
    }
  }
  return result;
}

/// The folder of a run's logs on a host, seen from here; empty where the host has none.
inline QString logsOnHost(const Lab& lab, int host, const QString& run) {
  const QString there = QStringLiteral("/proc/%1/root%2/.local/state/tutti")
                            .arg(anyProcessOf(lab, host))
                            .arg(QDir::homePath());
  QDirIterator each(there, {run}, QDir::Dirs, QDirIterator::Subdirectories);
  return each.hasNext() ? each.next() : QString();
}

/// Runs a command inside a host, as something that watches its services would.
inline bool executeOn(const Lab& lab, int host, const QStringList& words) {
  return QProcess::execute(
             "nsenter", QStringList{"--target", QString::number(anyProcessOf(lab, host)), "--net",
                                    "--mount", "--uts"} +
                            words) == 0;
}

}  // namespace tutti::launcher::test
