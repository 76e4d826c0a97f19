// SPDX-License-Identifier: GPL-3.0-or-later
// A run as a batch job of a real Slurm in the real window: submitted, watched, cancelled.
#include <QAction>
#include <QDir>
#include <QListView>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>

#include "app/console.h"
#include "launcher/engine/batch_job.h"
#include "tests/app/test_home.h"
#include "tests/launcher/slurm_lab.h"

using namespace tutti;
using launcher::test::SlurmLab;
using launcher::test::slurmMs;
using Phase = theme::RunStatus::Phase;

class BatchJourneyTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (const QString why = launcher::test::noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
    QVERIFY(home_.prepare());
  }

  void aJobIsSubmittedWatchedAndCancelled() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const int other = lab.occupy(2, lab.partition());
    QVERIFY(other > 0);
    app::Console console({home_.settings(), false});
    open(console, lab);
    QVERIFY(console.window().showPage(QStringLiteral("deploy")));
    auto* submit = console.window().findChild<QAction*>(QStringLiteral("submitJob"));
    auto* watch = console.window().findChild<QAction*>(QStringLiteral("watchJob"));
    auto* end = console.window().findChild<QAction*>(QStringLiteral("endJob"));
    QTRY_VERIFY2_WITH_TIMEOUT(submit->isEnabled(), qPrintable(submit->toolTip()), slurmMs);
    QVERIFY(!watch->isEnabled() && !end->isEnabled());
    submit->trigger();
    QTRY_VERIFY(box(console, "submitBox") != nullptr);
    shot(console, "batch-submit");
    box(console, "submitBox")->findChild<QPushButton*>(QStringLiteral("submitAccept"))->click();
    QTRY_COMPARE_WITH_TIMEOUT(lab.jobs().size(), 1, slurmMs);
    const int job = lab.jobs().front();

    auto* own = console.window().findChild<QListView*>(QStringLiteral("ownJobs"));
    const auto row = [&] {
      for (int each = 0; each < own->model()->rowCount(); ++each) {
        const QModelIndex index = own->model()->index(each, 0);
        if (index.data().toString().endsWith(' ' + QString::number(job))) return index;
      }
      return QModelIndex();
    };
    QTRY_VERIFY_WITH_TIMEOUT(row().isValid(), slurmMs);
    own->setCurrentIndex(row());
    QVERIFY2(end->isEnabled() && !watch->isEnabled(), qPrintable(watch->toolTip()));
    lab.slurm({"scancel", QString::number(other)});
    QTRY_VERIFY_WITH_TIMEOUT(watch->isEnabled(), slurmMs);
    // Until its run has begun it says that it is being prepared.
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
          if (watch->isEnabled()) watch->trigger();
          return QTest::qWaitFor([&] { return console.run().phase() == Phase::Running; }, 2000);
        }(),
        slurmMs);
    QVERIFY(console.run().isWatched());
    QCOMPARE(console.run().job(), qint64(job));
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > 1, slurmMs);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().federatesJoined(), 6, slurmMs);
    shot(console, "batch-watched");

    QVERIFY(console.window().showPage(QStringLiteral("deploy")));
    QTRY_VERIFY_WITH_TIMEOUT(row().isValid(), slurmMs);
    own->setCurrentIndex(row());
    QTRY_VERIFY(end->isEnabled());
    shot(console, "batch-jobs");
    end->trigger();
    QTRY_VERIFY(box(console, "endJobBox") != nullptr);
    box(console, "endJobBox")->reject();
    QTRY_VERIFY(box(console, "endJobBox") == nullptr);
    QCOMPARE(lab.jobs(), QList<int>{job});
    end->trigger();
    QTRY_VERIFY(box(console, "endJobBox") != nullptr);
    shot(console, "batch-end");
    box(console, "endJobBox")->findChild<QPushButton*>(QStringLiteral("endJobAccept"))->click();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, slurmMs);
    QTRY_COMPARE_WITH_TIMEOUT(lab.slurm({"squeue", "--noheader", "--states=all", "--format=%T",
                                         "--jobs=" + QString::number(job)}),
                              QByteArray("COMPLETED"), slurmMs);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

 private:
  static QMessageBox* box(app::Console& console, const char* name) {
    return console.window().findChild<QMessageBox*>(QLatin1String(name));
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

QTEST_MAIN(BatchJourneyTest)
#include "tst_batch_journey.moc"
