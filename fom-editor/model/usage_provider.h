// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

namespace tutti::fomedit {

/// A federate of the composition that deals with a class.
struct Usage {
  enum class Kind { Publishes, Subscribes };
  Kind kind = Kind::Publishes;
  QString federate;     ///< name as in the composition
  QString component;    ///< component and version; may be empty
  QStringList members;  ///< attributes; empty: all of them, or an interaction
  QString asClass;      ///< full name of the class it names, this one or a superclass
  bool operator==(const Usage&) const = default;
};

/// Tells the Object model page who uses a class. The window implements it over the composition; the
/// page works without one. Called on the page's thread and expected to answer within milliseconds.
class UsageProvider : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  /// `className` is the full name, "HLAobjectRoot.Track.Flight".
  virtual QList<Usage> usages(const QString& className, bool isObject) const = 0;

 Q_SIGNALS:
  /// Answers may have changed.
  void changed();
};

}  // namespace tutti::fomedit
