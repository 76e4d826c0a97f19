// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "composer/model/manifest.h"

namespace tutti::composer {

/// What is done when a federate ends that nobody told to end.
struct Restart {
  enum class When { Never, OnFailure, Always };
  When when = When::Never;
  int limit = 5;         ///< restarts in a row, 1 to 1000; then it is given up
  double backoff = 1.0;  ///< s before the first, 0 to 60; doubles with each further one, up to 60

  /// "never", "on-failure", "always"; nothing for any other word.
  static std::optional<When> whenOf(const QString& word);
  [[nodiscard]] QString word() const;
  bool operator==(const Restart&) const = default;
};

/// What one instance of a federate needs from its host in place of, and beyond, what its component
/// says; the words and units are those of Resources.
struct OwnResources {
  std::optional<double> cores;   ///< instead of the component's
  std::optional<double> memory;  ///< MB (10^6 bytes), instead of the component's; 0: not known
  QStringList labels;            ///< beside the component's

  [[nodiscard]] bool isEmpty() const { return !cores && !memory && labels.isEmpty(); }
  bool operator==(const OwnResources&) const = default;
};

/// One box of a composition: a component with a name and values, started `count` times.
struct Federate {
  QString id;         ///< stable key within the file; never shown, never changed by a rename
  QString component;  ///< id of its manifest
  QString version;    ///< version it was composed with
  QString name;       ///< federate name; with a count above 1 the instances are name-1, name-2 ...
  int count = 1;      ///< instances, 1 to 1000
  bool enabled = true;
  bool required = true;  ///< the run stops when it ends unexpectedly
  Restart restart;
  ParameterValues parameters;
  OwnResources resources;
  int startOrder = 0;           ///< lower starts first; equal ones start together
  QStringList waitsFor;         ///< ids of federates that must be ready first
  QString host;                 ///< name of the host it is placed on; empty means this machine
  bool pinned = false;          ///< automatic placement leaves it on its host
  QStringList apart;            ///< names of sets: no two federates of one set may share a host
  QString group;                ///< id of its group; empty means none
  QPointF position;             ///< top left corner on the canvas, px at 100 %, whole numbers
  Json extra = Json::object();  ///< keys this version does not know, kept as they are

  /// Names under which the instances join.
  [[nodiscard]] QStringList instanceNames() const;
  /// What one instance needs: its own values before those of its component, the labels of both.
  /// Null: the component is not known, which counts as one that says nothing.
  [[nodiscard]] Resources needs(const Manifest* manifest) const;
  bool operator==(const Federate&) const = default;
};

/// A named set of federates that can be collapsed into one box.
struct Group {
  QString id;
  QString name;
  bool collapsed = false;
  Json extra = Json::object();
  bool operator==(const Group&) const = default;
};

/// The architectures to choose from: the way that the messages between federates take.
struct Architecture {
  const char* name;     ///< as in the file and in TUTTI_ARCHITECTURE
  const char* meaning;  ///< for display
};
inline constexpr Architecture architectures[] = {
    {"decentralized", "Federates of one host write straight into each other's memory"},
    {"federated", "All that the federates of a host send goes through the RTI node of the host"},
    {"centralized", "All messages go through one RTI node, as in the classical RTIG"},
};

/// What is true of the whole composition rather than of one federate.
struct Settings {
  QString federation;      ///< federation execution name
  QStringList fomModules;  ///< as written: absolute, or relative to the file; added to what the
                           ///< components bring
  double pace = 1.0;       ///< logical seconds per second of real time; 0 means as fast as possible
  std::optional<double> stopAfter;  ///< end the run after so many seconds of real time
  std::optional<double>
      stopAtLogicalTime;  ///< end the run when every federate reached this logical time
  QString architecture;   ///< a name of `architectures`; empty means the first
  std::map<QString, QPointF>
      hubPositions;  ///< class hubs moved by hand, by fully qualified class name
  Json extra = Json::object();
  bool operator==(const Settings&) const = default;
};

/// A federation as the person composed it: the content of a `*.federation.json`. A value without
/// behaviour beyond reading and writing; composer::Document adds undo and signals.
struct Composition {
  Settings settings;
  std::map<QString, Federate> federates;  ///< by id
  std::map<QString, Group> groups;        ///< by id

  static tl::expected<Composition, Error> load(const QString& file);
  static tl::expected<Composition, Error> fromSource(const JsonSource& source);
  /// Replaces `file` in one step; on failure the old file is intact.
  [[nodiscard]] tl::expected<void, Error> save(const QString& file) const;
  /// Deterministic: the same composition always gives the same bytes, whatever the order of edits.
  [[nodiscard]] QByteArray toBytes() const;

  /// Enabled or not, ordered by start order, then name.
  [[nodiscard]] std::vector<const Federate*> inStartOrder() const;
  [[nodiscard]] const Federate* find(const QString& id) const;
  [[nodiscard]] const Federate* findByName(const QString& name) const;
  /// An id for a new federate of that name: readable, unique, made of a-z 0-9 -.
  [[nodiscard]] QString freeFederateId(const QString& name) const;
  [[nodiscard]] QString freeGroupId(const QString& name) const;
  /// `base` when no instance is called so, else base-2, base-3 ...
  [[nodiscard]] QString freeName(const QString& base) const;

  bool operator==(const Composition&) const = default;
};

}  // namespace tutti::composer
