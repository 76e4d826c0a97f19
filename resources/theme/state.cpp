// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/state.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <QPen>
#include <QPixmapCache>

namespace tutti::theme {

StateColors colors(State state, const Palette& p) {
  switch (state) {
    case State::Running:
      return {p[Token::RunningFg], p[Token::RunningTint], p[Token::RunningFill],
              p[Token::RunningOn]};
    case State::Ok:
      return {p[Token::OkFg], p[Token::OkTint], p[Token::OkFill], p[Token::OkOn]};
    case State::Late:
      return {p[Token::LateFg], p[Token::LateTint], p[Token::LateFill], p[Token::LateOn]};
    case State::Warning:
      return {p[Token::WarningFg], p[Token::WarningTint], p[Token::WarningFill],
              p[Token::WarningOn]};
    case State::Dead:
    case State::Error:
      return {p[Token::DeadFg], p[Token::DeadTint], p[Token::DeadFill], p[Token::DeadOn]};
    case State::Paused:
      return {p[Token::PausedFg], p[Token::PausedTint], p[Token::PausedFill], p[Token::PausedOn]};
    case State::Starting:
    case State::Info:
      return {p[Token::InfoFg], p[Token::InfoTint], p[Token::InfoFg], p[Token::BgPanel]};
    case State::Idle:
    case State::Disabled:
      break;
  }
  return {p[Token::IdleFg], p[Token::IdleTint], p[Token::IdleFg], p[Token::BgPanel]};
}

namespace {

QPen roundPen(const QColor& color, qreal width) {
  return QPen(color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
}

void strokeLine(QPainter& painter, const QColor& color, qreal width, qreal x1, qreal y1, qreal x2,
                qreal y2) {
  painter.setPen(roundPen(color, width));
  painter.drawLine(QPointF(x1, y1), QPointF(x2, y2));
}

QPainterPath octagon() {
  QPainterPath path(QPointF(5, 0.8));
  for (const QPointF point :
       {QPointF(11, 0.8), QPointF(15.2, 5), QPointF(15.2, 11), QPointF(11, 15.2), QPointF(5, 15.2),
        QPointF(0.8, 11), QPointF(0.8, 5)})
    path.lineTo(point);
  path.closeSubpath();
  return path;
}

QPainterPath polygon(std::initializer_list<QPointF> points) {
  QPainterPath path;
  path.addPolygon(QPolygonF(QList<QPointF>(points)));
  path.closeSubpath();
  return path;
}

/// Draws in a box of 16 x 16.
void paintInBox(QPainter& painter, State state, const StateColors& c) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(Qt::NoBrush);
  const QPointF centre(8, 8);
  switch (state) {
    case State::Running:
      painter.setBrush(c.fill);
      painter.drawEllipse(centre, 7, 7);
      painter.fillPath(polygon({{6, 4.8}, {6, 11.2}, {11.4, 8}}), c.on);
      break;
    case State::Ok: {
      QPainterPath check(QPointF(2.5, 8.5));
      check.lineTo(6.2, 12.3);
      check.lineTo(13.5, 4);
      painter.setPen(roundPen(c.fg, 2.2));
      painter.drawPath(check);
      break;
    }
    case State::Starting:
      // Three quarters, open at the upper left; it does not turn.
      painter.setPen(roundPen(c.fg, 1.8));
      painter.drawArc(QRectF(2.4, 2.4, 11.2, 11.2), 90 * 16, -270 * 16);
      break;
    case State::Late: {
      const QPainterPath glass = polygon({{2.5, 1},
                                          {13.5, 1},
                                          {13.5, 3.6},
                                          {9.6, 8},
                                          {13.5, 12.4},
                                          {13.5, 15},
                                          {2.5, 15},
                                          {2.5, 12.4},
                                          {6.4, 8},
                                          {2.5, 3.6}});
      painter.setBrush(c.fill);
      painter.setPen(QPen(c.fg, 1.2, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
      painter.drawPath(glass);
      painter.fillPath(polygon({{5.2, 13.2}, {8, 10.4}, {10.8, 13.2}}), c.on);
      break;
    }
    case State::Warning:
      painter.setBrush(c.fill);
      painter.setPen(QPen(c.fill, 1, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
      painter.drawPath(polygon({{8, 1.2}, {15.4, 14.4}, {0.6, 14.4}}));
      strokeLine(painter, c.on, 1.8, 8, 5.6, 8, 9.8);
      painter.setPen(Qt::NoPen);
      painter.setBrush(c.on);
      painter.drawEllipse(QPointF(8, 12.2), 1.05, 1.05);
      break;
    case State::Dead:
      painter.fillPath(octagon(), c.fill);
      strokeLine(painter, c.on, 1.8, 5.4, 5.4, 10.6, 10.6);
      strokeLine(painter, c.on, 1.8, 10.6, 5.4, 5.4, 10.6);
      break;
    case State::Error:
      painter.fillPath(octagon(), c.fill);
      strokeLine(painter, c.on, 1.9, 8, 4.2, 8, 8.8);
      painter.setPen(Qt::NoPen);
      painter.setBrush(c.on);
      painter.drawEllipse(QPointF(8, 11.6), 1.1, 1.1);
      break;
    case State::Paused:
      painter.setBrush(c.fill);
      painter.drawRoundedRect(QRectF(1.2, 1.2, 13.6, 13.6), 3, 3);
      strokeLine(painter, c.on, 1.9, 6, 5.2, 6, 10.8);
      strokeLine(painter, c.on, 1.9, 10, 5.2, 10, 10.8);
      break;
    case State::Idle:
      painter.setPen(QPen(c.fg, 1.6));
      painter.drawEllipse(centre, 5.6, 5.6);
      break;
    case State::Disabled:
      painter.setPen(QPen(c.fg, 1.6, Qt::SolidLine, Qt::FlatCap));
      painter.drawEllipse(centre, 5.6, 5.6);
      painter.drawLine(QPointF(4, 12), QPointF(12, 4));
      break;
    case State::Info:
      painter.setPen(QPen(c.fg, 1.5));
      painter.drawEllipse(centre, 6.4, 6.4);
      strokeLine(painter, c.fg, 1.7, 8, 7.4, 8, 11.2);
      painter.setPen(Qt::NoPen);
      painter.setBrush(c.fg);
      painter.drawEllipse(QPointF(8, 4.9), 1, 1);
      break;
  }
}

}  // namespace

void paintState(QPainter& painter, const QRectF& rect, State state, const Palette& palette) {
  const qreal side = std::min(rect.width(), rect.height());
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(rect.center().x() - side / 2, rect.center().y() - side / 2);
  painter.scale(side / 16, side / 16);
  paintInBox(painter, state, colors(state, palette));
  painter.restore();
}

QPixmap statePixmap(State state, int size, const Palette& palette, qreal devicePixelRatio) {
  const QString key = QStringLiteral("tutti-state-%1-%2-%3-%4")
                          .arg(static_cast<int>(state))
                          .arg(size)
                          .arg(static_cast<int>(palette.mode()))
                          .arg(devicePixelRatio);
  QPixmap pixmap;
  if (QPixmapCache::find(key, &pixmap)) return pixmap;
  pixmap = QPixmap(QSizeF(size * devicePixelRatio, size * devicePixelRatio).toSize());
  pixmap.setDevicePixelRatio(devicePixelRatio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  paintState(painter, QRectF(0, 0, size, size), state, palette);
  painter.end();
  QPixmapCache::insert(key, pixmap);
  return pixmap;
}

QString stateWord(State state) {
  switch (state) {
    case State::Running:
      return QCoreApplication::translate("State", "running");
    case State::Ok:
      return QCoreApplication::translate("State", "passed");
    case State::Starting:
      return QCoreApplication::translate("State", "starting");
    case State::Late:
      return QCoreApplication::translate("State", "late");
    case State::Warning:
      return QCoreApplication::translate("State", "warning");
    case State::Dead:
      return QCoreApplication::translate("State", "dead");
    case State::Error:
      return QCoreApplication::translate("State", "error");
    case State::Paused:
      return QCoreApplication::translate("State", "paused");
    case State::Idle:
      return QCoreApplication::translate("State", "not running");
    case State::Disabled:
      return QCoreApplication::translate("State", "disabled");
    case State::Info:
      return QCoreApplication::translate("State", "note");
  }
  return {};
}

int severity(State state) {
  switch (state) {
    case State::Dead:
    case State::Error:
      return 0;
    case State::Late:
      return 1;
    case State::Warning:
      return 2;
    case State::Paused:
      return 3;
    case State::Info:
      return 4;
    case State::Starting:
      return 5;
    case State::Running:
      return 6;
    case State::Ok:
      return 7;
    case State::Idle:
      return 8;
    case State::Disabled:
      return 9;
  }
  return 9;
}

State worse(State a, State b) { return severity(b) < severity(a) ? b : a; }

}  // namespace tutti::theme
