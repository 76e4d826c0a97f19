// SPDX-License-Identifier: GPL-3.0-or-later
// The file of hosts and clusters: what it holds survives, and what is wrong is said with its line.
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <random>
#include <set>

#include "launcher/engine/hosts.h"

using namespace tutti;
using namespace tutti::launcher;
using composer::Json;
using composer::JsonSource;

namespace {

tl::expected<Deployment, composer::Error> parsed(const QByteArray& bytes) {
  return JsonSource::parse(bytes, QStringLiteral("lab.hosts.json"))
      .and_then(&Deployment::fromSource);
}

/// One of everything, nothing at its default.
Deployment fullDeployment() {
  Host host;
  host.name = "alpha";
  host.destination = "me@alpha.lab";
  host.identityFile = "~/.ssh/lab";
  host.knownHostsFile = "/etc/lab/known_hosts";
  host.port = 2222;
  host.cores = 16;
  host.memoryMb = 64000.5;
  host.labels = QStringList{"gpu", "net"};
  host.address = "10.0.0.1";
  host.spare = true;
  ClusterNode node{"n1", "idle", 64, 256000, {"avx2"}};
  Partition partition{"short", "up", 60, {node}};
  Cluster cluster;
  cluster.name = "hpc";
  cluster.destination = "login";
  cluster.identityFile = "~/.ssh/hpc";
  cluster.knownHostsFile = "/etc/hpc/known_hosts";
  cluster.port = 2022;
  cluster.configuration = "/etc/slurm/hpc.conf";
  cluster.account = "flight";
  cluster.qos = "short";
  cluster.timeLimit = 30;
  cluster.saveBeforeLimit = 10;
  cluster.continues = true;
  cluster.immediate = true;
  cluster.exclusive = true;
  cluster.spareNodes = 2;
  cluster.partitions = {partition};
  Deployment deployment;
  deployment.restartsOnSpare = true;
  deployment.longestWait = 60;
  deployment.hosts.push_back(host);
  deployment.clusters.push_back(cluster);
  return deployment;
}

QByteArray content(const QString& file) {
  QFile input{file};
  return input.open(QIODevice::ReadOnly) ? input.readAll() : QByteArray{};
}

std::set<std::string> keysOf(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

}  // namespace

class TestHosts : public QObject {
  Q_OBJECT

 private slots:
  void everythingSurvives() {
    QTemporaryDir folder;
    const QString file = folder.filePath("lab.hosts.json");
    Deployment original = fullDeployment();
    const auto saved = original.save(file);
    QVERIFY2(saved, qPrintable(saved ? QString{} : saved.error().message()));
    const auto again = Deployment::read(file);
    QVERIFY2(again, qPrintable(again ? QString{} : again.error().message()));
    original.file = file;
    QCOMPARE(*again, original);
    QCOMPARE(again->toBytes(), content(file));
  }

  void bytesDoNotDependOnTheOrder() {
    Deployment one;
    for (const char* name : {"b", "a", "c"}) {
      Host host;
      host.name = host.destination = name;
      one.hosts.push_back(host);
    }
    Deployment other = one;
    std::swap(other.hosts[0], other.hosts[2]);
    QCOMPARE(one.toBytes(), other.toBytes());
    QCOMPARE(one.toBytes(),
             "{\n  \"format\": 1,\n  \"hosts\": {\n    \"a\": {\n      \"destination\": \"a\"\n    "
             "},\n    \"b\": {\n      \"destination\": \"b\"\n    },\n    \"c\": {\n      "
             "\"destination\": \"c\"\n    }\n  }\n}\n");
  }

  void unknownKeysAreKept() {
    const QByteArray bytes = R"({"format": 1, "x": 1,
      "hosts": {"a": {"destination": "a", "rack": [1, 2]}},
      "clusters": {"c": {"y": {}, "partitions": {"p": {"z": "", "nodes": {"n": {"w": true}}}}}}})";
    const auto deployment = parsed(bytes);
    QVERIFY(deployment);
    QCOMPARE(Json::parse(deployment->toBytes().toStdString()), Json::parse(bytes.toStdString()));
  }

  void theEmptyNameIsThisMachine() {
    const auto deployment =
        parsed(R"({"hosts": {"desk": {"cores": 8}, "a": {"destination": "a"}}})");
    QVERIFY(deployment);
    QVERIFY(deployment->host({}));
    QCOMPARE(deployment->host({})->name, "desk");
    QCOMPARE(deployment->host("desk"), deployment->host({}));
    QCOMPARE(deployment->host("a")->destination, "a");
    QVERIFY(!deployment->host("b"));
    QVERIFY(!parsed(R"({"hosts": {"a": {"destination": "a"}}})")->host({}));
  }

  void faultsAreSaidWithTheirPlace_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("saying");
    const auto row = [](const char* name, const QByteArray& bytes, int line, const char* pointer,
                        const char* saying) {
      QTest::newRow(name) << bytes << line << QString(pointer) << QString(saying);
    };
    const auto host = [](const QByteArray& key) {
      return "{\"hosts\": {\n\"a\": {\n" + key + "}}}";
    };
    row("empty", "", 0, "", "empty");
    row("a list", "[]", 1, "", "not an object");
    row("newer", "{\n\"format\": 2}", 2, "/format", "reads up to 1");
    row("format 0", "{\"format\": 0}", 1, "/format", "whole number");
    row("hosts as a list", "{\"hosts\":\n[]}", 2, "/hosts", "not an object");
    row("host as a text", "{\"hosts\": {\"a\": \"a\"}}", 1, "/hosts/a", "not an object");
    row("a name twice", "{\"hosts\": {\"a\": {},\n\"a\": {}}}", 2, "/hosts/a", "stands twice");
    row("an empty name", "{\"hosts\": {\"\": {}}}", 1, "/hosts/", "name is empty");
    row("a name with a newline", R"({"hosts": {"a\nb": {}}})", 1, "/hosts/a\nb", "control");
    row("a name as an option", R"({"hosts": {"-a": {}}})", 1, "/hosts/-a", "begins with '-'");
    row("an option for ssh", host("\"destination\": \"-oProxyCommand=x\""), 3,
        "/hosts/a/destination", "take it for an option");
    row("two words for ssh", host("\"destination\": \"a rm\""), 3, "/hosts/a/destination", "blank");
    row("destination null", host("\"destination\": null"), 3, "/hosts/a/destination", "not a text");
    row("two are this machine", "{\"hosts\": {\"a\": {},\n\"b\": {}}}", 2, "/hosts/b",
        "second host without a destination");
    row("relative key", host("\"identityFile\": \"id\""), 3, "/hosts/a/identityFile",
        "absolute path");
    row("relative known hosts", host("\"knownHostsFile\": \"../k\""), 3, "/hosts/a/knownHostsFile",
        "absolute path");
    row("port 65536", host("\"port\": 65536"), 3, "/hosts/a/port", "0 to 65535");
    row("half a core", host("\"cores\": 0.5"), 3, "/hosts/a/cores", "whole number");
    row("negative memory", host("\"memory\": -1"), 3, "/hosts/a/memory", "not a number from 0");
    row("memory as a text", host("\"memory\": \"8\""), 3, "/hosts/a/memory", "not a number");
    row("infinite memory", host("\"memory\": 1e999"), 3, "", "too large");
    row("an empty label", host("\"labels\": [\"gpu\", \"\"]"), 3, "/hosts/a/labels", "label");
    row("labels as a text", host("\"labels\": \"gpu\""), 3, "/hosts/a/labels", "list of texts");
    row("address", host("\"address\": \"a b\""), 3, "/hosts/a/address", "no address");
    row("account", R"({"clusters": {"c": {"account": "a b"}}})", 1, "/clusters/c/account", "blank");
    row("qos", R"({"clusters": {"c": {"qos": "--uid=0"}}})", 1, "/clusters/c/qos", "begins with");
    row("save", R"({"clusters": {"c": {"saveBeforeLimit": -1}}})", 1, "/clusters/c/saveBeforeLimit",
        "whole number");
    row("continue", R"({"clusters": {"c": {"continue": 1}}})", 1, "/clusters/c/continue", "true");
    row("configuration", R"({"clusters": {"c": {"configuration": "slurm.conf"}}})", 1,
        "/clusters/c/configuration", "absolute");
    row("cluster", "{\"clusters\": {\"c\": {\"destination\": \"-x\"}}}", 1,
        "/clusters/c/destination", "option");
    row("partition", "{\"clusters\": {\"c\": {\"partitions\": {\"p\":\n{\"timeLimit\": -1}}}}}", 2,
        "/clusters/c/partitions/p/timeLimit", "whole number");
    row("node",
        "{\"clusters\": {\"c\": {\"partitions\": {\"p\": {\"nodes\": {\"n\":\n{\"cores\": "
        "true}}}}}}}",
        2, "/clusters/c/partitions/p/nodes/n/cores", "whole number");
    row("not UTF-8", "{\"hosts\": {\"\xff\": {}}}", 1, "", "not JSON");
    row("deep", QByteArray(300, '['), 0, "", "200 levels");
  }
  void faultsAreSaidWithTheirPlace() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, line);
    QFETCH(QString, pointer);
    QFETCH(QString, saying);
    const auto deployment = parsed(bytes);
    QVERIFY(!deployment);
    QVERIFY2(deployment.error().message().contains(saying),
             qPrintable(deployment.error().message()));
    QCOMPARE(deployment.error().line, line);
    QCOMPARE(deployment.error().pointer, pointer);
    QCOMPARE(deployment.error().file, "lab.hosts.json");
  }

  void aMissingFileIsSaid() {
    const auto deployment = Deployment::read("/nowhere/lab.hosts.json");
    QVERIFY(!deployment);
    QVERIFY(deployment.error().message().contains("/nowhere/lab.hosts.json: The file cannot be"));
  }

  void whatCouldNotBeReadAgainIsNotWritten() {
    QTemporaryDir folder;
    const QString file = folder.filePath("lab.hosts.json");
    QVERIFY(fullDeployment().save(file));
    const QByteArray before = content(file);
    Deployment twice = fullDeployment();
    twice.hosts.push_back(twice.hosts.front());
    QVERIFY(!twice.save(file));
    Deployment nodes = fullDeployment();
    auto& list = nodes.clusters.front().partitions.front().nodes;
    list.push_back(list.front());
    QVERIFY(!nodes.save(file));
    Deployment option = fullDeployment();
    option.hosts.front().destination = "-oProxyCommand=x";
    const auto refused = option.save(file);
    QVERIFY(!refused);
    QVERIFY2(refused.error().message().contains("was not saved"),
             qPrintable(refused.error().message()));
    QCOMPARE(content(file), before);
  }

  /// Whatever becomes of a file, reading it ends in a value that is written the same again, or in
  /// an error that says what is wrong.
  void damagedFilesAreReadOrRefused() {
    const QByteArray whole = fullDeployment().toBytes();
    std::mt19937 random{4711};
    int refused = 0;
    int readable = 0;
    for (int round = 0; round < 4000; ++round) {
      QByteArray bytes = whole;
      for (unsigned i = 0; i <= random() % 3; ++i) {
        const auto at = qsizetype(random() % unsigned(bytes.size()));
        if (random() % 2)
          bytes[at] = char(random() % 256);
        else
          bytes.remove(at, 1 + random() % 8);
      }
      const auto deployment = parsed(bytes);
      if (!deployment) {
        QVERIFY(!deployment.error().what.isEmpty());
        ++refused;
        continue;
      }
      ++readable;
      const auto again = parsed(deployment->toBytes());
      QVERIFY2(again, qPrintable(again ? QString{} : again.error().message()));
      QCOMPARE(again->toBytes(), deployment->toBytes());
    }
    QVERIFY(refused > 100 && readable > 100);
  }

  /// The published schema names the keys that are written, no more and no fewer.
  void theSchemaHasTheKeysOfTheFile() {
    const Json schema =
        Json::parse(content(TUTTI_SOURCE_DIR "/resources/schemas/hosts.schema.json").toStdString());
    const Json file = Json::parse(fullDeployment().toBytes().toStdString());
    const Json& kinds = schema.at("$defs");
    const Json& cluster = file.at("clusters").at("hpc");
    const Json& partition = cluster.at("partitions").at("short");
    QCOMPARE(keysOf(schema.at("properties")), keysOf(file));
    QCOMPARE(keysOf(kinds.at("host").at("properties")), keysOf(file.at("hosts").at("alpha")));
    QCOMPARE(keysOf(kinds.at("cluster").at("properties")), keysOf(cluster));
    QCOMPARE(keysOf(kinds.at("partition").at("properties")), keysOf(partition));
    QCOMPARE(keysOf(kinds.at("node").at("properties")), keysOf(partition.at("nodes").at("n1")));
  }
};

QTEST_GUILESS_MAIN(TestHosts)
#include "tst_hosts_file.moc"
