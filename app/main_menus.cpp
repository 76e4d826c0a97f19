// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_menus.h"

#include <QAbstractScrollArea>
#include <QActionGroup>
#include <QDateTime>
#include <QDockWidget>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSet>
#include <QSettings>
#include <QUndoGroup>

#include "app/document_files.h"
#include "app/finder.h"
#include "app/pulse_bar.h"
#include "app/save_label_dialog.h"
#include "app/status_line.h"
#include "composer/model/document.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/rows.h"
#include "resources/theme/widgets.h"

namespace tutti::app {

using theme::Appearance;
using theme::RunStatus;

MainMenus::MainMenus(MainWindow& window, const MainWindow::Parts& parts, DocumentFiles& files,
                     QUndoGroup& undo)
    : QObject(&window), window_(window), parts_(parts), files_(files) {
  QMenuBar* bar = window_.menuBar();
  bar->setObjectName(QStringLiteral("menuRow"));
  bar->setNativeMenuBar(false);
  bar->setFixedHeight(theme::height::kMenu);
  buildFile(bar);
  buildEdit(bar, undo);
  buildView(bar);
  composition_ = bar->addMenu(tr("&Composition"));
  buildRun(bar);
  buildTools(bar);
  buildHelp(bar);
  buildSwitch();
}

QAction* MainMenus::action(QMenu* menu, const QString& name, const QString& text,
                           const QString& iconName, const QList<QKeySequence>& keys,
                           std::function<void()> run) {
  auto* result = new QAction(text, &window_);
  result->setObjectName(name);
  if (!iconName.isEmpty()) result->setIcon(theme::icon(iconName));
  result->setShortcuts(keys);
  connect(result, &QAction::triggered, this, [run = std::move(run)] { run(); });
  menu->addAction(result);
  // The window itself holds it too, so that keys work while a menu is rebuilt.
  window_.addAction(result);
  return result;
}

void MainMenus::addChoice(const QString& name, const QString& text, const QString& toolTip,
                          const QString& key, std::function<void(bool)> set) {
  QAction* choice = action(view_, name, text, {}, {}, [] {});
  choice->setCheckable(true);
  if (!toolTip.isEmpty()) choice->setToolTip(toolTip);
  choice->setChecked(parts_.settings->value(key).toBool());
  set(choice->isChecked());
  connect(choice, &QAction::toggled, this, [this, key, set = std::move(set)](bool on) {
    set(on);
    parts_.settings->setValue(key, on);
  });
}

theme::Workspace* MainMenus::page() const {
  return window_.isStartPageShown() ? nullptr : window_.currentPage();
}

QList<QMenu*> MainMenus::all() const {
  return {file_, edit_, view_, composition_, run_, tools_, help_};
}

void MainMenus::buildFile(QMenuBar* bar) {
  file_ = bar->addMenu(tr("&File"));
  action(file_, QStringLiteral("fileNew"), tr("&New composition"), QStringLiteral("document-new"),
         {QKeySequence::New}, [this] { window_.newComposition(); });
  action(file_, QStringLiteral("fileOpen"), tr("&Open…"), QStringLiteral("document-open"),
         {QKeySequence::Open}, [this] { window_.askForFile(); });
  recentMenu_ = file_->addMenu(tr("Open &recent"));
  recentMenu_->setIcon(theme::icon(QStringLiteral("document-open-recent")));
  connect(recentMenu_, &QMenu::aboutToShow, this, &MainMenus::fillRecent);
  file_->addSeparator();
  action(file_, QStringLiteral("fileSave"), tr("&Save"), QStringLiteral("document-save"),
         {QKeySequence::Save}, [this] {
           // What is edited on the page that is shown, else the composition.
           if (!page() || !page()->saveEdits()) files_.save();
         });
  action(file_, QStringLiteral("fileSaveAs"), tr("Save &as…"), QStringLiteral("document-save-as"),
         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, [this] { files_.saveAs(); });
  file_->addSeparator();
  action(file_, QStringLiteral("fileStart"), tr("Start &page"), {}, {},
         [this] { window_.showStartPage(); });
  action(file_, QStringLiteral("fileQuit"), tr("&Quit"), QStringLiteral("application-exit"),
         {QKeySequence::Quit, QKeySequence(Qt::CTRL | Qt::Key_Q)}, [this] { window_.close(); });
}

void MainMenus::buildEdit(QMenuBar* bar, QUndoGroup& undoGroup) {
  edit_ = bar->addMenu(tr("&Edit"));
  QAction* undo = undoGroup.createUndoAction(&window_, tr("Undo"));
  undo->setObjectName(QStringLiteral("editUndo"));
  undo->setIcon(theme::icon(QStringLiteral("undo")));
  undo->setShortcut(QKeySequence::Undo);
  QAction* redo = undoGroup.createRedoAction(&window_, tr("Redo"));
  redo->setObjectName(QStringLiteral("editRedo"));
  redo->setIcon(theme::icon(QStringLiteral("redo")));
  redo->setShortcuts(
      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
  edit_->addActions({undo, redo});
  window_.addActions({undo, redo});
  edit_->addSeparator();
  action(edit_, QStringLiteral("editFind"), tr("&Find anything"), QStringLiteral("find"),
         {QKeySequence(Qt::CTRL | Qt::Key_K)}, [this] { window_.findField()->open(); });
  action(edit_, QStringLiteral("editFilter"), tr("Filter the &list"), QStringLiteral("filter"),
         {QKeySequence::Find}, [this] {
           if (page()) page()->focusFilter();
         });
}

void MainMenus::buildView(QMenuBar* bar) {
  view_ = bar->addMenu(tr("&View"));
  for (int i = 0; i < parts_.pages.size(); ++i) {
    const theme::Workspace* one = parts_.pages[i];
    action(view_, QStringLiteral("view-") + one->id(), one->title(), one->iconName(),
           {QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i))},
           [this, one] { window_.showPage(one->id()); });
  }
  view_->addSeparator();
  panesMenu_ = view_->addMenu(tr("&Panes"));
  connect(panesMenu_, &QMenu::aboutToShow, this, [this] {
    panesMenu_->clear();
    if (window_.currentPage())
      for (QDockWidget* pane : window_.currentPage()->panes())
        panesMenu_->addAction(pane->toggleViewAction());
  });
  action(view_, QStringLiteral("viewReset"), tr("&Reset layout"), {}, {},
         [this] { window_.resetLayout(); });
  view_->addSeparator();
  backAction_ = action(view_, QStringLiteral("viewBack"), tr("&Back"), QStringLiteral("previous"),
                       {QKeySequence(Qt::ALT | Qt::Key_Left)}, [this] { window_.goHistory(-1); });
  forwardAction_ =
      action(view_, QStringLiteral("viewForward"), tr("&Forward"), QStringLiteral("next"),
             {QKeySequence(Qt::ALT | Qt::Key_Right)}, [this] { window_.goHistory(1); });
  action(view_, QStringLiteral("viewNextPane"), tr("Next p&ane"), {},
         {QKeySequence(Qt::CTRL | Qt::Key_Tab)}, [this] {
           if (page()) page()->focusPane(1);
         });
  action(view_, QStringLiteral("viewPreviousPane"), tr("Previous pa&ne"), {},
         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab),
          QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Backtab)},
         [this] {
           if (page()) page()->focusPane(-1);
         });
  view_->addSeparator();
  buildThemes();
  addChoice(QStringLiteral("viewMotion"), tr("Reduced &motion"), {},
            QStringLiteral("reducedMotion"), &theme::setReducedMotion);
  addChoice(QStringLiteral("viewLargeRows"), tr("&Large rows"),
            tr("Lists, tables and trees with rows of 36 px, for touch screens"),
            QStringLiteral("largeRows"), [](bool large) {
              theme::setRowSize(large ? theme::RowSize::Large : theme::RowSize::Dense);
            });
}

void MainMenus::buildThemes() {
  QMenu* menu = view_->addMenu(tr("&Theme"));
  auto* themes = new QActionGroup(this);
  const auto add = [&](const char* name, const QString& text, Appearance appearance) {
    QAction* choice = action(menu, QString::fromLatin1(name), text, {}, {},
                             [this, appearance] { window_.setAppearance(appearance); });
    choice->setCheckable(true);
    choice->setData(static_cast<int>(appearance));
    themes->addAction(choice);
  };
  add("themeSystem", tr("&System"), Appearance::System);
  add("themeLight", tr("&Light"), Appearance::Light);
  add("themeDark", tr("&Dark"), Appearance::Dark);
  connect(menu, &QMenu::aboutToShow, this, [this, themes] {
    for (QAction* choice : themes->actions())
      choice->setChecked(choice->data().toInt() == static_cast<int>(parts_.theme->appearance()));
  });
}

void MainMenus::buildRun(QMenuBar* bar) {
  RunStatus* run = parts_.run;
  run_ = bar->addMenu(tr("&Run"));
  runAction_ = action(run_, QStringLiteral("run"), tr("&Run"), QStringLiteral("run"),
                      {QKeySequence(Qt::Key_F5)}, [run] {
                        if (run->whyNotRun().isEmpty())
                          run->run();
                        else
                          run->showWhyNotRun();
                      });
  pauseAction_ = action(run_, QStringLiteral("pause"), tr("&Pause"), QStringLiteral("pause"),
                        {QKeySequence(Qt::Key_F6)}, [run] {
                          if (run->phase() == RunStatus::Phase::Paused)
                            run->resume();
                          else
                            run->pause();
                        });
  stepAction_ = action(run_, QStringLiteral("step"), tr("S&tep"), QStringLiteral("step"),
                       {QKeySequence(Qt::Key_F10)}, [run] { run->step(); });
  paceMenu_ = new PaceMenu(run, run_);
  run_->addMenu(paceMenu_);
  stopAction_ =
      action(run_, QStringLiteral("stop"), tr("&Stop"), QStringLiteral("stop"),
             {QKeySequence(Qt::SHIFT | Qt::Key_F5)}, [this] { window_.pulseBar()->askToStop(); });
  restartAllAction_ = action(run_, QStringLiteral("restartAll"), tr("Restart all…"), {}, {},
                             [this] { askToRestartAll(); });
  restartAllAction_->setToolTip(tr("Stop all federates and start them again, in this run"));
  killAllAction_ =
      action(run_, QStringLiteral("killAll"), tr("Kill all…"), {}, {}, [this] { askToKillAll(); });
  killAllAction_->setToolTip(tr("End the run at once with SIGKILL, on all its hosts"));
  resignAction_ = action(run_, QStringLiteral("resignAll"), tr("Resi&gn everybody…"), {}, {},
                         [this] { askToResign(); });
  resignAction_->setToolTip(
      tr("Have the RTI make all federates resign (IEEE 1516.1-2010, 11.4), wherever they run"));
  adjustAction_ = action(run_, QStringLiteral("adjustSwitches"), tr("A&djust switches…"), {}, {},
                         [run] { run->adjust({}); });
  adjustAction_->setToolTip(
      tr("What the MOM reports and conveys (IEEE 1516.1-2010, 11.4, HLAadjust), and auto provide"));
  run_->addSeparator();
  saveRunAction_ = action(run_, QStringLiteral("saveFederation"), tr("S&ave federation"), {}, {},
                          [run] { run->save(); });
  saveRunAction_->setToolTip(
      tr("Have all federates save (IEEE 1516.1-2010, 4.16), named by the current time"));
  saveRunAsAction_ = action(run_, QStringLiteral("saveFederationAs"), tr("Save federation as…"), {},
                            {}, [this] { askForLabel(); });
  saveRunAsAction_->setToolTip(tr("Likewise, under a name of your own"));
  restoreMenu_ = run_->addMenu(tr("&Restore"));
  restoreMenu_->setObjectName(QStringLiteral("restoreMenu"));
  restoreMenu_->setToolTipsVisible(true);
  connect(restoreMenu_, &QMenu::aboutToShow, run, &RunStatus::lookForSaves);
  connect(run, &RunStatus::savesChanged, this, &MainMenus::fillRestore);
  fillRestore();
  missingMenu_ = run_->addMenu(tr("Start in t&his run"));
  missingMenu_->setObjectName(QStringLiteral("missingMenu"));
  missingMenu_->menuAction()->setToolTip(
      tr("Federates that were added to the composition after the run began"));
  missingMenu_->setEnabled(false);
  watchMenu_ = run_->addMenu(tr("&Watch another run"));
  watchMenu_->setObjectName(QStringLiteral("watchMenu"));
  watchMenu_->setToolTipsVisible(true);
  farAction_ = action(run_, QStringLiteral("watchFarRun"), tr("Watch a run on another &machine…"),
                      {}, {}, [run] { run->askForFarRun(); });
  farAction_->setToolTip(tr("One of your account, over ssh; the run does not notice"));
  connect(run_, &QMenu::aboutToShow, run, &RunStatus::lookForRuns);
  connect(run, &RunStatus::otherRunsChanged, this, &MainMenus::fillWatch);
  fillWatch();
  run_->addSeparator();
  keepAction_ = action(run_, QStringLiteral("keepRunning"), tr("&Keep running without this window"),
                       {}, {}, [] {});
  keepAction_->setCheckable(true);
  connect(keepAction_, &QAction::triggered, this, [run](bool on) { run->setKept(on); });
  runMenu_ = new QMenu(&window_);
  runMenu_->setObjectName(QStringLiteral("runMenu"));
  runMenu_->addAction(restartAllAction_);
  runMenu_->addAction(killAllAction_);
  runMenu_->addAction(saveRunAction_);
  runMenu_->addAction(saveRunAsAction_);
  runMenu_->addMenu(restoreMenu_);
  runMenu_->addMenu(missingMenu_);
  runMenu_->addAction(adjustAction_);
  runMenu_->addAction(resignAction_);
  runMenu_->addAction(keepAction_);
  run_->addSeparator();
  action(run_, QStringLiteral("nextProblem"), tr("&Next problem"), {}, {QKeySequence(Qt::Key_F8)},
         [this] {
           if (page()) page()->showNextProblem(1);
         });
  action(run_, QStringLiteral("previousProblem"), tr("Pre&vious problem"), {},
         {QKeySequence(Qt::SHIFT | Qt::Key_F8)}, [this] {
           if (page()) page()->showNextProblem(-1);
         });
}

void MainMenus::ask(const Question& question, const std::function<void()>& run) {
  auto* box = new QMessageBox(QMessageBox::NoIcon, question.title, question.text,
                              QMessageBox::NoButton, &window_);
  box->setObjectName(question.name);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(question.detail);
  auto* yes = box->addButton(question.yes, QMessageBox::DestructiveRole);
  yes->setObjectName(QString(question.name).replace(QStringLiteral("Box"), QString()) +
                     QStringLiteral("Accept"));
  theme::setStyleProperty(yes, "role", QStringLiteral("danger"));
  box->setDefaultButton(box->addButton(question.no, QMessageBox::RejectRole));
  connect(yes, &QPushButton::clicked, parts_.run, run);
  box->open();
}

void MainMenus::askToResign() {
  RunStatus* run = parts_.run;
  ask({QStringLiteral("resignAllBox"), tr("Resign everybody"),
       tr("Have %1 of %2 resign?")
           .arg(theme::formatNoun(run->federatesJoined(), tr("federate"), tr("federates")),
                run->federation()),
       tr("This ends the federation and cannot be undone. The automatic resign directive of each "
          "federate decides what becomes of its object instances and attributes. A process that "
          "has not ended by itself 10 s later gets SIGTERM."),
       tr("Resign everybody"), tr("Let them go on")},
      [run] {
        if (run->canResign()) run->resignAll();
      });
}

void MainMenus::askToRestartAll() {
  RunStatus* run = parts_.run;
  ask({QStringLiteral("restartAllBox"), tr("Restart all federates"),
       tr("Restart all %1 of %2?")
           .arg(theme::formatNoun(run->federatesExpected(), tr("federate"), tr("federates")),
                run->federation()),
       tr("Each is told to end (SIGTERM), so that it can resign. When all have ended they are "
          "started again, in the order of the run, which goes on. Object instances and logical "
          "time are lost; save the federation first to go back to them."),
       tr("Restart all"), tr("Let them go on")},
      [run] {
        if (run->canRestartAll()) run->restartAll();
      });
}

void MainMenus::askToKillAll() {
  RunStatus* run = parts_.run;
  ask({QStringLiteral("killAllBox"), tr("Kill all federates"),
       tr("Kill all %1 of %2?")
           .arg(theme::formatNoun(run->federatesExpected(), tr("federate"), tr("federates")),
                run->federation()),
       tr("The run ends at once, on all its hosts, with SIGKILL: no federate can resign or write "
          "what it has not written. Stop gives them time for that."),
       tr("Kill all"), tr("Let them go on")},
      [run] {
        if (run->canKillAll()) run->killAll();
      });
}

void MainMenus::askForLabel() {
  auto* dialog = new SaveLabelDialog(*parts_.run, parts_.run->federation(), &window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

void MainMenus::buildTools(QMenuBar* bar) {
  tools_ = bar->addMenu(tr("&Tools"));
  action(tools_, QStringLiteral("toolsCatalog"), tr("Read the &catalog again"),
         QStringLiteral("view-refresh"), {}, [this] {
           parts_.document->setCatalog(composer::Catalog::readDefault());
           window_.showToast(
               tr("Read %1 components").arg(parts_.document->catalog().components().size()));
         });
  action(tools_, QStringLiteral("toolsCopyCommand"), tr("Copy the command &line"),
         QStringLiteral("terminal"), {}, [this] { window_.copyCommandLine(); });
}

void MainMenus::buildHelp(QMenuBar* bar) {
  help_ = bar->addMenu(tr("&Help"));
  action(help_, QStringLiteral("helpGuide"), tr("&Guide"), QStringLiteral("help-contents"),
         {QKeySequence(Qt::Key_F1)}, [this] { window_.showGuide(); });
  action(help_, QStringLiteral("helpKeys"), tr("All &keys"), {},
         {QKeySequence(Qt::CTRL | Qt::Key_Slash)}, [this] { window_.showKeys(); });
}

void MainMenus::buildSwitch() {
  switchMenu_ = new QMenu(&window_);
  connect(switchMenu_, &QMenu::aboutToShow, this, [this] {
    switchMenu_->clear();
    fillRecent();
    switchMenu_->addActions(recentMenu_->actions());
    switchMenu_->addSeparator();
    for (const char* name : {"fileNew", "fileOpen", "fileSave", "fileSaveAs", "fileStart"})
      if (auto* choice = window_.findChild<QAction*>(QString::fromLatin1(name)))
        switchMenu_->addAction(choice);
  });
}

void MainMenus::fillRecent() {
  recentMenu_->clear();
  for (const QString& file : files_.recent()) {
    QAction* choice = recentMenu_->addAction(QFileInfo(file).fileName());
    choice->setToolTip(file);
    connect(choice, &QAction::triggered, this, [this, file] { window_.offerFile(file); });
  }
  if (recentMenu_->isEmpty())
    recentMenu_->addAction(tr("No composition was opened yet"))->setEnabled(false);
}

void MainMenus::setPage(const theme::Workspace* page) {
  for (auto [menu, actions] : pageActions_.asKeyValueRange())
    for (QAction* old : actions) {
      menu->removeAction(old);
      window_.removeAction(old);
      if (old->isSeparator() && old->parent() == this) delete old;
    }
  pageActions_.clear();
  if (page) {
    const auto byTitle = page->menuActions();
    for (QMenu* menu : all()) {
      const QList<QAction*> actions = byTitle.value(menu->title().remove(u'&'));
      if (actions.isEmpty()) continue;
      QList<QAction*>& placed = pageActions_[menu];
      if (!menu->actions().isEmpty()) {
        auto* separator = new QAction(this);
        separator->setSeparator(true);
        menu->addAction(separator);
        placed << separator;
      }
      for (QAction* one : actions) {
        menu->addAction(one);
        window_.addAction(one);
        placed << one;
      }
    }
  }
  composition_->menuAction()->setVisible(!composition_->actions().isEmpty());
}

void MainMenus::updateRun() {
  using Phase = RunStatus::Phase;
  const RunStatus* run = parts_.run;
  const Phase phase = run->phase();
  const bool active = phase != Phase::NotRunning && phase != Phase::Ended;
  runAction_->setEnabled(!active);
  stopAction_->setEnabled(active && phase != Phase::Stopping);
  pauseAction_->setEnabled(active && run->canPause());
  pauseAction_->setText(phase == Phase::Paused ? tr("&Resume") : tr("&Pause"));
  stepAction_->setEnabled(active && run->canPause());
  paceMenu_->refresh();
  keepAction_->setEnabled(active && run->canKeep());
  keepAction_->setChecked(run->isKept());
  saveRunAction_->setEnabled(active && run->canSave());
  saveRunAsAction_->setEnabled(active && run->canSave());
  restartAllAction_->setEnabled(active && run->canRestartAll());
  killAllAction_->setEnabled(active && run->canKillAll());
  restoreMenu_->setEnabled(active && run->canSave());
  resignAction_->setEnabled(active && run->canResign());
  adjustAction_->setEnabled(active && run->canAdjust());
  const auto queued = run->queued();
  stopAction_->setText(queued             ? tr("Cancel job %1…").arg(queued->job)
                       : run->isWatched() ? tr("&Stop watching")
                                          : tr("&Stop"));
  watchMenu_->setEnabled(!active);
  farAction_->setEnabled(!active);
  fillMissing();
}

void MainMenus::fillWatch() {
  watchMenu_->clear();
  const auto runs = parts_.run->otherRuns();
  for (const RunStatus::OtherRun& each : runs) {
    // An ampersand in a name is no mnemonic.
    const QString name = QString(each.federation.isEmpty() ? each.run : each.federation)
                             .replace(u'&', QStringLiteral("&&"));
    QAction* one = watchMenu_->addAction(
        tr("Watch %1\t%2, %3")
            .arg(name, theme::formatNoun(each.federates, tr("federate"), tr("federates")),
                 theme::formatNoun(each.hosts, tr("host"), tr("hosts"))));
    one->setToolTip(tr("Run %1. Another program has it; it does not notice").arg(each.run));
    connect(one, &QAction::triggered, this, [this, run = each.run] { parts_.run->watchRun(run); });
  }
  if (runs.isEmpty())
    watchMenu_->addAction(tr("No other program has a run on this machine"))->setEnabled(false);
}

void MainMenus::fillMissing() {
  const QStringList names = parts_.run->missingFederates();
  if (names == missing_) return;
  missing_ = names;
  missingMenu_->clear();
  missingMenu_->setEnabled(!names.isEmpty());
  const auto add = [this](const QString& text, const QStringList& those) {
    // An ampersand in a name is no mnemonic.
    QAction* one = missingMenu_->addAction(QString(text).replace(u'&', QStringLiteral("&&")));
    connect(one, &QAction::triggered, this, [this, those] { parts_.run->addFederates(those); });
  };
  if (names.size() > 1) add(tr("Start all %1 new federates in this run").arg(names.size()), names);
  constexpr qsizetype kMost = 20;  // Compose has the others
  for (const QString& name : names.mid(0, kMost)) add(tr("Start %1 in this run").arg(name), {name});
}

void MainMenus::fillRestore() {
  restoreMenu_->clear();
  constexpr qsizetype kMost = 20;  // the command line lists all
  const QDateTime now = QDateTime::currentDateTime();
  const auto saves = parts_.run->saves();
  for (const RunStatus::KeptSave& save : saves.mid(0, kMost)) {
    // An ampersand in a label is no mnemonic.
    const QString label = QString(save.label).replace(u'&', QStringLiteral("&&"));
    QAction* one =
        restoreMenu_->addAction(tr("%1\t%2, %3")
                                    .arg(label, theme::formatWhen(save.savedAt, now),
                                         theme::formatBytes(static_cast<double>(save.bytes))));
    one->setToolTip(tr("Everything is as it was at %1; what has happened since is gone")
                        .arg(theme::formatClockLong(save.savedAt)));
    connect(one, &QAction::triggered, this,
            [this, label = save.label] { parts_.run->restore(label); });
  }
  if (saves.isEmpty())
    restoreMenu_->addAction(tr("No saves of this federation"))->setEnabled(false);
  if (saves.size() > kMost)
    restoreMenu_->addAction(tr("%1 more: tutti saves").arg(saves.size() - kMost))
        ->setEnabled(false);
}

void MainMenus::setHistory(bool canGoBack, bool canGoForward) {
  backAction_->setEnabled(canGoBack);
  forwardAction_->setEnabled(canGoForward);
}

namespace {

/// Not of a field's or a message's own menu: those act on what has the focus.
bool isOfPage(const QAction& action) {
  for (const QObject* at = action.parent(); at; at = at->parent()) {
    if (qobject_cast<const theme::Workspace*>(at)) return true;
    if (qobject_cast<const QLineEdit*>(at) || qobject_cast<const QMenu*>(at) ||
        qobject_cast<const QAbstractScrollArea*>(at))
      return false;
  }
  return false;
}

/// "Run › Log" for a button in the title bar of a pane, else the page.
QString placeOf(const QAction& action, const theme::Workspace& page) {
  for (const QObject* shown : action.associatedObjects())
    for (const QObject* at = shown; at && at != &page; at = at->parent())
      if (const auto* pane = qobject_cast<const QDockWidget*>(at))
        return page.title() + QStringLiteral(" › ") + pane->windowTitle();
  return page.title();
}

}  // namespace

void MainMenus::provideFinds(QList<theme::FindEntry>& into) const {
  QSet<const QAction*> known;
  QSet<QString> titles;
  const auto add = [&](QAction* choice, const QString& title, const QString& path,
                       const std::function<void()>& before) {
    // A page has its own buttons of some actions of the menus: undo, redo.
    if (known.contains(choice) || (before && titles.contains(title))) return;
    known << choice;
    if (!before) titles << title;
    into << theme::FindEntry{title,
                             path,
                             tr("Action"),
                             QStringLiteral("bolt"),
                             choice->shortcut().toString(QKeySequence::NativeText),
                             [choice, before] {
                               if (before) before();
                               choice->trigger();
                             }};
  };
  const auto wanted = [](const QAction* choice) {
    return !choice->isSeparator() && choice->isEnabled() && choice->isVisible() &&
           !choice->text().isEmpty();
  };
  const std::function<void(const QMenu*, const QString&)> walk = [&](const QMenu* menu,
                                                                     const QString& path) {
    for (QAction* choice : menu->actions()) {
      if (choice->menu()) {
        if (choice->menu() != recentMenu_ && choice->menu() != panesMenu_)
          walk(choice->menu(), path + QStringLiteral(" › ") + choice->text().remove(u'&'));
        continue;
      }
      if (wanted(choice)) add(choice, choice->text().remove(u'&'), path, {});
    }
  };
  for (const QMenu* menu : all()) walk(menu, menu->title().remove(u'&'));
  for (theme::Workspace* one : parts_.pages) {
    const auto show = [window = &window_, id = one->id()] { window->showPage(id); };
    for (QDockWidget* pane : one->panes()) {
      known << pane->toggleViewAction();
      into << theme::FindEntry{tr("Show %1").arg(pane->windowTitle()),
                               one->title(),
                               tr("Pane"),
                               QStringLiteral("minimap"),
                               {},
                               [show, pane] {
                                 show();
                                 pane->show();
                                 pane->raise();
                                 if (pane->widget()) pane->widget()->setFocus();
                               }};
    }
    // What its menus hold while it is shown, and what only its buttons do.
    for (QAction* choice : one->findChildren<QAction*>()) {
      if (!wanted(choice) || !isOfPage(*choice)) continue;
      add(choice, choice->text().remove(u'&'), placeOf(*choice, *one), show);
    }
  }
  for (const QString& file : files_.recent())
    into << theme::FindEntry{QFileInfo(file).fileName(),
                             QFileInfo(file).path(),
                             tr("Composition"),
                             QStringLiteral("compose"),
                             {},
                             [window = &window_, file] { window->offerFile(file); }};
}

}  // namespace tutti::app
