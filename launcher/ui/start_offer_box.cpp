// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/start_offer_box.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

StartOfferBox::StartOfferBox(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("startOffer"));
  // The pane around it has another one.
  setBackgroundRole(QPalette::Window);
  setAutoFillBackground(true);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 8, 10, 10);
  row->setSpacing(8);
  icon_ = new QLabel(this);
  row->addWidget(icon_, 0, Qt::AlignTop);
  auto* column = new QVBoxLayout;
  column->setSpacing(3);
  title_ = theme::makeLabel({}, "label", this);
  title_->setObjectName(QStringLiteral("startOfferTitle"));
  title_->setWordWrap(true);
  reason_ = theme::makeLabel({}, "secondary", this);
  reason_->setObjectName(QStringLiteral("startOfferReason"));
  reason_->setWordWrap(true);
  reason_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(title_);
  column->addWidget(reason_);
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(0, 4, 0, 0);
  start_ = new QPushButton(this);
  start_->setObjectName(QStringLiteral("startOfferStart"));
  start_->setProperty("role", QByteArray("primary"));
  start_->setProperty("dense", true);
  place_ = new QPushButton(tr("Show placement"), this);
  place_->setObjectName(QStringLiteral("startOfferPlace"));
  place_->setProperty("dense", true);
  place_->setToolTip(
      theme::wrappedTip(tr("Places the federates so, and starts nothing. It can be undone.")));
  buttons->addWidget(start_);
  buttons->addWidget(place_);
  buttons->addStretch(1);
  column->addLayout(buttons);
  row->addLayout(column, 1);
  connect(start_, &QPushButton::clicked, this, &StartOfferBox::startRequested);
  connect(place_, &QPushButton::clicked, this, &StartOfferBox::placementRequested);
  theme::followTheme(this, [this](const theme::Palette& palette) {
    QPalette own = this->palette();
    own.setColor(QPalette::Window, palette[theme::Token::InfoTint]);
    setPalette(own);
    icon_->setPixmap(theme::statePixmap(theme::State::Info, 16, palette, devicePixelRatioF()));
  });
  setOffer({});
}

void StartOfferBox::setOffer(const std::optional<StartOffer>& offer, double coresNeeded,
                             double coresOfNode) {
  offer_ = offer;
  setVisible(offer_.has_value());
  if (!offer_) return;
  title_->setText(offerTitle(*offer_));
  reason_->setText(offerReason(*offer_, coresNeeded, coresOfNode, QDateTime::currentDateTime()));
  const QString nodes = theme::formatNoun(offer_->request.nodes, tr("node"), tr("nodes"));
  start_->setText(tr("Start now on %1").arg(nodes));
  start_->setToolTip(theme::wrappedTip(
      offer_->isShorter
          ? tr("Places the federates on %1, which can be undone, sets the time limit to %2 in the "
               "hosts file, and runs.")
                .arg(nodes, durationText(60.0 * minutesOf(offer_->request)))
          : tr("Places the federates on %1, which can be undone, and runs.").arg(nodes)));
}

}  // namespace tutti::launcher
