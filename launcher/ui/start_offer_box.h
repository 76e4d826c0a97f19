// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <optional>

#include "launcher/engine/start_offer.h"

class QLabel;
class QPushButton;

namespace tutti::launcher {

/// The smaller request that could start now, why, and what starts it. Hidden while there is none.
class StartOfferBox : public QFrame {
  Q_OBJECT

 public:
  explicit StartOfferBox(QWidget* parent = nullptr);

  /// `coresNeeded` by the run, and `coresOfNode` that a node of the partition has; 0: not known.
  void setOffer(const std::optional<StartOffer>& offer, double coresNeeded = 0,
                double coresOfNode = 0);
  const std::optional<StartOffer>& offer() const { return offer_; }

 Q_SIGNALS:
  void startRequested();
  void placementRequested();

 private:
  std::optional<StartOffer> offer_;
  QLabel* icon_;
  QLabel* title_;
  QLabel* reason_;
  QPushButton* start_;
  QPushButton* place_;
};

}  // namespace tutti::launcher
