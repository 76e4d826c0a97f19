// SPDX-License-Identifier: GPL-3.0-or-later
// Stand-ins for the run and the pages, which tests set as they please.
#pragma once

#include <QLineEdit>
#include <QListWidget>
#include <QUndoStack>

#include "resources/theme/run_status.h"
#include "resources/theme/workspace.h"

namespace tutti::test {

class FakeRun : public theme::RunStatus {
 public:
  Phase phase_ = Phase::NotRunning;
  double time_ = kNoValue;
  double pace_ = kNoValue;
  double wanted_ = kNoValue;
  double elapsed_ = kNoValue;
  double updates_ = kNoValue;
  int joined_ = 0;
  int expected_ = 0;
  QString why_;
  QString name_;
  QString last_;
  QList<theme::RunTrouble> troubles_;
  std::optional<QueuedJob> queued_;
  bool pausable_ = true;
  bool awaits_ = false;
  int runs_ = 0;
  int stops_ = 0;
  int explanations_ = 0;

  Phase phase() const override { return phase_; }
  double logicalTime() const override { return time_; }
  double pace() const override { return pace_; }
  double wantedPace() const override { return wanted_; }
  double elapsed() const override { return elapsed_; }
  int federatesJoined() const override { return joined_; }
  int federatesExpected() const override { return expected_; }
  double updatesPerSecond() const override { return updates_; }
  QString runName() const override { return name_; }
  QString lastRun() const override { return last_; }
  QString whyNotRun() const override { return why_; }
  bool isAwaitingChecks() const override { return awaits_; }
  void showWhyNotRun() override { ++explanations_; }
  QList<theme::RunTrouble> troubles() const override { return troubles_; }
  bool canPause() const override { return pausable_; }
  std::optional<QueuedJob> queued() const override { return queued_; }

  void run() override {
    ++runs_;
    setPhase(Phase::Running);
  }
  void stop() override {
    ++stops_;
    setPhase(Phase::Ended);
  }
  void pause() override { setPhase(Phase::Paused); }
  void resume() override { setPhase(Phase::Running); }

  void setPace(double perSecond) override {
    wanted_ = perSecond;
    Q_EMIT changed();
  }

  void setPhase(Phase phase) {
    phase_ = phase;
    Q_EMIT phaseChanged();
  }
  void say() { Q_EMIT changed(); }
};

class FakePage : public theme::Workspace {
 public:
  FakePage(const QString& id, const QString& title, const QString& iconName)
      : Workspace(id, title, iconName) {
    list_ = new QListWidget;
    list_->addItems({QStringLiteral("first"), QStringLiteral("second")});
    setCentralWidget(list_);
    filter_ = new QLineEdit;
    left_ = addPane(id + QStringLiteral("Left"), QStringLiteral("Catalog"), filter_,
                    Qt::LeftDockWidgetArea, 248);
    bottom_ = addPane(id + QStringLiteral("Bottom"), QStringLiteral("Problems"), new QListWidget,
                      Qt::BottomDockWidgetArea, 180);
    action_ = new QAction(QStringLiteral("Do the thing of ") + title, this);
    connect(action_, &QAction::triggered, this, [this] { ++acted_; });
  }

  QString commandLine() const override { return QStringLiteral("tutti check ") + id(); }
  QUndoStack* undoStack() const override { return undo_; }
  void provideFinds(QList<theme::FindEntry>& into) const override {
    for (int i = 0; i < finds_; ++i)
      into << theme::FindEntry{QStringLiteral("%1-thing-%2").arg(id()).arg(i),
                               QStringLiteral("detail"),
                               QStringLiteral("Federate"),
                               QStringLiteral("radar"),
                               {},
                               [this, i] { found_ = i; }};
  }
  QHash<QString, QList<QAction*>> menuActions() const override {
    return {{QStringLiteral("Composition"), {action_}}};
  }
  void focusFilter() override { filter_->setFocus(); }
  void showNextProblem(int direction) override { problem_ += direction; }
  void setActive(bool active) override { active_ = active; }
  void showItem(const QString& item) override { item_ = item; }
  using Workspace::setBadge;

  QListWidget* list_;
  QLineEdit* filter_;
  QDockWidget* left_;
  QDockWidget* bottom_;
  QAction* action_;
  QUndoStack* undo_ = nullptr;
  int acted_ = 0;
  int finds_ = 3;
  mutable int found_ = -1;
  int problem_ = 0;
  bool active_ = false;
  QString item_;
};

}  // namespace tutti::test
