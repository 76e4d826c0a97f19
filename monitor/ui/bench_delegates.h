// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "resources/theme/tokens.h"

class QAbstractItemDelegate;
class QObject;
class QWidget;

/// How the lists and tables of the Benchmarks page paint their rows.
namespace tutti::monitor {

class BenchTableModel;

/// Height of a row of the table of results, px.
inline constexpr int benchTableRow = theme::height::kRow;

/// For a ShownModel: check box, two lines, and the series' stroke at the right; a click or Space
/// checks.
QAbstractItemDelegate* makeShownDelegate(QObject* parent);
/// The stroke of the series before its name; `model` outlives it.
QAbstractItemDelegate* makeSeriesDelegate(const BenchTableModel* model, QObject* parent);
/// For a CompareModel: the spread of the repeats before as a box, that after as a bar with its
/// median.
QAbstractItemDelegate* makeSpreadDelegate(QObject* parent);
/// For a CompareModel: the change in the colour of its verdict; noise is muted.
QAbstractItemDelegate* makeChangeDelegate(QObject* parent);
/// Explains the spread column.
QWidget* makeCompareLegend(QWidget* parent = nullptr);

}  // namespace tutti::monitor
