// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorder.h"

#include <signal.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QThread>
#include <atomic>
#include <map>
#include <optional>

#include "observe/node_client.h"
#include "cutter.h"
#include "patience.h"

using namespace rti1516e;

namespace {

/// On whose hosts Recorders are connected, by turns; null: where the environment says.
const LinkedNodes* byTurns = nullptr;

QString text(const VariableLengthData& data) {
  return QString::fromLatin1(static_cast<const char*>(data.data()), static_cast<int>(data.size()));
}

QString timeText(const LogicalTime& time) {
  if (const auto* f = dynamic_cast<const HLAfloat64Time*>(&time))
    return QString::number(f->getTime());
  if (const auto* i = dynamic_cast<const HLAinteger64Time*>(&time))
    return QString::number(i->getTime());
  return QString::fromStdWString(time.toString());
}

QString order(OrderType type) { return type == TIMESTAMP ? "TSO" : "RO"; }

template <class Info>
const FederateHandle* producerIn(const Info& info) {
  return info.hasProducingFederate ? &info.producingFederate : nullptr;
}

/// What the line of a message ends with.
QString ending(const VariableLengthData& tag, const LogicalTime* time, OrderType received) {
  QString result;
  if (tag.size() != 0) result += " #" + text(tag);
  if (time != nullptr) result += " @" + timeText(*time) + " " + order(received);
  return result;
}

VariableLengthData bytes(const QByteArray& value) {
  return VariableLengthData(value.constData(), static_cast<size_t>(value.size()));
}

}  // namespace

Recorder::~Recorder() RTI_NOEXCEPT { end(); }

void Recorder::end() RTI_NOEXCEPT {
  if (!rti_) return;
  try {
    rti_->resignFederationExecution(DELETE_OBJECTS_THEN_DIVEST);
  } catch (const Exception&) {
  }
  try {
    rti_->disconnect();
  } catch (const Exception&) {
  }
}

void Recorder::connect(CallbackModel model, const QString& designator) {
  if (!rti_) rti_.reset(RTIambassadorFactory().createRTIambassador().release());
  std::optional<LinkedNodes::Visit> visit;
  if (byTurns != nullptr) {
    static std::atomic<unsigned> turn = 0;
    host_ = static_cast<int>(turn++ % static_cast<unsigned>(byTurns->hosts()));
    qputenv("TUTTI_RTI", byTurns->designator(host_).toUtf8());
    visit.emplace(byTurns->visit(host_));
  }
  rti_->connect(*this, model, designator.toStdWString());
}

void Recorder::create(const QString& federation, const QStringList& modules,
                      const QString& timeImplementation) {
  std::vector<std::wstring> list;
  for (const QString& module : modules) list.push_back(module.toStdWString());
  rti_->createFederationExecution(federation.toStdWString(), list,
                                  timeImplementation.toStdWString());
}

void Recorder::join(const QString& federation, const QStringList& modules) {
  std::vector<std::wstring> list;
  for (const QString& module : modules) list.push_back(module.toStdWString());
  federation_ = federation;
  handle_ =
      rti_->joinFederationExecution(name_.toStdWString(), L"test", federation.toStdWString(), list);
}

void Recorder::enter(const QString& federation, CallbackModel model,
                     const QString& timeImplementation) {
  connect(model);
  try {
    create(federation, {testFom()}, timeImplementation);
  } catch (const FederationExecutionAlreadyExists&) {
  }
  join(federation);
}

void Recorder::leave(ResignAction action) {
  rti_->resignFederationExecution(action);
  rti_->disconnect();
}

QStringList Recorder::knownInstances() const {
  QStringList known;
  for (const QString& line : log()) {
    if (line.startsWith("discover ")) known << line.section(' ', 1, 1);
    if (line.startsWith("remove ")) known.removeOne(line.section(' ', 1, 1));
  }
  known.sort();
  return known;
}

ObjectClassHandle Recorder::objectClass(const QString& name) {
  return rti_->getObjectClassHandle(name.toStdWString());
}

AttributeHandle Recorder::attribute(const QString& className, const QString& name) {
  return rti_->getAttributeHandle(objectClass(className), name.toStdWString());
}

InteractionClassHandle Recorder::interactionClass(const QString& name) {
  return rti_->getInteractionClassHandle(name.toStdWString());
}

ParameterHandle Recorder::parameter(const QString& className, const QString& name) {
  return rti_->getParameterHandle(interactionClass(className), name.toStdWString());
}

AttributeHandleSet Recorder::attributes(const QString& className, const QStringList& names) {
  AttributeHandleSet set;
  for (const QString& name : names) set.insert(attribute(className, name));
  return set;
}

void Recorder::publish(const QString& className, const QStringList& names) {
  rti_->publishObjectClassAttributes(objectClass(className), attributes(className, names));
}

void Recorder::subscribe(const QString& className, const QStringList& names) {
  rti_->subscribeObjectClassAttributes(objectClass(className), attributes(className, names));
}

void Recorder::publishInteraction(const QString& name) {
  rti_->publishInteractionClass(interactionClass(name));
}

void Recorder::subscribeInteraction(const QString& name) {
  rti_->subscribeInteractionClass(interactionClass(name));
}

ObjectInstanceHandle Recorder::registerInstance(const QString& className) {
  const auto instance = rti_->registerObjectInstance(objectClass(className));
  const std::lock_guard guard(mutex_);
  classes_[instance] = objectClass(className);
  names_[instance] = QString::fromStdWString(rti_->getObjectInstanceName(instance));
  return instance;
}

MessageRetractionHandle Recorder::update(ObjectInstanceHandle instance, const QString& className,
                                         const QList<QPair<QString, QByteArray>>& values,
                                         double time) {
  AttributeHandleValueMap map;
  for (const auto& [name, value] : values) map[attribute(className, name)] = bytes(value);
  if (time >= 0) {
    return rti_->updateAttributeValues(instance, map, VariableLengthData(), HLAfloat64Time(time));
  }
  rti_->updateAttributeValues(instance, map, VariableLengthData());
  return {};
}

MessageRetractionHandle Recorder::send(const QString& className,
                                       const QList<QPair<QString, QByteArray>>& values,
                                       double time) {
  ParameterHandleValueMap map;
  for (const auto& [name, value] : values) map[parameter(className, name)] = bytes(value);
  if (time >= 0) {
    return rti_->sendInteraction(interactionClass(className), map, VariableLengthData(),
                                 HLAfloat64Time(time));
  }
  rti_->sendInteraction(interactionClass(className), map, VariableLengthData());
  return {};
}

void Recorder::pump() {
  if (byTurns != nullptr && !federation_.isEmpty()) byTurns->confirm(host_, federation_);
  rti_->evokeMultipleCallbacks(0.0, 1.0);
}

bool Recorder::pumpUntil(const std::function<bool()>& done, int limitMilliseconds) {
  QElapsedTimer timer;
  timer.start();
  while (!done()) {
    if (timer.elapsed() > patience * limitMilliseconds + tutti::test::cutMilliseconds()) {
      return false;
    }
    rti_->evokeCallback(0.01);
  }
  return true;
}

void Recorder::pumpFor(int milliseconds) {
  QElapsedTimer timer;
  timer.start();
  while (timer.elapsed() < milliseconds) rti_->evokeCallback(0.01);
}

bool Recorder::expect(const QString& prefix, int wanted, int limitMilliseconds) {
  return pumpUntil([&] { return count(prefix) >= wanted; }, limitMilliseconds);
}

void Recorder::write(const QString& line) {
  const std::lock_guard guard(mutex_);
  log_.append(line);
}

QString Recorder::nameOf(ObjectInstanceHandle instance) {
  const std::lock_guard guard(mutex_);
  const auto found = names_.find(instance);
  return found == names_.end() ? QString("?") : found->second;
}

void Recorder::connectionLost(const std::wstring& reason) {
  write("lost " + QString::fromStdWString(reason));
}

void Recorder::reportFederationExecutions(const FederationExecutionInformationVector& list) {
  for (const auto& one : list) {
    write("execution " + QString::fromStdWString(one.federationExecutionName) + " " +
          QString::fromStdWString(one.logicalTimeImplementationName));
  }
  write("executions reported");
}

void Recorder::synchronizationPointRegistrationSucceeded(const std::wstring& label) {
  write("registered " + QString::fromStdWString(label));
}

void Recorder::synchronizationPointRegistrationFailed(const std::wstring& label,
                                                      SynchronizationPointFailureReason reason) {
  write(QString("refused %1 %2").arg(QString::fromStdWString(label)).arg(reason));
}

void Recorder::announceSynchronizationPoint(const std::wstring& label,
                                            const VariableLengthData& tag) {
  write("announce " + QString::fromStdWString(label) + (tag.size() ? " " + text(tag) : ""));
}

void Recorder::federationSynchronized(const std::wstring& label, const FederateHandleSet& failed) {
  QString line = "synchronized " + QString::fromStdWString(label);
  for (const auto& federate : failed) {
    line += " !" + QString::fromStdWString(rti_->getFederateName(federate));
  }
  write(line);
}

void Recorder::startRegistrationForObjectClass(ObjectClassHandle c) {
  write("start " + QString::fromStdWString(rti_->getObjectClassName(c)).section('.', -1));
}

void Recorder::stopRegistrationForObjectClass(ObjectClassHandle c) {
  write("stop " + QString::fromStdWString(rti_->getObjectClassName(c)).section('.', -1));
}

void Recorder::turnInteractionsOn(InteractionClassHandle c) {
  write("on " + QString::fromStdWString(rti_->getInteractionClassName(c)).section('.', -1));
}

void Recorder::turnInteractionsOff(InteractionClassHandle c) {
  write("off " + QString::fromStdWString(rti_->getInteractionClassName(c)).section('.', -1));
}

void Recorder::objectInstanceNameReservationSucceeded(const std::wstring& name) {
  write("reserved " + QString::fromStdWString(name));
}

void Recorder::objectInstanceNameReservationFailed(const std::wstring& name) {
  write("taken " + QString::fromStdWString(name));
}

void Recorder::multipleObjectInstanceNameReservationSucceeded(const std::set<std::wstring>& names) {
  write(QString("reserved %1 names").arg(names.size()));
}

void Recorder::multipleObjectInstanceNameReservationFailed(const std::set<std::wstring>& names) {
  write(QString("taken %1 names").arg(names.size()));
}

void Recorder::detailFrom(const QString& text, const FederateHandle* producer) {
  QString line = text;
  if (producer != nullptr) {
    QString who = "one who left";
    try {
      who = QString::fromStdWString(rti_->getFederateName(*producer));
    } catch (const FederateHandleNotKnown&) {
    }
    line += QString(line.isEmpty() ? "from " : " from ") + who;
  }
  const std::lock_guard guard(mutex_);
  details << line;
}

void Recorder::detail(const Message& message) {
  QString line = order(message.sent);
  if (message.transportation != nullptr) {
    line += *message.transportation == BEST_EFFORT ? " best effort" : " reliable";
  }
  if (message.time != nullptr) {
    line += " @" + timeText(*message.time) + " as " + order(message.received);
  }
  if (message.retractable) line += " retractable";
  detailFrom(line, message.producer);
}

void Recorder::discovered(ObjectInstanceHandle instance, ObjectClassHandle c,
                          const std::wstring& instanceName, const FederateHandle* producer) {
  {
    const std::lock_guard guard(mutex_);
    names_[instance] = QString::fromStdWString(instanceName);
    classes_[instance] = c;
  }
  detailFrom({}, producer);
  write("discover " + QString::fromStdWString(instanceName) + " as " +
        QString::fromStdWString(rti_->getObjectClassName(c)).section('.', -1));
}

void Recorder::discoverObjectInstance(ObjectInstanceHandle instance, ObjectClassHandle c,
                                      const std::wstring& instanceName) {
  discovered(instance, c, instanceName, nullptr);
}

void Recorder::discoverObjectInstance(ObjectInstanceHandle instance, ObjectClassHandle c,
                                      const std::wstring& instanceName, FederateHandle producer) {
  discovered(instance, c, instanceName, &producer);
}

void Recorder::reflected(ObjectInstanceHandle instance, const AttributeHandleValueMap& values,
                         const Message& message) {
  ++reflections;
  if (onReflect) onReflect(instance, values);
  if (quiet) return;
  detail(message);
  QStringList parts;
  ObjectClassHandle c;
  {
    const std::lock_guard guard(mutex_);
    c = classes_[instance];
  }
  for (const auto& [attribute, value] : values) {
    parts << QString::fromStdWString(rti_->getAttributeName(c, attribute)) + "=" +
                 (value.size() > 40 ? QString("%1 bytes").arg(value.size()) : text(value));
  }
  write("reflect " + nameOf(instance) + " " + parts.join(',') +
        ending(message.tag, message.time, message.received));
}

void Recorder::reflectAttributeValues(ObjectInstanceHandle instance,
                                      const AttributeHandleValueMap& values,
                                      const VariableLengthData& tag, OrderType sent,
                                      TransportationType how, SupplementalReflectInfo info) {
  reflected(instance, values, {tag, sent, &how, producerIn(info)});
}

void Recorder::reflectAttributeValues(ObjectInstanceHandle instance,
                                      const AttributeHandleValueMap& values,
                                      const VariableLengthData& tag, OrderType sent,
                                      TransportationType how, const LogicalTime& time,
                                      OrderType received, SupplementalReflectInfo info) {
  reflected(instance, values, {tag, sent, &how, producerIn(info), &time, received});
}

void Recorder::reflectAttributeValues(ObjectInstanceHandle instance,
                                      const AttributeHandleValueMap& values,
                                      const VariableLengthData& tag, OrderType sent,
                                      TransportationType how, const LogicalTime& time,
                                      OrderType received, MessageRetractionHandle,
                                      SupplementalReflectInfo info) {
  reflected(instance, values, {tag, sent, &how, producerIn(info), &time, received, true});
}

void Recorder::receivedOne(InteractionClassHandle c, const ParameterHandleValueMap& values,
                           const Message& message) {
  ++interactions;
  if (onReceive) onReceive(c, values);
  if (quiet) return;
  detail(message);
  QStringList parts;
  for (const auto& [parameter, value] : values) {
    parts << QString::fromStdWString(rti_->getParameterName(c, parameter)) + "=" +
                 (value.size() > 40 ? QString("%1 bytes").arg(value.size()) : text(value));
  }
  write("receive " + QString::fromStdWString(rti_->getInteractionClassName(c)).section('.', -1) +
        " " + parts.join(',') + ending(message.tag, message.time, message.received));
}

void Recorder::receiveInteraction(InteractionClassHandle c, const ParameterHandleValueMap& values,
                                  const VariableLengthData& tag, OrderType sent,
                                  TransportationType how, SupplementalReceiveInfo info) {
  receivedOne(c, values, {tag, sent, &how, producerIn(info)});
}

void Recorder::receiveInteraction(InteractionClassHandle c, const ParameterHandleValueMap& values,
                                  const VariableLengthData& tag, OrderType sent,
                                  TransportationType how, const LogicalTime& time,
                                  OrderType received, SupplementalReceiveInfo info) {
  receivedOne(c, values, {tag, sent, &how, producerIn(info), &time, received});
}

void Recorder::receiveInteraction(InteractionClassHandle c, const ParameterHandleValueMap& values,
                                  const VariableLengthData& tag, OrderType sent,
                                  TransportationType how, const LogicalTime& time,
                                  OrderType received, MessageRetractionHandle,
                                  SupplementalReceiveInfo info) {
  receivedOne(c, values, {tag, sent, &how, producerIn(info), &time, received, true});
}

void Recorder::removed(ObjectInstanceHandle instance, const Message& message) {
  detail(message);
  write("remove " + nameOf(instance) + ending(message.tag, message.time, message.received));
}

void Recorder::removeObjectInstance(ObjectInstanceHandle instance, const VariableLengthData& tag,
                                    OrderType sent, SupplementalRemoveInfo info) {
  removed(instance, {tag, sent, nullptr, producerIn(info)});
}

void Recorder::removeObjectInstance(ObjectInstanceHandle instance, const VariableLengthData& tag,
                                    OrderType sent, const LogicalTime& time, OrderType received,
                                    SupplementalRemoveInfo info) {
  removed(instance, {tag, sent, nullptr, producerIn(info), &time, received});
}

void Recorder::removeObjectInstance(ObjectInstanceHandle instance, const VariableLengthData& tag,
                                    OrderType sent, const LogicalTime& time, OrderType received,
                                    MessageRetractionHandle, SupplementalRemoveInfo info) {
  removed(instance, {tag, sent, nullptr, producerIn(info), &time, received, true});
}

QString Recorder::namesOf(ObjectInstanceHandle instance, const AttributeHandleSet& attributes) {
  QStringList parts;
  ObjectClassHandle c;
  {
    const std::lock_guard guard(mutex_);
    c = classes_[instance];
  }
  for (const auto& attribute : attributes) {
    parts << QString::fromStdWString(rti_->getAttributeName(c, attribute));
  }
  return parts.join(',');
}

void Recorder::provideAttributeValueUpdate(ObjectInstanceHandle instance,
                                           const AttributeHandleSet& attributes,
                                           const VariableLengthData& tag) {
  write("provide " + nameOf(instance) + " " + namesOf(instance, attributes) +
        (tag.size() ? " #" + text(tag) : ""));
  if (onProvide) onProvide(instance, attributes);
}

void Recorder::timeRegulationEnabled(const LogicalTime& time) {
  write("regulating " + timeText(time));
}

void Recorder::timeConstrainedEnabled(const LogicalTime& time) {
  write("constrained " + timeText(time));
}

void Recorder::timeAdvanceGrant(const LogicalTime& time) {
  if (!quiet) write("granted " + timeText(time));
  if (!onGrant) return;
  // The text is rounded.
  const auto* number = dynamic_cast<const HLAfloat64Time*>(&time);
  onGrant(number != nullptr ? number->getTime() : timeText(time).toDouble());
}

void Recorder::requestRetraction(MessageRetractionHandle message) {
  if (!quiet) write("retraction " + QString::fromStdWString(message.toString()));
  if (onRetraction) onRetraction(message);
}

static QString transportationText(TransportationType transportation) {
  return transportation == BEST_EFFORT ? " best effort" : " reliable";
}

void Recorder::confirmAttributeTransportationTypeChange(ObjectInstanceHandle instance,
                                                        AttributeHandleSet attributes,
                                                        TransportationType transportation) {
  write("changed " + nameOf(instance) + " " + namesOf(instance, attributes) +
        transportationText(transportation));
}

void Recorder::reportAttributeTransportationType(ObjectInstanceHandle instance,
                                                 AttributeHandle attribute,
                                                 TransportationType transportation) {
  write("sent " + nameOf(instance) + " " + namesOf(instance, {attribute}) +
        transportationText(transportation));
}

void Recorder::confirmInteractionTransportationTypeChange(InteractionClassHandle c,
                                                          TransportationType transportation) {
  write("changed " + QString::fromStdWString(rti_->getInteractionClassName(c)).section('.', -1) +
        transportationText(transportation));
}

void Recorder::reportInteractionTransportationType(FederateHandle federate,
                                                   InteractionClassHandle c,
                                                   TransportationType transportation) {
  write("sent " + QString::fromStdWString(rti_->getInteractionClassName(c)).section('.', -1) +
        " by " + QString::fromStdWString(rti_->getFederateName(federate)) +
        transportationText(transportation));
}

QString testFom() { return QString(TUTTI_SOURCE_DIR) + "/tests/rti/test_fom.xml"; }

QString uniqueName(const QString& stem) {
  static int counter = 0;
  return QString("%1-%2-%3").arg(stem).arg(getpid()).arg(++counter);
}

namespace {

void stopNode(const QString& name) {
  QProcess stop;
  stop.start(QString(TUTTI_BINARY_DIR) + "/bin/tutti-rti", {"--stop", "--shm", name});
  stop.waitForFinished(5000);
}

}  // namespace

OwnNode::OwnNode() : name_(uniqueName("test")) {
  const int hosts = qEnvironmentVariableIntValue("TUTTI_TEST_HOSTS");
  qputenv("TUTTI_RTI", ("shm:" + name_).toUtf8());
  if (hosts < 2) return;
  linked_ = std::make_unique<LinkedNodes>(name_, hosts);
  byTurns = linked_.get();
}

OwnNode::~OwnNode() {
  byTurns = nullptr;
  if (!linked_) stopNode(name_);
}

// --- several hosts -------------------------------------------------------------------------------

std::optional<tutti::test::Cable> LinkedNodes::cableOfEnvironment() {
  const QStringList words = qEnvironmentVariable("TUTTI_TEST_NET").split(' ', Qt::SkipEmptyParts);
  if (words.isEmpty()) return std::nullopt;
  return tutti::test::Cable{std::chrono::microseconds(words[0].toInt()), words.value(1).toInt()};
}

/// Connections of those who look on, by host.
struct LinkedNodes::Observers {
  std::mutex mutex;
  std::map<int, tutti::observe::NodeClient> clients;
  std::unique_ptr<tutti::test::Cutter> cutter;  ///< with TUTTI_TEST_CUTS in the environment
};

LinkedNodes::LinkedNodes(const QString& name, int hosts, std::optional<tutti::test::Cable> cable)
    : name_(name),
      hosts_(hosts),
      home_(std::make_unique<QProcess>()),
      observers_(std::make_unique<Observers>()) {
  if (cable) network_ = std::make_unique<tutti::test::Network>(hosts, *cable);
  Visit onHome = visit(0);
  if (qEnvironmentVariableIsSet("TUTTI_TEST_LOG")) {
    home_->setProcessChannelMode(QProcess::ForwardedErrorChannel);
  } else {
    home_->setStandardErrorFile(QProcess::nullDevice());
  }
  const QString host = network_ ? tutti::test::Network::address(0) : "127.0.0.1";
  QStringList arguments{"--shm", name_, "--listen", host + ":0"};
  if (qEnvironmentVariableIsSet("TUTTI_TEST_KEY")) {
    makeKey();
  } else {
    arguments << "--trusted-network";
  }
  arguments += qEnvironmentVariable("TUTTI_TEST_HOME").split(' ', Qt::SkipEmptyParts);
  home_->start(QString(TUTTI_BINARY_DIR) + "/bin/tutti-rti", arguments);
  QByteArray said;
  while (!said.contains("ready\n") && home_->waitForReadyRead(10000)) {
    said += home_->readAllStandardOutput();
  }
  const QRegularExpression address("listens at (\\S+:[1-9]\\d*)\n");
  address_ = address.match(QString::fromUtf8(said)).captured(1);
  if (address_.isEmpty()) {
    // Once more, to hear why: its log is read by nobody.
    home_->kill();
    home_->waitForFinished(5000);
    QProcess again;
    again.setProcessChannelMode(QProcess::MergedChannels);
    again.start(home_->program(), home_->arguments());
    again.waitForFinished(2000);
    qFatal("the home node does not start: %s: %s\n%s%s", qPrintable(home_->program()),
           qPrintable(again.errorString()), said.constData(), again.readAll().constData());
  }
  onHome.reset();  // the thread that cuts is to be nowhere in particular
  if (const auto cuts = tutti::test::Cutter::Options::ofEnvironment(); cuts && network_) {
    observers_->cutter = std::make_unique<tutti::test::Cutter>(*network_, *cuts);
  }
}

void LinkedNodes::makeKey() {
  // Not below /tmp, which every host has for itself.
  keyFolder_ = std::make_unique<QTemporaryDir>(QString(TUTTI_BINARY_DIR) + "/key-XXXXXX");
  const QString file = keyFolder_->filePath("key");
  const QString program = QString(TUTTI_BINARY_DIR) + "/bin/tutti-rti";
  QProcess process;
  process.start(program, {"--make-key", file});
  if (!process.waitForFinished(20000) || process.exitCode() != 0) qFatal("there is no key");
  qputenv("TUTTI_KEY_FILE", QFile::encodeName(file));
}

LinkedNodes::~LinkedNodes() {
  if (keyFolder_) qunsetenv("TUTTI_KEY_FILE");
  observers_->clients.clear();
  if (const auto cutter = std::move(observers_->cutter)) {
    qInfo("%d cuts, of %lld s together", cutter->cuts(),
          static_cast<long long>(cutter->together().count() / 1000));
    if (cutter->cuts() == 0) qFatal("no cable was cut: nothing is shown of what happens then");
  }
  for (int host = hosts_ - 1; host >= 0; --host) {
    const Visit there = visit(host);
    stopNode(nodeName(host));
  }
  if (!home_->waitForFinished(5000)) {
    home_->kill();
    home_->waitForFinished(5000);
  }
  if (!network_) return;
  const auto [passed, dropped] = network_->counts();
  if (passed + dropped == 0) return;
  qInfo("between the hosts %llu frames were passed on and %llu lost",
        static_cast<unsigned long long>(passed), static_cast<unsigned long long>(dropped));
  constexpr int enough = 1000;
  if (dropped == 0 && network_->cable().lossPermille != 0 && passed > enough) {
    qFatal("no frame was lost: nothing is shown of what happens when some are");
  }
}

LinkedNodes::Visit LinkedNodes::visit(int host) const {
  if (!network_) return nullptr;
  return std::make_unique<tutti::test::Network::Visit>(*network_, host);
}

QString LinkedNodes::nodeName(int host) const {
  return host == 0 ? name_ : name_ + "-" + QString::number(host);
}

QString LinkedNodes::designator(int host) const {
  if (host == 0) return "shm:" + name_;
  return QString("tcp:%1/%2").arg(address_, nodeName(host));
}

qint64 LinkedNodes::homePid() const { return home_->processId(); }

int LinkedNodes::nodePid(int host) const {
  const Visit there = visit(host);
  return OwnNode::pidOf(nodeName(host));
}

QByteArray LinkedNodes::status(int host, const QStringList& options) const {
  const auto visit = this->visit(host);
  QProcess process;
  process.start(QString(TUTTI_BINARY_DIR) + "/bin/tutti-rti",
                QStringList{"--status", "--shm", nodeName(host)} + options);
  process.waitForFinished(5000);
  return process.readAllStandardOutput();
}

LinkedNodes::Drops LinkedNodes::dropsAt(int host, const QString& federate,
                                        const QString& ofClass) const {
  Drops result;
  const auto nodes = QJsonDocument::fromJson(status(host, {"--json"})).object()["nodes"].toArray();
  for (const auto& federation : nodes.first().toObject()["federations"].toArray()) {
    for (const auto& item : federation.toObject()["federates"].toArray()) {
      const QJsonObject one = item.toObject();
      if (one["name"].toString() != federate) continue;
      for (const auto& drop : one["bestEffortDrops"].toArray()) {
        if (drop.toObject()["class"].toString() != ofClass) continue;
        result.dropped += drop.toObject()["dropped"].toInteger();
        result.lost += drop.toObject()["lost"].toInteger();
      }
    }
  }
  return result;
}

bool LinkedNodes::untilStraight(Recorder& from, Recorder& to) const {
  constexpr int attempts = 50;
  bool straight = false;
  for (int i = 0; i < attempts && !straight; ++i) {
    to.clearLog();
    ::kill(static_cast<pid_t>(homePid()), SIGSTOP);
    from.send("Message", {{"text", "straight?"}});
    straight = to.expect("receive Message", 1, 200);
    ::kill(static_cast<pid_t>(homePid()), SIGCONT);
    if (!straight && !to.expect("receive Message")) return false;
  }
  to.clearLog();
  return straight;
}

void LinkedNodes::connect(Recorder& recorder, int host, CallbackModel model) const {
  connectAt(recorder, host, designator(host), model);
}

void LinkedNodes::connectAt(Recorder& recorder, int host, const QString& way,
                            CallbackModel model) const {
  const QByteArray before = qgetenv("TUTTI_RTI");
  qputenv("TUTTI_RTI", way.toUtf8());
  {
    const Visit there = visit(host);
    recorder.connect(model);
  }
  if (before.isNull()) {
    qunsetenv("TUTTI_RTI");
  } else {
    qputenv("TUTTI_RTI", before);
  }
}

void LinkedNodes::enter(Recorder& recorder, int host, const QString& federation) const {
  connect(recorder, host);
  try {
    recorder.create(federation, {testFom()});
  } catch (const FederationExecutionAlreadyExists&) {
  }
  recorder.join(federation);
}

void LinkedNodes::confirm(int host, const QString& federation) const {
  const std::lock_guard guard(observers_->mutex);
  auto& client = observers_->clients[host];
  if (!client.connected()) {
    const Visit there = visit(host);
    auto connected = tutti::observe::NodeClient::connect(nodeName(host).toStdString());
    if (!connected) return;  // the node has ended: nothing comes any more
    client = std::move(*connected);
    if (!client.hello("test")) return;
  }
  (void)client.confirm(federation.toStdString());
}

int OwnNode::pidOf(const QString& name) {
  QProcess status;
  status.start(QString(TUTTI_BINARY_DIR) + "/bin/tutti-rti", {"--status", "--json", "--shm", name});
  status.waitForFinished(5000);
  const QJsonObject report = QJsonDocument::fromJson(status.readAllStandardOutput()).object();
  return report["nodes"].toArray().first().toObject()["pid"].toInt();
}
