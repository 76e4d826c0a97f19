// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QTextStream>
#include <algorithm>

#include "conversion_modules.h"
#include "fom-editor/model/conversion_command.h"
#include "fom-editor/model/loaded_model.h"
#include "test_models.h"

using namespace tutti::fomedit;

namespace {

QByteArray content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
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
  ran.code = runFomConversion(arguments, out, err);
  return ran;
}

/// A folder with a module of HLA 1.3.
class Folder {
 public:
  Folder() {
    QFile source(fed());
    if (!source.open(QIODevice::WriteOnly) || source.write(conversionmodules::fed) < 0) {
      qFatal("write");
    }
  }
  QString file(const QString& name) const { return folder_.filePath(name); }
  QString fed() const { return file("harbour.fed"); }
  QStringList names() const {
    return QDir(folder_.path()).entryList(QDir::Files | QDir::Hidden | QDir::System);
  }
  QString path() const { return folder_.path(); }

 private:
  QTemporaryDir folder_;
};

}  // namespace

class TestFomConversionCommand : public QObject {
  Q_OBJECT

 private slots:
  void whatLosesNothingEndsWithZero() {
    const Folder folder;
    const QString into = folder.file("again.fed");
    const Ran ran = run({"convert", folder.fed(), "--to", "1.3-fed", "-o", into});
    QCOMPARE(ran.code, 0);
    QCOMPARE(content(into), QByteArray(conversionmodules::fed));
    QCOMPARE(ran.out, QString());
    QCOMPARE(ran.err, into + " is written as HLA 1.3 FED. Nothing is lost.\n");
  }

  void whatIsLostIsSaidWithItsLine() {
    const Folder folder;
    const QString into = folder.file("harbour.xml");
    Ran ran = run({"convert", folder.fed(), "--to=2010", "--output=" + into});
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.err.remove(folder.path() + '/'),
             QString("harbour.fed:20: changed: Sharing of classes that have nothing else of their "
                     "own: PublishSubscribe: Tug\n"
                     "harbour.fed:5: changed: Dimensions of routing spaces: dimensions of their "
                     "own, Space_Dimension, from 0 to 4294967295: Map_X, Map_Y, Radio 1_Band "
                     "(line 9)\n"
                     "harbour.xml is written as IEEE 1516-2010. 2 kinds of content are said in "
                     "another way.\n"));
    // The result is one that an RTI loads.
    QCOMPARE(loadModel({into}).count(Level::Loads), 0);
    ran = run({"convert", into, "--to", "1.3-fed"});
    QCOMPARE(ran.code, 1);
    QVERIFY(ran.out.startsWith("(FED\n"));
    QVERIFY2(ran.err.contains("lost: Sharing of classes"), qPrintable(ran.err));
    QVERIFY(!ran.err.contains("is written"));
  }

  void jsonHasAllPlaces() {
    const Folder folder;
    const Ran ran = run({"convert", folder.fed(), "--to", "2025", "--json"});
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.err, QString());
    const QJsonObject report = QJsonDocument::fromJson(ran.out.toUtf8()).object();
    QCOMPARE(report.value("from").toString(), QString("HLA 1.3 FED"));
    QCOMPARE(report.value("to").toString(), QString("IEEE 1516-2025"));
    QCOMPARE(report.value("lossless"), QJsonValue(false));
    QVERIFY(report.value("written").isNull());
    const QJsonArray losses = report.value("losses").toArray();
    const auto spaces = std::find_if(losses.begin(), losses.end(), [](const QJsonValue& loss) {
      return loss.toObject().value("what").toString() == "Dimensions of routing spaces";
    });
    QVERIFY(spaces != losses.end());
    const QJsonObject loss = spaces->toObject();
    QCOMPARE(loss.value("kind").toString(), QString("changed"));
    QCOMPARE(loss.value("count").toInt(), 3);
    const QJsonArray places = loss.value("places").toArray();
    QCOMPARE(places.size(), 3);
    QCOMPARE(places.at(2).toObject(), (QJsonObject{{"name", "Radio 1_Band"}, {"line", 9}}));
  }

  void anotherFileIsReplacedByForceOnly() {
    const Folder folder;
    const QString into = folder.file("kept.xml");
    QFile kept(into);
    QVERIFY(kept.open(QIODevice::WriteOnly) && kept.write("kept") == 4);
    kept.close();
    for (const QString& other : {into, folder.fed()}) {
      const QByteArray before = content(other);
      const Ran ran = run({"convert", folder.fed(), "--to", "2010", "-o", other});
      QCOMPARE(ran.code, 2);
      QCOMPARE(ran.err, "tutti fom: " + other +
                            " is there already. Give another file, or replace it with --force.\n");
      QCOMPARE(content(other), before);
    }
    // Neither is what a link of no file points to.
    const QString dangling = folder.file("dangling.xml");
    QVERIFY(QFile::link(folder.file("elsewhere.xml"), dangling));
    QCOMPARE(run({"convert", folder.fed(), "--to", "2010", "-o", dangling}).code, 2);
    QVERIFY(!QFile::exists(folder.file("elsewhere.xml")));
    QCOMPARE(run({"new", into}).code, 2);
    QCOMPARE(run({"join", folder.fed(), "-o", into}).code, 2);
    QCOMPARE(content(into), QByteArray("kept"));
    QCOMPARE(run({"convert", folder.fed(), "--to", "2010", "-o", into, "--force"}).code, 1);
    QVERIFY(content(into).contains("<name>Harbour</name>"));
    // The source, too, is read before it is written.
    QCOMPARE(run({"convert", folder.fed(), "--to", "1.3-omt", "-o", folder.fed(), "--force"}).code,
             0);
    QVERIFY(content(folder.fed()).startsWith("(DIF HLA-OMT"));
    QCOMPARE(folder.names(), QStringList({"dangling.xml", "harbour.fed", "kept.xml"}));
  }

  void whatCannotBeWrittenLeavesNothingBehind() {
    const Folder folder;
    const QString into = folder.file("missing/harbour.xml");
    const Ran ran = run({"convert", folder.fed(), "--to", "2010", "-o", into});
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.startsWith("tutti fom: " + into + " cannot be written: "),
             qPrintable(ran.err));
    QCOMPARE(folder.names(), QStringList{"harbour.fed"});
  }

  void whatCannotBeReadIsNamed() {
    const Folder folder;
    QFile broken(folder.file("broken.fed"));
    QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("(FED\n(Federation") > 0);
    broken.close();
    Ran ran = run({"convert", broken.fileName(), "--to", "2010"});
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.startsWith("tutti fom: " + broken.fileName() + ":2: "), qPrintable(ran.err));
    QCOMPARE(ran.out, QString());
    ran = run({"convert", folder.file("none.xml"), "--to", "2010"});
    QCOMPARE(ran.code, 2);
    QVERIFY(ran.err.contains("none.xml: The file cannot be opened: No such file"));
    QVERIFY(run({"convert", folder.path(), "--to", "2010"}).err.contains("is a folder"));
    // Two descriptions of one class without modules contradict each other.
    QFile other(folder.file("other.fed"));
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write(QByteArray(conversionmodules::fed).replace("name reliable", "name best_effort"));
    other.close();
    ran = run({"join", folder.fed(), other.fileName(), "-o", folder.file("joined.xml")});
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.contains("other.fed:19"), qPrintable(ran.err));
    QVERIFY(!QFile::exists(folder.file("joined.xml")));
  }

  void modulesAreJoinedUnderTheNameOfTheFile() {
    const Folder folder;
    const QString into = folder.file("Traffic.xml");
    const Ran ran = run(QStringList{"join"} + testmodels::airTraffic() + QStringList{"-o", into});
    QVERIFY2(ran.code == 0 || ran.code == 1, qPrintable(ran.err));
    QVERIFY(content(into).contains("<name>Traffic</name>"));
    QVERIFY(content(into).contains("<type>Composed_From</type>"));
    const LoadedModel apart = loadModel(testmodels::airTraffic());
    const LoadedModel joined = loadModel({into});
    QCOMPARE(joined.count(Level::Loads), 0);
    QCOMPARE(joined.objectClassCount(), apart.objectClassCount());
    QCOMPARE(joined.interactionClassCount(), apart.interactionClassCount());
    QCOMPARE(run(QStringList{"join"} + testmodels::airTraffic() +
                 QStringList{"-o", folder.file("t.fed"), "--to", "1.3-fed", "--name", "T 1"})
                 .code,
             1);
    QVERIFY(content(folder.file("t.fed")).startsWith("(FED\n  (Federation \"T 1\")\n"));
  }

  void newModulesAreOfAnEdition() {
    const Folder folder;
    Ran ran = run({"new", folder.file("Fresh.xml")});
    QCOMPARE(ran.code, 0);
    QCOMPARE(ran.err, folder.file("Fresh.xml") + " is written as IEEE 1516-2010.\n");
    QVERIFY(content(folder.file("Fresh.xml")).contains("<name>Fresh</name>"));
    QCOMPARE(run({"new", folder.file("f.fed"), "--edition", "1.3-fed", "--name", "F"}).code, 0);
    QVERIFY(content(folder.file("f.fed")).startsWith("(FED\n  (Federation F)"));
    for (const char* name : {"Fresh.xml", "f.fed"}) {
      QCOMPARE(loadModel({folder.file(name)}).count(Level::Loads), 0);
    }
  }

  void wrongArgumentsAreExplained_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    QTest::newRow("no edition") << QStringList{"convert", "a.xml"} << "--to EDITION";
    QTest::newRow("unknown edition")
        << QStringList{"convert", "a.xml", "--to", "1999"} << "there is no edition 1999";
    QTest::newRow("no value") << QStringList{"convert", "a.xml", "--to"} << "--to needs a value";
    QTest::newRow("empty file") << QStringList{"convert", "a.xml", "--to", "2010", "-o", ""}
                                << "-o needs a file";
    QTest::newRow("two files") << QStringList{"convert", "a.xml", "b.xml", "--to", "2010"}
                               << "one file is given, not 2";
    QTest::newRow("nothing to join") << QStringList{"join", "-o", "a.xml"} << "no modules";
    QTest::newRow("join to nowhere") << QStringList{"join", "a.xml"} << "-o FILE says";
    QTest::newRow("option") << QStringList{"new", "a.xml", "--json"} << "unknown option --json";
    QTest::newRow("name of a conversion")
        << QStringList{"convert", "a.xml", "--to", "2010", "--name", "N"}
        << "unknown option --name";
  }
  void wrongArgumentsAreExplained() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    const Ran ran = run(arguments);
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.contains(says), qPrintable(ran.err));
    QVERIFY(ran.err.contains("usage: tutti fom convert"));
  }

  void theProgramConverts() {
    const Folder folder;
    QProcess tutti;
    tutti.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"),
                {"fom", "convert", folder.fed(), "--to", "2000"});
    QVERIFY(tutti.waitForFinished(60'000));
    QCOMPARE(tutti.exitCode(), 1);
    QVERIFY(tutti.readAllStandardOutput().contains("DTDversion=\"1516.2\""));
    QVERIFY(tutti.readAllStandardError().contains("Dimensions of routing spaces"));
  }
};

QTEST_GUILESS_MAIN(TestFomConversionCommand)
#include "tst_fom_conversion_command.moc"
