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
  for (int i = 0; i < static_cast<int>(parts_.size()) - hidden_; ++i) {
    const int size = isHollow(parts_[i]) ? kPerRow : *parts_[i].size;
    Block block;
    block.part = i;
    block.top = top;
    block.rows = std::clamp((size + kPerRow - 1) / kPerRow, 1, kMaxRows);
    blocks_ << block;
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
  const QFont label = textFont(TextStyle::Caption);
  const QFont mono = textFont(TextStyle::Mono);
  const double box = width() / static_cast<double>(kPerRow);
  int color = 0;
  for (const Block& block : blocks_) {
    const LayoutPart& part = parts_[block.part];
    const QColor ink = part.isPadding ? palette[Token::TextMuted] : palette.series(color++ % 8);
    painter.setFont(label);
    const QString range = rangeText(part);
    const int rangeWidth = QFontMetrics(label).horizontalAdvance(range);
    const int room = width() - rangeWidth - 8;
    painter.setPen(palette[part.isPadding ? Token::TextMuted : Token::TextPrimary]);
    painter.drawText(QRect(0, block.top, room, kLabel), Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetrics(label).elidedText(part.name, Qt::ElideMiddle, room));
    painter.setPen(palette[Token::TextMuted]);
    painter.drawText(QRect(0, block.top, width(), kLabel), Qt::AlignVCenter | Qt::AlignRight,
                     range);
    const int top = block.top + kLabel;
    if (isHollow(part)) {
      const int size = part.size.value_or(kPerRow);
      const QRectF area(0.5, top + 0.5, std::min(size, kPerRow) * box - 2, kBox - 3);
      painter.setPen(QPen(part.isPadding ? palette[Token::LineControl] : ink, 1, Qt::DashLine));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(area);
      painter.setPen(palette[Token::TextMuted]);
      painter.drawText(area, Qt::AlignCenter,
                       part.isPadding ? QStringLiteral("00") : part.typeName);
      continue;
    }
    const int size = *part.size;
    const int shown = std::min(size, kMaxRows * kPerRow);
    const QByteArray octets = octets_.value(block.part);
    QColor tint = ink;
    tint.setAlphaF(palette.isDark() ? 0.26F : 0.16F);
    painter.setFont(mono);
    for (int i = 0; i < shown; ++i) {
      const int row = i / kPerRow;
      const int left = qRound((i % kPerRow) * box);
      const int right = qRound((i % kPerRow + 1) * box) - 2;
      const QRect cell(left, top + row * kBox, right - left, kBox - 3);
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
  if (hidden_ > 0) {
    painter.setFont(label);
    painter.setPen(palette[Token::TextMuted]);
    painter.drawText(QRect(0, height_ - kLabel, width(), kLabel), Qt::AlignVCenter | Qt::AlignLeft,
                     QStringLiteral("and %1 more parts").arg(hidden_));
  }
}

}  // namespace tutti::fomedit
