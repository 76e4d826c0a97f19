// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/resource.h>
#include <unistd.h>

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <cerrno>
#include <cstring>

#include "app/cli/verb.h"
#include "composer/model/catalog.h"
#include "fom-editor/model/modules_command.h"
#include "launcher/engine/launch_plan.h"

namespace {

using namespace tutti;
using namespace tutti::app;

/// How long the sample runs where nobody can press Stop.
constexpr int sampleSeconds = 20;
constexpr int longestProbe = 20000;  ///< ms

/// Nothing when the console can open its window here, else why not.
std::optional<QString> whyNoWindow(const std::optional<QString>& console) {
  if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
    return QStringLiteral("there is no display");
  if (!console) return QStringLiteral("the program tutti-console is not beside this one");
  QProcess probe;
  probe.setProcessChannelMode(QProcess::MergedChannels);
  probe.setChildProcessModifier([] {
    const rlimit none{0, 0};  // Qt ends a program without a display with a core dump.
    ::setrlimit(RLIMIT_CORE, &none);
  });
  probe.start(*console, {QStringLiteral("--probe-display")});
  const bool ended = probe.waitForFinished(longestProbe);
  if (ended && probe.exitStatus() == QProcess::NormalExit && probe.exitCode() == 0) return {};
  if (!ended) probe.kill();
  const QString display = qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")
                              ? qEnvironmentVariable("DISPLAY")
                              : qEnvironmentVariable("WAYLAND_DISPLAY");
  return ended ? QStringLiteral("no window can be opened on display %1").arg(display)
               : QStringLiteral("the display %1 does not answer").arg(display);
}

int run(Invocation& invocation) {
  if (invocation.arguments.size() > 1)
    return invocation.usage(QStringLiteral("open"), QStringLiteral("one composition at a time"));
  const bool given = !invocation.arguments.isEmpty();
  QString file = invocation.arguments.value(0);
  const bool isFolder = QFileInfo(file).isDir();
  if (given && !isFolder && !QFileInfo(file).isFile())
    return invocation.usage(QStringLiteral("open"),
                            QStringLiteral("there is no file %1").arg(file));
  const auto console = launcher::programOfTutti(QStringLiteral("tutti-console"),
                                                composer::Catalog::binaryFolders());
  const auto noWindow = whyNoWindow(console);
  if (!noWindow) {
    const QByteArray program = QFile::encodeName(*console);
    const QByteArray argument = QFile::encodeName(file);
    const char* const arguments[] = {program.constData(), given ? argument.constData() : nullptr,
                                     nullptr};
    ::execv(program.constData(), const_cast<char* const*>(arguments));
    invocation.err << "tutti open: " << *console << ": " << std::strerror(errno) << Qt::endl;
    return Usage;
  }
  if (isFolder) {
    invocation.err << "tutti: " << *noWindow << ", so the modules of the folder are listed here"
                   << Qt::endl;
    return fomedit::runFomModules({file}, invocation.out, invocation.err);
  }
  if (!given) {
    file = composer::Catalog::federationsFolder() + QStringLiteral("/air-traffic.federation.json");
    if (!QFileInfo(file).isFile())
      return invocation.usage(QStringLiteral("open"),
                              *noWindow + QStringLiteral(", and no sample is installed to run"));
    invocation.arguments = {file, QStringLiteral("--duration"), QString::number(sampleSeconds)};
  }
  invocation.err << "tutti: " << *noWindow
                 << (given ? QStringLiteral(", so the federation runs here")
                           : QStringLiteral(", so the sample runs here for %1 s (tutti help shows "
                                            "more)")
                                 .arg(sampleSeconds))
                 << Qt::endl;
  return findVerb(QStringLiteral("run"))->run(invocation);
}

const RegisterVerb registered{
    {QStringLiteral("open"), QStringLiteral("[FILE|FOLDER]"),
     QStringLiteral("Open the console, or run a composition here when there is no display"),
     QStringLiteral(
         "`tutti FILE` does the same. Of a folder the console shows the FOM modules as one object "
         "model. Without\nFILE the console opens on its start page; where no window can be opened, "
         "the sample runs in the\nterminal for 20 s."),
     &run}};

}  // namespace
