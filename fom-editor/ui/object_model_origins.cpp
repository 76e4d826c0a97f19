// SPDX-License-Identifier: GPL-3.0-or-later
// The Object model page: which modules its items come from, and contradictions between modules.
#include <QAction>
#include <QMenu>
#include <QStackedWidget>

#include "fom-editor/model/item_origins.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/ui/declaration_pair.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/source_view.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

void ObjectModelWorkspace::buildOrigins() {
  showModulesAction_ =
      new QAction(theme::icon(QStringLiteral("document")), tr("Show modules in the tree"), this);
  showModulesAction_->setObjectName(QStringLiteral("showModulesInTree"));
  showModulesAction_->setToolTip(tr("Show in the tree which module each class comes from"));
  showModulesAction_->setCheckable(true);
  connect(showModulesAction_, &QAction::toggled, outline_, &OutlineModel::setShowsModules);
}

void ObjectModelWorkspace::showOriginCount() {
  const auto origins = originsOf(*loaded_.model, *loaded_.dependencies, item_);
  origins_->setVisible(origins.size() > 1);
  if (origins.size() < 2) return;
  origins_->setText(tr("in %1 modules").arg(origins.size()));
  QStringList lines;
  for (const Origin& origin : origins) {
    lines << (origin.defines ? tr("%1 defines it") : tr("%1 names it"))
                 .arg(placeText(origin.file, origin.line));
  }
  origins_->setToolTip(lines.join(u'\n'));
  origins_->setAccessibleName(origins_->text() + QStringLiteral(": ") +
                              lines.join(QStringLiteral(", ")));
  origins_->updateGeometry();
}

void ObjectModelWorkspace::chooseOrigin() {
  if (!loaded_.model) return;
  QMenu menu(this);
  menu.setObjectName(QStringLiteral("originsMenu"));
  for (const Origin& origin : originsOf(*loaded_.model, *loaded_.dependencies, item_)) {
    QString place = placeText(origin.file, origin.line);
    place.replace(u'&', QStringLiteral("&&"));
    QAction* go =
        menu.addAction((origin.defines ? tr("%1 defines it") : tr("%1 names it")).arg(place));
    connect(go, &QAction::triggered, this,
            [this, origin] { showSource(origin.file, origin.line); });
  }
  menu.exec(origins_->mapToGlobal(QPoint(0, origins_->height() + 2)));
}

void ObjectModelWorkspace::showDeclarations(const Finding& finding) {
  if (declarations_ == nullptr) {
    declarations_ = new DeclarationPair(stack_);
    declarations_->setObjectName(QStringLiteral("declarations"));
    declarations_->setProvider([this](const QString& file) { return sourceOf(file); });
    connect(declarations_, &DeclarationPair::placeChosen, this, &ObjectModelWorkspace::showSource);
    connect(declarations_, &DeclarationPair::closed, this, &ObjectModelWorkspace::fillCentre);
    stack_->addWidget(declarations_);
  }
  declarations_->showFinding(finding);
  pageStack_->setCurrentIndex(1);
  stack_->setCurrentWidget(declarations_);
}

}  // namespace tutti::fomedit
