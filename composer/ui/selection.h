// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

namespace tutti::composer {

/// What is selected in the page: federates, or one class, or one group. Canvas, outline, problems
/// and property panel share it and stay in step.
class Selection : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  const QStringList& federates() const { return federates_; }
  /// The only federate, or empty when none or several are selected.
  QString single() const { return federates_.size() == 1 ? federates_.first() : QString(); }
  bool contains(const QString& id) const { return federates_.contains(id); }
  /// Fully qualified name of a selected class hub; empty otherwise.
  const QString& className() const { return className_; }
  /// Id of a selected group; empty otherwise.
  const QString& group() const { return group_; }
  bool isEmpty() const { return federates_.isEmpty() && className_.isEmpty() && group_.isEmpty(); }

  void setFederates(QStringList ids) {
    ids.sort();
    set(std::move(ids), {}, {});
  }
  void setClass(const QString& name) { set({}, name, {}); }
  void setGroup(const QString& id) { set({}, {}, id); }
  void clear() { set({}, {}, {}); }

 Q_SIGNALS:
  void changed();

 private:
  void set(QStringList ids, const QString& className, const QString& group) {
    if (ids == federates_ && className == className_ && group == group_) return;
    federates_ = std::move(ids);
    className_ = className;
    group_ = group;
    Q_EMIT changed();
  }

  QStringList federates_;
  QString className_;
  QString group_;
};

}  // namespace tutti::composer
