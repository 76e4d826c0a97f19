// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPen>
#include <QString>
#include <optional>

#include "composer/model/checks.h"
#include "composer/model/manifest.h"
#include "resources/theme/state.h"

class QPainter;

namespace tutti::composer {

class Document;

/// Makes a pen as wide on the screen as it is now at 100 % zoom, at any zoom and on any screen: a
/// cosmetic pen counts pixels of the device.
void makeCosmetic(QPen& pen, const QPainter& painter);

/// Theme icon or SVG path of a component; a plain box when its manifest is missing.
QString iconOf(const Manifest* manifest);

theme::State stateOf(Severity severity);

/// The worst finding about a federate as a state; disabled when it is; nothing when it is healthy.
std::optional<theme::State> stateOf(const Document& document, const QString& federateId);

/// "radar 1.4", "aircraft-flow 2.1 × 12".
QString componentText(const Document& document, const QString& federateId);

/// Rate with its unit for people: "4.00 k/s", "0.40 /s", "–" when unknown.
QString rateText(const std::optional<double>& perSecond);

/// A file for a command line that works in any folder: absolute, the home folder as ~.
QString shellPath(const QString& file);

}  // namespace tutti::composer
