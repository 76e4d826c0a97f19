// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QStringList>
#include <QTest>

#include "app/console.h"

namespace tutti::test {

/// The title, the detail and the buttons of each trouble of the run.
inline QStringList problemsOf(app::Console& console) {
  QStringList result;
  for (const auto& one : console.run().troubles()) {
    result << one.title + u'\n' + one.detail;
    for (const auto& action : one.actions) result.back() += u'\n' + action.text;
  }
  return result;
}

/// The same of the cards in the pane "Problems" of the page Run. TUTTI_SHOTS=FOLDER keeps a picture
/// of the window, named by the test; TUTTI_APPEARANCE=dark in dark.
inline QStringList problemsOnScreen(app::Console& console) {
  console.window().showPage(QStringLiteral("run"));
  const QString test = QString::fromLatin1(QTest::currentTestFunction()) + u'-' +
                       QString::fromLatin1(QTest::currentDataTag()).replace(u' ', u'-');
  const QString file = qEnvironmentVariable("TUTTI_SHOTS") + u'/' + test + QStringLiteral(".png");
  if (qEnvironmentVariableIsSet("TUTTI_SHOTS") && !QFile::exists(file)) {
    if (qEnvironmentVariable("TUTTI_APPEARANCE") == QStringLiteral("dark"))
      console.theme().apply(theme::Appearance::Dark);
    console.window().grab().save(file);
  }
  QStringList result;
  for (const auto* card : console.window().findChildren<QWidget*>(QStringLiteral("problemCard"))) {
    if (!card->isVisible()) continue;
    const auto text = [&](const char* name) {
      return card->findChild<QLabel*>(QString::fromLatin1(name))->text();
    };
    result << text("problemTitle") + u'\n' + text("problemDetail");
    for (const auto* button : card->findChildren<QPushButton*>())
      result.back() += u'\n' + button->text();
  }
  return result;
}

/// Whether the line above the title of a card names that host.
inline bool isHostOnScreen(app::Console& console, const QString& host) {
  for (const auto* label : console.window().findChildren<QLabel*>(QStringLiteral("problemCaption")))
    if (label->isVisible() && label->text().contains(QStringLiteral("  ·  %1  ·  ").arg(host)))
      return true;
  return false;
}

}  // namespace tutti::test
