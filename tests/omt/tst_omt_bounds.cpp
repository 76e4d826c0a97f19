// SPDX-License-Identifier: GPL-3.0-or-later
// What an object model may cost: each is read and merged in a process of its own, whose memory the
// system limits and counts.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <functional>
#include <string>

#include "omt/compact_writer.h"
#include "omt/merge.h"
#include "omt/reader.h"

using namespace tutti::omt;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t mostBytes = maxModuleBytes - 1;

/// What the process may have in all. Measured: 0.65 GiB for a model of 2000 of a million rows,
/// which libxml2 keeps as a tree, and less for all others.
constexpr std::size_t limitBytes = 1536 * mebibyte;
/// The same for what is refused: the file, and one copy of it in another encoding.
constexpr std::size_t refusedBytes = 400 * mebibyte;

/// How a process ended and the most memory that it had.
struct Outcome {
  int status = 0;
  std::size_t peakBytes = 0;
};

// How they end.
constexpr int wasRead = 10;
constexpr int wasRefused = 11;
constexpr int tookTooMuch = 12;

Outcome inAProcess(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    if (!sanitized) {
      const rlimit memory{limitBytes, limitBytes};
      setrlimit(RLIMIT_AS, &memory);
    }
    const rlimit seconds{240, 240};  // ends what would never end
    setrlimit(RLIMIT_CPU, &seconds);
    try {
      _exit(work());
    } catch (...) {  // no memory; Qt's own handlers are for the parent
      _exit(tookTooMuch);
    }
  }
  Outcome outcome;
  rusage usage{};
  wait4(child, &outcome.status, 0, &usage);
  outcome.peakBytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  return outcome;
}

int readAndMerge(tl::expected<Module, Error> module) {
  if (!module) return module.error().message.empty() ? 1 : wasRefused;
  const Module one[] = {std::move(*module)};
  const auto merged = merge(one);
  if (!merged) return merged.error().message.empty() ? 1 : wasRefused;
  return encode(merged->model).empty() ? 1 : wasRead;
}

/// `begin`, then `piece` again and again, then `end`: as large as a module may be, or `count`
/// times.
struct Text {
  std::string begin;
  std::string piece;
  std::string end;
  std::size_t count = 0;

  std::string make() const {
    std::string text = begin;
    const std::size_t times =
        count > 0 ? count : (mostBytes - begin.size() - end.size()) / piece.size();
    text.reserve(begin.size() + times * piece.size() + end.size());
    const std::size_t number = piece.find('%');
    for (std::size_t i = 0; i < times; ++i) {
      text += piece.substr(0, number);
      if (number == std::string::npos) continue;
      text += std::to_string(i);
      text += piece.substr(number + 1);
    }
    text += end;
    return text;
  }
};

}  // namespace

Q_DECLARE_METATYPE(Text)

class TestOmtBounds : public QObject {
  Q_OBJECT

 private slots:
  void memoryIsBounded_data() {
    QTest::addColumn<Text>("text");
    QTest::addColumn<bool>("isRead");
    const auto row = [](const char* name, bool isRead, Text text) {
      QTest::newRow(name) << text << isRead;
    };
    const std::string fed = "(FED (Federation x) (FEDversion v1.3) ";
    row("FED: words", false, {"(FED ", "a ", ")"});
    row("FED: parentheses that open", false, {"(FED ", "(", ""});
    row("FED: empty lists", false, {"(FED ", "()", ")"});
    row("FED: a text without an end", false, {"(FED \"", "a", ""});
    row("FED: a comment", true, {"(FED) ;", "a", ""});
    row("FED: lines", true, {"(FED", "\n", ")"});
    row("FED: octets that are no UTF-8", false, {"(FED \"", "\xE9", "\")"});
    row("FED: NULs", false, {"(FED ", std::string(1, '\0'), ")"});
    row("FED: attributes", false,
        {fed + "(objects (class ObjectRoot (class a", "(attribute b)", "))))"});
    row("FED: as many attributes as are merged", true,
        {fed + "(objects (class ObjectRoot (class a", "(attribute b%)", "))))", 490'000});
    row("FED: more parameters than are merged", false,
        {fed + "(interactions (class InteractionRoot (class a", "(parameter b%)", "))))", 510'000});
    row("FED: as many classes as are merged", true,
        {fed + "(objects (class ObjectRoot ", "(class a%)", ")))", 49'000});
    row("FED: classes of one name", true,
        {fed + "(objects (class ObjectRoot ", "(class a)", ")))", 660'000});
    row("FED: nested classes", false, {fed + "(objects ", "(class a", ""});
    row("OMT: enumerators", true,
        {"(ObjectModel (EnumeratedDataType (Name e) ", "(Enumeration (Enumerator a))", "))",
         390'000});
    row("OMT: classes of one name", true, {"(ObjectModel ", "(Class (Name a))", ")", 390'000});
    row("OMT: datatypes", true,
        {"(ObjectModel ", "(ComplexDataType (Name a)(ComplexComponent (FieldName b)(DataType c)))",
         ")", 150'000});
    row("OMT: escapes", false, {"(ObjectModel (Name \"", "\\", ""});
    row("OMT: brackets", false, {"(ObjectModel (Name a [", "1, ", ""});
    const std::string old = "<objectModel DTDversion=\"1516.2\"><objects>";
    row("2000: rows", true,
        {old + "<objectClass name=\"HLAobjectRoot\">", "<attribute notesNotes=\"a\"/>",
         "</objectClass></objects></objectModel>", 990'000});
    row("2000: values of an enumerator", true,
        {"<objectModel DTDversion=\"1516.2\"><dataTypes><e>",
         "<enumeratedData name=\"e\"><enumerator name=\"a\"><value>" +
             std::string(1'000'000, '1').replace(1, 1, " ") +
             "</value></enumerator>"
             "</enumeratedData>",
         "</e></dataTypes></objectModel>", 60});
    row("XML: entities", false,
        {"<!DOCTYPE objectModel [<!ENTITY a \"aaaaaaaaaa\">", "<!ENTITY b \"&a;&a;&a;&a;\">",
         "]><objectModel>&b;</objectModel>"});
    row("XML: nested elements", false, {"<objectModel>", "<a>", ""});
    row("XML: elements", false, {"<objectModel>", "<a/>", "</objectModel>"});
    row("XML: text", false, {"<objectModel>", "a", "</objectModel>"});
    row("neither", false, {"", "a", ""});
  }
  void memoryIsBounded() {
    QFETCH(Text, text);
    QFETCH(bool, isRead);
    if (sanitized) QSKIP("sanitizers need memory of their own");
    const Outcome outcome =
        inAProcess([&] { return readAndMerge(readModule(text.make(), "module")); });
    QVERIFY2(WIFEXITED(outcome.status), "the process was ended for what it took");
    qInfo("%zu MiB at most", outcome.peakBytes / mebibyte);
    QCOMPARE(WEXITSTATUS(outcome.status), isRead ? wasRead : wasRefused);
    QVERIFY(outcome.peakBytes < limitBytes);
  }

  /// Of a file that is too large no more is read than what says so.
  void aLargeFileIsNotReadToItsEnd() {
    if (sanitized) QSKIP("sanitizers need memory of their own");
    const QTemporaryDir folder;
    const QString path = folder.filePath("large.fed");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("(FED (Federation x))");
    QVERIFY(file.resize(1024 * static_cast<qint64>(mebibyte)));  // sparse
    file.close();
    const Outcome outcome =
        inAProcess([&] { return readAndMerge(readModuleFile(path.toStdString())); });
    QVERIFY(WIFEXITED(outcome.status));
    QCOMPARE(WEXITSTATUS(outcome.status), wasRefused);
    QVERIFY2(outcome.peakBytes < refusedBytes, qPrintable(QString::number(outcome.peakBytes)));
  }

  /// The limit of this test is one: a process that needs more ends otherwise.
  void theLimitHolds() {
    if (sanitized) QSKIP("sanitizers need memory of their own");
    const Outcome outcome = inAProcess([] {
      const std::string much(limitBytes, 'a');
      return much.empty() ? 1 : wasRead;
    });
    QVERIFY(WIFEXITED(outcome.status));
    QCOMPARE(WEXITSTATUS(outcome.status), tookTooMuch);
  }
};

QTEST_GUILESS_MAIN(TestOmtBounds)
#include "tst_omt_bounds.moc"
