// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+K in the whole console: whatever can be pressed or chosen on a page is found by its words.
#include <QAction>
#include <QMenu>
#include <QPushButton>
#include <QTest>

#include "app/console.h"
#include "app/finder.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "resources/theme/workspace.h"
#include "tests/app/test_home.h"

using namespace tutti;

namespace {

QString plain(QString text) { return text.remove(u'&').trimmed(); }

/// What mends a finding of the pre-flight checks is pressed beside the finding, and depends on the
/// machine.
bool mendsAFinding(const QPushButton& button) {
  return button.objectName() == QStringLiteral("fix") ||
         button.objectName() == QStringLiteral("showFederate");
}

/// Texts of the buttons in sight of a page, and of what its menus hold.
QSet<QString> offeredBy(const theme::Workspace& page) {
  QSet<QString> result;
  for (const auto* button : page.findChildren<QPushButton*>())
    if (button->isVisible() && button->isEnabled() && !mendsAFinding(*button))
      result << plain(button->text());
  for (const auto* menu : page.findChildren<QMenu*>())
    for (const QAction* action : menu->actions())
      if (!action->isSeparator() && !action->menu() && action->isVisible() && action->isEnabled())
        result << plain(action->text());
  result.remove({});
  return result;
}

}  // namespace

class FindTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(home_.prepare()); }

  void whatAPageOffersIsFound() {
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(window.openFile(composer::Catalog::federationsFolder() +
                            QStringLiteral("/air-traffic.federation.json")));
    QTRY_VERIFY_WITH_TIMEOUT(!console.document().isChecking(), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(!console.objectModel().isLoading(), 20000);
    QTRY_VERIFY2_WITH_TIMEOUT(console.run().whyNotRun().isEmpty(),
                              qPrintable(console.run().whyNotRun()), 20000);
    QStringList missing;
    for (const char* id : {"compose", "object-model", "deploy", "run", "benchmarks"}) {
      QVERIFY(window.showPage(QString::fromLatin1(id)));
      QTRY_VERIFY(window.currentPage()->isVisible());
      const QSet<QString> offered = offeredBy(*window.currentPage());
      QVERIFY2(!offered.isEmpty(), id);
      for (const QString& each : offered) {
        // Beside what it belongs to a button says less than the action of the same thing.
        const QString whole = actions_.value(each, each);
        if (!isFound(window, whole)) missing << QString::fromLatin1(id) + u' ' + whole;
      }
    }
    missing.sort();
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QStringLiteral("\n"))));
    // Classes, federates and components are things to be found, too.
    for (const QString& thing :
         {QStringLiteral("Flight"), QStringLiteral("radar-west"), QStringLiteral("Add ping")})
      QVERIFY2(isFound(window, thing), qPrintable(thing));
  }

 private:
  static bool isFound(app::MainWindow& window, const QString& title) {
    window.findField()->open();
    window.findField()->setText(title);
    const QAbstractItemModel* model = window.findField()->model();
    bool result = false;
    for (int row = 0; row < model->rowCount() && !result; ++row)
      result = plain(model->index(row, 0).data().toString()) == title;
    window.findField()->clear();
    return result;
  }

  const QMap<QString, QString> actions_{
      {QStringLiteral("Add…"), QStringLiteral("Add a FOM module…")},
      {QStringLiteral("Attribute"), QStringLiteral("Add an attribute")},
      {QStringLiteral("Compose from needs"), QStringLiteral("Compose from needs…")},
      {QStringLiteral("Write plan…"), QStringLiteral("Write launch plan…")},
      {QStringLiteral("Run air-traffic"), QStringLiteral("Run")}};
  test::TestHome home_;
};

QTEST_MAIN(FindTest)
#include "tst_find.moc"
