// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "composer/model/catalog.h"
#include "composer/model/composition.h"
#include "composer/model/data_flow.h"
#include "composer/model/object_models.h"

namespace tutti::composer {

enum class Severity { Error, Warning, Info };

/// "error", "warning", "info".
QString severityName(Severity severity);

/// Which check found something; also the text of the Problems list's Check column.
enum class Check { Components, Parameters, DataFlow, ObjectModel, Time, Names, Start };

/// "Components", "Parameters", "Data flow", "Object model", "Time", "Names", "Start".
QString checkName(Check check);

/// What a finding is about; empty fields do not apply.
struct Where {
  QString federate;   ///< id
  QString parameter;  ///< name
  QString className;  ///< fully qualified
  QString file;       ///< absolute path
  int line = 0;       ///< 1-based, 0 unknown
  bool operator==(const Where&) const = default;
};

/// A change that makes a finding go away; Document::apply() carries it out as one undoable step.
struct Fix {
  enum class Kind {
    SetParameter,
    SetVersion,
    SetEnabled,
    SetName,
    AddFederate,
    RemoveFederate,
    RemoveModule,
    SetWaitsFor,
    SetPace,
    SetCount,
    SetRestart
  };
  Kind kind = Kind::SetParameter;
  QString label;      ///< the button: a verb with its object, "Use 250 km"
  QString federate;   ///< id it acts on; empty for AddFederate, RemoveModule and SetPace
  QString parameter;  ///< SetParameter
  Json value;         ///< new value, version, name, component id, module, list of ids, pace, count,
                      ///< or the word of a restart policy
  bool operator==(const Fix&) const = default;
};

struct Finding {
  Severity severity = Severity::Error;
  Check check = Check::Components;
  QString text;  ///< what, one sentence with the names as the person wrote them
  QString why;   ///< reason and consequence, for the detail; may be empty
  Where where;
  std::optional<Fix> fix;

  /// "radar-west › range", or "AirTraffic-Radar.xml:52" when no federate is concerned.
  [[nodiscard]] QString place(const Composition& composition) const;
  bool operator==(const Finding&) const = default;
};

/// What the checks look at besides the composition itself.
struct CheckInput {
  QString folder;             ///< where relative paths of the composition start
  QStringList binaryFolders;  ///< where executables are looked for
  const ObjectModelReport* objectModel =
      nullptr;  ///< null: not examined yet, its checks are left out
};

/// Everything that is wrong or suspicious, errors first, then warnings, then infos; within those by
/// start order.
std::vector<Finding> checkComposition(const Composition& composition, const Catalog& catalog,
                                      const CheckInput& input);

/// True when nothing of error severity is among them: the composition may run.
bool canRun(const std::vector<Finding>& findings);

}  // namespace tutti::composer
