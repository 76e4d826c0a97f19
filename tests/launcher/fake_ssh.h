// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QFile>
#include <QTest>

namespace tutti::launcher::test {

/// A program `ssh` that carries out commands here, with a cache of its own for each destination.
/// Destinations with "down" in them do not answer, those with "mute" say nothing for a minute,
/// "late" ones have a clock that is 3 s ahead, and "bare" ones have none of the files that this
/// machine has. A file DESTINATION/cut beside the program, and that one does not answer any more;
/// DESTINATION/hold, and what it was asked waits until the file goes, with a line for each in
/// DESTINATION/held. A program DESTINATION/liar answers in its place, and is given the command as
/// one argument.
inline void makeFakeSsh(const QString& folder) {
  QDir().mkpath(folder);
  QFile file(folder + QStringLiteral("/ssh"));
  if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(file.fileName()));
  file.write(R"(#!/bin/sh
case " $* " in *" -G "*)
  for name; do :; done; echo "hostname $name.lab"; echo user me; exit 0 ;;
esac
while [ "$1" != -- ]; do shift; done
host=$2; shift 2
export XDG_CACHE_HOME="$(dirname "$0")/$host/cache" XDG_STATE_HOME="$(dirname "$0")/$host/state"
export SSH_CONNECTION="127.0.0.1 1 127.0.0.2 22"
mkdir -p "$XDG_CACHE_HOME"
own="$(dirname "$0")/$host"
if [ -e "$own/cut" ]; then echo "ssh: connect to host $host port 22: No route to host" >&2; exit 255; fi
if [ -e "$own/hold" ]; then echo held >> "$own/held"; fi
while [ -e "$own/hold" ]; do sleep 0.02; done
if [ -x "$own/liar" ]; then exec "$own/liar" "$*"; fi
case $host in
  *down*) echo "ssh: connect to host $host port 22: Connection timed out" >&2; exit 255 ;;
  *mute*) exec sleep 60 ;;
  *late*) sh -c "$*" | awk '/^(began|ended) /{ printf "%s %.6f\n", $1, $2 + 3; next } { print }' ;;
  *bare*)
    case "$*" in
      *sha256sum*) sh -c "$*" | awk '/^same$/ { print; skip = 1; next } /^copied$/ { skip = 0 }
                                     !skip { print }' ;;
      *) exec sh -c "$*" ;;
    esac ;;
  *) exec sh -c "$*" ;;
esac
)");
  file.close();
  file.setPermissions(file.permissions() | QFile::ExeOwner | QFile::ExeUser);
  qputenv("PATH", (folder + ':' + qEnvironmentVariable("PATH")).toUtf8());
}

}  // namespace tutti::launcher::test
