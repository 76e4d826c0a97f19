// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/log_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "resources/theme/delegates.h"
#include "resources/theme/format.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using theme::TextStyle;
using theme::Token;

namespace {

constexpr int lineHeight = theme::height::kRowCompact;
/// Width of the sender's column.
constexpr int leastSubject = 106;
constexpr int mostSubject = 180;

/// The level's icon before the sender's name, which is a link.
class SubjectDelegate : public theme::LinkDelegate {
 public:
  using LinkDelegate::LinkDelegate;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override {
    const QVariant state = index.data(theme::StateRole);
    if (state.isValid()) {
      theme::paintState(painter, QRectF(content.left(), content.center().y() - 5.5, 12, 12),
                        state.value<theme::State>(), palette);
    }
    LinkDelegate::paintContent(painter, content.adjusted(20, 0, 0, 0), option, index, palette);
  }
};

}  // namespace

LogView::LogView(LogModel* model, QWidget* parent)
    : QTreeView(parent), model_(model), filter_(new LogFilter(this)) {
  setObjectName(QStringLiteral("logView"));
  filter_->setSourceModel(model);
  setModel(filter_);
  setRootIsDecorated(false);
  setItemsExpandable(false);
  setUniformRowHeights(true);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  header()->hide();
  header()->setStretchLastSection(true);
  header()->setSectionResizeMode(QHeaderView::Fixed);
  setItemDelegateForColumn(LogModel::Time, new theme::RowDelegate(this, lineHeight));
  auto* subjects = new SubjectDelegate(this, lineHeight);
  setItemDelegateForColumn(LogModel::Subject, subjects);
  setItemDelegateForColumn(LogModel::Text, new theme::RowDelegate(this, lineHeight));
  const QFontMetrics metrics(theme::textFont(TextStyle::Table));
  header()->resizeSection(LogModel::Time,
                          metrics.horizontalAdvance(QStringLiteral("00:00:00.000")) + 18);
  header()->resizeSection(LogModel::Subject, leastSubject);
  connect(subjects, &theme::LinkDelegate::activated, this, [this](const QModelIndex& index) {
    emit subjectActivated(index.data(LogModel::SubjectRole).toString());
  });
  connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
    atEnd_ = value >= verticalScrollBar()->maximum() - theme::rowHeight(lineHeight);
  });
  connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, [this] {
    if (atEnd_) scrollToBottom();
  });
}

void LogView::fitSubjects(const QStringList& subjects) {
  const QFontMetrics metrics(theme::textFont(TextStyle::Table, QFont::Medium));
  int longest = 0;
  for (const QString& each : subjects) {
    longest = std::max(longest, metrics.horizontalAdvance(each));
  }
  // Icon and padding beside the name.
  header()->resizeSection(LogModel::Subject, std::clamp(longest + 38, leastSubject, mostSubject));
}

void LogView::hideSubjects() { setColumnHidden(LogModel::Subject, true); }

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
  QTreeView::keyPressEvent(event);
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
  QTreeView::paintEvent(event);
  if (filter_->rowCount() > 0) return;
  QPainter painter(viewport());
  const theme::Palette palette = theme::Palette::of(this);
  painter.setFont(theme::textFont(TextStyle::Table));
  painter.setPen(palette[Token::TextMuted]);
  painter.drawText(viewport()->rect().adjusted(16, 8, -16, -8),
                   static_cast<int>(Qt::AlignCenter | Qt::TextWordWrap),
                   model_->rowCount() == 0
                       ? tr("Messages of the federates and the RTI appear here.")
                       : tr("No line matches. %1 are hidden.")
                             .arg(theme::formatNoun(model_->rowCount(), tr("line"), tr("lines"))));
}

LogPanel::LogPanel(LogModel* model, QWidget* parent)
    : QWidget(parent),
      view_(new LogView(model)),
      whole_(new QPlainTextEdit),
      levels_(new QComboBox),
      subjects_(new QComboBox),
      search_(new theme::SearchField(tr("Text in the log"))) {
  setObjectName(QStringLiteral("logPanel"));
  // In a title bar of 28 px they are low and have no frame.
  for (QComboBox* box : {levels_, subjects_}) box->setProperty("role", QByteArray("bar"));
  levels_->setObjectName(QStringLiteral("logLevels"));
  levels_->addItem(tr("All"), static_cast<int>(LogLevel::Trace));
  levels_->addItem(tr("Info up"), static_cast<int>(LogLevel::Info));
  levels_->addItem(tr("Warnings up"), static_cast<int>(LogLevel::Warning));
  levels_->addItem(tr("Errors"), static_cast<int>(LogLevel::Error));
  levels_->setAccessibleName(tr("Least level shown"));
  subjects_->setObjectName(QStringLiteral("logSubjects"));
  subjects_->addItem(tr("Everybody"), QString());
  subjects_->setAccessibleName(tr("Whose lines are shown"));
  search_->setObjectName(QStringLiteral("logSearch"));
  search_->setFocusTarget(view_);
  search_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(search_);
  layout->addWidget(view_, 1);
  // A row shows what fits; the selected line is here in full.
  whole_->setObjectName(QStringLiteral("logWhole"));
  whole_->setAccessibleName(tr("The selected line in full"));
  whole_->setReadOnly(true);
  whole_->setFrameShape(QFrame::NoFrame);
  whole_->setFont(theme::textFont(TextStyle::Table));
  whole_->document()->setDocumentMargin(8);
  whole_->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  whole_->setTabChangesFocus(true);
  whole_->hide();
  layout->addWidget(whole_);
  connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &LogPanel::showWhole);
  connect(view_->filter(), &QAbstractItemModel::dataChanged, this, &LogPanel::showWhole);
  connect(view_->filter(), &QAbstractItemModel::modelReset, this, &LogPanel::showWhole);
  connect(levels_, &QComboBox::currentIndexChanged, this, [this] {
    view_->filter()->setLeast(static_cast<LogLevel>(levels_->currentData().toInt()));
  });
  connect(subjects_, &QComboBox::currentIndexChanged, this,
          [this] {
            const QString subject = subjects_->currentData().toString();
            view_->filter()->setSubject(subject);
            // One sender's name in each row would only take room from what it says.
            view_->setColumnHidden(LogModel::Subject, !subject.isEmpty());
          });
  connect(search_, &QLineEdit::textChanged, view_->filter(), &LogFilter::setText);
  connect(search_, &theme::SearchField::leftDownward, view_, [this] { view_->setFocus(); });
}

void LogPanel::showWhole() {
  const QModelIndex current = view_->currentIndex();
  const QString text =
      current.isValid()
          ? current.siblingAtColumn(LogModel::Text).data(Qt::ToolTipRole).toString().trimmed()
          : QString();
  if (text == whole_->toPlainText() && whole_->isVisible() == !text.isEmpty()) return;
  whole_->setPlainText(text);
  whole_->setVisible(!text.isEmpty());
  fitWhole();
}

void LogPanel::fitWhole() {
  constexpr int mostLines = 6;
  whole_->ensurePolished();  // its font is the style sheet's
  const QFontMetrics metrics(whole_->font());
  const int room = std::max(60, width() - 24);
  const int height = metrics
                         .boundingRect(QRect(0, 0, room, 10'000),
                                       Qt::TextWrapAnywhere | Qt::TextWordWrap,
                                       whole_->toPlainText())
                         .height();
  whole_->setFixedHeight(std::min(height, mostLines * metrics.lineSpacing()) + 24);
}

void LogPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitWhole();
}

void LogPanel::setSearchVisible(bool visible) {
  search_->setVisible(visible);
  if (visible) {
    search_->setFocus();
  } else {
    search_->clear();
  }
}

void LogPanel::setSubjects(const QStringList& subjects) {
  QStringList now;
  for (int i = 1; i < subjects_->count(); ++i) now << subjects_->itemText(i);
  if (now == subjects) return;
  view_->fitSubjects(subjects);
  const QString chosen = subjects_->currentData().toString();
  const QSignalBlocker blocker(subjects_);
  while (subjects_->count() > 1) subjects_->removeItem(1);
  for (const QString& each : subjects) subjects_->addItem(each, each);
  const int index = subjects_->findData(chosen);
  if (index >= 0) {
    subjects_->setCurrentIndex(index);
  } else {
    // Still filtered by somebody who left the list: keep its entry.
    subjects_->addItem(chosen, chosen);
    subjects_->setCurrentIndex(subjects_->count() - 1);
  }
}

void LogPanel::showSubject(const QString& subject) {
  int index = subjects_->findData(subject);
  if (index < 0) {
    subjects_->addItem(subject, subject);
    index = subjects_->count() - 1;
  }
  subjects_->setCurrentIndex(index);
}

}  // namespace tutti::monitor
