// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSet>

#include "fom-editor/model/sharing_table.h"
#include "fom-editor/ui/module_page.h"
#include "resources/theme/delegates.h"

class QAction;
class QLabel;
class QStackedWidget;
class QTreeView;

namespace tutti::theme {
class EmptyView;
class SearchField;
class SegmentedControl;
}  // namespace tutti::theme

namespace tutti::fomedit {

/// A mark where a row publishes or subscribes.
class SharingDelegate : public theme::RowDelegate {
  Q_OBJECT
 public:
  explicit SharingDelegate(QObject* parent = nullptr);
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;
};

/// What the classes and attributes of a module publish and subscribe, set in place by click or key.
class SharingPage : public ModulePage {
  Q_OBJECT
 public:
  SharingPage(RowEditor& rows, OpenModules& modules, QWidget* parent);
  Table table() const override;
  QWidget* mainView() const override;
  QWidget* searchField() const override;

 protected:
  void refresh() override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// What a key or click makes of a row: the same for publish and subscribe, or one turned over.
  struct Wish {
    std::optional<bool> publish;    ///< absent: as it is
    std::optional<bool> subscribe;  ///< absent: as it is
  };
  enum class Key { Publish, Subscribe, Both, Neither };
  void buildActions();
  void setSelected(Key key, bool withAttributes);
  bool apply(const QList<SharingRow>& rows, const Wish& wish);
  QList<SharingRow> selectedRows(bool withAttributes) const;
  void select();
  void keepPlace();
  void restorePlace();
  void showCounts();
  void showMenu(const QPoint& at);

  SharingModel* shared_;
  QTreeView* tree_;
  QStackedWidget* stack_;
  theme::EmptyView* none_;
  theme::SegmentedControl* filter_;
  theme::SearchField* search_;
  QAction* inherited_;
  QList<QAction*> actions_;     ///< publish, subscribe, both, neither
  QList<QAction*> allActions_;  ///< the same with all attributes
  QSet<QString> closed_;        ///< keys of classes
  QStringList selected_;        ///< keys
  QString current_;             ///< key
  int column_ = 0;
  int scrolled_ = 0;
};

}  // namespace tutti::fomedit
