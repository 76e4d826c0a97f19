// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>
#include <QFileInfo>
#include <QTextStream>
#include <cstdio>

#include "app/cli/terminal_output.h"
#include "app/cli/verb.h"

int main(int argc, char** argv) {
  QCoreApplication application{argc, argv};
  QCoreApplication::setApplicationName(QStringLiteral("tutti"));
  QCoreApplication::setApplicationVersion(QStringLiteral(TUTTI_VERSION));
  tutti::app::TerminalOutput standardOutput{stdout};
  tutti::app::TerminalOutput standardError{stderr};
  QTextStream out{&standardOutput};
  QTextStream err{&standardError};

  QStringList arguments = QCoreApplication::arguments().mid(1);
  const bool json = arguments.removeAll(QStringLiteral("--json")) > 0;
  QString name = arguments.isEmpty() ? QStringLiteral("help") : arguments.takeFirst();
  if (name == QStringLiteral("--help") || name == QStringLiteral("-h"))
    name = QStringLiteral("help");
  if (arguments.contains(QStringLiteral("--help")) || arguments.contains(QStringLiteral("-h"))) {
    arguments = {name};
    name = QStringLiteral("help");
  }
  if (name == QStringLiteral("--version") || name == QStringLiteral("-v")) {
    out << "tutti " TUTTI_VERSION << Qt::endl;
    return tutti::app::Ok;
  }
  if (!tutti::app::findVerb(name) && QFileInfo::exists(name)) {
    arguments.prepend(name);
    name = QStringLiteral("open");
  }
  tutti::app::Invocation invocation{arguments, json, out, err};
  const tutti::app::Verb* verb = tutti::app::findVerb(name);
  if (!verb) {
    QStringList known;
    for (const auto& each : tutti::app::verbs()) known.append(each.name);
    if (json) {
      invocation.print(
          {{"error", QStringLiteral("There is no verb \"%1\".").arg(name).toStdString()}});
    } else {
      err << "tutti: there is no verb \"" << name << "\"; there are "
          << known.join(QStringLiteral(", ")) << Qt::endl;
    }
    return tutti::app::Usage;
  }
  return verb->run(invocation);
}
