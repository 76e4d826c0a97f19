// SPDX-License-Identifier: GPL-3.0-or-later
// Walks through the pages with the sample running and takes their pictures, light and dark, at
// 1440 x 900. They go to BUILD/screenshots; with TUTTI_WRITE_SCREENSHOTS set those that are in
// docs/screenshots are renewed, and docs/check is told so.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/console.h"
#include "composer/model/document.h"
#include "composer/ui/compose_workspace.h"
#include "fom-editor/model/merge_session.h"
#include "fom-editor/ui/object_model_workspace.h"

using namespace tutti;

class ScreenshotsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void pages() {
    QTemporaryDir home;
    QVERIFY(home.isValid());
    for (const char* name : {"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"})
      qputenv(name, home.filePath(QString::fromLatin1(name)).toUtf8());
    // An operator's home, so that pictures show no folder of the build.
    qputenv("HOME", home.path().toUtf8());
    const auto copy = [&home](const char* from, const char* to, const char* how) {
      return QDir(home.path()).mkpath(QStringLiteral("tutti")) &&
             QProcess::execute(QStringLiteral("cp"), {QLatin1String(how), QLatin1String(from),
                                                      home.filePath(QLatin1String(to))}) == 0;
    };
    QVERIFY(copy(TUTTI_SOURCE_DIR "/resources/components", "tutti/components", "-r"));
    QVERIFY(copy(TUTTI_SOURCE_DIR "/resources/federations", "sims", "-r"));
    QVERIFY(copy(TUTTI_BINARY_DIR "/bin", "tutti/bin", "-as"));
    qputenv("TUTTI_BIN", home.filePath(QStringLiteral("tutti/bin")).toUtf8());
    qputenv("TUTTI_CATALOG", home.filePath(QStringLiteral("tutti/components")).toUtf8());
    qputenv("TUTTI_FEDERATIONS", home.filePath(QStringLiteral("sims")).toUtf8());
    // For the documents two short results, so that the Benchmarks page has something to plot and to
    // compare; they take their time on a busy machine.
    if (qEnvironmentVariableIsSet("TUTTI_WRITE_SCREENSHOTS")) {
      for (const char* seed : {"1", "2"}) {
        QCOMPARE(QProcess::execute(home.filePath(QStringLiteral("tutti/bin/tutti")),
                                   {"bench", "latency", "--size", "8,128,1k,4k,16k,64k", "--count",
                                    "2000", "--repeats", "4", "--seed", seed, "--json"}),
                 0);
      }
    }
    theme::setReducedMotion(true);
    app::Console console({home.filePath(QStringLiteral("settings.ini")), true});
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    take(console, "start");
    QVERIFY(window.openFile(composer::Catalog::federationsFolder() +
                            QStringLiteral("/air-traffic.federation.json")));
    QTRY_VERIFY_WITH_TIMEOUT(!console.document().isChecking(), 20000);
    QVERIFY(window.showPage(QStringLiteral("compose"), QStringLiteral("radar-west")));
    take(console, "compose");
    QVERIFY(window.showPage(QStringLiteral("object-model")));
    QTRY_VERIFY_WITH_TIMEOUT(!console.objectModel().isLoading(), 20000);
    window.showPage(QStringLiteral("object-model"), QStringLiteral("HLAobjectRoot.Flight"));
    take(console, "object-model");
    takeMerge(console, home);
    if (window.showPage(QStringLiteral("deploy"))) {
      QTest::qWait(1500);
      take(console, "deploy");
    }
    if (window.showPage(QStringLiteral("benchmarks"))) {
      QTest::qWait(1500);
      take(console, "benchmarks");
    }
    QVERIFY(window.showPage(QStringLiteral("run")));
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), theme::RunStatus::Phase::Running, 30000);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > 8, 30000);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().updatesPerSecond() > 50, 20000);
    window.showPage(QStringLiteral("run"), QStringLiteral("flow-north"));
    take(console, "run");
    console.run().killFederates({QStringLiteral("detector")});
    QTRY_VERIFY_WITH_TIMEOUT(!console.run().troubles().isEmpty(), 10000);
    window.showPage(QStringLiteral("run"), QStringLiteral("detector"));
    QTest::qWait(3000);
    take(console, "run-killed");
    console.run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), theme::RunStatus::Phase::Ended, 10000);
    if (qEnvironmentVariableIsSet("TUTTI_WRITE_SCREENSHOTS")) takeOwnComponent(console, home);
    if (qEnvironmentVariableIsSet("TUTTI_WRITE_SCREENSHOTS"))
      QCOMPARE(QProcess::execute(QStringLiteral(TUTTI_SOURCE_DIR "/docs/check"),
                                 {QStringLiteral("--taken")}),
               0);
  }

 private:
  /// Two versions of a module of the sample that disagree, one of two conflicts decided.
  void takeMerge(app::Console& console, const QTemporaryDir& home) {
    fomedit::ObjectModelWorkspace& page = console.objectModel();
    QFile file(
        home.filePath(QStringLiteral("tutti/components/aircraft-flow/AirTraffic-Flight.xml")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray base = file.readAll();
    const auto version = [&](const char* name, const char* flight, const char* altitude) {
      QByteArray text = base;
      text.replace("<name>callsign</name>", flight);
      const qsizetype at = text.indexOf("<name>AltitudeFeet");
      text.replace(text.indexOf("HLAfloat64BE", at), 12, altitude);
      QFile into(home.filePath(QLatin1String(name)));
      return into.open(QIODevice::WriteOnly) && into.write(text) == text.size();
    };
    QVERIFY(version("AirTraffic-Flight-ours.xml", "<name>flightName</name>", "HLAfloat32BE"));
    QVERIFY(version("AirTraffic-Flight-theirs.xml", "<name>flightNumber</name>", "HLAfloat32LE"));
    QSignalSpy shown(&page, &fomedit::ObjectModelWorkspace::mergeShown);
    page.mergeVersions(file.fileName(), home.filePath(QStringLiteral("AirTraffic-Flight-ours.xml")),
                       home.filePath(QStringLiteral("AirTraffic-Flight-theirs.xml")));
    QTRY_COMPARE_WITH_TIMEOUT(shown.size(), 1, 30000);
    const auto& conflicts = page.merge()->state()->merge.conflicts;
    QVERIFY(conflicts.size() > 1);
    page.merge()->choose(conflicts.front(), fomedit::MergeDecision{fomedit::MergeChoice::Ours, {}});
    page.showNextProblem(1);
    QTRY_VERIFY_WITH_TIMEOUT(page.merge()->isCurrent(), 30000);
    take(console, "object-model-merge");
    page.closeMerge();
  }

  /// A component from the template, built and composed with the sample.
  void takeOwnComponent(app::Console& console, const QTemporaryDir& home) {
    QProcess make;
    make.start(home.filePath(QStringLiteral("tutti/bin/tutti")),
               {QStringLiteral("component"), QStringLiteral("new"), QStringLiteral("step-counter")});
    QVERIFY(make.waitForFinished(30000));
    const QString said = QString::fromUtf8(make.readAllStandardOutput());
    const QString build = said.section(QStringLiteral("Build it:"), 1).trimmed().section(u'\n', 0, 0);
    QCOMPARE(QProcess::execute(QStringLiteral("bash"), {QStringLiteral("-c"), build}), 0);
    composer::Document& document = console.document();
    document.setCatalog(composer::Catalog::readDefault());
    const QString own = document.addFederate(QStringLiteral("step-counter"), QPointF(0, 420));
    QVERIFY(!own.isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(!document.isChecking(), 20000);
    QVERIFY(console.window().showPage(QStringLiteral("compose"), own));
    take(console, "compose-own");
  }

  void take(app::Console& console, const char* name) {
    for (const bool dark : {false, true}) {
      console.theme().apply(dark ? theme::Appearance::Dark : theme::Appearance::Light);
      QTest::qWait(600);  // values are shown twice a second
      const QPixmap picture = console.window().grab();
      QVERIFY(picture.width() >= 1400);
      const QString file =
          QLatin1String(name) + (dark ? QStringLiteral("-dark.png") : QStringLiteral(".png"));
      QStringList folders{QStringLiteral(TUTTI_BINARY_DIR "/screenshots")};
      const QString documents = QStringLiteral(TUTTI_SOURCE_DIR "/docs/screenshots");
      if (qEnvironmentVariableIsSet("TUTTI_WRITE_SCREENSHOTS") &&
          QFile::exists(documents + u'/' + file))
        folders << documents;
      for (const QString& folder : folders) {
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(picture.save(folder + u'/' + file));
      }
    }
    console.theme().apply(theme::Appearance::Light);
  }
};

QTEST_MAIN(ScreenshotsTest)
#include "tst_screenshots.moc"
