// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/finder.h"

#include <QKeyEvent>
#include <QListView>
#include <QPainter>
#include <QPointer>
#include <QVBoxLayout>
#include <algorithm>

#include "resources/theme/icons.h"

namespace tutti::app {

using theme::Palette;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int kRow = 36;
constexpr int kPopupWidth = 560;

/// 0 when `word` is not in `text`; more for earlier hits and for those at a word's start.
int rank(const QString& text, const QString& word) {
  const qsizetype at = text.indexOf(word);
  if (at < 0) return 0;
  if (at == 0) return text.size() == word.size() ? 5 : 4;
  const QChar before = text[at - 1];
  return before.isLetterOrNumber() ? 1 : 3;
}

class FindDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return QSize(200, kRow);
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const Palette palette = Palette::of(option.palette);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRect row = option.rect;
    if (option.state.testFlag(QStyle::State_Selected))
      painter->fillRect(row, palette[Token::BgSelected]);
    else if (option.state.testFlag(QStyle::State_MouseOver))
      painter->fillRect(row, palette[Token::BgHover]);
    const QString iconName = index.data(FindModel::IconRole).toString();
    if (!iconName.isEmpty())
      theme::paintIcon(*painter, QRectF(row.left() + 12, row.center().y() - 7, 16, 16), iconName,
                       palette[Token::TextSecondary]);
    const QString shortcut = index.data(FindModel::ShortcutRole).toString();
    const QString kind = index.data(FindModel::KindRole).toString();
    const QString right = shortcut.isEmpty() ? kind : shortcut + QStringLiteral("   ") + kind;
    const QFont small = theme::textFont(TextStyle::Caption, QFont::Normal);
    const int rightWidth = QFontMetrics(small).horizontalAdvance(right);
    painter->setFont(small);
    painter->setPen(palette[Token::TextMuted]);
    painter->drawText(row.adjusted(0, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter, right);
    const QFont titleFont = theme::textFont(TextStyle::Label);
    const QString title = index.data(Qt::DisplayRole).toString();
    const int room = row.width() - 40 - 24 - rightWidth;
    painter->setFont(titleFont);
    painter->setPen(palette[Token::TextPrimary]);
    painter->drawText(QRect(row.left() + 40, row.top(), room, row.height()),
                      Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(titleFont).elidedText(title, Qt::ElideRight, room));
    const int used = QFontMetrics(titleFont).horizontalAdvance(title) + 10;
    if (used < room - 40) {
      painter->setFont(small);
      painter->setPen(palette[Token::TextMuted]);
      painter->drawText(
          QRect(row.left() + 40 + used, row.top(), room - used, row.height()),
          Qt::AlignLeft | Qt::AlignVCenter,
          QFontMetrics(small).elidedText(index.data(FindModel::DetailTextRole).toString(),
                                         Qt::ElideRight, room - used));
    }
    painter->restore();
  }
};

}  // namespace

void FindModel::setEntries(QList<theme::FindEntry> entries) {
  beginResetModel();
  all_.clear();
  shown_.clear();
  all_.reserve(entries.size());
  for (theme::FindEntry& entry : entries) {
    const QString title = entry.title.toLower();
    const QString detail = (entry.detail + u' ' + entry.kind).toLower();
    all_ << Searchable{std::move(entry), title, detail};
  }
  endResetModel();
}

void FindModel::filter(const QString& query) {
  const QStringList words = query.toLower().split(u' ', Qt::SkipEmptyParts);
  struct Hit {
    int score;
    int index;
  };
  std::vector<Hit> hits;
  for (int i = 0; i < static_cast<int>(all_.size()); ++i) {
    const Searchable& candidate = all_[i];
    int score = 0;
    bool all = true;
    for (const QString& word : words) {
      const int points = std::max(4 * rank(candidate.title, word), rank(candidate.detail, word));
      all = all && points > 0;
      score += points;
    }
    if (all) hits.push_back({score, i});
  }
  matches_ = static_cast<int>(hits.size());
  const auto keep = std::min<std::size_t>(hits.size(), kShown);
  std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(keep), hits.end(),
                    [this](const Hit& a, const Hit& b) {
                      if (a.score != b.score) return a.score > b.score;
                      const auto& left = all_[a.index];
                      const auto& right = all_[b.index];
                      if (left.title.size() != right.title.size() && a.score > 0)
                        return left.title.size() < right.title.size();
                      return a.index < b.index;
                    });
  beginResetModel();
  shown_.clear();
  for (std::size_t i = 0; i < keep; ++i) shown_ << hits[i].index;
  endResetModel();
}

const theme::FindEntry* FindModel::entry(const QModelIndex& index) const {
  if (!index.isValid() || index.row() >= shown_.size()) return nullptr;
  return &all_[shown_[index.row()]].entry;
}

int FindModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant FindModel::data(const QModelIndex& index, int role) const {
  const theme::FindEntry* found = entry(index);
  if (!found) return {};
  switch (role) {
    case Qt::DisplayRole:
      return found->title;
    case Qt::ToolTipRole:
    case DetailTextRole:
      return found->detail;
    case KindRole:
      return found->kind;
    case ShortcutRole:
      return found->shortcut;
    case IconRole:
      return found->iconName;
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1, %2, %3").arg(found->title, found->kind, found->detail);
    default:
      return {};
  }
}

FindField::FindField(QWidget* parent)
    : SearchField(tr("Find actions, classes, federates, files"), QStringLiteral("Ctrl+K"), parent),
      model_(new FindModel(this)) {
  setObjectName(QStringLiteral("findField"));
  setProperty("dense", true);
  setFixedSize(300, 22);
  setFocusPolicy(Qt::ClickFocus);
  connect(this, &QLineEdit::textChanged, this, [this](const QString& text) {
    model_->filter(text);
    showList();
  });
}

void FindField::gather() {
  QList<theme::FindEntry> entries;
  for (const theme::FindProvider& provider : providers_) provider(entries);
  model_->setEntries(std::move(entries));
  model_->filter(text());
}

void FindField::open() {
  setFocus(Qt::ShortcutFocusReason);
  selectAll();
}

void FindField::focusInEvent(QFocusEvent* event) {
  SearchField::focusInEvent(event);
  if (event->reason() == Qt::PopupFocusReason || event->reason() == Qt::ActiveWindowFocusReason)
    return;
  gather();
  showList();
}

void FindField::focusOutEvent(QFocusEvent* event) {
  SearchField::focusOutEvent(event);
  hideList();
}

void FindField::showList() {
  if (!hasFocus()) return;
  if (!popup_) {
    popup_ = new QFrame(window());
    popup_->setObjectName(QStringLiteral("findPopup"));
    popup_->setProperty("role", QByteArray("card"));
    popup_->setFocusPolicy(Qt::NoFocus);
    auto* column = new QVBoxLayout(popup_);
    column->setContentsMargins(1, 5, 1, 5);
    column->setSpacing(4);
    list_ = new QListView(popup_);
    list_->setObjectName(QStringLiteral("findList"));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setModel(model_);
    list_->setItemDelegate(new FindDelegate(list_));
    list_->setUniformItemSizes(true);
    list_->setMouseTracking(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setAccessibleName(tr("Found"));
    connect(list_, &QListView::clicked, this, &FindField::activate);
    note_ = theme::makeLabel(QString(), "caption", popup_);
    note_->setContentsMargins(12, 2, 12, 2);
    column->addWidget(list_);
    column->addWidget(note_);
  }
  const int rows = model_->rowCount();
  list_->setVisible(rows > 0);
  list_->setFixedHeight(std::min(rows, 10) * kRow);
  if (rows == 0)
    note_->setText(tr("Nothing is called “%1”. Esc clears the field.").arg(text()));
  else if (model_->matches() > rows)
    note_->setText(tr("%1 more; type to narrow down").arg(model_->matches() - rows));
  else
    note_->setText(tr("Return opens, Esc leaves"));
  list_->setCurrentIndex(model_->index(0, 0));
  popup_->adjustSize();
  const int width = std::min(kPopupWidth, window()->width() - 16);
  popup_->resize(width, popup_->sizeHint().height());
  const QPoint corner = mapTo(window(), QPoint(this->width(), height() + 3));
  popup_->move(std::max(8, corner.x() - width), corner.y());
  popup_->show();
  popup_->raise();
}

void FindField::hideList() {
  if (popup_) popup_->hide();
}

void FindField::leave() {
  clear();
  hideList();
  if (focusTarget())
    focusTarget()->setFocus(Qt::OtherFocusReason);
  else
    clearFocus();
}

void FindField::activate(const QModelIndex& index) {
  const theme::FindEntry* found = model_->entry(index);
  if (!found) return;
  const auto run = found->activate;  // the model may go away with the list
  leave();
  if (run) run();
}

void FindField::keyPressEvent(QKeyEvent* event) {
  const auto move = [this](int by) {
    if (!list_) return;
    const int row = std::clamp(list_->currentIndex().row() + by, 0, model_->rowCount() - 1);
    list_->setCurrentIndex(model_->index(row, 0));
  };
  switch (event->key()) {
    case Qt::Key_Down:
      move(1);
      return;
    case Qt::Key_Up:
      move(-1);
      return;
    case Qt::Key_PageDown:
      move(9);
      return;
    case Qt::Key_PageUp:
      move(-9);
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (list_) activate(list_->currentIndex());
      return;
    case Qt::Key_Escape:
      leave();
      return;
    default:
      SearchField::keyPressEvent(event);
  }
}

}  // namespace tutti::app
