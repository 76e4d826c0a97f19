// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/compose_workspace.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QToolButton>
#include <QUndoStack>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "composer/model/command_line.h"
#include "composer/ui/canvas_export.h"
#include "composer/ui/canvas_scene.h"
#include "composer/ui/canvas_view.h"
#include "composer/ui/catalog_pane.h"
#include "composer/ui/looks.h"
#include "composer/ui/outline_pane.h"
#include "composer/ui/problems_pane.h"
#include "composer/ui/property_panel.h"
#include "resources/theme/exporter.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/progress_line.h"
#include "resources/theme/widgets.h"

namespace tutti::composer {

using theme::State;

namespace {

QString clipboardType() { return QStringLiteral("application/x-tutti-federates"); }

QToolButton* toolButton(QAction* action, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setDefaultAction(action);
  button->setIconSize(QSize(theme::iconSize::kSmall, theme::iconSize::kSmall));
  button->setFocusPolicy(Qt::TabFocus);
  button->setObjectName(action->objectName() + QStringLiteral("Button"));
  button->setAccessibleName(action->text().remove(u'&'));
  const QString keys = action->shortcut().toString(QKeySequence::NativeText);
  button->setToolTip(keys.isEmpty()
                         ? action->text().remove(u'&')
                         : QStringLiteral("%1 (%2)").arg(action->text().remove(u'&'), keys));
  return button;
}

QFrame* divider(QWidget* parent) {
  auto* line = new QFrame(parent);
  line->setFixedSize(1, 20);
  line->setAutoFillBackground(true);
  line->setBackgroundRole(QPalette::Mid);
  return line;
}

}  // namespace

ComposeWorkspace::ComposeWorkspace(Document& document, QWidget* parent)
    : Workspace(QStringLiteral("compose"), tr("Compose"), QStringLiteral("compose"), parent),
      document_(document),
      scene_(new CanvasScene(document, selection_, this)),
      view_(new CanvasView(*scene_)) {
  buildActions();
  buildCanvas();
  buildPanes();

  connect(&selection_, &Selection::changed, this, &ComposeWorkspace::updateActions);
  connect(&document_.undoStack(), &QUndoStack::indexChanged, this,
          &ComposeWorkspace::updateActions);
  connect(&document_, &Document::findingsChanged, this, &ComposeWorkspace::updateProblemsTitle);
  connect(&document_, &Document::wasReset, this, [this] {
    fitPending_ = true;
    updateTitles();
    updateActions();
  });
  connect(&document_, &Document::federateAdded, this, &ComposeWorkspace::updateEmptyCanvas);
  connect(&document_, &Document::federateRemoved, this, &ComposeWorkspace::updateEmptyCanvas);
  connect(&document_, &Document::settingsChanged, this, &ComposeWorkspace::updateTitles);
  connect(&document_, &Document::pathChanged, this, &ComposeWorkspace::commandLineChanged);
  connect(scene_, &CanvasScene::contentChanged, this, [this] {
    updateEmptyCanvas();
    fitIfPending();
  });
  connect(&layout_, &AutoLayout::finished, this, &ComposeWorkspace::placeAll);
  connect(&layout_, &AutoLayout::failed, this, &Workspace::failed);
  connect(&layout_, &AutoLayout::finished, this, [this] { tidying_->setProgress({}); });
  connect(&layout_, &AutoLayout::failed, this, [this] { tidying_->setProgress({}); });
  updateActions();
  updateTitles();
  updateProblemsTitle();
  updateEmptyCanvas();
}

ComposeWorkspace::~ComposeWorkspace() { document_.disconnect(this); }

void ComposeWorkspace::buildActions() {
  const auto make = [this](const char* name, const QString& text, const QString& iconName,
                           const QList<QKeySequence>& keys) {
    auto* action = new QAction(text, this);
    action->setObjectName(QString::fromLatin1(name));
    if (!iconName.isEmpty()) action->setIcon(theme::icon(iconName));
    action->setShortcuts(keys);
    return action;
  };
  add_ = make("composeAdd", tr("&Add a federate…"), QStringLiteral("add"),
              {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A)});
  connect(add_, &QAction::triggered, this, [this] {
    catalogDock_->show();
    catalogDock_->raise();
    catalog_->focusSearch();
  });
  needs_ = make("composeNeeds", tr("Compose from &needs…"), QStringLiteral("bolt"), {});
  connect(needs_, &QAction::triggered, this, [this] {
    catalogDock_->show();
    catalogDock_->raise();
    catalog_->composeFromNeeds();
  });
  // Del and F2 belong to the view that has the focus; the menu shows them.
  remove_ = make("composeRemove", tr("&Delete"), QStringLiteral("edit-delete"), {});
  connect(remove_, &QAction::triggered, this, &ComposeWorkspace::removeSelected);
  rename_ = make("composeRename", tr("&Rename"), QStringLiteral("edit-rename"), {});
  connect(rename_, &QAction::triggered, this, &ComposeWorkspace::renameSelected);
  enable_ = make("composeEnable", tr("&Disable"), QStringLiteral("hide"),
                 {QKeySequence(Qt::CTRL | Qt::Key_E)});
  connect(enable_, &QAction::triggered, this, &ComposeWorkspace::toggleEnabled);
  group_ = make("composeGroup", tr("&Group"), QStringLiteral("group"),
                {QKeySequence(Qt::CTRL | Qt::Key_G)});
  connect(group_, &QAction::triggered, this, &ComposeWorkspace::groupSelected);
  ungroup_ =
      make("composeUngroup", tr("&Ungroup"), {}, {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G)});
  connect(ungroup_, &QAction::triggered, this, [this] {
    if (!selection_.group().isEmpty())
      document_.ungroup(selection_.group());
    else
      document_.setGroup(selection_.federates(), {});
  });
  const auto collapseAll = [this](bool collapsed) {
    document_.edit(collapsed ? tr("collapse all groups") : tr("expand all groups"),
                   [collapsed](Composition& composition) {
                     for (auto& [id, group] : composition.groups) group.collapsed = collapsed;
                   });
    fitPending_ = true;
    scene_->sync();
  };
  collapseAll_ =
      make("composeCollapseAll", tr("&Collapse all groups"), QStringLiteral("collapse-all"), {});
  connect(collapseAll_, &QAction::triggered, this, [collapseAll] { collapseAll(true); });
  expandAll_ = make("composeExpandAll", tr("E&xpand all groups"), QStringLiteral("expand-all"), {});
  connect(expandAll_, &QAction::triggered, this, [collapseAll] { collapseAll(false); });
  align_ = make("composeAlign", tr("A&lign left"), QStringLiteral("align-left"), {});
  connect(align_, &QAction::triggered, this, &ComposeWorkspace::alignLeft);
  tidy_ = make("composeTidy", tr("&Tidy up"), QStringLiteral("layout"),
               {QKeySequence(Qt::CTRL | Qt::Key_L)});
  connect(tidy_, &QAction::triggered, this, &ComposeWorkspace::tidyUp);
  duplicate_ = make("composeDuplicate", tr("D&uplicate"), {}, {QKeySequence(Qt::CTRL | Qt::Key_D)});
  connect(duplicate_, &QAction::triggered, this, &ComposeWorkspace::duplicateSelected);
  copy_ = make("composeCopy", tr("&Copy"), QStringLiteral("copy"), {});
  paste_ = make("composePaste", tr("&Paste"), QStringLiteral("edit-paste"), {});
  fit_ =
      make("composeFit", tr("&Fit"), QStringLiteral("fit"), {QKeySequence(Qt::CTRL | Qt::Key_9)});
  connect(fit_, &QAction::triggered, this, [this] { view_->fit(); });
  actualSize_ = make("composeActualSize", tr("&100 %"), QStringLiteral("zoom-original"),
                     {QKeySequence(Qt::CTRL | Qt::Key_0)});
  connect(actualSize_, &QAction::triggered, this, [this] { view_->setZoom(1); });
  minimap_ = make("composeMinimap", tr("&Overview"), QStringLiteral("minimap"), {});
  minimap_->setCheckable(true);
  minimap_->setChecked(true);
  export_ = make("composeExport", tr("Exp&ort the canvas…"), QStringLiteral("export"), {});
  connect(export_, &QAction::triggered, this, &ComposeWorkspace::askAndExport);
  // Copy and paste are the canvas's while it has the focus; a text field keeps its own.
  copy_->setShortcut(QKeySequence::Copy);
  paste_->setShortcut(QKeySequence::Paste);
  for (QAction* action : {copy_, paste_}) action->setShortcutContext(Qt::WidgetShortcut);
  connect(copy_, &QAction::triggered, this, [this] {
    if (selection_.federates().isEmpty()) return;
    auto* content = new QMimeData;
    content->setData(clipboardType(), document_.copy(selection_.federates()));
    QApplication::clipboard()->setMimeData(content);
  });
  connect(paste_, &QAction::triggered, this, [this] {
    const QMimeData* content = QApplication::clipboard()->mimeData();
    if (!content || !content->hasFormat(clipboardType())) return;
    const auto pasted = document_.paste(content->data(clipboardType()), QPointF(32, 32));
    if (pasted)
      selection_.setFederates(*pasted);
    else
      Q_EMIT failed(tr("Nothing was pasted"), pasted.error().message());
  });
}

void ComposeWorkspace::buildCanvas() {
  auto* centre = new QWidget(this);
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* bar = new QFrame(centre);
  bar->setObjectName(QStringLiteral("canvasTools"));
  bar->setProperty("role", QByteArray("bar"));
  bar->setFixedHeight(theme::height::kTool);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(8, 0, 8, 1);
  row->setSpacing(2);

  QUndoStack& stack = document_.undoStack();
  QAction* undo = stack.createUndoAction(this, tr("Undo"));
  undo->setIcon(theme::icon(QStringLiteral("undo")));
  undo->setObjectName(QStringLiteral("composeUndo"));
  QAction* redo = stack.createRedoAction(this, tr("Redo"));
  redo->setIcon(theme::icon(QStringLiteral("redo")));
  redo->setObjectName(QStringLiteral("composeRedo"));
  undoButton_ = toolButton(undo, bar);
  redoButton_ = toolButton(redo, bar);
  row->addWidget(undoButton_);
  row->addWidget(redoButton_);
  row->addSpacing(4);
  row->addWidget(divider(bar));
  row->addSpacing(4);
  for (QAction* action : {tidy_, align_, group_, enable_}) row->addWidget(toolButton(action, bar));
  row->addSpacing(4);
  row->addWidget(divider(bar));
  row->addSpacing(6);
  auto* widthLabel = theme::makeLabel(tr("Edge width"), "caption", bar);
  row->addWidget(widthLabel);
  row->addSpacing(6);
  auto* widths = new theme::SegmentedControl({tr("Expected rate"), tr("Equal")}, bar);
  widths->setObjectName(QStringLiteral("edgeWidth"));
  widths->setToolTip(
      tr("Width of a line: expected messages per second, from the formulas in the "
         "components' manifests"));
  connect(widths, &theme::SegmentedControl::currentIndexChanged, this,
          [this](int index) { scene_->setEqualWidths(index == 1); });
  row->addWidget(widths);
  row->addStretch(1);

  auto* out = new QAction(theme::icon(QStringLiteral("remove")), tr("Zoom out"), this);
  out->setObjectName(QStringLiteral("composeZoomOut"));
  auto* in = new QAction(theme::icon(QStringLiteral("add")), tr("Zoom in"), this);
  in->setObjectName(QStringLiteral("composeZoomIn"));
  connect(out, &QAction::triggered, this, [this] { view_->setZoom(view_->zoom() * 0.8); });
  connect(in, &QAction::triggered, this, [this] { view_->setZoom(view_->zoom() * 1.25); });
  zoomText_ = theme::makeLabel(theme::formatPercent(1), "table", bar);
  zoomText_->setObjectName(QStringLiteral("zoomText"));
  zoomText_->setFixedWidth(44);
  zoomText_->setAlignment(Qt::AlignCenter);
  row->addWidget(toolButton(out, bar));
  row->addWidget(zoomText_);
  row->addWidget(toolButton(in, bar));
  row->addWidget(toolButton(fit_, bar));
  row->addWidget(toolButton(minimap_, bar));
  row->addWidget(toolButton(export_, bar));
  connect(view_, &CanvasView::zoomChanged, this,
          [this](qreal zoom) { zoomText_->setText(theme::formatPercent(zoom)); });
  connect(minimap_, &QAction::toggled, this, [this](bool on) { view_->minimap()->setVisible(on); });
  column->addWidget(bar);

  view_->setParent(centre);
  column->addWidget(view_, 1);
  tidying_ = new theme::ProgressLine(QStringLiteral("tidying"), centre);
  column->addWidget(tidying_);
  connect(tidying_, &theme::ProgressLine::cancelRequested, this, [this] {
    layout_.cancel();
    tidying_->setProgress({});
  });
  view_->addActions({copy_, paste_});
  centre->setFocusProxy(view_);
  setCentralWidget(centre);
  empty_ = new theme::EmptyView(tr("Drag components from the catalog here; lines appear where what "
                                   "one publishes is what another subscribes."),
                                view_);
  empty_->setObjectName(QStringLiteral("emptyCanvas"));
  empty_->setAttribute(Qt::WA_TransparentForMouseEvents, false);
  empty_->setButton(tr("Choose a component"));
  connect(empty_, &theme::EmptyView::buttonClicked, add_, &QAction::trigger);

  connect(view_, &CanvasView::componentDropped, this,
          [this](const QString& component, const QPointF& position) {
            const QString id = document_.addFederate(component, position);
            if (id.isEmpty()) return;
            scene_->sync();
            selection_.setFederates({id});
            view_->setFocus(Qt::OtherFocusReason);
          });
  connect(view_, &CanvasView::deleteRequested, this, &ComposeWorkspace::removeSelected);
  connect(view_, &CanvasView::renameRequested, this, &ComposeWorkspace::renameSelected);
  connect(view_, &CanvasView::menuRequested, this, &ComposeWorkspace::showMenu);
  const auto edit = [this] {
    propertiesDock_->show();
    propertiesDock_->raise();
    properties_->focusParameter({});
  };
  connect(view_, &CanvasView::propertiesRequested, this, edit);
  connect(scene_, &CanvasScene::propertiesRequested, this, edit);
}

void ComposeWorkspace::buildPanes() {
  catalog_ = new CatalogPane(document_, this);
  catalogDock_ = addPane(QStringLiteral("composeCatalog"), tr("Catalog"), catalog_,
                         Qt::LeftDockWidgetArea, theme::width::kLeft);
  outline_ = new OutlinePane(document_, selection_, this);
  outlineDock_ = addPane(QStringLiteral("composeOutline"), tr("Outline"), outline_,
                         Qt::LeftDockWidgetArea, theme::width::kLeft);
  problems_ = new ProblemsPane(document_, selection_, this);
  problemsDock_ = addPane(QStringLiteral("composeProblems"), tr("Problems"), problems_,
                          Qt::BottomDockWidgetArea, 182);
  properties_ = new PropertyPanel(document_, selection_, this);
  propertiesDock_ = addPane(QStringLiteral("composeProperties"), tr("Properties"), properties_,
                            Qt::RightDockWidgetArea, theme::width::kRight);

  errors_ = new theme::StatePill(this);
  warnings_ = new theme::StatePill(this);
  infos_ = new theme::StatePill(this);
  for (theme::StatePill* pill : {errors_, warnings_, infos_}) {
    titleBar(problemsDock_)->addWidget(pill);
    connect(pill, &QAbstractButton::clicked, this, [this] { problems_->view()->setFocus(); });
  }
  auto* recheck = new QAction(theme::icon(QStringLiteral("view-refresh")), tr("Check again"), this);
  recheck->setObjectName(QStringLiteral("composeRecheck"));
  connect(recheck, &QAction::triggered, &document_, &Document::recheck);
  titleBar(problemsDock_)->addAction(recheck);

  connect(catalog_, &CatalogPane::addRequested, this, &ComposeWorkspace::addComponent);
  connect(catalog_, &CatalogPane::composed, this, [this](const QStringList& federates) {
    scene_->sync();
    selection_.setFederates(federates);
    view_->fit();
    view_->setFocus(Qt::OtherFocusReason);
  });
  connect(catalog_, &CatalogPane::captionChanged, this, &ComposeWorkspace::updateTitles);
  connect(outline_, &OutlinePane::revealRequested, view_, &CanvasView::reveal);
  connect(outline_, &OutlinePane::deleteRequested, this, &ComposeWorkspace::removeSelected);
  connect(outline_, &OutlinePane::menuRequested, this, &ComposeWorkspace::showMenu);
  connect(problems_, &ProblemsPane::placeRequested, this,
          [this](const QString& federate, const QString& parameter, const QString& className) {
            if (!federate.isEmpty())
              reveal(federate, parameter);
            else
              selection_.setClass(className);
          });
  connect(catalog_, &CatalogPane::problemRequested, this, &ComposeWorkspace::openInEditor);
  connect(problems_, &ProblemsPane::fileRequested, this, [this](const QString& file, int line) {
    if (file.endsWith(QStringLiteral(".json"))) return openInEditor(file);
    Q_EMIT workspaceRequested(QStringLiteral("object-model"),
                              QStringLiteral("%1:%2").arg(file).arg(line));
  });
  connect(properties_, &PropertyPanel::classRequested, this, [this](const QString& className) {
    Q_EMIT workspaceRequested(QStringLiteral("object-model"), className);
  });
  connect(properties_, &PropertyPanel::federateRequested, this,
          [this](const QString& id) { reveal(id); });
}

void ComposeWorkspace::askAndExport() {
  theme::exportAsked(
      *this, tr("The canvas"),
      theme::fileNameOf({document_.composition().settings.federation, QStringLiteral("canvas")}) +
          QStringLiteral(".svg"),
      tr("Pictures (*.svg *.png);;Data flow as a table (*.csv)"), [this](const QString& path) {
        return path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive)
                   ? exportDataFlow(document_, path)
                   : exportCanvas(*scene_, path);
      });
}

void ComposeWorkspace::openInEditor(const QString& file) {
  QDesktopServices::openUrl(QUrl::fromLocalFile(file));
}

// What the window asks

QString ComposeWorkspace::commandLine() const {
  if (document_.path().isEmpty()) return {};
  return QStringLiteral("tutti check ") + shellPath(document_.path());
}

QStringList ComposeWorkspace::statusNotes() const {
  if (document_.composition().federates.empty()) return {};
  return {tr("exit code %1").arg(canRun(document_.findings()) ? 0 : 1)};
}

QUndoStack* ComposeWorkspace::undoStack() const { return &document_.undoStack(); }

void ComposeWorkspace::provideFinds(QList<theme::FindEntry>& into) const {
  auto* self = const_cast<ComposeWorkspace*>(this);
  for (const auto& [id, federate] : document_.composition().federates)
    into << theme::FindEntry{federate.name,
                             componentText(document_, id),
                             tr("Federate"),
                             iconOf(document_.manifestOf(id)),
                             {},
                             [self, key = id] { self->reveal(key); }};
  for (const ClassFlow& flow : document_.dataFlow().flows)
    into << theme::FindEntry{
        flow.shortName(),
        flow.className,
        tr("Class"),
        flow.isObject ? QStringLiteral("object-class") : QStringLiteral("interaction-class"),
        {},
        [self, name = flow.className] { self->selection_.setClass(name); }};
  into << theme::FindEntry{tr("Add a FOM module…"),
                           title(),
                           tr("Action"),
                           QStringLiteral("bolt"),
                           {},
                           [self] { self->properties_->askForModule(); }};
  for (const auto& manifest : document_.catalog().components())
    into << theme::FindEntry{tr("Add %1").arg(manifest->id),
                             manifest->summary,
                             tr("Component"),
                             iconOf(manifest.get()),
                             {},
                             [self, id = manifest->id] { self->addComponent(id); }};
}

QHash<QString, QList<QAction*>> ComposeWorkspace::menuActions() const {
  return {{tr("Composition"),
           {add_, needs_, duplicate_, rename_, enable_, group_, ungroup_, collapseAll_, expandAll_,
            remove_, align_, tidy_}},
          {tr("Tools"), {export_}},
          {tr("View"), {fit_, actualSize_, minimap_}}};
}

void ComposeWorkspace::focusFilter() {
  catalogDock_->show();
  catalogDock_->raise();
  catalog_->focusSearch();
}

void ComposeWorkspace::showNextProblem(int direction) {
  problemsDock_->show();
  problemsDock_->raise();
  problems_->go(direction);
}

void ComposeWorkspace::showItem(const QString& item) {
  if (document_.federate(item)) {
    reveal(item);
  } else if (const Federate* federate = document_.composition().findByName(item)) {
    reveal(federate->id);
  } else {
    selection_.setClass(item);
  }
}

// Edits

QString ComposeWorkspace::addComponent(const QString& component) {
  const QString id =
      document_.addFederate(component, scene_->freePlace(view_->centre() - QPointF(75, 35)));
  if (id.isEmpty()) return {};
  scene_->sync();
  selection_.setFederates({id});
  view_->reveal(id);
  view_->setFocus(Qt::ShortcutFocusReason);
  return id;
}

void ComposeWorkspace::tidyUp() {
  std::vector<AutoLayout::Node> nodes;
  std::vector<AutoLayout::Edge> edges;
  for (const NodeItem* item : scene_->nodes()) {
    const Federate* federate = item->isGroup() ? nullptr : document_.federate(item->id());
    nodes.push_back({item->key(), item->size(), federate ? federate->group : QString()});
  }
  for (const ClassFlow& flow : document_.dataFlow().flows)
    if (const HubItem* hub = scene_->hub(flow.className))
      nodes.push_back({QStringLiteral("hub/") + flow.className, hub->size(), {}});
  std::sort(nodes.begin(), nodes.end(),
            [](const AutoLayout::Node& a, const AutoLayout::Node& b) { return a.id < b.id; });
  for (const EdgeItem* edge : scene_->edges()) {
    const FlowEdge& flow = edge->flow();
    const QString hub = QStringLiteral("hub/") + flow.className;
    edges.push_back({flow.from.isEmpty() ? hub : scene_->shownAs(flow.from),
                     flow.to.isEmpty() ? hub : scene_->shownAs(flow.to)});
  }
  std::sort(edges.begin(), edges.end(), [](const AutoLayout::Edge& a, const AutoLayout::Edge& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  if (nodes.empty()) return;
  layout_.start(nodes, edges);
  tidying_->setProgress(
      tr("Placing %1")
          .arg(theme::formatNoun(static_cast<int>(nodes.size()), tr("box"), tr("boxes"))));
}

void ComposeWorkspace::placeAll(const QHash<QString, QPointF>& positions) {
  document_.edit(tr("tidy up"), [&](Composition& composition) {
    QHash<QString, QPointF> groupMoves;
    for (auto& [id, federate] : composition.federates) {
      const QString key = scene_->shownAs(id);
      const auto found = positions.find(key);
      if (found == positions.end()) continue;
      if (key == id) {
        federate.position = scene_->snapped(*found);
      } else if (const NodeItem* item = scene_->node(key)) {
        federate.position += scene_->snapped(*found) - item->pos();
      }
    }
    composition.settings.hubPositions.clear();
    for (auto [key, position] : positions.asKeyValueRange())
      if (key.startsWith(QStringLiteral("hub/")))
        composition.settings.hubPositions[key.mid(4)] = scene_->snapped(position);
  });
  fitPending_ = true;
  scene_->sync();
}

void ComposeWorkspace::fitIfPending() {
  // Boxes that slide are not yet where they will be.
  if (!fitPending_ || !view_->isVisible() || scene_->isSliding()) return;
  // An empty canvas is fitted as well: the first box stays where it is dropped.
  fitPending_ = false;
  view_->fit();
}

void ComposeWorkspace::setActive(bool active) {
  if (active && fitPending_) scene_->sync();
}

void ComposeWorkspace::alignLeft() {
  QHash<QString, QPointF> positions;
  qreal left = std::numeric_limits<qreal>::max();
  for (const QString& id : selection_.federates())
    left = std::min(left, document_.federate(id)->position.x());
  for (const QString& id : selection_.federates())
    positions.insert(id, QPointF(left, document_.federate(id)->position.y()));
  document_.moveFederates(positions);
}

void ComposeWorkspace::groupSelected() {
  if (selection_.federates().isEmpty()) return;
  QString name = tr("Group");
  int number = 1;
  const auto taken = [this](const QString& wanted) {
    for (const auto& [id, group] : document_.composition().groups)
      if (group.name == wanted) return true;
    return false;
  };
  while (taken(name)) name = tr("Group %1").arg(++number);
  const QString id = document_.groupFederates(selection_.federates(), name);
  scene_->sync();
  outline_->sync();
  selection_.setGroup(id);
}

void ComposeWorkspace::renameSelected() {
  if (!selection_.single().isEmpty()) {
    propertiesDock_->show();
    propertiesDock_->raise();
    properties_->focusName();
  } else if (!selection_.group().isEmpty()) {
    outlineDock_->show();
    outlineDock_->raise();
    outline_->sync();
    outline_->renameSelected();
  }
}

void ComposeWorkspace::removeSelected() {
  if (!selection_.federates().isEmpty()) {
    // The box next to it gets the focus, so that the keyboard stays on the canvas.
    document_.removeFederates(selection_.federates());
  } else if (!selection_.group().isEmpty()) {
    QStringList members;
    for (const auto& [id, federate] : document_.composition().federates)
      if (federate.group == selection_.group()) members << id;
    document_.removeFederates(members);
  }
}

void ComposeWorkspace::toggleEnabled() {
  QStringList ids = selection_.federates();
  if (ids.isEmpty() && !selection_.group().isEmpty())
    for (const auto& [id, federate] : document_.composition().federates)
      if (federate.group == selection_.group()) ids << id;
  if (ids.isEmpty()) return;
  const bool anyEnabled = std::any_of(ids.begin(), ids.end(), [this](const QString& id) {
    const Federate* federate = document_.federate(id);
    return federate && federate->enabled;
  });
  document_.setEnabled(ids, !anyEnabled);
  updateActions();
}

void ComposeWorkspace::duplicateSelected() {
  if (selection_.federates().isEmpty()) return;
  const auto pasted = document_.paste(document_.copy(selection_.federates()), QPointF(32, 32));
  if (pasted)
    selection_.setFederates(*pasted);
  else
    Q_EMIT failed(tr("Nothing was duplicated"), pasted.error().message());
}

void ComposeWorkspace::reveal(const QString& federateId, const QString& parameter) {
  const Federate* federate = document_.federate(federateId);
  if (!federate) return;
  // Inside a collapsed group it cannot be seen: open it.
  const auto group = document_.composition().groups.find(federate->group);
  if (group != document_.composition().groups.end() && group->second.collapsed)
    document_.setGroupCollapsed(group->first, false);
  scene_->sync();
  selection_.setFederates({federateId});
  view_->reveal(federateId);
  if (!parameter.isEmpty()) {
    propertiesDock_->show();
    propertiesDock_->raise();
    properties_->focusParameter(parameter);
  }
}

void ComposeWorkspace::showMenu(const QPoint& at) {
  QMenu menu(this);
  menu.setObjectName(QStringLiteral("canvasMenu"));
  const bool something = !selection_.isEmpty();
  if (something) {
    Q_EMIT menuAboutToShow(&menu, selection_.federates());
    menu.addActions({rename_, enable_, duplicate_});
    menu.addSeparator();
    menu.addActions({group_, ungroup_, align_});
    menu.addSeparator();
    menu.addAction(remove_);
  } else {
    menu.addActions({add_, paste_, tidy_, fit_});
    menu.addSeparator();
    menu.addActions({collapseAll_, expandAll_});
  }
  menu.exec(at);
}

// What is shown

void ComposeWorkspace::updateActions() {
  const bool federates = !selection_.federates().isEmpty();
  const bool group = !selection_.group().isEmpty();
  remove_->setEnabled(federates || group);
  rename_->setEnabled(!selection_.single().isEmpty() || group);
  enable_->setEnabled(federates || group);
  group_->setEnabled(selection_.federates().size() >= 1);
  bool inGroup = group;
  bool anyEnabled = false;
  for (const QString& id : selection_.federates())
    if (const Federate* federate = document_.federate(id)) {
      inGroup = inGroup || !federate->group.isEmpty();
      anyEnabled = anyEnabled || federate->enabled;
    }
  ungroup_->setEnabled(inGroup);
  enable_->setText(federates && !anyEnabled ? tr("&Enable") : tr("&Disable"));
  const auto& groups = document_.composition().groups;
  const auto isCollapsed = [](const auto& each) { return each.second.collapsed; };
  collapseAll_->setEnabled(!std::all_of(groups.begin(), groups.end(), isCollapsed));
  expandAll_->setEnabled(std::any_of(groups.begin(), groups.end(), isCollapsed));
  align_->setEnabled(selection_.federates().size() > 1);
  duplicate_->setEnabled(federates);
  copy_->setEnabled(federates);
  // What a button would undo is in its tooltip: a label would move the buttons after it.
  const QUndoStack& stack = document_.undoStack();
  const auto name = [](QToolButton* button, const QString& verb, const QString& what,
                       QKeySequence::StandardKey key) {
    const QString text = what.isEmpty() ? verb : QStringLiteral("%1: %2").arg(verb, what);
    button->setAccessibleName(text);
    // Set on the action, which otherwise gives its own to the button with every change.
    button->defaultAction()->setToolTip(
        QStringLiteral("%1 (%2)").arg(text, QKeySequence(key).toString(QKeySequence::NativeText)));
  };
  name(undoButton_, tr("Undo"), stack.undoText(), QKeySequence::Undo);
  name(redoButton_, tr("Redo"), stack.redoText(), QKeySequence::Redo);
}

void ComposeWorkspace::updateTitles() {
  titleBar(catalogDock_)->setCaption(catalog_->caption());
  Q_EMIT commandLineChanged();
}

void ComposeWorkspace::updateProblemsTitle() {
  const ProblemsModel* model = problems_->model();
  // An empty composition is a beginning, not a fault: it is said without counting.
  const bool begins = document_.composition().federates.empty();
  const auto show = [model, begins](theme::StatePill* pill, Severity severity) {
    const int count = begins ? 0 : model->count(severity);
    pill->setState(stateOf(severity), theme::formatCount(count));
    pill->setVisible(count > 0);
    pill->setToolTip(QStringLiteral("%1 %2").arg(count).arg(severityName(severity)));
  };
  show(errors_, Severity::Error);
  show(warnings_, Severity::Warning);
  show(infos_, Severity::Info);
  titleBar(problemsDock_)
      ->setCaption(tr("checked %1 s after the last edit")
                       .arg(theme::formatFixed(document_.lastCheckSeconds(), 2)));
  const int errors = begins ? 0 : model->count(Severity::Error);
  const int warnings = begins ? 0 : model->count(Severity::Warning);
  setBadge(errors > 0 ? State::Error : State::Warning, errors > 0 ? errors : warnings);
  Q_EMIT statusNotesChanged();
}

void ComposeWorkspace::updateEmptyCanvas() {
  const bool isEmpty = document_.composition().federates.empty();
  empty_->setVisible(isEmpty);
  export_->setEnabled(!isEmpty);
  view_->minimap()->setVisible(!isEmpty && minimap_->isChecked());
  if (isEmpty) {
    empty_->resize(400, 160);
    empty_->move((view_->width() - 400) / 2, std::max(0, (view_->height() - 160) / 2));
  }
}

}  // namespace tutti::composer
