// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/federate_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "monitor/engine/consequences.h"
#include "monitor/ui/fact_list.h"
#include "monitor/ui/log_panel.h"
#include "monitor/ui/view_text.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using theme::State;
using Kind = Fact::Kind;

namespace {

Fact section(const QString& label, const QString& value = {}, std::optional<State> icon = {},
             const QString& source = {}) {
  return {Kind::Section, label, value, source, icon, {}, -1};
}
Fact row(const QString& label, const QString& value, const QString& source = {},
         const QString& target = {}) {
  return {Kind::Row, label, value, source, {}, target, -1};
}
Fact note(const QString& text) { return {Kind::Note, text, {}, {}, {}, {}, -1}; }

QString count(std::uint64_t value) { return theme::formatCount(static_cast<qint64>(value)); }
QString rate(double value) {
  return std::isnan(value) ? theme::noValue() : theme::formatRate(value) + QStringLiteral("/s");
}
QString bytes(double value) {
  return std::isnan(value) ? theme::noValue() : theme::formatBytes(value);
}
QString duration(double value) {
  return std::isnan(value) ? theme::noValue() : theme::formatDuration(value);
}
QString age(double value) { return std::isnan(value) ? theme::noValue() : theme::formatAge(value); }

QString advanceName(TimeReading::Advance advance) {
  switch (advance) {
    case TimeReading::Advance::None:
      return QStringLiteral("granted");
    case TimeReading::Advance::TimeAdvanceRequest:
      return QStringLiteral("time advance");
    case TimeReading::Advance::TimeAdvanceRequestAvailable:
      return QStringLiteral("time advance, available");
    case TimeReading::Advance::NextMessageRequest:
      return QStringLiteral("next message");
    case TimeReading::Advance::NextMessageRequestAvailable:
      return QStringLiteral("next message, available");
    case TimeReading::Advance::FlushQueueRequest:
      return QStringLiteral("flush queue");
  }
  return {};
}

/// What the federate threw out of its callbacks: each with its text, which it says nowhere else.
void addFaults(std::vector<Fact>& facts, const FederateView& view) {
  if (view.faults.empty()) return;
  const QString source =
      FederatePanel::tr("%1's RTI library told its node the 1st, 10th, 100th ... time")
          .arg(view.name);
  facts.push_back(
      section(FederatePanel::tr("Exceptions in callbacks"), {}, State::Warning, source));
  for (const CallbackFault& fault : view.faults) {
    facts.push_back(
        row(fault.callback.isEmpty() ? FederatePanel::tr("Delivery by the RTI") : fault.callback,
            fault.count > 1 ? QStringLiteral("≥ %1").arg(count(fault.count)) : count(fault.count),
            source));
    facts.push_back(
        note(fault.text.isEmpty() ? fault.type : fault.type + QStringLiteral(": ") + fault.text));
  }
}

QPushButton* button(const QString& text, const char* name, QWidget* parent) {
  auto* result = new QPushButton(text, parent);
  result->setObjectName(QString::fromLatin1(name));
  return result;
}

}  // namespace

FederatePanel::FederatePanel(LogModel* log, QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar),
      pages_(new QStackedWidget),
      now_(new FactList),
      time_(new FactList),
      objects_(new FactList),
      log_(new LogView(log)),
      consequences_(new FactList) {
  setObjectName(QStringLiteral("federatePanel"));
  tabs_->setObjectName(QStringLiteral("federateTabs"));
  tabs_->setExpanding(false);
  tabs_->setDrawBase(false);
  tabs_->setUsesScrollButtons(false);
  tabs_->setElideMode(Qt::ElideNone);
  for (const QString& title : {tr("Now"), tr("Time"), tr("Objects"), tr("Log"), tr("If it dies")}) {
    tabs_->addTab(title);
  }
  log_->hideSubjects();
  log_->setObjectName(QStringLiteral("federateLog"));
  now_->setObjectName(QStringLiteral("factsNow"));
  time_->setObjectName(QStringLiteral("factsTime"));
  objects_->setObjectName(QStringLiteral("factsObjects"));
  consequences_->setObjectName(QStringLiteral("factsIfItDies"));

  toStop_ = button(tr("Stop…"), "toStop", this);
  toStop_->setProperty("role", QStringLiteral("danger"));
  auto* nowPage = new QWidget;
  auto* nowLayout = new QVBoxLayout(nowPage);
  nowLayout->setContentsMargins(0, 0, 0, 0);
  nowLayout->addWidget(scrolled(now_, QStringLiteral("scrollNow")), 1);
  auto* nowButtons = new QHBoxLayout;
  nowButtons->setContentsMargins(12, 4, 12, 12);
  nowButtons->addStretch();
  nowButtons->addWidget(toStop_);
  nowLayout->addLayout(nowButtons);

  restart_ = button(tr("Restart"), "restart", this);
  stop_ = button(tr("Stop"), "stop", this);
  stop_->setProperty("role", QStringLiteral("danger"));
  kill_ = button(tr("Kill"), "kill", this);
  kill_->setProperty("role", QStringLiteral("danger"));
  kill_->setToolTip(
      tr("Ends the process at once with SIGKILL. The RTI resigns for it with the "
         "automatic resign action of its object model."));
  stop_->setToolTip(tr("Asks the process to end with SIGTERM, so that it can resign."));
  remove_ = button(tr("Remove from this run"), "remove", this);
  remove_->setProperty("role", QStringLiteral("danger"));
  remove_->setToolTip(
      tr("Asks the process to end, so that it can resign, and takes it out of the run. Its restart "
         "policy does not bring it back, and the run goes on without it, even if it is "
         "required."));
  auto* diesPage = new QWidget;
  auto* diesLayout = new QVBoxLayout(diesPage);
  diesLayout->setContentsMargins(0, 0, 0, 0);
  diesLayout->addWidget(scrolled(consequences_, QStringLiteral("scrollIfItDies")), 1);
  auto* diesButtons = new QHBoxLayout;
  diesButtons->setContentsMargins(12, 8, 12, 12);
  diesButtons->setSpacing(8);
  diesButtons->addWidget(restart_, 2);
  diesButtons->addWidget(stop_, 3);
  diesButtons->addWidget(kill_, 1);
  diesLayout->addLayout(diesButtons);
  auto* removeRow = new QHBoxLayout;
  removeRow->setContentsMargins(12, 0, 12, 12);
  removeRow->addWidget(remove_);
  diesLayout->addLayout(removeRow);

  pages_->addWidget(nowPage);
  pages_->addWidget(scrolled(time_, QStringLiteral("scrollTime")));
  pages_->addWidget(scrolled(objects_, QStringLiteral("scrollObjects")));
  pages_->addWidget(log_);
  pages_->addWidget(diesPage);

  auto* tabRow = new QHBoxLayout;
  tabRow->setContentsMargins(3, 0, 0, 0);
  tabRow->addWidget(tabs_);
  tabRow->addStretch();
  auto* rule = new QFrame;
  rule->setProperty("role", QStringLiteral("rule"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(tabRow);
  layout->addWidget(rule);
  layout->addWidget(pages_, 1);

  connect(tabs_, &QTabBar::currentChanged, this, [this](int page) {
    pages_->setCurrentIndex(page);
    emit pageChanged();
  });
  connect(toStop_, &QPushButton::clicked, this, &FederatePanel::askToEnd);
  connect(restart_, &QPushButton::clicked, this, [this] { emit restartRequested(name_); });
  connect(stop_, &QPushButton::clicked, this, [this] { emit stopRequested(name_); });
  connect(remove_, &QPushButton::clicked, this, [this] { emit removeRequested(name_); });
  connect(kill_, &QPushButton::clicked, this, [this] {
    // The same place dismisses one that has died already.
    if (kill_->property("dismisses").toBool()) {
      emit dismissRequested(name_);
    } else {
      emit killRequested(name_);
    }
  });
  for (FactList* list : {now_, time_, objects_, consequences_}) {
    connect(list, &FactList::linkActivated, this, &FederatePanel::federateSelected);
  }
}

QWidget* FederatePanel::scrolled(FactList* list, const QString& name) {
  auto* area = new QScrollArea;
  area->setObjectName(name);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->viewport()->setBackgroundRole(QPalette::Base);
  auto* holder = new QWidget;
  holder->setBackgroundRole(QPalette::Base);
  auto* layout = new QVBoxLayout(holder);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(list);
  layout->addStretch();
  area->setWidget(holder);
  return area;
}

void FederatePanel::setFederate(const QString& name) {
  if (name_ == name) return;
  name_ = name;
  log_->filter()->setSubject(name);
  toStop_->setText(tr("Stop %1…").arg(name));
  stop_->setText(tr("Stop %1").arg(name));
}

void FederatePanel::showPage(Page page) { tabs_->setCurrentIndex(static_cast<int>(page)); }
void FederatePanel::askToEnd() {
  showPage(Page::IfItDies);
  // By the keyboard, whatever brought one here: a ring shows where it is.
  stop_->setFocus(Qt::TabFocusReason);
}
FederatePanel::Page FederatePanel::page() const { return static_cast<Page>(tabs_->currentIndex()); }

void FederatePanel::askToRemove() {
  showPage(Page::IfItDies);
  remove_->setFocus(Qt::TabFocusReason);
}

void FederatePanel::askToRestart() {
  showPage(Page::IfItDies);
  restart_->setFocus(Qt::TabFocusReason);
}

void FederatePanel::setRunning(bool running) { remove_->setVisible(running && !watched_); }

void FederatePanel::setSnapshot(const SnapshotPointer& snapshot,
                                const std::optional<Consequences>& watched,
                                const std::vector<Declarations>& declarations) {
  const FederateView* view = snapshot->find(name_);
  if (view == nullptr) return;
  const bool dead = view->condition == FederateCondition::Dead;
  const bool over = isOver(view->condition);
  tabs_->setTabText(static_cast<int>(Page::IfItDies), dead ? tr("Lost") : tr("If it dies"));
  toStop_->setVisible(!over && !watched_);
  stop_->setVisible(!over && !watched_);
  restart_->setVisible(!watched_);
  kill_->setVisible(over || !watched_);
  kill_->setText(over ? tr("Dismiss") : tr("Kill"));
  kill_->setProperty("dismisses", over);
  switch (page()) {
    case Page::Now:
      fillNow(*view, *snapshot);
      break;
    case Page::Time:
      fillTime(*view, *snapshot);
      break;
    case Page::Objects:
      fillObjects(*view, watched, declarations);
      break;
    case Page::Log:
      break;
    case Page::IfItDies:
      fillConsequences(*view, *snapshot, watched);
      break;
  }
}

void FederatePanel::fillNow(const FederateView& view, const Snapshot& snapshot) {
  const QString counters = tr("RTI counters of %1; rates are means of 5 s").arg(view.name);
  const QString process = tr("/proc/%1 on %2").arg(view.pid).arg(view.host);
  std::vector<Fact> facts;
  facts.push_back(
      section(theme::stateWord(stateOf(view.condition)), view.detail, stateOf(view.condition)));
  if (!snapshot.problem.isEmpty()) {
    facts.push_back(note(tr("Read %1. %2").arg(age(snapshot.ageSeconds), snapshot.problem)));
  }
  facts.push_back(row(tr("Last call or callback"), age(view.secondsSinceActivity), counters));
  if (view.waiting)
    facts.push_back(row(tr("Waits for"), view.waitsFor, tr("Time slots"), view.waitsFor));
  addFaults(facts, view);
  facts.push_back(section(tr("Processor"), cpuText(view.cpuUser, view.cpuSystem), {}, process));
  facts.push_back(row(tr("User"), cpuText(view.cpuUser, 0), process));
  facts.back().fraction = std::isnan(view.cpuUser) ? 0 : view.cpuUser;
  facts.push_back(row(tr("System"), cpuText(0, view.cpuSystem), process));
  facts.back().fraction = std::isnan(view.cpuSystem) ? 0 : view.cpuSystem;
  facts.push_back(row(tr("Memory"), bytes(view.residentBytes), process));
  facts.push_back(section(tr("Sent"), rate(view.sentPerSecond), {}, counters));
  facts.push_back(row(tr("Updates, all"), count(view.counters.updatesSent), counters));
  facts.push_back(row(tr("Interactions, all"), count(view.counters.interactionsSent), counters));
  facts.push_back(row(tr("Data"), bytes(view.bytesSentPerSecond) + QStringLiteral("/s"), counters));
  facts.push_back(section(tr("Received"), rate(view.receivedPerSecond), {}, counters));
  facts.push_back(row(tr("Reflections, all"), count(view.counters.reflectionsReceived), counters));
  facts.push_back(
      row(tr("Interactions, all"), count(view.counters.interactionsReceived), counters));
  facts.push_back(
      row(tr("Data"), bytes(view.bytesReceivedPerSecond) + QStringLiteral("/s"), counters));
  facts.push_back(section(tr("Queued"), count(view.queued), {}, counters));
  facts.push_back(row(tr("Receive order"), count(view.counters.receiveOrderQueued), counters));
  facts.push_back(row(tr("Timestamp order"), count(view.counters.timestampOrderQueued), counters));
  facts.push_back(row(tr("Data"), bytes(static_cast<double>(view.counters.queuedBytes)), counters));
  facts.push_back(
      row(tr("Fullest receive queue"),
          std::isnan(view.queueFill) ? theme::noValue() : theme::formatPercent(view.queueFill),
          tr("Positions of the rings into %1").arg(view.name)));
  facts.push_back(section(tr("Errors")));
  facts.push_back(
      row(tr("Best effort, dropped"), count(view.counters.bestEffortDropped), counters));
  facts.push_back(
      row(tr("Best effort, lost on the network"), count(view.counters.bestEffortLost), counters));
  facts.push_back(row(tr("Blocked by full rings"),
                      duration(static_cast<double>(view.counters.blockedNanoseconds) / 1e9),
                      counters));
  facts.push_back(section(tr("Process"), QString::number(view.pid), {}, process));
  now_->setFacts(std::move(facts));
}

void FederatePanel::fillTime(const FederateView& view, const Snapshot& snapshot) {
  std::vector<Fact> facts;
  const QString slot = tr("Time slot of %1").arg(view.name);
  const auto time = [&](double value) {
    return theme::formatTime(value, snapshot.timeDecimals) + QStringLiteral(" s");
  };
  if (!view.timeManaged) {
    facts.push_back(note(tr("%1 neither regulates nor is constrained: it takes no part in logical "
                            "time.")
                             .arg(view.name)));
    time_->setFacts(std::move(facts));
    return;
  }
  const bool asked = view.time.advance != TimeReading::Advance::None;
  facts.push_back(section(tr("Granted"), time(view.time.logicalTime), {}, slot));
  facts.push_back(row(
      tr("State"),
      asked ? tr("asked: %1").arg(advanceName(view.time.advance)) : tr("granted, computes"), slot));
  facts.push_back(
      row(tr("Requested"), asked ? time(view.time.requestedTime) : theme::noValue(), slot));
  facts.push_back(row(tr("Regulates"), view.time.regulating ? tr("yes") : tr("no"), slot));
  facts.push_back(row(tr("Lookahead"),
                      view.time.regulating ? time(view.time.lookahead) : theme::noValue(), slot));
  facts.push_back(row(tr("Constrained"), view.time.constrained ? tr("yes") : tr("no"), slot));
  facts.push_back(row(tr("GALT"), view.galt ? time(*view.galt) : tr("unbounded"),
                      tr("Lowest bound in the others' time slots (IEEE 1516.1-2010, 8.16)")));
  facts.push_back(row(tr("Least stamp in its queue"),
                      view.time.leastStamp ? time(*view.time.leastStamp) : theme::noValue(), slot));
  facts.push_back(section(tr("Grants"), rate(view.grantsPerSecond), {},
                          tr("RTI counter of %1, mean of 5 s").arg(view.name)));
  facts.push_back(row(tr("All"), count(view.counters.timeAdvanceGrants)));
  facts.push_back(row(tr("Usual step"), duration(view.usualStepSeconds),
                      tr("Wall clock between its grants, weighted to the last ones")));
  facts.push_back(row(tr("Last request or grant"), age(view.secondsSinceRequest)));
  if (view.condition == FederateCondition::Held) {
    facts.push_back(section(tr("Held at"), time(snapshot.ceiling), State::Paused,
                            tr("Pause and step: nobody is granted beyond this time")));
  } else if (view.waitsForPace) {
    facts.push_back(section(tr("Waits for"), tr("pace %1×").arg(snapshot.wantedPace), {},
                            tr("It has asked for a time that is not due yet")));
  } else if (view.waiting) {
    facts.push_back(section(tr("Waits for"), {}, State::Late));
    const FederateView* root = snapshot.find(view.waitsFor);
    const bool rootAsked = root != nullptr && root->time.advance != TimeReading::Advance::None;
    facts.push_back(row(view.waitsFor,
                        rootAsked ? tr("has not taken its grant") : tr("has not asked to advance"),
                        slot, view.waitsFor));
  }
  if (snapshot.standing && snapshot.standing->holder == view.name) {
    facts.push_back(section(tr("Holds"),
                            count(static_cast<std::uint64_t>(snapshot.standing->waiters.size())),
                            State::Late));
    for (const QString& waiter : snapshot.standing->waiters) {
      facts.push_back(row(waiter, tr("waits for it"), {}, waiter));
    }
  }
  time_->setFacts(std::move(facts));
}

void FederatePanel::fillObjects(const FederateView& view,
                                const std::optional<Consequences>& watched,
                                const std::vector<Declarations>& declarations) {
  const QString counters = tr("RTI counters of %1").arg(view.name);
  std::vector<Fact> facts;
  const std::uint64_t owned =
      view.counters.instancesRegistered -
      std::min(view.counters.instancesRegistered, view.counters.instancesDeleted);
  facts.push_back(section(tr("Object instances of its own"), count(owned), {}, counters));
  if (watched && watched->federate == view.name) {
    for (const OwnedInstances& each : watched->byClass) {
      facts.push_back(row(each.className, tr("%1 of %2").arg(count(each.owned), count(each.total)),
                          tr("Instance tables in shared memory")));
    }
  }
  facts.push_back(row(tr("Registered"), count(view.counters.instancesRegistered), counters));
  facts.push_back(row(tr("Deleted"), count(view.counters.instancesDeleted), counters));
  facts.push_back(
      section(tr("Instances of others"), count(view.counters.instancesDiscovered), {}, counters));
  bool known = false;
  for (const Declarations& each : declarations) {
    if (each.federate != view.name) continue;
    known = true;
    const QString source = tr("Declared in the composition");
    facts.push_back(section(tr("Publishes"), QString::number(each.publishes.size())));
    for (const QString& name : each.publishes) facts.push_back(row(name, {}, source));
    facts.push_back(section(tr("Subscribes to"), QString::number(each.subscribes.size())));
    for (const QString& name : each.subscribes) facts.push_back(row(name, {}, source));
  }
  if (!known) facts.push_back(note(tr("What it publishes and subscribes to is not known.")));
  objects_->setFacts(std::move(facts));
}

void FederatePanel::fillConsequences(const FederateView& view, const Snapshot& snapshot,
                                     const std::optional<Consequences>& watched) {
  std::vector<Fact> facts;
  const Consequences* lost = nullptr;
  const Death* death = nullptr;
  for (const Death& each : snapshot.deaths) {
    if (each.federate == view.name) death = &each;
  }
  if (death != nullptr) {
    lost = &death->lost;
    facts.push_back({Kind::Headline, aftermath(*lost), {}, {}, {}, {}, -1});
  } else if (watched && watched->federate == view.name) {
    lost = &*watched;
    facts.push_back({Kind::Headline, headline(*lost), {}, {}, {}, {}, -1});
  }
  if (lost == nullptr) {
    const bool lostRti = view.condition == FederateCondition::LostRti;
    const bool resigned = view.condition == FederateCondition::Resigned;
    if (!resigned && !lostRti && view.number != 0) {
      consequences_->setFacts({note(tr("Checking what would be lost…"))});
      return;
    }
    facts.push_back(note(lostRti ? tr("%1 has lost the RTI: the RTI node has ended, and the "
                                      "federation with it.")
                                       .arg(view.name)
                         : resigned
                             ? tr("%1 has resigned; it took what it owned with it.").arg(view.name)
                             : tr("%1 has not joined yet: nothing would be lost.").arg(view.name)));
    consequences_->setFacts(std::move(facts));
    return;
  }
  const auto time = [&](double value) {
    return theme::formatTime(value, snapshot.timeDecimals) + QStringLiteral(" s");
  };
  const auto mark = [](bool bad) { return bad ? State::Warning : State::Ok; };
  facts.push_back(section(tr("Object instances it owns"), count(lost->instances),
                          mark(lost->instances > 0), tr("RTI counters of %1").arg(view.name)));
  for (const OwnedInstances& each : lost->byClass) {
    facts.push_back(row(each.className,
                        each.total > 0 ? tr("%1 of %2").arg(count(each.owned), count(each.total))
                                       : count(each.owned)));
  }
  facts.push_back(
      section(tr("Classes without a publisher"), QString::number(lost->unpublished.size()),
              mark(!lost->unpublished.isEmpty()), tr("What the joined federates publish")));
  for (const QString& name : lost->unpublished) {
    facts.push_back(row(name, tr("no other federate publishes it")));
  }
  facts.push_back(section(tr("Subscribers that go silent"), QString::number(lost->silent.size()),
                          mark(!lost->silent.empty()),
                          tr("What the joined federates subscribe to")));
  for (const Consequences::Silent& each : lost->silent) {
    QString what = each.loses.join(QStringLiteral(", "));
    if (!each.keeps.isEmpty()) what += tr("; keeps %1").arg(each.keeps.join(QStringLiteral(", ")));
    facts.push_back(row(each.federate, what, what, each.federate));
  }
  facts.push_back(section(tr("Federates cut off"), QStringLiteral("0"), State::Ok,
                          tr("On one host federates reach each other directly")));
  facts.push_back(section(tr("Sync points that wait for it"),
                          QString::number(lost->synchronizationPoints.size()),
                          lost->synchronizationPoints.isEmpty() ? State::Ok : State::Info,
                          tr("RTI node. Without it they wait for the others only")));
  for (const QString& label : lost->synchronizationPoints) facts.push_back(row(label, {}));
  if (lost->regulating) {
    facts.push_back(section(tr("Time it holds"), {}, State::Info, tr("Time slots")));
    if (lost->mayNextSend) {
      facts.push_back(row(tr("Next message at earliest"), time(*lost->mayNextSend)));
    }
    const QString now = lost->othersGalt ? time(*lost->othersGalt) : tr("unbounded");
    const QString then = lost->othersGaltWithout ? time(*lost->othersGaltWithout) : tr("unbounded");
    facts.push_back(row(tr("GALT of the others"), now == then ? tr("%1, unchanged").arg(now)
                                                              : tr("%1, then %2").arg(now, then)));
    if (!lost->freed.isEmpty()) {
      facts.push_back(row(tr("Wait for it"), QString::number(lost->freed.size()),
                          lost->freed.join(QStringLiteral(", "))));
    }
  }
  consequences_->setFacts(std::move(facts));
}

// DeathCard

DeathCard::DeathCard(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("deathCard"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 9, 8, 12);
  layout->setSpacing(6);
  auto* head = new QHBoxLayout;
  head->setSpacing(8);
  head->addSpacing(22);  // the icon is painted
  title_ = theme::makeLabel({}, "error");
  title_->setWordWrap(true);
  title_->setFont(theme::textFont(theme::TextStyle::Label, QFont::DemiBold));
  head->addWidget(title_, 1);
  auto* close = new QToolButton;
  close->setObjectName(QStringLiteral("dismissDeath"));
  close->setIcon(theme::icon(QStringLiteral("close")));
  close->setAutoRaise(true);
  close->setToolTip(tr("Dismiss: take it off the screen"));
  head->addWidget(close, 0, Qt::AlignTop);
  layout->addLayout(head);
  text_ = theme::makeLabel({}, "table");
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(text_);
  lines_ = theme::makeLabel({}, "table");
  lines_->setObjectName(QStringLiteral("deathLines"));
  lines_->setAccessibleName(tr("Last lines"));
  lines_->setFont(theme::textFont(theme::TextStyle::Mono));
  lines_->setTextFormat(Qt::PlainText);
  lines_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  // As wide as the card: a long line is cut, and is whole in the tool tip.
  lines_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  layout->addWidget(lines_);
  buttons_ = new QWidget;
  // As wide as the card, in as many rows as that needs: see placeButtons().
  buttons_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* rows = new QVBoxLayout(buttons_);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(8);
  for (int row = 0; row < 2; ++row) {
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addStretch();
    rows->addLayout(buttons);
    buttonRows_ << buttons;
  }
  for (const auto& [text, name] : {std::pair(tr("Restart"), "deathRestart"),
                                   {tr("Log"), "deathLog"},
                                   {tr("Copy"), "deathCopy"},
                                   {tr("What was lost"), "deathShow"}}) {
    auto* each = button(text, name, this);
    each->setProperty("dense", true);
    buttonRows_[0]->insertWidget(buttonRows_[0]->count() - 1, each);
    const QString which = QString::fromLatin1(name);
    connect(each, &QPushButton::clicked, this, [this, which] {
      if (which == QStringLiteral("deathRestart")) emit restartRequested(federate_);
      if (which == QStringLiteral("deathLog")) emit logRequested(federate_);
      if (which == QStringLiteral("deathShow")) emit selected(federate_);
      if (which == QStringLiteral("deathCopy")) QApplication::clipboard()->setText(report_);
    });
  }
  more_ = button({}, "moreDeaths", this);
  more_->setProperty("role", QStringLiteral("link"));
  more_->setProperty("dense", true);
  layout->addWidget(buttons_);
  layout->addWidget(more_, 0, Qt::AlignLeft);
  connect(close, &QToolButton::clicked, this, [this] { emit dismissRequested(federate_); });
  connect(more_, &QPushButton::clicked, this,
          [this] { emit selected(QStringLiteral("needs:dead")); });
  hide();
}

void DeathCard::setWatched(bool watched) {
  findChild<QPushButton*>(QStringLiteral("deathRestart"))->setVisible(!watched);
  placeButtons();
}

void DeathCard::setSnapshot(const SnapshotPointer& snapshot) {
  if (snapshot->deaths.empty()) {
    federate_.clear();
    hide();
    return;
  }
  const Death& death = snapshot->deaths.back();
  federate_ = death.federate;
  QString cause = death.cause;
  const qsizetype bracket = cause.indexOf(QStringLiteral(" ("));
  if (bracket > 0) cause.truncate(bracket);
  title_->setText(
      tr("%1 died %2, %3")
          .arg(death.federate,
               theme::formatAge(
                   static_cast<double>(snapshot->monotonicNanoseconds - death.atMonotonic) / 1e9),
               cause));
  title_->setToolTip(death.cause + u'\n' + theme::formatClockLong(death.at));
  text_->setText(aftermath(death.lost));
  last_ = lastLines_ ? lastLines_(federate_) : QStringList();
  QStringList report{
      tr("%1 died at %2, %3").arg(death.federate, theme::formatClockLong(death.at), death.cause),
      text_->text()};
  if (!last_.isEmpty()) report << tr("Last lines:") << last_;
  report_ = report.join(u'\n');
  showLines();
  more_->setVisible(snapshot->deaths.size() > 1);
  more_->setText(tr("%1 more died").arg(snapshot->deaths.size() - 1));
  parentWidget()->installEventFilter(this);
  fitPane();
}

void DeathCard::showLines() {
  constexpr qsizetype most = 5;
  const QFontMetrics metrics(lines_->font());
  const int room =
      width() - layout()->contentsMargins().left() - layout()->contentsMargins().right();
  QStringList shown;
  for (const QString& line : last_.mid(std::max<qsizetype>(0, last_.size() - most)))
    shown << metrics.elidedText(QString(line).replace(u'\t', u' '), Qt::ElideRight, room);
  const QString text = shown.join(u'\n');
  // What is selected in it stays selected.
  if (lines_->text() == text) return;
  lines_->setText(text);
  lines_->setToolTip(theme::wrappedTip(last_.join(u'\n')));
  lines_->setAccessibleDescription(last_.join(u'\n'));
}

void DeathCard::placeButtons() {
  const int room =
      width() - layout()->contentsMargins().left() - layout()->contentsMargins().right();
  int used = 0;
  QHBoxLayout* row = buttonRows_.front();
  QList<std::pair<QPushButton*, QHBoxLayout*>> placed;
  for (auto* each : buttons_->findChildren<QPushButton*>()) {
    // Not yet shown is hidden too.
    if (each->isHidden() && each->testAttribute(Qt::WA_WState_ExplicitShowHide)) continue;
    const int wide = each->sizeHint().width();
    if (used > 0 && used + wide > room) {
      row = buttonRows_.back();
      used = 0;
    }
    used += wide + row->spacing();
    placed << std::pair(each, row);
  }
  const bool asBefore = std::all_of(placed.begin(), placed.end(), [](const auto& one) {
    return one.second->indexOf(one.first) >= 0;
  });
  if (asBefore) return;
  for (const auto& [each, place] : placed) {
    for (QHBoxLayout* other : buttonRows_) other->removeWidget(each);
    place->insertWidget(place->count() - 1, each);
  }
}

void DeathCard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  showLines();
  placeButtons();
}

bool DeathCard::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize) fitPane();
  return QWidget::eventFilter(watched, event);
}

void DeathCard::fitPane() {
  constexpr int high = 420;
  constexpr int low = 280;
  constexpr int lowest = 150;
  const int height = parentWidget()->height();
  lines_->setVisible(height >= high && !last_.isEmpty());
  text_->setVisible(height >= low);
  buttons_->setVisible(height >= low);
  setVisible(!federate_.isEmpty() && height >= lowest);
}

void DeathCard::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const theme::Palette palette = theme::Palette::of(this);
  painter.fillRect(rect(), theme::colors(State::Dead, palette).tint);
  painter.fillRect(QRect(0, 0, width(), 1), palette[theme::Token::LineStrong]);
  theme::paintState(painter, QRectF(12, 13, 14, 14), State::Dead, palette);
}

}  // namespace tutti::monitor
