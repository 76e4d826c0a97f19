// SPDX-License-Identifier: GPL-3.0-or-later
// A run on nodes of a real Slurm in the real window: it waits in the queue, is cancelled there and
// leaves no job, or gets its nodes and runs.
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
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

    // By the key as by the button: the place in the queue is not given up unasked.
    QTest::keyClick(&console.window(), Qt::Key_F5, Qt::ShiftModifier);
    auto* asked = bar->findChild<QMessageBox*>(QStringLiteral("cancelJob"));
    QVERIFY(asked != nullptr);
    asked->reject();
    QTRY_VERIFY(bar->findChild<QMessageBox*>(QStringLiteral("cancelJob")) == nullptr);
    QVERIFY(console.run().queued());
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

  // The partition takes no jobs for a while: the one that waits stays. Then it is replaced.
  void aJobIsReplacedInTheQueue() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const int other = lab.occupy(2, lab.partition());
    QVERIFY(other > 0);
    app::Console console({home_.settings(), false});
    open(console, lab);
    console.run().run();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().queued().has_value(), slurmMs);
    const qint64 first = console.run().queued()->job;
    QVERIFY(console.window().showPage(QStringLiteral("deploy")));
    auto* button = console.window().findChild<QPushButton*>(QStringLiteral("replaceJob"));
    auto* note = console.window().findChild<QLabel*>(QStringLiteral("replaceNote"));
    QTRY_COMPARE(button->text(), QStringLiteral("Replace job %1").arg(first));
    QTRY_VERIFY2_WITH_TIMEOUT(!button->isEnabled() && note->text().startsWith("Nothing changed"),
                              qPrintable(note->text()), slurmMs);
    auto* limit = console.window().findChild<QSpinBox*>(QStringLiteral("allocationLimit"));
    limit->setValue(45);
    QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled() && console.run().whyNotRun().isEmpty(), slurmMs);

    QVERIFY(console.window().showPage(QStringLiteral("compose")));
    lab.slurm({"scontrol", "update", "partitionname=" + lab.partition(), "state=drain"});
    button->click();
    const auto said = [&](const QString& title) {
      const auto troubles = console.run().troubles();
      return std::any_of(troubles.begin(), troubles.end(),
                         [&](const auto& one) { return one.title == title; });
    };
    QTRY_VERIFY_WITH_TIMEOUT(said("The job was not replaced"), slurmMs);
    QCOMPARE(lab.jobs(), QList<int>{int(first)});
    QCOMPARE(console.run().queued()->job, first);

    lab.slurm({"scontrol", "update", "partitionname=" + lab.partition(), "state=up"});
    // sbatch --test-only may have been refused meanwhile, too.
    QVERIFY(console.window().showPage(QStringLiteral("deploy")));
    console.window().findChild<QPushButton*>(QStringLiteral("allocationAgain"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().whyNotRun().isEmpty(), slurmMs);
    button->click();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().queued() && console.run().queued()->job != first,
                             slurmMs);
    const auto second = int(console.run().queued()->job);
    QTRY_COMPARE_WITH_TIMEOUT(lab.jobs(), QList<int>{second}, slurmMs);
    QCOMPARE(
        lab.slurm({"squeue", "--noheader", "--format=%l", "--jobs=" + QString::number(second)}),
        "45:00");
    QVERIFY(!said("The job was not replaced"));
    console.run().stop();
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
    limitJobs(lab, false);
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

  void aRunGoesOnInAnotherJob() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    limitJobs(lab, true);
    app::Console console({home_.settings(), false});
    open(console, lab);
    QStringList said;
    connect(&console.run(), &theme::RunStatus::said, this,
            [&](const QString& what) { said << what; });
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, slurmMs);
    const int first = lab.jobs().value(0);
    const QString label = QStringLiteral("before-limit-of-job-%1").arg(first);
    const QString run = console.run().current()->plan().run;
    QTRY_VERIFY_WITH_TIMEOUT(
        said.contains(QStringLiteral("air-traffic is saved as '%1', before the time limit of its "
                                     "job.")
                          .arg(label)),
        3 * slurmMs);
    const double saved = console.run().logicalTime();
    QVERIFY(saved > 1);
    QTRY_VERIFY_WITH_TIMEOUT(
        said.contains(QStringLiteral("The run goes on in another job, from '%1'.").arg(label)),
        3 * slurmMs);
    QTRY_VERIFY_WITH_TIMEOUT(
        said.contains(QStringLiteral("air-traffic is restored from '%1'.").arg(label)),
        3 * slurmMs);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, slurmMs);
    QVERIFY(console.run().current()->plan().run != run);
    QVERIFY(lab.jobs().size() == 1 && lab.jobs().front() != first);
    // Beside the save, and not from the beginning.
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > saved - 5, slurmMs);
    // What ended the first job is over; what it left on its nodes may be told yet.
    for (const auto& each : console.run().troubles())
      QVERIFY2(each.title.startsWith(QStringLiteral("Logs of ")), qPrintable(each.title));

    // The next job is cancelled in the queue: what is saved is not lost.
    const int second = lab.jobs().value(0);
    const QString next = console.run().current()->plan().run;
    const int other =
        lab.slurm({"sbatch", "--parsable", "--exclusive", "--nodes=2",
                   "--partition=" + lab.partition(), "--chdir=" + lab.root(), "--wrap=sleep 600"})
            .toInt();
    QVERIFY(other > 0);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().queued().has_value(), 5 * slurmMs);
    QVERIFY(console.run().queued()->job != second);
    console.run().stop();
    QCOMPARE(console.run().phase(), Phase::Ended);
    const auto troubles = console.run().troubles();
    const QString command =
        QStringLiteral("tutti rerun %1 --restore before-limit-of-job-%2").arg(next).arg(second);
    QVERIFY(std::any_of(troubles.begin(), troubles.end(),
                        [&](const auto& each) { return each.detail.contains(command); }));
    QTRY_COMPARE_WITH_TIMEOUT(lab.jobs(false), QList<int>{other}, slurmMs);
  }

 private:
  static void limitJobs(const SlurmLab& lab, bool continues) {
    QFile file(lab.hostsFile());
    if (!file.open(QIODevice::ReadOnly)) qFatal("the hosts file cannot be read");
    auto document = QJsonDocument::fromJson(file.readAll()).object();
    file.close();
    auto clusters = document["clusters"].toObject();
    auto cluster = clusters["slurm"].toObject();
    cluster["timeLimit"] = 1;
    cluster["continue"] = continues;
    clusters["slurm"] = cluster;
    document["clusters"] = clusters;
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) qFatal("it cannot be written");
    file.write(QJsonDocument(document).toJson());
  }

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
