// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/source_view.h"

#include <QFile>
#include <QPaintEvent>
#include <QPainter>
#include <QTextBlock>

#include "fom-editor/model/item.h"
#include "omt/merge.h"
#include "resources/theme/theme.h"

namespace tutti::fomedit {

using theme::Palette;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

SourceView::SourceView(QWidget* parent) : QPlainTextEdit(parent), numbers_(new QWidget(this)) {
  setReadOnly(true);
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setFont(textFont(TextStyle::Mono));
  numbers_->setObjectName(QStringLiteral("sourceNumbers"));
  numbers_->installEventFilter(this);
  connect(this, &QPlainTextEdit::updateRequest, this,
          [this](const QRect&, int) { numbers_->update(); });
  connect(this, &QPlainTextEdit::blockCountChanged, this,
          [this] { setViewportMargins(numbersWidth(), 0, 0, 0); });
}

int SourceView::numbersWidth() const {
  const QString widest(QString::number(qMax(100, blockCount())).size(), u'8');
  return QFontMetrics(textFont(TextStyle::Mono)).horizontalAdvance(widest) + 20;
}

void SourceView::forget() {
  file_.clear();
  line_ = 0;
  clear();
}

void SourceView::showPlace(const QString& file, int line) {
  if (file != file_) {
    file_ = file;
    if (file == text(omt::standardMimDesignator)) {
      setPlainText(text(omt::standardMimText()));
    } else {
      QFile source(file);
      if (source.open(QIODevice::ReadOnly)) {
        setPlainText(QString::fromUtf8(source.readAll()));
      } else {
        setPlainText(QStringLiteral("%1 cannot be read: %2").arg(file, source.errorString()));
        line = 0;
      }
    }
  }
  line_ = line;
  mark();
  if (line > 0) {
    QTextCursor cursor(document()->findBlockByNumber(line - 1));
    setTextCursor(cursor);
    centerCursor();
  }
}

void SourceView::mark() {
  QList<QTextEdit::ExtraSelection> marks;
  const QTextBlock block = line_ > 0 ? document()->findBlockByNumber(line_ - 1) : QTextBlock();
  if (block.isValid()) {
    QTextEdit::ExtraSelection selection;
    selection.format.setBackground(Palette::of(this)[Token::BgSelected]);
    selection.format.setProperty(QTextFormat::FullWidthSelection, true);
    selection.cursor = QTextCursor(block);
    marks << selection;
  }
  setExtraSelections(marks);
}

void SourceView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  setViewportMargins(numbersWidth(), 0, 0, 0);
  const QRect inside = contentsRect();
  numbers_->setGeometry(inside.left(), inside.top(), numbersWidth(), inside.height());
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
  }
}

}  // namespace tutti::fomedit
