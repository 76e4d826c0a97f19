// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStandardItemModel>
#include <QTreeView>
#include <QWidget>

#include "composer/model/document.h"
#include "resources/theme/widgets.h"

class QPushButton;
class QStackedWidget;

namespace tutti::composer {

/// The catalog as a tree: categories, components with what they publish and subscribe. Drags carry
/// CanvasView::componentMimeType.
class CatalogModel : public QStandardItemModel {
  Q_OBJECT
 public:
  enum CatalogRole {
    ComponentRole = Qt::UserRole + 1,
    CategoryRole,
    ProblemFileRole,  ///< of a row for a manifest that cannot be read
  };

  explicit CatalogModel(QObject* parent = nullptr);
  /// Shows what matches `query`, in the catalog's order within each category; without a query also
  /// the manifests that cannot be read.
  void show(const Catalog& catalog, const QString& query);
  int shown() const { return shown_; }

  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;

 private:
  void showProblems(const Catalog& catalog);

  int shown_ = 0;
};

class NeedsPane;

/// The dock at the left: search field, tree, and what to do when nothing is found.
class CatalogPane : public QWidget {
  Q_OBJECT
 public:
  explicit CatalogPane(Document& document, QWidget* parent = nullptr);

  void focusSearch();
  QTreeView* view() const { return view_; }
  CatalogModel* model() const { return model_; }
  theme::SearchField* search() const { return search_; }
  /// Asks for the classes that are needed and proposes components, in place of the tree.
  void composeFromNeeds();
  /// "1 folder, 6 components".
  QString caption() const;

 Q_SIGNALS:
  /// Return or double-click: put one on the canvas.
  void addRequested(const QString& component);
  void captionChanged();
  /// The same on a manifest that cannot be read.
  void problemRequested(const QString& file);
  /// Components that were proposed are on the canvas now (ids).
  void composed(const QStringList& federates);

 private:
  void refresh();

  Document& document_;
  theme::SearchField* search_;
  QStackedWidget* stack_;
  QTreeView* view_;
  theme::EmptyView* empty_;
  NeedsPane* needs_;
  QPushButton* compose_;
  CatalogModel* model_;
  QSet<QString> closed_;
};

}  // namespace tutti::composer
