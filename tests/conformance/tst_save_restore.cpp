// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, 4.16 to 4.32: save and restore. One test function for each service and
// callback, of its name, and what has to hold for a whole federation execution.
#include <RTI/RangeBounds.h>

#include <csignal>

#include "member.h"

using namespace rti1516e;

namespace {

/// A federate that says what a save or restore asks of it:
/// "initiate save LABEL [@5]", "saved", "not saved REASON", "save status 0 2", "restore accepted
/// LABEL", "restore refused LABEL", "restore begun", "initiate restore LABEL as NAME",
/// "restored", "not restored REASON", "restore status 4 5".
class Saver : public Member {
 public:
  using Member::Member;
  ~Saver() RTI_NOEXCEPT override { end(); }

  FederateHandle restoredHandle;
  /// Takes part by itself, from inside the callbacks.
  bool willing = false;

  void initiateFederateSave(const std::wstring& label) override {
    write("initiate save " + narrow(label));
    takePart();
  }
  void initiateFederateSave(const std::wstring& label, const LogicalTime& time) override {
    const auto& seconds = dynamic_cast<const HLAfloat64Time&>(time);
    write("initiate save " + narrow(label) + " @" + QString::number(seconds.getTime()));
    takePart();
  }
  void federationSaved() override { write("saved"); }
  void federationNotSaved(SaveFailureReason reason) override {
    write("not saved " + QString::number(reason));
  }
  void federationSaveStatusResponse(const FederateHandleSaveStatusPairVector& list) override {
    QString line = "save status";
    for (const auto& [federate, status] : list) line += " " + QString::number(status);
    write(line);
  }
  void requestFederationRestoreSucceeded(const std::wstring& label) override {
    write("restore accepted " + narrow(label));
  }
  void requestFederationRestoreFailed(const std::wstring& label) override {
    write("restore refused " + narrow(label));
  }
  void federationRestoreBegun() override { write("restore begun"); }
  void initiateFederateRestore(const std::wstring& label, const std::wstring& federateName,
                               FederateHandle handle) override {
    restoredHandle = handle;
    write("initiate restore " + narrow(label) + " as " + narrow(federateName));
    if (willing) rti().federateRestoreComplete();
  }
  void federationRestored() override { write("restored"); }
  void federationNotRestored(RestoreFailureReason reason) override {
    write("not restored " + QString::number(reason));
  }
  void federationRestoreStatusResponse(const FederateRestoreStatusVector& list) override {
    QString line = "restore status";
    for (const FederateRestoreStatus& one : list) line += " " + QString::number(one.status);
    write(line);
  }

 private:
  void takePart() {
    if (!willing) return;
    rti().federateSaveBegun();
    rti().federateSaveComplete();
  }
};

}  // namespace

class tst_save_restore : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

  /// Delivers callbacks of all by turns, until `done`.
  static bool turns(const QList<Saver*>& federates, const std::function<bool()>& done) {
    QElapsedTimer timer;
    timer.start();
    while (!done()) {
      if (timer.elapsed() > 10000) return false;
      for (Saver* federate : federates) federate->rti().evokeMultipleCallbacks(0.0, 0.001);
    }
    return true;
  }
  static bool all(const QList<Saver*>& federates, const QString& line, int count = 1) {
    return turns(federates, [&] {
      return std::all_of(federates.begin(), federates.end(),
                         [&](Saver* one) { return one->count(line) >= count; });
    });
  }
  static bool save(const QList<Saver*>& federates, const std::wstring& label) {
    for (Saver* one : federates) one->willing = true;
    federates.front()->rti().requestFederationSave(label);
    return all(federates, "saved");
  }
  static bool restore(const QList<Saver*>& federates, const std::wstring& label) {
    for (Saver* one : federates) one->willing = true;
    federates.front()->rti().requestFederationRestore(label);
    return all(federates, "restored");
  }

 private slots:
  void initTestCase() { qputenv("XDG_STATE_HOME", state_.path().toUtf8()); }
  void init() { federation_ = uniqueName("federation"); }
  void requestFederationSave();
  void requestFederationSaveAtTime();
  void initiateFederateSave();
  void federateSaveBegun();
  void federateSaveComplete();
  void federateSaveNotComplete();
  void federationSaved();
  void federationNotSaved();
  void abortFederationSave();
  void queryFederationSaveStatus();
  void federationSaveStatusResponse();
  void requestFederationRestore();
  void requestFederationRestoreSucceeded();
  void requestFederationRestoreFailed();
  void federationRestoreBegun();
  void initiateFederateRestore();
  void federateRestoreComplete();
  void federateRestoreNotComplete();
  void federationRestored();
  void federationNotRestored();
  void abortFederationRestore();
  void queryFederationRestoreStatus();
  void federationRestoreStatusResponse();
  void nothingElseGoesOn();
  void nobodyJoinsMeanwhile();
  void aFederateThatDiesEndsIt();
  void messagesThatWaitAreSaved();
  void timeIsSaved();
  void regionsAreSaved();
  void howMessagesAreSentIsSaved();
  void namesAndSynchronizationPointsAreSaved();
  void instancesOfOneWhoLeftAreSaved();
  void nothingFromBeforeComesAfter();
  void aLaterNodeRestores();
  void aFailedRestoreChangesNothing();
  void whatWasDeclaredWhileOthersReturn();
  void theSaveCannotBeWritten();
  void byThreadsOfTheirOwn();

 private:
  QTemporaryDir state_;
};

// --- saves ---------------------------------------------------------------------------------------

void tst_save_restore::requestFederationSave() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.rti().requestFederationSave(L"first");
  QVERIFY(all({&a, &b}, "initiate save first"));
  REFUSES(b.rti().requestFederationSave(L"second"), SaveInProgress);
  for (Saver* one : {&a, &b}) {
    one->rti().federateSaveBegun();
    one->rti().federateSaveComplete();
  }
  QVERIFY(all({&a, &b}, "saved"));
  a.rti().requestFederationSave(L"second");
  QVERIFY(all({&a, &b}, "initiate save second"));
  a.rti().abortFederationSave();
  QVERIFY(all({&a, &b}, "not saved"));
  a.regulate(1);
  a.rti().requestFederationSave(L"third", HLAfloat64Time(1));
  QVERIFY(all({&a, &b}, "initiate save third @1"));
}

void tst_save_restore::requestFederationSaveAtTime() {
  Saver a("a"), b("b"), c("c");
  for (Saver* one : {&a, &b, &c}) {
    one->willing = true;
    one->enter(federation_);
  }
  a.subscribeInteraction("Event");
  REFUSES(a.rti().requestFederationSave(L"s", HLAfloat64Time(5)), FederateUnableToUseTime);
  a.regulate(1);
  a.constrain();
  b.regulate(1);
  b.constrain();
  b.publishInteraction("Event");
  REFUSES(a.rti().requestFederationSave(L"s", HLAfloat64Time(0.5)), LogicalTimeAlreadyPassed);
  REFUSES(a.rti().requestFederationSave(L"s", HLAinteger64Time(5)), InvalidLogicalTime);

  a.rti().requestFederationSave(L"replaced", HLAfloat64Time(3));
  a.rti().requestFederationSave(L"s", HLAfloat64Time(5));
  b.send("Event", {{"number", "4"}}, 4);
  b.send("Event", {{"number", "6"}}, 6);
  a.rti().timeAdvanceRequest(HLAfloat64Time(10));
  b.rti().timeAdvanceRequest(HLAfloat64Time(5));
  // a is past nothing of before the save, and nobody passes its time before it is done.
  QVERIFY(all({&a, &b, &c}, "saved"));
  QCOMPARE(a.linesWith("initiate save"), QStringList{"initiate save s @5"});
  QCOMPARE(c.linesWith("initiate save"), QStringList{"initiate save s @5"});
  const QStringList lines = a.log();
  QVERIFY(lines.indexOf(QRegularExpression("receive .*number=4.*")) <
          lines.indexOf("initiate save s @5"));
  QCOMPARE(a.count("receive"), 1);
  QCOMPARE(a.count("granted"), 0);
  b.rti().timeAdvanceRequest(HLAfloat64Time(10));
  QVERIFY(turns({&a, &b, &c}, [&] { return a.count("granted 10") == 1; }));
  QCOMPARE(a.count("receive"), 2);
}

void tst_save_restore::initiateFederateSave() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto instance = a.registerInstance("Vehicle");
  a.update(instance, "Vehicle", {{"position", "1"}});
  a.rti().requestFederationSave(L"here");
  QVERIFY(b.expect("initiate save here"));
  // What was sent before comes before.
  QCOMPARE(b.count("reflect"), 1);
  QVERIFY(b.log().last().startsWith("initiate save"));
  QVERIFY(a.expect("initiate save here"));
  QCOMPARE(b.count("initiate save"), 1);
  b.rti().abortFederationSave();
  QVERIFY(all({&a, &b}, "not saved"));
  a.regulate(1);
  a.rti().requestFederationSave(L"there", HLAfloat64Time(2));
  QVERIFY(all({&a, &b}, "initiate save there @2"));
}

void tst_save_restore::federateSaveBegun() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().federateSaveBegun(), SaveNotInitiated);
  a.rti().requestFederationSave(L"s");
  QVERIFY(all({&a, &b}, "initiate save"));
  ACCEPTS(a.rti().federateSaveBegun());
  REFUSES(a.rti().federateSaveBegun(), SaveNotInitiated);
  b.rti().queryFederationSaveStatus();
  QVERIFY(b.expect("save status 2 1"));
}

void tst_save_restore::federateSaveComplete() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().federateSaveComplete(), FederateHasNotBegunSave);
  a.rti().requestFederationSave(L"s");
  QVERIFY(all({&a, &b}, "initiate save"));
  REFUSES(a.rti().federateSaveComplete(), FederateHasNotBegunSave);
  a.rti().federateSaveBegun();
  ACCEPTS(a.rti().federateSaveComplete());
  REFUSES(a.rti().federateSaveComplete(), FederateHasNotBegunSave);
  a.pump();
  QCOMPARE(a.count("saved"), 0);  // b has not even begun
  b.rti().federateSaveBegun();
  b.rti().federateSaveComplete();
  QVERIFY(all({&a, &b}, "saved"));
}

void tst_save_restore::federateSaveNotComplete() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().federateSaveNotComplete(), FederateHasNotBegunSave);
  a.rti().requestFederationSave(L"s");
  QVERIFY(all({&a, &b}, "initiate save"));
  a.rti().federateSaveBegun();
  ACCEPTS(a.rti().federateSaveNotComplete());
  QVERIFY(all({&a, &b}, "not saved 1"));
}

void tst_save_restore::federationSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  QVERIFY(save({&a, &b}, L"s"));
  QCOMPARE(a.count("saved"), 1);
  REFUSES(a.rti().federateSaveBegun(), SaveNotInitiated);
  ACCEPTS(a.publishInteraction("Message"));
}

void tst_save_restore::federationNotSaved() {
  Saver a("a"), b("b"), c("c");
  for (Saver* one : {&a, &b, &c}) one->enter(federation_);
  a.rti().requestFederationSave(L"s");
  QVERIFY(all({&a, &b, &c}, "initiate save"));
  c.rti().resignFederationExecution(NO_ACTION);
  QVERIFY(all({&a, &b}, "not saved 2"));
  a.publishInteraction("Message");  // services work again
  QVERIFY(save({&a, &b}, L"s"));
}

void tst_save_restore::abortFederationSave() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().abortFederationSave(), SaveNotInProgress);
  a.rti().requestFederationSave(L"s");
  QVERIFY(a.expect("initiate save"));
  ACCEPTS(b.rti().abortFederationSave());
  QVERIFY(all({&a, &b}, "not saved 5"));
  QCOMPARE(b.count("initiate save"), 0);  // it was over before b was told
  REFUSES(a.rti().abortFederationSave(), SaveNotInProgress);
}

void tst_save_restore::queryFederationSaveStatus() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.rti().queryFederationSaveStatus();
  QVERIFY(a.expect("save status 0 0"));
  a.rti().requestFederationSave(L"s");
  QVERIFY(all({&a, &b}, "initiate save"));
  b.rti().queryFederationSaveStatus();
  QVERIFY(b.expect("save status 1 1"));
}

void tst_save_restore::federationSaveStatusResponse() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.rti().requestFederationSave(L"s");
  QVERIFY(all({&a, &b}, "initiate save"));
  a.rti().federateSaveBegun();
  a.rti().federateSaveComplete();
  a.rti().queryFederationSaveStatus();
  QVERIFY(a.expect("save status 3 1"));
  QCOMPARE(b.count("save status"), 0);
}

// --- restores ------------------------------------------------------------------------------------

void tst_save_restore::requestFederationRestore() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  QVERIFY(save({&a, &b}, L"s"));
  a.willing = b.willing = false;
  a.rti().requestFederationRestore(L"s");
  QVERIFY(all({&a, &b}, "initiate restore s"));
  REFUSES(b.rti().requestFederationRestore(L"s"), RestoreInProgress);
  REFUSES(b.rti().requestFederationSave(L"s"), RestoreInProgress);
}

void tst_save_restore::requestFederationRestoreSucceeded() {
  Saver a("a");
  a.enter(federation_);
  QVERIFY(save({&a}, L"s"));
  QVERIFY(restore({&a}, L"s"));
  QCOMPARE(a.linesWith("restore accepted"), QStringList{"restore accepted s"});
  const QStringList lines = a.log();
  QVERIFY(lines.indexOf("restore accepted s") < lines.indexOf("restore begun"));
}

void tst_save_restore::requestFederationRestoreFailed() {
  Saver a("a"), b("b");
  a.enter(federation_);
  a.rti().requestFederationRestore(L"never saved");
  QVERIFY(a.expect("restore refused never saved"));
  QVERIFY(save({&a}, L"alone"));
  b.enter(federation_);
  b.rti().requestFederationRestore(L"alone");  // of one federate, and now there are two
  QVERIFY(b.expect("restore refused alone"));
  ACCEPTS(a.publishInteraction("Message"));
}

void tst_save_restore::federationRestoreBegun() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  QVERIFY(save({&a, &b}, L"s"));
  a.rti().requestFederationRestore(L"s");
  QVERIFY(all({&a, &b}, "restore begun"));
  QCOMPARE(b.count("restore begun"), 1);
  const QStringList lines = b.log();
  QVERIFY(b.expect("initiate restore"));
  QVERIFY(lines.indexOf(QRegularExpression("initiate restore.*")) < 0 ||
          lines.indexOf("restore begun") < lines.indexOf(QRegularExpression("initiate restore.*")));
}

void tst_save_restore::initiateFederateRestore() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  const FederateHandle before = b.handle();
  QVERIFY(save({&a, &b}, L"s"));
  // Another b takes its place; the restored one gets back the handle of the saved one.
  b.rti().resignFederationExecution(NO_ACTION);
  Saver next("b");
  next.enter(federation_);
  QVERIFY(next.handle() != before);
  QVERIFY(restore({&a, &next}, L"s"));
  QCOMPARE(next.linesWith("initiate restore"), QStringList{"initiate restore s as b"});
  QVERIFY(next.restoredHandle == before);
  QVERIFY(a.rti().getFederateHandle(L"b") == before);
  QVERIFY(next.rti().getFederateName(before) == L"b");
}

void tst_save_restore::federateRestoreComplete() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().federateRestoreComplete(), RestoreNotRequested);
  QVERIFY(save({&a, &b}, L"s"));
  a.willing = b.willing = false;
  a.rti().requestFederationRestore(L"s");
  QVERIFY(all({&a, &b}, "initiate restore"));
  ACCEPTS(a.rti().federateRestoreComplete());
  REFUSES(a.rti().federateRestoreComplete(), RestoreNotRequested);
  a.pump();
  QCOMPARE(a.count("restored"), 0);
  b.rti().federateRestoreComplete();
  QVERIFY(all({&a, &b}, "restored"));
}

void tst_save_restore::federateRestoreNotComplete() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().federateRestoreNotComplete(), RestoreNotRequested);
  QVERIFY(save({&a, &b}, L"s"));
  a.willing = b.willing = false;
  a.rti().requestFederationRestore(L"s");
  QVERIFY(all({&a, &b}, "initiate restore"));
  ACCEPTS(b.rti().federateRestoreNotComplete());
  QVERIFY(all({&a, &b}, "not restored 1"));
}

void tst_save_restore::federationRestored() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  QVERIFY(save({&a, &b}, L"s"));
  QVERIFY(restore({&a, &b}, L"s"));
  QCOMPARE(b.count("restored"), 1);
  ACCEPTS(b.publishInteraction("Message"));
  // And once more, from the same save.
  a.clearLog();
  b.clearLog();
  QVERIFY(restore({&a, &b}, L"s"));
}

void tst_save_restore::federationNotRestored() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  QVERIFY(save({&a, &b}, L"s"));
  a.willing = b.willing = false;
  a.rti().requestFederationRestore(L"s");
  QVERIFY(all({&a, &b}, "initiate restore"));
  b.rti().resignFederationExecution(NO_ACTION);
  QVERIFY(a.expect("not restored 2"));
  ACCEPTS(a.publishInteraction("Message"));
}

void tst_save_restore::abortFederationRestore() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().abortFederationRestore(), RestoreNotInProgress);
  QVERIFY(save({&a, &b}, L"s"));
  a.willing = b.willing = false;
  a.rti().requestFederationRestore(L"s");
  QVERIFY(all({&a, &b}, "initiate restore"));
  ACCEPTS(b.rti().abortFederationRestore());
  QVERIFY(all({&a, &b}, "not restored 4"));
  REFUSES(a.rti().abortFederationRestore(), RestoreNotInProgress);
}

void tst_save_restore::queryFederationRestoreStatus() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.rti().queryFederationRestoreStatus();
  QVERIFY(a.expect("restore status 0 0"));
}

void tst_save_restore::federationRestoreStatusResponse() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  QVERIFY(save({&a, &b}, L"s"));
  a.willing = b.willing = false;
  a.rti().requestFederationRestore(L"s");
  QVERIFY(all({&a, &b}, "initiate restore"));
  a.rti().federateRestoreComplete();
  b.rti().queryFederationRestoreStatus();
  QVERIFY(b.expect("restore status 5 4"));
  QCOMPARE(a.count("restore status"), 0);
}

// --- the whole federation ------------------------------------------------------------------------

void tst_save_restore::nothingElseGoesOn() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto instance = a.registerInstance("Vehicle");
  b.rti().requestFederationSave(L"s");
  QVERIFY(b.expect("initiate save"));
  // a does not know yet and goes on; b gets that after the save.
  a.update(instance, "Vehicle", {{"position", "1"}});
  b.pump();
  QCOMPARE(b.count("reflect"), 0);
  REFUSES(b.publishInteraction("Message"), SaveInProgress);
  REFUSES(b.rti().resignFederationExecution(static_cast<ResignAction>(99)), InvalidResignAction);
  b.rti().federateSaveBegun();
  b.rti().federateSaveComplete();
  a.willing = true;
  QVERIFY(all({&a, &b}, "saved"));
  QVERIFY(b.expect("reflect"));
  QVERIFY(b.log().indexOf("saved") < b.log().indexOf(QRegularExpression("reflect.*")));
}

void tst_save_restore::nobodyJoinsMeanwhile() {
  Saver a("a"), late("late");
  a.enter(federation_);
  a.rti().requestFederationSave(L"s");
  late.connect();
  REFUSES(late.join(federation_), SaveInProgress);
  QVERIFY(a.expect("initiate save"));
  a.rti().federateSaveBegun();
  a.rti().federateSaveComplete();
  QVERIFY(a.expect("saved"));
  a.rti().requestFederationRestore(L"s");
  REFUSES(late.join(federation_), RestoreInProgress);
  QVERIFY(a.expect("initiate restore"));
  a.rti().federateRestoreComplete();
  REFUSES(late.join(federation_), RestoreInProgress);
  QVERIFY(a.expect("restored"));
  ACCEPTS(late.join(federation_));
}

void tst_save_restore::aFederateThatDiesEndsIt() {
  Saver a("a");
  a.enter(federation_);
  {
    Mortal b("b", federation_);
    a.rti().requestFederationSave(L"s");
    QVERIFY(a.expect("initiate save"));
    b.kill();
    QVERIFY(a.expect("not saved 2"));
  }
  QVERIFY(save({&a}, L"alone"));
}

void tst_save_restore::messagesThatWaitAreSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publishInteraction("Event");
  a.publishInteraction("Message");
  b.subscribeInteraction("Event");
  b.subscribeInteraction("Message");
  a.regulate(1);
  b.constrain();
  // In timestamp order, and in receive order while asynchronous delivery is off.
  for (int time : {7, 3, 5}) a.send("Event", {{"number", QByteArray::number(time)}}, time);
  a.send("Message", {{"text", "held"}});
  b.pump();
  QCOMPARE(b.count("receive"), 0);
  QVERIFY(save({&a, &b}, L"s"));

  // They are delivered, and delivered again when the execution is restored.
  for (int round = 0; round < 2; ++round) {
    b.rti().timeAdvanceRequest(HLAfloat64Time(6));
    a.rti().timeAdvanceRequest(HLAfloat64Time(6));
    QVERIFY(turns({&a, &b}, [&] { return b.count("granted 6") == 1; }));
    QCOMPARE(b.count("receive"), 3);
    const QStringList received = b.linesWith("receive");
    QVERIFY2(received[0].contains("text=held"), qPrintable(received.join('\n')));
    QVERIFY2(received[1].contains("number=3") && received[1].contains("@3 TSO"),
             qPrintable(received.join('\n')));
    QVERIFY(received[2].contains("number=5"));
    if (round == 1) break;
    a.clearLog();
    b.clearLog();
    QVERIFY(restore({&a, &b}, L"s"));
    QCOMPARE(b.count("receive"), 0);
    QCOMPARE(b.logicalTime(), 0.0);
  }
}

void tst_save_restore::regionsAreSaved() {
  Saver a("a"), b("b");
  for (Saver* one : {&a, &b}) one->enter(federation_, HLA_EVOKED, {}, modulePath("regions.xml"));
  const auto move = [](Saver& federate, const RegionHandle& region, unsigned long from) {
    federate.rti().setRangeBounds(region, federate.rti().getDimensionHandle(L"X"),
                                  RangeBounds(from, from + 5));
    federate.rti().commitRegionModifications({region});
  };
  const auto make = [&](Saver& federate, unsigned long from) {
    const auto region = federate.rti().createRegion({federate.rti().getDimensionHandle(L"X")});
    move(federate, region, from);
    return region;
  };
  a.publish("Thing", {"place"});
  a.rti().deleteRegion(make(a, 0));  // a gap in its table
  const RegionHandle at = make(a, 3);
  const RegionHandle seen = make(b, 0);
  b.rti().enableAttributeScopeAdvisorySwitch();
  b.rti().subscribeObjectClassAttributesWithRegions(b.objectClass("Thing"),
                                                    {{b.attributes("Thing", {"place"}), {seen}}});
  const auto thing = a.rti().registerObjectInstanceWithRegions(
      a.objectClass("Thing"), {{a.attributes("Thing", {"place"}), {at}}});
  b.pump();
  QCOMPARE(b.count("discover"), 1);
  QVERIFY(save({&a, &b}, L"s"));

  const auto reflected = [&](const QByteArray& value) {
    b.clearLog();
    a.update(thing, "Thing", {{"place", value}});
    b.pump();
    return b.count("reflect");
  };
  move(a, at, 50);
  QCOMPARE(reflected("1"), 0);
  b.rti().unsubscribeObjectClassAttributesWithRegions(b.objectClass("Thing"),
                                                      {{b.attributes("Thing", {"place"}), {seen}}});
  b.rti().deleteRegion(seen);
  QVERIFY(restore({&a, &b}, L"s"));

  QCOMPARE(a.rti().getRangeBounds(at, a.rti().getDimensionHandle(L"X")).getLowerBound(), 3ul);
  QCOMPARE(reflected("2"), 1);
  QCOMPARE(refusal([&] { b.rti().enableAttributeScopeAdvisorySwitch(); }),
           QString("AttributeScopeAdvisorySwitchIsOn"));
  QCOMPARE(refusal([&] { a.rti().deleteRegion(at); }),
           QString("RegionInUseForUpdateOrSubscription"));
  move(b, seen, 60);
  QCOMPARE(reflected("3"), 0);
  move(a, at, 62);
  QCOMPARE(reflected("4"), 1);
  const RegionHandle next = make(a, 0);
  QVERIFY(next != at);
}

void tst_save_restore::timeIsSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.regulate(1);
  a.constrain();
  b.regulate(2);
  b.constrain();
  for (double time : {3.0, 4.0}) {
    a.rti().timeAdvanceRequest(HLAfloat64Time(time));
    b.rti().timeAdvanceRequest(HLAfloat64Time(time));
    QVERIFY(turns({&a, &b}, [&] { return a.logicalTime() == time && b.logicalTime() == time; }));
  }
  a.rti().enableAsynchronousDelivery();
  // a waits for a grant that b does not allow yet.
  a.rti().timeAdvanceRequest(HLAfloat64Time(8));
  a.pump();
  QCOMPARE(a.count("granted 8"), 0);
  QVERIFY(save({&a, &b}, L"s"));
  b.rti().timeAdvanceRequest(HLAfloat64Time(20));
  QVERIFY(turns({&a, &b}, [&] { return a.count("granted 8") == 1; }));
  a.clearLog();
  b.clearLog();

  QVERIFY(restore({&a, &b}, L"s"));
  QCOMPARE(a.logicalTime(), 4.0);
  QCOMPARE(b.logicalTime(), 4.0);
  QCOMPARE(b.galt(), "9");
  REFUSES(a.rti().timeAdvanceRequest(HLAfloat64Time(9)), InTimeAdvancingState);
  REFUSES(a.rti().enableAsynchronousDelivery(), AsynchronousDeliveryAlreadyEnabled);
  REFUSES(b.rti().timeAdvanceRequest(HLAfloat64Time(3)), LogicalTimeAlreadyPassed);
  a.pump();
  QCOMPARE(a.count("granted 8"), 0);
  b.rti().timeAdvanceRequest(HLAfloat64Time(7));
  QVERIFY(turns({&a, &b}, [&] { return a.count("granted 8") == 1 && b.count("granted 7") == 1; }));
}

void tst_save_restore::howMessagesAreSentIsSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "track"});
  b.subscribe("Vehicle", {"position", "track"});
  a.publishInteraction("Message");
  a.publishInteraction("Event");
  b.subscribeInteraction("Event");
  const auto car = a.registerInstance("Vehicle");
  const auto position = a.attributes("Vehicle", {"position"});
  const auto message = a.interactionClass("Message");
  a.rti().requestAttributeTransportationTypeChange(car, position, BEST_EFFORT);
  a.rti().requestInteractionTransportationTypeChange(message, BEST_EFFORT);
  a.rti().changeAttributeOrderType(car, a.attributes("Vehicle", {"track"}), RECEIVE);
  QVERIFY(a.expect("changed", 2));
  QVERIFY(b.expect("discover"));
  a.regulate(1);
  b.constrain();
  const auto first = a.send("Event", {{"number", "1"}}, 5);
  const auto second = a.send("Event", {{"number", "2"}}, 5);
  QVERIFY(save({&a, &b}, L"sent"));
  // What happens after the save is undone by the restore.
  a.rti().retract(second);
  a.rti().requestAttributeTransportationTypeChange(car, position, RELIABLE);
  a.rti().changeAttributeOrderType(car, a.attributes("Vehicle", {"track"}), TIMESTAMP);
  a.rti().unpublishInteractionClass(message);
  QVERIFY(a.expect("changed", 3));
  QVERIFY(restore({&a, &b}, L"sent"));
  b.rti().queryAttributeTransportationType(car, a.attribute("Vehicle", "position"));
  b.rti().queryInteractionTransportationType(a.handle(), message);
  QVERIFY(b.expect("sent Message by a best effort"));
  QCOMPARE(b.count("sent "), 2);
  QVERIFY(b.linesWith("sent ").join(';').contains("position best effort"));
  // A message of before can be retracted, once.
  ACCEPTS(a.rti().retract(first));
  REFUSES(a.rti().retract(first), MessageCanNoLongerBeRetracted);
  b.details.clear();
  b.take();
  a.update(car, "Vehicle", {{"position", "1"}, {"track", "2"}}, 3);
  a.rti().timeAdvanceRequest(HLAfloat64Time(10));
  b.rti().timeAdvanceRequest(HLAfloat64Time(6));
  QVERIFY(turns({&a, &b}, [&] { return b.count("granted 6") == 1; }));
  QStringList got = b.details;
  got.sort();
  QCOMPARE(got, QStringList({"RO best effort @3 as RO from a", "RO reliable @3 as RO from a",
                             "TSO reliable @5 as TSO retractable from a"}));
  QCOMPARE(b.count("receive Event number=2 @5 TSO"), 1);
  QCOMPARE(b.count("receive Event number=1"), 0);
}

void tst_save_restore::namesAndSynchronizationPointsAreSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto truck = a.registerNamed("Vehicle", "truck");
  QVERIFY(b.expect("discover truck"));
  a.rti().reserveObjectInstanceName(L"spare");
  QVERIFY(a.pumpUntil([&] { return a.log().join(' ').contains("spare"); }));
  a.rti().registerFederationSynchronizationPoint(L"ready", data("go"));
  QVERIFY(all({&a, &b}, "announce ready"));
  a.rti().synchronizationPointAchieved(L"ready");
  QVERIFY(save({&a, &b}, L"s"));

  b.rti().synchronizationPointAchieved(L"ready");
  QVERIFY(all({&a, &b}, "synchronized ready"));
  a.rti().deleteObjectInstance(truck, data(""));
  QVERIFY(b.expect("remove truck"));
  a.rti().releaseObjectInstanceName(L"spare");
  a.rti().unpublishObjectClass(a.objectClass("Vehicle"));
  a.clearLog();
  b.clearLog();

  QVERIFY(restore({&a, &b}, L"s"));
  QCOMPARE(b.nameOfInstance(truck), "truck");
  QCOMPARE(b.count("discover"), 0);  // it was known, and is again
  a.update(truck, "Vehicle", {{"position", "9"}});
  QVERIFY(b.expect("reflect truck position=9"));
  b.rti().reserveObjectInstanceName(L"spare");
  QVERIFY(b.pumpUntil([&] { return b.log().join(' ').contains("spare"); }));
  ACCEPTS(a.rti().registerObjectInstance(a.objectClass("Vehicle"), L"spare"));
  QCOMPARE(b.count("announce"), 0);
  b.rti().synchronizationPointAchieved(L"ready");
  QVERIFY(all({&a, &b}, "synchronized ready"));
  // A number that was used is not used again.
  const auto another = a.registerInstance("Vehicle");
  QVERIFY(another != truck);
}

void tst_save_restore::instancesOfOneWhoLeftAreSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  b.subscribe("Vehicle", {"position"});
  a.publish("Vehicle", {"position"});
  const auto ship = a.registerNamed("Vehicle", "ship");
  QVERIFY(b.expect("discover ship"));
  a.rti().resignFederationExecution(UNCONDITIONALLY_DIVEST_ATTRIBUTES);
  QVERIFY(save({&b}, L"s"));
  b.clearLog();
  QVERIFY(restore({&b}, L"s"));
  QCOMPARE(b.nameOfInstance(ship), "ship");
  b.rti().reserveObjectInstanceName(L"ship");
  QVERIFY(b.pumpUntil([&] { return b.log().join(' ').contains("ship"); }));
  QCOMPARE(b.log().last(), "taken ship");
}

void tst_save_restore::nothingFromBeforeComesAfter() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  QVERIFY(save({&a, &b}, L"s"));
  b.willing = a.willing = false;
  b.rti().requestFederationRestore(L"s");
  for (int i = 0; i < 1000; ++i) a.send("Message", {{"text", "old"}});
  QVERIFY(all({&a, &b}, "initiate restore"));
  const int before = b.count("receive");
  a.rti().federateRestoreComplete();
  b.rti().federateRestoreComplete();
  QVERIFY(all({&a, &b}, "restored"));
  a.send("Message", {{"text", "new"}});
  QVERIFY(b.pumpUntil([&] { return b.log().last().contains("new"); }));
  QCOMPARE(b.count("receive"), before + 1);
}

void tst_save_restore::aLaterNodeRestores() {
  FederateHandle handleOfB;
  ObjectInstanceHandle instance;
  {
    Saver a("a"), b("b"), gone("gone");
    gone.enter(federation_);
    a.enter(federation_);
    b.enter(federation_);
    gone.rti().resignFederationExecution(NO_ACTION);
    handleOfB = b.handle();
    a.publish("Vehicle", {"position"});
    b.subscribe("Vehicle", {"position"});
    instance = a.registerInstance("Vehicle");
    QVERIFY(b.expect("discover"));
    QVERIFY(save({&a, &b}, L"evening"));
    gone.rti().disconnect();
    a.leave(UNCONDITIONALLY_DIVEST_ATTRIBUTES);
    b.leave(NO_ACTION);
  }
  // The node leaves with its last connection once no execution exists.
  const int pid = OwnNode::pidOf(node_.name());
  QVERIFY(pid > 0);
  QCOMPARE(::kill(pid, SIGKILL), 0);
  QTRY_VERIFY(OwnNode::pidOf(node_.name()) <= 0);

  // Joined the other way round, so that they first have other handles.
  Saver b("b"), a("a");
  b.enter(federation_);
  a.enter(federation_);
  QVERIFY(b.handle() != handleOfB);
  QVERIFY(restore({&a, &b}, L"evening"));
  QVERIFY(b.restoredHandle == handleOfB);
  a.update(instance, "Vehicle", {{"position", "1"}});
  QVERIFY(b.pumpUntil([&] { return b.reflections == 1; }));
  QCOMPARE(b.count("discover"), 0);
  // The instance is a's again: it can be deleted.
  a.rti().deleteObjectInstance(instance, data(""));
  QVERIFY(b.expect("remove"));
}

void tst_save_restore::aFailedRestoreChangesNothing() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  QVERIFY(save({&a, &b}, L"s"));
  a.willing = b.willing = false;
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto instance = a.registerInstance("Vehicle");
  QVERIFY(b.expect("discover"));
  a.rti().requestFederationRestore(L"s");
  a.update(instance, "Vehicle", {{"position", "1"}});
  QVERIFY(all({&a, &b}, "initiate restore"));
  a.rti().federateRestoreComplete();
  b.rti().federateRestoreNotComplete();
  QVERIFY(all({&a, &b}, "not restored 1"));
  a.update(instance, "Vehicle", {{"position", "2"}});
  QVERIFY(b.pumpUntil([&] { return b.reflections == 2; }));
}

void tst_save_restore::whatWasDeclaredWhileOthersReturn() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  a.registerInstance("Vehicle");
  QVERIFY(save({&a, &b}, L"s"));
  a.willing = b.willing = true;
  b.rti().requestFederationRestore(L"s");
  QVERIFY(all({&a, &b}, "initiate restore"));
  // b is back before a has brought its instances, and subscribes.
  QVERIFY(b.expect("restored"));
  QCOMPARE(a.count("restored"), 0);
  b.subscribe("Vehicle", {"position"});
  b.pump();
  QVERIFY(turns({&a, &b}, [&] { return b.count("discover") == 1; }));
}

void tst_save_restore::theSaveCannotBeWritten() {
  Saver a("a");
  a.enter(federation_);
  // A file where the node wants to make the directory of this federation execution.
  const QString place = state_.path() + "/tutti/saves/" + federation_;
  QDir().mkpath(state_.path() + "/tutti/saves");
  QFile obstacle(place);
  QVERIFY(obstacle.open(QIODevice::WriteOnly));
  obstacle.close();
  a.willing = true;
  a.rti().requestFederationSave(L"s");
  QVERIFY(a.expect("not saved 0"));
  QVERIFY(obstacle.remove());
  ACCEPTS(a.publishInteraction("Message"));
  QVERIFY(save({&a}, L"s"));
}

void tst_save_restore::byThreadsOfTheirOwn() {
  // Callbacks come from threads, and calls from this one meanwhile.
  Saver a("a"), b("b");
  a.willing = b.willing = true;
  a.enter(federation_, HLA_IMMEDIATE);
  b.enter(federation_, HLA_IMMEDIATE);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto instance = a.registerInstance("Vehicle");
  const auto told = [&](Saver& one, const QString& line, int count) {
    return QTest::qWaitFor([&] { return one.count(line) == count; }, 10000);
  };
  QVERIFY(told(b, "discover", 1));
  for (int round = 1; round <= 20; ++round) {
    a.rti().requestFederationSave(L"s");
    while (b.count("saved") < round) {
      try {
        a.update(instance, "Vehicle", {{"position", "1"}});
      } catch (const SaveInProgress&) {
      }
    }
    QVERIFY(told(a, "saved", round));
    b.rti().requestFederationRestore(L"s");
    QVERIFY(told(a, "restored", round) && told(b, "restored", round));
    QVERIFY(b.rti().getObjectInstanceName(instance).starts_with(L"HLA"));
  }
  a.leave();
  b.leave();
}

CONFORMANCE_MAIN(tst_save_restore)
#include "tst_save_restore.moc"
