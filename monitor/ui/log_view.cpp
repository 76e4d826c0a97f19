// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/log_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QTextLayout>
#include <algorithm>
#include <utility>

#include "resources/theme/delegates.h"
#include "resources/theme/format.h"

namespace tutti::monitor {

using theme::TextStyle;
using theme::Token;

namespace {

constexpr int rowOfOneLine = theme::height::kRowCompact;
constexpr int lineHeight = 16;
/// Of a cell, left and right.
constexpr int padding = 8;
/// A narrower view has no times: what is said needs the room.
constexpr int leastWithTimes = 320;
/// Width of the sender's column.
constexpr int leastSubject = 76;
constexpr int mostSubject = 180;

QFont textFont() { return theme::textFont(TextStyle::Table); }

/// Breaks `text` into lines of `width`, between words where it can; at most one more than shown.
int breakLines(QTextLayout& layout, int width) {
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  layout.setTextOption(option);
  layout.beginLayout();
  int lines = 0;
  for (; lines <= LogView::mostLines; ++lines) {
    QTextLine line = layout.createLine();
    if (!line.isValid()) break;
    line.setLineWidth(width);
    line.setPosition({0, static_cast<double>(lines * lineHeight)});
  }
  layout.endLayout();
  return lines;
}

/// One line at the top of the row, whatever its height.
QRect firstLine(QRect content, int height) {
  content.setHeight(std::min(content.height(), height - 1));
  return content;
}

class TimeDelegate : public theme::RowDelegate {
 public:
  using RowDelegate::RowDelegate;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override {
    RowDelegate::paintContent(painter, firstLine(content, rowHeight()), option, index, palette);
  }
};

/// The level's icon before the sender's name, which is a link.
class SubjectDelegate : public theme::LinkDelegate {
 public:
  using LinkDelegate::LinkDelegate;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override {
    const QRect line = firstLine(content, rowHeight());
    const QVariant state = index.data(theme::StateRole);
    if (state.isValid()) {
      theme::paintState(painter, QRectF(line.left(), line.center().y() - 5.5, 12, 12),
                        state.value<theme::State>(), palette);
    }
    LinkDelegate::paintContent(painter, line.adjusted(20, 0, 0, 0), option, index, palette);
  }
};

class MessageDelegate : public theme::RowDelegate {
 public:
  using RowDelegate::RowDelegate;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem&,
                    const QModelIndex& index, const theme::Palette& palette) const override {
    const QString text = index.data().toString();
    QTextLayout layout(text, textFont());
    const int lines = breakLines(layout, content.width());
    painter.setPen(textColor(index, palette));
    // The first line stands where one that is alone would.
    const QPointF top(content.left(), content.top() + (rowHeight() - 1 - lineHeight) / 2.0);
    for (int i = 0; i < std::min(lines, LogView::mostLines); ++i) {
      const QTextLine line = layout.lineAt(i);
      const QRectF place(top + QPointF(0, i * lineHeight), QSizeF(content.width(), lineHeight));
      const bool cut = i == LogView::mostLines - 1 && lines > LogView::mostLines;
      painter.setFont(textFont());
      painter.drawText(
          place, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
          cut ? QFontMetrics(textFont())
                    .elidedText(text.mid(line.textStart()), Qt::ElideRight, content.width())
              : text.mid(line.textStart(), line.textLength()).trimmed());
    }
  }
};

}  // namespace

LogView::LogView(LogModel* model, QWidget* parent)
    : QTableView(parent), model_(model), filter_(new LogFilter(model, this)) {
  setObjectName(QStringLiteral("logView"));
  setModel(filter_);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);
  setCornerButtonEnabled(false);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  horizontalHeader()->hide();
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setMinimumSectionSize(24);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(rowOfOneLine);
  theme::followRowSize(this, [this] {
    verticalHeader()->setDefaultSectionSize(theme::rowHeight(rowOfOneLine));
    fitRows();
  });
  setItemDelegateForColumn(LogModel::Time, new TimeDelegate(this, rowOfOneLine));
  auto* subjects = new SubjectDelegate(this, rowOfOneLine);
  setItemDelegateForColumn(LogModel::Subject, subjects);
  setItemDelegateForColumn(LogModel::Text, new MessageDelegate(this, rowOfOneLine));
  const QFontMetrics metrics(textFont());
  setColumnWidth(LogModel::Time, metrics.horizontalAdvance(QStringLiteral("00:00:00.000")) + 18);
  setColumnWidth(LogModel::Subject, leastSubject);
  connect(subjects, &theme::LinkDelegate::activated, this, [this](const QModelIndex& index) {
    emit subjectActivated(index.data(LogModel::SubjectRole).toString());
  });
  connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
    if (fitting_) return;
    atEnd_ = verticalScrollBar()->value() >=
             verticalScrollBar()->maximum() - theme::rowHeight(rowOfOneLine);
    fitRows();
  });
  connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, &LogView::follow);
  connect(filter_, &QAbstractItemModel::dataChanged, this, &LogView::fitRows);
  // Another filter keeps the line that was looked at.
  connect(filter_, &QAbstractItemModel::modelAboutToBeReset, this,
          [this] { looked_ = filter_->mapToSource(currentIndex()); });
  connect(filter_, &QAbstractItemModel::modelReset, this, [this] {
    const QModelIndex current = filter_->mapFromSource(looked_);
    if (current.isValid()) setCurrentIndex(current);
  });
  connect(horizontalHeader(), &QHeaderView::sectionResized, this, &LogView::fitRows);
}

void LogView::follow() {
  if (atEnd_ && !fitting_) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

void LogView::fitSubjects(const QStringList& subjects) {
  const QFontMetrics metrics(theme::textFont(TextStyle::Table, QFont::Medium));
  int longest = 0;
  for (const QString& each : subjects) {
    longest = std::max(longest, metrics.horizontalAdvance(each));
  }
  // Icon and padding beside the name.
  setColumnWidth(LogModel::Subject, std::clamp(longest + 38, leastSubject, mostSubject));
}

void LogView::hideSubjects() { setColumnHidden(LogModel::Subject, true); }

int LogView::lineCount(const QModelIndex& index) const {
  const QString text = index.siblingAtColumn(LogModel::Text).data().toString();
  const int width = columnWidth(LogModel::Text) - 2 * padding;
  const QFont font = textFont();
  if (QFontMetrics(font).horizontalAdvance(text) <= width) return 1;
  QTextLayout layout(text, font);
  return breakLines(layout, std::max(width, 1));
}

bool LogView::isCut(const QModelIndex& index) const { return lineCount(index) > mostLines; }

int LogView::wantedHeight(int row) const {
  const int lines = std::min(lineCount(filter_->index(row, LogModel::Text)), mostLines);
  return theme::rowHeight(rowOfOneLine) + (lines - 1) * lineHeight;
}

void LogView::fitRows() {
  if (fitting_ || filter_->rowCount() == 0) return;
  fitting_ = true;
  const int room = viewport()->height();
  const int count = filter_->rowCount();
  int grown = 0;
  const auto fit = [&](int row) {
    const int wanted = wantedHeight(row);
    const int before = rowHeight(row);
    if (wanted != before) setRowHeight(row, wanted);
    grown = wanted - before;
    return wanted;
  };
  // A row that grows pushes others out of sight, one that shrinks lets others in.
  for (int round = 0; round < 4; ++round) {
    bool changed = false;
    int value = verticalScrollBar()->value();
    if (atEnd_) {
      for (int row = count - 1, height = 0; row >= 0 && height < room; --row) {
        height += fit(row);
        changed = changed || grown != 0;
      }
    } else {
      const int middle = rowAt(room / 2);
      const int first = std::max(rowAt(0), 0);
      for (int row = first, bottom = rowViewportPosition(first); row < count && bottom < room;
           ++row) {
        bottom += fit(row);
        changed = changed || grown != 0;
        if (row < middle) value += grown;
      }
    }
    if (!changed) break;
    QTableView::updateGeometries();
    verticalScrollBar()->setValue(atEnd_ ? verticalScrollBar()->maximum() : value);
  }
  fitting_ = false;
}

void LogView::resizeEvent(QResizeEvent* event) {
  setColumnHidden(LogModel::Time, width() < leastWithTimes);
  QTableView::resizeEvent(event);
}

void LogView::updateGeometries() {
  QTableView::updateGeometries();
  if (fitting_) return;
  follow();
  fitRows();
}

void LogView::scrollTo(const QModelIndex& index, ScrollHint hint) {
  if (index.isValid() && !fitting_) {
    const int wanted = wantedHeight(index.row());
    if (wanted != rowHeight(index.row())) setRowHeight(index.row(), wanted);
  }
  QTableView::scrollTo(index, hint);
}

QModelIndex LogView::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) {
  // The first and last line, not the first and last column.
  if (action == MoveHome || action == MoveEnd) modifiers |= Qt::ControlModifier;
  return QTableView::moveCursor(action, modifiers);
}

void LogView::copySelection() {
  QModelIndexList rows = selectionModel()->selectedRows();
  std::sort(rows.begin(), rows.end());
  QStringList lines;
  for (const QModelIndex& row : std::as_const(rows)) {
    lines << model_->textOf(filter_->mapToSource(row).row());
  }
  if (!lines.isEmpty()) QApplication::clipboard()->setText(lines.join(u'\n'));
}

void LogView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    copySelection();
    return;
  }
  QTableView::keyPressEvent(event);
}

void LogView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  connect(menu.addAction(tr("Copy lines")), &QAction::triggered, this, &LogView::copySelection);
  const QModelIndex index = indexAt(event->pos());
  if (index.isValid()) {
    const QString subject = index.data(LogModel::SubjectRole).toString();
    connect(menu.addAction(tr("Show %1").arg(subject)), &QAction::triggered, this,
            [this, subject] { emit subjectActivated(subject); });
  }
  menu.exec(event->globalPos());
}

void LogView::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  if (filter_->rowCount() > 0) return;
  QPainter painter(viewport());
  const theme::Palette palette = theme::Palette::of(this);
  painter.setFont(textFont());
  painter.setPen(palette[Token::TextMuted]);
  painter.drawText(viewport()->rect().adjusted(16, 8, -16, -8),
                   static_cast<int>(Qt::AlignCenter | Qt::TextWordWrap),
                   model_->rowCount() == 0
                       ? tr("Messages of the federates and the RTI appear here.")
                       : tr("No line matches. %1 are hidden.")
                             .arg(theme::formatNoun(model_->rowCount(), tr("line"), tr("lines"))));
}

}  // namespace tutti::monitor
