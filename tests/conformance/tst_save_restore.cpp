// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, 4.16 to 4.32: save and restore. One test function for each service and
// callback, of its name; tst_saved_federation is about what has to hold for the whole.
#include "saver.h"

using namespace rti1516e;

class tst_save_restore : public QObject {
  Q_OBJECT

  OwnSaves saves_;
  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("federation"); }
  void requestFederationSave();
  void requestFederationSaveAtTime();
  void initiateFederateSave();
  void federateSaveBegun();
  void federateSaveComplete();
  void federateSaveNotComplete();
  void aSaveEndsBeforeAFederateHasBegun();
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

/// 4.18, 4.19: a federate that was told to save cannot know that another one has just ended the
/// save. Until it is told, what it was asked to call is taken, once.
void tst_save_restore::aSaveEndsBeforeAFederateHasBegun() {
  Saver a("a"), b("b"), c("c");
  for (Saver* one : {&a, &b, &c}) one->enter(federation_);
  a.rti().requestFederationSave(L"s");
  QVERIFY(all({&a, &b, &c}, "initiate save"));
  c.rti().federateSaveBegun();
  a.rti().federateSaveBegun();
  a.rti().federateSaveNotComplete();
  ACCEPTS(b.rti().federateSaveBegun());
  REFUSES(b.rti().federateSaveBegun(), SaveNotInitiated);
  ACCEPTS(b.rti().federateSaveComplete());
  REFUSES(b.rti().federateSaveComplete(), FederateHasNotBegunSave);
  ACCEPTS(c.rti().federateSaveNotComplete());
  QVERIFY(all({&a, &b, &c}, "not saved 1"));
  for (Saver* one : {&a, &b, &c}) {
    REFUSES(one->rti().federateSaveBegun(), SaveNotInitiated);
    REFUSES(one->rti().federateSaveComplete(), FederateHasNotBegunSave);
    QCOMPARE(one->count("not saved"), 1);
  }
  // Not by a federate that was not told to save either.
  a.rti().requestFederationSave(L"t");
  QVERIFY(a.expect("initiate save", 1));
  a.rti().abortFederationSave();
  REFUSES(b.rti().federateSaveBegun(), SaveNotInitiated);
  QVERIFY(all({&a, &b, &c}, "not saved", 2));
  QVERIFY(save({&a, &b, &c}, L"u"));
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

CONFORMANCE_MAIN(tst_save_restore)
#include "tst_save_restore.moc"
