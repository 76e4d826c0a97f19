// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include "resources/theme/theme.h"

namespace tutti::theme {

/// Sets every pen, brush and font of a plot (axes, grid, background, legend) to an appearance and
/// replots. Graphs keep their pens: set those with seriesPen. Exports call it with
/// Palette(Mode::Light), then again with the screen's.
void applyPlotTheme(QCustomPlot* plot, const Palette& palette);

/// Applies the current appearance now and after each change.
void applyPlotTheme(QCustomPlot* plot);

/// Pen of series `index` (0 to 7): colour and dash as the visual language numbers them.
QPen seriesPen(int index, const Palette& palette, double width = 2);
/// The bare ring, or whatever else is the limit: 2 px, dash 6-3, no marker.
QPen yardstickPen(const Palette& palette);
/// Published figures of other hardware: 1.5 px, dots 2-3, hollow marker.
QPen referencePen(const Palette& palette);
/// Marker of series `index`: disc, square, triangle up, diamond, triangle down, plus, cross, star.
QCPScatterStyle seriesMarker(int index, const Palette& palette, double size = 6);

}  // namespace tutti::theme
