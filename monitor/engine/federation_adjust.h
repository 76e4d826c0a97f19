// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <chrono>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

namespace tutti::monitor {

/// What the MOM has an operator adjust (IEEE 1516.1-2010, 11.4, HLAadjust). What is not given stays
/// as it is.
struct Adjustment {
  std::optional<bool> autoProvide;  ///< of the federation execution
  // Of federates.
  std::optional<bool> conveyRegionDesignatorSets;
  std::optional<bool> conveyProducingFederate;
  std::optional<bool> serviceReporting;
  std::optional<bool> exceptionReporting;
  std::optional<int> reportPeriod;  ///< s; 0: no periodic updates

  [[nodiscard]] bool isEmpty() const { return !autoProvide && !concernsFederates(); }
  [[nodiscard]] bool concernsFederates() const {
    return conveyRegionDesignatorSets || conveyProducingFederate || serviceReporting ||
           exceptionReporting || reportPeriod;
  }
};

/// What holds for a federate now.
struct FederateAdjustments {
  QString name;
  bool conveyRegionDesignatorSets = false;
  bool conveyProducingFederate = false;
  bool serviceReporting = false;
  bool exceptionReporting = false;
  int reportPeriod = 0;  ///< s; 0: no periodic updates
  QString refused;  ///< why it did not do the last thing it was told; empty: it did, or may yet

  [[nodiscard]] bool holds(const Adjustment& wanted) const;
};

struct FederationAdjustments {
  bool autoProvide = false;
  std::vector<FederateAdjustments> federates;
  QStringList awaited;  ///< have been told, and do it when they evoke callbacks again
  QStringList cannot;   ///< have been told and said why not, see FederateAdjustments::refused

  [[nodiscard]] const FederateAdjustments* find(const QString& name) const;
  [[nodiscard]] bool isDone() const { return awaited.isEmpty() && cannot.isEmpty(); }
  /// Why not all have done it, and what can be done, sentences; empty when they have.
  [[nodiscard]] QString whyNotAll() const;
};

/// What holds in a federation execution. The error says why that is not known. Blocks; any thread.
tl::expected<FederationAdjustments, QString> adjustmentsOf(const QString& node,
                                                           const QString& federation);

/// Adjusts the federation execution, and of its federates those of `names`, or all. Waits until
/// they have done it, at most `patience`, or until `stop` is asked for; who has not by then has
/// been told all the same. The error says why none was told. Blocks; any thread.
tl::expected<FederationAdjustments, QString> operateAdjust(
    const QString& node, const QString& federation, const QStringList& names,
    const Adjustment& wanted, std::chrono::milliseconds patience, const std::stop_token& stop = {});

}  // namespace tutti::monitor
