// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/cell_editors.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "resources/theme/delegates.h"
#include "resources/theme/icons.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

using theme::Palette;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int kMostShown = 8;

enum ChoiceRole { DetailRole = Qt::UserRole + 1, NewRole, IconRole };

/// Name at the left, what it is at the right.
class ChoiceDelegate : public theme::RowDelegate {
 public:
  explicit ChoiceDelegate(QObject* parent) : RowDelegate(parent, theme::height::kRowCompact) {
    setRuled(false);
  }

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem&,
                    const QModelIndex& index, const Palette& palette) const override {
    QRect rest = content;
    const QString detail = index.data(DetailRole).toString();
    const bool isNew = index.data(NewRole).toBool();
    if (!detail.isEmpty() || isNew) {
      theme::paintIcon(painter, QRect(rest.left(), rest.center().y() - 6, 14, 14),
                       isNew ? QStringLiteral("add") : index.data(IconRole).toString(),
                       palette[isNew ? Token::TextLink : Token::TextSecondary]);
      rest.setLeft(rest.left() + 20);
    }
    if (!detail.isEmpty()) {
      const QFont small = textFont(TextStyle::Caption);
      const int width = QFontMetrics(small).horizontalAdvance(detail) + 2;
      const int room = std::min(width, rest.width() * 2 / 3);
      paintText(painter, QRect(rest.right() - room + 1, rest.top(), room, rest.height()), detail,
                palette[Token::TextMuted], small, Qt::AlignRight);
      rest.setRight(rest.right() - room - 8);
    }
    paintText(painter, rest, index.data().toString(),
              palette[isNew ? Token::TextLink : Token::TextPrimary], textFont(TextStyle::Table),
              Qt::AlignLeft);
  }
};

/// Below the editor, or above it where there is no room, within its window.
QRect placeBeside(const QWidget* editor, QSize size) {
  const QWidget* window = editor->window();
  const QPoint at = editor->mapTo(window, QPoint(0, 0));
  size.setWidth(std::min(size.width(), window->width() - 8));
  int x = std::clamp(at.x(), 4, std::max(4, window->width() - size.width() - 4));
  int y = at.y() + editor->height() + 2;
  if (y + size.height() > window->height() - 4) y = std::max(4, at.y() - size.height() - 2);
  return {QPoint(x, y), size};
}

}  // namespace

// RefusalBubble

RefusalBubble::RefusalBubble(QWidget* editor)
    : QFrame(editor->window()),
      editor_(editor),
      label_(theme::makeLabel(QString(), "error", this)) {
  setObjectName(QStringLiteral("cellRefusal"));
  setProperty("role", QByteArray("card"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  label_->setWordWrap(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(10, 6, 10, 6);
  column->addWidget(label_);
  hide();
}

QString RefusalBubble::reason() const { return label_->text(); }

void RefusalBubble::say(const QString& reason) {
  label_->setText(reason);
  constexpr int widest = 320;
  label_->ensurePolished();
  const int wide = std::min(widest, label_->fontMetrics().horizontalAdvance(reason) + 8);
  const int high = label_->heightForWidth(wide);
  setGeometry(placeBeside(editor_, QSize(wide + 22, high + 16)));
  show();
  raise();
}

// CellField

CellField::CellField(QWidget* parent) : QLineEdit(parent) {
  setObjectName(QStringLiteral("cellField"));
  setFont(textFont(TextStyle::Table));
  // Lower than a field of a form: it stands in a row.
  theme::followTheme(this, [this](const Palette& palette) {
    setStyleSheet(
        QStringLiteral("QLineEdit { min-height: 18px; padding: 0 5px; border-radius: 4px; "
                       "border: 2px solid %1; background: %2; } "
                       "QLineEdit[invalid=\"true\"] { border-color: %3; }")
            .arg(palette[Token::LineFocus].name(), palette[Token::BgPanel].name(),
                 palette[Token::DeadFill].name()));
  });
  connect(this, &QLineEdit::textEdited, this, [this](const QString& typed) {
    if (bubble_) bubble_->hide();
    theme::setStyleProperty(this, "invalid", false);
    moved_ = false;
    if (choices_) fillList(typed, false);
  });
}

CellField::~CellField() {
  closeList();
  delete bubble_;
}

void CellField::setChoices(Choices choices, Take take) {
  choices_ = std::move(choices);
  take_ = take;
}

void CellField::start(const QString& text, const QString& typed) {
  setText(typed.isEmpty() ? text : typed);
  if (typed.isEmpty()) {
    selectAll();
  } else {
    setCursorPosition(static_cast<int>(typed.size()));
  }
  if (!choices_) return;
  if (!typed.isEmpty()) {
    setModified(true);
    fillList(typed, false);
  }
  // The list stands where the view puts the field, which it does next.
  QTimer::singleShot(0, this, [this] {
    if (left_) return;
    if (list_) {
      placeList();
    } else if (!isModified()) {
      fillList({}, true);
    }
  });
}

void CellField::refuse(const QString& reason) {
  left_ = false;
  closeList();
  theme::setStyleProperty(this, "invalid", true);
  if (!bubble_) bubble_ = new RefusalBubble(this);
  bubble_->say(reason);
  setAccessibleDescription(reason);
  setFocus();
}

void CellField::fillList(const QString& typed, bool all) {
  shown_ = choices_(all || take_ == Take::Several ? QString() : typed.trimmed());
  if (shown_.isEmpty()) {
    closeList();
    return;
  }
  if (!list_) {
    frame_ = new QFrame(window());
    frame_->setObjectName(QStringLiteral("cellChoices"));
    frame_->setProperty("role", QByteArray("card"));
    auto* column = new QVBoxLayout(frame_);
    column->setContentsMargins(1, 4, 1, 4);
    list_ = new QListView(frame_);
    list_->setObjectName(QStringLiteral("cellChoiceList"));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->viewport()->setFocusPolicy(Qt::NoFocus);
    frame_->setFocusPolicy(Qt::NoFocus);
    list_->setUniformItemSizes(true);
    list_->setMouseTracking(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setItemDelegate(new ChoiceDelegate(list_));
    list_->setModel(new QStandardItemModel(list_));
    column->addWidget(list_);
    connect(list_, &QAbstractItemView::clicked, this,
            [this](const QModelIndex& index) { choose(index.row()); });
  }
  auto* model = static_cast<QStandardItemModel*>(list_->model());
  model->clear();
  for (const CellChoice& choice : std::as_const(shown_)) {
    auto* item = new QStandardItem(choice.text);
    item->setData(choice.detail, DetailRole);
    item->setData(choice.isNew, NewRole);
    item->setData(choice.icon, IconRole);
    item->setEditable(false);
    model->appendRow(item);
  }
  // What Return takes stands out.
  int chosen = -1;
  for (int i = 0; i < shown_.size() && take_ != Take::Several; ++i) {
    const QString& choice = shown_[i].text;
    if (choice.compare(text().trimmed(), Qt::CaseInsensitive) == 0) {
      chosen = i;
      break;
    }
    const bool begins = !all && !typed.isEmpty() && choice.startsWith(typed, Qt::CaseInsensitive);
    if (chosen < 0 && (begins || (!all && take_ == Take::One))) chosen = i;
  }
  if (chosen >= 0) list_->setCurrentIndex(model->index(chosen, 0));
  placeList();
}

void CellField::placeList() {
  if (!frame_) return;
  const QFontMetrics metrics(textFont(TextStyle::Table));
  const QFontMetrics small(textFont(TextStyle::Caption));
  int wide = width();
  for (const CellChoice& choice : std::as_const(shown_)) {
    wide = std::max(wide, metrics.horizontalAdvance(choice.text) +
                              small.horizontalAdvance(choice.detail) +
                              (choice.detail.isEmpty() && !choice.isNew ? 36 : 72));
  }
  const int rows = std::min<int>(kMostShown, static_cast<int>(shown_.size()));
  const int high = rows * theme::rowHeight(theme::height::kRowCompact) + 12;
  frame_->setGeometry(placeBeside(this, QSize(std::min(wide, 380), high)));
  frame_->show();
  frame_->raise();
  if (list_->currentIndex().isValid()) list_->scrollTo(list_->currentIndex());
}

void CellField::closeList() {
  if (!frame_) return;
  frame_->hide();
  frame_->deleteLater();
  frame_ = nullptr;
  list_ = nullptr;
}

void CellField::moveChoice(int by) {
  if (!list_ && choices_) fillList({}, true);
  if (!list_) return;
  const int rows = static_cast<int>(shown_.size());
  const int at = list_->currentIndex().isValid() ? list_->currentIndex().row() : (by > 0 ? -1 : 0);
  list_->setCurrentIndex(list_->model()->index((at + by + rows) % rows, 0));
  moved_ = true;
}

void CellField::choose(int row) {
  if (row < 0 || row >= shown_.size()) return;
  const CellChoice choice = shown_[row];
  if (choice.isNew) {
    left_ = true;
    const QString name = text().trimmed();
    closeList();
    Q_EMIT newRequested(name);
    return;
  }
  if (take_ == Take::Several) {
    QStringList names;
    for (const QString& name : text().split(u',')) {
      if (!name.trimmed().isEmpty()) names << name.trimmed();
    }
    if (!names.removeOne(choice.text)) names << choice.text;
    setText(names.join(QStringLiteral(", ")));
    moved_ = false;
    list_->clearSelection();
    list_->setCurrentIndex({});
    return;
  }
  setText(choice.text);
  leave(Leave::Enter);
}

/// Puts the choice that stands out into the field. False: it does something else.
bool CellField::takeChoice() {
  if (!list_ || !list_->currentIndex().isValid()) return true;
  const CellChoice choice = shown_.value(list_->currentIndex().row());
  if (choice.isNew || take_ == Take::Several) {
    if (take_ == Take::Several && !moved_) return true;
    choose(list_->currentIndex().row());
    return false;
  }
  if (isModified() || moved_) setText(choice.text);
  return true;
}

void CellField::leave(Leave how) {
  if (left_) return;
  left_ = true;
  closeList();
  Q_EMIT left(how);
}

bool CellField::event(QEvent* event) {
  // Keys of the cell are not the window's.
  if (event->type() == QEvent::ShortcutOverride) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape || key == Qt::Key_Return || key == Qt::Key_Enter ||
        key == Qt::Key_Tab || key == Qt::Key_Backtab || key == Qt::Key_Delete ||
        key == Qt::Key_Backspace) {
      event->accept();
      return true;
    }
  }
  if (event->type() == QEvent::KeyPress) {
    auto* press = static_cast<QKeyEvent*>(event);
    if (press->key() == Qt::Key_Tab || press->key() == Qt::Key_Backtab) {
      keyPressEvent(press);
      return true;
    }
  }
  return QLineEdit::event(event);
}

void CellField::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape:
      event->accept();
      leave(Leave::Cancel);
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      event->accept();
      if (takeChoice()) leave(Leave::Enter);
      return;
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
      event->accept();
      if (takeChoice()) {
        leave(event->key() == Qt::Key_Backtab || event->modifiers().testFlag(Qt::ShiftModifier)
                  ? Leave::Previous
                  : Leave::Next);
      }
      return;
    case Qt::Key_Down:
      moveChoice(1);
      return;
    case Qt::Key_Up:
      moveChoice(-1);
      return;
    default:
      QLineEdit::keyPressEvent(event);
      event->accept();
  }
}

void CellField::focusOutEvent(QFocusEvent* event) {
  QLineEdit::focusOutEvent(event);
  if (event->reason() == Qt::PopupFocusReason || event->reason() == Qt::ActiveWindowFocusReason) {
    return;
  }
  leave(Leave::FocusLost);
}

void CellField::moveEvent(QMoveEvent* event) {
  QLineEdit::moveEvent(event);
  if (frame_) placeList();
}

// ProseField

ProseField::ProseField(QWidget* parent) : QPlainTextEdit(parent) {
  setObjectName(QStringLiteral("proseField"));
  setFont(textFont(TextStyle::Table));
  setTabChangesFocus(false);
  setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  document()->setDocumentMargin(4);
  theme::followTheme(this, [this](const Palette& palette) {
    const QFont text = textFont(TextStyle::Table);
    setStyleSheet(QStringLiteral("QPlainTextEdit { border: 2px solid %1; border-radius: 4px; "
                                 "background: %2; color: %3; font-family: \"%4\"; "
                                 "font-size: %5px; }")
                      .arg(palette[Token::LineFocus].name(), palette[Token::BgPanel].name(),
                           palette[Token::TextPrimary].name(), text.family())
                      .arg(text.pixelSize()));
  });
  connect(this, &QPlainTextEdit::textChanged, this, [this] {
    if (bubble_) bubble_->hide();
  });
}

ProseField::~ProseField() { delete bubble_; }

void ProseField::start(const QString& text, const QString& typed) {
  setPlainText(typed.isEmpty() ? text : typed);
  if (typed.isEmpty()) {
    selectAll();
  } else {
    moveCursor(QTextCursor::End);
  }
}

void ProseField::refuse(const QString& reason) {
  left_ = false;
  if (!bubble_) bubble_ = new RefusalBubble(this);
  bubble_->say(reason);
  setFocus();
}

void ProseField::leave(Leave how) {
  if (left_) return;
  left_ = true;
  Q_EMIT left(how);
}

bool ProseField::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape || key == Qt::Key_Return || key == Qt::Key_Enter ||
        key == Qt::Key_Tab || key == Qt::Key_Backtab || key == Qt::Key_Delete ||
        key == Qt::Key_Backspace) {
      event->accept();
      return true;
    }
  }
  return QPlainTextEdit::event(event);
}

void ProseField::keyPressEvent(QKeyEvent* event) {
  const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
  switch (event->key()) {
    case Qt::Key_Escape:
      leave(Leave::Cancel);
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (shift) break;
      leave(Leave::Enter);
      return;
    case Qt::Key_Tab:
      leave(Leave::Next);
      return;
    case Qt::Key_Backtab:
      leave(Leave::Previous);
      return;
    default:
      break;
  }
  QPlainTextEdit::keyPressEvent(event);
  event->accept();
}

void ProseField::focusOutEvent(QFocusEvent* event) {
  QPlainTextEdit::focusOutEvent(event);
  if (event->reason() == Qt::PopupFocusReason || event->reason() == Qt::ActiveWindowFocusReason) {
    return;
  }
  leave(Leave::FocusLost);
}

}  // namespace tutti::fomedit
