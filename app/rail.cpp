// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rail.h"

#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::app {

using theme::Palette;
using theme::Token;

namespace {

/// "Object model" takes two lines, "Benchmarks" breaks where a person would hyphenate it.
QStringList wrapped(const QString& title) {
  if (title == QStringLiteral("Benchmarks"))
    return {QStringLiteral("Bench-"), QStringLiteral("marks")};
  return title.split(u' ');
}

}  // namespace

RailButton::RailButton(const QString& title, const QString& iconName, QWidget* parent)
    : QAbstractButton(parent), lines_(wrapped(title)), iconName_(iconName) {
  setText(title);
  setAccessibleName(title);
  setCheckable(true);
  setAutoExclusive(true);
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void RailButton::setBadge(theme::State state, int count) {
  badge_ = state;
  badgeCount_ = count;
  setAccessibleDescription(count > 0 ? tr("%1: %2").arg(theme::stateWord(state)).arg(count)
                                     : QString());
  update();
}

QSize RailButton::sizeHint() const {
  return QSize(theme::width::kRail, lines_.size() > 1 ? 64 : 50);
}

void RailButton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette palette = Palette::of(this);
  if (isChecked()) {
    painter.fillRect(rect(), palette[Token::BgSelected]);
    painter.fillRect(QRect(0, 0, 3, height()), palette[Token::Accent]);
  } else if (underMouse()) {
    painter.fillRect(rect(), palette[Token::BgHover]);
  }
  const QColor color = palette[isChecked() ? Token::TextLink : Token::TextSecondary];
  const int side = theme::iconSize::kRail;
  const QRectF iconRect((width() - side) / 2.0, 8, side, side);
  theme::paintIcon(painter, iconRect, iconName_, color);
  painter.setFont(
      theme::textFont(theme::TextStyle::Caption, isChecked() ? QFont::DemiBold : QFont::Medium));
  painter.setPen(color);
  for (int i = 0; i < lines_.size(); ++i)
    painter.drawText(QRect(0, 32 + 14 * i, width(), 14), Qt::AlignCenter, lines_[i]);
  if (badgeCount_ > 0) {
    const QRectF badge(iconRect.right() - 2, iconRect.top() - 5, 12, 12);
    theme::paintState(painter, badge, badge_, palette);
  }
  if (theme::hasVisibleFocus(this))
    theme::paintFocusRing(painter, rect().adjusted(3, 0, 0, 0), 4, palette);
}

void RailButton::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    click();
  else
    QAbstractButton::keyPressEvent(event);
}

void RailButton::enterEvent(QEnterEvent*) { update(); }
void RailButton::leaveEvent(QEvent*) { update(); }

Rail::Rail(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("rail"));
  setFixedWidth(theme::width::kRail);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addStretch(1);
}

RailButton* Rail::addPage(const QString& title, const QString& iconName, const QString& toolTip) {
  auto* button = new RailButton(title, iconName, this);
  button->setToolTip(toolTip);
  auto* column = static_cast<QVBoxLayout*>(layout());
  const int index = static_cast<int>(buttons_.size());
  column->insertWidget(index, button);
  buttons_ << button;
  connect(button, &QAbstractButton::clicked, this, [this, index] { Q_EMIT selected(index); });
  return button;
}

void Rail::setCurrent(int index) {
  if (RailButton* current = buttons_.value(index)) current->setChecked(true);
}

void Rail::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette palette = Palette::of(this);
  painter.fillRect(rect(), palette[Token::BgWindow]);
  painter.fillRect(QRect(width() - 1, 0, 1, height()), palette[Token::LineStrong]);
}

}  // namespace tutti::app
