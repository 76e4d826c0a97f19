// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fom-editor/model/service_table.h"
#include "fom-editor/ui/module_page.h"
#include "resources/theme/delegates.h"

class QAction;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTreeView;

namespace tutti::theme {
class EmptyView;
class SearchField;
class SegmentedControl;
}  // namespace tutti::theme

namespace tutti::fomedit {

/// A mark where a service is used.
class ServiceDelegate : public theme::RowDelegate {
  Q_OBJECT
 public:
  explicit ServiceDelegate(QObject* parent = nullptr);

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;
};

/// Which services a module says that it uses, by service group.
class ServicesPage : public ModulePage {
  Q_OBJECT
 public:
  ServicesPage(RowEditor& rows, OpenModules& modules, QWidget* parent);
  Table table() const override;
  QWidget* mainView() const override;
  QWidget* searchField() const override;

 protected:
  void refresh() override;
  int firstModule() const override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  ServiceTable services() const;
  void select();
  void showCounts();
  /// Turns the selected rows over; of a group all of it.
  void toggle();
  void showMenu(const QPoint& at);

  ServiceModel* model_;
  QTreeView* tree_;
  QStackedWidget* stack_;
  theme::EmptyView* none_;
  QPushButton* addTable_;
  theme::SegmentedControl* filter_;
  theme::SearchField* search_;
  QAction* toggle_;
  QAction* remove_;
  QLabel* keys_;
};

}  // namespace tutti::fomedit
