// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <tl/expected.hpp>

class QWidget;

namespace tutti::monitor {

class FederateTable;
class Feed;
class LinkTable;
class LogView;
class Recorder;
class RunPlots;
class TimeAxis;
class TopologyView;

/// Takes what the page "Run" shows to files: pictures of the topology and of time, the table of
/// the federates and that of the links, the log. Each names the federation, the run and the time.
class RunExport {
 public:
  enum class What { Topology, Time, Federates, Log, Plots, PlotValues, Links };
  /// What was done, for a toast; empty when the person did not want to.
  using Result = tl::expected<QString, QString>;

  /// None is owned, all outlive it; `recorder` may be null.
  struct Views {
    Feed* feed = nullptr;
    Recorder* recorder = nullptr;
    TopologyView* topology = nullptr;
    TimeAxis* timeAxis = nullptr;
    FederateTable* federates = nullptr;
    LogView* log = nullptr;
    RunPlots* plots = nullptr;
    LinkTable* links = nullptr;
  };
  explicit RunExport(Views views) : views_(views) {}

  /// Asks for a file.
  Result one(What what, QWidget* window) const;
  /// Asks for a folder; pictures as SVG and PNG.
  Result all(QWidget* window) const;
  /// The same into a folder that is there; the number of files, or why not all were written.
  tl::expected<int, QString> into(const QString& folder) const;

 private:
  tl::expected<void, QString> write(What what, const QString& path) const;
  QString titleOf(const QString& what) const;
  /// "air-traffic-topology".
  QString fileName(What what) const;

  Views views_;
};

}  // namespace tutti::monitor
