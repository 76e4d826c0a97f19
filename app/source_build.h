// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

namespace tutti::app {

/// What `./tutti` builds beside the open console: sample components and measuring programs. Reads
/// once a second the log that TUTTI_BUILD_LOG names, whose last line is "[built]" or "[failed]" when
/// it is over.
class SourceBuild : public QObject {
  Q_OBJECT
 public:
  explicit SourceBuild(QString logFile = qEnvironmentVariable("TUTTI_BUILD_LOG"),
                       QObject* parent = nullptr);

  bool isGoingOn() const { return state_ == State::GoingOn; }
  /// "building samples and benchmarks: 12 of 80"; empty when nothing is built and nothing failed.
  QString note() const;

 Q_SIGNALS:
  void changed();
  /// Not for one that has failed.
  void built();

 private:
  enum class State { None, GoingOn, Failed };
  void look();

  QString logFile_;
  QString steps_;
  State state_ = State::None;
  QTimer timer_;
};

}  // namespace tutti::app
