// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <vector>

#include "launcher/engine/joined.h"
#include "launcher/engine/placement.h"

namespace tutti::launcher {

class Run;
struct LaunchPlan;

/// A spare for each of these federates, whose hosts are lost, by what the plan says they need and
/// the spares have, beside those in `taken` (federates that are on a spare already, or on their
/// way). Pure.
Placement chooseSpares(const LaunchPlan& plan, const QStringList& federates,
                       const QStringList& spares, const std::vector<PlacedFederate>& taken);

/// Starts federates of lost hosts again on spares of their run, as soon as the RTI has given their
/// names up: until then the lost host may still run them.
class SpareRestart : public QObject {
  Q_OBJECT

 public:
  /// `run` outlives it.
  explicit SpareRestart(Run& run, QObject* parent = nullptr);

  /// Chooses a spare for each of these, and has them started there. When that cannot be, nothing
  /// is begun, and the reason is a sentence; else it is empty. `whyLost` is a part of a sentence.
  QString begin(const QString& host, const QStringList& federates, const QString& whyLost);
  /// The spare on which it will be started; empty: none.
  [[nodiscard]] QString spareOf(const QString& federate) const;
  /// A host is there no longer: what was on its way to it is to go to another one.
  void noteLost(const QString& host, const QString& why);
  /// The supervisor of a spare does not take what it was sent.
  void noteRefused(const QString& host, const QString& why);
  /// It has come to the run again.
  void noteStarted(const QString& federate);

 Q_SIGNALS:
  /// It comes to no spare after all. `why` is a sentence.
  void failed(const QString& federate, const QString& host, const QString& why);

 private:
  struct Restart {
    QString federate;
    QString from;
    QString spare;
    QString why;  ///< For the record.
    bool isSent = false;
    QElapsedTimer since{};
  };
  [[nodiscard]] QStringList usableSpares() const;
  void look();
  void send(const QStringList& federates);
  void giveUp(const Restart& restart, const QString& why);

  Run& run_;
  JoinedSource joined_;
  std::vector<Restart> restarts_;
  QTimer poll_;
  bool asking_ = false;
};

}  // namespace tutti::launcher
