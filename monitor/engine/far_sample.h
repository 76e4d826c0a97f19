// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "monitor/engine/sample_source.h"

// What the monitor of one machine shows of a run on another: there a reading and what the kernel
// tells are taken and written as JSON, here they are read as if they had been taken here.
namespace tutti::monitor {

/// Bytes of a sample as JSON; a longer one is not read.
constexpr qsizetype longestFarSample = 4 * 1024 * 1024;

/// One look at a run, with all that its analysis may ask for.
struct FarSample {
  Reading reading;
  std::vector<Declarations> declarations;
  /// Of the federates by number that have been asked about so far.
  std::map<std::uint32_t, std::vector<OwnedInstances>> owned;
  std::map<std::int64_t, ProcessReading> processes;  ///< of the node and of federates there
  HostReading host;
  QString hostName;
  long ticksPerSecond = 100;

  /// One JSON value without newlines. What one federate sends to another is left out when it would
  /// be too long with it, then instances and declarations; empty: it is too long even so.
  [[nodiscard]] QByteArray toJson() const;
  /// What is not as toJson() writes it is an error, one sentence; nothing of it is trusted.
  static tl::expected<FarSample, QString> fromJson(const QByteArray& json);
};

/// Takes them of a run on this machine, one after the other; one thread.
class FarSampler {
 public:
  FarSampler(std::shared_ptr<SampleSource> source, std::shared_ptr<ProcessProbe> probe)
      : source_(std::move(source)), probe_(std::move(probe)) {}

  /// The error is the source's own; the next call tries again.
  tl::expected<FarSample, QString> take();

 private:
  std::shared_ptr<SampleSource> source_;
  std::shared_ptr<ProcessProbe> probe_;
  std::int64_t refreshedAt_ = 0;  ///< ns; 0: to be asked with the next
  std::vector<Declarations> declarations_;
  std::map<std::uint32_t, std::vector<OwnedInstances>> owned_;
  std::uint32_t askedLast_ = 0;
};

/// The samples of another machine as they come in, for a feed: a source and a probe that have what
/// the newest one says. Any thread.
class FarSamples : public std::enable_shared_from_this<FarSamples> {
 public:
  /// `machine`: what a person calls it.
  explicit FarSamples(QString machine) : machine_(std::move(machine)) {}

  /// As it came; it is read in the thread that asks for it.
  void put(QByteArray json);
  /// Whether more can come; while not, the source says so.
  void setConnected(bool connected);

  std::shared_ptr<SampleSource> source();
  std::shared_ptr<ProcessProbe> probe();

 private:
  friend class FarSource;
  friend class FarProbe;
  /// The newest that was understood; null: there is none yet.
  std::shared_ptr<const FarSample> newest(QString* problem = nullptr);
  /// CLOCK_MONOTONIC of the other machine: that of the newest sample, and of the time since then
  /// once nothing comes any more. Never goes back.
  std::int64_t now();

  std::mutex reading_;  ///< held by the one that reads; before the other
  std::mutex mutex_;    ///< guards the rest
  QString machine_;
  QByteArray waiting_;  ///< not read yet
  std::shared_ptr<const FarSample> newest_;
  QString problem_;
  bool connected_ = true;
  std::int64_t cameAt_ = 0;  ///< here
  std::int64_t told_ = 0;    ///< by now()
};

}  // namespace tutti::monitor
