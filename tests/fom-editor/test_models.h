// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QDir>
#include <QStringList>

#include "fom-editor/model/usage_provider.h"

namespace testmodels {

inline QString data(const QString& name) {
  return QStringLiteral(TUTTI_SOURCE_DIR "/tests/fom-editor/data/") + name;
}

inline QStringList airTraffic() {
  return {data("AirTraffic-Base.xml"), data("AirTraffic-Radar.xml"), data("Weather.xml")};
}

/// The modules of the RPR FOM 2.0, which lie beside the source; empty where they do not.
inline QStringList rpr() {
  const QString given = qEnvironmentVariable("TUTTI_FOMS");
  const QDir folder((given.isEmpty() ? QStringLiteral(TUTTI_SOURCE_DIR "/../shared/foms") : given) +
                    "/rpr2");
  QStringList paths;
  for (const QFileInfo& f : folder.entryInfoList({"RPR-*.xml"}, QDir::Files, QDir::Name)) {
    paths << f.filePath();
  }
  return paths;
}

/// A model as text, a row a line, indented by depth, columns separated by bars.
inline QStringList printed(const QAbstractItemModel& model, const QModelIndex& parent = {},
                           int depth = 0) {
  QStringList lines;
  for (int row = 0; row < model.rowCount(parent); ++row) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(parent); ++column) {
      cells << model.index(row, column, parent).data().toString();
    }
    while (cells.size() > 1 && cells.last().isEmpty()) cells.removeLast();
    lines << QString(depth * 2, u' ') + cells.join(" | ");
    lines << printed(model, model.index(row, 0, parent), depth + 1);
  }
  return lines;
}

/// Answers as a composition of four federates would.
class FakeUsage : public tutti::fomedit::UsageProvider {
 public:
  using UsageProvider::UsageProvider;
  QList<tutti::fomedit::Usage> usages(const QString& className, bool isObject) const override {
    using tutti::fomedit::Usage;
    if (!isObject) return {};
    if (className == "HLAobjectRoot.Track.Flight") {
      return {
          {Usage::Kind::Publishes, "flow-north", "aircraft-flow 1.2", {}, className},
          {Usage::Kind::Publishes, "flow-south", "aircraft-flow 1.2", {}, className},
          {Usage::Kind::Subscribes, "radar-west", "radar 1.4", {"position", "velocity"}, className},
          {Usage::Kind::Subscribes, "log", "traffic-log 1.0", {"position"}, "HLAobjectRoot.Track"}};
    }
    return {};
  }
};

}  // namespace testmodels
