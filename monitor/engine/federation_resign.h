// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

namespace tutti::monitor {

/// Names of resign actions as an FDD has them ("CancelThenDeleteThenDivest"), in the order of
/// rti1516e::ResignAction.
QStringList resignActions();
/// rti1516e::ResignAction of a name, whatever its case and with or without dashes.
std::optional<int> resignActionOf(const QString& name);

/// How far it is that federates resign.
struct ResignProgress {
  struct Refusal {
    QString federate;
    QString why;  ///< "FederateOwnsAttributes: ..."
    bool operator==(const Refusal&) const = default;
  };
  double elapsed = 0;  ///< s since they were told
  QStringList resigned;
  QStringList awaited;  ///< have been told, and do it when they evoke callbacks again
  QStringList lost;     ///< died meanwhile
  QStringList left;     ///< had been told when the RTI node ended, and with it the federation
  std::vector<Refusal> refused;

  [[nodiscard]] bool isDone() const { return awaited.isEmpty() && refused.empty(); }
  [[nodiscard]] qsizetype federates() const {
    return resigned.size() + awaited.size() + lost.size() + left.size() +
           static_cast<qsizetype>(refused.size());
  }
  /// Why they have not all resigned, and what can be done, sentences; empty when they have.
  [[nodiscard]] QString whyNotAll() const;
};

/// Has federates of a federation execution resign by the MOM (IEEE 1516.1-2010, 11.4): all, or
/// those of `names`; by `action` (rti1516e::ResignAction), or by each one's automatic resign
/// directive (10.3). Waits until all have, at most `patience`, or until `stop` is asked for; who
/// has not by then has been told all the same. The node of a run ends
/// with its last federate, sometimes before that one is seen to have resigned: see `left`. The
/// error says why none was told. `progress` is called on this thread whenever it changes. Blocks;
/// any thread.
tl::expected<ResignProgress, QString> operateResign(
    const QString& node, const QString& federation, const QStringList& names,
    std::optional<int> action, std::chrono::milliseconds patience,
    const std::function<void(const ResignProgress&)>& progress = {},
    const std::stop_token& stop = {});

}  // namespace tutti::monitor
