// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/placement_board.h"

#include <QAccessible>
#include <QApplication>
#include <QDrag>
#include <QHelpEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using theme::State;
using theme::Token;

namespace {

constexpr int titleHeight = 34;
constexpr int noteHeight = 22;
constexpr int scrollEdge = 28;  ///< a drag this near to an edge scrolls
constexpr int pinSize = 16;

std::size_t index(int number) { return static_cast<std::size_t>(number); }

QRect pinIn(const QRect& card) {
  return {card.right() - pinSize - 5, card.center().y() - pinSize / 2 + 1, pinSize, pinSize};
}

void paintText(QPainter& painter, const QRect& rect, const QString& text, const QColor& color,
               const QFont& font, Qt::Alignment alignment = Qt::AlignLeft) {
  painter.setFont(font);
  painter.setPen(color);
  painter.drawText(rect, static_cast<int>(alignment | Qt::AlignVCenter),
                   QFontMetrics(font).elidedText(text, Qt::ElideRight, rect.width()));
}

}  // namespace

PlacementBoard::PlacementBoard(QWidget* parent) : QAbstractScrollArea(parent) {
  setObjectName(QStringLiteral("placementBoard"));
  setAccessibleName(tr("Placement"));
  setFrameShape(NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setMouseTracking(true);
  viewport()->setAcceptDrops(true);
  viewport()->setAutoFillBackground(true);
  theme::followTheme(viewport(), [this](const theme::Palette& palette) {
    auto changed = palette.toQPalette();
    changed.setColor(viewport()->backgroundRole(), palette[Token::BgCanvas]);
    viewport()->setPalette(changed);
  });
  connect(verticalScrollBar(), &QScrollBar::valueChanged, viewport(),
          qOverload<>(&QWidget::update));
}

void PlacementBoard::setContent(std::vector<BoardBox> boxes) {
  if (boxes == boxes_) return;
  boxes_ = std::move(boxes);
  hovered_ = {};
  target_ = -1;
  QSet<QString> there;
  for (const BoardBox& box : boxes_) {
    for (const BoardCard& card : box.cards) there << card.id;
  }
  const auto before = selected_;
  selected_.intersect(there);
  if (!there.contains(current_)) current_.clear();
  relayout();
  describe();
  if (selected_ != before) Q_EMIT selectionChanged();
}

void PlacementBoard::relayout() {
  layout_ = BoardLayout::of(boxes_, viewport()->width(), viewport()->height());
  const int page = viewport()->height();
  verticalScrollBar()->setPageStep(page);
  verticalScrollBar()->setSingleStep(40);
  verticalScrollBar()->setRange(0, std::max(0, layout_.height - page));
  viewport()->update();
}

void PlacementBoard::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  relayout();
}

// ---- what is where -----------------------------------------------------------------------------

PlacementBoard::Place PlacementBoard::at(const QPoint& onViewport) const {
  const QPoint point = onViewport + QPoint(0, verticalScrollBar()->value());
  Place place;
  for (std::size_t i = 0; i < layout_.boxes.size(); ++i) {
    const auto& box = layout_.boxes[i];
    if (!box.rect.contains(point)) continue;
    place.box = static_cast<int>(i);
    place.title = point.y() < box.rect.top() + titleHeight;
    for (std::size_t card = 0; card < box.cards.size(); ++card) {
      if (!box.cards[card].contains(point)) continue;
      place.card = static_cast<int>(card);
      place.pin = pinIn(box.cards[card]).contains(point);
    }
    for (std::size_t group = 0; group < box.groups.size(); ++group) {
      if (box.groups[group].rect.contains(point)) place.group = static_cast<int>(group);
    }
  }
  return place;
}

PlacementBoard::Place PlacementBoard::placeOf(const QString& id) const {
  for (std::size_t box = 0; box < boxes_.size(); ++box) {
    const auto& cards = boxes_[box].cards;
    const auto found = std::find_if(cards.begin(), cards.end(),
                                    [&](const BoardCard& card) { return card.id == id; });
    if (found != cards.end())
      return {static_cast<int>(box), static_cast<int>(found - cards.begin()), -1, false, false};
  }
  return {};
}

const BoardCard* PlacementBoard::cardAt(const Place& place) const {
  return place.card < 0 ? nullptr : &boxes_[index(place.box)].cards[index(place.card)];
}

QStringList PlacementBoard::idsAt(const Place& place) const {
  QStringList ids;
  if (place.box < 0) return ids;
  const auto& cards = boxes_[index(place.box)].cards;
  if (const BoardCard* card = cardAt(place)) {
    ids << card->id;
  } else if (place.group >= 0) {
    const auto& group = layout_.boxes[index(place.box)].groups[index(place.group)];
    for (int i = 0; i < group.count; ++i) ids << cards[index(group.first + i)].id;
  } else if (place.title) {
    for (const BoardCard& one : cards) ids << one.id;
  }
  return ids;
}

QRect PlacementBoard::rectOf(const Place& place) const {
  return place.card < 0 ? QRect() : layout_.boxes[index(place.box)].cards[index(place.card)];
}

QRect PlacementBoard::cardRect(const QString& id) const {
  return rectOf(placeOf(id)).translated(0, -verticalScrollBar()->value());
}

QRect PlacementBoard::titleRect(const QString& key) const {
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    if (!boxes_[i].isHost || boxes_[i].key != key) continue;
    QRect rect = layout_.boxes[i].rect;
    rect.setHeight(titleHeight);
    return rect.translated(0, -verticalScrollBar()->value());
  }
  return {};
}

// ---- selection ---------------------------------------------------------------------------------

QStringList PlacementBoard::selection() const {
  QStringList ids;
  for (const BoardBox& box : boxes_) {
    for (const BoardCard& card : box.cards) {
      if (selected_.contains(card.id)) ids << card.id;
    }
  }
  return ids;
}

void PlacementBoard::select(const QStringList& ids) {
  const QSet<QString> next(ids.begin(), ids.end());
  if (next == selected_) return;
  selected_ = next;
  viewport()->update();
  Q_EMIT selectionChanged();
}

void PlacementBoard::selectAll() {
  QStringList ids;
  for (const BoardBox& box : boxes_) {
    for (const BoardCard& card : box.cards) ids << card.id;
  }
  select(ids);
}

void PlacementBoard::setCurrent(const QString& id) {
  if (id == current_ || placeOf(id).card < 0) return;
  current_ = id;
  anchor_ = id;
  if (!selected_.contains(id)) select({id});
  makeVisible(id);
  describe();
  viewport()->update();
  Q_EMIT currentChanged(id);
}

void PlacementBoard::makeCurrent(const QString& id, bool extend) {
  if (extend && !anchor_.isEmpty()) {
    // From the anchor to here, in the order of the board.
    QStringList all;
    for (const BoardBox& box : boxes_) {
      for (const BoardCard& card : box.cards) all << card.id;
    }
    const auto from = all.indexOf(anchor_);
    const auto to = all.indexOf(id);
    if (from >= 0) select(all.mid(std::min(from, to), std::abs(to - from) + 1));
  } else {
    anchor_ = id;
    select({id});
  }
  const bool differs = current_ != id;
  current_ = id;
  makeVisible(id);
  describe();
  viewport()->update();
  if (differs) Q_EMIT currentChanged(id);
}

void PlacementBoard::setMarkedHost(const std::optional<QString>& key) {
  marked_ = key;
  viewport()->update();
}

void PlacementBoard::makeVisible(const QString& id) {
  const QRect rect = rectOf(placeOf(id));
  if (rect.isNull()) return;
  auto* bar = verticalScrollBar();
  if (rect.top() < bar->value() + 4) bar->setValue(rect.top() - titleHeight - 16);
  if (rect.bottom() > bar->value() + viewport()->height() - 4)
    bar->setValue(rect.bottom() - viewport()->height() + noteHeight + 16);
}

void PlacementBoard::describe() {
  const Place place = placeOf(current_);
  const BoardCard* card = cardAt(place);
  QString text;
  if (card != nullptr)
    text = tr("%1 on %2, %3").arg(card->name, boxes_[index(place.box)].title, card->detail);
  if (text == accessibleDescription()) return;
  setAccessibleDescription(text);
  QAccessibleEvent event(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&event);
}

// ---- mouse -------------------------------------------------------------------------------------

void PlacementBoard::mousePressEvent(QMouseEvent* event) {
  const Place place = at(event->pos());
  pressed_ = place;
  pressedAt_ = event->pos();
  collapseOnRelease_ = false;
  if (place.box >= 0 && place.title && boxes_[index(place.box)].isHost)
    Q_EMIT hostClicked(boxes_[index(place.box)].key);
  const QStringList ids = idsAt(place);
  const bool toggles = event->modifiers().testFlag(Qt::ControlModifier);
  if (place.pin && event->button() == Qt::LeftButton) return;
  if (ids.isEmpty()) {
    if (event->button() == Qt::LeftButton && !toggles) select({});
    return;
  }
  if (event->button() == Qt::RightButton) {
    if (!selected_.contains(ids.front())) {
      select(ids);
      if (place.card >= 0) makeCurrent(ids.front(), false);
    }
    return;
  }
  if (place.card < 0) {
    QStringList next = ids;
    if (toggles) next += selection();
    select(next);
    return;
  }
  const QString& id = ids.front();
  if (toggles) {
    auto next = selected_;
    if (!next.remove(id)) next << id;
    anchor_ = id;
    current_ = id;
    select(QStringList(next.begin(), next.end()));
    describe();
    Q_EMIT currentChanged(id);
  } else if (selected_.contains(id) && !event->modifiers().testFlag(Qt::ShiftModifier)) {
    collapseOnRelease_ = true;
    if (current_ != id) {
      current_ = id;
      describe();
      viewport()->update();
      Q_EMIT currentChanged(id);
    }
  } else {
    makeCurrent(id, event->modifiers().testFlag(Qt::ShiftModifier));
  }
}

void PlacementBoard::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons().testFlag(Qt::LeftButton) && pressed_ && !idsAt(*pressed_).isEmpty() &&
      !selected_.isEmpty() &&
      (event->pos() - pressedAt_).manhattanLength() >= QApplication::startDragDistance()) {
    collapseOnRelease_ = false;
    pressed_.reset();
    startDrag();
    return;
  }
  const Place place = at(event->pos());
  if (place == hovered_) return;
  hovered_ = place;
  viewport()->update();
}

void PlacementBoard::mouseReleaseEvent(QMouseEvent* event) {
  const Place place = at(event->pos());
  if (pressed_ && *pressed_ == place && event->button() == Qt::LeftButton) {
    const BoardCard* card = cardAt(place);
    if (card != nullptr && place.pin) {
      Q_EMIT pinRequested({card->id}, !card->pinned);
    } else if (card != nullptr && collapseOnRelease_) {
      makeCurrent(card->id, false);
    }
  }
  pressed_.reset();
}

void PlacementBoard::mouseDoubleClickEvent(QMouseEvent* event) {
  const Place place = at(event->pos());
  if (const BoardCard* card = cardAt(place); card != nullptr && !place.pin)
    Q_EMIT activated(card->id);
}

void PlacementBoard::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() == QContextMenuEvent::Mouse) {
    Q_EMIT menuRequested(event->globalPos());
    return;
  }
  const QRect card = cardRect(current_);
  Q_EMIT menuRequested(viewport()->mapToGlobal(card.isNull() ? QPoint(40, 40) : card.center()));
}

// ---- drag and drop -----------------------------------------------------------------------------

void PlacementBoard::startDrag() {
  const QStringList ids = selection();
  if (ids.isEmpty()) return;
  const BoardCard* card = cardAt(placeOf(ids.front()));
  const QString text =
      ids.size() == 1 ? card->name : theme::formatNoun(ids.size(), tr("federate"), tr("federates"));
  const QFont font = theme::textFont(theme::TextStyle::Label);
  const QSize size(QFontMetrics(font).horizontalAdvance(text) + 24, 26);
  const qreal ratio = devicePixelRatioF();
  QPixmap picture(size * ratio);
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  {
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto palette = theme::Palette::of(this);
    painter.setPen(palette[Token::Accent]);
    painter.setBrush(palette[Token::BgRaised]);
    painter.drawRoundedRect(QRectF(QPointF(), size).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    paintText(painter, QRect(QPoint(12, 0), size - QSize(16, 0)), text, palette[Token::TextPrimary],
              font);
  }
  auto* drag = new QDrag(this);
  drag->setMimeData(mimeOfFederates(ids));
  drag->setPixmap(picture);
  drag->setHotSpot({-8, -4});
  drag->exec(Qt::MoveAction);
  target_ = -1;
  viewport()->update();
}

void PlacementBoard::dragEnterEvent(QDragEnterEvent* event) {
  if (!federatesOfMime(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void PlacementBoard::dragMoveEvent(QDragMoveEvent* event) {
  const QPoint point = event->position().toPoint();
  auto* bar = verticalScrollBar();
  if (point.y() < scrollEdge) bar->setValue(bar->value() - scrollEdge / 2);
  if (point.y() > viewport()->height() - scrollEdge) bar->setValue(bar->value() + scrollEdge / 2);
  const int box = at(point).box;
  const int target = box >= 0 && boxes_[index(box)].isHost ? box : -1;
  if (target != target_) {
    target_ = target;
    viewport()->update();
  }
  event->setAccepted(target >= 0);
}

void PlacementBoard::dragLeaveEvent(QDragLeaveEvent*) {
  target_ = -1;
  viewport()->update();
}

void PlacementBoard::dropEvent(QDropEvent* event) {
  const int box = at(event->position().toPoint()).box;
  target_ = -1;
  viewport()->update();
  if (box < 0 || !boxes_[index(box)].isHost) return;
  event->acceptProposedAction();
  Q_EMIT moveRequested(federatesOfMime(event->mimeData()), boxes_[index(box)].key);
}

// ---- keys --------------------------------------------------------------------------------------

void PlacementBoard::step(Qt::Key key, bool extend) {
  const QRect from = rectOf(placeOf(current_));
  if (from.isNull()) {
    for (const BoardBox& box : boxes_) {
      if (!box.cards.empty()) return makeCurrent(box.cards.front().id, false);
    }
    return;
  }
  const bool across = key == Qt::Key_Left || key == Qt::Key_Right;
  const int sign = key == Qt::Key_Left || key == Qt::Key_Up ? -1 : 1;
  QString best;
  double least = 0;
  for (std::size_t box = 0; box < boxes_.size(); ++box) {
    for (std::size_t card = 0; card < boxes_[box].cards.size(); ++card) {
      const QPoint delta = layout_.boxes[box].cards[card].center() - from.center();
      const int along = sign * (across ? delta.x() : delta.y());
      if (along <= 0) continue;
      // What is beside the way is farther than what is on it.
      const double distance = along + 3.0 * std::abs(across ? delta.y() : delta.x());
      if (!best.isEmpty() && distance >= least) continue;
      best = boxes_[box].cards[card].id;
      least = distance;
    }
  }
  if (!best.isEmpty()) makeCurrent(best, extend);
}

void PlacementBoard::sendOn(int direction) {
  const QStringList ids = selection();
  if (ids.isEmpty()) return;
  std::vector<int> hosts;
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    if (boxes_[i].isHost) hosts.push_back(static_cast<int>(i));
  }
  const auto now = std::find(hosts.begin(), hosts.end(), placeOf(ids.front()).box);
  if (hosts.empty()) return;
  std::size_t next = 0;
  if (now != hosts.end()) {
    const auto size = static_cast<int>(hosts.size());
    next = index((static_cast<int>(now - hosts.begin()) + direction + size) % size);
  }
  Q_EMIT moveRequested(ids, boxes_[index(hosts[next])].key);
}

void PlacementBoard::keyPressEvent(QKeyEvent* event) {
  const bool control = event->modifiers().testFlag(Qt::ControlModifier);
  const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
  const auto key = static_cast<Qt::Key>(event->key());
  switch (key) {
    case Qt::Key_Left:
    case Qt::Key_Right:
      if (control)
        sendOn(key == Qt::Key_Left ? -1 : 1);
      else
        step(key, shift);
      return;
    case Qt::Key_Up:
    case Qt::Key_Down:
      return step(key, shift);
    case Qt::Key_Space: {
      if (current_.isEmpty()) return;
      auto next = selected_;
      if (!next.remove(current_)) next << current_;
      return select(QStringList(next.begin(), next.end()));
    }
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!current_.isEmpty()) Q_EMIT activated(current_);
      return;
    case Qt::Key_Escape:
      return select({});
    case Qt::Key_P: {
      const QStringList ids = selection();
      if (ids.isEmpty()) return;
      const BoardCard* first = cardAt(placeOf(ids.front()));
      Q_EMIT pinRequested(ids, !first->pinned);
      return;
    }
    case Qt::Key_A:
      if (control) return selectAll();
      break;
    default:
      break;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

void PlacementBoard::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  if (current_.isEmpty() && event->reason() != Qt::MouseFocusReason) step(Qt::Key_Down, false);
  viewport()->update();
}

void PlacementBoard::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

bool PlacementBoard::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const Place place = at(help->pos());
    QString tip;
    if (const BoardCard* card = cardAt(place)) {
      tip = place.pin
                ? (card->pinned ? tr("Pinned: automatic placement leaves it here. Click to unpin")
                                : tr("Pin it: automatic placement will leave it here"))
            : tip_ ? tip_(card->id)
                   : card->detail;
    } else if (place.box >= 0) {
      const BoardBox& box = boxes_[index(place.box)];
      tip = place.title ? tr("Drag it to move all federates of %1").arg(box.title) : box.note;
    }
    if (tip.isEmpty()) {
      QToolTip::hideText();
      event->ignore();
    } else {
      QToolTip::showText(help->globalPos(), theme::wrappedTip(tip), viewport());
    }
    return true;
  }
  if (event->type() == QEvent::Leave && hovered_ != Place{}) {
    hovered_ = {};
    viewport()->update();
  }
  return QAbstractScrollArea::viewportEvent(event);
}

// ---- painting ----------------------------------------------------------------------------------

void PlacementBoard::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  const int offset = verticalScrollBar()->value();
  painter.translate(0, -offset);
  paintBoxes(painter, event->rect().translated(0, offset), theme::Palette::of(this));
}

QSize PlacementBoard::fullSize() const { return {viewport()->width(), layout_.height}; }

void PlacementBoard::renderLight(QPainter& painter) const {
  PlacementBoard paper;
  paper.boxes_ = boxes_;
  paper.layout_ = layout_;
  paper.paintBoxes(painter, QRect({}, fullSize()), theme::Palette(theme::Mode::Light));
}

void PlacementBoard::paintBoxes(QPainter& painter, const QRect& shown,
                                const theme::Palette& palette) const {
  painter.setRenderHint(QPainter::Antialiasing);
  for (std::size_t box = 0; box < boxes_.size(); ++box) {
    if (!layout_.boxes[box].rect.adjusted(-2, -2, 2, 2).intersects(shown)) continue;
    paintBox(painter, static_cast<int>(box), palette);
    for (std::size_t card = 0; card < boxes_[box].cards.size(); ++card) {
      const QRect& rect = layout_.boxes[box].cards[card];
      if (rect.adjusted(-3, -3, 3, 3).intersects(shown))
        paintCard(painter, boxes_[box].cards[card], rect, palette);
    }
  }
}

void PlacementBoard::paintBox(QPainter& painter, int number, const theme::Palette& palette) const {
  const BoardBox& box = boxes_[index(number)];
  const auto& layout = layout_.boxes[index(number)];
  const QRect& rect = layout.rect;
  const bool target = number == target_;
  const bool marked = box.isHost && box.key == marked_;
  const bool wrong = box.state == State::Warning || box.state == State::Error;
  painter.setPen(QPen(target || marked ? palette[Token::Accent]
                      : wrong          ? theme::colors(box.state, palette).fg
                                       : palette[Token::LineStrong],
                      target || marked ? 2 : 1,
                      box.isHost || !wrong ? Qt::SolidLine : Qt::DashLine));
  painter.setBrush(palette[target ? Token::BgSelected : Token::BgPanel]);
  painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), theme::radius::kPopup,
                          theme::radius::kPopup);
  const QFont caption = theme::textFont(theme::TextStyle::Caption);
  const QRect title(rect.left() + 10, rect.top() + 1, rect.width() - 20, titleHeight - 2);
  theme::paintIcon(painter, QRectF(title.left(), title.center().y() - 8, 16, 16), box.icon,
                   palette[Token::TextSecondary]);
  const int figure = QFontMetrics(caption).horizontalAdvance(box.figure);
  paintText(painter, title.adjusted(title.width() - figure - 1, 0, 0, 0), box.figure,
            palette[wrong && box.isHost ? Token::WarningFg : Token::TextMuted], caption,
            Qt::AlignRight);
  paintText(painter, title.adjusted(24, 0, -figure - 8, 0), box.title, palette[Token::TextPrimary],
            theme::textFont(theme::TextStyle::Label, QFont::DemiBold));
  painter.fillRect(QRect(rect.left() + 1, rect.top() + titleHeight, rect.width() - 2, 1),
                   palette[Token::LineSubtle]);
  for (const auto& group : layout.groups) {
    theme::paintIcon(painter, QRectF(group.rect.left() + 2, group.rect.top() + 3, 12, 12),
                     QStringLiteral("group"), palette[Token::TextMuted]);
    paintText(painter, group.rect.adjusted(18, 0, 0, 0),
              tr("%1, %2").arg(group.name).arg(group.count), palette[Token::TextSecondary],
              caption);
  }
  const QRect foot(rect.left() + 10, rect.bottom() - noteHeight, rect.width() - 20, noteHeight);
  if (!box.note.isEmpty()) {
    int left = 0;
    if (wrong) {
      theme::paintState(painter, QRectF(foot.left(), foot.center().y() - 6, 12, 12), box.state,
                        palette);
      left = 18;
    }
    paintText(painter, foot.adjusted(left, 0, 0, 0), box.note,
              wrong ? theme::colors(box.state, palette).fg : palette[Token::TextMuted], caption);
  } else if (box.cards.empty()) {
    paintText(painter, QRect(rect.left() + 10, rect.top() + titleHeight, rect.width() - 20, 42),
              target ? tr("Drop here") : tr("No federates"), palette[Token::TextMuted], caption,
              Qt::AlignHCenter);
  }
}

void PlacementBoard::paintCard(QPainter& painter, const BoardCard& card, const QRect& rect,
                               const theme::Palette& palette) const {
  const bool selected = selected_.contains(card.id);
  const bool hovered = hovered_.card >= 0 && cardAt(hovered_) == &card;
  const bool wrong = card.state == State::Warning || card.state == State::Error;
  const QFont caption = theme::textFont(theme::TextStyle::Caption);
  QPen edge(selected ? palette[Token::Accent]
            : wrong  ? theme::colors(card.state, palette).fg
                     : palette[Token::LineStrong],
            selected ? 2 : 1);
  if (!card.enabled) edge.setStyle(Qt::DashLine);
  painter.setPen(edge);
  painter.setBrush(selected       ? palette[hasFocus() ? Token::BgSelected : Token::BgSelectedIdle]
                   : hovered      ? palette[Token::BgHover]
                   : card.enabled ? palette[Token::BgRaised]
                                  : QColor(Qt::transparent));
  painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), theme::radius::kNode,
                          theme::radius::kNode);
  QRect text = rect.adjusted(8, 0, -8, 0);
  if (!layout_.compact) {
    theme::paintIcon(painter, QRectF(text.left() - 3, text.center().y() - 7, 14, 14),
                     QStringLiteral("grip"), palette[Token::TextMuted]);
    text.setLeft(text.left() + 14);
  }
  theme::paintIcon(painter, QRectF(text.left(), text.center().y() - 7, 16, 16), card.icon,
                   palette[Token::TextSecondary]);
  text.setLeft(text.left() + 22);
  if (card.pinned || hovered) {
    theme::paintIcon(painter, QRectF(pinIn(rect)), QStringLiteral("pin"),
                     palette[card.pinned ? Token::TextSecondary : Token::LineControl]);
    text.setRight(pinIn(rect).left() - 3);
  }
  if (wrong || !card.enabled) {
    theme::paintState(painter, QRectF(text.right() - 12, rect.center().y() - 6, 12, 12), card.state,
                      palette);
    text.setRight(text.right() - 16);
  }
  const QColor name = palette[card.enabled ? Token::TextPrimary : Token::TextMuted];
  const QColor detail = wrong ? theme::colors(card.state, palette).fg : palette[Token::TextMuted];
  const QFont label = theme::textFont(theme::TextStyle::Label);
  if (layout_.compact) {
    const int wide = QFontMetrics(label).horizontalAdvance(card.name);
    paintText(painter, text, card.name, name, label);
    // All of it, or what is said first, or nothing.
    const int room = text.width() - wide - 10;
    QString said = card.detail;
    if (QFontMetrics(caption).horizontalAdvance(said) > room && !wrong)
      said = said.section(QStringLiteral(", "), 0, 0);
    if (wrong || QFontMetrics(caption).horizontalAdvance(said) <= room)
      paintText(painter, text.adjusted(wide + 10, 0, 0, 0), said, detail, caption, Qt::AlignRight);
  } else {
    paintText(painter, QRect(text.left(), rect.top() + 4, text.width(), 17), card.name, name,
              label);
    paintText(painter, QRect(text.left(), rect.top() + 21, text.width(), 15),
              card.apart ? tr("%1, kept apart").arg(card.detail) : card.detail, detail, caption);
  }
  if (card.id == current_ && hasFocus() && theme::hasVisibleFocus(this))
    theme::paintFocusRing(painter, QRectF(rect).adjusted(-2, -2, 2, 2), theme::radius::kNode + 2,
                          palette);
}

}  // namespace tutti::launcher
