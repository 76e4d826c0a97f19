// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>
#include <vector>

#include "fom-editor/model/difference.h"
#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/wire_comparison.h"

namespace tutti::fomedit {

/// Whether federates that were built against the model before run in a federation with the one
/// after.
enum class Verdict : std::uint8_t { Yes, YesBut, No };

/// Why the verdict is what it is.
struct Reason {
  Impact impact = Impact::Check;
  QString text;    ///< one sentence, names as written
  QString before;  ///< "Base.xml:118", where it stands before; may be empty
  QString after;
  int difference = -1;  ///< the first it is about; -1: about all
  bool operator==(const Reason&) const = default;
};

struct Compatibility {
  Verdict verdict = Verdict::Yes;
  bool loadsTogether = true;    ///< an RTI accepts the modules of both in one federation
  QList<Reason> reasons;        ///< the worst first, then in the order of the differences
  std::vector<Impact> impacts;  ///< by difference
  QStringList explanations;     ///< by difference: what it means, one sentence; may be empty
  std::vector<bool> onTheWire;  ///< by difference: values are taken for what they are not
  /// Of attributes and parameters that both models have, by index before: how their values differ.
  QHash<int, WireResult> values;

  int count(Impact impact) const;
};

/// "Yes", "Yes, but", "No".
QString verdictName(Verdict verdict);
/// "No: federates built against the model before do not run with the one after."
QString verdictSentence(const Compatibility& compatibility);

/// Judges the differences. Values: by what their datatypes encode to. Names and tables: by what a
/// federate asks for with them. `contradictions` are what an RTI says of the modules of both
/// together (contradictionsOf): they mean No, because a federate that joins with modules of its own
/// is refused (IEEE 1516.1-2010, 4.9). Pure.
Compatibility compatibilityOf(const ModelDifference& difference, const omt::ObjectModel& before,
                              const omt::ObjectModel& after, const QList<Finding>& contradictions);

/// What an RTI says of the modules of both sides in one federation. Reads the files; thread-safe.
QList<Finding> contradictionsOf(const QStringList& before, const QStringList& after);

/// What a component does with the model before.
struct ComponentUse {
  struct Interest {
    QString className;  ///< with its root
    bool isObject = true;
    QStringList attributes;  ///< empty: all
    bool publishes = false;  ///< else it subscribes
  };
  QString name;         ///< "radar 1.4"
  QStringList modules;  ///< paths of its FOM modules
  QList<Interest> interests;
};

/// What the differences mean to one component.
struct ComponentImpact {
  QString name;
  Impact impact = Impact::None;
  QStringList reasons;  ///< "publishes Track.Flight, which was removed"; the worst first
};

/// Only components that publish or subscribe a class of the model before, in the given order.
QList<ComponentImpact> componentImpacts(const ModelDifference& difference,
                                        const Compatibility& compatibility,
                                        const QList<ComponentUse>& components);

}  // namespace tutti::fomedit
