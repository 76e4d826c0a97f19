// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "executive/answer.h"
#include "fabric/protocol_save.h"

namespace tutti::executive {

/// How far a save or a restore of a federation execution is (IEEE 1516.1-2010, 4.16 to 4.32): who
/// has done which step. Plain values: whoever calls it writes the records and the files.
///
/// A federate that leaves ends what is going on; the set of federates does not change otherwise,
/// because nobody can join meanwhile.
class SaveRestore {
 public:
  /// Values of rti1516e::SaveFailureReason.
  enum class SaveFailure : std::uint32_t {
    RtiUnable = 0,
    FederateReported = 1,
    FederateResigned = 2,
    Aborted = 5,
  };
  /// Values of rti1516e::RestoreFailureReason.
  enum class RestoreFailure : std::uint32_t {
    RtiUnable = 0,
    FederateReported = 1,
    FederateResigned = 2,
    Aborted = 4,
  };
  /// Values of rti1516e::SaveStatus.
  enum class SaveStatus : std::uint32_t { None = 0, Instructed = 1, Saving = 2, Waiting = 3 };
  /// Values of rti1516e::RestoreStatus.
  enum class RestoreStatus : std::uint32_t { None = 0, Restoring = 4, Waiting = 5 };

  struct Scheduled {
    std::uint64_t save = 0;  ///< counts the requests
    std::string label;
    std::uint64_t time = 0;  ///< bits
  };

  bool isSaving() const { return saving_; }
  bool isRestoring() const { return restoring_; }
  const std::string& label() const { return label_; }

  // Saves. A federate's request is refused as the standard says; a step reports what it completes.

  /// Neither a save nor a restore is going on. Refused with SaveInProgress or RestoreInProgress.
  Answer<void> checkIdle() const;
  /// 4.16 with a time: replaces the save that was scheduled before.
  const Scheduled& schedule(std::string label, std::uint64_t time);
  const std::optional<Scheduled>& scheduled() const { return scheduled_; }
  /// A federate is at the time of the scheduled save. True: now all of `joined` are.
  bool reached(std::uint64_t save, fabric::FederateNumber federate,
               const std::set<fabric::FederateNumber>& joined);
  /// Takes part: `joined`. Ends the waiting of a scheduled save.
  void initiateSave(std::string label, const std::set<fabric::FederateNumber>& joined);
  /// 4.18. True: all have begun.
  Answer<bool> saveBegun(fabric::FederateNumber federate);
  /// 4.19, successfully.
  Answer<void> saveCompleted(fabric::FederateNumber federate);
  /// Refused with FederateHasNotBegunSave.
  Answer<void> checkSaveBegun(fabric::FederateNumber federate) const;
  /// The library's part. True: every federate has completed and every state is here. One of a save
  /// that has ended meanwhile is left.
  bool saved(fabric::FederateNumber federate, fabric::SavedStateRequest state);
  std::map<fabric::FederateNumber, fabric::SavedStateRequest> takeStates();
  void endSave();
  Answer<void> checkSaving() const;
  std::vector<fabric::FederateSaveStatus> saveStatus(
      const std::set<fabric::FederateNumber>& joined) const;

  // Restores
  void beginRestore(std::string label, std::vector<fabric::RestoredIdentity> federates);
  const std::vector<fabric::RestoredIdentity>& identities() const { return identities_; }
  /// 4.28, successfully. True: all have completed.
  Answer<bool> restoreCompleted(fabric::FederateNumber federate);
  Answer<void> checkRestoring() const;
  void endRestore();
  std::vector<fabric::FederateRestoreStatus> restoreStatus(
      const std::set<fabric::FederateNumber>& joined) const;

  /// A federate has left: it is no longer waited for. True: the scheduled save can begin now.
  bool left(fabric::FederateNumber federate, const std::set<fabric::FederateNumber>& joined);

 private:
  struct Part {
    SaveStatus status = SaveStatus::Instructed;
    std::optional<fabric::SavedStateRequest> state;
  };

  std::uint64_t lastSave_ = 0;
  std::optional<Scheduled> scheduled_;
  std::set<fabric::FederateNumber> reached_;
  bool saving_ = false;
  bool restoring_ = false;
  std::string label_;
  std::map<fabric::FederateNumber, Part> parts_;
  std::vector<fabric::RestoredIdentity> identities_;
  std::set<fabric::FederateNumber> restored_;
};

}  // namespace tutti::executive
