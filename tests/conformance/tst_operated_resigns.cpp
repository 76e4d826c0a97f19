// SPDX-License-Identifier: GPL-3.0-or-later
// An operator, who has joined nothing, has federates resign by the MOM (IEEE 1516.1-2010, 11.4).
#include "observe/node_client.h"
#include "owner.h"

using namespace rti1516e;
using tutti::fabric::OperateResignRequest;
using tutti::fabric::ResignState;
using tutti::observe::NodeClient;

class tst_operated_resigns : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;
  std::unique_ptr<Member> elsewhere_;  ///< keeps the node there
  std::optional<NodeClient> operator_;

  /// Empty: they have been told; else why not.
  QString operate(const std::vector<std::string>& names, std::optional<ResignAction> action = {}) {
    OperateResignRequest request;
    request.federation = federation_.toStdString();
    request.federates = names;
    request.hasAction = action.has_value();
    request.action = static_cast<std::uint32_t>(action.value_or(NO_ACTION));
    const auto done = operator_->operateResign(request);
    return done ? QString() : QString::fromStdString(done.error());
  }

  /// "a awaited, b resigned"; of one that refuses also why.
  QString parts() {
    const auto reply = operator_->resigns(federation_.toStdString());
    if (!reply) return QString::fromStdString(reply.error());
    QStringList all;
    for (const auto& part : reply->parts) {
      const QString name = QString::fromStdString(part.name);
      switch (part.state) {
        case ResignState::Awaited:
          all << name + " awaited";
          break;
        case ResignState::Resigned:
          all << name + " resigned";
          break;
        case ResignState::Lost:
          all << name + " lost";
          break;
        case ResignState::Refused:
          all << name + " refused: " + QString::fromStdString(part.why);
          break;
      }
    }
    return all.join(", ");
  }

  /// It is connected still.
  void rejoin(Member& member) { member.rti().joinFederationExecution(L"again", wide(federation_)); }

  static bool isOut(Member& member) {
    return member.pumpUntil([&] {
      return refusal([&] { member.rti().getObjectClassHandle(L"Vehicle"); }) ==
             "FederateNotExecutionMember";
    });
  }

 private slots:
  void init() {
    federation_ = uniqueName("federation");
    elsewhere_ = std::make_unique<Member>("elsewhere");
    elsewhere_->enter(uniqueName("elsewhere"));
    auto connected = NodeClient::connect(node_.name().toStdString());
    QVERIFY2(connected, connected ? "" : connected.error().c_str());
    operator_.emplace(std::move(*connected));
    QVERIFY(operator_->hello("operator"));
  }

  void cleanup() {
    operator_.reset();
    elsewhere_.reset();
  }

  void allResign() {
    Member a("a"), b("b");
    a.enter(federation_);
    b.enter(federation_);
    a.publish("Vehicle", {"position"});
    a.registerInstance("Vehicle");
    QCOMPARE(parts(), QString());
    QCOMPARE(operate({}), QString());
    QCOMPARE(parts(), QStringLiteral("a awaited, b awaited"));
    QVERIFY(isOut(a));
    QCOMPARE(parts(), QStringLiteral("a resigned, b awaited"));
    QVERIFY(isOut(b));
    QCOMPARE(parts(), QStringLiteral("a resigned, b resigned"));

    // It is only out of the execution: it may join again, destroy it, disconnect.
    REFUSES(a.rti().resignFederationExecution(NO_ACTION), FederateNotExecutionMember);
    rejoin(a);
    ACCEPTS(a.rti().getObjectClassHandle(L"Vehicle"));
    // What came of the last time stays as it was.
    QCOMPARE(parts(), QStringLiteral("a resigned, b resigned"));
    ACCEPTS(a.rti().resignFederationExecution(NO_ACTION));
    ACCEPTS(b.rti().destroyFederationExecution(wide(federation_)));
    QCOMPARE(parts(), QStringLiteral("a resigned, b resigned"));
  }

  void theOthersStay() {
    Member a("a"), b("b"), c("c");
    for (Member* one : {&a, &b, &c}) one->enter(federation_);
    QCOMPARE(operate({"b"}), QString());
    QVERIFY(isOut(b));
    ACCEPTS(a.rti().getObjectClassHandle(L"Vehicle"));
    ACCEPTS(c.rti().getObjectClassHandle(L"Vehicle"));
    QCOMPARE(parts(), QStringLiteral("b resigned"));
    QCOMPARE(operate({"a", "c"}), QString());
    QVERIFY(isOut(a) && isOut(c));
  }

  void whatItOwnsGoesByTheAction_data() {
    QTest::addColumn<int>("action");
    QTest::addColumn<int>("directive");
    QTest::addColumn<QString>("others");
    constexpr int none = -1;
    const auto removed = QStringLiteral("remove");
    const auto offered = QStringLiteral("offered car ");
    QTest::newRow("divest") << int{UNCONDITIONALLY_DIVEST_ATTRIBUTES} << none << offered;
    QTest::newRow("delete") << int{DELETE_OBJECTS} << none << removed;
    QTest::newRow("delete, then divest") << int{DELETE_OBJECTS_THEN_DIVEST} << none << removed;
    QTest::newRow("cancel, delete, divest")
        << int{CANCEL_THEN_DELETE_THEN_DIVEST} << none << removed;
    // 10.3: without an action, what would become of it were it lost.
    QTest::newRow("its directive: delete") << none << int{DELETE_OBJECTS} << removed;
    QTest::newRow("its directive: divest")
        << none << int{UNCONDITIONALLY_DIVEST_ATTRIBUTES} << offered;
  }
  void whatItOwnsGoesByTheAction() {
    QFETCH(int, action);
    QFETCH(int, directive);
    QFETCH(QString, others);
    Owner owner("owner"), heir("heir");
    owner.enter(federation_);
    heir.enter(federation_);
    owner.publish("Vehicle", {"position"});
    heir.publish("Vehicle", {"position"});
    heir.subscribe("Vehicle", {"position"});
    owner.registerNamed("Vehicle", "car");
    QVERIFY(heir.expect("discover"));
    if (directive >= 0)
      owner.rti().setAutomaticResignDirective(static_cast<ResignAction>(directive));
    QCOMPARE(operate({"owner"},
                     action < 0 ? std::nullopt : std::optional(static_cast<ResignAction>(action))),
             QString());
    QVERIFY(isOut(owner));
    QVERIFY(heir.expect(others));
    QCOMPARE(parts(), QStringLiteral("owner resigned"));
  }

  void saysWhoCannotAndWhy() {
    Owner owner("owner"), seeker("seeker");
    owner.enter(federation_);
    seeker.enter(federation_);
    owner.publish("Vehicle", {"position"});
    seeker.publish("Vehicle", {"position"});
    seeker.subscribe("Vehicle", {"position"});
    const auto car = owner.registerNamed("Vehicle", "car");
    QVERIFY(seeker.expect("discover"));
    seeker.acquire(car, {"position"});
    QVERIFY(owner.expect("asked"));
    QCOMPARE(operate({}, NO_ACTION), QString());
    QVERIFY(owner.pumpUntil([&] { return parts().contains("owner refused"); }));
    QVERIFY(seeker.pumpUntil([&] { return parts().contains("seeker refused"); }));
    const QString why = parts();
    QVERIFY2(why.contains("owner refused: FederateOwnsAttributes: ") && why.contains("'car'") &&
                 why.contains("seeker refused: OwnershipAcquisitionPending: "),
             qPrintable(why));
    // They go on as before.
    QVERIFY(owner.owns(car, "position"));
    QCOMPARE(operate({}, CANCEL_THEN_DELETE_THEN_DIVEST), QString());
    QVERIFY(isOut(owner) && isOut(seeker));
    QCOMPARE(parts(), QStringLiteral("owner resigned, seeker resigned"));
  }

  void oneThatDoesNotListenHoldsNobodyUp() {
    Member a("a"), deaf("deaf"), c("c");
    for (Member* one : {&a, &deaf, &c}) one->enter(federation_);
    QCOMPARE(operate({}), QString());
    QVERIFY(isOut(a) && isOut(c));
    QCOMPARE(parts(), QStringLiteral("a resigned, deaf awaited, c resigned"));
    // A second request finds it where it is, and it resigns once.
    QCOMPARE(operate({}), QString());
    QCOMPARE(parts(), QStringLiteral("deaf awaited"));
    QVERIFY(isOut(deaf));
    QCOMPARE(parts(), QStringLiteral("deaf resigned"));
    rejoin(deaf);
    deaf.pump();
    ACCEPTS(deaf.rti().getObjectClassHandle(L"Vehicle"));
  }

  void oneThatDiesIsLost() {
    Member b("b");
    b.enter(federation_);
    Mortal dying("dying", federation_);
    QCOMPARE(operate({}), QString());
    dying.kill();
    QVERIFY(isOut(b));
    QTRY_COMPARE(parts(), QStringLiteral("b resigned, dying lost"));
  }

  /// 4.16: a save that is going on ends with the federate that leaves.
  void duringASaveToo() {
    Member a("a"), b("b");
    a.enter(federation_);
    b.enter(federation_);
    a.rti().requestFederationSave(L"save");
    QCOMPARE(operate({"a"}), QString());
    QVERIFY(isOut(a));
    QTRY_COMPARE(operator_->saves(federation_.toStdString())->last.federate, std::string("a"));
    ACCEPTS(b.rti().getObjectClassHandle(L"Vehicle"));
  }

  void inTimeManagementToo() {
    Member a("a"), b("b");
    a.enter(federation_);
    b.enter(federation_);
    for (Member* one : {&a, &b}) {
      one->regulate(1);
      one->constrain();
    }
    // b does not go on, so a waits for its grant, until b has gone.
    a.rti().timeAdvanceRequest(HLAfloat64Time(10));
    a.pump();
    QCOMPARE(a.count("grant"), 0);
    QCOMPARE(operate({"b"}), QString());
    QVERIFY(isOut(b));
    QVERIFY(a.expect("grant"));
    // And one that waits for a grant resigns all the same.
    rejoin(b);
    b.regulate(1);
    a.rti().timeAdvanceRequest(HLAfloat64Time(100));
    QCOMPARE(operate({"a"}), QString());
    QVERIFY(isOut(a));
  }

  void refusesResignsThatCannotBe() {
    QVERIFY(operate({}).contains("does not exist"));
    Member a("a");
    a.enter(federation_);
    QVERIFY(operate({"nobody"}).contains("'nobody' is not joined"));
    QVERIFY(operate({"a", "nobody"}).contains("'nobody' is not joined"));
    QVERIFY(operate({}, static_cast<ResignAction>(6)).contains("no such resign action"));
    a.pump();
    ACCEPTS(a.rti().getObjectClassHandle(L"Vehicle"));
    a.rti().resignFederationExecution(NO_ACTION);
    QVERIFY(operate({}).contains("no federate is joined"));
  }
};

CONFORMANCE_MAIN(tst_operated_resigns)
#include "tst_operated_resigns.moc"
