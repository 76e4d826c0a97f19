// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <functional>

#include "app/main_window.h"
#include "app/pace_menu.h"

class QAction;
class QMenu;
class QMenuBar;
class QUndoGroup;

namespace tutti::app {

class DocumentFiles;

/// The menu row and every action in it with its keys. What they do is the window's; the pages add
/// their own actions to the same menus while they are shown.
class MainMenus : public QObject {
  Q_OBJECT
 public:
  /// Fills the window's menu bar. All outlive this.
  MainMenus(MainWindow& window, const MainWindow::Parts& parts, DocumentFiles& files,
            QUndoGroup& undo);

  /// The page's actions instead of those of the page before; null: none.
  void setPage(const theme::Workspace* page);
  /// Which of Run, Pause, Step and Stop can be chosen now.
  void updateRun();
  void setHistory(bool canGoBack, bool canGoForward);
  /// The recent files and what one does with a file, for the composition's name.
  QMenu* switchMenu() const { return switchMenu_; }
  /// What is done with a run seldom: save, restore, keep.
  QMenu* runMenu() const { return runMenu_; }
  /// How fast logical time may go on.
  QMenu* paceMenu() const { return paceMenu_; }
  /// Everything that can be chosen now, for the Ctrl+K field.
  void provideFinds(QList<theme::FindEntry>& into) const;

 private:
  QAction* action(QMenu* menu, const QString& name, const QString& text, const QString& iconName,
                  const QList<QKeySequence>& keys, std::function<void()> run);
  /// One that is checked or not, kept in the settings under `key`; `set` is called now, too.
  void addChoice(const QString& name, const QString& text, const QString& toolTip,
                 const QString& key, std::function<void(bool)> set);
  void buildFile(QMenuBar* bar);
  void buildEdit(QMenuBar* bar, QUndoGroup& undo);
  void buildView(QMenuBar* bar);
  void buildThemes();
  void buildRun(QMenuBar* bar);
  void buildTools(QMenuBar* bar);
  void buildHelp(QMenuBar* bar);
  void buildSwitch();
  void fillRecent();
  void fillRestore();
  void fillMissing();
  void fillWatch();
  /// A question before the run is changed for all its federates; No is the default.
  struct Question {
    QString name;  ///< of the box; that of the button is this and "Accept"
    QString title;
    QString text;
    QString detail;
    QString yes;
    QString no;
  };
  void ask(const Question& question, const std::function<void()>& run);
  void askToResign();
  void askToRestartAll();
  void askToKillAll();
  void askForLabel();
  /// The page in sight; null on the start page.
  theme::Workspace* page() const;
  QList<QMenu*> all() const;

  MainWindow& window_;
  const MainWindow::Parts& parts_;
  DocumentFiles& files_;
  QMenu* file_ = nullptr;
  QMenu* edit_ = nullptr;
  QMenu* view_ = nullptr;
  QMenu* composition_ = nullptr;
  QMenu* run_ = nullptr;
  QMenu* tools_ = nullptr;
  QMenu* help_ = nullptr;
  QMenu* recentMenu_ = nullptr;
  QMenu* panesMenu_ = nullptr;
  QMenu* switchMenu_ = nullptr;
  QAction* runAction_ = nullptr;
  QAction* stopAction_ = nullptr;
  QAction* resignAction_ = nullptr;
  QAction* adjustAction_ = nullptr;
  QAction* pauseAction_ = nullptr;
  QAction* stepAction_ = nullptr;
  PaceMenu* paceMenu_ = nullptr;
  QAction* keepAction_ = nullptr;
  QAction* saveRunAction_ = nullptr;
  QAction* saveRunAsAction_ = nullptr;
  QAction* restartAllAction_ = nullptr;
  QAction* killAllAction_ = nullptr;
  QMenu* restoreMenu_ = nullptr;
  QMenu* missingMenu_ = nullptr;
  QStringList missing_;  ///< what it lists
  QMenu* watchMenu_ = nullptr;
  QAction* farAction_ = nullptr;
  QMenu* runMenu_ = nullptr;
  QAction* backAction_ = nullptr;
  QAction* forwardAction_ = nullptr;
  QHash<QMenu*, QList<QAction*>> pageActions_;
};

}  // namespace tutti::app
