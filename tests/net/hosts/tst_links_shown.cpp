// SPDX-License-Identifier: GPL-3.0-or-later
// A link that a cut cable makes suspect, as the page "Run" shows it at either end of the link.
#include <QApplication>
#include <QLabel>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <memory>
#include <thread>

#include "cutter.h"
#include "federates/process.h"
#include "monitor/engine/host_links.h"
#include "monitor/engine/observe_source.h"
#include "monitor/ui/log_panel.h"
#include "monitor/ui/run_problems.h"
#include "monitor/ui/run_workspace.h"
#include "recorder.h"
#include "resources/theme/theme.h"

using namespace rti1516e;
namespace monitor = tutti::monitor;
using tutti::test::Cable;

namespace {

constexpr int patience = 30'000;

/// Reads the node of a host: the thread that samples goes there to connect.
class SourceAtHost final : public monitor::SampleSource {
 public:
  SourceAtHost(const LinkedNodes& nodes, int host, const QString& federation)
      : nodes_(nodes),
        host_(host),
        source_(monitor::makeObserveSource("shm:" + nodes.nodeName(host), federation)) {}
  void refresh() override {
    const auto visit = nodes_.visit(host_);
    source_->refresh();
  }
  tl::expected<monitor::Reading, QString> read() override {
    const auto visit = nodes_.visit(host_);
    return source_->read();
  }

 private:
  const LinkedNodes& nodes_;
  int host_;
  std::shared_ptr<monitor::SampleSource> source_;
};

QStringList lines(const monitor::RunWorkspace& page) {
  const QAbstractItemModel* model = page.findChild<monitor::LogView*>()->model();
  QStringList result;
  for (int row = 0; row < model->rowCount(); ++row) {
    result << model->index(row, monitor::LogModel::Text).data().toString();
  }
  return result;
}

/// The texts of the problems that are on the screen.
QString cards(const monitor::RunWorkspace& page) {
  QStringList result;
  for (const auto* label : page.findChild<monitor::RunProblems*>()->findChildren<QLabel*>()) {
    if (label->isVisible()) result << label->text();
  }
  return result.join('\n');
}

}  // namespace

class tst_links_shown : public QObject {
  Q_OBJECT

 private slots:
  void whoWaitsIsShownWhileTheLinkIsSuspect_data() {
    QTest::addColumn<int>("host");
    QTest::newRow("at the home") << 0;
    QTest::newRow("at the linked host") << 1;
  }
  void whoWaitsIsShownWhileTheLinkIsSuspect();
};

void tst_links_shown::whoWaitsIsShownWhileTheLinkIsSuspect() {
  QFETCH(int, host);
  tutti::theme::Theme theme;
  theme.apply(tutti::theme::Appearance::Light);
  // A busy machine has time to show it before the link is lost.
  qputenv("TUTTI_TEST_HOME", "--grace 45");
  const auto unset = qScopeGuard([] { qunsetenv("TUTTI_TEST_HOME"); });
  const LinkedNodes nodes(uniqueName("shown"), 2, Cable{std::chrono::microseconds(100), 0});
  const QString federation = uniqueName("shown");
  // On the home a and c, on the linked host b and d; each side has one that the other waits for.
  Recorder a("a"), b("b"), c("c"), d("d");
  nodes.enter(a, 0, federation);
  nodes.enter(b, 1, federation);
  nodes.enter(c, 0, federation);
  nodes.enter(d, 1, federation);
  for (Recorder* r : {&a, &b}) {
    r->rti().enableTimeRegulation(HLAfloat64Interval(1.0));
    QVERIFY(r->expect("regulating"));
    r->rti().enableTimeConstrained();
    QVERIFY(r->expect("constrained"));
  }
  Recorder& waiter = host == 0 ? a : b;  // on the side that is looked at
  Recorder& caller = host == 0 ? c : d;

  QTemporaryDir folder;
  monitor::Feed feed;
  monitor::Recorder record(folder.filePath("runs.sqlite"));
  monitor::RunWorkspace page(&feed, &record);
  page.resize(1368, 804);
  page.show();
  record.attach(&feed);
  record.beginRun({});
  feed.start([&] { return std::make_shared<SourceAtHost>(nodes, host, federation); });
  const auto shown = [&] {
    const auto& links = feed.current()->hostLinks;
    return links.size() == 1 ? std::optional(links.front()) : std::nullopt;
  };
  QTRY_VERIFY_WITH_TIMEOUT(shown() && shown()->federates.size() == 2, patience);
  QVERIFY(!shown()->suspect);
  QCOMPARE(shown()->toHome, host == 1);
  QVERIFY(page.troubles().isEmpty());

  tutti::test::block(*nodes.network(), 1, true, true);
  waiter.rti().timeAdvanceRequest(HLAfloat64Time(5));
  std::atomic<bool> returned = false;
  std::thread call([&] {
    caller.rti().registerFederationSynchronizationPoint(L"together", VariableLengthData());
    returned = true;
  });
  const auto told = [&](const QString& part) {
    return !page.troubles().isEmpty() && page.troubles().front().detail.contains(part);
  };
  // At the home its answer goes out when all replicas have the record.
  const QString both = QString("Waiting for the link: %1, %2.").arg(caller.name(), waiter.name());
  const bool named =
      QTest::qWaitFor([&] { return told(both) && cards(page).contains(both); }, patience);
  const auto during = shown();
  const QString title = page.troubles().isEmpty() ? QString() : page.troubles().front().title;
  const QString detail = page.troubles().isEmpty() ? QString() : page.troubles().front().detail;
  const QString onScreen = cards(page);
  const bool early = returned;
  const bool reached = feed.current()->find(host == 0 ? "b" : "a")->condition ==
                       monitor::FederateCondition::OutOfReach;
  const QString facts = page.findChild<QWidget*>("factsLinks")->accessibleDescription();
  tutti::test::block(*nodes.network(), 1, false, false);
  call.join();

  QVERIFY2(named, qPrintable(title + " / " + detail));
  QVERIFY(during && during->suspect && during->silentSeconds >= 1.4 && during->leftSeconds < 45);
  QVERIFY(!early);
  QVERIFY2(title.contains("is suspect: nothing acknowledged for "), qPrintable(title));
  QVERIFY2(onScreen.contains(title) && onScreen.contains(both), qPrintable(onScreen));
  QVERIFY2(detail.contains(host == 0 ? "the federates behind it are resigned: b, d."
                                     : "federates here lose their connection: b, d."),
           qPrintable(detail));
  QVERIFY2(facts.contains("Wait for an answer: " + caller.name()) &&
               facts.contains("Wait to advance time: " + waiter.name()),
           qPrintable(facts));
  QVERIFY(reached);
  // It goes with the suspicion (that the other side does not ask to advance is said then), and what
  // happened is in the log.
  QTRY_VERIFY_WITH_TIMEOUT(!cards(page).contains("suspect"), patience);
  QTRY_VERIFY_WITH_TIMEOUT(shown() && !shown()->suspect && shown()->suspicions > 0, patience);
  QTRY_VERIFY_WITH_TIMEOUT(lines(page).filter("resumed after").size() == 1, patience);
  QCOMPARE(lines(page).filter("link suspect, nothing acknowledged").size(), 1);
  QVERIFY(lines(page).filter("resumed after").front().contains("nothing lost"));
  // All goes on where it was.
  (host == 0 ? b : a).rti().timeAdvanceRequest(HLAfloat64Time(5));
  for (Recorder* r : {&a, &b}) QVERIFY(r->expect("granted 5"));
  QTRY_VERIFY_WITH_TIMEOUT(page.troubles().isEmpty(), patience);
  for (Recorder* r : {&a, &b, &c, &d}) {
    QVERIFY(r->expect("announce together"));
    QCOMPARE(r->count("lost"), 0);
  }
  record.endRun("stopped");
  record.attach(nullptr);
  feed.stop();
}

QTEST_MAIN(tst_links_shown)
#include "tst_links_shown.moc"
