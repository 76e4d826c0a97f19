// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/cli/verb.h"

namespace tutti::app {

/// `component new` and `component regenerate` where a component is generated from classes of an
/// object model. Whether the options of the call ask for that.
bool asksForClasses(const Invocation& invocation);
/// Takes the options and writes the component `id` into `folder`. `build` is the command that
/// builds it.
int createFromClasses(Invocation& invocation, const QString& id, const QString& folder,
                      const QString& build);
/// `component regenerate FOLDER [options]`.
int regenerateFromClasses(Invocation& invocation);

}  // namespace tutti::app
