// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/host_panel.h"

#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using theme::Token;

namespace {

constexpr int barHeight = 6;
constexpr int barGap = 3;   ///< between the figures and the bar below
constexpr int nextGap = 5;  ///< below the bar

/// Busy and all ticks of all processors since boot, from the first line of /proc/stat.
std::pair<std::uint64_t, std::uint64_t> processorTicks() {
  QFile file(QStringLiteral("/proc/stat"));
  if (!file.open(QIODevice::ReadOnly)) return {0, 0};
  const auto fields = file.readLine().simplified().split(' ');
  std::uint64_t total = 0;
  std::uint64_t idle = 0;
  // user nice system idle iowait irq softirq steal; guest time is part of user.
  for (qsizetype field = 1; field < std::min<qsizetype>(fields.size(), 9); ++field) {
    const auto ticks = fields.at(field).toULongLong();
    total += ticks;
    if (field == 4 || field == 5) idle += ticks;
  }
  return {total - idle, total};
}

/// One entry of the legend: a square of the bar's colour and its meaning.
class LegendEntry : public QWidget {
 public:
  LegendEntry(Token token, const QString& text, QWidget* parent)
      : QWidget(parent), token_(token), text_(text) {
    setAccessibleName(text);
  }
  QSize sizeHint() const override {
    return {QFontMetrics(theme::textFont(theme::TextStyle::Caption)).horizontalAdvance(text_) + 14,
            16};
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const auto palette = theme::Palette::of(this);
    painter.fillRect(0, 5, 8, 8, palette[token_]);
    painter.setFont(theme::textFont(theme::TextStyle::Caption));
    painter.setPen(palette[Token::TextSecondary]);
    painter.drawText(rect().adjusted(13, 0, 0, 0), Qt::AlignVCenter, text_);
  }

 private:
  Token token_;
  QString text_;
};

}  // namespace

// CapacityBar

CapacityBar::CapacityBar(const QString& label, QWidget* parent) : QWidget(parent), label_(label) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void CapacityBar::setAmounts(double used, double wanted, double total, const QString& text,
                             const QString& source) {
  used_ = used;
  wanted_ = wanted;
  total_ = std::max(total, 1e-9);
  text_ = text;
  setToolTip(source);
  setAccessibleName(label_ + QStringLiteral(": ") + text);
  update();
}

void CapacityBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const auto palette = theme::Palette::of(this);
  painter.setFont(theme::textFont(theme::TextStyle::Caption));
  painter.setPen(palette[Token::TextSecondary]);
  const QRect line(0, 0, width(), height() - barHeight - barGap - nextGap);
  painter.drawText(line, Qt::AlignVCenter, label_);
  painter.drawText(line, static_cast<int>(Qt::AlignVCenter | Qt::AlignRight), text_);
  const QRectF bar(0, height() - barHeight - nextGap, width(), barHeight);
  if (bar.width() < 8) return;
  painter.fillRect(bar, palette[Token::GaugeIdle]);
  // What is wanted beyond the end is cut there; the figure says how much it is.
  const auto usedWidth = bar.width() * std::clamp(used_ / total_, 0.0, 1.0);
  const auto wantedWidth = std::min(bar.width() * wanted_ / total_, bar.width() - usedWidth);
  painter.fillRect(QRectF(bar.left(), bar.top(), usedWidth, barHeight), palette[Token::TextMuted]);
  if (wantedWidth > 1)
    painter.fillRect(QRectF(bar.left() + usedWidth + 1, bar.top(), wantedWidth - 1, barHeight),
                     palette[Token::Accent]);
}

// HostPanel

HostPanel::HostPanel(QWidget* parent)
    : QWidget(parent),
      name_(theme::makeLabel({}, "heading", this)),
      detail_(theme::makeLabel({}, "caption", this)),
      cores_(new CapacityBar(tr("Cores"), this)),
      memory_(new CapacityBar(tr("Memory"), this)),
      load_(theme::makeLabel({}, "caption", this)) {
  setObjectName(QStringLiteral("hostPanel"));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  name_->setObjectName(QStringLiteral("hostName"));
  cores_->setObjectName(QStringLiteral("hostCores"));
  memory_->setObjectName(QStringLiteral("hostMemory"));
  load_->setObjectName(QStringLiteral("hostLoad"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);

  auto* legend = new QHBoxLayout;
  legend->setContentsMargins(12, 6, 12, 6);
  legend->setSpacing(12);
  legend->addWidget(new LegendEntry(Token::TextMuted, tr("in use"), this));
  legend->addWidget(new LegendEntry(Token::Accent, tr("this composition"), this));
  legend->addWidget(new LegendEntry(Token::GaugeIdle, tr("free"), this));
  legend->addStretch();
  column->addLayout(legend);
  column->addWidget(theme::rule(this));

  auto* host = new QVBoxLayout;
  host->setContentsMargins(12, 10, 12, 10);
  host->setSpacing(4);
  auto* title = new QHBoxLayout;
  title->setSpacing(8);
  auto* icon = new QLabel(this);
  icon->setPixmap(theme::icon(QStringLiteral("computer")).pixmap(18, 18));
  theme::followTheme(icon, [icon](const theme::Palette&) {
    icon->setPixmap(theme::icon(QStringLiteral("computer")).pixmap(18, 18));
  });
  title->addWidget(icon);
  title->addWidget(name_);
  title->addWidget(detail_);
  title->addStretch();
  auto* pill = new theme::StatePill(theme::State::Ok, tr("Here"), this);
  pill->setObjectName(QStringLiteral("hostState"));
  pill->setFocusPolicy(Qt::NoFocus);
  title->addWidget(pill);
  host->addLayout(title);
  host->addWidget(cores_);
  host->addWidget(memory_);
  host->addWidget(load_);
  column->addLayout(host);
  column->addWidget(theme::rule(this));
  auto* hint =
      theme::makeLabel(tr("All federates run on this machine, with one RTI node in shared memory."),
                       "caption", this);
  hint->setWordWrap(true);
  auto* hintPlace = new QVBoxLayout;  // a styled label ignores margins of its own
  hintPlace->setContentsMargins(12, 10, 12, 10);
  hintPlace->addWidget(hint);
  column->addLayout(hintPlace);
  column->addStretch();

  timer_.setInterval(500);
  connect(&timer_, &QTimer::timeout, this, &HostPanel::sample);
  sample();
}

void HostPanel::setWanted(double cores, double memoryMb) {
  wantedCores_ = cores;
  wantedMemoryMb_ = memoryMb;
  show();
}

void HostPanel::setActive(bool active) {
  if (active)
    timer_.start();
  else
    timer_.stop();
}

void HostPanel::sample() {
  machine_ = MachineState::now();
  const auto [busy, total] = processorTicks();
  if (lastTotal_ != 0 && total > lastTotal_) {
    const auto share =
        static_cast<double>(busy - lastBusy_) / static_cast<double>(total - lastTotal_);
    // Half of the old value: steady enough to read, fast enough to see a run start.
    busyCores_ = (busyCores_ + share * machine_.cores) / 2;
  }
  lastBusy_ = busy;
  lastTotal_ = total;
  show();
}

void HostPanel::show() {
  name_->setText(tr("this machine"));
  name_->setToolTip(machine_.name);
  detail_->setText(tr("%1 cores").arg(machine_.cores));
  const auto figure = [](double value) { return QString::number(value, 'f', 1); };
  cores_->setAmounts(
      busyCores_, wantedCores_, machine_.cores,
      tr("%1 in use, %2 needed, %3 available").arg(figure(busyCores_), figure(wantedCores_)).arg(machine_.cores),
      tr("In use: /proc/stat, mean of about a second. This composition: what the "
         "components' manifests say. Cores: those this process may use."));
  const auto usedMb = machine_.memoryTotalMb - machine_.memoryAvailableMb;
  memory_->setAmounts(
      usedMb, wantedMemoryMb_, machine_.memoryTotalMb,
      tr("%1 in use, %2 needed, %3 GB available")
          .arg(figure(usedMb / 1000), figure(wantedMemoryMb_ / 1000),
               figure(machine_.memoryTotalMb / 1000)),
      tr("In use: MemTotal less MemAvailable of /proc/meminfo. This composition: what the "
         "components' manifests say."));
  load_->setText(tr("Load %1, mean of a minute").arg(machine_.load, 0, 'f', 2));
  load_->setToolTip(tr("Runnable and waiting processes, from /proc/loadavg"));
}

}  // namespace tutti::launcher
