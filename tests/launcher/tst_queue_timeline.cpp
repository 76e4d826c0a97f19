// SPDX-License-Identifier: GPL-3.0-or-later
// The bars of the jobs of a queue: what they say, and how they look.
#include <QHelpEvent>
#include <QImage>
#include <QPainter>
#include <QTest>
#include <QToolTip>

#include "launcher/ui/cluster_models.h"
#include "launcher/ui/queue_timeline.h"
#include "resources/theme/theme.h"
#include "tests/launcher/slurm_answers.h"

using namespace tutti;
using namespace tutti::launcher;
using theme::Token;

namespace {

const QDateTime now(QDate(2026, 11, 25), QTime(14, 10));

SlurmJob running(qint64 id, int sinceMinutes, int limit) {
  SlurmJob job;
  job.id = id;
  job.state = "RUNNING";
  job.nodeCount = 2;
  job.start = now.addSecs(-60 * sinceMinutes);
  job.timeLimit = limit;
  if (limit > 0) job.end = job.start.addSecs(60 * limit);
  return job;
}

SlurmJob waiting(qint64 id, int inMinutes, int limit) {
  SlurmJob job;
  job.id = id;
  job.state = "PENDING";
  job.nodeCount = 8;
  job.timeLimit = limit;
  if (inMinutes >= 0) job.start = now.addSecs(60 * inMinutes);
  return job;
}

SlurmJob after(const QString& dependency) {
  const QByteArray json = R"({"jobs":[{"job_id":7,"job_state":"PENDING","dependency":")" +
                          dependency.toUtf8() + R"("}]})";
  return jobsOfSqueue(json)->front();
}

QStringList texts(const std::vector<AxisTick>& ticks) {
  QStringList result;
  for (const AxisTick& tick : ticks) result << tick.text;
  return result;
}

}  // namespace

class TestQueueTimeline : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void saysWhenAJobHasItsNodes_data() {
    QTest::addColumn<SlurmJob>("job");
    QTest::addColumn<QString>("text");
    QTest::newRow("runs") << running(1, 40, 120) << "since 13:30, ends by 15:30";
    QTest::newRow("runs without a limit") << running(1, 40, 0) << "since 13:30, without a limit";
    QTest::newRow("planned") << waiting(1, 42, 60) << "planned from 14:52 to 15:52";
    QTest::newRow("planned without a limit")
        << waiting(1, 42, 0) << "planned from 14:52, without a limit";
    QTest::newRow("on another day")
        << waiting(1, 1440, 60) << "planned from 26 Nov 14:10 to 26 Nov 15:10";
    QTest::newRow("not planned") << waiting(1, -1, 60) << "no start planned";
    QTest::newRow("after another")
        << after("afterok:48216(unfulfilled)") << "after 48216, no start planned";
    QTest::newRow("after several") << after("afterany:48216_*(unfulfilled),after:7+5:9?singleton()")
                                   << "after 48216, 7, 9, no start planned";
    QTest::newRow("after no job") << after("singleton(unfulfilled)") << "no start planned";
    auto never = waiting(1, -1, 60);
    never.reason = "PartitionNodeLimit";
    QTest::newRow("never") << never << "will never start as it is";
  }
  void saysWhenAJobHasItsNodes() {
    QFETCH(SlurmJob, job);
    QFETCH(QString, text);
    QCOMPARE(barText(job, now), text);
  }

  void saysWhichJobMustEndFirst() {
    const auto at = [](int minutes) { return now.addSecs(60 * qint64(minutes)); };
    const auto job = [&](qint64 id, const char* state, int start, int limit) {
      SlurmJob one;
      one.id = id;
      one.partition = "sim";
      one.state = state;
      one.start = at(start);
      one.timeLimit = limit;
      one.end = at(start + limit);
      return one;
    };
    const SlurmJob ours = job(9, "PENDING", 60, 30);
    SlurmJob other = job(4, "RUNNING", -10, 69);
    other.partition = "gpu";
    const std::vector<SlurmJob> jobs{job(1, "RUNNING", -10, 40), job(2, "RUNNING", -10, 68),
                                     job(3, "PENDING", 30, 30),  other,
                                     job(5, "PENDING", 60, 40),  ours};
    QCOMPARE(endsFirst(ours, jobs), qint64{3});
    // That one has the nodes is guessed from the times: a dependency is certain.
    QCOMPARE(endsFirstText(ours, jobs), "probably when job 3 ends");
    QCOMPARE(endsFirst(jobs[0], jobs), qint64{0});  // it runs
    // Nothing ends near its start.
    QCOMPARE(endsFirst(job(9, "PENDING", 45, 30), jobs), qint64{0});
    SlurmJob dependent = ours;
    dependent.after = {7};
    QCOMPARE(endsFirst(dependent, jobs), qint64{7});
    QCOMPARE(endsFirstText(dependent, jobs), "job 7 must end first");
    QCOMPARE(endsFirstText(jobs[0], jobs), "");
  }

  void theAxisShowsOursOrWhatIsPlanned() {
    const auto other = *barOf(running(1, 60, 10 * 1440), false);
    const auto planned = *barOf(waiting(2, 240, 60), false);
    const auto ours = *barOf(waiting(3, 60, 60), true);
    const auto minutes = [](const QueueAxis& axis) { return now.secsTo(axis.to) / 60; };
    QCOMPARE(minutes(axisOf({}, now)), 60);
    QCOMPARE(minutes(axisOf({other}, now)), 30 * 60);  // a day at most, and room
    QCOMPARE(minutes(axisOf({other, planned}, now)), 6 * 60);
    QCOMPARE(minutes(axisOf({other, planned, ours}, now)), 150);
    const auto axis = axisOf({other, planned, ours}, now);
    QCOMPARE(axis.at(axis.from), 0.0);
    QCOMPARE(axis.at(axis.to), 1.0);
    QVERIFY(axis.at(now) > 0.05 && axis.at(now) < 0.15);
    QCOMPARE(texts(ticksOf(axis, 6)), QStringList({"14:30", "15:00", "15:30", "16:00", "16:30"}));
    QCOMPARE(texts(ticksOf(axis, 3)), QStringList({"15:00", "16:00"}));
    // Over midnight the day is said.
    const auto wide = axisOf({*barOf(waiting(3, 1200, 60), true)}, now);
    QCOMPARE(texts(ticksOf(wide, 5)), QStringList({"18:00", "26 Nov", "06:00", "12:00"}));
  }

  void ourBarsAreColouredAndPlannedOnesDashed_data() {
    QTest::addColumn<theme::Appearance>("appearance");
    QTest::addColumn<double>("scale");
    QTest::newRow("light") << theme::Appearance::Light << 1.0;
    QTest::newRow("dark, 200 %") << theme::Appearance::Dark << 2.0;
  }
  void ourBarsAreColouredAndPlannedOnesDashed() {
    QFETCH(theme::Appearance, appearance);
    QFETCH(double, scale);
    theme::Theme theme;
    theme.apply(appearance);
    ClusterState state;
    state.user = "me";
    state.jobs = {running(1, 5, 35), running(2, 5, 65), waiting(3, 30, 30), waiting(4, 30, 30),
                  waiting(5, -1, 30)};
    state.jobs[1].user = "me";
    state.jobs[3].user = "me";
    for (SlurmJob& job : state.jobs) job.priority = static_cast<double>(100 - job.id);
    QueueModel model;
    model.setState(state, {}, now);
    QueueView view;
    view.setModel(&model);
    view.setItemDelegateForColumn(QueueModel::Times, new QueueBarDelegate(&view));
    view.setRootIsDecorated(false);
    view.resize(1400, 240);
    view.header()->setStretchLastSection(false);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.fitBars();
    QImage image(view.size() * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    view.render(&image);
    const QRect viewport(view.viewport()->mapTo(&view, QPoint()), view.viewport()->size());
    const auto& axis = model.axis();
    const auto palette = theme::Palette::of(&view);
    // The pixels of a job's bar between two moments, in the middle of its height or in its upper
    // half.
    const auto shareOf = [&](qint64 id, int fromMinutes, int toMinutes, Token token, bool edge) {
      const QRect cell = view.visualRect(model.index(model.rowOf(id), QueueModel::Times))
                             .translated(viewport.topLeft());
      const auto x = [&](int minutes) {
        return cell.left() + 8 + axis.at(now.addSecs(60 * minutes)) * (cell.width() - 16);
      };
      int found = 0;
      int all = 0;
      const int middle = cell.center().y();
      for (int at = qRound(x(fromMinutes)) + 3; at < qRound(x(toMinutes)) - 3; ++at, ++all) {
        bool hit = false;
        for (int y = middle - (edge ? 8 : 1); y <= middle + (edge ? -1 : 1); ++y) {
          const QPoint place = QPoint(at, y) * scale;
          if (!image.valid(place)) return -1.0;
          const QColor is = image.pixelColor(place);
          const QColor wanted = palette[token];
          hit = hit || std::abs(is.red() - wanted.red()) + std::abs(is.green() - wanted.green()) +
                               std::abs(is.blue() - wanted.blue()) <
                           24;
        }
        found += hit ? 1 : 0;
      }
      return all > 0 ? static_cast<double>(found) / all : -1;
    };
    if (const auto target = qEnvironmentVariable("TUTTI_SCREENSHOTS"); !target.isEmpty())
      QVERIFY(image.save(QStringLiteral("%1/bars-%2.png").arg(target).arg(scale)));
    QVERIFY(shareOf(1, 3, 30, Token::TextMuted, false) > 0.95);
    QVERIFY(shareOf(2, 3, 60, Token::Accent, false) > 0.95);
    QVERIFY(shareOf(1, 31, 60, Token::TextMuted, false) < 0.05);
    const double other = shareOf(3, 30, 60, Token::TextMuted, true);
    const double ours = shareOf(4, 30, 60, Token::Accent, true);
    QVERIFY2(other > 0.3 && other < 0.95, qPrintable(QString::number(other)));
    QVERIFY2(ours > 0.3 && ours < 0.95, qPrintable(QString::number(ours)));
    // Words in the place of a bar.
    const double words = shareOf(5, 3, 40, Token::TextMuted, true);
    QVERIFY2(words > 0.01 && words < 0.9, qPrintable(QString::number(words)));
  }

  void aTipSaysTheTimes() {
    ClusterState state;
    state.user = "me";
    state.jobs = {waiting(48201, 42, 60)};
    state.jobs[0].name = "wx-ens";
    state.jobs[0].user = "akrol";
    QueueModel model;
    model.setState(state, {}, now);
    const QString tip = model.index(0, QueueModel::Times).data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.startsWith("48201 wx-ens of akrol\n8 nodes, at most 1 h\nplanned from "),
             qPrintable(tip));
    QVERIFY2(tip.contains("as Slurm plan"), qPrintable(tip));
    // A table that is exported has no picture.
    QCOMPARE(model.headerData(QueueModel::Times, Qt::Horizontal, Qt::DisplayRole).toString(), "");
  }
};

QTEST_MAIN(TestQueueTimeline)
#include "tst_queue_timeline.moc"
