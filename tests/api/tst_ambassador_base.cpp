// SPDX-License-Identifier: GPL-3.0-or-later
#include <RTI/Exception.h>
#include <RTI/NullFederateAmbassador.h>
#include <RTI/time/HLAfloat64Time.h>

#include <QTest>
#include <functional>

#include "api1516e/ambassador_base.h"

using namespace rti1516e;
using Call = std::function<void(RTIambassador&)>;
Q_DECLARE_METATYPE(Call)

// A service this version does not offer says so by its name, instead of doing nothing. That every
// service has such a body follows from AmbassadorBase not being abstract.
class AmbassadorBaseTest : public QObject {
  Q_OBJECT

 private slots:
  void namesTheService_data() {
    QTest::addColumn<Call>("call");
    const auto row = [](const char* service, Call call) { QTest::newRow(service) << call; };
    row("connect", [](RTIambassador& rti) {
      NullFederateAmbassador federate;
      rti.connect(federate, HLA_EVOKED, L"");
    });
    row("listFederationExecutions", [](RTIambassador& rti) { rti.listFederationExecutions(); });
    row("requestFederationSave",
        [](RTIambassador& rti) { rti.requestFederationSave(L"label", HLAfloat64Time(1.0)); });
    row("updateAttributeValues", [](RTIambassador& rti) {
      rti.updateAttributeValues(ObjectInstanceHandle(), AttributeHandleValueMap(),
                                VariableLengthData());
    });
    row("attributeOwnershipAcquisition", [](RTIambassador& rti) {
      rti.attributeOwnershipAcquisition(ObjectInstanceHandle(), AttributeHandleSet(),
                                        VariableLengthData());
    });
    row("queryGALT", [](RTIambassador& rti) {
      HLAfloat64Time time;
      rti.queryGALT(time);
    });
    row("createRegion", [](RTIambassador& rti) { rti.createRegion(DimensionHandleSet()); });
    row("evokeCallback", [](RTIambassador& rti) { rti.evokeCallback(0.0); });
    row("decodeRegionHandle",
        [](RTIambassador& rti) { rti.decodeRegionHandle(VariableLengthData()); });
  }
  void namesTheService() {
    QFETCH(Call, call);
    tutti::api1516e::AmbassadorBase ambassador;
    try {
      call(ambassador);
      QFAIL("returned");
    } catch (const RTIinternalError& error) {
      QCOMPARE(QString::fromStdWString(error.what()),
               QString::fromLatin1(QTest::currentDataTag()) +
                   ": this service is not part of this version of Tutti");
    }
  }
};

QTEST_GUILESS_MAIN(AmbassadorBaseTest)
#include "tst_ambassador_base.moc"
