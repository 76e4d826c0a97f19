// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/icons.h"

#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QHash>
#include <QIconEngine>
#include <QLoggingCategory>
#include <QPainter>
#include <QPixmapCache>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <optional>

namespace tutti::theme {

namespace {

Q_LOGGING_CATEGORY(lcIcons, "tutti.theme.icons", QtWarningMsg)

QString pathOf(const QString& name) {
  if (name.startsWith(u'/')) return QFile::exists(name) ? name : QString();  // a component's own
  for (const QString& path :
       {QStringLiteral(":/icons/%1.svg").arg(name), QStringLiteral(":/breeze/%1.svg").arg(name)})
    if (QFile::exists(path)) return path;
  return {};
}

/// The source text of an icon; read once.
const QByteArray& sourceOf(const QString& name) {
  static QHash<QString, QByteArray> sources;
  auto found = sources.find(name);
  if (found == sources.end()) {
    loadResources();
    QByteArray text;
    QFile file(pathOf(name));
    if (file.open(QIODevice::ReadOnly)) {
      text = file.readAll();
    } else {
      qCWarning(lcIcons, "no icon is called '%s'", qPrintable(name));
      text = R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="3" y="3"
                width="10" height="10" fill="none" stroke="currentColor"/></svg>)";
    }
    found = sources.insert(name, text);
  }
  return found.value();
}

/// Icons with colours of their own (states, the mark) come ready for each theme.
bool hasOwnColors(const QString& name) {
  return sourceOf(name).contains('@') && name != QStringLiteral("check-on-accent");
}

void renderOwnColors(QPainter& painter, const QRectF& rect, const QString& name,
                     const Palette& palette) {
  QSvgRenderer renderer(
      QStringLiteral(":/icons/%1/%2.svg")
          .arg(palette.isDark() ? QStringLiteral("dark") : QStringLiteral("light"), name));
  renderer.render(&painter, rect);
}

void renderSvg(QPainter& painter, const QRectF& rect, const QString& name, const QColor& color) {
  static const QRegularExpression kToken(QStringLiteral("@[a-z0-9.]+@"));
  QString text = QString::fromUtf8(sourceOf(name));
  text.replace(QStringLiteral("currentColor"), color.name());
  text.replace(QStringLiteral("color:#232629"), QStringLiteral("color:") + color.name());  // Breeze
  text.replace(kToken, color.name());
  QSvgRenderer renderer(text.toUtf8());
  const qreal side = std::min(rect.width(), rect.height());
  QRectF square(0, 0, side, side);
  square.moveCenter(rect.center());
  renderer.render(&painter, square);
}

/// Renders on demand in the colour the current palette asks for.
class ThemedIconEngine : public QIconEngine {
 public:
  ThemedIconEngine(QString name, std::optional<Token> color)
      : name_(std::move(name)), color_(color) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    if (!color_ && hasOwnColors(name_))
      renderOwnColors(*painter, rect, name_, Palette::of(QGuiApplication::palette()));
    else
      paintIcon(*painter, rect, name_, colorFor(mode, state));
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    return scaledPixmap(size, mode, state, 1.0);
  }

  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal) override {
    const QColor color = colorFor(mode, state);
    const bool own = !color_ && hasOwnColors(name_);
    const QString key = QStringLiteral("tutti-icon-%1-%2x%3-%4")
                            .arg(name_)
                            .arg(size.width())
                            .arg(size.height())
                            .arg(own ? QStringLiteral("own") : color.name());
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    pixmap = QPixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    const QRectF box(0, 0, size.width(), size.height());
    if (own)
      renderOwnColors(painter, box, name_, Palette::of(QGuiApplication::palette()));
    else
      renderSvg(painter, box, name_, color);
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
  }

  QIconEngine* clone() const override { return new ThemedIconEngine(name_, color_); }
  QString iconName() override { return name_; }
  bool isNull() override { return false; }

 private:
  QColor colorFor(QIcon::Mode mode, QIcon::State state) const {
    const Palette palette = Palette::of(QGuiApplication::palette());
    if (color_) return palette[*color_];
    if (mode == QIcon::Disabled) {
      // Disabled text is muted; an icon without text may be fainter than that.
      QColor color = palette[Token::TextMuted];
      const QColor back = palette[Token::BgWindow];
      return QColor((color.red() + back.red()) / 2, (color.green() + back.green()) / 2,
                    (color.blue() + back.blue()) / 2);
    }
    return palette[state == QIcon::On ? Token::TextLink : Token::TextSecondary];
  }

  QString name_;
  std::optional<Token> color_;
};

}  // namespace

QIcon icon(const QString& name) { return QIcon(new ThemedIconEngine(name, std::nullopt)); }

QIcon icon(const QString& name, Token color) { return QIcon(new ThemedIconEngine(name, color)); }

void paintIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& color) {
  // A cached pixmap is some ten times faster than the SVG and just as sharp at this scale.
  const qreal ratio = painter.device() ? painter.device()->devicePixelRatioF() : 1.0;
  const qreal scale = painter.worldTransform().m11() * ratio;
  const QSize size = (rect.size() * scale).toSize();
  if (size.isEmpty()) return;
  const QString key = QStringLiteral("tutti-icon-%1-%2x%3-%4")
                          .arg(name)
                          .arg(size.width())
                          .arg(size.height())
                          .arg(color.name());
  QPixmap pixmap;
  if (!QPixmapCache::find(key, &pixmap)) {
    pixmap = QPixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter inner(&pixmap);
    renderSvg(inner, QRectF(QPointF(), QSizeF(size)), name, color);
    inner.end();
    QPixmapCache::insert(key, pixmap);
  }
  painter.drawPixmap(rect, pixmap, QRectF(QPointF(), QSizeF(size)));
}

bool hasIcon(const QString& name) {
  loadResources();
  return !pathOf(name).isEmpty();
}

QStringList iconNames() {
  loadResources();
  QStringList names;
  for (const QString& folder : {QStringLiteral(":/icons"), QStringLiteral(":/breeze")})
    for (const QString& file : QDir(folder).entryList({QStringLiteral("*.svg")}, QDir::Files))
      names << file.chopped(4);
  names.sort();
  return names;
}

}  // namespace tutti::theme
