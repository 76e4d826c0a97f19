// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSettings>
#include <QString>
#include <memory>

#include "app/main_window.h"
#include "app/run_controller.h"
#include "composer/model/document.h"
#include "monitor/engine/feed.h"
#include "monitor/engine/recorder.h"
#include "resources/theme/theme.h"

namespace tutti::composer {
class ComposeWorkspace;
}
namespace tutti::fomedit {
class ObjectModelWorkspace;
}
namespace tutti::launcher {
class DeployWorkspace;
}
namespace tutti::monitor {
class BenchmarksWorkspace;
class RunWorkspace;
}  // namespace tutti::monitor

namespace tutti::app {

class ClassUsage;
class LabFaults;
class SourceBuild;

/// All of the console, made and joined: one document, one run, the pages and the window. What
/// `tutti-console` shows and what journeys test.
class Console {
 public:
  struct Options {
    QString settingsFile;  ///< Empty: the user's.
    bool record = true;    ///< Write runs to the run store.
  };

  explicit Console(const Options& options);
  ~Console();

  MainWindow& window() { return *window_; }
  composer::Document& document() { return document_; }
  RunController& run() { return *run_; }
  monitor::Feed& feed() { return feed_; }
  theme::Theme& theme() { return theme_; }
  composer::ComposeWorkspace& compose() { return *compose_; }
  fomedit::ObjectModelWorkspace& objectModel() { return *objectModel_; }
  monitor::RunWorkspace& runPage() { return *runPage_; }

 private:
  void joinPages();
  void joinRunPage();
  /// Says what is still being built, and looks at programs again when it is there.
  void joinBuild(launcher::DeployWorkspace& deploy, monitor::BenchmarksWorkspace& benchmarks);
  /// In the status bar: what is still being built, else how far fetching logs has come.
  void showNote();
  /// Faults for hosts of a practice cluster, where its hosts are shown.
  void joinLab(launcher::DeployWorkspace& deploy);
  /// Asks which run of another machine is to be watched.
  void joinFarRuns(launcher::DeployWorkspace& deploy);
  void updateModules();

  theme::Theme theme_;
  std::unique_ptr<QSettings> settings_;
  composer::Document document_;
  monitor::Feed feed_;
  std::unique_ptr<monitor::Recorder> recorder_;
  std::unique_ptr<LabFaults> lab_;
  std::unique_ptr<RunController> run_;
  std::unique_ptr<ClassUsage> usage_;
  std::unique_ptr<SourceBuild> build_;
  QString logsNote_;  ///< how far fetching the logs of other hosts is; empty: none are fetched
  std::unique_ptr<MainWindow> window_;
  composer::ComposeWorkspace* compose_ = nullptr;
  fomedit::ObjectModelWorkspace* objectModel_ = nullptr;
  monitor::RunWorkspace* runPage_ = nullptr;
  QStringList modules_;
};

}  // namespace tutti::app
