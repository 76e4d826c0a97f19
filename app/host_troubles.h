// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QMap>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>
#include <functional>
#include <stop_token>
#include <vector>

#include "launcher/engine/host_check.h"
#include "launcher/engine/run.h"
#include "resources/theme/run_status.h"

namespace tutti::app {

/// Hosts whose part of a watched run was seen, and cannot be for long: since when, and why. What
/// runs there may go on.
QList<theme::RunTrouble> unseenTroubles(const launcher::Run& run);

/// Hosts that a run is on and that have refused a new connection since, while the one that the run
/// uses lives on: what is asked of them next fails, and nothing else does. Whoever asks a host
/// tells; one that has refused is asked again once a minute, in a thread, until it answers. All
/// calls on the window's thread.
class RefusingHosts : public QObject {
  Q_OBJECT

 public:
  /// Asks a host, in any thread, and blocks for as long as that takes.
  using Ask = std::function<launcher::HostReport(const launcher::Host&, const std::stop_token&)>;
  static constexpr int askAgainSeconds = 60;

  /// Without `ask` a host is asked by SSH.
  explicit RefusingHosts(Ask ask = {}, QObject* parent = nullptr);
  /// Ends what is being asked, within about a second.
  ~RefusingHosts() override;

  /// What a host has answered. It counts if it came from where one of these hosts of the run is:
  /// the hosts file may describe another machine by that name since the run began.
  void note(const launcher::HostReport& report, const std::vector<launcher::PlannedHost>& hosts);
  /// Asks those that have refused now, each unless it is being asked.
  void askAgain();
  /// The run is over, or another one begins: what was refused counts no more.
  void clear();
  QList<theme::RunTrouble> troubles(const std::vector<launcher::HostStatus>& hosts) const;

 Q_SIGNALS:
  /// troubles() may be others now.
  void changed();

 private:
  struct Refusal {
    launcher::Host host;  ///< as the run reaches it
    launcher::Agent::Loss loss;
    bool asking = false;
  };
  void take(const launcher::HostReport& report);

  Ask ask_;
  QMap<QString, Refusal> refusals_;  ///< by host
  QTimer again_;
  std::stop_source stop_;
  QThreadPool threads_;
};

}  // namespace tutti::app
