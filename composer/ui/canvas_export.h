// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <tl/expected.hpp>

namespace tutti::composer {

class CanvasScene;
class Document;

/// The canvas as a picture (.svg, .png): all of it, whatever part is on the screen, without what is
/// selected or dimmed. The format follows the path's ending.
tl::expected<void, QString> exportCanvas(const CanvasScene& scene, const QString& path);

/// The data flow that the lines show, as a table (.csv): a row for each federate that publishes or
/// subscribes a class, those included whose subscription nobody publishes.
tl::expected<void, QString> exportDataFlow(const Document& document, const QString& path);

}  // namespace tutti::composer
