// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/matrix_view.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QRegularExpressionValidator>
#include <QScrollBar>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

#include "resources/theme/format.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using theme::Token;

namespace {

constexpr int leastNode = 46;
constexpr int headPadding = 18;
constexpr int federatesWidth = 76;
constexpr int leastGroup = 120;
constexpr int mostGroup = 220;
constexpr int leastNeeds = 96;
constexpr int leastColumns = 6;
constexpr int footHeight = 36;

/// Of a column: that its title fits.
int nodeWidth(const PlacementMatrix& matrix) {
  if (matrix.nodes.empty()) return leastNode;
  // As many digits as there can be, of a range.
  const QString digits(QString::number(matrix.nodes.back()).size(), u'8');
  const QFontMetrics metrics(theme::textFont(theme::TextStyle::Caption));
  const QString widest =
      matrix.nodes.size() > fewNodes ? digits + u'–' + digits : MatrixView::tr("Node 8");
  return std::max(leastNode, metrics.horizontalAdvance(widest) + headPadding);
}

QString figure(double cores) { return QString::number(cores, 'g', 3); }

}  // namespace

// MatrixCellDelegate

QWidget* MatrixCellDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                          const QModelIndex&) const {
  auto* edit = new QLineEdit(parent);
  edit->setObjectName(QStringLiteral("matrixCount"));
  edit->setAlignment(Qt::AlignCenter);
  // Nothing at all may be entered as well: Return then closes the editor.
  static const QRegularExpression figures(QStringLiteral("[0-9]{0,5}"));
  edit->setValidator(new QRegularExpressionValidator(figures, edit));
  edit->setFrame(false);
  edit->setTextMargins(0, 0, 0, 0);
  edit->setStyleSheet(QStringLiteral("padding: 0; min-height: 0;"));
  return edit;
}

void MatrixCellDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                      const QModelIndex& index) const {
  // An editor that is only left moves nothing.
  const auto* edit = static_cast<QLineEdit*>(editor);
  if (edit->isModified() && !edit->text().isEmpty()) model->setData(index, edit->text());
}

void MatrixCellDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                              const QModelIndex&) const {
  editor->setGeometry(option.rect.adjusted(2, 2, -2, -3));
}

void MatrixCellDelegate::paintContent(QPainter& painter, const QRect& content,
                                      const QStyleOptionViewItem& option, const QModelIndex& index,
                                      const theme::Palette& palette) const {
  const QVariant share = index.data(MatrixModel::ShareRole);
  const QString text = index.data().toString();
  const QRectF cell = QRectF(option.rect).adjusted(2.5, 2.5, -2.5, -3.5);
  const bool isSelected = option.state.testFlag(QStyle::State_Selected);
  if (share.isValid()) {
    painter.setPen(palette[isSelected ? Token::Accent : Token::LineStrong]);
    painter.setBrush(palette[isSelected ? Token::BgPanel : Token::BgWindow]);
    painter.drawRoundedRect(cell, 3, 3);
    QColor edge = palette[Token::Accent];
    edge.setAlphaF(0.35F + 0.65F * share.toFloat());
    painter.fillRect(QRectF(cell.left() + 0.5, cell.top() + 0.5, 3, cell.height() - 1), edge);
  } else if (isSelected) {
    painter.setPen(palette[Token::Accent]);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(cell, 3, 3);
  }
  const bool isMuted =
      !share.isValid() && (text == QStringLiteral("0") || index.data(theme::StaleRole).toBool());
  paintText(painter, QRect(option.rect).adjusted(3, 0, -3, -1), text,
            palette[isMuted ? Token::TextMuted : Token::TextPrimary],
            theme::textFont(theme::TextStyle::Body), Qt::AlignCenter);
  Q_UNUSED(content);
}

// MatrixFoot

MatrixFoot::MatrixFoot(QTreeView* view, MatrixModel* model) : view_(view), model_(model) {
  setObjectName(QStringLiteral("matrixFoot"));
  setFixedHeight(footHeight);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  setMouseTracking(true);
  connect(view->header(), &QHeaderView::sectionResized, this, qOverload<>(&QWidget::update));
  connect(view->header(), &QHeaderView::geometriesChanged, this, qOverload<>(&QWidget::update));
  connect(view->horizontalScrollBar(), &QScrollBar::valueChanged, this,
          qOverload<>(&QWidget::update));
}

void MatrixFoot::refresh() {
  setAccessibleName(tr("Cores in use of each node"));
  setAccessibleDescription(text());
  update();
}

double MatrixFoot::mostOn(const MatrixColumn& column) const {
  double most = 0;
  for (const int node : column.nodes) most = std::max(most, model_->matrix().coresOn(node));
  return most;
}

QString MatrixFoot::text() const {
  const PlacementMatrix& matrix = model_->matrix();
  double all = 0;
  QStringList parts;
  for (const int node : matrix.nodes) {
    const double cores = matrix.coresOn(node);
    all += cores;
    parts << tr("node %1: %2").arg(node).arg(figure(cores));
  }
  const double there = matrix.coresOfNode * static_cast<double>(matrix.nodes.size());
  parts.prepend(matrix.coresOfNode > 0
                    ? tr("%1 of %2 cores").arg(figure(all), QString::number(there))
                    : tr("%1 cores").arg(figure(all)));
  return parts.join(QStringLiteral(", "));
}

bool MatrixFoot::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const int section = view_->header()->logicalIndexAt(help->pos().x());
    const MatrixColumn* column = model_->columnAt(section);
    QStringList lines;
    if (column != nullptr) {
      for (const int node : column->nodes) {
        if (lines.size() == 16) {
          lines << QStringLiteral("…");
          break;
        }
        lines << tr("Node %1: %2 cores").arg(node).arg(figure(model_->matrix().coresOn(node)));
      }
    }
    if (lines.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), lines.join(u'\n'), this);
    return true;
  }
  return QWidget::event(event);
}

void MatrixFoot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const auto palette = theme::Palette::of(this);
  painter.fillRect(QRect(0, 0, width(), 1), palette[Token::LineStrong]);
  const PlacementMatrix& matrix = model_->matrix();
  const QHeaderView* header = view_->header();
  const auto area = [&](int section) {
    return QRect(header->sectionViewportPosition(section), 1, header->sectionSize(section),
                 height() - 1);
  };
  const auto say = [&](const QRect& rect, const QString& text, Token color, QFont::Weight weight,
                       theme::TextStyle style, Qt::Alignment alignment) {
    const QFont font = theme::textFont(style, weight);
    painter.setFont(font);
    painter.setPen(palette[color]);
    painter.drawText(rect, int(alignment),
                     QFontMetrics(font).elidedText(text, Qt::ElideRight, rect.width()));
  };
  double all = 0;
  for (const int node : matrix.nodes) all += matrix.coresOn(node);
  const bool isKnown = matrix.coresOfNode > 0;
  using theme::TextStyle;
  say(area(MatrixModel::Group).adjusted(12, 0, 0, 0),
      isKnown ? tr("Cores of %1").arg(figure(matrix.coresOfNode)) : tr("Cores"), Token::TextPrimary,
      QFont::DemiBold, TextStyle::Body, Qt::AlignLeft | Qt::AlignVCenter);
  const double there = matrix.coresOfNode * static_cast<double>(matrix.nodes.size());
  say(area(MatrixModel::Federates).adjusted(-24, 0, -8, 0),
      isKnown ? tr("%1 of %2").arg(figure(all), QString::number(there)) : figure(all),
      Token::TextPrimary, QFont::Medium, TextStyle::Body, Qt::AlignRight | Qt::AlignVCenter);
  int federates = 0;
  for (const int node : matrix.nodes) {
    int here = 0;
    for (const MatrixRow& row : matrix.rows) here += row.countOn(node);
    federates = std::max(federates, here);
  }
  if (!view_->isColumnHidden(MatrixModel::Need))
    say(area(MatrixModel::Need).adjusted(8, 0, -4, 0),
        tr("at most %1 on one").arg(theme::formatNoun(federates, tr("federate"), tr("federates"))),
        Token::TextMuted, QFont::Normal, TextStyle::Caption, Qt::AlignLeft | Qt::AlignVCenter);
  for (int section = MatrixModel::Heads; section < model_->columnCount(); ++section) {
    const MatrixColumn* column = model_->columnAt(section);
    if (column->isElsewhere() || column->isFree) continue;
    const QRect place = area(section);
    const double cores = mostOn(*column);
    const bool isTooMany = isKnown && cores > matrix.coresOfNode + 1e-9;
    say(place.adjusted(1, 5, -1, -14),
        column->isRange() ? tr("≤%1").arg(figure(cores)) : figure(cores),
        isTooMany ? Token::DeadFg : Token::TextPrimary, QFont::Medium, TextStyle::Caption,
        Qt::AlignCenter);
    const QRectF bar(place.left() + 4, place.bottom() - 10, place.width() - 8, 5);
    painter.fillRect(bar, palette[Token::GaugeIdle]);
    if (isKnown)
      painter.fillRect(
          QRectF(bar.topLeft(),
                 QSizeF(bar.width() * std::min(1.0, cores / matrix.coresOfNode), bar.height())),
          palette[isTooMany ? Token::DeadFill : Token::Accent]);
  }
}

// MatrixView::Tree

/// Arrow keys go from cell to cell; Space and Return open.
class MatrixView::Tree : public QTreeView {
 public:
  explicit Tree(MatrixView* owner) : QTreeView(owner), owner_(owner) {}

 protected:
  QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override {
    if (action != MoveLeft && action != MoveRight) return QTreeView::moveCursor(action, modifiers);
    const QModelIndex now = currentIndex();
    if (!now.isValid()) return QTreeView::moveCursor(action, modifiers);
    int column = now.column();
    do {
      column += action == MoveLeft ? -1 : 1;
    } while (column >= 0 && column < model()->columnCount() && isColumnHidden(column));
    return column < 0 || column >= model()->columnCount() ? now : now.siblingAtColumn(column);
  }

  void resizeEvent(QResizeEvent* event) override {
    QTreeView::resizeEvent(event);
    owner_->layOut();
  }

  void keyPressEvent(QKeyEvent* event) override {
    const QModelIndex now = currentIndex();
    const bool isArrow = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (isArrow && event->modifiers().testFlag(Qt::ControlModifier))
      return owner_->sendOn(event->key() == Qt::Key_Left ? -1 : 1,
                            event->modifiers().testFlag(Qt::ShiftModifier));
    const bool isHead = owner_->model_->columnAt(now.column()) == nullptr;
    const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Space || (isReturn && isHead)) {
      const QModelIndex first = now.siblingAtColumn(0);
      if (!isHead)
        owner_->toggleRange(now.column());
      else if (model()->hasChildren(first))
        setExpanded(first, !isExpanded(first));
      else if (const auto* one = owner_->model_->federateAt(now); one != nullptr && isReturn)
        Q_EMIT owner_->activated(one->id);
      return;
    }
    if (isReturn) {
      edit(now);
      return;
    }
    if (event->key() == Qt::Key_P && event->modifiers() == Qt::NoModifier) {
      const QStringList ids = owner_->selection();
      bool areAll = !ids.isEmpty();
      for (const MatrixRow& row : owner_->matrix_.rows) {
        for (const MatrixFederate& one : row.federates)
          areAll = areAll && (one.pinned || !ids.contains(one.id));
      }
      if (!ids.isEmpty()) Q_EMIT owner_->pinRequested(ids, !areAll);
      return;
    }
    const QString text = event->text();
    const bool isTyped = !text.isEmpty() && text.front().isPrint() &&
                         !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    if (!isHead && isTyped) {
      if (text.front().isDigit()) edit(now, AnyKeyPressed, event);
      return;
    }
    QTreeView::keyPressEvent(event);
  }

  void contextMenuEvent(QContextMenuEvent* event) override {
    const bool isKey = event->reason() == QContextMenuEvent::Keyboard;
    Q_EMIT owner_->menuRequested(
        isKey ? viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft())
              : event->globalPos());
  }

 private:
  MatrixView* owner_;
};

// MatrixView

MatrixView::MatrixView(QWidget* parent)
    : QWidget(parent), model_(new MatrixModel(this)), tree_(new Tree(this)), foot_(nullptr) {
  tree_->setObjectName(QStringLiteral("placementMatrix"));
  tree_->setAccessibleName(tr("Federates of each group on each node"));
  tree_->setModel(model_);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setUniformRowHeights(true);
  tree_->setIndentation(18);
  tree_->setMouseTracking(true);
  tree_->setSelectionBehavior(QAbstractItemView::SelectItems);
  tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  tree_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                         QAbstractItemView::AnyKeyPressed);
  tree_->setExpandsOnDoubleClick(true);
  tree_->setDragDropMode(QAbstractItemView::DragDrop);
  tree_->setDefaultDropAction(Qt::MoveAction);
  tree_->setDragDropOverwriteMode(true);
  tree_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  auto* names = new theme::StatusNameDelegate(tree_, 26);
  auto* texts = new theme::RowDelegate(tree_, 26);
  tree_->setItemDelegate(new MatrixCellDelegate(tree_));
  tree_->setItemDelegateForColumn(MatrixModel::Group, names);
  tree_->setItemDelegateForColumn(MatrixModel::Federates, texts);
  tree_->setItemDelegateForColumn(MatrixModel::Need, texts);
  QHeaderView* header = tree_->header();
  header->setHighlightSections(false);
  header->setStretchLastSection(false);
  header->setSectionsMovable(false);
  header->setSectionsClickable(true);
  header->setMinimumSectionSize(32);
  foot_ = new MatrixFoot(tree_, model_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(tree_, 1);
  column->addWidget(foot_);
  setFocusProxy(tree_);

  connect(header, &QHeaderView::sectionClicked, this, &MatrixView::toggleRange);
  connect(tree_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &MatrixView::selectionChanged);
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& index) {
            if (const auto* one = model_->federateAt(index)) Q_EMIT currentChanged(one->id);
          });
  connect(tree_, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
    const auto* one = model_->federateAt(index);
    if (one != nullptr && model_->columnAt(index.column()) == nullptr) Q_EMIT activated(one->id);
  });
  connect(model_, &MatrixModel::countEntered, this, &MatrixView::countEntered);
  connect(model_, &MatrixModel::dropped, this, &MatrixView::moveRequested);
}

QTreeView* MatrixView::view() const { return tree_; }

void MatrixView::setMatrix(const PlacementMatrix& matrix) {
  if (!(matrix.partition == matrix_.partition)) open_ = 0;
  matrix_ = matrix;
  layOut();
}

void MatrixView::layOut() {
  // With little room each row's needs are in its tip only.
  const int width = tree_->viewport()->width();
  const int extra = static_cast<int>(matrix_.hasElsewhere()) + static_cast<int>(matrix_.free > 0);
  const int most =
      std::max(leastColumns, (width - leastGroup - federatesWidth) / nodeWidth(matrix_) - extra);
  auto columns = columnsOf(matrix_, most, open_);
  if (columns == model_->columns() && matrix_ == model_->matrix()) return fitColumns();
  QStringList expanded;
  for (int row = 0; row < model_->rowCount(); ++row) {
    const QModelIndex index = model_->index(row, 0);
    if (tree_->isExpanded(index)) expanded << index.data(MatrixModel::KeyRole).toString();
  }
  const QModelIndex now = tree_->currentIndex();
  const QString key = now.data(MatrixModel::KeyRole).toString();
  const auto* federate =
      now.isValid() && now.parent().isValid() ? model_->federateAt(now) : nullptr;
  const QString id = federate == nullptr ? QString() : federate->id;
  const MatrixColumn* column = model_->columnAt(now.column());
  const int node = column == nullptr || column->isElsewhere() ? 0 : column->nodes.front();
  const int head = column == nullptr ? now.column() : -1;
  model_->setMatrix(matrix_, std::move(columns));
  foot_->refresh();
  if (tree_->currentIndex().isValid()) return fitColumns();
  for (int row = 0; row < model_->rowCount(); ++row) {
    const QModelIndex index = model_->index(row, 0);
    if (expanded.contains(index.data(MatrixModel::KeyRole).toString())) tree_->expand(index);
  }
  fitColumns();
  // Back to the same cell, or to that which has it now.
  int section = std::max(head, 0);
  for (int each = MatrixModel::Heads; head < 0 && each < model_->columnCount(); ++each) {
    const auto& nodes = model_->columnAt(each)->nodes;
    const bool isIt =
        node == 0 ? nodes.empty() : std::find(nodes.begin(), nodes.end(), node) != nodes.end();
    if (isIt) section = each;
  }
  QModelIndex cell = id.isEmpty() ? QModelIndex() : model_->indexOf(id);
  for (int row = 0; !cell.isValid() && row < model_->rowCount(); ++row) {
    const QModelIndex index = model_->index(row, 0);
    if (!key.isEmpty() && index.data(MatrixModel::KeyRole).toString() == key) cell = index;
  }
  if (cell.isValid()) tree_->setCurrentIndex(cell.siblingAtColumn(section));
}

void MatrixView::fitColumns() {
  const int width = tree_->viewport()->width();
  const int cells = static_cast<int>(model_->columns().size()) * nodeWidth(matrix_);
  const int left = width - cells - federatesWidth;
  const bool hasNeeds = left >= leastGroup + leastNeeds;
  tree_->setColumnHidden(MatrixModel::Need, !hasNeeds);
  const int group = std::clamp(hasNeeds ? left * 9 / 20 : left, leastGroup, mostGroup);
  tree_->header()->resizeSection(MatrixModel::Group, hasNeeds ? group : std::max(leastGroup, left));
  tree_->header()->resizeSection(MatrixModel::Federates, federatesWidth);
  if (hasNeeds) tree_->header()->resizeSection(MatrixModel::Need, left - group);
  for (int section = MatrixModel::Heads; section < model_->columnCount(); ++section)
    tree_->header()->resizeSection(section, nodeWidth(matrix_));
  foot_->update();
}

QStringList MatrixView::selection() const {
  QStringList ids;
  for (const QModelIndex& index : tree_->selectionModel()->selectedIndexes())
    ids += index.data(MatrixModel::IdsRole).toStringList();
  ids.removeDuplicates();
  return ids;
}

void MatrixView::setCurrent(const QString& federate) {
  const QModelIndex index = model_->indexOf(federate);
  // Any cell of its row is its: the cell that is typed into stays the current one.
  if (!index.isValid() || tree_->currentIndex().siblingAtColumn(0) == index) return;
  tree_->setCurrentIndex(index);
  tree_->scrollTo(index);
}

void MatrixView::select(const QStringList& federates) {
  QItemSelection selection;
  for (const QString& id : federates) {
    const QModelIndex index = model_->indexOf(id);
    if (!index.isValid()) continue;
    if (index.parent().isValid()) tree_->expand(index.parent());
    selection.select(index, index);
  }
  tree_->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
}

void MatrixView::selectAll() {
  QItemSelection selection;
  const int rows = static_cast<int>(matrix_.rows.size());
  if (rows > 0) selection.select(model_->index(0, 0), model_->index(rows - 1, 0));
  tree_->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
}

void MatrixView::toggleRange(int section) {
  const MatrixColumn* column = model_->columnAt(section);
  if (column == nullptr || column->isElsewhere() || column->isFree) return;
  if (!column->isRange() && open_ == 0) return;
  open_ = column->isRange() ? column->nodes.front() : 0;
  layOut();
}

void MatrixView::sendOn(int direction, bool all) {
  const QModelIndex now = tree_->currentIndex();
  const MatrixColumn* column = model_->columnAt(now.column());
  if (column == nullptr) return;
  const int section = now.column() + direction;
  const MatrixColumn* next = model_->columnAt(section);
  if (next == nullptr || next->isElsewhere()) return;
  const QStringList here = now.data(MatrixModel::IdsRole).toStringList();
  QStringList ids;
  for (const MatrixRow& row : matrix_.rows) {
    for (const MatrixFederate& one : row.federates) {
      if (here.contains(one.id) && !one.pinned && (all || ids.isEmpty())) ids << one.id;
    }
  }
  // Pinned federates alone are asked for too, so that what keeps them is said.
  if (ids.isEmpty()) ids = here;
  if (ids.isEmpty()) return;
  const std::vector<int> nodes = next->nodes;
  Q_EMIT moveRequested(ids, nodes);
}

}  // namespace tutti::launcher
