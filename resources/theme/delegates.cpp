// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/delegates.h"

#include <QAbstractItemView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <utility>

#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::theme {

namespace {

constexpr int kPadding = 8;
constexpr int kBarWidth = 28;

std::optional<State> stateOf(const QModelIndex& index, int role) {
  const QVariant value = index.data(role);
  if (!value.isValid()) return std::nullopt;
  return value.value<State>();
}

bool isSelected(const QStyleOptionViewItem& option) {
  return option.state.testFlag(QStyle::State_Selected);
}

}  // namespace

void SparkBuffer::push(double value) {
  samples_[static_cast<std::size_t>(next_)] = value;
  next_ = (next_ + 1) % kSize;
  size_ = std::min(size_ + 1, kSize);
}

void SparkBuffer::clear() { size_ = next_ = 0; }

double SparkBuffer::at(int index) const {
  return samples_[static_cast<std::size_t>((next_ - size_ + index + kSize) % kSize)];
}

double SparkBuffer::maximum() const {
  double result = 0;
  for (int i = 0; i < size_; ++i)
    if (std::isfinite(at(i))) result = std::max(result, at(i));
  return result;
}

// RowDelegate

RowDelegate::RowDelegate(QObject* parent, int rowHeight)
    : QStyledItemDelegate(parent), rowHeight_(rowHeight) {
  bool first = true;
  followRowSize(this, [this, first]() mutable {
    if (!std::exchange(first, false)) Q_EMIT sizeHintChanged(QModelIndex());
  });
}

QSize RowDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const int text = QFontMetrics(textFont(TextStyle::Table))
                       .horizontalAdvance(index.data(Qt::DisplayRole).toString());
  return QSize(std::max(text + 2 * kPadding, option.rect.isValid() ? 0 : 24),
               theme::rowHeight(rowHeight_));
}

QColor rowBackground(const QStyleOptionViewItem& option, const QModelIndex& index,
                     const Palette& palette) {
  if (isSelected(option))
    return palette[option.state.testFlag(QStyle::State_Active) ? Token::BgSelected
                                                               : Token::BgSelectedIdle];
  if (const auto tint = stateOf(index.siblingAtColumn(0), TintRole))
    return colors(*tint, palette).tint;
  if (option.state.testFlag(QStyle::State_MouseOver)) return palette[Token::BgHover];
  return {};
}

void RowDelegate::paintBackground(QPainter& painter, const QStyleOptionViewItem& option,
                                  const QModelIndex& index, const Palette& palette) const {
  const QColor background = rowBackground(option, index, palette);
  if (background.isValid()) painter.fillRect(option.rect, background);
  if (ruled_)
    painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                     palette[Token::LineSubtle]);
}

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  const Palette palette = Palette::of(option.palette);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  paintBackground(*painter, option, index, palette);
  paintContent(*painter, option.rect.adjusted(kPadding, 0, -kPadding, ruled_ ? -1 : 0), option,
               index, palette);
  if (option.state.testFlag(QStyle::State_HasFocus) &&
      option.state.testFlag(QStyle::State_KeyboardFocusChange))
    paintFocusRing(*painter, option.rect, radius::kCell, palette);
  painter->restore();
}

QColor RowDelegate::textColor(const QModelIndex& index, const Palette& palette) const {
  const bool muted = index.data(StaleRole).toBool() || !index.flags().testFlag(Qt::ItemIsEnabled);
  return palette[muted ? Token::TextMuted : Token::TextPrimary];
}

void RowDelegate::paintText(QPainter& painter, const QRect& rect, const QString& text,
                            const QColor& color, const QFont& drawFont,
                            Qt::Alignment alignment) const {
  painter.setFont(drawFont);
  painter.setPen(color);
  painter.drawText(rect,
                   static_cast<int>((alignment & Qt::AlignHorizontal_Mask) | Qt::AlignVCenter),
                   QFontMetrics(drawFont).elidedText(text, Qt::ElideRight, rect.width()));
}

void RowDelegate::paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem&,
                               const QModelIndex& index, const Palette& palette) const {
  QRect rest = content;
  const QString iconName = index.data(IconNameRole).toString();
  if (!iconName.isEmpty()) {
    paintIcon(painter, QRect(rest.left(), rest.center().y() - 7, 15, 15), iconName,
              palette[Token::TextSecondary]);
    rest.setLeft(rest.left() + 22);
  }
  const bool strong = index.data(EmphasisRole).toBool();
  const QVariant alignment = index.data(Qt::TextAlignmentRole);
  paintText(painter, rest, index.data(Qt::DisplayRole).toString(), textColor(index, palette),
            textFont(TextStyle::Table, strong ? QFont::DemiBold : QFont::Normal),
            alignment.isValid() ? Qt::Alignment(alignment.toInt()) : Qt::AlignLeft);
}

// StatusNameDelegate

QSize StatusNameDelegate::sizeHint(const QStyleOptionViewItem& option,
                                   const QModelIndex& index) const {
  QSize size = RowDelegate::sizeHint(option, index);
  size.rwidth() += stateOf(index, StateRole) ? 20 : 0;
  size.rwidth() += index.data(IconNameRole).toString().isEmpty() ? 0 : 22;
  return size;
}

void StatusNameDelegate::paintContent(QPainter& painter, const QRect& content,
                                      const QStyleOptionViewItem&, const QModelIndex& index,
                                      const Palette& palette) const {
  QRect rest = content;
  const auto state = stateOf(index, StateRole);
  const int side = iconSize::kStatus;
  const int top = rest.top() + (rest.height() - side + 1) / 2;
  if (state) {
    if (stateAtEnd_) {
      paintState(painter, QRectF(rest.right() - side + 1, top, side, side), *state, palette);
      rest.setRight(rest.right() - side - 6);
    } else {
      paintState(painter, QRectF(rest.left(), top, side, side), *state, palette);
      rest.setLeft(rest.left() + side + 8);
    }
  }
  const QString iconName = index.data(IconNameRole).toString();
  if (!iconName.isEmpty()) {
    paintIcon(painter, QRectF(rest.left(), rest.top() + (rest.height() - 15) / 2, 15, 15), iconName,
              palette[Token::TextSecondary]);
    rest.setLeft(rest.left() + 22);
  }
  const bool strong = index.data(EmphasisRole).toBool();
  const QString detail = index.data(DetailRole).toString();
  const QFont nameFont = textFont(TextStyle::Table, strong ? QFont::DemiBold : weight_);
  paintText(painter, rest, index.data(Qt::DisplayRole).toString(), textColor(index, palette),
            nameFont, Qt::AlignLeft);
  if (detail.isEmpty()) return;
  const int used = QFontMetrics(nameFont).horizontalAdvance(index.data().toString()) + 8;
  if (used < rest.width())
    paintText(painter, rest.adjusted(used, 0, 0, 0), detail, palette[Token::TextMuted],
              textFont(TextStyle::Table), stateAtEnd_ ? Qt::AlignRight : Qt::AlignLeft);
}

// SparklineDelegate

QSize SparklineDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  return QSize(48 + 2 * kPadding, rowHeight());
}

void SparklineDelegate::paintContent(QPainter& painter, const QRect& content,
                                     const QStyleOptionViewItem&, const QModelIndex& index,
                                     const Palette& palette) const {
  const auto* buffer = index.data(SparklineRole).value<const SparkBuffer*>();
  if (!buffer || buffer->size() == 0) return;
  const QVariant series = index.data(SeriesRole);
  QColor color = palette.series(series.isValid() ? series.toInt() : 0);
  if (index.data(StaleRole).toBool()) color = palette[Token::TextMuted];
  // A value that stays the same is a line below the upper edge, not a full cell.
  const double top = std::max(maximum_ > 0 ? maximum_ : buffer->maximum() * 4 / 3, 1e-12);
  const QRectF box = QRectF(content).adjusted(0, 6, -2, -6);
  const double step = box.width() / (SparkBuffer::kSize - 1);
  // The newest sample stands at the right edge; a short history leaves the left empty.
  const int offset = SparkBuffer::kSize - buffer->size();
  // The line below shows how long it may become.
  painter.fillRect(QRectF(box.left(), box.bottom(), box.width(), 1), palette[Token::LineSubtle]);
  const auto flush = [&](const QPolygonF& line) {
    if (line.size() < 2) return;
    QPolygonF area = line;
    area << QPointF(line.last().x(), box.bottom()) << QPointF(line.first().x(), box.bottom());
    QColor wash = color;
    wash.setAlphaF(0.16F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(wash);
    painter.drawPolygon(area);
    painter.setPen(QPen(color, 1.2));
    painter.drawPolyline(line);
  };
  QPolygonF line;
  line.reserve(buffer->size());
  for (int i = 0; i < buffer->size(); ++i) {
    const double value = buffer->at(i);
    if (!std::isfinite(value)) {
      flush(line);
      line.clear();
      continue;
    }
    const double share = std::clamp(value / top, 0.0, 1.0);
    line << QPointF(box.left() + (offset + i) * step, box.bottom() - share * box.height());
  }
  flush(line);
  if (!line.isEmpty()) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawEllipse(line.last(), 1.8, 1.8);
  }
}

// NumberDelegate, BarNumberDelegate

NumberDelegate::NumberDelegate(const QString& widest, QObject* parent, int rowHeight)
    : RowDelegate(parent, rowHeight), widest_(widest) {}

QSize NumberDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  return QSize(QFontMetrics(textFont(TextStyle::Table)).horizontalAdvance(widest_) + 2 * kPadding,
               rowHeight());
}

void NumberDelegate::paintContent(QPainter& painter, const QRect& content,
                                  const QStyleOptionViewItem&, const QModelIndex& index,
                                  const Palette& palette) const {
  const QVariant value = index.data(Qt::DisplayRole);
  QString text = value.toString();
  QColor color = textColor(index, palette);
  if (!value.isValid() || text.isEmpty()) {
    text = noValue();
    color = palette[Token::TextMuted];
  }
  const bool strong = index.data(EmphasisRole).toBool();
  paintText(painter, content, text, color,
            textFont(TextStyle::Table, strong ? QFont::DemiBold : QFont::Normal), Qt::AlignRight);
}

QSize BarNumberDelegate::sizeHint(const QStyleOptionViewItem& option,
                                  const QModelIndex& index) const {
  QSize size = NumberDelegate::sizeHint(option, index);
  size.rwidth() += kBarWidth + 8;
  return size;
}

void BarNumberDelegate::paintContent(QPainter& painter, const QRect& content,
                                     const QStyleOptionViewItem& option, const QModelIndex& index,
                                     const Palette& palette) const {
  const QVariant fraction = index.data(FractionRole);
  const QRectF well(content.left(), content.center().y() - 1.5, kBarWidth, 5);
  painter.setPen(Qt::NoPen);
  painter.setBrush(palette[Token::GaugeIdle]);
  painter.drawRoundedRect(well, radius::kCell, radius::kCell);
  const double share = fraction.isValid() ? fraction.toDouble() : 0;
  if (std::isfinite(share) && share > 0) {
    const State state = stateOf(index, BarStateRole).value_or(State::Running);
    const bool plain = state == State::Running || state == State::Ok;
    QRectF bar = well;
    bar.setWidth(std::max(1.5, std::min(share, 1.0) * well.width()));
    painter.setBrush(plain ? palette[Token::Accent] : colors(state, palette).fill);
    if (state == State::Late) painter.setPen(QPen(palette[Token::LateFg], 1));
    painter.drawRoundedRect(bar, radius::kCell, radius::kCell);
  }
  NumberDelegate::paintContent(painter, content.adjusted(kBarWidth + 4, 0, 0, 0), option, index,
                               palette);
}

// LinkDelegate

void LinkDelegate::paintContent(QPainter& painter, const QRect& content,
                                const QStyleOptionViewItem&, const QModelIndex& index,
                                const Palette& palette) const {
  const bool link = !index.data(LinkRole).toString().isEmpty();
  paintText(painter, content, index.data(Qt::DisplayRole).toString(),
            link ? palette[Token::TextLink] : textColor(index, palette),
            textFont(TextStyle::Table, link ? QFont::Medium : QFont::Normal), Qt::AlignLeft);
}

bool LinkDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                               const QStyleOptionViewItem& option, const QModelIndex& index) {
  if (index.data(LinkRole).toString().isEmpty())
    return RowDelegate::editorEvent(event, model, option, index);
  if (event->type() == QEvent::MouseButtonRelease) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const int width = QFontMetrics(textFont(TextStyle::Table, QFont::Medium))
                          .horizontalAdvance(index.data().toString()) +
                      2 * kPadding;
    if (mouse->button() == Qt::LeftButton && mouse->pos().x() < option.rect.left() + width) {
      Q_EMIT activated(index);
      return true;
    }
  } else if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Space || key == Qt::Key_Return) {
      Q_EMIT activated(index);
      return true;
    }
  }
  return RowDelegate::editorEvent(event, model, option, index);
}

// FixButtonDelegate

QSize FixButtonDelegate::sizeHint(const QStyleOptionViewItem& option,
                                  const QModelIndex& index) const {
  QStyleOptionViewItem copy = option;
  copy.rect = QRect(0, 0, 10000, rowHeight());
  return QSize(buttonRect(copy, index).width() + 2 * kPadding, rowHeight());
}

QRect FixButtonDelegate::buttonRect(const QStyleOptionViewItem& option,
                                    const QModelIndex& index) const {
  const QString text = index.data(FixRole).toString();
  if (text.isEmpty()) return {};
  const int width = QFontMetrics(textFont(TextStyle::Label)).horizontalAdvance(text) + 17;
  const int room = option.rect.width() - 2 * kPadding;
  return QRect(option.rect.left() + kPadding, option.rect.top() + (option.rect.height() - 22) / 2,
               std::min(width, room), 21);
}

void FixButtonDelegate::paintContent(QPainter& painter, const QRect&,
                                     const QStyleOptionViewItem& option, const QModelIndex& index,
                                     const Palette& palette) const {
  const QRect button = buttonRect(option, index);
  if (button.isEmpty()) return;
  const QString text = index.data(FixRole).toString();
  painter.setPen(palette[Token::LineStrong]);
  painter.setBrush(palette[pressed_ == index ? Token::BgSelected : Token::BgRaised]);
  painter.drawRoundedRect(QRectF(button).adjusted(0.5, 0.5, -0.5, -0.5), radius::kControl,
                          radius::kControl);
  paintText(painter, button.adjusted(8, 0, -8, 0), text, palette[Token::TextPrimary],
            textFont(TextStyle::Label), Qt::AlignHCenter);
}

bool FixButtonDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                                    const QStyleOptionViewItem& option, const QModelIndex& index) {
  if (index.data(FixRole).toString().isEmpty())
    return RowDelegate::editorEvent(event, model, option, index);
  const auto repaint = [&option] {
    if (option.widget)
      if (auto* view = qobject_cast<const QAbstractItemView*>(option.widget))
        view->viewport()->update();
  };
  switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
      if (buttonRect(option, index).contains(static_cast<QMouseEvent*>(event)->pos())) {
        pressed_ = index;
        repaint();
        return true;
      }
      break;
    case QEvent::MouseButtonRelease: {
      const bool hit = pressed_ == index &&
                       buttonRect(option, index).contains(static_cast<QMouseEvent*>(event)->pos());
      pressed_ = QPersistentModelIndex();
      repaint();
      if (hit) {
        Q_EMIT clicked(index);
        return true;
      }
      break;
    }
    case QEvent::KeyPress:
      if (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
        Q_EMIT clicked(index);
        return true;
      }
      break;
    default:
      break;
  }
  return RowDelegate::editorEvent(event, model, option, index);
}

// TwoLineDelegate

TwoLineDelegate::TwoLineDelegate(QObject* parent, int rowHeight) : RowDelegate(parent, rowHeight) {
  setRuled(false);
}

QSize TwoLineDelegate::sizeHint(const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
  // Single-line items (headings of a tree) keep the row height of a tree.
  const bool two = !index.data(DetailRole).toString().isEmpty();
  return QSize(RowDelegate::sizeHint(option, index).width() + 24,
               two ? rowHeight() : theme::rowHeight(height::kRowCompact));
}

void TwoLineDelegate::paintContent(QPainter& painter, const QRect& content,
                                   const QStyleOptionViewItem&, const QModelIndex& index,
                                   const Palette& palette) const {
  QRect rest = content;
  if (const auto state = stateOf(index, StateRole)) {
    paintState(painter, QRectF(rest.right() - 13, rest.center().y() - 6, 13, 13), *state, palette);
    rest.setRight(rest.right() - 22);
  }
  const QString iconName = index.data(IconNameRole).toString();
  if (!iconName.isEmpty()) {
    paintIcon(painter, QRectF(rest.left(), rest.top() + (rest.height() - 17) / 2, 17, 17), iconName,
              palette[Token::TextSecondary]);
    rest.setLeft(rest.left() + 27);
  }
  const QString detail = index.data(DetailRole).toString();
  const QString title = index.data(Qt::DisplayRole).toString();
  const QColor color = textColor(index, palette);
  if (detail.isEmpty()) {
    const bool strong = index.data(EmphasisRole).toBool();
    paintText(painter, rest, title, color,
              textFont(TextStyle::Table, strong ? QFont::DemiBold : QFont::Normal), Qt::AlignLeft);
    return;
  }
  const int top = rest.top() + (rest.height() - 30) / 2;
  paintText(painter, QRect(rest.left(), top, rest.width(), 16), title, color,
            textFont(TextStyle::Label), Qt::AlignLeft);
  paintText(painter, QRect(rest.left(), top + 16, rest.width(), 14), detail,
            palette[Token::TextMuted], textFont(TextStyle::Caption, QFont::Normal), Qt::AlignLeft);
}

}  // namespace tutti::theme
