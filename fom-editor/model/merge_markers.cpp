// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/merge_markers.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "omt/text.h"

namespace tutti::fomedit {

using omt::collapsed;

namespace {

std::size_t beginOfLine(std::string_view text, std::size_t at) {
  const std::size_t end = at == 0 ? std::string_view::npos : text.find_last_of("\r\n", at - 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

std::size_t beginOfNextLine(std::string_view text, std::size_t at) {
  at = text.find_first_of("\r\n", at);
  if (at == std::string_view::npos) return text.size();
  return at + (text.substr(at).starts_with("\r\n") ? 2 : 1);
}

/// Splices of `all`, which are arranged, in a range of lines, for that range alone.
Splices within(const Splices& all, ByteRange lines) {
  Splices some;
  auto s = std::lower_bound(all.begin(), all.end(), lines.begin,
                            [](const Splice& splice, std::size_t at) { return splice.at < at; });
  for (; s != all.end() && s->at < lines.end; ++s) {
    some.push_back({s->at - lines.begin, s->removed, s->inserted});
  }
  return some;
}

/// Text in which a comment can have all: "--" ends none.
std::string inComment(std::string text) {
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
    text.insert(at + 1, 1, ' ');
  }
  return text;
}

}  // namespace

std::string withMarkers(std::string_view text, const Splices& mine, const Splices& other,
                        const std::string& newline) {
  std::vector<ByteRange> regions;
  const auto addLines = [&](const Splice& s) {
    const std::size_t last = s.removed > 0 ? s.at + s.removed - 1 : s.at;
    regions.push_back({beginOfLine(text, s.at), beginOfNextLine(text, last)});
  };
  const auto addOthers = [&](const Splices& some, const Splices& all) {
    std::set<std::tuple<std::size_t, std::size_t, std::string_view>> known;
    for (const Splice& s : all) known.emplace(s.at, s.removed, s.inserted);
    for (const Splice& s : some) {
      if (!known.contains({s.at, s.removed, s.inserted})) addLines(s);
    }
  };
  addOthers(mine, other);
  addOthers(other, mine);
  // A splice that lies partly in a region takes the region along.
  const auto join = [&] {
    std::sort(regions.begin(), regions.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    std::vector<ByteRange> joined;
    for (const ByteRange& r : regions) {
      if (!joined.empty() && r.begin < joined.back().end) {
        joined.back().end = std::max(joined.back().end, r.end);
      } else {
        joined.push_back(r);
      }
    }
    const bool same = joined == regions;
    regions = std::move(joined);
    return same;
  };
  join();
  for (bool grown = true; grown;) {
    grown = false;
    for (const Splices* all : {&mine, &other}) {
      for (const Splice& s : *all) {
        const std::size_t end = s.at + s.removed;
        // The first region that ends behind the splice's beginning; regions do not overlap.
        auto r = std::upper_bound(
            regions.begin(), regions.end(), s.at,
            [](std::size_t place, const ByteRange& region) { return place < region.end; });
        for (; r != regions.end() && (end > r->begin || s.at >= r->begin); ++r) {
          const std::size_t begin = std::min(r->begin, beginOfLine(text, s.at));
          const std::size_t last =
              std::max(r->end, s.removed > 0 ? beginOfNextLine(text, end - 1) : r->end);
          grown = grown || begin < r->begin || last > r->end;
          *r = {begin, last};
        }
      }
    }
    if (!join()) grown = true;
  }
  std::string result;
  std::size_t at = 0;
  const auto add = [&](ByteRange lines, const Splices& splices) {
    result += spliced(text.substr(lines.begin, lines.size()), within(splices, lines));
  };
  const auto endLine = [&] {
    if (!result.ends_with('\n') && !result.ends_with('\r')) result += newline;
  };
  for (const ByteRange& r : regions) {
    add({at, r.begin}, mine);
    result += "<<<<<<< ours" + newline;
    add(r, mine);
    endLine();
    result += "=======" + newline;
    add(r, other);
    endLine();
    result += ">>>>>>> theirs" + newline;
    at = r.end;
  }
  add({at, text.size() + 1}, mine);
  return result;
}

std::string toldConflicts(std::span<const MergeConflict> conflicts, const std::string& newline) {
  std::string text =
      "<<<<<<< ours" + newline + "=======" + newline +
      "<!-- Conflicts that no two texts show. Correct the module, then delete this:" + newline;
  for (const MergeConflict& c : conflicts) {
    std::string line = c.place + ": " + c.reason;
    const std::array<std::pair<const char*, const MergeSide*>, 3> sides{
        {{" Base: ", &c.base}, {" Ours: ", &c.ours}, {" Theirs: ", &c.theirs}}};
    for (const auto& [word, side] : sides) {
      if (!side->text.empty()) line += word + side->text + '.';
    }
    text += inComment(collapsed(line)) + newline;
  }
  return text + "-->" + newline + ">>>>>>> theirs" + newline;
}

}  // namespace tutti::fomedit
