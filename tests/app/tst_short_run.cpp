// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is over before a sample of it was taken: its final table has its figures all the same,
// and its folder its record.
#include <QAbstractItemView>
#include <QDir>
#include <QFile>
#include <QTest>

#include "app/console.h"
#include "app/pulse_bar.h"
#include "launcher/engine/run_record.h"
#include "monitor/ui/federate_model.h"
#include "tests/app/test_home.h"

using namespace tutti;
using Phase = theme::RunStatus::Phase;
using monitor::FederateCondition;
using monitor::FederateModel;

class ShortRunTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(home_.prepare()); }

  void itsFinalTableHasItsFigures() {
    const QString path = composition(3);
    app::Console console({home_.settings(), false});
    console.window().show();
    QVERIFY(console.window().openFile(path));
    QTRY_VERIFY_WITH_TIMEOUT(!console.document().isChecking(), 20000);
    QVERIFY(console.window().showPage(QStringLiteral("run")));

    // Whether a sample falls into the life of ping is chance: again, until none does.
    bool seen = true;
    connect(&console.feed(), &monitor::Feed::sampled, this, [&] {
      const auto* ping = console.feed().current()->find(QStringLiteral("ping"));
      seen = seen || (ping && ping->number != 0 && ping->condition != FederateCondition::Resigned);
    });
    for (int attempt = 0; seen && attempt < 50; ++attempt) {
      seen = false;
      console.run().run();
      QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 30000);
      QTRY_VERIFY_WITH_TIMEOUT(!console.feed().isSampling(), 10000);
    }
    QVERIFY2(!seen, "no run was shorter than the time between two samples");

    auto* table = console.window().findChild<QAbstractItemView*>(QStringLiteral("federatesTable"));
    const auto cell = [&](const char* federate, int column) {
      for (int row = 0; row < table->model()->rowCount(); ++row) {
        if (table->model()->index(row, FederateModel::Name).data() == QLatin1String(federate))
          return table->model()->index(row, column).data().toString();
      }
      return QStringLiteral("no row");
    };
    const auto header = [&](int column) {
      return table->model()->headerData(column, Qt::Horizontal).toString();
    };
    // Three round trips and the greeting that found pong; more when it had to greet again.
    QTRY_VERIFY_WITH_TIMEOUT(cell("ping", FederateModel::Sent).toInt() >= 4, 5000);
    QCOMPARE(cell("pong", FederateModel::Received), cell("ping", FederateModel::Sent));
    QCOMPARE(cell("ping", FederateModel::Received), cell("pong", FederateModel::Sent));
    QCOMPARE(header(FederateModel::Sent), QStringLiteral("Sent"));
    QCOMPARE(header(FederateModel::Received), QStringLiteral("Received"));
    QVERIFY(QDir().mkpath(QStringLiteral(TUTTI_BINARY_DIR "/screenshots")));
    QVERIFY(console.window().grab().save(
        QStringLiteral(TUTTI_BINARY_DIR "/screenshots/short-run.png")));
  }

  void itsFolderHasItsRecordAndPlans() {
    QString folder;
    {
      app::Console console({home_.settings(), false});
      console.window().show();
      QVERIFY(console.window().openFile(composition(3)));
      QTRY_VERIFY_WITH_TIMEOUT(!console.document().isChecking(), 20000);
      console.run().run();
      QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 30000);
      folder = console.run().current()->plan().folder;
      QTRY_COMPARE_WITH_TIMEOUT(recordIn(folder).outcome, QStringLiteral("finished"), 20000);
      QVERIFY(!recordIn(folder).files.empty());
      for (const char* name : {"launch.json", "connections.json"})
        QVERIFY2(QFile::exists(QDir(folder).filePath(QLatin1String(name))), name);
      // One that is ended with the window has an end as well.
      QVERIFY(console.window().openFile(composition(100000000)));
      QTRY_VERIFY_WITH_TIMEOUT(!console.document().isChecking(), 20000);
      console.run().run();
      QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 30000);
      QVERIFY(console.run().current()->plan().folder != folder);
      folder = console.run().current()->plan().folder;
    }
    QCOMPARE(recordIn(folder).outcome, QStringLiteral("stopped"));
    QVERIFY(recordIn(folder).ended.isValid());
  }

 private:
  /// Ping sends so many messages, each after the answer to the one before.
  QString composition(int count) const {
    const QString path = home_.path(QStringLiteral("short.federation.json"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("%s is not written", qPrintable(path));
    file.write(QByteArray(R"({"format": 1, "federation": "short", "federates": {
      "ping": {"component": "ping", "version": "1.0", "name": "ping", "parameters": {"count": N},
               "startOrder": 1, "waitsFor": ["pong"]},
      "pong": {"component": "pong", "version": "1.0", "name": "pong"}}})")
                   .replace("N", QByteArray::number(count)));
    return path;
  }

  static launcher::RunRecord recordIn(const QString& folder) {
    const auto record =
        launcher::RunRecord::read(QDir(folder).filePath(QLatin1String(launcher::recordFile)));
    return record ? *record : launcher::RunRecord();
  }

  test::TestHome home_;
};

QTEST_MAIN(ShortRunTest)
#include "tst_short_run.moc"
