// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFile>
#include <QFileInfo>
#include <QVersionNumber>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fom-editor/model/item.h"
#include "fom-editor/model/module_dependencies.h"
#include "omt/merge.h"
#include "omt/reader.h"

namespace tutti::fomedit {

namespace {

/// Enough for the notice of a licence before the first element.
constexpr qint64 kBegin = 64 << 10;
/// Enough to see that it is no module.
constexpr qint64 kFirstLook = 512;

QString errorText(int code) { return QString::fromLocal8Bit(std::strerror(code)); }

/// A name that modules usually have: of such files it is said that they cannot be read.
bool looksLikeModule(const QString& name) {
  static const std::set<QString> suffixes{QStringLiteral("xml"), QStringLiteral("fdd"),
                                          QStringLiteral("fed"), QStringLiteral("omt"),
                                          QStringLiteral("omd")};
  return suffixes.contains(QFileInfo(name).suffix().toLower());
}

FolderModule::Status statusOf(const struct stat& s) {
  return {static_cast<std::int64_t>(s.st_dev), static_cast<std::int64_t>(s.st_ino), s.st_size,
          s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
}

/// The first bytes of a regular file, or errno. Never waits for a pipe or a device.
tl::expected<QByteArray, int> beginOf(const QByteArray& path) {
  const int file = ::open(path.constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return tl::unexpected(errno);
  QByteArray begin;
  qint64 wanted = kFirstLook;
  int fault = 0;
  while (begin.size() < wanted) {
    QByteArray part(wanted - begin.size(), Qt::Uninitialized);
    const ssize_t got = ::read(file, part.data(), static_cast<std::size_t>(part.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fault = errno;
    if (got <= 0) break;
    begin.append(part.constData(), got);
    // Only what may be XML or lists is worth another look.
    const QByteArray shown = begin.trimmed();
    const bool text = begin.contains('<') || shown.startsWith('(') || shown.startsWith(';');
    if (begin.size() >= kFirstLook && text) wanted = kBegin;
  }
  ::close(file);
  if (fault != 0) return tl::unexpected(fault);
  return begin;
}

/// Goes through a folder and those below it, level by level.
class Search {
 public:
  Search(const QString& folder, const FolderLimits& limits, const FolderContent& known,
         const std::function<bool(int)>& goOn)
      : limits_(limits), goOn_(goOn) {
    content_.folder = folder;
    for (const FolderModule& module : known.modules) known_.insert(module.path, module);
  }

  FolderContent run() {
    waiting_.push_back({content_.folder, QString(), 0});
    while (!waiting_.empty() && !stopped_) {
      const Folder next = waiting_.front();
      waiting_.pop_front();
      list(next);
    }
    say(unlistedFolders_, QStringLiteral("folder"), QStringLiteral("folders"),
        QStringLiteral("cannot be listed"));
    say(unreadFiles_, QStringLiteral("file"), QStringLiteral("files"),
        QStringLiteral("cannot be read"));
    std::sort(content_.modules.begin(), content_.modules.end(),
              [](const FolderModule& a, const FolderModule& b) { return a.name < b.name; });
    return content_;
  }

 private:
  struct Folder {
    QString path;
    QString name;  ///< below the first one, with a "/" at its end; of that one empty
    int depth;
  };

  void say(const QStringList& names, const QString& one, const QString& many, const QString& what) {
    if (names.isEmpty()) return;
    content_.notes << QStringLiteral("%1 %2 %3: %4%5.")
                          .arg(names.size())
                          .arg(names.size() == 1 ? one : many, what,
                               names.mid(0, 3).join(QStringLiteral(", ")),
                               names.size() > 3 ? QStringLiteral(", …") : QString());
  }

  void sayOnce(const QString& note) {
    if (!content_.notes.contains(note)) content_.notes << note;
  }

  void list(const Folder& folder) {
    DIR* handle = ::opendir(QFile::encodeName(folder.path).constData());
    struct stat own {};
    if (handle == nullptr || ::fstat(::dirfd(handle), &own) != 0) {
      const QString why = errorText(errno);
      if (handle != nullptr) ::closedir(handle);
      if (folder.depth == 0) {
        content_.fault = why;
      } else {
        unlistedFolders_ << QStringLiteral("%1 (%2)").arg(folder.name.chopped(1), why);
      }
      return;
    }
    // Links lead to the same folder again, at worst to one that this one is in.
    if (!seen_.emplace(own.st_dev, own.st_ino).second) {
      ::closedir(handle);
      return;
    }
    QStringList names;
    while (const dirent* entry = ::readdir(handle)) {
      if (!mayGoOn()) break;
      // Hidden ones are of version control and of programs.
      if (entry->d_name[0] != '.') names << QFile::decodeName(entry->d_name);
      if (names.size() > limits_.files + limits_.folders) {
        sayOnce(QStringLiteral("%1 has more entries than are looked at.").arg(folder.path));
        break;
      }
    }
    ::closedir(handle);
    names.sort();
    for (const QString& name : std::as_const(names)) {
      if (!mayGoOn()) return;
      look(folder, name);
    }
  }

  void look(const Folder& in, const QString& name) {
    const QString path =
        in.path.endsWith(u'/') ? in.path + name : in.path + QLatin1Char('/') + name;
    const QByteArray encoded = QFile::encodeName(path);
    struct stat s {};
    if (::stat(encoded.constData(), &s) != 0) {
      if (looksLikeModule(name)) addUnread(in.name + name, errno);
      return;
    }
    if (S_ISDIR(s.st_mode)) {
      if (in.depth == limits_.depth) {
        sayOnce(QStringLiteral("Folders more than %1 levels down are not looked into.")
                    .arg(limits_.depth));
      } else if (folders_ == limits_.folders) {
        sayOnce(QStringLiteral("Only %1 folders are looked into.").arg(limits_.folders));
      } else {
        ++folders_;
        waiting_.push_back({path, in.name + name + u'/', in.depth + 1});
      }
      return;
    }
    if (!S_ISREG(s.st_mode) || s.st_size == 0) return;
    if (content_.files == limits_.files) {
      sayOnce(QStringLiteral("Only %1 files are looked at.").arg(limits_.files));
      return;
    }
    ++content_.files;
    // The same file by another name.
    if (!seen_.emplace(s.st_dev, s.st_ino).second) return;
    const auto known = known_.constFind(path);
    if (known != known_.cend() && known->status == statusOf(s)) {
      add(*known);
      return;
    }
    const auto begin = beginOf(encoded);
    if (!begin) {
      if (looksLikeModule(name)) addUnread(in.name + name, begin.error());
      return;
    }
    if (!beginsAsModule(*begin)) return;
    FolderModule module;
    module.path = path;
    module.name = in.name + name;
    module.status = statusOf(s);
    read(module, s.st_size);
    add(std::move(module));
  }

  void read(FolderModule& module, qint64 size) {
    size = std::min(size, static_cast<qint64>(omt::maxModuleBytes) + 1);
    if (bytes_ + size > limits_.bytes) {
      module.reason = QStringLiteral("It was not read: the modules before it are %1 MB already.")
                          .arg(bytes_ / 1000000);
      return;
    }
    bytes_ += size;
    auto result = omt::readModuleFile(QFile::encodeName(module.path).toStdString());
    if (!result) {
      module.line = result.error().line;
      module.reason = text(result.error().message);
      return;
    }
    module.edition = text(omt::toText(result->edition));
    const QString type = text(result->identification.type).trimmed().toUpper();
    module.kind = type == QStringLiteral("SOM") || type == QStringLiteral("MIM")
                      ? type
                      : QStringLiteral("FOM");
    module.module = std::make_shared<const omt::Module>(std::move(*result));
  }

  void add(FolderModule module) {
    if (content_.modules.size() < limits_.modules) {
      content_.modules.append(std::move(module));
    } else {
      sayOnce(QStringLiteral("Only %1 modules are listed.").arg(limits_.modules));
    }
  }

  void addUnread(const QString& name, int code) {
    unreadFiles_ << QStringLiteral("%1 (%2)").arg(name, errorText(code));
  }

  bool mayGoOn() {
    if (!stopped_ && goOn_ && !goOn_(content_.files)) stopped_ = true;
    return !stopped_;
  }

  FolderContent content_;
  FolderLimits limits_;
  const std::function<bool(int)>& goOn_;
  QHash<QString, FolderModule> known_;
  std::deque<Folder> waiting_;
  std::set<std::pair<dev_t, ino_t>> seen_;
  int folders_ = 0;
  qint64 bytes_ = 0;
  bool stopped_ = false;
  QStringList unlistedFolders_;
  QStringList unreadFiles_;
};

// Which take part

using Name = std::pair<NameKind, QString>;

/// What the RTI reads as it stands comes first, then what says most.
int preference(const omt::Module& module) {
  switch (module.edition) {
    case omt::Edition::Ieee2010:
      return 0;
    case omt::Edition::Ieee2025:
      return 1;
    case omt::Edition::Ieee2000:
      return 2;
    case omt::Edition::Hla13Omt:
      return 3;
    case omt::Edition::Hla13Fed:
      return 4;
  }
  return 5;
}

bool hasModules(const omt::Module& module) { return preference(module) < 2; }

struct Candidate {
  int at = 0;  ///< in the list
  std::set<Name> names;
  std::set<Name> classes;
};

/// "Base.xml", "Base.xml and Radar.xml", "Base.xml, Radar.xml and 3 more".
QString listed(const QStringList& names) {
  if (names.size() < 2) return names.join(QString());
  if (names.size() == 2) return QStringLiteral("%1 and %2").arg(names[0], names[1]);
  return QStringLiteral("%1, %2 and %3 more").arg(names[0], names[1]).arg(names.size() - 2);
}

QString versionOf(const FolderModule& module) {
  return text(module.module->identification.version).trimmed();
}

bool haveCommon(const std::set<Name>& a, const std::set<Name>& b) {
  return std::any_of(a.begin(), a.end(), [&](const Name& name) { return b.contains(name); });
}

void leaveOut(FolderModule& module, const QString& reason) {
  module.takesPart = false;
  module.reason = reason;
}

/// Takes those that define something new, the small ones first: a merged model repeats modules.
void leaveOutRepeated(QList<FolderModule>& modules, std::vector<Candidate>& candidates,
                      const std::function<bool()>& goOn) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) {
                     const int first = preference(*modules[a.at].module);
                     const int second = preference(*modules[b.at].module);
                     return std::pair(first, a.names.size()) < std::pair(second, b.names.size());
                   });
  std::map<Name, int> taken;  // by which module
  for (const Candidate& candidate : candidates) {
    if (goOn && !goOn()) return;
    FolderModule& module = modules[candidate.at];
    // Other editions have no modules and name datatypes in their own way: their classes count.
    const std::set<Name>& own = hasModules(*module.module) || candidate.classes.empty()
                                    ? candidate.names
                                    : candidate.classes;
    std::map<int, int> shares;
    for (const Name& name : own) {
      if (const auto found = taken.find(name); found != taken.end()) ++shares[found->second];
    }
    std::size_t repeated = 0;
    for (const auto& [at, share] : shares) repeated += static_cast<std::size_t>(share);
    if (!own.empty() && repeated == own.size()) {
      std::vector<std::pair<int, int>> most;
      for (const auto& [at, share] : shares) most.emplace_back(-share, at);
      std::sort(most.begin(), most.end());
      QStringList names;
      for (const auto& [share, at] : most) names << modules[at].name;
      leaveOut(module, QStringLiteral("All that it defines is in %1.").arg(listed(names)));
      continue;
    }
    for (const Name& name : candidate.names) taken.try_emplace(name, candidate.at);
  }
}

/// Of modules of one name that define the same, the latest version; of equal ones the best edition.
void leaveOutOldVersions(QList<FolderModule>& modules, const std::vector<Candidate>& candidates,
                         const std::function<bool()>& goOn) {
  struct Version {
    const Candidate* candidate;
    QVersionNumber number;
    int preference;
    bool operator>(const Version& other) const {
      const int order = QVersionNumber::compare(number, other.number);
      return order != 0 ? order > 0 : preference < other.preference;
    }
  };
  std::map<QString, std::vector<Version>> byName;
  for (const Candidate& each : candidates) {
    const FolderModule& module = modules[each.at];
    const QString name = text(module.module->identification.name).trimmed().toCaseFolded();
    if (name.isEmpty()) continue;
    byName[name].push_back(
        {&each, QVersionNumber::fromString(versionOf(module)), preference(*module.module)});
  }
  for (auto& [name, versions] : byName) {
    // The best ones are found first, and only one that takes part rules another out.
    std::stable_sort(versions.begin(), versions.end(), std::greater<>());
    for (std::size_t i = 1; i < versions.size(); ++i) {
      if (goOn && !goOn()) return;
      const Candidate& one = *versions[i].candidate;
      const auto& own = one.classes.empty() ? one.names : one.classes;
      FolderModule& module = modules[one.at];
      for (std::size_t j = 0; j < i && versions[j] > versions[i]; ++j) {
        const Candidate& other = *versions[j].candidate;
        const FolderModule& rival = modules[other.at];
        if (!rival.takesPart || !haveCommon(own, other.names)) continue;
        leaveOut(
            module,
            versionOf(module) != versionOf(rival)
                ? QStringLiteral("%1 is a later version of it: %2 after %3.")
                      .arg(rival.name, versionOf(rival),
                           versionOf(module).isEmpty() ? QStringLiteral("none") : versionOf(module))
                : QStringLiteral("%1 is the same module as %2.").arg(rival.name, rival.edition));
        break;
      }
    }
  }
}

}  // namespace

bool FolderModule::operator==(const FolderModule& other) const {
  return path == other.path && edition == other.edition && kind == other.kind &&
         takesPart == other.takesPart && reason == other.reason && status == other.status;
}

QStringList FolderContent::takingPart() const {
  QStringList paths;
  for (const FolderModule& module : modules) {
    if (module.takesPart) paths << module.path;
  }
  return paths;
}

bool beginsAsModule(const QByteArray& bytes) {
  QByteArray begin = bytes;
  // Of UTF-16 the letters are enough.
  if (begin.startsWith("\xFF\xFE") || begin.startsWith("\xFE\xFF")) begin.remove(0, 2);
  if (begin.startsWith("\xEF\xBB\xBF")) begin.remove(0, 3);
  const bool wide = begin.size() > 3 && (begin[0] == '\0' || begin[1] == '\0');
  if (wide) begin.replace(QByteArray(1, '\0'), QByteArray());
  qsizetype at = 0;
  const auto skipTo = [&](const char* end) {
    const qsizetype found = begin.indexOf(end, at);
    at = found < 0 ? begin.size() : found + static_cast<qsizetype>(std::strlen(end));
  };
  const auto blanks = [&] {
    while (at < begin.size() && std::strchr(" \t\r\n\f", begin[at]) != nullptr) ++at;
  };
  for (blanks(); at < begin.size() && begin[at] == ';'; blanks()) skipTo("\n");
  if (at < begin.size() && begin[at] == '(') {
    ++at;
    blanks();
    const QByteArray rest = begin.mid(at, 12).toLower();
    for (const char* word : {"fed", "dif", "objectmodel"}) {
      const auto length = static_cast<qsizetype>(std::strlen(word));
      const bool ends = rest.size() <= length || std::strchr(" \t\r\n(", rest[length]) != nullptr;
      if (rest.startsWith(word) && ends) return true;
    }
    return false;
  }
  while (at < begin.size() && begin[at] == '<') {
    if (begin.indexOf("<!--", at) == at) {
      skipTo("-->");
    } else if (at + 1 < begin.size() && (begin[at + 1] == '?' || begin[at + 1] == '!')) {
      skipTo(">");
    } else {
      qsizetype end = ++at;
      while (end < begin.size() && std::strchr(" \t\r\n/>", begin[end]) == nullptr) ++end;
      const QByteArray name = begin.mid(at, end - at);
      return name.mid(name.indexOf(':') + 1) == "objectModel";
    }
    blanks();
  }
  return false;
}

bool isBelow(const QString& path, const QString& folder) {
  return path.startsWith(folder.endsWith(u'/') ? folder : folder + u'/');
}

void chooseModules(QList<FolderModule>& modules, const std::function<bool()>& goOn) {
  std::vector<omt::Module> read;
  std::vector<int> places;
  for (int i = 0; i < modules.size(); ++i) {
    FolderModule& module = modules[i];
    module.takesPart = true;
    if (module.isBroken()) continue;
    module.reason.clear();
    read.push_back(*module.module);
    read.back().file = module.path.toStdString();
    places.push_back(i);
  }
  const DependencyGraph graph = dependenciesOf(read);
  std::set<Name> ofMim;
  for (const ModuleOffer& offer : graph.modules[0].offers) ofMim.emplace(offer.kind, offer.name);
  std::vector<Candidate> foms;
  std::vector<Candidate> soms;
  for (std::size_t i = 0; i < places.size(); ++i) {
    Candidate candidate;
    candidate.at = places[i];
    const QList<ModuleOffer>& offers = graph.modules[static_cast<qsizetype>(i) + 1].offers;
    for (const ModuleOffer& offer : offers) {
      const Name name(offer.kind, offer.name);
      if (ofMim.contains(name)) continue;
      candidate.names.insert(name);
      const bool isClass =
          offer.kind == NameKind::ObjectClass || offer.kind == NameKind::InteractionClass;
      if (isClass) candidate.classes.insert(name);
    }
    FolderModule& module = modules[candidate.at];
    const bool isMim =
        offers.size() * 2 > static_cast<qsizetype>(ofMim.size()) && candidate.names.empty();
    if (isMim || module.kind == QStringLiteral("MIM")) {
      module.kind = QStringLiteral("MIM");
      leaveOut(module, QStringLiteral("The standard MIM is built in."));
      continue;
    }
    (module.kind == QStringLiteral("SOM") ? soms : foms).push_back(std::move(candidate));
  }
  for (std::vector<Candidate>* all : {&foms, &soms}) {
    leaveOutOldVersions(modules, *all, goOn);
    std::erase_if(*all, [&](const Candidate& each) { return !modules[each.at].takesPart; });
    leaveOutRepeated(modules, *all, goOn);
  }
  // A new FOM module without anything in it yet says nothing about what the others are.
  const bool anyFom = std::any_of(foms.begin(), foms.end(), [&](const Candidate& fom) {
    return modules[fom.at].takesPart && !fom.names.empty();
  });
  if (anyFom) {
    for (const Candidate& som : soms) {
      leaveOut(modules[som.at],
               QStringLiteral("It is a SOM, what one federate uses; the FOM modules take part."));
    }
  }
  std::map<QString, qsizetype> order;
  for (qsizetype i = 0; i < graph.order.size(); ++i) {
    order.emplace(graph.modules[graph.order[i]].file, i);
  }
  const auto placeOf = [&](const FolderModule& module) {
    const auto found = order.find(module.path);
    const qsizetype depends = module.takesPart && found != order.end() ? found->second : 0;
    return std::tuple(!module.takesPart, module.isBroken(), depends, module.name);
  };
  std::stable_sort(
      modules.begin(), modules.end(),
      [&](const FolderModule& a, const FolderModule& b) { return placeOf(a) < placeOf(b); });
}

FolderContent contentOfFolder(const QString& folder, const FolderLimits& limits,
                              const FolderContent& known,
                              const std::function<bool(int files)>& goOn) {
  bool stopped = false;
  const std::function<bool(int)> mayGoOn = [&](int files) {
    stopped = stopped || (goOn && !goOn(files));
    return !stopped;
  };
  FolderContent content = Search(folder, limits, known, mayGoOn).run();
  if (stopped) return content;
  // Mostly nothing happened since the last look.
  QHash<QString, FolderModule::Status> before;
  for (const FolderModule& module : known.modules) before.insert(module.path, module.status);
  const bool same = content.modules.size() == known.modules.size() &&
                    std::all_of(content.modules.cbegin(), content.modules.cend(),
                                [&](const FolderModule& module) {
                                  const auto found = before.constFind(module.path);
                                  return found != before.cend() && *found == module.status;
                                });
  if (same) {
    content.modules = known.modules;
  } else {
    chooseModules(content.modules, [&] { return mayGoOn(content.files); });
  }
  return content;
}

}  // namespace tutti::fomedit
