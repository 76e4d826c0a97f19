// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever is given to `tutti fom` in the place of a module ends soon, within a bounded memory, and
// with words that name it. What the RTI's reader itself may cost is in tst_omt_bounds.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <functional>

#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/module_file.h"
#include "omt/reader.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// What a command may have in all: what is refused is not kept in any other form than as bytes, in
/// one more encoding and as one list of places.
constexpr rlim_t limitBytes = rlim_t{1} << 30U;
constexpr rlim_t limitSeconds = 60;
constexpr int kLong = 100'000;
constexpr qsizetype kMost = static_cast<qsizetype>(omt::maxModuleBytes) - 1;

QByteArray filled(QByteArray begin, const QByteArray& piece, const QByteArray& end,
                  qsizetype size = kMost) {
  begin.reserve(size);
  while (begin.size() + piece.size() + end.size() <= size) begin += piece;
  return begin + end;
}

QByteArray utf16(const char* text) {
  const QString wide = QString::fromUtf8(text);
  return QByteArray("\xFF\xFE", 2) +
         QByteArray(static_cast<const char*>(static_cast<const void*>(wide.utf16())),
                    wide.size() * 2);
}

constexpr const char* kBombs =
    "<?xml version=\"1.0\"?><!DOCTYPE objectModel [<!ENTITY a \"aaaaaaaaaa\">"
    "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">"
    "<!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\"><!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;\">"
    "<!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;\"><!ENTITY g \"&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;\">]>"
    "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><modelIdentification>"
    "<name>&g;</name></modelIdentification></objectModel>";

}  // namespace

class TestModelBounds : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const auto write = [this](const char* name, const QByteArray& bytes) {
      QFile file(folder_.filePath(name));
      QVERIFY(file.open(QIODevice::WriteOnly));
      QCOMPARE(file.write(bytes), bytes.size());
    };
    write("large.xml", filled("<objectModel>", "<a/>", "</objectModel>", 100'000'000));
    write("nested.xml", filled("<objectModel>", "<a>", {}));
    write("nested-100.xml", filled("<objectModel>", "<a>", {}, 100'000'000));
    write("elements.xml", filled("<objectModel>", "<a/>", "</objectModel>"));
    write("attributes.xml", filled("<objectModel ", "a=\"\" ", "/>"));
    write("parentheses.fed", filled("(FED ", "(", {}));
    write("entities.xml", kBombs);
    write("outside.xml",
          "<!DOCTYPE objectModel [<!ENTITY a SYSTEM \"/etc/passwd\">]><objectModel>&a;"
          "</objectModel>");
    write("nul.xml", QByteArray("<objectModel>\0</objectModel>", 28));
    write("nuls.xml", QByteArray(1 << 20, '\0'));
    write("cut.xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?><objectModel><objects>");
    write("latin1.xml",
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?><objectModel>\xE9</objectModel>");
    write("wide.xml", "<?xml version=\"1.0\" encoding=\"UTF-16\"?><objectModel></objectModel>");
    write("half.xml", utf16("<?xml version=\"1.0\"?><objectModel></objectModel>").chopped(1));
    write("unknown.xml",
          "<?xml version=\"1.0\" encoding=\"EBCDIC-X\"?><objectModel></objectModel>");
    write("empty.xml", {});
    QVERIFY(QDir(folder_.path()).mkdir("folder.xml"));
    QCOMPARE(::mkfifo(qPrintable(folder_.filePath("pipe.xml")), 0600), 0);
    QVERIFY(QFile::copy(testmodels::data("Weather.xml"), folder_.filePath("good.xml")));
  }

  void isRefused_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* file, const char* words) {
      QTest::newRow(file) << QString(file) << QString(words);
    };
    row("large.xml", "larger than 64 MiB");
    row("nested.xml", "nested");
    row("nested-100.xml", "larger than 64 MiB");
    row("elements.xml", "more than");
    row("attributes.xml", "");
    row("parentheses.fed", "");
    row("entities.xml", "");
    row("outside.xml", "");
    row("nul.xml", "");
    row("nuls.xml", "");
    row("cut.xml", "ot well-formed");
    row("latin1.xml", "");
    row("wide.xml", "UTF-16");
    row("half.xml", "");
    row("unknown.xml", "EBCDIC-X");
    row("empty.xml", "");
    row("folder.xml", "folder");
    row("pipe.xml", "pipe");
    row("/dev/zero", "device");
    row("none.xml", "o ");
  }
  /// By each verb, with the words of the reader.
  void isRefused() {
    QFETCH(QString, file);
    QFETCH(QString, words);
    const QString bad = file.startsWith('/') ? file : folder_.filePath(file);
    const QString good = folder_.filePath("good.xml");
    const QString out = folder_.filePath("out");
    const QList<QStringList> commands{{"check", bad},
                                      {"check", good, bad},
                                      {"show", "WeatherCell", bad},
                                      {"modules", bad},
                                      {"export", "--html", out, bad},
                                      {"diff", bad, good},
                                      {"diff", good, bad},
                                      {"merge", bad, good, good},
                                      {"merge", good, good, bad},
                                      {"convert", bad, "--to", "2025", "-o", out},
                                      {"join", good, bad, "-o", out}};
    for (const QStringList& command : commands) {
      // A folder of modules is looked through.
      if (file == "folder.xml" && (command[0] == "modules" || command[0] == "diff")) continue;
      // Each waits for 5 s: those that read in different ways are enough.
      if (file == "pipe.xml" && (command.size() > 2) != (command[0] == "merge")) continue;
      const QString call = command.join(' ');
      QProcess process;
      process.setProcessChannelMode(QProcess::MergedChannels);
      process.setChildProcessModifier([] {
        const rlimit seconds{limitSeconds, limitSeconds};
        ::setrlimit(RLIMIT_CPU, &seconds);
        const rlimit memory{limitBytes, limitBytes};
        if (!sanitized) ::setrlimit(RLIMIT_AS, &memory);
      });
      process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"), QStringList{"fom"} + command);
      QVERIFY2(process.waitForFinished(kLong), qPrintable(call));
      const QString said = process.readAll();
      const QString all = call + ": " + said.left(2000);
      QVERIFY2(process.exitStatus() == QProcess::NormalExit, qPrintable(all));
      QVERIFY2(process.exitCode() == 1 || process.exitCode() == 2, qPrintable(all));
      QVERIFY2(said.contains(QFileInfo(bad).fileName()), qPrintable(all));
      QVERIFY2(said.contains(words), qPrintable(all));
      QVERIFY2(said.size() < 5000, qPrintable(all));
      QVERIFY2(!QFileInfo::exists(out), qPrintable(all));
    }
  }

  /// What editing reads says the same in words for the page.
  void cannotBeEdited_data() { isRefused_data(); }
  void cannotBeEdited() {
    QFETCH(QString, file);
    QFETCH(QString, words);
    const QString bad = file.startsWith('/') ? file : folder_.filePath(file);
    const ModuleFile read = readForEditing(bad);
    QVERIFY(read.source == nullptr);
    QVERIFY2(read.readOnlyReason.contains(words), qPrintable(read.readOnlyReason));
    QVERIFY(read.readOnlyReason.size() > 10);
    QCOMPARE(read.isGone, file == "none.xml");
    const LoadedModel model = loadModel({folder_.filePath("good.xml"), bad}, {});
    QCOMPARE(model.count(Level::Loads), 1);
    QCOMPARE(model.findings.front().file, bad);
    QVERIFY2(model.findings.front().text.contains(words), qPrintable(model.findings.front().text));
    QVERIFY(model.modules[1].merged);
  }

  /// What loads in an RTI and cannot be looked at otherwise is no module without findings.
  void whatIsNotCheckedIsSaid() {
    QFile file(folder_.filePath("koi8.xml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "<?xml version=\"1.0\" encoding=\"KOI8-R\"?>\n<objectModel "
        "xmlns=\"http://standards.ieee.org/IEEE1516-2010\"/>");
    file.close();
    QProcess process;
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"),
                  {"fom", "check", "--level", "strict", file.fileName()});
    QVERIFY(process.waitForFinished(kLong));
    const QByteArray said = process.readAllStandardOutput();
    QCOMPARE(process.exitCode(), 1);
    QVERIFY2(said.contains("koi8.xml:1: warning: The module loads, and is not checked any further: "
                           "The file is in KOI8-R, which is not edited."),
             said.constData());
  }

  /// A pipe into which something is written is read: `tutti fom check <(git show HEAD:a.xml)`.
  void aPipeIsRead_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<int>("code");
    QTest::newRow("check") << "fom check /dev/stdin" << 0;
    QTest::newRow("modules") << "fom modules /dev/stdin" << 1;
    QTest::newRow("show") << "fom show WeatherCell /dev/stdin" << 0;
  }
  void aPipeIsRead() {
    QFETCH(QString, command);
    QFETCH(int, code);
    QFile file(folder_.filePath("good.xml"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QProcess process;
    process.setWorkingDirectory(folder_.path());
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"), command.split(' '));
    process.write(file.readAll());
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished(kLong));
    const QByteArray said = process.readAllStandardOutput() + process.readAllStandardError();
    QVERIFY2(process.exitCode() == code, said.constData());
  }

 private:
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestModelBounds)
#include "tst_model_bounds.moc"
