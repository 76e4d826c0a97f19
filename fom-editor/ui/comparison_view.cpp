// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/comparison_view.h"

#include <QHeaderView>
#include <QPainter>

#include "resources/theme/icons.h"
#include "resources/theme/theme.h"

namespace tutti::fomedit {

using theme::Palette;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int kGutter = 44;
constexpr int kIndent = 16;

struct KindIcon {
  const char* name;
  Token color;
};

KindIcon iconOf(EntryKind kind) {
  switch (kind) {
    case EntryKind::ObjectClass:
      return {"object-class", Token::Series1};
    case EntryKind::InteractionClass:
      return {"interaction-class", Token::Series2};
    case EntryKind::Attribute:
    case EntryKind::Parameter:
    case EntryKind::Field:
    case EntryKind::Enumerator:
    case EntryKind::Alternative:
      return {"attribute", kind == EntryKind::Parameter ? Token::Series2 : Token::Series1};
    case EntryKind::DataType:
      return {"datatype", Token::TextSecondary};
    case EntryKind::Dimension:
      return {"dimension", Token::TextSecondary};
    case EntryKind::Transportation:
      return {"export", Token::TextSecondary};
    case EntryKind::UpdateRate:
      return {"activity", Token::TextSecondary};
    case EntryKind::SynchronizationPoint:
      return {"step", Token::TextSecondary};
    case EntryKind::Tag:
    case EntryKind::Time:
      return {"recorder", Token::TextSecondary};
    case EntryKind::Switch:
      return {"settings", Token::TextSecondary};
    case EntryKind::Note:
    case EntryKind::Module:
      return {"document", Token::TextSecondary};
  }
  return {"document", Token::TextSecondary};
}

}  // namespace

theme::StateColors colorsOf(Mark mark, const Palette& palette) {
  switch (mark) {
    case Mark::Added:
      return theme::colors(theme::State::Ok, palette);
    case Mark::Removed:
      return theme::colors(theme::State::Dead, palette);
    case Mark::Renamed:
    case Mark::Moved:
      return theme::colors(theme::State::Paused, palette);
    case Mark::Changed:
      break;
  }
  return theme::colors(theme::State::Info, palette);
}

void paintMark(QPainter& painter, const QRectF& rect, Mark mark, const Palette& palette) {
  const theme::StateColors c = colorsOf(mark, palette);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(c.tint);
  painter.drawRoundedRect(rect, 3, 3);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(c.fg, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const QPointF m = rect.center();
  const qreal r = rect.width() * 0.28;
  const auto line = [&](qreal x1, qreal y1, qreal x2, qreal y2) {
    painter.drawLine(m + QPointF(x1 * r, y1 * r), m + QPointF(x2 * r, y2 * r));
  };
  switch (mark) {
    case Mark::Added:
      line(-1, 0, 1, 0);
      line(0, -1, 0, 1);
      break;
    case Mark::Removed:
      line(-1, 0, 1, 0);
      break;
    case Mark::Renamed:
      line(-1, 0, 1, 0);
      line(0.3, -0.7, 1, 0);
      line(0.3, 0.7, 1, 0);
      break;
    case Mark::Moved:
      line(-1, -0.5, 1, -0.5);
      line(0.4, -1.1, 1, -0.5);
      line(-1, 0.5, 1, 0.5);
      line(-0.4, 1.1, -1, 0.5);
      break;
    case Mark::Changed: {
      QPainterPath wave(m + QPointF(-r, 0.25 * r));
      wave.cubicTo(m + QPointF(-0.4 * r, -1.1 * r), m + QPointF(0.4 * r, 1.1 * r),
                   m + QPointF(r, -0.25 * r));
      painter.drawPath(wave);
    }
  }
  painter.restore();
}

ComparisonDelegate::ComparisonDelegate(QObject* parent)
    : RowDelegate(parent, theme::height::kRowCompact) {}

void ComparisonDelegate::paintContent(QPainter& painter, const QRect& content,
                                      const QStyleOptionViewItem& option, const QModelIndex& index,
                                      const Palette& palette) const {
  const int mark = index.data(ComparisonRows::MarkRole).toInt();
  if (index.column() != ComparisonRows::MarkColumn) {
    paintSide(painter, content, option, index, palette);
    return;
  }
  if (!option.state.testFlag(QStyle::State_Selected)) {
    painter.fillRect(option.rect.adjusted(0, 0, 0, -1), palette[Token::BgSunken]);
  }
  painter.setPen(palette[Token::LineSubtle]);
  painter.drawLine(option.rect.topLeft(), option.rect.bottomLeft());
  painter.drawLine(option.rect.topRight(), option.rect.bottomRight());
  if (mark < 0) return;
  const QPointF m = QRectF(option.rect).center();
  const bool wire = index.data(ComparisonRows::WireRole).toBool();
  paintMark(painter, QRectF(m.x() - (wire ? 18 : 8), m.y() - 8, 16, 16), static_cast<Mark>(mark),
            palette);
  if (wire) {
    theme::paintState(painter, QRectF(m.x() + 3, m.y() - 7, 14, 14), theme::State::Warning,
                      palette);
  }
}

void ComparisonDelegate::paintSide(QPainter& painter, const QRect& content,
                                   const QStyleOptionViewItem& option, const QModelIndex& index,
                                   const Palette& palette) const {
  const int mark = index.data(ComparisonRows::MarkRole).toInt();
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  const QRect cell = option.rect.adjusted(0, 0, 0, -1);
  if (index.data(ComparisonRows::MissingRole).toBool()) {
    painter.save();
    painter.setClipRect(cell);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette[Token::LineStrong], 1));
    for (int x = cell.left() - cell.height(); x < cell.right(); x += 9) {
      painter.drawLine(x, cell.bottom() + 1, x + cell.height(), cell.top());
    }
    painter.restore();
    return;
  }
  if (mark >= 0 && !selected) {
    painter.fillRect(cell, colorsOf(static_cast<Mark>(mark), palette).tint);
  }
  const auto kind = static_cast<EntryKind>(index.data(ComparisonRows::KindRole).toInt());
  const bool heading = index.data(ComparisonRows::HeadingRole).toBool();
  QRect rest = content;
  rest.setLeft(rest.left() + index.data(ComparisonRows::DepthRole).toInt() * kIndent +
               (heading || kind == EntryKind::ObjectClass || kind == EntryKind::InteractionClass ||
                        kind == EntryKind::Attribute || kind == EntryKind::Parameter
                    ? 0
                    : kIndent));
  const KindIcon icon = iconOf(kind);
  theme::paintIcon(painter, QRect(rest.left(), rest.center().y() - 7, 15, 15),
                   QString::fromLatin1(icon.name), palette[icon.color]);
  rest.setLeft(rest.left() + 21);
  const QString name = index.data().toString();
  const QFont font = textFont(TextStyle::Table, heading     ? QFont::DemiBold
                                                : mark >= 0 ? QFont::Medium
                                                            : QFont::Normal);
  const int wanted = std::min(QFontMetrics(font).horizontalAdvance(name) + 8, rest.width());
  paintText(painter, QRect(rest.left(), rest.top(), wanted, rest.height()), name,
            palette[Token::TextPrimary], font, Qt::AlignLeft);
  rest.setLeft(rest.left() + wanted + 8);
  if (rest.width() < 24) return;
  paintText(painter, rest, index.data(ComparisonRows::DetailRole).toString(),
            palette[Token::TextSecondary], textFont(TextStyle::Caption), Qt::AlignRight);
}

ComparisonView::ComparisonView(QWidget* parent) : QTreeView(parent) {
  setRootIsDecorated(false);
  setIndentation(0);
  setUniformRowHeights(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setAllColumnsShowFocus(true);
  setItemDelegate(new ComparisonDelegate(this));
}

void ComparisonView::setRows(ComparisonRows* rows) {
  setModel(rows);
  header()->setStretchLastSection(false);
  header()->setMinimumSectionSize(kGutter);
  header()->setHighlightSections(false);
  header()->setSectionsMovable(false);
  header()->setSectionResizeMode(ComparisonRows::BeforeColumn, QHeaderView::Stretch);
  header()->setSectionResizeMode(ComparisonRows::MarkColumn, QHeaderView::Fixed);
  header()->setSectionResizeMode(ComparisonRows::AfterColumn, QHeaderView::Stretch);
  header()->resizeSection(ComparisonRows::MarkColumn, kGutter);
}

void ComparisonView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTreeView::currentChanged(current, previous);
  Q_EMIT currentRowChanged(current.isValid() ? current.row() : -1);
}

}  // namespace tutti::fomedit
