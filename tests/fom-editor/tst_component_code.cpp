// SPDX-License-Identifier: GPL-3.0-or-later
// Components that are generated from classes.
#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "fom-editor/codegen/component_folder.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

bool write(const QString& path, const QString& text) {
  if (!QDir().mkpath(QFileInfo(path).path())) return false;
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0;
}

/// A module with an object class, or an interaction class, of each name, which has a member `value`
/// and one of its own name.
QString moduleOf(const QStringList& names, bool isObject) {
  QString classes;
  for (const QString& name : names) {
    QString members;
    for (const QString& member : {QStringLiteral("value"), name}) {
      members +=
          QStringLiteral("<%1><name>%2</name><dataType>HLAfloat64BE</dataType></%1>")
              .arg(isObject ? QStringLiteral("attribute") : QStringLiteral("parameter"), member);
    }
    classes +=
        QStringLiteral("<%1Class><name>%2</name>%3%4</%1Class>\n")
            .arg(isObject ? QStringLiteral("object") : QStringLiteral("interaction"), name,
                 isObject ? QString() : QStringLiteral("<sharing>PublishSubscribe</sharing>"),
                 members);
  }
  return QStringLiteral(
             "<?xml version=\"1.0\"?>\n"
             "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">\n"
             "<modelIdentification><name>Names</name><type>FOM</type><version>1</version>"
             "</modelIdentification>\n"
             "<%1s><%1Class><name>HLA%1Root</name>\n%2</%1Class></%1s>\n</objectModel>\n")
      .arg(isObject ? QStringLiteral("object") : QStringLiteral("interaction"), classes);
}

/// All classes of moduleOf(), published and subscribed.
QList<ClassRequest> allOf(const QStringList& names) {
  QList<ClassRequest> requests;
  for (const QString& name : names)
    requests << ClassRequest{name, {}, true} << ClassRequest{name, {}, false};
  return requests;
}

/// What the compiler says of the files, as a person compiles them who minds warnings.
QString compilerOn(const QStringList& files) {
  QProcess compiler;
  compiler.setProcessChannelMode(QProcess::MergedChannels);
  compiler.start(QStringLiteral("c++"),
                 QStringList{"-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I",
                             QStringLiteral(TUTTI_SOURCE_DIR "/rti-embedded/include")} +
                     files);
  if (!compiler.waitForFinished(300'000)) return QStringLiteral("the compiler does not end");
  return QString::fromUtf8(compiler.readAll()) +
         (compiler.exitCode() == 0 ? QString() : QStringLiteral("(not compiled)"));
}

}  // namespace

class TestComponentCode : public QObject {
  Q_OBJECT

 private slots:
  void isInANamespaceThatIsNoFunctionOfC() {
    QString source;
    for (const char* header : {"cmath", "csignal", "cstdlib", "ctime", "strings.h", "sys/select.h",
                               "sys/socket.h", "unistd.h"})
      source += QStringLiteral("#include <%1>\n").arg(QLatin1String(header));
    for (const char* id : {"clock", "link", "signal", "access", "log", "time", "system", "index",
                           "select", "read", "pause", "sync", "weather-gen", "class", "3d"}) {
      ComponentPlan plan;
      plan.id = QLatin1String(id);
      source += QStringLiteral("namespace %1 {}\n").arg(plan.nameSpace());
    }
    QTemporaryDir folder;
    QVERIFY(write(folder.filePath("names.cpp"), source));
    QCOMPARE(compilerOn({folder.filePath("names.cpp")}), QString());
  }

  void namesOfTargetsOfCMakeAreNoTrouble_data() {
    QTest::addColumn<QString>("target");
    for (const char* id : {"all", "clean", "install", "test", "generated"}) {
      QTest::newRow(id) << QLatin1String(id) + QStringLiteral("_federate");
    }
    QTest::newRow("weather-gen") << "weather-gen";
  }
  void namesOfTargetsOfCMakeAreNoTrouble() {
    QFETCH(QString, target);
    const QString id = QString::fromLatin1(QTest::currentDataTag());
    QTemporaryDir folder;
    const QString module = folder.filePath("Names.xml");
    QVERIFY(write(module, moduleOf({"Track"}, true)));
    const QString own = folder.filePath("component");
    const auto made = createComponent(own, {id, {module}, allOf({"Track"}), {}});
    QVERIFY2(made.has_value(), qPrintable(made ? QString() : made.error()));
    QFile manifest(own + "/component.json");
    QVERIFY(manifest.open(QIODevice::ReadOnly));
    QVERIFY(manifest.readAll().contains("\"executable\": \"build/" + target.toUtf8() + '"'));
    // Libraries of the same names: only the build files are asked about.
    QVERIFY(write(folder.filePath("rti/RTI1516eConfig.cmake"),
                  "add_library(RTI1516e::rti1516e INTERFACE IMPORTED)\n"
                  "add_library(RTI1516e::fedtime1516e INTERFACE IMPORTED)\n"));
    QProcess cmake;
    cmake.setProcessChannelMode(QProcess::MergedChannels);
    cmake.start("cmake",
                {"-S", own, "-B", own + "/build", "-DRTI1516e_DIR=" + folder.filePath("rti")});
    QVERIFY(cmake.waitForFinished(300'000));
    QVERIFY2(cmake.exitCode() == 0, cmake.readAll().constData());
  }

  void compilesWithClassesNamedLikeGeneratedCode_data() {
    QTest::addColumn<bool>("isObject");
    QTest::newRow("object classes") << true;
    QTest::newRow("interaction classes") << false;
  }
  void compilesWithClassesNamedLikeGeneratedCode() {
    QFETCH(bool, isObject);
    const QStringList names{"values", "instance", "how",    "known",   "interaction", "is",
                            "sent",   "time",     "step",   "run",     "rti",         "update",
                            "dataOf", "octetsOf", "Octets", "options", "odd_federate"};
    QTemporaryDir folder;
    const QString module = folder.filePath("Names.xml");
    QVERIFY(write(module, moduleOf(names, isObject)));
    const QString own = folder.filePath("odd");
    const auto made = createComponent(own, {QStringLiteral("odd"), {module}, allOf(names), {}});
    QVERIFY2(made.has_value(), qPrintable(made ? QString() : made.error()));
    QCOMPARE(compilerOn({own + "/main.cpp", own + "/generated/federate.cpp"}), QString());
  }

  void beginsWithValuesThatCanBeSent() {
    QTemporaryDir folder;
    const QString own = folder.filePath("source");
    const auto made = createComponent(
        own, {QStringLiteral("source"),
              {QStringLiteral(TUTTI_SOURCE_DIR "/tests/fom-editor/data/Codegen.xml")},
              {{QStringLiteral("HLAobjectRoot.class"), {"map", "side", "untold"}, true}},
              {}});
    QVERIFY2(made.has_value(), qPrintable(made ? QString() : made.error()));
    QFile main(own + "/main.cpp");
    QVERIFY(main.open(QIODevice::ReadOnly));
    QStringList lines;
    for (const QString& line : QString::fromUtf8(main.readAll()).split(u'\n')) {
      if (line.contains(QStringLiteral(".emplace("))) lines << line.trimmed();
    }
    QCOMPARE(lines,
             (QStringList{"values.map.emplace(types::Large(10000));",
                          "values.side.emplace(types::Side::Left);", "values.untold.emplace();"}));
  }

  void searchesWhatIsWrittenByHand() {
    QTemporaryDir folder;
    const QString module = folder.filePath("Names.xml");
    QVERIFY(write(module, moduleOf({"Track", "Other"}, true)));
    const QString own = folder.filePath("viewer");
    const ComponentRequest both{QStringLiteral("viewer"), {module}, allOf({"Track", "Other"}), {}};
    const auto made = createComponent(own, both);
    QVERIFY2(made.has_value(), qPrintable(made ? QString() : made.error()));
    for (const char* path : {"building.cpp", "builders/tracks.h", "builders/build/tracks.h",
                             "build/tracks.h", "out/debug/tracks.h", "generated/tracks.h"})
      QVERIFY(write(own + u'/' + QLatin1String(path), QStringLiteral("// of a\n// Track\n")));
    QVERIFY(write(own + "/out/debug/CMakeCache.txt", QString()));
    // A component that is configured in its own folder is searched all the same.
    QVERIFY(write(own + "/CMakeCache.txt", QString()));
    RegenerationRequest less;
    less.classes = allOf({"Other"});
    const auto again = regenerateComponent(own, less);
    QVERIFY2(again.has_value(), qPrintable(again ? QString() : again.error()));
    QStringList places;
    for (const Following& f : again->follow) places << f.places;
    places.removeDuplicates();
    QCOMPARE(places,
             (QStringList{"builders/build/tracks.h:2", "builders/tracks.h:2", "building.cpp:2"}));
  }
};

QTEST_GUILESS_MAIN(TestComponentCode)
#include "tst_component_code.moc"
