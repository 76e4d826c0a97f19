// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "launcher/ui/placement_board.h"

namespace tutti::launcher {

namespace {

constexpr int margin = 14;
constexpr int gap = 10;
constexpr int titleHeight = 34;
constexpr int noteHeight = 22;
constexpr int groupHeight = 20;
constexpr int inner = 8;
constexpr int cardGap = 6;
constexpr int highCard = 42;
constexpr int lowCard = 26;
constexpr int leastBox = 196;
constexpr int leastCard = 168;
constexpr int manyCards = 40;      ///< from here on cards are of one line
constexpr int cardsOfColumn = 14;  ///< a box of more is as wide as several

/// Cards of the same group, as they stand in a box.
struct Run {
  int first = 0;
  int count = 0;
  bool named = false;
};

std::vector<Run> runsOf(const BoardBox& box) {
  std::vector<Run> runs;
  const int size = static_cast<int>(box.cards.size());
  for (int from = 0; from < size;) {
    const QString& group = box.cards[static_cast<std::size_t>(from)].group;
    int to = from + 1;
    while (to < size && box.cards[static_cast<std::size_t>(to)].group == group) ++to;
    runs.push_back({from, to - from, !group.isEmpty()});
    from = to;
  }
  return runs;
}

}  // namespace

BoardLayout BoardLayout::of(const std::vector<BoardBox>& boxes, int width, int least) {
  BoardLayout layout;
  std::size_t cards = 0;
  for (const BoardBox& box : boxes) cards += box.cards.size();
  layout.compact = cards > manyCards;
  const int cardHeight = layout.compact ? lowCard : highCard;
  const int room = std::max(width - 2 * margin, 120);
  const int fitting = std::max(1, (room + gap) / (leastBox + gap));
  const int columns = std::clamp(static_cast<int>(boxes.size()), 1, fitting);
  const int columnWidth = (room - (columns - 1) * gap) / columns;

  layout.boxes.resize(boxes.size());
  // Sizes first: a row of boxes is as high as its highest.
  std::vector<int> heights(boxes.size());
  std::vector<int> spans(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const int number = static_cast<int>(boxes[i].cards.size());
    spans[i] = std::clamp((number + cardsOfColumn - 1) / cardsOfColumn, 1, columns);
    const int boxWidth = spans[i] * columnWidth + (spans[i] - 1) * gap;
    const int across = std::max(1, (boxWidth - 2 * inner + cardGap) / (leastCard + cardGap));
    int y = titleHeight + inner;
    for (const Run& run : runsOf(boxes[i])) {
      if (run.named) y += groupHeight;
      y += (run.count + across - 1) / across * (cardHeight + cardGap);
    }
    heights[i] = std::max(y, titleHeight + inner + cardHeight) + noteHeight + 2;
  }
  int y = margin;
  for (std::size_t row = 0; row < boxes.size();) {
    std::size_t end = row;
    int used = 0;
    int height = 0;
    while (end < boxes.size() && used + spans[end] <= columns) {
      used += spans[end];
      height = std::max(height, heights[end]);
      ++end;
    }
    if (row == 0 && end == boxes.size()) height = std::max(height, least - 2 * margin);
    int x = margin;
    for (; row < end; ++row) {
      Box& box = layout.boxes[row];
      const int boxWidth = spans[row] * columnWidth + (spans[row] - 1) * gap;
      box.rect = QRect(x, y, boxWidth, height);
      x += boxWidth + gap;
      const int across = std::max(1, (boxWidth - 2 * inner + cardGap) / (leastCard + cardGap));
      const int cardWidth = (boxWidth - 2 * inner - (across - 1) * cardGap) / across;
      int top = y + titleHeight + inner;
      for (const Run& run : runsOf(boxes[row])) {
        if (run.named) {
          box.groups.push_back(
              {boxes[row].cards[static_cast<std::size_t>(run.first)].group,
               QRect(box.rect.left() + inner, top, boxWidth - 2 * inner, groupHeight - 2),
               run.first, run.count});
          top += groupHeight;
        }
        for (int i = 0; i < run.count; ++i) {
          box.cards.emplace_back(box.rect.left() + inner + i % across * (cardWidth + cardGap),
                                 top + i / across * (cardHeight + cardGap), cardWidth, cardHeight);
        }
        top += (run.count + across - 1) / across * (cardHeight + cardGap);
      }
    }
    y += height + gap;
  }
  layout.height = boxes.empty() ? 0 : y - gap + margin;
  return layout;
}

}  // namespace tutti::launcher
