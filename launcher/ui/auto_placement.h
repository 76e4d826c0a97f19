// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <map>
#include <utility>

#include "composer/model/document.h"
#include "launcher/engine/placement.h"
#include "launcher/engine/placement_input.h"

namespace tutti::launcher {

class HostWatch;

/// Chooses hosts for the federates of a document, and remembers why. What it chooses is one undo
/// step; the search is done in a thread.
class AutoPlacement : public QObject {
  Q_OBJECT

 public:
  AutoPlacement(composer::Document* document, HostWatch* watch, QObject* parent = nullptr);

  /// Rates to go by in place of the declared ones; asked for in the search's thread.
  void setMeasured(MeasuredSource source) { measured_ = std::move(source); }

  /// Why there is nothing to choose from; empty: there is.
  QString whyNot() const;
  /// All federates but those that are pinned.
  void place();
  /// Those of these hosts on the others, which keep theirs.
  void placeElsewhere(const QStringList& keys);
  bool isBusy() const { return busy_; }

  /// Why a federate is on its host: what the search said, as long as it is there; else what it
  /// exchanges with those beside it and with others.
  QString reasonOf(const QString& id) const;
  /// Those that the last search found no host for, by id, until they are placed by hand.
  const std::map<QString, RefusedFederate>& refused() const { return refused_; }
  /// A refused federate is to stay where it is.
  void accept(const QString& id);
  /// "7 federates on 3 hosts; 4 of 44 messages/s between hosts, as few as can be"; empty: nothing
  /// was placed yet.
  const QString& summary() const { return summary_; }

 Q_SIGNALS:
  void changed();
  /// The search has come to nothing: why.
  void failed(const QString& title, const QString& detail);

 private:
  struct Reason {
    QString host;
    QString text;
  };
  /// What a search has come to, and by what.
  struct Found {
    Placement placement;
    QString unit;
    double seconds = 0;
    qint64 measuredRun = 0;
    int measuredPairs = 0;
  };
  void search(const PlacementInput& input, const QString& text, const QStringList& ids);
  void found(const Found& result, const QString& text, const QStringList& ids);
  void forget();
  QString exchangesOf(const composer::Federate& federate) const;

  composer::Document* document_;
  HostWatch* watch_;
  MeasuredSource measured_;
  bool busy_ = false;
  bool applying_ = false;
  composer::Composition asked_;  ///< as it was when the search began
  std::map<QString, Reason> reasons_;
  std::map<QString, RefusedFederate> refused_;
  int undoIndex_ = 0;  ///< of the undo stack, behind the placement
  QString summary_;
};

}  // namespace tutti::launcher
