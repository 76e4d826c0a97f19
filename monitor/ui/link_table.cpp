// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/link_table.h"

#include <QEvent>
#include <QLabel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "monitor/ui/row_table.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using theme::State;

namespace {

constexpr RowColumns::Width columnWidths[] = {
    {LinkModel::Transport, 118}, {LinkModel::Rate, 60},      {LinkModel::Bytes, 78},
    {LinkModel::Queue, 80},      {LinkModel::RoundTrip, 84}, {LinkModel::RoundTripLine, 52},
    {LinkModel::Lost, 70}};
/// What goes first where there is no room; nothing scrolls sideways.
constexpr int columnsToGo[] = {LinkModel::RoundTripLine, LinkModel::Transport, LinkModel::Bytes,
                               LinkModel::Lost};
constexpr RowColumns columns{LinkModel::Name, 124, 280, columnWidths, columnsToGo};

}  // namespace

LinkTable::LinkTable(QWidget* parent)
    : QWidget(parent),
      model_(new LinkModel(this)),
      filter_(new LinkFilter(this)),
      table_(new QTreeView),
      up_(new theme::StatePill(this)),
      noAnswer_(new theme::StatePill(this)),
      search_(new theme::SearchField(tr("Host or transport"), {}, this)) {
  filter_->setSourceModel(model_);
  buildTable();
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  noMatch_ = makeNoMatch("noLinkMatches");
  search_->setObjectName(QStringLiteral("linkSearch"));
  search_->setFocusTarget(table_);
  search_->hide();
  up_->setObjectName(QStringLiteral("pillLinksUp"));
  up_->setToolTip(tr("Show only links that are up; once more shows all"));
  noAnswer_->setObjectName(QStringLiteral("pillLinksNoAnswer"));
  noAnswer_->setToolTip(tr("Show only links without an answer; once more shows all"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(search_);
  layout->addWidget(table_, 1);
  layout->addWidget(noMatch_, 1);
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    filter_->setText(text);
    updateFilters();
  });
  connect(search_, &theme::SearchField::leftDownward, this, [this] { table_->setFocus(); });
  connect(up_, &QAbstractButton::clicked, this, [this] { setShow(LinkFilter::Show::Up); });
  connect(noAnswer_, &QAbstractButton::clicked, this,
          [this] { setShow(LinkFilter::Show::NoAnswer); });
  connect(noMatch_, &QLabel::linkActivated, this, [this] {
    search_->clear();
    filter_->setShow(LinkFilter::Show::All);
    updateFilters();
  });
  updateFilters();
}

void LinkTable::buildTable() {
  table_->setObjectName(QStringLiteral("linksTable"));
  table_->setAccessibleName(tr("Links to other hosts"));
  table_->setModel(filter_);
  setUpRows(*table_, columns);
  const int height = theme::height::kRow;
  table_->setItemDelegateForColumn(LinkModel::Name, new theme::StatusNameDelegate(table_, height));
  const auto number = [&](int column, const QString& widest) {
    table_->setItemDelegateForColumn(column, new theme::NumberDelegate(widest, table_, height));
  };
  number(LinkModel::Rate, QStringLiteral("8.88\u202fk"));
  number(LinkModel::Bytes, QStringLiteral("88.8\u202fMB/s"));
  number(LinkModel::RoundTrip, QStringLiteral("88.8\u202fs ago"));
  number(LinkModel::Lost, QStringLiteral("888\u202f888"));
  table_->setItemDelegateForColumn(
      LinkModel::Queue, new theme::BarNumberDelegate(QStringLiteral("100\u202f%"), table_, height));
  table_->setItemDelegateForColumn(LinkModel::RoundTripLine,
                                   new theme::SparklineDelegate(table_, height));
  table_->viewport()->installEventFilter(this);
  table_->sortByColumn(LinkModel::Name, Qt::AscendingOrder);
  connect(table_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    const QModelIndex current = table_->currentIndex();
    if (current.isValid()) {
      emit menuRequested(current.data(LinkModel::AddressRole).toString(),
                         table_->viewport()->mapToGlobal(at));
    }
  });
}

void LinkTable::placeFilters(theme::DockTitleBar* bar) {
  bar_ = bar;
  bar->addWidget(up_);
  bar->addWidget(noAnswer_);
  updateFilters();
}

void LinkTable::setSnapshot(const SnapshotPointer& snapshot) {
  model_->setSnapshot(snapshot);
  updateColumns();
  updateFilters();
}

void LinkTable::setSearchVisible(bool visible) {
  search_->setVisible(visible);
  if (visible) {
    search_->setFocus();
  } else {
    search_->clear();
  }
}

/// A pill filters what it counts; once more shows all again.
void LinkTable::setShow(LinkFilter::Show show) {
  filter_->setShow(filter_->show() == show ? LinkFilter::Show::All : show);
  updateFilters();
}

void LinkTable::updateColumns() {
  const QFontMetrics metrics(theme::textFont(theme::TextStyle::Table, QFont::Medium));
  int longest = 0;
  for (int row = 0; row < model_->rowCount(); ++row) {
    longest = std::max(
        longest, metrics.horizontalAdvance(model_->index(row, LinkModel::Name).data().toString()));
  }
  fitColumns(*table_, columns, nameCellWidth(longest));
}

bool LinkTable::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_->viewport() && event->type() == QEvent::Resize) updateColumns();
  return QWidget::eventFilter(watched, event);
}

void LinkTable::updateFilters() {
  const int up = model_->count(false);
  const int silent = model_->count(true);
  if (bar_ != nullptr) {
    bar_->setCaption(up + silent == 0 ? QString() : tr("%1, rates are 5 s means").arg(up + silent));
  }
  up_->setState(State::Running, tr("%1 up").arg(up));
  up_->setVisible(bar_ != nullptr && up > 0);
  noAnswer_->setState(State::Warning, tr("%1 no answer").arg(silent));
  noAnswer_->setVisible(bar_ != nullptr && silent > 0);
  const bool none = filter_->rowCount() == 0;
  noMatch_->setVisible(none);
  table_->setVisible(!none);
  if (!none) return;
  noMatch_->setText(
      up + silent == 0 ? tr("The links with other hosts of a run appear here.")
                       : tr("No link matches. <a href=\"clear\">Show all %1</a>").arg(up + silent));
}

}  // namespace tutti::monitor
