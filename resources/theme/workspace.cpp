// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/workspace.h"

#include <QGuiApplication>
#include <QScreen>
#include <QSettings>
#include <QShowEvent>
#include <QTimer>

#include "resources/theme/tokens.h"
#include "resources/theme/widgets.h"

namespace tutti::theme {

namespace {

/// Raised when panes are renamed so that an old layout would hide one.
constexpr int kLayoutVersion = 1;
/// Page width below which the right pane joins the bottom ones: a window of 1280 less the rail.
constexpr int kCompactBelow = 1280 - width::kRail;

QString layoutKey(const QString& id) { return QStringLiteral("layout/%1").arg(id); }

}  // namespace

Workspace::Workspace(const QString& id, const QString& title, const QString& iconName,
                     QWidget* parent)
    : QMainWindow(parent), iconName_(iconName) {
  setObjectName(id);
  setWindowTitle(title);
  setWindowFlags(Qt::Widget);
  setDockNestingEnabled(true);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  setContextMenuPolicy(Qt::NoContextMenu);
  // The side panes reach from top to bottom; the bottom ones stay under the centre.
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
}

QDockWidget* Workspace::addPane(const QString& id, const QString& title, QWidget* content,
                                Qt::DockWidgetArea area, int size) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(id);
  dock->setWidget(content);
  dock->setTitleBarWidget(new DockTitleBar(dock));
  dock->toggleViewAction()->setText(title);
  addDockWidget(area, dock);
  panes_ << Pane{dock, area, size, true};
  return dock;
}

DockTitleBar* Workspace::titleBar(QDockWidget* dock) const {
  return static_cast<DockTitleBar*>(dock->titleBarWidget());
}

QList<QDockWidget*> Workspace::panes() const {
  QList<QDockWidget*> result;
  for (const Pane& pane : panes_) result << pane.dock;
  return result;
}

void Workspace::setBadge(State state, int count) {
  if (badge_.state == state && badge_.count == count) return;
  badge_ = {state, count};
  Q_EMIT badgeChanged();
}

void Workspace::setPanesAside(bool aside) {
  if (aside == asideState_.has_value() || defaultState_.isEmpty()) return;
  if (aside) {
    asideState_ = saveState(kLayoutVersion);
    for (const Pane& pane : panes_) pane.dock->hide();
    return;
  }
  restoreState(*asideState_, kLayoutVersion);
  asideState_.reset();
  updateCompact();
}

void Workspace::applyDefaultSizes() {
  layout()->activate();
  for (const auto orientation : {Qt::Horizontal, Qt::Vertical}) {
    QList<QDockWidget*> docks;
    QList<int> sizes;
    for (const Pane& pane : panes_) {
      const bool side = pane.area == Qt::LeftDockWidgetArea || pane.area == Qt::RightDockWidgetArea;
      if (pane.size <= 0 || side != (orientation == Qt::Horizontal)) continue;
      docks << pane.dock;
      sizes << pane.size;
    }
    resizeDocks(docks, sizes, orientation);
  }
}

void Workspace::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (settled_) return;
  settled_ = true;
  for (Pane& pane : panes_) pane.visible = !pane.dock->isHidden();
  // Qt gives docks their sizes only once the window has its own.
  QTimer::singleShot(0, this, [this] {
    applyDefaultSizes();
    defaultState_ = saveState(kLayoutVersion);
    if (pendingState_ && !restoreState(*pendingState_, kLayoutVersion)) resetLayout();
    pendingState_.reset();
    rescuePanes();
    updateCompact();
  });
}

void Workspace::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (settled_ && !defaultState_.isEmpty()) updateCompact();
}

void Workspace::updateCompact() {
  const bool compact = width() < kCompactBelow;
  if (compact == compact_ || asideState_) return;
  compact_ = compact;
  if (!compact) {
    if (!wideState_.isEmpty()) restoreState(wideState_, kLayoutVersion);
    return;
  }
  wideState_ = saveState(kLayoutVersion);
  QDockWidget* bottom = nullptr;
  for (const Pane& pane : panes_)
    if (dockWidgetArea(pane.dock) == Qt::BottomDockWidgetArea && !pane.dock->isHidden())
      bottom = pane.dock;
  for (const Pane& pane : panes_) {
    if (dockWidgetArea(pane.dock) != Qt::RightDockWidgetArea || pane.dock->isFloating()) continue;
    const bool hidden = pane.dock->isHidden();
    if (bottom)
      tabifyDockWidget(bottom, pane.dock);
    else
      addDockWidget(Qt::BottomDockWidgetArea, pane.dock);
    pane.dock->setVisible(!hidden);
  }
  if (bottom) bottom->raise();
}

void Workspace::rescuePanes() {
  // A floating pane of a screen that is gone comes back into the page.
  for (const Pane& pane : panes_) {
    if (!pane.dock->isFloating()) continue;
    const QRect frame = pane.dock->frameGeometry();
    bool visible = false;
    for (const QScreen* screen : QGuiApplication::screens())
      visible |= screen->availableGeometry().intersects(frame.adjusted(8, 8, -8, -8));
    if (!visible) pane.dock->setFloating(false);
  }
}

void Workspace::resetLayout() {
  pendingState_.reset();
  asideState_.reset();
  if (defaultState_.isEmpty()) return;  // not shown yet: the default is what it will get
  for (const Pane& pane : panes_) pane.dock->setFloating(false);
  compact_ = false;
  wideState_.clear();
  restoreState(defaultState_, kLayoutVersion);
  for (const Pane& pane : panes_) pane.dock->setVisible(pane.visible);
  applyDefaultSizes();
  updateCompact();
}

void Workspace::saveLayout(QSettings& settings) const {
  if (pendingState_)
    settings.setValue(layoutKey(id()), *pendingState_);
  else if (!defaultState_.isEmpty())
    settings.setValue(layoutKey(id()), compact_      ? wideState_
                                       : asideState_ ? *asideState_
                                                     : saveState(kLayoutVersion));
}

void Workspace::restoreLayout(QSettings& settings) {
  const QByteArray state = settings.value(layoutKey(id())).toByteArray();
  if (state.isEmpty()) return;
  if (!settled_ || defaultState_.isEmpty()) {
    pendingState_ = state;
    return;
  }
  if (!restoreState(state, kLayoutVersion)) resetLayout();
  rescuePanes();
}

void Workspace::focusPane(int direction) {
  QList<QWidget*> stops;
  if (centralWidget()) stops << centralWidget();
  for (const Pane& pane : panes_)
    if (pane.dock->isVisible() && pane.dock->widget()) stops << pane.dock->widget();
  if (stops.isEmpty()) return;
  QWidget* focus = focusWidget();
  qsizetype at = -1;
  for (qsizetype i = 0; i < stops.size(); ++i)
    if (focus && (stops[i] == focus || stops[i]->isAncestorOf(focus))) at = i;
  const qsizetype count = stops.size();
  for (qsizetype step = 1; step <= count; ++step) {
    QWidget* stop = stops[((at + direction * step) % count + count) % count];
    QWidget* target = stop->focusPolicy() != Qt::NoFocus ? stop : nullptr;
    for (QWidget* child = stop->nextInFocusChain(); !target && child != stop;
         child = child->nextInFocusChain())
      if (stop->isAncestorOf(child) && child->isVisible() && child->isEnabled() &&
          (child->focusPolicy() & Qt::TabFocus))
        target = child;
    if (target) {
      target->setFocus(Qt::TabFocusReason);
      return;
    }
  }
}

}  // namespace tutti::theme
