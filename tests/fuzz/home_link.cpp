// SPDX-License-Identifier: GPL-3.0-or-later
// What linked nodes can say to their home, in any order, and the ends of their links, while
// processes of the home's host ask for something. Parts as in linked_nodes.h; link 1 takes part in
// the connections between linked nodes.
#include "linked_nodes.h"
#include "router/link_protocol.h"

namespace tutti::fuzz {

namespace {

Landmark joined("a federate of a linked node joined");
Landmark shown("an instance of a linked node's federate is in a table");
Landmark cut("a link ended with a joined federate behind it");
Landmark waited("an operator had the home wait for a linked node");
Landmark givenUp("an operator had the home give a linked node up");
Landmark neighbours("a linked node told of its link with another");
Landmark garbage("a link was ended for what came over it");

struct Fuzzed : HomeHost {
  static constexpr std::size_t links = 2;

  Fuzzed() {
    home.useMesh();
    for (std::size_t i = 0; i < links; ++i) lines[i] = link(pipes[i], i == 1);
  }
  void look(std::size_t which) {
    home.ready(pipes[which]);
    settle();
    linkAgain();
  }
  /// A node whose link has ended comes again.
  void linkAgain() {
    for (std::size_t i = 0; i < links; ++i) {
      if (lines[i]->given) lines[i] = link(pipes[i], i == 1);
    }
  }
  std::size_t federates() const {
    const auto execution = executive.execution("w");
    return execution == nullptr ? 0 : execution->pages().size();
  }

  std::uint64_t pipes[links] = {};
  std::shared_ptr<Line> lines[links];
};

}  // namespace

void target(Input input) {
  Fuzzed node;
  const std::uint64_t used = node.executive.budget().used();
  auto now = pipes::Clock::now();
  for (const Part& part : parts(input)) {
    const std::size_t which = part.kind >> 2 & 1;
    const std::size_t before = node.federates();
    switch (part.kind & 3) {
      case 0: {
        const auto line = node.lines[which];
        line->said.emplace_back(part.bytes.begin(), part.bytes.end());
        node.look(which);
        line->heard.clear();
        if (line->given) garbage.reach();
        if (!node.home.describeNeighbours().empty()) neighbours.reach();
        if (node.federates() > before) joined.reach();
        break;
      }
      case 2: {
        node.request(which, part.bytes);
        for (const auto& line : node.lines) {
          if (line->given) givenUp.reach();
          if (line->session.waited.count() != 0) waited.reach();
        }
        node.linkAgain();
        break;
      }
      case 3: {
        const auto what = part.bytes.empty() ? std::byte{} : part.bytes[0];
        if (what == std::byte{1}) {
          node.end(node.process[which]);
          node.process[which] = node.executive.opened(4711);
        } else if (what == std::byte{2}) {
          node.lines[which]->ended = true;
          node.look(which);
          if (node.federates() < before) cut.reach();
        } else if (what == std::byte{3}) {
          node.lines[which]->fallSilent();
        } else if (what == std::byte{4}) {
          node.lines[which]->answerAgain();
        } else {
          now += std::chrono::seconds(1);
          node.home.route();
          node.home.tick(now);
          node.executive.tick(now);
          node.settle();
        }
        break;
      }
      default:
        node.home.route();
    }
    if (const auto execution = node.executive.execution("w")) {
      for (const auto& page : execution->pages()) {
        if (page.federate != 1 && !execution->rowsOf(page.federate).empty()) shown.reach();
      }
    }
  }
  static_cast<void>(node.executive.status());
  for (std::size_t i = 0; i < Fuzzed::links; ++i) {
    node.lines[i]->ended = true;
    node.home.ready(node.pipes[i]);
  }
  require(!node.home.hasLinks(), "a link that has ended is forgotten");
  for (const auto id : node.process) {
    if (node.executive.isOpen(id)) node.end(id);
  }
  node.executive.tick(now + std::chrono::hours(1));
  node.home.route();
  require(!node.executive.hasFederations(), "an execution without members ends");
  require(node.executive.budget().used() == used, "all memory is given back in the end");
}

std::vector<Bytes> seeds() { return conversations(true); }

}  // namespace tutti::fuzz
