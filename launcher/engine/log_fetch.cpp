// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/log_fetch.h"

#include <QCryptographicHash>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStorageInfo>
#include <QUuid>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <utility>

#include "launcher/engine/plan_hosts.h"
#include "launcher/engine/ssh.h"
#include "launcher/engine/way.h"

namespace tutti::launcher {

namespace {

constexpr int waitMs = 50;
constexpr qint64 mostOfAList = 8 << 20;  ///< bytes of names and sizes, and of a login's words
constexpr qint64 keptFree = 16 << 20;    ///< bytes of the disk here, or a sixteenth of it
constexpr qint64 bytesAtOnce = 1 << 20;
constexpr qint64 mostOfALog = qint64(1) << 43;  ///< bytes; those of a whole list can be added up

/// $1 the folder, $2 the lock file, $3 a word that no log has:
///
///     here                                           console
///     $3 / [none] / [shared] / log SIZE NAME ... / listed
///                                                    AT SIZE SHA-256 ./NAME (once a log)
///     log AT SIZE NAME, bytes AT to SIZE, $3         (AT 0: its first bytes are others)
///     or gone NAME, or less NAME
///     end
///
/// Hosts have hundreds of logs, all hosts are asked at once, and some share their cores: one
/// program says all sizes. A log may be shortened between its line and its bytes: then what follows
/// is not $3, and nothing of it is kept.
const QString question = QStringLiteral(
    "printf '%s\\n' \"$3\"; cd \"$1\" 2>/dev/null || { echo none; exit; }; "
    "[ ! -e \"$2\" ] || echo shared; "
    "wc -c ./*.log 2>/dev/null | while read -r size f; do "
    "case $f in ./*.log) printf 'log %s %s\\n' \"$size\" \"${f#./}\";; esac; done; echo listed; "
    "while read -r at size sum f; do "
    "now=$(wc -c 2>/dev/null <\"$f\") || { printf 'gone %s\\n' \"${f#./}\"; continue; }; "
    "[ $now -ge \"$size\" ] || { printf 'less %s\\n' \"${f#./}\"; continue; }; "
    "[ \"$at\" = 0 ] || case $(head -c \"$at\" \"$f\" | sha256sum) in \"$sum\"*) ;; *) at=0;; "
    "esac; "
    "printf 'log %s %s %s\\n' \"$at\" \"$size\" \"${f#./}\"; "
    "[ \"$at\" = \"$size\" ] || tail -c \"+$((at + 1))\" \"$f\" | head -c \"$((size - at))\"; "
    "printf '%s\\n' \"$3\"; done; echo end");

QByteArray sha256Of(const QString& path, qint64 bytes) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  QCryptographicHash hash(QCryptographicHash::Sha256);
  while (bytes > 0) {
    const QByteArray read = file.read(std::min(bytes, bytesAtOnce));
    if (read.isEmpty()) return {};
    hash.addData(read);
    bytes -= read.size();
  }
  return hash.result().toHex();
}

QString counted(std::size_t number) {
  return number == 1 ? QStringLiteral("1 log") : QStringLiteral("%1 logs").arg(number);
}

/// The logs of one host on their way here.
class LogFetch {
 public:
  LogFetch(const HostLogs& wanted, const LogLimits& limits, const std::stop_token& stop,
           LogProgress* progress)
      : host_(wanted.host),
        from_(wanted.there),
        folder_(wanted.here),
        logs_(wanted.logs),
        nameHere_(wanted.nameHere),
        limits_(limits),
        stop_(stop),
        progress_(progress),
        mark_(QUuid::createUuid().toRfc4122().toHex()) {}

  MissingLogs run() {
    begin();
    while (why_.isEmpty() && state_ != State::Over && take()) {
    }
    if (process_.state() != QProcess::NotRunning) {
      process_.kill();
      process_.waitForFinished(1000);
    }
    if (file_.isOpen()) closePart();
    return problem();
  }

 private:
  enum class State { Greeting, List, Answers, Bytes, Mark, Over };

  void begin() {
    timer_.start();
    heard_.start();
    QStringList words = wordsFor(
        host_,
        shellCommand({QStringLiteral("sh"), QStringLiteral("-c"), question, QStringLiteral("sh"),
                      from_, QLatin1String(logLockFile), QString::fromLatin1(mark_)}));
    const QString program = words.takeFirst();
    process_.start(program, words);
    if (!process_.waitForStarted()) why_ = process_.errorString();
  }

  /// What has come, or waits for more; false when there is no more.
  bool take() {
    buffer_ += process_.readAllStandardOutput();
    errors_ = (errors_ + process_.readAllStandardError()).right(4096);
    if (step()) {
      heard_.restart();
      return true;
    }
    if (!why_.isEmpty() || state_ == State::Over) return false;
    if (stop_.stop_requested()) {
      why_ = QStringLiteral("fetching was given up");
    } else if (limits_.longestMs > 0 && timer_.elapsed() >= limits_.longestMs) {
      why_ =
          state_ == State::Greeting
              ? QStringLiteral("it did not answer within %1 s").arg(limits_.longestMs / 1000)
              : QStringLiteral("the rest did not come within %1 s").arg(limits_.longestMs / 1000);
    } else if (heard_.elapsed() >= limits_.silentMs) {
      why_ = QStringLiteral("nothing came for %1 s").arg(limits_.silentMs / 1000);
    } else if (process_.state() == QProcess::NotRunning) {
      if (process_.bytesAvailable() > 0) return true;
      const bool isDone = process_.exitStatus() == QProcess::NormalExit && process_.exitCode() == 0;
      if (isDone && (state_ == State::Bytes || state_ == State::Mark))
        hasChanged();  // The mark and all behind it are among what was written.
      else
        why_ =
            lossOf(host_, errors_ + process_.readAllStandardError(),
                   process_.exitStatus() == QProcess::NormalExit ? process_.exitCode() : -1, false)
                .why;
    } else {
      process_.waitForReadyRead(waitMs);
    }
    return why_.isEmpty();
  }

  /// Uses something of the buffer; false when there is too little in it.
  bool step() {
    if (state_ == State::Bytes) return takeBytes();
    const auto end = buffer_.indexOf('\n');
    if (end < 0) {
      if (buffer_.size() > mostOfAList) why_ = QStringLiteral("its answer is not understood");
      return false;
    }
    const QByteArray line = buffer_.left(end);
    buffer_.remove(0, end + 1);
    listed_ += end + 1;
    if (listed_ > mostOfAList)
      why_ = QStringLiteral("its answer is not understood");
    else
      takeLine(line);
    return why_.isEmpty();
  }

  void takeLine(const QByteArray& line) {
    const auto words = line.split(' ');
    const auto rest = [&](qsizetype from) { return QString::fromUtf8(words.mid(from).join(' ')); };
    switch (state_) {
      case State::Greeting:  // Before it a login shell may say anything.
        if (line == mark_) state_ = State::List;
        return;
      case State::List:
        if (line == "none") {
          why_ = QStringLiteral("there is no folder %1").arg(from_);
          isGone_ = true;
        } else if (line == "shared") {
          isShared_ = true;
        } else if (line == "listed") {
          list();
        } else if (words.size() >= 3 && words[0] == "log") {
          takeSize(rest(2), words[1].toLongLong());
        } else {
          why_ = QStringLiteral("its answer is not understood");
        }
        return;
      case State::Answers:
        takeAnswer(words, rest(3), rest(1));
        return;
      case State::Mark:
        if (line == mark_) {
          finish();
        } else {
          hasChanged();
        }
        state_ = State::Answers;
        return;
      case State::Bytes:
      case State::Over:
        return;
    }
  }

  /// The name becomes that of a file here, beside files that are executed.
  void takeSize(const QString& name, qint64 size) {
    if (!isLogName(name))
      ++notLogs_;
    else if (size < 0 || size > mostOfALog)
      why_ = QStringLiteral("its answer is not understood");
    else
      there_[name] = size;
  }

  /// All sizes are known: what is missing is asked for.
  void list() {
    isListed_ = true;
    std::vector<RecordedLog> before = std::move(logs_);
    logs_.clear();
    for (const auto& [name, size] : there_) {
      const auto known = std::find_if(before.begin(), before.end(),
                                      [&](const auto& one) { return one.name == name; });
      const bool isKnown = known != before.end() && !known->file.isEmpty();
      const QString file = isShared_ ? name
                           : isKnown ? QFileInfo(known->file).fileName()
                                     : nameHere_(name);
      logs_.push_back({name, file, size, false});
    }
    for (const auto& one : before) {
      if (there_.contains(one.name)) continue;
      logs_.push_back(one);
      logs_.back().gone = !logHere(folder_.path(), one).whole;
    }
    std::sort(logs_.begin(), logs_.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    if (isShared_) {
      state_ = State::Over;
      return;
    }
    ask(before);
  }

  void ask(const std::vector<RecordedLog>& before) {
    std::vector<RecordedLog*> wanted;
    for (auto& log : logs_) {
      if (log.gone) continue;
      const auto here = logHere(folder_.path(), log);
      const bool wasSo = std::any_of(before.begin(), before.end(), [&](const auto& one) {
        return one.name == log.name && one.size == log.size;
      });
      if (progress_ != nullptr) progress_->all += log.size;
      if (here.whole && here.size == log.size && wasSo) {
        if (progress_ != nullptr) progress_->here += log.size;
        continue;
      }
      wanted.push_back(&log);
    }
    std::sort(wanted.begin(), wanted.end(),
              [](const auto* a, const auto* b) { return a->size < b->size; });
    const QStorageInfo disk(folder_.path());
    qint64 room = disk.bytesAvailable() - std::min(keptFree, disk.bytesTotal() / 16);
    QByteArray requests;
    for (auto* log : wanted) {
      const auto here = logHere(folder_.path(), *log);
      const qint64 at = here.size <= log->size ? here.size : 0;
      // What is whole here stays until it is replaced: the host may say that it is another file.
      const qint64 needed = log->size - (here.whole ? 0 : at);
      if (needed > std::max<qint64>(room, 0)) {
        noRoom_.push_back(log);
        continue;
      }
      room -= needed;
      const QString file = folder_.filePath(here.whole ? log->file : partFile(log->file));
      const QByteArray sum = at > 0 ? sha256Of(file, at) : QByteArray();
      requests += QByteArray::number(sum.isEmpty() ? 0 : at) + ' ' + QByteArray::number(log->size) +
                  ' ' + (sum.isEmpty() ? QByteArray("-") : sum) + " ./" + log->name.toUtf8() + '\n';
      asked_[log->name] = log;
    }
    if (requests.isEmpty()) {
      state_ = State::Over;
      return;
    }
    listed_ = 0;
    process_.write(requests);
    process_.closeWriteChannel();
    state_ = State::Answers;
  }

  /// Only what was asked for, and once: there is no room for anything else.
  void takeAnswer(const QList<QByteArray>& words, const QString& name, const QString& missing) {
    const auto isAbout = words[0] == "log" ? name : missing;
    if (words[0] == "end" && asked_.empty()) {
      state_ = State::Over;
      return;
    }
    const auto asked = asked_.extract(isAbout);
    if (asked.empty()) {
      why_ = QStringLiteral("its answer is not understood");
    } else if (words[0] == "gone") {
      asked.mapped()->gone = true;
    } else if (words[0] == "less") {
      changed_ << isAbout;
    } else if (words[0] == "log") {
      current_ = asked.mapped();
      beginLog(words[1].toLongLong(), words[2].toLongLong());
    } else {
      why_ = QStringLiteral("its answer is not understood");
    }
  }

  /// `at`: so much of it is here already.
  void beginLog(qint64 at, qint64 size) {
    const auto here = logHere(folder_.path(), *current_);
    if (size != current_->size || (at != 0 && at != here.size) || at > size || at < 0) {
      why_ = QStringLiteral("its answer is not understood");
      return;
    }
    const QString whole = folder_.filePath(current_->file);
    if (here.whole && at == size) {
      state_ = State::Mark;
      left_ = 0;
      if (progress_ != nullptr) progress_->here += size;
      return;
    }
    file_.setFileName(partFile(whole));
    // What grows there is whole no longer; what is another file there is replaced when it has come.
    if (here.whole && at > 0 && !rename(whole, file_.fileName())) return;
    if (!file_.open(QIODevice::ReadWrite) || !file_.resize(at) || !file_.seek(at)) {
      failedToWrite();
      return;
    }
    if (progress_ != nullptr) progress_->here += at;
    begunAt_ = at;
    left_ = size - at;
    state_ = left_ > 0 ? State::Bytes : State::Mark;
  }

  bool takeBytes() {
    if (buffer_.isEmpty()) return false;
    const qint64 now = std::min<qint64>(left_, buffer_.size());
    const qint64 before = file_.pos();
    if (file_.write(buffer_.constData(), now) != now || !file_.flush()) {
      failedToWrite();
      file_.resize(before);
      return false;
    }
    buffer_.remove(0, now);
    left_ -= now;
    listed_ = 0;
    if (progress_ != nullptr) progress_->here += now;
    if (left_ == 0) state_ = State::Mark;
    return true;
  }

  /// What was written is not what the log was when its line was.
  void hasChanged() {
    if (file_.isOpen()) file_.resize(begunAt_);
    why_ = QStringLiteral("%1 has changed there meanwhile").arg(current_->name);
  }

  void finish() {
    if (!file_.isOpen()) return;
    const QString part = file_.fileName();
    const QString whole = folder_.filePath(current_->file);
    file_.close();
    rename(part, whole);
  }

  /// Also in the place of a file. Not QFile: that one replaces nothing.
  bool rename(const QString& from, const QString& to) {
    if (std::rename(QFile::encodeName(from).constData(), QFile::encodeName(to).constData()) == 0)
      return true;
    why_ = QStringLiteral("%1 cannot be renamed (%2)").arg(from, qt_error_string(errno));
    return false;
  }

  /// Some bytes of a log are here: they stay, unless there are none.
  void closePart() {
    const bool isEmpty = file_.size() == 0;
    file_.close();
    if (isEmpty) file_.remove();
  }

  void failedToWrite() {
    why_ = QStringLiteral("%1 cannot be written (%2)").arg(file_.fileName(), file_.errorString());
  }

  [[nodiscard]] MissingLogs problem() const {
    const QString there = QStringLiteral("%1:%2").arg(host_.name, from_);
    if (!isListed_) {
      return {QStringLiteral("The logs of %1 could not be fetched: %2.%3")
                  .arg(host_.name, why_,
                       isGone_ ? QString() : QStringLiteral(" They are in %1.").arg(there)),
              isGone_};
    }
    std::size_t missing = 0;
    qint64 bytes = 0;
    QStringList gone;
    for (const auto& log : logs_) {
      const auto here = logHere(folder_.path(), log);
      if (here.whole && (isShared_ || here.size == log.size)) continue;
      if (log.gone) {
        gone << log.name;
        continue;
      }
      ++missing;
      bytes += log.size - std::min(here.size, log.size);
    }
    QStringList sentences;
    if (missing > 0) {
      QStringList reasons;
      if (!why_.isEmpty()) reasons << why_;
      if (isShared_) reasons << QStringLiteral("it says that its folder is the one here");
      if (!changed_.isEmpty())
        reasons << QStringLiteral("%1 became shorter there meanwhile")
                       .arg(changed_.join(QStringLiteral(", ")));
      if (!noRoom_.empty())
        reasons << QStringLiteral("%1 has no room for %2, with %3 free")
                       .arg(folder_.path(), counted(noRoom_.size()),
                            logSizeText(QStorageInfo(folder_.path()).bytesAvailable()));
      sentences << QStringLiteral("%1 of %2, %3 of them, %4 not fetched: %5. All is in %6.")
                       .arg(counted(missing), host_.name, logSizeText(bytes),
                            missing == 1 ? QStringLiteral("was") : QStringLiteral("were"),
                            reasons.join(QStringLiteral("; ")), there);
    }
    if (!gone.isEmpty())
      sentences << QStringLiteral("No longer in %1, and not whole here: %2.")
                       .arg(there, gone.join(QStringLiteral(", ")));
    if (notLogs_ > 0)
      sentences << QStringLiteral("%1 in %2 %3 that Tutti gives no log: not fetched.")
                       .arg(notLogs_ == 1 ? QStringLiteral("1 file")
                                          : QStringLiteral("%1 files").arg(notLogs_),
                            there,
                            notLogs_ == 1 ? QStringLiteral("has a name")
                                          : QStringLiteral("have names"));
    return {sentences.join(u' '), missing == 0};
  }

  const Host& host_;
  const QString& from_;
  const QDir folder_;
  std::vector<RecordedLog>& logs_;
  const std::function<QString(const QString&)>& nameHere_;
  const LogLimits& limits_;
  const std::stop_token& stop_;
  LogProgress* const progress_;
  const QByteArray mark_;
  QProcess process_;
  QElapsedTimer timer_;
  QElapsedTimer heard_;
  State state_ = State::Greeting;
  QByteArray buffer_;
  QByteArray errors_;
  qint64 listed_ = 0;  ///< bytes of lines, without logs between
  std::map<QString, qint64> there_;
  std::size_t notLogs_ = 0;  ///< files there whose names are no log's
  bool isListed_ = false;
  bool isShared_ = false;
  bool isGone_ = false;
  RecordedLog* current_ = nullptr;
  QFile file_;  ///< of the current log, while bytes of it come
  qint64 begunAt_ = 0;
  qint64 left_ = 0;
  std::map<QString, RecordedLog*> asked_;  ///< by name; what has not been answered yet
  QStringList changed_;
  std::vector<RecordedLog*> noRoom_;
  QString why_;  ///< it has ended; empty: it has not, or all has come
};

}  // namespace

MissingLogs fetchHostLogs(const HostLogs& wanted, const LogLimits& limits,
                          const std::stop_token& stop, LogProgress* progress) {
  return LogFetch(wanted, limits, stop, progress).run();
}

QString partFile(const QString& file) { return file + QLatin1String(partOfLog); }

}  // namespace tutti::launcher
