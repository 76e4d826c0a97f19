// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "resources/theme/state.h"

namespace tutti::monitor {

/// One line of a fact list.
struct Fact {
  enum class Kind {
    Headline,  ///< bold, wrapped
    Section,   ///< rule above, icon, bold label, bold value
    Row,       ///< label and value
    Note,      ///< muted, wrapped
  };
  Kind kind = Kind::Row;
  QString label;
  QString value;
  QString source;                    ///< where the value comes from; the tool tip
  std::optional<theme::State> icon;  ///< of a section
  QString target;                    ///< makes the label a link
  double fraction = -1;              ///< 0 to 1: a bar under the row; negative: none
};

/// Labels with values, as the panels at the right show them. Painted, so that values change twice a
/// second without a layout; its text is there for screen readers, and to copy.
class FactList : public QWidget {
  Q_OBJECT

 public:
  explicit FactList(QWidget* parent = nullptr);
  void setFacts(std::vector<Fact> facts);
  QString text() const;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override { return {280, heightForWidth(280)}; }
  QSize minimumSizeHint() const override { return {180, heightForWidth(std::max(width(), 180))}; }

 signals:
  void linkActivated(const QString& target);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int heightOf(const Fact& fact, int width) const;
  int factAt(QPoint position) const;
  std::vector<Fact> facts_;
};

}  // namespace tutti::monitor
