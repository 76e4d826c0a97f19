// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/cluster_panes.h"

#include <QAction>
#include <QDockWidget>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "launcher/ui/cluster_models.h"
#include "launcher/ui/cluster_watch.h"
#include "launcher/ui/queue_timeline.h"
#include "resources/theme/exporter.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"
#include "resources/theme/workspace.h"

namespace tutti::launcher {

using theme::State;
using theme::Token;

namespace {

constexpr QSize nodeBox(84, 42);
constexpr int manyNodes = 200;  ///< above, they are marks
constexpr QSize nodeMark(15, 15);
constexpr qsizetype reasonsShown = 3;

/// How the nodes of a partition are shared out: others', ours, idle.
class NodesBarDelegate : public theme::RowDelegate {
 public:
  using RowDelegate::RowDelegate;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem&,
                    const QModelIndex& index, const theme::Palette& palette) const override {
    const auto counts = index.data(PartitionsModel::CountsRole).value<NodeCounts>();
    const QRectF bar(content.left(), content.center().y() - 3, content.width(), 7);
    painter.fillRect(bar, palette[Token::GaugeIdle]);
    if (counts.all() == 0) return;
    const double each = bar.width() / counts.all();
    double left = bar.left();
    const auto part = [&](int nodes, Token token) {
      painter.fillRect(QRectF(left, bar.top(), nodes * each, bar.height()), palette[token]);
      left += nodes * each;
    };
    part(counts.allocated - counts.ours, Token::TextMuted);
    part(counts.ours, Token::Accent);
    // At the far end, so that what is between is what a job could get.
    left = bar.right() - (counts.down + counts.drained + counts.unavailable) * each;
    part(counts.down, Token::DeadFill);
    part(counts.drained + counts.unavailable, Token::LineControl);
  }
};

void setUpTable(QTreeView* view, const char* name, const QString& title,
                QAbstractItemModel* model) {
  view->setObjectName(QLatin1String(name));
  view->setAccessibleName(title);
  view->setModel(model);
  view->setFrameShape(QFrame::NoFrame);
  view->setRootIsDecorated(false);
  view->setUniformRowHeights(true);
  view->setAllColumnsShowFocus(true);
  view->setItemDelegate(new theme::RowDelegate(view));
  view->setMouseTracking(true);
  view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  view->header()->setHighlightSections(false);
  view->header()->setStretchLastSection(false);
  view->header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  view->header()->setMinimumSectionSize(32);
}

QWidget* makePage(QWidget* parent, QVBoxLayout*& column) {
  auto* page = new QWidget(parent);
  page->setBackgroundRole(QPalette::Base);
  page->setAutoFillBackground(true);
  column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  return page;
}

/// As high as its text, up to some lines; a pane that is made lower does not cut it off. All of it
/// is in the tip.
class WholeText : public QLabel {
 public:
  using QLabel::QLabel;
  void say(const QString& text) {
    setText(text);
    fit();
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QLabel::resizeEvent(event);
    fit();
  }

 private:
  void fit() {
    constexpr int mostLines = 7;
    const int whole = heightForWidth(width());
    setMinimumHeight(std::clamp(whole, 0, mostLines * fontMetrics().lineSpacing()));
    setToolTip(whole > minimumHeight() ? theme::wrappedTip(text()) : QString());
  }
};

/// What stands in the place of a table without rows.
QLabel* makeEmpty(const char* name, QWidget* parent) {
  auto* label = theme::makeLabel({}, "caption", parent);
  label->setObjectName(QLatin1String(name));
  label->setContentsMargins(12, 10, 12, 10);
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

void showEmpty(QLabel* label, QWidget* table, const QString& text) {
  label->setText(text);
  label->setVisible(!text.isEmpty());
  table->setVisible(text.isEmpty());
}

double secondsSince(const QDateTime& time) {
  return static_cast<double>(time.secsTo(QDateTime::currentDateTime()));
}

}  // namespace

// NodeBoxDelegate

QSize NodeBoxDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  return isMark(index) ? nodeMark : nodeBox;
}

bool NodeBoxDelegate::isMark(const QModelIndex& index) {
  return index.model()->rowCount() > manyNodes;
}

void NodeBoxDelegate::paintMark(QPainter& painter, const QRectF& place, NodeUse use, bool ours,
                                const theme::Palette& palette) {
  if (use != NodeUse::Idle && use != NodeUse::Allocated) {
    theme::paintState(painter, place, use == NodeUse::Down ? State::Dead : State::Disabled,
                      palette);
    return;
  }
  const QColor color = palette[ours ? Token::Accent : Token::TextMuted];
  painter.setPen(QPen(color, 1.5));
  painter.setBrush(use == NodeUse::Allocated ? QBrush(color) : QBrush(Qt::NoBrush));
  painter.drawRoundedRect(place.adjusted(1.5, 1.5, -1.5, -1.5), 1.5, 1.5);
}

void NodeBoxDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  const auto palette = theme::Palette::of(option.palette);
  const auto use = static_cast<NodeUse>(index.data(NodesModel::UseRole).toInt());
  const bool ours = index.data(NodesModel::OursRole).toBool();
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  const bool away = use == NodeUse::Down || use == NodeUse::Drained || use == NodeUse::Unavailable;
  const auto dead = theme::colors(State::Dead, palette);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (isMark(index)) {
    if (selected || option.state.testFlag(QStyle::State_MouseOver))
      painter->fillRect(option.rect, palette[selected ? Token::BgSelected : Token::BgHover]);
    paintMark(*painter, QRectF(option.rect).adjusted(2, 2, -2, -2), use, ours, palette);
    if (option.state.testFlag(QStyle::State_HasFocus) &&
        option.state.testFlag(QStyle::State_KeyboardFocusChange))
      theme::paintFocusRing(*painter, option.rect, theme::radius::kControl, palette);
    painter->restore();
    return;
  }
  const QRectF box = QRectF(option.rect).adjusted(2.5, 2.5, -2.5, -2.5);
  QColor edge = palette[Token::LineStrong];
  QColor ground = palette[Token::BgPanel];
  QColor text = palette[Token::TextPrimary];
  if (ours) {
    edge = palette[Token::Accent];
    ground = palette[Token::BgSelected];
  } else if (use == NodeUse::Allocated) {
    ground = palette[Token::BgSunken];
  } else if (use == NodeUse::Down) {
    edge = text = dead.fg;
    ground = dead.tint;
  } else if (away) {
    text = palette[Token::TextMuted];
  }
  QPen pen(selected ? palette[Token::Accent] : edge, selected || ours ? 2 : 1);
  if (away && !selected) pen.setStyle(Qt::DashLine);
  painter->setPen(pen);
  painter->setBrush(option.state.testFlag(QStyle::State_MouseOver) ? palette[Token::BgHover]
                                                                   : ground);
  painter->drawRoundedRect(box, theme::radius::kControl, theme::radius::kControl);
  const QRectF mark(box.right() - 17, box.top() + 5, 12, 12);
  if (ours) {
    theme::paintState(*painter, mark, State::Ok, palette);
  } else {
    paintMark(*painter, mark, use, false, palette);
  }
  const auto line = [&](const QRectF& place, const QString& said, const QFont& font,
                        const QColor& color) {
    painter->setFont(font);
    painter->setPen(color);
    painter->drawText(
        place, Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetrics(font).elidedText(said, Qt::ElideRight, static_cast<int>(place.width())));
  };
  line(QRectF(box.left() + 7, box.top() + 3, box.width() - 28, 16), index.data().toString(),
       theme::textFont(theme::TextStyle::Label), text);
  line(QRectF(box.left() + 7, box.top() + 19, box.width() - 12, 14),
       index.data(NodesModel::CaptionRole).toString(),
       theme::textFont(theme::TextStyle::Caption, QFont::Normal),
       use == NodeUse::Down ? dead.fg : palette[Token::TextMuted]);
  if (option.state.testFlag(QStyle::State_HasFocus) &&
      option.state.testFlag(QStyle::State_KeyboardFocusChange))
    theme::paintFocusRing(*painter, option.rect, theme::radius::kControl, palette);
  painter->restore();
}

// ClusterPanes

ClusterPanes::ClusterPanes(theme::Workspace* page, ClusterWatch* watch)
    : QObject(page),
      page_(page),
      watch_(watch),
      partitions_(new PartitionsModel(this)),
      nodes_(new NodesModel(this)),
      queue_(new QueueModel(this)) {
  buildPartitions();
  buildNodes();
  buildQueue();
  connect(watch_, &ClusterWatch::clustersChanged, this, &ClusterPanes::followClusters);
  connect(watch_, &ClusterWatch::clusterChanged, this, [this](const QString& name) {
    if (name == cluster_) refresh();
  });
  // "12 s ago" grows without an event.
  ages_.setInterval(1000);
  connect(&ages_, &QTimer::timeout, this, [this] {
    if (notice_->isVisible()) showNotice();
    if (queueView_->isVisible()) queue_->setNow(QDateTime::currentDateTime());
  });
  ages_.start();
  docks_ = {partitionsDock_, nodesDock_, queueDock_};
  followClusters();
}

void ClusterPanes::buildPartitions() {
  QVBoxLayout* column = nullptr;
  auto* content = makePage(page_, column);
  notice_ = new QWidget(content);
  auto* row = new QVBoxLayout(notice_);
  row->setContentsMargins(12, 6, 12, 6);
  row->setSpacing(6);
  noticeText_ = new WholeText(notice_);
  noticeText_->setProperty("role", QByteArray("caption"));
  noticeText_->setObjectName(QStringLiteral("clusterNotice"));
  noticeText_->setWordWrap(true);
  noticeText_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  row->addWidget(noticeText_);
  noticeAgain_ = new QPushButton(tr("Ask again"), notice_);
  noticeAgain_->setObjectName(QStringLiteral("askClusterAgain"));
  noticeAgain_->setProperty("dense", true);
  connect(noticeAgain_, &QPushButton::clicked, this, [this] { watch_->ask(cluster_); });
  row->addWidget(noticeAgain_, 0, Qt::AlignLeft);
  column->addWidget(notice_);
  column->addWidget(theme::rule(content));
  partitionsView_ = new QTreeView(content);
  setUpTable(partitionsView_, "partitionTable", tr("Partitions of the cluster"), partitions_);
  partitionsView_->setAcceptDrops(true);
  partitionsView_->setDropIndicatorShown(true);
  partitionsView_->setDragDropMode(QAbstractItemView::DropOnly);
  partitionsView_->setItemDelegateForColumn(PartitionsModel::InUse,
                                            new NodesBarDelegate(partitionsView_));
  auto* header = partitionsView_->header();
  header->setSectionResizeMode(QHeaderView::Fixed);
  header->setSectionResizeMode(PartitionsModel::InUse, QHeaderView::Stretch);
  header->resizeSection(PartitionsModel::Name, 84);
  header->resizeSection(PartitionsModel::Idle, 48);
  header->resizeSection(PartitionsModel::Limit, 72);
  column->addWidget(partitionsView_, 1);
  connect(partitionsView_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    const auto rows = partitionsView_->selectionModel()->selectedRows(PartitionsModel::Name);
    setPartition(rows.isEmpty() ? QString()
                                : rows.front().data(PartitionsModel::NameRole).toString());
  });
  partitionsDock_ = page_->addPane(QStringLiteral("partitionsPane"), tr("Partitions"), content,
                                   Qt::LeftDockWidgetArea, 288);
  addExport(partitionsDock_, QStringLiteral("exportPartitions"),
            tr("Export the partitions as CSV…"), tr("Partitions"), partitions_);
}

void ClusterPanes::buildNodes() {
  QVBoxLayout* column = nullptr;
  auto* content = makePage(page_, column);
  nodesView_ = new QListView(content);
  nodesView_->setObjectName(QStringLiteral("nodeBoxes"));
  nodesView_->setAccessibleName(tr("Nodes of the cluster"));
  nodesView_->setModel(nodes_);
  nodesView_->setItemDelegate(new NodeBoxDelegate(nodesView_));
  nodesView_->setViewMode(QListView::IconMode);
  nodesView_->setMovement(QListView::Static);
  nodesView_->setResizeMode(QListView::Adjust);
  nodesView_->setUniformItemSizes(true);
  nodesView_->setMouseTracking(true);
  nodesView_->setFrameShape(QFrame::NoFrame);
  nodesView_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  nodesView_->setSpacing(0);
  auto* around = new QVBoxLayout;
  around->setContentsMargins(8, 6, 8, 2);
  around->addWidget(nodesView_);
  column->addLayout(around, 1);
  nodesFoot_ = new theme::ElidedLabel("caption", content);
  nodesFoot_->setObjectName(QStringLiteral("nodeReasons"));
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(12, 2, 12, 5);
  foot->addWidget(nodesFoot_);
  column->addLayout(foot);
  nodesEmpty_ = makeEmpty("nodesEmpty", content);
  column->addWidget(nodesEmpty_, 1);
  nodesDock_ = page_->addPane(QStringLiteral("nodesPane"), tr("Nodes"), content,
                              Qt::BottomDockWidgetArea, 208);
  addExport(nodesDock_, QStringLiteral("exportNodes"), tr("Export the nodes as CSV…"), tr("Nodes"),
            nodes_);
}

void ClusterPanes::buildQueue() {
  QVBoxLayout* column = nullptr;
  auto* content = makePage(page_, column);
  queueView_ = new QueueView(content);
  queueView_->setHeader(new QueueHeader(Qt::Horizontal, queueView_));
  setUpTable(queueView_, "queueTable", tr("Jobs of the cluster"), queue_);
  auto* states = new theme::StatusNameDelegate(queueView_);
  states->setWeight(QFont::Normal);
  queueView_->setItemDelegateForColumn(QueueModel::State, states);
  queueView_->setItemDelegateForColumn(QueueModel::Times, new QueueBarDelegate(queueView_));
  // The bars say them.
  queueView_->setColumnHidden(QueueModel::Starts, true);
  queueView_->setColumnHidden(QueueModel::Ends, true);
  auto* header = queueView_->header();
  header->setSectionResizeMode(QHeaderView::Interactive);
  header->setSectionResizeMode(QueueModel::Times, QHeaderView::Fixed);
  for (const auto& [section, width] : {std::pair<int, int>{QueueModel::Position, 40},
                                       {QueueModel::Job, 56},
                                       {QueueModel::Name, 112},
                                       {QueueModel::User, 62},
                                       {QueueModel::Partition, 72},
                                       {QueueModel::Nodes, 54},
                                       {QueueModel::State, 116}})
    header->resizeSection(section, width);
  connect(header, &QHeaderView::sectionResized, queueView_, [this](int section) {
    if (section != QueueModel::Times) queueView_->fitBars();
  });
  column->addWidget(queueView_, 1);
  queueEmpty_ = makeEmpty("queueEmpty", content);
  column->addWidget(queueEmpty_, 1);
  queueDock_ = page_->addPane(QStringLiteral("queuePane"), tr("Queue"), content,
                              Qt::BottomDockWidgetArea, 230);
  addExport(queueDock_, QStringLiteral("exportQueue"), tr("Export the queue as CSV…"), tr("Queue"),
            queue_);
}

void ClusterPanes::addExport(QDockWidget* dock, const QString& name, const QString& text,
                             const QString& what, QAbstractItemModel* model) {
  auto* action = new QAction(theme::icon(QStringLiteral("export")), text, this);
  action->setObjectName(name);
  page_->titleBar(dock)->addAction(action);
  connect(action, &QAction::triggered, this, [this, what, model] {
    const QString file = theme::askForFile(
        page_, theme::fileNameOf({cluster_, what}) + QStringLiteral(".csv"), tr("Tables (*.csv)"));
    if (file.isEmpty()) return;
    QString why;
    if (exportTable(*model, what, file, &why))
      Q_EMIT done(tr("Wrote %1").arg(QFileInfo(file).fileName()));
    else
      Q_EMIT failed(tr("%1 of %2 were not exported").arg(what, cluster_), why);
  });
}

bool ClusterPanes::exportTable(const QAbstractItemModel& model, const QString& what,
                               const QString& file, QString* why) const {
  const ClusterView* view = watch_->find(cluster_);
  const QString when = view != nullptr && view->asked.isValid()
                           ? theme::formatClockLong(view->asked)
                           : tr("not answered");
  const QString where = partition_.isEmpty() ? cluster_ : cluster_ + u'/' + partition_;
  const auto saved = theme::exportCsv(model, tr("%1, %2, %3").arg(what, where, when), file);
  if (!saved && why != nullptr) *why = saved.error();
  return saved.has_value();
}

void ClusterPanes::follow(QDockWidget* dock) {
  docks_ << dock;
  dock->setVisible(shown_);
  dock->toggleViewAction()->setVisible(shown_);
}

void ClusterPanes::followClusters() {
  const bool any = !watch_->clusters().empty();
  if (any != shown_) {
    shown_ = any;
    for (QDockWidget* dock : std::as_const(docks_)) {
      dock->setVisible(any);
      dock->toggleViewAction()->setVisible(any);
    }
  }
  if (watch_->find(cluster_) == nullptr)
    show({});
  else
    refresh();
}

void ClusterPanes::show(const QString& cluster) {
  const auto& all = watch_->clusters();
  QString name = cluster;
  if (watch_->find(name) == nullptr) name = all.empty() ? QString() : all.front().cluster.name;
  cluster_ = name;
  watch_->lookAt(name);
  partitionsView_->selectionModel()->clear();
  setPartition({});
  refresh();
}

void ClusterPanes::setPartition(const QString& partition) {
  if (partition == partition_) return;
  partition_ = partition;
  const int row = partitions_->rowOf(partition);
  if (row >= 0 && !partitionsView_->selectionModel()->isRowSelected(row, {}))
    partitionsView_->setCurrentIndex(partitions_->index(row, 0));
  refresh();
  Q_EMIT partitionChanged(partition);
}

void ClusterPanes::raise() {
  for (QDockWidget* dock : {nodesDock_, queueDock_}) {
    if (shown_ && dock->isHidden()) dock->show();
    dock->raise();
  }
}

void ClusterPanes::showJob(qint64 job) {
  if (queue_->rowOf(job) < 0) {
    const int all = partitions_->rowOf({});
    if (all >= 0) partitionsView_->setCurrentIndex(partitions_->index(all, 0));
  }
  const int row = queue_->rowOf(job);
  if (row < 0) return;
  queueDock_->show();
  queueDock_->raise();
  queueView_->setCurrentIndex(queue_->index(row, 0));
  queueView_->scrollTo(queue_->index(row, 0));
}

void ClusterPanes::refresh() {
  const ClusterView* view = watch_->find(cluster_);
  const auto state = view == nullptr ? std::optional<ClusterState>() : view->state;
  partitions_->setState(state);
  // Its rows are new, or it is gone.
  if (!partition_.isEmpty() && state && partitions_->rowOf(partition_) < 0) {
    partition_.clear();
    Q_EMIT partitionChanged({});
  }
  const int row = partitions_->rowOf(partition_);
  if (row >= 0 && !partitionsView_->selectionModel()->isRowSelected(row, {}))
    partitionsView_->setCurrentIndex(partitions_->index(row, 0));
  nodes_->setState(state, partition_);
  queue_->setState(state, partition_);
  queueView_->setColumnHidden(QueueModel::Partition, !partition_.isEmpty());
  queueView_->fitBars();
  showNotice();
  showCaptions(view);
}

QString ClusterPanes::notice() const {
  const ClusterView* view = watch_->find(cluster_);
  if (view == nullptr) return {};
  const QString& name = view->cluster.name;
  const QString age =
      view->asked.isValid() ? theme::formatAge(secondsSince(view->asked)) : QString();
  if (view->error) {
    const QString said = tr("%1 does not answer. %2").arg(name, view->error->message());
    return view->state ? tr("%1 What is shown is what it said %2.").arg(said, age) : said;
  }
  if (view->state)
    return tr("Slurm of %1 answered in %2, %3")
        .arg(name, theme::formatDuration(view->seconds), age);
  return view->asking ? tr("Asking Slurm of %1").arg(name) : tr("%1 was not asked yet").arg(name);
}

void ClusterPanes::showNotice() {
  const ClusterView* view = watch_->find(cluster_);
  static_cast<WholeText*>(noticeText_)->say(notice());
  const char* const role = view != nullptr && view->error ? "error" : "caption";
  if (noticeText_->property("role").toByteArray() != role)
    theme::setStyleProperty(noticeText_, "role", QByteArray(role));
  noticeAgain_->setVisible(view != nullptr && view->error && !view->asking);
}

void ClusterPanes::showCaptions(const ClusterView* view) {
  page_->titleBar(partitionsDock_)->setCaption(cluster_);
  if (view == nullptr || !view->state) {
    const QString why = view == nullptr ? QString()
                        : view->error   ? tr("no answer")
                                        : tr("not known yet");
    page_->titleBar(nodesDock_)->setCaption(why);
    page_->titleBar(queueDock_)->setCaption(why);
    const QString text = view != nullptr && view->error ? view->error->message() : why;
    nodesFoot_->setText({});
    showEmpty(nodesEmpty_, nodesView_, text);
    showEmpty(queueEmpty_, queueView_, text);
    return;
  }
  const QString where = partition_.isEmpty() ? tr("all partitions") : partition_;
  page_->titleBar(nodesDock_)
      ->setCaption(tr("%1: %2").arg(where, nodeCountsText(countNodes(*view->state, partition_))));
  page_->titleBar(queueDock_)
      ->setCaption(tr("%1: %2 running, %3 waiting, starts as Slurm plans them now")
                       .arg(where)
                       .arg(queue_->running())
                       .arg(queue_->waiting()));
  QStringList reasons;
  for (int row = 0; row < nodes_->rowCount(); ++row) {
    const auto use = static_cast<NodeUse>(nodes_->index(row, 0).data(NodesModel::UseRole).toInt());
    const auto text = [&](int column) { return nodes_->index(row, column).data().toString(); };
    if (use != NodeUse::Down && use != NodeUse::Drained) continue;
    QString said = tr("%1 is %2").arg(text(NodesModel::Name), nodeUseText(use));
    if (!text(NodesModel::Since).isEmpty())
      said = tr("%1 since %2").arg(said, text(NodesModel::Since));
    if (!text(NodesModel::Reason).isEmpty())
      said = tr("%1: %2").arg(said, text(NodesModel::Reason));
    reasons << said;
  }
  const auto more = reasons.size() - reasonsShown;
  nodesFoot_->setText(reasons.mid(0, reasonsShown).join(QStringLiteral("; ")) +
                      (more > 0 ? tr("; and %1 more").arg(more) : QString()));
  nodesFoot_->setToolTip(theme::wrappedTip(reasons.join(u'\n')));
  showEmpty(nodesEmpty_, nodesView_,
            nodes_->rowCount() > 0 ? QString() : tr("This partition has no nodes."));
  showEmpty(queueEmpty_, queueView_,
            queue_->rowCount() > 0
                ? QString()
                : tr("No job runs or waits: one that asks for no more than the idle nodes starts "
                     "at once."));
}

}  // namespace tutti::launcher
