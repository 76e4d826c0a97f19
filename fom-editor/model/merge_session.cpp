// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/merge_session.h"

#include <QFileInfo>
#include <QMetaObject>
#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "fom-editor/model/checks/checks.h"
#include "fom-editor/model/item.h"
#include "fom-editor/model/merge_rows.h"

namespace tutti::fomedit {

namespace {

/// Reads a version that is no XML module for its reason.
QString readVersion(MergeState& state, int side) {
  const QString path = state.path(side);
  const ModuleBytes edited = state.request.texts.value(path);
  const ModuleFile file = edited ? readForEditing(path, edited) : readForEditing(path);
  state.bytes[static_cast<std::size_t>(side)] = file.bytes;
  state.sources[static_cast<std::size_t>(side)] = file.source;
  if (file.source) return {};
  const QString why =
      file.bytes
          ? MergeSession::tr("Modules of IEEE 1516 in XML are merged. %1").arg(file.readOnlyReason)
          : file.readOnlyReason;
  return QStringLiteral("%1: %2").arg(path, why);
}

/// What the checks say about the result, among the modules that it stands with.
QList<Finding> findingsOf(const MergeState& state) {
  const QString& ours = state.request.ours;
  QStringList paths = state.request.context;
  if (!paths.contains(ours)) paths = QStringList{ours};
  ModuleTexts texts = state.request.texts;
  texts.insert(ours, std::make_shared<const std::string>(state.merge.bytes));
  LoadedModel model = loadModel(paths, texts);
  checkModules(model, [&](const QString& path) -> std::optional<std::string> {
    ModuleBytes bytes = texts.value(path);
    for (const ModuleFile& file : std::as_const(model.files)) {
      if (!bytes && file.path == path) bytes = file.bytes;
    }
    return bytes ? std::optional(*bytes) : std::nullopt;
  });
  QList<Finding> findings;
  for (const Finding& f : std::as_const(model.findings)) {
    if (f.file == ours || f.otherFile == ours) findings << f;
  }
  return findings;
}

}  // namespace

QString MergeState::path(int side) const {
  return side == Base ? request.base : side == Ours ? request.ours : request.theirs;
}

MergeState mergeVersions(const MergeRequest& request, const MergeChoices& choices,
                         const MergeState* before) {
  MergeState state;
  if (before != nullptr) {
    state = *before;
    state.isNew = false;
  } else {
    state.request = request;
    state.isNew = true;
    for (int side = 0; side < MergeState::SideCount; ++side) {
      state.fault = readVersion(state, side);
      if (!state.fault.isEmpty()) return state;
    }
  }
  state.choices = choices;
  const auto& [base, ours, theirs] = state.sources;
  auto merge = mergeModules(*base, *ours, *theirs, choices);
  if (!merge) {
    state.fault = text(merge.error().toText());
    return state;
  }
  state.fault.clear();
  state.merge = std::move(*merge);
  if (before == nullptr) {
    state.fromTheirs = changesTaken(*base, *ours, *theirs);
    state.fromOurs = changesTaken(*base, *theirs, *ours);
  }
  state.findings = findingsOf(state);
  const auto result = decoded(state.merge.bytes);
  state.text = result ? text(result->text) : QString::fromStdString(state.merge.bytes);
  state.changes = lineChanges(text(ours->text()), state.text);
  return state;
}

/// One change of choices.
class MergeSession::Step : public QUndoCommand {
 public:
  Step(MergeSession& session, MergeChoices next, const QString& label)
      : QUndoCommand(label),
        session_(session),
        before_(session.choices_),
        after_(std::move(next)) {}
  void undo() override { session_.setChoices(before_); }
  void redo() override { session_.setChoices(after_); }

 private:
  MergeSession& session_;
  MergeChoices before_;
  MergeChoices after_;
};

MergeSession::MergeSession(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(1);
  writers_.setMaxThreadCount(1);
}

MergeSession::~MergeSession() {
  ++latest_;  // what still waits is skipped
  pool_.waitForDone();
  writers_.waitForDone();
}

void MergeSession::begin(const MergeRequest& request) {
  beginning_ = true;
  start(request, {}, nullptr);
}

void MergeSession::start(const MergeRequest& request, const MergeChoices& choices,
                         const std::shared_ptr<const MergeState>& before) {
  const std::uint64_t number = ++latest_;
  merging_ = true;
  pool_.start([this, number, request, choices, before] {
    if (number != latest_) return;
    const auto state =
        std::make_shared<const MergeState>(mergeVersions(request, choices, before.get()));
    QMetaObject::invokeMethod(
        this,
        [this, number, state] {
          if (number == latest_) deliver(state);
        },
        Qt::QueuedConnection);
  });
}

void MergeSession::deliver(const std::shared_ptr<const MergeState>& state) {
  merging_ = false;
  beginning_ = false;
  // What cannot be merged leaves an earlier merge as it is.
  if (state->fault.isEmpty()) {
    state_ = state;
    if (state->isNew) {
      choices_ = state->choices;
      history_.clear();
    }
  } else if (state->isNew) {
    mergeChoices();
  }
  Q_EMIT merged(state);
}

void MergeSession::mergeChoices() {
  if (state_ && state_->choices != choices_) start(state_->request, choices_, state_);
}

void MergeSession::cancel() {
  if (!merging_) return;
  ++latest_;
  merging_ = false;
  beginning_ = false;
  // The next request does not wait for a file that cannot be read on.
  pool_.setMaxThreadCount(pool_.maxThreadCount() + 1);
  mergeChoices();
  Q_EMIT cancelled();
}

std::optional<MergeDecision> MergeSession::chosen(const MergeConflict& conflict) const {
  const auto own = choices_.byKey.find(conflict.key);
  if (own != choices_.byKey.end() && conflict.offers(own->second.choice)) return own->second;
  return std::nullopt;
}

int MergeSession::open() const {
  if (!state_) return 0;
  // Those that are not listed are known to the result alone.
  int open = state_->merge.open;
  for (const MergeConflict& c : state_->merge.conflicts) {
    if (c.offered.empty()) continue;
    open += (chosen(c) ? 0 : 1) - (c.chosen ? 0 : 1);
  }
  return std::max(open, 0);
}

void MergeSession::choose(const MergeConflict& conflict,
                          const std::optional<MergeDecision>& decision) {
  MergeChoices next = choices_;
  if (decision) {
    next.byKey[conflict.key] = *decision;
  } else {
    next.byKey.erase(conflict.key);
  }
  const QString place = text(conflict.place);
  push(std::move(next),
       decision ? tr("take %1 for %2").arg(mergeChoiceTitle(decision->choice).toLower(), place)
                : tr("open %1 again").arg(place));
}

int MergeSession::openThatOffer(MergeChoice choice) const {
  if (!state_) return 0;
  const auto& all = state_->merge.conflicts;
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const MergeConflict& c) {
    return c.offers(choice) && !chosen(c);
  }));
}

void MergeSession::chooseAllOpen(MergeChoice choice) {
  if (!state_) return;
  MergeChoices next = choices_;
  for (const MergeConflict& c : state_->merge.conflicts) {
    if (c.offers(choice) && !chosen(c)) next.byKey[c.key] = {choice, {}};
  }
  // Also those that are too many to be listed; with a choice of their own they are, and can be
  // opened again. One that does not offer it stays open.
  for (const std::string& key : state_->merge.unlisted) {
    next.byKey.try_emplace(key, MergeDecision{choice, {}});
  }
  push(std::move(next), tr("take %1 for all left").arg(mergeChoiceTitle(choice).toLower()));
}

void MergeSession::push(MergeChoices next, const QString& label) {
  if (next == choices_ || beginning_) return;
  history_.push(new Step(*this, std::move(next), label));
}

void MergeSession::setChoices(const MergeChoices& choices) {
  choices_ = choices;
  Q_EMIT choicesChanged();
  // An undo drops no merge of other files.
  if (state_ && !beginning_) start(state_->request, choices_, state_);
}

QString MergeSession::whyNotSaved() const {
  if (!state_) return tr("Nothing is merged yet. Merge three versions first.");
  if (saving_) return tr("Another file is being saved. Save again when that is done.");
  if (merging_) return tr("The result is still being made. Save again when it is there.");
  if (!isCurrent()) return tr("The choices give no module. Undo the last one.");
  return {};
}

void MergeSession::save(const QString& path, const ModuleBytes& expected) {
  if (const QString why = whyNotSaved(); !why.isEmpty()) {
    Q_EMIT notSaved(path, tr("%1 is not written. %2").arg(path, why));
    return;
  }
  saving_ = true;
  writers_.start([this, path, expected, state = state_] {
    const auto written = replaceModuleFile(path, state->merge.bytes, expected);
    const QString why = written ? QString() : written.error().text;
    QMetaObject::invokeMethod(
        this,
        [this, path, why] {
          saving_ = false;
          if (why.isEmpty()) {
            Q_EMIT saved(path);
          } else {
            Q_EMIT notSaved(path, why);
          }
        },
        Qt::QueuedConnection);
  });
}

}  // namespace tutti::fomedit
