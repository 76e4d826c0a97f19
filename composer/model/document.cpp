// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/document.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QUndoCommand>
#include <algorithm>
#include <map>
#include <utility>

#include "composer/model/command_line.h"

namespace tutti::composer {

namespace {

constexpr int kCheckAfterReset = 25;  // milliseconds
constexpr int kAutosaveMilliseconds = 20'000;
// px between proposed boxes that feed each other, and between those below each other.
constexpr double kProposedColumn = 304;
constexpr double kProposedRow = 144;
constexpr int kPresenceMilliseconds = 1000;
constexpr qint64 kMergeMilliseconds = 1000;
constexpr int kMaximumUndoSteps = 1000;

/// Values of some entries before and after an edit; nothing stands for "not there".
template <typename Value>
using Patch = std::map<QString, std::pair<std::optional<Value>, std::optional<Value>>>;

template <typename Value>
Patch<Value> difference(const std::map<QString, Value>& before,
                        const std::map<QString, Value>& after) {
  Patch<Value> patch;
  for (const auto& [id, value] : before) {
    const auto found = after.find(id);
    if (found == after.end()) {
      patch[id] = {value, std::nullopt};
    } else if (!(found->second == value)) {
      patch[id] = {value, found->second};
    }
  }
  for (const auto& [id, value] : after) {
    if (!before.contains(id)) patch[id] = {std::nullopt, value};
  }
  return patch;
}

template <typename Value>
void apply(const Patch<Value>& patch, bool forward, std::map<QString, Value>& values) {
  for (const auto& [id, change] : patch) {
    const auto& target = forward ? change.second : change.first;
    if (target) {
      values.insert_or_assign(id, *target);
    } else {
      values.erase(id);
    }
  }
}

template <typename Value>
void append(Patch<Value>& patch, const Patch<Value>& later) {
  for (const auto& [id, change] : later) {
    const auto [at, isNew] = patch.emplace(id, change);
    if (isNew) continue;
    at->second.second = change.second;
    if (at->second.first == at->second.second) patch.erase(at);
  }
}

FederateChanges changesBetween(const Federate& a, const Federate& b) {
  FederateChanges changes;
  if (a.position != b.position) changes |= FederateChange::Position;
  if (a.name != b.name) changes |= FederateChange::Name;
  if (a.parameters != b.parameters) changes |= FederateChange::Parameters;
  if (a.enabled != b.enabled) changes |= FederateChange::Enabled;
  if (a.count != b.count) changes |= FederateChange::Count;
  if (a.component != b.component || a.version != b.version) changes |= FederateChange::Component;
  if (a.group != b.group) changes |= FederateChange::Group;
  if (a.startOrder != b.startOrder || a.waitsFor != b.waitsFor || a.required != b.required ||
      a.restart != b.restart)
    changes |= FederateChange::Start;
  if (a.host != b.host || a.pinned != b.pinned || a.apart != b.apart)
    changes |= FederateChange::Placement;
  if (a.resources != b.resources) changes |= FederateChange::Needs;
  return changes;
}

/// A dissolved or emptied group leaves no trace, and nobody refers to what is gone.
void tidy(Composition& composition) {
  QSet<QString> used;
  for (auto& [id, federate] : composition.federates) {
    if (!federate.group.isEmpty() && !composition.groups.contains(federate.group))
      federate.group.clear();
    if (!federate.group.isEmpty()) used.insert(federate.group);
  }
  std::erase_if(composition.groups, [&](const auto& entry) { return !used.contains(entry.first); });
}

/// Null when the file cannot be read.
QByteArray contentOf(const QString& path) {
  QFile file{path};
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

QPointF rounded(const QPointF& point) { return QPointF{point.toPoint()}; }

}  // namespace

/// One undo step: the entries it changed, by id, before and after. It holds no pointer into the
/// composition, so it survives the removal of what it speaks about.
class Document::EditCommand : public QUndoCommand {
 public:
  EditCommand(Document& document, const QString& text, const Composition& after, QString mergeKey)
      : QUndoCommand{text},
        document_{document},
        federates_{difference(document.composition_.federates, after.federates)},
        groups_{difference(document.composition_.groups, after.groups)},
        mergeKey_{std::move(mergeKey)} {
    if (!(document.composition_.settings == after.settings))
      settings_ = {document.composition_.settings, after.settings};
    age_.start();
  }

  bool isEmpty() const { return federates_.empty() && groups_.empty() && !settings_; }
  void undo() override { run(false); }
  void redo() override { run(true); }
  int id() const override { return mergeKey_.isEmpty() ? -1 : 1; }
  bool mergeWith(const QUndoCommand* other) override {
    const auto& later = static_cast<const EditCommand&>(*other);
    if (later.mergeKey_ != mergeKey_ || age_.elapsed() > kMergeMilliseconds) return false;
    append(federates_, later.federates_);
    append(groups_, later.groups_);
    if (later.settings_) {
      if (settings_) {
        settings_->second = later.settings_->second;
      } else {
        settings_ = later.settings_;
      }
      if (settings_->first == settings_->second) settings_.reset();
    }
    setText(later.text());
    setObsolete(isEmpty());
    age_.restart();
    return true;
  }

 private:
  void run(bool forward) {
    Composition next = document_.composition_;
    composer::apply(federates_, forward, next.federates);
    composer::apply(groups_, forward, next.groups);
    if (settings_) next.settings = forward ? settings_->second : settings_->first;
    document_.become(next);
  }

  Document& document_;
  Patch<Federate> federates_;
  Patch<Group> groups_;
  std::optional<std::pair<Settings, Settings>> settings_;
  QString mergeKey_;
  QElapsedTimer age_;
};

Document::Document(Catalog catalog, QObject* parent)
    : QObject{parent}, catalog_{std::move(catalog)} {
  qRegisterMetaType<FederateChanges>();
  qRegisterMetaType<Error>();
  undo_.setUndoLimit(kMaximumUndoSteps);
  readers_.setMaxThreadCount(1);
  checkTimer_.setSingleShot(true);
  autosaveTimer_.setSingleShot(true);
  autosaveTimer_.setInterval(kAutosaveMilliseconds);
  connect(&checkTimer_, &QTimer::timeout, this, &Document::check);
  connect(&autosaveTimer_, &QTimer::timeout, this, &Document::autosave);
  presenceTimer_.setInterval(kPresenceMilliseconds);
  connect(&presenceTimer_, &QTimer::timeout, this, &Document::lookWhoElse);
  connect(&undo_, &QUndoStack::cleanChanged, this, [this](bool clean) {
    if (clean && recovery_) {
      recovery_->remove();
      autosaveTimer_.stop();
    }
    emit modifiedChanged(!clean);
  });
  composition_.settings.federation = QStringLiteral("federation");
  scheduleCheck();
}

Document::~Document() {
  undo_.disconnect(this);
  readers_.waitForDone();
}

// --- File
// -----------------------------------------------------------------------------------------------------------

void Document::reset(const QString& federation) {
  Composition empty;
  empty.settings.federation = federation;
  replaceState(std::move(empty), {});
}

tl::expected<void, Error> Document::load(const QString& file) {
  auto loaded = Composition::load(file);
  if (!loaded) return tl::unexpected(loaded.error());
  replaceState(std::move(*loaded), QDir::cleanPath(QFileInfo{file}.absoluteFilePath()));
  return {};
}

tl::expected<void, Error> Document::recover(const Recoverable& recoverable) {
  auto edits = Recovery::load(recoverable.file);
  if (!edits) return tl::unexpected(edits.error());
  if (recoverable.document.isEmpty() || !load(recoverable.document)) {
    reset(edits->settings.federation);
    if (!recoverable.document.isEmpty()) {
      path_ = recoverable.document;
      announce();
      emit pathChanged(path_);
    }
  }
  edit(tr("recover unsaved edits"), [&](Composition& composition) { composition = *edits; });
  autosave();
  Recovery::discard(recoverable.file);
  return {};
}

tl::expected<void, Error> Document::save() {
  if (path_.isEmpty()) {
    return tl::unexpected(
        Error{{}, 0, {}, tr("The composition has no file yet."), tr("Choose one with Save as.")});
  }
  if (alsoOpenIn_ && !fileShared_) {
    return tl::unexpected(
        Error{path_,
              0,
              {},
              tr("The file is also open in another console, %1.").arg(alsoOpenIn_->text()),
              tr("Save it as a copy, or choose Edit here too: then the last save wins.")});
  }
  if (!onDisk_.isNull() && !replaceChanged_) {
    const QByteArray now = contentOf(path_);
    if (!now.isNull() && now != onDisk_) {
      replaceChanged_ = true;
      return tl::unexpected(Error{path_,
                                  0,
                                  {},
                                  tr("The file was changed by somebody else since it was opened."),
                                  tr("Save again to replace it, or save under another name.")});
    }
  }
  auto saved = composition_.save(path_);
  if (saved) {
    rememberFile();
    undo_.setClean();
  }
  return saved;
}

tl::expected<void, Error> Document::saveAs(const QString& file) {
  const QString target = QDir::cleanPath(QFileInfo{file}.absoluteFilePath());
  Composition moved = composition_;
  const QString from = folder();
  const QString to = QFileInfo{target}.absolutePath();
  // Relative modules stay the same files when the document moves to another folder.
  if (from != to) {
    for (QString& module : moved.settings.fomModules) {
      if (QDir::isRelativePath(module))
        module = QDir{to}.relativeFilePath(QDir{from}.absoluteFilePath(module));
    }
  }
  if (auto saved = moved.save(target); !saved) return saved;
  if (!(moved == composition_)) {
    edit(tr("move to %1").arg(to), [&](Composition& composition) { composition = moved; });
  }
  path_ = target;
  rememberFile();
  recovery_ = std::make_unique<Recovery>(path_);
  undo_.setClean();
  announce();
  emit pathChanged(path_);
  scheduleCheck();
  return {};
}

QString Document::folder() const {
  return path_.isEmpty() ? QDir::currentPath() : QFileInfo{path_}.absolutePath();
}

void Document::setAutosaveInterval(int milliseconds) { autosaveTimer_.setInterval(milliseconds); }

void Document::replaceState(Composition composition, const QString& path) {
  recovery_.reset();
  autosaveTimer_.stop();
  undo_.clear();
  composition_ = std::move(composition);
  dataFlow_.reset();
  classSeries_.clear();
  const bool moved = path != path_;
  path_ = path;
  rememberFile();
  emit wasReset();
  announce();
  if (moved) emit pathChanged(path_);
  emit dataFlowChanged();
  // Whoever shows it has its turn first: together they would keep the window away for long.
  checkTimer_.start(kCheckAfterReset);
}

void Document::rememberFile() {
  onDisk_ = path_.isEmpty() ? QByteArray{} : contentOf(path_);
  replaceChanged_ = false;
}

void Document::announce() {
  presence_.reset();
  presenceTimer_.stop();
  fileShared_ = false;
  if (!path_.isEmpty()) presence_ = std::make_unique<Presence>(path_);
  alsoOpenIn_ = presence_ ? presence_->other() : std::nullopt;
  if (alsoOpenIn_) presenceTimer_.start();
  emit presenceChanged();
}

void Document::lookWhoElse() {
  auto other = presence_ ? presence_->other() : std::nullopt;
  if (!other) presenceTimer_.stop();
  if (other == alsoOpenIn_) return;
  alsoOpenIn_ = std::move(other);
  fileShared_ = false;
  emit presenceChanged();
}

void Document::shareFile() {
  if (!alsoOpenIn_ || fileShared_) return;
  fileShared_ = true;
  emit presenceChanged();
}

void Document::autosave() {
  autosaveTimer_.stop();
  if (undo_.isClean()) return;
  if (!recovery_) recovery_ = std::make_unique<Recovery>(path_);
  if (const auto written = recovery_->write(composition_); !written)
    emit autosaveFailed(written.error());
}

// --- State
// ----------------------------------------------------------------------------------------------------------

void Document::setCatalog(Catalog catalog) {
  catalog_ = std::move(catalog);
  dataFlow_.reset();
  emit catalogChanged();
  emit dataFlowChanged();
  scheduleCheck();
}

const Manifest* Document::manifestOf(const QString& federateId) const {
  const Federate* found = composition_.find(federateId);
  return found ? catalog_.find(found->component, found->version) : nullptr;
}

const DataFlow& Document::dataFlow() const {
  if (!dataFlow_) {
    dataFlow_ = deriveDataFlow(composition_, catalog_);
    classSeries_.assign(dataFlow_->flows);
  }
  return *dataFlow_;
}

std::vector<Finding> Document::findingsOf(const QString& federateId) const {
  std::vector<Finding> result;
  std::copy_if(findings_.begin(), findings_.end(), std::back_inserter(result),
               [&](const Finding& finding) { return finding.where.federate == federateId; });
  return result;
}

void Document::become(const Composition& next) {
  const Composition before = std::exchange(composition_, next);
  bool flowMayDiffer = false;
  bool somethingToCheck = !(before.settings == next.settings);

  // Removals are announced while the entry is still there, so that a view can look at it once more.
  std::vector<QString> removed;
  for (const auto& [id, federate] : before.federates) {
    if (!next.federates.contains(id)) removed.push_back(id);
  }
  if (!removed.empty()) {
    for (const QString& id : removed) composition_.federates.emplace(id, before.federates.at(id));
    for (const QString& id : removed) {
      emit federateAboutToBeRemoved(id);
      composition_.federates.erase(id);
      dataFlow_.reset();
      emit federateRemoved(id);
    }
    flowMayDiffer = true;
  }
  for (const auto& [id, group] : next.groups) {
    const auto old = before.groups.find(id);
    if (old == before.groups.end()) {
      emit groupAdded(id);
    } else if (!(old->second == group)) {
      emit groupChanged(id);
    }
  }
  dataFlow_.reset();
  for (const auto& [id, federate] : next.federates) {
    const auto old = before.federates.find(id);
    if (old == before.federates.end()) {
      flowMayDiffer = true;
      emit federateAdded(id);
    } else if (!(old->second == federate)) {
      const FederateChanges changes = changesBetween(old->second, federate);
      if (changes & (FederateChange::Parameters | FederateChange::Enabled | FederateChange::Count |
                     FederateChange::Component))
        flowMayDiffer = true;
      if (changes & ~FederateChanges{FederateChange::Position}) somethingToCheck = true;
      emit federateChanged(id, changes);
    }
  }
  for (const auto& [id, group] : before.groups) {
    if (!next.groups.contains(id)) emit groupRemoved(id);
  }
  if (!(before.settings == next.settings)) emit settingsChanged();
  if (flowMayDiffer) emit dataFlowChanged();
  if (flowMayDiffer || somethingToCheck) scheduleCheck();
  if (!autosaveTimer_.isActive()) autosaveTimer_.start();
}

void Document::recheck() { scheduleCheck(); }

void Document::scheduleCheck() {
  if (!checkTimer_.isActive()) checkTimer_.start(0);
}

void Document::check() {
  QElapsedTimer clock;
  clock.start();
  const QStringList modules = effectiveModules(composition_, catalog_, folder());
  const bool known = moduleKey(modules) == objectModel_.key && !objectModel_.key.isNull();
  // While modules are being read the last report stands in, so that its findings do not flicker.
  const CheckInput input{folder(), Catalog::binaryFolders(),
                         objectModel_.key.isNull() ? nullptr : &objectModel_};
  findings_ = checkComposition(composition_, catalog_, input);
  lastCheckSeconds_ = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
  if (!known && !examining_) {
    examining_ = true;
    readers_.start([this, modules] {
      QElapsedTimer reading;
      reading.start();
      ObjectModelReport report = examineModules(modules);
      const double seconds = static_cast<double>(reading.nsecsElapsed()) * 1e-9;
      QMetaObject::invokeMethod(
          this, [this, report = std::move(report), seconds] { examined(report, seconds); },
          Qt::QueuedConnection);
    });
  }
  emit findingsChanged();
}

void Document::examined(ObjectModelReport report, double seconds) {
  examining_ = false;
  objectModel_ = std::move(report);
  if (objectModel_.key.isNull()) objectModel_.key = QStringLiteral("");
  check();
  lastCheckSeconds_ += seconds;
}

// --- Edits
// ----------------------------------------------------------------------------------------------------------

void Document::edit(const QString& text, const std::function<void(Composition&)>& change,
                    const QString& mergeKey) {
  Composition next = composition_;
  change(next);
  tidy(next);
  auto command = std::make_unique<EditCommand>(*this, text, next, mergeKey);
  if (!command->isEmpty()) undo_.push(command.release());
}

QString Document::nameOf(const QString& id) const {
  const Federate* found = composition_.find(id);
  return found ? found->name : id;
}

QString Document::describe(const QStringList& ids) const {
  return ids.size() == 1 ? nameOf(ids.front()) : tr("%1 federates").arg(ids.size());
}

QString Document::addFederate(const QString& component, const QPointF& position,
                              const QString& name) {
  Federate added;
  added.component = component;
  if (const Manifest* manifest = catalog_.find(component)) added.version = manifest->version;
  added.name = composition_.freeName(name.trimmed().isEmpty() ? component : name.trimmed());
  added.id = composition_.freeFederateId(added.name);
  added.position = rounded(position);
  edit(tr("add %1").arg(added.name),
       [&](Composition& composition) { composition.federates.emplace(added.id, added); });
  return added.id;
}

QStringList Document::addProposed(const Proposal& proposal) {
  if (proposal.items.empty()) return {};
  double top = 0;
  for (const auto& [id, federate] : composition_.federates)
    top = std::max(top, federate.position.y() + kProposedRow);
  QStringList ids;
  QStringList names;
  std::map<int, int> rows;
  Composition next = composition_;
  for (const Proposal::Item& item : proposal.items) {
    Federate added;
    added.component = item.manifest->id;
    added.version = item.manifest->version;
    added.name = next.freeName(item.manifest->id);
    added.id = next.freeFederateId(added.name);
    added.position = QPointF{kProposedColumn * item.depth, top + kProposedRow * rows[item.depth]++};
    ids << added.id;
    names << added.name;
    next.federates.emplace(added.id, added);
  }
  edit(tr("add %1").arg(names.join(QStringLiteral(", "))),
       [&](Composition& composition) { composition = next; });
  return ids;
}

void Document::removeFederates(const QStringList& ids) {
  edit(tr("remove %1").arg(describe(ids)), [&](Composition& composition) {
    for (const QString& id : ids) composition.federates.erase(id);
    for (auto& [id, federate] : composition.federates) {
      federate.waitsFor.removeIf([&](const QString& awaited) { return ids.contains(awaited); });
    }
  });
}

void Document::moveFederates(const QHash<QString, QPointF>& positions, bool merge) {
  QStringList ids = positions.keys();
  ids.sort();
  edit(
      tr("move %1").arg(describe(ids)),
      [&](Composition& composition) {
        for (const QString& id : ids) {
          if (const auto found = composition.federates.find(id);
              found != composition.federates.end()) {
            found->second.position = rounded(positions[id]);
          }
        }
      },
      merge ? QStringLiteral("move/") + ids.join(u'/') : QString{});
}

void Document::moveHub(const QString& className, const QPointF& position) {
  edit(tr("move %1").arg(className.mid(className.lastIndexOf(u'.') + 1)),
       [&](Composition& composition) {
         composition.settings.hubPositions[className] = rounded(position);
       });
}

namespace {

/// Applies a change to those federates that exist.
template <typename Change>
auto eachOf(const QStringList& ids, Change change) {
  return [ids, change](Composition& composition) {
    for (const QString& id : ids) {
      if (const auto found = composition.federates.find(id); found != composition.federates.end())
        change(found->second);
    }
  };
}

}  // namespace

void Document::renameFederate(const QString& id, const QString& name) {
  edit(tr("rename %1 to %2").arg(nameOf(id), name.trimmed()),
       eachOf({id}, [&](Federate& federate) { federate.name = name.trimmed(); }));
}

void Document::setParameter(const QString& id, const QString& parameter,
                            const std::optional<Json>& value) {
  edit(tr("set %1 of %2").arg(parameter, nameOf(id)),
       eachOf({id},
              [&](Federate& federate) {
                if (value && !value->is_null()) {
                  federate.parameters[parameter] = *value;
                } else {
                  federate.parameters.erase(parameter);
                }
              }),
       QStringLiteral("parameter/%1/%2").arg(id, parameter));
}

void Document::resetParameters(const QString& id) {
  edit(tr("reset the parameters of %1").arg(nameOf(id)),
       eachOf({id}, [](Federate& federate) { federate.parameters.clear(); }));
}

void Document::setEnabled(const QStringList& ids, bool enabled) {
  edit((enabled ? tr("enable %1") : tr("disable %1")).arg(describe(ids)),
       eachOf(ids, [&](Federate& federate) { federate.enabled = enabled; }));
}

void Document::setRequired(const QString& id, bool required) {
  edit((required ? tr("require %1") : tr("do not require %1")).arg(nameOf(id)),
       eachOf({id}, [&](Federate& federate) { federate.required = required; }));
}

void Document::setRestart(const QString& id, const Restart& restart) {
  edit(tr("set when %1 is restarted").arg(nameOf(id)),
       eachOf({id},
              [&](Federate& federate) {
                federate.restart = restart.when == Restart::When::Never ? Restart{} : restart;
              }),
       QStringLiteral("restart/") + id);
}

void Document::setCount(const QString& id, int count) {
  edit(tr("set the count of %1").arg(nameOf(id)),
       eachOf({id}, [&](Federate& federate) { federate.count = std::clamp(count, 1, 1000); }),
       QStringLiteral("count/") + id);
}

void Document::setResources(const QString& id, const OwnResources& resources) {
  OwnResources own = resources;
  if (own.cores) own.cores = std::max(0.0, *own.cores);
  if (own.memory) own.memory = std::max(0.0, *own.memory);
  edit(tr("set what %1 needs").arg(nameOf(id)),
       eachOf({id}, [&](Federate& federate) { federate.resources = own; }));
}

void Document::setVersion(const QString& id, const QString& version) {
  edit(tr("use version %1 for %2").arg(version, nameOf(id)),
       eachOf({id}, [&](Federate& federate) { federate.version = version; }));
}

void Document::setStartOrder(const QString& id, int order) {
  edit(tr("set the start order of %1").arg(nameOf(id)),
       eachOf({id},
              [&](Federate& federate) { federate.startOrder = std::clamp(order, -1000, 1000); }),
       QStringLiteral("start/") + id);
}

void Document::setWaitsFor(const QString& id, const QStringList& ids) {
  edit(tr("set the waits of %1").arg(nameOf(id)),
       eachOf({id}, [&](Federate& federate) { federate.waitsFor = ids; }));
}

void Document::setHost(const QStringList& ids, const QString& host) {
  edit(tr("place %1 on %2").arg(describe(ids), host.isEmpty() ? tr("this machine") : host),
       eachOf(ids, [&](Federate& federate) { federate.host = host; }));
}

void Document::setHosts(const std::map<QString, QString>& hosts, const QString& text) {
  edit(text, [&](Composition& composition) {
    for (const auto& [id, host] : hosts) {
      const auto found = composition.federates.find(id);
      if (found != composition.federates.end()) found->second.host = host;
    }
  });
}

void Document::setPinned(const QStringList& ids, bool pinned) {
  edit(pinned ? tr("pin %1").arg(describe(ids)) : tr("unpin %1").arg(describe(ids)),
       eachOf(ids, [&](Federate& federate) { federate.pinned = pinned; }));
}

void Document::keepApart(const QStringList& ids) {
  QSet<QString> taken;
  for (const auto& [id, federate] : composition_.federates)
    taken += QSet<QString>(federate.apart.begin(), federate.apart.end());
  int number = 1;
  while (taken.contains(QStringLiteral("apart-%1").arg(number))) ++number;
  const QString set = QStringLiteral("apart-%1").arg(number);
  edit(tr("keep %1 apart").arg(describe(ids)),
       eachOf(ids, [&](Federate& federate) { federate.apart << set; }));
}

void Document::letShareHosts(const QStringList& ids) {
  edit(tr("let %1 share a host").arg(describe(ids)),
       eachOf(ids, [&](Federate& federate) { federate.apart.clear(); }));
}

QString Document::groupFederates(const QStringList& ids, const QString& name) {
  const QString groupId = composition_.freeGroupId(name);
  edit(tr("group %1").arg(name), [&](Composition& composition) {
    composition.groups.emplace(groupId, Group{groupId, name, false, Json::object()});
    eachOf(ids, [&](Federate& federate) { federate.group = groupId; })(composition);
  });
  return groupId;
}

void Document::setGroup(const QStringList& ids, const QString& groupId) {
  const auto group = composition_.groups.find(groupId);
  const QString text = group == composition_.groups.end()
                           ? tr("take %1 out of its group").arg(describe(ids))
                           : tr("put %1 into %2").arg(describe(ids), group->second.name);
  edit(text, eachOf(ids, [&](Federate& federate) { federate.group = groupId; }));
}

void Document::ungroup(const QString& groupId) {
  const auto group = composition_.groups.find(groupId);
  if (group == composition_.groups.end()) return;
  edit(tr("ungroup %1").arg(group->second.name),
       [&](Composition& composition) { composition.groups.erase(groupId); });
}

void Document::renameGroup(const QString& groupId, const QString& name) {
  const auto group = composition_.groups.find(groupId);
  if (group == composition_.groups.end()) return;
  edit(tr("rename %1 to %2").arg(group->second.name, name),
       [&](Composition& composition) { composition.groups.at(groupId).name = name; });
}

void Document::setGroupCollapsed(const QString& groupId, bool collapsed) {
  const auto group = composition_.groups.find(groupId);
  if (group == composition_.groups.end()) return;
  edit((collapsed ? tr("collapse %1") : tr("open %1")).arg(group->second.name),
       [&](Composition& composition) { composition.groups.at(groupId).collapsed = collapsed; });
}

void Document::setFederationName(const QString& name) {
  edit(tr("rename the federation to %1").arg(name),
       [&](Composition& composition) { composition.settings.federation = name; });
}

void Document::addModule(const QString& module) {
  edit(tr("add %1").arg(QFileInfo{module}.fileName()), [&](Composition& composition) {
    if (!composition.settings.fomModules.contains(module))
      composition.settings.fomModules.append(module);
  });
}

void Document::removeModule(const QString& module) {
  edit(tr("remove %1").arg(QFileInfo{module}.fileName()),
       [&](Composition& composition) { composition.settings.fomModules.removeAll(module); });
}

void Document::setPace(double pace) {
  edit(
      tr("set the pace"),
      [&](Composition& composition) { composition.settings.pace = std::max(0.0, pace); },
      QStringLiteral("pace"));
}

void Document::setArchitecture(const QString& architecture) {
  const bool isFirst = architecture == QLatin1String(architectures[0].name);
  edit(
      tr("choose the architecture"),
      [&](Composition& composition) {
        composition.settings.architecture = isFirst ? QString() : architecture;
      },
      QStringLiteral("architecture"));
}

void Document::setStop(const std::optional<double>& afterSeconds,
                       const std::optional<double>& atLogicalTime) {
  edit(
      tr("set when the run stops"),
      [&](Composition& composition) {
        composition.settings.stopAfter = afterSeconds;
        composition.settings.stopAtLogicalTime = atLogicalTime;
      },
      QStringLiteral("stop"));
}

void Document::apply(const Fix& fix) {
  const auto string = [&] {
    return fix.value.is_string() ? text(fix.value.get<std::string>()) : QString{};
  };
  switch (fix.kind) {
    case Fix::Kind::SetParameter:
      return setParameter(fix.federate, fix.parameter,
                          fix.value.is_null() ? std::nullopt : std::optional{fix.value});
    case Fix::Kind::SetVersion:
      return setVersion(fix.federate, string());
    case Fix::Kind::SetEnabled:
      return setEnabled({fix.federate}, fix.value.is_boolean() && fix.value.get<bool>());
    case Fix::Kind::SetName:
      return renameFederate(fix.federate, string());
    case Fix::Kind::AddFederate: {
      // Left of everything, where data starts to flow.
      QPointF place{0, 0};
      for (const auto& [id, federate] : composition_.federates) {
        place.setX(std::min(place.x(), federate.position.x() - 240));
      }
      addFederate(string(), place);
      return;
    }
    case Fix::Kind::RemoveFederate:
      return removeFederates({fix.federate});
    case Fix::Kind::RemoveModule:
      return removeModule(string());
    case Fix::Kind::SetWaitsFor: {
      QStringList ids;
      for (const Json& id : fix.value) ids.append(text(id.get<std::string>()));
      return setWaitsFor(fix.federate, ids);
    }
    case Fix::Kind::SetPace:
      return setPace(fix.value.get<double>());
    case Fix::Kind::SetCount:
      return setCount(fix.federate, fix.value.get<int>());
    case Fix::Kind::SetRestart: {
      const Federate* federate = this->federate(fix.federate);
      const auto when = Restart::whenOf(string());
      if (federate == nullptr || !when) return;
      Restart restart = federate->restart;
      restart.when = *when;
      return setRestart(fix.federate, restart);
    }
  }
}

QByteArray Document::copy(const QStringList& ids) const {
  Composition part;
  part.settings.federation = composition_.settings.federation;
  for (const QString& id : ids) {
    if (const Federate* found = composition_.find(id)) part.federates.emplace(id, *found);
  }
  for (const auto& [id, federate] : part.federates) {
    if (const auto group = composition_.groups.find(federate.group);
        group != composition_.groups.end())
      part.groups.insert(*group);
  }
  return part.toBytes();
}

tl::expected<QStringList, Error> Document::paste(const QByteArray& copied, const QPointF& offset) {
  const auto part = JsonSource::parse(copied, {}).and_then(&Composition::fromSource);
  if (!part) return tl::unexpected(part.error());
  Composition next = composition_;
  QHash<QString, QString> newIds;
  for (const auto& [id, federate] : part->federates) {
    Federate added = federate;
    added.name = next.freeName(federate.name);
    added.id = next.freeFederateId(added.name);
    added.position = rounded(federate.position + offset);
    if (!next.groups.contains(added.group)) added.group.clear();
    newIds[id] = added.id;
    next.federates.emplace(added.id, std::move(added));
  }
  // Waits among the copies stay among the copies; those for others stay as they are where these
  // exist.
  for (const QString& id : std::as_const(newIds)) {
    QStringList waits;
    for (const QString& awaited : std::as_const(next.federates.at(id).waitsFor)) {
      const QString target = newIds.value(awaited, awaited);
      if (next.federates.contains(target)) waits.append(target);
    }
    next.federates.at(id).waitsFor = waits;
  }
  QStringList ids = newIds.values();
  ids.sort();
  edit(ids.size() == 1 ? tr("paste %1").arg(next.federates.at(ids.front()).name)
                       : tr("paste %1 federates").arg(ids.size()),
       [&](Composition& composition) { composition = next; });
  return ids;
}

}  // namespace tutti::composer
