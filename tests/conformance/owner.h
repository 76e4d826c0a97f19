// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "member.h"

/// A federate that trades ownership. Its lines: "offered NAME attrs #tag", "confirm NAME attrs",
/// "acquired NAME attrs #tag", "unavailable NAME attrs", "asked NAME attrs #tag", "cancelled NAME
/// attrs", "owner NAME attr FEDERATE", "unowned NAME attr", "RTI's NAME attr". Attributes are in
/// alphabetical order; those of its own functions are of Vehicle.
class Owner : public Member {
 public:
  using Member::Member;
  ~Owner() RTI_NOEXCEPT override {
    try {
      rti().resignFederationExecution(rti1516e::CANCEL_THEN_DELETE_THEN_DIVEST);
    } catch (const rti1516e::Exception&) {
    }
    end();
  }

  using Instance = rti1516e::ObjectInstanceHandle;
  using Attributes = rti1516e::AttributeHandleSet;
  using Tag = rti1516e::VariableLengthData;

  Attributes of(const QStringList& names) { return attributes("Vehicle", names); }
  bool owns(Instance instance, const QString& name) {
    return rti().isAttributeOwnedByFederate(instance, attribute("Vehicle", name));
  }
  /// Those of `names` that it owns.
  QStringList owned(Instance instance, const QStringList& names) {
    QStringList result;
    for (const QString& name : names) {
      if (owns(instance, name)) result << name;
    }
    return result;
  }
  void acquire(Instance instance, const QStringList& names, const QByteArray& tag = {}) {
    rti().attributeOwnershipAcquisition(instance, of(names), data(tag));
  }
  void acquireIfAvailable(Instance instance, const QStringList& names) {
    rti().attributeOwnershipAcquisitionIfAvailable(instance, of(names));
  }
  void divest(Instance instance, const QStringList& names) {
    rti().unconditionalAttributeOwnershipDivestiture(instance, of(names));
  }
  void offer(Instance instance, const QStringList& names, const QByteArray& tag = {}) {
    rti().negotiatedAttributeOwnershipDivestiture(instance, of(names), data(tag));
  }
  void confirm(Instance instance, const QStringList& names, const QByteArray& tag = {}) {
    rti().confirmDivestiture(instance, of(names), data(tag));
  }
  void keep(Instance instance, const QStringList& names) {
    rti().cancelNegotiatedAttributeOwnershipDivestiture(instance, of(names));
  }
  void cancel(Instance instance, const QStringList& names) {
    rti().cancelAttributeOwnershipAcquisition(instance, of(names));
  }
  QStringList divestIfWanted(Instance instance, const QStringList& names) {
    Attributes divested;
    rti().attributeOwnershipDivestitureIfWanted(instance, of(names), divested);
    return this->names(instance, divested);
  }

  // Not of interest here.
  void startRegistrationForObjectClass(rti1516e::ObjectClassHandle) override {}
  void stopRegistrationForObjectClass(rti1516e::ObjectClassHandle) override {}

  void requestAttributeOwnershipAssumption(Instance instance, const Attributes& attributes,
                                           const Tag& tag) override {
    note("offered", instance, attributes, tag);
  }
  void requestDivestitureConfirmation(Instance instance, const Attributes& attributes) override {
    note("confirm", instance, attributes);
  }
  void attributeOwnershipAcquisitionNotification(Instance instance, const Attributes& attributes,
                                                 const Tag& tag) override {
    note("acquired", instance, attributes, tag);
  }
  void attributeOwnershipUnavailable(Instance instance, const Attributes& attributes) override {
    note("unavailable", instance, attributes);
  }
  void requestAttributeOwnershipRelease(Instance instance, const Attributes& attributes,
                                        const Tag& tag) override {
    note("asked", instance, attributes, tag);
  }
  void confirmAttributeOwnershipAcquisitionCancellation(Instance instance,
                                                        const Attributes& attributes) override {
    note("cancelled", instance, attributes);
  }
  void informAttributeOwnership(Instance instance, rti1516e::AttributeHandle attribute,
                                rti1516e::FederateHandle owner) override {
    write("owner " + instanceName(instance) + " " + names(instance, {attribute}).join(',') + " " +
          narrow(rti().getFederateName(owner)));
  }
  void attributeIsNotOwned(Instance instance, rti1516e::AttributeHandle attribute) override {
    write("unowned " + instanceName(instance) + " " + names(instance, {attribute}).join(','));
  }
  void attributeIsOwnedByRTI(Instance instance, rti1516e::AttributeHandle attribute) override {
    write("RTI's " + instanceName(instance) + " " + names(instance, {attribute}).join(','));
  }
  void turnUpdatesOnForObjectInstance(Instance instance, const Attributes& attributes) override {
    note("on", instance, attributes);
  }
  void turnUpdatesOnForObjectInstance(Instance instance, const Attributes& attributes,
                                      const std::wstring& rate) override {
    note("on at " + narrow(rate), instance, attributes);
  }
  void turnUpdatesOffForObjectInstance(Instance instance, const Attributes& attributes) override {
    note("off", instance, attributes);
  }

 private:
  QStringList names(Instance instance, const Attributes& attributes) {
    const auto knownClass = rti().getKnownObjectClassHandle(instance);
    QStringList result;
    for (const auto& attribute : attributes) {
      result << narrow(rti().getAttributeName(knownClass, attribute));
    }
    result.sort();
    return result;
  }
  QString instanceName(Instance instance) { return narrow(rti().getObjectInstanceName(instance)); }
  void note(const QString& what, Instance instance, const Attributes& attributes,
            const Tag& tag = {}) {
    QString line =
        what + " " + instanceName(instance) + " " + names(instance, attributes).join(',');
    if (tag.size() != 0) {
      line += " #" + QString::fromLatin1(static_cast<const char*>(tag.data()),
                                         static_cast<int>(tag.size()));
    }
    write(line);
  }
};
