// SPDX-License-Identifier: GPL-3.0-or-later
// Which exception each function of RTIambassador throws, and which of two when both apply: the one
// that stands later in the function's list
// (docs/decisions/0010-exceptions-from-the-end-of-the-list.md). A row for each exception of each
// function that a federate can provoke; the others are named with the reason.
#include "exceptions.h"
#include "service_calls.h"

using namespace exceptions;

namespace {

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    Table table;
    federationManagement(table);
    declarationManagement(table);
    objectManagement(table);
    ownershipManagement(table);
    timeManagement(table);
    dataDistribution(table);
    supportServices(table);
    return table.rows;
  }();
  return all;
}

/// Listed exceptions that no federate of this test can provoke, and why. "*": of any function.
const QMap<QPair<QString, QString>, QString>& unprovoked() {
  static const QMap<QPair<QString, QString>, QString> reasons = {
      {{"*", "RTIinternalError"}, "What a failure inside the RTI is told by; tst_faults has some."},
      {{"*", "NotConnected"}, "Of every function: tst_every_service."},
      {{"*", "FederateNotExecutionMember"}, "Of every function: tst_every_service."},
      {{"connect", "ConnectionFailed"}, "Needs a node that refuses: tst_faults."},
      {{"joinFederationExecution", "CouldNotCreateLogicalTimeFactory"},
       "Needs a process that does not know the execution's time type."},
  };
  return reasons;
}

}  // namespace

class tst_exceptions : public QObject {
  Q_OBJECT

  QTemporaryDir state_;
  OwnNode node_;
  QMap<int, QStringList> row_;  ///< by slot: name of the function and exceptions it may throw
  std::unique_ptr<Stage> saving_, restoring_;

  void whileFrozen_data(const QString& exception);
  void whileFrozen(Stage& stage, const QString& exception);

 private slots:
  void initTestCase();
  void cleanupTestCase();
  void throws_data();
  void throws();
  void saveInProgress_data() { whileFrozen_data("SaveInProgress"); }
  void saveInProgress();
  void restoreInProgress_data() { whileFrozen_data("RestoreInProgress"); }
  void restoreInProgress();
  void everyExceptionIsProvokedOrExplained();
};

void tst_exceptions::initTestCase() {
  QVERIFY(state_.isValid());
  qputenv("XDG_STATE_HOME", state_.path().toUtf8());  // what is saved
  QFile table(QString(TUTTI_SOURCE_DIR) + "/tests/data/rti1516e.tsv");
  QVERIFY(table.open(QIODevice::ReadOnly | QIODevice::Text));
  const QStringList columns = QString(table.readLine()).trimmed().split('\t');
  while (!table.atEnd()) {
    const QStringList cells = QString(table.readLine()).remove('\n').split('\t');
    const auto cell = [&](const QString& column) { return cells.value(columns.indexOf(column)); };
    if (cell("class") != "rti1516e::RTIambassador" || cell("kind") != "method") continue;
    row_[cell("vtable_slot").toInt()] = QStringList(cell("name")) + cell("throws").split(',');
  }
  QVERIFY(row_.size() > 150);
}

void tst_exceptions::cleanupTestCase() {
  for (auto* stage : {&saving_, &restoring_}) stage->reset();
}

void tst_exceptions::throws_data() {
  QTest::addColumn<int>("index");
  QMap<QString, int> seen;
  for (std::size_t i = 0; i < rows().size(); ++i) {
    const Row& row = rows()[i];
    const QString name = QString("%1 %2 %3")
                             .arg(row_[row.slot].first())
                             .arg(row.slot)
                             .arg(row.conditions.join(" and "));
    const int again = ++seen[name];
    QTest::addRow("%s%s", qPrintable(name), again > 1 ? qPrintable(QString(" #%1").arg(again)) : "")
        << static_cast<int>(i);
  }
}

void tst_exceptions::throws() {
  QFETCH(int, index);
  const Row& row = rows().at(static_cast<std::size_t>(index));
  const QStringList listed = row_[row.slot].mid(1);
  QString expected;
  for (const QString& condition : row.conditions) {
    QVERIFY2(listed.contains(condition), qPrintable(condition));
    if (expected.isEmpty() || listed.indexOf(condition) > listed.indexOf(expected)) {
      expected = condition;
    }
  }
  Stage stage;
  QCOMPARE(refusal([&] { row.call(stage); }), expected);
}

void tst_exceptions::whileFrozen_data(const QString& exception) {
  QTest::addColumn<int>("slot");
  for (const ServiceCall& one : serviceCalls(nobody())) {
    if (!row_[one.slot].contains(exception)) continue;
    if (QString(one.service) == "joinFederationExecution") continue;  // of one who is not joined
    QTest::addRow("%s %d", one.service, one.slot) << one.slot;
  }
}

// Comes before everything that is wrong with the call itself.
void tst_exceptions::whileFrozen(Stage& stage, const QString& exception) {
  const int slot = *static_cast<int*>(QTest::qData("slot", qMetaTypeId<int>()));
  const ServiceCall one = serviceCalls(nobody()).at(static_cast<std::size_t>(slot - 2));
  QCOMPARE(refusal([&] { one.call(stage.rti()); }), exception);
}

void tst_exceptions::saveInProgress() {
  if (!saving_) {
    saving_ = std::make_unique<Stage>();
    saving_->save();
  }
  whileFrozen(*saving_, "SaveInProgress");
}

void tst_exceptions::restoreInProgress() {
  saving_.reset();
  if (!restoring_) {
    restoring_ = std::make_unique<Stage>();
    restoring_->restore();
  }
  whileFrozen(*restoring_, "RestoreInProgress");
}

void tst_exceptions::everyExceptionIsProvokedOrExplained() {
  QStringList open;
  for (auto it = row_.cbegin(); it != row_.cend(); ++it) {
    const QString function = it.value().first();
    for (const QString& exception : it.value().mid(1)) {
      if (unprovoked().contains({"*", exception}) || unprovoked().contains({function, exception})) {
        continue;
      }
      if ((exception == "SaveInProgress" || exception == "RestoreInProgress") &&
          function != "joinFederationExecution") {
        continue;  // all of them above
      }
      const bool provoked = std::any_of(rows().begin(), rows().end(), [&](const Row& row) {
        return row.slot == it.key() && row.conditions.contains(exception);
      });
      if (!provoked) open << QString("%1 %2 %3").arg(function).arg(it.key()).arg(exception);
    }
  }
  QVERIFY2(open.isEmpty(), qPrintable(open.join("; ")));
}

CONFORMANCE_MAIN(tst_exceptions)
#include "tst_exceptions.moc"
