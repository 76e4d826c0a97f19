// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QTimer>
#include <functional>

class QLabel;
class QPushButton;

namespace tutti::app {

/// Tells of something done ("Exported 4 files. Show"), for 5 s, at the lower right. Never errors.
class Toast : public QFrame {
  Q_OBJECT
 public:
  explicit Toast(QWidget* parent);
  void show(const QString& text, const QString& link, std::function<void()> onLink);
  /// Keeps it in the corner of its parent.
  void place();

 private:
  QLabel* text_;
  QPushButton* link_;
  QTimer timer_;
  std::function<void()> onLink_;
};

}  // namespace tutti::app
