// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <optional>
#include <tl/expected.hpp>

#include "fom-editor/codegen/component_plan.h"

namespace tutti::fomedit {

/// What a component is generated from.
struct ComponentRequest {
  QString id;
  QStringList modules;  ///< paths of the FOM modules, in the order of loading; copied into the
                        ///< component's folder
  QList<ClassRequest> classes;
  TimeRequest time;
};

/// What is different for a component that is there; what is absent stays as it was.
struct RegenerationRequest {
  std::optional<QStringList> modules;  ///< as in ComponentRequest
  std::optional<QList<ClassRequest>> classes;
  std::optional<TimeRequest> time;
};

/// What the hand-written part has to follow.
struct Following {
  QString what;  ///< "types::GeoPosition.altitude was double and is float."
  QStringList
      places;  ///< "main.cpp:31" where hand-written files name it; empty: nothing stops compiling
  bool operator==(const Following&) const = default;
};

struct GeneratedComponent {
  QString folder;
  QStringList written;  ///< paths below the folder that are new or have another content
  QStringList kept;     ///< hand-written files that are left alone
  QStringList unused;   ///< FOM modules in the folder that no longer belong to the component
  QList<Following> follow;
  QStringList notes;  ///< ComponentPlan::notes()
  /// Some hand-written place names what is no longer the same.
  bool mustFollow() const;
};

/// Writes a component into a folder that is not there yet. On an error, which is one sentence with
/// what to do next, nothing is left of it.
tl::expected<GeneratedComponent, QString> createComponent(const QString& folder,
                                                          const ComponentRequest& request);

/// Writes the generated files of a component anew, from the modules in its folder or from others. A
/// file that somebody edited is never written: hand-written ones are kept; with an edited file of
/// the generator, or an edited copy of a module that another one would replace, nothing is written,
/// and the error names it.
tl::expected<GeneratedComponent, QString> regenerateComponent(const QString& folder,
                                                              const RegenerationRequest& request);

}  // namespace tutti::fomedit
