// SPDX-License-Identifier: GPL-3.0-or-later
// All pages at the scale that QT_SCALE_FACTOR says, in the window sizes of VISUAL: no text of a
// label, button, tab, field or header is cut off. Pictures go to BUILD/screenshots.
#include <QAction>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QTest>

#include "app/console.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "resources/theme/widgets.h"
#include "tests/app/cut_texts.h"
#include "tests/app/test_home.h"

using namespace tutti;
using Phase = theme::RunStatus::Phase;

class ScalingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(home_.prepare());
    theme::setReducedMotion(true);
  }

  /// The checker itself finds what is cut.
  void whatIsCutIsFound() {
    QWidget window;
    window.resize(400, 200);
    auto* label = new QLabel(QStringLiteral("as wide as it needs"), &window);
    label->move(10, 10);
    label->adjustSize();
    auto* button = new QPushButton(QStringLiteral("Stop radar-west"), &window);
    button->move(10, 60);
    button->adjustSize();
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QCOMPARE(test::cutTexts(window), QStringList());
    label->resize(label->width() / 2, label->height());
    QCOMPARE(test::cutTexts(window).size(), 1);
    label->adjustSize();
    button->resize(button->width() / 2, button->height());
    QCOMPARE(test::cutTexts(window).size(), 1);
    button->adjustSize();
    label->move(390, 10);
    QCOMPARE(test::cutTexts(window).size(), 1);
    label->setWordWrap(true);
    label->setGeometry(10, 10, 50, 16);
    QCOMPARE(test::cutTexts(window).size(), 1);
  }

  /// A long sentence with another trouble beside it, in the least window: it takes two lines.
  void aLongSentenceFitsTheBannerOfTheLeastWindow() {
    theme::Theme theme;
    theme.apply(theme::Appearance::Light);
    QWidget row;
    row.resize(728, 40);
    theme::Banner banner(&row);
    banner.resize(row.size());
    QAction restart(QStringLiteral("Restart"));
    QAction log(QStringLiteral("Its log"));
    banner.setMessage(theme::State::Dead,
                      QStringLiteral("conflict-detector died 12 s ago, killed here (signal 9, "
                                     "SIGKILL)"),
                      QStringLiteral("Nobody publishes Conflict; log hears no more of it."));
    banner.setActions({&restart, &log});
    banner.setMore(QStringLiteral("1 more: time stands"));
    row.show();
    QVERIFY(QTest::qWaitForWindowExposed(&row));
    const auto* title = banner.findChild<QLabel*>(QStringLiteral("bannerTitle"));
    QVERIFY(title && title->isVisible() && title->wordWrap());
    QCOMPARE(test::cutTexts(row), QStringList());
    QVERIFY(QDir().mkpath(QStringLiteral(TUTTI_BINARY_DIR "/screenshots")));
    QVERIFY(row.grab().save(QStringLiteral(TUTTI_BINARY_DIR "/screenshots/scale-banner.png")));
    // With room for it, it is one line again.
    row.resize(1300, 40);
    banner.resize(row.size());
    QVERIFY(!title->wordWrap());
    QCoreApplication::processEvents();
    QCOMPARE(test::cutTexts(row), QStringList());
  }

  void noTextIsCutOnAnyPage_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("wide") << QSize(1440, 900);
    QTest::newRow("narrow") << QSize(1000, 640);
    QTest::newRow("least") << QSize(800, 560);
  }
  void noTextIsCutOnAnyPage() {
    QFETCH(QSize, size);
    found_.clear();
    const QSize screen = QGuiApplication::primaryScreen()->size();
    if (size.width() > screen.width() || size.height() > screen.height())
      QSKIP("the screen is smaller at this scale");
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(size);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QTRY_COMPARE(window.size(), size);
    look(console, "start");
    QVERIFY(window.openFile(composer::Catalog::federationsFolder() +
                            QStringLiteral("/air-traffic.federation.json")));
    QTRY_VERIFY_WITH_TIMEOUT(!console.document().isChecking(), 20000);
    window.showPage(QStringLiteral("compose"), QStringLiteral("radar-west"));
    look(console, "compose");
    window.showPage(QStringLiteral("object-model"));
    QTRY_VERIFY_WITH_TIMEOUT(!console.objectModel().isLoading(), 20000);
    window.showPage(QStringLiteral("object-model"), QStringLiteral("HLAobjectRoot.Flight"));
    look(console, "object-model");
    window.showPage(QStringLiteral("deploy"));
    look(console, "deploy");
    window.showPage(QStringLiteral("benchmarks"));
    look(console, "benchmarks");
    window.showPage(QStringLiteral("run"));
    look(console, "run-empty");
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 30000);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > 1, 30000);
    look(console, "run");
    console.run().killFederates({QStringLiteral("detector")});
    QTRY_VERIFY_WITH_TIMEOUT(window.banner()->isVisible(), 10000);
    window.showPage(QStringLiteral("run"), QStringLiteral("detector"));
    look(console, "run-killed");
    console.run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 10000);
    for (const QString& each : std::as_const(found_)) qWarning("%s", qPrintable(each));
    QCOMPARE(found_.size(), 0);
  }

 private:
  void look(app::Console& console, const char* page) {
    QTest::qWait(700);  // values are shown twice a second, and docks take their sizes
    const QString name = QStringLiteral("%1-%2x%3")
                             .arg(QLatin1String(page))
                             .arg(console.window().width())
                             .arg(console.window().height());
    const QString folder = QStringLiteral(TUTTI_BINARY_DIR "/screenshots");
    QVERIFY(QDir().mkpath(folder));
    const QPixmap picture = console.window().grab();
    QVERIFY(picture.save(
        QStringLiteral("%1/scale%2-%3.png").arg(folder).arg(picture.devicePixelRatio()).arg(name)));
    for (const QString& each : test::cutTexts(console.window())) found_ << name + u' ' + each;
  }

  test::TestHome home_;
  QStringList found_;
};

QTEST_MAIN(ScalingTest)
#include "tst_scaling.moc"
