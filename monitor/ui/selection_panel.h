// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

#include "monitor/engine/snapshot.h"
#include "monitor/ui/federate_commands.h"

class QPushButton;

namespace tutti::monitor {

class FactList;

/// What several selected federates are together, and what can be done to all of them.
class SelectionPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SelectionPanel(QWidget* parent = nullptr);

  void setFederates(const QStringList& federates) { federates_ = federates; }
  /// Called twice a second. `mayChange`: the run goes on, and is no other program's.
  void setSnapshot(const SnapshotPointer& snapshot, bool mayChange);

 signals:
  void commanded(FederateCommand command);
  void federateSelected(const QString& federate);

 private:
  QStringList federates_;
  FactList* facts_;
  QPushButton* stop_;
  QPushButton* kill_;
  QPushButton* restart_;
  QPushButton* remove_;
};

}  // namespace tutti::monitor
