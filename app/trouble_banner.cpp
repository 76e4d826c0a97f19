// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/trouble_banner.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>

#include "resources/theme/widgets.h"

namespace tutti::app {

using theme::RunTrouble;

namespace {

const QLatin1String kErrorId("error");

}  // namespace

TroubleBanner::TroubleBanner(theme::Banner& banner, theme::RunStatus& run,
                             std::function<QList<RunTrouble>()> troubles, QObject* parent)
    : QObject(parent), banner_(banner), run_(run), troubles_(std::move(troubles)) {
  connect(&banner_, &theme::Banner::dismissed, this, &TroubleBanner::dismiss);
  connect(&banner_, &theme::Banner::moreClicked, this, [this] {
    ++turn_;
    update();
  });
}

void TroubleBanner::update() {
  QList<RunTrouble> left;
  if (error_) left << *error_;
  QSet<QString> present;
  for (const RunTrouble& trouble : troubles_()) {
    present << trouble.id;
    if (!run_.isDismissed(trouble.id)) left << trouble;
  }
  run_.forgetDismissedBut(present);
  if (left.isEmpty()) {
    banner_.hide();
    shownId_.clear();
    turn_ = 0;
    return;
  }
  const RunTrouble& shown = left[turn_ % left.size()];
  const RunTrouble& next = left[(turn_ + 1) % left.size()];
  banner_.setMessage(shown.state, shown.title, shown.detail, shown.tip);
  const auto others = left.size() - 1;
  banner_.setMore(others > 0 ? tr("%1 more: %2").arg(others).arg(next.brief) : QString());
  if (shownId_ != shown.id || shown.id == kErrorId) {
    shownId_ = shown.id;
    QList<QAction*> actions;
    for (const RunTrouble::Action& one : shown.actions) {
      auto* button = new QAction(one.text, &banner_);
      connect(button, &QAction::triggered, this, [run = one.run] { run(); });
      actions << button;
    }
    banner_.setActions(actions);
  }
  banner_.show();
}

void TroubleBanner::showError(const QString& title, const QString& detail) {
  RunTrouble trouble;
  trouble.state = theme::State::Error;
  trouble.id = kErrorId;
  trouble.title = title;
  trouble.detail = detail;
  trouble.brief = title;
  trouble.actions << RunTrouble::Action{
      tr("Copy"), [title, detail] { QApplication::clipboard()->setText(title + u'\n' + detail); }};
  error_ = std::move(trouble);
  turn_ = 0;
  update();
}

void TroubleBanner::withdrawError() {
  error_.reset();
  update();
}

void TroubleBanner::dismiss() {
  turn_ = 0;
  if (shownId_ != kErrorId) return run_.dismiss({shownId_});
  error_.reset();
  update();
}

}  // namespace tutti::app
