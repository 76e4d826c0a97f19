// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cut_texts.h"

#include <QAbstractButton>
#include <QAbstractItemModel>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QStyleOption>
#include <QTabBar>
#include <QTextDocument>
#include <QToolButton>

#include <algorithm>

#include "resources/theme/widgets.h"

namespace tutti::test {

namespace {

QString plain(const QString& text) {
  if (!Qt::mightBeRichText(text)) return text;
  QTextDocument document;
  document.setHtml(text);
  return document.toPlainText();
}

QString report(const QWidget& widget, const QString& text, QSize needs, QSize has) {
  return QStringLiteral("%1 %2: \"%3\" needs %4 x %5, has %6 x %7")
      .arg(QString::fromLatin1(widget.metaObject()->className()), widget.objectName(),
           plain(text).simplified().left(60))
      .arg(needs.width())
      .arg(needs.height())
      .arg(has.width())
      .arg(has.height());
}

/// Whether some part of `area` (of `widget`) is outside of a parent that cannot scroll to it.
bool isOutside(const QWidget& widget, QRect area) {
  const QWidget* at = &widget;
  while (const QWidget* parent = at->parentWidget()) {
    if (at->isWindow()) return false;
    area.translate(at->pos());
    const auto* scrolls = qobject_cast<const QAbstractScrollArea*>(parent->parentWidget());
    if (scrolls && scrolls->viewport() == parent) return false;
    if (!parent->rect().adjusted(-1, -1, 1, 1).contains(area)) return true;
    at = parent;
  }
  return false;
}

void lookAt(const QLabel& label, QStringList& found) {
  if (label.text().isEmpty()) return;
  const QRect room = label.contentsRect().adjusted(label.margin(), label.margin(), -label.margin(),
                                                   -label.margin());
  const QFontMetrics metrics(label.font());
  QSize needs;
  if (label.wordWrap()) {
    needs = {0, label.heightForWidth(label.width())};
  } else if (Qt::mightBeRichText(label.text())) {
    needs = label.sizeHint();
  } else {
    needs = metrics.size(0, label.text());
  }
  // One that leaves out the end shows all as its tool tip.
  if (qobject_cast<const theme::ElidedLabel*>(&label)) needs.setWidth(0);
  const bool cut = needs.width() > room.width() + 1 || needs.height() > label.height() + 1;
  if (cut || isOutside(label, label.rect()))
    found << report(label, label.text(), needs, room.size());
}

void lookAt(const QAbstractButton& button, QStringList& found) {
  if (button.text().isEmpty()) return;
  const auto* tool = qobject_cast<const QToolButton*>(&button);
  if (tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull()) return;
  // One that paints itself may break its text; how much room that takes is in its hint.
  const bool isOfQt = QByteArray(button.metaObject()->className()).startsWith('Q');
  const QSize needs =
      isOfQt ? QFontMetrics(button.font()).size(Qt::TextShowMnemonic, button.text()) : QSize();
  // Icon and edges are the style's; less than its hint and the text is what gives way.
  const QSize hint = button.sizeHint();
  if (!isOfQt && button.toolTip().contains(button.text())) return;
  // What paints itself says how much it can do with.
  const int least = isOfQt || button.minimumSizeHint().width() <= 0
                        ? std::min(hint.width(), button.maximumWidth())
                        : button.minimumSizeHint().width();
  if (button.width() < least - 1 || needs.width() > button.width() ||
      needs.height() > button.height() + 1 || isOutside(button, button.rect()))
    found << report(button, button.text(), hint, button.size());
}

void lookAt(const QComboBox& box, QStringList& found) {
  QStyleOptionComboBox option;
  option.initFrom(&box);
  option.editable = box.isEditable();
  const QRect room =
      box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box);
  const QSize needs = QFontMetrics(box.font()).size(0, box.currentText());
  const auto siblings = box.parentWidget()->findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
  const bool covered = std::any_of(siblings.begin(), siblings.end(), [&](const QWidget* other) {
    return other != &box && other->isVisible() && other->geometry().intersects(box.geometry());
  });
  if (covered || needs.width() > room.width() || isOutside(box, box.rect()))
    found << report(box, box.currentText(), needs, room.size());
}

void lookAt(const QLineEdit& edit, QStringList& found) {
  // What a person has typed scrolls.
  if (edit.placeholderText().isEmpty() || !edit.text().isEmpty()) return;
  QStyleOptionFrame option;
  option.initFrom(&edit);
  const QRect room = edit.style()->subElementRect(QStyle::SE_LineEditContents, &option, &edit);
  const QSize needs = QFontMetrics(edit.font()).size(0, edit.placeholderText());
  if (needs.width() > room.width() || isOutside(edit, edit.rect()))
    found << report(edit, edit.placeholderText(), needs, room.size());
}

void lookAt(const QTabBar& bar, QStringList& found) {
  const QFontMetrics metrics(bar.font());
  for (int tab = 0; tab < bar.count(); ++tab) {
    if (!bar.isTabVisible(tab)) continue;
    const QRect place = bar.tabRect(tab);
    const QSize needs = metrics.size(Qt::TextShowMnemonic, bar.tabText(tab));
    if (needs.width() > place.width() || !bar.rect().adjusted(-1, -1, 1, 1).contains(place))
      found << report(bar, bar.tabText(tab), needs, place.size());
  }
}

void lookAt(const QHeaderView& header, QStringList& found) {
  if (header.orientation() != Qt::Horizontal || !header.model()) return;
  const QFontMetrics metrics(header.font());
  for (int section = 0; section < header.count(); ++section) {
    if (header.isSectionHidden(section)) continue;
    const QString text = header.model()->headerData(section, Qt::Horizontal).toString();
    const QSize has(header.sectionSize(section), header.height());
    const QSize needs = metrics.size(0, text);
    if (needs.width() > has.width()) found << report(header, text, needs, has);
  }
}

}  // namespace

QStringList cutTexts(const QWidget& root) {
  QStringList found;
  for (const QWidget* widget : root.findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->visibleRegion().isEmpty()) continue;
    if (const auto* label = qobject_cast<const QLabel*>(widget)) lookAt(*label, found);
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) lookAt(*button, found);
    if (const auto* box = qobject_cast<const QComboBox*>(widget)) lookAt(*box, found);
    if (const auto* edit = qobject_cast<const QLineEdit*>(widget)) lookAt(*edit, found);
    if (const auto* bar = qobject_cast<const QTabBar*>(widget)) lookAt(*bar, found);
    if (const auto* header = qobject_cast<const QHeaderView*>(widget)) lookAt(*header, found);
  }
  return found;
}

}  // namespace tutti::test
