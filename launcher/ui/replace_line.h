// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "launcher/ui/submitted_job.h"

class QLabel;
class QPushButton;

namespace tutti::launcher {

/// Replaces a job that waits by one as the composition is now, and says what that would change.
/// Hidden while none waits.
class ReplaceLine : public QWidget {
  Q_OBJECT

 public:
  explicit ReplaceLine(QWidget* parent = nullptr);
  void setJob(const std::optional<SubmittedJob>& job);

 Q_SIGNALS:
  void replaceRequested();

 private:
  QPushButton* button_;
  QLabel* note_;
};

}  // namespace tutti::launcher
