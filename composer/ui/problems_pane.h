// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QTreeView>
#include <QWidget>

#include "composer/model/document.h"
#include "composer/ui/selection.h"
#include "resources/theme/widgets.h"

class QStackedWidget;

namespace tutti::composer {

/// The document's findings as a table: what and why, where, which check, fix.
class ProblemsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { WhatColumn, WhereColumn, CheckColumn, FixColumn, ColumnCount };

  explicit ProblemsModel(Document& document, QObject* parent = nullptr);

  const Finding* finding(int row) const;
  int count(Severity severity) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void refresh();

  Document& document_;
  std::vector<Finding> findings_;
};

/// The Problems dock: the table, or that there is nothing to do.
class ProblemsPane : public QWidget {
  Q_OBJECT
 public:
  ProblemsPane(Document& document, Selection& selection, QWidget* parent = nullptr);

  ProblemsModel* model() const { return model_; }
  QTreeView* view() const { return view_; }
  /// Selects the next (+1) or previous (-1) problem and shows its place.
  void go(int direction);

 Q_SIGNALS:
  /// Show what a finding is about.
  void placeRequested(const QString& federateId, const QString& parameter,
                      const QString& className);
  /// A place in a file: "AirTraffic-Radar.xml:52".
  void fileRequested(const QString& file, int line);

 private:
  void refresh();
  void showPlace(const QModelIndex& index);
  void copySelected();

  Document& document_;
  Selection& selection_;
  ProblemsModel* model_;
  QStackedWidget* stack_;
  QTreeView* view_;
  theme::EmptyView* empty_;
};

}  // namespace tutti::composer
