// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QList>
#include <QObject>
#include <QProcess>
#include <QString>
#include <functional>

namespace tutti::app {

/// Faults for hosts of a practice cluster (`tutti lab`), from the window: a cable pulled, a rate
/// limit, lost packets, power. Which hosts are of a lab is told by the hosts file: `tutti lab up`
/// writes it into the folder of its lab. Runs the same commands that a terminal would.
class LabFaults : public QObject {
  Q_OBJECT
 public:
  /// `pkexec`: what makes a command root's, as HostSources::elevation() finds it.
  explicit LabFaults(const QString& pkexec, QObject* parent = nullptr);
  ~LabFaults() override;

  /// The hosts file of the run; one that no lab has written has no hosts here.
  void setHostsFile(const QString& file);
  /// Asks the lab for the state of its hosts; changed() follows when it is another.
  void look();

  /// "cable pulled", "limited to 10 Mbit/s, loses 5 % of packets"; empty: nothing, or no host of a
  /// lab.
  QString faultOf(const QString& host) const;

  struct Action {
    QString text;     ///< "Pull the cable of lab1"
    QString command;  ///< "tutti lab cut lab1"
    QString whyNot;   ///< empty: it can be done
    std::function<void()> run;
  };
  /// What can be done to a host as it is now: faults, and what mends them. Empty for others.
  QList<Action> actionsFor(const QString& host);

 Q_SIGNALS:
  /// The fault of a host is another.
  void changed();
  /// "Done: tutti lab cut lab1"
  void done(const QString& text);
  void failed(const QString& title, const QString& detail);

 private:
  struct State {
    QString state;  ///< "up", "cut", "down"
    QString mbit;   ///< limit; empty: none
    QString loss;   ///< percent of packets; empty: none
    bool operator==(const State&) const = default;
  };
  void call(const QStringList& arguments, const QString& pkexec,
            const std::function<void(const QByteArray& said, bool ok)>& whenDone);
  void carryOut(const QString& host, const QStringList& arguments);
  void read(const QByteArray& status);
  QString commandOf(const QStringList& arguments) const;

  const QString pkexec_;
  QString file_;
  QString lab_;   ///< name; empty: the file is of no lab
  QString root_;  ///< folder of all labs
  QHash<QString, State> hosts_;
  QString running_;    ///< the command that is being carried out
  quint64 asked_ = 0;  ///< older answers are dropped
};

}  // namespace tutti::app
