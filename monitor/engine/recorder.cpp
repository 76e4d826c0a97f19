// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/recorder.h"

#include <unistd.h>

#include <QCoreApplication>
#include <QDateTime>
#include <QHash>
#include <deque>
#include <optional>
#include <utility>

namespace tutti::monitor {
namespace {

constexpr Milliseconds retryAfter = 10'000;
/// What federates exchange is written so often, in samples, and at the end of a run.
constexpr int exchangeSamples = 20;

Milliseconds now() { return QDateTime::currentMSecsSinceEpoch(); }

}  // namespace

/// Owns the store; everything happens in the recorder's thread. What cannot be written is dropped:
/// memory must not fill up because the disk did.
class Recorder::Writer : public QObject {
 public:
  Writer(Recorder* recorder, QString path) : recorder_(recorder), path_(std::move(path)) {}

  void beginRun(const RunRecord& run) {
    federates_.clear();
    sent_.clear();
    names_.clear();
    run_ = 0;
    pending_ = run;
    if (ready()) startPending();
  }

  /// The end of a run is worth an attempt of its own at once, and later ones: a run without an end
  /// counts as lost.
  void endRun(Milliseconds at, const QString& outcome) {
    if (run_ != 0 && ready()) writeExchanges();
    if (run_ != 0 || pending_) ended_.push_back({run_, std::exchange(pending_, {}), at, outcome});
    run_ = 0;
    writeEnds();
  }

  /// Called also before the thread ends.
  void writeEnds() {
    if (ended_.empty()) return;
    retryAt_ = 0;
    if (ready() && ended_.empty()) return;
    QTimer::singleShot(retryAfter, this, &Writer::writeEnds);
  }

  void samples(const SnapshotPointer& snapshot, Milliseconds at) {
    if (!ready() || !startPending()) return;
    std::vector<SampleRecord> rows;
    rows.reserve(snapshot->federates.size());
    for (const FederateView& view : snapshot->federates) {
      const RowId federate = federateOf(view, at);
      if (federate == 0 || isOver(view.condition)) continue;
      SampleRecord row;
      row.federate = federate;
      row.at = at;
      row.cpuUser = view.cpuUser;
      row.cpuSystem = view.cpuSystem;
      row.sentPerSecond = view.sentPerSecond;
      row.receivedPerSecond = view.receivedPerSecond;
      row.queued = static_cast<double>(view.queued);
      row.logicalTime = view.timeManaged ? view.time.logicalTime : unknown;
      row.grantsPerSecond = view.grantsPerSecond;
      rows.push_back(row);
    }
    if (!rows.empty()) keep(store_->addSamples(rows));
    noteExchanges(*snapshot);
    const std::int64_t size = store_ ? store_->sizeBytes() : 0;
    Recorder* const recorder = recorder_;
    QMetaObject::invokeMethod(
        recorder, [recorder, size] { recorder->size_ = size; }, Qt::QueuedConnection);
  }

  void write(std::vector<LogRecord> lines, std::vector<EventRecord> events) {
    if (ready() && startPending()) {
      if (!lines.empty()) keep(store_->addLogs(run_, lines));
      if (!events.empty() && store_) keep(store_->addEvents(run_, events));
    }
    Recorder* const recorder = recorder_;
    QMetaObject::invokeMethod(
        recorder,
        [recorder, lines = std::move(lines), events = std::move(events)] {
          if (!lines.empty()) emit recorder->linesRecorded(lines);
          if (!events.empty()) emit recorder->eventsRecorded(events);
        },
        Qt::QueuedConnection);
  }

 private:
  /// Whether the store can be used now; opens it, or tries again once in a while. Then the ends of
  /// earlier runs have been written.
  bool ready() {
    if (blocked_ && now() < retryAt_) return false;
    if (!store_) {
      auto opened = RunStore::open(path_);
      if (!opened) {
        fail(opened.error());
        return false;
      }
      store_ = std::move(*opened);
      if (!keep(store_->closeLostRuns(now()))) return false;
    }
    while (!ended_.empty()) {
      Ended& first = ended_.front();
      if (first.run == 0) {
        const auto run = store_->addRun(*first.record);
        if (!keep(run)) return false;
        first.run = *run;
      }
      if (!keep(store_->endRun(first.run, first.at, first.outcome))) return false;
      ended_.pop_front();
    }
    return true;
  }

  bool startPending() {
    if (run_ != 0) return true;
    if (!pending_) return false;
    auto run = store_->addRun(*pending_);
    if (!keep(run)) return false;
    run_ = *run;
    Recorder* const recorder = recorder_;
    QMetaObject::invokeMethod(
        recorder,
        [recorder, id = run_] {
          recorder->run_ = id;
          emit recorder->runStarted(id);
        },
        Qt::QueuedConnection);
    return true;
  }

  void noteExchanges(const Snapshot& snapshot) {
    for (const LinkView& link : snapshot.links) {
      const std::uint32_t sender = snapshot.federates[link.sender].number;
      const std::uint32_t receiver = snapshot.federates[link.receiver].number;
      Sent& sent = sent_[std::uint64_t{sender} << 32 | receiver];
      sent.perSecond += link.perSecond;
      ++sent.samples;
      names_[sender] = snapshot.federates[link.sender].name;
      names_[receiver] = snapshot.federates[link.receiver].name;
    }
    if (++samplesSinceExchanges_ >= exchangeSamples) writeExchanges();
  }

  void writeExchanges() {
    samplesSinceExchanges_ = 0;
    if (!store_ || sent_.isEmpty()) return;
    // One that was started again has another number, and counts as the same.
    QMap<std::pair<QString, QString>, Sent> byName;
    for (auto each = sent_.cbegin(); each != sent_.cend(); ++each) {
      Sent& sent = byName[{names_[static_cast<std::uint32_t>(each.key() >> 32)],
                           names_[static_cast<std::uint32_t>(each.key())]}];
      sent.perSecond += each->perSecond;
      sent.samples += each->samples;
    }
    std::vector<ExchangeRecord> rows;
    for (auto each = byName.cbegin(); each != byName.cend(); ++each)
      rows.push_back({each.key().first, each.key().second, each->perSecond / each->samples});
    keep(store_->setExchanges(run_, rows));
  }

  RowId federateOf(const FederateView& view, Milliseconds at) {
    Known& known = federates_[view.name];
    const bool over = isOver(view.condition);
    if (known.id != 0 && !over && view.pid != known.pid && known.ended) known = {};
    if (known.id == 0 && !over) {
      FederateRecord row;
      row.run = run_;
      row.name = view.name;
      row.component = view.component;
      row.host = view.host;
      row.pid = view.pid;
      row.started = at;
      if (auto id = store_->addFederate(row); keep(id)) known = {*id, view.pid, false};
    }
    if (known.id != 0 && over && !known.ended) {
      keep(store_->endFederate(known.id, at, view.detail));
      known.ended = true;
    }
    return known.id;
  }

  template <class T>
  bool keep(const StoreResult<T>& result) {
    if (!result) {
      fail(result.error());
      return false;
    }
    if (blocked_) {
      blocked_ = false;
      tell({});
    }
    return true;
  }

  void fail(const StoreError& error) {
    retryAt_ = now() + retryAfter;
    if (blocked_) return;
    blocked_ = true;
    tell(error.message);
  }

  void tell(const QString& message) {
    Recorder* const recorder = recorder_;
    QMetaObject::invokeMethod(
        recorder,
        [recorder, message] {
          recorder->problem_ = message;
          emit recorder->problemChanged(message);
        },
        Qt::QueuedConnection);
  }

  /// A run that is over and not yet as such in the store.
  struct Ended {
    RowId run = 0;  ///< 0: the store does not know it at all
    std::optional<RunRecord> record;
    Milliseconds at = 0;
    QString outcome;
  };

  struct Known {
    RowId id = 0;
    std::int64_t pid = 0;
    bool ended = false;
  };

  /// From one federate to another.
  struct Sent {
    double perSecond = 0;  ///< messages, sum over the samples
    int samples = 0;
  };

  Recorder* recorder_;
  QString path_;
  std::unique_ptr<RunStore> store_;
  std::optional<RunRecord> pending_;
  RowId run_ = 0;
  std::deque<Ended> ended_;
  QHash<QString, Known> federates_;
  QHash<std::uint64_t, Sent> sent_;  ///< by the numbers of sender and receiver
  QHash<std::uint32_t, QString> names_;
  int samplesSinceExchanges_ = 0;
  bool blocked_ = false;
  Milliseconds retryAt_ = 0;
};

Recorder::Recorder(QString path, QObject* parent) : QObject(parent) {
  thread_.setObjectName(QStringLiteral("tutti-recorder"));
  writer_ = new Writer(this, std::move(path));
  writer_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, writer_, &QObject::deleteLater);
  thread_.start();
  flushTimer_.setInterval(500);
  connect(&flushTimer_, &QTimer::timeout, this, [this] { flush(); });
  flushTimer_.start();
}

void Recorder::finish() {
  flush();
  Writer* const writer = writer_;
  QMetaObject::invokeMethod(
      writer, [writer] { writer->writeEnds(); }, Qt::BlockingQueuedConnection);
  QCoreApplication::sendPostedEvents(this);  // what the writer has told
}

Recorder::~Recorder() {
  flush();
  // quit() leaves what is still queued: wait until the last words are written.
  Writer* const writer = writer_;
  QMetaObject::invokeMethod(
      writer, [writer] { writer->writeEnds(); }, Qt::BlockingQueuedConnection);
  thread_.quit();
  thread_.wait();
}

void Recorder::attach(Feed* feed) {
  if (feed_ != nullptr) disconnect(feed_, nullptr, this, nullptr);
  feed_ = feed;
  if (feed_ == nullptr) return;
  connect(feed_, &Feed::sampled, this, &Recorder::onSampled);
}

void Recorder::beginRun(RunRecord run) {
  if (running_) endRun(QStringLiteral("stopped"));
  if (run.started == 0) run.started = now();
  run.writer = ::getpid();
  running_ = true;
  run_ = 0;
  conditions_.clear();
  deaths_.clear();
  faultsTold_.clear();
  standingHolder_.clear();
  links_ = {};
  Writer* const writer = writer_;
  QMetaObject::invokeMethod(
      writer, [writer, run] { writer->beginRun(run); }, Qt::QueuedConnection);
}

void Recorder::endRun(const QString& outcome) {
  if (!running_) return;
  flush(true);
  running_ = false;
  Writer* const writer = writer_;
  QMetaObject::invokeMethod(
      writer, [writer, outcome, at = now()] { writer->endRun(at, outcome); }, Qt::QueuedConnection);
}

void Recorder::log(LogRecord line) { lines_.push_back(std::move(line)); }

void Recorder::event(EventRecord event) {
  if (event.at == 0) event.at = now();
  events_.push_back(std::move(event));
}

void Recorder::died(Milliseconds at, const QString& federate, const QString& cause) {
  deaths_.processDied(at, federate, cause, now());
}

void Recorder::flush(bool all) {
  for (EventRecord& each : deaths_.take(now(), all)) event(std::move(each));
  if (lines_.empty() && events_.empty()) return;
  Writer* const writer = writer_;
  QMetaObject::invokeMethod(
      writer,
      [writer, lines = std::exchange(lines_, {}), events = std::exchange(events_, {})]() mutable {
        writer->write(std::move(lines), std::move(events));
      },
      Qt::QueuedConnection);
}

void Recorder::onSampled() {
  if (!running_) return;
  const SnapshotPointer snapshot = feed_->current();
  for (const FederateView& view : snapshot->federates) {
    noteFaults(view);
    // A pause or a suspect link is one event of the run, not one of each federate.
    const bool ownEvent = view.condition != FederateCondition::Held &&
                          view.condition != FederateCondition::OutOfReach;
    const FederateCondition condition = ownEvent ? view.condition : FederateCondition::Running;
    const auto known = conditions_.constFind(view.name);
    if (known != conditions_.constEnd() && *known == condition) continue;
    const bool first = known == conditions_.constEnd();
    const FederateCondition before = first ? FederateCondition::Starting : *known;
    conditions_[view.name] = condition;
    switch (condition) {
      case FederateCondition::Held:
      case FederateCondition::OutOfReach:
      case FederateCondition::Running:
        deaths_.forget(view.name);
        if (before == FederateCondition::Starting) {
          event({0, LogLevel::Info, view.name, QStringLiteral("joined")});
        } else {
          event({0, LogLevel::Info, view.name, QStringLiteral("runs again")});
        }
        break;
      case FederateCondition::Late:
        event(
            {0, LogLevel::Warning, view.name,
             QStringLiteral("no time request for %1 s").arg(view.secondsSinceRequest, 0, 'f', 1)});
        break;
      case FederateCondition::Stopped:
        event(
            {0, LogLevel::Warning, view.name, QStringLiteral("its process was stopped (SIGSTOP)")});
        break;
      case FederateCondition::Resigned:
        event({0, LogLevel::Info, view.name, QStringLiteral("resigned")});
        break;
      case FederateCondition::LostRti:
        event({0, LogLevel::Error, view.name, QStringLiteral("lost the RTI")});
        break;
      case FederateCondition::Dead:
        break;  // told below, once it is known how
      case FederateCondition::Starting:
        deaths_.forget(view.name);  // started again
        break;
    }
  }
  for (const Death& death : snapshot->deaths) deaths_.sampled(death, now());
  if (std::exchange(held_, snapshot->held) != snapshot->held) {
    event({0,
           LogLevel::Info,
           {},
           snapshot->held ? QStringLiteral("time is held at %1")
                                .arg(snapshot->ceiling, 0, 'f', snapshot->timeDecimals)
                          : QStringLiteral("time goes on")});
  }
  // The first is what the run was started with.
  const bool hasPace = !std::isnan(snapshot->logicalTime);
  if (hasPace && !pace_) pace_ = snapshot->wantedPace;
  if (hasPace && std::exchange(*pace_, snapshot->wantedPace) != snapshot->wantedPace) {
    event({0,
           LogLevel::Info,
           {},
           *pace_ > 0 ? QStringLiteral("the pace is %1× from here on").arg(*pace_)
                      : QStringLiteral("time goes on as fast as possible from here on")});
  }
  for (EventRecord& each : links_.look(*snapshot)) event(std::move(each));
  const QString holder = snapshot->standing ? snapshot->standing->holder : QString();
  if (holder != standingHolder_) {
    standingHolder_ = holder;
    if (!holder.isEmpty()) {
      event({0, LogLevel::Warning, holder,
             QStringLiteral("holds time at %1 s")
                 .arg(snapshot->standing->at, 0, 'f', snapshot->timeDecimals)});
    }
  }
  if (snapshot->monotonicNanoseconds - sampledAt_ < 990'000'000) return;
  sampledAt_ = snapshot->monotonicNanoseconds;
  recordSample();
}

void Recorder::noteFaults(const FederateView& view) {
  std::size_t& told = faultsTold_[{view.name, view.number}];
  for (; told < view.faults.size(); ++told) {
    const CallbackFault& fault = view.faults[told];
    const QString what =
        fault.text.isEmpty() ? fault.type : QStringLiteral("%1: %2").arg(fault.type, fault.text);
    event({0, LogLevel::Warning, view.name,
           fault.callback.isEmpty()
               ? QStringLiteral("its callbacks cannot be delivered: %1").arg(what)
               : QStringLiteral("threw out of its callback %1: %2").arg(fault.callback, what)});
  }
}

void Recorder::recordSample() {
  Writer* const writer = writer_;
  QMetaObject::invokeMethod(
      writer, [writer, snapshot = feed_->current(), at = now()] { writer->samples(snapshot, at); },
      Qt::QueuedConnection);
}

}  // namespace tutti::monitor
