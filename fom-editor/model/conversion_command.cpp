// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/conversion_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QTextStream>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "fom-editor/model/module_conversion.h"
#include "omt/reader.h"

namespace tutti::fomedit {

namespace {

constexpr const char* kUsage =
    "usage: tutti fom convert FILE --to EDITION [-o FILE] [--json] [--force]\n"
    "       tutti fom join FILE... -o FILE [--to EDITION] [--name NAME] [--json] [--force]\n"
    "       tutti fom new FILE [--edition EDITION] [--name NAME] [--force]\n"
    "       EDITION is 1.3-fed, 1.3-omt, 2000, 2010 or 2025\n";

/// Places of a loss that a person is told; --json has them all.
constexpr std::size_t kMostPlaces = 5;

struct EditionWord {
  const char* word;
  omt::Edition edition;
};
constexpr std::array<EditionWord, 5> kEditions{{{"1.3-fed", omt::Edition::Hla13Fed},
                                                {"1.3-omt", omt::Edition::Hla13Omt},
                                                {"2000", omt::Edition::Ieee2000},
                                                {"2010", omt::Edition::Ieee2010},
                                                {"2025", omt::Edition::Ieee2025}}};

QString text(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

struct Call {
  QString verb;
  QStringList files;
  std::optional<QString> into;
  std::optional<omt::Edition> edition;
  std::optional<QString> name;
  bool json = false;
  bool force = false;
  QString fault;
};

/// Takes the options of one verb; false: the word is none of them.
class Arguments {
 public:
  explicit Arguments(const QStringList& words) : words_(words) {}

  Call parsed() {
    call_.verb = words_.value(0);
    for (at_ = 1; at_ < words_.size() && call_.fault.isEmpty(); ++at_) takeWord(words_[at_]);
    if (call_.fault.isEmpty()) checkFiles();
    return call_;
  }

 private:
  bool isVerb(const char* verb) const { return call_.verb == QLatin1String(verb); }

  /// The value of an option that is written "--to 2010" or "--to=2010".
  std::optional<QString> value(const QString& word, const char* option) {
    const QString name = QLatin1String(option);
    if (word.startsWith(name + u'=') && name.startsWith(QStringLiteral("--"))) {
      return word.mid(name.size() + 1);
    }
    if (word != name) return std::nullopt;
    if (at_ + 1 == words_.size()) {
      call_.fault = name + QStringLiteral(" needs a value");
      return QString();
    }
    return words_[++at_];
  }

  void takeWord(const QString& word) {
    if (!isVerb("new")) {
      for (const char* option : {"-o", "--output"}) {
        if (const auto file = value(word, option)) {
          call_.into = *file;
          return;
        }
      }
    }
    if (const auto edition = value(word, isVerb("new") ? "--edition" : "--to")) {
      takeEdition(*edition);
    } else if (const auto name = isVerb("convert") ? std::nullopt : value(word, "--name")) {
      call_.name = *name;
    } else if (word == QStringLiteral("--json") && !isVerb("new")) {
      call_.json = true;
    } else if (word == QStringLiteral("--force")) {
      call_.force = true;
    } else if (word.startsWith(u'-') && word.size() > 1) {
      call_.fault = QStringLiteral("unknown option ") + word;
    } else {
      call_.files << word;
    }
  }

  void takeEdition(const QString& word) {
    if (!call_.fault.isEmpty()) return;
    for (const EditionWord& known : kEditions) {
      if (word == QLatin1String(known.word)) call_.edition = known.edition;
    }
    if (!call_.edition) {
      call_.fault =
          QStringLiteral("there is no edition %1; write 1.3-fed, 1.3-omt, 2000, 2010 or 2025")
              .arg(word);
    }
  }

  void checkFiles() {
    if (call_.into && call_.into->isEmpty()) {
      call_.fault = QStringLiteral("-o needs a file");
    } else if (isVerb("join")) {
      if (call_.files.isEmpty()) call_.fault = QStringLiteral("no modules are given");
      if (call_.fault.isEmpty() && !call_.into) {
        call_.fault = QStringLiteral("-o FILE says where the joined module goes");
      }
    } else if (call_.files.size() != 1) {
      call_.fault = QStringLiteral("one file is given, not %1").arg(call_.files.size());
    } else if (isVerb("convert") && !call_.edition) {
      call_.fault = QStringLiteral("--to EDITION says what it becomes");
    }
  }

  const QStringList& words_;
  qsizetype at_ = 0;
  Call call_;
};

/// The error is one sentence with the file.
tl::expected<std::string, QString> content(const QString& path) {
  if (QFileInfo(path).isDir()) {
    return tl::unexpected(QStringLiteral("%1 is a folder, not a module.").arg(path));
  }
  auto bytes = omt::readModuleBytes(path.toStdString());
  if (!bytes) {
    return tl::unexpected(QStringLiteral("%1: %2").arg(path, text(bytes.error().message)));
  }
  return std::move(*bytes);
}

QString isThere(const QString& path) {
  return QStringLiteral("%1 is there already. Give another file, or replace it with --force.")
      .arg(path);
}

/// Written as a whole or not at all; without `force` never in the place of another, also not of one
/// that came in the meantime.
tl::expected<void, QString> write(const QString& path, const std::string& bytes, bool force) {
  const QFileInfo info(path);
  if (!force && (info.exists() || info.isSymLink())) return tl::unexpected(isThere(path));
  const auto failed = [&](const QString& why) {
    return tl::unexpected(QStringLiteral("%1 cannot be written: %2.").arg(path, why));
  };
  const auto size = static_cast<qint64>(bytes.size());
  const auto fill = [&](QSaveFile& file) {
    return file.open(QIODevice::WriteOnly) && file.write(bytes.data(), size) == size &&
           file.commit();
  };
  if (force) {
    QSaveFile file(path);
    if (!fill(file)) return failed(file.errorString());
    return {};
  }
  const QString beside =
      QStringLiteral("%1.%2.new").arg(path).arg(QCoreApplication::applicationPid());
  QSaveFile file(beside);
  if (!fill(file)) return failed(file.errorString());
  const QByteArray from = QFile::encodeName(beside);
  const QByteArray to = QFile::encodeName(path);
  int code = ::renameat2(AT_FDCWD, from.constData(), AT_FDCWD, to.constData(), RENAME_NOREPLACE);
  if (code != 0 && (errno == EINVAL || errno == ENOSYS)) {
    // A file system without it: a name is given only where there is none.
    code = ::link(from.constData(), to.constData());
    if (code != 0 && (errno == EPERM || errno == ENOTSUP) && !QFileInfo::exists(path)) {
      code = ::rename(from.constData(), to.constData());
    }
  }
  const int error = code == 0 ? 0 : errno;
  ::unlink(from.constData());
  if (error == 0) return {};
  if (error == EEXIST) return tl::unexpected(isThere(path));
  return failed(QString::fromLocal8Bit(std::strerror(error)));
}

QString kindWord(omt::Loss::Kind kind) {
  switch (kind) {
    case omt::Loss::Kind::Lost:
      return QStringLiteral("lost");
    case omt::Loss::Kind::Guessed:
      return QStringLiteral("changed");
    case omt::Loss::Kind::Read:
      return QStringLiteral("reading");
  }
  return {};
}

void print(const std::vector<omt::Loss>& losses, const QString& file, QTextStream& err) {
  for (const omt::Loss& loss : losses) {
    const int line = loss.places.empty() ? 0 : loss.places.front().line;
    err << file;
    if (line > 0) err << ':' << line;
    err << ": " << kindWord(loss.kind) << ": " << text(loss.what);
    if (!loss.became.empty())
      err << (loss.kind == omt::Loss::Kind::Read ? " " : ": ") << text(loss.became);
    QStringList names;
    std::size_t told = 0;
    for (const omt::Loss::Place& place : loss.places) {
      if (told++ == kMostPlaces) break;
      if (place.name.empty() && place.line == line) continue;
      QString name = text(place.name);
      if (place.line > 0 && place.line != line) {
        name += name.isEmpty() ? QStringLiteral("line %1").arg(place.line)
                               : QStringLiteral(" (line %1)").arg(place.line);
      }
      names << name;
    }
    if (!names.isEmpty()) {
      err << (loss.kind == omt::Loss::Kind::Read ? " In " : ": ")
          << names.join(QStringLiteral(", "));
      if (loss.count > kMostPlaces) err << ", and " << loss.count - kMostPlaces << " more";
    }
    err << '\n';
  }
}

QJsonArray toJson(const std::vector<omt::Loss>& losses) {
  QJsonArray all;
  for (const omt::Loss& loss : losses) {
    QJsonArray places;
    for (const omt::Loss::Place& place : loss.places) {
      places.append(QJsonObject{{"name", text(place.name)}, {"line", place.line}});
    }
    all.append(QJsonObject{{"kind", kindWord(loss.kind)},
                           {"what", text(loss.what)},
                           {"became", text(loss.became)},
                           {"count", static_cast<qint64>(loss.count)},
                           {"places", places}});
  }
  return all;
}

QString counted(qsizetype count, const char* one, const char* more) {
  return QStringLiteral("%1 %2").arg(count).arg(QLatin1String(count == 1 ? one : more));
}

/// What is written, and what became of the rest; the exit code.
int deliver(const Call& call, const Conversion& conversion, omt::Edition to, QTextStream& out,
            QTextStream& err) {
  if (call.into) {
    if (const auto written = write(*call.into, conversion.text, call.force); !written) {
      err << "tutti fom: " << written.error() << '\n';
      return 2;
    }
  }
  const int code = conversion.losses.empty() ? 0 : 1;
  const QString source = call.files.size() == 1 ? call.files[0] : call.into.value_or(QString());
  if (call.json) {
    out << QString::fromUtf8(
        QJsonDocument(QJsonObject{{"from", text(omt::toText(conversion.from))},
                                  {"to", text(omt::toText(to))},
                                  {"written", call.into ? QJsonValue(*call.into) : QJsonValue()},
                                  {"lossless", conversion.losses.empty()},
                                  {"losses", toJson(conversion.losses)}})
            .toJson());
    return code;
  }
  print(conversion.losses, source, err);
  if (!call.into) {
    out << text(conversion.text);
    return code;
  }
  const auto lost =
      std::count_if(conversion.losses.begin(), conversion.losses.end(),
                    [](const omt::Loss& loss) { return loss.kind == omt::Loss::Kind::Lost; });
  const auto others = static_cast<qsizetype>(conversion.losses.size()) - lost;
  err << *call.into << " is written as " << text(omt::toText(to)) << ". ";
  if (code == 0) {
    err << "Nothing is lost.\n";
    return code;
  }
  if (lost > 0) err << counted(lost, "kind of content is", "kinds of content are") << " lost";
  if (lost > 0 && others > 0) err << ", ";
  if (others > 0) {
    err << (lost > 0 ? counted(others, "is said", "are said")
                     : counted(others, "kind of content is said", "kinds of content are said"))
        << " in another way";
  }
  err << ".\n";
  return code;
}

}  // namespace

int runFomConversion(const QStringList& arguments, QTextStream& out, QTextStream& err) {
  const Call call = Arguments(arguments).parsed();
  const auto fail = [&](const QString& why) {
    err << "tutti fom: " << why << '\n';
    return 2;
  };
  if (!call.fault.isEmpty()) {
    fail(call.fault);
    err << kUsage;
    return 2;
  }
  const omt::Edition edition = call.edition.value_or(omt::Edition::Ieee2010);
  if (call.verb == QStringLiteral("new")) {
    const QString name = call.name.value_or(QFileInfo(call.files[0]).completeBaseName());
    const std::string module = newModule(name.toStdString(), edition);
    if (const auto read = omt::readModule(module, call.files[0].toStdString()); !read) {
      return fail(QStringLiteral("A module cannot have the name %1.").arg(name));
    }
    if (const auto written = write(call.files[0], module, call.force); !written) {
      return fail(written.error());
    }
    err << call.files[0] << " is written as " << text(omt::toText(edition)) << ".\n";
    return 0;
  }
  // Before a large model is read for nothing.
  if (call.into && !call.force && QFileInfo::exists(*call.into)) return fail(isThere(*call.into));
  std::vector<JoinedFile> files;
  for (const QString& path : call.files) {
    auto bytes = content(path);
    if (!bytes) return fail(bytes.error());
    files.push_back({std::move(*bytes), path.toStdString()});
  }
  if (call.verb == QStringLiteral("convert")) {
    const auto conversion = convertModule(files[0].bytes, files[0].displayName, edition);
    if (!conversion) return fail(text(conversion.error().toText()));
    return deliver(call, *conversion, edition, out, err);
  }
  const QString name = call.name.value_or(QFileInfo(*call.into).completeBaseName());
  const auto joined = joinModules(files, name.toStdString(), edition);
  if (!joined) return fail(text(joined.error().toText()));
  return deliver(call, *joined, edition, out, err);
}

}  // namespace tutti::fomedit
