// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <memory>

#include "fom-editor/model/checks/fix.h"
#include "fom-editor/model/item.h"
#include "fom-editor/model/module_dependencies.h"
#include "fom-editor/model/module_file.h"
#include "omt/object_model.h"

namespace tutti::fomedit {

/// How far a model is from being usable anywhere, from what stops a run to what only readers miss.
enum class Level {
  Loads,     ///< this RTI would refuse the modules
  Strict,    ///< another RTI refuses them or misunderstands them
  Complete,  ///< not as the standard's interchange format (DIF) wants it; a run is not stopped
  Described  ///< no complete model as the OMT schema wants it; semantics
};

/// One row of the Checks pane. loadModel() finds what reading and merging say; checkModules() the
/// rest.
struct Finding {
  Level level = Level::Loads;
  QString text;  ///< one sentence, names as written
  QString hint;  ///< what to do; may be empty
  QString file;  ///< path as it was given
  int line = 0;  ///< from 1; 0 unknown
  QString otherFile;
  int otherLine = 0;
  QString item;          ///< itemPath() of what it is about; empty where it is about a file
  int column = 0;        ///< characters, from 1; 0 unknown
  bool isStyle = false;  ///< a hint: nothing is wrong by any rule
  QString rule;          ///< "strict/tags"; empty: of reading and merging
  QString source;        ///< who says so: an RTI with the place in its source, a schema, a clause
  Fix fix;
  bool operator==(const Finding&) const = default;
};

/// One row of the Modules pane.
struct ModuleStatus {
  QString path;     ///< as it was given; "HLAstandardMIM" for the MIM
  QString name;     ///< file name
  QString edition;  ///< "HLA 1.3 FED", "IEEE 1516-2010"; empty where it cannot be read
  bool isMim = false;
  bool merged = true;  ///< false: left out, because it cannot be read or contradicts another
  int errors = 0;
  int warnings = 0;
  // Of a module in a folder that is open
  bool hasSwitch = false;  ///< a person may decide whether it takes part in the merged model
  bool takesPart = true;
  QString kind{};    ///< "FOM", "SOM", "MIM"; empty: not said
  QString reason{};  ///< why it does not take part
  bool operator==(const ModuleStatus&) const = default;
};

/// Modules as read and merged at one moment.
struct LoadedModel {
  QStringList paths;  ///< as asked for
  /// Of all modules that fit together; with an error, of the others. Never null after loadModel().
  std::shared_ptr<const omt::ObjectModel> model;
  QList<ModuleStatus> modules;  ///< the MIM first, then as asked for
  /// Of all modules that can be read. Never null after loadModel().
  std::shared_ptr<const DependencyGraph> dependencies;
  QList<Finding> findings;  ///< by level, then in the order found
  QList<ModuleFile> files;  ///< the modules whose files were read, as read
  double seconds = 0.0;     ///< what reading, merging and checking took

  /// Findings of that level without those of style.
  int count(Level level) const;
  /// "31 object, 9 interaction": classes besides the MIM's.
  int objectClassCount() const;
  int interactionClassCount() const;
};

/// Reads the files and merges them with the standard MIM. A module that cannot be read or
/// contradicts one before it becomes a finding and is left out, so that the rest can be looked at
/// and all contradictions are found at once. Thread-safe.
LoadedModel loadModel(const QStringList& paths);
/// The same with edited texts in the place of files; `files` has the others, ready to be edited.
LoadedModel loadModel(const QStringList& paths, const ModuleTexts& texts);


/// "Loads in this RTI", "Loads in stricter RTIs", "Complete per DIF", "Complete per OMT".
QString levelName(Level level);

}  // namespace tutti::fomedit

Q_DECLARE_METATYPE(tutti::fomedit::LoadedModel)
