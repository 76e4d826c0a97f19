// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QPointer>
#include <QSet>
#include <QStringList>
#include <optional>
#include <tl/expected.hpp>

#include "fom-editor/model/item.h"
#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/model_comparer.h"
#include "fom-editor/model/usage_provider.h"
#include "resources/theme/workspace.h"

class QAction;
class QHBoxLayout;
class QLabel;
class QListView;
class QPushButton;
class QStackedWidget;
class QToolButton;
class QTreeView;
class QVBoxLayout;

namespace tutti::theme {
class EmptyView;
class ProgressLine;
class SearchField;
class SegmentedControl;
}  // namespace tutti::theme

namespace tutti::fomedit {

class ComparisonPage;
class DataTypePanel;
class DeclarationPair;
class DependencyView;
class ElidedText;
class FindingModel;
class GlyphBox;
class LevelCard;
class ModelComparer;
class ModelLoader;
class ModuleEditing;
class MergePage;
class MergeSession;
class ModuleListModel;
class ModulePage;
class ModuleProject;
class OutlineFilter;
class OutlineModel;
class OutlineView;
class PlaceButton;
class RowEditor;
class SourceView;
struct Extraction;
struct Fact;
struct SourceText;
struct Table;
class TableModel;
class TableView;

/// The Object model page: the modules of the composition as one model, to read and to edit.
/// Modules, classes and datatypes at the left, the selected one in the centre, its datatype at the
/// right, findings below. What it shows is the modules as they are edited; files change on Save.
class ObjectModelWorkspace : public theme::Workspace {
  Q_OBJECT
 public:
  explicit ObjectModelWorkspace(QWidget* parent = nullptr);
  ~ObjectModelWorkspace() override;

  /// Shows these modules. Reads them in a worker; call it again when files or the list change.
  /// Until the person goes back to the composition, modules opened by hand stay shown.
  void setModules(const QStringList& paths);
  /// Shows modules that are not the composition's.
  void openModules(const QStringList& paths);
  /// Shows the modules of a folder that take part in one model. Looks for them in a worker.
  void openFolder(const QString& folder);
  /// Back to what setModules() gave.
  void closeOpenedModules();
  /// Shows how these modules (B) differ from those that the page shows (A). Reads them in a worker.
  void compareWith(const QStringList& paths);
  /// Back to the object model.
  void closeComparison();
  bool isComparing() const { return comparing_; }
  /// Asks for three versions of a module to merge, or shows the merge that was begun. `ours` may be
  /// empty.
  void askForMerge(const QString& ours = {});
  /// Merges; where they can be read, their conflicts are shown.
  void mergeVersions(const QString& base, const QString& ours, const QString& theirs);
  /// Back to the object model; what was chosen stays for askForMerge().
  void closeMerge();
  bool isMerging() const { return merging_; }
  /// Null until something was merged.
  MergeSession* merge() const { return merge_; }
  /// Writes the result of a merge into a file. mergeSaved() or failed() tells what became of it.
  void saveMerge(const QString& path);
  /// Writes the report of the comparison: as JSON where the path ends so, else as a page.
  tl::expected<void, QString> exportComparison(const QString& path) const;
  /// Tells who uses a class; not owned, may be null or die first.
  void setUsageProvider(UsageProvider* provider);

  const LoadedModel& loadedModel() const { return loaded_; }
  /// The modules open for editing.
  ModuleEditing& editing() { return *editing_; }
  /// The folder that is open, and which of its modules take part.
  ModuleProject& project() { return *project_; }
  bool isLoading() const;
  /// Asks about unsaved edits of the composition's modules before it runs; false: not now.
  bool mayRun();
  /// itemPath() of what is shown; empty where nothing is.
  QString currentItem() const;
  /// Writes the shown table; false with `error` where the file cannot be written.
  bool exportTable(const QString& path, QString* error = nullptr) const;
  /// Writes the model as it is shown as pages for a browser.
  tl::expected<void, QString> exportPages(const QString& folder) const;

  QString commandLine() const override;
  QStringList statusNotes() const override;
  void provideFinds(QList<theme::FindEntry>& into) const override;
  QHash<QString, QList<QAction*>> menuActions() const override;
  void focusFilter() override;
  void showNextProblem(int direction) override;
  QUndoStack* undoStack() const override;
  bool hasUnsavedEdits() const override;
  bool saveEdits() override;
  bool mayDiscardEdits() override;
  QList<theme::RunTrouble> notices() const override;

 public Q_SLOTS:
  void showItem(const QString& item) override;

 Q_SIGNALS:
  /// A model is shown.
  void modelShown();
  /// A comparison is shown.
  void comparisonShown();
  /// The versions of a merge were read, or could not be.
  void mergeShown();
  void mergeSaved(const QString& path);
  /// The file of a module has its edits now.
  void moduleSaved(const QString& path);
  /// A new module was written that the composition could have.
  void moduleCreated(const QString& path);

 protected:
  void showEvent(QShowEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  enum View { MembersView, UsesView, SourceTab };

  void buildCentre();
  void buildModules();
  void buildDependencies();
  void buildClasses();
  void showDependencies();
  void buildChecks();
  void load(const QStringList& paths);
  void buildOrigins();
  void showOriginCount();
  void chooseOrigin();
  void showDeclarations(const Finding& finding);
  void buildDivision();
  void askToJoin();
  QList<Item> selectedClasses() const;
  void askToExtract();
  void beginExtraction(const QString& file, const ModuleBytes& bytes, const QString& into,
                       const Extraction& extraction);
  void continueExtraction();
  void dropExtraction(const QString& why);
  void showNeeds();
  void buildProject();
  void chooseFolder();
  QStringList projectPaths() const;
  void switchModule(const QString& path, bool takesPart);
  QList<ModuleStatus> moduleRows() const;
  void listModules();
  void showModuleNote();
  void buildEditing();
  void buildRowEditing();
  void buildAddButton(QWidget* bar, QHBoxLayout* row);
  void showAddButton();
  void showGlyph();
  void buildModulePages();
  ModulePage* modulePage() const;
  void showModulePage(ModulePage* page);
  void makeFactEditable(QWidget* value, const Fact& fact);
  QWidget* buildHistory(QWidget* parent);
  QWidget* buildSaving(QWidget* parent);
  void checkEdited();
  void adopt(const LoadedModel& loaded);
  void show(const LoadedModel& loaded);
  void fill(const LoadedModel& loaded);
  Item itemAfter(const LoadedModel& loaded, const QString& before) const;
  void showEdits();
  void showModulesCaption();
  SourceText sourceOf(const QString& file);
  void showModuleMenu(const QPoint& at);
  void chooseNewModule();
  bool mayReplace(const QString& path, const QString& what);
  void addNewModule(const QString& path);
  void compareWithFiles(const QStringList& paths);
  void select(const Item& item, bool remember = true);
  void fillCentre();
  Table shownTable() const;
  bool isCellEdited() const;
  bool commitCell();
  void fitModules();
  void fillFacts();
  void fillChecks();
  void applyFilter(const QString& text);
  void expandDefaults();
  void restoreExpanded();
  void chooseMatch();
  void rememberItem();
  void chooseRow(const QString& member);
  QString currentMember() const;
  void selectInOutline(const Item& item);
  void showSource(const QString& file, int line);
  void goHistory(int direction);
  void updateHistoryButtons();
  void chooseModules();
  void chooseExport();
  void activateFinding(const QModelIndex& index, bool source);
  void applyFix(const QModelIndex& index);
  void choosePages();
  QString viewTitle(int view) const;
  void cancelReading();
  void buildComparison();
  void buildComparisonPage();
  void chooseComparison();
  void compare(const ComparisonRequest& request);
  void showComparison(const std::shared_ptr<const Comparison>& comparison);
  QList<ComponentUse> componentUses() const;
  void buildMerge();
  void buildMergePage();
  void showMergePage();
  void saveMergeOver();
  void noteMergeSaved(const QString& path);
  void chooseMergeFile();
  QString mergeCommandLine() const;
  void provideMergeFinds(QList<theme::FindEntry>& into) const;
  /// Whether a comparison or a merge is in the place of the object model.
  bool isAside() const { return comparing_ || merging_; }
  void buildNewComponent();
  void askForComponent();

  ModuleEditing* editing_;
  RowEditor* rows_ = nullptr;
  ModuleProject* project_ = nullptr;
  ModelLoader* loader_;
  ModelComparer* comparer_;
  ComparisonPage* comparison_ = nullptr;  ///< made when something is compared
  bool comparing_ = false;                ///< the comparison is what is shown
  MergeSession* merge_ = nullptr;         ///< made when something is merged
  MergePage* mergePage_ = nullptr;        ///< of merge_
  QString mergeBeingSaved_;               ///< over the open module, by a worker
  bool merging_ = false;                  ///< the merge is what is shown
  LoadedModel loaded_;
  QPointer<UsageProvider> usage_;
  QStringList compositionPaths_;
  QStringList requestedPaths_;                   ///< of the latest load
  ModuleTexts requestedTexts_;                   ///< the edited ones of it
  QHash<QString, ModuleBytes> requestedOnDisk_;  ///< what their files held then
  std::optional<LoadedModel> waiting_;  ///< until the person has left the cell that is edited
  bool usageWaits_ = false;             ///< the same of how the model is used
  bool adopting_ = false;               ///< the modules become those that were loaded
  QString itemToShow_;                  ///< of an edit, as soon as the model has it
  /// An extraction whose new module is not open yet.
  struct PendingExtraction {
    QString from;
    QString into;
    ModuleBytes bytes;  ///< of the old module, when the extraction was worked out
    std::shared_ptr<const Extraction> extraction;  ///< null: none waits
    bool created = false;                          ///< the new module is written, and asked for
  };
  PendingExtraction extraction_;
  QStringList beside_;  ///< new modules beside those of the open folder
  bool openedByHand_ = false;
  bool shownByHand_ = false;  ///< what is on the screen was opened by hand

  Item item_;
  QStringList history_;  ///< item paths
  QStringList rights_;   ///< of each module why it cannot be edited
  int historyAt_ = -1;
  QSet<QString> expanded_;  ///< item paths
  bool filtering_ = false;
  bool previewing_ = false;  ///< the shown item is only the best match so far
  QString beforeFilter_;     ///< itemPath() of what was shown
  bool filling_ = false;
  bool refreshing_ = false;  ///< the same item is shown as it is now

  ModuleListModel* modules_;
  OutlineModel* outline_;
  OutlineFilter* filter_;
  TableModel* table_;
  FindingModel* findings_;

  QListView* moduleView_ = nullptr;
  /// Why the current module is not part of the model, else what of the folder was not looked at.
  ElidedText* moduleNote_ = nullptr;
  OutlineView* outlineView_ = nullptr;
  QLabel* noMatch_ = nullptr;
  theme::SearchField* search_ = nullptr;
  TableView* tableView_ = nullptr;
  SourceView* source_ = nullptr;
  ModuleBytes sourceBytes_, sourceOnDisk_;  ///< what sourceText_ was made of
  std::shared_ptr<const SourceText> sourceText_;
  theme::EmptyView* empty_ = nullptr;
  theme::EmptyView* tableEmpty_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  QStackedWidget* pageStack_ = nullptr;
  QWidget* savingBar_ = nullptr;
  QLabel* undoLabel_ = nullptr;
  QToolButton* back_ = nullptr;
  QToolButton* forward_ = nullptr;
  QLabel* crumbs_ = nullptr;
  QLabel* name_ = nullptr;
  PlaceButton* place_ = nullptr;
  QPushButton* addMember_ = nullptr;
  GlyphBox* glyph_ = nullptr;
  QVBoxLayout* glyphPlace_ = nullptr;
  PlaceButton* origins_ = nullptr;           ///< where several modules have the item
  DeclarationPair* declarations_ = nullptr;  ///< made when a contradiction is shown
  theme::SegmentedControl* views_ = nullptr;
  QWidget* factsBar_ = nullptr;
  QHBoxLayout* facts_ = nullptr;
  ElidedText* semantics_ = nullptr;
  QWidget* semanticsBox_ = nullptr;
  DataTypePanel* dataType_ = nullptr;
  QHash<ItemKind, ModulePage*> modulePages_;  ///< tables of a module at a time
  DependencyView* dependencies_ = nullptr;
  QList<LevelCard*> cards_;
  QTreeView* findingView_ = nullptr;
  QLabel* noFinding_ = nullptr;
  QDockWidget* modulesDock_ = nullptr;
  QDockWidget* dependenciesDock_ = nullptr;
  QDockWidget* classesDock_ = nullptr;
  QDockWidget* typeDock_ = nullptr;
  QDockWidget* checksDock_ = nullptr;
  QAction* openAction_ = nullptr;
  QAction* openFolderAction_ = nullptr;
  QAction* showModulesAction_ = nullptr;
  QAction* joinAction_ = nullptr;
  QAction* extractAction_ = nullptr;
  QAction* newAction_ = nullptr;
  QAction* closeAction_ = nullptr;
  QAction* compareAction_ = nullptr;
  QAction* mergeAction_ = nullptr;
  QAction* newComponentAction_ = nullptr;
  QAction* exportAction_ = nullptr;
  QAction* copyAction_ = nullptr;
  QAction* fixAction_ = nullptr;
  QAction* pagesAction_ = nullptr;
  theme::ProgressLine* reading_ = nullptr;
};

}  // namespace tutti::fomedit
