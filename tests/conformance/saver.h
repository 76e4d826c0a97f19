// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "member.h"

/// Where the RTI of this program keeps its saves: made before the node, gone with the program.
class OwnSaves {
 public:
  OwnSaves() { qputenv("XDG_STATE_HOME", directory_.path().toUtf8()); }
  QString path() const { return directory_.path(); }

 private:
  QTemporaryDir directory_;
};

/// A federate that says what a save or restore asks of it:
/// "initiate save LABEL [@5]", "saved", "not saved REASON", "save status 0 2", "restore accepted
/// LABEL", "restore refused LABEL", "restore begun", "initiate restore LABEL as NAME",
/// "restored", "not restored REASON", "restore status 4 5".
class Saver : public Member {
 public:
  using Member::Member;
  ~Saver() RTI_NOEXCEPT override { end(); }

  rti1516e::FederateHandle restoredHandle;
  /// Takes part by itself, from inside the callbacks.
  bool willing = false;

  void initiateFederateSave(const std::wstring& label) override {
    write("initiate save " + narrow(label));
    takePart();
  }
  void initiateFederateSave(const std::wstring& label, const rti1516e::LogicalTime& time) override {
    const auto& seconds = dynamic_cast<const rti1516e::HLAfloat64Time&>(time);
    write("initiate save " + narrow(label) + " @" + QString::number(seconds.getTime()));
    takePart();
  }
  void federationSaved() override { write("saved"); }
  void federationNotSaved(rti1516e::SaveFailureReason reason) override {
    write("not saved " + QString::number(reason));
  }
  void federationSaveStatusResponse(
      const rti1516e::FederateHandleSaveStatusPairVector& list) override {
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
                               rti1516e::FederateHandle handle) override {
    restoredHandle = handle;
    write("initiate restore " + narrow(label) + " as " + narrow(federateName));
    if (willing) rti().federateRestoreComplete();
  }
  void federationRestored() override { write("restored"); }
  void federationNotRestored(rti1516e::RestoreFailureReason reason) override {
    write("not restored " + QString::number(reason));
  }
  void federationRestoreStatusResponse(const rti1516e::FederateRestoreStatusVector& list) override {
    QString line = "restore status";
    for (const rti1516e::FederateRestoreStatus& one : list)
      line += " " + QString::number(one.status);
    write(line);
  }

 private:
  void takePart() {
    if (!willing) return;
    rti().federateSaveBegun();
    rti().federateSaveComplete();
  }
};

/// Delivers callbacks of all by turns, until `done`.
inline bool turns(const QList<Saver*>& federates, const std::function<bool()>& done) {
  QElapsedTimer timer;
  timer.start();
  while (!done()) {
    if (timer.elapsed() > 10000) return false;
    for (Saver* federate : federates) federate->rti().evokeMultipleCallbacks(0.0, 0.001);
  }
  return true;
}

inline bool all(const QList<Saver*>& federates, const QString& line, int count = 1) {
  return turns(federates, [&] {
    return std::all_of(federates.begin(), federates.end(),
                       [&](Saver* one) { return one->count(line) >= count; });
  });
}

inline bool save(const QList<Saver*>& federates, const std::wstring& label) {
  for (Saver* one : federates) one->willing = true;
  federates.front()->rti().requestFederationSave(label);
  return all(federates, "saved");
}

inline bool restore(const QList<Saver*>& federates, const std::wstring& label) {
  for (Saver* one : federates) one->willing = true;
  federates.front()->rti().requestFederationRestore(label);
  return all(federates, "restored");
}
