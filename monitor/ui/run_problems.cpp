// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/run_problems.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSet>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "monitor/ui/fact_list.h"
#include "monitor/ui/link_facts.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using theme::RunTrouble;

namespace {

/// Hosts that a card names; all of them are in its tool tip and in what is copied.
constexpr qsizetype hostsNamed = 4;
constexpr int buttonsWidth = theme::width::kRight - 42;  ///< beside the margins of a card

QStringList hostsOf(const QList<RunTrouble>& problems) {
  QStringList hosts;
  for (const RunTrouble& each : problems)
    if (!each.where.isEmpty()) hosts << each.where;
  hosts.removeDuplicates();
  return hosts;
}

/// Whoever tells a problem gives it this button, which changes nothing.
bool isCopy(const RunTrouble::Action& action) { return action.text == RunProblems::tr("Copy"); }

/// What is the same of problems that differ in the host only. Of those that go on, whose figures
/// change, the id says which is which; likewise of those with a button that acts upon the one.
QString keyOf(const RunTrouble& problem) {
  QString key = problem.id;
  if (key.startsWith(QStringLiteral("run/")) &&
      std::all_of(problem.actions.begin(), problem.actions.end(), isCopy)) {
    key = QString::number(static_cast<int>(problem.state)) + u'\n' + problem.title + u'\n' +
          problem.detail;
    if (!problem.where.isEmpty()) key.replace(problem.where, QString(QChar(0x1f)));
  }
  for (const RunTrouble::Action& action : problem.actions) key += u'\n' + action.text;
  return key;
}

QString sentenceCase(QString word) {
  if (!word.isEmpty()) word[0] = word[0].toUpper();
  return word;
}

}  // namespace

/// One card. Several problems in it have no button but "Copy", which copies them all.
class RunProblems::Card : public QWidget {
 public:
  Card(RunProblems& list, const Fold& fold) : list_(list), key(fold.key) {
    setObjectName(QStringLiteral("problemCard"));
    setFocusPolicy(Qt::StrongFocus);
    auto* grid = new QVBoxLayout(this);
    grid->setContentsMargins(12, 8, 8, 10);
    grid->setSpacing(4);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    auto* icon = new QLabel;
    icon->setFixedSize(14, 14);
    theme::followTheme(
        icon, [icon, state = fold.problems.front().state](const theme::Palette& palette) {
          icon->setPixmap(theme::statePixmap(state, 14, palette, icon->devicePixelRatioF()));
        });
    caption_ = theme::makeLabel({}, "caption");
    caption_->setObjectName(QStringLiteral("problemCaption"));
    caption_->setWordWrap(true);
    head->addWidget(icon, 0, Qt::AlignVCenter);
    head->addWidget(caption_, 1);
    dismiss_ = theme::smallButton(QStringLiteral("close"),
                                  RunProblems::tr("Dismiss: take it off the screen (Del)"), this);
    dismiss_->setObjectName(QStringLiteral("dismissProblem"));
    dismiss_->setFocusPolicy(Qt::NoFocus);
    dismiss_->setVisible(list.dismissable_);
    QObject::connect(dismiss_, &QToolButton::clicked, this, [this] { dismiss(); });
    head->addWidget(dismiss_, 0, Qt::AlignTop);
    grid->addLayout(head);
    title_ = theme::makeLabel({}, "label-strong");
    title_->setObjectName(QStringLiteral("problemTitle"));
    hosts_ = theme::makeLabel({}, "table");
    hosts_->setObjectName(QStringLiteral("problemHosts"));
    detail_ = theme::makeLabel({}, "secondary");
    detail_->setObjectName(QStringLiteral("problemDetail"));
    for (QLabel* each : {title_, hosts_, detail_}) {
      each->setWordWrap(true);
      each->setTextInteractionFlags(Qt::TextSelectableByMouse);
      each->setContentsMargins(22, 0, 0, 0);
      grid->addWidget(each);
    }
    auto* buttons = new QVBoxLayout;
    buttons->setContentsMargins(22, 4, 0, 0);
    buttons->setSpacing(8);
    QHBoxLayout* row = nullptr;
    int used = 0;
    int placed = 0;
    for (const RunTrouble::Action& action : fold.problems.front().actions) {
      auto* button = new QPushButton(action.text);
      button->setProperty("dense", true);
      QObject::connect(button, &QPushButton::clicked, this, [this, placed] { act(placed); });
      // As many beside each other as the pane is wide by default.
      const int wide = button->sizeHint().width() + 8;
      if (row == nullptr || used + wide > buttonsWidth) {
        row = new QHBoxLayout;
        row->setSpacing(8);
        row->addStretch();
        buttons->addLayout(row);
        used = 0;
      }
      used += wide;
      row->insertWidget(row->count() - 1, button);
      ++placed;
    }
    grid->addLayout(buttons);
  }

  void update(const Fold& fold) {
    const RunTrouble& first = fold.problems.front();
    const QStringList hosts = hostsOf(fold.problems);
    ids_ = {};
    for (const RunTrouble& each : fold.problems) ids_ << each.id;
    actions_ = first.actions;
    QStringList caption{sentenceCase(theme::stateWord(first.state))};
    if (hosts.size() == 1) caption << hosts.front();
    if (hosts.size() > 1)
      caption << RunProblems::tr("%1 hosts").arg(theme::formatCount(hosts.size()));
    if (hosts.size() < fold.problems.size() && fold.problems.size() > 1)
      caption << RunProblems::tr("%1 times").arg(theme::formatCount(fold.problems.size()));
    caption << theme::formatMoment(fold.since, QDateTime::currentDateTime());
    set(caption_, caption.join(QStringLiteral("  ·  ")));
    caption_->setToolTip(theme::formatClockLong(fold.since));
    set(title_, first.title);
    QString others;
    if (hosts.size() > 1) {
      const qsizetype more = hosts.size() - hostsNamed;
      others = RunProblems::tr("On %1").arg(hosts.mid(0, hostsNamed).join(QStringLiteral(", ")));
      if (more > 0) others += RunProblems::tr(" and %1 more").arg(theme::formatCount(more));
    }
    hosts_->setVisible(!others.isEmpty());
    set(hosts_, others);
    hosts_->setToolTip(theme::wrappedTip(hosts.join(QStringLiteral(", "))));
    detail_->setVisible(!first.detail.isEmpty());
    set(detail_, first.detail);
    if (detail_->accessibleDescription() != first.tip) {
      detail_->setToolTip(theme::wrappedTip(first.tip));
      detail_->setAccessibleDescription(first.tip);
    }
    text_ = textOf(fold);
    setAccessibleName(text_);
  }
  const QStringList& ids() const { return ids_; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const theme::Palette palette = theme::Palette::of(this);
    painter.fillRect(QRect(0, height() - 1, width(), 1), palette[theme::Token::LineSubtle]);
    if (ids_.contains(list_.current_))
      painter.fillRect(QRect(0, 0, 3, height() - 1), palette[theme::Token::Accent]);
    if (hasFocus() && theme::hasVisibleFocus(this))
      theme::paintFocusRing(painter, rect().adjusted(0, 0, 0, -1), 0, palette);
  }
  void keyPressEvent(QKeyEvent* event) override {
    if (event->matches(QKeySequence::Copy))
      QApplication::clipboard()->setText(text_);
    else if (event->key() == Qt::Key_Delete && list_.dismissable_)
      dismiss();
    else
      QWidget::keyPressEvent(event);
  }
  void contextMenuEvent(QContextMenuEvent* event) override {
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("problemMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(RunProblems::tr("Copy"), this,
                    [text = text_] { QApplication::clipboard()->setText(text); });
    menu->addAction(RunProblems::tr("Copy all problems"), this,
                    [list = &list_] { QApplication::clipboard()->setText(list->text()); });
    if (list_.dismissable_)
      menu->addAction(RunProblems::tr("Dismiss"), this, [this] { dismiss(); });
    menu->popup(event->globalPos());
  }

 private:
  static void set(QLabel* label, const QString& text) {
    if (label->text() != text) label->setText(text);
  }
  void dismiss() { emit list_.dismissRequested(ids_); }
  /// The action of now: the problem that the card was made for may be gone.
  void act(int number) {
    if (number >= actions_.size()) return;
    const RunTrouble::Action action = actions_[number];  // what it does may change the card
    if (ids_.size() > 1 && isCopy(action))
      QApplication::clipboard()->setText(text_);
    else
      action.run();
  }

  RunProblems& list_;
  QStringList ids_;
  QList<RunTrouble::Action> actions_;
  QString text_;
  QLabel* caption_;
  QLabel* title_;
  QLabel* hosts_;
  QLabel* detail_;
  QToolButton* dismiss_;

 public:
  const QString key;
};

RunProblems::RunProblems(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("runProblems"));
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  area_ = new QScrollArea;
  area_->setWidgetResizable(true);
  area_->setFrameShape(QFrame::NoFrame);
  area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area_->viewport()->setBackgroundRole(QPalette::Base);
  auto* holder = new QWidget;
  holder->setBackgroundRole(QPalette::Base);
  layout_ = new QVBoxLayout(holder);
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(0);
  nothing_ = theme::makeLabel({}, "muted");
  nothing_->setObjectName(QStringLiteral("noProblems"));
  nothing_->setWordWrap(true);
  nothing_->setContentsMargins(12, 12, 12, 12);
  const auto link = [&](const char* name) {
    auto* button = new QPushButton;
    button->setObjectName(QString::fromLatin1(name));
    button->setProperty("role", QStringLiteral("link"));
    button->setProperty("dense", true);
    button->hide();
    return button;
  };
  more_ = link("moreProblems");
  dismissed_ = link("showDismissed");
  links_ = new FactList;
  links_->setObjectName(QStringLiteral("factsLinks"));
  links_->setAccessibleName(tr("Links to other hosts"));
  links_->hide();
  layout_->addWidget(nothing_);
  layout_->addWidget(more_, 0, Qt::AlignLeft);
  layout_->addWidget(dismissed_, 0, Qt::AlignLeft);
  layout_->addWidget(links_);
  layout_->addStretch();
  area_->setWidget(holder);
  outer->addWidget(area_);
  connect(more_, &QPushButton::clicked, this, [this] {
    shown_ += cardsAtOnce;
    placeCards();
  });
  connect(dismissed_, &QPushButton::clicked, this, &RunProblems::dismissedWanted);
}

void RunProblems::fold(const QList<RunTrouble>& problems, const QStringList& dismissed) {
  const QDateTime now = QDateTime::currentDateTime();
  QHash<QString, QDateTime> seen;
  folds_.clear();
  QHash<QString, std::size_t> byKey;
  for (const RunTrouble& each : problems) {
    const QDateTime since = seen_.value(each.id, now);
    seen.insert(each.id, since);
    const QString key = keyOf(each);
    const auto found = byKey.constFind(key);
    if (found == byKey.constEnd()) {
      byKey.insert(key, folds_.size());
      folds_.push_back({key, since, {each}});
      continue;
    }
    Fold& fold = folds_[*found];
    fold.since = std::max(fold.since, since);
    fold.problems << each;
  }
  // What is shown again is no news.
  for (const QString& id : dismissed) seen.insert(id, seen_.value(id, now));
  seen_ = std::move(seen);
  // What was seen at once stays worst first.
  std::stable_sort(folds_.begin(), folds_.end(),
                   [](const Fold& a, const Fold& b) { return a.since > b.since; });
}

void RunProblems::setProblems(const QList<RunTrouble>& problems, const QStringList& dismissed,
                              bool running) {
  fold(problems, dismissed);
  if (folds_.empty()) shown_ = cardsAtOnce;
  nothing_->setVisible(folds_.empty());
  nothing_->setText(running ? tr("No problems. Select federates to see them here.")
                            : tr("Problems of a run appear here."));
  dismissed_->setVisible(!dismissed.isEmpty());
  dismissed_->setText(tr("%1 dismissed: show again").arg(theme::formatCount(dismissed.size())));
  placeCards();
}

void RunProblems::placeCards() {
  QHash<QString, Card*> before;
  for (Card* card : cards_) before.insert(card->key, card);
  cards_.clear();
  const auto count = std::min(static_cast<qsizetype>(folds_.size()), shown_);
  for (qsizetype i = 0; i < count; ++i) {
    const Fold& fold = folds_[static_cast<std::size_t>(i)];
    Card* card = before.take(fold.key);
    if (card == nullptr) card = new Card(*this, fold);
    card->update(fold);
    const int place = static_cast<int>(i) + 1;  // behind "nothing"
    if (layout_->indexOf(card) != place) layout_->insertWidget(place, card);
    cards_.push_back(card);
  }
  for (Card* gone : std::as_const(before)) {
    // At once out of the way: a click must not reach a problem that is gone.
    gone->hide();
    layout_->removeWidget(gone);
    gone->deleteLater();
  }
  const auto left = static_cast<qsizetype>(folds_.size()) - count;
  more_->setVisible(left > 0);
  more_->setText(tr("%1 more").arg(theme::formatCount(left)));
}

void RunProblems::setLinks(const std::vector<HostLinkView>& links) {
  links_->setFacts(linkFacts(links));
  links_->setVisible(!links.empty());
}

void RunProblems::showLinks() {
  if (links_->isHidden()) return;
  links_->setFocus(Qt::OtherFocusReason);
  area_->ensureWidgetVisible(links_);
}

QList<RunTrouble> RunProblems::inOrder() const {
  QList<RunTrouble> result;
  for (const Fold& each : folds_) result += each.problems;
  return result;
}

QString RunProblems::current() const {
  for (const Fold& each : folds_)
    for (const RunTrouble& problem : each.problems)
      if (problem.id == current_) return current_;
  return {};
}

void RunProblems::goTo(const QString& id) {
  current_ = id;
  for (std::size_t i = 0; i < folds_.size(); ++i) {
    const auto& problems = folds_[i].problems;
    if (std::none_of(problems.begin(), problems.end(),
                     [&](const RunTrouble& each) { return each.id == id; }))
      continue;
    if (i >= cards_.size()) {
      shown_ = static_cast<qsizetype>(i / cardsAtOnce + 1) * cardsAtOnce;
      placeCards();
    }
    cards_[i]->setFocus(Qt::TabFocusReason);
    area_->ensureWidgetVisible(cards_[i], 0, 8);
    // A card that is new has no place yet.
    QTimer::singleShot(0, cards_[i], [this, card = cards_[i]] {
      if (card->hasFocus()) area_->ensureWidgetVisible(card, 0, 8);
    });
  }
  for (Card* card : cards_) static_cast<QWidget*>(card)->update();
}

QString RunProblems::textOf(const Fold& fold) {
  const RunTrouble& first = fold.problems.front();
  QStringList lines{first.title};
  const QStringList hosts = hostsOf(fold.problems);
  if (hosts.size() > 1) lines << tr("On %1").arg(hosts.join(QStringLiteral(", ")));
  if (!first.detail.isEmpty()) lines << first.detail;
  if (!first.tip.isEmpty() && first.tip != first.detail) lines << first.tip;
  return QStringLiteral("%1 %2: %3")
      .arg(theme::formatClockLong(fold.since), sentenceCase(theme::stateWord(first.state)),
           lines.join(u'\n'));
}

QString RunProblems::text() const {
  QStringList lines;
  for (const Fold& each : folds_) lines << textOf(each);
  return lines.join(QStringLiteral("\n\n"));
}

}  // namespace tutti::monitor
