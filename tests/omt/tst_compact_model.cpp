// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>

#include "fom_files.h"
#include "omt/compact_model.h"
#include "omt/compact_writer.h"
#include "omt/merge.h"
#include "omt/reader.h"

using namespace tutti::omt;

namespace {

constexpr std::string_view small = R"(<objectModel>
<objects><objectClass><name>HLAobjectRoot</name><objectClass><name>Flight</name>
<sharing>Publish</sharing>
<attribute><name>x</name><dataType>HLAfloat64BE</dataType>
<dimensions><dimension>Sector</dimension><dimension>Level</dimension></dimensions>
<transportation>Fast</transportation><order>TimeStamp</order></attribute>
<attribute><name>y</name><dataType>HLAfloat64BE</dataType></attribute>
<objectClass><name>Glider</name><sharing>Publish</sharing>
<attribute><name>span</name><dataType>HLAfloat64BE</dataType></attribute></objectClass>
</objectClass></objectClass></objects>
<interactions><interactionClass><name>HLAinteractionRoot</name><interactionClass><name>Hail</name>
<sharing>Publish</sharing><dimensions><dimension>Sector</dimension></dimensions>
<transportation>HLAbestEffort</transportation><order>TimeStamp</order>
<parameter><name>text</name><dataType>HLAunicodeString</dataType></parameter>
</interactionClass></interactionClass></interactions>
<dimensions><dimension><name>Sector</name><upperBound>64</upperBound><value>[0..64)</value></dimension>
<dimension><name>Level</name><upperBound>9</upperBound><value>[3)</value></dimension></dimensions>
<transportations><transportation><name>Fast</name><reliable>No</reliable></transportation></transportations>
<updateRates><updateRate><name>Low</name><rate>0.2</rate></updateRate></updateRates>
<switches><autoProvide isEnabled="true"/><serviceReporting isEnabled="true"/>
<automaticResignAction resignAction="DeleteObjectsThenDivest"/></switches>
<time><timeStamp><dataType>HLAfloat64Time</dataType></timeStamp></time>
</objectModel>)";

ObjectModel mergedModel(const std::vector<Module>& modules) {
  auto merged = merge(modules);
  if (!merged) qFatal("%s", merged.error().toText().c_str());
  return std::move(merged->model);
}

ObjectModel smallModel() {
  auto read = readModule(small, "small.xml");
  if (!read) qFatal("%s", read.error().toText().c_str());
  return mergedModel({*read});
}

ObjectModel realModel(const QString& set) {
  std::vector<Module> modules;
  for (const QString& path : fomfiles::set(set)) {
    modules.push_back(*readModuleFile(path.toStdString()));
  }
  return mergedModel(modules);
}

/// Everything a federate may ask agrees with the model.
void compareAll(const CompactModel& compact, const ObjectModel& model) {
  QCOMPARE(compact.objectClassCount(), model.objectClasses().size());
  QCOMPARE(compact.attributeCount(), model.attributes().size());
  QCOMPARE(compact.interactionClassCount(), model.interactionClasses().size());
  QCOMPARE(compact.parameterCount(), model.parameters().size());
  QCOMPARE(compact.switches(), model.switches());
  QCOMPARE(compact.timeStampType(), std::string_view(model.timeStamp().dataType));
  for (const ObjectClass& c : model.objectClasses()) {
    QCOMPARE(compact.objectClassName(c.handle), std::string_view(c.fullName));
    QCOMPARE(compact.objectClass(c.fullName), c.handle);
    if (c.parent != 0) {
      QCOMPARE(compact.objectClass(std::string_view(c.fullName).substr(14)), c.handle);
    }
    QCOMPARE(compact.objectClassParent(c.handle), c.parent);
    std::vector<AttributeHandle> handles;
    for (const Attribute* a : model.allAttributes(c.handle)) {
      handles.push_back(a->handle);
      QCOMPARE(compact.attribute(c.handle, a->name), a->handle);
      QVERIFY(compact.hasAttribute(c.handle, a->handle));
    }
    std::sort(handles.begin(), handles.end());
    const auto all = compact.attributes(c.handle);
    QVERIFY(std::equal(all.begin(), all.end(), handles.begin(), handles.end()));
  }
  for (const Attribute& a : model.attributes()) {
    QCOMPARE(compact.attributeName(a.handle), std::string_view(a.name));
    QCOMPARE(compact.attributeClass(a.handle), a.declaringClass);
    QCOMPARE(compact.attributeOrder(a.handle), a.order);
    QCOMPARE(compact.transportationName(compact.attributeTransportation(a.handle)),
             std::string_view(a.transportation));
    QCOMPARE(compact.attributeDimensions(a.handle).size(), a.dimensions.size());
    for (std::size_t i = 0; i < a.dimensions.size(); ++i) {
      QCOMPARE(compact.dimensionName(compact.attributeDimensions(a.handle)[i]),
               std::string_view(a.dimensions[i]));
    }
  }
  for (const InteractionClass& c : model.interactionClasses()) {
    QCOMPARE(compact.interactionClassName(c.handle), std::string_view(c.fullName));
    QCOMPARE(compact.interactionClass(c.fullName), c.handle);
    QCOMPARE(compact.interactionClassParent(c.handle), c.parent);
    QCOMPARE(compact.interactionOrder(c.handle), c.order);
    QCOMPARE(compact.transportationName(compact.interactionTransportation(c.handle)),
             std::string_view(c.transportation));
    QCOMPARE(compact.interactionDimensions(c.handle).size(), c.dimensions.size());
    QCOMPARE(compact.parameters(c.handle).size(), model.allParameters(c.handle).size());
    for (const Parameter* p : model.allParameters(c.handle)) {
      QCOMPARE(compact.parameter(c.handle, p->name), p->handle);
      QCOMPARE(compact.parameterName(p->handle), std::string_view(p->name));
      QVERIFY(compact.hasParameter(c.handle, p->handle));
    }
  }
  for (const Dimension& d : model.dimensions()) {
    QCOMPARE(compact.dimension(d.name), d.handle);
    QCOMPARE(compact.dimensionUpperBound(d.handle), d.upperBound.value_or(UINT32_MAX));
  }
  for (const Transportation& t : model.transportations()) {
    QCOMPARE(compact.transportation(t.name), t.handle);
    QCOMPARE(compact.isReliable(t.handle), t.reliable);
  }
  for (const UpdateRate& u : model.updateRates()) QCOMPARE(compact.updateRate(u.name), u.rate);
}

/// Asks a model everything there is, as a check that nothing reads outside of the bytes.
std::size_t askEverything(const CompactModel& m) {
  std::size_t sum = 0;
  for (std::uint32_t h = 0; h <= m.objectClassCount() + 1; ++h) {
    sum += m.objectClass(m.objectClassName(h)) + m.objectClassParent(h);
    for (const AttributeHandle a : m.attributes(h)) sum += m.attribute(h, m.attributeName(a));
  }
  for (std::uint32_t h = 0; h <= m.attributeCount() + 1; ++h) {
    sum += m.attributeTransportation(h) + m.attributeClass(h);
    for (const DimensionHandle d : m.attributeDimensions(h)) sum += m.dimensionUpperBound(d);
  }
  for (std::uint32_t h = 0; h <= m.interactionClassCount() + 1; ++h) {
    sum += m.interactionClass(m.interactionClassName(h)) + m.interactionTransportation(h);
    for (const ParameterHandle p : m.parameters(h)) sum += m.parameter(h, m.parameterName(p));
    for (const DimensionHandle d : m.interactionDimensions(h)) sum += m.dimensionName(d).size();
  }
  for (std::uint32_t h = 0; h <= m.transportationCount() + 1; ++h) {
    sum += m.transportation(m.transportationName(h));
  }
  return sum;
}

}  // namespace

class TestCompactModel : public QObject {
  Q_OBJECT

 private slots:
  void answersLikeTheModel() {
    const ObjectModel model = smallModel();
    const auto bytes = encode(model);
    const auto compact = CompactModel::open(bytes);
    QVERIFY2(compact, compact ? "" : compact.error().c_str());
    compareAll(*compact, model);

    const ObjectClassHandle flight = compact->objectClass("Flight");
    const ObjectClassHandle glider = compact->objectClass("HLAobjectRoot.Flight.Glider");
    QVERIFY(flight != 0 && glider != 0);
    QVERIFY(compact->isObjectClassWithin(glider, flight));
    QVERIFY(compact->isObjectClassWithin(glider, glider));
    QVERIFY(compact->isObjectClassWithin(glider, objectRootHandle));
    QVERIFY(!compact->isObjectClassWithin(flight, glider));
    const AttributeHandle span = compact->attribute(glider, "span");
    QVERIFY(span != 0);
    QVERIFY(!compact->hasAttribute(flight, span));
    QCOMPARE(compact->attribute(flight, "span"), AttributeHandle{0});
    const AttributeHandle x = compact->attribute(glider, "x");
    QCOMPARE(compact->attributeOrder(x), OrderType::TimeStamp);
    QCOMPARE(compact->attributeDimensions(x).size(), std::size_t{2});
    QVERIFY(!compact->isReliable(compact->attributeTransportation(x)));
    QCOMPARE(compact->attribute(glider, "HLAprivilegeToDeleteObject"), privilegeToDeleteHandle);
    QCOMPARE(compact->dimensionDefault(compact->dimension("Sector")), std::pair(0U, 64U));
    QCOMPARE(compact->dimensionDefault(compact->dimension("Level")), std::pair(3U, 4U));
    QCOMPARE(compact->dimensionDefault(compact->dimension("HLAserviceGroup")), std::pair(0U, 0U));
    QVERIFY(compact->switches().autoProvide);
    QVERIFY(compact->switches().serviceReporting);
    QVERIFY(!compact->switches().exceptionReporting);
  }

  void theUnknownIsZeroOrEmpty() {
    const auto bytes = encode(smallModel());
    const auto m = CompactModel::open(bytes);
    QVERIFY(m);
    for (const char* name : {"", ".", "Flight.", "HLAobjectRoot.", "Nothing", "flight"}) {
      QCOMPARE(m->objectClass(name), 0U);
      QCOMPARE(m->interactionClass(name), 0U);
      QCOMPARE(m->dimension(name), 0U);
      QCOMPARE(m->transportation(name), 0U);
      QCOMPARE(m->updateRate(name), 0.0);
    }
    for (const std::uint32_t handle : {0U, 100000U, UINT32_MAX}) {
      QVERIFY(m->objectClassName(handle).empty());
      QVERIFY(m->attributes(handle).empty());
      QVERIFY(m->attributeDimensions(handle).empty());
      QVERIFY(m->parameterName(handle).empty());
      QVERIFY(!m->hasAttribute(objectRootHandle, handle));
      QVERIFY(!m->isObjectClassWithin(objectRootHandle, handle));
      QVERIFY(!m->isObjectClassWithin(handle, handle));
    }
  }

  void theBytesMayLieAnywhere() {
    const auto bytes = encode(smallModel());
    for (std::size_t shift = 1; shift < 4; ++shift) {
      std::vector<std::byte> moved(shift);
      moved.insert(moved.end(), bytes.begin(), bytes.end());
      moved.resize(moved.size() + 64);  // a page's rest behind it
      const auto compact = CompactModel::open(std::span(moved).subspan(shift));
      QVERIFY(compact);
      compareAll(*compact, smallModel());
    }
  }

  void movingAModelKeepsItUsable() {
    const auto bytes = encode(smallModel());
    auto first = CompactModel::open(bytes);
    const CompactModel second = std::move(*first);
    compareAll(second, smallModel());
  }

  void theSameModelGivesTheSameBytes() { QCOMPARE(encode(smallModel()), encode(smallModel())); }

  void realModelsAnswerAlike_data() {
    SKIP_WITHOUT_FOMS();
    QTest::addColumn<QString>("set");
    for (const QString& set : fomfiles::sets()) QTest::newRow(qPrintable(set)) << set;
  }
  void realModelsAnswerAlike() {
    QFETCH(QString, set);
    const ObjectModel model = realModel(set);
    const auto bytes = encode(model);
    const auto compact = CompactModel::open(bytes);
    QVERIFY2(compact, compact ? "" : compact.error().c_str());
    compareAll(*compact, model);
  }

  void handlesMeanTheSameAfterExtending() {
    const ObjectModel model = smallModel();
    auto more = readModule(
        "<objectModel><objects><objectClass><name>HLAobjectRoot</name>"
        "<objectClass><name>Airport</name><sharing>Publish</sharing>"
        "</objectClass></objectClass></objects></objectModel>",
        "more.xml");
    const auto extended = extend(model, std::span(&*more, 1));
    const auto bytes = encode(model);
    const auto moreBytes = encode(extended->model);
    const auto before = CompactModel::open(bytes);
    const auto after = CompactModel::open(moreBytes);
    QVERIFY(before && after);
    for (ObjectClassHandle h = 1; h <= before->objectClassCount(); ++h) {
      QCOMPARE(after->objectClassName(h), before->objectClassName(h));
    }
    QCOMPARE(after->objectClass("Airport"), before->objectClassCount() + 1);
  }

  void everyTruncationIsRejected() {
    const auto bytes = encode(smallModel());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      // A copy, so that a sanitizer sees any access behind it.
      const std::vector<std::byte> cut(bytes.begin(),
                                       bytes.begin() + static_cast<std::ptrdiff_t>(length));
      QVERIFY(!CompactModel::open(cut));
    }
  }

  void damagedBytesAreRejectedOrHarmless() {
    const auto bytes = encode(smallModel());
    quint32 random = 4711;
    const auto next = [&] { return (random = random * 1664525U + 1013904223U) >> 8; };
    int rejected = 0;
    for (int round = 0; round < 4000; ++round) {
      std::vector<std::byte> damaged = bytes;
      const std::size_t word = next() % (damaged.size() / 4);
      const quint32 value = round % 3 == 0 ? next() % 300 : round % 3 == 1 ? next() : 0xFFFFFFF0U;
      for (std::size_t i = 0; i < 4; ++i) {
        damaged[word * 4 + i] = static_cast<std::byte>((value >> (8 * i)) & 0xFFU);
      }
      const auto model = CompactModel::open(damaged);
      if (model) {
        askEverything(*model);
      } else {
        ++rejected;
        QVERIFY(!model.error().empty());
      }
    }
    QVERIFY(rejected > 1000);
  }

  void garbageIsRejected() {
    quint32 random = 99;
    const auto next = [&] { return (random = random * 1664525U + 1013904223U) >> 16; };
    for (int round = 0; round < 500; ++round) {
      std::vector<std::byte> garbage(next() % 5000);
      for (std::byte& b : garbage) b = static_cast<std::byte>(next() & 0xFFU);
      QVERIFY(!CompactModel::open(garbage));
    }
  }

  void anotherLayoutVersionSaysSo() {
    auto bytes = encode(smallModel());
    bytes[4] = std::byte{9};
    const auto model = CompactModel::open(bytes);
    QVERIFY(!model);
    QVERIFY(model.error().find("version 9") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestCompactModel)
#include "tst_compact_model.moc"
