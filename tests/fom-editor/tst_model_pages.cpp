// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QTextStream>
#include <csignal>

#include "fom-editor/model/command_line.h"
#include "fom-editor/model/pages/model_pages.h"
#include "fom-editor/model/pages/page_list.h"
#include "test_models.h"

using namespace tutti::fomedit;

namespace {

void put(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  QCOMPARE(file.write(bytes), bytes.size());
}

QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

int run(const QStringList& arguments, QString* out, QString* err) {
  out->clear();
  err->clear();
  QTextStream outStream(out);
  QTextStream errStream(err);
  return runFomCommand(arguments, outStream, errStream);
}

/// Whether links resolve and the pages are well formed, as another parser sees them.
QString faultsOf(const QString& folder) {
  QProcess python;
  python.start("python3", {TUTTI_SOURCE_DIR "/tests/fom-editor/pages_check.py", folder});
  if (!python.waitForFinished(60000)) return python.errorString();
  return python.exitCode() == 0 ? QString() : QString::fromUtf8(python.readAll());
}

/// Names and texts that would be markup, script or paths if they were not escaped.
QByteArray hostile() {
  const auto escaped = [](QByteArray text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  };
  const QByteArray name = escaped("<script>alert(1)</script>");
  const QByteArray quoted = escaped("a\" onclick=\"alert(1)&amp;'");
  return "<objectModel "
         "xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><modelIdentification><name>" +
         name +
         "</name></modelIdentification><objects><objectClass><name>HLAobjectRoot</name>"
         "<objectClass><name>/etc/" +
         name + "</name><sharing>Publish</sharing><semantics>" + quoted +
         "</semantics><attribute><name>" + quoted + "</name><dataType>" + name +
         "</dataType><semantics>" + name +
         "</semantics></attribute></objectClass>"
         "<objectClass><name>CON</name><sharing>Publish</sharing></objectClass>"
         "<objectClass><name>con</name><sharing>Publish</sharing></objectClass>"
         "<objectClass><name>" +
         QByteArray(900, 'n') +
         "</name><sharing>Publish</sharing></objectClass>"
         "</objectClass></objects><dimensions><dimension><name>" +
         quoted +
         "</name><upperBound>3</upperBound></dimension></"
         "dimensions><dataTypes><fixedRecordDataTypes>"
         "<fixedRecordData><name>" +
         name + "</name><encoding>HLAfixedRecord</encoding><field><name>" + quoted +
         "</name><dataType>HLAoctet</dataType></field></fixedRecordData>"
         "</fixedRecordDataTypes></dataTypes></objectModel>";
}

}  // namespace

class TestModelPages : public QObject {
  Q_OBJECT

 private slots:
  void thePagesOfAModelAreWhole() {
    QTemporaryDir folder;
    const QString pages = folder.filePath("pages");
    QString out;
    QString err;
    QCOMPARE(run(QStringList{"export", "--html", pages} + testmodels::airTraffic(), &out, &err), 0);
    QVERIFY2(out.contains("8 object and 3 interaction classes"), qPrintable(out));
    QVERIFY2(faultsOf(pages).isEmpty(), qPrintable(faultsOf(pages)));
    const QByteArray flight = bytesOf(pages + "/object-HLAobjectRoot.Track.Flight.html");
    QVERIFY(flight.contains("<a href=\"object-HLAobjectRoot.Track.html\">Track</a>"));
    QVERIFY(flight.contains("Inherited from Track"));
    QVERIFY(flight.contains("<a href=\"datatype-GeoPosition.html\">GeoPosition</a>"));
    const QByteArray type = bytesOf(pages + "/datatype-GeoPosition.html");
    QVERIFY(type.contains("24 octets"));
    QVERIFY(
        type.contains("<a href=\"object-HLAobjectRoot.Track.Flight.html\">Flight.position</a>"));
    QVERIFY(bytesOf(pages + "/tables.html").contains("id=\"dimension-Sector\""));
    QVERIFY(bytesOf(pages + "/style.css").contains("prefers-color-scheme: dark"));
    // The folder of the author is nobody else's business.
    for (const QString& name : QDir(pages).entryList(QDir::Files)) {
      QVERIFY2(!bytesOf(pages + '/' + name).contains(TUTTI_SOURCE_DIR), qPrintable(name));
    }
  }

  void theSameModelGivesTheSameBytes() {
    const auto a = modelPages(loadModel(testmodels::airTraffic()));
    const auto b = modelPages(loadModel(testmodels::airTraffic()));
    QVERIFY(a.has_value() && b.has_value());
    QCOMPARE(a->size(), b->size());
    for (qsizetype i = 0; i < a->size(); ++i) {
      QCOMPARE(a->at(i).name, b->at(i).name);
      QCOMPARE(a->at(i).content, b->at(i).content);
    }
  }

  void theSearchKnowsAllNames() {
    const auto pages = modelPages(loadModel(testmodels::airTraffic()));
    QVERIFY(pages.has_value());
    QSet<QString> files;
    QByteArray script;
    for (const ModelPage& page : *pages) {
      files << page.name;
      if (page.name == "search.js") script = page.content;
    }
    const QByteArray begin = "var entries = ";
    QVERIFY(script.startsWith(begin));
    const QJsonArray entries =
        QJsonDocument::fromJson(script.mid(begin.size(), script.indexOf(";\n") - begin.size()))
            .array();
    QStringList names;
    for (const QJsonValue& value : entries) {
      const QJsonArray entry = value.toArray();
      names << entry[0].toString();
      QVERIFY2(files.contains(entry[2].toString().section('#', 0, 0)),
               qPrintable(entry[2].toString()));
    }
    for (const QString name : {"HLAobjectRoot.Track.Flight", "Flight.position", "GeoPosition",
                               "Sector", "HLAinteractionRoot.Conflict", "Conflict.first"}) {
      QVERIFY2(names.contains(name), qPrintable(name));
    }
  }

  void hostileNamesAreEscaped() {
    QTemporaryDir folder;
    const QString module = folder.filePath("m.xml");
    put(module, hostile());
    const QString pages = folder.filePath("pages");
    QString out;
    QString err;
    QVERIFY2(run({"export", "--html", pages, module}, &out, &err) == 0, qPrintable(err));
    QVERIFY2(faultsOf(pages).isEmpty(), qPrintable(faultsOf(pages)));
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden),
             (QStringList{"m.xml", "pages"}));
    QVERIFY(QFile::exists(pages + "/object-HLAobjectRoot.CON.html"));
    QVERIFY(QFile::exists(pages + "/object-HLAobjectRoot.con-2.html"));
    for (const QString& name : QDir(pages).entryList({"*.html"}, QDir::Files)) {
      const QByteArray page = bytesOf(pages + '/' + name);
      QVERIFY2(!page.contains("<script>"), qPrintable(name));
      QVERIFY2(!page.contains("\" onclick"), qPrintable(name));
    }
  }

  void onlyItsOwnPagesAreReplaced() {
    QTemporaryDir folder;
    const QString pages = folder.filePath("pages");
    QString out;
    QString err;
    QCOMPARE(run(QStringList{"export", "--html", pages} + testmodels::airTraffic(), &out, &err), 0);
    put(pages + "/mine.html", "mine");
    put(folder.filePath("outside.html"), "outside");
    // A list that somebody changed leads nowhere else.
    put(pages + "/pages.txt", bytesOf(pages + "/pages.txt") + "../outside.html\n");
    QCOMPARE(run({"export", "--html", pages, testmodels::data("Weather.xml")}, &out, &err), 0);
    QVERIFY(!QFile::exists(pages + "/object-HLAobjectRoot.Track.Flight.html"));
    QVERIFY(QFile::exists(pages + "/object-HLAobjectRoot.WeatherCell.html"));
    QCOMPARE(bytesOf(pages + "/mine.html"), QByteArray("mine"));
    QCOMPARE(bytesOf(folder.filePath("outside.html")), QByteArray("outside"));
    QVERIFY(!bytesOf(pages + "/pages.txt").contains("Flight"));
    QFile::remove(pages + "/mine.html");
    QVERIFY2(faultsOf(pages).isEmpty(), qPrintable(faultsOf(pages)));
  }

  void aPageOfAnotherCaseIsReplaced_data() {
    QTest::addColumn<QSet<QString>>("own");
    QTest::addColumn<QStringList>("present");
    QTest::addColumn<bool>("ignoresCase");
    QTest::addColumn<QString>("foreign");
    QTest::addColumn<QStringList>("removeFirst");
    QTest::addColumn<QStringList>("removeLast");

    // The new pages are a-foo.html and b.html.
    const QSet<QString> own{"a-Foo.html", "b.html", "c.html"};
    const QStringList first{"a-Foo.html"};
    const QStringList last{"c.html"};
    QTest::newRow("renamed, two files")
        << own << QStringList{"a-Foo.html", "b.html", "c.html"} << false << "" << first << last;
    QTest::newRow("renamed, one file")
        << own << QStringList{"a-Foo.html", "b.html", "c.html"} << true << "" << first << last;
    QTest::newRow("another's of that name")
        << own << QStringList{"a-Foo.html", "a-foo.html"} << false << "a-foo.html" << first << last;
    QTest::newRow("another's of that name in another case")
        << QSet<QString>{"b.html"} << QStringList{"A-FOO.html", "b.html"} << true << "A-FOO.html"
        << QStringList() << QStringList();
    QTest::newRow("another's of another name")
        << QSet<QString>{"b.html"} << QStringList{"A-FOO.html", "b.html"} << false << ""
        << QStringList() << QStringList();
  }

  void aPageOfAnotherCaseIsReplaced() {
    QFETCH(QSet<QString>, own);
    QFETCH(QStringList, present);
    QFETCH(bool, ignoresCase);
    const PageReplacement change =
        replacementOf(own, {"a-foo.html", "b.html"}, present, ignoresCase);
    QTEST(change.foreign, "foreign");
    QTEST(change.removeFirst, "removeFirst");
    QTEST(change.removeLast, "removeLast");
  }

  void aClassIsRenamedInCaseOnly() {
    QTemporaryDir folder;
    const QString pages = folder.filePath("pages");
    const QString module = folder.filePath("m.xml");
    const QByteArray bytes = bytesOf(testmodels::data("Weather.xml"));
    put(module, bytes);
    QString out;
    QString err;
    QCOMPARE(run({"export", "--html", pages, module}, &out, &err), 0);
    QVERIFY(QFile::exists(pages + "/object-HLAobjectRoot.WeatherCell.html"));
    put(module, QByteArray(bytes).replace("WeatherCell", "weatherCell"));
    QVERIFY2(run({"export", "--html", pages, module}, &out, &err) == 0, qPrintable(err));
    QCOMPARE(QDir(pages).entryList({"object-HLAobjectRoot.weathercell*"}, QDir::Files),
             QStringList{"object-HLAobjectRoot.weatherCell.html"});
    QVERIFY2(faultsOf(pages).isEmpty(), qPrintable(faultsOf(pages)));
    put(module, bytes);
    QVERIFY2(run({"export", "--html", pages, module}, &out, &err) == 0, qPrintable(err));
    QVERIFY2(faultsOf(pages).isEmpty(), qPrintable(faultsOf(pages)));
  }

  /// A limit of the file size kills it while it writes the third page.
  void whatAKilledExportLeftIsRemoved() {
    QTemporaryDir folder;
    const QString pages = folder.filePath("pages");
    const QList<ModelPage> whole{{"a.html", "a"}, {"b.html", "b"}, {"c.html", "c"}};
    QList<ModelPage> large = whole;
    large[2].content = QByteArray(100000, 'c');
    const pid_t child = ::fork();
    QVERIFY(child >= 0);
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_DFL);
      const rlimit none{0, 0};
      const rlimit small{50000, 50000};
      ::setrlimit(RLIMIT_CORE, &none);
      ::setrlimit(RLIMIT_FSIZE, &small);
      (void)writePages(pages, large);
      ::_exit(0);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));
    const auto besides = [&] {
      return QDir(folder.path())
          .entryList({".pages-*"}, QDir::AllEntries | QDir::Hidden | QDir::System, QDir::Name);
    };
    QCOMPARE(besides().size(), 1);
    QCOMPARE(QDir(folder.filePath(besides().first())).entryList(QDir::Files),
             (QStringList{"a.html", "b.html", "c.html", "pages.txt"}));

    QVERIFY(writePages(pages, whole).has_value());
    QCOMPARE(besides(), QStringList());
    QCOMPARE(QDir(pages).entryList(QDir::Files),
             (QStringList{"a.html", "b.html", "c.html", "pages.txt"}));
  }

  void foldersBesideThatMayBeInUseStay() {
    QTemporaryDir folder;
    const QString pages = folder.filePath("pages");
    const QByteArray list = pageList({"a.html"});
    const auto make = [&](const QString& name, const QByteArray& listed) {
      QVERIFY(QDir(folder.path()).mkdir(name));
      put(folder.filePath(name + "/a.html"), "a");
      if (!listed.isEmpty()) put(folder.filePath(name + "/pages.txt"), listed);
    };
    make(".pages-aaaaaa", list);  // nobody's: the only one that goes
    make(".pages-bbbbbb", {});    // no list yet
    make(".pages-cccccc", "Another list\n\na.html\n");
    make(".pages-dddddd", list);
    put(folder.filePath(".pages-dddddd/mine.html"), "mine");
    make(".pages-eeeeee", list);  // of an export that goes on
    const int locked = ::open(QFile::encodeName(folder.filePath(".pages-eeeeee")).constData(),
                              O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    QCOMPARE(::flock(locked, LOCK_EX | LOCK_NB), 0);
    make(".pages-ffffff7", list);  // names that no export gives
    make(".pages-ff.fff", list);
    make(".pages2-ffffff", list);
    make("outside", list);
    QVERIFY(QFile::link(folder.filePath("outside"), folder.filePath(".pages-gggggg")));
    const auto all = [&] {
      return QDir(folder.path())
          .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    };
    QStringList expected = all();
    expected.removeAll(".pages-aaaaaa");
    expected << "pages";
    expected.sort();
    QVERIFY(writePages(pages + '/', {{"index.html", "new"}}).has_value());
    ::close(locked);
    QStringList now = all();
    now.sort();
    QCOMPARE(now, expected);
    QCOMPARE(bytesOf(folder.filePath("outside/a.html")), QByteArray("a"));
    QCOMPARE(bytesOf(folder.filePath(".pages-eeeeee/a.html")), QByteArray("a"));
    // Also beside a folder that is there already.
    QVERIFY(writePages(pages, {{"index.html", "newer"}}).has_value());
    QVERIFY(!all().contains(".pages-eeeeee"));
  }

  void aFolderOfOthersIsRefused() {
    QTemporaryDir folder;
    put(folder.filePath("index.html"), "mine");
    QString out;
    QString err;
    QCOMPARE(
        run(QStringList{"export", "--html", folder.path()} + testmodels::airTraffic(), &out, &err),
        2);
    QVERIFY2(err.contains(folder.path()) && err.contains("new or empty folder"), qPrintable(err));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"index.html"});
    // A page that is not of an earlier export stays, too.
    QTemporaryDir second;
    QCOMPARE(run({"export", "--html", second.path(), testmodels::data("Weather.xml")}, &out, &err),
             0);
    const QString added = second.filePath("object-HLAobjectRoot.Track.html");
    put(added, "mine");
    QCOMPARE(
        run(QStringList{"export", "--html", second.path()} + testmodels::airTraffic(), &out, &err),
        2);
    QCOMPARE(bytesOf(added), QByteArray("mine"));
    QFile::remove(added);
    QVERIFY(QFile::link(folder.filePath("index.html"), added));
    QCOMPARE(
        run(QStringList{"export", "--html", second.path()} + testmodels::airTraffic(), &out, &err),
        2);
    QCOMPARE(bytesOf(folder.filePath("index.html")), QByteArray("mine"));
  }

  void whatDoesNotLoadIsNotPublished() {
    QTemporaryDir folder;
    const QString pages = folder.filePath("pages");
    QString out;
    QString err;
    QCOMPARE(run(QStringList{"export", "--html", pages} + testmodels::airTraffic()
                     << testmodels::data("Clash.xml"),
                 &out, &err),
             1);
    QVERIFY2(err.contains("Clash.xml:31"), qPrintable(err));
    QVERIFY(!QFile::exists(pages));
    QCOMPARE(run({"export", testmodels::data("Weather.xml")}, &out, &err), 2);
    QCOMPARE(run({"export", "--html", pages}, &out, &err), 2);
    QCOMPARE(run({"export", "--html", pages, "/no/such.xml"}, &out, &err), 2);
    QCOMPARE(
        run({"export", "--html", "/proc/no/pages", testmodels::data("Weather.xml")}, &out, &err),
        2);
    QVERIFY2(err.contains("/proc/no/pages"), qPrintable(err));
  }

  void theRprFomIsPublishedWhole() {
    const QStringList paths = testmodels::rpr();
    if (paths.isEmpty()) QSKIP("no real object models at ../shared/foms or TUTTI_FOMS");
    QTemporaryDir folder;
    const QString pages = folder.filePath("pages");
    QString out;
    QString err;
    QCOMPARE(run(QStringList{"export", "--html", pages} + paths, &out, &err), 0);
    QVERIFY2(faultsOf(pages).isEmpty(), qPrintable(faultsOf(pages)));
  }
};

QTEST_GUILESS_MAIN(TestModelPages)
#include "tst_model_pages.moc"
