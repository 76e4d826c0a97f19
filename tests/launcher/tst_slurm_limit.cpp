// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose job comes to its time limit: it is saved before, and goes on from there in another
// job, asked for by the console or, where nobody is left, by the job itself.
#include <signal.h>

#include <QDirIterator>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>

#include "tests/launcher/slurm_lab.h"

using namespace tutti::launcher;
using test::SlurmLab;

namespace {

/// Slurm's least limit is a minute, and it looks every 30 s.
constexpr int limitMinutes = 2;
constexpr int limitMs = 240000;

/// What the process prints until `text` is there, or nothing comes any more.
bool says(QProcess& process, QByteArray& out, const QByteArray& text) {
  return QTest::qWaitFor(
      [&] {
        out += process.readAllStandardOutput() + process.readAllStandardError();
        return out.contains(text);
      },
      limitMs);
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The logical times that federates print with "restored from LABEL".
QList<double> restoredTimes(const QByteArray& text, const QString& label) {
  const QRegularExpression line("restored from '" + QRegularExpression::escape(label) +
                                "', at logical time ([0-9.]+) s");
  QList<double> result;
  for (auto each = line.globalMatch(QString::fromUtf8(text)); each.hasNext();)
    result << each.next().captured(1).toDouble();
  return result;
}

/// The last logical time that `tutti run` has printed before `text`.
double timeBefore(const QByteArray& out, const QByteArray& text) {
  static const QRegularExpression line("  time ([0-9.]+)");
  double last = 0;
  for (auto each = line.globalMatch(QString::fromUtf8(out.left(out.indexOf(text))));
       each.hasNext();)
    last = each.next().captured(1).toDouble();
  return last;
}

}  // namespace

class TestSlurmLimit : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (const QString why = test::noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
    // Federates on nodes keep their part of a save below the home folder.
    QVERIFY(home_.isValid());
    qputenv("HOME", home_.path().toUtf8());
  }

  void theConsoleContinuesInAnotherJob() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    limitJobs(lab, true);
    QProcess run;
    lab.startRun(run, {"--duration", "1200"});
    QByteArray out;
    QVERIFY2(says(run, out, "running  6 of 6"), out);
    const int job = lab.jobs().value(0);
    const QString label = QStringLiteral("before-limit-of-job-%1").arg(job);
    const QByteArray saved = "air-traffic is saved as '" + label.toUtf8() + "'";
    QVERIFY2(says(run, out, saved), out);
    QVERIFY2(says(run, out, "job " + QByteArray::number(job) + " has reached its time limit"),
             out);
    QVERIFY2(says(run, out, "The run goes on in another job, from '" + label.toUtf8() + "'"), out);
    QVERIFY2(says(run, out, "air-traffic is restored from '" + label.toUtf8() + "'"), out);
    const QByteArray second = out.mid(out.indexOf("The run goes on in another job"));
    const double then = timeBefore(out, saved);
    QVERIFY(then > 1);
    // Time stood until then: nothing of the new beginning was before the restore.
    QVERIFY2(timeBefore(second, "air-traffic is restored from") == 0, second);
    QTRY_VERIFY_WITH_TIMEOUT(lab.jobs().size() == 1 && lab.jobs().front() != job, limitMs);
    const auto times = restoredTimes(logsOf(lab), label);
    QVERIFY2(!times.isEmpty(), logsOf(lab));
    for (const double time : times)
      QVERIFY2(time >= then && time <= then + 5, qPrintable(QString("%1 %2").arg(time).arg(then)));
    run.terminate();
    QVERIFY(run.waitForFinished(limitMs));
    QVERIFY2(run.exitCode() == 0, out + run.readAll());
    // Any later run may begin with it too.
    QProcess again;
    lab.start(again, {"rerun", "--restore", label, "--duration", "2"});
    QVERIFY(again.waitForFinished(limitMs));
    out = again.readAllStandardOutput() + again.readAllStandardError();
    QVERIFY2(again.exitCode() == 0 && out.contains("air-traffic is restored from '"), out);
    QProcess never;
    lab.start(never, {"rerun", "--restore", "nothing", "--duration", "60"});
    QVERIFY(never.waitForFinished(limitMs));
    out = never.readAllStandardOutput() + never.readAllStandardError();
    QVERIFY2(never.exitCode() == 1 &&
                 out.contains("The run ends, since it cannot go on from 'nothing': ") &&
                 out.contains("nothing was saved under that label"),
             out);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), test::slurmMs);
  }

  void withoutACompleteSaveNothingContinues() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    limitJobs(lab, true);
    QProcess run;
    lab.startRun(run, {"--duration", "1200"});
    QByteArray out;
    QVERIFY2(says(run, out, "running  6 of 6"), out);
    const auto radars = lab.processes(1, "/radar ");
    QCOMPARE(radars.size(), 1);
    QVERIFY(::kill(radars.front(), SIGSTOP) == 0);
    QVERIFY2(says(run, out, "There is no save before the time limit of job"), out);
    QVERIFY2(out.contains("had not done their part: radar-west"), out);
    QVERIFY(run.waitForFinished(limitMs));
    out += run.readAllStandardOutput() + run.readAllStandardError();
    QVERIFY2(out.contains("No other job continues the run: there is no complete save"), out);
    QVERIFY2(run.exitCode() == 1, out);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), test::slurmMs);
  }

  void aJobContinuesWhereNobodyIsLeft() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    limitJobs(lab, true);
    const QString composition =
        lab.sampleAt({{"radar-west", lab.node(1)}, {"radar-east", lab.node(2)}});
    const QString script = lab.root() + "/job.sbatch";
    QProcess write;
    lab.start(write, {"clusters", "script", composition, "--hosts", lab.hostsFile(), "-o", script});
    QVERIFY(write.waitForFinished(test::slurmMs));
    QVERIFY2(write.exitCode() == 0, write.readAllStandardError());
    const QByteArray job =
        lab.slurm({"sbatch", "--parsable", "--chdir=" + lab.root(), "--export=ALL", script});
    QVERIFY(job.toInt() > 0);
    const auto commentOf = [&](const QString& number) {
      return lab.slurm({"squeue", "--noheader", "--states=all", "--format=%k", "--jobs=" + number});
    };
    lab.slurm({"scontrol", "update", "JobId=" + job, "Comment=of the chair"});
    QCOMPARE(commentOf(job), QByteArray("of the chair"));
    const auto logOf = [&](int number) {
      return contentOf(lab.root() + QStringLiteral("/air-traffic-%1.log").arg(number));
    };
    const QByteArray continues = " continues from it when this one has reached its limit";
    QTRY_VERIFY2_WITH_TIMEOUT(logOf(job.toInt()).contains(continues), logOf(job.toInt()), limitMs);
    static const QRegularExpression number("Job ([0-9]+) continues from it");
    const int next = number.match(QString::fromUtf8(logOf(job.toInt()))).captured(1).toInt();
    QCOMPARE(lab.slurm({"squeue", "--noheader", "--format=%T", "--jobs=" + QString::number(next)}),
             QByteArray("PENDING"));
    const QByteArray restored = "air-traffic is restored from 'before-limit-of-job-" + job + "'";
    QTRY_VERIFY2_WITH_TIMEOUT(logOf(next).contains(restored), logOf(job.toInt()) + logOf(next),
                              limitMs);
    QCOMPARE(lab.slurm({"squeue", "--noheader", "--states=all", "--format=%T", "--jobs=" + job}),
             QByteArray("TIMEOUT"));
    // Slurm says no more that the second one waited for the first; its comment does.
    QCOMPARE(lab.slurm({"squeue", "--noheader", "--format=%E", "--jobs=" + QString::number(next)}),
             QByteArray("(null)"));
    QCOMPARE(commentOf(QString::number(next)), "of the chair tutti-continues=" + job);
    // It ends before its limit, so that none follows it.
    QProcess stop;
    lab.start(stop, {"stop", "--job", job, "--hosts", lab.hostsFile()});
    QVERIFY(stop.waitForFinished(2 * test::slurmMs));
    const QByteArray stopped = stop.readAllStandardOutput() + stop.readAllStandardError();
    QVERIFY2(stop.exitCode() == 0 && stopped.contains("job " + QByteArray::number(next) +
                                                      " continues it: that one is ended"),
             stopped);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), test::slurmMs);
  }

  /// Who follows a job that was submitted goes on with the one that continues it.
  void aJobThatIsFollowedGoesOnInAnother() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    limitJobs(lab, true);
    const QString composition =
        lab.sampleAt({{"radar-west", lab.node(1)}, {"radar-east", lab.node(2)}});
    QProcess submit;
    lab.start(submit, {"submit", composition, "--hosts", lab.hostsFile(), "--json"});
    QVERIFY(submit.waitForFinished(test::slurmMs));
    const QByteArray job = QByteArray::number(
        QJsonDocument::fromJson(submit.readAllStandardOutput()).object()["job"].toInt());
    QVERIFY2(job.toInt() > 0, submit.readAllStandardError());
    QProcess attached;
    lab.start(attached, {"attach", "--job", job});
    QByteArray out;
    QVERIFY2(says(attached, out, "job " + job + ": has reached its time limit"), out.right(3000));
    const QByteArray printed = contentOf(
        lab.root() + "/state/tutti/jobs/" +
        QDir(lab.root() + "/state/tutti/jobs").entryList(QDir::Dirs | QDir::NoDotAndDotDot)[0] +
        "/air-traffic-" + job + ".log");
    static const QRegularExpression number("Job ([0-9]+) continues from it");
    const QByteArray next = number.match(QString::fromUtf8(printed)).captured(1).toUtf8();
    QVERIFY2(next.toInt() > job.toInt(), printed);
    QVERIFY2(says(attached, out, "job " + job + ": job " + next + " continues it"),
             out.right(3000));
    QVERIFY2(says(attached, out, "restored from 'before-limit-of-job-" + job + "'"),
             out.right(3000));
    QProcess stop;
    lab.start(stop, {"stop", "--job", next});
    QVERIFY(stop.waitForFinished(2 * test::slurmMs));
    QCOMPARE(stop.exitCode(), 0);
    QVERIFY(attached.waitForFinished(test::slurmMs));
    out += attached.readAllStandardOutput() + attached.readAllStandardError();
    QVERIFY2(attached.exitCode() == 0 && out.contains("job " + next + ": has ended in order"),
             out.right(3000));
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), test::slurmMs);
  }

 private:
  static void limitJobs(const SlurmLab& lab, bool continues) {
    QFile file(lab.hostsFile());
    if (!file.open(QIODevice::ReadOnly)) qFatal("the hosts file cannot be read");
    auto document = QJsonDocument::fromJson(file.readAll()).object();
    auto clusters = document["clusters"].toObject();
    auto cluster = clusters["slurm"].toObject();
    cluster["timeLimit"] = limitMinutes;
    cluster["saveBeforeLimit"] = 1;
    cluster["continue"] = continues;
    clusters["slurm"] = cluster;
    document["clusters"] = clusters;
    file.close();
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) qFatal("it cannot be written");
    file.write(QJsonDocument(document).toJson());
  }
  /// Of all runs, of the federates on this machine.
  static QByteArray logsOf(const SlurmLab& lab) {
    QByteArray text;
    for (QDirIterator all(lab.root() + "/state/tutti/runs", {"*.log"}, QDir::Files,
                          QDirIterator::Subdirectories);
         all.hasNext();)
      text += contentOf(all.next());
    return text;
  }

  QTemporaryDir home_;
};

QTEST_GUILESS_MAIN(TestSlurmLimit)
#include "tst_slurm_limit.moc"
