// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/agent.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <QFileInfo>
#include <QJsonDocument>
#include <QPointer>
#include <algorithm>
#include <cmath>
#include <utility>

#include "launcher/engine/paced_output.h"
#include "launcher/engine/relay_link.h"
#include "launcher/engine/ssh.h"
#include "launcher/engine/supervisor/run_socket.h"
#include "launcher/engine/way.h"

namespace tutti::launcher {

namespace {

constexpr int longestEndMs = 3000;
constexpr double longestGrace = 1.5;  ///< s; all must have ended within longestEndMs
constexpr int pulseMs = 1000;
constexpr qsizetype complaintsKept = 16 * 1024;
constexpr qsizetype pacedBytes = 64 * 1024;  ///< that are read at once

/// Why a program that is there does not start.
QString outOfDescriptors() {
  const int any = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (any < 0) return QStringLiteral("no file can be opened: %1").arg(qt_error_string(errno));
  ::close(any);
  return QStringLiteral("no pipes to it or no process can be made");
}

}  // namespace

Agent::Agent(QString host, QObject* parent) : QObject(parent), host_(std::move(host)) {
  pulse_.setInterval(pulseMs);
  connect(&pulse_, &QTimer::timeout, this, &Agent::mindSilence);
}

Agent::~Agent() {
  if (socket_) {
    disconnect(socket_.get(), nullptr, this, nullptr);
    if (socket_->state() != QLocalSocket::ConnectedState) return;
    beginEnd();
    socket_->waitForDisconnected(longestEndMs);
    return;
  }
  if (!process_) return;
  disconnect(process_.get(), nullptr, this, nullptr);
  if (process_->state() == QProcess::NotRunning) return;
  // Should the supervisor hang, killing its guardian makes the worker stop the run too.
  beginEnd();
  if (!process_->waitForFinished(longestEndMs)) process_->kill();
}

void Agent::listenTo(QProcess& process) {
  connect(&process, &QProcess::readyReadStandardOutput, this, &Agent::read);
  connect(&process, &QProcess::finished, this, [this] {
    const QPointer<Agent> self = this;
    drains_ = true;
    read();
    if (self) end(lossOfProcess());
  });
  connect(&process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    // What QProcess says is the error of some earlier call when it could not make its pipes.
    const QString program = process_->program();
    if (!QFileInfo(program).isAbsolute()) {
      fail({program, process_->errorString(), nextWithout(program)});
      return;
    }
    const bool isThere = QFileInfo(program).isExecutable();
    fail({program, isThere ? outOfDescriptors() : QStringLiteral("it is not there"),
          isThere ? QStringLiteral("Allow more open files (ulimit -n), or close some.")
                  : QStringLiteral("Build tutti-supervisor, or name its folder in TUTTI_BIN.")});
  });
  // A Ctrl+C in our terminal is ours to handle; the supervisor hears of it as a stop.
  // ssh does not outlive this process: a run that goes on without it is reached anew. (The
  // supervisor of this machine hears of its end by itself, and decides what then.)
  process.setChildProcessModifier(
      [elsewhere = elsewhere_.has_value(), output = output_ ? output_->input() : -1] {
        if (output >= 0) ::dup2(output, STDOUT_FILENO);
        ::setsid();
        if (elsewhere) ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      });
}

void Agent::start(const QString& program, const QStringList& arguments) {
  process_ = std::make_unique<QProcess>();
  listenTo(*process_);
  process_->setProcessChannelMode(QProcess::ForwardedErrorChannel);
  process_->start(program, arguments);
}

void Agent::startOn(const Host& host, const QString& command, double silenceSeconds) {
  elsewhere_ = host;
  silenceSeconds_ = silenceSeconds;
  process_ = std::make_unique<QProcess>();
  if (paced_) {
    output_ = std::make_unique<PacedOutput>();
    if (output_->input() < 0) output_.reset();
  }
  if (output_) {
    connect(output_.get(), &PacedOutput::readyRead, this, &Agent::read);
    output_->hold(held_);
  }
  listenTo(*process_);
  connect(process_.get(), &QProcess::readyReadStandardError, this, [this] {
    complaints_ = (complaints_ + process_->readAllStandardError()).right(complaintsKept);
  });
  QStringList words = wordsFor(host, command);
  const QString program = words.takeFirst();
  process_->start(program, words);
  if (output_) output_->closeInput();
  heard_.start();
  pulse_.start();
}

void Agent::attachOn(const Host& host, const QString& command, double silenceSeconds) {
  attached_ = true;
  startOn(host, command, silenceSeconds);
}

void Agent::attach(const QString& socketName) {
  attached_ = true;
  socket_ = std::make_unique<QLocalSocket>();
  socket_->setSocketOptions(QLocalSocket::AbstractNamespaceOption);
  // With so much it leaves the rest where it is.
  if (paced_) socket_->setReadBufferSize(pacedBytes);
  connect(socket_.get(), &QLocalSocket::readyRead, this, &Agent::read);
  connect(socket_.get(), &QLocalSocket::disconnected, this, [this] {
    const QPointer<Agent> self = this;
    drains_ = true;
    read();
    if (self) end({{}, QStringLiteral("its connection has ended"), {}});
  });
  connect(socket_.get(), &QLocalSocket::errorOccurred, this,
          [this](QLocalSocket::LocalSocketError error) {
            if (error == QLocalSocket::PeerClosedError) return;
            // One that was heard ends, as disconnected() then says.
            if (socket_->state() != QLocalSocket::ConnectedState && !greeted_)
              fail({{}, socket_->errorString(), {}});
          });
  connect(socket_.get(), &QLocalSocket::connected, this, [this] {
    if (isOfThisAccount(static_cast<int>(socket_->socketDescriptor()))) return;
    disconnect(socket_.get(), nullptr, this, nullptr);
    socket_->abort();
    fail({{}, QStringLiteral("another account listens there"), {}});
  });
  socket_->connectToServer(socketName);
}

void Agent::attachThrough(RelayLink& link) {
  attached_ = true;
  link_ = &link;
  if (link.state() == RelayLink::State::Over) {
    // It has said so, and says it once.
    QMetaObject::invokeMethod(
        this, [this, loss = link.whyLost()] { end(loss); }, Qt::QueuedConnection);
    return;
  }
  connect(&link, &RelayLink::received, this, [this](const QString& host, const QJsonObject& event) {
    if (host == host_ && !over_) emit received(event);
  });
  connect(&link, &RelayLink::reachableChanged, this, [this](const QString& host, bool reachable) {
    if (host == host_ && !over_) emit reachableChanged(reachable);
  });
  connect(&link, &RelayLink::partEnded, this, [this](const QString& host, const Loss& loss) {
    if (host == host_) end(loss);
  });
  connect(&link, &RelayLink::partFailed, this, [this](const QString& host, const Loss& loss) {
    if (host == host_) fail(loss);
  });
  connect(&link, &RelayLink::closed, this, &Agent::end);
}

bool Agent::isConnected() const {
  if (over_) return false;
  if (link_) return link_->state() == RelayLink::State::Up;
  if (socket_) return socket_->state() == QLocalSocket::ConnectedState;
  return process_ && process_->state() != QProcess::NotRunning;
}

void Agent::send(const QJsonObject& command) {
  if (link_) {
    if (command["do"] == QStringLiteral("attach"))
      link_->attach(host_, command["after"].toInteger(), command["state"].toBool());
    return;
  }
  sendLine(QJsonDocument(command).toJson(QJsonDocument::Compact));
}

void Agent::sendLine(const QByteArray& line) {
  if (!isConnected() || link_) return;
  QIODevice& device = socket_ ? static_cast<QIODevice&>(*socket_) : *process_;
  device.write(line + '\n');
}

void Agent::beginEnd() {
  if (socket_) {
    send({{"do", "stop"}});
    socket_->flush();
  }
  // The end of its input is all that the supervisor needs, unless the run is marked to go on.
  if (process_) {
    if (greeted_) send({{"do", "stop"}, {"grace_s", longestGrace}});
    process_->closeWriteChannel();
  }
}

void Agent::leave() {
  over_ = true;
  // What is over reads no more: with something left in its pipe it would be told of it for ever.
  if (output_) output_->hold(true);
  if (link_) disconnect(link_, nullptr, this, nullptr);
  if (socket_) {
    disconnect(socket_.get(), nullptr, this, nullptr);
    socket_.reset();
  }
  if (!process_) return;
  disconnect(process_.get(), nullptr, this, nullptr);
  if (process_->state() == QProcess::NotRunning) return;
  // A QProcess that is destroyed kills its process: this one is left to the end of ours. The
  // supervisor hears at once that its client has gone.
  process_->closeWriteChannel();
  if (elsewhere_) {
    // It would stay as long as the supervisor there.
    letEnd(std::move(process_));
    return;
  }
  [[maybe_unused]] auto* const leftAlone = process_.release();
}

void Agent::await(double seconds) {
  awaited_.setRemainingTime(static_cast<qint64>(seconds * 1000));
}

void Agent::limitSilence(double seconds) {
  silenceSeconds_ = std::min(silenceSeconds_, seconds);
  awaited_.setRemainingTime(0);
}

double Agent::silence() const {
  if (!elsewhere_ || over_ || reachable_) return 0;
  return static_cast<double>(heard_.elapsed()) / 1000;
}

void Agent::hold(bool held) {
  if (std::exchange(held_, held) == held || over_) return;
  if (output_) output_->hold(held);
  if (held) return;
  heard_.restart();
  // Of what is there already nothing is told again.
  QMetaObject::invokeMethod(this, &Agent::read, Qt::QueuedConnection);
}

QByteArray Agent::takeInput() {
  if (socket_) return socket_->readAll();
  if (output_) return output_->read(pacedBytes);
  return process_ ? process_->readAllStandardOutput() : QByteArray();
}

void Agent::read() {
  const QPointer<Agent> self = this;  // A receiver may delete this object.
  for (;;) {
    if (over_ || (held_ && !drains_)) return;
    const QByteArray input = takeInput();
    received_ += input;
    if (elsewhere_ && !received_.isEmpty()) heard_.restart();
    if (!reachable_) mindSilence();
    if (!self) return;
    qsizetype begin = 0;
    for (;;) {
      const auto lineEnd = received_.indexOf('\n', begin);
      if (lineEnd < 0) break;
      const auto event = QJsonDocument::fromJson(received_.mid(begin, lineEnd - begin)).object();
      begin = lineEnd + 1;
      greeted_ = greeted_ || event["event"].toString() == QStringLiteral("hello");
      emit received(event);
      if (!self) return;
    }
    received_.remove(0, begin);
    if (received_.size() > longestLine) {
      cutOff({host_, QStringLiteral("it sends what is not understood"),
              QStringLiteral("See that Tutti there is as it was installed.")});
      return;
    }
    // The others say again that there is more.
    if (!output_ || input.isEmpty()) return;
  }
}

void Agent::end(const Loss& loss) {
  if (std::exchange(over_, true)) return;
  pulse_.stop();
  if (output_) output_->hold(true);
  emit ended(loss);
}

void Agent::fail(const Loss& loss) {
  if (std::exchange(over_, true)) return;
  pulse_.stop();
  if (output_) output_->hold(true);
  emit failed(loss);
}

void Agent::mindSilence() {
  if (over_) return;
  if (held_) heard_.restart();
  // ssh itself says in time when it gets no connection; this is about one that was there.
  if (greeted_)
    send(wantsSamples_ ? QJsonObject{{"do", "alive"}, {"samples", true}}
                       : QJsonObject{{"do", "alive"}});
  const double silent = static_cast<double>(heard_.elapsed()) / 1000;
  const bool reachable = !greeted_ || silent < unreachableAfter;
  if (reachable != std::exchange(reachable_, reachable)) {
    const QPointer<Agent> self = this;
    emit reachableChanged(reachable);
    if (!self || over_) return;
  }
  if (!greeted_ || silent < silenceSeconds_ || !awaited_.hasExpired()) return;
  Loss loss{host_,
            QStringLiteral("nothing was heard from it for %1 s")
                .arg(std::max(silenceSeconds_, std::floor(silent))),
            QStringLiteral("Its federates end there by themselves. See whether the host and the "
                           "network are up, and run again.")};
  loss.reason = Loss::Reason::Silent;
  cutOff(loss);
}

void Agent::cutOff(const Loss& loss) {
  if (socket_) {
    disconnect(socket_.get(), nullptr, this, nullptr);
    socket_->abort();
  }
  if (process_) {
    disconnect(process_.get(), nullptr, this, nullptr);
    process_->kill();
  }
  end(loss);
}

Agent::Loss Agent::lossOfProcess() const {
  if (elsewhere_)
    return lossOf(*elsewhere_, complaints_ + process_->readAllStandardError(), process_->exitCode(),
                  greeted_);
  return {process_->program(),
          process_->exitStatus() == QProcess::CrashExit || process_->exitCode() > 128
              ? QStringLiteral("somebody killed it (exit code %1)").arg(process_->exitCode())
              : QStringLiteral("exit code %1").arg(process_->exitCode()),
          QStringLiteral("Run again.")};
}

}  // namespace tutti::launcher
