// SPDX-License-Identifier: GPL-3.0-or-later
// Labels, names, tags and sets without anything in them, or with something odd: each is a value or
// one of the exceptions that the interface table lists, and the federation goes on.
#include <memory>

#include "member.h"

using namespace rti1516e;

namespace {

/// What is there to be called with.
struct Place {
  RTIambassador& rti;
  std::wstring federation;
  ObjectClassHandle objectClass;
  AttributeHandle attribute;
  InteractionClassHandle interaction;
  ParameterHandle parameter;
  ObjectInstanceHandle instance;
};

struct Call {
  const char* service;
  std::function<void(const Place&, const std::wstring&)> call;
};

const AttributeHandleSet noAttributes;
const RegionHandleSet noRegions;
const AttributeHandleSetRegionHandleSetPairVector noPairs;
const VariableLengthData noTag;

/// Calls whose words are empty, or odd.
const std::vector<Call>& callsWithWords() {
  using Word = const std::wstring&;
  const std::wstring module = wide(modulePath("fom.xml"));
  static const std::vector<Call> calls{
      {"createFederationExecution",
       [=](const Place& p, Word w) {
         p.rti.createFederationExecution(w, module);
         p.rti.destroyFederationExecution(w);
       }},
      {"createFederationExecution",
       [](const Place& p, Word w) { p.rti.createFederationExecution(p.federation + L"2", w); }},
      {"createFederationExecution",
       [](const Place& p, Word w) {
         p.rti.createFederationExecution(p.federation + L"2", std::vector<std::wstring>{w});
       }},
      {"createFederationExecution",
       [=](const Place& p, Word w) {
         p.rti.createFederationExecution(p.federation + L"3", module, w);
         p.rti.destroyFederationExecution(p.federation + L"3");
       }},
      {"createFederationExecutionWithMIM",
       [=](const Place& p, Word w) {
         p.rti.createFederationExecutionWithMIM(p.federation + L"4", {module}, w);
       }},
      {"destroyFederationExecution",
       [](const Place& p, Word w) { p.rti.destroyFederationExecution(w); }},
      {"joinFederationExecution",
       [](const Place& p, Word w) { p.rti.joinFederationExecution(w, w, w); }},
      {"registerFederationSynchronizationPoint",
       [](const Place& p, Word w) { p.rti.registerFederationSynchronizationPoint(w, noTag); }},
      {"registerFederationSynchronizationPoint",
       [](const Place& p, Word w) { p.rti.registerFederationSynchronizationPoint(w, noTag, {}); }},
      {"synchronizationPointAchieved",
       [](const Place& p, Word w) { p.rti.synchronizationPointAchieved(w); }},
      {"requestFederationRestore",
       [](const Place& p, Word w) { p.rti.requestFederationRestore(w); }},
      {"subscribeObjectClassAttributes",
       [](const Place& p, Word w) {
         p.rti.subscribeObjectClassAttributes(p.objectClass, {p.attribute}, true, w);
       }},
      {"reserveObjectInstanceName",
       [](const Place& p, Word w) { p.rti.reserveObjectInstanceName(w); }},
      {"reserveMultipleObjectInstanceName",
       [](const Place& p, Word w) { p.rti.reserveMultipleObjectInstanceName({w}); }},
      {"releaseObjectInstanceName",
       [](const Place& p, Word w) { p.rti.releaseObjectInstanceName(w); }},
      {"releaseMultipleObjectInstanceName",
       [](const Place& p, Word w) { p.rti.releaseMultipleObjectInstanceName({w}); }},
      {"registerObjectInstance",
       [](const Place& p, Word w) { p.rti.registerObjectInstance(p.objectClass, w); }},
      {"registerObjectInstanceWithRegions",
       [](const Place& p, Word w) {
         p.rti.registerObjectInstanceWithRegions(p.objectClass, noPairs, w);
       }},
      {"getFederateHandle", [](const Place& p, Word w) { p.rti.getFederateHandle(w); }},
      {"getObjectClassHandle", [](const Place& p, Word w) { p.rti.getObjectClassHandle(w); }},
      {"getAttributeHandle",
       [](const Place& p, Word w) { p.rti.getAttributeHandle(p.objectClass, w); }},
      {"getInteractionClassHandle",
       [](const Place& p, Word w) { p.rti.getInteractionClassHandle(w); }},
      {"getParameterHandle",
       [](const Place& p, Word w) { p.rti.getParameterHandle(p.interaction, w); }},
      {"getObjectInstanceHandle", [](const Place& p, Word w) { p.rti.getObjectInstanceHandle(w); }},
      {"getDimensionHandle", [](const Place& p, Word w) { p.rti.getDimensionHandle(w); }},
      {"getUpdateRateValue", [](const Place& p, Word w) { p.rti.getUpdateRateValue(w); }},
      {"getOrderType", [](const Place& p, Word w) { p.rti.getOrderType(w); }},
      {"getTransportationType", [](const Place& p, Word w) { p.rti.getTransportationType(w); }},
  };
  return calls;
}

/// Calls whose sets and tags are empty.
const std::vector<Call>& callsWithSets() {
  using Word = const std::wstring&;
  static const std::vector<Call> calls{
      {"createFederationExecution",
       [](const Place& p, Word) {
         p.rti.createFederationExecution(p.federation + L"5", std::vector<std::wstring>{});
         p.rti.destroyFederationExecution(p.federation + L"5");
       }},
      {"createFederationExecutionWithMIM",
       [](const Place& p, Word) {
         p.rti.createFederationExecutionWithMIM(p.federation + L"6", {}, wide(modulePath("x")));
       }},
      {"registerFederationSynchronizationPoint",
       [](const Place& p, Word) {
         p.rti.registerFederationSynchronizationPoint(L"point", VariableLengthData(nullptr, 0));
       }},
      {"publishObjectClassAttributes",
       [](const Place& p, Word) {
         p.rti.publishObjectClassAttributes(p.objectClass, noAttributes);
       }},
      {"unpublishObjectClassAttributes",
       [](const Place& p, Word) {
         p.rti.unpublishObjectClassAttributes(p.objectClass, noAttributes);
       }},
      {"subscribeObjectClassAttributes",
       [](const Place& p, Word) {
         p.rti.subscribeObjectClassAttributes(p.objectClass, noAttributes);
       }},
      {"unsubscribeObjectClassAttributes",
       [](const Place& p, Word) {
         p.rti.unsubscribeObjectClassAttributes(p.objectClass, noAttributes);
       }},
      {"reserveMultipleObjectInstanceName",
       [](const Place& p, Word) { p.rti.reserveMultipleObjectInstanceName({}); }},
      {"releaseMultipleObjectInstanceName",
       [](const Place& p, Word) { p.rti.releaseMultipleObjectInstanceName({}); }},
      {"updateAttributeValues",
       [](const Place& p, Word) { p.rti.updateAttributeValues(p.instance, {}, noTag); }},
      {"updateAttributeValues",
       [](const Place& p, Word) {
         p.rti.updateAttributeValues(p.instance, {{p.attribute, VariableLengthData()}}, noTag);
       }},
      {"updateAttributeValues",
       [](const Place& p, Word) {
         p.rti.updateAttributeValues(p.instance, {{p.attribute, VariableLengthData(nullptr, 0)}},
                                     VariableLengthData(nullptr, 0));
       }},
      {"updateAttributeValues",
       [](const Place& p, Word) {
         p.rti.updateAttributeValues(p.instance, {}, noTag, HLAfloat64Time(9));
       }},
      {"sendInteraction",
       [](const Place& p, Word) { p.rti.sendInteraction(p.interaction, {}, noTag); }},
      {"sendInteraction",
       [](const Place& p, Word) {
         p.rti.sendInteraction(p.interaction, {{p.parameter, VariableLengthData()}}, noTag);
       }},
      {"sendInteraction",
       [](const Place& p, Word) {
         p.rti.sendInteraction(p.interaction, {}, noTag, HLAfloat64Time(9));
       }},
      {"sendInteractionWithRegions",
       [](const Place& p, Word) {
         p.rti.sendInteractionWithRegions(p.interaction, {}, noRegions, noTag);
       }},
      {"requestAttributeValueUpdate",
       [](const Place& p, Word) {
         p.rti.requestAttributeValueUpdate(p.instance, noAttributes, noTag);
       }},
      {"requestAttributeValueUpdate",
       [](const Place& p, Word) {
         p.rti.requestAttributeValueUpdate(p.objectClass, noAttributes, noTag);
       }},
      {"requestAttributeValueUpdateWithRegions",
       [](const Place& p, Word) {
         p.rti.requestAttributeValueUpdateWithRegions(p.objectClass, noPairs, noTag);
       }},
      {"requestAttributeTransportationTypeChange",
       [](const Place& p, Word) {
         p.rti.requestAttributeTransportationTypeChange(p.instance, noAttributes, RELIABLE);
       }},
      {"unconditionalAttributeOwnershipDivestiture",
       [](const Place& p, Word) {
         p.rti.unconditionalAttributeOwnershipDivestiture(p.instance, noAttributes);
       }},
      {"negotiatedAttributeOwnershipDivestiture",
       [](const Place& p, Word) {
         p.rti.negotiatedAttributeOwnershipDivestiture(p.instance, noAttributes, noTag);
       }},
      {"confirmDivestiture",
       [](const Place& p, Word) { p.rti.confirmDivestiture(p.instance, noAttributes, noTag); }},
      {"attributeOwnershipAcquisition",
       [](const Place& p, Word) {
         p.rti.attributeOwnershipAcquisition(p.instance, noAttributes, noTag);
       }},
      {"attributeOwnershipAcquisitionIfAvailable",
       [](const Place& p, Word) {
         p.rti.attributeOwnershipAcquisitionIfAvailable(p.instance, noAttributes);
       }},
      {"attributeOwnershipReleaseDenied",
       [](const Place& p, Word) {
         p.rti.attributeOwnershipReleaseDenied(p.instance, noAttributes);
       }},
      {"attributeOwnershipDivestitureIfWanted",
       [](const Place& p, Word) {
         AttributeHandleSet divested;
         p.rti.attributeOwnershipDivestitureIfWanted(p.instance, noAttributes, divested);
       }},
      {"cancelNegotiatedAttributeOwnershipDivestiture",
       [](const Place& p, Word) {
         p.rti.cancelNegotiatedAttributeOwnershipDivestiture(p.instance, noAttributes);
       }},
      {"cancelAttributeOwnershipAcquisition",
       [](const Place& p, Word) {
         p.rti.cancelAttributeOwnershipAcquisition(p.instance, noAttributes);
       }},
      {"changeAttributeOrderType",
       [](const Place& p, Word) {
         p.rti.changeAttributeOrderType(p.instance, noAttributes, TIMESTAMP);
       }},
      {"createRegion", [](const Place& p, Word) { p.rti.createRegion({}); }},
      {"commitRegionModifications",
       [](const Place& p, Word) { p.rti.commitRegionModifications(noRegions); }},
      {"registerObjectInstanceWithRegions",
       [](const Place& p, Word) {
         p.rti.registerObjectInstanceWithRegions(p.objectClass, noPairs);
       }},
      {"associateRegionsForUpdates",
       [](const Place& p, Word) { p.rti.associateRegionsForUpdates(p.instance, noPairs); }},
      {"unassociateRegionsForUpdates",
       [](const Place& p, Word) { p.rti.unassociateRegionsForUpdates(p.instance, noPairs); }},
      {"subscribeObjectClassAttributesWithRegions",
       [](const Place& p, Word) {
         p.rti.subscribeObjectClassAttributesWithRegions(p.objectClass, noPairs);
       }},
      {"unsubscribeObjectClassAttributesWithRegions",
       [](const Place& p, Word) {
         p.rti.unsubscribeObjectClassAttributesWithRegions(p.objectClass, noPairs);
       }},
      {"subscribeInteractionClassWithRegions",
       [](const Place& p, Word) {
         p.rti.subscribeInteractionClassWithRegions(p.interaction, noRegions);
       }},
      {"unsubscribeInteractionClassWithRegions",
       [](const Place& p, Word) {
         p.rti.unsubscribeInteractionClassWithRegions(p.interaction, noRegions);
       }},
      {"decodeFederateHandle", [](const Place& p, Word) { p.rti.decodeFederateHandle(noTag); }},
      {"decodeObjectClassHandle",
       [](const Place& p, Word) { p.rti.decodeObjectClassHandle(noTag); }},
      {"decodeInteractionClassHandle",
       [](const Place& p, Word) { p.rti.decodeInteractionClassHandle(noTag); }},
      {"decodeObjectInstanceHandle",
       [](const Place& p, Word) { p.rti.decodeObjectInstanceHandle(noTag); }},
      {"decodeAttributeHandle", [](const Place& p, Word) { p.rti.decodeAttributeHandle(noTag); }},
      {"decodeParameterHandle", [](const Place& p, Word) { p.rti.decodeParameterHandle(noTag); }},
      {"decodeDimensionHandle", [](const Place& p, Word) { p.rti.decodeDimensionHandle(noTag); }},
      {"decodeMessageRetractionHandle",
       [](const Place& p, Word) { p.rti.decodeMessageRetractionHandle(noTag); }},
      {"decodeRegionHandle", [](const Place& p, Word) { p.rti.decodeRegionHandle(noTag); }},
      {"deleteObjectInstance",
       [](const Place& p, Word) { p.rti.deleteObjectInstance(p.instance, noTag); }},
  };
  return calls;
}

const std::vector<std::pair<const char*, std::wstring>>& oddWords() {
  static const std::vector<std::pair<const char*, std::wstring>> words{
      {"empty", L""},
      {"a space", L" "},
      {"a null", std::wstring(1, L'\0')},
      {"with a null", std::wstring(L"a\0b", 3)},
      {"a line's end", L"\n"},
      {"a dot", L"."},
      {"beyond 16 bits", L"\U0001f600"},
      {"half a character", std::wstring(1, static_cast<wchar_t>(0xd83d))},
      {"no character", std::wstring(1, static_cast<wchar_t>(0x7fffffff))},
      {"long", std::wstring(70000, L'x')},
  };
  return words;
}

}  // namespace

class tst_empty_values : public QObject {
  Q_OBJECT

  OwnNode node_;
  QMap<QString, QSet<QString>> listed_;  ///< exceptions of a service, of all its forms

  void makesNoHarm(const Call& call, const std::wstring& word);

 private slots:
  void initTestCase();
  void words_data();
  void words();
  void sets_data();
  void sets();
  void theyArrive();
};

void tst_empty_values::initTestCase() {
  QFile table(QString(TUTTI_SOURCE_DIR) + "/tests/data/rti1516e.tsv");
  QVERIFY(table.open(QIODevice::ReadOnly | QIODevice::Text));
  const QStringList columns = QString(table.readLine()).trimmed().split('\t');
  while (!table.atEnd()) {
    const QStringList cells = QString(table.readLine()).remove('\n').split('\t');
    const auto cell = [&](const QString& column) { return cells.value(columns.indexOf(column)); };
    if (cell("class") != "rti1516e::RTIambassador" || cell("kind") != "method") continue;
    for (const QString& one : cell("throws").split(',')) listed_[cell("name")] << one;
  }
}

void tst_empty_values::makesNoHarm(const Call& call, const std::wstring& word) {
  const QString federation = uniqueName("empty");
  Member a("a"), b("b");
  a.enter(federation);
  b.enter(federation);
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  b.subscribe("Vehicle", {"position"});
  b.subscribeInteraction("Message");
  const auto car = a.registerInstance("Vehicle");
  QVERIFY(b.expect("discover"));
  const Place place{a.rti(),
                    wide(federation),
                    a.objectClass("Vehicle"),
                    a.attribute("Vehicle", "position"),
                    a.interactionClass("Message"),
                    a.parameter("Message", "text"),
                    car};
  const QString refused = refusal([&] { call.call(place, word); });
  if (!refused.isEmpty()) {
    QVERIFY2(listed_[call.service].contains(refused), qPrintable(refused));
  }
  a.pump();
  b.pump();
  // All goes on, for both.
  QCOMPARE(a.count("lost") + b.count("lost"), 0);
  a.rti().publishInteractionClass(place.interaction);
  b.rti().subscribeInteractionClass(place.interaction);
  a.send("Message", {{"text", "still here"}});
  QVERIFY(b.expect("receive Message text=still here"));
}

void tst_empty_values::words_data() {
  QTest::addColumn<int>("call");
  QTest::addColumn<int>("word");
  int index = 0;
  for (const Call& call : callsWithWords()) {
    for (int i = 0; i < static_cast<int>(oddWords().size()); ++i) {
      QTest::addRow("%s %d, %s", call.service, index, oddWords()[static_cast<std::size_t>(i)].first)
          << index << i;
    }
    ++index;
  }
}

void tst_empty_values::words() {
  QFETCH(int, call);
  QFETCH(int, word);
  makesNoHarm(callsWithWords()[static_cast<std::size_t>(call)],
              oddWords()[static_cast<std::size_t>(word)].second);
}

void tst_empty_values::sets_data() {
  QTest::addColumn<int>("call");
  int index = 0;
  for (const Call& call : callsWithSets()) {
    QTest::addRow("%s %d", call.service, index) << index;
    ++index;
  }
}

void tst_empty_values::sets() {
  QFETCH(int, call);
  makesNoHarm(callsWithSets()[static_cast<std::size_t>(call)], {});
}

/// What is empty arrives as something empty.
void tst_empty_values::theyArrive() {
  const QString federation = uniqueName("empty");
  Member a("a"), b("b");
  a.enter(federation);
  b.enter(federation);
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  b.subscribe("Vehicle", {"position"});
  b.subscribeInteraction("Message");
  const auto car = a.registerInstance("Vehicle");
  const QString name = a.nameOfInstance(car);
  QVERIFY(b.expect("discover"));
  (void)b.take();
  a.update(car, "Vehicle", {{"position", ""}});
  a.send("Message", {});
  a.send("Message", {{"text", ""}});
  a.rti().registerFederationSynchronizationPoint(L"", noTag);
  QVERIFY(b.expect("announce "));
  AWAIT(a, a.count("announce ") == 1);
  a.rti().synchronizationPointAchieved(L"");
  b.rti().synchronizationPointAchieved(L"");
  QVERIFY(b.expect("synchronized "));
  a.rti().deleteObjectInstance(car, noTag);
  QVERIFY(b.expect("remove"));
  QCOMPARE(b.take(),
           QStringList({"reflect " + name + " position=", "receive Message ",
                        "receive Message text=", "announce ", "synchronized ", "remove " + name}));
}

CONFORMANCE_MAIN(tst_empty_values)
#include "tst_empty_values.moc"
