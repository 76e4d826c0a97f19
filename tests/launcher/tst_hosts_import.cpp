// SPDX-License-Identifier: GPL-3.0-or-later
// What ssh and Slurm know of hosts, and what becomes of answers that are wrong.
#include <signal.h>
#include <sys/stat.h>

#include <QElapsedTimer>
#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <random>

#include "launcher/engine/hosts_import.h"
#include "launcher/engine/other_program.h"
#include "launcher/engine/way.h"

using namespace tutti::launcher;

namespace {

const QByteArray limits = "short|up|1:00:00\nlong|drain|infinite\n";

QByteArray content(const QString& file) {
  QFile input{file};
  return input.open(QIODevice::ReadOnly) ? input.readAll() : QByteArray{};
}

void write(const QString& file, const QByteArray& bytes, bool executable = false) {
  QFile output{file};
  QVERIFY(output.open(QIODevice::WriteOnly) && output.write(bytes) == bytes.size());
  output.close();
  if (executable)
    QVERIFY(output.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
}

/// The answer of Slurm 22.05.8 with four nodes in two partitions.
QByteArray realAnswer() {
  return content(QStringLiteral(TUTTI_SOURCE_DIR "/tests/launcher/sinfo-22.05.json"));
}

QStringList lines(const std::vector<Host>& hosts) {
  QStringList result;
  for (const Host& each : hosts) {
    result << QStringList{each.name,         each.destination,    QString::number(each.port),
                          each.identityFile, each.knownHostsFile, each.address}
                  .join(u' ');
  }
  return result;
}

QStringList lines(const Cluster& cluster) {
  QStringList result;
  for (const Partition& partition : cluster.partitions) {
    result
        << QStringLiteral("%1 %2 %3").arg(partition.name, partition.state).arg(partition.timeLimit);
    for (const ClusterNode& node : partition.nodes) {
      result << QStringLiteral("  %1 %2 %3 %4 %5")
                    .arg(node.name, node.state)
                    .arg(node.cores)
                    .arg(node.memoryMb, 0, 'f', 0)
                    .arg(node.labels.join(u','));
    }
  }
  return result;
}

/// PATH with programs of the test's own before, or instead of, all others.
class Programs {
 public:
  explicit Programs(bool alone = false) : before_(qgetenv("PATH")) {
    qputenv("PATH", alone ? folder_.path().toUtf8() : folder_.path().toUtf8() + ':' + before_);
  }
  ~Programs() { qputenv("PATH", before_); }
  void add(const QString& name, const QByteArray& script) {
    write(folder_.filePath(name), "#!/bin/sh\n" + script, true);
  }
  [[nodiscard]] QString path(const QString& name) const { return folder_.filePath(name); }

 private:
  QTemporaryDir folder_;
  QByteArray before_;
};

}  // namespace

class TestHostsImport : public QObject {
  Q_OBJECT

 private slots:
  void concreteHostsOfAnSshConfiguration() {
    if (QStandardPaths::findExecutable("ssh").isEmpty()) QSKIP("there is no ssh here");
    QTemporaryDir folder;
    // Whoever opens this to read waits for ever: keys are not read.
    const QString key = folder.filePath("key");
    QCOMPARE(mkfifo(key.toUtf8().constData(), 0600), 0);
    write(folder.filePath("more-1"), "Host inner\n HostName inner.lab\n");
    write(folder.filePath("more-2"), "host=also\n HostName 10.0.0.9\n");
    const QString config = folder.filePath("config");
    write(config, "Include \"" + folder.filePath("more-*").toUtf8() +
                      "\"\n"
                      "# Host commented\n"
                      "Host alpha\n  HostName 10.0.0.1\n  User me\n  Port 2222\n  IdentityFile " +
                      key.toUtf8() +
                      "\n  UserKnownHostsFile /etc/lab/known\n"
                      "HOST beta \"gamma\" *.lab !x.lab node?\n  HostName %h.lab\n  User you\n"
                      "Host behind\n  ProxyJump alpha\n"
                      "Host \"-oProxyCommand=x\"\n"
                      "Match host delta\n  User nobody\n"
                      "Host *\n  User all\n");
    const auto hosts = hostsOfSshConfig(config);
    QVERIFY2(hosts, qPrintable(hosts ? QString{} : hosts.error().message()));
    QStringList expected{"alpha me@10.0.0.1 2222 " + key + " /etc/lab/known 10.0.0.1",
                         "also all@10.0.0.9 0   10.0.0.9", "beta you@beta.lab 0   beta.lab",
                         "gamma you@gamma.lab 0   gamma.lab", "inner all@inner.lab 0   inner.lab"};
    QStringList found = lines(hosts->hosts);
    // Without a setting ssh names its list of host keys, as the account has it.
    const QString known = QStringLiteral("/.ssh/known_hosts");
    QVERIFY2(!found.join(u'\n').contains(known), qPrintable(found.join(u'\n')));
    QCOMPARE(found, expected);
    QCOMPARE(hosts->left.size(), 2);
    QVERIFY2(hosts->left[0].startsWith("-oProxyCommand=x is left out: "),
             qPrintable(hosts->left[0]));
    QCOMPARE(
        hosts->left[1],
        "behind is left out: it is reached through a proxy, which only ~/.ssh/config can say.");
    // What was imported can be written and read.
    Deployment deployment;
    merge(deployment, hosts->hosts, {});
    QVERIFY(deployment.save(folder.filePath("lab.hosts.json")));
  }

  void ofOnesOwnConfigurationTheAliasStays() {
    Programs programs;
    QTemporaryDir home;
    QVERIFY(QDir(home.path()).mkdir(".ssh"));
    write(home.filePath(".ssh/config"), "Host alpha behind\nHost b*\n  User x\nInclude more\n");
    write(home.filePath(".ssh/more"), "Host gamma\n");
    programs.add("ssh",
                 "case \"$*\" in *-F*) exit 9;; esac\n"
                 "for name; do :; done\n"
                 "echo user me; echo hostname $name.lab; echo port 2222\n"
                 "[ $name = behind ] && echo proxyjump alpha\nexit 0\n");
    const QByteArray before = qgetenv("HOME");
    qputenv("HOME", home.path().toUtf8());
    const auto hosts = hostsOfSshConfig();
    QFile::remove(home.filePath(".ssh/config"));
    const auto none = hostsOfSshConfig();
    qputenv("HOME", before);
    QVERIFY2(hosts, qPrintable(hosts ? QString{} : hosts.error().message()));
    QCOMPARE(lines(hosts->hosts), (QStringList{"alpha alpha 0   alpha.lab", "behind behind 0   ",
                                               "gamma gamma 0   gamma.lab"}));
    QVERIFY(hosts->left.isEmpty());
    QVERIFY(!none);
    QCOMPARE(none.error().message(),
             home.filePath(".ssh/config") +
                 ": The ssh configuration cannot be read: there is no such file.");
  }

  void whatSshAnswersIsChecked_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("saying");
    QTest::newRow("it fails") << QByteArray("echo 'line 1: Bad option: Colour' >&2; exit 255")
                              << "ssh -G alpha failed: line 1: Bad option: Colour";
    QTest::newRow("it crashes") << QByteArray("kill -SEGV $$") << "crashed";
    QTest::newRow("endless") << QByteArray("while :; do echo hostname aaaaaaaaaaaaaaaaaaaaa; done")
                             << "answers with more than 262144 bytes";
    QTest::newRow("nothing") << QByteArray("exit 0") << "left out: ssh gives no host name";
    QTest::newRow("an option") << QByteArray("echo hostname -x")
                               << "left out: ssh gives no host name";
    QTest::newRow("two words") << QByteArray("echo hostname a; echo 'user b c'")
                               << "left out: The destination has a blank";
  }
  void whatSshAnswersIsChecked() {
    QFETCH(QByteArray, script);
    QFETCH(QString, saying);
    Programs programs;
    programs.add("ssh", script + '\n');
    write(programs.path("config"), "Host alpha\n");
    const auto hosts = hostsOfSshConfig(programs.path("config"));
    const QString said = hosts ? hosts->left.join(u'\n') : hosts.error().message();
    QVERIFY2(said.contains(saying), qPrintable(said));
    QVERIFY(!hosts || hosts->hosts.empty());
  }

  void includesThatNeverEndAreRefused() {
    QTemporaryDir folder;
    const QString config = folder.filePath("config");
    write(config, "Include " + config.toUtf8() + "\n");
    const auto hosts = hostsOfSshConfig(config);
    QVERIFY(!hosts);
    QVERIFY2(hosts.error().message().contains("include each other"),
             qPrintable(hosts.error().message()));
  }

  void aClusterAsSlurmTellsOfIt() {
    const auto cluster = clusterOfSinfo(realAnswer(), limits);
    QVERIFY2(cluster, qPrintable(cluster ? QString{} : cluster.error().message()));
    QCOMPARE(lines(*cluster),
             (QStringList{"long drain 0", "  big unknown+drain 64 536870 ",
                          "  n3 unknown 16 67108 avx2,gpu", "short up 60",
                          "  n1 unknown 16 67108 avx2,gpu", "  n2 unknown 16 67108 avx2,gpu",
                          "  n3 unknown 16 67108 avx2,gpu"}));
    Deployment deployment;
    deployment.clusters.push_back(*cluster);
    deployment.clusters.back().name = "lab";
    QTemporaryDir folder;
    QVERIFY(deployment.save(folder.filePath("lab.hosts.json")));
  }

  void timeLimits_data() {
    QTest::addColumn<QByteArray>("limit");
    QTest::addColumn<int>("minutes");
    QTest::newRow("days") << QByteArray("2-12:00:00") << 3600;
    QTest::newRow("hours") << QByteArray("1:30:00") << 90;
    QTest::newRow("minutes") << QByteArray("30:00") << 30;
    QTest::newRow("seconds") << QByteArray("0:30") << 1;
    QTest::newRow("none") << QByteArray("infinite") << 0;
    QTest::newRow("n/a") << QByteArray("n/a") << 0;
    QTest::newRow("huge") << QByteArray("4294967295-00:00:00") << 5000000;
  }
  void timeLimits() {
    QFETCH(QByteArray, limit);
    QFETCH(int, minutes);
    const auto cluster = clusterOfSinfo("{\"nodes\": []}", "p|up|" + limit + "\n");
    QVERIFY(cluster);
    QCOMPARE(cluster->partitions[0].timeLimit, minutes);
  }

  void wrongAnswersOfSinfo_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("saying");
    QTest::newRow("empty") << QByteArray() << "is empty";
    QTest::newRow("text") << QByteArray("slurm_load_node: error") << "not JSON";
    QTest::newRow("a list") << QByteArray("[]") << "not an object";
    QTest::newRow("deep") << "{\"nodes\":" + QByteArray(5000, '[') << "200 levels";
    QTest::newRow("not UTF-8") << QByteArray("{\"nodes\": [{\"name\": \"\xc3\x28\"}]}")
                               << "not JSON";
    // As 22.05 answers without its controller, with exit code 0.
    QTest::newRow("failed")
        << QByteArray(
               "{\"errors\": [{\"error\": \"Unspecified error\", \"errno\": -1}], \"nodes\": []}")
        << "sinfo failed: Unspecified error.";
    QTest::newRow("other form") << QByteArray("{\"hosts\": []}") << "neither a list \"nodes\"";
    QTest::newRow("rows that are none")
        << QByteArray("{\"sinfo\": {}}") << "neither a list \"nodes\"";
    QTest::newRow("a number") << QByteArray("{\"nodes\": [5]}") << "A node is not an object";
    QTest::newRow("nameless") << QByteArray("{\"nodes\": [{}]}") << "name is empty";
    QTest::newRow("escape") << QByteArray("{\"nodes\": [{\"name\": \"a\\u001b[2J\"}]}")
                            << "control";
    QTest::newRow("option") << QByteArray(R"({"nodes": [{"name": "-x"}]})") << "begins with '-'";
    QTest::newRow("partition") << QByteArray(R"({"nodes": [{"name": "a", "partitions": ["b c"]}]})")
                               << "blank";
    QTest::newRow("twice")
        << QByteArray(
               "{\"nodes\": [{\"name\": \"a\", \"partitions\": [\"p\"]}, {\"name\": \"a\", "
               "\"partitions\": [\"p\"]}]}")
        << "\"a\" is there twice";
  }
  void wrongAnswersOfSinfo() {
    QFETCH(QByteArray, json);
    QFETCH(QString, saying);
    const auto cluster = clusterOfSinfo(json, limits);
    QVERIFY(!cluster);
    QVERIFY2(cluster.error().message().contains(saying), qPrintable(cluster.error().message()));
  }

  /// Whatever sinfo says: an error with a reason, or a cluster that can be written and read.
  void damagedAnswersAreReadOrRefused() {
    const QByteArray whole = realAnswer();
    QVERIFY(whole.size() > 1000);
    std::mt19937 random{99};
    int refused = 0;
    int readable = 0;
    for (int round = 0; round < 1500; ++round) {
      QByteArray bytes = whole;
      QByteArray partitions = limits;
      partitions[qsizetype(random() % unsigned(limits.size()))] = char(random() % 256);
      const auto at = qsizetype(random() % unsigned(bytes.size()));
      switch (random() % 3) {
        case 0:
          bytes[at] = char(random() % 256);
          break;
        case 1:
          bytes.remove(at, 1 + random() % 30);
          break;
        default:
          bytes[at] = char('0' + random() % 10);
      }
      const auto cluster = clusterOfSinfo(bytes, partitions);
      if (!cluster) {
        QVERIFY(!cluster.error().what.isEmpty());
        ++refused;
        continue;
      }
      ++readable;
      Deployment deployment;
      deployment.clusters.push_back(*cluster);
      deployment.clusters.back().name = "lab";
      const auto again = tutti::composer::JsonSource::parse(deployment.toBytes(), "written")
                             .and_then(&Deployment::fromSource);
      QVERIFY2(again, qPrintable(again ? QString{} : again.error().message()));
      QCOMPARE(again->clusters, deployment.clusters);
    }
    QVERIFY(refused > 100 && readable > 100);
  }

  void sinfoIsAskedHereOrOnTheLoginHost() {
    Programs programs;
    const QByteArray answer =
        "case \"$*\" in *--json*) cat '" TUTTI_SOURCE_DIR
        "/tests/launcher/sinfo-22.05.json';; "
        "*--format=%R\\|%a\\|%l*) printf 'short|up|30:00\\n';; *) exit 3;; esac\n";
    programs.add("sinfo", answer);
    const auto here = askSinfo();
    QVERIFY2(here, qPrintable(here ? QString{} : here.error().message()));
    QCOMPARE(here->name, "slurm");
    QCOMPARE(here->destination, "");
    QCOMPARE(here->partitions.at(1).timeLimit, 30);
    programs.add("ssh",
                 "printf '%s\\n' \"$@\" >> '" + programs.path("asked").toUtf8() + "'\n" + answer);
    const auto there = askSinfo("me@login.hpc");
    QVERIFY2(there, qPrintable(there ? QString{} : there.error().message()));
    QCOMPARE(there->name, "login.hpc");
    QCOMPARE(there->destination, "me@login.hpc");
    // No key of a host is accepted unseen, and nothing is waited for long.
    const QByteArray way =
        "-T\n-o\nBatchMode=yes\n-o\nStrictHostKeyChecking=yes\n-o\nConnectTimeout=5\n"
        "-o\nClearAllForwardings=yes\n--\nme@login.hpc\n";
    QCOMPARE(content(programs.path("asked")), way + "exec sinfo --noheader --json\n" + way +
                                                  "exec sinfo --noheader '--format=%R|%a|%l'\n");
    QVERIFY(!askSinfo("-oProxyCommand=x"));
  }

  void aMissingOrFailingSinfoIsSaid() {
    Programs programs(true);
    const auto missing = askSinfo();
    QVERIFY(!missing);
    QCOMPARE(missing.error().message(),
             "There is no program sinfo on this machine's PATH. sinfo comes with Slurm; name the "
             "login host of a cluster where it is.");
    programs.add("sinfo",
                 "echo 'slurm_load_node: Unable to contact slurm controller' >&2; exit 1\n");
    const auto failing = askSinfo();
    QVERIFY(!failing);
    QCOMPARE(failing.error().message(),
             "sinfo failed with exit code 1: slurm_load_node: Unable to contact slurm controller. "
             "Check whether slurmctld answers: scontrol ping.");
  }

  void aProgramThatHangsIsKilled() {
    Programs programs;
    programs.add("hangs", "echo $$ > '" + programs.path("pid").toUtf8() + "'; exec sleep 600\n");
    const auto answer = askProgram("hangs", {}, 3000, 1000);
    QVERIFY(!answer);
    QCOMPARE(answer.error().message(), "hangs has not answered within 3 s.");
    const int pid = content(programs.path("pid")).trimmed().toInt();
    QVERIFY(pid > 0);  // it ran
    QVERIFY(!QFileInfo::exists(QStringLiteral("/proc/%1").arg(pid)));
  }

  void importingAgainKeepsWhatThePersonAdded() {
    Deployment deployment;
    Host mine;
    mine.name = "alpha";
    mine.destination = "old";
    mine.port = 99;
    mine.cores = 16;
    mine.labels = QStringList{"gpu"};
    mine.address = "10.9.9.9";
    Host other;
    other.name = "desk";
    deployment.hosts = {mine, other};
    Host imported;
    imported.name = imported.destination = "alpha";
    imported.address = "alpha.lab";
    Host added = imported;
    added.name = "beta";
    Cluster cluster;
    cluster.name = "hpc";
    cluster.partitions.push_back({"old", "up", 1, {}});
    deployment.clusters = {cluster};
    cluster.partitions = {{"new", "up", 1, {}}};
    merge(deployment, {imported, added}, {cluster});
    QCOMPARE(deployment.hosts.size(), 3u);
    mine.destination = "alpha";
    mine.port = 0;
    QCOMPARE(*deployment.host("alpha"), mine);
    QCOMPARE(*deployment.host("beta"), added);
    QCOMPARE(deployment.clusters.size(), 1u);
    QCOMPARE(deployment.clusters[0].partitions[0].name, "new");
  }

  /// A host that lies, or one whose shell prints without end, fills no memory here.
  void anAnswerWithoutEndIsCutOff_data() {
    QTest::addColumn<QByteArray>("where");
    QTest::newRow("as its answer") << QByteArray();
    QTest::newRow("as an error") << QByteArray(" >&2");
  }
  void anAnswerWithoutEndIsCutOff() {
    QFETCH(QByteArray, where);
    const QTemporaryDir programs;
    write(
        programs.filePath("ssh"),
        "#!/bin/sh\necho $$ > '" + programs.filePath("pid").toUtf8() + "'\nexec yes" + where + '\n',
        true);
    const QByteArray before = qgetenv("PATH");
    qputenv("PATH", programs.path().toUtf8() + ':' + before);
    Host host;
    host.name = "liar";
    host.destination = "liar";
    const auto answer = askOn(host, "true", {}, 600000, {}, 4 << 20);
    qputenv("PATH", before);
    QVERIFY(!answer.ok);
    QVERIFY(answer.output.isEmpty());
    QCOMPARE(answer.loss.why, "it has answered with more than 4 MiB");
    const auto pid = content(programs.filePath("pid")).trimmed().toInt();
    QVERIFY(pid > 0);
    QTRY_VERIFY(::kill(pid, 0) != 0);
  }
};

QTEST_GUILESS_MAIN(TestHostsImport)
#include "tst_hosts_import.moc"
