// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QString>
#include <functional>
#include <memory>
#include <tl/expected.hpp>
#include <vector>

#include "monitor/benchmarks/plan.h"
#include "monitor/benchmarks/runner.h"

namespace tutti::bench {

/// The measuring programs of one federation execution. Whatever happens, none is left behind.
class Processes {
 public:
  /// They connect where `designator` says; an empty one is a node of their own, called as the
  /// federation execution, so that nothing of a run before is left.
  Processes(const QString& folder, const QString& federation, const QString& designator);
  /// What the federates ask for, see docs/decisions/0018.
  void setArchitecture(const QString& architecture);
  /// Best effort between hosts may wait so many microseconds for more.
  void setBundling(int microseconds);
  /// So many nodes instead of one, linked over the loopback device.
  tl::expected<void, RunError> startNodes(int hosts);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// A name that no other federation execution has.
  static QString newFederationName();

  void start(const Program& program);
  /// Waits for all to end and gives what they printed, in the order they were started; the first
  /// that fails ends the others, and so does the limit.
  tl::expected<std::vector<Report>, RunError> finish(const std::function<bool()>& cancelled,
                                                     int limitSeconds);

 private:
  void killAll();

  QString folder_;
  QString federation_;
  QProcessEnvironment environment_;
  std::vector<QString> designators_;  ///< by host; empty: one node, or none of ours
  std::unique_ptr<QProcess> home_;
  std::vector<std::unique_ptr<QProcess>> processes_;
};

/// Where the process of a number goes; -1 leaves it to the kernel. The first two go to the last two
/// processors, as interrupts often go to the first; further ones share all but the first process's.
int processorOf(Pinning pinning, int number);

}  // namespace tutti::bench
