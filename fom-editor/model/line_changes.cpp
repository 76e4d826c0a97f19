// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/line_changes.h"

#include <algorithm>
#include <vector>

namespace tutti::fomedit {

namespace {

using Lines = QList<QStringView>;

/// Beyond so many differences a stretch is taken as changed as a whole.
constexpr int kMostSteps = 1000;

/// Which line of `now` each line of `before` is, -1: none. Myers, "An O(ND) Difference Algorithm
/// and Its Variations" (1986); `offset` is what both begin with.
class Matching {
 public:
  Matching(Lines before, Lines now) : before_(std::move(before)), now_(std::move(now)) {}

  /// Pairs (line of before, line of now), ascending.
  std::vector<std::pair<int, int>> pairs() const {
    const int n = static_cast<int>(before_.size());
    const int m = static_cast<int>(now_.size());
    const int most = std::min(n + m, kMostSteps);
    std::vector<std::vector<int>> trace;
    std::vector<int> reach(static_cast<std::size_t>(2 * most + 3), 0);
    const auto at = [&](std::vector<int>& all, int k) -> int& {
      return all[static_cast<std::size_t>(k + most + 1)];
    };
    for (int d = 0; d <= most; ++d) {
      trace.push_back(reach);
      for (int k = -d; k <= d; k += 2) {
        const bool down = k == -d || (k != d && at(reach, k - 1) < at(reach, k + 1));
        int x = down ? at(reach, k + 1) : at(reach, k - 1) + 1;
        while (x < n && x - k < m && before_[x] == now_[x - k]) ++x;
        at(reach, k) = x;
        if (x >= n && x - k >= m) return traced(trace, most, d);
      }
    }
    return {};
  }

 private:
  std::vector<std::pair<int, int>> traced(std::vector<std::vector<int>>& trace, int most,
                                          int last) const {
    std::vector<std::pair<int, int>> found;
    int x = static_cast<int>(before_.size());
    int y = static_cast<int>(now_.size());
    for (int d = last; d >= 0; --d) {
      const std::vector<int>& reach = trace[static_cast<std::size_t>(d)];
      const auto at = [&](int k) { return reach[static_cast<std::size_t>(k + most + 1)]; };
      const int k = x - y;
      const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
      const int from = down ? k + 1 : k - 1;
      const int fromX = d == 0 ? 0 : at(from);
      const int fromY = d == 0 ? 0 : fromX - from;
      while (x > fromX && y > fromY) found.emplace_back(--x, --y);
      x = fromX;
      y = fromY;
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  Lines before_;
  Lines now_;
};

Lines linesOf(QStringView text) { return text.split(u'\n'); }

}  // namespace

LineChanges lineChanges(QStringView before, QStringView now) {
  LineChanges result;
  if (before == now) return result;
  const Lines old = linesOf(before);
  const Lines lines = linesOf(now);
  result.lines.fill(LineChange::Same, lines.size());
  qsizetype head = 0;
  while (head < old.size() && head < lines.size() && old[head] == lines[head]) ++head;
  qsizetype tail = 0;
  while (tail < old.size() - head && tail < lines.size() - head &&
         old[old.size() - 1 - tail] == lines[lines.size() - 1 - tail]) {
    ++tail;
  }
  const auto oldCount = static_cast<int>(old.size() - head - tail);
  const auto newCount = static_cast<int>(lines.size() - head - tail);
  auto pairs = Matching(old.mid(head, oldCount), lines.mid(head, newCount)).pairs();
  pairs.emplace_back(oldCount, newCount);
  int x = 0;
  int y = 0;
  for (const auto& [pairX, pairY] : pairs) {
    const int replaced = pairX - x;
    for (int i = 0; y + i < pairY; ++i) {
      result.lines[head + y + i] = i < replaced ? LineChange::Changed : LineChange::Added;
      ++result.changed;
    }
    result.removed += std::max(0, replaced - (pairY - y));
    x = pairX + 1;
    y = pairY + 1;
  }
  return result;
}

}  // namespace tutti::fomedit
