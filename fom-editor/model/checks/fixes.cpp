// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/checks/fixes.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "fom-editor/model/checks/checks.h"
#include "fom-editor/model/module_file.h"

namespace tutti::fomedit {

namespace {

/// More rounds than any chain of fixes needs: each leaves fewer findings.
constexpr int mostRounds = 50;

bool overlaps(const Splice& a, const Splice& b) {
  if (a.at == b.at) return true;  // also two insertions at one place: one after the other
  return a.at < b.at ? a.at + a.removed > b.at : b.at + b.removed > a.at;
}

/// The fixes of one module that can be applied together, as one change.
struct Round {
  Splices splices;
  QList<AppliedFix> fixes;
};

Round roundOf(const LoadedModel& loaded, const ModuleSource& source, const QString& path,
              Level level) {
  Round round;
  const std::size_t text = textIdOf(source);
  for (const Finding& f : loaded.findings) {
    if (f.file != path || f.fix.isNull() || !f.fix.automatic || f.level > level || f.isStyle)
      continue;
    if (f.fix.text != text) continue;
    const bool clashes =
        std::any_of(f.fix.splices.begin(), f.fix.splices.end(), [&](const Splice& s) {
          return std::any_of(round.splices.begin(), round.splices.end(),
                             [&](const Splice& other) { return overlaps(s, other); });
        });
    if (clashes) continue;
    round.splices.insert(round.splices.end(), f.fix.splices.begin(), f.fix.splices.end());
    round.fixes << AppliedFix{f.file, f.line, f.column, f.fix.label, f.text};
  }
  return round;
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

FixedModules fixModules(const QStringList& paths, Level level) {
  ModuleTexts before;
  for (const QString& path : paths) {
    if (auto bytes = moduleBytes(path)) {
      before.insert(path, std::make_shared<const std::string>(std::move(*bytes)));
    }
  }
  ModuleTexts now = before;
  const ModuleReader read = [&](const QString& path) -> std::optional<std::string> {
    const ModuleBytes bytes = now.value(path);
    return bytes ? std::optional(*bytes) : std::nullopt;
  };
  const auto checked = [&] {
    LoadedModel loaded = loadModel(paths, now);
    checkModules(loaded, read);
    return loaded;
  };
  FixedModules result;
  result.loaded = checked();
  for (int rounds = 0; rounds < mostRounds; ++rounds) {
    const ModuleTexts kept = now;
    QList<AppliedFix> applied;
    for (const QString& path : paths) {
      const ModuleBytes bytes = now.value(path);
      if (!bytes) continue;
      auto source = ModuleSource::parse(*bytes, path.toStdString());
      if (!source) continue;
      Round round = roundOf(result.loaded, *source, path, level);
      if (round.splices.empty() || !source->apply(std::move(round.splices))) continue;
      now[path] = std::make_shared<const std::string>(source->bytes());
      applied << round.fixes;
    }
    if (applied.isEmpty()) break;
    LoadedModel loaded = checked();
    const auto fixable = [&](const LoadedModel& of) {
      return std::count_if(of.findings.begin(), of.findings.end(), [&](const Finding& f) {
        return !f.fix.isNull() && f.fix.automatic && !f.isStyle && f.level <= level;
      });
    };
    if (loaded.count(Level::Loads) > result.loaded.count(Level::Loads)) {
      now = kept;
      break;
    }
    const bool fewer = fixable(loaded) < fixable(result.loaded);
    result.loaded = std::move(loaded);
    result.fixes << applied;
    if (!fewer && rounds > 10) break;  // fixes that undo each other
  }
  for (const QString& path : paths) {
    const ModuleBytes was = before.value(path);
    const ModuleBytes is = now.value(path);
    if (!was || *was == *is) continue;
    const bool listed = std::any_of(result.modules.begin(), result.modules.end(),
                                    [&](const FixedModule& m) { return m.path == path; });
    if (!listed) result.modules << FixedModule{path, *was, *is};
  }
  return result;
}

tl::expected<void, QString> writeFixes(const QList<FixedModule>& modules) {
  QStringList faults;
  for (const FixedModule& module : modules) {
    const auto written = replaceModuleFile(module.path, module.after,
                                           std::make_shared<const std::string>(module.before));
    if (written) continue;
    faults << (written.error().changedOnDisk
                   ? QStringLiteral("%1 was not written: another program changed it meanwhile. "
                                    "Check it again.")
                         .arg(module.path)
                   : written.error().text);
  }
  if (faults.isEmpty()) return {};
  return tl::unexpected(faults.join(u'\n'));
}

QStringList changedLines(const std::string& before, const std::string& after, int most) {
  const auto old = linesOf(before);
  const auto now = linesOf(after);
  QStringList lines;
  const auto tell = [&](QChar mark, std::size_t number, std::string_view line) {
    if (lines.size() == most) lines << QStringLiteral("...");
    if (lines.size() > most) return;
    lines << QStringLiteral("%1%2 %3").arg(mark).arg(number + 1, 6).arg(text(line));
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < old.size() || j < now.size()) {
    if (i < old.size() && j < now.size() && old[i] == now[j]) {
      ++i;
      ++j;
      continue;
    }
    // The nearest pair of equal lines ahead ends the change.
    constexpr std::size_t window = 60;
    std::size_t best = window * 2 + 1;
    std::size_t skipOld = old.size() - i;
    std::size_t skipNow = now.size() - j;
    for (std::size_t a = 0; a <= window && i + a < old.size(); ++a) {
      for (std::size_t b = 0; a + b < best && b <= window && j + b < now.size(); ++b) {
        if (old[i + a] != now[j + b] || old[i + a].empty()) continue;
        best = a + b;
        skipOld = a;
        skipNow = b;
        break;
      }
    }
    for (std::size_t a = 0; a < skipOld; ++a) tell(u'-', i + a, old[i + a]);
    for (std::size_t b = 0; b < skipNow; ++b) tell(u'+', i, now[j + b]);
    i += skipOld;
    j += skipNow;
  }
  return lines;
}

}  // namespace tutti::fomedit
