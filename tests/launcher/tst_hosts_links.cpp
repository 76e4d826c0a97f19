// SPDX-License-Identifier: GPL-3.0-or-later
// The link between two other hosts of a run, as the console on this machine shows it: what goes
// over it, and that it has become slow.
#include <QTest>
#include <memory>

#include "launcher/engine/kept_runs.h"
#include "launcher/engine/run.h"
#include "monitor/engine/feed.h"
#include "monitor/engine/host_links.h"
#include "monitor/engine/observe_source.h"
#include "monitor/engine/run_store.h"
#include "monitor/ui/link_model.h"
#include "tests/launcher/lab_plans.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti::launcher;
using namespace tutti::monitor;
using test::endMs;
using test::Lab;

class TestHostsLinks : public QObject {
  Q_OBJECT

 private slots:
  void whatGoesBetweenTwoOtherHostsIsShown() {
    lab_ = std::make_unique<Lab>(2);
    QVERIFY2(lab_->isUp(), qPrintable(lab_->said()));
    qputenv("XDG_STATE_HOME", (lab_->root() + "/state").toUtf8());
    tutti_ = std::make_unique<test::TuttiCall>(lab_->root() + "/state");
    const QString file = lab_->sampleWith({{"flow-north", 1}, {"radar-west", 2}});
    run_.setProcessChannelMode(QProcess::MergedChannels);
    tutti_->begin(run_, {"run", file, "--hosts", lab_->hostsFile(), "--duration", "600"});
    QTRY_VERIFY2_WITH_TIMEOUT(said("running  6 of 6"), shown_, endMs);
    const auto kept = findGoingRun(tutti_->id());
    QVERIFY(kept.has_value());
    Feed feed;
    feed.start([node = kept->node] { return makeObserveSource("shm:" + node, {}); });
    LinkModel table;

    // The updates of the flow go to the radar, each once, and nothing else goes between the two.
    const auto sentByFlow = [&] {
      const FederateView* flow = feed.current()->find(QStringLiteral("flow-north"));
      return flow == nullptr ? unknown : flow->sentPerSecond;
    };
    const auto rate = [&] { return number(feed, table, LinkModel::Rate); };
    QTRY_VERIFY2_WITH_TIMEOUT(
        rate() > 5 && rate() > sentByFlow() * 0.6 && rate() < sentByFlow() * 1.6,
        qPrintable(QStringLiteral("%1 over the link, %2 sent").arg(rate()).arg(sentByFlow())),
        endMs);
    QVERIFY(number(feed, table, LinkModel::Bytes) > rate() * 20);
    QCOMPARE(feed.current()->hostLinks.size(), std::size_t{2});
    const double quick = number(feed, table, LinkModel::RoundTrip);
    QVERIFY(quick > 0);

    // What is sent fills a slow cable's queue, and that takes its time.
    // How slow depends on the machine; a cable that is too slow would end the link with the home.
    bool isSlow = false;
    for (const char* mbit : {"4", "2", "1", "0.5"}) {
      if (isSlow) break;
      QVERIFY(lab_->call({"slow", lab_->host(1), mbit}));
      isSlow = QTest::qWaitFor(
          [&] { return number(feed, table, LinkModel::RoundTrip) > std::max(0.02, 5 * quick); },
          8000);
    }
    QVERIFY2(isSlow, qPrintable(QStringLiteral("%1 before, %2 B/s")
                                    .arg(quick)
                                    .arg(number(feed, table, LinkModel::Bytes))));
    QVERIFY(lab_->call({"slow", lab_->host(1), "0"}));
    QTRY_VERIFY_WITH_TIMEOUT(number(feed, table, LinkModel::RoundTrip) < 0.02, endMs);
    feed.stop();
    run_.terminate();
    QVERIFY(run_.waitForFinished(endMs));
  }

  /// Who is to be placed anew is placed by what the last run has measured, wherever it was.
  void whatIsExchangedBetweenHostsIsMeasuredForPlacing() {
    lab_ = std::make_unique<Lab>(2);
    QVERIFY2(lab_->isUp(), qPrintable(lab_->said()));
    shown_.clear();
    const QString data = lab_->root() + "/data";
    qputenv("XDG_STATE_HOME", (lab_->root() + "/state").toUtf8());
    qputenv("XDG_DATA_HOME", data.toUtf8());
    tutti_ = std::make_unique<test::TuttiCall>(lab_->root() + "/state");
    const QString file =
        lab_->sampleWith({{"flow-north", 1}, {"radar-west", 1}, {"radar-east", 2}});
    run_.setProcessChannelMode(QProcess::MergedChannels);
    tutti_->begin(run_, {"run", file, "--hosts", lab_->hostsFile(), "--duration", "600"});
    QTRY_VERIFY2_WITH_TIMEOUT(said("running  6 of 6"), shown_, endMs);
    const auto kept = findGoingRun(tutti_->id());
    QVERIFY(kept.has_value());
    Feed feed;
    feed.start([node = kept->node] { return makeObserveSource("shm:" + node, {}); });
    const auto rate = [&](const char* sender, const char* receiver) {
      const auto& snapshot = *feed.current();
      for (const LinkView& link : snapshot.links) {
        if (snapshot.federates[link.sender].name == QLatin1String(sender) &&
            snapshot.federates[link.receiver].name == QLatin1String(receiver))
          return link.perSecond;
      }
      return 0.0;
    };
    // Each way: between two hosts, within another one, from here and to here.
    const std::pair<const char*, const char*> ways[] = {{"flow-north", "radar-east"},
                                                        {"flow-north", "radar-west"},
                                                        {"flow-south", "radar-east"},
                                                        {"flow-north", "log"}};
    const auto sentBy = [&](const char* sender) {
      const auto* federate = feed.current()->find(QLatin1String(sender));
      return federate == nullptr ? unknown : federate->sentPerSecond;
    };
    for (const auto& [sender, receiver] : ways) {
      QTRY_VERIFY2_WITH_TIMEOUT(rate(sender, receiver) > sentBy(sender) * 0.5 &&
                                    rate(sender, receiver) < sentBy(sender) * 1.7,
                                qPrintable(QStringLiteral("%1 to %2: %3 of %4")
                                               .arg(QLatin1String(sender), QLatin1String(receiver))
                                               .arg(rate(sender, receiver))
                                               .arg(sentBy(sender))),
                                endMs);
    }
    feed.stop();
    // They are in the record, and placement takes them.
    const auto store = RunStore::open(data + "/tutti/runs.sqlite");
    QVERIFY(store.has_value());
    const auto isRecorded = [&](const char* sender, const char* receiver) {
      const auto last = (*store)->lastExchanges(file);
      return last && std::any_of(last->exchanges.begin(), last->exchanges.end(),
                                 [&](const ExchangeRecord& one) {
                                   return one.sender == QLatin1String(sender) &&
                                          one.receiver == QLatin1String(receiver) &&
                                          one.perSecond > 1;
                                 });
    };
    for (const auto& [sender, receiver] : ways)
      QTRY_VERIFY2_WITH_TIMEOUT(isRecorded(sender, receiver), receiver, endMs);
    run_.terminate();
    QVERIFY(run_.waitForFinished(endMs));
    QProcess place;
    place.start(test::tuttiProgram, {"place", file, "--hosts", lab_->hostsFile(), "--json"});
    QVERIFY(place.waitForFinished(endMs));
    const auto placed = QJsonDocument::fromJson(place.readAllStandardOutput()).object();
    // Each flow with each radar, detector and log; each radar with log; detector with log.
    QVERIFY2(placed["measuredPairs"].toInt() >= 8, QJsonDocument(placed).toJson());
  }

  void cleanup() {
    if (!tutti_) return;
    lab_->call({"slow", lab_->host(1), "0"});  // of a test that has failed before
    if (tutti_->isGoing()) tutti_->call({"stop", tutti_->id()});
    QTRY_VERIFY_WITH_TIMEOUT(!tutti_->isGoing(), endMs);
    lab_.reset();
    tutti_.reset();
  }

 private:
  bool said(const QByteArray& text) {
    shown_ += run_.readAllStandardOutput();
    return shown_.contains(text);
  }
  /// What a column of the table has for the link between the two hosts, not a number: nothing.
  double number(const Feed& feed, LinkModel& table, int column) const {
    table.setSnapshot(feed.current());
    const QString name = lab_->host(1) + QStringLiteral(" \u2013 ") + lab_->host(2);
    for (int row = 0; row < table.rowCount(); ++row) {
      if (table.index(row, LinkModel::Name).data().toString() != name) continue;
      const QVariant value = table.index(row, column).data(LinkModel::SortRole);
      return value.isValid() ? value.toDouble() : unknown;
    }
    return unknown;
  }

  std::unique_ptr<Lab> lab_;
  std::unique_ptr<test::TuttiCall> tutti_;
  QProcess run_;
  QByteArray shown_;
};

QTEST_MAIN(TestHostsLinks)
#include "tst_hosts_links.moc"
