// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/source_view.h"

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLabel>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolButton>
#include <algorithm>

#include "fom-editor/model/item.h"
#include "omt/merge.h"
#include "omt/reader.h"
#include "resources/theme/format.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

using theme::Palette;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

/// What a turn of the event loop may take of a frame.
constexpr int kTurnMilliseconds = 8;
/// Characters that are put in at once.
constexpr qsizetype kPiece = 32 * 1024;
/// A text as short as that is there at once.
constexpr qsizetype kShort = 256 * 1024;
/// Behind a line, so that it can be in the middle.
constexpr int kLinesAround = 100;

/// As documents have it: positions in both are the same.
QString withOneKindOfLineEnd(QString text) {
  text.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
  text.replace(u'\r', u'\n');
  return text;
}

}  // namespace

SourceView::SourceView(QWidget* parent) : QPlainTextEdit(parent), numbers_(new QWidget(this)) {
  setReadOnly(true);
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setFont(textFont(TextStyle::Mono));
  numbers_->setObjectName(QStringLiteral("sourceNumbers"));
  numbers_->installEventFilter(this);
  connect(this, &QPlainTextEdit::updateRequest, this,
          [this](const QRect&, int) { numbers_->update(); });
  connect(this, &QPlainTextEdit::blockCountChanged, this, [this] { arrange(); });
  bar_ = new QFrame(this);
  bar_->setObjectName(QStringLiteral("sourceChanges"));
  bar_->setProperty("role", QByteArray("bar"));
  auto* row = new QHBoxLayout(bar_);
  row->setContentsMargins(12, 0, 8, 0);
  row->setSpacing(4);
  caption_ = theme::makeLabel(QString(), "caption", bar_);
  caption_->setObjectName(QStringLiteral("sourceChangesText"));
  row->addWidget(caption_, 1);
  for (const int direction : {-1, 1}) {
    QToolButton* step = theme::smallButton(
        direction < 0 ? QStringLiteral("up") : QStringLiteral("down"),
        direction < 0 ? tr("Previous changed line") : tr("Next changed line"), bar_);
    step->setObjectName(direction < 0 ? QStringLiteral("previousChange")
                                      : QStringLiteral("nextChange"));
    connect(step, &QToolButton::clicked, this, [this, direction] { stepChange(direction); });
    row->addWidget(step);
  }
  bar_->hide();
  document()->setUndoRedoEnabled(false);
  turns_.setInterval(0);
  connect(&turns_, &QTimer::timeout, this, [this] { fill(kTurnMilliseconds); });
}

/// Room for the numbers at the left and, while lines are changed, for the bar above.
void SourceView::arrange() {
  const int above = bar_->isHidden() ? 0 : theme::height::kDockTitle;
  setViewportMargins(numbersWidth(), above, 0, 0);
  const QRect inside = contentsRect();
  numbers_->setGeometry(inside.left(), inside.top() + above, numbersWidth(),
                        inside.height() - above);
  bar_->setGeometry(inside.left(), inside.top(), inside.width(), theme::height::kDockTitle);
}

void SourceView::showChanges() {
  const bool any = changes_.changed > 0 || changes_.removed > 0;
  QString words = tr("%1 of %2 changed")
                      .arg(changes_.changed)
                      .arg(theme::formatNoun(blockCount(), tr("line"), tr("lines")));
  if (changes_.removed > 0) words += tr(", %1 removed").arg(changes_.removed);
  caption_->setText(words + tr("; all other bytes are as saved"));
  if (bar_->isHidden() == any) {
    bar_->setVisible(any);
    arrange();
  }
}

void SourceView::stepChange(int direction) {
  const auto count = static_cast<int>(changes_.lines.size());
  const auto begins = [&](int line) {
    return changeOf(line) != LineChange::Same && changeOf(line - 1) == LineChange::Same;
  };
  for (int i = 1; i <= count; ++i) {
    // Lines count from 1; -1 % count is -1.
    const int line = ((line_ - 1 + direction * i) % count + count) % count + 1;
    if (begins(line)) return showPlace(file_, line);
  }
}

int SourceView::numbersWidth() const {
  const QString widest(QString::number(qMax(100, blockCount())).size(), u'8');
  return QFontMetrics(textFont(TextStyle::Mono)).horizontalAdvance(widest) + 30;
}

void SourceView::forget() {
  file_.clear();
  line_ = 0;
  isAwaited_ = false;
  changes_ = {};
  setText({});
  showChanges();
}

void SourceView::setProvider(std::function<SourceText(const QString& file)> provider) {
  provider_ = std::move(provider);
}

SourceText SourceView::textOf(const QString& file) const {
  if (file == text(omt::standardMimDesignator)) return {text(omt::standardMimText()), {}};
  if (provider_) {
    SourceText given = provider_(file);
    if (given.text) return given;
  }
  const auto bytes = omt::readModuleBytes(file.toStdString());
  if (bytes) return {QString::fromStdString(*bytes), {}};
  return {QStringLiteral("%1 cannot be read: %2").arg(file, text(bytes.error().message)), {}};
}

void SourceView::setText(const QString& text) {
  turns_.stop();
  clear();
  text_ = text;
  filled_ = 0;
  if (text_.size() <= kShort) {
    setPlainText(text_);
    filled_ = text_.size();
  } else {
    turns_.start();
    fill(kTurnMilliseconds);
  }
}

/// Puts in more of a long text.
void SourceView::fill(int milliseconds) {
  QElapsedTimer since;
  since.start();
  QTextCursor end(document());
  while (filled_ < text_.size() && since.elapsed() < milliseconds) {
    // No pair of surrogates is parted, and no line where that can be avoided.
    qsizetype next = std::min(filled_ + kPiece, text_.size());
    if (next < text_.size()) {
      const qsizetype line = text_.lastIndexOf(u'\n', next - 1) + 1;
      if (line > filled_) {
        next = line;
      } else if (text_.at(next).isLowSurrogate()) {
        ++next;
      }
    }
    end.movePosition(QTextCursor::End);
    end.insertText(text_.mid(filled_, next - filled_));
    filled_ = next;
  }
  if (filled_ == text_.size()) turns_.stop();
  if (!isWhole()) {
    if (isAwaited_ && line_ > 0 && blockCount() > line_ + kLinesAround) goToLine();
    return;
  }
  line_ = std::min(line_, blockCount());
  if (isAwaited_) goToLine();
  showChanges();
  mark();
}

/// Puts in what is another; the rest stays, with what is chosen and looked at.
void SourceView::replaceText(const QString& text) {
  if (text == text_) return;
  if (!isWhole()) {
    isAwaited_ = line_ > 0;
    setText(text);
    return;
  }
  const QStringView before(text_), now(text);
  const qsizetype most = std::min(before.size(), now.size());
  // A pair of surrogates is not parted: only whole lines are replaced.
  qsizetype first =
      std::mismatch(before.begin(), before.begin() + most, now.begin()).first - before.begin();
  first = first == 0 ? 0 : before.left(first).lastIndexOf(u'\n') + 1;
  qsizetype rest =
      std::mismatch(before.rbegin(), before.rbegin() + (most - first), now.rbegin()).first -
      before.rbegin();
  const qsizetype newline = before.right(rest).indexOf(u'\n');
  rest = newline < 0 ? 0 : rest - newline;
  QTextCursor cursor(document());
  cursor.setPosition(static_cast<int>(first));
  cursor.setPosition(static_cast<int>(before.size() - rest), QTextCursor::KeepAnchor);
  cursor.insertText(text.mid(first, now.size() - rest - first));
  text_ = text;
  filled_ = text_.size();
}

void SourceView::goToLine() {
  isAwaited_ = false;
  mark();
  if (line_ <= 0) return;
  setTextCursor(QTextCursor(document()->findBlockByNumber(line_ - 1)));
  centerCursor();
}

void SourceView::showPlace(const QString& file, int line) {
  line_ = line;
  isAwaited_ = true;
  if (file != file_) {
    file_ = file;
    const SourceText shown = textOf(file);
    changes_ = shown.changes;
    setText(withOneKindOfLineEnd(*shown.text));
    showChanges();
  } else {
    refresh();
  }
  if (!isWhole() && blockCount() <= line_ + kLinesAround) return;
  line_ = std::min(line_, blockCount());
  goToLine();
}

void SourceView::refresh() {
  if (file_.isEmpty()) return;
  const SourceText now = textOf(file_);
  changes_ = now.changes;
  const int vertical = verticalScrollBar()->value();
  const int horizontal = horizontalScrollBar()->value();
  replaceText(withOneKindOfLineEnd(*now.text));
  verticalScrollBar()->setValue(vertical);
  horizontalScrollBar()->setValue(horizontal);
  showChanges();
  mark();
  numbers_->update();
}

LineChange SourceView::changeOf(int line) const { return changes_.lines.value(line - 1); }

void SourceView::mark() {
  const Palette palette = Palette::of(this);
  QList<QTextEdit::ExtraSelection> marks;
  const auto tint = [&](const QTextBlock& block, Token color) {
    QTextEdit::ExtraSelection selection;
    selection.format.setBackground(palette[color]);
    selection.format.setProperty(QTextFormat::FullWidthSelection, true);
    selection.cursor = QTextCursor(block);
    marks << selection;
  };
  for (int line = 1; line <= changes_.lines.size(); ++line) {
    if (changeOf(line) == LineChange::Same) continue;
    const QTextBlock block = document()->findBlockByNumber(line - 1);
    if (block.isValid()) {
      tint(block, changeOf(line) == LineChange::Added ? Token::OkTint : Token::InfoTint);
    }
  }
  const QTextBlock block = line_ > 0 ? document()->findBlockByNumber(line_ - 1) : QTextBlock();
  if (block.isValid()) tint(block, Token::BgSelected);
  setExtraSelections(marks);
}

void SourceView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  arrange();
}

void SourceView::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && numbers_ != nullptr) mark();
}

bool SourceView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == numbers_ && event->type() == QEvent::Paint) {
    paintNumbers(static_cast<QPaintEvent*>(event));
    return true;
  }
  return QPlainTextEdit::eventFilter(watched, event);
}

void SourceView::paintNumbers(QPaintEvent* event) {
  QPainter painter(numbers_);
  const Palette palette = Palette::of(this);
  painter.fillRect(event->rect(), palette[Token::BgSunken]);
  painter.setFont(textFont(TextStyle::Mono));
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF geometry = blockBoundingGeometry(block).translated(contentOffset());
    if (geometry.top() > event->rect().bottom()) break;
    const int number = block.blockNumber() + 1;
    painter.setPen(palette[number == line_ ? Token::TextPrimary : Token::TextMuted]);
    painter.drawText(QRectF(0, geometry.top(), numbers_->width() - 10, geometry.height()),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(number));
    const LineChange change = changeOf(number);
    if (change == LineChange::Same) continue;
    const bool added = change == LineChange::Added;
    painter.setPen(palette[added ? Token::OkFg : Token::InfoFg]);
    painter.drawText(QRectF(2, geometry.top(), 12, geometry.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     added ? QStringLiteral("+") : QStringLiteral("~"));
  }
}

}  // namespace tutti::fomedit
