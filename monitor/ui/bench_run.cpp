// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/bench_run.h"

#include <sys/prctl.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTimer>
#include <csignal>
#include <utility>

namespace tutti::monitor {

namespace {

/// The command line beside this program, or where TUTTI_BIN says that programs are.
QString usualProgram() {
  QStringList folders =
      qEnvironmentVariable("TUTTI_BIN").split(QLatin1Char(':'), Qt::SkipEmptyParts);
  const QString beside = QCoreApplication::applicationDirPath();
  folders << beside;
  for (const QString& folder : folders) {
    const QFileInfo program(folder + QStringLiteral("/tutti"));
    if (program.isExecutable()) return program.absoluteFilePath();
  }
  return beside + QStringLiteral("/tutti");
}

}  // namespace

BenchRun::BenchRun(QString program, QObject* parent)
    : QObject(parent), program_(program.isEmpty() ? usualProgram() : std::move(program)) {}

BenchRun::~BenchRun() {
  if (process_ == nullptr) return;
  process_->disconnect(this);
  process_->terminate();
  // It ends its own children on SIGTERM; killed, the kernel does.
  if (!process_->waitForFinished(1000)) {
    process_->kill();
    process_->waitForFinished(1000);
  }
}

double BenchRun::progress() const {
  if (settings_.empty()) return 0;
  const double done = static_cast<double>(next_ == 0 ? 0 : next_ - 1) + share_;
  return done / static_cast<double>(settings_.size());
}

void BenchRun::start(std::vector<bench::Settings> settings) {
  if (isRunning() || settings.empty()) return;
  settings_ = std::move(settings);
  next_ = 0;
  cancelled_ = false;
  elapsed_.start();
  startNext();
}

void BenchRun::startNext() {
  const bench::Settings& settings = settings_[next_++];
  share_ = 0;
  text_ = tr("starting");
  errors_.clear();
  QStringList arguments = bench::commandLine(settings);
  arguments << QStringLiteral("--json");
  commandLine_ = QStringLiteral("tutti ") + arguments.join(u' ');
  arguments << QStringLiteral("--progress");
  process_ = std::make_unique<QProcess>();
  process_->setProgram(program_);
  process_->setArguments(arguments);
  process_->setStandardInputFile(QProcess::nullDevice());
  process_->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGTERM); });
  connect(process_.get(), &QProcess::readyReadStandardError, this, &BenchRun::readProgress);
  connect(process_.get(), &QProcess::finished, this, &BenchRun::onFinished);
  connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) {
      giveUp(tr("%1 cannot be started: %2. Build or install Tutti completely.")
                 .arg(program_, process_->errorString()));
    }
  });
  process_->start();
  emit progressed();
}

void BenchRun::readProgress() {
  errors_ += process_->readAllStandardError();
  for (qsizetype end = errors_.indexOf('\n'); end >= 0; end = errors_.indexOf('\n')) {
    const QString line = QString::fromUtf8(errors_.left(end));
    if (line.startsWith(QStringLiteral("warning "))) {
      errors_.remove(0, end + 1);
      emit warned(line.section(u' ', 1));
      continue;
    }
    if (!line.startsWith(QStringLiteral("progress "))) break;  // a message: kept for the end
    errors_.remove(0, end + 1);
    const int done = line.section(u' ', 1, 1).toInt();
    const int total = line.section(u' ', 2, 2).toInt();
    share_ = total > 0 ? static_cast<double>(done) / total : 0;
    if (!cancelled_) text_ = line.section(u' ', 3);
  }
  emit progressed();
}

void BenchRun::onFinished() {
  readProgress();
  const QByteArray output = process_->readAllStandardOutput();
  if (cancelled_) {
    giveUp(tr("Cancelled."));
    return;
  }
  // One result, or a list of those of a test-sequence file.
  const QJsonDocument printed = QJsonDocument::fromJson(output);
  const QJsonObject document = printed.object();
  const QString error = document[QStringLiteral("error")].toString();
  if (!error.isEmpty() || process_->exitStatus() != QProcess::NormalExit) {
    giveUp(!error.isEmpty() ? error : tr("%1 ended early.").arg(commandLine_));
    return;
  }
  QJsonArray documents = printed.array();
  if (!printed.isArray()) documents.append(document);
  std::vector<bench::Result> results;
  for (const QJsonValue& each : std::as_const(documents)) {
    const auto result = bench::resultFromJson(each.toObject());
    if (!result) {
      const QString said = QString::fromUtf8(errors_).trimmed();
      giveUp(said.isEmpty() ? result.error() : said);
      return;
    }
    results.push_back(*result);
  }
  process_.release()->deleteLater();
  for (const bench::Result& each : results) emit resultArrived(each);
  if (next_ < settings_.size()) {
    startNext();
    return;
  }
  text_ = tr("done");
  emit progressed();
  emit finished({});
}

void BenchRun::giveUp(const QString& problem) {
  // Not deleted here: this is called from its own signals.
  process_->disconnect(this);
  process_.release()->deleteLater();
  text_ = problem;
  emit progressed();
  emit finished(problem);
}

void BenchRun::cancel() {
  if (process_ == nullptr || cancelled_) return;
  cancelled_ = true;
  text_ = tr("Cancelling");
  process_->terminate();
  QTimer::singleShot(800, process_.get(), [process = process_.get()] { process->kill(); });
  emit progressed();
}

}  // namespace tutti::monitor
