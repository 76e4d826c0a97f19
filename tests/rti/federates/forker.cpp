// SPDX-License-Identifier: GPL-3.0-or-later
// A federate that forks a child, which lives on without becoming another program.
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "federates/role.h"

namespace {

/// Where another thread forks, while the library in this one is in a system call: "connect 1" is in
/// its first connect(), "sendmsg 3" in its third sendmsg(), which has sent, "memory 1" with the
/// first memory that it was given and has not mapped.
struct Interruption {
  QString call;
  std::atomic<int> left{0};
  std::atomic<bool> wanted{false}, done{false};

  void at(const char* name) {
    if (name != call || left.fetch_sub(1) != 1) return;
    wanted = true;
    while (!done) ::usleep(100);
  }
};

Interruption interruption;

}  // namespace

// The library's own calls of these come here.
extern "C" int connect(int socket, const sockaddr* address, socklen_t length) {
  static const auto next = reinterpret_cast<decltype(&connect)>(::dlsym(RTLD_NEXT, "connect"));
  interruption.at("connect");
  return next(socket, address, length);
}

extern "C" ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  static const auto next = reinterpret_cast<decltype(&sendmsg)>(::dlsym(RTLD_NEXT, "sendmsg"));
  const ssize_t result = next(socket, message, flags);
  interruption.at("sendmsg");
  return result;
}

extern "C" int fstat(int descriptor, struct stat* information) {
  static const auto next = reinterpret_cast<decltype(&fstat)>(::dlsym(RTLD_NEXT, "fstat"));
  char name[16] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  if (::readlink(link.c_str(), name, sizeof name - 1) > 0 &&
      std::string_view(name).starts_with("/memfd:tutti-")) {
    interruption.at("memory");
  }
  return next(descriptor, information);
}

namespace federates {

using namespace rti1516e;

namespace {

/// Forks where it is told to, and answers "echo".
class Forker : public Recorder {
 public:
  Forker(bool inCallback, bool immediate)
      : Recorder("forker"), inCallback_(inCallback), immediate_(immediate) {}
  ~Forker() RTI_NOEXCEPT override { end(); }

  /// Does what is asked for on standard input. Does not return.
  [[noreturn]] void serveAsChild() {
    say(QString("child %1").arg(getpid()));
    Input input;
    while (const auto line = input.line()) say(answer(*line));
    _exit(0);
  }

  std::atomic<bool> forkWanted{false};
  bool isChild = false;

  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap& values,
                          const VariableLengthData&, OrderType, TransportationType,
                          SupplementalReceiveInfo) override {
    const auto& value = values.begin()->second;
    const QByteArray text(static_cast<const char*>(value.data()), static_cast<int>(value.size()));
    if (text == "echo") send("Message", {{"text", "echoed"}});
    if (text != "fork") return;
    if (!inCallback_) {
      forkWanted = true;
      return;
    }
    if (::fork() != 0) return;
    // The delivering thread is all that there is in the child.
    if (immediate_) serveAsChild();
    isChild = true;
  }

 private:
  QString answer(const QString& what) {
    try {
      if (what == "publish") {
        rti().publishInteractionClass(message_);
        return "published";
      }
      if (what == "evoke") return rti().evokeCallback(0.0) ? "more callbacks" : "no callback";
      if (what == "join") {
        rti().connect(*this, HLA_EVOKED);
        rti().joinFederationExecution(L"child", L"child", federation_);
        return "joined";
      }
      if (what == "leave") {
        rti().resignFederationExecution(NO_ACTION);
        rti().disconnect();
        return "left";
      }
      if (what == "exit") std::exit(0);
    } catch (const NotConnected& exception) {
      return "NotConnected: " + QString::fromStdWString(exception.what());
    } catch (const CallNotAllowedFromWithinCallback&) {
      return "CallNotAllowedFromWithinCallback";
    }
    return "what is '" + what + "'?";
  }

  bool inCallback_;
  bool immediate_;
  InteractionClassHandle message_;
  std::wstring federation_;

 public:
  void start(const QString& federation) {
    federation_ = federation.toStdWString();
    enter(federation, immediate_ ? HLA_IMMEDIATE : HLA_EVOKED);
    message_ = interactionClass("Message");
    publishInteraction("Message");
    publish("Vehicle", {"position"});
    registerInstance("Vehicle");
    subscribeInteraction("Message");
  }
};

/// Static, so that exit() ends it.
std::unique_ptr<Forker>& forker() {
  static std::unique_ptr<Forker> instance;
  return instance;
}

}  // namespace

/// forker FEDERATION evoked|immediate anywhere|callback|CALL COUNT
int runForker(const QStringList& arguments) {
  const bool immediate = arguments.value(1) == "immediate";
  forker() = std::make_unique<Forker>(arguments.value(2) == "callback", immediate);
  Forker& self = *forker();
  std::thread other;
  if (arguments.size() == 4) {
    interruption.call = arguments[2];
    interruption.left = arguments[3].toInt();
    other = std::thread([&] {
      while (!interruption.wanted) ::usleep(100);
      if (::fork() == 0) self.serveAsChild();
      interruption.done = true;
    });
  }
  self.start(arguments.value(0));
  if (other.joinable()) other.join();
  say("joined");
  for (;;) {
    if (immediate) {
      ::usleep(1000);
    } else {
      self.rti().evokeMultipleCallbacks(0.01, 0.1);
    }
    if (self.forkWanted.exchange(false)) self.isChild = ::fork() == 0;
    if (self.isChild) self.serveAsChild();
  }
}

}  // namespace federates
