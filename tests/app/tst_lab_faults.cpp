// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does to hosts of a practice cluster, with a tutti-lab and a pkexec that write
// down how they were called. tst_hosts_journey has real ones.
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/lab_faults.h"

using namespace tutti::app;

class TestLabFaults : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir(folder_->path()).mkpath("labs/lab"));
    for (const char* file : {"labs/lab/subnet", "labs/lab/complete", "labs/lab/lab.hosts.json"})
      write(file, "");
    program("tutti-lab", "echo \"$TUTTI_LAB_DIR: $*\" >> " + calls().toUtf8() +
                             R"(
case $1 in
  status) echo '[{"name":"lab1","state":"up","mbit":"","loss":""}]' ;;
  slow) echo 'no such link' >&2; exit 1 ;;
esac
)");
    program("pkexec",
            "echo pkexec >> " + calls().toUtf8() + "\nunset TUTTI_LAB_DIR\nexec \"$@\"\n");
    qputenv("TUTTI_BIN", folder_->path().toUtf8());
  }

  void rootIsAskedForWhereItIsNeeded_data() {
    QTest::addColumn<bool>("asks");
    QTest::newRow("root") << false;
    QTest::newRow("not root") << true;
  }
  /// Not for the state of the hosts, which is looked at again and again.
  void rootIsAskedForWhereItIsNeeded() {
    QFETCH(bool, asks);
    LabFaults faults(asks ? folder_->filePath("pkexec") : QString());
    QSignalSpy changed(&faults, &LabFaults::changed);
    QSignalSpy done(&faults, &LabFaults::done);
    faults.setHostsFile(folder_->filePath("labs/lab/lab.hosts.json"));
    QTRY_COMPARE(changed.size(), 1);
    const auto actions = faults.actionsFor("lab1");
    const auto cut = std::find_if(actions.begin(), actions.end(), [](const auto& each) {
      return each.command == "tutti lab cut lab1";
    });
    QVERIFY(cut != actions.end());
    cut->run();
    QTRY_COMPARE(done.size(), 1);
    const QString labs = folder_->filePath("labs");
    QFile log(calls());
    QVERIFY(log.open(QIODevice::ReadOnly));
    auto lines = QString::fromUtf8(log.readAll()).split('\n', Qt::SkipEmptyParts);
    QVERIFY(lines.size() >= 2);
    QCOMPARE(lines.takeFirst(), labs + ": status --json --name lab");
    if (asks) QCOMPARE(lines.takeFirst(), "pkexec");
    QCOMPARE(lines.takeFirst(), labs + ": cut lab1 --name lab");
  }

  void whatFailsIsSaid() {
    LabFaults faults(folder_->filePath("pkexec"));
    QSignalSpy changed(&faults, &LabFaults::changed);
    QSignalSpy failed(&faults, &LabFaults::failed);
    faults.setHostsFile(folder_->filePath("labs/lab/lab.hosts.json"));
    QTRY_COMPARE(changed.size(), 1);
    for (const auto& each : faults.actionsFor("lab1")) {
      if (each.command.startsWith("tutti lab slow")) each.run();
    }
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(failed[0][0].toString(), "Nothing was done to lab1");
    QCOMPARE(failed[0][1].toString(), "no such link");
  }

 private:
  QString calls() const { return folder_->filePath("calls"); }
  void write(const QString& name, const QByteArray& text) const {
    QFile file(folder_->filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  void program(const QString& name, const QByteArray& text) const {
    write(name, "#!/bin/bash\n" + text);
    QVERIFY(QFile::setPermissions(folder_->filePath(name),
                                  QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
  }

  std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(TestLabFaults)
#include "tst_lab_faults.moc"
