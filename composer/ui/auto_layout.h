// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QPointF>
#include <QProcess>
#include <QSizeF>
#include <QString>
#include <QTimer>
#include <vector>

namespace tutti::composer {

/// Places boxes with Graphviz's `dot`, run as a child process: positions only, so its licence does
/// not touch ours, and a layout that takes too long is ended instead of waited for.
class AutoLayout : public QObject {
  Q_OBJECT
 public:
  static constexpr int kTimeoutMs = 5000;

  struct Node {
    QString id;
    QSizeF size;    ///< px
    QString group;  ///< empty for none; members stay together
  };
  struct Edge {
    QString from;
    QString to;
  };

  explicit AutoLayout(QObject* parent = nullptr);
  ~AutoLayout() override;

  bool isRunning() const { return process_.state() != QProcess::NotRunning; }
  /// Starts; one of the signals follows. A running one is ended first.
  void start(const std::vector<Node>& nodes, const std::vector<Edge>& edges);
  void cancel();
  /// The program to run; "dot" unless a test says otherwise.
  void setProgram(const QString& program) { program_ = program; }
  void setTimeout(int milliseconds) { timeout_.setInterval(milliseconds); }

  /// The graph in dot's language; parsing of its "plain" answer. Apart, for tests.
  static QByteArray graph(const std::vector<Node>& nodes, const std::vector<Edge>& edges);
  static QHash<QString, QPointF> positions(const QByteArray& plain);

 Q_SIGNALS:
  /// Top left corners by id, in whole px, the leftmost at 0.
  void finished(const QHash<QString, QPointF>& positions);
  /// What failed, why and what to do.
  void failed(const QString& title, const QString& detail);

 private:
  void end();

  QProcess process_;
  QTimer timeout_;
  QString program_ = QStringLiteral("dot");
  bool canceled_ = false;
  bool timedOut_ = false;
};

}  // namespace tutti::composer
