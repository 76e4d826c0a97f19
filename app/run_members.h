// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "monitor/engine/feed.h"
#include "resources/theme/run_status.h"

namespace tutti::composer {
class Document;
}
namespace tutti::launcher {
class FederateMove;
class Run;
struct Addition;
struct PreparedAdditions;
}  // namespace tutti::launcher

namespace tutti::app {

/// Which federates of the composition a going run does not have yet, and how they join it and
/// others leave it. Looks at programs and hosts in a thread of the pool.
class RunMembers : public QObject {
  Q_OBJECT
 public:
  /// Both outlive it.
  RunMembers(composer::Document& document, monitor::Feed& feed, QObject* parent = nullptr);
  ~RunMembers() override;

  /// The run that goes on; null: none does. It lives until another is set.
  void setRun(launcher::Run* run);
  void setHostsFile(std::function<QString()> file) { hostsFile_ = std::move(file); }

  /// Enabled federates of the composition that the run does not have, in start order; none while
  /// they are being added.
  QStringList missing() const;
  /// One card that names them, with the button that starts them.
  QList<theme::RunTrouble> troubles() const;
  void add(const QStringList& names);
  void remove(const QStringList& names);
  /// Takes it to another host of the run (empty: this machine), which all its federates go on from
  /// a save for; one at a time. A card shows the steps.
  void move(const QString& name, const QString& host);
  /// The hosts of the run that it is not on; none while it cannot be moved at all.
  QStringList moveTargets(const QString& name) const;
  /// Takes those that were removed off the screen, once it is seen that they have left.
  void look();

 Q_SIGNALS:
  void changed();
  /// Somebody has come to the run or has left it.
  void membersChanged();
  void failed(const QString& title, const QString& detail);
  void said(const QString& what);

 private:
  void prepare(std::vector<launcher::Addition> additions, const QStringList& names);
  void addPrepared(const launcher::PreparedAdditions& prepared, const QStringList& names);
  bool isMoving() const;
  theme::RunTrouble moveTrouble() const;
  void endMove();
  /// Why the composition does not let them run, sentences; empty: it does.
  QString whatIsWrong(const QStringList& names) const;

  composer::Document& document_;
  monitor::Feed& feed_;
  launcher::Run* run_ = nullptr;
  std::function<QString()> hostsFile_;
  QSet<QString> adding_;
  QSet<QString> leaving_;  ///< out of the run, and on screen until they are seen to have left
  std::stop_source preparing_;
  std::unique_ptr<launcher::FederateMove> move_;  ///< of the last one that was moved
  QElapsedTimer moving_;
  QTimer moved_;  ///< for how long it has gone on, on its card
};

}  // namespace tutti::app
