// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>

#include "member.h"
#include "observe/observer.h"

/// The RTI node of this program, started with a stop time of the run, and somebody who watches it.
class StoppingNode {
 public:
  StoppingNode(const QString& name, const QString& stopTime) {
    process_.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-rti"),
                   {"--shm", name, "--stay", "--stop-time", stopTime});
    process_.waitForReadyRead(10'000);
    said_ = process_.readAllStandardOutput();
    auto connected = tutti::observe::Observer::connect(name.toStdString());
    if (connected) observer_.emplace(std::move(*connected));
  }
  ~StoppingNode() {
    observer_.reset();
    process_.terminate();
    process_.waitForFinished(10'000);
  }
  bool isReady() const { return said_.startsWith("ready\n") && observer_.has_value(); }
  int timesReached() {
    process_.waitForReadyRead(1);
    said_ += process_.readAllStandardOutput();
    return static_cast<int>(said_.count("stop time reached\n"));
  }
  bool hold(const QString& federation, double ceiling) {
    observer_->refresh();
    return observer_->holdTime(federation.toStdString(), ceiling).has_value();
  }
  bool setPace(const QString& federation, double pace) {
    return observer_->setPace(federation.toStdString(), pace).has_value();
  }
  bool release(const QString& federation) {
    return observer_->releaseTime(federation.toStdString()).has_value();
  }
  /// Long enough for everybody to look several times.
  void pumpForLong(std::initializer_list<Member*> all) {
    for (int i = 0; i < 30; ++i) {
      for (Member* each : all) each->pump();
      process_.waitForReadyRead(10);
    }
  }

 private:
  QProcess process_;
  QByteArray said_;
  std::optional<tutti::observe::Observer> observer_;
};
