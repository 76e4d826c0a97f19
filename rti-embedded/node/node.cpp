// SPDX-License-Identifier: Apache-2.0
#include "node/node.h"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "node/daemon.h"

namespace tutti::node {

using executive::Budget;
using executive::HostMemory;
using fabric::Endpoint;
using fabric::EndpointError;
using fabric::UniqueFd;

namespace {

UniqueFd anyDescriptor() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

/// Off the loopback address only with proof of who connects, or on demand.
tl::expected<void, std::string> mayListen(const NodeOptions& options) {
  if (options.security || options.trustedNetwork) return {};
  const auto at = pipes::SocketAddress::of(*options.listenAt, true);
  if (!at) return tl::unexpected(at.error());
  if (at->isLoopback()) return {};
  return tl::unexpected(
      "other hosts can reach " + options.listenAt->text() +
      ", and every host that does could join, change and destroy federations. Make a key with "
      "tutti-rti --make-key FILE, copy the file to the other hosts, and add --key-file FILE here "
      "(for the "
      "federates there: TUTTI_KEY_FILE=FILE); or add --trusted-network if every host that can "
      "reach the address is trusted");
}

/// Nothing that a federate has sent need be on its way before such a request is answered. It may
/// come because a link takes no more.
bool concernsMemory(std::span<const std::byte> datagram) {
  fabric::RequestHead head;
  fabric::WireReader reader(datagram);
  reader(head);
  return !reader.failed() &&
         (head.request == fabric::Request::OpenRing || head.request == fabric::Request::Allocate ||
          head.request == fabric::Request::Free);
}

/// Each federate costs a descriptor.
void allowManyDescriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

tl::expected<std::unique_ptr<Node>, Node::Error> Node::listen(const NodeOptions& options) {
  allowManyDescriptors();
  auto budget = Budget::fromEnvironment();
  if (!budget) return tl::unexpected(Error{false, budget.error()});
  auto host = HostMemory::make();
  if (!host) return tl::unexpected(Error{false, host.error()});
  auto listener = Endpoint::listen(options.name);
  if (!listener) {
    const bool taken = listener.error().kind == EndpointError::Kind::Refused;
    return tl::unexpected(
        Error{taken, taken ? "another RTI node '" + options.name +
                                 "' is running; choose another name with --shm, or see tutti-rti "
                                 "--status"
                           : listener.error().text});
  }
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  UniqueFd reserve = anyDescriptor();
  if (!epoll || !reserve) {
    return tl::unexpected(
        Error{false, std::string("cannot wait for connections: ") + std::strerror(errno)});
  }
  auto node =
      std::make_unique<Node>(Made{}, options, *budget, std::move(*host), std::move(*listener));
  node->epoll_ = std::move(epoll);
  node->reserve_ = std::move(reserve);
  node->watch(node->listener_.get(), listenerId);
  node->watch(node->desk_.descriptor(), deskId);
  if (auto opened = node->openPipes(); !opened) return tl::unexpected(opened.error());
  spdlog::info("RTI node '{}' listens, with {} for federation executions", options.name,
               executive::bytesText(budget->total()));
  return node;
}

Node::Node(Made, const NodeOptions& options, Budget budget, HostMemory host, UniqueFd listener)
    : options_(options),
      saves_(stateDirectory() / "saves"),
      executive_({options.name, options.linger, options.stopTime, options.pace}, budget,
                 std::move(host), options.models != nullptr ? *options.models : models_),
      desk_(executive_, options.models != nullptr ? *options.models : models_),
      listener_(std::move(listener)) {
  executive_.onSettle([this] { settle(); });
  executive_.keepSavesIn(saves_);
  desk_.payFrom(&memory_);
  executive_.onStopTime(options_.stopTimeReached);
}

void Node::watch(int descriptor, Id id) {
  if (descriptor < 0) return;  // a pipe within this process
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.u64 = id;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event);
}

void Node::watchWrites(int descriptor, Id id, bool writes) {
  if (descriptor < 0) return;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | (writes ? unsigned{EPOLLOUT} : 0u);
  event.data.u64 = id;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
}

tl::expected<void, Node::Error> Node::openPipes() {
  if (options_.listenAt || options_.linkTo) memory_.reserve();
  options_.datagrams.sealed = options_.security != nullptr;
  options_.datagrams.memory = &memory_;
  if (options_.listenAt) {
    if (auto allowed = mayListen(options_); !allowed) {
      return tl::unexpected(Error{false, allowed.error()});
    }
    auto listener = pipes::TcpListener::listen(*options_.listenAt, rules());
    if (!listener) return tl::unexpected(Error{false, listener.error().text});
    if (auto opened = openHome(); !opened) return tl::unexpected(Error{false, opened.error()});
    listener->onRefusal([](const std::string& text) { spdlog::warn("{}", text); });
    home_->listen(pipes::SessionListener(std::move(*listener), options_.grace, &memory_,
                                         options_.longestWait));
    openDatagrams();
    if (options_.mesh) home_->useMesh();
    watch(home_->listener()->descriptor(), pipeListenerId);
    spdlog::info("other nodes can be linked to '{}' at {}, {}", options_.name, address()->text(),
                 options_.security ? "encrypted, if they have " + options_.security->text()
                 : options_.trustedNetwork
                     ? "without a key and not encrypted: every host that can reach the address is "
                       "trusted (--trusted-network)"
                     : "from this machine only");
  } else if (options_.linkTo) {
    if (auto opened = openRouterEvents(); !opened) {
      return tl::unexpected(Error{false, opened.error()});
    }
    openDatagrams();
    openMesh();
    pipes::Greeting said = greeting();
    said.token = bestEffort_ ? bestEffort_->port().token() : pipes::DatagramPort::randomToken();
    if (bestEffort_) said.datagramPort = bestEffort_->port().address().port();
    if (mesh_) {
      said.neighbourPort = mesh_->port();
      mesh_->setToken(said.token);
    }
    auto pipe = linkToHome(said);
    if (!pipe) return tl::unexpected(Error{false, pipe.error()});
    leaf_ = std::make_unique<Leaf>(executive_, std::move(*pipe), services());
    if (bestEffort_) leaf_->useDatagrams(*bestEffort_);
    if (mesh_) leaf_->useMesh(*mesh_);
  }
  return {};
}

tl::expected<void, std::string> Node::openRouterEvents() {
  auto events = router::RingWatch::events();
  if (!events) return tl::unexpected(events.error());
  routerEvents_ = std::move(*events);
  watch(routerEvents_.get(), routerId);
  return {};
}

tl::expected<void, std::string> Node::openHome() {
  if (home_) return {};
  if (auto opened = openRouterEvents(); !opened) return opened;
  home_ = std::make_unique<Home>(executive_, options_.name, services());
  return {};
}

void Node::openDatagrams() {
  if (!options_.datagrams.use) return;
  auto opened = isListening() ? listenForDatagrams(options_.datagrams, *address())
                              : node::openDatagrams(options_.datagrams, *options_.linkTo);
  if (!opened) {
    spdlog::warn("best effort goes over the links of '{}': {}", options_.name, opened.error());
    return;
  }
  bestEffort_ = std::move(*opened);
  bestEffort_->payFrom(&memory_);
  bestEffort_->onDescriptor([this](int descriptor) { watch(descriptor, datagramsId); });
  watch(bestEffort_->port().descriptor(), datagramsId);
  watch(bestEffort_->port().timerDescriptor(), datagramTimerId);
  executive_.onStatus([this](fabric::StatusReply& status) {
    for (auto& way : bestEffort_->ways()) {
      status.ways.push_back({way.address, way.direct, way.group, way.datagramBytes});
    }
  });
  if (!isListening()) return;
  bestEffort_->setGrace(options_.grace, options_.longestWait);
  home_->useDatagrams(*bestEffort_);
  if (!options_.datagrams.multicast) return;
  const auto group = pipes::SocketAddress::of(*options_.datagrams.multicast);
  if (!group) {
    spdlog::warn("best effort goes to each host by itself: {}", group.error());
  } else if (auto joined = bestEffort_->openGroup(*group); !joined) {
    spdlog::warn("best effort goes to each host by itself: {}", joined.error());
  }
}

void Node::openMesh() {
  if (!options_.mesh) return;
  NodeServices own = services();
  auto opened = router::Mesh::open(*options_.linkTo, options_.name,
                                   {own.watch, own.watchWrites, firstNeighbourId, rules()});
  if (opened) {
    mesh_ = std::move(*opened);
  } else {
    spdlog::warn("all that '{}' sends goes past its home: {}", options_.name, opened.error());
  }
}

void Node::handleDatagrams(Id id) {
  if (id == datagramTimerId) return bestEffort_->timeout();
  bestEffort_->ready();
  if (home_) home_->lookForCongestion();
  if (leaf_) leaf_->lookForCongestion();
}

tl::expected<std::unique_ptr<pipes::Pipe>, std::string> Node::linkToHome(
    const pipes::Greeting& greeting) {
  // Twice: TCP sends a lost first packet again only after 1, 3 and 7 s, a new connection at once.
  constexpr std::chrono::seconds patience{5};
  const auto twice = pipes::Clock::now() + 2 * patience;
  for (;;) {
    const auto until = pipes::Clock::now() + patience;
    auto pipe = pipes::SessionPipe::connect(*options_.linkTo, greeting, until, rules());
    if (pipe) return std::unique_ptr<pipes::Pipe>(std::move(*pipe));
    const auto now = pipes::Clock::now();
    if (now < until || now >= twice) return tl::unexpected(pipe.error().text);
  }
}

pipes::Greeting Node::greeting() const {
  pipes::Greeting greeting;
  greeting.node = options_.name;
  return greeting;
}

NodeServices Node::services() {
  NodeServices result;
  result.watch = [this](int descriptor, Id id) { watch(descriptor, id); };
  result.watchWrites = [this](int descriptor, Id id, bool writes) {
    watchWrites(descriptor, id, writes);
  };
  result.answer = [this](Id id, const fabric::Bytes& bytes, std::span<const int> descriptors,
                         bool closes) { answer(id, bytes, descriptors, closes); };
  result.routerEvents = routerEvents_.get();
  result.desk = &desk_;
  result.memory = &memory_;
  result.firstPipe = firstPipeId;
  return result;
}

void Node::handle(Id id) {
  if (id == listenerId) {
    acceptOne();
  } else if (id == pipeListenerId) {
    home_->accept();
  } else if (id == deskId) {
    desk_.ready();
  } else if (id == routerId) {
    std::uint64_t count = 0;
    if (::read(routerEvents_.get(), &count, sizeof count) > 0) handleRouters();
  } else if (id >= firstCellId) {
    handleCell(id);
  } else if (id >= firstNeighbourId) {
    leaf_->neighbourReady(id);
  } else if (id >= datagramsId) {
    handleDatagrams(id);
  } else if (id >= firstPipeId) {
    handlePipe(id);
  } else {
    serveOne(id);
  }
  serveLocalPipes();
}

void Node::handlePipe(Id id) {
  if (home_) home_->ready(id);
  if (leaf_) leaf_->ready(id);
}

void Node::handleRouters() {
  if (home_) home_->route();
  if (leaf_) leaf_->route();
  for (auto& [id, cell] : cells_) cell.leaf->route();
}

void Node::tickPipes() {
  if (!home_ && !leaf_) return;
  constexpr std::chrono::milliseconds interval{50};
  constexpr std::chrono::milliseconds soon{1};
  if (nextLook() == soon) handleRouters();
  const auto now = Executive::Clock::now();
  if (now < nextPipeTick_) return;
  nextPipeTick_ = now + interval;
  if (home_) home_->tick(now);
  if (leaf_) leaf_->tick(now);
  tickCells(now);
  serveLocalPipes();
}

void Node::serve(int stopDescriptor) {
  watch(stopDescriptor, stopId);
  std::array<epoll_event, 64> events;
  while (!mayLeave()) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), waitMilliseconds());
    for (int i = 0; i < count; ++i) {
      const Id id = events[static_cast<std::size_t>(i)].data.u64;
      if (id == stopId) {
        spdlog::info("RTI node '{}' stops: it was told to", options_.name);
        listener_.reset();
        endpoints_.clear();
        return;
      }
      handle(id);
    }
    for (const Id id : executive_.takeDoomed()) {
      if (!home_ || !home_->end(id)) close(id);
    }
    for (const std::string& federation : executive_.takeManagementWanted()) startMom(federation);
    if (!mom_.empty()) mom_.reap();
    executive_.tick(Executive::Clock::now());
    if (executive_.takeCeilingMoved() && home_) home_->followTime();
    tickPipes();
    do {
      endedCells_.clear();
      serveLocalPipes();
    } while (!endedCells_.empty());
    if (linkHasFailed()) {
      spdlog::error("RTI node '{}' ends, and with it the connections of its federates: {}",
                    options_.name, leaf_->failure());
      break;
    }
  }
  // Before the connections: who is dropped now finds the name free for a new node.
  listener_.reset();
  endpoints_.clear();  // a MOM thread may wait for an answer
}

int Node::waitMilliseconds() const {
  auto next = executive_.nextTick();
  if (options_.firstConnection && !executive_.wasUsed()) {
    const auto end = started_ + *options_.firstConnection;
    if (!next || end < *next) next = end;
  }
  if (const auto look = nextLook()) {
    const auto end = Executive::Clock::now() + *look;
    if (!next || end < *next) next = end;
  }
  if (!next) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Executive::Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

bool Node::mayLeave() {
  if (executive_.stopRequested()) return true;
  if (!endpoints_.empty() || executive_.hasFederations() || isListening()) return false;
  if (executive_.wasUsed()) {
    if (options_.stay) return false;
  } else if (!options_.firstConnection ||
             Executive::Clock::now() < started_ + *options_.firstConnection) {
    return false;
  }
  if (leaf_ && leaf_->hasUndelivered()) return false;
  // Somebody may just be connecting.
  pollfd waiting{listener_.get(), POLLIN, 0};
  if (::poll(&waiting, 1, 0) > 0) return false;
  spdlog::info("RTI node '{}' leaves: nobody is connected", options_.name);
  return true;
}

void Node::startMom(const std::string& federation) {
  const bool served = std::any_of(momServed_.begin(), momServed_.end(),
                                  [&](const auto& item) { return item.second == federation; });
  if (served) return;
  const Id id = executive_.openedForManagement(federation);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    spdlog::error("the MOM of '{}' cannot be served: {}", federation, std::strerror(errno));
    executive_.closed(id);
    return;
  }
  Endpoint own{UniqueFd(ends[0])};
  Endpoint other{UniqueFd(ends[1])};
  try {
    mom_.start(options_.name, federation, std::move(other));
  } catch (const std::system_error& error) {
    spdlog::error("the MOM of '{}' cannot be served: {}", federation, error.what());
    executive_.closed(id);
    return;
  }
  watch(own.descriptor(), id);
  endpoints_.emplace(id, std::move(own));
  momServed_[id] = federation;
  spdlog::info("the MOM of '{}' is in use", federation);
}

void Node::acceptOne() {
  auto accepted = Endpoint::accept(listener_.get());
  if (accepted) {
    const Id id = executive_.opened(accepted->peerPid());
    watch(accepted->descriptor(), id);
    endpoints_.emplace(id, std::move(*accepted));
    return;
  }
  const auto kind = accepted.error().kind;
  if (kind == EndpointError::Kind::TimedOut) return;
  // Those of other users are many names for one cause.
  if (refused_.mayTell(kind == EndpointError::Kind::Denied ? "other users" : "this user")) {
    spdlog::warn("a connection is turned away: {} (told once a minute)", accepted.error().text);
  }
  if (kind == EndpointError::Kind::Denied) return;
  if ((home_ && home_->makeRoom()) || (mesh_ && mesh_->makeRoom())) return;  // and come again
  // Out of descriptors, most likely: left waiting, the caller would keep this loop busy.
  reserve_.reset();
  UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  reserve_ = anyDescriptor();
}

bool Node::serveOne(Id id) {
  const auto found = endpoints_.find(id);
  if (found == endpoints_.end()) return false;  // ended while another was served
  auto datagram = found->second.receive(Endpoint::Clock::now());
  if (!datagram) {
    const EndpointError& error = datagram.error();
    if (error.kind == EndpointError::Kind::TimedOut) return false;
    if (error.kind != EndpointError::Kind::Closed) {
      spdlog::warn("the connection of process {} is closed: {}", found->second.peerPid(),
                   error.text);
    }
    close(id);
    return false;
  }
  if (dialer_.isWaiting(id)) return closeHasty(id, found->second.peerPid());
  if (dialsFor(id, datagram->bytes)) return endpoints_.contains(id);
  const auto linked = linkedFor(id, datagram->bytes);
  if (!linked) {
    fabric::RequestHead head;
    fabric::WireReader(datagram->bytes)(head);
    return answer(id, answerTo(head, fabric::Refusal::Internal, linked.error()), {}, true);
  }
  if (*linked != nullptr) {
    (*linked)->request(id, found->second.peerPid(), datagram->bytes);
    return endpoints_.contains(id);
  }
  if (desk_.isWaiting(id)) return closeHasty(id, found->second.peerPid());
  const auto resume = [this, id](const fabric::Bytes& bytes, const executive::ModelRead* read) {
    answerHere(id, bytes, read);
  };
  try {
    if (desk_.takes(id, datagram->bytes, resume)) return endpoints_.contains(id);
  } catch (const std::bad_alloc&) {
    fabric::RequestHead head;
    fabric::WireReader(datagram->bytes)(head);
    return answer(id, noRoomToWait(head), {}, false);
  }
  return answerHere(id, datagram->bytes, nullptr);
}

bool Node::closeHasty(Id id, std::int32_t pid) {
  spdlog::warn(
      "the connection of process {} is closed: it made a request before the one before was "
      "answered",
      pid);
  close(id);
  return false;
}

bool Node::answerHere(Id id, const fabric::Bytes& datagram, const executive::ModelRead* read) {
  if (home_) {
    const auto asker = endpoints_.find(id);
    const std::int32_t pid = asker == endpoints_.end() ? 0 : asker->second.peerPid();
    if (const auto decided = home_->operateLink(datagram, pid)) {
      const bool open = answer(id, *decided, {}, false);
      // Not before: what ends with a link that is given up may be who asks.
      home_->afterRequest();
      return open && endpoints_.contains(id);
    }
    if (!concernsMemory(datagram)) home_->beforeRequest(id);
    if (home_->takesOver(id, datagram)) return endpoints_.contains(id);
  }
  const Id outer = std::exchange(serving_, id);
  auto reply = executive_.answer(id, datagram, read);
  serving_ = outer;
  addLinks(datagram, reply.bytes);
  if (home_ && home_->holds(id, reply)) return endpoints_.contains(id);
  const bool open = answer(id, reply.bytes, reply.descriptors, reply.close);
  if (home_) home_->afterRequest();
  return open && endpoints_.contains(id);
}

/// The answer to Status tells of the links as well.
void Node::addLinks(std::span<const std::byte> datagram, fabric::Bytes& answer) const {
  fabric::RequestHead head;
  fabric::WireReader asked(datagram);
  asked(head);
  if (head.request != fabric::Request::Status) return;
  fabric::ReplyHead reply;
  fabric::StatusReply status;
  fabric::WireReader reader(answer);
  reader(reply);
  if (reader.failed() || reply.refusal != fabric::Refusal::None) return;
  reader(status);
  if (reader.failed()) return;
  fabric::WireWriter writer(answer);
  writer(home_ ? home_->describeLinks(status) : std::vector<fabric::LinkStatus>(),
         home_ ? home_->describeNeighbours() : std::vector<fabric::NeighbourLinkStatus>());
  static const std::vector<fabric::FlowStatus> none;
  writer(home_ ? home_->describeFlows(pipes::Clock::now()) : none);
}

bool Node::answer(Id id, const fabric::Bytes& bytes, std::span<const int> descriptors,
                  bool closes) {
  const auto found = endpoints_.find(id);
  if (found == endpoints_.end()) return false;
  bool open = !closes;
  if (!bytes.empty()) {
    // One that does not take its answers is not waited for.
    if (auto sent = found->second.send(bytes, descriptors); !sent) {
      if (sent.error().kind != EndpointError::Kind::Closed) {
        spdlog::warn("the connection of process {} is closed: it does not take its answers ({})",
                     found->second.peerPid(), sent.error().text);
        open = false;
      }
    }
  }
  if (!open) close(id);
  return open;
}

void Node::close(Id id) {
  // The executive first: with the socket's end others may act on the death.
  if (home_) home_->beforeEnd(id);
  if (leaf_) leaf_->closed(id);
  dialer_.forget(id);
  endCell(id);
  executive_.closed(id);
  endpoints_.erase(id);
  momServed_.erase(id);
  if (home_) home_->afterRequest();
}

void Node::settle() {
  std::vector<Id> ids;
  std::vector<pollfd> polls;
  for (const auto& [id, endpoint] : endpoints_) {
    if (id == serving_) continue;
    ids.push_back(id);
    polls.push_back({endpoint.descriptor(), POLLRDHUP, 0});
  }
  if (::poll(polls.data(), polls.size(), 0) <= 0) return;
  for (std::size_t i = 0; i < polls.size(); ++i) {
    if ((polls[i].revents & (POLLHUP | POLLRDHUP | POLLERR)) == 0) continue;
    while (serveOne(ids[i])) {
    }
  }
}

}  // namespace tutti::node
