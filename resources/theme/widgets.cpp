// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/widgets.h"

#include <QAction>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include "resources/theme/icons.h"

namespace tutti::theme {

QLabel* makeLabel(const QString& text, const char* role, QWidget* parent) {
  auto* result = new QLabel(text, parent);
  result->setProperty("role", QByteArray(role));
  result->setTextFormat(Qt::PlainText);
  return result;
}

ElidedLabel::ElidedLabel(const char* role, QWidget* parent) : QLabel(parent) {
  setProperty("role", QByteArray(role));
  setTextFormat(Qt::PlainText);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

QSize ElidedLabel::minimumSizeHint() const { return QSize(0, QLabel::minimumSizeHint().height()); }

bool ElidedLabel::event(QEvent* event) {
  // What is left out stands in the tool tip, unless there is another one.
  if (event->type() == QEvent::ToolTip && toolTip().isEmpty() &&
      fontMetrics().horizontalAdvance(text()) > width()) {
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), wrappedTip(text()), this);
    return true;
  }
  return QLabel::event(event);
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(palette().color(QPalette::WindowText));
  painter.setFont(font());
  painter.drawText(rect(), static_cast<int>(alignment() | Qt::AlignVCenter),
                   fontMetrics().elidedText(text(), Qt::ElideRight, width()));
}

QString wrappedTip(const QString& text) {
  return text.isEmpty() ? QString() : Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal);
}

void setStyleProperty(QWidget* widget, const char* name, const QVariant& value) {
  if (widget->property(name) == value) return;
  widget->setProperty(name, value);
  // One that was never shown, or waits for another style, is polished when that comes.
  if (!widget->testAttribute(Qt::WA_WState_Polished)) return;
  widget->style()->unpolish(widget);
  widget->style()->polish(widget);
  widget->update();
}

QToolButton* smallButton(const QString& iconName, const QString& toolTip, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setProperty("dense", true);
  button->setIcon(icon(iconName));
  button->setIconSize(QSize(iconSize::kSmall - 2, iconSize::kSmall - 2));
  button->setToolTip(toolTip);
  button->setAccessibleName(toolTip);
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

QFrame* rule(QWidget* parent) {
  auto* line = new QFrame(parent);
  line->setProperty("role", QByteArray("rule"));
  return line;
}

bool hasVisibleFocus(const QWidget* widget) {
  return widget->hasFocus() && widget->window()->testAttribute(Qt::WA_KeyboardFocusChange);
}

void paintFocusRing(QPainter& painter, const QRectF& rect, qreal radius, const Palette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(palette[Token::LineFocus], line::kFocus));
  painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), radius, radius);
  painter.restore();
}

// StatePill

StatePill::StatePill(QWidget* parent) : QAbstractButton(parent) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setFocusPolicy(Qt::TabFocus);
}

StatePill::StatePill(State state, const QString& text, QWidget* parent) : StatePill(parent) {
  setState(state, text);
}

void StatePill::setState(State state, const QString& text) {
  if (state == state_ && text == this->text()) return;
  state_ = state;
  setText(text);
  setAccessibleName(text);
  updateGeometry();
  update();
}

void StatePill::setLarge(bool large) {
  large_ = large;
  updateGeometry();
  update();
}

QSize StatePill::sizeHint() const {
  const QFont pillFont =
      large_ ? textFont(TextStyle::Label, QFont::DemiBold) : textFont(TextStyle::Caption);
  const int width = QFontMetrics(pillFont).horizontalAdvance(text());
  return large_ ? QSize(width + 34, 24) : QSize(width + 27, 18);
}

void StatePill::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette palette = Palette::of(this);
  const StateColors c = colors(state_, palette);
  painter.setPen(Qt::NoPen);
  painter.setBrush(c.tint);
  const qreal radius = height() / 2.0;
  painter.drawRoundedRect(QRectF(rect()), radius, radius);
  const int side = large_ ? 14 : 11;
  const int left = large_ ? 8 : 6;
  paintState(painter, QRectF(left, (height() - side) / 2.0, side, side), state_, palette);
  painter.setPen(c.fg);
  painter.setFont(large_ ? textFont(TextStyle::Label, QFont::DemiBold)
                         : textFont(TextStyle::Caption));
  painter.drawText(QRect(left + side + (large_ ? 6 : 4), 0, width(), height()),
                   Qt::AlignVCenter | Qt::AlignLeft, text());
  if (hasVisibleFocus(this)) paintFocusRing(painter, rect(), radius, palette);
}

bool StatePill::event(QEvent* event) {
  if (event->type() == QEvent::Enter || event->type() == QEvent::Leave) update();
  return QAbstractButton::event(event);
}

// Banner

namespace {

/// The value of the property "tone" in the style sheet that stands for the colours of `state`.
QByteArray tone(State state) {
  switch (state) {
    case State::Running:
      return "running";
    case State::Ok:
      return "ok";
    case State::Late:
      return "late";
    case State::Warning:
      return "warning";
    case State::Dead:
    case State::Error:
      return "dead";
    case State::Paused:
      return "paused";
    case State::Starting:
    case State::Info:
      return "info";
    case State::Idle:
    case State::Disabled:
      break;
  }
  return "idle";
}

}  // namespace

namespace {

/// The sentence of what happened keeps its room: why gives way first; then the sentence takes two
/// lines. `others`: what stands on the right.
void fitBanner(int width, QLabel& title, QLabel& detail, const QHBoxLayout& buttons,
               std::initializer_list<const QWidget*> others) {
  int room = width - 40 - 8 - 8;
  for (int i = 0; i < buttons.count(); ++i)
    room -= buttons.itemAt(i)->widget()->sizeHint().width() + 8;
  for (const QWidget* other : others)
    if (!other->isHidden()) room -= other->sizeHint().width() + 8;
  const bool narrow = title.fontMetrics().horizontalAdvance(title.text()) + 2 > room;
  detail.setVisible(width >= 720 && !narrow);
  title.setWordWrap(narrow);
  title.setMinimumWidth(narrow ? std::max(room, 80) : 0);
}

}  // namespace

Banner::Banner(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("banner"));
  setFixedHeight(height::kBanner);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(40, 0, 8, 1);
  row->setSpacing(8);
  title_ = makeLabel({}, "heading", this);
  title_->setObjectName(QStringLiteral("bannerTitle"));
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  detail_ = new ElidedLabel("secondary", this);
  detail_->setObjectName(QStringLiteral("bannerDetail"));
  more_ = new QPushButton(this);
  more_->setObjectName(QStringLiteral("bannerMore"));
  more_->setProperty("role", QByteArray("link"));
  more_->setProperty("dense", true);
  more_->hide();
  buttons_ = new QHBoxLayout;
  buttons_->setSpacing(8);
  close_ = smallButton(QStringLiteral("close"), tr("Dismiss"), this);
  close_->setObjectName(QStringLiteral("bannerClose"));
  row->addWidget(title_);
  row->addWidget(detail_, 1);
  row->addWidget(more_);
  row->addLayout(buttons_);
  row->addWidget(close_);
  // The sentence may be elided; what is copied never is.
  auto* copy = new QAction(tr("Copy the message"), this);
  copy->setObjectName(QStringLiteral("bannerCopy"));
  addAction(copy);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  title_->setContextMenuPolicy(Qt::NoContextMenu);
  connect(copy, &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setText(title() + u'\n' + detail()); });
  connect(more_, &QPushButton::clicked, this, &Banner::moreClicked);
  connect(close_, &QToolButton::clicked, this, &Banner::dismissed);
  setStyleProperty(title_, "tone", tone(state_));
}

void Banner::setMessage(State state, const QString& title, const QString& detail,
                        const QString& tip) {
  state_ = state;
  title_->setText(title);
  detail_->setText(detail);
  const QString whole = tip.isEmpty() ? detail : tip;
  detail_->setToolTip(wrappedTip(whole));
  title_->setToolTip(wrappedTip(tip));
  setAccessibleName(title);
  setAccessibleDescription(whole);
  setStyleProperty(title_, "tone", tone(state_));
  fitBanner(width(), *title_, *detail_, *buttons_, {more_, close_});
  update();
}

void Banner::setMore(const QString& text) {
  more_->setText(text);
  more_->setVisible(!text.isEmpty());
  fitBanner(width(), *title_, *detail_, *buttons_, {more_, close_});
}

void Banner::setActions(const QList<QAction*>& actions) {
  while (QLayoutItem* item = buttons_->takeAt(0)) {
    item->widget()->deleteLater();
    item->widget()->hide();
    delete item;
  }
  for (QAction* action : actions) {
    auto* button = new QPushButton(action->text(), this);
    button->setProperty("dense", true);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    buttons_->addWidget(button);
  }
  fitBanner(width(), *title_, *detail_, *buttons_, {more_, close_});
}

QString Banner::title() const { return title_->text(); }
QString Banner::detail() const { return detail_->text(); }

void Banner::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette palette = Palette::of(this);
  const StateColors c = colors(state_, palette);
  painter.fillRect(rect(), c.tint);
  painter.fillRect(QRect(0, height() - 1, width(), 1), c.fill);
  paintState(painter, QRectF(16, (height() - 1 - 16) / 2.0, 16, 16), state_, palette);
}

void Banner::resizeEvent(QResizeEvent* event) {
  fitBanner(width(), *title_, *detail_, *buttons_, {more_, close_});
  QFrame::resizeEvent(event);
}

// EmptyView

EmptyView::EmptyView(const QString& sentence, QWidget* parent) : QWidget(parent) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Window);  // on a canvas it would take the white of that
  followTheme(this, [this](const Palette& colors) {
    QPalette own = palette();
    own.setColor(QPalette::Window, colors[Token::BgCanvas]);
    setPalette(own);
  });
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 24, 24, 24);
  column->setSpacing(8);
  sentence_ = makeLabel(sentence, "secondary", this);
  sentence_->setWordWrap(true);
  sentence_->setAlignment(Qt::AlignCenter);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  detail_ = makeLabel(QString(), "caption", this);
  detail_->setWordWrap(true);
  detail_->setAlignment(Qt::AlignCenter);
  detail_->hide();
  column->addStretch(1);
  column->addWidget(sentence_);
  column->addWidget(detail_);
  column->addStretch(1);
}

void EmptyView::setSentence(const QString& sentence) { sentence_->setText(sentence); }

void EmptyView::setDetail(const QString& detail) {
  detail_->setText(detail);
  detail_->setVisible(!detail.isEmpty());
}

QPushButton* EmptyView::setButton(const QString& text, bool primary) {
  if (!button_) {
    button_ = new QPushButton(this);
    button_->setObjectName(QStringLiteral("emptyViewButton"));
    if (primary) button_->setProperty("role", QByteArray("primary"));
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->insertSpacing(3, 4);
    column->insertWidget(4, button_, 0, Qt::AlignHCenter);
    connect(button_, &QPushButton::clicked, this, &EmptyView::buttonClicked);
  }
  button_->setText(text);
  return button_;
}

// SegmentedControl

SegmentedControl::SegmentedControl(const QStringList& segments, QWidget* parent)
    : QWidget(parent), segments_(segments) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void SegmentedControl::setSegments(const QStringList& segments) {
  segments_ = segments;
  current_ = std::clamp<int>(current_, 0, std::max(0, count() - 1));
  updateGeometry();
  update();
}

void SegmentedControl::setText(int index, const QString& text) {
  if (index < 0 || index >= count() || segments_[index] == text) return;
  segments_[index] = text;
  updateGeometry();
  update();
}

void SegmentedControl::setCurrentIndex(int index) {
  if (index == current_ || index < 0 || index >= count()) return;
  current_ = index;
  update();
  Q_EMIT currentIndexChanged(index);
}

QList<int> SegmentedControl::edges() const {
  const QFontMetrics metrics(textFont(TextStyle::Label));
  QList<int> result{0};
  for (const QString& text : segments_)
    result << result.back() + metrics.horizontalAdvance(text) + 21;
  return result;
}

QSize SegmentedControl::sizeHint() const { return QSize(edges().back() + 1, 24); }

int SegmentedControl::indexAt(int x) const {
  const QList<int> at = edges();
  for (int i = 0; i < count(); ++i)
    if (x >= at[i] && x < at[i + 1]) return i;
  return -1;
}

void SegmentedControl::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette palette = Palette::of(this);
  const QList<int> at = edges();
  const QRectF frame = QRectF(0, 0, at.back() + 1, height()).adjusted(0.5, 0.5, -0.5, -0.5);
  QPainterPath clip;
  clip.addRoundedRect(frame, radius::kControl, radius::kControl);
  painter.fillPath(clip, palette[Token::BgRaised]);
  painter.save();
  painter.setClipPath(clip);
  painter.setFont(textFont(TextStyle::Label));
  for (int i = 0; i < count(); ++i) {
    const QRect cell(at[i], 0, at[i + 1] - at[i], height());
    if (i == current_)
      painter.fillRect(cell, palette[Token::BgSelected]);
    else if (i == hovered_)
      painter.fillRect(cell, palette[Token::BgHover]);
    painter.setPen(!isEnabled()    ? palette[Token::TextMuted]
                   : i == current_ ? palette[Token::TextLink]
                                   : palette[Token::TextSecondary]);
    painter.drawText(cell, Qt::AlignCenter, segments_[i]);
    if (i > 0) painter.fillRect(QRect(at[i], 0, 1, height()), palette[Token::LineStrong]);
  }
  painter.restore();
  painter.setPen(palette[Token::LineStrong]);
  painter.drawPath(clip);
  if (hasVisibleFocus(this))
    paintFocusRing(painter, QRectF(0, 0, at.back() + 1, height()), 4, palette);
}

void SegmentedControl::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) setCurrentIndex(indexAt(event->pos().x()));
}

void SegmentedControl::mouseMoveEvent(QMouseEvent* event) {
  hovered_ = indexAt(event->pos().x());
  update();
}

void SegmentedControl::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void SegmentedControl::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Left && current_ > 0)
    setCurrentIndex(current_ - 1);
  else if (event->key() == Qt::Key_Right && current_ + 1 < count())
    setCurrentIndex(current_ + 1);
  else
    QWidget::keyPressEvent(event);
}

void SegmentedControl::focusInEvent(QFocusEvent* event) {
  update();
  QWidget::focusInEvent(event);
}

void SegmentedControl::focusOutEvent(QFocusEvent* event) {
  update();
  QWidget::focusOutEvent(event);
}

// SearchField

SearchField::SearchField(const QString& placeholder, const QString& shortcutHint, QWidget* parent)
    : QLineEdit(parent), hint_(shortcutHint) {
  setPlaceholderText(placeholder);
  setAccessibleName(placeholder);
  // Room for the magnifier and the hint, which paintEvent draws: a line edit's own actions do not
  // follow a style sheet's height.
  const int hintWidth =
      hint_.isEmpty()
          ? 0
          : QFontMetrics(textFont(TextStyle::Caption, QFont::Normal)).horizontalAdvance(hint_) + 12;
  setTextMargins(18, 0, hintWidth, 0);
}

void SearchField::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    if (!text().isEmpty())
      clear();
    else if (target_)
      target_->setFocus(Qt::OtherFocusReason);
    else
      QLineEdit::keyPressEvent(event);
    return;
  }
  if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Return) {
    Q_EMIT leftDownward();
    if (target_) target_->setFocus(Qt::OtherFocusReason);
    return;
  }
  QLineEdit::keyPressEvent(event);
}

void SearchField::paintEvent(QPaintEvent* event) {
  QLineEdit::paintEvent(event);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette palette = Palette::of(this);
  paintIcon(painter, QRectF(8, (height() - 14) / 2.0, 14, 14), QStringLiteral("find"),
            palette[Token::TextSecondary]);
  if (hint_.isEmpty() || !text().isEmpty()) return;
  QFont small = textFont(TextStyle::Caption, QFont::Normal);
  painter.setFont(small);
  const int width = QFontMetrics(small).horizontalAdvance(hint_) + 8;
  const QRectF box(this->width() - width - 6.5, (height() - 16) / 2 + 0.5, width, 15);
  painter.setPen(palette[Token::LineStrong]);
  painter.drawRoundedRect(box, 3, 3);
  painter.setPen(palette[Token::TextMuted]);
  painter.drawText(box, Qt::AlignCenter, hint_);
}

// DockTitleBar

DockTitleBar::DockTitleBar(QDockWidget* dock) : QWidget(dock), dock_(dock) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 0, 6, 1);
  row->setSpacing(8);
  title_ = makeLabel(dock->windowTitle(), "dock", this);
  caption_ = new ElidedLabel("caption", this);
  extras_ = new QHBoxLayout;
  extras_->setSpacing(6);
  tools_ = new QHBoxLayout;
  tools_->setSpacing(2);
  float_ = smallButton(QStringLiteral("float"), tr("Detach this pane"), this);
  float_->setObjectName(QStringLiteral("dockFloat"));
  close_ = smallButton(QStringLiteral("close"), tr("Close this pane; View lists it"), this);
  close_->setObjectName(QStringLiteral("dockClose"));
  row->addWidget(title_);
  row->addLayout(extras_);
  row->addWidget(caption_, 1);
  row->addLayout(tools_);
  auto* ends = new QHBoxLayout;
  ends->setSpacing(2);
  ends->addWidget(float_);
  ends->addWidget(close_);
  row->addLayout(ends);
  connect(float_, &QToolButton::clicked, dock, [dock] { dock->setFloating(!dock->isFloating()); });
  connect(close_, &QToolButton::clicked, dock, &QDockWidget::close);
  connect(dock, &QDockWidget::windowTitleChanged, this, &DockTitleBar::setTitle);
  connect(dock, &QDockWidget::featuresChanged, this, &DockTitleBar::updateButtons);
  updateButtons();
}

void DockTitleBar::setCaption(const QString& caption) {
  caption_->setText(caption);
  caption_->setToolTip(caption);
}

QString DockTitleBar::caption() const { return caption_->text(); }

void DockTitleBar::setTitle(const QString& title) { title_->setText(title); }

void DockTitleBar::addWidget(QWidget* widget) { extras_->addWidget(widget); }

QToolButton* DockTitleBar::addAction(QAction* action) {
  auto* button = smallButton(QString(QStringLiteral("filter")), action->toolTip(), this);
  button->setDefaultAction(action);
  button->setObjectName(action->objectName() + QStringLiteral("Button"));
  tools_->addWidget(button);
  return button;
}

void DockTitleBar::updateButtons() {
  float_->setVisible(dock_->features().testFlag(QDockWidget::DockWidgetFloatable));
  close_->setVisible(dock_->features().testFlag(QDockWidget::DockWidgetClosable));
}

QSize DockTitleBar::sizeHint() const {
  return QSize(layout()->sizeHint().width(), height::kDockTitle);
}

QSize DockTitleBar::minimumSizeHint() const { return QSize(80, height::kDockTitle); }

void DockTitleBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette palette = Palette::of(this);
  painter.fillRect(rect(), palette[Token::BgWindow]);
  painter.fillRect(QRect(0, height() - 1, width(), 1), palette[Token::LineSubtle]);
}

}  // namespace tutti::theme
