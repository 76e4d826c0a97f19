// SPDX-License-Identifier: GPL-3.0-or-later
// Two versions of a module merged into one, decided conflict by conflict.
#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QStackedWidget>
#include <algorithm>

#include "fom-editor/model/command_line.h"
#include "fom-editor/model/item.h"
#include "fom-editor/model/merge_session.h"
#include "fom-editor/ui/merge_files.h"
#include "fom-editor/ui/merge_page.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "resources/theme/icons.h"
#include "resources/theme/progress_line.h"

namespace tutti::fomedit {

namespace {

/// Within a character of UTF-8.
bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// What turns one text into another: the characters between what both begin and end with.
Splice between(std::string_view before, std::string_view after) {
  const auto [x, y] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  auto head = static_cast<std::size_t>(x - before.begin());
  const auto isWithin = [](std::string_view text, std::size_t at) {
    return at < text.size() && isContinuation(text[at]);
  };
  while (head > 0 && (isWithin(before, head) || isWithin(after, head))) --head;
  before.remove_prefix(head);
  after.remove_prefix(head);
  const auto [u, v] = std::mismatch(before.rbegin(), before.rend(), after.rbegin(), after.rend());
  auto tail = static_cast<std::size_t>(u - before.rbegin());
  while (tail > 0 && isContinuation(before[before.size() - tail])) --tail;
  return {head, before.size() - tail, std::string(after.substr(0, after.size() - tail))};
}

bool isSameFile(const QString& one, const QString& other) {
  if (one == other) return true;
  const QString first = QFileInfo(one).canonicalFilePath();
  return !first.isEmpty() && first == QFileInfo(other).canonicalFilePath();
}

}  // namespace

void ObjectModelWorkspace::buildMerge() {
  mergeAction_ = new QAction(theme::icon(QStringLiteral("conflict")), tr("Merge versions…"), this);
  mergeAction_->setObjectName(QStringLiteral("mergeVersions"));
  mergeAction_->setToolTip(
      tr("Merge two versions of a module that began with one, and choose where "
         "both changed the same"));
  connect(mergeAction_, &QAction::triggered, this, [this] { askForMerge(); });
}

void ObjectModelWorkspace::buildMergePage() {
  merge_ = new MergeSession(this);
  mergePage_ = new MergePage(*merge_, this);
  pageStack_->addWidget(mergePage_);
  connect(mergePage_, &MergePage::closed, this, &ObjectModelWorkspace::closeMerge);
  connect(mergePage_, &MergePage::mergeRequested, this, &ObjectModelWorkspace::mergeVersions);
  connect(mergePage_, &MergePage::saveRequested, this, &ObjectModelWorkspace::saveMergeOver);
  connect(mergePage_, &MergePage::saveAsRequested, this, &ObjectModelWorkspace::chooseMergeFile);
  connect(merge_, &MergeSession::choicesChanged, this, [this] {
    reading_->setProgress(tr("Merging with your choices"));
    Q_EMIT commandLineChanged();
    Q_EMIT statusNotesChanged();
  });
  connect(merge_, &MergeSession::merged, this, [this] {
    reading_->setProgress({});
    if (merging_) {
      Q_EMIT commandLineChanged();
      Q_EMIT statusNotesChanged();
    }
    Q_EMIT mergeShown();
  });
  connect(&editing_->modules(), &OpenModules::saved, this, &ObjectModelWorkspace::noteMergeSaved);
  connect(merge_, &MergeSession::saved, this, [this](const QString& path) {
    // What the page shows of that file follows it.
    editing_->watch().forget(path);
    OpenModules& modules = editing_->modules();
    if (modules.indexOf(path) >= 0) modules.noteOnDisk(readForEditing(path));
    mergePage_->showSaved(path);
    Q_EMIT mergeSaved(path);
  });
  connect(merge_, &MergeSession::notSaved, this, [this](const QString&, const QString& why) {
    mergePage_->showSaved({});
    Q_EMIT failed(tr("The merge was not saved"), why);
  });
}

void ObjectModelWorkspace::askForMerge(const QString& ours) {
  if (!commitCell()) return;
  if (mergePage_ == nullptr) buildMergePage();
  mergePage_->files().setOffered(editing_->modules().paths());
  const bool isOther = !ours.isEmpty() && mergePage_->files().path(MergeState::Ours) != ours;
  if (isOther) mergePage_->files().setPath(MergeState::Ours, ours);
  showMergePage();
  if (isOther || !merge_->state()) {
    mergePage_->askForFiles();
  } else {
    mergePage_->focusConflicts();
  }
}

void ObjectModelWorkspace::showMergePage() {
  closeComparison();
  if (!merging_) {
    merging_ = true;
    setPanesAside(true);
    pageStack_->setCurrentWidget(mergePage_);
    Q_EMIT undoStackChanged();
  }
  Q_EMIT commandLineChanged();
  Q_EMIT statusNotesChanged();
}

void ObjectModelWorkspace::mergeVersions(const QString& base, const QString& ours,
                                         const QString& theirs) {
  if (mergePage_ == nullptr) buildMergePage();
  mergePage_->files().setPath(MergeState::Base, base);
  mergePage_->files().setPath(MergeState::Ours, ours);
  mergePage_->files().setPath(MergeState::Theirs, theirs);
  showMergePage();
  MergeRequest request{base, ours, theirs};
  // As the page shows them, and among the modules that the result will stand with.
  const OpenModules& modules = editing_->modules();
  for (const int module : modules.modified()) {
    request.texts.insert(modules.path(module), modules.bytes(module));
  }
  if (modules.indexOf(ours) >= 0) request.context = loaded_.paths;
  reading_->setProgress(tr("Merging %1").arg(QFileInfo(ours).fileName()));
  merge_->begin(request);
}

void ObjectModelWorkspace::closeMerge() {
  if (!merging_) return;
  merging_ = false;
  pageStack_->setCurrentIndex(loaded_.paths.isEmpty() ? 0 : 1);
  setPanesAside(false);
  Q_EMIT undoStackChanged();
  Q_EMIT commandLineChanged();
  Q_EMIT statusNotesChanged();
}

/// Ours is replaced: as an edit where it is open, else in its file.
void ObjectModelWorkspace::saveMergeOver() {
  if (const QString why = mergePage_->whyNotSaved(); !why.isEmpty()) {
    Q_EMIT failed(tr("The merge was not saved"), why);
    return;
  }
  const MergeState& state = *merge_->state();
  const QString ours = state.request.ours;
  const ModuleBytes& merged = state.bytes[MergeState::Ours];
  OpenModules& modules = editing_->modules();
  const int module = modules.indexOf(ours);
  if (modules.source(module) == nullptr) {
    merge_->save(ours, merged);
    return;
  }
  const QString name = QFileInfo(ours).fileName();
  const ModuleBytes now = modules.bytes(module);
  if (!now || *now != *merged) {
    Q_EMIT failed(
        tr("The merge was not saved"),
        tr("%1 has changed here since the merge began, and that would be lost. Merge again "
           "with \"Other files…\", or save the result as another file.")
            .arg(name));
    return;
  }
  const auto result = ModuleSource::parse(state.merge.bytes, ours.toStdString());
  const auto applied =
      result
          ? modules.apply({tr("merge %1").arg(QFileInfo(state.request.theirs).fileName()),
                           {{module, {between(modules.source(module)->text(), result->text())}}}})
          : tl::expected<void, QString>(tl::unexpected(text(result.error().toText())));
  if (!applied) {
    Q_EMIT failed(tr("The merge was not saved"), applied.error());
    return;
  }
  // A file that another program changed is not overwritten: then the result stays as an edit.
  mergeBeingSaved_ = modules.path(module);
  if (modules.isModified(module))
    editing_->save({module});
  else
    noteMergeSaved(mergeBeingSaved_);
}

void ObjectModelWorkspace::noteMergeSaved(const QString& path) {
  if (path.isEmpty() || path != mergeBeingSaved_) return;
  mergeBeingSaved_.clear();
  mergePage_->showSaved(path);
  Q_EMIT mergeSaved(path);
}

void ObjectModelWorkspace::saveMerge(const QString& path) {
  if (merge_ == nullptr || !mergePage_->canSave()) {
    Q_EMIT failed(tr("The merge was not saved"), mergePage_ == nullptr
                                                     ? tr("Merge three versions first.")
                                                     : mergePage_->whyNotSaved());
    return;
  }
  if (isSameFile(path, merge_->state()->request.ours)) {
    saveMergeOver();
    return;
  }
  const ModuleFile there = QFileInfo(path).isFile() ? readForEditing(path) : ModuleFile{};
  merge_->save(path, there.bytes);
}

void ObjectModelWorkspace::chooseMergeFile() {
  const QFileInfo ours(merge_->state()->request.ours);
  QFileDialog dialog(this, tr("Save the merge"), ours.path(), tr("FOM modules (*.xml)"));
  dialog.setObjectName(QStringLiteral("saveMergeDialog"));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix(QStringLiteral("xml"));
  // Desktops' own dialogs ask about the name before it has its suffix.
  dialog.setOption(QFileDialog::DontConfirmOverwrite);
  dialog.selectFile(ours.completeBaseName() + QStringLiteral("-merged.xml"));
  if (dialog.exec() != QDialog::Accepted) return;
  const QString path = dialog.selectedFiles().value(0);
  if (path.isEmpty()) return;
  const QString lost = tr("Replaced by the merge, what the file in %1 holds is lost.");
  if (QFileInfo::exists(path) && !mayReplace(path, lost)) return;
  saveMerge(path);
}

QString ObjectModelWorkspace::mergeCommandLine() const {
  if (!merge_->state() || mergePage_->isAsking()) return {};
  const MergeState& state = *merge_->state();
  QStringList words{QStringLiteral("tutti fom merge"), shellWord(state.request.base),
                    shellWord(state.request.ours), shellWord(state.request.theirs)};
  const MergeChoices& choices = merge_->choices();
  // An own value has no word on the command line: the conflict is open there.
  std::optional<MergeChoice> common = choices.rest;
  bool one = true;
  for (const auto& [key, decision] : choices.byKey) {
    if (!common) common = decision.choice;
    one = one && decision.choice == *common;
  }
  if (common && one && merge_->open() == 0 && *common != MergeChoice::Edited) {
    words << QStringLiteral("--choose") << QLatin1String(mergeChoiceName(*common));
    return words.join(u' ');
  }
  for (const auto& [key, decision] : choices.byKey) {
    if (decision.choice == MergeChoice::Edited) continue;
    words << QStringLiteral("--choose")
          << shellWord(text(key) + u'=' + QLatin1String(mergeChoiceName(decision.choice)));
  }
  if (choices.rest) {
    words << QStringLiteral("--choose") << QLatin1String(mergeChoiceName(*choices.rest));
  }
  return words.join(u' ');
}

void ObjectModelWorkspace::provideMergeFinds(QList<theme::FindEntry>& into) const {
  if (!merging_ || mergePage_->isAsking()) return;
  auto* self = const_cast<ObjectModelWorkspace*>(this);
  const auto add = [&](const QString& title, const QString& keys, std::function<void()> act) {
    theme::FindEntry entry;
    entry.title = title;
    entry.detail = tr("merge of %1").arg(QFileInfo(merge_->state()->request.ours).fileName());
    entry.kind = tr("Action");
    entry.iconName = QStringLiteral("conflict");
    entry.shortcut = keys;
    entry.activate = std::move(act);
    into << entry;
  };
  add(tr("Next open conflict"), QStringLiteral("F8"), [self] { self->mergePage_->step(1); });
  add(tr("Take ours for all conflicts left"), {},
      [self] { self->merge_->chooseAllOpen(MergeChoice::Ours); });
  add(tr("Take theirs for all conflicts left"), {},
      [self] { self->merge_->chooseAllOpen(MergeChoice::Theirs); });
  add(tr("Merge other files…"), {}, [self] { self->mergePage_->askForFiles(); });
  if (!mergePage_->canSave()) return;
  add(tr("Save the merge over %1").arg(QFileInfo(merge_->state()->request.ours).fileName()),
      QStringLiteral("Ctrl+S"), [self] { self->saveMergeOver(); });
  add(tr("Save the merge as…"), {}, [self] { self->chooseMergeFile(); });
}

}  // namespace tutti::fomedit
