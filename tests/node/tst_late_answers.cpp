// SPDX-License-Identifier: GPL-3.0-or-later
// For how long a federate waits for an answer of its RTI node, with one that answers as a test
// says. With a real one, over a cut: tst_cuts aCallOutlivesItsLimit.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <QtTest>
#include <atomic>
#include <cstring>
#include <thread>

#include "core/connection.h"
#include "fabric/layout.h"
#include "fabric/link_status.h"
#include "fabric/protocol_save.h"

using namespace tutti;
using namespace std::chrono_literals;
using fabric::Endpoint;

namespace {

constexpr auto limit = 200ms;

fabric::UniqueFd page() {
  fabric::UniqueFd file(::memfd_create("page", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const std::uint64_t magic = fabric::HostPage::magicValue;
  if (::ftruncate(file.get(), fabric::pageBytes) != 0 ||
      ::pwrite(file.get(), &magic, sizeof magic, offsetof(fabric::HostPage, magic)) < 0 ||
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    qFatal("no memory for a page");
  }
  return file;
}

/// Greets, and keeps every other request until it was asked for its status often enough.
class SlowNode {
 public:
  struct Habits {
    int answersAfter = 0;  ///< questions for its status
    bool saysStatus = true;
    std::chrono::milliseconds longestWait{0};
  };
  SlowNode(const std::string& name, Habits habits) : habits_(habits) {
    auto listener = Endpoint::listen(name);
    if (!listener) qFatal("%s", listener.error().text.c_str());
    listener_ = std::move(*listener);
    thread_ = std::thread([this] { serve(); });
  }
  ~SlowNode() {
    ends_ = true;
    thread_.join();
  }
  int asked() const { return asked_; }

 private:
  void serve() {
    std::vector<Endpoint> clients;
    std::optional<std::pair<std::size_t, std::uint64_t>> kept;
    while (!ends_) {
      pollfd asked{listener_.get(), POLLIN, 0};
      if (::poll(&asked, 1, 5) > 0) {
        if (auto client = Endpoint::accept(listener_.get())) clients.push_back(std::move(*client));
      }
      for (std::size_t i = 0; i < clients.size(); ++i) {
        const auto datagram = clients[i].receive(Endpoint::Clock::now() + 5ms);
        if (!datagram) continue;
        fabric::RequestHead head;
        fabric::WireReader reader(datagram->bytes);
        reader(head);
        if (head.request == fabric::Request::Hello) {
          const auto host = page();
          const auto spin = page();
          answer(
              clients[i], head.number,
              fabric::HelloReply{.layout = fabric::layoutVersion, .connection = 1, .nodeName = {}},
              {host.get(), spin.get()});
        } else if (head.request == fabric::Request::Status) {
          ++asked_;
          if (habits_.saysStatus) sayStatus(clients[i], head.number);
        } else {
          kept.emplace(i, head.number);
        }
      }
      if (kept && habits_.answersAfter > 0 && asked_ >= habits_.answersAfter) {
        answer(clients[kept->first], kept->second, fabric::NoArguments{});
        kept.reset();
      }
    }
  }
  template <class Body>
  static void answer(Endpoint& client, std::uint64_t number, const Body& body,
                     const std::vector<int>& descriptors = {}) {
    fabric::ReplyHead head;
    head.number = number;
    fabric::Bytes bytes = fabric::toWire(head);
    fabric::WireWriter writer(bytes);
    writer(body);
    (void)client.send(bytes, descriptors);
  }
  void sayStatus(Endpoint& client, std::uint64_t number) const {
    fabric::ReplyHead head;
    head.number = number;
    fabric::LinkStatus link;
    link.longestWaitMilliseconds = static_cast<std::uint64_t>(habits_.longestWait.count());
    fabric::Bytes bytes = fabric::toWire(head);
    fabric::WireWriter writer(bytes);
    writer(fabric::StatusReply{}, std::vector{link});
    (void)client.send(bytes);
  }

  Habits habits_;
  fabric::UniqueFd listener_;
  std::atomic<int> asked_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace

class tst_late_answers : public QObject {
  Q_OBJECT

 private slots:
  void aFederateWaits_data() {
    QTest::addColumn<int>("answersAfter");
    QTest::addColumn<bool>("saysStatus");
    QTest::addColumn<int>("longestWait");
    QTest::addColumn<bool>("isAnswered");
    QTest::newRow("the home waits for a host") << 3 << true << 100'000 << true;
    QTest::newRow("for as long as it says it may") << 1000 << true << 700 << false;
    QTest::newRow("the home waits for nobody") << 3 << true << 0 << false;
    QTest::newRow("the node hangs") << 3 << false << 100'000 << false;
  }
  /// Beyond the limit of a call, as long as the node answers and says that it may take longer.
  void aFederateWaits() {
    QFETCH(int, answersAfter);
    QFETCH(bool, saysStatus);
    QFETCH(int, longestWait);
    QFETCH(bool, isAnswered);
    const std::string name = "late-" + std::to_string(QCoreApplication::applicationPid());
    SlowNode node(name, {answersAfter, saysStatus, std::chrono::milliseconds(longestWait)});
    core::Connection connection;
    try {
      connection.open(core::parseDesignator("shm:" + name));
    } catch (const core::ServiceFault& fault) {
      QFAIL(fault.text.c_str());
    }
    connection.setAnswerLimit(limit);
    bool answered = true;
    try {
      connection.tell(fabric::Request::ListFederations, fabric::NoArguments{});
    } catch (const core::ServiceFault& fault) {
      QVERIFY2(fault.fault == core::Fault::NotConnected, fault.text.c_str());
      answered = false;
    }
    QCOMPARE(answered, isAnswered);
    QCOMPARE(connection.lost(), !isAnswered);
    // It has asked before it gave up, and what it was told it has kept to.
    QVERIFY(node.asked() >= (isAnswered ? answersAfter : 1));
    QVERIFY(node.asked() < 1000);
  }
};

QTEST_GUILESS_MAIN(tst_late_answers)
#include "tst_late_answers.moc"
