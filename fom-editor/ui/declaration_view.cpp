// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/declaration_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTextBlock>
#include <QVBoxLayout>

#include "fom-editor/model/item.h"
#include "resources/theme/icons.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

namespace {

/// Characters behind the place that are in sight where a row stands on one line.
constexpr int kReadAhead = 40;

}  // namespace

DeclarationView::DeclarationView(MergeChoice side, const QString& name, QWidget* parent)
    : QWidget(parent), side_(side) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  row->setSpacing(6);
  row->addWidget(theme::makeLabel(mergeChoiceTitle(side), "label-strong", this));
  place_ = new theme::ElidedLabel("caption", this);
  place_->setObjectName(name + QStringLiteral("Place"));
  row->addWidget(place_, 1);
  take_ = new QPushButton(tr("Take %1").arg(mergeChoiceTitle(side).toLower()), this);
  take_->setObjectName(name + QStringLiteral("Take"));
  connect(take_, &QPushButton::clicked, this, [this] { Q_EMIT taken(side_); });
  row->addWidget(take_);
  column->addLayout(row);
  text_ = new QPlainTextEdit(this);
  text_->setObjectName(name + QStringLiteral("Text"));
  text_->setAccessibleName(tr("What %1 has").arg(mergeChoiceTitle(side).toLower()));
  text_->setReadOnly(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  text_->setFont(theme::textFont(theme::TextStyle::Mono));
  text_->setFrameShape(QFrame::NoFrame);
  text_->setTabChangesFocus(true);
  column->addWidget(text_, 1);
}

void DeclarationView::setSide(const MergeExcerpt& excerpt, const MergeSide& side,
                              const QString& file) {
  place_->setText(side.line > 0 ? QStringLiteral("%1:%2").arg(file).arg(side.line) : file);
  const bool any = !excerpt.text.isEmpty();
  marked_ = any ? excerpt.marked : -1;
  text_->setPlainText(any ? excerpt.text : side.text.empty() ? tr("–") : text(side.text));
  mark();
  const QTextBlock block = text_->document()->findBlockByNumber(std::max(0, marked_));
  QTextCursor cursor(block);
  // What a person reads begins behind the place, so the end of it is brought into sight first.
  const int column = marked_ >= 0 ? std::min(excerpt.column, block.length() - 1) : 0;
  cursor.setPosition(block.position() + std::min(column + kReadAhead, block.length() - 1));
  text_->setTextCursor(cursor);
  text_->ensureCursorVisible();
  cursor.setPosition(block.position() + column);
  text_->setTextCursor(cursor);
}

void DeclarationView::setChoice(bool isOffered, bool isChosen) {
  take_->setEnabled(isOffered);
  take_->setText((isChosen ? tr("%1 taken") : tr("Take %1"))
                     .arg(isChosen ? mergeChoiceTitle(side_) : mergeChoiceTitle(side_).toLower()));
  take_->setIcon(isChosen ? theme::icon(QStringLiteral("check")) : QIcon());
  const QString keys = side_ == MergeChoice::Ours     ? tr("O or Ctrl+Left in the list")
                       : side_ == MergeChoice::Theirs ? tr("T or Ctrl+Right in the list")
                                                      : tr("B in the list");
  take_->setToolTip(isOffered ? keys : tr("This conflict cannot become what this version has"));
}

/// The line that the conflict is about.
void DeclarationView::mark() {
  QList<QTextEdit::ExtraSelection> marks;
  if (marked_ >= 0) {
    QTextEdit::ExtraSelection line;
    line.cursor = QTextCursor(text_->document()->findBlockByNumber(marked_));
    line.format.setBackground(theme::Palette::of(this)[theme::Token::BgSelected]);
    line.format.setProperty(QTextFormat::FullWidthSelection, true);
    marks << line;
  }
  text_->setExtraSelections(marks);
}

void DeclarationView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) mark();
}

}  // namespace tutti::fomedit
