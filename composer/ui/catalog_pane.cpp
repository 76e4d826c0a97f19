// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/catalog_pane.h"

#include <QDir>
#include <QDrag>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMap>
#include <QMimeData>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "composer/ui/canvas_view.h"
#include "composer/ui/looks.h"
#include "composer/ui/needs_pane.h"
#include "resources/theme/delegates.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"

namespace tutti::composer {

using theme::Palette;
using theme::Token;

namespace {

/// Shows the box that will be there, under the pointer, while dragging.
class CatalogView : public QTreeView {
 public:
  using QTreeView::QTreeView;

 protected:
  void startDrag(Qt::DropActions) override {
    const QModelIndex index = currentIndex();
    if (!index.data(CatalogModel::ComponentRole).isValid()) return;
    auto* drag = new QDrag(this);
    drag->setMimeData(model()->mimeData({index}));
    const qreal ratio = devicePixelRatioF();
    QPixmap picture(QSize(28, 28) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    const Palette palette = Palette::of(this);
    painter.setPen(palette[Token::Accent]);
    painter.setBrush(palette[Token::BgRaised]);
    painter.drawRoundedRect(QRectF(0.5, 0.5, 27, 27), 6, 6);
    theme::paintIcon(painter, QRectF(6, 6, 16, 16), index.data(theme::IconNameRole).toString(),
                     palette[Token::TextSecondary]);
    painter.end();
    drag->setPixmap(picture);
    drag->setHotSpot(QPoint(14, 14));
    drag->exec(Qt::CopyAction);
  }

  void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override {
    if (!model()->hasChildren(index)) {
      // The row's colour reaches to the left edge.
      const bool selected = selectionModel()->isSelected(index);
      if (selected) {
        const Palette palette = Palette::of(this);
        painter->fillRect(rect, palette[hasFocus() ? Token::BgSelected : Token::BgSelectedIdle]);
      }
      return;
    }
    const QRectF box(rect.right() - 15, rect.center().y() - 6, 13, 13);
    theme::paintIcon(*painter, box,
                     isExpanded(index) ? QStringLiteral("down") : QStringLiteral("next"),
                     Palette::of(this)[Token::TextMuted]);
  }
};

}  // namespace

CatalogModel::CatalogModel(QObject* parent) : QStandardItemModel(parent) {}

void CatalogModel::show(const Catalog& catalog, const QString& query) {
  clear();
  shown_ = 0;
  // Categories by name; what has none comes last.
  QMap<std::pair<bool, QString>, QList<const Manifest*>> byCategory;
  for (const Manifest* manifest : catalog.search(query)) {
    byCategory[{manifest->category.isEmpty(), manifest->category}] << manifest;
    ++shown_;
  }
  for (auto it = byCategory.cbegin(); it != byCategory.cend(); ++it) {
    const QString name = it.key().second.isEmpty() ? tr("Other") : it.key().second;
    auto* heading = new QStandardItem(name);
    heading->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    heading->setData(name, CategoryRole);
    heading->setData(true, theme::EmphasisRole);
    heading->setData(theme::formatNoun(it->size(), tr("component"), tr("components")),
                     Qt::AccessibleDescriptionRole);
    for (const Manifest* manifest : it.value()) {
      auto* item = new QStandardItem(manifest->id + QStringLiteral("  ") + manifest->version);
      item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled);
      item->setData(manifest->id, ComponentRole);
      item->setData(manifest->flowSummary(), theme::DetailRole);
      item->setData(iconOf(manifest), theme::IconNameRole);
      item->setData(
          QStringLiteral("%1, %2. %3").arg(manifest->id, manifest->version, manifest->summary),
          Qt::AccessibleTextRole);
      item->setToolTip(
          QStringLiteral("%1\n%2\n%3").arg(manifest->summary, manifest->api, manifest->folder));
      heading->appendRow(item);
    }
    appendRow(heading);
  }
  if (query.isEmpty()) showProblems(catalog);
}

void CatalogModel::showProblems(const Catalog& catalog) {
  if (catalog.problems().empty()) return;
  auto* heading = new QStandardItem(tr("Cannot be read"));
  heading->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  heading->setData(heading->text(), CategoryRole);
  heading->setData(true, theme::EmphasisRole);
  for (const Error& problem : catalog.problems()) {
    auto* item = new QStandardItem(QFileInfo(problem.file).dir().dirName());
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    item->setData(problem.what, theme::DetailRole);
    item->setData(QStringLiteral("component"), theme::IconNameRole);
    item->setData(QVariant::fromValue(theme::State::Warning), theme::StateRole);
    item->setData(problem.file, ProblemFileRole);
    item->setData(tr("%1 cannot be read: %2").arg(item->text(), problem.message()),
                  Qt::AccessibleTextRole);
    item->setToolTip(problem.message());
    heading->appendRow(item);
  }
  appendRow(heading);
}

QStringList CatalogModel::mimeTypes() const { return {CanvasView::componentMimeType()}; }

QMimeData* CatalogModel::mimeData(const QModelIndexList& indexes) const {
  auto* data = new QMimeData;
  for (const QModelIndex& index : indexes)
    if (index.data(ComponentRole).isValid())
      data->setData(CanvasView::componentMimeType(), index.data(ComponentRole).toString().toUtf8());
  return data;
}

CatalogPane::CatalogPane(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), model_(new CatalogModel(this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(6);
  search_ = new theme::SearchField(tr("Name, tag or class"), QStringLiteral("Ctrl+F"), this);
  search_->setObjectName(QStringLiteral("catalogSearch"));
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  row->addWidget(search_);
  column->addLayout(row);
  stack_ = new QStackedWidget(this);
  column->addWidget(stack_, 1);
  view_ = new CatalogView(stack_);
  view_->setObjectName(QStringLiteral("catalogView"));
  view_->setAccessibleName(tr("Catalog of components"));
  view_->setModel(model_);
  view_->setHeaderHidden(true);
  view_->setIndentation(14);
  view_->setMouseTracking(true);
  view_->setDragEnabled(true);
  view_->setDragDropMode(QAbstractItemView::DragOnly);
  view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  view_->setItemDelegate(new theme::TwoLineDelegate(view_));
  stack_->addWidget(view_);
  empty_ = new theme::EmptyView(QString(), stack_);
  stack_->addWidget(empty_);
  needs_ = new NeedsPane(document_, stack_);
  stack_->addWidget(needs_);
  search_->setFocusTarget(view_);
  // Behind the tree: whoever knows the classes and not the components.
  compose_ = new QPushButton(theme::icon(QStringLiteral("bolt")), tr("Compose from needs"), this);
  compose_->setObjectName(QStringLiteral("composeFromNeeds"));
  compose_->setToolTip(
      tr("Say which classes you need; the catalog's components that bring them, "
         "and what those need, are proposed"));
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(8, 2, 8, 8);
  foot->addWidget(compose_);
  column->addLayout(foot);
  connect(compose_, &QPushButton::clicked, this, &CatalogPane::composeFromNeeds);
  connect(needs_, &NeedsPane::done, this, [this](const QStringList& federates) {
    compose_->show();
    refresh();
    view_->setFocus(Qt::OtherFocusReason);
    if (!federates.isEmpty()) Q_EMIT composed(federates);
  });

  connect(search_, &QLineEdit::textChanged, this, &CatalogPane::refresh);
  connect(&document_, &Document::catalogChanged, this, &CatalogPane::refresh);
  connect(empty_, &theme::EmptyView::buttonClicked, this, [this] {
    search_->clear();
    search_->setFocus();
  });
  const auto add = [this](const QModelIndex& index) {
    const QString component = index.data(CatalogModel::ComponentRole).toString();
    if (!component.isEmpty()) Q_EMIT addRequested(component);
    const QString broken = index.data(CatalogModel::ProblemFileRole).toString();
    if (!broken.isEmpty()) Q_EMIT problemRequested(broken);
  };
  connect(view_, &QTreeView::activated, this, add);
  connect(view_, &QTreeView::collapsed, this, [this](const QModelIndex& index) {
    closed_ << index.data(CatalogModel::CategoryRole).toString();
  });
  connect(view_, &QTreeView::expanded, this, [this](const QModelIndex& index) {
    closed_.remove(index.data(CatalogModel::CategoryRole).toString());
  });
  refresh();
}

void CatalogPane::composeFromNeeds() {
  search_->clear();
  stack_->setCurrentWidget(needs_);
  compose_->hide();
  needs_->begin();
}

void CatalogPane::refresh() {
  // A search leaves the needs; a catalog that was read again does not.
  if (!compose_->isVisibleTo(this) && search_->text().isEmpty() &&
      stack_->currentWidget() == needs_)
    return;
  compose_->show();
  const QString query = search_->text().trimmed();
  const QSignalBlocker keepClosed(view_);
  model_->show(document_.catalog(), query);
  for (int row = 0; row < model_->rowCount(); ++row) {
    const QModelIndex index = model_->index(row, 0);
    view_->setExpanded(
        index,
        !query.isEmpty() || !closed_.contains(index.data(CatalogModel::CategoryRole).toString()));
  }
  if (model_->rowCount() > 0) {
    stack_->setCurrentWidget(view_);
    if (!query.isEmpty()) view_->setCurrentIndex(model_->index(0, 0, model_->index(0, 0)));
  } else {
    empty_->setSentence(query.isEmpty()
                            ? tr("Components from the folders in TUTTI_CATALOG appear here.")
                            : tr("No component matches “%1”.").arg(query));
    if (!query.isEmpty()) empty_->setButton(tr("Clear search"));
    stack_->setCurrentWidget(empty_);
  }
  Q_EMIT captionChanged();
}

void CatalogPane::focusSearch() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

QString CatalogPane::caption() const {
  const auto folders = static_cast<qint64>(document_.catalog().folders().size());
  const auto components = static_cast<qint64>(document_.catalog().components().size());
  const auto broken = document_.catalog().problems().size();
  const QString all = tr("%1 in %2")
                          .arg(components)
                          .arg(theme::formatNoun(folders, tr("folder"), tr("folders")));
  return broken == 0 ? all : tr("%1, %2 broken").arg(all).arg(broken);
}

}  // namespace tutti::composer
