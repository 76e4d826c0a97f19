// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QFlags>
#include <QHash>
#include <QObject>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>
#include <QUndoStack>
#include <functional>
#include <memory>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/catalog.h"
#include "composer/model/checks.h"
#include "composer/model/composition.h"
#include "composer/model/data_flow.h"
#include "composer/model/error.h"
#include "composer/model/object_models.h"
#include "composer/model/presence.h"
#include "composer/model/proposal.h"
#include "composer/model/recovery.h"

namespace tutti::composer {

/// What changed about a federate; lets a view repaint only what it must.
enum class FederateChange {
  Position = 1,
  Name = 2,
  Parameters = 4,
  Enabled = 8,
  Count = 16,
  Component = 32,  ///< component or version
  Group = 64,
  Start = 128,      ///< start order, waits, required, restart
  Placement = 256,  ///< host, pinned, apart
  Needs = 512,      ///< of its own
};
Q_DECLARE_FLAGS(FederateChanges, FederateChange)
Q_DECLARE_OPERATORS_FOR_FLAGS(FederateChanges)

/// A composition that is being edited: undo, dirty state, findings, data flow and recovery. Views
/// listen to the signals and never change the composition but through the edits below, each of
/// which is one undo step whose text names what it touches. Federates and groups are known by id: a
/// reference into composition() is valid until the next edit. GUI thread only; reading FOM modules
/// happens in a thread of its own.
class Document : public QObject {
  Q_OBJECT

 public:
  explicit Document(Catalog catalog, QObject* parent = nullptr);
  ~Document() override;

  // --- File
  // ---------------------------------------------------------------------------------------------------------
  /// Starts an empty composition without a file.
  void reset(const QString& federation = QStringLiteral("federation"));
  /// Replaces everything by the file's content. On an error the document is as it was.
  tl::expected<void, Error> load(const QString& file);
  /// Opens what Recovery::list() offered: the unsaved edits on top of the file they belong to, as
  /// one undoable step.
  tl::expected<void, Error> recover(const Recoverable& recoverable);
  /// Writes to path(), which must not be empty. When somebody else has changed the file since it
  /// was read, the first call refuses and says so; the next one replaces the file.
  tl::expected<void, Error> save();
  tl::expected<void, Error> saveAs(const QString& file);
  /// Absolute path; empty when never saved.
  [[nodiscard]] const QString& path() const { return path_; }
  /// Folder where relative paths of the composition start: the file's, else the current one.
  [[nodiscard]] QString folder() const;
  [[nodiscard]] bool isModified() const { return !undo_.isClean(); }
  /// Who else has the file open; while somebody has, save() refuses until shareFile() was called.
  /// Follows the other's coming and going within about a second.
  [[nodiscard]] const std::optional<Presence::Holder>& alsoOpenIn() const { return alsoOpenIn_; }
  /// The person knows that the file is open elsewhere and goes on: save() works again.
  void shareFile();
  [[nodiscard]] bool isFileShared() const { return fileShared_; }
  /// Interval of writing the recovery file, 20 s unless set.
  void setAutosaveInterval(int milliseconds);

  // --- State
  // --------------------------------------------------------------------------------------------------------
  [[nodiscard]] const Composition& composition() const { return composition_; }
  [[nodiscard]] const Federate* federate(const QString& id) const { return composition_.find(id); }
  [[nodiscard]] const Catalog& catalog() const { return catalog_; }
  void setCatalog(Catalog catalog);
  /// Manifest of a federate; null when the catalog has no such component.
  [[nodiscard]] const Manifest* manifestOf(const QString& federateId) const;
  [[nodiscard]] QUndoStack& undoStack() { return undo_; }
  /// Who sends what to whom at this moment.
  [[nodiscard]] const DataFlow& dataFlow() const;
  /// What the checks found after the last edit; follows an edit within one turn of the event loop,
  /// and the FOM's part when its modules have been read.
  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
  /// Findings about one federate.
  [[nodiscard]] std::vector<Finding> findingsOf(const QString& federateId) const;
  /// True while FOM modules are being read or an edit is not checked yet.
  [[nodiscard]] bool isChecking() const { return checkTimer_.isActive() || examining_; }
  /// Seconds the last check took, reading of FOM modules included.
  [[nodiscard]] double lastCheckSeconds() const { return lastCheckSeconds_; }
  /// The merged object model's classes; `merged` is false until they have been read.
  [[nodiscard]] const ObjectModelReport& objectModel() const { return objectModel_; }

  // --- Edits: each is one undo step; nothing is pushed when nothing changes
  // -----------------------------------------
  /// Adds a federate of a component of the catalog; the name is derived when empty. Returns its id.
  QString addFederate(const QString& component, const QPointF& position, const QString& name = {});
  /// Adds what is proposed, below everything and in columns along the data flow, as one step.
  /// Returns the ids, in the proposal's order.
  QStringList addProposed(const Proposal& proposal);
  /// Also removes them from others' waits, and groups left empty.
  void removeFederates(const QStringList& ids);
  /// The whole of a drag at once. With `merge`, moves of the same federates in quick succession
  /// become one step (arrow keys).
  void moveFederates(const QHash<QString, QPointF>& positions, bool merge = false);
  void moveHub(const QString& className, const QPointF& position);
  void renameFederate(const QString& id, const QString& name);
  /// Nothing as value means: use the default again.
  void setParameter(const QString& id, const QString& parameter, const std::optional<Json>& value);
  void resetParameters(const QString& id);
  void setEnabled(const QStringList& ids, bool enabled);
  void setRequired(const QString& id, bool required);
  /// Within the limits of Restart.
  void setRestart(const QString& id, const Restart& restart);
  void setCount(const QString& id, int count);
  /// What one instance needs beside what its component says; amounts below 0 become 0.
  void setResources(const QString& id, const OwnResources& resources);
  void setVersion(const QString& id, const QString& version);
  void setStartOrder(const QString& id, int order);
  void setWaitsFor(const QString& id, const QStringList& ids);
  /// Empty host: this machine.
  void setHost(const QStringList& ids, const QString& host);
  /// The whole of an automatic placement, hosts by federate id, under one name.
  void setHosts(const std::map<QString, QString>& hosts, const QString& text);
  void setPinned(const QStringList& ids, bool pinned);
  /// No two of them may share a host from now on.
  void keepApart(const QStringList& ids);
  /// Takes them out of every set of federates that are kept apart.
  void letShareHosts(const QStringList& ids);
  /// Puts federates into a new group; returns its id.
  QString groupFederates(const QStringList& ids, const QString& name);
  /// Puts federates into an existing group, or into none (empty id).
  void setGroup(const QStringList& ids, const QString& groupId);
  void ungroup(const QString& groupId);
  void renameGroup(const QString& groupId, const QString& name);
  void setGroupCollapsed(const QString& groupId, bool collapsed);
  void setFederationName(const QString& name);
  void addModule(const QString& module);
  void removeModule(const QString& module);
  void setPace(double pace);
  /// A name of `architectures`.
  void setArchitecture(const QString& architecture);
  void setStop(const std::optional<double>& afterSeconds,
               const std::optional<double>& atLogicalTime);
  void apply(const Fix& fix);
  /// Any other edit as one step with that text ("tidy up"); `mergeKey` equal to the last step's,
  /// within 1 s, merges.
  void edit(const QString& text, const std::function<void(Composition&)>& change,
            const QString& mergeKey = {});

  /// Federates as clipboard text, and back; pasting gives new ids and names and returns the ids.
  [[nodiscard]] QByteArray copy(const QStringList& ids) const;
  tl::expected<QStringList, Error> paste(const QByteArray& copied, const QPointF& offset);

 public slots:
  /// Checks again, for example because files on disk changed.
  void recheck();

 signals:
  /// Everything may have changed: forget all ids.
  void wasReset();
  void federateAdded(const QString& id);
  /// Still in composition() while this is emitted.
  void federateAboutToBeRemoved(const QString& id);
  void federateRemoved(const QString& id);
  void federateChanged(const QString& id, tutti::composer::FederateChanges changes);
  void groupAdded(const QString& id);
  void groupRemoved(const QString& id);
  void groupChanged(const QString& id);
  /// Settings of the composition as a whole, hub positions included.
  void settingsChanged();
  void dataFlowChanged();
  void findingsChanged();
  void catalogChanged();
  void pathChanged(const QString& path);
  void modifiedChanged(bool modified);
  /// alsoOpenIn() or isFileShared() changed.
  void presenceChanged();
  /// The recovery file could not be written.
  void autosaveFailed(const tutti::composer::Error& error);

 private:
  class EditCommand;
  friend class EditCommand;

  void replaceState(Composition composition, const QString& path);
  void become(const Composition& next);
  void scheduleCheck();
  void check();
  void examined(ObjectModelReport report, double seconds);
  void autosave();
  void rememberFile();
  void announce();
  void lookWhoElse();
  QString nameOf(const QString& id) const;
  QString describe(const QStringList& ids) const;

  Catalog catalog_;
  Composition composition_;
  QString path_;
  QByteArray
      onDisk_;  ///< what the file held when it was read or written last; null when there was none
  bool replaceChanged_ = false;  ///< the person was told that the file changed
  QUndoStack undo_;
  std::unique_ptr<Recovery> recovery_;
  std::unique_ptr<Presence> presence_;
  std::optional<Presence::Holder> alsoOpenIn_;
  bool fileShared_ = false;
  QTimer presenceTimer_;
  QTimer checkTimer_;
  QTimer autosaveTimer_;
  mutable std::optional<DataFlow> dataFlow_;
  mutable ClassSeries classSeries_;
  std::vector<Finding> findings_;
  ObjectModelReport objectModel_;
  bool examining_ = false;
  double lastCheckSeconds_ = 0.0;
  QThreadPool readers_;
};

}  // namespace tutti::composer

Q_DECLARE_METATYPE(tutti::composer::Error)
