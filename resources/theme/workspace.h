// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QHash>
#include <QList>
#include <QMainWindow>
#include <optional>

#include "resources/theme/finder.h"
#include "resources/theme/run_status.h"
#include "resources/theme/state.h"

class QAction;
class QSettings;
class QUndoStack;

namespace tutti::theme {

class DockTitleBar;

/// One page of the rail: a central widget with its own docks and its own saved layout. A room's
/// UI library derives one; the main window knows only this class.
class Workspace : public QMainWindow {
  Q_OBJECT
 public:
  /// What the rail shows at the page's icon.
  struct Badge {
    State state = State::Idle;
    int count = 0;  ///< 0 hides the badge.
  };

  /// `id` names the saved layout and must not change: "compose". `title` may hold a soft line
  /// break for the rail ("Object model" wraps by itself).
  Workspace(const QString& id, const QString& title, const QString& iconName,
            QWidget* parent = nullptr);

  QString id() const { return objectName(); }
  QString title() const { return windowTitle(); }
  QString iconName() const { return iconName_; }
  Badge badge() const { return badge_; }

  /// The command line with the same result and exit code as what this page shows:
  /// "tutti check air-traffic.federation.json".
  virtual QString commandLine() const { return {}; }
  /// Right part of the status bar: "Recording, 412 MB", "exit code 2".
  virtual QStringList statusNotes() const { return {}; }
  /// The stack that Edit > Undo drives while this page is shown; see undoStackChanged().
  virtual QUndoStack* undoStack() const { return nullptr; }
  /// What Ctrl+K finds here. Entries' activate() may assume the page is shown.
  virtual void provideFinds(QList<FindEntry>& into) const { static_cast<void>(into); }
  /// Actions for the window's menus, by menu title ("View", "Composition", "Run", "Tools").
  virtual QHash<QString, QList<QAction*>> menuActions() const { return {}; }
  /// Ctrl+F: puts the focus into the filter of the list that is worked with.
  virtual void focusFilter() {}
  /// F8 and Shift+F8.
  virtual void showNextProblem(int direction) { static_cast<void>(direction); }
  /// Whether the page has edits of its own that are not saved, beside the composition's.
  virtual bool hasUnsavedEdits() const { return false; }
  /// Ctrl+S while this page is shown: saves them. False: there are none, so that the composition is
  /// what is saved.
  virtual bool saveEdits() { return false; }
  /// Asks about them before the window closes or shows another composition. False: the person keeps
  /// editing. What is given up is discarded.
  virtual bool mayDiscardEdits() { return true; }
  /// What the window's banner has to say about them.
  virtual QList<RunTrouble> notices() const { return {}; }
  /// Called when the page becomes visible or stops being so; pages stop timers here.
  virtual void setActive(bool active) { static_cast<void>(active); }

  /// Adds a dock with a DockTitleBar. `id` is unique in the page and names it in saved layouts.
  /// `size` is its width at the sides, its height at the bottom; 0 lets Qt decide.
  QDockWidget* addPane(const QString& id, const QString& title, QWidget* content,
                       Qt::DockWidgetArea area, int size = 0);
  /// The title bar of a pane added above.
  DockTitleBar* titleBar(QDockWidget* dock) const;
  QList<QDockWidget*> panes() const;

  /// The layout the page was made with. Works at any time.
  void resetLayout();
  void saveLayout(QSettings& settings) const;
  /// Restores what saveLayout wrote; a layout that does not fit this version gives the default.
  void restoreLayout(QSettings& settings);
  /// Moves the focus to the next (+1) or previous (-1) visible pane, the centre included.
  void focusPane(int direction);

 Q_SIGNALS:
  void commandLineChanged();
  void statusNotesChanged();
  void badgeChanged();
  /// undoStack() is another one now.
  void undoStackChanged();
  /// hasUnsavedEdits() or notices() changed.
  void unsavedEditsChanged();
  /// Asks the window to show another page: "deploy", with something selected there.
  void workspaceRequested(const QString& id, const QString& item);
  /// Something a person asked for could not be done: what, and where, why, what next. The window
  /// says so in its banner.
  void failed(const QString& title, const QString& detail);
  /// Something was done that is not seen otherwise ("Exported 4 files"); the window says so for 5
  /// s.
  void done(const QString& text);

 public Q_SLOTS:
  /// Selects something by name, when another page asked for it.
  virtual void showItem(const QString& item) { static_cast<void>(item); }

 protected:
  void setBadge(State state, int count);
  /// Hides all panes while something takes the whole page, and brings them back as they were. What
  /// is saved meanwhile is the layout from before.
  void setPanesAside(bool aside);
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void applyDefaultSizes();
  void rescuePanes();
  void updateCompact();

  QString iconName_;
  Badge badge_;
  struct Pane {
    QDockWidget* dock;
    Qt::DockWidgetArea area;
    int size;
    bool visible;
  };
  QList<Pane> panes_;
  QByteArray defaultState_;
  std::optional<QByteArray> pendingState_;
  QByteArray wideState_;
  std::optional<QByteArray> asideState_;  ///< the layout before panes were put aside
  bool compact_ = false;
  bool settled_ = false;
};

}  // namespace tutti::theme
