// SPDX-License-Identifier: GPL-3.0-or-later
// What all federates of the storm do.
#include "federates/storm.h"

#include <algorithm>
#include <cstring>
#include <typeinfo>
#include <utility>

namespace federates::storm {

using namespace rti1516e;

namespace {

constexpr double lookahead = 1.0;

double seconds(const LogicalTime& time) {
  return dynamic_cast<const HLAfloat64Time&>(time).getTime();
}

}  // namespace

std::uint64_t checksumOf(const Value& value, const std::uint64_t* words, std::size_t count) {
  std::uint64_t hash = mixed(mixed(value.sender, value.number), value.round * 2 + value.first);
  for (std::size_t i = 0; i < count; ++i) hash = mixed(hash, words[i]);
  return hash;
}

Stormer::Stormer(Board& board, std::uint32_t slot, std::uint32_t generation)
    : board_(board),
      own_(board.all[slot]),
      slot_(slot),
      sender_(slot | generation << 8),
      random_(slot * 100003 + generation) {}

void Stormer::wrong(const QString& text) {
  if (own_.errors.load() == 0) {
    const QByteArray bytes = text.toUtf8().left(sizeof own_.text - 1);
    std::memcpy(own_.text, bytes.constData(), static_cast<std::size_t>(bytes.size()));
  }
  own_.errors.store(own_.errors.load() + 1);
}

void Stormer::threw(const char* service, const Exception& exception) {
  // The compiler's name of the class holds the standard's.
  wrong(QString("%1 threw %2: %3")
            .arg(service, typeid(exception).name(), QString::fromStdWString(exception.what())));
}

// --- coming and going ----------------------------------------------------------------------------

void Stormer::connect() {
  rti_.reset(RTIambassadorFactory().createRTIambassador().release());
  attempt("connect", [&] { rti_->connect(*this, HLA_EVOKED); });
}

void Stormer::enter(const QString& federation, const QString& name) {
  const std::wstring execution = federation.toStdWString();
  attempt<FederationExecutionAlreadyExists>("createFederationExecution", [&] {
    rti_->createFederationExecution(execution, std::vector<std::wstring>{STORM_FOM});
  });
  while (!attempt("joinFederationExecution", [&] {
    rti_->joinFederationExecution(name.toStdWString(), L"storm", execution);
  })) {
    if (own_.errors.load() != 0) return;
    rti_->evokeMultipleCallbacks(0.001, 0.002);  // it waits for the end of a save
  }
  vehicle_ = rti_->getObjectClassHandle(L"Vehicle");
  position_ = rti_->getAttributeHandle(vehicle_, L"position");
  place_ = rti_->getAttributeHandle(vehicle_, L"place");
  load_ = rti_->getAttributeHandle(vehicle_, L"load");
  event_ = rti_->getInteractionClassHandle(L"Event");
  number_ = rti_->getParameterHandle(event_, L"number");
  // Each until no save is in its way.
  const auto surely = [&](const char* service, auto&& call) {
    while (own_.errors.load() == 0 && !attempt(service, call)) turn(0.001);
  };
  surely("publishObjectClassAttributes", [&] {
    rti_->publishObjectClassAttributes(vehicle_, {position_, place_, load_});
  });
  surely("publishInteractionClass", [&] { rti_->publishInteractionClass(event_); });
  surely("registerObjectInstance", [&] { car_ = rti_->registerObjectInstance(vehicle_); });
  while (own_.errors.load() == 0 && !update(car_, 64)) turn(0.001);
}

void Stormer::leave() {
  while (own_.errors.load() == 0 && !attempt("resignFederationExecution", [&] {
    rti_->resignFederationExecution(CANCEL_THEN_DELETE_THEN_DIVEST);
  })) {
    turn(0.001);
  }
  attempt("disconnect", [&] { rti_->disconnect(); });
  now_ = {};
}

// --- sending -------------------------------------------------------------------------------------

bool Stormer::update(ObjectInstanceHandle instance, std::size_t bytes, std::uint64_t round) {
  Value head{sender_, instance == car_ ? 1u : 0u, now_.updates + 1, round, 0};
  constexpr std::size_t headWords = sizeof(Value) / sizeof(std::uint64_t);
  words_.resize(std::max(headWords, bytes / sizeof(std::uint64_t)));
  for (std::size_t i = headWords; i < words_.size(); ++i) words_[i] = head.number * 31 + i;
  head.checksum = checksumOf(head, words_.data() + headWords, words_.size() - headWords);
  std::memcpy(words_.data(), &head, sizeof head);
  const AttributeHandleValueMap values{
      {position_, VariableLengthData(words_.data(), words_.size() * sizeof words_[0])}};
  if (!attempt("updateAttributeValues",
               [&] { rti_->updateAttributeValues(instance, values, VariableLengthData()); })) {
    return false;
  }
  ++now_.updates;
  own_.sent.store(own_.sent.load() + 1);
  return true;
}

bool Stormer::sendEvent(double time, std::uint64_t round) {
  Value head{sender_, 0, now_.events + 1, round, 0};
  head.checksum = checksumOf(head, nullptr, 0);
  if (!attempt("sendInteraction", [&] {
        rti_->sendInteraction(event_, {{number_, VariableLengthData(&head, sizeof head)}},
                              VariableLengthData(), HLAfloat64Time(time));
      })) {
    return false;
  }
  ++now_.events;
  return true;
}

// --- time ----------------------------------------------------------------------------------------

bool Stormer::enableTime() {
  const auto surely = [&](const char* service, auto&& call) {
    while (own_.errors.load() == 0 && !attempt(service, call)) turn(0.001);
  };
  surely("enableAsynchronousDelivery", [&] { rti_->enableAsynchronousDelivery(); });
  surely("enableTimeRegulation",
         [&] { rti_->enableTimeRegulation(HLAfloat64Interval(lookahead)); });
  surely("enableTimeConstrained", [&] { rti_->enableTimeConstrained(); });
  while (own_.errors.load() == 0 && !(regulating_ && constrained_)) turn(0.001);
  HLAfloat64Time now;
  surely("queryLogicalTime", [&] { rti_->queryLogicalTime(now); });
  now_.time = now.getTime();
  return own_.errors.load() == 0;
}

bool Stormer::requestAdvance() {
  const double to = now_.time + 1.0;
  if (!attempt(toNext_ ? "nextMessageRequest" : "timeAdvanceRequest", [&] {
        toNext_ ? rti_->nextMessageRequest(HLAfloat64Time(to))
                : rti_->timeAdvanceRequest(HLAfloat64Time(to));
      })) {
    return false;
  }
  now_.requested = to;
  now_.advancing = true;
  return true;
}

void Stormer::timeRegulationEnabled(const LogicalTime&) { regulating_ = true; }
void Stormer::timeConstrainedEnabled(const LogicalTime&) { constrained_ = true; }

void Stormer::timeAdvanceGrant(const LogicalTime& time) {
  const double to = seconds(time);
  if (!now_.advancing) wrong(QString("granted %1 without a request").arg(to));
  if (to < now_.time || to > now_.requested || (!toNext_ && to != now_.requested)) {
    wrong(QString("granted %1 on the way from %2 to %3").arg(to).arg(now_.time).arg(now_.requested));
  }
  now_.time = to;
  now_.advancing = false;
  own_.grants.store(own_.grants.load() + 1);
}

// --- synchronization, saves and restores ---------------------------------------------------------

void Stormer::turn(double seconds) {
  try {
    rti_->evokeMultipleCallbacks(seconds, 2 * seconds);
  } catch (const Exception& exception) {
    threw("evokeMultipleCallbacks", exception);
  }
  takePart();
}

void Stormer::takePart() {
  if (!saving_.empty() && --pauseBeforeBegun_ < 0) {
    saves_ = std::exchange(saving_, {});
    atSave_ = now_;
    // It may have ended by somebody's death: then federationNotSaved comes.
    if (attempt<SaveNotInitiated>("federateSaveBegun", [&] { rti_->federateSaveBegun(); })) {
      attempt<FederateHasNotBegunSave>("federateSaveComplete",
                                       [&] { rti_->federateSaveComplete(); });
    }
  }
  if (!restoring_.empty()) {
    restoring_.clear();
    attempt<RestoreNotRequested>("federateRestoreComplete",
                                 [&] { rti_->federateRestoreComplete(); });
  }
  if (frozen_) return;
  for (const std::wstring& label : std::exchange(now_.unachieved, {})) {
    if (!attempt("synchronizationPointAchieved",
                 [&] { rti_->synchronizationPointAchieved(label); })) {
      now_.unachieved.insert(label);
    }
  }
}

void Stormer::connectionLost(const std::wstring& reason) {
  wrong("connection lost: " + QString::fromStdWString(reason));
}

void Stormer::announceSynchronizationPoint(const std::wstring& label, const VariableLengthData&) {
  now_.points.insert(label);
  now_.unachieved.insert(label);
}

void Stormer::federationSynchronized(const std::wstring& label, const FederateHandleSet&) {
  if (now_.points.erase(label) == 0 || now_.unachieved.contains(label)) {
    wrong("synchronized without it: " + QString::fromStdWString(label));
  }
}

void Stormer::initiateFederateSave(const std::wstring& label) {
  frozen_ = true;
  saving_ = label;
  saves_.clear();
  pauseBeforeBegun_ = static_cast<int>(random_() % 4);
}

void Stormer::federationSaved() {
  frozen_ = false;
  if (saves_.empty()) wrong("saved without it");
  memories_.clear();  // nobody restores an older one
  memories_[saves_] = atSave_;
  ++saved_;
  own_.saved.store(saved_);
}

void Stormer::federationNotSaved(SaveFailureReason) {
  frozen_ = false;
  saving_.clear();
  ++notSaved_;
}

void Stormer::requestFederationRestoreFailed(const std::wstring&) { ++refused_; }

void Stormer::initiateFederateRestore(const std::wstring& label, const std::wstring&,
                                      FederateHandle) {
  restoring_ = saves_ = label;
}

void Stormer::federationRestored() {
  frozen_ = false;
  const auto found = memories_.find(saves_);
  if (found == memories_.end()) {
    wrong("restored to what was never saved: " + QString::fromStdWString(saves_));
  } else {
    now_ = found->second;
  }
  ++restored_;
  own_.restored.store(restored_);
}

void Stormer::federationNotRestored(RestoreFailureReason) {
  frozen_ = false;
  restoring_.clear();
  ++notRestored_;
}

}  // namespace federates::storm
