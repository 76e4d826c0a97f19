// SPDX-License-Identifier: GPL-3.0-or-later
// What a linked node takes of others that are linked to its home: data of the federates that the
// home says live there.
#include <QtTest>

#include "router/mesh.h"

using namespace tutti;
using fabric::Bytes;
using fabric::FederateNumber;
using router::LinkHead;
using router::linkMessage;
using router::LinkMessage;
using router::Mesh;
using router::MessageStreams;
using router::NodeId;

namespace {

constexpr std::uint64_t execution = 7;
constexpr NodeId own = 1, other = 2, third = 3;

Bytes dataOf(FederateNumber sender) {
  fabric::RecordHead head{};
  head.type = fabric::RecordType::Update;
  head.bytes = sizeof head;
  Bytes message;
  router::writeData(message, execution, sender, {},
                    std::as_bytes(std::span(&head, std::size_t{1})));
  return message;
}

/// A node that is linked to a home, which is the test.
struct Linked {
  Linked() {
    auto opened = Mesh::open({"127.0.0.1", 1}, "linked", services());
    if (!opened) qFatal("%s", opened.error().c_str());
    mesh = std::move(*opened);
    mesh->onSend([](auto) {});
    mesh->useStreams([](auto, auto) { return MessageStreams::Arrival::Ready; },
                     [this](auto message) {
                       FederateNumber sender = 0;
                       std::span<const std::byte> record;
                       router::readData(message.subspan(router::linkHeadBytes), sender, nullptr,
                                        record);
                       taken.push_back(sender);
                     });
    hear(LinkMessage::NeighbourIntroduced,
         router::NeighbourIntroduced{own, true, "127.0.0.1", 1, 1});
  }
  static Mesh::Services services() {
    Mesh::Services result;
    result.watch = [](int, std::uint64_t) {};
    result.watchWrites = [](int, std::uint64_t, bool) {};
    return result;
  }
  template <class Message>
  void hear(LinkMessage kind, const Message& message) {
    const Bytes bytes = linkMessage(kind, 0, message);
    LinkHead head;
    if (!router::readLinkHead(bytes, head) || !mesh->take(head, bytes)) qFatal("not taken");
    while (mesh->streams().proceed()) {
    }
  }
  /// Of that node, past the home.
  void hearData(NodeId from, FederateNumber sender) {
    auto& stream = sent.try_emplace(from, nullptr).first->second;
    if (!stream) {
      stream = std::make_unique<MessageStreams>(MessageStreams::Judge(), MessageStreams::Take());
      stream->setOwn(from);
    }
    stream->put(own, 0, dataOf(sender));
    hear(LinkMessage::FrameRelayed, router::FrameRelayed{from, stream->nextFrame(own)->bytes});
  }

  std::unique_ptr<Mesh> mesh;
  std::vector<FederateNumber> taken;
  std::map<NodeId, std::unique_ptr<MessageStreams>> sent;
};

}  // namespace

class tst_neighbours : public QObject {
  Q_OBJECT

 private slots:
  void aNodeSpeaksForItsOwnFederates();
};

void tst_neighbours::aNodeSpeaksForItsOwnFederates() {
  Linked linked;
  constexpr NodeId home = 0;
  constexpr FederateNumber atOther = 20, atThird = 30, atHome = 40;
  linked.mesh->place(execution, atOther, other);
  linked.mesh->place(execution, atThird, third);
  linked.mesh->place(execution, atHome, home);
  linked.hearData(other, atOther);
  linked.hearData(third, atThird);
  QCOMPARE(linked.taken, (std::vector<FederateNumber>{atOther, atThird}));
  linked.hearData(other, atThird);
  linked.hearData(other, atHome);
  linked.hearData(third, atOther);
  QCOMPARE(linked.taken.size(), std::size_t{2});
  // What is its own still counts.
  linked.hearData(other, atOther);
  linked.hearData(third, atThird);
  QCOMPARE(linked.taken, (std::vector<FederateNumber>{atOther, atThird, atOther, atThird}));
}

QTEST_GUILESS_MAIN(tst_neighbours)
#include "tst_neighbours.moc"
