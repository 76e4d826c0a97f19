// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/federate_table.h"

#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QSet>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "monitor/ui/row_table.h"
#include "monitor/ui/view_text.h"
#include "resources/theme/delegates.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using theme::State;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

/// From so many federates on the table has its filters in sight.
constexpr int manyFederates = 13;

constexpr RowColumns::Width columnWidths[] = {
    {FederateModel::Host, 72},      {FederateModel::CpuLine, 52},
    {FederateModel::Cpu, 52},       {FederateModel::SentLine, 52},
    {FederateModel::Sent, 62},      {FederateModel::ReceivedLine, 52},
    {FederateModel::Received, 78},  {FederateModel::Queue, 80},
    {FederateModel::Time, 68},      {FederateModel::Grants, 68},
    {FederateModel::Condition, 112}};
/// What goes first where there is no room; nothing scrolls sideways.
constexpr int columnsToGo[] = {FederateModel::Condition, FederateModel::ReceivedLine,
                               FederateModel::SentLine, FederateModel::CpuLine,
                               FederateModel::Grants};

constexpr RowColumns columns{FederateModel::Name, 108, 260, columnWidths, columnsToGo};

/// State icon and name; struck through when the federate died, until it is dismissed.
class FederateNameDelegate : public theme::StatusNameDelegate {
 public:
  using StatusNameDelegate::StatusNameDelegate;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override {
    StatusNameDelegate::paintContent(painter, content, option, index, palette);
    const auto condition =
        static_cast<FederateCondition>(index.data(FederateModel::ConditionRole).toInt());
    if (condition != FederateCondition::Dead) return;
    const int width = std::min(QFontMetrics(textFont(TextStyle::Table, QFont::Medium))
                                   .horizontalAdvance(index.data().toString()),
                               content.width() - 20);
    painter.setPen(QPen(palette[Token::TextMuted], 1));
    painter.drawLine(QPointF(content.left() + 20, content.center().y() + 1.5),
                     QPointF(content.left() + 20 + width, content.center().y() + 1.5));
  }
};

}  // namespace

FederateTable::FederateTable(QWidget* parent)
    : QWidget(parent),
      snapshot_(std::make_shared<Snapshot>()),
      model_(new FederateModel(this)),
      filter_(new FederateFilter(this)),
      table_(new QTreeView) {
  filter_->setSourceModel(model_);
  buildTable();
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  noMatch_ = makeNoMatch("noFederateMatches");
  noMatch_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(table_, 1);
  layout->addWidget(noMatch_, 1);
  buildFilters();
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
    connect(model_, signal, this, &FederateTable::measureNames);
  }
}

void FederateTable::buildTable() {
  table_->setObjectName(QStringLiteral("federatesTable"));
  table_->setAccessibleName(tr("Federates"));
  table_->setModel(filter_);
  setUpRows(*table_, columns);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  const int height = theme::height::kRow;
  table_->setItemDelegateForColumn(FederateModel::Name, new FederateNameDelegate(table_, height));
  auto* cpuLine = new theme::SparklineDelegate(table_, height);
  cpuLine->setMaximum(1);
  table_->setItemDelegateForColumn(FederateModel::CpuLine, cpuLine);
  for (const int column : {FederateModel::SentLine, FederateModel::ReceivedLine}) {
    table_->setItemDelegateForColumn(column, new theme::SparklineDelegate(table_, height));
  }
  const auto number = [&](int column, const QString& widest) {
    table_->setItemDelegateForColumn(column, new theme::NumberDelegate(widest, table_, height));
  };
  number(FederateModel::Cpu, QStringLiteral("888\u202f%"));
  number(FederateModel::Sent, QStringLiteral("8.88\u202fk"));
  number(FederateModel::Received, QStringLiteral("8.88\u202fk"));
  number(FederateModel::Time, QStringLiteral("88888.88"));
  number(FederateModel::Grants, QStringLiteral("8.88\u202fk"));
  table_->setItemDelegateForColumn(
      FederateModel::Queue,
      new theme::BarNumberDelegate(QStringLiteral("100\u202f%"), table_, height));
  table_->viewport()->installEventFilter(this);
  table_->sortByColumn(FederateModel::Condition, Qt::AscendingOrder);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    if (!taking_) emit selected(selection());
  });
  connect(table_, &QTreeView::activated, this, &FederateTable::activated);
  connect(table_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    if (const QStringList those = selection(); !those.isEmpty())
      emit menuRequested(those, table_->viewport()->mapToGlobal(at));
  });
}

QStringList FederateTable::selection() const {
  QModelIndexList rows = table_->selectionModel()->selectedRows();
  std::sort(rows.begin(), rows.end(),
            [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
  QStringList names;
  for (const QModelIndex& row : std::as_const(rows))
    names << row.data(FederateModel::NameRole).toString();
  return names;
}

/// What is hidden is selected no longer; but one federate that is looked at stays in its panel.
void FederateTable::applyFilter(const std::function<void()>& change) {
  const bool several = selection().size() > 1;
  taking_ = true;
  change();
  taking_ = false;
  if (several) emit selected(selection());
  updateFilters();
}

void FederateTable::keyPressEvent(QKeyEvent* event) {
  const QStringList those = selection();
  if (event->key() == Qt::Key_Delete && table_->hasFocus() && !those.isEmpty()) {
    emit endRequested(those);
  } else {
    QWidget::keyPressEvent(event);
  }
}

void FederateTable::buildFilters() {
  search_ = new theme::SearchField(tr("Filter federates"), QStringLiteral("Ctrl+F"), this);
  search_->setObjectName(QStringLiteral("federateSearch"));
  search_->setToolTip(tr("By name, host or component"));
  search_->setProperty("dense", true);
  search_->setFocusTarget(table_);
  search_->setFixedWidth(180);
  show_ = new theme::SegmentedControl({tr("All"), tr("Problems"), tr("Late"), tr("Dead")}, this);
  show_->setObjectName(QStringLiteral("federateShow"));
  for (auto& pill : pills_) {
    pill = new theme::StatePill(this);
    pill->hide();
  }
  pills_[0]->setObjectName(QStringLiteral("pillRunning"));
  pills_[1]->setObjectName(QStringLiteral("pillLate"));
  pills_[2]->setObjectName(QStringLiteral("pillDead"));
  pills_[3]->setObjectName(QStringLiteral("pillOutOfReach"));
  pills_[3]->setToolTip(tr("On a host whose link is suspect"));

  connect(search_, &QLineEdit::textChanged, this,
          [this](const QString& text) { applyFilter([&] { filter_->setText(text); }); });
  connect(search_, &theme::SearchField::leftDownward, this, [this] { table_->setFocus(); });
  connect(show_, &theme::SegmentedControl::currentIndexChanged, this, [this](int index) {
    applyFilter([&] { filter_->setShow(static_cast<FederateFilter::Show>(index)); });
  });
  // A pill filters what it counts; once more shows all again.
  const FederateFilter::Show shows[] = {FederateFilter::Show::All, FederateFilter::Show::Late,
                                        FederateFilter::Show::Dead, FederateFilter::Show::All};
  for (std::size_t i = 0; i < 4; ++i) {
    connect(pills_[i], &QAbstractButton::clicked, this, [this, show = shows[i]] {
      const bool same = filter_->show() == show;
      setShow(same ? FederateFilter::Show::All : show);
    });
  }
  connect(noMatch_, &QLabel::linkActivated, this, [this] {
    search_->clear();
    setShow(FederateFilter::Show::All);
  });
}

void FederateTable::placeFilters(theme::DockTitleBar* bar) {
  bar_ = bar;
  for (theme::StatePill* pill : pills_) bar->addWidget(pill);
  bar->addWidget(show_);
  bar->addWidget(search_);
  updateFilters();
}

void FederateTable::setSnapshot(const SnapshotPointer& snapshot) {
  snapshot_ = snapshot;
  // A row that goes makes another one current, which nobody has chosen; and whoever heard of it in
  // the middle would set the next snapshot while this one is being taken over.
  taking_ = true;
  model_->setSnapshot(snapshot);
  taking_ = false;
  updateColumns();
  updateFilters();
}

void FederateTable::select(const QStringList& federates) {
  const QStringList before = selection();
  if (QSet<QString>(federates.begin(), federates.end()) ==
      QSet<QString>(before.begin(), before.end()))
    return;
  taking_ = true;
  QItemSelection rows;
  QModelIndex first;
  for (const QString& name : federates) {
    const int row = model_->rowOf(name);
    const QModelIndex index =
        row < 0 ? QModelIndex() : filter_->mapFromSource(model_->index(row, 0));
    if (!index.isValid()) continue;
    if (!first.isValid()) first = index;
    rows.select(index, index);
  }
  QItemSelectionModel* selection = table_->selectionModel();
  if (first.isValid()) {
    selection->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    selection->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    table_->scrollTo(first);
  } else {
    selection->clear();
  }
  taking_ = false;
}

void FederateTable::setShow(FederateFilter::Show show) {
  show_->setCurrentIndex(static_cast<int>(show));
}

void FederateTable::focusFilter() {
  search_->show();
  search_->setFocus(Qt::ShortcutFocusReason);
}

void FederateTable::measureNames() {
  const QFontMetrics metrics(textFont(TextStyle::Table, QFont::Medium));
  int longest = 0;
  for (int row = 0; row < model_->rowCount(); ++row) {
    longest = std::max(longest, metrics.horizontalAdvance(model_->federate(row)->name));
  }
  nameWidth_ = nameCellWidth(longest);
}

void FederateTable::updateColumns() {
  const std::vector<FederateView>& federates = snapshot_->federates;
  const bool oneHost =
      std::all_of(federates.begin(), federates.end(),
                  [&](const FederateView& each) { return each.host == federates.front().host; });
  table_->setColumnHidden(FederateModel::Host, oneHost);
  fitColumns(*table_, columns, nameWidth_, oneHost ? int(FederateModel::Host) : -1);
}

bool FederateTable::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_->viewport() && event->type() == QEvent::Resize) updateColumns();
  return QWidget::eventFilter(watched, event);
}

void FederateTable::updateFilters() {
  const Snapshot& snapshot = *snapshot_;
  const auto total = static_cast<int>(snapshot.federates.size());
  const int late =
      snapshot.count(FederateCondition::Late) + snapshot.count(FederateCondition::Stopped);
  const int dead = snapshot.count(FederateCondition::Dead);
  const int silent = snapshot.count(FederateCondition::OutOfReach);
  const int held = snapshot.count(FederateCondition::Held);
  const int running = snapshot.count(FederateCondition::Running) + held;
  const bool many = total >= manyFederates;
  if (bar_ != nullptr) {
    bar_->setCaption(total == 0 || many ? QString()
                     : model_->isOver() ? tr("%1, totals of the run").arg(total)
                                        : tr("%1, rates are 5 s means").arg(total));
  }
  show_->setVisible(many);
  search_->setVisible(many || !search_->text().isEmpty() || search_->hasFocus());
  show_->setText(0, tr("All %1").arg(total));
  show_->setText(1, tr("Problems %1").arg(late + dead));
  show_->setText(2, tr("Late %1").arg(late));
  show_->setText(3, tr("Dead %1").arg(dead));
  if (snapshot.held && held > 0)
    pills_[0]->setState(State::Paused, tr("%1 paused").arg(held));
  else
    pills_[0]->setState(State::Running, tr("%1 running").arg(running));
  pills_[1]->setState(State::Late, tr("%1 late").arg(late));
  pills_[2]->setState(State::Dead, tr("%1 dead").arg(dead));
  pills_[0]->setVisible(!many && running > 0);
  pills_[1]->setVisible(!many && late > 0);
  pills_[2]->setVisible(!many && dead > 0);
  pills_[3]->setState(State::Warning, tr("%1 no answer").arg(silent));
  pills_[3]->setVisible(!many && silent > 0);

  const bool none = filter_->rowCount() == 0;
  noMatch_->setVisible(none);
  table_->setVisible(!none);
  if (!none) return;
  if (total == 0) {
    noMatch_->setText(tr("Federates appear here when a run starts."));
  } else if (!search_->text().isEmpty()) {
    noMatch_->setText(tr("No federate matches “%1”. <a href=\"clear\">Clear filter</a>")
                          .arg(search_->text().toHtmlEscaped()));
  } else {
    noMatch_->setText(
        tr("No federate has problems here. <a href=\"clear\">Show all %1</a>").arg(total));
  }
}

}  // namespace tutti::monitor
