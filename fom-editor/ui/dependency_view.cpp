// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/dependency_view.h"

#include <QFileInfo>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <map>

#include "fom-editor/model/module_names.h"
#include "resources/theme/icons.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

using theme::Palette;
using theme::textFont;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int kMargin = 12;
constexpr int kBox = 26;
constexpr int kGap = 8;
constexpr int kBetween = 32;  ///< the columns, where arrows are
constexpr int kStep = 16;     ///< of what is needed, to the right
constexpr int kLine = 16;
constexpr qsizetype kMost = 4;  ///< boxes of one side
constexpr qsizetype kNamesShown = 8;

/// "A", "A and B", "A, B and 3 more".
QString listed(const QStringList& names) {
  if (names.size() > kNamesShown) {
    return names.mid(0, kNamesShown).join(QStringLiteral(", ")) +
           DependencyView::tr(" and %1 more").arg(names.size() - kNamesShown);
  }
  if (names.size() < 2) return names.join(QString());
  return names.mid(0, names.size() - 1).join(QStringLiteral(", ")) +
         DependencyView::tr(" and %1").arg(names.last());
}

QString counted(int count, const char* one, const char* many) {
  return QStringLiteral("%1 %2").arg(count).arg(QLatin1String(count == 1 ? one : many));
}

void drawArrow(QPainter& painter, QPointF from, QPointF corner, QPointF to) {
  painter.drawLine(from, corner);
  painter.drawLine(corner, to);
  const QPointF along = to - corner;
  const double length = std::hypot(along.x(), along.y());
  if (length < 1) return;
  const QPointF unit = along / length;
  const QPointF across(-unit.y(), unit.x());
  painter.drawLine(to, to - 5 * unit + 3 * across);
  painter.drawLine(to, to - 5 * unit - 3 * across);
}

}  // namespace

DependencyView::DependencyView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::TabFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void DependencyView::setGraph(std::shared_ptr<const DependencyGraph> graph) {
  graph_ = std::move(graph);
  QStringList files;
  if (graph_) {
    for (const ModuleDependencies& module : graph_->modules.mid(1)) files << module.file;
  }
  shortNames_ = QStringList(tr("MIM")) + shortModuleNames(files);
  setModule(file_);
}

void DependencyView::setModule(const QString& file) {
  file_ = file;
  module_ = -1;
  if (graph_) {
    for (qsizetype i = 0; i < graph_->modules.size(); ++i) {
      if (graph_->modules[i].file == file) module_ = static_cast<int>(i);
    }
  }
  arrange();
}

QString DependencyView::caption() const {
  if (!graph_) return {};
  int undefined = 0;
  for (int i = 1; i < graph_->modules.size(); ++i) undefined += undefinedOf(i);
  if (undefined > 0) return tr("%1 undefined").arg(undefined);
  const auto circles = static_cast<int>(graph_->circles.size());
  return circles == 0 ? tr("none circular")
                      : counted(circles, "circular dependency", "circular dependencies");
}

int DependencyView::undefinedOf(int module) const {
  const QList<ModuleNeed>& needs = graph_->modules[module].needs;
  return static_cast<int>(std::count_if(needs.begin(), needs.end(), [](const ModuleNeed& need) {
    return need.provider == ModuleNeed::nobody;
  }));
}

QString DependencyView::shortName(int module) const { return shortNames_.value(module); }

QString DependencyView::needsText(int from, int of) const {
  QStringList names;
  for (const ModuleNeed& need : graph_->modules[from].needs) {
    if (need.provider == of) names << need.name;
  }
  return tr("%1 needs %2 for %3")
      .arg(QFileInfo(graph_->modules[from].file).fileName(),
           QFileInfo(graph_->modules[of].file).fileName(), listed(names));
}

void DependencyView::arrange() {
  boxes_.clear();
  hovered_ = -1;
  current_ = 0;
  height_ = 1;
  if (module_ >= 0) {
    QList<int> needers;
    QList<int> providers;
    for (int i = 1; i < graph_->modules.size(); ++i) {
      if (i != module_ && graph_->modules[i].providers().contains(module_)) needers << i;
    }
    for (const ModuleNeed& need : graph_->modules[module_].needs) {
      const int provider = need.provider;
      if (provider >= 0 && provider != module_ && !providers.contains(provider)) {
        providers << provider;
      }
    }
    std::sort(providers.begin(), providers.end());
    // The MIM is needed by all, and says least.
    if (providers.removeOne(0)) providers << 0;
    const int column = std::max(60, (width() - 2 * kMargin - kBetween) / 2);
    const int right = kMargin + column + kBetween;
    const int top = kMargin + kLine;
    const auto add = [&](Side side, const QList<int>& modules, int left, int from, int wide) {
      int y = from;
      const auto shown = modules.size() > kMost ? kMost - 1 : modules.size();
      for (qsizetype i = 0; i < shown; ++i, y += kBox + kGap) {
        Box box{{left, y, wide, kBox}, side, modules[i], 0, {}};
        box.toolTip = side == Side::Needer   ? needsText(modules[i], module_)
                      : side == Side::Centre ? graph_->modules[module_].file
                                             : needsText(module_, modules[i]);
        boxes_ << box;
      }
      if (shown < modules.size()) {
        Box box{{left, y, wide, kBox}, side, 0, static_cast<int>(modules.size() - shown), {}};
        QStringList names;
        for (const int module : modules.mid(shown)) {
          names << QFileInfo(graph_->modules[module].file).fileName();
        }
        box.toolTip = names.join(u'\n');
        boxes_ << box;
        y += kBox + kGap;
      }
      return y;
    };
    int bottom = add(Side::Centre, {module_}, right, top, column);
    bottom = add(Side::Provider, providers, right + kStep, bottom + kGap / 2, column - kStep);
    bottom = std::max(bottom, add(Side::Needer, needers, kMargin, top, column));
    const int lines = undefinedOf(module_) > 0 ? kLine : 0;
    height_ = bottom + offersArea(bottom - kGap).height() + lines + kMargin;
    QStringList spoken;
    for (const Box& box : boxes_) {
      if (box.side != Side::Centre) spoken << box.toolTip;
    }
    setAccessibleName(tr("Dependencies of %1: %2")
                          .arg(QFileInfo(file_).fileName(), spoken.join(QStringLiteral("; "))));
  }
  updateGeometry();
  update();
}

void DependencyView::paintEvent(QPaintEvent*) {
  if (module_ < 0) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette palette = Palette::of(this);
  const QFont small = textFont(TextStyle::Caption);
  const QFontMetrics smallMetrics(small);
  painter.setFont(small);

  const QRect centre = boxes_.front().area;
  int needers = 0;
  int bottom = centre.bottom();
  for (const Box& box : boxes_) {
    bottom = std::max(bottom, box.area.bottom());
    painter.setPen(QPen(palette[Token::LineControl], 1));
    if (box.side == Side::Needer) {
      needers += box.more > 0 ? box.more : 1;
      const QPointF from(box.area.right() + 1, box.area.center().y());
      const QPointF to(centre.left() - 2, centre.center().y());
      drawArrow(painter, from, {(from.x() + to.x()) / 2, from.y()}, to);
    } else if (box.side == Side::Provider) {
      const QPointF from(centre.left() + kStep / 2.0, centre.bottom() + 1);
      drawArrow(painter, from, {from.x(), double(box.area.center().y())},
                {double(box.area.left() - 2), double(box.area.center().y())});
    }
  }
  painter.setPen(palette[Token::TextMuted]);
  const QString role = module_ == 0   ? tr("needed by all")
                       : needers == 0 ? tr("needed by none")
                                      : tr("needed by %1").arg(needers);
  painter.drawText(QRect(centre.left(), kMargin - 4, centre.width(), kLine), Qt::AlignCenter, role);

  const QFont font = textFont(TextStyle::Body);
  const QFontMetrics metrics(font);
  for (int i = 0; i < boxes_.size(); ++i) {
    const Box& box = boxes_[i];
    const bool isCentre = box.side == Side::Centre;
    const bool bad = box.more == 0 && undefinedOf(box.module) > 0;
    const QRectF frame = QRectF(box.area).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setBrush(palette[isCentre        ? Token::BgSelected
                             : i == hovered_ ? Token::BgHover
                                             : Token::BgRaised]);
    const bool focus = theme::hasVisibleFocus(this) && i == current_;
    painter.setPen(QPen(palette[focus      ? Token::LineFocus
                                : isCentre ? Token::Accent
                                           : Token::LineControl],
                        focus || isCentre ? 2 : 1));
    if (box.more > 0) painter.setPen(Qt::NoPen);
    painter.drawRoundedRect(frame, 4, 4);
    QFont named = font;
    if (isCentre) named.setWeight(QFont::DemiBold);
    painter.setFont(named);
    painter.setPen(palette[box.more > 0 ? Token::TextMuted : Token::TextPrimary]);
    QRect room = box.area.adjusted(8, 0, -8, 0);
    if (bad) {
      constexpr int kMark = 14;
      const QRect mark(room.right() - kMark + 1, room.center().y() - kMark / 2, kMark, kMark);
      theme::paintIcon(painter, mark, QStringLiteral("state-error"), palette[Token::DeadFg]);
      room.setRight(mark.left() - 4);
    }
    const QString name = box.more > 0 ? tr("%1 more").arg(box.more) : shortName(box.module);
    painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetrics(named).elidedText(name, Qt::ElideMiddle, room.width()));
  }

  QFont link = small;
  link.setUnderline(textHovered_);
  painter.setFont(link);
  QRect text = offersArea(bottom);
  painter.setPen(palette[textHovered_ ? Token::TextLink : Token::TextMuted]);
  painter.drawText(text, Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop, offersText());
  if (const int undefined = undefinedOf(module_); undefined > 0) {
    text.translate(0, text.height());
    painter.setPen(palette[Token::DeadFg]);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop, undefinedText());
  }
}

QString DependencyView::undefinedText() const {
  return counted(undefinedOf(module_), "name that no module defines",
                 "names that no module defines");
}

QRect DependencyView::textArea() const {
  if (module_ < 0) return {};
  int bottom = 0;
  for (const Box& box : boxes_) bottom = std::max(bottom, box.area.bottom());
  return offersArea(bottom).adjusted(0, 0, 0, undefinedOf(module_) > 0 ? kLine : 0);
}

QString DependencyView::offersText() const {
  std::map<NameKind, int> offered;
  for (const ModuleOffer& offer : graph_->modules[module_].offers) ++offered[offer.kind];
  QStringList offers;
  for (const auto& [kind, count] : offered) {
    offers << QStringLiteral("%1 %2").arg(count).arg(kindName(kind, count != 1));
  }
  return offers.isEmpty() ? tr("%1 offers nothing to others").arg(shortName(module_))
                          : tr("%1 offers %2").arg(shortName(module_), listed(offers));
}

QRect DependencyView::offersArea(int above) const {
  const QRect room(kMargin, above + kGap, std::max(60, width() - 2 * kMargin), 10 * kLine);
  return QFontMetrics(textFont(TextStyle::Caption))
      .boundingRect(room, Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop, offersText());
}

const DependencyView::Box* DependencyView::boxAt(QPoint at) const {
  const auto found = std::find_if(boxes_.begin(), boxes_.end(),
                                  [&](const Box& box) { return box.area.contains(at); });
  return found == boxes_.end() ? nullptr : &*found;
}

void DependencyView::choose(const Box* box) {
  if (box == nullptr) return;
  if (box->more == 0 && box->side != Side::Centre) {
    Q_EMIT chosen(graph_->modules[box->module].file);
  } else {
    Q_EMIT detailsRequested();
  }
}

bool DependencyView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const Box* box = boxAt(help->pos());
    QString text = box != nullptr ? box->toolTip : QString();
    if (box == nullptr && module_ >= 0 && undefinedOf(module_) > 0) {
      QStringList names;
      for (const ModuleNeed& need : graph_->modules[module_].needs) {
        if (need.provider != ModuleNeed::nobody) continue;
        names << tr("%1 %2, line %3").arg(kindName(need.kind), need.name).arg(need.line);
      }
      text = tr("Defined by none of these modules:\n%1").arg(names.mid(0, 20).join(u'\n'));
    }
    QToolTip::showText(help->globalPos(), text, this);
    return true;
  }
  return QWidget::event(event);
}

void DependencyView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) arrange();
}

void DependencyView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (textArea().contains(event->pos())) {
    Q_EMIT detailsRequested();
  } else {
    choose(boxAt(event->pos()));
  }
}

void DependencyView::mouseMoveEvent(QMouseEvent* event) {
  const Box* box = boxAt(event->pos());
  const int hovered = box != nullptr ? static_cast<int>(box - boxes_.constData()) : -1;
  const bool onText = textArea().contains(event->pos());
  setCursor(box != nullptr || onText ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (hovered == hovered_ && onText == textHovered_) return;
  hovered_ = hovered;
  textHovered_ = onText;
  update();
}

void DependencyView::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  hovered_ = -1;
  textHovered_ = false;
  update();
}

void DependencyView::keyPressEvent(QKeyEvent* event) {
  const int last = static_cast<int>(boxes_.size()) - 1;
  switch (event->key()) {
    case Qt::Key_Down:
    case Qt::Key_Right:
      current_ = std::min(current_ + 1, last);
      break;
    case Qt::Key_Up:
    case Qt::Key_Left:
      current_ = std::max(current_ - 1, 0);
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (last >= 0) choose(&boxes_[current_]);
      break;
    default:
      QWidget::keyPressEvent(event);
      return;
  }
  update();
}

}  // namespace tutti::fomedit
