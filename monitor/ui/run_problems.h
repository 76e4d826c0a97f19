// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QHash>
#include <QList>
#include <QWidget>
#include <memory>
#include <vector>

#include "monitor/engine/snapshot.h"
#include "resources/theme/run_status.h"

class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace tutti::monitor {

class FactList;

/// All that is wrong with the run, as cards, the newest first: what, on which host, since when,
/// why and what to do. Problems that differ in nothing but the host are one card that names all
/// hosts, unless there is something to do about each. Shown while no federate is selected; the
/// links to other hosts are listed below.
class RunProblems : public QWidget {
  Q_OBJECT

 public:
  /// So many cards are shown at once; a button shows as many more.
  static constexpr qsizetype cardsAtOnce = 50;

  explicit RunProblems(QWidget* parent = nullptr);
  /// All of now, worst first, without what was dismissed; `dismissed`: the ids of that.
  void setProblems(const QList<theme::RunTrouble>& problems, const QStringList& dismissed,
                   bool running);
  /// Whether a card can be taken off the screen.
  void setDismissable(bool dismissable) { dismissable_ = dismissable; }
  /// Listed below; without any, nothing is.
  void setLinks(const std::vector<HostLinkView>& links);
  /// Into view, with the keyboard on them.
  void showLinks();

  /// As shown, those of one card behind each other.
  QList<theme::RunTrouble> inOrder() const;
  /// Id of the problem that was gone to last; empty: none, or it is gone.
  QString current() const;
  /// Brings the card of that problem into view, with the keyboard on it.
  void goTo(const QString& id);
  /// One problem a line, with all that is shown of it.
  QString text() const;

 signals:
  void dismissRequested(const QStringList& ids);
  /// What was dismissed shall show again.
  void dismissedWanted();

 private:
  /// Problems that differ in the host only.
  struct Fold {
    QString key;
    QDateTime since;  ///< the newest of them was seen first then
    QList<theme::RunTrouble> problems;
  };
  class Card;
  void fold(const QList<theme::RunTrouble>& problems, const QStringList& dismissed);
  void placeCards();
  static QString textOf(const Fold& fold);

  QVBoxLayout* layout_;
  QLabel* nothing_;
  QPushButton* more_;
  QPushButton* dismissed_;
  QScrollArea* area_;
  FactList* links_;
  std::vector<Fold> folds_;
  std::vector<Card*> cards_;
  QHash<QString, QDateTime> seen_;  ///< first, by id; of what was dismissed too
  QString current_;
  qsizetype shown_ = cardsAtOnce;
  bool dismissable_ = false;
};

}  // namespace tutti::monitor
