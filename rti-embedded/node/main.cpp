// SPDX-License-Identifier: Apache-2.0
#include <sys/signalfd.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/endpoint.h"
#include "fabric/printable.h"
#include "node/daemon.h"
#include "node/log.h"
#include "node/node.h"
#include "node/status_text.h"
#include "observe/node_client.h"
#include "pipes/key_file.h"
#include "pipes/security.h"

namespace {

using tutti::fabric::UniqueFd;
using tutti::node::Node;
using tutti::node::NodeOptions;
using tutti::observe::NodeClient;

constexpr const char* usage =
    "tutti-rti: the RTI of this machine. Federates start one by themselves; running it by hand is\n"
    "only needed to keep one, or to look at it.\n"
    "\n"
    "  tutti-rti [--shm NAME]           serves as shm:NAME (default: shm:default) and prints "
    "'ready'\n"
    "            [--daemon]             in a session of its own, output to a log file; returns "
    "when\n"
    "                                   a node of the name listens\n"
    "            [--stay]               does not leave after the last federate\n"
    "            [--linger SECONDS]     keeps a federation execution without federates (default: "
    "60)\n"
    "            [--stop-time TIME]     grants no logical time beyond this, and prints\n"
    "                                   'stop time reached' when all have come to it\n"
    "            [--pace N]             grants N units of logical time per second of wall clock\n"
    "                                   and no more, from 0.000001 to 1e12 (default: as fast as\n"
    "                                   possible); tutti pace changes it later\n"
    "            [--listen HOST:PORT]   lets nodes of other hosts be linked to this one, whose\n"
    "                                   federates say tcp:HOST:PORT; stays until it is stopped.\n"
    "                                   PORT alone is for this machine only; elsewhere it needs\n"
    "                                   --key-file, certificates or --trusted-network\n"
    "            [--grace SECONDS]      with --listen: federates of a host that is out of reach "
    "are lost\n"
    "                                   after this time, from 0 to 45; until then what needs them\n"
    "                                   waits, and nothing is lost when it is back (default: 15)\n"
    "            [--longest-wait SECONDS]\n"
    "                                   with --listen: so much longer an operator may have it "
    "wait\n"
    "                                   for such a host (tutti wait), from 0 to 120; linked nodes "
    "keep\n"
    "                                   their federates for so much longer (default: 0)\n"
    "            [--link HOST:PORT]     is linked to the node there, which decides; federates\n"
    "                                   start such a node by themselves\n"
    "            [--key-file FILE]      with --listen and --link: encrypts what the nodes say to "
    "each\n"
    "                                   other, and accepts only nodes with a copy of this key\n"
    "            [--certificate FILE --private-key FILE --trusted-certificates FILE]\n"
    "                                   the same with certificates on both sides (PEM)\n"
    "            [--trusted-network]    with --listen: every host that can reach the address is\n"
    "                                   trusted; nothing is proved or encrypted\n"
    "            [--multicast GROUP[:PORT]]\n"
    "                                   with --listen: best effort for several hosts leaves once,\n"
    "                                   to this multicast group (default: to each host by itself)\n"
    "            [--bundle MICROSECONDS]\n"
    "                                   lets small best effort messages to other hosts wait so\n"
    "                                   long to share a datagram (default: 0)\n"
    "  tutti-rti --status [--shm NAME] [--json]\n"
    "                                   the federates joined, at all nodes of this user or at one\n"
    "  tutti-rti --make-key FILE        makes a key for --key-file, to be copied to all hosts\n"
    "  tutti-rti --stop [--shm NAME]    ends the node; federates see their connection lost\n"
    "\n"
    "TUTTI_MEMORY limits the memory of all federation executions of a node (such as 512M or 2G;\n"
    "default: a quarter of what is free). TUTTI_KEY_FILE names the key for nodes that federates "
    "start\n"
    "(or TUTTI_CERTIFICATE, TUTTI_PRIVATE_KEY, TUTTI_TRUSTED_CERTIFICATES). TUTTI_MULTICAST and\n"
    "TUTTI_BUNDLE stand for the options above; TUTTI_DATAGRAMS=0 sends best effort over TCP, "
    "TUTTI_MESH=0 all data between\n"
    "two linked nodes through their home.\n";

constexpr int exitFailed = 1;
constexpr int exitUsage = 2;

/// A library that starts a node connects at once; if it died in between, nobody will.
constexpr std::chrono::seconds daemonPatience{20};
constexpr auto longestGrace =
    std::chrono::floor<std::chrono::seconds>(tutti::pipes::SessionPipe::longestGrace);

struct Arguments {
  enum class Mode { Serve, Status, Stop, MakeKey, Help } mode = Mode::Serve;
  std::optional<std::string> name;
  bool daemon = false;
  bool stay = false;
  bool json = false;
  std::chrono::milliseconds linger = NodeOptions{}.linger;
  std::optional<double> stopTime;
  double pace = 0;
  std::chrono::milliseconds grace = NodeOptions{}.grace;
  std::chrono::milliseconds longestWait = NodeOptions{}.longestWait;
  std::optional<tutti::pipes::Address> listenAt;
  std::optional<tutti::pipes::Address> linkTo;
  std::string keyFile;  ///< to be used, or made
  tutti::pipes::Security::Certificates certificates;
  bool trustedNetwork = false;
  tutti::node::DatagramOptions datagrams;
};

/// One line on standard error; the text may hold names from elsewhere.
void complain(const std::string& what) {
  std::fprintf(stderr, "tutti-rti: %s\n", tutti::fabric::printable(what).c_str());
}

int wrongUse(const std::string& what) {
  complain(what);
  std::fprintf(stderr, "\n%s", usage);
  return exitUsage;
}

std::optional<double> number(const std::string* text) {
  double value = 0;
  if (text == nullptr) return std::nullopt;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string& fileNamed(Arguments& arguments, const std::string& option) {
  if (option == "--certificate") return arguments.certificates.certificate;
  if (option == "--private-key") return arguments.certificates.privateKey;
  if (option == "--trusted-certificates") return arguments.certificates.trusted;
  return arguments.keyFile;
}

/// What is wrong with what was said about keys. What was not said comes from the environment; files
/// are named from the root, since a node leaves its folder.
std::optional<std::string> checkSecurity(Arguments& arguments) {
  auto& [certificate, privateKey, trusted] = arguments.certificates;
  const auto said = [&] { return !(certificate + privateKey + trusted).empty(); };
  if (arguments.mode == Arguments::Mode::Serve && arguments.keyFile.empty() && !said()) {
    const auto variable = [](const char* name) {
      const char* text = std::getenv(name);
      return std::string(text == nullptr ? "" : text);
    };
    arguments.keyFile = variable("TUTTI_KEY_FILE");
    if (arguments.keyFile.empty()) {
      arguments.certificates = {variable("TUTTI_CERTIFICATE"), variable("TUTTI_PRIVATE_KEY"),
                                variable("TUTTI_TRUSTED_CERTIFICATES")};
    }
  }
  if (said() && (certificate.empty() || privateKey.empty() || trusted.empty())) {
    return "--certificate, --private-key and --trusted-certificates belong together";
  }
  if (said() && !arguments.keyFile.empty()) {
    return "nodes prove who they are either with --key-file or with certificates";
  }
  for (std::string* file : {&arguments.keyFile, &certificate, &privateKey, &trusted}) {
    if (!file->empty()) *file = std::filesystem::absolute(*file).string();
  }
  return std::nullopt;
}

/// The arguments, or the exit code when they are wrong.
std::optional<int> parse(const std::vector<std::string>& words, Arguments& arguments) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string* {
      return i + 1 < words.size() ? &words[++i] : nullptr;
    };
    if (word == "--help" || word == "-h") {
      arguments.mode = Arguments::Mode::Help;
    } else if (word == "--status") {
      arguments.mode = Arguments::Mode::Status;
    } else if (word == "--stop") {
      arguments.mode = Arguments::Mode::Stop;
    } else if (word == "--daemon") {
      arguments.daemon = true;
    } else if (word == "--stay") {
      arguments.stay = true;
    } else if (word == "--json") {
      arguments.json = true;
    } else if (word == "--shm") {
      const std::string* name = value();
      if (name == nullptr || name->empty()) return wrongUse("--shm needs a name");
      arguments.name = *name;
    } else if (word == "--stop-time") {
      arguments.stopTime = number(value());
      if (!arguments.stopTime) return wrongUse("--stop-time needs a logical time, such as 120.5");
    } else if (word == "--pace") {
      const auto pace = number(value());
      if (!pace) return wrongUse("--pace needs units of logical time per second, such as 2.5");
      if (auto wrong = tutti::executive::Pace::whatIsWrong(*pace); !wrong.empty()) {
        return wrongUse("--pace: " + wrong);
      }
      arguments.pace = *pace;
    } else if (word == "--listen" || word == "--link") {
      const std::string* text = value();
      auto address = tutti::pipes::parseAddress(text != nullptr ? *text : "");
      if (!address) return wrongUse(word + ": " + address.error());
      (word == "--listen" ? arguments.listenAt : arguments.linkTo) = *address;
    } else if (word == "--key-file" || word == "--make-key" || word == "--certificate" ||
               word == "--private-key" || word == "--trusted-certificates") {
      const std::string* file = value();
      if (file == nullptr || file->empty()) return wrongUse(word + " needs a file");
      if (word == "--make-key") arguments.mode = Arguments::Mode::MakeKey;
      fileNamed(arguments, word) = *file;
    } else if (word == "--trusted-network") {
      arguments.trustedNetwork = true;
    } else if (word == "--multicast") {
      const std::string* text = value();
      auto group = tutti::node::parseGroup(text != nullptr ? *text : "");
      if (!group) return wrongUse("--multicast: " + group.error());
      arguments.datagrams.multicast = std::move(*group);
    } else if (word == "--bundle") {
      const std::string* text = value();
      const auto bundle = tutti::node::parseBundle(text != nullptr ? *text : "");
      if (!bundle) return wrongUse("--bundle: " + bundle.error());
      arguments.datagrams.bundle = *bundle;
    } else if (word == "--grace") {
      const double seconds = number(value()).value_or(-1);
      if (!(seconds >= 0 && seconds <= longestGrace.count())) {
        return wrongUse("--grace needs a number of seconds from 0 to " +
                        std::to_string(longestGrace.count()) +
                        ": federates wait for an answer no longer than a minute");
      }
      arguments.grace = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    } else if (word == "--longest-wait") {
      constexpr auto most =
          std::chrono::floor<std::chrono::seconds>(tutti::pipes::SessionPipe::mostLongestWait);
      const double seconds = number(value()).value_or(-1);
      if (!(seconds >= 0 && seconds <= most.count())) {
        return wrongUse("--longest-wait needs a number of seconds from 0 to " +
                        std::to_string(most.count()));
      }
      arguments.longestWait = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    } else if (word == "--linger") {
      const double seconds = number(value()).value_or(-1);
      if (!(seconds >= 0 && seconds <= 1e6)) {
        return wrongUse("--linger needs a number of seconds from 0 to 1000000");
      }
      arguments.linger = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    } else {
      return wrongUse("'" + word + "' is no option");
    }
  }
  if (const auto wrong = checkSecurity(arguments)) return wrongUse(*wrong);
  if (arguments.listenAt && arguments.linkTo) {
    return wrongUse("a node either listens for others or is linked to one: --listen or --link");
  }
  return std::nullopt;
}

/// Becomes readable when this process is asked to end.
UniqueFd endSignals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  return UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

/// Null: nobody has to prove anything.
tl::expected<std::shared_ptr<const tutti::pipes::Security>, std::string> securityOf(
    const Arguments& arguments) {
  using tutti::pipes::Security;
  if (!arguments.keyFile.empty()) return Security::fromKeyFile(arguments.keyFile);
  if (!arguments.certificates.certificate.empty()) {
    return Security::fromCertificates(arguments.certificates);
  }
  return nullptr;
}

int makeKey(const std::string& file) {
  if (auto made = tutti::pipes::makeKeyFile(file); !made) {
    std::fprintf(stderr, "tutti-rti: %s\n", made.error().c_str());
    return exitFailed;
  }
  std::printf(
      "made the key %s. Copy it to the other hosts over a safe way, for your own user only (mode "
      "600), and name it there and here: tutti-rti --key-file FILE, for federates "
      "TUTTI_KEY_FILE=FILE\n",
      file.c_str());
  return 0;
}

int serve(const Arguments& arguments, const std::string& name,
          const std::function<void(const Node::Error*)>& report) {
  tutti::node::startLog(arguments.daemon ? name : "");

  const UniqueFd end = endSignals();
  ::signal(SIGPIPE, SIG_IGN);
  NodeOptions options;
  options.name = name;
  options.linger = arguments.linger;
  options.stay = arguments.stay;
  options.stopTime = arguments.stopTime;
  options.pace = arguments.pace;
  options.listenAt = arguments.listenAt;
  options.linkTo = arguments.linkTo;
  options.grace = arguments.grace;
  options.longestWait = arguments.longestWait;
  options.datagrams = arguments.datagrams;
  const char* mesh = std::getenv("TUTTI_MESH");
  options.mesh = mesh == nullptr || std::string_view(mesh) != "0";
  options.stopTimeReached = [](const std::string&) {
    std::puts("stop time reached");
    std::fflush(stdout);
  };
  if (arguments.daemon && !arguments.stay) options.firstConnection = daemonPatience;
  options.trustedNetwork = arguments.trustedNetwork;
  if (arguments.listenAt || arguments.linkTo) {
    auto security = securityOf(arguments);
    if (!security) {
      const Node::Error error{false, security.error()};
      report(&error);
      return exitFailed;
    }
    options.security = std::move(*security);
  }
  auto node = Node::listen(options);
  if (!node) {
    report(&node.error());
    return exitFailed;
  }
  if (const auto* address = (*node)->address()) {
    std::printf("listens at %s\n", address->text().c_str());
  }
  report(nullptr);
  (*node)->serve(end.get());
  return 0;
}

int showStatus(const Arguments& arguments) {
  std::vector<std::string> names = tutti::observe::runningNodes();
  if (arguments.name) names = {*arguments.name};
  std::vector<tutti::node::NodeStatus> nodes;
  bool failed = false;
  for (const std::string& name : names) {
    auto node = NodeClient::connect(name).and_then(
        [](NodeClient client) { return client.statusAndLinks(); });
    if (node) {
      nodes.push_back(
          {std::move(node->status), std::move(node->links), std::move(node->neighbours)});
    } else {
      complain(node.error());
      failed = true;
    }
  }
  if (arguments.json) {
    std::fputs(tutti::node::statusJson(nodes).c_str(), stdout);
  } else {
    for (const auto& one : nodes) std::fputs(tutti::node::statusText(one).c_str(), stdout);
    if (names.empty()) std::puts("no RTI node of this user is running on this machine");
  }
  return failed ? exitFailed : 0;
}

int stopNode(const std::string& name) {
  auto stopped =
      NodeClient::connect(name).and_then([](NodeClient client) { return client.stop(); });
  if (stopped) return 0;
  complain(stopped.error());
  return exitFailed;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (auto datagrams = tutti::node::DatagramOptions::fromEnvironment()) {
    arguments.datagrams = std::move(*datagrams);
  } else {
    complain(datagrams.error());
    return exitUsage;
  }
  if (const auto code = parse({argv + 1, argv + argc}, arguments)) return *code;
  const std::string name = arguments.name.value_or("default");
  switch (arguments.mode) {
    case Arguments::Mode::Help:
      std::fputs(usage, stdout);
      return 0;
    case Arguments::Mode::Status:
      return showStatus(arguments);
    case Arguments::Mode::Stop:
      return stopNode(name);
    case Arguments::Mode::MakeKey:
      return makeKey(arguments.keyFile);
    case Arguments::Mode::Serve:
      break;
  }
  if (arguments.daemon) {
    return tutti::node::runDetached(name, [&](const auto& report) {
      return serve(arguments, name, [&](const Node::Error* error) {
        // Whoever needs a node is as well served by one that came first.
        report(error == nullptr || error->nameTaken ? "" : error->text);
      });
    });
  }
  return serve(arguments, name, [&](const Node::Error* error) {
    if (error != nullptr) {
      complain(error->text);
    } else {
      std::puts("ready");
      std::fflush(stdout);
    }
  });
}
