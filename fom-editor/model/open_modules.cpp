// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/open_modules.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QSet>
#include <QUndoCommand>
#include <algorithm>
#include <cstdlib>

#include "fom-editor/model/item.h"

namespace tutti::fomedit {

namespace {

bool isSame(const ModuleBytes& a, const ModuleBytes& b) { return a == b || (a && b && *a == *b); }

QString sentence(const omt::Error& error) {
  QString words =
      placeText(text(error.file), error.line) + QStringLiteral(": ") + text(error.message);
  if (!error.hint.empty()) words += u' ' + text(error.hint);
  return words;
}

}  // namespace

struct OpenModules::Module {
  QString path;
  Content content;
  QString rights;       ///< why the file cannot be written; empty: it can
  ModuleBytes onDisk;   ///< what the file holds, or held while it was there; null: never there
  bool isGone = false;  ///< the file was removed
  bool modified = false;
  int steps = 0;         ///< of the history, that are done and touch it
  int savedSteps = 0;    ///< `steps` when it was saved
  int lostSteps = 0;     ///< that were undone after it was saved, and can be redone no more
  ModuleBytes writing;   ///< on its way to the disk; null: nothing is
  int writingSteps = 0;  ///< `steps` when that began
  int writingLost = 0;   ///< as lostSteps, of what is on its way
  std::optional<ModuleFile> other;  ///< what another program wrote, until the person decides
  /// digest() of what recovered edits were made on, where the file holds something else and the
  /// person has not decided yet; else empty.
  QByteArray madeOn;
  mutable std::pair<ModuleBytes, QByteArray> digested;  ///< digest() of what onDisk was last
};

/// One entry of the history. The modules keep their splices themselves, in the same order.
class OpenModules::Step : public QUndoCommand {
 public:
  struct Part {
    QString path;
    std::optional<Content> other;  ///< what undo and redo put in its place; else they go by splices
  };

  /// Content that goes from one module into another.
  struct Move {
    QString from;
    QString into;
  };

  Step(OpenModules& modules, const QString& label, QString item, std::vector<Part> parts,
       Move move = {})
      : QUndoCommand(label),
        modules_(modules),
        item_(std::move(item)),
        parts_(std::move(parts)),
        move_(std::move(move)) {}

  void undo() override { go(false); }
  void redo() override {
    // What is pushed is done already.
    if (std::exchange(isNew_, false)) {
      modules_.item_ = item_;
    } else {
      go(true);
    }
  }
  const Move& move() const { return move_; }
  bool touches(const QString& path) const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const Part& part) { return part.path == path; });
  }

  /// The same without some modules; null where nothing is left. Takes what this has.
  std::unique_ptr<Step> without(const QSet<QString>& paths) {
    std::erase_if(parts_, [&](const Part& part) { return paths.contains(part.path); });
    if (parts_.empty()) return nullptr;
    return std::make_unique<Step>(modules_, text(), item_, std::move(parts_), std::move(move_));
  }

 private:
  void go(bool forward) {
    if (modules_.rearranging_) return;
    for (Part& part : parts_) {
      Module* module = modules_.find(part.path);
      if (module == nullptr) continue;
      if (part.other) {
        std::swap(*part.other, module->content);
      } else if (forward) {
        module->content.source->redo();
      } else {
        module->content.source->undo();
      }
      noteChanged(*module, forward ? 1 : -1);
    }
    modules_.item_ = item_;
  }

  OpenModules& modules_;
  QString item_;
  std::vector<Part> parts_;
  Move move_;
  bool isNew_ = true;
};

OpenModules::OpenModules(QObject* parent) : QObject(parent) {
  // Only then the history says what can be undone next.
  connect(&history_, &QUndoStack::indexChanged, this, [this] {
    if (rearranging_) return;
    Q_EMIT changed();
    if (!item_.isEmpty()) Q_EMIT itemEdited(item_);
  });
}

OpenModules::~OpenModules() { history_.disconnect(this); }

// What there is

OpenModules::Content OpenModules::contentOf(const ModuleFile& file) {
  Content content;
  if (file.source) {
    content.source = std::make_unique<ModuleSource>(*file.source);
  } else {
    content.reason = file.readOnlyReason;
  }
  content.bytes = file.bytes;
  return content;
}

void OpenModules::open(const QStringList& paths) {
  QList<ModuleFile> files;
  for (const QString& path : paths) {
    ModuleFile file;
    file.path = path;
    files.append(find(path) != nullptr ? file : readForEditing(path));
  }
  open(files);
}

void OpenModules::open(const QList<ModuleFile>& files) {
  std::vector<std::unique_ptr<Module>> now;
  for (const ModuleFile& file : files) {
    const auto isIt = [&](const auto& module) { return module && module->path == file.path; };
    if (std::any_of(now.begin(), now.end(), isIt)) continue;
    const auto known = std::find_if(modules_.begin(), modules_.end(), isIt);
    if (known != modules_.end()) {
      now.push_back(std::move(*known));
      continue;
    }
    auto module = std::make_unique<Module>();
    module->path = file.path;
    module->content = contentOf(file);
    module->rights = file.source ? file.readOnlyReason : QString();
    module->onDisk = file.bytes;
    now.push_back(std::move(module));
  }
  QStringList gone;
  for (const auto& module : modules_) {
    if (module) gone << module->path;
  }
  modules_ = std::move(now);
  if (!gone.isEmpty()) dropSteps(gone);
  Q_EMIT changed();
}

/// QUndoStack cannot give up single steps: those that stay are put into it anew.
void OpenModules::dropSteps(const QStringList& paths) {
  const QSet<QString> gone(paths.begin(), paths.end());
  std::vector<std::unique_ptr<Step>> kept;
  int done = 0;
  for (int i = 0; i < history_.count(); ++i) {
    // The stack gives its commands out as const; they are about to be deleted.
    auto* step = const_cast<Step*>(static_cast<const Step*>(history_.command(i)));
    auto rest = step->without(gone);
    if (!rest) continue;
    kept.push_back(std::move(rest));
    if (i < history_.index()) done = static_cast<int>(kept.size());
  }
  rearranging_ = true;
  history_.clear();
  for (auto& step : kept) history_.push(step.release());
  history_.setIndex(done);
  rearranging_ = false;
}

QString OpenModules::path(int module) const {
  const Module* found = at(module);
  return found != nullptr ? found->path : QString();
}

QStringList OpenModules::paths() const {
  QStringList all;
  for (const auto& module : modules_) all << module->path;
  return all;
}

int OpenModules::indexOf(const QString& path) const {
  for (int i = 0; i < count(); ++i) {
    if (modules_[static_cast<std::size_t>(i)]->path == path) return i;
  }
  return -1;
}

OpenModules::Module* OpenModules::find(const QString& path) const {
  const int index = indexOf(path);
  return index < 0 ? nullptr : modules_[static_cast<std::size_t>(index)].get();
}

const OpenModules::Module* OpenModules::at(int module) const {
  return module < 0 || module >= count() ? nullptr
                                         : modules_[static_cast<std::size_t>(module)].get();
}

const ModuleSource* OpenModules::source(int module) const {
  const Module* found = at(module);
  return found != nullptr && found->rights.isEmpty() ? found->content.source.get() : nullptr;
}

const ModuleSource* OpenModules::readableSource(int module) const {
  const Module* found = at(module);
  return found != nullptr ? found->content.source.get() : nullptr;
}

QString OpenModules::readOnlyReason(int module) const {
  const Module* found = at(module);
  if (found == nullptr) return tr("The module is not open.");
  return found->content.source ? found->rights : found->content.reason;
}

ModuleBytes OpenModules::bytes(int module) const {
  const Module* found = at(module);
  return found != nullptr ? found->content.bytes : nullptr;
}

ModuleBytes OpenModules::onDisk(int module) const {
  const Module* found = at(module);
  return found != nullptr ? found->onDisk : nullptr;
}

bool OpenModules::isGone(int module) const {
  const Module* found = at(module);
  return found != nullptr && found->isGone;
}

QByteArray OpenModules::savedDigest(int module) const {
  const Module* found = at(module);
  if (found == nullptr) return {};
  if (!found->madeOn.isEmpty()) return found->madeOn;
  if (found->digested.first != found->onDisk)
    found->digested = {found->onDisk, digest(found->onDisk)};
  return found->digested.second;
}

ModuleTexts OpenModules::texts() const {
  ModuleTexts all;
  for (const auto& module : modules_) {
    if (module->content.bytes) all.insert(module->path, module->content.bytes);
  }
  return all;
}

// Edits

bool OpenModules::isModified(int module) const {
  const Module* found = at(module);
  return found != nullptr && found->modified;
}

int OpenModules::edits(int module) const {
  const Module* found = at(module);
  if (found == nullptr || !found->modified) return 0;
  return std::max(1, found->lostSteps + std::abs(found->steps - found->savedSteps));
}

QList<int> OpenModules::modified() const {
  QList<int> found;
  for (int i = 0; i < count(); ++i) {
    if (isModified(i)) found << i;
  }
  return found;
}

tl::expected<void, QString> OpenModules::apply(const ModelEdit& edit) {
  for (const auto& [index, splices] : edit.changes) {
    if (source(index) != nullptr) continue;
    return tl::unexpected(tr("%1 cannot be edited: %2")
                              .arg(QFileInfo(path(index)).fileName(), readOnlyReason(index)));
  }
  struct Before {
    Module* module;
    std::unique_ptr<ModuleSource> source;
  };
  std::vector<Before> before;
  std::vector<Step::Part> parts;
  for (const auto& [index, splices] : edit.changes) {
    Module& module = *modules_[static_cast<std::size_t>(index)];
    // One that fails by itself stays as it was; those before it have to be put back.
    if (edit.changes.size() > 1) {
      before.push_back({&module, std::make_unique<ModuleSource>(*module.content.source)});
    }
    const auto applied = module.content.source->apply(splices);
    if (!applied) {
      for (auto back = before.rbegin(); back != before.rend(); ++back) {
        back->module->content.source = std::move(back->source);
      }
      return tl::unexpected(sentence(applied.error()));
    }
    if (*applied) parts.push_back({module.path, std::nullopt});
  }
  if (parts.empty()) return {};
  forgetRedo();
  for (const Step::Part& part : parts) noteChanged(*find(part.path), 1);
  Step::Move move;
  if (edit.move) move = {path(edit.move->from), path(edit.move->into)};
  history_.push(new Step(*this, edit.label, edit.item, std::move(parts), std::move(move)));
  return {};
}

/// A new step is about to take the place of what could be redone.
void OpenModules::forgetRedo() {
  for (const auto& module : modules_) {
    // Recovered edits that were undone are gone for good, and with them what they contradict.
    if (!module->madeOn.isEmpty() && !module->modified) decided(*module);
    const auto forget = [steps = module->steps](int& from, int& lost) {
      if (from <= steps) return;
      lost += from - steps;
      from = steps;
    };
    forget(module->savedSteps, module->lostSteps);
    if (module->writing) forget(module->writingSteps, module->writingLost);
  }
}

/// After steps were done (1) or undone (-1).
void OpenModules::noteChanged(Module& module, int steps) {
  module.steps += steps;
  if (module.content.source) {
    module.content.bytes = std::make_shared<const std::string>(module.content.source->bytes());
  }
  module.modified = module.content.bytes && !isSame(module.content.bytes, module.onDisk);
}

QStringList OpenModules::savedBefore(int module) const {
  QStringList before;
  if (!isModified(module) && !isGone(module)) return before;
  const QString of = path(module);
  for (int i = 0; i < history_.count() && !of.isEmpty(); ++i) {
    const Step::Move& move = static_cast<const Step*>(history_.command(i))->move();
    // Undone, the content goes back.
    const bool isDone = i < history_.index();
    const QString& from = isDone ? move.from : move.into;
    const QString& into = isDone ? move.into : move.from;
    if (from != of || before.contains(into) || !isModified(indexOf(into))) continue;
    before << into;
  }
  return before;
}

bool OpenModules::hasSteps(const QString& path) const {
  for (int i = 0; i < history_.count(); ++i) {
    if (static_cast<const Step*>(history_.command(i))->touches(path)) return true;
  }
  return false;
}

void OpenModules::replace(std::vector<std::pair<Module*, Content>> contents, const QString& label) {
  if (contents.empty()) return;
  forgetRedo();
  std::vector<Step::Part> parts;
  for (auto& [module, content] : contents) {
    parts.push_back({module->path, std::exchange(module->content, std::move(content))});
    noteChanged(*module, 1);
  }
  history_.push(new Step(*this, label, {}, std::move(parts)));
}

// Files

QByteArray OpenModules::digest(const ModuleBytes& bytes) {
  if (!bytes) return {};
  return QCryptographicHash::hash(
      QByteArrayView(bytes->data(), static_cast<qsizetype>(bytes->size())),
      QCryptographicHash::Sha256);
}

/// The file holds these bytes, and what the page has is counted from here.
void OpenModules::noteSaved(Module& module, const ModuleBytes& bytes, int steps, int lost) {
  module.onDisk = bytes;
  module.isGone = false;
  module.savedSteps = steps;
  module.lostSteps = lost;
  module.modified = module.content.bytes && !isSame(module.content.bytes, bytes);
}

/// The person said what becomes of a change on disk.
void OpenModules::decided(Module& module) {
  module.madeOn.clear();
  if (!module.other) return;
  module.other.reset();
  Q_EMIT changedOnDisk(indexOf(module.path));
}

tl::expected<void, QString> OpenModules::save(const QList<int>& modules) {
  QStringList faults;
  for (const int index : modules) {
    const auto writing = beginWriting(index);
    if (!writing) {
      if (!writing.error().isEmpty()) faults << writing.error();
      continue;
    }
    const auto result = replaceModuleFile(writing->path, *writing->bytes, writing->expected);
    if (const auto noted = noteWritten(*writing, result); !noted) faults << noted.error();
  }
  if (!faults.isEmpty()) return tl::unexpected(faults.join(u'\n'));
  return {};
}

tl::expected<ModuleWriting, QString> OpenModules::beginWriting(int index) {
  if (!isModified(index) && !isGone(index)) return tl::unexpected(QString());
  Module& module = *modules_[static_cast<std::size_t>(index)];
  if (module.other) {
    return tl::unexpected(tr("%1 was not saved: another program has changed the file since it was "
                             "read. Reload it, or keep your edits and save again.")
                              .arg(QFileInfo(module.path).fileName()));
  }
  module.writing = module.content.bytes;
  module.writingSteps = module.steps;
  module.writingLost = 0;
  return ModuleWriting{module.path, module.writing, module.onDisk};
}

tl::expected<void, QString> OpenModules::noteWritten(const ModuleWriting& writing,
                                                     const tl::expected<void, WriteFault>& result) {
  Module* module = find(writing.path);
  if (module != nullptr) module->writing.reset();
  if (!result) {
    if (module != nullptr && result.error().changedOnDisk) {
      module->other = readForEditing(module->path, result.error().onDisk);
      Q_EMIT changedOnDisk(indexOf(module->path));
    }
    return tl::unexpected(result.error().text);
  }
  if (module != nullptr) {
    // Undone meanwhile, or edited: it is that far from what the file holds.
    noteSaved(*module, writing.bytes, module->writingSteps, module->writingLost);
    decided(*module);
  }
  Q_EMIT saved(writing.path);
  Q_EMIT changed();
  return {};
}

void OpenModules::discard(const QList<int>& modules) {
  std::vector<std::pair<Module*, Content>> contents;
  QStringList names;
  for (const int index : modules) {
    if (!isModified(index)) continue;
    Module* module = modules_[static_cast<std::size_t>(index)].get();
    if (module->other) {
      module->onDisk = module->other->bytes;
      decided(*module);
    }
    contents.emplace_back(module, contentOf(readForEditing(module->path, module->onDisk)));
    names << QFileInfo(module->path).fileName();
  }
  replace(std::move(contents), tr("discard edits of %1").arg(names.join(QStringLiteral(", "))));
}

tl::expected<void, QString> OpenModules::recover(int index, const ModuleBytes& edited,
                                                 const QByteArray& savedThen) {
  if (at(index) == nullptr || !edited) return tl::unexpected(tr("The module is not open."));
  Module& module = *modules_[static_cast<std::size_t>(index)];
  if (module.modified) {
    return tl::unexpected(tr("%1 has edits already. Save or discard them first.")
                              .arg(QFileInfo(module.path).fileName()));
  }
  ModuleFile file = readForEditing(module.path, edited);
  if (!file.source) {
    return tl::unexpected(tr("The unsaved edits of %1 cannot be read: %2")
                              .arg(QFileInfo(module.path).fileName(), file.readOnlyReason));
  }
  if (isSame(edited, module.content.bytes)) return {};
  // The edits were made on another version of the file than it holds now.
  const bool changedSince = module.onDisk && digest(module.onDisk) != savedThen;
  std::vector<std::pair<Module*, Content>> contents;
  contents.emplace_back(&module, contentOf(file));
  replace(std::move(contents), tr("recover unsaved edits"));
  if (changedSince) {
    module.other = readForEditing(module.path, module.onDisk);
    module.madeOn = savedThen;
    Q_EMIT changedOnDisk(index);
  }
  return {};
}

void OpenModules::noteOnDisk(const ModuleFile& file) {
  Module* module = find(file.path);
  if (module == nullptr) return;
  const QString rights =
      std::exchange(module->rights, file.source ? file.readOnlyReason : QString());
  const bool rightsChanged = rights != module->rights;
  if (file.isGone) {
    // There is nothing left that could be overwritten.
    decided(*module);
    const bool wasGone = std::exchange(module->isGone, module->content.bytes != nullptr);
    if (rightsChanged || wasGone != module->isGone) Q_EMIT changed();
    return;
  }
  // This page itself just put it there; noteWritten() is on its way.
  if (file.bytes && isSame(file.bytes, module->writing)) {
    if (rightsChanged) Q_EMIT changed();
    return;
  }
  const bool isBack = file.bytes && std::exchange(module->isGone, false);
  if (isSame(file.bytes, module->onDisk) || !file.bytes) {
    // What recovered edits contradict is what the file holds.
    if (file.bytes && !module->madeOn.isEmpty()) module->other = file;
    if (file.bytes && module->madeOn.isEmpty()) decided(*module);
    if (rightsChanged || isBack) Q_EMIT changed();
    return;
  }
  if (isSame(file.bytes, module->content.bytes)) {
    // Somebody wrote the same.
    noteSaved(*module, file.bytes, module->steps);
    decided(*module);
    Q_EMIT changed();
    return;
  }
  if (module->modified) {
    const bool known = module->other && isSame(module->other->bytes, file.bytes);
    module->other = file;
    if (!known) Q_EMIT changedOnDisk(indexOf(file.path));
    if (isBack) Q_EMIT changed();
    return;
  }
  module->onDisk = file.bytes;
  if (hasSteps(module->path)) {
    std::vector<std::pair<Module*, Content>> contents;
    contents.emplace_back(module, contentOf(file));
    replace(std::move(contents), tr("reload %1").arg(QFileInfo(file.path).fileName()));
    noteSaved(*module, file.bytes, module->steps);
    return;
  }
  module->content = contentOf(file);
  Q_EMIT changed();
}

bool OpenModules::isChangedOnDisk(int module) const {
  const Module* found = at(module);
  return found != nullptr && found->other && !isSame(found->other->bytes, found->content.bytes);
}

void OpenModules::reload(int index) {
  if (!isChangedOnDisk(index)) return;
  Module& module = *modules_[static_cast<std::size_t>(index)];
  const ModuleFile file = *module.other;
  module.onDisk = file.bytes;
  std::vector<std::pair<Module*, Content>> contents;
  contents.emplace_back(&module, contentOf(file));
  decided(module);
  replace(std::move(contents), tr("reload %1").arg(QFileInfo(file.path).fileName()));
  noteSaved(module, file.bytes, module.steps);
}

void OpenModules::keepMine(int index) {
  if (!isChangedOnDisk(index)) return;
  Module& module = *modules_[static_cast<std::size_t>(index)];
  module.onDisk = module.other->bytes;
  module.modified = !isSame(module.content.bytes, module.onDisk);
  decided(module);
  Q_EMIT changed();
}

}  // namespace tutti::fomedit
