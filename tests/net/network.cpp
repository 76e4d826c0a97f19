// SPDX-License-Identifier: GPL-3.0-or-later
#include "network.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "cutter.h"

namespace tutti::test {

using fabric::UniqueFd;

namespace {

void check(bool done, const char* what) {
  if (done) return;
  qFatal(
      "hosts in namespaces: %s: %s. These tests need root (CAP_NET_ADMIN and CAP_SYS_ADMIN), the "
      "package iproute2, bridge and veth in the kernel, and /dev/net/tun",
      what, std::strerror(errno));
}

UniqueFd opened(const char* path) { return UniqueFd(::open(path, O_RDONLY | O_CLOEXEC)); }

/// Mounts an empty directory over `own`. Programs and files of the tests stay where they are, also
/// when the project lies below it.
void cover(const QString& own) {
  struct Kept {
    QString path;
    UniqueFd directory;
  };
  std::vector<Kept> kept;
  for (const char* const path : {TUTTI_SOURCE_DIR, TUTTI_BINARY_DIR}) {
    const QString real = QFileInfo(QString::fromUtf8(path)).canonicalFilePath();
    if (!real.startsWith(own + '/')) continue;
    kept.push_back({real, UniqueFd(::open(QFile::encodeName(real).constData(),
                                          O_PATH | O_DIRECTORY | O_CLOEXEC))});
    check(static_cast<bool>(kept.back().directory), "the project's directory cannot be opened");
  }
  const QByteArray place = QFile::encodeName(own);
  check(::mount("tmpfs", place.constData(), "tmpfs", 0, "size=64m") == 0,
        "no tmpfs can be mounted");
  for (const Kept& one : kept) {
    const QByteArray from = "/proc/thread-self/fd/" + QByteArray::number(one.directory.get());
    check(QDir().mkpath(one.path) &&
              ::mount(from.constData(), QFile::encodeName(one.path).constData(), nullptr,
                      MS_BIND | MS_REC, nullptr) == 0,
          "the project's directory cannot be mounted again");
  }
}

QString port(int host) { return QString("port%1").arg(host); }

}  // namespace

UniqueFd tap(const QByteArray& name) {
  UniqueFd device(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  check(bool(device), "/dev/net/tun cannot be opened");
  ifreq request{};
  std::strncpy(request.ifr_name, name.constData(), sizeof request.ifr_name - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  check(::ioctl(device.get(), TUNSETIFF, &request) == 0, "a TAP device cannot be made");
  return device;
}

QString hardwareAddress(int host) {
  return QString("02:00:00:00:00:%1").arg(host + 1, 2, 16, QChar('0'));
}

Network::Visit::Visit(const Place& place) {
  // Only of this thread: the others stay where they are.
  check(::unshare(CLONE_FS) == 0, "a thread cannot have a directory of its own");
  before_.net = opened("/proc/thread-self/ns/net");
  before_.mounts = opened("/proc/thread-self/ns/mnt");
  directory_ = UniqueFd(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  check(::setns(place.net.get(), CLONE_NEWNET) == 0, "a network namespace cannot be entered");
  if (place.mounts) {
    check(::setns(place.mounts.get(), CLONE_NEWNS) == 0, "a mount namespace cannot be entered");
  }
}

Network::Visit::~Visit() {
  check(::setns(before_.net.get(), CLONE_NEWNET) == 0, "the way back is lost");
  check(::setns(before_.mounts.get(), CLONE_NEWNS) == 0, "the way back is lost");
  check(::fchdir(directory_.get()) == 0, "the way back is lost");
}

Network::Place Network::makePlace(bool ownMounts) {
  Place place;
  std::thread([&] {
    check(::unshare(CLONE_NEWNET | (ownMounts ? CLONE_NEWNS : 0)) == 0, "no namespaces");
    place.net = opened("/proc/thread-self/ns/net");
    if (!ownMounts) return;
    check(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "mounts stay shared");
    for (const char* own : {"/dev/shm", "/tmp"}) cover(own);
    place.mounts = opened("/proc/thread-self/ns/mnt");
  }).join();
  return place;
}

void Network::run(const Place& place, const QStringList& commands) {
  const Visit visit(place);
  QProcess ip;
  ip.start("ip", {"-batch", "-"});
  ip.write(commands.join('\n').toUtf8() + '\n');
  ip.closeWriteChannel();
  errno = 0;
  const bool ended = ip.waitForFinished(20000) && ip.exitCode() == 0;
  check(ended, ("ip: " + commands.join("; ").toUtf8() + ": " + ip.errorString().toUtf8() + ' ' +
                ip.readAllStandardError())
                   .constData());
}

Network::Network(int hosts, Cable cable, unsigned seed) : cable_(cable) {
  check(::geteuid() == 0, "not root");
  bridge_ = makePlace(false);
  // Snooping off: multicast reaches every host.
  run(bridge_, {"link add bridge0 type bridge mcast_snooping 0", "link set bridge0 up"});
  std::vector<Relay::Ends> cables;
  for (int host = 0; host < hosts; ++host) {
    hosts_.push_back(makePlace(true));
    const Place& place = hosts_.back();
    if (cable.isPerfect()) {
      run(bridge_, {QString("link add %1 type veth peer name eth0 netns /proc/%2/fd/%3")
                        .arg(port(host))
                        .arg(::getpid())
                        .arg(place.net.get())});
    } else {
      Relay::Ends ends;
      {
        const Visit visit(place);
        ends.host = tap("eth0");
      }
      {
        const Visit visit(bridge_);
        ends.bridge = tap(port(host).toUtf8());
      }
      cables.push_back(std::move(ends));
    }
    run(bridge_, {QString("link set %1 master bridge0 up").arg(port(host))});
    QStringList commands{"link set lo up",
                         QString("link set eth0 address %1").arg(hardwareAddress(host)),
                         QString("addr add %1/24 dev eth0").arg(address(host)), "link set eth0 up",
                         "route add 224.0.0.0/4 dev eth0"};
    // Questions for addresses would be lost like anything else, and asked again only after 1 s.
    for (int other = 0; other < hosts; ++other) {
      if (other == host) continue;
      commands << QString("neigh add %1 lladdr %2 dev eth0 nud permanent")
                      .arg(address(other), hardwareAddress(other));
    }
    run(place, commands);
  }
  if (!cables.empty()) relay_ = std::make_unique<Relay>(std::move(cables), cable, seed);
}

Network::~Network() = default;

void Network::cut(int host) { run(bridge_, {QString("link set %1 down").arg(port(host))}); }

void Network::takeDown(int host) { run(hosts_.at(std::size_t(host)), {"link set eth0 down"}); }
void Network::bringUp(int host) { run(hosts_.at(std::size_t(host)), {"link set eth0 up"}); }

void Network::separate(int one, int other) {
  for (const int host : {one, other}) {
    run(bridge_, {QString("link set %1 type bridge_slave isolated on").arg(port(host))});
  }
}

void Network::unite(int one, int other) {
  for (const int host : {one, other}) {
    run(bridge_, {QString("link set %1 type bridge_slave isolated off").arg(port(host))});
  }
}

void Network::join(int host) { run(bridge_, {QString("link set %1 up").arg(port(host))}); }

}  // namespace tutti::test
