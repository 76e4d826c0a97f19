// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <vector>

#include "composer/model/document.h"
#include "launcher/ui/hosts_model.h"
#include "resources/theme/state.h"

namespace tutti::launcher {

class AutoPlacement;
class HostWatch;

/// A federate on the board.
struct BoardCard {
  QString id;
  QString name;
  QString icon;
  QString detail;                           ///< "1 core, 200 MB", or what is wrong
  theme::State state = theme::State::Idle;  ///< Warning and Error show that detail is about that
  bool enabled = true;
  bool pinned = false;
  bool apart = false;
  QString group;  ///< name; empty: none
  friend bool operator==(const BoardCard&, const BoardCard&) = default;
};

/// A host with its federates, those that have none, or those of one need.
struct BoardBox {
  QString key;          ///< of the host
  bool isHost = false;  ///< federates can be dropped on it
  QString title;
  QString icon;
  QString figure;                           ///< "3 of 4 cores"
  QString note;                             ///< "1 core too many", "Not reachable"
  theme::State state = theme::State::Idle;  ///< of the note
  std::vector<BoardCard> cards;             ///< those of a group beside each other
  friend bool operator==(const BoardBox&, const BoardBox&) = default;
};

enum class BoardOrder { ByHost, ByNeed };

/// What each host's enabled federates need, by its key; federates of hosts that are not described
/// are not counted.
QHash<QString, HostNeeds> needsByHost(const composer::Document& document, const HostWatch& watch);

/// What the board shows: those without a host first, then this machine, then the hosts by name.
std::vector<BoardBox> boardContent(const composer::Document& document, const HostWatch& watch,
                                   const AutoPlacement& placement, BoardOrder order);

/// Its text, a line for each box and each card; for screen readers and for Copy.
QString boardText(const std::vector<BoardBox>& boxes);

}  // namespace tutti::launcher
