// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "composer/model/json_source.h"

namespace tutti::composer {

/// Values of parameters by parameter name; a value is a JSON number, string or boolean.
using ParameterValues = std::map<QString, Json>;

enum class ParameterKind { Integer, Real, Text, Boolean, Choice, Airport, File };

/// The manifest's word for a kind: int, real, text, bool, enum, airport, file.
QString parameterKindName(ParameterKind kind);

/// One typed setting of a component.
struct Parameter {
  QString name;   ///< as placeholders and formulas spell it: a letter, then letters, digits, _
  QString label;  ///< for people; the name when the manifest gives none
  QString help;   ///< one sentence
  ParameterKind kind = ParameterKind::Text;
  QString unit;                   ///< symbol shown behind the value, such as "km"
  std::optional<double> minimum;  ///< numbers: least value, inclusive, in `unit`
  std::optional<double> maximum;  ///< numbers: greatest value, inclusive, in `unit`
  Json defaultValue;              ///< null when there is none
  Json suggestion;  ///< what a fix offers when a value is missing; null: nothing better than the
                    ///< default
  bool required = false;  ///< a federate without a value cannot start
  QStringList choices;    ///< enum: every value allowed; airport: the codes known, when limited

  /// "Needs 1 to 500 km": what a value must be, for people.
  [[nodiscard]] QString requirement() const;
  /// Nothing when `value` is acceptable, else why it is not, one sentence.
  [[nodiscard]] std::optional<QString> fault(const Json& value) const;
  /// The value a person typed, checked; the error is one sentence.
  [[nodiscard]] tl::expected<Json, QString> parse(const QString& typed) const;
  /// `value` as it is typed and as it goes into a command line; empty for null.
  [[nodiscard]] static QString textOf(const Json& value);
};

/// What a component publishes or subscribes.
struct Interest {
  QString className;       ///< fully qualified with its root, "HLAobjectRoot.Flight"
  bool isObject = true;    ///< object class, else interaction class
  QStringList attributes;  ///< object class attributes; empty means all of them, and always for
                           ///< interactions
  QString rate;            ///< formula, messages per second of one instance; empty when unknown

  /// Last part of the class name, "Flight".
  [[nodiscard]] QString shortName() const;
};

/// How a component takes part in time management (IEEE 1516.1-2010, clause 8).
struct TimePolicy {
  bool regulating = false;
  bool constrained = false;
  QString lookahead;  ///< formula, in units of the time type (seconds by convention); empty when
                      ///< not regulating
  QString timeType;   ///< name of the logical time implementation, "HLAfloat64Time"; empty when not
                      ///< time-managed

  [[nodiscard]] bool managed() const { return regulating || constrained; }
};

/// What one instance needs from its host.
struct Resources {
  double cores = 1.0;
  double memory = 0.0;  ///< MB (10^6 bytes), 0 when unknown
  QStringList labels;   ///< labels the host must carry, such as "gpu"
};

/// When a started federate counts as ready.
struct ReadyCondition {
  enum class Kind { Started, Joined, SynchronizationPoint, Output, Port, Delay };
  Kind kind = Kind::Joined;
  QString detail;      ///< label of the synchronization point, or the text to find in a line of
                       ///< standard output; of a port its number, as a formula
  double seconds = 0;  ///< Delay: from when its process runs

  /// "joined", "\"init\" achieved" ..., for people.
  [[nodiscard]] QString description() const;
};

/// How a component is started. An argument is a group of words; a group with a placeholder that has
/// no value is left out, and a group with {fom} is repeated for every FOM module.
struct CommandTemplate {
  QString executable;  ///< relative to the component's folder or the binary folders, or absolute
  std::vector<QStringList>
      arguments;  ///< words may hold {parameter} {federate} {federation} {fom} {pace} {component}
  std::map<QString, QString>
      environment;  ///< added for this process; values may hold the same placeholders
};

/// A simulation component as its `component.json` describes it.
struct Manifest {
  QString file;    ///< absolute path of component.json
  QString folder;  ///< absolute path of the folder that holds it
  QString id;    ///< lower case letters, digits, '-' '_' '.'; unique within a catalog together with
                 ///< the version
  QString name;  ///< for people
  QString version;
  QString summary;   ///< one sentence
  QString category;  ///< heading it stands under in a catalog; may be empty
  QStringList tags;
  QString icon;  ///< absolute path when the file is there, else a theme icon's name
  QString api;   ///< HLA API spoken: "IEEE 1516.1-2010 C++"
  CommandTemplate command;
  std::vector<Parameter> parameters;  ///< in the order to show
  QStringList fomModules;             ///< absolute paths
  std::vector<Interest> publishes;
  std::vector<Interest> subscribes;
  TimePolicy time;
  Resources resources;
  ReadyCondition ready;
  QStringList abilities;  ///< "save", "restore", "replay", "late-join" ...

  /// Reads and checks a component.json. Never throws; the first fault found is the error.
  static tl::expected<Manifest, Error> read(const QString& file);
  static tl::expected<Manifest, Error> fromSource(const JsonSource& source);

  [[nodiscard]] const Parameter* parameter(const QString& parameterName) const;
  /// The value a federate uses: its own, else the default; null when neither is there.
  [[nodiscard]] Json effectiveValue(const QString& parameterName, const ParameterValues& own) const;
  /// Value of one of the manifest's formulas under a federate's parameters; nothing when empty or
  /// not computable.
  [[nodiscard]] std::optional<double> formula(const QString& formulaText,
                                              const ParameterValues& own) const;
  /// "Flight in, RadarPlot out", for lists.
  [[nodiscard]] QString flowSummary() const;
};

/// "HLAobjectRoot.Flight" for "Flight" and itself; likewise for interactions.
QString qualifiedClassName(const QString& name, bool isObject);

}  // namespace tutti::composer
