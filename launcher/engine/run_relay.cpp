// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/run_relay.h"

#include <fcntl.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSysInfo>
#include <cerrno>
#include <utility>

#include "launcher/engine/host_supervisor.h"
#include "launcher/engine/relay_protocol.h"
#include "launcher/engine/supervisor/run_socket.h"

namespace tutti::launcher {

namespace {

/// More that nobody reads ends the relay: some samples, and of each supervisor the 8 MiB that it
/// keeps, which come at once when it is attached.
constexpr qsizetype mostWaiting = 12 * 1024 * 1024;
constexpr qsizetype mostWaitingOfPart = 12 * 1024 * 1024;
/// Beside so much no sample is sent: the next one is newer.
constexpr qsizetype enoughWaiting = 256 * 1024;
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
  for (auto& [host, agent] : agents_) {
    agent->disconnect(this);
    agent->leave();
  }
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
  const auto after = static_cast<qint64>(command["after"].toDouble());
  const bool known = host.isEmpty() || plan_.host(host) != nullptr;
  if (verb == QStringLiteral("attach") && known)
    attach(host, std::max<qint64>(0, after));
  else if (verb != QStringLiteral("alive"))
    write(lineOf({{"refused", verb.left(32)}}));
}

void RunRelay::attach(const QString& host, qint64 after) {
  auto& agent = agents_[host];
  if (agent) {
    agent->disconnect(this);
    agent->leave();
    agent.release()->deleteLater();
  }
  agent = std::make_unique<Agent>(host);
  connect(agent.get(), &Agent::received, this, [this, host](const QJsonObject& event) {
    if (!event.isEmpty()) say(host, "event", event);
  });
  connect(agent.get(), &Agent::reachableChanged, this,
          [this, host](bool reachable) { say(host, "reachable", reachable); });
  connect(agent.get(), &Agent::ended, this,
          [this, host](const Agent::Loss& loss) { say(host, "ended", asJson(loss)); });
  connect(agent.get(), &Agent::failed, this,
          [this, host](const Agent::Loss& loss) { say(host, "failed", asJson(loss)); });
  // It may have failed by now.
  if (const auto* planned = plan_.host(host))
    agent->attachOn(planned->host, attachCommand(*planned, plan_.run), silenceHere(plan_));
  else
    agent->attach(QString::fromStdString(runSocketName(plan_.run.toStdString())));
  agent->send({{"do", "attach"}, {"own", false}, {"after", after}});
}

void RunRelay::say(const QString& host, const char* what, const QJsonValue& value) {
  write(lineOf({{"part", host}, {QLatin1String(what), value}}));
}

void RunRelay::sendSample(const QByteArray& line) {
  if (waiting_.size() < enoughWaiting) write("{\"sample\":" + line + "}\n");
}

void RunRelay::write(const QByteArray& line) {
  if (over_) return;
  waiting_ += line;
  flush();
  if (waiting_.size() > mostWaiting + std::ssize(agents_) * mostWaitingOfPart) end();
}

void RunRelay::flush() {
  qsizetype done = 0;
  while (done < waiting_.size()) {
    const auto sent = ::write(out_, waiting_.constData() + done,
                              static_cast<std::size_t>(waiting_.size() - done));
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) break;
    if (sent <= 0) return end();
    done += sent;
  }
  waiting_.remove(0, done);
  writable_->setEnabled(!waiting_.isEmpty());
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
