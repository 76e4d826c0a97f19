// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/far_sample.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace tutti::monitor {
namespace {

using nlohmann::json;

/// Nothing for this long: the clock of the other machine goes on by itself.
constexpr std::int64_t longestPause = 2'000'000'000;
constexpr std::int64_t refreshEvery = 1'000'000'000;
constexpr std::size_t longestText = 4096;

// ---- writing ------------------------------------------------------------------------------------

/// JSON has no infinity: logical times do.
json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
json number(const std::optional<double>& value) { return value ? number(*value) : json(); }
json count(const std::optional<std::uint64_t>& value) { return value ? json(*value) : json(); }
std::string text(const QString& value) { return value.toStdString(); }
json texts(const QStringList& values) {
  json result = json::array();
  for (const QString& each : values) result.push_back(text(each));
  return result;
}

json countersJson(const FederateCounters& c) {
  return {c.updatesSent,          c.reflectionsReceived, c.interactionsSent,
          c.interactionsReceived, c.instancesRegistered, c.instancesDeleted,
          c.instancesDiscovered,  c.timeAdvanceGrants,   c.bytesSent,
          c.bytesReceived,        c.receiveOrderQueued,  c.timestampOrderQueued,
          c.queuedBytes,          c.bestEffortDropped,   c.bestEffortLost,
          c.blockedNanoseconds,   c.lastCallNanoseconds};
}

json timeJson(const TimeReading& t) {
  return {t.regulating,          t.constrained,           static_cast<int>(t.advance),
          number(t.logicalTime), number(t.requestedTime), number(t.lookahead),
          t.exclusive,           number(t.galt),          number(t.leastStamp)};
}

json federateJson(const FederateReading& f) {
  json faults = json::array();
  for (const CallbackFault& each : f.faults)
    faults.push_back({text(each.callback), text(each.type), text(each.text), each.count});
  return {f.number,
          text(f.name),
          text(f.type),
          f.pid,
          static_cast<int>(f.membership),
          f.known,
          countersJson(f.counters),
          timeJson(f.time),
          std::move(faults)};
}

json linkJson(const HostLinkReading& l) {
  return {text(l.peer),
          text(l.address),
          l.toHome,
          l.suspect,
          l.asOfNanoseconds,
          number(l.silentSeconds),
          number(l.leftSeconds),
          number(l.waitedSeconds),
          number(l.longestWaitSeconds),
          l.suspicions,
          l.resumptions,
          l.keptBytes,
          texts(l.federates),
          texts(l.waiting),
          l.port,
          l.datagrams,
          count(l.messages),
          count(l.bytes),
          number(l.roundTripSeconds),
          count(l.keptLimitBytes),
          count(l.lost)};
}

json neighbourJson(const NeighbourReading& l) {
  json row = json::array();
  for (const NeighbourReading::End& end : l.ends) {
    row.push_back({text(end.node), text(end.address), end.told, end.asOfNanoseconds, end.messages,
                   end.bytes});
  }
  for (json& each : std::vector<json>{static_cast<int>(l.way), number(l.awaySeconds), l.keptBytes,
                                      count(l.keptLimitBytes), number(l.roundTripSeconds),
                                      l.datagrams, count(l.lost)})
    row.push_back(std::move(each));
  return row;
}

// ---- reading ------------------------------------------------------------------------------------

/// A list of values that are taken in the order in which they were written; throws what is caught
/// in fromJson().
class Row {
 public:
  explicit Row(const json& list) : list_(list) {
    if (!list.is_array()) throw std::invalid_argument("no list");
  }

  const json& next() { return list_.at(at_++); }
  template <class T>
    requires std::is_arithmetic_v<T>
  T get() {
    const json& value = next();
    if constexpr (std::is_same_v<T, bool>) {
      return value.get<bool>();
    } else if constexpr (std::is_floating_point_v<T>) {
      return real(value);
    } else {
      if (!value.is_number_integer()) throw std::invalid_argument("no whole number");
      if (value.is_number_unsigned()) {
        const auto wide = value.get<std::uint64_t>();
        if (wide > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
          throw std::out_of_range("a number is too large");
        return static_cast<T>(wide);
      }
      const auto wide = value.get<std::int64_t>();
      if (std::is_unsigned_v<T> || wide < static_cast<std::int64_t>(std::numeric_limits<T>::min()))
        throw std::out_of_range("a number is too small");
      return static_cast<T>(wide);
    }
  }
  std::optional<double> realIfAny() {
    const json& value = next();
    if (value.is_null()) return {};
    return real(value);
  }
  std::optional<std::uint64_t> countIfAny() {
    if (list_.at(at_).is_null()) {
      ++at_;
      return {};
    }
    return get<std::uint64_t>();
  }
  QString text() { return textOf(next()); }
  QStringList texts() {
    const json& list = next();
    QStringList result;
    for (const json& each : list) result << textOf(each);
    return result;
  }

  static QString textOf(const json& value) {
    const auto& all = value.get_ref<const std::string&>();
    if (all.size() > longestText) throw std::length_error("a text is too long");
    return QString::fromStdString(all);
  }

 private:
  static double real(const json& value) {
    if (value.is_number()) return value.get<double>();
    const auto& word = value.get_ref<const std::string&>();
    if (word == "inf") return std::numeric_limits<double>::infinity();
    if (word == "-inf") return -std::numeric_limits<double>::infinity();
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
    throw std::invalid_argument("no number");
  }

  const json& list_;
  std::size_t at_ = 0;
};

template <class Kind>
Kind kindOf(int value, Kind last) {
  if (value < 0 || value > static_cast<int>(last)) throw std::out_of_range("no such kind");
  return static_cast<Kind>(value);
}

FederateCounters countersFrom(const json& list) {
  Row row(list);
  FederateCounters c;
  for (std::uint64_t* each :
       {&c.updatesSent, &c.reflectionsReceived, &c.interactionsSent, &c.interactionsReceived,
        &c.instancesRegistered, &c.instancesDeleted, &c.instancesDiscovered, &c.timeAdvanceGrants,
        &c.bytesSent, &c.bytesReceived, &c.receiveOrderQueued, &c.timestampOrderQueued,
        &c.queuedBytes, &c.bestEffortDropped, &c.bestEffortLost, &c.blockedNanoseconds,
        &c.lastCallNanoseconds})
    *each = row.get<std::uint64_t>();
  return c;
}

TimeReading timeFrom(const json& list) {
  Row row(list);
  TimeReading t;
  t.regulating = row.get<bool>();
  t.constrained = row.get<bool>();
  t.advance = kindOf(row.get<int>(), TimeReading::Advance::FlushQueueRequest);
  t.logicalTime = row.get<double>();
  t.requestedTime = row.get<double>();
  t.lookahead = row.get<double>();
  t.exclusive = row.get<bool>();
  t.galt = row.realIfAny();
  t.leastStamp = row.realIfAny();
  return t;
}

FederateReading federateFrom(const json& list) {
  Row row(list);
  FederateReading f;
  f.number = row.get<std::uint32_t>();
  f.name = row.text();
  f.type = row.text();
  f.pid = row.get<std::int64_t>();
  f.membership = kindOf(row.get<int>(), Membership::Lost);
  f.known = row.get<bool>();
  f.counters = countersFrom(row.next());
  f.time = timeFrom(row.next());
  for (const json& each : row.next()) {
    Row fault(each);
    CallbackFault one;
    one.callback = fault.text();
    one.type = fault.text();
    one.text = fault.text();
    one.count = fault.get<std::uint64_t>();
    f.faults.push_back(std::move(one));
  }
  return f;
}

HostLinkReading linkFrom(const json& list) {
  Row row(list);
  HostLinkReading l;
  l.peer = row.text();
  l.address = row.text();
  l.toHome = row.get<bool>();
  l.suspect = row.get<bool>();
  l.asOfNanoseconds = row.get<std::int64_t>();
  l.silentSeconds = row.get<double>();
  l.leftSeconds = row.get<double>();
  l.waitedSeconds = row.get<double>();
  l.longestWaitSeconds = row.get<double>();
  l.suspicions = row.get<std::uint64_t>();
  l.resumptions = row.get<std::uint64_t>();
  l.keptBytes = row.get<std::uint64_t>();
  l.federates = row.texts();
  l.waiting = row.texts();
  l.port = row.get<int>();
  l.datagrams = row.get<bool>();
  l.messages = row.countIfAny();
  l.bytes = row.countIfAny();
  l.roundTripSeconds = row.realIfAny();
  l.keptLimitBytes = row.countIfAny();
  l.lost = row.countIfAny();
  return l;
}

NeighbourReading neighbourFrom(const json& list) {
  Row row(list);
  NeighbourReading l;
  for (NeighbourReading::End& to : l.ends) {
    Row end(row.next());
    to.node = end.text();
    to.address = end.text();
    to.told = end.get<bool>();
    to.asOfNanoseconds = end.get<std::int64_t>();
    to.messages = end.get<std::uint64_t>();
    to.bytes = end.get<std::uint64_t>();
  }
  l.way = kindOf(row.get<int>(), HostWay::Broken);
  l.awaySeconds = row.get<double>();
  l.keptBytes = row.get<std::uint64_t>();
  l.keptLimitBytes = row.countIfAny();
  l.roundTripSeconds = row.realIfAny();
  l.datagrams = row.get<bool>();
  l.lost = row.countIfAny();
  return l;
}

Reading readingFrom(const json& object) {
  Reading r;
  Row head(object.at("run"));
  r.monotonicNanoseconds = head.get<std::int64_t>();
  r.federation = head.text();
  r.nodePid = head.get<std::int64_t>();
  r.committedBytes = head.get<std::uint64_t>();
  r.held = head.get<bool>();
  r.ceiling = head.get<double>();
  for (const json& each : object.at("federates")) r.federates.push_back(federateFrom(each));
  for (const json& each : object.at("flows")) {
    Row row(each);
    FlowReading flow;
    flow.sender = row.get<std::uint32_t>();
    flow.receiver = row.get<std::uint32_t>();
    flow.messages = row.get<std::uint64_t>();
    flow.queuedBytes = row.get<std::uint64_t>();
    flow.capacityBytes = row.get<std::uint64_t>();
    r.flows.push_back(flow);
  }
  for (const json& each : object.at("points")) {
    Row row(each);
    SynchronizationPoint point;
    point.label = row.text();
    const json& numbers = row.next();
    Row waiting(numbers);
    for (std::size_t left = numbers.size(); left > 0; --left)
      point.waitingFor.push_back(waiting.get<std::uint32_t>());
    r.synchronizationPoints.push_back(std::move(point));
  }
  for (const json& each : object.at("links")) r.hostLinks.push_back(linkFrom(each));
  // A relay of before does not tell of them.
  for (const json& each : object.value("neighbours", json::array()))
    r.neighbourLinks.push_back(neighbourFrom(each));
  return r;
}

}  // namespace

QByteArray FarSample::toJson() const {
  json object;
  const Reading& r = reading;
  object["run"] = {r.monotonicNanoseconds, text(r.federation), r.nodePid, r.committedBytes, r.held,
                   number(r.ceiling)};
  json& federates = object["federates"] = json::array();
  for (const FederateReading& each : r.federates) federates.push_back(federateJson(each));
  json& flows = object["flows"] = json::array();
  for (const FlowReading& each : r.flows)
    flows.push_back(
        {each.sender, each.receiver, each.messages, each.queuedBytes, each.capacityBytes});
  json& points = object["points"] = json::array();
  for (const SynchronizationPoint& each : r.synchronizationPoints)
    points.push_back({text(each.label), each.waitingFor});
  json& links = object["links"] = json::array();
  for (const HostLinkReading& each : r.hostLinks) links.push_back(linkJson(each));
  json& neighbours = object["neighbours"] = json::array();
  for (const NeighbourReading& each : r.neighbourLinks) neighbours.push_back(neighbourJson(each));
  json& declared = object["declared"] = json::array();
  for (const Declarations& each : declarations)
    declared.push_back({text(each.federate), texts(each.publishes), texts(each.subscribes)});
  json& instances = object["owned"] = json::array();
  for (const auto& [federate, classes] : owned) {
    for (const OwnedInstances& each : classes)
      instances.push_back({federate, text(each.className), each.owned, each.total});
  }
  json& there = object["processes"] = json::array();
  for (const auto& [pid, each] : processes)
    there.push_back({pid, each.userTicks, each.systemTicks, each.residentBytes,
                     static_cast<int>(static_cast<unsigned char>(each.state))});
  object["host"] = {text(hostName),       ticksPerSecond,    host.userTicks,
                    host.systemTicks,     host.idleTicks,    host.memoryTotal,
                    host.memoryAvailable, host.networkBytes, host.processors};
  const auto dump = [&] {
    return QByteArray::fromStdString(object.dump(-1, ' ', false, json::error_handler_t::replace));
  };
  QByteArray result = dump();
  for (json* const each : {&flows, &instances, &declared}) {
    if (result.size() <= longestFarSample) return result;
    each->clear();
    result = dump();
  }
  return result.size() <= longestFarSample ? result : QByteArray();
}

tl::expected<FarSample, QString> FarSample::fromJson(const QByteArray& bytes) {
  if (bytes.size() > longestFarSample)
    return tl::unexpected(QStringLiteral("Figures that came are longer than 4 MiB."));
  try {
    const json object = json::parse(bytes.begin(), bytes.end());
    FarSample sample;
    sample.reading = readingFrom(object);
    for (const json& each : object.at("declared")) {
      Row row(each);
      Declarations one;
      one.federate = row.text();
      one.publishes = row.texts();
      one.subscribes = row.texts();
      sample.declarations.push_back(std::move(one));
    }
    for (const json& each : object.at("owned")) {
      Row row(each);
      const auto federate = row.get<std::uint32_t>();
      OwnedInstances one;
      one.className = row.text();
      one.owned = row.get<std::uint64_t>();
      one.total = row.get<std::uint64_t>();
      sample.owned[federate].push_back(std::move(one));
    }
    for (const json& each : object.at("processes")) {
      Row row(each);
      const auto pid = row.get<std::int64_t>();
      ProcessReading one;
      one.userTicks = row.get<std::uint64_t>();
      one.systemTicks = row.get<std::uint64_t>();
      one.residentBytes = row.get<std::uint64_t>();
      one.state = static_cast<char>(row.get<unsigned char>());
      sample.processes[pid] = one;
    }
    Row host(object.at("host"));
    sample.hostName = host.text();
    sample.ticksPerSecond = std::clamp(host.get<long>(), 1L, 1'000'000L);
    sample.host.userTicks = host.get<std::uint64_t>();
    sample.host.systemTicks = host.get<std::uint64_t>();
    sample.host.idleTicks = host.get<std::uint64_t>();
    sample.host.memoryTotal = host.get<std::uint64_t>();
    sample.host.memoryAvailable = host.get<std::uint64_t>();
    sample.host.networkBytes = host.get<std::uint64_t>();
    sample.host.processors = std::clamp(host.get<int>(), 1, 1'000'000);
    return sample;
  } catch (const std::exception& fault) {
    return tl::unexpected(QStringLiteral("Figures that came are not understood: %1.")
                              .arg(QString::fromUtf8(fault.what()).left(200)));
  }
}

// ---- taking them --------------------------------------------------------------------------------

tl::expected<FarSample, QString> FarSampler::take() {
  const std::int64_t now = probe_->monotonicNanoseconds();
  const bool asks = refreshedAt_ == 0 || now - refreshedAt_ >= refreshEvery;
  if (asks) {
    source_->refresh();
    refreshedAt_ = now;
  }
  auto reading = source_->read();
  if (!reading) {
    refreshedAt_ = 0;
    return tl::unexpected(reading.error());
  }
  FarSample sample;
  sample.reading = std::move(*reading);
  if (asks) declarations_ = source_->declarations();
  sample.declarations = declarations_;
  // One federate's instances at a time: counting them takes as long as there are some.
  std::optional<std::uint32_t> next;
  std::optional<std::uint32_t> first;
  for (const FederateReading& each : sample.reading.federates) {
    if (each.membership != Membership::Joined) {
      owned_.erase(each.number);
      continue;
    }
    if (each.pid > 0) {
      if (const auto process = probe_->process(each.pid))
        sample.processes.emplace(each.pid, *process);
    }
    if (each.counters.instancesRegistered == 0) continue;
    if (!first || each.number < *first) first = each.number;
    if (each.number > askedLast_ && (!next || each.number < *next)) next = each.number;
  }
  if (!next) next = first;
  if (next && asks) {
    owned_[*next] = source_->instancesOf(*next);
    askedLast_ = *next;
  }
  sample.owned = owned_;
  if (const auto node = probe_->process(sample.reading.nodePid))
    sample.processes.emplace(sample.reading.nodePid, *node);
  sample.host = probe_->host();
  sample.hostName = probe_->hostName();
  sample.ticksPerSecond = probe_->ticksPerSecond();
  return sample;
}

// ---- using them ---------------------------------------------------------------------------------

class FarSource final : public SampleSource {
 public:
  explicit FarSource(std::shared_ptr<FarSamples> samples) : samples_(std::move(samples)) {}

  tl::expected<Reading, QString> read() override {
    QString problem;
    sample_ = samples_->newest(&problem);
    if (!sample_ || !problem.isEmpty()) return tl::unexpected(problem);
    return sample_->reading;
  }
  std::vector<OwnedInstances> instancesOf(std::uint32_t number) override {
    if (!sample_) return {};
    const auto found = sample_->owned.find(number);
    return found == sample_->owned.end() ? std::vector<OwnedInstances>() : found->second;
  }
  std::vector<Declarations> declarations() override {
    return sample_ ? sample_->declarations : std::vector<Declarations>();
  }
  tl::expected<void, QString> holdTime(double /*ceiling*/) override {
    return tl::unexpected(QStringLiteral("A run on another machine is only watched."));
  }

 private:
  std::shared_ptr<FarSamples> samples_;
  std::shared_ptr<const FarSample> sample_;  ///< of the last reading
};

class FarProbe final : public ProcessProbe {
 public:
  explicit FarProbe(std::shared_ptr<FarSamples> samples) : samples_(std::move(samples)) {}

  std::int64_t monotonicNanoseconds() const override { return samples_->now(); }
  long ticksPerSecond() const override {
    const auto sample = samples_->newest();
    return sample ? sample->ticksPerSecond : 100;
  }
  std::optional<ProcessReading> process(std::int64_t pid) const override {
    const auto sample = samples_->newest();
    if (!sample) return {};
    const auto found = sample->processes.find(pid);
    if (found == sample->processes.end()) return {};
    return found->second;
  }
  HostReading host() const override {
    const auto sample = samples_->newest();
    return sample ? sample->host : HostReading{};
  }
  QString hostName() const override { return samples_->machine_; }

 private:
  std::shared_ptr<FarSamples> samples_;
};

namespace {

std::int64_t nowHere() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void FarSamples::put(QByteArray json) {
  const std::lock_guard lock(mutex_);
  waiting_ = std::move(json);
}

void FarSamples::setConnected(bool connected) {
  const std::lock_guard lock(mutex_);
  connected_ = connected;
}

std::shared_ptr<SampleSource> FarSamples::source() {
  return std::make_shared<FarSource>(shared_from_this());
}

std::shared_ptr<ProcessProbe> FarSamples::probe() {
  return std::make_shared<FarProbe>(shared_from_this());
}

std::shared_ptr<const FarSample> FarSamples::newest(QString* problem) {
  // Reading takes a while, and put() waits for nobody.
  const std::lock_guard reading(reading_);
  std::unique_lock lock(mutex_);
  if (const QByteArray json = std::exchange(waiting_, {}); !json.isEmpty()) {
    lock.unlock();
    auto read = FarSample::fromJson(json);
    lock.lock();
    problem_ = read ? QString() : read.error();
    // One of before is late, and no clock goes back.
    if (read &&
        (!newest_ || read->reading.monotonicNanoseconds >= newest_->reading.monotonicNanoseconds)) {
      newest_ = std::make_shared<const FarSample>(std::move(*read));
      cameAt_ = nowHere();
    }
  }
  if (problem == nullptr) return newest_;
  if (!connected_)
    *problem = QStringLiteral("The connection to %1 is lost.").arg(machine_);
  else if (!newest_ && problem_.isEmpty())
    *problem = QStringLiteral("%1 has not sent figures yet.").arg(machine_);
  else
    *problem = problem_;
  return newest_;
}

std::int64_t FarSamples::now() {
  (void)newest();
  const std::lock_guard lock(mutex_);
  const std::int64_t here = nowHere();
  std::int64_t there = newest_ ? newest_->reading.monotonicNanoseconds : 1;
  if (newest_ && here - cameAt_ > longestPause) there += here - cameAt_;
  told_ = std::max(told_, there);
  return told_;
}

}  // namespace tutti::monitor
