// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <tl/expected.hpp>

class QAbstractItemModel;

namespace tutti::composer {
class Document;
}

namespace tutti::launcher {

class ConnectionsGraph;
class PlacementBoard;

// What the page Deploy shows, as files; the title says of which federation execution.

/// The start order as a table (.csv): all rows, whatever is filtered on the screen.
tl::expected<void, QString> exportLaunchOrder(const composer::Document& document,
                                              const QAbstractItemModel& order, const QString& path);
/// Pictures: .svg or .png.
tl::expected<void, QString> exportPlacement(const composer::Document& document,
                                            const PlacementBoard& board, const QString& path);
tl::expected<void, QString> exportConnections(const composer::Document& document,
                                              const ConnectionsGraph& graph, const QString& path);

}  // namespace tutti::launcher
