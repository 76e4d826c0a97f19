// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/run_relay.h"

#include <fcntl.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSysInfo>
#include <algorithm>
#include <cerrno>
#include <utility>

#include "launcher/engine/host_supervisor.h"
#include "launcher/engine/relay_protocol.h"
#include "launcher/engine/supervisor/run_socket.h"

namespace tutti::launcher {

namespace {

/// With so much that waits to be written the supervisors are not read, until so little is left.
/// A slow line is a second or so behind with it.
constexpr qsizetype muchWaiting = 256 * 1024;
constexpr qsizetype littleWaiting = 64 * 1024;
constexpr int pulseMs = 1000;

QByteArray lineOf(const QJsonObject& object) {
  return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

/// The first line: "relay" leads it, so that it is known from what a login shell prints, which may
/// end without a newline.
QByteArray greetingWith(QJsonObject more) {
  more["version"] = QCoreApplication::applicationVersion();
  more["machine"] = QSysInfo::machineHostName();
  return "\n{\"relay\":" + QByteArray::number(relay::protocol) + ',' + lineOf(more).mid(1);
}

QJsonObject asJson(const Agent::Loss& loss) {
  return {{"where", loss.where}, {"why", loss.why}, {"next", loss.next}};
}

}  // namespace

RunRelay::RunRelay(LaunchPlan plan, int in, int out, QObject* parent)
    : QObject(parent), plan_(std::move(plan)), in_(in), out_(out) {
  for (const int each : {in, out}) ::fcntl(each, F_SETFL, ::fcntl(each, F_GETFL) | O_NONBLOCK);
  readable_ = std::make_unique<QSocketNotifier>(in, QSocketNotifier::Read);
  connect(readable_.get(), &QSocketNotifier::activated, this, &RunRelay::read);
  writable_ = std::make_unique<QSocketNotifier>(out, QSocketNotifier::Write);
  writable_->setEnabled(false);
  connect(writable_.get(), &QSocketNotifier::activated, this, &RunRelay::flush);
  pulse_.setInterval(pulseMs);
  connect(&pulse_, &QTimer::timeout, this, &RunRelay::mindSilence);
  pulse_.start();
  heard_.start();
  write(greetingOf(plan_));
}

RunRelay::~RunRelay() {
  for (auto& [host, part] : parts_) leave(part);
}

QByteArray RunRelay::greetingOf(const LaunchPlan& plan) {
  return greetingWith({{"plan", QJsonDocument::fromJson(plan.toBytes()).object()}});
}

QByteArray RunRelay::greetingWithout(const QString& why) {
  return greetingWith(why.isEmpty() ? QJsonObject{{"gone", true}} : QJsonObject{{"refused", why}});
}

QByteArray RunRelay::greetingOf(const std::vector<GoingRun>& runs) {
  QJsonArray array;
  for (const GoingRun& each : runs) {
    array << QJsonObject{{"run", each.plan.run},
                         {"federation", each.plan.federation},
                         {"federates", static_cast<int>(each.federates)},
                         {"hosts", static_cast<int>(each.plan.hosts.size()) + 1},
                         {"attended", each.attended},
                         {"kept", each.kept},
                         {"folder", each.plan.folder},
                         {"job", each.plan.job()}};
  }
  return greetingWith({{"runs", array}});
}

void RunRelay::read() {
  char buffer[4096];
  const auto got = ::read(in_, buffer, sizeof buffer);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return end();
  heard_.restart();
  received_.append(buffer, got);
  for (qsizetype lineEnd = received_.indexOf('\n'); lineEnd >= 0 && !over_;
       lineEnd = received_.indexOf('\n')) {
    const QByteArray line = received_.left(lineEnd);
    received_.remove(0, lineEnd + 1);
    take(line);
  }
  if (received_.size() > relay::longestCommand) end();
}

void RunRelay::take(const QByteArray& line) {
  const QJsonObject command = QJsonDocument::fromJson(line).object();
  const QString verb = command["do"].toString();
  const QString host = command["part"].toString();
  if (verb == QStringLiteral("attach")) {
    if (host.isEmpty() || plan_.host(host) != nullptr)
      attach(host, std::max<qint64>(0, command["after"].toInteger()), command["state"].toBool());
    else
      say(host.left(255), "failed",
          asJson({host.left(255),
                  QStringLiteral("it is no host of this run as that is known there"),
                  QStringLiteral("See the run's folder on its machine.")}));
  } else if (verb == QStringLiteral("sample")) {
    const int wanted = command["every_ms"].toInt();
    if (wanted <= 0) sample_.clear();
    wantsSamples_ = wanted > 0;
    for (auto& [name, part] : parts_) {
      if (part.agent) part.agent->wantSamples(wantsSamples_);
    }
    emit samplesWanted(
        wanted <= 0 ? 0 : std::clamp(wanted, relay::shortestSampleMs, relay::longestSampleMs));
  } else if (verb != QStringLiteral("alive")) {
    write(lineOf({{"refused", verb.left(32)}}));
  }
}

void RunRelay::attach(const QString& host, qint64 after, bool state) {
  Part& part = parts_[host];
  leave(part);
  part = Part();
  part.last = after;
  part.wantsState = state || after == 0;
  reach(host, part);
}

void RunRelay::leave(Part& part) {
  if (!part.agent) return;
  part.agent->disconnect(this);
  part.agent->leave();
  part.agent.release()->deleteLater();
}

void RunRelay::reach(const QString& host, Part& part) {
  leave(part);
  part.isSought = part.saidItsEnd = part.wasHeard = false;
  part.agent = std::make_unique<Agent>(host);
  Agent* const agent = part.agent.get();
  agent->setPaced();
  agent->hold(holding_);
  agent->wantSamples(wantsSamples_);
  connect(agent, &Agent::received, this, [this, host, &part](const QJsonObject& event) {
    if (!event.isEmpty()) passOn(host, part, event);
  });
  connect(agent, &Agent::reachableChanged, this,
          [this, host](bool reachable) { say(host, "reachable", reachable); });
  connect(agent, &Agent::ended, this,
          [this, host, &part](const Agent::Loss& loss) { partEnded(host, part, loss); });
  connect(agent, &Agent::failed, this,
          [this, host, &part](const Agent::Loss& loss) { partFailed(host, part, loss); });
  // It may have failed by now.
  if (const auto* planned = plan_.host(host))
    agent->attachOn(planned->host, attachCommand(*planned, plan_.run), silenceHere(plan_));
  else
    agent->attach(QString::fromStdString(runSocketName(plan_.run.toStdString())));
  if (part.agent.get() != agent) return;
  agent->send({{"do", "attach"}, {"own", false}, {"after", part.last}, {"state", part.wantsState}});
}

void RunRelay::passOn(const QString& host, Part& part, const QJsonObject& event) {
  const QString kind = event["event"].toString();
  if (kind == QStringLiteral("hello")) {
    const qint64 pid = event["pid"].toInteger();
    if (std::exchange(part.pid, pid) != pid && part.lost) {
      // Another one, which counts from 1, and has its own state.
      part.last = 0;
      part.wantsState = true;
    }
    part.lost.reset();
  } else if (kind == QStringLiteral("attached")) {
    part.wantsState = false;
    part.wasHeard = true;
    part.last = std::max(part.last, event["next"].toInteger() - 1);
  } else if (kind == QStringLiteral("missed")) {
    part.last = std::max(part.last, event["to"].toInteger());
  } else if (kind == QStringLiteral("ended") || kind == QStringLiteral("gone") ||
             kind == QStringLiteral("busy")) {
    part.saidItsEnd = true;
  }
  const qint64 number = event["n"].toInteger();
  part.wasHeard |= number > 0;
  part.last = std::max(part.last, number);
  say(host, "event", event);
}

void RunRelay::partEnded(const QString& host, Part& part, const Agent::Loss& loss) {
  if (part.wasHeard && !part.saidItsEnd) {
    // It may have dropped this client as too slow, held or not. If it has ended indeed, the next
    // channel tells.
    part.lost = loss;
    part.isSought = true;
    // From the loop: this comes from the channel that goes.
    QMetaObject::invokeMethod(
        this,
        [this, host] {
          const auto found = parts_.find(host);
          if (found != parts_.end() && found->second.isSought && !holding_ && !over_)
            reach(host, found->second);
        },
        Qt::QueuedConnection);
    return;
  }
  say(host, "ended", asJson(part.lost.value_or(loss)));
}

void RunRelay::partFailed(const QString& host, Part& part, const Agent::Loss& loss) {
  if (part.lost)
    say(host, "ended", asJson(*part.lost));
  else
    say(host, "failed", asJson(loss));
}

void RunRelay::setHolding(bool holding) {
  if (std::exchange(holding_, holding) == holding) return;
  for (auto& [host, part] : parts_) {
    // What is reached may have more to say than there is room for.
    if (part.isSought && !holding_)
      reach(host, part);
    else if (part.agent)
      part.agent->hold(holding_);
  }
}

void RunRelay::say(const QString& host, const char* what, const QJsonValue& value) {
  write(lineOf({{"part", host}, {QLatin1String(what), value}}));
}

void RunRelay::sendSample(const QByteArray& line) {
  sample_ = "{\"sample\":" + line + "}\n";
  flush();
}

void RunRelay::write(const QByteArray& line) {
  // Nothing that is told is longer than what is read there.
  if (over_ || line.size() > relay::longestLine) return;
  waiting_ += line;
  flush();
}

void RunRelay::flush() {
  if (over_) return;
  const auto writeSome = [this] {
    qsizetype done = 0;
    while (done < waiting_.size()) {
      const auto sent = ::write(out_, waiting_.constData() + done,
                                static_cast<std::size_t>(waiting_.size() - done));
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) break;
      if (sent <= 0) return false;
      done += sent;
    }
    waiting_.remove(0, done);
    return true;
  };
  if (!writeSome()) return end();
  if (!sample_.isEmpty() && waiting_.size() < littleWaiting) {
    waiting_ += std::exchange(sample_, {});
    if (!writeSome()) return end();
  }
  writable_->setEnabled(!waiting_.isEmpty());
  if (waiting_.size() > muchWaiting)
    setHolding(true);
  else if (waiting_.size() < littleWaiting)
    setHolding(false);
}

void RunRelay::mindSilence() {
  if (heard_.elapsed() > 1000 * relay::silenceSeconds) return end();
  if (waiting_.isEmpty()) write(lineOf({{"alive", true}}));
}

void RunRelay::end() {
  if (std::exchange(over_, true)) return;
  readable_->setEnabled(false);
  writable_->setEnabled(false);
  pulse_.stop();
  // From the loop: this may be deep in an agent.
  QMetaObject::invokeMethod(this, &RunRelay::over, Qt::QueuedConnection);
}

}  // namespace tutti::launcher
