// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QSet>
#include <deque>

#include "launcher/engine/run.h"

namespace tutti::monitor {
class Recorder;
}

namespace tutti::app {

/// Writes what the processes of a run say into its record. The end of a process is told by three:
/// the supervisor, the RTI node that lost its connection, and the monitor that sees it gone. In the
/// record it is one line.
class RunLog : public QObject {
  Q_OBJECT
 public:
  /// Both outlive it.
  RunLog(launcher::Run& run, monitor::Recorder& recorder, QObject* parent = nullptr);

  /// The person kills it: its end is the monitor's to tell, as a death.
  void noteKill(const QString& process) { killed_ << process; }
  void noteRestart(const QString& process) { killed_.remove(process); }
  /// Writes what was held back; called when the run is over.
  void finish();

 private:
  void add(const launcher::LogLine& line);
  void write(const launcher::LogLine& line);
  void died(const launcher::ProcessDeath& death);
  /// Those of processes that neither died nor were killed.
  void writeEnds();
  /// Unless it has died meanwhile or was killed, which says more.
  void writeLoss(quint64 number);
  /// The process that an RTI node says it has lost; 0: the line says no such thing.
  qint64 lostProcess(const launcher::LogLine& line) const;

  struct Loss {
    launcher::LogLine line;
    qint64 pid = 0;
    quint64 number = 0;
  };
  launcher::Run& run_;
  monitor::Recorder& recorder_;
  QHash<QString, launcher::LogLine> ends_;  ///< how processes ended, not in the record yet
  std::deque<Loss> losses_;                 ///< what RTI nodes lost, likewise
  quint64 lossesSeen_ = 0;
  QSet<QString> killed_;
};

}  // namespace tutti::app
