// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "launcher/ui/connections.h"

class QComboBox;
class QLabel;
class QListWidget;

namespace tutti::theme {
class Palette;
}

namespace tutti::launcher {

/// The RTI nodes of a run as boxes, the links between them as lines.
class ConnectionsGraph : public QWidget {
  Q_OBJECT

 public:
  explicit ConnectionsGraph(QWidget* parent = nullptr);

  void setConnections(const Connections& connections);
  /// Where the box of a node is; for tests.
  QRect nodeRect(int node) const;
  /// As it is on the screen, on what is there, in the colours of `palette`.
  void paint(QPainter& painter, const theme::Palette& palette) const;

 Q_SIGNALS:
  /// A node was clicked: the key of its host.
  void hostClicked(const QString& key);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  /// As high as the rows of boxes need; it scrolls where there is less room.
  void fitHeight();
  void paintLinks(QPainter& painter, const theme::Palette& palette) const;
  void paintNode(QPainter& painter, int node, const theme::Palette& palette) const;

  Connections connections_;
};

/// The graph, the architecture to choose, and as lines what the run cannot do without. The lines
/// also say what the graph shows.
class ConnectionsView : public QWidget {
  Q_OBJECT

 public:
  explicit ConnectionsView(QWidget* parent = nullptr);

  void setConnections(const Connections& connections);
  const Connections& connections() const { return connections_; }
  const ConnectionsGraph* graph() const { return graph_; }
  /// For the title bar: the choice of the architecture.
  QComboBox* architectures() const { return architectures_; }

 Q_SIGNALS:
  void architectureChosen(const QString& name);
  void hostClicked(const QString& key);

 private:
  Connections connections_;
  ConnectionsGraph* graph_;
  QComboBox* architectures_;
  QListWidget* lines_;
};

}  // namespace tutti::launcher
