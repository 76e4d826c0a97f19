// SPDX-License-Identifier: GPL-3.0-or-later
// The Compose page over a real document: what a person does with mouse and keyboard, checked
// against the document and the file, and back.
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QGraphicsView>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QRandomGenerator>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <memory>

#include "composer/model/document.h"
#include "composer/ui/canvas_scene.h"
#include "composer/ui/canvas_view.h"
#include "composer/ui/catalog_pane.h"
#include "composer/ui/compose_workspace.h"
#include "composer/ui/outline_pane.h"
#include "composer/ui/problems_pane.h"
#include "composer/ui/property_panel.h"
#include "resources/theme/delegates.h"
#include "resources/theme/theme.h"

using namespace tutti;
using namespace tutti::composer;

namespace {

QString airTraffic() {
  return QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json");
}

[[maybe_unused]] QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The page on its own, as wide as in the window.
struct Page {
  QTemporaryDir folder;
  theme::Theme theme;
  Document document{Catalog::read({QStringLiteral(TUTTI_SOURCE_DIR "/resources/components")})};
  std::unique_ptr<ComposeWorkspace> page;

  explicit Page(const QString& file = airTraffic()) {
    theme.apply(theme::Appearance::Light);
    theme::setReducedMotion(true);
    if (!file.isEmpty()) {
      const auto loaded = document.load(file);
      if (!loaded) qFatal("%s", qPrintable(loaded.error().message()));
    }
    page = std::make_unique<ComposeWorkspace>(document);
    page->resize(1368, 780);
    page->show();
    page->activateWindow();
    if (!QTest::qWaitForWindowActive(page.get())) qWarning("the page did not get active");
    settle();
  }
  void settle() {
    QTest::qWait(0);
    page->scene()->sync();
    QTest::qWait(0);
  }
  CanvasScene& scene() { return *page->scene(); }
  CanvasView& canvas() { return *page->canvas(); }
  NodeItem* node(const char* id) { return scene().node(QString::fromLatin1(id)); }
  /// Where the header of a box is, in the viewport.
  QPoint at(const char* id) {
    return canvas().mapFromScene(node(id)->frame().topLeft() + QPointF(60, 12));
  }
  void click(const char* id, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mouseClick(canvas().viewport(), Qt::LeftButton, modifiers, at(id));
  }
  void drag(const QPoint& from, const QPoint& by) {
    QWidget* target = canvas().viewport();
    QTest::mousePress(target, Qt::LeftButton, {}, from);
    for (int step = 1; step <= 10; ++step) QTest::mouseMove(target, from + by * step / 10);
    QTest::mouseRelease(target, Qt::LeftButton, {}, from + by);
  }
  bool hasEdge(const QString& className, const char* from, const char* to) {
    for (EdgeItem* edge : scene().edges())
      if (edge->flow().className.endsWith(className) && edge->flow().from == QLatin1String(from) &&
          edge->flow().to == QLatin1String(to))
        return true;
    return false;
  }
  void key(int key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&canvas(), static_cast<Qt::Key>(key), modifiers);
  }
  void shot(const char* name) {
    const QString path = QStringLiteral(TUTTI_BINARY_DIR "/screenshots");
    QDir().mkpath(path);
    page->grab().save(QStringLiteral("%1/compose-%2.png").arg(path, QLatin1String(name)));
  }
};

}  // namespace

class ComposeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void showsTheSample() {
    Page page;
    QCOMPARE(page.scene().nodes().size(), 6);
    QVERIFY(page.scene().hub(QStringLiteral("HLAobjectRoot.Flight")));
    QVERIFY(page.hasEdge(QStringLiteral("Flight"), "flow-north", ""));
    QVERIFY(page.hasEdge(QStringLiteral("Flight"), "", "radar-west"));
    QTRY_VERIFY(!page.document.isChecking());
    page.shot("sample");
    page.theme.apply(theme::Appearance::Dark);
    QTest::qWait(0);
    page.shot("sample-dark");
    page.theme.apply(theme::Appearance::Light);
  }

  void clickSelectsEverywhere() {
    Page page;
    page.click("radar-west");
    QCOMPARE(page.page->selection().single(), QStringLiteral("radar-west"));
    QTRY_COMPARE(page.page->findChild<QLabel*>(QStringLiteral("propertyTitle"))->text(),
                 QStringLiteral("radar-west"));
    const QModelIndexList rows = page.page->outline()->selectionModel()->selectedIndexes();
    QCOMPARE(rows.size(), 1);
    QCOMPARE(rows.first().data().toString(), QStringLiteral("radar-west"));
    page.shot("selected");
    // What does not concern it steps back, what it receives does not.
    for (EdgeItem* edge : page.scene().edges())
      QCOMPARE(edge->isDimmed(), !(edge->flow().from == QStringLiteral("radar-west") ||
                                   edge->flow().to == QStringLiteral("radar-west") ||
                                   (edge->flow().to.isEmpty() &&
                                    edge->flow().className.endsWith(QStringLiteral("Flight")))));
  }
};

QTEST_MAIN(ComposeTest)
#include "tst_compose.moc"
