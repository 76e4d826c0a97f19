// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the Object model page that have a page of their own.
#include <QStackedWidget>
#include <QVBoxLayout>

#include "fom-editor/ui/glyph_box.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/notes_page.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/services_page.h"
#include "fom-editor/ui/sharing_page.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

void ObjectModelWorkspace::buildModulePages() {
  OpenModules& modules = editing_->modules();
  glyph_ = new GlyphBox(*rows_, modules, glyphPlace_->parentWidget());
  glyphPlace_->addWidget(glyph_);
  connect(glyph_, &GlyphBox::failed, this, &Workspace::failed);
  modulePages_.insert(ItemKind::Sharing, new SharingPage(*rows_, modules, stack_));
  modulePages_.insert(ItemKind::Services, new ServicesPage(*rows_, modules, stack_));
  modulePages_.insert(ItemKind::Notes, new NotesPage(*rows_, modules, stack_));
  for (ModulePage* page : std::as_const(modulePages_)) {
    stack_->addWidget(page);
    connect(page, &ModulePage::itemActivated, this, &ObjectModelWorkspace::showItem);
    connect(page, &ModulePage::placeActivated, this, &ObjectModelWorkspace::showSource);
  }
  // What a module has besides the model does not wait for the model to be read.
  connect(&modules, &OpenModules::changed, this, [this] {
    ModulePage* page = modulePage();
    if (page != nullptr && item_.kind != ItemKind::Sharing) page->update();
    glyph_->update();
  });
}

void ObjectModelWorkspace::showGlyph() {
  const bool ofModule = item_.kind == ItemKind::Module && views_->currentIndex() == MembersView;
  glyph_->showModule(
      ofModule ? editing_->modules().indexOf(text(loaded_.model->modules()[item_.id - 1].file))
               : -1);
}

ModulePage* ObjectModelWorkspace::modulePage() const {
  return modulePages_.value(item_.kind, nullptr);
}

void ObjectModelWorkspace::showModulePage(ModulePage* page) {
  page->setModel(loaded_.model);
  stack_->setCurrentWidget(page);
}

}  // namespace tutti::fomedit
