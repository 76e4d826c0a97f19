// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <QPixmap>
#include <QString>

#include "resources/theme/theme.h"

class QPainter;
class QRectF;

namespace tutti::theme {

/// How a thing is. Each has its own silhouette, word and place in lists (see severity).
enum class State {
  Running,
  Ok,
  Starting,
  Late,
  Warning,
  Dead,
  Error,  ///< A finding that stops a run: Dead's octagon with an exclamation mark.
  Paused,
  Idle,
  Disabled,
  Info,
};

/// The four colours of a state; states without a fill repeat their foreground there.
struct StateColors {
  QColor fg;    ///< Text and icon on any surface.
  QColor tint;  ///< Background of pills, rows, banners.
  QColor fill;  ///< Bands, bars and solid marks.
  QColor on;    ///< Text on fill.
};

StateColors colors(State state, const Palette& palette);

/// Draws the state's icon into the square inside `rect`; the geometry is that of
/// icons/state-*.svg. Crisp at any size and device-pixel ratio.
void paintState(QPainter& painter, const QRectF& rect, State state, const Palette& palette);

/// The icon as a pixmap of `size` device-independent px.
QPixmap statePixmap(State state, int size, const Palette& palette, qreal devicePixelRatio = 1);

/// The word beside the icon, lower case: "running", "late".
QString stateWord(State state);

/// Order in lists, worst first: 0 dead and error, then late, warning, paused, info, starting,
/// running, ok, idle, disabled.
int severity(State state);
/// The worse of two.
State worse(State a, State b);

}  // namespace tutti::theme

Q_DECLARE_METATYPE(tutti::theme::State)
