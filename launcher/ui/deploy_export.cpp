// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/deploy_export.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QPainter>

#include "composer/model/document.h"
#include "launcher/ui/connections_view.h"
#include "launcher/ui/placement_board.h"
#include "resources/theme/exporter.h"
#include "resources/theme/theme.h"

namespace tutti::launcher {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("DeployExport", text); }

QString titleOf(const composer::Document& document, const QString& what) {
  return QStringLiteral("%1, %2, %3")
      .arg(document.composition().settings.federation, what,
           QDateTime::currentDateTime().toString(Qt::ISODate));
}

}  // namespace

tl::expected<void, QString> exportLaunchOrder(const composer::Document& document,
                                              const QAbstractItemModel& order,
                                              const QString& path) {
  return theme::exportCsv(order, titleOf(document, tr("launch order")), path);
}

tl::expected<void, QString> exportPlacement(const composer::Document& document,
                                            const PlacementBoard& board, const QString& path) {
  return theme::exportPicture(titleOf(document, tr("placement")), board.fullSize(), path,
                              [&](QPainter& painter) { board.renderLight(painter); });
}

tl::expected<void, QString> exportConnections(const composer::Document& document,
                                              const ConnectionsGraph& graph, const QString& path) {
  return theme::exportPicture(
      titleOf(document, tr("connections")), graph.size(), path,
      [&](QPainter& painter) { graph.paint(painter, theme::Palette(theme::Mode::Light)); });
}

}  // namespace tutti::launcher
