// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <algorithm>
#include <set>

#include "launcher/engine/hosts_import.h"
#include "launcher/engine/other_program.h"

namespace tutti::launcher {

namespace {

using composer::Error;

constexpr qint64 mostBytesOfFile = 1 << 20;
constexpr int mostFiles = 256;
constexpr int deepestInclude = 16;  // as ssh
constexpr std::size_t mostHosts = 1000;
constexpr int longestAnswerMs = 10'000;  // a name may be looked up (CanonicalizeHostname)
constexpr qsizetype mostAnswer = 1 << 18;

/// The words of a line of ssh_config(5): keyword, blanks or one '=', arguments, some in quotes.
QStringList wordsOf(const QString& line) {
  QStringList words;
  QString word;
  bool quoted = false;
  bool begun = false;
  for (const QChar each : line) {
    if (each == u'"') {
      quoted = !quoted;
      begun = true;
    } else if (!quoted && (each.isSpace() || (each == u'=' && words.isEmpty()))) {
      if (begun) words << word;
      word.clear();
      begun = false;
    } else if (!quoted && !begun && each == u'#') {
      return words;
    } else {
      word += each;
      begun = true;
    }
  }
  if (begun) words << word;
  if (words.size() > 1 && words[1] == QStringLiteral("=")) words.removeAt(1);
  return words;
}

/// Gathers the names after `Host`, with those of included files.
class Names {
 public:
  std::set<QString> all;

  tl::expected<void, Error> read(const QString& path, int depth = 0) {
    if (++files_ > mostFiles || depth > deepestInclude) {
      return tl::unexpected(
          Error{path, 0, {}, QStringLiteral("Too many files include each other."), {}});
    }
    QFile file{path};
    if (!QFileInfo{path}.isFile() || !file.open(QIODevice::ReadOnly)) {
      return tl::unexpected(
          Error{path,
                0,
                {},
                QStringLiteral("The ssh configuration cannot be read: %1.")
                    .arg(QFileInfo::exists(path) ? file.errorString()
                                                 : QStringLiteral("there is no such file")),
                {}});
    }
    const QByteArray bytes = file.read(mostBytesOfFile + 1);
    if (bytes.size() > mostBytesOfFile)
      return tl::unexpected(
          Error{path, 0, {}, QStringLiteral("The file is larger than 1 MiB."), {}});
    for (const QByteArray& line : bytes.split('\n')) {
      const QStringList words = wordsOf(QString::fromUtf8(line).trimmed());
      if (words.isEmpty()) continue;
      const QString keyword = words.front().toLower();
      if (keyword == QStringLiteral("host")) {
        for (const QString& name : words.mid(1)) {
          if (!name.contains(u'*') && !name.contains(u'?') && !name.startsWith(u'!'))
            all.insert(name);
        }
      } else if (keyword == QStringLiteral("include")) {
        for (const QString& pattern : words.mid(1)) {
          for (const QString& included : matching(pattern)) {
            // ssh leaves out what it cannot read; so do we.
            if (QFileInfo{included}.isReadable() && QFileInfo{included}.isFile()) {
              if (const auto done = read(included, depth + 1); !done) return done;
            }
          }
        }
      }
    }
    return {};
  }

 private:
  /// Wildcards in the last part of a path, which are those there are in practice.
  static QStringList matching(QString pattern) {
    const QString home = QDir::homePath();
    if (pattern.startsWith(QStringLiteral("~/"))) pattern = home + pattern.mid(1);
    if (!pattern.startsWith(u'/')) pattern = home + QStringLiteral("/.ssh/") + pattern;
    const QFileInfo whole{pattern};
    QStringList result;
    for (const QString& name : whole.dir().entryList({whole.fileName()}, QDir::Files, QDir::Name))
      result << whole.dir().filePath(name);
    return result;
  }

  int files_ = 0;
};

/// The settings that `ssh -G` prints, by keyword in lower case; several of one are lines.
QHash<QString, QStringList> settingsOf(const QByteArray& output) {
  QHash<QString, QStringList> settings;
  for (const QByteArray& line : output.split('\n')) {
    const auto blank = line.indexOf(' ');
    if (blank > 0)
      settings[QString::fromUtf8(line.left(blank)).toLower()]
          << QString::fromUtf8(line.mid(blank + 1));
  }
  return settings;
}

bool isWholePath(const QString& file) {
  return (file.startsWith(u'/') || file.startsWith(QStringLiteral("~/"))) && !file.contains(u' ');
}

}  // namespace

tl::expected<SshHosts, Error> hostsOfSshConfig(const QString& file) {
  const bool own = file.isEmpty();
  const QString path =
      own ? QDir::homePath() + QStringLiteral("/.ssh/config") : QFileInfo{file}.absoluteFilePath();
  Names names;
  if (const auto read = names.read(path); !read) return tl::unexpected(read.error());
  if (names.all.size() > mostHosts) {
    return tl::unexpected(
        Error{path, 0, {}, QStringLiteral("The file has more than %1 hosts.").arg(mostHosts), {}});
  }
  SshHosts result;
  for (const QString& name : names.all) {
    const auto leave = [&](const QString& why) {
      result.left << QStringLiteral("%1 is left out: %2").arg(name, why);
    };
    QString fault = faultOfName(name);
    if (fault.isEmpty()) fault = faultOfDestination(name);
    if (!fault.isEmpty()) {
      leave(fault);
      continue;
    }
    QStringList arguments{QStringLiteral("-T"), QStringLiteral("-G")};
    if (!own) arguments << QStringLiteral("-F") << path;
    const auto answer = askProgram(QStringLiteral("ssh"), arguments << QStringLiteral("--") << name,
                                   longestAnswerMs, mostAnswer);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->exitCode != 0) {
      return tl::unexpected(
          Error{path,
                0,
                {},
                QStringLiteral("ssh -G %1 failed: %2").arg(name, answer->lastError()),
                QStringLiteral("Correct the ssh configuration.")});
    }
    const auto settings = settingsOf(answer->output);
    const auto setting = [&](const char* key) {
      return settings.value(QLatin1String(key)).value(0);
    };
    const auto isSet = [&](const char* key) {
      return !setting(key).isEmpty() && setting(key) != QStringLiteral("none");
    };
    const bool behindProxy = isSet("proxyjump") || isSet("proxycommand");
    const QString hostName = setting("hostname");
    if (hostName.isEmpty() || !faultOfDestination(hostName).isEmpty()) {
      leave(QStringLiteral("ssh gives no host name for it."));
      continue;
    }
    Host host;
    host.name = name;
    if (!behindProxy && hostName != name) host.address = hostName;
    if (own) {
      host.destination = name;
      result.hosts.push_back(host);
      continue;
    }
    if (behindProxy) {
      leave(QStringLiteral("it is reached through a proxy, which only ~/.ssh/config can say."));
      continue;
    }
    const QString user = setting("user");
    host.destination = user.isEmpty() ? hostName : user + u'@' + hostName;
    if (const QString wrong = faultOfDestination(host.destination); !wrong.isEmpty()) {
      leave(wrong);
      continue;
    }
    const int port = setting("port").toInt();
    host.port = port > 0 && port < 65536 && port != 22 ? port : 0;
    // Without a setting ssh lists several defaults.
    const QStringList keys = settings.value(QStringLiteral("identityfile"));
    if (keys.size() == 1 && isWholePath(keys.front())) host.identityFile = keys.front();
    if (isWholePath(setting("userknownhostsfile")))
      host.knownHostsFile = setting("userknownhostsfile");
    result.hosts.push_back(host);
  }
  return result;
}

}  // namespace tutti::launcher
