// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/fact_list.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "resources/theme/rows.h"

namespace tutti::monitor {

using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {
constexpr int margin = 12;
constexpr int indent = 30;
constexpr int sectionHeight = 32;
constexpr int factHeight = 22;

/// What can be clicked takes the height of other rows; what is only read stays close together.
int lineHeight(const Fact& fact) {
  return fact.target.isEmpty() ? factHeight : theme::rowHeight(factHeight);
}
}  // namespace

FactList::FactList(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  theme::followRowSize(this, [this] {
    updateGeometry();
    update();
  });
}

void FactList::setFacts(std::vector<Fact> facts) {
  const int before = heightForWidth(width());
  facts_ = std::move(facts);
  setAccessibleDescription(text());
  if (heightForWidth(width()) != before) updateGeometry();
  update();
}

QString FactList::text() const {
  QString result;
  for (const Fact& fact : facts_) {
    result += fact.label;
    if (!fact.value.isEmpty()) result += QStringLiteral(": ") + fact.value;
    result += u'\n';
  }
  return result;
}

int FactList::heightOf(const Fact& fact, int width) const {
  switch (fact.kind) {
    case Fact::Kind::Headline:
      return QFontMetrics(textFont(TextStyle::Heading))
                 .boundingRect(QRect(0, 0, width - 2 * margin, 1000), Qt::TextWordWrap, fact.label)
                 .height() +
             20;
    case Fact::Kind::Section:
      return sectionHeight;
    case Fact::Kind::Row:
      return lineHeight(fact) + (fact.fraction >= 0 ? 10 : 0);
    case Fact::Kind::Note:
      return QFontMetrics(textFont(TextStyle::Table))
                 .boundingRect(QRect(0, 0, width - 2 * margin, 1000), Qt::TextWordWrap, fact.label)
                 .height() +
             12;
  }
  return factHeight;
}

int FactList::heightForWidth(int width) const {
  int height = 4;
  for (const Fact& fact : facts_) height += heightOf(fact, width);
  return height + 6;
}

int FactList::factAt(QPoint position) const {
  int y = 4;
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    const int height = heightOf(facts_[i], width());
    if (position.y() >= y && position.y() < y + height) return static_cast<int>(i);
    y += height;
  }
  return -1;
}

void FactList::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const theme::Palette palette = theme::Palette::of(this);
  const bool sections = std::any_of(facts_.begin(), facts_.end(), [](const Fact& fact) {
    return fact.kind == Fact::Kind::Section;
  });
  int y = 4;
  bool first = true;
  for (const Fact& fact : facts_) {
    const int height = heightOf(fact, width());
    const QRect rect(margin, y, width() - 2 * margin, height);
    const auto draw = [&](const QRect& area, const QString& text, const QFont& font, Token color,
                          Qt::Alignment alignment) {
      painter.setFont(font);
      painter.setPen(palette[color]);
      painter.drawText(area, static_cast<int>(alignment | Qt::AlignVCenter),
                       QFontMetrics(font).elidedText(text, Qt::ElideRight, area.width()));
    };
    switch (fact.kind) {
      case Fact::Kind::Headline:
        painter.setFont(textFont(TextStyle::Heading));
        painter.setPen(palette[Token::TextPrimary]);
        painter.drawText(rect, static_cast<int>(Qt::AlignVCenter | Qt::TextWordWrap), fact.label);
        break;
      case Fact::Kind::Note:
        painter.setFont(textFont(TextStyle::Table));
        painter.setPen(palette[Token::TextMuted]);
        painter.drawText(rect, static_cast<int>(Qt::AlignVCenter | Qt::TextWordWrap), fact.label);
        break;
      case Fact::Kind::Section: {
        if (!first) {
          painter.fillRect(QRect(0, y, width(), 1), palette[Token::LineSubtle]);
        }
        int left = margin;
        if (fact.icon) {
          theme::paintState(painter, QRectF(margin, y + (height - 12) / 2.0, 12, 12), *fact.icon,
                            palette);
          left = indent;
        }
        const QFont font = textFont(TextStyle::Label, QFont::DemiBold);
        const int used = QFontMetrics(font).horizontalAdvance(fact.value);
        draw(QRect(left, y, width() - margin - left - used - 8, height), fact.label, font,
             Token::TextPrimary, Qt::AlignLeft);
        draw(rect, fact.value, font, Token::TextPrimary, Qt::AlignRight);
        break;
      }
      case Fact::Kind::Row: {
        const int left = sections ? indent : margin;
        const QFont font = textFont(TextStyle::Table);
        const int room = width() - margin - left;
        const int wanted = QFontMetrics(font).horizontalAdvance(fact.value) + 2;
        const int labelWanted = QFontMetrics(font).horizontalAdvance(fact.label) + 2;
        // The label gives way first, but keeps at least a third.
        const int valueWidth = std::min(wanted, std::max(room - labelWanted - 10, room * 2 / 3));
        const int line = lineHeight(fact);
        draw(QRect(left, y, room - valueWidth - 10, line), fact.label, font,
             fact.target.isEmpty() ? Token::TextSecondary : Token::TextLink, Qt::AlignLeft);
        draw(QRect(width() - margin - valueWidth, y, valueWidth, line), fact.value, font,
             fact.target.isEmpty() ? Token::TextPrimary : Token::TextMuted, Qt::AlignRight);
        if (fact.fraction >= 0) {
          const QRectF well(left, y + line, room, 5);
          painter.setPen(Qt::NoPen);
          painter.setBrush(palette[Token::GaugeIdle]);
          painter.drawRoundedRect(well, 2, 2);
          if (fact.fraction > 0) {
            painter.setBrush(palette[Token::GaugeUser]);
            painter.drawRoundedRect(
                QRectF(well.topLeft(),
                       QSizeF(std::max(2.0, well.width() * std::min(fact.fraction, 1.0)), 5)),
                2, 2);
          }
        }
        break;
      }
    }
    first = false;
    y += height;
  }
}

void FactList::mousePressEvent(QMouseEvent* event) {
  const int index = factAt(event->position().toPoint());
  if (index >= 0 && !facts_[static_cast<std::size_t>(index)].target.isEmpty()) {
    emit linkActivated(facts_[static_cast<std::size_t>(index)].target);
  }
}

void FactList::mouseMoveEvent(QMouseEvent* event) {
  const int index = factAt(event->position().toPoint());
  const bool link = index >= 0 && !facts_[static_cast<std::size_t>(index)].target.isEmpty();
  setCursor(link ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void FactList::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    QApplication::clipboard()->setText(text());
    return;
  }
  QWidget::keyPressEvent(event);
}

void FactList::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  connect(menu.addAction(tr("Copy")), &QAction::triggered, this,
          [this] { QApplication::clipboard()->setText(text()); });
  menu.exec(event->globalPos());
}

bool FactList::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int index = factAt(help->pos());
    QToolTip::showText(help->globalPos(),
                       index < 0 ? QString() : facts_[static_cast<std::size_t>(index)].source,
                       this);
    return true;
  }
  return QWidget::event(event);
}

void FactList::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  updateGeometry();
}

}  // namespace tutti::monitor
