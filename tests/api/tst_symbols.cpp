// SPDX-License-Identifier: GPL-3.0-or-later
#include <QProcess>
#include <QSet>
#include <QTest>
#include <algorithm>

#include "api_table.h"

// A federate compiled against another copy of the standard's headers finds every symbol it may
// need, and nothing else leaks into its process.
class SymbolsTest : public QObject {
  Q_OBJECT

 private slots:
  void exportsExactlyTheStandard_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QByteArray>("library");
    QTest::addColumn<int>("count");
    QTest::newRow("rti") << QString(TUTTI_RTI_LIBRARY) << QByteArray("rti") << 1955;
    QTest::newRow("fedtime") << QString(TUTTI_FEDTIME_LIBRARY) << QByteArray("fedtime") << 1;
  }

  void exportsExactlyTheStandard() {
    QFETCH(QString, path);
    QFETCH(QByteArray, library);
    QFETCH(int, count);

    QSet<QByteArray> wanted;
    for (const auto& row : readTable("rti1516e_symbols.tsv")) {
      if (row["library"] != library) continue;
      for (const QByteArray& symbol : row["mangled"].split(' ')) wanted.insert(symbol);
    }
    // The table leaves pure virtual functions out. Five classes have a pure virtual destructor,
    // which is called by the destructors of a federate's own classes all the same.
    if (library == "rti") {
      for (const auto& row : readTable("rti1516e.tsv")) {
        if (row["kind"] != "dtor" || row["pure"].isEmpty()) continue;
        const QByteArray name = row["class"].mid(int(strlen("rti1516e::")));
        for (const char* kind : {"D0", "D1", "D2"}) {
          wanted.insert("_ZN8rti1516e" + QByteArray::number(name.size()) + name + kind + "Ev");
        }
      }
    }
    QCOMPARE(wanted.size(), count);  // the tables are those of the standard

    QProcess nm;
    nm.start("nm", {"-D", "--defined-only", path});
    QVERIFY2(nm.waitForFinished(), "nm (package binutils) did not run");
    QSet<QByteArray> exported;
    for (const QByteArray& line : nm.readAllStandardOutput().split('\n')) {
      const QByteArray name = line.mid(line.lastIndexOf(' ') + 1);
      if (!name.isEmpty()) exported.insert(name.split('@').first());
    }

    const auto listed = [](QSet<QByteArray> set) {
      QByteArrayList list = set.values();
      std::sort(list.begin(), list.end());
      return list.join('\n');
    };
    const QByteArray missing = listed(wanted - exported);
    const QByteArray surplus = listed(exported - wanted);
    QVERIFY2(missing.isEmpty(), ("missing:\n" + missing).constData());
    QVERIFY2(surplus.isEmpty(), ("not of the standard:\n" + surplus).constData());
  }
};

QTEST_GUILESS_MAIN(SymbolsTest)
#include "tst_symbols.moc"
