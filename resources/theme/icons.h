// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QString>
#include <QStringList>

#include "resources/theme/theme.h"

class QPainter;
class QRectF;

namespace tutti::theme {

/// An icon by name: one of icons/*.svg ("run", "radar", "object-class") or of icons/breeze.txt
/// ("document-save"), or the absolute path of an SVG file drawn with currentColor. Recoloured from
/// text.secondary when drawn (text.link when checked), so it follows a theme change without being
/// set again. An unknown name gives a hollow box and a line in the log.
QIcon icon(const QString& name);

/// The same in one colour at all times.
QIcon icon(const QString& name, Token color);

/// Draws an icon in any colour; for delegates and graphics items.
void paintIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& color);

bool hasIcon(const QString& name);
QStringList iconNames();

}  // namespace tutti::theme
