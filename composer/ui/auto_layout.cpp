// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/auto_layout.h"

#include <QMap>
#include <cmath>

namespace tutti::composer {

namespace {

constexpr double kPerInch = 72;

QByteArray quoted(const QString& text) {
  QString safe = text;
  safe.replace(u'\\', QStringLiteral("\\\\")).replace(u'"', QStringLiteral("\\\""));
  return '"' + safe.toUtf8() + '"';
}

QByteArray inches(double px) { return QByteArray::number(px / kPerInch, 'f', 4); }

/// Words of a line of dot's plain format; quoted ones may hold spaces.
QList<QByteArray> words(const QByteArray& line) {
  QList<QByteArray> result;
  QByteArray word;
  bool inQuotes = false;
  bool any = false;
  for (qsizetype i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (inQuotes && c == '\\' && i + 1 < line.size()) {
      word += line[++i];
    } else if (c == '"') {
      inQuotes = !inQuotes;
      any = true;
    } else if (c == ' ' && !inQuotes) {
      if (any || !word.isEmpty()) result << word;
      word.clear();
      any = false;
    } else {
      word += c;
    }
  }
  if (any || !word.isEmpty()) result << word;
  return result;
}

}  // namespace

AutoLayout::AutoLayout(QObject* parent) : QObject(parent) {
  timeout_.setSingleShot(true);
  timeout_.setInterval(kTimeoutMs);
  connect(&timeout_, &QTimer::timeout, this, [this] {
    timedOut_ = true;
    process_.kill();
  });
  connect(&process_, &QProcess::finished, this, &AutoLayout::end);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    timeout_.stop();
    Q_EMIT failed(tr("The canvas was not tidied up: %1 is not installed").arg(program_),
                  tr("Boxes keep their places. Install Graphviz: apt install graphviz"));
  });
}

AutoLayout::~AutoLayout() {
  process_.disconnect(this);
  cancel();
}

void AutoLayout::cancel() {
  if (!isRunning()) return;
  canceled_ = true;
  process_.kill();
  process_.waitForFinished(1000);
}

void AutoLayout::start(const std::vector<Node>& nodes, const std::vector<Edge>& edges) {
  cancel();
  canceled_ = timedOut_ = false;
  process_.start(program_, {QStringLiteral("-Tplain")});
  process_.write(graph(nodes, edges));
  process_.closeWriteChannel();
  timeout_.start();
}

QByteArray AutoLayout::graph(const std::vector<Node>& nodes, const std::vector<Edge>& edges) {
  QByteArray text =
      "digraph {\n rankdir=LR; nodesep=0.5; ranksep=0.9; splines=false;\n"
      " node [shape=box, fixedsize=true];\n";
  QMap<QString, QByteArray> groups;
  for (const Node& node : nodes) {
    const QByteArray line = "  " + quoted(node.id) + " [width=" + inches(node.size.width()) +
                            ", height=" + inches(node.size.height()) + "];\n";
    if (node.group.isEmpty())
      text += line;
    else
      groups[node.group] += line;
  }
  for (auto it = groups.cbegin(); it != groups.cend(); ++it)
    text += " subgraph " + quoted(QStringLiteral("cluster_") + it.key()) + " { margin=24;\n" +
            it.value() + " }\n";
  for (const Edge& edge : edges) text += ' ' + quoted(edge.from) + " -> " + quoted(edge.to) + ";\n";
  return text + "}\n";
}

QHash<QString, QPointF> AutoLayout::positions(const QByteArray& plain) {
  QHash<QString, QPointF> result;
  double left = std::numeric_limits<double>::max();
  double top = std::numeric_limits<double>::max();
  for (const QByteArray& line : plain.split('\n')) {
    const QList<QByteArray> word = words(line);
    if (word.size() < 6 || word[0] != "node") continue;
    // Centres in inches, upward; boxes want corners in px, downward.
    const QPointF corner((word[2].toDouble() - word[4].toDouble() / 2) * kPerInch,
                         (-word[3].toDouble() - word[5].toDouble() / 2) * kPerInch);
    result.insert(QString::fromUtf8(word[1]), corner);
    left = std::min(left, corner.x());
    top = std::min(top, corner.y());
  }
  for (QPointF& corner : result)
    corner = QPointF(std::round(corner.x() - left), std::round(corner.y() - top));
  return result;
}

void AutoLayout::end() {
  timeout_.stop();
  if (canceled_) return;
  if (timedOut_) {
    Q_EMIT failed(tr("The canvas was not tidied up: %1 took over %2 s")
                      .arg(program_)
                      .arg(timeout_.interval() / 1000.0),
                  tr("Boxes keep their places. Collapse groups and try again."));
    return;
  }
  const auto result = positions(process_.readAllStandardOutput());
  if (process_.exitStatus() != QProcess::NormalExit || process_.exitCode() != 0 ||
      result.isEmpty()) {
    const QString reason =
        QString::fromUtf8(process_.readAllStandardError()).section(u'\n', 0, 0).trimmed();
    Q_EMIT failed(tr("The canvas was not tidied up: %1 ended with code %2")
                      .arg(program_)
                      .arg(process_.exitCode()),
                  reason.isEmpty() ? tr("Boxes keep their places.") : reason);
    return;
  }
  Q_EMIT finished(result);
}

}  // namespace tutti::composer
