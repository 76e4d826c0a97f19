// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <functional>
#include <vector>

#include "monitor/engine/snapshot.h"

class QWidget;

namespace tutti::monitor {

/// What a person has done to federates of a run.
enum class FederateCommand { Stop, Kill, Restart, Remove };

/// "Stop 3 federates", "Stop radar-west"; with `group` "Stop radars (3 federates)".
QString commandText(FederateCommand command, const QStringList& federates,
                    const QString& group = {});

/// Those of them that the command does something to: who is over is neither stopped nor killed.
QStringList affectedBy(FederateCommand command, const QStringList& federates,
                       const Snapshot& snapshot);

/// What goes when all of these go, as sentences; none where nothing does.
QStringList lossesWith(const QStringList& federates, const Snapshot& snapshot,
                       const std::vector<Declarations>& declarations);

/// Names the federates and what is lost with them, above the button that does it: `run` is called
/// when that is pressed. The box is "federatesBox", its button "federatesAccept".
void askBefore(FederateCommand command, const QStringList& federates, const QString& group,
               const QStringList& losses, QWidget* parent, const std::function<void()>& run);

}  // namespace tutti::monitor
