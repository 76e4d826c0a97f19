// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QRect>
#include <QWidget>
#include <memory>

#include "fom-editor/model/module_dependencies.h"

class QHelpEvent;

namespace tutti::fomedit {

/// The modules around one: at the left those that need it, below it those that it needs. Nothing
/// for a module that the graph does not have. The arrow keys go from box to box, Enter chooses; the
/// text below and the box of the module itself lead to all that it needs and offers.
class DependencyView : public QWidget {
  Q_OBJECT
 public:
  explicit DependencyView(QWidget* parent = nullptr);

  void setGraph(std::shared_ptr<const DependencyGraph> graph);
  /// By display name; "HLAstandardMIM" for the MIM.
  void setModule(const QString& file);
  const QString& module() const { return file_; }

  /// "none circular", "2 circular dependencies", "3 undefined"; for the title bar.
  QString caption() const;

  QSize sizeHint() const override { return {240, height_}; }
  QSize minimumSizeHint() const override { return {160, height_}; }

 Q_SIGNALS:
  /// The person has chosen another module.
  void chosen(const QString& file);
  /// The person wants to know all that the shown module needs and offers.
  void detailsRequested();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  enum class Side { Needer, Centre, Provider };
  struct Box {
    QRect area;
    Side side = Side::Centre;
    int module = 0;  ///< in the graph
    int more = 0;    ///< instead of a module: so many that have no room
    QString toolTip;
  };
  void arrange();
  QString shortName(int module) const;
  QString needsText(int from, int of) const;
  int undefinedOf(int module) const;
  QString offersText() const;
  QString undefinedText() const;
  /// The text below the boxes.
  QRect textArea() const;
  /// Where that is, below a row of pixels.
  QRect offersArea(int above) const;
  const Box* boxAt(QPoint at) const;
  void choose(const Box* box);

  std::shared_ptr<const DependencyGraph> graph_;
  QString file_;
  int module_ = -1;
  QList<Box> boxes_;
  int current_ = 0;  ///< box with the keyboard's focus
  int hovered_ = -1;
  bool textHovered_ = false;
  QStringList shortNames_;  ///< of the graph's modules
  int height_ = 1;
};

}  // namespace tutti::fomedit
