// SPDX-License-Identifier: GPL-3.0-or-later
// tutti hosts and tutti place as a person or a script calls them.
#include <QProcess>

#include "launcher/engine/hosts.h"
#include "launcher/engine/placement_input.h"
#include "monitor/engine/run_store.h"
#include "tests/composer/fixture.h"

using namespace tutti::composer;
using namespace tutti::composer::test;
using namespace tutti::launcher;

namespace {

QByteArray content(const QString& path) {
  QFile file{path};
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

const QByteArray lab = R"({"hosts": {
  "alpha": {"destination": "me@alpha", "cores": 4, "memory": 8000, "labels": ["gpu"]},
  "desk": {"cores": 4, "memory": 8000}}})";

/// flow sends 40 messages/s to two radars; the viewer needs a gpu and receives little.
class Lab {
 public:
  Lab() {
    files.add("flow", R"("publishes": {"objects": [{"class": "Flight", "rate": 40}]},
                         "resources": {"cores": 1, "memory": 500})");
    files.add("radar", R"("subscribes": {"objects": ["Flight"]},
                          "publishes": {"objects": [{"class": "Plot", "rate": 2}]},
                          "resources": {"cores": 1.5, "memory": 100})");
    files.add("viewer", R"("subscribes": {"objects": ["Plot"]},
                           "resources": {"cores": 2, "labels": ["gpu"]})");
    write(hosts(), lab);
    Federate radar = federate("radar", "radar");
    radar.count = 2;
    QVERIFY(composition({federate("flow", "flow"), radar, federate("viewer", "viewer")})
                .save(federation()));
  }
  [[nodiscard]] QString path(const QString& name) const { return files.path() + u'/' + name; }
  [[nodiscard]] QString hosts() const { return path("lab.hosts.json"); }
  [[nodiscard]] QString federation() const { return path("air.federation.json"); }

  TestCatalog files;
};

}  // namespace

class TestCommandLinePlace : public QObject {
  Q_OBJECT

  struct Result {
    int code;
    QString out;
    QString err;
  };
  /// `programs`: the folder that is PATH; `home`: where ~ is.
  static Result tutti(const QStringList& arguments, const QString& catalog = {},
                      const QString& programs = {}, const QString& home = {}) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    if (!catalog.isEmpty()) environment.insert("TUTTI_CATALOG", catalog);
    if (!programs.isEmpty()) environment.insert("PATH", programs);
    if (!home.isEmpty()) {
      environment.insert("HOME", home);
      environment.remove("XDG_DATA_HOME");
    }
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"), arguments);
    if (!process.waitForFinished(60000)) return {-1, {}, process.errorString()};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
  }
  static void program(const QString& path, const QByteArray& script) {
    write(path, "#!/bin/sh\n" + script);
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
  }

 private slots:
  void exitCodes_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("saying");
    const auto row = [](const char* name, const QStringList& arguments, int code,
                        const char* saying) {
      QTest::newRow(name) << arguments << code << QString(saying);
    };
    row("hosts without a file", {"hosts"}, 2, "usage: tutti hosts FILE");
    row("hosts of an option", {"hosts", "--all"}, 2, "usage: tutti hosts FILE");
    row("hosts of no file", {"hosts", "/nowhere"}, 2, "/nowhere: The file cannot be read");
    row("hosts", {"hosts", "HOSTS"}, 0, "2 hosts, 0 clusters");
    row("hosts that are broken", {"hosts", "BROKEN"}, 2, ":1 (/hosts/a/port): \"port\" is not");
    row("import without a target", {"hosts", "import"}, 2, "import needs -o FILE");
    row("import of nothing", {"hosts", "import", "-o", "NEW", "--ssh-config"}, 2, "need a value");
    row("import of what", {"hosts", "import", "-o", "NEW", "x"}, 2, "\"x\" is not understood");
    row("import of no file", {"hosts", "import", "-o", "NEW", "--ssh-config", "/nowhere"}, 2,
        "/nowhere: The ssh configuration cannot be read: there is no such file");
    row("import into what is broken", {"hosts", "import", "-o", "BROKEN"}, 2, "\"port\" is not");
    row("import by an option", {"hosts", "import", "-o", "NEW", "--login", "-x"}, 2,
        "begins with '-'");
    row("place without hosts", {"place", "FEDERATION"}, 2, "name the hosts with --hosts FILE");
    row("place without a value", {"place", "FEDERATION", "--hosts"}, 2, "--hosts FILE");
    row("place nothing", {"place", "--hosts", "HOSTS"}, 2, "name one composition");
    row("place what is not there", {"place", "/nowhere", "--hosts", "HOSTS"}, 2,
        "/nowhere: The file cannot be read");
    row("place on what is not there", {"place", "FEDERATION", "--hosts", "/nowhere"}, 2,
        "/nowhere: The file cannot be read");
    row("place on what is broken", {"place", "FEDERATION", "--hosts", "BROKEN"}, 2, "\"port\"");
    row("unknown option", {"place", "FEDERATION", "--hosts", "HOSTS", "--fast"}, 2,
        "name one composition");
    row("half a pin", {"place", "FEDERATION", "--hosts", "HOSTS", "--pin", "flow"}, 2,
        "\"flow\" is not FEDERATE=HOST");
    row("pin of nobody", {"place", "FEDERATION", "--hosts", "HOSTS", "--pin", "x=alpha"}, 2,
        "no federate is called \"x\"");
    row("apart from nobody", {"place", "FEDERATION", "--hosts", "HOSTS", "--apart", "flow"}, 2,
        "two federates or more");
    row("place", {"place", "FEDERATION", "--hosts", "HOSTS"}, 0,
        "3 federates on 2 hosts, 0 refused");
    row("place where there is no room",
        {"place", "FEDERATION", "--hosts", "HOSTS", "--pin", "viewer=desk"}, 1,
        "is pinned to desk, which lacks the label gpu");
    row("pinned to nowhere", {"place", "FEDERATION", "--hosts", "HOSTS", "--pin", "flow=x"}, 1,
        "It is pinned to x, which is not among the hosts.");
  }
  void exitCodes() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, saying);
    const Lab files;
    write(files.path("broken"), R"({"hosts": {"a": {"port": "x"}}})");
    for (QString& argument : arguments) {
      if (argument == "HOSTS") argument = files.hosts();
      if (argument == "FEDERATION") argument = files.federation();
      if (argument == "BROKEN") argument = files.path("broken");
      if (argument == "NEW") argument = files.path("new");
    }
    const QByteArray before = content(files.federation());
    const Result text = tutti(arguments, files.files.path());
    QVERIFY2((text.out + text.err).contains(saying), qPrintable(text.out + text.err));
    QCOMPARE(text.code, code);
    const Result json = tutti(arguments + QStringList{"--json"}, files.files.path());
    QCOMPARE(json.code, code);
    QVERIFY2(Json::accept(json.out.toStdString()), qPrintable(json.out));
    QVERIFY2(json.err.isEmpty(), qPrintable(json.err));
    QVERIFY(!QFileInfo::exists(files.path("new")));
    QCOMPARE(content(files.federation()), before);
  }

  void hostsAreWrittenIntoTheComposition() {
    const Lab files;
    const QStringList place{"place", files.federation(), "--hosts", files.hosts()};
    const Result shown = tutti(place, files.files.path());
    QCOMPARE(
        shown.out,
        "flow    desk   It exchanges 40 messages/s with radar there.\n"
        "radar   desk   It exchanges 40 messages/s with flow there.\n"
        "viewer  alpha  Only alpha has what it needs: 2 cores and the label gpu.\n"
        "3 federates on 2 hosts, 0 refused; 4 of 44 messages/s between hosts, as few as can be\n");
    const Result done = tutti(place + QStringList{"-o", files.federation()}, files.files.path());
    QCOMPARE(done.code, 0);
    const auto composition = Composition::load(files.federation());
    QVERIFY(composition);
    QCOMPARE(composition->findByName("viewer")->host, "alpha");
    QCOMPARE(composition->findByName("flow")->host, "");  // desk is this machine
    QCOMPARE(composition->toBytes(), content(files.federation()));

    // A federate that has a host stays there when asked to; without that nothing holds it.
    const QStringList pin{"--pin", "flow=alpha", "--apart", "flow,radar"};
    const QString other = files.path("other.federation.json");
    QCOMPARE(tutti(place + pin + QStringList{"-o", other}, files.files.path()).code, 0);
    QCOMPARE(Composition::load(other)->findByName("flow")->host, "alpha");
    QCOMPARE(Composition::load(other)->findByName("radar")->host, "");
    const QStringList again{"place", other, "--hosts", files.hosts(), "-o", other};
    QCOMPARE(tutti(again + QStringList{"--keep"}, files.files.path()).code, 0);
    QCOMPARE(Composition::load(other)->findByName("flow")->host, "alpha");
    QCOMPARE(tutti(again, files.files.path()).code, 0);
    QCOMPARE(Composition::load(other)->findByName("flow")->host, "");
  }

  /// Who is on a node of a cluster is on none of the hosts, and stays where it is.
  void nodesOfClustersAreKept() {
    const Lab files;
    auto deployment = Json::parse(content(files.hosts()).toStdString());
    deployment["clusters"]["hpc"]["partitions"]["sim"] = Json::object();
    write(files.hosts(), QByteArray::fromStdString(deployment.dump()));
    auto composition = Composition::load(files.federation());
    QVERIFY(composition);
    composition->federates.at("flow").host = "hpc/sim/2";
    QVERIFY(composition->save(files.federation()));
    const QStringList place{"place", files.federation(), "--hosts", files.hosts(),
                            "-o",    files.federation()};
    const Result kept = tutti(place + QStringList{"--keep"}, files.files.path());
    QVERIFY2(kept.code == 0, qPrintable(kept.out));
    QVERIFY2(!kept.out.contains("flow") && kept.out.contains("2 federates on "),
             qPrintable(kept.out));
    QCOMPARE(Composition::load(files.federation())->findByName("flow")->host, "hpc/sim/2");
    // A node that the cluster has not is none.
    composition->federates.at("flow").host = "hpc/other/2";
    QVERIFY(composition->save(files.federation()));
    QCOMPARE(tutti(place + QStringList{"--keep"}, files.files.path()).code, 1);
    // Without --keep it is placed on a host like all others.
    QCOMPARE(tutti(place, files.files.path()).code, 0);
    QVERIFY(!Composition::load(files.federation())->findByName("flow")->host.startsWith("hpc/"));
  }

  void ownNeedsChangeThePlacement() {
    const Lab files;
    auto composition = Composition::load(files.federation());
    QVERIFY(composition);
    composition->federates.at("flow").resources.labels = QStringList("gpu");
    composition->federates.at("viewer").resources.cores = 1;
    composition->federates.at("radar").resources.memory = 9000;
    QVERIFY(composition->save(files.federation()));
    const Result result =
        tutti({"place", files.federation(), "--hosts", files.hosts()}, files.files.path());
    QCOMPARE(result.code, 1);
    QVERIFY2(
        result.out.contains("flow    alpha    Only alpha has what it needs (as the composition "
                            "says): 1 core, 500 MB and the label gpu.\n"),
        qPrintable(result.out));
    // Both instances of the component's 1.5 cores each, and of the composition's 9000 MB.
    QVERIFY2(result.out.contains("radar   refused  It needs 3 cores and 18000 MB (as the "
                                 "composition says); desk comes closest and has 10000 MB too few"),
             qPrintable(result.out));
    composition->federates.at("radar").resources.memory = 3000;
    QVERIFY(composition->save(files.federation()));
    const Result fits =
        tutti({"place", files.federation(), "--hosts", files.hosts()}, files.files.path());
    QVERIFY2(fits.code == 0 && fits.out.contains("radar   desk "), qPrintable(fits.out));
  }

  void pinsAndSetsOfTheCompositionCount() {
    const Lab files;
    auto composition = Composition::load(files.federation());
    QVERIFY(composition);
    composition->federates.at("flow").host = "alpha";
    composition->federates.at("flow").pinned = true;
    composition->federates.at("flow").apart = QStringList("heavy");
    composition->federates.at("radar").apart = QStringList("heavy");
    composition->federates.at("viewer").pinned = true;  // to this machine, which has no gpu
    QVERIFY(composition->save(files.federation()));
    const Result result =
        tutti({"place", files.federation(), "--hosts", files.hosts()}, files.files.path());
    QCOMPARE(result.code, 1);
    QVERIFY2(result.out.contains("flow    alpha    It is pinned to alpha."),
             qPrintable(result.out));
    QVERIFY2(result.out.contains("radar   desk"), qPrintable(result.out));
    QVERIFY2(result.out.contains("is pinned to desk, which lacks the label gpu"),
             qPrintable(result.out));

    // Hosts that do not describe this machine leave alone who is pinned to it.
    auto deployment = Deployment::read(files.hosts());
    QVERIFY(deployment);
    std::erase_if(deployment->hosts, [](const Host& host) { return host.isThisMachine(); });
    const auto input = placementInput(*composition, files.files.read(), *deployment);
    QCOMPARE(input.federates.size(), 2u);
    QCOMPARE(input.federates[0].name, "flow");
    QCOMPARE(input.federates[1].name, "radar");
  }

  void theLastRunsRatesCount() {
    using namespace tutti::monitor;
    const Lab files;
    write(files.hosts(), R"({"hosts": {
      "alpha": {"destination": "me@alpha", "cores": 5, "labels": ["gpu"]},
      "beta": {"destination": "me@beta", "cores": 5}}})");
    const QStringList place{"place", files.federation(), "--hosts", files.hosts()};
    const QString home = files.path("home");
    const auto hostOf = [&](const Result& result) {
      const Json answer = Json::parse(result.out.toStdString());
      for (const Json& each : answer.at("placed")) {
        if (each.at("federate") == "radar") return each.at("host");
      }
      return Json();
    };
    const QString catalog = files.files.path();
    Result result = tutti(place + QStringList{"--json"}, catalog, {}, home);
    QCOMPARE(hostOf(result), Json("beta"));  // beside flow, which declares 40 messages/s
    QVERIFY2(result.out.contains("\"measuredRun\": null"), qPrintable(result.out));
    {
      auto store = RunStore::open(home + "/.local/share/tutti/runs.sqlite");
      QVERIFY2(store.has_value(), store ? "" : qPrintable(store.error().message));
      RunRecord other;
      other.composition = "/elsewhere.federation.json";
      QVERIFY((*store)->setExchanges(*(*store)->addRun(other), {{"flow", "radar-1", 900}}));
      RunRecord run;
      run.composition = files.federation();
      QVERIFY((*store)->setExchanges(*(*store)->addRun(run), {{"flow", "radar-1", 1},
                                                              {"flow", "radar-2", 1},
                                                              {"radar-1", "viewer", 60},
                                                              {"radar-2", "viewer", 60},
                                                              {"viewer", "gone", 1000}}));
      QVERIFY((*store)->addRun(run));  // has measured nothing
    }
    result = tutti(place, catalog, {}, home);
    QVERIFY2(result.out.contains("; 2 of 122 messages/s between hosts"), qPrintable(result.out));
    QVERIFY2(result.out.contains(
                 "The rates of 2 pairs are those measured in run 2; the others are declared."),
             qPrintable(result.out));
    result = tutti(place + QStringList{"--json"}, catalog, {}, home);
    QCOMPARE(hostOf(result), Json("alpha"));
    result = tutti(place + QStringList{"--declared", "--json"}, catalog, {}, home);
    QCOMPARE(hostOf(result), Json("beta"));
    // Records that cannot be read are no reason not to place.
    write(home + "/.local/share/tutti/runs.sqlite", "no database at all, but long enough for one");
    result = tutti(place + QStringList{"--json"}, catalog, {}, home);
    QCOMPARE(hostOf(result), Json("beta"));
  }

  void nothingIsWrittenWhenOneHasNoHost() {
    const Lab files;
    const QByteArray before = content(files.federation());
    const QStringList place{"place", files.federation(), "--hosts", files.hosts(),
                            "--pin", "viewer=desk",      "-o",      files.federation()};
    const Result text = tutti(place, files.files.path());
    QCOMPARE(text.code, 1);
    QVERIFY2(text.err.contains("nothing was written"), qPrintable(text.err));
    const Result json = tutti(place + QStringList{"--json"}, files.files.path());
    const Json answer = Json::parse(json.out.toStdString());
    QVERIFY(answer.at("file").is_null());
    QCOMPARE(answer.at("placed").size(), 2u);
    const Json& refused = answer.at("refused").at(0);
    QCOMPARE(refused.at("federate"), Json("viewer"));
    QCOMPARE(refused.at("need"), Json("labels"));
    QCOMPARE(refused.at("bestHost"), Json("desk"));
    QCOMPARE(refused.at("missing"), Json::array({"gpu"}));
    QCOMPARE(content(files.federation()), before);
  }

  void needsComeFromTheCatalog() {
    const Lab files;
    auto composition = Composition::load(files.federation());
    QVERIFY(composition);
    composition->groups["west"] = Group{"west", "Team West", false, Json::object()};
    composition->federates.at("radar").group = "west";
    composition->federates.at("flow").host = "alpha";
    composition->federates.at("viewer").enabled = false;
    Federate stranger = federate("stranger", "unknown");
    composition->federates.emplace("stranger", stranger);
    const auto deployment = Deployment::read(files.hosts());
    QVERIFY(deployment);
    PlacementWishes wishes;
    wishes.keep = true;
    wishes.pins["radar"] = "desk";
    const auto input = placementInput(*composition, files.files.read(), *deployment, wishes);
    QStringList lines;
    for (const auto& each : input.federates) {
      lines << QStringLiteral("%1 %2 %3 %4 %5")
                   .arg(each.name)
                   .arg(each.cores)
                   .arg(each.memoryMb)
                   .arg(each.group, each.pin.value_or("-"));
    }
    // Two radars need twice as much; who is not enabled needs nothing.
    QCOMPARE(lines,
             (QStringList{"flow 1 500  alpha", "radar 3 200 Team West desk", "stranger 1 0  -"}));
    QCOMPARE(input.exchanges.size(), 1u);
    QCOMPARE(input.exchanges[0].weight, 40.0);
  }

  void hostsAreImported() {
    const Lab files;
    const QString bin = files.path("bin");
    program(bin + "/ssh",
            "for name; do :; done\necho user me; echo hostname $name.lab; echo port 2222\n");
    write(files.path(".ssh/config"), "Host alpha beta\nHost *\n");
    const auto import = [&](const QStringList& options) {
      return tutti(QStringList{"hosts", "import", "-o", files.hosts()} + options, {}, bin,
                   files.files.path());
    };
    const Result done = import({});
    QCOMPARE(done.out, "imported 2 hosts and 0 clusters into " + files.hosts() + "\n");
    auto deployment = Deployment::read(files.hosts());
    QVERIFY(deployment);
    QCOMPARE(deployment->hosts.size(), 3u);
    QCOMPARE(deployment->host("alpha")->destination, "alpha");
    QCOMPARE(deployment->host("alpha")->cores, 4);
    QCOMPARE(deployment->host("beta")->address, "beta.lab");
    const QByteArray before = content(files.hosts());

    const Result missing = import({"--sinfo"});
    QCOMPARE(missing.code, 2);
    QVERIFY2(missing.err.contains("There is no program sinfo on this machine's PATH."),
             qPrintable(missing.err));
    program(bin + "/sinfo", "echo 'slurm_load_node: no controller' >&2\nexit 1\n");
    const Result failing = import({"--sinfo"});
    QCOMPARE(failing.code, 2);
    QVERIFY2(failing.err.contains("sinfo failed with exit code 1: slurm_load_node: no controller"),
             qPrintable(failing.err));
    QCOMPARE(content(files.hosts()), before);

    program(bin + "/sinfo",
            "case \"$*\" in *--json*) while read -r line || [ -n \"$line\" ]; do echo \"$line\"; "
            "done < "
            "'" TUTTI_SOURCE_DIR
            "/tests/launcher/sinfo-22.05.json';;\n"
            "*) echo 'short|up|1:00:00'; echo 'long|drain|infinite';; esac\n");
    const Result cluster = import({"--sinfo"});
    QVERIFY2(cluster.code == 0, qPrintable(cluster.err));
    deployment = Deployment::read(files.hosts());
    QVERIFY(deployment);
    QCOMPARE(deployment->hosts.size(), 3u);
    QVERIFY(deployment->cluster("slurm"));
    const Result shown = tutti({"hosts", files.hosts()});
    QCOMPARE(shown.out,
             "alpha        alpha         4 cores   8000 MB    gpu\n"
             "beta         beta          -         -\n"
             "desk         this machine  4 cores   8000 MB\n"
             "slurm/long   2 nodes       80 cores  603978 MB  drain\n"
             "slurm/short  3 nodes       48 cores  201324 MB  up, up to 60 min\n"
             "3 hosts, 1 cluster\n");
  }
};

QTEST_GUILESS_MAIN(TestCommandLinePlace)
#include "tst_cli_place.moc"
