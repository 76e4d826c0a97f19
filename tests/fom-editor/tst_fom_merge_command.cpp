// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextStream>

#include "fom-editor/model/command_line.h"
#include "fom-editor/model/merge_command.h"
#include "test_models.h"

using namespace tutti::fomedit;

namespace {

QString content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

bool write(const QString& path, const QString& text) {
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0;
}

QString replaced(QString text, const char* from, const char* to) {
  if (text.count(QLatin1String(from)) != 1) qFatal("not once: %s", from);
  return text.replace(QLatin1String(from), QLatin1String(to));
}

struct Ran {
  int code = 0;
  QString out;
  QString err;
};

Ran run(const QStringList& arguments) {
  Ran ran;
  QTextStream out(&ran.out);
  QTextStream err(&ran.err);
  ran.code = runFomMerge(arguments, out, err);
  return ran;
}

/// Three versions in a folder: each side changes something; on request the same thing.
class Versions {
 public:
  explicit Versions(bool conflict) {
    const QString text = content(testmodels::data("Tracks.xml"));
    const QString mine = replaced(text, "<units>m<", "<units>km<");
    const QString other = conflict ? replaced(text, "<units>m<", "<units>ft<")
                                   : replaced(text, "Where it is", "Where it was");
    if (!write(base(), text) || !write(ours(), mine) || !write(theirs(), other)) qFatal("write");
  }
  QString base() const { return file("base.xml"); }
  QString ours() const { return file("ours.xml"); }
  QString theirs() const { return file("theirs.xml"); }
  QString file(const QString& name) const { return folder_.filePath(name); }
  QStringList files() const { return {base(), ours(), theirs()}; }
  QString path() const { return folder_.path(); }

 private:
  QTemporaryDir folder_;
};

}  // namespace

class TestFomMergeCommand : public QObject {
  Q_OBJECT

 private slots:
  void whatMergesIsWritten() {
    const Versions v(false);
    const QString mine = content(v.ours());
    Ran ran = run(v.files());
    QCOMPARE(ran.code, 0);
    QCOMPARE(ran.out, "1 change of " + v.theirs() +
                          " taken, 0 conflicts. Nothing is written; -o FILE writes the module.\n");
    QCOMPARE(content(v.ours()), mine);
    ran = run(v.files() + QStringList{"-o", v.ours()});
    QCOMPARE(ran.code, 0);
    QCOMPARE(content(v.ours()), replaced(mine, "Where it is", "Where it was"));
    QVERIFY(ran.out.endsWith(v.ours() + " is written.\n"));
  }

  void conflictsAreNamedAndNothingIsWritten() {
    const Versions v(true);
    const QString mine = content(v.ours());
    const QString into = v.file("result.xml");
    Ran ran = run(v.files() + QStringList{"-o", into});
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.out.remove(v.path() + '/'),
             QString("conflict  datatype Length, units\n"
                     "          Both have changed it, to different values.\n"
                     "          base    base.xml:35    m\n"
                     "          ours    ours.xml:35    km\n"
                     "          theirs  theirs.xml:35  ft\n"
                     "          choose  ours or theirs or base\n"
                     "0 changes of theirs.xml taken, 1 conflict. Nothing is written: choose with "
                     "--choose, let both sides agree, or write both with -o FILE --markers.\n"));
    QVERIFY(!QFile::exists(into));
    ran = run(v.files() + QStringList{"--output=" + into, "--markers"});
    QCOMPARE(ran.code, 1);
    QCOMPARE(content(into), replaced(mine, "        <units>km</units>\n",
                                     "<<<<<<< ours\n        <units>km</units>\n=======\n"
                                     "        <units>ft</units>\n>>>>>>> theirs\n"));
    ran = run(v.files() + QStringList{"--json"});
    QCOMPARE(ran.code, 1);
    const QJsonObject report = QJsonDocument::fromJson(ran.out.toUtf8()).object();
    QCOMPARE(report.value("merges"), QJsonValue(false));
    QVERIFY(report.value("written").isNull());
    const QJsonArray conflicts = report.value("conflicts").toArray();
    QCOMPARE(conflicts.size(), 1);
    const QJsonObject conflict = conflicts.at(0).toObject();
    QCOMPARE(conflict.value("place").toString(), QString("datatype Length, units"));
    QCOMPARE(conflict.value("offered").toArray(), (QJsonArray{"ours", "theirs", "base"}));
    QCOMPARE(conflict.value("theirs").toObject(),
             (QJsonObject{{"file", v.theirs()}, {"line", 35}, {"text", "ft"}}));
  }

  void conflictsAreDecided() {
    const Versions v(true);
    const QString mine = content(v.ours());
    const QString into = v.file("result.xml");
    const QString place = "datatype Length, units";
    Ran ran = run(v.files() + QStringList{"--choose", place + "=theirs", "-o", into});
    QCOMPARE(ran.code, 0);
    QCOMPARE(ran.out, "chosen    " + place + ": theirs\n0 changes of " + v.theirs() +
                          " taken, 0 conflicts, 1 choice. " + into + " is written.\n");
    QCOMPARE(content(into), replaced(mine, "<units>km<", "<units>ft<"));
    ran = run(v.files() + QStringList{"--choose=base", "-o", into});
    QCOMPARE(ran.code, 0);
    QCOMPARE(content(into), replaced(mine, "<units>km<", "<units>m<"));
    // A choice of its own comes before that of the rest.
    ran = run(v.files() +
              QStringList{"--choose", "theirs", "--choose", place + "=ours", "-o", into, "--json"});
    QCOMPARE(ran.code, 0);
    QCOMPARE(content(into), mine);
    const QJsonObject report = QJsonDocument::fromJson(ran.out.toUtf8()).object();
    const QJsonObject conflict = report.value("conflicts").toArray().at(0).toObject();
    QCOMPARE(conflict.value("chosen").toString(), QString("ours"));
    QCOMPARE(conflict.value("key").toString(), place);
    // What makes no sense is said, and nothing is written.
    QVERIFY(QFile::remove(into));
    ran = run(v.files() + QStringList{"--choose", place + "=both", "-o", into});
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.err, "tutti fom: The conflict \"" + place +
                          "\" cannot become both, but ours or theirs or base.\n");
    ran = run(v.files() + QStringList{"--choose", "datatype Width=ours", "-o", into});
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.startsWith("tutti fom: There is no conflict \"datatype Width\""),
             qPrintable(ran.err));
    ran = run(v.files() + QStringList{"--choose", "mine", "-o", into});
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.startsWith("tutti fom: --choose takes ours, theirs, base or both, not mine"),
             qPrintable(ran.err));
    QVERIFY(!QFile::exists(into));
  }

  /// Only so many are listed; one that is named is found all the same.
  void aConflictBehindThoseThatAreListedIsDecided() {
    const Versions v(false);
    const QString end = "    </simpleDataTypes>\n";
    QString rows[3];
    for (int i = 0; i < 1100; ++i) {
      for (int side = 0; side < 3; ++side) {
        rows[side] += QString("      <simpleData><name>T%1</name><units>u%2</units></simpleData>\n")
                          .arg(i)
                          .arg(side);
      }
    }
    const QString text = content(v.base());
    const QStringList files = v.files();
    for (int side = 0; side < 3; ++side) {
      QVERIFY(write(files[side], QString(text).replace(end, rows[side] + end)));
    }
    const QString place = "datatype T1099, units";
    const QString into = v.file("result.xml");
    QVERIFY(!run(files).out.contains(place));
    const Ran ran =
        run(files + QStringList{"--choose", place + "=theirs", "--choose", "ours", "-o", into});
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    const QString result = content(into);
    QCOMPARE(result.count("<units>u2<"), 1);
    QVERIFY(result.contains("<name>T1099</name><units>u2<"));
  }

  /// OURS removes a datatype that THEIRS uses anew: no two texts stand against each other.
  void conflictsWithoutAPlaceAreWrittenToo() {
    const Versions v(true);
    const QString spare =
        "      <simpleData>\n        <name>Spare</name>\n"
        "        <representation>HLAfloat64BE</representation>\n      </simpleData>\n";
    const auto usingSpare = [](QString module) {
      const QString use = "<name>speed</name>\n          <dataType>";
      return module.replace(use + "Length", use + "Spare");
    };
    const auto writeBoth = [&](const QString& mine, const QString& other) {
      return write(v.ours(), QString(mine).remove(spare)) && write(v.theirs(), usingSpare(other));
    };
    const QString text = content(v.base());
    const QString told =
        "<<<<<<< ours\n=======\n"
        "<!-- Conflicts that no two texts show. Correct the module, then delete this:\n"
        "datatype Spare: One has removed it, the other uses it anew. Base: defined. Ours: not "
        "there. Theirs: defined.\n-->\n>>>>>>> theirs\n";
    const QString mine = content(v.ours());
    const QString other = content(v.theirs());
    QVERIFY(writeBoth(text, text));
    const QString into = v.file("result.xml");
    Ran ran = run(v.files() + QStringList{"-o", into, "--markers"});
    QCOMPARE(ran.code, 1);
    QCOMPARE(content(into), usingSpare(content(v.ours())) + told);
    QVERIFY2(ran.out.endsWith(into + " is written with 1 conflict told in a comment at its end, "
                                     "between <<<<<<< and >>>>>>>.\n"),
             qPrintable(ran.out));
    QVERIFY2(ran.out.contains("          choose  ours or theirs, as datatype Spare (together)\n"),
             qPrintable(ran.out));
    QVERIFY(writeBoth(mine, other));
    ran = run(v.files() + QStringList{"-o", into, "--markers"});
    QCOMPARE(ran.code, 1);
    QVERIFY(content(into).endsWith(told));
    QCOMPARE(content(into).count("<<<<<<< ours\n"), 2);
    QVERIFY2(ran.out.endsWith(into + " is written with both sides between <<<<<<< and >>>>>>>, and "
                                     "1 conflict told in a comment at its end.\n"),
             qPrintable(ran.out));
    // As git calls it.
    QVERIFY(writeBoth(text, text));
    QCOMPARE(run(QStringList{"--git"} + v.files() + QStringList{"Tracks.xml"}).code, 1);
    QVERIFY(content(v.ours()).endsWith(told));
  }

  void commentsThatAreNotTakenAreSaid() {
    const Versions v(false);
    QVERIFY(write(v.theirs(), replaced(content(v.theirs()), "<units>m</units>",
                                       "<units>m</units> <!-- metres -->")));
    const Ran ran = run(v.files());
    QCOMPARE(ran.code, 0);
    QVERIFY2(
        ran.out.contains("comments or declarations of " + v.theirs() + " are not taken: line 35\n"),
        qPrintable(ran.out));
  }

  void whatCannotBeReadOrWrittenIsSaid() {
    const Versions v(false);
    const auto error = [](const QStringList& arguments) {
      const Ran ran = run(arguments);
      return ran.code == 2 && ran.out.isEmpty() ? ran.err.section('\n', 0, 0) : "no error";
    };
    QCOMPARE(error({v.base(), v.ours()}), QString("tutti fom: three modules are merged, not 2"));
    QCOMPARE(error(v.files() << "-x"), QString("tutti fom: unknown option -x"));
    QCOMPARE(error(v.files() << "-o"), QString("tutti fom: -o needs a file"));
    QCOMPARE(error(v.files() << "--markers"), QString("tutti fom: --markers needs -o FILE"));
    QCOMPARE(error({v.base(), v.ours(), v.file("no.xml")}),
             "tutti fom: " + v.file("no.xml") +
                 ": The file cannot be opened: No such file or directory.");
    QCOMPARE(error({v.base(), v.ours(), v.path()}),
             "tutti fom: " + v.path() + " is a folder; single modules are merged.");
    QVERIFY(error(v.files() << "-o"
                            << "/nowhere/x.xml")
                .startsWith("tutti fom: /nowhere/x.xml cannot be written: "));
    QVERIFY(write(v.theirs(),
                  "(FED (Federation a) (FEDversion v1.3) (spaces) (objects "
                  "(class ObjectRoot)) (interactions (class InteractionRoot)))"));
    QCOMPARE(error(v.files()),
             "tutti fom: " + v.theirs() + " is of HLA 1.3; modules of IEEE 1516 are merged.");
    QVERIFY(write(v.theirs(), "<objectModel>\n<a></b></objectModel>"));
    QVERIFY(error(v.files()).startsWith("tutti fom: " + v.theirs() + ":2: Not well-formed XML: "));
  }

  /// With git itself: .gitattributes and configuration as the guide has them.
  void gitMergesModels() {
    if (QStandardPaths::findExecutable("git").isEmpty() &&
        !qEnvironmentVariableIsSet("TUTTI_NO_SKIP"))
      QSKIP("git is not installed.");
    QTemporaryDir folder;
    const auto git = [&](const QStringList& words) {
      QProcess process;
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      for (const QString& name : environment.keys()) {
        if (name.startsWith("GIT_")) environment.remove(name);
      }
      for (const char* name : {"HOME", "XDG_CONFIG_HOME"}) environment.insert(name, folder.path());
      environment.insert("GIT_CONFIG_NOSYSTEM", "1");
      for (const char* who : {"AUTHOR", "COMMITTER"}) {
        environment.insert(QString("GIT_%1_NAME").arg(who), "A");
        environment.insert(QString("GIT_%1_EMAIL").arg(who), "a@example.org");
      }
      process.setProcessEnvironment(environment);
      process.setWorkingDirectory(folder.path());
      process.setProcessChannelMode(QProcess::MergedChannels);
      process.start("git", words);
      if (!process.waitForFinished(60000)) return QString("git does not end");
      const QString printed = QString::fromUtf8(process.readAll());
      return process.exitCode() == 0 ? printed
                                     : printed + QString("exit code %1").arg(process.exitCode());
    };
    const QString model = folder.filePath("Tracks.xml");
    const QString other = folder.filePath("other.xml");
    const QString text = content(testmodels::data("Tracks.xml"));
    const QString list = "<list>\n  <a/>\n  <b/>\n  <c/>\n  <d/>\n</list>\n";
    QVERIFY(!git({"init", "-q", "-b", "main"}).contains("exit code"));
    git({"config", "merge.fom.driver",
         QString("'%1/bin/tutti' fom merge --git %O %A %B %P").arg(TUTTI_BINARY_DIR)});
    QVERIFY(write(folder.filePath(".gitattributes"), "*.xml merge=fom\n"));
    QVERIFY(write(model, text) && write(other, list));
    git({"add", "."});
    git({"commit", "-qm", "base"});
    // One line changed on both sides: the lines conflict, the cells do not.
    git({"checkout", "-qb", "side"});
    const char* row = "<enumerator><name>Taxi</name><value>1</value></enumerator>";
    QVERIFY(write(model, replaced(text, row,
                                  "<enumerator notes=\"n1\"><name>Taxi</name>"
                                  "<value>1</value></enumerator>")));
    QVERIFY(write(other, replaced(list, "<a/>", "<a>1</a>")));
    git({"commit", "-qam", "theirs"});
    git({"checkout", "-q", "main"});
    QVERIFY(write(
        model, replaced(text, row, "<enumerator><name>Taxi</name><value>7</value></enumerator>")));
    QVERIFY(write(other, replaced(list, "<d/>", "<d>1</d>")));
    git({"commit", "-qam", "ours"});
    const QString merged = git({"merge", "side", "-m", "merged"});
    QVERIFY2(!merged.contains("exit code"), qPrintable(merged));
    QVERIFY2(merged.contains("other.xml: merged by lines: other.xml:1: The root element is <list>"),
             qPrintable(merged));
    QCOMPARE(content(model), replaced(text, row,
                                      "<enumerator notes=\"n1\"><name>Taxi</name>"
                                      "<value>7</value></enumerator>"));
    QCOMPARE(content(other), replaced(replaced(list, "<a/>", "<a>1</a>"), "<d/>", "<d>1</d>"));
    // A conflict is left to be resolved, with both sides in the file.
    git({"checkout", "-q", "side"});
    QVERIFY(write(model, replaced(content(model), "<units>m<", "<units>ft<")));
    git({"commit", "-qam", "feet"});
    git({"checkout", "-q", "main"});
    QVERIFY(write(model, replaced(content(model), "<units>m<", "<units>km<")));
    git({"commit", "-qam", "kilometres"});
    const QString conflict = git({"merge", "side", "-m", "again"});
    QVERIFY2(conflict.contains("exit code 1"), qPrintable(conflict));
    QVERIFY2(conflict.contains("conflict  datatype Length, units\n"), qPrintable(conflict));
    QVERIFY2(conflict.contains("theirs  Tracks.xml:35  ft"), qPrintable(conflict));
    QVERIFY(
        content(model).contains("<<<<<<< ours\n        <units>km</units>\n=======\n"
                                "        <units>ft</units>\n>>>>>>> theirs\n"));
    QVERIFY(git({"status", "--short"}).contains("UU Tracks.xml"));
    QCOMPARE(QDir(folder.path()).entryList({".merge*", "*.xml.*"}, QDir::Files | QDir::Hidden),
             QStringList());
  }

  void theDriverLeavesOursWhenItFails() {
    const Versions v(true);
    const QString mine = content(v.ours());
    QCOMPARE(run({"--git", v.base()}).code, 129);
    const Ran ran = run({"--git", v.base(), v.ours(), v.file("no.xml"), "fom/Tracks.xml"});
    QCOMPARE(ran.code, 129);
    QVERIFY2(ran.err.startsWith("tutti fom: fom/Tracks.xml is not merged: fom/Tracks.xml: The file "
                                "cannot be opened: No such file or directory. git merge-file "
                                "fails, too. "),
             qPrintable(ran.err));
    QVERIFY2(ran.err.contains("Where git lists fom/Tracks.xml as a conflict, it has the content of "
                              "OURS and nothing of THEIRS"),
             qPrintable(ran.err));
    QVERIFY2(!ran.err.contains(v.path()), qPrintable(ran.err));
    QCOMPARE(content(v.ours()), mine);
  }

  /// As git does it without a driver: UTF-16 has NULs.
  void aBinaryFileIsAConflictWithOurs() {
    const Versions v(true);
    const auto wide = [](const QString& text) {
      return QByteArray("\xFF\xFE", 2) +
             QByteArray(reinterpret_cast<const char*>(text.utf16()), text.size() * 2);
    };
    const auto writeWide = [&](const QString& path, const QString& text) {
      QFile file(path);
      return file.open(QIODevice::WriteOnly) && file.write(wide(text)) > 0;
    };
    for (const auto& [path, text] : {std::pair(v.base(), "<list>\n<a/>\n</list>\n"),
                                     std::pair(v.ours(), "<list>\n<b/>\n</list>\n"),
                                     std::pair(v.theirs(), "<list>\n<c/>\n</list>\n")}) {
      QVERIFY(writeWide(path, text));
    }
    const QString mine = content(v.ours());
    const Ran ran = run({"--git", v.base(), v.ours(), v.theirs(), "other.xml"});
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.startsWith(
                 "tutti fom: conflict in other.xml: other.xml:1: The root element is <list>"),
             qPrintable(ran.err));
    QVERIFY2(ran.err.contains("other.xml has the content of OURS and nothing of THEIRS"),
             qPrintable(ran.err));
    QCOMPARE(content(v.ours()), mine);
  }

  void theUsageNamesAllVerbs() {
    QString printed;
    QTextStream out(&printed);
    QTextStream err(&printed);
    QCOMPARE(runFomCommand({}, out, err), 2);
    for (const char* verb : {"check", "show", "diff", "merge"}) {
      QVERIFY2(printed.contains(QString("tutti fom %1 ").arg(verb)), verb);
    }
  }
};

QTEST_GUILESS_MAIN(TestFomMergeCommand)
#include "tst_fom_merge_command.moc"
