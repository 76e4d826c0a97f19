// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <memory>
#include <tl/expected.hpp>

#include "fom-editor/codegen/data_type_plan.h"
#include "omt/object_model.h"

namespace tutti::fomedit {

/// A class that a component is to publish or subscribe, as a person asks for it.
struct ClassRequest {
  QString name;  ///< "Track.Flight", with or without its root; of an object or an interaction class
  QStringList attributes;  ///< of an object class; empty: all
  bool publish = false;    ///< else subscribe
  bool operator==(const ClassRequest&) const = default;
};

/// How a component takes part in time management (IEEE 1516.1-2010, clause 8).
struct TimeRequest {
  bool regulating = false;
  bool constrained = false;
  bool operator==(const TimeRequest&) const = default;
};

/// An attribute or a parameter.
struct PlannedMember {
  QString name;
  QString identifier;
  QString dataType;  ///< empty where the model gives none
  QString semantics;
  QString problem;  ///< why its values stay octets; empty where they have a C++ type
  bool published = false;
  bool subscribed = false;
};

struct PlannedClass {
  QString name;        ///< full name with its root
  QString identifier;  ///< of the struct, and in registerX, updateX, reflectedX ...
  QString semantics;
  bool isObject = true;
  bool published = false;
  bool subscribed = false;
  QList<PlannedMember>
      members;  ///< those asked for, in the model's order; all parameters of an interaction

  /// Without its root: "Track.Flight".
  QString shortName() const;
};

/// A component as it is to be generated.
struct ComponentPlan {
  QString id;  ///< as `tutti component new` takes it: "weather-gen"
  TimeRequest time;
  QStringList modules;          ///< file names of the FOM modules, in the order of loading
  QList<PlannedClass> classes;  ///< object classes first, each kind by name
  std::shared_ptr<const omt::ObjectModel> model;
  std::shared_ptr<const DataTypePlan> dataTypes;

  /// The target of the build file and the name of the executable: the id, or the name of the
  /// namespace where CMake, its generators or the generated library have a target of the id's name.
  QString target() const;
  QString nameSpace() const;  ///< "weather_gen_federate"; no function of C is called like that
  /// What is not as the object model's author may think: attributes that stay octets, and why. For
  /// a person.
  QStringList notes() const;
};

/// The names that generated code has in the component's namespace besides its classes.
QStringList namesBesideClasses();

/// Plans a component of the classes asked for; the error is one sentence that says what, why and
/// what next.
tl::expected<ComponentPlan, QString> planComponent(const QString& id,
                                                   std::shared_ptr<const omt::ObjectModel> model,
                                                   const QStringList& moduleNames,
                                                   const QList<ClassRequest>& requests,
                                                   const TimeRequest& time);

}  // namespace tutti::fomedit
