// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/canvas_items.h"

#include <QCoreApplication>
#include <QGraphicsSceneMouseEvent>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <QWidget>
#include <cmath>

#include "composer/model/document.h"
#include "composer/ui/canvas_scene.h"
#include "composer/ui/looks.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::composer {

using theme::Palette;
using theme::State;
using theme::TextStyle;
using theme::Token;

namespace {

// Measures of a box, px at 100 %.
constexpr qreal kHeader = 40;
constexpr qreal kFirstPort = 54;
constexpr qreal kPortRow = 20;
constexpr qreal kBelowPorts = 16;
constexpr qreal kPortRadius = 4;
constexpr qreal kLeastWidth = 140;
constexpr qreal kMostWidth = 232;
constexpr qreal kTextLeft = 34;
constexpr qreal kGroupHeader = 30;

QString tr(const char* text) { return QCoreApplication::translate("Canvas", text); }

qreal zoomOf(const QPainter& painter) {
  return QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter.worldTransform());
}

/// Without a widget the scene is painted into a file: light, for paper, and without what only a
/// person at the screen points at.
Palette paletteOf(const QWidget* widget) {
  return widget ? Palette::of(widget) : Palette(theme::Mode::Light);
}

bool isMarked(const QStyleOptionGraphicsItem& option, QStyle::StateFlag mark,
              const QWidget* widget) {
  return widget && option.state.testFlag(mark);
}

QFont smallFont() { return theme::textFont(TextStyle::Caption, QFont::Normal); }
QFont nameFont() { return theme::textFont(TextStyle::Label, QFont::DemiBold); }

}  // namespace

// NodeItem

NodeItem::NodeItem(CanvasScene& scene, const QString& id, bool isGroup)
    : scene_(scene), id_(id), isGroup_(isGroup) {
  setFlags(ItemIsMovable | ItemIsSelectable | ItemSendsGeometryChanges);
  setAcceptHoverEvents(true);
  setZValue(10);
  read();
}

void NodeItem::refresh() {
  read();
  refreshState();
}

void NodeItem::read() {
  inputs_.clear();
  outputs_.clear();
  if (isGroup_)
    readGroup();
  else
    readFederate();
  measure();
}

void NodeItem::readFederate() {
  const Document& document = scene_.document();
  const Federate* federate = document.federate(id_);
  if (!federate) return;
  const Manifest* manifest = document.manifestOf(id_);
  name_ = federate->name;
  detail_ = componentText(document, id_);
  icon_ = iconOf(manifest);
  enabled_ = federate->enabled;
  many_ = federate->count > 1;
  if (!manifest) return;
  for (const Interest& interest : manifest->subscribes)
    inputs_ << Port{interest.className, interest.shortName(), interest.isObject, -1};
  for (const Interest& interest : manifest->publishes)
    outputs_ << Port{interest.className, interest.shortName(), interest.isObject, -1};
}

void NodeItem::readGroup() {
  const Document& document = scene_.document();
  const auto group = document.composition().groups.find(id_);
  if (group == document.composition().groups.end()) return;
  name_ = group->second.name;
  icon_ = QStringLiteral("group");
  int members = 0;
  enabled_ = false;
  const auto add = [](QList<Port>& ports, const Interest& interest) {
    for (const Port& port : ports)
      if (port.className == interest.className) return;
    ports << Port{interest.className, interest.shortName(), interest.isObject, -1};
  };
  for (const auto& [id, federate] : document.composition().federates) {
    if (federate.group != id_) continue;
    members += federate.count;
    enabled_ = enabled_ || federate.enabled;
    const Manifest* manifest = document.manifestOf(id);
    if (!manifest) continue;
    for (const Interest& interest : manifest->subscribes) add(inputs_, interest);
    for (const Interest& interest : manifest->publishes) add(outputs_, interest);
  }
  many_ = true;
  detail_ = theme::formatNoun(members, tr("federate"), tr("federates"));
}

void NodeItem::refreshState() {
  const Document& document = scene_.document();
  const DataFlow& flow = document.dataFlow();
  const auto seriesOf = [&](const Port& port, bool input) {
    for (const ClassFlow& one : flow.flows) {
      if (one.isObject != port.isObject) continue;
      if (!input && one.className == port.className && !one.subscribers.empty()) return one.series;
      if (input && isSameOrAncestor(port.className, one.className))
        for (const FlowEnd& end : one.subscribers)
          if (end.asClass == port.className &&
              (isGroup_ ? scene_.shownAs(end.federate) == key() : end.federate == id_))
            return one.series;
    }
    return -1;
  };
  for (Port& port : inputs_) port.series = enabled_ ? seriesOf(port, true) : -1;
  for (Port& port : outputs_) port.series = enabled_ ? seriesOf(port, false) : -1;
  if (isGroup_) {
    state_.reset();
    for (const auto& [id, federate] : document.composition().federates) {
      if (federate.group != id_ || !federate.enabled) continue;
      if (const auto state = stateOf(document, id))
        state_ = state_ ? theme::worse(*state_, *state) : *state;
    }
  } else {
    state_ = stateOf(document, id_);
  }
  QStringList lines{QStringLiteral("%1, %2").arg(name_, detail_)};
  for (const Finding& finding : document.findings())
    if (!isGroup_ && finding.where.federate == id_) lines << finding.text;
  setToolTip(lines.join(u'\n'));
  update();
}

void NodeItem::measure() {
  prepareGeometryChange();
  const QFontMetricsF name(nameFont());
  const QFontMetricsF small(smallFont());
  // Details and classes are the same in many boxes, and shaping a text takes its time.
  static QHash<QString, qreal> widths;
  static QFont measured = smallFont();
  if (measured != smallFont() || widths.size() > 5000) widths.clear();
  measured = smallFont();
  const auto widthOf = [&](const QString& text) {
    const auto known = widths.constFind(text);
    return known != widths.constEnd() ? *known
                                      : *widths.insert(text, small.horizontalAdvance(text));
  };
  qreal width = std::max(name.horizontalAdvance(name_) + 22, widthOf(detail_)) + kTextLeft + 12;
  const qsizetype rows = std::max(inputs_.size(), outputs_.size());
  for (qsizetype row = 0; row < rows; ++row) {
    const qreal left = row < inputs_.size() ? widthOf(inputs_[row].label) + 11 : 0;
    const qreal right = row < outputs_.size() ? widthOf(outputs_[row].label) + 11 : 0;
    width = std::max(width, left + right + 16);
  }
  width = std::clamp(std::ceil(width / 4) * 4, kLeastWidth, kMostWidth);
  const qreal height =
      rows == 0 ? kHeader + 8 : kFirstPort + kPortRow * static_cast<qreal>(rows - 1) + kBelowPorts;
  size_ = QSizeF(width, height);
}

qreal NodeItem::portY(qsizetype row) const {
  return kFirstPort + kPortRow * static_cast<qreal>(row);
}

namespace {
int rowOf(const QList<Port>& ports, const QString& className) {
  for (qsizetype i = 0; i < ports.size(); ++i)
    if (ports[i].className == className) return static_cast<int>(i);
  return 0;
}
}  // namespace

int NodeItem::inputRow(const QString& className) const { return rowOf(inputs_, className); }
int NodeItem::outputRow(const QString& className) const { return rowOf(outputs_, className); }

QPointF NodeItem::inputPoint(const QString& className) const {
  for (qsizetype i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].className == className) return pos() + QPointF(0, portY(i));
  return pos() + QPointF(0, kHeader / 2);
}

QPointF NodeItem::outputPoint(const QString& className) const {
  for (qsizetype i = 0; i < outputs_.size(); ++i)
    if (outputs_[i].className == className) return pos() + QPointF(size_.width(), portY(i));
  return pos() + QPointF(size_.width(), kHeader / 2);
}

QRectF NodeItem::boundingRect() const {
  return QRectF(QPointF(), size_).adjusted(-6, -6, 6, many_ ? 10 : 6);
}

QPainterPath NodeItem::shape() const {
  QPainterPath path;
  path.addRoundedRect(QRectF(QPointF(), size_), theme::radius::kNode, theme::radius::kNode);
  return path;
}

namespace {
/// Below this a box is a rectangle without a name.
constexpr qreal kFarZoom = 0.2;
}  // namespace

void NodeItem::paintFar(QPainter& painter, const Palette& palette, qreal zoom) const {
  // The name keeps its size on the screen as long as it fits, then only the state is left.
  constexpr qreal kLargestName = 30;
  constexpr qreal kLeastOnScreen = 9;
  if (zoom * kLargestName >= kLeastOnScreen) {
    QFont far = nameFont();
    far.setPixelSize(qRound(std::clamp(12.0 / zoom, 12.0, kLargestName)));
    const QFontMetricsF metrics(far);
    const qreal room = size_.width() - 16 - (state_ ? 24 / zoom : 0);
    painter.setFont(far);
    painter.setPen(palette[enabled_ ? Token::TextPrimary : Token::TextMuted]);
    painter.drawText(QRectF(8, 0, room, size_.height()), Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(name_, Qt::ElideRight, room));
  }
  if (state_) {
    const qreal side = std::min(14 / zoom, size_.height() * 0.6);
    theme::paintState(painter,
                      QRectF(size_.width() - side - 8, (size_.height() - side) / 2, side, side),
                      *state_, palette);
  }
}

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) {
  const Palette palette = paletteOf(widget);
  const qreal zoom = zoomOf(*painter);
  const bool selected = isMarked(*option, QStyle::State_Selected, widget);
  const QRectF frame(QPointF(), size_);
  painter->setRenderHint(QPainter::Antialiasing);
  const QColor border = selected ? palette[Token::Accent]
                        : isMarked(*option, QStyle::State_MouseOver, widget)
                            ? palette[Token::LineControl]
                            : palette[Token::LineStrong];
  QPen outline(border, selected ? theme::line::kSelect : theme::line::kHair);
  makeCosmetic(outline, *painter);
  if (!enabled_) outline.setDashPattern({3, 3});

  if (many_) {
    // One more edge below: there is more than one of it.
    QPen under(palette[Token::LineStrong], 1);
    makeCosmetic(under, *painter);
    painter->setPen(under);
    painter->drawLine(QPointF(6, size_.height() + 3),
                      QPointF(size_.width() - 6, size_.height() + 3));
  }
  if (zoom < kFarZoom) {
    // So small that round corners are not seen, and hundreds are painted at once.
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->setPen(outline);
    painter->setBrush(palette[selected   ? Token::BgSelected
                              : enabled_ ? Token::BgRaised
                                         : Token::BgSunken]);
    painter->drawRect(frame);
    painter->setRenderHint(QPainter::Antialiasing);
    if (state_) paintFar(*painter, palette, zoom);
    if (widget) paintFocus(*painter, palette, frame);
    return;
  }
  painter->setPen(Qt::NoPen);
  painter->setBrush(palette[enabled_ ? Token::BgRaised : Token::BgSunken]);
  painter->drawRoundedRect(frame, theme::radius::kNode, theme::radius::kNode);
  if (selected && zoom >= 0.35) {
    QPainterPath header;
    header.addRoundedRect(frame, theme::radius::kNode, theme::radius::kNode);
    painter->save();
    painter->setClipRect(QRectF(0, 0, size_.width(), zoom >= 0.7 ? kHeader : size_.height()));
    painter->fillPath(header, palette[Token::BgSelected]);
    painter->restore();
  }
  painter->setPen(outline);
  painter->setBrush(Qt::NoBrush);
  const qreal inset = selected ? 0 : 0.5 / std::max(zoom, 0.1);
  painter->drawRoundedRect(frame.adjusted(inset, inset, -inset, -inset), theme::radius::kNode,
                           theme::radius::kNode);

  if (zoom < 0.7) {
    paintFar(*painter, palette, zoom);
  } else {
    const bool ports = !inputs_.isEmpty() || !outputs_.isEmpty();
    if (ports) {
      QPen subtle(palette[Token::LineSubtle], 1);
      makeCosmetic(subtle, *painter);
      painter->setPen(subtle);
      painter->drawLine(QPointF(1, kHeader), QPointF(size_.width() - 1, kHeader));
    }
    const QColor ink = palette[enabled_ ? Token::TextPrimary : Token::TextMuted];
    theme::paintIcon(*painter, QRectF(10, 12, 16, 16), icon_,
                     palette[enabled_ ? Token::TextSecondary : Token::TextMuted]);
    const qreal room = size_.width() - kTextLeft - 8;
    const qreal nameRoom = room - (state_ ? 22 : 0);
    painter->setFont(nameFont());
    painter->setPen(ink);
    painter->drawText(QRectF(kTextLeft, 4, nameRoom, 18), Qt::AlignVCenter | Qt::AlignLeft,
                      QFontMetricsF(nameFont()).elidedText(name_, Qt::ElideRight, nameRoom));
    const QFont small = smallFont();
    painter->setFont(small);
    painter->setPen(palette[Token::TextMuted]);
    painter->drawText(QRectF(kTextLeft, 20, room, 16), Qt::AlignVCenter | Qt::AlignLeft,
                      QFontMetricsF(small).elidedText(detail_, Qt::ElideRight, room));
    if (state_)
      theme::paintState(*painter, QRectF(size_.width() - 22, 8, 14, 14), *state_, palette);
    painter->setPen(palette[enabled_ ? Token::TextSecondary : Token::TextMuted]);
    for (qsizetype i = 0; i < inputs_.size(); ++i)
      painter->drawText(QRectF(11, portY(i) - 8, size_.width() - 22, 16),
                        Qt::AlignVCenter | Qt::AlignLeft, inputs_[i].label);
    for (qsizetype i = 0; i < outputs_.size(); ++i)
      painter->drawText(QRectF(11, portY(i) - 8, size_.width() - 22, 16),
                        Qt::AlignVCenter | Qt::AlignRight, outputs_[i].label);
  }

  if (zoom >= 0.35) {
    const auto dot = [&](const QPointF& at, const Port& port) {
      // A port that nobody is at the other end of is hollow.
      const bool connected = port.series >= 0;
      painter->setPen(QPen(connected ? palette[Token::BgRaised] : palette[Token::LineControl],
                           connected ? 1.5 : 1.4));
      painter->setBrush(connected ? palette.series(port.series) : palette[Token::BgRaised]);
      if (port.isObject)
        painter->drawEllipse(at, kPortRadius, kPortRadius);
      else
        painter->drawPolygon(
            QPolygonF({at + QPointF(0, -kPortRadius - 0.8), at + QPointF(kPortRadius + 0.8, 0),
                       at + QPointF(0, kPortRadius + 0.8), at + QPointF(-kPortRadius - 0.8, 0)}));
    };
    for (qsizetype i = 0; i < inputs_.size(); ++i) dot(QPointF(0, portY(i)), inputs_[i]);
    for (qsizetype i = 0; i < outputs_.size(); ++i)
      dot(QPointF(size_.width(), portY(i)), outputs_[i]);
  }
  if (widget) paintFocus(*painter, palette, frame);
}

void NodeItem::paintFocus(QPainter& painter, const Palette& palette, const QRectF& frame) const {
  if (scene_.focusNode() != key() || !scene_.showsFocus()) return;
  QPen ring(palette[Token::LineFocus], theme::line::kFocus);
  makeCosmetic(ring, painter);
  painter.setPen(ring);
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(frame.adjusted(-4, -4, 4, 4), 9, 9);
}

QVariant NodeItem::itemChange(GraphicsItemChange change, const QVariant& value) {
  if (change == ItemPositionChange && scene_.isDragging()) {
    const QPointF wanted = value.toPointF();
    return scene_.snapped(wanted);
  }
  if (change == ItemPositionHasChanged) scene_.nodeMoved(*this);
  return QGraphicsItem::itemChange(change, value);
}

// HubItem

HubItem::HubItem(CanvasScene& scene, const QString& className, bool isObject)
    : scene_(scene), className_(className), isObject_(isObject) {
  setFlags(ItemIsMovable | ItemIsSelectable | ItemSendsGeometryChanges);
  setAcceptHoverEvents(true);
  setZValue(9);
}

void HubItem::setFlow(const ClassFlow& flow) {
  prepareGeometryChange();
  name_ = flow.shortName();
  rate_ = rateText(flow.rate);
  series_ = flow.series;
  const qreal text = std::max(
      QFontMetricsF(theme::textFont(TextStyle::Caption, QFont::DemiBold)).horizontalAdvance(name_),
      QFontMetricsF(smallFont()).horizontalAdvance(rate_));
  size_ = QSizeF(std::ceil((text + 46) / 2) * 2, 36);
  setToolTip(tr("%1: %2 publish, %3 subscribe, expected %4")
                 .arg(className_)
                 .arg(flow.publishers.size())
                 .arg(flow.subscribers.size())
                 .arg(rate_));
  update();
}

QRectF HubItem::boundingRect() const { return QRectF(QPointF(), size_).adjusted(-4, -4, 4, 4); }

QPainterPath HubItem::shape() const {
  QPainterPath path;
  path.addRoundedRect(QRectF(QPointF(), size_), size_.height() / 2, size_.height() / 2);
  return path;
}

void HubItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) {
  const Palette palette = paletteOf(widget);
  const qreal zoom = zoomOf(*painter);
  const bool selected = isMarked(*option, QStyle::State_Selected, widget);
  painter->setRenderHint(QPainter::Antialiasing);
  const QColor color = palette.series(series_);
  QPen pen(color, selected ? 3 : 1.5);
  makeCosmetic(pen, *painter);
  painter->setPen(pen);
  painter->setBrush(palette[selected ? Token::BgSelected : Token::BgRaised]);
  const qreal radius = size_.height() / 2;
  painter->drawRoundedRect(QRectF(QPointF(), size_), radius, radius);
  if (zoom < 0.35) return;
  theme::paintIcon(*painter, QRectF(13, 12, 12, 12),
                   isObject_ ? QStringLiteral("object-class") : QStringLiteral("interaction-class"),
                   color);
  const QRectF text(31, 0, size_.width() - 36, size_.height());
  painter->setPen(palette[Token::TextPrimary]);
  painter->setFont(theme::textFont(TextStyle::Caption, QFont::DemiBold));
  painter->drawText(text.adjusted(0, 4, 0, -17), Qt::AlignVCenter | Qt::AlignLeft, name_);
  painter->setPen(palette[Token::TextMuted]);
  painter->setFont(smallFont());
  painter->drawText(text.adjusted(0, 17, 0, -4), Qt::AlignVCenter | Qt::AlignLeft, rate_);
}

QVariant HubItem::itemChange(GraphicsItemChange change, const QVariant& value) {
  if (change == ItemPositionChange && scene_.isDragging()) return scene_.snapped(value.toPointF());
  if (change == ItemPositionHasChanged) scene_.hubMoved(*this);
  return QGraphicsItem::itemChange(change, value);
}

// EdgeItem

EdgeItem::EdgeItem(CanvasScene& scene, const FlowEdge& flow, int series, const QString& asClass)
    : scene_(scene) {
  setZValue(5);
  setAcceptHoverEvents(true);
  setFlow(flow, series, asClass);
}

void EdgeItem::setFlow(const FlowEdge& flow, int series, const QString& asClass) {
  flow_ = flow;
  series_ = series;
  asClass_ = asClass;
  const QString shortName = flow.className.section(u'.', -1);
  const auto nameOf = [this, &shortName](const QString& id) {
    const Federate* federate = scene_.document().federate(id);
    return federate ? federate->name : shortName;
  };
  setToolTip(tr("%1, %2 to %3, expected %4")
                 .arg(shortName, nameOf(flow.from), nameOf(flow.to), rateText(flow.rate)));
  update();
}

void EdgeItem::setDimmed(bool dimmed) {
  if (dimmed == dimmed_) return;
  dimmed_ = dimmed;
  update();
}

void EdgeItem::route(const LineEnds& ends, const QList<QRectF>& obstacles) {
  prepareGeometryChange();
  path_ = routeLine(ends, obstacles);
}

qreal EdgeItem::widthOf(const std::optional<double>& rate) {
  if (!rate || *rate <= 0) return theme::line::kEdgeMin;
  return std::clamp(1.5 + 1.1 * std::log10(*rate / 10), theme::line::kEdgeMin,
                    theme::line::kEdgeMax);
}

QRectF EdgeItem::boundingRect() const { return path_.boundingRect().adjusted(-12, -12, 12, 12); }

QPainterPath EdgeItem::shape() const {
  QPainterPathStroker stroker;
  stroker.setWidth(9);
  return stroker.createStroke(path_);
}

void EdgeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) {
  const Palette palette = paletteOf(widget);
  painter->setRenderHint(QPainter::Antialiasing);
  const bool hovered = isMarked(*option, QStyle::State_MouseOver, widget);
  qreal width = scene_.equalWidths() ? 2 : widthOf(flow_.rate);
  // Cosmetic, but lines of 300 federates seen from afar must not flood the page.
  width = std::max(1.0, width * std::clamp(zoomOf(*painter) * 1.4, 0.35, 1.0));
  QPen pen(palette.series(series_), hovered ? width + 1.5 : width, Qt::SolidLine, Qt::RoundCap);
  makeCosmetic(pen, *painter);
  if (dimmed_ && !hovered && widget) painter->setOpacity(theme::opacity::kEdgeDimmed);
  painter->strokePath(path_, pen);
}

// GroupItem

namespace {
/// Room above a group for its title seen from afar, at most.
constexpr qreal kFarTitle = 150;
}  // namespace

GroupItem::GroupItem(CanvasScene& scene, const QString& id) : scene_(scene), id_(id) {
  setZValue(1);
  setFlag(ItemIsSelectable);
}

void GroupItem::setFrame(const QRectF& frame, const QString& name, int members) {
  prepareGeometryChange();
  frame_ = frame;
  name_ = name;
  members_ = members;
  setToolTip(tr("%1: double-click the title to collapse").arg(name));
  update();
}

QRectF GroupItem::headerRect() const {
  return QRectF(frame_.topLeft(), QSizeF(frame_.width(), kGroupHeader));
}

QRectF GroupItem::boundingRect() const { return frame_.adjusted(-3, -kFarTitle, 3, 3); }

/// Above the frame, as large on the screen as near by: what is in it has no names from here.
void GroupItem::paintFarTitle(QPainter& painter, const Palette& palette, qreal zoom) const {
  const qreal height = std::min(18 / zoom, kFarTitle);
  QFont font = nameFont();
  font.setPixelSize(qRound(height * 0.7));
  painter.setFont(font);
  painter.setPen(palette[Token::TextPrimary]);
  const QRectF line(frame_.left(), frame_.top() - height, frame_.width(), height);
  painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                   QFontMetricsF(font).elidedText(QStringLiteral("%1 %2").arg(name_).arg(members_),
                                                  Qt::ElideRight, frame_.width()));
}

QPainterPath GroupItem::shape() const {
  // Only the title can be grabbed; the rest of the frame is canvas.
  QPainterPath path;
  path.addRect(headerRect());
  return path;
}

void GroupItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) {
  const Palette palette = paletteOf(widget);
  const bool selected = isMarked(*option, QStyle::State_Selected, widget);
  painter->setRenderHint(QPainter::Antialiasing);
  QPen pen(palette[selected ? Token::Accent : Token::LineStrong], selected ? 2 : 1);
  makeCosmetic(pen, *painter);
  pen.setDashPattern({4, 3});
  painter->setPen(pen);
  QColor wash = palette[Token::BgSunken];
  painter->setBrush(wash);
  painter->drawRoundedRect(frame_, theme::radius::kPopup, theme::radius::kPopup);
  const qreal zoom = zoomOf(*painter);
  if (zoom < 0.35) {
    paintFarTitle(*painter, palette, zoom);
    return;
  }
  const QRectF header = headerRect();
  theme::paintIcon(*painter, QRectF(header.left() + 8, header.top() + 9, 12, 12),
                   QStringLiteral("down"), palette[Token::TextMuted]);
  painter->setPen(palette[Token::TextPrimary]);
  painter->setFont(nameFont());
  painter->drawText(header.adjusted(24, 0, -8, 0), Qt::AlignVCenter | Qt::AlignLeft, name_);
  const QString count = theme::formatNoun(members_, tr("federate"), tr("federates"));
  const qreal used = QFontMetricsF(nameFont()).horizontalAdvance(name_) + 40;
  if (used + QFontMetricsF(smallFont()).horizontalAdvance(count) < header.width()) {
    painter->setPen(palette[Token::TextMuted]);
    painter->setFont(smallFont());
    painter->drawText(header.adjusted(24, 0, -12, 0), Qt::AlignVCenter | Qt::AlignRight, count);
  }
}

void GroupItem::mousePressEvent(QGraphicsSceneMouseEvent* event) {
  if (event->button() != Qt::LeftButton) {
    event->ignore();
    return;
  }
  scene_.clearSelection();
  setSelected(true);
  grabbed_ = event->scenePos();
  dragging_ = false;
}

void GroupItem::mouseMoveEvent(QGraphicsSceneMouseEvent* event) {
  const QPointF by = event->scenePos() - grabbed_;
  if (!dragging_ && by.manhattanLength() < 4) return;
  dragging_ = true;
  scene_.dragGroup(id_, by);
}

void GroupItem::mouseReleaseEvent(QGraphicsSceneMouseEvent*) {
  if (dragging_) scene_.dropDragged();
  dragging_ = false;
}

void GroupItem::mouseDoubleClickEvent(QGraphicsSceneMouseEvent*) {
  scene_.document().setGroupCollapsed(id_, true);
}

}  // namespace tutti::composer
