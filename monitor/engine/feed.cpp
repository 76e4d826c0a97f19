// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/feed.h"

#include <QSet>
#include <QTimer>

namespace tutti::monitor {

/// Lives in the sampling thread and owns the analysis there.
class Feed::Sampler : public QObject {
 public:
  Sampler(Feed* feed, Mail* mail, std::function<std::shared_ptr<SampleSource>()> makeSource,
          std::shared_ptr<ProcessProbe> probe)
      : feed_(feed), mail_(mail), makeSource_(std::move(makeSource)), probe_(std::move(probe)) {}

  void begin() {
    analysis_ = std::make_unique<RunAnalysis>(makeSource_(), probe_);
    for (auto& change : waiting_) change(*analysis_);
    waiting_.clear();
    timer_ = new QTimer(this);
    timer_->setTimerType(Qt::PreciseTimer);
    timer_->setInterval(1000 / samplesPerSecond);
    connect(timer_, &QTimer::timeout, this, &Sampler::sample);
    timer_->start();
    sample();
  }
  void change(const std::function<void(RunAnalysis&)>& change) {
    if (analysis_) {
      change(*analysis_);
    } else {
      waiting_.push_back(change);
    }
  }
  void watch(const QString& name) {
    watched_ = name;
    turn_ = 0;
  }
  void control(TimeControl control) {
    if (!analysis_) return;
    if (const auto done = analysis_->control(control); !done) {
      Feed* const feed = feed_;
      QMetaObject::invokeMethod(
          feed, [feed, why = done.error()] { emit feed->timeControlFailed(why); },
          Qt::QueuedConnection);
    }
    sample();
  }
  void setPace(double perSecond) {
    if (!analysis_) return;
    const auto done = analysis_->setPace(perSecond);
    Feed* const feed = feed_;
    QMetaObject::invokeMethod(
        feed,
        [feed, perSecond, why = done ? QString() : done.error()] {
          if (why.isEmpty())
            emit feed->paceSet(perSecond);
          else
            emit feed->paceRefused(why);
        },
        Qt::QueuedConnection);
    sample();
  }
  void look(std::function<void()> done) {
    if (analysis_) {
      analysis_->refreshNext();
      sample();
    }
    Feed* const feed = feed_;
    QMetaObject::invokeMethod(
        feed,
        [feed, done = std::move(done)] {
          feed->publish();
          done();
        },
        Qt::QueuedConnection);
  }
  void sampleLast() {
    if (analysis_) sample();
  }

 private:
  void sample() {
    auto snapshot = std::make_shared<Snapshot>(analysis_->step());
    const bool consequencesDue = turn_++ % (samplesPerSecond / 2) == 0;
    std::optional<Consequences> watched;
    if (consequencesDue && !watched_.isEmpty()) watched = analysis_->consequences(watched_);
    bool post = false;
    {
      const std::lock_guard lock(mail_->mutex);
      mail_->snapshot = std::move(snapshot);
      if (consequencesDue) mail_->watched = std::move(watched);
      post = !mail_->posted;
      mail_->posted = true;
    }
    Feed* const feed = feed_;
    if (post)
      QMetaObject::invokeMethod(
          feed, [feed] { feed->publish(); }, Qt::QueuedConnection);
  }

  Feed* feed_;
  Mail* mail_;
  std::function<std::shared_ptr<SampleSource>()> makeSource_;
  std::shared_ptr<ProcessProbe> probe_;
  std::unique_ptr<RunAnalysis> analysis_;
  std::vector<std::function<void(RunAnalysis&)>> waiting_;
  QTimer* timer_ = nullptr;
  QString watched_;
  unsigned turn_ = 0;
};

Feed::Feed(QObject* parent) : QObject(parent), current_(std::make_shared<Snapshot>()) {
  thread_.setObjectName(QStringLiteral("tutti-feed"));
}

Feed::~Feed() { stop(); }

void Feed::start(std::function<std::shared_ptr<SampleSource>()> makeSource,
                 std::shared_ptr<ProcessProbe> probe) {
  stop();
  announced_.clear();
  sampler_ = new Sampler(this, &mail_, std::move(makeSource), std::move(probe));
  sampler_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, sampler_, &QObject::deleteLater);
  thread_.start();
  Sampler* const sampler = sampler_;
  QMetaObject::invokeMethod(
      sampler, [sampler] { sampler->begin(); }, Qt::QueuedConnection);
  setRoster(roster_);
  setHosts(hosts_);
  setDeclarations(declarations_);
  watch(watchedName_);
}

void Feed::stop() {
  if (!thread_.isRunning()) return;
  // A last sample behind all that was noted: how everybody ended is what stays on the screen.
  Sampler* const sampler = sampler_;
  QMetaObject::invokeMethod(
      sampler,
      [sampler] {
        sampler->sampleLast();
        QThread::currentThread()->quit();
      },
      Qt::QueuedConnection);
  end();
}

void Feed::finish() {
  if (!thread_.isRunning()) return;
  Sampler* const sampler = sampler_;
  QMetaObject::invokeMethod(
      sampler,
      [this, sampler] {
        sampler->sampleLast();
        QMetaObject::invokeMethod(
            this,
            [this, sampler] {
              // Stopped meanwhile, or started again: then it is somebody else's.
              if (sampler_ != sampler) return;
              thread_.quit();
              end();
            },
            Qt::QueuedConnection);
      },
      Qt::QueuedConnection);
}

void Feed::end() {
  thread_.wait();
  sampler_ = nullptr;
  {
    const std::lock_guard lock(mail_.mutex);
    if (mail_.snapshot) current_ = std::move(mail_.snapshot);
    mail_.snapshot.reset();
    mail_.posted = false;  // a call of publish() that is still queued finds nothing
  }
  emit sampled();  // without the lock: a slot may start the next run, whose samples take it
}

void Feed::look(std::function<void()> done) {
  Sampler* const sampler = sampler_;
  if (sampler == nullptr) {
    done();
    return;
  }
  QMetaObject::invokeMethod(
      sampler, [sampler, done = std::move(done)] { sampler->look(done); }, Qt::QueuedConnection);
}

void Feed::clear() {
  stop();
  roster_.clear();
  hosts_.clear();
  declarations_.clear();
  watched_.reset();
  announced_.clear();
  current_ = std::make_shared<Snapshot>();
  emit sampled();
}

void Feed::call(std::function<void(RunAnalysis&)> change) {
  Sampler* const sampler = sampler_;
  if (sampler == nullptr) return;
  QMetaObject::invokeMethod(
      sampler, [sampler, change = std::move(change)] { sampler->change(change); },
      Qt::QueuedConnection);
}

void Feed::setRoster(std::vector<RosterEntry> roster) {
  roster_ = std::move(roster);
  call([copy = roster_](RunAnalysis& analysis) { analysis.setRoster(copy); });
}

void Feed::setHosts(std::vector<RosterHost> hosts) {
  hosts_ = std::move(hosts);
  call([copy = hosts_](RunAnalysis& analysis) { analysis.setHosts(copy); });
}

void Feed::noteSample(const HostSample& sample) {
  call([sample](RunAnalysis& analysis) { analysis.noteSample(sample); });
}

void Feed::noteEnd(const QString& federate, const ProcessEnd& end) {
  call([federate, end](RunAnalysis& analysis) { analysis.noteEnd(federate, end); });
}

void Feed::noteNodeEnd() {
  call([](RunAnalysis& analysis) { analysis.noteNodeEnd(); });
}

void Feed::dismiss(const QString& federate) {
  call([federate](RunAnalysis& analysis) { analysis.dismiss(federate); });
  if (thread_.isRunning()) return;
  auto copy = std::make_shared<Snapshot>(*current_);
  std::erase_if(copy->federates, [&](const FederateView& each) {
    return each.name == federate && isOver(each.condition);
  });
  copy->links.clear();
  std::erase_if(copy->deaths, [&](const Death& each) { return each.federate == federate; });
  current_ = std::move(copy);
  emit sampled();
}

void Feed::setDeclarations(std::vector<Declarations> declarations) {
  declarations_ = std::move(declarations);
  call([copy = declarations_](RunAnalysis& analysis) { analysis.setDeclarations(copy); });
}

void Feed::controlTime(TimeControl control) {
  Sampler* const sampler = sampler_;
  if (sampler == nullptr) return;
  QMetaObject::invokeMethod(
      sampler, [sampler, control] { sampler->control(control); }, Qt::QueuedConnection);
}

void Feed::setPace(double perSecond) {
  Sampler* const sampler = sampler_;
  if (sampler == nullptr) return;
  QMetaObject::invokeMethod(
      sampler, [sampler, perSecond] { sampler->setPace(perSecond); }, Qt::QueuedConnection);
}

void Feed::watch(const QString& federate) {
  watchedName_ = federate;
  Sampler* const sampler = sampler_;
  if (sampler == nullptr) return;
  QMetaObject::invokeMethod(
      sampler, [sampler, federate] { sampler->watch(federate); }, Qt::QueuedConnection);
}

void Feed::publish() {
  std::optional<Consequences> watched;
  {
    const std::lock_guard lock(mail_.mutex);
    mail_.posted = false;
    if (!mail_.snapshot) return;
    current_ = std::move(mail_.snapshot);
    mail_.snapshot.reset();
    watched = mail_.watched;
  }
  watched_ = std::move(watched);
  emit sampled();
  emit consequencesChanged();
  for (const Death& death : current_->deaths) {
    const QString key = death.federate + u'\n' + QString::number(death.atMonotonic);
    if (announced_.contains(key)) continue;
    announced_.insert(key);
    emit federateDied(death);
  }
}

}  // namespace tutti::monitor
