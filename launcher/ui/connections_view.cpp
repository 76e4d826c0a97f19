// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/connections_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QListWidget>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QToolTip>
#include <algorithm>

#include "composer/model/composition.h"
#include "resources/theme/delegates.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using theme::State;
using theme::Token;

namespace {

constexpr int margin = 14;
constexpr int highBox = 38;
constexpr int lowBox = 26;
constexpr int labelled = 3;  ///< up to so many nodes every link has its label
constexpr int circle = 9;

std::size_t index(int number) { return static_cast<std::size_t>(number); }

constexpr int boxGap = 10;
constexpr int rowGap = 8;
constexpr int labelRoom = 8;  ///< between the lowest row and the home, for the label
constexpr int widestBox = 150;
constexpr int narrowBox = 104;

/// All but the home fit into one row of large boxes.
bool isRoomy(int nodes, int width) {
  return (nodes - 1) * (narrowBox + boxGap) <= width - 2 * margin + boxGap;
}

}  // namespace

ConnectionsGraph::ConnectionsGraph(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("connectionsGraph"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void ConnectionsGraph::setConnections(const Connections& connections) {
  connections_ = connections;
  fitHeight();
  setAccessibleName(connections.nodes.empty() ? connections.whyNone
                                              : tr("Connections, as the list beside it says them"));
  update();
}

void ConnectionsGraph::fitHeight() {
  const auto others = static_cast<int>(connections_.nodes.size()) - 1;
  int rows = 0;
  if (others > 0) {
    const int fit = std::max(1, (width() - 2 * margin + boxGap) / (narrowBox + boxGap));
    rows = isRoomy(others + 1, width()) ? 1 : (others + fit - 1) / fit;
  }
  setMinimumHeight(2 * margin + rows * (highBox + rowGap) + highBox + labelRoom);
}

void ConnectionsGraph::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitHeight();
}

QRect ConnectionsGraph::nodeRect(int node) const {
  const auto nodes = static_cast<int>(connections_.nodes.size());
  const bool roomy = isRoomy(nodes, width());
  const int others = std::max(nodes - 1, 1);
  const int wide =
      roomy ? std::min(widestBox, (width() - 2 * margin + boxGap) / others - boxGap) : narrowBox;
  const int high = roomy ? highBox : lowBox;
  // The home below, the others in rows above it.
  if (node == 0) {
    const int y = nodes == 1 ? (height() - high) / 2 : height() - margin - high;
    return {(width() - widestBox) / 2, std::max(y, margin), widestBox, high};
  }
  const int fit = std::max(1, (width() - 2 * margin + boxGap) / (wide + boxGap));
  const int rows = (others + fit - 1) / fit;
  const int columns = (others + rows - 1) / rows;
  const int row = (node - 1) / columns;
  const int column = (node - 1) % columns;
  const int inRow = std::min(columns, others - row * columns);
  const int room = width() - 2 * margin;
  const int x = margin + room * (2 * column + 1) / (2 * inRow) - wide / 2;
  return {x, margin + row * (high + rowGap), wide, high};
}

void ConnectionsGraph::paintLinks(QPainter& painter, const theme::Palette& palette) const {
  const auto nodes = static_cast<int>(connections_.nodes.size());
  const bool few = isRoomy(nodes, width());
  for (const auto& link : connections_.links) {
    const QPointF one = nodeRect(link.one).center();
    const QPointF other = nodeRect(link.other).center();
    if (link.toHome) {
      painter.setPen(QPen(palette[Token::RunningFill], 2));
      painter.drawLine(one, other);
    } else if (few) {
      painter.setPen(QPen(palette[Token::LineControl], 1, Qt::DashLine));
      // Side by side a straight line would run through the boxes between.
      const QRectF from = nodeRect(link.one);
      const QRectF to = nodeRect(link.other);
      if (link.other - link.one == 1)
        painter.drawLine(QPointF(from.right(), one.y()), QPointF(to.left(), other.y()));
      else
        painter.drawArc(QRectF(one.x(), from.top() - 8, other.x() - one.x(), 16), 0, 180 * 16);
    }
  }
  const QFont font = theme::textFont(theme::TextStyle::Caption);
  const QFontMetrics metrics(font);
  painter.setFont(font);
  const auto label = [&](const QPointF& at, const QString& text) {
    const int wide = metrics.horizontalAdvance(text) + 14;
    const QRectF pill(at.x() - wide / 2.0, at.y() - 9, wide, 18);
    painter.setPen(palette[Token::LineStrong]);
    painter.setBrush(palette[Token::BgRaised]);
    painter.drawRoundedRect(pill, 9, 9);
    painter.setPen(palette[Token::TextSecondary]);
    painter.drawText(pill, Qt::AlignCenter, text);
  };
  if (connections_.links.empty()) return;
  if (nodes <= labelled) {
    for (const auto& link : connections_.links) {
      if (!link.toHome) continue;
      const QPointF home = nodeRect(link.one).center();
      const QPointF host = nodeRect(link.other).center();
      label(home + (host - home) * 0.6, link.transport);
    }
  } else {
    const QRect home = nodeRect(0);
    label(QPointF(home.center().x(), home.top() - 16),
          tr("each %1").arg(connections_.links.front().transport));
  }
}

void ConnectionsGraph::paintNode(QPainter& painter, int number,
                                 const theme::Palette& palette) const {
  const auto& node = connections_.nodes[index(number)];
  const QRect rect = nodeRect(number);
  const bool high = rect.height() == highBox;
  painter.setPen(
      QPen(palette[node.isHome ? Token::Accent : Token::LineStrong], node.isHome ? 2 : 1));
  painter.setBrush(palette[Token::BgRaised]);
  painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), theme::radius::kNode,
                          theme::radius::kNode);
  theme::paintIcon(painter, QRectF(rect.left() + 8, rect.center().y() - 7, 16, 16),
                   QStringLiteral("computer"), palette[Token::TextSecondary]);
  const QFont caption = theme::textFont(theme::TextStyle::Caption);
  const QFont name = theme::textFont(theme::TextStyle::Label, QFont::DemiBold);
  const QFontMetrics small(caption);
  QRect text(rect.left() + 30, rect.top(), rect.width() - 38, rect.height());
  const auto amount = QString::number(node.federates.size());
  if (!high) {
    const int wide = small.horizontalAdvance(amount);
    painter.setFont(caption);
    painter.setPen(palette[Token::TextMuted]);
    painter.drawText(text, Qt::AlignVCenter | Qt::AlignRight, amount);
    text.setRight(text.right() - wide - 4);
  } else {
    text = QRect(text.left(), text.top() + 3, text.width(), 17);
  }
  painter.setFont(name);
  painter.setPen(palette[Token::TextPrimary]);
  const QFontMetrics large(name);
  const bool fits = large.horizontalAdvance(node.name) <= text.width();
  painter.drawText(
      text, Qt::AlignVCenter | Qt::AlignLeft,
      large.elidedText(fits ? node.name : node.shortName, Qt::ElideRight, text.width()));
  if (!high) return;
  // Below a circle for each federate, as many as fit.
  int left = text.left();
  const int top = text.bottom() + 4;
  if (node.isHome) {
    painter.setFont(caption);
    painter.setPen(palette[Token::TextLink]);
    const QString tag = tr("coordinates");
    painter.drawText(QRect(left, top - 3, text.width(), 15), Qt::AlignVCenter, tag);
    left += small.horizontalAdvance(tag) + 8;
  }
  const int room = rect.right() - 8 - left;
  const int fit = room / (circle + 2);
  const auto all = static_cast<int>(node.federates.size());
  const int shown = all <= fit ? all : std::max(0, fit - 3);
  painter.setPen(QPen(palette[Token::TextMuted], 1.2));
  painter.setBrush(Qt::NoBrush);
  for (int i = 0; i < shown; ++i) {
    painter.drawEllipse(QRectF(left, top, circle, circle).adjusted(0.5, 0.5, -0.5, -0.5));
    left += circle + 2;
  }
  if (shown == all) return;
  painter.setFont(caption);
  painter.setPen(palette[Token::TextMuted]);
  painter.drawText(QRect(left, top - 3, rect.right() - left, 15), Qt::AlignVCenter,
                   shown == 0 ? amount : QStringLiteral("+%1").arg(all - shown));
}

void ConnectionsGraph::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const auto palette = theme::Palette::of(this);
  painter.fillRect(rect(), palette[Token::BgCanvas]);
  paint(painter, palette);
}

void ConnectionsGraph::paint(QPainter& painter, const theme::Palette& palette) const {
  painter.setRenderHint(QPainter::Antialiasing);
  if (connections_.nodes.empty()) {
    painter.setFont(theme::textFont(theme::TextStyle::Body));
    painter.setPen(palette[Token::TextMuted]);
    painter.drawText(rect().adjusted(margin, margin, -margin, -margin),
                     static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, connections_.whyNone);
    return;
  }
  paintLinks(painter, palette);
  for (int node = 0; node < static_cast<int>(connections_.nodes.size()); ++node)
    paintNode(painter, node, palette);
  painter.setFont(theme::textFont(theme::TextStyle::Caption));
  painter.setPen(palette[Token::TextMuted]);
  const QRect foot(margin, height() - 18, width() / 2 - 90, 16);
  painter.drawText(
      foot, Qt::AlignVCenter,
      painter.fontMetrics().elidedText(
          connections_.nodes.size() == 1 ? tr("No links: one host") : tr("Dashed: data"),
          Qt::ElideRight, foot.width()));
}

void ConnectionsGraph::mousePressEvent(QMouseEvent* event) {
  for (int node = 0; node < static_cast<int>(connections_.nodes.size()); ++node) {
    if (nodeRect(node).contains(event->pos()))
      Q_EMIT hostClicked(connections_.nodes[index(node)].key);
  }
}

bool ConnectionsGraph::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QString tip;
    for (int node = 0; node < static_cast<int>(connections_.nodes.size()); ++node) {
      if (!nodeRect(node).contains(help->pos())) continue;
      const auto& one = connections_.nodes[index(node)];
      tip = tr("%1: %2").arg(one.name, one.federates.join(QStringLiteral(", ")));
      if (one.isHome) tip += u'\n' + one.why;
    }
    QToolTip::showText(help->globalPos(), theme::wrappedTip(tip), this);
    return true;
  }
  return QWidget::event(event);
}

// ConnectionsView

ConnectionsView::ConnectionsView(QWidget* parent)
    : QWidget(parent),
      graph_(new ConnectionsGraph(this)),
      architectures_(new QComboBox(this)),
      lines_(new QListWidget(this)) {
  setObjectName(QStringLiteral("connectionsView"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  auto* scroll = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(graph_);
  row->addWidget(scroll, 4);
  lines_->setObjectName(QStringLiteral("connectionsLines"));
  lines_->setAccessibleName(tr("Connections and single points of failure"));
  lines_->setFrameShape(QFrame::NoFrame);
  lines_->setItemDelegate(new theme::TwoLineDelegate(lines_, 36));
  lines_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  lines_->setMinimumWidth(220);
  row->addWidget(lines_, 3);
  architectures_->setObjectName(QStringLiteral("architecture"));
  architectures_->setProperty("role", QByteArray("bar"));
  architectures_->setAccessibleName(tr("Architecture"));
  for (const auto& one : composer::architectures) {
    architectures_->addItem(QString::fromLatin1(one.name), QString::fromLatin1(one.name));
    architectures_->setItemData(architectures_->count() - 1, QString::fromLatin1(one.meaning),
                                Qt::ToolTipRole);
  }
  connect(architectures_, &QComboBox::activated, this, [this](int chosen) {
    Q_EMIT architectureChosen(architectures_->itemData(chosen).toString());
  });
  connect(graph_, &ConnectionsGraph::hostClicked, this, &ConnectionsView::hostClicked);
}

void ConnectionsView::setConnections(const Connections& connections) {
  const int chosen = architectures_->findData(connections.architecture);
  architectures_->setCurrentIndex(std::max(chosen, 0));
  architectures_->setToolTip(architectures_->itemData(chosen, Qt::ToolTipRole).toString());
  if (connections == connections_ && lines_->count() > 0) return;
  connections_ = connections;
  graph_->setConnections(connections);
  lines_->clear();
  lines_->setVisible(!connections.nodes.empty());
  // What the run cannot do without first; then what the graph shows.
  const auto add = [this](State state, const QString& what, const QString& detail,
                          const QString& spoken) {
    auto* item = new QListWidgetItem(what, lines_);
    item->setData(theme::DetailRole, detail);
    item->setData(theme::StateRole, QVariant::fromValue(state));
    item->setToolTip(theme::wrappedTip(what + QStringLiteral(": ") + detail));
    item->setData(Qt::AccessibleTextRole, spoken);
  };
  for (const auto& point : connections.singlePoints)
    add(point.endsRun ? State::Warning : State::Info, point.what, point.then,
        tr("Single point of failure, %1: %2").arg(point.what, point.then));
  const QStringList lines = connections.lines();
  for (qsizetype i = 0; i + static_cast<qsizetype>(connections.singlePoints.size()) < lines.size();
       ++i)
    add(State::Idle, lines.at(i).section(QStringLiteral(": "), 0, 0),
        lines.at(i).section(QStringLiteral(": "), 1), lines.at(i));
}

}  // namespace tutti::launcher
