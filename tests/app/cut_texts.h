// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QWidget;

namespace tutti::test {

/// The texts in `root` that a person cannot read whole: of labels, buttons, tabs, fields, choices
/// and headers in sight, those that are wider or higher than the room they have, or lie outside of
/// the widget they stand in. A label that leaves out the end of a long text has to have all of it
/// as its tool tip. Each as "class name: text, needs 120 x 16, has 100 x 16".
QStringList cutTexts(const QWidget& root);

}  // namespace tutti::test
