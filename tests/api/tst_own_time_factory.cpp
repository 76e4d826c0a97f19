// SPDX-License-Identifier: GPL-3.0-or-later
#include <RTI/LogicalTimeFactory.h>
#include <RTI/time/HLAinteger64TimeFactory.h>

#include <QTest>

#include "api1516e/time_factories.h"

using namespace rti1516e;

// What a federate's own libfedtime1516e defines.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
std::auto_ptr<LogicalTimeFactory> LogicalTimeFactoryFactory::makeLogicalTimeFactory(
    const std::wstring& implementationName) {
  LogicalTimeFactory* factory = nullptr;
  if (implementationName == L"MyTime") factory = new HLAinteger64TimeFactory;
  if (implementationName == L"HLAfloat64Time") factory = new HLAinteger64TimeFactory;
  return std::auto_ptr<LogicalTimeFactory>(factory);
}
#pragma GCC diagnostic pop

// A federate that brings its own time implementation gets it; for names it does not know, those of
// the standard remain (IEEE 1516.1-2010, 4.5). tst_time_types has the case without one.
class OwnTimeFactoryTest : public QObject {
  Q_OBJECT

 private slots:
  void asksTheFederateFirst_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("factory");
    QTest::newRow("its own") << "MyTime"
                             << "HLAinteger64Time";
    QTest::newRow("its own of a standard name") << "HLAfloat64Time"
                                                << "HLAinteger64Time";
    QTest::newRow("one it does not know") << "HLAinteger64Time"
                                          << "HLAinteger64Time";
    QTest::newRow("the default, which it does not know") << ""
                                                         << "HLAfloat64Time";
    QTest::newRow("one nobody knows") << "YourTime" << QString();
  }
  void asksTheFederateFirst() {
    QFETCH(QString, name);
    QFETCH(QString, factory);
    const auto made = tutti::api1516e::makeTimeFactory(name.toStdWString());
    QCOMPARE(made == nullptr, factory.isNull());
    if (made) QCOMPARE(QString::fromStdWString(made->getName()), factory);
  }
};

QTEST_GUILESS_MAIN(OwnTimeFactoryTest)
#include "tst_own_time_factory.moc"
