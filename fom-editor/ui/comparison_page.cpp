// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/comparison_page.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "fom-editor/model/data_layout.h"
#include "fom-editor/model/item.h"
#include "fom-editor/model/lists.h"
#include "fom-editor/model/tables.h"
#include "fom-editor/ui/byte_layout_view.h"
#include "fom-editor/ui/comparison_view.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/icons.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

namespace {

const Entry* entryAt(const std::vector<Entry>& all, int i) {
  return i < 0 ? nullptr : &all[static_cast<std::size_t>(i)];
}

theme::State stateOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::Yes:
      return theme::State::Ok;
    case Verdict::YesBut:
      return theme::State::Warning;
    case Verdict::No:
      break;
  }
  return theme::State::Error;
}

theme::State stateOf(Impact impact) {
  return impact == Impact::Breaks  ? theme::State::Error
         : impact == Impact::Check ? theme::State::Warning
                                   : theme::State::Ok;
}

/// "Air-1.xml:71" as a finding has it.
void place(const QString& text, QString& file, int& line) {
  const qsizetype colon = text.lastIndexOf(u':');
  bool ok = false;
  const int number = text.mid(colon + 1).toInt(&ok);
  file = ok && colon > 0 ? text.left(colon) : text;
  line = ok ? number : 0;
}

/// The sign of a mark, for a check box.
QIcon iconOf(Mark mark, const theme::Palette& palette, qreal ratio) {
  QPixmap pixmap(QSize(16, 16) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  paintMark(painter, QRectF(0, 0, 16, 16), mark, palette);
  return QIcon(pixmap);
}

QWidget* panel(QWidget* parent) {
  auto* widget = new QWidget(parent);
  widget->setBackgroundRole(QPalette::Base);
  widget->setAutoFillBackground(true);
  return widget;
}

}  // namespace

ComparisonPage::ComparisonPage(QWidget* parent)
    : QWidget(parent),
      rows_(new ComparisonRows(this)),
      reasons_(new FindingModel(this)),
      properties_(new TableModel(this)),
      summary_(new TableModel(this)),
      exportAction_(
          new QAction(theme::icon(QStringLiteral("export")), tr("Export report…"), this)) {
  setObjectName(QStringLiteral("comparisonPage"));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  exportAction_->setObjectName(QStringLiteral("exportComparison"));
  exportAction_->setToolTip(tr("Write the differences as a page or as JSON"));
  connect(exportAction_, &QAction::triggered, this, &ComparisonPage::exportRequested);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(buildBar());
  auto* parts = new QSplitter(Qt::Horizontal, this);
  parts->setChildrenCollapsible(false);
  parts->addWidget(buildFilters());
  parts->addWidget(buildCentre());
  parts->addWidget(buildDetail());
  parts->setStretchFactor(1, 1);
  parts->setSizes({264, 732, 372});
  column->addWidget(parts, 1);
}

QWidget* ComparisonPage::buildBar() {
  auto* bar = new QFrame(this);
  bar->setObjectName(QStringLiteral("comparisonBar"));
  bar->setProperty("role", QByteArray("bar"));
  bar->setFixedHeight(theme::height::kTool);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(8, 0, 12, 0);
  row->setSpacing(8);
  auto* close = theme::smallButton(QStringLiteral("close"), tr("Close the comparison (Esc)"), bar);
  close->setObjectName(QStringLiteral("comparisonClose"));
  connect(close, &QToolButton::clicked, this, &ComparisonPage::closed);
  verdict_ = new theme::StatePill(bar);
  verdict_->setObjectName(QStringLiteral("comparisonVerdict"));
  verdict_->setFocusPolicy(Qt::NoFocus);
  sentence_ = new theme::ElidedLabel("secondary", bar);
  sentence_->setObjectName(QStringLiteral("comparisonSentence"));
  auto* swap = new QPushButton(tr("Swap A and B"), bar);
  swap->setObjectName(QStringLiteral("comparisonSwap"));
  connect(swap, &QPushButton::clicked, this, &ComparisonPage::swapRequested);
  previous_ = theme::smallButton(QStringLiteral("up"), tr("Previous difference (Shift+F8)"), bar);
  previous_->setObjectName(QStringLiteral("comparisonPrevious"));
  next_ = theme::smallButton(QStringLiteral("down"), tr("Next difference (F8)"), bar);
  next_->setObjectName(QStringLiteral("comparisonNext"));
  connect(previous_, &QToolButton::clicked, this, [this] { step(-1); });
  connect(next_, &QToolButton::clicked, this, [this] { step(1); });
  position_ = theme::makeLabel(QString(), "secondary", bar);
  position_->setObjectName(QStringLiteral("comparisonPosition"));
  auto* exportButton = new QPushButton(exportAction_->icon(), exportAction_->text(), bar);
  exportButton->setObjectName(QStringLiteral("comparisonExport"));
  exportButton->setToolTip(exportAction_->toolTip());
  connect(exportButton, &QPushButton::clicked, exportAction_, &QAction::trigger);
  row->addWidget(close);
  row->addWidget(verdict_);
  row->addWidget(sentence_, 1);
  row->addWidget(previous_);
  row->addWidget(next_);
  row->addWidget(position_);
  row->addWidget(swap);
  row->addWidget(exportButton);
  return bar;
}

QWidget* ComparisonPage::buildFilters() {
  QWidget* content = panel(this);
  content->setMinimumWidth(250);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(6);
  search_ = new theme::SearchField(tr("Name in either model"), QStringLiteral("Ctrl+F"), content);
  search_->setObjectName(QStringLiteral("comparisonSearch"));
  search_->setAccessibleName(tr("Filter the differences by name"));
  connect(search_, &QLineEdit::textChanged, this, &ComparisonPage::applyFilter);
  column->addWidget(search_);
  for (int m = 0; m < markCount; ++m) {
    auto* box = new QCheckBox(content);
    box->setObjectName(QStringLiteral("mark_") + markName(static_cast<Mark>(m)));
    box->setChecked(true);
    box->setIconSize(QSize(16, 16));
    theme::followTheme(box, [box, m](const theme::Palette& palette) {
      box->setIcon(iconOf(static_cast<Mark>(m), palette, box->devicePixelRatioF()));
    });
    connect(box, &QCheckBox::toggled, this, &ComparisonPage::applyFilter);
    marks_ << box;
    column->addWidget(box);
  }
  column->addWidget(theme::rule(content));
  kind_ = new QComboBox(content);
  kind_->setObjectName(QStringLiteral("comparisonKind"));
  kind_->setAccessibleName(tr("Kind of differences"));
  connect(kind_, &QComboBox::currentIndexChanged, this, &ComparisonPage::applyFilter);
  column->addWidget(kind_);
  wire_ = new QCheckBox(content);
  wire_->setObjectName(QStringLiteral("comparisonWire"));
  wire_->setToolTip(tr("Values are encoded otherwise, so that receivers take them for others"));
  connect(wire_, &QCheckBox::toggled, this, &ComparisonPage::applyFilter);
  column->addWidget(wire_);
  onlyDifferences_ = new QCheckBox(tr("Only differences"), content);
  onlyDifferences_->setObjectName(QStringLiteral("comparisonOnly"));
  onlyDifferences_->setChecked(true);
  connect(onlyDifferences_, &QCheckBox::toggled, this, &ComparisonPage::applyFilter);
  column->addWidget(onlyDifferences_);
  column->addStretch(1);
  return content;
}

QWidget* ComparisonPage::buildCentre() {
  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->setChildrenCollapsible(false);
  auto* stack = new QStackedWidget(parts);
  view_ = new ComparisonView(stack);
  view_->setObjectName(QStringLiteral("comparisonTree"));
  view_->setAccessibleName(tr("Both object models side by side"));
  view_->setRows(rows_);
  search_->setFocusTarget(view_);
  connect(search_, &theme::SearchField::leftDownward, this, [this] {
    view_->setFocus(Qt::OtherFocusReason);
    if (!view_->currentIndex().isValid()) step(1);
  });
  connect(view_, &ComparisonView::currentRowChanged, this, &ComparisonPage::fillDetail);
  auto* none = new theme::EmptyView(tr("No difference matches."), stack);
  none->setObjectName(QStringLiteral("comparisonNone"));
  showAll_ = none->setButton(tr("Show all differences"));
  connect(none, &theme::EmptyView::buttonClicked, this, [this] {
    search_->clear();
    for (QCheckBox* box : std::as_const(marks_)) box->setChecked(true);
    kind_->setCurrentIndex(0);
    wire_->setChecked(false);
  });
  noMatch_ = none;
  stack->addWidget(view_);
  stack->addWidget(none);
  parts->addWidget(stack);

  QWidget* reasons = panel(parts);
  why_ = reasons;
  auto* column = new QVBoxLayout(reasons);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(4);
  auto* title = theme::makeLabel(tr("Why"), "group", reasons);
  title->setContentsMargins(12, 0, 12, 0);
  column->addWidget(title);
  auto* list = new QTreeView(reasons);
  list->setObjectName(QStringLiteral("comparisonReasons"));
  list->setAccessibleName(tr("Reasons of the verdict"));
  list->setRootIsDecorated(false);
  list->setIndentation(0);
  list->setUniformRowHeights(true);
  list->setHeaderHidden(true);
  list->setFrameShape(QFrame::NoFrame);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list->setItemDelegate(new FindingDelegate(list));
  list->setModel(reasons_);
  list->header()->setStretchLastSection(false);
  list->header()->setMinimumSectionSize(40);
  list->header()->setSectionResizeMode(FindingModel::TextColumn, QHeaderView::Stretch);
  list->header()->setSectionResizeMode(FindingModel::PlaceColumn, QHeaderView::Fixed);
  list->header()->resizeSection(FindingModel::PlaceColumn, 190);
  const auto choose = [this](const QModelIndex& index) {
    if (!index.isValid() || !comparison_) return;
    select(comparison_->report.compatibility.reasons.value(index.row()).difference);
  };
  connect(list, &QAbstractItemView::clicked, this, choose);
  connect(list, &QAbstractItemView::activated, this, choose);
  column->addWidget(list, 1);
  parts->addWidget(reasons);
  parts->setStretchFactor(0, 1);
  parts->setSizes({520, 180});
  return parts;
}

QWidget* ComparisonPage::buildDetail() {
  auto* scroll = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setMinimumWidth(300);
  QWidget* content = panel(scroll);
  content->setObjectName(QStringLiteral("comparisonDetail"));
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  name_ = theme::makeLabel(QString(), "title", content);
  name_->setObjectName(QStringLiteral("comparisonName"));
  name_->setWordWrap(true);
  name_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  what_ = theme::makeLabel(QString(), "secondary", content);
  what_->setObjectName(QStringLiteral("comparisonWhat"));
  what_->setWordWrap(true);
  what_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  refuse_ = new QPushButton(tr("Not a rename"), content);
  refuse_->setObjectName(QStringLiteral("comparisonRefuse"));
  refuse_->setToolTip(tr("List them as one removed and one added"));
  connect(refuse_, &QPushButton::clicked, this, [this] {
    const int d = view_->currentIndex().data(ComparisonRows::DifferenceRole).toInt();
    if (!view_->currentIndex().isValid() || d < 0) return;
    const ModelDifference& difference = comparison_->report.difference;
    const Difference& one = difference.differences[static_cast<std::size_t>(d)];
    Q_EMIT renameRefused(entryAt(difference.before, one.before)->path,
                         entryAt(difference.after, one.after)->path);
  });
  auto* refuseRow = new QHBoxLayout;
  refuseRow->addWidget(refuse_);
  refuseRow->addStretch(1);
  meaning_ = theme::makeLabel(QString(), "warning", content);
  meaning_->setObjectName(QStringLiteral("comparisonMeaning"));
  meaning_->setWordWrap(true);
  meaning_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  propertyView_ = new TableView(content);
  propertyView_->setObjectName(QStringLiteral("comparisonProperties"));
  propertyView_->setAccessibleName(tr("Properties on both sides"));
  propertyView_->setTableModel(properties_);
  propertyView_->setFitRows(14);
  bytesTitle_ = theme::makeLabel(QString(), "group", content);
  bytesBefore_ = theme::makeLabel(QString(), "caption", content);
  bytesAfter_ = theme::makeLabel(QString(), "caption", content);
  layoutBefore_ = new ByteLayoutView(content);
  layoutAfter_ = new ByteLayoutView(content);
  components_ = new QWidget(content);
  componentRows_ = new QVBoxLayout(components_);
  componentRows_->setContentsMargins(0, 0, 0, 0);
  componentRows_->setSpacing(4);
  column->addWidget(name_);
  column->addWidget(what_);
  column->addLayout(refuseRow);
  column->addWidget(meaning_);
  column->addWidget(propertyView_);
  column->addWidget(bytesTitle_);
  column->addWidget(bytesBefore_);
  column->addWidget(layoutBefore_);
  column->addWidget(bytesAfter_);
  column->addWidget(layoutAfter_);
  column->addWidget(components_);
  summaryBox_ = new QWidget(content);
  auto* summaryColumn = new QVBoxLayout(summaryBox_);
  summaryColumn->setContentsMargins(0, 0, 0, 0);
  summaryColumn->setSpacing(8);
  summaryColumn->addWidget(theme::rule(summaryBox_));
  summaryColumn->addWidget(theme::makeLabel(tr("Summary of all"), "group", summaryBox_));
  summaryView_ = new TableView(summaryBox_);
  summaryView_->setObjectName(QStringLiteral("comparisonSummary"));
  summaryView_->setAccessibleName(tr("Differences by table"));
  summaryView_->setTableModel(summary_);
  summaryView_->setFitRows(entryKindCount);
  summaryColumn->addWidget(summaryView_);
  column->addWidget(summaryBox_);
  column->addStretch(1);
  scroll->setWidget(content);
  return scroll;
}

void ComparisonPage::showComparison(std::shared_ptr<const Comparison> comparison) {
  // The same entry again, where a guess was refused or the sides changed places.
  QString path;
  if (comparison_ && view_->currentIndex().isValid()) {
    const int d = view_->currentIndex().data(ComparisonRows::DifferenceRole).toInt();
    if (d >= 0) {
      path = comparison_->report.difference.pathOf(
          comparison_->report.difference.differences[static_cast<std::size_t>(d)]);
    }
  }
  comparison_ = std::move(comparison);
  rows_->setComparison(comparison_);
  fillVerdict();
  fillCounts();
  fillSummary();
  fillComponents();
  applyFilter();
  const ModelDifference& difference = comparison_->report.difference;
  int chosen = -1;
  for (std::size_t i = 0; i < difference.differences.size() && chosen < 0; ++i) {
    if (difference.pathOf(difference.differences[i]) == path) {
      chosen = rows_->rowOf(static_cast<int>(i));
    }
  }
  if (chosen < 0) chosen = rows_->nextDifference(-1, 1);
  if (chosen >= 0) view_->setCurrentIndex(rows_->index(chosen, 0));
  fillDetail(chosen);
}

void ComparisonPage::fillVerdict() {
  const DifferenceReport& report = comparison_->report;
  const Compatibility& c = report.compatibility;
  if (report.difference.isEmpty()) {
    verdict_->setState(theme::State::Ok, tr("Equal"));
    sentence_->setText(tr("%1 and %2 define the same.").arg(report.before, report.after));
  } else {
    const QString whole = verdictSentence(c);
    verdict_->setState(stateOf(c.verdict), whole.section(u':', 0, 0));
    QString rest = whole.section(u':', 1).trimmed();
    if (!rest.isEmpty()) rest[0] = rest[0].toUpper();
    sentence_->setText(rest);
  }
  QList<Finding> findings;
  for (const Reason& reason : c.reasons) {
    Finding f;
    f.level = reason.impact == Impact::Breaks ? Level::Loads : Level::Complete;
    f.text = reason.text;
    place(reason.after.isEmpty() ? reason.before : reason.after, f.file, f.line);
    if (!reason.after.isEmpty()) place(reason.before, f.otherFile, f.otherLine);
    findings << f;
  }
  reasons_->setFindings(findings);
  why_->setVisible(!findings.isEmpty());
}

void ComparisonPage::fillCounts() {
  const ModelDifference& d = comparison_->report.difference;
  for (int m = 0; m < markCount; ++m) {
    const auto mark = static_cast<Mark>(m);
    QString word = markName(mark);
    word[0] = word[0].toUpper();
    marks_[m]->setText(QStringLiteral("%1  %2").arg(word).arg(d.count(mark)));
  }
  const auto& wire = comparison_->report.compatibility.onTheWire;
  wire_->setText(
      tr("Only incompatible on the wire  %1").arg(std::count(wire.begin(), wire.end(), true)));
  const QVariant kept = kind_->currentData();
  const QSignalBlocker quiet(kind_);
  kind_->clear();
  kind_->addItem(tr("All kinds"), -1);
  for (int k = 0; k < entryKindCount; ++k) {
    const auto kind = static_cast<EntryKind>(k);
    int count = 0;
    for (int m = 0; m < markCount; ++m) count += d.count(kind, static_cast<Mark>(m));
    if (count > 0) kind_->addItem(QStringLiteral("%1  %2").arg(kindTitle(kind)).arg(count), k);
  }
  kind_->setCurrentIndex(std::max(0, kind_->findData(kept)));
}

void ComparisonPage::fillSummary() {
  const ModelDifference& d = comparison_->report.difference;
  Table table;
  table.title = tr("Summary");
  table.headers << tr("Table");
  for (int m = 0; m < markCount; ++m) {
    table.headers << QString(markSign(static_cast<Mark>(m)));
    table.numberColumns << m + 1;
  }
  for (int k = 0; k < entryKindCount; ++k) {
    TableRow row;
    row.cells << kindTitle(static_cast<EntryKind>(k));
    int count = 0;
    for (int m = 0; m < markCount; ++m) {
      const int n = d.count(static_cast<EntryKind>(k), static_cast<Mark>(m));
      count += n;
      row.cells << QString::number(n);
    }
    if (count > 0) table.rows << row;
  }
  summary_->setTable(table);
  summaryBox_->setVisible(!table.rows.isEmpty());
}

void ComparisonPage::applyFilter() {
  if (!comparison_) return;
  ComparisonFilter filter;
  for (int m = 0; m < markCount; ++m)
    filter.marks[static_cast<std::size_t>(m)] = marks_[m]->isChecked();
  filter.kind = kind_->currentData().isValid() ? kind_->currentData().toInt() : -1;
  filter.onTheWire = wire_->isChecked();
  filter.onlyDifferences = onlyDifferences_->isChecked();
  filter.text = search_->text().trimmed();
  const int kept = view_->currentIndex().isValid()
                       ? view_->currentIndex().data(ComparisonRows::DifferenceRole).toInt()
                       : -1;
  rows_->setFilter(filter);
  const bool none = rows_->rowCount() == 0;
  auto* stack = qobject_cast<QStackedWidget*>(view_->parentWidget());
  stack->setCurrentWidget(none ? noMatch_ : view_);
  if (none) {
    qobject_cast<theme::EmptyView*>(noMatch_)->setSentence(
        comparison_->report.difference.isEmpty() ? tr("The two models define the same.")
                                                 : tr("No difference matches."));
    showAll_->setVisible(!comparison_->report.difference.isEmpty());
  }
  int row = kept >= 0 ? rows_->rowOf(kept) : -1;
  if (row < 0) row = rows_->nextDifference(-1, 1);
  if (row >= 0) view_->setCurrentIndex(rows_->index(row, 0));
  fillDetail(row);
}

void ComparisonPage::select(int difference) {
  if (difference < 0) return;
  int row = rows_->rowOf(difference);
  if (row < 0) {
    // The person asks for one that a filter hides.
    search_->clear();
    for (QCheckBox* box : std::as_const(marks_)) box->setChecked(true);
    kind_->setCurrentIndex(0);
    wire_->setChecked(false);
    row = rows_->rowOf(difference);
  }
  if (row < 0) return;
  view_->setCurrentIndex(rows_->index(row, 0));
  view_->scrollTo(rows_->index(row, 0));
}

void ComparisonPage::step(int direction) {
  const int row = rows_->nextDifference(
      view_->currentIndex().isValid() ? view_->currentIndex().row() : -1, direction);
  if (row < 0) return;
  view_->setCurrentIndex(rows_->index(row, 0));
  view_->scrollTo(rows_->index(row, 0));
}

void ComparisonPage::focusTree() { view_->setFocus(Qt::OtherFocusReason); }

void ComparisonPage::focusFilter() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void ComparisonPage::fillDetail(int row) {
  const int shown = rows_->shownDifferences();
  const int number = row >= 0 ? rows_->numberOf(row) : 0;
  position_->setText(shown == 0    ? tr("no difference")
                     : number == 0 ? tr("%1 differences").arg(shown)
                                   : tr("%1 of %2").arg(number).arg(shown));
  previous_->setEnabled(shown > 0);
  next_->setEnabled(shown > 0);
  const int difference =
      row >= 0 ? rows_->index(row, 0).data(ComparisonRows::DifferenceRole).toInt() : -1;
  const bool any = comparison_ && difference >= 0;
  for (QWidget* part : {static_cast<QWidget*>(propertyView_), static_cast<QWidget*>(what_)}) {
    part->setVisible(any);
  }
  refuse_->setVisible(false);
  meaning_->setVisible(false);
  if (!any) {
    name_->setText(row >= 0 ? rows_->index(row, ComparisonRows::AfterColumn).data().toString()
                            : QString());
    fillBytes(-1, -1);
    return;
  }
  const DifferenceReport& report = comparison_->report;
  const Difference& d = report.difference.differences[static_cast<std::size_t>(difference)];
  const Entry* x = entryAt(report.difference.before, d.before);
  const Entry* y = entryAt(report.difference.after, d.after);
  name_->setText(report.difference.pathOf(d));
  QStringList words{kindName(d.kind) + QStringLiteral(", ") + markName(d.mark)};
  if (x != nullptr && !x->place().isEmpty()) words << tr("A %1").arg(x->place());
  if (y != nullptr && !y->place().isEmpty()) words << tr("B %1").arg(y->place());
  QString what = words.join(QStringLiteral(" · "));
  if (d.score > 0) what += tr("\nGuessed, %1 %: %2").arg(d.score / 10).arg(d.reason);
  what_->setText(what);
  refuse_->setText(d.mark == Mark::Moved ? tr("Not moved") : tr("Not a rename"));
  refuse_->setVisible(d.score > 0);
  const auto i = static_cast<std::size_t>(difference);
  const QString meaning = report.compatibility.explanations.value(difference);
  if (!meaning.isEmpty()) {
    const Impact impact = report.compatibility.impacts[i];
    meaning_->setText(report.compatibility.onTheWire[i]
                          ? tr("Incompatible on the wire. %1").arg(meaning)
                          : meaning);
    theme::setStyleProperty(meaning_, "role",
                            QByteArray(impact == Impact::Breaks ? "error" : "warning"));
    meaning_->show();
  }
  fillProperties(d.before, d.after, difference);
  fillBytes(d.before, d.after);
}

void ComparisonPage::fillProperties(int before, int after, int difference) {
  const ModelDifference& all = comparison_->report.difference;
  const Difference& d = all.differences[static_cast<std::size_t>(difference)];
  const Entry* x = entryAt(all.before, before);
  const Entry* y = entryAt(all.after, after);
  Table table;
  table.title = all.pathOf(d);
  table.headers << tr("Property") << tr("A") << tr("B");
  const auto orNone = [](const QString& value) {
    return value.isEmpty() ? QStringLiteral("–") : value;
  };
  const auto add = [&](const QString& name, const QString& was, const QString& is, bool changed) {
    TableRow row;
    row.cells << (changed ? QStringLiteral("~ ") + name : name) << orNone(was) << orNone(is);
    row.inherited = !changed;
    row.toolTip = QStringLiteral("%1\nA: %2\nB: %3").arg(name, orNone(was), orNone(is));
    table.rows << row;
  };
  QSet<QString> changed;
  for (const PropertyChange& p : d.properties) {
    changed.insert(p.name);
    add(p.name, p.before, p.after, true);
  }
  const Entry* of = y != nullptr ? y : x;
  for (const EntryProperty& p : of->properties) {
    if (changed.contains(p.name)) continue;
    const QString was = x != nullptr ? x->value(p.name) : QString();
    const QString is = y != nullptr ? y->value(p.name) : QString();
    if (!was.isEmpty() || !is.isEmpty()) add(p.name, was, is, false);
  }
  properties_->setTable(table);
}

/// The datatype of an attribute, parameter or field, the datatype that an entry is or is part of.
void ComparisonPage::fillBytes(int before, int after) {
  const auto typeOf = [](const std::vector<Entry>& all, int i) {
    const Entry* e = entryAt(all, i);
    if (e == nullptr) return QString();
    if (e->kind == EntryKind::DataType) return e->name;
    if (e->kind == EntryKind::Enumerator) return entryAt(all, e->parent)->name;
    return e->value(u"Datatype");
  };
  const auto fill = [](const omt::ObjectModel* model, const QString& side, const QString& type,
                       QLabel* caption, ByteLayoutView* view) {
    const omt::DataType* found =
        model != nullptr && !type.isEmpty() ? model->findDataType(type.toStdString()) : nullptr;
    caption->setVisible(found != nullptr);
    view->setVisible(found != nullptr);
    view->setLayoutParts({});
    if (found == nullptr) return false;
    caption->setText(QStringLiteral("%1: %2, %3").arg(side, type, describe(*model, *found)));
    view->setLayoutParts(layoutOf(*model, type).leaves);
    return true;
  };
  const bool any = comparison_ && (before >= 0 || after >= 0);
  const QString was = any ? typeOf(comparison_->report.difference.before, before) : QString();
  const QString is = any ? typeOf(comparison_->report.difference.after, after) : QString();
  const bool a =
      fill(any ? comparison_->before.get() : nullptr, tr("A"), was, bytesBefore_, layoutBefore_);
  const bool b =
      fill(any ? comparison_->after.get() : nullptr, tr("B"), is, bytesAfter_, layoutAfter_);
  bytesTitle_->setText(tr("Bytes"));
  bytesTitle_->setVisible(a || b);
}

void ComparisonPage::fillComponents() {
  while (QLayoutItem* old = componentRows_->takeAt(0)) {
    old->widget()->hide();
    old->widget()->deleteLater();
    delete old;
  }
  const DifferenceReport& report = comparison_->report;
  components_->setVisible(report.withComponents && !report.components.isEmpty());
  if (!components_->isVisibleTo(this)) return;
  componentRows_->addWidget(theme::rule(components_));
  componentRows_->addWidget(
      theme::makeLabel(tr("Components of the composition, with B"), "group", components_));
  for (const ComponentImpact& c : report.components) {
    auto* row = new QWidget(components_);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(8);
    auto* pill = new theme::StatePill(stateOf(c.impact),
                                      c.impact == Impact::Breaks  ? tr("breaks")
                                      : c.impact == Impact::Check ? tr("check")
                                                                  : tr("runs"),
                                      row);
    pill->setFocusPolicy(Qt::NoFocus);
    auto* name = theme::makeLabel(c.name, "table", row);
    name->setObjectName(QStringLiteral("component_") + c.name);
    auto* why = new theme::ElidedLabel("muted", row);
    why->setText(c.reasons.join(QStringLiteral("; ")));
    line->addWidget(pill);
    line->addWidget(name);
    line->addWidget(why, 1);
    componentRows_->addWidget(row);
  }
}

}  // namespace tutti::fomedit
