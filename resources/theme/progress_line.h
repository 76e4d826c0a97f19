// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

class QLabel;
class QPushButton;

namespace tutti::theme {

/// What a person waits for: "Asking the hosts, 3 s", a moving bar and Cancel. Appears after half a
/// second, so that what is quick does not flicker. The owner ends it: setProgress({}).
class ProgressLine : public QWidget {
  Q_OBJECT
 public:
  /// Names the label `name` and the button `name`Cancel.
  explicit ProgressLine(const QString& name, QWidget* parent = nullptr);

  /// The time counts from when it was empty before. Empty: nothing is going on, it hides at once.
  void setProgress(const QString& what);
  const QString& progress() const { return what_; }

 Q_SIGNALS:
  void cancelRequested();

 private:
  void show();

  QString what_;
  QLabel* text_;
  QElapsedTimer since_;
  QTimer timer_;
};

}  // namespace tutti::theme
