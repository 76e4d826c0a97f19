// SPDX-License-Identifier: GPL-3.0-or-later
// An operator, who has joined nothing, adjusts what the MOM reports and conveys (IEEE 1516.1-2010,
// 11.4, HLAadjust).
#include "observe/node_client.h"
#include "owner.h"
#include "watcher.h"

using namespace mom;
using tutti::fabric::InstancePlace;
using tutti::fabric::OperateAdjustRequest;
using tutti::observe::NodeClient;
namespace adjustment = tutti::fabric::adjustment;

class tst_operated_adjustments : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;
  std::unique_ptr<Member> elsewhere_;  ///< keeps the node there
  std::optional<NodeClient> operator_;

  void greet(const QString& node) {
    auto connected = NodeClient::connect(node.toStdString());
    QVERIFY2(connected, connected ? "" : connected.error().c_str());
    operator_.emplace(std::move(*connected));
    QVERIFY(operator_->hello("operator"));
  }

  /// Empty: they have been told; else why not.
  QString operate(const std::vector<std::string>& names, std::uint32_t which, std::uint32_t on,
                  int period = 0) {
    const OperateAdjustRequest request{federation_.toStdString(), names, which, on, period};
    const auto done = operator_->operateAdjust(request);
    return done ? QString() : QString::fromStdString(done.error());
  }

  /// Likewise, for HLAmodifyAttributeState.
  QString modify(const QString& federate, const QString& instance, const QString& attribute,
                 bool owned) {
    const auto done =
        operator_->modifyAttributeState({federation_.toStdString(), federate.toStdString(),
                                         instance.toStdString(), attribute.toStdString(), owned});
    return done ? QString() : QString::fromStdString(done.error());
  }

  InstancePlace placeOf(const QString& instance, const QString& attribute) {
    const auto reply = operator_->findOwner(
        {federation_.toStdString(), instance.toStdString(), attribute.toStdString()});
    return reply ? reply->place : InstancePlace();
  }

  /// The federate's name, "nobody", "the RTI", or why that is not known.
  QString owner(const QString& instance, const QString& attribute,
                const InstancePlace& place = {}) {
    const auto reply = operator_->findOwner(
        {federation_.toStdString(), instance.toStdString(), attribute.toStdString(), place});
    if (!reply) return QString::fromStdString(reply.error());
    if (!reply->isOwned) return QStringLiteral("nobody");
    return reply->federate.empty() ? QStringLiteral("the RTI")
                                   : QString::fromStdString(reply->federate);
  }

  static void enterWithVehicles(Owner& one) {
    one.publish("Vehicle", {"position", "fuel"});
    one.subscribe("Vehicle", {"position", "fuel"});
  }

  /// "auto provide; a: services 5 s, b:"; of one that cannot also why.
  QString settings() {
    const auto reply = operator_->adjustments(federation_.toStdString());
    if (!reply) return QString::fromStdString(reply.error());
    QStringList all;
    for (const auto& part : reply->federates) {
      QStringList one{QString::fromStdString(part.name) + ":"};
      if ((part.on & adjustment::conveyRegionDesignatorSets) != 0) one << "regions";
      if ((part.on & adjustment::conveyProducingFederate) != 0) one << "producer";
      if ((part.on & adjustment::serviceReporting) != 0) one << "services";
      if ((part.on & adjustment::exceptionReporting) != 0) one << "exceptions";
      if (part.reportPeriod != 0) one << QString::number(part.reportPeriod) + " s";
      if (!part.refused.empty()) one << "cannot: " + QString::fromStdString(part.refused);
      all << one.join(' ');
    }
    return (reply->autoProvide ? "auto provide; " : "") + all.join(", ");
  }

  bool becomes(Member& member, const QString& expected) {
    const bool came = member.pumpUntil([&] { return settings() == expected; });
    if (!came) qWarning("is %s", qPrintable(settings()));
    return came;
  }

  static constexpr std::uint32_t services = adjustment::serviceReporting;
  static constexpr std::uint32_t exceptions = adjustment::exceptionReporting;

 private slots:
  void init() {
    federation_ = uniqueName("federation");
    elsewhere_ = std::make_unique<Member>("elsewhere");
    elsewhere_->enter(uniqueName("elsewhere"));
    greet(node_.name());
  }
  void cleanup() {
    operator_.reset();
    elsewhere_.reset();
  }

  void servicesAreReported() {
    const QString invocation = report + "HLAreportServiceInvocation";
    Member a("a"), b("b");
    a.enter(federation_);
    b.enter(federation_);
    Watcher watcher;
    watcher.enter(federation_);
    watcher.subscribeInteraction(invocation);
    QCOMPARE(settings(), QStringLiteral("a: producer, b: producer, watcher: producer"));
    QCOMPARE(operate({"a"}, services, services), QString());
    // It does so when it evokes callbacks.
    QCOMPARE(settings(), QStringLiteral("a: producer, b: producer, watcher: producer"));
    QVERIFY(becomes(a, "a: producer services, b: producer, watcher: producer"));
    b.publishInteraction("Message");
    a.publishInteraction("Message");
    QMap<QString, QByteArray> values;
    do {
      values = watcher.next(invocation);
      QCOMPARE(values.value("HLAfederate"), encoded(a.handle()));
    } while (text(values.value("HLAservice")) != "publishInteractionClass");
    REFUSES(a.subscribeInteraction(invocation), FederateServiceInvocationsAreBeingReportedViaMOM);

    QCOMPARE(operate({"a"}, services, 0), QString());
    QVERIFY(becomes(a, "a: producer, b: producer, watcher: producer"));
    ACCEPTS(a.subscribeInteraction(invocation));
  }

  void exceptionsAreReported() {
    const QString exception = report + "HLAreportException";
    Member a("a");
    a.enter(federation_);
    Watcher watcher;
    watcher.enter(federation_);
    watcher.subscribeInteraction(exception);
    QCOMPARE(operate({}, exceptions, exceptions), QString());
    QVERIFY(watcher.pumpUntil([&] {
      a.pump();
      return settings() == "a: producer exceptions, watcher: producer exceptions";
    }));
    REFUSES(a.rti().deleteObjectInstance(ObjectInstanceHandle(), data("why")),
            ObjectInstanceNotKnown);
    const auto values = watcher.next(exception);
    QCOMPARE(values.value("HLAfederate"), encoded(a.handle()));
    QVERIFY(text(values.value("HLAexception")).startsWith("ObjectInstanceNotKnown"));
  }

  void whatIsConveyed() {
    Member a("a"), b("b");
    a.enter(federation_);
    b.enter(federation_);
    QCOMPARE(
        operate({"a"}, adjustment::conveyProducingFederate | adjustment::conveyRegionDesignatorSets,
                adjustment::conveyRegionDesignatorSets),
        QString());
    QVERIFY(becomes(a, "a: regions, b: producer"));
    a.subscribe("Depot", {"stock"});
    b.publish("Depot", {"stock"});
    b.registerInstance("Depot");
    QVERIFY(a.expect("discover"));
    QVERIFY(a.details.filter("from b").isEmpty());
    // One of them alone leaves the other as it is.
    QCOMPARE(
        operate({"a"}, adjustment::conveyProducingFederate, adjustment::conveyProducingFederate),
        QString());
    QVERIFY(becomes(a, "a: regions producer, b: producer"));
  }

  void reportPeriodsLeadToUpdates() {
    Member a("a");
    a.enter(federation_);
    Watcher watcher;
    watcher.enter(federation_);
    watcher.watch();
    const auto object = watcher.ask(a.handle());
    a.regulate(1);
    a.advance(12);
    watcher.known.clear();
    QCOMPARE(operate({"a"}, adjustment::reportPeriod, 0, 1), QString());
    QCOMPARE(settings(), QStringLiteral("a: producer 1 s, watcher: producer"));
    AWAIT(watcher, watcher.known[object].value("HLAlogicalTime") == encodedTime(12));
    a.advance(13);
    AWAIT(watcher, watcher.known[object].value("HLAlogicalTime") == encodedTime(13));
    // What a federate sets by the MOM is shown too, and the other way round: 0 ends it.
    watcher.tell(adjust + "HLAsetTiming", a.handle(), {{"HLAreportPeriod", integer(3u)}});
    QVERIFY(becomes(watcher, "a: producer 3 s, watcher: producer"));
    QCOMPARE(operate({}, adjustment::reportPeriod, 0, 0), QString());
    QCOMPARE(settings(), QStringLiteral("a: producer, watcher: producer"));
  }

  /// Nobody uses the MOM: who comes later finds what was set.
  void periodsThatWereSetBefore() {
    Member a("a");
    a.enter(federation_);
    QCOMPARE(operate({"a"}, adjustment::reportPeriod, 0, 1), QString());
    Watcher watcher;
    watcher.enter(federation_);
    watcher.watch();
    const auto object = watcher.ask(a.handle());
    watcher.known.clear();
    AWAIT(watcher, watcher.known[object].contains("HLAupdatesSent"));
  }

  void autoProvideForEverybody() {
    Watcher owner("owner");
    owner.enter(federation_);
    owner.publish("Depot", {"stock"});
    owner.registerInstance("Depot");
    bool provided = false;
    owner.onProvide = [&](ObjectInstanceHandle, const AttributeHandleSet&) { provided = true; };
    QCOMPARE(operate({}, adjustment::autoProvide, adjustment::autoProvide), QString());
    QCOMPARE(settings(), QStringLiteral("auto provide; owner: producer"));
    {
      Member late("late");
      late.enter(federation_);
      late.subscribe("Depot", {"stock"});
      AWAIT(owner, (late.pump(), provided));
    }
    QCOMPARE(operate({}, adjustment::autoProvide, 0), QString());
    QCOMPARE(settings(), QStringLiteral("owner: producer"));
    provided = false;
    Member later("later");
    later.enter(federation_);
    later.subscribe("Depot", {"stock"});
    QVERIFY(later.expect("discover"));
    // Were it asked, it would have been asked before this.
    later.rti().requestAttributeValueUpdate(later.objectClass("Depot"),
                                            later.attributes("Depot", {"stock"}), data("mine"));
    int asked = 0;
    owner.onProvide = [&](ObjectInstanceHandle, const AttributeHandleSet&) { ++asked; };
    AWAIT(owner, asked > 0);
    QCOMPARE(asked, 1);
  }

  void saysWhoCannotReportItsServices() {
    const QString invocation = report + "HLAreportServiceInvocation";
    Member a("a");
    a.enter(federation_);
    a.subscribeInteraction(invocation);
    QCOMPARE(operate({}, services, services), QString());
    QVERIFY(a.pumpUntil([&] { return settings().contains("a: producer cannot: "); }));
    QVERIFY2(settings().contains("This federate subscribes HLAreportServiceInvocation"),
             qPrintable(settings()));
    // The next time counts.
    a.rti().unsubscribeInteractionClass(a.interactionClass(invocation));
    QCOMPARE(operate({}, services, services), QString());
    QVERIFY(becomes(a, "a: producer services"));
  }

  void attributesChangeTheirOwner_data() {
    QTest::addColumn<bool>("isNamed");
    QTest::newRow("named") << true;
    QTest::newRow("with the RTI's name") << false;
  }
  void attributesChangeTheirOwner() {
    QFETCH(bool, isNamed);
    Owner a("a"), b("b");
    for (Owner* one : {&a, &b}) {
      one->enter(federation_);
      enterWithVehicles(*one);
    }
    // Another one, so that not any instance is the one that is meant.
    a.registerNamed("Vehicle", "truck");
    const auto car = isNamed ? a.registerNamed("Vehicle", "car") : a.registerInstance("Vehicle");
    const QString name = QString::fromStdWString(a.rti().getObjectInstanceName(car));
    QVERIFY(b.expect("discover " + name));
    QCOMPARE(owner(name, "fuel"), QStringLiteral("a"));
    QCOMPARE(modify("b", name, "fuel", true), QString());
    // It owns it when it evokes callbacks.
    QCOMPARE(owner(name, "fuel"), QStringLiteral("a"));
    QVERIFY(b.pumpUntil([&] { return owner(name, "fuel") == "b"; }));
    a.pump();
    QVERIFY(b.owns(car, "fuel") && !a.owns(car, "fuel"));
    QCOMPARE(owner(name, "position"), QStringLiteral("a"));
    QCOMPARE(owner("truck", "fuel"), QStringLiteral("a"));
    // Of one that owns it, and of one that does not.
    QCOMPARE(modify("a", name, "fuel", false), QString());
    QCOMPARE(modify("b", name, "fuel", false), QString());
    QVERIFY(b.pumpUntil([&] {
      a.pump();
      return owner(name, "fuel") == "nobody";
    }));
    QVERIFY(!b.owns(car, "fuel") && !a.owns(car, "fuel"));
    // Who registered it has left; what it left is another's.
    QCOMPARE(modify("b", name, "fuel", true), QString());
    QVERIFY(b.pumpUntil([&] { return owner(name, "fuel") == "b"; }));
    a.rti().resignFederationExecution(UNCONDITIONALLY_DIVEST_ATTRIBUTES);
    QVERIFY(b.pumpUntil([&] { return owner(name, "position") == "nobody"; }));
    QCOMPARE(owner(name, "fuel"), QStringLiteral("b"));
    QCOMPARE(modify("b", name, "position", true), QString());
    QVERIFY(b.pumpUntil([&] { return owner(name, "position") == "b"; }));
  }

  void aWrongPlaceLeadsToNoOtherInstance_data() { attributesChangeTheirOwner_data(); }
  void aWrongPlaceLeadsToNoOtherInstance() {
    QFETCH(bool, isNamed);
    Owner a("a"), b("b");
    for (Owner* one : {&a, &b}) {
      one->enter(federation_);
      enterWithVehicles(*one);
    }
    a.registerNamed("Vehicle", "truck");
    const auto car = isNamed ? b.registerNamed("Vehicle", "car") : b.registerInstance("Vehicle");
    const QString name = QString::fromStdWString(b.rti().getObjectInstanceName(car));
    const InstancePlace right = placeOf(name, "fuel");
    const InstancePlace other = placeOf("truck", "fuel");
    QVERIFY(right.instance != 0 && other.instance != 0 && right.instance != other.instance);
    QCOMPARE(owner(name, "fuel", right), QStringLiteral("b"));
    for (const InstancePlace& wrong :
         {other, InstancePlace{right.instance, right.row + 1}, InstancePlace{right.instance, ~0u},
          InstancePlace{other.instance, right.row}, InstancePlace{~std::uint64_t{0}, 0}}) {
      QCOMPARE(owner(name, "fuel", wrong), QStringLiteral("b"));
    }
    // The instance is gone, and the place with it.
    b.rti().deleteObjectInstance(car, data("gone"));
    QVERIFY(owner(name, "fuel", right).contains("no object instance '" + name + "'"));
  }

  void saysWhoCannotOwnAnAttribute() {
    Owner a("a"), b("b");
    for (Owner* one : {&a, &b}) {
      one->enter(federation_);
      enterWithVehicles(*one);
    }
    a.registerNamed("Vehicle", "car");
    QVERIFY(b.expect("discover car"));
    b.rti().unpublishObjectClass(b.objectClass("Vehicle"));
    QCOMPARE(modify("b", "car", "fuel", true), QString());
    QVERIFY(b.pumpUntil([&] { return settings().contains("b: producer cannot: "); }));
    QVERIFY2(settings().contains("ObjectClassNotPublished"), qPrintable(settings()));
    QCOMPARE(owner("car", "fuel"), QStringLiteral("a"));

    QVERIFY(modify("nobody", "car", "fuel", true).contains("'nobody' is not joined"));
    QVERIFY(modify("b", "bus", "fuel", true).contains("no object instance 'bus'"));
    QVERIFY(modify("b", "HLA1-77", "fuel", true).contains("no object instance 'HLA1-77'"));
    QVERIFY(modify("b", "car", "wings", true).contains("has no attribute 'wings'"));
    QVERIFY(owner("car", "wings").contains("has no attribute 'wings'"));
    // What the RTI registered is the RTI's.
    b.subscribe(federateClass, {"HLAfederateName"});
    QVERIFY(b.expect("discover HLA", 2));
    const QString federate = b.linesWith("discover HLA").first().section(' ', 1, 1);
    QCOMPARE(owner(federate, "HLAfederateName"), QStringLiteral("the RTI"));
  }

  void refusesAdjustmentsThatCannotBe() {
    QVERIFY(operate({}, services, services).contains("does not exist"));
    QVERIFY(settings().contains("does not exist"));
    Member a("a");
    a.enter(federation_);
    QVERIFY(operate({"nobody"}, services, services).contains("'nobody' is not joined"));
    QVERIFY(operate({"a", "nobody"}, services, services).contains("'nobody' is not joined"));
    QVERIFY(operate({"a"}, services | adjustment::reportPeriod, services, -1)
                .contains("the report period is negative: -1 s"));
    QVERIFY(operate({"a"}, 0, 0).contains("nothing of that"));
    QVERIFY(operate({"a"}, 1u << 30, 0).contains("nothing of that"));
    a.pump();
    QCOMPARE(settings(), QStringLiteral("a: producer"));
    a.rti().resignFederationExecution(NO_ACTION);
    QVERIFY(operate({}, services, services).contains("no federate is joined"));
    // That is the execution's own.
    QCOMPARE(operate({}, adjustment::autoProvide, adjustment::autoProvide), QString());
    QCOMPARE(settings(), QStringLiteral("auto provide; "));
  }

  /// The home decides, for federates of all hosts.
  void overTwoNodes() {
    const LinkedNodes nodes(uniqueName("adjusted"), 2);
    Watcher here("here");
    Member there("there");
    const auto enter = [&](Member& member, int host) { nodes.enter(member, host, federation_); };
    enter(here, 0);
    enter(there, 1);
    greet(nodes.nodeName(0));
    const QString invocation = report + "HLAreportServiceInvocation";
    here.subscribeInteraction(invocation);
    QCOMPARE(operate({"there"}, services | adjustment::reportPeriod | adjustment::autoProvide,
                     services | adjustment::autoProvide, 2),
             QString());
    QVERIFY(becomes(there, "auto provide; here: producer, there: producer services 2 s"));
    there.publishInteraction("Message");
    QCOMPARE(here.next(invocation).value("HLAfederate"), encoded(there.handle()));
    // The federate of the linked node asks for values now.
    here.publish("Vehicle", {"position"});
    bool provided = false;
    here.onProvide = [&](ObjectInstanceHandle, const AttributeHandleSet&) { provided = true; };
    here.registerInstance("Vehicle");
    there.subscribe("Vehicle", {"position"});
    AWAIT(here, (there.pump(), provided));

    // Neither does it matter where the federate is that is to own an attribute.
    there.publish("Vehicle", {"position"});
    here.registerNamed("Vehicle", "car");
    QVERIFY(there.expect("discover car"));
    QCOMPARE(owner("car", "position"), QStringLiteral("here"));
    QCOMPARE(modify("there", "car", "position", true), QString());
    AWAIT(there, (here.pump(), owner("car", "position") == "there"));
    there.registerNamed("Vehicle", "bus");
    here.subscribe("Vehicle", {"position"});
    QVERIFY(here.expect("discover bus"));
    QCOMPARE(modify("here", "bus", "position", true), QString());
    AWAIT(here, (there.pump(), owner("bus", "position") == "here"));

    // A linked node does not decide.
    greet(nodes.nodeName(1));
    QVERIFY(!operate({"there"}, services, 0).isEmpty());
  }
};

CONFORMANCE_MAIN(tst_operated_adjustments)
#include "tst_operated_adjustments.moc"
