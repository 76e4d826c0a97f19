// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of an account, from the answers of Slurm's commands.
#include <QTest>

#include "launcher/engine/slurm_account.h"

using namespace tutti::launcher;

namespace {

// In the form of 22.05; accounts are indented below their parents.
const QByteArray associations = "me||6\nme|gpu|2\n";
const QByteArray shares =
    "  simlab|||node=300000|cpu=1766400,mem=0,energy=0,node=110400,billing=1766400\n"
    "   simlab|akrol|0.810000||cpu=10,node=1\n"
    "   simlab|me|0.620000||cpu=900000,node=60000\n"
    "   simlab|mlee|0.100000||cpu=3,node=0\n"
    "   simlab|jsoto|0.050000||cpu=3,node=0\n"
    "   other|bkim|0.990000||cpu=3,node=0\n";

}  // namespace

class TestSlurmAccount : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whetherAccountsAreKept_data() {
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<bool>("kept");
    QTest::newRow("none") << QByteArray("AccountingStorageType   = accounting_storage/none\n")
                          << false;
    QTest::newRow("none, later versions")
        << QByteArray("AccountingStorageType   = (null)\n") << false;
    QTest::newRow("a database") << QByteArray(
                                       "AccountingStorageTRES   = cpu,mem\n"
                                       "AccountingStorageType   = accounting_storage/slurmdbd\n")
                                << true;
    QTest::newRow("nothing said") << QByteArray("ClusterName = hpc\n") << false;
  }
  void whetherAccountsAreKept() {
    QFETCH(QByteArray, config);
    QFETCH(bool, kept);
    QCOMPARE(keepsAccounts(config), kept);
  }

  void figuresAreRead() {
    const auto account = accountOf("simlab", "me", associations, shares);
    QVERIFY(account.isKept);
    QCOMPARE(*account.hoursUsed, 1840.0);
    QCOMPARE(*account.hoursLimit, 5000.0);
    QVERIFY(!account.areCoreHours);
    QCOMPARE(*account.jobsAtATime, 6);
    QCOMPARE(fairShareText(account), "0.62, 2nd of 4");
  }

  void limitsOfCoresAndNoneAreTold() {
    auto account = accountOf("simlab", "me", "me||\n", "simlab|||cpu=600|cpu=90,node=30\n");
    QVERIFY(account.areCoreHours);
    QCOMPARE(*account.hoursUsed, 1.5);
    QCOMPARE(*account.hoursLimit, 10.0);
    QVERIFY(!account.jobsAtATime);
    QCOMPARE(fairShareText(account), "");
    account = accountOf("simlab", "me", "", "simlab||||cpu=90,node=30\nsimlab|me|0.5||\n");
    QVERIFY(!account.areCoreHours && !account.hoursLimit);
    QCOMPARE(*account.hoursUsed, 0.5);
    // Whoever sees only themselves has no rank.
    QCOMPARE(fairShareText(account), "0.50");
    // Nonsense is no figure.
    account =
        accountOf("simlab", "me", "me||many\n", "simlab|me|nan||\nsimlab|||node=x|node=-3\n|\n");
    QVERIFY(!account.jobsAtATime && !account.fairShare && !account.hoursLimit &&
            !account.hoursUsed);
  }

  void whatAJobTakesAtMost() {
    Allocation::Request request;
    request.nodes = 8;
    Partition partition;
    QVERIFY(!nodeHoursAtMost(request, partition));
    partition.timeLimit = 480;
    QCOMPARE(*nodeHoursAtMost(request, partition), 64.0);
    request.cluster.timeLimit = 60;
    QCOMPARE(*nodeHoursAtMost(request, partition), 8.0);
  }

  void hoursAreShort() {
    QCOMPARE(hoursText(0), "0");
    QCOMPARE(hoursText(0.25), "0.25");
    QCOMPARE(hoursText(12.4), "12");
    QCOMPARE(hoursText(1840.2), QString("1") + QChar(0x202f) + "840");
  }
};

QTEST_GUILESS_MAIN(TestSlurmAccount)
#include "tst_slurm_account.moc"
