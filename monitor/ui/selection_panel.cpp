// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/selection_panel.h"

#include <QGridLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>

#include "monitor/ui/fact_list.h"
#include "monitor/ui/view_text.h"
#include "resources/theme/format.h"

namespace tutti::monitor {

using theme::State;

namespace {

/// Rows of names; more are counted.
constexpr std::size_t mostRows = 50;

/// Of those that are known; not a number where none is.
struct Sum {
  double value = std::nan("");
  void add(double one) {
    if (!std::isnan(one)) value = std::isnan(value) ? one : value + one;
  }
};

QString rate(double value) {
  return std::isnan(value) ? theme::noValue() : theme::formatRate(value) + QStringLiteral("/s");
}

}  // namespace

SelectionPanel::SelectionPanel(QWidget* parent) : QWidget(parent), facts_(new FactList) {
  setObjectName(QStringLiteral("selectionPanel"));
  facts_->setObjectName(QStringLiteral("factsSelection"));
  facts_->setAccessibleName(tr("Selected federates"));
  auto* area = new QScrollArea;
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->viewport()->setBackgroundRole(QPalette::Base);
  auto* holder = new QWidget;
  holder->setBackgroundRole(QPalette::Base);
  auto* column = new QVBoxLayout(holder);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(facts_);
  column->addStretch();
  area->setWidget(holder);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(area, 1);
  auto* buttons = new QGridLayout;
  buttons->setContentsMargins(12, 8, 12, 12);
  buttons->setSpacing(8);
  const auto button = [&](FederateCommand command, const char* name, int row, int column_) {
    auto* one = new QPushButton(this);
    one->setObjectName(QString::fromLatin1(name));
    if (command != FederateCommand::Restart) one->setProperty("role", QStringLiteral("danger"));
    connect(one, &QPushButton::clicked, this, [this, command] { emit commanded(command); });
    buttons->addWidget(one, row, column_);
    return one;
  };
  stop_ = button(FederateCommand::Stop, "stopSelected", 0, 0);
  kill_ = button(FederateCommand::Kill, "killSelected", 0, 1);
  restart_ = button(FederateCommand::Restart, "restartSelected", 1, 0);
  remove_ = button(FederateCommand::Remove, "removeSelected", 1, 1);
  stop_->setText(tr("Stop…"));
  kill_->setText(tr("Kill…"));
  restart_->setText(tr("Restart…"));
  remove_->setText(tr("Remove…"));
  layout->addLayout(buttons);
  connect(facts_, &FactList::linkActivated, this, &SelectionPanel::federateSelected);
}

void SelectionPanel::setSnapshot(const SnapshotPointer& snapshot, bool mayChange) {
  std::map<State, int> states;
  std::map<QString, int> hosts;
  Sum sent;
  Sum received;
  Sum processor;
  Sum memory;
  std::uint64_t queued = 0;
  std::uint64_t instances = 0;
  std::vector<const FederateView*> views;
  for (const QString& name : std::as_const(federates_)) {
    const FederateView* view = snapshot->find(name);
    if (view == nullptr) continue;
    views.push_back(view);
    ++states[stateOf(view->condition)];
    ++hosts[view->host];
    sent.add(view->sentPerSecond);
    received.add(view->receivedPerSecond);
    processor.add(view->cpuUser + view->cpuSystem);
    memory.add(view->residentBytes);
    queued += view->queued;
    instances += view->counters.instancesRegistered -
                 std::min(view->counters.instancesRegistered, view->counters.instancesDeleted);
  }
  std::vector<Fact> facts;
  const auto count = [](std::uint64_t value) {
    return theme::formatCount(static_cast<qint64>(value));
  };
  const auto section = [&](const QString& label, const QString& value, const QString& source) {
    facts.push_back({Fact::Kind::Section, label, value, source, {}, {}, -1});
  };
  const auto row = [&](const QString& label, const QString& value, const QString& source,
                       const QString& target = {}) {
    facts.push_back({Fact::Kind::Row, label, value, source, {}, target, -1});
  };
  const QString counters = tr("Sum of the RTI counters of the selected federates");
  const QString process = tr("Sum of the selected federates' entries in /proc");
  section(tr("Selected"), count(views.size()), {});
  for (const auto& [state, those] : states)
    facts.push_back(
        {Fact::Kind::Row, theme::stateWord(state), QString::number(those), {}, {}, {}, -1});
  if (hosts.size() > 1) {
    section(tr("Hosts"), QString::number(hosts.size()), {});
    for (const auto& [host, those] : hosts) row(host, QString::number(those), {});
  }
  section(tr("Together"), {}, {});
  row(tr("Processor"), std::isnan(processor.value) ? theme::noValue() : cpuText(processor.value, 0),
      process);
  row(tr("Memory"), std::isnan(memory.value) ? theme::noValue() : theme::formatBytes(memory.value),
      process);
  row(tr("Sent"), rate(sent.value), counters + tr(", means of 5 s"));
  row(tr("Received"), rate(received.value), counters + tr(", means of 5 s"));
  row(tr("Queued"), count(queued), counters);
  row(tr("Object instances of their own"), count(instances), counters);
  section(tr("Federates"), {}, {});
  for (std::size_t i = 0; i < std::min(views.size(), mostRows); ++i)
    row(views[i]->name, theme::stateWord(stateOf(views[i]->condition)), views[i]->detail,
        views[i]->name);
  if (views.size() > mostRows)
    facts.push_back(
        {Fact::Kind::Note, tr("%1 more").arg(views.size() - mostRows), {}, {}, {}, {}, -1});
  facts.push_back(
      {Fact::Kind::Note, tr("Move and switches need one federate."), {}, {}, {}, {}, -1});
  facts_->setFacts(std::move(facts));
  const bool live = !affectedBy(FederateCommand::Stop, federates_, *snapshot).isEmpty();
  for (QPushButton* each : {stop_, kill_, restart_, remove_}) each->setVisible(mayChange);
  stop_->setEnabled(live);
  kill_->setEnabled(live);
}

}  // namespace tutti::monitor
