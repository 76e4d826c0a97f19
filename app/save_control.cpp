// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/save_control.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QPointer>
#include <utility>

#include "app/in_pool.h"
#include "resources/theme/format.h"

namespace tutti::app {

using monitor::SaveProgress;
using monitor::SaveVerb;
using theme::RunTrouble;
using theme::State;

namespace {

constexpr int kShownAfterMs = 500;
constexpr std::chrono::seconds kPatience{60};

}  // namespace

SaveControl::SaveControl(QObject* parent) : QObject(parent) {
  late_.setSingleShot(true);
  late_.setInterval(kShownAfterMs);
  connect(&late_, &QTimer::timeout, this, &SaveControl::changed);
}

SaveControl::~SaveControl() { abort_.request_stop(); }

void SaveControl::setFederation(const QString& node, const QString& federation) {
  if (node == node_ && federation == federation_) return;
  abort_.request_stop();
  node_ = node;
  federation_ = federation;
  failure_.clear();
  saves_.clear();
  Q_EMIT savesChanged();
  Q_EMIT changed();
  refresh();
}

void SaveControl::refresh() {
  if (node_.isEmpty()) return;
  inPool(
      this,
      [node = node_, federation = federation_] { return monitor::keptSaves(node, federation); },
      [this, node = node_](const auto& kept) {
        if (!kept || node != node_) return;
        saves_.clear();
        for (const monitor::KeptSave& one : *kept)
          saves_ << theme::RunStatus::KeptSave{one.label, one.bytes, one.savedAt};
        Q_EMIT savesChanged();
      });
}

void SaveControl::begin(SaveVerb verb, const QString& label) {
  if (busy_ || node_.isEmpty()) return;
  busy_ = true;
  verb_ = verb;
  label_ = label.isEmpty()
               ? QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"))
               : label;
  failure_.clear();
  progress_ = {};
  abort_ = {};
  since_.start();
  late_.start();
  const auto tell = [self = QPointer<SaveControl>(this)](const SaveProgress& progress) {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, progress] {
          if (self) self->show(progress);
        },
        Qt::QueuedConnection);
  };
  inPool(
      this,
      [node = node_, federation = federation_, verb, label = label_, tell,
       abort = abort_.get_token()] {
        return monitor::operateSave(node, federation, verb, label, kPatience, tell, abort);
      },
      [this](const tl::expected<void, QString>& outcome) { end(outcome); });
  Q_EMIT changed();
}

void SaveControl::show(const SaveProgress& progress) {
  progress_ = progress;
  if (busy_ && !late_.isActive()) Q_EMIT changed();
}

void SaveControl::end(const tl::expected<void, QString>& outcome) {
  busy_ = false;
  late_.stop();
  if (outcome) {
    Q_EMIT done(verb_ == SaveVerb::Save ? tr("%1 is saved as '%2'.").arg(federation_, label_)
                                        : tr("%1 is restored from '%2'.").arg(federation_, label_));
  } else if (!abort_.stop_requested()) {
    ++failures_;
    failure_ = outcome.error();
  }
  Q_EMIT changed();
  refresh();
}

QList<RunTrouble> SaveControl::troubles() const {
  RunTrouble trouble;
  const bool save = verb_ == SaveVerb::Save;
  if (busy_ && !late_.isActive()) {
    trouble.state = State::Info;
    trouble.id = QStringLiteral("save-goes-on");
    trouble.title = save ? tr("%1 is being saved as '%2'").arg(federation_, label_)
                         : tr("%1 is being restored from '%2'").arg(federation_, label_);
    const QString passed = theme::formatElapsed(static_cast<double>(since_.elapsed()) / 1000);
    trouble.detail = progress_.awaited.isEmpty()
                         ? tr("%1. Logical time stands meanwhile.").arg(passed)
                         : tr("%1. %2 of %3 federates have not done their part: %4")
                               .arg(passed)
                               .arg(progress_.awaited.size())
                               .arg(progress_.federates)
                               .arg(progress_.awaited.join(QStringLiteral(", ")));
    trouble.tip = progress_.awaited.join(u'\n');
    trouble.brief = save ? tr("being saved") : tr("being restored");
    trouble.pill = save ? tr("Saving") : tr("Restoring");
    auto abort = abort_;
    trouble.actions = {{tr("Abort"), [abort]() mutable { abort.request_stop(); }}};
    return {trouble};
  }
  if (failure_.isEmpty()) return {};
  trouble.state = State::Warning;
  trouble.id = QStringLiteral("save-failed/%1").arg(failures_);
  trouble.title =
      save ? tr("%1 was not saved").arg(federation_) : tr("%1 was not restored").arg(federation_);
  trouble.detail = failure_;
  trouble.tip = failure_;
  trouble.brief = save ? tr("not saved") : tr("not restored");
  trouble.pill = save ? tr("Not saved") : tr("Not restored");
  trouble.actions = {{tr("Copy"), [text = failure_] { QApplication::clipboard()->setText(text); }}};
  return {trouble};
}

QString newestSave(const QList<theme::RunStatus::KeptSave>& saves, const QString& known) {
  const auto timeOf = [&](const QString& label) {
    for (const auto& one : saves) {
      if (one.label == label) return one.savedAt;
    }
    return QDateTime();
  };
  QString newest = known;
  for (const auto& one : saves) {
    const QDateTime than = timeOf(newest);
    if (one.savedAt.isValid() && (newest.isEmpty() || (than.isValid() && one.savedAt > than)))
      newest = one.label;
  }
  return newest;
}

}  // namespace tutti::app
