// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/views.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QTextLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "fom-editor/model/lists.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/ui/cell_editing.h"
#include "resources/theme/icons.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

using theme::Palette;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

struct ItemIcon {
  const char* name;
  Token color;
};

ItemIcon iconOf(ItemKind kind) {
  switch (kind) {
    case ItemKind::ObjectClass:
      return {"object-class", Token::Series1};
    case ItemKind::InteractionClass:
      return {"interaction-class", Token::Series2};
    case ItemKind::DataType:
    case ItemKind::DataTypes:
    case ItemKind::MimDataTypes:
      return {"datatype", Token::TextSecondary};
    case ItemKind::Dimension:
    case ItemKind::Dimensions:
      return {"dimension", Token::TextSecondary};
    case ItemKind::Transportation:
    case ItemKind::Transportations:
      return {"export", Token::TextSecondary};
    case ItemKind::UpdateRate:
    case ItemKind::UpdateRates:
      return {"activity", Token::TextSecondary};
    case ItemKind::SynchronizationPoint:
    case ItemKind::SynchronizationPoints:
      return {"step", Token::TextSecondary};
    case ItemKind::Switches:
      return {"settings", Token::TextSecondary};
    case ItemKind::Tags:
      return {"recorder", Token::TextSecondary};
    case ItemKind::Sharing:
      return {"interaction-class", Token::TextSecondary};
    case ItemKind::Services:
      return {"terminal", Token::TextSecondary};
    case ItemKind::Notes:
      return {"log", Token::TextSecondary};
    case ItemKind::Module:
      return {"document", Token::TextSecondary};
    case ItemKind::None:
      break;
  }
  return {"document", Token::TextSecondary};
}

/// Draws the state at the right end and returns what is left.
QRect paintStateAtEnd(QPainter& painter, QRect rest, const QVariant& level,
                      const Palette& palette) {
  if (!level.isValid()) return rest;
  const int side = theme::iconSize::kStatus;
  theme::paintState(painter,
                    QRectF(rest.right() - side + 1, rest.center().y() - side / 2.0 + 1, side, side),
                    stateOf(static_cast<Level>(level.toInt())), palette);
  rest.setRight(rest.right() - side - 6);
  return rest;
}

/// Filled, in the accent: the mark of what is not saved.
QRect paintDotAtEnd(QPainter& painter, QRect rest, const Palette& palette) {
  constexpr qreal kDot = 7;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(palette[Token::Accent]);
  painter.drawEllipse(
      QRectF(rest.right() - kDot + 1, rest.center().y() - kDot / 2 + 0.5, kDot, kDot));
  painter.restore();
  rest.setRight(rest.right() - static_cast<int>(kDot) - 6);
  return rest;
}

QRect paintDetailAtEnd(QPainter& painter, QRect rest, const QString& detail,
                       const Palette& palette) {
  if (detail.isEmpty()) return rest;
  const QFont small = textFont(TextStyle::Caption);
  // The name before it keeps its share of the row. In whole pixels a text may be wider than the sum
  // of its letters, and would lose its end.
  const QFontMetrics metrics(small);
  const int needed =
      static_cast<int>(std::ceil(QFontMetricsF(small).horizontalAdvance(detail))) + 1;
  const int width = std::min(needed, rest.width() * 3 / 5);
  painter.setFont(small);
  painter.setPen(palette[Token::TextMuted]);
  painter.drawText(QRect(rest.right() - width + 1, rest.top(), width, rest.height()),
                   static_cast<int>(Qt::AlignVCenter | Qt::AlignRight),
                   metrics.elidedText(detail, Qt::ElideRight, width));
  rest.setRight(rest.right() - width - 6);
  return rest;
}

/// The check box of a row that can be switched, in its content.
QRect switchIn(const QRect& content) {
  constexpr int kSide = 14;
  return {content.left() + 2, content.center().y() - kSide / 2 + 1, kSide, kSide};
}

void paintSwitch(QPainter& painter, const QRect& box, bool on, const Palette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF frame = QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5);
  painter.setPen(QPen(palette[on ? Token::Accent : Token::LineControl], 1));
  painter.setBrush(palette[on ? Token::Accent : Token::BgPanel]);
  painter.drawRoundedRect(frame, 3, 3);
  if (on) {
    QPainterPath mark(frame.topLeft() + QPointF(3.1, 6.7));
    mark.lineTo(frame.topLeft() + QPointF(5.3, 9.0));
    mark.lineTo(frame.topLeft() + QPointF(9.7, 4.0));
    painter.setPen(QPen(palette[Token::AccentOn], 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(mark);
  }
  painter.restore();
}

}  // namespace

theme::State stateOf(Level level) {
  switch (level) {
    case Level::Loads:
      return theme::State::Error;
    case Level::Strict:
    case Level::Complete:
      return theme::State::Warning;
    case Level::Described:
      return theme::State::Info;
  }
  return theme::State::Info;
}

// OutlineDelegate

OutlineDelegate::OutlineDelegate(QObject* parent)
    : RowDelegate(parent, theme::height::kRowCompact) {
  setRuled(false);
}

void OutlineDelegate::paintContent(QPainter& painter, const QRect& content,
                                   const QStyleOptionViewItem&, const QModelIndex& index,
                                   const Palette& palette) const {
  QRect rest = content.adjusted(-6, 0, 0, 0);
  const Item item = index.data(OutlineModel::ItemRole).value<Item>();
  const ItemIcon mark = iconOf(item.kind);
  theme::paintIcon(painter, QRect(rest.left(), rest.center().y() - 7, 15, 15),
                   QString::fromLatin1(mark.name), palette[mark.color]);
  rest.setLeft(rest.left() + 21);
  rest = paintStateAtEnd(painter, rest, index.data(OutlineModel::LevelRole), palette);
  if (index.data(OutlineModel::EditedRole).toBool()) {
    rest = paintDotAtEnd(painter, rest, palette);
  }
  rest = paintDetailAtEnd(painter, rest, index.data(OutlineModel::DetailRole).toString(), palette);
  const bool muted = index.data(OutlineModel::MutedRole).toBool();
  paintText(painter, rest, index.data().toString(),
            palette[muted ? Token::TextMuted : Token::TextPrimary], textFont(TextStyle::Table),
            Qt::AlignLeft);
}

// ModuleDelegate

ModuleDelegate::ModuleDelegate(QObject* parent) : RowDelegate(parent, theme::height::kRowCompact) {
  setRuled(false);
}

void ModuleDelegate::paintContent(QPainter& painter, const QRect& content,
                                  const QStyleOptionViewItem&, const QModelIndex& index,
                                  const Palette& palette) const {
  QRect rest = content.adjusted(4, 0, 0, 0);
  const QVariant checked = index.data(Qt::CheckStateRole);
  const bool takesPart = !checked.isValid() || checked.toInt() == Qt::Checked;
  if (checked.isValid()) {
    paintSwitch(painter, switchIn(content), takesPart, palette);
    rest.setLeft(switchIn(content).right() + 9);
  }
  const bool mim = index.data(ModuleListModel::MimRole).toBool();
  const bool locked = index.data(ModuleListModel::LockRole).toBool();
  theme::paintIcon(painter, QRect(rest.left(), rest.center().y() - 7, 15, 15),
                   locked ? QStringLiteral("lock") : QStringLiteral("document"),
                   palette[Token::TextSecondary]);
  rest.setLeft(rest.left() + 22);
  const QVariant level = index.data(ModuleListModel::LevelRole);
  const bool edited = index.data(ModuleListModel::EditsRole).toInt() > 0;
  if (level.isValid() || mim || edited || !takesPart) {
    rest = paintStateAtEnd(painter, rest, level, palette);
  } else {
    const int side = theme::iconSize::kStatus;
    theme::paintState(
        painter, QRectF(rest.right() - side + 1, rest.center().y() - side / 2.0 + 1, side, side),
        theme::State::Ok, palette);
    rest.setRight(rest.right() - side - 6);
  }
  rest =
      paintDetailAtEnd(painter, rest, index.data(ModuleListModel::DetailRole).toString(), palette);
  if (edited) rest = paintDotAtEnd(painter, rest, palette);
  // Modules of one model begin alike.
  const QFont font = textFont(TextStyle::Table);
  paintText(painter, rest,
            QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideMiddle, rest.width()),
            palette[mim || !takesPart ? Token::TextMuted : Token::TextPrimary], font,
            Qt::AlignLeft);
}

bool ModuleDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                                 const QStyleOptionViewItem& option, const QModelIndex& index) {
  if (!index.flags().testFlag(Qt::ItemIsUserCheckable)) return false;
  bool toggle = false;
  if (event->type() == QEvent::MouseButtonRelease) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    // As wide as the row is before its icon.
    const int end = switchIn(option.rect.adjusted(8, 0, -8, 0)).right() + 5;
    toggle = tookClick_ = mouse->button() == Qt::LeftButton && mouse->pos().x() <= end;
  } else if (event->type() == QEvent::KeyPress) {
    toggle = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
  }
  if (!toggle) return false;
  const bool checked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  return model->setData(index, checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

// OutlineView

OutlineView::OutlineView(QWidget* parent) : QTreeView(parent), editing_(new CellEditing(this)) {
  setHeaderHidden(true);
  setUniformRowHeights(true);
  setIndentation(16);
  setRootIsDecorated(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  auto* delegate = new OutlineDelegate(this);
  delegate->setEditing(editing_);
  setItemDelegate(delegate);
  buildEditing();
}

void paintBranch(const QTreeView& tree, QPainter* painter, const QRect& rect,
                 const QModelIndex& index) {
  const Palette palette = Palette::of(&tree);
  if (tree.selectionModel() != nullptr && tree.selectionModel()->isSelected(index)) {
    const bool active = tree.hasFocus() && tree.window()->isActiveWindow();
    painter->fillRect(rect, palette[active ? Token::BgSelected : Token::BgSelectedIdle]);
  }
  if (!tree.model()->hasChildren(index)) return;
  const QRect box(rect.right() - tree.indentation() + 3, rect.center().y() - 6, 13, 13);
  theme::paintIcon(*painter, box,
                   tree.isExpanded(index) ? QStringLiteral("down") : QStringLiteral("next"),
                   palette[Token::TextMuted]);
}

void OutlineView::drawBranches(QPainter* painter, const QRect& rect,
                               const QModelIndex& index) const {
  paintBranch(*this, painter, rect, index);
}

// TableDelegate

TableDelegate::TableDelegate(QObject* parent) : RowDelegate(parent) {}

QSize TableDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QSize size = RowDelegate::sizeHint(option, index);
  if (index.siblingAtColumn(0).data(TableModel::SectionRole).toBool()) {
    return QSize(size.width(), theme::rowHeight(theme::height::kRowCompact));
  }
  if (index.column() == 0 && !index.data(TableModel::MemberRole).toString().isEmpty()) {
    size.rwidth() += 26;  // mark before it, medium weight
  }
  return size;
}

void TableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  if (!index.siblingAtColumn(0).data(TableModel::SectionRole).toBool()) {
    RowDelegate::paint(painter, option, index);
    return;
  }
  const Palette palette = Palette::of(option.palette);
  painter->save();
  painter->fillRect(option.rect, palette[Token::BgCanvas]);
  painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                    palette[Token::LineSubtle]);
  paintText(*painter, option.rect.adjusted(8, 0, -8, -1), index.data().toString(),
            palette[Token::TextMuted], textFont(TextStyle::Caption), Qt::AlignLeft);
  painter->restore();
}

void TableDelegate::paintContent(QPainter& painter, const QRect& content,
                                 const QStyleOptionViewItem& option, const QModelIndex& index,
                                 const Palette& palette) const {
  QRect rest = content;
  if (index.siblingAtColumn(0).data(TableModel::AddRole).toBool()) {
    if (index.column() > 0) return;
    theme::paintIcon(painter, QRect(rest.left(), rest.center().y() - 7, 14, 14),
                     QStringLiteral("add"), palette[Token::TextSecondary]);
    rest.setLeft(rest.left() + 20);
    paintText(painter, rest, tr("%1, Insert").arg(index.data().toString()),
              palette[Token::TextSecondary], textFont(TextStyle::Table), Qt::AlignLeft);
    return;
  }
  const bool inherited = index.data(TableModel::InheritedRole).toBool();
  const bool member = !index.data(TableModel::MemberRole).toString().isEmpty();
  const QString text = index.data().toString();
  QFont font = textFont(TextStyle::Table);
  QColor color = palette[inherited ? Token::TextMuted : Token::TextPrimary];
  if (index.column() == 0) {
    if (member) {
      theme::paintIcon(painter, QRect(rest.left(), rest.center().y() - 7, 14, 14),
                       QStringLiteral("attribute"),
                       palette[inherited ? Token::TextMuted : accent_]);
      rest.setLeft(rest.left() + 20);
    }
    if (!inherited) font = textFont(TextStyle::Label);
  }
  const bool link = index.data(TableModel::LinkRole).isValid();
  if (link && !inherited) color = palette[Token::TextLink];
  if (text == QStringLiteral("–")) color = palette[Token::TextMuted];
  const QVariant alignment = index.data(Qt::TextAlignmentRole);
  if (link && option.state.testFlag(QStyle::State_MouseOver)) font.setUnderline(true);
  paintText(painter, rest, text, color, font,
            alignment.isValid() ? Qt::Alignment(alignment.toInt()) : Qt::AlignLeft);
}

// TableView

TableView::TableView(QWidget* parent)
    : QTreeView(parent), delegate_(new TableDelegate(this)), editing_(new CellEditing(this)) {
  delegate_->setEditing(editing_);
  setRootIsDecorated(false);
  setItemsExpandable(false);
  setIndentation(0);

  setFrameShape(QFrame::NoFrame);
  setMouseTracking(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setItemDelegate(delegate_);
  header()->setHighlightSections(false);
  header()->setSectionsMovable(false);
  header()->setStretchLastSection(true);
  header()->setMinimumSectionSize(24);
  header()->setTextElideMode(Qt::ElideRight);
  theme::followRowSize(this, [this] {
    if (fitRows_ > 0) fitHeight();
  });
  connect(this, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) {
    if (isLink(index)) Q_EMIT linkActivated(*table_->row(index));
  });
  connect(this, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex& index) {
    if (index.flags().testFlag(Qt::ItemIsEditable)) return;
    const TableRow* row = table_ != nullptr ? table_->row(index) : nullptr;
    if (row != nullptr && !row->link.isNull() && !isLink(index)) Q_EMIT linkActivated(*row);
  });
  buildEditing();
}

void TableView::setTableModel(TableModel* model) {
  table_ = model;
  setModel(model);
  connect(model, &QAbstractItemModel::modelReset, this, &TableView::adopt);
  // Rows that stay keep their places.
  connect(model, &QAbstractItemModel::dataChanged, this, &TableView::adopt);
  connect(model, &QAbstractItemModel::rowsInserted, this, &TableView::adopt);
  connect(model, &QAbstractItemModel::rowsRemoved, this, &TableView::adopt);
  adopt();
}

void TableView::setAccent(Token accent) {
  delegate_->setAccent(accent);
  viewport()->update();
}

void TableView::setFitRows(int maximum) {
  fitRows_ = maximum;
  adopt();
}

bool TableView::isLink(const QModelIndex& index) const {
  return index.data(TableModel::LinkRole).isValid();
}

void TableView::adopt() {
  if (table_ == nullptr) return;
  const int rows = static_cast<int>(table_->table().rows.size());
  for (int row = 0; row < rows; ++row) {
    // A reset forgot all spans; setting one looks through all rows.
    const bool section = table_->table().rows[row].isSection;
    if (section != isFirstColumnSpanned(row, {})) setFirstColumnSpanned(row, {}, section);
  }
  dragged_ = drop_ = -1;  // rows have other places now
  if (table_->addRow() >= 0 && !isFirstColumnSpanned(rows, {})) {
    setFirstColumnSpanned(rows, {}, true);
  }
  wanted_.clear();
  least_.clear();
  header()->ensurePolished();  // its font is the style sheet's
  const QFontMetrics headerMetrics = header()->fontMetrics();
  const QStyleOptionViewItem option;
  for (int column = 0; column < table_->columnCount(); ++column) {
    int wide = headerMetrics.horizontalAdvance(
                   table_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) +
               20;
    least_ << wide;
    // Long tables are measured by their first rows.
    for (int row = 0; row < std::min(rows, 200); ++row) {
      if (table_->table().rows[row].isSection) continue;
      wide = std::max(wide, delegate_->sizeHint(option, table_->index(row, column)).width() + 8);
    }
    wanted_ << wide;
  }
  if (!editing_->isOpen()) fitColumns();
  if (fitRows_ > 0) fitHeight();
  updateActions();
  continueAtMovedRow();
  continueAtNewRow();
}

void TableView::fitHeight() {
  if (table_ == nullptr) return;
  const QStyleOptionViewItem option;
  int height = isHeaderHidden() ? 1 : header()->sizeHint().height() + 1;
  for (int row = 0; row < std::min(table_->rowCount(), fitRows_); ++row) {
    height += delegate_->sizeHint(option, table_->index(row, 0)).height();
  }
  setFixedHeight(height);
}

void TableView::fitColumns() {
  const int count = static_cast<int>(wanted_.size());
  if (count == 0 || header()->count() != count) return;
  QList<int> widths = wanted_;
  const int room = viewport()->width();
  int total = std::accumulate(widths.begin(), widths.end(), 0);
  // The widest gives way first, so that short columns stay whole.
  while (total > room) {
    int widest = -1;
    for (int column = 0; column < count; ++column) {
      if (widths[column] > least_[column] && (widest < 0 || widths[column] > widths[widest]))
        widest = column;
    }
    if (widest < 0) break;
    const int step = std::min({total - room, 16, widths[widest] - least_[widest]});
    widths[widest] -= step;
    total -= step;
  }
  // What is left over makes the table breathe; the last column stretches anyway.
  const int spare = std::clamp((room - total) / count, 0, 24);
  for (int column = 0; column < count; ++column) {
    header()->resizeSection(column, widths[column] + (column + 1 < count ? spare : 0));
  }
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  fitColumns();
}

// FindingDelegate

FindingDelegate::FindingDelegate(QObject* parent) : RowDelegate(parent) {}

void FindingDelegate::paintContent(QPainter& painter, const QRect& content,
                                   const QStyleOptionViewItem& option, const QModelIndex& index,
                                   const Palette& palette) const {
  QRect rest = content;
  if (index.column() == FindingModel::PlaceColumn) {
    QFont font = textFont(TextStyle::Table);
    font.setUnderline(option.state.testFlag(QStyle::State_MouseOver));
    paintText(painter, rest, index.data().toString(), palette[Token::TextLink], font,
              Qt::AlignLeft);
    return;
  }
  if (index.column() == FindingModel::FixColumn) {
    const QString label = index.data().toString();
    if (label.isEmpty()) return;
    const QFont font = textFont(TextStyle::Caption);
    const int width = std::min(QFontMetrics(font).horizontalAdvance(label) + 20, rest.width());
    const QRectF frame =
        QRectF(rest.left(), rest.top() + 3, width, rest.height() - 6).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette[Token::LineStrong], 1));
    painter.setBrush(
        palette[option.state.testFlag(QStyle::State_MouseOver) ? Token::BgHover : Token::BgPanel]);
    painter.drawRoundedRect(frame, theme::radius::kControl, theme::radius::kControl);
    paintText(painter, frame.toRect().adjusted(9, 0, -9, 0), label, palette[Token::TextPrimary],
              font, Qt::AlignLeft);
    return;
  }
  const auto level = static_cast<Level>(index.data(FindingModel::LevelRole).toInt());
  theme::paintState(painter, QRectF(rest.left() + 4, rest.center().y() - 6, 13, 13), stateOf(level),
                    palette);
  rest.setLeft(rest.left() + 26);
  paintText(painter, rest, index.data().toString(), palette[Token::TextPrimary],
            textFont(TextStyle::Table), Qt::AlignLeft);
}

// LevelCard

LevelCard::LevelCard(Level level, QWidget* parent) : QAbstractButton(parent) {
  setText(levelName(level));
  setCheckable(true);
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setCursor(Qt::PointingHandCursor);
}

void LevelCard::setResult(theme::State state, const QString& detail) {
  state_ = state;
  detail_ = detail;
  setAccessibleName(text() + QStringLiteral(": ") + detail);
  setToolTip(detail);
  update();
}

void LevelCard::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette palette = Palette::of(this);
  const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  painter.setPen(QPen(palette[isChecked() ? Token::Accent : Token::LineSubtle], 1));
  painter.setBrush(palette[isChecked()    ? Token::BgSelected
                           : underMouse() ? Token::BgHover
                                          : Token::BgPanel]);
  painter.drawRoundedRect(frame, theme::radius::kControl, theme::radius::kControl);
  theme::paintState(painter, QRectF(12, height() / 2.0 - 8, 16, 16), state_, palette);
  const int left = 38;
  const int room = width() - left - 8;
  const QFont heading = textFont(TextStyle::Label, QFont::DemiBold);
  painter.setFont(heading);
  painter.setPen(palette[Token::TextPrimary]);
  painter.drawText(QRect(left, 5, room, 17), Qt::AlignVCenter | Qt::AlignLeft,
                   QFontMetrics(heading).elidedText(text(), Qt::ElideRight, room));
  const QFont small = textFont(TextStyle::Caption);
  painter.setFont(small);
  painter.setPen(palette[Token::TextSecondary]);
  painter.drawText(QRect(left, 22, room, 16), Qt::AlignVCenter | Qt::AlignLeft,
                   QFontMetrics(small).elidedText(detail_, Qt::ElideRight, room));
  if (hasFocus()) theme::paintFocusRing(painter, rect(), theme::radius::kControl, palette);
}

// PlaceButton

PlaceButton::PlaceButton(QWidget* parent) : QAbstractButton(parent) {
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

void PlaceButton::setPlace(const QString& place) {
  setText(place);
  setToolTip(tr("Show the definition in its file, %1").arg(place));
  updateGeometry();
}

QSize PlaceButton::sizeHint() const {
  return {QFontMetrics(textFont(TextStyle::Caption)).horizontalAdvance(text()) + 16, 18};
}

void PlaceButton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette palette = Palette::of(this);
  painter.setPen(Qt::NoPen);
  painter.setBrush(palette[Token::IdleTint]);
  painter.drawRoundedRect(rect(), 3, 3);
  QFont font = textFont(TextStyle::Caption);
  font.setUnderline(underMouse());
  painter.setFont(font);
  painter.setPen(palette[underMouse() ? Token::TextLink : Token::TextSecondary]);
  painter.drawText(rect().adjusted(6, 0, -6, 0), Qt::AlignVCenter | Qt::AlignLeft,
                   QFontMetrics(font).elidedText(text(), Qt::ElideMiddle, width() - 12));
  if (hasFocus()) theme::paintFocusRing(painter, rect(), 3, palette);
}

// LinkRow

LinkRow::LinkRow(const QString& link, const QString& detail, QWidget* parent)
    : QAbstractButton(parent), detail_(detail) {
  setText(link);
  setToolTip(detail);
  setAccessibleName(detail.isEmpty() ? link : link + QStringLiteral(", ") + detail);
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void LinkRow::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette palette = Palette::of(this);
  QFont font = textFont(TextStyle::Table);
  font.setUnderline(underMouse());
  const QFontMetrics metrics(font);
  const int linkWidth = std::min(metrics.horizontalAdvance(text()) + 2, width());
  painter.setFont(font);
  painter.setPen(palette[Token::TextLink]);
  painter.drawText(QRect(0, 0, linkWidth, height()), Qt::AlignVCenter | Qt::AlignLeft,
                   metrics.elidedText(text(), Qt::ElideRight, linkWidth));
  const QFont small = textFont(TextStyle::Caption);
  const int room = width() - linkWidth - 12;
  if (!detail_.isEmpty() && room > 24) {
    painter.setFont(small);
    painter.setPen(palette[Token::TextMuted]);
    painter.drawText(QRect(linkWidth + 12, 0, room, height()), Qt::AlignVCenter | Qt::AlignRight,
                     QFontMetrics(small).elidedText(detail_, Qt::ElideRight, room));
  }
  if (hasFocus()) {
    theme::paintFocusRing(painter, QRectF(0, 0, linkWidth + 2, height()), theme::radius::kCell,
                          palette);
  }
}

// ElidedText

ElidedText::ElidedText(int maximumLines, QWidget* parent)
    : QWidget(parent), maximumLines_(maximumLines), cell_(new CellLabel(this)) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void ElidedText::setCell(RowEditor* editor, const RowRef& row, const QString& cell) {
  cell_->setCell(editor, row, cell);
}

void ElidedText::setText(const QString& text) {
  if (text == text_) return;
  text_ = text;
  setToolTip(text.size() > 60 ? text : QString());
  setAccessibleName(text);
  updateGeometry();
  update();
}

QStringList ElidedText::lines(int width) const {
  const QFont font = textFont(TextStyle::Table);
  QTextLayout layout(text_.simplified(), font);
  QStringList result;
  layout.beginLayout();
  int used = 0;
  while (result.size() < maximumLines_) {
    QTextLine line = layout.createLine();
    if (!line.isValid()) break;
    line.setLineWidth(std::max(width, 40));
    QString part = layout.text().mid(line.textStart(), line.textLength());
    used = line.textStart() + line.textLength();
    if (result.size() + 1 == maximumLines_ && used < layout.text().size()) {
      part = QFontMetrics(font).elidedText(layout.text().mid(line.textStart()), Qt::ElideRight,
                                           std::max(width, 40));
    }
    result << part;
  }
  layout.endLayout();
  return result;
}

QSize ElidedText::sizeHint() const { return {240, 18}; }
QSize ElidedText::minimumSizeHint() const { return {80, 18}; }

int ElidedText::heightForWidth(int width) const {
  return std::max<int>(1, static_cast<int>(lines(width).size())) * 17 + 1;
}

void ElidedText::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette palette = Palette::of(this);
  painter.setFont(textFont(TextStyle::Table));
  painter.setPen(palette[Token::TextPrimary]);
  int y = 0;
  for (const QString& line : lines(width())) {
    painter.drawText(QRect(0, y, width(), 17), Qt::AlignLeft | Qt::AlignVCenter, line);
    y += 17;
  }
  if (theme::hasVisibleFocus(this)) theme::paintFocusRing(painter, rect(), 3, palette);
}

}  // namespace tutti::fomedit
