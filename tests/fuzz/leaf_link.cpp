// SPDX-License-Identifier: GPL-3.0-or-later
// What the home can say to a node that is linked to it, in any order, while processes of the linked
// node's host ask for something. Parts as in linked_nodes.h.
#include "linked_nodes.h"

namespace tutti::fuzz {

namespace {

Landmark shown("an execution has a replica here");
Landmark joined("a federate of this host got its arena");
Landmark givenUp("an operator had the linked node give its home up");
Landmark failed("the link was given up for what came over it");

}  // namespace

void target(Input input) {
    LeafHost node;
    const std::uint64_t before = node.executive.budget().used();
    auto now = pipes::Clock::now();
    for (const Part& part : parts(input)) {
      const std::size_t which = part.kind >> 2 & 1;
      switch (part.kind & 3) {
        case 0:
          node.line->said.emplace_back(part.bytes.begin(), part.bytes.end());
          node.leaf.ready(LinkedHost::firstPipe);
          node.settle();
          if (node.executive.budget().used() > before) shown.reach();
          break;
        case 2:
          node.request(which, part.bytes);
          if (node.leaf.failure().find("has given up") != std::string::npos) givenUp.reach();
          break;
        case 3:
          if (!part.bytes.empty() && part.bytes[0] == std::byte{1}) {
            if (node.executive.isOpen(node.process[which])) node.end(node.process[which]);
            node.process[which] = node.executive.opened(4711);
            break;
          }
          if (!part.bytes.empty() && part.bytes[0] == std::byte{3}) {
            node.line->fallSilent();
            break;
          }
          if (!part.bytes.empty() && part.bytes[0] == std::byte{4}) {
            node.line->answerAgain();
            break;
          }
          now += std::chrono::seconds(1);
          node.leaf.route();
          node.leaf.tick(now);
          node.settle();
          break;
        default:
          node.leaf.route();
      }
      if (node.arenas != 0) joined.reach();
      node.line->heard.clear();
      // Its node ends with the link, and all connections with it.
      if (!node.leaf.failure().empty()) {
        failed.reach();
        break;
      }
    }
    fabric::StatusReply status;
    static_cast<void>(node.leaf.describeLink(status));
    for (const auto id : node.process) {
      if (node.executive.isOpen(id)) node.end(id);
    }
}

std::vector<Bytes> seeds() { return conversations(false); }

}  // namespace tutti::fuzz
