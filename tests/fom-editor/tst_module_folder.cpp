// SPDX-License-Identifier: GPL-3.0-or-later
// Which files of a folder are modules, which of them take part, and what is noticed later.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "fom-editor/model/module_folder.h"
#include "fom-editor/model/module_project.h"
#include "fom-editor/model/modules_command.h"
#include "omt/merge.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

constexpr int kLimit = 60000;

QByteArray module(const QByteArray& name, const QByteArray& classes,
                  const QByteArray& version = "1.0", const QByteArray& type = "FOM") {
  QByteArray text =
      "<?xml version=\"1.0\"?>\n<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">"
      "<modelIdentification><name>" +
      name + "</name><type>" + type + "</type><version>" + version +
      "</version></modelIdentification><objects><objectClass><name>HLAobjectRoot</name>";
  for (const QByteArray& each : classes.split(',')) {
    if (each.isEmpty()) continue;
    text += "<objectClass><name>" + each + "</name><sharing>Publish</sharing></objectClass>";
  }
  return text + "</objectClass></objects></objectModel>\n";
}

void write(const QString& path, const QByteArray& bytes) {
  QDir().mkpath(QFileInfo(path).path());
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
    qFatal("cannot write %s", qPrintable(path));
  }
}

/// "+ Base.xml", "- Old.xml: All that it defines is in Base.xml."
QStringList printed(const QList<FolderModule>& modules) {
  QStringList lines;
  for (const FolderModule& each : modules) {
    lines << (each.takesPart ? "+ " : "- ") + each.name +
                 (each.reason.isEmpty() ? QString() : ": " + each.reason);
  }
  return lines;
}

}  // namespace

class TestModuleFolder : public QObject {
  Q_OBJECT

 private slots:
  void contentTellsModulesNotNames_data() {
    QTest::addColumn<QByteArray>("begin");
    QTest::addColumn<bool>("isModule");
    QTest::newRow("2010") << module("A", "X") << true;
    QTest::newRow("prefix") << QByteArray("<f:objectModel xmlns:f='x'/>") << true;
    QTest::newRow("comments") << QByteArray(
                                     "\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- <html> -->\n"
                                     "<!DOCTYPE objectModel SYSTEM 'HLA.dtd'>\n<objectModel>")
                              << true;
    QTest::newRow("UTF-16") << QByteArray("\xFF\xFE<\0o\0b\0j\0e\0c\0t\0M\0o\0d\0e\0l\0>\0", 28)
                            << true;
    QTest::newRow("FED") << QByteArray(";; a comment\n  (FED\n (Federation x)") << true;
    QTest::newRow("OMT") << QByteArray("(DIF HLA-OMT v1.3)") << true;
    QTest::newRow("OMT, bare") << QByteArray("(ObjectModel (Name \"x\")") << true;
    QTest::newRow("page") << QByteArray("<!DOCTYPE html><html><objectModel/>") << false;
    QTest::newRow("model of models") << QByteArray("<objectModels/>") << false;
    QTest::newRow("Lisp") << QByteArray("(federate x)") << false;
    QTest::newRow("words") << QByteArray("objectModel") << false;
    QTest::newRow("nothing") << QByteArray() << false;
    QTest::newRow("zeros") << QByteArray(64, '\0') << false;
    QTest::newRow("open comment") << QByteArray("<!-- ") << false;
  }
  void contentTellsModulesNotNames() {
    QFETCH(QByteArray, begin);
    QTEST_ASSERT(begin.size() < 4096);
    QFETCH(bool, isModule);
    QCOMPARE(beginsAsModule(begin), isModule);
  }

  void allModulesOfAFolderAreFound() {
    QTemporaryDir folder;
    write(folder.filePath("base.txt"), module("Base", "Track"));
    write(folder.filePath("sub/deep/radar"), module("Radar", "Plot"));
    write(folder.filePath("page.xml"), "<html/>");
    write(folder.filePath(".git/copy.xml"), module("Copy", "Other"));
    write(folder.filePath("late.xml"),
          "<!--" + QByteArray(20000, 'x') + "-->\n" + module("Late", "Late").mid(22));
    // Folders that lead to each other, a pipe, a link to nothing, and a file by two names.
    QVERIFY(QFile::link(folder.path(), folder.filePath("sub/up")));
    QVERIFY(QFile::link(folder.filePath("sub"), folder.filePath("again")));
    QCOMPARE(::mkfifo(QFile::encodeName(folder.filePath("pipe.xml")).constData(), 0600), 0);
    QVERIFY(QFile::link("/nowhere", folder.filePath("gone.xml")));
    QVERIFY(QFile::link(folder.filePath("base.txt"), folder.filePath("second.xml")));
    for (int i = 0; i < 10000; ++i) {
      write(folder.filePath(QString("others/%1.dat").arg(i)), "something else\n");
    }
    const FolderContent content = contentOfFolder(folder.path());
    QCOMPARE(content.fault, QString());
    QStringList names;
    for (const FolderModule& each : content.modules) names << each.name;
    QCOMPARE(names.size(), 3);
    QVERIFY2(names.contains("base.txt") && names.contains("late.xml"), qPrintable(names.join(',')));
    QVERIFY(names.contains("again/deep/radar") || names.contains("sub/deep/radar"));
    QVERIFY(content.files >= 10000);
    QCOMPARE(content.notes,
             QStringList{"1 file cannot be read: gone.xml (No such file or directory)."});
    QCOMPARE(content.takingPart().size(), 3);

    // What is known is not read again.
    FolderContent known = content;
    const std::shared_ptr<const omt::Module> before = known.modules[0].module;
    const FolderContent again = contentOfFolder(folder.path(), {}, known);
    QVERIFY(again == content);
    QVERIFY(again.modules[0].module == before);
  }

  void boundsAreSaid() {
    QTemporaryDir folder;
    for (int i = 0; i < 6; ++i) {
      write(folder.filePath(QString("m%1.xml").arg(i)), module("M", "C" + QByteArray::number(i)));
    }
    write(folder.filePath("a/b/c/d.xml"), module("D", "D"));
    FolderLimits limits;
    limits.depth = 2;
    limits.modules = 4;
    FolderContent content = contentOfFolder(folder.path(), limits);
    QCOMPARE(content.modules.size(), 4);
    QCOMPARE(content.notes, (QStringList{"Only 4 modules are listed.",
                                         "Folders more than 2 levels down are not looked into."}));
    limits = {};
    limits.files = 3;
    content = contentOfFolder(folder.path(), limits);
    QCOMPARE(content.modules.size(), 3);
    QCOMPARE(content.notes, QStringList{"Only 3 files are looked at."});
    limits = {};
    limits.folders = 1;
    content = contentOfFolder(folder.path(), limits);
    QCOMPARE(content.modules.size(), 6);
    QCOMPARE(content.notes, QStringList{"Only 1 folders are looked into."});
    limits.files = 3;
    content = contentOfFolder(folder.path(), limits);
    QVERIFY(content.notes.contains(folder.path() + " has more entries than are looked at."));
    limits = {};
    limits.bytes = module("M", "C0").size() * 2;
    content = contentOfFolder(folder.path(), limits);
    QVERIFY(content.modules.last().isBroken());
    QVERIFY2(content.modules.last().reason.startsWith("It was not read"),
             qPrintable(content.modules.last().reason));

    int asked = 0;
    content = contentOfFolder(folder.path(), {}, {}, [&](int) { return ++asked < 5; });
    QCOMPARE(asked, 5);
    QVERIFY(!contentOfFolder(folder.filePath("none")).fault.isEmpty());
  }

  void oneOfSeveralIsChosen() {
    QTemporaryDir folder;
    write(folder.filePath("Base.xml"), module("Base", "Track,Site"));
    write(folder.filePath("Base copy.xml"), module("Base", "Track,Site"));
    write(folder.filePath("Base-0.9.xml"), module("Base", "Track,Old", "0.9"));
    write(folder.filePath("Radar.xml"), module("Radar", "Plot"));
    write(folder.filePath("all.xml"), module("All", "Track,Site,Plot"));
    write(folder.filePath("all.fed"),
          "(FED (Federation x) (FEDversion v1.3) (objects (class ObjectRoot (class Track)\n"
          "(class Site) (class Plot))) (interactions (class InteractionRoot reliable receive)))");
    write(folder.filePath("radar-som.xml"), module("radar", "Track,Plot,Own", "1", "SOM"));
    write(folder.filePath("mim.xml"),
          QByteArray::fromStdString(std::string(omt::standardMimText())));
    write(folder.filePath("broken.xml"), "<objectModel><objects></objectModel>");
    const FolderContent content = contentOfFolder(folder.path());
    const QStringList lines = printed(content.modules);
    const QString all = lines.join('\n');
    QVERIFY2(lines.contains("+ Base copy.xml"), qPrintable(all));
    QVERIFY2(lines.contains("- Base.xml: All that it defines is in Base copy.xml."),
             qPrintable(all));
    QVERIFY2(
        lines.contains("- Base-0.9.xml: Base copy.xml is a later version of it: 1.0 after "
                       "0.9.") ||
            lines.contains("- Base-0.9.xml: Base.xml is a later version of it: 1.0 after 0.9."),
        qPrintable(all));
    QVERIFY2(lines.contains("+ Radar.xml"), qPrintable(all));
    QVERIFY2(lines.contains("- all.xml: All that it defines is in Base copy.xml and Radar.xml."),
             qPrintable(all));
    QVERIFY2(lines.contains("- all.fed: All that it defines is in Base copy.xml and Radar.xml."),
             qPrintable(all));
    QVERIFY2(lines.contains("- radar-som.xml: It is a SOM, what one federate uses; the FOM modules "
                            "take part."),
             qPrintable(all));
    QVERIFY2(lines.contains("- mim.xml: The standard MIM is built in."), qPrintable(all));
    QVERIFY2(all.contains("+ broken.xml: "), qPrintable(all));
    QCOMPARE(content.takingPart().size(), 3);
  }

  void aNewModuleDoesNotThrowSomsOut() {
    QTemporaryDir folder;
    write(folder.filePath("Radar.xml"), module("Radar", "Track,Plot", "1", "SOM"));
    write(folder.filePath("Ship.xml"), module("Ship", "Ship", "1", "SOM"));
    write(folder.filePath("New.xml"), module("New", ""));
    const FolderContent content = contentOfFolder(folder.path());
    QCOMPARE(printed(content.modules), (QStringList{"+ New.xml", "+ Radar.xml", "+ Ship.xml"}));
    // A person who works with them keeps them when it gets a class.
    ModuleProject project;
    project.setInterval(30);
    QSignalSpy opened(&project, &ModuleProject::opened);
    project.open(folder.path());
    QVERIFY(opened.wait(kLimit));
    const QByteArray own = module("New", "Own");
    write(folder.filePath("New.xml"), own);
    QVERIFY(QTest::qWaitFor(
        [&] {
          const auto& all = project.modules();
          return std::any_of(all.begin(), all.end(), [&](const FolderModule& each) {
            return each.name == "New.xml" && each.status[2] == own.size();
          });
        },
        kLimit));
    QCOMPARE(printed(project.modules()), (QStringList{"+ New.xml", "+ Radar.xml", "+ Ship.xml"}));
    // Opened anew, the folder is of an FOM with the SOMs of its federates.
    project.open(folder.path());
    QVERIFY(opened.wait(kLimit));
    QCOMPARE(project.takingPart(), QStringList{folder.filePath("New.xml")});
  }

  void whatAPersonWorksWithStays() {
    QTemporaryDir folder;
    write(folder.filePath("Base.xml"), module("Base", "Track", "1.0"));
    write(folder.filePath("Radar.xml"), module("Radar", "Plot", "1.0"));
    ModuleProject project;
    project.setInterval(30);
    QSignalSpy opened(&project, &ModuleProject::opened);
    project.open(folder.path());
    QVERIFY(opened.wait(kLimit));
    project.keep({folder.filePath("Base.xml")});
    write(folder.filePath("new/Base.xml"), module("Base", "Track", "1.1"));
    write(folder.filePath("new/Radar.xml"), module("Radar", "Plot", "1.1"));
    QVERIFY(QTest::qWaitFor(
        [&] { return printed(project.modules()).filter("- Radar.xml").size() == 1; }, kLimit));
    QVERIFY2(project.takingPart().contains(folder.filePath("Base.xml")),
             qPrintable(printed(project.modules()).join('\n')));
  }

  void choosingCanBeGivenUp() {
    QTemporaryDir folder;
    for (int i = 0; i < 40; ++i) {
      write(folder.filePath(QString("M%1.xml").arg(i)),
            module(i % 2 == 0 ? "Even" : "Odd", "Track", QByteArray::number(i)));
    }
    int asked = 0;
    FolderContent content =
        contentOfFolder(folder.path(), {}, {}, [&](int) { return ++asked > 0; });
    // One of each name is the latest; both define the same.
    QCOMPARE(content.takingPart().size(), 1);
    QVERIFY(content.modules.front().name == "M38.xml" || content.modules.front().name == "M39.xml");
    const int all = asked;
    // Of what is known nothing is chosen anew.
    asked = 0;
    QVERIFY(contentOfFolder(folder.path(), {}, content, [&](int) { return ++asked > 0; }) ==
            content);
    QCOMPARE(all - asked, 38 + 2);
    // What it has so far is what it says.
    asked = 0;
    content = contentOfFolder(folder.path(), {}, {}, [&](int) { return ++asked < all - 10; });
    QCOMPARE(asked, all - 10);
    QVERIFY(content.takingPart().size() > 1);
    QCOMPARE(content.modules.size(), 40);
  }

  void foldersHavePathsBelowThem() {
    QVERIFY(isBelow("/a/b.xml", "/a") && isBelow("/a/b/c.xml", "/a") && isBelow("/a.xml", "/"));
    QVERIFY(!isBelow("/ab/c.xml", "/a") && !isBelow("/a", "/a") && !isBelow("/b/c.xml", "/a"));
  }

  void theModulesOfPublishedModelsAreChosen() {
    const QStringList rpr = testmodels::rpr();
    if (rpr.isEmpty()) QSKIP("the collection of object models is not here");
    const QDir folder = QFileInfo(rpr.front()).dir();
    const FolderContent content = contentOfFolder(folder.path());
    const QStringList lines = printed(content.modules);
    QCOMPARE(content.modules.size(), rpr.size() + 4);
    QStringList taking = content.takingPart();
    // Each behind those that it needs.
    QVERIFY(taking.indexOf(folder.filePath("RPR-Foundation_v2.0.xml")) >= 0);
    QVERIFY(taking.indexOf(folder.filePath("RPR-Base_v2.0.xml")) <
            taking.indexOf(folder.filePath("RPR-Physical_v2.0.xml")));
    taking.sort();
    QVERIFY2(taking == rpr, qPrintable(lines.join('\n')));
  }

  void whatHappensInTheFolderIsNoticed() {
    QTemporaryDir folder;
    write(folder.filePath("A.xml"), module("A", "A"));
    write(folder.filePath("B.xml"), module("B", "B"));
    ModuleProject project;
    project.setInterval(30);
    QSignalSpy opened(&project, &ModuleProject::opened);
    QSignalSpy changed(&project, &ModuleProject::changed);
    project.open(folder.path());
    QVERIFY(project.isOpening() && !project.isOpen());
    QVERIFY(opened.wait(kLimit));
    QCOMPARE(printed(project.modules()), (QStringList{"+ A.xml", "+ B.xml"}));

    const auto becomes = [&](const QStringList& lines) {
      return QTest::qWaitFor([&] { return printed(project.modules()) == lines; }, kLimit);
    };
    write(folder.filePath("new/C.xml"), module("C", "C"));
    QVERIFY(becomes({"+ A.xml", "+ B.xml", "+ new/C.xml"}));
    // A decision stays.
    project.setTakesPart(folder.filePath("new/C.xml"), false);
    QCOMPARE(project.takingPart().size(), 2);
    write(folder.filePath("D.xml"), module("D", "A,D"));
    QVERIFY(QTest::qWaitFor([&] { return project.modules().size() == 4; }, kLimit));
    QVERIFY2(printed(project.modules()).contains("- new/C.xml"),
             qPrintable(printed(project.modules()).join('\n')));
    // A is in D now as well; D says more.
    QVERIFY(printed(project.modules()).contains("+ D.xml"));
    // What took part stays when its file is removed, what did not goes.
    QVERIFY(QFile::remove(folder.filePath("new/C.xml")));
    QVERIFY(QFile::remove(folder.filePath("B.xml")));
    QVERIFY(QTest::qWaitFor([&] { return project.modules().size() == 3; }, kLimit));
    QVERIFY(project.takingPart().contains(folder.filePath("B.xml")));
    // A change of the file.
    const qsizetype before = changed.size();
    write(folder.filePath("A.xml"), "<objectModel><objects>");
    QVERIFY(QTest::qWaitFor(
        [&] {
          const auto& all = project.modules();
          return std::any_of(all.begin(), all.end(), [](const FolderModule& each) {
            return each.name == "A.xml" && each.isBroken();
          });
        },
        kLimit));
    QVERIFY(changed.size() > before);

    // A folder that goes does not take the modules with it.
    const qsizetype count = project.modules().size();
    QVERIFY(QDir().rename(folder.path(), folder.path() + "-away"));
    QTest::qWait(200);
    QCOMPARE(project.modules().size(), count);
    QVERIFY(QDir().rename(folder.path() + "-away", folder.path()));
    project.close();
    QVERIFY(!project.isOpen() && project.modules().isEmpty());
  }

  void openingIsGivenUpAtOnceAndSaysWhatFailed() {
    QTemporaryDir folder;
    write(folder.filePath("A.xml"), module("A", "A"));
    QDir(folder.path()).mkdir("empty");
    ModuleProject project;
    QSignalSpy opened(&project, &ModuleProject::opened);
    QSignalSpy failed(&project, &ModuleProject::failed);
    project.open(folder.path());
    project.cancelOpening();
    QVERIFY(!project.isOpening());
    // What was found for one that is given up is not taken for the next.
    for (int i = 0; i < 200; ++i) {
      project.open(folder.path());
      QTest::qSleep(1);
      project.open(folder.filePath("empty"));
      QVERIFY(failed.wait(kLimit));
      QCOMPARE(opened.size(), 0);
    }
    failed.clear();
    project.open(folder.filePath("empty"));
    QVERIFY(failed.wait(kLimit));
    QCOMPARE(opened.size(), 0);
    QVERIFY(failed[0][0].toString().startsWith("There is no object model in "));
    project.open(folder.filePath("none"));
    QVERIFY(failed.wait(kLimit));
    QVERIFY2(failed[1][1].toString().contains("No such file"), qPrintable(failed[1][1].toString()));
    QVERIFY(!project.isOpen());
    // What fails leaves the folder that is open.
    project.open(folder.path());
    QVERIFY(opened.wait(kLimit));
    project.open(folder.filePath("none"));
    QVERIFY(failed.wait(kLimit));
    QCOMPARE(project.folder(), folder.path());
  }

  void theCommandLineListsAFolder() {
    QTemporaryDir folder;
    write(folder.filePath("Base.data"), module("Base", "Track"));
    write(folder.filePath("sub/Copy.xml"), module("Base", "Track"));
    QString said;
    QString errors;
    QTextStream out(&said);
    QTextStream err(&errors);
    QCOMPARE(runFomModules({folder.path()}, out, err), 0);
    QVERIFY2(said.contains(folder.filePath("Base.data") + "\n  offers 1 object class\n"),
             qPrintable(said + errors));
    QVERIFY2(said.endsWith("Left out: " + folder.filePath("sub/Copy.xml") +
                           ": All that it defines is in Base.data.\n"),
             qPrintable(said));
    said.clear();
    QCOMPARE(runFomModules({"--json", folder.path()}, out, err), 0);
    QVERIFY2(said.contains("\"why\": \"All that it defines is in Base.data.\""), qPrintable(said));
    QCOMPARE(runFomModules({folder.filePath("sub/none")}, out, err), 2);
  }
};

QTEST_GUILESS_MAIN(TestModuleFolder)
#include "tst_module_folder.moc"
