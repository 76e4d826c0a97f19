// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "fom-editor/model/comparison_rows.h"
#include "fom-editor/model/model_comparer.h"

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace tutti::theme {
class ElidedLabel;
class EmptyView;
class SearchField;
class StatePill;
}  // namespace tutti::theme

namespace tutti::fomedit {

class ByteLayoutView;
class ComparisonView;
class FindingModel;
class TableModel;
class TableView;

/// Two object models side by side: the verdict on top, filters at the left, both trees with their
/// marks in the centre and the reasons below, the chosen entry of both at the right. Shows what it
/// is given; who compares listens to its signals.
class ComparisonPage : public QWidget {
  Q_OBJECT
 public:
  explicit ComparisonPage(QWidget* parent = nullptr);

  void showComparison(std::shared_ptr<const Comparison> comparison);
  const Comparison* comparison() const { return comparison_.get(); }
  const ComparisonRows& rows() const { return *rows_; }
  /// F8 and Shift+F8: the next difference, round at the ends.
  void step(int direction);
  void focusFilter();
  void focusTree();
  QAction* exportAction() const { return exportAction_; }

 Q_SIGNALS:
  void closed();
  void swapRequested();
  /// The person says that these are two things.
  void renameRefused(const QString& before, const QString& after);
  void exportRequested();

 private:
  QWidget* buildBar();
  QWidget* buildFilters();
  QWidget* buildCentre();
  QWidget* buildDetail();
  void fillVerdict();
  void fillCounts();
  void applyFilter();
  void select(int difference);
  void fillDetail(int row);
  void fillProperties(int before, int after, int difference);
  void fillBytes(int before, int after);
  void fillComponents();
  void fillSummary();

  std::shared_ptr<const Comparison> comparison_;
  ComparisonRows* rows_;
  FindingModel* reasons_;
  TableModel* properties_;
  TableModel* summary_;

  QAction* exportAction_;
  theme::StatePill* verdict_ = nullptr;
  theme::ElidedLabel* sentence_ = nullptr;
  QToolButton* previous_ = nullptr;
  QToolButton* next_ = nullptr;
  QLabel* position_ = nullptr;
  QCheckBox* onlyDifferences_ = nullptr;
  theme::SearchField* search_ = nullptr;
  QList<QCheckBox*> marks_;
  QComboBox* kind_ = nullptr;
  QCheckBox* wire_ = nullptr;
  ComparisonView* view_ = nullptr;
  QWidget* noMatch_ = nullptr;
  QPushButton* showAll_ = nullptr;
  QWidget* why_ = nullptr;
  QLabel* name_ = nullptr;
  QLabel* what_ = nullptr;
  QPushButton* refuse_ = nullptr;
  TableView* propertyView_ = nullptr;
  QLabel* meaning_ = nullptr;
  QLabel* bytesTitle_ = nullptr;
  QLabel* bytesBefore_ = nullptr;
  QLabel* bytesAfter_ = nullptr;
  ByteLayoutView* layoutBefore_ = nullptr;
  ByteLayoutView* layoutAfter_ = nullptr;
  QWidget* components_ = nullptr;
  QVBoxLayout* componentRows_ = nullptr;
  TableView* summaryView_ = nullptr;
  QWidget* summaryBox_ = nullptr;
};

}  // namespace tutti::fomedit
