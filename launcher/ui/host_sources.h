// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QString>
#include <functional>

#include "launcher/engine/hosts.h"
#include "launcher/ui/host_watch.h"

namespace tutti::launcher {

/// Where hosts come from: a person's ssh configuration, a cluster's sinfo, a form, practice hosts
/// on this machine. Each changes the hosts file of a HostWatch; what takes time is done in a thread
/// or a process, one at a time.
class HostSources : public QObject {
  Q_OBJECT

 public:
  explicit HostSources(HostWatch* watch, QObject* parent = nullptr);
  ~HostSources() override;

  /// The file that hosts are added to when none is open; asked for each time. Empty: they are not
  /// added.
  void setNewFile(std::function<QString()> file) { newFile_ = std::move(file); }

  void importSsh(const QString& config = {});
  /// `login`: the cluster's login host, as ssh is given it; empty: this machine.
  void importCluster(const QString& login);
  /// In the place of the host called `before`, if there is one. The text says why it cannot be;
  /// empty: it was added.
  QString put(const Host& host, const QString& before = {});
  void remove(const QString& host);
  /// Makes hosts on this machine to practise with, and opens their file. `slurm`: they are the
  /// nodes of a Slurm too.
  void makeLab(int hosts, bool slurm = false);
  void removeLab();
  void cancel();

  /// What is being done, "Asking sinfo on login.hpc"; empty: nothing.
  const QString& busyWith() const { return busyWith_; }
  /// Why practice hosts cannot be made; empty: they can.
  static QString whyNoLab();
  /// The hosts file of the practice hosts that are up; empty: there are none.
  static QString labFile();
  /// Whether a practice cluster can have a Slurm: its programs are installed.
  static bool hasSlurm();
  /// What makes this program root for one command (pkexec, which asks for a password); empty: it
  /// is root, or there is nothing.
  static QString elevation();

  struct Command {
    QString program;
    QStringList arguments;
    friend bool operator==(const Command&, const Command&) = default;
  };
  /// `tutti-lab` as root: itself, or through `pkexec` unless that is empty. pkexec passes no
  /// environment on, so `folder` (TUTTI_LAB_DIR) is named to it unless that is empty.
  static Command labCommand(const QString& lab, const QStringList& arguments, const QString& pkexec,
                            const QString& folder);

 Q_SIGNALS:
  void busyChanged();
  void done(const QString& text);
  void failed(const QString& title, const QString& detail);

 private:
  void begin(const QString& what);
  void end();
  /// The file to change; empty after the person has been told, or does not want it.
  QString target() const;
  void lab(const QStringList& arguments, const QString& what,
           const std::function<void(const QString& said)>& whenDone);

  HostWatch* watch_;
  std::function<QString()> newFile_;
  QString busyWith_;
  quint64 job_ = 0;  ///< of the newest import; what older ones find is dropped
  QPointer<QProcess> process_;
};

}  // namespace tutti::launcher
