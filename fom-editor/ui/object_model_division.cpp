// SPDX-License-Identifier: GPL-3.0-or-later
// The Object model page: modules merged to one file, and classes extracted into a new module.
#include <QAction>
#include <QFileInfo>
#include <QItemSelectionModel>
#include <utility>

#include "fom-editor/model/module_edits.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/ui/extract_dialog.h"
#include "fom-editor/ui/join_dialog.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/icons.h"

namespace tutti::fomedit {

namespace {

/// "SOM" or "FOM".
QString typeOf(const OpenModules& modules, const QString& path) {
  const ModuleSource* source = modules.source(modules.indexOf(path));
  if (source == nullptr) return QStringLiteral("FOM");
  const ElementId identification = source->child(ModuleSource::root(), "modelIdentification");
  const bool isSom = identification != noElement &&
                     text(cellOf(*source, identification, "type").value_or(""))
                             .trimmed()
                             .compare(QStringLiteral("SOM"), Qt::CaseInsensitive) == 0;
  return isSom ? QStringLiteral("SOM") : QStringLiteral("FOM");
}

}  // namespace

void ObjectModelWorkspace::buildDivision() {
  joinAction_ =
      new QAction(theme::icon(QStringLiteral("import")), tr("Merge modules into one file…"), this);
  joinAction_->setObjectName(QStringLiteral("joinModules"));
  joinAction_->setToolTip(tr("Write what the modules give together as one module"));
  joinAction_->setEnabled(false);
  connect(joinAction_, &QAction::triggered, this, &ObjectModelWorkspace::askToJoin);
  extractAction_ =
      new QAction(theme::icon(QStringLiteral("export")), tr("Extract into a new module…"), this);
  extractAction_->setObjectName(QStringLiteral("extractClasses"));
  extractAction_->setToolTip(tr("Put the selected classes into a module of their own"));
  extractAction_->setEnabled(false);
  connect(extractAction_, &QAction::triggered, this, &ObjectModelWorkspace::askToExtract);
}

/// The classes that are selected in the tree, else the shown one.
QList<Item> ObjectModelWorkspace::selectedClasses() const {
  QList<Item> classes;
  for (const QModelIndex& index : outlineView_->selectionModel()->selectedIndexes()) {
    const Item item = outline_->item(filter_->mapToSource(index));
    if (isClass(item)) classes << item;
  }
  if (classes.isEmpty() && isClass(item_)) classes << item_;
  return classes;
}

void ObjectModelWorkspace::askToExtract() {
  if (!commitCell() || !loaded_.model) return;
  const QString title = tr("Nothing was extracted");
  const omt::ObjectModel& m = *loaded_.model;
  ExtractionRequest request;
  QString file;
  const QList<Item> classes = selectedClasses();
  for (const Item& item : classes) {
    const omt::SourceLocation where = itemPlace(m, item);
    const QString of = text(m.fileOf(where));
    const bool isObject = item.kind == ItemKind::ObjectClass;
    const std::string& name =
        isObject ? m.objectClass(item.id)->fullName : m.interactionClass(item.id)->fullName;
    if (m.modules()[where.module].isMim) {
      Q_EMIT failed(
          title,
          tr("%1 is of the standard MIM. Choose classes of your modules.").arg(itemName(m, item)));
      return;
    }
    if (!file.isEmpty() && file != of) {
      Q_EMIT failed(
          title, tr("%1 is in %2, other chosen classes are in %3. Choose classes of one "
                    "module.")
                     .arg(itemName(m, item), QFileInfo(of).fileName(), QFileInfo(file).fileName()));
      return;
    }
    file = of;
    request.classes.push_back({isObject, name});
  }
  if (classes.isEmpty()) {
    Q_EMIT failed(title, tr("Choose classes in the tree first."));
    return;
  }
  const OpenModules& modules = editing_->modules();
  const int module = modules.indexOf(file);
  if (const QString why = modules.readOnlyReason(module); !why.isEmpty()) {
    Q_EMIT failed(title, tr("%1 cannot be edited. %2").arg(QFileInfo(file).fileName(), why));
    return;
  }
  for (const ModuleDependencies& other : loaded_.dependencies->modules) {
    if (other.file == file) continue;
    if (const ModuleBytes bytes = modules.bytes(modules.indexOf(other.file))) {
      request.others.push_back({other.file.toStdString(), bytes});
    }
    for (const ModuleNeed& need : other.needs) {
      request.usedElsewhere.emplace(need.kind, need.name.toStdString());
    }
  }
  auto* dialog = new ExtractDialog(file, modules.bytes(module), std::move(request), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, file] {
    if (dialog->result()) beginExtraction(file, dialog->bytes(), dialog->file(), *dialog->result());
  });
  dialog->open();
}

/// Writes the new module, still empty. Its content is an edit like that of the old one, which is
/// made as soon as both are open.
void ObjectModelWorkspace::beginExtraction(const QString& file, const ModuleBytes& bytes,
                                           const QString& into, const Extraction& extraction) {
  if (extraction_.extraction) {
    Q_EMIT failed(tr("Nothing was extracted"),
                  tr("%1 is still being written. Extract these classes when it is shown.")
                      .arg(QFileInfo(extraction_.into).fileName()));
    return;
  }
  extraction_ = {file, into, bytes, std::make_shared<const Extraction>(extraction), false};
  const auto drop = [this](const QString& why) {
    extraction_ = {};
    Q_EMIT failed(tr("Nothing was extracted"), why);
  };
  const QString type = typeOf(editing_->modules(), file);
  if (const auto made = editing_->createModule({into, type, false}, drop); !made) {
    drop(made.error());
  }
}

/// The new module is written, and stays without classes.
void ObjectModelWorkspace::dropExtraction(const QString& why) {
  const PendingExtraction pending = std::exchange(extraction_, {});
  Q_EMIT failed(
      tr("Nothing was extracted"),
      tr("%1 %2 is a module without classes now.").arg(why, QFileInfo(pending.into).fileName()));
}

void ObjectModelWorkspace::continueExtraction() {
  if (!extraction_.extraction) return;
  OpenModules& modules = editing_->modules();
  const int from = modules.indexOf(extraction_.from);
  const int into = modules.indexOf(extraction_.into);
  if (!extraction_.created) return;
  if (into < 0) return dropExtraction(tr("Other modules were opened meanwhile."));
  const PendingExtraction pending = extraction_;
  const auto fault = [this](const QString& why) { dropExtraction(why); };
  const ModuleSource* target = modules.source(into);
  const ModuleBytes now = modules.bytes(from);
  if (from < 0 || !now || *now != *pending.bytes) {
    return fault(tr("%1 was changed meanwhile.").arg(QFileInfo(pending.from).fileName()));
  }
  if (target == nullptr) return fault(modules.readOnlyReason(into));
  const std::vector<ExtractedRow>& moved = pending.extraction->moved;
  const QString first = text(moved.front().name);
  ModelEdit edit;
  edit.label =
      tr("extract %1 into %2").arg(first.section(u'.', -1), QFileInfo(pending.into).fileName());
  edit.changes.emplace_back(from, pending.extraction->changes);
  edit.changes.emplace_back(into, Splices{{0, target->text().size(), pending.extraction->text}});
  edit.item = (moved.front().kind == "object class" ? QStringLiteral("object:")
                                                    : QStringLiteral("interaction:")) +
              first;
  edit.move = ModelEdit::Move{from, into};
  if (const auto done = modules.apply(edit); !done) return fault(done.error());
  extraction_ = {};
  Q_EMIT this->done(tr("Extracted into %1; both modules wait to be saved")
                        .arg(QFileInfo(pending.into).fileName()));
}

void ObjectModelWorkspace::askToJoin() {
  if (!commitCell() || loaded_.paths.isEmpty()) return;
  QStringList merged;
  for (const ModuleStatus& module : std::as_const(loaded_.modules)) {
    if (!module.isMim && module.merged) merged << module.path;
  }
  if (merged.isEmpty()) {
    Q_EMIT failed(tr("There is nothing to merge"),
                  tr("No module can be read. The pane Checks says what is wrong."));
    return;
  }
  ModuleTexts texts;
  const OpenModules& modules = editing_->modules();
  for (const QString& path : std::as_const(merged)) {
    const ModuleBytes bytes = modules.bytes(modules.indexOf(path));
    if (bytes) texts.insert(path, bytes);
  }
  auto* dialog = new JoinDialog(merged, texts, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

}  // namespace tutti::fomedit
