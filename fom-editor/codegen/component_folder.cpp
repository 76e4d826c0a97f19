// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/codegen/component_folder.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QRegularExpression>
#include <QSaveFile>
#include <QSet>
#include <QTemporaryDir>
#include <memory>
#include <vector>

#include "fom-editor/codegen/component_files.h"
#include "fom-editor/codegen/data_type_source.h"
#include "fom-editor/model/loaded_model.h"

namespace tutti::fomedit {

namespace {

/// What was written and from what, so that a later run knows what somebody edited since.
const QString recordPath = QStringLiteral("generated/record.json");
constexpr int kFormat = 1;
constexpr qint64 kLargestFile = 64 << 20;
constexpr int kMostHandWritten = 2000;
constexpr int kMostPlaces = 8;

QString hashOf(const QByteArray& content) {
  return QString::fromLatin1(QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex());
}

tl::expected<QByteArray, QString> contentOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    return tl::unexpected(QStringLiteral("%1 cannot be read: %2.").arg(path, file.errorString()));
  }
  if (file.size() > kLargestFile)
    return tl::unexpected(QStringLiteral("%1 is larger than 64 MiB.").arg(path));
  return file.readAll();
}

// --- the record

struct Record {
  ComponentRequest request;  ///< modules: file names in fom/
  QMap<QString, QString> hashes;
  QMap<QString, QString> interface;
};

QMap<QString, QString> textsOf(const QJsonObject& object) {
  QMap<QString, QString> texts;
  for (auto at = object.begin(); at != object.end(); ++at)
    texts.insert(at.key(), at.value().toString());
  return texts;
}

QJsonObject objectOf(const QMap<QString, QString>& texts) {
  QJsonObject object;
  for (auto at = texts.begin(); at != texts.end(); ++at) object.insert(at.key(), at.value());
  return object;
}

tl::expected<Record, QString> readRecord(const QString& folder) {
  const QString path = folder + u'/' + recordPath;
  if (!QFileInfo(path).isFile()) {
    return tl::unexpected(
        QStringLiteral("%1 is not there: the component was not generated from classes. "
                       "`tutti component new NAME --fom FILE ...` makes one that is.")
            .arg(path));
  }
  const auto content = contentOf(path);
  if (!content) return tl::unexpected(content.error());
  QJsonParseError fault{};
  const QJsonObject object = QJsonDocument::fromJson(*content, &fault).object();
  if (fault.error != QJsonParseError::NoError || object.value("format").toInt() != kFormat) {
    return tl::unexpected(
        QStringLiteral("%1 cannot be understood%2. Restore it from version control, or make the "
                       "component anew beside this one and move main.cpp there.")
            .arg(path, fault.error == QJsonParseError::NoError
                           ? QStringLiteral(": it is of another version of Tutti")
                           : QStringLiteral(": ") + fault.errorString()));
  }
  Record record;
  record.request.id = object.value("id").toString();
  for (const auto& module : object.value("modules").toArray())
    record.request.modules << QFileInfo(module.toString()).fileName();
  for (const auto& entry : object.value("classes").toArray()) {
    const QJsonObject c = entry.toObject();
    ClassRequest request{c.value("class").toString(), {}, c.value("publish").toBool()};
    for (const auto& attribute : c.value("attributes").toArray())
      request.attributes << attribute.toString();
    record.request.classes << request;
  }
  record.request.time.regulating = object.value("regulating").toBool();
  record.request.time.constrained = object.value("constrained").toBool();
  record.hashes = textsOf(object.value("files").toObject());
  record.interface = textsOf(object.value("interface").toObject());
  return record;
}

QByteArray toJson(const Record& record) {
  QJsonArray classes;
  for (const ClassRequest& c : record.request.classes) {
    classes.append(QJsonObject{{"class", c.name},
                               {"attributes", QJsonArray::fromStringList(c.attributes)},
                               {"publish", c.publish}});
  }
  return QJsonDocument(
             QJsonObject{{"format", kFormat},
                         {"about", QStringLiteral("What `tutti component regenerate` needs to "
                                                  "know; keep it with the component.")},
                         {"id", record.request.id},
                         {"modules", QJsonArray::fromStringList(record.request.modules)},
                         {"classes", classes},
                         {"regulating", record.request.time.regulating},
                         {"constrained", record.request.time.constrained},
                         {"files", objectOf(record.hashes)},
                         {"interface", objectOf(record.interface)}})
      .toJson();
}

// --- planning

struct Planned {
  ComponentPlan plan;
  QList<ComponentFile> files;  ///< with the FOM modules
  Record record;
};

/// What component.json says of the classes: a person who edited it has to follow that, too.
QMap<QString, QString> manifestSections(const QByteArray& content) {
  QMap<QString, QString> sections;
  QJsonObject object = QJsonDocument::fromJson(content).object();
  for (const char* key : {"publishes", "subscribes", "time", "fom"}) {
    const QJsonValue value = object.value(QLatin1String(key));
    if (value.isUndefined()) continue;
    QByteArray json = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    sections.insert(QStringLiteral("component.json \"%1\"").arg(QLatin1String(key)),
                    QString::fromUtf8(json.mid(1, json.size() - 2)));
  }
  return sections;
}

tl::expected<Planned, QString> planned(const ComponentRequest& request) {
  Planned result;
  QStringList names;
  QList<ComponentFile> modules;
  for (const QString& path : request.modules) {
    const QString name = QFileInfo(path).fileName();
    if (names.contains(name)) {
      return tl::unexpected(
          QStringLiteral(
              "Two of the FOM modules are called %1. Rename one: both are copied into one folder.")
              .arg(name));
    }
    auto content = contentOf(path);
    if (!content) return tl::unexpected(content.error());
    names << name;
    modules << ComponentFile{QStringLiteral("fom/") + name, *std::move(content),
                             FileOwner::Generator};
  }
  if (names.isEmpty())
    return tl::unexpected(QStringLiteral("No FOM module is named. --fom FILE names one."));
  const LoadedModel loaded = loadModel(request.modules);
  for (const Finding& f : loaded.findings) {
    if (f.level != Level::Loads) continue;
    return tl::unexpected(
        QStringLiteral("The modules do not load in an RTI: %1%2: %3 `tutti fom check` says all.")
            .arg(f.file, f.line > 0 ? QStringLiteral(":%1").arg(f.line) : QString(), f.text));
  }
  auto plan = planComponent(request.id, loaded.model, names, request.classes, request.time);
  if (!plan) return tl::unexpected(plan.error());
  result.plan = *std::move(plan);
  result.files = componentFiles(result.plan);
  result.record.interface = interfaceOf(result.plan);
  for (const ComponentFile& file : result.files) {
    if (file.path == QStringLiteral("component.json"))
      result.record.interface.insert(manifestSections(file.content));
  }
  result.files << modules;
  result.record.request = request;
  result.record.request.modules = names;
  for (const ComponentFile& file : result.files)
    result.record.hashes.insert(file.path, hashOf(file.content));
  return result;
}

/// Writes all of them, or says why not; `record` last, so that an interrupted run is seen as such.
tl::expected<void, QString> writeFiles(const QString& folder, const QList<ComponentFile>& files,
                                       const QByteArray& record) {
  std::vector<std::unique_ptr<QSaveFile>> open;
  const auto prepare = [&](const QString& path,
                           const QByteArray& content) -> tl::expected<void, QString> {
    const QString whole = folder + u'/' + path;
    if (!QDir().mkpath(QFileInfo(whole).path())) {
      return tl::unexpected(
          QStringLiteral("The folder %1 cannot be made.").arg(QFileInfo(whole).path()));
    }
    open.push_back(std::make_unique<QSaveFile>(whole));
    QSaveFile& file = *open.back();
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size() ||
        !file.flush()) {
      return tl::unexpected(QStringLiteral("%1 cannot be written: %2. Nothing was changed.")
                                .arg(whole, file.errorString()));
    }
    return {};
  };
  for (const ComponentFile& file : files) {
    if (auto done = prepare(file.path, file.content); !done) return done;
  }
  if (auto done = prepare(recordPath, record); !done) return done;
  for (const auto& file : open) {
    if (!file->commit()) {
      return tl::unexpected(
          QStringLiteral("%1 cannot be written: %2. Say the same again when it can.")
              .arg(file->fileName(), file->errorString()));
    }
  }
  return {};
}

// --- what the hand-written part has to follow

struct HandWritten {
  QString path;
  QStringList lines;
};

/// What was built, and is not written by hand: build/ of the component, and folders that CMake
/// configured.
bool isBuildFolder(const QString& path, const QDir& in) {
  return path == QStringLiteral("build") || in.exists(QStringLiteral("CMakeCache.txt"));
}

/// Adds the sources in a folder; `path` is empty, or ends with "/".
void addHandWritten(const QDir& in, const QString& path, const QSet<QString>& rewritten,
                    QList<HandWritten>& files) {
  static const QStringList kinds{QStringLiteral("*.cpp"), QStringLiteral("*.cc"),
                                 QStringLiteral("*.cxx"), QStringLiteral("*.h"),
                                 QStringLiteral("*.hpp"), QStringLiteral("*.hh")};
  for (const QString& name : in.entryList(kinds, QDir::Files)) {
    if (files.size() == kMostHandWritten) return;
    if (rewritten.contains(path + name)) continue;
    if (const auto content = contentOf(in.filePath(name)))
      files << HandWritten{path + name, QString::fromUtf8(*content).split(u'\n')};
  }
  for (const QString& name : in.entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks)) {
    const QDir inside(in.filePath(name));
    if (path + name == QStringLiteral("generated") || isBuildFolder(path + name, inside)) continue;
    addHandWritten(inside, path + name + u'/', rewritten, files);
  }
}

QList<HandWritten> handWritten(const QString& folder, const QSet<QString>& rewritten) {
  QList<HandWritten> files;
  addHandWritten(QDir(folder), QString(), rewritten, files);
  std::sort(files.begin(), files.end(),
            [](const HandWritten& a, const HandWritten& b) { return a.path < b.path; });
  return files;
}

/// The words by which a hand-written file would name an entry of the interface.
QRegularExpression wordsFor(const QString& key) {
  static const QRegularExpression separators(QStringLiteral("::|\\."));
  const QString word = QRegularExpression::escape(key.split(separators).last());
  const bool isClass = !key.contains(u'.') && !key.contains(QStringLiteral("::"));
  return QRegularExpression(
      isClass ? QStringLiteral(
                    "\\b(%1|(register|update|send|discovered|reflected|removed|received)%2)\\b")
                    .arg(word, capitalized(word))
              : QStringLiteral("\\b(set|encode|decode)?(%1|(?<=set|code)%2)\\b")
                    .arg(word, capitalized(word)));
}

QStringList placesOf(const QString& key, const QList<HandWritten>& files) {
  QStringList places;
  const QRegularExpression words = wordsFor(key);
  for (const HandWritten& file : files) {
    for (qsizetype i = 0; i < file.lines.size() && places.size() < kMostPlaces; ++i) {
      if (words.match(file.lines[i]).hasMatch())
        places << QStringLiteral("%1:%2").arg(file.path).arg(i + 1);
    }
  }
  return places;
}

QList<Following> following(const QString& folder, const Record& before, const Record& after,
                           const QSet<QString>& rewritten) {
  const QList<HandWritten> files = handWritten(folder, rewritten);
  const auto manifest = contentOf(folder + QStringLiteral("/component.json"));
  const QMap<QString, QString> sections =
      manifest ? manifestSections(*manifest) : QMap<QString, QString>();
  QList<Following> result;
  QMap<QString, QString> all = before.interface;
  all.insert(after.interface);
  for (auto at = all.begin(); at != all.end(); ++at) {
    const bool was = before.interface.contains(at.key());
    const bool is = after.interface.contains(at.key());
    const QString old = before.interface.value(at.key());
    const QString now = after.interface.value(at.key());
    if (was && is && old == now) continue;
    if (at.key().startsWith(QStringLiteral("component.json"))) {
      if (rewritten.contains(QStringLiteral("component.json")) || sections.value(at.key()) == now)
        continue;
      result << Following{is ? QStringLiteral("%1 is now %2.").arg(at.key(), now)
                             : QStringLiteral("%1 is to be removed.").arg(at.key()),
                          {QStringLiteral("component.json")}};
      continue;
    }
    if (!was) {
      result << Following{QStringLiteral("%1 is new (%2).").arg(at.key(), now), {}};
    } else if (!is) {
      result << Following{QStringLiteral("%1 is gone.").arg(at.key()), placesOf(at.key(), files)};
    } else {
      result << Following{QStringLiteral("%1 was %2 and is %3.").arg(at.key(), old, now),
                          placesOf(at.key(), files)};
    }
  }
  return result;
}

}  // namespace

bool GeneratedComponent::mustFollow() const {
  return std::any_of(follow.begin(), follow.end(),
                     [](const Following& f) { return !f.places.isEmpty(); });
}

tl::expected<GeneratedComponent, QString> createComponent(const QString& folder,
                                                          const ComponentRequest& request) {
  if (QFileInfo::exists(folder)) {
    return tl::unexpected(
        QStringLiteral(
            "%1 is there already. `tutti component regenerate` writes its generated files anew.")
            .arg(folder));
  }
  const auto made = planned(request);
  if (!made) return tl::unexpected(made.error());
  const QString parent = QFileInfo(folder).path();
  if (!QDir().mkpath(parent))
    return tl::unexpected(QStringLiteral("The folder %1 cannot be made.").arg(parent));
  // Under another name until it is whole.
  QTemporaryDir unfinished(parent + QStringLiteral("/.tutti-component-XXXXXX"));
  if (!unfinished.isValid()) {
    return tl::unexpected(
        QStringLiteral("Nothing can be written in %1: %2.").arg(parent, unfinished.errorString()));
  }
  const QString inside = unfinished.path() + QStringLiteral("/component");
  if (auto done = writeFiles(inside, made->files, toJson(made->record)); !done) {
    return tl::unexpected(done.error().replace(inside, folder));
  }
  if (!QDir().rename(inside, folder)) {
    return tl::unexpected(QStringLiteral("The folder %1 cannot be made.").arg(folder));
  }
  GeneratedComponent result;
  result.folder = folder;
  for (const ComponentFile& file : made->files) result.written << file.path;
  result.notes = made->plan.notes();
  return result;
}

tl::expected<GeneratedComponent, QString> regenerateComponent(const QString& folder,
                                                              const RegenerationRequest& request) {
  const auto before = readRecord(folder);
  if (!before) return tl::unexpected(before.error());
  ComponentRequest whole = before->request;
  for (QString& module : whole.modules) module = folder + QStringLiteral("/fom/") + module;
  if (request.modules) whole.modules = *request.modules;
  if (request.classes) whole.classes = *request.classes;
  if (request.time) whole.time = *request.time;
  auto made = planned(whole);
  if (!made) return tl::unexpected(made.error());

  GeneratedComponent result;
  result.folder = folder;
  result.notes = made->plan.notes();
  QList<ComponentFile> files;
  QSet<QString> rewritten;
  QStringList edited;
  for (const ComponentFile& file : made->files) {
    const QString path = folder + u'/' + file.path;
    const bool isThere = QFileInfo::exists(path);
    const QString known = before->hashes.value(file.path);
    QString own;
    if (isThere) {
      const auto content = contentOf(path);
      if (!content) return tl::unexpected(content.error());
      own = hashOf(*content);
    }
    const bool isNew = own == made->record.hashes.value(file.path);
    const bool isEdited = isThere ? own != known && !isNew : file.owner == FileOwner::Person;
    if (isEdited && file.owner == FileOwner::Person) {
      result.kept << file.path;
      // What was written, not what it became: it stays edited.
      made->record.hashes.insert(file.path, known);
    } else if (isEdited) {
      edited << path;
    } else {
      rewritten.insert(file.path);
      if (!isNew) {
        files << file;
        result.written << file.path;
      }
    }
  }
  if (!edited.isEmpty()) {
    return tl::unexpected(
        QStringLiteral("%1 was edited, and would be lost. Nothing was written. Move your changes "
                       "to main.cpp or to another "
                       "file of yours, delete %2, and say the same again.")
            .arg(edited.join(QStringLiteral(", ")),
                 edited.size() == 1 ? QStringLiteral("it") : QStringLiteral("these files")));
  }
  for (const QString& module : before->request.modules) {
    if (!made->record.request.modules.contains(module))
      result.unused << QStringLiteral("fom/") + module;
  }
  result.follow = following(folder, *before, made->record, rewritten);
  if (auto done = writeFiles(folder, files, toJson(made->record)); !done)
    return tl::unexpected(done.error());
  return result;
}

}  // namespace tutti::fomedit
