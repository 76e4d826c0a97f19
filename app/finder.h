// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QFrame>
#include <QList>
#include <QStyledItemDelegate>

#include "resources/theme/finder.h"
#include "resources/theme/widgets.h"

class QListView;

namespace tutti::app {

/// Everything the Ctrl+K field can find, filtered by what was typed.
class FindModel : public QAbstractListModel {
  Q_OBJECT
 public:
  using QAbstractListModel::QAbstractListModel;

  enum FindRole { KindRole = Qt::UserRole + 1, ShortcutRole, DetailTextRole, IconRole };
  static constexpr int kShown = 50;

  void setEntries(QList<theme::FindEntry> entries);
  /// Keeps the best 50. Words may come in any order; a hit at a word's start counts more, in the
  /// title more than in the detail.
  void filter(const QString& query);
  const theme::FindEntry* entry(const QModelIndex& index) const;
  /// All that matched, shown or not.
  int matches() const { return matches_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  struct Searchable {
    theme::FindEntry entry;
    QString title;   // lower case
    QString detail;  // lower case
  };
  QList<Searchable> all_;
  QList<int> shown_;
  int matches_ = 0;
};

/// The field at the right of the menu row and the list that drops from it. The list is a child of
/// the window, not a window, so the field keeps the focus.
class FindField : public theme::SearchField {
  Q_OBJECT
 public:
  explicit FindField(QWidget* parent = nullptr);

  void addProvider(theme::FindProvider provider) { providers_ << std::move(provider); }
  /// Gathers entries, opens the list and takes the focus.
  void open();
  FindModel* model() { return model_; }
  QListView* list() { return list_; }

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void gather();
  void showList();
  void hideList();
  void activate(const QModelIndex& index);
  void leave();

  QList<theme::FindProvider> providers_;
  FindModel* model_;
  QFrame* popup_ = nullptr;
  QListView* list_ = nullptr;
  QLabel* note_ = nullptr;
};

}  // namespace tutti::app
