// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>

#include "composer/model/error.h"
#include "launcher/engine/slurm_allocation.h"

namespace tutti::launcher {

/// What Slurm says of a job that is not submitted.
struct JobForecast {
  bool isAllowed = false;
  QString words;    ///< Slurm's own, without the name of the program
  QDateTime start;  ///< as Slurm would plan it now; invalid when it is not allowed
  QString nodes;    ///< a list as Slurm writes it
  friend bool operator==(const JobForecast&, const JobForecast&) = default;
};

/// From the words and the exit code of `sbatch --test-only`. Pure.
JobForecast forecastOf(const QByteArray& words, int exitCode);

/// Asks `sbatch --test-only` for the same as Allocation would ask for; nothing is submitted. An
/// error when Slurm could not be asked: there is no answer, which says nothing about the job.
/// Blocks, up to a minute; any thread.
tl::expected<JobForecast, composer::Error> forecast(const Allocation::Request& request,
                                                    const std::stop_token& stop = {});

}  // namespace tutti::launcher
