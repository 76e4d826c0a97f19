// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "composer/model/document.h"
#include "composer/ui/auto_layout.h"
#include "composer/ui/selection.h"
#include "resources/theme/workspace.h"

class QLabel;
class QMenu;
class QToolButton;

namespace tutti::theme {
class EmptyView;
class ProgressLine;
class SegmentedControl;
class StatePill;
}  // namespace tutti::theme

namespace tutti::composer {

class CanvasScene;
class CanvasView;
class CatalogPane;
class OutlinePane;
class ProblemsPane;
class PropertyPanel;

/// The Compose page: catalog and outline at the left, canvas with its tools, problems below,
/// properties at the right; all over one document and one selection.
class ComposeWorkspace : public theme::Workspace {
  Q_OBJECT
 public:
  /// `document` outlives the page.
  explicit ComposeWorkspace(Document& document, QWidget* parent = nullptr);
  ~ComposeWorkspace() override;

  QString commandLine() const override;
  QStringList statusNotes() const override;
  QUndoStack* undoStack() const override;
  void provideFinds(QList<theme::FindEntry>& into) const override;
  QHash<QString, QList<QAction*>> menuActions() const override;
  void focusFilter() override;
  void setActive(bool active) override;
  void showNextProblem(int direction) override;
  /// A federate by id or name, or a fully qualified class.
  void showItem(const QString& item) override;

  Selection& selection() { return selection_; }
  CanvasView* canvas() const { return view_; }
  CanvasScene* scene() const { return scene_; }
  CatalogPane* catalog() const { return catalog_; }
  OutlinePane* outline() const { return outline_; }
  ProblemsPane* problems() const { return problems_; }
  PropertyPanel* properties() const { return properties_; }
  AutoLayout& layouter() { return layout_; }

  /// Adds one of a component at a free place in the middle of the view and selects it.
  QString addComponent(const QString& component);
  void tidyUp();

 Q_SIGNALS:
  /// The menu of selected boxes is about to open; whoever can do more with them adds that.
  void menuAboutToShow(QMenu* menu, const QStringList& federateIds);

 private:
  void buildCanvas();
  void buildPanes();
  void buildActions();
  void updateActions();
  void updateProblemsTitle();
  void updateTitles();
  void updateEmptyCanvas();
  /// In the program that the desktop has for it.
  static void openInEditor(const QString& file);
  void reveal(const QString& federateId, const QString& parameter = {});
  void alignLeft();
  void groupSelected();
  void renameSelected();
  void removeSelected();
  void toggleEnabled();
  void duplicateSelected();
  void showMenu(const QPoint& at);
  /// Shows all of the canvas once its content is in place.
  void fitIfPending();
  void askAndExport();
  void placeAll(const QHash<QString, QPointF>& positions);

  Document& document_;
  Selection selection_;
  AutoLayout layout_;
  CanvasScene* scene_;
  CanvasView* view_;
  CatalogPane* catalog_;
  OutlinePane* outline_;
  ProblemsPane* problems_;
  PropertyPanel* properties_;
  theme::EmptyView* empty_;
  theme::ProgressLine* tidying_;
  QDockWidget* catalogDock_;
  QDockWidget* outlineDock_;
  QDockWidget* problemsDock_;
  QDockWidget* propertiesDock_;

  QAction* add_;
  QAction* needs_;
  QAction* remove_;
  QAction* rename_;
  QAction* enable_;
  QAction* group_;
  QAction* ungroup_;
  QAction* collapseAll_;
  QAction* expandAll_;
  QAction* align_;
  QAction* tidy_;
  QAction* duplicate_;
  QAction* copy_;
  QAction* paste_;
  QAction* fit_;
  QAction* actualSize_;
  QAction* minimap_;
  QAction* export_;
  QToolButton* undoButton_;
  QToolButton* redoButton_;
  QLabel* zoomText_;
  theme::StatePill* errors_;
  theme::StatePill* warnings_;
  theme::StatePill* infos_;
  bool fitPending_ = true;
};

}  // namespace tutti::composer
