// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QSignalSpy>
#include <QStandardPaths>
#include <random>

#include "composer/model/document.h"
#include "fixture.h"

using namespace tutti::composer;
using namespace tutti::composer::test;

namespace {

QByteArray read(const QString& path) {
  QFile file{path};
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

/// A view that knows the composition from signals alone; it must always agree with the document.
class Mirror {
 public:
  explicit Mirror(Document& document) : document_{document} {
    rebuild();
    QObject::connect(&document, &Document::wasReset, &document, [this] { rebuild(); });
    QObject::connect(&document, &Document::federateAdded, &document, [this](const QString& id) {
      QVERIFY(!federates_.contains(id));
      federates_[id] = *document_.federate(id);
    });
    QObject::connect(&document, &Document::federateAboutToBeRemoved, &document,
                     [this](const QString& id) { QVERIFY(document_.federate(id)); });
    QObject::connect(&document, &Document::federateRemoved, &document, [this](const QString& id) {
      QVERIFY(!document_.federate(id));
      QCOMPARE(federates_.erase(id), 1u);
    });
    QObject::connect(&document, &Document::federateChanged, &document,
                     [this](const QString& id, FederateChanges changes) {
                       QVERIFY(changes);
                       federates_.at(id) = *document_.federate(id);
                     });
    QObject::connect(&document, &Document::groupAdded, &document, [this](const QString& id) {
      groups_[id] = document_.composition().groups.at(id);
    });
    QObject::connect(&document, &Document::groupChanged, &document, [this](const QString& id) {
      groups_.at(id) = document_.composition().groups.at(id);
    });
    QObject::connect(&document, &Document::groupRemoved, &document,
                     [this](const QString& id) { QCOMPARE(groups_.erase(id), 1u); });
    QObject::connect(&document, &Document::settingsChanged, &document,
                     [this] { settings_ = document_.composition().settings; });
  }

  [[nodiscard]] bool agrees() const {
    return federates_ == document_.composition().federates &&
           groups_ == document_.composition().groups &&
           settings_ == document_.composition().settings;
  }

 private:
  void rebuild() {
    federates_ = document_.composition().federates;
    groups_ = document_.composition().groups;
    settings_ = document_.composition().settings;
  }

  Document& document_;
  std::map<QString, Federate> federates_;
  std::map<QString, Group> groups_;
  Settings settings_;
};

}  // namespace

class TestDocument : public QObject {
  Q_OBJECT

  TestCatalog files_;

 private slots:
  void initTestCase() {
    files_.add("flow", R"("fom": ["../Flight.xml"], "publishes": {"objects": ["Flight"]})");
    files_.add(
        "radar",
        R"("fom": ["../Flight.xml"], "parameters": [{"name": "range", "kind": "real", "unit": "km", "min": 1, "max": 500, "required": true, "suggestion": 250}], "subscribes": {"objects": ["Flight"]})");
    write(files_.path() + "/Flight.xml",
          "<objectModel "
          "xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><modelIdentification><name>Flight</"
          "name></modelIdentification>"
          "<objects><objectClass><name>HLAobjectRoot</name><objectClass><name>Flight</"
          "name><sharing>PublishSubscribe</sharing>"
          "</objectClass></objectClass></objects></objectModel>");
  }
  void init() {
    QStandardPaths::setTestModeEnabled(true);
    QDir{Recovery::folder()}.removeRecursively();
  }

  void randomEditsAndTheirUndosGiveIdenticalBytes_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 20; ++seed) QTest::addRow("seed %u", seed) << seed;
  }
  void randomEditsAndTheirUndosGiveIdenticalBytes() {
    QFETCH(unsigned, seed);
    Document document{files_.read()};
    QVERIFY(document.load(
        QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json")));
    const Mirror mirror{document};
    const QByteArray before = document.composition().toBytes();
    std::mt19937 random{seed};
    const auto below = [&](std::size_t n) { return static_cast<int>(random() % n); };
    const auto someIds = [&] {
      QStringList ids;
      for (const auto& [id, federate] : document.composition().federates) {
        if (below(3) == 0) ids.append(id);
      }
      return ids;
    };
    const auto anyId = [&]() -> QString {
      const auto& federates = document.composition().federates;
      if (federates.empty()) return QStringLiteral("none");
      return std::next(federates.begin(), below(federates.size()))->first;
    };
    const auto anyGroup = [&]() -> QString {
      const auto& groups = document.composition().groups;
      if (groups.empty()) return QStringLiteral("none");
      return std::next(groups.begin(), below(groups.size()))->first;
    };
    std::vector<QByteArray> states{before};
    while (document.undoStack().count() < 100) {
      const QString value = QString::number(below(1000));
      switch (below(23)) {
        case 0:
        case 1:
        case 2:
          document.addFederate(below(2) ? "radar" : "flow", {double(below(900)), 2.6});
          break;
        case 3:
          document.removeFederates(someIds().mid(0, 2));
          break;
        case 4:
        case 5: {
          QHash<QString, QPointF> moves;
          for (const QString& id : someIds())
            moves[id] = {double(below(2000)), double(below(2000))};
          document.moveFederates(moves);
          break;
        }
        case 6:
          document.renameFederate(anyId(), "name " + value);
          break;
        case 7:
          document.setParameter(anyId(), "range", below(500));
          break;
        case 8:
          document.setEnabled(someIds(), below(2));
          break;
        case 9:
          document.setCount(anyId(), below(9));
          break;
        case 10:
          document.setStartOrder(anyId(), below(5));
          break;
        case 11:
          document.setWaitsFor(anyId(), someIds());
          break;
        case 12:
          switch (below(5)) {
            case 0:
              document.setPinned(someIds(), below(2) == 0);
              break;
            case 1:
              document.keepApart(someIds());
              break;
            case 2:
              document.letShareHosts(someIds());
              break;
            case 3:
              document.setHosts({{anyId(), value}, {anyId(), {}}}, "place automatically");
              break;
            default:
              document.setHost(someIds(), value);
          }
          break;
        case 13:
          document.groupFederates(someIds(), "Group " + value);
          break;
        case 14:
          document.ungroup(anyGroup());
          break;
        case 15:
          document.setGroupCollapsed(anyGroup(), below(2));
          break;
        case 16:
          document.setPace(below(4));
          break;
        case 17:
          document.setStop(below(3), std::nullopt);
          break;
        case 18:
          document.addModule("m" + value + ".xml");
          break;
        case 19:
          document.moveHub("HLAobjectRoot.Flight", {double(below(9)), 0});
          break;
        case 20:
          QVERIFY(document.paste(document.copy(someIds()), {24, 24}));
          break;
        case 21:
          document.setParameter(anyId(), "range", std::nullopt);
          break;
        case 22:
          document.setResources(
              anyId(), {below(2) ? std::optional(0.5 * below(9)) : std::nullopt, std::nullopt,
                        below(2) ? QStringList{value} : QStringList()});
          break;
      }
      QVERIFY(mirror.agrees());
      // A merged edit belongs to the step before it, or takes it away when both cancel out.
      states.resize(static_cast<std::size_t>(document.undoStack().count()) + 1);
      states.back() = document.composition().toBytes();
    }
    const auto reread =
        JsonSource::parse(document.composition().toBytes(), {}).and_then(&Composition::fromSource);
    QVERIFY(reread);
    QVERIFY(*reread == document.composition());
    for (int i = 99; i >= 0; --i) {
      document.undoStack().undo();
      QCOMPARE(document.composition().toBytes(), states[static_cast<std::size_t>(i)]);
      QVERIFY(mirror.agrees());
    }
    QCOMPARE(document.composition().toBytes(), before);
    for (std::size_t i = 1; i <= 100; ++i) {
      document.undoStack().redo();
      QCOMPARE(document.composition().toBytes(), states[i]);
    }
    QVERIFY(mirror.agrees());
  }

  void undoNamesTheObject() {
    Document document{files_.read()};
    const QString radar = document.addFederate("radar", {0, 0}, "radar-west");
    QCOMPARE(document.undoStack().undoText(), "add radar-west");
    document.moveFederates({{radar, {5, 5}}});
    QCOMPARE(document.undoStack().undoText(), "move radar-west");
    document.setParameter(radar, "range", 10);
    QCOMPARE(document.undoStack().undoText(), "set range of radar-west");
    document.addFederate("flow", {0, 0});
    document.setEnabled({radar, "flow"}, false);
    QCOMPARE(document.undoStack().undoText(), "disable 2 federates");
    document.removeFederates({radar});
    QCOMPARE(document.undoStack().undoText(), "remove radar-west");
  }

  void anEditThatChangesNothingIsNoStep() {
    Document document{files_.read()};
    const QString radar = document.addFederate("radar", {0, 0});
    document.renameFederate(radar, "radar");
    document.moveFederates({{radar, {0.3, -0.2}}});
    document.setEnabled({radar}, true);
    document.removeFederates({"nobody"});
    QCOMPARE(document.undoStack().count(), 1);
  }

  void arrowKeysMergeIntoOneMove() {
    Document document{files_.read()};
    const QString radar = document.addFederate("radar", {0, 0});
    for (int i = 1; i <= 5; ++i) document.moveFederates({{radar, {16.0 * i, 0}}}, true);
    QCOMPARE(document.undoStack().count(), 2);
    document.undoStack().undo();
    QCOMPARE(document.federate(radar)->position, QPointF(0, 0));
    document.undoStack().redo();
    for (int i = 4; i >= 0; --i) document.moveFederates({{radar, {16.0 * i, 0}}}, true);
    QCOMPARE(document.undoStack().count(), 1);  // back where it was: no step is left
  }

  void removingForgetsWaitsAndEmptyGroups() {
    Document document{files_.read()};
    const QString a = document.addFederate("flow", {0, 0});
    const QString b = document.addFederate("radar", {0, 0});
    document.setWaitsFor(b, {a});
    const QString group = document.groupFederates({a}, "Flows");
    QVERIFY(document.composition().groups.contains(group));
    document.removeFederates({a});
    QVERIFY(document.federate(b)->waitsFor.isEmpty());
    QVERIFY(document.composition().groups.empty());
    document.undoStack().undo();
    QCOMPARE(document.federate(b)->waitsFor, QStringList{a});
    QCOMPARE(document.federate(a)->group, group);
  }

  void findingsFollowEditsOnceForMany() {
    Document document{files_.read()};
    QTRY_VERIFY(!document.isChecking());
    QSignalSpy spy{&document, &Document::findingsChanged};
    const QString radar = document.addFederate("radar", {0, 0}, "radar-west");
    document.addFederate("flow", {0, 0});
    for (int i = 0; i < 50; ++i) document.moveFederates({{radar, {1.0 + i, 0}}});
    QVERIFY(document.isChecking());
    QTRY_VERIFY(!document.isChecking());
    QCOMPARE(lines(document.findings(), document.composition()),
             QStringList{"error Parameters radar-west › range: radar-west has no range."});
    QTRY_VERIFY(!document.isChecking());
    QVERIFY2(spy.count() <= 2, qPrintable(QString::number(spy.count())));
    QCOMPARE(document.findingsOf(radar).size(), 1u);
  }

  void fixesMakeTheirFindingGoAway() {
    Document document{files_.read()};
    document.addFederate("radar", {0, 0}, "radar-west");
    int fixed = 0;
    QTRY_VERIFY(!document.isChecking());
    while (!document.findings().empty()) {
      QVERIFY(document.findings().front().fix);
      document.apply(*document.findings().front().fix);
      QTRY_VERIFY(!document.isChecking());
      QVERIFY(++fixed < 5);
    }
    QCOMPARE(document.composition().findByName("radar-west")->parameters.at("range"), Json(250));
    QVERIFY(document.composition().findByName("flow"));
    QCOMPARE(fixed, 2);
    document.undoStack().undo();
    document.undoStack().undo();
    QCOMPARE(document.composition().federates.size(), 1u);
  }

  void aMovedBoxNeedsNoCheck() {
    Document document{files_.read()};
    const QString radar = document.addFederate("radar", {0, 0});
    QTRY_VERIFY(!document.isChecking());
    QSignalSpy flow{&document, &Document::dataFlowChanged};
    document.moveFederates({{radar, {50, 0}}});
    QVERIFY(!document.isChecking());
    QCOMPARE(flow.count(), 0);
  }

  void saveAndReopenGivesIdenticalBytes() {
    QTemporaryDir folder;
    const QString file = folder.filePath("a.federation.json");
    Document document{files_.read()};
    document.addFederate("radar", {0, 0});
    QVERIFY(!document.save());
    QVERIFY(document.isModified());
    QSignalSpy path{&document, &Document::pathChanged};
    QVERIFY(document.saveAs(file));
    QCOMPARE(path.count(), 1);
    QVERIFY(!document.isModified());
    const QByteArray saved = read(file);
    Document other{files_.read()};
    QVERIFY(other.load(file));
    QVERIFY(other.saveAs(folder.filePath("b.federation.json")));
    QCOMPARE(read(folder.filePath("b.federation.json")), saved);
    document.undoStack().undo();
    QVERIFY(document.isModified());
  }

  void somebodyElsesChangeIsNotOverwrittenUnasked() {
    QTemporaryDir folder;
    const QString file = folder.filePath("a.federation.json");
    Document mine{files_.read()};
    QVERIFY(mine.saveAs(file));
    Document theirs{files_.read()};
    QVERIFY(theirs.load(file));
    theirs.addFederate("flow", {0, 0});
    QVERIFY(theirs.save());
    const QByteArray after = read(file);

    mine.addFederate("radar", {0, 0});
    const auto refused = mine.save();
    QVERIFY(!refused);
    QVERIFY2(refused.error().message().contains("changed by somebody else"),
             qPrintable(refused.error().message()));
    QCOMPARE(read(file), after);
    QVERIFY(mine.isModified());
    QVERIFY(mine.save());  // told, and meant
    QCOMPARE(read(file), mine.composition().toBytes());
    mine.addFederate("radar", {0, 0});
    QVERIFY(mine.save());
  }

  void saveAsKeepsRelativeModulesPointingAtTheSameFile() {
    QTemporaryDir folder;
    QDir{folder.path()}.mkpath("a");
    QDir{folder.path()}.mkpath("b/c");
    Document document{files_.read()};
    QVERIFY(document.saveAs(folder.filePath("a/x.federation.json")));
    document.addModule("Base.xml");
    QVERIFY(document.saveAs(folder.filePath("b/c/x.federation.json")));
    QCOMPARE(document.composition().settings.fomModules, QStringList{"../../a/Base.xml"});
    QVERIFY(!document.isModified());
  }

  void aFileThatCannotBeReadLeavesTheDocumentAlone() {
    Document document{files_.read()};
    document.addFederate("radar", {0, 0});
    const QByteArray before = document.composition().toBytes();
    QVERIFY(!document.load("/nowhere"));
    QCOMPARE(document.composition().toBytes(), before);
    QCOMPARE(document.undoStack().count(), 1);
  }

  void aKilledConsoleLosesNothingThatWasAutosaved() {
    QTemporaryDir folder;
    const QString file = folder.filePath("a.federation.json");
    {
      Document document{files_.read()};
      document.addFederate("radar", {0, 0}, "saved");
      QVERIFY(document.saveAs(file));
    }
    QVERIFY(Recovery::list().empty());
    // A process of its own edits, autosaves and is killed in the middle of its work.
    int ready[2];
    QCOMPARE(pipe(ready), 0);
    const pid_t child = fork();
    QVERIFY(child >= 0);
    if (child == 0) {
      Document document{files_.read()};
      document.setAutosaveInterval(1);
      if (!document.load(file)) _exit(1);
      document.addFederate("radar", {0, 0}, "unsaved");
      while (QDir{Recovery::folder()}.entryList({"*.json"}).isEmpty()) QTest::qWait(5);
      if (write(ready[1], "x", 1) != 1) _exit(1);
      for (;;) pause();
    }
    char byte = 0;
    QCOMPARE(::read(ready[0], &byte, 1), 1);
    QVERIFY(Recovery::list().empty());  // its console still runs
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);

    const auto left = Recovery::list();
    QCOMPARE(left.size(), 1u);
    QCOMPARE(left.front().document, file);
    {
      Document document{files_.read()};
      QVERIFY(document.recover(left.front()));
      QCOMPARE(document.path(), file);
      QVERIFY(document.composition().findByName("unsaved"));
      QVERIFY(document.isModified());
      document.undoStack().undo();
      QVERIFY(!document.composition().findByName("unsaved"));
      QVERIFY(document.composition().findByName("saved"));
    }
    QVERIFY(Recovery::list().empty());
  }

  void closingLeavesNoRecoveryFile() {
    {
      Document document{files_.read()};
      document.setAutosaveInterval(1);
      document.addFederate("radar", {0, 0});
      QTRY_VERIFY(!QDir{Recovery::folder()}.entryList({"*.json"}).isEmpty());
    }
    QVERIFY(QDir{Recovery::folder()}.entryList({"*"}, QDir::Files).isEmpty());
  }

  void pastingGivesNewNamesAndKeepsWaitsAmongCopies() {
    Document document{files_.read()};
    const QString a = document.addFederate("flow", {10, 10});
    const QString b = document.addFederate("radar", {20, 20});
    document.setWaitsFor(b, {a});
    const auto ids = document.paste(document.copy({a, b}), {100, 0});
    QVERIFY(ids);
    QCOMPARE(*ids, (QStringList{"flow-2", "radar-2"}));
    QCOMPARE(document.federate("radar-2")->waitsFor, QStringList{"flow-2"});
    QCOMPARE(document.federate("radar-2")->position, QPointF(120, 20));
    QVERIFY(!document.paste("rubbish", {}));
  }

  void threeHundredFederatesAreCheckedAndUndone() {
    Document document{files_.read()};
    for (int i = 0; i < 300; ++i) document.addFederate(i % 2 ? "radar" : "flow", {0, 0});
    QTRY_VERIFY(!document.isChecking());
    QCOMPARE(document.findings().size(), 150u);
    QCOMPARE(document.dataFlow().edges().size(), 300u);
    while (document.undoStack().canUndo()) document.undoStack().undo();
    QVERIFY(document.composition().federates.empty());
  }
};

QTEST_GUILESS_MAIN(TestDocument)
#include "tst_document.moc"
