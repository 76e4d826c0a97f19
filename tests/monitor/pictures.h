// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QStandardPaths>
#include <QWidget>
#include <memory>

#include "resources/theme/theme.h"

// Pictures of pages, for people to look at: TUTTI_SHOTS=FOLDER keeps them, TUTTI_APPEARANCE=dark
// has them dark.
namespace tutti::monitor::test {

/// The theme of a test program, which writes to no folder of its user.
inline std::unique_ptr<theme::Theme> makeTheme() {
  QStandardPaths::setTestModeEnabled(true);
  auto theme = std::make_unique<theme::Theme>();
  theme->apply(qEnvironmentVariable("TUTTI_APPEARANCE") == QStringLiteral("dark")
                   ? theme::Appearance::Dark
                   : theme::Appearance::Light);
  return theme;
}

inline bool keepsPictures() { return !qEnvironmentVariableIsEmpty("TUTTI_SHOTS"); }

inline void keepPicture(QWidget& shown, const QString& name) {
  if (!keepsPictures()) return;
  const QString folder = qEnvironmentVariable("TUTTI_SHOTS");
  QDir().mkpath(folder);
  shown.grab().save(folder + u'/' + name + QStringLiteral(".png"));
}

}  // namespace tutti::monitor::test
