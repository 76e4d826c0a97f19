// SPDX-License-Identifier: GPL-3.0-or-later
// What an object model may cost: each is read and merged in a process of its own, whose memory the
// system limits and counts.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
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
/// which libxml2 keeps as a tree, and less for the others; reckoned, not measured: 1 GiB at most
/// for those with as many dimensions, or uses of them, as are read.
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

/// `before`, a number, letters up to that many bytes and `after`, for each dimension of a list.
std::string dimensions(int count, std::size_t nameBytes, const char* before, const char* after) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    std::string name = std::to_string(i);
    if (name.size() < nameBytes) name.append(nameBytes - name.size(), 'd');
    list += before + name + after;
  }
  return list;
}

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
    // Of a space or class, all its dimensions go to each attribute.
    const auto fedSpace = [&](int count, std::size_t nameBytes) {
      return fed + "(spaces (space s " + dimensions(count, nameBytes, "(dimension ", ")") +
             ")) (objects (class ObjectRoot (class a";
    };
    row("FED: dimensions with long names", false,
        {fedSpace(100, 1000), "(attribute b% s)", "))))", 9'990});
    row("FED: as many uses of dimensions as are read", true,
        {fedSpace(2, 28), "(attribute b% s)", "))))", 490'000});
    row("FED: spaces with long names", false,
        {fed + "(spaces ",
         "(space %" + std::string(990, 'a') + dimensions(100, 0, "(dimension ", ")") + ")", "))",
         6'500});
    row("FED: as many spaces as are read", true,
        {fed + "(spaces ",
         "(space %" + std::string(39, 'a') + dimensions(100, 0, "(dimension ", ")") + ")", "))",
         6'500});
    const auto omtSpace = [](int count, std::size_t nameBytes) {
      return "(ObjectModel (RoutingSpace (Name s) " +
             dimensions(count, nameBytes, "(RSDimension (Name ", "))") +
             ") (Class (ID 1) (Name a) ";
    };
    row("OMT: dimensions with long names", false,
        {omtSpace(100, 1000), "(Attribute (Name b%)(RoutingSpace s))", "))", 9'990});
    row("OMT: as many uses of dimensions as are read", true,
        {omtSpace(4, 28), "(Attribute (Name b%)(RoutingSpace s))", "))", 240'000});
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
    row("2000: dimensions in one cell", false,
        {old + "<objectClass name=\"HLAobjectRoot\">",
         "<attribute name=\"b%\" dimensions=\"" +
             [] {
               std::string names;
               for (int i = 0; i < 500'000; ++i) names += "a ";
               return names;
             }() +
             "\"/>",
         "</objectClass></objects></objectModel>", 60});
    const auto class2025 = [](int count, std::size_t nameBytes) {
      return "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2025\"><dimensions>" +
             dimensions(count, std::min<std::size_t>(nameBytes, 1000), "<dimension><name>",
                        "</name><upperBound>9</upperBound></dimension>") +
             "</dimensions><objects><objectClass><name>HLAobjectRoot</name><objectClass>"
             "<name>a</name><dimensions>" +
             dimensions(count, nameBytes, "<dimension>", "</dimension>") + "</dimensions>";
    };
    const std::string attribute = "<attribute><name>b%</name></attribute>";
    const std::string end2025 = "</objectClass></objectClass></objects></objectModel>";
    row("2025: a dimension with a name of megabytes", false,
        {class2025(1, 8'000'000), attribute, end2025, 20'000});
    row("2025: dimensions with long names", false,
        {class2025(10, 1000), attribute, end2025, 90'000});
    row("2025: as many uses of dimensions as are read", true,
        {class2025(2, 30), attribute, end2025, 490'000});
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
