// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/keys_panel.h"

#include <QGridLayout>
#include <QVBoxLayout>
#include <array>

#include "resources/theme/widgets.h"

namespace tutti::app {

namespace {

struct Key {
  const char* keys;
  const char* what;
};
struct Group {
  const char* title;
  std::initializer_list<Key> keys;
};

}  // namespace

KeysPanel::KeysPanel(QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("keysPanel"));
  setWindowTitle(tr("Keys"));
  setModal(false);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 16, 24, 24);
  column->addWidget(theme::makeLabel(tr("Everything works by keyboard"), "title", this));
  column->addSpacing(8);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(16);
  grid->setVerticalSpacing(5);
  column->addLayout(grid);
  column->addStretch(1);

  const std::array groups{
      Group{QT_TR_NOOP("Anywhere"),
            {{"Ctrl+1 to 5", QT_TR_NOOP("Show a workspace")},
             {"Ctrl+K", QT_TR_NOOP("Find anything")},
             {"Ctrl+F, Esc", QT_TR_NOOP("Filter the list, leave the filter")},
             {"Ctrl+Tab", QT_TR_NOOP("Next pane")},
             {"F8, Shift+F8", QT_TR_NOOP("Next, previous problem")},
             {"Alt+Left, Alt+Right", QT_TR_NOOP("Back, forward")},
             {"Ctrl+Z, Ctrl+Shift+Z", QT_TR_NOOP("Undo, redo")},
             {"Shift+F10", QT_TR_NOOP("Menu of the selected item")},
             {"F1", QT_TR_NOOP("The page of the guide that fits")},
             {"Ctrl+/", QT_TR_NOOP("These keys")}}},
      Group{QT_TR_NOOP("Run"),
            {{"F5, Shift+F5", QT_TR_NOOP("Run, stop")},
             {"F6, F10", QT_TR_NOOP("Pause or resume, step")},
             {"Del", QT_TR_NOOP("End the selected federate, after showing what would be lost")}}},
      Group{QT_TR_NOOP("Canvas"),
            {{"Arrows", QT_TR_NOOP("Nearest box in that direction")},
             {"Tab", QT_TR_NOOP("Next box in the data flow")},
             {"Shift+Arrows", QT_TR_NOOP("Move the selection 16 px, with Ctrl 1 px")},
             {"Space, Enter", QT_TR_NOOP("Select, edit its properties")},
             {"F2, Del", QT_TR_NOOP("Rename, delete")},
             {"Ctrl+E", QT_TR_NOOP("Enable or disable")},
             {"Ctrl+G, +, -", QT_TR_NOOP("Group, open, collapse")},
             {"Ctrl+0, Ctrl+9", QT_TR_NOOP("100 %, fit")}}}};
  int row = 0;
  for (const Group& group : groups) {
    auto* title = theme::makeLabel(tr(group.title), "group", this);
    title->setContentsMargins(0, row == 0 ? 0 : 10, 0, 0);
    grid->addWidget(title, row++, 0, 1, 2);
    for (const Key& key : group.keys) {
      grid->addWidget(theme::makeLabel(QString::fromLatin1(key.keys), "label", this), row, 0);
      grid->addWidget(theme::makeLabel(tr(key.what), "secondary", this), row++, 1);
    }
  }
  grid->setColumnStretch(1, 1);
}

}  // namespace tutti::app
