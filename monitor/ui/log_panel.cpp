// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/log_panel.h"

#include <QComboBox>
#include <QPlainTextEdit>
#include <QVBoxLayout>
#include <algorithm>

#include "resources/theme/widgets.h"

namespace tutti::monitor {

using theme::TextStyle;

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
  levels_->addItem(tr("Info and above"), static_cast<int>(LogLevel::Info));
  levels_->addItem(tr("Warnings and above"), static_cast<int>(LogLevel::Warning));
  levels_->addItem(tr("Errors"), static_cast<int>(LogLevel::Error));
  levels_->setAccessibleName(tr("Lowest level shown"));
  subjects_->setObjectName(QStringLiteral("logSubjects"));
  subjects_->addItem(tr("All senders"), QString());
  subjects_->setAccessibleName(tr("Whose lines are shown"));
  search_->setObjectName(QStringLiteral("logSearch"));
  search_->setFocusTarget(view_);
  search_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(search_);
  layout->addWidget(view_, 1);
  // A row shows so many lines; of a selected one that has more the whole is here.
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
  connect(subjects_, &QComboBox::currentIndexChanged, this, [this] {
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
      current.isValid() && view_->isCut(current)
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
  const int height =
      metrics
          .boundingRect(QRect(0, 0, room, 10'000), Qt::TextWrapAnywhere | Qt::TextWordWrap,
                        whole_->toPlainText())
          .height();
  whole_->setFixedHeight(std::min(height, mostLines * metrics.lineSpacing()) + 24);
}

void LogPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  // Both have no room in the title bar of a narrow pane.
  constexpr int leastWithLevels = 360;
  levels_->setVisible(width() >= leastWithLevels);
  showWhole();
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
