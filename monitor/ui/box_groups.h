// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QSet>
#include <QString>

#include "monitor/engine/snapshot.h"

namespace tutti::monitor {

/// In which group a federate of the topology stands, and which groups are open. Groups are those of
/// the composition; in a run of many federates whoever is in none stands with its component, so
/// that no run has more boxes than can be seen.
class BoxGroups {
 public:
  /// From so many federates on each stands in a group, and groups are closed until they are opened.
  static constexpr int manyFederates = 61;

  /// Groups by federate, and those that the composition shows closed.
  void setComposed(QHash<QString, QString> groups, QSet<QString> collapsed) {
    composed_ = std::move(groups);
    collapsed_ = std::move(collapsed);
  }
  void setFederates(std::size_t count) { many_ = count >= manyFederates; }
  bool isMany() const { return many_; }

  /// Empty: it has a box of its own.
  QString groupOf(const FederateView& federate) const {
    const QString group = composed_.value(federate.name);
    if (!group.isEmpty() || !many_) return group;
    return federate.component.isEmpty() ? QStringLiteral("Federates") : federate.component;
  }
  bool isOpen(const QString& group) const {
    return chosen_.value(group, !many_ && !collapsed_.contains(group));
  }
  void setOpen(const QString& group, bool open) { chosen_.insert(group, open); }

 private:
  QHash<QString, QString> composed_;
  QSet<QString> collapsed_;
  QHash<QString, bool> chosen_;  ///< by the person; else as it begins
  bool many_ = false;
};

}  // namespace tutti::monitor
