// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>

// Answers of sinfo and squeue in the form of Slurm 22.05, for states that a practice cluster does
// not get into: many nodes, broken ones, a long queue.
namespace tutti::launcher::test {

class SlurmAnswers {
 public:
  /// `state` as 22.05 says it, with its flags behind "+".
  void node(const QString& name, const QString& partition, const QString& state,
            const QString& reason = {}, const QString& features = {}) {
    const QStringList words = state.split('+');
    QJsonArray flags;
    for (const QString& flag : words.mid(1)) flags.append(flag.toUpper());
    QJsonObject node{{"name", name},
                     {"partitions", QJsonArray{partition}},
                     {"state", words.front()},
                     {"state_flags", flags},
                     {"cpus", 16},
                     {"real_memory", 64000},
                     {"features", features}};
    if (!reason.isEmpty()) {
      node["reason"] = reason;
      node["reason_set_by_user"] = "root";
      node["reason_changed_at"] = since_.toSecsSinceEpoch();
    }
    nodes_.append(node);
  }
  void running(int id, const QString& name, const QString& user, const QString& partition,
               const QString& nodes, int count) {
    auto one = job(id, name, user, partition, "RUNNING", count);
    one["nodes"] = nodes;
    one["start_time"] = since_.toSecsSinceEpoch();
    one["end_time"] = since_.addSecs(7200 + 60 * id).toSecsSinceEpoch();
    jobs_.append(one);
  }
  /// `inMinutes`: the planned start; negative: none. `after`: what it waits for, in Slurm's words.
  void waiting(int id, const QString& name, const QString& user, const QString& partition,
               int count, const QString& reason, int inMinutes, const QString& after = {}) {
    auto one = job(id, name, user, partition, "PENDING", count);
    one["state_reason"] = reason;
    // Slurm's own order among those that wait.
    one["priority"] = 100000 - id;
    one["dependency"] = after;
    if (inMinutes >= 0) one["start_time"] = now_.addSecs(60 * inMinutes).toSecsSinceEpoch();
    jobs_.append(one);
  }

  QByteArray sinfo() const { return QJsonDocument(QJsonObject{{"nodes", nodes_}}).toJson(); }
  QByteArray squeue() const { return QJsonDocument(QJsonObject{{"jobs", jobs_}}).toJson(); }
  const QDateTime& since() const { return since_; }

 private:
  static QJsonObject job(int id, const QString& name, const QString& user, const QString& partition,
                         const QString& state, int count) {
    return {{"job_id", id},           {"name", name},       {"user_name", user},
            {"partition", partition}, {"job_state", state}, {"node_count", count},
            {"time_limit", 60}};
  }
  QJsonArray nodes_;
  QJsonArray jobs_;
  QDateTime now_ = QDateTime::currentDateTime();
  QDateTime since_ = now_.addSecs(-3600);
};

/// 26 nodes in "sim", some in each state, 4 in "gpu"; range-42 is ours, of "me".
inline SlurmAnswers busyCluster() {
  SlurmAnswers answers;
  const auto name = [](int number) { return QStringLiteral("n%1").arg(number, 2, 10, QChar('0')); };
  for (int number = 1; number <= 26; ++number) {
    const bool idle = number == 3 || number == 4 || number == 11 || number >= 24;
    if (number == 14)
      answers.node(name(number), "sim", "down+not_responding", "Not responding");
    else if (number == 21)
      answers.node(name(number), "sim", "idle+drain", "disk");
    else if (number == 22)
      answers.node(name(number), "sim", "allocated+drain", "memory");
    else
      answers.node(name(number), "sim", idle ? "idle" : "allocated");
  }
  for (int number = 1; number <= 4; ++number)
    answers.node(QStringLiteral("g%1").arg(number), "gpu", number == 2 ? "mixed" : "idle", {},
                 "gpu");
  answers.running(101, "cfd-mesh", "mlee", "sim", "n[01-02,05-06,09-10,12-13,15-16]", 10);
  answers.running(102, "range-42", "me", "sim", "n[07-08]", 2);
  answers.running(103, "train", "bkim", "gpu", "g2", 1);
  answers.waiting(110, "wx-ens", "akrol", "sim", 14, "Resources", 40);
  answers.waiting(111, "city-traffic", "me", "sim", 8, "Priority", 90);
  answers.waiting(112, "huge", "jsoto", "sim", 99, "PartitionNodeLimit", -1);
  for (int id = 120; id < 150; ++id)
    answers.waiting(id, QStringLiteral("sweep-%1").arg(id), "akrol", "sim", 4, "Priority", -1);
  return answers;
}

/// 300 nodes in "sim", a third of them idle, and 150 jobs; sweep-200 and after are planned.
inline SlurmAnswers largeCluster() {
  SlurmAnswers answers;
  const auto name = [](int number) { return QStringLiteral("n%1").arg(number, 3, 10, QChar('0')); };
  for (int number = 1; number <= 300; ++number)
    answers.node(name(number), "sim",
                 number % 50 == 0  ? "down+not_responding"
                 : number % 3 == 0 ? "idle"
                                   : "allocated",
                 number % 50 == 0 ? "Not responding" : "");
  for (int id = 100; id < 140; ++id)
    answers.running(id, QStringLiteral("cfd-%1").arg(id), "mlee", "sim",
                    QStringLiteral("n[%1-%2]")
                        .arg(name(3 * (id - 100) + 1).mid(1), name(3 * (id - 100) + 2).mid(1)),
                    2);
  answers.running(140, "range-42", "me", "sim", "n[121-122]", 2);
  for (int id = 200; id < 309; ++id)
    answers.waiting(id, QStringLiteral("sweep-%1").arg(id), "akrol", "sim", 4, "Priority",
                    id < 240 ? 5 * (id - 199) : -1, id > 300 ? "afterok:200(unfulfilled)" : "");
  answers.waiting(230, "city-traffic", "me", "sim", 32, "Priority", 170);
  return answers;
}

}  // namespace tutti::launcher::test
