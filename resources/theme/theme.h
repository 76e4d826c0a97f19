// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>
#include <functional>

#include "resources/theme/tokens.h"

class QApplication;
class QStyleOption;
class QWidget;

namespace tutti::theme {

/// The colours of one appearance. Cheap to copy. Painting code asks the widget it paints for,
/// `Palette::of(widget->palette())`, so it follows a theme change and an export can take
/// `Palette(Mode::Light)` whatever the screen shows.
class Palette {
 public:
  explicit constexpr Palette(Mode mode = Mode::Light) : mode_(mode) {}

  /// The appearance a Qt palette belongs to, told by how light its window colour is.
  static Palette of(const QPalette& palette);
  static Palette of(const QWidget* widget);

  Mode mode() const { return mode_; }
  bool isDark() const { return mode_ == Mode::Dark; }
  QColor operator[](Token token) const { return QColor::fromRgba(rgb(token, mode_)); }
  QColor color(Token token) const { return (*this)[token]; }
  /// Series 1 to 8 for an index of any size; the ninth and later ones are grey.
  QColor series(int index) const;

  /// The Qt palette that VISUAL's mapping prescribes for this appearance.
  QPalette toQPalette() const;

 private:
  Mode mode_;
};

/// Steps of the type scale, for painting. Widgets use the style sheet's "role" property instead.
enum class TextStyle { Caption, Table, Body, Label, Heading, Title, Hero, Mono };

/// Font of a step; sizes are pixels at 100 %.
QFont textFont(TextStyle style);
/// The same in another weight.
QFont textFont(TextStyle style, QFont::Weight weight);

class Restyler;

/// Which appearance the operator chose.
enum class Appearance { System, Light, Dark };

/// Applies one appearance to the application. One object lives in main().
class Theme : public QObject {
  Q_OBJECT
 public:
  /// Registers fonts and resources. Needs a QApplication.
  explicit Theme(QObject* parent = nullptr);

  Appearance appearance() const { return appearance_; }
  Mode mode() const { return mode_; }
  Palette palette() const { return Palette(mode_); }

  /// Sets palette, style sheet and font once on the application and clears cached pixmaps. What is
  /// in sight changes at once; what is not, when it is shown or the event loop is idle.
  void apply(Appearance appearance);
  /// False while widgets out of sight have still to change.
  bool isApplied() const;

 Q_SIGNALS:
  /// After all widgets in sight have the new palette.
  void changed();

 private:
  Appearance appearance_ = Appearance::System;
  Mode mode_ = Mode::Light;
  bool applied_ = false;
  Restyler* restyler_;
};

/// Loads what tutti_theme carries in its resources (fonts, icons, style sheets). Theme calls it; a
/// test that paints without a Theme calls it itself.
void loadResources();

/// Calls `update` now and after each theme change, as long as `widget` lives. For what does not
/// paint itself from Palette::of(this), such as plots and rich text.
void followTheme(QWidget* widget, std::function<void(const Palette&)> update);

/// True when animations must not move anything (setting or desktop).
bool reducedMotion();
void setReducedMotion(bool on);
/// A duration of tokens' motion group, or 0 with reduced motion.
int duration(int milliseconds);

}  // namespace tutti::theme
