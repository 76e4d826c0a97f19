// SPDX-License-Identifier: GPL-3.0-or-later
// The plots of the page Run: pausing them stops nothing, a gap in the data is a gap in the line,
// and one cursor goes through all of them.
#include <qcustomplot.h>

#include <QDir>
#include <QMouseEvent>
#include <QPushButton>
#include <QTest>
#include <cmath>

#include "monitor/ui/run_plots.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

using namespace tutti;
using namespace tutti::monitor;

namespace {

constexpr double kStart = 1.7e9;  // s since the epoch

Snapshot sky(double flow, double radar, double cpu = 0.25) {
  Snapshot snapshot;
  for (const auto& [name, sent] : {std::pair("flow", flow), std::pair("radar", radar)}) {
    FederateView view;
    view.name = QString::fromLatin1(name);
    view.condition = FederateCondition::Running;
    view.sentPerSecond = sent;
    view.receivedPerSecond = sent / 2;
    view.cpuUser = cpu;
    view.cpuSystem = 0.05;
    snapshot.federates.push_back(view);
  }
  return snapshot;
}

}  // namespace

class TestRunPlots : public QObject {
  Q_OBJECT

  theme::Theme theme_;

  static const QCPGraph* graph(const RunPlots& plots, int quantity, int line) {
    return plots.plots()[static_cast<std::size_t>(quantity)]->plot()->graph(line);
  }
  static int values(const QCPGraph* graph) {
    int count = 0;
    for (const auto& point : *graph->data()) count += !std::isnan(point.value);
    return count;
  }

 private slots:
  void initTestCase() { theme_.apply(theme::Appearance::Light); }

  void aValueASecondIsKeptForHalfAnHour() {
    RunSeries series;
    for (int i = 0; i < 20000; ++i) series.add(sky(i, 1), kStart + 0.5 * i);  // 10 000 s
    const auto* flow = series.of("flow");
    QVERIFY(flow);
    QVERIFY2(flow->size() >= 1795 && flow->size() <= 1801,
             qPrintable(QString::number(flow->size())));
    QVERIFY(flow->back().at - flow->front().at <= RunSeries::longest);
    QVERIFY(series.of("nobody") == nullptr);
    // One that has left is forgotten with its last value.
    Snapshot alone = sky(1, 1);
    alone.federates.pop_back();
    for (int i = 0; i < 2000; ++i) series.add(alone, kStart + 10000 + i);
    QVERIFY(series.of("radar") == nullptr);
  }

  void theBusiestAreShown() {
    RunSeries series;
    Snapshot many;
    for (int i = 0; i < 40; ++i) {
      FederateView view;
      view.name = QStringLiteral("f%1").arg(i, 2, 10, QLatin1Char('0'));
      view.condition = FederateCondition::Running;
      view.sentPerSecond = i;
      many.federates.push_back(view);
    }
    for (int i = 0; i < 10; ++i) series.add(many, kStart + i);
    const auto names = series.busiest(RunQuantity::Sent, 60, 8);
    QCOMPARE(names.size(), std::size_t{8});
    QCOMPARE(names.front(), QStringLiteral("f32"));
    QCOMPARE(names.back(), QStringLiteral("f39"));
    // Nothing is known of what they take of the processor: none is busiest in that.
    QVERIFY(series.busiest(RunQuantity::Processor, 60, 8).empty());
  }

  void pausingHoldsThePictureOnly() {
    RunPlots plots;
    plots.resize(900, 600);
    plots.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plots));
    for (int i = 0; i < 20; ++i) plots.setSnapshot(sky(100, 10), kStart + i);
    QTRY_COMPARE(graph(plots, 0, 0)->data()->size(), 20);
    auto* pause = plots.findChild<QPushButton*>(QStringLiteral("pausePlots"));
    QTest::mouseClick(pause, Qt::LeftButton);
    QVERIFY(plots.isPaused());
    const auto range = plots.plots()[0]->plot()->xAxis->range();
    for (int i = 20; i < 50; ++i) plots.setSnapshot(sky(200, 10), kStart + i);
    QCOMPARE(graph(plots, 0, 0)->data()->size(), 20);
    QCOMPARE(plots.plots()[0]->plot()->xAxis->range(), range);
    QCOMPARE(plots.series().of("flow")->size(), std::size_t{50});
    QVERIFY(plots.findChild<QLabel*>(QStringLiteral("plotsOf"))->text().contains("recording"));
    QTest::keyClick(&plots, Qt::Key_Space);
    QVERIFY(!plots.isPaused());
    // What happened meanwhile is there.
    QCOMPARE(graph(plots, 0, 0)->data()->size(), 50);
    QCOMPARE(values(graph(plots, 0, 0)), 50);
  }

  void aGapShowsAsAGap() {
    RunPlots plots;
    plots.resize(900, 600);
    plots.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plots));
    for (int i = 0; i < 10; ++i) plots.setSnapshot(sky(100, 10), kStart + i);
    // Nothing could be read for five seconds ...
    Snapshot blind = sky(100, 10);
    blind.problem = QStringLiteral("the RTI node does not answer");
    for (int i = 10; i < 15; ++i) plots.setSnapshot(blind, kStart + i);
    // ... then nothing was sampled at all for ten, then all is well again.
    for (int i = 25; i < 30; ++i) plots.setSnapshot(sky(100, 10), kStart + i);
    QTRY_COMPARE(values(graph(plots, 0, 0)), 15);
    for (const auto& point : *graph(plots, 0, 0)->data()) {
      const bool inGap = point.key > kStart + 9.5 && point.key < kStart + 24.5;
      QCOMPARE(std::isnan(point.value), inGap);
    }
    // A value between both ends, so that no line is drawn across.
    const auto first = graph(plots, 0, 0)->data()->findBegin(kStart + 14.5, false);
    QVERIFY(std::isnan(first->value) && first->key < kStart + 25);
  }

  void oneCursorGoesThroughAllPlots() {
    RunPlots plots;
    plots.resize(900, 600);
    plots.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plots));
    for (int i = 0; i < 60; ++i) plots.setSnapshot(sky(100 + i, 10), kStart + i);
    QCustomPlot* sent = plots.plots()[0]->plot();
    QTRY_COMPARE(sent->graphCount(), 2);
    sent->replot();
    const double x = sent->xAxis->coordToPixel(kStart + 30);
    QMouseEvent move(QEvent::MouseMove, QPointF(x, 40), sent->mapToGlobal(QPointF(x, 40)),
                     Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(sent, &move);
    QCOMPARE(plots.plots()[0]->valuesAtCursor(), QStringLiteral("flow 130, radar 10.0"));
    QCOMPARE(plots.plots()[1]->valuesAtCursor(), QStringLiteral("flow 65.0, radar 5.00"));
    QVERIFY2(plots.plots()[2]->valuesAtCursor().startsWith("flow 30"),
             qPrintable(plots.plots()[2]->valuesAtCursor()));
    for (const QuantityPlot* plot : plots.plots()) QCOMPARE(plot->plot()->itemCount(), 1);
    // By keyboard, a second at a time.
    QTest::keyClick(&plots, Qt::Key_Left);
    QCOMPARE(plots.plots()[0]->valuesAtCursor(), QStringLiteral("flow 129, radar 10.0"));
    QTest::keyClick(&plots, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(plots.plots()[0]->valuesAtCursor(), QStringLiteral("flow 139, radar 10.0"));
    QTest::keyClick(&plots, Qt::Key_Escape);
    for (const QuantityPlot* plot : plots.plots()) QCOMPARE(plot->plot()->itemCount(), 0);
  }

  void aSelectedFederateIsAloneAndKeepsItsColour() {
    RunPlots plots;
    plots.resize(900, 600);
    plots.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plots));
    for (int i = 0; i < 5; ++i) plots.setSnapshot(sky(100, 10), kStart + i);
    QTRY_COMPARE(plots.plots()[0]->plot()->graphCount(), 2);
    const QColor radar = graph(plots, 0, 1)->pen().color();
    plots.setFederate("radar");
    QCOMPARE(plots.plots()[0]->plot()->graphCount(), 1);
    QCOMPARE(graph(plots, 0, 0)->pen().color(), radar);
    QCOMPARE(graph(plots, 0, 0)->data()->begin()->value, 10.0);
  }

  void whatIsKeptGoesIntoATable() {
    RunPlots plots;
    plots.setSnapshot(sky(100, 10), kStart);
    Snapshot blind = sky(100, 10);
    blind.problem = QStringLiteral("gone");
    plots.setSnapshot(blind, kStart + 1);
    const QStringList lines = plots.csv().trimmed().split(u'\n');
    QCOMPARE(lines.size(), 5);
    QCOMPARE(lines[0], QStringLiteral("time,federate,sent_per_s,received_per_s,processor"));
    QVERIFY2(lines[1].contains(",flow,100,50,0.3"), qPrintable(lines[1]));
    QVERIFY2(lines[2].endsWith(",flow,,,"), qPrintable(lines[2]));
  }

  void picture_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }
  void picture() {
    QFETCH(bool, dark);
    theme_.apply(dark ? theme::Appearance::Dark : theme::Appearance::Light);
    RunPlots plots;
    plots.resize(1030, 480);
    plots.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plots));
    for (int i = 0; i < 60; ++i) {
      Snapshot snapshot =
          sky(200 + 20 * std::sin(i / 5.0), 12 + i % 4, 0.3 + 0.1 * std::cos(i / 7.0));
      if (i > 30 && i < 38) snapshot.problem = QStringLiteral("gone");
      plots.setSnapshot(snapshot, kStart + i);
    }
    QTest::keyClick(&plots, Qt::Key_Left, Qt::ShiftModifier);
    QTest::qWait(50);
    const QString folder = QStringLiteral(TUTTI_BINARY_DIR "/screenshots/");
    QDir().mkpath(folder);
    QVERIFY(plots.grab().save(folder + (dark ? "plots-dark.png" : "plots-light.png")));
    theme_.apply(theme::Appearance::Light);
  }
};

QTEST_MAIN(TestRunPlots)
#include "tst_run_plots.moc"
