// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console.h"

#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QMenu>
#include <functional>
#include <utility>

#include "app/adjust_dialog.h"
#include "app/far_run_dialog.h"
#include "app/lab_faults.h"
#include "app/measured_exchanges.h"
#include "app/source_build.h"
#include "composer/model/command_line.h"
#include "composer/ui/compose_workspace.h"
#include "composer/ui/looks.h"
#include "fom-editor/model/usage_provider.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "launcher/ui/deploy_workspace.h"
#include "launcher/ui/host_sources.h"
#include "monitor/ui/benchmarks_workspace.h"
#include "monitor/ui/run_workspace.h"
#include "monitor/ui/topology_view.h"

namespace tutti::app {

/// Tells the Object model page which federates of the document deal with a class.
class ClassUsage : public fomedit::UsageProvider {
 public:
  explicit ClassUsage(composer::Document& document) : document_(document) {
    connect(&document_, &composer::Document::dataFlowChanged, this, &UsageProvider::changed);
    connect(&document_, &composer::Document::wasReset, this, &UsageProvider::changed);
    connect(&document_, &composer::Document::federateChanged, this, &UsageProvider::changed);
  }

  QList<fomedit::Usage> usages(const QString& className, bool isObject) const override {
    using Kind = fomedit::Usage::Kind;
    QList<fomedit::Usage> result;
    for (const auto& [id, federate] : document_.composition().federates) {
      const composer::Manifest* manifest = document_.manifestOf(id);
      if (!manifest || !federate.enabled) continue;
      const QString component = manifest->id + u' ' + manifest->version;
      for (const composer::Interest& interest : manifest->publishes)
        if (interest.isObject == isObject && interest.className == className)
          result << fomedit::Usage{Kind::Publishes, federate.name, component, interest.attributes,
                                   interest.className};
      for (const composer::Interest& interest : manifest->subscribes)
        if (interest.isObject == isObject &&
            composer::isSameOrAncestor(interest.className, className))
          result << fomedit::Usage{Kind::Subscribes, federate.name, component, interest.attributes,
                                   interest.className};
    }
    return result;
  }

 private:
  composer::Document& document_;
};

namespace {

QString guideFolder() {
  const QString documents = composer::Catalog::documentsFolder();
  return documents.isEmpty() ? QString() : documents + QStringLiteral("/guide");
}

/// What the Run page calls groups and links of the document's federates.
monitor::ComposedRun composedRun(const composer::Document& document) {
  const composer::Composition& composition = document.composition();
  monitor::ComposedRun composed;
  for (const auto& [id, federate] : composition.federates) {
    const auto group = composition.groups.find(federate.group);
    if (group == composition.groups.end()) continue;
    for (const QString& name : federate.instanceNames())
      composed.groups.insert(name, group->second.name);
    if (group->second.collapsed) composed.collapsed.insert(group->second.name);
  }
  const auto names = [&composition](const std::vector<composer::FlowEnd>& ends) {
    QSet<QString> result;
    for (const composer::FlowEnd& end : ends)
      if (const composer::Federate* federate = composition.find(end.federate))
        for (const QString& name : federate->instanceNames()) result.insert(name);
    return result;
  };
  for (const composer::ClassFlow& flow : document.dataFlow().flows)
    composed.classes.push_back({flow.shortName(), names(flow.publishers), names(flow.subscribers)});
  return composed;
}

/// Says whether a person can see a window.
class Seen : public QObject {
 public:
  Seen(QWidget* window, std::function<void(bool)> tell) : QObject(window), tell_(std::move(tell)) {
    window->installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    const auto kind = event->type();
    if (kind == QEvent::WindowStateChange || kind == QEvent::Show || kind == QEvent::Hide) {
      const auto* window = static_cast<QWidget*>(watched);
      tell_(window->isVisible() && !window->isMinimized());
    }
    return false;
  }

 private:
  std::function<void(bool)> tell_;
};

}  // namespace

Console::Console(const Options& options) : document_(composer::Catalog::readDefault()) {
  settings_ = options.settingsFile.isEmpty()
                  ? std::make_unique<QSettings>()
                  : std::make_unique<QSettings>(options.settingsFile, QSettings::IniFormat);
  theme_.apply(
      static_cast<theme::Appearance>(settings_->value(QStringLiteral("appearance"), 0).toInt()));
  if (options.record) {
    recorder_ = std::make_unique<monitor::Recorder>();
    recorder_->attach(&feed_);
  }
  run_ = std::make_unique<RunController>(document_, feed_, recorder_.get());
  usage_ = std::make_unique<ClassUsage>(document_);
  compose_ = new composer::ComposeWorkspace(document_);
  objectModel_ = new fomedit::ObjectModelWorkspace;
  objectModel_->setUsageProvider(usage_.get());
  runPage_ = new monitor::RunWorkspace(&feed_, recorder_.get());
  QList<theme::Workspace*> pages{compose_, objectModel_};
  auto* deploy = new launcher::DeployWorkspace(&document_);
  pages << deploy;
  // What only a look at the machine can tell (programs, memory, names in use) stops a run as well.
  run_->setPreflight([deploy] { return deploy->whyNotRun(); },
                     [deploy] { return deploy->isChecking(); },
                     [deploy] { return deploy->isAwaitingChecks(); });
  deploy->setSettings(settings_.get());
  deploy->setMeasured(&lastExchanges);
  run_->setHostsFile([deploy] { return deploy->hostsFile(); });
  QObject::connect(deploy, &launcher::DeployWorkspace::preflightChanged, run_.get(),
                   &RunController::preflightChanged);
  QObject::connect(deploy, &launcher::DeployWorkspace::runRequested, run_.get(),
                   &RunController::runAnew);
  QObject::connect(deploy, &launcher::DeployWorkspace::hostAnswered, run_.get(),
                   &RunController::noteHostAnswer);
  QObject::connect(run_.get(), &RunController::phaseChanged, deploy, [run = run_.get(), deploy] {
    deploy->setSubmitted(run->submitted(), run->places());
  });
  pages << runPage_;
  auto* benchmarks = new monitor::BenchmarksWorkspace;
  pages << benchmarks;
  window_ = std::make_unique<MainWindow>(
      MainWindow::Parts{&theme_, &document_, run_.get(), settings_.get(), pages,
                        composer::Catalog::federationsFolder(), guideFolder()});
  new Seen(window_.get(), [run = run_.get()](bool seen) { run->setSeen(seen); });
  joinPages();
  joinBuild(*deploy, *benchmarks);
  joinLab(*deploy);
  joinFarRuns(*deploy);
}

void Console::joinBuild(launcher::DeployWorkspace& deploy,
                        monitor::BenchmarksWorkspace& benchmarks) {
  build_ = std::make_unique<SourceBuild>();
  const auto tell = [this, &benchmarks] {
    const QString note = build_->note();
    window_->setNote(note);
    run_->setBuildNote(note);
    benchmarks.setUnavailable(note);
  };
  QObject::connect(build_.get(), &SourceBuild::changed, window_.get(), tell);
  QObject::connect(build_.get(), &SourceBuild::built, window_.get(), [this, &deploy] {
    document_.setCatalog(composer::Catalog::readDefault());
    deploy.checkAgain();
  });
  tell();
}

Console::~Console() {
  // The window first: nothing of it may hear of the run's end.
  window_.reset();
  run_.reset();
}

void Console::joinPages() {
  run_->setMayStart([this] { return objectModel_->mayRun(); });
  // Its composition where it still is; the run is shown in any case.
  const auto opens = [this](const launcher::LaunchPlan& plan) {
    return plan.composition.isEmpty() || !QFileInfo::exists(plan.composition) ||
           plan.composition == document_.path() || window_->offerFile(plan.composition);
  };
  QObject::connect(run_.get(), &RunController::attachRequested, window_.get(),
                   [this, opens](const launcher::LaunchPlan& plan) {
                     if (!opens(plan)) return;
                     run_->attach(plan);
                     window_->showPage(QStringLiteral("run"));
                   });
  QObject::connect(run_.get(), &RunController::watchRequested, window_.get(),
                   [this, opens](const launcher::LaunchPlan& plan) {
                     if (!opens(plan)) return;
                     run_->watch(plan);
                     window_->showPage(QStringLiteral("run"));
                   });
  QObject::connect(run_.get(), &RunController::problemsRequested, window_.get(), [this] {
    // An edit mends what the composition's checks find; the rest is Deploy's to show.
    const bool edit =
        !composer::canRun(document_.findings()) || document_.composition().federates.empty();
    if (!edit && window_->showPage(QStringLiteral("deploy")))
      window_->currentPage()->showNextProblem(1);
    else if (window_->showPage(compose_->id()))
      compose_->showNextProblem(1);
  });
  for (const auto signal : {&composer::Document::dataFlowChanged, &composer::Document::wasReset,
                            &composer::Document::settingsChanged})
    QObject::connect(&document_, signal, window_.get(), [this] { updateModules(); });
  QObject::connect(&document_, &composer::Document::catalogChanged, window_.get(),
                   [this] { updateModules(); });
  updateModules();
  // The checks of the composition read the files.
  QObject::connect(objectModel_, &fomedit::ObjectModelWorkspace::moduleSaved, window_.get(),
                   [this] { document_.recheck(); });
  QObject::connect(objectModel_, &fomedit::ObjectModelWorkspace::moduleCreated, window_.get(),
                   [this](const QString& path) {
                     // Beside the composition's file the name goes with it to another folder.
                     const QDir folder(document_.folder());
                     const bool beside = !document_.path().isEmpty() &&
                                         path.startsWith(folder.absolutePath() + u'/');
                     document_.addModule(beside ? folder.relativeFilePath(path) : path);
                   });
  joinRunPage();
}

void Console::joinRunPage() {
  using composer::Document;
  using monitor::RunWorkspace;
  RunController* run = run_.get();
  RunWorkspace* page = runPage_;
  run->setTroubleSource([page] { return page->troubles(); });
  page->setRunStatus(run);
  page->setLastLines([run](const QString& federate) { return run->lastLinesOf(federate); });
  QObject::connect(page, &RunWorkspace::troublesChanged, run, &RunController::troublesChanged);
  QObject::connect(run, &RunController::logRequested, page, [this, page](const QString& federate) {
    if (window_->showPage(page->id())) page->showLog(federate);
  });
  QObject::connect(page, &RunWorkspace::runRequested, run, &RunController::run);
  QObject::connect(page, &RunWorkspace::stopRequested, run, &RunController::stopFederates);
  QObject::connect(page, &RunWorkspace::killRequested, run, &RunController::killFederates);
  QObject::connect(page, &RunWorkspace::restartRequested, run, &RunController::restartFederates);
  QObject::connect(page, &RunWorkspace::removeRequested, run, &RunController::removeFederates);
  QObject::connect(page, &RunWorkspace::moveRequested, run, &RunController::moveFederate);
  QObject::connect(page, &RunWorkspace::adjustRequested, run, &RunController::adjust);
  QObject::connect(
      run, &RunController::adjustRequested, window_.get(),
      [this, run](const QString& node, const QString& federation, const QString& federate) {
        auto* dialog = new AdjustDialog(node, federation, federate, window_.get());
        QObject::connect(dialog, &AdjustDialog::wasSet, run, &RunController::said);
        // A run that ends takes its switches with it.
        QObject::connect(run, &RunController::runEnded, dialog, &QDialog::reject);
        dialog->open();
      });
  QObject::connect(page, &RunWorkspace::waitRequested, run, &RunController::waitForHost);
  QObject::connect(page, &RunWorkspace::giveUpRequested, run, &RunController::giveUpHost);
  page->setMoveTargets([run](const QString& federate) { return run->moveTargets(federate); });
  QObject::connect(run, &RunController::membersChanged, page, [this, run, page] {
    page->setComposed(composedRun(document_));
    page->setDeclarations(run->declarations());
  });
  QObject::connect(compose_, &composer::ComposeWorkspace::menuAboutToShow, run,
                   [this, run, page](QMenu* menu, const QStringList& federates) {
                     const QStringList missing = run->missingFederates();
                     const QStringList present = run->removableFederates();
                     QStringList toStart;
                     QStringList toRemove;
                     for (const QString& id : federates) {
                       const auto* federate = document_.federate(id);
                       if (!federate) continue;
                       for (const QString& name : federate->instanceNames()) {
                         if (missing.contains(name)) toStart << name;
                         if (present.contains(name)) toRemove << name;
                       }
                     }
                     if (!toStart.isEmpty())
                       menu->addAction(RunController::tr("Start in this run"), run,
                                       [run, toStart] { run->addFederates(toStart); })
                           ->setObjectName(QStringLiteral("startInRun"));
                     // What is lost is said there, before the button that does it.
                     if (!toRemove.isEmpty())
                       menu->addAction(RunController::tr("Remove from this run…"), page,
                                       [this, page, toRemove] {
                                         if (window_->showPage(page->id()))
                                           page->askTo(monitor::FederateCommand::Remove, toRemove);
                                       })
                           ->setObjectName(QStringLiteral("removeFromRun"));
                     if (!menu->isEmpty()) menu->addSeparator();
                   });
  QObject::connect(run, &RunController::runBegan, page, [this, run, page] {
    page->setWatched(run->isWatched());
    page->setComposed(composedRun(document_));
    page->setDeclarations(run->declarations());
    page->beginRun(run->current()->plan().federation);
  });
  const auto runnable = [this, page, run] {
    page->setRunnable(document_.composition().settings.federation, run->whyNotRun());
    const QString path = document_.path();
    if (run->isWatched())
      page->setCommandLine(run->job() != 0
                               ? QStringLiteral("tutti attach --job %1").arg(run->job())
                               : (run->machine().isEmpty()
                                      ? QStringLiteral("tutti attach ")
                                      : QStringLiteral("tutti attach --on %1 ")
                                            .arg(composer::shellQuoted(run->machine()))) +
                                     run->current()->plan().run);
    else
      page->setCommandLine(
          path.isEmpty() ? QString() : QStringLiteral("tutti run ") + composer::shellPath(path));
  };
  QObject::connect(&document_, &Document::findingsChanged, page, runnable);
  QObject::connect(&document_, &Document::pathChanged, page, runnable);
  QObject::connect(run, &RunController::changed, page, runnable);
  runnable();
}

void Console::joinLab(launcher::DeployWorkspace& deploy) {
  lab_ = std::make_unique<LabFaults>(launcher::HostSources::elevation());
  LabFaults* lab = lab_.get();
  run_->setHostFault([lab](const QString& host) { return lab->faultOf(host); });
  runPage_->setHostActions([lab](const QString& host) {
    QList<monitor::RunWorkspace::HostAction> actions;
    for (const LabFaults::Action& each : lab->actionsFor(host))
      actions << monitor::RunWorkspace::HostAction{each.text, each.command, each.whyNot, each.run};
    return actions;
  });
  QObject::connect(lab, &LabFaults::changed, run_.get(), &RunController::hostFaultsChanged);
  QObject::connect(lab, &LabFaults::done, runPage_, &theme::Workspace::done);
  QObject::connect(lab, &LabFaults::failed, runPage_, &theme::Workspace::failed);
  const auto look = [lab, page = &deploy] { lab->setHostsFile(page->hostsFile()); };
  QObject::connect(&deploy, &launcher::DeployWorkspace::hostsFileChanged, lab, look);
  QObject::connect(run_.get(), &RunController::runBegan, lab, look);
  look();
}

void Console::joinFarRuns(launcher::DeployWorkspace& deploy) {
  auto* dialog = new FarRunDialog(window_.get());
  dialog->setHostsFile([page = &deploy] { return page->hostsFile(); });
  RunController* run = run_.get();
  QObject::connect(run, &RunController::farRunAsked, dialog, &FarRunDialog::ask);
  QObject::connect(dialog, &FarRunDialog::chosen, run, &RunController::watchFar);
  QObject::connect(dialog, &QDialog::rejected, run, &RunController::giveUpFar);
  QObject::connect(run, &RunController::farRunFailed, dialog, &FarRunDialog::showProblem);
  QObject::connect(&deploy, &launcher::DeployWorkspace::watchRequested, run,
                   &RunController::watchFar);
  QObject::connect(run, &RunController::farRunFailed, &deploy,
                   [dialog, page = &deploy](const QString& what, const QString& next) {
                     if (!dialog->isVisible()) Q_EMIT page->failed(what, next);
                   });
  QObject::connect(run, &RunController::farRunBegan, window_.get(), [this, dialog] {
    dialog->hide();
    window_->showPage(QStringLiteral("run"));
  });
}

void Console::updateModules() {
  const QStringList modules =
      composer::effectiveModules(document_.composition(), document_.catalog(), document_.folder());
  if (modules == modules_) return;
  modules_ = modules;
  objectModel_->setModules(modules);
}

}  // namespace tutti::app
