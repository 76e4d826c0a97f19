// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QSocketNotifier>

#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

/// The standard output of a QProcess through a pipe that is read only while it is wanted: the
/// process then waits in write(), and so does whatever sends to it. (A QProcess reads all that its
/// process writes.) One thread; nothing here blocks.
class PacedOutput : public QObject {
  Q_OBJECT

 public:
  explicit PacedOutput(QObject* parent = nullptr);

  /// The end for the process, -1 where no pipe could be made: dup2() it to its standard output
  /// before it executes. closeInput() here once it runs.
  int input() const { return input_.get(); }
  void closeInput() { input_.reset(); }

  /// At most `most` bytes of what is there, whether it is held or not; empty: nothing is there.
  QByteArray read(qsizetype most);
  /// readyRead() comes while there is something, unless it is held.
  void hold(bool held) { notifier_.setEnabled(output_ && !held); }

 signals:
  void readyRead();

 private:
  Descriptor output_;
  Descriptor input_;
  QSocketNotifier notifier_{QSocketNotifier::Read};
};

}  // namespace tutti::launcher
