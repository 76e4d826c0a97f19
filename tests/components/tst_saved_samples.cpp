// SPDX-License-Identifier: GPL-3.0-or-later
// An operator saves and restores the air traffic sample: what follows the restore is what followed
// the save, message by message.
#include <signal.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "monitor/engine/federation_saves.h"

using namespace tutti::monitor;
using namespace std::chrono_literals;

namespace {

const QString kComponents = QStringLiteral(TUTTI_SOURCE_DIR "/resources/components/");
constexpr int kLimit = 60'000;  // ms
const QString kFederation = QStringLiteral("air");

class Sample {
 public:
  Sample(const QString& id, const QString& name, const QStringList& more) {
    process_.setProcessChannelMode(QProcess::MergedChannels);
    QObject::connect(&process_, &QProcess::readyRead, &process_,
                     [this] { output_ += QString::fromUtf8(process_.readAll()); });
    process_.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/components/%1/%1").arg(id),
                   QStringList{"--federation", kFederation, "--federate", name, "--fom",
                               kComponents + "aircraft-flow/AirTraffic-Flight.xml", "--fom",
                               kComponents + "radar/AirTraffic-Radar.xml", "--fom",
                               kComponents + "conflict-detector/AirTraffic-Conflict.xml"} +
                       more);
  }
  ~Sample() {
    if (process_.state() == QProcess::NotRunning) return;
    process_.kill();
    process_.waitForFinished(kLimit);
  }
  bool says(const QString& text) {
    return QTest::qWaitFor([&] { return output_.contains(text); }, kLimit);
  }
  /// Lines of messages between two texts, or from one to the end of what is there.
  QStringList messages(const QString& from, const QString& to = {}) const {
    const auto begin = output_.indexOf(from);
    const auto end = to.isEmpty() ? output_.lastIndexOf(u'\n') : output_.indexOf(to);
    QStringList result;
    for (const QString& line : output_.mid(begin, end - begin).split(u'\n')) {
      const bool message =
          line.startsWith("flight ") || line.startsWith("plot ") || line.startsWith("conflict ");
      if (message) result << line;
    }
    return result;
  }
  const QString& output() const { return output_; }
  QProcess& process() { return process_; }

 private:
  QProcess process_;
  QString output_;
};

}  // namespace

class TestSavedSamples : public QObject {
  Q_OBJECT

  QTemporaryDir state_;
  QString node_;
  std::vector<std::unique_ptr<Sample>> samples_;
  Sample* log_ = nullptr;

  Sample& start(const QString& id, const QString& name, const QStringList& more = {}) {
    samples_.push_back(std::make_unique<Sample>(id, name, more));
    return *samples_.back();
  }
  QString operate(SaveVerb verb, const QString& label, std::chrono::milliseconds patience = 30s) {
    auto operating = std::async(std::launch::async, [&] {
      return operateSave(node_, kFederation, verb, label, patience);
    });
    // What the federates print is read meanwhile: one whose pipe is full saves nothing.
    while (operating.wait_for(0s) != std::future_status::ready) QTest::qWait(10);
    const auto done = operating.get();
    return done ? QString() : done.error();
  }

 private slots:
  void init() {
    static int count = 0;
    node_ = QStringLiteral("saved-%1-%2").arg(QCoreApplication::applicationPid()).arg(++count);
    qputenv("TUTTI_RTI", ("shm:" + node_).toUtf8());
    qputenv("XDG_STATE_HOME", state_.path().toUtf8());
    // Before the flow, so that all hear it from its beginning.
    log_ = &start("traffic-log", "log", {"--events"});
    Sample& radar = start("radar", "radar", {"--site", "EDDF", "--range", "300"});
    Sample& detector = start("conflict-detector", "detector");
    for (Sample* each : {log_, &radar, &detector}) QVERIFY(each->says(": ready"));
    Sample& flow = start("aircraft-flow", "flow", {"--flights", "120", "--pace", "20"});
    QVERIFY(flow.says(": ready"));
    QVERIFY(log_->says("plot "));
  }
  void cleanup() {
    samples_.clear();
    QProcess stop;
    stop.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-rti"), {"--stop", "--shm", node_});
    stop.waitForFinished(kLimit);
  }

  void whatFollowsARestoreIsWhatFollowedTheSave() {
    QCOMPARE(operate(SaveVerb::Save, "here & now"), QString());
    QVERIFY(log_->says("log: saved as 'here & now'"));
    const auto kept = keptSaves(node_, kFederation);
    QVERIFY(kept && kept->size() == 1 && kept->front().label == "here & now");
    constexpr qsizetype kEnough = 4000;
    const QString saved = "log: saved as";
    const QString restored = "log: restored from 'here & now'";
    QVERIFY(QTest::qWaitFor([&] { return log_->messages(saved).size() > kEnough; }, kLimit));
    QCOMPARE(operate(SaveVerb::Restore, "here & now"), QString());
    QVERIFY(log_->says(restored));
    QVERIFY(QTest::qWaitFor([&] { return log_->messages(restored).size() > kEnough; }, kLimit));
    const QStringList first = log_->messages(saved, restored).mid(0, kEnough);
    const QStringList second = log_->messages(restored).mid(0, kEnough);
    QCOMPARE(second.size(), kEnough);
    for (qsizetype i = 0; i < kEnough; ++i) QCOMPARE(second[i], first[i]);
    QVERIFY(!first.filter("plot ").isEmpty());
  }

  void aFederateThatStandsIsNamedAndTheOthersGoOn() {
    ::kill(static_cast<pid_t>(samples_[1]->process().processId()), SIGSTOP);
    const QString why = operate(SaveVerb::Save, "never", 1500ms);
    QVERIFY2(why.contains("1 of 4 federates had not done their part: radar"), qPrintable(why));
    ::kill(static_cast<pid_t>(samples_[1]->process().processId()), SIGCONT);
    QVERIFY(log_->says("log: not saved as 'never'"));
    const auto before = log_->messages({}).size();
    QVERIFY(QTest::qWaitFor([&] { return log_->messages({}).size() > before + 500; }, kLimit));
    QCOMPARE(operate(SaveVerb::Save, "then"), QString());
  }

  void aFederateWithoutItsPartOfTheSaveIsNamed() {
    QCOMPARE(operate(SaveVerb::Save, "whole"), QString());
    QVERIFY(QFile::remove(state_.path() + "/tutti/federates/air/whole/detector.state"));
    const QString why = operate(SaveVerb::Restore, "whole");
    QVERIFY2(why.contains("detector reported that it could not restore its state"),
             qPrintable(why));
    const auto before = log_->messages({}).size();
    QVERIFY(QTest::qWaitFor([&] { return log_->messages({}).size() > before + 500; }, kLimit));
  }

  void aDeathEndsASave() {
    ::kill(static_cast<pid_t>(samples_[1]->process().processId()), SIGSTOP);
    auto saving =
        std::async(std::launch::async, [&] { return operate(SaveVerb::Save, "cut short", 30s); });
    QVERIFY(QTest::qWaitFor(
        [&] { return QFile::exists(state_.path() + "/tutti/federates/air/cut%20short/log.state"); },
        kLimit));
    samples_[1]->process().kill();
    QVERIFY(
        QTest::qWaitFor([&] { return saving.wait_for(0s) == std::future_status::ready; }, kLimit));
    const QString why = saving.get();
    QVERIFY2(why.contains("radar resigned or died meanwhile"), qPrintable(why));
  }
};

QTEST_GUILESS_MAIN(TestSavedSamples)
#include "tst_saved_samples.moc"
