// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <functional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "launcher/engine/host_check.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/preflight.h"

namespace tutti::launcher {

/// A host that federates can be placed on, as it is known at this moment.
struct HostView {
  enum class Condition {
    Here,       ///< this machine
    NotAsked,   ///< nothing is known of it yet
    Asking,     ///< for the first time
    Reachable,  ///< it answered
    ClockOff,   ///< it answered, and its clock differs
    Silent,     ///< it did not answer, or refused
    AtStart,    ///< a node of a cluster: which one it is, Slurm says when the run starts
  };
  QString key;   ///< what `host` of a federate is: its name, empty for this machine
  QString name;  ///< for people; "this machine"
  Host host;     ///< as the hosts file describes it
  Condition condition = Condition::NotAsked;
  bool asking = false;  ///< again, too
  HostReport report;    ///< of the last answer or refusal
  QDateTime asked;      ///< when that came
  double cores = 0;     ///< 0: not known
  double coresInUse = 0;
  double memoryMb = 0;  ///< 0: not known
  double memoryInUseMb = 0;

  [[nodiscard]] bool isHere() const { return key.isEmpty(); }
  [[nodiscard]] bool isJobNode() const { return host.jobNode.has_value(); }
};

/// A numbered node of a partition that federates can be placed on.
struct JobNodeOffer {
  QString name;  ///< "hpc/sim/1"
  QString title;
  double cores = 0;     ///< that such a node has; 0: not known
  double memoryMb = 0;  ///< likewise
  QStringList labels;   ///< that all nodes of the partition have
  friend bool operator==(const JobNodeOffer&, const JobNodeOffer&) = default;
};

/// The hosts of a hosts file and this machine, with what they answer when they are asked. They are
/// asked in threads, all at once; this machine is looked at twice a second while it is active.
class HostWatch : public QObject {
  Q_OBJECT

 public:
  static constexpr int staleSeconds = 60;  ///< older answers are asked for again while active

  explicit HostWatch(QObject* parent = nullptr);
  /// Ends what is being asked, within about a second.
  ~HostWatch() override;

  /// Reads a hosts file; empty: there is none. One that cannot be read gives no hosts and a
  /// problem().
  void open(const QString& file);
  /// Reads it again if it has changed.
  void reload();
  const QString& file() const { return file_; }
  const Deployment& deployment() const { return deployment_; }
  /// Why the file cannot be used; empty: it can.
  const QString& problem() const { return problem_; }
  /// Changes the file, or makes it. The error says why that cannot be.
  tl::expected<void, composer::Error> change(const QString& file,
                                             const std::function<void(Deployment&)>& edit);

  /// The nodes of clusters that are among hosts(). Names that the file does not allow are left out.
  void setJobNodes(const std::vector<JobNodeOffer>& nodes);
  /// This machine first, then the others by name, then nodes of clusters.
  const std::vector<HostView>& hosts() const { return hosts_; }
  /// The host that the `host` of a federate means; null: the file describes none of that name.
  const HostView* find(const QString& host) const;
  const MachineState& machine() const { return machine_; }
  /// The hosts with what they are known to have, for a placement; this machine if it is described.
  Deployment known() const;

  void askAll();
  void ask(const QString& key);
  /// Lets go of all that are being asked; what was known of them stays.
  void cancel();
  bool isAsking() const;
  /// What somebody else was answered.
  void take(const HostReport& report);
  void setActive(bool active);

 Q_SIGNALS:
  /// There are other hosts, or the file is another one.
  void hostsChanged();
  /// There are other nodes of clusters among them; hosts and file are the same.
  void jobNodesChanged();
  /// Something of that host has changed.
  void hostChanged(const QString& key);
  /// A host has answered whoever asked it, or refused.
  void hostAnswered(const tutti::launcher::HostReport& report);
  /// All that were asked have answered, or not.
  void answered();

 private:
  void read();
  void addJobNodes();
  void sample();
  HostView* at(const QString& key);

  QString file_;
  QDateTime changed_;
  Deployment deployment_;
  QString problem_;
  std::vector<HostView> hosts_;
  std::vector<JobNodeOffer> jobNodes_;
  MachineState machine_;
  quint64 lastBusy_ = 0;
  quint64 lastTotal_ = 0;
  double busyCores_ = 0;
  QTimer sampling_;
  QTimer staleness_;
  std::stop_source stop_;
  QThreadPool threads_;
};

}  // namespace tutti::launcher
