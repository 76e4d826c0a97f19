// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <functional>
#include <memory>
#include <vector>

#include "monitor/benchmarks/load.h"
#include "monitor/engine/run_store.h"
#include "monitor/ui/bench_models.h"
#include "monitor/ui/bench_reader.h"
#include "monitor/ui/bench_run.h"
#include "monitor/ui/bench_suites.h"
#include "resources/theme/workspace.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QListView;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace tutti::theme {
class EmptyView;
}  // namespace tutti::theme

namespace tutti::monitor {

class BenchPlot;
class CostPlot;
class FactList;
class SizePlot;
class SpreadPlot;

/// The page "Benchmarks": measures the RTI beside the bare ring, keeps and compares the results.
class BenchmarksWorkspace : public theme::Workspace {
  Q_OBJECT

 public:
  /// `storePath` is where results are kept, `tool` the `tutti` that measures; both may be empty for
  /// the usual ones.
  explicit BenchmarksWorkspace(const QString& storePath = {}, const QString& tool = {},
                               QWidget* parent = nullptr);

  /// Reads the stored results anew; they are shown when they have arrived.
  void reload();
  bool isReading() const { return reader_->isReading(); }
  BenchRun* run() const { return run_; }
  void showKind(bench::Kind kind);
  bench::Kind kind() const { return kind_; }
  /// Why nothing can be measured now; empty when it can.
  void setUnavailable(const QString& reason);

  QString commandLine() const override;
  QStringList statusNotes() const override;
  QHash<QString, QList<QAction*>> menuActions() const override;
  void provideFinds(QList<theme::FindEntry>& into) const override;

 public slots:
  void runSuite();
  void exportAll();
  /// Writes every table and plot of all kinds into a folder; the number of files, or why not.
  tl::expected<int, QString> exportInto(const QString& folder);

 private:
  void buildSuites();
  QGridLayout* buildForm();
  void buildShown();
  void buildCentre();
  void buildTable();
  void buildCompare();
  /// Widths of the table's columns for what it shows.
  void fitTable();
  void fitCompare();
  void take(const BenchReader::Stored& stored);
  void showResults();
  void showEmpty();
  void showProblem();
  /// Shows `text`, or nothing.
  void showWarning(const QString& text);
  /// Looks whether other work would make results noisy.
  void watchLoad();
  void showPlace(double place);
  void updateRun();
  void updateCompare();
  void updateFacts();
  /// The plots that say something of the shown kind, each with the ending of its file's name.
  std::vector<std::pair<BenchPlot*, QString>> plotsOfKind() const;
  /// Settings of the suite in the list, without what the fields below say.
  const std::vector<bench::Settings>& chosenSuite() const;
  /// What the suite and the fields below it ask for, or why it cannot be measured.
  tl::expected<std::vector<bench::Settings>, QString> chosenSettings() const;
  /// A list of things on the disk: `usual`, those chosen before (kept as `key`), and "Choose…".
  QComboBox* makeChoice(const QString& name, const QString& usual, const QString& key,
                        const std::function<QString()>& ask);
  /// The parts of the chosen suite.
  void updateParts();
  /// Shows the fields that the chosen suite has.
  void updateForm();
  /// Says whether what is asked for can be measured.
  void updateChoice();
  QString exportTitle(const QString& what) const;

  QString storePath_;
  std::vector<std::shared_ptr<const StoredResult>> results_;
  BenchReader* reader_;
  bool known_ = false;  ///< the results have been read once
  std::optional<StoreError> storeProblem_;
  QString runProblem_;
  QTimer retry_;  ///< reads again what was locked
  bench::Kind kind_ = bench::Kind::Latency;
  QString unavailable_;
  double place_ = 128;
  qint64 lastStored_ = 0;
  qint64 chosenBefore_ = 0;  ///< by a person, to be compared; 0: nobody chose
  qint64 chosenAfter_ = 0;
  std::vector<BenchSuite> suites_;
  BenchRun* run_;
  QTimer clock_;

  QListView* suiteList_;
  SuiteModel* suiteModel_;
  QSpinBox* repeats_;
  QSpinBox* seed_;
  QComboBox* part_;  ///< one kind of a suite that has several; the first is all of it
  QLabel* partLabel_;
  QComboBox* pinning_;
  QComboBox* architecture_;
  QComboBox* hosts_;
  QToolButton* more_;            ///< opens what is seldom changed
  QList<QWidget*> moreFields_;   ///< and is shown then
  QLineEdit* options_;  ///< whatever else the command line takes
  QLabel* choiceProblem_;
  QComboBox* rti_;       ///< folders of measuring programs; the first is Tutti's own
  QComboBox* sequence_;  ///< test-sequence files of RTIBM; the first is the one that is shipped
  QLabel* sequenceLabel_;
  QListView* shownList_;
  ShownModel* shown_;
  FactList* facts_;
  QLabel* subtitle_;
  QComboBox* kinds_;
  QPushButton* exportButton_;
  QPushButton* runButton_;
  QWidget* progressBar_;
  QProgressBar* progress_;
  QLabel* progressText_;
  QLabel* progressCommand_;
  QLabel* problem_;
  QLabel* warning_;  ///< other work would make results noisy
  bench::LoadMeter load_{10};
  QTimer loadTimer_;  ///< looks at it while the page is shown and nothing is measured
  QStackedWidget* centre_;
  theme::EmptyView* empty_;
  SizePlot* sizePlot_;
  SpreadPlot* spreadPlot_;
  CostPlot* processorPlot_;
  CostPlot* memoryPlot_;
  BenchTableModel* tableModel_;
  QTreeView* table_;
  CompareModel* compareModel_;
  QTreeView* compareTable_ = nullptr;
  QComboBox* before_;
  QComboBox* after_;
  QLabel* compareHeadline_;
  QLabel* compareWarning_;
  QLabel* compareNote_;
  QLabel* against_;
  QWidget* compareLegend_;
  QDockWidget* suitesDock_;
  QDockWidget* shownDock_;
  QDockWidget* tableDock_;
  QDockWidget* compareDock_;
  QAction* exportAction_;
  bool settledSizes_ = false;

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace tutti::monitor
