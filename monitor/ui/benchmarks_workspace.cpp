// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/benchmarks_workspace.h"

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QProcess>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QThread>
#include <QTreeView>
#include <algorithm>
#include <cmath>
#include <utility>

#include "monitor/benchmarks/options.h"
#include "monitor/benchmarks/runner.h"
#include "monitor/ui/bench_cost_plot.h"
#include "monitor/ui/fact_list.h"
#include "resources/theme/delegates.h"
#include "resources/theme/exporter.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using bench::Kind;
using theme::State;

BenchmarksWorkspace::BenchmarksWorkspace(const QString& storePath, const QString& tool,
                                         QWidget* parent)
    : Workspace(QStringLiteral("benchmarks"), tr("Benchmarks"), QStringLiteral("benchmarks"),
                parent),
      storePath_(storePath.isEmpty() ? RunStore::defaultPath() : storePath),
      reader_(new BenchReader(storePath_, this)),
      suites_(benchSuites()),
      run_(new BenchRun(tool, this)) {
  exportAction_ = new QAction(tr("Export all benchmarks…"), this);
  connect(exportAction_, &QAction::triggered, this, &BenchmarksWorkspace::exportAll);

  buildCentre();
  buildSuites();
  buildShown();
  buildTable();
  buildCompare();
  splitDockWidget(suitesDock_, shownDock_, Qt::Vertical);
  splitDockWidget(tableDock_, compareDock_, Qt::Horizontal);

  connect(reader_, &BenchReader::arrived, this, &BenchmarksWorkspace::take);
  retry_.setSingleShot(true);
  retry_.setInterval(2000);
  connect(&retry_, &QTimer::timeout, this, &BenchmarksWorkspace::reload);
  connect(run_, &BenchRun::progressed, this, &BenchmarksWorkspace::updateRun);
  connect(run_, &BenchRun::warned, this, &BenchmarksWorkspace::showWarning);
  connect(run_, &BenchRun::resultArrived, this, [this](const bench::Result& result) {
    // What has just been measured is what one wants to see.
    chosenBefore_ = chosenAfter_ = 0;
    reload();
    showKind(result.settings.kind);
  });
  connect(run_, &BenchRun::finished, this, [this](const QString& problem) {
    runProblem_ = problem == tr("Cancelled.") ? QString() : problem;
    showProblem();
    updateRun();
  });
  clock_.setInterval(500);
  connect(&clock_, &QTimer::timeout, this, &BenchmarksWorkspace::updateRun);
  clock_.start();
  loadTimer_.setInterval(500);
  connect(&loadTimer_, &QTimer::timeout, this, &BenchmarksWorkspace::watchLoad);
  showResults();
  reload();
  updateRun();
}

void BenchmarksWorkspace::showEvent(QShowEvent* event) {
  if (!settledSizes_) {
    settledSizes_ = true;
    QTimer::singleShot(0, this, [this] {
      const int room = width() - theme::width::kLeft;
      resizeDocks({tableDock_, compareDock_}, {room * 57 / 100, room * 43 / 100}, Qt::Horizontal);
      resizeDocks({suitesDock_, shownDock_}, {height() * 48 / 100, height() * 52 / 100},
                  Qt::Vertical);
    });
  }
  Workspace::showEvent(event);
  loadTimer_.start();
}

void BenchmarksWorkspace::hideEvent(QHideEvent* event) {
  Workspace::hideEvent(event);
  loadTimer_.stop();
  load_.clear();
}

void BenchmarksWorkspace::watchLoad() {
  // What is measured is no other work; before that, the measuring program looks itself.
  if (run_->isRunning()) {
    load_.clear();
    return;
  }
  load_.look();
  if (!load_.isFull()) return;
  showWarning(bench::loadWarning(load_.mean(), QThread::idealThreadCount()));
  load_.clear();
}

void BenchmarksWorkspace::showWarning(const QString& text) {
  warning_->setText(text);
  warning_->setVisible(!text.isEmpty());
}

void BenchmarksWorkspace::reload() {
  retry_.stop();
  reader_->read();
  showEmpty();
}

void BenchmarksWorkspace::take(const BenchReader::Stored& stored) {
  const bool first = !std::exchange(known_, true);
  storeProblem_ = stored.problem;
  showProblem();
  if (stored.problem) {
    // What was read before stays on the screen.
    if (stored.problem->kind == StoreError::Kind::Locked) retry_.start();
    if (first) showResults();
    showEmpty();
    emit statusNotesChanged();
    return;
  }
  results_ = stored.results;
  lastStored_ = stored.newest;
  for (std::size_t i = 0; i < suites_.size(); ++i) {
    bool all = true;
    for (const bench::Settings& wanted : suites_[i].settings) {
      all = all && std::any_of(results_.begin(), results_.end(), [&](const auto& each) {
              const bench::Settings& had = each->result.settings;
              return had.kind == wanted.kind && had.pinning == wanted.pinning &&
                     (bench::factsOf(wanted.kind).sequence || had.axis() == wanted.axis());
            });
    }
    suiteModel_->setDone(static_cast<int>(i), all);
  }
  showResults();
  emit statusNotesChanged();
}

void BenchmarksWorkspace::showKind(Kind kind) {
  kinds_->setCurrentIndex(kinds_->findData(static_cast<int>(kind)));
  kind_ = kind;
  showResults();
}

void BenchmarksWorkspace::showResults() {
  const QString note = QString::fromUtf8(bench::factsOf(kind_).note);
  subtitle_->setText(note.isEmpty() ? tr("Reliable, receive order, two processes.") : note);
  subtitle_->setToolTip(note);
  const QSignalBlocker blockBefore(before_);
  const QSignalBlocker blockAfter(after_);
  before_->clear();
  after_->clear();
  for (const auto& each : results_) {
    if (each->result.settings.kind != kind_) continue;
    QString text = tr("%1, %2").arg(whenText(each->result.at)).arg(each->id);
    if (!each->result.rti.isTutti()) text += QStringLiteral(", ") + each->result.rti.name;
    for (QComboBox* box : {before_, after_}) box->addItem(text, static_cast<qlonglong>(each->id));
  }
  // What a person chose, else the newest against the one before it that was measured the same way.
  if (after_->count() > 0) after_->setCurrentIndex(std::max(0, after_->findData(chosenAfter_)));
  int against = before_->findData(chosenBefore_);
  if (against < 0 || against == after_->currentIndex()) {
    against = after_->currentIndex() == 0 ? 1 : 0;
    int index = -1;
    const bench::Settings* newest = nullptr;
    for (const auto& each : results_) {
      if (each->result.settings.kind != kind_) continue;
      ++index;
      if (index == after_->currentIndex()) {
        newest = &each->result.settings;
      } else if (newest != nullptr && index > after_->currentIndex() &&
                 each->result.settings.pinning == newest->pinning &&
                 each->result.settings.axis() == newest->axis()) {
        against = index;
        break;
      }
    }
  }
  before_->setCurrentIndex(std::min(against, before_->count() - 1));

  shown_->setResults(results_, kind_);
  std::vector<double> places;
  for (const auto& each : results_) {
    if (each->result.settings.kind != kind_) continue;
    for (const bench::Series& series : each->result.series) {
      for (const bench::Point& point : series.points) places.push_back(point.at);
    }
  }
  const bool any = !places.empty();
  if (any && std::find(places.begin(), places.end(), place_) == places.end()) {
    showPlace(places.front());
  }
  centre_->setCurrentIndex(any ? 1 : 0);
  showEmpty();
  exportButton_->setEnabled(!results_.empty());
  updateCompare();
  updateFacts();
}

void BenchmarksWorkspace::showEmpty() {
  const bool reading = reader_->isReading();
  if (storeProblem_) {
    empty_->setSentence(storeProblem_->message);
    empty_->setDetail(reading ? tr("Reading it again…")
                      : storeProblem_->kind == StoreError::Kind::Locked
                          ? tr("It is tried again every two seconds.")
                          : QString());
    empty_->setButton(tr("Try again"))->setEnabled(!reading);
  } else if (!known_) {
    empty_->setSentence(tr("Reading the stored results…"));
    // Who waits for long is told for what.
    empty_->setDetail(
        reader_->elapsedSeconds() < 0.5
            ? QString()
            : tr("%1, for %2").arg(storePath_, theme::formatDuration(reader_->elapsedSeconds())));
    empty_->setButton(tr("Run suite"))->hide();
    return;
  } else {
    empty_->setSentence(tr("Nothing of this kind has been measured here yet."));
    empty_->setDetail(
        tr("The first suite takes 1 to 2 minutes. Close what else keeps the processors busy."));
    empty_->setButton(tr("Run suite"))->setEnabled(runButton_->isEnabled());
  }
  empty_->setButton(storeProblem_ ? tr("Try again") : tr("Run suite"))->show();
}

void BenchmarksWorkspace::showProblem() {
  QStringList lines;
  if (!runProblem_.isEmpty()) lines << runProblem_;
  // Where nothing else is shown it stands in the middle.
  if (storeProblem_ && !results_.empty()) lines << storeProblem_->message;
  problem_->setText(lines.join(u'\n'));
  problem_->setVisible(!lines.isEmpty());
}

void BenchmarksWorkspace::showPlace(double place) {
  if (place == place_) return;
  place_ = place;
  sizePlot_->setSize(place);
  spreadPlot_->setSeries(shown_->shown(), kind_, place);
  for (CostPlot* each : {processorPlot_, memoryPlot_}) each->setPlace(place);
}

void BenchmarksWorkspace::updateCompare() {
  const auto chosen = [&](const QComboBox* box) -> const StoredResult* {
    for (const auto& each : results_) {
      if (each->id == box->currentData().toLongLong()) return each.get();
    }
    return nullptr;
  };
  const StoredResult* before = before_->count() > 1 ? chosen(before_) : nullptr;
  const StoredResult* after = after_->count() > 1 ? chosen(after_) : nullptr;
  compareModel_->setResults(before, after);
  const bool any = compareModel_->rowCount() > 0;
  const bench::Comparison& comparison = compareModel_->comparison();
  compareHeadline_->setText(before != nullptr && after != nullptr
                                ? comparison.verdict
                                : tr("Two results of this kind show here what has changed."));
  compareWarning_->setText(comparison.warning);
  compareWarning_->setVisible(!comparison.warning.isEmpty());
  compareNote_->setText(comparison.circumstances);
  compareNote_->setVisible(any);
  for (QWidget* each : std::initializer_list<QWidget*>{before_, after_, against_}) {
    each->setVisible(before_->count() > 1);
  }
  compareTable_->setVisible(any);
  compareLegend_->setVisible(any);
}

void BenchmarksWorkspace::updateFacts() {
  const QModelIndex current = shownList_->currentIndex();
  const StoredResult* stored = nullptr;
  const std::vector<ShownSeries>& all = shown_->series();
  QString published;
  if (current.isValid() && current.row() < static_cast<int>(all.size())) {
    const ShownSeries& series = all[static_cast<std::size_t>(current.row())];
    stored = series.stored;
    if (series.what == ShownSeries::What::Reference) published = series.source;
  } else if (!all.empty()) {
    stored = all.front().stored;
  }
  std::vector<Fact> facts;
  const auto row = [&](const QString& label, const QString& value) {
    facts.push_back({Fact::Kind::Row, label, value, value, {}, {}, -1});
  };
  if (!published.isEmpty()) {
    facts.push_back({Fact::Kind::Headline, tr("Published figures"), {}, {}, {}, {}, -1});
    facts.push_back({Fact::Kind::Note, published, {}, {}, {}, {}, -1});
  } else if (stored != nullptr) {
    const bench::Result& result = stored->result;
    facts.push_back(
        {Fact::Kind::Headline, tr("Settings of result %1").arg(stored->id), {}, {}, {}, {}, -1});
    row(tr("Machine"), tr("%1, %2 cores").arg(result.machine.host).arg(result.machine.processors));
    row(tr("Processor"), result.machine.processor);
    row(tr("Governor"), result.machine.governor);
    row(tr("Load"),
        result.machine.loadLine() + (result.machine.isBusy() ? tr(", busy") : QString()));
    row(tr("Kernel"), result.machine.kernel);
    row(tr("Build"), QStringLiteral("%1 %2, %3")
                         .arg(result.build.version, result.build.type, result.build.compiler));
    row(tr("Seed"), QString::number(result.settings.seed));
    const bench::Settings& asked = result.settings;
    row(tr("RTI"), (result.rti.name + u' ' + result.rti.version).trimmed());
    QString counted = QString::fromLatin1(bench::factsOf(kind_).counted);
    counted[0] = counted[0].toUpper();
    QString count = theme::formatCount(static_cast<qint64>(asked.count));
    if (asked.cycles > 1) {
      count = (bench::factsOf(kind_).sequence ? tr("%1 samples of %2") : tr("%1 cycles of %2"))
                  .arg(asked.cycles)
                  .arg(count);
    }
    if (!bench::factsOf(kind_).sequence) {
      count =
          tr("%1 + %2 warm-up").arg(count, theme::formatCount(static_cast<qint64>(asked.warmUp)));
    }
    row(counted, count);
    if (!asked.sequence.isEmpty()) row(tr("Sequence"), asked.sequence);
    if (kind_ == Kind::Rtiperf) row(tr("Pairs"), QString::number(asked.pairs));
    if (kind_ == Kind::Fanout) row(tr("Subscribers"), QString::number(asked.receivers));
    if (kind_ == Kind::Clutter) {
      row(tr("Registered by"), theme::formatNoun(asked.crowds, tr("federate"), tr("federates")));
      row(tr("Seen by"), theme::formatNoun(asked.receivers, tr("federate"), tr("federates")));
    }
    if (asked.ack != 0) row(tr("Acknowledgement"), bench::sizeText(asked.ack));
    if (asked.fresh) row(tr("Federation"), tr("a new one for each round trip"));
    if (!bench::factsOf(kind_).sequence) row(tr("Repeats"), QString::number(asked.repeats));
    row(tr("Architecture"),
        QStringList(asked.architectures.begin(), asked.architectures.end()).join(u'\n'));
    if (asked.hosts != std::vector<int>{1}) {
      QStringList hosts;
      for (const int each : asked.hosts) hosts << QString::number(each);
      row(tr("Hosts"), hosts.join(QStringLiteral(", ")));
    }
    row(tr("Pinned"), result.settings.pinning == bench::Pinning::OwnCores  ? tr("each its own core")
                      : result.settings.pinning == bench::Pinning::OneCore ? tr("both on one core")
                                                                           : tr("no"));
    row(tr("Federates"), result.settings.wait ? tr("wait for callbacks") : tr("poll"));
  }
  facts_->setFacts(std::move(facts));
}

const std::vector<bench::Settings>& BenchmarksWorkspace::chosenSuite() const {
  const QModelIndex current = suiteList_->currentIndex();
  return suites_[static_cast<std::size_t>(current.isValid() ? current.row() : 0)].settings;
}

tl::expected<std::vector<bench::Settings>, QString> BenchmarksWorkspace::chosenSettings() const {
  std::vector<bench::Settings> result = chosenSuite();
  if (const int part = part_->currentIndex(); part > 0) {
    result = {result[static_cast<std::size_t>(part - 1)]};
  }
  const QStringList& architectures = bench::allArchitectures();
  static const std::vector<std::vector<int>> hosts{{}, {1}, {2}, {1, 2}};
  for (bench::Settings& each : result) {
    const bool sequence = bench::factsOf(each.kind).sequence;
    if (!sequence) each.repeats = repeats_->value();
    each.seed = static_cast<std::uint64_t>(seed_->value());
    each.tools = rti_->currentData().toString();
    if (sequence) each.sequence = sequence_->currentData().toString();
    if (pinning_->currentIndex() > 0) {
      each.pinning = static_cast<bench::Pinning>(pinning_->currentIndex() - 1);
      each.wait = each.pinning == bench::Pinning::OneCore;
    } else if (QThread::idealThreadCount() < 2) {
      each.pinning = bench::Pinning::OneCore;
      each.wait = true;
    }
    if (const int way = architecture_->currentIndex(); way > architectures.size()) {
      each.architectures.assign(architectures.begin(), architectures.end());
    } else if (way > 0) {
      each.architectures = {architectures[way - 1]};
    }
    if (const int choice = hosts_->currentIndex(); choice > 0 && !sequence) {
      each.hosts = hosts[static_cast<std::size_t>(choice)];
    }
    QStringList words = QProcess::splitCommand(options_->text());
    if (const QString problem = bench::takeSettings(words, each); !problem.isEmpty()) {
      return tl::unexpected(tr("%1.").arg(problem));
    }
    if (!words.isEmpty()) {
      return tl::unexpected(
          tr("\"%1\" is none of the options that \"tutti help bench\" lists.").arg(words.front()));
    }
    if (const QString reason = bench::whyNot(each); !reason.isEmpty()) {
      return tl::unexpected(reason);
    }
  }
  return result;
}

void BenchmarksWorkspace::updateChoice() {
  const auto chosen = chosenSettings();
  const QString problem = chosen ? unavailable_ : chosen.error();
  choiceProblem_->setText(problem);
  choiceProblem_->setVisible(!problem.isEmpty());
  theme::setStyleProperty(options_, "invalid", !chosen && !options_->text().isEmpty());
  updateRun();
}

void BenchmarksWorkspace::runSuite() {
  const auto chosen = chosenSettings();
  if (run_->isRunning() || !chosen || !unavailable_.isEmpty()) return;
  runProblem_.clear();
  showProblem();
  showWarning({});
  run_->start(*chosen);
  updateRun();
}

void BenchmarksWorkspace::setUnavailable(const QString& reason) {
  unavailable_ = reason;
  updateChoice();
}

void BenchmarksWorkspace::updateRun() {
  const bool running = run_->isRunning();
  const bool waiting = running || !known_;
  if (waiting && !clock_.isActive()) clock_.start();
  if (!waiting) clock_.stop();
  if (!known_) showEmpty();
  progressBar_->setVisible(running);
  const QString problem = choiceProblem_->text();
  runButton_->setEnabled(!running && problem.isEmpty());
  runButton_->setToolTip(running             ? tr("A suite is running")
                         : problem.isEmpty() ? tr("Measures the chosen suite")
                                             : problem);
  if (running) {
    progress_->setValue(static_cast<int>(run_->progress() * 1000));
    progressText_->setText(
        tr("%1, %2").arg(run_->text(), theme::formatElapsed(run_->elapsedSeconds())));
    progressCommand_->setText(QStringLiteral("$ ") + run_->commandLine());
  }
  emit commandLineChanged();
}

QString BenchmarksWorkspace::commandLine() const {
  if (run_->isRunning()) return run_->commandLine();
  const auto chosen = chosenSettings();
  if (!chosen) return {};
  QStringList lines;
  for (const bench::Settings& each : *chosen) {
    QStringList words = bench::commandLine(each);
    for (QString& word : words) {
      if (word.contains(u' ')) word = u'\'' + word + u'\'';
    }
    lines << QStringLiteral("tutti ") + words.join(u' ');
  }
  return lines.join(QStringLiteral(" && "));
}

void BenchmarksWorkspace::provideFinds(QList<theme::FindEntry>& into) const {
  if (!runButton_->isEnabled()) return;
  into << theme::FindEntry{runButton_->text(),    title(), tr("Action"),
                           QStringLiteral("run"), {},      [this] { runButton_->click(); }};
}

QStringList BenchmarksWorkspace::statusNotes() const {
  if (storeProblem_) return {tr("Results cannot be read")};
  if (!known_) return {tr("Reading results")};
  return lastStored_ > 0 ? QStringList{tr("Stored as result %1").arg(lastStored_)} : QStringList{};
}

QHash<QString, QList<QAction*>> BenchmarksWorkspace::menuActions() const {
  return {{QStringLiteral("Tools"), {exportAction_}}};
}

QString BenchmarksWorkspace::exportTitle(const QString& what) const {
  QString title = QStringLiteral("%1, %2").arg(what, bench::unitOf(kind_));
  for (const auto& each : results_) {
    if (each->result.settings.kind != kind_) continue;
    title += tr(", result %1, %2").arg(each->id).arg(each->result.machine.line());
    break;
  }
  return title;
}

std::vector<std::pair<BenchPlot*, QString>> BenchmarksWorkspace::plotsOfKind() const {
  if (bench::hasCosts(kind_)) {
    return {{sizePlot_, QString()},
            {processorPlot_, QStringLiteral("-processor")},
            {memoryPlot_, QStringLiteral("-memory")}};
  }
  return {{sizePlot_, QString()}, {spreadPlot_, QStringLiteral("-spread")}};
}

tl::expected<int, QString> BenchmarksWorkspace::exportInto(const QString& folder) {
  const Kind before = kind_;
  int files = 0;
  for (const bench::KindFacts& facts : bench::allKinds()) {
    const Kind kind = facts.kind;
    const bool any = std::any_of(results_.begin(), results_.end(), [&](const auto& each) {
      return each->result.settings.kind == kind;
    });
    if (!any) continue;
    showKind(kind);
    const QString base = QDir(folder).filePath(QStringLiteral("tutti-") + bench::kindName(kind));
    auto result = theme::exportCsv(*tableModel_, exportTitle(bench::kindTitle(kind)),
                                   base + QStringLiteral(".csv"), BenchTableModel::NumberRole,
                                   tableModel_->origins());
    ++files;
    for (const auto& [plot, name] : plotsOfKind()) {
      for (const char* ending : {".svg", ".png"}) {
        if (!result) break;
        const QSize size(820, 520);
        result = theme::exportPicture(
            exportTitle(plot->title()), size, base + name + QString::fromLatin1(ending),
            [&, drawn = plot](QPainter& painter) { drawn->renderLight(painter, size); });
        ++files;
      }
    }
    if (!result) {
      showKind(before);
      return tl::unexpected(result.error());
    }
  }
  showKind(before);
  return files;
}

void BenchmarksWorkspace::exportAll() {
  const QString folder = theme::askForFolder(this);
  if (folder.isEmpty()) return;
  const auto files = exportInto(folder);
  if (files) {
    emit done(tr("Exported %1 files to %2").arg(*files).arg(folder));
  } else {
    emit failed(tr("The benchmarks were not exported"), files.error());
  }
}

}  // namespace tutti::monitor
