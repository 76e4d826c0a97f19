// SPDX-License-Identifier: GPL-3.0-or-later
// A run on nodes of a real Slurm in the real window: it waits in the queue, is cancelled there and
// leaves no job, or gets its nodes and runs.
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <algorithm>

#include "app/console.h"
#include "app/pulse_bar.h"
#include "resources/theme/widgets.h"
#include "tests/app/test_home.h"
#include "tests/launcher/slurm_lab.h"

using namespace tutti;
using launcher::test::SlurmLab;
using launcher::test::slurmMs;
using Phase = theme::RunStatus::Phase;

class QueueJourneyTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (const QString why = launcher::test::noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
    QVERIFY(home_.prepare());
    // Federates on nodes keep their part of a save below the home folder.
    qputenv("HOME", home_.path(QStringLiteral("home")).toUtf8());
    QVERIFY(QDir().mkpath(home_.path(QStringLiteral("home"))));
  }

  void aJobIsCancelledInTheQueue() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const int other = lab.occupy(2, lab.partition());
    QVERIFY(other > 0);
    app::Console console({home_.settings(), false});
    open(console, lab);
    console.run().run();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().queued().has_value(), slurmMs);
    QCOMPARE(console.run().phase(), Phase::Starting);
    const auto queued = *console.run().queued();
    QCOMPARE(QList<int>{int(queued.job)}, lab.jobs());
    QCOMPARE(queued.place, QStringLiteral("1st"));
    QCOMPARE(queued.nodes, 2);
    auto* bar = console.window().pulseBar();
    QTRY_COMPARE(bar->pill()->text(), QStringLiteral("Queued, 1st"));
    // The other job's limit is known, so its end is.
    QTRY_VERIFY_WITH_TIMEOUT(console.run().queued() && console.run().queued()->start.isValid(),
                             slurmMs);
    QVERIFY(console.window().showPage(QStringLiteral("deploy")));
    QTest::qWait(1200);  // for the picture: the page has asked Slurm
    shot(console, "queued");

    QTest::mouseClick(bar->stopButton(), Qt::LeftButton);
    auto* box = bar->findChild<QMessageBox*>(QStringLiteral("cancelJob"));
    QVERIFY(box != nullptr);
    auto* accept = box->findChild<QPushButton*>(QStringLiteral("cancelJobAccept"));
    QCOMPARE(accept->text(), QStringLiteral("Cancel job %1").arg(queued.job));
    accept->click();
    QCOMPARE(console.run().phase(), Phase::NotRunning);
    QVERIFY(!console.run().queued());
    QTRY_COMPARE_WITH_TIMEOUT(lab.jobs(false), QList<int>{other}, slurmMs);
  }

  void aJobGetsItsNodesAndRuns() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const int other = lab.occupy(2, lab.partition());
    app::Console console({home_.settings(), false});
    open(console, lab);
    console.run().run();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().queued().has_value(), slurmMs);
    lab.slurm({"scancel", QString::number(other)});
    QTRY_VERIFY_WITH_TIMEOUT(!console.run().queued(), slurmMs);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, slurmMs);
    QCOMPARE(lab.jobs().size(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(lab.processes(1, "/radar ").size(), 1, slurmMs);
    auto* stop = console.window().pulseBar()->stopButton();
    QTRY_VERIFY(stop->text().startsWith(QStringLiteral("Stop")));
    QTest::mouseClick(stop, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, slurmMs);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

  void theSaveBeforeTheLimitOfAJobIsSaid() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QFile file(lab.hostsFile());
    QVERIFY(file.open(QIODevice::ReadOnly));
    auto document = QJsonDocument::fromJson(file.readAll()).object();
    file.close();
    auto clusters = document["clusters"].toObject();
    auto cluster = clusters["slurm"].toObject();
    cluster["timeLimit"] = 1;
    clusters["slurm"] = cluster;
    document["clusters"] = clusters;
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(QJsonDocument(document).toJson());
    file.close();
    app::Console console({home_.settings(), false});
    open(console, lab);
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, slurmMs);
    const QString label = QStringLiteral("before-limit-of-job-%1").arg(lab.jobs().value(0));
    QTRY_VERIFY_WITH_TIMEOUT(!console.run().saves().isEmpty(), 3 * slurmMs);
    QCOMPARE(console.run().saves().front().label, label);
    const QString id = console.run().current()->plan().run;
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 3 * slurmMs);
    const auto troubles = console.run().troubles();
    const auto told = std::find_if(troubles.begin(), troubles.end(), [](const auto& one) {
      return one.title == "The run has a save from before the time limit of its job";
    });
    QVERIFY(told != troubles.end());
    QVERIFY2(told->detail.contains("tutti rerun " + id + " --restore " + label),
             qPrintable(told->detail));
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

 private:
  static void shot(app::Console& console, const char* name) {
    const QString path = QStringLiteral(TUTTI_BINARY_DIR "/screenshots");
    QVERIFY(QDir().mkpath(path));
    QVERIFY(console.window().grab().save(
        QStringLiteral("%1/journey-%2.png").arg(path, QLatin1String(name))));
  }

  static void open(app::Console& console, const SlurmLab& lab) {
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    const QString file = lab.sampleAt({{"radar-west", lab.node(1)}, {"detector", lab.node(2)}});
    if (!QTest::qWaitForWindowExposed(&window) || !window.openFile(file))
      qFatal("%s is not opened", qPrintable(file));
  }

  test::TestHome home_;
};

QTEST_MAIN(QueueJourneyTest)
#include "tst_queue_journey.moc"
