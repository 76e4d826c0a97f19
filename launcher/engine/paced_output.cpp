// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/paced_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace tutti::launcher {

PacedOutput::PacedOutput(QObject* parent) : QObject(parent) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  output_.reset(ends[0]);
  input_.reset(ends[1]);
  // Only this end: the process may not expect that of its own.
  ::fcntl(ends[0], F_SETFL, ::fcntl(ends[0], F_GETFL) | O_NONBLOCK);
  notifier_.setSocket(ends[0]);
  connect(&notifier_, &QSocketNotifier::activated, this, &PacedOutput::readyRead);
  notifier_.setEnabled(true);
}

QByteArray PacedOutput::read(qsizetype most) {
  if (!output_) return {};
  QByteArray result(most, Qt::Uninitialized);
  ssize_t got = 0;
  do {
    got = ::read(output_.get(), result.data(), static_cast<std::size_t>(most));
  } while (got < 0 && errno == EINTR);
  // The end of it is told by the end of the process; until then it would be ready for ever.
  if (got == 0) notifier_.setEnabled(false);
  result.truncate(std::max<ssize_t>(0, got));
  return result;
}

}  // namespace tutti::launcher
