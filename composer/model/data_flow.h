// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::composer {

class Catalog;
struct Composition;

/// A federate at one end of a class.
struct FlowEnd {
  QString federate;  ///< id
  int count = 1;     ///< instances of the federate
  std::optional<double>
      rate;  ///< messages per second it sends, or is expected to receive; nothing when unknown
  QStringList attributes;  ///< published or received; empty: all, or an interaction
  QString asClass;         ///< subscriber: the class it subscribes, the same or an ancestor
};

/// One published class with everybody who sends and receives it.
struct ClassFlow {
  QString className;  ///< fully qualified
  bool isObject = true;
  int series = 0;  ///< position of its colour: 0 to 7, from 8 on none of its own; see ClassSeries
  std::vector<FlowEnd> publishers;   ///< by federate id
  std::vector<FlowEnd> subscribers;  ///< by federate id; may be empty
  std::optional<double>
      rate;  ///< sum over the publishers, messages per second; nothing when all are unknown
  bool hub =
      false;  ///< two or more publishers and two or more subscribers: drawn as a pill between them

  [[nodiscard]] QString shortName() const;
};

/// The colours of the classes of one composition. A class keeps its colour while the composition is
/// edited: what it was given first is remembered, also while nobody publishes it. A new class takes
/// the colour that belongs to its name, or the next one that no class of the data flow has.
class ClassSeries {
 public:
  /// Colours there are; classes beyond them share one that says nothing.
  static constexpr int kCount = 8;

  /// Gives each of the classes its `series`.
  void assign(std::vector<ClassFlow>& flows);
  void clear() { known_.clear(); }

 private:
  std::map<std::pair<bool, QString>, int> known_;  ///< by kind and name
};

/// A subscription that nobody publishes to.
struct UnmetSubscription {
  QString federate;
  QString className;
  bool isObject = true;
};

/// One line to draw. An empty end is the hub of the class.
struct FlowEdge {
  QString from;  ///< federate id or empty
  QString to;    ///< federate id or empty
  QString className;
  bool isObject = true;
  std::optional<double> rate;  ///< messages per second
};

/// Who sends what to whom, as derived from the manifests of the enabled federates; never drawn by
/// hand.
struct DataFlow {
  std::vector<ClassFlow> flows;
  std::vector<UnmetSubscription> unmet;

  [[nodiscard]] std::vector<FlowEdge> edges() const;
  [[nodiscard]] const ClassFlow* find(const QString& className, bool isObject) const;
};

/// A subscriber receives a class that it subscribes or whose ancestor it subscribes (IEEE
/// 1516.1-2010, 5.1.2), when the attributes overlap; nobody receives what it sent itself, but
/// instances of one box receive each other's. Colours are those of a composition just opened.
DataFlow deriveDataFlow(const Composition& composition, const Catalog& catalog);

/// True when `ancestor` is `className` or one of its superclasses; both fully qualified.
bool isSameOrAncestor(const QString& ancestor, const QString& className);

}  // namespace tutti::composer
