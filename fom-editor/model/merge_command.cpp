// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/merge_command.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSaveFile>
#include <QTextStream>
#include <algorithm>
#include <array>
#include <optional>
#include <tl/expected.hpp>

#include "fom-editor/model/module_merge.h"
#include "omt/reader.h"

namespace tutti::fomedit {

namespace {

constexpr const char* kUsage =
    "usage: tutti fom merge BASE OURS THEIRS [--choose [PLACE=]SIDE ...] [-o FILE] [--markers]"
    " [--json]\n";

/// A driver that has failed. git before 2.42 takes it for a conflict with the content of OURS,
/// later versions stop the whole merge.
constexpr int kDriverFailed = 129;
/// Bytes in which git looks for a NUL, and takes a file that has one for binary.
constexpr qint64 kBinaryProbe = 8000;
constexpr qsizetype kMostCommentLines = 5;

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

QString counted(qsizetype count, const char* one, const char* more) {
  return QStringLiteral("%1 %2").arg(count).arg(QLatin1String(count == 1 ? one : more));
}

struct Call {
  QStringList files;
  std::optional<QString> into;
  bool json = false;
  bool markers = false;
  std::optional<MergeChoice> rest;
  QList<std::pair<QString, MergeChoice>> places;  ///< choices by MergeConflict::place or key
  QString fault;
};

std::optional<MergeChoice> choiceOf(const QString& word) {
  for (const MergeChoice choice :
       {MergeChoice::Ours, MergeChoice::Theirs, MergeChoice::Base, MergeChoice::Both}) {
    if (word == QLatin1String(mergeChoiceName(choice))) return choice;
  }
  return std::nullopt;
}

/// "ours", of all that have no choice of their own, or "PLACE=ours".
void addChoice(const QString& words, Call& call) {
  const qsizetype at = words.lastIndexOf(u'=');
  const auto choice = choiceOf(words.mid(at + 1));
  if (!choice) {
    call.fault =
        QStringLiteral("--choose takes ours, theirs, base or both, not %1").arg(words.mid(at + 1));
  } else if (at < 0) {
    call.rest = choice;
  } else {
    call.places.append({words.left(at), *choice});
  }
}

Call parsed(const QStringList& arguments) {
  Call call;
  for (qsizetype i = 0; i < arguments.size(); ++i) {
    const QString& word = arguments[i];
    if (word == QStringLiteral("-o") || word == QStringLiteral("--output")) {
      if (i + 1 == arguments.size()) {
        call.fault = word + QStringLiteral(" needs a file");
      } else {
        call.into = arguments[++i];
      }
    } else if (word.startsWith(QStringLiteral("--output="))) {
      call.into = word.section(u'=', 1);
    } else if (word == QStringLiteral("--choose")) {
      if (i + 1 == arguments.size()) {
        call.fault = word + QStringLiteral(" needs a choice");
      } else {
        addChoice(arguments[++i], call);
      }
    } else if (word.startsWith(QStringLiteral("--choose="))) {
      addChoice(word.section(u'=', 1), call);
    } else if (word == QStringLiteral("--json")) {
      call.json = true;
    } else if (word == QStringLiteral("--markers")) {
      call.markers = true;
    } else if (word.startsWith(u'-') && word.size() > 1) {
      call.fault = QStringLiteral("unknown option ") + word;
    } else {
      call.files << word;
    }
  }
  if (call.fault.isEmpty() && call.files.size() != 3) {
    call.fault = QStringLiteral("three modules are merged, not %1").arg(call.files.size());
  } else if (call.fault.isEmpty() && call.markers && !call.into) {
    call.fault = QStringLiteral("--markers needs -o FILE");
  }
  return call;
}

/// The error is one sentence with the file.
tl::expected<ModuleSource, QString> readSource(const QString& path, const QString& name) {
  if (QFileInfo(path).isDir()) {
    return tl::unexpected(QStringLiteral("%1 is a folder; single modules are merged.").arg(name));
  }
  const auto bytes = omt::readModuleBytes(path.toStdString());
  if (!bytes) {
    return tl::unexpected(QStringLiteral("%1: %2").arg(name, text(bytes.error().message)));
  }
  auto source = ModuleSource::parse(*bytes, name.toStdString());
  if (source) return std::move(*source);
  const auto module = omt::readModule(*bytes, name.toStdString());
  if (module &&
      (module->edition == omt::Edition::Hla13Fed || module->edition == omt::Edition::Hla13Omt)) {
    return tl::unexpected(
        QStringLiteral("%1 is of HLA 1.3; modules of IEEE 1516 are merged.").arg(name));
  }
  return tl::unexpected(text(source.error().toText()));
}

/// `name` is what the error calls the file.
tl::expected<void, QString> write(const QString& path, const QString& name,
                                  const std::string& bytes) {
  QSaveFile file(path);
  const auto size = static_cast<qint64>(bytes.size());
  if (file.open(QIODevice::WriteOnly) && file.write(bytes.data(), size) == size && file.commit()) {
    return {};
  }
  return tl::unexpected(QStringLiteral("%1 cannot be written: %2.").arg(name, file.errorString()));
}

using Names = std::array<QString, 3>;  ///< of base, ours and theirs

/// What --choose takes for a conflict.
QStringList offeredOf(const MergeConflict& conflict) {
  QStringList offered;
  for (const MergeChoice choice : conflict.offered) {
    if (choice != MergeChoice::Edited) offered << QLatin1String(mergeChoiceName(choice));
  }
  return offered;
}

/// Merges with the choices of a call. One may bring the conflict that another is about.
tl::expected<ModuleMerge, QString> mergeChosen(const std::vector<ModuleSource>& sources,
                                               const Call& call) {
  MergeChoices choices;
  choices.rest = call.rest;
  for (const auto& [place, choice] : call.places) choices.listed.insert(place.toStdString());
  QList<std::pair<QString, MergeChoice>> left = call.places;
  for (;;) {
    auto merge = mergeModules(sources[0], sources[1], sources[2], choices);
    if (!merge) return tl::unexpected(text(merge.error().toText()));
    const MergeChoices before = choices;
    for (auto place = left.begin(); place != left.end();) {
      bool found = false;
      for (const MergeConflict& c : merge->conflicts) {
        if (text(c.key) != place->first && text(c.place) != place->first) continue;
        if (!c.offers(place->second)) {
          const QStringList offered = offeredOf(c);
          return tl::unexpected(
              QStringLiteral("The conflict \"%1\" cannot become %2, but %3.")
                  .arg(place->first, QLatin1String(mergeChoiceName(place->second)),
                       offered.isEmpty() ? QStringLiteral("nothing until others are decided")
                                         : offered.join(QStringLiteral(" or "))));
        }
        choices.byKey[c.key] = {place->second, {}};
        found = true;
      }
      place = found ? left.erase(place) : place + 1;
    }
    if (choices != before) continue;
    if (left.isEmpty()) return std::move(*merge);
    return tl::unexpected(
        QStringLiteral("There is no conflict \"%1\"; places are written as without --choose.")
            .arg(left.front().first));
  }
}

tl::expected<ModuleMerge, QString> mergeFiles(const Names& paths, const Names& names,
                                              const Call& call) {
  std::vector<ModuleSource> sources;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    auto source = readSource(paths[i], names[i]);
    if (!source) return tl::unexpected(source.error());
    sources.push_back(std::move(*source));
  }
  return mergeChosen(sources, call);
}

QString placeOf(const QString& file, int line) {
  return line > 0 ? QStringLiteral("%1:%2").arg(file).arg(line) : file;
}

void print(const ModuleMerge& merge, const Names& names, QTextStream& out) {
  for (const MergeConflict& c : merge.conflicts) {
    if (c.chosen) {
      out << "chosen    " << text(c.place) << ": " << mergeChoiceName(c.chosen->choice) << '\n';
      continue;
    }
    out << "conflict  " << text(c.place) << "\n          " << text(c.reason) << '\n';
    const std::array<std::pair<const char*, const MergeSide*>, 3> sides{
        {{"base  ", &c.base}, {"ours  ", &c.ours}, {"theirs", &c.theirs}}};
    qsizetype width = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      width = qMax(width, placeOf(names[i], sides[i].second->line).size());
    }
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const auto& [word, side] = sides[i];
      if (side->text.empty() && side->line == 0) continue;
      out << "          " << word << "  " << placeOf(names[i], side->line).leftJustified(width)
          << "  " << (side->text.empty() ? QStringLiteral("(empty)") : text(side->text)) << '\n';
    }
    if (c.offered.empty()) continue;
    out << "          choose  " << offeredOf(c).join(QStringLiteral(" or "));
    if (c.key != c.place) out << ", as " << text(c.key);
    out << '\n';
  }
  if (merge.commentsLeft.empty()) return;
  QStringList lines;
  for (const int line : merge.commentsLeft) lines << QString::number(line);
  const bool more = lines.size() > kMostCommentLines;
  lines = lines.mid(0, kMostCommentLines);
  out << "note      comments or declarations of " << names[2] << " are not taken: line "
      << lines.join(QStringLiteral(", ")) << (more ? " and more" : "") << '\n';
}

QJsonObject toJson(const ModuleMerge& merge, const Names& names) {
  QJsonArray conflicts;
  for (const MergeConflict& c : merge.conflicts) {
    QJsonObject conflict{
        {"place", text(c.place)},
        {"key", text(c.key)},
        {"reason", text(c.reason)},
        {"offered", QJsonArray::fromStringList(offeredOf(c))},
        {"chosen",
         c.chosen ? QJsonValue(QLatin1String(mergeChoiceName(c.chosen->choice))) : QJsonValue()}};
    const std::array<std::pair<const char*, const MergeSide*>, 3> sides{
        {{"base", &c.base}, {"ours", &c.ours}, {"theirs", &c.theirs}}};
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const MergeSide& side = *sides[i].second;
      conflict.insert(
          QLatin1String(sides[i].first),
          QJsonObject{{"file", names[i]}, {"line", side.line}, {"text", text(side.text)}});
    }
    conflicts.append(conflict);
  }
  QJsonArray comments;
  for (const int line : merge.commentsLeft) comments.append(line);
  return {{"merges", merge.open == 0},
          {"taken", merge.taken},
          {"conflicts", conflicts},
          {"commentsLeft", comments}};
}

bool isBinary(const QString& path) {
  // Opening a pipe would wait.
  if (!QFileInfo(path).isFile()) return false;
  QFile file(path);
  return file.open(QIODevice::ReadOnly) && file.read(kBinaryProbe).contains('\0');
}

int driverFailed(const QString& path, const QString& why, QTextStream& err) {
  err << "tutti fom: " << path << " is not merged: " << why
      << " Where git stops, mend the cause and merge again. Where git lists " << path
      << " as a conflict, it has the content of OURS and nothing of THEIRS: choose with"
         " git checkout --ours or --theirs before git add.\n";
  return kDriverFailed;
}

/// What is no object model in XML is merged by lines, as without a driver.
int mergeLines(const QStringList& files, const QString& path, const QString& why,
               QTextStream& err) {
  if (std::any_of(files.begin(), files.begin() + 3, &isBinary)) {
    err << "tutti fom: conflict in " << path << ": " << why
        << " As a binary file (UTF-16 is one to git) it is not merged by lines. " << path
        << " has the content of OURS and nothing of THEIRS: choose with git checkout --ours or"
           " --theirs before git add.\n";
    return 1;
  }
  QProcess git;
  git.setProcessChannelMode(QProcess::ForwardedChannels);
  git.start(QStringLiteral("git"),
            {QStringLiteral("merge-file"), QStringLiteral("-q"), QStringLiteral("-L"),
             QStringLiteral("ours"), QStringLiteral("-L"), QStringLiteral("base"),
             QStringLiteral("-L"), QStringLiteral("theirs"), files[1], files[0], files[2]});
  const bool ended = git.waitForFinished(-1) && git.exitStatus() == QProcess::NormalExit;
  if (!ended || git.exitCode() > 127) {
    return driverFailed(path, why + QStringLiteral(" git merge-file fails, too."), err);
  }
  err << path << ": merged by lines: " << why << '\n';
  return git.exitCode() == 0 ? 0 : 1;
}

int runGitDriver(const QStringList& words, QTextStream& out, QTextStream& err) {
  if (words.size() != 3 && words.size() != 4) {
    err << "tutti fom: --git is called by git as a merge driver with 4 words: %O %A %B %P\n";
    return kDriverFailed;
  }
  const QString path = words.value(3, words[1]);
  const Names names{path, path, path};
  const auto merge = mergeFiles({words[0], words[1], words[2]}, names, {});
  if (!merge) return mergeLines(words, path, merge.error(), err);
  if (const auto written = write(words[1], path, merge->marked); !written) {
    return driverFailed(path, written.error(), err);
  }
  print(*merge, names, out);
  return merge->open == 0 ? 0 : 1;
}

}  // namespace

int runFomMerge(const QStringList& arguments, QTextStream& out, QTextStream& err) {
  if (arguments.value(0) == QStringLiteral("--git")) {
    return runGitDriver(arguments.mid(1), out, err);
  }
  const Call call = parsed(arguments);
  const auto fail = [&](const QString& why) {
    err << "tutti fom: " << why << '\n';
    return 2;
  };
  if (!call.fault.isEmpty()) {
    fail(call.fault);
    err << kUsage;
    return 2;
  }
  const Names names{call.files[0], call.files[1], call.files[2]};
  const auto merge = mergeFiles(names, names, call);
  if (!merge) return fail(merge.error());
  const bool clean = merge->open == 0;
  const bool writes = call.into && (clean || call.markers);
  if (writes) {
    const auto written = write(*call.into, *call.into, clean ? merge->bytes : merge->marked);
    if (!written) return fail(written.error());
  }
  if (call.json) {
    QJsonObject report = toJson(*merge, names);
    report.insert(QStringLiteral("written"), writes ? QJsonValue(*call.into) : QJsonValue());
    out << QString::fromUtf8(QJsonDocument(report).toJson());
    return clean ? 0 : 1;
  }
  print(*merge, names, out);
  out << counted(merge->taken, "change", "changes") << " of " << names[2] << " taken, "
      << counted(merge->open, "conflict", "conflicts");
  const auto chosen = std::count_if(merge->conflicts.begin(), merge->conflicts.end(),
                                    [](const MergeConflict& c) { return c.chosen.has_value(); });
  if (chosen > 0) out << ", " << counted(chosen, "choice", "choices");
  out << ". ";
  if (writes && clean) {
    out << *call.into << " is written.\n";
  } else if (writes) {
    const qsizetype told = merge->toldAtEnd;
    const bool all = told == merge->open;
    out << *call.into << " is written with ";
    if (!all) out << "both sides between <<<<<<< and >>>>>>>" << (told > 0 ? ", and " : "");
    if (told > 0) {
      out << counted(told, "conflict", "conflicts") << " told in a comment at its end"
          << (all ? ", between <<<<<<< and >>>>>>>" : "");
    }
    out << ".\n";
  } else if (clean) {
    out << "Nothing is written; -o FILE writes the module.\n";
  } else {
    out << "Nothing is written: choose with --choose, let both sides agree, or write both with -o"
           " FILE --markers.\n";
  }
  return clean ? 0 : 1;
}

}  // namespace tutti::fomedit
