// SPDX-License-Identifier: GPL-3.0-or-later
// The object model beside another version of it.
#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QStackedWidget>
#include <QTimer>

#include "fom-editor/model/difference_command.h"
#include "fom-editor/ui/comparison_page.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "resources/theme/exporter.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/progress_line.h"

namespace tutti::fomedit {

void ObjectModelWorkspace::buildComparison() {
  compareAction_ = new QAction(theme::icon(QStringLiteral("layout")), tr("Compare with…"), this);
  compareAction_->setObjectName(QStringLiteral("compareModels"));
  compareAction_->setToolTip(tr("Compare with another version of these modules"));
  compareAction_->setEnabled(false);
  connect(compareAction_, &QAction::triggered, this, &ObjectModelWorkspace::chooseComparison);
  connect(comparer_, &ModelComparer::compared, this, &ObjectModelWorkspace::showComparison);
}

void ObjectModelWorkspace::buildComparisonPage() {
  comparison_ = new ComparisonPage(this);
  pageStack_->addWidget(comparison_);
  connect(comparison_, &ComparisonPage::closed, this, &ObjectModelWorkspace::closeComparison);
  connect(comparison_, &ComparisonPage::swapRequested, this, [this] {
    ComparisonRequest request = comparison_->comparison()->request;
    std::swap(request.before, request.after);
    std::swap(request.beforeTexts, request.afterTexts);
    compare(request);
  });
  connect(comparison_, &ComparisonPage::renameRefused, this,
          [this](const QString& before, const QString& after) {
            ComparisonRequest request = comparison_->comparison()->request;
            request.options.matching.refused.append({before, after});
            compare(request);
          });
  connect(comparison_, &ComparisonPage::exportRequested, this, [this] {
    const DifferenceReport& report = comparison_->comparison()->report;
    theme::exportAsked(*this, tr("The report"),
                       theme::fileNameOf({QFileInfo(report.before).baseName(),
                                          QFileInfo(report.after).baseName(), tr("differences")}) +
                           QStringLiteral(".html"),
                       tr("Web page (*.html);;JSON (*.json)"),
                       [this](const QString& path) { return exportComparison(path); });
  });
}

void ObjectModelWorkspace::chooseComparison() {
  const QStringList files = QFileDialog::getOpenFileNames(
      this, tr("Compare with these modules"),
      loaded_.paths.isEmpty() ? QString() : QFileInfo(loaded_.paths.front()).path(),
      tr("FOM modules (*.xml);;All files (*)"));
  if (!files.isEmpty()) compareWith(files);
}

void ObjectModelWorkspace::compareWith(const QStringList& paths) {
  ComparisonRequest request;
  request.before = loaded_.paths;
  request.after = paths;
  // As the page shows them.
  request.beforeTexts = editing_->modules().texts();
  if (usage_ && !shownByHand_) request.components = componentUses();
  compare(request);
}

void ObjectModelWorkspace::compare(const ComparisonRequest& request) {
  reading_->setProgress(tr("Comparing %1")
                            .arg(theme::formatNoun(static_cast<int>(request.after.size()),
                                                   tr("module"), tr("modules"))));
  comparer_->compare(request);
}

/// What the components of the composition publish and subscribe.
QList<ComponentUse> ObjectModelWorkspace::componentUses() const {
  QList<ComponentUse> uses;
  QHash<QString, qsizetype> byName;
  const auto add = [&](const QString& className, bool isObject) {
    for (const Usage& usage : usage_->usages(className, isObject)) {
      // A class is also used by whoever names a superclass; there it is told once.
      if (usage.asClass != className) continue;
      const QString name = usage.component.isEmpty() ? usage.federate : usage.component;
      if (!byName.contains(name)) {
        byName.insert(name, uses.size());
        uses.append({name, {}, {}});
      }
      ComponentUse::Interest interest{className, isObject, usage.members,
                                      usage.kind == Usage::Kind::Publishes};
      QList<ComponentUse::Interest>& all = uses[byName.value(name)].interests;
      const bool there = std::any_of(all.begin(), all.end(), [&](const auto& other) {
        return other.className == className && other.publishes == interest.publishes &&
               other.attributes == interest.attributes;
      });
      if (!there) all.append(interest);
    }
  };
  for (const omt::ObjectClass& c : loaded_.model->objectClasses()) add(text(c.fullName), true);
  for (const omt::InteractionClass& c : loaded_.model->interactionClasses()) {
    add(text(c.fullName), false);
  }
  return uses;
}

void ObjectModelWorkspace::showComparison(const std::shared_ptr<const Comparison>& comparison) {
  reading_->setProgress({});
  if (!comparison->fault.isEmpty()) {
    Q_EMIT failed(tr("These modules cannot be compared."), comparison->fault);
    return;
  }
  if (comparison_ == nullptr) buildComparisonPage();
  comparison_->showComparison(comparison);
  closeMerge();
  if (!comparing_) {
    comparing_ = true;
    setPanesAside(true);
    pageStack_->setCurrentWidget(comparison_);
    comparison_->focusTree();
  }
  Q_EMIT commandLineChanged();
  Q_EMIT statusNotesChanged();
  Q_EMIT comparisonShown();
}

void ObjectModelWorkspace::closeComparison() {
  if (!comparing_) return;
  comparing_ = false;
  pageStack_->setCurrentIndex(loaded_.paths.isEmpty() ? 0 : 1);
  setPanesAside(false);
  Q_EMIT commandLineChanged();
  Q_EMIT statusNotesChanged();
}

tl::expected<void, QString> ObjectModelWorkspace::exportComparison(const QString& path) const {
  if (comparison_ == nullptr) return tl::unexpected(tr("Nothing is compared."));
  const DifferenceReport& report = comparison_->comparison()->report;
  const bool json = path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive);
  return theme::exportText(QString::fromUtf8(json ? toJson(report) : toHtml(report)), path);
}

}  // namespace tutti::fomedit
