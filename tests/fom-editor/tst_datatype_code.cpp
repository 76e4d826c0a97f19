// SPDX-License-Identifier: GPL-3.0-or-later
// Datatypes in generated C++: compiled, and compared octet by octet with the byte layout that the
// object model's page has.
#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "datatype_values.h"
#include "fom-editor/codegen/identifiers.h"
#include "fom-editor/model/loaded_model.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

constexpr int kPatience = 600'000;  // ms; on a machine that does much else

QStringList foms(const QString& folder, const QStringList& filter) {
  if (testmodels::rpr().isEmpty()) return {};
  const QDir in(QFileInfo(testmodels::rpr()[0]).path() + QStringLiteral("/../") + folder);
  QStringList paths;
  for (const QFileInfo& f : in.entryInfoList(filter, QDir::Files, QDir::Name))
    paths << f.filePath();
  return paths;
}

bool write(const QString& path, const QString& text) {
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0;
}

/// What it printed; a note about the exit code at the end where that is not 0.
QString run(const QString& folder, const QString& program, const QStringList& arguments) {
  QProcess process;
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.setWorkingDirectory(folder);
  process.start(program, arguments);
  if (!process.waitForFinished(kPatience)) {
    process.kill();
    process.waitForFinished();
    return program + QStringLiteral(" does not end");
  }
  QString said = QString::fromUtf8(process.readAll());
  if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0) {
    said += QStringLiteral("\n%1 ended with %2").arg(program).arg(process.exitCode());
  }
  return said;
}

/// Compiles one translation unit as a person would who minds warnings, with the sanitizer that sees
/// reads outside.
QString compile(const QString& folder, const QString& file, const QString& program,
                const QString& sanitizers) {
  QString compiler = QStringLiteral("c++");
  QStringList words;
  if (const QString cache = QStandardPaths::findExecutable(QStringLiteral("ccache"));
      !cache.isEmpty()) {
    words << compiler;
    compiler = cache;
  }
  words << QStringLiteral("-std=c++17") << QStringLiteral("-O0") << QStringLiteral("-Wall")
        << QStringLiteral("-Wextra") << QStringLiteral("-Wpedantic") << QStringLiteral("-Wshadow")
        << QStringLiteral("-Werror") << sanitizers << QStringLiteral("-fno-sanitize-recover=all");
  const QString object = file + QStringLiteral(".o");
  const QString said =
      run(folder, compiler,
          words + QStringList{QStringLiteral("-c"), file, QStringLiteral("-o"), object});
  if (!said.isEmpty()) return said;
  return run(folder, QStringLiteral("c++"), {sanitizers, object, QStringLiteral("-o"), program});
}

// Decodes hostile octets in a block of the heap that holds nothing else, so that a read outside is
// seen.
const char* const kDriver = R"(
#include "datatypes.cpp"

#include <cstdio>
#include <memory>

using namespace checked;
using Again = Octets (*)(const void*, std::size_t);

static int faults = 0;
static void fault(const char* name, const char* what) {
  if (++faults < 20) std::printf("%s: %s\n", name, what);
}

static Octets fromHex(const char* hex) {
  Octets octets;
  for (; hex[0] != '\0'; hex += 2) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    octets.push_back(static_cast<std::uint8_t>(16 * digit(hex[0]) + digit(hex[1])));
  }
  return octets;
}

static bool refused(const Octets& octets, std::size_t size, Again again, Octets* result = nullptr) {
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[size]);
  for (std::size_t i = 0; i < size; ++i) exact[i] = octets[i];
  try {
    const Octets encoded = again(exact.get(), size);
    if (result != nullptr) *result = encoded;
    return false;
  } catch (const EncodingError&) {
    return true;
  }
}

static std::uint32_t state = 2463534242U;
static std::uint32_t random32() {
  state ^= state << 13U;
  state ^= state >> 17U;
  state ^= state << 5U;
  return state;
}

static void check(const char* name, const Octets& encoded, const char* hex, bool equal, Again again) {
  const Octets wanted = fromHex(hex);
  if (encoded != wanted) fault(name, "its octets are others");
  if (!equal) fault(name, "decoding gives another value");
  const std::size_t most = wanted.size() < 400 ? wanted.size() : 400;
  for (std::size_t size = 0; size < most; ++size) {
    if (!refused(wanted, size, again)) fault(name, "a part of its octets is taken for a value");
  }
  Octets longer = wanted;
  longer.push_back(0);
  if (!refused(longer, longer.size(), again)) fault(name, "an octet too many is not refused");
  for (int i = 0; i < 60 && wanted.size() < 5000; ++i) {
    Octets hostile = wanted;
    for (std::uint32_t n = random32() % 4; n > 0 && !hostile.empty(); --n) {
      hostile[random32() % hostile.size()] = static_cast<std::uint8_t>(random32() % 3 == 0 ? 0xFF : random32());
    }
    hostile.resize(random32() % (hostile.size() + 9), static_cast<std::uint8_t>(random32()));
    Octets first, second;
    if (refused(hostile, hostile.size(), again, &first)) continue;
    // What it takes for a value it encodes, and understands again.
    if (refused(first, first.size(), again, &second) || first != second) fault(name, "a value changes when it is encoded again");
  }
}

template <typename Value, Octets (*encode)(const Value&), Value (*decode)(const void*, std::size_t)>
Octets encodedAgain(const void* data, std::size_t size) {
  return encode(decode(data, size));
}

#define CHECK_VALUE(name, X, encode, decode, hex)                                                  \
  const Octets wanted = fromHex(hex);                                                              \
  bool equal = false;                                                                              \
  try {                                                                                            \
    equal = decode(wanted.data(), wanted.size()) == v;                                             \
  } catch (const EncodingError& error) {                                                           \
    std::printf("%s: %s\n", name, error.what());                                                   \
  }                                                                                                \
  check(name, encode(v), hex, equal, encodedAgain<types::X, encode, decode>);
)";

// Values as they are before anybody has given them another one: of the datatypes of Codegen.xml.
const char* const kInitial = R"(
template <typename Value>
static void initial(const char* name, const Value& value, Octets (*encode)(const Value&), Value (*decode)(const void*, std::size_t)) {
  try {
    const Octets octets = encode(value);
    if (!(decode(octets.data(), octets.size()) == value)) fault(name, "its initial value changes");
  } catch (const EncodingError& error) {
    fault(name, error.what());
  }
}

static void initialAlternatives() {
  types::Cabinet cabinet;
  initial("Cabinet", cabinet, codec::encodeCabinet, codec::decodeCabinet);
  cabinet.setBinders();
  initial("Cabinet", cabinet, codec::encodeCabinet, codec::decodeCabinet);
  if (cabinet.setSides()[2][1][1] != types::Side::Left) fault("Cabinet", "an enumeration begins with no enumerator");
}
)";

// Values that would cost their reader more than their sender: of the datatypes of Codegen.xml.
const char* const kBombs = R"(
static void bombs() {
  Octets deep;
  for (int i = 0; i < 100000; ++i) deep.insert(deep.end(), {0, 0, 0, 0, 0, 0, 0, 1});
  if (!refused(deep, deep.size(), encodedAgain<types::Deep, codec::encodeDeep, codec::decodeDeep>)) {
    fault("Deep", "a value may contain itself without end");
  }
  Octets kids;
  for (int i = 0; i < 1000000; ++i) kids.insert(kids.end(), {0, 0, 0, 1});
  if (!refused(kids, kids.size(), encodedAgain<types::Kids, codec::encodeKids, codec::decodeKids>)) {
    fault("Kids", "a value may contain itself without end through an array");
  }
  const Octets many{0x7F, 0xFF, 0xFF, 0xFF};
  if (!refused(many, many.size(), encodedAgain<types::Tokens, codec::encodeTokens, codec::decodeTokens>)) {
    fault("Tokens", "elements without octets may be any number");
  }
  if (!refused(many, many.size(), encodedAgain<types::Flags, codec::encodeFlags, codec::decodeFlags>)) {
    fault("Flags", "elements that are not there are made room for");
  }
  static_assert(sizeof(types::Folders) <= 65536, "too large for a stack");
  Octets shelf{0, 1, 0x86, 0xA0};
  shelf.resize(4 + 100000);
  if (!refused(shelf, shelf.size(), encodedAgain<types::Shelf, codec::encodeShelf, codec::decodeShelf>)) {
    fault("Shelf", "100 KB of octets may cost 400 MB of memory");
  }
  types::Choice choice;
  choice.setSet(types::Selector::Text) = u"text";
  choice.value_2 = types::Selector::Small;
  try {
    codec::encodeChoice(choice);
    fault("Choice", "a discriminant that contradicts its alternative is encoded");
  } catch (const EncodingError&) {
  }
  types::Millimetres tooLong = 1 << 23;
  try {
    codec::encodeMillimetres(tooLong);
    fault("Millimetres", "a number of more than 24 bits is encoded");
  } catch (const EncodingError&) {
  }
}
)";

QStringList allNames(const omt::ObjectModel& model) {
  QStringList names;
  for (const omt::DataType& type : model.dataTypes()) names << text(type.name);
  return names;
}

/// The datatypes that are, or hold, one whose encoding is none of the standard's.
QSet<QString> withOwnEncodings(const omt::ObjectModel& model) {
  QSet<QString> untold;
  static const std::set<std::string> known{"HLAfixedArray", "HLAvariableArray", "HLAfixedRecord",
                                           "HLAvariantRecord"};
  for (qsizetype before = -1; before != untold.size();) {
    before = untold.size();
    for (const omt::DataType& type : model.dataTypes()) {
      const bool isComposite = type.kind == omt::DataTypeKind::Array ||
                               type.kind == omt::DataTypeKind::FixedRecord ||
                               type.kind == omt::DataTypeKind::VariantRecord;
      bool isUntold = isComposite && !known.contains(type.encoding);
      const auto holds = [&](const std::string& name) {
        isUntold = isUntold || untold.contains(text(name));
      };
      holds(type.elementType);
      for (const auto& field : type.fields) holds(field.dataType);
      for (const auto& alternative : type.alternatives) holds(alternative.dataType);
      if (isUntold) untold.insert(text(type.name));
    }
  }
  return untold;
}

}  // namespace

class TestDatatypeCode : public QObject {
  Q_OBJECT

 private slots:
  void makesIdentifiers_data() {
    QTest::addColumn<QStringList>("names");
    QTest::addColumn<QStringList>("identifiers");
    QTest::addColumn<bool>("ignoringCase");
    QTest::newRow("plain") << QStringList{"Flight", "a1"} << QStringList{"Flight", "a1"} << false;
    QTest::newRow("keyword") << QStringList{"int", "class", "std"}
                             << QStringList{"int_", "class_", "std_"} << false;
    QTest::newRow("macro") << QStringList{"EOF", "SIGTERM", "EINVAL"}
                           << QStringList{"EOF_", "SIGTERM_", "EINVAL_"} << false;
    QTest::newRow("digit first") << QStringList{"3D"} << QStringList{"n3D"} << false;
    QTest::newRow("not allowed") << QStringList{"a-b", "a b", "a.b"}
                                 << QStringList{"a_b", "a_b_2", "a_b_3"} << false;
    QTest::newRow("own name first")
        << QStringList{"a-b", "a_b"} << QStringList{"a_b_2", "a_b"} << false;
    QTest::newRow("accents") << QStringList{QStringLiteral("Höhe")} << QStringList{"Hohe"} << false;
    QTest::newRow("letters") << QStringList{QStringLiteral("高度")} << QStringList{"u9AD8u5EA6"}
                             << false;
    QTest::newRow("reserved") << QStringList{"__x__y", "_A", "_", ""}
                              << QStringList{"x_y", "A", "unnamed", "unnamed_2"} << false;
    QTest::newRow("case only") << QStringList{"on", "ON"} << QStringList{"on", "ON"} << false;
    QTest::newRow("case ignored") << QStringList{"on", "ON"} << QStringList{"on", "ON_2"} << true;
  }
  void makesIdentifiers() {
    QFETCH(QStringList, names);
    QFETCH(QStringList, identifiers);
    QFETCH(bool, ignoringCase);
    QCOMPARE(identifiersOf(names, ignoringCase ? Distinct::IgnoringCase : Distinct::ByCase),
             identifiers);
  }

  void saysWhatItDoesNotGuess_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("problem");
    const auto row = [](const char* name, const char* problem) {
      QTest::newRow(name) << QString::fromUtf8(name) << QString::fromUtf8(problem);
    };
    row("OwnEncoding",
        "OwnEncoding: its encoding \"As the sender likes\" is none of the standard's.");
    row("NoEncoding", "NoEncoding: it has no encoding.");
    row("Unbounded",
        "Unbounded: its cardinality \"Dynamic\" does not say how many elements an HLAfixedArray "
        "has.");
    row("HoldsUntold",
        "HoldsUntold: its field own is of OwnEncoding: its encoding \"As the sender likes\" is "
        "none of the standard's.");
    row("Itself", "Itself: its field self is of Itself: it contains itself.");
    row("Endless", "Endless: its element is of Endless: it contains itself.");
    row("Unrepresented",
        "Unrepresented: its representation Nowhere is no basic representation that a module "
        "defines.");
    row("TooLarge",
        "TooLarge: a value of its enumerator DoesNot is no number of its representation HLAoctet.");
    row("Twice", "Twice: it has two alternatives for Small.");
    row("Absent", "Absent: no module defines this datatype.");
  }
  void saysWhatItDoesNotGuess() {
    QFETCH(QString, name);
    QFETCH(QString, problem);
    const LoadedModel loaded = loadModel({testmodels::data("Codegen.xml")});
    const DataTypePlan plan(*loaded.model, {name});
    QCOMPARE(plan.problem(name), problem);
    QVERIFY(plan.find(name) == nullptr);
  }

  void doesNotDependOnWhatElseIsAskedFor() {
    const LoadedModel loaded = loadModel({testmodels::data("Codegen.xml")});
    const DataTypePlan few(*loaded.model, {QStringLiteral("Altitude"), QStringLiteral("3D_Größe")});
    const DataTypePlan all(*loaded.model, allNames(*loaded.model));
    for (const PlannedType& type : few.types()) {
      QCOMPARE(type.identifier, all.find(type.name)->identifier);
    }
    QStringList reversed = allNames(*loaded.model);
    std::reverse(reversed.begin(), reversed.end());
    const DataTypePlan again(*loaded.model, reversed);
    for (const PlannedType& type : all.types())
      QCOMPARE(again.find(type.name)->identifier, type.identifier);
  }

  void encodesEveryDatatype_data() {
    QTest::addColumn<QStringList>("modules");
    QTest::newRow("all kinds") << QStringList{testmodels::data("Codegen.xml")};
    QTest::newRow("restaurant") << foms("restaurant", {"RestaurantFOMmodule.xml"});
    QTest::newRow("SpaceFOM") << foms("spacefom", {"*.xml"});
    // Some 400 datatypes: for the test that is called published_datatypes.
    if (qEnvironmentVariableIsSet("TUTTI_ALL_DATATYPES"))
      QTest::newRow("RPR and NETN") << testmodels::rpr() + foms("netn2", {"*.xml"});
  }
  void encodesEveryDatatype() {
    QFETCH(QStringList, modules);
    if (modules.isEmpty()) QSKIP("no real object models at ../shared/foms or TUTTI_FOMS");
    const LoadedModel loaded = loadModel(modules);
    const omt::ObjectModel& model = *loaded.model;
    const DataTypePlan plan(model, allNames(model));
    const bool isOwn = modules.size() == 1 && modules[0].endsWith(QStringLiteral("Codegen.xml"));
    const QSet<QString> untold = withOwnEncodings(model);
    for (const QString& name : allNames(model)) {
      QCOMPARE(plan.find(name) == nullptr, !plan.problem(name).isEmpty());
      // Of published modules nothing but an encoding of their own is left out.
      if (!isOwn)
        QVERIFY2((plan.find(name) == nullptr) == untold.contains(name),
                 qPrintable(plan.problem(name)));
    }

    QTemporaryDir folder;
    QString driver = QString::fromUtf8(kDriver);
    QString calls;
    if (isOwn) {
      driver += QString::fromUtf8(kBombs) + QString::fromUtf8(kInitial);
      calls += QStringLiteral("  bombs();\n  initialAlternatives();\n");
      for (const PlannedType& type : plan.types()) {
        const QString initial = initialValue(plan, type);
        calls += QStringLiteral("  initial(\"%1\", %2, codec::encode%1, codec::decode%1);\n")
                     .arg(capitalized(type.identifier),
                          initial.isEmpty() ? QStringLiteral("types::%1{}").arg(type.identifier)
                                            : initial);
      }
    }
    DatatypeValues values(model, plan, 4711);
    int number = 0;
    for (const PlannedType& type : plan.types()) {
      // The MIM's datatypes are in every model; so many need not be compiled again.
      if (!isOwn && model.modules()[type.type->where.module].isMim) continue;
      for (int i = 0; i < (modules.size() > 10 ? 1 : 3); ++i) {
        const DatatypeValues::Value value = values.make(type.name);
        const DataLayout layout = layoutOf(model, type.name);
        if (layout.size) QCOMPARE(value.octets.size(), *layout.size);
        const QString function = QStringLiteral("case%1").arg(number++);
        driver += QStringLiteral(
                      "static void %1() {\n  types::%2 v{};\n  %3\n  CHECK_VALUE(%4, %2, "
                      "codec::encode%5, codec::decode%5,\n      \"%6\")\n}\n")
                      .arg(function, type.identifier, value.statements.join(QStringLiteral("\n  ")),
                           literalOf(type.name), capitalized(type.identifier),
                           QString::fromLatin1(value.octets.toHex()));
        calls += QStringLiteral("  %1();\n").arg(function);
      }
    }
    driver += QStringLiteral(
                  "int main() {\n%1  std::printf(\"%d values, %d faults\\n\", %2, faults);\n  "
                  "return faults == 0 ? 0 : 1;\n}\n")
                  .arg(calls)
                  .arg(number);
    QVERIFY(number > 20);
    QVERIFY(write(folder.filePath("octets.h"),
                  templateText(QStringLiteral("octets.h"),
                               {{QStringLiteral("namespace"), QStringLiteral("checked")}})));
    QVERIFY(write(folder.filePath("datatypes.h"), dataTypeHeader(plan, QStringLiteral("checked"))));
    QVERIFY(
        write(folder.filePath("datatypes.cpp"), dataTypeSource(plan, QStringLiteral("checked"))));
    QVERIFY(write(folder.filePath("driver.cpp"), driver));
    const QString said =
        compile(folder.path(), QStringLiteral("driver.cpp"), QStringLiteral("driver"),
                isOwn ? QStringLiteral("-fsanitize=address,undefined")
                      : QStringLiteral("-fsanitize=address"));
    QVERIFY2(said.isEmpty(), qPrintable(said.left(6000)));
    QCOMPARE(run(folder.path(), folder.filePath("driver"), {}),
             QStringLiteral("%1 values, 0 faults\n").arg(number));
  }
};

QTEST_GUILESS_MAIN(TestDatatypeCode)
#include "tst_datatype_code.moc"
