// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>
#include <map>
#include <optional>
#include <stop_token>
#include <vector>

#include "launcher/engine/host_check.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/engine/preflight.h"

namespace tutti::launcher {

class HostWatch;

/// Asks all hosts of a launch plan at once whether they have what it needs, and copies there what
/// they lack. Hosts are asked again when what they need has changed, while active.
class HostPreflight : public QObject {
  Q_OBJECT

 public:
  explicit HostPreflight(HostWatch* watch, QObject* parent = nullptr);
  /// Ends what is under way, within about a second.
  ~HostPreflight() override;

  /// The plan to check for; nothing: there is none.
  void setPlan(const std::optional<LaunchPlan>& plan);
  void setActive(bool active);
  void askAgain();
  /// Copies to a host what it lacks; to all, when empty.
  void copy(const QString& host);
  void cancel();

  /// What the hosts have answered, errors first; their fixes name actions of the page: "copy HOST",
  /// "elsewhere HOST", "ask HOST".
  const std::vector<PreflightCheck>& checks() const { return checks_; }
  bool isAsking() const { return asking_; }
  bool isCopying() const { return copying_ > 0; }
  /// "lab1 lacks 33 files (52 MB)": what is being copied; empty: nothing.
  QString progress() const { return progress_.join(QStringLiteral("; ")); }
  /// The plan's hosts have been asked since they have what they need now.
  bool isKnown() const { return plan_ && known_ == needs_; }

 Q_SIGNALS:
  void changed();
  void failed(const QString& title, const QString& detail);
  void done(const QString& text);

 private:
  void ask();
  void answered(const HostPreparation& preparation);
  void copied(const QString& host, const tl::expected<HostReport, Agent::Loss>& result);
  QStringList hostsNamed() const;

  HostWatch* watch_;
  std::optional<LaunchPlan> plan_;
  QString needs_;  ///< what the hosts of the plan are asked for; empty: no hosts
  QString known_;  ///< what they were asked for when they last answered
  QString asked_;  ///< what they are being asked for
  bool active_ = false;
  bool asking_ = false;
  bool again_ = false;  ///< the answer that is awaited says what was before
  int copying_ = 0;
  std::vector<PreflightCheck> checks_;
  std::map<QString, HostReport> reports_;
  QStringList progress_;
  QTimer later_;
  std::stop_source stop_;
  QThreadPool threads_;
};

/// Of more than three warnings of one kind one is made, with the names of all hosts and what the
/// fixes of all would do.
std::vector<PreflightCheck> folded(const std::vector<PreflightCheck>& checks);

/// What reports say together as checks that passed: reachable, keys, files, clocks, disk.
std::vector<PreflightCheck> passedOf(const std::vector<HostReport>& reports);

}  // namespace tutti::launcher
