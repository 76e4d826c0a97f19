// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDockWidget>
#include <QFontDatabase>
#include <QFontInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QScreen>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QSvgRenderer>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <memory>

#include "resources/theme/delegates.h"
#include "resources/theme/exporter.h"
#include "resources/theme/icons.h"
#include "resources/theme/progress_line.h"
#include "resources/theme/rows.h"
#include "resources/theme/state.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "resources/theme/workspace.h"

using namespace tutti::theme;

namespace {

constexpr State kStates[]{State::Running, State::Ok,      State::Starting,
                          State::Late,    State::Warning, State::Dead,
                          State::Paused,  State::Idle,    State::Disabled};

QImage blank(int side) {
  QImage image(side, side, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  return image;
}

QImage painted(State state, int side, Mode mode = Mode::Light) {
  QImage image = blank(side);
  QPainter painter(&image);
  paintState(painter, QRectF(0, 0, side, side), state, Palette(mode));
  return image;
}

/// What is left of an icon without colour: 0 outside, 1 where it has ink, 2 where its mark is cut
/// out of the ink.
QList<int> silhouette(const QImage& image, QColor fill = Qt::black, QColor mark = Qt::black) {
  QList<int> result;
  const auto distance = [](QRgb a, const QColor& b) { return std::abs(qGray(a) - qGray(b.rgb())); };
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const QRgb pixel = image.pixel(x, y);
      const bool cut = mark != fill && distance(pixel, mark) < distance(pixel, fill);
      result << (qAlpha(pixel) < 128 ? 0 : cut ? 2 : 1);
    }
  return result;
}

QList<int> silhouette(State state, int side) {
  const StateColors c = colors(state, Palette(Mode::Light));
  const bool filled = c.fill != c.fg || state == State::Late;
  return silhouette(painted(state, side), c.fill, filled ? c.on : c.fill);
}

double difference(const QList<int>& a, const QList<int>& b) {
  int different = 0;
  int inked = 0;
  for (qsizetype i = 0; i < a.size(); ++i) {
    different += a[i] != b[i];
    inked += a[i] || b[i];
  }
  return static_cast<double>(different) / inked;
}

QString nameOf(State state) {
  switch (state) {
    case State::Running:
      return QStringLiteral("running");
    case State::Ok:
      return QStringLiteral("ok");
    case State::Starting:
      return QStringLiteral("starting");
    case State::Late:
      return QStringLiteral("late");
    case State::Warning:
      return QStringLiteral("warning");
    case State::Dead:
      return QStringLiteral("dead");
    case State::Error:
      return QStringLiteral("error");
    case State::Paused:
      return QStringLiteral("paused");
    case State::Idle:
      return QStringLiteral("idle");
    case State::Disabled:
      return QStringLiteral("disabled");
    case State::Info:
      return QStringLiteral("info");
  }
  return {};
}

}  // namespace

class ThemeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { loadResources(); }

  // Nobody needs colour to tell two states apart: at 12 px, the size of a table's icon, each pair
  // of silhouettes differs in a good part of its ink.
  void silhouettesDifferWithoutColour() {
    for (const int side : {12, 16, 24})
      for (const State a : kStates)
        for (const State b : kStates) {
          if (a >= b) continue;
          const double share = difference(silhouette(a, side), silhouette(b, side));
          QVERIFY2(share > 0.08, qPrintable(QStringLiteral("%1 and %2 at %3 px differ in %4 only")
                                                .arg(nameOf(a), nameOf(b))
                                                .arg(side)
                                                .arg(share)));
        }
  }

  void paintedStatesLookLikeTheSvgFiles_data() {
    QTest::addColumn<State>("state");
    QTest::addColumn<bool>("dark");
    for (const bool dark : {false, true}) {
      for (const State state : kStates)
        QTest::addRow("%s, %s", qPrintable(nameOf(state)), dark ? "dark" : "light")
            << state << dark;
      QTest::addRow("error, %s", dark ? "dark" : "light") << State::Error << dark;
      QTest::addRow("info, %s", dark ? "dark" : "light") << State::Info << dark;
    }
  }
  void paintedStatesLookLikeTheSvgFiles() {
    QFETCH(State, state);
    QFETCH(bool, dark);
    constexpr int kSide = 64;
    const QImage ours = painted(state, kSide, dark ? Mode::Dark : Mode::Light);
    QImage file = blank(kSide);
    QPainter painter(&file);
    painter.setRenderHint(QPainter::Antialiasing);
    QSvgRenderer svg(
        QStringLiteral(":/icons/%1/state-%2.svg")
            .arg(dark ? QStringLiteral("dark") : QStringLiteral("light"), nameOf(state)));
    QVERIFY(svg.isValid());
    svg.render(&painter);
    painter.end();
    int off = 0;
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) {
        const QRgb a = ours.pixel(x, y);
        const QRgb b = file.pixel(x, y);
        off += std::abs(qAlpha(a) - qAlpha(b)) > 60 || std::abs(qRed(a) - qRed(b)) > 60 ||
               std::abs(qGreen(a) - qGreen(b)) > 60 || std::abs(qBlue(a) - qBlue(b)) > 60;
      }
    QVERIFY2(off < kSide * kSide / 100, qPrintable(QStringLiteral("%1 pixels differ").arg(off)));
  }

  void severityPutsWhatNeedsSomebodyFirst() {
    QCOMPARE(worse(State::Running, State::Dead), State::Dead);
    QCOMPARE(worse(State::Late, State::Warning), State::Late);
    QVERIFY(severity(State::Running) < severity(State::Disabled));
  }

  void tuttiSansHasDigitsOfOneWidth() {
    for (const auto style : {TextStyle::Body, TextStyle::Label, TextStyle::Heading}) {
      const QFont used = textFont(style);
      QCOMPARE(QFontInfo(used).family(), QStringLiteral("Tutti Sans"));
      const QFontMetricsF metrics(used);
      const double width = metrics.horizontalAdvance(u'0');
      for (char16_t digit = u'1'; digit <= u'9'; ++digit)
        QVERIFY(std::abs(metrics.horizontalAdvance(digit) - width) < 0.05);
    }
    // The three weights are three files, not one made bold by the painter.
    const auto widthOf = [](TextStyle style) {
      QFont used = textFont(style);
      used.setPixelSize(40);
      return QFontMetricsF(used).horizontalAdvance(QStringLiteral("radar-west"));
    };
    QVERIFY(widthOf(TextStyle::Body) < widthOf(TextStyle::Label));
    QVERIFY(widthOf(TextStyle::Label) < widthOf(TextStyle::Heading));
  }

  void everyIconDrawsSomething() {
    QVERIFY(iconNames().size() > 60);
    for (const QString& name : iconNames()) {
      QImage image = blank(32);
      QPainter painter(&image);
      paintIcon(painter, QRectF(0, 0, 32, 32), name, Qt::black);
      painter.end();
      QVERIFY2(silhouette(image).count(1) > 10, qPrintable(name));
    }
  }

  void iconsFollowTheTheme() {
    Theme theme;
    theme.apply(Appearance::Light);
    const QIcon run = icon(QStringLiteral("run"));
    const QImage light = run.pixmap(32, 32).toImage();
    theme.apply(Appearance::Dark);
    const QImage dark = run.pixmap(32, 32).toImage();
    QCOMPARE(light.pixelColor(12, 16).rgb(), rgb(Token::TextSecondary, Mode::Light));
    QCOMPARE(dark.pixelColor(12, 16).rgb(), rgb(Token::TextSecondary, Mode::Dark));
  }

  void themeSwitchReachesWidgetsAndFollowers() {
    Theme theme;
    theme.apply(Appearance::Light);
    QLabel label;
    QList<Mode> seen;
    followTheme(&label, [&seen](const Palette& palette) { seen << palette.mode(); });
    QSignalSpy changed(&theme, &Theme::changed);
    theme.apply(Appearance::Dark);
    QCoreApplication::processEvents();
    theme.apply(Appearance::Dark);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(seen, (QList<Mode>{Mode::Light, Mode::Dark}));
    QVERIFY(Palette::of(&label).isDark());
    QCOMPARE(label.palette().color(QPalette::Window).rgb(), rgb(Token::BgWindow, Mode::Dark));
    theme.apply(Appearance::Light);
  }

  // The sheet of the other theme is used, not only its palette: on widgets that were there before,
  // on nested and on hidden ones, and on those made afterwards.
  void themeSwitchChangesTheStyleSheet() {
    Theme theme;
    theme.apply(Appearance::Light);
    QWidget window;
    auto* inner = new QWidget(&window);
    auto* bar = new QFrame(inner);
    bar->setProperty("role", QStringLiteral("bar"));
    bar->resize(40, 40);
    const auto colour = [](QWidget* widget) { return widget->grab().toImage().pixelColor(5, 5); };
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QCOMPARE(colour(bar).rgb(), rgb(Token::BgPanel, Mode::Light));
    theme.apply(Appearance::Dark);
    QCOMPARE(colour(bar).rgb(), rgb(Token::BgPanel, Mode::Dark));
    bar->hide();
    theme.apply(Appearance::Light);
    bar->show();
    QCOMPARE(colour(bar).rgb(), rgb(Token::BgPanel, Mode::Light));
    QFrame later;
    later.setProperty("role", QStringLiteral("bar"));
    later.resize(40, 40);
    QCOMPARE(colour(&later).rgb(), rgb(Token::BgPanel, Mode::Light));
  }

  void sparkBufferKeepsTheNewest60AndItsGaps() {
    SparkBuffer buffer;
    for (int i = 0; i < 70; ++i) buffer.push(i);
    buffer.push(qQNaN());
    QCOMPARE(buffer.size(), 60);
    QCOMPARE(buffer.at(0), 11.0);
    QVERIFY(qIsNaN(buffer.latest()));
    QCOMPARE(buffer.maximum(), 69.0);
  }

  // Dense by default, 36 px by setting; what is higher anyway stays.
  void rowsTakeTheHeightOfTheSetting_data() {
    QTest::addColumn<QAbstractItemDelegate*>("delegate");
    QTest::addColumn<int>("dense");
    QTest::addColumn<int>("large");
    const auto row = [](const char* name, QAbstractItemDelegate* delegate, int dense, int large) {
      QTest::newRow(name) << delegate << dense << large;
    };
    row("tree", new StatusNameDelegate(this, height::kRowCompact), 24, 36);
    row("table", new RowDelegate(this), 28, 36);
    row("number", new NumberDelegate(QStringLiteral("888 k"), this), 28, 36);
    row("bar", new BarNumberDelegate(QStringLiteral("100 %"), this), 28, 36);
    row("line", new SparklineDelegate(this), 28, 36);
    row("fix", new FixButtonDelegate(this), 28, 36);
    row("heading of a catalog", new TwoLineDelegate(this), 24, 36);
    row("component of a catalog", new TwoLineDelegate(this), 40, 40);
    row("check boxes", new PlainRowDelegate(this), 24, 36);
  }
  void rowsTakeTheHeightOfTheSetting() {
    QFETCH(QAbstractItemDelegate*, delegate);
    QFETCH(int, dense);
    QFETCH(int, large);
    Theme theme;
    theme.apply(Appearance::Light);
    QStandardItemModel model;
    for (int i = 0; i < 300; ++i) model.appendRow(new QStandardItem(QStringLiteral("radar")));
    if (dense == 40)
      for (int i = 0; i < 300; ++i) model.item(i)->setData(QStringLiteral("second"), DetailRole);
    QTreeView view;
    view.setUniformRowHeights(true);
    view.setItemDelegate(delegate);
    view.setModel(&model);
    view.resize(300, 300);
    view.show();
    const auto heightOf = [&] { return view.visualRect(model.index(1, 0)).height(); };
    QCOMPARE(heightOf(), dense);
    setRowSize(RowSize::Large);
    QTRY_COMPARE(heightOf(), large);
    QTRY_COMPARE(view.visualRect(model.index(2, 0)).top(), 2 * large);
    setRowSize(RowSize::Dense);
    QTRY_COMPARE(heightOf(), dense);
  }

  void fixButtonAnswersClickAndSpace() {
    QStandardItemModel model(1, 1);
    model.item(0) ? void() : model.setItem(0, new QStandardItem);
    model.item(0)->setData(QStringLiteral("Use 250 km"), FixRole);
    QTableView view;
    auto* delegate = new FixButtonDelegate(&view);
    view.setItemDelegate(delegate);
    view.setEditTriggers(QAbstractItemView::NoEditTriggers);
    view.setModel(&model);
    view.resize(300, 100);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QSignalSpy clicked(delegate, &FixButtonDelegate::clicked);
    const QRect cell = view.visualRect(model.index(0, 0));
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, cell.center());
    QCOMPARE(clicked.count(), 1);
    view.setCurrentIndex(model.index(0, 0));
    QTest::keyClick(&view, Qt::Key_Space);
    QCOMPARE(clicked.count(), 2);
  }

  void segmentedControlWorksByKeyboard() {
    SegmentedControl control({QStringLiteral("Hosts"), QStringLiteral("Data flow")});
    control.show();
    QSignalSpy changed(&control, &SegmentedControl::currentIndexChanged);
    QTest::keyClick(&control, Qt::Key_Right);
    QTest::keyClick(&control, Qt::Key_Right);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(control.currentIndex(), 1);
    QTest::mouseClick(&control, Qt::LeftButton, {}, QPoint(5, 10));
    QCOMPARE(control.currentIndex(), 0);
  }

  // No pane can be lost, and "Reset layout" always works.
  void workspaceLayoutPersistsAndResets() {
    QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
    struct Page : Workspace {
      QDockWidget* left;
      QDockWidget* bottom;
      Page() : Workspace(QStringLiteral("page"), QStringLiteral("Page"), QStringLiteral("run")) {
        setCentralWidget(new QWidget);
        left = addPane(QStringLiteral("left"), QStringLiteral("Left"), new QWidget,
                       Qt::LeftDockWidgetArea, 260);
        bottom = addPane(QStringLiteral("bottom"), QStringLiteral("Bottom"), new QWidget,
                         Qt::BottomDockWidgetArea, 180);
      }
    };
    {
      Page page;
      page.resize(1368, 800);
      page.show();
      QTRY_COMPARE(page.left->width(), 260);
      QTRY_COMPARE(page.bottom->height(), 180);
      page.bottom->close();
      page.addDockWidget(Qt::RightDockWidgetArea, page.left);
      page.saveLayout(settings);
    }
    Page page;
    page.restoreLayout(settings);
    page.resize(1368, 800);
    page.show();
    QTRY_COMPARE(page.dockWidgetArea(page.left), Qt::RightDockWidgetArea);
    QTRY_VERIFY(page.bottom->isHidden());
    page.resetLayout();
    QCOMPARE(page.dockWidgetArea(page.left), Qt::LeftDockWidgetArea);
    QVERIFY(!page.bottom->isHidden());
    QTRY_COMPARE(page.left->width(), 260);
  }

  /// A pane that floated on a screen that is gone is docked again; on one that is there it floats.
  void aPaneOfAVanishedScreenIsSeenAgain_data() {
    QTest::addColumn<QPoint>("offset");
    QTest::newRow("the screen is there") << QPoint(0, 0);
    QTest::newRow("the screen is gone") << QPoint(9000, 3000);
  }
  void aPaneOfAVanishedScreenIsSeenAgain() {
    QFETCH(QPoint, offset);
    QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
    const auto make = [](QDockWidget*& pane) {
      auto page = std::make_unique<Workspace>(QStringLiteral("page"), QStringLiteral("Page"),
                                              QStringLiteral("run"));
      page->setCentralWidget(new QWidget);
      pane = page->addPane(QStringLiteral("left"), QStringLiteral("Left"), new QWidget,
                           Qt::LeftDockWidgetArea, 260);
      page->resize(1368, 800);
      return page;
    };
    const QRect there = QGuiApplication::primaryScreen()->geometry().translated(offset);
    QDockWidget* pane = nullptr;
    {
      const auto page = make(pane);
      page->show();
      QTRY_COMPARE(pane->width(), 260);
      pane->setFloating(true);
      pane->setGeometry(QRect(there.topLeft() + QPoint(100, 100), QSize(300, 200)));
      QTRY_VERIFY(there.contains(pane->geometry().center()));
      page->saveLayout(settings);
    }
    const auto page = make(pane);
    page->restoreLayout(settings);
    page->show();
    QTRY_VERIFY(pane->isVisible());
    QTRY_COMPARE(pane->isFloating(), offset.isNull());
  }

  void whatTakesLongShowsItsTimeAndACancel() {
    ProgressLine line(QStringLiteral("asking"));
    QSignalSpy cancelled(&line, &ProgressLine::cancelRequested);
    auto* text = line.findChild<QLabel*>(QStringLiteral("asking"));
    auto* cancel = line.findChild<QPushButton*>(QStringLiteral("askingCancel"));
    QVERIFY(text && cancel);
    line.setProgress(QStringLiteral("Asking the hosts"));
    QVERIFY(!line.isVisible());  // not for what is quick
    QTRY_VERIFY_WITH_TIMEOUT(line.isVisible(), 30'000);
    line.setProgress(QStringLiteral("Copying"));
    const QRegularExpression shown(QStringLiteral("^Copying, ([0-9]+) s$"));
    // Time counts from the start of it all.
    QTRY_VERIFY_WITH_TIMEOUT(shown.match(text->text()).captured(1).toInt() >= 1, 30'000);
    QTest::mouseClick(cancel, Qt::LeftButton);
    QCOMPARE(cancelled.count(), 1);
    line.setProgress({});
    QVERIFY(!line.isVisible());
    line.setProgress(QStringLiteral("Asking again"));
    QTRY_VERIFY_WITH_TIMEOUT(line.isVisible(), 30'000);
    QVERIFY2(text->text().startsWith(QStringLiteral("Asking again")), qPrintable(text->text()));
  }

  // A picture is as wide as its title needs, and a box that is ticked is a word in a table.
  void exportsAreWhole() {
    QTemporaryDir folder;
    const auto widthOf = [&](const QString& title) {
      const QString path = folder.filePath(QStringLiteral("p.png"));
      return exportPicture(title, {60, 40}, path, [](QPainter&) {}) ? QImage(path).width() : -1;
    };
    QCOMPARE(widthOf(QStringLiteral("a")), 2 * 60);
    const QString title = QStringLiteral("air-traffic, connections, 2026-11-24T20:04:26");
    const int needed = QFontMetrics(textFont(TextStyle::Heading)).horizontalAdvance(title);
    QVERIFY(widthOf(title) >= 2 * needed);

    QStandardItemModel model(1, 2);
    model.setHorizontalHeaderLabels({QStringLiteral("On"), QStringLiteral("Name")});
    auto* ticked = new QStandardItem;
    ticked->setCheckable(true);
    ticked->setCheckState(Qt::Checked);
    model.setItem(0, 0, ticked);
    model.setItem(0, 1, new QStandardItem(QStringLiteral("a, b")));
    const QString table = folder.filePath(QStringLiteral("t.csv"));
    QVERIFY(exportCsv(model, QStringLiteral("T"), table));
    QFile file(table);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("# T\nOn,Name\nyes,\"a, b\"\n"));
  }

  void narrowWorkspaceMovesTheRightPaneToTheBottom() {
    Workspace page(QStringLiteral("page"), QStringLiteral("Page"), QStringLiteral("run"));
    page.setCentralWidget(new QWidget);
    auto* right = page.addPane(QStringLiteral("right"), QStringLiteral("Right"), new QWidget,
                               Qt::RightDockWidgetArea, 296);
    page.addPane(QStringLiteral("bottom"), QStringLiteral("Bottom"), new QWidget,
                 Qt::BottomDockWidgetArea, 180);
    page.resize(1368, 800);
    page.show();
    QTRY_COMPARE(right->width(), 296);
    page.resize(1100, 800);
    QTRY_COMPARE(page.dockWidgetArea(right), Qt::BottomDockWidgetArea);
    page.resize(1368, 800);
    QTRY_COMPARE(page.dockWidgetArea(right), Qt::RightDockWidgetArea);
  }
};

QTEST_MAIN(ThemeTest)
#include "tst_theme.moc"
