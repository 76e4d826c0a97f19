// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/theme.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QDir>
#include <QEvent>
#include <QFile>
#include <QFontDatabase>
#include <QPixmapCache>
#include <QProxyStyle>
#include <QStyleOption>
#include <QToolTip>
#include <QWidget>
#include <array>
#include <utility>

#include "resources/theme/restyler.h"
#include "resources/theme/widgets.h"

// Outside any namespace, as Q_INIT_RESOURCE demands.
static void initThemeResources() { Q_INIT_RESOURCE(tutti_theme); }

namespace tutti::theme {

namespace {

bool g_reducedMotion = false;

/// Tells a widget's owner of palette changes without subclassing the widget.
class ThemeFollower : public QObject {
 public:
  ThemeFollower(QWidget* widget, std::function<void(const Palette&)> update)
      : QObject(widget), update_(std::move(update)), mode_(Palette::of(widget).mode()) {
    widget->installEventFilter(this);
    update_(Palette(mode_));
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
      const Palette palette = Palette::of(qApp->palette());
      if (palette.mode() != mode_) {
        mode_ = palette.mode();
        update_(palette);
      }
    }
    return QObject::eventFilter(watched, event);
  }

 private:
  std::function<void(const Palette&)> update_;
  Mode mode_;
};

/// Fusion without underlined letters in menus; Alt and the letter still work.
class ConsoleStyle : public QProxyStyle {
 public:
  ConsoleStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* returnData) const override {
    if (hint == SH_UnderlineShortcut || hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;
    return QProxyStyle::styleHint(hint, option, widget, returnData);
  }

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    // Fusion fills the row that has the focus with a gradient. Here it is flat, with the ring that
    // all things have whom the keyboard has reached.
    if (element == PE_FrameFocusRect) {
      // A row of a tree names its view in the option only.
      const auto* view = qobject_cast<const QAbstractItemView*>(option->styleObject);
      if (view != nullptr) {
        if (hasVisibleFocus(view)) {
          paintFocusRing(*painter, option->rect, radius::kCell, Palette::of(view));
        }
        return;
      }
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
  }
};

/// Names the folder in which the style sheet of the current theme is found.
QString sheetFolder() { return QStringLiteral("tuttitheme"); }

QFont makeFont(const type::Scale& scale, QFont::Weight weight) {
  QFont result(QString::fromLatin1(type::kFamily));
  result.setFamilies(
      {QString::fromLatin1(type::kFamily), QStringLiteral("Inter"), QStringLiteral("Noto Sans")});
  result.setPixelSize(scale.size);
  result.setWeight(weight);
  return result;
}

const type::Scale& scaleOf(TextStyle style) {
  switch (style) {
    case TextStyle::Caption:
      return type::kCaption;
    case TextStyle::Table:
      return type::kTable;
    case TextStyle::Label:
      return type::kLabel;
    case TextStyle::Heading:
      return type::kHeading;
    case TextStyle::Title:
      return type::kTitle;
    case TextStyle::Hero:
      return type::kHero;
    case TextStyle::Body:
    case TextStyle::Mono:
      break;
  }
  return type::kBody;
}

}  // namespace

Palette Palette::of(const QPalette& palette) {
  // Style sheets change Window and the text roles of single widgets ("transparent" is black to
  // QColor), but never this one.
  return Palette(palette.color(QPalette::ToolTipBase).lightness() < 128 ? Mode::Dark : Mode::Light);
}

Palette Palette::of(const QWidget* widget) { return of(widget->palette()); }

QColor Palette::series(int index) const {
  static constexpr std::array kSeries{Token::Series1, Token::Series2, Token::Series3,
                                      Token::Series4, Token::Series5, Token::Series6,
                                      Token::Series7, Token::Series8};
  if (index < 0 || index >= static_cast<int>(kSeries.size())) return (*this)[Token::IdleFg];
  return (*this)[kSeries[static_cast<std::size_t>(index)]];
}

QPalette Palette::toQPalette() const {
  const Palette& p = *this;
  QPalette q;
  q.setColor(QPalette::Window, p[Token::BgWindow]);
  q.setColor(QPalette::Base, p[Token::BgPanel]);
  q.setColor(QPalette::AlternateBase, p[Token::BgSunken]);
  for (const auto role : {QPalette::Button, QPalette::ToolTipBase, QPalette::Light})
    q.setColor(role, p[Token::BgRaised]);
  for (const auto role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText})
    q.setColor(role, p[Token::TextPrimary]);
  q.setColor(QPalette::PlaceholderText, p[Token::TextMuted]);
  q.setColor(QPalette::Highlight, p[Token::Accent]);
  q.setColor(QPalette::HighlightedText, p[Token::AccentOn]);
  q.setColor(QPalette::Link, p[Token::TextLink]);
  q.setColor(QPalette::LinkVisited, p[Token::TextLink]);
  q.setColor(QPalette::Midlight, p[Token::LineSubtle]);
  q.setColor(QPalette::Mid, p[Token::LineStrong]);
  q.setColor(QPalette::Shadow, p[Token::LineStrong]);
  q.setColor(QPalette::Dark, p[Token::LineControl]);
  q.setColor(QPalette::BrightText, p[Token::DeadFg]);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    q.setColor(QPalette::Disabled, role, p[Token::TextMuted]);
  q.setColor(QPalette::Disabled, QPalette::Highlight, p[Token::BgSelectedIdle]);
  q.setColor(QPalette::Disabled, QPalette::HighlightedText, p[Token::TextMuted]);
  return q;
}

QFont textFont(TextStyle style) {
  const type::Scale& scale = scaleOf(style);
  if (style == TextStyle::Mono) {
    QFont mono(QString::fromLatin1(type::kMono));
    mono.setStyleHint(QFont::Monospace);
    mono.setPixelSize(type::kCaption.size);
    return mono;
  }
  return makeFont(scale, static_cast<QFont::Weight>(scale.weight));
}

QFont textFont(TextStyle style, QFont::Weight weight) {
  QFont result = textFont(style);
  result.setWeight(weight);
  return result;
}

void loadResources() {
  static const bool loaded = [] {
    initThemeResources();
    for (const char* weight : {"Regular", "Medium", "SemiBold"})
      QFontDatabase::addApplicationFont(
          QStringLiteral(":/fonts/TuttiSans-%1.otf").arg(QLatin1String(weight)));
    return true;
  }();
  static_cast<void>(loaded);
}

Theme::Theme(QObject* parent) : QObject(parent), restyler_(new Restyler(this)) { loadResources(); }

bool Theme::isApplied() const { return !restyler_->isBusy(); }

void Theme::apply(Appearance appearance) {
  // Qt 6.4 has no colour-scheme hint: what the desktop wants shows in the palette it gave us.
  static const bool systemIsDark =
      QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
  const Mode mode =
      appearance == Appearance::Dark || (appearance == Appearance::System && systemIsDark)
          ? Mode::Dark
          : Mode::Light;
  const bool same = applied_ && mode == mode_;
  appearance_ = appearance;
  mode_ = mode;
  if (same) return;
  const QPalette qpalette = palette().toQPalette();
  QApplication::setPalette(qpalette);
  QToolTip::setPalette(qpalette);
  QDir::setSearchPaths(sheetFolder(), {mode_ == Mode::Dark ? QStringLiteral(":/qss/dark")
                                                           : QStringLiteral(":/qss/light")});
  if (!std::exchange(applied_, true)) {
    QApplication::setFont(textFont(TextStyle::Body));
    qApp->setStyleSheet(QStringLiteral("file:///%1:sheet.qss").arg(sheetFolder()));
  }
  // A new style reads the sheet anew and polishes each widget once. Qt 6.4 does it otherwise when a
  // style sheet is replaced: each widget again for each of its ancestors.
  restyler_->apply(new ConsoleStyle);
  QPixmapCache::clear();
  Q_EMIT changed();
}

void followTheme(QWidget* widget, std::function<void(const Palette&)> update) {
  new ThemeFollower(widget, std::move(update));
}

bool reducedMotion() { return g_reducedMotion; }
void setReducedMotion(bool on) { g_reducedMotion = on; }
int duration(int milliseconds) { return g_reducedMotion ? 0 : milliseconds; }

}  // namespace tutti::theme
