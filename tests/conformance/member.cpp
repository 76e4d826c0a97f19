// SPDX-License-Identifier: GPL-3.0-or-later
#include "member.h"

#include <cxxabi.h>

#include <cstdlib>
#include <typeinfo>

using namespace rti1516e;

namespace {

QTemporaryDir& scratch() {
  static QTemporaryDir directory;
  return directory;
}

int limit() {
  static const int given = qEnvironmentVariableIntValue("TUTTI_TEST_LIMIT");
  return given > 0 ? given : 20000;
}

}  // namespace

QString refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Exception& exception) {
    int status = 0;
    char* name = abi::__cxa_demangle(typeid(exception).name(), nullptr, nullptr, &status);
    QString result = QString(name).section("::", -1);
    std::free(name);
    if (exception.what().size() < 5) result += " (unexplained)";
    return result;
  }
  return {};
}

VariableLengthData data(const QByteArray& octets) {
  return VariableLengthData(octets.constData(), static_cast<size_t>(octets.size()));
}

std::wstring wide(const QString& text) { return text.toStdWString(); }
QString narrow(const std::wstring& text) { return QString::fromStdWString(text); }

QString modulePath(const QString& file) {
  return QString(TUTTI_SOURCE_DIR) + "/tests/conformance/" + file;
}

QString fileWith(const QString& name, const QByteArray& content) {
  QFile file(scratch().filePath(name));
  if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) {
    qFatal("%s cannot be written", qPrintable(file.fileName()));
  }
  return file.fileName();
}

QString objectModelWith(const QList<QPair<QString, bool>>& switches) {
  QFile file(modulePath("fom.xml"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(file.fileName()));
  QByteArray model = file.readAll();
  QString name = "fom";
  for (const auto& [which, on] : switches) {
    const auto row = [&](bool value) {
      return QString("<%1 isEnabled=\"%2\"/>").arg(which, value ? "true" : "false").toUtf8();
    };
    if (!model.contains(row(!on))) qFatal("no switch %s to be changed", qPrintable(which));
    model.replace(row(!on), row(on));
    name += "-" + which + (on ? "-on" : "-off");
  }
  return fileWith(name + ".xml", model);
}

void Member::enter(const QString& federation, CallbackModel model,
                   const QString& timeImplementation, const QString& objectModel) {
  connect(model);
  try {
    create(federation, {objectModel.isEmpty() ? modulePath("fom.xml") : objectModel},
           timeImplementation);
  } catch (const FederationExecutionAlreadyExists&) {
  }
  join(federation);
}

bool Member::expect(const QString& prefix, int count) {
  return Recorder::expect(prefix, count, limit());
}

bool Member::pumpUntil(const std::function<bool()>& done) {
  return Recorder::pumpUntil(done, limit());
}

QStringList Member::take() {
  pump();
  const QStringList all = log();
  const QStringList fresh = all.mid(taken_);
  taken_ = static_cast<int>(all.size());
  return fresh;
}

ObjectInstanceHandle Member::registerNamed(const QString& objectClassName, const QString& name) {
  rti().reserveObjectInstanceName(wide(name));
  if (!expect("reserved " + name)) qWarning("%s was not reserved", qPrintable(name));
  const auto instance = rti().registerObjectInstance(objectClass(objectClassName), wide(name));
  const std::lock_guard guard(mutex_);
  classes_[instance] = objectClass(objectClassName);
  names_[instance] = name;
  return instance;
}

QString Member::nameOfInstance(ObjectInstanceHandle instance) {
  return narrow(rti().getObjectInstanceName(instance));
}

double Member::logicalTime() {
  HLAfloat64Time time;
  rti().queryLogicalTime(time);
  return time.getTime();
}

QString Member::galt() {
  HLAfloat64Time time;
  return rti().queryGALT(time) ? QString::number(time.getTime()) : "none";
}

QString Member::lits() {
  HLAfloat64Time time;
  return rti().queryLITS(time) ? QString::number(time.getTime()) : "none";
}

void Member::regulate(double lookahead) {
  const int before = count("regulating");
  rti().enableTimeRegulation(HLAfloat64Interval(lookahead));
  if (!expect("regulating", before + 1)) qWarning("%s does not regulate", qPrintable(name()));
}

void Member::constrain() {
  const int before = count("constrained");
  rti().enableTimeConstrained();
  if (!expect("constrained", before + 1)) qWarning("%s is not constrained", qPrintable(name()));
}

void Member::advance(double time) {
  const int before = count("granted");
  rti().timeAdvanceRequest(HLAfloat64Time(time));
  if (!expect("granted", before + 1)) qWarning("%s does not advance", qPrintable(name()));
}

// --- Mortal --------------------------------------------------------------------------------------

Mortal::Mortal(const QString& name, const QString& federation)
    : rti_(RTIambassadorFactory().createRTIambassador().release()) {
  rti_->connect(callbacks_, HLA_EVOKED);
  handle_ = rti_->joinFederationExecution(wide(name), L"mortal", wide(federation));
}

Mortal::~Mortal() = default;
