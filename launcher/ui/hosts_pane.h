// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

class QAction;
class QLabel;
class QListView;
class QMenu;
class QPushButton;

namespace tutti::theme {
class ProgressLine;
}

namespace tutti::launcher {

class HostEditor;
class HostSources;
class HostsModel;
class HostWatch;
class OneQuestion;

/// The hosts on one side of the page: the list, what can be done to it, and the forms that need a
/// few words.
class HostsPane : public QWidget {
  Q_OBJECT

 public:
  HostsPane(HostWatch* watch, HostSources* sources, HostsModel* model, QWidget* parent = nullptr);

  QListView* list() const { return list_; }
  /// What adds hosts; for a button of the title bar.
  QMenu* menu() const { return menu_; }
  /// What of that menu can be done now.
  QList<QAction*> currentMenuActions();
  QAction* askAgain() const { return ask_; }
  QString current() const;
  void setCurrent(const QString& key);
  /// Opens the form of a host of the file, or of the one that is new when it names none.
  void editHost(const QString& key);
  /// Opens the form of a new host, marked as a spare or not.
  void addHost(bool spare = false);

 Q_SIGNALS:
  void openRequested();
  /// Another host has been selected.
  void currentChanged(const QString& key);
  void clusterChosen(const QString& name);
  void askClusterRequested(const QString& name);
  void moveHereRequested(const QString& key);

 private:
  void buildMenu();
  void buildEmptyState();
  void showState();
  void showBusy();
  void showContextMenu(const QPoint& position);
  void askForCluster();
  void askForLab();
  void answerQuestion();
  void acceptHost();

  HostWatch* watch_;
  HostSources* sources_;
  HostsModel* model_;
  QListView* list_;
  QMenu* menu_;
  QAction* ssh_ = nullptr;
  QAction* cluster_ = nullptr;
  QAction* add_ = nullptr;
  QAction* lab_ = nullptr;
  QAction* labFile_ = nullptr;
  QAction* noLab_ = nullptr;
  QAction* open_ = nullptr;
  QAction* ask_ = nullptr;
  HostEditor* editor_;
  OneQuestion* question_;
  bool askedForLab_ = false;
  QLabel* problem_;
  theme::ProgressLine* busy_;
  QWidget* empty_;
  QPushButton* emptyLab_ = nullptr;
  QLabel* emptyLabWhy_ = nullptr;
  QTimer ages_;
};

}  // namespace tutti::launcher
