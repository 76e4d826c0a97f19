// SPDX-License-Identifier: GPL-3.0-or-later
// Labels, names and tags of any length and with any characters: values like others.
#include "owner.h"
#include "saver.h"

using namespace rti1516e;

namespace {

/// More than a datagram, a ring, or a block of the control log holds.
QByteArray large(char of) { return QByteArray(3 << 20, of); }

QString longText(const QString& begin) { return begin + QString(20000, QChar(u'é')); }

}  // namespace

class tst_large_arguments : public QObject {
  Q_OBJECT

  OwnSaves saves_;
  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("large"); }
  void tagsOfMessages();
  void tagsOfTransfers();
  void synchronizationPoints();
  void saves_data();
  void saves();
  void names_data();
  void names();
  void manyAtOnce();
};

void tst_large_arguments::tagsOfMessages() {
  struct Tagged : Member {
    using Member::Member;
    ~Tagged() RTI_NOEXCEPT override { end(); }
    QList<QPair<qsizetype, char>> tags;
    void take(const VariableLengthData& tag) {
      const auto* octets = static_cast<const char*>(tag.data());
      tags << qMakePair(static_cast<qsizetype>(tag.size()), octets[tag.size() - 1]);
    }
    void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                                const VariableLengthData& tag, OrderType, TransportationType,
                                SupplementalReflectInfo) override {
      take(tag);
    }
    void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                            const VariableLengthData& tag, OrderType, TransportationType,
                            SupplementalReceiveInfo) override {
      take(tag);
    }
    void removeObjectInstance(ObjectInstanceHandle, const VariableLengthData& tag, OrderType,
                              SupplementalRemoveInfo) override {
      take(tag);
    }
    void provideAttributeValueUpdate(ObjectInstanceHandle, const AttributeHandleSet&,
                                     const VariableLengthData& tag) override {
      take(tag);
    }
  };
  Tagged a("a"), b("b");
  for (Tagged* m : {&a, &b}) m->enter(federation_);
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  b.subscribe("Vehicle", {"position"});
  b.subscribeInteraction("Message");
  const auto car = a.registerNamed("Vehicle", "car");
  QVERIFY(b.expect("discover car"));
  a.rti().updateAttributeValues(car, {{a.attribute("Vehicle", "position"), data("1")}},
                                data(large('u')));
  a.rti().sendInteraction(a.interactionClass("Message"), {}, data(large('i')));
  b.rti().requestAttributeValueUpdate(car, b.attributes("Vehicle", {"position"}), data(large('r')));
  b.rti().requestAttributeValueUpdate(b.objectClass("Vehicle"),
                                      b.attributes("Vehicle", {"position"}), data(large('c')));
  a.pump();
  a.rti().deleteObjectInstance(car, data(large('d')));
  b.pump();
  const qsizetype size = 3 << 20;
  using Tags = QList<QPair<qsizetype, char>>;
  QCOMPARE(b.tags, Tags({{size, 'u'}, {size, 'i'}, {size, 'd'}}));
  QCOMPARE(a.tags, Tags({{size, 'r'}, {size, 'c'}}));
}

void tst_large_arguments::tagsOfTransfers() {
  Owner a("a"), b("b");
  for (Owner* m : {&a, &b}) {
    m->enter(federation_);
    m->publish("Vehicle", {"position", "fuel"});
    m->subscribe("Vehicle", {"position", "fuel"});
  }
  const auto car = a.registerNamed("Vehicle", "car");
  QVERIFY(b.expect("discover car"));
  const auto told = [](Owner& one, const QString& what, char of) {
    const QString begin = what + " car fuel #";
    return one.expect(begin) && one.linesWith(begin).last() == begin + large(of);
  };
  a.offer(car, {"fuel"}, large('o'));
  QVERIFY(told(b, "offered", 'o'));
  b.acquire(car, {"fuel"}, large('a'));
  QVERIFY(a.expect("confirm car fuel"));
  a.confirm(car, {"fuel"}, large('c'));
  QVERIFY(told(b, "acquired", 'c'));
  a.acquire(car, {"fuel"}, large('r'));
  QVERIFY(told(b, "asked", 'r'));
  // Whoever joins now is told of all that is so.
  Owner late("late");
  late.enter(federation_);
  late.subscribe("Vehicle", {"position", "fuel"});
  QVERIFY(late.expect("discover car"));
}

void tst_large_arguments::synchronizationPoints() {
  Member a("a"), b("b");
  for (Member* m : {&a, &b}) m->enter(federation_);
  const QString label = longText("point ");
  a.rti().registerFederationSynchronizationPoint(wide(label), data(large('t')));
  for (Member* m : {&a, &b}) QVERIFY(m->expect("announce " + label));
  Member late("late");
  late.enter(federation_);
  QVERIFY(late.expect("announce " + label));
  for (Member* m : {&a, &b, &late}) m->rti().synchronizationPointAchieved(wide(label));
  for (Member* m : {&a, &b, &late}) QVERIFY(m->expect("synchronized " + label));
}

void tst_large_arguments::saves_data() {
  QTest::addColumn<QString>("label");
  QTest::newRow("empty") << "";
  QTest::newRow("a path") << "../../etc/passwd";
  QTest::newRow("here") << ".";
  QTest::newRow("above") << "..";
  QTest::newRow("control characters") << QString("a\nb\tc\x01");
  QTest::newRow("NUL") << QString::fromLatin1("a\0b", 3);
  QTest::newRow("beyond ASCII") << QString::fromUtf8("Übung 東京 🚀");
  QTest::newRow("long") << longText("save ");
}

void tst_large_arguments::saves() {
  QFETCH(QString, label);
  const QString federation = uniqueName("/odd/../" + label.left(50) + "/");
  Saver a("a");
  a.enter(federation);
  QVERIFY(save({&a}, wide(label)));
  QVERIFY(restore({&a}, wide(label)));
  QCOMPARE(a.count("restore accepted " + label), 1);
  a.rti().requestFederationRestore(wide(label + "x"));
  QVERIFY(a.expect("restore refused " + label + "x"));
  // All of it lies where saves do.
  const QStringList outside =
      QDir(saves_.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
  QCOMPARE(outside, QStringList{"tutti"});
}

void tst_large_arguments::names_data() {
  QTest::addColumn<QString>("name");
  QTest::newRow("a space") << " ";
  QTest::newRow("quotes") << "'\"`$(ls)";
  QTest::newRow("NUL") << QString::fromLatin1("a\0b", 3);
  QTest::newRow("beyond ASCII") << QString::fromUtf8("Übung 東京 🚀");
  QTest::newRow("long") << longText("name ");
}

void tst_large_arguments::names() {
  QFETCH(QString, name);
  Member a(name), b("b");
  a.enter(name + federation_);
  b.enter(name + federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerNamed("Vehicle", name);
  QVERIFY(b.expect("discover " + name + " as Vehicle"));
  QCOMPARE(b.nameOfInstance(car), name);
  QVERIFY(b.rti().getObjectInstanceHandle(wide(name)) == car);
  QCOMPARE(narrow(b.rti().getFederateName(a.handle())), name);
  QVERIFY(b.rti().getFederateHandle(wide(name)) == a.handle());
  Member late("late");
  late.enter(name + federation_);
  late.subscribe("Vehicle", {"position"});
  QVERIFY(late.expect("discover " + name + " as Vehicle"));
}

void tst_large_arguments::manyAtOnce() {
  Member a("a"), b("b");
  for (Member* m : {&a, &b}) m->enter(federation_);
  std::set<std::wstring> all;
  for (int i = 0; i < 20000; ++i) all.insert(wide(QString("name %1").arg(i)));
  a.rti().reserveMultipleObjectInstanceName(all);
  b.rti().reserveMultipleObjectInstanceName({L"name 19999", L"free"});
  QVERIFY(a.pumpUntil([&] { return !a.log().isEmpty(); }));
  QVERIFY(b.pumpUntil([&] { return !b.log().isEmpty(); }));
  QVERIFY(a.log().last().startsWith("reserved"));
  QVERIFY(b.log().last().startsWith("taken"));
  ACCEPTS(a.rti().releaseMultipleObjectInstanceName(all));
  REFUSES(a.rti().releaseObjectInstanceName(L"name 3"), ObjectInstanceNameNotReserved);
  // A region for each of many messages, and many for one.
  a.publishInteraction("Hail");
  RegionHandleSet regions;
  const auto area = a.rti().getDimensionHandle(L"Area");
  for (unsigned long i = 0; i < 900; ++i) {
    const auto region = a.rti().createRegion({area});
    a.rti().setRangeBounds(region, area, RangeBounds(i, i + 1));
    regions.insert(region);
  }
  a.rti().commitRegionModifications(regions);
  const auto seen = b.rti().createRegion({area});
  b.rti().setRangeBounds(seen, area, RangeBounds(899, 1000));
  b.rti().commitRegionModifications({seen});
  b.rti().subscribeInteractionClassWithRegions(b.interactionClass("Hail"), {seen});
  a.rti().sendInteractionWithRegions(a.interactionClass("Hail"), {}, regions, {});
  QVERIFY(b.expect("receive Hail"));
}

CONFORMANCE_MAIN(tst_large_arguments)
#include "tst_large_arguments.moc"
