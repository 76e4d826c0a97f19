// SPDX-License-Identifier: GPL-3.0-or-later
// The service utilization table of a module.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "editable_modules.h"
#include "fom-editor/model/checks/schema_validation.h"
#include "fom-editor/model/service_table.h"

using namespace tutti;
using namespace tutti::fomedit;
using testmodels::EditedModules;
using testmodels::with;

namespace {

const std::string k2010 = testmodels::content(testmodels::data("Edits-2010.xml"));

const std::string kSome = with(
    k2010, "  <objects>",
    "  <serviceUtilization>\r\n"
    "\t\t<!-- as of last year --><connect section=\"4.2\" isCallback=\"false\" isUsed='true'/>\n"
    "    <joinFederationExecution section=\"4.9\" isCallback=\"false\"/>\n"
    "    <RemoveObjectInstance section=\"6.15\" isCallback=\"true\" isUsed=\"1\" />\n"
    "  </serviceUtilization>\n"
    "  <objects>");

std::string of2025(const std::string& text) { return with(text, "IEEE1516-2010", "IEEE1516-2025"); }

ServiceUse use(const ModuleSource& source, const char* element) {
  for (const ServiceUse& each : servicesIn(source).services) {
    if (each.service.element == QLatin1String(element)) return each;
  }
  qFatal("no service %s", element);
}

/// What a schema has against the table itself.
QStringList faults(const ModuleSource& source, Schema schema) {
  QStringList faults;
  const auto errors = validate(source, schema);
  if (!errors) return {QString::fromStdString(errors.error())};
  for (const SchemaError& error : *errors) {
    ElementId at = error.element;
    while (at != noElement && source.nameOf(at) != "serviceUtilization") at = source.at(at).parent;
    if (at != noElement) faults << QString::fromStdString(error.message);
  }
  return faults;
}

}  // namespace

class TestServiceTable : public QObject {
  Q_OBJECT

 private slots:
  void theServicesAreTheStandards() {
    const QList<Service>& of10 = servicesOf(omt::Edition::Ieee2010);
    QCOMPARE(of10.size(), 168);
    QCOMPARE(servicesOf(omt::Edition::Ieee2025).size(), 196);
    QVERIFY(servicesOf(omt::Edition::Ieee2000).isEmpty());
    const auto named = [&](const char* name) {
      const auto found = std::find_if(of10.begin(), of10.end(), [&](const Service& s) {
        return s.name == QLatin1String(name);
      });
      return found == of10.end() ? Service{} : *found;
    };
    QCOMPARE(named("Connect").section, QString("4.2"));
    QCOMPARE(named("Reflect Attribute Values").section, QString("6.11"));
    QVERIFY(named("Reflect Attribute Values").isCallback);
    QVERIFY(!named("Update Attribute Values").isCallback);
    QCOMPARE(named("Query GALT").chapter(), 8);
    QCOMPARE(named("Remove Object Instance").element, QString("removeobjectinstance"));
    for (const omt::Edition edition : {omt::Edition::Ieee2010, omt::Edition::Ieee2025}) {
      for (const Service& service : servicesOf(edition)) {
        QVERIFY2(!serviceGroup(service.chapter()).isEmpty(), qPrintable(service.element));
      }
    }
  }

  void aTableIsReadAsItStands() {
    EditedModules m({kSome});
    const ServiceTable table = servicesIn(*m.sources[0]);
    QVERIFY(table.exists && table.none.isEmpty());
    QVERIFY(use(*m.sources[0], "connect").used);
    QVERIFY(use(*m.sources[0], "joinFederationExecution").listed);
    QVERIFY(!use(*m.sources[0], "joinFederationExecution").used);
    QVERIFY(use(*m.sources[0], "removeobjectinstance").used);
    QVERIFY(!use(*m.sources[0], "disconnect").listed);
    EditedModules old({testmodels::content(testmodels::data("Edits-2000.xml"))});
    QVERIFY(!servicesIn(*old.sources[0]).none.isEmpty());
    QVERIFY(!old.apply(addServiceTable(old.changes(), 0)));
    QVERIFY2(old.refused.contains("2000"), qPrintable(old.refused));
  }

  void onlyTheMarkOfAServiceChanges() {
    EditedModules m({kSome});
    QVERIFY(m.apply(setServicesUsed(m.changes(), 0, {"connect"}, false)));
    QCOMPARE(m.label, QString("do not use Connect"));
    QCOMPARE(m.bytes(), with(kSome, "isUsed='true'", "isUsed='false'"));
    // One that has no mark, and one that the table lacks: it goes behind the one before it.
    QVERIFY(m.apply(setServicesUsed(
        m.changes(), 0, {"joinFederationExecution", "disconnect", "connectionLost"}, true)));
    QCOMPARE(m.label, QString("use 3 services"));
    QVERIFY(use(*m.sources[0], "disconnect").used);
    QVERIFY(use(*m.sources[0], "connectionLost").used);
    QVERIFY(use(*m.sources[0], "joinFederationExecution").used);
    QCOMPARE(m.sources[0]->child(m.sources[0]->child(0, "serviceUtilization"), "disconnect") + 1,
             m.sources[0]->child(m.sources[0]->child(0, "serviceUtilization"), "connectionLost"));
    QVERIFY(m.has("isCallback=\"false\" isUsed=\"true\"/>"));
    QVERIFY(m.has("<!-- as of last year -->"));
    m.undoAll();
    QVERIFY(m.isAsBefore());
    const auto same = setServicesUsed(m.changes(), 0, {"connect"}, true);
    QVERIFY(same && same->changes.empty());
    // What is not listed is not used: nothing is written.
    const auto none = setServicesUsed(m.changes(), 0, {"disconnect"}, false);
    QVERIFY(none && none->changes.empty());
  }

  void aNewTableIsWhatTheSchemaSays_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("schema");
    QTest::newRow("2010") << QByteArray::fromStdString(k2010) << int(Schema::Omt2010);
    QTest::newRow("2025") << QByteArray::fromStdString(of2025(k2010)) << int(Schema::Omt2025);
    QTest::newRow("2025 with a prefix")
        << QByteArray::fromStdString(testmodels::prefixed(of2025(k2010))) << int(Schema::Omt2025);
  }
  void aNewTableIsWhatTheSchemaSays() {
    QFETCH(QByteArray, text);
    QFETCH(int, schema);
    EditedModules m({text.toStdString()});
    QVERIFY(m.apply(setServicesUsed(m.changes(), 0, {"connect", "updateAttributeValues"}, true)));
    QVERIFY(m.isRead());
    QCOMPARE(faults(*m.sources[0], static_cast<Schema>(schema)), QStringList());
    QVERIFY(use(*m.sources[0], "connect").used);
    QVERIFY(use(*m.sources[0], "disconnect").listed);
    const std::string prefix = m.has("<omt:connect") ? "omt:" : "";
    QVERIFY(m.has("<" + prefix +
                  "connect section=\"4.2\" isCallback=\"false\" isUsed=\"true\"/>\n" + "    <" +
                  prefix + "disconnect section=\"4.3\" isCallback=\"false\" isUsed=\"false\"/>\n"));
    QVERIFY(m.has("  </" + prefix + "serviceUtilization>\n  <" + prefix + "objects>"));
    QVERIFY(m.apply(removeServiceTable(m.changes(), 0)));
    QCOMPARE(QByteArray::fromStdString(m.bytes()), text);
    QVERIFY(m.apply(addServiceTable(m.changes(), 0)));
    QCOMPARE(faults(*m.sources[0], static_cast<Schema>(schema)), QStringList());
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  /// The check that finds faults above is one that finds some.
  void theSchemaFindsFaults() {
    EditedModules m({kSome});
    QVERIFY(!faults(*m.sources[0], Schema::Omt2010).isEmpty());
  }

  void lockedModulesAreRefused() {
    EditedModules m({k2010});
    m.writeProtected = "M0.xml";
    QVERIFY(!m.apply(setServicesUsed(m.changes(), 0, {"connect"}, true)));
    QVERIFY2(m.refused.contains("write-protected"), qPrintable(m.refused));
    QVERIFY(!m.apply(setServicesUsed(m.changes(), 7, {"connect"}, true)));
  }

  void theModelGroupsCountsAndFilters() {
    EditedModules m({kSome});
    ServiceModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setServices(servicesIn(*m.sources[0]));
    QCOMPARE(model.rowCount(), 7);
    QCOMPARE(model.index(0, 0).data().toString(), QString("Federation management"));
    QCOMPARE(model.index(0, ServiceModel::UsedColumn).data().toString(), QString("1 of 31"));
    QCOMPARE(model.usedCount(), 2);
    model.setFilter(ServiceFilter::Used, {});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, 0, model.index(1, 0)).data().toString(),
             QString("Remove Object Instance"));
    QVERIFY(m.apply(setServicesUsed(m.changes(), 0, {"connect"}, false)));
    model.setServices(servicesIn(*m.sources[0]));
    QCOMPARE(model.rowCount(), 1);
    model.setFilter(ServiceFilter::All, "time adv grant");
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.index(0, 0, model.index(0, 0)).data().toString(), QString("Time Advance Grant"));
    model.setFilter(ServiceFilter::NotUsed, {});
    QCOMPARE(model.rowCount(), 7);
    QVERIFY(m.apply(setServicesUsed(m.changes(), 0, {"connect"}, true)));
    model.setFilter(ServiceFilter::All, {});
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    model.setServices(servicesIn(*m.sources[0]));
    QCOMPARE(resets.size(), 0);  // rows keep their places
    QCOMPARE(model.usedCount(), 2);
  }
};

QTEST_GUILESS_MAIN(TestServiceTable)
#include "tst_service_table.moc"
