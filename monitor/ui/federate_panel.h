// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>
#include <functional>

#include "monitor/engine/snapshot.h"
#include "monitor/ui/log_model.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace tutti::monitor {

class FactList;
class LogView;

/// What is known of the selected federate, and what can be done to it. Stopping one goes by the
/// page "If it dies": what is lost stands above the button.
class FederatePanel : public QWidget {
  Q_OBJECT

 public:
  enum class Page { Now, Time, Objects, Log, IfItDies };

  explicit FederatePanel(LogModel* log, QWidget* parent = nullptr);

  void setFederate(const QString& name);
  QString federate() const { return name_; }
  void showPage(Page page);
  /// What is lost with it, and the keyboard on the button that ends it.
  void askToEnd();
  /// Likewise, with the keyboard on the button that has it leave the run.
  void askToRemove();
  /// Likewise, on the button that restarts it.
  void askToRestart();
  Page page() const;
  /// Whether there is a run to be removed from.
  void setRunning(bool running);
  /// Another program has the run: no button here changes it.
  void setWatched(bool watched) { watched_ = watched; }
  /// Called twice a second.
  void setSnapshot(const SnapshotPointer& snapshot, const std::optional<Consequences>& watched,
                   const std::vector<Declarations>& declarations);

 signals:
  /// Another page is in front; it is filled by the next setSnapshot().
  void pageChanged();
  void federateSelected(const QString& federate);
  void stopRequested(const QString& federate);
  void killRequested(const QString& federate);
  void restartRequested(const QString& federate);
  void removeRequested(const QString& federate);
  void dismissRequested(const QString& federate);

 private:
  void fillNow(const FederateView& view, const Snapshot& snapshot);
  void fillTime(const FederateView& view, const Snapshot& snapshot);
  void fillObjects(const FederateView& view, const std::optional<Consequences>& watched,
                   const std::vector<Declarations>& declarations);
  void fillConsequences(const FederateView& view, const Snapshot& snapshot,
                        const std::optional<Consequences>& watched);
  QWidget* scrolled(FactList* list, const QString& name);

  QString name_;
  QTabBar* tabs_;
  QStackedWidget* pages_;
  FactList* now_;
  FactList* time_;
  FactList* objects_;
  LogView* log_;
  FactList* consequences_;
  QPushButton* toStop_;
  QPushButton* restart_;
  QPushButton* stop_;
  QPushButton* kill_;
  QPushButton* remove_;
  bool watched_ = false;
};

/// The newest death as a card under the panel: what died, what it took, what to do.
class DeathCard : public QWidget {
  Q_OBJECT

 public:
  explicit DeathCard(QWidget* parent = nullptr);
  void setWatched(bool watched);
  /// What a federate wrote last before it died, oldest first; asked for with each snapshot.
  void setLastLines(std::function<QStringList(const QString& federate)> lines) {
    lastLines_ = std::move(lines);
  }
  /// Hidden when there is none.
  void setSnapshot(const SnapshotPointer& snapshot);

 signals:
  void restartRequested(const QString& federate);
  void logRequested(const QString& federate);
  void dismissRequested(const QString& federate);
  void selected(const QString& federate);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showLines();
  /// Those that do not fit beside the others stand below them.
  void placeButtons();
  /// In a low pane only the title is shown, and in a very low one nothing: the banner has it all.
  void fitPane();
  QString federate_;  ///< who died last; empty: nobody that is not dismissed
  QLabel* title_;
  QLabel* text_;
  QLabel* lines_;
  std::function<QStringList(const QString&)> lastLines_;
  QStringList last_;  ///< whole
  QString report_;    ///< all of it, as it is copied
  QWidget* buttons_;
  QList<QHBoxLayout*> buttonRows_;  ///< in buttons_
  QPushButton* more_;
};

}  // namespace tutti::monitor
