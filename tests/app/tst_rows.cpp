// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of every list, table and tree of the window: 24 or 28 px, 36 by setting, and no text is cut
// off at its top or bottom. Pictures of the pages with large rows go to BUILD/screenshots.
#include <QAbstractItemView>
#include <QAction>
#include <QDir>
#include <QHeaderView>
#include <QTest>

#include "app/console.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "resources/theme/rows.h"
#include "tests/app/test_home.h"

using namespace tutti;
using Phase = theme::RunStatus::Phase;

namespace {

/// Heights of the rows in sight of every list, table and tree in sight, by the view's name.
QMap<QString, QSet<int>> rowsInSight(const QWidget& page) {
  QMap<QString, QSet<int>> result;
  for (const auto* view : page.findChildren<QAbstractItemView*>()) {
    if (!view->isVisible() || qobject_cast<const QHeaderView*>(view) || !view->model()) continue;
    for (int y = 4; y < view->viewport()->height(); y += 8) {
      const QModelIndex index = view->indexAt(QPoint(view->viewport()->width() / 2, y));
      if (index.isValid()) result[view->objectName()] << view->visualRect(index).height();
    }
  }
  return result;
}

}  // namespace

class RowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(home_.prepare()); }

  void everyListTableAndTreeFollowsTheSetting() {
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(window.openFile(composer::Catalog::federationsFolder() +
                            QStringLiteral("/air-traffic.federation.json")));
    QTRY_VERIFY_WITH_TIMEOUT(!console.document().isChecking(), 20000);
    window.showPage(QStringLiteral("object-model"));
    QTRY_VERIFY_WITH_TIMEOUT(!console.objectModel().isLoading(), 20000);
    window.showPage(QStringLiteral("object-model"), QStringLiteral("HLAobjectRoot.Flight"));
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 30000);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > 1, 30000);

    auto* large = window.findChild<QAction*>(QStringLiteral("viewLargeRows"));
    QVERIFY(large);
    QVERIFY(!large->isChecked());
    QMap<QString, QMap<QString, QSet<int>>> dense;
    for (const char* page : pages_) {
      QVERIFY(window.showPage(QString::fromLatin1(page)));
      QTest::qWait(300);
      dense[QString::fromLatin1(page)] = rowsInSight(*window.currentPage());
    }
    large->trigger();
    QStringList seen;
    for (const char* page : pages_) {
      QVERIFY(window.showPage(QString::fromLatin1(page)));
      QTest::qWait(700);
      picture(window, page);
      const auto now = rowsInSight(*window.currentPage());
      for (const auto& [view, heights] : dense[QString::fromLatin1(page)].asKeyValueRange()) {
        seen << view;
        for (const int height : heights)
          QVERIFY2(height == 24 || height == 28 || height >= 36,
                   qPrintable(QStringLiteral("%1 has a row of %2 px").arg(view).arg(height)));
        QVERIFY2(now.contains(view), qPrintable(view));
        for (const int height : now[view])
          QVERIFY2(
              height >= 36,
              qPrintable(
                  QStringLiteral("%1 keeps a row of %2 px with large rows").arg(view).arg(height)));
      }
    }
    for (const char* must : {"catalogView", "outline", "moduleList", "outlineTree", "launchOrder",
                             "federatesTable", "logView", "suites"})
      QVERIFY2(seen.contains(QString::fromLatin1(must)),
               qPrintable(
                   QStringLiteral("%1 is not among %2").arg(QLatin1String(must), seen.join(u' '))));
    console.run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 10000);
    QCOMPARE(theme::rowSize(), theme::RowSize::Large);
  }

  /// Runs after the test above: its choice was kept.
  void theChoiceIsKept() {
    theme::setRowSize(theme::RowSize::Dense);
    app::Console console({home_.settings(), true});
    QCOMPARE(theme::rowSize(), theme::RowSize::Large);
    auto* large = console.window().findChild<QAction*>(QStringLiteral("viewLargeRows"));
    QVERIFY(large->isChecked());
    large->trigger();
    QCOMPARE(theme::rowSize(), theme::RowSize::Dense);
  }

 private:
  static void picture(app::MainWindow& window, const char* page) {
    const QString folder = QStringLiteral(TUTTI_BINARY_DIR "/screenshots");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(window.grab().save(QStringLiteral("%1/rows-%2.png").arg(folder, QLatin1String(page))));
  }

  static constexpr const char* pages_[] = {"compose", "object-model", "deploy", "run",
                                           "benchmarks"};
  test::TestHome home_;
};

QTEST_MAIN(RowsTest)
#include "tst_rows.moc"
