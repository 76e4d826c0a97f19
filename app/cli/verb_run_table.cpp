// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verb_run_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "monitor/engine/host_links.h"

namespace tutti::app {

QString printable(QString text) {
  for (auto& letter : text) {
    if (!letter.isPrint()) letter = u' ';
  }
  return text;
}

namespace {

using launcher::ProcessStatus;
using launcher::Run;
using monitor::FederateCondition;
using monitor::FederateView;
using monitor::Snapshot;
using State = ProcessStatus::State;

const QString unknownText = QStringLiteral("–");

QString elapsedText(double seconds) {
  const auto whole = static_cast<int>(seconds);
  return QStringLiteral("%1:%2:%3")
      .arg(whole / 3600, 2, 10, QChar(u'0'))
      .arg(whole / 60 % 60, 2, 10, QChar(u'0'))
      .arg(whole % 60, 2, 10, QChar(u'0'));
}

QString fixed(double value, int decimals) {
  return std::isnan(value) ? unknownText : QString::number(value, 'f', decimals);
}

QString cpuText(const FederateView* view) {
  if (view == nullptr || std::isnan(view->cpuUser)) return unknownText;
  return QString::number(100 * (view->cpuUser + view->cpuSystem), 'f', 0) + QStringLiteral(" %");
}

QString phaseText(Run::Phase phase) {
  switch (phase) {
    case Run::Phase::NotStarted:
      return QStringLiteral("not started");
    case Run::Phase::Preflight:
      return QStringLiteral("pre-flight");
    case Run::Phase::Starting:
      return QStringLiteral("starting");
    case Run::Phase::Running:
      return QStringLiteral("running");
    case Run::Phase::Stopping:
      return QStringLiteral("stopping");
    case Run::Phase::Ended:
      return QStringLiteral("ended");
    case Run::Phase::Failed:
      return QStringLiteral("did not run");
  }
  return {};
}

/// Higher is worse: what a person must see first.
int urgency(const ProcessStatus& status, const FederateView* view) {
  if (status.state == State::Signalled || (status.state == State::Exited && status.exitCode != 0))
    return status.endAsked ? 2 : 6;
  if (status.state == State::NotStarted) return 5;
  if (status.late || (view != nullptr && view->condition == FederateCondition::Late)) return 4;
  if (view != nullptr && view->condition == FederateCondition::OutOfReach) return 4;
  if (view != nullptr && view->condition == FederateCondition::Stopped) return 3;
  if (status.state == State::Waiting || status.state == State::Starting) return 2;
  return status.state == State::Running ? 1 : 0;
}

QString stateText(const Run& run, const ProcessStatus& status, const FederateView* view) {
  if (run.hasLostRti(status)) return QStringLiteral("lost the RTI");
  if (status.state == State::Waiting) return QStringLiteral("waiting");
  if (status.resigned) return status.description();
  if (!status.alive()) {
    if (status.endAsked && status.state == State::Signalled) return QStringLiteral("stopped");
    if (status.state == State::Exited && status.exitCode == 0) return QStringLiteral("ended");
    return status.state == State::NotStarted ? status.description()
                                             : QStringLiteral("died: ") + status.description();
  }
  if (view != nullptr && view->condition == FederateCondition::Late)
    return view->detail.isEmpty() ? QStringLiteral("late") : view->detail;
  if (view != nullptr && view->condition == FederateCondition::OutOfReach) return view->detail;
  if (view != nullptr && view->condition == FederateCondition::Stopped)
    return QStringLiteral("held (SIGSTOP)");
  if (view != nullptr && view->condition == FederateCondition::Held)
    return QStringLiteral("paused");
  if (status.state == State::Running && view != nullptr && view->waiting &&
      !view->waitsFor.isEmpty())
    return QStringLiteral("running");
  return status.description();
}

QString lastLine(const Run& run, const QString& id) {
  const auto lines = run.lines(id, 8);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (line->stream != launcher::LogLine::Stream::Supervisor) return printable(line->text);
  }
  return {};
}

QString cell(const QString& content, int width, bool right) {
  const auto text = printable(content);
  const auto shown = text.size() > width ? text.left(width - 1) + QStringLiteral("…") : text;
  return right ? shown.rightJustified(width) : shown.leftJustified(width);
}

/// What is lost with a dead federate, one sentence; empty when nothing is.
QString lossText(const monitor::Consequences& lost) {
  QStringList parts;
  if (lost.instances > 0)
    parts << QStringLiteral("%1 object instances are gone").arg(lost.instances);
  if (!lost.unpublished.isEmpty())
    parts << QStringLiteral("nobody publishes %1").arg(lost.unpublished.join(QStringLiteral(", ")));
  QStringList silent;
  for (const auto& one : lost.silent) silent << one.federate;
  if (!silent.isEmpty())
    parts << QStringLiteral("%1 %2 nothing of it")
                 .arg(silent.join(QStringLiteral(", ")),
                      silent.size() == 1 ? QStringLiteral("hears") : QStringLiteral("hear"));
  return parts.join(QStringLiteral("; "));
}

/// "display waits", "a, b, c and 4 more wait".
QString waitersText(const QStringList& names) {
  constexpr qsizetype most = 3;
  if (names.size() == 1) return names.front() + QStringLiteral(" waits");
  const auto shown = names.mid(0, most).join(QStringLiteral(", "));
  return names.size() > most
             ? QStringLiteral("%1 and %2 more wait").arg(shown).arg(names.size() - most)
             : shown + QStringLiteral(" wait");
}

QStringList attention(const Run& run, const Snapshot& snapshot) {
  QStringList result;
  for (const auto& death : run.deaths()) {
    auto text =
        QStringLiteral("%1 died at %2: %3.")
            .arg(death.process.id, death.when.toString(QStringLiteral("HH:mm:ss")), death.cause);
    for (const auto& known : snapshot.deaths) {
      const auto loss = known.federate == death.process.id ? lossText(known.lost) : QString();
      if (!loss.isEmpty()) text += u' ' + loss + u'.';
    }
    result << text;
  }
  for (const auto& trouble : run.troubles()) result << trouble.message();
  // The last sample of a run that has ended says nothing of now.
  const auto suspect = monitor::suspectLinks(snapshot.hostLinks, 3);
  if (suspect && run.phase() == Run::Phase::Running) {
    result << suspect->title + u'.';
    // A line each, as each is cut at the edge of the terminal.
    if (suspect->links.size() == 1)
      result << monitor::suspectDetail(suspect->links.front(), 3, u'\n').split(u'\n');
    else
      result << suspect->detail;
  }
  if (snapshot.standing && run.phase() == Run::Phase::Running) result << standingText(snapshot);
  return result;
}

}  // namespace

QString standingText(const Snapshot& snapshot) {
  const monitor::TimeStanding& standing = *snapshot.standing;
  const QString why = standing.condition == FederateCondition::Stopped
                          ? QStringLiteral("its process is stopped (SIGSTOP)")
                      : standing.grantDue
                          ? QStringLiteral("its grant is due and it evokes no callback to take it")
                          : QStringLiteral("it computes and has not asked to advance");
  return QStringLiteral("Time stands at %1: %2 has held it for %3 s; %4, its lookahead is %5; %6.")
      .arg(fixed(standing.at, snapshot.timeDecimals), standing.holder)
      .arg(standing.seconds, 0, 'f', 1)
      .arg(why, fixed(standing.lookahead, snapshot.timeDecimals), waitersText(standing.waiters));
}

QString rateText(double perSecond) {
  if (std::isnan(perSecond)) return unknownText;
  constexpr std::array<const char*, 4> prefixes{"", " k", " M", " G"};
  std::size_t step = 0;
  // 999.5 would be shown as 1000.
  while (std::abs(perSecond) >= 999.5 && step + 1 < prefixes.size()) {
    perSecond /= 1000;
    ++step;
  }
  const auto size = std::abs(perSecond);
  const int decimals = step == 0      ? (size > 0 && size < 9.95 ? 1 : 0)
                       : size < 9.995 ? 2
                       : size < 99.95 ? 1
                                      : 0;
  return QString::number(perSecond, 'f', decimals) + QLatin1String(prefixes[step]);
}

QString runHeadline(const Run& run, const Snapshot& snapshot) {
  int ready = 0;
  double sent = 0;
  double received = 0;
  bool known = false;
  for (const auto& one : run.processes()) {
    if (!one.isNode && one.state == State::Running) ++ready;
  }
  for (const auto& view : snapshot.federates) {
    if (std::isnan(view.sentPerSecond)) continue;
    known = true;
    sent += view.sentPerSecond;
    received += view.receivedPerSecond;
  }
  auto text = QStringLiteral("%1  %2  %3 of %4 federates")
                  .arg(elapsedText(run.elapsed()), phaseText(run.phase()))
                  .arg(ready)
                  .arg(run.plan().federates.size());
  if (!std::isnan(snapshot.logicalTime))
    text += QStringLiteral("  time ") + fixed(snapshot.logicalTime, snapshot.timeDecimals);
  if (known) text += QStringLiteral("  out %1/s  in %2/s").arg(rateText(sent), rateText(received));
  return text;
}

QStringList runTable(const Run& run, const Snapshot& snapshot, const RunTableStyle& style) {
  struct Row {
    const ProcessStatus* status;
    const FederateView* view;
    int urgency;
  };
  std::vector<Row> rows;
  for (const auto& one : run.processes()) {
    const auto* view = one.isNode ? nullptr : snapshot.find(one.id);
    rows.push_back({&one, view, urgency(one, view)});
  }
  std::size_t shown = rows.size();
  if (style.rows > 0 && rows.size() > static_cast<std::size_t>(style.rows)) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.urgency > b.urgency; });
    shown = static_cast<std::size_t>(style.rows);
  }
  qsizetype nameWidth = 8;
  qsizetype stateWidth = 9;
  for (std::size_t index = 0; index < shown; ++index) {
    nameWidth = std::max(nameWidth, rows[index].status->id.size());
    stateWidth = std::max(stateWidth, stateText(run, *rows[index].status, rows[index].view).size());
  }
  const auto names = static_cast<int>(std::min<qsizetype>(nameWidth, 24));
  const auto states = static_cast<int>(std::min<qsizetype>(stateWidth, 28));
  const auto line = [&](const QString& name, const QString& state, const QString& cpu,
                        const QString& out, const QString& in, const QString& time,
                        const QString& grants, const QString& last) {
    auto text = cell(name, names, false) + QStringLiteral("  ") + cell(state, states, false) +
                cell(cpu, 7, true) + cell(out, 9, true) + cell(in, 9, true) + cell(time, 11, true) +
                cell(grants, 10, true);
    const auto left = style.columns - static_cast<int>(text.size()) - 2;
    if (left >= 12 && !last.isEmpty())
      text += QStringLiteral("  ") + cell(last, left, false).trimmed();
    return text.left(style.columns);
  };
  QStringList result;
  result << line(QStringLiteral("Federate"), QStringLiteral("State"), QStringLiteral("CPU"),
                 QStringLiteral("Out/s"), QStringLiteral("In/s"), QStringLiteral("Time"),
                 QStringLiteral("Grants/s"), QStringLiteral("Last line"));
  for (std::size_t index = 0; index < shown; ++index) {
    const auto& [status, view, worst] = rows[index];
    auto cpu = cpuText(view);
    if (status->isNode && !std::isnan(snapshot.host.nodeCpu))
      cpu = QString::number(100 * snapshot.host.nodeCpu, 'f', 0) + QStringLiteral(" %");
    const bool live = view != nullptr && status->alive();
    auto text = line(status->id, stateText(run, *status, view), status->alive() ? cpu : unknownText,
                     live ? rateText(view->sentPerSecond) : unknownText,
                     live ? rateText(view->receivedPerSecond) : unknownText,
                     view != nullptr && view->timeManaged
                         ? fixed(view->time.logicalTime, snapshot.timeDecimals)
                         : unknownText,
                     live && view->timeManaged ? rateText(view->grantsPerSecond) : unknownText,
                     lastLine(run, status->id));
    if (style.colour && worst >= 5) text = QStringLiteral("\x1b[31m%1\x1b[0m").arg(text);
    if (style.colour && (worst == 3 || worst == 4))
      text = QStringLiteral("\x1b[33m%1\x1b[0m").arg(text);
    result << text;
  }
  if (shown < rows.size())
    result << QStringLiteral("and %1 more, none of them worse").arg(rows.size() - shown);
  for (const auto& text : attention(run, snapshot)) result << printable(text).left(style.columns);
  return result;
}

QStringList runSummary(const Run& run, const Snapshot& snapshot,
                       const launcher::RunRecord& record) {
  QStringList result;
  std::uint64_t allSent = 0;
  std::uint64_t allReceived = 0;
  std::uint64_t allGrants = 0;
  qsizetype nameWidth = 8;
  qsizetype stateWidth = 9;
  for (const auto& one : run.processes()) {
    nameWidth = std::max(nameWidth, one.id.size());
    stateWidth = std::max(stateWidth, stateText(run, one, nullptr).size());
  }
  const auto names = static_cast<int>(std::min<qsizetype>(nameWidth, 32));
  const auto states = static_cast<int>(std::min<qsizetype>(stateWidth, 40));
  const auto line = [&](const QString& name, const QString& state, const QString& sent,
                        const QString& received, const QString& time, const QString& grants) {
    return cell(name, names, false) + QStringLiteral("  ") + cell(state, states, false) +
           cell(sent, 12, true) + cell(received, 12, true) + cell(time, 12, true) +
           cell(grants, 10, true);
  };
  if (run.phase() == Run::Phase::Ended) {
    result << line(QStringLiteral("Federate"), QStringLiteral("End"), QStringLiteral("Sent"),
                   QStringLiteral("Received"), QStringLiteral("Time"), QStringLiteral("Grants"));
  }
  for (const auto& one : run.processes()) {
    if (one.isNode || run.phase() != Run::Phase::Ended) continue;
    const auto* view = snapshot.find(one.id);
    if (view == nullptr || view->number == 0) {
      result << line(one.id, stateText(run, one, nullptr), unknownText, unknownText, unknownText,
                     unknownText);
      continue;
    }
    const auto sent = view->counters.updatesSent + view->counters.interactionsSent;
    const auto received = view->counters.reflectionsReceived + view->counters.interactionsReceived;
    allSent += sent;
    allReceived += received;
    allGrants += view->counters.timeAdvanceGrants;
    result << line(
        one.id, stateText(run, one, nullptr), QString::number(sent), QString::number(received),
        view->timeManaged ? fixed(view->time.logicalTime, snapshot.timeDecimals) : unknownText,
        view->timeManaged ? QString::number(view->counters.timeAdvanceGrants) : unknownText);
  }
  const bool known = std::any_of(snapshot.federates.begin(), snapshot.federates.end(),
                                 [](const FederateView& view) { return view.number != 0; });
  if (run.phase() == Run::Phase::Ended && !known)
    result << QStringLiteral(
        "The run ended before any figures could be sampled; the logs say what it did.");
  result << attention(run, snapshot);
  for (const auto& death : run.deaths()) {
    if (!death.lastLines.empty())
      result << QStringLiteral("Last lines of %1:").arg(death.process.id);
    for (const auto& last : death.lastLines) result << QStringLiteral("  ") + printable(last.text);
  }
  auto last = QStringLiteral("%1 %2 after %3 s (%4)")
                  .arg(run.plan().federation, run.outcome() == Run::Outcome::SupervisorLost
                                                  ? QStringLiteral("lost its supervisor")
                                                  : phaseText(run.phase()))
                  .arg(run.elapsed(), 0, 'f', 1)
                  .arg(run.stopReason().isEmpty() ? QStringLiteral("nothing was started")
                                                  : run.stopReason());
  if (known) {
    last += QStringLiteral(": %1 sent, %2 received, %3 time advance grants")
                .arg(allSent)
                .arg(allReceived)
                .arg(allGrants);
  }
  result << last + u'.';
  if (run.phase() != Run::Phase::Ended) return result;
  result << QStringLiteral("Logs, plans and record: %1").arg(run.plan().folder);
  for (const auto& host : run.plan().hosts) {
    const auto* kept = record.host(host.host.name);
    const auto& node = host.host.jobNode;
    if (kept == nullptr || (!kept->logsFetched && kept->logProblem.isEmpty()))
      result << QStringLiteral("Logs of %1: %2:%3")
                    .arg(host.host.name, node ? node->node : host.host.name, host.folder);
    else if (!kept->logsFetched)
      result << kept->logProblem;
  }
  return result;
}

}  // namespace tutti::app
