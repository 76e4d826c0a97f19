// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/module_page.h"

#include <QComboBox>
#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

#include "fom-editor/model/open_modules.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/theme.h"

namespace tutti::fomedit {

ModuleTree::ModuleTree(const QString& name, QWidget* parent) : QTreeView(parent) {
  setObjectName(name);
  setFrameShape(QFrame::NoFrame);
  setUniformRowHeights(true);
  setIndentation(16);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setExpandsOnDoubleClick(false);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setContextMenuPolicy(Qt::CustomContextMenu);
  header()->setSectionsMovable(false);
  header()->setStretchLastSection(false);
}

void ModuleTree::drawBranches(QPainter* painter, const QRect& rect,
                              const QModelIndex& index) const {
  paintBranch(*this, painter, rect, index);
}

ModulePage::ModulePage(const QString& name, RowEditor& rows, OpenModules& modules, bool all,
                       QWidget* parent)
    : QWidget(parent), rows_(rows), modules_(modules), all_(all) {
  setObjectName(name + QStringLiteral("Page"));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  // What is not shown takes no room of the panes beside it.
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  column_ = new QVBoxLayout(this);
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(0);
  auto* bar = new QFrame(this);
  bar->setProperty("role", QByteArray("bar"));
  bar->setFixedHeight(theme::height::kTool);
  bar_ = new QHBoxLayout(bar);
  bar_->setContentsMargins(12, 0, 12, 0);
  bar_->setSpacing(8);
  chooser_ = new QComboBox(bar);
  chooser_->setObjectName(name + QStringLiteral("Modules"));
  chooser_->setAccessibleName(tr("Module"));
  chooser_->setProperty("dense", true);
  chooser_->setMinimumContentsLength(8);
  chooser_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  chooser_->setMaximumWidth(200);
  bar_->addWidget(chooser_);
  column_->addWidget(bar);
  connect(chooser_, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (filling_) return;
    chosen_ = chooser_->itemData(index).toString();
    refresh();
  });
}

void ModulePage::setModel(std::shared_ptr<const omt::ObjectModel> model) {
  model_ = std::move(model);
  update();
}

void ModulePage::update() {
  fillModules();
  refresh();
}

void ModulePage::showModule(const QString& path) {
  if (modules_.indexOf(path) < 0 || path == chosen_) return;
  chosen_ = path;
  update();
}

void ModulePage::fillModules() {
  if (!chosen_.isEmpty() && modules_.indexOf(chosen_) < 0) chosen_.clear();
  if (chosen_.isEmpty() && !all_ && modules_.count() > 0) {
    chosen_ = modules_.path(std::max(0, firstModule()));
  }
  QStringList paths = modules_.paths();
  if (all_) paths.prepend(QString());
  QStringList before;
  for (int i = 0; i < chooser_->count(); ++i) before << chooser_->itemData(i).toString();
  filling_ = true;
  if (paths != before) {
    chooser_->clear();
    for (const QString& path : std::as_const(paths)) {
      chooser_->addItem(path.isEmpty() ? tr("All modules") : QFileInfo(path).fileName(), path);
      chooser_->setItemData(chooser_->count() - 1, path, Qt::ToolTipRole);
    }
  }
  chooser_->setCurrentIndex(static_cast<int>(paths.indexOf(chosen_)));
  filling_ = false;
}

int ModulePage::module() const { return chosen_.isEmpty() ? -1 : modules_.indexOf(chosen_); }

}  // namespace tutti::fomedit
