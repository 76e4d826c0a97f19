// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/byte_layout_view.h"

#include <QPainter>
#include <algorithm>

#include "resources/theme/theme.h"

namespace tutti::fomedit {

using theme::Palette;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int kPerRow = 8;
constexpr int kLabel = 18;
constexpr int kBox = 20;
constexpr int kGap = 6;
constexpr int kMaxParts = 24;
constexpr int kMaxRows = 2;  // of one part

/// Parts without example octets: padding, parts of variable size, records not opened.
bool isHollow(const LayoutPart& part) {
  return !part.size || part.isPadding || part.leaf == LeafKind::None;
}

QString rangeText(const LayoutPart& part) {
  if (!part.size) {
    return part.offset ? QStringLiteral("from byte %1, variable").arg(*part.offset)
                       : QStringLiteral("variable");
  }
  if (*part.size == 0) return QStringLiteral("empty");
  const QString order = part.isPadding || *part.size == 1 || part.leaf == LeafKind::None ||
                                part.leaf == LeafKind::Octets
                            ? QString()
                        : part.bigEndian ? QStringLiteral(", big endian")
                                         : QStringLiteral(", little endian");
  if (!part.offset) {
    return (*part.size == 1 ? QStringLiteral("1 byte")
                            : QStringLiteral("%1 bytes").arg(*part.size)) +
           order;
  }
  if (*part.size == 1) return QStringLiteral("byte %1").arg(*part.offset);
  return QStringLiteral("bytes %1 to %2").arg(*part.offset).arg(*part.offset + *part.size - 1) +
         order;
}

}  // namespace

ByteLayoutView::ByteLayoutView(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ByteLayoutView::setLayoutParts(const QList<LayoutPart>& parts) {
  parts_ = parts;
  octets_.clear();
  arrange();
  QStringList spoken;
  for (const LayoutPart& part : parts_) spoken << part.name + u' ' + rangeText(part);
  setAccessibleName(spoken.join(QStringLiteral("; ")));
}

void ByteLayoutView::setOctets(const QList<QByteArray>& octets) {
  octets_ = octets;
  update();
}

void ByteLayoutView::arrange() {
  blocks_.clear();
  int top = 0;
  hidden_ = std::max(0, static_cast<int>(parts_.size()) - kMaxParts);
  const int count = static_cast<int>(parts_.size()) - hidden_;
  const auto isShort = [&](int i) {
    return i < count && parts_[i].size && *parts_[i].size <= kPerRow / 2;
  };
  for (int i = 0; i < count; ++i) {
    const int size = isHollow(parts_[i]) ? kPerRow : *parts_[i].size;
    Block block;
    block.part = i;
    block.top = top;
    block.rows = std::clamp((size + kPerRow - 1) / kPerRow, 1, kMaxRows);
    block.half = isShort(i);
    blocks_ << block;
    if (block.half && isShort(i + 1)) {
      block.part = ++i;
      block.right = true;
      blocks_ << block;
    }
    top += kLabel + block.rows * kBox + kGap;
  }
  if (hidden_ > 0) top += kLabel;
  height_ = std::max(top, 1);
  updateGeometry();
  update();
}

QSize ByteLayoutView::sizeHint() const { return {320, height_}; }

void ByteLayoutView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette palette = Palette::of(this);
  int color = 0;
  for (const Block& block : blocks_) {
    const LayoutPart& part = parts_[block.part];
    const QColor ink = part.isPadding ? palette[Token::TextMuted] : palette.series(color++ % 8);
    paintPart(painter, block, ink, palette);
  }
  if (hidden_ > 0) {
    painter.setFont(textFont(TextStyle::Caption));
    painter.setPen(palette[Token::TextMuted]);
    painter.drawText(QRect(0, height_ - kLabel, width(), kLabel), Qt::AlignVCenter | Qt::AlignLeft,
                     QStringLiteral("and %1 more parts").arg(hidden_));
  }
}

void ByteLayoutView::paintPart(QPainter& painter, const Block& block, const QColor& ink,
                               const Palette& palette) const {
  const LayoutPart& part = parts_[block.part];
  const double box = width() / static_cast<double>(kPerRow);
  const int start = block.right ? kPerRow / 2 : 0;
  const int boxes = block.half ? kPerRow / 2 : kPerRow;
  const int left = qRound(start * box);
  const int room = qRound((start + boxes) * box) - left - (block.half && !block.right ? 8 : 0);

  const QFont label = textFont(TextStyle::Caption);
  const QFontMetrics metrics(label);
  painter.setFont(label);
  const int nameWidth = std::min(metrics.horizontalAdvance(part.name) + 2, room);
  painter.setPen(palette[part.isPadding ? Token::TextMuted : Token::TextPrimary]);
  painter.drawText(QRect(left, block.top, nameWidth, kLabel), Qt::AlignVCenter | Qt::AlignLeft,
                   metrics.elidedText(part.name, Qt::ElideMiddle, nameWidth));
  // The name comes first; the byte order gives way, then the range.
  QString range = rangeText(part);
  const int rangeRoom = room - nameWidth - 8;
  if (metrics.horizontalAdvance(range) > rangeRoom) range = range.section(u',', 0, 0);
  if (metrics.horizontalAdvance(range) <= rangeRoom) {
    painter.setPen(palette[Token::TextMuted]);
    painter.drawText(QRect(left, block.top, room, kLabel), Qt::AlignVCenter | Qt::AlignRight,
                     range);
  }

  const int top = block.top + kLabel;
  if (isHollow(part)) {
    const int size = std::min(part.size.value_or(kPerRow), boxes);
    const QRectF area(left + 0.5, top + 0.5, size * box - 2, kBox - 3);
    painter.setPen(QPen(part.isPadding ? palette[Token::LineControl] : ink, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area);
    painter.setPen(palette[Token::TextMuted]);
    painter.drawText(area, Qt::AlignCenter,
                     part.isPadding ? QStringLiteral("00")
                                    : metrics.elidedText(part.typeName, Qt::ElideRight,
                                                         static_cast<int>(area.width()) - 8));
    return;
  }
  const int size = *part.size;
  const int shown = std::min(size, kMaxRows * kPerRow);
  const QByteArray octets = octets_.value(block.part);
  QColor tint = ink;
  tint.setAlphaF(palette.isDark() ? 0.26F : 0.16F);
  painter.setFont(textFont(TextStyle::Mono));
  for (int i = 0; i < shown; ++i) {
    const int column = start + i % kPerRow;
    const int cellLeft = qRound(column * box);
    const QRect cell(cellLeft, top + i / kPerRow * kBox, qRound((column + 1) * box) - 2 - cellLeft,
                     kBox - 3);
    painter.fillRect(cell, tint);
    painter.fillRect(QRect(cell.left(), cell.top(), cell.width(), 2), ink);
    QString digits;
    if (i == shown - 1 && size > shown) {
      digits = QStringLiteral("…");
    } else if (i < octets.size()) {
      digits = QString::fromLatin1(octets.mid(i, 1).toHex()).toUpper();
    }
    painter.setPen(palette[Token::TextPrimary]);
    painter.drawText(cell.adjusted(0, 2, 0, 0), Qt::AlignCenter, digits);
  }
}

}  // namespace tutti::fomedit
