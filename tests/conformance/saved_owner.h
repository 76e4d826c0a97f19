// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "saver.h"

/// Says also what it is told about attributes: "on NAME attrs [at RATE]", "off NAME attrs", "asked
/// NAME attrs", "acquired NAME attrs", "unavailable NAME attrs".
class SavedOwner : public Saver {
 public:
  using Saver::Saver;
  ~SavedOwner() RTI_NOEXCEPT override {
    try {
      if (!isGone()) rti().resignFederationExecution(rti1516e::CANCEL_THEN_DELETE_THEN_DIVEST);
    } catch (const rti1516e::Exception&) {
    }
    end();
  }
  void turnUpdatesOnForObjectInstance(rti1516e::ObjectInstanceHandle instance,
                                      const rti1516e::AttributeHandleSet& attributes) override {
    note("on", instance, attributes);
  }
  void turnUpdatesOnForObjectInstance(rti1516e::ObjectInstanceHandle instance,
                                      const rti1516e::AttributeHandleSet& attributes,
                                      const std::wstring& rate) override {
    note("on", instance, attributes, " at " + narrow(rate));
  }
  void turnUpdatesOffForObjectInstance(rti1516e::ObjectInstanceHandle instance,
                                       const rti1516e::AttributeHandleSet& attributes) override {
    note("off", instance, attributes);
  }
  void requestAttributeOwnershipRelease(rti1516e::ObjectInstanceHandle instance,
                                        const rti1516e::AttributeHandleSet& attributes,
                                        const rti1516e::VariableLengthData&) override {
    note("asked", instance, attributes);
  }
  void attributeOwnershipAcquisitionNotification(rti1516e::ObjectInstanceHandle instance,
                                                 const rti1516e::AttributeHandleSet& attributes,
                                                 const rti1516e::VariableLengthData&) override {
    note("acquired", instance, attributes);
  }
  void attributeOwnershipUnavailable(rti1516e::ObjectInstanceHandle instance,
                                     const rti1516e::AttributeHandleSet& attributes) override {
    note("unavailable", instance, attributes);
  }

 private:
  void note(const QString& what, rti1516e::ObjectInstanceHandle instance,
            const rti1516e::AttributeHandleSet& attributes, const QString& more = {}) {
    QStringList names;
    for (const auto& attribute : attributes) {
      names << narrow(rti().getAttributeName(rti().getKnownObjectClassHandle(instance), attribute));
    }
    names.sort();
    write(what + " " + nameOfInstance(instance) + " " + names.join(',') + more);
  }
};
