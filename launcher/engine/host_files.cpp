// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/host_files.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <mutex>
#include <tuple>

#include "composer/model/catalog.h"
#include "launcher/engine/shared_libraries.h"
#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

namespace {

using composer::Error;

constexpr int mostFilesOfAComponent = 5000;

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

}  // namespace

tl::expected<HostFiles::File, QString> HostFiles::look(const QString& path) {
  using Key = std::tuple<QString, QDateTime, qint64>;
  static std::mutex mutex;
  static std::map<Key, HostFiles::File> known;
  const QFileInfo info(path);
  const Key key(path, info.lastModified(), info.size());
  {
    const std::lock_guard guard(mutex);
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  QFile file(path);
  QCryptographicHash hash(QCryptographicHash::Sha256);
  if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file))
    return tl::unexpected(file.errorString());
  const HostFiles::File result{hash.result().toHex(), info.size()};
  const std::lock_guard guard(mutex);
  known[key] = result;
  return result;
}

bool isOfSystem(const QString& library) {
  return library.startsWith(QStringLiteral("/usr/lib")) ||
         library.startsWith(QStringLiteral("/lib"));
}

namespace {

/// Collects paths, each once.
class Collector {
 public:
  explicit Collector(HostFiles& result) : result_(result) {}

  void program(const QString& path, const QString& libraryPath) {
    file(path);
    root(path);
    for (const QString& library : loadedLibraries(path, libraryPath)) {
      if (isOfSystem(library) && !result_.ofSystem.contains(library)) result_.ofSystem << library;
      file(library, false);
      const QString folder = QFileInfo(library).path();
      if (!result_.libraries.contains(folder)) result_.libraries << folder;
    }
  }

  /// Whose files come next; of all federates: an empty name.
  void beginUse(const QString& federate, const QString& component) {
    federate_ = federate;
    component_ = component;
  }

  void file(const QString& path, bool isOfComponent = true) {
    if (!federate_.isEmpty())
      result_.uses[path].push_back({federate_, isOfComponent ? component_ : QString()});
    if (result_.files.contains(path) || !error_.what.isEmpty()) return;
    auto seen = HostFiles::look(path);
    if (seen) {
      result_.files[path] = *seen;
      return;
    }
    error_ = {
        path,
        0,
        {},
        QStringLiteral("%1 cannot be read: %2.").arg(path, seen.error()),
        QStringLiteral("It is needed on another host. Build or install it, and check its rights.")};
  }

  void root(const QString& path) {
    if (!result_.roots.contains(path)) result_.roots << path;
  }

  void component(const QString& folder) {
    // A plan written by hand may name any folder, such as a home.
    if (!QFileInfo::exists(folder + QStringLiteral("/component.json"))) return;
    root(folder);
    QDirIterator all(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    for (int count = 0; all.hasNext(); ++count) {
      if (count < mostFilesOfAComponent) {
        file(all.next());
        continue;
      }
      error_ = {folder,
                0,
                {},
                QStringLiteral("The component's folder %1 has more than %2 files.")
                    .arg(folder)
                    .arg(mostFilesOfAComponent),
                QStringLiteral("It would be copied to another host: keep only what the component "
                               "needs in it.")};
      return;
    }
  }

  const Error& error() const { return error_; }

 private:
  HostFiles& result_;
  Error error_;
  QString federate_;
  QString component_;
};

}  // namespace

tl::expected<HostFiles, Error> HostFiles::of(const LaunchPlan& plan, const QString& host) {
  HostFiles result;
  Collector collect(result);
  const auto folders = composer::Catalog::binaryFolders();
  const auto supervisor = programOfTutti(QStringLiteral("tutti-supervisor"), folders);
  if (!supervisor) {
    return tl::unexpected(Error{{},
                                0,
                                {},
                                QStringLiteral("The program tutti-supervisor is not there."),
                                QStringLiteral("Build it, or name its folder in TUTTI_BIN.")});
  }
  result.supervisor = *supervisor;
  const QString inherited = qEnvironmentVariable("LD_LIBRARY_PATH");
  collect.program(*supervisor, inherited);
  result.modules = plan.fomModules;
  for (const QString& module : plan.fomModules) {
    collect.file(module);
    collect.root(module);
  }
  for (const auto& process : plan.plan.processes) {
    const auto* place = plan.host(host);
    const auto* federate = plan.federate(text(process.id));
    const bool mayCome =
        place != nullptr && place->spare && federate != nullptr && federate->spareNeeds.has_value();
    if (plan.hostOf(text(process.id)) != host && !mayCome) continue;
    const auto variable = [&](const char* name) {
      const auto found = process.env.find(name);
      return found != process.env.end() ? text(found->second) : qEnvironmentVariable(name);
    };
    const auto file =
        findExecutable(process.command.front(), process.cwd, variable("PATH").toStdString());
    if (!file) {
      return tl::unexpected(Error{
          text(file.error().where),
          0,
          {},
          QStringLiteral("%1 cannot start: %2.").arg(text(process.id), text(file.error().why)),
          text(file.error().next)});
    }
    if (federate != nullptr)
      collect.beginUse(federate->name, (federate->component + u' ' + federate->version).trimmed());
    else
      collect.beginUse({}, {});
    collect.program(text(*file), variable("LD_LIBRARY_PATH"));
    if (!process.cwd.empty()) collect.component(text(process.cwd));
  }
  if (!collect.error().what.isEmpty()) return tl::unexpected(collect.error());
  // Of two that match at one place the longer one is meant.
  std::sort(result.roots.begin(), result.roots.end(),
            [](const QString& a, const QString& b) { return a.size() > b.size(); });
  return result;
}

QString HostFiles::moved(const QString& word, const QString& folder) const {
  const auto isOfPath = [](QChar c) {
    return c.isLetterOrNumber() || c == u'/' || c == u'.' || c == u'_' || c == u'-';
  };
  QString result;
  for (qsizetype at = 0; at < word.size();) {
    const auto isHere = [&](const QString& root) {
      const qsizetype end = at + root.size();
      return QStringView(word).mid(at).startsWith(root) &&
             (end == word.size() || word[end] == u'/' || !isOfPath(word[end]));
    };
    const bool mayBegin = word[at] == u'/' && (at == 0 || !isOfPath(word[at - 1]));
    const auto found = mayBegin ? std::find_if(roots.begin(), roots.end(), isHere) : roots.end();
    if (found == roots.end()) {
      result += word[at++];
      continue;
    }
    result += folder + *found;
    at += found->size();
  }
  return result;
}

}  // namespace tutti::launcher
