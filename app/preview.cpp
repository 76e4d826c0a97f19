// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preview.h"

#include <QHash>
#include <QPainter>
#include <QPainterPath>

#include "composer/model/catalog.h"
#include "resources/theme/theme.h"

namespace tutti::app {

using theme::Palette;
using theme::Token;

namespace {

constexpr QSizeF kBox(150, 74);
constexpr double kLargestScale = 0.36;

}  // namespace

Preview::Preview(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
}

void Preview::setComposition(const composer::Composition& composition,
                             const composer::Catalog& catalog) {
  boxes_.clear();
  lines_.clear();
  QHash<QString, int> index;
  for (const auto& [id, federate] : composition.federates) {
    index.insert(id, static_cast<int>(boxes_.size()));
    boxes_ << Box{id, QRectF(federate.position, kBox)};
  }
  const composer::DataFlow flow = composer::deriveDataFlow(composition, catalog);
  for (const composer::ClassFlow& one : flow.flows)
    for (const composer::FlowEnd& publisher : one.publishers)
      for (const composer::FlowEnd& subscriber : one.subscribers)
        if (publisher.federate != subscriber.federate && lines_.size() < 400)
          lines_ << Line{index.value(publisher.federate), index.value(subscriber.federate),
                         one.series};
  update();
}

void Preview::setEmpty() {
  boxes_.clear();
  lines_.clear();
  update();
}

void Preview::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette palette = Palette::of(this);
  if (boxes_.isEmpty()) {
    QRectF box(0, 0, 56, 28);
    box.moveCenter(QRectF(rect()).center());
    painter.setPen(QPen(palette[Token::LineControl], 1, Qt::DashLine));
    painter.drawRoundedRect(box, 4, 4);
    const QPointF centre = box.center();
    painter.setPen(QPen(palette[Token::TextMuted], 1.4));
    painter.drawLine(centre - QPointF(5, 0), centre + QPointF(5, 0));
    painter.drawLine(centre - QPointF(0, 5), centre + QPointF(0, 5));
    return;
  }
  QRectF bounds;
  for (const Box& box : boxes_) bounds |= box.rect;
  const QRectF room = QRectF(rect()).adjusted(6, 6, -6, -6);
  const double scale =
      std::min({room.width() / bounds.width(), room.height() / bounds.height(), kLargestScale});
  painter.translate(room.center());
  painter.scale(scale, scale);
  painter.translate(-bounds.center());
  for (const Line& line : lines_) {
    const QRectF from = boxes_[line.from].rect;
    const QRectF to = boxes_[line.to].rect;
    const QPointF start(from.right(), from.center().y());
    const QPointF end(to.left(), to.center().y());
    const double bend = std::max(40.0, std::abs(end.x() - start.x()) * 0.5);
    QPainterPath path(start);
    path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end);
    QPen pen(palette.series(line.series), 1.3);
    pen.setCosmetic(true);
    painter.strokePath(path, pen);
  }
  QPen outline(palette[Token::LineControl], 1);
  outline.setCosmetic(true);
  painter.setPen(outline);
  painter.setBrush(palette[Token::BgRaised]);
  const double radius = 3 / scale;
  for (const Box& box : boxes_) painter.drawRoundedRect(box.rect, radius, radius);
}

}  // namespace tutti::app
