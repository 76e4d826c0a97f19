// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <chrono>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>

namespace tutti::monitor {

/// An attribute of an object instance, by its names.
struct InstanceAttribute {
  QString instance;
  QString attribute;

  /// Of "INSTANCE.ATTRIBUTE": an attribute's name has no dot, an instance's may have some. Nothing:
  /// it is not of that form.
  static std::optional<InstanceAttribute> parsed(const QString& text);
  [[nodiscard]] QString text() const;
};

/// Who owns an instance attribute.
struct AttributeOwner {
  bool isOwned = false;
  QString federate;  ///< empty: nobody, or the RTI itself

  /// "radar-west", "nobody", "the RTI"
  [[nodiscard]] QString text() const;
};

/// What came of a change of the owner.
struct ModifiedAttribute {
  AttributeOwner before;
  AttributeOwner now;
  bool isDone = false;
  QString refused;  ///< why the federate did not do it; empty: it did, or may yet

  /// Why it is not done, and what can be done, a sentence; empty when it is.
  [[nodiscard]] QString whyNot(const QString& federate) const;
};

/// Has `federate` own the instance attribute, or own it no longer, by
/// HLAmanager.HLAfederate.HLAadjust.HLAmodifyAttributeState of the MOM (IEEE 1516.1-2010, 11.4): no
/// federate hears of it by a callback, but that an attribute that nobody owns any more is offered.
/// Waits until it is done, at most `patience`, or until `stop` is asked for; a federate that has
/// not done it by then does it when it evokes callbacks. The error says why nobody was told.
/// Blocks; any thread.
tl::expected<ModifiedAttribute, QString> modifyAttributeState(
    const QString& node, const QString& federation, const QString& federate,
    const InstanceAttribute& which, bool owned, std::chrono::milliseconds patience,
    const std::stop_token& stop = {});

}  // namespace tutti::monitor
