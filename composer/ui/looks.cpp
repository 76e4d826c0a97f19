// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/looks.h"

#include <QDir>
#include <QFileInfo>
#include <QPainter>

#include "composer/model/command_line.h"
#include "composer/model/document.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"

namespace tutti::composer {

using theme::State;

void makeCosmetic(QPen& pen, const QPainter& painter) {
  pen.setWidthF(pen.widthF() * painter.device()->devicePixelRatioF());
  pen.setCosmetic(true);
}

QString iconOf(const Manifest* manifest) {
  if (!manifest || manifest->icon.isEmpty()) return QStringLiteral("component");
  if (theme::hasIcon(manifest->icon)) return manifest->icon;
  // A manifest may name a file that its folder does not bring but the theme knows.
  const QString base = QFileInfo(manifest->icon).completeBaseName();
  return theme::hasIcon(base) ? base : QStringLiteral("component");
}

State stateOf(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return State::Error;
    case Severity::Warning:
      return State::Warning;
    case Severity::Info:
      break;
  }
  return State::Info;
}

std::optional<State> stateOf(const Document& document, const QString& federateId) {
  const Federate* federate = document.federate(federateId);
  if (federate && !federate->enabled) return State::Disabled;
  std::optional<State> worst;
  for (const Finding& finding : document.findings()) {
    if (finding.where.federate != federateId) continue;
    const State state = stateOf(finding.severity);
    worst = worst ? theme::worse(*worst, state) : state;
  }
  return worst;
}

QString componentText(const Document& document, const QString& federateId) {
  const Federate* federate = document.federate(federateId);
  if (!federate) return {};
  const Manifest* manifest = document.manifestOf(federateId);
  QString text = federate->component + u' ' + (manifest ? manifest->version : federate->version);
  if (federate->count > 1) text += QStringLiteral(" × ") + theme::formatCount(federate->count);
  return text;
}

QString rateText(const std::optional<double>& perSecond) {
  if (!perSecond) return theme::noValue();
  const QString number = theme::formatRate(*perSecond);
  return number + (number.back().isLetter() ? QStringLiteral("/s") : QStringLiteral(" /s"));
}

QString shellPath(const QString& file) {
  const QString home = QDir::homePath() + u'/';
  // The shell expands ~ only where nothing is quoted.
  if (file.startsWith(home) && shellQuoted(file) == file)
    return QStringLiteral("~/") + file.mid(home.size());
  return shellQuoted(file);
}

}  // namespace tutti::composer
