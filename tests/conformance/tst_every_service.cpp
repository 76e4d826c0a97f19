// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for all functions of RTIambassador alike, by the exceptions that the table of the API
// lists for each.
#include "member.h"
#include "service_calls.h"

using namespace rti1516e;

class tst_every_service : public QObject {
  Q_OBJECT

  OwnNode node_;
  NullFederateAmbassador callbacks_;
  QMap<int, QStringList> row_;  ///< by slot: name of the function and exceptions it may throw

  /// One row for each function that lists the exception.
  void rowsOf(const QString& exception);
  ServiceCall called();

 private slots:
  void initTestCase();
  void callsAreThoseOfTheTable();
  void notConnected_data() { rowsOf("NotConnected"); }
  void notConnected();
  void notJoined_data() { rowsOf("FederateNotExecutionMember"); }
  void notJoined();
  void throwsWhatIsListed_data() { rowsOf({}); }
  void throwsWhatIsListed();
  void servicesThatComeLater_data();
  void servicesThatComeLater();
};

/// What this version does not offer. Its functions say so.
static const QStringList laterServices = {};

void tst_every_service::initTestCase() {
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

void tst_every_service::rowsOf(const QString& exception) {
  QTest::addColumn<int>("slot");
  for (const ServiceCall& one : serviceCalls(callbacks_)) {
    if (!exception.isEmpty() && !row_[one.slot].contains(exception)) continue;
    if (laterServices.contains(one.service)) continue;
    QTest::addRow("%s %d", one.service, one.slot) << one.slot;
  }
}

ServiceCall tst_every_service::called() {
  const int slot = *static_cast<int*>(QTest::qData("slot", qMetaTypeId<int>()));
  return serviceCalls(callbacks_).at(static_cast<std::size_t>(slot - 2));
}

void tst_every_service::callsAreThoseOfTheTable() {
  QMap<int, QString> called, listed;
  for (const ServiceCall& one : serviceCalls(callbacks_)) called[one.slot] = one.service;
  for (auto it = row_.cbegin(); it != row_.cend(); ++it) listed[it.key()] = it.value().first();
  QCOMPARE(called, listed);
  for (const QString& service : laterServices) QVERIFY(called.values().contains(service));
}

void tst_every_service::notConnected() {
  const ServiceCall one = called();
  const std::unique_ptr<RTIambassador> rti(RTIambassadorFactory().createRTIambassador().release());
  QCOMPARE(refusal([&] { one.call(*rti); }), QString("NotConnected"));
}

void tst_every_service::notJoined() {
  const ServiceCall one = called();
  const std::unique_ptr<RTIambassador> rti(RTIambassadorFactory().createRTIambassador().release());
  rti->connect(callbacks_, HLA_EVOKED);
  QCOMPARE(refusal([&] { one.call(*rti); }), QString("FederateNotExecutionMember"));
}

void tst_every_service::throwsWhatIsListed() {
  // Of a joined federate, with arguments that name nothing.
  const ServiceCall one = called();
  Member a("a");
  a.enter(uniqueName("every"));
  const QString refused = refusal([&] { one.call(a.rti()); });
  const QStringList listed = row_[one.slot].mid(1);
  if (!refused.isEmpty()) QVERIFY2(listed.contains(refused), qPrintable(refused));
}

void tst_every_service::servicesThatComeLater_data() {
  QTest::addColumn<int>("slot");
  for (const ServiceCall& one : serviceCalls(callbacks_)) {
    if (laterServices.contains(one.service)) {
      QTest::addRow("%s %d", one.service, one.slot) << one.slot;
    }
  }
}

void tst_every_service::servicesThatComeLater() {
  if (laterServices.isEmpty()) return;
  const ServiceCall one = called();
  Member a("a");
  a.enter(uniqueName("every"));
  QString explanation;
  try {
    one.call(a.rti());
  } catch (const RTIinternalError& exception) {
    explanation = narrow(exception.what());
  }
  QVERIFY2(explanation.startsWith(one.service), qPrintable(explanation));
}

CONFORMANCE_MAIN(tst_every_service)
#include "tst_every_service.moc"
